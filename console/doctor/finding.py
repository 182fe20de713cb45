"""One answer: `bad` fails the command, `note` is worth knowing; both end with what to do."""

from dataclasses import dataclass
from typing import Literal

Mark = Literal["ok", "note", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    mark: Mark
    subject: str
    detail: str
