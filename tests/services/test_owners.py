"""A lease is taken early only from a process that is certainly gone."""

from __future__ import annotations

import os
import socket

import pytest

from console.services.owners import is_dead, own_name
from tests.services.processes import CONTEXT, process


def test_two_names_of_one_process_differ_and_both_live() -> None:
    one, two = own_name(), own_name()
    assert one != two
    assert not is_dead(one)
    assert not is_dead(two)


def test_a_process_that_ended_is_dead() -> None:
    told = CONTEXT.Queue()
    with process(tell_name, told) as other:
        name = told.get(timeout=20)
        other.join()
    assert is_dead(name)


def tell_name(told: object) -> None:
    told.put(own_name())  # type: ignore[attr-defined]


def test_a_pid_that_was_given_again_is_dead() -> None:
    host, pid, _, rest = own_name().split("/")
    assert is_dead(f"{host}/{pid}/1/{rest}")


@pytest.mark.parametrize("pid", ["1", "x", "", "-1"])
def test_what_is_not_certain_is_alive(pid: str) -> None:
    assert not is_dead(f"{socket.gethostname()}/{pid}//abc")


def test_another_machine_is_given_until_its_lease_ends() -> None:
    assert not is_dead(f"elsewhere/{os.getpid()}/1/abc")
    assert not is_dead("elsewhere/999999/1/abc")
