"""An agent that keeps a value of its own type in its state, which no schema of it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain_core.tools import tool
from pydantic import BaseModel

from tests.services.agents import Obedient, leave_mark


@dataclass
class Order:
    number: str
    total: int = 0


class Customer(BaseModel):
    name: str


class Tier(Enum):
    GOLD = "gold"


class Spot(NamedTuple):
    x: int


class Loose(AgentState[Any]):
    order: Any


class Named(AgentState[Any]):
    order: Order


def keeping(folder: Path, value: Callable[[], Any], schema: Any = Loose) -> Any:
    """`charge` is gated; the first step puts `value` into the state as `order`."""

    class Keeper(AgentMiddleware[Any, Any]):
        state_schema = schema

        def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
            return {"order": value()}

    @tool
    def charge(amount: int) -> str:
        """Take money."""
        leave_mark(folder, f"charge {amount}")
        return f"charged {amount}"

    gate = HumanInTheLoopMiddleware(interrupt_on={"charge": True})
    return create_agent(Obedient(folder=folder), [charge], middleware=[Keeper(), gate])


def graph() -> Any:
    """For console.toml."""
    return keeping(Path(), lambda: Order("A-1"))
