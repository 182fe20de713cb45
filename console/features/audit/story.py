"""The opened entry: its story as a timeline, and every argument proposed, decided and executed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from console.domain.text import Segment, escape, visible
from console.features.audit import query
from console.features.audit.query import Asked
from console.features.audit.rows import label, tone
from console.features.drawn import ArgRow, arg_rows, stamp
from console.features.thread.cards import DONE, outcome_tone
from console.forms.exact import dumps
from console.services.audit_views import AuditEntry, AuditSides
from console.services.views import AuditRow

CHANGED_FROM_LONG = 8


@dataclass(frozen=True)
class Moment:
    """`look` is on for the opened entry, ok and bad for how something ended, else empty."""

    seq: int
    kind: str
    what: list[Segment]
    actor: str
    at: str
    look: str
    href: str


@dataclass(frozen=True)
class Cell:
    """One value in one column; `there` is false where this column has no such argument."""

    there: bool
    parts: list[Segment]
    quoted: bool
    warning: str


@dataclass(frozen=True)
class Line:
    """One argument across the columns. `decided` and `executed` compare with the column to their left."""

    pointer: str
    key: str
    proposed: Cell
    decided: Cell
    executed: Cell
    changed: bool
    as_decided: bool
    differs: bool


@dataclass(frozen=True)
class Side:
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
    """`seen` and `ran` are same, differs, or empty while there is nothing to compare.

    `masked` names what is hidden; `whole`: it is shown, and that is recorded.
    """

    seq: int = 0
    number: str = ""
    role: str = ""
    via: str = ""
    thread_href: str = ""
    story_href: str = ""
    review: str = ""
    hash: str = ""
    reason: list[Segment] = field(default_factory=list)
    timeline: list[Moment] = field(default_factory=list)
    capped: bool = False
    lasted: str = ""
    sides: list[Side] = field(default_factory=list)
    seen: str = ""
    digest: str = ""
    ran: str = ""
    erased: bool = False
    masked: str = ""
    whole: bool = False
    body: list[Segment] = field(default_factory=list)


NOTHING = Detail()
NO_CELL = Cell(there=False, parts=[], quoted=False, warning="")


def detail(found: AuditEntry, asked: Asked) -> Detail:
    row = found.row
    return Detail(
        seq=row.seq,
        number=f"{row.seq:,}",
        role=row.role,
        via=row.via,
        thread_href=f"/threads/{row.thread_ref}" if row.thread_ref else "",
        story_href=query.address(Asked(review=row.review_id)) if row.review_id else "",
        review=escape(row.review_id or ""),
        hash=row.hash,
        reason=visible(row.reason),
        timeline=[moment(each, row.seq, asked) for each in found.timeline],
        capped=found.timeline_capped,
        lasted=lasted(found.timeline),
        sides=[side(each) for each in found.sides],
        seen=_compared([found.seen_is_stored]),
        digest=found.stored_digest[:CHANGED_FROM_LONG],
        ran=_compared([each.ran_as_decided for each in found.sides]),
        erased=found.erased,
        masked=escape(", ".join(found.masked)),
        body=visible("\n".join(f"{key}: {dumps(value)}" for key, value in row.body.items())),
    )


def _compared(answers: Sequence[bool | None]) -> str:
    """One difference is a difference; one thing unknown is no agreement."""
    if any(each is False for each in answers):
        return "differs"
    return "same" if answers and all(answers) else ""


def moment(row: AuditRow, opened: int, asked: Asked) -> Moment:
    ended = {"green": "ok", "red": "bad"}.get(tone(row), "") if row.outcome else ""
    return Moment(
        seq=row.seq,
        kind=label(row.kind),
        what=visible(row.what),
        actor=escape(row.actor),
        at=stamp(row.at),
        look="on" if row.seq == opened else ended,
        href=query.opening(asked, row.seq),
    )


def lasted(rows: Sequence[AuditRow]) -> str:
    """From the first to the last, by their clocks; nothing when the clock went back in between."""
    seconds = int((rows[-1].at - rows[0].at).total_seconds()) if len(rows) > 1 else -1
    if seconds < 0:
        return ""
    hours, rest = divmod(seconds, 3600)
    parts = ((hours, "h"), (rest // 60, "min"), (rest % 60, "s"))
    told = [f"{number} {unit}" for number, unit in parts if number]
    return f"{' '.join(told[:2]) or 'under 1 s'} in all"


def side(each: AuditSides) -> Side:
    return Side(
        number=str(each.position + 1),
        tool=escape(each.tool),
        decision=DONE.get(each.decision, escape(each.decision)),
        decision_tone=each.decision,
        said=visible(each.message),
        outcome=escape(each.outcome),
        outcome_tone=outcome_tone(each.outcome),
        lines=lines(each),
    )


def lines(each: AuditSides) -> list[Line]:
    """Arguments in the order in which they were proposed, then those that came later."""
    texts = (each.proposed_args, each.decided_args, each.executed_args)
    proposed, decided, executed = ({row.pointer: row for row in arg_rows(text)} for text in texts)
    runs, ran = bool(each.decided_args), bool(each.executed_args)
    return [
        _line((proposed.get(pointer), decided.get(pointer), executed.get(pointer)), runs=runs, ran=ran)
        for pointer in dict.fromkeys([*proposed, *decided, *executed])
    ]


def _line(rows: tuple[ArgRow | None, ArgRow | None, ArgRow | None], *, runs: bool, ran: bool) -> Line:
    asked, said, done = rows
    named = next(row for row in rows if row is not None)
    return Line(
        pointer=named.pointer,
        key=named.key,
        proposed=cell(asked),
        decided=cell(said),
        executed=cell(done),
        changed=runs and asked != said,
        as_decided=ran and done is not None and done == said,
        differs=ran and done != said,
    )


def cell(row: ArgRow | None) -> Cell:
    return NO_CELL if row is None else Cell(True, row.parts, row.quoted, row.warning)
