"""What a run of ours stored and wrote down is not looked at again by the sweep; whatever came after is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from console.services import sweep
from console.services.observe import Seen
from console.services.sweep import Sweep
from tests.services.world import APPROVE, OBEDIENT, World, call

Looks = list[str]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """Threads that the sweep reads."""
    found: Looks = []

    def observe(_: object, __: str, thread_id: str) -> Seen:
        found.append(thread_id)
        return Seen.SAME

    monkeypatch.setattr(sweep, "observe", observe)
    return found


def settled(world: World, before: Callable[[], None]) -> str:
    """A thread whose review is settled by a worker, after `before` was called while it waited."""
    with world.worker():
        review = world.pause(call(("charge", {"amount": 5})))
    before()
    world.decide(review, APPROVE)
    with world.worker():
        world.wait_status(review.thread_id, "idle")
    return review.thread_id


@pytest.mark.parametrize("moved", [False, True])
def test_only_a_thread_that_moved_after_it_was_written_down_is_read(
    obeying: World, looks: Looks, moved: bool
) -> None:
    seeing = Sweep(obeying.deps)
    thread_id = settled(obeying, lambda: seeing.turn(0))
    looks.clear()
    stamp = obeying.deps.sources[OBEDIENT].stamp(thread_id)
    seeing.is_in_line(OBEDIENT, thread_id, f"{stamp} and more" if moved else stamp)
    seeing.turn(1)
    assert looks == ([thread_id] if moved else [])


def test_a_worker_tells_the_stamp_from_before_it_read_the_thread(
    obeying: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, str, str]] = []
    monkeypatch.setattr(Sweep, "is_in_line", lambda _, *what: told.append(what))
    thread_id = settled(obeying, lambda: None)
    assert told[-1] == (OBEDIENT, thread_id, obeying.deps.sources[OBEDIENT].stamp(thread_id))
