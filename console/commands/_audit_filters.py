"""What narrows the log on the command line; the same as on the audit page."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from console.commands._options import WrongUse

Text = Annotated[
    str | None, typer.Option("--q", help="A number, the beginning of an id or a tool, a person, a word")
]
Kind = Annotated[str | None, typer.Option(help="Entries of one kind")]
Person = Annotated[str | None, typer.Option("--actor", help="Who acted, by name")]
Tool = Annotated[str | None, typer.Option(help="A tool's name")]
Thread = Annotated[str | None, typer.Option(help="A thread's id")]
Review = Annotated[str | None, typer.Option(help="A review's id")]
Verdict = Annotated[str | None, typer.Option(help="What was decided")]
Outcome = Annotated[str | None, typer.Option(help="What came of it")]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="At this time or later, RFC 3339")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Before this time")]


def filters(
    q: str | None,
    kind: str | None,
    actor: str | None,
    tool: str | None,
    thread: str | None,
    review: str | None,
    verdict: str | None,
    outcome: str | None,
    since: str | None,
    until: str | None,
) -> dict[str, Any]:
    return {
        "q": q,
        "kind": kind,
        "actor_name": actor,
        "tool": tool,
        "thread": thread,
        "review": review,
        "verdict": verdict,
        "outcome": outcome,
        "since": _time("--since", since),
        "until": _time("--until", until),
    }


def _time(option: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise WrongUse(f"{option} {text} is no time: write 2026-01-31 or 2026-01-31T10:00:00Z") from None
    # A time without a zone is UTC, as every time the console writes.
    return found if found.tzinfo else found.replace(tzinfo=UTC)
