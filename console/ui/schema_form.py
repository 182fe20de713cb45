"""A form of fields within fields, drawn by one memo component that draws itself for what is inside.

Every text of a node is ready to be drawn: hidden characters of others are escapes already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import reflex as rx

from console.ui.node import Choice, Node
from console.ui.parts import chip, icon
from console.ui.theme import Drawn, test_id

LIBRARY = rx.asset("schema_form.jsx", shared=True).importable_path


class Typed(rx.Component):
    library = LIBRARY
    tag = "Typed"
    kind: rx.Var[str]
    text: rx.Var[str]
    turn: rx.Var[int]
    options: rx.Var[list[Choice]]
    blank: rx.Var[str]
    on_text: rx.EventHandler[rx.event.passthrough_event_spec(str)]  # type: ignore[type-arg,valid-type]


class NameBox(rx.Component):
    library = LIBRARY
    tag = "NameBox"
    label: rx.Var[str]
    verb: rx.Var[str]
    name: rx.Var[str]
    folded: rx.Var[bool]
    on_name: rx.EventHandler[rx.event.passthrough_event_spec(str)]  # type: ignore[type-arg,valid-type]


class EditForm(rx.Component):
    library = LIBRARY
    tag = "EditForm"
    focus: rx.Var[str]


edit_form = EditForm.create

# (form key, slot, turn, operation, pointer, text): an event of whoever draws a tree.
Take = Callable[..., Any]
Tree = Callable[..., rx.Component]
ICONS = {
    "reset": "rotate-ccw",
    "null": "circle-slash",
    "unset": "eraser",
    "empty": "text-cursor-input",
    "fill": "plus",
    "up": "arrow-up",
    "down": "arrow-down",
    "remove": "trash-2",
    "as_text": "braces",
    "as_fields": "list-tree",
}


def tree(take: Take, texts: Drawn) -> Tree:
    """The component for one node, bound to a state: `take` is its event, `texts` its long texts by id."""

    @rx.memo
    def schema_field(
        node: rx.Var[Node], form_key: rx.Var[str], slot: rx.Var[str], rest: rx.RestProp
    ) -> rx.Component:
        # An attribute of a Var is known to Reflex alone.
        drawn: Drawn = node

        def step(op: Any, text: Any = "") -> Any:
            return take(form_key, slot, drawn.turn, op, drawn.pointer, text)

        def inside(child: Drawn) -> rx.Component:
            return schema_field(node=child, form_key=form_key, slot=slot, key=child.pointer)

        return rx.cond(
            (drawn.kind == "object") | (drawn.kind == "array"),
            part(drawn, step, inside),
            leaf(drawn, step, texts),
        )

    return schema_field


def leaf(node: Drawn, step: Take, texts: Drawn) -> rx.Component:
    wrong = node.error != ""
    value = Typed.create(
        id=node.id,
        kind=node.kind,
        text=rx.cond(node.long, texts[node.id], node.text),
        turn=node.turn,
        options=node.options,
        blank=node.blank,
        on_text=lambda text: step("set", text),
        custom_attrs={
            "aria-invalid": wrong,
            "aria-describedby": node.id + "!said",
            "aria-required": node.required,
            "aria-label": node.name,
            "readOnly": node.fixed,
        },
    )
    box = rx.el.span(
        rx.cond(node.kind == "null", rx.el.span("no value", class_name="dim grow"), value),
        rx.cond(node.changed & ~wrong, marks(node)),
        rx.cond(wrong, error(node), rx.el.span(node.hint, id=node.id + "!said", class_name="type")),
        buttons(node, step),
        class_name=rx.cond(wrong, "field-box wrong", "field-box"),
    )
    return rx.el.div(
        rx.el.div(
            name(node), rx.el.span(choice(node, step), box, class_name="stack"), class_name=arg_class(node)
        ),
        remarks(node),
        class_name="leaf",
        custom_attrs={"data-testid": "field", "data-pointer": node.pointer, "data-item": node.id},
    )


def part(node: Drawn, step: Take, inside: Callable[[Drawn], rx.Component]) -> rx.Component:
    """An object or a list: its own line, what is inside one step further in, then what may be added."""
    wrong = node.error != ""
    head = rx.el.div(
        rx.el.span(node.label, class_name="key"),
        rx.el.span(
            choice(node, step),
            rx.cond(node.changed & ~wrong, marks(node)),
            rx.cond(wrong, error(node), rx.el.span(node.hint, class_name="type")),
            buttons(node, step),
            class_name="part-line",
        ),
        class_name=arg_class(node),
    )
    adds = rx.el.div(
        rx.cond(
            node.add != "",
            rx.el.button(
                icon("plus", 12),
                node.add,
                type="button",
                class_name="word-button",
                id=node.id + "!add",
                on_click=step("add"),
                custom_attrs=test_id("add-item"),
            ),
        ),
        rx.cond(
            node.add_key != "",
            NameBox.create(
                label=node.add_key,
                verb="Add key",
                name="",
                folded=False,
                on_name=lambda text: step("key", text),
                custom_attrs={"data-testid": "add-key", "id": node.id + "!key"},
            ),
        ),
        class_name="adds",
    )
    return rx.el.div(
        rx.cond(node.label != "", head, rx.cond(wrong, rx.el.p(error(node), class_name="whole-error"))),
        remarks(node),
        rx.el.div(
            rx.foreach(node.children, inside), adds, class_name=rx.cond(node.label != "", "kids", "args")
        ),
        id=node.id,
        role="group",
        aria_label=node.name,
        custom_attrs={
            "data-testid": rx.cond(node.label != "", "field", "whole"),
            "data-pointer": node.pointer,
            "data-item": node.id,
        },
    )


def arg_class(node: Drawn) -> Any:
    return rx.cond(node.changed, "arg changed", "arg")


def name(node: Drawn) -> rx.Component:
    return rx.el.label(node.label, html_for=node.id, class_name="key", aria_label=node.name)


def marks(node: Drawn) -> rx.Component:
    was = rx.el.span("was ", rx.el.span(node.was, class_name="was"), class_name="type num cut")
    return rx.fragment(
        chip(icon("pencil", 12), "changed", tone="iris"),
        rx.cond(node.was != "", rx.el.span(was, custom_attrs=test_id("diff"), class_name="cut")),
    )


def error(node: Drawn) -> rx.Component:
    return rx.el.span(
        icon("circle-x", 12),
        node.error,
        class_name="field-error",
        id=node.id + "!said",
        role="alert",
        custom_attrs={"data-testid": "field-error", "data-pointer": node.pointer},
    )


def choice(node: Drawn, step: Take) -> rx.Component:
    """Which of several forms the value has; choosing another exchanges the fields."""
    return rx.cond(
        node.variants.length() > 0,
        rx.el.span(
            rx.el.select(
                rx.cond(node.variant == "-1", rx.el.option("fits none of them", value="-1")),
                rx.foreach(node.variants, lambda each: rx.el.option(each.label, value=each.text)),
                value=node.variant,
                on_change=lambda chosen: step("variant", chosen),
                aria_label="Form of " + node.name.to(str),
                id=node.id + "!variant",
                custom_attrs=test_id("variant"),
            ),
            class_name="field-box variant",
        ),
    )


def buttons(node: Drawn, step: Take) -> rx.Component:
    def one(each: Drawn) -> rx.Component:
        return rx.el.button(
            rx.match(each.op, *((op, icon(sign, 14)) for op, sign in ICONS.items()), icon("pencil", 14)),
            type="button",
            class_name="icon-button",
            aria_label=each.label,
            title=each.label,
            id=node.id + "!" + each.op.to(str),
            on_click=step(each.op, each.arg),
            custom_attrs={"data-op": each.op},
        )

    rename = NameBox.create(
        label="New name for " + node.name.to(str),
        verb="Rename",
        name=node.rename,
        folded=True,
        on_name=lambda text: step("rename", text),
        custom_attrs=test_id("rename"),
    )
    return rx.cond(
        (node.ops.length() > 0) | (node.rename != ""),
        rx.el.span(rx.foreach(node.ops, one), rx.cond(node.rename != "", rename), class_name="ops"),
    )


def remarks(node: Drawn) -> rx.Component:
    """What the tool says of the field is the tool's word, and is marked as such."""

    def row(handle: str, class_name: str, *words: Any) -> rx.Component:
        return rx.el.div(
            rx.el.span(class_name="key"),
            rx.el.span(*words, class_name=f"small {class_name}"),
            class_name="arg arg-note",
            custom_attrs=test_id(handle),
        )

    said = rx.fragment("The tool says: ", rx.el.bdi(node.said, dir="ltr"))
    return rx.fragment(
        rx.cond(node.said != "", row("tool-words", "dim wrap", said)),
        rx.cond(node.note != "", row("field-note", "dim wrap", node.note)),
        rx.cond(
            node.warning != "",
            row("field-warning", "c-amber wrap word", icon("triangle-alert", 12), node.warning),
        ),
        rx.cond(
            node.hidden != "",
            row("hidden-text", "c-amber wrap", "This text is really: ", rx.el.bdi(node.hidden, dir="ltr")),
        ),
    )
