"""Threads over REST."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import World, problem_of


async def test_starting_a_thread_says_where_it_is(world: World) -> None:
    async with world.client("sam") as client:
        answer = await client.post(
            "/api/v1/threads", json={"source": "support", "message": "Look up order A-2048"}
        )
        assert answer.status_code == 201, answer.text
        started = answer.json()
        assert {"source", "thread_id", "thread_ref", "status"} <= set(started)
        read = await client.get(answer.headers["location"])
    assert read.json()["thread_id"] == started["thread_id"]


async def test_the_only_source_need_not_be_named(world: World) -> None:
    async with world.client("sam") as client:
        started = await client.post("/api/v1/threads", json={"message": "Look up order A-2048"})
    assert started.json()["source"] == "support"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/message"),
        ({"message": 5}, "/message"),
        ({"message": "x" * 10_001}, "/message"),
        ({"message": "hi", "sauce": "x"}, "/sauce"),
        ({"message": "hi", "source": None}, "/source"),
        ({"message": "half \ud83d"}, "/message"),
        ({"message": ""}, "/message"),
        ({"message": " \n"}, "/message"),
    ],
)
async def test_a_wrong_start_is_pointed_at(world: World, body: dict[str, Any], pointer: str) -> None:
    async with world.client("sam") as client:
        sent = problem_of(await client.post("/api/v1/threads", content=json.dumps(body)), 422)
    assert [error["pointer"] for error in sent["errors"]] == [pointer]


async def test_an_unknown_source_is_404(world: World) -> None:
    async with world.client("sam") as client:
        problem_of(await client.post("/api/v1/threads", json={"source": "other", "message": "hi"}), 404)


async def test_a_thread_has_its_status_and_values(world: World) -> None:
    async with world.client("quinn") as client:
        thread = (await client.get(f"/api/v1/threads/{world.thread_ref}")).json()
    assert thread["status"] == "paused"
    assert thread["thread_ref"] == world.thread_ref
    assert isinstance(thread["values"], dict)


async def test_messages_come_in_order_with_their_calls(world: World) -> None:
    async with world.client("quinn") as client:
        sent = (await client.get(f"/api/v1/threads/{world.thread_ref}/messages")).json()
    assert [message["role"] for message in sent["items"]][:2] == ["human", "ai"]
    call = sent["items"][-1]["tool_calls"][0]
    assert (call["name"], call["args"]["order_id"]) == ("refund_order", "A-2048")


@pytest.mark.parametrize("rest", ["", "/messages"])
@pytest.mark.parametrize("ref", ["unknown", "~dW5rbm93bg", "~", "~!", "a b", "%00", "~gA", ".x", "a" * 200])
async def test_an_unknown_thread_is_404(world: World, ref: str, rest: str) -> None:
    async with world.client("sam") as client:
        problem_of(await client.get(f"/api/v1/threads/{ref}{rest}"), 404)
        if rest:
            problem_of(await client.post(f"/api/v1/threads/{ref}{rest}", json={}), 404)


async def test_the_wrong_source_is_404(world: World) -> None:
    async with world.client("sam") as client:
        problem_of(await client.get(f"/api/v1/threads/{world.thread_ref}?source=other"), 404)


async def test_a_message_into_a_paused_thread_is_409(world: World) -> None:
    """It would silently discard the approval that is pending."""
    async with world.client("sam") as client:
        answer = await client.post(f"/api/v1/threads/{world.thread_ref}/messages", json={"text": "hurry up"})
        problem_of(answer, 409)
        review = await client.get(f"/api/v1/reviews/{world.review_id}")
    assert review.json()["status"] == "open"


@pytest.mark.parametrize("body", [{}, {"text": None}, {"text": "hi", "role": "ai"}, []])
async def test_a_wrong_message_is_422(world: World, body: Any) -> None:
    async with world.client("sam") as client:
        problem_of(await client.post(f"/api/v1/threads/{world.thread_ref}/messages", json=body), 422)


async def test_a_pause_is_closed_and_a_second_time_refused(world: World) -> None:
    address = f"/api/v1/reviews/{world.review_id}/cancel"
    async with world.client("sam") as client:
        answer = await client.post(address, json={"reason": "called back"})
        again = await client.post(address, json={})
        review = (await client.get(f"/api/v1/reviews/{world.review_id}")).json()
    assert (answer.status_code, answer.json()["status"]) == (202, "running")
    assert problem_of(again, 409)["type"].endswith(":closed")
    assert review["status"] == "cancelled"


@pytest.mark.parametrize("address", ["/api/v1/reviews/{review}/resolve", "/api/v1/threads/{ref}/resolve"])
async def test_only_what_is_stuck_is_settled(world: World, address: str) -> None:
    filled = address.format(review=world.review_id, ref=world.thread_ref)
    async with world.client("sam") as client:
        healthy = await client.post(filled, json={"choice": "give_up", "reason": "because"})
        wrong = await client.post(filled, json={"choice": "maybe", "reason": "because"})
        bare = await client.post(filled, json={"choice": "ran"})
    assert problem_of(healthy, 409)["type"].endswith(":thread-paused")
    assert problem_of(wrong, 422)["errors"][0]["pointer"] == "/choice"
    assert problem_of(bare, 422)["errors"][0]["pointer"] == "/reason"


async def test_a_healthy_thread_is_not_repaired(world: World) -> None:
    async with world.client("ada") as client:
        answer = await client.post(f"/api/v1/reviews/{world.review_id}/repair", json={})
    assert problem_of(answer, 409)["type"].endswith(":thread-paused")
