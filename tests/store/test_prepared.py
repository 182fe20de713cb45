"""A statement that goes straight to the driver does what it would do by way of SQLAlchemy."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import bindparam, event, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError, OperationalError

from console.domain.errors import Unavailable
from console.store.engine import Engine, read, write
from console.store.prepared import Prepared, inserting
from console.store.tables import Meta, Payload, ReviewViewed
from tests.services.faulty import faults

META, PAYLOAD = Meta.__table__, Payload.__table__  # type: ignore[attr-defined]
VIEWED = ReviewViewed.__table__  # type: ignore[attr-defined]
ADD = inserting(META)
FIND = Prepared(select(META.c.key, META.c.value).where(META.c.key == bindparam("its_key")))
NAMED = Prepared(select(META.c.value).where(META.c.key == "constant"))
RENAME = Prepared(update(META).where(META.c.key == bindparam("its_key")).values(value=bindparam("its_value")))


def test_what_it_writes_and_finds_is_in_the_transaction_of_its_connection(engine: Engine) -> None:
    with engine.begin() as connection:
        ADD.change(connection, {"key": "a", "value": "1"})
        assert FIND.first(connection, {"its_key": "a"}) == ("a", "1")
        connection.get_transaction().rollback()  # type: ignore[union-attr]
    with read(engine) as connection:
        assert FIND.first(connection, {"its_key": "a"}) is None
        assert FIND.mapping(connection, {"its_key": "a"}) is None
        assert FIND.value(connection, {"its_key": "a"}) is None


def test_rows_are_counted_found_and_named(engine: Engine) -> None:
    with write(engine) as connection:
        assert ADD.change(connection, {"key": "constant", "value": "1"}) == 1
        assert RENAME.change(connection, {"its_key": "constant", "its_value": "2"}) == 1
        assert RENAME.change(connection, {"its_key": "b", "its_value": "2"}) == 0
        assert NAMED.all(connection, {}) == [("2",)]
        found = FIND.mapping(connection, {"its_key": "constant"})
        assert found is not None
        assert dict(found) == {"key": "constant", "value": "2"}
        by_sqlalchemy = connection.execute(select(META).where(META.c.key == "constant")).mappings().one()
        assert found == by_sqlalchemy
        assert type(found) is type(by_sqlalchemy)


def test_times_and_bytes_come_back_as_they_were(engine: Engine) -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, 678901, UTC)
    with write(engine) as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        inserting(VIEWED).change(connection, {"review_id": "r", "version": 1, "actor_id": "a", "at": at})
        inserting(PAYLOAD).change(connection, {"id": "p", "salt": b"\x00\xff", "bytes_text": "ü"})
        assert Prepared(select(VIEWED.c.at)).value(connection, {}) == at
        assert connection.execute(select(VIEWED.c.at)).scalar_one() == at
        assert Prepared(select(PAYLOAD)).first(connection, {}) == ("p", b"\x00\xff", "ü")
        connection.exec_driver_sql("DELETE FROM review_viewed")


def test_what_a_change_returns_can_be_read(engine: Engine) -> None:
    with write(engine) as connection:
        ADD.change(connection, {"key": "a", "value": "1"})
        at = Prepared(update(META).where(META.c.key == "a").values(value="2").returning(META.c.value))
        assert at.value(connection, {}) == "2"


def test_a_value_that_is_missing_is_no_null(engine: Engine) -> None:
    with write(engine) as connection:
        with pytest.raises(KeyError, match="value"):
            ADD.change(connection, {"key": "a"})
        with pytest.raises(KeyError, match="its_key"):
            FIND.all(connection, {})


def test_what_the_driver_refuses_is_raised_as_sqlalchemy_raises_it(engine: Engine) -> None:
    with write(engine) as connection:
        ADD.change(connection, {"key": "a", "value": "1"})
        with pytest.raises(IntegrityError) as refused:
            ADD.change(connection, {"key": "a", "value": "1"})
    assert isinstance(refused.value.orig, sqlite3.IntegrityError)
    assert "INSERT INTO meta" in str(refused.value.statement)
    with (
        faults(engine, "SQLITE_FULL", 1) as found,
        pytest.raises(Unavailable) as told,
        write(engine) as connection,
    ):
        ADD.change(connection, {"key": "b", "value": "1"})
    assert isinstance(told.value.__cause__, OperationalError)
    assert found.seen == ["BEGIN IMMEDIATE", 'INSERT INTO meta ("key", value) VALUES (?, ?)']


def test_whoever_listens_to_the_engine_hears_of_it(engine: Engine) -> None:
    heard: list[Any] = []

    def before(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        heard.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", before)
    with write(engine) as connection:
        ADD.change(connection, {"key": "a", "value": "1"})
    event.remove(engine, "before_cursor_execute", before)
    with write(engine) as connection:
        ADD.change(connection, {"key": "b", "value": "1"})
    assert heard == [
        ("BEGIN IMMEDIATE", ()),
        ('INSERT INTO meta ("key", value) VALUES (?, ?)', ("a", "1")),
    ]


def test_a_connection_outside_a_transaction_begins_one(engine: Engine) -> None:
    with engine.connect() as connection:
        ADD.change(connection, {"key": "a", "value": "1"})
        assert connection.in_transaction()
        connection.rollback()
        assert FIND.first(connection, {"its_key": "a"}) is None


def test_a_driver_that_names_parameters_is_given_names() -> None:
    text = RENAME._text(postgresql.dialect(paramstyle="pyformat"))  # type: ignore[no-untyped-call]
    assert "%(its_key)s" in text.text
    given = text.parameters({"its_key": "a", "its_value": "1", "more": 2})
    assert given == {"its_key": "a", "its_value": "1"}
