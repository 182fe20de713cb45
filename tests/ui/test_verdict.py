"""From choices and typed texts to decisions: nothing rounded, nothing guessed, nothing complete too early."""

from __future__ import annotations

from typing import Any

import pytest

from console.features.thread import answer
from console.features.thread.verdict import Choice, Effect, Proposed, effects, judge, missing, summary
from console.forms.exact import dumps

ALL = ("approve", "edit", "reject", "respond")
SCHEMA = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "amount": {"type": "number"},
        "note": {"type": "string"},
        "count": {"type": "integer"},
    },
    "required": ["order_id", "amount"],
}


def proposed(args_text: str = '{"order_id": "A-2048", "amount": 699.0}', **more: Any) -> Proposed:
    return Proposed("refund_order", args_text, dumps(more.get("schema", SCHEMA)), more.get("allowed", ALL))


def edited(args_text: str, **edits: str) -> Any:
    pointers = {f"/{key}": text for key, text in edits.items()}
    return judge(proposed(args_text), Choice("edit", pointers))


def test_approve_is_complete_at_once() -> None:
    judged = judge(proposed(), Choice("approve"))
    assert (judged.decision, judged.missing, judged.effect) == ({"type": "approve"}, "", "699.0")


def test_nothing_chosen_is_undecided() -> None:
    assert judge(proposed(), Choice()).missing == "is undecided"


def test_a_choice_that_is_not_allowed_counts_as_none() -> None:
    assert judge(proposed(allowed=("reject",)), Choice("approve")).decision is None


def test_a_reject_without_words_has_no_message() -> None:
    assert judge(proposed(), Choice("reject", message="  ")).decision == {"type": "reject"}


def test_a_response_needs_words() -> None:
    assert judge(proposed(), Choice("respond", message=" ")).missing == "needs the answer's text"


def test_an_edit_keeps_the_tools_name_and_the_order_of_the_arguments() -> None:
    judged = edited('{"amount": 699.0, "order_id": "A-2048"}', amount="499")
    assert dumps(judged.decision["edited_action"]) == dumps(
        {"name": "refund_order", "args": {"amount": 499, "order_id": "A-2048"}}
    )


@pytest.mark.parametrize("number", ["9007199254740993", "123456789012345678901234567890"])
def test_big_integers_keep_every_digit(number: str) -> None:
    judged = edited('{"order_id": "A", "amount": 1}', count=number)
    assert dumps(judged.decision["edited_action"]["args"]["count"]) == number


def test_untouched_big_integers_survive_the_edit_of_their_neighbour() -> None:
    judged = edited('{"order_id": "A", "amount": 9007199254740993}', order_id="B")
    assert dumps(judged.decision["edited_action"]["args"]["amount"]) == "9007199254740993"


def test_an_edit_without_a_change_is_not_complete() -> None:
    assert judge(proposed(), Choice("edit", {"/amount": "699.0"})).missing == "has no change yet"


def test_a_wrong_type_is_an_error_at_its_pointer() -> None:
    judged = edited('{"order_id": "A-2048", "amount": 699.0}', amount="many")
    assert judged.decision is None
    assert judged.errors == {"/amount": "must be a number"}


def test_what_was_there_before_is_told_with_hidden_characters_visible() -> None:
    judged = edited('{"order_id": "A\\u202e8402", "amount": 1}', order_id="A-2048")
    assert judged.changed == {"/order_id": "A[U+202E]8402"}


def test_a_text_that_an_input_cannot_show_is_told_as_it_is_now() -> None:
    """Also when it was not touched: an input would let it turn its neighbours around."""
    args_text = '{"order_id": "A\\u202e8402", "amount": 1}'
    assert edited(args_text, amount="2").hidden == {"/order_id": "A[U+202E]8402"}
    assert edited(args_text, order_id="A\u200b1").hidden == {"/order_id": "A[U+200B]1"}
    assert edited(args_text, order_id="A-1").hidden == {}


def test_arguments_that_are_no_object_cannot_be_edited() -> None:
    assert "no JSON object" in judge(proposed("[1]"), Choice("edit", {"/x": "1"})).missing


def test_the_first_missing_thing_is_named_by_its_number() -> None:
    judged = [judge(proposed(), Choice("approve")), judge(proposed(), Choice())]
    assert missing(judged) == "Action 2 is undecided"


def test_the_summary_counts_in_a_fixed_order() -> None:
    assert (
        summary([Choice("reject"), Choice("approve"), Choice(), Choice("reject")])
        == "1 approve, 2 reject, 1 undecided"
    )


def test_each_complete_decision_says_what_it_does() -> None:
    choices = [Choice("edit", {"/amount": "499"}), Choice("reject"), Choice("respond")]
    judged = [judge(proposed(), choice) for choice in choices]
    assert effects(judged, choices) == [Effect("1", "499", "iris"), Effect("2", "does not run", "red")]


@pytest.mark.parametrize(
    ("text", "value"), [("false", False), ('""', ""), ("null", None), ("[1, 2]", [1, 2])]
)
def test_an_answer_in_json_may_be_anything(text: str, value: Any) -> None:
    assert answer.missing(text, as_json=True) == ""
    assert answer.read(text, as_json=True) == value


def test_an_answer_in_words_is_kept_as_typed() -> None:
    assert answer.read(" yes ", as_json=False) == " yes "


@pytest.mark.parametrize(
    ("text", "as_json"), [("", False), ("  ", True), ("{", True), ('{"a":1,"a":2}', True)]
)
def test_an_answer_that_cannot_be_read_is_not_complete(text: str, as_json: bool) -> None:
    assert answer.missing(text, as_json) != ""
