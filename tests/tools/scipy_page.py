"""docs/scipy*.md, made of the declarations: ``python tests/tools/scipy_page.py`` writes both, and a test compares."""

import re
from pathlib import Path

import sympy as sp

from symgrad.forms.nodes import printers
from symgrad.scalars import SCALARS, Undeclared, X, Y, in_full
from symgrad.scalars.library import NAMES, REFUSED, TUPLES

DOCS = Path(__file__).parents[2] / "docs"
MOST = 100  # characters of a formula
HEAD = """# SciPy's special functions

The universal functions of `scipy.special` can be called on tensors as on arrays, and `sg.special` has functions with
the same names for tensors, arrays and numbers. Bessel functions, integrals, polynomials, and functions with several
results have [a page of their own](scipy-integrals.md). `python tests/tools/scipy_page.py` writes both pages from the
declarations.

```pycon
>>> import numpy as np
>>> import scipy.special
>>> import symgrad as sg
>>> a = sg.tensor([0.5, 2.0], requires_grad=True)
>>> scipy.special.gammainc(a, 1.5).sum().backward()
>>> a.grad
tensor([-0.2302, -0.3135])
>>> x = sg.symbol("x", "n")
>>> print(sg.derive(scipy.special.jv(2, x).sum(), x))
(J1(x) - J3(x))/2

```

- Values are computed by SciPy; without SciPy, a call raises `MissingExtra`. The functions that symgrad computes
  itself, such as `erf`, `ndtr`, `gammaln` and `i0`, are listed under [coverage](coverage.md).
- Derivatives exist for every order, in forward and reverse mode, in compiled programs and in closed forms. Where a
  table says *none*, as for the integer order of `yn`, asking for the gradient raises `NotDifferentiable`.
- `gammainc_a`, `betainc_a`, `jv_v` and the like are derivatives with respect to parameters, for which there is no
  closed form. They are computed to ten digits or more from 16 values of the function, or of its logarithm, around the
  parameter. If a derivative is much smaller than the function, like that of `iv` near `v = 0`, it is accurate to ten
  digits relative to the function. The first and second derivatives exist; asking for the third raises an error.
- SciPy implements some functions in Python, which converts tensors to arrays. Call `logsumexp`, `softmax`,
  `log_softmax`, `polygamma`, `multigammaln`, `factorial` and `spherical_jn` as `sg.special.logsumexp` and so on.
- Complex arguments are supported where SciPy supports them and the function is holomorphic: `gamma`, `jv`, `erf`,
  `airy`, `hyp2f1` and the like. Orders and parameters are then real, and have no derivative. Hankel functions, `wofz`
  and `kelvin` return complex numbers for real arguments; `lambertw` returns real numbers for them.
- In the tables, `f` is the function's value, and the last column lists the derivatives with respect to the arguments,
  in their order. *Several terms* stands for a derivative that is too long for the table.
"""
FURTHER = """# SciPy's Bessel functions, integrals and polynomials

This page continues the tables of [SciPy's special functions](scipy.md), which explains their columns. Functions with
several results return a tuple of tensors.
"""
TABLE = """
| function | what it is | derivatives |
|---|---|---|
"""
FAMILIES = {  # the first function of each family, in the order of their declarations
    "gamma": "Gamma functions and their distributions",
    "jv": "Bessel functions",
    "betainc": "Beta functions and their distributions",
    "exp10": "Elementary functions and losses",
    "expi": "Exponential, elliptic and hypergeometric functions",
    "eval_jacobi": "Orthogonal polynomials",
}
ON_THE_FIRST_PAGE = ("gamma", "betainc", "exp10")


REST = """
## Not differentiated

These functions raise an error if they are called with a tensor:

"""


def formula(name, i):
    """A partial derivative in the letters of the documentation; f is the function's value."""
    s = SCALARS[name]
    letters = dict(zip(X, sp.symbols(s.letters, real=True, seq=True), strict=False))
    e = s.partials[i]
    if isinstance(e, Undeclared):
        return "none"
    text = printers.text(in_full(e).xreplace({**letters, Y: sp.Symbol("f", real=True)}))
    text = re.sub(r"Eq\((\w+), (\w+)\)", r"\1 = \2", text)
    return f"`{text}`" if len(text) <= MOST else "*several terms*"


def row(called, name, words):
    """A line of the table."""
    found = ", ".join(formula(name, i) for i in range(SCALARS[name].nargs))
    letters = ", ".join(SCALARS[name].letters.split())
    return "| " + " | ".join(t.replace("|", "\\|") for t in (f"`{called}({letters})`", words, found)) + " |"


def families():
    """The rows of each family, by its first function."""
    tables = {}
    for name in NAMES:
        if name in FAMILIES:
            tables[name] = rows = []
        rows.append(row(name, name, SCALARS[name].words))
    return tables


def section(title, rows):
    """A heading and its table."""
    return f"\n## {title}\n{TABLE}" + "".join(f"{line}\n" for line in rows)


def pages():
    """The text of each page."""
    sections = {first: section(FAMILIES[first], rows) for first, rows in families().items()}
    several = [row(name, part, f"result {k + 1}") for name in TUPLES for k, part in enumerate(TUPLES[name])]
    refused = {why: [n for n in REFUSED if REFUSED[n] == why] for why in REFUSED.values()}
    lines = [f"- {', '.join(f'`{n}`' for n in sorted(names))}: {why}.\n" for why, names in refused.items()]
    further = [text for first, text in sections.items() if first not in ON_THE_FIRST_PAGE]
    return {
        DOCS / "scipy.md": HEAD + "".join(sections[first] for first in ON_THE_FIRST_PAGE) + REST + "".join(lines),
        DOCS / "scipy-integrals.md": FURTHER + "".join(further) + section("Functions with several results", several),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
