"""What the log's page does in the browser itself: zones, the clipboard, keys, and rows that wait."""

from __future__ import annotations

import reflex as rx
from reflex_components_core.el.elements.base import BaseHTML  # type: ignore[import-untyped]

LIBRARY = rx.asset("browser.jsx", shared=True).importable_path


class Download(BaseHTML):  # type: ignore[misc]
    """A link that the browser itself follows; `rx.el.a` would look for a page of ours at the address."""

    tag = "a"
    href: rx.Var[str]
    download: rx.Var[str]


class Zone(rx.Component):
    library = LIBRARY
    tag = "Zone"


class Since(rx.Component):
    """`at` is an RFC 3339 text."""

    library = LIBRARY
    tag = "Since"
    at: rx.Var[str]


class MomentField(rx.Component):
    """A time typed in the reader's zone, which the form sends as UTC under `name`."""

    library = LIBRARY
    tag = "MomentField"
    name: rx.Var[str]
    label: rx.Var[str]
    at: rx.Var[str]


class Span(rx.Component):
    """Two RFC 3339 texts, either of which may be empty."""

    library = LIBRARY
    tag = "Span"
    since: rx.Var[str]
    until: rx.Var[str]


class CopyField(rx.Component):
    library = LIBRARY
    tag = "CopyField"
    text: rx.Var[str]
    label: rx.Var[str]
    verb: rx.Var[str]


class Follow(rx.Component):
    """`waiting` is how many entries are not drawn yet; `on_show` draws them."""

    library = LIBRARY
    tag = "Follow"
    waiting: rx.Var[int]
    words: rx.Var[str]
    on_show: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg,valid-type]


class AuditKeys(rx.Component):
    library = LIBRARY
    tag = "AuditKeys"


download = Download.create
zone = Zone.create
since = Since.create
span_of = Span.create
moment_field = MomentField.create
copy_field = CopyField.create
follow = Follow.create
audit_keys = AuditKeys.create
