"""Answers of a graph: by Dask's threads in this process, or by the scheduler or cluster that the program set."""

from __future__ import annotations

import math
import time
import warnings
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from symgrad.distributed.blocks import Blocks, held, is_future
from symgrad.distributed.rows import ArrayRows, FileRows
from symgrad.errors import BlockError, DistributedError, SymgradError
from symgrad.support.extras import required
from symgrad.support.progress import long_work

PATIENCE = 20.0  # seconds without a scheduler before a call gives up, and without workers before it says so
SMALL = 1 << 20  # bytes of a block
ANSWER = 15.0  # seconds in which a scheduler answers a question, unless it is lost
LINGER = 1.0  # seconds that a cluster holds what a call requested, if no other call follows
FRESH = 1.0  # seconds for which calls that follow each other rely on how many threads there are, and where rows lie
_answers: WeakKeyDictionary[Any, dict[Any, tuple[float, Any]]] = WeakKeyDictionary()  # by client and question
_asked: WeakKeyDictionary[Any, list[Any]] = WeakKeyDictionary()  # by client, of its last call


def answer(graph: Mapping[Any, Any], key: Any) -> Any:
    """Return the value of a key, or a list of several's.

    Raises:
        DistributedError: if the scheduler was lost. Errors of tasks are raised again.
    """
    client = client_in_place()
    with long_work(f"computing {len(graph)} tasks"):
        return _get()(dict(graph), key) if client is None else _by_client(client, graph, key)


def answer_on(name: str, blocks: Blocks, graph: Mapping[Any, Any], key: Any) -> Any:
    """Return ``answer`` of a graph on blocks; where the user's own tasks raise, the error names their block.

    Raises:
        BlockError: if a block's data could not be computed.
    """
    try:
        return answer(graph, key)
    except (SymgradError, MemoryError):
        raise
    except Exception as error:
        number = _without_data(blocks)
        if number is None:
            raise
        raise BlockError(
            f"{name}: the data of block {number} of {len(blocks)} raised {type(error).__name__}: {error}"
        ) from error


def _without_data(blocks: Blocks) -> int | None:
    """Return the first block whose data cannot be computed, each by itself; None where all can."""
    cull = required("distributed", "dask", "dask.optimization").cull
    for number, parts in enumerate(blocks.parts):
        keys = [p for p in parts if not isinstance(p, (ArrayRows, FileRows))]
        try:
            answer(cull(blocks.graph, keys)[0], keys)
        except (SymgradError, MemoryError):
            raise
        except Exception:
            return number
    return None


def kept(blocks: Blocks) -> Blocks:
    """Return blocks whose rows, now in this process's memory, the cluster keeps for later calls.

    The scheduler keeps what it was sent, so that rows of a worker that dies are there again.
    """
    client = client_in_place()
    sent = {p.token: p for parts in blocks.parts for p in parts if isinstance(p, ArrayRows)}
    if client is None or not sent:
        return blocks
    futures = dict(zip(sent, client.get({t: (_same, p) for t, p in sent.items()}, list(sent), sync=False), strict=True))
    parts = tuple(tuple(p.token if isinstance(p, ArrayRows) else p for p in ps) for ps in blocks.parts)
    return replace(blocks, graph={**blocks.graph, **futures}, parts=parts)


def _same(rows: ArrayRows) -> Any:
    return rows.values


def _get() -> Any:
    """Return the function of the scheduler that the program set, of a client, or of Dask's threads."""
    get = required("distributed", "dask", "dask.base").get_scheduler()
    return required("distributed", "dask", "dask.threaded").get if get is None else get


def client_in_place() -> Any:
    """Return the client in place; None where there is none."""
    return getattr(_get(), "__self__", None)


def workers() -> int:
    """Return how many threads there are to run tasks."""
    client = client_in_place()
    if client is not None:
        return max(1, int(sum(_recent(client, "ncores").values())))
    config = required("distributed", "dask", "dask.config")
    if config.get("scheduler", None) in ("sync", "synchronous", "single-threaded"):
        return 1
    pool = config.get("pool", None)
    given = getattr(pool, "_max_workers", pool) or config.get("num_workers", None)
    return int(given) if given else int(required("distributed", "dask", "dask.system").CPU_COUNT)


def places(blocks: Blocks) -> list[Hashable]:
    """Return for each block where its rows lie: a worker, None for rows that any thread reads, else a place of its own.

    Of several workers that hold a block it is the one with fewest so far.
    Rows that are computed still, and may be many, are no two blocks' at a time in one worker's memory.
    """
    futures = {p: f for ps in blocks.parts for p in ps if (f := _future(blocks, p)) is not None}
    client = client_in_place()
    keys = [f.key for f in futures.values()]
    where = _recent(client, "who_has", keys=keys) if client and futures else {}
    small, taken = _is_small(blocks), Counter[str]()

    def place(number: int, parts: Sequence[Any]) -> Hashable:
        needed = [p for p in parts if not isinstance(p, (ArrayRows, FileRows))]
        if not small and any(p not in futures for p in needed):
            return number
        holders = next((where.get(futures[p].key, ()) for p in needed if p in futures), ())
        holder = min(holders, key=lambda worker: (taken[worker], worker), default=None)
        taken.update([holder] if holder else [])
        return holder

    return [place(k, parts) for k, parts in enumerate(blocks.parts)]


