"""The number that a matrix form stands for, read off the printed nodes: a witness of its own.

Columns are n×1 arrays while they are multiplied. Imports nodes and kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.forms import elementwise, marks, nodes
from symgrad.forms.evaluate import evaluate
from symgrad.kernels import array_kernel
from symgrad.scalars import SCALARS, X


def evaluate_matrix(e: sp.Expr, shape: tuple[int, ...], arrays: dict[str, Any]) -> Any:
    """Return the array that a matrix form stands for.

    Args:
        e: the form.
        shape: its shape.
        arrays: value of each named array and each symbolic size.
    """
    with np.errstate(all="ignore"):
        return np.reshape(_value(e, arrays), shape)


def _value(e: Any, arrays: dict[str, Any]) -> Any:
    """Return a number, or a 2-D array in which vectors are columns."""
    if isinstance(e, nodes.ArraySymbol):
        return _column(np.asarray(arrays[e.name]))
    if isinstance(e, nodes.OnesVector):
        return np.ones((int(_value(e.shape[0], arrays)), 1))
    if isinstance(e, nodes.Identity):
        return np.eye(int(_value(e.shape[0], arrays)))
    if e.is_Symbol:
        return np.asarray(arrays[e.name])
    if e.is_number and not e.args:
        return float(e)
    if isinstance(e, sp.Piecewise):  # of numbers: an entry without indices
        return evaluate(e, (), (), arrays)
    if isinstance(e, nodes.Call):
        return _call(e, arrays)
    parts = [_value(a, arrays) for a in e.args if not isinstance(a, (sp.Tuple, sp.core.symbol.Str))]
    return _combined(e, parts)


def _combined(e: Any, parts: list[Any]) -> Any:
    if isinstance(e, nodes.Filled):
        return parts[0]
    if isinstance(e, nodes.Transposed):
        return parts[0].T
    if isinstance(e, nodes.Product):
        found = parts[0]
        for p in parts[1:]:
            found = found @ p
        return found if e.shape else found.item()
    if isinstance(e, marks.Norm2):
        return np.sum(parts[0] ** 2)
    if isinstance(e, marks.Total):
        return np.sum(parts[0])
    if isinstance(e, (marks.Trace, marks.Mean, marks.Length)):
        functions: dict[str, Any] = {"tr": np.trace, "mean": np.mean, "": np.linalg.norm}
        return functions[e.called](parts[0])
    if isinstance(e, marks.Diag):
        return np.diag(parts[0][:, 0]) if len(e.shape) == 2 else np.diag(parts[0])[:, None]
    if isinstance(e, marks.Truth):
        return _relation(e)(*parts) * 1.0
    if isinstance(e, marks.Cases):
        return _cases(parts)
    if isinstance(e, marks.Quotient):
        return parts[0] / parts[1]
    if isinstance(e, elementwise.ElementPower):
        return np.power(*parts)
    if isinstance(e, elementwise.Elementwise):
        function = SCALARS[str(e.args[0])].function
        return array_kernel(function(*X[: len(parts)]), X[: len(parts)])(*map(np.asarray, parts))
    if e.is_Add or isinstance(e, nodes.Plus):
        return sum(parts[1:], parts[0])
    if e.is_Mul or isinstance(e, (nodes.Scaled, elementwise.Hadamard)):
        found = parts[0]
        for p in parts[1:]:
            found = found * p
        return found
    return array_kernel(e.func(*X[: len(parts)]), X[: len(parts)])(*map(np.asarray, parts))


def _relation(e: Any) -> Any:
    names = {sp.Gt: "greater", sp.Ge: "greater_equal", sp.Lt: "less", sp.Le: "less_equal", sp.Eq: "equal"}
    return getattr(np, names.get(e.relation, "not_equal"))


def _cases(parts: list[Any]) -> Any:
    *cases, found = parts
    for value, condition in zip(cases[-2::-2], cases[::-2], strict=True):
        found = np.where(condition, value, found)
    return found


def _call(e: Any, arrays: dict[str, Any]) -> Any:
    """Apply a named function to whole arrays, each in its own shape."""
    whole = [np.reshape(_value(a, arrays), _shape_of(a, arrays)) for a in e.args[1:-1]]
    return _column(np.asarray(e.op(*whole)))


def _shape_of(a: Any, arrays: dict[str, Any]) -> list[int]:
    return [int(_value(sp.sympify(n), arrays)) for n in getattr(a, "shape", ())]


def _column(a: Any) -> Any:
    return a[:, None] if a.ndim == 1 else a
