"""Who has taken the review on the desk, and taking it or giving it back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import reflex as rx

from console.domain import access
from console.domain.access import Permission
from console.domain.errors import Conflict
from console.features import parse
from console.features.drawn import stamp
from console.features.thread.review_state import Review
from console.live.identity import acting
from console.live.permit import guarded
from console.live.tab import Tab
from console.services import claims, deps
from console.services.views import ClaimView, ReviewView


class Claim(rx.State):
    """`offer` is the one thing this person can do about it: take, give back, or nothing (empty)."""

    by: str = ""
    at: str = ""
    offer: str = ""

    def _show(self, review: ReviewView | None) -> None:
        self.by = (review.claimed_by if review else None) or ""
        self.at = stamp(review.claimed_at) if review else ""
        self.offer = _offer(review) if review is not None else ""

    @guarded(Permission.DECIDE)
    async def take(self, key: Any) -> None:
        await self._do(key, claims.claim)

    @guarded(Permission.DECIDE)
    async def give_back(self, key: Any) -> None:
        await self._do(key, claims.release)

    async def _do(self, key: Any, what: Callable[..., ClaimView]) -> None:
        """Of the review that was drawn when the button was pressed, and of no other."""
        from console.features.thread.state import Thread

        review = await self.get_state(Review)
        if parse.identifier(key) != review.key:
            return
        tab, thread = await self.get_state(Tab), await self.get_state(Thread)
        try:
            await asyncio.to_thread(what, deps.current(), acting(), review.id)
        except Conflict as refused:
            await thread._reread()
            tab._say("Not taken" if what is claims.claim else "Not given back", refused.detail, "amber")
        else:
            await thread._reread()


def _offer(review: ReviewView) -> str:
    if review.status not in claims.CLAIMABLE or not access.allows(acting().role, Permission.DECIDE):
        return ""
    if review.claimed_by == acting().name:
        return "give back"
    return "take" if review.claimed_by is None or review.claim_stale else ""
