"""Statements whose text is made once and handed straight to the driver.

SQLAlchemy spends more on one statement than SQLite does: it looks the statement up among the compiled ones,
makes a context and a result of it. What every decision says a dozen times is compiled here once for each
dialect, and then costs its parameters. It runs in the connection's transaction, whoever listens to its
engine hears of it, and what the driver refuses is raised as SQLAlchemy would raise it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Dialect, RowMapping, SelectBase, Table, UpdateBase, insert
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.exc import DBAPIError

Statement = SelectBase | UpdateBase
Values = Mapping[str, Any]
Process = Callable[[Any], Any]
# A row as the driver has it, but for the types that the columns give their values.
Row = tuple[Any, ...]


@dataclass(frozen=True)
class _Text:
    """`incoming` are the parameters in their order, `outgoing` the columns whose type changes their values;
    `constants` are the parameters said in the statement itself."""

    text: str
    by_place: bool
    incoming: Sequence[tuple[str, Process | None]]
    outgoing: Sequence[tuple[int, Process]]
    constants: Mapping[str, Any]
    columns: SimpleResultMetaData

    def parameters(self, values: Values) -> Any:
        given = {**self.constants, **values} if self.constants else values
        taken = [given[name] if process is None else process(given[name]) for name, process in self.incoming]
        if self.by_place:
            return tuple(taken)
        return {name: value for (name, _), value in zip(self.incoming, taken, strict=True)}

    def row(self, found: Row) -> Row:
        if not self.outgoing:
            return found
        changed = list(found)
        for at, process in self.outgoing:
            changed[at] = process(changed[at])
        return tuple(changed)


class Prepared:
    """A statement of SQLAlchemy's; a value of each `bindparam` is given whenever it runs.

    `columns` are those an INSERT without values of its own is to fill.
    """

    def __init__(self, statement: Statement, columns: Sequence[str] | None = None) -> None:
        self._statement, self._columns = statement, columns
        self._texts: dict[tuple[str, str], _Text] = {}

    def change(self, connection: Connection, values: Values) -> int:
        """How many rows it changed."""
        cursor = self._run(connection, self._text(connection.dialect), values)
        count = int(cursor.rowcount)
        cursor.close()
        return count

    def stored(self, connection: Connection, values: Values) -> list[Row]:
        """All rows as the driver has them: for lists so long that giving each value its type would tell."""
        cursor = self._run(connection, self._text(connection.dialect), values)
        found: list[Row] = cursor.fetchall()
        cursor.close()
        return found

    def all(self, connection: Connection, values: Values) -> list[Row]:
        found, text = self.stored(connection, values), self._text(connection.dialect)
        return [text.row(each) for each in found] if text.outgoing else found

    def first(self, connection: Connection, values: Values) -> Row | None:
        found = self.all(connection, values)
        return found[0] if found else None

    def value(self, connection: Connection, values: Values) -> Any:
        """The first column of the first row; None where there is no row."""
        found = self.first(connection, values)
        return found[0] if found else None

    def mappings(self, connection: Connection, values: Values) -> list[RowMapping]:
        found = self.all(connection, values)
        columns = self._text(connection.dialect).columns
        return list(IteratorResult(columns, iter(found)).mappings()) if found else []

    def mapping(self, connection: Connection, values: Values) -> RowMapping | None:
        """The first row, by the names of its columns."""
        found = self.mappings(connection, values)
        return found[0] if found else None

    def _run(self, connection: Connection, text: _Text, values: Values) -> Any:
        return run(connection, text.text, text.parameters(values))

    def _text(self, dialect: Dialect) -> _Text:
        key = (dialect.name, dialect.paramstyle)
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = _compiled(self._statement, dialect, self._columns)
        return found


def inserting(table: Table, *columns: str) -> Prepared:
    """A row of these columns; of all without."""
    return Prepared(insert(table), columns or [column.name for column in table.columns])


def run(connection: Connection, text: str, parameters: Any) -> Any:
    """The driver's cursor, after it ran `text` in the transaction of the connection."""
    if not connection.in_transaction():
        connection.begin()
    return say(connection, text, parameters)


def say(connection: Connection, text: str, parameters: Any = ()) -> Any:
    """`run` for what begins a transaction itself."""
    dialect, listening = connection.dialect, connection.engine.dispatch
    cursor = connection.connection.cursor()
    try:
        for heard in listening.before_cursor_execute:
            text, parameters = heard(connection, cursor, text, parameters, None, False)
        for instead in dialect.dispatch.do_execute:
            if instead(cursor, text, parameters, None):
                break
        else:
            cursor.execute(text, parameters)
        for heard in listening.after_cursor_execute:
            heard(connection, cursor, text, parameters, None, False)
    except dialect.loaded_dbapi.Error as wrong:
        cursor.close()
        base = dialect.loaded_dbapi.Error
        raise DBAPIError.instance(text, parameters, wrong, base, dialect=dialect) from wrong
    return cursor


def _compiled(statement: Statement, dialect: Dialect, columns: Sequence[str] | None) -> _Text:
    compiled: Any = statement.compile(dialect=dialect, column_keys=columns)
    bound: dict[str, Any] = compiled.binds
    by_place = compiled.positiontup is not None
    returned = statement.selected_columns if isinstance(statement, SelectBase) else statement.exported_columns
    selected = list(returned)
    processes = {
        name: each.type.dialect_impl(dialect).bind_processor(dialect) for name, each in bound.items()
    }
    outgoing = [
        (at, process)
        for at, column in enumerate(selected)
        if (process := column.type.dialect_impl(dialect).result_processor(dialect, None)) is not None
    ]
    return _Text(
        str(compiled),
        by_place,
        [(name, processes[name]) for name in (compiled.positiontup if by_place else bound)],
        outgoing,
        {name: each.effective_value for name, each in bound.items() if not each.required},
        SimpleResultMetaData([column.name for column in selected]),
    )
