"""Verdicts that did not count: who tried what, and why it changed nothing.

`lost`: another verdict was first, and the entry names whose. `invalid`: everything else, with the reason; for
a conflict its kind, too (stale, closed, poisoned, idempotency-key-reused). The same request under the same
Idempotency-Key is no further attempt. Nothing is written of what is refused before the review is known: a
missing session, a header that cannot be read, an id that does not exist. A role that may not is `denied`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from console.domain.access import Actor
from console.domain.errors import Conflict, Invalid
from console.domain.ledger import Kind
from console.domain.review import DECISIONS
from console.domain.verdict import in_words
from console.services.changes import Change
from console.services.deps import Deps
from console.store import ledger
from console.store.engine import RowMapping, write

_DIGEST = re.compile(r"[0-9a-f]{64}")
# The ledger's numbers are those that every JSON reader keeps.
_WHOLE = range(2**53)
REASON_CAP = 500


@contextmanager
def recorded(
    deps: Deps, actor: Actor, row: RowMapping, version: Any, seen_digest: Any, decisions: Any
) -> Iterator[None]:
    """Whatever refusal leaves the block stands in the log before it reaches the person."""
    try:
        yield
    except (Conflict, Invalid) as refusal:
        kind, why = _why(refusal)
        more = {**why, **_tried(version, seen_digest, decisions)}
        with write(deps.engine) as connection:
            ledger.append(connection, ledger.Entry(kind, actor, **about(row), more=more))
        deps.changes.publish(Change("audit"))
        raise


def about(row: RowMapping) -> dict[str, Any]:
    names = ("source", "thread_id", "tool")
    return {"review_id": row["id"], **{name: row[name] or None for name in names}}


def _why(refusal: Conflict | Invalid) -> tuple[Kind, dict[str, Any]]:
    if isinstance(refusal, Invalid):
        return Kind.INVALID, {"reason": refusal.detail[:REASON_CAP]}
    if refusal.decided_by is not None:
        return Kind.LOST, {"decided_by": refusal.decided_by}
    return Kind.INVALID, {"reason": refusal.detail[:REASON_CAP], "conflict": refusal.reason}


def _tried(version: Any, seen_digest: Any, decisions: Any) -> dict[str, Any]:
    """What was sent, as far as an entry can hold it: the decisions counted, the version, the digest."""
    listed = decisions if isinstance(decisions, list) else []
    types = [each.get("type") for each in listed if isinstance(each, dict)]
    words = in_words([each for each in types if each in DECISIONS])
    known = isinstance(seen_digest, str) and _DIGEST.fullmatch(seen_digest)
    return {
        **({"tried": words} if words else {}),
        **({"version": version} if type(version) is int and version in _WHOLE else {}),
        **({"seen_digest": seen_digest} if known else {}),
    }
