"""The explorer: a local web page on which to differentiate, see the steps, and practise.

The page displays the results of ``sg.parse``, ``derive``, ``explain``, ``graph``, ``export`` and ``grade``. It needs
the extra ``web``; ``serve`` raises an error that says so if it is not installed.
"""

from __future__ import annotations

from typing import Any

from symgrad.support.extras import needs

__all__ = ["application", "serve"]


def serve(host: str = "127.0.0.1", port: int = 8000, **settings: Any) -> str:
    """Serve the page until it is interrupted: see ``symgrad.web.serving.serve``.

    Raises:
        MissingExtra: Starlette or uvicorn is not installed.
    """
    needs("symgrad serve", "web")
    from symgrad.web import serving

    return serving.serve(host, port, **settings)


def application(pool: Any = None, guard: Any = None) -> Any:
    """Return the application for a server of one's own, with a new pool where none is given.

    Raises:
        MissingExtra: Starlette is not installed.
    """
    needs("symgrad.web", "web")
    from symgrad.web.app import application as made
    from symgrad.web.pool import WorkerPool

    return made(WorkerPool() if pool is None else pool, guard)
