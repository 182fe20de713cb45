"""One field as the page draws it. Every text of others is ready to be drawn: what was hidden is an escape."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Choice:
    """`text` is what is sent back."""

    text: str
    label: str


@dataclass(frozen=True)
class Op:
    """A button beside a field; `arg` goes with the step."""

    op: str
    label: str
    arg: str = ""


@dataclass(frozen=True)
class Node:
    """`turn` changes when the server's text is to replace what stands in the field.

    `long`: the text is kept apart under the id, so that it does not travel with every change elsewhere.
    """

    id: str
    pointer: str
    label: str
    kind: str
    turn: int
    text: str = ""
    long: bool = False
    hint: str = ""
    blank: str = ""
    said: str = ""
    note: str = ""
    error: str = ""
    warning: str = ""
    hidden: str = ""
    changed: bool = False
    was: str = ""
    required: bool = False
    fixed: bool = False
    options: list[Choice] = field(default_factory=list)
    variants: list[Choice] = field(default_factory=list)
    variant: str = ""
    ops: list[Op] = field(default_factory=list)
    name: str = ""
    rename: str = ""
    add: str = ""
    add_key: str = ""
    children: list[Node] = field(default_factory=list)
