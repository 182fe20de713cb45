"""The forms that people have open in this process, each as far as it was edited.

A form is large and made of objects that must stay the very ones that were proposed, so it is no page state.
What is lost here (a restart, another process) is made again from the steps that the page state keeps.
"""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from console.features.thread.edit_tree import Drawing, id_of
from console.forms.edits import Edit, Refused, read_edit
from console.forms.field import Field
from console.forms.form import Form
from console.ui.node import Node

# Forms kept at a time; beyond it the one that was longest untouched is made again when it is needed.
MAX_OPEN = 300
_STEPS = {"fill": "add", "up": "move", "down": "move"}
# What exchanges more than the field itself: everything beside it may stand elsewhere afterwards.
_AROUND = frozenset(["remove", "up", "down", "rename"])


@dataclass
class OpenForm:
    """`counter` grows with every step that exchanges texts; `turns` has its value then, by pointer."""

    form: Form
    slot: str
    # Not 0: an event drawn for a form that was made again must not fit by chance.
    counter: int = field(default_factory=lambda: secrets.randbelow(1_000_000_000))
    turns: dict[str, int] = field(default_factory=dict)
    as_text: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    focus: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        self.renew("")

    def renew(self, pointer: str) -> None:
        self.counter += 1
        self.turns = {
            each: turn for each, turn in self.turns.items() if not f"{each}/".startswith(f"{pointer}/")
        }
        self.turns[pointer] = self.counter

    def turn_of(self, pointer: str) -> int:
        known = [turn for each, turn in self.turns.items() if f"{pointer}/".startswith(f"{each}/")]
        return max(known, default=0)

    def take(self, op: str, pointer: str, text: str, turn: int) -> bool:
        """One step of a person; False for one that was drawn before its field was exchanged."""
        if turn != self.turn_of(pointer):
            return False
        self.refused = {}
        if op == "set":
            whole = pointer in self.as_text
            self.form = self.form.apply(Edit("json" if whole else "set", pointer, text))
        elif op in ("as_text", "as_fields"):
            self._switch(op, pointer)
        elif op == "undo":
            self.form, self.focus = self.form.undo(), (id_of(self.slot, ""), "")
            self.renew("")
        else:
            self._step(op, pointer, text)
        return True

    def _switch(self, op: str, pointer: str) -> None:
        self.as_text = {each for each in self.as_text if not f"{each}/".startswith(f"{pointer}/")}
        if op == "as_text":
            self.as_text.add(pointer)
        self.renew(pointer)
        self.focus = (id_of(self.slot, pointer), "")

    def _step(self, op: str, pointer: str, text: str) -> None:
        edit = Edit(_STEPS.get(op, op), pointer)
        if op in ("up", "down", "variant"):
            edit = replace(edit, to=int(text) if text.lstrip("-").isdigit() and len(text) < 9 else -1)
        elif op in ("key", "rename"):
            edit = replace(edit, key=text)
        elif op == "json":
            edit = replace(edit, text=text)
        self.form = self.form.apply(edit)
        parent = pointer.rpartition("/")[0]
        self.renew(parent if op in _AROUND else pointer)
        self.as_text = {each for each in self.as_text if not f"{each}/".startswith(f"{parent}/")}
        self.focus = self._next(op, pointer, parent, edit)

    def _next(self, op: str, pointer: str, parent: str, edit: Edit) -> tuple[str, str]:
        """Where a person goes on after the step, and what moved there from where."""
        here = id_of(self.slot, pointer)
        match op:
            case "up" | "down":
                return id_of(self.slot, f"{parent}/{edit.to}"), here
            case "add" | "key":
                added = _find(self.form.tree, pointer)
                child = added.children[-1].pointer if added and added.children else pointer
                if op == "key":
                    child = f"{pointer}/{edit.key.replace('~', '~0').replace('/', '~1')}"
                return id_of(self.slot, child), ""
            case "rename":
                return id_of(self.slot, f"{parent}/{edit.key.replace('~', '~0').replace('/', '~1')}"), ""
            case "remove":
                return self._after_removal(pointer, parent), ""
            case "variant":
                return f"{here}!variant", ""
        return here, ""

    def _after_removal(self, pointer: str, parent: str) -> str:
        left, last = _find(self.form.tree, parent), pointer.rpartition("/")[2]
        if left is None or not left.children:
            return id_of(self.slot, parent)
        at = int(last) if last.isdigit() and left.kind == "array" else 0
        return id_of(self.slot, left.children[min(at, len(left.children) - 1)].pointer)

    def draw(self) -> Node:
        """Also collects the long texts; those that are only typed into keep theirs."""
        drawing = Drawing(self.form, self.slot, self.turns, self.as_text, self.refused)
        node = drawing.draw()
        self.texts = drawing.texts
        return node


def _find(tree: Field, pointer: str) -> Field | None:
    return next((each for each in tree.walk() if each.pointer == pointer), None)


class OpenForms:
    """Those of all tabs, by a key that only the tab and the process know."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], OpenForm] = OrderedDict()
        self._lock = Lock()

    def get(
        self, key: str, slot: str, make: Callable[[], Form | None], steps: str = "null"
    ) -> OpenForm | None:
        """The one that is open; else made and taken through the `steps` of a draft, which are JSON text."""
        with self._lock:
            if (known := self._kept.get((key, slot))) is not None:
                self._kept.move_to_end((key, slot))
                return known
        if (form := make()) is None:
            return None
        made = OpenForm(resumed(form, json.loads(steps)), slot)
        with self._lock:
            made = self._kept.setdefault((key, slot), made)
            while len(self._kept) > MAX_OPEN:
                self._kept.popitem(last=False)
        return made

    def drop(self, key: str) -> None:
        with self._lock:
            for each in [each for each in self._kept if each[0] == key]:
                del self._kept[each]


def resumed(form: Form, draft: Any) -> Form:
    """With the steps of a draft, but for those that do not fit any longer."""
    steps = draft.get("edits") if isinstance(draft, dict) else None
    for each in steps if isinstance(steps, list) else ():
        try:
            form = form.apply(read_edit(each))
        except Refused:
            continue
    return form


FORMS = OpenForms()
