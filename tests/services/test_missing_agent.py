"""A console whose agent cannot be loaded starts: what it knows of that source waits, and all else goes on."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from console.compose import compose
from console.domain.errors import Unavailable
from console.services import chat
from console.services.worker import running
from console.settings import Settings, SourceSettings
from console.settings_file import SettingsError, sqlite_url
from tests.services.world import APPROVE, SUPPORT, World, cast_of, demo_deps, wait_for

DEMO = "console.demo.agent:graph"


def settings_of(folder: Path, graph: str | None, **more: object) -> Settings:
    kept = sqlite_url(folder / "checkpoints.db")
    sources = {SUPPORT: SourceSettings(graph=graph, checkpoints=kept)} if graph else {}
    # Without `demo` no source is made up for one that is named no more.
    return Settings(data=folder, sources=sources, **more)  # type: ignore[arg-type]


@pytest.fixture
def decided(idle: World) -> str:
    """A review that was decided, and whose console then stopped."""
    with idle.worker():
        review = idle.pause("Refund A-2048 699")
    idle.decide(review, APPROVE)
    return review.id


@pytest.mark.parametrize("graph", ["nowhere.at.all:graph", "./no_file.py:graph", None])
def test_its_verdicts_wait_and_it_says_so(
    idle: World, decided: str, graph: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "console")
    made = compose(settings_of(idle.folder, graph))
    with running(made):
        wait_for(lambda: "1 decided reviews of the source support wait" in caplog.text)
    assert idle.review(decided).status == "decided"
    assert idle.table("SELECT state, attempts FROM outbox WHERE kind = 'resume'") == [("ready", 0)]
    made.engine.dispose()
    with running(demo_deps(idle.folder)):
        assert idle.wait_settled(decided).outcome == "ran"
    assert len(idle.refunds()) == 1


def test_its_threads_say_why_they_cannot_be_read(idle: World, decided: str) -> None:
    made = compose(settings_of(idle.folder, "nowhere.at.all:graph"))
    thread_id = idle.review(decided).thread_id
    with pytest.raises(Unavailable, match="nowhere"):
        chat.messages(made, cast_of(made)["sam"], SUPPORT, thread_id)
    made.engine.dispose()


@pytest.mark.parametrize(
    ("rule", "key"),
    [({"four_eyes": True}, "four_eyes"), ({"risk": "high"}, "risk"), ({"deadline": "30m"}, "deadline")],
)
def test_a_rule_that_is_not_kept_is_refused(tmp_path: Path, rule: dict[str, object], key: str) -> None:
    policy = {"tools": {"refund_order": rule}}
    with pytest.raises(SettingsError, match=f"policy.tools.refund_order.{key} is not kept"):
        compose(settings_of(tmp_path, DEMO, policy=policy))


def test_a_rule_that_is_kept_is_accepted(tmp_path: Path) -> None:
    policy = {"tools": {"refund_order": {"idempotent": True}}}
    made = compose(settings_of(tmp_path, DEMO, policy=policy))
    assert made.settings.policy.tools["refund_order"].idempotent
    made.engine.dispose()
