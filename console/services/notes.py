"""Signed heads of the ledger: C2SP tlog-checkpoint texts as signed notes with Ed25519.

A note is `origin`, size and base64 root on a line each, an empty line, and one line per signature:
`— name base64(key id || signature)`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from console.domain.errors import Unavailable

NAME = "review-console"
_ED25519 = b"\x01"
_DASH = "— "
# Base64 characters of four bytes of key id and a 64-byte signature.
_SIGNATURE = 92


@dataclass(frozen=True)
class Head:
    """A log of `size` entries has this root. `text` is the whole note, `valid` whether our key signed it."""

    size: int
    root: bytes
    text: str
    valid: bool

    @property
    def is_torn(self) -> bool:
        """It has no whole signature line: the process ended while writing it."""
        whole = len(f"{_DASH}{NAME} ") + _SIGNATURE
        return not any(line.startswith(_DASH) and len(line) >= whole for line in self.text.split("\n"))


def load_key(path: Path) -> Ed25519PrivateKey:
    """The signing key; `Unavailable` when the file holds none."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as wrong:
        raise Unavailable(f"The signing key {path} cannot be read ({wrong}): correct ledger.key.") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise Unavailable(f"The signing key {path} is not an Ed25519 key: correct ledger.key.")
    return key


def make_key(path: Path) -> None:
    """A new key that only its owner can read; an existing file is left alone."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(number, "wb") as file:
        file.write(pem)


def verifier(public: Ed25519PublicKey) -> str:
    """The public key in C2SP form: name+id+base64."""
    raw = _ED25519 + public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    return f"{NAME}+{_key_id(raw).hex()}+{base64.b64encode(raw).decode()}"


def public_key(text: str) -> Ed25519PublicKey:
    """From its C2SP form; ValueError for anything else."""
    name, _, rest = text.strip().partition("+")
    digits, _, encoded = rest.partition("+")
    raw = base64.b64decode(encoded, validate=True)
    if name != NAME or raw[:1] != _ED25519 or _key_id(raw).hex() != digits:
        raise ValueError("not a public key of a ledger")
    return Ed25519PublicKey.from_public_bytes(raw[1:])


def _key_id(raw: bytes) -> bytes:
    return hashlib.sha256(NAME.encode() + b"\n" + raw).digest()[:4]


def sign(key: Ed25519PrivateKey, origin: str, size: int, root: bytes) -> str:
    """The note, signature included, ending in a line break."""
    text = f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"
    raw = _ED25519 + key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    signature = base64.b64encode(_key_id(raw) + key.sign(text.encode())).decode()
    return f"{text}\n{_DASH}{NAME} {signature}\n"


def read_heads(text: str, public: Ed25519PublicKey, origin: str | None) -> list[Head]:
    """Every note of a heads file in its order; what is not a note of this log is a head that is not valid."""
    return [_read(lines, public, origin) for lines in _notes(text)]


def _notes(text: str) -> Iterator[list[str]]:
    """A note ends with its signatures; the next begins at the first line that is none."""
    note: list[str] = []
    signed = False
    for line in text.splitlines():
        begins = line.startswith(f"{NAME}/")
        if note and (begins or (signed and not line.startswith(_DASH))):
            yield note
            note, signed = [], False
        if line or note:
            note.append(line)
        signed = line.startswith(_DASH)
    if note:
        yield note


def _read(lines: list[str], public: Ed25519PublicKey, origin: str | None) -> Head:
    text = "\n".join(lines) + "\n"
    try:
        named, size, root, empty, *signatures = lines
        known = empty == "" and origin in {None, named} and str(int(size)) == size
        signed = "\n".join(lines[:3]) + "\n"
        valid = known and any(_verifies(line, signed, public) for line in signatures)
        return Head(int(size), base64.b64decode(root, validate=True), text, valid)
    except (ValueError, binascii.Error):
        return Head(0, b"", text, valid=False)


def _verifies(line: str, text: str, public: Ed25519PublicKey) -> bool:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    raw = _ED25519 + public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    blob = base64.b64decode(encoded, validate=True)
    if name != NAME or blob[:4] != _key_id(raw):
        return False
    try:
        public.verify(blob[4:], text.encode())
    except InvalidSignature:
        return False
    return True
