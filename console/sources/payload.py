"""Reading interrupts: LangChain's batched and per-call approvals; everything else as what it is.

Nothing is guessed. A payload that looks like an approval but does not pair up by position, or whose calls
cannot be told apart in the thread, becomes `unreadable`, which nobody can approve.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from console.domain.canonical import escape_surrogates
from console.domain.review import DECISIONS, Action, Kind, Origin, Pending
from console.domain.text import count_hazards
from console.domain.thread import ToolCall
from console.forms.exact import MAX_DEPTH, dumps, is_cut
from console.sources.schemas import Chosen

# For a tool, given what the interrupt itself brings and where in it that stood.
SchemaOf = Callable[[str, Origin, Any], Chosen]

_LONGEST_NOTE = 500
# What can be put before a person whole. Beyond it nobody could see all, so nobody may approve it.
MAX_ACTIONS, MAX_NAME, MAX_TEXT, MAX_HIDDEN, MAX_ARGUMENTS = 100, 200, 300_000, 2_000, 500
_NO_ID = "a call has no tool call id, so whether it ran could never be told"


class _Unreadable(Exception):
    pass


def read(
    interrupt_id: str,
    value: Any,
    response_schema: Any,
    calls: Sequence[ToolCall],
    schema_of: SchemaOf,
    earlier: Collection[str] = (),
) -> Pending:
    """One interrupt as a pending review; `calls` are those of the agent's last message.

    `earlier` are the tool call ids of the messages before it: whoever uses one again cannot be told apart.
    """
    try:
        return _read(interrupt_id, value, response_schema, calls, schema_of, earlier)
    except _Unreadable as problem:
        note = str(problem)
    except Exception as problem:
        # An agent may ask in any shape. One that the readers trip over is still one that waits for a person.
        note = f"it has a shape that cannot be read ({type(problem).__name__}: {problem})"
    return Pending(interrupt_id, Kind.UNREADABLE, value_text=_shown(value), note=_note(note))


def _read(
    interrupt_id: str,
    value: Any,
    response_schema: Any,
    calls: Sequence[ToolCall],
    schema_of: SchemaOf,
    earlier: Collection[str],
) -> Pending:
    text = dumps(value)
    if is_cut(text):
        raise _Unreadable(f"it is nested deeper than the {MAX_DEPTH} levels that can be shown exactly")
    _refuse_unshowable(text)
    if isinstance(value, dict) and value.get("type") == "tool_approval":
        _refuse_ambiguous(calls, earlier)
        return _per_call(interrupt_id, value, response_schema, schema_of)
    if isinstance(value, dict) and ({"action_requests", "review_configs"} & set(value)):
        _refuse_ambiguous(calls, earlier)
        return _batched(interrupt_id, value, calls, schema_of)
    return Pending(
        interrupt_id,
        Kind.ANSWER,
        value_text=dumps(value),
        answer_schema_text=_schema_text(response_schema),
        answer_shape="value",
    )


def _refuse_unshowable(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise _Unreadable(f"it has {len(text):,} characters, and {MAX_TEXT:,} can be shown whole")
    if (hidden := count_hazards(text)) > MAX_HIDDEN:
        raise _Unreadable(f"it has {hidden:,} hidden characters, and {MAX_HIDDEN:,} can be shown")


def _note(text: str) -> str:
    """An exception's words may hold the agent's own text, half characters and all."""
    return escape_surrogates(text)[:_LONGEST_NOTE]


def _shown(value: Any) -> str:
    """The request's exact text, or what can be said of one that has none."""
    try:
        return dumps(value)
    except Exception:
        return dumps(f"a {type(value).__name__} that cannot be shown")


def _schema_text(schema: Any, text: str = "") -> str:
    """Empty where there is none. One that is too deep to be kept whole would let wrong answers pass."""
    text = text or (dumps(schema) if isinstance(schema, dict) else "")
    if is_cut(text):
        raise _Unreadable(f"its schema is nested deeper than {MAX_DEPTH} levels")
    return text


def _refuse_ambiguous(calls: Sequence[ToolCall], earlier: Collection[str]) -> None:
    """A call runs at most once for its id, so one id cannot mean two calls, and none means no call."""
    ids = [call.id for call in calls]
    if not all(ids):
        raise _Unreadable(_NO_ID)
    if len(ids) != len(set(ids)):
        raise _Unreadable(
            "two calls share one tool call id, so a decision on one would be a decision on both"
        )
    if any(each in earlier for each in ids):
        raise _Unreadable(
            "a call has the tool call id of an earlier one, so their results cannot be told apart"
        )


def _batched(
    interrupt_id: str, value: dict[str, Any], calls: Sequence[ToolCall], schema_of: SchemaOf
) -> Pending:
    requests, configs = value.get("action_requests"), value.get("review_configs")
    if not isinstance(requests, list) or not isinstance(configs, list) or not requests:
        raise _Unreadable("action requests or review configs are missing")
    if len(requests) > MAX_ACTIONS:
        raise _Unreadable(f"it has {len(requests):,} actions, and {MAX_ACTIONS} can be decided together")
    if len(requests) != len(configs):
        raise _Unreadable(f"{len(requests)} action requests came with {len(configs)} review configs")
    ids = call_ids([_name_and_args(request) for request in requests], calls)
    if not all(ids):
        raise _Unreadable(
            f"action {ids.index(None) + 1} is no call of the agent's last message, so whether it ran"
            " could never be told"
        )
    actions = tuple(
        _action(position, request, config, ids[position], schema_of)
        for position, (request, config) in enumerate(zip(requests, configs, strict=True))
    )
    return Pending(interrupt_id, Kind.APPROVAL, actions)


