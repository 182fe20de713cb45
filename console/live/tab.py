"""What every page of one browser tab shares: whose it is, and the one notice."""

from __future__ import annotations

import reflex as rx

from console.domain.access import Actor, Permission
from console.live.permit import guarded


class Tab(rx.State):
    """Only the guard writes the name and the role; `_owner` says for whom all other states were filled."""

    name: str = ""
    role: str = ""
    notice: str = ""
    notice_title: str = ""
    notice_tone: str = "gray"
    notice_number: int = 0

    _owner: str = ""

    def _fill(self, actor: Actor | None, owner: str) -> None:
        self._owner = owner
        self.name = actor.name if actor else ""
        self.role = actor.role.value if actor else ""

    def _say(self, title: str, detail: str = "", tone: str = "gray") -> None:
        self.notice_title, self.notice, self.notice_tone = title, detail, tone
        self.notice_number += 1

    def _hush(self) -> None:
        self._say("")

    @guarded(Permission.SIGNED_IN)
    async def dismiss(self) -> None:
        self._hush()
