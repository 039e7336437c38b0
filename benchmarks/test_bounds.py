"""Bounds on times that users notice, on a quiet machine: import, refusals, formulas of many operations."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from test_expression import REFUSED, anything, is_read_or_refused
from test_identities import IDENTITIES, derived

import symgrad as sg
from symgrad.errors import ParseError


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fail where what is done within takes more processor time."""
    start = time.process_time()
    yield
    used = time.process_time() - start
    assert used <= seconds, f"{used:.3f} s"


def seconds_to_import(cwd: Path) -> float:
    """The time of ``import symgrad`` alone, NumPy and SymPy being imported already."""
    command = [sys.executable, "-P", "-X", "importtime", "-c", "import numpy, sympy; import symgrad"]
    report = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stderr
    # import time:  self [us] | cumulative | name, where a name that was imported by another is indented
    found = re.search(r"^import time:\s+\d+ \|\s+(\d+) \| symgrad$", report, re.MULTILINE)
    assert found is not None, report[-500:]
    return int(found[1]) / 1e6


def test_import_costs_at_most_100_ms_beyond_numpy_and_sympy(tmp_path: Path) -> None:
    best = min(seconds_to_import(tmp_path) for _ in range(10))  # other work on the machine only adds
    print(f"\nimport symgrad: {best * 1e3:.0f} ms after NumPy and SymPy")
    assert best <= 0.100


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[t[:20] for t, _ in REFUSED])
def test_what_is_no_formula_is_refused_within_two_seconds(text: str, reason: str) -> None:
    with at_most(2), pytest.raises(ParseError):
        sg.parse(text, {"x": ()})


def test_random_formulas_are_read_or_refused_within_twenty_seconds() -> None:
    rng = random.Random(0)
    for _ in range(150):
        text = anything(rng, 3)
        with at_most(20):
            is_read_or_refused(text)


def test_formulas_of_all_identities_take_ten_seconds() -> None:
    with at_most(10):
        for identity in IDENTITIES:
            str(derived(identity))


def test_ten_thousand_operations_take_twenty_seconds() -> None:
    x = y = sg.symbol("x", "n")
    for _ in range(5000):
        y = sg.sin(y * x)
    with at_most(20):
        assert len(sg.derive(y.sum(), x).where) > 1000


@pytest.mark.parametrize("style", ["calculus", "backprop"])
def test_a_hundred_operations_are_explained_within_a_second_and_a_half(style: str) -> None:
    x = y = sg.symbol("x")
    for _ in range(33):
        y = y * x + sg.sin(y)
    str(sg.explain(x * sg.sin(x), x, style=style))  # what is imported once
    with at_most(1.5):
        str(sg.explain(y, x, style=style))
