"""The command line: what goes wrong is one line on stderr, 2 for wrong use and 1 for failure."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving import environment


def console(*args: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "console", *args]
    return subprocess.run(
        command, cwd=cwd, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("serve", "--bogus"), "--bogus"),
        (("serve", "--port", "0"), "--port"),
        (("serve", "--config", "nowhere.toml"), "nowhere.toml"),
        (("serve", "--demo", "--host", "0.0.0.0"), "loopback"),
        (("serve", "--host", "0.0.0.0"), "server.origins"),
        (("nothing",), "nothing"),
        (("db", "nothing"), "nothing"),
        (("doctor", "extra"), "extra"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(args: tuple[str, ...], said: str, tmp_path: Path) -> None:
    ended = console(*args, cwd=tmp_path)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("console: ")
    assert said in line
    assert ended.stdout == ""


def test_an_unknown_host_is_a_failure_in_one_line(tmp_path: Path) -> None:
    config = tmp_path / "console.toml"
    key = tmp_path / "key"
    key.write_bytes(b"k")
    config.write_text(
        '[server]\nhost = "no-such-host.invalid"\n'
        'origins = ["https://x.example"]\ntrusted_proxies = ["10.0.0.1"]\n'
        '[ledger]\nkey = "key"\n'
    )
    ended = console("serve", cwd=tmp_path)
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert "no-such-host.invalid" in line


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = console("db", "upgrade", "--data", "file/data", cwd=tmp_path)
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert "--data" in line


def test_db_upgrade_makes_the_database_and_may_be_repeated(tmp_path: Path) -> None:
    for _ in range(2):
        assert console("db", "upgrade", "--data", "d", cwd=tmp_path).returncode == 0
    assert (tmp_path / "d" / "console.db").exists()


def test_doctor_changes_nothing_and_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "console.toml").write_text('[sources.support]\ngraph = "./missing.py:graph"\n')
    ended = console("doctor", cwd=tmp_path)
    assert ended.returncode == 1
    assert f"bad source support: {tmp_path}/missing.py is not found" in ended.stdout
    assert [file.name for file in tmp_path.iterdir()] == ["console.toml"]


def test_doctor_refuses_a_database_that_is_none(tmp_path: Path) -> None:
    (tmp_path / ".data").mkdir()
    (tmp_path / ".data" / "console.db").write_bytes(b"not a database at all, but long enough to be read" * 50)
    ended = console("doctor", cwd=tmp_path)
    assert ended.returncode == 1
    assert "bad database:" in ended.stdout


def test_help_names_every_command(tmp_path: Path) -> None:
    ended = console("--help", cwd=tmp_path)
    assert ended.returncode == 0
    for name in ("serve", "doctor", "db"):
        assert name in ended.stdout
