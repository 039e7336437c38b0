"""HTTP with patience that ends: a request's head comes in time, and what is sent is read, or the connection is closed.

uvicorn bounds the time between requests only. A client that sends a byte a minute, or that never reads, would keep its
connection for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 10.0  # seconds in which the head of a request has come
WHOLE = 60.0  # seconds for a request and its answer


class Patient(H11Protocol):
    """uvicorn's protocol with a deadline for each request."""

    _deadline: asyncio.TimerHandle | None = None
    _seen: Any = None  # the cycle for which the deadline is

    def connection_made(self, transport: Any) -> None:
        """Begin: the head of the first request is due."""
        super().connection_made(transport)
        self._due(HEAD)

    def data_received(self, data: bytes) -> None:
        """Take what came; once a request has begun, all of it is due, and its answer."""
        if self.cycle is not None and self.cycle.response_complete and self._deadline is None:
            self._due(HEAD)
        super().data_received(data)
        if self.cycle is not None and self.cycle is not self._seen:
            self._seen = self.cycle
            if not self.cycle.response_complete:
                self._due(WHOLE)

    def on_response_complete(self) -> None:
        """Let the connection rest for as long as uvicorn keeps it."""
        self._rest()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer before the connection is closed."""
        self._rest()
        super().connection_lost(exc)

    def _due(self, seconds: float) -> None:
        self._rest()
        self._deadline = self.loop.call_later(seconds, self._cut)

    def _rest(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut(self) -> None:
        self._deadline = None
        self.transport.abort()
