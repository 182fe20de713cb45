"""The pages over a real database and the demo agent paused before a refund and an SMS, without a browser."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from console.live import guard
from console.live.refusals import REFUSALS
from console.live.strangers import Strangers
from console.services import accounts, deps
from console.services.people import add_user
from console.services.throttle import Throttle
from console.store.schema import upgrade
from tests.services.world import CAST, World, cast_of, demo_deps
from tests.ui.pipeline import Pipeline, open_pipeline, sign_in_all
from tests.ui.raw_socket import answering, opened

__all__ = ["answering", "opened"]

REQUEST = "Refund A-2048 699 and text the customer"


@dataclass(frozen=True)
class Template:
    folder: Path
    sessions: dict[str, str]
    thread_id: str


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    folder = tmp_path_factory.mktemp("ui")
    made = demo_deps(folder)
    upgrade(made.engine)
    for name, role in CAST.items():
        add_user(made, accounts.OPERATOR, name, role, accounts.DEMO_PASSWORD)
    world = World(made, folder, cast_of(made))
    with world.worker():
        thread_id = world.pause(REQUEST).thread_id
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "_by_user", Throttle(burst=100, seconds=1))
        patch.setattr(accounts, "_by_address", Throttle(burst=100, seconds=1))
        sessions = sign_in_all(made, list(CAST))
    made.engine.dispose()
    return Template(folder, sessions, thread_id)


@pytest.fixture
def desk(template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Its queue holds one review of two actions; nobody works."""
    shutil.copytree(template.folder, tmp_path, dirs_exist_ok=True)
    made = demo_deps(tmp_path)
    monkeypatch.setattr(deps, "_installed", [made])
    yield World(made, tmp_path, cast_of(made))
    made.engine.dispose()


@pytest_asyncio.fixture
async def pipeline(
    pages: Any,
    desk: World,
    template: Template,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> AsyncIterator[Pipeline]:
    """Ends with a failure when a handler raised what it should not, except where a test says so."""
    made = open_pipeline(pages, template.sessions)
    monkeypatch.setattr(pages, "_event_processor", made.processor, raising=False)
    monkeypatch.setattr(guard, "STRANGERS", Strangers(REFUSALS))
    async with made.processor:
        yield made
    names = pages.event_namespace
    names._token_manager.token_to_socket.clear()
    names._static_router_data.clear()
    assert not made.errors, made.errors
    if not made.stumbles_expected:
        assert [record for record in caplog.records if record.name.startswith("console.live")] == []
