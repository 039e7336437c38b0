"""Peak memory of value and gradient: ``python benchmarks/memory.py [--only NAME…] [--peers PEER…]``; Linux.

Every peer runs each problem in a process of its own, on one thread. Shown is the most that the process held while it
compiled the program and called it six times, in megabytes above what it held before, with its inputs, its libraries,
and a small program that they had compiled. The second table is a loop of 10,000 steps whose carry has 1000 numbers,
by ``scan(..., checkpoint_every=k)``.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PEERS = ["symgrad llvm", "symgrad core", "jax.jit"]
STEPS, WIDTH = 10_000, 1000
EVERY = [0, 1000, 100, 10]


def kilobytes(field: str) -> int:
    """What the system says of this process: VmRSS is what it has now, VmHWM the most it had."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise SystemExit(f"/proc/self/status has no {field}")


def peak(start: Callable[[], Callable[[], Any]]) -> int:
    """The most kilobytes while ``start`` makes a call and the call runs, above those before."""
    gc.collect()
    before = kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the most begins anew
    call = start()
    for _ in range(6):
        call()
    return kilobytes("VmHWM") - before


def one(peer: str, problem: str) -> int:
    """Kilobytes of one peer on one problem."""
    from peers import PEERS as ALL
    from problems import FULL
    from problems.chains import exponentials

    start = ALL[peer](FULL[problem])
    ALL[peer](exponentials(500))()[0]()
    return peak(lambda: start()[0])


def loop(every: int) -> int:
    """Kilobytes of the gradient of a long loop, by how many steps the carry is kept."""
    import numpy as np

    import symgrad as sg

    def loss(c: Any) -> Any:
        return sg.scan(lambda c, _: (sg.sin(c), None), c, None, length=STEPS, checkpoint_every=every or None)[0].sum()

    sg.compile(sg.grad(lambda x: sg.tanh(x).sum()))(np.ones(500))
    x = np.ones(WIDTH)
    return peak(lambda: partial(sg.compile(sg.value_and_grad(loss)), x))


def measured(*arguments: str) -> str:
    """Megabytes in a process of its own; a dash where a peer cannot take part."""
    environment = os.environ | {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    command = [sys.executable, str(Path(__file__)), "--one", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return "–" if done.returncode else f"{int(done.stdout.split()[-1]) / 1024:.1f}"


def main() -> None:
    """Print both tables."""
    sys.path[:0] = [str(HERE)]
    from problems import FULL

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[], help="parts of problems' names")
    parser.add_argument("--peers", nargs="+", default=PEERS)
    parser.add_argument("--one", nargs="+", help="for the processes that this one starts")
    asked = parser.parse_args()
    if asked.one:
        print(loop(int(asked.one[1])) if asked.one[0] == "loop" else one(*asked.one))
        return
    print(f"| MB | {' | '.join(asked.peers)} |\n| --- |{' ---: |' * len(asked.peers)}")
    for name, problem in FULL.items():
        if not problem.compile_only and (not asked.only or any(part in name for part in asked.only)):
            print(f"| {name} | {' | '.join(measured(peer, name) for peer in asked.peers)} |", flush=True)
    print("\n| checkpoint_every | MB |\n| ---: | ---: |")
    for every in EVERY:
        print(f"| {every or '–'} | {measured('loop', str(every))} |", flush=True)


if __name__ == "__main__":
    main()
