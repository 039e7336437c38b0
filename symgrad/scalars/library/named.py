"""How a function of SciPy's is declared: its arguments, its meaning, its partial derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.declare import declare
from symgrad.scalars.library.kernels import Kernel, scipys

NAMES: list[str] = []  # of the functions that users call


def function(
    name: str,
    letters: str,
    words: str,
    rule: Callable[..., Any],
    meaning: Callable[..., Any] | None = None,
    *,
    kernel: Kernel | None = None,
    real: int | None = None,
    **options: Any,
) -> Any:
    """Declare a function of SciPy's under its name.

    Args:
        name: SciPy's name.
        letters: its arguments, as documents call them.
        words: the first line of its docstring.
        rule: the partial derivatives, None for one that is not declared.
        meaning: of SymPy's classes; without it the function means itself.
        kernel: default SciPy's function.
        real: of a function of complex numbers, how many of its first arguments are real all the same.
        options: of ``declare``.
    """
    NAMES.append(name)
    kernel = kernel or scipys(name, real=real or 0)
    return _declared(name, letters, rule, meaning, kernel, words=words, analytic=real is not None, **options)


def slope(
    name: str, letters: str, rule: Callable[..., Any], kernel: Kernel, meaning: Callable[..., Any] | None = None,
    **options: Any,
) -> Any:  # fmt: skip
    """Declare a function that derivatives are made of, and that users do not call."""
    return _declared(name, letters, rule, meaning, kernel, **options)


def _declared(name: str, letters: str, rule: Any, meaning: Any, kernel: Kernel, **options: Any) -> Any:
    latex = f"\\operatorname{{{name.replace('_', chr(92) + '_')}}}"
    return declare(
        name, meaning or (lambda *xs: sp.Function(name)(*xs)), rule, numpy=kernel, nargs=len(letters.split()),
        letters=letters, library=True, **{"latex": latex, "public": "", **options},
    )  # fmt: skip


def _where_zero_rule(u: sp.Expr, there: sp.Expr, away: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, ...]:
    return sp.S.Zero, sp.Piecewise((1, sp.Eq(u, 0)), (0, True)), sp.Piecewise((0, sp.Eq(u, 0)), (1, True))


# What a slope is where u = 0, and its formula elsewhere, which is what people read
where_zero = slope(
    "where_zero", "u there away", _where_zero_rule, lambda u, there, away: np.where(np.equal(u, 0), there, away),
    lambda u, there, away: sp.Piecewise((there, sp.Eq(u, 0)), (away, True)), hidden=True, inline=True,
    shown=lambda u, there, away: away,
)  # fmt: skip
