"""Whether a lease is still held, asked before everything a run stores."""

from __future__ import annotations

import threading
from contextlib import ExitStack

from console.store import outbox
from console.store.engine import Connection, Engine, pinned
from console.store.outbox import Lease


class LeaseCheck:
    """One connection for all runs of a worker, outside any transaction, so that each answer is of now.

    A transaction of its own for every question costs ten times the question.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._asking = threading.Lock()
        self._kept = ExitStack()
        self._connection: Connection | None = None

    def holds(self, lease: Lease) -> bool:
        with self._asking:
            try:
                if self._connection is None:
                    self._connection = self._kept.enter_context(pinned(self._engine))
                return outbox.holds(self._connection, lease)
            except Exception:
                # What a connection is worth that failed is unknown: the next question gets another.
                self._drop()
                raise

    def close(self) -> None:
        with self._asking:
            self._drop()

    def _drop(self) -> None:
        self._connection = None
        self._kept.close()
