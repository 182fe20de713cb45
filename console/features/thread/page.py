"""The desk: queue, chat and review side by side, or one after the other where there is no room."""

from __future__ import annotations

import reflex as rx

from console.features.desk import Desk as DeskState
from console.features.queue import page as queue
from console.features.queue.state import Queue as QueueState
from console.features.thread import chat, panel
from console.features.thread.review_state import Review as ReviewState
from console.ui.layout import shell
from console.ui.native import desk_keys
from console.ui.parts import button, chip, icon
from console.ui.theme import Drawn

Queue: Drawn = QueueState
Review: Drawn = ReviewState
Desk: Drawn = DeskState


def desk_bar() -> rx.Component:
    return rx.el.div(
        button(
            icon("panel-left", 14),
            "Queue",
            chip(Queue.count),
            size="1",
            on_click=Desk.toggle_drawer,
            aria_expanded=Desk.drawer,
        ),
        rx.el.span(Queue.place, class_name="small num"),
        rx.el.span(class_name="grow"),
        rx.el.span(rx.el.kbd("J"), " ", rx.el.kbd("K"), " move", class_name="small dim nowrap"),
        class_name="desk-bar",
    )


def tab(name: str, label: str, pane: str, *more: rx.Component) -> rx.Component:
    return rx.el.button(
        icon(name), label, *more, type="button", aria_pressed=Desk.pane == pane, on_click=Desk.show(pane)
    )


def mobile_tabs() -> rx.Component:
    return rx.el.div(
        tab("inbox", "Queue", "queue", chip(Queue.count)),
        tab("message-square-text", "Chat", "chat"),
        tab("list-checks", "Review", "review", rx.cond(Review.deciding, chip(Review.cards.length()))),
        class_name="mobile-tabs",
        role="group",
        aria_label="Panes",
    )


def page() -> rx.Component:
    title = rx.cond(Queue.any_open, "(" + Queue.count + ") Review Console", "Review Console")
    drawer = rx.cond(Desk.drawer, " drawer-open", "")
    desk = rx.el.main(
        rx.el.h1("Review desk", class_name="sr"),
        mobile_tabs(),
        desk_bar(),
        queue.pane(),
        chat.pane(),
        panel.pane(),
        rx.el.button(
            type="button", class_name="scrim", aria_label="Close the queue", on_click=Desk.toggle_drawer
        ),
        class_name="desk show-" + Desk.pane + drawer,
    )
    return shell("queue", title, Queue.count, Queue.any_open, desk_keys(), desk)
