"""Which tests a shorter run leaves out: ``-m "not slow"`` those that take long, ``-m quick`` most cases of others too.

Slow are all samples of a row but its largest, and what takes more than ``SLOW`` seconds. Quick is what takes at most
``QUICK`` seconds; of a test with many cases every twelfth; and at least one test of each row of the table, of each
backend and of each target, and the examples of every page. Times are measured, not guessed: ``pytest -n auto
--write-slow`` runs all tests and writes them down. Of a row's smaller samples every test meets an eighth, of the
further draws of what is drawn at random a fifth, and of many slow cases of one test a third, a sixth of those of more
than a second; all of them with ``--every-sample``. What is left out is left out where the cases of a test are made, so
that it costs nothing.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest
from table import Case

try:
    import resource
except ImportError:  # Windows: without what child processes use
    resource = None

FURTHER = (pytest.mark.slow, pytest.mark.further)
LIST = Path(__file__).parents[1] / "data" / "slow_tests.txt"
SLOW = 0.1  # seconds of processor time: what takes more is slow, unless it is the quickest case of its test
AT_MOST = 1.0  # the quickest case of a test is slow if it takes more than this
QUICK = 0.04  # what takes more is listed, and no quick test
FEW = 8  # cases of one test: of more a quick run takes every twelfth, and of more slow ones every run a third
PAGES = "docs/test_doctests.py::"
EXAMPLES = {
    PAGES + "test_examples_on_pages_hold",
    PAGES + "test_cells_of_notebooks_run",
}  # a quick run takes all, slow or not


def read() -> dict[str, float]:
    """The seconds of the tests that are listed."""
    lines = (line.split(" ", 1) for line in LIST.read_text(encoding="utf-8").splitlines())
    return {name: float(seconds) for seconds, name in lines}


SECONDS = read()


class Named:
    """One case of a test: its name within the folder of tests, its seconds, and what it is run for.

    ``marked``: whether the test says that it is slow.
    """

    def __init__(self, function: str, spec: Any, marked: bool = False) -> None:
        self.function = function
        names = {mark.name for mark in spec.marks} if spec else set()
        self.marked, self.further = marked or "slow" in names, "further" in names
        self.name = f"{function}[{spec.id}]" if spec else function
        self.params: dict[str, Any] = spec.params if spec else {}
        self.seconds = SECONDS.get(self.name, 0.0)
        case = self.params.get("case")
        self.case = case if isinstance(case, Case) else None

    @property
    def subjects(self) -> set[tuple[str, str]]:
        """What a quick run must not miss: a row of the table, a backend, a target of exports."""
        row = {("row", self.case.row.name)} if self.case else set()
        return row | {(kind, str(self.params[kind])) for kind in ("backend", "target") if kind in self.params}


class Choice:
    """Which cases of the tests a run makes, and which of them are slow or quick.

    ``every_sample``: leave no sample out. ``quick_only``: make those cases only that a quick run may take.
    """

    def __init__(self, *, every_sample: bool, quick_only: bool) -> None:
        self.every_sample, self.quick_only = every_sample, quick_only
        self.slow: set[str] = set()
        self.sampled: set[str] = set()
        self.met: set[tuple[str, str]] = set()  # by the sample of quick tests
        self.first: dict[str, set[tuple[str, str]]] = {}  # tests that were the first to meet something
        self.seen: set[tuple[str, str]] = set()

    def thin(self, function: str, specs: list[Any], *, marked: bool) -> list[Any]:
        """Return the cases of one test that become tests."""
        cases = [(Named(function, spec, marked), spec) for spec in specs]
        shortest = min(cases, key=lambda case: case[0].seconds)  # which a run takes where it would leave all out
        smaller = smaller_samples([case for case, _ in cases])
        if not self.every_sample:
            cases = [(c, spec) for c, spec in cases if c.name not in smaller or drawn_sample(c)]
            cases = [(c, spec) for c, spec in cases if not c.further or drawn(f"tests/{c.name}") % 5 == 0]
            if sum(c.seconds > SLOW for c, _ in cases) > FEW:
                cases = [(c, spec) for c, spec in cases if drawn(f"tests/{c.name}") % share(c.seconds) == 0]
        cases = cases or [shortest]
        self.classify([case for case, _ in cases], smaller)
        if self.quick_only:
            cases = [(c, spec) for c, spec in cases if c.name in self.sampled or c.name in self.first] or cases[:1]
        return [spec for _, spec in cases]

    def classify(self, cases: Sequence[Named], smaller: Collection[str]) -> None:
        """Note which cases of one test are slow, which are in the quick sample, and which meet something first."""
        self.slow |= {case.name for case in cases if case.name in smaller} | slow_ones(cases)
        others = [case for case in cases if not (case.marked or case.name in self.slow)]
        for case in cases if cases and cases[0].function in EXAMPLES else sampled(others):
            self.sampled.add(case.name)
            self.met |= case.subjects
        for case in others:
            if case.subjects - self.seen:
                self.first[case.name] = case.subjects
                self.seen |= case.subjects

    def quick(self) -> set[str]:
        """The quick tests: the sample, and of the others the first that meet what it misses."""
        chosen, met = set(self.sampled), set(self.met)
        for name, subjects in self.first.items():
            if subjects - met:
                chosen.add(name)
                met |= subjects
        return chosen


def draws(values: Sequence[Any], first: int) -> list[Any]:
    """Return the values as cases of a test: the first so many, and further ones, of which a run makes a fifth."""
    return [*values[:first], *[pytest.param(v, marks=FURTHER) for v in values[first:]]]


def smaller_samples(cases: Sequence[Named]) -> set[str]:
    """The names of those cases of a test that have another sample of their row, and a larger one."""
    largest: dict[str, tuple[int, int]] = {}
    of_rows = [(of, of.case) for of in cases if of.case]
    for _, case in of_rows:
        largest[case.row.name] = max(largest.get(case.row.name, (0, 0)), size(case))
    return {of.name for of, case in of_rows if size(case) != largest[case.row.name]}


def drawn_sample(of: Named) -> bool:
    """Whether a smaller sample is among the eighth of them that this test meets."""
    return of.case is not None and (drawn(f"tests/{of.function}") + of.case.number) % 8 == 0


def share(seconds: float) -> int:
    """Of how many cases with such times a run makes one, where a test has many slow ones."""
    return 1 if seconds <= SLOW else 3 if seconds <= AT_MOST else 6


def size(case: Case) -> tuple[int, int]:
    """The number of entries; of several samples with so many the first is the largest."""
    return sum(a.size for a in case.arrays), -case.number


def slow_ones(cases: Sequence[Named]) -> set[str]:
    """The names of the cases of a test that take long, but for the quickest."""
    quickest = min(cases, key=lambda case: case.seconds, default=None)
    return {case.name for case in cases if case.seconds > (AT_MOST if case is quickest else SLOW)}


def sampled(cases: Sequence[Named]) -> Sequence[Named]:
    """The cases of one test that a quick run takes: all that are quick if they are few, of many every twelfth."""
    quick = [case for case in cases if case.seconds <= QUICK]
    some = [case for case in quick if drawn(f"tests/{case.name}") % 12 == 0] if len(quick) > FEW else quick
    return some or quick[:1]


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
