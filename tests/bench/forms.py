"""B13: an edit form of 200 fields against one of ten, painted and edited in a real browser.

Painted: from the click on Edit until two frames after the last field stands in the page. Edited: from leaving
the first field with another text in it until two frames after it is marked as changed, so without the pause
that waits for the next letter. Both go to the server and back, in turn.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.bench.queue import Round
from tests.browser.desk import Desk
from tests.browser.orders import SCHEMAS, SETTINGS, values
from tests.chromium import find_or_install
from tests.conftest import CHROMIUM_FLAGS
from tests.serving import Server

ROUNDS, WARM_UP = 9, 2
# By the name of the tool; both have texts, in groups of ten where there are more.
FIELDS = {"wide": 200, "narrow": 10}

_UNTIL = """
  const frame = () => new Promise(requestAnimationFrame);
  const begun = performance.now();
  act();
  while (!seen()) await frame();
  await frame();
  await frame();
  return performance.now() - begun;
"""
_PAINT = (
    """async (count) => {
  const act = () => document.querySelector('[data-testid=decision-edit]').click();
  const seen = () => document.querySelectorAll('[data-testid=edit-form] input').length >= count;
"""
    + _UNTIL
    + "}"
)
_EDIT = (
    """async (text) => {
  const field = document.querySelector('[data-testid=edit-form] input');
  const type = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const act = () => {
    field.focus();
    type.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.blur();
  };
  const row = field.closest('[data-testid=field]');
  const now = () => document.querySelector('[data-testid=difference] .sides')?.textContent ?? '';
  const seen = () => row.querySelector('.arg.changed') && now().includes(text);
"""
    + _UNTIL
    + "}"
)


def b13_paint() -> list[Round]:
    return [(name, wide, narrow) for name, (wide, _), (narrow, _) in _measured()]


def b13_edit() -> list[Round]:
    return [(name, wide, narrow) for name, (_, wide), (_, narrow) in _measured()]


def _measured() -> Iterator[tuple[str, tuple[float, float], tuple[float, float]]]:
    """Of each round (painted, edited) of the wide and of the narrow form, in milliseconds."""
    with _desk() as sam:
        for number in range(WARM_UP + ROUNDS):
            found = {tool: _once(sam, tool, count, number) for tool, count in FIELDS.items()}
            if number >= WARM_UP:
                yield f"round {number - WARM_UP + 1}", found["wide"], found["narrow"]


def _once(sam: Desk, tool: str, count: int, number: int) -> tuple[float, float]:
    sam.open_thread(sam.start(json.dumps([[tool, values(SCHEMAS[tool])]])))
    expect(sam.test_id("decision-edit")).to_be_visible()
    sam.page.wait_for_load_state("networkidle")
    painted = float(sam.page.evaluate(_PAINT, count))
    return painted, float(sam.page.evaluate(_EDIT, f"edited {number}"))


@contextmanager
def _desk() -> Iterator[Desk]:
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place)
        (folder / "console.toml").write_text(SETTINGS)
        with Server(folder / "data", cwd=folder) as server:
            chromium = playwright.chromium.launch(
                executable_path=find_or_install(), args=list(CHROMIUM_FLAGS)
            )
            page: Page = chromium.new_context(base_url=server.url("")).new_page()
            sam = Desk("sam", page)
            sam.sign_in()
            yield sam
            chromium.close()
