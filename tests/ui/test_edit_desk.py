"""Editing on the desk: each step at a field, what is drawn of it, and what is never applied."""

from __future__ import annotations

from typing import Any

import pytest

from console.features.thread.open_forms import FORMS
from console.features.thread.state import Thread
from tests.ui.desk import Desk, sam

__all__ = ["sam"]


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
