"""The admin page's handlers as everyone of the cast, forged ones included, without a browser."""

from __future__ import annotations

from typing import Any

import pytest

from console.features.admin.state import Admin
from console.live.tab import Tab
from console.services import accounts, audit, people, sessions, tokens
from console.store import users
from console.store.engine import read
from tests.services.world import World
from tests.ui.pipeline import Pipeline

PATH = "/admin"


def rows(world: World) -> list[dict[str, Any]]:
    with read(world.deps.engine) as connection:
        return [dict(row) for row in users.everyone(connection)]


def acts(world: World) -> list[tuple[Any, dict[str, Any]]]:
    sue = world.cast["sue"].id
    token_id, _ = tokens.create_token(world.deps, accounts.OPERATOR, "sue", "kept")
    return [
        (Admin.retry, {}),
        (Admin.add, {"form": {"name": "new", "role": "admin", "password": "password"}}),
        (Admin.choose_role, {"role": "admin"}),
        (Admin.change_role, {"user_id": sue, "role": "admin"}),
        (Admin.disable, {"user_id": sue}),
        (Admin.enable, {"user_id": sue}),
        (Admin.sign_out, {"user_id": sue}),
        (Admin.make_token, {"form": {"user": sue, "scope": "decide", "label": "", "days": ""}}),
        (Admin.revoke, {"token_id": token_id}),
    ]


@pytest.mark.parametrize("name", ["sam", "quinn", "mallory", "nobody"])
async def test_forged_events_change_nothing(pipeline: Pipeline, desk: World, name: str) -> None:
    forged = acts(desk)
    before = rows(desk), tokens.everyones(desk.deps, accounts.OPERATOR)
    tab = pipeline.connect("tab", name)
    for handler, payload in forged:
        await pipeline.send(tab, handler, PATH, **payload)
    assert (rows(desk), tokens.everyones(desk.deps, accounts.OPERATOR)) == before
    assert sessions.of_user(desk.deps, accounts.OPERATOR, "sue") != []
    refused = [
        row for row in audit.log(desk.deps, accounts.OPERATOR, kind="denied").items if row.actor == name
    ]
    if name == "nobody":
        # One counted entry for each event, address and minute.
        assert len(refused) == len({row.body["what"] for row in refused})
    assert refused != []
    sent = pipeline.sent_to(tab)
    assert "sue" not in sent
    assert "rc_" not in sent


@pytest.mark.parametrize("name", ["sam", "quinn", "mallory"])
async def test_the_others_see_why_they_see_nothing(pipeline: Pipeline, desk: World, name: str) -> None:
    tab = pipeline.connect("tab", name)
    await pipeline.send(tab, Admin.load, PATH)
    state = await pipeline.state(tab, Admin)
    assert (state.phase, state.people) == ("denied", [])
    assert state.problem == "Administration is for admins."


async def test_ada_sees_everyone(pipeline: Pipeline, desk: World) -> None:
    tab = pipeline.connect("tab", "ada")
    await pipeline.send(tab, Admin.load, PATH)
    state = await pipeline.state(tab, Admin)
    assert [each.name for each in state.people] == sorted(desk.cast)
    assert (state.phase, state.opened.id) == ("ready", "")


@pytest.mark.parametrize("given", [None, 1, [], {"user_id": "x"}, "0" * 32, "\ud800", "x" * 1_000])
async def test_hostile_ids_change_nothing(pipeline: Pipeline, desk: World, given: Any) -> None:
    tab = pipeline.connect("tab", "ada")
    await pipeline.send(tab, Admin.load, PATH)
    before = rows(desk)
    for handler in (Admin.disable, Admin.enable, Admin.sign_out):
        await pipeline.send(tab, handler, PATH, user_id=given)
    await pipeline.send(tab, Admin.change_role, PATH, user_id=given, role=given)
    await pipeline.send(tab, Admin.make_token, PATH, form=given)
    await pipeline.send(tab, Admin.add, PATH, form=given)
    await pipeline.send(tab, Admin.revoke, PATH, token_id=given)
    assert rows(desk) == before
    assert "Traceback" not in pipeline.sent_to(tab)


async def test_the_last_admin_is_told_so(pipeline: Pipeline, desk: World) -> None:
    tab = pipeline.connect("tab", "ada")
    await pipeline.send(tab, Admin.load, PATH)
    await pipeline.send(tab, Admin.disable, PATH, user_id=desk.cast["ada"].id)
    assert "last admin" in (await pipeline.state(tab, Tab)).notice
    assert people.user(desk.deps, accounts.OPERATOR, desk.cast["ada"].id).enabled


async def test_a_token_is_shown_until_the_next_act(pipeline: Pipeline, desk: World) -> None:
    tab = pipeline.connect("tab", "ada")
    await pipeline.send(tab, Admin.load, PATH)
    form = {"user": desk.cast["sam"].id, "label": "script", "days": "30"}
    await pipeline.send(tab, Admin.make_token, PATH, form=form)
    state = await pipeline.state(tab, Admin)
    actor = tokens.actor_of_token(desk.deps, state.made)
    assert actor is not None
    assert (actor.name, actor.scope) == ("sam", "read")
    await pipeline.send(tab, Admin.revoke, PATH, token_id=state.tokens[0].id)
    state = await pipeline.state(tab, Admin)
    assert (state.made, state.tokens[0].state) == ("", "Revoked")
    await pipeline.send(tab, Admin.make_token, PATH, form={**form, "scope": "decide"})
    assert (await pipeline.state(tab, Admin)).made == ""


async def test_an_admin_who_made_themselves_supervisor_is_signed_out(pipeline: Pipeline, desk: World) -> None:
    """They cannot give themselves the right and use it in one session."""
    tab = pipeline.connect("tab", "ada")
    await pipeline.send(tab, Admin.load, PATH)
    people.change_role(desk.deps, accounts.OPERATOR, "quinn", "admin")
    await pipeline.send(tab, Admin.change_role, PATH, user_id=desk.cast["ada"].id, role="supervisor")
    await pipeline.send(tab, Admin.retry, PATH)
    assert (await pipeline.state(tab, Admin)).people == []
    assert (await pipeline.state(tab, Tab)).name == ""
