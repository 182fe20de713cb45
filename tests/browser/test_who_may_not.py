"""quinn and ada see everything and decide nothing, whatever they send; each refusal is on record."""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
import socketio  # type: ignore[import-untyped]
from playwright.sync_api import WebSocket, expect

from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.serving import Server

NAMESPACE = "/_event"
ANSWER_SECONDS = 20.0
# Of the review state alone: others have a key, too.
DRAWN_KEY = re.compile(r'review_state____review": \{.*?"key_rx_state_": "([^"]+)"', re.DOTALL)


def events_of(desk: Desk) -> list[dict[str, Any]]:
    """Name and payload of every event that the pages opened from now on send; it grows as they do."""
    sent: list[dict[str, Any]] = []

    def take(frame: str | bytes) -> None:
        text = frame if isinstance(frame, str) else frame.decode()
        if text.startswith(f"42{NAMESPACE},"):
            sent.append(json.loads(text.removeprefix(f"42{NAMESPACE},"))[1])

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", take)

    desk.page.on("websocket", listen)
    return sent


def event(sent: list[dict[str, Any]], handler: str) -> dict[str, Any]:
    return next(each for each in reversed(sent) if each["name"].endswith(f".{handler}"))


@dataclass(frozen=True)
class Forgery:
    """Events as a page sent them, and the name that page had for what it had drawn."""

    events: list[dict[str, Any]]
    key: str

    def events_for(self, key: str) -> list[dict[str, Any]]:
        return [json.loads(json.dumps(each).replace(self.key, key)) for each in self.events]


def send_as(desk: Desk, server: Server, path: str, forgery: Forgery) -> None:
    """Over a socket of its own with the person's cookie: what a script in their browser could send.

    Each event is answered before the next one goes out, a refused one by the notice that says so.
    """
    cookie = "; ".join(f"{each['name']}={each['value']}" for each in desk.page.context.cookies())
    # Playwright's loop runs in this thread.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, _send(server, cookie, path, forgery)).result()


async def _send(server: Server, cookie: str, path: str, forgery: Forgery) -> None:
    answers: asyncio.Queue[str] = asyncio.Queue()
    client = socketio.AsyncClient(reconnection=False)
    client.on("event", lambda update: answers.put_nowait(json.dumps(update)), namespace=NAMESPACE)
    await client.connect(
        f"{server.base_url}?token=forged",
        headers={"Cookie": cookie, "Origin": server.base_url},
        socketio_path=NAMESPACE,
        namespaces=[NAMESPACE],
        transports=["websocket"],
    )

    async def send(event: dict[str, Any]) -> str:
        where = {"pathname": path, "query": {}, "asPath": path}
        while not answers.empty():
            answers.get_nowait()
        await client.emit("event", {**event, "router_data": where}, namespace=NAMESPACE)
        return await asyncio.wait_for(answers.get(), ANSWER_SECONDS)

    # The page is loaded first: there is a review to decide on, and its key is the one this tab was given.
    state = forgery.events[0]["name"].split(".")[0]
    loaded = await send({"name": f"{state}.hydrate_and_load", "payload": {}})
    while '"is_hydrated_rx_state_": true' not in loaded:
        loaded += await asyncio.wait_for(answers.get(), ANSWER_SECONDS)
    key = DRAWN_KEY.findall(loaded)[-1]
    for each in forgery.events_for(key):
        await send(each)
    await client.disconnect()


def refusals(ada: Desk, actor: str) -> list[str]:
    """What was refused to this person, newest first."""
    found = ada.read(f"/audit?kind=denied&actor={actor}")["items"]
    return [
        f"{each['body']['permission']}: {each['body']['what']}" for each in found if each["actor"] == actor
    ]


