"""Compositions with a kernel of their own, because the textbook expression overflows or cancels.

log(1 + exp(x)) is nan at 1000, σ'(x) = σ(1 - σ) is 0 at 40: each has the stable form declared here.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.scalars import numerics
from symgrad.scalars.declare import declare

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
