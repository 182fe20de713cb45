"""What reading the log finds: filters against a plain look at all entries, what is typed, one in full."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from console.domain.access import Actor, Role
from console.domain.errors import Forbidden, NotFound
from console.domain.ledger import Kind
from console.services import audit
from console.services.deps import Deps
from console.store import ledger, ledger_search
from console.store.engine import write
from tests.services.world import APPROVE, REJECT, World, demo_deps

FIELDS = {
    "kind": "kind",
    "tool": "tool",
    "thread": "thread_id",
    "review": "review_id",
    "outcome": "outcome",
    "verdict": "verdict",
}
KINDS, TOOLS, OUTCOMES = (Kind.DENIED, Kind.SETTLED), ("refund_order", "send_sms", None), ("ran", "refused")
LATER = datetime.now(UTC) + timedelta(days=1)


@pytest.fixture
def crowded(idle: World) -> World:
    """Sixty entries of two people: each combination of what can be asked for, more than once."""
    with write(idle.deps.engine) as connection:
        for number, (kind, tool, outcome) in enumerate(list(product(KINDS, TOOLS, OUTCOMES)) * 5):
            entry = ledger.Entry(
                kind,
                idle.cast["sam" if number % 4 else "sue"],
                source="support",
                thread_id=f"thread-{number % 3}",
                review_id=f"review-{number % 7}",
                tool=tool,
                outcome=outcome,
                verdict="approve" if number < 30 else None,
                decided_by_id=idle.cast["sam"].id if number % 10 == 0 else None,
            )
            ledger.append(connection, entry)
    return idle


def everything(world: World) -> list[dict[str, Any]]:
    return [dict(row.body) for row in world.ledger()]


def numbers(world: World, by: str = "ada", **asked: Any) -> list[int]:
    return [row.seq for row in world.ledger(by, **asked)]


ASKED: list[Mapping[str, str]] = [
    {},
    {"kind": "denied"},
    {"kind": "denied", "tool": "refund_order"},
    {"kind": "denied", "verdict": "approve"},
    {"tool": "send_sms", "outcome": "ran", "thread": "thread-1"},
    {"review": "review-3", "kind": "settled"},
    {"review": "review-3", "kind": "settled", "outcome": "ran", "tool": "send_sms"},
    {"kind": "denied", "outcome": "nothing of the kind"},
]


@pytest.mark.parametrize("rare", [5_000, 0], ids=["one index is walked", "walks are intersected"])
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: " ".join(asked) or "all")
def test_every_filter_finds_what_a_look_at_all_entries_finds(
    crowded: World, asked: Mapping[str, str], rare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_search, "RARE", rare)
    monkeypatch.setattr(ledger_search, "_CHUNK", 4)
    wanted = [
        body["seq"]
        for body in everything(crowded)
        if all(body.get(FIELDS[name]) == value for name, value in asked.items())
    ]
    assert numbers(crowded, **asked) == wanted
    assert numbers(crowded, **asked, since=datetime(2020, 1, 1, tzinfo=UTC), until=LATER) == wanted


@pytest.mark.parametrize("rare", [5_000, 0])
def test_supervisors_find_their_own_acts_and_what_came_of_their_decisions(
    crowded: World, rare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_search, "RARE", rare)
    owned = crowded.table("SELECT seq FROM ledger_facet WHERE decided_by_id = ?", crowded.cast["sam"].id)
    decided = {seq for (seq,) in owned}
    own = [
        body["seq"]
        for body in everything(crowded)
        if body["actor"].get("name") == "sam" or body["seq"] in decided
    ]
    assert any(body["actor"].get("name") == "sue" for body in everything(crowded) if body["seq"] in decided)
    assert numbers(crowded, "sam") == own
    denied = [body["seq"] for body in everything(crowded) if body["kind"] == "denied"]
    assert numbers(crowded, "sam", kind="denied", q="sue") == [
        seq for seq in decided if seq in denied and seq in numbers(crowded, q="sue")
    ]


def test_a_time_cuts_the_log_at_that_entry(crowded: World) -> None:
    rows = crowded.ledger()
    at = rows[20].at
    assert numbers(crowded, since=at) == [row.seq for row in rows if row.at >= at]
    assert numbers(crowded, until=at) == [row.seq for row in rows if row.at < at]
    assert numbers(crowded, since=LATER) == numbers(crowded, until=datetime(2020, 1, 1, tzinfo=UTC)) == []


def test_what_is_typed_is_a_number_a_person_an_id_or_a_tool(crowded: World) -> None:
    of = {
        name: [body["seq"] for body in everything(crowded) if body.get(field) == value]
        for name, field, value in (
            ("review-5", "review_id", "review-5"),
            ("thread-2", "thread_id", "thread-2"),
            ("send", "tool", "send_sms"),
            ("refund_o", "tool", "refund_order"),
        )
    }
    assert {typed: numbers(crowded, q=typed) for typed in of} == of
    assert numbers(crowded, q="#17") == numbers(crowded, q=" 17 ") == [17]
    assert numbers(crowded, q="sue") == [row.seq for row in crowded.ledger() if row.actor == "sue"]
    assert numbers(crowded, q="  ") == numbers(crowded)


@pytest.mark.parametrize("typed", ["#999", "999", "su", "se", "nothing like it", "\ud800", "review-5x"])
def test_what_nothing_begins_with_is_not_found(crowded: World, typed: str) -> None:
    assert numbers(crowded, q=typed) == []


def test_what_a_request_mentions_is_found_under_its_review(world: World) -> None:
    found, other = world.pause("Refund A-2049 450"), world.pause("Refund A-2048 699")
    assert {row.review_id for row in world.ledger(q="A-2049")} == {found.id}
    assert {row.review_id for row in world.ledger(q=other.id[:8])} == {other.id}


def test_one_entry_in_full_shows_what_was_proposed_decided_and_executed(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    (opened,) = world.ledger(review=review.id, kind="opened")
    before = audit.entry(world.deps, world.cast["ada"], opened.seq)
    assert [(side.tool, side.decision, side.executed_args) for side in before.sides] == [
        ("refund_order", "", "")
    ]
    assert (before.stored_digest, before.seen_is_stored) == (review.digest, None)
    world.decide(review, APPROVE)
    world.wait_settled(review.id)
    for kind in ("decided", "dispatched", "settled"):
        (row,) = world.ledger(review=review.id, kind=kind)
        shown = audit.entry(world.deps, world.cast["ada"], row.seq)
        (side,) = shown.sides
        assert side.proposed_args == side.decided_args == side.executed_args == review.actions[0].args_text
        assert (side.decision, side.outcome, side.ran_as_decided) == ("approve", "ran", True)
        assert (shown.seen_digest, shown.stored_digest, shown.seen_is_stored) == (*[review.digest] * 2, True)
        assert [each.kind for each in shown.timeline] == world.kinds(review.id)
    assert audit.entry(world.deps, world.cast["ada"], opened.seq).sides == before.sides


def test_a_rejected_call_that_did_not_run_ran_as_decided(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    world.decide(review, REJECT)
    world.wait_settled(review.id)
    (row,) = world.ledger("sam", review=review.id, kind="settled")
    shown = audit.entry(world.deps, world.cast["sam"], row.seq)
    (side,) = shown.sides
    assert (side.executed_args, side.message, side.ran_as_decided) == ("", "too late", True)
    # Sam may not see that the worker opened it, so the digest is the review's own.
    assert "opened" not in {each.kind for each in shown.timeline}
    assert (shown.stored_digest, shown.seen_is_stored) == (review.digest, True)


def test_an_entry_of_others_is_as_missing_as_one_that_never_was(crowded: World) -> None:
    (first,) = [row.seq for row in crowded.ledger(q="sam")][:1]
    assert audit.entry(crowded.deps, crowded.cast["sam"], first).row.seq == first
    refusals = set()
    for seq in (first, 0, -1, 10_000, 2**63, 2**70):
        with pytest.raises(NotFound) as missing:
            audit.entry(crowded.deps, crowded.cast["sue"], seq)
        refusals.add(str(missing.value))
    assert len(refusals) == 1
    with pytest.raises(Forbidden):
        audit.entry(crowded.deps, crowded.cast["mallory"], first)


def test_an_entry_without_review_and_thread_has_no_other_story(crowded: World) -> None:
    shown = audit.entry(crowded.deps, crowded.cast["ada"], 1)
    assert [row.seq for row in shown.timeline] == [1]
    assert (list(shown.sides), shown.erasable, shown.erased) == ([], False, False)


def test_a_long_story_shows_its_newest_part_and_says_so(idle: World) -> None:
    with write(idle.deps.engine) as connection:
        entry = ledger.Entry(Kind.MESSAGE_SENT, idle.cast["sam"], source="support", thread_id="t-long")
        written = [ledger.append(connection, entry) for _ in range(audit.TIMELINE + 5)]
    shown = audit.entry(idle.deps, idle.cast["ada"], written[0])
    assert [row.seq for row in shown.timeline] == written[-audit.TIMELINE :]
    assert shown.timeline_capped


def test_a_request_is_found_by_what_the_agent_said_and_not_by_its_tools_schema(world: World) -> None:
    """The demo's schema says "such as A-2048" of every refund."""
    other = world.pause("Refund A-2049 450")
    (action,) = other.actions
    assert "A-2048" in action.args_schema_text
    asked = world.pause("Refund A-2048 699")
    found = {row.review_id for row in world.ledger(q="A-2048")}
    assert found == {asked.id}
    assert {row.review_id for row in world.ledger(q="A-2049")} == {other.id}


