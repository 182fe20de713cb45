"""The tools that people have: each is drawn, can be edited everywhere, and comes back as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from console.forms.edits import Edit
from console.forms.exact import same
from console.forms.field import Field
from console.forms.form import open_form, open_text
from console.forms.kinds import TEXTS
from tests.forms.zoo import ZOO_ARGS, Zoo, every_tool, zoo_schema

TOOLS = every_tool()
DOCS = Path(__file__).parents[2] / "docs" / "forms.md"
NEW = {"integer": "7", "number": "7.25"}


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_drawn_as_fields_and_comes_back_untouched(name: str) -> None:
    schema, args = TOOLS[name]
    form = open_form(args, schema)
    assert form.errors == []
    assert form.drawn_as_text == []
    assert form.args is args
    text = json.dumps(args, indent=1)
    assert open_text(text, schema).args_text == text


@pytest.mark.parametrize("name", TOOLS)
def test_every_leaf_of_a_tool_can_be_edited_alone(name: str) -> None:
    schema, args = TOOLS[name]
    form = open_form(args, schema)
    for field in form.tree.walk():
        if (typed := typed_into(field)) is None or field.state == "missing":
            continue
        edited = form.apply(Edit("set", field.pointer, typed))
        assert [each.pointer for each in edited.changes] == [field.pointer], field
        assert edited.apply(Edit("reset", field.pointer)).args is args
        assert same(edited.undo().args, args)


def typed_into(field: Field) -> str | None:
    if field.kind in TEXTS:
        return "2026-02-01" if field.kind == "date" else field.text + "1"
    if field.kind == "enum":
        return next((each.text for each in field.options if each.text != field.text), None)
    if field.kind == "boolean":
        return "true" if field.text == "false" else "false"
    return NEW.get(field.kind)


def test_what_the_form_makes_of_the_zoo_is_what_pydantic_takes() -> None:
    form = open_form(ZOO_ARGS, zoo_schema())
    form = form.apply(Edit("set", "/money", "12.30")).apply(Edit("set", "/real", "0.03"))
    form = form.apply(Edit("add", "/homes")).apply(Edit("set", "/homes/2/street", "D"))
    form = form.apply(Edit("variant", "/pay", to=2)).apply(Edit("add", "/pay/codes"))
    form = form.apply(Edit("set", "/pay/codes/0", "ABC"))
    assert form.errors == []
    made = Zoo.model_validate(form.args)
    assert (str(made.money), made.real, made.homes[2].street) == ("12.30", 0.03, "D")
    assert made.pay.model_dump() == {"kind": "voucher", "codes": ["ABC"]}


def test_the_table_in_the_docs_says_how_each_construct_is_drawn() -> None:
    """Each row of the table holds a schema, a value and the widget, which is tried here."""
    rows = [line.split("|")[1:-1] for line in DOCS.read_text("utf-8").splitlines() if line.startswith("| `{")]
    assert len(rows) > 30
    for schema, value, kind, *_ in ([cell.strip().strip("`") for cell in row] for row in rows):
        known = json.loads(schema.replace("\\|", "|"))
        field = open_form(
            {"v": json.loads(value)}, {"properties": {"v": known}, "$defs": DEFS}
        ).tree.children[0]
        drawn = f"{field.kind}, a choice" if field.variants else field.kind
        assert (drawn, schema) == (kind, schema), field.note


DEFS: dict[str, Any] = {
    "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}},
    "Loop": {"$ref": "#/$defs/Loop"},
}
