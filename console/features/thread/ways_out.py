"""What the review pane offers when a thread cannot go on by itself, and to whom."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.features.thread.review_state import Review as ReviewState
from console.features.thread.ways_out_state import WaysOut as WaysOutState
from console.ui.dialog import confirm
from console.ui.parts import button, icon, segments, word
from console.ui.theme import Drawn, test_id

CHOICES = (
    ("not_run", "It did not run:", "run it"),
    ("ran", "It ran:", "give the agent the result, run nothing"),
    ("give_up", "Give up:", "close the call and tell the agent"),
)

Review: Drawn = ReviewState
WaysOut: Drawn = WaysOutState


def way(name: str, title: Any, *more: Any, handle: str) -> rx.Component:
    return rx.el.section(
        icon(name, class_name="c-amber"),
        rx.el.div(rx.el.h3(title), *more, class_name="way"),
        class_name="card head-note",
        custom_attrs=test_id(handle),
    )


def choice(kind: str, title: str, text: str) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="stuck-choice",
            value=kind,
            default_checked=WaysOut.choice == kind,
            on_change=WaysOut.choose(WaysOut.key, kind),
            custom_attrs=test_id("stuck-choice", data_choice=kind),
        ),
        rx.el.span(rx.el.b(title), " ", text),
        class_name="choice",
    )


def field(label: str, value: Drawn, on_change: Any, handle: str) -> rx.Component:
    return rx.el.span(
        rx.el.textarea(
            rows=1,
            default_value=value,
            placeholder=label,
            aria_label=label,
            required=True,
            on_change=on_change,
            custom_attrs=test_id(handle),
        ),
        class_name="field-box",
    )


def settle_form() -> rx.Component:
    ready = WaysOut.missing == ""
    result = field(
        "What did the call answer? Required",
        WaysOut.result,
        lambda value: WaysOut.say_result(WaysOut.key, value),
        "stuck-result",
    )
    reason = field(
        "How do you know? Required",
        WaysOut.reason,
        lambda value: WaysOut.say_how(WaysOut.key, value),
        "stuck-reason",
    )
    record = button(
        "Record the choice",
        variant="solid",
        disabled=~ready,
        on_click=WaysOut.settle(WaysOut.key),
        custom_attrs=test_id("stuck-submit"),
    )
    hint = rx.cond(ready, "Recorded first, with your name and reason.", WaysOut.missing)
    return rx.el.div(
        rx.el.fieldset(
            rx.el.legend("What happened", class_name="sr"),
            *(choice(*each) for each in CHOICES),
            class_name="choices",
        ),
        rx.cond(WaysOut.choice == "ran", result),
        reason,
        rx.el.div(
            record,
            rx.el.span(hint, class_name="small dim", custom_attrs=test_id("stuck-hint"), aria_live="polite"),
            class_name="acts",
        ),
        class_name="way",
        key=WaysOut.key,
    )


def call(each: Drawn) -> rx.Component:
    return rx.fragment(rx.el.dt(each.name, class_name="mono"), rx.el.dd(segments(each.called)))


def stuck() -> rx.Component:
    """Calls that a card shows are not repeated; a free tool has no card."""
    calls = rx.el.dl(rx.foreach(WaysOut.unreviewed, call), class_name="made")
    refusal = rx.el.p(
        word("lock", "Settling a doubt is for supervisors."), custom_attrs=test_id("stuck-no-permission")
    )
    return rx.cond(
        WaysOut.stuck,
        way(
            "circle-help",
            WaysOut.title,
            rx.cond(WaysOut.detail != "", rx.el.p(WaysOut.detail)),
            rx.cond(WaysOut.unreviewed.length() > 0, calls),
            rx.cond(WaysOut.may_settle, settle_form(), refusal),
            handle="stuck-panel",
        ),
    )


def close() -> rx.Component:
    """Quiet, since deciding is the usual way; the dialog names the price."""
    label = "Reason for the agent and the log (may be empty)"
    reason = rx.el.span(
        rx.el.input(
            placeholder=label,
            aria_label=label,
            auto_complete="off",
            on_change=lambda value: WaysOut.say_why(Review.key, value),
            custom_attrs=test_id("cancel-reason"),
        ),
        class_name="field-box",
    )
    return rx.cond(
        Review.open & WaysOut.may_settle & (WaysOut.price != ""),
        confirm(
            button("Close without running", variant="ghost", custom_attrs=test_id("cancel-review")),
            "Close without running",
            WaysOut.price,
            reason,
            handle="cancel",
            on_confirm=WaysOut.close(Review.key),
            on_open_change=WaysOut.ask_closing,
            key=Review.key,
        ),
    )


def repair() -> rx.Component:
    return confirm(
        button(icon("wrench", 14), "Repair thread", custom_attrs=test_id("repair")),
        "Repair thread",
        "The thread goes back to its pause and asks again, under a new review. No tool runs by this. "
        "The repair and your name go into the log.",
        handle="repair",
        on_confirm=WaysOut.repair(Review.key),
        key=Review.key,
    )


def poisoned() -> rx.Component:
    facts = rx.el.dl(
        rx.el.dt("Repair"),
        rx.el.dd("Goes back to the pause and asks again"),
        rx.el.dt("After it"),
        rx.el.dd("A new review with the same actions"),
        class_name="made",
    )
    text = "It keeps an answer that it cannot use, and repeats it each time. No verdict can reach it."
    others = rx.el.span(word("lock", "An admin can repair it."), custom_attrs=test_id("repair-by-admin"))
    return rx.cond(
        WaysOut.poisoned,
        way(
            "wrench",
            "This thread takes no answer any more",
            rx.el.p(text),
            facts,
            rx.el.div(rx.cond(WaysOut.may_repair, repair(), others), close(), class_name="acts"),
            handle="poisoned-panel",
        ),
    )


def close_alarm() -> rx.Component:
    label = "Why is the alarm over? Required"
    reason = rx.el.span(
        rx.el.input(
            placeholder=label,
            aria_label=label,
            auto_complete="off",
            on_change=lambda value: WaysOut.say_why_over(WaysOut.alarm_review, value),
            custom_attrs=test_id("alarm-reason"),
        ),
        class_name="field-box",
    )
    return confirm(
        button(icon("octagon-alert", 14), "Close alarm", custom_attrs=test_id("close-alarm")),
        "Close alarm",
        "The review leaves the queue and stays what it is: what ran is not undone. Your name and reason go "
        "into the log.",
        reason,
        handle="close-alarm",
        on_confirm=WaysOut.close_alarm(WaysOut.alarm_review),
        on_open_change=WaysOut.ask_alarm,
        key=WaysOut.alarm_review,
    )


def alarm() -> rx.Component:
    others = rx.el.span(
        word("lock", "An admin can close this alarm."), custom_attrs=test_id("alarm-by-admin")
    )
    closed = rx.el.span(word("check", WaysOut.alarm), custom_attrs=test_id("alarm-closed"))
    return rx.cond(
        WaysOut.alarm != "",
        way(
            "octagon-alert",
            "What ran is not what was decided",
            rx.el.p("Compare the arguments below. Nothing here takes back what ran."),
            rx.el.div(
                rx.cond(WaysOut.alarm == "open", rx.cond(WaysOut.may_repair, close_alarm(), others), closed),
                class_name="acts",
            ),
            handle="alarm-panel",
        ),
    )


def close_row() -> rx.Component:
    return rx.cond(~WaysOut.poisoned, rx.el.div(close(), class_name="close-row"))
