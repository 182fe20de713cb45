"""No cookie, no token and no argument of an unknown event reaches a log, whatever the level."""

from __future__ import annotations

import logging

import pytest

from console.live.incoming import ROOT
from console.services import accounts
from tests.security.firing import Range, names
from tests.ui.raw_socket import event

MARK = "argument-of-mine"


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """As written: the message with its arguments, and the trace."""
    return "\n".join([caplog.text, *(repr(vars(record)) for record in caplog.records)])


@pytest.mark.parametrize("who", ["nobody", "mallory", "sam"])
async def test_what_a_socket_sends_is_in_no_log(
    there: Range, who: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await there.open(who)
    socket = there.sockets[who]
    for name in ("nothing", f"{ROOT}.nothing", MARK, f"{ROOT}.console___features___x.{MARK}"):
        await socket.emit("event", event(name, value=MARK))
        await socket.emit(name, {"value": MARK})
    for short in ("review.submit", "thread.say", "setvar", "hydrate_and_load", "admin.add"):
        await there.fire(who, names()[short], {MARK: MARK})
        await there.fire(who, names()[short], {"key": MARK, "form": {"text": 7, MARK: MARK}})
    await socket.emit("event", MARK)
    await socket.emit("event", [MARK])
    await socket.packet(f'2/_event,["event",{{"name":"{MARK}"')
    text = logged(caplog)
    assert MARK not in text
    assert accounts.COOKIE not in text
    for session in there.pipeline.sessions.values():
        assert session not in text


@pytest.mark.parametrize(
    "query", [f"token={MARK}%0Ax", f"token={'a' * 70}{MARK}", f"token=tab&token={MARK}%00", f"x={MARK}"]
)
async def test_what_a_socket_says_of_itself_is_in_no_log(
    there: Range, query: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await there.opened("sam", query=query, auth={"value": MARK}, version=f"{MARK}\x1b")
    assert MARK not in logged(caplog)
    assert there.pipeline.sessions["sam"] not in logged(caplog)
