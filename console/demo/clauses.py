"""What a customer's sentence asks for, clause by clause. Never raises, whatever the text.

A message falls into clauses at: and , ; ， ； 、 并 和 然后, "then", line ends and full stops. A clause
names one act by the first verb in it. A piece without a verb continues the clause before it (an address
has commas in it); when it names another order of a look-up or a refund it is a clause of its own ("refund
A-2048 699 and A-2049 450"). A comma between digits is part of a number ("1,200"). Quoted text is never cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

Language = Literal["en", "zh"]
Verb = Literal["ask_supervisor", "send_sms", "refund_order", "update_shipping_address", "get_order"]
Number = int | float

MOST_READ = 4000

ORDER = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]-[0-9]{4}(?![0-9])")
QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”|「([^」]*)」')
NUMBER = re.compile(
    r"(?<![A-Za-z0-9.])(?P<minus>-)?[$€¥￥]?\s?(?P<minus2>-)?"
    r"(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
)
_SEPARATOR = re.compile(
    QUOTED.pattern
    + r"|(?P<cut>\b(?:and\s+)?then\b|\band\b|(?<![0-9]),|,(?![0-9]{3}(?![0-9]))|[;，；、。！？\n]"
    r"|[.!?](?=\s|$)|并且|并|和|然后)",
    re.IGNORECASE,
)
# When two verbs begin at the same place the earlier entry wins.
_VERBS: tuple[tuple[Verb, re.Pattern[str]], ...] = (
    (
        "ask_supervisor",
        re.compile(
            r"\bask\s+(?:(?:your|the|my|a)\s+)?supervisor\b|\bcheck\s+with\s+(?:your|the|a)\s+supervisor\b"
            r"|(?:询问|请教|请示|问)(?:一下|一问|问)?(?:您的?|你们?的?)?主管",
            re.IGNORECASE,
        ),
    ),
    (
        "send_sms",
        re.compile(
            r"\btext\s+(?:(?:the|this|that)\s+)?(?:customer|him|her|them|me)\b|\bmessage\s+the\s+customer\b|\bsms\b"
            r"|\btext\s+message\b|(?:发送?|用)(?:一?[条个])?短信|短信通知",
            re.IGNORECASE,
        ),
    ),
    (
        "refund_order",
        re.compile(
            r"\brefund(?:ed|ing|s)?\b|\bmoney\s+back\b|\breimburse\b|退款|退钱|退还|退回|退(?=\s*[¥￥$€]?\s*[0-9])",
            re.IGNORECASE,
        ),
    ),
    (
        "update_shipping_address",
        re.compile(
            r"\baddress\b|\b(?:ship|deliver)\b(?=.*\bto\b)|地址|(?=改?(?:寄|送|发)(?:到|至))",
            re.IGNORECASE | re.DOTALL,
        ),
    ),
    (
        "get_order",
        re.compile(
            r"\blook(?:ing)?\s+(?:up|at)\b|\bcheck\b|\bstatus\b|\bwhere(?:\s+is|'s|’s)\b|\btrack\b|\bshow\s+me\b"
            r"|查询|查看|查找|查一下|查",
            re.IGNORECASE,
        ),
    ),
)
_NEW_ADDRESS = re.compile(
    r"(?:改为|改成|改到|更新为|变更为|换成|换到|(?:寄|送|发)(?:到|至)|为|[:：]|\bto\b|\bis\b)\s*(?P<value>.+)",
    re.IGNORECASE | re.DOTALL,
)
_SAYS = re.compile(
    r"(?:\bthat\b|\bsaying\b|\bsay\b|告诉(?:客户|顾客|他们?|她们?)?|内容[是为]?|[:：])\s*(?P<value>.+)",
    re.IGNORECASE | re.DOTALL,
)
_REASON = re.compile(
    r"(?:\bbecause(?:\s+of)?\b|\breason\s*:?|因为|原因(?:是|为|[:：])?)\s*(?P<value>.+)",
    re.IGNORECASE | re.DOTALL,
)
_FAIL = re.compile(r"\braise\s+an\s+error\b|出错", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_TRIM = ' \t\r\n.,;:!?，。；：！？、"“”「」'


@dataclass(frozen=True)
class Clause:
    """One thing that was asked for.

    `order_id` is None when no order is known, `amount` when no number was typed, `detail` (the new
    address, the words of the message, the question, the reason of a refund) when it was not said.
    """

    verb: Verb
    order_id: str | None = None
    amount: Number | None = None
    detail: str | None = None


def language_of(text: str) -> Language | None:
    """None for a text of no language, such as an order number alone."""
    if _HAN.search(text):
        return "zh"
    return "en" if _WORD.search(text) else None


def asks_to_fail(text: str) -> bool:
    """The customer wants to see how a failing model looks."""
    return _FAIL.search(text) is not None


def last_order(text: str) -> str | None:
    """The order number mentioned last."""
    found = ORDER.findall(text)
    return found[-1].upper() if found else None


def read_clauses(text: str, earlier_order: str | None = None) -> list[Clause]:
    """The clauses of a message in the order they were said.

    A clause without an order takes the last one said before it, else the first one said after it, else
    `earlier_order` (of an earlier message). Only the first MOST_READ characters count.
    """
    text = text[:MOST_READ]
    raw = list(_clause_texts(text))
    orders = ORDER.findall(text)
    order = None
    clauses = []
    for verb, words in raw:
        order = last_order(words) or order
        before = _order_before(text, words) if order is None else order
        known = before or (orders[0].upper() if orders else earlier_order)
        clauses.append(_read(verb, words, known))
    return clauses


def typed_number(text: str) -> Number | None:
    """The first number that is no order number, as it was typed: 699 stays an int, 12.5 a float."""
    found = NUMBER.search(ORDER.sub(" ", text))
    if found is None:
        return None
    digits = found["digits"].replace(",", "")
    # A checkpoint cannot store an int beyond 64 bits, and no order costs that much.
    value: Number = int(digits) if "." not in digits and len(digits) < 19 else float(digits)
    return -value if found["minus"] or found["minus2"] else value


def _order_before(text: str, words: str) -> str | None:
    # A piece without a verb ("For A-2048, refund 699") belongs to no clause, but it may name the order.
    return last_order(text[: max(text.find(words), 0)])


def _clause_texts(text: str) -> Iterator[tuple[Verb, str]]:
    verb: Verb | None = None
    words = ""
    for separator, piece in _pieces(text):
        own = _verb_of(piece)
        if (
            own is None
            and verb in ("get_order", "refund_order")
            and ORDER.search(piece)
            and ORDER.search(words)
        ):
            own = verb
        if own is not None:
            if verb is not None:
                yield verb, words.strip()
            verb, words = own, piece
        elif verb is not None:
            words += separator + piece
    if verb is not None:
        yield verb, words.strip()


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    start, separator = 0, ""
    for cut in _SEPARATOR.finditer(text):
        if cut["cut"] is None:
            continue
        yield separator, text[start : cut.start()]
        separator, start = cut.group(), cut.end()
    yield separator, text[start:]


def _verb_of(piece: str) -> Verb | None:
    said = QUOTED.sub(lambda quote: " " * len(quote.group()), piece)
    hits = [(hit.start(), rank, verb) for rank, (verb, rx) in enumerate(_VERBS) if (hit := rx.search(said))]
    return min(hits)[2] if hits else None


def _read(verb: Verb, words: str, order_id: str | None) -> Clause:
    clause = Clause(verb, order_id)
    found = dict(_VERBS)[verb].search(words)
    rest = words[found.end() :] if found else words
    match verb:
        case "refund_order":
            return replace(clause, amount=typed_number(words), detail=_value(_REASON, words))
        case "update_shipping_address":
            return replace(clause, detail=_quoted(words) or _value(_NEW_ADDRESS, rest))
        case "send_sms":
            return replace(clause, detail=_quoted(words) or _value(_SAYS, rest))
        case "ask_supervisor":
            return replace(clause, detail=rest.strip(_TRIM) or None)
    return clause


def _value(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return (found["value"].strip(_TRIM) or None) if found else None


def _quoted(text: str) -> str | None:
    found = QUOTED.search(text)
    return next((part.strip() for part in found.groups() if part and part.strip()), None) if found else None
