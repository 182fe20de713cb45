"""Heads that cannot be signed are said to those who read the whole log, until they are signed again."""

from __future__ import annotations

import sqlite3

from console.services.changes import Change
from console.services.heads import Signer, folder
from tests.services.world import World


def test_a_head_that_cannot_be_written_is_said_and_then_unsaid(idle: World) -> None:
    told: list[Change] = []
    idle.deps.changes.subscribe(told.append)
    signer = Signer(idle.deps)
    in_the_way = folder(idle.deps) / "heads.txt"
    in_the_way.mkdir(parents=True)
    signer.start()
    signer.stop()
    assert "Signing its heads fails" in idle.deps.unsigned
    assert told == [Change("health")]
    in_the_way.rmdir()
    signer._try()
    assert idle.deps.unsigned == ""
    assert told == [Change("health")] * 2


def test_a_log_that_is_not_what_was_signed_stays_said(idle: World) -> None:
    signer = Signer(idle.deps)
    signer.start()
    signer.stop()
    assert idle.deps.unsigned == ""
    later = Signer(idle.deps)
    with sqlite3.connect(idle.folder / "console.db") as db:
        db.execute("DROP TRIGGER ledger_no_delete")
        db.execute("DELETE FROM ledger_facet")
        db.execute("DELETE FROM ledger")
    later._try()
    later._try()
    assert "verify it" in idle.deps.unsigned
