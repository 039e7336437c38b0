"""Derivatives by a parameter, such as the order of a Bessel function, to ten digits or more.

They have no closed form. Each is the derivative of the polynomial through 16 values of the function, or of its
logarithm where it has one sign, at a distance from the parameter over which that varies little: see ``kernels.slopes``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from symgrad.scalars.library.kernels import AT, Kernel, by_scale, of_logarithm, own, slopes, smaller_tail, weights
from symgrad.scalars.library.ratios import betaln, digamma_gain, log1p_bend
from symgrad.scalars.written import polynomial


def _named(name: str, text: str, compute: Callable[..., Any], *numbers: Any) -> Kernel:
    def kernel(special: Any, *xs: Any) -> Any:
        return compute(special, *numbers, *xs)

    kernel.__name__, kernel.__doc__ = name, text
    return own(kernel)


# ------------------------------------------------------------------ incomplete gamma and beta functions
def _gammainc_a(special: Any, order: int, a: Any, x: Any) -> Any:
    """In the variable log a the tails vary over 1/√a."""
    inside = (a > 0) & (x > 0) & (x < np.inf)
    b, t = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
    lower, upper = partial(_first, special.gammainc, t), partial(_first, special.gammaincc, t)
    derivative = smaller_tail(lower, upper, b, np.minimum(0.5, 0.8 / np.sqrt(b)), order)
    return np.where(inside, derivative, np.where((a > 0) & (x >= 0), 0.0, np.nan))


def _first(f: Callable[..., Any], x: Any, a: Any) -> Any:
    return f(a, x)


gammainc_a = _named("gammainc_a", "∂P(a, x)/∂a.", _gammainc_a, 1)
gammainc_aa = _named("gammainc_aa", "∂²P(a, x)/∂a².", _gammainc_a, 2)


def _spread(a: Any, b: Any) -> Any:
    """How far log a may go: over √(1/a + 1/b) the tails vary."""
    return np.minimum(0.5, 0.8 * np.sqrt(1 / a + 1 / b))


def _betainc_by(special: Any, which: int, order: int, a: Any, b: Any, x: Any) -> Any:
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    a_, b_, t = (np.where(inside, v, 0.5) for v in (a, b, x))

    def at(f: Any, p: Any) -> Any:
        return f(p, b_, t) if which == 0 else f(a_, p, t)

    p = (a_, b_)[which]
    derivative = smaller_tail(
        lambda q: at(special.betainc, q), lambda q: at(special.betaincc, q), p, _spread(a_, b_), order
    )
    edge = (a > 0) & (b > 0) & ((x == 0) | (x == 1))
    return np.where(inside, derivative, np.where(edge, 0.0, np.nan))


betainc_a = _named("betainc_a", "∂I(a, b, x)/∂a.", _betainc_by, 0, 1)
betainc_b = _named("betainc_b", "∂I(a, b, x)/∂b.", _betainc_by, 1, 1)
betainc_aa = _named("betainc_aa", "∂²I(a, b, x)/∂a².", _betainc_by, 0, 2)
betainc_bb = _named("betainc_bb", "∂²I(a, b, x)/∂b².", _betainc_by, 1, 2)


def _betainc_ab(special: Any, a: Any, b: Any, x: Any) -> Any:
    """The logarithm's mixed derivative from 16 by 16 values."""
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    a_, b_, t = (np.where(inside, v, 0.5) for v in (a, b, x))
    radius = _spread(a_, b_)
    low = special.betainc(a_, b_, t) < special.betaincc(a_, b_, t)

    def logarithm(p: Any, q: Any) -> Any:
        return np.log(np.where(low, special.betainc(p, q, t), special.betaincc(p, q, t)))

    def by_b(p: Any) -> Any:
        return slopes(lambda q: logarithm(p, q[:, None]), b_, radius, 1, scaled=True)[0]

    tail = np.where(low, special.betainc(a_, b_, t), special.betaincc(a_, b_, t))
    first = slopes(lambda p: logarithm(p, b_), a_, radius, 1, scaled=True)[0]
    second = slopes(lambda q: logarithm(a_, q), b_, radius, 1, scaled=True)[0]
    derivative = tail * (slopes(by_b, a_, radius, 1, scaled=True)[0] + first * second) / (a_ * b_)
    derivative = np.where(tail > 1e-280, np.where(low, derivative, -derivative), 0.0)
    return np.where(inside, derivative, np.where((a > 0) & (b > 0) & ((x == 0) | (x == 1)), 0.0, np.nan))


betainc_ab = _named("betainc_ab", "∂²I(a, b, x)/∂a∂b.", _betainc_ab)


_MANY = 50.0  # degrees of freedom from which the tail says too little about its derivative


