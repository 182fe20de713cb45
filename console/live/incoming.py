"""What a socket may send at all, settled before Reflex sees it.

Reflex and its socket library take any event name for a handler of their own, `connect` and `disconnect`
included, and write what they do not understand into the log, whole, with the session cookie in it. Anyone
can open a socket, so nothing but well-formed events of known names gets as far as that. Names of Reflex and
python-socketio are used that hold for the pinned versions; tests/ui/test_guard_socket.py sees that they do.
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from reflex_base.registry import RegistrationContext

from console.domain.text import has_lone_surrogate
from console.live.pace import PACE

log = logging.getLogger(__name__)

EVENT = "event"
ROOT = "reflex___state____state"
COMPLAINT = f"{ROOT}.reflex___state____frontend_event_exception_state.handle_frontend_exception"
_ON_LOAD = f"{ROOT}.reflex___state____on_load_internal_state"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_VERSION = re.compile(r"[A-Za-z0-9.+-]{0,32}")


def _is_true_or_false(value: Any) -> bool:
    return isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_hashes(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(map(_is_text, value)))


def _is_nothing(value: Any) -> bool:
    """No state of ours lives in the browser's storage, so there is nothing to bring from there."""
    return value is None or value == {}


# What the framework's own events, which nobody has to be signed in for, may carry.
FRAMEWORK: Mapping[str, Mapping[str, Any]] = {
    f"{ROOT}.hydrate": {},
    f"{ROOT}.hydrate_and_load": {"vars": _is_nothing, "hashes": _is_hashes},
    f"{ROOT}.set_is_hydrated": {"value": _is_true_or_false},
    f"{_ON_LOAD}.on_load_internal": {},
    f"{_ON_LOAD}.set_is_hydrated": {"value": _is_true_or_false},
    COMPLAINT: {"info": _is_text, "component_stack": _is_text},
}


def drop_unknown_events(namespace: Any) -> None:
    """Let only events of known handlers through, with the arguments these take, from sockets with a tab.

    What comes faster than anyone clicks is dropped first, and unlogged.
    """
    on_event = namespace.on_event

    async def known_event(sid: str, data: Any) -> None:
        if sid not in namespace.sid_to_token or not PACE.take(sid, _address(namespace, sid)):
            return
        if (event := readable(data)) is not None:
            await on_event(sid, event)

    namespace.on_event = known_event


def _address(namespace: Any, sid: str) -> str:
    return str(namespace._static_router_data.get(sid, {}).get("ip", ""))


def readable(data: Any) -> dict[str, Any] | None:
    """The parts of an event that count; None when it is not one that a page of ours could have sent."""
    if not isinstance(data, dict) or not isinstance(name := data.get("name"), str):
        return None
    payload, place = data.get("payload", {}), data.get("router_data", {})
    known = RegistrationContext.ensure_context().event_handlers.get(name)
    if known is None or not _fits(known.handler, name, payload) or not _is_place(place):
        return None
    kept = {part: place[part] for part in ("pathname", "asPath", "query") if part in place}
    return {"name": name, "payload": payload, "router_data": kept}


def _fits(handler: Any, name: str, payload: Any) -> bool:
    if not isinstance(payload, dict):
        return False
    try:
        inspect.signature(handler.fn).bind(None, **payload)
    except TypeError:
        return False
    kinds = FRAMEWORK.get(name)
    return kinds is None or all(kinds[argument](value) for argument, value in payload.items())


def _is_place(place: Any) -> bool:
    """A path of this site with its query, as strings: Reflex parses them before it asks who sends them."""
    if not isinstance(place, dict) or not isinstance(query := place.get("query", {}), dict):
        return False
    paths = [place[part] for part in ("pathname", "asPath") if part in place]
    return all(map(_is_path, paths)) and all(_is_plain(key) and _is_value(query[key]) for key in query)


def _is_path(path: Any) -> bool:
    return _is_plain(path) and path.startswith("/") and not path.startswith("//")


def _is_value(value: Any) -> bool:
    return all(map(_is_plain, value)) if isinstance(value, list) else _is_plain(value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str) and not has_lone_surrogate(value)


def accept_only_events(namespace: Any) -> None:
    """Clients emit `event` and nothing else; `connect` and `disconnect` are the socket's own to say.

    The library's dispatcher serves real connects, too, so the filter sits where only clients' packets pass.
    """
    server = namespace.server
    handle_event = server._handle_event

    async def only_events(eio_sid: str, name: str | None, number: int | None, data: Any) -> None:
        if name == namespace.namespace and isinstance(data, list) and len(data) == 2 and data[0] == EVENT:
            await handle_event(eio_sid, name, number, data)

    async def only_readable(eio_sid: str, data: Any) -> None:
        try:
            await server._handle_eio_message(eio_sid, data)
        except Exception as error:
            # The library would write a trace for each, with what was sent.
            log.warning("a socket is closed: its message raised %s", type(error).__name__)
            await server.eio.disconnect(eio_sid)

    server._handle_event = only_events
    server.eio.on("message", only_readable)


def refuse_strange_sockets(namespace: Any) -> None:
    """The tab's token and the version are logged as they come, and the token is kept: both have a form."""
    on_connect = namespace.on_connect

    async def connect(sid: str, environ: Mapping[str, Any], auth: Any = None) -> Any:
        if not _is_tab(environ):
            return False
        return await on_connect(sid, environ, auth)

    namespace.on_connect = connect


def _is_tab(environ: Mapping[str, Any]) -> bool:
    # Read as Reflex reads it: of several tokens the first.
    tokens = parse_qs(str(environ.get("QUERY_STRING", ""))).get("token", [""])
    version = str(environ.get("HTTP_SEC_WEBSOCKET_PROTOCOL", ""))
    return bool(_TOKEN.fullmatch(tokens[0]) and _VERSION.fullmatch(version))
