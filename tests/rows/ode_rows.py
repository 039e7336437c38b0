"""Differential equations whose flows are known: as symgrad solves them, and as mpmath does to 40 digits.

``python tests/rows/ode_rows.py`` computes tests/data/odes.json anew: states, and their derivatives in multiples of θ.
Where a flow has a closed form it is written by hand; the others are extrapolated midpoint steps of mpmath's numbers.
Derivatives are differences at 60 digits of either, so that nothing is shared with what is tested.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import symgrad as sg

DATA = Path(__file__).parents[1] / "data" / "odes.json"
DIGITS, COLUMNS = 60, 14


class Equation(NamedTuple):
    """An initial value problem with parameters θ.

    Attributes:
        at: θ.
        right: (library, y, t, θ) to the list y′.
        start: (library, θ) to the list y(t₀).
        times: θ to t₀, t₁, …, where the states are compared from t₁ on.
        exact: (mpmath, t, *θ) to the list y(t), where that has a closed form.
        steps: how many steps per unit of time the extrapolation takes, where there is none.
        stiff: whether an explicit method would take far more steps than the solution's digits need.
    """

    at: tuple[float, ...]
    right: Callable[..., Any]
    start: Callable[..., Any]
    times: Callable[..., Sequence[Any]]
    exact: Callable[..., Any] | None
    steps: int
    stiff: bool


EQUATIONS: dict[str, Equation] = {}


def equation(
    *at: float,
    start: Callable[..., Any],
    times: Sequence[float] | Callable[..., Sequence[Any]],
    exact: Callable[..., Any] | None = None,
    steps: int = 10,
    stiff: bool = False,
) -> Callable[..., Any]:
    """Add the equation whose right side is the decorated function."""
    moments = times if callable(times) else lambda p: times

    def add(right: Callable[..., Any]) -> Callable[..., Any]:
        EQUATIONS[right.__name__] = Equation(at, right, start, moments, exact, steps, stiff)
        return right

    return add


def vector(parts: Sequence[Any]) -> Any:
    """Return numbers and tensors as one tensor."""
    return sg.stack([p if isinstance(p, sg.Tensor) else sg.tensor(float(p)) for p in parts])


def states(name: str, p: Any, **options: Any) -> Any:
    """Return the states after t₀ of an equation, one below the other, as symgrad solves it."""
    row = EQUATIONS[name]
    settings: dict[str, Any] = {"method": "rodas4" if row.stiff else "dopri5", "rtol": 1e-10, "atol": 1e-12, **options}
    right = lambda y, t, p: vector(row.right(sg, y, t, p))
    return sg.odeint(right, vector(row.start(sg, p)), vector(row.times(p)), p, **settings)[1:]


def ones(name: str) -> Any:
    """Return u = 1 for each parameter of an equation."""
    return np.ones(len(EQUATIONS[name].at))


def weighted(name: str, **options: Any) -> Callable[[Any], Any]:
    """Return u ↦ Σ cos(k)·xₖ of the states' numbers at u·θ, of which gradients and Hessians at u = 1 are compared.

    So parameters of all sizes, such as Robertson's 0.04 and 3·10⁷, count alike.
    """

    def call(u: Any) -> Any:
        x = states(name, u * np.array(EQUATIONS[name].at), **options).ravel()
        return (x * sg.tensor(np.cos(np.arange(x.shape[0])))).sum()

    return call


# fmt: off
# ------------------------------------------------------------------ growth and decay
@equation(0.7, 1.3, start=lambda L, p: [p[1]], times=(0, 1, 2.5), exact=lambda m, t, r, y: [y * m.exp(r * t)])
def growth(L, y, t, p):
    return [p[0] * y[0]]


@equation(1.5, 4.0, 0.3, start=lambda L, p: [p[2]], times=(0, 1, 2, 5),
          exact=lambda m, t, r, K, y: [K / (1 + (K / y - 1) * m.exp(-r * t))])
def logistic(L, y, t, p):
    return [p[0] * y[0] * (1 - y[0] / p[1])]


@equation(1.5, 4.0, 3.5, start=lambda L, p: [p[2]], times=(0, -0.5, -1.5),
          exact=lambda m, t, r, K, y: [K / (1 + (K / y - 1) * m.exp(-r * t))])
def logistic_backward(L, y, t, p):
    return [p[0] * y[0] * (1 - y[0] / p[1])]


@equation(0.8, 5.0, 0.4, start=lambda L, p: [p[2]], times=(0, 1, 3),
          exact=lambda m, t, a, K, y: [K * m.exp(m.log(y / K) * m.exp(-a * t))])
def gompertz(L, y, t, p):
    return [p[0] * y[0] * L.log(p[1] / y[0])]


@equation(1.2, 0.5, 2.0, start=lambda L, p: [p[2]], times=(0, 1, 2),
          exact=lambda m, t, V, K, y: [K * m.lambertw(y / K * m.exp((y - V * t) / K)).real])
def michaelis_menten(L, y, t, p):
    return [-p[0] * y[0] / (p[1] + y[0])]


@equation(0.6, 2.0, start=lambda L, p: [p[1]], times=(0, 1, 3),
          exact=lambda m, t, k, y: [(m.sqrt(y) - k * t / 2)**2])
def torricelli(L, y, t, p):
    return [-p[0] * L.sqrt(y[0])]


@equation(0.9, 2.0, 1.2, start=lambda L, p: [p[1], p[2]], times=(0, 0.5, 2),
          exact=lambda m, t, k, a, b: [(a - b) / (1 - b / a * m.exp((b - a) * k * t)),
                                       (b - a) / (1 - a / b * m.exp((a - b) * k * t))])
def reaction_of_second_order(L, y, t, p):
    return [-p[0] * y[0] * y[1], -p[0] * y[0] * y[1]]


@equation(9.81, 0.3, start=lambda L, p: [0.0], times=(0, 0.4, 1.5),
          exact=lambda m, t, g, k: [m.sqrt(g / k) * m.tanh(m.sqrt(g * k) * t)])
def fall_with_drag(L, y, t, p):
    return [p[0] - p[1] * y[0]**2]


@equation(0.8, 1.1, 0.2, start=lambda L, p: [p[2]], times=(0, 0.5, 1.2),
          exact=lambda m, t, a, b, y: [m.sqrt(a / b) * m.tan(m.sqrt(a * b) * t + m.atan(y * m.sqrt(b / a)))])
def riccati(L, y, t, p):
    return [p[0] + p[1] * y[0]**2]


# ------------------------------------------------------------------ times that are parameters
@equation(0.5, 20.0, 90.0, 1.5, start=lambda L, p: [p[2]], times=lambda p: [0.0, p[3], 2 * p[3] + 0.5],
          exact=lambda m, t, k, A, y, s: [A + (y - A) * m.exp(-k * t)])
def cooling_until(L, y, t, p):
    return [-p[0] * (y[0] - p[1])]


@equation(0.7, 0.3, 1.4, start=lambda L, p: [2.0], times=lambda p: [p[1], p[2], 2.0],
          exact=lambda m, t, a, s, e: [2 * m.exp(-a * (t**2 - s**2) / 2)])
def bell_from(L, y, t, p):
    return [-p[0] * t * y[0]]


# ------------------------------------------------------------------ oscillators
@equation(2.0, 1.0, 0.5, start=lambda L, p: [p[1], p[2]], times=(0, 1, 4),
          exact=lambda m, t, w, x, v: [x * m.cos(w * t) + v / w * m.sin(w * t),
                                       v * m.cos(w * t) - x * w * m.sin(w * t)])
def harmonic_oscillator(L, y, t, p):
    return [y[1], -p[0]**2 * y[0]]


def _driven(m, t, g, w, F, D):
    a, b = (w**2 - D**2) * F, 2 * g * D * F
    n, r = (w**2 - D**2)**2 + (2 * g * D)**2, m.sqrt(w**2 - g**2)
    x0, v0 = 1 - a / n, -b * D / n
    e, c, s = m.exp(-g * t), m.cos(r * t), m.sin(r * t)
    k = (v0 + g * x0) / r
    x = e * (x0 * c + k * s) + (a * m.cos(D * t) + b * m.sin(D * t)) / n
    v = e * (-g * (x0 * c + k * s) + r * (k * c - x0 * s)) + D * (b * m.cos(D * t) - a * m.sin(D * t)) / n
    return [x, v]


@equation(0.2, 1.5, 0.7, 1.1, start=lambda L, p: [1.0, 0.0], times=(0, 2, 6), exact=_driven)
def driven_oscillator(L, y, t, p):
    return [y[1], -2 * p[0] * y[1] - p[1]**2 * y[0] + p[2] * L.cos(p[3] * t)]


def _pendulum(m, t, w, k):
    sn, cn = m.ellipfun("sn", w * t, k=k), m.ellipfun("cn", w * t, k=k)
    return [2 * m.asin(k * sn), 2 * k * w * cn]


@equation(1.3, 0.6, start=lambda L, p: [0.0, 2 * p[1] * p[0]], times=(0, 0.5, 1.2), exact=_pendulum)
def pendulum(L, y, t, p):
    return [y[1], -p[0]**2 * L.sin(y[0])]


def _airy(m, t, a, x, v):
    s = m.cbrt(a)
    A, B, dA, dB = (f(0, derivative=k) for k in (0, 1) for f in (m.airyai, m.airybi))
    p, q = m.pi * (x * dB - v / s * B), m.pi * (v / s * A - x * dA)
    return [s**k * (p * m.airyai(s * t, derivative=k) + q * m.airybi(s * t, derivative=k)) for k in (0, 1)]


@equation(1.7, 0.4, -0.2, start=lambda L, p: [p[1], p[2]], times=(0, 1, 3), exact=_airy)
def airy(L, y, t, p):
    return [y[1], p[0] * t * y[0]]


@equation(1.2, 0.3, 0.5, start=lambda L, p: [1.0, 0.0], times=(0, 1, 3))
def duffing(L, y, t, p):
    return [y[1], -p[1] * y[1] + y[0] - p[0] * y[0]**3 + p[2] * L.cos(1.2 * t)]


@equation(2.0, 1.5, start=lambda L, p: [p[1], 0.0], times=(0, 1, 4), steps=16)
def van_der_pol(L, y, t, p):
    return [y[1], p[0] * (1 - y[0]**2) * y[1] - y[0]]


# ------------------------------------------------------------------ linear systems
def _flow(m, A, t, y):
    return list(m.expm(m.matrix(A) * t) * m.matrix(y))


@equation(0.3, 1.1, 2.0, start=lambda L, p: [1.0, p[2], -0.5], times=(0, 1, 3), exact=lambda m, t, a, b, y: _flow(
    m, [[-a, b, 0], [-b, -a, a], [m.mpf(1) / 2, 0, -1]], t, [1, y, -m.mpf(1) / 2]))
def spiral(L, y, t, p):
    return [-p[0] * y[0] + p[1] * y[1], -p[1] * y[0] - p[0] * y[1] + p[0] * y[2], 0.5 * y[0] - y[2]]


@equation(1.4, 0.5, 10.0, start=lambda L, p: [p[2], 0.0, 0.0], times=(0, 1, 4), exact=lambda m, t, a, b, n: [
    n * m.exp(-a * t), n * a / (b - a) * (m.exp(-a * t) - m.exp(-b * t)),
    n * (1 - (b * m.exp(-a * t) - a * m.exp(-b * t)) / (b - a))])
def decay_chain(L, y, t, p):
    return [-p[0] * y[0], p[0] * y[0] - p[1] * y[1], p[1] * y[1]]


@equation(0.8, 0.1, start=lambda L, p: [1.0, 0.0, 0.0, 0.5, 0.0], times=(0, 1), exact=lambda m, t, d, k: _flow(
    m, [[-2 * d - k if i == j else d if (i - j) % 5 in (1, 4) else 0 for j in range(5)] for i in range(5)], t,
    [1, 0, 0, m.mpf(1) / 2, 0]))
def diffusion_on_a_ring(L, y, t, p):
    return [p[0] * (y[(i + 1) % 5] - 2 * y[i] + y[(i - 1) % 5]) - p[1] * y[i] for i in range(5)]


# ------------------------------------------------------------------ the sky
def _orbit(m, t, e):
    E = m.findroot(lambda E: E - e * m.sin(E) - t, t + e / 2)
    b, r = m.sqrt(1 - e**2), 1 - e * m.cos(E)
    return [m.cos(E) - e, b * m.sin(E), -m.sin(E) / r, b * m.cos(E) / r]


@equation(0.4, start=lambda L, p: [1 - p[0], 0.0, 0.0, L.sqrt((1 + p[0]) / (1 - p[0]))], times=(0, 1, 3, 6),
          exact=_orbit)
def keplers_orbit(L, y, t, p):
    cube = L.sqrt(y[0]**2 + y[1]**2)**3
    return [y[2], y[3], -y[0] / cube, -y[1] / cube]


@equation(0.5, 1.0, 1.4, start=lambda L, p: [1.0, 0.3, 0.5], times=(0, 1, 4))
def rigid_body(L, y, t, p):
    return [(p[1] - p[2]) / p[0] * y[1] * y[2], (p[2] - p[0]) / p[1] * y[2] * y[0], (p[0] - p[1]) / p[2] * y[0] * y[1]]


# ------------------------------------------------------------------ nonlinear systems without closed forms
@equation(0.55, 0.028, 0.024, 0.8, start=lambda L, p: [30.0, 4.0], times=(0, 3, 8), steps=8)
def lotka_volterra(L, y, t, p):
    return [(p[0] - p[1] * y[1]) * y[0], (p[2] * y[0] - p[3]) * y[1]]


@equation(0.5, 0.1, 0.01, start=lambda L, p: [1 - p[2], p[2], 0.0], times=(0, 10, 25), steps=3)
def sir(L, y, t, p):
    new = p[0] * y[0] * y[1]
    return [-new, new - p[1] * y[1], p[1] * y[1]]


@equation(0.7, 0.8, 0.5, start=lambda L, p: [-1.0, 1.0], times=(0, 2, 6), steps=12)
def fitzhugh_nagumo(L, y, t, p):
    return [y[0] - y[0]**3 / 3 - y[1] + p[2], 0.08 * (y[0] + p[0] - p[1] * y[1])]


@equation(10.0, 28.0, 2.6, start=lambda L, p: [1.0, 1.0, 1.0], times=(0, 0.3, 1), steps=60)
def lorenz(L, y, t, p):
    return [p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]]


@equation(1.0, 2.5, start=lambda L, p: [1.0, 1.0], times=(0, 2, 5), steps=20)
def brusselator(L, y, t, p):
    return [p[0] + y[0]**2 * y[1] - (p[1] + 1) * y[0], p[1] * y[0] - y[0]**2 * y[1]]


# ------------------------------------------------------------------ stiff systems
@equation(1e5, 1.5, start=lambda L, p: [p[1]], times=(0, 1e-5, 0.002), stiff=True,
          exact=lambda m, t, k, y: [m.cos(t) + (y - 1) * m.exp(-k * t)])
def prothero_robinson(L, y, t, p):
    return [-p[0] * (y[0] - L.cos(t)) - L.sin(t)]


@equation(2e4, 1.5, start=lambda L, p: [1.0, 0.2], times=(0, 0.5, 2), stiff=True, exact=lambda m, t, k, b: _flow(
    m, [[-k, k], [1, -1 - b]], t, [1, m.mpf(1) / 5]))
def fast_exchange(L, y, t, p):
    return [p[0] * (y[1] - y[0]), y[0] - (1 + p[1]) * y[1]]


@equation(0.04, 1e4, 3e7, start=lambda L, p: [1.0, 0.0, 0.0], times=(0, 0.4, 1), steps=1500, stiff=True)
def robertson(L, y, t, p):
    slow, fast, pair = p[0] * y[0], p[1] * y[1] * y[2], p[2] * y[1]**2
    return [fast - slow, slow - fast - pair, pair]


@equation(500.0, 2.0, start=lambda L, p: [p[1], -0.001], times=(0, 0.2, 1), steps=900, stiff=True)
def stiff_van_der_pol(L, y, t, p):
    return [y[1], p[0] * (1 - y[0]**2) * y[1] - y[0]]


# fmt: on
# ------------------------------------------------------------------ the reference
def midpoint(f: Callable[..., list[Any]], y: list[Any], t: Any, H: Any, n: int) -> list[Any]:
    """Return y(t + H) by n steps of Gragg's midpoint rule (n even), whose error is a series in 1/n²."""
    h = H / n
    before, now = y, [a + h * s for a, s in zip(y, f(y, t), strict=True)]
    for k in range(1, n):
        after = [b + 2 * h * s for b, s in zip(before, f(now, t + k * h), strict=True)]
        before, now = now, after
    return [(a + b + h * s) / 2 for a, b, s in zip(before, now, f(now, t + H), strict=True)]


