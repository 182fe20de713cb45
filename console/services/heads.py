"""Signing heads: every 256 entries, 10 s after the first unsigned one, after the start and at the stop.

A head that contradicts an earlier one is never signed: then the log was changed, and the file of heads is
what shows it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from console.domain.access import Actor
from console.domain.errors import Conflict
from console.domain.merkle import Frontier, leaf
from console.services import frontiers, head_files, notes, signing
from console.services.changes import Change
from console.services.deps import Deps
from console.store import ledger
from console.store.engine import read

log = logging.getLogger("console.heads")
EVERY_ENTRIES, WITHIN_SECONDS, LOOK_SECONDS = 256, 10.0, 1.0
_BATCH = 10_000


def folder(deps: Deps) -> Path:
    return head_files.folder(deps.settings)


class Contradiction(RuntimeError):
    """The log is not an extension of what was signed before."""


class Signer:
    """One per serving process; a lock on the heads file keeps several of them in step."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        path = deps.settings.ledger_key
        if deps.settings.server.on_loopback:
            notes.make_key(path)
        notes.load_key(path)
        self._files = head_files.files(deps.settings)
        self._frontier = Frontier()
        self._unsigned_since: float | None = None
        self._refused = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._main, name="heads", daemon=True)

    def start(self) -> None:
        """Signs what is there, then goes on beside the server."""
        self._try()
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(5)
        self._try()

    def _main(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            if self._is_due():
                self._try()

    def _is_due(self) -> bool:
        with read(self._deps.engine) as connection:
            waiting = ledger.size(connection) - self._frontier.size
        if waiting <= 0:
            self._unsigned_since = None
            return False
        if self._unsigned_since is None:
            self._unsigned_since = time.monotonic()
        return waiting >= EVERY_ENTRIES or time.monotonic() - self._unsigned_since >= WITHIN_SECONDS

    def _try(self) -> None:
        if self._refused:
            return
        try:
            self.sign()
        except Contradiction as problem:
            self._refused = True
            self._tell("The log is not what was signed, so no head is signed any more: verify it.")
            log.error("no head is signed any more: %s. Run `console audit verify`.", problem)
        except Exception:
            # A full disk or a locked file: the entries stay unsigned until the next turn.
            log.exception("signing a head failed")
            self._tell("Signing its heads fails and is tried again; the server's log says why.")
        else:
            self._tell("")

    def _tell(self, unsigned: str) -> None:
        """Readers of the whole log see on every page that its newest entries are not signed."""
        if self._deps.unsigned != unsigned:
            self._deps.unsigned = unsigned
            self._deps.changes.publish(Change("health"))

    def sign(self) -> None:
        """Sign the log as it is now, unless the newest head covers it already."""
        with self._lock():
            self._sign()

    def sign_around(self, act: Callable[[], int]) -> int:
        """Sign what is there, and then what `act` does, with no other signer between."""
        with self._lock():
            self._sign()
            done = act()
            self._sign()
        return done

    def _sign(self) -> None:
        """The key is read each time: another process may have changed it."""
        keys = signing.keys(self._deps)
        last = self._last_head()
        self._begin_at(last)
        self._catch_up(last)
        if last is not None and last.size == self._frontier.size and len(keys) == 1:
            return
        with read(self._deps.engine) as connection:
            origin = f"{notes.NAME}/{ledger.install_id(connection)}"
        note = notes.sign(keys, origin, self._frontier.size, self._frontier.root())
        self._write(note)
        if len(keys) > 1:
            signing.take_over(self._deps, keys[1], note)
        log.info("signed a head of %d entries", self._frontier.size)
        self._unsigned_since = None

    @contextmanager
    def _lock(self) -> Iterator[None]:
        folder(self._deps).mkdir(parents=True, exist_ok=True, mode=0o700)
        with (folder(self._deps) / "heads.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _last_head(self) -> notes.Head | None:
        """Of every place: where the data folder was put back from an old copy, the second place tells."""
        return head_files.last(self._files, head_files.public_keys(self._deps.settings))

    def _begin_at(self, last: notes.Head | None) -> None:
        """Go on from what was kept at the last head, when its root is the signed one; else from the start."""
        if last is None or self._frontier.size >= last.size:
            return
        kept = frontiers.kept_frontier(folder(self._deps), last.size)
        if kept is not None and kept.root() == last.root:
            self._frontier = kept

    def _catch_up(self, last: notes.Head | None) -> None:
        """Take in the entries since; pass the last head's size only with its root."""
        while True:
            with read(self._deps.engine) as connection:
                bodies = ledger.bodies(connection, self._frontier.size, _BATCH)
            for body in bodies:
                self._frontier.append(leaf(body))
                if (
                    last is not None
                    and self._frontier.size == last.size
                    and self._frontier.root() != last.root
                ):
                    raise Contradiction(f"the first {last.size} entries are not those that were signed")
            if len(bodies) < _BATCH:
                break
        with read(self._deps.engine) as connection:
            size = ledger.size(connection)
        signed = last.size if last is not None else 0
        if size < max(signed, self._frontier.size):
            raise Contradiction(f"the log has {size} entries, and a head of {signed} was signed")

    def _write(self, note: str) -> None:
        """The tree first: a head without its tree costs a longer check, a tree without its head nothing."""
        frontiers.keep(folder(self._deps), self._frontier)
        for path in self._files:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                # What a process left half written when it ended must not swallow this one.
                file.write(f"\n{note}\n".encode() if head_files.is_torn(path) else f"{note}\n".encode())
                file.flush()
                os.fsync(file.fileno())


def rotate(deps: Deps, actor: Actor, reason: str) -> int:
    """Replace the signing key by a new one; the number of the entry that says so.

    A server that runs meanwhile signs its next head by the new key.
    """
    reason = signing.refuse(actor, reason)
    signer = Signer(deps)
    signing.refuse_place(deps.settings.ledger_key)
    try:
        return signer.sign_around(lambda: signing.announce(deps, actor, reason))
    except Contradiction as problem:
        raise Conflict(f"No key is changed, since {problem}: run `console audit verify`.") from None
