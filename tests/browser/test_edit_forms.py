"""Fields within fields: lists, unions and dictionaries are edited in place, and what was made runs."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.browser.orders import ARGS
from tests.serving import Server


def paused(people: SignIn, orders: Server, name: str = "place_order", **other: Any) -> Desk:
    """The call is asked for, and its choice is edit."""
    sam = people("sam", orders)
    sam.open_thread(sam.start(json.dumps([[name, {**ARGS, **other}]])))
    sam.choose(0, "edit")
    expect(sam.card(0).get_by_test_id("edit-form")).to_be_visible()
    return sam


def ran(desk: Desk) -> Any:
    """What the tool got, of a call that was submitted and settled."""
    desk.submit()
    desk.expect_settled()
    return executed(desk)


def executed(desk: Desk) -> Any:
    """LangChain tells the agent first that its call was replaced."""
    (text,) = (m["text"] for m in desk.read(f"/threads/{desk.ref}/messages")["items"] if m["role"] == "tool")
    return json.loads(text.rpartition("Tool response:\n")[2])


def button(desk: Desk, name: str) -> Locator:
    return desk.card(0).get_by_role("button", name=name, exact=True)


def differences(desk: Desk) -> Locator:
    return desk.test_id("difference")


def test_items_of_a_list_are_added_moved_and_removed(orders: Server, people: SignIn) -> None:
    sam = paused(people, orders)
    button(sam, "Remove lines 2").click()
    expect(sam.field(0, "/lines/1/sku").locator("input")).to_have_value("jar")
    expect(sam.field(0, "/lines/1/sku").locator("input")).to_be_focused()
    expect(sam.field(0, "/lines/2")).to_have_count(0)

    button(sam, "Add an item to lines").click()
    expect(sam.field(0, "/lines/2/sku").locator("input")).to_be_focused()
    expect(sam.field_error(0, "/lines/2/count")).to_be_visible()
    expect(sam.submit_button).to_be_disabled()
    sam.type_into(0, "/lines/2/sku", "cup")
    sam.type_into(0, "/lines/2/count", "6")
    expect(sam.field_error(0, "/lines/2/count")).to_have_count(0)

    button(sam, "Move lines 3 up").click()
    expect(sam.field(0, "/lines/1/sku").locator("input")).to_have_value("cup")
    expect(sam.field(0, "/lines/2/sku").locator("input")).to_have_value("jar")
    sam.field(0, "/lines/0/notes").get_by_role("button", name="Add an item to notes").click()
    sam.type_into(0, "/lines/0/notes/1", "gift wrap")
    expect(differences(sam).filter(has_text="lines / 1 / notes / 2")).to_contain_text('added "gift wrap"')

    mug = {"sku": "mug", "count": 9007199254740993, "notes": ["blue", "gift wrap"]}
    assert ran(sam) == {**ARGS, "lines": [mug, {"sku": "cup", "count": 6}, {"sku": "jar", "count": 3}]}


def test_another_form_of_a_value_is_chosen_and_filled_in(orders: Server, people: SignIn) -> None:
    sam = paused(people, orders)
    pay = sam.field(0, "/pay")
    expect(pay.get_by_test_id("variant")).to_have_value("0")
    pay.get_by_test_id("variant").select_option(label="Voucher")
    expect(sam.field(0, "/pay/last4")).to_have_count(0)
    expect(sam.field_error(0, "/pay/code")).to_be_visible()
    sam.type_into(0, "/pay/code", "WINTER")
    assert ran(sam) == {**ARGS, "pay": {"kind": "voucher", "code": "WINTER"}}


def test_arguments_that_do_not_fit_their_schema_are_shown_and_mended(orders: Server, people: SignIn) -> None:
    lines = [{"sku": "mug", "count": "two"}]
    sam = paused(people, orders, lines=lines, tip=1)
    wrong = sam.field(0, "/lines/0/count")
    expect(wrong.locator("input, textarea")).to_have_value('"two"')
    expect(sam.field_error(0, "/lines/0/count")).to_be_visible()
    expect(sam.field_error(0, "/tip")).to_be_visible()
    sam.type_into(0, "/lines/0/count", "2")
    expect(sam.field_error(0, "/lines/0/count")).to_have_count(0)
    expect(sam.submit_button).to_be_disabled()
    button(sam, "Remove tip").click()
    expect(sam.field(0, "/tip")).to_have_count(0)
    assert ran(sam) == {**ARGS, "lines": [{"sku": "mug", "count": 2}]}


def test_keys_of_a_dictionary_are_added_renamed_and_removed(orders: Server, people: SignIn) -> None:
    sam = paused(people, orders)
    name = sam.card(0).get_by_label("New key in tags")
    name.fill("to/whom")
    sam.card(0).get_by_test_id("add-key").click()
    added = sam.field(0, "/tags/to~1whom").locator("input")
    expect(added).to_be_focused()
    added.fill("my friend")
    sam.card(0).get_by_role("button", name="New name for season").click()
    sam.card(0).get_by_role("textbox", name="New name for season").fill("time of year")
    sam.page.keyboard.press("Enter")
    expect(sam.field(0, "/tags/time of year").locator("input")).to_have_value("winter")
    # A key that is there already is refused in words, and nothing is lost.
    name.fill("to/whom")
    sam.card(0).get_by_test_id("add-key").click()
    expect(sam.test_id("notice")).to_contain_text("There is a key 'to/whom' already")
    assert ran(sam) == {**ARGS, "tags": {"time of year": "winter", "to/whom": "my friend"}}


def test_missing_nothing_and_empty_are_three_things(orders: Server, people: SignIn) -> None:
    sam = paused(people, orders)
    note = sam.field(0, "/note")
    expect(note).to_contain_text("not given")
    button(sam, "No value for note").click()
    expect(note).to_contain_text("no value")
    expect(differences(sam)).to_contain_text(["added null"])
    button(sam, "Empty text for note").click()
    expect(note).to_contain_text("empty text")
    expect(differences(sam)).to_contain_text(['added ""'])
    button(sam, "Leave out note").click()
    expect(note).to_contain_text("not given")
    expect(differences(sam)).to_have_count(0)
    button(sam, "No value for note").click()
    assert ran(sam) == {**ARGS, "note": None}


def test_the_whole_as_json_text_edits_the_same_value(orders: Server, people: SignIn) -> None:
    sam = paused(people, orders)
    sam.type_into(0, "/customer", "C-8")
    expect(differences(sam)).to_have_count(1)
    switch = sam.card(0).get_by_test_id("raw-json-switch")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "true")
    whole = sam.card(0).get_by_test_id("raw-json")
    expect(whole).to_have_value(re.compile(r'^\{"customer": "C-8", .*9007199254740993'))
    whole.fill('{"customer": "C-8",\n "customer": "C-9"}')
    expect(sam.field_error(0, "")).to_contain_text(re.compile("customer.*line 2"))
    whole.fill(json.dumps({**ARGS, "customer": "C-9"}))
    expect(sam.field_error(0, "")).to_have_count(0)
    switch.click()
    expect(sam.field(0, "/customer").locator("input")).to_have_value("C-9")
    sam.card(0).get_by_test_id("undo").click()
    expect(sam.field(0, "/customer").locator("input")).to_have_value("C-8")
    assert ran(sam) == {**ARGS, "customer": "C-8"}


def test_what_keeps_the_whole_from_being_sent_is_said(orders: Server, people: SignIn) -> None:
    """What a schema refers to elsewhere is never fetched: no edit is taken, and the rest can be decided."""
    sam = people("sam", orders)
    sam.open_thread(sam.start(json.dumps([["broken", {"a": {"x": 1}, "b": 2}]])))
    sam.choose(0, "edit")
    expect(sam.field(0, "/a")).to_contain_text("never fetched")
    expect(sam.field_error(0, "")).to_contain_text("elsewhere.example")
    expect(sam.submit_button).to_be_disabled()
    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()


def test_by_keyboard_alone(orders: Server, people: SignIn) -> None:
    """Reached by Tab, chosen by the arrow keys, moved by Alt, sent by Ctrl+Enter."""
    sam = people("sam", orders)
    sam.open_thread(sam.start(json.dumps([["place_order", ARGS]])))
    sam.expect_keys()
    keys = sam.page.keyboard

    def tab_to(place: Locator, key: str = "Tab") -> None:
        expect(place).to_be_visible()
        for _ in range(90):
            if place.evaluate("each => each === document.activeElement"):
                return
            keys.press(key)
        raise AssertionError(f"{place} is not reached by {key}")

    def write(text: str) -> None:
        keys.press("Control+a")
        keys.type(text)

    keys.press("1")
    keys.press("e")
    expect(sam.card(0).get_by_test_id("edit-form")).to_be_visible()
    expect(sam.card(0)).to_be_focused()

    tab_to(sam.field(0, "/lines/1/count").locator("input"))
    write("7")
    keys.press("Alt+ArrowUp")
    expect(sam.field(0, "/lines/0/sku").locator("input")).to_have_value("pan")
    moved = sam.field(0, "/lines/0/count").locator("input")
    expect(moved).to_have_value("7")
    expect(moved).to_be_focused()
    keys.press("Alt+ArrowDown")
    expect(sam.field(0, "/lines/1/count").locator("input")).to_be_focused()

    tab_to(button(sam, "Remove lines 2"), "Shift+Tab")
    keys.press("Enter")
    expect(sam.field(0, "/lines/1/sku").locator("input")).to_be_focused()
    tab_to(button(sam, "Add an item to lines"))
    keys.press("Enter")
    expect(sam.field(0, "/lines/2/sku").locator("input")).to_be_focused()
    write("cup")
    tab_to(sam.field(0, "/lines/2/count").locator("input"))
    write("6")

    tab_to(sam.field(0, "/pay").get_by_test_id("variant"))
    keys.press("ArrowDown")
    expect(sam.field(0, "/pay/code")).to_be_visible()
    expect(sam.field(0, "/pay").get_by_test_id("variant")).to_be_focused()
    tab_to(sam.field(0, "/pay/code").locator("input"))
    write("WINTER")
    tab_to(sam.card(0).get_by_label("New key in tags"))
    keys.type("to")
    keys.press("Enter")
    expect(sam.field(0, "/tags/to").locator("input")).to_be_focused()
    write("sue")
    tab_to(sam.field(0, "/speed").locator("select"))
    keys.press("ArrowDown")
    expect(sam.field(0, "/speed").locator("select")).to_have_value('"fast"')
    expect(sam.submit_button).to_be_enabled()
    expect(differences(sam).filter(has_text="speed")).to_be_visible()
    keys.press("Control+Enter")
    sam.expect_settled()
    assert executed(sam) == {
        **ARGS,
        "lines": [ARGS["lines"][0], ARGS["lines"][2], {"sku": "cup", "count": 6}],
        "pay": {"kind": "voucher", "code": "WINTER"},
        "tags": {"season": "winter", "to": "sue"},
        "speed": "fast",
    }
