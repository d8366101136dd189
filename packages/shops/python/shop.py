"""A small shop: it asks a customer's phone for money (M-PESA, STK push). Three rules make it safe:

1. It saves the order, with the key of its attempt, before it calls Malipo.
2. It repeats a request whose answer is unknown, with the same key.
3. Only a verified webhook or a queried status says what became of a payment, and each change counts once.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from malipo import Malipo, OutcomeUnknown, Refused, WebhookError, is_later, verify_webhook


def setting(name: str) -> str:
    """A missing setting must fail at the start, and not at a customer's payment."""
    value = os.environ.get(name)
    if not value:
        raise SystemExit(f"{name} is not set. `source .malipo/env` sets it, in the folder of `npm start`.")
    return value


port = int(os.environ.get("PORT", "8000"))
webhook_secret = setting("MALIPO_WEBHOOK_SECRET")
malipo = Malipo(setting("MALIPO_URL"), setting("MALIPO_API_KEY"), setting("MALIPO_API_SECRET"))

# An order has id, phone, amount (its price), attempts, message (for the customer) and changes (those that counted).
Order = dict[str, Any]
# One request to the customer: key, payment_id, sequence (of its last change), status, amount (paid), may_pay_again.
Attempt = dict[str, Any]
# A status with a page or, for 303, with an address.
Answer = tuple[int, str]


