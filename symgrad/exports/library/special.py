"""Special functions of single numbers, in Python that reads as C does; see ``common``."""

from __future__ import annotations

import math

from symgrad.exports.library.common import maximum, minimum
from symgrad.exports.library.python import cos, div, exp, floor, fmod, log, log1p, pow, sin, sqrt, tan

PI = 3.141592653589793
ROOT_PI = 1.772453850905516
ROOT_2 = 1.4142135623730951
ROOT_2PI = 2.5066282746310002
LOG_2PI = 1.8378770664093453

# ψ(x) = log x - 1/(2x) - Σ B₂ₖ/(2k x²ᵏ): Abramowitz & Stegun 1964, 6.3.18
BERNOULLI = (
    0.08333333333333333, -0.008333333333333333, 0.003968253968253968, -0.004166666666666667, 0.007575757575757576,
    -0.021092796092796094, 0.08333333333333333, -0.4432598039215686,
)  # fmt: skip
# B₂ⱼ/(2j)! for Euler and Maclaurin's sum
EULER = (
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
    2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
    8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19,
)  # fmt: skip


# ------------------------------------------------------------------ error function and normal distribution
def erfcx(x: float) -> float:
    """exp(x²) erfc x: beyond 2 by its continued fraction, from the far end."""
    if x < 2.0:
        return exp(x * x) * math.erfc(x)
    f = x
    k = 120.0
    while k > 0.0:
        f = x + k / 2.0 / f
        k = k - 1.0
    return 1.0 / (ROOT_PI * f)


def ndtr(x: float) -> float:
    """Φ(x)."""
    return 0.5 * math.erfc(-x / ROOT_2)


def log_ndtr(x: float) -> float:
    """log Φ(x)."""
    if x > -1.0:
        return log1p(-ndtr(-x))
    return log(erfcx(-x / ROOT_2) / 2.0) - x * x / 2.0


def erfinv(x: float) -> float:
    """The inverse of erf, by Newton's steps from Winitzki's approximation."""
    a = math.fabs(x)
    if a > 1.0:
        return math.nan
    if not a < 1.0:
        return div(x, 1.0 - a)
    w = log1p(-a * a)
    t = 2.0 / (PI * 0.147) + w / 2.0
    y = sqrt(sqrt(t * t - w / 0.147) - t)
    for _ in range(4):
        f = math.erf(y) - a if a < 0.7 else (1.0 - a) - math.erfc(y)
        u = f * ROOT_PI / 2.0 * exp(y * y)
        y = y - u / (1.0 + u * y)
    return math.copysign(y, x)


def ndtri(p: float) -> float:
    """The inverse of Φ."""
    if not (p > 0.0 and p < 1.0):
        return log(p) if p < 0.5 else -log(1.0 - p)
    q = minimum(p, 1.0 - p)
    if q > 0.1:
        x = -ROOT_2 * erfinv(1.0 - 2.0 * q)
    else:
        r = -2.0 * log(q)
        x = -sqrt(r - LOG_2PI - log(maximum(r - LOG_2PI, 0.5)))
        for _ in range(5):
            x = x - (log_ndtr(x) - log(q)) * erfcx(-x / ROOT_2) * sqrt(PI / 2.0)
    return -x if p > 0.5 else x


# ------------------------------------------------------------------ gamma and Bessel families
def cot_pi(x: float) -> float:
    """cot πx."""
    r = x - floor(x + 0.5)
    if r == 0.0:
        return math.nan
    return 1.0 / tan(PI * r)


def digamma(x: float) -> float:
    """ψ(x), by reflection, recurrence and its asymptotic series."""
    if x == 0.0:
        return div(-1.0, x)
    if x < 0.0:
        return digamma_right(1.0 - x) - PI * cot_pi(x)
    return digamma_right(x)


def digamma_right(x: float) -> float:
    """ψ(x) for x > 0."""
    total = 0.0
    k = 0.0
    while x < 12.0 and k < 12.0:
        total = total - 1.0 / x
        x = x + 1.0
        k = k + 1.0
    r = 1.0 / (x * x)
    s = 0.0
    for k in range(8):
        s = s * r + BERNOULLI[7 - k]
    return total + log(x) - 0.5 / x - s * r


