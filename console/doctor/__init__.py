"""Questions a person asks before trusting an installation, answered without changing anything."""

from collections.abc import Iterator

from console.doctor import databases, files, packages, surface
from console.doctor.finding import Finding, Mark
from console.settings import Settings

__all__ = ["Finding", "Mark", "examine"]


def examine(settings: Settings) -> list[Finding]:
    """Every question, also after a bad answer: whoever mends things wants the whole list."""
    return list(_answers(settings))


def _answers(settings: Settings) -> Iterator[Finding]:
    yield from packages.answers()
    yield from surface.answers(settings)
    yield from files.answers(settings)
    yield from databases.answers(settings)
