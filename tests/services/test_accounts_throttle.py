"""Guessing is slowed down, however many guesses are sent at once; those who know their password are not."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from console.domain.errors import TooMany, Unauthenticated, Unavailable
from console.services import accounts, credentials
from console.services.throttle import Throttle
from tests.services.world import World

HERE = "192.0.2.1"


class SlowHasher:
    """Every check takes long enough for all others to have begun."""

    def __init__(self) -> None:
        self.checked = 0
        self._lock = threading.Lock()

    def hash(self, password: str) -> str:
        return "nobody's"

    def verify(self, password: bytes, hashed: str) -> bool:
        with self._lock:
            self.checked += 1
        time.sleep(0.2)
        return password == b"demo"


@pytest.fixture
def hasher(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowHasher]:
    slow = SlowHasher()
    monkeypatch.setattr(credentials, "hasher", lambda: slow)
    credentials.nobodys_hash.cache_clear()
    yield slow
    credentials.nobodys_hash.cache_clear()


def outcomes(attempt: Callable[[int], Any], times: int) -> Counter[str]:
    def one(number: int) -> str:
        try:
            attempt(number)
        except Exception as refused:
            return type(refused).__name__
        return "signed in"

    with ThreadPoolExecutor(times) as pool:
        return Counter(pool.map(one, range(times)))


def test_guesses_sent_at_once_are_counted_before_they_are_checked(idle: World, hasher: SlowHasher) -> None:
    made = outcomes(lambda number: accounts.sign_in(idle.deps, "ada", f"guess{number}", HERE), 30)
    assert made == {"Unauthenticated": 8, "TooMany": 22}
    assert hasher.checked == 8


def test_one_address_is_slowed_down_over_all_names(
    idle: World, hasher: SlowHasher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "_by_address", Throttle(burst=4, seconds=60))
    made = outcomes(lambda number: accounts.sign_in(idle.deps, f"name{number}", "guess", HERE), 20)
    assert made == {"Unauthenticated": 4, "TooMany": 16}


def test_a_refusal_by_address_costs_the_user_nothing(
    idle: World, hasher: SlowHasher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "_by_address", Throttle(burst=0, seconds=60))
    for _ in range(10):
        with pytest.raises(TooMany):
            accounts.sign_in(idle.deps, "sam", "guess", HERE)
    monkeypatch.setattr(accounts, "_by_address", Throttle(burst=40, seconds=3))
    assert accounts.sign_in(idle.deps, "sam", "demo", HERE).actor.name == "sam"


def test_the_right_password_costs_nothing(idle: World, hasher: SlowHasher) -> None:
    for _ in range(10):
        accounts.sign_in(idle.deps, "sam", "demo", HERE)


def test_wrong_passwords_end_in_a_wait_of_a_known_length(idle: World, hasher: SlowHasher) -> None:
    outcomes(lambda number: accounts.sign_in(idle.deps, "sam", "guess", HERE), 8)
    with pytest.raises(TooMany) as refused:
        accounts.sign_in(idle.deps, "sam", "demo", HERE)
    assert 0 < refused.value.retry_after <= 16


def test_a_check_that_could_not_be_made_costs_nothing(
    idle: World, hasher: SlowHasher, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:

        def unavailable(*_: object) -> None:
            raise Unavailable("The database did not take it.")

        broken.setattr("console.services.accounts.users.by_name", unavailable)
        for _ in range(10):
            with pytest.raises(Unavailable):
                accounts.sign_in(idle.deps, "sam", "demo", HERE)
    assert accounts.sign_in(idle.deps, "sam", "demo", HERE).actor.name == "sam"


def test_a_wrong_password_stays_wrong_when_it_cannot_be_recorded(
    idle: World, hasher: SlowHasher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A failure of the log must not give the guess back."""

    def full(*_: object) -> None:
        raise Unavailable("The database did not take it.")

    monkeypatch.setattr(accounts, "record_failure", full)
    made = outcomes(lambda number: accounts.sign_in(idle.deps, "sam", "guess", HERE), 20)
    assert made == {"Unavailable": 8, "TooMany": 12}
    with pytest.raises((TooMany, Unauthenticated)):
        accounts.sign_in(idle.deps, "sam", "guess", HERE)
