"""Processes that may be killed: forked from one that has imported everything and has no thread alive.

A campaign runs in a process of its own, made by the fork server, since whoever starts it (pytest, say) has
threads. In there a console costs one fork, not one start of Python.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.services.processes import CONTEXT

SURVIVED = 77


class HarnessBroke(RuntimeError):
    """The campaign itself did not do what it says, so its figures would mean nothing."""


def in_clean_process(what: Callable[..., Any], *args: Any) -> Any:
    """The value of what(*args), found in a process from which forking is safe."""
    return in_clean_processes(what, [args])[0]


def in_clean_processes(what: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """One process for each of the calls, side by side."""
    begun = []
    for args in calls:
        receiver, sender = CONTEXT.Pipe(duplex=False)
        started = CONTEXT.Process(target=_answer, args=(sender, what, args))
        started.start()
        sender.close()
        begun.append((started, receiver))
    return [_answer_of(started, receiver) for started, receiver in begun]


def _answer_of(started: Any, receiver: Any) -> Any:
    try:
        kind, value = receiver.recv()
    except EOFError:
        kind, value = "broke", "it ended without an answer"
    receiver.close()
    started.join()
    if kind == "broke":
        raise HarnessBroke(value)
    return value


def _answer(sender: Any, what: Callable[..., Any], args: tuple[Any, ...]) -> None:
    gc.freeze()
    try:
        sender.send(("value", what(*args)))
    except BaseException:
        sender.send(("broke", traceback.format_exc()))


def fork(life: Callable[[], None], log: Path) -> int:
    """Start `life` in a fork and return its pid; what it prints goes to `log`."""
    if threading.active_count() != 1:
        raise HarnessBroke(f"threads are alive at a fork: {threading.enumerate()}")
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        with log.open("a") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        life()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill(pid: int) -> bool:
    """kill -9, and wait until it is gone; False when it had ended by itself."""
    os.kill(pid, signal.SIGKILL)
    return was_killed(os.waitpid(pid, 0)[1])


def wait(pid: int, patience: float) -> int:
    """The status of a fork that has ended; one that does not end is killed and counts as broken."""
    until, pause = time.monotonic() + patience, 0.001
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        time.sleep(pause)
        pause = min(pause * 1.5, 0.01)
    kill(pid)
    raise HarnessBroke(f"process {pid} did not end within {patience} s")


def was_killed(status: int) -> bool:
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def run(life: Callable[[], None], log: Path, patience: float = 60.0) -> None:
    """Run `life` in a fork to its good end."""
    status = wait(fork(life, log), patience)
    if status != 0:
        raise HarnessBroke(f"{life} ended with {status}:\n{log.read_text()[-3000:]}")
