"""The port between the console and whatever runs agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from console.domain.thread import Snapshot


class SourceError(Exception):
    """The source cannot do what was asked; the message is for a person."""


class ResumeRefused(SourceError):
    """The run did not take the answer, and nothing of it was stored."""


class Journal(Protocol):
    """Told of every tool before its body and after its end; called in the run's thread."""

    def start(self, tool_call_id: str, name: str, args_text: str) -> int:
        """Write the start; whatever it raises keeps the tool from running."""
        ...

    def end(self, run_id: int, ended: str, error: str) -> None:
        """`ended`: ok, error or paused."""
        ...


class Sink(Protocol):
    """Told what a run does while it does it; called in the run's loop, must not block."""

    def token(self, text: str) -> None: ...

    def step(self) -> None:
        """Something is in the checkpoint that was not there before; the draft is void."""
        ...


@dataclass(frozen=True)
class Run:
    """One piece of work on a thread: answers, a message (or closings alone), or going on from where it is.

    `answers` maps interrupt ids to what LangGraph is handed; `decisions` maps tool call ids to the
    decision that allowed them, for tools to find in their config. `close_calls` are (id, tool, text, status)
    of calls that a failed run left without a result. `fork` is the checkpoint to go on from instead of the
    newest: only ever a poisoned pause's own. `guard` is called before anything of the run is stored: what it
    raises keeps that from being stored and ends the run.
    """

    thread_id: str
    message: str | None = None
    answers: Mapping[str, Any] | None = None
    decisions: Mapping[str, str] = field(default_factory=dict)
    close_calls: Sequence[tuple[str, str, str, str]] = ()
    fork: str = ""
    guard: Callable[[], None] = lambda: None


class Source(Protocol):
    """Reading is synchronous and safe from any thread; running belongs to the worker's loop."""

    name: str

    def snapshot(self, thread_id: str) -> Snapshot | None:
        """The thread now, or None when there is no such thread; `SourceError` when it cannot be read."""
        ...

    def trial(self, answer: Any) -> None:
        """Raise ValueError when the answer cannot be stored by this source's serialiser."""
        ...

    async def open(self) -> None:
        """Begin to accept runs in the current event loop."""
        ...

    async def run(self, run: Run, journal: Journal, sink: Sink) -> None:
        """Drive the thread until it pauses, ends or fails; raises what the agent raised."""
        ...

    async def close(self) -> None: ...
