"""Deciding on the desk: what is chosen, typed and submitted, and what is never applied."""

from __future__ import annotations

from typing import Any

import pytest

from console.features.queue.state import Queue
from console.features.thread.edit_state import Edit
from console.features.thread.open_forms import FORMS
from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from console.live.tab import Tab
from tests.services.world import APPROVE, REJECT, World
from tests.ui.conftest import Template
from tests.ui.pipeline import Pipeline


class Desk:
    """sam's tab with the paused thread open."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline, self.tab = pipeline, pipeline.connect("tab", "sam")

    async def review(self) -> Any:
        return await self.pipeline.state(self.tab, Review)

    async def notice(self) -> Any:
        return await self.pipeline.state(self.tab, Tab)

    async def choose(self, position: int, kind: str) -> None:
        key = (await self.review()).key
        await self.pipeline.send(self.tab, Review.choose, key=key, position=position, kind=kind)

    async def edit(self) -> Any:
        return await self.pipeline.state(self.tab, Edit)

    async def field(self, position: int, pointer: str) -> Any:
        """The one that is drawn there; None where there is none."""
        ahead = [(await self.edit()).trees[str(position)]]
        while ahead:
            node = ahead.pop()
            if node.pointer == pointer:
                return node
            ahead += node.children
        return None

    async def take(self, position: int, at: str, verb: str, what: str = "", **other: Any) -> None:
        """`other` is sent instead of what a browser would send."""
        pointer, op, text = at, verb, what
        drawn = await self.field(position, pointer)
        sent = {
            "key": (await self.review()).key,
            "slot": str(position),
            "turn": drawn.turn if drawn else 0,
            "op": op,
            "pointer": pointer,
            "text": text,
        }
        await self.pipeline.send(self.tab, Edit.take, **{**sent, **other})

    async def type(self, position: int, pointer: str, text: str) -> None:
        await self.take(position, pointer, "set", text)

    async def submit(self, key: str | None = None) -> None:
        wanted = key or (await self.review()).key
        await self.pipeline.send(self.tab, Review.submit, key=wanted)


@pytest.fixture
async def sam(pipeline: Pipeline) -> Desk:
    made = Desk(pipeline)
    await pipeline.send(made.tab, Thread.load)
    return made


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


async def test_a_field_that_is_no_number_says_so_at_its_place(sam: Desk) -> None:
    await sam.choose(0, "edit")
    await sam.type(0, "/amount", "abc")
    assert (await sam.field(0, "/amount")).error == "must be a number"
    assert (await sam.review()).missing == "Action 1 has an error"


async def test_a_value_put_back_is_unchanged(sam: Desk) -> None:
    await sam.choose(0, "edit")
    await sam.type(0, "/amount", "1")
    typed = await sam.field(0, "/amount")
    await sam.take(0, "/amount", "reset")
    put_back = await sam.field(0, "/amount")
    assert (put_back.text, put_back.changed) == ("699", False)
    assert put_back.turn > typed.turn, "the field takes the server's text only then"
    assert (await sam.review()).missing == "Action 1 has no change yet"


async def test_what_is_typed_does_not_come_back_into_the_field(sam: Desk) -> None:
    """A late answer would overwrite what was typed since."""
    await sam.choose(0, "edit")
    before = await sam.field(0, "/amount")
    await sam.type(0, "/amount", "1")
    assert (await sam.field(0, "/amount")).turn == before.turn


async def test_a_step_drawn_before_its_field_was_exchanged_is_not_taken(sam: Desk) -> None:
    await sam.choose(0, "edit")
    before = await sam.field(0, "/amount")
    await sam.type(0, "/amount", "1")
    await sam.take(0, "/amount", "reset")
    await sam.take(0, "/amount", "set", "2", turn=before.turn)
    assert (await sam.field(0, "/amount")).text == "699"


async def test_an_argument_that_does_not_exist_is_an_error_where_it_was_added(sam: Desk) -> None:
    await sam.choose(0, "edit")
    assert (await sam.field(0, "")).add_key == ""
    await sam.take(0, "", "json", '{"order_id": "A-2048", "amount": 699, "tier": "vip"}')
    assert (await sam.field(0, "/tier")).error == "the tool takes no such argument"
    assert (await sam.review()).missing == "Action 1 has an error"


async def test_a_step_that_cannot_be_taken_is_refused_in_words(sam: Desk) -> None:
    await sam.choose(0, "edit")
    await sam.take(0, "/order_id", "add")
    assert (await sam.review()).diffs == []
    assert (await sam.notice()).notice_title == "That step cannot be taken"


@pytest.mark.parametrize(
    "wrong",
    [
        {"slot": "1"},
        {"slot": 0},
        {"turn": True},
        {"turn": "x"},
        {"op": "approve"},
        {"op": None},
        {"pointer": ["/amount"]},
        {"pointer": "/" * 20_001},
        {"text": 7},
        {"text": "\ud800"},
    ],
)
async def test_a_step_that_cannot_be_read_changes_nothing(wrong: dict[str, Any], sam: Desk) -> None:
    await sam.choose(0, "edit")
    await sam.take(0, "/amount", "set", "1", **wrong)
    assert (await sam.review()).diffs == []
    assert (await sam.notice()).notice_title == "That could not be read"


async def test_fields_are_in_the_state_only_while_they_are_drawn(sam: Desk) -> None:
    assert (await sam.edit()).trees == {}
    await sam.choose(0, "edit")
    assert list((await sam.edit()).trees) == ["0"]
    await sam.choose(0, "approve")
    assert (await sam.edit()).trees == {}


async def test_what_was_typed_is_still_there_when_edit_is_chosen_again(sam: Desk) -> None:
    await sam.choose(0, "edit")
    await sam.type(0, "/amount", "499")
    await sam.choose(0, "approve")
    await sam.choose(0, "edit")
    assert (await sam.field(0, "/amount")).text == "499"


async def test_both_views_edit_one_value(sam: Desk) -> None:
    await sam.choose(0, "edit")
    await sam.type(0, "/amount", "499")
    await sam.take(0, "", "as_text")
    whole = await sam.field(0, "")
    assert (whole.kind, whole.text) == ("json", '{"order_id": "A-2048", "amount": 499}')
    await sam.type(0, "", '{"order_id": "A-2048", "amount": 498}')
    await sam.take(0, "", "as_fields")
    assert (await sam.field(0, "/amount")).text == "498"


async def test_a_form_that_this_process_lost_is_made_again_from_its_steps(sam: Desk) -> None:
    await sam.choose(0, "edit")
    await sam.type(0, "/amount", "499")
    FORMS.drop((await sam.review()).key)
    await sam.pipeline.send(sam.tab, Thread.refresh)
    assert [each.now for each in (await sam.review()).diffs] == ["499"]


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
