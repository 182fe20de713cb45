"""A look at a source before anybody has to rely on it, and a draft that was harmed in the file."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing

import pytest

from console.domain.errors import Unavailable
from console.services import drafts, sources
from console.sources.port import SourceError
from tests.services.scripted import Scripted
from tests.services.world import World


class Looked(Scripted):
    def not_loaded(self, most: int) -> dict[str, int]:
        return {"agent:Money": min(3, most)}


def test_a_source_that_can_be_read_tells_the_types_that_are_not_loaded(idle: World) -> None:
    idle.deps.sources = {"other": Looked("other")}
    assert sources.check(idle.deps, "other") == {"agent:Money": 3}


def test_a_source_without_its_agent_is_named_with_the_reason(idle: World) -> None:
    broken = Looked("other")
    broken.problem = "agent.py is not there"
    idle.deps.sources = {"other": broken}
    with pytest.raises(Unavailable, match=r"^sources\.other: agent\.py is not there$"):
        sources.check(idle.deps, "other")


def test_checkpoints_that_cannot_be_read_are_named_with_the_reason(idle: World) -> None:
    def fail() -> None:
        raise SourceError("file is not a database")

    idle.deps.sources = {"other": Looked("other", fails=fail)}
    with pytest.raises(Unavailable, match=r"^sources\.other: file is not a database$"):
        sources.check(idle.deps, "other")


def test_a_draft_that_was_harmed_is_none_and_can_be_written_anew(
    idle: World, caplog: pytest.LogCaptureFixture
) -> None:
    sam = idle.cast["sam"]
    with idle.worker():
        review = idle.pause("Refund A-2048 699")
    assert drafts.save(idle.deps, sam, review.id, review.version, {"v": 1})
    with closing(sqlite3.connect(idle.folder / "console.db")) as db, db:
        db.execute("UPDATE draft SET text = '{\"v\": '")
    with caplog.at_level(logging.WARNING):
        assert drafts.load(idle.deps, sam, review.id) is None
    assert f"the draft of sam for review {review.id} cannot be read" in caplog.text
    assert drafts.save(idle.deps, sam, review.id, review.version, {"v": 2})
    found = drafts.load(idle.deps, sam, review.id)
    assert found is not None
    assert found["v"] == 2
