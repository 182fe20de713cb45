"""The port between the console and whatever runs agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
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
class Moved:
    """Threads that something was stored of. `mark` is where the next look begins.

    `more`: a look reads only so much, ask again at once. Not `complete`: some may be missing from it, so that
    only a full pass finds them.
    """

    threads: Sequence[str]
    mark: str
    complete: bool = True
    more: bool = False


@dataclass(frozen=True)
class Waiting:
    """A thread that is paused at this checkpoint; `failed` when an error is stored with the pause."""

    thread_id: str
    checkpoint_id: str
    failed: bool = False


class Left(StrEnum):
    """How a thread went on from a pause.

    `answered`: by an answer to its interrupt. `message`: by a new input, which drops the pause. `changed`:
    its state was edited, or it was forked. `unknown`: the source does not tell, or it still is at that pause.
    """

    ANSWERED = "answered"
    MESSAGE = "message"
    CHANGED = "changed"
    UNKNOWN = "unknown"


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
    """Reading is synchronous and safe from any thread; running belongs to the worker's loop.

    `problem` says why nothing can be run here at all (an agent that could not be loaded); empty when it can.
    Whatever reads raises `SourceError` when the source cannot be read.
    """

    name: str
    problem: str

    def snapshot(self, thread_id: str) -> Snapshot | None:
        """The thread now, or None when there is no such thread; `SourceError` when it cannot be read."""
        ...

    def changed_since(self, mark: str) -> Moved:
        """Threads of which anyone has stored something since `mark`; its cost does not grow with the history.

        An empty mark is answered with no thread and the mark of now. Never a missing thread without
        `complete` being false, except after deletions, which only `absent` and `waiting` tell.
        """
        ...

    def waiting(self, threads: Sequence[str] | None = None) -> list[Waiting]:
        """Every paused thread, or those of `threads`. Of all, its cost grows with the history."""
        ...

    def absent(self, threads: Sequence[str]) -> list[str]:
        """Those of `threads` that the source does not have (any more)."""
        ...

    def not_loaded(self, most: int) -> dict[str, int]:
        """Names of types that checkpoints hold and strict loading refuses -> in how many threads.

        Looks at the newest checkpoint of the `most` threads that were written last.
        """
        ...

    def stamp(self, thread_id: str) -> str:
        """A text that is another one after anything was stored of the thread; empty when there is no thread.

        Cheap, so that it can be asked while a lock is held.
        """
        ...

    def left(self, thread_id: str, checkpoint_id: str) -> Left:
        """How the thread went on from its pause at this checkpoint."""
        ...

    def schema_origins(self) -> Mapping[str, str]:
        """For each tool that is known here, an `Origin`: where the schema of its arguments comes from."""
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
