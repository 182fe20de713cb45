"""From choices and typed texts to decisions: nothing rounded, nothing guessed, nothing complete too early."""

from __future__ import annotations

from typing import Any

import pytest

from console.features.thread import answer
from console.features.thread.verdict import (
    Choice,
    Effect,
    Proposed,
    effects,
    form_of,
    judge,
    missing,
    summary,
)
from console.forms.edits import Edit
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
    asked = proposed(args_text)
    form = form_of(asked)
    assert form is not None
    return judge(asked, Choice("edit", form.after([Edit("set", f"/{key}", to) for key, to in edits.items()])))


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


@pytest.mark.parametrize("number", ["9007199254740993", "18446744073709551615"])
def test_big_integers_keep_every_digit(number: str) -> None:
    judged = edited('{"order_id": "A", "amount": 1}', count=number)
    assert dumps(judged.decision["edited_action"]["args"]["count"]) == number


def test_untouched_big_integers_survive_the_edit_of_their_neighbour() -> None:
    judged = edited('{"order_id": "A", "amount": 9007199254740993}', order_id="B")
    assert dumps(judged.decision["edited_action"]["args"]["amount"]) == "9007199254740993"


def test_an_edit_without_a_change_is_not_complete() -> None:
    text = '{"order_id": "A-2048", "amount": 699.0}'
    assert edited(text).missing == "has no change yet"
    assert edited(text, amount="699.0").missing == "has no change yet"


def test_a_wrong_type_is_an_error() -> None:
    judged = edited('{"order_id": "A-2048", "amount": 699.0}', amount="many")
    assert (judged.decision, judged.missing) == (None, "has an error")


def test_the_large_number_is_struck_only_when_the_edit_moved_it() -> None:
    text = '{"order_id": "A-2048", "amount": 699.0}'
    assert edited(text, amount="499").figure == "499"
    assert edited(text, note="x").figure == ""


def test_arguments_that_are_no_object_cannot_be_edited() -> None:
    assert "no JSON object" in judge(proposed("[1]"), Choice("edit", form_of(proposed("[1]")))).missing


def test_the_first_missing_thing_is_named_by_its_number() -> None:
    judged = [judge(proposed(), Choice("approve")), judge(proposed(), Choice())]
    assert missing(judged) == "Action 2 is undecided"


def test_the_summary_counts_in_a_fixed_order() -> None:
    assert (
        summary([Choice("reject"), Choice("approve"), Choice(), Choice("reject")])
        == "1 approve, 2 reject, 1 undecided"
    )


def test_each_complete_decision_says_what_it_does() -> None:
    form = form_of(proposed())
    assert form is not None
    changed = form.apply(Edit("set", "/amount", "499"))
    choices = [Choice("edit", changed), Choice("reject"), Choice("respond")]
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
