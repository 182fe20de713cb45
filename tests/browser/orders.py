"""A source whose tools have deep schemas, and whose agent calls exactly what its customer's message says.

The message is a JSON list of calls `[name, args]` (tests/services/agents.py). Every tool's result is the JSON
of the arguments it got, so the thread shows what ran. `[name, args]` of `ask` interrupts with a schema.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import StructuredTool
from langgraph.types import interrupt

from tests.services.agents import Obedient

SETTINGS = '[sources.orders]\ngraph = "tests.browser.orders:graph"\n'

LINE = {
    "type": "object",
    "properties": {
        "sku": {"type": "string", "minLength": 1},
        "count": {"type": "integer", "minimum": 1},
        "notes": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["sku", "count"],
    "additionalProperties": False,
}
CARD = {
    "type": "object",
    "title": "Card",
    "properties": {"kind": {"const": "card"}, "last4": {"type": "string", "pattern": "^[0-9]{4}$"}},
    "required": ["kind", "last4"],
    "additionalProperties": False,
}
VOUCHER = {
    "type": "object",
    "title": "Voucher",
    "properties": {"kind": {"const": "voucher"}, "code": {"type": "string", "minLength": 3}},
    "required": ["kind", "code"],
    "additionalProperties": False,
}
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "customer": {"type": "string", "description": "Who gets it, as in the shop's own list."},
        "ship_on": {"type": "string", "format": "date"},
        "lines": {"type": "array", "items": LINE, "minItems": 1},
        "pay": {"oneOf": [CARD, VOUCHER]},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        "speed": {"enum": ["slow", "fast"]},
        "gift": {"type": "boolean", "default": False},
        "note": {"type": ["string", "null"]},
    },
    "required": ["customer", "lines", "pay"],
    "additionalProperties": False,
}
FORM = {
    "type": "object",
    "properties": {
        "refund": {"type": "boolean"},
        "amount": {"type": "number", "minimum": 0},
        "why": {"type": "string", "minLength": 1},
    },
    "required": ["refund", "why"],
    "additionalProperties": False,
}
ARGS: dict[str, Any] = {
    "customer": "C-7",
    "ship_on": "2026-12-24",
    "lines": [
        {"sku": "mug", "count": 9007199254740993, "notes": ["blue"]},
        {"sku": "pan", "count": 2},
        {"sku": "jar", "count": 3},
    ],
    "pay": {"kind": "card", "last4": "4242"},
    "tags": {"season": "winter"},
    "speed": "slow",
}


def wide(fields: int) -> dict[str, Any]:
    """Schema of a tool with this many texts, ten to a group, or flat when there are only ten."""
    names = [f"field_{at:03}" for at in range(fields)]
    texts = [{name: {"type": "string"} for name in names[at : at + 10]} for at in range(0, fields, 10)]
    groups = [{"type": "object", "properties": each} for each in texts]
    if len(groups) == 1:
        return groups[0]
    return {"type": "object", "properties": {f"group_{at:02}": each for at, each in enumerate(groups)}}


def values(schema: dict[str, Any]) -> Any:
    """Arguments that fit what `wide` gave."""
    if schema["type"] == "string":
        return "as asked"
    return {name: values(each) for name, each in schema["properties"].items()}


SCHEMAS = {
    "place_order": ORDER,
    "narrow": wide(10),
    "wide": wide(200),
    "broken": {"type": "object", "properties": {"a": {"$ref": "https://elsewhere.example/a.json"}, "b": {}}},
    "anything": {"type": "object", "additionalProperties": True},
}


def echo(**args: Any) -> str:
    return json.dumps(args, ensure_ascii=False)


def ask(question: str) -> str:
    return f"answered {json.dumps(interrupt(question, response_schema=FORM))}"


def graph() -> Any:
    gated = [
        StructuredTool.from_function(func=echo, name=name, description=f"Do {name}.", args_schema=schema)
        for name, schema in SCHEMAS.items()
    ]
    asking = StructuredTool.from_function(func=ask, name="ask", description="Ask a person.")
    gate = HumanInTheLoopMiddleware(
        interrupt_on={name: {"allowed_decisions": ["approve", "edit", "reject"]} for name in SCHEMAS}
    )
    folder = Path(tempfile.gettempdir())
    return create_agent(Obedient(folder=folder), [*gated, asking], middleware=[gate])
