"""A pool of workers: requests go to idle ones, those that take too long are killed, those that die are replaced.

A request whose worker dies is tried once more, by another one. There is a bound on how many wait; beyond it the answer
is "busy" at once.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from symgrad.errors import SymgradError
from symgrad.web import worker
from symgrad.web.jobs import failed

HAS_FORKSERVER = "forkserver" in multiprocessing.get_all_start_methods()
if HAS_FORKSERVER:
    from multiprocessing import forkserver, resource_tracker

SECONDS = 2.0  # of a processor, for one request
PATIENCE = 4  # times as long by the clock, on a machine that has other work
STARTING = 60.0  # seconds in which a worker is ready, or given up
TRIES = 2
SERVED = 500  # requests, after which a worker is replaced: what libraries keep in memory goes with it
PER_WORKER = 32  # requests that may wait for each worker
WAITING = 15.0  # seconds for which a request waits for a worker


class Limits(NamedTuple):
    """What one request may take: seconds of a processor, and bytes."""

    seconds: float = SECONDS
    memory: int = worker.MEMORY


class Lost(SymgradError):
    """A worker died before it answered."""


class Late(SymgradError):
    """A worker took longer than a request may."""


class Worker:
    """One process, and the connection to it."""

    def __init__(self, context: Any, limits: Limits, answer: Any = None) -> None:
        self._limits = limits
        self._connection, theirs = context.Pipe()
        extra = () if answer is None else (answer,)
        self.process = context.Process(target=worker.serve_one, args=(theirs, limits.memory, *extra), daemon=True)
        self.process.start()
        theirs.close()
        self.served = 0
        self._is_ready = False

    def ask(self, request: bytes) -> bytes:
        """Return the answer to a request.

        Raises:
            Lost: the process ended.
            Late: it took too long.
        """
        try:
            self._wait_until_ready()
            before, start = cpu_time(self.process.pid), time.monotonic()
            self._connection.send_bytes(request)
            while not self._connection.poll(self._left(before, start)):
                if self._left(before, start) <= 0:
                    raise Late
            self.served += 1
            answer: bytes = self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise Lost from error
        return answer

    def _wait_until_ready(self) -> None:
        if self._is_ready:
            return
        if not self._connection.poll(STARTING) or self._connection.recv_bytes() != worker.READY:
            raise Lost
        self._is_ready = True

    def _left(self, before: float | None, start: float) -> float:
        """Return the seconds in which an answer is due; of the processor where its time is known."""
        by_clock = time.monotonic() - start
        now = cpu_time(self.process.pid)
        if before is None or now is None:
            return self._limits.seconds - by_clock
        return min(self._limits.seconds - (now - before), PATIENCE * self._limits.seconds - by_clock)

    def is_ready(self) -> bool:
        """Whether the process has all that it needs."""
        with contextlib.suppress(Lost, EOFError, OSError):
            self._wait_until_ready()
        return self._is_ready

    def end(self) -> None:
        """End the process, whatever it does."""
        self._connection.close()
        self.process.kill()
        self.process.join(5)
        with contextlib.suppress(ValueError):  # it has not ended yet
            self.process.close()


def cpu_time(pid: int | None) -> float | None:
    """Return the seconds of a processor that a process has had; None where the system does not say."""
    if not sys.platform.startswith("linux") or pid is None:
        return None
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Counts:
    """What a server has done: numbers, and nothing of what was asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.numbers: dict[str, int] = {}

    def add(self, name: str) -> None:
        """Count one more request."""
        with self._lock:
            self.numbers[name] = self.numbers.get(name, 0) + 1

    def __str__(self) -> str:
        return ", ".join(f"{n} {name}" for name, n in self.numbers.items()) or "no requests"


