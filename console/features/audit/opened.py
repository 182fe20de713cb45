"""An entry opened in place: its story on the left, what was proposed, decided and executed on the right."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.features.audit.signs import kind_sign
from console.features.audit.state import Audit as AuditState
from console.ui.native import when
from console.ui.parts import chip, icon, link, note, position, segments, tone_word
from console.ui.theme import Drawn, test_id

Audit: Drawn = AuditState
COLUMNS = 8
_HIGH = {"minHeight": "32px"}


def moment(each: Drawn) -> rx.Component:
    node = rx.match(
        each.look,
        ("on", rx.el.span(kind_sign(each.kind, 12), class_name="node node-on")),
        ("ok", rx.el.span(icon("check", 12), class_name="node node-ok")),
        ("bad", rx.el.span(icon("octagon-alert", 12), class_name="node node-bad")),
        rx.el.span(kind_sign(each.kind, 12), class_name="node"),
    )
    words = rx.el.span(segments(each.what), rx.el.small(each.actor))
    here = rx.el.span(words, class_name="here", aria_current="step")
    return rx.el.li(
        node,
        rx.cond(each.look == "on", here, link(words, to=each.href)),
        when(at=each.at, look="seconds"),
        key=each.seq,
        custom_attrs={"data-testid": "audit-moment", "data-kind": each.kind},
    )


def timeline() -> rx.Component:
    shown = Audit.detail
    return rx.el.section(
        rx.el.div(
            rx.el.h3("Timeline"), rx.el.span(shown.lasted, class_name="small dim num"), class_name="between"
        ),
        rx.cond(
            shown.capped,
            rx.el.p(
                "The newest part of a long story. ",
                rx.cond(shown.story_href != "", link("All of it", to=shown.story_href, class_name="link")),
                class_name="small dim",
            ),
        ),
        rx.el.ol(rx.foreach(shown.timeline, moment), class_name="tl"),
        aria_label="Timeline",
        custom_attrs=test_id("audit-timeline"),
    )


def value(cell: Drawn, *signs: Any) -> rx.Component:
    quote = rx.cond(cell.quoted, rx.el.span("“", class_name="dim"))
    close = rx.cond(cell.quoted, rx.el.span("”", class_name="dim"))
    told = rx.cond(
        cell.warning != "", rx.el.span(icon("triangle-alert", 12), cell.warning, class_name="warned")
    )
    text = rx.el.bdi(quote, segments(cell.parts), close, dir="ltr")
    return rx.cond(cell.there, rx.fragment(*signs, text, told))


def sign(name: str, text: str, tone: str) -> rx.Component:
    """Beside a value; the word is for those who do not see the icon."""
    return rx.el.span(
        icon(name, 12), rx.el.span(text, class_name="sr"), title=text, class_name=f"beside c-{tone}"
    )


def line(each: Drawn) -> rx.Component:
    changed = rx.cond(each.changed, sign("pencil", "Changed: ", "iris"))
    same = rx.cond(each.as_decided, sign("check", "As decided: ", "green"))
    other = rx.cond(each.differs, sign("octagon-alert", "Other than decided: ", "red"))
    return rx.el.tr(
        rx.el.td(each.key, class_name="key"),
        rx.el.td(value(each.proposed)),
        rx.el.td(value(each.decided, changed), class_name=rx.cond(each.changed, "mark", "")),
        rx.el.td(value(each.executed, same, other), class_name=rx.cond(each.differs, "mark-red", "")),
        key=each.pointer,
    )


def side(each: Drawn) -> rx.Component:
    name = rx.el.span(
        position(each.number, small=True), rx.el.span(each.tool, class_name="mono strong"), class_name="flex"
    )
    said = rx.cond(each.said.length() > 0, rx.el.span(" “", segments(each.said), "”", class_name="dim"))
    nothing = rx.el.span("not known yet", class_name="dim")
    undecided = rx.el.span("not decided", class_name="dim")
    decided = rx.fragment(tone_word(each.decision, each.decision_tone), said)
    return rx.el.tbody(
        rx.el.tr(
            rx.el.th(name, scope="row"),
            rx.el.td(),
            rx.el.td(rx.cond(each.decision != "", decided, undecided)),
            rx.el.td(rx.cond(each.outcome != "", tone_word(each.outcome, each.outcome_tone), nothing)),
            class_name="grp",
        ),
        rx.foreach(each.lines, line),
        key=each.number,
    )


def three_columns() -> rx.Component:
    def column(name: str, label: str) -> rx.Component:
        return rx.el.th(rx.el.b(icon(name, 14), label), scope="col")

    return rx.el.div(
        rx.el.table(
            rx.el.colgroup(rx.el.col(style={"width": "140px"}), rx.el.col(), rx.el.col(), rx.el.col()),
            rx.el.thead(
                rx.el.tr(
                    rx.el.td(),
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
        tab_index=0,
        role="region",
        aria_label="Proposed, decided, executed",
    )


def proofs() -> rx.Component:
    """Only what was compared; what nobody knows yet says nothing."""
    shown = Audit.detail
    stored = rx.match(
        shown.seen,
        ("same", chip(icon("fingerprint", 12), "Shown is what was stored: ", shown.digest, tone="green")),
        ("differs", chip(icon("octagon-alert", 12), "Shown is not what was stored", tone="red")),
        rx.fragment(),
    )
    ran = rx.match(
        shown.ran,
        ("same", chip(icon("equal", 12), "Executed is what was decided", tone="green")),
        ("differs", chip(icon("octagon-alert", 12), "Executed is not what was decided", tone="red")),
        rx.fragment(),
    )
    thread = link(icon("message-square-text", 12), "Thread", to=shown.thread_href, class_name="mini")
    return rx.el.div(
        stored,
        ran,
        rx.cond(shown.thread_href != "", thread),
        class_name="proofs",
        custom_attrs=test_id("audit-proofs"),
    )


def facts() -> rx.Component:
    shown = Audit.detail
    whole = rx.cond(
        shown.review != "",
        rx.el.span("review ", link(shown.review, to=shown.story_href, class_name="link mono")),
    )
    return rx.el.p(
        rx.el.span("role ", shown.role, ", via ", shown.via),
        whole,
        rx.el.span("hash ", rx.el.span(shown.hash, class_name="mono")),
        class_name="facts-line",
    )


def stored() -> rx.Component:
    """The entry itself, for whoever wants to see more than its words."""
    return rx.el.details(
        rx.el.summary(icon("braces", 12), "Entry as it is chained"),
        rx.el.div(segments(Audit.detail.body), class_name="stored"),
        class_name="stored-box",
        custom_attrs=test_id("audit-body"),
    )


def masked() -> rx.Component:
    """What is hidden, and the act that shows it; as high before as after, so that nothing moves."""
    shown = Audit.detail
    hides = rx.el.div(
        rx.el.span(
            "Masked: ", rx.el.span(shown.masked, class_name="mono"), ". The log says who was shown them."
        ),
        rx.el.button(
            "Show them",
            type="button",
            on_click=Audit.unmask,
            class_name="mini",
            custom_attrs=test_id("audit-unmask"),
        ),
        class_name="between",
        style=_HIGH,
    )
    told = "Masked values are shown until you close this entry. The log says so."
    open_now = rx.el.div(told, class_name="between", style=_HIGH)
    return rx.cond(shown.whole, note("eye", open_now), rx.cond(shown.masked != "", note("eye-off", hides)))


def story() -> rx.Component:
    shown = Audit.detail
    reason = rx.cond(
        shown.reason.length() > 0, rx.el.p("Reason: ", segments(shown.reason), class_name="wrap")
    )
    erased = rx.cond(
        shown.erased,
        note("eraser", "The contents of this entry were erased. What it says about them still holds."),
    )
    title = rx.cond(shown.sides.length() > 0, "Proposed, decided, executed", "Entry")
    return rx.el.section(
        rx.el.div(rx.el.h3(title), proofs(), class_name="story-head"),
        reason,
        erased,
        masked(),
        rx.cond(shown.sides.length() > 0, three_columns()),
        facts(),
        stored(),
        class_name="story",
        aria_label=title,
    )


def opened() -> rx.Component:
    return rx.el.tr(
        rx.el.td(
            rx.el.div(timeline(), story(), class_name="opened"),
            col_span=COLUMNS,
        ),
        class_name="detail",
        custom_attrs=test_id("audit-detail"),
    )
