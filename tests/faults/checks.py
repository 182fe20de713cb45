"""What must hold after any death, read from the files themselves and not through the console.

Every broken promise is one line of text; an empty list is a pass.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from console.services.verify import INTACT, UNSIGNED, verify
from tests.faults.lives import SPAN, History, Pair, amount
from tests.services.agents import effects
from tests.services.world import rows

AT_AN_END = {"settled", "stuck"}
NOT_BEGUN = {"paused", "void"}


@dataclass
class Found:
    """`lost`, `doubled` and `other` are broken promises in words; the rest is what there was to look at."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    effects: int = 0

    @property
    def broken(self) -> list[str]:
        return [*self.lost, *self.doubled, *self.other]


@dataclass(frozen=True)
class Kept:
    """The tables of one console, by review id or by call."""

    reviews: Mapping[str, tuple[str, str, list[str], str]]
    decisions: Mapping[str, list[tuple[str, list[Mapping[str, Any]]]]]
    winners: Mapping[str, tuple[str, str]]
    happened: Mapping[tuple[int, int], Counter[int]]
    kinds: Mapping[str, Counter[str]]
    transcripts: Mapping[str, Mapping[str, str]]


def check(folder: Path, pairs: Sequence[Pair], *histories: Path, decided_once: bool = True) -> Found:
    """`decided_once`: every pair was to be decided by somebody."""
    kept, found = _read(folder), Found()
    found.effects = sum(each.total() for each in kept.happened.values())
    history = History.read(*histories)
    for pair in pairs:
        _check_review(kept, pair, found, decided_once)
    _check_answers(kept, history, found)
    _check_strangers(kept, pairs, found)
    _check_journal(folder, found)
    _check_ledger(folder, found)
    return found


def _read(folder: Path) -> Kept:
    database = folder / "console.db"
    reviews = {
        row[0]: (row[1], row[2], json.loads(row[3] or "[]"), row[4] or "")
        for row in rows(database, "SELECT id, status, outcome, outcomes_text, decision_id FROM review")
    }
    decisions: dict[str, list[tuple[str, list[Mapping[str, Any]]]]] = {}
    for review_id, decision_id, body in rows(database, "SELECT review_id, id, body_text FROM decision"):
        decisions.setdefault(review_id, []).append((decision_id, json.loads(body)["decisions"]))
    kinds: dict[str, Counter[str]] = {}
    for review_id, kind in rows(database, "SELECT review_id, kind FROM ledger_facet"):
        kinds.setdefault(review_id, Counter())[kind] += 1
    return Kept(
        reviews=reviews,
        decisions=decisions,
        winners={
            row[0]: (row[1], row[2])
            for row in rows(
                database, "SELECT id, decided_by, decided_at FROM review WHERE decided_by IS NOT NULL"
            )
        },
        happened=_happened(folder),
        kinds=kinds,
        transcripts=json.loads((folder / "transcripts.json").read_text()),
    )