def test_the_menus_offer_what_there_is_for_the_reader(crowded: World) -> None:
    whole = audit.choices(crowded.deps, crowded.cast["quinn"])
    assert list(whole.kinds) == sorted({body["kind"] for body in everything(crowded)})
    assert list(whole.tools) == ["refund_order", "send_sms"]
    assert list(whole.outcomes) == ["ran", "refused"]
    own = audit.choices(crowded.deps, crowded.cast["sue"])
    sue = [row for row in crowded.ledger() if row.actor == "sue"]
    assert list(own.actors) == ["sue"]
    assert list(own.kinds) == sorted({row.kind for row in sue})
    with pytest.raises(Forbidden):
        audit.choices(crowded.deps, crowded.cast["mallory"])


def test_entries_of_a_source_one_may_not_see_are_nowhere(
    folder: Path, worlds: Callable[[Deps, str], World]
) -> None:
    hidden = worlds(demo_deps(folder, visible={"support": ("sam",)}), "support")
    with write(hidden.deps.engine) as connection:
        entry = ledger.Entry(
            Kind.DENIED, Actor("x", "eve", Role.QA), source="support", thread_id="t-1", tool="secret"
        )
        seq = ledger.append(connection, entry)
    assert seq not in numbers(hidden, "quinn")
    assert numbers(hidden, "quinn", q="secret") == numbers(hidden, "quinn", q=f"#{seq}") == []
    with pytest.raises(NotFound):
        audit.entry(hidden.deps, hidden.cast["quinn"], seq)
    offered = audit.choices(hidden.deps, hidden.cast["quinn"])
    assert ("secret" in offered.tools, "eve" in offered.actors) == (False, False)
