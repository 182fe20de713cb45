"""One rule for keys that nobody named: the schema says, and that of a class says what the class does."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from console.forms.checking import breaches
from console.forms.closing import closed, closed_around
from console.forms.form import open_form
from console.forms.schema import prepare


class Dropping(BaseModel):
    a: int = 0


class Taking(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int = 0


class Refusing(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int = 0


class Typed(TypedDict):
    a: int


@dataclass
class Data:
    a: int = 0


class Tree(BaseModel):
    a: int = 0
    below: list[Tree] = []


class Narrowed(BaseModel):
    """One of two is needed, said in the schema by hand."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"properties": {"a": {"minimum": 5}}, "required": ["a"]},
                {"properties": {"b": {"minimum": 5}}, "required": ["b"]},
            ]
        }
    )
    a: int = 0
    b: int = 0


class All(BaseModel):
    dropping: Dropping | None = None
    taking: Taking = Taking()
    refusing: Refusing = Refusing()
    typed: Typed = {"a": 1}
    data: Data = Data()
    tree: Tree = Tree()
    listed: list[Dropping] = []
    pair: tuple[Dropping, int] = (Dropping(), 1)
    by_name: dict[str, Dropping] = {}
    free: dict[str, Any] = {}
    anything: Any = None
    either: Annotated[Dropping | list[Dropping], Field(union_mode="left_to_right")] = []
    narrowed: Narrowed = Narrowed(a=5)


ONE = {"a": 1}
MORE = {"a": 1, "x": 2}


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"dropping": MORE}, True),
        ({"taking": MORE}, False),
        ({"refusing": MORE}, True),
        ({"typed": MORE}, True),
        ({"data": MORE}, True),
        ({"tree": MORE}, True),
        ({"tree": {"below": [{"below": [MORE]}]}}, True),
        ({"listed": [ONE, MORE]}, True),
        ({"pair": [MORE, 1]}, True),
        ({"by_name": {"k": MORE}}, True),
        ({"by_name": {"k": ONE, "other": ONE}}, False),
        ({"free": MORE}, False),
        ({"anything": MORE}, False),
        ({"either": MORE}, True),
        ({"either": [MORE]}, True),
        ({"narrowed": {"a": 5, "b": 1}}, False),
        ({"narrowed": {"a": 5, "x": 1}}, True),
        ({"x": 1}, True),
    ],
)
def test_exactly_what_the_class_would_drop_is_wrong(value: dict[str, Any], wrong: bool) -> None:
    schema = closed(All.model_json_schema())
    assert bool(breaches(prepare(schema), value)[0]) is wrong
    try:
        taken = All.model_validate(value).model_dump(exclude_unset=True, mode="json")
    except ValueError:
        assert wrong
    else:
        assert (taken != value) is wrong


def test_nothing_that_fits_the_class_is_wrong_by_it() -> None:
    every = All(dropping=Dropping(), tree=Tree(below=[Tree()]), either=Dropping()).model_dump(mode="json")
    form = open_form(every, closed(All.model_json_schema()))
    assert (form.errors, form.drawn_as_text) == ([], [])
    assert not form.tree.can_add_key


def test_the_outermost_may_take_all_and_what_is_below_does_not() -> None:
    schema = closed(All.model_json_schema(), but_open=True)
    assert breaches(prepare(schema), {"x": 1})[0] == []
    assert breaches(prepare(schema), {"dropping": MORE})[0]


def test_the_schema_it_is_made_of_stays_as_it_was() -> None:
    before = All.model_json_schema()
    closed(before)
    assert before == All.model_json_schema()


@pytest.mark.parametrize(
    "says", [{"additionalProperties": {}}, {"patternProperties": {"^x": {}}}, {"unevaluatedProperties": True}]
)
def test_what_people_said_of_other_keys_stands(says: dict[str, Any]) -> None:
    schema = {"properties": {"a": {}}, **says}
    assert closed_around(schema, ["b"]) == schema
    assert closed(schema) == schema


def test_a_schema_of_people_lets_pass_the_tools_other_names_and_no_more() -> None:
    schema = prepare(closed_around({"properties": {"a": {"type": "integer"}}}, ["a", "b.c", "d"]))
    assert breaches(schema, {"a": 1, "b.c": 1, "d": 2})[0] == []
    assert [each.pointer for each in breaches(schema, {"a": "1", "bxc": 1, "dd": 2})[0]] == [
        "/a",
        "/bxc",
        "/dd",
    ]
    assert closed_around({"type": "object"}, ["a"]) == {"type": "object"}
    in_parts = {"properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}]}
    assert closed_around(in_parts, ["a", "c"]) == in_parts
