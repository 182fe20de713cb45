"""Ledger entries and the chain over them (THREATS: tamper-evident, not tamper-proof).

hash_n = SHA-256(0x01 || hash_{n-1} || SHA-256(0x00 || body_n)); the inner hash is the RFC 6962 leaf,
so the same leaves also give a Merkle head.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """Everything that can stand in the log."""

    OPENED = "opened"
    VIEWED = "viewed"
    CLAIMED = "claimed"
    RELEASED = "released"
    DECIDED = "decided"
    CO_SIGNED = "co_signed"
    DENIED = "denied"
    DISPATCHED = "dispatched"
    SETTLED = "settled"
    SUPERSEDED = "superseded"
    STUCK = "stuck"
    REPAIRED = "repaired"
    EXTERNAL_RESUME = "external_resume"
    EXPIRED = "expired"
    LOGIN = "login"
    LOGIN_FAILED = "login_failed"
    LOGOUT = "logout"
    ROLE_CHANGED = "role_changed"
    POLICY_CHANGED = "policy_changed"
    EXPORTED = "exported"
    VERIFIED = "verified"
    REDACTED = "redacted"
    UNMASKED = "unmasked"
    STARTED = "started"
    STOPPED = "stopped"
    MISMATCH = "mismatch"
    MISMATCH_CLOSED = "mismatch_closed"
    REOPENED = "reopened"
    CANCELLED = "cancelled"
    STUCK_RESOLVED = "stuck_resolved"
    RETRIED = "retried"
    ESCALATED = "escalated"
    UNDONE = "undone"
    LOST = "lost"
    INVALID = "invalid"
    THREAD_STARTED = "thread_started"
    MESSAGE_SENT = "message_sent"
    TAKEN_OVER = "taken_over"
    HANDED_BACK = "handed_back"
    USER_ADDED = "user_added"
    USER_DISABLED = "user_disabled"
    USER_ENABLED = "user_enabled"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105
    SESSIONS_REVOKED = "sessions_revoked"
    TOKEN_CREATED = "token_created"  # noqa: S105
    TOKEN_REVOKED = "token_revoked"  # noqa: S105
    KEY_ROTATED = "key_rotated"
    REPLAYED = "replayed"
    GRADED = "graded"
    SIMULATED = "simulated"
    SOURCE_CHANGED = "source_changed"


# What became of a decision; such an entry names the decision and, in its search columns, who made it.
ENDS = frozenset({Kind.SETTLED, Kind.MISMATCH, Kind.STUCK})


def genesis(install_id: str) -> bytes:
    return hashlib.sha256(f"review-console ledger v1{install_id}".encode()).digest()


def link(previous: bytes, body: bytes) -> bytes:
    """The hash of the entry `body` that follows the entry hashed as `previous`."""
    leaf = hashlib.sha256(b"\x00" + body).digest()
    return hashlib.sha256(b"\x01" + previous + leaf).digest()


def without_empty(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value not in (None, "")}
