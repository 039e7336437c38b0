"""``sg.distributed`` on two processors: ``python benchmarks/blocks.py [NAME…]``.

Each table in turn, all in one run by default; let the machine be quiet.

scaling: logistic regression, value and gradient, by one and by two worker processes.
bare: the kernels of `scaling` in one process and in two at a time, without Dask; and Dask's two tasks without kernels.
hand: the same kernels called in a loop over the same blocks, beside one thread of Dask's.
graph: an iteration on 100 small blocks beside Dask's own graph of as many tasks that do nothing.
peer: L-BFGS to the same loss by dask-glm, where it is installed.
memory: rows of a mapped file larger than what the two workers may hold together.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")  # before NumPy is imported

import dask
import dask.array as da
import dask.threaded
import numpy as np
from distributed import Client, LocalCluster, wait

import symgrad as sg
from symgrad.compiler.tiles import CompiledInTiles
from symgrad.distributed.blocks import blocks_of

ROWS, COLUMNS, BLOCK = 10_000_000, 20, 250_000
GIGABYTES = 8


def loss(w: Any, X: Any, y: Any) -> Any:
    """The sum of -log P(y) over a block's rows."""
    z = X @ w
    return (sg.nn.functional.softplus(z) - y * z).sum()


def made(rows: int, block: int) -> tuple[Any, Any]:
    """Rows and labels as Dask arrays, drawn where they are computed."""
    rng = da.random.default_rng(0)
    X = rng.standard_normal((rows, COLUMNS), chunks=(block, COLUMNS))
    p = 1 / (1 + da.exp(-(X @ np.linspace(-1, 1, COLUMNS))))
    return X, (rng.random(rows, chunks=block) < p).astype(float)


def median(call: Callable[[], Any], rounds: int) -> float:
    """The median time of a call in seconds, after one that compiles."""
    call()
    return statistics.median([once(call) for _ in range(rounds)])


def once(call: Callable[[], Any]) -> float:
    """The time of a call in seconds."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@contextmanager
def cluster(workers: int, memory: str | None = None) -> Iterator[Any]:
    """Worker processes of one thread each."""
    limit: dict[str, Any] = {} if memory is None else {"memory_limit": memory}
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, **limit) as own,
        Client(own) as client,
    ):
        yield client


def scaling() -> None:
    """Two workers beside one, in turns; each holds as many blocks."""
    found: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for workers, times in found.items():
            with cluster(workers) as client:
                X, y = client.persist(made(ROWS, BLOCK))
                wait([X, y])
                client.rebalance([X, y])
                f, w = sg.distributed.value_and_grad(loss), np.zeros(COLUMNS)
                f(w, X, y)
                times += [once(lambda: f(w, X, y)) for _ in range(7)]  # noqa: B023
    show("value and gradient, by Dask's workers", *(statistics.median(times) for times in found.values()))


HEAD = f"| {ROWS:,} × {COLUMNS} rows | one worker | two workers | ratio |\n|---|---:|---:|---:|"


def show(name: str, one: float, two: float) -> None:
    """Print a row of a table."""
    print(f"{HEAD}\n| {name} | {one:.3f} s | {two:.3f} s | {one / two:.2f} |\n", flush=True)


def bare() -> None:
    """What is left of `scaling` where nobody schedules, and where nobody computes."""
    found: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for processes, times in found.items():
            times.append(_side_by_side(processes))
    one, two = (statistics.median(times) for times in found.values())
    show("the same kernels in one process and in two, without Dask", one, two)
    with cluster(2) as client:

        def call() -> Any:
            key = os.urandom(8).hex()
            return client.get({(key, k): (_same, k) for k in range(2)}, [(key, k) for k in range(2)])

        print(f"two tasks that do nothing: {median(call, 30) * 1e3:.1f} ms a call\n")


def _side_by_side(processes: int) -> float:
    """The time that so many processes at a time take over ROWS."""
    context = multiprocessing.get_context("spawn")
    together, answers = context.Barrier(processes), context.Queue()
    given = (ROWS // 4, together, answers)
    all_of_them = [context.Process(target=_kernels, args=given) for _ in range(processes)]
    for process in all_of_them:
        process.start()
    slowest = max(answers.get() for _ in all_of_them)
    for process in all_of_them:
        process.join()
    return slowest * ROWS / (ROWS // 4 * processes)


def _kernels(rows: int, together: Any, answers: Any) -> None:
    X, y, w = np.random.default_rng(0).standard_normal((rows, COLUMNS)), np.ones(rows), np.zeros(COLUMNS)
    kernel = CompiledInTiles(sg.value_and_grad(loss), 1)
    parts = [(X[k : k + BLOCK], y[k : k + BLOCK]) for k in range(0, rows, BLOCK)]

    def call() -> None:
        for part in parts:
            kernel(w, *part)

    call()
    together.wait()
    answers.put(median(call, 15))


def hand() -> None:
    """The same kernel in a loop."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((ROWS // 4, COLUMNS)), np.ones(ROWS // 4)
    f, kernel, w = sg.distributed.value_and_grad(loss), sg.compile(sg.value_and_grad(loss)), np.zeros(COLUMNS)
    edges = blocks_of("hand", (X, y)).edges
    pairs = list(itertools.pairwise(edges))

    def by_hand() -> Any:
        value, slope = 0.0, np.zeros(COLUMNS)
        for a, b in pairs:
            v, g = kernel(w, X[a:b], y[a:b])
            value, slope = value + v, slope + g
        return value, slope

    with dask.config.set(scheduler="threads", num_workers=1):
        ours, loop = median(lambda: f(w, X, y), 15), median(by_hand, 15)
    print(f"{ROWS // 4:,} × {COLUMNS} rows in {len(pairs)} blocks, one thread: {ours:.4f} s, by hand {loop:.4f} s,")
    print(f"{ours / loop:.3f} of it\n")


