"""A shop's checkout in Flask: collects a mobile-money payment, gets its outcome by webhook, and refunds it."""

from __future__ import annotations

import os
import uuid
from typing import Any, Final

from flask import Flask, request

from malipo import Malipo, OutcomeUnknown, Refused, WebhookError, verify_webhook

# A missing setting must fail at the start, and not at a customer's payment.
malipo = Malipo(os.environ["MALIPO_URL"], os.environ["MALIPO_API_KEY"], os.environ["MALIPO_API_SECRET"])
webhook_secret = os.environ["MALIPO_WEBHOOK_SECRET"]

AMOUNT: Final = "25.50"
CURRENCY: Final = "ZMW"

Order = dict[str, Any]
# The answer and its HTTP status.
Told = tuple[dict[str, Any], int]

# A real shop stores orders in its database, and changes each in a transaction. `status` is one of waiting, paid, not_paid,
# to_check (the paid amount differs from the price, and the shop's staff decides), refunding, refunded.
orders: dict[str, Order] = {}

app = Flask(__name__)


@app.get("/")
def form() -> str:
    return """<form method="post" action="/orders">
<label>Your number <input name="phone_number" value="+260763456789"></label> <button>Pay 25.50 ZMW</button></form>"""


@app.post("/orders")
def pay() -> Told:
    sent = request.get_json(silent=True) if request.is_json else request.form
    phone_number = sent.get("phone_number", "") if isinstance(sent, dict) else ""
    order: Order = {"order_id": str(uuid.uuid4()), "status": "waiting", "amount": AMOUNT, "currency": CURRENCY}
    order["failed_refunds"] = []
    orders[order["order_id"]] = order
    try:
        deposit = malipo.momo_deposit(
            amount=AMOUNT,
            currency=CURRENCY,
            country="ZMB",
            phone_number=str(phone_number),
            account_reference=order["order_id"],
            customer_message="Your order",
            # However often this request is sent, one order is one payment.
            idempotency_key=f"order-{order['order_id']}-1",
        )
    except Refused as error:
        if order["status"] == "waiting":
            order["status"] = "not_paid"
        return refusal(error, order)
    except OutcomeUnknown:
        return doubt(order)
    order["transaction_id"] = deposit["transaction_id"]
    return order, 201


@app.get("/orders/<order_id>")
def show(order_id: str) -> Told:
    order = orders.get(order_id)
    if order is None:
        return {"error": "no such order"}, 404
    try:
        if "transaction_id" not in order:
            # The answer was lost: was the request accepted all the same?
            found = malipo.list_payments(reference=order_id, type_="deposit", limit="1")["payments"]
            if not found:
                return order, 200
            order.setdefault("transaction_id", found[0]["payment_id"])
        status = malipo.momo_status(transaction_id=order["transaction_id"])
    except (Refused, OutcomeUnknown):
        # The shop can always show its own data.
        return order, 200
    return {**order, "next_step": status["next_step"]["en"]}, 200


@app.post("/orders/<order_id>/refund")
def give_back(order_id: str) -> Told:
    order = orders.get(order_id)
    if order is None or order["status"] not in ("paid", "refunding"):
        return {"error": "not paid"}, 409
    is_repeat = order["status"] == "refunding"
    # Set before the request: the webhook may arrive before the answer.
    order["status"] = "refunding"
    try:
        malipo.momo_refund(
            transaction_id=order["transaction_id"],
            # A refund whose outcome is unknown is repeated with its key. After a failed refund, a new one gets a new key.
            idempotency_key=f"refund-{order_id}-{len(order['failed_refunds'])}",
            is_repeat=is_repeat,
        )
    except Refused as error:
        if order["status"] == "refunding":
            order["status"] = "paid"
        return refusal(error, order)
    except OutcomeUnknown:
        return doubt(order)
    return order, 200


@app.post("/webhooks")
def webhooks() -> Told:
    try:
        # The body as received: the signature covers its bytes.
        webhook = verify_webhook(request.get_data(), dict(request.headers), webhook_secret)
    except WebhookError as error:
        return {"error": str(error)}, 400
    if webhook.type == "Mobile-Money":
        hear(webhook.body)
    return {}, 204


def hear(told: dict[str, Any]) -> None:
    """Webhooks arrive in any order, and more than once: an older one must not overwrite a newer one."""
    order = orders.get(told["account_reference"])
    if order is None:
        return
    is_success = told["status"] == "Success"
    # An unknown status is not final.
    is_failure = told["status"] in ("Failed", "Cancelled")
    is_all_of_it = told["amount"] == order["amount"] and told["currency"] == order["currency"]
    if told["type"] == "deposit":
        if order.setdefault("transaction_id", told["transaction_id"]) != told["transaction_id"]:
            return
        # A success may follow a failure, and a failure never follows a success.
        if is_success and order["status"] in ("waiting", "not_paid"):
            order["status"] = "paid" if is_all_of_it else "to_check"
        if is_failure and order["status"] == "waiting":
            order["status"] = "not_paid"
    if told["type"] == "refund":
        if is_success:
            order["status"] = "refunded" if is_all_of_it else "to_check"
        if is_failure and told["transaction_id"] not in order["failed_refunds"]:
            order["failed_refunds"].append(told["transaction_id"])
            if order["status"] == "refunding":
                order["status"] = "paid"


def refusal(error: Refused, order: Order) -> Told:
    """The shop or the customer must correct it."""
    return {**order, "error": str(error), "code": error.code}, 422


def doubt(order: Order) -> Told:
    """The outcome is queried later."""
    return {**order, "error": "We do not know yet. Do not pay again."}, 202


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ.get("PORT", "8000")))
