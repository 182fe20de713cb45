"""Every step of an edit, where it may be taken and what it leaves alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from console.forms.edits import Edit, Refused, read_edit
from console.forms.exact import JsonProblem
from console.forms.field import Field
from console.forms.form import Form, open_form, open_text
from console.forms.limits import MAX_EDITS
from console.forms.unread import MISSING

ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "minimum": 1},
        "count": {"type": "integer"},
        "note": {"type": "string", "default": "none", "maxLength": 20},
        "how": {"enum": ["card", "cash"]},
        "lines": {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/Line"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "pay": {"oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Cash"}]},
        "fixed": {"type": "string", "readOnly": True},
    },
    "required": ["amount"],
    "additionalProperties": False,
    "$defs": {
        "Line": {
            "type": "object",
            "properties": {"sku": {"type": "string"}, "n": {"type": "integer"}},
            "required": ["sku"],
        },
        "Card": {
            "type": "object",
            "properties": {"kind": {"const": "card"}, "no": {"type": "string"}, "memo": {"type": "string"}},
            "required": ["kind", "no"],
        },
        "Cash": {
            "type": "object",
            "properties": {"kind": {"const": "cash"}, "memo": {"type": "string"}},
            "required": ["kind"],
        },
    },
}
ARGS: dict[str, Any] = {
    "amount": 699.0,
    "lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}],
    "labels": {"x": "1"},
    "pay": {"kind": "card", "no": "4040", "memo": "m"},
}


def form(**more: Any) -> Form:
    return open_form({**ARGS, **more}, ORDER)


def at(given: Form, pointer: str) -> Field:
    return next(each for each in given.tree.walk() if each.pointer == pointer)


@pytest.mark.parametrize(
    ("edit", "pointer", "value"),
    [
        (Edit("set", "/amount", "499.50"), "/amount", 499.5),
        (Edit("set", "/amount", " 499 "), "/amount", 499),
        (Edit("set", "/count", "9007199254740993"), "/count", 9007199254740993),
        (Edit("set", "/note", "true"), "/note", "true"),
        (Edit("set", "/how", '"cash"'), "/how", "cash"),
        (Edit("set", "/lines/1/n", "5"), "/lines/1/n", 5),
        (Edit("null", "/maybe"), "/maybe", None),
        (Edit("empty", "/maybe"), "/maybe", ""),
        (Edit("json", "/labels", '{"y": "2"}'), "/labels", {"y": "2"}),
        (Edit("key", "/labels", key="y"), "/labels/y", ""),
        (Edit("rename", "/labels/x", key="y"), "/labels", {"y": "1"}),
        (Edit("remove", "/lines/0"), "/lines", [{"sku": "b", "n": 2}]),
        (Edit("move", "/lines/0", to=1), "/lines", [{"sku": "b", "n": 2}, {"sku": "a", "n": 1}]),
        (Edit("add", "/lines"), "/lines/2", {}),
        (Edit("variant", "/pay", to=1), "/pay", {"kind": "cash", "memo": "m"}),
    ],
)
def test_a_step_does_what_it_says_and_is_undone(edit: Edit, pointer: str, value: Any) -> None:
    start = form()
    edited = start.apply(edit)
    found: Any = edited.args
    for step in pointer.split("/")[1:]:
        found = found[int(step)] if isinstance(found, list) else found[step]
    assert found == value
    assert type(found) is type(value)
    assert edited.undo() is start
    assert start.resumed(json.loads(json.dumps(edited.draft()))).value == edited.value
    touched = pointer.split("/")[1]
    assert all(edited.args[key] is start.args[key] for key in ARGS if key != touched)


@pytest.mark.parametrize(
    "edit",
    [
        Edit("set", "/lines", "x"),
        Edit("set", "/lines/9/n", "1"),
        Edit("set", "/lines/01/n", "1"),
        Edit("set", "/amount/deep", "1"),
        Edit("set", "no pointer", "1"),
        Edit("remove", "/lines/2"),
        Edit("remove", "/absent"),
        Edit("remove", ""),
        Edit("move", "/lines/0", to=2),
        Edit("move", "/labels/x", to=0),
        Edit("rename", "/lines/0", key="x"),
        Edit("key", "/labels", key="x"),
        Edit("key", "", key="extra"),
        Edit("key", "/amount", key="x"),
        Edit("add", "/amount"),
        Edit("unset", "/lines/0"),
        Edit("variant", "/pay", to=2),
        Edit("variant", "/amount", to=0),
        Edit("explode", "/amount"),
    ],
)
def test_a_step_that_has_no_place_is_refused(edit: Edit) -> None:
    with pytest.raises(Refused):
        form().apply(edit)


@pytest.mark.parametrize(
    ("pointer", "text", "why"),
    [
        ("/amount", "abc", "must be a number"),
        ("/amount", "1e400", "cannot be kept exactly"),
        ("/amount", "0.1000000000000000055511151231257827", "cannot be kept exactly"),
        ("/amount", "", "needs a value"),
        ("/count", "1.5", "must be a whole number"),
        ("/count", str(2**64), "at most 64 bits"),
        ("/how", '"gold"', "choose one of the options"),
        ("/note", "\ud800", "half a character"),
        ("/note", "x" * 29, "29 of 20 characters"),
        ("/amount", "0.5", "at least 1"),
    ],
)
def test_what_cannot_be_meant_is_an_error_at_its_field_and_keeps_its_text(
    pointer: str, text: str, why: str
) -> None:
    edited = form().apply(Edit("set", pointer, text))
    (problem,) = edited.errors
    assert (problem.pointer, why in problem.message) == (pointer, True), problem.message
    assert at(edited, pointer).text == text
    assert at(edited, pointer).errors == [problem.message]


def test_a_typed_text_that_is_no_value_yet_is_never_sent() -> None:
    edited = form().apply(Edit("set", "/amount", "abc"))
    with pytest.raises(Refused):
        _ = edited.args
    assert json.loads(edited.args_text) == ARGS


def test_missing_null_empty_and_default_are_four_things() -> None:
    states = [at(form(), "/note").state]
    states += [at(form(note=value), "/note").state for value in (None, "", "none", "late")]
    assert states == ["missing", "null", "empty", "default", "value"]
    assert at(form(), "/note").default == '"none"'
    assert "note" not in form().apply(Edit("set", "/note", "")).args
    assert form(note="late").apply(Edit("set", "/note", "")).args["note"] == ""
    assert "note" not in form(note="late").apply(Edit("unset", "/note")).args
    assert "count" not in form(count=1).apply(Edit("set", "/count", "")).args


def test_a_number_too_large_is_an_error_however_deep_it_was_pasted() -> None:
    edited = form().apply(Edit("json", "/lines/0", f'{{"sku": "a", "n": {2**70}}}'))
    assert [(each.pointer, "64 bits" in each.message) for each in edited.errors] == [("/lines/0/n", True)]
    assert open_form({"n": 2**70}, None).errors == []
    assert [each.pointer for each in open_form({"n": 2**70}, None).warnings] == ["/n"]


def test_typing_on_is_one_step_and_typing_back_is_none() -> None:
    edited = form()
    for text in ("6", "69", "698"):
        edited = edited.apply(Edit("set", "/amount", text))
    assert len(edited.edits) == 1
    assert edited.apply(Edit("set", "/amount", "699.0")).edits == ()


def test_a_removed_key_put_back_stands_where_it_stood() -> None:
    edited = form().apply(Edit("unset", "/lines")).apply(Edit("reset", "/lines"))
    assert list(edited.args) == list(ARGS)
    assert edited.changes == []


def test_an_item_that_only_moved_up_is_not_marked_as_changed() -> None:
    edited = form().apply(Edit("remove", "/lines/0"))
    assert [(each.pointer, each.kind) for each in edited.changes] == [("/lines/0", "removed")]
    assert not at(edited, "/lines/0").changed


def test_a_chosen_form_and_a_typed_text_move_with_their_item() -> None:
    schema = {"properties": {"v": {"items": {"anyOf": [{"type": "integer"}, {"type": "number"}]}}}}
    edited = open_form({"v": [1, 2, 3]}, schema).apply(Edit("variant", "/v/1", to=1))
    edited = edited.apply(Edit("set", "/v/1", "x")).apply(Edit("remove", "/v/0"))
    assert [(each.variant, each.text) for each in at(edited, "/v").children] == [(1, "x"), (0, "3")]
    assert [each.pointer for each in edited.errors] == ["/v/0"]


def test_a_new_item_begins_with_nothing_that_nobody_chose() -> None:
    schema = {"properties": {"v": {"type": "array", "items": {"type": "integer", "default": 7}}}}
    edited = open_form({}, schema).apply(Edit("add", "/v"))
    assert [(each.pointer, each.message) for each in edited.errors] == [("/v/0", "needs a value")]
    assert edited.apply(Edit("set", "/v/0", "5")).args == {"v": [5]}


def test_a_list_that_is_full_takes_no_more() -> None:
    full = form(lines=[{"sku": "a"}] * 3)
    assert not at(full, "/lines").can_add
    with pytest.raises(Refused):
        full.apply(Edit("add", "/lines"))


def test_an_argument_that_does_not_fit_is_shown_as_it_is_and_can_be_mended() -> None:
    wrong = form(amount="699", lines="none")
    shown = at(wrong, "/amount")
    assert (shown.kind, shown.text, shown.errors) == ("json", '"699"', ["must be a number, is text"])
    mended = wrong.apply(Edit("set", "/amount", "699")).apply(Edit("json", "/lines", "[]"))
    assert (mended.errors, mended.args["amount"]) == ([], 699)


def test_unknown_keys_are_refused_by_a_closed_schema_and_named_by_an_open_one() -> None:
    assert [(each.pointer, each.message) for each in form(extra=1).errors] == [
        ("/extra", "the tool takes no such argument")
    ]
    free = open_form({"a": 1, "x": 2}, {"properties": {"a": {"type": "integer"}}})
    assert (free.errors, at(free, "/x").note) == ([], "not in the schema")


def test_a_form_without_a_schema_says_that_it_was_inferred() -> None:
    free = open_form({"n": 1, "t": "x", "l": [1]}, None)
    assert free.tree.note == "inferred from the arguments"
    assert [each.kind for each in free.tree.children] == ["integer", "text", "array"]
    assert free.apply(Edit("set", "/n", "2")).errors == []


def test_an_answer_that_nobody_proposed_begins_missing() -> None:
    asked = open_form(
        MISSING, {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    )
    assert (asked.tree.state, asked.errors[0].pointer) == ("missing", "")
    answered = asked.apply(Edit("add", "")).apply(Edit("set", "/ok", "false"))
    assert (answered.errors, answered.args) == ([], {"ok": False})
    assert open_form(MISSING, {"type": "string"}).apply(Edit("set", "", "yes")).args == "yes"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1,\n "a": 2}', "line 2 column 2"),
        ('{"a":\n NaN}', "NaN is not JSON at line 2 column 2"),
        ("[1, -Infinity]", "-Infinity is not JSON at line 1 column 5"),
        ('{"a": 1,}', "a key in double quotes is missing at line 1 column 9"),
        ("[1 2]", "a comma or ] is missing"),
        ("1 1", "something follows"),
        ("[" * 200, "nested deeper"),
        ("1e99999", "too many digits"),
        ("", "a value is missing at line 1 column 1"),
    ],
)
def test_json_that_cannot_be_kept_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(JsonProblem, match=why.replace("]", r"\]")):
        open_text(text, None)


def test_tokens_survive_beside_an_edit() -> None:
    text = '{"a": 0.10,\n "b": [1e400,  -0, "\\u00e9"], "\\u0063": 1.50, "d": 1}'
    edited = open_text(text, None).apply(Edit("set", "/d", "2.50"))
    assert edited.args_text == '{"a": 0.10, "b": [1e400,  -0, "\\u00e9"], "\\u0063": 1.50, "d": 2.50}'
    assert edited.args["d"] == 2.5
    assert type(edited.args["a"]) is float


@pytest.mark.parametrize("draft", [None, {"v": 2, "edits": []}, {"v": 1}, {"v": 1, "edits": [{"op": "x"}]}])
def test_a_draft_that_is_none_is_refused(draft: Any) -> None:
    with pytest.raises(Refused):
        form().resumed(draft)


@pytest.mark.parametrize("raw", [None, {"op": "set", "to": True}, {"op": "set", "text": 5}, {"x": 1}])
def test_an_edit_of_unknown_shape_is_refused(raw: Any) -> None:
    with pytest.raises(Refused):
        read_edit(raw)


def test_a_draft_has_an_end() -> None:
    edited = open_form({"v": []}, None).resumed(
        {"v": 1, "edits": [{"op": ["null", "reset"][at % 2], "pointer": "/v"} for at in range(MAX_EDITS)]}
    )
    assert len(edited.edits) == MAX_EDITS
    with pytest.raises(Refused):
        edited.apply(Edit("null", "/v"))
