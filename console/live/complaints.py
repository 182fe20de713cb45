"""What a browser says went wrong in its page, written into the log as one short line, now and then."""

from __future__ import annotations

import logging

from console.domain.errors import TooMany
from console.live import identity
from console.services.throttle import Throttle

log = logging.getLogger(__name__)
LONGEST = 500
_by_session = Throttle(burst=3, seconds=20)


def report_page_failure(exception: Exception) -> None:
    """Of signed-in people only, at most three at once and three a minute for each session."""
    actor = identity.ACTING.get()
    if actor is None:
        return
    try:
        _by_session.take(actor.session_digest or actor.id)
    except TooMany:
        return
    # `ascii` leaves no line break and no control character: the text is the browser's to write.
    log.error("a page of %s failed: %s", actor.name, ascii(str(exception)[:LONGEST])[: LONGEST + 2])
