"""Reading checkpoint values: only types that were allowed are made, and whatever was not is named.

LangGraph hands out the bare data of a value whose type it does not load, and says so to a listener and to the
log. Taken for the value and stored again, it has lost its type for good. So whoever reads with `refused`
learns of it.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar

from langgraph._internal._serde import build_serde_allowlist
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.event_hooks import SerdeEvent, register_serde_event_listener
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from console.domain.review import Kind, Pause, Pending
from console.forms.exact import dumps
from console.sources.port import ResumeRefused, SourceError

T = TypeVar("T")
MAX_NOTE = 500

# What of a class LangGraph's serialiser looks for when it writes one that is not its own.
_WRITTEN = ("model_dump", "get_secret_value", "dict", "_asdict")
_BLOCKED = {"msgpack_blocked", "msgpack_method_blocked"}
_refused: ContextVar[set[str] | None] = ContextVar("refused", default=None)


@contextmanager
def refused() -> Iterator[set[str]]:
    """Collects the names of types, as `msgpack_allow` takes them, that were not loaded inside."""
    names: set[str] = set()
    token = _refused.set(names)
    try:
        yield names
    finally:
        _refused.reset(token)


def _note(name: str) -> None:
    names = _refused.get()
    if names is not None:
        names.add(name)


def _hear(event: SerdeEvent) -> None:
    if event["kind"] in _BLOCKED:
        method = f".{event['method']}" if "method" in event else ""
        _note(f"{event['module']}:{event['name']}{method}")


register_serde_event_listener(_hear)


class CheckpointSerde(JsonPlusSerializer):
    """`allow`: types by name, from the settings. `known`: types that the graph's own schemas name."""

    def __init__(self, allow: Sequence[str] = (), known: Iterable[Any] = ()) -> None:
        types = [allowed_type(each) for each in allow] + [each for each in known if _can_be_made(each)]
        super().__init__(allowed_msgpack_modules=types or None)

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[Any]) -> JsonPlusSerializer:
        """A type that cannot be found under its name is refused, since its value would come back bare."""
        return super().with_msgpack_allowlist([each for each in extra_allowlist if _can_be_made(each)])

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        kind, stored = data
        if kind == "json":
            # LangGraph wrote JSON long ago. What it names and does not make, it tells nobody but the log.
            json.loads(stored, object_hook=_note_constructor)
        return super().loads_typed(data)


def _note_constructor(value: dict[str, Any]) -> dict[str, Any]:
    path = value.get("id")
    if value.get("lc") != 2 or value.get("type") != "constructor" or not isinstance(path, list) or not path:
        return value
    module, name = ".".join(map(str, path[:-1])), str(path[-1])
    if (module, name) not in SAFE_MSGPACK_TYPES:
        _note(f"{module}:{name}")
    return value


def allowed_type(text: str) -> tuple[str, str]:
    """ "package.module:Class" of the settings; `SourceError` for what no checkpoint can rightly hold.

    A function, or a class that does more than keep values, would be called with whatever a checkpoint says.
    """
    module, _, name = text.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as problem:
        raise SourceError(
            f'msgpack_allow names "{text}", which cannot be imported ({type(problem).__name__}: {problem});'
            ' write "package.module:Class"'
        ) from problem
    if not isinstance(found, type) or not _keeps_values(found):
        raise SourceError(
            f'msgpack_allow names "{text}", which is no class of values: allow Pydantic models, dataclasses,'
            " named tuples and enumerations"
        )
    return module, name


def _keeps_values(found: type) -> bool:
    if dataclasses.is_dataclass(found) or issubclass(found, Enum):
        return True
    return any(callable(getattr(found, each, None)) for each in _WRITTEN)


def known_types(graph: Any) -> set[tuple[str, ...]]:
    """Types that the schemas of the graph and of those inside it name.

    LangGraph finds them when it compiles a graph, and loses them with each copy of it, such as ours.
    """
    found: set[tuple[str, ...]] = set()
    for each in (graph, *(inside for _, inside in graph.get_subgraphs(recurse=True))):
        schemas = list(getattr(getattr(each, "builder", None), "schemas", ()))
        found |= build_serde_allowlist(schemas=schemas, channels=getattr(each, "channels", None))
    return found


def _can_be_made(kind: Any) -> bool:
    return isinstance(kind, type) or _is_there(*kind)


@lru_cache(maxsize=4096)
def _is_there(module: str, name: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), name)
    except Exception:
        return False


def in_words(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def whole(read: Callable[..., T], *args: Any, **named: Any) -> T:
    """What `read` finds; `ResumeRefused` when a type was not loaded, since a run would store it without."""
    with refused() as types:
        found = read(*args, **named)
    if types:
        raise ResumeRefused(f"nothing was run: {_why(types)}")
    return found


def withheld(pause: Pause, types: set[str]) -> Pause:
    """The same pause to be looked at only. Whatever ran on from it would store what has lost its type."""
    note = _why(types)[:MAX_NOTE]
    return replace(
        pause,
        pending=tuple(
            Pending(each.interrupt_id, Kind.UNREADABLE, value_text=_as_asked(each), note=note)
            for each in pause.pending
        ),
    )


def _as_asked(pending: Pending) -> str:
    calls = [f'{{"name": {dumps(each.name)}, "args": {each.args_text}}}' for each in pending.actions]
    return pending.value_text or f"[{', '.join(calls)}]"


def _why(types: set[str]) -> str:
    return (
        f"its checkpoint holds values of types that are not loaded ({in_words(types)}), and going on would"
        " keep them without their type; if the agent stores them itself, name them in its msgpack_allow"
    )


def not_loaded(serde: CheckpointSerde, stored: Iterable[tuple[str, str, bytes]]) -> dict[str, int]:
    """See `Source.not_loaded`; what cannot be loaded at all is named by the refusal."""
    threads: dict[str, set[str]] = {}
    for thread_id, kind, value in stored:
        with refused() as types:
            try:
                serde.loads_typed((kind, value))
            except Exception as problem:
                types.add(f"{kind}: {problem}"[:MAX_NOTE])
        for each in types:
            threads.setdefault(each, set()).add(thread_id)
    return {name: len(found) for name, found in sorted(threads.items())}
