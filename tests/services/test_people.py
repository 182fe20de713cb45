"""Accounts, sessions and tokens: what ends what, who may do it, and what the log says of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from console.domain.access import READS, Actor, Permission, Role, Scope, allows, require
from console.domain.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from console.services import accounts, audit, credentials, people, sessions, tokens
from console.store import sessions as stored_sessions
from console.store import tokens as stored_tokens
from console.store import users
from console.store.engine import read, write
from tests.services.world import World

HERE = "192.0.2.1"


def kinds(world: World) -> list[str]:
    """Newest first."""
    return [row.kind for row in audit.log(world.deps, accounts.OPERATOR, limit=5).items]


def user_id(world: World, name: str) -> str:
    return world.cast[name].id


def signed_in(world: World, name: str = "sam") -> str:
    return accounts.sign_in(world.deps, name, "demo", HERE, "Browser/1").token


def is_in(world: World, token: str) -> bool:
    return accounts.actor_of_session(world.deps, token) is not None


def test_the_last_admin_can_be_neither_disabled_nor_demoted(idle: World) -> None:
    ada = idle.cast["ada"]
    for refused in (
        lambda: people.disable_user(idle.deps, ada, "ada"),
        lambda: people.change_role(idle.deps, ada, "ada", "supervisor"),
    ):
        with pytest.raises(Conflict, match="last admin"):
            refused()
    people.change_role(idle.deps, ada, "quinn", "admin")
    people.disable_user(idle.deps, ada, "ada")
    quinn = Actor(user_id(idle, "quinn"), "quinn", Role.ADMIN)
    with pytest.raises(Conflict, match="last admin"):
        people.disable_user(idle.deps, quinn, "quinn")


def test_a_disabled_admin_does_not_count_as_another_one(idle: World) -> None:
    people.change_role(idle.deps, accounts.OPERATOR, "quinn", "admin")
    people.disable_user(idle.deps, accounts.OPERATOR, "quinn")
    with pytest.raises(Conflict, match="last admin"):
        people.disable_user(idle.deps, idle.cast["ada"], "ada")


@pytest.mark.parametrize("name", ["sam", "quinn", "mallory"])
def test_only_admins_administer(idle: World, name: str) -> None:
    deps, actor, sue = idle.deps, idle.cast[name], user_id(idle, "sue")
    calls: list[Any] = [
        lambda: people.page(deps, actor),
        lambda: people.user(deps, actor, sue),
        lambda: people.add_user(deps, actor, "new", "admin", "password"),
        lambda: people.change_role(deps, actor, "sue", "none"),
        lambda: people.disable_user(deps, actor, "sue"),
        lambda: people.enable_user(deps, actor, "sue"),
        lambda: people.set_password(deps, actor, "sue", "password"),
        lambda: sessions.of_user(deps, actor, "sue"),
        lambda: sessions.revoke_all(deps, actor, "sue"),
        lambda: tokens.of_user(deps, actor, "sue"),
        lambda: tokens.everyones(deps, actor),
        lambda: tokens.create_token(deps, actor, "sue", "x", "read"),
    ]
    with read(deps.engine) as connection:
        before = [dict(row) for row in users.everyone(connection)]
    for call in calls:
        with pytest.raises(Forbidden):
            call()
    with read(deps.engine) as connection:
        assert [dict(row) for row in users.everyone(connection)] == before


def test_a_role_change_and_disabling_end_sessions_and_tokens(idle: World) -> None:
    acts: list[Any] = [
        lambda: people.change_role(idle.deps, idle.cast["ada"], "sam", "qa"),
        lambda: people.disable_user(idle.deps, idle.cast["ada"], "sam"),
    ]
    for act in acts:
        cookie = signed_in(idle)
        _, token = tokens.create_token(idle.deps, accounts.OPERATOR, "sam", "x")
        assert is_in(idle, cookie)
        assert tokens.actor_of_token(idle.deps, token)
        act()
        assert not is_in(idle, cookie)
        assert tokens.actor_of_token(idle.deps, token) is None
    people.enable_user(idle.deps, idle.cast["ada"], "sam")
    assert kinds(idle)[0] == "user_enabled"
    assert not is_in(idle, cookie)
    assert is_in(idle, signed_in(idle))


def test_a_new_password_ends_every_session(idle: World) -> None:
    cookie = signed_in(idle)
    people.set_password(idle.deps, accounts.OPERATOR, "sam", "another one")
    assert kinds(idle)[0] == "password_changed"
    assert not is_in(idle, cookie)
    with pytest.raises(Unauthenticated):
        signed_in(idle)
    assert accounts.sign_in(idle.deps, "sam", "another one", HERE)


def test_ones_own_password_needs_the_one_it_had(idle: World) -> None:
    cookie = signed_in(idle)
    with pytest.raises(Invalid) as refused:
        people.change_own_password(idle.deps, idle.cast["sam"], "guess", "another one")
    assert [each.pointer for each in refused.value.problems] == ["/current"]
    assert is_in(idle, cookie)
    people.change_own_password(idle.deps, idle.cast["sam"], "demo", "another one")
    assert not is_in(idle, cookie)
    assert accounts.sign_in(idle.deps, "sam", "another one", HERE)


def test_no_session_begins_with_a_password_that_was_changed_meanwhile(
    idle: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(password: str, password_hash: str) -> bool:
        if credentials.fits(password, password_hash):
            people.set_password(idle.deps, accounts.OPERATOR, "sam", "another one")
            return True
        return False

    monkeypatch.setattr(accounts, "fits", slowly)
    with pytest.raises(Unauthenticated):
        signed_in(idle)
    assert sessions.of_user(idle.deps, idle.cast["ada"], "sam") == []


def test_a_person_sees_and_ends_their_own_sessions(idle: World) -> None:
    here, there = signed_in(idle), signed_in(idle)
    actor = accounts.actor_of_session(idle.deps, here)
    assert actor is not None
    listed = sessions.of_user(idle.deps, actor, "sam")
    assert sorted(each.current for each in listed) == [False, True]
    assert {(each.address, each.agent) for each in listed} == {(HERE, "Browser/1")}
    other = next(each for each in listed if not each.current)
    with pytest.raises(NotFound):
        sessions.revoke(idle.deps, idle.cast["ada"], "sue", other.id)
    for wrong in ("", "%", other.id[:8], "_" * 16):
        with pytest.raises(NotFound):
            sessions.revoke(idle.deps, actor, "sam", wrong)
    sessions.revoke(idle.deps, actor, "sam", other.id)
    assert (is_in(idle, here), is_in(idle, there)) == (True, False)
    assert sessions.revoke_all(idle.deps, actor, "sam") == 1
    assert not is_in(idle, here)


def test_a_session_ends_when_idle_and_at_its_end(idle: World) -> None:
    limits = idle.deps.settings.sessions
    for column, past in (("seen_at", limits.idle), ("expires_at", timedelta())):
        cookie = signed_in(idle)
        with write(idle.deps.engine) as connection:
            moved = {column: datetime.now(UTC) - past - timedelta(seconds=1)}
            connection.execute(stored_sessions.SESSION.update().values(**moved))
        assert not is_in(idle, cookie)
        assert sessions.of_user(idle.deps, idle.cast["ada"], "sam") == []


def test_what_a_browser_calls_itself_cannot_break_a_page(idle: World) -> None:
    accounts.sign_in(idle.deps, "sam", "demo", HERE, "x\n\x1b[2J\ud800\u202e" + "y" * 1000)
    (row,) = sessions.of_user(idle.deps, idle.cast["ada"], "sam")
    assert row.agent.startswith("x[2J")
    assert row.agent.isprintable()
    assert len(row.agent) <= 120


def test_an_unknown_name_costs_one_verification_like_a_known_one(
    idle: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted and not timed: nothing else of a sign-in takes long."""
    counted: list[str] = []
    verify = credentials.hasher().verify

    def verifies(password: Any, hashed: Any) -> bool:
        counted.append(hashed[:9])
        return verify(password, hashed)

    monkeypatch.setattr(credentials.hasher(), "verify", verifies)
    people.disable_user(idle.deps, accounts.OPERATOR, "quinn")
    for name in ("sam", "zoe", "quinn", "z\ud800"):
        with pytest.raises(Unauthenticated):
            accounts.sign_in(idle.deps, name, "guess", HERE)
    assert counted == ["$argon2id"] * 4


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("permission", list(Permission))
def test_a_read_token_keeps_the_reads_of_its_owners_role_and_nothing_else(
    role: Role, permission: Permission
) -> None:
    actor = Actor("id", "name", role, scope=Scope.READ)
    if allows(role, permission) and permission in READS:
        require(actor, permission)
    else:
        with pytest.raises(Forbidden):
            require(actor, permission)


