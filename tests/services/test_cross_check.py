"""Who decided is said beside the log, and shows entries to that person: it is held against the decision."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from console.services.verify import BROKEN, UNSIGNED, verify
from tests.services.world import APPROVE, World


def looked_at(world: World, *statements: str) -> tuple[int, int | None, str]:
    path = Path(str(world.deps.engine.url.database))
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            assert database.execute(statement).rowcount == 1
        database.commit()
    report = verify(path, [], path.with_name("ledger.pub"), deep=True)
    return report.status, report.first_bad, report.reason


@pytest.fixture
def settled(world: World) -> dict[str, int]:
    review = world.pause("Refund A-2048 699")
    world.decide(review, APPROVE)
    world.wait_settled(review.id)
    return {row.kind: row.seq for row in world.ledger(review=review.id)}


def test_an_untouched_log_with_a_settled_review_passes(world: World, settled: dict[str, int]) -> None:
    assert {"opened", "decided", "dispatched", "settled"} <= set(settled)
    assert looked_at(world)[:2] == (UNSIGNED, None)


@pytest.mark.parametrize("kind", ["decided", "settled"])
@pytest.mark.parametrize("value", ["NULL", "''", "'id-mallory'"])
def test_a_decider_taken_away_or_exchanged_is_found(
    world: World, settled: dict[str, int], kind: str, value: str
) -> None:
    seq = settled[kind]
    status, first, _ = looked_at(world, f"UPDATE ledger_facet SET decided_by_id = {value} WHERE seq = {seq}")
    assert (status, first) == (BROKEN, seq)


@pytest.mark.parametrize("kind", ["opened", "dispatched"])
def test_a_decider_given_to_an_entry_of_no_decision_is_found(
    world: World, settled: dict[str, int], kind: str
) -> None:
    seq, sue = settled[kind], world.cast["sue"].id
    found = looked_at(world, f"UPDATE ledger_facet SET decided_by_id = '{sue}' WHERE seq = {seq}")
    assert found == (BROKEN, seq, "the search columns name a decider where nothing was decided")
    assert seq in [row.seq for row in world.ledger("sue")], "that is what it would show"


def test_a_decision_taken_out_is_found_where_it_was_made(world: World, settled: dict[str, int]) -> None:
    found = looked_at(world, "DELETE FROM decision")
    assert found == (BROKEN, settled["decided"], "the decision is not there")
