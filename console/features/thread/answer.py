"""The free answer to an interrupt that is no tool approval: a text, or any JSON value. Pure."""

from __future__ import annotations

from typing import Any

from console.forms.exact import JsonProblem, loads


def missing(text: str, as_json: bool) -> str:
    if not as_json:
        return "" if text.strip() else "The answer is empty"
    try:
        loads(text.strip())
    except JsonProblem as problem:
        return f"The answer is no JSON: {problem}" if text.strip() else "The answer is empty"
    return ""


def read(text: str, as_json: bool) -> Any:
    return loads(text.strip()) if as_json else text
