"""The services' worlds, and the pages over a real database as in tests/ui, for attacks on them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console.features.thread import drafting, review_state, written_state
from console.live.pace import PACE
from console.services.tokens import create_token
from tests.security.firing import Look, Range
from tests.services.conftest import folder, fresh_throttles, tables, worlds
from tests.services.world import World
from tests.ui.conftest import answering, desk, opened, pipeline, template
from tests.ui.pipeline import Pipeline
from tests.ui.raw_socket import Opener

__all__ = [
    "answering",
    "desk",
    "folder",
    "fresh_throttles",
    "opened",
    "pipeline",
    "tables",
    "template",
    "worlds",
]


@pytest.fixture
def there(
    opened: Opener,
    answering: None,
    pipeline: Pipeline,
    desk: World,
    template: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Range]:
    # How many events a socket may send is looked at in test_floods_pace.
    monkeypatch.setattr(PACE, "take", lambda sid, address: True)
    pipeline.stumbles_expected = True  # what a page complains of is written down, and that is looked at here
    look, saver = Look(desk.folder), drafting.Saver()
    monkeypatch.setattr(drafting, "PAUSE", 0)
    for module in (review_state, written_state):
        monkeypatch.setattr(module, "SAVER", saver)
    made = Range(opened, pipeline, desk, template.thread_id, tmp_path / "clean.sqlite", look, saver)
    made.token = create_token(desk.deps, desk.cast["ada"], "quinn", "tests", "read")[0]
    made.prepare()
    yield made
    look.close()