@pytest.mark.parametrize("name", ["quinn", "ada"])
def test_they_see_the_whole_review_and_have_nothing_to_decide_with(people: SignIn, name: str) -> None:
    sam, reader = people("sam"), people(name)
    ref = sam.start("Refund A-2048 699 and text the customer")
    reader.open()
    reader.row(ref).click()
    expect(reader.test_id("action-card")).to_have_count(2)
    expect(reader.argument(0, "/amount")).to_contain_text("699")
    expect(reader.messages("human")).to_contain_text("Refund A-2048 699 and text the customer")
    expect(reader.panel.get_by_test_id("no-permission")).to_be_visible()
    for handle in (
        "submit-verdict",
        "decision-message",
        "edit-form",
        "new-thread",
        "chat-input",
        "chat-send",
    ):
        expect(reader.test_id(handle)).to_have_count(0)
    for kind in ("approve", "edit", "reject", "respond"):
        expect(reader.test_id(f"decision-{kind}")).to_have_count(0)
    for key in ("a", "e", "x", "r", "Control+Enter"):
        reader.page.keyboard.press(key)
    (review,) = sam.reviews(ref)
    assert (review["status"], review["version"]) == ("open", 1)
    assert sam.decide(review, {"type": "reject"}, {"type": "reject"}).status == 202


def test_a_decision_forged_over_the_socket_is_refused_and_recorded(server: Server, people: SignIn) -> None:
    sam, quinn, ada = people("sam"), people("quinn"), people("ada")
    own = sam.start("Refund A-2048 699")
    target = sam.start("Refund A-2049 450")
    (review,) = sam.reviews(target)
    sent = events_of(sam)
    sam.open_thread(own)
    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()
    events = [event(sent, "choose"), event(sent, "submit")]
    # The very events of sam's page, for the other review.
    forgery = Forgery(events, key=events[0]["payload"]["key"])
    assert forgery.key in json.dumps(events[1])
    before = refusals(ada, "quinn")

    send_as(quinn, server, f"/threads/{target}", forgery)

    (still,) = sam.reviews(target)
    assert (still["status"], still["version"]) == ("open", review["version"])
    assert shop.refunds(server, target) == []
    added = refusals(ada, "quinn")[: -len(before) or None]
    assert sorted(added) == ["decide: called choose in the page", "decide: called submit in the page"]
    ada.open("/audit")
    denied = ada.page.locator('[data-testid="audit-row"][data-kind="denied"]').filter(has_text="quinn")
    expect(denied.first).to_be_visible()

    # The same events with sam's own cookie are a decision: what was refused was the person, not the form.
    send_as(sam, server, f"/threads/{target}", forgery)
    sam.wait_for(target, "idle")
    assert shop.refunds(server, target) == [("A-2049", 450.0)]


@pytest.mark.parametrize("name", ["quinn", "ada"])
def test_a_decision_over_rest_is_refused_and_recorded(server: Server, people: SignIn, name: str) -> None:
    sam, reader, ada = people("sam"), people(name), people("ada")
    ref = sam.start("Refund A-2048 699")
    (review,) = sam.reviews(ref)
    before = len(refusals(ada, name))
    answer = reader.decide(review, {"type": "approve"})
    assert answer.status == 403
    assert answer.headers["content-type"] == "application/problem+json"
    assert len(refusals(ada, name)) == before + 1
    assert refusals(ada, name)[0].startswith("decide:")
    assert sam.reviews(ref)[0]["status"] == "open"
    assert shop.refunds(server, ref) == []
    assert sam.decide(review, {"type": "reject"}).status == 202


def test_nobody_sees_nothing(server: Server, people: SignIn) -> None:
    sam, nobody = people("sam"), people("nobody")
    ref = sam.start("Refund A-2048 699")
    for path in ("/", f"/threads/{ref}", "/audit"):
        nobody.open(path)
        expect(nobody.page).to_have_url(f"{server.base_url}/login")
        expect(nobody.test_id("login-user")).to_be_visible()
        expect(nobody.page.get_by_text("A-2048")).to_have_count(0)
    assert nobody.call("GET", f"/threads/{ref}").status == 401
    (review,) = sam.reviews(ref)
    assert sam.decide(review, {"type": "reject"}).status == 202
