"""docs/coverage*.md, made of the table and of testing.coverage: ``python tests/rows/coverage_page.py`` writes all.

What a function does is observed on the row of the table that calls the fewest functions beside it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from checks import number, random

import symgrad as sg
from symgrad.core.node import Node, ancestors
from symgrad.ops.map import Map
from symgrad.testing.coverage import functions, readings, together

from cases import CASES

DOCS = Path(__file__).parents[2] / "docs"
TIERS = Path(__file__).parents[1] / "data" / "ops.json"
HEAD = """# Coverage

These tables list what symgrad can do with each function, as the tests observe it. `python tests/rows/coverage_page.py`
writes them, and a test checks that they are up to date. Every function computes values in single and in double
precision. The columns are:

- **derivative**: *all orders*, or *none* for results that are integers or booleans.
- **forward mode**: *one pass*, or *transposed*, if it is derived from the rule of reverse mode.
- **formula**: the notation of the gradient. Every gradient has *index* notation, and many have *matrix* notation. *By
  name* means that the formula contains a named function, as in `inv(X)[i, j]`.
- **compiled**: *fused* into one loop with its neighbours; *written out* entry by entry in small programs, and a NumPy
  call in larger ones; or a *NumPy step*, which is always a call.
- **vmap**: the whole batch *at once*, or a *loop* over the batch.

A name that begins with a dot is a method. Operators and indexing are listed as the functions with the same meaning.

There are four tables: elementwise functions are below; the others are on pages of their own, for
[shapes, indices, reductions and sorting](coverage-arrays.md), [linear algebra](coverage-linalg.md) and
[networks](coverage-networks.md).

"""
HEADS = {
    "coverage-arrays": """# Coverage of array functions

This table lists what is implemented for each function of shapes, indices, reductions, sorting and statistics. Its
columns are those of [the first table](coverage.md).

""",
    "coverage-linalg": """# Coverage of linear algebra

This table lists what is implemented for each product, factorisation and function of matrices. Its columns are those of
[the first table](coverage.md).

""",
    "coverage-networks": """# Coverage of networks

This table lists what is implemented for each function of `nn.functional`. Its columns are those of
[the first table](coverage.md).

""",
}
ROOMS = {  # parts of the names of modules, whose functions are on a page
    "coverage-linalg": (".linalg", ".contract", "functions.algebra", ".distances"),
    "coverage-arrays": (
        ".shapes.", ".indexing.", ".reductions.", "sorting", "interpolating", "spectra", "histograms",
    ),
}  # fmt: skip
TABLE = """| function | other names | derivative | forward mode | formula | compiled | vmap |
|---|---|---|---|---|---|---|
"""
WORDS = {
    "transposed": "transposed", "rule": "one pass", "none": "", "fused": "fused", "written": "written out",
    "step": "NumPy step",
}  # fmt: skip


class Watch:
    """A module that notes what is looked up in it."""

    def __init__(self, module: Any, seen: list[Any]) -> None:
        self._module, self._seen = module, seen

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return Watch(found, self._seen)
        self._seen.append(found)
        return found


@cache
def rows() -> dict[int, Any]:
    """The case to observe each function on, by the function's id: few other functions, no extremes, few entries."""
    best: dict[int, Any] = {}
    for case in CASES:
        if case.empty:
            continue
        seen: list[Any] = []
        case.function(Watch(sg, seen), sg.as_tensor)(*map(sg.as_tensor, case.points))
        rank = (case.row.discrete, len({id(f) for f in seen}), case.number != 0)
        for f in seen:
            if id(f) not in best or rank < best[id(f)][0]:
                best[id(f)] = (rank, case)
    return {key: case for key, (_, case) in best.items()}


def traced(case: Any) -> Any:
    """The result of a case on named leaves, recorded even where it has no gradient."""
    if not case.row.discrete:
        return number(case)(*[sg.tensor(x, requires_grad=True, name=f"x{k}") for k, x in enumerate(case.points)])
    return case.row.f(sg, *[sg.tensor(a, name=f"x{k}") for k, a in enumerate(case.arrays)])


def line(path: str, others: tuple[str, ...]) -> str:
    """The row of a function."""
    case = rows()[id(found_in(path))]
    y = traced(case)
    kinds = [type(n.op) for n in ancestors([y._node]) if isinstance(n, Node)] or [Map]  # dropout with nothing to drop
    found = together(map(readings, kinds))
    cells = [f"`{path}`", ", ".join(f"`{n}`" for n in others), "none", "", "", WORDS[found.compiled]]
    if not case.row.discrete:
        cells[2:5] = ["all orders", WORDS[found.forward], formula(case, y, found.formula)]
    return f"| {' | '.join([*cells, 'at once' if found.batched == 'rule' else 'loop'])} |"


def formula(case: Any, y: Any, kind: str) -> str:
    """The notations of the gradient of Σ u y."""
    leaves = [n for n in ancestors([y._node]) if not isinstance(n, Node) and n.level]
    form = sg.derive((y * random(case, "u", y.shape)).sum(), sg.engine.record.handle(leaves[0], leaves[0].value))
    matrix = form.has_matrix or form.matrix() != form.index()  # also where entries are shorter, and are shown
    return ("matrix, index" if matrix else "index") + ", by name" * (kind == "name")


def found_in(path: str) -> Any:
    """The function with this path in symgrad."""
    value: Any = sg
    for name in path.split("."):
        value = getattr(value, name)
    return value


def room(path: str) -> str:
    """The page that a function is on: that of its name, or of the module that defines it."""
    if path.startswith("nn."):
        return "coverage-networks"
    if path.startswith("linalg."):
        return "coverage-linalg"
    module = found_in(path).__module__
    return next((page for page, parts in ROOMS.items() if any(part in module for part in parts)), "coverage")


def pages() -> dict[Path, str]:
    """The text of each page."""
    tables: dict[str, list[str]] = {page: [] for page in ("coverage", *HEADS)}
    for path, others in functions().items():
        if id(found_in(path)) in rows():
            tables[room(path)].append(line(path, others) + "\n")
    first = HEAD + summary() + "\n" + TABLE + "".join(tables["coverage"])
    further = {page: head + TABLE + "".join(tables[page]) for page, head in HEADS.items()}
    return {DOCS / f"{page}.md": text for page, text in ({"coverage": first} | further).items()}


def summary() -> str:
    """How much there is of torch's functions."""
    tiers = json.loads(TIERS.read_text(encoding="utf-8"))
    counts = [f"{sum(map(exists, names))} of the {len(names)}" for names in tiers.values()]
    return (
        f"Of PyTorch's functions, symgrad has {counts[0]} most common ones, {counts[1]} common ones, and "
        f"{counts[2]} others that programs call.\n"
    )


def exists(name: str) -> bool:
    """Whether symgrad has torch's function or method of this name."""
    if "." not in name and hasattr(sg.Tensor, name):
        return True
    try:
        return callable(found_in(name))
    except AttributeError:
        return False


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
