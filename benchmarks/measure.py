"""One peer on one problem, in a process of its own: ``python measure.py PEER PROBLEM``, one CPU, one thread.

The variable BENCHMARK_THREADS gives it so many CPUs instead, and its own choice of threads on them.

Prints one line of JSON with the time to the first result and a fingerprint of that result; then, for every line that
it reads, one with the microseconds of a call. So the caller lets peers take turns: see run.py.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
import traceback
from collections.abc import Callable
from importlib import metadata
from typing import Any

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
ROUND = 0.05  # seconds that one measurement takes, if a call is shorter
LIBRARIES = {
    "CasADi VM": "casadi",
    "CasADi C": "casadi",
    "jax.jit": "jax",
    "PyTorch": "torch",
    "torch.compile": "torch",
    "autograd": "autograd",
}


def arrays(result: Any) -> list[Any]:
    """The arrays and numbers of a nested result, in order."""
    import numpy as np

    if isinstance(result, (tuple, list)):
        return [a for part in result for a in arrays(part)]
    return [np.asarray(result)]


def fingerprint(result: Any) -> list[list[float]]:
    """Of each array: its size, its norm, and its product with a fixed vector, which a transposed array would change.

    A complex array is its real part and its imaginary part.
    """
    import numpy as np

    found = []
    for a in arrays(result):
        a = np.stack([a.real, a.imag]).ravel() if np.iscomplexobj(a) else a.astype(float).ravel()
        weights = np.cos(np.arange(a.size)) / math.sqrt((a.size + 1) / 2)
        found.append([a.size, float(np.linalg.norm(a)), float(a @ weights)])
    return found


def per_call(call: Callable[[], Any], loops: int) -> float:
    """Seconds of one call, of so many."""
    start = time.perf_counter()
    for _ in range(loops):
        call()
    return (time.perf_counter() - start) / loops


def loops_of(call: Callable[[], Any]) -> int:
    """How often to call for a measurement of ROUND seconds."""
    loops = 1
    while (took := per_call(call, loops) * loops) < ROUND / 5:
        loops *= 4
    return max(1, round(loops * ROUND / took))


def version(peer: str) -> str:
    """Of the library behind the peer."""
    name = LIBRARIES.get(peer, "symgrad" if peer.startswith("symgrad") else "numpy")
    return f"{name} {metadata.version(name)}"


def main(peer: str, problem: str) -> None:
    """Compute once, say so, then measure whenever asked."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is not for the caller

    def say(**found: Any) -> None:
        print(json.dumps(found), file=out, flush=True)

    from peers import PEERS, LeftOut, Missing
    from problems import FULL, REDUCED

    try:
        start = PEERS[peer]((REDUCED | FULL)[problem])
    except LeftOut as e:
        return say(left_out=str(e))
    except (Missing, ImportError) as e:
        return say(missing=str(e))
    begin = time.perf_counter()
    try:
        call, read = start()
        result = call()
    except Exception as e:
        traceback.print_exc()
        return say(missing=f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"[:200])
    first = time.perf_counter() - begin
    say(first_ms=first * 1e3, fingerprint=fingerprint(read(result)), version=version(peer))
    del result
    loops = 0
    for _ in sys.stdin:
        loops = loops or loops_of(call)
        say(us=per_call(call, loops) * 1e6)


if __name__ == "__main__":
    count = int(os.environ.get("BENCHMARK_THREADS", "1"))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-count:])
    for variable, value in ONE_THREAD.items():
        if count == 1:
            os.environ[variable] = value
        else:
            os.environ.pop(variable, None)
    main(*sys.argv[1:])
