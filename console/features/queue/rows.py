"""Queue rows as they are drawn. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from console.domain.review import UNDECIDED, ThreadStatus
from console.domain.text import Segment, escape, visible
from console.features.drawn import stamp
from console.services.views import Page, QueueRow

# The icon goes by the tone: colour is never the only sign.
MARKS = {
    "awaiting_second": ("second person wanted", "iris"),
    "mismatch": ("ran other than decided", "red"),
    "stuck": ("stuck", "red"),
    "decided": ("recorded", "iris"),
    "resuming": ("running", "iris"),
}
REPAIR = ("needs repair", "amber")


@dataclass(frozen=True)
class Item:
    id: str
    href: str
    tool: str
    kind: str
    headline: str
    subject: list[Segment]
    source: str
    opened_at: str
    extra: str
    mark: str
    mark_tone: str
    claimed_by: str


def item(row: QueueRow, with_source: bool) -> Item:
    mark, tone = _mark(row)
    return Item(
        id=row.id,
        href=thread_path(
            row.thread_ref, row.source if with_source else "", row.id if row.group_size > 1 else ""
        ),
        tool=escape(row.tool),
        kind=row.kind,
        headline=escape(row.headline),
        subject=visible(row.subject),
        source=row.source,
        opened_at=stamp(row.opened_at),
        extra=_extra(row),
        mark=mark,
        mark_tone=tone,
        claimed_by=row.claimed_by or "",
    )


def _mark(row: QueueRow) -> tuple[str, str]:
    """What can be done. No verdict reaches a poisoned thread, so its open review does not merely wait."""
    if row.thread_status == ThreadStatus.POISONED and row.status in UNDECIDED:
        return REPAIR
    return MARKS.get(row.status, ("", "gray"))


def _extra(row: QueueRow) -> str:
    if row.action_count > 1:
        return f"{row.action_count} actions"
    return f"1 of {row.group_size}" if row.group_size > 1 else ""


def thread_path(ref: str, source: str = "", review: str = "") -> str:
    asked = "&".join(
        f"{key}={quote(value)}" for key, value in (("source", source), ("review", review)) if value
    )
    return f"/threads/{quote(ref)}" + (f"?{asked}" if asked else "")


def count(page: Page[QueueRow]) -> str:
    """The one number that badge, title and list show."""
    return f"{page.total:,}+" if page.total_capped else str(page.total)
