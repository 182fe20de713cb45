"""Two people, one review: one verdict counts, and the other person is told whose it was."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from playwright.sync_api import WebSocketRoute, expect

from console.demo.agent import build
from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.serving import Server


def both_ready(people: SignIn) -> tuple[Desk, Desk, str]:
    """sam would approve, sue would reject, and neither has submitted."""
    sam, sue = people("sam"), people("sue")
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    sue.open_thread(ref)
    sam.choose(0, "approve")
    sue.choose(0, "reject")
    for each in (sam, sue):
        expect(each.submit_button).to_be_enabled()
    return sam, sue, ref


def test_of_two_at_the_same_moment_one_wins_and_the_other_is_told(server: Server, people: SignIn) -> None:
    sam, sue, ref = both_ready(people)
    at = time.time() * 1000 + 600
    for each in (sam, sue):
        each.submit_button.evaluate("(button, at) => setTimeout(() => button.click(), at - Date.now())", at)
    sam.wait_for(ref, "idle")
    (review,) = sam.reviews(ref, "settled")
    winner, loser = (sam, sue) if review["decided_by"] == "sam" else (sue, sam)
    expect(winner.test_id("notice")).to_contain_text("Verdict recorded")
    expect(loser.test_id("notice")).to_contain_text(f"{winner.name.capitalize()} decided this first")
    expect(loser.test_id("notice")).to_contain_text("not recorded")
    for each in (sam, sue):
        expect(each.test_id("decided")).to_contain_text(f"by {winner.name}")
        expect(each.test_id("submit-verdict")).to_have_count(0)
    assert shop.refunds(server, ref) == ([("A-2048", 699.0)] if winner is sam else [])


@contextmanager
def late_answers(desk: Desk) -> Iterator[Callable[[], None]]:
    """The server's messages wait outside the page until `hold()` has been called and the block ends."""
    held: list[tuple[WebSocketRoute, str | bytes]] = []
    holding = False

    def join(page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()
        page_side.on_message(lambda message: server_side.send(message))
        server_side.on_message(
            lambda message: held.append((page_side, message)) if holding else page_side.send(message)
        )

    def hold() -> None:
        nonlocal holding
        holding = True

    desk.page.route_web_socket(re.compile("/_event"), join)
    yield hold
    holding = False
    for page_side, message in held:
        page_side.send(message)


def test_who_submits_before_the_others_verdict_is_drawn_is_told_too(server: Server, people: SignIn) -> None:
    sam, sue = people("sam"), people("sue")
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    with late_answers(sue) as hold:
        sue.open_thread(ref)
        sue.choose(0, "reject")
        expect(sue.submit_button).to_be_enabled()
        hold()
        sam.choose(0, "approve")
        sam.submit()
        sam.expect_settled()
        # What sue sees is old by now; the server knows better.
        sue.submit()
        sue.page.wait_for_timeout(300)
    expect(sue.test_id("decided")).to_contain_text("by sam")
    expect(sue.test_id("notice")).to_contain_text("Sam decided this first", timeout=5_000)
    assert shop.refunds(server, ref) == [("A-2048", 699.0)]


def test_the_looking_on_panel_turns_into_the_verdict(people: SignIn) -> None:
    sam, sue, ref = both_ready(people)
    sam.submit()
    expect(sue.test_id("decided")).to_contain_text("by sam")
    expect(sue.test_id("submit-verdict")).to_have_count(0)
    sue.page.keyboard.press("Control+Enter")
    sue.expect_settled()
    expect(sue.messages("ai").last).to_contain_text("699 CNY has been refunded")
    assert len(sue.reviews(ref, "settled")) == 1


def answer_outside(server: Server, ref: str, interrupt_id: str) -> None:
    """Another program, on the same checkpoints, that knows nothing of the console."""
    with SqliteSaver.from_conn_string(str(server.data / "checkpoints.db")) as saver:
        graph = build(server.data / "shop.db", token_delay=0)
        graph.checkpointer = saver
        answer = {interrupt_id: {"decisions": [{"type": "reject", "message": "Answered elsewhere"}]}}
        graph.invoke(Command(resume=answer), {"configurable": {"thread_id": ref}})


def test_a_request_answered_elsewhere_reloads_the_panel_with_a_notice(server: Server, people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699")
    (review,) = sam.reviews(ref)
    sam.open_thread(ref)
    sam.choose(0, "approve")
    answer_outside(server, ref, review["interrupt_id"])
    sam.submit()
    expect(sam.test_id("notice")).to_contain_text(
        re.compile("changed|moved on|outside|elsewhere", re.IGNORECASE)
    )
    expect(sam.test_id("review-status")).to_contain_text("The thread moved on")
    expect(sam.test_id("submit-verdict")).to_have_count(0)
    expect(sam.row(ref)).to_have_count(0)
    expect(sam.messages("ai").last).to_contain_text("Answered elsewhere")
    sam.expect_status("idle")
    assert shop.refunds(server, ref) == []


def test_a_decision_with_an_old_digest_is_409_and_says_stale(people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699")
    (review,) = sam.reviews(ref)
    for old in ({"version": review["version"] + 1}, {"digest": "0" * 64}):
        answer = sam.decide({**review, **old}, {"type": "approve"})
        assert answer.status == 409
        assert answer.json()["stale"] is True
    assert sam.decide(review, {"type": "reject"}).status == 202
