"""Kernels of functions of sin and tanh that cancel near 0."""

from __future__ import annotations

import math

import numpy as np

from symgrad.scalars.gamma import F64, horner, select
from symgrad.scalars.numerics import elementwise

# Σ 2k/(2k+1)! x²ᵏ⁺¹ over k >= 1: x cosh x - sinh x; with alternating signs sin x - x cos x
_DIFFERENCE = tuple(2 * k / math.factorial(2 * k + 1) for k in range(1, 14))
_ALTERNATING = tuple((-1) ** k * c for k, c in enumerate(_DIFFERENCE))

# The zeros of sinc's slope up to 17, each in two parts, and the sine and cosine of π times it
_ROOT_HIGH, _ROOT_LOW, _ROOT_SIN, _ROOT_COS = np.array([
    (1.4302966531242027, 2.5173451966260676e-17, -0.9761196395802046, -0.21723362821122166),
    (2.459024032956761, 1.8290102056584814e-16, 0.9917257554420104, 0.12837455352589913),
    (3.47088972434702, -3.9889161264824234e-17, -0.9958211221546405, -0.09132520282305767),
    (4.477408583432515, 2.4252725266067408e-16, 0.9974824716599122, 0.07091345945046215),
    (5.481536650607196, 3.135382465176162e-16, -0.9983182208758581, -0.057971802346153886),
    (6.484387126386342, 3.976463193586804e-17, 0.9987973247706656, 0.049029624014074166),
    (7.486474247962769, -4.321835149961335e-17, -0.9990973336674637, -0.04247961697761265),
    (8.488068696093448, 6.85525033772e-16, 0.9992975834811292, 0.03747451999393118),
    (9.48932661808597, -7.839423677774487e-16, -0.9994378746684544, -0.033525135021398755),
    (10.49034444429462, -3.085789712069599e-16, 0.9995399648714159, 0.030329171186310285),
    (11.491184957771223, -4.536868778036171e-16, -0.9996165658516722, -0.02768973230114919),
    (12.491890798229646, -2.5120080415557297e-17, 0.9996755091359032, 0.025473053092880758),
    (13.492491943440427, 3.9319163621181833e-16, -0.9997218335900405, -0.02358506822901638),
    (14.493010085812484, 2.045274024808777e-16, 0.9997589006798123, 0.02195769822848243),
    (15.493461310566811, 8.758202963615776e-16, -0.9997890226181515, -0.02054045404175373),
    (16.493857797913467, -1.0060165370512878e-15, 0.9998138322386644, 0.019295099487587963),
]).T.copy()  # fmt: skip


def _sin_pi(x: F64) -> F64:
    """Sin πx, relatively accurate near its zeros too."""
    n = np.rint(x)
    return np.where(n % 2 == 0, 1.0, -1.0) * np.sin(math.pi * (x - n))


@elementwise
def sinc(x: F64) -> F64:
    """Return sin(πx)/(πx), 1 at 0."""
    y = _sin_pi(x) / (math.pi * np.where(x == 0, 1.0, x))
    return np.where(np.abs(x) < 1e-9, 1.0 + 0 * x, np.where(np.isinf(x), 0.0, y))


@elementwise
def sinc_slope(x: F64) -> F64:
    """Return the derivative of sinc, (cos πx - sinc x)/x, 0 at 0."""
    return select(np.abs(x) < 0.75, _sinc_slope_near, _sinc_slope_far, x)


def _sinc_slope_near(x: F64) -> F64:
    z = math.pi * x  # -π (sin z - z cos z)/z²
    return -math.pi * z * horner(z * z, _ALTERNATING)


def _sinc_slope_far(x: F64) -> F64:
    a = np.abs(x)
    beside = (np.abs(a - np.floor(a) - 0.5) < 0.25) & (a > 1.25) & (a < 17)
    return select(beside, _sinc_slope_rooted, _sinc_slope_away, x)


def _sinc_slope_away(x: F64) -> F64:
    n = np.rint(x)
    cos = np.where(n % 2 == 0, 1.0, -1.0) * np.sin(math.pi * (0.5 - np.abs(x - n)))
    return np.where(np.isinf(x), 0.0, (cos - _sin_pi(x) / (math.pi * x)) / x)


def _sinc_slope_rooted(x: F64) -> F64:
    """With s, c the sine and cosine at the nearest zero, π times t away: -(s z sin t + c (sin t - t cos t))/(x z)."""
    a = np.abs(x)
    k = a.astype(np.intp) - 1
    t = math.pi * ((a - _ROOT_HIGH[k]) - _ROOT_LOW[k])
    z = math.pi * a
    y: F64 = _ROOT_SIN[k] * z * np.sin(t) + _ROOT_COS[k] * t * t * t * horner(t * t, _ALTERNATING)
    return -y / (x * z)


@elementwise
def tanhshrink(x: F64) -> F64:
    """Return x - tanh x, which cancels near 0."""
    return select(np.abs(x) < 1.25, _tanhshrink_near, lambda x: x - np.tanh(x), x)


def _tanhshrink_near(x: F64) -> F64:
    s = x * x
    return x * s * horner(s, _DIFFERENCE) / np.cosh(x)
