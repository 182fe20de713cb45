"""Reading a verdict strictly: complete, in order, allowed at its position, and nothing else in it.

A wrong verdict does not merely fail in LangChain: it is stored and answers every later attempt, too.
So everything is checked here before anything is saved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from console.domain.errors import Problem, pointer_of
from console.domain.review import DECISIONS, Action
from console.domain.text import has_lone_surrogate

MAX_MESSAGE = 10_000
_KEYS = {
    "approve": {"type"},
    "edit": {"type", "edited_action"},
    "reject": {"type", "message"},
    "respond": {"type", "message"},
}


_Complain = Callable[[str, str], Problem]


@dataclass(frozen=True)
class Decided:
    """One decision, in LangChain's shape as `raw`; `args` are the arguments that will run, for an edit."""

    position: int
    type: str
    raw: dict[str, Any]
    message: str = ""
    args: dict[str, Any] | None = None


def read_decisions(raw: Any, actions: Sequence[Action]) -> tuple[list[Decided], list[Problem]]:
    """Pair decisions with actions by position; return what was read and every problem found."""
    if not isinstance(raw, list):
        return [], [Problem("decisions must be a list, one for each action, in order", pointer="/decisions")]
    if len(raw) != len(actions):
        wanted = f"{len(actions)} decision{'' if len(actions) == 1 else 's'} wanted, {len(raw)} given"
        return [], [Problem(f"{wanted}; one for each action, in order", pointer="/decisions")]
    found = [_read(item, action) for action, item in zip(actions, raw, strict=True)]
    decided = [each for each in found if isinstance(each, Decided)]
    return decided, [each for each in found if isinstance(each, Problem)]


def _read(raw: Any, action: Action) -> Decided | Problem:
    def problem(message: str, pointer: str = "") -> Problem:
        return Problem(message, position=action.position, pointer=f"/decisions/{action.position}{pointer}")

    if not isinstance(raw, dict):
        return problem("a decision is an object with a type")
    kind = raw.get("type")
    if not isinstance(kind, str) or kind not in DECISIONS:
        return problem("type must be approve, edit, reject or respond", "/type")
    if kind not in action.allowed_decisions:
        return problem(
            f"{kind} is not allowed here; allowed: {', '.join(action.allowed_decisions) or 'nothing'}",
            "/type",
        )
    unknown = [key for key in raw if key not in _KEYS[kind]]
    if unknown:
        return problem(*_not_taken(kind, unknown[0]))
    if kind == "edit":
        return _read_edit(raw, action, problem)
    if kind == "approve":
        return Decided(action.position, kind, {"type": kind})
    return _read_message(raw, kind, action, problem)


def _not_taken(what: str, key: object) -> tuple[str, str]:
    shown = str(key)[:80]
    return f"{what} does not take {shown!r}", pointer_of(shown)


def _read_message(raw: dict[str, Any], kind: str, action: Action, problem: _Complain) -> Decided | Problem:
    message = raw.get("message")
    if message is not None and not isinstance(message, str):
        return problem("message must be text", "/message")
    text = message or ""
    if kind == "respond" and not text.strip():
        return problem("respond needs a message: it becomes the tool's result", "/message")
    if len(text) > MAX_MESSAGE:
        return problem(f"message is longer than {MAX_MESSAGE:,} characters", "/message")
    if has_lone_surrogate(text):
        return problem("message holds half a character; type it again", "/message")
    if "\x00" in text:
        return problem("message holds a character that cannot be stored", "/message")
    return Decided(action.position, kind, {"type": kind, **({"message": text} if text else {})}, message=text)


def _read_edit(raw: dict[str, Any], action: Action, problem: _Complain) -> Decided | Problem:
    edited = raw.get("edited_action")
    if not isinstance(edited, dict):
        return problem("edit needs edited_action with name and args", "/edited_action")
    unknown = [key for key in edited if key not in {"name", "args"}]
    if unknown:
        message, pointer = _not_taken("edited_action", unknown[0])
        return problem(message, "/edited_action" + pointer)
    if edited.get("name") != action.name:
        return problem(f"an edit cannot change the tool; it stays {action.name}", "/edited_action/name")
    args = edited.get("args")
    if not isinstance(args, dict):
        return problem("args must be an object", "/edited_action/args")
    return Decided(
        action.position,
        "edit",
        {"type": "edit", "edited_action": {"name": action.name, "args": args}},
        args=args,
    )


def in_words(types: Sequence[str]) -> str:
    """`1 edit, 2 reject`: how many of each, in the order of the choices."""
    counted = [(types.count(kind), kind) for kind in DECISIONS]
    return ", ".join(f"{count} {kind}" for count, kind in counted if count)
