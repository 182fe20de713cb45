"""The log from the command line: what is asked for, what it exits with, and what it never does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from console.cli import app
from console.domain.access import Actor, Role
from console.domain.ledger import Kind
from console.services.heads import Signer
from console.store import ledger
from console.store.engine import write
from tests.services.world import demo_deps

ADA = Actor("id-ada", "ada", Role.ADMIN)


@pytest.fixture
def data(tables: Path, tmp_path: Path) -> Path:
    """Five entries for the accounts, three refusals, a head over all of them."""
    shutil.copy(tables, tmp_path / "console.db")
    deps = demo_deps(tmp_path)
    for number in range(3):
        more = {"what": f"page {number}\x1b[2J", "permission": "decide"}
        with write(deps.engine) as connection:
            entry = ledger.Entry(Kind.DENIED, ADA, tool=f"tool_{number}", payload="{}", more=more)
            ledger.append(connection, entry)
    signer = Signer(deps)
    signer.start()
    signer.stop()
    deps.engine.dispose()
    return tmp_path


@dataclass
class Done:
    exit_code: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(data: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*words: str) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            app(["audit", *words, "--data", str(data)])
        said = capsys.readouterr()
        return Done(int(ended.value.code or 0), said.out, said.err)

    return call


def test_the_list_is_newest_first_and_counts(run: Run) -> None:
    done = run("list", "--kind", "denied")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["8", "7", "6"]
    assert "3 in all" in done.stderr


def test_nothing_that_a_terminal_obeys_is_written(run: Run) -> None:
    for words in (["list"], ["list", "--json"], ["show", "8"], ["show", "8", "--json"]):
        assert "\x1b" not in run(*words).stdout
    assert "page 2[U+001B][2J" in run("list").stdout


def test_a_page_goes_on_where_the_one_before_ended(run: Run) -> None:
    first = json.loads(run("list", "--json", "--limit", "5").stdout)
    rest = json.loads(run("list", "--json", "--cursor", first["next_cursor"]).stdout)
    assert [row["seq"] for row in [*first["items"], *rest["items"]]] == list(range(8, 0, -1))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--tool", "tool_1"], [7]),
        (["--actor", "ada", "--limit", "2"], [8, 7]),
        (["--q", "#3"], [3]),
        (["--since", "2100-01-01"], []),
        (["--until", "2000-01-01T00:00:00Z"], []),
        (["--since", "2000-01-01T00:00:00+08:00", "--kind", "denied"], [8, 7, 6]),
    ],
)
def test_a_filter_leaves_what_it_names(run: Run, words: list[str], found: list[int]) -> None:
    items = json.loads(run("list", "--json", *words).stdout)["items"]
    assert [row["seq"] for row in items] == found


@pytest.mark.parametrize(
    "words",
    [
        ["list", "--since", "yesterday"],
        ["export", "--format", "xml"],
        ["export", "--until", "31.1.2026"],
        ["verify", "--fast", "--deep"],
        ["verify", "--since", "no-such-file"],
    ],
)
def test_wrong_use_is_one_line_and_exits_with_2(run: Run, words: list[str]) -> None:
    before = run("list").stderr
    done = run(*words)
    assert done.exit_code == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert run("list").stderr == before


def test_an_entry_that_is_not_there_is_a_failure(run: Run) -> None:
    done = run("show", "99")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "There is no such entry." in done.stderr


def test_a_check_since_a_head_says_what_it_left_out(run: Run, data: Path) -> None:
    assert run("verify").exit_code == 0
    done = run("verify", "--deep", "--since", "8")
    assert (done.exit_code, "not checked: entries 1 to 8" in done.stdout) == (0, True)
    by_file = run("verify", "--since", str(data / "heads" / "heads.txt"))
    assert "not checked: entries 1 to 8" in by_file.stdout


def test_a_check_since_a_head_that_nobody_signed_is_refused(run: Run, data: Path) -> None:
    done = run("verify", "--since", "5")
    assert (done.exit_code, "no head of 5 entries was signed" in done.stdout) == (2, True)
    (data / "note.txt").write_text("review-console/x\n3\nAAAA\n\n— someone AAAA\n", encoding="utf-8")
    assert run("verify", "--since", str(data / "note.txt")).exit_code == 2


def test_the_head_comes_with_its_eight_words(run: Run) -> None:
    found = json.loads(run("head", "--json").stdout)
    assert (found["size"], found["unsigned"], len(found["fingerprint"].split())) == (8, 0, 8)
    assert found["fingerprint"] in run("head").stdout


def test_an_export_is_recorded_and_written_whole_or_not_at_all(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "log.jsonl"
    done = run("export", "--output", str(target))
    assert done.exit_code == 0
    lines = target.read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[-1])["entries"] == 9
    assert json.loads(lines[-2])["body"].count('"exported"') == 1
    again = run("export", "--output", str(target))
    assert (again.exit_code, "exists already" in again.stderr) == (2, True)
    assert target.read_text(encoding="utf-8").splitlines() == lines
    nowhere = run("export", "--output", str(tmp_path / "no" / "folder.csv"))
    assert nowhere.exit_code == 1
    assert not list(tmp_path.glob("**/*.part"))


def test_an_erased_payload_is_gone_and_the_log_intact(run: Run) -> None:
    done = run("erase", "7", "--reason", "asked for by the customer")
    assert (done.exit_code, "entry 9 says so" in done.stdout) == (0, True)
    assert run("erase", "7", "--reason", "again").exit_code == 1
    assert run("erase", "1", "--reason", "it has none").exit_code == 1
    checked = run("verify", "--deep")
    assert (checked.exit_code, "1 payloads were erased" in checked.stdout) == (4, True)
