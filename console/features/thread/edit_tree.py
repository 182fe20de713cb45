"""The fields of a form as the page draws them: in words, and with the steps each of them offers. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from console.domain.text import count_hazards, escape
from console.features.drawn import shown_key
from console.forms import tokens
from console.forms.difference import Change
from console.forms.edits import below, steps_of
from console.forms.field import Field
from console.forms.form import Form, without_unread
from console.forms.kinds import TEXTS
from console.forms.unread import MISSING, Unread
from console.ui.node import Choice, Node, Op

# A longer text does not travel with every change of another field.
LONG = 2_000
# Of the text that was there before: the list of differences has all of it.
WAS = 120
# Lines of one action.
MAX_DIFFS = 100
# As forms says it of a key that no property names.
NOT_NAMED = "not in the schema"


@dataclass(frozen=True)
class Diff:
    """One line of what an edit changed; `number` is the action's, `was` and `now` are exact."""

    number: str
    place: str
    kind: str
    was: str
    now: str


@dataclass
class Drawing:
    """What is drawn of one form. `texts` holds the long ones by id; `turns` who was exchanged, by pointer."""

    form: Form
    slot: str
    turns: Mapping[str, int]
    as_text: Collection[str]
    refused: Mapping[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def draw(self) -> Node:
        return self._node(self.form.tree, "", "the arguments", self.turns.get("", 0), None)

    def _node(self, each: Field, label: str, name: str, turn: int, parent: Field | None) -> Node:
        turn = max(turn, self.turns.get(each.pointer, 0))
        forced = each.pointer in self.as_text
        kind = "json" if forced else each.kind
        part = kind in ("object", "array")
        where, text = id_of(self.slot, each.pointer), "" if part else self._text(each, forced)
        if is_long := len(text) > LONG:
            self.texts[where] = text
        return Node(
            id=where,
            pointer=each.pointer,
            label=label,
            name=name,
            kind=kind,
            turn=turn,
            text="" if is_long else text,
            long=is_long,
            hint=hint(each, kind),
            blank=blank(each),
            said=said(each, label),
            note=escape(each.note) if each.note != "inferred from the arguments" else "",
            error=escape("; ".join([*each.errors, *self._refused(each.pointer)])),
            warning=escape("; ".join(each.warnings)),
            hidden=escape(text) if not part and count_hazards(text) else "",
            changed=each.changed,
            was=was(each) if each.changed and not part else "",
            required=each.required,
            fixed=each.read_only,
            options=[Choice(option.text, escape(option.label)) for option in each.options],
            variants=[Choice(str(at), escape(title)) for at, title in enumerate(each.variants)],
            variant=str(each.variant),
            ops=[] if each.read_only else ops(each, name, parent, forced),
            rename=each.key if each.can_rename and not each.read_only else "",
            add=f"Add an item to {name}" if each.can_add and part and not each.read_only else "",
            add_key=f"New key in {name}" if each.can_add_key and part and not each.read_only else "",
            children=[self._child(child, each, name, turn) for child in each.children] if part else [],
        )

    def _child(self, child: Field, parent: Field, above: str, turn: int) -> Node:
        """People count from one."""
        listed = parent.kind == "array"
        label = str(int(child.key) + 1) if listed else shown_key(child.key)
        return self._node(child, label, f"{above} {label}" if listed else label, turn, parent)

    def _refused(self, pointer: str) -> list[str]:
        return [self.refused[pointer]] if pointer in self.refused else []

    def _text(self, each: Field, forced: bool) -> str:
        return json_at(self.form, each.pointer) if forced else each.text


def id_of(slot: str, pointer: str) -> str:
    """As an id in the page, where a space would end it."""
    return f"f{slot}:{quote(pointer, safe='/~')}"


def json_at(form: Form, pointer: str) -> str:
    """The exact JSON of one part as it stands; a text that is no value yet as it was typed."""
    value = form.value
    for step in steps_of(pointer):
        value = below(value, step)
    if isinstance(value, Unread):
        return value.text
    found = without_unread(value, MISSING)
    return "" if found is MISSING else tokens.write(found)


def hint(each: Field, kind: str) -> str:
    """What is there and what may be: nothing, no value, an empty text and the default are four things."""
    default = f"default {escape(each.default)[:60]}" if each.default else ""
    takes = "JSON" if kind == "json" else each.hint
    if kind == "array" and each.state == "value":
        takes = f"{takes}, {len(each.children)} given"
    words = {
        "missing": ["not given", "needed" if each.required else default],
        "null": ["no value", takes if kind != "null" else ""],
        "empty": ["empty text", default],
        "default": [takes, "is the default"],
    }.get(each.state, [takes, default])
    return ", ".join(filter(None, [*words, "deprecated" if each.deprecated else "", fixed(each)]))


def fixed(each: Field) -> str:
    return "read only" if each.read_only else ""


def blank(each: Field) -> str:
    return {"missing": "not given", "null": "no value"}.get(each.state, "")


def said(each: Field, label: str) -> str:
    """Title, description and examples, in the tool's own words; a title like the name says nothing."""
    title = "" if plain(each.title) == plain(each.key or label) or not label else each.title
    examples = f"Such as {', '.join(each.examples[:3])}" if each.examples else ""
    return escape(" · ".join(filter(None, [title, each.description, examples])))


def plain(text: str) -> str:
    return text.replace("_", "").replace(" ", "").replace("-", "").lower()


def was(each: Field) -> str:
    text = escape(each.was)
    return text if len(text) <= WAS else f"{text[:WAS]}…"


def ops(each: Field, name: str, parent: Field | None, forced: bool) -> list[Op]:
    """The steps this field offers besides typing, in the order of their buttons."""
    found = _of_value(each, name)
    named = parent is not None and parent.kind == "object" and not each.can_rename
    named = named and NOT_NAMED not in each.note
    if named and not each.required and each.state != "missing":
        found.append(Op("unset", f"Leave out {name}"))
    if each.pointer and forced:
        found.append(Op("as_fields", f"{name} as fields"))
    elif each.pointer and each.children:
        found.append(Op("as_text", f"{name} as JSON text"))
    if each.can_move and parent is not None:
        at, first = int(each.key), next(child for child in parent.children if child.can_move)
        if each is not first:
            found.append(Op("up", f"Move {name} up", str(at - 1)))
        if at + 1 < len(parent.children):
            found.append(Op("down", f"Move {name} down", str(at + 1)))
    if each.can_remove and not named:
        found.append(Op("remove", f"Remove {name}"))
    if each.pointer and each.changed:
        found.append(Op("reset", f"Put back {name}"))
    return found


def _of_value(each: Field, name: str) -> list[Op]:
    """Nothing, no value and the empty text are three things, and each can be chosen."""
    found, nothing = [], each.state in ("missing", "null")
    if each.pointer and nothing and each.kind in ("object", "array"):
        found.append(Op("fill", f"Fill in {name}"))
    if nothing and each.kind in TEXTS:
        found.append(Op("empty", f"Empty text for {name}"))
    if each.pointer and each.nullable and each.state != "null" and each.kind != "null":
        found.append(Op("null", f"No value for {name}"))
    return found


def origin(form: Form) -> str:
    """Where the fields come from, and what of it could not be drawn as fields."""
    texts = len(form.drawn_as_text)
    parts = f"{texts} {'part' if texts == 1 else 'parts'} as JSON text" if texts else ""
    return ", ".join(filter(None, [f"fields {form.schema_origin}" if form.schema_origin else "", parts]))


def all_diffs(forms: Sequence[Form | None]) -> list[Diff]:
    """Of all actions, in their order; people count from one."""
    return [diff for at, form in enumerate(forms, 1) if form for diff in diffs(form, str(at))]


def diffs(form: Form, number: str) -> list[Diff]:
    changes = form.changes
    found = [
        Diff(number, place_of(form, each), each.kind, shortened(each.was), shortened(each.now))
        for each in changes[:MAX_DIFFS]
    ]
    if len(changes) > MAX_DIFFS:
        found.append(Diff(number, f"and {len(changes) - MAX_DIFFS:,} more", "more", "", ""))
    return found


def place_of(form: Form, change: Change) -> str:
    """The way to it in words; people count items from one."""
    value, words = form.origin if change.kind == "removed" else form.value, []
    for step in steps_of(change.pointer):
        words.append(str(int(step) + 1) if isinstance(value, list) else shown_key(step))
        value = below(value, step)
    return " / ".join(words) or "all arguments"


def shortened(text: str) -> str:
    """Whole, unless nobody could read it in a line of differences; then it says how much there is."""
    if len(text) <= LONG:
        return escape(text)
    return f"{escape(text[:WAS])}… ({len(text):,} characters, whole at its field)"
