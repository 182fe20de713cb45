"""Any schema, any value: nothing is changed that nobody edited, and the verdict is the validator's.

CONSOLE_FORM_PAIRS=5000 runs as many pairs; by default there are few, so that the suite stays quick.
"""

from __future__ import annotations

import json
import os
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import _WrappedReferencingError  # type: ignore[attr-defined]

from console.forms.edits import Edit
from console.forms.exact import dumps, same
from console.forms.field import Field, as_json
from console.forms.form import Form, open_form, open_text
from console.forms.kinds import TEXTS
from tests.forms.pairs import ANY, Pair, pairs, texts

MANY = settings(
    max_examples=int(os.environ.get("CONSOLE_FORM_PAIRS", "60")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def fields_of(form: Form) -> list[Field]:
    return [each for each in form.tree.walk() if each.pointer]


@MANY
@given(pair=pairs(), data=st.data())
def test_opened_and_sent_untouched_every_byte_comes_back(pair: Pair, data: Any) -> None:
    schema, value = pair
    text = data.draw(texts(value))
    form = open_text(text, schema)
    assert form.args_text == text
    for each in fields_of(form):
        if each.kind not in ("object", "array"):
            form = form.apply(Edit("set", each.pointer, each.text))
    assert (form.args_text, form.edits) == (text, ())
    assert open_form(value, schema).args is value


@MANY
@given(pair=pairs(), data=st.data())
def test_one_edit_changes_its_own_pointer_alone(pair: Pair, data: Any) -> None:
    schema, value = pair
    form = open_form(value, schema)
    drawn = [each for each in fields_of(form) if each.state != "missing"]
    if not drawn:
        return
    field = data.draw(st.sampled_from(drawn))
    new = data.draw(ANY)
    edited = form.apply(Edit("json", field.pointer, dumps(new)))
    assert all(each.pointer.startswith(field.pointer) for each in edited.changes)
    assert same(edited.args, replaced(value, field.pointer, new))
    for each in drawn:
        inside = each.pointer.startswith(field.pointer) or field.pointer.startswith(each.pointer + "/")
        if not inside and each.pointer != "":
            assert at(edited.args, each.pointer) is at(value, each.pointer)
    assert edited.undo() is form or edited is form
    assert edited.apply(Edit("reset", field.pointer)).args is value


@MANY
@given(pair=pairs(), data=st.data())
def test_what_is_typed_into_a_field_is_what_is_sent(pair: Pair, data: Any) -> None:
    schema, value = pair
    form = open_form(value, schema)
    drawn = [each for each in fields_of(form) if each.kind in {*TEXTS, "integer", "number"}]
    if not drawn:
        return
    field = data.draw(st.sampled_from(drawn))
    typed = "A-4040" if field.kind in TEXTS else "41"
    edited = form.apply(Edit("set", field.pointer, typed))
    assert at(edited.args, field.pointer) == ("A-4040" if field.kind in TEXTS else 41)
    assert [each.pointer for each in edited.changes] == [field.pointer]


@MANY
@given(pair=pairs())
def test_the_verdict_is_the_validators(pair: Pair) -> None:
    schema, value = pair
    try:
        valid = Draft202012Validator(schema).is_valid(value)
    except (RecursionError, _WrappedReferencingError):
        valid = False
    form = open_form(value, schema)
    ours = [each for each in form.errors if "64 bit" not in each.message]
    assert (ours == []) == valid, (ours, valid)


@MANY
@given(pair=pairs())
def test_every_error_stands_at_a_field_that_is_drawn(pair: Pair) -> None:
    form = open_form(pair[1], pair[0])
    shown = sum(len(each.errors) for each in form.tree.walk())
    assert shown == len(form.errors)
    assert json.loads(json.dumps(as_json(form.tree))) == as_json(form.tree)


@MANY
@given(pair=pairs(), data=st.data())
def test_a_draft_brings_the_same_form_back(pair: Pair, data: Any) -> None:
    """Steps in any order, also ones that are refused, end in a state that its own steps lead to again."""
    from console.forms.edits import Refused

    form = start = open_form(pair[1], pair[0])
    for _ in range(data.draw(st.integers(1, 5))):
        drawn = data.draw(st.sampled_from(list(form.tree.walk())))
        op = data.draw(
            st.sampled_from(["set", "null", "empty", "unset", "add", "remove", "reset", "variant", "json"])
        )
        text = data.draw(st.sampled_from(["", "1", "x", '"x"', "[1]", '{"a": 1}', "1e400", "[1,"]))
        try:
            form = form.apply(Edit(op, drawn.pointer, text if op in ("set", "json") else "", to=0))
        except Refused:
            continue
        assert as_json(form.tree)
        assert isinstance(form.args_text, str)
    again = start.resumed(json.loads(json.dumps(form.draft())))
    assert again.value == form.value
    assert as_json(again.tree) == as_json(form.tree)


def steps(pointer: str) -> list[str]:
    return [each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:]]


def at(value: Any, pointer: str) -> Any:
    for step in steps(pointer):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def replaced(value: Any, pointer: str, new: Any) -> Any:
    copy = json.loads(json.dumps(value))
    *way, last = steps(pointer)
    inner = copy
    for step in way:
        inner = inner[int(step)] if isinstance(inner, list) else inner[step]
    inner[int(last) if isinstance(inner, list) else last] = new
    return copy
