"""docs/audit.md has a section for every kind of entry, and every kind has words of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from console.domain.ledger import Kind
from console.services.audit_words import WORDS, in_words

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text("utf-8")


def test_every_kind_of_entry_has_its_section_and_no_other() -> None:
    assert re.findall(r"^### (.+)$", PAGE, re.MULTILINE) == [kind.value for kind in Kind]


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_has_words_of_its_own(kind: Kind) -> None:
    assert in_words({"kind": kind.value})
    assert kind in WORDS
