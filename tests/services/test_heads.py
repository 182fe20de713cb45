"""When heads are signed, from where a signer goes on, and what it refuses to sign."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from console.domain.access import Actor, Role
from console.domain.errors import Unavailable
from console.domain.ledger import Kind
from console.domain.merkle import Frontier
from console.services import frontiers, head_files, heads, notes
from console.services.deps import Deps
from console.services.heads import Contradiction, Signer, folder
from console.settings import LedgerSettings, ServerSettings
from console.store import ledger
from console.store.engine import read, write
from tests.services.world import World, wait_for

ADA = Actor("id-ada", "ada", Role.ADMIN)


def append(deps: Deps, count: int) -> None:
    with write(deps.engine) as connection:
        for _ in range(count):
            ledger.append(connection, ledger.Entry(Kind.LOGIN, ADA))


def size_of(deps: Deps) -> int:
    with read(deps.engine) as connection:
        return ledger.size(connection)


def signed(deps: Deps) -> list[int]:
    """Sizes of the valid heads in our own file, in their order."""
    keys = notes.Keys.read(head_files.public_key_file(deps.settings).read_text())
    text = (folder(deps) / "heads.txt").read_text()
    return [head.size for head in notes.read_heads(text, keys, None) if head.valid]


def sign_once(deps: Deps) -> Signer:
    """As at the start of a server and its stop."""
    signer = Signer(deps)
    signer.start()
    signer.stop()
    return signer


@contextmanager
def started(deps: Deps) -> Iterator[Signer]:
    signer = Signer(deps)
    signer.start()
    try:
        yield signer
    finally:
        signer.stop()


def changed(deps: Deps, statement: str) -> None:
    with closing(sqlite3.connect(deps.settings.data / "console.db", timeout=30)) as db, db:
        for name in ("ledger_no_update", "ledger_no_delete", "ledger_next"):
            db.execute(f"DROP TRIGGER IF EXISTS {name}")
        db.execute(statement)


def with_settings(deps: Deps, **values: object) -> Deps:
    return replace(deps, settings=deps.settings.model_copy(update=values))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "LOOK_SECONDS", 0.01)


@pytest.mark.usefixtures("quick")
def test_many_entries_are_signed_without_waiting(idle: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "WITHIN_SECONDS", 3_600.0)
    with started(idle.deps):
        before = size_of(idle.deps)
        append(idle.deps, heads.EVERY_ENTRIES - 1)
        looked: list[bool] = []
        monkeypatch.setattr(Signer, "_is_due", watched(Signer._is_due, looked))
        wait_for(lambda: len(looked) > 2)
        assert signed(idle.deps) == [before]
        append(idle.deps, 1)
        wait_for(lambda: signed(idle.deps) == [before, before + heads.EVERY_ENTRIES])


def watched(asked, answers):  # type: ignore[no-untyped-def]
    def ask(self: Signer) -> bool:
        found = asked(self)
        answers.append(found)
        return bool(found)

    return ask


@pytest.mark.usefixtures("quick")
def test_a_single_entry_is_signed_after_a_while(idle: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "WITHIN_SECONDS", 0.05)
    with started(idle.deps):
        before = size_of(idle.deps)
        append(idle.deps, 1)
        wait_for(lambda: signed(idle.deps) == [before, before + 1])


def test_nothing_new_is_nothing_to_sign(idle: World) -> None:
    signer = sign_once(idle.deps)
    assert not signer._is_due()
    signer.sign()
    assert signed(idle.deps) == [size_of(idle.deps)]


def test_heads_go_to_the_second_place_too_and_it_tells_of_an_old_copy(idle: World, tmp_path: Path) -> None:
    deps = with_settings(idle.deps, ledger=LedgerSettings(heads=tmp_path / "elsewhere" / "deep"))
    append(deps, 2)
    old = tmp_path / "old"
    sign_once(deps)
    shutil.copytree(folder(deps), old)
    append(deps, 3)
    sign_once(deps)
    second = tmp_path / "elsewhere" / "deep" / "heads.txt"
    assert second.read_text() == (folder(deps) / "heads.txt").read_text()
    (folder(deps) / "heads.txt").write_text((old / "heads.txt").read_text())
    changed(deps, f"DELETE FROM ledger WHERE seq > {size_of(deps) - 1}")
    with pytest.raises(Contradiction, match="was signed"):
        Signer(deps).sign()


@pytest.mark.parametrize("harm", ["gone", "of another log"])
def test_a_tree_that_does_not_fit_its_head_is_computed_anew(idle: World, harm: str) -> None:
    sign_once(idle.deps)
    size = size_of(idle.deps)
    kept = folder(idle.deps) / frontiers.FILE
    kept.unlink()
    if harm == "of another log":
        frontiers.keep(folder(idle.deps), Frontier(size, [bytes(32)] * size.bit_count()))
    append(idle.deps, 1)
    sign_once(idle.deps)
    assert signed(idle.deps) == [size, size + 1]


def test_a_changed_entry_below_the_last_head_ends_the_signing(
    idle: World, caplog: pytest.LogCaptureFixture
) -> None:
    sign_once(idle.deps)
    before = signed(idle.deps)
    (folder(idle.deps) / frontiers.FILE).unlink()
    changed(idle.deps, "UPDATE ledger SET body = replace(body, '\"v\":1', '\"v\":2') WHERE seq = 1")
    append(idle.deps, 1)
    with caplog.at_level(logging.ERROR, "console.heads"):
        sign_once(idle.deps)
    assert "are not those that were signed" in caplog.text
    assert "verify it" in idle.deps.unsigned
    assert signed(idle.deps) == before


def test_a_torn_note_and_foreign_text_do_not_stand_in_the_way(idle: World) -> None:
    sign_once(idle.deps)
    size = size_of(idle.deps)
    with (folder(idle.deps) / "heads.txt").open("ab") as file:
        file.write(b"review-console/xyz\n999999\nAAAA")
    append(idle.deps, 1)
    sign_once(idle.deps)
    assert signed(idle.deps) == [size, size + 1]


def test_away_from_loopback_nobody_makes_a_key_by_itself(idle: World) -> None:
    deps = with_settings(idle.deps, server=ServerSettings(host="0.0.0.0"))
    with pytest.raises(Unavailable, match="cannot be read"):
        Signer(deps)
    assert not deps.settings.ledger_key.exists()
    notes.make_key(deps.settings.ledger_key)
    sign_once(deps)
    assert signed(deps) == [size_of(deps)]


def test_only_an_ed25519_key_signs(idle: World) -> None:
    path = idle.deps.settings.ledger_key
    path.parent.mkdir(parents=True)
    pem = generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(pem)
    with pytest.raises(Unavailable, match="not an Ed25519 key"):
        Signer(idle.deps)


def test_a_key_that_is_there_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "ledger.key"
    notes.make_key(path)
    before = path.read_bytes()
    notes.make_key(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("line", [0, 1, 2, 4])
def test_a_note_in_which_any_line_was_changed_is_no_head(idle: World, line: int) -> None:
    sign_once(idle.deps)
    keys = notes.Keys((notes.load_key(idle.deps.settings.ledger_key).public_key(),))
    lines = (folder(idle.deps) / "heads.txt").read_text().splitlines()
    assert [head.valid for head in notes.read_heads("\n".join(lines), keys, None)] == [True]
    changed_to = {0: f"{lines[0]}0", 1: f"{lines[1]}0", 2: lines[2][::-1], 4: lines[4][:-9] + "AAAAAAA=="}
    lines[line] = changed_to[line]
    assert not any(head.valid for head in notes.read_heads("\n".join(lines), keys, None))


def test_a_note_that_another_key_signed_is_no_head(idle: World, tmp_path: Path) -> None:
    sign_once(idle.deps)
    own = head_files.public_keys(idle.deps.settings)
    notes.make_key(tmp_path / "other.key")
    other = notes.load_key(tmp_path / "other.key")
    keys = notes.Keys((other.public_key(),))
    note = notes.sign([other], "review-console/x", 3, bytes(32))
    assert [head.valid for head in notes.read_heads(note, keys, None)] == [True]
    assert [head.valid for head in notes.read_heads(note, own, None)] == [False]
    assert [head.valid for head in notes.read_heads(note, keys, "review-console/y")] == [False]
