"""Every page with its route, in one place."""

from __future__ import annotations

import reflex as rx

from console.features.admin import page as admin
from console.features.admin.state import Admin
from console.features.audit import page as audit
from console.features.audit.state import Audit
from console.features.login import page as login
from console.features.login.state import Login
from console.features.queue.state import Queue
from console.features.thread import page as desk
from console.features.thread.state import Thread
from console.live.broadcast import BROADCASTER
from console.live.guard import Guard, drop_unknown_events
from console.live.tab import Tab
from console.ui import theme

# One static title: the pages put the number of waiting reviews in front of it themselves.
TITLE = "Review Console"


def register(app: rx.App) -> None:
    """Guard first: no page exists before what may be called on it is settled."""
    app.add_middleware(Guard())
    if app.event_namespace is not None:
        drop_unknown_events(app.event_namespace)
    BROADCASTER.bind(app)
    BROADCASTER.listen(
        queue=Queue.refresh,
        thread=Thread.refresh,
        draft=Thread.draft,
        audit=Audit.refresh,
        health=Tab.heed,
    )
    theme.install(app)
    app.add_page(desk.page, route="/", title=TITLE, on_load=Thread.load)
    app.add_page(desk.page, route="/threads/[ref]", title=TITLE, on_load=Thread.load)
    app.add_page(audit.page, route="/audit", title=TITLE, on_load=Audit.load)
    app.add_page(admin.page, route="/admin", title=TITLE, on_load=Admin.load)
    app.add_page(login.page, route="/login", title=TITLE, on_load=Login.load)
