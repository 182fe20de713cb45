"""Reviews by what the agent said in them."""

from __future__ import annotations

import json

from sqlalchemy import Connection, and_, exists, func, literal_column, or_, select

from console.store.tables import Review

REVIEW = Review.__table__  # type: ignore[attr-defined]


def reviews_mentioning(connection: Connection, text: str, newest: int, most: int) -> list[str]:
    """Ids of those among the `newest` reviews whose request or conversation title holds the text.

    A request is what the agent said: arguments and description of each action, or the value it asked about.
    What the tool's schema says is the same in every review of that tool.
    """
    latest = (
        select(REVIEW.c.id, REVIEW.c.items_text, REVIEW.c.value_text, REVIEW.c.subject)
        .order_by(literal_column("review.rowid").desc())
        .limit(newest)
        .subquery()
    )
    item = func.json_each(latest.c.items_text).table_valued("value").alias("item")
    said = [func.json_extract(item.c.value, path) for path in ("$.args_text", "$.description")]
    in_items = and_(
        # Cheap, and true of all that hold it: an item is kept as ASCII JSON of its exact texts.
        or_(*(func.instr(latest.c.items_text, _as_json(form)) > 0 for form in _forms(text))),
        exists().where(or_(*(func.instr(each, form) > 0 for each in said for form in _forms(text)))),
    )
    holds = or_(
        func.instr(latest.c.subject, text) > 0,
        *(func.instr(latest.c.value_text, form) > 0 for form in _forms(text)),
        in_items,
    )
    return [str(each) for each in connection.execute(select(latest.c.id).where(holds).limit(most)).scalars()]


def _forms(text: str) -> list[str]:
    """As it is read, and as the exact texts of JSON hold it where that differs."""
    return list(dict.fromkeys([text, json.dumps(text, ensure_ascii=False)[1:-1], _as_json(text)]))


def _as_json(text: str) -> str:
    return json.dumps(text)[1:-1]
