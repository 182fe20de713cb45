"""A worker that lost its lease, and does not know yet: it leaves nothing in the thread."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from console.services import worker
from console.services.worker import running
from tests.services.agents import effects
from tests.services.processes import CONTEXT, process, work
from tests.services.world import APPROVE, OBEDIENT, World, call, rows, wait_for


def take_over(world: World, thread_id: str) -> None:
    """What another process does that found the lease lapsed."""
    with closing(sqlite3.connect(world.folder / "console.db", timeout=30)) as db, db:
        db.execute(
            "UPDATE run_lease SET fence = fence + 1, owner = 'another', until = '2999-01-01 00:00:00.000000'"
            " WHERE thread_id = ?",
            (thread_id,),
        )


def kept(world: World) -> list[Any]:
    file = world.folder / "checkpoints.db"
    return [
        rows(file, "SELECT checkpoint_id FROM checkpoints ORDER BY 1"),
        rows(file, "SELECT checkpoint_id, task_id, idx, channel FROM writes ORDER BY 1, 2, 3"),
    ]


def told(world: World) -> list[Any]:
    return [world.table(f"SELECT * FROM {name}") for name in ("thread", "outbox", "run_lease", "ledger")]


def pondering(world: World) -> str:
    (world.folder / "hold").touch()
    thread_id = world.start('"ponder"')
    wait_for(lambda: effects(world.folder) == ["ponder"])
    return thread_id


def running_tasks(world: World, monkeypatch: Any) -> list[Any]:
    """Every run of the worker that is started from now on."""
    found: list[Any] = []
    real = worker.Worker._work

    async def work(self: Any, job: Any) -> None:
        found.append(worker.asyncio.current_task())
        await real(self, job)

    monkeypatch.setattr(worker.Worker, "_work", work)
    return found


def test_a_run_whose_lease_is_lost_is_stopped_at_the_next_heartbeat(
    obeying: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.05)
    tasks = running_tasks(obeying, monkeypatch)
    with obeying.worker():
        thread_id = pondering(obeying)
        take_over(obeying, thread_id)
        before = kept(obeying), told(obeying)
        wait_for(lambda: tasks[0].cancelled())
        (obeying.folder / "hold").unlink()
    assert (kept(obeying), told(obeying)) == before


@pytest.mark.parametrize("said", ['"ponder"', call(("note", {"text": "x"}))])
def test_a_late_run_stores_nothing_even_before_the_heartbeat(
    obeying: World, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 1000.0)
    tasks = running_tasks(obeying, monkeypatch)
    (obeying.folder / "hold").touch()
    with obeying.worker():
        thread_id = obeying.start(said)
        wait_for(lambda: effects(obeying.folder))
        take_over(obeying, thread_id)
        before = kept(obeying), told(obeying)
        (obeying.folder / "hold").unlink()
        wait_for(lambda: tasks[0].done())
    assert (kept(obeying), told(obeying)) == before


def test_a_run_that_keeps_its_lease_is_not_stopped(obeying: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.01)
    with obeying.worker():
        thread_id = pondering(obeying)
        before = obeying.table("SELECT until FROM run_lease")
        wait_for(lambda: obeying.table("SELECT until FROM run_lease") != before)
        (obeying.folder / "hold").unlink()
        obeying.wait_status(thread_id, "idle")


def test_slow_tools_do_not_keep_a_lease_from_being_renewed(
    obeying: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tools that are plain functions run in the loop's own threads, of which there are few."""
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.05)
    (obeying.folder / "hold").touch()
    with obeying.worker():
        turn = call(*(("note", {"text": str(number)}) for number in range(40)))
        thread_id = obeying.start(turn)
        wait_for(lambda: effects(obeying.folder))
        before = obeying.table("SELECT until FROM run_lease")
        wait_for(lambda: obeying.table("SELECT until FROM run_lease") != before, patience=5)
        (obeying.folder / "hold").unlink()
        obeying.wait_status(thread_id, "idle")


def seconds(lease: float) -> dict[str, float]:
    return {"lease_seconds": lease, "heartbeat_seconds": lease / 5}


def stats_of_threads(pid: int) -> list[str]:
    """As in proc(5); the name, which may hold blanks, is cut out."""
    found = [(task / "stat").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    return [f"{stat.split(' ', 1)[0]} name {stat.rsplit(') ', 1)[1]}" for stat in found]


def stop_outside_of_writing(world: World, pid: int) -> None:
    """Stopped with the write lock in its hands, it would hold up everybody, and not only its own thread."""
    with closing(sqlite3.connect(world.folder / "console.db", timeout=30, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        os.kill(pid, signal.SIGSTOP)
        # The signal reaches one thread first; until all of them stand still another could take the lock.
        wait_for(lambda: {line.split()[2] for line in stats_of_threads(pid)} == {"T"})
        database.execute("ROLLBACK")


@pytest.mark.parametrize("step", ["tool", "model"])
def test_a_worker_that_is_stopped_past_its_lease_leaves_nothing_double(obeying: World, step: str) -> None:
    """SIGSTOP, another process takes over, SIGCONT: the first one wakes up in the middle of what it did."""
    if step == "tool":
        with obeying.worker():
            review = obeying.pause(call(("charge", {"amount": 5})))
        obeying.decide(review, APPROVE)
    (obeying.folder / "hold").touch()
    ready, stop = CONTEXT.Event(), CONTEXT.Event()
    with process(work, obeying.folder, OBEDIENT, ready, stop, seconds(0.3)) as sleeper:
        thread_id = review.thread_id if step == "tool" else obeying.start('"ponder"')
        begun = ["charge 5"] if step == "tool" else ["ponder"]
        wait_for(lambda: effects(obeying.folder) == begun)
        assert sleeper.pid is not None
        stop_outside_of_writing(obeying, sleeper.pid)
        (obeying.folder / "hold").unlink()
        with running(obeying.deps, **seconds(5)):
            obeying.wait_status(thread_id, "stuck" if step == "tool" else "idle")
            before = kept(obeying), told(obeying)
            os.kill(sleeper.pid, signal.SIGCONT)
            ended = "SELECT count(*) FROM tool_run WHERE ended = 'ok'"
            wait_for(lambda: step == "model" or obeying.table(ended) == [(1,)])
            stop.set()
            sleeper.join(20)
        assert (kept(obeying), told(obeying)) == before
    if step == "tool":
        assert effects(obeying.folder) == ["charge 5"]
        assert obeying.review(review.id).status == "stuck"
    else:
        assert [each.text for each in obeying.messages(thread_id)] == ['"ponder"', "done"]
