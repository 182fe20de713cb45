"""A graph and its checkpoints in this process: read exactly, resumed strictly, loaded safely."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypedDict

import ormsgpack
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from console.domain.review import Kind, ThreadStatus
from console.sources.local import STRICT, LocalSource
from console.sources.payload import answer as shaped
from console.sources.port import ResumeRefused, Run, SourceError
from tests.services.agents import effects, obedient
from tests.services.world import APPROVE, REJECT, call


class Ear:
    """A journal and a sink that remember."""

    def __init__(self) -> None:
        self.starts: list[tuple[str, str, str]] = []
        self.ends: list[tuple[int, str, str]] = []
        self.tokens: list[str] = []
        self.steps = 0

    def start(self, tool_call_id: str, name: str, args_text: str) -> int:
        self.starts.append((tool_call_id, name, args_text))
        return len(self.starts)

    def end(self, run_id: int, ended: str, error: str) -> None:
        self.ends.append((run_id, ended, error))

    def token(self, text: str) -> None:
        self.tokens.append(text)

    def step(self) -> None:
        self.steps += 1


Drive = Callable[..., Ear]


def driver(source: LocalSource) -> Drive:
    def drive(*runs: Run) -> Ear:
        ear = Ear()

        async def go() -> None:
            await source.open()
            try:
                for run in runs:
                    await source.run(run, ear, ear)
            finally:
                await source.close()

        asyncio.run(go())
        return ear

    return drive


@pytest.fixture(params=["batched", "per_call"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> LocalSource:
    return LocalSource("s", obedient(tmp_path, mode=request.param), tmp_path / "checkpoints.db")


def answers(source: LocalSource, *decisions: Any) -> dict[str, Any]:
    pause = pause_of(source)
    if len(pause.pending) == 1:
        return {pause.pending[0].interrupt_id: shaped(pause.pending[0].answer_shape, decisions, None)}
    return {
        each.interrupt_id: shaped(each.answer_shape, [said], None)
        for each, said in zip(pause.pending, decisions, strict=True)
    }


def pause_of(source: LocalSource) -> Any:
    found = source.snapshot("t")
    assert found is not None
    assert found.pause is not None
    return found.pause


MIXED = call(
    ("charge", {"amount": 1}), ("note", {"text": "n"}), ("charge", {"amount": 2}), ("charge", {"amount": 3})
)


def test_a_thread_that_is_not_there_is_none(source: LocalSource) -> None:
    assert source.snapshot("t") is None
    assert source.snapshot("../x\x00é" * 50) is None


def test_a_pause_stands_in_the_order_of_the_calls(source: LocalSource) -> None:
    driver(source)(Run("t", message=MIXED))
    found = [action for pending in pause_of(source).pending for action in pending.actions]
    assert [action.args_text for action in found] == ['{"amount": 1}', '{"amount": 2}', '{"amount": 3}']
    assert [action.tool_call_id for action in found] == ["call_1_0", "call_1_2", "call_1_3"]


def test_a_verdict_runs_what_it_allows_and_the_journal_hears_of_it_first(
    source: LocalSource, tmp_path: Path
) -> None:
    drive = driver(source)
    drive(Run("t", message=MIXED))
    ear = drive(Run("t", answers=answers(source, APPROVE, REJECT, APPROVE)))
    charged = [args for _, name, args in ear.starts if name == "charge"]
    assert sorted(charged) == ['{"amount": 1}', '{"amount": 3}']
    assert {ended for _, ended, _ in ear.ends} == {"ok"}
    assert sorted(effects(tmp_path)) == ["charge 1", "charge 3", "note n"]
    after = source.snapshot("t")
    assert after is not None
    assert (after.status, after.pause, after.open_calls(), after.unfinished) == (
        ThreadStatus.IDLE,
        None,
        [],
        False,
    )


def test_a_journal_that_refuses_keeps_the_tool_from_running(source: LocalSource, tmp_path: Path) -> None:
    class Full(Ear):
        def start(self, tool_call_id: str, name: str, args_text: str) -> int:
            raise RuntimeError("the disk is full")

    driver(source)(Run("t", message=call(("charge", {"amount": 1}))))
    full = Full()

    async def go() -> None:
        await source.open()
        try:
            await source.run(Run("t", answers=answers(source, APPROVE)), full, full)
        finally:
            await source.close()

    with pytest.raises(RuntimeError, match="full"):
        asyncio.run(go())
    assert effects(tmp_path) == []


def stored(tmp_path: Path) -> list[Any]:
    with sqlite3.connect(tmp_path / "checkpoints.db") as db:
        return [
            db.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3, 4, 5").fetchall()
            for name in ("checkpoints", "writes")
        ]


@pytest.mark.parametrize("stale", ["answered", "unknown", "message"])
def test_an_answer_to_anything_that_is_not_pending_is_refused_and_changes_nothing(
    source: LocalSource, tmp_path: Path, stale: str
) -> None:
    """LangGraph's strict flag is a private name: this is what holds it in place."""
    assert STRICT.startswith("__")
    drive = driver(source)
    drive(Run("t", message=call(("charge", {"amount": 1}))))
    given = answers(source, APPROVE)
    if stale == "answered":
        drive(Run("t", answers=given))
    elif stale == "message":
        drive(
            Run(
                "t",
                message=call(("charge", {"amount": 2})),
                close_calls=[("call_1_0", "charge", "-", "error")],
            )
        )
    else:
        given = {"0" * 32: next(iter(given.values()))}
    before, happened = stored(tmp_path), effects(tmp_path)
    ear = Ear()

    async def go() -> None:
        await source.open()
        try:
            await source.run(Run("t", answers=given), ear, ear)
        finally:
            await source.close()

    with pytest.raises(ResumeRefused):
        asyncio.run(go())
    assert (stored(tmp_path), effects(tmp_path), ear.starts) == (before, happened, [])


