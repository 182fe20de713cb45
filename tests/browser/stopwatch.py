"""When things first stood in a page, by the page's own clock, and how its draft grew."""

from __future__ import annotations

from playwright.sync_api import Page

# One observer per page; all pages of one machine share its clock.
SCRIPT = """
(() => {
  const seen = (window.__seen = { at: {}, drafts: [] });
  const first = (key) => { seen.at[key] ??= Date.now(); };
  const look = () => {
    const state = document.querySelector('[data-testid=thread-status]');
    if (state) first('status ' + state.dataset.status);
    for (const row of document.querySelectorAll('[data-testid=queue-row]'))
      first('row ' + new URL(row.href).pathname.split('/').pop());
    const draft = document.querySelector('[data-testid=chat-draft]')?.textContent;
    if (draft && seen.drafts.at(-1) !== draft) seen.drafts.push(draft);
  };
  new MutationObserver(look).observe(document, {
    subtree: true, childList: true, characterData: true, attributes: true,
  });
})();
"""


def install(page: Page) -> None:
    """Before the page is opened; a reload starts it anew."""
    page.add_init_script(SCRIPT)


def first_seen(page: Page, key: str) -> float:
    """Milliseconds of `status NAME` or `row REF`."""
    at = page.evaluate("() => window.__seen.at")
    assert key in at, f"{key!r} was never drawn, only {sorted(at)}"
    return float(at[key])


def drafts(page: Page) -> list[str]:
    """Every text that stood in the draft, in order."""
    return [str(text) for text in page.evaluate("() => window.__seen.drafts")]
