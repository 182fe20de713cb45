"""When the console started and stopped, and whether it keeps other rules than at the start before.

A start without its stop is a process that ended by itself. A database that takes no entry stops neither.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from console.domain.access import GRANTS
from console.domain.ledger import Kind
from console.services.accounts import OPERATOR
from console.services.changes import Change
from console.services.deps import Deps
from console.settings import Settings
from console.store import ledger, ledger_search
from console.store.engine import Connection, write
from console.store.ledger_search import Filter

log = logging.getLogger("console.starts")
# A start waits for another writer a little, a stop hardly: it has seconds for all it does.
_START_MS, _STOP_MS = 5_000, 1_000
_NAMED = 20


def started(deps: Deps, process: str, version: str, listens: str = "") -> int:
    """Record it, and before it a change of the rules; the entry's number, 0 where it could not be written."""
    text = json.dumps(enforced(deps.settings), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    digest = sha256(text.encode()).hexdigest()
    more = {"process": process, "version": version, "listens": listens, "policy_digest": digest}
    try:
        with write(deps.engine, _START_MS) as connection:
            _record_rules(connection, text, digest)
            seq = ledger.append(connection, ledger.Entry(Kind.STARTED, OPERATOR, more=more))
    except Exception as wrong:
        log.exception("this start is not in the log (%s); all else goes on", type(wrong).__name__)
        return 0
    deps.changes.publish(Change("audit"))
    return seq


def stopped(deps: Deps, process: str, started_seq: int) -> None:
    """As the last thing before the last head is signed."""
    more = {"process": process, "started_seq": started_seq}
    try:
        with write(deps.engine, _STOP_MS) as connection:
            ledger.append(connection, ledger.Entry(Kind.STOPPED, OPERATOR, more=more))
    except Exception as wrong:
        log.exception("this stop is not in the log (%s)", type(wrong).__name__)


def _record_rules(connection: Connection, text: str, digest: str) -> None:
    """The rules themselves stand beside the log, so that the next change can be told by its paths."""
    rows = ledger_search.page(connection, Filter(kind=Kind.POLICY_CHANGED.value), None, 1)
    if rows and ledger.body_of(rows[0]).get("policy_digest") == digest:
        return
    if not rows:
        changed = "recorded for the first time"
    elif rows[0]["bytes_text"] is None:
        changed = "in what cannot be told, since the rules before were erased"
    else:
        changed = _named(json.loads(rows[0]["bytes_text"]), json.loads(text))
    more = {"changed": changed, "policy_digest": digest}
    ledger.append(connection, ledger.Entry(Kind.POLICY_CHANGED, OPERATOR, payload=text, more=more))


def _named(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    paths = sorted(path for path in {*before, *now} if before.get(path) != now.get(path))
    rest = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(path[:200] for path in paths[:_NAMED]) + rest


def enforced(settings: Settings) -> dict[str, Any]:
    """What decides who may do what, by its path in console.toml: no secret, and no agent's own settings."""
    found: dict[str, Any] = {"demo": settings.demo}
    for permission, roles in GRANTS.items():
        found[f"roles.{permission.value}"] = sorted(role.value for role in roles)
    for name, source in settings.sources.items():
        where = f"sources.{name}"
        found[f"{where}.graph"] = source.graph
        # An address may hold a name and a password.
        found[f"{where}.server"] = source.server and source.server.rsplit("@", 1)[-1]
        found[f"{where}.visible_to"] = None if source.visible_to is None else sorted(source.visible_to)
        found[f"{where}.msgpack_allow"] = sorted(source.msgpack_allow) or None
    if settings.oidc.issuer:
        found["oidc.issuer"], found["oidc.claim"] = settings.oidc.issuer, settings.oidc.claim
        # The first value that a person has counts, so that the order is part of it.
        found["oidc.roles"] = list(settings.oidc.roles.items())
    found |= _tools(settings)
    return {path: value for path, value in found.items() if value is not None}


def _tools(settings: Settings) -> Iterator[tuple[str, Any]]:
    for name, policy in settings.policy.tools.items():
        for key, value in policy.model_dump(mode="json", by_alias=True, exclude_unset=True).items():
            path = f"policy.tools.{name}.{key}"
            yield path, _digest(policy.args_schema) if key == "schema" and policy.args_schema else value


def _digest(file: Path) -> str:
    """A schema is changed by what stands in its file."""
    try:
        return sha256(file.read_bytes()).hexdigest()
    except OSError:
        return "not readable"
