"""The routes: a page, its files, the gallery, one address for each job, and a sheet to print.

What a request brings is read with bounds on its size and time, handed to the pool as JSON, and never logged.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from symgrad.web.answers import Answers, canonical, kind
from symgrad.web.gallery import gallery
from symgrad.web.guard import HEADERS, TOKEN, Guard
from symgrad.web.jobs import JOBS, failed
from symgrad.web.pool import WorkerPool
from symgrad.web.sheet import page as sheet_page

STATIC = Path(__file__).parent / "static"
MOST_BYTES = 64 * 1024  # of a request
SECONDS = 10.0  # in which a request has come, and an answer has gone
TYPES = {
    ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml", ".woff2": "font/woff2", ".png": "image/png", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
STATUS = {"busy": 503, "worker": 500}
Scope = Any
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def application(pool: WorkerPool, guard: Guard | None = None) -> Guarded:
    """Return the application, for a server such as uvicorn.

    Args:
        pool: who answers.
        guard: whom to answer; by default this machine.
    """
    routes = _Routes(Answers(pool), guard or Guard())
    app = Starlette(
        routes=[
            Route("/", routes.index),
            Route("/static/{name}", routes.static),
            Route("/api/gallery", routes.gallery),
            Route("/api/{job}", routes.job, methods=["POST"]),
            Route("/sheet", routes.sheet),
        ],
        exception_handlers={HTTPException: _explained, Exception: _broken},
    )
    return Guarded(app, guard or Guard(), pool)


class Guarded:
    """An application behind a guard: refuses before anything is read, and adds headers to each answer."""

    def __init__(self, inner: Any, guard: Guard, pool: WorkerPool) -> None:
        self._inner, self._guard, self.pool = inner, guard, pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as ASGI has it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._inner(scope, receive, send)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *extra]}
            await asyncio.wait_for(send(message), SECONDS)

        self.pool.counts.add("requests")
        headers = Headers(scope=scope)
        why = self._guard.refusal(headers, scope["path"], scope["method"])
        if len(headers.getlist("host")) > 1:
            why = "the request names two hosts. Open the address that symgrad serve printed."
        inner = self._inner if why is None else _refusing(403, why)
        if why is not None:
            self.pool.counts.add("refused (origin)")
        await inner(scope, receive, guarded)


def _refusing(status: int, why: str) -> Response:
    return _json(json.dumps(failed("input", why)).encode(), status)


def _json(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(body, status, {"cache-control": "no-store", **(headers or {})}, "application/json")


async def _explained(request: Request, error: Any) -> Response:
    return _refusing(error.status_code, f"{error.detail}.")


async def _broken(request: Request, error: Exception) -> Response:
    return _refusing(500, "the server made a mistake. Try again.")


class _Routes:
    """The handlers, one for each address."""

    def __init__(self, answers: Answers, guard: Guard) -> None:
        self._answers, self._guard = answers, guard
        self._gallery = json.dumps({"ok": True, "examples": gallery()}, ensure_ascii=False).encode()
        self._files = {p.name: p for p in STATIC.iterdir() if p.suffix in TYPES}

    async def index(self, request: Request) -> Response:
        return self._file("index.html")

    async def static(self, request: Request) -> Response:
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Response:
        if name not in self._files:
            raise HTTPException(404, "there is no such file")
        path = self._files[name]
        return FileResponse(path, headers={"cache-control": "no-cache"}, media_type=TYPES[path.suffix])

    async def gallery(self, request: Request) -> Response:
        self._check_token(request.headers.get(TOKEN))
        return _json(self._gallery)

    def _check_token(self, given: str | None) -> None:
        if not self._guard.has_token(given):
            raise HTTPException(403, "the token is missing or wrong; open the address that symgrad serve printed")

    async def job(self, request: Request) -> Response:
        self._check_token(request.headers.get(TOKEN))
        job = request.path_params["job"]
        if job not in JOBS:
            raise HTTPException(404, "there is no such job")
        return self._answer(await self._asked(job, await _body(request)))

    async def _asked(self, job: str, data: dict[str, Any]) -> bytes:
        try:
            request = canonical(job, data)
        except (RecursionError, ValueError):
            raise HTTPException(400, "the body is nested too deep") from None
        return await self._answers.get(request)

    def _answer(self, body: bytes) -> Response:
        status = STATUS.get(kind(body) or "", 200)
        return _json(body, status, {"retry-after": "1"} if status == 503 else None)

    async def sheet(self, request: Request) -> Response:
        query = request.query_params
        self._check_token(query.get("token") or request.headers.get(TOKEN))
        data: dict[str, Any] = {name: _integer(query.get(name), 0) for name in ("seed", "solutions")}
        data |= {"topic": query.get("topic", ""), "level": _integer(query.get("level"), 1)}
        if "logarithm" in query:
            data["logarithm"] = query["logarithm"]
        answer = json.loads(await self._asked("sheet", data))
        if not answer["ok"]:
            return _refusing(STATUS.get(answer["error"]["kind"], 400), answer["error"]["what"])
        return HTMLResponse(sheet_page(answer, data))


def _integer(text: str | None, default: int) -> Any:
    return default if text is None else int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


async def _body(request: Request) -> dict[str, Any]:
    """Return the JSON that a request brings.

    Raises:
        HTTPException: it is none, too large, or too slow.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "expected a body of the type application/json")
    try:
        async with asyncio.timeout(SECONDS):
            raw = await _bounded(request)
    except TimeoutError:
        raise HTTPException(408, f"the request took longer than {SECONDS:g} seconds to come") from None
    except ClientDisconnect:
        raise HTTPException(400, "the request ended early") from None
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is no JSON") from None
    if not isinstance(data, dict):
        raise HTTPException(400, "expected an object of JSON")
    return data


async def _bounded(request: Request) -> bytes:
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or int(length[:12]) > MOST_BYTES:
        raise HTTPException(413, f"the request is larger than {MOST_BYTES} bytes")
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > MOST_BYTES:
            raise HTTPException(413, f"the request is larger than {MOST_BYTES} bytes")
    return bytes(parts)
