"""python3 -m unittest"""

from __future__ import annotations

import unittest

from malipo import Webhook, WebhookError, verify_webhook

SECRET = "whsec_YSBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXRlcyAuLi4u"
BODY = '{"transaction_id":"0199","status":"Success","name":"Wanjikũ"}'.encode()
OURS = "v1,pLxnjxn8aU2impiYNchp1L5F/X1n11gwu8AclSZpabA="
OF_OTHER_SECRET = "v1,2SUx8mUtMMj8HPmEaDUddRov7gKD1QmhkwBqnGlxh9Y="
OF_EMPTY_SECRET = "v1,47VWFz5AiB9Q9SOEXuB5Xp53c1mfxfJPhJXFwDZQPHY="
AT = 1_700_000_000


def verify(signature: str, *, body: bytes = BODY, secret: str = SECRET, now_s: float = AT + 5) -> Webhook:
    headers = {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(AT),
        "Webhook-Signature": signature,
        "X-Callback-Type": "Mobile-Money",
    }
    return verify_webhook(body, headers, secret, now_s)


class Webhooks(unittest.TestCase):
    def test_reads_a_webhook_of_ours(self) -> None:
        webhook = verify(OURS)
        self.assertEqual((webhook.id, webhook.type, webhook.body["name"]), ("msg_1", "Mobile-Money", "Wanjikũ"))

    def test_takes_either_of_two_signatures(self) -> None:
        self.assertEqual(verify(f"{OF_OTHER_SECRET} {OURS}").id, "msg_1")
        self.assertEqual(verify(f"{OURS} {OF_OTHER_SECRET}").id, "msg_1")

    def test_refuses_what_somebody_else_has_signed_or_changed(self) -> None:
        for signature in (OF_OTHER_SECRET, "", "v1,", "v1", OURS.replace("v1", "v2"), f"{OURS}A"):
            with self.subTest(signature), self.assertRaises(WebhookError):
                verify(signature)
        with self.assertRaises(WebhookError):
            verify(OURS, body=BODY + b" ")
        with self.assertRaises(WebhookError):
            verify_webhook(BODY, {}, SECRET, AT)

    def test_refuses_what_is_older_than_five_minutes_or_comes_from_the_future(self) -> None:
        self.assertEqual(verify(OURS, now_s=AT + 299).id, "msg_1")
        for now_s in (AT + 300, AT - 300):
            with self.subTest(now_s), self.assertRaises(WebhookError):
                verify(OURS, now_s=now_s)

    def test_a_secret_that_is_none_is_an_error_of_the_shop(self) -> None:
        for secret in ("", "whsec_", "whsec_c2hvcnQ=", "whsec_*" * 9, SECRET[6:], f"{SECRET}\n", "None"):
            with self.subTest(secret), self.assertRaises(ValueError):
                verify(OF_EMPTY_SECRET, secret=secret)


if __name__ == "__main__":
    unittest.main()
