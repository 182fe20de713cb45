"""What a person does about a thread that cannot go on: each way out runs what it says, and is recorded."""

from __future__ import annotations

from typing import Any

import pytest

from console.domain.errors import Conflict, ConsoleError, Forbidden, Invalid, NotFound
from console.domain.review import ThreadStatus
from console.services import chat, inbox
from console.services.resolve import cancel, repair, resolve
from console.services.views import ReviewView
from console.sources.port import Run
from console.store import threads
from console.store.engine import write
from tests.services.agents import effects
from tests.services.processes import CONTEXT, die_after_the_tool, kill, process, say_and_work, work
from tests.services.world import APPROVE, OBEDIENT, World, call, wait_for

KNOWN = {"reason": "asked the bank", "result": "charged 5"}


@pytest.fixture
def stuck(obeying: World) -> ReviewView:
    """A review whose tool began in a process that was killed inside it."""
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5}), ("note", {"text": "after"})))
    obeying.decide(review, APPROVE)
    (obeying.folder / "hold").touch()
    ready, stop = CONTEXT.Event(), CONTEXT.Event()
    with process(work, obeying.folder, OBEDIENT, ready, stop) as victim:
        wait_for(lambda: "charge 5" in effects(obeying.folder))
        kill(victim)
    (obeying.folder / "hold").unlink()
    with obeying.worker():
        return obeying.wait_settled(review.id, "stuck")


def settle(world: World, review: ReviewView, choice: str, by: str = "sam", **more: Any) -> None:
    where = review.source, review.thread_id
    resolve(world.deps, world.cast[by], *where, choice=choice, **{**KNOWN, **more})


def results(world: World, thread_id: str) -> dict[str, str]:
    return {m.name: m.text for m in world.messages(thread_id) if m.role == "tool"}


def charges(world: World) -> int:
    return effects(world.folder).count("charge 5")


def test_it_did_run_gives_the_agent_that_result_and_runs_nothing(obeying: World, stuck: ReviewView) -> None:
    with obeying.worker():
        settle(obeying, stuck, "ran")
        obeying.wait_status(stuck.thread_id, "idle")
    assert charges(obeying) == 1
    assert results(obeying, stuck.thread_id)["charge"] == "charged 5"
    assert obeying.last_words(stuck.thread_id) == "done"
    after = obeying.review(stuck.id)
    assert (after.status, after.outcome) == ("settled", "ran, as sam found out")
    assert obeying.queue() == []


def test_it_did_not_run_runs_it_once_and_settles_it_as_decided(obeying: World, stuck: ReviewView) -> None:
    with obeying.worker():
        settle(obeying, stuck, "not_run")
        assert obeying.wait_settled(stuck.id).outcome == "ran"
        obeying.wait_status(stuck.thread_id, "idle")
    assert charges(obeying) == 2, "once by the killed process, once because a person said so"
    assert results(obeying, stuck.thread_id)["charge"] == "charged 5"


def test_giving_up_tells_the_agent_that_nobody_knows(obeying: World, stuck: ReviewView) -> None:
    with obeying.worker():
        settle(obeying, stuck, "give_up")
        obeying.wait_status(stuck.thread_id, "idle")
        chat.say(obeying.deps, obeying.cast["sam"], OBEDIENT, stuck.thread_id, "go on")
        obeying.wait_status(stuck.thread_id, "idle", "failed")
    assert charges(obeying) == 1
    assert "could not be established" in results(obeying, stuck.thread_id)["charge"]
    assert obeying.review(stuck.id).outcome == "uncertain, closed by sam"


@pytest.mark.parametrize("choice", ["ran", "not_run", "give_up"])
def test_the_choice_and_its_reason_are_on_record_before_the_run(
    obeying: World, stuck: ReviewView, choice: str
) -> None:
    settle(obeying, stuck, choice)
    (entry,) = obeying.ledger(kind="stuck_resolved")
    assert (entry.actor, entry.review_id) == ("sam", stuck.id)
    assert (entry.body["choice"], entry.body["reason"]) == (choice, KNOWN["reason"])
    assert obeying.thread(stuck.thread_id).status == "running"
    with pytest.raises(Conflict):
        settle(obeying, stuck, choice)


