"""Each payment's history, recomputed from its log: its transitions, their entries, and its webhooks."""

import json
from collections import Counter, defaultdict

from money import credited_of, details_of, expected_of, number, source_of

OPEN = "pending queued processing succeeded failed cancelled timed_out"
NEXT = {
    "received": "initiating failed cancelled",
    "initiating": OPEN,
    "pending": OPEN.replace("pending ", ""),
    "queued": "processing succeeded failed cancelled",
    "processing": "succeeded failed cancelled timed_out",
    "succeeded": "refunded reversed returned",
    "failed": "succeeded",
    "cancelled": "succeeded",
    "timed_out": "succeeded failed cancelled",
    "refunded": "refunded reversed succeeded",
    "reversed": "refunded reversed succeeded",
    "returned": "",
}
ENDS = "succeeded failed cancelled timed_out refunded reversed returned".split()
BACK = ("failed", "cancelled", "returned")
SETTLED = ("succeeded", "refunded", "reversed")
CONTESTED = ("disputed", "reversal_reported")
BOOKED = {"open": ["reserve"], "posted": ["post", "reserve"], "released": ["release", "reserve"]}
TRIES = 14


def by(rows, column):
    found = defaultdict(list)
    for row in rows:
        found[row[column]].append(row)
    return found


class Histories:
    def __init__(self, tables, silent):
        of = lambda name: tables.get(name, [])
        self.silent = silent
        self.payments = {row["payment_id"]: row for row in of("payments")}
        self.log = by(sorted(of("payment_log"), key=lambda row: int(row["log_id"])), "payment_id")
        self.cases = by(of("cases"), "payment_id")
        self.holds = {row["payment_id"]: row for row in of("holds")}
        self.outbox = by(of("outbox"), "payment_id")
        self.deliveries = by(of("webhook_deliveries"), "webhook_id")
        self.attempts = by(of("attempts"), "payment_id")
        self.children = by(of("payments"), "parent_id")
        self.accounts = {row["account_id"]: row["code"] for row in of("ledger_accounts")}
        self.entries = by(of("ledger_entries"), "payment_id")
        self.by_source = by(of("ledger_entries"), "source_id")
        self.postings = by(of("ledger_postings"), "entry_id")

    def faults(self):
        drivers = Counter(payment["workflow_id"] for payment in self.payments.values())
        for workflow, count in drivers.items():
            if count > 1:
                yield f"{workflow} drives {count} payments"
        for name, tell in self.payments.items():
            for fault in self.of(tell):
                yield f"payment {name} {fault}"
        for name, hold in self.holds.items():
            if name not in self.payments:
                yield f"a reserve of payment {name}, which does not exist"
        for source, entries in self.by_source.items():
            for entry in entries:
                kind = entry["source_type"]
                if kind in ("deposit", "payout", "refund", "hold", "fee") and entry["payment_id"] != source:
                    yield f"entry {entry['entry_id']} is a {kind} of {source}, and is said to be of {entry['payment_id']}"

    def of(self, payment):
        yield from self.steps(payment)
        yield from self.booked(payment)
        yield from self.held(payment)
        yield from self.gone_back(payment)
        yield from self.told(payment)
        yield from self.instructed(payment)

    def steps(self, payment):
        state = "received"
        for step in self.log[payment["payment_id"]]:
            if step["from_state"] != state:
                yield f"left {step['from_state']}, and was {state}"
            if step["to_state"] not in NEXT[step["from_state"]].split():
                yield f"went from {step['from_state']} to {step['to_state']}"
            state = step["to_state"]
        if payment["state"] != state:
            yield f"is {payment['state']}, and its log ends in {state}"
        if (payment["is_final"] == "1") != (payment["state"] in ENDS):
            yield f"is {payment['state']}, and final is {payment['is_final']}"
        if not payment["workflow_id"].endswith("/" + payment["payment_id"]):
            yield f"is driven by {payment['workflow_id']}"

    def booked(self, payment):
        moved = Counter()
        for entry in self.entries[payment["payment_id"]]:
            if entry["source_type"] in ("unmatched", "provider_fee"):
                continue
            for line in self.postings[entry["entry_id"]]:
                moved[self.accounts[line["account_id"]]] += int(line["amount"])
        moved = {code: amount for code, amount in moved.items() if amount != 0}
        expected = expected_of(payment, self.holds.get(payment["payment_id"]))
        if moved != expected:
            yield f"is {payment['state']} and has booked {moved}, and should have {expected}"
        if payment["kind"] == "deposit" and payment["state"] in SETTLED and payment["confirmed_minor"] is None:
            yield f"is {payment['state']} with no amount"

    def held(self, payment):
        hold = self.holds.get(payment["payment_id"])
        legs = sorted(e["leg"] for e in self.by_source[payment["payment_id"]] if e["source_type"] == "hold")
        if payment["kind"] == "deposit":
            yield from self.contested(payment, hold)
            return
        state = "released" if payment["state"] in ("failed", "cancelled") else "posted"
        state = state if payment["state"] in BACK or payment["state"] == "succeeded" else "open"
        if not hold:
            yield "has no reserve"
            return
        places = self.accounts.get(hold["account_id"]), self.accounts.get(hold["reserved_account_id"])
        if places != source_of(payment):
            yield f"is reserved from {places}, and should be from {source_of(payment)}"
        if (hold["currency"], int(hold["amount"])) != credited_of(payment):
            yield f"reserves {hold['amount']} {hold['currency']}, and should {credited_of(payment)}"
        if hold["state"] != state or legs != BOOKED[hold["state"]] or hold["wanted"] is not None:
            yield f"is {payment['state']} with a reserve that is {hold['state']}, booked as {legs}"

    def contested(self, payment, hold):
        is_open = any(c["closed_at"] is None and c["reason"] in CONTESTED for c in self.cases[payment["payment_id"]])
        vouched = details_of(payment).get("warning_vouched", "yes") != "no"
        if is_open and vouched and payment["state"] in SETTLED and not hold:
            yield "is disputed, and has no reserve row"
        if not hold:
            return
        amount, wanted = int(hold["amount"]), number(hold["wanted"])
        if wanted is None or hold["state"] == "posted":
            yield "comes in, and is reserved like outgoing money"
            return
        if hold["state"] == "open" and (wanted == 0 or amount > wanted or not is_open):
            yield f"has {amount} of {wanted} reserved, and {'a' if is_open else 'no'} case is open"
        if hold["state"] == "released" and wanted != 0:
            yield f"has no reserve, and {wanted} is wanted"
        currency, credited = credited_of(payment)
        paid = int(payment["confirmed_minor"] or 0)
        left = credited - int(payment["refund_debited_minor"]) - (credited * int(payment["returned_minor"]) // paid if paid else 0)
        if wanted > left or hold["currency"] != currency:
            yield f"should reserve {wanted} {hold['currency']} of what is left: {left} {currency}"

    def gone_back(self, payment):
        reasons = {case["reason"] for case in self.cases[payment["payment_id"]]}
        if payment["kind"] == "refund":
            deposit = self.payments.get(payment["parent_id"])
            if not deposit or deposit["kind"] != "deposit":
                yield "refunds no known deposit"
            elif deposit["merchant_id"] != payment["merchant_id"]:
                yield "refunds another merchant's deposit"
            elif deposit["instructed_currency"] != payment["currency"]:
                yield f"refunds {payment['currency']} of {deposit['instructed_currency']}"
            return
        paid = int(payment["confirmed_minor"] or 0)
        theirs, ours = int(payment["returned_minor"]), int(payment["refunded_minor"])
        refunds = [r for r in self.children[payment["payment_id"]] if r["kind"] == "refund" and r["state"] not in BACK]
        done = [refund for refund in refunds if refund["state"] == "succeeded"]
        asked = sum(int(refund["requested_minor"]) for refund in refunds)
        given = sum(int(refund["requested_minor"]) for refund in done)
        if asked > paid:
            yield f"was paid {paid}, and refunds of {asked} are requested"
        if "refund_differs" not in reasons and (theirs + ours > paid or (theirs and theirs + given > paid)):
            yield f"was paid {paid}, and {theirs} were returned by its provider and {given} by us"
        if (theirs + ours > 0) != (payment["kind"] == "deposit" and payment["state"] in ("refunded", "reversed")):
            yield f"is {payment['state']}, and {theirs + ours} were returned"
        if payment["kind"] == "deposit" and (payment["rail"] == "walletpay" or ours):
            debited = sum(credited_of(refund)[1] for refund in done)
            if (ours, int(payment["refund_debited_minor"])) != (given, debited):
                yield f"shows {ours} refunded, and {given} were"

    def told(self, payment):
        rows = self.outbox[payment["payment_id"]]
        told = {row["to_state"] for row in rows}
        for step in self.log[payment["payment_id"]]:
            is_withdrawn = step["cause"] == "withdrawn" and payment["answered_at"] is None
            if step["to_state"] in ENDS and step["to_state"] not in told and not is_withdrawn:
                if payment["rail"] not in self.silent:
                    yield f"became {step['to_state']}, and has no webhook for it"
        for row in rows:
            if row["merchant_id"] != payment["merchant_id"]:
                yield f"has webhook {row['webhook_id']} to another merchant"
            if row["state"] == "dead" and int(row["tries"]) < TRIES:
                yield f"has webhook {row['webhook_id']}, dead after {row['tries']} tries"
            arrived = any(
                d["error"] is None and (d["http_status"] or "").startswith("2") for d in self.deliveries[row["webhook_id"]]
            )
            if row["state"] == "delivered" and not arrived:
                yield f"has webhook {row['webhook_id']} as delivered, which never arrived"

    def instructed(self, payment):
        for operation, tries in by(self.attempts[payment["payment_id"]], "operation").items():
            live = [one for one in tries if one["state"] in ("sent", "unknown", "accepted")]
            if len({one["provider_key"] for one in live}) > 1 or sum(one["state"] == "accepted" for one in live) > 1:
                yield f"has several live submissions to {operation}"
        shown = json.loads(payment["details"] or "{}").get("item_status")
        if payment["kind"] == "payout" and payment["state"] == "succeeded" and shown not in (None, "SUCCESS"):
            yield f"counts as paid, and the provider shows {shown}"
