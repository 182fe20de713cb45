"""How often one session may call: a bucket of 100 calls that refills by 20 a second."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from console.domain.errors import TooMany

_MOST_BUCKETS = 10_000


class Budget:
    """Token buckets by session, in this process. Thread-safe; memory is bounded by dropping full buckets."""

    def __init__(
        self, rate: float = 20, burst: float = 100, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}

    def spend(self, session: str) -> None:
        """Take one call; `TooMany` with the seconds until the next one is there."""
        with self._lock:
            now = self._clock()
            left = self._left(session, now)
            if left < 1:
                raise TooMany("This session calls too often.", math.ceil((1 - left) / self._rate) or 1)
            self._buckets[session] = (left - 1, now)
            if len(self._buckets) > _MOST_BUCKETS:
                self._drop_full(now)

    def _left(self, session: str, now: float) -> float:
        left, seen_at = self._buckets.get(session, (self._burst, now))
        return min(self._burst, left + (now - seen_at) * self._rate)

    def _drop_full(self, now: float) -> None:
        """A full bucket says the same as none."""
        self._buckets = {
            session: kept for session, kept in self._buckets.items() if self._left(session, now) < self._burst
        }
