"""The key that signs heads, and how the next one takes its place.

The next key lies beside the key, is announced by an entry, then introduced by a head that both sign, then
named in ledger.pub, and at last renamed over the key. Whoever signs takes up where a process ended between
two of these, so there is a key that signs at every moment. The old key is not kept: it could sign nothing
that counts.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from console.domain.access import Actor, Permission, require
from console.domain.errors import Conflict, Invalid, Problem, Unavailable
from console.domain.ledger import Kind
from console.domain.text import has_lone_surrogate
from console.services import head_files, notes
from console.services.changes import Change
from console.services.deps import Deps
from console.settings import Settings
from console.store import ledger, ledger_search
from console.store.engine import read, write
from console.store.ledger_search import Filter

MAX_REASON = 2_000


def next_key_file(settings: Settings) -> Path:
    return settings.ledger_key.with_name(settings.ledger_key.name + ".next")


def keys(deps: Deps) -> list[Ed25519PrivateKey]:
    """Those that have to sign the next head: one, or two when a new key is announced and not in its place.

    Refused where ledger.pub names another key as the newest: nobody could check what this one signs.
    """
    path, public = deps.settings.ledger_key, head_files.public_key_file(deps.settings)
    found = [notes.load_key(path)]
    following = next_key_file(deps.settings)
    if following.exists():
        introduced = notes.load_key(following)
        if _is_announced(deps, notes.verifier(introduced.public_key())):
            found.append(introduced)
        else:
            following.unlink()
    if not public.exists():
        _replace(public, notes.verifier(found[0].public_key()) + "\n")
    newest = notes.verifier(head_files.public_keys(deps.settings).publics[-1])
    if newest not in [notes.verifier(key.public_key()) for key in found]:
        cure = "put the key that it names back, since only `console audit rotate-key` can change it"
        raise Unavailable(f"The signing key {path} is not the newest one of {public}: {cure}.")
    return found


def _is_announced(deps: Deps, public: str) -> bool:
    with read(deps.engine) as connection:
        rows = ledger_search.page(connection, Filter(kind=Kind.KEY_ROTATED.value), None, 1)
    return any(ledger.body_of(row).get("new_key") == public for row in rows)


def refuse(actor: Actor, reason: str) -> str:
    """Whoever may not, and a change without a reason. The reason, without the blanks around it."""
    require(actor, Permission.ADMINISTER)
    reason = reason.strip()
    if not reason or len(reason) > MAX_REASON or has_lone_surrogate(reason):
        raise Invalid([Problem(f"say why, in 1 to {MAX_REASON} characters", pointer="/reason")])
    return reason


def refuse_place(path: Path) -> None:
    """A key file that cannot be replaced is found before anything is written."""
    about = f"The signing key {path} cannot be replaced"
    if path.stat().st_uid != os.geteuid():
        raise Conflict(f"{about} by this user: run this as the one who owns it.", kind="key-elsewhere")
    if path.is_symlink() or os.path.ismount(path) or not os.access(path.parent, os.W_OK):
        cure = "move it to a folder that the console may write, and name that in ledger.key"
        raise Conflict(f"{about}, since others manage its place: {cure}.", kind="key-elsewhere")


def announce(deps: Deps, actor: Actor, reason: str) -> int:
    """Makes the next key and the entry that names it; the entry's number.

    To be called with the heads locked, after what is there was signed.
    """
    old = notes.load_key(deps.settings.ledger_key)
    following = next_key_file(deps.settings)
    part = following.with_name(following.name + ".part")
    part.unlink(missing_ok=True)
    notes.make_key(part)
    _rename(part, following)
    new = notes.load_key(following)
    more = {
        "old_key": notes.verifier(old.public_key()),
        "new_key": notes.verifier(new.public_key()),
        "reason": reason,
    }
    with write(deps.engine) as connection:
        seq = ledger.append(connection, ledger.Entry(Kind.KEY_ROTATED, actor, more=more))
    deps.changes.publish(Change("audit"))
    return seq


def take_over(deps: Deps, new: Ed25519PrivateKey, note: str) -> None:
    """After `note`, a head that both keys signed, is written. It stands in ledger.pub, too."""
    public, line = head_files.public_key_file(deps.settings), notes.verifier(new.public_key())
    known = public.read_text()
    if line not in known.splitlines():
        _replace(public, f"{known.rstrip()}\n{line}\n{note}")
    following = next_key_file(deps.settings)
    try:
        _rename(following, deps.settings.ledger_key)
    except OSError as wrong:
        cure = f"move {following} there"
        raise Unavailable(
            f"{deps.settings.ledger_key} cannot be replaced ({wrong.strerror}): {cure}."
        ) from None


def _replace(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    with part.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    _rename(part, path)


def _rename(old: Path, new: Path) -> None:
    """So that it outlives a power cut."""
    old.replace(new)
    folder = os.open(new.parent, os.O_RDONLY)
    with suppress(OSError):
        os.fsync(folder)
    os.close(folder)
