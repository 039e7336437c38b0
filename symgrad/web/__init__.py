"""The explorer: a page to differentiate, understand and practise on, served on one's own machine.

A thin room on top: it shows what ``sg.parse``, ``derive``, ``explain``, ``graph``, ``export`` and ``grade`` return. It
needs the extra ``web``; ``serve`` says so where that is missing.
"""

from __future__ import annotations

import importlib
from typing import Any

from symgrad.support.extras import needs

__all__ = ["application", "serve"]


def serve(host: str = "127.0.0.1", port: int = 8000, **settings: Any) -> str:
    """Serve the page until it is interrupted: see ``symgrad.web.serving.serve``.

    Raises:
        MissingExtra: Starlette or uvicorn is not installed.
    """
    needs("symgrad serve", "web")
    found: str = importlib.import_module("symgrad.web.serving").serve(host, port, **settings)
    return found


def application(pool: Any = None, guard: Any = None) -> Any:
    """Return the application for a server of one's own, with a new pool where none is given.

    Raises:
        MissingExtra: Starlette is not installed.
    """
    needs("symgrad.web", "web")
    chosen = importlib.import_module("symgrad.web.pool").Pool() if pool is None else pool
    return importlib.import_module("symgrad.web.app").application(chosen, guard)
