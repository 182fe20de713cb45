"""The band on top of the log: how far a running check is, and what the last one found."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass
from typing import Any

import reflex as rx

from console.domain.access import Permission
from console.domain.ledger import Kind
from console.features import parse
from console.features.audit.check import CHECKS, Standing
from console.features.audit.verdict import Told, recorded, told
from console.features.drawn import stamp
from console.live.identity import acting
from console.live.permit import guarded
from console.live.tab import Tab
from console.services import audit, deps, verification
from console.services.audit_views import HeadView

LOOK_SECONDS = 0.25
WAYS = ("fast", "deep")


@dataclass(frozen=True)
class Running:
    way: str = ""
    by: str = ""
    done: str = "0"
    total: str = "0"
    percent: int = 0


@dataclass(frozen=True)
class Head:
    """The newest signed head; `size` is empty when nothing is signed yet."""

    size: str = ""
    words: str = ""
    signed_at: str = ""
    note: str = ""
    unsigned: int = 0


class Check(rx.State):
    """Filled only for those who see the whole log; `_looks` counts how often this tab began to follow."""

    running: bool = False
    head: Head = Head()
    progress: Running = Running()
    result: Told = Told()

    _looks: int = 0

    def _take(self, now: Standing) -> None:
        percent = now.done * 100 // now.total if now.total else 0
        way = "Deep check" if now.deep else "Fast check"
        self.running = now.running
        if now.running:
            self.progress = Running(way, now.by, f"{now.done:,}", f"{now.total:,}", percent)
        else:
            self.result = told(now)

    async def _arrive(self, *, follow: bool) -> Any:
        """For a page that opens, or hears of a change; `follow` for one that may follow a check that runs."""
        held, actor, now = deps.current(), acting(), CHECKS.now
        head = await asyncio.to_thread(audit.head, held, actor)
        self.head = Head() if head is None else _head(head)
        self._take(now)
        if not now.running and now.report is None and not now.problem:
            last = await asyncio.to_thread(audit.log, held, actor, kind=Kind.VERIFIED.value, limit=1)
            self.result = recorded(last.items[0]) if last.items else Told()
        return Check.follow if follow and now.running else None

    @guarded(Permission.AUDIT_EXPORT)
    async def start(self, way: Any) -> Any:
        deep, actor = parse.one_of(way, WAYS) == "deep", acting()
        work = functools.partial(_work, deps.current(), actor, deep)
        CHECKS.start(work, by=actor.name, deep=deep)
        self._take(CHECKS.now)
        return Check.follow

    @guarded(Permission.AUDIT_EXPORT, background=True)
    async def follow(self) -> None:
        """Until the check has ended, the tab is somebody else's, or a reload follows it anew."""
        async with self:
            owner = (await self.get_state(Tab))._owner
            self._looks += 1
            mine = self._looks
        running = True
        while running:
            now = CHECKS.now
            async with self:
                if mine != self._looks or (await self.get_state(Tab))._owner != owner:
                    return
                self._take(now)
            running = now.running
            await asyncio.sleep(LOOK_SECONDS if running else 0)


def _head(head: HeadView) -> Head:
    return Head(f"{head.size:,}", head.fingerprint, stamp(head.signed_at), head.note, head.unsigned)


def _work(held: deps.Deps, actor: Any, deep: bool, progress: Any) -> Any:
    return verification.run(held, actor, deep=deep, progress=progress)
