"""An export says by itself whether it is whole: to one file that knows nothing of the console."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from console.domain.access import Actor, Role
from console.domain.fingerprint import words as spoken
from console.domain.ledger import Kind
from console.services import head_files, redact
from console.services.deps import Deps
from console.services.export import as_text, stream
from console.services.heads import Signer
from console.store import ledger
from console.store.engine import write
from tests.services.world import demo_deps
from tests.serving import ROOT

ADA = Actor("id-ada", "ada", Role.ADMIN)
ALONE = ROOT / "docs" / "verify_export.py"
DENIED = 30
# Before them one entry for each demo account.
ENTRIES = DENIED + 5
Lines = list[str]


def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_export", ALONE)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def sign(deps: Deps) -> None:
    signer = Signer(deps)
    signer.start()
    signer.stop()


@pytest.fixture(scope="module")
def deps(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Deps:
    folder = tmp_path_factory.mktemp("exported")
    shutil.copy(tables, folder / "console.db")
    made = demo_deps(folder)
    for number in range(DENIED):
        hostile = f'=HYPERLINK("x{number}")\n\u202e\x1b[31m'
        entry = ledger.Entry(
            Kind.DENIED, ADA, tool=hostile, payload='{"secret": 1}', more={"reason": hostile}
        )
        with write(made.engine) as connection:
            ledger.append(connection, entry)
    sign(made)
    return made


@pytest.fixture(scope="module")
def whole(deps: Deps) -> Lines:
    """Taken under a head of all entries but the export's own."""
    return b"".join(stream(deps, ADA, format="jsonl")).decode().splitlines(keepends=True)


def key_of(deps: Deps) -> str:
    return (deps.settings.data / "heads" / "ledger.pub").read_text()


def test_a_whole_export_is_whole_up_to_its_own_entry(deps: Deps, whole: Lines) -> None:
    status, words = module().check(iter(whole), key_of(deps))
    newest = "\n".join(json.loads(whole[-1])["heads"][-1].split("\n")[:3])
    told = f"{ENTRIES + 1} entries, each follows the one before it; the first {ENTRIES} are signed"
    assert (status, words) == (4, f"{told} (head: {spoken(newest.encode())})")


def test_an_export_holds_no_payload(whole: Lines) -> None:
    assert not [line for line in whole if "secret" in line]


def test_it_runs_as_a_command_far_from_the_console(deps: Deps, whole: Lines, tmp_path: Path) -> None:
    shutil.copy(ALONE, tmp_path / "verify_export.py")
    (tmp_path / "log.jsonl").write_text("".join(whole), encoding="utf-8")
    (tmp_path / "ledger.pub").write_text(key_of(deps))
    done = subprocess.run(
        [sys.executable, "-I", "verify_export.py", "log.jsonl", "ledger.pub"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (4, "")
    assert "import console" not in ALONE.read_text()
    assert "from console" not in ALONE.read_text()


def changed(at: int, old: str, new: str) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        assert old in lines[at]
        found = list(lines)
        found[at] = found[at].replace(old, new, 1)
        return found

    return change


def rechained(lines: Lines) -> Lines:
    """Someone changes an entry and hashes everything after it anew; only the signature is beyond them."""
    own = module()
    first, rest = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]
    before = own.sha(b"review-console ledger v1" + first["install_id"].encode())
    for row in rest[:-1]:
        if row["seq"] == 9:
            row["body"] = row["body"].replace('"name":"ada"', '"name":"sam"')
        row["prev"] = before.hex()
        before = own.sha(b"\x01" + before + own.sha(b"\x00" + row["body"].encode()))
        row["hash"] = before.hex()
    rest[-1]["last_hash"] = before.hex()
    return [json.dumps(each) + "\n" for each in (first, *rest)]


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        (changed(9, '\\"name\\":\\"ada\\"', '\\"name\\":\\"sam\\"'), 1, "entry 9 does not hash"),
        (changed(5, '"hash":"', '"hash":"00'), 1, "entry 5 does not hash"),
        (changed(5, '"seq":5', '"seq":6'), 1, "entry 6 does not hash"),
        (lambda lines: [*lines[:5], *lines[6:]], 1, "entry 5 is missing"),
        (lambda lines: [*lines[:5], lines[6], lines[5], *lines[7:]], 1, "entry 5 is missing"),
        (lambda lines: [*lines[:6], *lines[5:]], 1, "entry 6 is missing"),
        (lambda lines: [*lines[:-3], lines[-1]], 1, "the export is cut"),
        (lambda lines: lines[:-1], 1, "the export is cut"),
        (lambda lines: [*lines, lines[-2]], 1, "something follows"),
        (rechained, 1, f"the first {ENTRIES} entries are not those that were signed"),
        (changed(-1, f"\\n{ENTRIES}\\n", f"\\n{ENTRIES - 1}\\n"), 1, "a head's signature is wrong"),
        (lambda lines: ["not json\n"], 2, "not readable"),
        (lambda lines: [], 2, "not readable"),
        (changed(0, "export/1", "export/9"), 2, "this is no export"),
    ],
)
def test_whatever_was_changed_is_found(
    deps: Deps,
    whole: Lines,
    tmp_path: Path,
    change: Callable[[Lines], Lines],
    status: int,
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "log.jsonl").write_text("".join(change(whole)), encoding="utf-8")
    (tmp_path / "ledger.pub").write_text(key_of(deps))
    found = module().main(str(tmp_path / "log.jsonl"), str(tmp_path / "ledger.pub"))
    assert (found, words in (said := capsys.readouterr().out)) == (status, True), said


