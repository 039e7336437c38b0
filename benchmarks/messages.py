"""What an iteration on a cluster sends and costs: ``python benchmarks/messages.py``, for the curve in the docs.

Bytes of a task, of the order in it, and of what a task gives back; seconds of the process that has client
and scheduler, for an iteration of no task and for each task more; and of the least call.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # before NumPy is imported

import cloudpickle
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import symgrad as sg
from symgrad.distributed import runs
from symgrad.distributed.blocks import blocks_of
from symgrad.distributed.summed import _ordered, _sum, arrays_of
from symgrad.distributed.work import Order, versions

COLUMNS = 20


def loss(w: Any, X: Any, y: Any) -> Any:
    """The sum of -log P(y) over a block's rows."""
    z = X @ w
    return (sg.nn.functional.softplus(z) - y * z).sum()


def medians(call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of a call, and of this process's processor."""
    found = []
    for _ in range(21):
        start, used = time.perf_counter(), time.process_time()
        call()
        found.append((time.perf_counter() - start, time.process_time() - used))
    wall, cpu = zip(*found[1:], strict=True)
    return statistics.median(wall), statistics.median(cpu)


def main() -> None:
    """Print bytes, then seconds."""
    f, w = sg.distributed.value_and_grad(loss), np.zeros(COLUMNS)
    own = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with own as cluster, Client(cluster) as client:
        runs.MOST = 1  # a task for each block
        found = {}
        for count in (1, 201):
            data = client.persist(
                [da.ones((10 * count, COLUMNS), chunks=(10, COLUMNS)), da.ones(10 * count, chunks=10)]
            )
            blocks = blocks_of("messages", data)
            f.on((w,), blocks)
            found[count] = medians(lambda: f.on((w,), blocks))  # noqa: B023
        order = Order("messages", f.kernel, arrays_of((w,))[0], False, len(blocks), versions(), "token")
        graph, _ = _sum(order, blocks)
        _, shared = _ordered(order, blocks)
        task = next(t for key, t in graph.items() if "symgrad-block" in str(key))
        part = f.on((w,), blocks)
    once, each, back = [len(cloudpickle.dumps(x)) for x in (shared, task, part)]
    print(f"sent with each task {each} bytes, of which the order {once}; what it gives {back};")
    (wall, cpu), (wall_more, cpu_more) = found[1], found[201]
    print(f"one task: {wall * 1e3:.1f} ms, {cpu * 1e3:.1f} ms of this process; each more:", end=" ")
    print(f"{(wall_more - wall) * 5:.2f} ms, {(cpu_more - cpu) * 5:.2f} ms of this process")


if __name__ == "__main__":
    main()