@pytest.mark.parametrize(
    ("said", "pointer"),
    [
        ({"choice": "maybe"}, "/choice"),
        ({"choice": None}, "/choice"),
        ({"choice": "ran", "reason": " "}, "/reason"),
        ({"choice": "ran", "reason": 5}, "/reason"),
        ({"choice": "ran", "result": ""}, "/result"),
        ({"choice": "ran", "result": "\ud800"}, "/result"),
        ({"choice": "give_up", "reason": "x" * 2_001}, "/reason"),
    ],
)
def test_an_incomplete_choice_is_invalid_and_changes_nothing(
    obeying: World, stuck: ReviewView, said: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(Invalid) as refused:
        settle(obeying, stuck, **said)
    assert [problem.pointer for problem in refused.value.problems] == [pointer]
    assert obeying.review(stuck.id).status == "stuck"


@pytest.mark.parametrize("name", ["quinn", "ada", "mallory"])
def test_only_supervisors_settle_and_close(obeying: World, stuck: ReviewView, name: str) -> None:
    with pytest.raises(Forbidden):
        settle(obeying, stuck, "give_up", by=name)
    with pytest.raises(Forbidden):
        cancel(obeying.deps, obeying.cast[name], stuck.id)


def test_running_it_again_is_refused_while_its_process_lives(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5})))
    obeying.decide(review, APPROVE)
    (obeying.folder / "hold").touch()
    ready, stop = CONTEXT.Event(), CONTEXT.Event()
    with process(work, obeying.folder, OBEDIENT, ready, stop) as living:
        wait_for(lambda: effects(obeying.folder) == ["charge 5"])
        with write(obeying.deps.engine) as connection:
            threads.move(connection, OBEDIENT, review.thread_id, list(ThreadStatus), ThreadStatus.STUCK)
        with pytest.raises(Conflict, match="still lives"):
            settle(obeying, review, "not_run")
        kill(living)


def test_what_ran_to_its_end_is_not_run_again(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5})))
    obeying.decide(review, APPROVE)
    with process(die_after_the_tool, obeying.folder) as victim:
        victim.join(20)
    with obeying.worker():
        obeying.wait_settled(review.id, "stuck")
        with pytest.raises(Conflict, match="did run to its end"):
            settle(obeying, review, "not_run")
        settle(obeying, review, "ran")
        obeying.wait_status(review.thread_id, "idle")
    assert charges(obeying) == 1


def test_a_free_tool_in_doubt_is_settled_by_its_thread(obeying: World) -> None:
    (obeying.folder / "hold").touch()
    with process(say_and_work, obeying.folder, call(("note", {"text": "x"}))) as victim:
        wait_for(lambda: effects(obeying.folder) == ["note x"])
        kill(victim)
    (obeying.folder / "hold").unlink()
    ((thread_id,),) = obeying.table("SELECT thread_id FROM thread")
    with obeying.worker():
        obeying.wait_status(thread_id, "stuck")
        (shown,) = obeying.queue()
        doubt = obeying.review(shown)
        assert [(each.name, each.args_text, each.allowed_decisions) for each in doubt.actions] == [
            ("note", '{"text": "x"}', ())
        ]
        assert (doubt.status, doubt.may_decide) == ("stuck", False)
        resolve(
            obeying.deps, obeying.cast["sue"], OBEDIENT, thread_id, choice="not_run", reason="saw no note"
        )
        obeying.wait_status(thread_id, "idle")
    assert effects(obeying.folder) == ["note x", "note x"]
    (entry,) = obeying.ledger(kind="stuck_resolved")
    assert (entry.review_id, entry.thread_id) == (shown, thread_id)
    assert obeying.queue() == []
    assert obeying.review(shown).outcome == "did not run, as sue found out; it is run again"
    assert obeying.kinds(shown) == ["stuck", "stuck_resolved", "settled"]


