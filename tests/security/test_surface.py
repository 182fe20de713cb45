"""Every event there is, as everyone of the cast: who may call what is measured, and is a file.

The file is written anew by

    SURFACE=write .venv/bin/python -m pytest tests/security/test_surface.py

and what changed in it is then read like code. Its cells: `acts` (let through, and something is different
afterwards), `runs` (let through; nothing that is kept is different), `refused` (and written down; nobody is
sent to sign in), `dropped` (never reaches a state).
"""

from __future__ import annotations

import os

import pytest

from console.live import guard
from console.live.refusals import REFUSALS
from console.live.strangers import Strangers
from tests.security.acts import ACTS, Act, act
from tests.security.firing import OURS, PEOPLE, TABLE, Range, arguments, names

REFUSED = ("refused", "dropped")


async def cell(there: Range, who: str, short: str, name: str, act: Act) -> str:
    """Fires one event as one person, in a world made for it, and says what came of it."""
    if act.world is not None:
        act.world(there)
    if act.world is not None or act.path != "/":
        await there.load(who, act.path)
    for first, payload in act.first:
        await there.fire(who, names()[first], payload(await there.drawn(who)))
    payload = act.payload(await there.drawn(who))
    guard.STRANGERS = Strangers(REFUSALS)
    frames = len(there.sockets[who].sent)
    before, denials = there.look.now(), there.denials()
    let_in = there.let_in
    await there.fire(who, name, payload, act.path)
    changed, denied = there.look.now() != before, there.denials() - denials
    sent_away = "_redirect" in there.told(who, frames)
    if there.let_in == let_in:
        found = "dropped"
    elif denied:
        found = "refused"
    else:
        found = "acts" if changed else "runs"
    assert not (changed and found in REFUSED), (who, short, found)
    assert sent_away or (who, found) != ("nobody", "refused"), short
    if changed or act.world is not None or act.first or act.path != "/":
        there.restore()
        await there.load(who)
    return found


async def column(there: Range, who: str) -> list[str]:
    await there.open(who)
    await there.load(who)
    return [
        await cell(there, who, short, name, act(short, arguments(name))) for short, name in names().items()
    ]


def drawn(columns: dict[str, list[str]]) -> str:
    head = f"{'event':<64}{'arguments':<32}{'needs':<14}" + "".join(f"{who:<9}" for who in PEOPLE)
    lines = [head.rstrip(), "-" * len(head.rstrip())]
    for at, (short, name) in enumerate(names().items()):
        need = guard.need_of(name)
        said = "reflex" if name in guard.FRAMEWORK else (need.value if need else "undeclared")
        cells = "".join(f"{columns[who][at]:<9}" for who in PEOPLE)
        lines.append(f"{short:<64}{' '.join(arguments(name)):<32}{said:<14}{cells}".rstrip())
    return "\n".join(lines) + "\n"


async def test_who_may_call_what_is_what_the_file_says(there: Range) -> None:
    """Over the socket, with payloads that do something where they are let through."""
    found = drawn({who: await column(there, who) for who in PEOPLE})
    if os.environ.get("SURFACE") == "write":
        TABLE.write_text(found)
    assert found == TABLE.read_text()
    for who in PEOPLE:
        assert OURS.findall(there.told(who)) == []


@pytest.mark.usefixtures("pages")
def test_every_act_is_of_an_event_that_there_is() -> None:
    assert set(ACTS) - set(names()) == set()