@cache
def _gauss() -> tuple[Any, Any]:
    """Gauss's points and weights on [0, 1]."""
    at, shares = np.polynomial.legendre.leggauss(40)
    return (at + 1) / 2, shares / 2


def _central(df: Any, t: Any) -> Any:
    """∫₀ᵗ ∂f/∂df of the density f = c (1 + s²/df)^(-(df + 1)/2), for many degrees of freedom or a small t."""
    at, shares = _gauss()
    s = np.multiply.outer(at, t)
    u = s * s / df
    r = 4 / np.maximum(df, _MANY) ** 2  # ψ((df + 1)/2) - ψ(df/2) - 1/df, in 1/(df/2)²
    series = r * (1 / 8 - r * (1 / 64 - r * (1 / 128 - r * (17 / 2048 - r * 31 / 2048))))
    lead = np.where(df > _MANY, series, digamma_gain(df / 2, 0.5) - 1 / df)
    by_df = 0.5 * (lead + u * u * log1p_bend(u) + u / (df * (1 + u)))
    density = np.exp(-(df + 1) / 2 * np.log1p(u) - betaln(df / 2, np.full_like(df, 0.5))) / np.sqrt(df)
    return t * np.tensordot(shares, density * by_df, 1)


def _stdtr_df(special: Any, order: int, df: Any, t: Any) -> Any:
    """Of the tail beyond |t|, half of I(df/2, 1/2, df/(df + t²)), or by quadrature where that is nearly 1/2."""
    inside = (df > 0) & (t != 0) & np.isfinite(t)
    d, s = np.where(inside, df, 1.0), np.where(inside, -np.abs(t), -1.0)
    tail = special.stdtr(d, s)
    derivative = by_scale(tail, d, slopes(lambda q: np.log(special.stdtr(q, s)), d, 0.5, order, scaled=True))
    middle = ((d > _MANY) & (s > -4.0)) | (s > -0.5 * np.sqrt(d))
    near, near_d = np.where(middle, s, -0.5), np.where(middle, d, _MANY)
    central = _central(near_d, near)
    if order == 2:
        central = np.stack([_central(q, near) for q in near_d * np.exp(np.multiply.outer(AT, 0.5 + 0 * d))])
        central = np.tensordot(weights()[0], central, 1) / (0.5 * near_d)
    derivative = np.where(middle, central, np.where(tail > 1e-280, derivative, 0.0))
    derivative = np.where(t < 0, derivative, -derivative)
    return np.where(inside, derivative, np.where((df > 0) & ~np.isnan(t), 0.0, np.nan))


stdtr_df = _named("stdtr_df", "∂F(df, t)/∂df.", _stdtr_df, 1)
stdtr_dfdf = _named("stdtr_dfdf", "∂²F(df, t)/∂df².", _stdtr_df, 2)


# ------------------------------------------------------------------ (1 - J₀(x))/x, (I₀(x) - 1)/x
def over_x(sign: int, special: Any, n: int, x: Any) -> Any:
    """The n-th derivative of sign·(f - 1)/x of f = I₀ or J₀ (sign -1): its series, beyond it x Fₙ = ±f⁽ⁿ⁾ - n Fₙ₋₁."""
    near = np.abs(x) < 3 + n
    w, v = np.where(near, x, 0.0), np.where(near, 3.0, x)
    first = n // 2 + 1
    terms = [
        float(sign) ** (k + 1) * math.perm(2 * k - 1, n) / (4**k * math.factorial(k) ** 2)
        for k in range(first, first + 24 + n)
    ]
    series = polynomial(w * w, terms) * (w if n % 2 == 0 else 1.0)
    f = special.iv if sign > 0 else special.jv
    quotient = sign * (f(0, v) - 1) / v
    for m in range(1, n + 1):
        by_x = sum(sign**k * math.comb(m, k) * f(2 * k - m, v) for k in range(m + 1)) / 2.0**m
        quotient = (sign * by_x - m * quotient) / v
    return np.where(near, series, quotient)


# ------------------------------------------------------------------ Faddeeva's function, Carlson's integrals
_FAR = 7.0  # |z| from which the asymptotic series has all digits


