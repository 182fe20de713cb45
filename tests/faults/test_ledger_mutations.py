"""A small sample of `make faults`: every kind of change to a signed log is found at its first bad entry."""

from __future__ import annotations

from tests.faults.ledger_mutations import MUTATIONS, campaign


def test_every_kind_of_change_is_found_and_nothing_else() -> None:
    found = campaign(entries=60, of_each=5)
    assert found.notes == []
    assert (found.tried, found.missed, found.alarms) == (5 * len(MUTATIONS), 0, 0)
