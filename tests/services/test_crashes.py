"""kill -9 at every moment between a verdict and its outcome: nothing is lost, and nothing happens twice."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from console.services import chat
from console.services.views import ReviewView
from tests.services.agents import effects
from tests.services.processes import (
    CONTEXT,
    decide_and_die,
    die_after_the_tool,
    die_at,
    die_in_commit,
    kill,
    process,
    say_and_work,
    work,
)
from tests.services.world import APPROVE, OBEDIENT, PATIENCE, REJECT, World, call, wait_for


def pause(world: World, text: str) -> ReviewView:
    with world.worker():
        return world.pause(text)


def died(victim: Any) -> None:
    victim.join(PATIENCE)
    assert victim.exitcode == -signal.SIGKILL


def test_killed_between_the_commit_and_the_resume_the_refund_happens_once(idle: World) -> None:
    review = pause(idle, "Refund A-2048 699")
    with process(decide_and_die, idle.folder, review.id, review.digest) as victim:
        died(victim)
    assert idle.review(review.id).status == "decided"
    assert idle.refunds() == []
    with idle.worker():
        assert idle.wait_settled(review.id).outcome == "ran"
    assert len(idle.refunds()) == 1
    assert idle.kinds(review.id) == ["opened", "decided", "dispatched", "settled"]


def test_killed_before_the_commit_nothing_was_decided(idle: World) -> None:
    review = pause(idle, "Refund A-2048 699")
    with process(die_in_commit, idle.folder, review.id, review.digest) as victim:
        died(victim)
    assert idle.review(review.id).status == "open"
    assert idle.kinds(review.id) == ["opened"]
    assert idle.table("SELECT count(*) FROM decision") == [(0,)]
    assert idle.table("SELECT count(*) FROM outbox WHERE kind = 'resume'") == [(0,)]
    idle.decide(review, REJECT, by="sue")


@pytest.mark.parametrize("moment", ["taken", "dispatched", "ran"])
def test_killed_at_a_step_of_the_worker_the_refund_happens_once(idle: World, moment: str) -> None:
    review = pause(idle, "Refund A-2048 699")
    idle.decide(review, APPROVE)
    with process(die_at, idle.folder, moment) as victim:
        died(victim)
    assert effects(idle.folder) == [f"died {moment}"]
    assert idle.review(review.id).status == ("decided" if moment == "taken" else "resuming")
    assert len(idle.refunds()) == (1 if moment == "ran" else 0)
    with idle.worker():
        assert idle.wait_settled(review.id).outcome == "ran"
        idle.wait_status(review.thread_id, "idle")
    assert len(idle.refunds()) == 1
    assert idle.kinds(review.id) == ["opened", "decided", "dispatched", "settled"]


def test_killed_inside_the_tool_it_is_stuck_and_never_runs_again(obeying: World) -> None:
    review = pause(obeying, call(("charge", {"amount": 5})))
    obeying.decide(review, APPROVE)
    (obeying.folder / "hold").touch()
    ready, stop = CONTEXT.Event(), CONTEXT.Event()
    with process(work, obeying.folder, OBEDIENT, ready, stop) as victim:
        wait_for(lambda: effects(obeying.folder) == ["charge 5"])
        kill(victim)
    (obeying.folder / "hold").unlink()
    for _ in range(2):
        with obeying.worker():
            stuck = obeying.wait_settled(review.id, "stuck")
            thread = obeying.wait_status(review.thread_id, "stuck")
    assert "uncertain" in stuck.outcome
    assert "charge" in thread.error or "uncertain" in thread.error
    assert obeying.queue() == [review.id]
    assert effects(obeying.folder) == ["charge 5"]
    assert obeying.kinds(review.id) == ["opened", "decided", "dispatched", "stuck"]
    assert obeying.journal(review.thread_id) == [("charge", '{"amount": 5}', None)]


def test_killed_while_reviews_wait_the_queue_is_the_same_and_deciding_works(obeying: World) -> None:
    ready, stop = CONTEXT.Event(), CONTEXT.Event()
    with process(work, obeying.folder, OBEDIENT, ready, stop) as victim:
        reviews = [obeying.pause(call(("charge", {"amount": n}))) for n in (1, 2, 3)]
        before = obeying.queue()
        kill(victim)
    assert before == [review.id for review in reviews]
    with obeying.worker():
        assert obeying.queue() == before
        obeying.decide(reviews[1], APPROVE)
        obeying.wait_settled(reviews[1].id)
        assert obeying.queue() == [reviews[0].id, reviews[2].id]
    assert effects(obeying.folder) == ["charge 2"]


def test_killed_while_the_agent_thinks_the_conversation_goes_on_once(obeying: World) -> None:
    (obeying.folder / "hold").touch()
    with process(say_and_work, obeying.folder, '"ponder"') as victim:
        wait_for(lambda: effects(obeying.folder) == ["ponder"])
        kill(victim)
    (obeying.folder / "hold").unlink()
    ((thread_id,),) = obeying.table("SELECT thread_id FROM thread")
    assert obeying.thread(thread_id).status == "running"
    with obeying.worker():
        obeying.wait_status(thread_id, "idle")
    assert [(m.role, m.text) for m in obeying.messages(thread_id)] == [("human", '"ponder"'), ("ai", "done")]


def test_killed_inside_a_free_tool_it_does_not_run_again_and_the_thread_says_so(obeying: World) -> None:
    (obeying.folder / "hold").touch()
    with process(say_and_work, obeying.folder, call(("note", {"text": "x"}))) as victim:
        wait_for(lambda: effects(obeying.folder) == ["note x"])
        kill(victim)
    (obeying.folder / "hold").unlink()
    ((thread_id,),) = obeying.table("SELECT thread_id FROM thread")
    with obeying.worker():
        found = obeying.wait_status(thread_id, "stuck", "failed", "idle")
    assert (found.status, "note" in found.error) == ("stuck", True)
    assert effects(obeying.folder) == ["note x"]


def test_killed_after_the_tool_ended_it_does_not_run_again_and_is_uncertain(obeying: World) -> None:
    review = pause(obeying, call(("charge", {"amount": 5})))
    obeying.decide(review, APPROVE)
    with process(die_after_the_tool, obeying.folder) as victim:
        died(victim)
    with obeying.worker():
        assert "its result is not in the thread" in obeying.wait_settled(review.id, "stuck").outcome
    assert effects(obeying.folder) == ["charge 5"]
    assert obeying.journal(review.thread_id) == [("charge", '{"amount": 5}', "ok")]


def test_killed_after_a_free_tool_ended_the_agent_is_told_so_and_goes_on(obeying: World) -> None:
    with process(die_after_the_tool, obeying.folder, call(("note", {"text": "x"}))) as victim:
        died(victim)
    ((thread_id,),) = obeying.table("SELECT thread_id FROM thread")
    with obeying.worker():
        obeying.wait_status(thread_id, "failed")
        chat.say(obeying.deps, obeying.cast["sam"], OBEDIENT, thread_id, '"go on"')
        obeying.wait_status(thread_id, "idle")
    assert effects(obeying.folder) == ["note x"]
    (result,) = [m.text for m in obeying.messages(thread_id) if m.role == "tool"]
    assert result.startswith("This call ran to its end.")


def test_a_worker_takes_over_at_once_from_one_that_is_dead(idle: World) -> None:
    """Not when the lease has lapsed: the dead owner's process is looked for."""
    review = pause(idle, "Refund A-2048 699")
    idle.decide(review, APPROVE)
    with process(die_at, idle.folder, "dispatched") as victim:
        died(victim)
    ((owner, until),) = idle.table("SELECT owner, until FROM run_lease")
    assert owner is not None
    with idle.worker():
        idle.wait_settled(review.id)
    ((settled_at,),) = idle.table("SELECT settled_at FROM review")
    assert settled_at < until
