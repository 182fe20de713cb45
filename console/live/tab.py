"""What every page of one browser tab shares: whose it is, the one notice, and what hinders everyone."""

from __future__ import annotations

import reflex as rx

from console.domain.access import Actor, Permission, Role, allows
from console.live.permit import guarded
from console.services import deps

# Who may read the whole log is told when its heads are not signed.
SEES_HEADS = frozenset(role.value for role in Role if allows(role, Permission.AUDIT_ALL))


class Tab(rx.State):
    """Only the guard writes the name and the role; `_owner` says for whom all other states were filled."""

    name: str = ""
    role: str = ""
    notice: str = ""
    notice_title: str = ""
    notice_tone: str = "gray"
    notice_number: int = 0
    banner: str = ""
    banner_title: str = ""
    unsigned: str = ""

    _owner: str = ""

    def _fill(self, actor: Actor | None, owner: str) -> None:
        self._owner = owner
        self.name = actor.name if actor else ""
        self.role = actor.role.value if actor else ""

    def _heed(self) -> None:
        """What hinders the console now; the guard asks before every event, so that no page stays behind."""
        now = deps.current()
        title, text = (now.trouble.heading, now.trouble.text) if now.trouble else ("", "")
        if (self.banner_title, self.banner) != (title, text):
            self.banner_title, self.banner = title, text
        unsigned = now.unsigned if self.role in SEES_HEADS else ""
        if self.unsigned != unsigned:
            self.unsigned = unsigned

    def _say(self, title: str, detail: str = "", tone: str = "gray") -> None:
        self.notice_title, self.notice, self.notice_tone = title, detail, tone
        self.notice_number += 1

    def _hush(self) -> None:
        self._say("")

    @guarded(Permission.SIGNED_IN)
    async def dismiss(self) -> None:
        self._hush()

    @guarded(Permission.SIGNED_IN)
    async def heed(self) -> None:
        """Called when something has begun or ceased to hinder; the guard has read it already."""
