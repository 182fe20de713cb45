"""Runs that fail, pauses that are broken, and what people may rely on all the same."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from console.domain.errors import Conflict, Invalid
from console.services import chat, planning
from console.services.observe import observe
from console.sources.local import LocalSource
from console.sources.payload import answer as shaped
from tests.services.agents import effects, obedient
from tests.services.world import APPROVE, OBEDIENT, REJECT, World, call, deps_over, edit, wait_for


def say(world: World, thread_id: str, text: str) -> None:
    chat.say(world.deps, world.cast["sam"], world.source, thread_id, text)


@pytest.fixture
def per_call(folder: Any, worlds: Any) -> World:
    source = LocalSource(OBEDIENT, obedient(folder, mode="per_call"), folder / "checkpoints.db")
    made: World = worlds(deps_over(folder, {OBEDIENT: source}), OBEDIENT)
    return made


def test_an_agent_that_raises_is_shown_and_everything_else_goes_on(obeying: World) -> None:
    with obeying.worker():
        broken = obeying.start('"raise"')
        failed = obeying.wait_status(broken, "failed")
        assert failed.error == "RuntimeError: the model is down"
        assert failed.composer == ""
        review = obeying.pause(call(("charge", {"amount": 5})))
        obeying.decide(review, APPROVE)
        obeying.wait_settled(review.id)
        say(obeying, broken, '"hello"')
        assert obeying.wait_status(broken, "idle").error == ""
        assert obeying.last_words(broken) == "done"


def test_a_tool_that_raises_settles_its_review_as_failed(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 13})))
        obeying.decide(review, APPROVE)
        assert obeying.wait_settled(review.id).outcome == "tool failed: ValueError: unlucky"
        failed = obeying.wait_status(review.thread_id, "failed")
        assert failed.error == "ValueError: unlucky"
        say(obeying, review.thread_id, '"hello"')
        obeying.wait_status(review.thread_id, "idle")
        assert obeying.last_words(review.thread_id) == "done"
    assert effects(obeying.folder) == ["charge 13"]


def test_after_a_half_failed_turn_every_call_has_a_result_and_none_runs_again(obeying: World) -> None:
    """Providers refuse a history with a call that has no result."""
    (obeying.folder / "fuse").touch()
    with obeying.worker():
        thread_id = obeying.start(call(("note", {"text": "x"}), ("boom", {}), ("note", {"text": "y"})))
        wait_for(lambda: [row[2] for row in obeying.journal(thread_id) if row[0] == "note"] == ["ok", "ok"])
        (obeying.folder / "fuse").unlink()
        obeying.wait_status(thread_id, "failed")
        done = sorted(effects(obeying.folder))
        say(obeying, thread_id, '"hello"')
        obeying.wait_status(thread_id, "idle")
    messages = obeying.messages(thread_id)
    calls = {c.id: c for m in messages for c in m.tool_calls}
    results = [m.tool_call_id for m in messages if m.role == "tool"]
    assert sorted(results) == sorted(calls)
    assert sorted(effects(obeying.folder)) == done
    assert done == ["note x", "note y"]
    told = {c.args_text: (c.state, c.result) for c in calls.values()}
    assert told['{"text": "x"}'] == ("ran", "noted x")
    assert told['{"text": "y"}'] == ("ran", "noted y")
    assert told["{}"][0] == "failed"


def test_a_sibling_that_still_runs_when_its_turn_fails_is_uncertain(obeying: World) -> None:
    (obeying.folder / "hold").touch()
    (obeying.folder / "fuse").touch()
    with obeying.worker():
        thread_id = obeying.start(call(("note", {"text": "x"}), ("boom", {})))
        wait_for(lambda: len(obeying.journal(thread_id)) == 2)
        (obeying.folder / "fuse").unlink()
        assert "note" in obeying.wait_status(thread_id, "stuck").error
        (obeying.folder / "hold").unlink()
        with pytest.raises(Conflict):
            say(obeying, thread_id, '"hello"')


@pytest.mark.parametrize("decided", [False, True])
def test_a_request_that_changed_with_the_agents_code_is_shown_anew(
    folder: Any, worlds: Any, decided: bool
) -> None:
    """What was approved is what was shown, and a changed tool does not bury the review."""

    def world_with(words: str) -> World:
        source = LocalSource(OBEDIENT, obedient(folder, words=words), folder / "checkpoints.db")
        made: World = worlds(deps_over(folder, {OBEDIENT: source}), OBEDIENT)
        return made

    old, new = world_with("Take money"), world_with("Take money for ever")
    with old.worker():
        review = old.pause(call(("charge", {"amount": 5})))
    if decided:
        old.decide(review, APPROVE)
    with new.worker():
        if not decided:
            with pytest.raises(Conflict) as refused:
                new.decide(review, APPROVE)
            assert refused.value.stale
        wait_for(lambda: "reopened" in new.kinds(review.id))
        again = new.review(review.id)
        assert (again.status, again.decided_by) == ("open", None)
        assert again.digest != review.digest
        assert again.version == review.version + (2 if decided else 1)
        assert new.queue() == [review.id]
        assert effects(folder) == []
        new.wait_status(review.thread_id, "paused")
        new.decide(again, APPROVE, by="sue")
        new.wait_settled(review.id)
    assert effects(folder) == ["charge 5"]


def test_trying_a_failed_run_again_does_not_repeat_a_tool(obeying: World) -> None:
    with obeying.worker():
        thread_id = obeying.start(
            call(
                ("boom", {}),
            )
        )
        obeying.wait_status(thread_id, "failed")
        with pytest.raises(Conflict) as refused:
            chat.retry(obeying.deps, obeying.cast["sam"], OBEDIENT, thread_id)
        assert refused.value.reason == "tool-began"
    assert len(obeying.journal(thread_id)) == 1


def test_a_message_is_not_lost_when_a_run_ends_at_the_same_moment(obeying: World, monkeypatch: Any) -> None:
    """Between reading the thread and writing the message, another person's message may have run."""
    source = obeying.deps.sources[OBEDIENT]
    real = source.snapshot
    with obeying.worker():
        thread_id = obeying.start('"one"')
        obeying.wait_status(thread_id, "idle")

        def slow(asked: str) -> Any:
            found = real(asked)
            monkeypatch.setattr(source, "snapshot", real)
            say(obeying, thread_id, '"two"')
            obeying.wait_status(thread_id, "idle")
            return found

        monkeypatch.setattr(source, "snapshot", slow)
        try:
            say(obeying, thread_id, '"three"')
            told = True
        except Conflict:
            told = False
        obeying.wait_status(thread_id, "idle")
        said = [m.text for m in obeying.messages(thread_id) if m.role == "human"]
        assert said == ['"one"', '"two"', *(['"three"'] if told else [])]


