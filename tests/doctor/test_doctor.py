"""`console doctor` finds each thing that is wrong, names its cure, and changes nothing."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding

from console.compose import compose_without_agents, refuse_known_passwords
from console.doctor import Finding, databases, examine, files, packages, surface
from console.domain.access import Role
from console.domain.ledger import Kind
from console.services import accounts, notes
from console.services.deps import Deps
from console.services.people import add_user, disable_user
from console.settings import Settings, load_settings
from console.settings_file import SettingsError
from console.store import ledger
from console.store.engine import write
from tests.oidc.fake import FakeProvider
from tests.serving import Server, environment


def said(findings: Iterator[Finding], mark: str, subject: str) -> str:
    """The one finding of the subject, which must have this mark."""
    (found,) = [each for each in findings if each.subject == subject]
    assert found.mark == mark, found
    return found.detail


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: four passwords are slow to hash."""
    folder = tmp_path_factory.mktemp("demo") / "data"
    made = compose_without_agents(load_settings(data=folder, demo=True))
    notes.make_key(made.settings.ledger_key)
    made.engine.dispose()
    return folder


@pytest.fixture
def used(demo_folder: Path, tmp_path: Path) -> Iterator[Deps]:
    """A data folder in which a demo has run, with its key."""
    shutil.copytree(demo_folder, tmp_path / "data")
    made = compose_without_agents(load_settings(data=tmp_path / "data", demo=True))
    yield made
    made.engine.dispose()


def test_a_sound_installation_has_nothing_bad(used: Deps) -> None:
    found = examine(used.settings)
    assert [each for each in found if each.mark == "bad" and each.subject != "pages"] == []
    subjects = {each.subject for each in found}
    assert {"clock", "file modes", "signing key", "second place for heads", "identity provider"} <= subjects


def test_nothing_is_changed(tmp_path: Path) -> None:
    examine(load_settings(data=tmp_path / "nowhere"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "old"),
    [
        ("langgraph-checkpoint", "4.1.0"),
        ("langgraph-checkpoint-sqlite", "3.0.0"),
        ("langgraph", "1.0.9"),
        ("reflex", "0.8.14"),
    ],
)
def test_a_version_that_an_advisory_warns_of_is_named_with_its_cure(name: str, old: str) -> None:
    def installed(asked: str) -> str:
        return old if asked == name else version(asked)

    text = said(packages.answers(installed), "bad", name)
    assert old in text
    assert "CVE-" in text
    assert packages.FLOORS[name][0] in text


def test_the_versions_of_the_lock_are_beyond_every_advisory() -> None:
    assert [each for each in packages.answers() if each.mark == "bad" and each.subject != "pages"] == []


def test_loading_any_type_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "false")
    assert "LANGGRAPH_STRICT_MSGPACK" in said(packages.answers(), "bad", "checkpoint loading")


@pytest.mark.parametrize(
    "name", ["console.db", "console.db-wal", "checkpoints.db", "shop.db", "keys/ledger.key"]
)
def test_a_private_file_that_others_can_read_is_named(used: Deps, name: str) -> None:
    file = used.settings.data / name
    file.touch()
    file.chmod(0o640)
    text = said(files.answers(used.settings), "bad", "file modes")
    assert f"{file}: chmod 600" in text


def test_a_key_that_is_none_is_named(used: Deps) -> None:
    used.settings.ledger_key.write_text("no key")
    assert "ledger.key" in said(files.answers(used.settings), "bad", "signing key")


@pytest.mark.parametrize(
    ("place", "mark", "words"),
    [
        (None, "note", "ledger.heads"),
        ("missing", "bad", "is not there"),
        ("data/heads", "bad", "inside the data folder"),
        ("second", "note", "same disk"),
    ],
)
def test_a_second_place_must_be_one(
    used: Deps, tmp_path: Path, place: str | None, mark: str, words: str
) -> None:
    (tmp_path / "second").mkdir()
    (tmp_path / "data" / "heads").mkdir(exist_ok=True)
    heads = {"heads": tmp_path / place} if place else {}
    settings = load_settings(data=tmp_path / "data", ledger=heads)
    assert words in said(files.answers(settings), mark, "second place for heads")


