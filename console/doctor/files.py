"""What lies on the disk: who can read it, the signing key, and the second place for signed heads."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from console.doctor.finding import Finding
from console.settings import Settings
from console.settings_file import sqlite_path

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def answers(settings: Settings) -> Iterator[Finding]:
    yield _data_folder(settings.data)
    yield _private_files(settings)
    yield _key(settings)
    yield _heads(settings)


def _data_folder(folder: Path) -> Finding:
    if not folder.is_dir():
        return Finding("note", "data", f"{folder} is not there yet; the first start makes it")
    if not os.access(folder, os.W_OK):
        return Finding("bad", "data", f"{folder} cannot be written: correct its owner or use --data")
    if folder.stat().st_mode & OTHERS:
        return Finding("note", "data", f"{folder} can be entered by other users: chmod 700 it")
    return Finding("ok", "data", str(folder))


def private_files(settings: Settings) -> Iterator[Path]:
    """Everything with passwords' hashes, sessions, customers' words or a key in it."""
    from console.services.signing import next_key_file

    urls = [settings.database.url, *(source.checkpoints or "" for source in settings.sources.values())]
    for database in (*(sqlite_path(url) for url in urls), settings.shop):
        if database is not None:
            yield from (database.with_name(database.name + end) for end in ("", "-wal", "-shm"))
    yield from (settings.ledger_key, next_key_file(settings))
    if settings.server.tls_key:
        yield settings.server.tls_key


def _private_files(settings: Settings) -> Finding:
    there = [file for file in private_files(settings) if file.is_file()]
    readable = [str(file) for file in there if file.stat().st_mode & OTHERS]
    if readable:
        return Finding("bad", "file modes", f"other users can read {', '.join(readable)}: chmod 600 them")
    return Finding("ok", "file modes", f"{len(there)} private files are for their owner only")


def _key(settings: Settings) -> Finding:
    from console.domain.errors import Unavailable
    from console.services import head_files, notes, signing

    file, public = settings.ledger_key, head_files.public_key_file(settings)
    if not file.exists():
        if settings.ledger.key is None:
            return Finding("note", "signing key", f"{file} is not there yet; the first start makes it")
        return Finding("bad", "signing key", f"{file} is not there: correct ledger.key")
    try:
        own = notes.verifier(notes.load_key(file).public_key())
        known = [notes.verifier(key) for key in head_files.public_keys(settings).publics]
    except Unavailable as wrong:
        return Finding("bad", "signing key", wrong.detail)
    except FileNotFoundError:
        return Finding("ok", "signing key", str(file))
    except (OSError, ValueError) as wrong:
        return Finding("bad", "signing key", f"{public} is damaged ({wrong}): put a copy of it back")
    if own != known[-1] and not signing.next_key_file(settings).exists():
        return Finding("bad", "signing key", f"{file} is not the newest key of {public}: put that one back")
    return Finding("ok", "signing key", f"{file}{f', after {len(known) - 1} before it' if known[1:] else ''}")


def _heads(settings: Settings) -> Finding:
    """A second place protects only against what happens to the first."""
    subject, second = "second place for heads", settings.ledger.heads
    if second is None:
        cure = "set ledger.heads to a folder on another machine or disk"
        return Finding("note", subject, f"none, so a rollback of the whole data folder is not seen: {cure}")
    if not second.is_dir():
        return Finding("bad", subject, f"{second} is not there: make it, or correct ledger.heads")
    if not os.access(second, os.W_OK):
        return Finding("bad", subject, f"{second} cannot be written: correct its owner")
    if second.resolve().is_relative_to(settings.data.resolve()):
        return Finding(
            "bad", subject, f"{second} is inside the data folder: set ledger.heads to another place"
        )
    if settings.data.is_dir() and second.stat().st_dev == settings.data.stat().st_dev:
        return Finding("note", subject, f"{second} is on the same disk as the data: better on another")
    return Finding("ok", subject, str(second))