@contextmanager
def transaction() -> Iterator[sqlite3.Connection]:
    """One transaction of the file orders.db. An error undoes it."""
    with closing(sqlite3.connect(Path(__file__).with_name("orders.db"), isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        database.execute("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, content TEXT NOT NULL)")
        yield database
        database.execute("COMMIT")


def find(id: str) -> Order | None:
    with transaction() as database:
        row = database.execute("SELECT content FROM orders WHERE id = ?", (id,)).fetchone()
    return json.loads(row[0]) if row else None


@contextmanager
def changing(id: str) -> Iterator[Order]:
    """The order as it is now ({} if it is unknown): a webhook may have changed it. Saves what the block changes."""
    with transaction() as database:
        row = database.execute("SELECT content FROM orders WHERE id = ?", (id,)).fetchone()
        order = json.loads(row[0]) if row else {}
        yield order
        database.execute("UPDATE orders SET content = ? WHERE id = ?", (json.dumps(order), id))


def attempt_in(order: Order, key: str) -> Attempt | None:
    return next((attempt for attempt in order.get("attempts", []) if attempt["key"] == key), None)


def state_of(order: Order) -> str:
    """Deliver what is `paid`. `to_check` is money that differs from the price, or came twice."""
    paid = [attempt["amount"] for attempt in order["attempts"] if attempt.get("status") == "Success"]
    if paid:
        return "paid" if paid == [order["amount"]] else "to_check"
    return "not_paid" if order["attempts"][-1].get("may_pay_again") else "waiting"


def ask(order: Order) -> None:
    """Sends the last attempt, which is saved."""
    key = order["attempts"][-1]["key"]
    try:
        answer = malipo.stk_push(
            phone_number=order["phone"],
            amount=order["amount"],
            account_reference=order["id"],
            order_id=key,
            transaction_desc="Your order",
            idempotency_key=key,
            # Another page, or this shop before a crash, may have sent it: so only an answer for the key counts as refused.
            is_repeat=True,
        )
        known: Attempt = {"payment_id": answer["data"]["payment_id"]}
        message = ""
    except (Refused, OutcomeUnknown) as error:
        is_refused = isinstance(error, Refused)
        # If there is a payment, its status decides.
        known = {"payment_id": error.payment_id} if error.payment_id else {"may_pay_again": is_refused}
        message = str(error) if is_refused else "We do not know yet. Do not pay again."
        print(error)
    with changing(order["id"]) as now:
        attempt = attempt_in(now, key)
        # A webhook may come before the answer.
        if attempt is not None and "payment_id" not in attempt:
            attempt |= known
            now["message"] = message


def refresh(order: Order) -> None:
    """Repeats a request without an answer, or queries the status: a webhook may be late."""
    if state_of(order) != "waiting":
        return
    payment_id = order["attempts"][-1].get("payment_id")
    if payment_id is None:
        return ask(order)
    try:
        record(malipo.stk_push_status(payment_id=payment_id)["data"])
    except (Refused, OutcomeUnknown) as error:
        # Without an answer the shop shows what it knows.
        print(error)


def record(reported: Mapping[str, Any]) -> None:
    """Records what a webhook or a status says."""
    key, payment_id, step = reported["order_id"], reported["payment_id"], reported.get("next_step", {})
    with changing(key.removeprefix("order-").partition("-")[0]) as order:
        attempt = attempt_in(order, key)
        if attempt is None or attempt.setdefault("payment_id", payment_id) != payment_id:
            return
        if not is_later(reported, attempt.get("sequence")):
            return
        # Money that was given back leaves nothing.
        amount = 0 if step.get("code") == "money_given_back" else reported["actual_amount"]
        may_pay_again = step.get("safe_to_repeat", False) or step.get("code") == "check_sms_then_pay"
        attempt |= {"sequence": reported["sequence"], "status": reported["status"]}
        attempt |= {"amount": amount, "may_pay_again": may_pay_again}
        order["message"] = step.get("en", "")
        order["changes"].append(f"{reported['status']} KES {amount} {reported['mm_receipt_number']}")


HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width">"""


def checkout_page() -> str:
    with transaction() as database:
        orders = [json.loads(row[0]) for row in database.execute("SELECT content FROM orders ORDER BY rowid")]
    # For you, while you build: customers must not see the orders of others.
    lines = [f'<li><a href="/orders/{one["id"]}">{one["id"]}</a> KES {one["amount"]} {state_of(one)}' for one in orders]
    return f"""{HEAD}<h1>Checkout</h1><form method="post" action="/orders">
<p><label>Phone <input name="phone" type="tel" value="254708374149" required></label>
<p><label>Amount in KES <input name="amount" inputmode="numeric" value="1250" required></label>
<p><button>Pay with M-PESA</button></form><h2>Orders</h2><ul>{"".join(lines)}</ul>"""


def order_page(order: Order) -> str:
    state = state_of(order)
    refreshes = '<meta http-equiv="refresh" content="2">' if state == "waiting" else ""
    again = '<form method="post"><button>Pay again</button></form>' if state == "not_paid" else ""
    changes = "".join(f"<li>{escape(line)}" for line in order["changes"])
    return f"""{HEAD}{refreshes}<h1>Order {order["id"]}: <b id="state">{state}</b></h1>
<p>KES {order["amount"]}. {escape(order["message"])}{again}<ol>{changes}</ol><a href="/">The shop</a>"""


def check_out(form: dict[str, list[str]]) -> Answer:
    phone, amount = (form.get(name, [""])[0] for name in ("phone", "amount"))
    if re.fullmatch("[0-9]{1,6}", amount) is None:
        return 400, "The amount must be in whole shillings."
    id = secrets.token_hex(6)
    attempts = [{"key": f"order-{id}-1"}]
    order = {"id": id, "phone": phone, "amount": int(amount), "attempts": attempts, "message": "", "changes": []}
    with transaction() as database:
        database.execute("INSERT INTO orders VALUES (?, ?)", (id, json.dumps(order)))
    ask(order)
    return 303, f"/orders/{id}"


def pay_again(id: str) -> Answer:
    with changing(id) as order:
        # A second click finds the order waiting.
        is_next = state_of(order) == "not_paid"
        if is_next:
            order["attempts"].append({"key": f"order-{id}-{len(order['attempts']) + 1}"})
    if is_next:
        ask(order)
    return 303, f"/orders/{id}"


def answer_to(request: str, headers: object, body: bytes) -> Answer:
    if request == "GET /":
        return 200, checkout_page()
    if request == "POST /orders":
        return check_out(parse_qs(body.decode(errors="replace")))
    if request == "POST /webhooks":
        # The body as received: the signature covers its bytes.
        webhook = verify_webhook(body, headers, webhook_secret)
        if webhook.type == "STK-Push":
            record(webhook.body)
        return 204, ""
    method, _, id = request.partition(" /orders/")
    order = find(id)
    if order is None:
        return 404, "There is no such page."
    if method == "POST":
        return pay_again(id)
    refresh(order)
    return 200, order_page(find(id) or order)


class Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        try:
            status, text = answer_to(f"{self.command} {self.path}", self.headers, body)
        except WebhookError as error:
            status, text = 400, str(error)
        self.send_response(status)
        self.send_header("Location" if status == 303 else "Content-Type", text if status == 303 else "text/html")
        self.end_headers()
        self.wfile.write(b"" if status == 303 else text.encode())

    do_POST = do_GET


if __name__ == "__main__":
    print(f"The shop is open: http://127.0.0.1:{port}", flush=True)
    ThreadingHTTPServer(("127.0.0.1", port), Shop).serve_forever()
