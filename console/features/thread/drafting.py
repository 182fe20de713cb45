"""What a person has begun to say: how it is kept, what of it comes back, and when it is saved."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from console.domain.access import Actor
from console.domain.errors import ConsoleError
from console.features import parse
from console.features.thread.answer import ANSWER
from console.services import drafts
from console.services.deps import Deps

log = logging.getLogger("console.drafts")
FORMAT = 1
# Seconds from the last change until it is saved: a word is one write, not one for every letter.
PAUSE = 0.7


@dataclass(frozen=True)
class Begun:
    """By slot what was chosen, what is said to the agent, and the steps of each form as JSON text.

    `answer` is a free answer as it was typed.
    """

    choices: Mapping[str, str] = field(default_factory=dict)
    messages: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    as_json: bool = False

    def as_draft(self) -> dict[str, Any]:
        forms = {slot: json.loads(text) for slot, text in self.steps.items()}
        kept = {
            "v": FORMAT,
            "choices": dict(self.choices),
            "messages": dict(self.messages),
            "forms": {slot: each for slot, each in forms.items() if slot != ANSWER},
        }
        if ANSWER in forms:
            kept["answer"] = forms[ANSWER]
        if self.answer:
            kept |= {"text": self.answer, "as_json": self.as_json}
        return kept


def put_back(kept: Mapping[str, Any], allowed: Sequence[Sequence[str]], version: int) -> Begun:
    """What of a draft fits this version of the review. Nobody has approved what they have not seen.

    Steps that fit no longer are left out where the form is opened.
    """
    if kept.get("v") != FORMAT:
        return Begun()
    slots = {str(position): kinds for position, kinds in enumerate(allowed)}
    same = kept.get("version") == version
    forms = {**_part(kept, "forms"), ANSWER: kept.get("answer")}
    return Begun(
        {
            slot: kind
            for slot, kind in _part(kept, "choices").items()
            if kind in slots.get(slot, ()) and (same or kind != "approve")
        },
        {
            slot: text
            for slot, text in _part(kept, "messages").items()
            if slot in slots and isinstance(text, str) and len(text) <= parse.TEXT_CAP
        },
        {slot: json.dumps(each) for slot, each in forms.items() if isinstance(each, dict)},
        kept["text"] if isinstance(kept.get("text"), str) else "",
        kept.get("as_json") is True,
    )


def words(kept: Mapping[str, Any], version: int) -> str:
    """What became of it, after "Your draft from 10:43"."""
    if kept.get("version") == version:
        return ", put back"
    return " was for an earlier request; what still fits is put back, approvals are not"


def _part(kept: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = kept.get(name)
    return found if isinstance(found, dict) else {}


class Saver:
    """Saves the last of several changes. One thread of its own: what was saved later counts."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], asyncio.TimerHandle] = {}
        self._thread = ThreadPoolExecutor(1, "drafts")

    def later(self, deps: Deps, actor: Actor, review_id: str, version: int, begun: Begun) -> None:
        self._forget(actor, review_id)
        loop = asyncio.get_running_loop()
        key = (actor.id, review_id)

        def now() -> None:
            self._waiting.pop(key, None)
            loop.run_in_executor(self._thread, _save, deps, actor, review_id, version, begun)

        self._waiting[key] = loop.call_later(PAUSE, now)

    async def drop(self, deps: Deps, actor: Actor, review_id: str) -> None:
        """Also what was not saved yet."""
        self._forget(actor, review_id)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, drafts.drop, deps, actor, review_id)

    def _forget(self, actor: Actor, review_id: str) -> None:
        if (waiting := self._waiting.pop((actor.id, review_id), None)) is not None:
            waiting.cancel()


def _save(deps: Deps, actor: Actor, review_id: str, version: int, begun: Begun) -> None:
    """The person goes on either way: what is on the desk is there, and the next change is saved again."""
    try:
        drafts.save(deps, actor, review_id, version, begun.as_draft())
    except ConsoleError as refusal:
        log.warning("a draft of %s for review %s was not saved: %s", actor.name, review_id, refusal.detail)
    except Exception:
        log.exception("a draft of %s for review %s was not saved", actor.name, review_id)


SAVER = Saver()
