"""A customer writes, the agent pauses, everybody sees it at once, sam approves, the shop has the refund."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import shop, stopwatch
from tests.browser.conftest import Figure, SignIn
from tests.serving import Server


@pytest.fixture(scope="module")
def slow(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An agent that writes slowly enough to be watched."""
    env = {"CONSOLE_DEMO_TOKEN_DELAY": "0.05"}
    with Server(tmp_path_factory.mktemp("slow") / "data", env=env) as started:
        yield started


def grows(drafts: list[str], least: int) -> bool:
    """Some message was drawn in at least so many steps, each one adding to the one before."""
    longest = steps = 1
    for before, after in pairwise(drafts):
        steps = steps + 1 if after.startswith(before) else 1
        longest = max(longest, steps)
    return longest >= least


@pytest.mark.parametrize(
    ("sentence", "others", "looked_up", "closing"),
    [
        (
            "Look up order A-2048 and refund 699",
            ("sue", "quinn", "ada"),
            "Order A-2048: wireless headphones, 699.00 CNY",
            "699 CNY has been refunded for order A-2048.",
        ),
        (
            "查询订单 A-2048，并退款 699 元",
            ("sue",),
            "订单 A-2048：wireless headphones，699.00 元",
            "订单 A-2048 已退款 699 元。",
        ),
    ],
    ids=["english", "chinese"],
)
def test_a_refund_from_the_customers_words_to_the_shop(
    slow: Server,
    people: SignIn,
    sentence: str,
    others: tuple[str, ...],
    looked_up: str,
    closing: str,
    figure: Figure,
) -> None:
    watching = [people(name, slow) for name in others]
    for each in watching:
        stopwatch.install(each.page)
        each.open()
        expect(each.test_id("queue-count")).to_be_visible()
    sam = people("sam", slow)
    stopwatch.install(sam.page)
    sam.open()

    ref = sam.begin(sentence)
    expect(sam.messages("human")).to_contain_text(sentence)
    # Seen from the first words on, before anything is decided: what the agent writes, as it writes it.
    sam.expect_status("paused")
    assert grows(stopwatch.drafts(sam.page), least=3), stopwatch.drafts(sam.page)

    # The look-up ran although nobody was asked.
    expect(sam.tool_call("get_order")).to_have_attribute("data-state", "Ran, no review needed")
    expect(sam.messages("ai").last).to_contain_text(looked_up)
    (review,) = sam.reviews(ref)
    written_at = datetime.fromisoformat(review["opened_at"]).timestamp() * 1000
    paused_at = stopwatch.first_seen(sam.page, "status paused")
    for each in [sam, *watching]:
        expect(each.row(ref)).to_have_count(1)
        expect(each.row(ref)).to_contain_text("refund_order")
        expect(each.test_id("queue-count")).to_have_text("1")
        expect(each.test_id("queue-badge")).to_have_text("1")
        expect(each.page).to_have_title("(1) Review Console")
        row_at = stopwatch.first_seen(each.page, f"row {ref}")
        figure(
            f"{each.name}: row {row_at - written_at:+.0f} ms after the pause was written,"
            f" {row_at - paused_at:+.0f} ms after sam saw it"
        )

    expect(sam.test_id("action-card")).to_have_count(1)
    assert shop.refunds(slow, ref) == []
    before = len(stopwatch.drafts(sam.page))
    sam.choose(0, "approve")
    sam.submit()
    expect(sam.messages("ai").last).to_contain_text(closing)
    assert grows(stopwatch.drafts(sam.page)[before:], least=2)
    sam.expect_settled()
    expect(sam.card(0).get_by_test_id("outcome")).to_have_text("ran")
    for each in [sam, *watching]:
        expect(each.row(ref)).to_have_count(0)
        expect(each.test_id("queue-count")).to_have_text("0")
        expect(each.page).to_have_title("Review Console")
    assert shop.refunds(slow, ref) == [("A-2048", 699.0)]


def test_the_panel_shows_the_whole_request_and_only_what_may_be_decided(slow: Server, people: SignIn) -> None:
    sam = people("sam", slow)
    ref = sam.start(
        "Refund A-2048 699 because the box was crushed; ask your supervisor whether that is enough"
    )
    sam.open_thread(ref)

    expect(sam.test_id("action-card")).to_have_count(2)
    refund, question = sam.card(0), sam.card(1)
    expect(refund).to_contain_text("refund_order")
    expect(refund).to_contain_text("Action 1 of 2")
    for pointer, text in {"/order_id": "A-2048", "/amount": "699", "/reason": "the box was crushed"}.items():
        expect(sam.argument(0, pointer)).to_contain_text(text)
    expect(question).to_contain_text("ask_supervisor")
    expect(question).to_contain_text("Action 2 of 2")
    expect(sam.argument(1, "/question")).to_contain_text("whether that is enough")
    offered = {0: ["approve", "edit", "reject"], 1: ["respond"]}
    for position, kinds in offered.items():
        for kind in ("approve", "edit", "reject", "respond"):
            choice = sam.card(position).get_by_test_id(f"decision-{kind}")
            expect(choice).to_have_count(1 if kind in kinds else 0)

    # The agent's own words stand apart, marked as such, and closed until somebody wants to read them.
    words = refund.get_by_test_id("agent-words")
    expect(words).to_contain_text("Written by the agent")
    described = words.get_by_text("Customer asks to refund 699 for order A-2048.")
    expect(described).not_to_be_visible()
    words.locator("summary").click()
    expect(described).to_be_visible()

    expect(sam.submit_button).to_be_disabled()
    expect(sam.test_id("verdict-hint")).to_have_text("Action 1 is undecided")
    sam.choose(0, "reject")
    expect(sam.test_id("verdict-hint")).to_have_text("Action 2 is undecided")
    sam.choose(1, "respond")
    expect(sam.test_id("verdict-hint")).to_have_text("Action 2 needs the answer's text")
    sam.explain(1, "A voucher is enough")
    sam.submit()
    sam.expect_settled()
    expect(sam.messages("ai").last).to_contain_text("My supervisor answered: A voucher is enough")
    assert shop.refunds(slow, ref) == []


def test_what_is_being_written_goes_on_after_a_reload(slow: Server, people: SignIn) -> None:
    """The run belongs to the worker: the tab that began it may go away in the middle."""
    sam = people("sam", slow)
    stopwatch.install(sam.page)
    sam.open()
    ref = sam.begin("Look up order A-2048 and look up A-2049 and look up A-2050")
    sam.page.reload()
    expect(sam.messages("ai").last).to_contain_text("Order A-2050")
    sam.expect_status("idle")
    assert stopwatch.drafts(sam.page), "the page was back before the agent had ended"
    texts = sam.messages("ai").all_inner_texts()
    assert len(texts) == len(set(texts)), "no words stand there twice"
    expect(sam.test_id("chat-draft")).to_have_count(0)
    assert sam.read(f"/threads/{ref}")["status"] == "idle"
