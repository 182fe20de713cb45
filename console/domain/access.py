"""Who may do what: one table, asked by pages, handlers, routes and services alike."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from console.domain.errors import Forbidden


class Role(StrEnum):
    SUPERVISOR = "supervisor"
    QA = "qa"
    ADMIN = "admin"
    NONE = "none"


class Permission(StrEnum):
    """Every privilege of the product by name."""

    SIGNED_IN = "signed_in"
    VIEW = "view"
    DECIDE = "decide"
    CHAT = "chat"
    REPLAY = "replay"
    GRADE = "grade"
    AUDIT_OWN = "audit_own"
    AUDIT_ALL = "audit_all"
    AUDIT_EXPORT = "audit_export"
    UNMASK = "unmask"
    ADMINISTER = "administer"


_READERS = frozenset({Role.SUPERVISOR, Role.QA, Role.ADMIN})
GRANTS: dict[Permission, frozenset[Role]] = {
    Permission.SIGNED_IN: frozenset(Role),
    Permission.VIEW: _READERS,
    Permission.DECIDE: frozenset({Role.SUPERVISOR}),
    Permission.CHAT: frozenset({Role.SUPERVISOR}),
    Permission.REPLAY: frozenset({Role.SUPERVISOR, Role.QA}),
    Permission.GRADE: frozenset({Role.QA}),
    Permission.AUDIT_OWN: _READERS,
    Permission.AUDIT_ALL: frozenset({Role.QA, Role.ADMIN}),
    Permission.AUDIT_EXPORT: frozenset({Role.ADMIN}),
    Permission.UNMASK: _READERS,
    Permission.ADMINISTER: frozenset({Role.ADMIN}),
}


class Scope(StrEnum):
    """What a token may do of what its owner's role may; a session is not narrowed."""

    READ = "read"
    DECIDE = "decide"


READS = frozenset(
    {
        Permission.SIGNED_IN,
        Permission.VIEW,
        Permission.AUDIT_OWN,
        Permission.AUDIT_ALL,
        Permission.AUDIT_EXPORT,
    }
)
_RULES: dict[Permission, str] = {
    Permission.SIGNED_IN: "Sign in first",
    Permission.VIEW: "Your account has no role yet. An admin can give it one",
    Permission.DECIDE: "Deciding is for supervisors",
    Permission.CHAT: "Writing in a thread is for supervisors",
    Permission.REPLAY: "Replay is for supervisors and QA",
    Permission.GRADE: "Grading is for QA",
    Permission.AUDIT_OWN: "Your account has no role yet. An admin can give it one",
    Permission.AUDIT_ALL: "The whole log is for QA and admins",
    Permission.AUDIT_EXPORT: "Exporting and verifying the log is for admins",
    Permission.UNMASK: "Masked values are for those who decide or read the log",
    Permission.ADMINISTER: "Administration is for admins",
}


@dataclass(frozen=True)
class Actor:
    """Who acts, as the database knows it now; never built from what a client sent.

    `via` is one of web, api, cli, worker, policy; `session_digest` names the session in the ledger
    without being usable as one.
    """

    id: str
    name: str
    role: Role
    via: str = "web"
    session_digest: str = ""
    scope: Scope = Scope.DECIDE


def allows(role: Role, permission: Permission) -> bool:
    return role in GRANTS[permission]


def rule(permission: Permission) -> str:
    """The rule behind a refusal, in a sentence that page and REST show."""
    return _RULES[permission]


def require(actor: Actor, permission: Permission) -> None:
    """Raise `Forbidden` with the rule when the actor's role, or the token they came with, lacks it."""
    if not allows(actor.role, permission):
        raise Forbidden(f"{rule(permission)}.", permission=permission.value)
    if actor.scope is Scope.READ and permission not in READS:
        raise Forbidden("This token may only read.", permission=permission.value)
