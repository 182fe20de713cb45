"""The sign-in page knows the demo accounts, when there are any, and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import reflex as rx

from console.live.broadcast import BROADCASTER
from console.live.permit import Anyone, guarded
from console.services import accounts, deps

MESSAGES = {
    "1": "Name or password is wrong.",
    "throttled": "Too many attempts. Wait a minute, then try again.",
    "out": "You are signed out.",
}


@dataclass(frozen=True)
class Account:
    name: str
    role: str
    says: str


class Login(rx.State):
    accounts: list[Account] = []
    message: str = ""

    @guarded(Anyone.ANYONE)
    async def load(self) -> None:
        BROADCASTER.forget(self.router.session.client_token)
        failed = str(self.router.url.query_parameters.get("failed", ""))
        self.message = MESSAGES.get(failed, MESSAGES["1"]) if failed else ""
        offered = await asyncio.to_thread(accounts.demo_accounts, deps.current())
        self.accounts = [Account(each.name, each.role, each.says) for each in offered]
