"""A free answer as it is written, and forgetting what was begun."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.domain.access import Permission
from console.features import parse
from console.features.thread.drafting import SAVER
from console.features.thread.review_state import Review
from console.live.identity import acting
from console.live.permit import guarded
from console.services import deps


class Written(rx.State):
    """Handlers only: what is written belongs to the review."""

    @guarded(Permission.DECIDE)
    async def answer(self, key: Any, text: Any) -> None:
        review = await self.get_state(Review)
        if review._is_drawn(key):
            review._answer = parse.text(text, parse.JSON_CAP)
            review._said()

    @guarded(Permission.DECIDE)
    async def answer_as(self, key: Any, look: Any) -> None:
        review = await self.get_state(Review)
        if review._is_drawn(key):
            review.as_json = parse.one_of(look, ("text", "json")) == "json"
            review._said()

    @guarded(Permission.DECIDE)
    async def discard(self, key: Any) -> None:
        """Forget what was begun, and draw the request anew."""
        from console.features.thread.state import Thread

        review = await self.get_state(Review)
        if review._is_drawn(key):
            await SAVER.drop(deps.current(), acting(), review.id)
            review.choices, review._drawn = {}, ""
            await (await self.get_state(Thread))._reread()
