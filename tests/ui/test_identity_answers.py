"""What one person's handler still has to say never reaches the next person in the same browser tab."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from reflex.state import StateUpdate

from console.domain.access import Actor
from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from console.live import identity
from console.live.outgoing import HEARER
from console.services import accounts, decide
from tests.services.world import World
from tests.ui.pipeline import Pipeline

Emitted = list[tuple[str, str]]
_NUMBERS = itertools.count()


@pytest.fixture
def emitted(pages: Any, answering: None, monkeypatch: pytest.MonkeyPatch) -> Emitted:
    """(sid, text) of everything the app itself sends out, by the way it really takes."""
    names, found = pages.event_namespace, []

    async def emit(name: str, update: Any, to: str) -> None:
        found.append((to, repr(update)))

    monkeypatch.setattr(names, "emit", emit)
    return found


def connect(pipeline: Pipeline, token: str, who: str) -> str:
    """The sid of the new socket that holds the tab from now on."""
    pipeline.connect(token, who)
    names: Any = pipeline.app.event_namespace
    # The pipeline counts open sockets; here some are gone.
    sid = f"sid-{next(_NUMBERS)}"
    names._static_router_data[sid] = names._static_router_data.pop(
        names._token_manager.token_to_socket[token].sid
    )
    owner = SimpleNamespace(sid=sid, instance_id=names._token_manager.instance_id)
    names._token_manager.token_to_socket[token] = owner
    return sid


def leave(pipeline: Pipeline, token: str) -> None:
    names: Any = pipeline.app.event_namespace
    names._static_router_data.pop(names._token_manager.token_to_socket.pop(token).sid)


def heard_by(sid: str, emitted: Emitted) -> str:
    return "\n".join(text for whose, text in emitted if whose == sid)


class Held:
    """A decision that waits in the middle, as over a locked database."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    async def has_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 10)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    gate, real = Held(), decide.decide

    def wait_first(*args: Any, **kwargs: Any) -> Any:
        gate.begun.set()
        assert gate.go_on.wait(20)
        return real(*args, **kwargs)

    monkeypatch.setattr(decide, "decide", wait_first)
    yield gate
    gate.go_on.set()


async def submitting(pipeline: Pipeline, token: str, held: Held) -> asyncio.Task[None]:
    """The person at the tab has decided on both actions, and the decision is under way."""
    await pipeline.send(token, Thread.load)
    key = (await pipeline.state(token, Review)).key
    for position in (0, 1):
        await pipeline.send(token, Review.choose, key=key, position=position, kind="reject")
    task = asyncio.create_task(pipeline.send(token, Review.submit, key=key))
    await held.has_begun()
    return task


@pytest.mark.parametrize("next_one", ["mallory", "nobody", "quinn", "sam"])
async def test_an_answer_that_comes_late_is_not_for_the_next_socket(
    next_one: str, pipeline: Pipeline, emitted: Emitted, held: Held, desk: World, template: Any
) -> None:
    """Also when it is the same person's: a socket that connects again reads everything anew."""
    connect(pipeline, "tab", "sue")
    late = await submitting(pipeline, "tab", held)
    leave(pipeline, "tab")
    sid = connect(pipeline, "tab", next_one)
    held.go_on.set()
    await late
    assert heard_by(sid, emitted) == ""
    # The decision itself was sue's, and stands.
    assert [review.decided_by for review in desk.reviews(template.thread_id)] == ["sue"]


async def test_the_next_person_then_reads_as_themselves(
    pipeline: Pipeline, emitted: Emitted, held: Held
) -> None:
    connect(pipeline, "tab", "sue")
    late = await submitting(pipeline, "tab", held)
    leave(pipeline, "tab")
    sid = connect(pipeline, "tab", "mallory")
    loading = asyncio.create_task(pipeline.send("tab", Thread.load))
    held.go_on.set()
    await asyncio.gather(late, loading)
    assert "mallory" in heard_by(sid, emitted)
    assert "sue" not in heard_by(sid, emitted)
    assert "refund_order" not in heard_by(sid, emitted)
    assert "Verdict recorded" not in heard_by(sid, emitted)


async def test_an_answer_is_not_for_a_session_that_ended_meanwhile(
    pipeline: Pipeline, emitted: Emitted, held: Held, desk: World
) -> None:
    connect(pipeline, "tab", "sue")
    late = await submitting(pipeline, "tab", held)
    accounts.sign_out(desk.deps, pipeline.sessions["sue"])
    emitted.clear()
    held.go_on.set()
    await late
    assert emitted == []


async def test_an_answer_is_not_for_a_socket_that_came_while_it_was_being_checked(
    pipeline: Pipeline, emitted: Emitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(pipeline, "tab", "sam")
    real = identity.actor_of
    asked = 0

    async def changes_hands(app: Any, token: str) -> Actor | None:
        nonlocal asked
        asked += 1
        found = await real(app, token)
        # First for the event itself, then for each of its answers.
        if asked == 2:
            leave(pipeline, "tab")
            connect(pipeline, "tab", "quinn")
        return found

    monkeypatch.setattr(identity, "actor_of", changes_hands)
    await pipeline.send("tab", Thread.load)
    assert asked >= 2
    # What is left to do on the tab is done as quinn, and quinn hears that alone.
    assert "'sam'" not in repr(emitted)
    assert "'supervisor'" not in repr(emitted)


async def test_whoever_stays_is_answered(pipeline: Pipeline, emitted: Emitted, held: Held) -> None:
    sid = connect(pipeline, "tab", "sue")
    late = await submitting(pipeline, "tab", held)
    held.go_on.set()
    await late
    assert "Verdict recorded" in heard_by(sid, emitted)
    assert {whose for whose, _ in emitted} == {sid}


async def test_a_tab_that_nobody_holds_is_sent_nothing_and_nothing_is_logged(
    pipeline: Pipeline, emitted: Emitted, held: Held, caplog: pytest.LogCaptureFixture
) -> None:
    connect(pipeline, "tab", "sue")
    late = await submitting(pipeline, "tab", held)
    leave(pipeline, "tab")
    emitted.clear()
    held.go_on.set()
    await late
    assert emitted == []
    assert caplog.messages == []


@pytest.mark.usefixtures("pipeline")
async def test_what_no_event_says_is_not_sent(pages: Any, pipeline: Pipeline, emitted: Emitted) -> None:
    connect(pipeline, "tab", "sam")
    HEARER.set(None)
    await pages.event_namespace.emit_update(update=StateUpdate(delta={"x": {"y": 1}}), token="tab")
    assert emitted == []
