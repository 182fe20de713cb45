"""The fields of one form in the page, with what concerns all of it."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.features.thread.edit_state import Edit as EditState
from console.features.thread.edit_state import EditTexts
from console.features.thread.review_state import Review as ReviewState
from console.ui.parts import icon
from console.ui.schema_form import edit_form, tree
from console.ui.theme import Drawn, test_id

Review: Drawn = ReviewState
Edit: Drawn = EditState
schema_field = tree(Edit.take, EditTexts.texts)


def edit_bar(slot: Any) -> rx.Component:
    """Below the fields, so that none of them moves when a choice shows it."""
    whole, turn = Edit.whole[slot], Edit.trees[slot].turn

    def step(op: Any) -> Any:
        return Edit.take(Review.key, slot, turn, op, "", "")

    return rx.el.div(
        rx.el.button(
            icon("braces", 12),
            "JSON text",
            type="button",
            role="switch",
            class_name="word-button",
            aria_checked=whole,
            on_click=step(rx.cond(whole, "as_fields", "as_text")),
            custom_attrs=test_id("raw-json-switch"),
        ),
        rx.cond(
            Edit.steps[slot] > 0,
            rx.el.button(
                icon("undo-2", 12),
                "Undo",
                type="button",
                class_name="word-button",
                on_click=step("undo"),
                custom_attrs=test_id("undo"),
            ),
        ),
        rx.el.span(Edit.origins[slot], class_name="small dim grow wrap", custom_attrs=test_id("origin")),
        class_name="edit-bar",
    )


def fields(slot: Any, label: str) -> rx.Component:
    return edit_form(
        schema_field(node=Edit.trees[slot], form_key=Review.key, slot=slot),
        edit_bar(slot),
        focus=Edit.focus,
        class_name="args",
        role="group",
        aria_label=label,
        custom_attrs=test_id("edit-form"),
    )
