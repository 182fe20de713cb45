"""Checks an export of the audit log (JSON Lines) without the console and without its database.

    python verify_export.py EXPORT.jsonl ledger.pub

`ledger.pub` is the public key's file; get it, or its text, from someone other than who gave you the export.
Exit: 0 whole and all under a signed head, 4 whole with an unsigned end, 1 broken, 2 not readable or filtered.
Needs Python 3.11 and the package cryptography, and nothing of the console.
"""

import base64
import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def sha(data):
    return hashlib.sha256(data).digest()


def root_of(peaks):
    """RFC 6962: the complete subtrees, folded from the smallest."""
    found = peaks[-1][1] if peaks else sha(b"")
    for _, left in reversed(peaks[:-1]):
        found = sha(b"\x01" + left + found)
    return found


def signed_head(note, key, key_id, origin):
    """(size, root) of a C2SP tlog-checkpoint whose Ed25519 signature is right; ValueError otherwise."""
    text, _, signatures = note.partition("\n\n")
    lines = text.split("\n")
    if lines[0] != origin:
        raise ValueError("a head is of another log")
    for line in signatures.splitlines():
        raw = base64.b64decode(line.rsplit(" ", 1)[1])
        if line.startswith("\u2014 ") and raw[:4] == key_id:
            key.verify(raw[4:], (text + "\n").encode())
            return int(lines[1]), base64.b64decode(lines[2])
    raise ValueError("a head is not signed by this key")


def check(lines, key_text):
    """(exit status, what to say)."""
    name, key_hash, raw = key_text.strip().split("+", 2)
    raw = base64.b64decode(raw)
    key, key_id = Ed25519PublicKey.from_public_bytes(raw[1:]), bytes.fromhex(key_hash)
    if raw[0] != 1 or sha(name.encode() + b"\n" + raw)[:4] != key_id:
        return 2, "the key's file is damaged"
    first = json.loads(next(lines))
    if first["format"] != "review-console-ledger-export/1":
        return 2, "this is no export of an audit log"
    before = sha(b"review-console ledger v1" + first["install_id"].encode())
    peaks, roots, count, trailer = [], {}, 0, None
    for line in lines:
        row = json.loads(line)
        if trailer is not None:
            return 1, "something follows the last line"
        if row.get("trailer"):
            trailer = row
            continue
        body = row["body"].encode()
        leaf = sha(b"\x00" + body)
        link = sha(b"\x01" + bytes.fromhex(row["prev"]) + leaf)
        if link.hex() != row["hash"] or json.loads(body)["seq"] != row["seq"]:
            return 1, f"entry {row['seq']} does not hash to what is written beside it"
        count += 1
        if not first["filters"]:
            if row["seq"] != count or bytes.fromhex(row["prev"]) != before:
                return 1, f"entry {count} is missing, or does not follow the one before it"
            before = link
            peaks.append((1, leaf))
            while len(peaks) > 1 and peaks[-1][0] == peaks[-2][0]:
                (size, left), (_, right) = peaks[-2:]
                peaks[-2:] = [(2 * size, sha(b"\x01" + left + right))]
            roots[count] = root_of(peaks)
    if trailer is None or trailer["entries"] != count:
        return 1, "the export is cut: its last line is missing, or counts other entries"
    if first["filters"]:
        return 2, f"{count} entries hash right; the export is filtered, so what is missing cannot be told"
    heads = [signed_head(note, key, key_id, first["origin"]) for note in trailer["heads"]]
    for size, root in heads:
        if roots.get(size) != root:
            return 1, f"the first {size} entries are not those that were signed"
    signed = max((size for size, _ in heads), default=0)
    words = f"{count} entries, each follows the one before it; the first {signed} are signed"
    return (0 if signed == count else 4), words


def main(export, public_key):
    try:
        with open(export, encoding="utf-8") as file, open(public_key, encoding="utf-8") as key:
            status, words = check(iter(file), key.read())
    except InvalidSignature:
        status, words = 1, "a head's signature is wrong"
    except (OSError, ValueError, KeyError, TypeError, StopIteration, IndexError) as wrong:
        status, words = 2, f"not readable: {type(wrong).__name__}: {wrong}"
    print(words.encode("ascii", "backslashreplace").decode())
    return status


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
