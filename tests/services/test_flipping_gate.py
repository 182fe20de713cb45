"""A gate whose `when` says something else at resume: LangChain then runs what was rejected, and we say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool

from console.sources.local import LocalSource
from tests.services.agents import Obedient, effects, leave_mark
from tests.services.world import OBEDIENT, REJECT, call, deps_over


def flipping(folder: Path) -> Any:
    @tool
    def charge(amount: int) -> str:
        """Take money."""
        leave_mark(folder, f"charge {amount}")
        return "charged"

    rule: Any = {
        "charge": {
            "allowed_decisions": ["approve", "reject"],
            "when": lambda _: not (folder / "flipped").exists(),
        }
    }
    gate = HumanInTheLoopMiddleware(interrupt_on=rule)
    return create_agent(Obedient(folder=folder), [charge], middleware=[gate])


def test_a_rejected_call_that_runs_all_the_same_is_an_alarm(folder: Path, worlds: Any) -> None:
    source = LocalSource(OBEDIENT, flipping(folder), folder / "checkpoints.db")
    world = worlds(deps_over(folder, {OBEDIENT: source}), OBEDIENT)
    with world.worker():
        review = world.pause(call(("charge", {"amount": 5})))
        (folder / "flipped").touch()
        world.decide(review, REJECT)
        alarm = world.wait_settled(review.id, "mismatch")
    assert effects(folder) == ["charge 5"], "this is what LangChain does"
    assert alarm.outcome == "ran although it was rejected"
    assert world.queue() == [review.id]
