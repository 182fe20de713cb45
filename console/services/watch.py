"""Noticing what other processes commit to the same database file."""

from __future__ import annotations

import logging
import threading

from console.services.changes import Change
from console.services.deps import Deps
from console.store.engine import commits, data_version, pinned

log = logging.getLogger("console.watch")
LOOK_SECONDS = 0.2


class Watch:
    """One look at SQLite's commit counter every 200 ms, whatever the number of browsers.

    The counter also moves with this process's own commits, which have been told already. After those a
    last look is taken once it is quiet, since another process's commit may hide among them.
    """

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._main, name="watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(2)

    def _main(self) -> None:
        with pinned(self._deps.engine) as connection:
            seen, own, owed = data_version(connection), commits(), False
            while not self._stop.wait(LOOK_SECONDS):
                try:
                    now, mine = data_version(connection), commits()
                except Exception:
                    log.exception("looking at the database failed")
                    continue
                moved, quiet = now != seen, mine == own
                if quiet and (moved or owed):
                    self._deps.changes.publish(Change("elsewhere"))
                    owed = False
                elif moved:
                    owed = True
                seen, own = now, mine
