from __future__ import annotations

from .operations import ErrorBody


class Refused(Exception):
    """The service rejected the request: nothing was started, unless `payment_id` is set. Use `code` for decisions."""

    def __init__(self, status: int, body: ErrorBody, retry_after_s: float = 0.0) -> None:
        super().__init__(body["message"])
        self.status = status
        # The complete answer.
        self.body = body
        self.code = body["code"]
        self.details = body.get("details", [])
        self.payment_id = body.get("payment_id")
        # Include it when you contact the operator.
        self.request_id = body["request_id"]
        # Seconds to wait before a retry; 0 if the service did not say.
        self.retry_after_s = retry_after_s


class OutcomeUnknown(Exception):
    """The outcome of the request is unknown: the service may have accepted it.

    Repeat it with `idempotency_key` and `is_repeat=True`, or query the status. Never retry with another key.
    """

    def __init__(
        self, message: str, *, idempotency_key: str | None, payment_id: str | None, request_id: str | None
    ) -> None:
        super().__init__(message)
        # Empty if the operation takes no key: check what exists before you send the request again.
        self.idempotency_key = idempotency_key
        # The payment, if the service reported it.
        self.payment_id = payment_id
        # Include it when you contact the operator.
        self.request_id = request_id


class WebhookError(Exception):
    """The webhook has a wrong signature, or is too old."""
