"""The band on top of the log: what the last check found, the signed head, and how far a running check is."""

from __future__ import annotations

import reflex as rx

from console.features.audit.browser import copy_field, download, since
from console.features.audit.check_state import Check as CheckState
from console.features.audit.state import Audit as AuditState
from console.ui.parts import button, icon
from console.ui.theme import Drawn, test_id

Audit: Drawn = AuditState
Check: Drawn = CheckState


def shield(name: str, tone: str) -> rx.Component:
    return rx.el.span(icon(name, 20), class_name=f"shield shield-{tone}")


def result() -> rx.Component:
    """One live region: what it will say is read out when it is there. Only an alarm interrupts."""
    found = Check.result
    sign = rx.match(
        found.tone,
        ("green", shield("shield-check", "green")),
        ("alarm", shield("shield-alert", "alarm")),
        ("amber", shield("shield-question-mark", "amber")),
        shield("shield", "gray"),
    )
    by = rx.cond(found.by != "", rx.fragment(" by ", found.by), rx.fragment())
    when = rx.cond(found.at != "", rx.el.span(" Checked", by, " ", since(at=found.at), ".", class_name="dim"))
    said = rx.el.div(
        rx.el.p(rx.el.b(found.title, ". "), found.text, when),
        rx.cond(
            found.warnings != "", rx.el.p(icon("triangle-alert", 12), found.warnings, class_name="warned")
        ),
        role=rx.cond(found.tone == "alarm", "alert", "status"),
    )
    never = "No check of this log is on record. Nothing is known of it until one has run to its end."
    none = rx.el.div(rx.el.p(rx.el.b("Not verified. "), never), role="status")
    runs = rx.el.div(
        rx.el.p(rx.el.b("Checking. "), "The result comes here. The page can be left meanwhile."),
        role="status",
    )
    return rx.el.div(
        rx.cond(Check.running, shield("shield", "gray"), sign),
        rx.cond(Check.running, runs, rx.cond(found.state == "none", none, said)),
        class_name=rx.cond(Check.running, "finding", "finding finding-" + found.tone),
        custom_attrs={
            "data-testid": "verify-result",
            "data-state": rx.cond(Check.running, "running", found.state),
        },
    )


def progress() -> rx.Component:
    now = Check.progress
    return rx.el.div(
        rx.el.p(
            rx.el.span(rx.el.b(now.way), " #", now.done, " of ", now.total),
            rx.el.span(now.percent, " %", class_name="dim"),
            class_name="between small num",
        ),
        rx.el.progress(
            value=now.percent, max=100, aria_label=now.way, custom_attrs=test_id("verify-progress")
        ),
        class_name="running",
    )


def head_words() -> rx.Component:
    head = Check.head
    newer = rx.cond(head.unsigned > 0, rx.fragment(" Not signed yet: ", head.unsigned, "."))
    signed = rx.el.p(
        "Head of #",
        head.size,
        ", signed ",
        since(at=head.signed_at),
        ", in words: ",
        rx.el.span(head.words, class_name="head-words"),
        ".",
        newer,
    )
    return rx.el.div(
        rx.cond(head.size != "", signed, rx.el.p("No head is signed yet.")), class_name="head-line small dim"
    )


def band() -> rx.Component:
    inner = rx.el.section(
        rx.el.div(result(), head_words(), class_name="band-words"),
        rx.cond(Check.running, progress()),
        class_name="band",
        aria_label="State of the log",
    )
    return rx.cond(Audit.everything, inner)


def copy_head() -> rx.Component:
    trigger = button(
        icon("copy", 14), "Copy head", variant="ghost", size="2", custom_attrs=test_id("copy-head")
    )
    return rx.popover.root(
        rx.popover.trigger(trigger),
        rx.popover.content(
            rx.el.p(
                rx.el.b("The signed head of #", Check.head.size),
                " Keep a copy where this machine cannot write: it proves later what the log said now.",
                class_name="small",
            ),
            copy_field(
                text=Check.head.note, label="Signed head", verb="Copy", custom_attrs=test_id("head-note")
            ),
            size="1",
            width="min(440px, 92vw)",
        ),
    )


def export_menu() -> rx.Component:
    def choice(label: str, hint: str, href: Drawn, handle: str) -> rx.Component:
        words = rx.el.span(rx.el.b(label), rx.el.small(hint))
        return download(
            icon("file-down", 14),
            words,
            href=href,
            download="",
            class_name="menu-item",
            custom_attrs=test_id(handle),
        )

    all_of_it = "Every entry of the log."
    some = "Only what the filters leave: each line's hash is proved, not that none is missing."
    return rx.popover.root(
        rx.popover.trigger(
            button(
                icon("download", 14),
                "Export",
                icon("chevron-down", 14),
                size="2",
                custom_attrs=test_id("export"),
            )
        ),
        rx.popover.content(
            rx.el.p(rx.cond(Audit.narrow, some, all_of_it), class_name="small dim"),
            choice("JSONL", "As chained, with hashes and signed heads", Audit.jsonl_href, "export-jsonl"),
            choice("CSV", "For spreadsheets", Audit.csv_href, "export-csv"),
            class_name="audit-menu",
            size="1",
            width="280px",
            align="end",
        ),
    )


def verify_menu() -> rx.Component:
    def choice(label: str, hint: str, way: str) -> rx.Component:
        return rx.popover.close(
            rx.el.button(
                icon("shield-check", 14),
                rx.el.span(rx.el.b(label), rx.el.small(hint)),
                type="button",
                class_name="menu-item",
                on_click=CheckState.start(way),
                custom_attrs=test_id(f"verify-{way}"),
            )
        )

    return rx.popover.root(
        rx.popover.trigger(
            button(
                icon("shield-check", 14),
                "Verify now",
                size="2",
                disabled=Check.running,
                custom_attrs=test_id("verify"),
            )
        ),
        rx.popover.content(
            choice("Fast check", "Re-hashes every entry, compares with the heads", "fast"),
            choice("Deep check", "Also every search column, decision and payload", "deep"),
            class_name="audit-menu",
            size="1",
            width="300px",
            align="end",
        ),
    )


def controls() -> rx.Component:
    """Of those who may prove something; for others who read the whole log, the rule."""
    proving = rx.fragment(
        rx.cond(Check.head.size != "", copy_head()),
        export_menu(),
        verify_menu(),
    )
    why = rx.el.span(
        icon("lock", 12), Audit.why_not, class_name="word c-gray", custom_attrs=test_id("prove-why-not")
    )
    return rx.cond(Audit.phase != "ready", rx.fragment(), rx.cond(Audit.proves, proving, why))
