"""Processes say in the log that they started and stopped; one that was killed says only the first."""

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.serving import ROOT, environment

WORKER = (sys.executable, "-m", "console", "worker", "--demo", "--data")


def told(data: Path) -> list[tuple[str, str]]:
    """Kind and process of each start and stop, in their order."""
    query = "SELECT body FROM ledger JOIN ledger_facet USING (seq) WHERE kind IN ('started', 'stopped')"
    with closing(sqlite3.connect(data / "console.db")) as database:
        bodies = [json.loads(body) for (body,) in database.execute(f"{query} ORDER BY seq")]
    return [(body["kind"], body["process"]) for body in bodies]


def run_worker(data: Path, *, killed_by: signal.Signals) -> int:
    command: Sequence[str] = (*WORKER, str(data))
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "The worker is ready.\n"
        process.send_signal(killed_by)
        return process.wait(30)


def test_a_worker_that_is_killed_leaves_a_start_without_a_stop(tmp_path: Path) -> None:
    assert run_worker(tmp_path, killed_by=signal.SIGKILL) == -signal.SIGKILL
    assert run_worker(tmp_path, killed_by=signal.SIGTERM) == 0
    assert told(tmp_path) == [("started", "worker"), ("started", "worker"), ("stopped", "worker")]


@pytest.mark.serving
def test_the_head_of_a_stopped_server_covers_its_stop(start_server: StartServer) -> None:
    server = start_server()
    server.stop()
    assert told(server.data) == [("started", "serve"), ("stopped", "serve")]
    command = [sys.executable, "-m", "console", "audit", "verify", "--deep", "--data", str(server.data)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
