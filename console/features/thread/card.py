"""One action: what is asked in full, the agent's words apart from it, and the decision."""

from __future__ import annotations

import reflex as rx

from console.features.thread.edit_fields import Edit, fields
from console.features.thread.review_state import Review as ReviewState
from console.ui.parts import agent_words, hazard_chip, icon, position, segments, sr, tone_word
from console.ui.theme import Drawn, test_id

DECISIONS = (
    ("approve", "Approve", "check", "A"),
    ("edit", "Edit", "pencil", "E"),
    ("reject", "Reject", "x", "X"),
    ("respond", "Respond", "reply", "R"),
)

Review: Drawn = ReviewState


def warning_row(text: Drawn) -> rx.Component:
    return rx.cond(
        text != "",
        rx.el.div(
            rx.el.span(class_name="key"),
            rx.el.span(text, class_name="small c-amber"),
            class_name="arg arg-note",
        ),
    )


def read_row(row: Drawn) -> rx.Component:
    kind = rx.cond(row.quoted, rx.el.span("text", class_name="type"))
    value = rx.cond(
        row.given, rx.fragment(kind, segments(row.parts)), rx.el.span("not given", class_name="dim")
    )
    return rx.fragment(
        rx.el.div(
            rx.el.span(row.key, class_name="key"),
            rx.el.span(value, class_name=rx.cond(row.json, "val json", "val")),
            class_name="arg",
            custom_attrs={"data-testid": "argument", "data-pointer": row.pointer},
        ),
        warning_row(row.warning),
    )


def arguments(card: Drawn) -> rx.Component:
    return rx.cond(
        Review.deciding & Edit.trees.contains(card.slot),
        fields(card.slot, "Edited arguments"),
        rx.el.div(rx.foreach(card.rows, read_row), class_name="args"),
    )


def figure(card: Drawn) -> rx.Component:
    """The money or count that matters, large; struck through when an edit changes it."""
    typed = Review.figures.contains(card.slot)
    now = rx.cond(typed, Review.figures[card.slot], card.figure_now)
    moved = rx.fragment(rx.el.span(card.figure, class_name="was"), sr("changed to "), now)
    return rx.cond(
        card.figure != "",
        rx.el.div(
            rx.cond(typed | (card.figure_now != ""), moved, card.figure),
            # The number alone would not say which argument it is.
            rx.el.small(card.figure_key, class_name="mono"),
            class_name="figure",
            custom_attrs=test_id("figure"),
        ),
    )


def head(card: Drawn) -> rx.Component:
    return rx.el.div(
        position(card.number),
        rx.el.div(
            rx.el.div(
                rx.el.span(card.name, class_name="mono"),
                rx.cond(card.hazards > 0, hazard_chip(card.hazards)),
                class_name="title",
            ),
            rx.el.p(card.title, " · ", card.argument_count, class_name="sub"),
            class_name="grow",
        ),
        figure(card),
        class_name="action-head",
    )


def radio(card: Drawn, kind: str, label: str, name: str, key: str) -> rx.Component:
    return rx.cond(
        card.allowed.contains(kind),
        rx.el.label(
            rx.el.input(
                type="radio",
                name="decision-" + card.slot,
                value=kind,
                default_checked=Review.choices[card.slot] == kind,
                on_change=Review.choose(Review.key, card.position, kind),
                custom_attrs=test_id(f"decision-{kind}"),
            ),
            icon(name, 14),
            label,
            rx.el.kbd(key, aria_hidden="true"),
            class_name=f"d-{kind}",
        ),
    )


def message_field(card: Drawn, kind: str, placeholder: str) -> rx.Component:
    return rx.el.span(
        icon("corner-down-right", 14),
        rx.el.input(
            placeholder=placeholder,
            aria_label=placeholder,
            default_value=Review.messages[card.slot],
            on_change=lambda value: Review.word_for_agent(Review.key, card.position, value),
            auto_complete="off",
            key=card.slot + kind,
            custom_attrs=test_id("decision-message"),
        ),
        rx.el.span("to the agent", class_name="small dim nowrap"),
        class_name="field-box",
    )


def decision(card: Drawn) -> rx.Component:
    return rx.fragment(
        rx.el.fieldset(
            rx.el.legend("Decision for action ", card.number, class_name="sr"),
            *(radio(card, *each) for each in DECISIONS),
            class_name="decide",
        ),
        rx.match(
            Review.choices[card.slot],
            ("reject", message_field(card, "reject", "Why not (may be empty)")),
            (
                "respond",
                message_field(card, "respond", "Your answer, the tool's result"),
            ),
            rx.fragment(),
        ),
    )


def final_row(row: Drawn) -> rx.Component:
    return rx.fragment(rx.el.dt(row.key, class_name="mono"), rx.el.dd(segments(row.parts)))


def made(card: Drawn) -> rx.Component:
    """What was decided of it, and what then really happened."""
    return rx.cond(
        card.done != "",
        rx.el.dl(
            rx.el.dt("Decision"),
            rx.el.dd(tone_word(card.done, card.done_tone)),
            rx.foreach(card.final, final_row),
            rx.cond(
                card.said.length() > 0, rx.fragment(rx.el.dt("To the agent"), rx.el.dd(segments(card.said)))
            ),
            rx.el.dt("Outcome"),
            rx.el.dd(
                rx.cond(
                    card.outcome != "",
                    tone_word(card.outcome, card.outcome_tone),
                    rx.el.span("not known yet", class_name="dim"),
                ),
                custom_attrs=test_id("outcome"),
            ),
            class_name="made",
        ),
    )


def action_card(card: Drawn) -> rx.Component:
    return rx.el.article(
        head(card),
        arguments(card),
        rx.cond(card.words.length() > 0, agent_words(card.words, card.words_size)),
        rx.cond(Review.deciding, decision(card), made(card)),
        class_name="card action",
        key=Review.key + card.slot,
        tab_index=-1,
        aria_label=card.title,
        custom_attrs={"data-testid": "action-card", "data-position": card.slot},
    )
