"""Calls without a tool call id: nobody approves them, and nobody says of them that they did not run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from console.domain.errors import Conflict, Invalid
from console.domain.review import ThreadStatus
from console.domain.thread import Message, Snapshot, ToolCall
from console.services import chat
from console.services.calls import Calls, unmatched
from console.services.closings import closings
from console.services.outcome import compare
from console.services.resolve import cancel, resolve
from console.sources.local import LocalSource
from tests.services.agents import effects, obedient
from tests.services.processes import die_after_the_tool, kill, process, say_and_work
from tests.services.test_outcome import action, started
from tests.services.world import APPROVE, OBEDIENT, PATIENCE, REJECT, World, call, deps_over, wait_for


def gated(folder: Path, worlds: Any, mode: str) -> World:
    source = LocalSource(OBEDIENT, obedient(folder, mode=mode), folder / "checkpoints.db")
    made: World = worlds(deps_over(folder, {OBEDIENT: source}), OBEDIENT)
    return made


PAUSES = pytest.mark.parametrize(("mode", "given"), [("batched", ""), ("batched", None), ("per_call", "")])


@PAUSES
def test_a_gated_call_without_an_id_can_be_approved_by_nobody_and_closed_by_a_person(
    folder: Path, worlds: Any, mode: str, given: Any
) -> None:
    world = gated(folder, worlds, mode)
    with world.worker():
        review = world.pause(call(("charge", {"amount": 7}, given)))
        assert (review.kind, review.actions, review.may_decide) == ("unreadable", [], False)
        assert "no tool call id" in review.note
        for decision in (APPROVE, REJECT):
            with pytest.raises(Invalid):
                world.decide(review, decision)
        cancel(world.deps, world.cast["sam"], review.id, "no id")
        world.wait_status(review.thread_id, "idle", "failed")
    assert effects(folder) == []


@PAUSES
def test_one_call_without_an_id_makes_the_whole_message_unreadable(
    folder: Path, worlds: Any, mode: str, given: Any
) -> None:
    """What ran without an id could be either of them."""
    world = gated(folder, worlds, mode)
    with world.worker():
        review = world.pause(call(("charge", {"amount": 1}, given), ("charge", {"amount": 2}, "z")))
        assert {each.kind for each in world.reviews(review.thread_id)} == {"unreadable"}
    assert effects(folder) == []


def test_a_gate_that_refuses_a_call_without_an_id_itself_runs_nothing(folder: Path, worlds: Any) -> None:
    world = gated(folder, worlds, "per_call")
    with world.worker():
        thread_id = world.start(call(("charge", {"amount": 7}, None)))
        assert "no ID" in world.wait_status(thread_id, "failed", "paused").error
        with pytest.raises(Conflict):
            chat.retry(world.deps, world.cast["sam"], OBEDIENT, thread_id)
    assert effects(folder) == []


def test_a_free_call_without_an_id_runs_and_is_journalled(obeying: World) -> None:
    with obeying.worker():
        thread_id = obeying.start(call(("note", {"text": "x"}, "")))
        obeying.wait_status(thread_id, "idle")
    assert obeying.journal(thread_id) == [("note", '{"text": "x"}', "ok")]
    assert effects(obeying.folder) == ["note x"]
    (shown,) = [each for message in obeying.messages(thread_id) for each in message.tool_calls]
    assert shown.state != "not run"


def test_a_free_call_without_an_id_is_not_run_again_by_trying_again(obeying: World) -> None:
    """Its result cannot be kept, so the run fails after it ran."""
    with obeying.worker():
        thread_id = obeying.start(call(("note", {"text": "x"}, None)))
        obeying.wait_status(thread_id, "failed")
        for _ in range(2):
            with pytest.raises(Conflict) as refused:
                chat.retry(obeying.deps, obeying.cast["sam"], OBEDIENT, thread_id)
            assert refused.value.reason == "tool-began"
        (shown,) = [each for message in obeying.messages(thread_id) for each in message.tool_calls]
        assert shown.state == "uncertain"
    assert effects(obeying.folder) == ["note x"]


def test_killed_inside_a_call_without_an_id_it_does_not_run_again_and_a_person_settles_it(
    obeying: World,
) -> None:
    (obeying.folder / "hold").touch()
    with process(say_and_work, obeying.folder, call(("note", {"text": "x"}, ""))) as victim:
        wait_for(lambda: effects(obeying.folder) == ["note x"])
        kill(victim)
    (obeying.folder / "hold").unlink()
    ((thread_id,),) = obeying.table("SELECT thread_id FROM thread")
    with obeying.worker():
        assert "note" in obeying.wait_status(thread_id, "stuck", "failed", "idle").error
        where = OBEDIENT, thread_id
        resolve(obeying.deps, obeying.cast["sam"], *where, choice="give_up", reason="nobody knows")
        obeying.wait_status(thread_id, "idle")
    assert effects(obeying.folder) == ["note x"]


def test_killed_after_a_call_without_an_id_ended_it_does_not_run_again(obeying: World) -> None:
    with process(die_after_the_tool, obeying.folder, call(("note", {"text": "x"}, ""))) as victim:
        victim.join(PATIENCE)
    ((thread_id,),) = obeying.table("SELECT thread_id FROM thread")
    with obeying.worker():
        obeying.wait_status(thread_id, "failed", "stuck")
        with pytest.raises(Conflict):
            chat.retry(obeying.deps, obeying.cast["sam"], OBEDIENT, thread_id)
    assert effects(obeying.folder) == ["note x"]


@pytest.mark.parametrize("given", ["", None])
@pytest.mark.parametrize("said", [APPROVE, REJECT])
@pytest.mark.parametrize("runs", [[], [started()]])
def test_the_outcome_of_a_call_without_an_id_is_uncertain(given: Any, said: Any, runs: Any) -> None:
    found = compare([action(given)], [said], "d", Calls.of(runs))
    assert (found.state, found.text.startswith("uncertain")) == ("stuck", True)
    assert Calls.of(runs).began(given)


def test_an_agent_is_not_told_that_a_call_without_an_id_did_not_run() -> None:
    asked = Message("m", "ai", "", tool_calls=(ToolCall("", "note", "{}"),))
    snapshot = Snapshot("head", ThreadStatus.FAILED, (asked,))
    ((_, _, text, status),) = closings(snapshot, Calls(), "boom")
    assert ("did not run" in text, "not known" in text, status) == (False, True, "error")


def stray(key: str, at: int, ended: int | None = None) -> Any:
    word = "ok" if ended is not None else None
    return {"tool_call_id": key, "name": key, "started_at": at, "ended_at": ended, "ended": word}


def test_only_starts_of_the_step_under_way_count_as_unmatched() -> None:
    """A tool may call tools of its own: once its result is kept, theirs are, too."""
    calls = (ToolCall("a", "agent", "{}"), ToolCall("b", "note", "{}"))
    asked, kept = Message("1", "ai", "", tool_calls=calls), Message("2", "tool", "", tool_call_id="a")
    journal = [stray("a", 1, 5), stray("run:inside", 2, 3), stray("run:after", 6), stray("b", 7)]

    def names(*messages: Message, loose: frozenset[str] = frozenset()) -> list[str]:
        found = Snapshot("h", ThreadStatus.FAILED, messages, loose=loose)
        return [run["name"] for run in unmatched(journal, found)]

    assert names(asked, kept) == ["run:after"]
    assert names(asked) == ["run:inside", "run:after"]
    assert names(asked, kept, loose=frozenset({"a"})) == ["run:inside", "run:after"]
