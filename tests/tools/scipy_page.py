"""docs/scipy.md, made of the declarations: ``python tests/tools/scipy_page.py`` writes it anew, and a test compares."""

import re
from pathlib import Path

import sympy as sp

from symgrad.forms.nodes import printers
from symgrad.scalars import SCALARS, Undeclared, X, Y, in_full
from symgrad.scalars.library import NAMES, REFUSED, TUPLES

PAGE = Path(__file__).parents[2] / "docs" / "scipy.md"
MOST = 100  # characters of a formula
HEAD = """# SciPy's special functions

The universal functions of `scipy.special` are called on tensors as on arrays, and `sg.special` has the same names for
tensors, arrays and numbers. `python tests/tools/scipy_page.py` writes this page from the declarations.

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
(jv(1, x) - jv(3, x))/2

```

- Values are SciPy's: without SciPy a call raises `MissingExtra`. The functions that symgrad computes itself, such as
  `erf`, `ndtr`, `gammaln` and `i0`, are those of [the other table](coverage.md).
- Derivatives are of every order, in forward and reverse mode, in compiled programs and in closed forms, but where the
  table says *none*: a gradient asked for there is a `NotDifferentiable`. Whole orders, as of `yn`, are such.
- `gammainc_a`, `betainc_a`, `jv_v` and the like are derivatives by parameters, which have no closed form. They are
  computed to ten digits or more, from 16 values of the function, or of its logarithm, around the parameter; where a
  derivative is far smaller than the function, as that of `iv` near `v = 0`, to ten digits of the function. There are
  two such derivatives in a parameter; of a third one the call says that there is none.
- SciPy writes some functions in Python, which turns tensors into arrays: `logsumexp`, `softmax`, `log_softmax`,
  `polygamma`, `multigammaln`, `factorial` and `spherical_jn` are called as `sg.special.logsumexp` and so on.
- Complex numbers are taken by the functions whose SciPy function takes them and that are holomorphic: `gamma`, `jv`,
  `erf`, `airy`, `hyp2f1` and the like; orders and parameters are real, and have no derivative there. Hankel functions,
  `wofz` and `kelvin` give complex numbers of real ones; `lambertw` of real numbers is real.
- In the table `f` is the function's value. Functions with several results return a tuple of tensors.

| function | what it is | derivatives in its arguments, in turn |
|---|---|---|
"""


REST = """
## Not differentiated

Called with a tensor these are refused:
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
    return f"`{text}`" if len(text) <= MOST else "of several terms"


def row(called, name, words):
    """A line of the table."""
    found = ", ".join(formula(name, i) for i in range(SCALARS[name].nargs))
    letters = ", ".join(SCALARS[name].letters.split())
    return "| " + " | ".join(t.replace("|", "\\|") for t in (f"`{called}({letters})`", words, found)) + " |"


def page():
    """The text of the page."""
    rows = [row(name, name, SCALARS[name].words) for name in NAMES]
    rows += [row(name, part, f"result {k + 1}") for name in TUPLES for k, part in enumerate(TUPLES[name])]
    refused = {why: [n for n in REFUSED if REFUSED[n] == why] for why in REFUSED.values()}
    tail = [f"- {', '.join(f'`{n}`' for n in sorted(names))}: {why}." for why, names in refused.items()]
    return "\n".join([HEAD + rows[0], *rows[1:], REST, *tail, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