def test_closing_runs_nothing_and_leaves_a_thread_one_can_write_to(either: World) -> None:
    review = either.pause("Refund A-2048 699 and refund A-2049 450 and text the customer")
    cancel(either.deps, either.cast["sam"], review.id, "the customer called back")
    either.wait_status(review.thread_id, "idle")
    assert either.refunds() == []
    assert {each.status for each in either.reviews(review.thread_id)} == {"cancelled"}
    told = [m.text for m in either.messages(review.thread_id) if m.role == "tool"]
    assert len(told) == 3
    assert all("the customer called back" in text for text in told)
    assert either.queue() == []
    chat.say(either.deps, either.cast["sam"], review.source, review.thread_id, "Refund A-2048 650")
    either.wait_status(review.thread_id, "paused")


def test_a_closed_review_takes_no_verdict_and_a_decided_one_is_not_closed(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    cancel(world.deps, world.cast["sam"], review.id)
    with pytest.raises(Conflict):
        world.decide(review, APPROVE)
    world.wait_status(review.thread_id, "idle")
    other = world.pause("Refund A-2049 450")
    world.decide(other, APPROVE)
    world.wait_settled(other.id)
    with pytest.raises(Conflict):
        cancel(world.deps, world.cast["sue"], other.id)
    assert len(world.refunds()) == 1


def test_a_verdict_that_came_in_between_is_not_taken_back(idle: World) -> None:
    with idle.worker():
        review = idle.pause("Refund A-2048 699")
    idle.decide(review, APPROVE, by="sue")
    with pytest.raises(Conflict) as refused:
        cancel(idle.deps, idle.cast["sam"], review.id, "", review.version)
    assert refused.value.stale
    with idle.worker():
        assert idle.wait_settled(review.id).outcome == "ran"


def test_what_is_not_visible_cannot_be_closed(world: World) -> None:
    with pytest.raises(NotFound):
        cancel(world.deps, world.cast["sam"], "0" * 32)


def poison(world: World, review: ReviewView) -> None:
    """As a bare client does: answer with too few decisions, past the console."""
    import asyncio

    from tests.api.conftest import Quiet

    source = world.deps.sources[review.source]

    async def answer() -> None:
        await source.open()
        try:
            bad = {review.interrupt_id: {"decisions": []}}
            await source.run(Run(review.thread_id, answers=bad), Quiet(), Quiet())
        except ValueError:
            pass
        finally:
            await source.close()

    asyncio.run(answer())


def test_a_poisoned_thread_is_repaired_and_asks_again(idle: World) -> None:
    with idle.worker():
        review = idle.pause("Refund A-2048 699")
    poison(idle, review)
    with pytest.raises(Conflict):
        idle.decide(review, APPROVE)
    assert idle.thread(review.thread_id).status == "poisoned"
    with pytest.raises(Forbidden):
        repair(idle.deps, idle.cast["sam"], review.id)
    with idle.worker():
        repair(idle.deps, idle.cast["ada"], review.id)
        idle.wait_status(review.thread_id, "paused")
        (again,) = inbox.thread_reviews(idle.deps, idle.cast["sam"], review.source, review.thread_id)
        assert again.id != review.id
        idle.decide(again, APPROVE)
        assert idle.wait_settled(again.id).outcome == "ran"
    assert len(idle.refunds()) == 1
    assert idle.review(review.id).status == "superseded"
    assert [entry.actor for entry in idle.ledger(kind="repaired")] == ["ada"]


def test_a_poisoned_thread_can_be_closed_instead(idle: World) -> None:
    with idle.worker():
        review = idle.pause("Refund A-2048 699")
    poison(idle, review)
    with pytest.raises(ConsoleError):
        idle.decide(review, APPROVE)
    with idle.worker():
        cancel(idle.deps, idle.cast["sam"], review.id)
        idle.wait_status(review.thread_id, "idle")
    assert idle.refunds() == []


def test_a_healthy_thread_is_not_repaired(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    with pytest.raises(Conflict):
        repair(world.deps, world.cast["ada"], review.id)
