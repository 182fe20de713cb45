"""One person beside the list: what they may do, where they are signed in, and their tokens."""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.features.admin.state import ROLES
from console.features.admin.state import Admin as AdminState
from console.ui.dialog import confirm
from console.ui.native import when
from console.ui.parts import avatar, button, chip, icon, link, note, word
from console.ui.theme import Drawn, test_id

Admin: Drawn = AdminState
ENDS = "Every session and token of theirs ends at once. What they have decided stays."


def box(child: rx.Component) -> rx.Component:
    return rx.el.span(child, class_name="field-box")


def labelled(label: str, handle: str, child: rx.Component) -> rx.Component:
    return rx.el.div(rx.el.label(label, html_for=handle, class_name="lab"), box(child))


def options(values: tuple[str, ...]) -> list[rx.Component]:
    return [rx.el.option(each, value=each) for each in values]


def add_form() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Add a person"),
        rx.el.form(
            labelled(
                "Name",
                "add-name",
                rx.el.input(
                    id="add-name",
                    name="name",
                    required=True,
                    max_length=64,
                    auto_complete="off",
                    custom_attrs=test_id("add-name"),
                ),
            ),
            labelled(
                "Role",
                "add-role",
                rx.el.select(
                    *options(ROLES),
                    id="add-role",
                    name="role",
                    default_value="none",
                    custom_attrs=test_id("add-role"),
                ),
            ),
            labelled(
                "First password",
                "add-password",
                rx.el.input(
                    id="add-password",
                    name="password",
                    type="password",
                    required=True,
                    auto_complete="new-password",
                    custom_attrs=test_id("add-password"),
                ),
            ),
            button("Add", variant="solid", type="submit", custom_attrs=test_id("add-submit")),
            on_submit=AdminState.add,
            class_name="admin-form",
            key=Admin.added.to_string(),
        ),
        class_name="admin-part",
    )


def facts() -> rx.Component:
    person = Admin.opened
    state = rx.cond(person.enabled, word("check", "May sign in", "green"), word("ban", "Disabled", "red"))
    return rx.el.header(
        avatar(person.name),
        rx.el.div(
            rx.el.h2(person.name, custom_attrs=test_id("opened-name")),
            rx.el.p(
                rx.el.span(person.role, custom_attrs=test_id("opened-role")),
                " · since ",
                when(at=person.made, look="stamp"),
                class_name="small dim",
            ),
        ),
        rx.el.span(state, class_name="grow right"),
        link(icon("x", 14), rx.el.span("Close", class_name="sr"), to=Admin.closed, class_name="icon-button"),
        class_name="admin-who",
    )


def role_part() -> rx.Component:
    person = Admin.opened
    change = confirm(
        button(
            "Change role",
            disabled=Admin.wish == "",
            custom_attrs=test_id("role-change"),
        ),
        "Change role",
        person.name + " becomes " + Admin.wish + ". " + ENDS,
        handle="role",
        on_confirm=AdminState.change_role(person.id, Admin.wish),
    )
    choice = rx.el.select(
        *options(ROLES),
        aria_label="Role",
        default_value=person.role,
        on_change=AdminState.choose_role,
        custom_attrs=test_id("role-choice"),
        key=person.id + person.role,
    )
    return rx.el.section(
        rx.el.h3("Role"), rx.el.div(box(choice), change, class_name="admin-row"), class_name="admin-part"
    )


def standing() -> rx.Component:
    person = Admin.opened
    disable = confirm(
        button(icon("ban", 14), "Disable", color_scheme="red", custom_attrs=test_id("disable")),
        "Disable",
        person.name + " can no longer sign in. " + ENDS,
        handle="disable",
        on_confirm=AdminState.disable(person.id),
    )
    enable = button("Enable", on_click=AdminState.enable(person.id), custom_attrs=test_id("enable"))
    acts = link(icon("scroll-text", 14), "What they did", to=person.acts, class_name="mini")
    return rx.el.div(rx.cond(person.enabled, disable, enable), acts, class_name="admin-row admin-part")


