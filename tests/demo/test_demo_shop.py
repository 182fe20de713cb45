"""The shop keeps one row for one act, whoever asks and however often."""

from __future__ import annotations

import math
import multiprocessing
import sqlite3
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.demo.shop import (
    Act,
    Refund,
    ShopRefusal,
    change_address,
    find_order,
    money_text,
    open_shop,
    refund,
    send_message,
)


@pytest.fixture
def shop(shop_path: Path) -> Path:
    return open_shop(shop_path)


def rows(shop: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(shop)) as db:
        return db.execute(sql).fetchall()


def refund_many(job: tuple[Path, int]) -> int:
    """Opens the shop and makes twenty refunds, half of them of keys that every process uses."""
    path, process = job
    open_shop(path)
    for number in range(10):
        refund(path, Act("shared", f"call-{number}"), "A-2048", 1.0)
        refund(path, Act(f"own-{process}", f"call-{number}"), "A-2049", 1.0)
    return process


def test_opening_twice_keeps_what_happened(shop: Path) -> None:
    change_address(shop, Act("t", "c1"), "A-1003", "5 Elm Road")
    refund(shop, Act("t", "c2"), "A-2048", 10.0)
    open_shop(shop)
    assert find_order(shop, "A-1003")["address"] == "5 Elm Road"
    assert rows(shop, "SELECT count(*) FROM refunds") == [(1,)]


def test_the_promised_orders_are_there(shop: Path) -> None:
    found = dict(rows(shop, "SELECT order_id, total FROM orders"))
    assert (found["A-2048"], found["A-2049"]) == (699.0, 450.0)
    assert find_order(shop, "A-4040")["state"] == "closed"
    assert len(found) >= 10
    assert rows(shop, "SELECT DISTINCT currency FROM orders") == [("CNY",)]
    assert rows(shop, "PRAGMA journal_mode") == [("wal",)]


def test_a_repeated_refund_answers_with_its_first_row(shop: Path) -> None:
    act = Act("t", "c", "decision-1")
    first = refund(shop, act, "A-2048", 699.0)
    refund(shop, Act("t", "other"), "A-2048", 5.0)
    again = refund(shop, act, "A-2049", 450.0)
    assert again == first == Refund("A-2048", 699.0, 699.0, 0, Decimal(0))
    assert rows(shop, "SELECT amount, decision_id FROM refunds WHERE tool_call_id = 'c'") == [
        (699.0, "decision-1")
    ]


def test_the_key_is_thread_and_call_together(shop: Path) -> None:
    refund(shop, Act("t1", "c"), "A-2048", 1.0)
    second = refund(shop, Act("t2", "c"), "A-2048", 2.0)
    assert (second.earlier_count, second.earlier_sum) == (1, Decimal("1.0"))


@pytest.mark.parametrize("amount", [math.nan, math.inf, -math.inf, -5.0, 0.0])
def test_an_impossible_amount_is_refused(shop: Path, amount: float) -> None:
    with pytest.raises(ShopRefusal, match="positive number"):
        refund(shop, Act("t", "c"), "A-2048", amount)
    assert rows(shop, "SELECT count(*) FROM refunds") == [(0,)]


@pytest.mark.parametrize(("order", "why"), [("A-4040", "order closed"), ("X-1234", "no order X-1234")])
def test_a_refusal_says_exactly_why(shop: Path, order: str, why: str) -> None:
    with pytest.raises(ShopRefusal) as refusal:
        refund(shop, Act("t", "c"), order, 10.0)
    assert str(refusal.value) == why


@pytest.mark.parametrize("do", [change_address, send_message])
def test_messages_and_addresses_happen_once_and_are_never_empty(
    shop: Path, do: Callable[[Path, Act, str, str], str]
) -> None:
    assert do(shop, Act("t", "c"), "A-1003", "one") == "one"
    assert do(shop, Act("t", "c"), "A-1003", "two") == "one"
    for order, text in [("A-1003", " "), ("X-1234", "one")]:
        with pytest.raises(ShopRefusal):
            do(shop, Act("t", "other"), order, text)
    written = rows(shop, "SELECT address FROM address_changes UNION ALL SELECT text FROM messages_sent")
    assert written == [("one",)]


def test_threads_that_repeat_one_act_make_one_row(shop: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda _: refund(shop, Act("t", "c"), "A-2048", 699.0), range(64)))
    assert len(set(results)) == 1
    assert rows(shop, "SELECT count(*) FROM refunds") == [(1,)]


def test_processes_may_make_and_use_a_new_shop_at_once(shop_path: Path) -> None:
    jobs = [(shop_path, process) for process in range(3)]
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(refund_many, jobs)) == [0, 1, 2]
    counts = rows(shop_path, "SELECT order_id, count(*) FROM refunds GROUP BY order_id ORDER BY order_id")
    assert counts == [("A-2048", 10), ("A-2049", 30)]


@given(st.decimals(min_value="0.01", max_value="999999.99", places=2))
def test_money_text_keeps_every_cent(amount: Decimal) -> None:
    assert money_text(float(amount)) == f"{amount:.2f}"


@given(st.floats(min_value=1e-6, max_value=1e15))
def test_money_text_never_rounds(amount: float) -> None:
    assert float(money_text(amount)) == amount
