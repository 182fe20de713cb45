"""A raw socket for each of the cast, and a look at everything that an event could have changed."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reflex_base.registry import RegistrationContext

from console.domain.review import Status, ThreadStatus
from console.features.thread.drafting import Saver
from console.features.thread.review_state import Review
from console.features.thread.ways_out_state import WaysOut
from console.live.incoming import ROOT
from console.store import reviews, threads
from console.store.engine import write
from tests.services.world import SUPPORT, World
from tests.ui.pipeline import Pipeline
from tests.ui.raw_socket import Opener, RawSocket, place, settled

PEOPLE = ("nobody", "mallory", "quinn", "sam", "sue", "ada")
IDLE = "idle-1"
TABLE = Path(__file__).with_name("surface.txt")
# What only an accident of ours would tell a client.
OURS = re.compile(r"Traceback|[A-Za-z]+(?:Error|Exception)\b|sqlalchemy|sqlite3|site-packages")
# That somebody looked, or was refused, is written down, and is no change of anything.
NOTED = ("denied", "viewed")


def names() -> dict[str, str]:
    """Short name -> full name of every event there is, Reflex's own included."""
    known = RegistrationContext.ensure_context().event_handlers
    # The product's: other tests add states of their own to the same registry.
    ours = [name for name in known if ".tests___" not in name]
    return {short(name): name for name in sorted(ours)}


def short(name: str) -> str:
    below = name.removeprefix(f"{ROOT}.")
    return ".".join(
        part.rsplit("____", 1)[-1].removeprefix("reflex___state____") for part in below.split(".")
    )


def arguments(name: str) -> list[str]:
    return list(RegistrationContext.ensure_context().event_handlers[name].handler._parameters)[1:]


def tables(file: Path) -> Iterator[tuple[str, Any]]:
    with closing(sqlite3.connect(file, timeout=30)) as db:
        found = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        for (name,) in found:
            if name not in ("ledger", "ledger_facet", "review_viewed"):
                yield from ((name, row) for row in db.execute(f'SELECT * FROM "{name}"'))
            elif name == "ledger":
                entries = [json.loads(body) for (body,) in db.execute("SELECT body FROM ledger ORDER BY seq")]
                for entry in entries:
                    if entry["kind"] not in NOTED:
                        yield name, sorted((key, str(entry[key])) for key in entry if key != "seq")


class Look:
    """A digest of every row of every database, but of what only says who looked or was refused."""

    def __init__(self, folder: Path) -> None:
        self._files = sorted(folder.glob("*.db"))
        self._open = [sqlite3.connect(file) for file in self._files]
        self._versions: list[int] = []
        self._digest = ""

    def now(self) -> str:
        """Read anew when something was written since."""
        versions = [int(db.execute("PRAGMA data_version").fetchone()[0]) for db in self._open]
        if versions != self._versions:
            found = hashlib.sha256()
            for file in self._files:
                for each in tables(file):
                    found.update(repr((file.name, each)).encode())
            self._versions, self._digest = versions, found.hexdigest()
        return self._digest

    def close(self) -> None:
        for db in self._open:
            db.close()


@dataclass
class Range:
    """`clean` holds the console's tables as they were; `restore` brings them back."""

    opened: Opener
    pipeline: Pipeline
    desk: World
    thread_id: str
    clean: Path
    look: Look
    saver: Saver
    token: str = ""
    let_in: int = 0
    sockets: dict[str, RawSocket] = field(default_factory=dict)

    def prepare(self) -> None:
        """A second thread to speak in, and a count of the events that reach Reflex."""
        enqueue = self.pipeline.processor.enqueue

        async def counting(token: str, event: Any, *more: Any) -> Any:
            self.let_in += 1
            return await enqueue(token, event, *more)

        self.pipeline.processor.enqueue = counting  # type: ignore[method-assign]
        with write(self.desk.deps.engine) as connection:
            threads.add(connection, SUPPORT, IDLE, ThreadStatus.IDLE, "hello", "sam")
        self._copy(self.database, self.clean)

    @property
    def database(self) -> Path:
        return self.desk.folder / "console.db"

    def restore(self) -> None:
        self._copy(self.clean, self.database)

    def _copy(self, source: Path, target: Path) -> None:
        with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
            read.backup(written)

    def denials(self) -> int:
        return int(self.desk.table("SELECT count(*) FROM ledger_facet WHERE kind = 'denied'")[0][0])

    async def open(self, who: str) -> None:
        self.sockets[who] = await self.opened(who, query=f"token=tab-{who}")

    async def fire(self, who: str, name: str, payload: Any, path: str = "/") -> None:
        await self.sockets[who].emit("event", {"name": name, "payload": payload, "router_data": place(path)})
        await settled(self.pipeline)
        await self.saved()

    async def saved(self) -> None:
        """What is saved a moment after a change is saved now, and not during the next event."""
        while self.saver._waiting:  # noqa: ASYNC110
            await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(self.saver._thread, int)

    async def load(self, who: str, path: str = "/") -> None:
        await self.fire(who, names()["thread.load"], {}, path)

    def told(self, who: str, since: int = 0) -> str:
        """Every frame that was sent to this person's socket, from the given one on."""
        return "\n".join(self.sockets[who].sent[since:])

    async def drawn(self, who: str) -> dict[str, Any]:
        """What the pages of this tab would send as arguments now."""
        tab = f"tab-{who}"
        review = await self.pipeline.state(tab, Review)
        ways = await self.pipeline.state(tab, WaysOut)
        return {
            "key": review.key,
            "doubt": ways.key,
            "review_id": review.id,
            "alarm": ways.alarm_review,
            "token": self.token,
            "users": {name: actor.id for name, actor in self.desk.cast.items()},
        }

    def stand(self, status: ThreadStatus) -> None:
        with write(self.desk.deps.engine) as connection:
            threads.move(connection, SUPPORT, self.thread_id, list(ThreadStatus), status, "it is uncertain")

    def alarm(self) -> None:
        (review,) = self.desk.reviews(self.thread_id)
        with write(self.desk.deps.engine) as connection:
            reviews.move(connection, review.id, [Status.OPEN], Status.MISMATCH, outcome="ran 2 times")


def table() -> dict[tuple[str, str], str]:
    """(person, short name of an event) -> its cell, as the file has it."""
    head, _, *lines = TABLE.read_text().splitlines()
    starts = [head.index(who) for who in PEOPLE]
    return {
        (who, line.split()[0]): line[start:].split()[0]
        for line in lines
        for who, start in zip(PEOPLE, starts, strict=True)
    }