def test_another_key_verifies_nothing(deps: Deps, whole: Lines, tables: Path, tmp_path: Path) -> None:
    shutil.copy(tables, tmp_path / "console.db")
    other = demo_deps(tmp_path)
    sign(other)
    with pytest.raises(ValueError, match="not signed by a key that counts"):
        module().check(iter(whole), key_of(other))
    other.engine.dispose()


@pytest.mark.parametrize("by", ["size", "file"])
def test_an_export_that_ends_at_an_earlier_head_does_not_reach_the_newest(
    deps: Deps, tmp_path: Path, by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cut back to a head that was really signed: only who knows a later one sees it."""
    early = b"".join(stream(deps, ADA, format="jsonl")).decode()
    with write(deps.engine) as connection:
        ledger.append(connection, ledger.Entry(Kind.LOGIN, ADA))
    sign(deps)
    newest = head_files.newest(deps.settings)
    assert newest is not None
    (tmp_path / "log.jsonl").write_text(early, encoding="utf-8")
    (tmp_path / "ledger.pub").write_text(key_of(deps))
    (tmp_path / "head.txt").write_text(newest.text, encoding="utf-8")
    command = [str(tmp_path / "log.jsonl"), str(tmp_path / "ledger.pub")]
    head = str(newest.size) if by == "size" else str(tmp_path / "head.txt")
    assert module().main(*command) == 4
    assert module().main(*command, head) == 3
    assert f"does not reach {newest.size} signed entries" in capsys.readouterr().out
    (tmp_path / "log.jsonl").write_bytes(b"".join(stream(deps, ADA, format="jsonl")))
    assert module().main(*command, head) == 4


@pytest.mark.parametrize("head", ["nothing", "empty", "of another log"])
def test_a_head_that_is_none_is_not_taken_for_one(
    deps: Deps, whole: Lines, tables: Path, tmp_path: Path, head: str
) -> None:
    shutil.copy(tables, tmp_path / "console.db")
    other = demo_deps(tmp_path)
    sign(other)
    texts = {
        "nothing": "no head",
        "empty": "",
        "of another log": head_files.files(other.settings)[0].read_text(),
    }
    other.engine.dispose()
    (tmp_path / "log.jsonl").write_text("".join(whole), encoding="utf-8")
    (tmp_path / "ledger.pub").write_text(key_of(deps))
    (tmp_path / "head.txt").write_text(texts[head], encoding="utf-8")
    assert module().main(*(str(tmp_path / name) for name in ("log.jsonl", "ledger.pub", "head.txt"))) == 2


def test_a_filtered_export_does_not_claim_to_be_whole(deps: Deps) -> None:
    lines = b"".join(stream(deps, ADA, format="jsonl", kind="denied")).decode().splitlines()
    status, words = module().check(iter(lines), key_of(deps))
    assert (status, words) == (
        2,
        f"{DENIED} entries hash right; the export is filtered, so what is missing cannot be told",
    )
    assert json.loads(lines[-1])["complete"] is False


def test_an_erased_payload_leaves_an_export_whole(deps: Deps) -> None:
    redact.erase(deps, ADA, 9, "asked for by the customer")
    sign(deps)
    lines = b"".join(stream(deps, ADA, format="jsonl")).decode().splitlines()
    assert module().check(iter(lines), key_of(deps))[0] == 4


def test_no_cell_of_a_spreadsheet_calculates(deps: Deps) -> None:
    text = b"".join(stream(deps, ADA, format="csv")).decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0][0] == "seq"
    assert rows[-1][0] == "sha256 of all lines above"
    assert len(rows) > ENTRIES + 2
    assert not [cell for row in rows for cell in row if cell.lstrip()[:1] in set("=+-@＝＋－＠")]
    tools = [row[rows[0].index("tool")] for row in rows[1:-1]]
    assert '\'=HYPERLINK("x0")\n\u202e\x1b[31m' in tools


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "\u00a0=1",
        "＝1",
        "＋1",
        "－1",
        "＠x",
        "-2+3+cmd|' /C calc'!A0",
        '=HYPERLINK("http://x","y")',
        "'",
    ],
)
def test_a_formula_is_shown_instead_of_calculated(cell: str) -> None:
    assert as_text(cell) == (cell if cell == "'" else f"'{cell}")


@pytest.mark.parametrize("cell", ["", "a=b", "1", "12-3", "x@y", "A-2048", "2026-01-01T00:00:00.000000Z"])
def test_what_is_no_formula_is_left_alone(cell: str) -> None:
    assert as_text(cell) == cell
