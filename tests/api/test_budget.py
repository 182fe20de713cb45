"""One session may call 20 times a second, 100 times at once."""

from __future__ import annotations

import pytest

from console.api.budget import Budget
from console.domain.errors import TooMany


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def spend(budget: Budget, session: str, calls: int) -> int:
    """How many of the calls were let through."""
    passed = 0
    for _ in range(calls):
        try:
            budget.spend(session)
        except TooMany:
            continue
        passed += 1
    return passed


def test_a_burst_has_a_hundred_calls() -> None:
    assert spend(Budget(clock=Clock()), "a", 150) == 100


def test_twenty_calls_come_back_each_second() -> None:
    clock = Clock()
    budget = Budget(clock=clock)
    spend(budget, "a", 150)
    clock.now = 1.0
    assert spend(budget, "a", 150) == 20


def test_it_never_fills_above_the_burst() -> None:
    clock = Clock()
    budget = Budget(clock=clock)
    spend(budget, "a", 1)
    clock.now = 3600
    assert spend(budget, "a", 150) == 100


def test_sessions_do_not_share_a_budget() -> None:
    budget = Budget(clock=Clock())
    spend(budget, "a", 150)
    assert spend(budget, "b", 1) == 1


@pytest.mark.parametrize("rate", [20, 0.1])
def test_the_wait_that_is_named_is_enough(rate: float) -> None:
    clock = Clock()
    budget = Budget(rate=rate, burst=1, clock=clock)
    budget.spend("a")
    with pytest.raises(TooMany) as refused:
        budget.spend("a")
    assert refused.value.retry_after >= 1
    clock.now += refused.value.retry_after
    budget.spend("a")


def test_memory_is_bounded_by_the_sessions_that_are_busy() -> None:
    clock = Clock()
    budget = Budget(clock=clock)
    for number in range(10_000):
        budget.spend(str(number))
    clock.now = 10.0
    budget.spend("one more")
    assert list(budget._buckets) == ["one more"]
