"""A worker whose database, source or lease fails goes on, says so, and runs every call once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from console.services import owners, throttle, watch, worker
from console.services.changes import Change
from console.services.owners import is_dead, own_name
from console.services.throttle import Throttle
from console.services.watch import Watch
from console.services.worker import Worker
from console.sources.port import SourceError
from console.store import outbox
from tests.services.agents import effects
from tests.services.scripted import Scripted
from tests.services.stage import Stage, charges
from tests.services.world import World, call, wait_for


@pytest.fixture
def stage(tables: Path) -> Iterator[Stage]:
    made = Stage.over(tables)
    yield made
    assert made.broken() == []
    made.close()


def failing_once(real: Callable[..., Any], problem: Exception) -> Callable[..., Any]:
    left = [problem]

    def act(*args: Any, **more: Any) -> Any:
        if left:
            raise left.pop()
        return real(*args, **more)

    return act


def said(caplog: pytest.LogCaptureFixture, text: str) -> bool:
    return any(text in record.getMessage() for record in caplog.records)


def test_a_source_that_cannot_be_opened_keeps_the_worker_from_starting(idle: World) -> None:
    class Shut(Scripted):
        async def open(self) -> None:
            raise SourceError("no such graph")

    idle.deps.sources = {"shut": Shut("shut")}
    made = Worker(idle.deps)
    with pytest.raises(SourceError, match="no such graph"):
        made.start()
    made.wake()
    made.stop()


def test_looking_for_work_goes_on_after_a_failure(
    obeying: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(outbox, "due", failing_once(outbox.due, OSError("the disk is away")))
    with obeying.worker():
        thread_id = obeying.start(call(("note", {"text": "x"})))
        obeying.wait_status(thread_id, "idle")
    assert said(caplog, "looking for work failed")
    assert effects(obeying.folder) == ["note x"]


def test_no_more_runs_at_once_than_there_is_room_for(obeying: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MAX_RUNS", 2)
    monkeypatch.setattr(worker, "POLL_SECONDS", 0.02)
    turns: list[int] = []
    real = Worker._take_due

    async def counted(self: Worker) -> None:
        await real(self)
        turns.append(len(self._tasks))

    monkeypatch.setattr(Worker, "_take_due", counted)
    (obeying.folder / "hold").touch()
    threads = [obeying.start(call(("note", {"text": str(number)}))) for number in range(4)]
    with obeying.worker():
        wait_for(lambda: len(effects(obeying.folder)) == 2)
        seen = len(turns)
        wait_for(lambda: len(turns) > seen + 3)
        assert len(effects(obeying.folder)) == 2
        (obeying.folder / "hold").unlink()
        for thread_id in threads:
            obeying.wait_status(thread_id, "idle")
    assert max(turns) == 2
    assert sorted(effects(obeying.folder)) == [f"note {number}" for number in range(4)]


def test_a_job_that_could_not_even_be_set_aside_is_found_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    review = stage.pause(7)
    stage.decide(review)
    with monkeypatch.context() as patch:
        patch.setattr(worker, "finish", failing_once(worker.finish, OSError("locked")))
        patch.setattr(worker, "set_aside", failing_once(worker.set_aside, OSError("still locked")))
        stage.hand.all()
    assert said(caplog, "aside failed")
    assert stage.review(review.id).status == "resuming"
    stage.lapse()
    stage.hand.all()
    assert stage.review(review.id).status == "settled"
    assert len(stage.source.happened) == 1


def test_a_run_whose_lease_went_to_another_starts_no_tool(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    review = stage.pause(7)
    stage.decide(review)
    late = stage.hand.take()
    assert late is not None
    stage.lapse()
    other = stage.hand.take()
    assert other is not None
    stage.hand.work(late)
    assert stage.source.happened == []
    assert "was not started: the lease is lost" in caplog.text
    stage.source.threads[review.thread_id].under_way = False
    stage.hand.work(other)


def test_a_heartbeat_that_fails_is_tried_again_at_the_next_one(
    obeying: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.02)
    monkeypatch.setattr(outbox, "renew", failing_once(outbox.renew, OSError("locked")))
    (obeying.folder / "hold").touch()
    with obeying.worker():
        thread_id = obeying.start(call(("note", {"text": "x"})))
        wait_for(lambda: said(caplog, "the heartbeat of"))
        until = obeying.table("SELECT until FROM run_lease")
        wait_for(lambda: obeying.table("SELECT until FROM run_lease") != until)
        (obeying.folder / "hold").unlink()
        obeying.wait_status(thread_id, "idle")
    assert effects(obeying.folder) == ["note x"]


def test_a_run_that_outlasts_the_stop_is_cut_off_and_found_by_the_next_start(
    idle: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for its model, which began nothing that could happen twice."""
    entered: list[str] = []

    class Slow(Scripted):
        async def run(self, run: Any, journal: Any, sink: Any) -> None:
            entered.append(run.thread_id)
            sink.token("half a sen")
            if len(entered) == 1:
                await asyncio.sleep(3_600)
            await super().run(run, journal, sink)

    monkeypatch.setattr(worker, "DRAIN_SECONDS", 0.05)
    idle.deps.sources, idle.source = {"slow": Slow("slow")}, "slow"
    with idle.worker():
        thread_id = idle.start(charges(7))
        wait_for(lambda: entered == [thread_id])
    assert idle.deps.drafts.get("slow", thread_id) == ""
    idle_lease = idle.table("SELECT owner FROM run_lease")
    assert idle_lease != [(None,)]
    monkeypatch.setattr(worker, "is_dead", lambda owner: True)
    with idle.worker():
        idle.wait_status(thread_id, "paused")
    assert entered == [thread_id] * 2


