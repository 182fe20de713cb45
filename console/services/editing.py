"""The form of one action or answer: opened on the stored request and on the schema chosen for it.

Page and REST both begin here, so that what is judged as one types is what is judged when it is sent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from console.domain.access import Actor, Permission, require
from console.domain.errors import Invalid, Problem
from console.domain.review import Action, Kind, Origin
from console.forms.exact import JsonProblem, loads, untagged
from console.forms.form import Form, open_form
from console.forms.schema import prepare_text
from console.forms.unread import MISSING
from console.services.deps import Deps
from console.services.door import review_row
from console.store import reviews
from console.store.engine import RowMapping, read

# Where a schema comes from, for people.
ORIGINS: dict[str, str] = {
    Origin.INTERRUPT: "from the request",
    Origin.CONFIG: "from the request",
    Origin.GATE: "from the agent's gate",
    Origin.FILE: "from the configuration",
    Origin.TOOL: "from the tool",
    Origin.NONE: "inferred from the arguments",
}


def form_of(deps: Deps, actor: Actor, review_id: str, position: int) -> Form:
    """The form for the arguments at this position; `Invalid` where there can be none."""
    require(actor, Permission.DECIDE)
    with read(deps.engine) as connection:
        row = review_row(deps, connection, actor, review_id)
    actions = reviews.actions_of(row)
    if not 0 <= position < len(actions):
        raise Invalid([Problem(f"there is no action {position + 1}", position=position)])
    return form_for(actions[position])


def answer_form_of(deps: Deps, actor: Actor, review_id: str) -> Form:
    """The form for the answer, in which nothing is given yet; `Invalid` where none is asked for."""
    require(actor, Permission.DECIDE)
    with read(deps.engine) as connection:
        row = review_row(deps, connection, actor, review_id)
    if row["kind"] != Kind.ANSWER:
        raise Invalid([Problem("this review takes no answer", pointer="/answer")])
    return answer_form_for(row)


def form_for(action: Action) -> Form:
    return form_of_texts(action.args_text, action.args_schema_text, action.schema_origin)


def form_of_texts(args_text: str, schema_text: str, origin: str) -> Form:
    """The same from the exact texts of a review that was read before."""
    try:
        args: Any = untagged(loads(args_text))
    except JsonProblem as problem:
        raise Invalid([Problem(f"the arguments cannot be edited: {problem}")]) from problem
    form = open_form(args, prepare_text(schema_text))
    return replace(form, schema_origin=origin_in_words(origin, schema_text))


def origin_in_words(origin: str, schema_text: str) -> str:
    """Empty for a schema of a review that was opened before its origin was kept."""
    return ORIGINS[origin] if origin or not schema_text else ""


def answer_form_for(row: RowMapping) -> Form:
    text = row["answer_schema_text"]
    said = ORIGINS[Origin.INTERRUPT] if text else ""
    return replace(open_form(MISSING, prepare_text(text)), schema_origin=said)
