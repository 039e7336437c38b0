"""What holds for all tests: which are slow, which quick, and how a run is summed up."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from slow_tests import left_out, processor_time, quick_ones, slow_ones, smaller_samples, write

KINDS = {  # of reasons for a skip, by what the reason says
    "for what is not installed": r"could not import|not installed|compares with|needs torch|^no ",
    "for programs that a backend says it does not take": r"use backend=|not written out",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--write-slow``: measure the tests that are run and bring their list up to date.

    ``--random-programs``: how many programs are drawn and compared in all readings.

    ``--every-sample``: of each row of the table all samples, of which a test meets half of the smaller ones otherwise.
    """
    parser.addoption("--every-sample", action="store_true", help="run every test for all samples of a row")
    parser.addoption("--random-programs", type=int, default=300, help="how many programs test_random_readings draws")
    parser.addoption("--write-slow", action="store_true", help="write tests/data/slow_tests.txt from this run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave half of the smaller samples out, and mark what is slow, and what is quick."""
    if not (config.getoption("--every-sample") or config.getoption("--write-slow")):
        absent = left_out(items)
        config.hook.pytest_deselected(items=absent)
        gone = set(absent)
        items[:] = [item for item in items if item not in gone]
    for item in [*smaller_samples(items), *slow_ones(items)]:
        item.add_marker(pytest.mark.slow)
    for item in quick_ones([item for item in items if item.get_closest_marker("slow") is None]):
        item.add_marker(pytest.mark.quick)


def pytest_collection_finish() -> None:
    """Keep the garbage collector off the tests themselves: tens of thousands of objects that stay to the end."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Note the processor time of a test, where it is asked for."""
    start = processor_time()
    try:
        return (yield)
    finally:
        if item.config.getoption("--write-slow"):
            item.user_properties.append(("processor time", processor_time() - start))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line for each kind of skip; reasons of no kind, one by one."""
    reports = terminalreporter.stats.get("skipped", [])
    counts = Counter(kind_of(str(report.longrepr[2]).removeprefix("Skipped: ")) for report in reports)
    for kind, count in sorted(counts.items()):
        terminalreporter.write_line(f"skipped {count} {kind}")


def kind_of(reason: str) -> str:
    """The kind of a reason, or the reason."""
    return next((kind for kind, said in KINDS.items() if re.search(said, reason, re.IGNORECASE)), f"for: {reason}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the list, where it is asked for, in the process that has all reports."""
    config = session.config
    if config.getoption("--write-slow") and not hasattr(config, "workerinput"):
        stats = config.pluginmanager.get_plugin("terminalreporter").stats
        reports = [report for kind in ("passed", "failed") for report in stats.get(kind, [])]
        write({report.nodeid: dict(report.user_properties).get("processor time", 0.0) for report in reports})
