from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import WebhookError

_TOLERANCE_S = 300
_KEY_BYTES_MIN = 24


@dataclass(frozen=True)
class Webhook:
    # The same for every attempt. Process each id once.
    id: str
    # The callback_type in the body; WEBHOOKS in operations.py has the type of its body.
    type: str
    body: dict[str, Any]
    # The event type, such as deposit.succeeded; "test" for a test.
    event_type: str = ""


def verify_webhook(raw_body: bytes, headers: object, secret: str, now_s: float | None = None) -> Webhook:
    """Takes the body as received, before any parser.

    The headers may have any form in which a framework gives them: a mapping, pairs, Django's META, a WSGI environ, an
    ASGI scope, or the request itself (Django, Flask, Starlette, FastAPI).

    Raises WebhookError for a wrong signature or a webhook older than five minutes, and ValueError for an invalid secret.
    """
    key = _key_in(secret)
    raw = _bytes_of(raw_body)
    by_name = _by_name(headers)
    id, timestamp, signatures, type = (
        by_name.get(name, "") for name in ("webhook-id", "webhook-timestamp", "webhook-signature", "x-callback-type")
    )
    now = time.time() if now_s is None else now_s
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) < 16):
        raise WebhookError("The webhook-timestamp header is missing or not a time")
    # Not `>=`: a clock that is no number must refuse.
    if not abs(now - int(timestamp)) < _TOLERANCE_S:
        raise WebhookError("The webhook is too old, or its time is in the future")
    signed = f"{id}.{timestamp}.".encode("utf-8", "replace") + raw
    wanted = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    if not any(hmac.compare_digest(wanted, one.encode("utf-8", "replace")) for one in signatures.split(" ")):
        raise WebhookError("The signature is wrong")
    body = _object_in(raw)
    # The header is not signed, so the body has priority.
    return Webhook(id, str(body.get("callback_type", type)), body, str(body.get("event_type", "")))


def is_later(told: Mapping[str, Any], highest: int | None) -> bool:
    """Whether a webhook, an event's data or a status reports a later change than the highest processed sequence.

    Otherwise it is outdated or a repeat. A test webhook has no sequence, and is never later.
    """
    sequence = sequence_of(told)
    return sequence is not None and (highest is None or sequence > highest)


def sequence_of(told: Mapping[str, Any]) -> int | None:
    """The number of the payment's change in a webhook, an event's data or a status."""
    data = told.get("data")
    sequence = told.get("sequence", data.get("sequence") if isinstance(data, Mapping) else None)
    return sequence if isinstance(sequence, int) and not isinstance(sequence, bool) else None


def _bytes_of(raw_body: object) -> bytes:
    if isinstance(raw_body, str):
        return raw_body.encode("utf-8", "replace")
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    raise WebhookError("The body must be the received bytes, before any parser")


def _object_in(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise WebhookError("The body is not a JSON object")
    return body


def _by_name(headers: object) -> dict[str, str]:
    """The value of each header by its lower-case name; several values are joined, as HTTP does."""
    plain: dict[str, list[str]] = {}
    of_server: dict[str, list[str]] = {}
    for given, value in _items_of(headers):
        name = _text_of(given)
        lower = name.lower().replace("_", "-")
        if name.startswith("HTTP_"):
            of_server.setdefault(lower.removeprefix("http-"), []).append(_text_of(value))
        else:
            plain.setdefault(lower, []).append(_text_of(value))
    # META and a WSGI environ also hold the variables of the process: the header comes before a WEBHOOK_ID of theirs.
    return {name: ", ".join(values) for name, values in {**plain, **of_server}.items()}


def _items_of(headers: object) -> list[tuple[object, object]]:
    inside = getattr(headers, "headers", None)
    if inside is None and isinstance(headers, Mapping):
        inside = headers.get("headers")
    # A request has its headers beside much else; a header of that name would be a text.
    if inside is not None and not isinstance(inside, (str, bytes)):
        headers = inside
    items = getattr(headers, "items", None)
    try:
        return list(items()) if callable(items) else [(name, value) for name, value in headers or ()]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        return []


def _text_of(value: object) -> str:
    """A header's value, or several, joined. A value that is not a text counts as empty."""
    if isinstance(value, (list, tuple)):
        return ", ".join(_text_of(one) for one in value)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else ""


def _key_in(given: object) -> bytes:
    """With an empty secret, anyone could sign."""
    secret = given if isinstance(given, str) else ""
    text = secret.removeprefix("whsec_").encode("utf-8", "replace")
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if secret.startswith("whsec_") and len(key) >= _KEY_BYTES_MIN and base64.b64encode(key) == text:
        return key
    raise ValueError("A webhook secret is whsec_ and at least 24 bytes in base64")
