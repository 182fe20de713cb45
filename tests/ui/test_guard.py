"""Who may call what: the guard denies everything that is not declared, to everyone."""

from __future__ import annotations

from typing import Any

import pytest
from reflex_base.registry import RegistrationContext

from console.domain.access import Permission, Role, allows
from console.domain.ledger import Kind
from console.features.login.state import Login
from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from console.live import guard, incoming
from console.live.permit import Anyone
from console.live.tab import Tab
from console.services import accounts, audit
from tests.services.world import World
from tests.ui.pipeline import Pipeline

HOSTILE = {"role": "admin", "value": {"evil": [1]}, "key": None, "position": True, "form": 7, "seq": "x"}


def own_handlers() -> dict[str, Any]:
    """Full name -> declared need, of every handler of the product; `setvar` is Reflex's."""
    known = RegistrationContext.ensure_context().event_handlers
    return {
        name: guard.need_of(name) for name in known if ".console___" in name and not name.endswith(".setvar")
    }


def payload_for(name: str) -> dict[str, Any]:
    handler = RegistrationContext.ensure_context().event_handlers[name].handler
    return {each: HOSTILE.get(each, "x") for each in list(handler._parameters)[1:]}


def refused(desk: World, who: str) -> list[str]:
    rows = audit.log(desk.deps, accounts.OPERATOR, kind=Kind.DENIED, limit=200).items
    return [row.what for row in rows if row.actor == who]


@pytest.mark.usefixtures("pages")
def test_every_handler_declares_a_permission() -> None:
    """A new handler without `guarded` fails here, and cannot be called in the meantime."""
    undeclared = [name for name, need in own_handlers().items() if need is None]
    assert len(own_handlers()) > 20
    assert undeclared == []


@pytest.mark.usefixtures("pages")
def test_only_the_sign_in_page_loads_before_sign_in() -> None:
    open_to_all = [name for name, need in own_handlers().items() if need is Anyone.ANYONE]
    assert [name.rsplit("state____", 1)[-1] for name in open_to_all] == ["login.load"]


@pytest.mark.usefixtures("pages")
def test_deciding_and_chatting_are_declared_as_such() -> None:
    needs = {name.rsplit("state____", 1)[-1]: need for name, need in own_handlers().items()}
    decides = {name for name, need in needs.items() if need is Permission.DECIDE}
    assert {"review.submit", "review.choose", "edit.take", "review.word_for_agent"} <= decides
    assert {"ways_out.settle", "ways_out.choose", "ways_out.close"} <= decides
    assert needs["ways_out.repair"] is Permission.ADMINISTER
    assert {name for name, need in needs.items() if need is Permission.CHAT} >= {"thread.say", "thread.start"}


async def test_nobody_reaches_no_handler_and_is_sent_to_sign_in(pipeline: Pipeline) -> None:
    tab = pipeline.connect("tab", "nobody")
    for name, need in own_handlers().items():
        if need is Anyone.ANYONE:
            continue
        pipeline.events.clear()
        await pipeline.send(tab, name, **payload_for(name))
        assert pipeline.asked_of(tab) == ["_redirect"], name
    assert "refund_order" not in pipeline.sent_to(tab)


async def test_a_forged_cookie_is_nobody(pipeline: Pipeline) -> None:
    tab = pipeline.connect_with("tab", f"{accounts.COOKIE}=made-up; {accounts.COOKIE}=again")
    await pipeline.send(tab, Thread.load)
    assert pipeline.asked_of(tab) == ["_redirect"]


async def test_mallory_is_refused_every_privilege_and_it_is_recorded(pipeline: Pipeline, desk: World) -> None:
    tab = pipeline.connect("tab", "mallory")
    privileged = [name for name, need in own_handlers().items() if not _granted(Role.NONE, need)]
    for name in privileged:
        await pipeline.send(tab, name, **payload_for(name))
    assert len(refused(desk, "mallory")) == len(privileged)


async def test_mallory_loads_the_desk_and_sees_only_why_it_is_empty(pipeline: Pipeline) -> None:
    tab = pipeline.connect("tab", "mallory")
    await pipeline.send(tab, Thread.load)
    shown = await pipeline.state(tab, Thread)
    assert shown.phase == "denied"
    assert "no role yet" in shown.problem
    assert "refund_order" not in pipeline.sent_to(tab)


