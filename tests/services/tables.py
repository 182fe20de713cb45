"""A console.db with its newest tables and the cast."""

from __future__ import annotations

from pathlib import Path

from console.services import accounts
from console.services.deps import Deps
from console.services.people import add_user
from console.settings import Settings
from console.store.engine import open_engine
from console.store.schema import upgrade
from tests.services.world import CAST


def make_tables(folder: Path) -> Path:
    made = Deps(Settings(data=folder, demo=True), open_engine(f"sqlite:///{folder / 'console.db'}"), {})
    upgrade(made.engine)
    for name, role in CAST.items():
        add_user(made, accounts.OPERATOR, name, role, accounts.DEMO_PASSWORD)
    made.engine.dispose()
    return folder / "console.db"
