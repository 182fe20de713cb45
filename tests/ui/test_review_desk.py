"""Deciding on the desk: what is chosen, typed and submitted, and what is never applied."""

from __future__ import annotations

from typing import Any

import pytest

from console.features.queue.state import Queue
from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from tests.services.world import APPROVE, REJECT, World
from tests.ui.conftest import Template
from tests.ui.desk import Desk, sam
from tests.ui.pipeline import Pipeline

__all__ = ["sam"]


async def test_the_first_waiting_thread_stands_on_the_desk(sam: Desk, template: Template) -> None:
    review, queue = await sam.review(), await sam.pipeline.state(sam.tab, Queue)
    assert [card.name for card in review.cards] == ["refund_order", "send_sms"]
    assert [card.allowed for card in review.cards] == [["approve", "edit", "reject"]] * 2
    assert (queue.count, queue.current) == ("1", review.id)


async def test_nothing_is_chosen_at_first(sam: Desk) -> None:
    review = await sam.review()
    assert review.choices == {}
    assert review.missing == "Action 1 is undecided"


async def test_an_incomplete_verdict_is_not_sent(sam: Desk, desk: World, template: Template) -> None:
    await sam.choose(0, "approve")
    await sam.submit()
    assert (await sam.notice()).notice_title == "The verdict is not complete"
    assert desk.reviews(template.thread_id)[0].status == "open"


async def test_an_edit_and_a_reject_are_recorded_as_typed(sam: Desk, desk: World, template: Template) -> None:
    await sam.choose(0, "edit")
    await sam.type(0, "/amount", "499")
    await sam.choose(1, "reject")
    key = (await sam.review()).key
    await sam.pipeline.send(sam.tab, Review.word_for_agent, key=key, position=1, text="Call instead")
    assert [(each.place, each.was, each.now) for each in (await sam.review()).diffs] == [
        ("amount", "699", "499")
    ]
    await sam.submit()
    decided = desk.reviews(template.thread_id)[0]
    assert (decided.status, decided.decided_by) == ("decided", "sam")
    assert [action.decision for action in decided.actions] == [
        {
            "type": "edit",
            "edited_action": {"name": "refund_order", "args": {"order_id": "A-2048", "amount": 499}},
        },
        {"type": "reject", "message": "Call instead"},
    ]


async def test_a_decision_that_is_not_allowed_here_is_not_chosen(sam: Desk) -> None:
    await sam.choose(0, "respond")
    assert (await sam.review()).choices == {}


@pytest.mark.parametrize("position", [-1, 2, 0.5, True, "0", None, [0]])
async def test_a_position_that_does_not_exist_is_not_chosen(position: Any, sam: Desk) -> None:
    await sam.choose(position, "approve")
    assert (await sam.review()).choices == {}


async def test_a_choice_made_on_an_earlier_drawing_is_not_applied(sam: Desk) -> None:
    await sam.pipeline.send(sam.tab, Review.choose, key="another.1", position=0, kind="approve")
    assert (await sam.review()).choices == {}


async def test_a_button_of_an_earlier_drawing_submits_nothing(
    sam: Desk, desk: World, template: Template
) -> None:
    await sam.choose(0, "approve")
    await sam.choose(1, "approve")
    await sam.submit("another.1")
    assert (await sam.notice()).notice_title == "The request changed"
    assert desk.reviews(template.thread_id)[0].status == "open"


async def test_who_loses_the_race_is_told_who_won(sam: Desk, desk: World, template: Template) -> None:
    await sam.choose(0, "approve")
    await sam.choose(1, "approve")
    desk.decide(desk.reviews(template.thread_id)[0], APPROVE, REJECT, by="sue")
    await sam.submit()
    said, review = await sam.notice(), await sam.review()
    assert said.notice_title == "Sue decided this first"
    assert "Yours was not recorded" in said.notice
    assert (review.deciding, review.decided_by) == (False, "sue")


