"""The log: who did what, when, and what came of it."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.features.audit import query
from console.features.audit.band import band, controls
from console.features.audit.browser import audit_keys, follow, zone
from console.features.audit.filters import toolbar
from console.features.audit.opened import opened
from console.features.audit.signs import kind_sign
from console.features.audit.state import Audit as AuditState
from console.features.queue.state import Queue as QueueState
from console.ui.layout import shell, try_again
from console.ui.native import when
from console.ui.parts import avatar, blank, icon, link, no_permission, note, segments, skeleton, tone_word
from console.ui.theme import Drawn, test_id

Queue: Drawn = QueueState
Audit: Drawn = AuditState


def actor(entry: Drawn) -> rx.Component:
    sign = rx.cond(
        entry.system,
        rx.el.span(icon("server", 12), class_name="av av-22", aria_hidden="true"),
        avatar(entry.actor, "av-22"),
    )
    return rx.el.span(sign, entry.actor, class_name="person")


def outcome(entry: Drawn) -> rx.Component:
    refused = rx.el.span(icon("lock", 12), entry.outcome, class_name="word c-amber")
    known = rx.cond(entry.outcome_tone == "amber", refused, tone_word(entry.outcome, entry.outcome_tone))
    return rx.cond(entry.outcome != "", known, rx.el.span("–", class_name="dim"))


def row(entry: Drawn) -> rx.Component:
    """The link is stretched over the whole row: a click anywhere, Enter, and a new tab all work."""
    is_open = Audit.open_seq == entry.seq
    number = link(
        entry.number,
        to=rx.cond(is_open, Audit.closed, entry.href),
        class_name="row-link",
        aria_expanded=is_open,
        aria_label="Entry " + entry.number,
    )
    line = rx.el.tr(
        rx.el.td(number, class_name="num right"),
        rx.el.td(when(at=entry.at, look="stamp")),
        rx.el.td(actor(entry)),
        rx.el.td(rx.el.span(kind_sign(entry.kind), entry.kind, class_name="kind")),
        rx.el.td(rx.cond(entry.review != "", entry.review, "–"), class_name="mono opt"),
        rx.el.td(segments(entry.what), class_name="wide opt"),
        rx.el.td(outcome(entry), class_name="ended"),
        rx.el.td(entry.hash, class_name="mono dim opt"),
        class_name=rx.cond(is_open, "row open", "row"),
        custom_attrs={"data-testid": "audit-row", "data-kind": entry.kind, "data-seq": entry.number},
    )
    return rx.fragment(line, rx.cond(is_open, opened()), key=entry.seq)


def columns() -> rx.Component:
    names: tuple[tuple[Any, str], ...] = (
        ("Number", "right"), (rx.fragment("Time, ", zone()), ""), ("Actor", ""), ("Event", ""),
        ("Review", "opt"), ("What", "wide opt"), ("Outcome", "ended"), ("Hash", "opt"),
    )  # fmt: skip
    return rx.el.thead(rx.el.tr(*(rx.el.th(name, class_name=look, scope="col") for name, look in names)))


def steps() -> rx.Component:
    newest = link(
        icon("chevrons-up", 14),
        "Newest",
        to=Audit.newest,
        class_name="mini",
        custom_attrs=test_id("audit-newest"),
    )
    older = link(
        "Older",
        icon("chevron-down", 14),
        to=Audit.older,
        class_name="mini",
        custom_attrs=test_id("audit-older"),
    )
    return rx.el.nav(
        rx.cond(Audit.newest != "", newest),
        rx.cond(Audit.older != "", older, rx.el.span("No older entries", class_name="small dim")),
        class_name="older",
        aria_label="Pages of the log",
    )


def table() -> rx.Component:
    return rx.fragment(
        rx.el.table(
            columns(),
            rx.el.tbody(rx.foreach(Audit.pinned, row), rx.foreach(Audit.entries, row)),
            class_name="tbl",
        ),
        steps(),
    )


def alone(part: rx.Component) -> rx.Component:
    return rx.el.div(part, class_name="alone")


def nothing() -> rx.Component:
    clear = link("Show all entries", to=query.ROUTE, class_name="link")
    return rx.cond(
        Audit.narrow,
        blank("search-x", "No entry matches", "Nothing in what you may see fits these filters.", clear),
        blank("scroll-text", "No entry yet", "What people and runs do is written here as it happens."),
    )


def body() -> rx.Component:
    failed = blank(
        "circle-x", "The log could not be read", Audit.problem, try_again(AuditState.retry), tone="red"
    )
    any_row = (Audit.entries.length() > 0) | (Audit.pinned.length() > 0)
    return rx.match(
        Audit.phase,
        ("loading", skeleton("Loading the log", 6)),
        ("denied", alone(no_permission(Audit.problem))),
        ("error", alone(failed)),
        rx.cond(any_row, table(), alone(nothing())),
    )


def waiting() -> rx.Component:
    words = Audit.waiting.to_string() + " new"
    return follow(
        waiting=Audit.waiting, words=words, on_show=AuditState.show_new, custom_attrs=test_id("audit-new")
    )


def head() -> rx.Component:
    own = rx.el.span("Your own acts, and what came of your decisions", class_name="small dim hide-s")
    return rx.el.header(
        rx.el.h1("Audit log"),
        rx.cond((Audit.phase == "ready") & ~Audit.everything, own),
        rx.el.span(class_name="grow"),
        rx.cond(Audit.everything, controls()),
        class_name="page-head",
    )


def page() -> rx.Component:
    title = rx.cond(Queue.any_open, "(" + Queue.count + ") Audit · Review Console", "Audit · Review Console")
    main = rx.el.main(
        head(),
        rx.cond(Audit.phase == "ready", band()),
        rx.cond(Audit.phase != "denied", toolbar()),
        rx.cond(
            Audit.lost != "", note("info", Audit.lost, role="status", custom_attrs=test_id("audit-lost"))
        ),
        rx.el.div(
            waiting(),
            rx.el.div(body(), class_name="scroll", tab_index=0, custom_attrs=test_id("audit-list")),
            class_name="list",
        ),
        audit_keys(),
        class_name="page audit",
    )
    return shell("audit", title, Queue.count, Queue.any_open, main)
