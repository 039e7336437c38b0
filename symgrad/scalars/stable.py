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
from symgrad.scalars.written import once

_LARGEST: Any = sp.Float("1.79769313486231e+308")  # rounded down: to 15 digits the largest is printed as ∞

# Code asks for |x| < ∞, which every dtype has; SymPy takes that for true of real numbers
finite: Any = declare(
    "finite",
    lambda x: sp.Piecewise((x, sp.Abs(x) <= _LARGEST), (0, True)),
    lambda x, y: sp.Piecewise((1, sp.Abs(x) <= _LARGEST), (0, True)),
    **once(lambda m, x: m.where(m.abs(x) < math.inf, x, 0.0)),
    hidden=True,
)
capped: Any = declare(
    "capped",
    lambda x: sp.Piecewise((700, (x > 700) & (x <= _LARGEST)), (x, True)),
    lambda x, y: sp.Piecewise((0, (x > 700) & (x <= _LARGEST)), (1, True)),
    **once(lambda m, x: m.where((x > 700.0) & (x < math.inf), 700.0, x)),
    hidden=True,
)
sigmoid_slope: Any = declare(
    "sigmoid_slope",
    lambda x: sigmoid(x) * sigmoid(-x),
    lambda x, y: -y * sp.tanh(x / 2),  # σ(-x) - σ(x), which cancels near 0
    **once(slopes.sigmoid_slope),
    hidden=True,
)
sigmoid: Any = declare(
    "sigmoid",
    lambda x: 1 / (1 + sp.exp(-x)),
    lambda x, y: sigmoid_slope(x),
    numpy=numerics.sigmoid,
    float=numerics.sigmoid_float,
    latex=r"\sigma",
    text="σ",
    public="functions",
    analytic=complexes.complex_sigmoid,
    words="σ(x) = 1/(1 + e⁻ˣ).",
    slope="σ(x) σ(-x)",
)
softplus = declare(
    "softplus",
    lambda x: sp.log(1 + sp.exp(x)),
    lambda x, y: sigmoid(x),
    numpy=numerics.softplus,
    float=numerics.softplus_float,
    public="functions",
    words="log(1 + eˣ), without overflow.",
    slope="σ(x)",
)
logsigmoid: Any = declare(
    "logsigmoid",
    lambda x: -sp.log(1 + sp.exp(-x)),
    lambda x, y: sigmoid(-x),
    numpy=numerics.logsigmoid,
    float=numerics.logsigmoid_float,
    latex=r"\log\sigma",
    public="functions",
    words="log σ(x), without overflow.",
    slope="σ(-x)",
)
share: Any = declare(
    "share",
    lambda a, b: sigmoid(a - b),
    lambda a, b, y: (sigmoid_slope(a - b), -sigmoid_slope(a - b)),
    **once(slopes.share),
    nargs=2,
    hidden=True,
)
logaddexp = declare(
    "logaddexp",
    lambda a, b: sp.log(sp.exp(a) + sp.exp(b)),
    lambda a, b, y: (share(a, b), share(b, a)),
    numpy=np.logaddexp,
    nargs=2,
    public="functions",
    words="log(eˣ + e^other), without overflow.",
)
sigmoid2 = declare(
    "sigmoid2",
    lambda x: sigmoid(LN2 * x),
    lambda x, y: LN2 * sigmoid_slope(LN2 * x),
    **once(slopes.sigmoid2),
    hidden=True,
)
share2 = declare(
    "share2",
    lambda a, b: sigmoid(LN2 * (a - b)),
    lambda a, b, y: tuple(sign * LN2 * sigmoid_slope(LN2 * (a - b)) for sign in (1, -1)),
    **once(slopes.share2),
    nargs=2,
    hidden=True,
)
logaddexp2 = declare(
    "logaddexp2",
    lambda a, b: sp.log(2**a + 2**b) / LN2,
    lambda a, b, y: (share2(a, b), share2(b, a)),
    numpy=np.logaddexp2,
    nargs=2,
    public="functions",
    words="log₂(2ˣ + 2^other), without overflow.",
)


# the quotient rule's 1/(1 + |x|) - |x|/(1 + |x|)² cancels for large x
softsign = declare(
    "softsign",
    lambda x: x / (1 + sp.Abs(x)),
    lambda x, y: 1 / (1 + sp.Abs(x)) ** 2,
    numpy=numerics.softsign,
    public="ops",
)
tanhshrink = declare(
    "tanhshrink", lambda x: x - sp.tanh(x), lambda x, y: tanh(x) ** 2, numpy=cancelling.tanhshrink, public="ops"
)

bce_slope = declare(
    "bce_slope",
    lambda z, t: sigmoid(z) - t,
    lambda z, t, y: (sigmoid_slope(z), -sp.S.One),
    **once(slopes.bce_slope),
    nargs=2,
    hidden=True,
)
bce_logits = declare(
    "bce_logits",
    lambda z, t: softplus(z) - t * z,
    lambda z, t, y: (bce_slope(z, t), -z),
    numpy=numerics.bce_logits,
    nargs=2,
    float=lambda z, t: (1 - t) * z - numerics.logsigmoid_float(z),
    hidden=True,
)