def _name_and_args(request: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(request, dict):
        raise _Unreadable("an action request is not an object")
    name, args = request.get("name"), request.get("args")
    if not isinstance(name, str) or not isinstance(args, dict):
        raise _Unreadable("an action request lacks its name or its arguments")
    if len(name) > MAX_NAME:
        raise _Unreadable(f"a tool's name has {len(name):,} characters, and {MAX_NAME} can be shown")
    if len(args) > MAX_ARGUMENTS:
        raise _Unreadable(f"a call has {len(args):,} arguments, and {MAX_ARGUMENTS} can be shown")
    return name, args


def _action(position: int, request: Any, config: Any, call_id: str | None, schema_of: SchemaOf) -> Action:
    name, args = _name_and_args(request)
    if not isinstance(config, dict) or config.get("action_name") != name:
        raise _Unreadable(f"the review config at position {position + 1} is for another tool")
    chosen = schema_of(name, Origin.CONFIG, config.get("args_schema"))
    return Action(
        position=position,
        name=name,
        args_text=dumps(args),
        description=_text(request.get("description")),
        allowed_decisions=_allowed(config.get("allowed_decisions")),
        args_schema_text=_schema_text(chosen.schema, chosen.text),
        tool_call_id=call_id,
        schema_origin=chosen.origin,
    )


def _allowed(raw: Any) -> tuple[str, ...]:
    """Those of the four that are named; LangChain accepts other names, which then fit no decision."""
    if not isinstance(raw, list | tuple) or not all(isinstance(each, str) for each in raw):
        raise _Unreadable("the allowed decisions are not a list of names")
    return tuple(each for each in DECISIONS if each in raw)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else dumps(value)


def _per_call(interrupt_id: str, value: dict[str, Any], schema: Any, schema_of: SchemaOf) -> Pending:
    name, args = _name_and_args(value)
    call_id = value.get("tool_call_id")
    if not isinstance(call_id, str) or not call_id:
        raise _Unreadable(_NO_ID)
    if not isinstance(schema, dict):
        raise _Unreadable("the list of decisions is missing")
    branches = _branches(schema)
    edit = _resolve(_resolve(branches.get("edit"), schema, "edited_action"), schema, "args")
    if isinstance(edit, dict) and "$defs" in schema:
        edit = {**edit, "$defs": schema["$defs"]} if "$ref" in dumps(edit) else edit
    chosen = schema_of(name, Origin.INTERRUPT, edit)
    action = Action(
        position=0,
        name=name,
        args_text=dumps(args),
        description=_text(value.get("description")),
        allowed_decisions=tuple(each for each in DECISIONS if each in branches),
        args_schema_text=_schema_text(chosen.schema, chosen.text),
        tool_call_id=call_id,
        schema_origin=chosen.origin,
    )
    return Pending(interrupt_id, Kind.APPROVAL, (action,), answer_shape="decision")


def _branches(schema: dict[str, Any]) -> dict[str, Any]:
    """Decision type -> its branch, whether there are several (oneOf) or only one."""
    found = {}
    for branch in schema.get("oneOf") or schema.get("anyOf") or [schema]:
        branch = _deref(branch, schema)
        kind = ((branch or {}).get("properties") or {}).get("type") or {}
        if isinstance(kind.get("const"), str):
            found[kind["const"]] = branch
    return found


def _resolve(branch: Any, schema: dict[str, Any], key: str) -> Any:
    return _deref(((branch or {}).get("properties") or {}).get(key), schema)


def _deref(node: Any, schema: dict[str, Any]) -> Any:
    if isinstance(node, dict) and isinstance(node.get("$ref"), str):
        return (schema.get("$defs") or {}).get(node["$ref"].rsplit("/", 1)[-1])
    return node


def call_ids(wanted: Sequence[tuple[str, dict[str, Any]]], calls: Sequence[ToolCall]) -> list[str | None]:
    """The tool call id of each action: gated calls keep the order of the message, so match in order.

    Batched payloads carry no ids (langgraph#8304). None where no call of that name and these exact
    arguments follows.
    """
    found: list[str | None] = []
    rest = list(calls)
    for name, args in wanted:
        at = next(
            (at for at, call in enumerate(rest) if call.name == name and call.args_text == dumps(args)), None
        )
        found.append(None if at is None else rest[at].id)
        rest = rest if at is None else rest[at + 1 :]
    return found


def answer(pending_shape: str, decisions: Sequence[dict[str, Any]] | None, value: Any) -> Any:
    """What LangGraph is handed for one interrupt."""
    if pending_shape == "decisions":
        return {"decisions": list(decisions or ())}
    if pending_shape == "decision":
        return (decisions or [{}])[0]
    return value
