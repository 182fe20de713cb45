"""The ledger is verified against its signed heads: what was changed is found, and nothing else is."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from console.domain.access import Actor, Role
from console.domain.ledger import Kind, link
from console.services import redact
from console.services.deps import Deps
from console.services.heads import Contradiction, Signer
from console.services.verify import BROKEN, CUT, INTACT, UNREADABLE, UNSIGNED, Report, verify
from console.store import ledger
from console.store.engine import write
from tests.services.world import World, demo_deps
from tests.serving import ROOT, environment

ENTRIES = 60
ADA = Actor("id-ada", "ada", Role.ADMIN)


def append(deps: Deps, count: int) -> None:
    for number in range(count):
        entry = ledger.Entry(Kind.LOGIN, ADA, payload=f'{{"n": {number}}}', more={"address": str(number)})
        with write(deps.engine) as connection:
            ledger.append(connection, entry)


def check(folder: Path, *, deep: bool = True) -> Report:
    heads = folder / "heads"
    return verify(folder / "console.db", [heads / "heads.txt"], heads / "ledger.pub", deep=deep)


@contextmanager
def opened(folder: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(folder / "console.db", timeout=30)) as database, database:
        yield database


def tamper(folder: Path, *statements: str) -> None:
    """As someone with the file and a shell would: triggers first."""
    with opened(folder) as database:
        for name in ("ledger_next", "ledger_no_update", "ledger_no_delete"):
            database.execute(f"DROP TRIGGER IF EXISTS {name}")
        for statement in statements:
            database.execute(statement)


def sign(deps: Deps) -> None:
    signer = Signer(deps)
    signer.start()
    signer.stop()


def forget_wal(folder: Path) -> None:
    for name in ("console.db-wal", "console.db-shm"):
        (folder / name).unlink(missing_ok=True)


@pytest.fixture(scope="module")
def template(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of some entries under a head, made once."""
    folder = tmp_path_factory.mktemp("signed")
    shutil.copy(tables, folder / "console.db")
    deps = demo_deps(folder)
    append(deps, ENTRIES)
    sign(deps)
    deps.engine.dispose()
    return folder


@pytest.fixture
def signed(idle: World, template: Path) -> Path:
    """The same log in this test's own folder, nobody running."""
    folder = idle.deps.settings.data
    idle.deps.engine.dispose()
    forget_wal(folder)
    shutil.copy(template / "console.db", folder / "console.db")
    for name in ("heads", "keys"):
        shutil.copytree(template / name, folder / name)
    return folder


def last(folder: Path) -> int:
    with opened(folder) as database:
        return int(database.execute("SELECT max(seq) FROM ledger").fetchone()[0])


@pytest.mark.parametrize("deep", [False, True])
def test_an_untouched_log_is_intact(signed: Path, deep: bool) -> None:
    report = check(signed, deep=deep)
    assert (report.status, report.entries, report.warnings) == (INTACT, last(signed), [])


@pytest.mark.parametrize("seq", [1, 17, ENTRIES])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE ledger SET body = replace(body, '\"v\":1', '\"v\":2') WHERE seq = {seq}",
        "UPDATE ledger SET hash = zeroblob(32) WHERE seq = {seq}",
        "UPDATE ledger SET prev = zeroblob(32) WHERE seq = {seq}",
        "DELETE FROM ledger WHERE seq = {seq}",
        "UPDATE ledger SET seq = 100000 WHERE seq = {seq}",
    ],
)
def test_a_changed_entry_is_named(signed: Path, seq: int, change: str) -> None:
    tamper(signed, change.format(seq=seq))
    report = check(signed, deep=False)
    assert (report.status, report.first_bad) == (BROKEN, seq)


def test_two_swapped_entries_are_found_at_the_first(signed: Path) -> None:
    swap = "UPDATE ledger SET seq = {a} WHERE seq = {b}"
    steps = ((-1, 20), (20, 30), (30, -1))
    tamper(signed, *(swap.format(a=a, b=b) for a, b in steps))
    assert check(signed, deep=False).first_bad == 20


def test_a_log_that_was_rewritten_and_chained_again_contradicts_its_head(signed: Path) -> None:
    """Whoever can change an entry can also compute every later hash; the signature is what they lack."""
    tamper(signed)
    with opened(signed) as database:
        rows = database.execute("SELECT seq, body, prev, hash FROM ledger ORDER BY seq").fetchall()
        before = rows[39][2]
        for seq, body, _, _ in rows[39:]:
            changed = body.replace('"ada"', '"sue"').encode()
            after = link(before, changed)
            row = (changed.decode(), before, after, seq)
            database.execute("UPDATE ledger SET body = ?, prev = ?, hash = ? WHERE seq = ?", row)
            before = after
    report = check(signed, deep=False)
    assert report.status == BROKEN
    assert "signed" in report.reason


@pytest.mark.parametrize("kept", [0, 1, ENTRIES - 1])
def test_a_cut_log_is_cut(signed: Path, kept: int) -> None:
    tamper(signed, f"DELETE FROM ledger WHERE seq > {kept}")
    assert check(signed).status == CUT


def test_a_log_put_back_from_an_old_copy_is_rolled_back(idle: World) -> None:
    folder = idle.deps.settings.data
    append(idle.deps, 5)
    idle.deps.engine.dispose()
    old = shutil.copy(folder / "console.db", folder / "old.db")
    append(idle.deps, 5)
    sign(idle.deps)
    idle.deps.engine.dispose()
    forget_wal(folder)
    shutil.copy(old, folder / "console.db")
    assert check(folder).status == CUT


