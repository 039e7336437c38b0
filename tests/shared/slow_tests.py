"""Which tests a shorter run leaves out: ``-m "not slow"`` those that take long, ``-m quick`` most cases of others too.

Slow are all samples of a row but its largest, and what takes more than ``SLOW`` seconds. Quick is what takes at most
``QUICK`` seconds; of a test with many cases every eighth; and at least one test of each row of the table, of each
backend and of each target, and the examples of every page. Times are measured, not guessed: ``pytest -n auto
--write-slow`` runs all tests and writes them down. Of a row's smaller samples every test meets half; all of them with
``--every-sample``.
"""

from __future__ import annotations

import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from table import Case

try:
    import resource
except ImportError:  # Windows: without what child processes use
    resource = None

LIST = Path(__file__).parents[1] / "data" / "slow_tests.txt"
SLOW = 0.1  # seconds of processor time: what takes more is slow, unless it is the quickest case of its test
AT_MOST = 1.0  # the quickest case of a test is slow if it takes more than this
QUICK = 0.05  # what takes more is listed, and no quick test
FEW = 12  # cases of one test: of more a quick run takes every eighth
EXAMPLES = "docs/test_doctests.py::test_examples_on_pages_hold"  # of which a quick run takes all


def read() -> dict[str, float]:
    """The seconds of the tests that are listed."""
    lines = (line.split(" ", 1) for line in LIST.read_text(encoding="utf-8").splitlines())
    return {name: float(seconds) for seconds, name in lines}


SECONDS = read()


def smaller_samples(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests of a row's sample that run for a larger sample of it too."""
    tests = [(item, case) for item in items if (case := case_of(item))]
    largest: dict[tuple[str, str], tuple[int, int]] = {}
    for item, case in tests:
        key = function_of(item.nodeid), case.row.name
        largest[key] = max(largest.get(key, (0, 0)), size(case))
    return [item for item, case in tests if size(case) != largest[function_of(item.nodeid), case.row.name]]


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Every second smaller sample, so that half of the tests meet each."""
    return [item for item in smaller_samples(items) if (drawn(function_of(item.nodeid)) + case_of(item).number) % 2]


def case_of(item: pytest.Item) -> Case | None:
    """The case of the table that a test runs for."""
    case = item.callspec.params.get("case") if hasattr(item, "callspec") else None
    return case if isinstance(case, Case) else None


def size(case: Case) -> tuple[int, int]:
    """The number of entries; of several samples with so many the first is the largest."""
    return sum(a.size for a in case.arrays), -case.number


def function_of(nodeid: str) -> str:
    """The test function of a test."""
    return nodeid.partition("[")[0]


def slow_ones(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The tests that take long, but for the quickest case of each test."""
    slow = []
    for some in by_function(items).values():
        quickest = min(some, key=seconds_of)
        slow += [item for item in some if seconds_of(item) > (AT_MOST if item is quickest else SLOW)]
    return slow


def quick_ones(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Of tests that are not slow: those with examples of pages, and a sample of the others that meets each subject."""
    chosen = []
    for name, some in by_function(items).items():
        chosen += some if name == EXAMPLES else sampled(some)
    met = {subject for item in chosen for subject in subjects(item)}
    for item in items:
        if new := set(subjects(item)) - met:
            chosen.append(item)
            met |= new
    return chosen


def sampled(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The cases of one test that a quick run takes: all that are quick if they are few, of many every eighth."""
    quick = [item for item in items if seconds_of(item) <= QUICK]
    some = [item for item in quick if drawn(item.nodeid) % 8 == 0] if len(quick) > FEW else quick
    return some or quick[:1]


def subjects(item: pytest.Item) -> Iterator[tuple[str, str]]:
    """What a test meets that a quick run must not miss: a row of the table, a backend, a target of exports."""
    if case := case_of(item):
        yield "row", case.row.name
    params = item.callspec.params if hasattr(item, "callspec") else {}
    yield from ((kind, str(params[kind])) for kind in ("backend", "target") if kind in params)


def by_function(items: Iterable[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """The cases of each test."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[function_of(short(item.nodeid))].append(item)
    return cases


def seconds_of(item: pytest.Item) -> float:
    """The seconds of a test, or 0 if they are not listed."""
    return SECONDS.get(short(item.nodeid), 0.0)


def drawn(name: str) -> int:
    """A number that goes with a name, in every process the same."""
    return zlib.crc32(name.encode())


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
    """List the tests that took more than ``QUICK``; of tests that did not run, the list says what it said."""
    used = {short(nodeid): s for nodeid, s in seconds.items()}
    listed = {name: s for name, s in (SECONDS | used).items() if s > QUICK}
    LIST.write_text("".join(f"{s:.2f} {name}\n" for name, s in sorted(listed.items())), encoding="utf-8")
