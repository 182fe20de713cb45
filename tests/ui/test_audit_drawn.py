"""The log's page before it is drawn: addresses, columns, timeline, and the result of a check in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from console.domain.errors import BadRequest, Conflict
from console.features.audit import query
from console.features.audit.check import Checks, Standing
from console.features.audit.query import Asked
from console.features.audit.rows import entry, options, pins
from console.features.audit.story import Side, detail, lasted, side
from console.features.audit.verdict import told
from console.services import verify
from console.services.audit_views import AuditEntry, AuditSides
from console.services.verify import Report
from console.services.views import AuditRow
from tests.services.world import wait_for

AT = datetime(2026, 7, 14, 8, 41, 22, tzinfo=UTC)
HIDDEN = "8402-A\u202e"


def row(**more: Any) -> AuditRow:
    given: dict[str, Any] = {
        "seq": 7,
        "at": AT,
        "kind": "decided",
        "actor": "sam",
        "role": "supervisor",
        "via": "web",
        "review_id": "r1",
        "thread_id": "t1",
        "thread_ref": "t1",
        "tool": None,
        "verdict": None,
        "outcome": None,
        "what": "Decided",
        "reason": "",
        "hash": "51e0aa37" * 8,
        **more,
    }
    return AuditRow(**given)


def plain(parts: list[Any]) -> str:
    return "".join(part.text for part in parts)


# Addresses


def test_an_address_says_what_was_asked_and_nothing_else() -> None:
    asked = query.read({"kind": "decided", "actor": "sam & sue", "entry": "12", "unknown": "x"})
    assert query.address(asked) == "/audit?actor=sam+%26+sue&kind=decided&entry=12"
    assert query.address(Asked()) == "/audit"


def test_narrowing_starts_at_the_newest_and_closes_what_is_open() -> None:
    asked = query.narrowed(Asked(kind="decided", cursor="WzFd", entry="12"), actor="sam")
    assert asked == Asked(kind="decided", actor="sam")


def test_opening_and_closing_keep_the_page() -> None:
    asked = Asked(tool="refund_order", cursor="WzFd")
    assert query.opening(asked, 12) == "/audit?tool=refund_order&cursor=WzFd&entry=12"
    assert query.closing(
        query.read({"tool": "refund_order", "cursor": "WzFd", "entry": "12"})
    ) == query.address(asked)


def test_a_file_holds_what_the_filters_leave_and_not_only_the_page() -> None:
    asked = Asked(kind="decided", cursor="WzFd", entry="3")
    assert query.export(asked, "csv") == "/api/v1/audit/export?kind=decided&format=csv"


def test_times_reach_the_service_aware_and_in_utc() -> None:
    found = query.filters(query.read({"since": "2026-07-14T10:41:22+02:00", "actor": "sam"}))
    assert found == {"since": AT, "actor_name": "sam"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"since": "yesterday"},
        {"until": "2026-07-14T10:41:22"},
        {"entry": "-1"},
        {"entry": "１２"},
        {"entry": "9" * 16},
        {"kind": ["a", "b"]},
        {"q": "x" * 401},
        {"q": "\ud800"},
    ],
)
def test_an_address_that_cannot_be_read_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        query.read(wrong)


def test_every_filter_of_the_address_can_be_taken_away() -> None:
    assert [(pin.label, pin.href) for pin in pins(Asked(review="r1", thread="t1", kind="lost"))] == [
        ("Review", "/audit?kind=lost&thread=t1"),
        ("Thread", "/audit?kind=lost&review=r1"),
    ]


def test_a_menu_keeps_showing_what_the_address_asks_for() -> None:
    assert [each.value for each in options(["ada", "sam"], "sue")] == ["ada", "sam", "sue"]


# Rows and the three columns


def test_a_row_draws_hidden_characters_of_others_as_what_they_are() -> None:
    drawn = entry(row(actor=HIDDEN, what=HIDDEN, outcome=HIDDEN), Asked())
    assert [part.hazard for part in drawn.what] == ["", "right-to-left override"]
    assert "\u202e" not in drawn.actor + drawn.outcome + plain(drawn.what)


def test_a_refusal_and_a_broken_check_never_look_good() -> None:
    assert entry(row(kind="denied", outcome="refused"), Asked()).outcome_tone == "amber"
    assert entry(row(kind="verified", outcome="broken"), Asked()).outcome_tone == "red"
    assert entry(row(kind="verified", outcome="intact"), Asked()).outcome_tone == "green"


def sided(decision: str, decided: str = "", executed: str = "", ran: bool | None = None, **more: str) -> Side:
    proposed = more.get("proposed", '{"amount": 699}')
    return side(AuditSides(0, "refund_order", proposed, decision, "", decided, executed, "", ran))


def test_an_edit_shows_the_three_columns_and_marks_what_changed() -> None:
    (line,) = sided("edit", '{"amount": 499}', '{"amount": 499}').lines
    assert [plain(each.parts) for each in (line.proposed, line.decided, line.executed)] == [
        "699",
        "499",
        "499",
    ]
    assert (line.changed, line.as_decided, line.differs) == (True, True, False)


def test_what_ran_other_than_decided_is_marked() -> None:
    (line,) = sided("approve", '{"amount": 699}', '{"amount": 699.0}').lines
    assert (line.changed, line.as_decided, line.differs) == (False, False, True)


def test_a_text_that_looks_like_the_number_is_another_value() -> None:
    (line,) = sided("edit", '{"amount": "699"}').lines
    assert (line.changed, line.decided.quoted, line.proposed.quoted) == (True, True, False)


def test_numbers_keep_every_digit() -> None:
    (line,) = sided("approve", proposed='{"amount": 9007199254740993}').lines
    assert plain(line.proposed.parts) == "9007199254740993"


def test_a_rejected_action_has_nothing_decided_and_nothing_executed() -> None:
    (line,) = sided("reject").lines
    assert (line.decided.there, line.executed.there, line.changed, line.differs) == (False,) * 4


def test_an_argument_that_came_only_with_the_run_is_shown_and_marked() -> None:
    lines = sided("approve", '{"amount": 699}', '{"amount": 699, "note": "x"}').lines
    assert [(line.key, line.differs) for line in lines] == [("amount", False), ("note", True)]


def test_arguments_that_are_no_object_stand_as_their_exact_text() -> None:
    (line,) = sided("approve", proposed="[1, 2").lines
    assert plain(line.proposed.parts) == "[1, 2"


def opened(ran: list[bool | None], seen: bool | None = None) -> AuditEntry:
    sides = [AuditSides(at, "t", "{}", "approve", "", "{}", "", "", each) for at, each in enumerate(ran)]
    return AuditEntry(
        row(), [row(), row(seq=8, kind="settled", outcome="ran")], False, sides, seen_is_stored=seen
    )


@pytest.mark.parametrize(
    ("ran", "said"), [([True, True], "same"), ([True, None], ""), ([None, False], "differs"), ([], "")]
)
def test_agreement_is_said_only_when_all_of_it_was_compared(ran: list[bool | None], said: str) -> None:
    assert detail(opened(ran), Asked()).ran == said


def test_the_timeline_knows_the_opened_entry_and_a_good_end() -> None:
    found = detail(opened([]), Asked(kind="decided"))
    assert [(each.seq, each.look) for each in found.timeline] == [(7, "on"), (8, "ok")]
    assert found.timeline[1].href == "/audit?kind=decided&entry=8"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "under 1 s in all"), (114, "1 min 54 s in all"), (7261, "2 h 1 min in all"), (-5, "")],
)
def test_a_story_says_how_long_it_took_unless_the_clock_went_back(seconds: int, words: str) -> None:
    assert lasted([row(), row(at=AT + timedelta(seconds=seconds))]) == words


# Checks


@pytest.mark.parametrize(
    ("report", "state", "tone", "title"),
    [
        (Report(verify.INTACT, 1204), "intact", "green", "Intact"),
        (Report(verify.UNSIGNED, 1204, reason="x"), "unsigned", "green", "Intact, with an unsigned tail"),
        (Report(verify.BROKEN, 0, 1007, "x"), "broken", "alarm", "Broken at entry 1,007"),
        (Report(verify.CUT, 9, reason="x"), "cut", "alarm", "Cut or rolled back"),
        (Report(verify.UNREADABLE, reason="x"), "unreadable", "alarm", "Not readable"),
    ],
)
def test_each_end_of_a_check_has_its_words(report: Report, state: str, tone: str, title: str) -> None:
    said = told(Standing(1, report=report, by="ada", ended_at=AT))
    assert (said.state, said.tone, said.title) == (state, tone, title)
    assert ("Verified to" in said.text) == (tone == "green")


def test_a_check_that_stopped_proves_nothing() -> None:
    assert told(Standing(1, problem="The disk is full.")).tone == "amber"
    assert told(Standing()).state == "none"


def test_one_check_runs_at_a_time_and_its_end_is_kept() -> None:
    checks, going = Checks(), []

    def work(progress: Any) -> Report:
        progress(1, 2)
        wait_for(lambda: going)
        return Report(verify.INTACT, 2)

    checks.start(work, by="ada", deep=False)
    wait_for(lambda: checks.now.total)
    assert (checks.now.running, checks.now.done, checks.now.report) == (True, 1, None)
    with pytest.raises(Conflict, match="ada"):
        checks.start(work, by="sue", deep=True)
    going.append(True)
    wait_for(lambda: not checks.now.running)
    assert checks.now.report == Report(verify.INTACT, 2)


def test_a_check_that_raises_ends_without_a_result(caplog: pytest.LogCaptureFixture) -> None:
    checks = Checks()

    def work(progress: Any) -> Report:
        raise OSError("a secret path")

    checks.start(work, by="ada", deep=False)
    wait_for(lambda: not checks.now.running)
    assert checks.now.report is None
    assert "proved nothing" in checks.now.problem
    assert "a secret path" not in checks.now.problem
    assert "a secret path" in caplog.text