@pytest.mark.parametrize("who", ["quinn", "ada"])
async def test_those_who_do_not_decide_are_refused_and_it_is_recorded(
    who: str, pipeline: Pipeline, desk: World, template: Any
) -> None:
    tab = pipeline.connect("tab", who)
    wanted = [name for name, need in own_handlers().items() if need in (Permission.DECIDE, Permission.CHAT)]
    for name in wanted:
        await pipeline.send(tab, name, **payload_for(name))
    assert len(refused(desk, who)) == len(wanted)
    assert [review.status for review in desk.reviews(template.thread_id)] == ["open"]


async def test_quinn_sees_the_whole_review_and_the_rule(pipeline: Pipeline) -> None:
    tab = pipeline.connect("tab", "quinn")
    await pipeline.send(tab, Thread.load)
    shown = await pipeline.state(tab, Review)
    assert [card.name for card in shown.cards] == ["refund_order", "send_sms"]
    assert not shown.deciding
    assert "for supervisors" in shown.why_not


async def test_an_undeclared_handler_is_denied_to_everyone(pipeline: Pipeline, desk: World) -> None:
    from tests.ui.careless import Careless

    for who in ("ada", "sam", "quinn", "mallory"):
        tab = pipeline.connect(f"tab-{who}", who)
        await pipeline.send(tab, Careless.undeclared)
        await pipeline.send(tab, Careless.forgotten)
        assert (await pipeline.state(tab, Careless)).opened == 0
        assert len(refused(desk, who)) == 2


@pytest.mark.parametrize("owner", ["tab", "root"])
async def test_setvar_is_denied_to_everyone(owner: str, pipeline: Pipeline) -> None:
    """Reflex gives every state a `setvar`; with it anyone could make themselves anything."""
    tab = pipeline.connect("tab", "ada")
    await pipeline.send(tab, Thread.load)
    prefix = f"{incoming.ROOT}." + ("console___live___tab____tab." if owner == "tab" else "")
    assert f"{prefix}setvar" in RegistrationContext.ensure_context().event_handlers
    await pipeline.send(tab, f"{prefix}setvar", var_name="role", value="supervisor")
    assert (await pipeline.state(tab, Tab)).role == "admin"
    assert (await pipeline.state(tab, Tab)).notice_title == "Not allowed"


async def test_an_unexpected_error_becomes_a_notice_without_its_details(
    pipeline: Pipeline, caplog: pytest.LogCaptureFixture
) -> None:
    from tests.ui.careless import Careless

    pipeline.stumbles_expected = True
    tab = pipeline.connect("tab", "sam")
    await pipeline.send(tab, Thread.load)
    await pipeline.send(tab, Careless.stumble)
    said = await pipeline.state(tab, Tab)
    assert said.notice_title == "Something went wrong"
    code = said.notice.split("Error ")[1].split(",")[0]
    assert code in caplog.text
    assert "a secret detail" not in pipeline.sent_to(tab)


async def test_hostile_arguments_change_nothing(pipeline: Pipeline) -> None:
    """Reflex hands anything to any argument; every handler of a supervisor survives it."""
    tab = pipeline.connect("tab", "sam")
    await pipeline.send(tab, Thread.load)
    for name, need in own_handlers().items():
        if _granted(Role.SUPERVISOR, need):
            await pipeline.send(tab, name, **payload_for(name))
    shown = await pipeline.state(tab, Review)
    assert shown.choices == {}
    assert shown.deciding


async def test_the_sign_in_page_knows_demo_accounts_and_no_data(pipeline: Pipeline) -> None:
    tab = pipeline.connect("tab", "nobody")
    await pipeline.send(tab, Login.load, path="/login")
    assert "sam" in [each.name for each in (await pipeline.state(tab, Login)).accounts]
    assert "refund_order" not in pipeline.sent_to(tab)


def _granted(role: Role, need: Any) -> bool:
    return isinstance(need, Anyone) or (need is not None and allows(role, need))
