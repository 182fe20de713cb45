"""How many events a socket may send, and how long a body may take, by a clock that the test holds."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from console.api import body
from console.api.problem import TooSlow
from console.live.pace import ADDRESS, MOST_KEPT, PERSON, STRANGER, Pace


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def taken(pace: Pace, sid: str, events: int, address: str = "192.0.2.1") -> int:
    return sum(pace.take(sid, address) for _ in range(events))


def test_a_socket_without_a_session_gets_its_burst_and_five_events_a_second(clock: Clock) -> None:
    pace = Pace(clock)
    assert taken(pace, "a", 1_000) == STRANGER.burst
    clock.now = 10.0
    assert taken(pace, "a", 1_000) == STRANGER.burst
    clock.now = 11.0
    assert taken(pace, "a", 1_000) == 5


def test_many_sockets_of_one_address_share_a_budget_and_other_addresses_do_not_feel_it(clock: Clock) -> None:
    pace = Pace(clock)
    assert sum(taken(pace, f"s{each}", 25) for each in range(100)) == ADDRESS.burst
    assert taken(pace, "other", 25, "192.0.2.2") == STRANGER.burst


def test_a_socket_with_a_session_is_not_held_up_by_those_of_its_address(clock: Clock) -> None:
    pace = Pace(clock)
    for each in range(100):
        taken(pace, f"s{each}", 25)
    pace.heard_from("sam", signed_in=True)
    assert taken(pace, "sam", 1_000) == PERSON.burst


def test_a_session_that_is_over_is_a_stranger_again(clock: Clock) -> None:
    pace = Pace(clock)
    pace.heard_from("sam", signed_in=True)
    taken(pace, "sam", 100)
    pace.heard_from("sam", signed_in=False)
    assert taken(pace, "sam", 1_000) == STRANGER.burst


def test_memory_is_bounded(clock: Clock) -> None:
    pace = Pace(clock)
    for each in range(MOST_KEPT + 50):
        pace.take(f"s{each}", f"a{each}")
        pace.heard_from(f"s{each}", signed_in=True)
    assert len(pace._buckets) == len(pace._signed_in) == MOST_KEPT


async def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "BODY_SECONDS", 0.05)

    async def receive() -> Any:
        await asyncio.sleep(3600)

    request = Request({"type": "http", "method": "POST", "headers": []}, receive)
    with pytest.raises(TooSlow) as refused:
        await body.read_bytes(request)
    assert refused.value.status == 408
