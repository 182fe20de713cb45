"""What acts on accounts, tokens and sessions refuse, and what changes nothing is not written down."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from console.domain.access import Role
from console.domain.errors import Conflict, Invalid, NotFound, Unavailable
from console.services import accounts, credentials, people, tokens
from console.services.accounts import OPERATOR
from console.services.deps import Deps
from console.store import ledger
from console.store.engine import read
from tests.services.world import World, deps_over, rows, wait_for

HERE = "192.0.2.1"


def size(deps: Deps) -> int:
    with read(deps.engine) as connection:
        return ledger.size(connection)


def pointers(refused: pytest.ExceptionInfo[Invalid]) -> list[str | None]:
    return [each.pointer for each in refused.value.problems]


@pytest.mark.parametrize("name", ["zoe", "", "half \ud800"])
def test_nobody_of_this_name_is_said_before_anything_changes(idle: World, name: str) -> None:
    before, acts = size(idle.deps), list[Callable[[], object]]()
    acts += [lambda: people.change_role(idle.deps, OPERATOR, name, "qa")]
    acts += [lambda: people.disable_user(idle.deps, OPERATOR, name)]
    acts += [lambda: people.enable_user(idle.deps, OPERATOR, name)]
    acts += [lambda: people.set_password(idle.deps, OPERATOR, name, "long enough")]
    acts += [lambda: tokens.create_token(idle.deps, OPERATOR, name, "x")]
    for act in acts:
        with pytest.raises(NotFound, match="There is no user"):
            act()
    assert size(idle.deps) == before


def test_a_role_that_does_not_exist_is_pointed_at(idle: World) -> None:
    with pytest.raises(Invalid) as refused:
        people.change_role(idle.deps, OPERATOR, "sam", "emperor")
    assert pointers(refused) == ["/role"]


def test_what_is_so_already_is_no_change_and_ends_nothing(idle: World) -> None:
    cookie = accounts.sign_in(idle.deps, "sam", "demo", HERE).token
    people.disable_user(idle.deps, OPERATOR, "sue")
    before = size(idle.deps)
    people.change_role(idle.deps, OPERATOR, "sam", "supervisor")
    people.enable_user(idle.deps, OPERATOR, "sam")
    people.disable_user(idle.deps, OPERATOR, "sue")
    assert size(idle.deps) == before
    assert accounts.actor_of_session(idle.deps, cookie) is not None


def test_everyone_is_listed_by_name_with_role_and_standing(idle: World) -> None:
    people.disable_user(idle.deps, OPERATOR, "sue")
    assert people.list_users(idle.deps) == [
        ("ada", "admin", True),
        ("mallory", "none", True),
        ("quinn", "qa", True),
        ("sam", "supervisor", True),
        ("sue", "supervisor", False),
    ]


def test_of_two_changes_of_one_password_the_second_is_refused(
    idle: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(password: str) -> str:
        found = hashed(password)
        if password == "mine":
            people.set_password(idle.deps, OPERATOR, "sam", "the admin's")
        return found

    hashed = credentials.hashed
    monkeypatch.setattr(credentials, "hashed", slowly)
    with pytest.raises(Conflict, match="changed meanwhile"):
        people.change_own_password(idle.deps, idle.cast["sam"], "demo", "mine")
    assert accounts.sign_in(idle.deps, "sam", "the admin's", HERE)


@pytest.mark.parametrize("password", ["", "abc", "x" * 1_001])
def test_a_password_of_no_use_is_refused_before_it_is_hashed(
    idle: World, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "hashed", None)
    for act in (
        lambda: people.set_password(idle.deps, OPERATOR, "sam", password),
        lambda: people.change_own_password(idle.deps, idle.cast["sam"], "demo", password),
    ):
        with pytest.raises(Invalid) as refused:
            act()
        assert pointers(refused) == ["/password"]


def test_a_token_is_made_for_nobody_who_is_disabled(idle: World) -> None:
    people.disable_user(idle.deps, OPERATOR, "sue")
    with pytest.raises(Conflict, match="sue is disabled"):
        tokens.create_token(idle.deps, OPERATOR, "sue", "x")


def test_one_person_has_a_bounded_number_of_tokens_in_force(
    idle: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "MOST_TOKENS", 3)
    made = [tokens.create_token(idle.deps, OPERATOR, "sam", "x")[0] for _ in range(3)]
    with pytest.raises(Conflict, match="sam has 3 tokens"):
        tokens.create_token(idle.deps, OPERATOR, "sam", "x")
    tokens.create_token(idle.deps, OPERATOR, "sue", "another person's")
    tokens.revoke_token(idle.deps, OPERATOR, made[1])
    tokens.create_token(idle.deps, OPERATOR, "sam", "x")


def test_an_admin_sees_everyones_tokens_in_force(idle: World) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    for name, label, until in (("sue", "b", None), ("sam", "a", soon), ("quinn", "c", None)):
        tokens.create_token(idle.deps, OPERATOR, name, label, expires_at=until)
    gone = tokens.create_token(idle.deps, OPERATOR, "sam", "revoked")[0]
    tokens.revoke_token(idle.deps, OPERATOR, gone)
    people.disable_user(idle.deps, OPERATOR, "quinn")
    found = tokens.everyones(idle.deps, idle.cast["ada"])
    assert [(each.user, each.name, each.expires_at) for each in found] == [
        ("sam", "a", soon),
        ("sue", "b", None),
    ]


@pytest.mark.parametrize("bearer", ["", "x" * 201, "rc_" + "x" * 43])
def test_what_is_no_token_is_nobody(idle: World, bearer: str) -> None:
    assert tokens.actor_of_token(idle.deps, bearer) is None
    assert accounts.actor_of_session(idle.deps, bearer) is None


def test_a_use_that_cannot_be_noted_does_not_hinder_the_call(
    idle: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tokens, "_PATIENCE_MS", 10)
    token_id, token = tokens.create_token(idle.deps, OPERATOR, "sam", "x")
    with caplog.at_level(logging.WARNING), closing(sqlite3.connect(idle.folder / "console.db")) as other:
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        found = tokens.actor_of_token(idle.deps, token)
        assert found is not None
        assert found.name == "sam"
        wait_for(lambda: "could not be noted" in caplog.text)
        other.execute("ROLLBACK")
    wait_for(lambda: not tokens._noting.locked())
    assert tokens.actor_of_token(idle.deps, token)
    used = "SELECT used_at FROM api_token WHERE id = ?"
    wait_for(lambda: rows(idle.folder / "console.db", used, token_id)[0][0])


def seen_at(world: World) -> str:
    return str(rows(world.folder / "console.db", "SELECT seen_at FROM session")[0][0])


@pytest.fixture
def old_session(idle: World) -> str:
    """Its cookie; used last half an hour ago."""
    cookie = accounts.sign_in(idle.deps, "sam", "demo", HERE).token
    before = (datetime.now(UTC) - timedelta(minutes=30)).strftime("%Y-%m-%d %H:%M:%S.%f")
    with closing(sqlite3.connect(idle.folder / "console.db")) as db, db:
        db.execute("UPDATE session SET seen_at = ?", (before,))
    return cookie


def test_using_a_session_notes_that_it_is_in_use_now_and_then(idle: World, old_session: str) -> None:
    before = seen_at(idle)
    assert accounts.actor_of_session(idle.deps, old_session)
    noted = seen_at(idle)
    assert noted > before
    assert accounts.actor_of_session(idle.deps, old_session)
    assert seen_at(idle) == noted


def test_a_session_is_used_while_another_writes(
    idle: World, old_session: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(accounts, "_TOUCH_PATIENCE_MS", 10)
    before = seen_at(idle)
    with closing(sqlite3.connect(idle.folder / "console.db")) as other, caplog.at_level(logging.WARNING):
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        assert accounts.actor_of_session(idle.deps, old_session)
        other.execute("ROLLBACK")
    assert "could not be noted as in use" in caplog.text
    assert seen_at(idle) == before
    with accounts._touching:
        assert accounts.actor_of_session(idle.deps, old_session)
    assert seen_at(idle) == before
    assert accounts.actor_of_session(idle.deps, old_session)
    assert seen_at(idle) > before


def test_failures_from_ever_new_addresses_do_not_fill_the_memory(
    idle: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd = {f"10.0.{number // 256}.{number % 256}": (0, 0) for number in range(10_001)}
    monkeypatch.setattr(accounts, "_last_failures", crowd)
    before = size(idle.deps)
    accounts.record_failure(idle.deps, HERE)
    assert list(crowd) == [HERE]
    assert size(idle.deps) == before + 1


def test_the_cast_of_the_demo_is_made_once_and_only_there(idle: World) -> None:
    with closing(sqlite3.connect(idle.folder / "console.db")) as db, db:
        db.execute("DELETE FROM user WHERE name IN ('sam', 'quinn')")
    outside = deps_over(idle.folder, {})
    outside.settings = outside.settings.model_copy(update={"demo": False})
    accounts.ensure_demo_accounts(outside)
    outside.engine.dispose()
    assert [name for name, _, _ in people.list_users(idle.deps)] == ["ada", "mallory", "sue"]
    for _ in range(2):
        accounts.ensure_demo_accounts(idle.deps)
    assert [name for name, _, _ in people.list_users(idle.deps)] == ["ada", "mallory", "quinn", "sam", "sue"]
    assert accounts.sign_in(idle.deps, "quinn", "demo", HERE).actor.role is Role.QA


def test_a_person_is_found_by_name(idle: World) -> None:
    found = accounts.find(idle.deps, "sam")
    assert found is not None
    assert (found.id, found.role, found.via) == (idle.cast["sam"].id, Role.SUPERVISOR, "api")
    assert accounts.find(idle.deps, "zoe") is None


def test_a_failure_to_write_is_not_a_wrong_password(idle: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise Unavailable("The database did not take it.")

    monkeypatch.setattr(accounts.sessions, "add", refuse)
    with pytest.raises(Unavailable):
        accounts.sign_in(idle.deps, "sam", "demo", HERE)
