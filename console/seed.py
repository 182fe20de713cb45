"""Some history for the demo's first start: short conversations that really ran and were really decided.

Nothing is refunded and nothing is left waiting, so a new console begins with an empty queue and a shop
whose money is untouched.
"""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from console.settings import DEMO_GRAPH, DEMO_SOURCE, Settings
from console.settings_file import sqlite_path

if TYPE_CHECKING:
    from console.domain.access import Actor
    from console.services.deps import Deps

PATIENCE_SECONDS = 20.0
Decision = dict[str, Any]


def seed(settings: Settings, deps: "Deps") -> None:
    """Fill an empty demo; anything else than the demo, or a console that was used, is left alone."""
    from console.services import accounts, chat
    from console.services.worker import running

    source = settings.sources.get(DEMO_SOURCE)
    if not settings.demo or source is None or source.graph != DEMO_GRAPH:
        return
    sam, sue = accounts.find(deps, "sam"), accounts.find(deps, "sue")
    if sam is None or sue is None or chat.threads_recent(deps, sam, 1):
        return
    quick = _without_delay(settings, deps)
    with running(quick):
        _talk(quick, sam, "Where is order A-1001?")
        _talk(
            quick,
            sam,
            "Refund A-2050 520",
            {"type": "reject", "message": "Ask for a photo of the damage first."},
        )
        _talk(
            quick, sue, "问主管 A-2051 能不能延长保修", {"type": "respond", "message": "可以，延长六个月。"}
        )
        _talk(quick, sue, "Change the address of A-1002 to 8 Mill Lane", {"type": "approve"})


def _without_delay(settings: Settings, deps: "Deps") -> "Deps":
    """The same console with the rule-based agent at full speed, whatever model is set."""
    from console.demo.agent import build
    from console.sources.local import LocalSource

    checkpoints = sqlite_path(settings.sources[DEMO_SOURCE].checkpoints or "")
    if checkpoints is None:
        return deps
    source = LocalSource(DEMO_SOURCE, build(settings.shop, token_delay=0), checkpoints)
    return replace(deps, sources={DEMO_SOURCE: source})


def _talk(deps: "Deps", actor: "Actor", sentence: str, decision: Decision | None = None) -> None:
    from console.services import chat, inbox
    from console.services.decide import decide

    thread = chat.start(deps, actor, DEMO_SOURCE, sentence)
    _wait(deps, actor, thread.thread_ref)
    if decision is None:
        return
    for review in inbox.thread_reviews(deps, actor, thread.source, thread.thread_id):
        decisions = [decision for _ in review.actions]
        decide(deps, actor, review.id, version=review.version, digest=review.digest, decisions=decisions)
    _wait(deps, actor, thread.thread_ref, "paused")


def _wait(deps: "Deps", actor: "Actor", ref: str, past: str = "") -> None:
    """Until the run has ended or paused; gives up quietly, since history is no reason not to start."""
    from console.services import chat

    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if chat.thread(deps, actor, ref).status not in {"running", past}:
            return
        time.sleep(0.02)
