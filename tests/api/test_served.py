"""The API of the running console: in front of the real pages, with the worker behind it.

Plain functions: the browser's loop allows no others beside it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.api.conftest import problem_of
from tests.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.serving
WITHIN_SECONDS = 20


@pytest.fixture
def sam(server: Server) -> Iterator[httpx.Client]:
    """A script that signed in as the login page would, and says where it comes from."""
    with httpx.Client(base_url=server.base_url, headers={"origin": server.base_url}) as client:
        answer = client.post("/api/v1/session", json={"username": "sam", "password": "demo"})
        assert answer.status_code == 200, answer.text
        yield client


def wait_for(client: httpx.Client, path: str, **expected: Any) -> dict[str, Any]:
    """The answer once it has these values; each try is a call on the session's budget."""
    deadline = time.monotonic() + WITHIN_SECONDS
    while True:
        found: dict[str, Any] = client.get(path).raise_for_status().json()
        if expected.items() <= found.items():
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.1)


def pause(client: httpx.Client, message: str) -> tuple[str, dict[str, Any]]:
    """A new thread with this message, and its review once it waits for one."""
    started = client.post("/api/v1/threads", json={"message": message}).raise_for_status().json()
    thread = wait_for(client, f"/api/v1/threads/{started['thread_ref']}", status="paused")
    page = client.get("/api/v1/reviews", params={"thread": thread["thread_id"]}).raise_for_status().json()
    (row,) = page["items"]
    review = client.get(f"/api/v1/reviews/{row['id']}").raise_for_status().json()
    return str(thread["thread_ref"]), review


def test_a_script_can_do_the_whole_job(sam: httpx.Client) -> None:
    ref, review = pause(sam, "Refund A-2048 699 and text the customer")
    assert [action["name"] for action in review["actions"]] == ["refund_order", "send_sms"]
    assert review["actions"][0]["args"] == {"order_id": "A-2048", "amount": 699}
    verdict = {
        "version": review["version"],
        "digest": review["digest"],
        "decisions": [{"type": "approve"}, {"type": "reject", "message": "no text, please"}],
    }
    answer = sam.post(f"/api/v1/reviews/{review['id']}/decisions", json=verdict)
    assert answer.status_code == 202, answer.text
    settled = wait_for(sam, f"/api/v1/reviews/{review['id']}", status="settled")
    assert [action["outcome"] for action in settled["actions"]] == ["ran", "did not run"]
    wait_for(sam, f"/api/v1/threads/{ref}", status="idle")
    messages = sam.get(f"/api/v1/threads/{ref}/messages").json()["items"]
    assert [message["role"] for message in messages] == ["human", "ai", "tool", "tool", "ai"]
    decided = sam.get("/api/v1/audit", params={"kind": "decided", "review": review["id"]}).json()["items"]
    assert [action["outcome"] for action in decided[0]["actions"]] == ["ran", "did not run"]


def test_a_thread_goes_on_after_its_review(sam: httpx.Client) -> None:
    ref, review = pause(sam, "Text the customer of A-2048")
    problem_of(sam.post(f"/api/v1/threads/{ref}/messages", json={"text": "And now?"}), 409)
    verdict = {"version": 1, "digest": review["digest"], "decisions": [{"type": "reject"}]}
    sam.post(f"/api/v1/reviews/{review['id']}/decisions", json=verdict).raise_for_status()
    wait_for(sam, f"/api/v1/threads/{ref}", status="idle")
    answer = sam.post(f"/api/v1/threads/{ref}/messages", json={"text": "Look up order A-2048"})
    assert answer.status_code == 202, answer.text
    wait_for(sam, f"/api/v1/threads/{ref}", status="idle")
    assert sam.get(f"/api/v1/threads/{ref}/messages").json()["items"][-1]["role"] == "ai"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api", 404),
        ("GET", "/api/", 404),
        ("GET", "/api/v1/nothing", 404),
        ("POST", "/api/v1/reviews/x/nothing", 404),
        ("GET", "/auth/nothing", 404),
        ("PUT", "/api/v1/reviews", 405),
        ("GET", "/auth/login", 405),
    ],
)
def test_unknown_addresses_and_wrong_methods_never_reach_the_page(
    server: Server, method: str, path: str, status: int
) -> None:
    problem_of(httpx.request(method, server.url(path)), status)


def test_answers_are_not_kept_by_anyone(server: Server) -> None:
    assert httpx.get(server.url("/api/v1/openapi.json")).headers["cache-control"] == "no-store"


@pytest.mark.browser
def test_the_documentation_draws_itself_under_the_policy(server: Server, browser: Browser) -> None:
    page = browser.new_page()
    page.add_init_script("addEventListener('securitypolicyviolation', e => console.error(e.blockedURI))")
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server.url("/api/v1/docs"))
    page.locator("#operations-reviews-decisions_v1_reviews__review_id__decisions_post").wait_for()
    assert errors == []
    page.close()
