"""What is refused, with which reason, and that it changes nothing."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

import pytest

from console.domain.errors import (
    BadRequest,
    Conflict,
    Invalid,
    NotFound,
    Unavailable,
)
from console.services import chat, decide, inbox
from console.services.decide import MISSING
from console.services.views import ReviewView
from console.sources.port import Run
from tests.services.world import APPROVE, REJECT, World, call, demo_deps, wait_for

NAN = float("nan")


def test_a_problem_names_the_position_it_is_at(world: World) -> None:
    review = world.pause("Refund A-2048 699 and refund A-2049 450 and text the customer")
    with pytest.raises(Invalid) as refused:
        world.decide(review, APPROVE, {"type": "respond", "message": "x"}, {"type": "reject", "message": 1})
    assert [(p.position, p.pointer) for p in refused.value.problems] == [
        (1, "/decisions/1/type"),
        (2, "/decisions/2/message"),
    ]


@pytest.mark.parametrize("decisions", [None, {}, "approve", {"0": APPROVE}, 1, NAN, MISSING])
def test_decisions_are_a_list(idle: World, decisions: Any) -> None:
    review = paused_by_hand(idle, "Refund A-2048 699")
    with pytest.raises(Invalid) as refused:
        idle.decide(review, decisions=decisions)
    assert refused.value.problems[0].pointer == "/decisions"


def paused_by_hand(world: World, text: str) -> ReviewView:
    with world.worker():
        return world.pause(text)


@pytest.mark.parametrize("message", [None, "", "   ", "\n\t", MISSING])
def test_a_response_has_text(world: World, message: Any) -> None:
    review = world.pause("ask your supervisor whether 10% off is fine")
    decision = {"type": "respond", **({} if message is MISSING else {"message": message})}
    with pytest.raises(Invalid) as refused:
        world.decide(review, decision)
    assert (refused.value.problems[0].position, refused.value.problems[0].pointer) == (
        0,
        "/decisions/0/message",
    )
    world.decide(review, {"type": "respond", "message": "fine"})
    world.wait_settled(review.id)


def test_an_approval_takes_no_answer(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    with pytest.raises(Invalid) as refused:
        world.decide(review, APPROVE, answer=True)
    assert refused.value.problems[0].pointer == "/answer"


@pytest.mark.parametrize("review_id", ["", "0" * 32, "x", "a" * 5000, "\ud800", "\x00", "' OR 1=1 --"])
def test_an_unknown_review_is_not_found(idle: World, review_id: str) -> None:
    with pytest.raises(NotFound):
        decide.decide(idle.deps, idle.cast["sam"], review_id, version=1, digest="", decisions=[APPROVE])
    with pytest.raises(NotFound):
        inbox.review(idle.deps, idle.cast["sam"], review_id)


def test_whoever_is_second_hears_who_was_first_and_when(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    first = world.decide(review, REJECT, by="sue")
    for decisions in ([APPROVE], [REJECT], ["rubbish"]):
        with pytest.raises(Conflict) as refused:
            world.decide(review, *decisions)
        assert (refused.value.decided_by, refused.value.decided_at) == ("sue", first.decided_at)
        assert "sue" in refused.value.detail
        assert first.decided_at.strftime("%H:%M:%S") in refused.value.detail
    world.wait_settled(review.id)
    with pytest.raises(Conflict) as refused:
        world.decide(world.review(review.id), APPROVE)
    assert refused.value.decided_by == "sue"
    assert world.lost_count(review.id) == 4
    assert world.refunds() == []


@pytest.mark.parametrize(
    "seen", [{"version": 2}, {"version": 0}, {"digest": "0" * 64}, {"digest": ""}, {"digest": "\ud800"}]
)
def test_a_verdict_on_something_else_than_is_there_now_is_stale(world: World, seen: dict[str, Any]) -> None:
    review = world.pause("Refund A-2048 699")
    with pytest.raises(Conflict) as refused:
        world.decide(review, APPROVE, **seen)
    assert refused.value.stale
    assert world.review(review.id).status == "open"


def test_a_verdict_on_a_thread_that_moved_on_elsewhere_is_stale_and_closes_the_review(idle: World) -> None:
    review = paused_by_hand(idle, "Refund A-2048 699")
    run_elsewhere(idle, Run(review.thread_id, message="Never mind"))
    with pytest.raises(Conflict) as refused:
        idle.decide(review, APPROVE)
    assert refused.value.stale
    assert idle.review(review.id).status == "superseded"
    assert idle.queue() == []
    assert idle.refunds() == []


def test_a_verdict_that_was_recorded_before_the_thread_moved_on_is_never_run(idle: World) -> None:
    review = paused_by_hand(idle, "Refund A-2048 699")
    idle.decide(review, APPROVE)
    run_elsewhere(idle, Run(review.thread_id, message="Refund A-2049 450"))
    with idle.worker():
        closed = idle.wait_settled(review.id, "superseded")
        assert closed.decided_by == "sam"
        (open_now,) = wait_for(lambda: idle.queue())
        assert open_now != review.id
    assert idle.refunds() == []
    assert idle.kinds(review.id) == ["opened", "decided", "superseded"]


class Nobody:
    def start(self, tool_call_id: str, name: str, args_text: str) -> int:
        return 1

    def end(self, run_id: int, ended: str, error: str) -> None: ...

    def token(self, text: str) -> None: ...

    def step(self) -> None: ...


def run_elsewhere(world: World, run: Run) -> None:
    """What another program does to the same checkpoints, unknown to the console."""
    other = demo_deps(world.folder).sources["support"]

    async def drive() -> None:
        await other.open()
        await other.run(run, Nobody(), Nobody())
        await other.close()

    asyncio.run(drive())


def test_no_message_goes_into_a_paused_thread(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    with pytest.raises(Conflict) as refused:
        chat.say(world.deps, world.cast["sam"], "support", review.thread_id, "hello?")
    assert refused.value.reason == "thread-paused"
    assert world.review(review.id).status == "open"
    assert world.reviews(review.thread_id)[0].id == review.id


def test_no_message_goes_into_a_thread_that_another_program_paused(idle: World) -> None:
    with idle.worker():
        thread_id = idle.start("hello")
        idle.wait_status(thread_id, "idle")
    run_elsewhere(idle, Run(thread_id, message="Refund A-2048 699"))
    with pytest.raises(Conflict):
        chat.say(idle.deps, idle.cast["sam"], "support", thread_id, "hello?")
    assert [r.status for r in idle.reviews(thread_id)] == ["open"]


@pytest.mark.parametrize("text", ["", "  \n", "x" * 10_001, "\ud800", "a\x00b"])
def test_a_message_that_cannot_be_kept_is_invalid(world: World, text: str) -> None:
    with pytest.raises(Invalid):
        world.start(text)
    assert world.table("SELECT count(*) FROM thread") == [(0,)]


def test_the_first_answer_is_given_again_to_the_same_request(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    first = world.decide(review, APPROVE, idempotency_key="k")
    assert {repr(world.decide(review, APPROVE, idempotency_key="k")) for _ in range(100)} == {repr(first)}
    world.wait_settled(review.id)
    assert world.decide(review, APPROVE, idempotency_key="k") == first
    assert len(world.refunds()) == 1
    assert world.kinds(review.id).count("decided") == 1
    assert world.lost_count(review.id) == 0


def test_a_key_serves_one_request_and_one_person_and_no_second_verdict(world: World) -> None:
    review, other = world.pause("Refund A-2048 699"), world.pause("Refund A-2049 450")
    world.decide(review, APPROVE, idempotency_key="k")
    with pytest.raises(Conflict) as refused:
        world.decide(review, REJECT, idempotency_key="k")
    assert refused.value.reason == "idempotency-key-reused"
    with pytest.raises(Conflict) as refused:
        world.decide(other, APPROVE, idempotency_key="k")
    assert refused.value.reason == "idempotency-key-reused"
    with pytest.raises(Conflict) as refused:
        world.decide(review, APPROVE, idempotency_key="another")
    assert refused.value.decided_by == "sam"
    assert world.decide(other, APPROVE, by="sue", idempotency_key="k").decided_by == "sue"


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 129, "ü", "a\n", "\x7f"])
def test_a_key_is_visible_ascii(world: World, key: str) -> None:
    review = world.pause("Refund A-2048 699")
    with pytest.raises(BadRequest):
        world.decide(review, APPROVE, idempotency_key=key)


def test_a_damaged_checkpoint_is_a_refusal_that_changes_nothing(idle: World) -> None:
    review = paused_by_hand(idle, "Refund A-2048 699")
    with sqlite3.connect(idle.folder / "checkpoints.db") as db:
        db.execute("UPDATE checkpoints SET checkpoint = x'c1'")
    for look in (
        lambda: idle.decide(review, APPROVE),
        lambda: chat.say(idle.deps, idle.cast["sam"], "support", review.thread_id, "hello"),
        lambda: chat.messages(idle.deps, idle.cast["sam"], "support", review.thread_id),
    ):
        with pytest.raises(Unavailable):
            look()
    assert idle.review(review.id).status == "open"
    assert idle.kinds(review.id) == ["opened"]


def test_obedient_calls_are_what_the_message_says(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5}), ("note", {"text": "x"})))
    assert [(a.name, a.args) for a in review.actions] == [("charge", {"amount": 5})]
