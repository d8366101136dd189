"""python3 -m unittest"""

from __future__ import annotations

import base64
import hashlib
import hmac
import types
import unittest

from malipo import Webhook, WebhookError, is_later, verify_webhook

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
    def test_reads_an_authentic_webhook(self) -> None:
        webhook = verify(OURS)
        self.assertEqual((webhook.id, webhook.type, webhook.body["name"]), ("msg_1", "Mobile-Money", "Wanjikũ"))

    def test_accepts_either_of_two_signatures(self) -> None:
        self.assertEqual(verify(f"{OF_OTHER_SECRET} {OURS}").id, "msg_1")
        self.assertEqual(verify(f"{OURS} {OF_OTHER_SECRET}").id, "msg_1")

    def test_rejects_a_foreign_or_changed_webhook(self) -> None:
        for signature in (OF_OTHER_SECRET, "", "v1,", "v1", OURS.replace("v1", "v2"), f"{OURS}A"):
            with self.subTest(signature), self.assertRaises(WebhookError):
                verify(signature)
        with self.assertRaises(WebhookError):
            verify(OURS, body=BODY + b" ")
        with self.assertRaises(WebhookError):
            verify_webhook(BODY, {}, SECRET, AT)

    def test_rejects_a_webhook_older_than_five_minutes_or_from_the_future(self) -> None:
        self.assertEqual(verify(OURS, now_s=AT + 299).id, "msg_1")
        for now_s in (AT + 300, AT - 300, float("nan")):
            with self.subTest(now_s), self.assertRaises(WebhookError):
                verify(OURS, now_s=now_s)

    def test_an_invalid_secret_is_an_error_of_the_shop(self) -> None:
        for secret in ("", "whsec_", "whsec_c2hvcnQ=", "whsec_*" * 9, SECRET[6:], f"{SECRET}\n", "None"):
            with self.subTest(secret), self.assertRaises(ValueError):
                verify(OF_EMPTY_SECRET, secret=secret)
        wrong: tuple[object, ...] = (None, 3, SECRET.encode(), "whsec_\ud800")
        for other in wrong:
            with self.subTest(repr(other)), self.assertRaisesRegex(ValueError, "^A webhook secret is"):
                verify_webhook(BODY, {}, other, AT)  # type: ignore[arg-type]

    def test_reads_the_type_from_the_signed_body(self) -> None:
        body = b'{"callback_type":"STK-Push","event_type":"deposit.timed_out","sequence":4}'
        webhook = verify(sign(body), body=body)
        self.assertEqual((webhook.type, webhook.event_type), ("STK-Push", "deposit.timed_out"))

    def test_raises_a_webhook_error_for_an_invalid_body_or_header(self) -> None:
        for body in (b"", b"[]", b"null", b"3", b'"a"', b"{", b"\xff\xfe", b"[" * 100_000):
            with self.subTest(body[:10]), self.assertRaises(WebhookError):
                verify(sign(body), body=body)
        strange: tuple[object, ...] = ({}, None, 3)
        for parsed in strange:
            with self.subTest(parsed), self.assertRaises(WebhookError):
                verify_webhook(parsed, {"webhook-timestamp": str(AT)}, SECRET, AT)  # type: ignore[arg-type]
        odd = {"webhook-id": "\ud800", "webhook-timestamp": str(AT), "webhook-signature": "v1,\ud800"}
        times: list[object] = [{"webhook-timestamp": 3}, {"webhook-timestamp": None}]
        bad: list[object] = [None, [], *times, {3: "a"}, "abc", odd]
        for wrong in bad:
            with self.subTest(repr(wrong)), self.assertRaises(WebhookError):
                verify_webhook(BODY, wrong, SECRET, AT)
        for time in ("", " ", "1e9", "-1", "\u0663", "\u00b2", "9" * 40):
            headers = {"webhook-id": "msg_1", "webhook-timestamp": time, "webhook-signature": OURS}
            with self.subTest(time), self.assertRaises(WebhookError):
                verify_webhook(BODY, headers, SECRET, AT)

    def test_accepts_a_list_of_values_for_a_header(self) -> None:
        headers = {"Webhook-Id": ["msg_1"], "WEBHOOK-TIMESTAMP": [str(AT)], "webhook-signature": [OURS]}
        self.assertEqual(verify_webhook(BODY, headers, SECRET, AT).id, "msg_1")

    def test_counts_both_values_of_a_header_that_comes_twice(self) -> None:
        plain = {"webhook-id": "msg_1", "webhook-timestamp": str(AT), "webhook-signature": OURS}
        for name, value in (("webhook-id", "msg_2"), ("Webhook-Timestamp", str(AT + 1))):
            pairs = [*plain.items(), (name, value)]
            for headers in (pairs, {**plain, name.lower(): [plain[name.lower()], value]}):
                with self.subTest(name), self.assertRaises(WebhookError):
                    verify_webhook(BODY, headers, SECRET, AT)

    def test_reads_no_variable_of_the_process_as_a_header(self) -> None:
        variables = {"WEBHOOK_ID": "wh_1", "WEBHOOK_TIMESTAMP": "0", "WEBHOOK_SIGNATURE": "v1,A"}
        meta = {"HTTP_WEBHOOK_ID": "msg_1", "HTTP_WEBHOOK_TIMESTAMP": str(AT), "HTTP_WEBHOOK_SIGNATURE": OURS}
        for environ in ({**variables, **meta}, {**meta, **variables}):
            self.assertEqual(verify_webhook(BODY, environ, SECRET, AT).id, "msg_1")

    def test_reads_the_headers_of_every_framework(self) -> None:
        plain = {"webhook-id": "msg_1", "webhook-timestamp": str(AT), "webhook-signature": OURS}
        meta = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in plain.items()}
        pairs = [(name.encode(), value.encode()) for name, value in plain.items()]
        shapes: list[object] = [
            plain,
            list(plain.items()),
            {"wsgi.version": (1, 0), "SERVER_PORT": "80", **meta},
            pairs,
            {"type": "http", "headers": pairs},
            types.SimpleNamespace(headers=plain, META=meta),
        ]
        for headers in shapes:
            with self.subTest(repr(headers)):
                self.assertEqual(verify_webhook(BODY, headers, SECRET, AT).id, "msg_1")

    def test_only_a_webhook_with_a_higher_sequence_is_later(self) -> None:
        self.assertTrue(is_later({"sequence": 3}, None))
        self.assertTrue(is_later({"data": {"sequence": 4}}, 3))
        for told in ({"sequence": 3}, {"sequence": 2}, {"type": "test"}):
            self.assertFalse(is_later(told, 3))


def sign(body: bytes) -> str:
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    mac = hmac.new(key, f"msg_1.{AT}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(mac.digest()).decode()


if __name__ == "__main__":
    unittest.main()
