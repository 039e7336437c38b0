"""``symgrad serve``: the pool, the application and uvicorn, until it is interrupted."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import uvicorn

from symgrad.errors import ArgumentError
from symgrad.web.app import application
from symgrad.web.guard import Guard, is_loopback
from symgrad.web.pool import Counts, WorkerPool, end_forking, ignoring
from symgrad.web.protocol import Patient

PORT = 8000
ANY = ("0.0.0.0", "::")  # hosts that stand for all addresses of this machine
CONNECTIONS = 1000
KEPT = 15  # seconds for which a connection without a request stays
OPEN = (
    "--host {host}: other machines can then reach this server, and what they send is computed here. It asks them for a "
    "token: add --token, for one that is made up, or --token WORD. Without --host, only this machine reaches it."
)


def serve(
    host: str = "127.0.0.1",
    port: int = PORT,
    *,
    token: str | None = None,
    workers: int | None = None,
    open_browser: bool = False,
    say: Callable[[str], Any] = print,
) -> str:
    """Serve the page until it is interrupted; return what it did, in numbers.

    Args:
        host: the address to bind; another one than this machine's own needs a token.
        port: 0 for one that is free.
        token: what requests must carry; "" for one that is made up.
        workers: processes that compute; by default one for each processor.
        open_browser: whether to open the page.
        say: takes what is to be told.

    Raises:
        ArgumentError: others could reach the server, and there is no token; or the port is taken.
    """
    if not is_loopback(host) and token is None:
        raise ArgumentError(OPEN.format(host=host))
    chosen = secrets.token_urlsafe(12) if token == "" else token
    guard = Guard(host, chosen)
    listening = _bound(host, port)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # a service is ended so; workers are ended with it
    pool = None
    try:
        pool = WorkerPool(workers or processors())
        server = _Server(uvicorn.Config(application(pool, guard), http=Patient, **_config(host, port)))
        server.started_at = lambda bound: _told(guard, bound, open_browser, say)
        server.run([listening])
    except KeyboardInterrupt:  # which is how it is stopped
        pass
    finally:
        with ignoring(signal.SIGINT, signal.SIGTERM):
            if pool is not None:
                pool.close()
            end_forking()
    return str(Counts() if pool is None else pool.counts)


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (")[0].lower()
        raise ArgumentError(
            f"--host {host} --port {port}: {why}. Use another port, or --port 0 for a free one."
        ) from error


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _config(host: str, port: int) -> dict[str, Any]:
    """Return uvicorn's settings: no log, and bounds on what clients may keep open."""
    return {
        "host": host, "port": port, "log_config": None, "log_level": "critical", "access_log": False,
        "server_header": False, "date_header": False, "ws": "none", "lifespan": "off", "proxy_headers": False,
        "limit_concurrency": CONNECTIONS, "timeout_keep_alive": KEPT, "timeout_graceful_shutdown": 3,
        "h11_max_incomplete_event_size": 16 * 1024,
    }  # fmt: skip


class _Server(uvicorn.Server):
    """uvicorn's server, which tells its port once it is bound."""

    started_at: Callable[[int], Any] = staticmethod(lambda bound: None)

    async def startup(self, sockets: Any = None) -> None:
        """Bind, and tell where."""
        await super().startup(sockets)
        if self.started:
            self.started_at(self.servers[0].sockets[0].getsockname()[1])


def _told(guard: Guard, port: int, open_browser: bool, say: Callable[[str], Any]) -> None:
    end = f":{port}/" + (f"?token={quote(guard.token, safe='')}" if guard.token is not None else "")
    address = f"http://{_shown(guard.host)}{end}"
    say(f"symgrad serves on {address}")
    if guard.is_open:
        say(f"Other machines can reach it: {guard.host} is bound. They need the token; nothing is encrypted.")
    if guard.host in ANY:
        say("On other machines it is " + " or ".join(f"http://{_shown(name)}{end}" for name in _names()))
    say("Stop it with Ctrl+C.")
    if open_browser:
        webbrowser.open(f"http://127.0.0.1{end}" if guard.host in ANY else address)


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _names() -> list[str]:
    """Return what this machine is called by others: its name, and its address where it has one."""
    names = [socket.gethostname()]
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(("192.0.2.1", 9))  # an address of nobody's: nothing is sent, a way to it is chosen
        names.append(asked.getsockname()[0])
    return names
