"""Makes the calls that stand in its input, one after the other, and writes what came of each."""

import json
import re
import sys
from typing import Any

from malipo import Malipo, OutcomeUnknown, Refused


def verdict_of(call: dict[str, Any]) -> dict[str, Any]:
    options = {"idempotency_key": call.get("idempotencyKey"), "is_repeat": call.get("isRepeat")}
    try:
        malipo = Malipo(call["url"], "k", "s3cret", tries_max=call["triesMax"], first_pause_s=0.001)
        if call["operation"] == "eventPages":
            return {"kind": "taken", "body": {"pages": list(malipo.event_pages(**call["input"]))}}
        method = getattr(malipo, re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", call["operation"]))
        given = {name: value for name, value in options.items() if value is not None}
        return {"kind": "taken", "body": method(**call["input"], **given)}
    except Refused as error:
        return {
            "kind": "refused",
            "status": error.status,
            "code": error.code,
            "paymentId": error.payment_id,
            "requestId": error.request_id,
            "retryAfterS": error.retry_after_s,
            "message": str(error),
        }
    except OutcomeUnknown as error:
        return {
            "kind": "unknown",
            "idempotencyKey": error.idempotency_key,
            "paymentId": error.payment_id,
            "requestId": error.request_id,
            "message": str(error),
        }
    except Exception as error:
        return {"kind": "misuse", "message": f"{type(error).__name__}: {error}"}


print(json.dumps([verdict_of(call) for call in json.load(sys.stdin)]))
