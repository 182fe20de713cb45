"""Signed heads of the ledger: C2SP tlog-checkpoint texts as signed notes with Ed25519.

A note is `origin`, size and base64 root on a line each, an empty line, and one line per signature:
`— name base64(key id || signature)`. A key is followed by the next one in a head that both signed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
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
_SIGNED_TWICE = re.compile(rf"^{NAME}/.*\n.*\n.*\n\n(?:{_DASH}.*\n){{2,}}", re.MULTILINE)


@dataclass(frozen=True)
class Head:
    """A log of `size` entries has this root. `text` is the whole note, `valid` whether it is signed by one
    of our keys that counts at this size.
    """

    size: int
    root: bytes
    text: str
    valid: bool

    @property
    def is_torn(self) -> bool:
        """It has no whole signature line: the process ended while writing it."""
        whole = len(f"{_DASH}{NAME} ") + _SIGNATURE
        return not any(line.startswith(_DASH) and len(line) >= whole for line in self.text.split("\n"))


@dataclass(frozen=True)
class Keys:
    """A log's public keys, oldest first; for each but the first the head that the one before it signed, too.

    A key counts from its own introduction up to that of the next one, both included: whoever steals it later
    cannot sign what came after it.
    """

    publics: tuple[Ed25519PublicKey, ...]
    introductions: tuple[Head, ...] = ()

    @classmethod
    def read(cls, text: str, origin: str | None = None) -> Keys:
        """From the text of ledger.pub: each key on a line, and the heads that introduce them.

        ValueError for anything else, and for a key that no such head introduces.
        """
        publics = tuple(public_key(line) for line in text.splitlines() if line.startswith(f"{NAME}+"))
        if not publics:
            raise ValueError("there is no public key")
        twice, introductions, size = _SIGNED_TWICE.findall(text), list[Head](), 0
        for pair in pairwise(publics):
            # A head of each key by itself, since neither is to count by what the other signed.
            signed = [[read_heads(note, cls((key,)), origin)[0] for key in pair] for note in twice]
            both = [head for head, other in signed if head.valid and other.valid and head.size > size]
            if not both:
                raise ValueError(f"no head is signed by key {len(introductions) + 2} and the one before it")
            introductions.append(min(both, key=lambda head: head.size))
            size = introductions[-1].size
        return cls(publics, tuple(introductions))

    def names(self, size: int) -> Iterator[tuple[bytes, Ed25519PublicKey]]:
        """Id and key of each that counts for a head of `size` entries."""
        for at, key in enumerate(self.publics):
            first = self.introductions[at - 1].size if at else 0
            if first <= size and (at == len(self.introductions) or size <= self.introductions[at].size):
                yield _key_id(_raw(key)), key


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
    raw = _raw(public)
    return f"{NAME}+{_key_id(raw).hex()}+{base64.b64encode(raw).decode()}"


def public_key(text: str) -> Ed25519PublicKey:
    """From its C2SP form; ValueError for anything else."""
    name, _, rest = text.strip().partition("+")
    digits, _, encoded = rest.partition("+")
    raw = base64.b64decode(encoded, validate=True)
    if name != NAME or raw[:1] != _ED25519 or _key_id(raw).hex() != digits:
        raise ValueError("not a public key of a ledger")
    return Ed25519PublicKey.from_public_bytes(raw[1:])


def _raw(public: Ed25519PublicKey) -> bytes:
    return _ED25519 + public.public_bytes(Encoding.Raw, PublicFormat.Raw)


def _key_id(raw: bytes) -> bytes:
    return hashlib.sha256(NAME.encode() + b"\n" + raw).digest()[:4]


def sign(keys: Sequence[Ed25519PrivateKey], origin: str, size: int, root: bytes) -> str:
    """The note, with a line for each key's signature, ending in a line break."""
    text = f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"
    return f"{text}\n{''.join(_signature(key, text) for key in keys)}"


def _signature(key: Ed25519PrivateKey, text: str) -> str:
    blob = _key_id(_raw(key.public_key())) + key.sign(text.encode())
    return f"{_DASH}{NAME} {base64.b64encode(blob).decode()}\n"


def read_heads(text: str, keys: Keys, origin: str | None) -> list[Head]:
    """Every note of a heads file in its order; what is not a note of this log is a head that is not valid."""
    return [_read(lines, keys, origin) for lines in _notes(text)]


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


def _read(lines: list[str], keys: Keys, origin: str | None) -> Head:
    text = "\n".join(lines) + "\n"
    try:
        named, size, root, empty, *signatures = lines
        known = empty == "" and origin in {None, named} and str(int(size)) == size
        signed = ("\n".join(lines[:3]) + "\n").encode()
        counting = dict(keys.names(int(size)))
        valid = known and any(_verifies(line, signed, counting) for line in signatures)
        return Head(int(size), base64.b64decode(root, validate=True), text, valid)
    except (ValueError, binascii.Error):
        return Head(0, b"", text, valid=False)


def _verifies(line: str, text: bytes, counting: Mapping[bytes, Ed25519PublicKey]) -> bool:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    blob = base64.b64decode(encoded, validate=True)
    if name != NAME or blob[:4] not in counting:
        return False
    try:
        counting[blob[:4]].verify(blob[4:], text)
    except InvalidSignature:
        return False
    return True
