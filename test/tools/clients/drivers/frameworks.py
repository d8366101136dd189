"""
A shop's webhook handler in each framework, at /NAME, with what that framework makes of the HTTP request. /NAME/parsed
passes the body as the framework parses it. Prints the address of each.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
import uvicorn
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from flask import Flask, jsonify
from flask import request as flask_request
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from malipo import Webhook, WebhookError, verify_webhook

secret = os.environ["MALIPO_WEBHOOK_SECRET"]


def result_of(verify: Callable[[], Webhook]) -> dict[str, str]:
    try:
        webhook = verify()
        return {"id": webhook.id, "type": webhook.type, "event": webhook.event_type}
    except Exception as error:
        return error_of(error)


def error_of(error: Exception) -> dict[str, str]:
    is_ours = isinstance(error, WebhookError)
    return {"error": "WebhookError" if is_ours else type(error).__name__, "message": str(error)}


flask = Flask("shop")


@flask.post("/flask/<form>")
def by_flask(form: str) -> Any:
    request = flask_request
    forms: dict[str, Callable[[], Webhook]] = {
        "request": lambda: verify_webhook(request.get_data(), request, secret),
        "headers": lambda: verify_webhook(request.get_data(), request.headers, secret),
        "environ": lambda: verify_webhook(request.get_data(), request.environ, secret),
        "text": lambda: verify_webhook(request.get_data(as_text=True), dict(request.headers), secret),
        "parsed": lambda: verify_webhook(request.get_json(force=True, silent=True), request, secret),
    }
    return jsonify(result_of(forms[form]))


@csrf_exempt
def by_django(request: HttpRequest, form: str) -> JsonResponse:
    forms: dict[str, Callable[[], Webhook]] = {
        "request": lambda: verify_webhook(request.body, request, secret),
        "headers": lambda: verify_webhook(request.body, request.headers, secret),
        "meta": lambda: verify_webhook(request.body, request.META, secret),
        "parsed": lambda: verify_webhook(request.POST, request, secret),
    }
    return JsonResponse(result_of(forms[form]))


settings.configure(
    SECRET_KEY="x" * 50,
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
)
urlpatterns = [path("django/<str:form>", by_django), path("django-asgi/<str:form>", by_django)]
django.setup()


def by_wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(result_of(lambda: verify_webhook(body, environ, secret))).encode()]


apps = {"flask": flask, "django": get_wsgi_application(), "wsgi": by_wsgi}


def dispatch(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    app: Any = apps[environ["PATH_INFO"].split("/")[1]]
    return app(environ, start_response)  # type: ignore[no-any-return]


async def told_later(verify: Callable[[], Awaitable[Webhook]]) -> dict[str, str]:
    try:
        webhook = await verify()
    except Exception as error:
        return error_of(error)
    return result_of(lambda: webhook)


async def by_starlette(request: Request) -> JSONResponse:
    async def verify() -> Webhook:
        match request.path_params["form"]:
            case "request":
                return verify_webhook(await request.body(), request, secret)
            case "headers":
                return verify_webhook(await request.body(), request.headers, secret)
            case "scope":
                return verify_webhook(await request.body(), request.scope, secret)
        return verify_webhook(await request.json(), request, secret)

    return JSONResponse(await told_later(verify))


async def by_asgi(scope: dict[str, Any], receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    forms: dict[str, Callable[[], Webhook]] = {
        "scope": lambda: verify_webhook(body, scope, secret),
        "pairs": lambda: verify_webhook(body, scope["headers"], secret),
    }
    answer = result_of(forms[scope["path"].split("/")[2]])
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(answer).encode()})


django_asgi = get_asgi_application()


async def asgi(scope: dict[str, Any], receive: Any, send: Any) -> None:
    first = scope["path"].split("/")[1] if scope["type"] == "http" else ""
    app: Any = {"asgi": by_asgi, "django-asgi": django_asgi}.get(first, starlette)
    await app(scope, receive, send)


starlette = Starlette(routes=[Route("/starlette/{form}", by_starlette, methods=["POST"])])


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


wsgi_server = make_server("127.0.0.1", 0, dispatch, handler_class=Quiet)
threading.Thread(target=wsgi_server.serve_forever, daemon=True).start()
listening = socket.create_server(("127.0.0.1", 0))
by_wsgi_server = f"http://127.0.0.1:{wsgi_server.server_port}"
by_asgi_server = f"http://127.0.0.1:{listening.getsockname()[1]}"
urls = {name: by_wsgi_server for name in apps} | {name: by_asgi_server for name in ("asgi", "django-asgi", "starlette")}
print(json.dumps(urls), flush=True)
asyncio.run(uvicorn.Server(uvicorn.Config(asgi, log_level="critical", lifespan="off")).serve([listening]))
