"""What a reader of the log asks for, as the store searches it, within what the reader may see.

`q` is what a person types. It finds, by index: an entry by its number (`#123` or `123`); reviews and threads
by the beginning of their id (at least 4 characters); a tool by the beginning of its name; a person by name.
And it finds the requests that mention it, an order id for instance, among the newest 5,000 reviews.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from console.domain.access import Actor, Permission, allows
from console.domain.text import findable
from console.services.deps import Deps, visible_sources
from console.store import ledger_search, mentions
from console.store.engine import Connection
from console.store.ledger_search import Filter

NEWEST_REVIEWS, MOST_MATCHES, SHORTEST_ID, SHORTEST_WORD = 5_000, 20, 4, 3
LONGEST = 200
_NUMBER = re.compile(r"#?([0-9]{1,18})")


@dataclass(frozen=True)
class Asked:
    """The filters of page, REST and CLI alike; None leaves a thing out. Times are aware."""

    q: str | None = None
    kind: str | None = None
    actor_name: str | None = None
    tool: str | None = None
    thread: str | None = None
    review: str | None = None
    verdict: str | None = None
    outcome: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def texts(self) -> dict[str, str]:
        """All that was asked for, as it is written down."""
        times = {name: at.isoformat() for name in ("since", "until") if (at := getattr(self, name))}
        names = ("q", "kind", "actor_name", "tool", "thread", "review", "verdict", "outcome")
        return {name: text for name in names if (text := getattr(self, name)) is not None} | times

    @property
    def is_findable(self) -> bool:
        return findable(*self.texts.values())


def scope(deps: Deps, actor: Actor) -> list[str] | None:
    """Names of the sources whose entries the actor may see; None for all of them, on the command line."""
    return None if actor.via == "cli" else visible_sources(deps, actor)


def filter_of(connection: Connection, actor: Actor, asked: Asked) -> Filter:
    """Supervisors find their own acts and the outcomes of their own decisions, whatever they ask for."""
    seq, any_of = _typed(connection, asked.q.strip()) if asked.q and asked.q.strip() else (None, None)
    return Filter(
        kind=asked.kind,
        actor_name=asked.actor_name,
        tool=asked.tool,
        thread_id=asked.thread,
        review_id=asked.review,
        verdict=asked.verdict,
        outcome=asked.outcome,
        own_of=None if allows(actor.role, Permission.AUDIT_ALL) else actor.id,
        since=asked.since,
        until=asked.until,
        seq=seq,
        any_of=any_of,
    )


def _typed(connection: Connection, text: str) -> tuple[int | None, ledger_search.Either | None]:
    number = _NUMBER.fullmatch(text)
    if number and text.startswith("#"):
        return int(number[1]), None
    text = text[:LONGEST]
    found = [("actor_name", text)]
    if len(text) >= SHORTEST_ID:
        for name in ("review_id", "thread_id"):
            found += [
                (name, each) for each in ledger_search.beginning_with(connection, name, text, MOST_MATCHES)
            ]
    if len(text) >= SHORTEST_WORD:
        tools = ledger_search.beginning_with(connection, "tool", text, MOST_MATCHES)
        mentioned = mentions.reviews_mentioning(connection, text, NEWEST_REVIEWS, MOST_MATCHES)
        found += [("tool", each) for each in tools] + [("review_id", each) for each in mentioned]
    if number and len(found) == 1:
        return int(number[1]), None
    return None, tuple(dict.fromkeys(found))
