"""Decisions over REST: recorded once, refused with a reason, and repeatable under a key."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.api.conftest import World, problem_of

APPROVE = [{"type": "approve"}]


async def send(world: World, name: str, body: Any, **headers: str) -> httpx.Response:
    async with world.client(name) as client:
        address = f"/api/v1/reviews/{world.review_id}/decisions"
        return await client.post(address, content=json.dumps(body), headers=headers)


def verdict(world: World, decisions: Any = None, **more: Any) -> dict[str, Any]:
    return {"version": 1, "digest": world.digest, "decisions": decisions or APPROVE, **more}


async def status(world: World) -> str:
    async with world.client("sam") as client:
        return str((await client.get(f"/api/v1/reviews/{world.review_id}")).json()["status"])


async def test_a_verdict_is_recorded_and_answered_with_202(world: World) -> None:
    answer = await send(world, "sam", verdict(world))
    assert answer.status_code == 202, answer.text
    sent = answer.json()
    assert (sent["review_id"], sent["decided_by"], sent["decisions"]) == (world.review_id, "sam", APPROVE)
    assert sent["decided_at"].endswith("Z")
    assert await status(world) != "open"


async def test_who_comes_second_is_told_who_was_first_and_when(world: World) -> None:
    first = (await send(world, "sam", verdict(world))).json()
    sent = problem_of(await send(world, "sue", verdict(world)), 409)
    assert (sent["decided_by"], sent["decided_at"]) == ("sam", first["decided_at"])
    assert "stale" not in sent


@pytest.mark.parametrize("wrong", [{"version": 2}, {"version": 0}, {"digest": "0" * 64}, {"digest": ""}])
async def test_a_stale_view_is_409_and_nothing_is_decided(world: World, wrong: dict[str, Any]) -> None:
    sent = problem_of(await send(world, "sam", {**verdict(world), **wrong}), 409)
    assert sent["stale"] is True
    assert "decided_by" not in sent
    assert await status(world) == "open"


WRONG_FORMS: list[tuple[Any, list[str]]] = [
    ({}, ["/version", "/digest"]),
    ([], [""]),
    (None, [""]),
    ({"decisions": {}}, ["/version", "/digest", "/decisions"]),
    ({"version": "1", "digest": 5, "decisions": APPROVE}, ["/version", "/digest"]),
    ({"version": 1.0, "digest": "", "decisions": APPROVE, "by": "ada"}, ["/version", "/by"]),
]


@pytest.mark.parametrize(("body", "pointers"), WRONG_FORMS)
async def test_a_wrong_form_is_422_with_every_pointer(world: World, body: Any, pointers: list[str]) -> None:
    body = {**body, "digest": world.digest} if isinstance(body, dict) and body.get("digest") == "" else body
    sent = problem_of(await send(world, "sam", body), 422)
    assert [error["pointer"] for error in sent["errors"]] == pointers
    assert await status(world) == "open"


async def test_either_decisions_or_an_answer(world: World) -> None:
    seen = {"version": 1, "digest": world.digest}
    both = problem_of(await send(world, "sam", {**seen, "decisions": APPROVE, "answer": None}), 422)
    none = problem_of(await send(world, "sam", seen), 422)
    assert [sent["errors"][0]["pointer"] for sent in (both, none)] == ["/answer", "/decisions"]


@pytest.mark.parametrize(
    "decisions",
    [
        [],
        APPROVE * 2,
        ["approve"],
        [None],
        [{"type": "allow"}],
        [{"type": "respond"}],
        [{"type": "approve", "extra": 1}],
        [{"type": "edit", "edited_action": {"name": "delete_order", "args": {}}}],
        [{"type": "edit", "edited_action": {"name": "refund_order", "args": {"amount": "a lot"}}}],
    ],
)
async def test_a_wrong_verdict_is_422_and_the_review_stays_answerable(
    world: World, decisions: list[Any]
) -> None:
    sent = problem_of(await send(world, "sam", {**verdict(world), "decisions": decisions}), 422)
    assert all(set(error) == {"position", "pointer", "message"} for error in sent["errors"])
    assert sent["errors"]
    assert (await send(world, "sam", verdict(world))).status_code == 202


@pytest.mark.parametrize("body", [body for body, _ in WRONG_FORMS])
async def test_404_and_409_come_before_a_wrong_form(world: World, body: Any) -> None:
    async with world.client("sam") as client:
        unknown = await client.post(f"/api/v1/reviews/{'0' * 32}/decisions", content=json.dumps(body))
    problem_of(unknown, 404)
    await send(world, "sam", verdict(world))
    assert problem_of(await send(world, "sue", body), 409)["decided_by"] == "sam"


async def test_stale_comes_before_a_wrong_form(world: World) -> None:
    assert problem_of(await send(world, "sam", {"version": 2, "by": "ada"}), 409)["stale"] is True


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"\xff",
        b'{"version": 1, "version": 1}',
        b'{"version": NaN}',
        b'{"version": 1e400',
        b'{"version": 1, "answer": 1e400, "answer": 1}',
        b'{"version": 1e99999999}',
        b"[" * 100_000,
        b'{"version": ' + b"9" * 5000 + b"}",
    ],
)
async def test_what_is_not_exact_json_is_a_bad_request(world: World, raw: bytes) -> None:
    async with world.client("sam") as client:
        answer = await client.post(f"/api/v1/reviews/{world.review_id}/decisions", content=raw)
    assert problem_of(answer, 400)["type"].endswith(":bad-request")


@pytest.mark.parametrize("announced", [True, False])
async def test_a_body_has_at_most_a_megabyte(world: World, announced: bool) -> None:
    async def chunks() -> Any:
        for _ in range(11):
            yield b" " * 100_000

    async with world.client("sam") as client:
        content = b" " * 1_100_000 if announced else chunks()
        answer = await client.post(f"/api/v1/reviews/{world.review_id}/decisions", content=content)
    assert problem_of(answer, 413)["type"].endswith(":too-large")


async def test_the_same_key_and_body_give_the_first_answer_again(world: World) -> None:
    answers = [await send(world, "sam", verdict(world), **{"idempotency-key": "k1"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [202] * 3
    assert len({answer.text for answer in answers}) == 1


async def test_the_same_key_with_another_body_is_409(world: World) -> None:
    await send(world, "sam", verdict(world), **{"idempotency-key": "k1"})
    problem_of(
        await send(world, "sam", verdict(world, [{"type": "reject"}]), **{"idempotency-key": "k1"}), 409
    )


async def test_another_key_is_409_even_for_the_winner(world: World) -> None:
    await send(world, "sam", verdict(world), **{"idempotency-key": "k1"})
    sent = problem_of(await send(world, "sam", verdict(world), **{"idempotency-key": "k2"}), 409)
    assert sent["decided_by"] == "sam"


async def test_a_key_belongs_to_its_actor(world: World) -> None:
    await send(world, "sam", verdict(world), **{"idempotency-key": "k1"})
    problem_of(await send(world, "sue", verdict(world), **{"idempotency-key": "k1"}), 409)


@pytest.mark.parametrize("key", ["", "a b", "k" * 129, "k\t1", "ä"])
async def test_a_key_is_visible_ascii(world: World, key: str) -> None:
    async with world.client("sam") as client:
        answer = await client.post(
            f"/api/v1/reviews/{world.review_id}/decisions",
            json=verdict(world),
            headers=[(b"idempotency-key", key.encode())],
        )
    problem_of(answer, 400)
    assert await status(world) == "open"


async def test_two_keys_leave_open_which_one_counts(world: World) -> None:
    async with world.client("sam") as client:
        answer = await client.post(
            f"/api/v1/reviews/{world.review_id}/decisions",
            json=verdict(world),
            headers=[("idempotency-key", "k1"), ("idempotency-key", "k2")],
        )
    problem_of(answer, 400)


async def test_the_longest_key_works(world: World) -> None:
    assert (await send(world, "sam", verdict(world), **{"idempotency-key": "~" * 128})).status_code == 202


async def test_numbers_of_an_edit_reach_the_record_as_sent(world: World) -> None:
    edit = {
        "type": "edit",
        "edited_action": {"name": "refund_order", "args": {"order_id": "A-2048", "amount": 499}},
    }
    answer = await send(world, "sam", verdict(world, [edit]))
    assert answer.status_code == 202, answer.text
    assert '"amount": 499' in answer.text


@pytest.mark.parametrize(
    "number",
    ["18446744073709551616", "-9223372036854775809", "1e400", "0.12345678901234567890", "9007199254740993.0"],
)
async def test_a_number_that_cannot_be_kept_is_422_at_its_pointer(world: World, number: str) -> None:
    edited = {"name": "refund_order", "args": {"order_id": "A-2048", "amount": "NUMBER"}}
    body = json.dumps(verdict(world, [{"type": "edit", "edited_action": edited}]))
    async with world.client("sam") as client:
        address = f"/api/v1/reviews/{world.review_id}/decisions"
        answer = await client.post(address, content=body.replace('"NUMBER"', number))
        sent = problem_of(answer, 422)
        (problem,) = sent["errors"]
        assert (problem["position"], problem["pointer"]) == (0, "/decisions/0/edited_action/args/amount")
        stale = await client.post(address, content=body.replace('"NUMBER"', number).replace("1,", "7,", 1))
        assert problem_of(stale, 409)["stale"] is True
    assert await status(world) == "open"


@pytest.mark.parametrize(
    "text", ['{"a": NaN}', '{"a": 1e400', '{"a": 1, "a": 1e400}', '{"a": 1e99999999}', "\xff"]
)
async def test_what_is_no_json_is_400_all_the_same(world: World, text: str) -> None:
    async with world.client("sam") as client:
        address = f"/api/v1/reviews/{world.review_id}/decisions"
        problem_of(await client.post(address, content=text.encode("latin-1")), 400)


async def test_an_edit_of_an_argument_that_the_tool_would_drop_is_422(world: World) -> None:
    edited = {"name": "refund_order", "args": {"order_id": "A-2048", "amount": 1.0, "gift": True}}
    sent = problem_of(
        await send(world, "sam", verdict(world, [{"type": "edit", "edited_action": edited}])), 422
    )
    assert [each["pointer"] for each in sent["errors"]] == ["/decisions/0/edited_action/args/gift"]
