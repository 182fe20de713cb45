"""Which pane a small screen shows, and whether a new conversation is being written."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.domain.access import Permission
from console.features import parse
from console.live.permit import guarded

PANES = ("queue", "chat", "review")


class Desk(rx.State):
    pane: str = "queue"
    drawer: bool = False
    composing: bool = False

    @guarded(Permission.VIEW)
    async def show(self, pane: Any) -> None:
        self.pane = parse.one_of(pane, PANES)
        self.drawer = False

    @guarded(Permission.VIEW)
    async def toggle_drawer(self) -> None:
        self.drawer = not self.drawer

    @guarded(Permission.CHAT)
    async def compose(self) -> None:
        self.composing, self.drawer, self.pane = True, False, "chat"

    @guarded(Permission.VIEW)
    async def stop_composing(self) -> None:
        self.composing = False
