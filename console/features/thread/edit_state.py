"""The fields of the actions whose choice is edit. Only those that are drawn are in the state."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import reflex as rx

from console.domain.access import Permission
from console.features import parse
from console.features.thread.edit_tree import origin
from console.features.thread.open_forms import OpenForm
from console.features.thread.review_state import Review
from console.forms.edits import OPS, Refused
from console.live.permit import guarded
from console.live.tab import Tab
from console.ui.node import Node

STEPS = tuple(sorted(OPS | {"fill", "up", "down", "as_text", "as_fields", "undo"}))
# A pointer goes through at most some fifty levels of names; the socket takes messages of 1,000,000 bytes.
POINTER_CAP = 20_000
EDIT_CAP = 900_000


class EditTexts(rx.State):
    """Long texts by the id of their field, apart from the tree that is sent with every change."""

    texts: dict[str, str] = {}


class Edit(rx.State):
    """`trees` by slot. `focus` is the JSON text [number, id, id before]: where a person goes on."""

    trees: dict[str, Node] = {}
    whole: dict[str, bool] = {}
    steps: dict[str, int] = {}
    origins: dict[str, str] = {}
    focus: str = "[0]"

    _key: str = ""
    _focused: int = 0

    def _clear(self) -> None:
        self.reset()  # type: ignore[no-untyped-call]

    async def _follow(self, review: Review) -> None:
        """Fields for everything that is edited now, and for nothing else.

        What is drawn anew begins with what this person had begun before.
        """
        if fresh := review.key != self._key:
            self._clear()
            (await self.get_state(EditTexts)).texts = {}
            self._key = review.key
            if review.deciding:
                await review._put_back()
        wanted = review._edited
        for slot in [slot for slot in self.trees if slot not in wanted]:
            self.trees = {at: node for at, node in self.trees.items() if at != slot}
        for slot in wanted:
            if (opened := await asyncio.to_thread(review._form, slot)) is None:
                continue
            if slot not in self.trees:
                opened.renew("")
            await self._draw(opened, typed=False)
        if fresh:
            review._weigh()

    async def _draw(self, opened: OpenForm, *, typed: bool) -> None:
        slot, node = opened.slot, await asyncio.to_thread(opened.draw)
        self.trees = {**self.trees, slot: node}
        self.whole = {**self.whole, slot: "" in opened.as_text}
        self.steps = {**self.steps, slot: len(opened.form.edits)}
        self.origins = {**self.origins, slot: origin(opened.form)}
        if typed:
            return
        texts = await self.get_state(EditTexts)
        others = {at: text for at, text in texts.texts.items() if not at.startswith(f"f{slot}:")}
        texts.texts = {**others, **opened.texts}

    @guarded(Permission.DECIDE)
    async def take(self, key: Any, slot: Any, turn: Any, op: Any, pointer: Any, text: Any) -> None:
        """One step at one field. A step drawn before its field was exchanged is not taken, only redrawn."""
        review = await self.get_state(Review)
        if not review._is_drawn(key):
            return
        at, verb = review._slot(slot), parse.one_of(op, STEPS)
        where, what = parse.text(pointer, POINTER_CAP), parse.text(text, EDIT_CAP)
        drawn = parse.whole(turn)
        opened = review._form(at)
        if opened is None:
            return
        fits = False
        try:
            fits = await asyncio.to_thread(opened.take, verb, where, what, drawn)
        except Refused as refusal:
            (await self.get_state(Tab))._say(
                "That step cannot be taken", f"{str(refusal)[:1].upper()}{str(refusal)[1:]}.", "amber"
            )
        await self._draw(opened, typed=verb == "set" and fits)
        if fits and verb != "set":
            self._focused += 1
            self.focus = json.dumps([self._focused, *opened.focus])
        review._keep(opened)
        review._weigh()
