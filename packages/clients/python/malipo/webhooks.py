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
    # The same at every try: deal with each once.
    id: str
    # The body's own callback_type, and a body of the type that WEBHOOKS in operations.py names for it.
    type: str
    body: dict[str, Any]
    # What became of the payment, such as deposit.succeeded; "test" for a test.
    event_type: str = ""


def verify_webhook(raw_body: bytes, headers: Mapping[str, str], secret: str, now_s: float | None = None) -> Webhook:
    """Takes the body as it came, before anything has parsed it.

    Raises WebhookError for what is not ours, or older than five minutes, and ValueError for a secret that is none of ours.
    """
    key = _key_in(secret)
    raw = _bytes_of(raw_body)
    by_name = {_text_of(name).lower(): _text_of(value) for name, value in _items_of(headers)}
    id, timestamp, signatures, type = (
        by_name.get(name, "") for name in ("webhook-id", "webhook-timestamp", "webhook-signature", "x-callback-type")
    )
    now = time.time() if now_s is None else now_s
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) < 16):
        raise WebhookError("It has no webhook-timestamp header that is a time")
    if abs(now - int(timestamp)) >= _TOLERANCE_S:
        raise WebhookError("It is too old, or from the future")
    signed = f"{id}.{timestamp}.".encode("utf-8", "replace") + raw
    wanted = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    if not any(hmac.compare_digest(wanted, one.encode("utf-8", "replace")) for one in signatures.split(" ")):
        raise WebhookError("The signature is not ours")
    body = _object_in(raw)
    # The header is not signed: it counts for nothing where the body says it.
    return Webhook(id, str(body.get("callback_type", type)), body, str(body.get("event_type", "")))


def is_later(told: Mapping[str, Any], highest: int | None) -> bool:
    """Whether a webhook, an event's data or a status tells a later change than the highest sequence you have dealt with.

    What is not later was overtaken, or is a repeat. What has no sequence tells of no change: a test.
    """
    sequence = sequence_of(told)
    return sequence is not None and (highest is None or sequence > highest)


def sequence_of(told: Mapping[str, Any]) -> int | None:
    """Which change of its payment a webhook, an event's data or a status tells."""
    data = told.get("data")
    sequence = told.get("sequence", data.get("sequence") if isinstance(data, Mapping) else None)
    return sequence if isinstance(sequence, int) and not isinstance(sequence, bool) else None


def _bytes_of(raw_body: object) -> bytes:
    if isinstance(raw_body, str):
        return raw_body.encode("utf-8", "replace")
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    raise WebhookError("The body has to be the bytes that came, before anything has parsed it")


def _object_in(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise WebhookError("The body is no JSON object")
    return body


def _items_of(headers: object) -> list[tuple[object, object]]:
    items = getattr(headers, "items", None)
    try:
        return list(items()) if callable(items) else [(name, value) for name, value in headers or ()]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        return []


def _text_of(value: object) -> str:
    """A header's value, or the first of several; what is no text is none."""
    if isinstance(value, (list, tuple)):
        value = value[0] if value else ""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else ""


def _key_in(secret: str) -> bytes:
    """With an empty secret anybody could sign."""
    text = secret.removeprefix("whsec_").encode()
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if secret.startswith("whsec_") and len(key) >= _KEY_BYTES_MIN and base64.b64encode(key) == text:
        return key
    raise ValueError("The secret of a webhook is whsec_ and at least 24 bytes in base64, as you were shown it")
