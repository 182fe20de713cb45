"""What the log says of starts and stops, and of rules that are others than before."""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from console.domain.access import GRANTS, Permission, Role
from console.services import redact, starts
from console.services.accounts import OPERATOR
from console.services.audit_words import in_words
from console.services.deps import Deps
from console.settings import OidcSettings, PolicySettings, Settings, SourceSettings, ToolPolicy
from tests.services.world import demo_deps, rows


@pytest.fixture
def deps(tables: Path, tmp_path: Path) -> Deps:
    shutil.copy(tables, tmp_path / "console.db")
    return demo_deps(tmp_path)


def told(deps: Deps, *kinds: str) -> list[dict[str, Any]]:
    """The bodies of entries of these kinds, in their order."""
    query = "SELECT body FROM ledger ORDER BY seq"
    bodies = [json.loads(body) for (body,) in rows(deps.settings.data / "console.db", query)]
    return [body for body in bodies if body["kind"] in kinds]


def changed(deps: Deps, **values: object) -> str:
    """What a start with these settings says to have changed; empty where it says nothing."""
    before = told(deps, "policy_changed")
    starts.started(replace(deps, settings=deps.settings.model_copy(update=values)), "serve", "1.2.3")
    after = told(deps, "policy_changed")[len(before) :]
    return " | ".join(body["changed"] for body in after)


def test_a_start_and_its_stop_name_each_other(deps: Deps) -> None:
    first = starts.started(deps, "serve", "1.2.3", "127.0.0.1:3000")
    starts.stopped(deps, "serve", first)
    start, stop = told(deps, "started", "stopped")
    assert (start["seq"], start["process"], start["version"]) == (first, "serve", "1.2.3")
    assert start["listens"] == "127.0.0.1:3000"
    assert (stop["started_seq"], stop["process"]) == (first, "serve")
    assert in_words(start) == "Console started: serve, version 1.2.3"
    assert in_words(stop) == "Console stopped: serve"


def test_a_second_start_with_the_same_rules_says_nothing_of_them(deps: Deps) -> None:
    assert changed(deps) == "recorded for the first time"
    assert changed(deps) == ""
    (rules,) = told(deps, "policy_changed")
    assert {body["policy_digest"] for body in told(deps, "started")} == {rules["policy_digest"]}


def test_each_rule_that_changed_is_named_by_its_path(deps: Deps, tmp_path: Path) -> None:
    changed(deps)
    schema = tmp_path / "refund.json"
    schema.write_text("{}")
    tools = {"refund": ToolPolicy(idempotent=True), "sms": ToolPolicy(schema=schema)}
    assert changed(deps, policy=PolicySettings(tools=tools)) == (
        "policy.tools.refund.idempotent, policy.tools.sms.schema"
    )
    schema.write_text('{"type": "object"}')
    assert changed(deps, policy=PolicySettings(tools=tools)) == "policy.tools.sms.schema"
    schema.unlink()
    assert changed(deps, policy=PolicySettings(tools=tools)) == "policy.tools.sms.schema"
    assert changed(deps, demo=False) == "demo, policy.tools.refund.idempotent, policy.tools.sms.schema"
    everyone = {"desk": SourceSettings(graph="a:b")}
    assert changed(deps, demo=False, sources=everyone) == ("sources.desk.graph, sources.support.graph")
    nobody = {"desk": SourceSettings(graph="a:b", visible_to=())}
    assert changed(deps, demo=False, sources=nobody) == "sources.desk.visible_to"
    assert changed(deps, demo=False, sources=nobody) == ""


def test_the_order_of_a_providers_roles_is_a_rule(deps: Deps) -> None:
    def with_roles(*names: str) -> OidcSettings:
        roles = dict.fromkeys(names, "admin")
        return OidcSettings(issuer="https://id.example", client_id="x", roles=roles)  # type: ignore[arg-type]

    changed(deps)
    assert changed(deps, oidc=with_roles("a", "b")) == "oidc.claim, oidc.issuer, oidc.roles"
    assert changed(deps, oidc=with_roles("b", "a")) == "oidc.roles"
    assert changed(deps, oidc=with_roles("b", "a")) == ""


def test_another_table_of_roles_is_another_rule(deps: Deps, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(deps)
    monkeypatch.setitem(GRANTS, Permission.DECIDE, frozenset({Role.SUPERVISOR, Role.ADMIN}))
    assert changed(deps) == "roles.decide"


def test_of_many_changes_twenty_are_named(deps: Deps) -> None:
    changed(deps)
    tools = {f"tool_{number:02}": ToolPolicy(idempotent=True) for number in range(23)}
    said = changed(deps, policy=PolicySettings(tools=tools))
    assert said.endswith("policy.tools.tool_19.idempotent and 3 more")


def test_no_secret_is_written_down(deps: Deps) -> None:
    sources = {
        "far": SourceSettings(server="https://me:hunter2@agents.example", api_key="hunter2"),  # type: ignore[arg-type]
        "near": SourceSettings(graph="a:b", context_values={"k": "hunter2"}, config={"k": "hunter2"}),
    }
    oidc = OidcSettings(
        issuer="https://id.example",
        client_id="x",
        client_secret="hunter2",  # type: ignore[arg-type]
        roles={"a": "admin"},
    )
    changed(deps, sources=sources, oidc=oidc)
    kept = rows(deps.settings.data / "console.db", "SELECT body FROM ledger")
    kept += rows(deps.settings.data / "console.db", "SELECT bytes_text FROM payload")
    assert "agents.example" in str(kept)
    assert "hunter2" not in str(kept)


def test_rules_that_were_erased_leave_a_change_that_says_so(deps: Deps) -> None:
    changed(deps)
    (rules,) = told(deps, "policy_changed")
    redact.erase(deps, OPERATOR, rules["seq"], "they named a customer")
    assert changed(deps) == ""
    assert changed(deps, demo=False) == "in what cannot be told, since the rules before were erased"
    assert changed(deps, demo=True) == "demo"


@pytest.mark.parametrize("harm", ["locked", "refusing"])
def test_a_database_that_takes_no_entry_stops_neither_start_nor_stop(
    deps: Deps, harm: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(starts, "_START_MS", 1)
    monkeypatch.setattr(starts, "_STOP_MS", 1)
    path = deps.settings.data / "console.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other, caplog.at_level(logging.ERROR):
        if harm == "locked":
            other.execute("BEGIN IMMEDIATE")
        else:
            other.execute("CREATE TRIGGER no BEFORE INSERT ON ledger BEGIN SELECT RAISE(ABORT, 'no'); END")
        assert starts.started(deps, "serve", "1.2.3") == 0
        starts.stopped(deps, "serve", 0)
    assert "this start is not in the log" in caplog.text
    assert "this stop is not in the log" in caplog.text
    assert told(deps, "started", "stopped", "policy_changed") == []


def test_every_permission_and_source_is_part_of_the_rules() -> None:
    rules = starts.enforced(Settings(demo=True))
    assert {path for path in rules if path.startswith("roles.")} == {f"roles.{each}" for each in Permission}
    assert "sources.support.graph" in rules
