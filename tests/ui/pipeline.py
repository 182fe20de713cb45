"""Events as a browser sends them, through Reflex's own processor and the guard, without a browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import reflex as rx
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken
from reflex_base.event import Event
from reflex_base.event.context import EventContext
from reflex_base.event.processor import BaseStateEventProcessor
from reflex_base.utils.format import format_event_handler

from console.services import accounts, deps


@dataclass
class Pipeline:
    """One server; each tab is a token with a socket, and each socket has the cookie it connected with."""

    app: rx.App
    processor: BaseStateEventProcessor
    manager: StateManagerMemory
    sessions: Mapping[str, str]
    deltas: list[tuple[str, Any]] = field(default_factory=list)
    events: list[tuple[str, str]] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    stumbles_expected: bool = False

    def connect(self, token: str, who: str) -> str:
        """`who` is one of the cast; nobody has no cookie."""
        session = self.sessions.get(who, "")
        cookie = f"{accounts.COOKIE}={session}" if session else ""
        return self.connect_with(token, cookie)

    def connect_with(self, token: str, cookie: str) -> str:
        names: Any = self.app.event_namespace
        sid = f"sid-{token}-{len(names._static_router_data)}"
        names._token_manager.token_to_socket[token] = SimpleNamespace(sid=sid)
        names._static_router_data[sid] = {"headers": {"cookie": cookie}, "ip": "127.0.0.1"}
        return token

    async def send(self, token: str, handler: Any, path: str = "/", **payload: Any) -> None:
        name = handler if isinstance(handler, str) else format_event_handler(handler)
        await self.run(token, Event(name=name, payload=payload, router_data=self.router(token, path)))

    async def run(self, token: str, event: Event) -> None:
        await (await self.processor.enqueue(token, event)).wait_all()

    def router(self, token: str, path: str) -> dict[str, Any]:
        names: Any = self.app.event_namespace
        known = names._static_router_data[names._token_manager.token_to_socket[token].sid]
        return {
            "pathname": path,
            "asPath": path,
            "query": {},
            "token": token,
            "sid": "s",
            "ip": "127.0.0.1",
            "headers": {**known["headers"], "origin": "http://localhost:3000"},
        }

    async def state(self, token: str, cls: type[Any]) -> Any:
        root = await self.manager.get_state(BaseStateToken(ident=token, cls=rx.State))
        return await root.get_state(cls)

    def sent_to(self, token: str) -> str:
        """Everything this tab was sent, as text."""
        return repr([delta for whose, delta in self.deltas if whose == token])

    def asked_of(self, token: str) -> list[str]:
        return [name for whose, name in self.events if whose == token]


def open_pipeline(app: rx.App, sessions: Mapping[str, str]) -> Pipeline:
    manager = StateManagerMemory()  # type: ignore[abstract]
    errors: list[Exception] = []
    processor = BaseStateEventProcessor(middleware=app, backend_exception_handler=errors.append)
    processor.configure(state_manager=manager)
    made = Pipeline(app, processor, manager, sessions, errors=errors)

    async def emit_delta(token: str, delta: Any) -> None:
        made.deltas.append((token, delta))

    async def emit_event(token: str, *events: Any) -> None:
        made.events.extend((token, event.name) for event in events)

    known: Any = processor._root_context
    processor._root_context = EventContext(
        token="",
        txid="",
        parent_txid=None,
        state_manager=known.state_manager,
        enqueue_impl=processor.enqueue_many,
        emit_delta_impl=emit_delta,
        emit_event_impl=emit_event,
    )
    return made


def sign_in_all(made: deps.Deps, names: list[str]) -> dict[str, str]:
    return {name: accounts.sign_in(made, name, accounts.DEMO_PASSWORD, "127.0.0.1").token for name in names}
