"""Proposed, decided and executed of an entry's review, side by side. Pure: views and a row in, views out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from console.domain.ledger import ENDS, Kind
from console.services.audit_views import AuditSides
from console.services.views import AuditAction, AuditRow
from console.store import reviews
from console.store.engine import RowMapping

_REQUESTS = frozenset({Kind.OPENED, Kind.REOPENED})


def sides_of(row: AuditRow, story: Sequence[AuditRow], review: RowMapping | None) -> dict[str, Any]:
    """`sides`, `seen_digest`, `stored_digest` and `seen_is_stored` of an AuditEntry."""
    decided = _decided(row, story)
    if decided is None:
        return {"sides": _proposed(row, review), "stored_digest": row.body.get("request_digest", "")}
    ended = _ended(decided, story)
    seen = str(decided.body.get("seen_digest", ""))
    stored = _stored_digest(decided, story, review)
    by_position = {each.position: each for each in ended.actions} if ended else {}
    return {
        "sides": [_side(each, by_position.get(each.position)) for each in decided.actions],
        "seen_digest": seen,
        "stored_digest": stored,
        "seen_is_stored": seen == stored if seen and stored else None,
    }


def _decided(row: AuditRow, story: Sequence[AuditRow]) -> AuditRow | None:
    """The decision an entry is about: itself, the one it names, else the last one before it."""
    if row.kind == Kind.DECIDED:
        return row
    if row.review_id is None:
        return None
    named = row.body.get("decision_id")
    before = [each for each in story if each.kind == Kind.DECIDED and each.seq < row.seq]
    exact = [each for each in before if named is not None and each.body.get("decision_id") == named]
    found = exact or before
    return found[-1] if found else None


def _ended(decided: AuditRow, story: Sequence[AuditRow]) -> AuditRow | None:
    named = decided.body.get("decision_id")
    found = [each for each in story if each.kind in ENDS and each.body.get("decision_id") == named]
    return found[-1] if found else None


def _stored_digest(decided: AuditRow, story: Sequence[AuditRow], review: RowMapping | None) -> str:
    """Of the request as it was opened; from the review where the reader may not see that entry."""
    asked = [each for each in story if each.kind in _REQUESTS and each.seq < decided.seq]
    if asked:
        return str(asked[-1].body.get("request_digest", ""))
    same = review is not None and review["decision_id"] == decided.body.get("decision_id")
    return str(review["digest"]) if same and review is not None else ""


def _side(said: AuditAction, end: AuditAction | None) -> AuditSides:
    executed = end.final_args if end else ""
    return AuditSides(
        position=said.position,
        tool=said.tool,
        proposed_args=said.proposed_args,
        decision=said.decision,
        message=said.message,
        decided_args=said.final_args,
        executed_args=executed,
        outcome=said.outcome or (end.outcome if end else ""),
        ran_as_decided=None if end is None else _agrees(said, executed),
    )


def _agrees(said: AuditAction, executed: str) -> bool | None:
    """None for an allowed call that did not run: nothing to compare."""
    if said.decision in {"reject", "respond"}:
        return executed == ""
    return executed == said.final_args if executed else None


def _proposed(row: AuditRow, review: RowMapping | None) -> list[AuditSides]:
    """Of a request nobody has decided, as long as the review still is that request."""
    asked = row.body.get("request_digest")
    if review is None or asked != review["digest"]:
        return []
    return [
        AuditSides(each.position, each.name, each.args_text, "", "", "", "", "")
        for each in reviews.actions_of(review)
    ]
