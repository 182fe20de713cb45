"""The ways out of a thread that cannot go on by itself: offered to whom, applied to what was drawn."""

from __future__ import annotations

from typing import Any

import pytest

from console.domain.review import Status, ThreadStatus
from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from console.features.thread.ways_out_state import WaysOut, detail, doubt, missing, open_calls, price
from console.live.tab import Tab
from console.services.resolve import MAX_REASON
from console.services.views import MessageView, ToolCallView
from console.store import reviews, threads
from console.store.engine import write
from tests.services.world import REJECT, SUPPORT, World
from tests.ui.conftest import Template
from tests.ui.pipeline import Pipeline

ERROR = "it is uncertain whether refund_order ran: it started, and no end is recorded"


def stand(desk: World, template: Template, status: ThreadStatus) -> None:
    with write(desk.deps.engine) as connection:
        threads.move(connection, SUPPORT, template.thread_id, list(ThreadStatus), status, ERROR)


class Person:
    """A tab with the thread open."""

    def __init__(self, pipeline: Pipeline, name: str) -> None:
        self.pipeline, self.tab = pipeline, pipeline.connect(f"tab-{name}", name)

    async def send(self, handler: Any, **payload: Any) -> None:
        await self.pipeline.send(self.tab, handler, **payload)

    async def ways(self) -> Any:
        return await self.pipeline.state(self.tab, WaysOut)

    async def review(self) -> Any:
        return await self.pipeline.state(self.tab, Review)

    async def notice(self) -> str:
        return str((await self.pipeline.state(self.tab, Tab)).notice_title)

    async def settle(self, choice: str, reason: str, result: str = "") -> None:
        key = (await self.ways()).key
        await self.send(WaysOut.choose, key=key, choice=choice)
        await self.send(WaysOut.say_result, key=key, text=result)
        await self.send(WaysOut.say_how, key=key, text=reason)
        await self.send(WaysOut.settle, key=key)


async def at_the_desk(pipeline: Pipeline, template: Template, name: str) -> Person:
    person = Person(pipeline, name)
    await pipeline.send(person.tab, Thread.load, path=f"/threads/{template.thread_id}")
    return person


@pytest.fixture
async def stuck(pipeline: Pipeline, desk: World, template: Template) -> Person:
    stand(desk, template, ThreadStatus.STUCK)
    return await at_the_desk(pipeline, template, "sam")


async def test_nothing_is_chosen_at_first_and_an_incomplete_choice_is_not_sent(
    stuck: Person, desk: World, template: Template
) -> None:
    ways = await stuck.ways()
    assert (ways.stuck, ways.may_settle, ways.choice) == (True, True, "")
    await stuck.settle("ran", "asked the bank")
    assert (await stuck.ways()).missing == "Say what the call answered"
    assert await stuck.notice() == "The choice is not complete"
    assert desk.thread(template.thread_id).status == "stuck"


async def test_a_choice_is_recorded_with_its_reason(stuck: Person, desk: World) -> None:
    await stuck.settle("give_up", "asked the bank")
    (entry,) = desk.ledger(kind="stuck_resolved")
    assert (entry.actor, entry.body["choice"], entry.body["reason"]) == ("sam", "give_up", "asked the bank")
    assert await stuck.notice() == "Choice recorded"
    assert not (await stuck.ways()).stuck


async def test_a_choice_for_an_earlier_doubt_is_not_applied_to_the_next(
    stuck: Person, desk: World, template: Template
) -> None:
    key = (await stuck.ways()).key
    await stuck.send(WaysOut.choose, key=key, choice="give_up")
    await stuck.send(WaysOut.say_how, key=key, text="asked the bank")
    stand(desk, template, ThreadStatus.STUCK)
    await stuck.send(Thread.refresh)
    ways = await stuck.ways()
    assert (ways.choice, ways.reason) == ("", "")
    await stuck.send(WaysOut.choose, key=key, choice="give_up")
    await stuck.send(WaysOut.settle, key=key)
    assert (await stuck.ways()).choice == ""
    assert await stuck.notice() == "The thread moved on"
    assert desk.ledger(kind="stuck_resolved") == []


