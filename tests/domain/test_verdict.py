"""Decisions belong to actions by position, and a wrong one is never half read."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.domain.errors import pointer_of
from console.domain.review import DECISIONS, Action
from console.domain.verdict import in_words, read_decisions

GOOD: dict[str, dict[str, Any]] = {
    "approve": {"type": "approve"},
    "edit": {"type": "edit", "edited_action": {"name": "tool", "args": {"n": 1}}},
    "reject": {"type": "reject", "message": "no"},
    "respond": {"type": "respond", "message": "yes"},
}
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(DECISIONS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "message", "edited_action", "name", "args"]) | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


def action(position: int = 0, *allowed: str, name: str = "tool") -> Action:
    return Action(position, name, "{}", "", allowed or DECISIONS, "")


@pytest.mark.parametrize("subset", [s for n in range(5) for s in itertools.combinations(DECISIONS, n)])
@pytest.mark.parametrize("kind", DECISIONS)
def test_a_decision_is_taken_exactly_where_it_is_allowed(kind: str, subset: tuple[str, ...]) -> None:
    where = Action(0, "tool", "{}", "", subset, "")
    decided, problems = read_decisions([GOOD[kind]], [where])
    if kind in subset:
        assert problems == []
        assert (decided[0].type, decided[0].raw) == (kind, GOOD[kind])
    else:
        assert decided == []
        assert [(p.position, p.pointer) for p in problems] == [(0, "/decisions/0/type")]


@given(st.lists(st.sampled_from(DECISIONS), min_size=1, max_size=6), st.data())
def test_decisions_keep_their_positions_whatever_the_tools_are_called(kinds: list[str], data: Any) -> None:
    names = data.draw(st.lists(st.sampled_from(["tool", "other"]), min_size=len(kinds), max_size=len(kinds)))
    actions = [action(at, name=name) for at, name in enumerate(names)]
    raw: list[Any] = []
    for at, kind in enumerate(kinds):
        if kind == "edit":
            raw.append({"type": "edit", "edited_action": {"name": names[at], "args": {"at": at}}})
        else:
            raw.append({**GOOD[kind], **({"message": f"m{at}"} if kind != "approve" else {})})
    decided, problems = read_decisions(raw, actions)
    assert problems == []
    assert [each.position for each in decided] == list(range(len(kinds)))
    for at, each in enumerate(decided):
        assert each.raw == raw[at]
        assert each.args == ({"at": at} if each.type == "edit" else None)


@given(JUNK)
def test_junk_is_refused_with_a_place_or_taken_as_one_of_langchains_four(raw: Any) -> None:
    decided, problems = read_decisions([raw], [action()])
    assert len(decided) + len(problems) == 1
    for problem in problems:
        assert problem.position == 0
        assert problem.pointer.startswith("/decisions/0")
        assert problem.message
    for each in decided:
        assert each.raw["type"] == raw["type"]
        assert set(each.raw) <= {"type", "message", "edited_action"}


@given(JUNK)
def test_what_is_no_list_of_the_right_length_is_refused_whole(raw: Any) -> None:
    decided, problems = read_decisions(raw, [action(0), action(1)])
    if not (isinstance(raw, list) and len(raw) == 2):
        assert decided == []
        assert [(p.position, p.pointer) for p in problems] == [(None, "/decisions")]


def test_a_list_for_nothing_is_refused() -> None:
    assert read_decisions([], [action()])[1]
    assert read_decisions([GOOD["approve"]], [])[1]


@pytest.mark.parametrize("message", [None, ""])
def test_a_rejection_needs_no_reason(message: Any) -> None:
    (decided,), problems = read_decisions([{"type": "reject", "message": message}], [action()])
    assert (decided.raw, problems) == ({"type": "reject"}, [])


def test_a_message_is_kept_as_it_was_written() -> None:
    text = "  zu spät \u202e\n" + "x" * 9_000
    (decided,), _ = read_decisions([{"type": "respond", "message": text}], [action()])
    assert decided.raw["message"] == decided.message == text


def test_words_count_each_choice_in_order() -> None:
    assert in_words(["reject", "approve", "reject"]) == "1 approve, 2 reject"
    assert in_words([]) == ""


@given(st.text(max_size=10))
def test_a_pointer_finds_its_key_again(key: str) -> None:
    pointer = pointer_of(key)
    assert pointer[0] == "/"
    assert "/" not in pointer[1:]
    pointer.encode()
    back = pointer[1:].replace("~1", "/").replace("~0", "~")
    assert back == key.encode("utf-8", "backslashreplace").decode()
