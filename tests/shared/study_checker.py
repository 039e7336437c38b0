"""Statements about a curve, checked by values alone: this file knows neither SymPy nor how they were found."""

import math
import re
from functools import cached_property
from itertools import pairwise

import mpmath

GOLDEN = (math.sqrt(5) - 1) / 2


def real(name):
    """Return a function of mpmath's that has no complex values."""

    def f(x):
        v = getattr(mpmath, name)(x)
        if isinstance(v, mpmath.mpc) or not mpmath.isfinite(v):
            raise ValueError(f"{name}({x})")
        return v

    return f


logarithm = real("log")


NAMES = {
    name: real(name) if callable(getattr(mpmath, name)) and name not in ("pi", "e", "sign") else getattr(mpmath, name)
    for name in ("exp", "sin", "cos", "tan", "cot", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh",
                 "atanh", "sqrt", "pi", "e", "sign")
} | {
    "log": logarithm,
    "log2": lambda x: logarithm(x) / mpmath.log(2),
    "log10": lambda x: logarithm(x) / mpmath.log(10),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "maximum": max,
    "minimum": min,
    "where": lambda c, a, b: a if c else b,
    "abs": abs,
    "mpf": mpmath.mpf,
}  # fmt: skip


def function(text):
    """Return the text as a function of mpmath's numbers; None where it has no real value. Values are remembered."""
    code = compile(re.sub(r"\d*\.\d+", r"mpf('\g<0>')", text), "f", "eval")
    values = {}

    def f(x):
        key = mpmath.mpf(x)._mpf_
        if key not in values:
            values[key] = computed(x)
        return values[key]

    def computed(x):
        try:
            v = eval(code, dict(NAMES), {"x": mpmath.mpf(x)})
        except (ArithmeticError, ValueError):
            return None
        if isinstance(v, mpmath.mpc):
            v = v.real if abs(v.imag) == 0 else None
        return None if v is None or not mpmath.isfinite(v) else mpmath.mpf(v)

    return f


def ends(i):
    low, high = (
        math.copysign(math.inf, -1) if str(e) == "-oo" else math.inf if str(e) == "oo" else e.value for e in i[:2]
    )
    return low, high


def samples(i, count=40, far=60.0):
    """Return places inside of an interval, with its ends where they belong to it."""
    low, high = ends(i)
    a = low if low != -math.inf else (high - far if high != math.inf else -far)
    b = high if high != math.inf else a + 2 * far
    inner = [a + (b - a) * ((k + mpmath.mpf(GOLDEN) / 2) / count) for k in range(count)]
    near = [a + (b - a) * mpmath.mpf(10) ** -k for k in (3, 6, 9)] + [
        b - (b - a) * mpmath.mpf(10) ** -k for k in (3, 6, 9)
    ]
    at = ([low] if i.has_low else []) + ([high] if i.has_high else [])
    return sorted([*inner, *near, *at])


