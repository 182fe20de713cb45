"""Every entry parsed and compared with the tables that stand beside the log.

Only the first thing that is wrong is kept; a broken chain or a cut log is the graver finding and named first.
"""

from __future__ import annotations

import json
from typing import Any

from console.domain.canonical import canonical, sha256
from console.domain.ledger import ENDS, Kind
from console.store.ledger_file import Facet, LedgerFile, Said

_LARGEST = 2**53 - 1
_OF_A_DECISION = ENDS | {Kind.DECIDED}


def _whole(text: str) -> int:
    if abs(number := int(text)) > _LARGEST:
        raise ValueError("integers of 2**53 and more have no place here")
    return number


def _refuse(text: str) -> None:
    raise ValueError(f"{text} has no place here")


_READ = json.JSONDecoder(parse_float=_refuse, parse_constant=_refuse, parse_int=_whole).decode
_WRITE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


class CrossCheck:
    """Fed with the entries in order; `first` is (number, what is wrong)."""

    def __init__(self, file: LedgerFile, after: int) -> None:
        self._file = file
        self._facets = file.facets(after)
        self._last_at = ""
        self._gone: dict[int, str] = {}
        self._erased: set[str] = set()
        self.first: tuple[int, str] | None = None
        self.redacted = self.backwards = 0
        self.warnings: list[str] = []

    def look(self, seq: int, raw: bytes) -> None:
        wrong = self._wrong(seq, raw)
        if wrong and self.first is None:
            self.first = (seq, wrong)

    def close(self, entries: int) -> None:
        """After the last entry: what is left over."""
        if next(self._facets, None) is not None:
            self._fail(entries + 1, "the search columns hold more than the log")
        for seq, commit in self._gone.items():
            if commit in self._erased:
                self.redacted += 1
            else:
                self._fail(seq, "its payload is gone, and no entry says that it was erased")
        if self.backwards:
            self.warnings.append(
                f"the clock went back {self.backwards} times; numbers, not times, are the order"
            )

    def _fail(self, seq: int, reason: str) -> None:
        if self.first is None or seq < self.first[0]:
            self.first = (seq, reason)

    def _wrong(self, seq: int, raw: bytes) -> str:
        facet = next(self._facets, None)
        body = _parsed(raw)
        if body is None:
            return "it is not canonical JSON"
        if body.get("seq") != seq:
            return f"it calls itself {body.get('seq')}"
        at, actor = str(body.get("at")), body.get("actor")
        if not isinstance(actor, dict):
            return "it names no actor"
        self.backwards += at < self._last_at
        self._last_at = at
        if facet is None or facet[0] != _said(seq, at, actor, body):
            return "the search columns say something else than the entry"
        return self._payload(seq, body, facet) or self._decision(body, facet)

    def _payload(self, seq: int, body: dict[str, Any], facet: Facet) -> str:
        commit = body.get("payload_commit")
        if body["kind"] == Kind.REDACTED:
            self._erased.add(str(body.get("erased_commit")))
        if commit is None:
            return ""
        salt, text = facet[2:]
        if salt is None or text is None:
            self._gone[seq] = commit
            return ""
        right = isinstance(salt, bytes) and isinstance(text, bytes) and sha256(salt + text) == commit
        return "" if right else "its payload is not the one that was committed to"

    def _decision(self, body: dict[str, Any], facet: Facet) -> str:
        """A decision's row still holds what was chained, and the log calls the same person its maker."""
        decision_id, decided_by = body.get("decision_id"), facet[1]
        if decision_id is None or body["kind"] not in _OF_A_DECISION:
            return "" if decided_by is None else "the search columns name a decider where nothing was decided"
        found = self._file.decision(decision_id)
        if found is None:
            return "the decision is not there"
        actor_id, text, digest = found
        if decided_by != actor_id:
            return "the search columns name another person as its decider"
        if body["kind"] == Kind.DECIDED and not (sha256(text) == digest == body.get("result_digest")):
            return "the decision is not the one that was recorded"
        return ""


def _said(seq: int, at: str, actor: dict[str, Any], body: dict[str, Any]) -> Said:
    get = body.get
    return (
        seq, f"{at[:10]} {at[11:26]}", get("kind"), actor.get("id", ""), actor.get("name", ""),
        get("tool"), get("source"), get("thread_id"), get("review_id"),
        get("verdict"), get("outcome"), get("payload_commit"),
    )  # fmt: skip


def _parsed(raw: bytes) -> dict[str, Any] | None:
    """The entry, when writing it again gives the same bytes; lone surrogates take the slower way."""
    try:
        text = raw.decode()
        body = _READ(text)
        if isinstance(body, dict) and (_WRITE(body) == text or canonical(body) == raw):
            return body
    except (ValueError, RecursionError):
        return None
    return None
