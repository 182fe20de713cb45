"""Checkpoints are data that others can write: nothing in them is called, and what is not loaded is named."""

from __future__ import annotations

import ast
import asyncio
import json
import pickle
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from console.domain.errors import Invalid
from console.domain.review import Kind
from console.domain.thread import Snapshot
from console.services.deps import Deps
from console.services.sweep import Sweep
from console.sources.local import LocalSource
from console.sources.port import ResumeRefused, Run, SourceError
from console.sources.serde import CheckpointSerde, allowed_type, refused
from tests.security.kept import Customer, Named, Order, Spot, Tier, keeping
from tests.services.agents import effects, obedient
from tests.services.world import APPROVE, World, call, deps_over, wait_for
from tests.serving import ROOT, environment
from tests.sources.test_local import Ear

CHARGE = call(("charge", {"amount": 1}))
ORDER = "tests.security.kept:Order"
Worlds = Callable[[Deps, str], World]


class Bomb:
    """What it leaves behind shows that a row was obeyed."""

    def __init__(self, folder: Path) -> None:
        self.mark = folder / "owned"

    def __reduce__(self) -> Any:
        return Path.mkdir, (self.mark,)


def extension(code: int) -> Callable[[Bomb], tuple[str, bytes]]:
    """A value that has `os.mkdir`, or the method of a class, called: by how it is handed its argument."""

    def make(bomb: Bomb) -> tuple[str, bytes]:
        argument: Any = str(bomb.mark)
        called: list[Any] = ["os", "mkdir", {1: [argument], 2: {"path": argument}}.get(code, argument)]
        if code == 3:
            called = ["pathlib", "Path", argument, "write_text"]
        if code in (4, 5):
            called = ["os", "mkdir", {"path": argument}, "x"]
        return "msgpack", ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(called)))

    return make


def nested(bomb: Bomb) -> tuple[str, bytes]:
    """Inside a value of a type that is loaded."""
    inner = ormsgpack.packb(ormsgpack.Ext(0, ormsgpack.packb(["os", "mkdir", str(bomb.mark)])))
    return "msgpack", ormsgpack.packb(
        ormsgpack.Ext(
            0, ormsgpack.packb(["builtins", "set", [ormsgpack.unpackb(inner, ext_hook=ormsgpack.Ext)]])
        )
    )


def constructor(version: int, **more: Any) -> Callable[[Bomb], tuple[str, bytes]]:
    """JSON as LangGraph and LangChain once wrote it (CVE-2025-64439; with `method`, CVE-2026-48775)."""

    def make(bomb: Bomb) -> tuple[str, bytes]:
        given = {
            "lc": version,
            "type": "constructor",
            "id": ["os", "mkdir"],
            "kwargs": {"path": str(bomb.mark)},
        }
        return "json", json.dumps({**given, **more}).encode()

    return make


def pickled(bomb: Bomb) -> tuple[str, bytes]:
    return "pickle", pickle.dumps(bomb)


PAYLOADS: dict[str, Callable[[Bomb], tuple[str, bytes]]] = {
    **{f"msgpack extension {code}": extension(code) for code in range(6)},
    "msgpack extension inside a set": nested,
    "json lc 1": constructor(1),
    "json lc 2": constructor(2),
    "json lc 2 with a method": constructor(2, id=["os", "path"], method="mkdir"),
    "json lc 2 of a module with safe types": constructor(2, id=["builtins", "exec"], kwargs=None),
    "pickle": pickled,
}
NAMES = (
    "os:mkdir",
    "os.mkdir",
    "'os', 'mkdir'",
    "pathlib:Path.write_text",
    "builtins:exec",
    "os:path",
    "pickle",
)


@pytest.fixture
def source(tmp_path: Path) -> LocalSource:
    return LocalSource("s", obedient(tmp_path), tmp_path / "checkpoints.db")


def drive(source: LocalSource, *runs: Run) -> None:
    async def go() -> None:
        await source.open()
        try:
            for run in runs:
                await source.run(run, Ear(), Ear())
        finally:
            await source.close()

    asyncio.run(go())


def look(source: LocalSource) -> Snapshot:
    found = source.snapshot("t")
    assert found is not None
    return found


@pytest.mark.parametrize("code", [0, 1, 2, 4, 5])
def test_each_of_these_rows_is_obeyed_where_nobody_takes_care(tmp_path: Path, code: int) -> None:
    """Else the tests below would show nothing."""
    bomb = Bomb(tmp_path)
    JsonPlusSerializer(allowed_msgpack_modules=True).loads_typed(extension(code)(bomb))
    assert bomb.mark.exists()


