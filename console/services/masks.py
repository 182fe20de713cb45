"""Views with the values left out that `[privacy] mask` names. Pure: a view in, a view out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from console.domain import masks
from console.domain.masks import HIDDEN, Masks
from console.forms.exact import dumps, loads
from console.services.audit_views import AuditEntry, AuditSides
from console.services.deps import Deps
from console.services.views import (
    ActionView,
    AuditAction,
    AuditRow,
    MessageView,
    ReviewView,
    ToolCallView,
)


def of(deps: Deps) -> Masks | None:
    """None where nothing is masked, so that most consoles do none of this."""
    patterns = deps.settings.privacy.mask
    return of_patterns(patterns) if patterns else None


of_patterns = lru_cache(maxsize=8)(masks.read)


def text(masking: Masks, args_text: str, *beside: str) -> tuple[str, list[str]]:
    """Exact JSON text, masked, and the pointers of what is hidden; hidden whole where it cannot be read."""
    if not args_text:
        return args_text, []
    try:
        shown, found = masks.hidden(masking, loads(args_text), [loads(each) for each in beside if each])
    except ValueError:
        return dumps(HIDDEN), ["/"]
    return (dumps(shown), found) if found else (args_text, [])


def value(masking: Masks, found: Any) -> Any:
    return masks.hidden(masking, found)[0]


def review(masking: Masks, whole: ReviewView) -> ReviewView:
    """Whoever may decide it now sees it whole: what is not shown cannot be approved."""
    if whole.may_decide:
        return whole
    shown, pointers = text(masking, whole.value_text)
    answer, more = text(masking, whole.answer_text, whole.value_text)
    return replace(
        whole,
        actions=[_action(masking, each) for each in whole.actions],
        value=value(masking, whole.value),
        value_text=shown,
        answer_text=answer,
        masked=pointers + more,
    )


def _action(masking: Masks, whole: ActionView) -> ActionView:
    shown, pointers = text(masking, whole.args_text)
    final, more = text(masking, whole.final_args_text, whole.args_text)
    found = list(dict.fromkeys(pointers + more))
    if not found:
        return whole
    return replace(
        whole,
        args=loads(shown),
        args_text=shown,
        final_args_text=final,
        # LangChain's own description repeats the arguments.
        description=HIDDEN if whole.description else "",
        decision=_decision(whole.decision, final),
        masked=found,
    )


def _decision(said: dict[str, Any] | None, final: str) -> dict[str, Any] | None:
    if said is None or said["type"] != "edit":
        return said
    return {**said, "edited_action": {**said["edited_action"], "args": loads(final)}}


def message(masking: Masks, whole: MessageView) -> MessageView:
    return replace(
        whole,
        blocks=[value(masking, each) for each in whole.blocks],
        tool_calls=[_call(masking, each) for each in whole.tool_calls],
    )


def _call(masking: Masks, whole: ToolCallView) -> ToolCallView:
    return replace(whole, args_text=text(masking, whole.args_text)[0])


def audit_row(masking: Masks, whole: AuditRow) -> AuditRow:
    return (
        replace(whole, actions=[_said(masking, each) for each in whole.actions]) if whole.actions else whole
    )


def _said(masking: Masks, whole: AuditAction) -> AuditAction:
    return replace(
        whole,
        proposed_args=text(masking, whole.proposed_args)[0],
        final_args=text(masking, whole.final_args, whole.proposed_args)[0],
    )


def audit_entry(masking: Masks, whole: AuditEntry) -> AuditEntry:
    return replace(
        whole,
        row=audit_row(masking, whole.row),
        timeline=[audit_row(masking, each) for each in whole.timeline],
        sides=[_side(masking, each) for each in whole.sides],
        masked=pointers(masking, whole.sides),
    )


def _side(masking: Masks, whole: AuditSides) -> AuditSides:
    proposed, decided, executed = whole.proposed_args, whole.decided_args, whole.executed_args
    return replace(
        whole,
        proposed_args=text(masking, proposed)[0],
        decided_args=text(masking, decided, proposed)[0],
        executed_args=text(masking, executed, proposed, decided)[0],
    )


def pointers(masking: Masks, sides: Sequence[AuditSides]) -> list[str]:
    """What of an entry is hidden."""
    columns = ("proposed_args", "decided_args", "executed_args")
    texts = [getattr(side, column) for side in sides for column in columns]
    return list(dict.fromkeys(found for each in texts for found in text(masking, each)[1]))
