"""The web app: settings -> parts -> pages. Reflex imports this module by name and wants `app` in it."""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import reflex as rx

# Else the first event with a dict in it imports SQLAlchemy and alembic in the web loop: all wait for 2 s.
import reflex.model

from console import __version__
from console.api.app import make_api
from console.features import pages
from console.live.broadcast import BROADCASTER
from console.live.complaints import report_page_failure
from console.live.guard import STRANGERS
from console.live.incoming import accept_only_events, refuse_strange_sockets
from console.live.outgoing import answer_only_who_asked
from console.services import deps, starts
from console.services.heads import Signer
from console.services.health import Health
from console.services.watch import Watch
from console.services.worker import Worker
from console.webconfig import active_settings

log = logging.getLogger("console")
# Fewer than the database has connections.
WAITING_THREADS = 32

closing_hooks: list[Callable[[], None]] = [BROADCASTER.close_streams]
"""Called before the server stops: whatever holds a response open (SSE) must end it, or the stop hangs."""


def report_failure(exception: Exception) -> None:
    """The person sees a notice of ours; the log gets the trace under an id that can be quoted."""
    log.error("event failed, id %s", uuid.uuid4().hex[:12], exc_info=exception)


@asynccontextmanager
async def lifespan() -> AsyncIterator[None]:
    """Ends its start before the port opens, and runs its end before the process does."""
    # Python's own has six threads on two cores: six people who wait for a locked database would be everyone.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(WAITING_THREADS, "waiting"))
    made = deps.current()
    worker = Worker(made) if made.settings.worker else None
    watch = Watch(made)
    signer = Signer(made)
    health = Health(made)
    server, process = made.settings.server, "serve" if worker is not None else "serve --no-worker"
    listens = f"{server.host}:{server.port}"
    started = await asyncio.to_thread(starts.started, made, process, __version__, listens)
    if worker is not None:
        await asyncio.to_thread(worker.start)
    watch.start()
    health.start()
    await asyncio.to_thread(signer.start)
    # Started here, its context holds no event of any tab.
    telling = asyncio.create_task(BROADCASTER.run())
    try:
        yield
    finally:
        telling.cancel()
        await STRANGERS.close()
        watch.stop()
        health.stop()
        if worker is not None:
            await asyncio.to_thread(worker.stop)
        await asyncio.to_thread(starts.stopped, made, process, started)
        # Last, so that the head covers what the stop itself wrote.
        await asyncio.to_thread(signer.stop)


app = rx.App(
    api_transformer=make_api(active_settings().server.allowed_origins),
    backend_exception_handler=report_failure,
    frontend_exception_handler=report_page_failure,
    head_components=[rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml")],
    html_lang="en",
    toaster=None,
)
pages.register(app)
if app.event_namespace is not None:
    accept_only_events(app.event_namespace)
    refuse_strange_sockets(app.event_namespace)
    answer_only_who_asked(app)
app.register_lifespan_task(lifespan)
