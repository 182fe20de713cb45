"""Graphs with code of their own behind an interrupt: no journal sees it, so a crash leaves it in doubt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt

from console.services import decide
from console.services.deps import Deps
from console.services.resolve import resolve
from console.services.worker import running
from console.sources.local import LocalSource
from tests.services.agents import effects, leave_mark, wait_while_held
from tests.services.processes import CONTEXT, kill, process
from tests.services.world import World, deps_over, wait_for

FORM = "form"


class State(TypedDict, total=False):
    messages: Annotated[list[Any], add_messages]
    said: str


def asking(folder: Path, after: bool) -> Any:
    """One node asks; what follows the answer happens in the same node, or in the next."""

    def act(said: str) -> None:
        leave_mark(folder, f"acted on {said}")
        wait_while_held(folder)

    def ask(state: State) -> State:
        said = str(interrupt("Shall I?"))
        if not after:
            act(said)
        return {"said": said}

    def do(state: State) -> State:
        if after:
            act(state["said"])
        return {}

    graph = StateGraph(State)
    graph.add_node("ask", ask)
    graph.add_node("do", do)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "do")
    graph.add_edge("do", END)
    return graph.compile()


def open_console(folder: Path, after: bool) -> Deps:
    return deps_over(folder, {FORM: LocalSource(FORM, asking(folder, after), folder / "checkpoints.db")})


def work(folder: Path, after: bool) -> None:
    with running(open_console(folder, after)):
        CONTEXT.Event().wait(20)


def killed_after_the_answer(
    folder: Path, worlds: Callable[[Deps, str], World], after: bool
) -> tuple[World, str]:
    world = worlds(open_console(folder, after), FORM)
    with world.worker():
        review = world.pause("hello")
    given = {"version": review.version, "digest": review.digest, "answer": "yes"}
    decide.decide(world.deps, world.cast["sam"], review.id, **given)
    (folder / "hold").touch()
    with process(work, folder, after) as victim:
        wait_for(lambda: effects(folder) == ["acted on yes"])
        kill(victim)
    (folder / "hold").unlink()
    return world, review.id


@pytest.mark.parametrize("after", [False, True])
def test_killed_behind_the_answer_it_is_in_doubt_and_never_repeated(
    folder: Path, worlds: Any, after: bool
) -> None:
    world, review_id = killed_after_the_answer(folder, worlds, after)
    for _ in range(2):
        with world.worker():
            thread_id = world.review(review_id).thread_id
            error = world.wait_status(thread_id, "stuck").error
    assert "uncertain" in error
    assert effects(folder) == ["acted on yes"]
    (shown,) = world.queue()
    assert (shown == review_id) is not after
    assert world.review(review_id).status == ("settled" if after else "stuck")


@pytest.mark.parametrize("after", [False, True])
def test_a_person_may_have_it_done_after_all(folder: Path, worlds: Any, after: bool) -> None:
    world, review_id = killed_after_the_answer(folder, worlds, after)
    thread_id = world.review(review_id).thread_id
    with world.worker():
        world.wait_status(thread_id, "stuck")
        resolve(world.deps, world.cast["sam"], FORM, thread_id, choice="not_run", reason="looked it up")
        world.wait_status(thread_id, "idle")
    assert effects(folder) == ["acted on yes", "acted on yes"]
    assert world.review(review_id).status == "settled"
    assert world.queue() == []


@pytest.mark.parametrize("after", [False, True])
def test_giving_up_runs_nothing(folder: Path, worlds: Any, after: bool) -> None:
    world, review_id = killed_after_the_answer(folder, worlds, after)
    thread_id = world.review(review_id).thread_id
    with world.worker():
        world.wait_status(thread_id, "stuck")
        resolve(world.deps, world.cast["sam"], FORM, thread_id, choice="give_up", reason="nobody knows")
        world.wait_status(thread_id, "failed")
    assert effects(folder) == ["acted on yes"]
    assert world.review(review_id).status == "settled"
    assert world.queue() == []
