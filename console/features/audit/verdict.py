"""What a check of the log found, in words: each exit of `console audit verify` with its meaning. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from console.domain.text import escape
from console.features.audit.check import Standing
from console.features.audit.rows import GOOD_CHECKS
from console.features.drawn import stamp
from console.services import verify
from console.services.verify import Report
from console.services.views import AuditRow


@dataclass(frozen=True)
class Told:
    """`tone` is gray, green, amber or alarm; `state` a word for scripts; `at` when the check ended."""

    state: str = "none"
    tone: str = "gray"
    title: str = ""
    text: str = ""
    warnings: str = ""
    at: str = ""
    by: str = ""


STATES = {
    verify.INTACT: ("intact", "green", "Intact"),
    verify.UNSIGNED: ("unsigned", "green", "Intact, with an unsigned tail"),
    verify.BROKEN: ("broken", "alarm", "Broken"),
    verify.CUT: ("cut", "alarm", "Cut or rolled back"),
    verify.UNREADABLE: ("unreadable", "alarm", "Not readable"),
}


def told(standing: Standing) -> Told:
    """Of the last check that ended. Nothing counts as checked that no check has seen to its end."""
    if standing.report is None:
        if not standing.problem:
            return Told()
        return Told("failed", "amber", "Not checked", escape(standing.problem), at=stamp(standing.ended_at))
    report = standing.report
    state, tone, title = STATES[report.status]
    where = f" at entry {report.first_bad:,}" if report.status == verify.BROKEN and report.first_bad else ""
    return Told(
        state,
        tone,
        title + where,
        _text(report, standing.deep),
        " ".join(_sentence(warning) for warning in report.warnings),
        stamp(standing.ended_at),
        escape(standing.by),
    )


def recorded(row: AuditRow) -> Told:
    """Of a check of another process or before the last start, as the log itself has it."""
    tone = "green" if row.outcome in GOOD_CHECKS else "alarm"
    return Told("recorded", tone, "Last check", escape(row.what), at=stamp(row.at), by=escape(row.actor))


def _text(report: Report, deep: bool) -> str:
    if report.status in (verify.BROKEN, verify.CUT, verify.UNREADABLE):
        return _sentence(report.reason)
    how = "every entry re-hashed and compared with its search columns" if deep else "every entry re-hashed"
    erased = f", {report.redacted:,} payloads erased" if report.redacted else ""
    tail = f". {_sentence(report.reason)}" if report.status == verify.UNSIGNED else "."
    return f"Verified to #{report.entries:,}: {how}{erased}{tail}"


def _sentence(text: str) -> str:
    shown = escape(text).strip().rstrip(".")
    return f"{shown[:1].upper()}{shown[1:]}."
