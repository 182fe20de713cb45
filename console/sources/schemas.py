"""Which schema the arguments of a call are held to, and where it comes from.

The first that there is: of an interrupt of LangChain's for one call, what it brings itself; of a batched
one, what its review config brings, else what the gate was set up with; the file that console.toml names; the
tool's own. The file overrides what an interrupt brings, too, since that is the tool's own schema passed on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel
from pydantic import AliasChoices, BaseModel
from pydantic.v1 import BaseModel as OldModel

from console.domain.review import Origin
from console.forms.closing import closed, closed_around
from console.forms.exact import dumps
from console.sources.states import Graph

log = logging.getLogger("console.sources")
_ANYTHING: tuple[Any, ...] = (None, {}, {"type": "object"})


@dataclass(frozen=True)
class Chosen:
    """`schema` is None where there is none; the form then follows the arguments.

    `text` is its exact JSON where that is the same at every look, and else empty.
    """

    schema: dict[str, Any] | None = None
    origin: Origin = Origin.NONE
    text: str = ""


@dataclass(frozen=True)
class Own:
    """What a tool of the graph takes. `drops`: it leaves out, unsaid, what its schema does not name."""

    schema: dict[str, Any] | None = None
    drops: bool = False
    names: frozenset[str] = frozenset()
    keeps_more: bool = False


class Schemas:
    """Those of one graph; `files` are the schemas that console.toml names, by tool."""

    def __init__(self, graph: Graph, files: Mapping[str, dict[str, Any]]) -> None:
        self._graph, self._files = graph, files
        self._tools: dict[str, Own] = {}
        self._texts: dict[str, str] = {}
        rules = gates(graph)
        self._gates = {name: each for name, each in rules.items() if each is not None}
        if (tools := tools_of(graph)) and (strangers := sorted(rules.keys() - tools.keys())):
            # LangChain says nothing of a name that is mistyped, and lets the tool that was meant run unasked.
            log.warning("the gate names %s, and the agent shows no tool of that name", ", ".join(strangers))

    def chosen(self, tool: str, origin: Origin, brought: Any) -> Chosen:
        """`brought` is what the interrupt itself says; `origin` where in it that stood."""
        own, file = self.own(tool), (Origin.FILE, self._files.get(tool))
        first = (origin, None if brought in _ANYTHING else brought)
        gate = (Origin.GATE, self._gates.get(tool))
        last = (Origin.TOOL, own.schema)
        ahead = (file, first, gate, last) if origin is Origin.INTERRUPT else (first, gate, file, last)
        for where, schema in ahead:
            if isinstance(schema, dict):
                return Chosen(_as_kept(schema, where, own), where, self._text(tool, own, where))
        return Chosen()

    def _text(self, tool: str, own: Own, where: Origin) -> str:
        if where is not Origin.TOOL:
            return ""
        if tool not in self._texts:
            self._texts[tool] = dumps(own.schema)
        return self._texts[tool]

    def origins(self) -> dict[str, Origin]:
        """For each tool that can be found in the graph, where its schema comes from in a batched review."""
        names = dict.fromkeys([*tools_of(self._graph), *self._gates])
        return {name: self.chosen(name, Origin.CONFIG, None).origin for name in names}

    def own(self, tool: str) -> Own:
        if tool not in self._tools:
            found = tools_of(self._graph).get(tool)
            self._tools[tool] = Own() if found is None else _own(found)
        return self._tools[tool]


def _as_kept(schema: dict[str, Any], origin: Origin, own: Own) -> dict[str, Any]:
    if not own.drops or origin is Origin.TOOL:
        return schema
    if origin is Origin.INTERRUPT:
        return closed(schema, but_open=own.keeps_more)
    return schema if own.keeps_more else closed_around(schema, own.names)


def tools_of(graph: Graph) -> dict[str, BaseTool]:
    """The graph's own tools, then those of its subgraphs that go by a name of their own."""
    found = dict(_tools_in(graph))
    try:
        below = [each for _, each in graph.get_subgraphs(recurse=True)]
    except Exception as problem:
        # Only where forms come from depends on it: without, they follow the arguments.
        log.debug("the subgraphs cannot be listed: %s", problem)
        return found
    inner = [pair for each in below if isinstance(each, Pregel) for pair in _tools_in(each)]
    for name, each in inner:
        if name not in found and all(same is each for other, same in inner if other == name):
            found[name] = each
    return found


