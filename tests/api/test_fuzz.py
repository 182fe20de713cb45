"""No body and no parameter, however odd, is ever an accident of ours."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.conftest import World

# The world of a test may be shared by its examples: none of them makes the next one fail.
fuzz = settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])

strings = st.text(st.characters(codec=None), max_size=40)
words = st.sampled_from(
    ["approve", "edit", "reject", "respond", "refund_order", "support", "sam", "A-2048", "type", "\x00", " "]
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | strings | words
keys = strings | st.sampled_from(["type", "message", "edited_action", "name", "args", "amount", "$t", "v"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=15,
)
decisions = st.lists(
    st.fixed_dictionaries(
        {"type": words},
        optional={
            "message": values,
            "edited_action": st.fixed_dictionaries(
                {"name": words, "args": values | st.dictionaries(keys, values)}
            ),
            "extra": values,
        },
    )
    | values,
    max_size=3,
)
BODIES = {
    "/session": st.fixed_dictionaries({"username": strings | words, "password": strings | words}),
    "/reviews/{review_id}/decisions": st.fixed_dictionaries(
        {"version": st.just(1) | values, "digest": st.just("DIGEST") | strings},
        optional={"decisions": decisions, "answer": values, "extra": values},
    ),
    "/threads": st.fixed_dictionaries({"message": strings}, optional={"source": strings | words}),
    "/threads/{ref}/messages": st.fixed_dictionaries({"text": strings}, optional={"source": strings}),
}
calls = st.sampled_from(list(BODIES)).flatmap(
    lambda path: st.tuples(st.just(path), BODIES[path] | values | st.dictionaries(keys, values))
)


def check(answer: httpx.Response) -> None:
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code


@fuzz
@given(calls)
async def test_any_json_body_gets_an_answer(world: World, call: tuple[str, Any]) -> None:
    path, body = call
    text = json.dumps(body).replace('"DIGEST"', f'"{world.digest}"')
    async with world.client("sam") as client:
        address = "/api/v1" + path.format(review_id=world.review_id, ref=world.thread_ref)
        check(
            await client.post(
                address,
                content=text.encode("utf-8", "surrogatepass"),
                headers={"content-type": "application/json"},
            )
        )


@fuzz
@given(
    st.sampled_from(list(BODIES)),
    st.binary(max_size=200) | st.text('{}[]",:0123456789eE+-.\\utrfnalsy \n', max_size=200).map(str.encode),
)
async def test_any_bytes_get_an_answer(world: World, path: str, raw: bytes) -> None:
    async with world.client("sam") as client:
        address = "/api/v1" + path.format(review_id=world.review_id, ref=world.thread_ref)
        check(await client.post(address, content=raw, headers={"content-type": "application/json"}))


odd = st.text(max_size=60) | st.sampled_from(["%00", "~", "~AA", "..", "W10", "1e999", "-1", "None", "open"])
NAMES = ["status", "source", "thread", "tool", "limit", "cursor", "kind", "actor", "review", "outcome"]


@fuzz
@given(
    st.sampled_from(["/reviews", "/audit", "/reviews/{odd}", "/threads/{odd}", "/threads/{odd}/messages"]),
    odd,
    st.dictionaries(st.sampled_from(NAMES), odd, max_size=4),
)
async def test_any_address_and_parameter_get_an_answer(
    world: World, path: str, part: str, params: dict[str, str]
) -> None:
    async with world.client("ada") as client:
        check(await client.get("/api/v1" + path.format(odd=quote(part, safe="")), params=params))


@fuzz
@given(
    st.binary(max_size=120) | st.text(max_size=60).map(lambda text: f"username={text}&password=x".encode())
)
async def test_any_login_form_leads_back_to_the_login_page(world: World, raw: bytes) -> None:
    async with world.client("nobody") as client:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        answer = await client.post("/auth/login", content=raw, headers=headers)
    assert answer.status_code == 303
    assert answer.headers["location"] in ("/login?failed=1", "/login?failed=throttled")