def extrapolated(f: Callable[..., list[Any]], y: list[Any], t: Any, H: Any) -> list[Any]:
    """Return y(t + H): midpoint steps of 2, 4, 6, … parts, extrapolated to 0 (Bulirsch and Stoer 1966)."""
    rows = [midpoint(f, y, t, H, 2 * j) for j in range(1, COLUMNS + 1)]
    for k in range(1, COLUMNS):
        for j in range(COLUMNS - 1, k - 1, -1):
            ratio = (j + 1) ** 2 - (j + 1 - k) ** 2
            rows[j] = [a + (a - b) * (j + 1 - k) ** 2 / ratio for a, b in zip(rows[j], rows[j - 1], strict=True)]
    return rows[-1]


def flow(m: Any, row: Equation, p: Sequence[Any]) -> list[Any]:
    """Return the states after t₀, one below the other, in mpmath's numbers."""
    times = [m.mpf(s) for s in row.times(p)]
    if row.exact is not None:
        return [x for t in times[1:] for x in row.exact(m, t, *p)]
    y, found = [m.mpf(a) for a in row.start(m, p)], []
    right = lambda y, t: row.right(m, y, t, p)
    for begin, end in pairwise(times):
        count = max(1, int(row.steps * abs(end - begin)))
        for k in range(count):
            y = extrapolated(right, y, begin + (end - begin) * k / count, (end - begin) / count)
        found += y
    return found


