"""Where signed heads lie, and the newest of them as people look at it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from console.domain.fingerprint import words
from console.services import notes
from console.services.audit_views import HeadView
from console.settings import Settings

# The last notes of a heads file; one takes about 200 bytes.
_TAIL = 8_192


def folder(settings: Settings) -> Path:
    return settings.data / "heads"


def files(settings: Settings) -> list[Path]:
    """Our own file of heads, and the one in the second place where one is configured."""
    second = settings.ledger.heads
    return [folder(settings) / "heads.txt", *([second / "heads.txt"] if second else [])]


def public_key_file(settings: Settings) -> Path:
    return folder(settings) / "ledger.pub"


def public_keys(settings: Settings) -> notes.Keys:
    """The keys this log's heads are signed by; OSError or ValueError where they cannot be told."""
    return notes.Keys.read(public_key_file(settings).read_text())


def newest(settings: Settings) -> notes.Head | None:
    """The largest head of every place; None when there is none that a key of ours signed."""
    try:
        return last(files(settings), public_keys(settings))
    except (OSError, ValueError):
        return None


def last(places: Sequence[Path], keys: notes.Keys) -> notes.Head | None:
    """The largest valid head among the last ones of every place, or where these are not valid, of all."""
    found: list[notes.Head] = []
    for path in places:
        if path.is_file():
            found += _valid(_last_part(path), keys) or _valid(path.read_text("utf-8", "replace"), keys)
    return max(found, key=lambda head: head.size, default=None)


def _valid(text: str, keys: notes.Keys) -> list[notes.Head]:
    return [head for head in notes.read_heads(text, keys, None) if head.valid]


def _last_part(path: Path) -> str:
    """The first note in it may be cut in half; it is then no valid head."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        return file.read().decode("utf-8", "replace")


def is_torn(path: Path) -> bool:
    """Its last line has no end."""
    text = _last_part(path)
    return bool(text) and not text.endswith("\n")


def view(settings: Settings, head: notes.Head, entries: int) -> HeadView:
    """`signed_at` is when a heads file was last written: a note has no time of its own."""
    written = [path.stat().st_mtime for path in files(settings) if path.is_file()]
    return HeadView(
        size=head.size,
        root=head.root.hex(),
        signed_at=datetime.fromtimestamp(max(written), UTC) if written else None,
        origin=head.text.split("\n", 1)[0],
        note=head.text,
        fingerprint=words("\n".join(head.text.split("\n")[:3]).encode()),
        unsigned=max(0, entries - head.size),
    )
