"""The queue and one review, as scripts see them."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from tests.api.conftest import World, problem_of

RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


async def test_the_queue_is_a_page(world: World) -> None:
    async with world.client("quinn") as client:
        answer = await client.get("/api/v1/reviews")
    assert answer.headers["content-type"] == "application/json"
    page = answer.json()
    assert set(page) == {"items", "next_cursor", "total", "total_capped"}
    assert (len(page["items"]), page["total"], page["total_capped"]) == (1, 1, False)
    row = page["items"][0]
    assert (row["id"], row["status"], row["tool"]) == (world.review_id, "open", "refund_order")
    assert RFC3339.fullmatch(row["opened_at"])


async def test_a_review_shows_every_action_with_its_exact_text(world: World) -> None:
    async with world.client("sam") as client:
        review = (await client.get(f"/api/v1/reviews/{world.review_id}")).json()
    assert (review["version"], review["digest"], review["kind"]) == (1, world.digest, "approval")
    assert review["thread_ref"] == world.thread_ref
    action = review["actions"][0]
    assert {
        "position",
        "name",
        "args",
        "args_text",
        "description",
        "allowed_decisions",
        "args_schema",
    } <= set(action)
    assert action["args"] == json.loads(action["args_text"])


async def test_anyone_can_compute_the_digest_from_what_was_sent(world: World) -> None:
    """SHA-256 of the canonical JSON of exactly what the contract lists, by the standard library alone."""
    async with world.client("sam") as client:
        review = (await client.get(f"/api/v1/reviews/{world.review_id}")).json()
    said = ("position", "name", "args_text", "description", "allowed_decisions", "args_schema_text")
    place = ("source", "thread_id", "ns", "checkpoint_id", "interrupt_id", "kind", "value_text")
    shown = {
        "v": 1,
        **{name: review[name] for name in place},
        "items": [{name: action[name] for name in said} for action in review["actions"]],
    }
    text = json.dumps(shown, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == review["digest"]


@pytest.mark.parametrize("review_id", ["0" * 32, "x", "%00", "~", "%F0%9F%92%B8", "a" * 3000])
async def test_an_unknown_review_is_404(world: World, review_id: str) -> None:
    async with world.client("sam") as client:
        answer = await client.get(f"/api/v1/reviews/{review_id}")
    assert problem_of(answer, 404)["type"].endswith(":not-found")


@pytest.mark.parametrize("address", ["/api/v1/reviews", "/api/v1/audit"])
@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1.5", "9" * 400, ""])
async def test_a_page_has_1_to_200_rows(world: World, address: str, limit: str) -> None:
    async with world.client("ada") as client:
        sent = problem_of(await client.get(address, params={"limit": limit}), 422)
    assert [(error["parameter"], error["pointer"]) for error in sent["errors"]] == [("limit", "")]


async def test_an_unknown_status_is_refused_rather_than_ignored(world: World) -> None:
    """A filter with a typing error must not look like an empty queue."""
    async with world.client("sam") as client:
        sent = problem_of(await client.get("/api/v1/reviews?status=opne"), 422)
    assert sent["errors"][0]["parameter"] == "status"


def forged(*parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


UNFIT = [forged(10**30), forged(3, 10**30, "a"), forged(-(10**30), 5, "a"), forged(3, 5, "\ud800")]


@pytest.mark.parametrize("address", ["/api/v1/reviews", "/api/v1/audit"])
@pytest.mark.parametrize("cursor", ["x", "-", "W10", "WyIxIl0", "%00", "%FF", "a" * 2000, *UNFIT])
async def test_a_cursor_of_ones_own_making_is_a_bad_request(world: World, address: str, cursor: str) -> None:
    async with world.client("ada") as client:
        answer = await client.get(f"{address}?cursor={cursor}")
    assert problem_of(answer, 400)["type"].endswith(":bad-request")


async def test_a_session_that_calls_too_often_waits(world: World) -> None:
    world.limit_calls(burst=3)
    async with world.client("sam") as client:
        answers = [await client.get("/api/v1/reviews") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert problem_of(answers[-1], 429)["type"].endswith(":too-many")
    assert int(answers[-1].headers["retry-after"]) >= 1
    async with world.client("sue") as client:
        assert (await client.get("/api/v1/reviews")).status_code == 200
