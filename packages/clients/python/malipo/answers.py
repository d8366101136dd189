"""One attempt of a request, and whether its answer means that something was started."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, cast

from .operations import ErrorBody

# Errors that are temporary.
_PASSING = {429, 500, 503, 504}
# Not final yet.
_UNDECIDED = {"REQUEST_IN_PROGRESS", "CANCELLATION_IN_PROGRESS"}
# Server errors that mean that nothing was started.
_STARTED_NOTHING = {502, 503}
# With these statuses the service answers for the key; other errors come before it checks the key.
_ANSWERS_OF_KEY = {400, 404, 409, 422}
# Codes with these statuses that say nothing about the key.
_BESIDE_THE_KEY = {"CREDENTIALS_MISSING", "NOT_FOUND", "IDEMPOTENCY_KEY_REUSED"}


@dataclass(frozen=True)
class Taken:
    body: Any


@dataclass(frozen=True)
class Refusal:
    status: int
    body: ErrorBody
    is_replayed: bool
    after_s: float

    @property
    def may_pass(self) -> bool:
        return self.status in _PASSING or self.body["code"] in _UNDECIDED

    def stays_in_doubt(self, is_in_doubt: bool) -> bool:
        """Whether something may have been started, by this attempt or an earlier one.

        If a later attempt is rejected, this says nothing about an earlier one.
        """
        code = self.body["code"]
        if code in _UNDECIDED or (self.status >= 500 and self.status not in _STARTED_NOTHING):
            return True
        if self.is_replayed:
            return False
        return is_in_doubt and not (self.status in _ANSWERS_OF_KEY and code not in _BESIDE_THE_KEY)


@dataclass(frozen=True)
class NoAnswer:
    """The connection failed, or a proxy answered."""

    what: str
    after_s: float = 0.0
    may_pass: bool = True

    def stays_in_doubt(self, is_in_doubt: bool) -> bool:
        return True


Answer = Taken | Refusal | NoAnswer


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Keys must not be sent to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def send(request: urllib.request.Request, timeout_s: float) -> Answer:
    try:
        with _opener.open(request, timeout=timeout_s) as response:
            return _read(response.status, response.headers, response.read())
    except urllib.error.HTTPError as refusal:
        try:
            return _read(refusal.code, refusal.headers, refusal.read())
        except (OSError, http.client.HTTPException) as fault:
            return NoAnswer(f"HTTP {refusal.code}, then {_words(fault)}")
    except (OSError, http.client.HTTPException) as fault:
        return NoAnswer(_words(fault))


def _words(fault: Exception) -> str:
    return str(fault) or type(fault).__name__


def _read(status: int, headers: Any, text: bytes) -> Answer:
    after = headers.get("Retry-After", "")
    after_s = float(after) if after.isascii() and after.isdecimal() and len(after) <= 6 else 0.0
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if isinstance(body, dict):
        if 200 <= status < 300 and body.get("success") is True:
            return Taken(body)
        # Other services also send errors as JSON.
        told = (body.get("code"), body.get("message"), body.get("request_id"))
        if status >= 400 and body.get("success") is False and all(isinstance(text, str) for text in told):
            is_replayed = headers.get("Idempotent-Replayed") == "true"
            return Refusal(status, cast(ErrorBody, body), is_replayed, after_s)
    return NoAnswer(f"HTTP {status}, not an answer of the service", after_s)
