"""Appending to and reading from the ledger. Append only inside the transaction of what it records."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, delete, func, select

from console.domain.access import Actor
from console.domain.canonical import canonical
from console.domain.ledger import Kind, genesis, link, without_empty
from console.store.prepared import Prepared, inserting
from console.store.tables import Ledger, LedgerFacet, Meta, Payload

LEDGER, FACET, PAYLOAD = Ledger.__table__, LedgerFacet.__table__, Payload.__table__  # type: ignore[attr-defined]
_HEAD = Prepared(select(LEDGER.c.seq, LEDGER.c.hash).order_by(LEDGER.c.seq.desc()).limit(1))
_ADD_ENTRY, _ADD_FACET, _ADD_PAYLOAD = inserting(LEDGER), inserting(FACET), inserting(PAYLOAD)
_DELETE_PAYLOAD = Prepared(delete(PAYLOAD).where(PAYLOAD.c.id == bindparam("commit")))


@dataclass(frozen=True)
class Entry:
    """What happened. `payload` (exact JSON text) is kept beside the log and only committed to in it."""

    kind: Kind
    actor: Actor
    source: str | None = None
    thread_id: str | None = None
    review_id: str | None = None
    tool: str | None = None
    verdict: str | None = None
    outcome: str | None = None
    decided_by_id: str | None = None
    payload: str | None = None
    more: Mapping[str, Any] | None = None


def append(connection: Connection, entry: Entry) -> int:
    """Write the entry as the next link and return its number.

    On SQLite the caller's IMMEDIATE transaction keeps two writers from reading the same head.
    """
    head = _HEAD.first(connection, {})
    seq, prev = (head[0] + 1, head[1]) if head else (1, genesis(install_id(connection)))
    at = datetime.now(UTC)
    commit = _commit_payload(connection, entry.payload)
    body = canonical(_body(seq, at, entry, commit))
    row = {"seq": seq, "body": body.decode(), "prev": prev, "hash": link(prev, body)}
    _ADD_ENTRY.change(connection, row)
    facet = {
        "seq": seq,
        "at": at,
        "kind": entry.kind.value,
        "actor_id": entry.actor.id,
        "actor_name": entry.actor.name,
        "tool": entry.tool,
        "source": entry.source,
        "thread_id": entry.thread_id,
        "review_id": entry.review_id,
        "decided_by_id": entry.decided_by_id,
        "verdict": entry.verdict,
        "outcome": entry.outcome,
        "payload_id": commit,
    }
    _ADD_FACET.change(connection, facet)
    return seq


def _body(seq: int, at: datetime, entry: Entry, commit: str | None) -> dict[str, Any]:
    actor = entry.actor
    return without_empty(
        {
            "v": 1,
            "seq": seq,
            "at": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "kind": entry.kind.value,
            "actor": without_empty(
                {
                    "id": actor.id,
                    "name": actor.name,
                    "role": actor.role.value,
                    "session_digest": actor.session_digest,
                }
            ),
            "via": actor.via,
            "source": entry.source,
            "thread_id": entry.thread_id,
            "review_id": entry.review_id,
            "tool": entry.tool,
            "verdict": entry.verdict,
            "outcome": entry.outcome,
            "payload_commit": commit,
            **(entry.more or {}),
        }
    )


def _commit_payload(connection: Connection, text: str | None) -> str | None:
    if text is None:
        return None
    salt = secrets.token_bytes(16)
    commit = hashlib.sha256(salt + text.encode()).hexdigest()
    _ADD_PAYLOAD.change(connection, {"id": commit, "salt": salt, "bytes_text": text})
    return commit


def delete_payload(connection: Connection, commit: str) -> bool:
    """False when it is gone already. The entry that commits to it stays as it is."""
    return _DELETE_PAYLOAD.change(connection, {"commit": commit}) == 1


def install_id(connection: Connection) -> str:
    """Random, made with the tables; it makes the first link of every installation different."""
    meta = Meta.__table__  # type: ignore[attr-defined]
    return str(connection.execute(select(meta.c.value).where(meta.c.key == "install_id")).scalar_one())


def size(connection: Connection) -> int:
    """How many entries there are: numbers have no gaps, a trigger sees to it."""
    return int(connection.execute(select(func.coalesce(func.max(LEDGER.c.seq), 0))).scalar_one())


def bodies(connection: Connection, after: int, limit: int) -> list[bytes]:
    """The bytes that are chained, in order, from entry `after` + 1."""
    query = select(LEDGER.c.body).where(LEDGER.c.seq > after).order_by(LEDGER.c.seq).limit(limit)
    return [body.encode() for body in connection.execute(query).scalars()]


def body_of(row: RowMapping) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(row["body"])
    return found
