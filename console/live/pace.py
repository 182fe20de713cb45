"""How many events a socket may send: without a session what a login page needs, and little more."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_KEPT = 20_000


@dataclass(frozen=True)
class Rate:
    """`burst` events at once, then `a_second`."""

    a_second: float
    burst: float


STRANGER, PERSON = Rate(5, 25), Rate(50, 250)
# All sockets of one address without a session: an office behind one address opens several login pages.
ADDRESS = Rate(50, 500)


class Pace:
    """Token buckets by socket and by address, in the web loop. The longest unused are forgotten first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._signed_in: OrderedDict[str, None] = OrderedDict()

    def take(self, sid: str, address: str) -> bool:
        """False when the event is one too many, and is to be dropped without another look."""
        if sid in self._signed_in:
            return self._spend(f"p{sid}", PERSON)
        return self._spend(f"s{sid}", STRANGER) and self._spend(f"a{address}", ADDRESS)

    def heard_from(self, sid: str, signed_in: bool) -> None:
        """What the database said of the socket's session just now."""
        if not signed_in:
            self._signed_in.pop(sid, None)
            return
        self._signed_in[sid] = None
        self._signed_in.move_to_end(sid)
        if len(self._signed_in) > MOST_KEPT:
            self._signed_in.popitem(last=False)

    def _spend(self, key: str, rate: Rate) -> bool:
        now = self._clock()
        left, at = self._buckets.get(key, (rate.burst, now))
        left = min(rate.burst, left + (now - at) * rate.a_second)
        self._buckets[key] = (left - 1 if left >= 1 else left, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > MOST_KEPT:
            self._buckets.popitem(last=False)
        return left >= 1


PACE = Pace()
