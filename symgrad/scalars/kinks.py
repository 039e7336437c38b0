"""Functions with a kink or a jump, and remainders; what their derivative is there follows torch.

abs'(0) = 0, relu'(0) = 0, clamp's edges count as inside, maximum and minimum split ties evenly.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.declare import declare

_HALF = sp.Rational(1, 2)


def _zero(x: sp.Expr, y: sp.Expr) -> sp.Expr:
    return sp.S.Zero


def _relu_kernel(x: Any) -> Any:
    return np.maximum(x, 0)


def _sign_kernel(x: Any) -> Any:
    return np.array(x) if np.result_type(x) == np.bool_ else np.sign(x)  # which does not take booleans


sign = declare(
    "sign", sp.sign, _zero, "The sign of x: -1, 0 or 1.", "0", numpy=_sign_kernel, latex=r"\operatorname{sign}"
)
abs_ = declare("abs", sp.Abs, lambda x, y: sp.sign(x), "|x|.", "sign x, 0 at 0", numpy=np.abs, float=abs)
floor = declare("floor", sp.floor, _zero, "The largest integer ≤ x.", "0", numpy=np.floor)
ceil = declare("ceil", sp.ceiling, _zero, "The smallest integer ≥ x.", "0", numpy=np.ceil)

trunc = declare(
    "trunc", lambda x: sp.sign(x) * sp.floor(sp.Abs(x)), _zero,
    "The integer part of x: x rounded towards 0.", "0", numpy=np.trunc,
)  # fmt: skip


def _round_meaning(x: sp.Expr) -> sp.Expr:
    halfway = sp.Eq(sp.Mod(x, 1), _HALF)  # goes to the even neighbour
    return sp.Piecewise((2 * sp.floor(x / 2 + _HALF**2), halfway), (sp.floor(x + _HALF), True))


round_ = declare("round", _round_meaning, _zero, numpy=np.round, public="ops")
# The kernels are exact where a rounded quotient is not: 1 // 0.1 is 9, as 1 - 9·0.1 > 0.
floor_divide = declare(
    "floor_divide", lambda a, b: sp.floor(a / b), lambda a, b, y: (sp.S.Zero, sp.S.Zero), numpy=np.floor_divide,
    float=operator.floordiv, hidden=True,
)  # fmt: skip
# a mod b = a - b ⌊a/b⌋, with the sign of b;  fmod: a - b trunc(a/b), with the sign of a
remainder = declare(
    "remainder", sp.Mod, lambda a, b, y: (sp.S.One, -floor_divide(a, b)), numpy=np.remainder, float=operator.mod
)
fmod = declare(
    "fmod", lambda a, b: a - b * trunc(a / b), lambda a, b, y: (sp.S.One, -trunc(a / b)), numpy=np.fmod, float=math.fmod
)

relu = declare(
    "relu", lambda x: sp.Max(x, 0), lambda x, y: sp.Piecewise((1, x > 0), (0, True)), "max(x, 0).",
    "1 for x > 0, else 0", numpy=_relu_kernel,
)  # fmt: skip


def _low_kernel(x: Any) -> Any:
    return np.minimum(x, 0)


# min(x, 0), whose slope at 0 is 1: relu(x) + low(x) = x there too
low = declare(
    "low", lambda x: sp.Min(x, 0), lambda x, y: sp.Piecewise((1, x <= 0), (0, True)), numpy=_low_kernel, hidden=True
)


def _pick(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    return sp.Piecewise((1, a > b), (_HALF, sp.Eq(a, b)), (0, True))


maximum = declare(
    "maximum", sp.Max, lambda a, b, y: (_pick(a, b), _pick(b, a)), numpy=np.maximum, latex=r"\max", text="max"
)
minimum = declare(
    "minimum", sp.Min, lambda a, b, y: (_pick(b, a), _pick(a, b)), numpy=np.minimum, latex=r"\min", text="min"
)


def _clamp_partials(x: sp.Expr, lo: sp.Expr, hi: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, ...]:
    inside, below, above = (x >= lo) & (x <= hi), (x < lo) & (lo < hi), (x > hi) | (hi < lo)
    return tuple(sp.Piecewise((1, where), (0, True)) for where in (inside, below, above))


def _clamp_kernel(x: Any, lo: Any, hi: Any) -> Any:
    return np.minimum(np.maximum(x, lo), hi)


clamp = declare(
    "clamp", lambda x, lo, hi: sp.Min(sp.Max(x, lo), hi), _clamp_partials, numpy=_clamp_kernel,
    latex=r"\operatorname{clamp}",
)  # fmt: skip
clamp_min = declare(
    "clamp_min", lambda x, lo: sp.Max(x, lo),
    lambda x, lo, y: (sp.Piecewise((1, x >= lo), (0, True)), sp.Piecewise((1, x < lo), (0, True))), numpy=np.maximum,
)  # fmt: skip
clamp_max = declare(
    "clamp_max", lambda x, hi: sp.Min(x, hi),
    lambda x, hi, y: (sp.Piecewise((1, x <= hi), (0, True)), sp.Piecewise((1, x > hi), (0, True))), numpy=np.minimum,
)  # fmt: skip

# what ignores nan; ties go to the first
fmax = declare(
    "fmax", lambda a, b: sp.Max(a, b),
    lambda a, b, y: (sp.Piecewise((1, sp.Eq(y, a)), (0, True)), sp.Piecewise((0, sp.Eq(y, a)), (1, True))),
    "The larger of x and other; nan only if both are nan.", numpy=np.fmax, note="If equal, x gets the gradient.",
)  # fmt: skip
fmin = declare(
    "fmin", lambda a, b: sp.Min(a, b),
    lambda a, b, y: (sp.Piecewise((1, sp.Eq(y, a)), (0, True)), sp.Piecewise((0, sp.Eq(y, a)), (1, True))),
    "The smaller of x and other; nan only if both are nan.", numpy=np.fmin, note="If equal, x gets the gradient.",
)  # fmt: skip
# formulas know one zero only
copysign: Any = declare(
    "copysign", lambda a, b: sp.Abs(a) * sp.Piecewise((1, b >= 0), (-1, True)),
    lambda a, b, y: (sp.Piecewise((0, sp.Eq(a, 0)), (sp.sign(a) * copysign(1, b), True)), sp.S.Zero),
    "|x| with the sign of other.", numpy=np.copysign, float=math.copysign, note="Derivative: ±1 in x, 0 at 0.",
)  # fmt: skip
heaviside = declare(
    "heaviside", lambda a, b: sp.Piecewise((0, a < 0), (b, sp.Eq(a, 0)), (1, True)),
    lambda a, b, y: (sp.S.Zero, sp.Piecewise((1, sp.Eq(a, 0)), (0, True))), numpy=np.heaviside, public="ops",
)  # fmt: skip
