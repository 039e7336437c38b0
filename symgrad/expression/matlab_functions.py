"""MATLAB's functions: those that act down columns, take axes counted from 1, or have a meaning of their own.

A 1-D array is a column; its transpose, a ``Row``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, Protocol

from symgrad import functions, linalg
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError
from symgrad.expression.formula import Call, Formula, Name, walk
from symgrad.expression.function_table import function_table
from symgrad.tensors.creation import ones, zeros
from symgrad.tensors.tensor import Tensor

RENAMED = {"power": "pow", "times": "mul", "gammaln": "lgamma", "Inf": "inf", "rem": "fmod"}


class Calls(Protocol):
    """The evaluator of a formula, as these functions use it."""

    def called(self, f: Callable[..., Any], *args: Any, **words: Any) -> Any: ...

    def spread(self, f: Callable[[Any, Any], Any], a: Any, b: Any) -> Any: ...


@dataclass(frozen=True)
class Row:
    """The transpose of a 1-D array."""

    value: Tensor


def plain(x: Any) -> Any:
    """Return an array of a row, and anything else as it is."""
    return x.value if isinstance(x, Row) else x


def kind_of(x: Any) -> str:
    """Return what a value is: a number, a row, a column or a matrix."""
    if isinstance(x, Row):
        return "row"
    return {0: "number", 1: "column", 2: "matrix"}.get(len(getattr(x, "shape", ())), "array")


def along(of: Calls, name: str, f: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Call a function that acts along an axis: of a matrix down its columns, or as said, counted from 1."""
    x = as_tensor(plain(args[0]))
    places = list(inspect.signature(f).parameters)
    words = dict(zip(places[1:], map(plain, args[1:]), strict=False))
    axis = words.pop("dim", None)
    if axis == "all":
        return of.called(f, x, **words)
    axis = _axis(name, args[0], axis)
    value = of.called(f, x, **words, dim=axis)
    value = value[0] if isinstance(value, tuple) else value
    kept = getattr(value, "shape", ())
    is_row = (len(x.shape) == 2 and len(kept) == 1 and axis == 0) or (isinstance(args[0], Row) and len(kept) == 1)
    return Row(value) if is_row else value


def _axis(name: str, x: Any, axis: Any) -> int:
    """Return an axis counted from 0, of one counted from 1 or of none."""
    axes = len(as_tensor(plain(x)).shape)
    if axes == 1 and axis is not None and axis != (2 if isinstance(x, Row) else 1):
        raise ArgumentError(f"{name}: along axis {axis} a {kind_of(x)} has a single entry; leave the axis out")
    if axes == 1 or axis is None:
        return 0
    if axis not in (1, 2):
        raise ArgumentError(f"{name}: got the axis {axis}. Expected 1 for columns, 2 for rows, or 'all'")
    return int(axis) - 1


def acts_along(f: Callable[..., Any], args: Sequence[Any]) -> bool:
    """Whether a function acts along an axis of its first argument, which is an array."""
    return bool(args) and kind_of(args[0]) != "number" and f in _along_an_axis()


@cache
def _along_an_axis() -> frozenset[Callable[..., Any]]:
    """The functions with a parameter ``dim``, but those that take several arrays or axes."""
    several = {"cross", "gather", "scatter", "vecdot", "matrix_norm", "norm", "unsqueeze", "squeeze"}
    candidates = {
        name: f for name, f in function_table().items() if "." not in name and name not in several and callable(f)
    }
    return frozenset(f for f in candidates.values() if _is_along(f))


def _is_along(f: Callable[..., Any]) -> bool:
    try:
        places = inspect.signature(f).parameters
    except (TypeError, ValueError):  # of C, without a signature
        return False
    return "dim" in places and not isinstance(places["dim"].default, tuple) and next(iter(places)) in ("x", "input")


def _over(name: str) -> Callable[..., Any]:
    """Return a reduction: of a vector a number, of a matrix a row of its columns, or along an axis counted from 1."""
    f = getattr(functions, name)
    return lambda of, x, *how: of.called(f, x) if kind_of(x) == "number" else along(of, name, f, (x, *how))


def _spread_out(name: str) -> Callable[..., Any]:
    """Return std or var of (x, w, axis), where w = 0 divides by n - 1 and w = 1 by n."""
    f = getattr(functions, name)

    def reduced(of: Calls, x: Any, w: Any = 0, axis: Any = None) -> Any:
        if w not in (0, 1):
            raise ArgumentError(f"{name}: got the weight {w}. Expected 0, for n - 1, or 1, for n")
        return along(of, name, lambda x, dim: f(x, dim, correction=1 - w), (x, *([] if axis is None else [axis])))

    return reduced


def _norm(of: Calls, x: Any, order: Any = 2) -> Any:
    t = as_tensor(plain(x))
    if order == "fro":
        return of.called(functions.norm, t)
    if len(t.shape) == 2:
        return of.called(linalg.matrix_norm, t, order)
    return of.called(functions.norm, t, order)


