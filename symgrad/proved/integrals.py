"""Integrals between bounds: Taylor polynomials of pieces, and bounds of what they leave out.

Where f is unbounded at an end, or the end is infinite, f is bounded by powers of the distance to it: see ``ends``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentError, NotProved, NotYet, ShapeError
from symgrad.proved.covering import floats_of, heading, intervals_of, objects
from symgrad.proved.enclosure import Enclosure, Flat
from symgrad.proved.ends import End
from symgrad.proved.interval import Interval, Undefined, flint
from symgrad.proved.series import run
from symgrad.support.arguments import checked

_ORDER = 20  # of the Taylor polynomials, which is even


class Integral(NamedTuple):
    """An integral, enclosed between guaranteed bounds."""

    value: Enclosure
    certificate: dict[str, Any]


@checked
def integral(f: Callable[..., Any], box: Any, *, atol: float = 1e-10, pieces: int = 5000, bits: int = 128) -> Integral:
    """Enclose ∫ f(x) dx between two limits, which may be infinite.

    On a piece where f is smooth, its Taylor polynomial of order 20 about the middle is integrated, with certain bounds
    of the remainder. If a condition of the program holds only in a part of a piece, the integral is bounded by the
    width times bounds of f. At an end where f is unbounded, and at infinity, f is bounded by c + sᵖ r, where s is the
    distance to the end, or 1/|x|. Such bounds must exist with an integrable power: they do for x^-0.5, log x, exp(-x²)
    and 1/(1 + x²), but not for (sin x)/x. A singularity must be one of the limits, or a point at which repeated
    halving divides the range.

    Args:
        f: a function of one number, with one number as its result.
        box: the limits of integration (lower, upper); -inf and inf are allowed.
        atol: the piece with the widest bounds is halved until the bounds of the integral differ by at most this.
        pieces: the maximum number of pieces. If it is reached, the bounds are wider, but still certain.
        bits: the precision of the intervals' ends.

    Returns:
        An ``Integral`` with the fields ``value`` and ``certificate``.

    Raises:
        NotProved: if f is undefined or unbounded in a piece that cannot be halved further, or may have no integral.

    Source: Tucker, Validated Numerics, 2011, section 5.4, for the polynomials.

    >>> lower, upper = sg.prove.integral(lambda x: sg.exp(-x * x), (0.0, np.inf)).value
    >>> lower < 0.886226925452758 < upper, upper - lower < 1e-10  # √π/2
    (True, True)
    """
    if not atol > 0 or pieces < 1:
        raise ArgumentError(f"prove.integral: atol and pieces must be positive. Got {atol} and {pieces}.")
    with flint().ctx.workprec(bits):
        problem = Pieces(Flat(f, box, is_bounded=False))
        cuts = problem.divided(atol, pieces)
        value = list(problem.total(cuts).floats())
        certificate = {**heading("integral", problem.flat, bits), "value": value, "cuts": cuts}
    return Integral(Enclosure(*value), certificate)


class Pieces:
    """A function of one number on pieces of an interval, which may be infinite."""

    def __init__(self, flat: Flat) -> None:
        self.flat, self._known = flat, dict[tuple[float, float], Interval]()
        if len(flat.box) != 1 or flat.count != 1:
            raise ShapeError(
                f"prove.integral: f has {len(flat.box)} arguments and {flat.count} results, in numbers. Expected one "
                "each."
            )

    def divided(self, atol: float, pieces: int) -> list[float]:
        """Return the ends of pieces, of which the least certain are halved."""
        (ends,) = floats_of(self.flat.box).tolist()
        queue: list[tuple[float, float, float]] = []
        _push(queue, self, *ends)
        while len(queue) < pieces and not _is_near(queue, atol):
            error, a, b = heappop(queue)
            middle = _middle(a, b)
            if not a < middle < b:
                heappush(queue, (error, a, b))
                break
            _push(queue, self, a, middle)
            _push(queue, self, middle, b)
        return [*sorted(a for _, a, _ in queue), ends[1]]

    def total(self, cuts: list[float]) -> Interval:
        """Return the sum of the pieces' integrals."""
        total = Interval.of(0)
        for a, b in pairwise(cuts):
            try:
                total = total + self.piece(a, b)
            except Undefined as error:
                raise NotProved(
                    f"prove.integral: f is undefined or unbounded somewhere between {a} and {b}, or has no integral "
                    "there. Choose other limits."
                ) from error
        return total

    # -------------------------------------------------------------- one piece
    def piece(self, a: float, b: float) -> Interval:
        """Return the integral over a piece."""
        if (a, b) not in self._known:
            self._known[a, b] = self._bounds(a, b)
        return self._known[a, b]

    def _bounds(self, a: float, b: float) -> Interval:
        """Return the integral by bounds of f and by its polynomial; by powers where f has no bound."""
        plain, is_open = self._plain(a, b)
        if plain is None:
            return self._at_an_end(a, b)
        try:
            form = plain if is_open else self._smooth(a, b)
        except (Undefined, NotYet):
            return plain
        return plain.meet(form) if form.is_finite else plain

    def _plain(self, a: float, b: float) -> tuple[Interval | None, bool]:
        """Return the width times bounds of f, None where there are none, and whether a condition is open."""
        try:
            value, is_open = self.flat.run(0, intervals_of(np.array([[a, b]])))
            plain = (Interval.of(b) - Interval.of(a)) * value[0]
        except Undefined:
            return None, False
        return plain if plain.is_finite else None, is_open

    def _smooth(self, a: float, b: float) -> Interval:
        """Return ∫ Σ f_k (x - c)^k dx about a point c; the last, even k has the coefficients of the whole piece."""
        tape, c, arb = self.flat.tape(0), a + (b - a) / 2, flint().arb
        if tape is None:
            return self._of_fourth_order(a, b)
        try:
            middle, last = (run(tape, [[x, 1]], _ORDER + 1)[0] for x in (arb(c), arb(a).union(arb(b))))
        except NotYet:
            return self._of_fourth_order(a, b)
        left, right, total = arb(a) - arb(c), arb(b) - arb(c), arb(0)
        for k in range(_ORDER + 1):
            total += (middle if k < _ORDER else last)[k] * (right ** (k + 1) - left ** (k + 1)) / (k + 1)
        return Interval(total.lower(), total.upper())

    def _of_fourth_order(self, a: float, b: float) -> Interval:
        """Return w f(c) + w³/24 f″(c) + w⁵/1920 f⁗(ξ), of functions without series."""
        width, middle = Interval.of(b) - Interval.of(a), (Interval.of(a) + Interval.of(b)) / 2
        if not middle.is_point:
            raise Undefined("a middle that is rounded")
        c = objects([middle])
        (bend,) = self.flat.run(2, c)[0].flat
        rest, is_open = self.flat.run(4, intervals_of(np.array([[a, b]])))
        if is_open:
            raise Undefined("a derivative with a condition")
        total: Interval = width * self.flat.run(0, c)[0][0] + width**3 * bend / 24 + width**5 * rest.flat[0] / 1920
        return total

    def _at_an_end(self, a: float, b: float) -> Interval:
        """Return the integral by bounds of f in powers of the distance to an end, or of the reciprocal of x."""
        tape = self.flat.tape(0)
        if tape is None:
            raise Undefined("a program whose steps depend on values")
        for start, slope, width, weight in _ends(a, b):
            one = Fraction(1 if weight == 0 else -1)
            try:
                end = End(width)
                y = end.integral(end.run(tape, end.near(start, one, Interval.of(slope))), weight)
            except Undefined:
                continue
            if y.is_finite:
                return y
        raise Undefined("an integrand without a bound")

    def holds(self, certificate: dict[str, Any]) -> bool:
        """Whether a certificate is right."""
        cuts, (ends,) = certificate["cuts"], floats_of(self.flat.box).tolist()
        if [cuts[0], cuts[-1]] != ends or any(a > b for a, b in pairwise(cuts)):
            return False
        try:
            low, high = self.total(cuts).floats()
        except NotProved:
            return False
        return bool(certificate["value"][0] <= low and high <= certificate["value"][1])


