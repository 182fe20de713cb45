"""The state of one form: what was proposed, what a person made of it, and whether it may be sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from console.domain.errors import Problem
from console.forms import checking, exact, stepping, tokens
from console.forms.difference import Change, differences
from console.forms.edits import Edit, Refused, adopted, read_edit
from console.forms.field import Field
from console.forms.limits import MAX_EDITS, MAX_TEXT
from console.forms.schema import Schema, prepare
from console.forms.shape import Shaper
from console.forms.tree import Builder, Spot
from console.forms.unread import MISSING, Unread

DRAFT_VERSION = 1
_TYPING = ("set", "json")


@dataclass(frozen=True)
class Form:
    """Immutable; every step gives a new one. `value` is the arguments as they stand.

    What was not edited is the very object that was proposed. `read` reads typed JSON: exactly into Python's
    own numbers for a stored request, or into tokens that remember their text. `schema_origin` says in words
    where the schema comes from.
    """

    schema: Schema
    origin: Any
    value: Any
    read: Callable[[str], Any] = exact.loads
    choices: Mapping[str, int] = field(default_factory=dict)
    edits: tuple[Edit, ...] = ()
    before: Form | None = field(default=None, repr=False)
    schema_origin: str = ""

    def apply(self, edit: Edit) -> Form:
        """The form after this step; `Refused` when it cannot be taken. Typing on is one step."""
        if len(edit.text) > MAX_TEXT:
            raise Refused(f"longer than {MAX_TEXT:,} characters")
        last = self.edits[-1] if self.edits else None
        typing_on = last and edit.op in _TYPING and (last.op, last.pointer) == (edit.op, edit.pointer)
        base = self.before if typing_on and self.before else self
        if len(base.edits) >= MAX_EDITS:
            raise Refused(f"more than {MAX_EDITS:,} steps; undo some, or edit as JSON text")
        value, choices = stepping.taken(base.shaper, base.value, base.origin, base.read, edit)
        if value is base.value and choices == base.choices:
            return base
        return replace(base, value=value, choices=choices, edits=(*base.edits, edit), before=base)

    def holding(self, value: Any) -> Form:
        """With these arguments in place of all others; what they say alike stays the object it was."""
        return replace(self, value=adopted(value, self.origin), choices={}, edits=(), before=None)

    def undo(self) -> Form:
        """Without the last step; the same form when there is none."""
        return self.before or self

    @property
    def shaper(self) -> Shaper:
        return Shaper(self.schema, self.choices)

    @cached_property
    def judged(self) -> checking.Judged:
        return checking.judge(self.schema, self.value, self.origin)

    @property
    def errors(self) -> list[Problem]:
        """Everything that keeps the arguments from being sent, by pointer."""
        return self.judged.errors

    @property
    def warnings(self) -> list[Problem]:
        """What a person should know and may send all the same."""
        return self.judged.warnings

    @cached_property
    def tree(self) -> Field:
        """The root field; for arguments an object whose children are the arguments."""
        return Builder(self.shaper, self.errors).draw(
            self.schema.root, self.value, Spot("", "", self.origin, required=True)
        )

    @cached_property
    def changes(self) -> list[Change]:
        """Proposed and edited side by side."""
        return differences(self.origin, self.value)

    @property
    def args(self) -> Any:
        """The new arguments as Python values; `Refused` while a typed text is unread or nothing is there."""
        if self.value is MISSING or self.judged.unread:
            raise Refused("something that was typed is no value yet")
        return tokens.plain(self.value)

    @property
    def args_text(self) -> str:
        """Their exact text, in which a text that is unread is what it was before, or left out."""
        found = without_unread(self.value, self.origin)
        return "" if found is MISSING else tokens.write(found)

    @property
    def drawn_as_text(self) -> list[tuple[str, str]]:
        """Pointer and reason of every part that is exact JSON text instead of fields."""
        return [(each.pointer, each.note) for each in self.tree.walk() if each.kind == "json"]

    def draft(self) -> dict[str, Any]:
        """The steps as JSON, to be kept and taken again by `resumed`."""
        return {"v": DRAFT_VERSION, "edits": [each.as_json() for each in self.edits]}

    def resumed(self, draft: Any) -> Form:
        """This form with the steps of a draft taken; `Refused` for a draft of other arguments."""
        if not isinstance(draft, dict) or draft.get("v") != DRAFT_VERSION:
            raise Refused("this draft cannot be read")
        raw = draft.get("edits")
        if not isinstance(raw, list) or len(raw) > MAX_EDITS:
            raise Refused("this draft cannot be read")
        return self.after([read_edit(each) for each in raw])

    def after(self, edits: Sequence[Edit]) -> Form:
        form = self
        for edit in edits:
            form = form.apply(edit)
        return form


def open_form(args: Any, schema: Schema | Mapping[str, Any] | bool | None) -> Form:
    """The form for the values of a stored request; MISSING for an answer that nobody proposed."""
    ready = schema if isinstance(schema, Schema) else prepare(schema)
    return Form(ready, args, args)


def open_text(args_text: str, schema: Schema | Mapping[str, Any] | bool | None) -> Form:
    """The form for arguments as JSON text, which keeps every token; `JsonProblem` for what is no JSON."""
    return replace(open_form(tokens.read(args_text), schema), read=tokens.read)


def without_unread(value: Any, was: Any) -> Any:
    if isinstance(value, Unread):
        return was
    if isinstance(value, dict):
        old = was if isinstance(was, dict) else {}
        found = {key: without_unread(each, old.get(key, MISSING)) for key, each in value.items()}
        if all(found[key] is value[key] for key in value):
            return value
        return {key: each for key, each in found.items() if each is not MISSING}
    if isinstance(value, list):
        listed = [without_unread(each, MISSING) for each in value]
        if all(left is right for left, right in zip(listed, value, strict=True)):
            return value
        return [each for each in listed if each is not MISSING]
    return value
