"""The ledger alone: entries that balance, and accounts whose balance is the sum of their postings."""

from collections import defaultdict

LIMITED = ("float", "float_reserved", "wallet", "wallet_reserved")


def code_of(account):
    parts = [account["class"], account["rail"], account["merchant_id"]]
    if account["class"].startswith("float"):
        parts.append(account["country"] or "-")
    return ":".join([part for part in parts if part is not None] + [account["currency"]])


def faults_of_ledger(tables):
    accounts = {row["account_id"]: row for row in tables.get("ledger_accounts", [])}
    entries = {row["entry_id"]: row for row in tables.get("ledger_entries", [])}
    payments = {row["payment_id"]: row for row in tables.get("payments", [])}
    postings = sorted(tables.get("ledger_postings", []), key=lambda row: int(row["seq"]))
    of_entry = defaultdict(list)
    for row in postings:
        of_entry[row["entry_id"]].append(row)
    yield from of_accounts(accounts, entries, postings)
    booked = set()
    for number, entry in entries.items():
        yield from of_one_entry(number, entry, of_entry[number], accounts, payments)
        cause = (entry["source_type"], entry["source_id"], entry["leg"])
        if cause in booked:
            yield f"{'/'.join(cause)} is booked twice"
        booked.add(cause)
    for number in of_entry.keys() - entries.keys():
        yield f"postings of entry {number}, which does not exist"


def of_one_entry(number, entry, lines, accounts, payments):
    if len(lines) < 2:
        yield f"entry {number} has {len(lines)} postings"
    sums = defaultdict(int)
    signs = defaultdict(set)
    payment = payments.get(entry["payment_id"])
    for line in lines:
        amount = int(line["amount"])
        account = accounts[line["account_id"]]
        sums[line["currency"]] += amount
        signs[line["account_id"]].add(amount > 0)
        if amount == 0:
            yield f"entry {number} has a line of zero"
        if line["currency"] != account["currency"]:
            yield f"entry {number} books {line['currency']} on {account['code']}"
        if payment and account["rail"] not in (None, payment["rail"]) and account["class"] != "provider_fees":
            yield f"entry {number} books a payment of {payment['rail']} on {account['code']}"
        if payment and account["merchant_id"] not in (None, payment["merchant_id"]):
            yield f"entry {number} books a payment of {payment['merchant_id']} on {account['code']}"
        if account["class"].endswith("_reserved") and entry["source_type"] not in ("hold", "fee"):
            yield f"entry {number} reserves money in {account['code']} for no payment"
        if account["class"] == "fees" and entry["source_type"] not in ("fee", "transfer"):
            yield f"entry {number} moves fees for no payment"
    for currency, total in sums.items():
        if total != 0:
            yield f"entry {number} is off by {total} {currency}"
    if any(len(both) == 2 for both in signs.values()):
        yield f"entry {number} debits and credits one account"


def of_accounts(accounts, entries, postings):
    for account in accounts.values():
        if account["code"] != code_of(account):
            yield f"account {account['code']} is of {code_of(account)}"
        if (account["class"] in LIMITED) != (account["balance"] is not None):
            yield f"account {account['code']} should not carry a balance, or should"
    held = defaultdict(int)
    for line in postings:
        account = accounts[line["account_id"]]
        amount = int(line["amount"])
        held[line["account_id"]] += amount
        entry = entries.get(line["entry_id"], {"leg": "", "source_type": ""})
        may = entry["leg"].startswith("reversed:") or (entry["source_type"], entry["leg"]) == ("fee", "charge")
        if account["balance"] is not None and amount < 0 and held[line["account_id"]] < 0 and not may:
            yield f"{account['code']} was below zero with posting {line['seq']}"
    for number, account in accounts.items():
        if account["balance"] is not None and int(account["balance"]) != held[number]:
            yield f"{account['code']} shows {account['balance']}, and {held[number]} was posted"
