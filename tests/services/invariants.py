"""What must hold in the console's tables at any moment, read from the file and not through the console.

Each broken promise is one line; an empty list is a pass.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from console.domain.ledger import genesis, link
from console.domain.review import DOUBT, QUEUE_RANK, Status

OPEN_STATES = ("ready", "taken", "dispatched")
NOT_BEGUN = ("paused", "void")
# What an entry about a review makes of its status.
LEADS_TO = {
    "opened": "open",
    "reopened": "open",
    "undone": "open",
    "decided": "decided",
    "dispatched": "resuming",
    "settled": "settled",
    "mismatch": "mismatch",
    "stuck": "stuck",
    "superseded": "superseded",
    "cancelled": "cancelled",
}
HAS_VERDICT = ("decided", "resuming", "settled", "mismatch", "stuck")

Row = Mapping[str, Any]
Tables = dict[str, list[Row]]


def check(folder: Path, happened: Sequence[tuple[str, str]] | None = None) -> list[str]:
    """`happened`: (tool call id, arguments) of everything the tools really did, where a test knows it."""
    found = _read(folder / "console.db")
    return [
        *_ledger(found),
        *_reviews(found),
        *_decisions(found),
        *_outbox(found),
        *_journal(found),
        *(_effects(found, happened) if happened is not None else ()),
        *_refunds(found, folder / "shop.db"),
    ]


def _read(file: Path) -> Tables:
    names = (
        "review decision ledger ledger_facet payload outbox thread tool_run run_lease meta idempotent_answer"
    )
    with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        # One snapshot: others may be writing.
        db.execute("BEGIN")
        return {
            name: [dict(row) for row in db.execute(f"SELECT * FROM {name} ORDER BY rowid")]
            for name in names.split()
        }


def _ledger(found: Tables) -> Iterator[str]:
    """The chain holds, and each entry has its facet and its payload."""
    install = next(row["value"] for row in found["meta"] if row["key"] == "install_id")
    previous, payloads = genesis(install), {row["id"]: row for row in found["payload"]}
    facets = {row["seq"]: row for row in found["ledger_facet"]}
    for number, row in enumerate(found["ledger"], start=1):
        body, seq = json.loads(row["body"]), row["seq"]
        if seq != number or row["prev"] != previous or row["hash"] != link(previous, row["body"].encode()):
            yield f"entry {seq} does not continue the chain"
        previous = row["hash"]
        facet = facets.pop(seq, None)
        if facet is None or (facet["kind"], facet["review_id"]) != (body["kind"], body.get("review_id")):
            yield f"entry {seq} ({body['kind']}) has the facet {facet}"
        commit = body.get("payload_commit")
        kept = payloads.pop(commit, None) if commit else None
        if commit and (kept is None or _commitment(kept) != commit):
            yield f"entry {seq} has lost its payload"
    yield from (f"facet {seq} has no entry" for seq in facets)
    yield from (f"payload {commit} belongs to no entry" for commit in payloads)


def _commitment(payload: Row) -> str:
    return sha256(payload["salt"] + payload["bytes_text"].encode()).hexdigest()


def _story(found: Tables) -> dict[str, list[Row]]:
    """Entries by review, oldest first."""
    story: dict[str, list[Row]] = defaultdict(list)
    for row in found["ledger"]:
        body = json.loads(row["body"])
        if body.get("review_id"):
            story[body["review_id"]].append(body)
    return story


def _reviews(found: Tables) -> Iterator[str]:
    """The log alone tells every review's status, and a verdict is there exactly where it must be."""
    story, made = _story(found), {row["id"]: row for row in found["decision"]}
    resumes = {row["group_key"]: row for row in found["outbox"] if row["group_key"]}
    for row in found["review"]:
        name, status = f"review {row['id'][:8]} ({row['status']})", row["status"]
        told = _told(story[row["id"]])
        if told != status:
            yield f"{name} is {told} by the log: {[each['kind'] for each in story[row['id']]]}"
        if row["queue_rank"] != QUEUE_RANK.get(Status(status)) and row["closed_by"] is None:
            yield f"{name} has the rank {row['queue_rank']}"
        decision = made.get(row["decision_id"] or "")
        # A doubt about what nobody had to review stands in the queue without a verdict.
        judged = not row["interrupt_id"].startswith(DOUBT)
        if status in HAS_VERDICT and judged and (decision is None or decision["review_id"] != row["id"]):
            yield f"{name} has no verdict"
        if status in ("open", "awaiting_second") and (row["decision_id"] or row["decided_by"]):
            yield f"{name} is open and decided by {row['decided_by']}"
        if decision is not None and decision["version"] >= row["version"]:
            yield f"{name} has version {row['version']}, its verdict {decision['version']}"
        if status in ("decided", "resuming"):
            yield from _handed_on(name, row, found["review"], resumes.get(row["group_key"]))


def _told(entries: Sequence[Row]) -> str:
    status = ""
    for entry in entries:
        if entry["kind"] == "stuck_resolved":
            status = "resuming" if entry["choice"] == "not_run" else "settled"
        status = LEADS_TO.get(entry["kind"], status)
    return status


