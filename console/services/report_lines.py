"""A verification's report in lines, the result first."""

from __future__ import annotations

from collections.abc import Iterator

from console.domain.text import escape
from console.services.verify import BROKEN, CUT, INTACT, UNREADABLE, UNSIGNED, Report


def in_lines(report: Report) -> Iterator[str]:
    """For a terminal: whatever the entries hold, control characters are escaped."""
    at = f" at entry {report.first_bad}" if report.first_bad else ""
    words = {
        INTACT: f"intact: {report.entries} entries, all signed",
        UNSIGNED: f"intact: {report.entries} entries; {report.reason}",
        BROKEN: f"broken{at}: {report.reason}",
        CUT: f"cut or rolled back: {report.reason}",
        UNREADABLE: f"not readable: {report.reason}",
    }
    yield escape(words[report.status])
    if report.skipped and report.status != UNREADABLE:
        yield f"not checked: entries 1 to {report.skipped}, which an earlier head covers"
    if report.first_at:
        rate = report.megabytes / report.seconds if report.seconds else 0.0
        yield escape(
            f"first {report.first_at}, last {report.last_at}, {report.megabytes:.1f} MB at {rate:.0f} MB/s"
        )
    if report.redacted:
        yield f"{report.redacted} payloads were erased"
    yield from (escape(f"warning: {warning}") for warning in report.warnings)
