"""The backend ``mpmath``: a program computed with as many bits as it takes for the requested digits.

The program runs on numbers that carry a bound on their error. Where a result is not certain, or a comparison is left
open, it runs again with twice the bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import mpmath
import numpy as np

from symgrad.compiler.backends.backend import Kernel, Unsuitable, as_result
from symgrad.compiler.backends.mpmath.matrices import numbers
from symgrad.compiler.backends.mpmath.number import Ball, Field, Undecided
from symgrad.compiler.backends.mpmath.operations import run
from symgrad.compiler.primitives.entries import name_of
from symgrad.core import trees
from symgrad.core.promotion import is_floating, is_symbolic
from symgrad.engine.program import Program, Value

_MOST = 1 << 15  # bits
PER_DIGIT = 3.3219280948873626
T = TypeVar("T")


class Unsettled(Unsuitable):
    """The most bits there are do not settle a result."""


def build(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Return the kernel that computes to the program's digits, or to the nearest floats."""
    digits = program.digits

    def kernel(given: Sequence[Any]) -> Sequence[Any]:
        if digits is None:
            return [rounded(y, v.dtype) for y, v in zip(to_floats(program, given), _outputs(program), strict=True)]
        return [shown(y, lambda b: public(b, digits)) for y in to_digits(program, given, digits)]

    count = len(program.steps())
    return Kernel(run=kernel, source=lambda: str(program), backend="mpmath", operations=count, kernels=count)


def _outputs(program: Program) -> list[Any]:
    return [program.values[k] for k in program.outputs]


# ------------------------------------------------------------------ one run
def evaluate(field: Field, program: Program, given: Sequence[Any]) -> list[Any]:
    """Return the results with these bits: object arrays of numbers, arrays of integers and booleans."""

    def step(v: Value, args: list[Any]) -> Any:
        return np.broadcast_to(run(field, v.op, args, v.dtype), v.shape)

    return program.walk([_loaded(field, x) for x in given], step, lambda constant: _loaded(field, constant))


def _loaded(field: Field, x: Any) -> Any:
    array = np.asarray(x)
    return numbers(field, array) if is_floating(array.dtype) or is_symbolic(array.dtype) else array


def with_enough_bits(
    start: int, compute: Callable[[Field], T], certain: Callable[[T], bool], make: Callable[[int], Field] = Field
) -> T:
    """Compute with more and more bits until the result is certain.

    Raises:
        Unsettled: the most bits there are do not do.
    """
    bits = start
    while bits <= _MOST:
        field = make(bits)
        try:
            result = compute(field)
            if certain(result):
                return result
        except Undecided:
            pass
        bits *= 2
    where = "" if field.lost is None else f" of {name_of(field.lost)}"
    raise Unsettled(
        f"backend {field.backend!r}: {_MOST} bits do not settle the result{where}. It depends on a number of which "
        "it is known only that it is small, as eigenvectors do on the difference of equal eigenvalues. Move the inputs."
    )


def _entries(results: Sequence[Any]) -> list[Ball]:
    return [b for y in results if y.dtype == object for b in y.flat]


# ------------------------------------------------------------------ to floats, to digits
def to_floats(program: Program, given: Sequence[Any]) -> list[Any]:
    """Return results of which it is certain to what floats they are rounded."""
    precisions = [_precision(v.dtype) for v in _outputs(program)]

    def certain(results: list[Any]) -> bool:
        return all(b.rounds(p) for y, p in zip(results, precisions, strict=True) for b in _entries([y]))

    try:
        return with_enough_bits(128, lambda field: evaluate(field, program, given), certain)
    except Unsettled:  # halfway between two floats, to all digits: then either will do
        return to_digits(program, given, 30)


def _precision(dtype: Any) -> int:
    return int(np.finfo(dtype).nmant) + 1 if is_floating(dtype) else 0


def rounded(y: Any, dtype: Any) -> Any:
    """Return a result in its dtype, each entry the nearest number of it."""
    if y.dtype != object:
        return as_result(np.array(y), dtype)
    out = np.empty(y.shape, dtype)
    for at in np.ndindex(y.shape):
        with np.errstate(over="ignore"):
            out[at] = y[at].nearest(_precision(dtype))
    return as_result(out, dtype)


def to_digits(program: Program, given: Sequence[Any], digits: int, make: Callable[[int], Field] = Field) -> list[Any]:
    """Return results with so many digits certain."""
    bits = int(digits * PER_DIGIT) + 2
    return with_enough_bits(
        bits + 64,
        lambda field: evaluate(field, program, given),
        lambda ys: all(b.settled(bits) for b in _entries(ys)),
        make,
    )


def shown(y: Any, public: Callable[[Ball], Any]) -> Any:
    """Return a result as numbers of mpmath's or of Arb's: one, or an object array of them."""
    if y.dtype != object:
        return y.copy() if y.ndim else y[()]
    out = np.empty(y.shape, dtype=object)
    for at in np.ndindex(y.shape):
        out[at] = public(y[at])
    return out if out.ndim else out[()]


def public(x: Ball, digits: int) -> Any:
    """Return a number of mpmath's, rounded to so many digits; 0 where it is as small as nothing."""
    if x.is_nothing:
        return mpmath.mpf(0)
    with mpmath.workdps(digits):
        return +mpmath.mp.make_mpf(x.mid)
