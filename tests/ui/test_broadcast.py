"""Which tab hears what, and how often."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from console.live.broadcast import Broadcaster, Watch
from console.services.changes import Change


class Flight:
    """An event on its way to a tab."""

    def __init__(self) -> None:
        self.landed = False

    def done(self) -> bool:
        return self.landed


class Recording(Broadcaster):
    """Sends nothing; notes what it would send, and to whom."""

    def __init__(self, *connected: str) -> None:
        super().__init__()
        self._names = {kind: kind for kind in ("queue", "thread", "draft", "audit")}
        self.sockets = dict.fromkeys(connected, "sid")
        manager = SimpleNamespace(token_to_socket=self.sockets)
        self.bind(SimpleNamespace(event_namespace=SimpleNamespace(_token_manager=manager)))
        self.sent: list[tuple[str, str]] = []
        self.flights: list[Flight] = []

    async def _enqueue(self, token: str, name: str) -> Any:
        self.sent.append((token, name))
        self.flights.append(Flight())
        return self.flights[-1]

    async def tell(self, *changes: Change) -> list[tuple[str, str]]:
        self.sent.clear()
        for change in changes:
            self.take(change)
        await self._tell_all()
        return sorted(self.sent)


@pytest.fixture
def caster() -> Recording:
    made = Recording("a", "b", "c")
    made.watch("a", "desk", "support", "t1")
    made.watch("b", "desk", "support", "t2")
    made.watch("c", "audit")
    return made


async def test_the_queue_concerns_every_tab_since_each_shows_the_number(caster: Recording) -> None:
    assert await caster.tell(Change("queue")) == [("a", "queue"), ("b", "queue"), ("c", "queue")]


async def test_a_thread_concerns_only_who_looks_at_it(caster: Recording) -> None:
    assert await caster.tell(Change("thread", "support", "t1")) == [("a", "thread")]


async def test_a_thread_of_the_same_id_in_another_source_does_not(caster: Recording) -> None:
    assert await caster.tell(Change("thread", "prod", "t1")) == []


async def test_the_log_concerns_the_audit_page_only(caster: Recording) -> None:
    assert await caster.tell(Change("audit")) == [("c", "audit")]


async def test_many_changes_of_one_kind_are_one_event(caster: Recording) -> None:
    assert await caster.tell(*[Change("token", "support", "t1", "x")] * 50) == [("a", "draft")]


async def test_a_slow_tab_has_one_event_of_a_kind_on_its_way_and_then_gets_the_newest(
    caster: Recording,
) -> None:
    word = Change("token", "support", "t1", "x")
    assert await caster.tell(word) == [("a", "draft")]
    assert await caster.tell(word) == []
    caster.flights[0].landed = True
    assert await caster.tell() == [("a", "draft")]


async def test_a_slow_draft_does_not_hold_up_the_queue(caster: Recording) -> None:
    await caster.tell(Change("token", "support", "t1", "x"))
    assert ("a", "queue") in await caster.tell(Change("queue"))


async def test_a_tab_that_is_gone_is_passed_over(caster: Recording) -> None:
    del caster.sockets["a"]
    assert await caster.tell(Change("queue")) == [("b", "queue"), ("c", "queue")]


async def test_a_tab_that_is_gone_for_long_is_forgotten(
    caster: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    del caster.sockets["a"]
    monkeypatch.setattr("console.live.broadcast.FORGET_SECONDS", -1.0)
    await caster.tell(Change("queue"))
    assert set(caster._watching) == {"b", "c"}


async def test_a_tab_on_the_sign_in_page_hears_nothing(caster: Recording) -> None:
    caster.forget("a")
    assert ("a", "queue") not in await caster.tell(Change("queue"))


async def test_looking_elsewhere_ends_the_former_watch(caster: Recording) -> None:
    caster.watch("a", "desk", "support", "t9")
    assert await caster.tell(Change("thread", "support", "t1")) == []


async def test_it_ends_when_streams_are_closed(caster: Recording, desk: Any) -> None:
    running = asyncio.create_task(caster.run())
    await asyncio.sleep(0)
    caster.close_streams()
    await asyncio.wait_for(running, 2)


async def test_a_change_from_another_thread_arrives(caster: Recording, desk: Any) -> None:
    running = asyncio.create_task(caster.run())
    await asyncio.sleep(0.01)
    await asyncio.to_thread(desk.deps.changes.publish, Change("audit"))
    await asyncio.sleep(0.2)
    assert caster.sent == [("c", "audit")]
    caster.close_streams()
    await running


def test_a_new_watch_has_nothing_to_tell() -> None:
    assert Watch("desk").free() == set()