def faddeeva_nth(special: Any, n: int, t: Any, s: Any) -> Any:
    """The n-th derivative in t of w(t/s)/(s√π), Im t >= 0; w⁽ᵏ⁺¹⁾ = -2z w⁽ᵏ⁾ - 2k w⁽ᵏ⁻¹⁾, which cancels far out."""
    far = np.abs(t) > _FAR * s
    z = np.where(far, 0.0, t / np.where(far, 1.0, s))
    near = _hermite(n, z, special.wofz(z), 2j / math.sqrt(math.pi)) / math.sqrt(math.pi)
    u = np.where(far, t, 1.0)
    q, total = (np.where(far, s, 0.0) / u) ** 2, np.zeros_like(u)
    for k in range(36, -1, -1):  # i/π (-1)ⁿ Σ (1/2)ₖ (2k + 1)ₙ s²ᵏ/tⁿ⁺¹⁺²ᵏ
        total = total * q + math.prod(i + 0.5 for i in range(k)) * math.perm(2 * k + n, n)
    wide = np.abs(u.imag) < 1e-8 * s
    x = np.where(wide, u / np.where(wide, s, 1.0), 0.0)  # beside the real axis exp(-z²) is the real part of w
    edge = _hermite(n, x, np.exp(-x * x), 0.0) / math.sqrt(math.pi)
    scaled, asymptotic = 1 / np.where(s == 0, 1.0, s), (-1) ** n * 1j / math.pi * total / u
    for k in range(n + 1):
        near, edge = near * scaled, edge * scaled
        asymptotic = asymptotic / u if k else asymptotic
    return np.where(far, asymptotic + np.where(wide, edge, 0.0), near)


def _hermite(n: int, z: Any, w: Any, rest: Any) -> Any:
    """The n-th derivative of w from w' = -2z w + rest."""
    lower, here = 0.0, w
    for k in range(n):
        lower, here = here, -2 * z * here - (2 * k * lower if k else -rest)
    return here


def carlson_kernel(special: Any, a: int, b: int, c: int, d: int, x: Any, y: Any, z: Any, p: Any) -> Any:
    """∫ (t + x)^(-a - 1/2) (t + y)^(-b - 1/2) (t + z)^(-c - 1/2) (t + p)^(-d) dt, t = exp u, by the trapezoidal rule.

    The integrand is positive, analytic for |Im u| < π and decays exponentially: the rule has all digits.
    """
    powers, args = (a + 0.5, b + 0.5, c + 0.5, float(d)), (x, y, z, p if d else np.ones_like(p))
    at_zero = sum(np.where(v == 0, e, 0.0) for e, v in zip(powers, args))
    inside = np.all([v >= 0 for v in args], 0) & (at_zero < 1)
    logs = [np.log(np.where(inside, v, 1.0)) for v in args]
    low = np.min([np.where(g == -np.inf, np.inf, g) for g in logs], 0) - 80
    high = np.max(logs, 0) + 80
    count = int(np.max(high - low, initial=1.0) / 0.45) + 1
    step = (high - low) / count
    u = low + np.multiply.outer(np.arange(count + 1), step)
    exponent = u - sum(e * np.logaddexp(u, g) for e, g in zip(powers, logs))
    integral = np.sum(np.exp(exponent), 0) * step
    outside = np.where(np.all([v >= 0 for v in args], 0), np.inf, np.nan)
    principal = _principal(special, (a, b, c, d), x, y, z, p) if np.any(p < 0) else np.nan
    return np.where(inside, integral, np.where((p < 0) & (d > 0), principal, outside))


def _principal(special: Any, orders: tuple[int, int, int, int], x: Any, y: Any, z: Any, p: Any) -> Any:
    """Of Cauchy's principal value, p < 0, the first derivatives: by partial fractions, and as it is homogeneous."""
    r = special.elliprj(x, y, z, p)
    by = [(r - special.elliprd(*others, v)) / (2 * (p - v)) for v, others in ((x, (y, z)), (y, (x, z)), (z, (x, y)))]
    last = -(1.5 * r + x * by[0] + y * by[1] + z * by[2]) / p
    return {(1, 0, 0, 1): -4 * by[0] / 3, (0, 0, 0, 2): -2 * last / 3}.get(orders, np.full_like(r, np.nan))


# ------------------------------------------------------------------ zeta
def zeta_s_kernel(special: Any, order: int, s: Any, q: Any) -> Any:
    """Of (s - 1) ζ(s, q + 1), which is entire in s, and of q⁻ˢ."""
    inside = (s > 1) & (q > 0)
    p, r = np.where(inside, s, 2.0), np.where(inside, q, 1.0) + 1
    head = (-np.log(r - 1)) ** order * (r - 1) ** -p
    radius = np.minimum(0.5, 0.75 * (p - 1))

    def logarithm(p: Any) -> Any:
        return np.log((p - 1) * special.zeta(p, np.broadcast_to(r, p.shape)))

    derivatives = slopes(logarithm, p, radius, order)
    derivatives[0] = derivatives[0] - 1 / (p - 1)
    if order == 2:
        derivatives[1] = derivatives[1] + 1 / (p - 1) ** 2
    return np.where(inside, head + of_logarithm(special.zeta(p, r), derivatives), np.nan)


