"""Verifying the log on a person's behalf: admins only, with progress, and the result is an entry itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from console.domain.access import Actor, Permission, require
from console.domain.ledger import Kind
from console.services import head_files
from console.services.changes import Change
from console.services.deps import Deps
from console.services.verify import Report, status_word, verify
from console.store import ledger
from console.store.engine import write

Progress = Callable[[int, int], None]


def nobody_looks(done: int, total: int) -> None:
    """For callers that show no progress."""


def run(deps: Deps, actor: Actor, *, deep: bool, progress: Progress = nobody_looks) -> Report:
    """Check every entry against the chain and the heads; `progress` gets (entries done, entries in all).

    The result is recorded as `verified`. The report covers what was there when it began.
    """
    require(actor, Permission.AUDIT_EXPORT)
    settings = deps.settings
    report = verify(
        Path(str(deps.engine.url.database)),
        head_files.files(settings),
        head_files.public_key_file(settings),
        deep=deep,
        progress=progress,
    )
    more = {
        "mode": "deep" if deep else "fast",
        "entries": report.entries,
        **({"first_bad": report.first_bad} if report.first_bad else {}),
        **({"reason": report.reason[:500]} if report.reason else {}),
    }
    with write(deps.engine) as connection:
        ledger.append(
            connection, ledger.Entry(Kind.VERIFIED, actor, outcome=status_word(report.status), more=more)
        )
    deps.changes.publish(Change("audit"))
    return report
