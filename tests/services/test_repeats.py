"""A crash inside a tool: one declared idempotent is called again by itself, and nothing else is."""

from __future__ import annotations

from typing import Any

from console.services import repeats
from console.settings import Settings
from tests.services.agents import effects
from tests.services.processes import CONTEXT, die_after_the_tool, kill, process, say_and_work, work
from tests.services.world import APPROVE, OBEDIENT, World, call, wait_for


def declare(world: World, tool: str) -> None:
    policy: Any = {"tools": {tool: {"idempotent": True}}}
    world.deps.settings = Settings(data=world.folder, demo=True, policy=policy)


def killed_inside_charge(world: World) -> str:
    with world.worker():
        review = world.pause(call(("charge", {"amount": 5})))
    world.decide(review, APPROVE)
    (world.folder / "hold").touch()
    with process(work, world.folder, OBEDIENT, CONTEXT.Event(), CONTEXT.Event()) as victim:
        wait_for(lambda: effects(world.folder) == ["charge 5"])
        kill(victim)
    (world.folder / "hold").unlink()
    return review.id


def test_an_idempotent_call_is_started_again_and_settles(obeying: World) -> None:
    review_id = killed_inside_charge(obeying)
    declare(obeying, "charge")
    with obeying.worker():
        assert obeying.wait_settled(review_id).outcome == "ran"
    assert effects(obeying.folder) == ["charge 5", "charge 5"]
    assert obeying.kinds(review_id) == ["opened", "decided", "dispatched", "retried", "settled"]
    assert [ended for _, _, ended in obeying.journal(obeying.review(review_id).thread_id)] == ["void", "ok"]


def test_another_tools_promise_does_not_count(obeying: World) -> None:
    review_id = killed_inside_charge(obeying)
    declare(obeying, "note")
    with obeying.worker():
        obeying.wait_settled(review_id, "stuck")
    assert effects(obeying.folder) == ["charge 5"]


def test_a_call_whose_process_may_live_is_not_started_again(obeying: World, monkeypatch: Any) -> None:
    review_id = killed_inside_charge(obeying)
    declare(obeying, "charge")
    monkeypatch.setattr(repeats, "is_dead", lambda _: False)
    with obeying.worker():
        obeying.wait_settled(review_id, "stuck")
    assert effects(obeying.folder) == ["charge 5"]


def test_a_call_that_ends_its_process_each_time_is_not_started_for_ever(
    obeying: World, monkeypatch: Any
) -> None:
    review_id = killed_inside_charge(obeying)
    declare(obeying, "charge")
    monkeypatch.setattr(repeats, "MAX_REPEATS", 0)
    with obeying.worker():
        obeying.wait_settled(review_id, "stuck")
    assert effects(obeying.folder) == ["charge 5"]


def test_a_call_that_ended_is_not_started_again_although_its_result_is_lost(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5})))
    obeying.decide(review, APPROVE)
    with process(die_after_the_tool, obeying.folder) as victim:
        victim.join(20)
    declare(obeying, "charge")
    with obeying.worker():
        obeying.wait_settled(review.id, "stuck")
    assert effects(obeying.folder) == ["charge 5"]


def test_a_free_call_is_started_again_too(obeying: World) -> None:
    (obeying.folder / "hold").touch()
    with process(say_and_work, obeying.folder, call(("note", {"text": "x"}))) as victim:
        wait_for(lambda: effects(obeying.folder) == ["note x"])
        kill(victim)
    (obeying.folder / "hold").unlink()
    declare(obeying, "note")
    ((thread_id,),) = obeying.table("SELECT thread_id FROM thread")
    with obeying.worker():
        obeying.wait_status(thread_id, "idle")
    assert effects(obeying.folder) == ["note x", "note x"]
    (entry,) = obeying.ledger(kind="retried")
    assert (entry.thread_id, entry.tool, entry.review_id) == (thread_id, "note", None)


def test_siblings_that_are_not_idempotent_keep_the_whole_step_from_running_on(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5}), ("note", {"text": "x"})))
    obeying.decide(review, APPROVE)
    (obeying.folder / "hold").touch()
    with process(work, obeying.folder, OBEDIENT, CONTEXT.Event(), CONTEXT.Event()) as victim:
        wait_for(lambda: len(effects(obeying.folder)) == 2)
        kill(victim)
    (obeying.folder / "hold").unlink()
    declare(obeying, "charge")
    with obeying.worker():
        obeying.wait_settled(review.id, "stuck")
    assert sorted(effects(obeying.folder)) == ["charge 5", "note x"]
