"""Who has the review, and the button to take it, in the head of the pane: nothing below moves by it."""

from __future__ import annotations

import reflex as rx

from console.features.thread.claim_state import Claim as ClaimState
from console.features.thread.review_state import Review as ReviewState
from console.ui.native import when
from console.ui.parts import avatar, button, icon
from console.ui.theme import Drawn, test_id

Claim: Drawn = ClaimState
Review: Drawn = ReviewState


def holder() -> rx.Component:
    """Beside the time of the request."""
    return rx.cond(
        Claim.by != "",
        rx.el.span(
            icon("hand", 12),
            Claim.by,
            rx.el.span(" has it", class_name="hide-s"),
            " since ",
            when(at=Claim.at, look="time"),
            class_name="word holder",
            title="A claim tells the others that somebody is at work. Everyone may still decide.",
            custom_attrs=test_id("claimed-by"),
        ),
    )


def control() -> rx.Component:
    return rx.match(
        Claim.offer,
        ("take", _button("Take", Claim.take, "take-review")),
        ("give back", _button("Give back", Claim.give_back, "give-back-review")),
        rx.fragment(),
    )


def _button(label: str, handler: Drawn, handle: str) -> rx.Component:
    return button(
        icon("hand", 14), label, size="1", on_click=handler(Review.key), custom_attrs=test_id(handle)
    )


def mark(name: Drawn) -> rx.Component:
    """In a row of the queue."""
    return rx.el.span(
        avatar(name, "av-22"),
        rx.el.span(name, " has it", class_name="sr"),
        title=name + " has it",
        custom_attrs=test_id("claim"),
    )