def test_nothing_that_changes_anything_is_a_read() -> None:
    assert {"signed_in", "view", "audit_own", "audit_all", "audit_export"} == READS


def test_an_admin_makes_no_token_that_decides_for_another_person(idle: World) -> None:
    ada = idle.cast["ada"]
    with pytest.raises(Forbidden, match="its owner"):
        tokens.create_token(idle.deps, ada, "sam", "x", Scope.DECIDE)
    _, token = tokens.create_token(idle.deps, ada, "sam", "x", Scope.READ)
    actor = tokens.actor_of_token(idle.deps, token)
    assert actor is not None
    assert (actor.name, actor.scope) == ("sam", Scope.READ)
    _, own = tokens.create_token(idle.deps, idle.cast["sam"], "sam", "x", Scope.DECIDE)
    made = tokens.actor_of_token(idle.deps, own)
    assert made is not None
    assert made.scope is Scope.DECIDE


def test_a_token_ends_at_its_time(idle: World) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    token_id, token = tokens.create_token(idle.deps, accounts.OPERATOR, "sam", "x", "read", soon)
    assert tokens.actor_of_token(idle.deps, token)
    with write(idle.deps.engine) as connection:
        past = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(stored_tokens.TOKEN.update().values(expires_at=past))
    assert tokens.actor_of_token(idle.deps, token) is None
    with pytest.raises(NotFound):
        tokens.revoke_token(idle.deps, accounts.OPERATOR, token_id)


