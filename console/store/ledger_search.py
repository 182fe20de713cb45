"""Finding entries among a million: walks of the search indexes in the order of the numbers, never a sort.

An index on (column, seq) gives the entries of one value newest first. Several conditions walk the rarest one
and look the others up; when none is rare, the walks are intersected on the indexes alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, func, intersect, or_, select, union

from console.store import ledger_times
from console.store.ledger import FACET, LEDGER, PAYLOAD

# Up to here it is cheaper to look every row of a walk up than to intersect walks.
RARE = 5_000
_CHUNK = 1_001

Either = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Filter:
    """All that is set must hold. `any_of` are (column, value) pairs of which one must hold.

    `since` is included, `until` is not; both mean the entry's own time, whatever its number.
    """

    kind: str | None = None
    actor_name: str | None = None
    tool: str | None = None
    thread_id: str | None = None
    review_id: str | None = None
    verdict: str | None = None
    outcome: str | None = None
    own_of: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    seq: int | None = None
    any_of: Either | None = None

    @property
    def is_empty(self) -> bool:
        return self == Filter()


_EQUAL = ("kind", "actor_name", "tool", "thread_id", "review_id", "verdict", "outcome")


def page(
    connection: Connection,
    wanted: Filter,
    sources: Sequence[str] | None,
    limit: int,
    before: int | None = None,
) -> list[RowMapping]:
    """Entries before number `before`, newest first, without those of sources one may not see."""
    return rows_of(connection, seqs(connection, wanted, sources, limit, before))


def rows_of(connection: Connection, numbers: Sequence[int]) -> list[RowMapping]:
    """The entries of these numbers with their payloads, newest first."""
    query = (
        select(LEDGER.c.seq, LEDGER.c.body, LEDGER.c.prev, LEDGER.c.hash, PAYLOAD.c.bytes_text)
        .select_from(FACET.join(LEDGER, LEDGER.c.seq == FACET.c.seq))
        .outerjoin(PAYLOAD, PAYLOAD.c.id == FACET.c.payload_id)
        .where(FACET.c.seq.in_(numbers))
    )
    found = connection.execute(query).mappings().all() if numbers else []
    return sorted(found, key=lambda row: row["seq"], reverse=True)


def count(connection: Connection, wanted: Filter, sources: Sequence[str] | None, cap: int) -> int:
    """How many there are; `cap` + 1 stands for more than `cap`."""
    return len(seqs(connection, wanted, sources, cap + 1, None))


def seqs(
    connection: Connection,
    wanted: Filter,
    sources: Sequence[str] | None,
    limit: int,
    before: int | None,
) -> list[int]:
    """The numbers of the newest `limit` entries before number `before`. `sources` None means all."""
    low, high = _bounds(connection, wanted, before)
    if low > high:
        return []
    terms = _terms(wanted)
    rest = _visible(sources) + _times(wanted)
    if not terms:
        query = select(FACET.c.seq).where(_between(low, high), *rest)
        return _numbers(connection, query.order_by(FACET.c.seq.desc()).limit(limit))
    ranked = sorted((_weight(connection, term, low, high), at) for at, term in enumerate(terms))
    ordered = [terms[at] for _, at in ranked]
    single = [term for term in ordered if len(term) == 1]
    if ranked[0][0] <= RARE or len(single) < 2:
        first, *others = ordered
        return _numbers(connection, _walk(first, [*map(_holds, others), *rest], low, high, limit))
    other = [_holds(term) for term in ordered if len(term) > 1]
    return _intersected(connection, single, [*other, *rest], low, high, limit)


def _terms(wanted: Filter) -> list[Either]:
    terms: list[Either] = [
        ((name, value),) for name in _EQUAL if (value := getattr(wanted, name)) is not None
    ]
    if wanted.own_of is not None:
        terms.append((("actor_id", wanted.own_of), ("decided_by_id", wanted.own_of)))
    if wanted.any_of is not None:
        terms.append(wanted.any_of)
    return terms


def _weight(connection: Connection, term: Either, low: int, high: int) -> int:
    """How many entries a term has, counted on its index until that is more than rare."""
    found = 0
    for name, value in term:
        inner = (
            select(FACET.c.seq).where(FACET.c[name] == value, _between(low, high)).limit(RARE + 1).subquery()
        )
        found += int(connection.execute(select(func.count()).select_from(inner)).scalar_one())
    return found


def _walk(term: Either, rest: Sequence[Any], low: int, high: int, limit: int) -> Any:
    """One index walk for each alternative, merged by number; each stops as soon as the page is full."""
    arms = [
        select(FACET.c.seq).where(FACET.c[name] == value, _between(low, high), *rest) for name, value in term
    ]
    if len(arms) == 1:
        return arms[0].order_by(FACET.c.seq.desc()).limit(limit)
    return union(*arms).order_by(FACET.c.seq.desc()).limit(limit)


def _intersected(
    connection: Connection, terms: Sequence[Either], rest: Sequence[Any], low: int, high: int, limit: int
) -> list[int]:
    """Merge the walks on their indexes alone; look up only what all of them have."""
    found: list[int] = []
    while len(found) < limit:
        arms = [
            select(FACET.c.seq).where(FACET.c[name] == value, _between(low, high))
            for ((name, value),) in terms
        ]
        common = _numbers(connection, intersect(*arms).order_by(FACET.c.seq.desc()).limit(_CHUNK))
        kept = select(FACET.c.seq).where(FACET.c.seq.in_(common), *rest).order_by(FACET.c.seq.desc())
        found += _numbers(connection, kept) if common else []
        if len(common) < _CHUNK:
            break
        high = common[-1] - 1
    return found[:limit]


def _holds(term: Either) -> Any:
    """As a condition on a row that is there anyway: joined to nothing, a text takes no other index."""
    return or_(*(FACET.c[name].concat("") == value for name, value in term))


def _between(low: int, high: int) -> Any:
    return and_(FACET.c.seq >= low, FACET.c.seq <= high)


def _visible(sources: Sequence[str] | None) -> list[Any]:
    return [] if sources is None else [or_(FACET.c.source.is_(None), FACET.c.source.in_(sources))]


def _times(wanted: Filter) -> list[Any]:
    since = [FACET.c.at >= wanted.since] if wanted.since else []
    return since + ([FACET.c.at < wanted.until] if wanted.until else [])


def _bounds(connection: Connection, wanted: Filter, before: int | None) -> tuple[int, int]:
    """The numbers between which everything wanted lies."""
    size = int(connection.execute(select(func.coalesce(func.max(FACET.c.seq), 0))).scalar_one())
    low, high = ledger_times.bounds(connection, wanted.since, wanted.until, size)
    if before is not None:
        high = min(high, before - 1)
    if wanted.seq is not None:
        low, high = max(low, wanted.seq), min(high, wanted.seq)
    return low, high


def _numbers(connection: Connection, query: Any) -> list[int]:
    return [int(seq) for seq in connection.execute(query).scalars()]


def rows_after(
    connection: Connection,
    wanted: Filter,
    sources: Sequence[str] | None,
    after: int,
    through: int,
    limit: int,
) -> list[RowMapping]:
    """The next `limit` entries in the order they were written, from number `after` + 1 through `through`."""
    conditions = [_holds(term) for term in _terms(wanted)]
    if wanted.seq is not None:
        conditions.append(FACET.c.seq == wanted.seq)
    query = (
        select(LEDGER.c.seq, LEDGER.c.body, LEDGER.c.prev, LEDGER.c.hash)
        .select_from(FACET.join(LEDGER, LEDGER.c.seq == FACET.c.seq))
        .where(_between(after + 1, through), *conditions, *_visible(sources), *_times(wanted))
        .order_by(FACET.c.seq)
        .limit(limit)
    )
    return list(connection.execute(query).mappings())


def values(connection: Connection, name: str, sources: Sequence[str] | None, most: int) -> list[str]:
    """The first `most` different values of a search column, each found by one seek.

    A value is left out when none of its newest 200 entries is of a source one may see.
    """
    column = FACET.c[name]
    found: list[str] = []
    value = connection.execute(select(func.min(column)).where(column > "")).scalar_one()
    while value is not None and len(found) < most:
        if sources is None or _is_seen(connection, name, value, sources):
            found.append(str(value))
        value = connection.execute(select(func.min(column)).where(column > value)).scalar_one()
    return found


def _is_seen(connection: Connection, name: str, value: str, sources: Sequence[str]) -> bool:
    newest = (
        select(FACET.c.source)
        .where(FACET.c[name] == value)
        .order_by(FACET.c.seq.desc())
        .limit(200)
        .subquery()
    )
    seen = (
        select(newest.c.source).where(or_(newest.c.source.is_(None), newest.c.source.in_(sources))).limit(1)
    )
    return connection.execute(seen).first() is not None


def beginning_with(connection: Connection, name: str, prefix: str, most: int) -> list[str]:
    """The first `most` different values of a search column that begin with `prefix`."""
    column = FACET.c[name]
    found: list[str] = []
    value = connection.execute(select(func.min(column)).where(column >= prefix)).scalar_one()
    while value is not None and str(value).startswith(prefix) and len(found) < most:
        found.append(str(value))
        value = connection.execute(select(func.min(column)).where(column > value)).scalar_one()
    return found


def values_among(
    connection: Connection, name: str, wanted: Filter, sources: Sequence[str] | None, newest: int
) -> list[str]:
    """The different values of a search column among the newest entries wanted, in alphabetical order."""
    numbers = seqs(connection, wanted, sources, newest, None)
    query = select(FACET.c[name]).where(FACET.c.seq.in_(numbers), FACET.c[name].is_not(None)).distinct()
    return sorted(str(each) for each in connection.execute(query).scalars())
