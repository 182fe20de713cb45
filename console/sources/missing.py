"""Stands where an agent could not be loaded: the console starts, and what it knows of the source waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from console.domain.thread import Snapshot
from console.sources.port import Journal, Left, Moved, Run, Sink, SourceError, Waiting


class MissingSource:
    """Every question is answered with `problem`; opening and closing are no questions."""

    def __init__(self, name: str, problem: str) -> None:
        self.name = name
        self.problem = problem

    def _refuse(self) -> NoReturn:
        raise SourceError(self.problem)

    def snapshot(self, thread_id: str) -> Snapshot | None:
        self._refuse()

    def changed_since(self, mark: str) -> Moved:
        self._refuse()

    def waiting(self, threads: Sequence[str] | None = None) -> list[Waiting]:
        self._refuse()

    def absent(self, threads: Sequence[str]) -> list[str]:
        self._refuse()

    def not_loaded(self, most: int) -> dict[str, int]:
        self._refuse()

    def stamp(self, thread_id: str) -> str:
        self._refuse()

    def left(self, thread_id: str, checkpoint_id: str) -> Left:
        self._refuse()

    def schema_origins(self) -> Mapping[str, str]:
        self._refuse()

    def trial(self, answer: Any) -> None:
        self._refuse()

    async def open(self) -> None:
        return None

    async def run(self, run: Run, journal: Journal, sink: Sink) -> None:
        self._refuse()

    async def close(self) -> None:
        return None
