"""Reading a verdict or an answer against its review: nothing that passes here may fail in the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from console.domain.errors import Invalid, Problem, pointer_of
from console.domain.review import Action, Kind
from console.domain.verdict import Decided, in_words, read_decisions
from console.forms.exact import MAX_DEPTH, depth, dumps, flaws, plain, stand_ins
from console.services.deps import Deps
from console.services.editing import answer_form_for, form_for
from console.store import reviews
from console.store.engine import RowMapping

MISSING: Final[Any] = object()


@dataclass(frozen=True)
class Said:
    """A verdict that passed every check: as LangChain takes it, and in exact text for the record."""

    decided: Sequence[Decided]
    body_text: str
    verdict: str
    answer_text: str | None = None


def read_verdict(deps: Deps, row: RowMapping, decisions: Any, answer: Any) -> Said:
    """What was said, checked against the review as it is stored; `Invalid` with every problem found."""
    if row["kind"] == Kind.UNREADABLE:
        raise Invalid([Problem("this request cannot be read, so it cannot be answered")])
    if row["kind"] == Kind.ANSWER:
        return _read_answer(deps, row, decisions, answer)
    if answer is not MISSING:
        raise Invalid([Problem("this review takes decisions, not an answer", pointer="/answer")])
    if decisions is MISSING:
        raise Invalid([Problem("decisions are missing", pointer="/decisions")])
    _refuse_too_deep(decisions, "/decisions")
    actions = reviews.actions_of(row)
    decided, problems = read_decisions(decisions, actions)
    for at, each in enumerate(decided):
        decided[at], wrong = _check_edit(deps, row, each, actions[each.position])
        problems += wrong
    if problems:
        raise Invalid(sorted(problems, key=lambda problem: problem.position or 0))
    body = plain({"decisions": [each.raw for each in decided]})
    return Said(decided, body, in_words([each.type for each in decided]))


def _refuse_too_deep(value: Any, pointer: str) -> None:
    if depth(value) > MAX_DEPTH:
        raise Invalid([Problem(f"nested deeper than {MAX_DEPTH} levels", pointer=pointer)])


def _check_edit(
    deps: Deps, row: RowMapping, decided: Decided, action: Action
) -> tuple[Decided, list[Problem]]:
    """The edit, made of the request's own values wherever it says the same."""
    if decided.args is None:
        return decided, []
    start = f"/decisions/{action.position}/edited_action/args"
    form, found = form_for(action), _flaws(decided.args)
    if not found:
        form = form.holding(decided.args)
        found = form.errors or _stand_ins(decided.args) or _trial(deps, row, decided.args, "")
    if found:
        return decided, [
            replace(problem, position=action.position, pointer=start + problem.pointer) for problem in found
        ]
    raw = {"type": "edit", "edited_action": {"name": action.name, "args": form.args}}
    return replace(decided, raw=raw, args=form.args), []


def _stand_ins(args: Any) -> list[Problem]:
    """Approved as it is such a value reaches the tool; an edit could hand over its description only."""
    why = "stands for a value that JSON does not have, which an edit cannot carry: give another, or approve"
    return [Problem(why, pointer="".join(map(pointer_of, path))) for path in stand_ins(args)]


def _flaws(value: Any) -> list[Problem]:
    return [Problem(why, pointer="".join(map(pointer_of, path))) for path, why in flaws(value)]


def _read_answer(deps: Deps, row: RowMapping, decisions: Any, answer: Any) -> Said:
    if decisions is not MISSING:
        raise Invalid([Problem("this review takes an answer, not decisions", pointer="/decisions")])
    if answer is MISSING:
        raise Invalid([Problem("the answer is missing; null is an answer, too", pointer="/answer")])
    _refuse_too_deep(answer, "/answer")
    problems = _flaws(answer) or answer_form_for(row).holding(answer).errors
    problems = problems or _trial(deps, row, answer, "")
    if problems:
        raise Invalid([replace(each, pointer="/answer" + each.pointer) for each in problems])
    return Said((), plain({"answer": answer}), "answer", dumps(answer))


def _trial(deps: Deps, row: RowMapping, answer: Any, pointer: str) -> list[Problem]:
    """An answer that the checkpoint store cannot keep would fail in the run, after it was recorded."""
    try:
        deps.sources[row["source"]].trial(answer)
    except ValueError as problem:
        return [Problem(str(problem)[:300], pointer=pointer)]
    return []
