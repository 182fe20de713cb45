"""Masked values on the log's page: hidden, shown by an act, and hidden again."""

from __future__ import annotations

import pytest

from console.domain.ledger import Kind
from console.features.audit.state import Audit
from console.settings import PrivacySettings
from tests.services.world import World
from tests.ui.pipeline import Pipeline
from tests.ui.test_audit_desk import checks, opened

__all__ = ["checks"]
SECRET = "699"


@pytest.fixture
def seq(desk: World) -> int:
    """The entry that opened the review of a refund whose amount is masked from here on."""
    object.__setattr__(desk.deps.settings, "privacy", PrivacySettings(mask=("/amount",)))
    return next(each.seq for each in desk.ledger() if each.kind == Kind.OPENED)


def amounts(page: Audit) -> list[str]:
    lines = [line for side in page.detail.sides for line in side.lines if line.key == "amount"]
    return ["".join(part.text for part in line.proposed.parts) for line in lines]


def acts(desk: World) -> list[str]:
    return [each.actor for each in desk.ledger() if each.kind == Kind.UNMASKED]


async def test_an_entry_is_masked_until_it_is_shown_and_after_it_is_opened_anew(
    pipeline: Pipeline, desk: World, seq: int
) -> None:
    page = await opened(pipeline, "quinn", f"/audit?entry={seq}")
    assert (amounts(page), page.detail.masked, page.detail.whole) == (["••••"], "/amount", False)
    await pipeline.send("tab", Audit.unmask, path=f"/audit?entry={seq}")
    page = await pipeline.state("tab", Audit)
    assert (amounts(page), page.detail.whole) == ([SECRET], True)
    assert acts(desk) == ["quinn"]
    await pipeline.send("tab", Audit.refresh, path=f"/audit?entry={seq}")
    assert amounts(await pipeline.state("tab", Audit)) == [SECRET]
    page = await opened(pipeline, "quinn", f"/audit?entry={seq}")
    assert amounts(page) == ["••••"]


async def test_what_hides_nothing_is_shown_by_no_act(pipeline: Pipeline, desk: World) -> None:
    await opened(pipeline, "ada", "/audit?entry=1")
    await pipeline.send("tab", Audit.unmask, path="/audit?entry=1")
    assert acts(desk) == []


async def test_without_a_role_nothing_is_shown(pipeline: Pipeline, desk: World, seq: int) -> None:
    await opened(pipeline, "mallory", f"/audit?entry={seq}")
    await pipeline.send("tab", Audit.unmask, path=f"/audit?entry={seq}")
    assert acts(desk) == []
    assert SECRET not in pipeline.sent_to("tab")
