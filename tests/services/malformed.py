"""Answers that are wrong in some way, without end and the same for the same seed, for each kind of payload.

Every one is wrong for certain: it is a right one with one thing broken, or of a kind that nothing takes.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

from tests.services.world import APPROVE, REJECT, edit

LONE = "\ud800"
SCHEMA = {
    "type": "object",
    "properties": {"amount": {"type": "integer", "minimum": 1, "maximum": 9}, "why": {"type": "string"}},
    "required": ["amount"],
    "additionalProperties": False,
}
# What `decide` is handed: decisions or an answer, or something else by name.
Given = dict[str, Any]


def junk(draw: random.Random) -> Any:
    """Any JSON, small."""
    return draw.choice(
        [None, True, 0, -1, 1.5, "", "yes", [], {}, [1], {"type": "approve"}, "approve", [[APPROVE]], "1"]
    )


def unstorable(draw: random.Random) -> Any:
    """What no JSON text or no checkpoint keeps exactly."""
    deep: Any = 1
    for _ in range(draw.randint(120, 3_000)):
        deep = [deep] if draw.random() < 0.9 else {"a": deep}
    return draw.choice(
        [
            float("nan"),
            float("inf"),
            -float("inf"),
            LONE,
            f"a{LONE}b",
            {LONE: 1},
            {1: 1},
            [LONE],
            b"bytes",
            {1, 2},
            object(),
            2 ** draw.randint(64, 400),
            -(2 ** draw.randint(64, 400)),
            10**5000,
            deep,
        ]
    )


def approvals(draw: random.Random, actions: int) -> Given:
    """A verdict on so many refunds, with one thing broken."""
    right = [draw.choice([APPROVE, REJECT, refund(draw)]) for _ in range(actions)]
    at = draw.randrange(actions)
    broken = copy.deepcopy(right)
    way = draw.randrange(8)
    if way == 0:
        return {"decisions": right[:at]}
    if way == 1:
        return {"decisions": right + [APPROVE] * draw.randint(1, 5)}
    if way == 2:
        return {
            "decisions": draw.choice([None, True, 3, "approve", {}, {"0": APPROVE}, {"decisions": right}])
        }
    if way == 3:
        return draw.choice([{"answer": right}, {"answer": {"decisions": right}}, {}, {"answer": junk(draw)}])
    broken[at] = _broken_decision(draw, way)
    return {"decisions": broken}


def _broken_decision(draw: random.Random, way: int) -> Any:
    if way == 4:
        return draw.choice([None, True, 7, "approve", [], [APPROVE], {}, unstorable(draw)])
    if way == 5:
        kinds = ["Approve", "approve ", "accept", "respond", "", None, 1, ["approve"], LONE, {"a": 1}]
        return {"type": draw.choice(kinds)}
    if way == 6:
        field = draw.choice(["message", "args", "edited_action", "id", "reason", LONE, "ty pe"])
        return {"type": "approve", field: junk(draw)}
    return _broken_edit(draw)


def _broken_edit(draw: random.Random) -> Any:
    args = {"order_id": "A-2048", "amount": draw.randint(1, 600)}
    ways: list[Callable[[], Any]] = [
        lambda: {"type": "edit"},
        lambda: {"type": "edit", "edited_action": draw.choice([None, [], "x", 1, {}])},
        lambda: {"type": "edit", "edited_action": {"name": "refund_order"}},
        lambda: edit(draw.choice(["get_order", "send_sms", "Refund_order", "", "refund_order "]), **args),
        lambda: edit("refund_order", order_id="A-2048"),
        lambda: edit("refund_order", **{**args, "amount": draw.choice(["1", None, True, [1], {}, ""])}),
        lambda: edit("refund_order", **{**args, "order_id": draw.choice([1, None, ["A-2048"], True])}),
        lambda: edit("refund_order", **{**args, "amount": unstorable(draw)}),
        lambda: edit("refund_order", **args, **{f"extra{draw.randint(0, 99)}": junk(draw)}),
        lambda: {"type": "reject", "message": draw.choice([1, False, [], {}, LONE, "a\x00b", "x" * 10_001])},
    ]
    return draw.choice(ways)()


def refund(draw: random.Random) -> dict[str, Any]:
    return edit("refund_order", order_id="A-2048", amount=draw.randint(1, 600))


def answers_with_schema(draw: random.Random) -> Given:
    way = draw.randrange(6)
    if way == 0:
        return draw.choice([{}, {"decisions": [APPROVE]}, {"decisions": {"amount": 1}}])
    if way == 1:
        return {"answer": draw.choice([None, True, 1, "", "1", [], [{"amount": 1}], 0.5])}
    if way == 2:
        return {"answer": {"amount": draw.choice([0, -1, 10, 10**30, 1.5, "1", None, True, [1], {}])}}
    if way == 3:
        return {"answer": {"amount": 1, f"extra{draw.randint(0, 99)}": junk(draw)}}
    if way == 4:
        return {"answer": {"amount": 1, "why": draw.choice([1, None, [], {}, LONE, False])}}
    return {"answer": draw.choice([unstorable(draw), {"amount": unstorable(draw)}, {"why": "x"}])}


def answers_without(draw: random.Random) -> Given:
    """Any JSON is an answer here: only what is none, or is in the wrong place, is wrong."""
    way = draw.randrange(4)
    if way == 0:
        return draw.choice([{}, {"decisions": [APPROVE]}, {"decisions": junk(draw)}])
    value = unstorable(draw)
    return {"answer": draw.choice([value, [value], {"a": value}, {"a": [{"b": value}]}][: way + 1])}
