"""Every example in a docstring, in the README and in the documentation runs and prints what it says."""

import doctest
import importlib
import pkgutil
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg

ROOT = Path(__file__).parents[2]
MODULES = ["symgrad", *sorted(m.name for m in pkgutil.walk_packages(sg.__path__, "symgrad."))]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^ *(```|:::).*$", re.MULTILINE)
CELL = re.compile(r"^```\{code-cell\}.*\n((?::.*\n)*)((?s:.*?))^```$", re.MULTILINE)  # options, code
NOTEBOOKS = [page for page in PAGES if CELL.search(page.read_text(encoding="utf-8"))]


def run(test):
    report = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name):
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder().find(module, extraglobs={"sg": sg, "np": np}):
        run(test)


@pytest.mark.filterwarnings("ignore:Anomaly Detection:UserWarning", "ignore:Error detected in:UserWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_examples_on_pages_hold(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))  # a closing fence ends the expected output
    if ">>> from symgrad.exports import load_c" in text and not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    run(doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0))


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda p: p.name)
def test_cells_of_notebooks_run(page):
    names = {"__name__": page.stem}
    for _, code in CELL.findall(page.read_text(encoding="utf-8")):
        exec(compile(code, page.name, "exec"), names)


def test_there_are_notebooks():
    assert NOTEBOOKS


def test_there_are_examples_in_docstrings():
    finder = doctest.DocTestFinder(exclude_empty=True)
    assert any(test.examples for name in MODULES for test in finder.find(importlib.import_module(name)))
