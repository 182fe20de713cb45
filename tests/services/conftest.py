"""Worlds for tests of the services. The tables and the cast are made once and copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from console.services import accounts
from console.services.deps import Deps
from console.services.throttle import Throttle
from console.sources.local import LocalSource
from tests.services.agents import obedient
from tests.services.tables import make_tables
from tests.services.world import OBEDIENT, World, cast_of, demo_deps, deps_over


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture
def folder(tables: Path, tmp_path: Path) -> Path:
    shutil.copy(tables, tmp_path / "console.db")
    return tmp_path


@pytest.fixture(autouse=True)
def fresh_throttles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "_by_user", Throttle(burst=8, seconds=15))
    monkeypatch.setattr(accounts, "_by_address", Throttle(burst=40, seconds=3))


@pytest.fixture
def worlds(folder: Path) -> Iterator[Callable[[Deps, str], World]]:
    """Makes a world of deps; the connections are closed with the test."""
    with ExitStack() as stack:

        def make(deps: Deps, source: str) -> World:
            stack.callback(deps.engine.dispose)
            return World(deps, folder, cast_of(deps), source)

        yield make


@pytest.fixture
def idle(folder: Path, worlds: Callable[[Deps, str], World]) -> World:
    """The demo agent in batched mode, and nobody who works."""
    return worlds(demo_deps(folder), "support")


@pytest.fixture
def world(idle: World) -> Iterator[World]:
    """The demo agent in batched mode, with a worker."""
    with idle.worker():
        yield idle


@pytest.fixture(params=["batched", "per_call"])
def either(
    request: pytest.FixtureRequest, folder: Path, worlds: Callable[[Deps, str], World]
) -> Iterator[World]:
    """The demo agent in each of the two interrupt modes, with a worker."""
    made = worlds(demo_deps(folder, request.param), "support")
    with made.worker():
        yield made


@pytest.fixture
def obeying(folder: Path, worlds: Callable[[Deps, str], World]) -> World:
    """The obedient agent of agents.py in batched mode, and nobody who works."""
    return worlds(obedient_deps(folder), OBEDIENT)


def obedient_deps(folder: Path, mode: str = "batched") -> Deps:
    return deps_over(
        folder, {OBEDIENT: LocalSource(OBEDIENT, obedient(folder, mode=mode), folder / "checkpoints.db")}
    )
