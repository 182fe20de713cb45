"""What a reviewer is shown: every argument whole, in stored order, and nothing hidden in it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from console.domain.errors import BadRequest
from console.features import parse
from console.features.drawn import arg_rows, number_of, warning
from console.features.queue.rows import count, item, thread_path
from console.features.thread import messages
from console.features.thread.cards import cards, outcome_tone, proposals, status_word
from console.forms.exact import dumps
from console.services.views import (
    ActionView,
    MessageView,
    Page,
    QueueRow,
    ReviewView,
    ToolCallView,
)

NOW = datetime(2026, 7, 14, 10, 43, 5, tzinfo=UTC)


def review(*actions: ActionView, **more: Any) -> ReviewView:
    given: dict[str, Any] = {
        "id": "r" * 32,
        "version": 1,
        "digest": "d" * 64,
        "kind": "approval",
        "status": "open",
        "source": "support",
        "thread_id": "t",
        "thread_ref": "t",
        "ns": "",
        "checkpoint_id": "c",
        "interrupt_id": "i",
        "opened_at": NOW,
        **more,
    }
    return ReviewView(actions=actions, **given)


def action(args_text: str, position: int = 0, **more: Any) -> ActionView:
    given = {"description": "", "allowed_decisions": ["reject", "approve"], "args_schema": None, **more}
    given["args_schema_text"] = dumps(given["args_schema"]) if given["args_schema"] else ""
    return ActionView(position=position, name="send_sms", args={}, args_text=args_text, **given)


def plain(parts: list[Any]) -> str:
    return "".join(part.text for part in parts)


def test_arguments_stand_in_stored_order_with_their_exact_texts() -> None:
    rows = arg_rows('{"z": 9007199254740993, "a": "x", "f": 699.0, "n": null, "o": {"k": [1]}}')
    assert [(row.key, plain(row.parts)) for row in rows] == [
        ("z", "9007199254740993"),
        ("a", "x"),
        ("f", "699.0"),
        ("n", "null"),
        ("o", '{"k": [1]}'),
    ]


def test_a_long_argument_is_not_cut() -> None:
    text = "x" * 20_000
    assert plain(arg_rows(f'{{"text": "{text}"}}')[0].parts) == text


def test_hidden_characters_are_escapes_with_a_sentence_on_what_they_are() -> None:
    (row,) = arg_rows('{"to": "A\\u202e8402"}')
    assert [(part.text, part.hazard) for part in row.parts] == [
        ("A", ""),
        ("U+202E", "right-to-left override"),
        ("8402", ""),
    ]
    assert row.warning == "Hidden in this text: U+202E is a right-to-left override."


def test_a_hidden_character_in_a_name_is_visible_too() -> None:
    assert arg_rows('{"am\\u200bount": 1}')[0].key == "amU+200Bount"


@pytest.mark.parametrize(
    ("value", "marked"), [('"699"', True), ("699", False), ('"true"', True), ('"A-1"', False)]
)
def test_a_string_that_reads_as_a_number_is_marked_as_text(value: str, marked: bool) -> None:
    assert arg_rows(f'{{"amount": {value}}}')[0].quoted is marked


def test_arguments_that_are_no_object_are_shown_as_they_are() -> None:
    assert [plain(row.parts) for row in arg_rows('{"a": 1, "a": 2}')] == ['{"a": 1, "a": 2}']


def test_harmless_text_has_no_warning() -> None:
    assert warning("退款 699 元\n") == ""


def test_the_figure_is_the_first_number_and_never_a_truth_value() -> None:
    assert number_of('{"vip": true, "amount": 699.0}') == ("/amount", "699.0")


def test_decisions_stand_in_the_same_order_always() -> None:
    assert cards(review(action("{}")))[0].allowed == ["approve", "reject"]


def test_the_hazards_of_a_card_are_counted_once_each() -> None:
    assert cards(review(action('{"a": "x\\u202ey\\u200bz"}')))[0].hazards == 2


def test_a_run_of_one_hidden_character_counts_each_of_them() -> None:
    """It is drawn as one escape, and still hides as many characters as it has."""
    run = "\\u200b" * 600
    assert cards(review(action(f'{{"a": "x\\u202e{run}", "b\\u200b": [1, "{run}"]}}')))[0].hazards == 1202


def test_arguments_the_agent_left_out_are_shown_as_not_given() -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}, "urgent": {"type": "boolean"}}}
    (card,) = cards(review(action('{"text": "hi"}', args_schema=schema)))
    assert [(row.key, row.given) for row in card.rows] == [("text", True), ("urgent", False)]
    assert card.argument_count == "its 1 argument shown"


def test_proposals_keep_the_exact_text() -> None:
    assert proposals(review(action('{"n": 9007199254740993}')))[0].args_text == '{"n": 9007199254740993}'


@pytest.mark.parametrize(
    ("outcome", "tone"),
    [
        ("ran", "green"),
        ("did not run", "gray"),
        ("answered", "gray"),
        ("1: ran; 2: did not run", "green"),
        ("tool failed: order closed", "red"),
        ("1: ran; 2: tool failed: order closed", "red"),
        ("ran other than decided", "red"),
        ("anything new", "red"),
        ("", "gray"),
    ],
)
def test_only_what_is_plainly_good_is_green(outcome: str, tone: str) -> None:
    assert outcome_tone(outcome) == tone


def test_a_failed_tool_is_said_in_the_head_of_the_review() -> None:
    assert status_word("settled", "tool failed: order closed") == (
        "Settled as decided, but a tool failed",
        "red",
    )


def test_a_tools_answer_stands_in_the_card_of_its_call() -> None:
    call = ToolCallView("c1", "get_order", '{"order_id": "A-2048"}', "ran")
    drawn = messages.rows(
        [
            MessageView("1", "ai", "Looking.", tool_calls=[call]),
            MessageView("2", "tool", "total 699", tool_call_id="c1"),
        ]
    )
    (row,) = drawn
    assert (plain(row.calls[0].result), row.calls[0].word) == ("total 699", "Ran, no review needed")


def test_a_tools_answer_whose_call_is_out_of_the_window_stands_alone() -> None:
    (row,) = messages.rows([MessageView("2", "tool", "total 699", tool_call_id="gone", name="get_order")])
    assert (row.role, row.who, plain(row.parts)) == ("tool", "get_order", "total 699")


def test_waiting_calls_carry_the_number_of_their_action() -> None:
    call = ToolCallView("c1", "refund_order", "{}", "waiting", position=1, reviewed=True)
    (row,) = messages.rows([MessageView("1", "ai", "", tool_calls=[call])])
    assert [(each.number, each.word) for each in row.waiting] == [("2", "Waiting for review")]
    assert row.calls == []


def queue_row(**more: Any) -> QueueRow:
    given: dict[str, Any] = {
        "id": "r1",
        "version": 1,
        "kind": "approval",
        "status": "open",
        "source": "support",
        "thread_id": "a/b",
        "thread_ref": "~YS9i",
        "tool": "refund_order",
        "tools": ["refund_order"],
        "action_count": 1,
        "headline": "699",
        "subject": "Refund",
        "opened_at": NOW,
        "group_size": 1,
        **more,
    }
    return QueueRow(**given)


def test_a_row_leads_to_its_thread_by_the_ref() -> None:
    assert item(queue_row(), with_source=False).href == "/threads/~YS9i"


def test_a_row_of_a_group_names_its_review() -> None:
    assert item(queue_row(group_size=3), with_source=True).href == "/threads/~YS9i?source=support&review=r1"


def test_a_source_with_odd_characters_stays_one_parameter() -> None:
    assert thread_path("t", "a&b=c") == "/threads/t?source=a%26b%3Dc"


@pytest.mark.parametrize(
    ("total", "capped", "shown"), [(0, False, "0"), (14, False, "14"), (1000, True, "1,000+")]
)
def test_the_number_says_when_it_is_capped(total: int, capped: bool, shown: str) -> None:
    assert count(Page([], None, total, capped)) == shown


@pytest.mark.parametrize("value", [7, None, {"a": 1}, ["x"], b"x", "x" * 401, "\ud800"])
def test_an_identifier_is_a_short_text_or_nothing(value: Any) -> None:
    with pytest.raises(BadRequest):
        parse.identifier(value)


@pytest.mark.parametrize("value", [True, "1", None, 1.5, float("nan"), float("inf"), -1, 10**30])
def test_a_number_is_whole_and_in_bounds_or_nothing(value: Any) -> None:
    with pytest.raises(BadRequest):
        parse.whole(value)


def test_a_browsers_whole_float_is_an_integer() -> None:
    assert parse.whole(2.0) == 2


@pytest.mark.parametrize("form", [None, "text", {"text": 7}, {"text": ["x"]}])
def test_a_form_that_is_none_is_nothing(form: Any) -> None:
    with pytest.raises(BadRequest):
        parse.form_text(form, "text")


def test_arguments_that_look_alike_are_drawn_apart_and_named() -> None:
    rows = arg_rows('{"amount": 1, "\u0430mount": 2, " amount": 3, "": 4}')
    assert [row.key for row in rows] == ["amount", '"\\u0430mount"', '" amount"', '""']
    assert [bool(row.warning) for row in rows] == [False, True, True, True]


def test_a_value_that_begins_or_ends_with_a_space_says_so() -> None:
    (row,) = arg_rows('{"to": "A-2048 "}')
    assert (row.quoted, row.warning) == (True, "Begins or ends with a space.")
