"""The log takes the next link and nothing else, and every link can be recomputed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from console.domain.ledger import Kind
from console.store import ledger
from console.store.engine import Engine, open_engine, read, write
from console.store.schema import upgrade
from tests.store.conftest import SAM


@pytest.fixture
def log(engine: Engine) -> Engine:
    """Five entries, with and without a payload, with texts that are hard to keep."""
    with write(engine) as connection:
        for number in range(5):
            payload = json.dumps({"n": number}) if number % 2 else None
            more = {"reason": ["", "é", "\ud800", "\x00", "a\nb"][number], "n": number}
            ledger.append(
                connection, ledger.Entry(Kind.OPENED, SAM, review_id=f"r{number}", payload=payload, more=more)
            )
    return engine


def everything(engine: Engine) -> list[tuple[int, str, bytes, bytes]]:
    with read(engine) as connection:
        return [
            tuple(row)
            for row in connection.execute(text("SELECT seq, body, prev, hash FROM ledger ORDER BY seq"))
        ]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger SET body = '{}' WHERE seq = 3",
        "UPDATE ledger SET hash = x'00'",
        "UPDATE ledger SET prev = x'00' WHERE seq = 5",
        "UPDATE ledger SET seq = 9 WHERE seq = 5",
        "UPDATE OR REPLACE ledger SET seq = 1 WHERE seq = 5",
        "UPDATE ledger SET body = body WHERE seq = 1",
        "DELETE FROM ledger WHERE seq = 1",
        "DELETE FROM ledger WHERE seq = 5",
        "DELETE FROM ledger",
        "REPLACE INTO ledger SELECT seq, '{}', prev, hash FROM ledger WHERE seq = 3",
        "INSERT OR REPLACE INTO ledger SELECT seq, '{}', prev, hash FROM ledger WHERE seq = 5",
        "INSERT OR IGNORE INTO ledger SELECT 7, body, hash, hash FROM ledger WHERE seq = 5",
        "INSERT INTO ledger SELECT 7, body, hash, hash FROM ledger WHERE seq = 5",
        "INSERT INTO ledger SELECT 0, body, hash, hash FROM ledger WHERE seq = 5",
        "INSERT INTO ledger SELECT -1, body, hash, hash FROM ledger WHERE seq = 5",
        "INSERT INTO ledger SELECT 6, body, prev, hash FROM ledger WHERE seq = 5",
        "INSERT INTO ledger SELECT 6, body, NULL, hash FROM ledger WHERE seq = 5",
        "INSERT INTO ledger (body, prev, hash) SELECT body, prev, hash FROM ledger WHERE seq = 5",
    ],
)
def test_nothing_but_the_next_link_is_taken(log: Engine, statement: str) -> None:
    before = everything(log)
    with pytest.raises(DBAPIError, match=r"ledger|NOT NULL"), write(log) as connection:
        connection.execute(text(statement))
    assert everything(log) == before


def test_every_link_is_the_hash_of_its_entry_and_the_one_before(log: Engine) -> None:
    with read(log) as connection:
        install = ledger.install_id(connection)
    last = hashlib.sha256(f"review-console ledger v1{install}".encode()).digest()
    for number, (seq, body, prev, hashed) in enumerate(everything(log), start=1):
        assert (seq, prev) == (number, last)
        leaf = hashlib.sha256(b"\x00" + body.encode()).digest()
        last = hashlib.sha256(b"\x01" + prev + leaf).digest()
        assert hashed == last
        assert json.loads(body)["seq"] == seq


def test_a_body_is_canonical_and_commits_to_its_payload(log: Engine) -> None:
    with read(log) as connection:
        payloads = {
            row.id: (row.salt, row.bytes_text)
            for row in connection.execute(text("SELECT id, salt, bytes_text FROM payload"))
        }
    for _, body, _, _ in everything(log):
        entry = json.loads(body)
        again = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert again.encode("utf-8", "surrogatepass") == body.encode() or "\\ud800" in body
        if commit := entry.get("payload_commit"):
            salt, shown = payloads.pop(commit)
            assert hashlib.sha256(salt + shown.encode()).hexdigest() == commit
    assert payloads == {}


def test_two_installations_begin_with_different_links(log: Engine, tmp_path: Path) -> None:
    other = open_engine(f"sqlite:///{tmp_path / 'other.db'}")
    upgrade(other)
    with write(other) as connection:
        ledger.append(connection, ledger.Entry(Kind.OPENED, SAM))
    assert everything(other)[0][2] != everything(log)[0][2]
    other.dispose()


def test_the_facets_say_what_the_entries_say(log: Engine) -> None:
    with read(log) as connection:
        facets = connection.execute(
            text("SELECT seq, kind, actor_id, review_id FROM ledger_facet ORDER BY seq")
        ).all()
    entries = [json.loads(body) for _, body, _, _ in everything(log)]
    assert [tuple(row) for row in facets] == [
        (e["seq"], e["kind"], e["actor"]["id"], e["review_id"]) for e in entries
    ]


def test_an_entry_that_has_no_canonical_form_stops_the_transaction(log: Engine) -> None:
    before = everything(log)
    with pytest.raises(ValueError, match="canonical"):
        _half_a_transaction(log)
    assert everything(log) == before
    with read(log) as connection:
        assert connection.execute(text("SELECT count(*) FROM meta WHERE key = 'x'")).scalar_one() == 0


def _half_a_transaction(engine: Engine) -> None:
    with write(engine) as connection:
        connection.execute(text("INSERT INTO meta (key, value) VALUES ('x', 'y')"))
        ledger.append(connection, ledger.Entry(Kind.OPENED, SAM, more={"amount": 0.5}))
