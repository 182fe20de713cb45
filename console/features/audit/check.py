"""The check of the log that runs, or ran last, in this process.

One at a time, whoever started it; it goes on when its page is left.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from console.domain.errors import Conflict, ConsoleError
from console.services.verify import Report

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
Work = Callable[[Progress], Report]


@dataclass(frozen=True)
class Standing:
    """`turn` counts the checks of this process. Of one that ended either `report` or `problem` is there."""

    turn: int = 0
    running: bool = False
    deep: bool = False
    by: str = ""
    done: int = 0
    total: int = 0
    ended_at: datetime | None = None
    report: Report | None = None
    problem: str = ""


class Checks:
    """Each check has a thread of its own, so that neither the pages nor their services wait for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = Standing()

    @property
    def now(self) -> Standing:
        return self._now

    def start(self, work: Work, *, by: str, deep: bool) -> None:
        """`Conflict` while another check runs."""
        with self._lock:
            if self._now.running:
                raise Conflict(f"{self._now.by} started a check already; its result comes here, too.")
            self._now = Standing(self._now.turn + 1, running=True, deep=deep, by=by)
        threading.Thread(target=self._run, args=(work,), name="check of the log", daemon=True).start()

    def _run(self, work: Work) -> None:
        report, problem = None, ""
        try:
            report = work(self._progress)
        except ConsoleError as error:
            problem = error.detail
        except Exception:
            code = secrets.token_hex(4)
            log.exception("error %s in a check of the log", code)
            problem = f"The check stopped with error {code}, also in the server's log. It proved nothing."
        self._now = replace(
            self._now, running=False, report=report, problem=problem, ended_at=datetime.now(UTC)
        )

    def _progress(self, done: int, total: int) -> None:
        self._now = replace(self._now, done=done, total=total)


CHECKS = Checks()
