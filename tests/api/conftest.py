"""The API over real services, real SQLite files and the demo agent paused before a refund.

Making that takes a second, so it is made once and its folder copied for each test. No worker runs:
what a verdict leads to afterwards is for other tests.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from console.api.app import make_api
from console.api.budget import Budget
from console.demo.agent import build
from console.domain.access import Role
from console.domain.ledger import Kind
from console.domain.review import ThreadStatus
from console.services import accounts, audit, deps, inbox
from console.services.deps import Deps
from console.services.observe import observe
from console.services.people import add_user
from console.services.throttle import Throttle
from console.services.tokens import create_token
from console.settings import Settings
from console.sources.local import Graph, LocalSource
from console.sources.port import Run
from console.store import threads
from console.store.engine import open_engine, write
from console.store.schema import upgrade

CAST = {
    "sam": Role.SUPERVISOR,
    "sue": Role.SUPERVISOR,
    "quinn": Role.QA,
    "ada": Role.ADMIN,
    "mallory": Role.NONE,
}
SOURCE, THREAD = "support", "thread-1"


class Quiet:
    """A journal and a sink that nobody reads."""

    def start(self, tool_call_id: str, name: str, args_text: str) -> int:
        return 1

    def end(self, run_id: int, ended: str, error: str) -> None:
        return None

    def token(self, text: str) -> None:
        return None

    def step(self) -> None:
        return None


def deps_in(folder: Path, graph: Graph) -> Deps:
    engine = open_engine(f"sqlite:///{folder / 'console.db'}")
    source = LocalSource(SOURCE, graph, folder / "checkpoints.db")
    return Deps(Settings(data=folder, demo=True), engine, {SOURCE: source})


@dataclass
class Template:
    folder: Path
    graph: Graph
    tokens: dict[str, str]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    folder = tmp_path_factory.mktemp("api")
    graph = build(folder / "shop.db", token_delay=0)
    made = deps_in(folder, graph)
    upgrade(made.engine)
    tokens = {}
    for name, role in CAST.items():
        add_user(made, accounts.OPERATOR, name, role, accounts.DEMO_PASSWORD)
        tokens[name] = create_token(made, accounts.OPERATOR, name, "tests")[1]
    asyncio.run(pause(made, THREAD, "Refund A-2048 699"))
    made.engine.dispose()
    return Template(folder, graph, tokens)


async def pause(made: Deps, thread_id: str, message: str) -> None:
    """What the worker does with a customer's message, as far as the pause."""
    source, quiet = made.sources[SOURCE], Quiet()
    with write(made.engine) as connection:
        threads.add(connection, SOURCE, thread_id, ThreadStatus.IDLE, message, "sam")
    await source.open()
    await source.run(Run(thread_id, message=message), quiet, quiet)
    await source.close()
    observe(made, SOURCE, thread_id)


@dataclass
class World:
    """`app` over `deps`; one review is open, of the thread `thread_ref`."""

    app: FastAPI
    deps: Deps
    tokens: Mapping[str, str]
    review_id: str
    digest: str
    thread_ref: str = THREAD

    def client(self, name: str) -> httpx.AsyncClient:
        """With the person's token; `nobody` has none."""
        token = self.tokens.get(name)
        return client_of(self.app, headers={"authorization": f"Bearer {token}"} if token else {})

    def limit_calls(self, burst: int) -> None:
        """By a clock that stands still: on a busy machine a bucket would fill again between two calls."""
        self.app = make_api(budget=Budget(burst=burst, clock=lambda: 0.0))

    def refusals(self) -> list[tuple[str, str, str]]:
        """(who, permission, what) of every refusal in the ledger, oldest first."""
        rows = audit.log(self.deps, accounts.OPERATOR, kind=Kind.DENIED).items
        return [(row.actor, row.body["permission"], row.body["what"]) for row in reversed(rows)]


@pytest.fixture(scope="session")
def api() -> FastAPI:
    """Without a budget that matters; it finds the world of each test by itself."""
    return make_api(budget=Budget(burst=1e6))


@pytest.fixture
def world(
    api: FastAPI, template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    for name in ("console.db", "checkpoints.db"):
        shutil.copy(template.folder / name, tmp_path / name)
    made = deps_in(tmp_path, template.graph)
    monkeypatch.setattr(deps, "_installed", [made])
    # Failed sign-ins of one test must not be held against the next.
    monkeypatch.setattr(accounts, "_by_user", Throttle(burst=8, seconds=15))
    monkeypatch.setattr(accounts, "_by_address", Throttle(burst=40, seconds=3))
    (row,) = inbox.queue(made, accounts.OPERATOR).items
    review = inbox.review(made, accounts.OPERATOR, row.id)
    yield World(api, made, template.tokens, review.id, review.digest)
    made.engine.dispose()


def client_of(app: Any, base_url: str = "http://console.test", **more: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, client=("192.0.2.1", 5000))
    return httpx.AsyncClient(transport=transport, base_url=base_url, **more)


def problem_of(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The body of a refusal, after checking what all refusals have in common."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    sent: dict[str, Any] = answer.json()
    assert {"type", "title", "status", "detail"} <= set(sent)
    assert sent["status"] == status
    assert all(sent[name] for name in ("type", "title", "detail"))
    return sent
