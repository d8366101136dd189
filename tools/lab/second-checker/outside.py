"""Outside records: the simulated providers' own books, and the webhooks that merchants received."""

import json
from collections import Counter, defaultdict
from fractions import Fraction

from money import unit
from histories import SETTLED


def faults_of_providers(tables, books):
    """@param books: by rail, the answer of GET /control/books?detail=1."""
    ours = defaultdict(list)
    for payment in tables.get("payments", []):
        rail = "momo" if (payment["rail"], payment["provider"]) == ("xb", "pawapay") else payment["rail"]
        ours[rail, payment["provider_reference"]].append(payment)
    asked = {case["payment_id"] for case in tables.get("cases", []) if case["closed_at"] is None}
    lost = [p for p in tables.get("payments", []) if p["provider_reference"] is None and p["payment_id"] in asked]
    seen = set()
    for rail, successes in books.items():
        back = {one["reference"] for one in successes if one.get("kind") == "return"}
        times = Counter((one.get("kind", "collection"), one["reference"]) for one in successes)
        for (kind, reference), count in times.items():
            if count > 1:
                yield f"{rail}: the provider has booked {kind} {reference} {count} times"
        for one in successes:
            kind, reference = one.get("kind", "collection"), one["reference"]
            if kind in ("return", "refund", "reversal") and not ours[rail, reference]:
                continue
            found = [p for p in ours[rail, reference] if p["kind"] == {"collection": "deposit"}.get(kind, kind)]
            if kind == "return" or (kind == "payout" and reference in back):
                continue
            if not found:
                if not any(p["phone_number"] == one.get("phone") for p in lost):
                    yield f"{rail}: the provider has booked {kind} {reference}, which we do not know"
                continue
            seen.add(found[0]["payment_id"])
            yield from of_one(rail, one, found[0], asked)
    for payment in tables.get("payments", []):
        is_booked = payment["kind"] == "deposit" and payment["state"] in SETTLED or payment["state"] == "succeeded"
        if is_booked and payment["rail"] in books and payment["payment_id"] not in seen:
            yield f"payment {payment['payment_id']} is {payment['state']}, and its provider knows of no success"


def of_one(rail, one, payment, asked):
    name, state = payment["payment_id"], payment["state"]
    if state not in SETTLED:
        if payment["is_final"] == "1" and name not in asked:
            yield f"payment {name} is {state}, and {rail} has booked it"
        return
    paid = payment["confirmed_minor"] if payment["kind"] == "deposit" else payment["instructed_minor"]
    currency = payment["instructed_currency"]
    if Fraction(one["amount"]) * unit(one["currency"]) != int(paid or 0) or one["currency"] != currency:
        yield f"payment {name} is {paid} minor units of {currency}, and {rail} has booked {one['amount']} {one['currency']}"


def faults_of_webhooks(tables, received):
    """@param received: lines of JSON, {"id": webhook-id, "body": the bytes as text}."""
    came = defaultdict(set)
    for line in received:
        if line.strip():
            one = json.loads(line)
            came[one["id"]].add(one["body"])
    rows = {row["webhook_id"]: row for row in tables.get("outbox", [])}
    for name, row in rows.items():
        if row["state"] == "delivered" and not came[name]:
            yield f"webhook {name} counts as delivered, and nobody received it"
        for body in came[name]:
            if row["body"] and unstamped(body, row) != unstamped(row["body"], row):
                yield f"webhook {name} came with another body than it has"
    for name in came.keys() - rows.keys():
        yield f"webhook {name} was received, and is not ours"


def unstamped(body, row):
    if row["sent_at_field"] is None:
        return body
    return {**json.loads(body), row["sent_at_field"]: ""}
