"""What another process commits is noticed; an idle database costs nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from console.services import accounts
from console.services.changes import Change
from console.services.people import disable_user
from console.services.watch import Watch
from tests.services.world import World
from tests.serving import ROOT, environment


@pytest.fixture
def heard(idle: World) -> Iterator[list[Change]]:
    found: list[Change] = []
    idle.deps.changes.subscribe(found.append)
    watch = Watch(idle.deps)
    watch.start()
    yield found
    watch.stop()


def wait_for(kind: str, heard: list[Change]) -> bool:
    for _ in range(100):
        if any(change.kind == kind for change in heard):
            return True
        threading.Event().wait(0.05)
    return False


def test_a_commit_of_another_process_is_told(idle: World, heard: list[Change]) -> None:
    command = [
        sys.executable,
        "-m",
        "console",
        "users",
        "role",
        "sue",
        "qa",
        "--data",
        str(idle.deps.settings.data),
    ]
    subprocess.run(command, cwd=ROOT, env=environment(), check=True, capture_output=True)
    assert wait_for("elsewhere", heard)


def test_a_commit_of_another_process_among_own_commits_is_told(idle: World, heard: list[Change]) -> None:
    disable_user(idle.deps, accounts.OPERATOR, "quinn")
    assert wait_for("elsewhere", heard)


def test_an_idle_database_tells_nothing(heard: list[Change]) -> None:
    threading.Event().wait(0.6)
    assert heard == []
