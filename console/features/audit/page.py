"""The log: who did what, when, and what came of it."""

from __future__ import annotations

import reflex as rx

from console.features.audit.state import Audit as AuditState
from console.features.queue.state import Queue as QueueState
from console.ui.layout import shell, try_again
from console.ui.native import when
from console.ui.parts import (
    avatar,
    blank,
    button,
    chip,
    icon,
    link,
    no_permission,
    position,
    segments,
    skeleton,
    tone_word,
)
from console.ui.theme import Drawn, test_id

Queue: Drawn = QueueState
Audit: Drawn = AuditState

COLUMNS = 8


def kind_sign(kind: Drawn) -> rx.Component:
    return rx.match(
        kind,
        ("denied", icon("ban", 14)),
        ("decided", icon("list-checks", 14)),
        ("settled", icon("circle-check", 14)),
        ("dispatched", icon("send", 14)),
        ("opened", icon("circle-pause", 14)),
        ("mismatch", icon("octagon-alert", 14, class_name="c-red")),
        ("login", icon("log-in", 14)),
        ("logout", icon("log-out", 14)),
        ("thread started", icon("message-square-plus", 14)),
        ("message sent", icon("message-square-text", 14)),
        icon("scroll-text", 14),
    )


def outcome(entry: Drawn) -> rx.Component:
    return rx.cond(
        entry.outcome != "", tone_word(entry.outcome, entry.outcome_tone), rx.el.span("–", class_name="dim")
    )


def row(entry: Drawn) -> rx.Component:
    is_open = Audit.open_seq == entry.seq
    number = rx.el.button(entry.number, type="button", class_name="row-button", aria_expanded=is_open)
    line = rx.el.tr(
        rx.el.td(number, class_name="num right"),
        rx.el.td(when(at=entry.at, look="stamp")),
        rx.el.td(rx.el.span(avatar(entry.actor, "av-22"), entry.actor, class_name="person")),
        rx.el.td(rx.el.span(kind_sign(entry.kind), entry.kind, class_name="kind")),
        rx.el.td(entry.review, class_name="mono opt"),
        rx.el.td(segments(entry.what), class_name="wide opt"),
        rx.el.td(outcome(entry)),
        rx.el.td(entry.hash, class_name="mono dim opt"),
        class_name=rx.cond(is_open, "row open", "row"),
        on_click=Audit.toggle(entry.seq),
        custom_attrs={"data-testid": "audit-row", "data-kind": entry.kind, "data-seq": entry.number},
    )
    return rx.fragment(line, rx.cond(is_open, opened()), key=entry.seq)


def cell(line: Drawn) -> rx.Component:
    return rx.el.tr(
        rx.el.td(line.key, class_name="key"),
        rx.el.td(segments(line.proposed)),
        rx.el.td(segments(line.decided), class_name=rx.cond(line.changed, "mark", "")),
        rx.el.td(segments(line.executed)),
    )


def side(each: Drawn) -> rx.Component:
    name = rx.el.span(
        position(each.number, small=True), rx.el.span(each.tool, class_name="mono strong"), class_name="flex"
    )
    said = rx.cond(each.said.length() > 0, rx.el.span(" “", segments(each.said), "”", class_name="dim"))
    known = rx.cond(
        each.outcome != "",
        tone_word(each.outcome, each.outcome_tone),
        rx.el.span("not known yet", class_name="dim"),
    )
    return rx.el.tbody(
        rx.el.tr(
            rx.el.th(name, scope="row"),
            rx.el.td(),
            rx.el.td(tone_word(each.decision, each.decision_tone), said),
            rx.el.td(known),
            class_name="grp",
        ),
        rx.foreach(each.lines, cell),
        key=each.number,
    )


def three_columns() -> rx.Component:
    def column(name: str, label: str) -> rx.Component:
        return rx.el.th(rx.el.b(icon(name, 14), label), scope="col")

    return rx.el.div(
        rx.el.table(
            rx.el.colgroup(rx.el.col(style={"width": "150px"}), rx.el.col(), rx.el.col(), rx.el.col()),
            rx.el.thead(
                rx.el.tr(
                    rx.el.th(),
                    column("bot", "Proposed"),
                    column("user-check", "Decided"),
                    column("cpu", "Executed"),
                )
            ),
            rx.foreach(Audit.detail.sides, side),
            class_name="d3",
            custom_attrs=test_id("audit-sides"),
        ),
        class_name="d3-box",
    )


