"""Kernels of arrays, recorded on one number: a function whose kernel is in ``scalars`` has no other here.

NumPy hands the functions that a kernel calls to ``Value``; both sides of a choice are computed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial

import numpy as np

from symgrad.compiler.backends.llvm.math import builder, exponential, hyperbolic, logarithms, simple
from symgrad.compiler.backends.llvm.math import trigonometric as circular
from symgrad.compiler.backends.llvm.math.builder import Value, rounding, select
from symgrad.scalars import SCALARS

builder.NUMPY |= {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv,
    np.where: select, np.copysign: builder.copysign, np.absolute: builder.magnitude, np.sqrt: builder.sqrt,
    **{getattr(np, name): partial(rounding, name) for name in ("rint", "floor", "ceil")},
    np.maximum: simple.maximum, np.minimum: simple.minimum,
    np.isnan: Value.is_nan, np.isinf: lambda x: builder.magnitude(x) == np.inf,
    np.exp: exponential.exp, np.exp2: exponential.exp2, np.expm1: exponential.expm1, np.log: logarithms.log,
    np.log1p: logarithms.log1p, np.sin: circular.sin, np.cos: circular.cos, np.tan: circular.tan,
    np.tanh: hyperbolic.tanh, np.cosh: hyperbolic.cosh, np.arctanh: hyperbolic.atanh,
    np.remainder: operator.mod,
}  # fmt: skip


def recorded(name: str, wide: bool = False) -> Callable[..., Value]:
    """Return a declared kernel as a function of values; of float32, where it is ``wide``, through float64."""
    kernel = SCALARS[name].numpy
    kernel = getattr(kernel, "own", kernel)  # not SciPy's
    kernel = getattr(kernel, "__wrapped__", kernel)  # of flat arrays

    def function(*xs: Value) -> Value:
        narrow = wide and xs[0].kind.name == "f32"
        y: Value = kernel(*[x.widen() if narrow else x for x in xs])
        return y.narrow() if narrow else y

    return function
