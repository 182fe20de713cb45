"""A question before something that cannot be taken back."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.ui.parts import button
from console.ui.theme import test_id


def confirm(
    trigger: rx.Component, verb: str, price: Any, *more: Any, handle: str, on_confirm: Any, **root: Any
) -> rx.Component:
    """`verb` is the title and the confirming button; Radix puts the focus on Cancel, the first of the two."""
    return rx.alert_dialog.root(
        rx.alert_dialog.trigger(trigger),
        rx.alert_dialog.content(
            rx.alert_dialog.title(verb, size="3", margin_bottom="8px"),
            rx.alert_dialog.description(price, size="2"),
            *more,
            rx.el.div(
                rx.alert_dialog.cancel(button("Cancel", custom_attrs=test_id(f"{handle}-cancel"))),
                rx.alert_dialog.action(
                    button(
                        verb,
                        variant="solid",
                        on_click=on_confirm,
                        custom_attrs=test_id(f"{handle}-confirm"),
                    )
                ),
                class_name="dialog-acts",
            ),
            size="2",
            max_width="420px",
            custom_attrs=test_id(f"{handle}-dialog"),
        ),
        **root,
    )
