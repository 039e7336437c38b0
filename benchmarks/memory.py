"""Peak memory of value and gradient of kernels of a million entries: ``python benchmarks/memory.py [WORD…]``; Linux.

Each library runs each kernel of kernels.py in a process of its own, on one thread. Shown is the most that the process
held while it compiled the kernel and called it six times, in megabytes above what it held before, with its inputs, its
libraries, and three small kernels that they had compiled. The second table is a loop of 10,000 steps whose carry has
1000 numbers, by ``scan(..., checkpoint_every=k)``.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import kernels
import numpy as np

LIBRARIES = {"symgrad": kernels.symgrad, "jax": kernels.jax}
STEPS, WIDTH = 10_000, 1000
EVERY = [0, 1000, 100, 10]
SMALL = ("softmax (8, 16)", "interp (10000)", "segment sum of rows")  # kernels that load what libraries load once
MILLION = ("1000000", "1000, 1000", "10000, 100")  # how the names of large kernels end


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


def prepared(library: str, name: str) -> Callable[[], Any]:
    """Return what makes a call of a kernel on its inputs."""
    names, both, convert = LIBRARIES[library]()
    xs = kernels.KERNELS[name].inputs(np.random.default_rng(7))
    given, wrt = [convert(x) for x in xs], tuple(k for k, x in enumerate(xs) if x.dtype.kind == "f")

    def loss(*xs: Any) -> Any:
        return (kernels.KERNELS[name].run(names, *xs) ** 2).sum()

    def call(f: Any) -> None:
        kernels.ready(f(*given))

    return lambda: partial(call, both(loss, wrt))


def one(library: str, name: str) -> int:
    """Kilobytes of one library on one kernel."""
    for small in SMALL:
        warm(prepared(library, small)())
    return peak(prepared(library, name))


def warm(call: Callable[[], Any]) -> None:
    """Call twice: symgrad compiles between the calls, in the thread that compiles the kernel, too."""
    for _ in range(2):
        call()
        time.sleep(1)


def loop(every: int) -> int:
    """Kilobytes of the gradient of a long loop, by how many steps the carry is kept."""
    import symgrad as sg

    def loss(c: Any) -> Any:
        return sg.scan(lambda c, _: (sg.sin(c), None), c, None, length=STEPS, checkpoint_every=every or None)[0].sum()

    x = np.ones(WIDTH)
    warm(partial(sg.compile(sg.grad(lambda x: sg.tanh(x).sum())), x))
    return peak(lambda: partial(sg.compile(sg.value_and_grad(loss)), x))


def measured(*arguments: str) -> float:
    """Megabytes in a process of its own."""
    command = [sys.executable, __file__, "--one", *arguments]
    environment = {**os.environ, **kernels.ONE_THREAD}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return int(done.stdout.split()[-1]) / 1024


def main(words: list[str]) -> None:
    """Print both tables."""
    print("| kernel | symgrad, MB | jax.jit, MB | of jax.jit |\n|---|---:|---:|---:|")
    for name in kernels.KERNELS:
        if name.rstrip(")").endswith(MILLION) and (not words or any(w in name for w in words)):
            own, peer = (measured(library, name) for library in LIBRARIES)
            print(f"| {name} | {own:.1f} | {peer:.1f} | {own / peer:.2f} |", flush=True)
    print("\n| checkpoint_every | MB |\n|---|---:|")
    for every in [] if words else EVERY:
        print(f"| {every or '–'} | {measured('loop', str(every)):.1f} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(loop(int(sys.argv[3])) if sys.argv[2] == "loop" else one(*sys.argv[2:]))
    else:
        main(sys.argv[1:])
