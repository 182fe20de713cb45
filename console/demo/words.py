"""What the rule-based agent says, in English and Chinese. Pure text; knows nothing of graphs or messages."""

from __future__ import annotations

import re
from typing import Any

from console.demo.clauses import Clause, Language
from console.demo.results import Result, order_facts

_TALK: dict[str, dict[Language, str]] = {
    "help": {
        "en": "I can look up an order, refund it, change its shipping address, text its customer or ask my"
        " supervisor. For example: “Look up order A-2048 and refund 699”.",
        "zh": "我可以查询订单、退款、修改收货地址、给客户发短信，或者请示主管。"
        "例如：“查询订单 A-2048，并退款 699 元”。",
    },
    "hello": {
        "en": "Hello! Which order is it about? For example: “Look up order A-2048 and refund 699”.",
        "zh": "您好！请问是哪个订单？例如：“查询订单 A-2048，并退款 699 元”。",
    },
    "thanks": {"en": "You are welcome.", "zh": "不客气。"},
    "which order": {
        "en": "Which order is it? I need its number, such as A-2048.",
        "zh": "请问是哪个订单？请告诉我订单号，例如 A-2048，好吗？",
    },
    "how much": {"en": "How much should I refund for order {order}?", "zh": "订单 {order} 需要退款多少元？"},
    "where to": {"en": "What is the new address for order {order}?", "zh": "订单 {order} 的新地址是什么？"},
    "sms": {
        "en": "We are looking after your order {order} and will keep you posted.",
        "zh": "您的订单 {order} 正在处理中，有进展我们会通知您。",
    },
    "question": {
        "en": "What should I do about this customer's request?",
        "zh": "这位客户的请求应该怎么处理？",
    },
    "next": {"en": "Next: {acts}.", "zh": "接下来：{acts}。"},
    "no more": {"en": "I will not try it again.", "zh": "我不会再次尝试。"},
    "again": {
        "en": "This order had already been refunded before.",
        "zh": "注意：此订单之前已经退过款。",
    },
    "above": {"en": "That is more than the order's total.", "zh": "注意：退款超过了订单总额。"},
    "unanswered": {"en": "I have no result for this: {act}.", "zh": "这一项没有结果：{act}。"},
}
_ACTS: dict[str, dict[Language, str]] = {
    "get_order": {"en": "look up order {order}", "zh": "查询订单 {order}"},
    "refund_order": {"en": "refund {amount} CNY for order {order}", "zh": "为订单 {order} 退款 {amount} 元"},
    "update_shipping_address": {
        "en": "change the address of order {order} to {address}",
        "zh": "把订单 {order} 的地址改为 {address}",
    },
    "send_sms": {"en": "text the customer of order {order}", "zh": "给订单 {order} 的客户发短信"},
    "ask_supervisor": {"en": "ask my supervisor", "zh": "请示主管"},
}
_DONE: dict[str, dict[Language, str]] = {
    "refund_order": {
        "en": "{amount} CNY has been refunded for order {order}.",
        "zh": "订单 {order} 已退款 {amount} 元。",
    },
    "update_shipping_address": {
        "en": "Order {order} now ships to {address}.",
        "zh": "订单 {order} 的地址已改为 {address}。",
    },
    "send_sms": {
        "en": "The customer of order {order} has been texted: “{text}”",
        "zh": "已给订单 {order} 的客户发短信：“{text}”",
    },
}
_FAILED: dict[str, dict[Language, str]] = {
    "get_order": {"en": "I could not look up order {order}: {why}.", "zh": "没能查到订单 {order}：{why}。"},
    "refund_order": {
        "en": "The refund of {amount} CNY for order {order} was not made: {why}.",
        "zh": "订单 {order} 的退款（{amount} 元）没有成功：{why}。",
    },
    "update_shipping_address": {
        "en": "The address of order {order} was not changed: {why}.",
        "zh": "订单 {order} 的地址没有修改：{why}。",
    },
    "send_sms": {
        "en": "The customer of order {order} was not texted: {why}.",
        "zh": "没有给订单 {order} 的客户发短信：{why}。",
    },
    "ask_supervisor": {
        "en": "I got no answer from my supervisor: {why}.",
        "zh": "没有得到主管的答复：{why}。",
    },
}
_STATES = {"open": "处理中", "shipped": "已发货", "delivered": "已送达", "closed": "已关闭"}
_GREETING = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))\b|你好|您好|嗨|早上好)", re.IGNORECASE
)
_THANKS = re.compile(r"\bthank|\bcheers\b|谢", re.IGNORECASE)


def talk(key: str, language: Language, **parts: object) -> str:
    """A fixed sentence by its key."""
    return _TALK[key][language].format(**parts)


def small_talk(text: str, language: Language) -> str:
    """The reply to a message that asks for nothing the agent can do."""
    if _THANKS.search(text):
        return talk("thanks", language)
    return talk("hello" if _GREETING.search(text) else "help", language)


