"""The audit log's further views: one entry in full, the filter menus, the newest head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from console.services.views import AuditRow


@dataclass(frozen=True)
class AuditSides:
    """One position with its exact arguments side by side; empty where nothing was decided, or nothing ran.

    `ran_as_decided` is None while nobody knows yet what ran.
    """

    position: int
    tool: str
    proposed_args: str
    decision: str
    message: str
    decided_args: str
    executed_args: str
    outcome: str
    ran_as_decided: bool | None = None


@dataclass(frozen=True)
class AuditEntry:
    """One entry in full. `timeline` is the story of its review, else of its thread, oldest first.

    `timeline_capped` says that only the newest part of a long story is there. `seen_is_stored`: the digest
    that was seen is the request's. `erased`: the entry committed to a payload that is gone.
    `masked` are pointers of values that are not shown.
    """

    row: AuditRow
    timeline: Sequence[AuditRow]
    timeline_capped: bool
    sides: Sequence[AuditSides]
    seen_digest: str = ""
    stored_digest: str = ""
    seen_is_stored: bool | None = None
    erasable: bool = False
    erased: bool = False
    masked: Sequence[str] = ()


@dataclass(frozen=True)
class AuditChoices:
    """What the filter menus offer: at most 50 of each, in alphabetical order."""

    kinds: Sequence[str]
    actors: Sequence[str]
    tools: Sequence[str]
    outcomes: Sequence[str]
    verdicts: Sequence[str]


@dataclass(frozen=True)
class HeadView:
    """The newest signed head. `fingerprint`: eight words to compare; `unsigned`: entries since."""

    size: int
    root: str
    signed_at: datetime | None
    origin: str
    note: str
    fingerprint: str
    unsigned: int
