"""No payload takes anyone further than the table of tests/security/surface.txt, and none is an accident."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.security.acts import act
from tests.security.firing import OURS, PEOPLE, Range, arguments, names, table

# Four events each. SHOTS=5000 fires at length.
EXAMPLES = int(os.environ.get("SHOTS", "40"))

# Stands for a text that is too long, which would be long in what Hypothesis prints, too.
LONG = "<long>"
texts = st.text(max_size=30) | st.sampled_from(
    ["", LONG, "\u202e", "'; DROP TABLE ledger; --", "\x00", "\ud800", "/amount", "approve", "ran"]
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
forms = st.dictionaries(
    st.sampled_from(["text", "name", "role", "password", "user", "scope", "days", "q", "since"]) | texts,
    values,
    max_size=4,
)
shots = st.tuples(
    st.sampled_from(PEOPLE), st.integers(0, 10_000), st.lists(values | forms, min_size=4, max_size=4), values
)


@settings(
    max_examples=EXAMPLES,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(shots, min_size=4, max_size=4))
async def test_no_payload_takes_anyone_further_than_the_table(there: Range, fired: list[Any]) -> None:
    """Whatever the arguments: who is refused changes nothing, and nobody is told of an accident of ours."""
    may, events = table(), list(names().items())
    for who, number, given_values, extra in fired:
        if who not in there.sockets:
            await there.open(who)
            await there.load(who)
        short, name = events[number % len(events)]
        payload = dict(zip(arguments(name), given_values, strict=False)) | (
            await mixed(there, who, short, name, number)
        )
        if number % 7 == 0:
            payload["extra"] = extra
        payload, extra = lengthened(payload), lengthened(extra)
        before = there.look.now()
        frames = len(there.sockets[who].sent)
        await there.fire(who, name, extra if number % 11 == 0 else payload)
        if may[who, short] != "acts":
            assert there.look.now() == before, (who, short, payload)
        assert OURS.findall(there.told(who, frames)) == []
    assert there.pipeline.errors == []


def lengthened(value: Any) -> Any:
    match value:
        case dict():
            return {lengthened(key): lengthened(item) for key, item in value.items()}
        case list():
            return [lengthened(item) for item in value]
    return "x" * 9_000 if value == LONG else value


async def mixed(there: Range, who: str, short: str, name: str, number: int) -> dict[str, Any]:
    """Now and then some arguments are right, so that the others are looked at, too."""
    if number % 3:
        return {}
    right = act(short, arguments(name)).payload(await there.drawn(who))
    return {each: right[each] for each in right if number % 2 or each in ("key", "review_id", "user_id")}
