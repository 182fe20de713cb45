"""A database with the newest tables, and rows put straight into it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from console.domain.access import Actor, Role
from console.domain.review import Action, Kind, Pause, Pending
from console.store import reviews
from console.store.engine import Engine, open_engine, write
from console.store.schema import upgrade

SAM = Actor("id-sam", "sam", Role.SUPERVISOR)
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = open_engine(f"sqlite:///{tmp_path / 'console.db'}")
    upgrade(made)
    yield made
    made.dispose()


def pause_of(thread_id: str, *names: str, source: str = "support", checkpoint: str = "c1") -> Pause:
    """One review for each tool name."""
    pending = tuple(
        Pending(
            f"i{at}",
            Kind.APPROVAL,
            (Action(0, name, '{"n": 1}', "", ("approve", "reject"), "", f"call{at}"),),
        )
        for at, name in enumerate(names)
    )
    return Pause(source, thread_id, "", checkpoint, pending)


def open_reviews(engine: Engine, *names: str, thread_id: str = "t1", source: str = "support") -> list[str]:
    with write(engine) as connection:
        return reviews.open_pause(connection, pause_of(thread_id, *names, source=source), [""] * len(names))


def many_reviews(engine: Engine, count: int, **values: Any) -> list[str]:
    """Rows alike but for id and time; three share each instant, so that ties are common."""
    pause = pause_of("t", "refund_order")
    base = reviews.row_of("", pause, pause.pending[0], 0, "")
    rows: Sequence[dict[str, Any]] = [
        {
            **base,
            "id": uuid.uuid4().hex,
            "thread_id": f"thread-{number}",
            "group_key": f"g{number}",
            "opened_at": START + timedelta(seconds=number // 3),
            **values,
        }
        for number in range(count)
    ]
    with write(engine) as connection:
        connection.execute(insert(reviews.REVIEW), rows)
    return [row["id"] for row in sorted(rows, key=lambda row: (row["opened_at"], row["id"]))]