def test_a_watch_that_cannot_look_looks_again(
    idle: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.02)
    versions = iter([1, OSError("away"), 1, 2])

    def look(_: Any) -> int:
        found = next(versions, 2)
        if isinstance(found, OSError):
            raise found
        return found

    monkeypatch.setattr(watch, "data_version", look)
    heard: list[Change] = []
    idle.deps.changes.subscribe(heard.append)
    looking = Watch(idle.deps)
    looking.start()
    wait_for(lambda: heard)
    looking.stop()
    assert heard == [Change("elsewhere")]
    assert said(caplog, "looking at the database failed")


def test_a_process_of_another_user_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int, signal: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    host, pid, _, rest = own_name().split("/")
    assert is_dead(f"{host}/{pid}/1/{rest}")
    monkeypatch.setattr(owners.os, "kill", refuse)
    assert not is_dead(f"{host}/{pid}/1/{rest}")


@pytest.mark.parametrize("content", [None, "7 (x) S"])
def test_where_starts_cannot_be_read_a_living_pid_is_given_its_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    host, pid, started, rest = own_name().split("/")
    if content is not None:
        (tmp_path / "proc" / pid).mkdir(parents=True)
        (tmp_path / "proc" / pid / "stat").write_text(content)
    monkeypatch.setattr(owners, "Path", lambda name: tmp_path / name.lstrip("/"))
    assert own_name().split("/")[2] == ""
    assert not is_dead(f"{host}/{pid}/{started}/{rest}")
    assert not is_dead(f"{host}/{pid}//{rest}")


def test_only_so_many_keys_are_remembered_the_oldest_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "_KEPT", 3)
    slow = Throttle(burst=1, seconds=3_600)
    for key in ("a", "b", "c"):
        slow.take(key)
    slow.give_back("a")
    slow.take("a")
    slow.take("d")
    assert list(slow._buckets) == ["c", "a", "d"]
    for key in ("c", "a", "d"):
        with pytest.raises(throttle.TooMany):
            slow.take(key)
    slow.take("b")
