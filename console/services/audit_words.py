"""One line about every kind of entry, made of the entry alone."""

from __future__ import annotations

from typing import Any

from console.domain.ledger import Kind

WORDS: dict[str, str] = {
    Kind.OPENED: "Run paused, review opened",
    Kind.VIEWED: "Review shown in version {version}",
    Kind.CLAIMED: "Review taken",
    Kind.RELEASED: "Review given back",
    Kind.DECIDED: "Decided: {verdict}",
    Kind.CO_SIGNED: "Signed as the second person: {verdict}",
    Kind.DENIED: "Refused: {what}",
    Kind.DISPATCHED: "Verdict handed to the run",
    Kind.SETTLED: "Settled: {outcome}",
    Kind.SUPERSEDED: "The thread moved on",
    Kind.STUCK: "Uncertain: {outcome}",
    Kind.REPAIRED: "Thread brought back to its pause",
    Kind.EXTERNAL_RESUME: "Answered outside the console",
    Kind.EXPIRED: "The deadline passed: {outcome}",
    Kind.LOGIN: "Signed in",
    Kind.LOGIN_FAILED: "A sign-in failed",
    Kind.LOGOUT: "Signed out",
    Kind.ROLE_CHANGED: "User {user} is now {role}",
    Kind.POLICY_CHANGED: "Policy changed: {changed}",
    Kind.EXPORTED: "Log exported as {format}, {scope}",
    Kind.VERIFIED: "Log verified: {outcome}",
    Kind.REDACTED: "Payload of entry {erased_seq} erased: {reason}",
    Kind.UNMASKED: "Masked values shown: {pointers}",
    Kind.STARTED: "Console started: {process}, version {version}",
    Kind.STOPPED: "Console stopped: {process}",
    Kind.MISMATCH: "Ran other than decided: {outcome}",
    Kind.MISMATCH_CLOSED: "Alarm closed: {reason}",
    Kind.RETRIED: "Called again after a crash, as its tool allows",
    Kind.REOPENED: "Opened again: {reason}",
    Kind.CANCELLED: "Closed without running: {reason}",
    Kind.STUCK_RESOLVED: "Doubt settled by a person: {reason}",
    Kind.ESCALATED: "Escalated: the deadline passed",
    Kind.UNDONE: "Decision taken back before anything ran",
    Kind.LOST: "Came too late: {decided_by} was first",
    Kind.INVALID: "A verdict that was not valid: {reason}",
    Kind.THREAD_STARTED: "Conversation started",
    Kind.MESSAGE_SENT: "Message sent as the customer",
    Kind.TAKEN_OVER: "Conversation taken over by a colleague",
    Kind.HANDED_BACK: "Conversation handed back to the agent",
    Kind.USER_ADDED: "User {user} added as {role}",
    Kind.USER_DISABLED: "User {user} disabled",
    Kind.USER_ENABLED: "User {user} enabled",
    Kind.PASSWORD_CHANGED: "Password of {user} changed",
    Kind.SESSIONS_REVOKED: "Sessions of {user} ended",
    Kind.TOKEN_CREATED: "Token made for {user}",
    Kind.TOKEN_REVOKED: "Token revoked",
    Kind.KEY_ROTATED: "Signing key changed to {new_key}",
    Kind.REPLAYED: "Replayed in a copy, nothing ran for real",
    Kind.GRADED: "Decision graded",
    Kind.SIMULATED: "Tried out in a copy, nothing ran for real",
    Kind.SOURCE_CHANGED: "Source changed",
}


class _Gaps(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "–"


def in_words(body: dict[str, Any]) -> str:
    """One line about an entry; what it does not say is a dash."""
    template = WORDS.get(body["kind"], body["kind"].replace("_", " ").capitalize())
    return str(template.format_map(_Gaps(body)))
