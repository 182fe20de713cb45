"""What changed, told within the process after the commit; and the text that runs are writing now."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

log = logging.getLogger("console.changes")


@dataclass(frozen=True)
class Change:
    """`kind`: queue, thread, review, audit, token (text was appended to the draft), session (sign-outs),
    health (the database takes decisions no more, or again).

    A change says only that something is different; whoever hears it reads again with its own rights.
    """

    kind: str
    source: str = ""
    thread_id: str = ""
    text: str = ""


Listener = Callable[[Change], None]


class Changes:
    """Publish and subscribe, from any thread. Listeners must be quick and must not raise."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` for every change from now on, in the publisher's thread; returns the way out."""
        with self._lock:
            self._listeners = [*self._listeners, listener]

        def leave() -> None:
            with self._lock:
                self._listeners = [each for each in self._listeners if each is not listener]

        return leave

    def publish(self, *changes: Change) -> None:
        for change in changes:
            for listener in self._listeners:
                try:
                    listener(change)
                except Exception:
                    # One broken watcher must not undo what has been committed for everyone.
                    log.exception("a listener failed on %s", change.kind)


class Drafts:
    """The message each run is writing, until it is complete and can be read from the checkpoint."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str], list[str]] = {}
        self._lock = threading.Lock()

    def append(self, source: str, thread_id: str, text: str) -> None:
        with self._lock:
            self._texts.setdefault((source, thread_id), []).append(text)

    def get(self, source: str, thread_id: str) -> str:
        with self._lock:
            parts = self._texts.get((source, thread_id))
            if not parts:
                return ""
            joined = "".join(parts)
            parts[:] = [joined]
            return joined

    def clear(self, source: str, thread_id: str) -> None:
        with self._lock:
            self._texts.pop((source, thread_id), None)
