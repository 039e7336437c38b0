"""The gamma family on flat float64 arrays; ``numerics`` lifts each to any shape and float dtype.

The coefficients are symgrad's own: interpolants at Chebyshev nodes, solved with mpmath at 60 digits, whose
error after rounding is below 1e-16. All fits of Γ are in t = x - 1 on [0, 3] and in 1/x² on [4, ∞).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

F64: TypeAlias = "NDArray[np.float64]"
MAX_ORDER = 100  # of polygamma: n! and its Bernoulli terms stay far from overflow

# log Γ(1+t) = t (t - 1) (_LG_SHIFT + P(t)/Q(t)): its zeros are exact, and most of the rest a constant
_LG_SHIFT = 0.4375
_LG_P = (
    0.13971566490153287, 0.27847463434371045, 0.03782313443172575, -0.2922711967311104, -0.28599947796389136,
    -0.1161336381384093, -0.022959507244985914, -0.0021464470663623003, -8.178089541822021e-05,
    -8.577993029156307e-07,
)  # fmt: skip
_LG_Q = (
    1.0, 3.748513119379957, 5.738202953731988, 4.6346276830093025, 2.1337997969050173, 0.5661283333714182,
    0.08367193812940361, 0.006335723831552411, 0.00020761819740754223, 1.979616037398412e-06,
)  # fmt: skip

# log Γ(x) = (x - 1/2)(log x - 1) + (log 2π - 1)/2 + S(1/x²)/x
_HALF_LOG_2PI_OVER_E = 0.4189385332046727
_LG_S = (
    0.08333333333333331, -0.0027777777777176055, 0.0007936507676291937, -0.0005952337085914222,
    0.0008413741438815142, -0.0018988790775843355, 0.005842830219816524, -0.018529842349409912,
    0.03686739114470535,
)  # fmt: skip

# ψ(1+t) = (t - root)(_DG_SHIFT + P(t)/Q(t)), the root in two parts, so that t - root keeps its digits nearby
_DG_ROOT, _DG_ROOT_REST = 0.46163214496836236, -1.5522348162858677e-17
_DG_SHIFT = 0.84375
_DG_P = (
    0.4066301375034054, 0.11757164661926338, -0.424904732517413, -0.35764832853527273, -0.11441395074431564,
    -0.017373325544591367, -0.0012515969489478446, -3.757429048001879e-05, -3.221512564919818e-07,
)  # fmt: skip
_DG_Q = (
    1.0, 2.3910303677697975, 2.13025227505565, 0.9306500781833718, 0.21686606427381228, 0.027105081389092216,
    0.0017139346932061438, 4.713007993540955e-05, 3.8347125324643785e-07,
)  # fmt: skip

# ψ(x) = log x - 1/(2x) - S(1/x²)/x²
_DG_S = (
    0.0833333333333333, -0.00833333333322018, 0.003968253907681641, -0.00416665393289541,
    0.007574376314502456, -0.021004729764303443, 0.07978585893797804, -0.3487583555569305,
    1.317667749896685, -2.7632461441771197,
)  # fmt: skip

_BERNOULLI = (  # B₂ⱼ/(2j)! for j = 1, …, 12
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
    2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
    8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19,
)  # fmt: skip


def horner(x: F64, coefficients: Sequence[float], count: int | None = None) -> F64:
    """Σₖ cₖ xᵏ, of the first ``count`` coefficients, two at least."""
    if count is not None:
        coefficients = coefficients[:count]
    if not isinstance(x, np.ndarray):  # it is recorded
        return x.horner(coefficients)
    total = x * coefficients[-1]
    for c in coefficients[-2:0:-1]:
        total += c
        total *= x
    total += coefficients[0]
    return total


def select(mask: NDArray[np.bool_], yes: Callable[..., F64], no: Callable[..., F64], *xs: F64) -> F64:
    """Return yes(*xs) where the mask holds and no(*xs) elsewhere, each evaluated on its own elements only."""
    if not isinstance(mask, np.ndarray):  # it is recorded
        return np.where(mask, yes(*xs), no(*xs))
    where = np.flatnonzero(mask)
    if len(where) == len(mask):
        return yes(*xs)
    if len(where) == 0:
        return no(*xs)
    elsewhere = np.flatnonzero(~mask)
    out = np.empty_like(xs[0])
    out[where] = yes(*[x.take(where) for x in xs])
    out[elsewhere] = no(*[x.take(elsewhere) for x in xs])
    return out


def replaced(mask: NDArray[np.bool_], yes: Callable[..., F64], y: F64, x: F64, *numbers: float) -> F64:
    """Put yes(y, x, *numbers) into y where the mask holds, evaluated there only, and return y."""
    if not isinstance(mask, np.ndarray):  # it is recorded
        return np.where(mask, yes(y, x, *numbers), y)
    where = np.flatnonzero(mask)
    y[where] = yes(y[where], x[where], *numbers)
    return y


def lgamma(x: F64) -> F64:
    """Log-gamma, log |Γ(x)|, infinite at the poles 0, -1, -2, …

    Relative accuracy for x > -2, the zeros at 1 and 2 included; below -2 absolute, near the zeros there.
    """
    a = np.abs(x)
    y = select(a < 4, _lgamma_near, _lgamma_far, a)
    reflected = x < -1e-17  # nearer to 0, log |Γ(x)| = -log |x| on both sides
    if reflected.any():
        # Γ(x) Γ(-x) = -π / (x sin πx)
        y = np.where(reflected, np.log(math.pi / (a * np.abs(np.sin(math.pi * (x - np.rint(x)))))) - y, y)
    return np.where((x <= 0) & (np.floor(x) == x), np.inf, y)


def _lgamma_near(x: F64) -> F64:
    below = x < 1  # log Γ(x) = log Γ(1+x) - log x, without rounding 1+x
    y = _lgamma_1p(np.where(below, x, x - 1))
    return y + np.where(below, -np.log(x), 0.0)


def _lgamma_1p(t: F64) -> F64:
    return t * (t - 1) * (_LG_SHIFT + horner(t, _LG_P) / horner(t, _LG_Q))


def _lgamma_far(x: F64) -> F64:
    r = 1 / x
    log_x: F64 = np.log(x)
    return (x - 0.5) * (log_x - 1) + (_HALF_LOG_2PI_OVER_E + r * horner(r * r, _LG_S))


def digamma(x: F64) -> F64:
    """ψ(x) = Γ'(x)/Γ(x), as in PyTorch -inf at 0, +inf at -0 and nan at -1, -2, …

    Relative accuracy for x > 0, the zero near 1.46 included; absolute near the zeros for x < 0.
    """
    t = np.where(x < 1, np.abs(x), x - 1)
    y = select(t < 3, _digamma_1p, lambda t: _digamma_far(1 + t), t)
    y = np.where((x >= 0) & (x < 1), y - 1 / x, y)  # ψ(x) = ψ(1+x) - 1/x
    if (x < 0).any():
        # ψ(x) = ψ(1-x) - π cot πx
        y = np.where(x < 0, y - math.pi * _cot_pi(x), y)
    return y


def _digamma_1p(t: F64) -> F64:
    return ((t - _DG_ROOT) - _DG_ROOT_REST) * (_DG_SHIFT + horner(t, _DG_P) / horner(t, _DG_Q))


def _digamma_far(x: F64) -> F64:
    r = 1 / x
    return np.log(x) - r * (0.5 + r * horner(r * r, _DG_S))


def polygamma(n: int, x: F64) -> F64:
    """ψₙ(x) = dⁿψ/dxⁿ for n in 0, …, MAX_ORDER; for n >= 1 the poles 0, -1, -2, … give (-1)ⁿ⁺¹ ∞.

    Source: Abramowitz & Stegun 1964, 6.4.6 (recurrence), 6.4.7 (reflection), 6.4.10 (the sum), 6.4.11 (asymptotic).
    """
    if n == 0:
        return digamma(x)
    y = select(x < 0, lambda x: _below(n, x), lambda x: _hurwitz(n, x), x)
    y = np.where((x <= 0) & (np.floor(x) == x) & (x > -np.inf), np.inf, y)
    return y if n % 2 == 1 else -y


def _below(n: int, x: F64) -> F64:
    """Σₖ n!/(x+k)ⁿ⁺¹, x < 0."""
    if n % 2 == 1:
        return _in_two(n, x)
    return select(np.abs(x - np.rint(x)) < 0.4, lambda x: _in_two(n, x), lambda x: _reflected(n, x), x)


def _in_two(n: int, x: F64) -> F64:
    """The sum over the terms above 0, and (-1)ⁿ⁺¹ times the difference of two such sums for those below."""
    near = np.ceil(x) - x  # how far below 0 the last of them is, exactly
    below = _hurwitz(n, near) - _hurwitz(n, 1 - x)
    return _hurwitz(n, 1 - near) + (below if n % 2 == 1 else -below)


def _reflected(n: int, x: F64) -> F64:
    """For n even the sum at 1 - x, and πⁿ⁺¹ P(cot πx): two sums would cancel where the cotangent is 0."""
    return _hurwitz(n, 1 - x) + math.pi ** (n + 1) * _cot_derivative(n, _cot_pi(x))


def _hurwitz(n: int, x: F64) -> F64:
    """Σₖ n!/(x+k)ⁿ⁺¹ over k >= 0, for x >= 0 and n >= 1: terms up to x + k = n + 8, then Euler–Maclaurin."""
    steps = np.maximum(np.ceil(n + 8 - x), 0.0)
    far = x + steps
    r = 1 / far
    # Σ = (n-1)!/xⁿ (1 + n/(2x) + Σⱼ B₂ⱼ/(2j)! n(n+1)…(n+2j-1)/x²ʲ)
    rising = [0.0] * 13
    rising[0] = product = 1.0
    for j in range(1, 13):
        product = product * ((n + 2 * j - 2) * (n + 2 * j - 1))
        rising[j] = _BERNOULLI[j - 1] * product
    tail = far ** -float(n) * (horner(r * r, rising) + 0.5 * n * r)
    total = tail / n
    for k in range(n + 7, -1, -1):  # the largest term last, so that the sum has its rounding and few others
        total = replaced(steps > k, _with_term, total, x, n, k)
    factorial = 1.0
    for k in range(2, n + 1):
        factorial = factorial * k
    return factorial * total


def _with_term(total: F64, x: F64, n: int, k: int) -> F64:
    return total + (x + k) ** -(n + 1.0)


def _cot_derivative(n: int, c: F64) -> F64:
    """P(c), where dⁿ/dxⁿ cot x = P(cot x), from P' = -(1 + c²) dP/dc; p has every other coefficient of P."""
    p = [0.0] * 54
    p[0] = 1.0
    for step in range(1, n + 1):
        if step % 2 == 1:  # of c, c³, … to those of 1, c², …
            for k in range(step // 2 + 1, 0, -1):
                p[k] = -(2 * k + 1) * p[k] - (2 * k - 1) * p[k - 1]
            p[0] = -p[0]
        else:
            for k in range(step // 2 + 1):
                p[k] = -(2 * k + 2) * p[k + 1] - 2 * k * p[k]
    return horner(c * c, p, n // 2 + 2) * (c if n % 2 == 0 else 1.0)


def _cot_pi(x: F64) -> F64:
    """Cot πx, relatively accurate near its zeros too; nan at the integers."""
    r = x - np.rint(x)  # exact
    a = np.abs(r)
    small = np.tan(math.pi * np.minimum(a, 0.5 - a))
    return np.where(a == 0, np.nan, np.copysign(np.where(a < 0.25, 1 / small, small), r))
