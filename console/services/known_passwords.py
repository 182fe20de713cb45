"""Accounts that a demo left behind: their password is in the documentation."""

from __future__ import annotations

from collections.abc import Iterable

from console.services import accounts, credentials
from console.services.deps import Deps
from console.store import users
from console.store.engine import read

NAMES = tuple(account.name for account in accounts.DEMO)


def among(people: Iterable[tuple[str, str]]) -> list[str]:
    """The names of those, of (name, password hash), whose password is the demo's."""
    return [name for name, hashed in people if credentials.fits(accounts.DEMO_PASSWORD, hashed)]


def enabled(deps: Deps) -> list[str]:
    """The demo's accounts in this database that anybody could sign in to."""
    with read(deps.engine) as connection:
        rows = [users.by_name(connection, name) for name in NAMES]
    return among(
        (row["name"], row["password_hash"]) for row in rows if row is not None and row["disabled_at"] is None
    )
