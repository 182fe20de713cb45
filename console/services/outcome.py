"""Comparing what a run did with what was decided, action by action. Pure: rows and messages in, words out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from console.domain.review import Action
from console.services.calls import NOT_BEGUN, Calls, result_text
from console.services.records import final_args

RAN, DID_NOT_RUN, ANSWERED = "ran", "did not run", "answered"
_OK, _MISMATCH, _STUCK = "ok", "mismatch", "stuck"
_RANK = {_OK: 0, _STUCK: 1, _MISMATCH: 2}


@dataclass(frozen=True)
class Outcome:
    """`state`: ok, stuck (uncertain) or mismatch. By position: `texts`, and the arguments `executed`."""

    state: str
    texts: Sequence[str]
    executed: Sequence[str]

    @property
    def text(self) -> str:
        if len(self.texts) == 1:
            return self.texts[0]
        return "; ".join(f"{number}: {text}" for number, text in enumerate(self.texts, start=1))


def compare(
    actions: Sequence[Action], decisions: Sequence[Mapping[str, Any]], decision_id: str, calls: Calls
) -> Outcome:
    """Pair by position; a call is known by its tool call id and the journal's starts under this decision."""
    found = [
        _one(action, decision, decision_id, calls)
        for action, decision in zip(actions, decisions, strict=True)
    ]
    state = max((each[0] for each in found), key=_RANK.__getitem__, default=_OK)
    return Outcome(state, [each[1] for each in found], [each[2] for each in found])


def _one(action: Action, decision: Mapping[str, Any], decision_id: str, calls: Calls) -> tuple[str, str, str]:
    if not action.tool_call_id:
        return _STUCK, "uncertain: the call cannot be told apart in the thread", ""
    runs = [run for run in calls.runs.get(action.tool_call_id, []) if run["ended"] not in NOT_BEGUN]
    executed = str(runs[-1]["args_text"]) if runs else ""
    if decision["type"] in {"reject", "respond"}:
        if runs:
            return (
                _MISMATCH,
                f"ran although it was {'rejected' if decision['type'] == 'reject' else 'answered'}",
                executed,
            )
        return _OK, DID_NOT_RUN if decision["type"] == "reject" else ANSWERED, ""
    return _allowed(action, decision, runs, executed, calls)


def _allowed(
    action: Action, decision: Mapping[str, Any], runs: Sequence[Any], executed: str, calls: Calls
) -> tuple[str, str, str]:
    result = calls.results.get(str(action.tool_call_id))
    if len(runs) > 1:
        return _MISMATCH, f"ran {len(runs)} times", executed
    if runs and executed != final_args(decision, action.args_text):
        return _MISMATCH, "ran with other arguments than decided", executed
    if runs and runs[0]["ended_at"] is None:
        return _STUCK, "uncertain: it started, and no end is recorded", executed
    if runs and runs[0]["ended"] == "error":
        return _OK, f"tool failed: {_first_line(runs[0]['error'])}", executed
    if result is None:
        return (
            (_STUCK, "uncertain: it ended, and its result is not in the thread", executed)
            if runs
            else (_OK, DID_NOT_RUN, "")
        )
    if result.status == "error":
        return _OK, f"tool failed: {_first_line(result_text(result))}", executed
    return (
        (_OK, RAN, executed)
        if runs
        else (_STUCK, "uncertain: a result is there, and no start is recorded", "")
    )


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[0][:300]
