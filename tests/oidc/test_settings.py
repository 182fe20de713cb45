"""What console.toml may say of a provider."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.settings import OidcSettings, load_settings
from tests.serving import ROOT
from tests.setup.test_settings import refusal, written

OIDC = """[oidc]
issuer = "https://login.example/realms/support"
client_id = "review-console"
roles = { "leads" = "admin", "team" = "supervisor" }
"""


def test_a_provider_is_off_until_it_is_named(tmp_path: Path) -> None:
    assert load_settings().oidc.issuer == ""
    assert load_settings(written(tmp_path, OIDC)).oidc.issuer == "https://login.example/realms/support"


def test_the_secret_comes_by_a_variable_and_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONSOLE_OIDC__CLIENT_SECRET", "of-the-client")
    settings = load_settings(written(tmp_path, OIDC))
    assert settings.oidc.client_secret is not None
    assert settings.oidc.client_secret.get_secret_value() == "of-the-client"
    assert "of-the-client" not in repr(settings)


def test_the_order_of_the_roles_is_the_one_written(tmp_path: Path) -> None:
    assert list(load_settings(written(tmp_path, OIDC)).oidc.roles) == ["leads", "team"]


@pytest.mark.parametrize(
    ("line", "other", "named"),
    [
        ("issuer", 'issuer = "http://login.example"', "https"),
        ("issuer", 'issuer = "login.example"', "https"),
        ("issuer", 'issuer = "https://user@login.example"', "https"),
        ("issuer", 'issuer = "https://login.example?x=1"', "https"),
        ("client_id", "", "client_id"),
        ("roles", "", "roles"),
        ("roles", 'roles = { "team" = "owner" }', "oidc.roles.team"),
        ("roles", 'roles = { "team" = "none" }', "oidc.roles.team"),
    ],
)
def test_a_provider_is_refused_unless_it_is_whole_and_safe(
    line: str, other: str, named: str, tmp_path: Path
) -> None:
    text = "".join(f"{other if each.startswith(line) else each}\n" for each in OIDC.splitlines())
    assert named in refusal(text, tmp_path)


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:9000"])
def test_clear_text_is_for_a_provider_on_this_machine(host: str, tmp_path: Path) -> None:
    file = written(tmp_path, OIDC.replace("https://login.example", f"http://{host}"))
    assert load_settings(file).oidc.issuer.startswith(f"http://{host}")


def test_every_setting_is_in_the_documentation() -> None:
    text = (ROOT / "docs" / "sign-in.md").read_text()
    assert [key for key in OidcSettings.model_fields if f"\n| `{key}` |" not in text] == []


def test_the_example_of_the_documentation_is_accepted(tmp_path: Path) -> None:
    example = (ROOT / "docs" / "sign-in.md").read_text().partition("```toml\n")[2].partition("```")[0]
    assert list(load_settings(written(tmp_path, example)).oidc.roles.values()) == [
        "admin",
        "supervisor",
        "qa",
    ]
