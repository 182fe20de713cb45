"""Text of others is drawn as text: nothing hidden, nothing run, nothing fetched, nothing out of its place."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.serving import Server

HIDDEN = {"\u202e": "U+202E", "\u200b": "U+200B", "\u2066": "U+2066", "\ufeff": "U+FEFF", "\u00ad": "U+00AD"}
MARKUP = (
    "<img src=http://evil.example/a.png onerror=window.hacked=1><script>window.hacked=2</script>"
    "<b>bold</b> ![x](http://evil.example/b.png) [y](javascript:window.hacked=3) **strong** {{7*7}} "
    "</textarea>"
)
LONG_WORD = "w" * 1500
HOSTILE = f"pay {''.join(HIDDEN)} now {MARKUP} {LONG_WORD} end"
SENTENCE = f'Text the customer of A-2048 saying "{HOSTILE}"'


def expect_inert(desk: Desk) -> None:
    """No element came of the text, no script ran, and no pane is wider than the screen."""
    page = desk.page
    made = page.locator("img, iframe, object, embed, a[href^='javascript:'], [onerror]")
    expect(made.and_(page.locator("[src*='evil'], [href*='hacked'], [onerror]"))).to_have_count(0)
    assert page.evaluate("() => window.hacked") is None
    wide = page.evaluate(
        "() => [...document.querySelectorAll('section, main, body')]"
        ".filter((each) => each.scrollWidth > each.clientWidth + 1)"
        ".map((each) => each.className || each.tagName)"
    )
    assert wide == []


def test_hidden_characters_and_markup_stand_there_to_be_read(server: Server, people: SignIn) -> None:
    sam, ada = people("sam"), people("ada")
    ref = sam.start(SENTENCE)
    sam.open_thread(ref)
    shown = sam.argument(0, "/text")
    said = sam.messages("human").first
    for place in (shown, said):
        for character, escape in HIDDEN.items():
            expect(place.locator(".esc", has_text=escape).first).to_be_visible()
            assert character not in place.inner_text()
        expect(place).to_contain_text("<img src=http://evil.example/a.png onerror=window.hacked=1>")
        expect(place).to_contain_text("![x](http://evil.example/b.png)")
        expect(place).to_contain_text("**strong** {{7*7}} </textarea>")
        expect(place).to_contain_text(LONG_WORD)
    expect(sam.card(0).get_by_test_id("hazard")).to_contain_text("5 hidden characters")
    expect(sam.panel).to_contain_text("right-to-left override")
    sam.card(0).get_by_test_id("agent-words").locator("summary").click()
    expect_inert(sam)

    # In the field to edit, and back out of it.
    sam.choose(0, "edit")
    expect(sam.field(0, "/text")).to_be_visible()
    expect_inert(sam)
    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()
    assert shop.texts(server, ref) == [HOSTILE], "what was shown is what ran, every character of it"
    expect(sam.messages("ai").last).to_contain_text("<b>bold</b>")
    expect_inert(sam)

    ada.open("/audit")
    entry = ada.page.locator('[data-testid="audit-row"][data-kind="settled"]').first
    entry.click()
    expect(ada.test_id("audit-sides")).to_contain_text("<script>window.hacked=2</script>")
    expect(ada.test_id("audit-sides").locator(".esc", has_text="U+202E").first).to_be_visible()
    expect_inert(ada)


def test_hostile_words_to_the_agent_are_inert_too(people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    sam.choose(0, "reject")
    sam.explain(0, HOSTILE)
    sam.submit()
    sam.expect_settled()
    expect(sam.panel).to_contain_text("![x](http://evil.example/b.png)")
    expect(sam.panel.locator(".esc", has_text="U+202E").first).to_be_visible()
    expect(sam.messages("ai").last).to_contain_text("<script>window.hacked=2</script>")
    expect(sam.messages("ai").last.locator(".esc", has_text="U+202E").first).to_be_visible()
    expect_inert(sam)


def test_a_text_of_100_kb_is_there_whole_and_the_page_goes_on(server: Server, people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Text the customer of A-2048")
    (review,) = sam.reviews(ref)
    # Few words, since the agent says them one by one.
    large = "字" + ("ünïcode-" * 120 + " ") * 100 + "THE-END"
    assert len(large.encode()) > 100_000
    edited = {"name": "send_sms", "args": {"order_id": "A-2048", "text": large}}
    assert sam.decide(review, {"type": "edit", "edited_action": edited}).status == 202
    sam.wait_for(ref, "idle")
    sam.open_thread(ref)
    sam.expect_settled()
    expect(sam.messages("ai").last).to_contain_text("THE-END")
    assert large.strip() in sam.messages("ai").last.inner_text()
    expect(sam.panel).to_contain_text("THE-END")
    assert shop.texts(server, ref) == [large]
    expect_inert(sam)
    sam.say("Thank you")
    expect(sam.messages("ai").last).to_contain_text("You are welcome.")
