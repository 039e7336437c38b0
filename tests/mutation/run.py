"""Plant faults in the package and see whether the tests notice: ``python tests/mutation/run.py --help``.

The tests of a room are collected once. One forked process then runs them and notes which lines each test runs. Every
fault gets a forked process of its own, in which the functions it changes are replaced, and in which the tests that run
its line go on, the quickest of every test function first, until one fails. A process that dies or uses up its time has
noticed as well.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import pickle
import random
import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from coverage import Coverage
from faults import Fault, sample
from rooms import PACKAGE, ROOMS, Room

from symgrad.support.lazy import cached_property

Runs = dict[tuple[str, int], list[int]]  # file and line: numbers of the tests that run it, in the order to try them


class Collected:
    """A pytest plugin that keeps the collected tests and runs ``then`` on them instead of the tests' own loop."""

    def __init__(self, then: Callable[[list[pytest.Item]], None]) -> None:
        self.then = then

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Hand the tests over."""
        self.then(session.items)
        return True


def with_tests(room: Room, slow: bool, then: Callable[[list[pytest.Item]], None]) -> None:
    """Collect the tests of a room: those of the quick run, or all."""
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "-W", "ignore"]
    pytest.main([*options, "-m", "" if slow else "not slow", *room.test_files], plugins=[Collected(then)])


# ------------------------------------------------------------------ processes
def forked(work: Callable[[], Any], seconds: int) -> Any:
    """The result of work() in a process of its own, or None where that dies or uses more processor time."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        work_and_end(work, write, seconds)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else None


def work_and_end(work: Callable[[], Any], write: int, seconds: int) -> None:
    """What a forked process does: it never returns."""
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, used + seconds + 5))
    signal.alarm(seconds * 100)  # asleep, on a lock that a fault left closed
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        data = pickle.dumps(work())
        with os.fdopen(write, "wb") as pipe:
            pipe.write(data)
    finally:
        os._exit(0)


def passes(item: pytest.Item) -> bool:
    """Whether a test passes; one that is skipped does."""
    reports = runtestprotocol(item, nextitem=None, log=False)
    return all(report.outcome != "failed" for report in reports)


# ------------------------------------------------------------------ which tests run which lines
def watched(items: list[pytest.Item], paths: list[Path], longest: float, seconds: float) -> Runs:
    """For the lines of some files the tests that run them, if they pass and are quick; as many as there is time for."""
    tracer = Coverage(data_file=None, config_file=False, include=[str(path) for path in paths], messages=False)
    used: dict[int, float] = {}
    tracer.start()
    for number in in_turn(items, random.Random(0).sample(range(len(items)), len(items))):
        start = time.process_time()
        if start > seconds:
            break
        tracer.switch_context(str(number))
        if passes(items[number]):
            used[number] = time.process_time() - start
    tracer.stop()
    quick = in_turn(items, sorted((n for n in used if used[n] <= longest), key=used.__getitem__))
    ranks = {str(number): rank for rank, number in enumerate(quick)}
    runs: Runs = {}
    for path in map(str, paths):
        for line, contexts in tracer.get_data().contexts_by_lineno(path).items():
            runs[path, line] = [quick[rank] for rank in sorted(ranks[c] for c in contexts if c in ranks)]
    return runs


def in_turn(items: list[pytest.Item], numbers: list[int]) -> list[int]:
    """First one case of every test function, then a second of each, and so on."""
    seen: Counter[str] = Counter()
    turns = []
    for number in numbers:
        name = items[number].nodeid.split("[")[0]
        turns.append((seen[name], len(turns), number))
        seen[name] += 1
    return [number for _, _, number in sorted(turns)]


# ------------------------------------------------------------------ one fault
def plant(fault: Fault) -> int:
    """Replace the code of the functions that are loaded, and forget what objects remember; how many were replaced."""
    path, count = str(fault.path), 0
    gc.unfreeze()  # objects that the tests' own configuration set aside are not listed
    for f in gc.get_objects():
        forget(f)
        if isinstance(f, FunctionType) and f.__code__.co_filename == path:
            code = fault.codes.get((f.__code__.co_qualname, f.__code__.co_firstlineno))
            if code is not None and code.co_freevars == f.__code__.co_freevars:
                f.__code__ = code
                count += 1
    return count


