"""A shop's checkout on the standard library: takes a mobile-money payment, learns of it by webhook, and gives it back."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from malipo import Malipo, OutcomeUnknown, Refused, WebhookError, verify_webhook

malipo = Malipo(os.environ["MALIPO_URL"], os.environ["MALIPO_API_KEY"], os.environ["MALIPO_API_SECRET"])
webhook_secret = os.environ["MALIPO_WEBHOOK_SECRET"]

# A shop keeps them in its database.
orders: dict[str, dict[str, str]] = {}
webhooks_seen: set[str] = set()

FORM = """<form method="post" action="/orders">
<label>Your number <input name="phone_number" value="+260763456789"></label> <button>Pay 25.50 ZMW</button></form>"""


def pay(phone_number: str) -> tuple[int, dict[str, str]]:
    order = {"order_id": str(uuid.uuid4()), "status": "waiting"}
    orders[order["order_id"]] = order
    deposit = malipo.momo_deposit(
        amount="25.50",
        currency="ZMW",
        country="ZMB",
        phone_number=phone_number,
        account_reference=order["order_id"],
        customer_message="Your order",
        # Whatever happens on the way, and however often this is sent: one order is one payment.
        idempotency_key=f"pay-{order['order_id']}",
    )
    order["transaction_id"] = deposit["transaction_id"]
    return 201, order


def show(order_id: str) -> tuple[int, dict[str, str]]:
    order = orders.get(order_id)
    if order is None or "transaction_id" not in order:
        return 404, {"error": "no such order"}
    status = malipo.momo_status(transaction_id=order["transaction_id"])
    return 200, {**order, "next_step": status["next_step"]["en"]}


def give_back(order_id: str) -> tuple[int, dict[str, str]]:
    order = orders.get(order_id)
    if order is None or order["status"] != "paid":
        return 409, {"error": "not paid"}
    malipo.momo_refund(transaction_id=order["transaction_id"], idempotency_key=f"refund-{order_id}")
    if order["status"] == "paid":
        order["status"] = "refunding"
    return 200, order


def hear(raw_body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, str]]:
    webhook = verify_webhook(raw_body, headers, webhook_secret)
    body = webhook.body
    if webhook.type == "Mobile-Money" and webhook.id not in webhooks_seen:
        order = orders.get(body["account_reference"])
        is_success = body["status"] == "Success"
        if order is not None and body["type"] == "deposit":
            order["status"] = "paid" if is_success else "not_paid"
        if order is not None and body["type"] == "refund":
            order["status"] = "refunded" if is_success else "paid"
        webhooks_seen.add(webhook.id)
    return 204, {}


class Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/":
            self._answer(200, FORM.encode(), "text/html")
        else:
            self._json(lambda: show(self.path.removeprefix("/orders/")))

    def do_POST(self) -> None:
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == "/webhooks":
            # The body as it came: the signature is over its bytes.
            self._json(lambda: hear(raw_body, dict(self.headers.items())))
        elif self.path == "/orders":
            is_json = self.headers.get_content_type() == "application/json"
            form = json.loads(raw_body) if is_json else {k: v[0] for k, v in parse_qs(raw_body.decode()).items()}
            self._json(lambda: pay(form["phone_number"]))
        else:
            self._json(lambda: give_back(self.path.split("/")[2]))

    def _json(self, work: Callable[[], tuple[int, object]]) -> None:
        # A refusal is the shop's to mend, or the customer's; anything else is in doubt, and asked about later.
        try:
            status, told = work()
        except WebhookError as error:
            status, told = 400, {"error": str(error)}
        except Refused as error:
            status, told = 422, {"error": str(error), "code": error.code}
        except OutcomeUnknown:
            status, told = 202, {"error": "We do not know yet. Do not pay again."}
        self._answer(status, json.dumps(told).encode(), "application/json")

    def _answer(self, status: int, body: bytes, type: str) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", type)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 204:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Shop).serve_forever()
