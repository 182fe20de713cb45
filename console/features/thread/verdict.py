"""From choices and typed texts to the decisions of one verdict, and to what is still missing. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from console.domain.errors import Invalid
from console.features.drawn import number_of
from console.features.thread.answer import ANSWER
from console.forms.form import Form
from console.services.editing import form_of_texts

ORDER = ("approve", "edit", "reject", "respond")
TONES = {"approve": "green", "edit": "iris", "reject": "red", "respond": "cyan"}


@dataclass(frozen=True)
class Proposed:
    """What the agent asked for at one position, as exact texts."""

    name: str
    args_text: str
    schema_text: str
    allowed: tuple[str, ...]
    schema_origin: str = ""


@dataclass(frozen=True)
class Choice:
    """What a person has chosen and typed so far; `form` for an edit, None where there can be none."""

    kind: str = ""
    form: Form | None = None
    message: str = ""


@dataclass(frozen=True)
class Judged:
    """`decision` is complete exactly when `missing` is empty; `figure` is what an edit made of the number."""

    decision: dict[str, Any] | None = None
    missing: str = ""
    effect: str = ""
    figure: str = ""


@dataclass(frozen=True)
class Effect:
    """One chip of the verdict bar: what will happen to the action of this number."""

    number: str
    text: str
    tone: str


def form_of(proposed: Proposed) -> Form | None:
    """The form for what was proposed; None where the arguments are no JSON object."""
    try:
        form = form_of_texts(proposed.args_text, proposed.schema_text, "")
    except Invalid:
        return None
    return replace(form, schema_origin=proposed.schema_origin) if isinstance(form.origin, dict) else None


def judge(proposed: Proposed, choice: Choice) -> Judged:
    if choice.kind not in proposed.allowed:
        return Judged(missing="is undecided")
    match choice.kind:
        case "approve":
            return Judged({"type": "approve"}, effect=number_of(proposed.args_text)[1] or "as asked")
        case "edit":
            return _edit(proposed, choice.form)
        case "reject":
            said = choice.message.strip()
            return Judged(
                {"type": "reject", "message": said} if said else {"type": "reject"}, effect="does not run"
            )
    said = choice.message.strip()
    if not said:
        return Judged(missing="needs the answer's text")
    return Judged({"type": "respond", "message": said}, effect="answered")


def _edit(proposed: Proposed, form: Form | None) -> Judged:
    if form is None:
        return Judged(missing="cannot be edited: its arguments are no JSON object")
    if form.errors:
        return Judged(missing="has an error")
    if not form.changes:
        return Judged(missing="has no change yet")
    figure = number_of(form.args_text)[1]
    moved = figure if figure != number_of(proposed.args_text)[1] else ""
    decision = {"type": "edit", "edited_action": {"name": proposed.name, "args": form.args}}
    return Judged(decision, effect=figure or f"{len(form.changes)} changed", figure=moved)


def places(wrong: Invalid, *, of_answer: bool) -> Iterator[tuple[str, str, str]]:
    """Slot, pointer within its form and words of each problem; without a slot where it is at no field."""
    for each in wrong.problems:
        slot = ANSWER if of_answer else str(each.position or 0)
        start = "/answer" if of_answer else f"/decisions/{slot}/edited_action/args"
        here = f"{each.pointer}/".startswith(f"{start}/")
        yield slot if here else "", each.pointer.removeprefix(start), each.message


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