def test_a_source_that_is_not_open_runs_nothing(source: LocalSource) -> None:
    ear = Ear()
    with pytest.raises(SourceError, match="not open"):
        asyncio.run(source.run(Run("t", message='"hi"'), ear, ear))


def test_a_wrong_answer_poisons_a_batched_pause_and_not_a_per_call_one(source: LocalSource) -> None:
    driver(source)(Run("t", message=call(("charge", {"amount": 1}))))
    wrong = {pause_of(source).pending[0].interrupt_id: {"decisions": [], "type": "nonsense"}}
    ear = Ear()

    async def go() -> None:
        await source.open()
        try:
            await source.run(Run("t", answers=wrong), ear, ear)
        finally:
            await source.close()

    with pytest.raises(Exception, match=r"decisions|nonsense"):
        asyncio.run(go())
    found = source.snapshot("t")
    assert found is not None
    per_call = pause_of(source).pending[0].answer_shape == "decision"
    assert found.status is (ThreadStatus.PAUSED if per_call else ThreadStatus.POISONED)
    assert found.error
    if per_call:
        ear = driver(source)(Run("t", answers=answers(source, APPROVE)))
        assert [name for _, name, _ in ear.starts] == ["charge"]


class State(TypedDict):
    got: list[Any]


@pytest.fixture
def asking(tmp_path: Path) -> LocalSource:
    """Asks two questions at once."""

    def ask(question: str) -> Any:
        def node(_: State) -> dict[str, Any]:
            interrupt({"question": question})
            return {}

        return node

    graph: Any = StateGraph(State)
    for name in ("one", "two"):
        graph.add_node(name, ask(name))
        graph.add_edge(START, name)
        graph.add_edge(name, END)
    return LocalSource("s", graph.compile(), tmp_path / "checkpoints.db")


def test_questions_of_one_pause_are_one_group_in_task_order(asking: LocalSource) -> None:
    drive = driver(asking)
    drive(Run("t", message="go"))
    pause = pause_of(asking)
    assert [each.value_text for each in pause.pending] == ['{"question": "one"}', '{"question": "two"}']
    assert {each.kind for each in pause.pending} == {Kind.ANSWER}
    first, second = pause.pending
    drive(Run("t", answers={first.interrupt_id: False, second.interrupt_id: None}))
    after = asking.snapshot("t")
    assert after is not None
    assert (after.status, after.pause) == (ThreadStatus.IDLE, None)


@pytest.mark.parametrize("value", ["\ud800", {"a": ["\udfff"]}, 2**64, -(2**63) - 1, object(), (1, 2)])
def test_an_answer_that_would_come_back_as_another_is_refused_in_the_trial(
    source: LocalSource, value: Any
) -> None:
    with pytest.raises(ValueError, match="checkpoint store"):
        source.trial(value)


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}, 2**63, 0.1, "\u202e\x00", {"a": [{"b": "é"}]}])
def test_an_answer_that_is_kept_passes_the_trial(source: LocalSource, value: Any) -> None:
    source.trial(value)


@pytest.fixture
def malicious(tmp_path: Path) -> Iterator[bytes]:
    """A value that calls a function of the system when it is loaded without care."""
    inner = ormsgpack.packb(["os", "mkdir", [str(tmp_path / "owned")]])
    for code in (0, 1, 2, 3):
        ext = ormsgpack.packb(ormsgpack.Ext(code, inner))
        try:
            JsonPlusSerializer(allowed_msgpack_modules=True).loads_typed(("msgpack", ext))
        except Exception:
            continue
        if (tmp_path / "owned").exists():
            (tmp_path / "owned").rmdir()
            yield ext
            return
    pytest.fail("no payload of this kind works any more: look for the one that does")


def test_a_checkpoint_cannot_make_the_console_call_anything(
    source: LocalSource, tmp_path: Path, malicious: bytes
) -> None:
    assert os.environ["LANGGRAPH_STRICT_MSGPACK"] == "true"
    driver(source)(Run("t", message=call(("charge", {"amount": 1}))))
    with sqlite3.connect(tmp_path / "checkpoints.db") as db:
        db.execute(
            "UPDATE writes SET type = 'msgpack', value = ? WHERE channel = '__interrupt__'", (malicious,)
        )
    with pytest.raises(SourceError, match="cannot be read"):
        source.snapshot("t")
    assert not (tmp_path / "owned").exists()


def test_the_checkpoints_are_their_owners_only(source: LocalSource, tmp_path: Path) -> None:
    assert source.name == "s"
    assert (tmp_path / "checkpoints.db").stat().st_mode & 0o777 == 0o600