def test_entries_after_the_last_head_are_called_unsigned(idle: World, signed: Path) -> None:
    append(idle.deps, 3)
    report = check(signed)
    assert (report.status, "3 entries are not signed" in report.reason) == (UNSIGNED, True)


def test_a_search_column_that_says_something_else_is_found_by_deep(signed: Path) -> None:
    tamper(signed, "UPDATE ledger_facet SET outcome = 'ran' WHERE seq = 12")
    assert check(signed, deep=False).status == INTACT
    assert (check(signed).status, check(signed).first_bad) == (BROKEN, 12)


@pytest.mark.parametrize(
    "body",
    [
        '{{"actor":"ada","at":"2026-01-01T00:00:00.000000Z","kind":"login","seq":{seq},"v":1}}',
        '{{"at":"2026-01-01T00:00:00.000000Z","kind":"login","seq":{seq},"v":1}}',
        '{{"actor":{{}},"at":"2026-01-01T00:00:00.000000Z","kind":["login"],"seq":{seq},"v":1}}',
        '{{"actor":{{}},"kind":"login","kind":"login","seq":{seq},"v":1}}',
        '{{"actor":{{}},"kind":"login","seq":{seq}.0,"v":1}}',
        '{{"actor":{{}},"kind":"login","n":9007199254740992,"seq":{seq},"v":1}}',
        '{{"actor":{{}},"kind":"login","seq":1,"v":1}}',
        "[{seq}]",
        "no JSON",
        "",
    ],
)
def test_an_entry_that_the_console_never_wrote_is_named_though_it_fits_the_chain(
    signed: Path, body: str
) -> None:
    seq = last(signed) + 1
    raw = body.format(seq=seq)
    with opened(signed) as database:
        (before,) = database.execute("SELECT hash FROM ledger WHERE seq = ?", (seq - 1,)).fetchone()
        database.execute(
            "INSERT INTO ledger VALUES (?, ?, ?, ?)", (seq, raw, before, link(before, raw.encode()))
        )
        database.execute(
            "INSERT INTO ledger_facet (seq, at, kind, actor_id, actor_name)"
            " VALUES (?, '2026-01-01 00:00:00.000000', 'login', '', '')",
            (seq,),
        )
    found = check(signed)
    assert (found.status, found.first_bad) == (BROKEN, seq)


def payload_of(seq: int) -> str:
    return f"(SELECT payload_id FROM ledger_facet WHERE seq = {seq})"


def test_an_erased_payload_is_counted_and_the_log_stays_intact(idle: World, signed: Path) -> None:
    redact.erase(idle.deps, idle.cast["ada"], last(signed) - 3, "asked for by the customer")
    sign(idle.deps)
    report = check(signed)
    assert (report.status, report.redacted) == (INTACT, 1)


def test_a_payload_that_vanished_without_a_word_is_found(signed: Path) -> None:
    tamper(signed, f"DELETE FROM payload WHERE id = {payload_of(last(signed) - 2)}")
    report = check(signed)
    assert (report.status, report.first_bad) == (BROKEN, last(signed) - 2)


def test_a_changed_payload_is_found(signed: Path) -> None:
    tamper(signed, f"UPDATE payload SET bytes_text = '{{}}' WHERE id = {payload_of(last(signed))}")
    report = check(signed)
    assert (report.status, report.first_bad) == (BROKEN, last(signed))


def test_missing_triggers_are_a_warning(signed: Path) -> None:
    tamper(signed)
    report = check(signed)
    assert (report.status, len(report.warnings)) == (INTACT, 3)


def test_a_head_that_someone_wrote_themselves_is_found(signed: Path) -> None:
    path = signed / "heads" / "heads.txt"
    path.write_text(path.read_text().replace("review-console/", "review-console/x", 1))
    assert check(signed).status == BROKEN


@pytest.mark.parametrize("content", [None, b"no database at all, but long enough to be looked at" * 40])
def test_what_cannot_be_read_is_called_so(signed: Path, content: bytes | None) -> None:
    database = signed / "console.db"
    database.unlink()
    if content is not None:
        database.write_bytes(content)
    assert check(signed).status == UNREADABLE


def test_no_head_is_signed_that_contradicts_an_earlier_one(idle: World, signed: Path) -> None:
    tamper(signed, "DELETE FROM ledger WHERE seq > 10")
    with pytest.raises(Contradiction, match="was signed"):
        Signer(idle.deps).sign()


def test_a_second_signer_goes_on_where_the_first_stopped(idle: World, signed: Path) -> None:
    append(idle.deps, 4)
    sign(idle.deps)
    report = check(signed)
    assert (report.status, report.entries) == (INTACT, last(signed))
    assert report.head is not None
    assert report.head.size == last(signed)


def test_the_key_is_its_owners_alone(signed: Path) -> None:
    assert stat.S_IMODE((signed / "keys" / "ledger.key").stat().st_mode) == 0o600


def exit_status(folder: Path, *options: str) -> int:
    command = [sys.executable, "-m", "console", "audit", "verify", "--data", str(folder), *options]
    return subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, check=False).returncode


def test_the_command_exits_with_the_status(idle: World, signed: Path) -> None:
    assert exit_status(signed, "--deep") == INTACT
    append(idle.deps, 1)
    assert exit_status(signed) == UNSIGNED
    tamper(signed, "UPDATE ledger SET body = '{}' WHERE seq = 3")
    assert exit_status(signed, "--fast") == BROKEN