def _ends(a: float, b: float) -> Iterator[tuple[Interval, int, Interval, int]]:
    """Yield how x depends on s at the ends of a piece: x = x₀ ± s or ± 1/s, the largest s, and k of dx = s^k ds."""
    zero = Interval.of(0)
    if np.isfinite([a, b]).all():
        width = Interval.of(b) - Interval.of(a)
        yield Interval.of(a), 1, width, 0
        yield Interval.of(b), -1, width, 0
    elif 0 < a < np.inf:
        yield zero, 1, 1 / Interval.of(a), -2
    elif -np.inf < b < 0:
        yield zero, -1, -1 / Interval.of(b), -2


def _middle(a: float, b: float) -> float:
    """Return where a piece is divided: an infinite one where its end doubles."""
    if np.isfinite([a, b]).all():
        return a + (b - a) / 2
    if np.isfinite(b):
        return min(2 * b, -1.0)
    return max(2 * a, 1.0) if np.isfinite(a) else 0.0


def _is_near(queue: list[tuple[float, float, float]], atol: float) -> bool:
    """Whether the bounds are as near as this."""
    return -queue[0][0] * len(queue) <= atol or -sum(error for error, _, _ in queue) <= atol


def _push(queue: list[tuple[float, float, float]], problem: Pieces, a: float, b: float) -> None:
    try:
        low, high = problem.piece(a, b).floats()
    except Undefined:
        low, high = -np.inf, np.inf
    heappush(queue, (low - high, a, b))
