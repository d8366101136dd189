from __future__ import annotations

import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from .errors import OutcomeUnknown, Refused
from .operations import ErrorBody, Operations, Route

# Refusals that pass by themselves. Where a key is sent, a repeat is answered as the first was.
_PASSING = {429, 500, 503, 504}
_PAUSE_MAX_S = 30.0


@dataclass(frozen=True)
class _Answer:
    # None without an answer that can be read.
    status: int | None
    body: Any
    after_s: float = 0.0

    @property
    def is_taken(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def may_pass(self) -> bool:
        return self.status is None or self.status in _PASSING or self.body["code"] == "REQUEST_IN_PROGRESS"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Keys go to nobody else."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Malipo(Operations):
    """Every operation by its name. A refusal is raised as `Refused`, doubt as `OutcomeUnknown`.

    Keys are sent as headers with each request, and are never part of an error.
    """

    def __init__(
        self, base_url: str, api_key: str, api_secret: str, *, tries_max: int = 4, timeout_s: float = 40.0
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._headers = {"X-API-Key": api_key, "X-API-Secret": api_secret}
        self._tries_max = tries_max
        self._timeout_s = timeout_s
        self._opener = urllib.request.build_opener(_NoRedirects)

    def _call(self, route: Route, input: dict[str, Any], idempotency_key: str | None) -> Any:
        key = (idempotency_key or str(uuid.uuid4())) if route.takes_key else None
        request = self._request(route, input, key)
        n = 1
        while True:
            answer = self._send(request)
            if answer.is_taken:
                return answer.body
            if n >= self._tries_max or not answer.may_pass:
                _raise(answer, key)
            pause_s = min(max(answer.after_s, 0.5 * 2 ** (n - 1)), _PAUSE_MAX_S)
            time.sleep(pause_s + random.random() / 4)
            n += 1

    def _request(self, route: Route, input: dict[str, Any], key: str | None) -> urllib.request.Request:
        fields = {name: value for name, value in input.items() if value is not None}
        path = re.sub(r"\{(\w+)\}", lambda name: urllib.parse.quote(str(fields.pop(name[1])), safe=""), route.path)
        headers = dict(self._headers)
        if key is not None:
            headers["Idempotency-Key"] = key
        if route.method == "GET":
            query = f"?{urllib.parse.urlencode(fields)}" if fields else ""
            return urllib.request.Request(f"{self._base_url}{path}{query}", headers=headers)
        headers["Content-Type"] = "application/json"
        body = json.dumps(fields).encode()
        return urllib.request.Request(f"{self._base_url}{path}", data=body, headers=headers, method="POST")

    def _send(self, request: urllib.request.Request) -> _Answer:
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return _Answer(response.status, json.load(response))
        except urllib.error.HTTPError as refusal:
            return _refused(refusal)
        except (OSError, http.client.HTTPException, ValueError) as fault:
            return _Answer(None, str(fault))


def _refused(refusal: urllib.error.HTTPError) -> _Answer:
    try:
        body = json.load(refusal)
        after = refusal.headers.get("Retry-After", "")
        # A page of something between here and there is no answer of the service.
        if isinstance(body, dict) and isinstance(body.get("code"), str):
            return _Answer(refusal.code, body, float(after) if after.isdecimal() else 0.0)
    except (OSError, http.client.HTTPException, ValueError):
        pass
    return _Answer(None, f"HTTP {refusal.code}")


def _raise(answer: _Answer, key: str | None) -> NoReturn:
    if answer.status is None:
        raise OutcomeUnknown(f"The service gave no answer: {answer.body}", key)
    body = cast(ErrorBody, answer.body)
    if body["code"] in ("ACCEPTANCE_UNKNOWN", "REQUEST_IN_PROGRESS"):
        raise OutcomeUnknown(body["message"], key)
    raise Refused(answer.status, body)
