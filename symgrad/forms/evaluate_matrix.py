"""The number that a matrix form stands for: its nodes' own NumPy source, run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp
from sympy.printing.numpy import NumPyPrinter

from symgrad.core.kernels import NUMPY_NAMES
from symgrad.forms.nodes.elementwise import Elementwise
from symgrad.forms.nodes.matrices import ArraySymbol, Call
from symgrad.scalars import BY_FUNCTION
from symgrad.scalars.quotients import stepwise


def evaluate_matrix(e: sp.Expr, shape: tuple[int, ...], arrays: dict[str, Any]) -> Any:
    """Return the array that a matrix form stands for.

    Args:
        e: the form.
        shape: its shape.
        arrays: value of each named array and each symbolic size.
    """
    return matrix_function(e)(shape, arrays)


def matrix_function(e: sp.Expr) -> Callable[[tuple[int, ...], Mapping[str, Any]], Any]:
    """Return the function of shape and arrays that a matrix form stands for, compiled once."""
    given = sorted(e.free_symbols, key=lambda s: str(s.name))
    minted = [_called(s, f"v{k}") for k, s in enumerate(given)]
    whole = stepwise(_with_kernels(e)).xreplace(dict(zip(given, minted, strict=True)))
    printer = _printer(whole)
    calls = {name: op for op, name in printer.operations.items()}
    f = sp.lambdify(minted, whole, [calls, NUMPY_NAMES], printer=printer)

    def value(shape: tuple[int, ...], arrays: Mapping[str, Any]) -> Any:
        with np.errstate(all="ignore"):
            return np.reshape(f(*[np.asarray(arrays[s.name]) for s in given]), shape)

    return value


def _printer(e: sp.Expr) -> Any:
    """Return NumPy's printer with names for the operations that have no source, such as integrals."""
    calls = [c for c in sp.preorder_traversal(e) if isinstance(c, Call) and bool(c.op.not_exportable)]
    printer = NumPyPrinter({"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True})
    printer.operations = {op: f"operation{k}" for k, op in enumerate(dict.fromkeys(c.op for c in calls))}
    return printer


def _called(s: Any, name: str) -> Any:
    """Return a symbol of another name: those of users are not part of the source."""
    return s.called(name) if isinstance(s, ArraySymbol) else sp.Symbol(name, **s.assumptions0)


def _with_kernels(e: sp.Expr) -> sp.Expr:
    """Write functions of numbers as those of entries are, for NumPy has not all of them."""
    return e.replace(lambda f: type(f) in BY_FUNCTION, lambda f: Elementwise.of(type(f), f.args, ()))
