"""Formulas of the documentation can be read by what makes MathML of them, so that pages need no network."""

import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2\s*$", re.MULTILINE | re.DOTALL)
MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?!\s)([^$]+?)(?<![\s\\])\$(?!\d)", re.DOTALL)


def formulas():
    """(page, LaTeX) of every formula between dollars, outside of code."""
    for page in sorted(DOCS.glob("*.md")):
        text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", FENCE.sub("", page.read_text(encoding="utf-8")))
        for found in MATH.finditer(text):
            yield page.name, found[1] or found[2]


def test_every_formula_becomes_mathml(monkeypatch):
    pytest.importorskip("sphinx")
    nodes = pytest.importorskip("docutils.nodes")
    monkeypatch.syspath_prepend(str(DOCS))
    written = importlib.import_module("symgrad_docs.formulas").written
    every = list(formulas())
    assert len(every) > 30
    wrong = [(page, latex) for page, latex in every if "<math" not in written(nodes.math(latex, latex))]
    assert wrong == []
