"""What can hinder the console from recording, and how it is said. While it does, nothing is decided."""

from __future__ import annotations

from enum import StrEnum


class Trouble(StrEnum):
    FULL = "full"
    LOCKED = "locked"
    READ_ONLY = "read_only"
    FAILING = "failing"
    DAMAGED = "damaged"

    @property
    def heading(self) -> str:
        return f"{_WORDS[self][0]}: the console is read-only."

    @property
    def text(self) -> str:
        """What does not work, that nothing is lost, and what to do."""
        return f"{_REST} {_WORDS[self][1]}"


_REST = "No decision is accepted until it can be recorded; nothing is lost, and open reviews wait."
_ITSELF = "The console then goes on by itself."
_WORDS = {
    Trouble.FULL: ("Disk full", f"Make room where the database lies. {_ITSELF}"),
    Trouble.LOCKED: ("Database locked", f"End the program that holds the database. {_ITSELF}"),
    Trouble.READ_ONLY: ("Database not writable", f"Make the database file writable again. {_ITSELF}"),
    Trouble.FAILING: ("Disk failing", f"Look at the disk and at the server's log. {_ITSELF}"),
    Trouble.DAMAGED: ("Database damaged", "Stop the console and put a backup of the database back."),
}
