"""What a person sees and does on the pages, by test ids and roles only."""

from __future__ import annotations

import re
import time
from typing import Any

from playwright.sync_api import APIResponse, Locator, Page, expect

PASSWORD = "demo"
REF = re.compile(r"/threads/([^/?#]+)")
WITHIN_SECONDS = 20.0


class Desk:
    """One signed-in browser. Methods that start or decide return when the page shows it."""

    def __init__(self, name: str, page: Page) -> None:
        self.name = name
        self.page = page

    def sign_in(self) -> None:
        answer = self.call("POST", "/session", {"username": self.name, "password": PASSWORD})
        assert answer.status == 200, answer.text()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> APIResponse:
        """REST with this browser's own cookie; headers in lower case with underscores for dashes."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.page.context.request.fetch(f"/api/v1{path}", method=method, data=body, headers=sent)

    def read(self, path: str) -> Any:
        answer = self.call("GET", path)
        assert answer.status == 200, answer.text()
        return answer.json()

    # Going somewhere

    def open(self, path: str = "/") -> Desk:
        self.page.goto(path)
        return self

    def open_thread(self, ref: str) -> Desk:
        self.open(f"/threads/{ref}")
        self.expect_status()
        return self

    def test_id(self, name: str) -> Locator:
        return self.page.get_by_test_id(name)

    @property
    def ref(self) -> str:
        found = REF.search(self.page.url)
        assert found, f"{self.page.url} is no thread"
        return found[1]

    def expect_keys(self) -> None:
        """The piece of the page that listens to the keyboard is fetched last."""
        self.page.wait_for_load_state("networkidle")

    # The queue

    @property
    def rows(self) -> Locator:
        return self.test_id("queue-row")

    def row(self, ref: str) -> Locator:
        return self.page.locator(f'[data-testid="queue-row"][href*="/threads/{ref}"]')

    # The chat

    def begin(self, text: str) -> str:
        """A new conversation, typed as the customer; its thread's ref."""
        self.test_id("new-thread").click()
        self.test_id("chat-input").fill(text)
        before = self.page.url
        self.test_id("chat-send").click()
        expect(self.page).not_to_have_url(before)
        expect(self.page).to_have_url(REF)
        return self.ref

    def say(self, text: str) -> None:
        self.test_id("chat-input").fill(text)
        self.test_id("chat-send").click()

    def messages(self, role: str) -> Locator:
        return self.page.locator(f'[data-testid="chat-message"][data-role="{role}"]')

    def tool_call(self, name: str) -> Locator:
        return self.test_id("tool-call").filter(has_text=name)

    def expect_status(self, *statuses: str) -> None:
        """Of the thread on the desk; without an argument: any, so that it is drawn."""
        wanted = re.compile("|".join(statuses) or ".")
        expect(self.test_id("thread-status")).to_have_attribute("data-status", wanted)

    # The review

    @property
    def panel(self) -> Locator:
        return self.test_id("review-panel")

    def card(self, position: int) -> Locator:
        return self.page.locator(f'[data-testid="action-card"][data-position="{position}"]')

    def argument(self, position: int, pointer: str) -> Locator:
        return self.card(position).locator(f'[data-testid="argument"][data-pointer="{pointer}"]')

    def field(self, position: int, pointer: str) -> Locator:
        return self.card(position).locator(f'[data-testid="field"][data-pointer="{pointer}"]')

    def field_error(self, position: int, pointer: str) -> Locator:
        return self.card(position).locator(f'[data-testid="field-error"][data-pointer="{pointer}"]')

    def choose(self, position: int, kind: str) -> None:
        """By clicking where a person does: the label of the choice."""
        choice = self.card(position).get_by_test_id(f"decision-{kind}")
        self.card(position).locator("label", has=self.page.get_by_test_id(f"decision-{kind}")).click()
        expect(choice).to_be_checked()

    def explain(self, position: int, text: str) -> None:
        self.card(position).get_by_test_id("decision-message").fill(text)

    def type_into(self, position: int, pointer: str, text: str) -> None:
        self.field(position, pointer).locator("input, textarea, select").fill(text)

    @property
    def submit_button(self) -> Locator:
        return self.test_id("submit-verdict")

    def submit(self) -> None:
        expect(self.submit_button).to_be_enabled()
        self.submit_button.click()

    def expect_settled(self, word: str = "Settled as decided") -> None:
        expect(self.test_id("review-status")).to_contain_text(word)

    # By script, where what is tested comes later

    def start(self, text: str, until: str = "paused") -> str:
        answer = self.call("POST", "/threads", {"message": text})
        assert answer.status == 201, answer.text()
        ref = str(answer.json()["thread_ref"])
        self.wait_for(ref, until)
        return ref

    def wait_for(self, ref: str, status: str, since: str = "") -> None:
        """Until the thread came to this status, after `since` where it had the same one before."""
        end = time.monotonic() + WITHIN_SECONDS
        while not ((now := self.read(f"/threads/{ref}"))["status"] == status and now["updated_at"] > since):
            assert time.monotonic() < end, f"the thread is {now['status']}, not {status}"
            self.page.wait_for_timeout(50)

    def reviews(self, ref: str, status: str = "open") -> list[dict[str, Any]]:
        """Whole reviews of a thread, in the order of the queue."""
        found = self.read(f"/reviews?status={status}&thread={ref}")["items"]
        return [self.read(f"/reviews/{each['id']}") for each in found]

    def decide(self, review: dict[str, Any], *decisions: dict[str, Any]) -> APIResponse:
        body = {"version": review["version"], "digest": review["digest"], "decisions": list(decisions)}
        return self.call("POST", f"/reviews/{review['id']}/decisions", body)
