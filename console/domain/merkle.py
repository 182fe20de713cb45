"""The RFC 6962 Merkle root over the ledger's entries, computed while they stream past.

Only the roots of the complete subtrees are kept (at most 64 hashes), so a head of a log of any length costs
nothing but the entries since the last one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


def leaf(body: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + body).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass
class Frontier:
    """Roots of complete subtrees, the largest first; their sizes are the binary digits of `size`."""

    size: int = 0
    roots: list[bytes] = field(default_factory=list)

    def append(self, leaf_hash: bytes) -> None:
        size, new = self.size, leaf_hash
        while size & 1:
            new = _node(self.roots.pop(), new)
            size >>= 1
        self.roots.append(new)
        self.size += 1

    def root(self) -> bytes:
        """Of an empty log the hash of nothing, as RFC 6962 has it."""
        if not self.roots:
            return hashlib.sha256(b"").digest()
        *rest, found = self.roots
        for left in reversed(rest):
            found = _node(left, found)
        return found