def _happened(folder: Path) -> dict[tuple[int, int], Counter[int]]:
    """By (thread, action): how often each amount was charged."""
    found: dict[tuple[int, int], Counter[int]] = {}
    for line in effects(folder):
        value = int(line.removeprefix("charge "))
        found.setdefault((value // SPAN - 1, value % 10), Counter())[value] += 1
    return found


def _check_review(kept: Kept, pair: Pair, found: Found, decided_once: bool) -> None:
    status, outcome, outcomes, chosen = kept.reviews[pair.review_id]
    name = f"review {pair.review_id[:8]} ({status}: {outcome})"
    found.ends[status] += 1
    made = kept.decisions.get(pair.review_id, [])
    if not made and not decided_once and status == "open":
        return
    if [decision_id for decision_id, _ in made] != [chosen]:
        found.lost.append(f"{name} has the decisions {made} and names {chosen!r}")
        return
    if status not in AT_AN_END:
        found.lost.append(f"{name} was decided and did not come to an end")
        return
    kinds = kept.kinds[pair.review_id]
    if any(kinds[kind] != 1 for kind in ("opened", "decided", "dispatched", status)):
        found.other.append(f"{name} stands in the ledger as {dict(kinds)}")
    for at, said in enumerate(made[0][1]):
        _check_call(kept, pair, at, said, outcomes[at] if at < len(outcomes) else "", status, found)


def _check_call(
    kept: Kept, pair: Pair, at: int, said: Mapping[str, Any], outcome: str, status: str, found: Found
) -> None:
    """The decision row equals what ran, and the outcome tells it as it was."""
    action = pair.first + at
    wanted: int | None = {
        "approve": lambda: amount(pair.thread, action),
        "edit": lambda: int(said["edited_action"]["args"]["amount"]),
    }.get(str(said["type"]), lambda: None)()
    times = kept.happened.get((pair.thread, action), Counter())
    told = f"review {pair.review_id[:8]} ({status}), action {at}, {said['type']}, {outcome!r}"
    for value, count in times.items():
        if count > 1:
            found.doubled.append(f"{told}: {value} was charged {count} times")
        elif value != wanted:
            found.doubled.append(f"{told}: {value} was charged, which nobody decided")
    ran = times[wanted] if wanted is not None else 0
    if outcome == "ran":
        _check_ran(kept, pair, at, wanted, ran, told, found)
    elif outcome == "did not run" and wanted is not None:
        # In a stuck review it is what the journal says so far; a person may yet have it run.
        if status == "settled":
            found.lost.append(f"{told}: settled without having run")
    elif not outcome.startswith("uncertain") and outcome != "did not run":
        found.other.append(f"{told}: its outcome is {outcome!r}")


def _check_ran(
    kept: Kept, pair: Pair, at: int, wanted: int | None, ran: int, told: str, found: Found
) -> None:
    if ran == 0:
        found.lost.append(f"{told}: called `ran`, and it did not happen")
    said = list(kept.transcripts.get(pair.thread_id, {}).values())
    if not any(text.endswith(f"charged {wanted}") for text in said):
        found.other.append(f"{told}: the transcript says {said}")


def _check_answers(kept: Kept, history: Sequence[Mapping[str, Any]], found: Found) -> None:
    """What anyone was ever told is still so."""
    for line in history:
        made = [decision_id for decision_id, _ in kept.decisions.get(line["review"], [])]
        about = f"{line['by']} on {line['review']}, kept is {made}"
        if line["op"] == "decided" and made != [line["decision"]]:
            found.lost.append(f"told {line['decision']} to {about}")
        if line["op"] == "refused":
            when = str(line["when"]).replace("T", " ").removesuffix("+00:00")
            if line["why"] != "already-decided" or kept.winners.get(line["review"]) != (line["winner"], when):
                found.other.append(f"refused with {line['why']}, {line['winner']} at {when}: {about}")


def _check_strangers(kept: Kept, pairs: Sequence[Pair], found: Found) -> None:
    known = {(pair.thread, pair.first + at) for pair in pairs for at in range(len(pair.words))}
    strange = {key: times for key, times in kept.happened.items() if key not in known}
    found.other += [f"{dict(times)} happened, which nobody asked for" for times in strange.values()]


def _check_journal(folder: Path, found: Found) -> None:
    starts = Counter(
        (thread_id, call_id)
        for thread_id, call_id, ended in rows(
            folder / "console.db", "SELECT thread_id, tool_call_id, ended FROM tool_run"
        )
        if ended not in NOT_BEGUN
    )
    found.doubled += [f"{call} was started {count} times" for call, count in starts.items() if count > 1]


def _check_ledger(folder: Path, found: Found) -> None:
    heads = folder / "heads"
    report = verify(folder / "console.db", [heads / "heads.txt"], heads / "ledger.pub", deep=True)
    if report.status not in {INTACT, UNSIGNED} or report.warnings:
        found.other.append(f"verify exits {report.status}: {report.reason} {report.warnings}")