def graph() -> None:
    """100 small blocks beside a graph of 100 tasks that do nothing, and their sum."""
    X, y = da.ones((1000, 5), chunks=(10, 5)), da.ones(1000, chunks=10)
    f, w = sg.distributed.value_and_grad(loss), np.zeros(5)
    for name in ("threads", "two processes"):
        with cluster(2) if name != "threads" else dask.config.set(scheduler="threads") as client:
            data = dask.persist(X, y)
            blocks = blocks_of("graph", data)
            ours = median(lambda: f.on((w,), blocks), 30)  # noqa: B023
            get = dask.threaded.get if name == "threads" else client.get
            empty = median(lambda: get(*nothing()), 30)  # noqa: B023
        print(f"100 blocks, {name}: {ours * 1e3:.1f} ms, an empty graph {empty * 1e3:.1f} ms, {ours / empty:.2f} times")
    print()


def nothing() -> tuple[dict[Any, Any], Any]:
    """A graph of 100 tasks that do nothing, and one that waits for them."""
    token = os.urandom(8).hex()
    tasks: dict[Any, Any] = {(token, k): (_same, k) for k in range(100)}
    return {**tasks, token: (_same, list(tasks))}, token


def _same(x: Any) -> Any:
    return x


def peer() -> None:
    """L-BFGS of dask-glm to the same loss."""
    try:
        from dask_glm.algorithms import lbfgs
    except ImportError:
        print("dask-glm is not installed\n")
        return
    X, y = dask.persist(*made(1_000_000, 100_000))
    with dask.config.set(scheduler="threads"):
        found: dict[str, Any] = {}
        theirs = once(lambda: found.update(w=lbfgs(X, y, regularizer="l2", lamduh=0.0, tol=1e-6, max_iter=100)))
        value = sg.distributed.value_and_grad(loss)
        target, _ = value(np.asarray(found["w"]), X, y)
        start = np.zeros(COLUMNS)

        def ours() -> Any:
            def enough(intermediate_result: Any) -> None:
                if intermediate_result.fun <= target * (1 + 1e-9):
                    raise StopIteration

            return sg.optim.minimize(loss, start, data=(X, y), callback=enough)

        ours()
        own = once(ours)
    print(f"L-BFGS on 1,000,000 × {COLUMNS} rows to loss {target:.3f}: {own:.2f} s, dask-glm {theirs:.2f} s,")
    print(f"{theirs / own:.1f} times\n")


def memory() -> None:
    """A file of GIGABYTES, read by two workers of 1 GB."""
    rows = GIGABYTES * 2**30 // (8 * COLUMNS)
    with tempfile.TemporaryDirectory() as folder, cluster(2, "1GB") as client:
        path = Path(folder) / "rows.bin"
        step = 2**20
        block = np.random.default_rng(0).standard_normal((step, COLUMNS))
        with open(path, "wb") as file:
            for _ in range(-(-rows // step)):
                block.tofile(file)
        X = np.memmap(path, np.float64, "r", shape=(rows, COLUMNS))
        most = [0]
        done = threading.Event()

        def watch() -> None:
            while not done.wait(0.2):
                used = client.run(lambda dask_worker: dask_worker.monitor.update()["memory"])
                most[0] = max(most[0], *used.values())

        watcher = threading.Thread(target=watch)
        watcher.start()
        f = sg.distributed.value_and_grad(lambda w, X: sg.nn.functional.softplus(X @ w).sum())
        seconds = once(lambda: f(np.zeros(COLUMNS), X))
        done.set()
        watcher.join()
        print(f"{X.nbytes / 2**30:.1f} GB mapped, two workers of 1 GB: {seconds:.1f} s,")
        print(f"the most memory of a worker {most[0] / 2**20:.0f} MB\n")


if __name__ == "__main__":
    parts = {f.__name__: f for f in (scaling, bare, hand, graph, peer, memory)}
    for part in sys.argv[1:] or parts:
        parts[part]()
