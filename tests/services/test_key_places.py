"""Changing the signing key: refused where it cannot be done, and taken up again where a process ended."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from console.doctor import files
from console.domain.access import Actor, Role
from console.domain.errors import Conflict, ConsoleError, Forbidden, Invalid, Unavailable
from console.services import head_files, notes, signing
from console.services.accounts import OPERATOR
from console.services.heads import Signer, rotate
from console.services.verify import INTACT
from tests.services.test_heads import append, changed, sign_once, size_of, with_settings
from tests.services.test_key_rotation import announced, check, current, name_of, public
from tests.services.world import World


class PowerCut(BaseException):
    """Nothing of the console catches it."""


def stop_at(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, call: int, after: bool) -> None:
    """The process ends in the `call`-th call of it, before or after it did what it does."""
    real: Callable[..., object] = getattr(owner, name)
    calls: list[None] = []

    def instead(*args: object, **options: object) -> object:
        calls.append(None)
        if len(calls) != call:
            return real(*args, **options)
        if after:
            real(*args, **options)
        raise PowerCut

    monkeypatch.setattr(owner, name, instead)


@pytest.mark.parametrize(
    ("owner", "name", "call", "after", "changes"),
    [
        (notes, "make_key", 2, True, False),
        (signing, "_rename", 1, True, False),
        (signing.ledger, "append", 1, False, False),
        (signing.Change, "__init__", 1, False, True),
        (Signer, "_write", 2, False, True),
        (Signer, "_write", 2, True, True),
        (signing, "_replace", 1, False, True),
        (signing, "_rename", 2, False, True),
        (signing, "_rename", 2, True, True),
        (signing, "_rename", 3, False, True),
        (signing, "_rename", 3, True, True),
    ],
)
def test_a_process_that_ends_half_way_leaves_a_key_that_signs(
    idle: World,
    monkeypatch: pytest.MonkeyPatch,
    owner: object,
    name: str,
    call: int,
    after: bool,
    changes: bool,
) -> None:
    append(idle.deps, 1)
    sign_once(idle.deps)
    append(idle.deps, 1)
    old = current(idle.deps)
    with monkeypatch.context() as patched:
        stop_at(patched, owner, name, call, after)
        with pytest.raises(PowerCut):
            rotate(idle.deps, OPERATOR, "a try")
    append(idle.deps, 1)
    sign_once(idle.deps)
    assert idle.deps.unsigned == ""
    assert (current(idle.deps) != old, len(public(idle.deps)), len(announced(idle.deps))) == (
        changes,
        1 + changes,
        int(changes),
    )
    assert public(idle.deps)[-1] == current(idle.deps)
    report = check(idle.deps)
    assert (report.status, report.warnings) == (INTACT, [])
    assert not signing.next_key_file(idle.deps.settings).exists()
    rotate(idle.deps, OPERATOR, "once more")
    assert check(idle.deps).status == INTACT
    assert os.listdir(idle.deps.settings.ledger_key.parent) == ["ledger.key"]


def test_a_key_that_ledger_pub_does_not_name_signs_nothing(idle: World) -> None:
    sign_once(idle.deps)
    before = head_files.files(idle.deps.settings)[0].read_text()
    idle.deps.settings.ledger_key.unlink()
    append(idle.deps, 1)
    sign_once(idle.deps)
    assert head_files.files(idle.deps.settings)[0].read_text() == before
    assert "Signing its heads fails" in idle.deps.unsigned
    with pytest.raises(Unavailable, match="is not the newest one of"):
        rotate(idle.deps, OPERATOR, "it is lost")


@pytest.mark.parametrize(
    ("actor", "reason", "refusal"),
    [
        (Actor("id-sam", "sam", Role.SUPERVISOR), "why not", Forbidden),
        (Actor("id-quinn", "quinn", Role.QA), "why not", Forbidden),
        (OPERATOR, "  ", Invalid),
        (OPERATOR, "x" * 2_001, Invalid),
        (OPERATOR, "half \ud83d", Invalid),
    ],
)
def test_not_everyone_and_not_without_a_reason(
    idle: World, actor: Actor, reason: str, refusal: type[ConsoleError]
) -> None:
    sign_once(idle.deps)
    before = current(idle.deps)
    with pytest.raises(refusal):
        rotate(idle.deps, actor, reason)
    assert (current(idle.deps), announced(idle.deps)) == (before, [])


@pytest.mark.parametrize("place", ["a link", "another user's", "a mount", "a closed folder"])
def test_a_key_that_others_manage_is_left_alone_with_the_cure(
    idle: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    path = tmp_path / "outside" / "own.key"
    notes.make_key(path)
    if place == "a link":
        (tmp_path / "link.key").symlink_to(path)
    elif place == "another user's":
        monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    elif place == "a mount":
        monkeypatch.setattr(os.path, "ismount", lambda found: found == path)
    else:
        monkeypatch.setattr(os, "access", lambda found, mode: found != path.parent)
    given = tmp_path / "link.key" if place == "a link" else path
    ledger = idle.deps.settings.ledger.model_copy(update={"key": given})
    deps = with_settings(idle.deps, ledger=ledger)
    before = path.read_bytes()
    with pytest.raises(Conflict, match="cannot be replaced") as refused:
        rotate(deps, OPERATOR, "every year")
    assert ": run this as" in refused.value.detail or ": move it" in refused.value.detail
    assert (path.read_bytes(), announced(deps), os.listdir(path.parent)) == (before, [], ["own.key"])


def test_a_key_outside_that_may_be_replaced_is(idle: World, tmp_path: Path) -> None:
    path = tmp_path / "outside" / "own.key"
    notes.make_key(path)
    deps = with_settings(idle.deps, ledger=idle.deps.settings.ledger.model_copy(update={"key": path}))
    rotate(deps, OPERATOR, "every year")
    assert public(deps)[-1] == name_of(notes.load_key(path))
    assert check(deps).status == INTACT


def test_no_key_is_changed_over_a_log_that_was_changed(idle: World) -> None:
    append(idle.deps, 2)
    sign_once(idle.deps)
    before = current(idle.deps)
    changed(idle.deps, f"DELETE FROM ledger WHERE seq = {size_of(idle.deps)}")
    with pytest.raises(Conflict, match="audit verify"):
        rotate(idle.deps, OPERATOR, "to cover it up")
    assert current(idle.deps) == before


def test_a_place_that_cannot_be_renamed_into_says_what_to_move(
    idle: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_once(idle.deps)
    path = idle.deps.settings.ledger_key

    def refuse(old: Path, new: Path) -> None:
        if new == path:
            raise OSError(16, "Device or resource busy")
        old.replace(new)

    with monkeypatch.context() as patched:
        patched.setattr(signing, "_rename", refuse)
        with pytest.raises(Unavailable, match=r"busy\): move .*ledger.key.next there"):
            rotate(idle.deps, OPERATOR, "every year")
    signing.next_key_file(idle.deps.settings).replace(path)
    append(idle.deps, 1)
    sign_once(idle.deps)
    assert (check(idle.deps).status, public(idle.deps)[-1]) == (INTACT, current(idle.deps))


def said_by_doctor(world: World) -> tuple[str, str]:
    (found,) = [each for each in files.answers(world.deps.settings) if each.subject == "signing key"]
    return found.mark, found.detail


def test_doctor_knows_which_key_has_to_be_there(idle: World) -> None:
    sign_once(idle.deps)
    path = idle.deps.settings.ledger_key
    old = path.read_bytes()
    assert said_by_doctor(idle) == ("ok", str(path))
    rotate(idle.deps, OPERATOR, "every year")
    assert said_by_doctor(idle) == ("ok", f"{path}, after 1 before it")
    path.write_bytes(old)
    mark, detail = said_by_doctor(idle)
    assert (mark, "is not the newest key" in detail) == ("bad", True)
    head_files.public_key_file(idle.deps.settings).write_text("nothing")
    mark, detail = said_by_doctor(idle)
    assert (mark, "there is no public key" in detail) == ("bad", True)
