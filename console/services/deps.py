"""What every service is handed, put together once by the composition root."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from console.domain.access import Actor, Permission, require
from console.domain.errors import Unavailable
from console.domain.trouble import Trouble
from console.services.changes import Changes, Drafts
from console.settings import Settings
from console.sources.port import Source
from console.store import threads
from console.store.engine import Engine, read


def _nothing() -> None:
    return None


@dataclass
class Deps:
    """`wake` nudges this process's worker to look at the outbox now and not at its next turn.

    `trouble` is why no decision can be recorded at present, `unsigned` why the log's heads are not signed.
    """

    settings: Settings
    engine: Engine
    sources: Mapping[str, Source]
    changes: Changes = field(default_factory=Changes)
    drafts: Drafts = field(default_factory=Drafts)
    wake: Callable[[], None] = _nothing
    trouble: Trouble | None = None
    unsigned: str = ""


_installed: list[Deps] = []


def install(deps: Deps) -> None:
    """Make `deps` the ones that pages and routes of this process find."""
    _installed[:] = [deps]


def current() -> Deps:
    if not _installed:
        raise Unavailable("The console is still starting. Nothing was decided; try again in a moment.")
    return _installed[0]


def visible_sources(deps: Deps, actor: Actor) -> list[str]:
    """Names of the sources this person may see: the one place where `visible_to` is asked."""
    require(actor, Permission.VIEW)
    chosen = deps.settings.sources
    if actor.via == "cli":
        # Whoever runs commands on the data folder can read the database itself.
        with read(deps.engine) as connection:
            return threads.sources(connection)
    return [
        name
        for name in deps.sources
        if name not in chosen
        or chosen[name].visible_to is None
        or actor.name in (chosen[name].visible_to or ())
    ]