async def test_choices_that_were_overtaken_are_not_lost_without_a_word(
    sam: Desk, desk: World, template: Template
) -> None:
    """The other's verdict may be drawn before the click arrives; then the click finds nothing to submit."""
    await sam.choose(0, "approve")
    desk.decide(desk.reviews(template.thread_id)[0], APPROVE, REJECT, by="sue")
    await sam.pipeline.send(sam.tab, Thread.refresh)
    await sam.submit()
    said = await sam.notice()
    assert (said.notice_title, said.notice) == (
        "Sue decided this first",
        "What you had chosen was not recorded.",
    )


async def test_who_had_chosen_nothing_hears_nothing(sam: Desk, desk: World, template: Template) -> None:
    desk.decide(desk.reviews(template.thread_id)[0], APPROVE, REJECT, by="sue")
    await sam.pipeline.send(sam.tab, Thread.refresh)
    assert (await sam.notice()).notice_title == ""


async def test_a_second_click_records_nothing_and_says_nothing(
    sam: Desk, desk: World, template: Template
) -> None:
    await sam.choose(0, "approve")
    await sam.choose(1, "approve")
    key = (await sam.review()).key
    await sam.submit(key)
    await sam.submit(key)
    assert (await sam.notice()).notice_title == "Verdict recorded"
    assert desk.kinds(desk.reviews(template.thread_id)[0].id).count("decided") == 1


async def test_what_was_chosen_outlives_a_new_reading_of_the_same_request(sam: Desk) -> None:
    await sam.choose(0, "approve")
    before = (await sam.review()).key
    await sam.pipeline.send(sam.tab, Thread.refresh)
    review = await sam.review()
    assert (review.key, review.choices) == (before, {"0": "approve"})


async def test_unchanged_messages_and_cards_are_not_sent_again(sam: Desk) -> None:
    sam.pipeline.deltas.clear()
    await sam.pipeline.send(sam.tab, Thread.refresh)
    sent = sam.pipeline.sent_to(sam.tab)
    assert "messages" not in sent
    assert "cards" not in sent


async def test_no_message_is_sent_into_a_paused_thread(sam: Desk, template: Template, desk: World) -> None:
    await sam.pipeline.send(sam.tab, Thread.say, form={"text": "hello"})
    assert "paused for review" in (await sam.notice()).notice
    assert desk.thread(template.thread_id).status == "paused"


async def test_an_unknown_thread_is_a_state_of_the_page(pipeline: Pipeline) -> None:
    tab = pipeline.connect("tab", "sam")
    await pipeline.send(tab, Thread.load, path="/threads/none")
    assert (await pipeline.state(tab, Thread)).phase == "missing"


async def test_the_thread_in_the_url_is_opened(pipeline: Pipeline, template: Template) -> None:
    tab = pipeline.connect("tab", "quinn")
    await pipeline.send(tab, Thread.load, path=f"/threads/{template.thread_id}")
    shown = await pipeline.state(tab, Thread)
    assert (shown.phase, shown.status) == ("ready", "paused")
    assert shown.locked.startswith("The thread is paused")


async def test_the_draft_travels_in_pieces_counted_as_javascript_counts(sam: Desk, desk: World) -> None:
    thread = await sam.pipeline.state(sam.tab, Thread)
    where = thread._source, thread._thread_id
    desk.deps.drafts.append(*where, "a😀")
    await sam.pipeline.send(sam.tab, Thread.draft)
    desk.deps.drafts.append(*where, "b\u202e")
    await sam.pipeline.send(sam.tab, Thread.draft)
    assert (await sam.pipeline.state(sam.tab, Thread)).chunk == '[3, "b[U+202E]"]'
    await sam.pipeline.send(sam.tab, Thread.on_gap)
    assert (await sam.pipeline.state(sam.tab, Thread)).chunk == '[0, "a😀b[U+202E]"]'
