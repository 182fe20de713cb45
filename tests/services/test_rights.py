"""Who may do what, and that what somebody may not see does not exist for them."""

from __future__ import annotations

from typing import Any

import pytest

from console.domain.errors import Forbidden, NotFound, Unauthenticated
from console.services import accounts, audit, chat, decide, inbox
from console.services.observe import observe
from console.services.tokens import actor_of_token
from tests.services.world import APPROVE, World, demo_deps


@pytest.mark.parametrize("name", ["quinn", "ada", "mallory"])
def test_only_supervisors_decide_and_speak(world: World, name: str) -> None:
    review = world.pause("Refund A-2048 699")
    actor = world.cast[name]
    with pytest.raises(Forbidden):
        world.decide(review, APPROVE, by=name)
    with pytest.raises(Forbidden):
        # Role before anything else: not even whether the review exists is told.
        decide.decide(world.deps, actor, "0" * 32, version=1, digest="", decisions=[APPROVE])
    with pytest.raises(Forbidden):
        chat.start(world.deps, actor, None, "hello")
    with pytest.raises(Forbidden):
        chat.say(world.deps, actor, "support", review.thread_id, "hello")
    with pytest.raises(Forbidden):
        chat.retry(world.deps, actor, "support", review.thread_id)
    assert world.review(review.id).status == "open"


def test_without_a_role_one_sees_nothing(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    mallory = world.cast["mallory"]
    looks: list[Any] = [
        lambda: inbox.queue(world.deps, mallory),
        lambda: inbox.review(world.deps, mallory, review.id),
        lambda: inbox.thread_reviews(world.deps, mallory, "support", review.thread_id),
        lambda: chat.thread(world.deps, mallory, review.thread_id),
        lambda: chat.threads_recent(world.deps, mallory),
        lambda: chat.messages(world.deps, mallory, "support", review.thread_id),
        lambda: chat.values(world.deps, mallory, "support", review.thread_id),
        lambda: audit.log(world.deps, mallory),
    ]
    for look in looks:
        with pytest.raises(Forbidden):
            look()


def test_supervisors_see_their_own_acts_and_the_outcomes_of_their_own_decisions(world: World) -> None:
    review = world.pause("Refund A-2048 699")
    world.decide(review, APPROVE, by="sue")
    world.wait_settled(review.id)
    assert [row.kind for row in world.ledger(by="sue")] == ["decided", "settled"]
    assert {row.actor for row in world.ledger(by="sam")} == {"sam"}
    assert "settled" not in {row.kind for row in world.ledger(by="sam")}
    assert {row.kind for row in world.ledger(by="quinn")} >= {
        "opened",
        "decided",
        "settled",
        "thread_started",
    }


def test_what_is_not_visible_does_not_exist(folder: Any, worlds: Any) -> None:
    world: World = worlds(demo_deps(folder, visible={"support": ("sam", "ada")}), "support")
    with world.worker():
        review = world.pause("Refund A-2048 699")
    sue, deps, thread_id = world.cast["sue"], world.deps, review.thread_id
    looks: list[Any] = [
        lambda: inbox.review(deps, sue, review.id),
        lambda: world.decide(review, APPROVE, by="sue"),
        lambda: world.decide(review, APPROVE, by="sue", idempotency_key="k"),
        lambda: chat.thread(deps, sue, thread_id),
        lambda: chat.thread(deps, sue, thread_id, "support"),
        lambda: chat.messages(deps, sue, "support", thread_id),
        lambda: chat.values(deps, sue, "support", thread_id),
        lambda: chat.say(deps, sue, "support", thread_id, "hello"),
        lambda: chat.retry(deps, sue, "support", thread_id),
        lambda: chat.start(deps, sue, None, "hello"),
        lambda: chat.start(deps, sue, "support", "hello"),
    ]
    for look in looks:
        with pytest.raises(NotFound):
            look()
    assert world.queue(by="sue") == world.queue(by="sue", source="support") == []
    assert inbox.queue(deps, sue).total == 0
    assert inbox.thread_reviews(deps, sue, "support", thread_id) == []
    assert chat.threads_recent(deps, sue) == []
    assert not [row for row in world.ledger(by="quinn") if row.thread_id or row.review_id]
    assert [row.kind for row in world.ledger(by="ada", review=review.id)] == ["opened"]
    observe(deps, "support", thread_id)
    assert world.review(review.id).status == "open"


def test_half_a_character_finds_nobody_and_nothing(idle: World) -> None:
    with pytest.raises(Unauthenticated):
        accounts.sign_in(idle.deps, "sam\ud800", "demo", "192.0.2.1")
    with pytest.raises(Unauthenticated):
        accounts.sign_in(idle.deps, "sam", "demo\ud800", "192.0.2.1")
    assert accounts.actor_of_session(idle.deps, "\ud800") is None
    assert actor_of_token(idle.deps, "\ud800") is None
    given: Any
    for name in ("kind", "actor_name", "tool", "thread", "review", "outcome"):
        given = {name: "\ud800"}
        assert audit.log(idle.deps, idle.cast["ada"], **given).items == []
    for name in ("source", "thread", "tool"):
        given = {name: "\ud800"}
        assert inbox.queue(idle.deps, idle.cast["sam"], **given).items == []
    for source, thread_id in (("support", "\ud800"), ("\ud800", "t")):
        assert inbox.thread_reviews(idle.deps, idle.cast["sam"], source, thread_id) == []
        with pytest.raises(NotFound):
            chat.messages(idle.deps, idle.cast["sam"], source, thread_id)
