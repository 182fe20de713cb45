"""A compiled graph and its SQLite checkpoints in this process.

Runs go through one saver that the worker's loop owns. Reads go through connections of their
own, so that a page never waits for a run.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import UnknownInterruptError
from langgraph.types import Command, StateSnapshot

from console.domain.review import Pause, ThreadStatus
from console.domain.thread import Message, Snapshot
from console.forms.exact import same, tagged
from console.sources import messages, payload, states
from console.sources.journal import JournalCallback
from console.sources.port import Journal, Left, Moved, ResumeRefused, Run, Sink, SourceError, Waiting
from console.sources.saver import GUARD, GuardedSaver
from console.sources.scan import BUSY_SECONDS, Scan
from console.sources.schemas import Schemas
from console.sources.serde import CheckpointSerde, in_words, known_types, not_loaded, refused, withheld

Graph = states.Graph
# LangGraph's private name for "refuse answers to anything that is not pending"; a test holds it in place.
STRICT = "__pregel_strict_resume"
DECISIONS = "console_decisions"


class LocalSource:
    """`checkpoints` is a file path; `context` is handed to every run as LangGraph's runtime context.

    `schemas` are those that people set for a tool by its name.
    """

    problem = ""

    def __init__(
        self,
        name: str,
        graph: Graph,
        checkpoints: Path,
        *,
        context: dict[str, Any] | None = None,
        config: dict[str, Any] | None = None,
        recursion_limit: int = 100,
        msgpack_allow: Sequence[str] = (),
        schemas: Mapping[str, dict[str, Any]] | None = None,
    ) -> None:
        self.name = name
        self._graph = graph
        self._path = checkpoints
        self._context = context or None
        self._config = config or {}
        self._limit = recursion_limit
        self._serde = CheckpointSerde(msgpack_allow, known_types(graph))
        self._readers: queue.LifoQueue[Graph] = queue.LifoQueue()
        self._saver: GuardedSaver | None = None
        self._runner: Graph | None = None
        self._schemas = Schemas(graph, schemas or {})
        checkpoints.parent.mkdir(parents=True, exist_ok=True)
        checkpoints.touch(mode=0o600, exist_ok=True)
        self._file = _identity(checkpoints)
        self._scan = Scan(checkpoints)

    # --- reading, from any thread

    def snapshot(self, thread_id: str) -> Snapshot | None:
        self._refuse_another_file()
        with refused() as types:
            try:
                return self._read(thread_id, types)
            except Exception as problem:
                # A damaged or forbidden checkpoint shows itself in many ways, and none of them is a pause.
                named = f"; it names {in_words(types)}, which is not loaded" if types else ""
                raise SourceError(
                    f"its checkpoint cannot be read ({type(problem).__name__}: {problem}){named}"
                ) from problem

    def _read(self, thread_id: str, types: set[str]) -> Snapshot | None:
        with self._reader() as graph:
            state = graph.get_state({"configurable": {"thread_id": thread_id}})
            if state.metadata is None:
                return None
            found = self._snapshot(thread_id, state, states.answer_is_stored(graph, state))
            # Only a task that is done, in a step that is not, adds to what the checkpoint keeps.
            if len(state.next) != len(state.tasks):
                found = replace(found, loose=states.loose(graph, state, found.messages))
            if types and found.pause is not None:
                return replace(found, pause=withheld(found.pause, types))
            return found

    def changed_since(self, mark: str) -> Moved:
        self._refuse_another_file()
        return self._scan.changed_since(mark)

    def waiting(self, threads: Sequence[str] | None = None) -> list[Waiting]:
        self._refuse_another_file()
        return self._scan.waiting(threads)

    def absent(self, threads: Sequence[str]) -> list[str]:
        self._refuse_another_file()
        return self._scan.absent(threads)

    def not_loaded(self, most: int) -> dict[str, int]:
        self._refuse_another_file()
        return not_loaded(self._serde, self._scan.stored(most))

    def stamp(self, thread_id: str) -> str:
        self._refuse_another_file()
        return self._scan.stamp(thread_id)

    def left(self, thread_id: str, checkpoint_id: str) -> Left:
        return self._scan.left(thread_id, checkpoint_id)

    def schema_origins(self) -> Mapping[str, str]:
        return self._schemas.origins()

    def trial(self, answer: Any) -> None:
        try:
            kept = self._serde.loads_typed(self._serde.dumps_typed(answer))
        except Exception as problem:
            raise ValueError(f"the checkpoint store cannot keep this: {problem}") from problem
        if not same(kept, answer):
            raise ValueError("the checkpoint store would change this")

    def _refuse_another_file(self) -> None:
        """Open connections go on in a file that was deleted; what they wrote there would be lost unseen."""
        if _identity(self._path) != self._file:
            raise SourceError(
                "its checkpoint file was deleted or replaced while the console ran;"
                " put it back, or start the console anew"
            )

    @contextmanager
    def _reader(self) -> Iterator[Graph]:
        try:
            graph = self._readers.get_nowait()
        except queue.Empty:
            connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, check_same_thread=False)
            graph = self._graph.copy({"checkpointer": SqliteSaver(connection, serde=self._serde)})
        try:
            yield graph
        finally:
            self._readers.put(graph)

    def _snapshot(self, thread_id: str, state: StateSnapshot, answered: bool) -> Snapshot:
        values = state.values if isinstance(state.values, dict) else {}
        read = messages.read(values.get("messages") or ())
        error = next((str(task.error) for task in state.tasks if task.error), "")
        head = str(state.config["configurable"].get("checkpoint_id", ""))
        status = states.status(state, error, answered)
        pause = self._pause(thread_id, head, state, read) if state.interrupts else None
        return Snapshot(
            head=head,
            status=status,
            messages=read,
            pause=pause,
            error=error,
            unfinished=status is ThreadStatus.IDLE and bool(state.next or state.tasks),
            unseen=states.unseen(self._graph, state),
            values=tagged({key: value for key, value in values.items() if key != "messages"}),
        )

    def _pause(self, thread_id: str, head: str, state: StateSnapshot, read: Sequence[Message]) -> Pause:
        proposals = [each for each in read if each.role == "ai"]
        last = proposals[-1] if proposals else None
        earlier = {call.id for each in proposals[:-1] for call in each.tool_calls}
        pending = tuple(
            payload.read(
                each.id,
                each.value,
                each.response_schema,
                last.tool_calls if last else (),
                self._schemas.chosen,
                earlier,
            )
            for task in state.tasks
            for each in task.interrupts
        )
        first = next((each.text for each in read if each.role == "human"), "")
        text = last.text if last else ""
        return Pause(self.name, thread_id, "", head, pending, agent_text=text, subject=first[:120])

    # --- running, in the worker's loop

    async def open(self) -> None:
        self._saver = await asyncio.to_thread(GuardedSaver, self._path, self._serde)
        self._runner = self._graph.copy({"checkpointer": self._saver})

    async def close(self) -> None:
        self._runner = None
        if self._saver is not None:
            await asyncio.to_thread(self._saver.close)
            self._saver = None

    async def run(self, run: Run, journal: Journal, sink: Sink) -> None:
        if self._runner is None:
            raise SourceError(f"the source {self.name} is not open")
        self._refuse_another_file()
        config: RunnableConfig = {
            **self._config,  # type: ignore[typeddict-item]
            "recursion_limit": self._limit,
            "callbacks": [JournalCallback(journal)],
            "configurable": {
                **self._config.get("configurable", {}),
                "thread_id": run.thread_id,
                STRICT: True,
                DECISIONS: dict(run.decisions),
                GUARD: run.guard,
                **({"checkpoint_id": run.fork} if run.fork else {}),
            },
        }
        stream = self._runner.astream(
            _input(run),
            config,
            context=self._context,
            stream_mode=["messages", "updates"],
            version="v2",
            durability="sync",
        )
        try:
            async for part in stream:
                _tell(part, sink)
        except UnknownInterruptError as refused:
            raise ResumeRefused(f"the pause is no longer the one that was answered ({refused})") from refused


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _input(run: Run) -> Any:
    if run.answers is not None:
        return Command(resume=dict(run.answers))
    said = [HumanMessage(run.message)] if run.message is not None else []
    if said or run.close_calls:
        return {"messages": [*messages.closing(run.close_calls), *said]}
    return None


def _tell(part: Any, sink: Sink) -> None:
    if part["type"] == "updates":
        sink.step()
    elif part["type"] == "messages" and not part["ns"]:
        chunk, _ = part["data"]
        if isinstance(chunk, AIMessageChunk) and chunk.text:
            sink.token(str(chunk.text))
