"""The middle pane: the conversation, what was called, and the composer that says in whose voice it writes."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.features.desk import Desk as DeskState
from console.features.thread.state import Thread as ThreadState
from console.ui.layout import try_again
from console.ui.native import tail, when
from console.ui.parts import blank, button, icon, no_permission, position, segments, skeleton, tone_word, word
from console.ui.theme import Drawn, test_id

EXAMPLES = (
    "Look up order A-2048 and refund 699",
    "查询订单 A-2048，并退款 699 元",
    "Refund A-2048 699 and refund A-2049 450 and text the customer",
    "Ask your supervisor whether A-2050 may be returned after 40 days",
    "把 A-2049 的收货地址改为 上海市静安区南京西路 100 号",
)

Thread: Drawn = ThreadState
Desk: Drawn = DeskState


def call_head(call: Drawn, sign: Any, *more: rx.Component) -> rx.Component:
    return rx.el.div(
        sign,
        rx.el.span(call.name, class_name="mono"),
        *more,
        rx.el.span(class_name="grow"),
        tone_word(call.word, call.tone),
        class_name="call-head",
    )


def call_card(call: Drawn) -> rx.Component:
    sign = rx.cond(call.number != "", position(call.number, small=True), icon("wrench", 14))
    result = rx.fragment(
        rx.el.dt("Result"),
        rx.el.dd(segments(call.result), custom_attrs=test_id("chat-message", data_role="tool")),
    )
    return rx.el.div(
        call_head(call, sign),
        rx.el.dl(
            rx.el.dt("Called with"),
            rx.el.dd(segments(call.called), class_name="mono"),
            rx.cond(call.answered, result),
            rx.cond(call.remark != "", rx.fragment(rx.el.dt("Note"), rx.el.dd(call.remark))),
            class_name="call-body",
        ),
        class_name="call",
        key=call.id,
        custom_attrs={"data-testid": "tool-call", "data-state": call.word},
    )


def waiting_card(calls: Drawn) -> rx.Component:
    return rx.el.div(
        rx.foreach(
            calls,
            lambda call: call_head(
                call,
                rx.cond(call.number != "", position(call.number, small=True), icon("wrench", 14)),
                rx.el.span(call.brief, class_name="dim small num cut"),
            ),
        ),
        class_name="call call-wait",
        custom_attrs=test_id("waiting-calls"),
    )


def bubble(message: Drawn) -> rx.Component:
    head = rx.el.span(
        rx.cond(message.role == "ai", icon("bot", 14)),
        rx.el.b(message.who),
        rx.cond(message.at != "", when(at=message.at, look="time")),
        class_name="msg-head",
    )
    return rx.el.div(
        head,
        rx.el.div(
            segments(message.parts), class_name=rx.cond(message.role == "ai", "bubble agent", "bubble")
        ),
        class_name="msg msg-" + message.role,
        custom_attrs={"data-testid": "chat-message", "data-role": message.role},
    )


def message(row: Drawn) -> rx.Component:
    return rx.fragment(
        rx.cond(row.parts.length() > 0, bubble(row)),
        rx.cond(row.calls.length() > 0, rx.el.div(rx.foreach(row.calls, call_card), class_name="calls")),
        rx.cond(row.waiting.length() > 0, waiting_card(row.waiting)),
        key=row.id,
    )


def earlier() -> rx.Component:
    return rx.el.div(Thread.earlier, " earlier messages are not shown", class_name="sysline")


def log() -> rx.Component:
    return rx.auto_scroll(
        rx.cond(Thread.earlier > 0, earlier(), rx.el.div()),
        rx.foreach(Thread.messages, message),
        tail(
            chunk=Thread.chunk, who="Agent, writing", on_gap=Thread.on_gap, custom_attrs=test_id("chat-draft")
        ),
        id="chat-log",
        role="log",
        tab_index=0,
        aria_label="Conversation",
        class_name="scroll chat-scroll",
    )


def standing_note(name: str, title: str, text: Any, *more: Any, tone: str = "") -> rx.Component:
    return rx.el.div(
        icon(name),
        rx.el.div(rx.el.b(title), rx.el.p(text), *more),
        class_name=f"standing {tone}",
        role="status",
    )


def standing() -> rx.Component:
    """What state the thread is in, when that is anything but quiet."""
    again = rx.cond(
        Thread.may_chat,
        button("Try again", size="1", on_click=Thread.retry, margin_top="6px", custom_attrs=test_id("retry")),
    )
    red = "standing-red"
    return rx.match(
        Thread.status,
        (
            "paused",
            standing_note(
                "circle-pause", "Paused for review", "The run goes on when every action is decided."
            ),
        ),
        ("failed", standing_note("circle-x", "The run failed", Thread.error, again, tone=red)),
        ("poisoned", standing_note("wrench", "This thread takes no answer any more", Thread.error, tone=red)),
        ("stuck", standing_note("circle-help", "It is uncertain what ran", Thread.error, tone=red)),
        ("gone", standing_note("circle-x", "This thread was deleted in its source", Thread.error)),
        rx.fragment(),
    )


def composer(on_submit: Any, locked: Any, hint: str) -> rx.Component:
    shut = locked != "" if not isinstance(locked, str) else False
    text = rx.el.textarea(
        id="chat-input",
        name="text",
        rows=1,
        placeholder=rx.cond(shut, "Locked", hint),
        aria_label="Message as the customer",
        disabled=shut,
        enter_key_submit=True,
        custom_attrs=test_id("chat-input"),
    )
    send = button(
        icon("send", 14),
        "Send",
        type="submit",
        disabled=shut,
        custom_attrs=test_id("chat-send"),
        variant="solid",
    )
    return rx.form(
        rx.el.div(
            rx.cond(shut, icon("lock", 14)),
            text,
            send,
            class_name="composer",
            aria_disabled=rx.cond(shut, "true", "false"),
        ),
        on_submit=on_submit,
        reset_on_submit=False,
    )


def foot() -> rx.Component:
    voice = rx.cond(
        Thread.locked != "",
        rx.el.span(icon("lock", 12), Thread.locked, class_name="word dim", style={"whiteSpace": "normal"}),
        rx.el.span(icon("user", 12), "You write as the customer. Enter sends.", class_name="word dim"),
    )
    reader = rx.el.p("Writing in a thread is for supervisors.", class_name="small dim")
    return rx.el.footer(
        standing(),
        rx.cond(
            Thread.may_chat,
            rx.fragment(composer(Thread.say, Thread.locked, "Message as the customer"), voice),
            reader,
        ),
        class_name="chat-foot",
    )


def head() -> rx.Component:
    state = rx.match(
        Thread.status,
        ("running", word("loader", "running", "iris")),
        ("paused", word("circle-pause", "paused", "amber")),
        ("failed", word("circle-x", "failed", "red")),
        ("poisoned", word("wrench", "takes no answer", "red")),
        ("stuck", word("circle-help", "stuck", "red")),
        ("gone", word("circle-x", "deleted", "gray")),
        word("check", "idle", "gray"),
    )
    return rx.el.header(
        rx.el.div(
            rx.el.h2(Thread.title, class_name="cut"),
            rx.el.p("thread ", rx.el.span(Thread.short, class_name="mono"), class_name="small dim cut"),
            class_name="grow",
        ),
        rx.el.span(state, custom_attrs={"data-testid": "thread-status", "data-status": Thread.status}),
        class_name="pane-head",
    )


def example(text: str) -> rx.Component:
    return rx.el.button(
        icon("message-square-text", 14, class_name="c-gray"),
        text,
        type="button",
        class_name="example",
        on_click=Thread.start_with(text),
        custom_attrs=test_id("example"),
    )


def compose() -> rx.Component:
    return rx.fragment(
        rx.el.header(
            rx.el.h2("New conversation", class_name="grow"),
            button("Cancel", size="1", variant="ghost", on_click=Desk.stop_composing),
            class_name="pane-head",
        ),
        rx.el.div(
            rx.el.div(
                rx.cond(
                    Thread.demo,
                    rx.fragment(
                        rx.el.p("Begin as the customer would, or take an example.", class_name="dim"),
                        rx.el.div(*(example(text) for text in EXAMPLES), class_name="examples"),
                    ),
                    rx.el.p("Begin as the customer would.", class_name="dim"),
                ),
                style={"display": "grid", "gap": "12px"},
            ),
            class_name="scroll chat-scroll",
        ),
        rx.el.footer(
            composer(Thread.start, "", "What the customer writes"),
            rx.el.span(icon("user", 12), "You write as the customer. Enter sends.", class_name="word dim"),
            class_name="chat-foot",
        ),
    )


def nothing() -> rx.Component:
    begin = rx.cond(
        Thread.may_chat, button(icon("plus", 14), "Start a conversation", size="1", on_click=Desk.compose)
    )
    return blank("message-square-text", "No thread is open", "Choose one in the queue.", begin)


def body() -> rx.Component:
    def alone(part: rx.Component) -> rx.Component:
        return rx.el.div(part, class_name="scroll", style={"display": "flex"})

    missing = blank("search-x", "There is no such thread", Thread.problem)
    broken = blank(
        "circle-x", "The thread could not be read", Thread.problem, try_again(Thread.load), tone="red"
    )
    return rx.match(
        Thread.phase,
        ("loading", rx.el.div(skeleton("Loading the thread", 2), class_name="scroll")),
        ("none", alone(nothing())),
        ("missing", alone(missing)),
        ("denied", alone(no_permission(Thread.problem))),
        ("error", alone(broken)),
        rx.fragment(head(), log(), foot()),
    )


def pane() -> rx.Component:
    return rx.el.section(
        rx.cond(Desk.composing, compose(), body()), class_name="pane-chat", aria_label="Conversation"
    )
