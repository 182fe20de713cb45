"""The sign-in page knows the demo accounts and the identity provider, if there are any, and nothing else."""

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
    "sign-on": "That sign-in did not work. Try again, or use your name and password.",
    "provider": "The identity provider cannot be used at present. Name and password still work.",
    "busy": "The console cannot record a sign-in at present. Try again in a moment.",
}


@dataclass(frozen=True)
class Account:
    name: str
    role: str
    says: str


class Login(rx.State):
    accounts: list[Account] = []
    message: str = ""
    # What the button of the identity provider says; empty without one.
    provider: str = ""

    @guarded(Anyone.ANYONE)
    async def load(self) -> None:
        BROADCASTER.forget(self.router.session.client_token)
        failed = str(self.router.url.query_parameters.get("failed", ""))
        self.message = MESSAGES.get(failed, MESSAGES["1"]) if failed else ""
        chosen = deps.current().settings.oidc
        self.provider = f"Sign in with {chosen.label}" if chosen.issuer else ""
        offered = await asyncio.to_thread(accounts.demo_accounts, deps.current())
        self.accounts = [Account(each.name, each.role, each.says) for each in offered]
