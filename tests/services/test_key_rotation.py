"""A new signing key: introduced by the old one, which from then on signs nothing that counts."""

from __future__ import annotations

import json
import os
import stat
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from console.cli import app
from console.domain.access import Actor, Role
from console.services import head_files, notes
from console.services.accounts import OPERATOR
from console.services.deps import Deps
from console.services.export import stream
from console.services.heads import Signer, rotate
from console.services.verify import BROKEN, CUT, INTACT, UNREADABLE, Report, verify
from tests.services.test_export_alone import module
from tests.services.test_heads import append, changed, folder, sign_once, size_of
from tests.services.world import World, rows

ADA = Actor("id-ada", "ada", Role.ADMIN)


def check(deps: Deps, since: int | None = None) -> Report:
    settings = deps.settings
    files, public = head_files.files(settings), head_files.public_key_file(settings)
    return verify(settings.data / "console.db", files, public, deep=True, since=since)


def public(deps: Deps) -> list[str]:
    """The lines of ledger.pub that are keys."""
    text = head_files.public_key_file(deps.settings).read_text()
    return [line for line in text.splitlines() if line.startswith("review-console+")]


def name_of(key: Ed25519PrivateKey) -> str:
    return notes.verifier(key.public_key())


def current(deps: Deps) -> str:
    return name_of(notes.load_key(deps.settings.ledger_key))


def announced(deps: Deps) -> list[dict[str, Any]]:
    query = "SELECT body FROM ledger JOIN ledger_facet USING (seq) WHERE kind = 'key_rotated' ORDER BY seq"
    return [json.loads(body) for (body,) in rows(deps.settings.data / "console.db", query)]


@pytest.fixture
def rotated(idle: World) -> tuple[Deps, Ed25519PrivateKey]:
    """With two entries more, unsigned, and the key that was stolen before it was replaced."""
    append(idle.deps, 2)
    sign_once(idle.deps)
    stolen = notes.load_key(idle.deps.settings.ledger_key)
    append(idle.deps, 1)
    rotate(idle.deps, OPERATOR, " the laptop was stolen ")
    append(idle.deps, 2)
    return idle.deps, stolen


def test_both_keys_sign_the_head_that_covers_the_entry_about_it(
    rotated: tuple[Deps, Ed25519PrivateKey],
) -> None:
    deps, old = rotated
    (entry,) = announced(deps)
    assert entry["actor"] == {"id": "cli", "name": "operator", "role": "admin"}
    assert (entry["old_key"], entry["new_key"]) == (name_of(old), current(deps))
    assert entry["reason"] == "the laptop was stolen"
    assert public(deps) == [name_of(old), current(deps)]
    (introduced,) = head_files.public_keys(deps.settings).introductions
    assert introduced.size == entry["seq"]
    assert introduced.text.count("— review-console ") == 2
    assert introduced.text in head_files.files(deps.settings)[0].read_text()


def test_the_new_key_is_for_its_owner_and_the_old_one_is_nowhere(
    rotated: tuple[Deps, Ed25519PrivateKey],
) -> None:
    deps, _ = rotated
    path = deps.settings.ledger_key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_what_each_key_signed_is_verified_whole_and_from_any_head(
    rotated: tuple[Deps, Ed25519PrivateKey],
) -> None:
    deps, _ = rotated
    sign_once(deps)
    signed = [head.size for head in all_heads(deps)]
    assert [size_of(deps) - size for size in signed] == [4, 3, 2, 0]
    assert check(deps).status == INTACT
    for size in signed:
        report = check(deps, since=size)
        assert (report.status, report.skipped) == (INTACT, size)
    newest = head_files.newest(deps.settings)
    assert newest is not None
    assert newest.size == size_of(deps)


def all_heads(deps: Deps) -> list[notes.Head]:
    text = head_files.files(deps.settings)[0].read_text()
    return notes.read_heads(text, head_files.public_keys(deps.settings), None)


def test_whoever_stole_the_old_key_cannot_sign_a_later_head(
    rotated: tuple[Deps, Ed25519PrivateKey],
) -> None:
    deps, stolen = rotated
    newest = sign_once(deps)._frontier
    (honest,) = [head for head in all_heads(deps) if head.size == newest.size]
    forged = notes.sign([stolen], honest.text.split("\n")[0], newest.size, newest.root())
    file = head_files.files(deps.settings)[0]
    file.write_text(file.read_text().replace(honest.text, forged))
    report = check(deps)
    assert (report.status, report.reason) == (
        BROKEN,
        "1 heads were not signed by a key of this log that counts there",
    )
    found = head_files.newest(deps.settings)
    assert found is not None
    assert found.size < newest.size


