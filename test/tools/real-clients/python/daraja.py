"""mpesakit: asks for a payment, asks what became of it, and reads the callback."""

import os

from mpesakit import MpesaClient
from mpesakit.errors import MpesaApiException
from simulator import ORIGIN, control, exchanges, tell

shortcode = int(os.environ["STK_SHORTCODE"])
passkey = os.environ["STK_PASSKEY"]


def client_with(secret):
    client = MpesaClient(os.environ["STK_CONSUMER_KEY"], secret)
    client.http_client.base_url = ORIGIN
    return client


client = client_with(os.environ["STK_CONSUMER_SECRET"])
pushed = client.stk_push(
    business_short_code=shortcode,
    passkey=passkey,
    transaction_type="CustomerPayBillOnline",
    amount=1250,
    party_a="254700000000",
    party_b=str(shortcode),
    phone_number="254700000000",
    callback_url=os.environ["CALLBACK_URL"],
    account_reference="INV20410",
    transaction_desc="Invoice",
)
control("/control/clock", {"advance_ms": 10_000})
asked = client.stk_query(
    business_short_code=shortcode,
    passkey=passkey,
    checkout_request_id=pushed.CheckoutRequestID,
)
[sent] = [exchange for exchange in exchanges("stk") if exchange["call"] == "callback"]
callback = client.process_stk_callback(sent["body"])
try:
    client_with("wrong").token_manager.get_token()
    refused = None
except MpesaApiException as error:
    refused = error.error.status_code
tell(
    pushed=pushed.ResponseCode,
    asked=asked.ResultCode,
    receipt=callback.get_metadata_value("MpesaReceiptNumber"),
    amount=callback.get_metadata_value("Amount"),
    of_this=callback.Body.stkCallback.CheckoutRequestID == pushed.CheckoutRequestID,
    refused=refused,
)
