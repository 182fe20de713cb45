"""That a person was shown a review: once per person and version in the log.

Shown means the whole of it on a page's desk, or in the answer to `GET /reviews/{id}`. Commands on the data
folder are left out: whoever runs them can read the database itself, and an entry would claim to know of it.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from console.domain.access import Actor
from console.domain.errors import Unavailable
from console.domain.ledger import Kind
from console.services.changes import Change
from console.services.deps import Deps
from console.services.views import ReviewView
from console.store import ledger, seen
from console.store.engine import read, write

log = logging.getLogger("console.seen")
# Nobody waits long for a record of having looked: nothing is decided by it.
PATIENCE_MS = 1_000


def record(deps: Deps, actor: Actor, review: ReviewView) -> None:
    """Write the view down unless it is there. What cannot be written was shown all the same."""
    if actor.via == "cli":
        return
    key = review.id, review.version, actor.id
    try:
        with read(deps.engine) as connection:
            if seen.first_at(connection, *key) is not None:
                return
        with write(deps.engine, PATIENCE_MS) as connection:
            new = seen.add(connection, *key, datetime.now(UTC))
            if new:
                ledger.append(connection, _entry(actor, review))
    except Unavailable as problem:
        log.warning("that %s looked at review %s could not be recorded: %s", actor.name, review.id, problem)
        return
    if new:
        deps.changes.publish(Change("audit"))


def _entry(actor: Actor, review: ReviewView) -> ledger.Entry:
    return ledger.Entry(
        Kind.VIEWED,
        actor,
        source=review.source,
        thread_id=review.thread_id,
        review_id=review.id,
        tool=(review.actions[0].name if review.actions else "") or None,
        more={"version": review.version, "seen_digest": review.digest},
    )
