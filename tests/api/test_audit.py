"""The log over REST: newest first, with what was proposed and decided, within what the role may see."""

from __future__ import annotations

from typing import Any

from tests.api.conftest import World


async def decide(world: World) -> None:
    verdict = {"version": 1, "digest": world.digest, "decisions": [{"type": "reject", "message": "too much"}]}
    async with world.client("sam") as client:
        answer = await client.post(f"/api/v1/reviews/{world.review_id}/decisions", json=verdict)
    assert answer.status_code == 202, answer.text


async def rows(world: World, name: str, **filters: Any) -> list[dict[str, Any]]:
    async with world.client(name) as client:
        answer = await client.get("/api/v1/audit", params=filters)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def test_a_decision_is_there_with_everything_that_was_said(world: World) -> None:
    await decide(world)
    (row,) = await rows(world, "ada", kind="decided")
    assert (row["actor"], row["role"], row["via"]) == ("sam", "supervisor", "api")
    assert (row["review_id"], row["thread_id"], row["tool"]) == (
        world.review_id,
        world.thread_ref,
        "refund_order",
    )
    assert row["at"].endswith("Z")
    (action,) = row["actions"]
    assert (action["position"], action["decision"], action["message"]) == (0, "reject", "too much")
    assert "699" in action["proposed_args"]


async def test_the_newest_is_first_and_pages_lead_to_the_oldest(world: World) -> None:
    await decide(world)
    seen: list[int] = []
    cursor = None
    async with world.client("ada") as client:
        while True:
            params = {"limit": 2, **({"cursor": cursor} if cursor else {})}
            page = (await client.get("/api/v1/audit", params=params)).json()
            seen += [row["seq"] for row in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
    assert seen == sorted(seen, reverse=True)
    assert len(seen) == page["total"] == len(set(seen))


async def test_supervisors_see_their_own_acts_only(world: World) -> None:
    await decide(world)
    assert [row["kind"] for row in await rows(world, "sam")] == ["decided"]
    assert await rows(world, "sue") == []


async def test_a_refused_decision_is_there_with_who_tried_it(world: World) -> None:
    async with world.client("quinn") as client:
        await client.post(f"/api/v1/reviews/{world.review_id}/decisions", json={})
    (row,) = await rows(world, "ada", kind="denied")
    assert (row["actor"], row["review_id"], row["outcome"]) == ("quinn", world.review_id, "refused")


async def test_filters_narrow_the_log(world: World) -> None:
    await decide(world)
    assert {row["actor"] for row in await rows(world, "ada", actor="sam")} == {"sam"}
    assert await rows(world, "ada", kind="decided", tool="send_sms") == []
    assert len(await rows(world, "ada", kind="decided", review=world.review_id)) == 1
