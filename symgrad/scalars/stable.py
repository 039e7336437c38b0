"""Compositions with a kernel of their own, because the textbook expression overflows or cancels.

log(1 + exp(x)) is nan at 1000, σ'(x) = σ(1 - σ) is 0 at 40: each has the stable form declared here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars import cancelling, complexes, numerics, slopes
from symgrad.scalars.declare import declare
from symgrad.scalars.elementary import LN2, tanh
from symgrad.scalars.written import part

_LARGEST: Any = sp.Float("1.79769313486231e+308")  # rounded down: to 15 digits the largest is printed as ∞

# Code asks for |x| < ∞, which every dtype has; SymPy takes that for true of real numbers
finite: Any = part(
    "finite", lambda x: sp.Piecewise((x, sp.Abs(x) <= _LARGEST), (0, True)),
    lambda x, y: sp.Piecewise((1, sp.Abs(x) <= _LARGEST), (0, True)), lambda m, x: m.where(m.abs(x) < math.inf, x, 0.0),
)  # fmt: skip
capped: Any = part(
    "capped", lambda x: sp.Piecewise((700, (x > 700) & (x <= _LARGEST)), (x, True)),
    lambda x, y: sp.Piecewise((0, (x > 700) & (x <= _LARGEST)), (1, True)),
    lambda m, x: m.where((x > 700.0) & (x < math.inf), 700.0, x),
)  # fmt: skip
# σ(-x) - σ(x), which cancels near 0
sigmoid_slope: Any = part(
    "sigmoid_slope", lambda x: sigmoid(x) * sigmoid(-x), lambda x, y: -y * sp.tanh(x / 2), slopes.sigmoid_slope
)
sigmoid: Any = declare(
    "sigmoid", lambda x: 1 / (1 + sp.exp(-x)), lambda x, y: sigmoid_slope(x), "σ(x) = 1/(1 + e⁻ˣ).", "σ(x) σ(-x)",
    numpy=numerics.sigmoid, float=numerics.sigmoid_float, latex=r"\sigma", text="σ", analytic=complexes.complex_sigmoid,
)  # fmt: skip
softplus = declare(
    "softplus", lambda x: sp.log(1 + sp.exp(x)), lambda x, y: sigmoid(x), "log(1 + eˣ), without overflow.", "σ(x)",
    numpy=numerics.softplus, float=numerics.softplus_float,
)  # fmt: skip
logsigmoid: Any = declare(
    "logsigmoid", lambda x: -sp.log(1 + sp.exp(-x)), lambda x, y: sigmoid(-x), "log σ(x), without overflow.", "σ(-x)",
    numpy=numerics.logsigmoid, float=numerics.logsigmoid_float, latex=r"\log\sigma",
)  # fmt: skip
share: Any = part(
    "share", lambda a, b: sigmoid(a - b), lambda a, b, y: (sigmoid_slope(a - b), -sigmoid_slope(a - b)), slopes.share
)
logaddexp = declare(
    "logaddexp", lambda a, b: sp.log(sp.exp(a) + sp.exp(b)), lambda a, b, y: (share(a, b), share(b, a)),
    "log(eˣ + e^other), without overflow.", numpy=np.logaddexp,
)  # fmt: skip
sigmoid2 = part("sigmoid2", lambda x: sigmoid(LN2 * x), lambda x, y: LN2 * sigmoid_slope(LN2 * x), slopes.sigmoid2)
share2 = part(
    "share2", lambda a, b: sigmoid(LN2 * (a - b)),
    lambda a, b, y: tuple(sign * LN2 * sigmoid_slope(LN2 * (a - b)) for sign in (1, -1)), slopes.share2,
)  # fmt: skip
logaddexp2 = declare(
    "logaddexp2", lambda a, b: sp.log(2**a + 2**b) / LN2, lambda a, b, y: (share2(a, b), share2(b, a)),
    "log₂(2ˣ + 2^other), without overflow.", numpy=np.logaddexp2,
)  # fmt: skip


# the quotient rule's 1/(1 + |x|) - |x|/(1 + |x|)² cancels for large x
softsign = declare(
    "softsign", lambda x: x / (1 + sp.Abs(x)), lambda x, y: 1 / (1 + sp.Abs(x)) ** 2, numpy=numerics.softsign,
    public="ops",
)  # fmt: skip
tanhshrink = declare(
    "tanhshrink", lambda x: x - sp.tanh(x), lambda x, y: tanh(x) ** 2, numpy=cancelling.tanhshrink, public="ops"
)

bce_slope = part(
    "bce_slope", lambda z, t: sigmoid(z) - t, lambda z, t, y: (sigmoid_slope(z), -sp.S.One), slopes.bce_slope
)
bce_logits = declare(
    "bce_logits", lambda z, t: softplus(z) - t * z, lambda z, t, y: (bce_slope(z, t), -z), numpy=numerics.bce_logits,
    float=lambda z, t: (1 - t) * z - numerics.logsigmoid_float(z), hidden=True,
)  # fmt: skip
