"""Fields as the page draws them: what is said of each, which steps it offers, and where one goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from console.features.thread.edit_tree import LONG, MAX_DIFFS, diffs, id_of
from console.features.thread.open_forms import OpenForm
from console.forms.form import open_form
from console.ui.node import Node

LINE = {"type": "object", "properties": {"sku": {"type": "string"}, "count": {"type": "integer"}}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "lines": {"type": "array", "items": LINE},
        "note": {"type": ["string", "null"], "default": "none"},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        "pay": {"oneOf": [{"title": "Card", **LINE}, {"type": "string", "title": "Voucher"}]},
    },
    "required": ["lines"],
    "additionalProperties": False,
}
ARGS = {"lines": [{"sku": "a", "count": 1}, {"sku": "b", "count": 2}, {"sku": "c", "count": 3}]}


def opened(args: Any = None, schema: Any = None) -> OpenForm:
    return OpenForm(open_form(args if args is not None else ARGS, schema or SCHEMA), "0")


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def at(form: OpenForm, pointer: str) -> Node:
    return next(node for node in walk(form.draw()) if node.pointer == pointer)


def take(form: OpenForm, op: str, pointer: str, text: str = "") -> bool:
    return form.take(op, pointer, text, form.turn_of(pointer))


def offered(form: OpenForm, pointer: str) -> list[str]:
    return [each.op for each in at(form, pointer).ops]


def test_missing_null_empty_and_default_are_told_apart() -> None:
    form = opened()
    seen = [at(form, "/note").hint]
    for op in ("null", "empty"):
        take(form, op, "/note")
        seen.append(at(form, "/note").hint)
    take(form, "set", "/note", "none")
    seen.append(at(form, "/note").hint)
    assert seen == [
        'not given, default "none"',
        "no value, text",
        'empty text, default "none"',
        "text, is the default",
    ]


def test_items_are_counted_from_one_and_offer_what_is_possible() -> None:
    form = opened()
    assert [node.label for node in at(form, "/lines").children] == ["1", "2", "3"]
    assert at(form, "/lines/0").name == "lines 1"
    assert offered(form, "/lines/0") == ["as_text", "down", "remove"]
    assert offered(form, "/lines/2") == ["as_text", "up", "remove"]


def test_what_the_schema_wants_cannot_be_left_out_and_the_rest_can() -> None:
    form = opened({**ARGS, "note": "x"})
    assert "unset" not in offered(form, "/lines")
    assert "unset" in offered(form, "/note")


def test_keys_of_a_dictionary_are_added_renamed_and_removed() -> None:
    form = opened({**ARGS, "tags": {}})
    assert take(form, "key", "/tags", "col our")
    assert at(form, "/tags/col our").rename == "col our"
    assert form.focus == ("f0:/tags/col%20our", "")
    assert take(form, "rename", "/tags/col our", "colour")
    assert "remove" in offered(form, "/tags/colour")
    assert take(form, "remove", "/tags/colour")
    assert at(form, "/tags").children == []


def test_after_a_removal_one_goes_on_at_the_next_item_or_else_at_the_last() -> None:
    form = opened()
    take(form, "remove", "/lines/1")
    assert form.focus == ("f0:/lines/1", "")
    take(form, "remove", "/lines/1")
    assert form.focus == ("f0:/lines/0", "")
    take(form, "remove", "/lines/0")
    assert form.focus == ("f0:/lines", "")


def test_a_moved_item_takes_the_focus_with_it() -> None:
    form = opened()
    take(form, "down", "/lines/0", "1")
    assert form.focus == ("f0:/lines/1", "f0:/lines/0")
    assert [node.text for node in walk(at(form, "/lines")) if node.pointer.endswith("sku")] == ["b", "a", "c"]


def test_what_was_typed_into_another_field_stays_when_an_item_goes() -> None:
    form = opened({**ARGS, "note": "x"})
    note, item = form.turn_of("/note"), form.turn_of("/lines/2/sku")
    take(form, "remove", "/lines/0")
    assert form.turn_of("/note") == note
    assert form.turn_of("/lines/1/sku") > item


def test_a_second_click_on_a_removed_item_does_not_remove_its_neighbour() -> None:
    form = opened()
    turn = form.turn_of("/lines/1")
    assert form.take("remove", "/lines/1", "", turn)
    assert not form.take("remove", "/lines/1", "", turn)
    assert [item["sku"] for item in form.form.value["lines"]] == ["a", "c"]


def test_choosing_another_form_exchanges_the_fields() -> None:
    form = opened({**ARGS, "pay": {"sku": "card", "count": 1}})
    assert [each.label for each in at(form, "/pay").variants] == ["Card", "Voucher"]
    take(form, "variant", "/pay", "1")
    assert at(form, "/pay").kind == "text"


@pytest.mark.parametrize("text", ["", "x", "-7", "99", "1e9", "9" * 5000])
def test_a_variant_that_is_none_is_refused(text: str) -> None:
    form = opened({**ARGS, "pay": "x"})
    with pytest.raises(ValueError, match="no such form"):
        take(form, "variant", "/pay", text)


def test_a_part_as_json_text_is_the_same_value() -> None:
    form = opened()
    take(form, "as_text", "/lines/0")
    assert (at(form, "/lines/0").kind, at(form, "/lines/0").text) == ("json", '{"sku": "a", "count": 1}')
    take(form, "set", "/lines/0", '{"sku": "z", "count": 9007199254740993}')
    assert at(form, "/lines/0").kind == "json", "it does not turn into fields under the hands of who types"
    take(form, "as_fields", "/lines/0")
    assert at(form, "/lines/0/count").text == "9007199254740993"


def test_words_of_others_are_escaped_wherever_they_stand() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {
                "type": "string",
                "enum": ["x\u202e"],
                "title": "t\u200b",
                "description": "d\u202e",
                "examples": ["e\u202e"],
            }
        },
    }
    drawn = at(opened({"a": "x\u202e"}, schema), "/a")
    assert drawn.said == 't[U+200B] · d[U+202E] · Such as "e[U+202E]"'
    assert [(each.label, each.text) for each in drawn.options] == [("x[U+202E]", '"x\u202e"')]
    assert drawn.hidden != ""


def test_a_text_that_an_input_cannot_show_is_told_as_it_is_now() -> None:
    drawn = opened({"a": "A\u202e8402"}, {"type": "object"})
    assert at(drawn, "/a").hidden == "A[U+202E]8402"
    take(drawn, "set", "/a", "A-1")
    assert (at(drawn, "/a").hidden, at(drawn, "/a").was) == ("", "A[U+202E]8402")


def test_a_title_that_repeats_the_name_is_not_said() -> None:
    schema = {"type": "object", "properties": {"order_id": {"type": "string", "title": "Order Id"}}}
    assert at(opened({"order_id": "x"}, schema), "/order_id").said == ""


def test_long_texts_travel_apart() -> None:
    form = opened({"a": "x" * (LONG + 1), "b": "x"}, {"type": "object"})
    drawn = at(form, "/a")
    assert (drawn.text, drawn.long, at(form, "/b").long) == ("", True, False)
    assert form.texts == {id_of("0", "/a"): "x" * (LONG + 1)}


def test_differences_name_their_place_as_people_count() -> None:
    form = opened()
    take(form, "set", "/lines/1/count", "5")
    take(form, "remove", "/lines/2")
    assert [(each.place, each.kind, each.was, each.now) for each in diffs(form.form, "1")] == [
        ("lines / 2 / count", "changed", "2", "5"),
        ("lines / 3", "removed", '{"sku": "c", "count": 3}', ""),
    ]


def test_more_differences_than_can_be_read_are_counted() -> None:
    many = {"a": list(range(MAX_DIFFS + 50))}
    form = opened(many, {"type": "object"})
    take(form, "json", "", '{"a": []}')
    assert diffs(form.form, "1")[-1].place == "and 50 more"


def test_undo_takes_the_last_step_back() -> None:
    form = opened()
    take(form, "set", "/lines/0/sku", "x")
    take(form, "remove", "/lines/1")
    take(form, "undo", "")
    assert len(form.form.value["lines"]) == 3
    take(form, "undo", "")
    assert form.form.value is ARGS
