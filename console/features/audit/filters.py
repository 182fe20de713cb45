"""What narrows the log: search, time, menus. Each choice is an address; Back takes it away again."""

from __future__ import annotations

import reflex as rx

from console.features.audit import query
from console.features.audit.browser import moment_field, span_of
from console.features.audit.state import HOURS
from console.features.audit.state import Audit as AuditState
from console.ui.parts import button, icon, link
from console.ui.theme import Drawn, test_id

Audit: Drawn = AuditState
PERIODS = dict(zip(HOURS, ("Last hour", "Last 24 hours", "Last 7 days"), strict=True))


def search() -> rx.Component:
    field = rx.el.input(
        name="q",
        key=Audit.asked.q,
        default_value=Audit.asked.q,
        type="search",
        placeholder="Review, thread, order, tool, #number",
        aria_label="Search the log",
        max_length=query.CAP,
        auto_complete="off",
        custom_attrs=test_id("audit-search"),
    )
    return rx.form(
        rx.el.span(icon("search", 14), field, class_name="field-box"),
        on_submit=AuditState.search,
        class_name="seek",
    )


def menu(name: str, label: str, chosen: Drawn, options: Drawn) -> rx.Component:
    """A native menu in the look of a button: it works with keys, on a phone, and to a screen reader."""
    return rx.el.label(
        rx.el.span(label),
        rx.el.select(
            rx.el.option("any", value=""),
            rx.foreach(options, lambda each: rx.el.option(each.label, value=each.value, key=each.value)),
            value=chosen,
            on_change=lambda value: AuditState.pick(name, value),
            custom_attrs=test_id(f"filter-{name}"),
        ),
        icon("chevron-down", 14),
        class_name=rx.cond(chosen != "", "pick on", "pick"),
    )


def period() -> rx.Component:
    asked = Audit.asked
    used = (asked.since != "") | (asked.until != "")
    words = rx.cond(
        used, span_of(since=asked.since, until=asked.until), rx.fragment(rx.el.span("Time"), "any")
    )

    def last(hours: int, label: str) -> rx.Component:
        return rx.popover.close(button(label, size="1", on_click=AuditState.last(hours)))

    return rx.popover.root(
        rx.popover.trigger(
            rx.el.button(
                icon("calendar", 14),
                words,
                type="button",
                class_name=rx.cond(used, "pick on", "pick"),
                custom_attrs=test_id("filter-time"),
            )
        ),
        rx.popover.content(
            rx.el.div(
                *(last(hours, label) for hours, label in PERIODS.items()),
                rx.cond(used, last(0, "Any time")),
                class_name="periods",
            ),
            rx.form(
                moment_field(name="since", label="From, in your time zone", at=asked.since),
                moment_field(name="until", label="Before, in your time zone", at=asked.until),
                button("Show this time", size="2", type="submit", custom_attrs=test_id("filter-time-show")),
                on_submit=AuditState.between,
                class_name="period",
            ),
            size="1",
            width="300px",
        ),
    )


def pin(each: Drawn) -> rx.Component:
    return rx.el.span(
        each.label,
        " ",
        rx.el.b(each.value, class_name="mono"),
        link(icon("x", 12), to=each.href, aria_label="Remove this filter"),
        class_name="pick on pinned",
        key=each.label,
        custom_attrs=test_id("filter-pin"),
    )


def counted() -> rx.Component:
    noun = rx.cond(Audit.total == "1", " entry", " entries, ordered by number")
    return rx.el.span(Audit.total, noun, class_name="small dim num", custom_attrs=test_id("audit-total"))


def toolbar() -> rx.Component:
    asked = Audit.asked
    return rx.el.div(
        search(),
        period(),
        menu("actor", "Actor", asked.actor, Audit.actors),
        menu("kind", "Kind", asked.kind, Audit.kinds),
        menu("tool", "Tool", asked.tool, Audit.tools),
        menu("verdict", "Decision", asked.verdict, Audit.verdicts),
        menu("outcome", "Outcome", asked.outcome, Audit.outcomes),
        rx.foreach(Audit.pins, pin),
        rx.cond(
            Audit.narrow,
            link("Clear", to=query.ROUTE, class_name="link", custom_attrs=test_id("audit-clear")),
        ),
        rx.el.span(class_name="grow"),
        rx.cond(Audit.phase == "ready", counted()),
        class_name="toolbar",
        custom_attrs={"role": "search"},
    )