def test_whoever_stole_the_old_key_cannot_introduce_another(rotated: tuple[Deps, Ed25519PrivateKey]) -> None:
    """Not after the one that was introduced, and not beside it: the order in ledger.pub counts."""
    deps, stolen = rotated
    frontier, mine = sign_once(deps)._frontier, Ed25519PrivateKey.generate()
    origin = all_heads(deps)[0].text.split("\n")[0]
    file = head_files.public_key_file(deps.settings)
    note = notes.sign([stolen, mine], origin, frontier.size, frontier.root())
    file.write_text(f"{file.read_text()}{name_of(mine)}\n{note}")
    report = check(deps)
    assert (report.status, report.reason) == (
        UNREADABLE,
        "the heads cannot be checked: no head is signed by key 3 and the one before it",
    )


def test_a_key_that_no_head_introduces_makes_nothing_valid(rotated: tuple[Deps, Ed25519PrivateKey]) -> None:
    deps, _ = rotated
    file = head_files.public_key_file(deps.settings)
    file.write_text("\n".join(public(deps)) + "\n")
    report = check(deps)
    assert (report.status, "key 2" in report.reason) == (UNREADABLE, True)
    assert head_files.newest(deps.settings) is None


def test_the_head_in_the_file_of_keys_tells_of_a_log_that_was_cut(
    rotated: tuple[Deps, Ed25519PrivateKey],
) -> None:
    deps, _ = rotated
    sign_once(deps)
    introduced = head_files.public_keys(deps.settings).introductions[0].size
    file = head_files.files(deps.settings)[0]
    file.write_text(all_heads(deps)[0].text + "\n")
    changed(deps, f"DELETE FROM ledger WHERE seq >= {introduced}")
    report = check(deps)
    assert (report.status, f"a head of {introduced} entries" in report.reason) == (CUT, True)


def test_a_running_signer_goes_on_with_the_new_key(idle: World) -> None:
    signer = Signer(idle.deps)
    signer.start()
    old = current(idle.deps)
    rotate(idle.deps, OPERATOR, "every year")
    append(idle.deps, 1)
    signer.stop()
    newest = all_heads(idle.deps)[-1]
    assert newest.size == size_of(idle.deps)
    assert newest.text.count("— ") == 1
    by_new = notes.read_heads(newest.text, notes.Keys.read(current(idle.deps)), None)[0].valid
    by_old = notes.read_heads(newest.text, notes.Keys.read(old), None)[0].valid
    assert (by_new, by_old) == (True, False)
    assert check(idle.deps).status == INTACT


def test_keys_can_be_changed_again_and_again(idle: World) -> None:
    before = b"".join(stream(idle.deps, ADA, format="jsonl")).decode()
    used = []
    for number in range(3):
        rotate(idle.deps, OPERATOR, f"round {number}")
        used.append(current(idle.deps))
    assert public(idle.deps)[1:] == used
    assert len(set(public(idle.deps))) == 4
    after = b"".join(stream(idle.deps, ADA, format="jsonl")).decode()
    keys = head_files.public_key_file(idle.deps.settings).read_text()
    for text in (before, after):
        assert module().check(iter(text.splitlines()), keys)[0] == 4
    assert json.loads(after.splitlines()[-1])["key"] == used[-1].rsplit("+", 1)[0]
    sign_once(idle.deps)
    assert check(idle.deps).status == INTACT


def test_an_export_with_a_later_head_of_the_old_key_does_not_verify(
    rotated: tuple[Deps, Ed25519PrivateKey],
) -> None:
    deps, stolen = rotated
    frontier = sign_once(deps)._frontier
    lines = b"".join(stream(deps, ADA, format="jsonl")).decode().splitlines()
    keys = head_files.public_key_file(deps.settings).read_text()
    assert module().check(iter(lines), keys)[0] == 4
    last = json.loads(lines[-1])
    origin = last["heads"][0].split("\n")[0]
    last["heads"][-1] = notes.sign([stolen], origin, frontier.size, frontier.root())
    with pytest.raises(ValueError, match="a key that counts there"):
        module().check(iter([*lines[:-1], json.dumps(last)]), keys)
    with pytest.raises(ValueError, match="key 2 is not introduced"):
        module().check(iter(lines), "\n".join(public(deps)))


def test_from_the_command_line(idle: World, capsys: pytest.CaptureFixture[str]) -> None:
    sign_once(idle.deps)
    before = current(idle.deps)
    data = str(idle.folder)
    with pytest.raises(SystemExit) as ended:
        app(["audit", "rotate-key", "--reason", "every year", "--data", data])
    said = capsys.readouterr().out
    assert (ended.value.code or 0, f"entry {size_of(idle.deps)} says so" in said) == (0, True)
    assert current(idle.deps) != before
    for words in (
        ["verify", "--deep"],
        ["verify", "--since", str(folder(idle.deps) / "heads.txt")],
        ["head"],
    ):
        with pytest.raises(SystemExit) as ended:
            app(["audit", *words, "--data", data])
        assert (ended.value.code or 0) == 0, words