zeta_s = _named("zeta_s", "∂ζ(s, q)/∂s.", zeta_s_kernel, 1)
zeta_ss = _named("zeta_ss", "∂²ζ(s, q)/∂s².", zeta_s_kernel, 2)


def _riemann(special: Any, order: int, s: Any) -> Any:
    right = s > 1
    y = zeta_s_kernel(special, order, np.where(right, s, 2.0), np.ones_like(s))
    p = np.where(right, 0.0, s)

    def entire(p: Any) -> Any:
        return np.where(p == 1, 1.0, (p - 1) * special.zeta(p))

    f = entire(p)
    first, second = slopes(entire, p, 0.5, 2)
    d = p - 1
    left = (first - f / d) / d if order == 1 else (second - 2 * (first - f / d) / d) / d
    return np.where(right, y, left)


riemann_s = _named("riemann_s", "ζ'(s).", _riemann, 1)
riemann_ss = _named("riemann_ss", "ζ''(s).", _riemann, 2)


# ------------------------------------------------------------------ Bessel functions by their order
def _scale(x: Any, near: float) -> Any:
    """Over which distance of the order the logarithm is smooth: √x for large x, 1/log(2/x) for small."""
    small = np.minimum(near, 0.4 / np.maximum(np.log(2 / np.maximum(x, 1e-300)), 0.4 / near))
    return np.where(x < 1, small, near * np.sqrt(np.maximum(x, 1.0)))


def _oscillating(special: Any, name: str, order: int, v: Any, x: Any) -> Any:
    """Of the logarithm where x is below the first zero, else of the function itself."""
    f, sign = getattr(special, name), -1.0 if name == "yv" else 1.0
    inside = x > 0
    t = np.where(inside, x, 1.0)
    margin = 1.0 if name == "jv" else 0.2
    monotone = (v >= 0) & (t < v + margin)
    radius = np.where(monotone, _scale(np.minimum(t, 1.0), 0.25), np.where(t < 1, _scale(t, 0.5), 0.75))
    y = f(v, t)

    def values(p: Any) -> Any:
        g = f(p, t)
        return np.where(monotone, np.log(np.maximum(sign * g, 0.0)), g)

    derivatives = slopes(values, v, radius, order)
    return np.where(inside, np.where(monotone, of_logarithm(y, derivatives), derivatives[-1]), _at_zero(name, v, x))


def _at_zero(name: str, v: Any, x: Any) -> Any:
    """J_v and I_v are 0 there for all v > 0; those of the second kind are infinite."""
    return np.where((x == 0) & (v > 0) & (name[0] in "ji"), 0.0, np.nan)


def _growing(special: Any, name: str, order: int, v: Any, x: Any) -> Any:
    """Of the logarithm of the scaled function."""
    even = name.startswith("k")
    inside = (x > 0) & (even | (v >= 0))
    t, p = np.where(inside, x, 1.0), np.where(inside, np.abs(v), 1.0)
    f = special.kve if even else special.ive
    scale = _scale(t, 0.25)
    radius = np.where(p > t, np.minimum(scale, 0.25 * np.sqrt(1 + p)), scale)
    derivative = of_logarithm(getattr(special, name)(p, t), slopes(lambda q: np.log(f(q, t)), p, radius, order))
    derivative = np.where((v < 0) & (order == 1), -derivative, derivative)
    if order == 1 and not even:  # the derivative there is far smaller than the function
        derivative = np.where(v == 0, -(special.k0(t) if name == "iv" else np.exp(-t) * special.k0(t)), derivative)
    if order == 1 and even:
        derivative = np.where(v == 0, 0.0, derivative)
    return np.where(inside, derivative, _at_zero(name, v, x))


def _direct(special: Any, name: str, order: int, v: Any, x: Any) -> Any:
    """Of the function itself, for orders below 0."""
    t = np.where(x > 0, x, 1.0)
    derivative = slopes(lambda q: getattr(special, name)(q, t), v, _scale(np.minimum(t, 1.0), 0.5), order)[-1]
    return np.where(x > 0, derivative, np.nan)


def _iv(special: Any, name: str, order: int, v: Any, x: Any) -> Any:
    return np.where(v >= 0, _growing(special, name, order, v, x), _direct(special, name, order, v, x))


_BY_ORDER = {"jv": _oscillating, "yv": _oscillating, "iv": _iv, "ive": _iv, "kv": _growing, "kve": _growing}
BY_ORDER = {
    f"{name}_{'v' * order}": _named(f"{name}_{'v' * order}", f"Derivative of {name} by its order.", f, name, order)
    for name, f in _BY_ORDER.items()
    for order in (1, 2)
}
