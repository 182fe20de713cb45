"""Checks an export of the audit log (JSON Lines) without the console and without its database.

    python verify_export.py EXPORT.jsonl ledger.pub [HEAD]

`ledger.pub` holds the public keys; get it, or its text, from someone other than who gave you the export.
HEAD is the size of a signed head, or a file with one, that the export must reach: without it, an export that
ends at an earlier head is whole, too. The newest head's eight words are those of the page and `audit head`.
Exit: 0 whole and all under a signed head, 4 whole with an unsigned end, 1 broken, 2 not readable or filtered,
3 does not reach HEAD. Needs Python 3.11 and the package cryptography, and nothing of the console.
"""

import base64
import hashlib
import json
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# A C2SP tlog-checkpoint: origin, size, root, and signatures of the three lines.
HEAD = re.compile(r"((review-console/\S+)\n(\d+)\n(\S+)\n)\n((?:\u2014 \S+ \S+\n)+)")


def sha(data):
    return hashlib.sha256(data).digest()


def root_of(peaks):
    """RFC 6962: the complete subtrees, folded from the smallest."""
    found = peaks[-1][1] if peaks else sha(b"")
    for _, left in reversed(peaks[:-1]):
        found = sha(b"\x01" + left + found)
    return found


def spoken(text):
    """The first 128 bits of its SHA-256 as eight words (proquints)."""
    some, few = "bdfghjklmnprstvz", "aiou"
    letters = (some, 12), (few, 10), (some, 6), (few, 4), (some, 0)
    numbers = [int.from_bytes(sha(text)[at : at + 2]) for at in range(0, 16, 2)]
    return " ".join("".join(row[n >> by & len(row) - 1] for row, by in letters) for n in numbers)


def read_head(found, keys, origin):
    """(size, root, numbers of the keys whose signature is right, the signed text) of a match of HEAD."""
    if found is None or found[2] != origin:
        raise ValueError("a head is of another log")
    text, by = found[1].encode(), set()
    for line in found[5].splitlines():
        blob = base64.b64decode(line.rsplit(" ", 1)[1])
        for at, (key_id, key) in enumerate(keys):
            if blob[:4] == key_id:
                key.verify(blob[4:], text)
                by.add(at)
    return int(found[3]), base64.b64decode(found[4]), by, text


def read_keys(text, origin):
    """([(id, key), ...] oldest first, [head that introduces the key, ...]).

    A key follows another by a head that both signed, and the older one counts only up to there: whoever
    steals it later cannot sign what came after.
    """
    keys, heads, size = [], [], 0
    for line in text.splitlines():
        if line.startswith("review-console+"):
            name, key_hash, raw = line.split("+", 2)
            raw = base64.b64decode(raw)
            if raw[0] != 1 or sha(name.encode() + b"\n" + raw)[:4].hex() != key_hash:
                raise ValueError("the key's file is damaged")
            keys.append((bytes.fromhex(key_hash), Ed25519PublicKey.from_public_bytes(raw[1:])))
    there = [read_head(found, keys, origin) for found in HEAD.finditer(text)]
    for at in range(1, len(keys)):
        both = [head for head in there if {at - 1, at} <= head[2] and head[0] > size]
        if not both:
            raise ValueError(f"key {at + 1} is not introduced by a head that the key before it signed, too")
        heads.append(min(both, key=lambda head: head[0]))
        size = heads[-1][0]
    return keys, heads


def read_heads(notes, key_text, origin):
    """([(size, root, signed text), ...], heads of ledger.pub); ValueError where no key signed that counts."""
    keys, introduced = read_keys(key_text, origin)
    borders, heads = [0, *(head[0] for head in introduced), float("inf")], []
    for note in notes:
        size, root, by, text = read_head(HEAD.fullmatch(note), keys, origin)
        if not any(borders[at] <= size <= borders[at + 1] for at in by):
            raise ValueError("a head is not signed by a key that counts there")
        heads.append((size, root, text))
    return heads, introduced


def check(lines, key_text, expected=""):
    """(exit status, what to say). `expected` is a size, or the text of a signed head."""
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
    given = [found[0] for found in HEAD.finditer(expected)]
    wanted = int(expected) if expected.isdecimal() else 0
    if expected and not given and not wanted:
        return 2, "HEAD is neither a size nor a file with a signed head"
    heads, introduced = read_heads([*trailer["heads"], *given], key_text, first["origin"])
    for size, root, *_ in [*heads, *introduced]:
        if size <= count and roots.get(size) != root:
            return 1, f"the first {size} entries are not those that were signed"
    wanted = max([wanted, *(size for size, *_ in heads)])
    heads = sorted(head for head in heads if head[0] <= count)
    signed = heads[-1][0] if heads else 0
    if signed < wanted:
        return 3, f"it does not reach {wanted} signed entries: it has {count}, {signed} of them signed"
    words = f"{count} entries, each follows the one before it; the first {signed} are signed"
    return (0 if signed == count else 4), words + (f" (head: {spoken(heads[-1][2][:-1])})" if heads else "")


def main(export, public_key, head=""):
    try:
        with open(export, encoding="utf-8") as file, open(public_key, encoding="utf-8") as key:
            if head and not head.isdecimal():
                with open(head, encoding="utf-8") as note:
                    head = note.read() or "nothing"
            status, words = check(iter(file), key.read(), head)
    except InvalidSignature:
        status, words = 1, "a head's signature is wrong"
    except (OSError, ValueError, KeyError, TypeError, StopIteration, IndexError) as wrong:
        status, words = 2, f"not readable: {type(wrong).__name__}: {wrong}"
    print(words.encode("ascii", "backslashreplace").decode())
    return status


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
