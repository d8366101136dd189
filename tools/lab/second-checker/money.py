"""What one payment should have booked, on which accounts, by its state and its amounts alone."""

import json
from collections import defaultdict
from fractions import Fraction

WHOLE = set("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split())
THOUSANDTHS = set("BHD IQD JOD KWD LYD OMR TND".split())


def unit(currency):
    return 1 if currency in WHOLE else 1000 if currency in THOUSANDTHS else 100


def converted(amount, base, quote, rate):
    """Rounded down, in minor units."""
    exact = Fraction(amount, unit(base)) * Fraction(rate) * unit(quote)
    return exact.numerator // exact.denominator


def number(text):
    return None if text is None else int(text)


def details_of(payment):
    return json.loads(payment["details"] or "{}")


def credited_of(payment):
    """What its wallet received, or pays."""
    if payment["credited_currency"] is not None and payment["credited_minor"] is not None:
        return payment["credited_currency"], int(payment["credited_minor"])
    if payment["kind"] == "deposit":
        return payment["instructed_currency"], int(payment["confirmed_minor"] or 0)
    return payment["currency"], int(payment["requested_minor"])


def fee_kept(payment):
    fee = int(payment["fee_minor"] or 0)
    if payment["kind"] != "deposit":
        return fee
    paid, gone = int(payment["confirmed_minor"] or 0), int(payment["returned_minor"])
    return 0 if gone >= paid else fee - fee * gone // paid


def source_of(payment):
    """The account that outgoing money comes from, and the one where it is reserved."""
    currency, _ = credited_of(payment)
    if payment["kind"] == "payout":
        country = details_of(payment).get("country") or "-"
        place = f"{payment['rail']}:{payment['merchant_id']}:{country}:{currency}"
        return f"float:{place}", f"float_reserved:{place}"
    return f"wallet:{payment['merchant_id']}:{currency}", f"wallet_reserved:{payment['merchant_id']}:{currency}"


def expected_of(payment, hold):
    moved = defaultdict(int)
    move = collected if payment["kind"] == "deposit" else sent
    move(payment, moved)
    if payment["kind"] == "deposit" and hold and hold["state"] == "open":
        place = f"{payment['merchant_id']}:{hold['currency']}"
        moved[f"wallet:{place}"] -= int(hold["amount"])
        moved[f"wallet_reserved:{place}"] += int(hold["amount"])
    return {code: amount for code, amount in moved.items() if amount != 0}


def collected(payment, moved):
    if payment["state"] not in ("succeeded", "refunded", "reversed"):
        return
    paid_in, paid, gone = payment["instructed_currency"], int(payment["confirmed_minor"] or 0), int(payment["returned_minor"])
    currency, credited = credited_of(payment)
    stays = credited - (credited * gone // paid if paid else 0)
    fee = fee_kept(payment)
    moved[f"clearing:{payment['rail']}:{paid_in}"] -= paid - gone
    moved[f"wallet:{payment['merchant_id']}:{currency}"] += stays - fee
    moved[f"fees:{currency}"] += fee
    if currency != paid_in:
        moved[f"fx:{paid_in}"] += paid - gone
        moved[f"fx:{currency}"] -= stays


def sent(payment, moved):
    if payment["state"] in ("failed", "cancelled", "returned"):
        return
    source, reserved = source_of(payment)
    currency, amount = credited_of(payment)
    fee = fee_kept(payment) if payment["kind"] == "payout" else 0
    moved[source] -= amount + fee
    if payment["state"] != "succeeded":
        moved[reserved] += amount + fee
        return
    moved[f"fees:{currency}"] += fee
    paid_in, paid = payment["instructed_currency"], int(payment["instructed_minor"])
    moved[f"clearing:{payment['rail']}:{paid_in}"] += paid
    if currency != paid_in:
        moved[f"fx:{paid_in}"] -= paid
        moved[f"fx:{currency}"] += amount
