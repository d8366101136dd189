from __future__ import annotations

import json
import threading
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

from malipo import Malipo, OutcomeUnknown, Refused


@contextmanager
def serving(*statuses: int) -> Iterator[tuple[str, list[str | None]]]:
    """A service that answers each request as it is told, and the keys that it has heard."""
    keys: list[str | None] = []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            keys.append(self.headers["Idempotency-Key"])
            told = {"success": False, "code": "SOME_CODE", "message": "A sentence", "request_id": "req-1", "payment_id": "p-1"}
            self.send_response(statuses[len(keys) - 1])
            self.end_headers()
            self.wfile.write(json.dumps(told).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", keys
        server.shutdown()


class Errors(unittest.TestCase):
    def test_a_refusal_has_its_code_its_status_its_payment_and_its_request(self) -> None:
        with serving(409) as (url, _), self.assertRaises(Refused) as raised:
            Malipo(url, "pk_test_1", "sk_test_1").momo_refund(transaction_id="7")
        refused = raised.exception
        self.assertEqual((refused.code, refused.status, refused.payment_id), ("SOME_CODE", 409, "p-1"))
        self.assertEqual(refused.request_id, "req-1")

    def test_a_doubt_has_the_key_to_repeat_it_with_which_was_sent_with_every_try(self) -> None:
        with serving(500, 503) as (url, keys), self.assertRaises(OutcomeUnknown) as raised:
            malipo = Malipo(url, "pk_test_1", "sk_test_1", tries_max=2, first_pause_s=0.001)
            malipo.momo_refund(transaction_id="7", idempotency_key="refund-1")
        unknown = raised.exception
        self.assertEqual((unknown.idempotency_key, unknown.payment_id, unknown.request_id), ("refund-1", "p-1", "req-1"))
        self.assertEqual(keys, ["refund-1", "refund-1"])

    def test_refuses_settings_that_are_none_at_once(self) -> None:
        for settings in (("", "k", "s"), ("pay.example.com", "k", "s"), ("https://x", "", "s"), ("https://x", "k", "a\nb")):
            with self.subTest(settings), self.assertRaises(ValueError):
                Malipo(*settings)


if __name__ == "__main__":
    unittest.main()
