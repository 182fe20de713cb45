"""A digest as words that two people can compare aloud: proquints (Wilkerson 2009), 16 bits a word.

A word is consonant, vowel, consonant, vowel, consonant; every word can be spoken and none is a real one.
"""

from __future__ import annotations

import hashlib

_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"
WORDS = 8


def words(data: bytes) -> str:
    """Eight words for the first 128 bits of the data's SHA-256."""
    digest = hashlib.sha256(data).digest()
    return " ".join(_word(int.from_bytes(digest[at : at + 2])) for at in range(0, 2 * WORDS, 2))


def _word(number: int) -> str:
    return (
        _CONSONANTS[number >> 12 & 15]
        + _VOWELS[number >> 10 & 3]
        + _CONSONANTS[number >> 6 & 15]
        + _VOWELS[number >> 4 & 3]
        + _CONSONANTS[number & 15]
    )
