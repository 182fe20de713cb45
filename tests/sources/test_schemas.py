"""Finding a tool's schema in a compiled graph: where it is there to be found, and never at any price."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, tool
from langgraph.graph import MessagesState, StateGraph
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from pydantic.v1 import BaseModel as OldModel
from typer.testing import CliRunner

from console.commands.sources import app
from console.compose import read_schemas
from console.domain.review import Origin
from console.settings import Settings
from console.settings_file import SettingsError
from console.sources.schemas import Chosen, Schemas
from tests.services.agents import Obedient

GATE = {"type": "object", "properties": {"n": {"type": "integer"}}}


def named(name: str, args_schema: Any) -> BaseTool:
    return StructuredTool.from_function(
        lambda **given: str(given), name=name, description="A tool.", args_schema=args_schema
    )


def agent(*tools: BaseTool, gate: dict[str, Any] | None = None) -> Any:
    middleware = [HumanInTheLoopMiddleware(gate)] if gate else []
    return create_agent(Obedient(folder=Path()), list(tools), middleware=middleware)


def own(made: BaseTool) -> dict[str, Any]:
    found = Schemas(agent(made), {}).chosen(made.name, Origin.CONFIG, None)
    assert found.origin is Origin.TOOL
    assert found.schema is not None
    return found.schema


class Alias(BaseModel):
    order_id: str = Field(alias="orderId")
    line: str = Field(default="", validation_alias=AliasChoices("lineNo", "line"))


class Both(BaseModel):
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    order_id: str = Field(alias="orderId")


class AliasHidden(BaseModel):
    order_id: str = Field(alias="orderId")
    call: Annotated[str, InjectedToolCallId]


class Old(OldModel):
    n: int


class OldOpen(OldModel):
    n: int

    class Config:
        extra = "allow"


class Strange(BaseModel):
    """There is no JSON Schema of a function."""

    what: Callable[[], int]


@pytest.mark.parametrize(
    ("made", "names", "wanted", "more"),
    [
        (named("t", Alias), ["orderId", "lineNo"], ["orderId"], False),
        (named("t", Both), ["order_id"], ["order_id"], False),
        (named("t", AliasHidden), ["orderId"], ["orderId"], False),
        (named("t", Old), ["n"], ["n"], False),
        (named("t", OldOpen), ["n"], ["n"], True),
    ],
)
def test_arguments_go_by_the_names_that_the_tool_takes(
    made: BaseTool, names: list[str], wanted: list[str], more: bool
) -> None:
    schema = own(made)
    assert (list(schema["properties"]), schema["required"]) == (names, wanted)
    assert schema["additionalProperties"] is more
    given = {name: 1 if name == "n" else "x" for name in wanted}
    call = {"name": "t", "args": given, "id": "1", "type": "tool_call"}
    assert "x" in str(made.invoke(call)) or "1" in str(made.invoke(call))


def test_a_tool_made_of_a_function_is_closed_and_keeps_its_words() -> None:
    @tool
    def add(first: int, second: list[int] | None = None) -> str:
        """Add them."""
        return ""

    schema = own(add)
    assert (schema["title"], schema["description"]) == ("add", "Add them.")
    assert (list(schema["properties"]), schema["additionalProperties"]) == (["first", "second"], False)


def test_a_tool_that_cannot_say_what_it_takes_has_no_schema_and_breaks_nothing() -> None:
    found = Schemas(agent(named("strange", Strange), named("fine", GATE)), {})
    assert found.chosen("strange", Origin.CONFIG, None) == Chosen()
    assert found.chosen("fine", Origin.CONFIG, None).origin is Origin.TOOL
    assert found.chosen("nobody", Origin.CONFIG, None) == Chosen()


def test_tools_of_a_subgraph_are_found_unless_two_go_by_one_name() -> None:
    def below(node: str, *graphs: Any) -> Any:
        made = StateGraph(MessagesState)
        for at, each in enumerate(graphs):
            made.add_node(f"{node}{at}", each)
            made.add_edge("__start__", f"{node}{at}")
        return made.compile()

    one, other = agent(named("a", GATE), named("twice", GATE)), agent(named("twice", {**GATE, "title": "x"}))
    found = Schemas(below("outer", below("inner", one, other)), {})
    assert found.origins() == {"a": Origin.TOOL}
    same = named("twice", GATE)
    shared = Schemas(below("outer", agent(same), agent(same)), {})
    assert shared.origins() == {"twice": Origin.TOOL}


def test_a_graph_of_another_kind_has_none() -> None:
    made = StateGraph(MessagesState)
    made.add_node("tools", lambda state: state)
    made.add_edge("__start__", "tools")
    found = Schemas(made.compile(), {"t": GATE})
    assert found.origins() == {}
    assert found.chosen("t", Origin.CONFIG, None) == Chosen(GATE, Origin.FILE)
    assert found.chosen("other", Origin.INTERRUPT, {"type": "object"}) == Chosen()


@pytest.mark.parametrize("rules", [None, [], {"t": True}, {"t": {"args_schema": "x"}}, {"t": {}}])
def test_a_gate_that_looks_otherwise_than_expected_is_passed_over(rules: Any) -> None:
    made = agent(named("t", GATE), gate={"t": True})
    gate = made.nodes["HumanInTheLoopMiddleware.after_model"].bound.func.__self__
    gate.interrupt_on = rules
    assert Schemas(made, {}).chosen("t", Origin.CONFIG, None).origin is Origin.TOOL


def test_langchain_keeps_the_gates_rules_where_they_are_looked_for() -> None:
    """A private path. When it moves, gates set up with a schema would silently be held to the tool's own."""
    made = agent(named("t", None), gate={"t": {"allowed_decisions": ["edit"], "args_schema": GATE}})
    assert Schemas(made, {}).origins() == {"t": Origin.GATE}


