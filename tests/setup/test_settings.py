"""console.toml, CONSOLE_… and the command line: who wins, what is placed where, and what is refused."""

from datetime import timedelta
from pathlib import Path

import pytest

from console.exposure import check_exposure, exposures
from console.settings import load_settings
from console.settings_file import SettingsError

AGENT = '[sources.support]\ngraph = "./agent.py:graph"\n'


@pytest.fixture(autouse=True)
def somewhere_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def written(folder: Path, text: str) -> Path:
    file = folder / "console.toml"
    file.write_text(text)
    return file


def refusal(text: str, tmp_path: Path) -> str:
    with pytest.raises(SettingsError) as refused:
        load_settings(written(tmp_path, text))
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_nothing_set_means_a_closed_console_on_loopback(somewhere_empty: Path) -> None:
    settings = load_settings()
    assert (settings.server.host, settings.server.port) == ("127.0.0.1", 3000)
    assert settings.sources == {}
    assert settings.demo is False
    assert settings.data == somewhere_empty / ".data"
    assert settings.database.url == f"sqlite:///{somewhere_empty}/.data/console.db"


def test_data_places_whatever_is_not_set_explicitly(tmp_path: Path) -> None:
    file = written(tmp_path, AGENT + '[database]\nurl = "sqlite:///own.db"\n')
    settings = load_settings(file, tmp_path / "elsewhere")
    assert settings.sources["support"].checkpoints == f"sqlite:///{tmp_path}/elsewhere/checkpoints.db"
    assert settings.ledger_key == tmp_path / "elsewhere" / "keys" / "ledger.key"
    assert settings.ledger_heads == tmp_path / "elsewhere" / "heads"
    assert settings.shop == tmp_path / "elsewhere" / "shop.db"
    assert settings.database.url == f"sqlite:///{tmp_path}/own.db"


def test_relative_paths_of_the_file_are_relative_to_the_file(tmp_path: Path) -> None:
    text = AGENT + (
        'checkpoints = "sqlite:///deep/checkpoints.db"\n'
        'context = "facts.py:facts"\nsimulators = "pkg.mod:simulators"\n'
        '[ledger]\nkey = "keys/mine"\n[policy.tools.refund_order]\nschema = "refund.json"\n'
    )
    settings = load_settings(written(tmp_path, text))
    source = settings.sources["support"]
    assert source.graph == f"{tmp_path}/agent.py:graph"
    assert source.checkpoints == f"sqlite:///{tmp_path}/deep/checkpoints.db"
    assert source.context == f"{tmp_path}/facts.py:facts"
    assert source.simulators == "pkg.mod:simulators"
    assert settings.ledger.key == tmp_path / "keys" / "mine"
    assert settings.policy.tools["refund_order"].args_schema == tmp_path / "refund.json"


def test_an_absolute_database_path_stays_what_it_is(tmp_path: Path) -> None:
    settings = load_settings(written(tmp_path, '[database]\nurl = "sqlite:////var/lib/console.db"\n'))
    assert settings.database.url == "sqlite:////var/lib/console.db"


def test_another_database_is_passed_through(tmp_path: Path) -> None:
    url = "postgresql+psycopg://console@db/console"
    assert load_settings(written(tmp_path, f'[database]\nurl = "{url}"\n')).database.url == url


def test_the_file_of_the_current_folder_is_found(somewhere_empty: Path) -> None:
    written(somewhere_empty, "[server]\nport = 3105\n")
    assert load_settings().server.port == 3105


def test_a_variable_beats_the_file_and_the_command_line_beats_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, '[server]\nport = 3101\nhost = "localhost"\n')
    monkeypatch.setenv("CONSOLE_SERVER__PORT", "3102")
    assert load_settings(file).server.port == 3102
    last = load_settings(file, server={"port": 3103}).server
    assert (last.port, last.host) == (3103, "localhost")


def test_a_variable_reaches_into_a_source_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONSOLE_SOURCES__PROD__API_KEY", "key-of-prod")
    settings = load_settings(written(tmp_path, '[sources.prod]\nserver = "http://127.0.0.1:2024"\n'))
    source = settings.sources["prod"]
    assert source.api_key is not None
    assert source.api_key.get_secret_value() == "key-of-prod"
    assert "key-of-prod" not in repr(settings)


def test_lists_in_variables_are_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSOLE_SOURCES__SUPPORT__VISIBLE_TO", '["sam", "sue"]')
    monkeypatch.setenv("CONSOLE_SERVER__ORIGINS", '["https://review.example"]')
    settings = load_settings(written(tmp_path, AGENT))
    assert settings.sources["support"].visible_to == ("sam", "sue")
    assert settings.server.origins == ("https://review.example",)


def test_a_policy_reads_as_in_the_documentation(tmp_path: Path) -> None:
    text = (
        '[policy.tools.refund_order]\nrisk = "high"\nlimit = { argument = "/amount", supervisor = 500 }\n'
        'four_eyes = true\nown_work = "forbid"\nreason_required = ["reject", "edit"]\ndeadline = "30m"\n'
        'on_expiry = "reject"\nidempotent = true\n'
    )
    policy = load_settings(written(tmp_path, text)).policy.tools["refund_order"]
    assert policy.limit is not None
    assert (policy.limit.argument, policy.limit.supervisor) == ("/amount", 500)
    assert policy.deadline == timedelta(minutes=30)
    assert (policy.own_work, policy.on_expiry, policy.reason_required) == (
        "forbid",
        "reject",
        ("reject", "edit"),
    )


