"""One build serves any address: a person by localhost and another by 127.0.0.1, on a port of its own."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import SignIn
from tests.conftest import StartServer

PORT = 3190


def test_a_live_row_by_localhost_and_by_127_0_0_1(start_server: StartServer, people: SignIn) -> None:
    server = start_server(port=PORT)
    assert server.port == PORT
    waiting = []
    for name, host in (("sam", "localhost"), ("sue", "127.0.0.1")):
        desk = people("nobody", server, host)
        desk.open("/login")
        desk.test_id("login-user").fill(name)
        desk.test_id("login-password").fill("demo")
        desk.test_id("login-submit").click()
        expect(desk.page).to_have_url(f"http://{host}:{PORT}/")
        expect(desk.page.get_by_text("Nothing is waiting")).to_be_visible()
        waiting.append(desk)
    sam, sue = waiting
    ref = sam.begin("Look up order A-2048 and refund 699")
    for each in (sue, sam):
        expect(each.row(ref)).to_be_visible()
        expect(each.test_id("queue-count")).to_have_text("1")
    sue.row(ref).click()
    sue.choose(0, "approve")
    sue.submit()
    for each in (sue, sam):
        each.expect_settled()
        expect(each.rows).to_have_count(0)