async def test_a_reading_of_the_same_doubt_keeps_what_was_typed(stuck: Person) -> None:
    key = (await stuck.ways()).key
    await stuck.send(WaysOut.say_how, key=key, text="asked the bank")
    await stuck.send(Thread.refresh)
    ways = await stuck.ways()
    assert (ways.key, ways.reason) == (key, "asked the bank")


async def test_a_result_that_is_no_longer_shown_is_not_kept(stuck: Person) -> None:
    key = (await stuck.ways()).key
    await stuck.send(WaysOut.choose, key=key, choice="ran")
    await stuck.send(WaysOut.say_result, key=key, text="refunded")
    await stuck.send(WaysOut.choose, key=key, choice="give_up")
    assert (await stuck.ways()).result == ""


@pytest.mark.parametrize("choice", ["maybe", None, 1, ["ran"]])
async def test_another_choice_is_refused(stuck: Person, choice: Any) -> None:
    await stuck.send(WaysOut.choose, key=(await stuck.ways()).key, choice=choice)
    assert (await stuck.ways()).choice == ""
    assert await stuck.notice() == "That could not be read"


async def test_who_was_first_is_not_overruled(stuck: Person, desk: World, template: Template) -> None:
    key = (await stuck.ways()).key
    await stuck.send(WaysOut.choose, key=key, choice="give_up")
    await stuck.send(WaysOut.say_how, key=key, text="asked the bank")
    stand(desk, template, ThreadStatus.RUNNING)
    await stuck.send(WaysOut.settle, key=key)
    assert await stuck.notice() == "The choice was not recorded"
    assert desk.ledger(kind="stuck_resolved") == []


async def test_those_who_do_not_decide_see_the_doubt_and_no_way_to_settle_it(
    pipeline: Pipeline, desk: World, template: Template
) -> None:
    stand(desk, template, ThreadStatus.STUCK)
    ways = await (await at_the_desk(pipeline, template, "quinn")).ways()
    assert (ways.stuck, ways.may_settle) == (True, False)


async def test_closing_goes_by_the_review_that_was_drawn(
    pipeline: Pipeline, desk: World, template: Template
) -> None:
    sam = await at_the_desk(pipeline, template, "sam")
    assert (await sam.ways()).price.startswith("All 2 actions of this pause")
    await sam.send(WaysOut.close, key="another.1")
    assert await sam.notice() == "The request changed"
    assert desk.reviews(template.thread_id)[0].status == "open"

    key = (await sam.review()).key
    await sam.send(WaysOut.say_why, key=key, text="the customer called back")
    await sam.send(WaysOut.close, key=key)
    assert desk.reviews(template.thread_id)[0].status == "cancelled"
    assert desk.ledger(kind="cancelled")[0].body["reason"] == "the customer called back"
    assert not (await sam.review()).open


async def test_who_closes_too_late_is_told_who_decided(
    pipeline: Pipeline, desk: World, template: Template
) -> None:
    sam = await at_the_desk(pipeline, template, "sam")
    key = (await sam.review()).key
    desk.decide(desk.reviews(template.thread_id)[0], REJECT, REJECT, by="sue")
    await sam.send(WaysOut.close, key=key)
    assert desk.ledger(kind="cancelled") == []
    assert await sam.notice() == "Sue decided this first"


async def test_repair_is_offered_to_admins_only(pipeline: Pipeline, desk: World, template: Template) -> None:
    stand(desk, template, ThreadStatus.POISONED)
    ada, sam = [await at_the_desk(pipeline, template, name) for name in ("ada", "sam")]
    assert ((await ada.ways()).may_repair, (await sam.ways()).may_repair) == (True, False)
    await sam.send(WaysOut.repair, key=(await sam.review()).key)
    assert await sam.notice() == "Not allowed"


