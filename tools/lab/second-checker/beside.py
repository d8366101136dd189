"""Checks beside the payments: their rates and fees, their idempotency keys, and vouchers."""

from collections import Counter, defaultdict

from money import converted, credited_of, number
from histories import SETTLED


def faults_beside(tables):
    payments = {row["payment_id"]: row for row in tables.get("payments", [])}
    vouchers = {row["voucher_id"]: row for row in tables.get("vouchers", [])}
    yield from of_rates(tables, payments)
    yield from of_fees(tables, payments)
    yield from of_keys(tables, payments, vouchers)
    yield from of_vouchers(tables, vouchers)
    yield from of_bulks(tables, payments)
    kept = Counter((row["rail"], row["event_key"]) for row in tables.get("inbox", []))
    for (rail, key), count in kept.items():
        if count > 1:
            yield f"a notification of {rail} is stored {count} times: {key}"


def of_rates(tables, payments):
    quotes = {}
    for row in tables.get("fx_quotes", []):
        quotes[row["payment_id"], row["purpose"]] = row
        rounding = int(row["rounding_minor"] or 0)
        made = converted(int(row["from_minor"]), row["base"], row["quote"], row["rate"])
        # A buyer may pay one minor unit more; the credit may be less by the value of one.
        most = converted(1, row["base"], row["quote"], row["rate"]) + 1
        due = rounding in (0, 1) if row["purpose"] == "instruct" else -most <= rounding <= 0
        if made + rounding != int(row["to_minor"]) or not due:
            yield f"{row['purpose']} of {row['payment_id']}: the rate gives {made}, and it is {row['to_minor']}"
    for name, payment in payments.items():
        asked, told = quotes.get((name, "instruct")), quotes.get((name, "credit"))
        if payment["currency"] != payment["instructed_currency"] and not fits(
            asked, payment["requested_minor"], payment["instructed_minor"]
        ):
            yield f"payment {name} was submitted in another currency without its rate"
        if payment["kind"] != "deposit" and asked is not None and int(asked["rounding_minor"] or 0) != 0:
            yield f"payment {name} sends more than its amount"
        if payment["kind"] != "deposit" or payment["credited_minor"] is None:
            continue
        if not fits(told, payment["confirmed_minor"], payment["credited_minor"]):
            yield f"payment {name} was credited in another currency without its rate"
            continue
        as_ordered = payment["credited_currency"] == payment["currency"]
        as_ordered = as_ordered and payment["confirmed_minor"] == payment["instructed_minor"]
        if told["rounding_minor"] is None:
            continue
        if as_ordered and payment["credited_minor"] != payment["requested_minor"]:
            yield f"payment {name} was ordered in its wallet's currency, and not credited as ordered"
        if not as_ordered and int(told["rounding_minor"]) != 0:
            yield f"payment {name} was rounded without a reason"


def fits(quote, before, after):
    return quote is not None and (quote["from_minor"], quote["to_minor"]) == (before, after)


def of_fees(tables, payments):
    schedules = {row["fee_id"]: row for row in tables.get("fee_schedules", [])}
    for name, payment in payments.items():
        if payment["fee_id"] is None and payment["fee_minor"] is None:
            continue
        terms = schedules.get(payment["fee_id"])
        operation = "payout" if payment["kind"] == "payout" else "collection"
        if not terms or payment["kind"] == "refund" or terms["operation"] != operation:
            yield f"payment {name} has a fee without a schedule of its kind"
            continue
        if terms["merchant_id"] not in (None, payment["merchant_id"]) or terms["rail"] not in (None, payment["rail"]):
            yield f"payment {name} has a fee by another merchant's schedule"
        currency, amount = credited_of(payment)
        due = None
        if operation == "payout" or payment["state"] in SETTLED:
            due = fee_of(terms, amount if operation == "collection" else int(payment["requested_minor"]))
        if number(payment["fee_minor"]) != due or terms["currency"] != currency:
            yield f"payment {name} has a fee of {payment['fee_minor']} {currency}, and should have {due}"