def _size(of: Calls, x: Any, axis: Any = None) -> Any:
    shape = as_tensor(plain(x)).shape
    shape = (1, *shape) if isinstance(x, Row) else (*shape, 1)[: max(2, len(shape))] if shape else (1, 1)
    if axis not in (1, 2):
        raise ArgumentError("size: write size(x, 1) for the rows, size(x, 2) for the columns")
    return shape[axis - 1]


def _numel(of: Calls, x: Any) -> Any:
    return prod(as_tensor(plain(x)).shape)


def _length(of: Calls, x: Any) -> Any:
    t = as_tensor(plain(x))
    if len(t.shape) > 1:
        raise ArgumentError("length: of a matrix write size(A, 1) or size(A, 2)")
    return _numel(of, x)


def _filled(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return ones or zeros: of n and 1 a column, of 1 and n a row."""

    def filled(of: Calls, *sizes: Any) -> Any:
        rows, columns = (*sizes, *sizes)[:2]
        if columns == 1:
            return of.called(make, rows)
        return Row(of.called(make, columns)) if rows == 1 else of.called(make, rows, columns)

    return filled


def _spread_by(name: str) -> Callable[..., Any]:
    """Return max or min: of one argument a reduction, of two entry by entry."""
    reduce, each = _over(f"a{name}"), getattr(functions, f"{name}imum")
    return lambda of, x, *more: of.spread(each, x, more[0]) if len(more) == 1 else reduce(of, x)


def _of_observations(name: str) -> Callable[..., Any]:
    """Return cov or corrcoef of a matrix whose rows are observations."""
    f = getattr(functions, name)
    return lambda of, x: of.called(f, plain(x).mT if kind_of(x) == "matrix" else plain(x))


def _reshaped(of: Calls, x: Any, *sizes: Any) -> Any:
    """Column by column, as MATLAB's arrays lie."""
    if len(sizes) != 2 or not all(isinstance(n, int) for n in sizes):
        raise ArgumentError("reshape: write the numbers of rows and columns, as in reshape(x, 2, 3)")
    t = as_tensor(plain(x))
    rows, columns = sizes
    t = of.called(functions.reshape, t.mT if len(t.shape) == 2 else t, (columns, rows))
    if columns == 1:
        return t[0]
    return Row(t[:, 0]) if rows == 1 else t.mT


def _flipped(of: Calls, x: Any, axis: Any = None) -> Any:
    t = as_tensor(plain(x))
    return _like(x, of.called(functions.flip, t, _axis("flip", x, axis)))


def _trapezia(of: Calls, x: Any, *y: Any) -> Any:
    """``trapz(y)``, and ``trapz(x, y)``: the places first."""
    if not y:
        return along(of, "trapz", functions.trapezoid, (x,))
    if kind_of(y[0]) == "matrix" or len(y) > 1:
        raise ArgumentError("trapz: write trapz(x, y) of two vectors")
    return of.called(functions.trapezoid, plain(y[0]), plain(x))


def _transposed(of: Calls, x: Any) -> Any:
    kind = kind_of(x)
    return x.value if isinstance(x, Row) else Row(x) if kind == "column" else x if kind == "number" else x.mT


OWN: dict[str, Callable[..., Any]] = {
    "sum": _over("sum"), "mean": _over("mean"), "prod": _over("prod"), "max": _spread_by("max"),
    "min": _spread_by("min"), "norm": _norm, "size": _size, "numel": _numel, "length": _length,
    "ones": _filled(ones), "zeros": _filled(zeros), "transpose": _transposed,
    "dot": lambda of, x, y: of.called(functions.dot, plain(x), plain(y)),
    "std": _spread_out("std"), "var": _spread_out("var"), "cov": _of_observations("cov"),
    "corrcoef": _of_observations("corrcoef"), "reshape": _reshaped, "flip": _flipped, "trapz": _trapezia,
    "svd": lambda of, A: of.called(linalg.svdvals, A),
    "chol": lambda of, A: of.called(linalg.cholesky, A).mT,
    "repmat": lambda of, *_: _unknown("repmat"), "bsxfun": lambda of, *_: _unknown("bsxfun"),
}  # fmt: skip


def functions_in(tree: Formula) -> set[str]:
    """Return the words of a tree that are not names of arrays: functions that are called, and the end of an axis."""
    heads = {n.func.id for n in walk(tree) if isinstance(n, Call) and isinstance(n.func, Name)}
    return {name for name in heads if name in OWN or RENAMED.get(name, name) in function_table()} | {"end"}


def _like(x: Any, value: Any) -> Any:
    return Row(value) if isinstance(x, Row) else value


def _unknown(name: str) -> Any:
    raise ArgumentError(f"{name}: rows, columns and matrices spread by themselves; leave it out")
