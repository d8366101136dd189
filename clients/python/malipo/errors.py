from __future__ import annotations

from .operations import ErrorBody


class Refused(Exception):
    """The service has refused: nothing was started, unless `payment_id` names what was. Decide by `code`."""

    def __init__(self, status: int, body: ErrorBody) -> None:
        super().__init__(body["message"])
        self.status = status
        self.body = body
        self.code = body["code"]
        self.details = body.get("details", [])
        self.payment_id = body.get("payment_id")
        # Tell it when you ask the operator.
        self.request_id = body["request_id"]


class OutcomeUnknown(Exception):
    """Nobody knows what became of the request: it may have been taken.

    Repeat it with `idempotency_key`, or ask for the status; never begin anew with another key.
    """

    def __init__(self, message: str, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class WebhookError(Exception):
    """What claims to be a webhook is not ours, or is too old."""
