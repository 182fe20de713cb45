"""The permission a page's event handler declares, and what becomes of the errors it raises."""

from __future__ import annotations

import functools
import logging
import secrets
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Any

import reflex as rx

from console.domain.access import Permission
from console.domain.errors import BadRequest, ConsoleError

log = logging.getLogger(__name__)


class Anyone(StrEnum):
    """The mark of the few handlers that run before sign-in; a test lists them by name."""

    ANYONE = "anyone"


Need = Permission | Anyone
Handler = Callable[..., Awaitable[Any]]


def guarded(need: Need, **options: Any) -> Callable[[Handler], Any]:
    """Declare what a handler needs, and make whatever it raises a notice instead of a broken page."""

    def mark(handler: Handler) -> Any:
        @functools.wraps(handler)
        async def bounded(self: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return await handler(self, *args, **kwargs)
            except Exception as error:
                await _tell(self, error)
                return None

        bounded.__permission__ = need  # type: ignore[attr-defined]
        return rx.event(bounded, **options)

    return mark


async def _tell(state: Any, error: Exception) -> None:
    # Here, because the tab's own handler is declared with `guarded`, too.
    from console.live.tab import Tab

    tab = await state.get_state(Tab)
    if isinstance(error, BadRequest):
        tab._say("That could not be read", f"{error.detail} Nothing was decided.", "amber")
    elif isinstance(error, ConsoleError):
        tab._say(error.title, error.detail, "amber")
    else:
        code = secrets.token_hex(4)
        log.error("error %s in a page", code, exc_info=error)
        tab._say(
            "Something went wrong", f"Nothing was decided. Error {code}, also in the server's log.", "red"
        )
