"""Arguments that `[privacy] mask` names are hidden wherever they are read, but not from who is to decide."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from console.cli import app
from console.domain.errors import Conflict, Forbidden, NotFound, Unavailable
from console.domain.ledger import Kind
from console.domain.masks import HIDDEN
from console.services import audit, chat, inbox, masks, unmask
from console.services.deps import Deps
from console.services.views import ReviewView
from console.settings import PrivacySettings, load_settings
from console.settings_file import SettingsError
from tests.services.world import World, demo_deps, edit

SECRET, OTHER = "Elm Street 7", "Oak Street 9"
TEXT = f"Change the address of A-2048 to {SECRET}"
Worlds = Callable[[Deps, str], World]


@pytest.fixture
def world(folder: Path, worlds: Worlds) -> Iterator[World]:
    made = demo_deps(folder)
    privacy = PrivacySettings(mask=("/address",))
    object.__setattr__(made.settings, "privacy", privacy)
    world = worlds(made, "support")
    with world.worker():
        yield world


@pytest.fixture
def review(world: World) -> ReviewView:
    found = world.pause(TEXT)
    assert SECRET in found.actions[0].args_text
    return found


def test_whoever_may_decide_sees_the_request_whole_and_nobody_else(world: World, review: ReviewView) -> None:
    """What is not shown cannot be approved."""
    for name in ("sam", "sue"):
        assert SECRET in world.review(review.id, by=name).actions[0].args_text
    for name in ("quinn", "ada"):
        shown = world.review(review.id, by=name)
        assert SECRET not in repr(shown.actions)
        assert json.loads(shown.actions[0].args_text)["address"] == HIDDEN
        assert shown.actions[0].masked == ["/address"]
        assert shown.digest == review.digest


def test_it_is_hidden_from_everyone_in_the_chat(world: World, review: ReviewView) -> None:
    shown = chat.messages(world.deps, world.cast["sam"], "support", review.thread_id)
    calls = [call for each in shown.items for call in each.tool_calls]
    assert [json.loads(each.args_text)["address"] for each in calls] == [HIDDEN]
    blocks = [block for each in shown.items for block in each.blocks if block["type"] == "tool_call"]
    assert [each["args"]["address"] for each in blocks] == [HIDDEN]


def test_it_is_hidden_from_everyone_once_it_is_decided(world: World, review: ReviewView) -> None:
    world.decide(review, edit("update_shipping_address", order_id="A-2048", address=OTHER))
    world.wait_settled(review.id)
    for name in ("sam", "quinn", "ada"):
        shown = world.review(review.id, by=name)
        assert SECRET not in repr(shown.actions)
        assert OTHER not in repr(shown.actions)
        assert json.loads(shown.actions[0].final_args_text)["address"] == f"{HIDDEN} 2"


def test_the_log_hides_it_and_still_shows_where_it_was_changed(world: World, review: ReviewView) -> None:
    world.decide(review, edit("update_shipping_address", order_id="A-2048", address=OTHER))
    world.wait_settled(review.id)
    page = audit.log(world.deps, world.cast["ada"], limit=200)
    assert SECRET not in repr(page)
    assert OTHER not in repr(page)
    (decided,) = (each for each in page.items if each.kind == Kind.DECIDED)
    found = audit.entry(world.deps, world.cast["ada"], decided.seq)
    assert SECRET not in repr(found)
    (side,) = found.sides
    texts = (side.proposed_args, side.decided_args, side.executed_args)
    assert [json.loads(each)["address"] for each in texts] == [HIDDEN, f"{HIDDEN} 2", f"{HIDDEN} 2"]
    assert found.masked == ["/address"]
    assert side.ran_as_decided


@pytest.mark.parametrize("name", ["quinn", "ada"])
def test_showing_it_is_an_act_of_its_own_each_time(world: World, review: ReviewView, name: str) -> None:
    for times in (1, 2):
        shown = unmask.review(world.deps, world.cast[name], review.id)
        assert SECRET in shown.actions[0].args_text
        entries = [each for each in world.ledger() if each.kind == Kind.UNMASKED]
        assert len(entries) == times
    assert (entries[-1].actor, entries[-1].review_id) == (name, review.id)
    assert (entries[-1].body["pointers"], entries[-1].body["version"]) == ("/address", review.version)
    assert SECRET not in repr(entries)


def test_an_entry_of_the_log_is_shown_whole_by_an_entry(world: World, review: ReviewView) -> None:
    world.decide(review, {"type": "reject", "message": "no"})
    decided = next(each for each in world.ledger() if each.kind == Kind.DECIDED)
    assert SECRET in repr(unmask.entry(world.deps, world.cast["quinn"], decided.seq))
    (entry,) = (each for each in world.ledger() if each.kind == Kind.UNMASKED)
    assert (entry.actor, entry.body["unmasked_seq"], entry.what) == (
        "quinn",
        decided.seq,
        "Masked values shown: /address",
    )


def test_who_has_no_role_is_shown_nothing(world: World, review: ReviewView) -> None:
    decided = world.ledger()[-1]
    for act, what in ((unmask.review, review.id), (unmask.entry, decided.seq)):
        with pytest.raises(Forbidden):
            act(world.deps, world.cast["mallory"], what)  # type: ignore[operator]
    with pytest.raises(NotFound):
        unmask.review(world.deps, world.cast["ada"], "0" * 32)
    assert [each for each in world.ledger() if each.kind == Kind.UNMASKED] == []


def test_what_is_not_hidden_from_somebody_needs_no_act(world: World, review: ReviewView) -> None:
    with pytest.raises(Conflict, match="hidden"):
        unmask.review(world.deps, world.cast["sam"], review.id)


def test_nothing_is_shown_that_cannot_be_recorded(
    world: World, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: Any) -> Any:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(unmask.ledger, "append", full)
    with pytest.raises(Unavailable):
        unmask.review(world.deps, world.cast["ada"], review.id)


def test_a_number_that_is_masked_does_not_stand_in_the_queue(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    (row,) = inbox.queue(world.deps, world.cast["sam"]).items
    assert row.headline == "699"
    object.__setattr__(world.deps.settings, "privacy", PrivacySettings(mask=("/amount",)))
    (row,) = inbox.queue(world.deps, world.cast["sam"]).items
    assert (row.id, row.headline) == (review.id, "")


def test_the_commands_hide_it_too(world: World, review: ReviewView, folder: Path) -> None:
    (folder / "console.toml").write_text('[privacy]\nmask = ["/address"]\n')
    given = ["--data", str(folder), "--config", str(folder / "console.toml")]
    plain = CliRunner().invoke(app, ["reviews", "show", review.id, *given])
    assert plain.exit_code == 0
    assert SECRET not in plain.output
    shown = CliRunner().invoke(app, ["reviews", "show", review.id, "--unmask", *given])
    assert SECRET in shown.output
    (entry,) = (each for each in world.ledger() if each.kind == Kind.UNMASKED)
    assert entry.via == "cli"


def test_what_cannot_be_looked_through_is_hidden_whole() -> None:
    masking = masks.of_patterns(("/card",))
    assert masks.text(masking, '{"card": ' + "9" * 5_000 + "}") == (
        json.dumps(HIDDEN, ensure_ascii=False),
        ["/"],
    )
    assert masks.text(masking, "") == ("", [])
    assert masks.text(masking, "null") == ("null", [])


@pytest.mark.parametrize("pattern", ["card", "", "/", "/a//b", "/~2", "/a/"])
def test_a_pattern_that_hides_nothing_is_refused(tmp_path: Path, pattern: str) -> None:
    config = tmp_path / "console.toml"
    config.write_text(f'[privacy]\nmask = ["{pattern}"]\n')
    with pytest.raises(SettingsError, match=r"privacy\.mask"):
        load_settings(config, tmp_path)


def test_without_patterns_nothing_is_touched(folder: Path, worlds: Worlds) -> None:
    assert masks.of(demo_deps(folder)) is None
