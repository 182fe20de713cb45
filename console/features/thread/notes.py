"""What stands above the actions or the question: a title, an icon and a few words."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.features.thread.review_state import Review as ReviewState
from console.features.thread.written_state import Written as WrittenState
from console.ui.native import when
from console.ui.parts import icon
from console.ui.theme import Drawn, test_id

Review: Drawn = ReviewState
Written: Drawn = WrittenState


def note(name: str, title: Any, *text: Any, tone: str = "gray", handle: str = "review-note") -> rx.Component:
    return rx.el.div(
        icon(name, class_name=f"c-{tone}"),
        rx.el.div(rx.el.b(title), *text),
        class_name="card head-note",
        custom_attrs=test_id(handle),
    )


def draft_line() -> rx.Component:
    """Nobody takes what they chose yesterday, or elsewhere, for what they choose now."""
    return rx.cond(
        Review.deciding & (Review.draft_at != ""),
        rx.el.div(
            icon("history", 12),
            rx.el.span("Your draft from ", when(at=Review.draft_at, look="day"), Review.draft_words),
            rx.el.button(
                "Discard",
                type="button",
                class_name="word-button",
                on_click=Written.discard(Review.key),
                custom_attrs=test_id("discard-draft"),
            ),
            class_name="draft-line",
            role="status",
            custom_attrs=test_id("draft"),
        ),
    )