def polygamma(order: float, x: float) -> float:
    """ψₙ(x), by reflection, recurrence and Euler and Maclaurin's sum: Abramowitz & Stegun 1964, 6.4.6 to 6.4.11."""
    if order == 0.0:
        return digamma(x)
    parity = fmod(order, 2.0)
    turn = 1.0 if parity == 1.0 else -1.0
    if x == -math.inf:
        return math.nan
    if x <= 0.0 and floor(x) == x:
        return turn * math.inf
    if x > 0.0:
        return turn * hurwitz(order, x)
    n: int = int(order)
    p = [0.0] * 104
    q = [0.0] * 104
    p[1] = 1.0
    for step in range(n):
        for k in range(step + 3):
            q[k] = 0.0
        for k in range(1, step + 2):
            q[k - 1] = q[k - 1] - k * p[k]
            q[k + 1] = q[k + 1] - k * p[k]
        for k in range(step + 3):
            p[k] = q[k]
    c = cot_pi(x)
    turned = 0.0
    for k in range(n + 2):
        turned = turned * c + p[n + 1 - k]
    return -turn * turn * hurwitz(order, 1.0 - x) - pow(PI, order + 1.0) * turned


def hurwitz(order: float, x: float) -> float:
    """Σ n!/(x + k)ⁿ⁺¹ over k ≥ 0."""
    n: int = int(order)
    small = 1.0
    for k in range(1, n):
        small = small * k
    total = 0.0
    steps = 0.0
    while x < order + 8.0 and steps < order + 8.0:
        total = total + pow(x, -(order + 1.0))
        x = x + 1.0
        steps = steps + 1.0
    r = 1.0 / x
    rising = 1.0
    tail = 1.0 + order / 2.0 * r
    power = 1.0
    for j in range(12):
        rising = rising * (order + 2.0 * j) * (order + 2.0 * j + 1.0) if j > 0 else order * (order + 1.0)
        power = power * r * r
        tail = tail + EULER[j] * rising * power
    return small * order * total + small * pow(x, -order) * tail


def i0e(x: float) -> float:
    """exp(-|x|) I₀(x)."""
    return bessel_scaled(math.fabs(x), 0)


def i1e(x: float) -> float:
    """exp(-|x|) I₁(x)."""
    return math.copysign(bessel_scaled(math.fabs(x), 1), x)


def i0(x: float) -> float:
    """I₀(x)."""
    if math.fabs(x) == math.inf:
        return math.inf
    half = exp(math.fabs(x) / 2.0)
    return bessel_scaled(math.fabs(x), 0) * half * half


def i1(x: float) -> float:
    """I₁(x)."""
    if math.fabs(x) == math.inf:
        return x
    half = exp(math.fabs(x) / 2.0)
    return math.copysign(bessel_scaled(math.fabs(x), 1) * half * half, x)


def bessel_scaled(a: float, order: int) -> float:
    """exp(-a) Iₙ(a): up to 30 by the power series, beyond by the asymptotic one (Abramowitz & Stegun 9.7.1)."""
    if a < 30.0:
        term = exp(-a) * (a / 2.0 if order == 1 else 1.0)
        total = term
        k = 1.0
        while k < 120.0 and term > 1e-18 * total:
            term = term * (a * a / 4.0) / (k * (k + order))
            total = total + term
            k = k + 1.0
        return total
    mu = 4.0 * order * order
    term = 1.0
    total = 1.0
    for k in range(1, 25):
        odd = 2.0 * k - 1.0
        term = -term * (mu - odd * odd) / (k * 8.0 * a)
        total = total + term
    return total / (sqrt(2.0 * PI) * sqrt(a))


def sinc(x: float) -> float:
    """sin(πx)/(πx)."""
    if math.fabs(x) < 1e-9:
        return 1.0 + 0.0 * x
    if math.fabs(x) == math.inf:
        return 0.0
    n = floor(x + 0.5)
    turn = 1.0 if fmod(n, 2.0) == 0.0 else -1.0
    return turn * sin(PI * (x - n)) / (PI * x)


def sinc_slope(x: float) -> float:
    """The derivative of sinc."""
    if math.fabs(x) < 0.25:
        z = PI * x
        s = z * z
        near = 1.0 / 840.0 - s * (1.0 / 45360.0 - s * (1.0 / 3991680.0 - s / 518918400.0))
        return -PI * z * (1.0 / 3.0 - s * (1.0 / 30.0 - s * near))
    if math.fabs(x) == math.inf:
        return 0.0
    return (cos(PI * (x - 2.0 * floor(x / 2.0))) - sinc(x)) / x


def round_even(x: float) -> float:
    """The nearest whole number, the even one of two."""
    if math.fabs(x) > 4503599627370496.0 or x != x:
        return x
    low_ = floor(x)
    if x - low_ > 0.5 or (x - low_ == 0.5 and fmod(low_, 2.0) != 0.0):
        return math.copysign(low_ + 1.0, x)
    return math.copysign(low_, x)
