"""Logistic regression on a file of rows, by two worker processes; one is killed on the way, and nothing changes."""

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

# This file has the name of Dask's package, so its own folder must not be searched first.
sys.path[:] = [p for p in sys.path if Path(p).resolve() != Path(__file__).resolve().parent]

from distributed import Client, LocalCluster  # noqa: E402

import symgrad as sg  # noqa: E402

ROWS, COLUMNS = 400_000, 10


def loss(p, X, y):
    """The mean of -log P(y) over a block's rows."""
    z = X @ p["w"] + p["b"]
    return (sg.nn.functional.softplus(z) - y * z).mean()


def write(folder):
    """Write rows and labels to files, and return them mapped into memory."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, COLUMNS))
    y = (rng.random(ROWS) < 1 / (1 + np.exp(-X @ np.linspace(-1, 1, COLUMNS)))).astype(float)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    return np.load(folder / "X.npy", mmap_mode="r"), np.load(folder / "y.npy", mmap_mode="r")


def fit(data, callback=None):
    """Return the parameters of the least loss, and what the minimiser says of them."""
    start = {"w": np.zeros(COLUMNS), "b": 0.0}
    return sg.optim.minimize(loss, start, data=data, reduce="mean", callback=callback)


def main():
    """Fit on threads, then on a cluster that loses a worker, and compare the bytes."""
    with tempfile.TemporaryDirectory() as name:
        data = write(Path(name))
        alone = fit(data)
        print(f"threads: loss {alone.fun:.6f} after {alone.nit} steps and {alone.nfev} evaluations")
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
            steps = []

            def kill_a_worker(x):
                steps.append(x)
                if len(steps) == 2:
                    os.kill(next(iter(cluster.workers.values())).pid, 9)

            shared = fit(data, kill_a_worker)
        print(f"two processes, one killed: loss {shared.fun:.6f} after {shared.nit} steps")
        same = shared.x["w"].tobytes() == alone.x["w"].tobytes()
        print("the same bytes:", same)
        assert same
        assert np.allclose(alone.x["w"], np.linspace(-1, 1, COLUMNS), atol=0.02)


if __name__ == "__main__":
    main()
