"""The table of compiled speed: ``python benchmarks/run.py``; ``--help`` names the choices.

Every peer runs each problem in a process of its own, on one CPU and one thread (measure.py). Its first result is
compared with hand-written NumPy; who disagrees is named and not timed. Then the peers take turns, round after round,
so that a slow moment of the machine meets all, and the median counts. Let the machine be quiet.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from peers import PEERS
from problems import FULL, REDUCED, Problem
from tables import machine, show

HERE = Path(__file__).parent
REFERENCE = "NumPy"
OTHERS = [name for name in PEERS if not name.startswith("symgrad")]
ENOUGH = 6.0  # seconds of measuring, after which three rounds will do


class Worker:
    """One peer at work on one problem."""

    def __init__(self, peer: str, problem: str, limit: float, quiet: bool) -> None:
        self.limit = limit
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "measure.py"), peer, problem],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            text=True,
        )

    def answer(self) -> dict[str, Any]:
        """What it says next, or why it says nothing."""
        late = threading.Timer(self.limit, self.process.kill)
        late.start()
        line = self.process.stdout.readline()
        if line:
            late.cancel()
            return json.loads(line)
        if not late.is_alive():
            return {"over_s": self.limit}
        late.cancel()
        return {"missing": f"ended with status {self.process.wait()}"}

    def measure(self) -> dict[str, Any]:
        """Microseconds of one call."""
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"missing": "ended between two measurements"}
        return self.answer()

    def close(self) -> None:
        """Let it end."""
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def disagreement(found: list[list[float]], expected: list[list[float]], rtol: float) -> str:
    """Say how a result differs from the expected one; empty if it does not."""
    if [size for size, *_ in found] != [size for size, *_ in expected]:
        return f"sizes {[int(f[0]) for f in found]}, expected {[int(e[0]) for e in expected]}"
    for i, ((_, norm, product), (_, norm0, product0)) in enumerate(zip(found, expected)):
        error = max(abs(norm - norm0), abs(product - product0)) / (norm0 or 1.0)
        if not error <= rtol:
            return f"result {i} is off by {error:.1e}, more than {rtol:.0e}"
    return ""


def compute(problem: Problem, peers: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Start every peer, one after the other, check what it computes, then let them take turns."""
    found: dict[str, Any] = {}
    workers: dict[str, Worker] = {}
    for peer in [REFERENCE, *(p for p in peers if p != REFERENCE)]:
        worker = Worker(peer, problem.name, options.limit, quiet=not options.verbose)
        record = found[peer] = worker.answer()
        marks = record.get("fingerprint")
        if marks and (wrong := disagreement(marks, found[REFERENCE].get("fingerprint", []), problem.rtol)):
            found[peer] = {"wrong": wrong}
        if "fingerprint" in found[peer]:
            workers[peer] = worker
        else:
            worker.close()
    take_turns(workers, found, options.rounds)
    for worker in workers.values():
        worker.close()
    return found


def take_turns(workers: dict[str, Worker], found: dict[str, Any], rounds: int) -> None:
    """Measure all, again and again; who needs seconds for a call is measured three times."""
    times: dict[str, list[float]] = {peer: [] for peer in workers}
    for _ in range(rounds):
        for peer, worker in workers.items():
            if len(times[peer]) >= 3 and sum(times[peer]) > ENOUGH * 1e6:
                continue
            answer = worker.measure()
            if "us" in answer:
                times[peer].append(answer["us"])
            else:
                found[peer] |= answer
    for peer, us in times.items():
        if us:
            found[peer]["us"], found[peer]["all_us"] = statistics.median(us), us


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[], help="names of problems, or parts of names")
    parser.add_argument("--peers", nargs="+", default=OTHERS, choices=OTHERS, help="beside symgrad and NumPy")
    parser.add_argument(
        "--backend",
        nargs="*",
        default=["llvm", "core"],
        choices=["llvm", "c", "core", "python", "numpy", "eager"],
        help="of symgrad; core is what is chosen without llvmlite and without a C compiler",
    )
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each peer")
    parser.add_argument("--threads", type=int, default=1, help="CPUs for each peer, which has its own threads on them")
    parser.add_argument("--limit", type=float, default=90.0, help="seconds for one answer of a peer")
    parser.add_argument("--save", type=Path, help="keep results in this file, and go on from those it has")
    parser.add_argument("--again", action="store_true", help="although the file has them")
    parser.add_argument("--reduced", action="store_true", help="the small problems of the tests")
    parser.add_argument("--markdown", action="store_true", help="tables for a page")
    parser.add_argument("--verbose", action="store_true", help="show what the peers print")
    return parser.parse_args()


def main() -> int:
    """Run, save, show; the status is 1 if someone disagreed."""
    asked = options()
    os.environ["BENCHMARK_THREADS"] = str(asked.threads)  # for the peers' processes
    problems = [p for p in (REDUCED if asked.reduced else FULL).values() if chosen(p.name, asked.only)]
    if not problems:
        raise SystemExit(f"No problem's name contains {' or '.join(asked.only)}. There are: {'; '.join(FULL)}.")
    peers = [*asked.peers, *(f"symgrad {b}" for b in asked.backend)]
    results: dict[str, Any] = {"machine": machine(), "problems": {}}
    if asked.save and asked.save.exists():
        results = json.loads(asked.save.read_text())
    done = results["problems"]
    for problem in problems:
        known = done.setdefault(problem.name, {})
        if all(p in known for p in peers) and not asked.again:
            continue
        print(problem.name, file=sys.stderr, flush=True)
        known |= compute(problem, peers, asked)
        if asked.save:
            asked.save.write_text(json.dumps(results, indent=1))
    rows = {p.name: done[p.name] for p in problems}
    show(results["machine"], rows, {p.name for p in problems if p.compile_only}, peers, asked.markdown)
    return any("wrong" in found for row in rows.values() for found in row.values())


def chosen(name: str, only: list[str]) -> bool:
    """Whether the problem is asked for, by its whole name or by a part that is nobody's whole name."""
    return not only or name in only or any(part.lower() in name.lower() for part in only if part not in FULL)


if __name__ == "__main__":
    sys.exit(main())