class WorkerPool:
    """Workers that answer requests; ``ask`` may be called from several threads.

    Args:
        size: how many workers.
        limits: what one request may take.
        answer: from a request to its answer, in a worker; for tests, a function that a module has.
    """

    def __init__(self, size: int = 2, limits: Limits | None = None, answer: Any = None) -> None:
        self.size, self.limits, self._answer = size, limits or Limits(), answer
        self.counts = Counts()
        self._context = _context()
        self._idle: queue.Queue[Worker] = queue.Queue()
        self._threads = ThreadPoolExecutor(size, "symgrad-pool")
        self._lock = threading.Lock()
        self._all: set[Worker] = set()
        self._waiting = 0
        self._closed = False
        try:
            for _ in range(size):
                self._add()
        except BaseException:  # such as a signal, while the first worker is prepared
            self.close()
            raise

    def _add(self) -> None:
        if not self._closed:
            made = Worker(self._context, self.limits, self._answer)
            with self._lock:
                self._all.add(made)
            self._idle.put(made)

    def _replace(self, gone: Worker) -> None:
        with self._lock:
            self._all.discard(gone)
        gone.end()
        self._add()

    @property
    def workers(self) -> list[Worker]:
        """Return the workers that exist now."""
        with self._lock:
            return list(self._all)

    def wait(self) -> None:
        """Wait until all workers are ready."""
        for one in self.workers:
            one.is_ready()

    def submit(self, request: bytes) -> Future[bytes]:
        """Return what will be the answer to a request; both are JSON. Where too many wait, it is "busy" at once."""
        with self._lock:
            is_full = self._waiting >= self.size * (PER_WORKER + 1)
            self._waiting += not is_full
        if is_full:
            future: Future[bytes] = Future()
            future.set_result(self._refused("busy", "the server is busy. Try again in a moment."))
            return future
        return self._threads.submit(self._answered, request, time.monotonic())

    def ask(self, request: bytes) -> bytes:
        """Return the answer to a request."""
        return self.submit(request).result()

    def _answered(self, request: bytes, came: float) -> bytes:
        try:
            if time.monotonic() - came > WAITING:
                return self._refused("busy", "no worker was free in time. Try again in a moment.")
            return self._tried(request)
        finally:
            with self._lock:
                self._waiting -= 1

    def _tried(self, request: bytes) -> bytes:
        for _ in range(TRIES):
            one = self._living()
            try:
                answer = one.ask(request)
            except Lost:
                self.counts.add("workers lost")
                self._replace(one)
                continue
            except Late:
                self._replace(one)
                seconds = f"{self.limits.seconds:g} seconds"
                return self._refused(
                    "time", f"this takes longer than {seconds}. Try a shorter formula, or fewer names."
                )
            self._put_back(one)
            return answer
        return self._refused("worker", "the process that computes this ended twice. Try a simpler formula.")

    def _living(self) -> Worker:
        """Return an idle worker; those that have ended in the meantime are replaced, and cost no try."""
        one = self._idle.get()
        while not one.process.is_alive():
            self.counts.add("workers lost")
            self._replace(one)
            one = self._idle.get()
        return one

    def _put_back(self, one: Worker) -> None:
        if one.served >= SERVED:
            self._replace(one)
        else:
            self._idle.put(one)

    def _refused(self, kind: str, what: str) -> bytes:
        self.counts.add(f"refused ({kind})")
        return json.dumps(failed(kind, what)).encode()

    def close(self) -> None:
        """End all workers."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for one in self.workers:
            one.end()


def _context() -> Any:
    """Return how processes are started: forked from one that has imported everything, where the system can."""
    if not HAS_FORKSERVER:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["symgrad.web.warm"])
    with ignoring(signal.SIGINT):  # which a terminal sends to all; what is started ignores what is ignored here
        forkserver.ensure_running()
    return context


def end_forking() -> None:
    """End the process that workers are forked from, and the one that tidies up behind it, where no worker is left.

    They would end by themselves, a moment after this process. The library has a way for its own tests only.
    """
    if not HAS_FORKSERVER or multiprocessing.active_children():
        return
    one = forkserver._forkserver
    if (pid := getattr(one, "_forkserver_pid", None)) is not None:
        os.kill(pid, signal.SIGKILL)
    for helper in (one, resource_tracker._resource_tracker):
        if (stop := getattr(helper, "_stop", None)) is not None:
            with contextlib.suppress(OSError):  # it has ended already
                stop()


@contextlib.contextmanager
def ignoring(*signals: signal.Signals) -> Iterator[None]:
    """Ignore signals for a while; in the main thread, which alone can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [signal.signal(one, signal.SIG_IGN) for one in signals]
    try:
        yield
    finally:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)
