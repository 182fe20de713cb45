"""The log's entry of a verdict, whole: whoever audits has nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from console.domain.canonical import sha256
from console.services import decide
from console.services.views import ReviewView
from tests.services.world import APPROVE, REJECT, World, edit

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ASKED = "Refund A-2048 699 and refund A-2049 450 and refund A-2050 2199"


def pending(world: World, said: str) -> ReviewView:
    with world.worker():
        return world.pause(said)


def entry_of(world: World, review: ReviewView) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Its body, what stands beside the log, and its search columns."""
    (found,) = world.table(
        "SELECT l.body, p.bytes_text, f.decided_by_id, f.review_id, f.verdict, f.tool, f.source, f.thread_id"
        " FROM ledger l JOIN ledger_facet f ON f.seq = l.seq JOIN payload p ON p.id = f.payload_id"
        " WHERE f.kind = 'decided' AND f.review_id = ?",
        review.id,
    )
    names = ("decided_by_id", "review_id", "verdict", "tool", "source", "thread_id")
    return json.loads(found[0]), json.loads(found[1]), dict(zip(names, found[2:], strict=True))


def test_it_says_what_was_proposed_decided_and_final_of_every_action(idle: World) -> None:
    review = pending(idle, ASKED)
    first, second, third = review.actions
    said = edit("refund_order", order_id="A-2049", amount=400.0)
    idle.decide(review, APPROVE, said, REJECT, by="sue")
    _, beside, _ = entry_of(idle, review)
    assert beside == {
        "actions": [
            {
                "position": 0,
                "tool": first.name,
                "proposed": first.args_text,
                "decision": "approve",
                "message": "",
                "final": first.args_text,
            },
            {
                "position": 1,
                "tool": second.name,
                "proposed": second.args_text,
                "decision": "edit",
                "message": "",
                "final": '{"order_id": "A-2049", "amount": 400.0}',
            },
            {
                "position": 2,
                "tool": third.name,
                "proposed": third.args_text,
                "decision": "reject",
                "message": REJECT["message"],
                "final": "",
            },
        ]
    }


def test_it_names_the_pause_the_version_and_the_bytes_that_were_seen_and_handed_over(idle: World) -> None:
    review = pending(idle, "Refund A-2048 699")
    idle.review(review.id, by="sue")
    won = idle.decide(review, APPROVE, by="sue")
    ((where, body_text),) = idle.table(
        "SELECT json_array(r.ns, r.checkpoint_id, r.interrupt_id), d.body_text"
        " FROM review r JOIN decision d ON d.review_id = r.id"
    )
    ns, checkpoint_id, interrupt_id = json.loads(where)
    body, _, facet = entry_of(idle, review)
    sue = idle.cast["sue"]
    assert {key: body.get(key) for key in ("checkpoint_id", "interrupt_id", "version", "decision_id")} == {
        "checkpoint_id": checkpoint_id,
        "interrupt_id": interrupt_id,
        "version": review.version,
        "decision_id": won.decision_id,
    }
    assert (body.get("ns", ""), body["seen_digest"]) == (ns, review.digest)
    assert body["result_digest"] == sha256(body_text.encode())
    assert (body["kind"], body["verdict"], body["via"]) == ("decided", "1 approve", "web")
    assert (body["actor"]["id"], body["actor"]["name"], body["actor"]["role"]) == (
        sue.id,
        "sue",
        "supervisor",
    )
    assert facet == {
        "decided_by_id": sue.id,
        "review_id": review.id,
        "verdict": "1 approve",
        "tool": review.actions[0].name,
        "source": review.source,
        "thread_id": review.thread_id,
    }


@pytest.mark.parametrize(
    ("opened", "said"),
    [
        (None, {}),
        (NOW, {"ms_open": 0}),
        (NOW - timedelta(milliseconds=1, microseconds=900), {"ms_open": 1}),
        (NOW - timedelta(minutes=2), {"ms_open": 120_000}),
        (NOW + timedelta(microseconds=1), {}),
    ],
)
def test_the_time_on_screen_is_whole_milliseconds_and_never_negative(
    opened: datetime | None, said: dict[str, int]
) -> None:
    assert decide._ms_between(opened, NOW) == said


def test_the_same_key_gives_the_same_answer_again_to_the_moment(idle: World) -> None:
    review = pending(idle, "Refund A-2048 699")
    won = idle.decide(review, APPROVE, by="sue", idempotency_key="k-1")
    again = idle.decide(review, APPROVE, by="sue", idempotency_key="k-1")
    assert vars(again) == vars(won)
