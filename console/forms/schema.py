"""A schema made ready: brought to one draft, checked once, its references found within itself only."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import unquote

from console.forms import bounded
from console.forms.dialect import MANY, NAMED, ONE, modern
from console.forms.exact import JsonProblem, loads
from console.forms.limits import MAX_TREE_SECONDS
from console.forms.merging import Undrawable


@dataclass(frozen=True)
class Schema:
    """`root` is a schema of Draft 2020-12; `broken` says why it cannot be applied, and is mostly empty.

    `given` is False where there is none and the form is inferred from the arguments alone.
    """

    root: Any
    given: bool = True
    broken: str = ""

    @cached_property
    def checker(self) -> bounded.Checker:
        return bounded.Checker(self.root)

    @cached_property
    def anchors(self) -> dict[str, Any]:
        """Subschemas by `$anchor`."""
        return {each["$anchor"]: each for each in _walk(self.root) if isinstance(each.get("$anchor"), str)}

    @cached_property
    def has_other_bases(self) -> bool:
        """True when a part has an `$id` of its own, from which references would be resolved otherwise."""
        return any("$id" in each for each in _walk(self.root) if each is not self.root)

    def target(self, reference: Any) -> Any:
        """The subschema a `$ref` names; `Undrawable` for everything that is not within this schema."""
        if not isinstance(reference, str):
            raise Undrawable("its schema is broken")
        base, _, fragment = reference.partition("#")
        own = self.root.get("$id") if isinstance(self.root, dict) else None
        if base and base != own:
            raise Undrawable(f"its schema refers to {base[:80]}, which is never fetched")
        if self.has_other_bases:
            raise Undrawable("its schema refers to a part with an address of its own")
        if fragment and not fragment.startswith("/"):
            return self._named(fragment, reference)
        return self._at(unquote(fragment), reference)

    def _named(self, anchor: str, reference: str) -> Any:
        if anchor not in self.anchors:
            raise Undrawable(f"its schema refers to {reference[:80]}, which is not there")
        return self.anchors[anchor]

    def _at(self, pointer: str, reference: str) -> Any:
        found = self.root
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            try:
                found = found[int(key)] if isinstance(found, list) else found[key]
            except (KeyError, IndexError, ValueError, TypeError):
                raise Undrawable(f"its schema refers to {reference[:80]}, which is not there") from None
        return found


@dataclass
class Clock:
    """Time for the questions that are asked of the validator while one tree is built."""

    until: float = field(default_factory=lambda: time.thread_time() + MAX_TREE_SECONDS)

    def left(self) -> float:
        return self.until - time.thread_time()


def prepare(schema: Any) -> Schema:
    """`None` for no schema at all; anything else is taken as one, broken or not."""
    if schema is None:
        return Schema({}, given=False)
    found = Schema(modern(schema))
    try:
        found.checker.check()
    except bounded.Unusable as problem:
        return Schema(found.root, broken=str(problem))
    return found


@lru_cache(maxsize=128)
def prepare_text(text: str) -> Schema:
    """The same for a schema's exact text; the same text is made ready once."""
    try:
        return prepare(loads(text) if text else None)
    except JsonProblem as problem:
        return Schema({}, broken=f"the tool's schema is broken: {problem}")


def _walk(schema: Any) -> list[dict[str, Any]]:
    found, ahead = [], [schema]
    while ahead:
        node = ahead.pop()
        if not isinstance(node, dict):
            continue
        found.append(node)
        for key, value in node.items():
            if key in ONE:
                ahead.append(value)
            elif key in MANY and isinstance(value, list):
                ahead += value
            elif key in NAMED and isinstance(value, dict):
                ahead += value.values()
    return found
