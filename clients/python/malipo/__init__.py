"""Takes payments, verifies webhooks and gives money back through a Malipo payment engine."""

from .client import Malipo
from .errors import OutcomeUnknown, Refused, WebhookError
from .webhooks import Webhook, verify_webhook

__all__ = ["Malipo", "OutcomeUnknown", "Refused", "Webhook", "WebhookError", "verify_webhook"]
