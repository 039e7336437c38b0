"""Seconds to the first result in a new process, by backend: compiled anew, and with machine code kept on disk.

``python benchmarks/first_result.py`` prints the table; every figure is the median of several processes. The
import of symgrad, which has a table of its own, and that of ``sg.compile`` are not counted, that of LLVM is. Modules
are compiled to bytecode beforehand, as installed ones are.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
HEAD = "| operations | backend | anew | from disk |\n| ---: | --- | ---: | ---: |"
IMPORTS = 20  # processes, of which the fastest counts
WAYS = {"llvm": "llvm", "c": "c", "core": "auto"}
PROGRAM = """
import sys, time
sys.path[:0] = {folders!r}
if {way!r} == "core":
    sys.modules["llvmlite"] = None
import names
import symgrad as sg
from problems.programs import program
asked = program({operations})
f = sg.compile(sg.value_and_grad(asked.program(names.symgrad()), asked.argnums), backend={backend!r}, cache={cache})
given = asked.inputs()
start = time.perf_counter()
f(*given)
print(time.perf_counter() - start, f.stats.cached)
"""


IMPORT = """
import time, numpy, sympy
start = time.process_time()
import symgrad
print(time.process_time() - start)
"""


def import_seconds(bytecode: str) -> float:
    """Return the processor time that importing symgrad takes a new process over NumPy and SymPy."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": bytecode}
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


def seconds(way: str, operations: int, bytecode: str, folder: str | None) -> float:
    """Return the time to the first result in a process of its own, which finds its modules' bytecode in a folder."""
    code = PROGRAM.format(
        folders=[str(HERE)],
        way=way,
        operations=operations,
        backend=WAYS[way],
        cache=folder is not None,
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("SYMGRAD_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")}
    environment |= {"PYTHONPYCACHEPREFIX": bytecode}
    environment |= {"SYMGRAD_CACHE_DIR": folder} if folder else {}
    environment |= {"CC": "no compiler"} if way == "core" else {}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout.split()[0])


def main() -> None:
    """Print a row for each program and backend."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operations", nargs="+", type=int, default=[1000, 50_000])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as bytecode:
        for way in asked.ways:
            seconds(way, 10, bytecode, None)
        milliseconds = 1000 * min(import_seconds(bytecode) for _ in range(IMPORTS))
        print(f"| import beside NumPy and SymPy | ms |\n|---|---:|\n| symgrad | {milliseconds:.1f} |\n\n{HEAD}")
        for operations in asked.operations:
            for way in asked.ways:
                show(operations, way, bytecode, asked.rounds)


def show(operations: int, way: str, bytecode: str, rounds: int) -> None:
    """Print a row."""
    anew = statistics.median(seconds(way, operations, bytecode, None) for _ in range(rounds))
    kept = "–"
    if way != "core":  # which has no machine code
        with tempfile.TemporaryDirectory() as folder:
            seconds(way, operations, bytecode, folder)
            found = statistics.median(seconds(way, operations, bytecode, folder) for _ in range(rounds))
            kept = f"{found:.3f} s"
    print(f"| {operations} | {way} | {anew:.3f} s | {kept} |", flush=True)


if __name__ == "__main__":
    main()
