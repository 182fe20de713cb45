"""The console as a process of its own, as a person starts it."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parent.parent
READY_WITHIN_SECONDS = 60
STOP_WITHIN_SECONDS = 15


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's, without any setting of the console that somebody's shell may hold."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CONSOLE_")}
    return {**kept, "PYTHONPATH": str(ROOT), **(more or {})}


class Server:
    """`console serve --demo` on a free port, with its data in `data`.

    with Server(tmp_path) as server:
        urllib.request.urlopen(server.url("/ping"))

    `stop()` is Ctrl-C and returns the exit status, `kill9()` is a power cut; `start()` after either goes on
    with the same data on the same port. `log` is everything it printed. `cwd` and `env` are for tests of the
    start itself.
    """

    def __init__(
        self,
        data: Path,
        *,
        port: int | None = None,
        args: Sequence[str] = ("--demo",),
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.data = data
        self.port = port or free_port()
        self.log_file = data.with_name(f"{data.name}-{self.port}.log")
        self._args = args
        self._env = env
        self._cwd = cwd or ROOT
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def base_url(self) -> str:
        return f"http://localhost:{self.port}"

    def url(self, path: str, host: str = "localhost") -> str:
        return f"http://{host}:{self.port}{path}"

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started"
        return self._process.pid

    def command(self) -> list[str]:
        where = ["--port", str(self.port), "--data", str(self.data)]
        return [sys.executable, "-m", "console", "serve", *self._args, *where]

    def start(self) -> Self:
        self.data.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("ab") as log:
            self._process = subprocess.Popen(
                self.command(),
                cwd=self._cwd,
                env=environment(self._env),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait_until_ready(self._process)
        return self

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while not self.answers():
            if process.poll() is not None:
                raise AssertionError(f"the server ended with {process.returncode}:\n{self.log}")
            if time.monotonic() > deadline:
                self.kill9()
                raise AssertionError(f"the server was not ready in {READY_WITHIN_SECONDS} s:\n{self.log}")
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url("/ping", "127.0.0.1"), timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def stop(self, number: int = signal.SIGINT) -> int:
        """Exit status; fails, and kills, when it takes longer than the bound."""
        assert self._process is not None, "not started"
        process, self._process = self._process, None
        process.send_signal(number)
        try:
            return process.wait(STOP_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the server did not stop in {STOP_WITHIN_SECONDS} s:\n{self.log}") from None

    def kill9(self) -> None:
        assert self._process is not None, "not started"
        process, self._process = self._process, None
        process.kill()
        process.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        if kind is None:
            self.stop()
        else:
            self.kill9()