def test_two_calls_with_one_id_can_be_read_by_nobody(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 1}, "same"), ("charge", {"amount": 2}, "same")))
        assert (review.kind, review.actions, review.may_decide) == ("unreadable", [], False)
        assert "one tool call id" in review.note
        for decisions in ([], [APPROVE], [APPROVE, APPROVE], [REJECT, REJECT]):
            with pytest.raises(Invalid):
                obeying.decide(review, *decisions)
        with pytest.raises(Invalid):
            obeying.decide(review, answer={"decisions": [APPROVE, APPROVE]})
    assert effects(obeying.folder) == []


@pytest.mark.parametrize("mode", ["batched", "per_call"])
def test_a_call_with_the_id_of_an_earlier_turn_can_be_read_by_nobody(
    folder: Any, worlds: Any, mode: str
) -> None:
    """Id and thread are what keeps a call from running twice, so one id cannot mean two calls."""
    source = LocalSource(OBEDIENT, obedient(folder, mode=mode), folder / "checkpoints.db")
    world: World = worlds(deps_over(folder, {OBEDIENT: source}), OBEDIENT)
    with world.worker():
        first = world.pause(call(("charge", {"amount": 1}, "again")))
        world.decide(first, APPROVE)
        world.wait_settled(first.id)
        say(world, first.thread_id, call(("charge", {"amount": 2}, "again")))
        world.wait_status(first.thread_id, "paused")
        (second,) = world.reviews(first.thread_id)
        assert (second.kind, second.may_decide) == ("unreadable", False)
        assert "earlier" in second.note
    assert effects(folder) == ["charge 1"]


def test_arguments_nested_too_deep_for_exact_text_can_be_read_by_nobody(obeying: World) -> None:
    deep: Any = 1
    for _ in range(150):
        deep = [deep]
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 1, "extra": {"a": deep}})))
        assert (review.kind, review.may_decide) == ("unreadable", False)
        assert "nested" in review.note
        assert obeying.messages(review.thread_id)[-1].tool_calls