async def test_a_thread_that_is_not_really_poisoned_is_not_repaired(
    pipeline: Pipeline, desk: World, template: Template
) -> None:
    """Only the row says so here; the checkpoint is what counts."""
    stand(desk, template, ThreadStatus.POISONED)
    ada = await at_the_desk(pipeline, template, "ada")
    await ada.send(WaysOut.repair, key="another.1")
    assert await ada.notice() == "The request changed"
    await ada.send(WaysOut.repair, key=(await ada.review()).key)
    assert await ada.notice() == "Nothing was repaired"
    assert desk.ledger(kind="repaired") == []


def tool_call(number: int, state: str = "waiting") -> ToolCallView:
    return ToolCallView(f"call_{number}", "charge", "{}", state)


def test_open_are_the_calls_of_the_last_turn_without_a_result() -> None:
    earlier = MessageView("1", "ai", "", tool_calls=[tool_call(1)])
    last = MessageView("2", "ai", "", tool_calls=[tool_call(2, "running"), tool_call(3)])
    answer = MessageView("3", "tool", "done", tool_call_id="call_3")
    assert [call.begun for call in open_calls([earlier, last, answer])] == [True]
    assert open_calls([answer]) == ()


def test_the_doubt_names_what_may_have_run() -> None:
    calls = open_calls([MessageView("1", "ai", "", tool_calls=[tool_call(1, "running"), tool_call(2)])])
    assert doubt(calls) == "It is uncertain whether charge ran"
    assert doubt(()) == "It is uncertain what ran"
    assert detail(ERROR) == "It started, and no end is recorded"
    assert detail("1: uncertain; 2: ran: x") == "1: uncertain; 2: ran: x"


def test_the_price_counts_what_is_closed() -> None:
    assert price(0, 0) == ""
    assert price(1, 1) == (
        "The 1 action of this pause gets a result that says it did not run. The agent goes on."
    )
    assert price(3, 2).startswith("All 3 calls of this pause get")


def test_what_is_missing_is_said_in_words() -> None:
    assert missing("", "known", "") == "Choose, and say how you know"
    assert missing("give_up", " ", "") == "Say how you know"
    assert missing("give_up", "x" * (MAX_REASON + 1), "").startswith("The reason is too long")
    assert missing("not_run", "known", "") == ""
    assert missing("ran", "known", "done") == ""


@pytest.fixture
def alarm(desk: World, template: Template) -> str:
    """A review whose run did other than was decided."""
    (review,) = desk.reviews(template.thread_id)
    with write(desk.deps.engine) as connection:
        reviews.move(connection, review.id, [Status.OPEN], Status.MISMATCH, outcome="ran 2 times")
    return review.id


async def test_an_admin_closes_an_alarm_with_a_reason(
    pipeline: Pipeline, desk: World, template: Template, alarm: str
) -> None:
    ada = await at_the_desk(pipeline, template, "ada")
    await ada.send(WaysOut.close_alarm, review_id=alarm)
    assert await ada.notice() == "The alarm was not closed"
    await ada.send(WaysOut.say_why_over, review_id=alarm, text="refunded by hand")
    await ada.send(WaysOut.close_alarm, review_id=alarm)
    assert await ada.notice() == "Alarm closed"
    assert (await ada.ways()).alarm == "Closed by ada"
    assert desk.queue() == []
    (entry,) = desk.ledger(kind="mismatch_closed")
    assert entry.body["reason"] == "refunded by hand"


async def test_an_alarm_is_closed_by_nobody_else_and_only_as_drawn(
    pipeline: Pipeline, desk: World, template: Template, alarm: str
) -> None:
    sam = await at_the_desk(pipeline, template, "sam")
    assert ((await sam.ways()).alarm, (await sam.ways()).may_repair) == ("open", False)
    await sam.send(WaysOut.close_alarm, review_id=alarm)
    ada = await at_the_desk(pipeline, template, "ada")
    await ada.send(WaysOut.close_alarm, review_id="0" * 32)
    assert await ada.notice() == "The thread moved on"
    assert desk.queue() == [alarm]