def test_another_persons_token_does_not_exist(idle: World) -> None:
    token_id, token = tokens.create_token(idle.deps, accounts.OPERATOR, "sam", "x")
    said = []
    for name in (token_id, "0" * 32, "\ud800"):
        with pytest.raises(NotFound) as refused:
            tokens.revoke_token(idle.deps, idle.cast["sue"], name)
        said.append(refused.value.detail.replace(name, "ID"))
    assert len(set(said)) == 1
    tokens.revoke_token(idle.deps, idle.cast["sam"], token_id)
    assert tokens.actor_of_token(idle.deps, token) is None


def test_a_read_token_cannot_revoke_or_make_tokens(idle: World) -> None:
    _, token = tokens.create_token(idle.deps, accounts.OPERATOR, "sam", "x", "read")
    other, _ = tokens.create_token(idle.deps, accounts.OPERATOR, "sam", "y")
    actor = tokens.actor_of_token(idle.deps, token)
    assert actor is not None
    with pytest.raises(Forbidden):
        tokens.revoke_token(idle.deps, actor, other)
    with pytest.raises(Forbidden):
        tokens.create_token(idle.deps, actor, "sam", "z", "read")


def test_the_last_use_is_noted_at_most_once_a_minute(idle: World) -> None:
    token_id, _ = tokens.create_token(idle.deps, accounts.OPERATOR, "sam", "x")
    noted = [tokens.note_use(idle.deps, token_id) for _ in range(3)]
    assert noted == [True, False, False]
    (listed,) = tokens.of_user(idle.deps, idle.cast["sam"], "sam")
    assert listed.used_at is not None


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"label": "x" * 65}, "/name"),
        ({"label": "a\nb"}, "/name"),
        ({"label": "\ud800"}, "/name"),
        ({"scope": "admin"}, "/scope"),
        ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, "/expires_at"),
    ],
)
def test_a_wrong_token_is_pointed_at(idle: World, given: dict[str, Any], pointer: str) -> None:
    wanted = {"label": "x", "scope": "read", **given}
    with pytest.raises(Invalid) as refused:
        tokens.create_token(idle.deps, accounts.OPERATOR, "sam", **wanted)
    assert [each.pointer for each in refused.value.problems] == [pointer]


def test_everyone_is_listed_page_by_page_with_what_is_in_force(idle: World) -> None:
    signed_in(idle)
    tokens.create_token(idle.deps, accounts.OPERATOR, "sam", "x")
    names: list[str] = []
    cursor = None
    while True:
        page = people.page(idle.deps, idle.cast["ada"], limit=2, cursor=cursor)
        names += [each.name for each in page.items]
        if (cursor := page.next_cursor) is None:
            break
    assert names == sorted(idle.cast)
    assert page.total == len(names)
    sam = people.user(idle.deps, idle.cast["ada"], user_id(idle, "sam"))
    assert (sam.sessions, sam.tokens, sam.enabled) == (1, 1, True)
    with pytest.raises(NotFound):
        people.user(idle.deps, idle.cast["ada"], "\ud800")


@pytest.mark.parametrize("name", ["operator", "Worker", "identity provider"])
def test_nobody_is_called_what_the_log_calls_no_person(idle: World, name: str) -> None:
    with pytest.raises(Invalid) as refused:
        people.add_user(idle.deps, accounts.OPERATOR, name, "qa", "a first one")
    assert [each.pointer for each in refused.value.problems] == ["/name"]