def test_a_half_begun_pause_after_a_crash_settles_only_what_is_known(per_call: World) -> None:
    """One of two approved calls began before the process ended: the other is not called settled."""
    with per_call.worker():
        thread_id = per_call.pause(call(("charge", {"amount": 1}), ("charge", {"amount": 2}))).thread_id
    first, second = per_call.reviews(thread_id)
    per_call.decide(first, APPROVE)
    per_call.decide(second, APPROVE)
    pretend_a_start(per_call, thread_id, first.actions[0])
    with per_call.worker():
        per_call.wait_status(thread_id, "stuck")
        assert per_call.review(first.id).status == "stuck"
        assert per_call.review(second.id).status == "stuck"
        assert set(per_call.queue()) == {first.id, second.id}
    assert effects(per_call.folder) == []


def pretend_a_start(world: World, thread_id: str, action: Any) -> None:
    """What a process leaves behind that was killed inside the tool."""
    with sqlite3.connect(world.folder / "console.db") as db:
        db.execute(
            "INSERT INTO tool_run (source, thread_id, tool_call_id, name, args_text, fence, owner,"
            " started_at, error) VALUES (?, ?, ?, ?, ?, 1, 'x', '2026-01-01 00:00:00.000000', '')",
            (world.source, thread_id, action.tool_call_id, action.name, action.args_text),
        )
        db.execute("UPDATE outbox SET state = 'dispatched' WHERE kind = 'resume'")


def test_a_failed_tool_does_not_leave_a_pause_that_nobody_can_answer(per_call: World) -> None:
    """LangGraph goes on showing the interrupt of a per-call tool that raised."""
    with per_call.worker():
        review = per_call.pause(call(("charge", {"amount": 13})))
        per_call.decide(review, APPROVE)
        assert per_call.wait_settled(review.id).outcome == "tool failed: ValueError: unlucky"
        assert per_call.wait_status(review.thread_id, "failed").error == "ValueError: unlucky"
        observe(per_call.deps, OBEDIENT, review.thread_id)
        assert per_call.thread(review.thread_id).status == "failed"
        say(per_call, review.thread_id, '"hello"')
        per_call.wait_status(review.thread_id, "idle")
        assert per_call.last_words(review.thread_id) == "done"
        assert per_call.queue() == []
    assert effects(per_call.folder) == ["charge 13"]


@pytest.mark.parametrize("decision", [REJECT, APPROVE, edit("charge", amount=7)])
def test_a_run_that_does_other_than_decided_is_an_alarm(
    obeying: World, monkeypatch: Any, decision: Any
) -> None:
    """The answer is exchanged on its way to the run, as a flaw in a graph or its middleware might do."""
    wrong = {"decisions": [edit("charge", amount=666)]}
    monkeypatch.setattr(planning, "shaped", lambda *_: wrong)
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5})))
        obeying.decide(review, decision)
        alarm = obeying.wait_settled(review.id, "mismatch")
        assert alarm.outcome in {"ran although it was rejected", "ran with other arguments than decided"}
        assert obeying.queue() == [review.id]
        (told,) = obeying.ledger(review=review.id, kind="mismatch")
        assert told.actions[0].final_args == '{"amount": 666}'


def test_an_answer_that_the_run_refuses_reopens_the_review_in_its_next_version(
    per_call: World, monkeypatch: Any
) -> None:
    """In per_call mode a wrong answer is refused before anything is stored."""
    monkeypatch.setattr(planning, "shaped", lambda *_: {"type": "nonsense"})
    with per_call.worker():
        review = per_call.pause(call(("charge", {"amount": 5})))
        per_call.decide(review, APPROVE)
        wait_for(lambda: "reopened" in per_call.kinds(review.id))
        again = per_call.review(review.id)
        assert (again.status, again.decided_by) == ("open", None)
        assert again.version > review.version + 1
        assert per_call.wait_status(review.thread_id, "paused")
        with pytest.raises(Conflict) as refused:
            per_call.decide(review, APPROVE)
        assert refused.value.stale
        monkeypatch.setattr(planning, "shaped", shaped)
        per_call.decide(again, APPROVE, by="sue")
        assert per_call.wait_settled(review.id).decided_by == "sue"
    assert effects(per_call.folder) == ["charge 5"]


def test_the_record_of_a_decision_is_what_was_decided(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5, "to": "\u202e"})))
        obeying.decide(review, edit("charge", amount=2**53 + 1, to="x"))
        obeying.wait_settled(review.id)
    ((body,),) = obeying.table("SELECT body_text FROM decision")
    assert json.loads(body) == {"decisions": [edit("charge", amount=2**53 + 1, to="x")]}
    assert obeying.journal(review.thread_id) == [("charge", '{"amount": 9007199254740993, "to": "x"}', "ok")]
    assert effects(obeying.folder) == ["charge 9007199254740993"]
