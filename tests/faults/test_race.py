"""The race and the storm of `make faults` in small, and what LangGraph alone does in the same place."""

from __future__ import annotations

from tests.faults import bare, race, storm


def test_eight_people_in_two_processes_have_one_winner_each_and_one_execution_at_most() -> None:
    found = race.campaign(20, 2, 4)
    assert found.broken == []
    assert (found.attempts, found.won, found.told) == (160, 20, 140)
    assert found.most == 1


def test_killed_at_random_times_under_load_nothing_is_lost_and_nothing_happens_twice() -> None:
    found = storm.campaign(5, 1)
    assert (found.kills, found.broken) == (5, [])
    assert found.decided > 0


def test_langgraph_alone_loses_or_repeats_what_was_approved() -> None:
    """Otherwise the checks above would prove nothing about the console."""
    assert [count for _, count in bare.deaths()] == [2, 0, 1]
