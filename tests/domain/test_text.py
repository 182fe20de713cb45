"""Nothing that a reader cannot see stays unseen."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.domain.text import (
    Segment,
    count_hazards,
    escape,
    findable,
    has_lone_surrogate,
    is_hidden,
    mixed_scripts,
    odd_name,
    visible,
)

EVERY_CHARACTER = [chr(code) for code in range(sys.maxunicode + 1)]


def test_every_control_and_format_character_is_shown() -> None:
    drawn_as_themselves = {"\n", "\t"}
    hidden = [c for c in EVERY_CHARACTER if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}]
    assert len(hidden) > 100_000
    assert {c for c in hidden if not is_hidden(c)} == drawn_as_themselves


def test_every_bidirectional_control_is_shown() -> None:
    controls = [
        c for c in EVERY_CHARACTER if unicodedata.bidirectional(c) in {"LRE", "RLE", "LRO", "RLO", "PDF"}
    ]
    controls += [
        c for c in EVERY_CHARACTER if unicodedata.bidirectional(c) in {"LRI", "RLI", "FSI", "PDI", "BN"}
    ]
    controls += ["\u200e", "\u200f", "\u061c"]
    assert all(map(is_hidden, controls))


def test_fillers_variation_selectors_and_tags_are_shown() -> None:
    blank = [0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x180B, 0x180E, 0x2800, 0x3164, 0xFE0F, 0xFFA0, 0xFEFF]
    blank += [0xE0001, 0xE0020, 0xE007F, 0xE0100, 0xE01EF, 0x1D173, 0x2060, 0x2064, 0x206A, 0x206F]
    assert all(is_hidden(chr(code)) for code in blank)


def test_what_people_write_is_left_alone() -> None:
    for text in (
        "Refund 699.00 ¥ to Zoë — “now”",
        "退款 699 元，谢谢！",
        "שלום",
        "مرحبا",
        "हिन्दी",
        "👍",
        "a\n\tb",
    ):
        assert escape(text) == text
        assert count_hazards(text) == 0


def original(part: Segment) -> str:
    if not part.hazard:
        return part.text
    code, _, count = part.text[2:].partition(" × ")
    return chr(int(code, 16)) * int(count.replace(",", "") or 1)


@given(st.text() | st.text(alphabet="a\u200b\u0301\u202e", max_size=60))
def test_the_segments_hold_every_character_once(text: str) -> None:
    parts = visible(text)
    assert "".join(original(part) for part in parts) == text
    assert sum(len(original(part)) for part in parts if part.hazard) == count_hazards(text)
    assert not any(is_hidden(char) for part in parts for char in part.text)
    assert not any(is_hidden(char) for char in escape(text))


def test_an_escape_says_which_character_it_was() -> None:
    assert escape("a\u202eb\x00") == "a[U+202E]b[U+0000]"
    assert [part.hazard for part in visible("\u202e\x1b\U000e0041")] == [
        "right-to-left override",
        "escape",
        "tag latin capital letter a",
    ]


@given(st.text())
def test_half_a_character_is_what_utf_8_cannot_hold(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        assert has_lone_surrogate(text)
    else:
        assert not has_lone_surrogate(text)


def test_a_million_hidden_characters_are_one_thing_to_draw() -> None:
    (part,) = visible("\u200b" * 1_000_000)
    assert (part.text, part.hazard) == ("U+200B × 1,000,000", "zero-width space")


def test_marks_piled_on_one_letter_are_drawn_beside_it() -> None:
    drawn = visible("Z" + "\u0301" * 40)
    assert [part.text for part in drawn] == ["Z" + "\u0301" * 3, "U+0301 × 37"]


@pytest.mark.parametrize("name", ["amount", "order_id", "金额", "montant_à_payer", "Ω", "two words"])
def test_an_ordinary_name_is_not_odd(name: str) -> None:
    assert odd_name(name) == ""


@pytest.mark.parametrize(
    "name", ["", " amount", "amount ", "a\u00a0b", "\u0430mount", "pay\uff50al", "\u03bfrder"]
)
def test_a_name_that_looks_like_another_is_odd(name: str) -> None:
    assert odd_name(name)


def test_the_letter_from_another_alphabet_is_named() -> None:
    assert mixed_scripts("send to payp\u0430l") == (
        "A word mixes Cyrillic and Latin letters: U+0430 is cyrillic small letter a."
    )
    assert mixed_scripts("привет hello 你好") == ""


@pytest.mark.parametrize(
    ("first", "last"), [(0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF), (0x00, 0x08), (0x7F, 0x9F)]
)
def test_a_range_of_hidden_characters_is_hidden_from_its_first_to_its_last(first: int, last: int) -> None:
    assert all(is_hidden(chr(code)) for code in range(first, last + 1))


def test_what_stands_beside_those_ranges_is_judged_by_itself() -> None:
    # U+180A, a Mongolian mark that is drawn; U+FE10, a comma for vertical text; a space, a tilde.
    assert not any(is_hidden(char) for char in "\u180a\ufe10\u1810 ~\n\t")


def test_a_character_without_a_name_is_called_a_control_character() -> None:
    assert [part.hazard for part in visible("\x85\ue000")] == ["control character"] * 2


def test_nothing_at_all_is_nothing_to_draw() -> None:
    assert visible("") == []
    assert visible("plain") == [Segment("plain")]


def test_a_few_hidden_characters_are_drawn_one_by_one_and_more_as_a_count() -> None:
    assert [part.text for part in visible("\u200b" * 4)] == ["U+200B"] * 4
    assert [part.text for part in visible("\u200b" * 5)] == ["U+200B × 5"]


def test_three_marks_on_a_letter_are_an_accent_and_four_are_a_pile() -> None:
    assert [part.text for part in visible("\u0301" * 3)] == ["\u0301" * 3]
    assert [part.text for part in visible("a" + "\u0301" * 4)] == ["a\u0301\u0301\u0301", "U+0301"]
    assert count_hazards("a" + "\u0301" * 3 + "b" + "\u0301" * 3) == 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "This name is empty."),
        (" a", "This name has a space where none is seen."),
        ("a\tb", "This name has a space where none is seen."),
        ("a b", ""),
    ],
)
def test_why_a_name_is_odd_is_said_in_a_sentence(name: str, why: str) -> None:
    assert odd_name(name) == why


def test_words_of_one_alphabet_each_are_not_mixed() -> None:
    assert mixed_scripts("Ωmega") == (
        "A word mixes Greek and Latin letters: U+03A9 is greek capital letter omega."
    )
    for text in ("Ω mega", "中文abc", "שa", "ªa", "１２abc", "привет-мир"):
        assert mixed_scripts(text) == "", text


@pytest.mark.parametrize("code", [0xD800, 0xDBFF, 0xDC00, 0xDFFF])
def test_every_half_a_character_is_one_from_the_first_to_the_last(code: int) -> None:
    assert has_lone_surrogate(f"a{chr(code)}")
    assert not findable("a", None, f"a{chr(code)}")
    assert not has_lone_surrogate("\ud7ff\ue000")


def test_what_has_a_stored_form_can_be_found() -> None:
    assert findable()
    assert findable(None, "", "é", "\U0001f44d")
