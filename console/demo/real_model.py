"""A provider's model in the place of the rules. What is wrong with it is said in the thread, no crash."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.chat_models import init_chat_model
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool


class ModelFailed(RuntimeError):
    """The model could not be loaded or did not answer; the text says which one and what to do."""


class AbsentModel(BaseChatModel):
    """Stands where a model could not be loaded and says so when it is asked."""

    complaint: str

    @property
    def _llm_type(self) -> str:
        return "demo-absent"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise ModelFailed(self.complaint)


class NamesTheModel(AgentMiddleware[Any, Any, Any]):
    """Turns a provider's exception into one sentence that names the model and the setting."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.model_name = name

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        try:
            return handler(request)
        except Exception as error:
            raise self._named(error) from error

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        try:
            return await handler(request)
        except Exception as error:
            raise self._named(error) from error

    def _named(self, error: Exception) -> Exception:
        if isinstance(error, ModelFailed):
            return error
        return ModelFailed(f"The model {self.model_name} did not answer: {_first_line(error)}. {_CURE}")


_CURE = "Set CONSOLE_DEMO_MODEL to provider:name with its package and key, or unset CONSOLE_DEMO_MODEL."


def load_model(name: str, base_url: str | None = None) -> BaseChatModel:
    """The provider's model by its "provider:name"; an AbsentModel when its package, key or name is wrong."""
    try:
        options: dict[str, Any] = {"base_url": base_url} if base_url else {}
        loaded: BaseChatModel = init_chat_model(name, **options)
        return loaded
    except Exception as error:  # a provider's package may raise anything while it is being made
        return AbsentModel(complaint=f"The model {name} could not be loaded: {_first_line(error)}. {_CURE}")


def _first_line(error: Exception) -> str:
    line = next((part.strip() for part in str(error).splitlines() if part.strip()), type(error).__name__)
    return line[:300].rstrip(".")