@pytest.mark.parametrize("where", ["the pause", "the state"])
@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_a_malicious_row_is_not_obeyed_and_what_it_names_is_named(
    source: LocalSource, tmp_path: Path, payload: Callable[[Bomb], tuple[str, bytes]], where: str
) -> None:
    bomb = Bomb(tmp_path)
    drive(source, Run("t", message=CHARGE))
    harm(tmp_path, payload(bomb), where)
    said = what_is_said_of(source)
    assert not bomb.mark.exists()
    assert any(name in said for name in NAMES), said
    assert any(name in " ".join(source.not_loaded(10)) for name in NAMES)
    with suppress(Exception):
        drive(source, Run("t", message="hello"))
    assert not bomb.mark.exists()


def harm(folder: Path, value: tuple[str, bytes], where: str) -> None:
    """Put it in the place of a write of the paused step, or of the whole checkpoint."""
    statements = {
        "the pause": "UPDATE writes SET type = ?, value = ? WHERE channel = '__interrupt__'",
        "the state": "UPDATE checkpoints SET type = ?, checkpoint = ?",
    }
    with closing(sqlite3.connect(folder / "checkpoints.db")) as db, db:
        db.execute(statements[where], value)


def what_is_said_of(source: LocalSource) -> str:
    """The refusal, or the note of a pause that can only be looked at; empty when all is well."""
    try:
        found = look(source)
    except SourceError as problem:
        return str(problem)
    assert found.pause is not None
    return " ".join(each.note for each in found.pause.pending if each.kind is Kind.UNREADABLE)


def test_a_method_that_old_json_names_is_not_called_on_a_type_that_is_loaded(tmp_path: Path) -> None:
    bomb = Bomb(tmp_path)
    kind, stored = constructor(2, id=["pathlib", "Path"], args=[str(bomb.mark)], kwargs={}, method="mkdir")(
        bomb
    )
    assert CheckpointSerde().loads_typed((kind, stored)) == bomb.mark
    assert not bomb.mark.exists()


# --- types that are not loaded


def kept_source(folder: Path, schema: Any = None, **more: Any) -> LocalSource:
    given = {"schema": schema} if schema else {}
    graph = keeping(folder, lambda: Order("A-1", 7), **given)
    return LocalSource("kept", graph, folder / "checkpoints.db", **more)


@pytest.fixture
def world(folder: Path, worlds: Worlds) -> World:
    return worlds(deps_over(folder, {"kept": kept_source(folder)}), "kept")


def paused(world: World) -> tuple[str, Any]:
    with world.worker():
        thread_id = world.start(CHARGE)
        wait_for(lambda: world.reviews(thread_id))
    return thread_id, world.reviews(thread_id)[0]


def allowing(world: World, folder: Path, worlds: Worlds) -> World:
    """The same console, started again with the type allowed."""
    return worlds(deps_over(folder, {"kept": kept_source(folder, msgpack_allow=[ORDER])}), "kept")


def test_a_review_of_a_thread_with_a_type_that_is_not_loaded_is_shown_and_names_it(world: World) -> None:
    _, review = paused(world)
    assert review.kind == Kind.UNREADABLE
    assert ORDER in review.note
    assert "msgpack_allow" in review.note
    assert review.value_text == '[{"name": "charge", "args": {"amount": 1}}]'
    assert not review.may_decide


def test_nobody_decides_it_and_nothing_runs(world: World, folder: Path) -> None:
    thread_id, review = paused(world)
    with pytest.raises(Invalid):
        world.decide(review, APPROVE)
    assert world.review(review.id).status == "open"
    assert effects(folder) == []
    assert world.journal(thread_id) == []


def test_once_the_type_is_allowed_the_review_opens_anew_and_the_value_keeps_its_type(
    world: World, folder: Path, worlds: Worlds
) -> None:
    thread_id, seen = paused(world)
    world.deps.engine.dispose()
    again = allowing(world, folder, worlds)
    Sweep(again.deps).turn(0.0)
    review = again.review(seen.id)
    assert (review.kind, review.version, review.may_decide) == (Kind.APPROVAL, seen.version + 1, True)
    with again.worker():
        again.decide(review, APPROVE)
        again.wait_settled(review.id)
    assert effects(folder) == ["charge 1"]
    with refused() as types:
        found = again.deps.sources["kept"].snapshot(thread_id)
    assert found is not None
    assert not types
    assert stored_orders(folder, thread_id) == [Order("A-1", 7)]


def test_a_verdict_that_waits_while_the_type_is_taken_off_the_list_is_not_handed_over(
    folder: Path, worlds: Worlds
) -> None:
    allowed = worlds(deps_over(folder, {"kept": kept_source(folder, msgpack_allow=[ORDER])}), "kept")
    thread_id, review = paused(allowed)
    assert review.kind == Kind.APPROVAL
    allowed.decide(review, APPROVE)
    allowed.deps.engine.dispose()
    strict = worlds(deps_over(folder, {"kept": kept_source(folder)}), "kept")
    with strict.worker():
        back = wait_for(lambda: r if (r := strict.review(review.id)).status == "open" else None)
    assert back.kind == Kind.UNREADABLE
    assert back.version > review.version
    assert effects(folder) == []
    assert stored_orders(folder, thread_id) == [Order("A-1", 7)]


