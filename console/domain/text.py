"""Characters that a reader cannot see or that move what they see, made visible.

Trojan Source (CVE-2021-42574) hides meaning in bidirectional controls; zero-width, tag and filler
characters do the same for search and for the eye.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

_PLAIN_CONTROLS = {"\n", "\t"}
# Letters and marks by category, blank by design.
_BLANKS = {0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x034F}
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}
_ALIKE = {"Latin", "Greek", "Cyrillic", "Armenian", "Cherokee", "Fullwidth", "Mathematical"}
_ORDINARY = re.compile(r"[\x20-\x7e\n\t]*")
SHOWN_SINGLY, MAX_PILED = 4, 3
_WORDS = {
    0x00: "null",
    0x1B: "escape",
    0x7F: "delete",
    0x00AD: "soft hyphen",
    0x200B: "zero-width space",
    0x200C: "zero-width non-joiner",
    0x200D: "zero-width joiner",
    0x200E: "left-to-right mark",
    0x200F: "right-to-left mark",
    0x202A: "left-to-right embedding",
    0x202B: "right-to-left embedding",
    0x202C: "end of direction",
    0x202D: "left-to-right override",
    0x202E: "right-to-left override",
    0x2060: "word joiner",
    0x2066: "left-to-right isolate",
    0x2067: "right-to-left isolate",
    0x2068: "first strong isolate",
    0x2069: "end of isolate",
    0xFEFF: "zero-width no-break space",
}


@dataclass(frozen=True)
class Segment:
    """A stretch of text; `hazard` names a hidden character, and then `text` is its escape, as in U+202E."""

    text: str
    hazard: str = ""


def is_hidden(char: str) -> bool:
    """True for every character that would be drawn as nothing or would reorder its neighbours."""
    code = ord(char)
    if code < 0x7F:
        return code < 0x20 and char not in _PLAIN_CONTROLS
    if unicodedata.category(char) in _HIDDEN_CATEGORIES or code in _BLANKS:
        return True
    return 0x180B <= code <= 0x180F or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF


def name_of(char: str) -> str:
    """What a person may call the character, in lower case."""
    code = ord(char)
    return _WORDS.get(code) or unicodedata.name(char, "control character").lower()


def visible(text: str) -> list[Segment]:
    """Split into plain stretches and one segment per hidden character; nothing is left out.

    A run of the same hidden character is one segment with its count: a million of them must not become a
    million things to draw.
    """
    if _ORDINARY.fullmatch(text):
        return [Segment(text)] if text else []
    return list(_segments(text))


def _segments(text: str) -> Iterator[Segment]:
    for char, run in groupby(_marked(text), key=lambda pair: pair[0] if pair[1] else None):
        if char is None:
            yield Segment("".join(each for each, _ in run))
            continue
        count, escape_text = sum(1 for _ in run), f"U+{ord(char):04X}"
        if count <= SHOWN_SINGLY:
            yield from [Segment(escape_text, name_of(char))] * count
        else:
            yield Segment(f"{escape_text} × {count:,}", name_of(char))


def _marked(text: str) -> Iterator[tuple[str, bool]]:
    """Each character, and whether it is drawn as an escape: hidden ones, and marks piled on too many."""
    piled = 0
    for char in text:
        piled = piled + 1 if unicodedata.combining(char) else 0
        yield char, piled > MAX_PILED or is_hidden(char)


def odd_name(name: str) -> str:
    """Why a name may be taken for another one, in a sentence; empty for an ordinary name."""
    if not name:
        return "This name is empty."
    if name != name.strip() or any(char.isspace() and char != " " for char in name):
        return "This name has a space where none is seen."
    return mixed_scripts(name)


def mixed_scripts(text: str) -> str:
    """The first word that mixes letters of alphabets which look alike, in a sentence; else empty."""
    if text.isascii():
        return ""
    for word in text.split():
        scripts = {script for char in word if (script := _script(char))}
        if len(scripts) > 1:
            odd = next(char for char in word if _script(char) not in {"", "Latin"})
            name = unicodedata.name(odd, "unnamed").lower()
            return f"A word mixes {' and '.join(sorted(scripts))} letters: U+{ord(odd):04X} is {name}."
    return ""


def _script(char: str) -> str:
    """The alphabet of a letter, of those that look like one another; empty for every other character."""
    if not char.isalpha():
        return ""
    first = unicodedata.name(char, "").split(" ", 1)[0].capitalize()
    return first if first in _ALIKE else ""


def escape(text: str) -> str:
    """The same in one string, for places that draw no segments: titles, terminals, search."""
    return "".join(f"[{part.text}]" if part.hazard else part.text for part in visible(text))


def count_hazards(text: str) -> int:
    if _ORDINARY.fullmatch(text):
        return 0
    return sum(hidden for _, hidden in _marked(text))


def findable(*texts: str | None) -> bool:
    """False when one of the texts has no UTF-8 form, so that nothing stored can ever equal it."""
    return not any(text is not None and has_lone_surrogate(text) for text in texts)


def has_lone_surrogate(text: str) -> bool:
    """Such a string has no UTF-8 form, so it can be neither stored nor hashed as typed."""
    return any("\ud800" <= char <= "\udfff" for char in text)
