"""Small parts that appear on every screen."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_components_core.react_router.dom import ReactRouterLink  # type: ignore[import-untyped]

from console.ui.theme import Drawn, test_id

link = ReactRouterLink.create


def icon(name: str, size: int = 16, **props: Any) -> rx.Component:
    return rx.icon(name, size=size, stroke_width=1.9, aria_hidden="true", **props)


def sr(text: Any) -> rx.Component:
    """For screen readers only."""
    return rx.el.span(text, class_name="sr")


def chip(*children: Any, tone: Any = "gray", **props: Any) -> rx.Component:
    return rx.badge(*children, size="1", variant="soft", color_scheme=tone, **props)


def hazard_chip(count: Drawn) -> rx.Component:
    return rx.badge(
        icon("triangle-alert", 12),
        count,
        rx.cond(count == 1, " hidden character", " hidden characters"),
        size="1",
        variant="surface",
        color_scheme="amber",
        class_name="hazard",
        custom_attrs=test_id("hazard"),
    )


def word(name: str, text: Any, tone: str = "gray") -> rx.Component:
    """State in colour, icon and word together: colour is never the only sign."""
    return rx.el.span(icon(name, 12), text, class_name=f"word c-{tone}")


def tone_word(text: Drawn, tone: Drawn) -> rx.Component:
    """As `word`, when it is known only at run time; a tone is a colour or the kind of a decision."""
    return rx.match(
        tone,
        ("approve", word("check", text, "green")),
        ("edit", word("pencil", text, "iris")),
        ("reject", word("x", text, "red")),
        ("respond", word("reply", text, "cyan")),
        ("green", word("check", text, "green")),
        ("red", word("octagon-alert", text, "red")),
        ("amber", word("hourglass", text, "amber")),
        ("iris", word("loader", text, "iris")),
        word("minus", text, "gray"),
    )


def position(number: Any, small: bool = False) -> rx.Component:
    """The numbered square: the action's position, wherever the action appears."""
    return rx.el.span(number, class_name="pos pos-16" if small else "pos")


def avatar(name: Drawn, size: str = "") -> rx.Component:
    initials = name[:2] if isinstance(name, str) else name.to(str)[0:2]
    return rx.el.span(initials, class_name=f"av av-{name} {size}", title=name, aria_hidden="true")


def segments(parts: Drawn) -> rx.Component:
    """Text of others, as plain text, with every hidden character as a visible escape."""
    return rx.foreach(
        parts,
        lambda part: rx.cond(
            part.hazard == "",
            rx.fragment(part.text),
            rx.el.span(part.text, class_name="esc", title=part.hazard),
        ),
    )


def agent_words(parts: Drawn, size: Any) -> rx.Component:
    """Dashed and hatched: not our words. Closed at first, opens downwards."""
    return rx.el.details(
        rx.el.summary(
            icon("chevron-right", 12),
            icon("bot", 14),
            rx.el.span("Written by the agent, not checked", class_name="grow"),
            rx.el.span(size, " characters", class_name="num"),
        ),
        rx.el.div(segments(parts), class_name="agent-text wrap", tab_index=0),
        class_name="agent",
        custom_attrs=test_id("agent-words"),
    )


def button(*children: Any, variant: str = "surface", **props: Any) -> rx.Component:
    """Grey by default; `variant="solid"` is for the one button that moves the page forward."""
    if variant != "solid":
        props.setdefault("color_scheme", "gray")
    return rx.button(*children, variant=variant, type=props.pop("type", "button"), **props)


def note(name: str, *children: Any, tone: str = "gray", **props: Any) -> rx.Component:
    return rx.el.div(icon(name), rx.el.div(*children), class_name=f"note note-{tone}", **props)


def blank(name: str, title: Any, text: Any, *more: Any, tone: str = "gray", **props: Any) -> rx.Component:
    """Empty, error and no-permission states: a sign, what it is, what to do."""
    return rx.el.div(
        rx.el.span(icon(name, 20), class_name=f"sign sign-{tone}"),
        rx.el.b(title),
        rx.el.p(text),
        *more,
        class_name="blank",
        **props,
    )


def no_permission(text: Any) -> rx.Component:
    return blank("lock", "Nothing to see with this role", text, custom_attrs=test_id("no-permission"))


def skeleton_row(widths: tuple[int, int, int]) -> rx.Component:
    bars = [
        rx.el.span(class_name="sk", style={"width": f"{width}%", "marginTop": "12px"}) for width in widths[1:]
    ]
    return rx.el.div(
        rx.el.div(rx.el.span(class_name="sk", style={"width": f"{widths[0]}%"}), *bars),
        rx.el.div(rx.el.span(class_name="sk")),
        class_name="sk-row",
    )


def skeleton(label: str, rows: int = 3) -> rx.Component:
    shapes = ((62, 48, 70), (48, 60, 52), (56, 44, 64))
    return rx.el.div(
        *(skeleton_row(shapes[row % 3]) for row in range(rows)),
        aria_busy="true",
        aria_label=label,
        role="status",
    )
