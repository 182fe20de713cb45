"""What became of choices that had to go, or of a verdict that came second, in words."""

from __future__ import annotations

from collections.abc import Sequence

from console.domain.errors import Conflict, Invalid
from console.domain.review import UNDECIDED
from console.live.identity import acting
from console.services.views import ReviewView

# Title, text and tone.
Notice = tuple[str, str, str]
CHANGED = ("The request changed", "Nothing was decided. Look at it again.", "amber")


def incomplete(missing: str) -> Notice:
    return "The verdict is not complete", f"{missing}. Nothing was decided.", "amber"


def refused(wrong: Invalid) -> Notice:
    return "The verdict was not accepted", f"{wrong.detail} Nothing was decided.", "amber"


def pick(reviews: Sequence[ReviewView], wanted: str) -> ReviewView | None:
    """The one asked for, else the first that waits for a person, else the first."""
    asked = [each for each in reviews if each.id == wanted]
    waiting = [each for each in reviews if each.status in UNDECIDED]
    return next(iter([*asked, *waiting, *reviews]), None)


def overtaken(before: str, now: ReviewView) -> Notice | None:
    """Said to a person whose choices were overtaken; None when it was their own verdict."""
    lost = "What you had chosen was not recorded."
    if now.id != before:
        return "The thread moved on", lost, "amber"
    if now.status == "open":
        return "The request changed", "What you had chosen was for the earlier one. Look again.", "amber"
    if now.decided_by == acting().name:
        return None
    return (
        (f"{now.decided_by.capitalize()} decided this first" if now.decided_by else "It was closed"),
        lost,
        "amber",
    )


def second(lost: Conflict) -> Notice:
    """Of a verdict that was not recorded because another was first."""
    if lost.decided_by:
        first = f"{lost.decided_by.capitalize()} decided this first"
        return first, f"{lost.detail} Yours was not recorded.", "amber"
    if lost.stale:
        return (
            "The request changed",
            f"{lost.detail} Yours was not recorded; this is the request now.",
            "amber",
        )
    return lost.title, lost.detail, "amber"


def done(summary: str, waiting_for: int) -> Notice:
    more = f" Waiting for {waiting_for} more of this pause." if waiting_for else ""
    return "Verdict recorded", f"{summary}.{more}", "green"
