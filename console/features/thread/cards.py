"""A review as its panel draws it: one card per action, in position order. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from console.domain.errors import pointer_of
from console.domain.text import Segment, escape, visible
from console.features.drawn import ArgRow, arg_rows, hazards_in, number_of, shown_key, texts_of
from console.features.thread.verdict import ORDER, Proposed, form_of
from console.services.views import ActionView, GroupMember, ReviewView

DONE = {"approve": "Approved", "edit": "Edited", "reject": "Rejected", "respond": "Answered"}
STATUS = {
    "open": ("Waiting for a decision", "amber"),
    "awaiting_second": ("Waiting for a second person", "amber"),
    "decided": ("Recorded", "iris"),
    "resuming": ("Running", "iris"),
    "settled": ("Settled as decided", "green"),
    "mismatch": ("Ran other than decided", "red"),
    "stuck": ("Uncertain, a person must choose", "red"),
    "superseded": ("The thread moved on", "gray"),
    "cancelled": ("Closed without running", "gray"),
}


@dataclass(frozen=True)
class ReadRow:
    """One argument as it is read; `given` is False for one that the tool knows and the agent left out."""

    pointer: str
    key: str
    given: bool
    parts: list[Segment]
    json: bool
    quoted: bool
    warning: str


@dataclass(frozen=True)
class Card:
    position: int
    slot: str
    number: str
    title: str
    name: str
    rows: list[ReadRow]
    argument_count: str
    hazards: int
    figure: str
    figure_now: str
    figure_key: str
    words: list[Segment]
    words_size: str
    allowed: list[str]
    done: str
    done_tone: str
    said: list[Segment]
    final: list[ArgRow]
    outcome: str
    outcome_tone: str


@dataclass(frozen=True)
class Member:
    id: str
    tool: str
    word: str
    tone: str


def proposals(review: ReviewView) -> list[Proposed]:
    return [
        Proposed(
            action.name,
            action.args_text,
            action.args_schema_text,
            tuple(kind for kind in ORDER if kind in action.allowed_decisions),
            action.schema_origin,
        )
        for action in review.actions
    ]


def cards(review: ReviewView) -> list[Card]:
    total = len(review.actions)
    pairs = zip(review.actions, proposals(review), strict=True)
    return [_card(action, proposed, total) for action, proposed in pairs]


def _card(action: ActionView, proposed: Proposed, total: int) -> Card:
    rows = read_rows(proposed)
    given = sum(row.given for row in rows)
    pointer, figure = number_of(action.args_text)
    decision = action.decision or {}
    kind = str(decision.get("type", ""))
    return Card(
        position=action.position,
        slot=str(action.position),
        number=str(action.position + 1),
        title=f"Action {action.position + 1} of {total}",
        name=escape(action.name),
        rows=rows,
        argument_count=f"all {given} arguments shown" if given != 1 else "its 1 argument shown",
        hazards=hazards_in(action.name, *texts_of(action.args_text)),
        figure=figure,
        figure_key=next((row.key for row in rows if row.pointer == pointer), "") if figure else "",
        figure_now=_figure_now(action, figure) if kind == "edit" else "",
        words=visible(action.description),
        words_size=f"{len(action.description):,}",
        allowed=list(proposed.allowed),
        done=DONE.get(kind, ""),
        done_tone=kind or "gray",
        said=visible(str(decision.get("message") or "")),
        final=arg_rows(action.final_args_text) if kind == "edit" else [],
        outcome=escape(action.outcome),
        outcome_tone=outcome_tone(action.outcome),
    )


def _figure_now(action: ActionView, figure: str) -> str:
    """What the recorded edit made of the large number; empty when it left it alone."""
    now = number_of(action.final_args_text)[1]
    return "" if now == figure else now


def read_rows(proposed: Proposed) -> list[ReadRow]:
    """Arguments as given, then those the tool knows and the agent left out, so that an edit adds no row."""
    rows = arg_rows(proposed.args_text)
    found = [
        ReadRow(row.pointer, row.key, True, row.parts, row.json, row.quoted, row.warning) for row in rows
    ]
    form = form_of(proposed)
    if form is None:
        return found
    known = form.shaper.shape(form.schema.root, form.value, "").names()
    absent = [key for key in known if key not in form.value]
    return found + [ReadRow(pointer_of(key), shown_key(key), False, [], False, False, "") for key in absent]


def status_word(status: str, outcome: str) -> tuple[str, str]:
    """Word and tone of the head; a failed tool is never hidden behind a good word."""
    if status == "settled" and outcome_tone(outcome) == "red":
        return "Settled as decided, but a tool failed", "red"
    return STATUS.get(status, (status, "gray"))


def outcome_tone(outcome: str) -> str:
    """Red for everything that is not plainly good: a failure must never look like success."""
    tones = {_tone(part) for part in outcome.lower().split(";") if part.strip()}
    return next((tone for tone in ("red", "green") if tone in tones), "gray")


def _tone(part: str) -> str:
    """Of one action's outcome, which may carry its number: "2: did not run"."""
    said = part.split(":", 1)[1].strip() if part.strip()[:1].isdigit() and ":" in part else part.strip()
    if said in ("ran", "as decided", "settled"):
        return "green"
    return "gray" if said in ("did not run", "not run", "answered", "rejected") else "red"


def members(group: Sequence[GroupMember]) -> list[Member]:
    rows = []
    for each in group:
        label, tone = STATUS.get(each.status, (each.status, "gray"))
        rows.append(
            Member(
                each.id, escape(each.tool), f"{each.decided_by} decided" if each.decided_by else label, tone
            )
        )
    return rows
