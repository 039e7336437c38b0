"""Plant faults in the package and see whether the tests notice: ``python tests/mutation/run.py --help``.

The tests of a room are collected once. One forked process then runs them and notes which functions each test enters.
Every fault gets a forked process of its own, in which the functions it changes are replaced, and in which the tests
that enter them run, the quickest first, until one fails. A process that dies or uses up its time has noticed as well.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import pickle
import random
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from faults import Fault, Key, sample
from rooms import PACKAGE, ROOMS, Room

ANYWHERE = "", ("", 0)  # what a test enters that watches functions itself, so that it cannot be watched
Entered = dict[tuple[str, Key], list[int]]  # function: numbers of the tests that enter it, the quickest first


class Collected:
    """A pytest plugin that keeps the collected tests and runs ``then`` on them instead of the tests' own loop."""

    def __init__(self, then: Callable[[list[pytest.Item]], None]) -> None:
        self.then = then

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Hand the tests over."""
        self.then(session.items)
        return True


def with_tests(room: Room, then: Callable[[list[pytest.Item]], None]) -> None:
    """Collect the tests of a room that run by default."""
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow", "--no-header", "-W", "ignore"]
    pytest.main([*options, *room.test_files], plugins=[Collected(then)])


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
    signal.alarm(seconds * 10)  # asleep, on a lock that a fault left closed
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


# ------------------------------------------------------------------ which tests enter which functions
def key(code: CodeType) -> tuple[str, Key]:
    """A function's place."""
    return code.co_filename, (code.co_qualname, code.co_firstlineno)


def place(code: CodeType) -> tuple[str, Key] | None:
    """The place of a function of the package, or ANYWHERE; None for others."""
    if not code.co_filename:
        return ANYWHERE
    return key(code) if code.co_filename.startswith(str(PACKAGE)) else None


@contextlib.contextmanager
def entries() -> Iterator[set[CodeType]]:
    """The codes of the package that are entered meanwhile, in any thread that starts meanwhile as well."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            seen.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield seen
    finally:
        if sys.getprofile() is not note:
            seen.add(compile("", "", "exec"))
        sys.setprofile(None)
        threading.setprofile(None)


def watched(items: list[pytest.Item], longest: float, seconds: float) -> list[tuple[float, int, list[tuple[str, Key]]]]:
    """For tests that pass and are quick, drawn by chance for so long: time, number and what each enters."""
    found, end = [], time.process_time() + seconds
    for number, item in random.Random(0).sample(list(enumerate(items)), len(items)):
        start = time.process_time()
        if start > end:
            break
        with entries() as seen:
            good = passes(item)
        used = time.process_time() - start
        if good and used <= longest:
            found.append((used, number, sorted({place(c) for c in seen} - {None})))
    return found


def by_function(found: list[tuple[float, int, list[tuple[str, Key]]]]) -> Entered:
    """For every function the tests that enter it, the quickest first."""
    result: Entered = {}
    for _, number, keys in sorted(found, key=lambda f: f[:2]):
        for k in keys:
            result.setdefault(k, []).append(number)
    return result


# ------------------------------------------------------------------ one fault
def plant(fault: Fault) -> int:
    """Replace the code of the functions that are loaded; how many."""
    path, count = str(fault.path), 0
    for f in gc.get_objects():  # not frozen ones: gc leaves those out
        if isinstance(f, FunctionType) and f.__code__.co_filename == path:
            code = fault.codes.get(key(f.__code__)[1])
            if code is not None and code.co_freevars == f.__code__.co_freevars:
                f.__code__ = code
                count += 1
    return count


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


def tests_of(fault: Fault, entered: Entered) -> list[int]:
    """The tests that enter a function that the fault changes, the quickest first."""
    lists = [entered.get((str(fault.path), k), []) for k in fault.codes] + [entered.get(ANYWHERE, [])]
    return list(dict.fromkeys(number for numbers in lists for number in numbers))


def meet(fault: Fault, items: list[pytest.Item], entered: Entered, seconds: int) -> str:
    """One line on what became of a fault."""
    numbers = tests_of(fault, entered)
    if not numbers:
        return "UNMET"
    by = forked(lambda: noticed(fault, items, numbers, seconds / 2), seconds)
    if by is None:
        return "noticed: the process ended or ran on"
    return f"noticed by {by}" if by else f"UNNOTICED by {len(numbers)} tests"


# ------------------------------------------------------------------ all of it
def try_room(name: str, count: int, seed: int, seconds: int, watching: float) -> tuple[int, int]:
    """Plant so many faults in a room: how many there were, how many were noticed."""
    room, results = ROOMS[name], []

    def then(items: list[pytest.Item]) -> None:
        entered = by_function(forked(lambda: watched(items, 0.5, watching), 3600) or [])
        for fault in sample(room.paths, count, seed):
            results.append(meet(fault, items, entered, seconds))
            say(f"{name} {results[-1]}\n  {fault}")

    with_tests(room, then)
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
    parser.add_argument("--watching", type=float, default=600, help="seconds to find which functions tests enter")
    given = parser.parse_args()
    counts = [try_room(name, given.faults, given.seed, given.seconds, given.watching) for name in given.rooms]
    planted, good = (sum(part) for part in zip(*counts, strict=True))
    say(f"all: {good} of {planted} faults noticed, {100 * good / planted:.1f} %")


if __name__ == "__main__":
    main()