class Checker:
    """Collects what is false."""

    def __init__(self, study, text):
        self.s, self.f, self.text, self.false = study, function(text), text, []
        self.window = study.window

    def say(self, holds, *what):
        if not holds:
            self.false.append(" ".join(map(str, what)))

    def all(self):
        with mpmath.workdps(60):
            for check in (self.domain, self.zeros, self.signs, self.monotone, self.bends, self.extrema):
                check()
            for check in (self.inflections, self.asymptotes, self.range, self.symmetry):
                check()
        return self.false

    @cached_property
    def grid(self):
        if self.window is not None:
            low, high = ends(self.window)
        else:
            low, high = mpmath.mpf(-41), mpmath.mpf(43)
        fine = [mpmath.mpf(k) / 97 - mpmath.mpf("5.003") for k in range(970)] if self.window is None else []
        return sorted(fine + [low + (high - low) * (k + mpmath.mpf(GOLDEN)) / 700 for k in range(700)])

    def domain_of(self, a, b):
        """Whether f is defined between two places and at them."""
        return any(low <= a and b <= high for low, high in self.parts)

    @cached_property
    def parts(self):
        return [ends(i) for i in self.s.domain]

    def inside(self, x):
        return any(
            low < x < high or (i.has_low and x == low) or (i.has_high and x == high)
            for i, (low, high) in zip(self.s.domain, self.parts, strict=True)
        )

    def domain(self):
        for x in self.grid:
            self.say((self.f(x) is not None) == self.inside(x), "defined at", x)
        for i in self.s.domain:
            for end, has in ((i.low, i.has_low), (i.high, i.has_high)):
                if (
                    "x**x" not in self.text
                    and str(end) not in ("oo", "-oo")
                    and end.exact is not None
                    and end.exact.is_Rational
                ):
                    self.say(
                        (self.f(mpmath.mpf(int(end.exact.p)) / int(end.exact.q)) is not None) == has,
                        "end of the domain",
                        end,
                    )

    def zeros(self):
        for z in self.s.zeros:
            around = [v for d in (-1, 0, 1) if (v := self.f(z.value + d * mpmath.mpf(10) ** -40)) is not None]
            self.say(around and min(map(abs, around)) < mpmath.mpf(10) ** -8, "zero at", z)
        if "the zeros of f" in self.s.doubts:
            return
        cuts = sorted([z.value for z in self.s.zeros] + [g.x.value for g in self.s.gaps])
        for a, b in pairwise(self.grid):
            if not self.inside(a) or any(a <= c <= b for c in cuts):
                continue
            u, v = self.f(a), self.f(b)
            if u is not None and v is not None and self.domain_of(a, b):
                self.say(u * v > 0 or (u == 0 and v == 0), "a zero is missing between", a, b)

    def signs(self):
        for c in (c for cells in self.s._chart.cells for c in cells):
            if c.signs[0] and not self.s.doubts:
                for x in samples(c.interval._replace(has_low=False, has_high=False), 9):
                    v = self.f(x)
                    self.say(v is not None and (v * c.signs[0] > 0 or abs(v) < mpmath.mpf(10) ** -40), "sign at", x)

    def monotone(self):
        for parts, sign, word in (
            (self.s.increasing, 1, "increasing"),
            (self.s.decreasing, -1, "decreasing"),
            (self.s.constant, 0, "constant"),
        ):
            for i in parts:
                values = [self.f(x) for x in samples(i)]
                self.say(None not in values, word, i, "where f is not defined")
                if None not in values:
                    steps = [b - a for a, b in pairwise(values)]
                    tiny = [mpmath.mpf(10) ** -50 * (1 + abs(a)) for a in values[1:]]
                    fits = all(d * sign > -t if sign else abs(d) <= t for d, t in zip(steps, tiny, strict=True))
                    self.say(fits, word, "on", i)

    def bends(self):
        for parts, sign, word in ((self.s.convex, 1, "convex"), (self.s.concave, -1, "concave")):
            for i in parts:
                xs = samples(i, 24)
                values = [self.f(x) for x in xs]
                self.say(None not in values, word, i, "where f is not defined")
                if None in values:
                    continue
                for (x, u), (z, w) in pairwise(zip(xs, values, strict=True)):
                    m = self.f((x + z) / 2)
                    room = mpmath.mpf(10) ** -45 * (1 + abs(u) + abs(w))
                    self.say(m is not None and sign * ((u + w) / 2 - m) > -room, word, "on", i, "at", x)

    def extrema(self):
        for e in self.s.extrema:
            sign = 1 if e.kind == "maximum" else -1
            y = self.f(e.x.value)
            near = self.f(e.x.value + mpmath.mpf(10) ** -45) if y is None else y
            near = self.f(e.x.value - mpmath.mpf(10) ** -45) if near is None else near
            self.say(near is not None and abs(near - e.y.value) < mpmath.mpf(10) ** -18, "value at", e)
            for d in (mpmath.mpf(10) ** -4, mpmath.mpf(10) ** -6):
                for v in (self.f(e.x.value - d), self.f(e.x.value + d)):
                    self.say(v is None or sign * (e.y.value - v) > -(mpmath.mpf(10) ** -40), e)
            if e.is_global:
                self.say(
                    all(v is None or sign * (e.y.value - v) > -(mpmath.mpf(10) ** -30) for v in map(self.f, self.grid)),
                    e,
                )
        if not self.s.doubts:
            self.missing_extrema()

    def missing_extrema(self):
        known = [e.x.value for e in self.s.extrema] + [g.x.value for g in self.s.gaps]
        known += [z for i in [*self.s.constant, *self.s.domain] for z in ends(i)]
        xs = self.grid
        for a, b, c in zip(xs, xs[1:], xs[2:], strict=False):
            if not self.domain_of(a, c) or any(a <= k <= c for k in known):
                continue
            u, v, w = self.f(a), self.f(b), self.f(c)
            if None not in (u, v, w):
                self.say((v - u) * (w - v) >= -(mpmath.mpf(10) ** -90), "an extremum is missing between", a, c)

    def inflections(self):
        d = mpmath.mpf(10) ** -4
        for i in self.s.inflections:
            bend = lambda x: self.f(x - d / 4) - 2 * self.f(x) + self.f(x + d / 4)
            y = self.f(i.x.value)
            self.say(y is not None and abs(y - i.y.value) < mpmath.mpf(10) ** -18, "value at the inflection point", i.x)
            self.say(bend(i.x.value - d) * bend(i.x.value + d) < 0, "inflection point", i.x)
            h = mpmath.mpf(10) ** -12
            slope = (self.f(i.x.value + h) - self.f(i.x.value - h)) / (2 * h)
            self.say(abs(slope - i.slope.value) < 1e-6 * (1 + abs(slope)), "slope", i.slope, "at", i.x)

    def asymptotes(self):
        for a in self.s.asymptotes:
            if a.kind == "vertical":
                for side in a.ends:
                    s = 1 if side == "+" else -1
                    values = [self.f(a.x.value + s * mpmath.mpf(10) ** -k) for k in (4, 12, 30)]
                    self.say(
                        None not in values and all(abs(b) > abs(a) for a, b in pairwise(values)),
                        "vertical asymptote",
                        a.x,
                    )
                continue
            for end in a.ends:
                s = 1 if str(end) == "oo" else -1
                gaps = [self.f(s * mpmath.mpf(10) ** k) for k in (2, 6, 12)]
                if None in gaps:
                    continue
                gaps = [
                    abs(v - a.slope.value * s * mpmath.mpf(10) ** k - a.height.value)
                    for v, k in zip(gaps, (2, 6, 12), strict=True)
                ]
                self.say(
                    gaps[2] <= gaps[0] and (gaps[2] < 0.2 or gaps[2] < gaps[0] / 3),
                    a.kind,
                    "asymptote",
                    a.slope,
                    a.height,
                )
        for g in self.s.gaps:
            for s, v in ((-1, g.below), (1, g.above)):
                if v is None or v == "?" or str(v) in ("oo", "-oo"):
                    continue
                w = self.f(g.x.value + s * mpmath.mpf(10) ** -20)
                self.say(w is not None and abs(w - v.value) < 0.1, "limit at", g.x)

    def range(self):
        if self.s.range is None:
            return
        parts, room = [ends(i) for i in self.s.range], mpmath.mpf(10) ** -25
        for v in map(self.f, self.grid):
            slack = 0 if v is None else room * (1 + abs(v))
            inside = v is None or any(low - slack <= v <= high + slack for low, high in parts)
            self.say(inside, "value outside of the range", v)

    def symmetry(self):
        for x in [mpmath.mpf(k) / 7 + mpmath.mpf("0.01") for k in range(40)]:
            u, v = self.f(x), self.f(-x)
            if self.s.symmetry is not None:
                sign = 1 if self.s.symmetry == "even" else -1
                self.say((u is None) == (v is None), "symmetric at", x)
                self.say(
                    u is None or v is None or abs(u - sign * v) < mpmath.mpf(10) ** -30 * (1 + abs(u)),
                    self.s.symmetry,
                    "at",
                    x,
                )
