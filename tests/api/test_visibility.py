"""What is not visible to a person does not exist for them: the same 404 as for what is not there."""

from __future__ import annotations

import pytest

from console.settings import SourceSettings
from tests.api.conftest import SOURCE, World, problem_of


@pytest.fixture
def private(world: World) -> World:
    """The source is visible to sam alone."""
    chosen = SourceSettings(graph="console.demo.agent:graph", visible_to=("sam",))
    world.deps.settings = world.deps.settings.model_copy(update={"sources": {SOURCE: chosen}})
    return world


@pytest.mark.parametrize("name", ["sue", "quinn", "ada"])
@pytest.mark.parametrize(
    ("hidden", "missing"),
    [
        ("/reviews/{review_id}", "/reviews/" + "0" * 32),
        ("/threads/{ref}", "/threads/unknown"),
        ("/threads/{ref}/messages", "/threads/unknown/messages"),
    ],
)
async def test_hidden_and_missing_look_the_same(private: World, name: str, hidden: str, missing: str) -> None:
    async with private.client(name) as client:
        answers = [
            await client.get("/api/v1" + path.format(review_id=private.review_id, ref=private.thread_ref))
            for path in (hidden, missing)
        ]
    assert problem_of(answers[0], 404)
    assert answers[0].text == answers[1].text


async def test_hidden_reviews_are_neither_listed_nor_counted(private: World) -> None:
    async with private.client("sue") as client:
        page = (await client.get("/api/v1/reviews")).json()
    assert (page["items"], page["total"]) == ([], 0)


async def test_hidden_reviews_and_threads_take_nothing(private: World) -> None:
    verdict = {"version": 1, "digest": private.digest, "decisions": [{"type": "approve"}]}
    async with private.client("sue") as client:
        problem_of(await client.post(f"/api/v1/reviews/{private.review_id}/decisions", json=verdict), 404)
        problem_of(
            await client.post(f"/api/v1/threads/{private.thread_ref}/messages", json={"text": "hi"}), 404
        )
        problem_of(await client.post("/api/v1/threads", json={"source": SOURCE, "message": "hi"}), 404)


async def test_whom_it_is_visible_to_sees_it(private: World) -> None:
    async with private.client("sam") as client:
        assert (await client.get(f"/api/v1/reviews/{private.review_id}")).status_code == 200
