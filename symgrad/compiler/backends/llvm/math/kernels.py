"""Kernels of arrays, recorded on one number: a function whose kernel is in ``scalars`` has no other here.

NumPy hands the functions that a kernel calls to ``Value``; both sides of a choice are computed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from symgrad.compiler.backends.llvm.math import builder
from symgrad.compiler.backends.llvm.math.builder import Value, magnitude, select
from symgrad.scalars import SCALARS, gamma


def answer(functions: dict[str, Callable[..., Value]]) -> None:
    """Let values answer NumPy's functions by these, which are found by the names under which they are declared."""
    builder.NUMPY |= {SCALARS[name].numpy: f for name, f in functions.items() if name in SCALARS}
    builder.NUMPY |= {
        np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv,
        np.where: select, np.sqrt: builder.sqrt, np.rint: partial(builder.rounding, "rint"),
        np.isnan: Value.is_nan, np.isinf: lambda x: magnitude(x) == np.inf,
    }  # fmt: skip


def recorded(name: str, wide: bool = False) -> Callable[..., Value]:
    """Return a declared kernel as a function of values; of float32, where it is ``wide``, through float64."""
    kernel = SCALARS[name].numpy
    kernel = getattr(kernel, "own", kernel)  # not SciPy's
    return _function(getattr(kernel, "__wrapped__", kernel), wide)  # of flat arrays


def polygamma(n: int) -> Callable[..., Value]:
    """Return polygamma of an order, in float64 for float32 too."""
    function = _function(partial(gamma.polygamma, n), True)
    return lambda x: function(x)


def _function(kernel: Callable[..., Any], wide: bool) -> Callable[..., Value]:
    def function(*xs: Value) -> Value:
        narrow = wide and xs[0].kind.name == "f32"
        y: Value = kernel(*[x.widen() if narrow else x for x in xs])
        return y.narrow() if narrow else y

    return function
