"""Refusals of nobody, counted: whoever can open a socket can be refused a thousand times a second.

One entry of the log for each address, event and minute. The first of a minute is written at once; the entry
at its end counts those that got none.
"""

from __future__ import annotations

import asyncio

from console.live.refusals import Refusals
from console.services.accounts import NOBODY
from console.services.address import short

MINUTE_SECONDS = 60.0
# Addresses cost nothing to whoever has many: above this number they are counted as one.
MOST_COUNTED = 100
SEVERAL = ("several", "events")


class Strangers:
    """Lives in the web loop. `close` writes what is counted and not written yet."""

    def __init__(self, refusals: Refusals) -> None:
        self._refusals = refusals
        self._left_out: dict[tuple[str, str], int] = {}
        self._ends: set[asyncio.Task[None]] = set()

    async def refused(self, event: str, address: str) -> None:
        """`event` is the last part of its name."""
        key = (short(address), event)
        if key not in self._left_out and len(self._left_out) >= MOST_COUNTED:
            key = SEVERAL
        if key in self._left_out:
            self._left_out[key] += 1
            return
        self._left_out[key] = 0
        end = asyncio.create_task(self._at_the_end(key))
        self._ends.add(end)
        end.add_done_callback(self._ends.discard)
        await self._write(key, 0)

    async def _at_the_end(self, key: tuple[str, str]) -> None:
        """Of the minute, and of each that follows while they go on."""
        while True:
            await self._minute()
            if not (left_out := self._left_out.get(key, 0)):
                self._left_out.pop(key, None)
                return
            self._left_out[key] = 0
            await self._write(key, left_out)

    async def _minute(self) -> None:
        await asyncio.sleep(MINUTE_SECONDS)

    async def _write(self, key: tuple[str, str], left_out: int) -> None:
        address, event = key
        await self._refusals.record(NOBODY, "signed_in", f"called {event} in the page", address, left_out)

    async def close(self) -> None:
        for end in self._ends:
            end.cancel()
        counted, self._left_out = self._left_out, {}
        for key, left_out in counted.items():
            if left_out:
                await self._write(key, left_out)