def question_for(clause: Clause, language: Language) -> str | None:
    """What the agent has to ask before it can act; None when nothing is missing."""
    if clause.order_id is None and clause.verb != "ask_supervisor":
        return talk("which order", language)
    if clause.verb == "refund_order" and clause.amount is None:
        return talk("how much", language, order=clause.order_id)
    if clause.verb == "update_shipping_address" and clause.detail is None:
        return talk("where to", language, order=clause.order_id)
    return None


def act_phrase(tool: str, args: dict[str, Any], language: Language) -> str:
    """A proposed call in a few words, such as 'refund 699 CNY for order A-2048'."""
    return _ACTS[tool][language].format(**_parts(args)) if tool in _ACTS else tool


def describe(tool: str, args: dict[str, Any], language: Language) -> str:
    """The sentence a reviewer reads beside the call, marked as the agent's."""
    reason = f" ({args['reason']})" if args.get("reason") else ""
    parts = _parts(args)
    sentences: dict[str, dict[Language, str]] = {
        "refund_order": {
            "en": "Customer asks to refund {amount} for order {order}.",
            "zh": "客户要求为订单 {order} 退款 {amount} 元。",
        },
        "update_shipping_address": {
            "en": "Customer asks to ship order {order} to a new address: {address}",
            "zh": "客户要求把订单 {order} 寄到新地址：{address}",
        },
        "send_sms": {
            "en": "I want to text the customer of order {order}: “{text}”",
            "zh": "我想给订单 {order} 的客户发短信：“{text}”",
        },
        "ask_supervisor": {"en": "I need an answer: {question}", "zh": "我需要答复：{question}"},
    }
    return (sentences[tool][language].format(**parts) + reason)[:500] if tool in sentences else tool


def tell(result: Result, language: Language) -> str:
    """One closing sentence (or a few) for one result."""
    act = act_phrase(result.tool, result.asked, language)
    match result.kind:
        case "rejected":
            return _declined(act, result.text, language)
        case "responded":
            who = "My supervisor" if result.tool == "ask_supervisor" else "A colleague"
            return f"{who} answered: {result.text}" if language == "en" else f"主管答复：{result.text}"
        case "failed":
            template = _FAILED.get(result.tool, {}).get(language, "{why}")
            return template.format(**_parts(result.ran), why=_why(result.text, language))
        case "unanswered":
            return talk("unanswered", language, act=act)
        case "edited":
            return _change(result, language) + _done(result, language)
    return _done(result, language)


def amount_text(value: object) -> str:
    """A number as a person types it: 699.0 -> '699', 12.5 -> '12.5'; anything else as it is."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _declined(act: str, reason: str, language: Language) -> str:
    if language == "en":
        why = f"The reason given: {_stop(reason, '.')}" if reason else "No reason was given."
        return f"A colleague declined to {act}. {why} {talk('no more', language)}"
    why = f"，原因：{_stop(reason, '。')}" if reason else "，没有说明原因。"
    return f"同事没有批准{act}{why}{talk('no more', language)}"


def _done(result: Result, language: Language) -> str:
    if result.tool == "get_order":
        return _order_sentence(result.text, language)
    template = _DONE.get(result.tool, {}).get(language)
    if template is None:
        return result.text
    text = template.format(**_parts(result.ran))
    gap = " " if language == "en" else ""
    if "already refunded before" in result.text:
        text += gap + talk("again", language)
    if "more than the order's total" in result.text:
        text += gap + talk("above", language)
    return text


def _change(result: Result, language: Language) -> str:
    before, after = (amount_text(args.get("amount")) for args in (result.asked, result.ran))
    if result.tool == "refund_order" and before != after:
        return (
            f"A colleague changed the refund from {before} to {after}: "
            if language == "en"
            else f"同事把退款从 {before} 元改为 {after} 元："
        )
    return "A colleague changed my request: " if language == "en" else "同事修改了我的请求："


def _order_sentence(text: str, language: Language) -> str:
    facts = order_facts(text)
    if not facts:
        return text
    state = str(facts.get("state"))
    order, item, total = facts.get("order_id"), facts.get("item"), facts.get("total")
    if language == "en":
        return f"Order {order}: {item}, {total} CNY, {state}."
    return f"订单 {order}：{item}，{total} 元，{_STATES.get(state, state)}。"


def _why(text: str, language: Language) -> str:
    first = (text.splitlines() or [""])[0].strip().rstrip(".。")
    if language == "zh" and first == "order closed":
        return f"{first}（订单已关闭）"
    return first or ("no reason given" if language == "en" else "没有说明原因")


def _stop(text: str, stop: str) -> str:
    return text if text.endswith((".", "!", "?", "。", "！", "？")) else text + stop


def _parts(args: dict[str, Any]) -> dict[str, object]:
    return {
        "order": args.get("order_id", "?"),
        "amount": amount_text(args.get("amount", "?")),
        "address": args.get("address", "?"),
        "text": args.get("text", "?"),
        "question": args.get("question", "?"),
    }
