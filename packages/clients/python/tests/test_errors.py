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
    """A service with scripted answers, and the keys that it received."""
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


ODD_ADDRESSES = (
    *("", "pay.example.com", "ftp://pay.example.com", "https://", "https:///api", "https://:443"),
    *("https://user:word@pay.example.com", "https://pay.example.com?key=1", "https://pay.example.com/#top"),
    *("https://pay.example.com\n", " https://pay.example.com", "https://pay.example.com:99999"),
    *("https://pay.example.com:port", "https://pay.example.com/a b", "https://pay\\example.com"),
)


class Errors(unittest.TestCase):
    def test_an_error_has_its_code_status_payment_id_and_request_id(self) -> None:
        with serving(409) as (url, _), self.assertRaises(Refused) as raised:
            Malipo(url, "pk_test_1", "sk_test_1").momo_refund(transaction_id="7")
        refused = raised.exception
        self.assertEqual((refused.code, refused.status, refused.payment_id), ("SOME_CODE", 409, "p-1"))
        self.assertEqual(refused.request_id, "req-1")

    def test_an_unknown_outcome_has_the_key_of_every_attempt(self) -> None:
        with serving(500, 503) as (url, keys), self.assertRaises(OutcomeUnknown) as raised:
            malipo = Malipo(url, "pk_test_1", "sk_test_1", tries_max=2, first_pause_s=0.001)
            malipo.momo_refund(transaction_id="7", idempotency_key="refund-1")
        unknown = raised.exception
        self.assertEqual((unknown.idempotency_key, unknown.payment_id, unknown.request_id), ("refund-1", "p-1", "req-1"))
        self.assertEqual(keys, ["refund-1", "refund-1"])

    def test_rejects_invalid_settings_at_once(self) -> None:
        odd = [(address, "k", "s") for address in ODD_ADDRESSES]
        for settings in (*odd, ("https://x", "", "s"), ("https://x", "k", "a\nb")):
            with self.subTest(settings), self.assertRaises(ValueError):
                Malipo(*settings)

    def test_an_address_may_have_a_port_and_a_path(self) -> None:
        for address in ("http://127.0.0.1:3000", "http://[::1]:3000/", "https://pay.example.com/malipo"):
            with self.subTest(address):
                Malipo(address, "k", "s")


if __name__ == "__main__":
    unittest.main()
