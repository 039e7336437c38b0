"""A worker: a process that answers one request after the other, within limits that the system keeps.

Requests and answers are JSON in bytes; nothing is pickled. A worker can write no file and start no process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from symgrad.support.threads import set_num_threads
from symgrad.web.jobs import answered

if sys.platform != "win32":
    import resource

MEMORY = 512 * 2**20  # bytes that a worker may hold for itself
READY = b"ready"
YIELDING = 5  # by which a worker gives way to the server, whose answers from memory wait for nobody
Answer = Callable[[bytes], bytes]


def serve_one(connection: Any, memory: int, answer: Answer = answered) -> None:
    """Answer what comes through a connection until it is closed.

    Args:
        connection: an end of a ``multiprocessing.Pipe``.
        memory: the most bytes that the process may hold.
        answer: from a request to its answer.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's affair
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    if sys.platform != "win32":
        os.nice(YIELDING)
    limit(memory)
    set_num_threads(1)
    try:
        connection.send_bytes(READY)
        while True:
            connection.send_bytes(answer(connection.recv_bytes()))
    except (EOFError, OSError):  # the server is gone
        return


def _end_with_the_server() -> None:
    """End this process when the one that asks it has ended, whatever is being computed: nobody waits for the answer."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)


def limit(memory: int) -> None:
    """Bound what this process may take: memory of its own, and no files, processes or dumps of its memory.

    What counts is data (RLIMIT_DATA), which Linux takes for all memory that a process has for itself. The address space
    (RLIMIT_AS) holds the libraries too, several hundred megabytes that every worker shares.
    """
    if sys.platform == "win32":
        return
    for what, most in _limits(memory):
        try:
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):  # a system that is stricter already, or has no such limit
            continue


def _limits(memory: int) -> list[tuple[int, int]]:
    if sys.platform == "win32":
        return []
    bounds = [(resource.RLIMIT_DATA, memory), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)]
    return [*bounds, (resource.RLIMIT_NPROC, 0)] if os.geteuid() else bounds
