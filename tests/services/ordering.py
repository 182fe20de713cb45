"""An agent with tools of every make: a large Pydantic class, one that takes more, one by JSON Schema."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
from pathlib import Path
from typing import Annotated, Any, Literal

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool
from pydantic import BaseModel, ConfigDict, Field

from console.sources.local import LocalSource
from tests.services.agents import Obedient, effects, leave_mark

ORDERING = "ordering"


class Speed(enum.Enum):
    SLOW = "slow"
    FAST = "fast"


class Card(BaseModel):
    kind: Literal["card"]
    last4: str = Field(pattern=r"^\d{4}$")


class Voucher(BaseModel):
    kind: Literal["voucher"]
    codes: list[str]


class Line(BaseModel):
    """A nested class: like the outermost it drops what it does not name."""

    sku: str
    count: int = Field(gt=0)


class Order(BaseModel):
    order_id: str = Field(alias="orderId", title="Order number", examples=["A-2048"])
    amount: decimal.Decimal = Field(gt=0)
    due: datetime.date
    at: datetime.datetime | None = None
    speed: Speed = Speed.SLOW
    lines: list[Line]
    pay: Annotated[Card | Voucher, Field(discriminator="kind")]
    gift: Card | list[Line] | None = None
    labels: dict[str, int] = {}


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")

    n: int


class Hidden(BaseModel):
    n: int
    call: Annotated[str, InjectedToolCallId]


ARGS: dict[str, Any] = {
    "orderId": "A-2048",
    "amount": "699.00",
    "due": "2026-12-24",
    "at": None,
    "speed": "slow",
    "lines": [{"sku": "x", "count": 1}, {"sku": "y", "count": 9007199254740993}],
    "pay": {"kind": "card", "last4": "1234"},
    "gift": [{"sku": "z", "count": 2}],
    "labels": {"k": 1},
}
MCP = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "top": {"type": "integer"}},
    "required": ["q"],
}
SHUT = {**MCP, "additionalProperties": False}


def tools(folder: Path) -> list[BaseTool]:
    def heard(**given: Any) -> str:
        leave_mark(folder, json.dumps(given, default=_written))
        return "done"

    def hidden(n: int, call: str) -> str:
        return heard(n=n)

    return [
        StructuredTool.from_function(heard, name="place", description="Place it.", args_schema=Order),
        StructuredTool.from_function(heard, name="loose", description="Take all.", args_schema=Loose),
        StructuredTool.from_function(hidden, name="hidden", description="Know more.", args_schema=Hidden),
        StructuredTool.from_function(heard, name="search", description="Look.", args_schema=MCP),
        StructuredTool.from_function(heard, name="shut", description="Look.", args_schema=SHUT),
    ]


def _written(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)


class Telling(HumanInTheLoopMiddleware):
    """A gate that fills in what LangChain's own leaves out."""

    def _create_action_and_config(self, tool_call: Any, config: Any, *rest: Any) -> Any:
        action, made = super()._create_action_and_config(tool_call, config, *rest)
        return action, {**made, "args_schema": config["args_schema"]} if "args_schema" in config else made


def ordering(
    folder: Path,
    *,
    mode: str = "batched",
    gate: dict[str, Any] | None = None,
    tells: bool = False,
    schemas: dict[str, dict[str, Any]] | None = None,
) -> LocalSource:
    """`gate` is the schema the gate of every tool is set up with, which it passes on when it `tells`."""
    rule = {"allowed_decisions": ["approve", "edit", "reject"], **({"args_schema": gate} if gate else {})}
    made = tools(folder)
    kind = Telling if tells else HumanInTheLoopMiddleware
    middleware = kind({each.name: rule for each in made}, interrupt_mode=mode)  # type: ignore[arg-type]
    agent = create_agent(Obedient(folder=folder), made, middleware=[middleware])
    return LocalSource(ORDERING, agent, folder / "checkpoints.db", schemas=schemas)


def heard(folder: Path) -> list[dict[str, Any]]:
    """What the tools were really given, after their class had read it."""
    return [json.loads(each) for each in effects(folder)]
