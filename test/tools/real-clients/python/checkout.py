"""pesapal-python: registers an address, submits an order, and follows it to its refund; cancels another."""

import os

from pesapal import BillingAddress, OrderRequest, PesapalClient
from pesapal.exceptions import PesapalAPIError, PesapalAuthError
from simulator import ORIGIN, control, tell

# As it has the provider's own addresses: with the path that comes before /api.
BASE = f"{ORIGIN}/v3"
key, secret = os.environ["CARDPROC_CONSUMER_KEY"], os.environ["CARDPROC_CONSUMER_SECRET"]
client = PesapalClient(key, secret, base_url=BASE)
ipn = client.register_ipn("https://shop.example.org/ipn", "GET")


def order(amount=1500):
    billing = BillingAddress(email_address="ana@example.org", phone_number="254700000001", country_code="KE")
    return client.submit_order(
        OrderRequest(
            amount=amount,
            currency="KES",
            description="Order 881",
            callback_url="https://shop.example.org/paid",
            notification_id=ipn["ipn_id"],
            billing_address=billing,
        )
    )


def refusal(act, kind=PesapalAPIError):
    try:
        act()
    except kind as error:
        return getattr(error, "error", None) or str(error)
    return None


submitted = order()
tracking_id = submitted["order_tracking_id"]
unpaid = refusal(lambda: client.get_transaction_status(tracking_id))
control(f"/control/cardproc/orders/{tracking_id}", {"action": "pay_card", "return": False})
paid = client.get_transaction_status(tracking_id)
refunded = client.refund(paid["confirmation_code"], 1500, "amina", "Returned")
control("/control/clock", {"advance_ms": 6_000})
other = order()["order_tracking_id"]
tell(
    listed=[entry["ipn_notification_type_description"] for entry in client.get_ipn_list()],
    redirect=submitted["redirect_url"],
    unpaid=unpaid,
    paid=paid["payment_status_description"],
    refunded=refunded["status"],
    after=client.get_transaction_status(tracking_id)["payment_status_description"],
    cancelled=client.cancel_order(other)["status"],
    address=refusal(lambda: client.submit_order({"id": "1", "notification_id": "1"})),
    wrong_keys=refusal(lambda: PesapalClient(key, "wrong", base_url=BASE).authenticate(), PesapalAuthError),
)