def session(each: Drawn) -> rx.Component:
    return rx.el.li(
        rx.el.span(
            each.agent,
            rx.cond(each.current, chip("this one"), rx.fragment()),
            class_name="admin-agent",
        ),
        rx.el.span(each.address, " · last used ", when(at=each.seen, look="stamp"), class_name="small dim"),
        key=each.id,
        custom_attrs=test_id("session-row"),
    )


def sessions_part() -> rx.Component:
    person = Admin.opened
    end = confirm(
        button("Sign out everywhere", custom_attrs=test_id("sign-out-all")),
        "Sign out everywhere",
        "Every session of " + person.name + " ends at once. Tokens go on.",
        handle="sign-out-all",
        on_confirm=AdminState.sign_out(person.id),
    )
    some = rx.fragment(rx.el.ul(rx.foreach(Admin.sessions, session), class_name="admin-list"), end)
    return rx.el.section(
        rx.el.h3("Sessions"),
        rx.cond(Admin.sessions.length() > 0, some, rx.el.p("Signed in nowhere.", class_name="small dim")),
        class_name="admin-part",
    )


def token(each: Drawn) -> rx.Component:
    used = rx.cond(each.used != "", rx.fragment("last used ", when(at=each.used, look="stamp")), "never used")
    ends = rx.cond(each.ends != "", rx.fragment(" · until ", when(at=each.ends, look="stamp")))
    revoke = confirm(
        button("Revoke", size="1", aria_label="Revoke " + each.name, custom_attrs=test_id("token-revoke")),
        "Revoke",
        "Scripts that use the token " + each.name + " are refused from now on.",
        handle="token-revoke",
        on_confirm=AdminState.revoke(each.id),
    )
    return rx.el.li(
        rx.el.span(each.name, chip(each.scope), class_name="admin-agent"),
        rx.cond(each.state == "", revoke, word("ban", each.state)),
        rx.el.span(used, ends, class_name="small dim"),
        key=each.id,
        custom_attrs=test_id("token-row"),
    )


def made() -> rx.Component:
    return rx.el.div(
        note("key-round", "Copy it now: it is shown this once.", tone="amber"),
        rx.el.output(Admin.made, class_name="mono admin-token", custom_attrs=test_id("token-made")),
        button("Hide", size="1", on_click=AdminState.hide_token, custom_attrs=test_id("token-hide")),
        class_name="admin-form",
    )


def token_form() -> rx.Component:
    person = Admin.opened
    scope = rx.el.select(*options(("read", "decide")), name="scope", id="token-scope", default_value="read")
    only_reads = rx.el.p(
        "It only reads. A token that decides is made by its owner, or by ",
        rx.el.span("console tokens create", class_name="mono"),
        ".",
        class_name="small dim",
    )
    days = rx.el.select(
        *(rx.el.option(label, value=value) for value, label in (
            ("90", "90 days"), ("30", "30 days"), ("365", "a year"), ("", "until revoked"),
        )),
        name="days", id="token-days", default_value="90",
    )  # fmt: skip
    label: Any = rx.el.input(
        id="token-label",
        name="label",
        max_length=64,
        auto_complete="off",
        custom_attrs=test_id("token-label"),
    )
    return rx.el.form(
        rx.el.input(type="hidden", name="user", value=person.id, read_only=True),
        labelled("What it is for", "token-label", label),
        labelled("Valid", "token-days", days),
        rx.cond(person.own, labelled("Scope", "token-scope", scope), only_reads),
        button("Make a token", type="submit", custom_attrs=test_id("token-make")),
        on_submit=AdminState.make_token,
        class_name="admin-form",
        # Made anew, and so empty, for another person and after each token.
        key=person.id + Admin.tokens.length().to_string(),
    )


def tokens_part() -> rx.Component:
    return rx.el.section(
        rx.el.h3("Tokens"),
        rx.cond(
            Admin.tokens.length() > 0, rx.el.ul(rx.foreach(Admin.tokens, token), class_name="admin-list")
        ),
        rx.cond(Admin.made != "", made()),
        rx.cond(Admin.opened.enabled, token_form()),
        class_name="admin-part",
    )


def opened() -> rx.Component:
    return rx.fragment(facts(), standing(), role_part(), sessions_part(), tokens_part())
