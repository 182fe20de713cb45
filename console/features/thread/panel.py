"""The right pane: the review of the thread on the desk."""

from __future__ import annotations

import reflex as rx

from console.features.thread import claim, question, ways_out
from console.features.thread.card import action_card
from console.features.thread.notes import draft_line, note
from console.features.thread.review_state import Review as ReviewState
from console.features.thread.state import Thread as ThreadState
from console.features.thread.ways_out_state import WaysOut as WaysOutState
from console.live.tab import Tab as TabState
from console.ui.native import when
from console.ui.parts import blank, chip, icon, position, segments, skeleton, sr, tone_word, word
from console.ui.theme import Drawn, test_id

Thread: Drawn = ThreadState
Review: Drawn = ReviewState
WaysOut: Drawn = WaysOutState
Tab: Drawn = TabState
GOOD = "Recorded first, then run."


def head() -> rx.Component:
    return rx.el.header(
        rx.el.div(
            rx.el.h2(
                "Review ",
                rx.el.span(Review.short, class_name="mono dim", style={"fontWeight": 400}),
                class_name="cut",
            ),
            rx.el.p(
                rx.el.span(
                    icon("bot", 12), "asked at ", when(at=Review.opened_at, look="seconds"), class_name="word"
                ),
                claim.holder(),
                class_name="small dim cut asked",
            ),
            class_name="grow",
        ),
        rx.el.span(
            rx.cond(
                WaysOut.poisoned & Review.open,
                word("wrench", "Repair only", "amber"),
                tone_word(Review.word, Review.tone),
            ),
            custom_attrs=test_id("review-status"),
        ),
        claim.control(),
        class_name="pane-head",
    )


def member(each: Drawn) -> rx.Component:
    return rx.el.button(
        rx.el.span(each.tool, class_name="mono grow cut"),
        tone_word(each.word, each.tone),
        type="button",
        class_name="group-row",
        aria_current=rx.cond(Review.id == each.id, "true", rx.Var("undefined")),
        on_click=Review.pick(each.id),
        custom_attrs={"data-testid": "group-row", "data-review": each.id},
    )


def group() -> rx.Component:
    """Several reviews of one pause: the run goes on when all of them are decided."""
    title = rx.cond(
        Review.waiting_for > 0,
        rx.fragment("Waiting for ", Review.waiting_for, " more of this pause"),
        "Several reviews of one pause",
    )
    return rx.cond(
        Review.group.length() > 1,
        note("layers", title, rx.el.div(rx.foreach(Review.group, member)), handle="review-group"),
    )


def decided() -> rx.Component:
    settled = rx.fragment(", settled at ", when(at=Review.settled_at, look="seconds"))
    at = when(at=Review.decided_at, look="seconds")
    who = rx.el.p("by ", rx.el.b(Review.decided_by), " at ", at, rx.cond(Review.settled_at != "", settled))
    outcome = rx.cond(
        (Review.outcome != "") & ~WaysOut.stuck,
        rx.el.p(tone_word(Review.outcome, Review.outcome_tone), custom_attrs=test_id("review-outcome")),
    )
    return rx.cond(Review.decided_by != "", note("user-check", Review.word, who, outcome, handle="decided"))


def not_yours() -> rx.Component:
    readable = (Review.kind != "unreadable") & ~WaysOut.poisoned
    shown = Review.open & ~Review.deciding & (readable | ~WaysOut.may_settle)
    text = "You see everything here. The decision is made by others."
    return rx.cond(shown, note("lock", Review.why_not, rx.el.p(text), handle="no-permission"))


def unreadable() -> rx.Component:
    return rx.fragment(
        note(
            "braces",
            "The console cannot read this request",
            rx.el.p("It is shown as it was stored. It cannot be approved, only closed without running."),
            tone="amber",
        ),
        rx.el.div(segments(Review.stored), class_name="stored", custom_attrs=test_id("stored")),
    )


