"""Schemas as tools really bring them: Pydantic's, deepagents', and those of MCP servers."""

from __future__ import annotations

import datetime as dt
import enum
import uuid
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AnyUrl, BaseModel, ConfigDict, Field


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Card(BaseModel):
    kind: Literal["card"]
    number: str = Field(pattern=r"^\d{4}$")


class Cash(BaseModel):
    kind: Literal["cash"]
    amount: float = Field(gt=0)


class Voucher(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["voucher"]
    codes: list[str] = Field(min_length=1)


class Address(BaseModel):
    """Where to send it."""

    street: str
    city: str = "Berlin"
    zip_code: str | None = Field(None, alias="zipCode")


class Node(BaseModel):
    name: str
    children: list[Node] = []


class Zoo(BaseModel):
    text: str
    long_text: str = Field(max_length=2_000, description="What happened", examples=["late"])
    whole: int = Field(ge=1, le=10)
    real: float = Field(gt=0, multiple_of=0.01)
    flag: bool
    money: Decimal
    day: dt.date
    moment: dt.datetime
    hour: dt.time
    span: dt.timedelta
    id: uuid.UUID
    url: AnyUrl
    raw: bytes
    colour: Colour
    level: Level
    word: Literal["a", "b"]
    one: Literal["only"]
    maybe: str | None = None
    either: int | str
    many: int | str | None
    address: Address
    maybe_address: Address | None = None
    tags: list[str]
    unique: set[int]
    points: list[tuple[int, int]]
    pair: tuple[int, str]
    homes: list[Address]
    scores: dict[str, int]
    deep: dict[str, list[dict[str, float]]]
    pay: Annotated[Card | Cash | Voucher, Field(discriminator="kind")]
    nested: Card | Cash | list[Card | Cash]
    tree: Node
    anything: Any
    free: dict[str, Any]


ZOO_ARGS: dict[str, Any] = {
    "text": "hello",
    "long_text": "it was late",
    "whole": 3,
    "real": 19.99,
    "flag": True,
    "money": "0.10",
    "day": "2026-01-31",
    "moment": "2026-01-31T09:30:00Z",
    "hour": "09:30:00",
    "span": "PT5M",
    "id": "7b0f6a4e-0c7e-4a0c-9f0d-3f6f3f1c2d11",
    "url": "https://example.com/a",
    "raw": "abc",
    "colour": "red",
    "level": 2,
    "word": "a",
    "one": "only",
    "either": 5,
    "many": None,
    "address": {"street": "Mill Lane 1", "zipCode": "10115"},
    "tags": ["x", "y"],
    "unique": [1, 2],
    "points": [[1, 2], [3, 4]],
    "pair": [1, "one"],
    "homes": [{"street": "A"}, {"street": "B", "city": "C"}],
    "scores": {"sam": 1, "sue": 2},
    "deep": {"a": [{"b": 0.5}]},
    "pay": {"kind": "cash", "amount": 5.0},
    "nested": [{"kind": "card", "number": "1234"}],
    "tree": {"name": "root", "children": [{"name": "leaf", "children": []}]},
    "anything": {"k": [1, "two", None]},
    "free": {"x": 1},
}

_PATH = {"type": "string", "description": "Absolute path of the file"}
_TODO = {
    "type": "object",
    "title": "Todo",
    "properties": {
        "content": {"type": "string"},
        "status": {"enum": ["pending", "in_progress", "completed"], "type": "string"},
    },
    "required": ["content", "status"],
}
# name -> (schema, arguments), with the shapes of deepagents' tools.
DEEPAGENTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "write_todos": (
        {
            "type": "object",
            "$defs": {"Todo": _TODO},
            "properties": {"todos": {"type": "array", "items": {"$ref": "#/$defs/Todo"}}},
            "required": ["todos"],
        },
        {"todos": [{"content": "look", "status": "completed"}, {"content": "act", "status": "pending"}]},
    ),
    "write_file": (
        {
            "type": "object",
            "properties": {"file_path": _PATH, "content": {"type": "string"}},
            "required": ["file_path"],
        },
        {"file_path": "/notes.md", "content": "# Notes\n\nfirst\n"},
    ),
    "edit_file": (
        {
            "type": "object",
            "properties": {
                "file_path": _PATH,
                "old_string": {"type": "string"},
                "new_string": {"type": "string"},
                "replace_all": {"type": "boolean", "default": False},
            },
            "required": ["file_path", "old_string", "new_string"],
        },
        {"file_path": "/a.py", "old_string": "x = 1", "new_string": "x = 2"},
    ),
    "grep": (
        {
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "path": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                "output_mode": {
                    "enum": ["files_with_matches", "content", "count"],
                    "default": "files_with_matches",
                    "type": "string",
                },
                "max_count": {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "null"}]},
            },
            "required": ["pattern"],
        },
        {"pattern": "refund", "path": None, "max_count": 5},
    ),
    "task": (
        {
            "type": "object",
            "properties": {"description": {"type": "string"}, "subagent_type": {"type": "string"}},
            "required": ["description", "subagent_type"],
        },
        {"description": "Look into the order", "subagent_type": "general-purpose"},
    ),
}

_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
# The ways in which MCP servers write their input schemas: Draft 7 from Zod, plain objects, closed ones.
MCP: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "create_entities": (
        {
            "$schema": _DRAFT_7,
            "type": "object",
            "properties": {
                "entities": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string"},
                            "observations": {"type": "array", "items": {"type": "string"}},
                        },
                        "required": ["name", "observations"],
                        "additionalProperties": False,
                    },
                }
            },
            "required": ["entities"],
            "additionalProperties": False,
        },
        {"entities": [{"name": "order", "observations": ["late", "wet"]}]},
    ),
    "edit_lines": (
        {
            "$schema": _DRAFT_7,
            "type": "object",
            "properties": {
                "range": {
                    "type": "array",
                    "items": [{"type": "integer"}, {"type": "integer"}],
                    "additionalItems": False,
                },
                "dry_run": {"type": "boolean", "default": True},
            },
            "dependencies": {"range": ["dry_run"]},
        },
        {"range": [1, 4], "dry_run": False},
    ),
    "series": (
        {
            "type": "object",
            "properties": {
                "returns": {
                    "type": "object",
                    "additionalProperties": {"type": "array", "items": {"type": "number"}},
                }
            },
            "required": ["returns"],
        },
        {"returns": {"oil": [0.1, -0.2], "gas": []}},
    ),
    "search": (
        {
            "type": "object",
            "properties": {
                "filter": {
                    "oneOf": [
                        {
                            "type": "object",
                            "title": "By day",
                            "properties": {"day": {"type": "string", "format": "date"}},
                            "required": ["day"],
                            "additionalProperties": False,
                        },
                        {
                            "type": "object",
                            "title": "By tag",
                            "properties": {"tag": {"type": "string"}},
                            "required": ["tag"],
                            "additionalProperties": False,
                        },
                    ]
                },
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            },
        },
        {"filter": {"tag": "late"}},
    ),
    "no_arguments": ({"type": "object", "additionalProperties": False}, {}),
}


def zoo_schema() -> dict[str, Any]:
    return Zoo.model_json_schema(by_alias=True)


def every_tool() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    return {"zoo": (zoo_schema(), ZOO_ARGS), **DEEPAGENTS, **MCP}