def test_nothing_ever_approves_by_itself(tmp_path: Path) -> None:
    message = refusal('[policy.tools.refund_order]\non_expiry = "approve"\n', tmp_path)
    assert "policy.tools.refund_order.on_expiry" in message


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[server]\nprot = 3000\n", "server.prot"),
        ("[sever]\nport = 3000\n", "sever"),
        (AGENT + "visible = []\n", "sources.support.visible"),
        ("[policy.tools.refund_order]\nfour_eye = true\n", "policy.tools.refund_order.four_eye"),
    ],
)
def test_an_unknown_key_is_named_and_refused(text: str, named: str, tmp_path: Path) -> None:
    assert f"unknown setting {named} " in refusal(text, tmp_path)


def test_a_misspelt_section_in_a_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSOLE_SEVER__PORT", "3000")
    with pytest.raises(SettingsError, match="CONSOLE_SEVER__PORT"):
        load_settings()


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml"):
        load_settings(Path("nowhere.toml"))


def test_a_file_that_is_not_toml_is_named(tmp_path: Path) -> None:
    assert "console.toml cannot be read as TOML" in refusal("[server\n", tmp_path)


@pytest.mark.parametrize(
    "source",
    [
        "[sources.support]\n",
        AGENT + 'server = "http://127.0.0.1:2024"\n',
        '[sources.a]\nserver = "http://127.0.0.1:2024"\ncheckpoints = "sqlite:///a.db"\n',
    ],
)
def test_a_source_is_either_a_graph_or_a_server(source: str, tmp_path: Path) -> None:
    assert "sources." in refusal(source, tmp_path)


def test_the_demo_brings_its_source_only_when_none_is_named(tmp_path: Path) -> None:
    assert load_settings(demo=True).sources["support"].graph == "console.demo.agent:graph"
    own = load_settings(written(tmp_path, '[sources.mine]\ngraph = "mine:graph"\n'), demo=True)
    assert list(own.sources) == ["mine"]


def test_langgraph_json_names_the_sources_when_nothing_else_does(somewhere_empty: Path) -> None:
    (somewhere_empty / "langgraph.json").write_text(
        '{"graphs": {"agent": "./src/agent.py:graph", "other": {"path": "pkg.other:build"}}}'
    )
    sources = load_settings().sources
    assert {name: source.graph for name, source in sources.items()} == {
        "agent": f"{somewhere_empty}/src/agent.py:graph",
        "other": "pkg.other:build",
    }


def test_a_named_source_keeps_langgraph_json_out(somewhere_empty: Path) -> None:
    (somewhere_empty / "langgraph.json").write_text('{"graphs": {"agent": "./src/agent.py:graph"}}')
    written(somewhere_empty, AGENT)
    assert list(load_settings().sources) == ["support"]


def test_own_origins_are_made_on_loopback_only() -> None:
    assert "http://localhost:3190" in load_settings(server={"port": 3190}).server.allowed_origins
    assert "http://127.0.0.1:3190" in load_settings(server={"port": 3190}).server.allowed_origins
    assert load_settings(server={"host": "0.0.0.0"}).server.allowed_origins == ()


SAFE = {"host": "0.0.0.0", "origins": ["https://review.example"], "trusted_proxies": ["10.0.0.1"]}


@pytest.mark.parametrize(
    ("changed", "demo", "named"),
    [
        ({}, True, "demo"),
        ({"origins": []}, False, "server.origins"),
        ({"trusted_proxies": []}, False, "server.tls_cert"),
        ({"tls_cert": "cert.pem"}, False, "server.tls_key"),
        ({"origins": ["http://review.example"]}, False, "clear text"),
        ({"origins": ["https://review.example", "*"]}, False, "server.origins"),
        ({"origins": ["https://review.example/"]}, False, "server.origins"),
        ({"origins": ["https://*.example"]}, False, "server.origins"),
        ({"trusted_proxies": ["0.0.0.0/0"]}, False, "everybody"),
        ({"trusted_proxies": ["10.0.0.1", "::/0"]}, False, "everybody"),
    ],
)
def test_off_loopback_each_missing_safety_is_refused(
    changed: dict[str, object], demo: bool, named: str, tmp_path: Path
) -> None:
    key = tmp_path / "ledger.key"
    key.write_bytes(b"k")
    with pytest.raises(SettingsError, match=named):
        check_exposure(load_settings(server={**SAFE, **changed}, demo=demo, ledger={"key": key}))


def test_off_loopback_a_generated_key_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"ledger\.key"):
        check_exposure(load_settings(server=SAFE))


def test_off_loopback_everything_set_is_accepted(tmp_path: Path) -> None:
    key = tmp_path / "ledger.key"
    key.write_bytes(b"k")
    check_exposure(load_settings(server=SAFE, ledger={"key": key}))


def test_strict_checkpoint_loading_is_on_before_langgraph_is_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("LANGGRAPH_STRICT_MSGPACK", raising=False)
    load_settings()
    import os

    assert os.environ["LANGGRAPH_STRICT_MSGPACK"] == "true"


def test_off_loopback_the_key_that_a_start_on_loopback_made_is_refused(tmp_path: Path) -> None:
    made = tmp_path / "keys" / "ledger.key"
    made.parent.mkdir()
    made.write_bytes(b"k")
    with pytest.raises(SettingsError, match=r"ledger\.key"):
        check_exposure(load_settings(data=tmp_path, server=SAFE, ledger={"key": made}))


def test_every_reason_not_to_start_is_listed() -> None:
    found = list(exposures(load_settings(server={"host": "0.0.0.0"}, demo=True)))
    assert [next(word for word in NAMED if word in reason) for reason in found] == list(NAMED)


NAMED = ("demo's passwords", "server.origins", "server.tls_cert", "ledger.key")
