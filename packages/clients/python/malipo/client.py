from __future__ import annotations

import json
import random
import re
import time
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any

from .answers import NoAnswer, Refusal, Taken, send
from .errors import OutcomeUnknown, Refused
from .operations import EventsAnswer, Operations, Route

_PAUSE_MAX_S = 30.0
_ADDRESS = re.compile(r"https?://[^\s\\/?#@]+(/[^\s\\?#]*)?")
_PRINTABLE = re.compile(r"[\x20-\x7e]{1,255}")


class Malipo(Operations):
    """Every operation by its name. An error of the service is raised as `Refused`, an unknown outcome as `OutcomeUnknown`.

    Keys are sent as headers of each request, and are never part of an error. `tries_max` is the maximal number of
    attempts, and `first_pause_s` the pause before the second one; each later pause is twice as long.

    An operation that starts something takes an `idempotency_key`, which identifies what must happen only once, such as your
    order. By default it is random. `is_repeat` means that the outcome of an earlier call with this key is unknown. It stays
    unknown until the service answers for the key.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        api_secret: str,
        *,
        tries_max: int = 4,
        timeout_s: float = 40.0,
        first_pause_s: float = 0.5,
    ) -> None:
        if not _is_address(base_url):
            raise ValueError("base_url must be an http or https address without user, query and fragment")
        for name, value in (("api_key", api_key), ("api_secret", api_secret)):
            _require_printable(name, value)
        self._base_url = base_url.rstrip("/")
        self._headers = {"X-API-Key": api_key, "X-API-Secret": api_secret}
        self._tries_max = tries_max
        self._timeout_s = timeout_s
        self._first_pause_s = first_pause_s

    def event_pages(
        self, *, after: str | None = None, types: str | None = None, limit: str | None = None
    ) -> Iterator[EventsAnswer]:
        """The event feed from `after` to its current end, page by page.

        Store `next_cursor` of a page in the transaction that processes its events, and continue from there the next time.
        """
        while True:
            page = self.events(after=after, types=types, limit=limit)
            yield page
            if not page["has_more"]:
                return
            after = page["next_cursor"]

    def _call(
        self, route: Route, input: dict[str, Any], idempotency_key: str | None = None, is_repeat: bool = False
    ) -> Any:
        key = None
        if route.takes_key:
            key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
            _require_printable("idempotency_key", key)
        request = self._request(route, input, key)
        # An attempt may have been accepted, and the service has not answered for the key since.
        is_in_doubt = is_repeat
        payment_id: str | None = None
        n = 1
        while True:
            answer = send(request, self._timeout_s)
            if isinstance(answer, Taken):
                return answer.body
            is_in_doubt = answer.stays_in_doubt(is_in_doubt)
            if isinstance(answer, Refusal):
                payment_id = answer.body.get("payment_id", payment_id)
            is_last = n >= self._tries_max or not answer.may_pass or answer.after_s > _PAUSE_MAX_S
            if is_last or (is_in_doubt and not route.may_repeat):
                if is_in_doubt or isinstance(answer, NoAnswer):
                    raise _doubt(answer, route, key, payment_id)
                raise Refused(answer.status, answer.body, answer.after_s)
            pause_s = min(max(answer.after_s, self._first_pause_s * 2 ** (n - 1)), _PAUSE_MAX_S)
            # Random, so that clients that failed at the same time do not retry at the same time.
            time.sleep(pause_s * (1 + random.random() / 4))
            n += 1

    def _request(self, route: Route, input: dict[str, Any], key: str | None) -> urllib.request.Request:
        fields = {name: value for name, value in input.items() if value is not None}

        def in_path(found: re.Match[str]) -> str:
            value = str(fields.pop(found[1], ""))
            if value in ("", ".", ".."):
                raise ValueError(f"{found[1]} is missing")
            return urllib.parse.quote(value, safe="")

        path = re.sub(r"\{(\w+)\}", in_path, route.path)
        headers = dict(self._headers)
        if key is not None:
            headers["Idempotency-Key"] = key
        if route.method == "GET":
            query = f"?{urllib.parse.urlencode(fields)}" if fields else ""
            return urllib.request.Request(f"{self._base_url}{path}{query}", headers=headers)
        headers["Content-Type"] = "application/json"
        body = json.dumps(fields).encode()
        return urllib.request.Request(f"{self._base_url}{path}", data=body, headers=headers, method="POST")


def _is_address(text: str) -> bool:
    if _ADDRESS.fullmatch(text) is None:
        return False
    try:
        parts = urllib.parse.urlsplit(text)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _require_printable(name: str, value: str) -> None:
    if _PRINTABLE.fullmatch(value) is None:
        raise ValueError(f"{name} must be 1 to 255 printable ASCII characters")


def _doubt(answer: Refusal | NoAnswer, route: Route, key: str | None, payment_id: str | None) -> OutcomeUnknown:
    if isinstance(answer, NoAnswer):
        last, request_id = answer.what, None
    else:
        last, request_id = f"{answer.body['code']}: {answer.body['message']}", answer.body["request_id"]
    has_no_key = ". The request has no Idempotency-Key and was not retried: check what exists before you send it again"
    return OutcomeUnknown(
        f"It is unknown whether the service accepted the request ({last}){'' if route.may_repeat else has_no_key}",
        idempotency_key=key,
        payment_id=payment_id,
        request_id=request_id,
    )
