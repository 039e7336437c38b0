"""What holds for all tests: which are slow, which quick, and how a run is summed up."""

from __future__ import annotations

import gc
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from slow_tests import Choice, Named, processor_time, short, write

os.environ.setdefault("SYMGRAD_CACHE_SIZE", "0")  # no machine code of earlier runs

CHOICE = pytest.StashKey[Choice]()
KINDS = {  # of reasons for a skip, by what the reason says
    "for what is not installed": r"could not import|not installed|compares with|needs torch|^no ",
    "for programs that a backend says it does not take": r"use backend=|not written out",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--write-slow``: measure the tests that are run and bring their list up to date.

    ``--random-programs``: how many programs are drawn and compared in all readings.

    ``--every-sample``: of each row of the table all samples, of whose smaller ones a test meets an eighth otherwise,
    all of what is drawn at random, of whose further draws it meets a fifth, and all of many slow cases, of which it
    meets a third.

    ``--write-passed FILE`` and ``--leave-out FILE``: name the tests that passed, and leave them out of another run.
    """
    parser.addoption("--every-sample", action="store_true", help="run every test for all samples of a row")
    parser.addoption("--random-programs", type=int, default=300, help="how many programs test_random_readings draws")
    parser.addoption("--write-slow", action="store_true", help="write tests/data/slow_tests.txt from this run")
    parser.addoption("--write-passed", metavar="FILE", help="write the names of the tests that pass")
    parser.addoption("--leave-out", metavar="FILE", help="leave out tests that a file of --write-passed names")


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the choice of the tests that are made."""
    everything = config.getoption("--every-sample") or config.getoption("--write-slow")
    config.stash[CHOICE] = Choice(every_sample=everything, quick_only=config.getoption("markexpr") == "quick")


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Make no tests of the cases that the run leaves out: an eighth of all, and seven of eight in a quick run."""
    yield
    choice, function = metafunc.config.stash[CHOICE], short(metafunc.definition.nodeid)
    marked = metafunc.definition.get_closest_marker("slow") is not None
    if metafunc._calls:
        metafunc._calls = choice.thin(function, metafunc._calls, marked=marked)
    else:
        choice.classify([Named(function, None, marked)], ())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what passed in an earlier run, where it is asked for, and mark what is slow, and what is quick."""
    choice, earlier = config.stash[CHOICE], config.getoption("--leave-out")
    if earlier:
        passed = set(Path(earlier).read_text(encoding="utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
        items[:] = [item for item in items if item.nodeid not in passed]
    quick = choice.quick()
    for item in items:
        name = short(item.nodeid)
        if name in choice.slow:
            item.add_marker(pytest.mark.slow)
        if name in quick:
            item.add_marker(pytest.mark.quick)


def pytest_collection_finish() -> None:
    """Keep the garbage collector off the tests themselves: tens of thousands of objects that stay to the end."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process tests that stand together, which share what the first of them made."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Have a process of pytest-xdist report a test that passes once, not when it is set up and torn down too."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


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
    """Write the lists that are asked for, in the process that has all reports."""
    config = session.config
    if hasattr(config, "workerinput"):
        return
    stats = config.pluginmanager.get_plugin("terminalreporter").stats
    if config.getoption("--write-slow"):
        reports = [report for kind in ("passed", "failed") for report in stats.get(kind, [])]
        write({report.nodeid: dict(report.user_properties).get("processor time", 0.0) for report in reports})
    if config.getoption("--write-passed"):
        names = [report.nodeid for report in stats.get("passed", [])]
        Path(config.getoption("--write-passed")).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
