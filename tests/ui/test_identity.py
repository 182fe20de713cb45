"""Whose event is it? Reflex lets an event inherit the headers of another tab; here it must not matter."""

from __future__ import annotations

import asyncio

import pytest
from reflex_base.event import Event
from reflex_base.utils.format import format_event_handler

from console.features.queue.state import Queue
from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from console.live.broadcast import BROADCASTER
from console.live.tab import Tab
from console.services import accounts
from console.services.changes import Change
from console.services.people import change_role
from tests.services.world import World
from tests.ui import careless
from tests.ui.pipeline import Pipeline


async def test_an_event_sent_from_inside_another_tabs_event_runs_as_its_own_person(
    pipeline: Pipeline,
) -> None:
    """Trap 1, the naive way: the event carries sam's headers, and quinn's tab must stay quinn's."""
    sam, quinn = pipeline.connect("A", "sam"), pipeline.connect("B", "quinn")
    await pipeline.send(quinn, Thread.load)
    await pipeline.send(sam, careless.Careless.poke_naively, to=quinn)
    await asyncio.sleep(0.05)
    shown = await pipeline.state(quinn, Tab)
    assert (shown.name, shown.role) == ("quinn", "qa")
    assert not (await pipeline.state(quinn, Review)).deciding


async def test_the_broadcaster_hands_on_no_headers_of_the_tab_it_was_called_from(pipeline: Pipeline) -> None:
    """Trap 1, by the broadcaster: what arrives at B carries B's headers or none, never A's cookie."""
    sam, quinn = pipeline.connect("A", "sam"), pipeline.connect("B", "quinn")
    await pipeline.send(quinn, careless.Careless.whose)
    careless.SEEN.clear()
    await pipeline.send(sam, careless.Careless.poke, to=quinn)
    await asyncio.sleep(0.05)
    assert len(careless.SEEN) == 1
    assert pipeline.sessions["sam"] not in careless.SEEN[0]


async def test_a_change_made_in_one_tab_reaches_the_other_as_its_own_person(
    pipeline: Pipeline, desk: World
) -> None:
    """The whole way: sam's handler publishes, the broadcaster's own task tells quinn's tab."""
    sam, quinn = pipeline.connect("A", "sam"), pipeline.connect("B", "quinn")
    running = asyncio.create_task(BROADCASTER.run())
    await pipeline.send(quinn, Thread.load)
    await pipeline.send(sam, Thread.load)
    pipeline.deltas.clear()
    key = (await pipeline.state(sam, Review)).key
    for position in (0, 1):
        await pipeline.send(sam, Review.choose, key=key, position=position, kind="reject")
    await pipeline.send(sam, Review.submit, key=key)
    await asyncio.sleep(0.4)
    running.cancel()
    assert (await pipeline.state(quinn, Queue)).count == "0"
    assert (await pipeline.state(quinn, Tab)).name == "quinn"
    assert (await pipeline.state(quinn, Review)).decided_by == "sam"


async def test_identity_is_the_live_sockets_cookie_not_what_an_event_brings_along(pipeline: Pipeline) -> None:
    """Trap 2: router data that claims sam's cookie does not make mallory's socket sam's."""
    mallory, forged = pipeline.connect("M", "mallory"), pipeline.connect("S", "sam")
    event_of_sam = pipeline.router(forged, "/")
    name = format_event_handler(Queue.refresh)
    await pipeline.run(mallory, Event(name=name, payload={}, router_data={**event_of_sam, "token": mallory}))
    assert (await pipeline.state(mallory, Tab)).name == "mallory"
    assert "refund_order" not in pipeline.sent_to(mallory)


async def test_a_tab_without_a_socket_is_nobody(pipeline: Pipeline) -> None:
    tab = pipeline.connect("tab", "sam")
    await pipeline.send(tab, Thread.load)
    router = pipeline.router(tab, "/")
    pipeline.app.event_namespace._token_manager.token_to_socket.clear()  # type: ignore[union-attr]
    await pipeline.run(tab, Event(name=format_event_handler(Queue.refresh), payload={}, router_data=router))
    assert (await pipeline.state(tab, Tab)).name == ""
    assert (await pipeline.state(tab, Thread)).messages == []


async def test_a_tab_that_changes_hands_keeps_nothing_of_the_first_person(pipeline: Pipeline) -> None:
    tab = pipeline.connect("tab", "sam")
    await pipeline.send(tab, Thread.load)
    key = (await pipeline.state(tab, Review)).key
    await pipeline.send(tab, Review.choose, key=key, position=0, kind="approve")
    pipeline.connect(tab, "mallory")
    await pipeline.send(tab, Tab.dismiss)
    assert (await pipeline.state(tab, Review)).cards == []
    assert (await pipeline.state(tab, Review)).choices == {}
    assert (await pipeline.state(tab, Queue)).items == []
    assert (await pipeline.state(tab, Tab)).name == "mallory"


async def test_a_signed_out_session_empties_its_open_tabs(pipeline: Pipeline, desk: World) -> None:
    tab = pipeline.connect("tab", "sam")
    await pipeline.send(tab, Thread.load)
    accounts.sign_out(desk.deps, pipeline.sessions["sam"])
    await pipeline.send(tab, Queue.refresh)
    assert pipeline.asked_of(tab) == ["_redirect"]
    assert (await pipeline.state(tab, Thread)).messages == []


async def test_a_role_that_was_taken_away_holds_from_the_next_event_on(
    pipeline: Pipeline, desk: World
) -> None:
    tab = pipeline.connect("tab", "sam")
    await pipeline.send(tab, Thread.load)
    change_role(desk.deps, desk.cast["ada"], "sam", "none")
    await pipeline.send(tab, Queue.refresh)
    assert (await pipeline.state(tab, Queue)).items == []


@pytest.mark.parametrize("kind", ["queue", "thread", "review", "audit", "token", "session"])
async def test_a_change_is_told_by_the_broadcasters_own_task_only(
    kind: str, pipeline: Pipeline, desk: World
) -> None:
    """Publishing enqueues nothing by itself: without the task, nothing reaches any tab."""
    tab = pipeline.connect("tab", "sam")
    await pipeline.send(tab, Thread.load)
    pipeline.deltas.clear()
    desk.deps.changes.publish(Change(kind, "support", "x"))
    await asyncio.sleep(0.05)
    assert pipeline.deltas == []
