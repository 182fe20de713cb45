"""What means something to SQL, to a shell or to a pattern is a text like any other, wherever it is sent."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from typing import Any
from urllib.parse import quote

import pytest

from console.sources.local import LocalSource
from tests.api.conftest import SOURCE, World, api, template, world

__all__ = ["api", "template", "world"]

HOSTILE = [
    "'",
    '"',
    "' OR '1'='1",
    "'; DROP TABLE review; --",
    "1) UNION SELECT token_digest FROM session --",
    "%",
    "_" * 8,
    "*",
    "a* OR thread_id:*",
    "NEAR(a b)",
    "\\",
    "?",
    ":name",
    "$.a') --",
    "a\x00b",
    "${jndi:x}",
    "$(id)",
    "../../etc/passwd",
    "{{7*7}}",
]


def places(app: Any) -> list[tuple[str, str]]:
    """(path with {} where a text goes, name of a parameter or nothing) of every GET route."""
    found = []
    for path, methods in app.router.routes[1].app.openapi()["paths"].items():
        if path.endswith("/export"):
            continue  # It writes an entry. Its parameters are those of the list.
        for each in methods.get("get", {}).get("parameters", []):
            if each["in"] in {"query", "path"}:
                found.append((path, each["name"] if each["in"] == "query" else ""))
    return sorted(set(found))


def contents(world: World) -> str:
    """A digest of what the console keeps, but not of when a token was last used."""
    found = hashlib.sha256()
    with closing(sqlite3.connect(world.deps.settings.data / "console.db")) as db:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in sorted(set(names) - {"api_token"}):
            found.update(repr((name, db.execute(f'SELECT * FROM "{name}"').fetchall())).encode())
    return found.hexdigest()


async def test_every_parameter_of_every_read_takes_it_as_a_text(world: World) -> None:
    asked = places(world.app)
    assert len(asked) > 20
    before = contents(world)
    async with world.client("ada") as client:
        for path, parameter in asked:
            for text in HOSTILE:
                given = {parameter: text} if parameter else {}
                filled = filled_in(path, world, "" if parameter else text)
                answer = await client.get(f"/api{filled}", params=given)
                assert answer.status_code in {200, 400, 404, 409, 422}, (path, parameter, text, answer.text)
                if answer.status_code == 200 and parameter in {"thread", "tool", "actor", "review"}:
                    assert answer.json()["items"] == [], (path, parameter, text)
    assert contents(world) == before


def filled_in(path: str, world: World, text: str) -> str:
    """Path parameters by what there is, or by the text."""
    known = {"{review_id}": world.review_id, "{ref}": world.thread_ref, "{seq}": "1"}
    for name, value in known.items():
        path = path.replace(name, quote(text, safe="") if text else value)
    while "{" in path:
        start, end = path.index("{"), path.index("}")
        path = path[:start] + quote(text or "x", safe="") + path[end + 1 :]
    return path


@pytest.mark.parametrize("text", HOSTILE)
def test_no_thread_is_found_by_it_in_the_checkpoints(world: World, text: str) -> None:
    source = world.deps.sources[SOURCE]
    assert isinstance(source, LocalSource)
    assert source.snapshot(text) is None
    assert source.stamp(text) == ""
    assert source.waiting([text]) == []
    assert source.absent([text]) == [text]
    assert [each.thread_id for each in source.waiting()] == ["thread-1"]
