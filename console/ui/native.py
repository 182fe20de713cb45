"""The few things that must happen in the browser without asking the server first."""

from __future__ import annotations

import reflex as rx
from reflex_components_core.el.elements.base import BaseHTML  # type: ignore[import-untyped]

LIBRARY = rx.asset("native.jsx", shared=True).importable_path


class NativeForm(BaseHTML):  # type: ignore[misc]
    """Submits like HTML. `rx.form` prevents that, and only a navigation brings a new socket and cookie."""

    tag = "form"
    action: rx.Var[str]
    method: rx.Var[str]


class NativeLink(BaseHTML):  # type: ignore[misc]
    """Followed by the browser. `rx.el.a` looks for a page of ours at the address, and finds none."""

    tag = "a"
    href: rx.Var[str]


class Tail(rx.Component):
    """`chunk` is the JSON text "[offset, text]" with the offset in UTF-16 units, as JavaScript counts."""

    library = LIBRARY
    tag = "Tail"
    chunk: rx.Var[str]
    who: rx.Var[str]
    on_gap: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg,valid-type]


class When(rx.Component):
    """`at` is an RFC 3339 text, `look` one of time, seconds, day, stamp."""

    library = LIBRARY
    tag = "When"
    at: rx.Var[str]
    look: rx.Var[str]


class PageTitle(rx.Component):
    library = LIBRARY
    tag = "PageTitle"
    text: rx.Var[str]


class DeskKeys(rx.Component):
    library = LIBRARY
    tag = "DeskKeys"


native_form = NativeForm.create
native_link = NativeLink.create
tail = Tail.create
when = When.create
page_title = PageTitle.create
desk_keys = DeskKeys.create