def test_a_log_from_the_future_shows_a_wrong_clock(used: Deps, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + timedelta(hours=1)

    assert said(databases.answers(used.settings), "ok", "clock")
    monkeypatch.setattr(ledger, "datetime", Ahead)
    with write(used.engine) as connection:
        ledger.append(connection, ledger.Entry(Kind.LOGOUT, accounts.OPERATOR))
    assert "set the clock" in said(databases.answers(used.settings), "bad", "clock")


def test_accounts_that_a_demo_left_behind_are_named(used: Deps) -> None:
    for name in ("ada", "quinn"):
        disable_user(used, accounts.OPERATOR, name)
    text = said(databases.answers(load_settings(data=used.settings.data)), "bad", "demo accounts")
    assert "console users disable sam" in text
    assert "ada" not in text


def test_off_loopback_the_console_does_not_start_with_them(tmp_path: Path) -> None:
    outside = {"host": "0.0.0.0"}
    made = compose_without_agents(load_settings(data=tmp_path, server=outside))
    refuse_known_passwords(made)
    add_user(made, accounts.OPERATOR, "sam", Role.SUPERVISOR, "of my own")
    refuse_known_passwords(made)
    add_user(made, accounts.OPERATOR, "sue", Role.SUPERVISOR, accounts.DEMO_PASSWORD)
    with pytest.raises(SettingsError, match="sue have the demo's password"):
        refuse_known_passwords(made)
    made.settings = load_settings(data=tmp_path)
    refuse_known_passwords(made)
    made.engine.dispose()


def test_a_database_that_is_no_checkpointers_is_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE orders (id)")
    source = {"graph": "console.demo.agent:graph", "checkpoints": f"sqlite:///{tmp_path / 'other.db'}"}
    found = [
        each.detail
        for each in databases.answers(load_settings(data=tmp_path / "d", sources={"mine": source}))
        if each.mark == "bad"
    ]
    assert found == ["has no tables of a LangGraph checkpointer: correct the source's checkpoints"]


def test_every_reason_not_to_start_is_a_line() -> None:
    settings = Settings(demo=True, server={"host": "0.0.0.0", "trusted_proxies": ["0.0.0.0/0"]})
    bad = [each.detail for each in surface.answers(settings) if each.mark == "bad"]
    assert len(bad) == 4
    assert any("demo's passwords" in each for each in bad)
    assert any("everybody" in each for each in bad)


def certificate(file: Path, ends: datetime) -> Path:
    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "review.example")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(ends - timedelta(days=90))
        .not_valid_after(ends)
        .sign(key, None)
    )
    file.write_bytes(made.public_bytes(Encoding.PEM))
    return file


@pytest.mark.parametrize(("days", "mark"), [(-1, "bad"), (5, "note"), (60, "ok")])
def test_a_certificate_that_ends_is_named_in_time(days: int, mark: str, tmp_path: Path) -> None:
    file = certificate(tmp_path / "cert.pem", datetime.now(UTC) + timedelta(days=days))
    settings = Settings(server={"tls_cert": file, "tls_key": file})
    assert str(file) in said(surface.answers(settings), mark, "certificate")


def test_a_provider_that_does_not_answer_is_bad() -> None:
    oidc = {"issuer": "http://127.0.0.1:9", "client_id": "c", "roles": {"a": "qa"}}
    text = said(surface.answers(Settings(oidc=oidc)), "bad", "identity provider")
    assert "oidc.issuer" in text


def test_a_provider_that_answers_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx2

    fake = FakeProvider()
    monkeypatch.setattr(httpx2, "HTTPTransport", lambda: httpx2.MockTransport(fake))
    oidc = {"issuer": "https://login.example", "client_id": "c", "client_secret": "s", "roles": {"a": "qa"}}
    assert said(surface.answers(Settings(oidc=oidc)), "ok", "identity provider") == "https://login.example"
    assert fake.calls == ["/.well-known/openid-configuration", "/keys"]


def test_serve_says_so_in_one_line_before_it_opens_the_port(demo_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_folder, tmp_path / "data")
    notes.make_key(tmp_path / "own.key")
    env = {
        "CONSOLE_SERVER__HOST": "0.0.0.0",
        "CONSOLE_SERVER__ORIGINS": '["https://review.example"]',
        "CONSOLE_SERVER__TRUSTED_PROXIES": '["10.0.0.1"]',
        "CONSOLE_LEDGER__KEY": str(tmp_path / "own.key"),
    }
    ended = subprocess.run(
        Server(tmp_path / "data", args=()).command(),
        env=environment(env),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert "sam, sue, quinn, ada have the demo's password" in line
    assert "console users disable NAME" in line
