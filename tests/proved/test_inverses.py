"""What narrows an argument by a result keeps all arguments that lead to it."""

import numpy as np
import pytest
import sympy as sp

from symgrad.proved.expressions import Evaluator
from symgrad.proved.interval import Interval, Undefined, flint
from symgrad.proved.inverses import Empty, inverse
from symgrad.scalars import X

pytest.importorskip("flint")

A, B = X[:2]
FUNCTIONS = [
    sp.exp(A), sp.log(A), sp.sin(A), sp.cos(A), sp.tanh(A), sp.atan(A), sp.asin(A), sp.acos(A), sp.sinh(A), sp.asinh(A),
    sp.atanh(A), sp.erf(A), sp.erfinv(A), sp.sqrt(A), sp.Abs(A), -A, 1 / A, A**2, A**3, A**4, A**5, A + B, A - B, A * B,
    A / B,
]  # fmt: skip


def random_interval(rng):
    """The ends of an interval, and a number of it, which may be an end."""
    low = rng.choice([0.0, 0.05, -1.0, rng.uniform(-0.95, 0.9), rng.uniform(-7, 7)])
    high = low + rng.choice([1e-6, 0.04, 0.3, 3.0])
    return low, high, rng.choice([low, high, rng.uniform(low, high)])


@pytest.mark.parametrize("meaning", FUNCTIONS, ids=str)
def test_what_leads_to_a_value_is_kept(meaning):
    rng, narrower = np.random.default_rng(0), 0
    count = len(meaning.free_symbols)
    for _ in range(60):
        sides = [random_interval(rng) for _ in range(count)]
        with flint().ctx.workprec(128):
            boxes = [number(low, high) for low, high, _ in sides]
            try:
                result = Evaluator({x: number(at, at) for x, (*_, at) in zip(X, sides, strict=False)})(meaning)
                parts = inverse(meaning)(result, *boxes)
            except Undefined:
                continue
            for part, (low, high, at) in zip(parts, sides, strict=True):
                assert part.lower <= at <= part.upper
                narrower += bool(part.lower > low or part.upper < high)
    assert narrower > 8


def number(low, high):
    return Interval(flint().arb(low), flint().arb(high))


def test_a_value_that_no_argument_has_is_empty():
    for meaning, z, x in [
        (A**2, (-2, -1), (-3, 3)), (sp.Abs(A), (4, 5), (-3, 3)), (sp.cos(A), (0.9, 1), (1, 5)), (1 / A, (4, 5), (1, 2)),
    ]:  # fmt: skip
        with pytest.raises(Empty):
            inverse(meaning)(number(*z), number(*x))