def forget(x: Any) -> None:
    """Drop the values of an object's cached properties: the sound function may have made them."""
    for name in remembering(type(x)):
        vars(x).pop(name, None)


@cache
def remembering(kind: type) -> list[str]:
    """The cached properties of a class."""
    return [name for base in kind.__mro__ for name, value in vars(base).items() if type(value) is cached_property]


def noticed(fault: Fault, items: list[pytest.Item], numbers: list[int], budget: float) -> str:
    """How the tests notice a fault: the name of the first that fails, or "" where none does."""
    plant(fault)
    start = time.process_time()
    for number in numbers:
        if not passes(items[number]):
            return items[number].nodeid
        if time.process_time() - start > budget:
            break
    return ""


def tests_of(fault: Fault, items: list[pytest.Item], runs: Runs) -> list[int]:
    """The tests that run the statement of a fault, those of its own line first, then all others of the room.

    Of a declaration much is worked out once and kept, by whichever test comes first, so that no other runs its line.
    The cases of what it declares come before the rest.
    """
    lines = [fault.line, *fault.statement]
    found = [number for line in lines for number in runs.get((str(fault.path), line), [])]
    source = fault.path.read_text(encoding="utf-8").splitlines()
    words = set(re.findall(r'"(\w+)"', "\n".join(source[k - 1] for k in fault.statement)))
    cases = [k for k, item in enumerate(items) if words & set(re.split(r"\W+", item.nodeid.partition("[")[2]))]
    return list(dict.fromkeys([*found, *in_turn(items, cases), *in_turn(items, list(range(len(items))))]))


def meet(fault: Fault, items: list[pytest.Item], runs: Runs, seconds: int) -> str:
    """One line on what became of a fault."""
    numbers = tests_of(fault, items, runs)
    if not numbers:
        return "UNMET"
    by = forked(lambda: noticed(fault, items, numbers, seconds / 2), seconds)
    if by is None:
        return "noticed: the process ended or ran on"
    return f"noticed by {by}" if by else f"UNNOTICED by {len(numbers)} tests"


# ------------------------------------------------------------------ all of it
def try_room(name: str, count: int, seed: int, seconds: int, watching: float, slow: bool) -> tuple[int, int]:
    """Plant so many faults in a room: how many there were, how many were noticed."""
    room, results = ROOMS[name], []
    for path in room.paths:  # some are imported when they are first needed, which would be after the fault is planted
        importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))

    def then(items: list[pytest.Item]) -> None:
        runs = forked(lambda: watched(items, room.paths, 1.0, watching), 3600) or {}
        for fault in sample(room.paths, count, seed):
            results.append(meet(fault, items, runs, seconds))
            say(f"{name} {results[-1]}\n  {fault}")

    with_tests(room, slow, then)
    good = sum(r.startswith("noticed") for r in results)
    say(f"{name}: {good} of {len(results)} faults noticed")
    return len(results), good


def say(text: str) -> None:
    """Print past pytest, which captures what is printed."""
    print(text, file=sys.__stderr__, flush=True)


def main() -> None:
    """Plant faults in the rooms that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", nargs="*", default=sorted(ROOMS), help=f"of {', '.join(sorted(ROOMS))}; default: all")
    parser.add_argument("--faults", type=int, default=50, help="in each room (default: 50)")
    parser.add_argument("--seed", type=int, default=0, help="which faults (default: 0)")
    parser.add_argument("--seconds", type=int, default=60, help="of processor time for one fault (default: 60)")
    parser.add_argument("--watching", type=float, default=300, help="seconds to find which lines tests run")
    parser.add_argument("--slow", action="store_true", help="meet them with the slow tests as well")
    asked = parser.parse_args()
    options = (asked.faults, asked.seed, asked.seconds, asked.watching, asked.slow)
    counts = [try_room(name, *options) for name in asked.rooms]
    planted, good = (sum(part) for part in zip(*counts, strict=True))
    say(f"all: {good} of {planted} faults noticed, {100 * good / planted:.1f} %")


if __name__ == "__main__":
    main()
