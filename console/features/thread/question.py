"""A question of the agent's behind which no tool waits, and the answer to it."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.features.thread.answer import ANSWER
from console.features.thread.edit_fields import Edit, fields
from console.features.thread.notes import note
from console.features.thread.review_state import Review as ReviewState
from console.features.thread.written_state import Written as WrittenState
from console.ui.parts import segments
from console.ui.theme import Drawn, test_id

Review: Drawn = ReviewState
Written: Drawn = WrittenState


def mode(label: str, value: str, chosen: Any) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="answer-look",
            value=value,
            default_checked=chosen,
            on_change=Written.answer_as(Review.key, value),
        ),
        label,
    )


def free() -> rx.Component:
    """Where no schema says what the answer is made of."""
    return rx.fragment(
        rx.el.fieldset(
            rx.el.legend("The answer is", class_name="sr"),
            mode("a text", "text", ~Review.as_json),
            mode("JSON", "json", Review.as_json),
            class_name="decide",
        ),
        rx.el.span(
            rx.el.textarea(
                rows=4,
                default_value=Review.written,
                aria_label="Your answer",
                placeholder="Your answer",
                on_change=lambda value: Written.answer(Review.key, value),
                custom_attrs=test_id("answer"),
            ),
            class_name="field-box tall",
        ),
    )


def question() -> rx.Component:
    """The agent's question, and where it is answered."""
    answering = rx.el.div(
        rx.cond(Edit.trees.contains(ANSWER), fields(ANSWER, "Your answer"), free()),
        class_name="card action",
        key=Review.key,
    )
    return rx.fragment(
        note(
            "circle-help",
            rx.cond(Review.decided_by == "", "The agent waits for an answer", "The agent asked"),
            rx.el.p("No tool is waiting behind it."),
        ),
        rx.el.div(
            segments(Review.stored), class_name="agent agent-text wrap", custom_attrs=test_id("stored")
        ),
        rx.cond(Review.deciding, answering),
        rx.cond(
            Review.given != "", note("reply", "The answer", rx.el.p(Review.given), handle="answer-given")
        ),
    )