def opened() -> rx.Component:
    shown = Audit.detail
    facts = rx.el.p(
        rx.el.span("role ", shown.role, ", via ", shown.via),
        rx.cond(shown.review != "", rx.el.span("review ", rx.el.span(shown.review, class_name="mono"))),
        rx.el.span("hash ", rx.el.span(shown.hash, class_name="mono")),
        rx.cond(
            shown.thread_ref != "", link("Open thread", to="/threads/" + shown.thread_ref, class_name="link")
        ),
        class_name="facts-line",
    )
    reason = rx.cond(
        shown.reason.length() > 0, rx.el.p("Reason: ", segments(shown.reason), class_name="wrap")
    )
    body = rx.cond(shown.body.length() > 0, rx.el.div(segments(shown.body), class_name="stored"))
    return rx.el.tr(
        rx.el.td(
            facts,
            reason,
            rx.cond(shown.sides.length() > 0, three_columns(), body),
            col_span=COLUMNS,
        ),
        class_name="detail",
        custom_attrs=test_id("audit-detail"),
    )


def filter_field(name: str, label: str) -> rx.Component:
    return rx.el.span(
        rx.el.input(name=name, placeholder=label, aria_label=label, max_length=200, auto_complete="off"),
        class_name="field-box",
    )


def toolbar() -> rx.Component:
    scope = rx.cond(
        Audit.own_only, "Your own acts and what came of your decisions", "All entries you may see"
    )
    return rx.form(
        filter_field("kind", "Event"),
        filter_field("actor_name", "Actor"),
        filter_field("tool", "Tool"),
        filter_field("outcome", "Outcome"),
        button("Show", size="2", type="submit", custom_attrs=test_id("audit-filter")),
        rx.el.span(class_name="grow"),
        rx.el.span(scope, class_name="small dim"),
        on_submit=Audit.narrow,
        class_name="toolbar",
        custom_attrs={"role": "search"},
    )


def table() -> rx.Component:
    names = (
        ("Number", "right"), ("Time", ""), ("Actor", ""), ("Event", ""),
        ("Review", "opt"), ("What", "wide opt"), ("Outcome", ""), ("Hash", "opt"),
    )  # fmt: skip
    older = rx.cond(
        Audit.more,
        rx.el.div(
            button("Show older", size="1", on_click=Audit.older, custom_attrs=test_id("audit-older")),
            class_name="older",
        ),
    )
    return rx.fragment(
        rx.el.table(
            rx.el.thead(rx.el.tr(*(rx.el.th(name, class_name=look, scope="col") for name, look in names))),
            rx.el.tbody(rx.foreach(Audit.entries, row)),
            class_name="tbl",
        ),
        older,
    )


def body() -> rx.Component:
    def alone(part: rx.Component) -> rx.Component:
        return rx.el.div(part, style={"display": "flex", "minHeight": "60%"})

    empty = blank("scroll-text", "No entry matches", "Clear the fields above to see all of them.")
    return rx.match(
        Audit.phase,
        ("loading", skeleton("Loading the log", 6)),
        ("denied", alone(no_permission(Audit.problem))),
        (
            "error",
            alone(
                blank(
                    "circle-x", "The log could not be read", Audit.problem, try_again(Audit.load), tone="red"
                )
            ),
        ),
        rx.cond(Audit.entries.length() > 0, table(), alone(empty)),
    )


def page() -> rx.Component:
    title = rx.cond(Queue.any_open, "(" + Queue.count + ") Audit · Review Console", "Audit · Review Console")
    main = rx.el.main(
        rx.el.header(
            rx.el.h1("Audit log"),
            rx.cond(Audit.phase == "ready", chip(Audit.total, " entries")),
            class_name="page-head",
        ),
        rx.cond(Audit.phase != "denied", toolbar()),
        rx.el.div(body(), class_name="scroll", tab_index=0),
        class_name="page",
    )
    return shell("audit", title, Queue.count, Queue.any_open, main)