def _handed_on(name: str, row: Row, reviews: Sequence[Row], resume: Row | None) -> Iterator[str]:
    """A verdict that is not carried out yet has an outbox row that will do it."""
    group = [each["status"] for each in reviews if each["group_key"] == row["group_key"]]
    waits = any(status in ("open", "awaiting_second") for status in group)
    states = ("waiting",) if waits else OPEN_STATES
    if resume is None or resume["state"] not in states:
        yield f"{name} has the outbox row {resume and resume['state']}, its pause is {group}"


def _decisions(found: Tables) -> Iterator[str]:
    """Every verdict stands in the log once, with the digest of what is resumed; and none but those."""
    entries = [json.loads(row["body"]) for row in found["ledger"]]
    logged = {each["decision_id"]: each for each in entries if each["kind"] == "decided"}
    count = Counter(each["decision_id"] for each in entries if each["kind"] == "decided")
    for row in found["decision"]:
        entry = logged.pop(row["id"], None)
        if entry is None or count[row["id"]] != 1:
            yield f"decision {row['id'][:8]} stands {count[row['id']]} times in the log"
        elif entry["result_digest"] != sha256(row["body_text"].encode()).hexdigest():
            yield f"decision {row['id'][:8]} is not what the log says"
    yield from (f"the log has a decision {decision_id[:8]} that is none" for decision_id in logged)
    twice = Counter((row["review_id"], row["version"]) for row in found["decision"])
    yield from (f"{key} was decided {times} times" for key, times in twice.items() if times > 1)
    known = {row["id"] for row in found["decision"]}
    for row in found["idempotent_answer"]:
        if json.loads(row["answer_text"])["decision_id"] not in known:
            yield f"key {row['key']} answers with a verdict that is none"


def _outbox(found: Tables) -> Iterator[str]:
    """A running thread has work to come, at most one piece of it; nothing is held for no work."""
    for row in found["thread"]:
        mine = (row["source"], row["thread_id"])
        work = [
            each["state"]
            for each in found["outbox"]
            if (each["source"], each["thread_id"]) == mine and each["state"] in OPEN_STATES
        ]
        if len(work) > 1 or (row["status"] == "running" and not work):
            yield f"thread {mine} is {row['status']} with the work {work}"
        leases = [each for each in found["run_lease"] if (each["source"], each["thread_id"]) == mine]
        if any(each["owner"] for each in leases) and not work:
            yield f"thread {mine} is leased for nothing"


def _journal(found: Tables) -> Iterator[str]:
    """A call starts once, and a gated one with the arguments that somebody decided."""
    starts = [row for row in found["tool_run"] if row["ended"] not in NOT_BEGUN]
    times = Counter((row["thread_id"], row["tool_call_id"]) for row in starts)
    yield from (f"call {key} was started {count} times" for key, count in times.items() if count > 1)
    allowed = _allowed(found)
    for row in starts:
        call, args = row["tool_call_id"], row["args_text"]
        if call in allowed and args not in allowed[call]:
            yield f"call {call} ran with {args}, decided was {allowed[call]}"


def _allowed(found: Tables) -> dict[str, list[str]]:
    """By tool call id of every reviewed action: the arguments with which people let it run."""
    allowed: dict[str, list[str]] = {}
    decisions = defaultdict(list)
    for row in found["decision"]:
        decisions[row["review_id"]].append(json.loads(row["body_text"]).get("decisions") or [])
    alarmed: set[str] = set()
    for row in found["review"]:
        if row["interrupt_id"].startswith(DOUBT):
            continue  # shown to a person, and never decided
        for action in json.loads(row["items_text"]):
            texts = allowed.setdefault(action["tool_call_id"], [])
            if row["status"] == "mismatch":
                alarmed.add(action["tool_call_id"])
            for said in (each[action["position"]] for each in decisions[row["id"]]):
                if said["type"] == "approve":
                    texts.append(action["args_text"])
                elif said["type"] == "edit":
                    texts.append(json.dumps(said["edited_action"]["args"], ensure_ascii=False))
    # What ran in a mismatch is what nobody decided, whatever was said of its pause before a repair.
    return {call: texts for call, texts in allowed.items() if call not in alarmed}


def _effects(found: Tables, happened: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What happened was started in the journal first, and what ended well there did happen."""
    times = Counter(call for call, _ in happened)
    yield from (f"{call} happened {count} times" for call, count in times.items() if count > 1)
    starts = {(row["tool_call_id"], row["args_text"]) for row in found["tool_run"]}
    yield from (f"{each} happened without a start" for each in happened if each not in starts)


def _refunds(found: Tables, shop: Path) -> Iterator[str]:
    """The shop paid at most once a call, and under a verdict that is one."""
    if not shop.exists():
        return
    with closing(sqlite3.connect(shop, timeout=30)) as db:
        paid = db.execute("SELECT thread_id, tool_call_id, decision_id FROM refunds").fetchall()
    known = {row["id"] for row in found["decision"]}
    started = {(row["thread_id"], row["tool_call_id"]) for row in found["tool_run"]}
    yield from (
        f"{call} was paid {times} times"
        for call, times in Counter(each[:2] for each in paid).items()
        if times > 1
    )
    yield from (f"{each} was paid under no verdict" for each in paid if each[2] and each[2] not in known)
    yield from (f"{each} was paid without a start" for each in paid if each[:2] not in started)
