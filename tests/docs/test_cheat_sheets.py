"""The cheat sheets: every line of symgrad's column runs, and gives the numbers of the line beside it."""

import ast
import importlib.util
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from symgrad.errors import ValueNeeded

DOCS = Path(__file__).parents[2] / "docs"
PEERS = {
    "from-pytorch": "torch", "from-jax": "jax", "from-scipy": "scipy", "from-sympy": "sympy", "from-casadi": "casadi",
}  # fmt: skip
PAGES = [*PEERS, "from-matlab"]
ROW = re.compile(r"^\| (?:`(.+?)`|–) \| `(.+?)` \|$")


def rows(text):
    """(the other library's line or None, symgrad's line) of every row that has code."""
    return [(found[1], found[2]) for line in text.splitlines() if (found := ROW.match(line))]


def run(line, names):
    """Run statements, and return the value of the last one, None where it has none."""
    tree = ast.parse(line)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, line, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), line, "eval"), names)


def numbers(value):
    """A value as arrays of numbers, None where it is something else."""
    if isinstance(value, (tuple, list)):
        found = [numbers(v) for v in value]
        return None if any(f is None for f in found) else [array for f in found for array in f]
    value = value.detach() if hasattr(value, "detach") else value
    if not isinstance(value, (int, float)) and not hasattr(value, "__array__"):
        return None
    try:
        array = np.asarray(value)
    except (TypeError, ValueNeeded):  # a symbol
        return None
    return [array] if array.dtype.kind in "biuf" else None


def names_of(text, available):
    """The names that the code above the tables makes, without what is not installed."""
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    names = {}
    for line in code.splitlines():
        if available(line.split()[1].partition(".")[0]):
            exec(line, names)
    return names


def installed(module):
    return importlib.util.find_spec(module) is not None


@pytest.mark.parametrize("page", PAGES)
def test_every_line_of_symgrad_runs(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    names = names_of(text, lambda module: module in ("numpy", "scipy", "sympy", "symgrad"))
    lines = [line for _, line in rows(text)]
    for line in lines:
        run(line, names)
    assert len(lines) > 15


@pytest.mark.parametrize("page", PEERS)
def test_lines_beside_each_other_agree_in_their_numbers(request, page):
    peer = pytest.importorskip(PEERS[page])
    if page == "from-jax":  # its lines are of float64
        request.addfinalizer(partial(peer.config.update, "jax_enable_x64", peer.config.jax_enable_x64))
        peer.config.update("jax_enable_x64", True)
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    theirs, ours = names_of(text, installed), names_of(text, installed)
    compared = 0
    for other, line in rows(text):
        expected, found = numbers(run(other, theirs)) if other else None, numbers(run(line, ours))
        if found is not None and expected is not None:
            assert len(found) == len(expected), line
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6, err_msg=line)
            compared += 1
    assert compared >= 4


@pytest.mark.parametrize("page", PAGES)
def test_every_row_of_a_cheat_sheet_is_read(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?m)(?:^\|.*\n)+", text)  # those of what differs are prose
    body = [line for table in tables if " symgrad |\n" in table for line in table.splitlines()[2:]]
    assert body
    assert [line for line in body if not ROW.match(line)] == []
