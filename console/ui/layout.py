"""The shell every signed-in page stands in: the rail, the account menu, the notice, the banner."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_components_core.core.banner import has_connection_errors  # type: ignore[import-untyped]

from console.domain.access import Role
from console.live.tab import Tab as TabState
from console.ui.native import native_form, page_title
from console.ui.parts import avatar, button, icon, link
from console.ui.theme import Drawn, test_id

Tab: Drawn = TabState


def rail_link(name: str, label: str, to: str, *more: Any, here: bool) -> rx.Component:
    current = {"aria_current": "page"} if here else {}
    return link(icon(name), label, *more, to=to, class_name="rail-link", **current)


def account_menu() -> rx.Component:
    return rx.popover.root(
        rx.popover.trigger(
            rx.el.button(
                avatar(Tab.name),
                type="button",
                class_name="menu-button",
                aria_label="Account",
                custom_attrs=test_id("account"),
            )
        ),
        rx.popover.content(
            rx.el.p(
                rx.el.b(Tab.name), " ", rx.el.span(Tab.role, class_name="dim"), custom_attrs=test_id("who")
            ),
            rx.el.hr(style={"border": 0, "borderTop": "1px solid var(--line)", "margin": "8px 0"}),
            rx.el.button(
                rx.color_mode_cond(light=icon("moon", 14), dark=icon("sun", 14)),
                rx.color_mode_cond(light="Dark colours", dark="Light colours"),
                type="button",
                class_name="menu-item",
                on_click=rx.toggle_color_mode,
                custom_attrs=test_id("color-mode"),
            ),
            native_form(
                rx.el.button(
                    icon("log-out", 14), "Sign out", type="submit", custom_attrs=test_id("sign-out")
                ),
                action="/auth/logout",
                method="post",
                class_name="menu-form",
            ),
            side="right",
            align="end",
            size="1",
            min_width="180px",
        ),
    )


def connection() -> rx.Component:
    return rx.el.span(
        rx.cond(
            has_connection_errors,
            rx.fragment(rx.el.span(class_name="dot dot-amber"), "Offline"),
            rx.fragment(rx.el.span(class_name="dot"), "Live"),
        ),
        class_name="live hide-s",
    )


def rail(here: str, count: Drawn, any_open: Drawn) -> rx.Component:
    return rx.el.nav(
        rx.el.span(
            icon("clipboard-check", 20), rx.el.span("Review Console", class_name="sr"), class_name="logo"
        ),
        rail_link(
            "inbox",
            "Queue",
            "/",
            rx.cond(any_open, rx.el.span(count, class_name="count", custom_attrs=test_id("queue-badge"))),
            here=here == "queue",
        ),
        rail_link("scroll-text", "Audit", "/audit", here=here == "audit"),
        rx.cond(
            Tab.role == Role.ADMIN.value,
            rail_link("sliders-horizontal", "Admin", "/admin", here=here == "admin"),
        ),
        rx.el.div(connection(), account_menu(), class_name="rail-foot"),
        class_name="rail",
        aria_label="Main",
    )


def toast(name: Any, title: Any, text: Any, *more: Any, look: Any = "toast", **props: Any) -> rx.Component:
    words = rx.el.div(rx.el.b(title), rx.cond(text != "", rx.el.p(text, class_name="dim")))
    return rx.el.div(name, words, *more, class_name=look, **props)


def notices() -> rx.Component:
    """One live region that is always in the page: what is put into it later is read out."""
    sign = rx.match(
        Tab.notice_tone,
        ("red", icon("circle-x", class_name="c-red")),
        ("amber", icon("triangle-alert", class_name="c-amber")),
        ("green", icon("circle-check", class_name="c-green")),
        icon("info", class_name="c-gray"),
    )
    close = rx.el.button(
        icon("x", 14),
        type="button",
        class_name="icon-button",
        aria_label="Close notice",
        on_click=Tab.dismiss,
    )
    said = toast(
        sign,
        Tab.notice_title,
        Tab.notice,
        close,
        look="toast toast-" + Tab.notice_tone,
        key=Tab.notice_number.to_string(),
    )
    lost = "What you see is from before it was lost. Trying again."
    return rx.el.div(
        rx.el.div(
            rx.cond(Tab.notice_title != "", said),
            role="status",
            aria_live="polite",
            custom_attrs=test_id("notice"),
        ),
        rx.cond(
            has_connection_errors, toast(icon("wifi-off", class_name="c-amber"), "Connection lost", lost)
        ),
        class_name="notices",
    )


def banners() -> rx.Component:
    """Above everything: what keeps everyone from deciding, and what readers of the whole log should know."""
    read_only = rx.el.div(
        icon("hard-drive"),
        rx.el.p(rx.el.b(Tab.banner_title), " ", Tab.banner),
        class_name="banner",
        role="alert",
        custom_attrs=test_id("banner"),
    )
    unsigned = rx.el.div(
        icon("shield-alert"),
        rx.el.p(rx.el.b("The newest log entries are not signed."), " ", Tab.unsigned),
        class_name="banner banner-amber",
        role="status",
        custom_attrs=test_id("unsigned"),
    )
    return rx.fragment(rx.cond(Tab.banner != "", read_only), rx.cond(Tab.unsigned != "", unsigned))


def shell(here: str, title: Any, count: Drawn, any_open: Drawn, *children: Any) -> rx.Component:
    page = rx.el.div(
        page_title(text=title), rail(here, count, any_open), *children, notices(), class_name="app"
    )
    return rx.el.div(banners(), page, class_name="frame")


def try_again(on_click: Any) -> rx.Component:
    return button("Try again", size="1", on_click=on_click)
