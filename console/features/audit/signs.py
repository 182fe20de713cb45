"""One sign for each kind of entry, beside its word."""

from __future__ import annotations

import reflex as rx

from console.ui.parts import icon
from console.ui.theme import Drawn

SIGNS = {
    "opened": "circle-pause",
    "reopened": "rotate-ccw",
    "viewed": "eye",
    "claimed": "user-check",
    "released": "user-minus",
    "decided": "list-checks",
    "co signed": "users",
    "dispatched": "send",
    "settled": "circle-check",
    "superseded": "fast-forward",
    "cancelled": "circle-slash",
    "repaired": "wrench",
    "stuck resolved": "wrench",
    "undone": "undo-2",
    "denied": "ban",
    "invalid": "circle-x",
    "lost": "flag",
    "login": "log-in",
    "login failed": "log-in",
    "logout": "log-out",
    "thread started": "message-square-plus",
    "message sent": "message-square-text",
    "user added": "user-plus",
    "user disabled": "user-x",
    "role changed": "user-cog",
    "token created": "key-round",
    "token revoked": "key-round",
    "key rotated": "key-round",
    "verified": "shield-check",
    "exported": "download",
    "redacted": "eraser",
    "unmasked": "eye",
    "started": "power",
    "stopped": "power",
}
ALARMS = ("mismatch", "stuck", "external resume")


def kind_sign(kind: Drawn, size: int = 14) -> rx.Component:
    alarms = [(name, icon("octagon-alert", size, class_name="c-red")) for name in ALARMS]
    return rx.match(
        kind, *((word, icon(name, size)) for word, name in SIGNS.items()), *alarms, icon("scroll-text", size)
    )
