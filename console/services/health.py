"""Whether decisions can be recorded at all: one look per process, told to every page by the change bus."""

from __future__ import annotations

import logging
import threading

from console.domain.errors import Unavailable
from console.services.changes import Change
from console.services.deps import Deps
from console.store.engine import free_bytes, hear, probe

log = logging.getLogger("console.health")
# How long others may hold the write lock before that is called trouble.
LOCK_PATIENCE_MS = 3_000
LOOK_SECONDS, LOOK_AGAIN_SECONDS = 2.0, 1.0
# Below it a look writes, since a full disk shows itself only to who writes.
SCARCE_BYTES = 512 * 1024


class Health:
    """Keeps `deps.trouble` true.

    In quiet times a look only takes the write lock and gives it back. After a failed write, and while there
    is trouble, it commits a row of its own: nothing less shows that a decision could be committed.
    """

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._stop, self._now = threading.Event(), threading.Event()
        self._suspected = False
        self._thread = threading.Thread(target=self._main, name="health", daemon=True)

    def start(self) -> None:
        hear(self._deps.engine, self.suspect)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._now.set()
        self._thread.join(LOCK_PATIENCE_MS / 1000 + 1)

    def suspect(self) -> None:
        """The next look is now, and commits something."""
        self._suspected = True
        self._now.set()

    def _main(self) -> None:
        while not self._stop.is_set():
            try:
                self.look()
            except Exception:
                log.exception("looking at the database failed")
            self._now.wait(LOOK_AGAIN_SECONDS if self._deps.trouble else LOOK_SECONDS)
            self._now.clear()

    def look(self) -> None:
        """One look; whoever watches hears of it when the answer is another than before."""
        before, suspected = self._deps.trouble, self._suspected
        self._suspected = False
        engine = self._deps.engine
        writing = bool(before) or suspected or free_bytes(engine) < SCARCE_BYTES
        found = probe(engine, LOCK_PATIENCE_MS, writing=writing)
        if found is before:
            return
        self._deps.trouble = found
        if found is None:
            log.warning("the database takes decisions again")
            self._deps.wake()
        else:
            log.error("no decision is accepted: %s", found.heading)
        self._deps.changes.publish(Change("health"), *([] if found else [Change("elsewhere")]))


def refuse_while_read_only(deps: Deps) -> None:
    """Not a second of waiting for a lock that others are known to hold."""
    if (trouble := deps.trouble) is not None:
        raise Unavailable(f"{trouble.heading} {trouble.text}")
