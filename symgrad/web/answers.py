"""Answers that are kept: the same request has the same answer, and those of a class are much alike.

Requests that are under way are shared too, so that thirty pupils who open one link ask one worker once.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from symgrad.web.pool import WorkerPool

MOST_BYTES = 64 * 2**20
FINAL = ("input", None)  # kinds of errors that asking again does not change


def canonical(job: str, data: Mapping[str, Any]) -> bytes:
    """Return a request as bytes, the same for the same content."""
    return json.dumps({**data, "job": job}, sort_keys=True, separators=(",", ":")).encode()


class Answers:
    """What a pool answers, the latest of it from memory."""

    def __init__(self, pool: WorkerPool, most: int = MOST_BYTES) -> None:
        self._pool, self._most, self._size = pool, most, 0
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._under_way: dict[bytes, asyncio.Future[bytes]] = {}

    async def get(self, request: bytes) -> bytes:
        """Return the answer to a request."""
        if request in self._kept:
            self._kept.move_to_end(request)
            self._pool.counts.add("answered from memory")
            return self._kept[request]
        if request not in self._under_way:
            future = asyncio.wrap_future(self._pool.submit(request))
            self._under_way[request] = future
            future.add_done_callback(lambda done: self._finished(request, done))
        return await asyncio.shield(self._under_way[request])

    def _finished(self, request: bytes, done: asyncio.Future[bytes]) -> None:
        self._under_way.pop(request, None)
        if done.cancelled() or done.exception() is not None:
            return
        answer = done.result()
        self._pool.counts.add("computed")
        if kind(answer) in FINAL and len(request) + len(answer) <= self._most // 16:
            self._keep(request, answer)

    def _keep(self, request: bytes, answer: bytes) -> None:
        self._kept[request] = answer
        self._size += len(request) + len(answer)
        while self._size > self._most:
            old, gone = self._kept.popitem(last=False)
            self._size -= len(old) + len(gone)


def kind(answer: bytes) -> str | None:
    """Return the kind of an answer's error, or None."""
    if answer.startswith(b'{"ok": true'):
        return None
    name: str = json.loads(answer)["error"]["kind"]
    return name
