"""Passwords as Argon2id, and what is kept of tokens: a digest."""

from __future__ import annotations

import hashlib
import secrets
from functools import cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

SHORTEST_PASSWORD, LONGEST_PASSWORD = 4, 1_000


@cache
def hasher() -> PasswordHash:
    return PasswordHash((Argon2Hasher(),))


@cache
def nobodys_hash() -> str:
    """Of a password that nobody has: for unknown names, and for people who sign in elsewhere."""
    return hasher().hash(secrets.token_hex(8))


def _bytes(password: str) -> bytes:
    """Half a character, too, has bytes that can be hashed."""
    return password.encode("utf-8", "surrogatepass")


def hashed(password: str) -> str:
    return hasher().hash(_bytes(password))


def fits(password: str, password_hash: str) -> bool:
    return hasher().verify(_bytes(password[:LONGEST_PASSWORD]), password_hash)


def new_token(prefix: str = "") -> str:
    """256 bits."""
    return prefix + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def wrong_length(password: str) -> str:
    """Why this cannot be a password; empty when it can."""
    if len(password) < SHORTEST_PASSWORD:
        return f"a password has at least {SHORTEST_PASSWORD} characters"
    if len(password) > LONGEST_PASSWORD:
        return f"a password has at most {LONGEST_PASSWORD:,} characters"
    return ""
