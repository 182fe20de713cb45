"""A verdict is recorded wholly or not at all, wherever its transaction fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from console.services.views import ReviewView
from tests.services.world import APPROVE, World

TABLES = (
    "review",
    "decision",
    "ledger",
    "ledger_facet",
    "payload",
    "outbox",
    "idempotent_answer",
    "run_lease",
)


class Fault(RuntimeError):
    pass


@pytest.fixture
def waiting(idle: World) -> ReviewView:
    with idle.worker():
        return idle.pause("Refund A-2048 699")


def contents(world: World) -> dict[str, list[Any]]:
    return {name: world.table(f"SELECT * FROM {name} ORDER BY 1") for name in TABLES}


@contextmanager
def writes(world: World, fail_at: int | None) -> Iterator[list[str]]:
    """Collects the writing statements; the one of this number is executed, and then everything fails."""
    seen: list[str] = []

    def after(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith(("INSERT", "UPDATE")):
            seen.append(statement)
            if len(seen) - 1 == fail_at:
                raise Fault(statement)

    event.listen(world.deps.engine, "after_cursor_execute", after)
    try:
        yield seen
    finally:
        event.remove(world.deps.engine, "after_cursor_execute", after)


def test_a_failure_after_any_statement_leaves_no_trace(idle: World, waiting: ReviewView) -> None:
    before = contents(idle)
    woken: list[int] = []
    idle.deps.wake = lambda: woken.append(1)
    step = 0
    while True:
        try:
            with writes(idle, step) as seen:
                idle.decide(waiting, APPROVE, idempotency_key="k")
        except Fault:
            assert contents(idle) == before, seen
            step += 1
        else:
            break
    touched = {statement.split()[2 if statement.startswith("INSERT") else 1] for statement in seen}
    assert touched == {
        "review",
        "decision",
        "payload",
        "ledger",
        "ledger_facet",
        "outbox",
        "idempotent_answer",
    }
    assert step == len(seen) == 7
    assert woken == [1]
    assert idle.review(waiting.id).status == "decided"


@pytest.mark.parametrize("function", ["add_decision", "undecided_in_group", "keep_answer"])
def test_a_failure_in_any_step_leaves_no_trace(
    idle: World, waiting: ReviewView, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    from console.store import reviews

    def fail(*_: Any, **__: Any) -> None:
        raise Fault

    before = contents(idle)
    with monkeypatch.context() as patched:
        patched.setattr(reviews, function, fail)
        with pytest.raises(Fault):
            idle.decide(waiting, APPROVE, idempotency_key="k")
    assert contents(idle) == before
    idle.decide(waiting, APPROVE, idempotency_key="k")


def test_without_a_ledger_nothing_is_decided(idle: World, waiting: ReviewView) -> None:
    import sqlite3

    with sqlite3.connect(idle.folder / "console.db") as db:
        db.execute("CREATE TRIGGER closed BEFORE INSERT ON ledger BEGIN SELECT raise(ABORT, 'closed'); END")
    before = contents(idle)
    with pytest.raises(Exception, match="closed"):
        idle.decide(waiting, APPROVE)
    assert contents(idle) == before


def test_a_failure_while_settling_is_made_good_by_the_next_turn(
    idle: World, waiting: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the run did is read back again; the tool does not run again."""
    from console.services import settle, worker

    failed: list[int] = []
    real = settle._write_thread

    def fail_once(*given: Any) -> None:
        if not failed:
            failed.append(1)
            raise Fault
        real(*given)

    monkeypatch.setattr(worker, "LEASE_SECONDS", 0.3)
    monkeypatch.setattr(settle, "_write_thread", fail_once)
    idle.decide(waiting, APPROVE)
    with idle.worker():
        assert idle.wait_settled(waiting.id).outcome == "ran"
    assert failed == [1]
    assert len(idle.refunds()) == 1
    assert idle.kinds(waiting.id) == ["opened", "decided", "dispatched", "settled"]
