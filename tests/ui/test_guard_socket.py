"""What a raw socket.io client may make the server believe, or write: nothing but well-formed events."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from reflex.state import BaseState
from reflex_base.registry import RegistrationContext

from console.domain.ledger import Kind
from console.features.login.state import Login
from console.live import complaints, incoming
from console.live.incoming import COMPLAINT, ROOT, readable
from console.live.tab import Tab
from console.services import accounts, audit
from console.services.throttle import Throttle
from tests.services.world import World
from tests.ui.pipeline import Pipeline
from tests.ui.raw_socket import Opener, event, place, settled

FORGED = "x\n2026-11-30 21:00:00,000 ERROR console.live.guard: sam signed in\x1b[2J"
LOAD = f"{ROOT}.console___features___thread___state____thread.load"
LOGIN_LOAD = f"{ROOT}.console___features___login___state____login.load"
REFRESH = f"{ROOT}.console___features___queue___state____queue.refresh"


def last_denied(desk: World) -> dict[str, Any]:
    return audit.log(desk.deps, accounts.OPERATOR, kind=Kind.DENIED, limit=1).items[0].body


def forged_environ(cookie: str = "", token: str = "tab") -> dict[str, Any]:
    headers = [[b"cookie", cookie.encode()], [b"origin", b"http://evil.example"]]
    return {"QUERY_STRING": f"token={token}", "asgi.scope": {"headers": headers, "client": ["6.6.6.6", 1]}}


async def test_a_forged_connect_changes_neither_address_nor_cookie(
    opened: Opener, pipeline: Pipeline, desk: World
) -> None:
    mallory = await opened("mallory")
    await mallory.emit("connect", forged_environ(f"{accounts.COOKIE}={pipeline.sessions['sam']}"))
    await mallory.emit("event", event(REFRESH))
    await settled(pipeline)
    assert last_denied(desk)["address"] == "192.0.2.1"
    assert last_denied(desk)["actor"]["name"] == "mallory"


async def test_a_socket_opened_by_nobody_takes_on_no_cookie(opened: Opener, pipeline: Pipeline) -> None:
    socket = await opened()
    await socket.emit("connect", forged_environ(f"{accounts.COOKIE}={pipeline.sessions['sam']}"))
    await socket.emit("event", event(LOAD))
    await settled(pipeline)
    assert pipeline.asked_of("tab") == ["_redirect"]
    assert "refund_order" not in pipeline.sent_to("tab")


async def test_forged_connects_hold_no_more_tabs(opened: Opener, pages: Any) -> None:
    socket = await opened()
    for number in range(50):
        await socket.emit("connect", forged_environ(token=f"junk{number}"))
    assert set(pages.event_namespace._token_manager.token_to_socket) == {"tab"}


@pytest.mark.parametrize("name", ["disconnect", "connect", "ping", "client_error", "event2", "", None, 7, {}])
async def test_a_client_emits_events_and_nothing_else(
    name: Any, opened: Opener, pipeline: Pipeline, pages: Any, caplog: pytest.LogCaptureFixture
) -> None:
    socket = await opened()
    await socket.emit(name, {"error_type": FORGED, "message": FORGED})
    await socket.emit(name)
    # A disconnect is cleaned up after by a task of its own.
    await asyncio.sleep(0.05)
    assert caplog.messages == []
    assert pages.event_namespace.sid_to_token == {socket.sid: "tab"}
    assert not socket.closed
    await socket.emit("event", event(LOGIN_LOAD))
    await settled(pipeline)
    assert (await pipeline.state("tab", Login)).accounts


@pytest.mark.parametrize(
    "text",
    [
        "2/_event,{}",
        "2/_event,[]",
        '2/_event,["event"]',
        '2/_event,["event",{},{}]',
        '2/other,["event",{}]',
        '2["event",{}]',
        "2/_event,[",
        "2/_event,\x1b[2J\nFORGED",
        "x\nFORGED",
        "",
        "4/_event,1",
        "9",
        '5999-/_event,["event",{"_placeholder":true,"num":0}]',
        '3/_event,7["x"]',
    ],
)
async def test_a_malformed_packet_writes_one_line_of_ours_at_most(
    text: str, opened: Opener, caplog: pytest.LogCaptureFixture, pipeline: Pipeline
) -> None:
    pipeline.stumbles_expected = True
    socket = await opened()
    await socket.packet(text)
    assert all(record.name == "console.live.incoming" for record in caplog.records)
    assert [record for record in caplog.records if record.exc_info] == []
    assert "FORGED" not in caplog.text
    assert len(caplog.records) == int(socket.closed)


@pytest.mark.parametrize(
    ("query", "version"),
    [
        ("", ""),
        ("token=", ""),
        ("token=" + "a" * 65, ""),
        ("token=a%0AFORGED", ""),
        ("token=a%0AFORGED&token=tab", ""),
        ("token=tab", "0.10.1\x9b2J"),
        ("token=tab", "1" * 33),
    ],
)
async def test_a_socket_of_strange_form_is_refused_without_a_line(
    query: str, version: str, opened: Opener, pages: Any, caplog: pytest.LogCaptureFixture
) -> None:
    socket = await opened(query=query, version=version, auth={"event": event(f"{ROOT}.hydrate")})
    assert socket.sent[-1].startswith("4/_event,")
    assert pages.event_namespace.sid_to_token == {}
    assert caplog.messages == []


async def test_an_event_of_a_socket_without_a_tab_is_dropped_unlogged(
    opened: Opener, pages: Any, caplog: pytest.LogCaptureFixture
) -> None:
    socket = await opened()
    pages.event_namespace.sid_to_token.clear()
    await socket.emit("event", event(f"{ROOT}.hydrate", note=FORGED))
    assert caplog.messages == []


WRONG: list[Any] = [
    None,
    "text",
    [],
    {},
    {"name": 7},
    {"name": ["a"]},
    {"name": "unknown", "payload": {}},
    {"name": LOAD, "payload": []},
    {"name": LOAD, "payload": {"self": 1}},
    {"name": LOGIN_LOAD, "payload": {"x": FORGED}},
    {"name": LOAD, "payload": {}, "router_data": "x"},
    {"name": LOAD, "payload": {}, "router_data": {"query": []}},
    {"name": LOAD, "payload": {}, "router_data": {"query": {"ref": 7}}},
    {"name": LOAD, "payload": {}, "router_data": {"query": {"ref": [7]}}},
    {"name": LOAD, "payload": {}, "router_data": {"pathname": 7}},
    {"name": LOAD, "payload": {}, "router_data": {"asPath": ["/"]}},
    {"name": LOAD, "payload": {}, "router_data": {"asPath": "//["}},
    {"name": LOAD, "payload": {}, "router_data": {"asPath": "["}},
    {"name": LOAD, "payload": {}, "router_data": {"asPath": "/\ud800"}},
    event(f"{ROOT}.hydrate", value=1),
    event(f"{ROOT}.set_is_hydrated"),
    event(f"{ROOT}.set_is_hydrated", value="yes"),
    event(f"{ROOT}.set_is_hydrated", value=1),
    event(f"{ROOT}.set_is_hydrated", value={"a": [FORGED]}),
    event(f"{ROOT}.hydrate_and_load", vars={"nowhere.name": 1}),
    event(f"{ROOT}.hydrate_and_load", vars=[1]),
    event(f"{ROOT}.hydrate_and_load", hashes=7),
    event(f"{ROOT}.hydrate_and_load", hashes=[7]),
    event(COMPLAINT),
    event(COMPLAINT, info=7, component_stack=""),
    event(COMPLAINT, info="x", component_stack=None),
]


@pytest.mark.parametrize("data", WRONG)
async def test_what_no_page_sends_is_dropped_unlogged(
    data: Any, opened: Opener, pipeline: Pipeline, caplog: pytest.LogCaptureFixture
) -> None:
    socket = await opened()
    await socket.emit("event", data)
    await settled(pipeline)
    assert caplog.messages == []
    assert pipeline.deltas == []


@pytest.mark.parametrize(
    "data",
    [
        event(f"{ROOT}.hydrate"),
        event(f"{ROOT}.hydrate_and_load"),
        event(f"{ROOT}.hydrate_and_load", vars={}, hashes=["a", "b"]),
        event(f"{ROOT}.set_is_hydrated", value=True),
        event(LOAD),
        {"name": LOAD},
        {**event(LOAD), "router_data": {"pathname": "/threads/x", "query": {"ref": "x", "many": ["a", "b"]}}},
    ],
)
@pytest.mark.usefixtures("pages")
def test_what_pages_send_passes(data: dict[str, Any]) -> None:
    assert readable(data) == {"payload": {}, "router_data": {}, **data}


@pytest.mark.usefixtures("pages")
def test_what_an_event_says_about_its_connection_is_left_behind() -> None:
    said = {**place(), "headers": {"cookie": "x"}, "ip": "6.6.6.6", "token": "other", "sid": "other"}
    assert readable({**event(LOAD), "router_data": said, "substate": "x"}) == event(LOAD)


@pytest.mark.usefixtures("pages")
def test_every_framework_event_let_through_is_known_to_reflex() -> None:
    """A new version of Reflex that renames one, or its arguments, shows here."""
    known = RegistrationContext.ensure_context().event_handlers
    for name, kinds in incoming.FRAMEWORK.items():
        assert list(known[name].handler._parameters)[1:] == list(kinds), name


@pytest.mark.usefixtures("pages")
def test_no_state_of_ours_lives_in_the_browsers_storage() -> None:
    """`hydrate_and_load` may bring nothing from there; a state that does would need it."""
    todo, stored = [Tab.get_root_state()], []
    while todo:
        cls: type[BaseState] = todo.pop()
        todo += cls.get_substates()
        stored += [f"{cls.__name__}.{name}" for name in cls.base_vars if cls._is_client_storage(name)]
    assert stored == []


async def test_what_nobody_says_went_wrong_is_not_written(
    opened: Opener, pipeline: Pipeline, caplog: pytest.LogCaptureFixture
) -> None:
    socket = await opened()
    await socket.emit("event", event(COMPLAINT, info=FORGED, component_stack=""))
    await settled(pipeline)
    assert caplog.messages == []


async def test_what_a_person_says_went_wrong_is_one_short_line_and_rare(
    opened: Opener, pipeline: Pipeline, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.stumbles_expected = True
    monkeypatch.setattr(complaints, "_by_session", Throttle(burst=3, seconds=20))
    socket = await opened("sam")
    for _ in range(20):
        await socket.emit(
            "event", event(COMPLAINT, info=FORGED + "\u202e" + "A" * 100_000, component_stack="")
        )
    await settled(pipeline)
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("a page of sam failed: 'x\\n2026")
        assert line.isprintable()
        assert line.isascii()
        assert len(line) < 600
