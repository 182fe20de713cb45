"""Whatever happens to a review in whatever order, the console is where a plain model of it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.services import observe
from tests.services.life import Life, live

# The rarer ones are for the long run: `python -m tests.faults.life` asks for every one of them.
COMMON = ("begins", "decides", "is_too_late", "cancels", "works", "ends settled")


def test_no_order_of_events_leads_the_console_astray(tables: Path) -> None:
    live(tables, 100, 20)
    assert [name for name in COMMON if not Life.happened[name]] == [], Life.happened


def test_the_model_notices_a_console_that_forgets_a_thread_that_moved_on(
    tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observe, "supersede", lambda *_, **__: False)
    with pytest.raises(AssertionError):
        live(tables, 100, 20)
