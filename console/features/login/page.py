"""Sign-in by a form that navigates: the answer's cookie comes with a new socket."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.features.login.state import Login as LoginState
from console.ui.native import native_form, native_link, page_title
from console.ui.parts import avatar, icon, note
from console.ui.theme import Drawn, test_id

Login: Drawn = LoginState


def field(label: str, name: str, handle: str, **props: Any) -> rx.Component:
    box = rx.el.input(id=handle, name=name, required=True, custom_attrs=test_id(handle), **props)
    return rx.el.div(
        rx.el.label(label, html_for=handle, class_name="lab"), rx.el.span(box, class_name="field-box")
    )


def sign_in_form() -> rx.Component:
    failed = rx.el.div(
        rx.cond(Login.message != "", note("circle-x", Login.message, tone="red")),
        role="alert",
        custom_attrs=test_id("login-message"),
    )
    return native_form(
        failed,
        field("Name", "username", "login-user", auto_complete="username", auto_focus=True),
        field("Password", "password", "login-password", type="password", auto_complete="current-password"),
        rx.button("Sign in", size="3", variant="solid", type="submit", custom_attrs=test_id("login-submit")),
        action="/auth/login",
        method="post",
        class_name="login-form",
    )


def provider_link() -> rx.Component:
    """A link, not a form: the CSP lets forms lead to our own site only."""
    return rx.el.div(
        native_link(
            icon("key-round", 16),
            Login.provider,
            href="/auth/oidc/start",
            custom_attrs=test_id("login-provider"),
        ),
        class_name="login-provider",
    )


def demo_button(account: Drawn) -> rx.Component:
    return native_form(
        rx.el.input(type="hidden", name="username", value=account.name, read_only=True),
        rx.el.input(type="hidden", name="password", value="demo", read_only=True),
        rx.el.button(
            avatar(account.name),
            rx.el.b(account.name),
            rx.el.span(
                rx.match(
                    account.role,
                    ("supervisor", "Supervisor"),
                    ("qa", "QA"),
                    ("admin", "Admin"),
                    "No role",
                ),
                rx.el.small(account.says),
            ),
            icon("arrow-right", 14, class_name="c-gray"),
            type="submit",
            custom_attrs={"data-testid": "demo-login-" + account.name},
        ),
        action="/auth/login",
        method="post",
        key=account.name,
    )


def demo_accounts() -> rx.Component:
    return rx.el.section(
        rx.el.p("Demo accounts, one click", class_name="small dim"),
        rx.foreach(Login.accounts, demo_button),
        class_name="demo",
        aria_label="Demo accounts",
    )


def page() -> rx.Component:
    hint = "Demo mode on this machine only. The password is demo; nothing you do reaches a real shop."
    any_demo = Login.accounts.length() > 0
    return rx.el.main(
        page_title(text="Sign in · Review Console"),
        rx.el.div(
            rx.el.span(icon("clipboard-check", 20), class_name="logo"),
            rx.el.h1("Review Console"),
            rx.el.p("Decide what the agents may do. Every decision is recorded.", class_name="dim"),
            rx.el.div(
                sign_in_form(),
                rx.cond(Login.provider != "", provider_link()),
                rx.cond(any_demo, demo_accounts()),
                class_name="card login-card",
            ),
            rx.cond(any_demo, rx.el.p(icon("info", 14), rx.el.span(hint), class_name="small dim login-hint")),
            class_name="login-box",
        ),
        class_name="login",
    )
