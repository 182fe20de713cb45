"""Threads that cannot be read come to rest with words, and hold nobody else up."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from console.domain.errors import Unavailable
from console.services import settle
from console.services.worker import running
from console.sources.local import LocalSource
from console.sources.port import SourceError
from console.store import outbox
from console.store.engine import read, write
from tests.services.agents import effects, obedient
from tests.services.world import APPROVE, OBEDIENT, REJECT, World, call, deps_over, wait_for


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle, "FIRST_WAIT_SECONDS", 0.01)


@pytest.fixture
def blind(obeying: World, monkeypatch: Any) -> World:
    """Its threads cannot be read; `unbroken` of the source reads them after all."""
    source: Any = obeying.deps.sources[OBEDIENT]
    source.unbroken, source.reads = source.snapshot, []

    def fail(thread_id: str) -> Any:
        source.reads.append(thread_id)
        raise SourceError("its checkpoint cannot be read")

    monkeypatch.setattr(source, "snapshot", fail)
    return obeying


def outbox_of(world: World) -> list[tuple[Any, ...]]:
    return world.table("SELECT state, attempts FROM outbox ORDER BY id")


def test_a_thread_that_cannot_be_read_fails_with_words_after_a_few_attempts(blind: World) -> None:
    with blind.worker():
        thread_id = blind.start('"hello"')
        assert "cannot be read" in blind.wait_status(thread_id, "failed").error
    source: Any = blind.deps.sources[OBEDIENT]
    assert len(source.reads) == settle.MAX_ATTEMPTS
    assert outbox_of(blind) == [("failed", settle.MAX_ATTEMPTS - 1)]
    assert blind.table("SELECT owner FROM run_lease") == [(None,)]


def test_a_full_disk_or_a_held_lock_is_waited_for_however_long_it_lasts(
    obeying: World, monkeypatch: Any
) -> None:
    """Unlike a damaged thread it passes, and nothing is known to be wrong with the thread."""
    source: Any = obeying.deps.sources[OBEDIENT]
    unbroken, reads = source.snapshot, []
    locked = sqlite3.OperationalError("database is locked")
    locked.sqlite_errorcode = sqlite3.SQLITE_BUSY

    def fail(thread_id: str) -> Any:
        reads.append(thread_id)
        raise SourceError("its checkpoint cannot be read") from locked

    monkeypatch.setattr(settle, "MAX_WAIT_SECONDS", 0.02)
    monkeypatch.setattr(source, "snapshot", fail)
    with obeying.worker():
        thread_id = obeying.start('"hello"')
        wait_for(lambda: len(reads) > settle.MAX_ATTEMPTS + 2)
        monkeypatch.setattr(source, "snapshot", unbroken)
        obeying.wait_status(thread_id, "idle")
    assert obeying.last_words(thread_id) == "done"


def test_a_thread_that_can_be_read_again_in_time_goes_on(blind: World, monkeypatch: Any) -> None:
    source: Any = blind.deps.sources[OBEDIENT]
    with blind.worker():
        thread_id = blind.start('"hello"')
        wait_for(lambda: len(source.reads) >= 2)
        monkeypatch.setattr(source, "snapshot", source.unbroken)
        blind.wait_status(thread_id, "idle")
    assert blind.last_words(thread_id) == "done"


@pytest.mark.parametrize("decision", [APPROVE, REJECT])
def test_a_verdict_whose_outcome_cannot_be_read_back_is_uncertain_and_never_repeated(
    obeying: World, monkeypatch: Any, decision: Any
) -> None:
    source = obeying.deps.sources[OBEDIENT]
    real, broken = source.run, []
    read_back = source.snapshot

    async def run(*given: Any) -> None:
        await real(*given)
        broken.append(True)

    def snapshot(thread_id: str) -> Any:
        if broken:
            raise SourceError("its checkpoint cannot be read")
        return read_back(thread_id)

    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5})))
        monkeypatch.setattr(source, "run", run)
        monkeypatch.setattr(source, "snapshot", snapshot)
        obeying.decide(review, decision)
        assert obeying.wait_settled(review.id, "stuck").outcome.startswith("uncertain: the thread cannot")
        obeying.wait_status(review.thread_id, "stuck")
    assert effects(obeying.folder) == (["charge 5"] if decision is APPROVE else [])
    assert obeying.kinds(review.id) == ["opened", "decided", "dispatched", "stuck"]


class State(TypedDict):
    messages: list[Any]


def odd(folder: Path) -> LocalSource:
    """Asks for an approval in a shape that no reader takes."""

    def ask(_: State) -> dict[str, Any]:
        value = {"type": "tool_approval", "name": "pay", "args": {"a": 1}, "tool_call_id": "z"}
        interrupt(value, response_schema={"oneOf": 5})
        return {}

    graph: Any = StateGraph(State)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    return LocalSource("odd", graph.compile(), folder / "odd.db")


def test_a_request_in_an_impossible_shape_waits_for_a_person(folder: Path, worlds: Any) -> None:
    world: World = worlds(deps_over(folder, {"odd": odd(folder)}), "odd")
    with world.worker():
        review = world.pause("go")
    assert (review.kind, review.may_decide) == ("unreadable", False)
    assert "oneOf" not in review.note
    assert "cannot be read" in review.note


def test_fifty_hopeless_threads_of_one_source_do_not_hold_up_another(
    folder: Path, worlds: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(settle, "FIRST_WAIT_SECONDS", 1000.0)
    good = LocalSource(OBEDIENT, obedient(folder), folder / "checkpoints.db")
    deps = deps_over(folder, {"odd": odd(folder), OBEDIENT: good})
    world: World = worlds(deps, OBEDIENT)

    def fail(_: str) -> Any:
        raise SourceError("no")

    monkeypatch.setattr(deps.sources["odd"], "snapshot", fail)
    bad: World = worlds(deps, "odd")
    for _ in range(60):
        bad.start("x")
    with running(deps):
        world.wait_status(world.start('"hello"'), "idle")


def put(world: World, source: str, thread_id: str) -> None:
    with write(world.deps.engine) as connection:
        outbox.put(connection, "message", source, thread_id, "{}")


def due(world: World, **more: Any) -> list[str]:
    with read(world.deps.engine) as connection:
        return [row["thread_id"] for row in outbox.due(connection, **more)]


def test_what_is_due_are_rows_that_one_may_take_and_sources_take_turns(obeying: World) -> None:
    for number in range(4):
        put(obeying, "a", f"a{number}")
    put(obeying, "b", "b0")
    put(obeying, "gone", "g0")
    assert due(obeying, sources=["a", "b"], limit=2) == ["a0", "b0"]
    with read(obeying.deps.engine) as connection:
        rows = outbox.due(connection)
    with write(obeying.deps.engine) as connection:
        lease = outbox.take(connection, rows[0], "me", (), 60)
    assert lease is not None
    assert due(obeying, sources=["a"]) == ["a1", "a2", "a3"]
    assert due(obeying, dead=["me"], sources=["a"]) == ["a0", "a1", "a2", "a3"]
    with write(obeying.deps.engine) as connection:
        outbox.defer(connection, lease, rows[0]["id"], -1, "no")
    assert due(obeying, sources=["a"]) == ["a1", "a2", "a3", "a0"]


def test_each_wait_is_longer_than_the_one_before(blind: World, monkeypatch: Any) -> None:
    waits: list[float] = []
    real = outbox.defer

    def defer(connection: Any, lease: Any, outbox_id: int, seconds: float, error: str) -> None:
        waits.append(seconds)
        real(connection, lease, outbox_id, seconds, error)

    monkeypatch.setattr(outbox, "defer", defer)
    with blind.worker():
        blind.wait_status(blind.start('"hello"'), "failed")
    assert waits == [0.01, 0.02, 0.04, 0.08]


def test_attempts_begin_anew_when_a_pause_is_decided_again(obeying: World) -> None:
    with write(obeying.deps.engine) as connection:
        outbox.put_resume(connection, OBEDIENT, "t", "group", "h", ready=True)
    with sqlite3.connect(obeying.folder / "console.db") as db:
        later = (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%d %H:%M:%S.%f")
        db.execute("UPDATE outbox SET attempts = 4, not_before = ?", (later,))
    with write(obeying.deps.engine) as connection:
        outbox.put_resume(connection, OBEDIENT, "t", "group", "h", ready=True)
    assert outbox_of(obeying) == [("ready", 0)]
    assert due(obeying) == ["t"]


def test_a_deleted_checkpoint_file_is_noticed_before_anything_is_decided_or_run(obeying: World) -> None:
    """Connections that are open go on in the deleted file, as if nothing had happened."""
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5})))
        file = obeying.folder / "checkpoints.db"
        file.rename(obeying.folder / "elsewhere.db")
        with pytest.raises(Unavailable, match="deleted or replaced"):
            obeying.decide(review, APPROVE)
        file.touch()
        with pytest.raises(Unavailable, match="deleted or replaced"):
            obeying.decide(review, APPROVE)
        assert obeying.review(review.id).status == "open"
        (obeying.folder / "elsewhere.db").replace(file)
        obeying.decide(review, APPROVE)
        obeying.wait_settled(review.id)
    assert effects(obeying.folder) == ["charge 5"]


def test_a_verdict_whose_checkpoint_file_is_gone_by_then_runs_nothing(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5})))
    obeying.decide(review, APPROVE)
    (obeying.folder / "checkpoints.db").unlink()
    with obeying.worker():
        assert "deleted" in obeying.wait_settled(review.id, "stuck").outcome
    assert effects(obeying.folder) == []
