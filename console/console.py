"""The web app: settings -> parts -> pages. Reflex imports this module by name and wants `app` in it."""

import logging
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import reflex as rx

# Else the first event with a dict in it imports SQLAlchemy and alembic in the web loop: all wait for 2 s.
import reflex.model

from console.api.headers import with_headers
from console.compose import compose
from console.webconfig import CSP_FILE, active_settings

log = logging.getLogger("console")

closing_hooks: list[Callable[[], None]] = []
"""Called before the server stops: whatever holds a response open (SSE) must end it, or the stop hangs."""


def report_failure(exception: Exception) -> None:
    """The person sees a notice of ours; the log gets the trace under an id that can be quoted."""
    log.error("event failed, id %s", uuid.uuid4().hex[:12], exc_info=exception)


def index() -> rx.Component:
    return rx.box(rx.heading("Review Console", size="5"), padding="6")


@asynccontextmanager
async def lifespan() -> AsyncIterator[None]:
    """Ends its start before the port opens, and runs its end before the process does."""
    compose(active_settings())
    yield


app = rx.App(
    api_transformer=[with_headers(CSP_FILE)],
    backend_exception_handler=report_failure,
    head_components=[rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml")],
    html_lang="en",
    toaster=None,
)
app.add_page(index, route="/", title="Review Console")
app.register_lifespan_task(lifespan)
