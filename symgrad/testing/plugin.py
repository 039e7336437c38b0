"""The pytest plugin: a fixture ``crosscheck``, and ``pytest --symgrad``, which shows what it compared.

pytest loads it by itself where symgrad is installed; nothing of symgrad is imported twice for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

_REPORTS = "_symgrad_reports"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--symgrad``."""
    parser.getgroup("symgrad").addoption(
        "--symgrad", action="store_true", help="show every cross-check of a derivative, witness by witness"
    )


@pytest.fixture
def crosscheck(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``sg.testing.crosscheck``, which fails the test where witnesses of a derivative disagree.

    With ``--symgrad`` the reports are shown at the end, those of tests that fail too.
    """
    from symgrad.testing import crosscheck as compare

    def check(f: Callable[..., Any], *inputs: Any, raise_exception: bool = True, **options: Any) -> Any:
        report = compare(f, *inputs, raise_exception=False, **options)
        request.node.user_properties.append((_REPORTS, (getattr(f, "__name__", "f"), str(report), report.ok)))
        if raise_exception and not report.ok:
            pytest.fail(str(report), pytrace=False)
        return report

    return check


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Show the reports, or how many there were."""
    entries = [
        (report.nodeid, *value)
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", [])
        if name == _REPORTS and getattr(report, "when", "") == "call"
    ]
    if not entries or not terminalreporter.config.getoption("--symgrad"):
        return
    terminalreporter.section("symgrad: cross-checked derivatives")
    for nodeid, name, text, _ in entries:
        terminalreporter.write_line(f"{nodeid}  {name}")
        terminalreporter.write_line("\n".join(f"  {line}" for line in text.splitlines()))
    wrong = sum(not ok for *_, ok in entries)
    terminalreporter.write_line(f"{len(entries)} derivatives cross-checked, {wrong} with witnesses that disagree")