def test_a_message_to_such_a_thread_is_refused_before_anything_is_stored(tmp_path: Path) -> None:
    drive(kept_source(tmp_path, msgpack_allow=[ORDER]), Run("t", message='"hello"'))
    before = stored_rows(tmp_path)
    with pytest.raises(ResumeRefused, match=ORDER):
        drive(kept_source(tmp_path), Run("t", message='"more"'))
    assert stored_rows(tmp_path) == before


def test_a_type_that_the_agents_schema_names_is_loaded_without_being_allowed(tmp_path: Path) -> None:
    source = kept_source(tmp_path, Named)
    drive(source, Run("t", message=CHARGE))
    pause = look(source).pause
    assert pause is not None
    assert [each.kind for each in pause.pending] == [Kind.APPROVAL]
    assert source.not_loaded(10) == {}


def test_a_type_that_its_name_does_not_lead_to_is_refused_although_the_schema_names_it() -> None:
    hidden = ("tests.security.kept", "made_inside_a_function")
    stored = ormsgpack.packb(ormsgpack.Ext(2, ormsgpack.packb([*hidden, {"x": 1}])))
    serde = CheckpointSerde().with_msgpack_allowlist([hidden])
    with refused() as types:
        assert serde.loads_typed(("msgpack", stored)) == {"x": 1}
    assert types == {":".join(hidden)}


def stored_orders(folder: Path, thread_id: str) -> list[Any]:
    serde = CheckpointSerde([ORDER])
    with closing(sqlite3.connect(folder / "checkpoints.db")) as db:
        newest = (
            "SELECT type, checkpoint FROM checkpoints WHERE thread_id = ? ORDER BY checkpoint_id DESC LIMIT 1"
        )
        rows = db.execute(newest, (thread_id,)).fetchall()
    return [serde.loads_typed(row)["channel_values"]["order"] for row in rows]


def stored_rows(folder: Path) -> list[Any]:
    with closing(sqlite3.connect(folder / "checkpoints.db")) as db:
        return [db.execute(f"SELECT * FROM {table}").fetchall() for table in ("checkpoints", "writes")]


# --- what may be allowed


@pytest.mark.parametrize("kind", [Order, Customer, Tier, Spot])
def test_a_class_of_values_can_be_allowed(kind: type) -> None:
    name = f"{kind.__module__}:{kind.__name__}"
    assert allowed_type(name) == (kind.__module__, kind.__name__)


@pytest.mark.parametrize(
    "name",
    ["os:system", "subprocess:Popen", "builtins:eval", "os.system", "no_such_module:X", f"{ORDER}s", "", ":"],
)
def test_what_does_more_than_keep_values_cannot(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match="msgpack_allow"):
        LocalSource("s", obedient(tmp_path), tmp_path / "c.db", msgpack_allow=[name])


# --- the command, and what the console's own code does not do


@pytest.fixture
def configured(tmp_path: Path) -> Path:
    drive(kept_source(tmp_path, msgpack_allow=[ORDER]), Run("t", message=CHARGE))
    (tmp_path / "console.toml").write_text(
        '[sources.kept]\ngraph = "tests.security.kept:graph"\ncheckpoints = "sqlite:///checkpoints.db"\n'
    )
    return tmp_path


def check(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "console", "sources", "check", "--data", "d"]
    return subprocess.run(
        command, cwd=folder, env=environment(env), capture_output=True, text=True, timeout=60, check=False
    )


def test_sources_check_names_the_types_and_says_what_to_do(configured: Path) -> None:
    ended = check(configured)
    assert ended.returncode == 1
    assert f"sources.kept: not loaded: {ORDER}, held by 1 threads" in ended.stdout
    assert "msgpack_allow" in ended.stderr
    allowed = check(configured, CONSOLE_SOURCES__KEPT__MSGPACK_ALLOW=json.dumps([ORDER]))
    assert (allowed.returncode, allowed.stderr) == (0, "")


def modules() -> list[Path]:
    return [file for file in (ROOT / "console").rglob("*.py") if "_web" not in file.parts]


def test_nothing_of_the_console_reads_pickles_or_hands_a_filter_to_checkpoints() -> None:
    """Keys of such a filter become SQL (CVE-2025-67644)."""
    found = []
    for file in modules():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [each.name for each in node.names] + [getattr(node, "module", "") or ""]
                found += [f"{file.name}: {name}" for name in names if name in _PICKLES]
            if isinstance(node, ast.Call) and "sources" in file.parts:
                found += [f"{file.name}: filter" for each in node.keywords if each.arg == "filter"]
    assert found == []
    assert len(modules()) > 150


_PICKLES = {"pickle", "cloudpickle", "dill", "shelve", "marshal", "jsonpickle"}
