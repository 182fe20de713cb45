"""Taking a review to look at it, and giving it back.

A claim tells the others that somebody is at work; it binds nobody, and everyone may still decide. It does
not move the review's version, so no form on anybody's desk goes stale by it. Whoever takes what another has
is refused until the claim is `STALE_AFTER` old; then anyone who decides may take it over or give it back: a
person who went home must not keep a customer waiting. A verdict ends it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from console.domain.access import Actor, Permission, require
from console.domain.errors import Conflict
from console.domain.ledger import Kind
from console.services import audit
from console.services.changes import Change
from console.services.deps import Deps
from console.services.door import review_row
from console.services.views import ClaimView
from console.store import claims, ledger
from console.store.claims import CLAIMABLE as CLAIMABLE
from console.store.engine import RowMapping, read, write

# Long enough to read a conversation and call a customer back.
STALE_AFTER = timedelta(minutes=10)


def claim(deps: Deps, actor: Actor, review_id: str) -> ClaimView:
    """The review is the actor's; `Conflict` says who has it and since when. Repeating it changes nothing."""
    require(actor, Permission.DECIDE)
    row, held = _look(deps, actor, review_id)
    now = datetime.now(UTC)
    if held is not None and held["actor_id"] == actor.id and not stale(held["at"], now):
        return _view(review_id, held)
    if row["status"] in CLAIMABLE and _free(held, actor, now):
        with write(deps.engine) as connection:
            taken = claims.take(connection, row["id"], actor.id, actor.name, now, held)
            if taken:
                ledger.append(connection, _entry(Kind.CLAIMED, actor, row, held))
        if taken:
            _tell(deps, row)
            return ClaimView(review_id, actor.name, now)
        row, held = _look(deps, actor, review_id)
    raise _refused(deps, actor, row, held, "take")


def release(deps: Deps, actor: Actor, review_id: str) -> ClaimView:
    """Nobody has the review afterwards; `Conflict` when it is another person's, and not for long."""
    require(actor, Permission.DECIDE)
    row, held = _look(deps, actor, review_id)
    if held is None:
        return _view(review_id, None)
    if not _free(held, actor, datetime.now(UTC)):
        raise _refused(deps, actor, row, held, "give back")
    with write(deps.engine) as connection:
        given = claims.give_back(connection, held)
        if given:
            ledger.append(connection, _entry(Kind.RELEASED, actor, row, held))
    if given:
        _tell(deps, row)
    return _view(review_id, _look(deps, actor, review_id)[1])


def stale(at: datetime, now: datetime) -> bool:
    return now - at >= STALE_AFTER


def _free(held: RowMapping | None, actor: Actor, now: datetime) -> bool:
    return held is None or held["actor_id"] == actor.id or stale(held["at"], now)


def _look(deps: Deps, actor: Actor, review_id: str) -> tuple[RowMapping, RowMapping | None]:
    with read(deps.engine) as connection:
        return review_row(deps, connection, actor, review_id), claims.of_review(connection, review_id)


def _view(review_id: str, held: RowMapping | None) -> ClaimView:
    return ClaimView(review_id, held["actor_name"], held["at"]) if held else ClaimView(review_id, None, None)


def _entry(event: Kind, actor: Actor, row: RowMapping, held: RowMapping | None) -> ledger.Entry:
    """`claim_of` names the person whose stale claim ended by this."""
    other = held["actor_name"] if held is not None and held["actor_id"] != actor.id else ""
    return ledger.Entry(
        event,
        actor,
        source=row["source"],
        thread_id=row["thread_id"],
        review_id=row["id"],
        tool=row["tool"] or None,
        more={"version": row["version"], **({"claim_of": other} if other else {})},
    )


def _tell(deps: Deps, row: RowMapping) -> None:
    where = {"source": row["source"], "thread_id": row["thread_id"]}
    deps.changes.publish(Change("queue"), Change("review", **where), Change("audit"))


def _refused(deps: Deps, actor: Actor, row: RowMapping, held: RowMapping | None, verb: str) -> Conflict:
    """The refusal, which stands in the log by then."""
    if row["status"] not in CLAIMABLE or held is None:
        why, kind = f"This review is {row['status']}; there is nothing to {verb}.", "closed"
    else:
        at = f"{held['at']:%H:%M:%S} UTC"
        minutes = int(STALE_AFTER.total_seconds() // 60)
        why = f"{held['actor_name']} has had this review since {at}. It is free {minutes} minutes after that."
        kind = "claimed"
    audit.refused(deps, actor, "claim", f"to {verb} a review. {why}", review_id=row["id"])
    return Conflict(f"{why} You may still decide it." if kind == "claimed" else why, kind=kind)
