"""Ledger entries as the table and its opened row draw them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from console.domain.text import Segment, escape, visible
from console.features.drawn import read_args, stamp
from console.features.thread.cards import DONE, outcome_tone
from console.forms.exact import dumps
from console.services.views import AuditAction, AuditRow


@dataclass(frozen=True)
class Entry:
    seq: int
    number: str
    at: str
    actor: str
    kind: str
    review: str
    what: list[Segment]
    outcome: str
    outcome_tone: str
    hash: str


@dataclass(frozen=True)
class Line:
    """One argument across the three columns."""

    key: str
    proposed: list[Segment]
    decided: list[Segment]
    executed: list[Segment]
    changed: bool


@dataclass(frozen=True)
class Side:
    """One position: its decision, its outcome and its arguments side by side."""

    number: str
    tool: str
    decision: str
    decision_tone: str
    said: list[Segment]
    outcome: str
    outcome_tone: str
    lines: list[Line]


@dataclass(frozen=True)
class Detail:
    seq: int
    role: str
    via: str
    thread_ref: str
    review: str
    hash: str
    reason: list[Segment]
    sides: list[Side]
    body: list[Segment]


def entry(row: AuditRow) -> Entry:
    return Entry(
        seq=row.seq,
        number=f"{row.seq:,}",
        at=stamp(row.at),
        actor=escape(row.actor),
        kind=row.kind.replace("_", " "),
        review=(row.review_id or "")[:8],
        what=visible(row.what),
        outcome=escape(row.outcome or ""),
        outcome_tone="amber" if row.kind == "denied" else outcome_tone(row.outcome or ""),
        hash=short_hash(row.hash),
    )


def short_hash(digest: str) -> str:
    return f"{digest[:4]} {digest[4:8]}".strip()


def detail(row: AuditRow) -> Detail:
    return Detail(
        seq=row.seq,
        role=row.role,
        via=row.via,
        thread_ref=row.thread_ref or "",
        review=row.review_id or "",
        hash=row.hash,
        reason=visible(row.reason),
        sides=[side(action) for action in row.actions],
        body=visible("" if row.actions else _body(row)),
    )


def _body(row: AuditRow) -> str:
    return "\n".join(f"{key}: {dumps(value)}" for key, value in row.body.items())


def side(action: AuditAction) -> Side:
    return Side(
        number=str(action.position + 1),
        tool=escape(action.tool),
        decision=DONE.get(action.decision, action.decision),
        decision_tone=action.decision,
        said=visible(action.message),
        outcome=escape(action.outcome),
        outcome_tone=outcome_tone(action.outcome),
        lines=lines(action),
    )


def lines(action: AuditAction) -> list[Line]:
    """Executed arguments stand there only when the tool started; a failed tool did start."""
    proposed = read_args(action.proposed_args) or {}
    runs = action.decision in ("approve", "edit")
    final = read_args(action.final_args or (action.proposed_args if runs else "")) or {}
    started = bool(final) and action.outcome.startswith(("ran", "tool failed"))
    return [
        Line(
            key=escape(key),
            proposed=_cell(proposed, key),
            decided=_cell(final, key) if runs else [],
            executed=_cell(final, key) if started else [],
            changed=runs and dumps(proposed.get(key)) != dumps(final.get(key)),
        )
        for key in dict.fromkeys([*proposed, *final])
    ]


def _cell(args: object, key: str) -> list[Segment]:
    if not isinstance(args, dict) or key not in args:
        return []
    value = args[key]
    return visible(value if isinstance(value, str) else dumps(value))