def fee_of(terms, amount):
    fee = int(terms["fixed"]) + (amount * int(terms["per_million"]) + 500_000) // 1_000_000
    fee = max(fee, number(terms["minimum"]) or 0)
    if terms["maximum"] is not None:
        fee = min(fee, int(terms["maximum"]))
    return min(fee, amount) if terms["operation"] == "collection" else fee


def of_keys(tables, payments, vouchers):
    started = defaultdict(list)
    for key in tables.get("idempotency_keys", []):
        name = key["payment_id"]
        if key["state"] == "answered" and (key["http_status"] is None or key["response"] is None):
            yield f"key {key['key_hash']} was answered, and the answer is not stored"
        if name is None:
            continue
        started[name].append(key)
        if name not in payments and name not in vouchers:
            yield f"key {key['key_hash']} created {name}, which does not exist"
        payment = payments.get(name)
        if not payment:
            continue
        if payment["merchant_id"] != key["merchant_id"]:
            yield f"payment {name} was created by a key of another merchant"
        is_accepted = key["state"] == "answered" and int(key["http_status"] or 0) < 300
        is_withdrawn = payment["failure_code"] == "NOT_STARTED" and payment["answered_at"] is None
        if is_accepted and is_withdrawn and payment["key_hash"] == key["key_hash"]:
            yield f"payment {name} was answered as accepted, and was never submitted"
    for name, keys in started.items():
        if len(keys) > (2 if name in vouchers else 1):
            yield f"{name} was created by {len(keys)} keys"
    lives = [p for p in payments.values() if p["state"] != "failed" or p["accepted_at"] is not None]
    for rows in (lives, vouchers.values()):
        under = Counter((row["merchant_id"], row["key_hash"]) for row in rows if row["key_hash"] is not None)
        for (_, key), count in under.items():
            if count > 1:
                yield f"{count} were created under the key {key}"


def of_vouchers(tables, vouchers):
    accounts = {row["account_id"]: row for row in tables.get("ledger_accounts", [])}
    postings = defaultdict(list)
    for line in tables.get("ledger_postings", []):
        postings[line["entry_id"]].append(line)
    legs = defaultdict(list)
    for entry in sorted(tables.get("ledger_entries", []), key=lambda row: int(row["entry_id"])):
        if entry["source_type"] != "voucher":
            continue
        legs[entry["source_id"]].append(entry["leg"])
        voucher = vouchers.get(entry["source_id"])
        if not voucher:
            yield f"entry {entry['entry_id']} is of no known voucher"
            continue
        for line in postings[entry["entry_id"]]:
            account = accounts[line["account_id"]]
            if abs(int(line["amount"])) != int(voucher["amount_minor"]) or line["currency"] != voucher["currency"]:
                yield f"voucher {entry['source_id']} is worth {voucher['amount_minor']}, and {line['amount']} was moved"
            if account["class"] == "wallet" and account["merchant_id"] != voucher["merchant_id"]:
                yield f"voucher {entry['source_id']} moves another merchant's wallet"
    ends = {"active": ["fund"], "redeemed": ["fund", "redeem"]}
    for name, voucher in vouchers.items():
        if legs[name] != ends.get(voucher["state"], ["fund", "expire"]):
            yield f"voucher {name} is {voucher['state']}, booked as {legs[name]}"


def of_bulks(tables, payments):
    rows = defaultdict(list)
    for row in tables.get("bulk_rows", []):
        rows[row["bulk_id"]].append(payments.get(row["payment_id"]))
    for bulk in tables.get("bulk_payouts", []):
        own = [p for p in rows[bulk["bulk_id"]] if p and p["merchant_id"] == bulk["merchant_id"] and p["kind"] == "payout"]
        if len(own) != int(bulk["row_count"]):
            yield f"bulk {bulk['bulk_id']} has {len(own)} of {bulk['row_count']} payouts"
