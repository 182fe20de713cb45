"""What the history says of calls that will not get a result of their own, so that it stays valid."""

from __future__ import annotations

from collections.abc import Mapping

from console.domain.thread import Snapshot
from console.services.calls import Calls

# tool call id, tool, text, status (success or error)
Closing = list[str]


def closings(
    snapshot: Snapshot | None, calls: Calls, error: str, said: Mapping[str, tuple[str, str]] | None = None
) -> list[Closing]:
    """One for each call of the last turn without a result: what a person `said`, else what the journal knows.

    Results of a half-done step are among them as they are: a new message would drop them.
    """
    turn, results = snapshot.last_turn() if snapshot else ((), {})
    loose = snapshot.loose if snapshot else frozenset()
    found = []
    for call in turn:
        if call.id in loose:
            found.append([call.id, call.name, results[call.id].text, results[call.id].status])
        elif call.id not in results:
            text, status = (said or {}).get(call.id) or _known(call.id, calls, error[:300])
            found.append([call.id, call.name, text, status])
    return found


def _known(call_id: str, calls: Calls, error: str) -> tuple[str, str]:
    why, ended = f" ({error})" if error else "", calls.ended(call_id)
    if not call_id:
        return f"Whether this call ran is not known{why}. Do not call it again unasked.", "error"
    if ended == "ok":
        return f"This call ran to its end. Its result was lost when the run failed{why}.", "success"
    if ended == "error":
        return f"This call failed{why}.", "error"
    return f"This call did not run: the run failed before it{why}.", "error"
