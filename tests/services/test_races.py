"""Many people and several processes at one review: one verdict wins, and a tool runs at most once for it."""

from __future__ import annotations

import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from console.domain.errors import Conflict
from console.services import chat
from tests.services.processes import CONTEXT, join, process, race, work
from tests.services.world import APPROVE, PATIENCE, REJECT, SUPPORT, World, rows, wait_for

# Few reviews: tests.faults.race has the many, with less said of each.
REVIEWS, PEOPLE = 6, 16


def open_many(world: World, count: int) -> list[Any]:
    with world.worker():
        started = [world.start("Refund A-2048 699") for _ in range(count)]
        for thread_id in started:
            world.wait_status(thread_id, "paused")
    return [world.reviews(thread_id)[0] for thread_id in started]


def test_sixteen_people_in_two_processes_have_one_winner_each_and_one_refund_at_most(idle: World) -> None:
    reviews = open_many(idle, REVIEWS)
    pairs = [(review.id, review.digest) for review in reviews]
    start, told = CONTEXT.Barrier(PEOPLE), CONTEXT.Queue()
    with (
        process(race, idle.folder, pairs, True, start, told) as one,
        process(race, idle.folder, pairs, False, start, told) as two,
    ):
        attempts = told.get(timeout=3 * PATIENCE) + told.get(timeout=3 * PATIENCE)
        join(one, two)
    assert len(attempts) == REVIEWS * PEOPLE
    won = {each[0]: each for each in attempts if each[1] == "won"}
    assert Counter(each[1] for each in attempts) == {"won": REVIEWS, "lost": REVIEWS * (PEOPLE - 1)}
    assert set(won) == {review.id for review in reviews}
    for review_id, _, by, at, _ in attempts:
        assert (by, at) == won[review_id][2:4]

    decisions = {
        row[0]: row[1:] for row in idle.table("SELECT review_id, id, body_text, actor_name FROM decision")
    }
    assert len(decisions) == REVIEWS
    refunds = rows(idle.folder / "shop.db", "SELECT thread_id, decision_id, amount FROM refunds")
    assert len({thread for thread, *_ in refunds}) == len(refunds)
    by_decision = {decision: amount for _, decision, amount in refunds}
    for review in reviews:
        decision_id, body, by = decisions[review.id]
        assert (decision_id, by) == (won[review.id][4], won[review.id][2])
        (said,) = json.loads(body)["decisions"]
        wanted = {"approve": 699.0, "reject": None}.get(said["type"], 0)
        if said["type"] == "edit":
            wanted = float(said["edited_action"]["args"]["amount"])
        assert by_decision.get(decision_id) == wanted
        settled = idle.review(review.id)
        assert (settled.status, settled.decided_by) == ("settled", by)
        kinds = Counter(idle.kinds(review.id))
        assert kinds == {"opened": 1, "decided": 1, "dispatched": 1, "settled": 1, "lost": PEOPLE - 1}


def test_two_workers_on_the_same_files_resume_each_review_once(idle: World) -> None:
    reviews = open_many(idle, 10)
    stop, ready = CONTEXT.Event(), [CONTEXT.Event(), CONTEXT.Event()]
    with (
        process(work, idle.folder, SUPPORT, ready[0], stop) as one,
        process(work, idle.folder, SUPPORT, ready[1], stop) as two,
    ):
        assert all(each.wait(PATIENCE) for each in ready)
        for review in reviews:
            idle.decide(review, APPROVE)
        for review in reviews:
            idle.wait_settled(review.id)
        stop.set()
        join(one, two)
    assert len(idle.refunds()) == len(reviews)
    for review in reviews:
        assert Counter(idle.kinds(review.id)) == {"opened": 1, "decided": 1, "dispatched": 1, "settled": 1}
        assert [row[2] for row in idle.journal(review.thread_id)] == ["ok"]


def test_one_key_sent_by_many_at_once_has_one_answer(idle: World) -> None:
    (review,) = open_many(idle, 1)
    start = threading.Barrier(8)

    def send(_: int) -> Any:
        start.wait(PATIENCE)
        return idle.decide(review, APPROVE, idempotency_key="k")

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    assert len({each.decision_id for each in answers}) == 1
    assert idle.table("SELECT count(*) FROM decision") == [(1,)]
    assert idle.kinds(review.id) == ["opened", "decided"]


def test_a_message_and_a_verdict_at_once_do_not_cross(idle: World) -> None:
    """Whatever is first, the message never discards the pause."""
    (review,) = open_many(idle, 1)
    start = threading.Barrier(4)

    def send(number: int) -> str:
        start.wait(PATIENCE)
        try:
            if number % 2:
                idle.decide(review, REJECT)
            else:
                chat.say(idle.deps, idle.cast["sam"], SUPPORT, review.thread_id, "hello")
        except Conflict as lost:
            return lost.reason
        return "done"

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(send, range(4)))
    assert Counter(results) == {"done": 1, "already-decided": 1, "thread-paused": 2}
    with idle.worker():
        wait_for(lambda: idle.review(review.id).status == "settled")
