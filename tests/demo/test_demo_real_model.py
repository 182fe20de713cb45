"""A provider's model that is missing or fails is a clear sentence in the thread, never a crash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

from console.demo import real_model
from console.demo.agent import build, graph
from console.demo.model import RuleModel

TALK: dict[str, Any] = {"messages": [("user", "hello")]}
THREAD: dict[str, Any] = {"configurable": {"thread_id": "t"}}


def failure_of(agent: Any) -> str:
    with pytest.raises(real_model.ModelFailed) as failed:
        agent.invoke(TALK, THREAD)
    return str(failed.value)


@pytest.mark.parametrize("name", ["nobody:zz", "openai:gpt-x", "no provider", ":", "anthropic:"])
def test_a_model_that_cannot_be_loaded_says_so_when_asked(
    monkeypatch: pytest.MonkeyPatch, shop_path: Path, name: str
) -> None:
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("CONSOLE_DEMO_SHOP", str(shop_path))
    monkeypatch.setenv("CONSOLE_DEMO_MODEL", name)
    said = failure_of(graph())
    assert said.startswith(f"The model {name} could not be loaded: ")
    assert said.endswith("or unset CONSOLE_DEMO_MODEL.")
    assert "\n" not in said


def test_the_failure_is_kept_in_the_thread(shop_path: Path) -> None:
    agent = build(shop_path, model="nobody:zz").copy({"checkpointer": InMemorySaver()})
    failure_of(agent)
    assert "The model nobody:zz could not be loaded" in (agent.get_state(THREAD).tasks[0].error or "")


async def test_a_model_that_fails_when_called_is_named(
    monkeypatch: pytest.MonkeyPatch, shop_path: Path
) -> None:
    class Offline(RuleModel):
        def _generate(self, *args: Any, **kwargs: Any) -> Any:
            raise ConnectionError("connection refused\nwith more lines")

        async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
            raise ConnectionError("connection refused\nwith more lines")

    monkeypatch.setattr(real_model, "init_chat_model", lambda name, **options: Offline())
    agent = build(shop_path, model="openai:gpt-x")
    assert failure_of(agent).startswith("The model openai:gpt-x did not answer: connection refused. Set ")
    with pytest.raises(real_model.ModelFailed, match="did not answer: connection refused"):
        await agent.ainvoke(TALK, THREAD)


def test_name_and_address_reach_the_provider(monkeypatch: pytest.MonkeyPatch, shop_path: Path) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def fake(name: str, **options: Any) -> RuleModel:
        asked.append((name, options))
        return RuleModel(token_delay=0)

    monkeypatch.setattr(real_model, "init_chat_model", fake)
    agent = build(shop_path, model="openai:gpt-x", base_url="http://127.0.0.1:9/v1")
    assert asked == [("openai:gpt-x", {"base_url": "http://127.0.0.1:9/v1"})]
    assert isinstance(agent.invoke(TALK, THREAD)["messages"][-1], AIMessage)
