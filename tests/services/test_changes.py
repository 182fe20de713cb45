"""What is told within the process reaches everyone who listens, and drafts live until they are cleared."""

from __future__ import annotations

import logging

import pytest

from console.services.changes import Change, Changes, Drafts


def test_a_listener_hears_until_it_leaves() -> None:
    changes, heard = Changes(), list[Change]()
    leave = changes.subscribe(heard.append)
    changes.publish(Change("queue"), Change("thread", "support", "t1"))
    leave()
    leave()
    changes.publish(Change("audit"))
    assert heard == [Change("queue"), Change("thread", "support", "t1")]


def test_leaving_takes_nobody_else_along() -> None:
    changes, one, two = Changes(), list[Change](), list[Change]()
    leave = changes.subscribe(one.append)
    changes.subscribe(two.append)
    leave()
    changes.publish(Change("queue"))
    assert (one, two) == ([], [Change("queue")])


def test_a_listener_that_fails_is_logged_and_keeps_nothing_from_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    changes, heard = Changes(), list[Change]()

    def broken(_: Change) -> None:
        raise RuntimeError("no page any more")

    changes.subscribe(broken)
    changes.subscribe(heard.append)
    with caplog.at_level(logging.ERROR, "console.changes"):
        changes.publish(Change("review"), Change("audit"))
    assert heard == [Change("review"), Change("audit")]
    assert [record.getMessage() for record in caplog.records] == [
        "a listener failed on review",
        "a listener failed on audit",
    ]


def test_a_listener_may_leave_while_it_is_told() -> None:
    changes, heard = Changes(), list[str]()

    def once(change: Change) -> None:
        heard.append(change.kind)
        leave()

    leave = changes.subscribe(once)
    changes.publish(Change("queue"), Change("audit"))
    assert heard == ["queue"]


def test_a_draft_grows_by_thread_and_ends_when_it_is_cleared() -> None:
    drafts = Drafts()
    for text in ("Good", " day"):
        drafts.append("support", "t1", text)
    drafts.append("other", "t1", "elsewhere")
    assert drafts.get("support", "t1") == "Good day"
    drafts.append("support", "t1", ", sam")
    assert drafts.get("support", "t1") == "Good day, sam"
    drafts.clear("support", "t1")
    drafts.clear("support", "t1")
    assert (drafts.get("support", "t1"), drafts.get("other", "t1")) == ("", "elsewhere")
