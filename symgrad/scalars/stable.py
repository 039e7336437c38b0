"""Compositions with a kernel of their own, because the textbook expression overflows or cancels.

log(1 + exp(x)) is nan at 1000, σ'(x) = σ(1 - σ) is 0 at 40: each has the stable form declared here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars import bessel, numerics
from symgrad.scalars.declare import declare
from symgrad.scalars.elementary import tanh

sigmoid: Any = declare(
    "sigmoid",
    lambda x: 1 / (1 + sp.exp(-x)),
    lambda x, y: y * sigmoid(-x),
    numpy=numerics.sigmoid,
    float=numerics.sigmoid_float,
    latex=r"\sigma",
    text="σ",
)
softplus = declare(
    "softplus",
    lambda x: sp.log(1 + sp.exp(x)),
    lambda x, y: sigmoid(x),
    numpy=numerics.softplus,
    float=numerics.softplus_float,
)
logsigmoid: Any = declare(
    "logsigmoid",
    lambda x: -sp.log(1 + sp.exp(-x)),
    lambda x, y: sigmoid(-x),
    numpy=numerics.logsigmoid,
    float=numerics.logsigmoid_float,
    latex=r"\log\sigma",
)
logaddexp = declare(
    "logaddexp",
    lambda a, b: sp.log(sp.exp(a) + sp.exp(b)),
    lambda a, b, y: (sigmoid(a - b), sigmoid(b - a)),
    numpy=np.logaddexp,
    nargs=2,
)
_LN2 = sp.log(2)
logaddexp2 = declare(
    "logaddexp2",
    lambda a, b: sp.log(2**a + 2**b) / _LN2,
    lambda a, b, y: (sigmoid(_LN2 * (a - b)), sigmoid(_LN2 * (b - a))),
    numpy=np.logaddexp2,
    nargs=2,
)
hypot = declare(
    "hypot",
    lambda a, b: sp.sqrt(a**2 + b**2),
    lambda a, b, y: tuple(sp.Piecewise((0, sp.Eq(y, 0)), (x / y, True)) for x in (a, b)),  # flat at the origin
    numpy=np.hypot,
    float=math.hypot,
    nargs=2,
)


def _softsign_kernel(x: Any) -> Any:
    return x / (1 + np.abs(x))


# the quotient rule's 1/(1 + |x|) - |x|/(1 + |x|)² cancels for large x
softsign = declare(
    "softsign",
    lambda x: x / (1 + sp.Abs(x)),
    lambda x, y: 1 / (1 + sp.Abs(x)) ** 2,
    numpy=_softsign_kernel,
)
tanhshrink = declare(
    "tanhshrink",
    lambda x: x - sp.tanh(x),
    lambda x, y: tanh(x) ** 2,
    numpy=bessel.tanhshrink,
)


def _bce_kernel(z: numerics.Real, t: numerics.Real) -> numerics.Real:
    return (1 - t) * z - numerics.logsigmoid(z)  # softplus(z) - t z cancels where t = 1 and z is large


bce_logits = declare(
    "bce_logits",
    lambda z, t: softplus(z) - t * z,
    lambda z, t, y: (sigmoid(z) - t, -z),
    numpy=_bce_kernel,
    nargs=2,
    float=lambda z, t: (1 - t) * z - numerics.logsigmoid_float(z),
    hidden=True,
)