def test_a_gate_that_names_no_tool_is_told_at_the_start(caplog: pytest.LogCaptureFixture) -> None:
    """LangChain takes the mistyped name, and the tool that was meant runs without being asked about."""
    Schemas(agent(named("refund", GATE), gate={"refund": True}), {})
    assert caplog.messages == []
    Schemas(agent(named("refund", GATE), gate={"refnd": True}), {})
    assert caplog.messages == ["the gate names refnd, and the agent shows no tool of that name"]


def settings(folder: Path, content: str | None) -> Settings:
    file = folder / "t.json"
    if content is not None:
        file.write_text(content)
    return Settings(data=folder, policy={"tools": {"t": {"schema": file}, "other": {"idempotent": True}}})  # type: ignore[arg-type]


def test_the_file_of_a_tool_is_read_exactly(tmp_path: Path) -> None:
    assert read_schemas(settings(tmp_path, json.dumps(GATE))) == {"t": GATE}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "No such file"),
        ("{", "not JSON"),
        ('{"type": "object", "type": "string"}', "stands twice"),
        ('{"type": "thing"}', "schema is broken"),
        ("[]", "no JSON object"),
    ],
)
def test_a_file_that_would_let_no_edit_pass_is_refused_at_the_start(
    tmp_path: Path, content: str | None, why: str
) -> None:
    with pytest.raises(SettingsError, match=why) as refused:
        read_schemas(settings(tmp_path, content))
    assert str(refused.value).startswith("policy.tools.t.schema cannot be used (")
    assert "\n" not in str(refused.value)


def test_the_command_says_of_each_tool_where_its_schema_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONSOLE_DEMO_SHOP", str(tmp_path / "shop.db"))
    (tmp_path / "sms.json").write_text(json.dumps(GATE))
    (tmp_path / "console.toml").write_text(
        '[sources.support]\ngraph = "console.demo.agent:graph"\n'
        '[policy.tools.send_sms]\nschema = "sms.json"\n[policy.tools.refnd]\nidempotent = true\n'
    )
    where = ["--data", str(tmp_path / "d"), "--config", str(tmp_path / "console.toml")]
    said = CliRunner().invoke(app, ["check", *where]).stdout
    assert "ok support" in said
    assert "refund_order: schema from the tool" in said
    assert "send_sms: schema from the configuration" in said
    assert "policy.tools.refnd: no agent shows a tool of this name" in said
    assert "policy.tools.send_sms" not in said
