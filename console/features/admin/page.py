"""Administration: people with their roles, sessions and tokens."""

from __future__ import annotations

import reflex as rx

from console.features.admin.opened import add_form, opened
from console.features.admin.rows import ROUTE
from console.features.admin.state import Admin as AdminState
from console.features.queue.state import Queue as QueueState
from console.ui.layout import shell, try_again
from console.ui.native import when
from console.ui.parts import avatar, blank, icon, link, no_permission, note, skeleton, word
from console.ui.theme import Drawn, test_id

Queue: Drawn = QueueState
Admin: Drawn = AdminState


def row(person: Drawn) -> rx.Component:
    """The link is stretched over the whole row."""
    is_open = Admin.opened.id == person.id
    name = link(
        person.name,
        to=rx.cond(is_open, Admin.closed, person.href),
        class_name="row-link",
        aria_expanded=is_open,
    )
    state = rx.cond(person.enabled, word("check", "May sign in", "green"), word("ban", "Disabled", "red"))
    return rx.el.tr(
        rx.el.td(rx.el.span(avatar(person.name, "av-22"), name, class_name="person")),
        rx.el.td(person.role),
        rx.el.td(state),
        rx.el.td(rx.cond(person.seen != "", when(at=person.seen, look="stamp"), "never"), class_name="opt"),
        rx.el.td(person.sessions, class_name="right num opt"),
        rx.el.td(person.tokens, class_name="right num opt"),
        class_name=rx.cond(is_open, "row open", "row"),
        custom_attrs={"data-testid": "user-row", "data-user": person.name},
        key=person.id,
    )


def table() -> rx.Component:
    names = (
        ("Name", ""), ("Role", ""), ("State", ""), ("Last seen", "opt"), ("Sessions", "right opt"),
        ("Tokens", "right opt"),
    )  # fmt: skip
    head = rx.el.tr(*(rx.el.th(name, class_name=look, scope="col") for name, look in names))
    older = link("Next", icon("chevron-down", 14), to=Admin.older, class_name="mini")
    newest = link(icon("chevrons-up", 14), "First", to=Admin.newest, class_name="mini")
    return rx.el.div(
        rx.el.table(rx.el.thead(head), rx.el.tbody(rx.foreach(Admin.people, row)), class_name="tbl"),
        rx.el.nav(
            rx.cond(Admin.newest != "", newest),
            rx.cond(Admin.older != "", older),
            class_name="older",
            aria_label="Pages of people",
        ),
        class_name="scroll admin-people",
        tab_index=0,
    )


def look_at(sign: str, text: str, kind: str) -> rx.Component:
    return link(icon(sign, 14), text, to=f"/audit?kind={kind}", class_name="mini")


def record() -> rx.Component:
    """What was tried in vain stands in the log, which ends in the fingerprint."""
    return rx.el.section(
        rx.el.h3("In the log"),
        rx.el.div(
            look_at("log-in", "Failed sign-ins", "login_failed"),
            look_at("lock", "Refusals", "denied"),
            class_name="admin-row",
        ),
        rx.cond(
            Admin.fingerprint != "",
            rx.el.p(
                "Newest signed head: ",
                rx.el.span(Admin.fingerprint, class_name="mono", custom_attrs=test_id("fingerprint")),
                class_name="small dim",
            ),
        ),
        class_name="admin-part",
    )


def side() -> rx.Component:
    some = Admin.opened.id != ""
    lost = rx.cond(Admin.lost != "", note("info", Admin.lost, role="status"))
    return rx.el.aside(
        lost,
        rx.cond(some, opened(), rx.fragment(add_form(), record())),
        class_name=rx.cond(some, "admin-side admin-some", "admin-side"),
        aria_label="One person",
        custom_attrs=test_id("admin-side"),
    )


def body() -> rx.Component:
    failed = blank(
        "circle-x", "This could not be read", Admin.problem, try_again(AdminState.retry), tone="red"
    )
    return rx.match(
        Admin.phase,
        ("loading", skeleton("Loading people", 6)),
        ("denied", rx.el.div(no_permission(Admin.problem), class_name="alone")),
        ("error", rx.el.div(failed, class_name="alone")),
        rx.el.div(table(), side(), class_name="admin-body"),
    )


def page() -> rx.Component:
    title = rx.cond(Queue.any_open, "(" + Queue.count + ") Admin · Review Console", "Admin · Review Console")
    known = rx.cond(Admin.phase == "ready", rx.el.span(Admin.total, class_name="count-word dim num"))
    main = rx.el.main(
        rx.el.header(
            rx.el.h1("Admin"),
            link("Users", to=ROUTE, class_name="link"),
            known,
            class_name="page-head",
        ),
        body(),
        class_name="page admin",
    )
    return shell("admin", title, Queue.count, Queue.any_open, main)
