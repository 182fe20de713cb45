"""What a look at the agents and their checkpoints comes to, before anybody has to rely on them."""

from __future__ import annotations

from console.domain.errors import Unavailable
from console.services.deps import Deps
from console.sources.port import SourceError

# So many threads take some seconds to read; an agent's older ones hold the types of its newer ones.
THREADS = 5_000


def check(deps: Deps, name: str) -> dict[str, int]:
    """Types that the source's checkpoints hold and that are not loaded -> in how many threads.

    `Unavailable` when the agent or its checkpoints cannot be read.
    """
    source = deps.sources[name]
    if source.problem:
        raise Unavailable(f"sources.{name}: {source.problem}")
    try:
        source.snapshot("console-check-of-a-thread-that-is-not-there")
        return source.not_loaded(THREADS)
    except SourceError as problem:
        raise Unavailable(f"sources.{name}: {problem}") from problem