def reference(name: str) -> dict[str, Any]:
    """Return the states of an equation, gradient and Hessian (of the weighted sum), by mpmath."""
    from mpmath import mp as m

    m.dps = DIGITS
    row = EQUATIONS[name]
    at = [m.mpf(float(a)) for a in row.at]
    value = flow(m, row, at)
    w = [m.mpf(float(c)) for c in np.cos(np.arange(len(value)))]
    n, h = len(at), m.mpf(10) ** -15

    @cache
    def at_shifts(shifts: tuple[int, ...]) -> Any:
        return m.fdot(w, flow(m, row, [a * (1 + k * h) for a, k in zip(at, shifts, strict=True)]))

    def total(*moves: tuple[int, int]) -> Any:
        """The weighted sum where parameter i is 1 + s·h times as large, for each (i, s)."""
        return at_shifts(tuple(dict(moves).get(i, 0) for i in range(n)))

    def second(i: int, j: int) -> float:
        if i == j:
            return float((total((i, 1)) - 2 * total() + total((i, -1))) / h**2)
        corners = [a * b * total((i, a), (j, b)) for a in (1, -1) for b in (1, -1)]
        return float(sum(corners) / (4 * h**2))

    lower = [[second(i, j) if j <= i else 0.0 for j in range(n)] for i in range(n)]
    return {
        "value": [float(v) for v in value],
        "gradient": [float((total((i, 1)) - total((i, -1))) / (2 * h)) for i in range(n)],
        "hessian": [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)],
    }


def main(*names: str) -> None:
    """Compute all references, or those of some equations, and keep them."""
    known = json.loads(DATA.read_text(encoding="utf-8")) if names else {}
    for one in names or EQUATIONS:
        known[one] = reference(one)
        print(one, known[one], flush=True)
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(known[k])}" for k in EQUATIONS if k in known)
    DATA.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
