"""Writes refusals down in threads of its own, so that whoever is refused a lot holds nobody else's page."""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor

from console.domain.access import Actor
from console.services import audit, deps

log = logging.getLogger(__name__)
MOST_WAITING = 50
QUIET_SECONDS = 60.0


class Refusals:
    """Lives in the web loop. Above `MOST_WAITING` a refusal is counted in the server's log instead."""

    def __init__(self) -> None:
        self._writers = ThreadPoolExecutor(2, "refusals")
        self._waiting = self._left_out = 0
        self._told_at = -QUIET_SECONDS

    async def record(
        self, actor: Actor, permission: str, what: str, address: str, left_out: int | None = None
    ) -> None:
        """Ends when it is written, or when it is known that it cannot be: the refusal stands either way.

        `left_out` is the number of equal ones before it that were only counted.
        """
        if self._waiting >= MOST_WAITING:
            self._leave_out()
            return
        self._waiting += 1
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._writers,
                lambda: audit.refused(deps.current(), actor, permission, what, address, left_out=left_out),
            )
        except Exception:
            log.exception("a refusal of %s could not be recorded", actor.name)
        finally:
            self._waiting -= 1

    def _leave_out(self) -> None:
        self._left_out += 1
        if time.monotonic() - self._told_at >= QUIET_SECONDS:
            log.error("%d refusals were not recorded: too many at once", self._left_out)
            self._left_out, self._told_at = 0, time.monotonic()


REFUSALS = Refusals()