def effect(each: Drawn) -> rx.Component:
    return chip(position(each.number, small=True), each.text, tone=each.tone)


def difference(each: Drawn) -> rx.Component:
    """Proposed and edited side by side, in exact texts."""
    sides = rx.match(
        each.kind,
        ("added", rx.fragment("added ", rx.el.span(each.now, class_name="num"))),
        ("removed", rx.fragment("left out, was ", rx.el.span(each.was, class_name="num was"))),
        ("order", rx.fragment("in another order")),
        ("more", rx.fragment()),
        rx.fragment(rx.el.span(each.was, class_name="num was"), sr("changed to "), " → ", each.now),
    )
    return rx.el.li(
        position(each.number, small=True),
        rx.el.span(each.place, class_name="mono"),
        rx.el.span(sides, class_name="sides"),
        custom_attrs=test_id("difference"),
    )


def differences() -> rx.Component:
    """Above the button, which stays where it is."""
    return rx.cond(
        Review.diffs.length() > 0,
        rx.el.ul(
            rx.foreach(Review.diffs, difference),
            class_name="diffs",
            tab_index=0,
            aria_label="What the edit changes",
            custom_attrs=test_id("diff"),
        ),
    )


def verdict_bar() -> rx.Component:
    ready = (Review.missing == "") & (Tab.banner == "")
    hint = rx.cond(
        Tab.banner != "", "Read-only: no decision is accepted now.", rx.cond(ready, GOOD, Review.missing)
    )
    return rx.el.footer(
        differences(),
        rx.cond(
            Review.problem != "",
            rx.el.p(icon("circle-x", 12), Review.problem, class_name="word c-red", role="alert"),
        ),
        rx.el.div(
            Review.summary,
            rx.foreach(Review.effects, effect),
            class_name=rx.cond(Review.cards.length() > 1, "sum tall", "sum"),
            custom_attrs=test_id("verdict-summary"),
            aria_live="polite",
        ),
        rx.button(
            rx.cond(Review.kind == "answer", "Send answer", "Submit verdict"),
            rx.el.kbd("Ctrl ↵", aria_hidden="true"),
            size="2",
            variant="solid",
            type="button",
            disabled=~ready,
            on_click=Review.submit(Review.key),
            custom_attrs=test_id("submit-verdict"),
        ),
        rx.el.p(hint, class_name="hint", custom_attrs=test_id("verdict-hint")),
        rx.el.p("digest ", rx.el.span(Review.digest, class_name="mono"), class_name="hint right"),
        class_name="review-foot",
    )


def body() -> rx.Component:
    kinds = rx.match(
        Review.kind,
        ("answer", question.question()),
        ("unreadable", unreadable()),
        rx.foreach(Review.cards, action_card),
    )
    remark = rx.cond(Review.note != "", note("info", Review.note))
    return rx.fragment(
        head(),
        rx.el.div(
            ways_out.stuck(),
            ways_out.poisoned(),
            ways_out.alarm(),
            group(),
            decided(),
            not_yours(),
            remark,
            draft_line(),
            kinds,
            ways_out.close_row(),
            class_name="scroll review-scroll",
        ),
        rx.cond(Review.deciding, verdict_bar()),
    )


def nothing() -> rx.Component:
    idle = blank(
        "list-checks", "Nothing to review here", "When the agent wants to act, its request appears here."
    )
    quiet = rx.el.div(
        rx.cond(Thread.phase == "loading", skeleton("Loading the review", 2), idle),
        class_name="scroll",
        style={"display": "flex"},
    )
    # A free tool in doubt has no review.
    return rx.cond(WaysOut.stuck, rx.el.div(ways_out.stuck(), class_name="scroll review-scroll"), quiet)


def pane() -> rx.Component:
    return rx.el.section(
        rx.cond(Review.id != "", body(), nothing()),
        class_name="pane-review",
        aria_label="Review",
        custom_attrs=test_id("review-panel"),
    )
