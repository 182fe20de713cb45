"""Ledger entries as the rows of the table draw them, and the choices of the filters. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from console.domain.ledger import Kind
from console.domain.text import Segment, escape, visible
from console.features.audit import query
from console.features.audit.query import Asked
from console.features.drawn import stamp
from console.features.thread.cards import outcome_tone
from console.services import verify
from console.services.views import AuditRow

GOOD_CHECKS = tuple(map(verify.status_word, (verify.INTACT, verify.UNSIGNED)))
REFUSALS = (Kind.DENIED, Kind.LOST, Kind.INVALID, Kind.LOGIN_FAILED)
SHORT = 8


@dataclass(frozen=True)
class Entry:
    seq: int
    number: str
    at: str
    actor: str
    system: bool
    kind: str
    review: str
    what: list[Segment]
    outcome: str
    outcome_tone: str
    hash: str
    href: str


@dataclass(frozen=True)
class Option:
    value: str
    label: str


@dataclass(frozen=True)
class Pin:
    """What the address narrows by and no menu shows, with the address without it."""

    label: str
    value: str
    href: str


def entry(row: AuditRow, asked: Asked) -> Entry:
    return Entry(
        seq=row.seq,
        number=f"{row.seq:,}",
        at=stamp(row.at),
        actor=escape(row.actor),
        system=row.via in ("worker", "policy"),
        kind=label(row.kind),
        review=escape((row.review_id or "")[:SHORT]),
        what=visible(row.what),
        outcome=escape(row.outcome or ""),
        outcome_tone=tone(row),
        hash=short_hash(row.hash),
        href=query.opening(asked, row.seq),
    )


def tone(row: AuditRow) -> str:
    if row.kind == Kind.VERIFIED:
        return "green" if row.outcome in GOOD_CHECKS else "red"
    return "amber" if row.kind in REFUSALS else outcome_tone(row.outcome or "")


def short_hash(digest: str) -> str:
    return f"{digest[:4]} {digest[4:8]}".strip()


def label(word: str) -> str:
    return escape(word.replace("_", " "))


def options(values: Sequence[str], chosen: str, *, words: bool = False) -> list[Option]:
    """What may be picked; a value that the address names stays to be seen, also where no entry has it."""
    offered = [*values, *([chosen] if chosen and chosen not in values else [])]
    return [Option(value, label(value) if words else escape(value)) for value in offered]


def pins(asked: Asked) -> list[Pin]:
    found = (("Review", "review"), ("Thread", "thread"))
    return [
        Pin(name, escape(getattr(asked, part)), query.address(query.narrowed(asked, **{part: ""})))
        for name, part in found
        if getattr(asked, part)
    ]
