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
_PRINTABLE = re.compile(r"[\x20-\x7e]{1,255}")


class Malipo(Operations):
    """Every operation by its name. A refusal is raised as `Refused`, doubt as `OutcomeUnknown`.

    Keys are sent as headers with each request, and are never part of an error. `tries_max` says how often a request is
    sent at most, `first_pause_s` how long the pause before the second try is; each one after it is twice as long.

    What starts something takes an `idempotency_key`, which names what is to happen once, such as your order; it is made
    up unless told. `is_repeat` says that an earlier call with this key ended in doubt: it lasts until the key itself is
    answered.
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
        if re.match("https?://[^/]", base_url) is None:
            raise ValueError("base_url must be an http or https address")
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
        """The feed of events from `after` to where it ends now, page by page.

        Keep `next_cursor` of a page in the transaction in which you deal with its events, and go on from there the next
        time.
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
        # Some try may have been acted on, and the key was not answered since.
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
            # With some chance in it, so that those who were turned away together do not come back together.
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


def _require_printable(name: str, value: str) -> None:
    if _PRINTABLE.fullmatch(value) is None:
        raise ValueError(f"{name} must be 1 to 255 printable ASCII characters")


def _doubt(answer: Refusal | NoAnswer, route: Route, key: str | None, payment_id: str | None) -> OutcomeUnknown:
    if isinstance(answer, NoAnswer):
        last, request_id = answer.what, None
    else:
        last, request_id = f"{answer.body['code']}: {answer.body['message']}", answer.body["request_id"]
    has_no_key = ". It has no Idempotency-Key and was not repeated: see what is there before you send it again"
    return OutcomeUnknown(
        f"Nobody knows whether the request was taken ({last}){'' if route.may_repeat else has_no_key}",
        idempotency_key=key,
        payment_id=payment_id,
        request_id=request_id,
    )
