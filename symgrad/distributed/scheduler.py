"""Answers of a graph: by Dask's threads in this process, or by the scheduler or cluster that the program set."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any

from symgrad.distributed.blocks import Blocks
from symgrad.distributed.rows import ArrayRows
from symgrad.errors import DistributedError
from symgrad.support.extras import required
from symgrad.support.progress import long_work

PATIENCE = 20.0  # seconds without a scheduler before a call gives up


def answer(graph: Mapping[Any, Any], key: Any) -> Any:
    """Return the value of a key.

    Raises:
        DistributedError: the scheduler was lost. Also what a task raised.
    """
    client = client_in_place()
    with long_work(f"computing {len(graph)} tasks"):
        return _get()(dict(graph), key) if client is None else _by_client(client, graph, key)


def kept(blocks: Blocks) -> Blocks:
    """Return blocks of which a cluster holds the rows that are in this process's memory, for calls to come.

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


def _by_client(client: Any, graph: Mapping[Any, Any], key: Any) -> Any:
    """Return a key's value from a cluster; whatever goes wrong here, Ctrl-C too, cancels what was submitted."""
    address = client.scheduler.address
    future = client.get(dict(graph), key, sync=False)
    try:
        _wait(client, future, address)
        return future.result()
    except BaseException as error:
        if client.status == "running":
            client.cancel([future], force=True)
        elif isinstance(error, (CancelledError, TimeoutError, OSError)):
            raise _lost(address) from None
        if type(error).__name__ == "KilledWorker":
            raise DistributedError(_killed(error)) from None
        raise
    finally:
        future.release()


def _wait(client: Any, future: Any, address: str) -> None:
    """Wait until the future is done, as long as there is a scheduler."""
    wait = required("distributed", "dask", "distributed").wait
    heard = time.monotonic()
    while not future.done():
        try:
            wait([future], timeout=0.5)
        except TimeoutError:
            if client.status == "running":
                heard = time.monotonic()
            elif time.monotonic() - heard > PATIENCE:
                raise _lost(address) from None


def _lost(address: str) -> DistributedError:
    return DistributedError(
        f"distributed: the scheduler {address} is lost. Start it again, make a new Client, and call again."
    )


def _killed(error: Any) -> str:
    key = error.task
    what = f"block {key[1]}" if isinstance(key, tuple) and str(key[0]).startswith("symgrad-block") else f"task {key}"
    return (
        f"distributed: {what} was given up: the workers that computed it died, the last of them {error.last_worker}. "
        "Is there memory for a block? Cut the data into smaller ones. If workers end for other reasons, raise Dask's "
        "distributed.scheduler.allowed-failures."
    )
