"""Which tests a quick run leaves out: all samples of a row but its largest, and what takes long.

What takes long is a list that is measured, not guessed: ``pytest -n auto --write-slow`` runs all tests and writes it.
Of every test that runs for many cases a quick run keeps some: the quickest, if nothing else is left. Of a row's smaller
samples every test meets half; all of them with ``--every-sample``.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from table import Case

try:
    import resource
except ImportError:  # Windows: without what child processes use
    resource = None

LIST = Path(__file__).parents[1] / "data" / "slow_tests.txt"
LONG = frozenset(LIST.read_text(encoding="utf-8").splitlines())
SECONDS = 0.1  # of processor time: what takes more is listed
AT_MOST = 1.0  # the quickest case of a test is not listed if it takes less than this


def smaller_samples(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests of a row's sample that run for a larger sample of it too."""
    tests = [(item, item.callspec.params["case"]) for item in items if of_a_case(item)]
    largest: dict[tuple[str, str], tuple[int, int]] = {}
    for item, case in tests:
        key = function_of(item.nodeid), case.row.name
        largest[key] = max(largest.get(key, (0, 0)), size(case))
    return [item for item, case in tests if size(case) != largest[function_of(item.nodeid), case.row.name]]


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Every second smaller sample, so that half of the tests meet each."""
    found = []
    for item in smaller_samples(items):
        turn = zlib.crc32(function_of(item.nodeid).encode()) + item.callspec.params["case"].number  # type: ignore[attr-defined]
        if turn % 2:
            found.append(item)
    return found


def of_a_case(item: pytest.Item) -> bool:
    """Whether a test runs for a case of the table."""
    return hasattr(item, "callspec") and isinstance(item.callspec.params.get("case"), Case)


def size(case: Case) -> tuple[int, int]:
    """The number of entries; of several samples with so many the first is the largest."""
    return sum(a.size for a in case.arrays), -case.number


def function_of(nodeid: str) -> str:
    """The test function of a test."""
    return nodeid.partition("[")[0]


def long_ones(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The tests of the list."""
    return [item for item in items if short(item.nodeid) in LONG]


def short(nodeid: str) -> str:
    """A test's name within the folder of tests."""
    return nodeid.removeprefix("tests/")


def processor_time() -> float:
    """Seconds that this process and its children have computed for."""
    if resource is None:
        return time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def write(seconds: dict[str, float]) -> None:
    """List the tests that took long; of tests that did not run, the list says what it said."""
    used = {short(nodeid): s for nodeid, s in seconds.items()}
    quickest: dict[str, str] = {}
    for name in sorted(used, key=used.__getitem__):
        quickest.setdefault(function_of(name), name)
    kept = {name for name in quickest.values() if used[name] < AT_MOST}
    long = {name for name, s in used.items() if s > SECONDS} - kept
    LIST.write_text("".join(f"{name}\n" for name in sorted(long | (LONG - used.keys()))), encoding="utf-8")
