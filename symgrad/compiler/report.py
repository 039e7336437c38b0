"""Where the time of a compiled call goes: a table of the kernel's parts, the slowest first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from symgrad.compiler.backends.backend import Kernel

_RUNS = 7  # the least time of each part counts, after one run that is not counted
MACHINE_CODE = ("llvm", "c")


def outside(kernel: Kernel) -> tuple[str, ...]:
    """Return what leaves machine code, and why; empty where a call is one function of machine code."""
    if kernel.backend not in MACHINE_CODE:
        return (f"all steps: the backend {kernel.backend!r} makes no machine code",)
    calls = kernel.stages.get("calls")
    return tuple(calls().splitlines()) if calls else ()


def time_table(kernel: Kernel, arguments: Callable[[], Sequence[Any]], compile_time: float) -> str:
    """Return the parts of a kernel with the time that each takes, as text.

    Args:
        kernel: what is run.
        arguments: returns values for one run.
        compile_time: seconds that compiling took.
    """
    runs = [_times(kernel, arguments()) for _ in range(_RUNS + 1)][1:]
    parts = [(name, min(run[k][1] for run in runs)) for k, (name, _) in enumerate(runs[0])]
    total = sum(seconds for _, seconds in parts)
    origin = ", with machine code from disk" if kernel.cached else ""
    lines = [
        f"backend {kernel.backend}, compiled in {compile_time * 1e3:.0f} ms{origin}; a call takes {total * 1e6:.1f} µs",
        "    share         µs  part",
    ]
    for name, seconds in sorted(parts, key=lambda part: -part[1]):
        lines.append(f"{100 * seconds / (total or 1.0):7.1f} % {seconds * 1e6:10.1f}  {name}")
    return "\n".join(lines)


def _times(kernel: Kernel, values: Sequence[Any]) -> list[tuple[str, float]]:
    if kernel.profile is not None:
        return kernel.profile(values)
    start = time.perf_counter()
    kernel.run(values)
    seconds = time.perf_counter() - start
    what = "machine code" if kernel.backend in MACHINE_CODE else f"all steps, by the backend {kernel.backend!r}"
    return [(what, seconds)]
