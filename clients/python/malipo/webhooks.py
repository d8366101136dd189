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
    # The X-Callback-Type, and a body of the type that WEBHOOKS in operations.py names for it.
    type: str
    body: dict[str, Any]


def verify_webhook(raw_body: bytes, headers: Mapping[str, str], secret: str, now_s: float | None = None) -> Webhook:
    """Takes the body as it came, before anything has parsed it.

    Raises WebhookError for what is not ours, or older than five minutes, and ValueError for a secret that is none of ours.
    """
    key = _key_in(secret)
    by_name = {name.lower(): value for name, value in headers.items()}
    id, timestamp, signatures, type = (
        by_name.get(name, "") for name in ("webhook-id", "webhook-timestamp", "webhook-signature", "x-callback-type")
    )
    now = time.time() if now_s is None else now_s
    is_time = timestamp.isdecimal() and len(timestamp) < 16
    if not is_time or abs(now - int(timestamp)) >= _TOLERANCE_S:
        raise WebhookError("It is too old, or has no time")
    signed = f"{id}.{timestamp}.".encode() + raw_body
    wanted = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    if not any(hmac.compare_digest(wanted, one.encode()) for one in signatures.split(" ")):
        raise WebhookError("The signature is not ours")
    return Webhook(id, type, json.loads(raw_body))


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
