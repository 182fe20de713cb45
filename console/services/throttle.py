"""Token buckets for failed sign-ins, by user and by address, within one process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from console.domain.errors import TooMany

_KEPT = 10_000


class Throttle:
    """`burst` failures at once, then one more every `seconds`; the oldest keys are forgotten first."""

    def __init__(self, burst: int, seconds: float) -> None:
        self._burst, self._seconds = burst, seconds
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, key: str) -> None:
        """Raise `TooMany` when the key has no failure left; takes nothing."""
        with self._lock:
            left = self._left(key)
        if left < 1:
            wait = int((1 - left) * self._seconds) + 1
            raise TooMany(f"Too many failed sign-ins. Try again in {wait} s.", retry_after=wait)

    def failed(self, key: str) -> None:
        with self._lock:
            self._buckets[key] = (self._left(key) - 1, time.monotonic())
            self._buckets.move_to_end(key)
            while len(self._buckets) > _KEPT:
                self._buckets.popitem(last=False)

    def _left(self, key: str) -> float:
        left, at = self._buckets.get(key, (float(self._burst), time.monotonic()))
        return min(float(self._burst), left + (time.monotonic() - at) / self._seconds)
