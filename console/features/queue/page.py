"""The left pane."""

from __future__ import annotations

import reflex as rx

from console.features.desk import Desk as DeskState
from console.features.queue.state import Queue as QueueState
from console.features.thread import claim
from console.features.thread.state import Thread as ThreadState
from console.ui.layout import try_again
from console.ui.native import when
from console.ui.parts import blank, button, chip, icon, link, no_permission, segments, skeleton, word
from console.ui.theme import Drawn, test_id

Queue: Drawn = QueueState
Thread: Drawn = ThreadState
Desk: Drawn = DeskState


def mark(item: Drawn) -> rx.Component:
    """What state the review is in, and so what can be done about it."""
    return rx.match(
        item.mark_tone,
        ("red", chip(icon("octagon-alert", 12), item.mark, tone="red")),
        ("amber", chip(icon("wrench", 12), item.mark, tone="amber")),
        ("iris", chip(icon("loader", 12), item.mark, tone="iris")),
        word("hourglass", "waiting", "gray"),
    )


def row(item: Drawn) -> rx.Component:
    tool = rx.match(
        item.kind,
        (
            "answer",
            rx.fragment(icon("circle-help", 14), rx.el.span("Question to you", class_name="strong cut")),
        ),
        (
            "unreadable",
            rx.fragment(icon("braces", 14), rx.el.span("Unreadable request", class_name="strong cut")),
        ),
        rx.el.span(item.tool, class_name="mono cut"),
    )
    return link(
        rx.el.span(tool, rx.cond(item.extra != "", chip(item.extra)), class_name="tool"),
        rx.el.span(item.headline, class_name="amt cut"),
        rx.el.span(segments(item.subject), class_name="who cut"),
        rx.el.span(
            rx.el.span(icon("clock", 12), when(at=item.opened_at, look="time"), class_name="word dim"),
            class_name="end",
        ),
        rx.el.span(
            mark(item),
            rx.el.span(item.source, class_name="cut"),
            class_name="meta",
        ),
        rx.el.span(
            rx.cond(item.claimed_by != "", claim.mark(item.claimed_by)),
            class_name="end",
        ),
        to=item.href,
        class_name="q-row",
        aria_current=rx.cond(Queue.current == item.id, "true", rx.Var("undefined")),
        key=item.id,
        custom_attrs={"data-testid": "queue-row", "data-review": item.id},
    )


def rows() -> rx.Component:
    more = rx.cond(
        Queue.more, rx.el.div(button("Show more", size="1", on_click=Queue.load_more), class_name="older")
    )
    empty = blank("inbox", "Nothing is waiting", "New reviews appear here by themselves.", tone="green")
    return rx.cond(
        Queue.items.length() > 0,
        rx.el.nav(rx.foreach(Queue.items, row), more, aria_label="Waiting reviews"),
        rx.el.div(empty, style={"display": "flex", "minHeight": "60%"}),
    )


def body() -> rx.Component:
    return rx.match(
        Queue.phase,
        ("loading", skeleton("Loading the queue")),
        ("denied", no_permission(Queue.problem)),
        (
            "error",
            blank(
                "circle-x", "The queue could not be read", Queue.problem, try_again(Thread.load), tone="red"
            ),
        ),
        rows(),
    )


def new_thread() -> rx.Component:
    return rx.cond(
        Thread.may_chat,
        button(
            icon("plus", 14),
            "New",
            size="1",
            variant="ghost",
            on_click=Desk.compose,
            aria_label="New conversation",
            custom_attrs=test_id("new-thread"),
        ),
    )


def pane() -> rx.Component:
    return rx.el.section(
        rx.el.header(
            rx.el.h2("Queue"),
            chip(Queue.count, custom_attrs=test_id("queue-count"), title="waiting"),
            rx.el.span(class_name="grow"),
            new_thread(),
            class_name="pane-head",
        ),
        rx.el.div(body(), class_name="scroll"),
        class_name="pane-queue",
        aria_label="Review queue",
    )