def _future(blocks: Blocks, part: Any) -> Any:
    """Return what a cluster has of a part already, or has been requested; None for others."""
    future = None if isinstance(part, (ArrayRows, FileRows)) else held(blocks.graph.get(part))
    return future if is_future(future) else None


def _is_small(blocks: Blocks) -> bool:
    """Whether blocks of unknown place may be in one worker's memory together."""
    sizes = [getattr(x, "nbytes", math.nan) for x in blocks.sources]
    return sum(sizes) <= SMALL * len(blocks)


def _recent(client: Any, question: str, **given: Any) -> Any:
    """Return what the scheduler answered in the last second, or answers now: each question is a round trip.

    Tasks are grouped by it; wherever rows have gone since, results are the same. Rows that lie nowhere yet are asked of
    again.
    """
    known, key = _answers.setdefault(client, {}), (question, *given.get("keys", ()))
    for old in [k for k, (when, _) in known.items() if time.monotonic() - when > FRESH]:
        del known[old]
    if key in known:
        return known[key][1]
    answered = _asked_of(client, getattr(client.scheduler, question), **given)
    if all(answered.values()):
        known[key] = time.monotonic(), answered
    return answered


def _asked_of(client: Any, question: Any, **given: Any) -> Any:
    """Return what the scheduler answers."""
    try:
        return client.sync(question, callback_timeout=ANSWER, **given)
    except (CancelledError, OSError):  # TimeoutError too
        raise _lost(client.scheduler.address) from None


def _by_client(client: Any, graph: Mapping[Any, Any], key: Any) -> Any:
    """Return a key's value from a cluster; whatever goes wrong here, Ctrl-C too, cancels what was submitted."""
    address = client.scheduler.address
    pending = client.get(dict(graph), key, sync=False)
    futures = pending if isinstance(pending, list) else [pending]
    _release(client, _asked.get(client, []))
    try:
        _wait(client, futures, address)
        return client.gather(pending)
    except BaseException as error:
        if client.status == "running":
            client.cancel(futures, force=True)
        elif isinstance(error, (CancelledError, TimeoutError, OSError)):
            raise _lost(address) from None
        if type(error).__name__ == "KilledWorker":
            raise DistributedError(_killed(error)) from None
        raise
    finally:
        _release_later(client, futures)


def _release_later(client: Any, futures: list[Any]) -> None:
    """Let a cluster forget what a call requested once the next one is submitted, or after a while.

    A client sends one batch of messages in 10 ms: the next call would wait behind the one that says so.
    """
    _asked[client] = futures
    client.loop.add_callback(client.loop.call_later, LINGER, _release, client, futures)


def _release(client: Any, futures: list[Any]) -> None:
    for future in futures:
        future.release()
    if _asked.get(client) is futures:
        del _asked[client]


def _wait(client: Any, futures: Sequence[Any], address: str) -> None:
    """Wait until all are done or one failed, as long as there is a scheduler; say so once if it has no workers."""
    wait = required("distributed", "dask", "distributed").wait
    heard = manned = looked = time.monotonic()
    while waiting := [f for f in futures if not f.done()]:
        if any(f.status == "error" for f in futures):
            return
        try:
            wait(waiting, timeout=0.5, return_when="FIRST_COMPLETED")
        except TimeoutError:
            now = time.monotonic()
            if client.status == "running":
                heard = now
                if now - looked > PATIENCE / 2:
                    looked = now
                    manned = (
                        now if _asked_of(client, client.scheduler.ncores) else _said_after(PATIENCE, manned, address)
                    )
            elif now - heard > PATIENCE:
                raise _lost(address) from None


def _said_after(seconds: float, manned: float, address: str) -> float:
    """Warn that nobody has worked for so long; return since when, for the next time: it is said once."""
    if time.monotonic() - manned < seconds:
        return manned
    warnings.warn(
        f"distributed: the cluster at {address} has no workers; this call waits for one. Start workers "
        "(cluster.scale(n), or `dask worker`), or interrupt.",
        RuntimeWarning,
        stacklevel=2,
    )
    return math.inf


def _lost(address: str) -> DistributedError:
    return DistributedError(
        f"distributed: the scheduler {address} is lost. Start it again, make a new Client, and call again."
    )


def _killed(error: Any) -> str:
    key = error.task
    is_run = isinstance(key, tuple) and str(key[0]).startswith("symgrad-block")
    what = f"block {' or '.join(map(str, key[1:]))}" if is_run else f"task {key}"
    return (
        f"distributed: {what} was given up: the workers that computed it died, the last of them {error.last_worker}. "
        "Is there memory for a block? Cut the data into smaller ones. If workers end for other reasons, raise Dask's "
        "distributed.scheduler.allowed-failures."
    )
