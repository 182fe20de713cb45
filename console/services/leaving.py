"""How a thread left a pause that the console did not answer: by an answer from elsewhere, or otherwise.

What cannot be told: a run with durability "exit" keeps only its last step, so that a message sent into a
pause of a graph without tool calls looks there like an answer to it.
"""

from __future__ import annotations

from collections.abc import Callable

from console.domain.thread import Snapshot
from console.sources.port import Left, Source
from console.store import reviews
from console.store.engine import RowMapping

LeftBy = Callable[[RowMapping], Left]


def nobody_knows(_: RowMapping) -> Left:
    return Left.UNKNOWN


def way_out(source: Source, snapshot: Snapshot | None, row: RowMapping) -> Left:
    left = source.left(row["thread_id"], row["checkpoint_id"])
    if left is Left.ANSWERED and snapshot is not None and _was_dropped(snapshot, row):
        return Left.MESSAGE
    return left


def _was_dropped(snapshot: Snapshot, row: RowMapping) -> bool:
    """True when a message follows the review's calls and no result of theirs: an answer gives them one."""
    ids = {action.tool_call_id for action in reviews.actions_of(row) if action.tool_call_id}
    asked = [at for at, each in enumerate(snapshot.messages) if ids & {call.id for call in each.tool_calls}]
    if not asked:
        return False
    after = snapshot.messages[asked[-1] + 1 :]
    return any(each.role == "human" for each in after) and not any(each.tool_call_id in ids for each in after)
