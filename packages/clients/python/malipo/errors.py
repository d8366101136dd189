from __future__ import annotations

from .operations import ErrorBody


class Refused(Exception):
    """The service has refused: nothing was started, unless `payment_id` names what was. Decide by `code`."""

    def __init__(self, status: int, body: ErrorBody, retry_after_s: float = 0.0) -> None:
        super().__init__(body["message"])
        self.status = status
        # The whole answer.
        self.body = body
        self.code = body["code"]
        self.details = body.get("details", [])
        self.payment_id = body.get("payment_id")
        # Tell it when you ask the operator.
        self.request_id = body["request_id"]
        # How long to wait before it is worth asking again; 0 where nothing is said.
        self.retry_after_s = retry_after_s


class OutcomeUnknown(Exception):
    """Nobody knows what became of the request: it may have been taken.

    Repeat it with `idempotency_key` and `is_repeat=True`, or ask for the status; never begin anew with another key.
    """

    def __init__(
        self, message: str, *, idempotency_key: str | None, payment_id: str | None, request_id: str | None
    ) -> None:
        super().__init__(message)
        # None where the operation takes none: see what is there before you send it again.
        self.idempotency_key = idempotency_key
        # The payment, where the service had named it.
        self.payment_id = payment_id
        # Tell it when you ask the operator.
        self.request_id = request_id


class WebhookError(Exception):
    """What claims to be a webhook is not ours, or is too old."""
