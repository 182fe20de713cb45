"""One process, one port: pages, API and socket, started in an order that can refuse with one line."""

import asyncio
import errno
import os
import resource
import signal
import socket
from collections.abc import Awaitable, Callable
from contextlib import closing

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from console.api.connection import closes_unread
from console.api.headers import with_headers
from console.api.proxies import TrustedProxies
from console.compose import compose, refuse_known_passwords
from console.exposure import check_exposure
from console.seed import seed
from console.settings import ServerSettings, Settings
from console.settings_file import SettingsError
from console.webconfig import CLIENT, CSP_FILE, activate, install, make_config, prepare_serving

STOP_WITHIN_SECONDS = 8
# Open connections at once, each page's socket included. granian's own 128 would be a team with some tabs.
MOST_CONNECTIONS = 10_000
# What databases, files and threads need of the process's open files.
OTHER_FILES = 256
HEADER_MILLISECONDS = 15_000
SHOWN_ACCOUNTS = "Demo accounts (password: demo): sam and sue (supervisors), quinn (qa), ada (admin)"


class ServeError(Exception):
    """One line: the cause and its cure."""


def refuse_taken_port(host: str, port: int) -> None:
    """granian binds with SO_REUSEPORT: a second server would start and get half of the connections."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror as wrong:
        raise ServeError(f"the host {host} is not known ({wrong.strerror}): correct --host") from None
    except OSError as wrong:
        if wrong.errno == errno.EADDRINUSE:
            raise ServeError(f"port {port} on {host} is taken: choose another with --port") from None
        raise ServeError(f"port {port} on {host} cannot be opened: {wrong.strerror}") from None


def load(settings: Settings) -> ASGIApp:
    """The ASGI application. Only here is the app imported: after its settings and its configuration."""
    if not (CLIENT / "index.html").is_file():
        raise ServeError("the pages are not built: run `make run`, or `python -m console.build`")
    prepare_serving()
    install(make_config(settings.server.allowed_origins))
    activate(settings)
    from console.console import app

    # Outermost, since Reflex's own outer mount answers some broken paths before anything of ours sees them.
    return closes_unread(behind_proxies(with_headers(CSP_FILE)(app()), settings.server))


def behind_proxies(application: ASGIApp, server: ServerSettings) -> ASGIApp:
    try:
        return TrustedProxies(application, server.trusted_proxies)
    except ValueError as wrong:
        raise SettingsError(f"server.trusted_proxies: {wrong}: name addresses or networks") from None


def own_address(settings: Settings) -> str:
    server = settings.server
    name = "localhost" if server.on_loopback else server.host
    return f"{server.scheme}://{name}:{server.port}"


async def answers(server: ServerSettings) -> bool:
    """By /ping; under TLS an accepted connection has to do, since the certificate names another host."""
    try:
        reader, writer = await asyncio.open_connection(server.host, server.port)
    except OSError:
        return False
    with closing(writer):
        if server.scheme == "https":
            return True
        writer.write(b"GET /ping HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        return b" 200 " in await reader.readline()


async def announce(settings: Settings) -> None:
    """granian opens the port when the lifespan's start has ended; only an answer on it is called ready."""
    while not await answers(settings.server):  # noqa: ASYNC110 - the other end of a socket sets no event
        await asyncio.sleep(0.05)
    print(f"Review Console is ready on {own_address(settings)}", flush=True)
    if settings.demo:
        print(SHOWN_ACCOUNTS, flush=True)


class OpenSockets:
    """The application, with a list of its open websockets: granian does not end while one is open."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application
        self._open: set[Send] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._application(scope, receive, send)
            return

        async def send_while_open(message: Message) -> None:
            # The application says goodbye, too, when it sees ours; granian takes only one.
            if send in self._open:
                await send(message)

        self._open.add(send)
        try:
            await self._application(scope, receive, send_while_open)
        finally:
            self._open.discard(send)

    async def close_all(self) -> None:
        """ "Service restart": the pages then try to connect again until the next start."""
        sends, self._open = self._open, set()
        goodbye = {"type": "websocket.close", "code": 1012}
        await asyncio.gather(*(send(goodbye) for send in sends), return_exceptions=True)


def connections_at_once() -> int:
    """As many as the operating system lets this process have open, after asking for all that it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + OTHER_FILES
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(most - OTHER_FILES, 64)


def on_signals(close_all: Callable[[], Awaitable[None]], stop_server: Callable[[], None]) -> None:
    """First signal: end the open streams and sockets, then the server, within 8 s. Second: leave at once."""
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    async def stop() -> None:
        await close_all()
        stop_server()

    def on_signal() -> None:
        if stopping:
            os._exit(130)
        loop.call_later(STOP_WITHIN_SECONDS, os._exit, 1)
        stopping.append(loop.create_task(stop()))

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal)


async def run(application: ASGIApp, settings: Settings) -> None:
    from granian.constants import Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
    from granian.server.embed import Server

    from console.console import closing_hooks

    sockets = OpenSockets(application)
    server = Server(
        sockets,
        address=settings.server.host,
        port=settings.server.port,
        interface=Interfaces.ASGI,
        websockets=True,
        backlog=1024,
        backpressure=connections_at_once(),
        # A client that sends its headers drop by drop holds a connection for no longer than this.
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_MILLISECONDS),
        # Its one warning says that the embedded server is experimental, on every start.
        log_level=LogLevels.error,
        ssl_cert=settings.server.tls_cert,
        ssl_key=settings.server.tls_key,
    )

    async def close_all() -> None:
        for hook in closing_hooks:
            hook()
        await sockets.close_all()

    on_signals(close_all, server.stop)
    announcing = asyncio.create_task(announce(settings))
    try:
        await server.serve()
    finally:
        announcing.cancel()


def serve(settings: Settings) -> None:
    """Returns after Ctrl-C or SIGTERM, with the port free again."""
    check_exposure(settings)
    refuse_taken_port(settings.server.host, settings.server.port)
    made = compose(settings)
    refuse_known_passwords(made)
    seed(settings, made)
    asyncio.run(run(load(settings), settings))
    print("Review Console has stopped.", flush=True)


__all__ = ["ServeError", "SettingsError", "serve"]
