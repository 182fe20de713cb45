"""Erasing what an entry only commits to: arguments and messages that may not be kept any longer."""

from __future__ import annotations

from console.domain.access import Actor, Permission, require
from console.domain.errors import Conflict, Invalid, NotFound, Problem
from console.domain.ledger import Kind
from console.domain.text import has_lone_surrogate
from console.services.audit_filter import scope
from console.services.changes import Change
from console.services.deps import Deps
from console.store import ledger, ledger_search
from console.store.engine import write
from console.store.ledger_search import Filter

MAX_REASON = 2_000


def erase(deps: Deps, actor: Actor, seq: int, reason: str) -> int:
    """Delete the payload of entry `seq` and record that in the same transaction; the new entry's number.

    The chain stays whole, since it holds a salted digest only. Copies elsewhere stay: the review and its
    decision keep their own, the agent's checkpoints and its tools theirs.
    """
    require(actor, Permission.ADMINISTER)
    reason = reason.strip()
    if not reason or len(reason) > MAX_REASON or has_lone_surrogate(reason):
        raise Invalid([Problem(f"say why, in 1 to {MAX_REASON} characters", pointer="/reason")])
    visible = scope(deps, actor)
    with write(deps.engine) as connection:
        number = seq if 0 < seq < 2**63 else 0
        found = ledger_search.page(connection, Filter(seq=number), visible, 1)
        if not found:
            raise NotFound("There is no such entry.")
        body = ledger.body_of(found[0])
        commit = body.get("payload_commit")
        if commit is None:
            raise Conflict("This entry has no payload: nothing in it can be erased.", kind="no-payload")
        if not ledger.delete_payload(connection, commit):
            raise Conflict("The payload of this entry is erased already.", kind="erased-already")
        recorded = ledger.append(
            connection,
            ledger.Entry(
                Kind.REDACTED,
                actor,
                source=body.get("source"),
                thread_id=body.get("thread_id"),
                review_id=body.get("review_id"),
                tool=body.get("tool"),
                outcome="erased",
                more={"erased_seq": seq, "erased_commit": commit, "reason": reason},
            ),
        )
    deps.changes.publish(Change("audit"))
    return recorded
