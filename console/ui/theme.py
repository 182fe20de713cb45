"""The look of the console on top of Radix Themes.

`rx.theme` itself is set with the build's configuration; the stylesheets hold what Radix does not have, its
contrast fix, and the sizes of the desk.
"""

from __future__ import annotations

from typing import Any

import reflex as rx

from console.ui.css import SHEETS

# A state, or a part of one, inside a page: a Var whose attributes Reflex knows, and the compile test checks.
Drawn = Any


def install(app: rx.App) -> None:
    app.stylesheets.extend(SHEETS)


def test_id(name: str, **data: Any) -> dict[str, Any]:
    """Custom attributes; `data_position=0` becomes data-position."""
    return {"data-testid": name, **{key.replace("_", "-"): value for key, value in data.items()}}
