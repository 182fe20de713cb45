"""From choices and typed texts to the decisions of one verdict, and to what is still missing. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from console.domain.text import count_hazards, escape
from console.features.drawn import number_of, read_args
from console.forms.exact import JsonProblem, dumps, loads
from console.forms.fields import fields, merge

ORDER = ("approve", "edit", "reject", "respond")
TONES = {"approve": "green", "edit": "iris", "reject": "red", "respond": "cyan"}


@dataclass(frozen=True)
class Proposed:
    """What the agent asked for at one position, as exact texts."""

    name: str
    args_text: str
    schema_text: str
    allowed: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """What a person has chosen and typed so far; `edits` by pointer."""

    kind: str = ""
    edits: Mapping[str, str] = field(default_factory=dict)
    message: str = ""


@dataclass(frozen=True)
class Judged:
    """`decision` is complete exactly when `missing` is empty.

    By pointer: `changed` holds the old text, `hidden` the present one where an input cannot show all of it.
    """

    decision: dict[str, Any] | None = None
    missing: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    hidden: dict[str, str] = field(default_factory=dict)
    effect: str = ""
    figure: str = ""


@dataclass(frozen=True)
class Effect:
    """One chip of the verdict bar: what will happen to the action of this number."""

    number: str
    text: str
    tone: str


def schema_of(proposed: Proposed) -> dict[str, Any] | None:
    try:
        schema = loads(proposed.schema_text) if proposed.schema_text else None
    except JsonProblem:
        return None
    return schema if isinstance(schema, dict) else None


def judge(proposed: Proposed, choice: Choice) -> Judged:
    if choice.kind not in proposed.allowed:
        return Judged(missing="is undecided")
    match choice.kind:
        case "approve":
            return Judged({"type": "approve"}, effect=number_of(proposed.args_text)[1] or "as asked")
        case "edit":
            return _edit(proposed, choice.edits)
        case "reject":
            said = choice.message.strip()
            return Judged(
                {"type": "reject", "message": said} if said else {"type": "reject"}, effect="does not run"
            )
    said = choice.message.strip()
    if not said:
        return Judged(missing="needs the answer's text")
    return Judged({"type": "respond", "message": said}, effect="answered")


def _edit(proposed: Proposed, edits: Mapping[str, str]) -> Judged:
    args, schema = read_args(proposed.args_text), schema_of(proposed)
    if args is None:
        return Judged(missing="cannot be edited: its arguments are no JSON object")
    merged, problems = merge(args, schema, edits)
    errors: dict[str, str] = {}
    for problem in problems:
        errors.setdefault(problem.pointer, problem.message)
    old = {each.pointer: each for each in fields(args, schema)}
    changed = {
        pointer: escape(old[pointer].text) if old[pointer].present else "not given"
        for pointer, text in edits.items()
        if pointer in old and text != old[pointer].text
    }
    now = {pointer: edits.get(pointer, each.text) for pointer, each in old.items()}
    hidden = {pointer: escape(text) for pointer, text in now.items() if count_hazards(text)}
    if errors:
        return Judged(missing="has an error", errors=errors, changed=changed, hidden=hidden)
    if dumps(merged) == dumps(dict(args)):
        return Judged(missing="has no change yet", changed=changed, hidden=hidden)
    figure = number_of(dumps(merged))[1]
    decision = {"type": "edit", "edited_action": {"name": proposed.name, "args": merged}}
    return Judged(
        decision, changed=changed, hidden=hidden, effect=figure or f"{len(changed)} changed", figure=figure
    )


def missing(judged: Sequence[Judged]) -> str:
    """The first thing that is missing, in words; empty when the verdict is complete."""
    for position, each in enumerate(judged):
        if each.missing:
            return f"Action {position + 1} {each.missing}"
    return ""


def summary(choices: Sequence[Choice]) -> str:
    """Such as "1 edit, 1 reject, 1 undecided", always in the same order."""
    counts = Counter(choice.kind for choice in choices)
    words = [f"{counts[kind]} {kind}" for kind in ORDER if counts[kind]]
    if counts[""]:
        words.append(f"{counts['']} undecided")
    return ", ".join(words)


def effects(judged: Sequence[Judged], choices: Sequence[Choice]) -> list[Effect]:
    return [
        Effect(str(position + 1), each.effect, TONES.get(choice.kind, "gray"))
        for position, (each, choice) in enumerate(zip(judged, choices, strict=True))
        if each.decision
    ]
