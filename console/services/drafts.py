"""What a person has begun to say of a review, kept until it is said: through reloads and in other browsers.

A draft is the person's own: nobody else can read it, whatever their role, and it never enters the log. It
is not checked: whatever is made of it goes through `decide` like everything else.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from console.domain.access import Actor, Permission, require
from console.domain.errors import Invalid, Problem
from console.forms.exact import JsonProblem, dumps, flaws, loads
from console.forms.limits import MAX_TEXT
from console.services.deps import Deps
from console.services.door import review_row
from console.store import drafts
from console.store.engine import read, write

log = logging.getLogger("console.drafts")
# Characters. Twice the longest text that can be typed into one field: what was typed, and what was before.
MAX_DRAFT = 2 * MAX_TEXT
# A draft that nobody came back to for so long says nothing of what the person thinks today.
KEPT_FOR = timedelta(days=30)
# Nobody waits long for a draft: it is saved again with the next change.
PATIENCE_MS = 2_000


def load(deps: Deps, actor: Actor, review_id: str) -> dict[str, Any] | None:
    """The actor's own draft, with the `version` of the review it was for and `saved_at` in RFC 3339; or None.

    The version may be an earlier one than the review has now.
    """
    require(actor, Permission.DECIDE)
    with read(deps.engine) as connection:
        row = review_row(deps, connection, actor, review_id)
        kept = drafts.of_person(connection, row["id"], actor.id)
    if kept is None:
        return None
    try:
        draft = loads(kept["text"])
    except JsonProblem as problem:
        log.warning("the draft of %s for review %s cannot be read: %s", actor.name, review_id, problem)
        return None
    saved_at = kept["saved_at"].astimezone(UTC).isoformat()
    return {**draft, "version": kept["version"], "saved_at": saved_at}


def save(deps: Deps, actor: Actor, review_id: str, version: int, draft: Mapping[str, Any]) -> bool:
    """Keep the draft instead of the one before; False when the review was decided or changed meanwhile.

    `Invalid` for one that is too long or holds what JSON cannot.
    """
    require(actor, Permission.DECIDE)
    kept = {key: each for key, each in draft.items() if key not in ("version", "saved_at")}
    if any(flaws(kept)):
        raise Invalid([Problem("the draft holds something that cannot be kept")])
    if len(text := dumps(kept)) > MAX_DRAFT:
        raise Invalid([Problem(f"the draft is longer than {MAX_DRAFT:,} characters, so it is not kept")])
    with read(deps.engine) as connection:
        row = review_row(deps, connection, actor, review_id)
    with write(deps.engine, PATIENCE_MS) as connection:
        return drafts.put(connection, row["id"], actor.id, version, text, datetime.now(UTC))


def drop(deps: Deps, actor: Actor, review_id: str) -> None:
    """Forget the actor's own draft, also where there is none."""
    require(actor, Permission.DECIDE)
    with read(deps.engine) as connection:
        row = review_row(deps, connection, actor, review_id)
    with write(deps.engine, PATIENCE_MS) as connection:
        drafts.drop(connection, row["id"], actor.id)


def purge(deps: Deps) -> int:
    """Forget what is older than `KEPT_FOR`; how many drafts that were."""
    with write(deps.engine) as connection:
        return drafts.purge(connection, datetime.now(UTC) - KEPT_FOR)