def _tools_in(graph: Graph) -> Iterator[tuple[str, BaseTool]]:
    for node in graph.nodes.values():
        if isinstance(bound := getattr(node, "bound", None), ToolNode):
            yield from bound.tools_by_name.items()


def gates(graph: Graph) -> dict[str, dict[str, Any] | None]:
    """Every tool that is gated, with `interrupt_on[name]["args_schema"]`, which LangChain never passes on.

    A private path.
    """
    found: dict[str, dict[str, Any] | None] = {}
    for node in graph.nodes.values():
        owner = getattr(getattr(getattr(node, "bound", None), "func", None), "__self__", None)
        rules = getattr(owner, "interrupt_on", None)
        for name, rule in rules.items() if isinstance(rules, Mapping) else ():
            schema = rule.get("args_schema") if isinstance(rule, Mapping) else None
            found.setdefault(str(name), schema if isinstance(schema, dict) else None)
    return found


def _own(tool: BaseTool) -> Own:
    """Nothing where the tool cannot say what it takes: then it is not known what it drops, either."""
    try:
        return _of_tool(tool)
    except Exception as problem:
        # A type without JSON Schema, a model that is not complete: the author's own code runs here.
        log.warning("the schema of the tool %s cannot be read: %s", tool.name, str(problem)[:300])
        return Own()


def _of_tool(tool: BaseTool) -> Own:
    shown, whole = tool.tool_call_schema, tool.args_schema
    if isinstance(shown, dict):
        return Own(shown)
    if issubclass(shown, OldModel):
        return _kept(shown.schema(), more=getattr(whole, "__config__", None))
    schema = shown.model_json_schema()
    if isinstance(whole, type) and issubclass(whole, BaseModel):
        schema = _as_taken(tool, schema, whole)
        return _kept(schema, more=whole.model_config)
    return _kept(schema, more=None)


def _kept(schema: dict[str, Any], more: Any) -> Own:
    extra = more.get("extra") if isinstance(more, Mapping) else getattr(more, "extra", None)
    takes_all = extra == "allow"
    made = closed(schema, but_open=takes_all)
    return Own(made, drops=True, names=frozenset(made.get("properties", ())), keeps_more=takes_all)


def _as_taken(tool: BaseTool, shown: dict[str, Any], whole: type[BaseModel]) -> dict[str, Any]:
    """With the names, titles and examples of the arguments' own class.

    LangChain makes a class anew for the model's eyes. It leaves out what is injected, and loses the rest.
    """
    fields = {name: _alias(each) or name for name, each in whole.model_fields.items()}
    config = whole.model_config
    by_name = bool(config.get("populate_by_name") or config.get("validate_by_name"))
    if set(shown.get("properties", ())) == set(fields):
        told = {"title": tool.name, "description": tool.description}
        found = {**whole.model_json_schema(), **{key: each for key, each in told.items() if each}}
        return _renamed(found, {alias: name for name, alias in fields.items()}) if by_name else found
    return shown if by_name else _renamed(shown, fields)


def _alias(field: Any) -> str:
    found = field.validation_alias or field.alias
    if isinstance(found, AliasChoices):
        found = next((each for each in found.choices if isinstance(each, str)), "")
    return found if isinstance(found, str) else ""


def _renamed(schema: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    if "properties" not in schema:
        return schema
    named = {names.get(key, key): each for key, each in schema["properties"].items()}
    wanted = [names.get(key, key) for key in schema.get("required", ())]
    return {**schema, "properties": named, **({"required": wanted} if wanted else {})}
