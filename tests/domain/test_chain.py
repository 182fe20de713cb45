"""The ledger's hashes are those of the specification, computed here a second time from its words."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.domain.ledger import Kind, genesis, link, without_empty
from console.domain.merkle import Frontier, leaf


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def test_the_first_link_follows_the_installations_own_beginning() -> None:
    assert genesis("abc") == sha(b"review-console ledger v1abc")
    assert genesis("abd") != genesis("abc")


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=80))
def test_a_link_is_the_hash_over_the_one_before_and_the_leaf(before: bytes, body: bytes) -> None:
    assert leaf(body) == sha(b"\x00" + body)
    assert link(before, body) == sha(b"\x01" + before + leaf(body))


def rfc_6962(leaves: list[bytes]) -> bytes:
    """The definition of RFC 6962, section 2.1, word by word."""
    if not leaves:
        return sha(b"")
    if len(leaves) == 1:
        return sha(b"\x00" + leaves[0])
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha(b"\x01" + rfc_6962(leaves[:split]) + rfc_6962(leaves[split:]))


@given(st.lists(st.binary(max_size=4), max_size=40))
def test_the_root_is_the_one_of_rfc_6962_at_every_size(bodies: list[bytes]) -> None:
    frontier = Frontier()
    for at, body in enumerate(bodies):
        assert (frontier.size, frontier.root()) == (at, rfc_6962(bodies[:at]))
        frontier.append(leaf(body))
    assert (frontier.size, frontier.root()) == (len(bodies), rfc_6962(bodies))


def test_a_frontier_that_was_kept_goes_on_where_it_was() -> None:
    whole, bodies = Frontier(), [bytes([number]) for number in range(21)]
    for body in bodies[:13]:
        whole.append(leaf(body))
    assert len(whole.roots) == 3
    kept = Frontier(whole.size, list(whole.roots))
    for body in bodies[13:]:
        kept.append(leaf(body))
    assert kept.root() == rfc_6962(bodies)


def test_only_what_says_nothing_is_left_out_of_an_entry() -> None:
    assert without_empty({"a": None, "b": "", "c": 0, "d": [], "e": False, "f": "x"}) == {
        "c": 0,
        "d": [],
        "e": False,
        "f": "x",
    }


@pytest.mark.parametrize("kind", list(Kind))
def test_an_entrys_kind_is_written_as_the_specification_spells_it(kind: Kind) -> None:
    assert kind.value == kind.name.lower()
