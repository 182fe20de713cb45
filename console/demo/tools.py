"""The five things the agent can do. What the shop refuses becomes an error of the tool; the run goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from langchain.tools import ToolRuntime, tool
from langchain_core.tools import BaseTool, ToolException
from pydantic import Field

from console.demo import shop
from console.demo.shop import CURRENCY, Act, ShopRefusal, money_text

OrderId = Annotated[str, Field(description="The order number, such as A-2048")]


def make_tools(shop_path: Path) -> list[BaseTool]:
    """The tools over one shop file, in the order a reader would list them."""
    tools = [
        _get_order(shop_path),
        _refund_order(shop_path),
        _update_shipping_address(shop_path),
        _send_sms(shop_path),
        _ask_supervisor(),
    ]
    for each in tools:
        each.handle_tool_error = True
    return tools


def act_of(runtime: ToolRuntime[Any, Any]) -> Act:
    """The call that is running, with the decision id that the console put into the config for it."""
    configurable = runtime.config.get("configurable", {})
    thread_id, call_id = configurable.get("thread_id"), runtime.tool_call_id
    if not thread_id or not call_id:
        # Without both there is no key that keeps a repeated call from acting twice.
        raise ToolException("this call has no thread id or no tool call id")
    decisions = configurable.get("console_decisions") or {}
    return Act(str(thread_id), call_id, decisions.get(call_id))


def _get_order(shop_path: Path) -> BaseTool:
    @tool
    def get_order(order_id: OrderId) -> str:
        """Look up an order: item, total, state, customer, address and what was refunded so far."""
        try:
            return json.dumps(shop.find_order(shop_path, order_id), ensure_ascii=False)
        except ShopRefusal as refusal:
            raise ToolException(str(refusal)) from refusal

    return get_order


def _refund_order(shop_path: Path) -> BaseTool:
    @tool
    def refund_order(
        order_id: OrderId,
        amount: Annotated[float, Field(description=f"How much to give back, in {CURRENCY}")],
        runtime: ToolRuntime[Any, Any],
        reason: Annotated[str, Field(description="Why, in a few words")] = "",
    ) -> str:
        """Give money back for an order."""
        try:
            done = shop.refund(shop_path, act_of(runtime), order_id, amount)
        except ShopRefusal as refusal:
            raise ToolException(str(refusal)) from refusal
        return _refund_text(done)

    return refund_order


def _refund_text(done: shop.Refund) -> str:
    text = f"Refunded {money_text(done.amount)} {CURRENCY} for order {done.order_id}."
    if done.earlier_count:
        earlier = f"{done.earlier_count} earlier, {money_text(float(done.earlier_sum))} {CURRENCY} in all"
        text += f" Note: this order was already refunded before ({earlier})."
    if float(done.earlier_sum) + done.amount > done.order_total:
        text += f" Note: that is more than the order's total of {money_text(done.order_total)} {CURRENCY}."
    return text


def _update_shipping_address(shop_path: Path) -> BaseTool:
    @tool
    def update_shipping_address(
        order_id: OrderId,
        address: Annotated[str, Field(description="The whole new address")],
        runtime: ToolRuntime[Any, Any],
    ) -> str:
        """Change where an order is shipped to."""
        try:
            set_to = shop.change_address(shop_path, act_of(runtime), order_id, address)
        except ShopRefusal as refusal:
            raise ToolException(str(refusal)) from refusal
        return f"Order {order_id} now ships to: {set_to}"

    return update_shipping_address


def _send_sms(shop_path: Path) -> BaseTool:
    @tool
    def send_sms(
        order_id: OrderId,
        text: Annotated[str, Field(description="What the customer will read")],
        runtime: ToolRuntime[Any, Any],
    ) -> str:
        """Send a text message to the customer of an order."""
        try:
            sent = shop.send_message(shop_path, act_of(runtime), order_id, text)
        except ShopRefusal as refusal:
            raise ToolException(str(refusal)) from refusal
        return f"Sent to the customer of order {order_id}: {sent}"

    return send_sms


def _ask_supervisor() -> BaseTool:
    @tool
    def ask_supervisor(question: Annotated[str, Field(description="One clear question")]) -> str:
        """Ask a supervisor a question and get the answer in their own words."""
        # The answer takes the place of this call. Should the gate ever be missing, nobody was asked.
        raise ToolException("no supervisor was asked")

    return ask_supervisor
