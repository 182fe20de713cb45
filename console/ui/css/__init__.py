"""The stylesheets, in the order in which they build on one another: tokens first, whole pages last."""

from __future__ import annotations

import reflex as rx

SHEETS = tuple(
    rx.asset(f"{name}.css", shared=True).importable_path.removeprefix("$/public")
    for name in ("tokens", "parts", "desk", "review", "form", "pages", "banner", "audit", "admin")
)
