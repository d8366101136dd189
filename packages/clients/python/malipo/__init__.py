"""Takes payments, verifies webhooks and gives money back through a Malipo payment engine."""

from .client import Malipo
from .errors import OutcomeUnknown, Refused, WebhookError
from .webhooks import Webhook, is_later, sequence_of, verify_webhook

__all__ = [
    "Malipo",
    "OutcomeUnknown",
    "Refused",
    "Webhook",
    "WebhookError",
    "is_later",
    "sequence_of",
    "verify_webhook",
]
