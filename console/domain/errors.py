"""Refusals that carry their reason as data, so that page, REST and CLI say the same thing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(frozen=True)
class Problem:
    """One thing wrong with an input: at which action (from 0), at which JSON pointer, and why."""

    message: str
    position: int | None = None
    pointer: str = ""


def pointer_of(key: object) -> str:
    """One step of an RFC 6901 pointer; half a character is spelled out, since it has no UTF-8 form."""
    text = str(key).encode("utf-8", "backslashreplace").decode()
    return "/" + text.replace("~", "~0").replace("/", "~1")


class ConsoleError(Exception):
    """Base of everything the console refuses. `detail` is a sentence for a person, with the cure."""

    status: ClassVar[int] = 500
    kind: ClassVar[str] = "error"
    title: ClassVar[str] = "Error"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class BadRequest(ConsoleError):
    """The request cannot be read at all: not JSON, a broken cursor, a header out of bounds."""

    status, kind, title = 400, "bad-request", "Bad request"


class Unauthenticated(ConsoleError):
    """Nobody is signed in, or the sign-in failed; the two sentences never say which part was wrong."""

    status, kind, title = 401, "unauthenticated", "Sign in first"


class Forbidden(ConsoleError):
    """The actor's role lacks the permission."""

    status, kind, title = 403, "forbidden", "Not allowed"

    def __init__(self, detail: str, permission: str = "") -> None:
        super().__init__(detail)
        self.permission = permission


class NotFound(ConsoleError):
    """There is no such object, or the actor may not know that there is one."""

    status, kind, title = 404, "not-found", "Not found"


class Conflict(ConsoleError):
    """Someone was first, or what was seen is no longer what is there."""

    status, kind, title = 409, "conflict", "Conflict"

    def __init__(
        self,
        detail: str,
        *,
        kind: str = "conflict",
        decided_by: str | None = None,
        decided_at: datetime | None = None,
        stale: bool = False,
    ) -> None:
        super().__init__(detail)
        self.reason = kind
        self.decided_by = decided_by
        self.decided_at = decided_at
        self.stale = stale


class Invalid(ConsoleError):
    """Readable, but wrong; every problem is named. Nothing was saved."""

    status, kind, title = 422, "invalid", "Invalid input"

    def __init__(self, problems: list[Problem], detail: str = "") -> None:
        super().__init__(detail or "; ".join(problem.message for problem in problems))
        self.problems = problems


class TooMany(ConsoleError):
    """A budget is used up; it refills after `retry_after` seconds."""

    status, kind, title = 429, "too-many", "Too many attempts"

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Unavailable(ConsoleError):
    """Something the console depends on does not answer; nothing was decided and nothing is lost."""

    status, kind, title = 503, "unavailable", "Not available"
