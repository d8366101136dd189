"""intasend-python: pushes a prompt, and asks for its invoice until it is complete."""

import os

import intasend.client
from intasend import APIService
from intasend.exceptions import IntaSendBadRequest, IntaSendUnauthorized
from simulator import ORIGIN, control, tell

# The client knows two hosts by name.
intasend.client.get_service_url = lambda endpoint, test=False: f"{ORIGIN}/api/v1/{endpoint}"


def service(token):
    return APIService(token=token, publishable_key=os.environ["XB_PUBLISHABLE_KEY"], test=True)


def refusal(act, kind):
    try:
        act()
    except kind as error:
        return str(error)
    return None


collect = service(os.environ["XB_SECRET_KEY"]).collect
pushed = collect.mpesa_stk_push(
    phone_number="254700000789", amount=100, narrative="Order 881", email="ana@example.org", api_ref="xb-1"
)
control("/control/clock", {"advance_ms": 10_000})
asked = collect.status(invoice_id=pushed["invoice"]["invoice_id"])
tell(
    pushed=pushed["invoice"]["state"],
    asked=asked["invoice"]["state"],
    value=asked["invoice"]["value"],
    bad=refusal(
        lambda: collect.mpesa_stk_push(phone_number="none", amount=100, narrative="x"), IntaSendBadRequest
    ),
    wrong_keys=refusal(
        lambda: service("wrong").collect.mpesa_stk_push("254700000789", 100, "x"), IntaSendUnauthorized
    ),
)
