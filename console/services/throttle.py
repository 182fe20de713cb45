"""Token buckets for sign-ins that fail, by user and by address, within one process."""

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

    def take(self, key: str) -> None:
        """Take one before the attempt, so that attempts made at once count; `TooMany` when none is left."""
        with self._lock:
            left = self._left(key)
            if left >= 1:
                self._keep(key, left - 1)
                return
        wait = int((1 - left) * self._seconds) + 1
        raise TooMany(f"Too many failed sign-ins. Try again in {wait} s.", retry_after=wait)

    def give_back(self, key: str) -> None:
        """For an attempt that did not fail."""
        with self._lock:
            self._keep(key, min(float(self._burst), self._left(key) + 1))

    def _keep(self, key: str, left: float) -> None:
        self._buckets[key] = (left, time.monotonic())
        self._buckets.move_to_end(key)
        while len(self._buckets) > _KEPT:
            self._buckets.popitem(last=False)

    def _left(self, key: str) -> float:
        left, at = self._buckets.get(key, (float(self._burst), time.monotonic()))
        return min(float(self._burst), left + (time.monotonic() - at) / self._seconds)
