"""An operation's result entry by entry: formulas of its arguments' entries, for numbers that are not floats."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from symgrad.ops.protocol import Op

# The modules of operations whose ``forward`` only moves, adds and multiplies entries.
_EXACT = {
    f"symgrad.{name}"
    for name in (
        "ops.contract", "ops.convert", "ops.scatter", "ops.shape", "ops.shapes.join", "ops.slicing", "ops.reduction",
        "ops.reductions.reduce", "ops.reductions.scan", "ops.linalg.matrices", "compiler.passes.assemble",
    )
}  # fmt: skip


def only_moves(op: Op) -> bool:
    """Return whether an operation's ``forward`` only moves, adds and multiplies entries, so that bounds hold in it."""
    return type(op).__module__ in _EXACT and type(op).on_symbols is Op.on_symbols


def is_approximation(op: Op) -> bool:
    """Return whether an operation computes by a method whose error has no bound, as integrals and solutions do."""
    return not type(op).__module__.startswith("symgrad.ops.") and type(op).__module__ not in _EXACT


@lru_cache(maxsize=64)
def formulas_of_entries(op: Op, shapes: tuple[Any, ...], exact: tuple[Any, ...]) -> tuple[list[Any], Any]:
    """Return the symbols of the entries of the inexact arguments, and the entries of the result in them.

    ``exact`` has the shape and the entries of an argument of integers or booleans, and None for another one.
    """
    symbols: list[Any] = []
    arrays = []
    for shape, known in zip(shapes, exact, strict=True):
        x = np.empty(shape, dtype=object)
        for k, at in enumerate(np.ndindex(shape)):
            x[at] = sp.Dummy(f"v{k}", real=True) if known is None else sp.sympify(known[1][k])
        symbols += x.ravel().tolist() if known is None else []
        arrays.append(x)
    return symbols, np.asarray(op.on_symbols(*arrays), dtype=object)


def is_inexact(x: Any) -> bool:
    """Return whether an array holds numbers that are not floats: with error bounds, or intervals."""
    return np.asarray(x).dtype == object


def name_of(op: Op) -> str:
    """Name an operation as its backward function is called, with its class."""
    return op.label if type(op).__name__ in ("Map", op.label) else f"{op.label} ({type(op).__name__})"
