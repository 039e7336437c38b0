"""Integrals between bounds: Taylor polynomials of pieces, and bounds of what they leave out."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentError, NotProved, ShapeError
from symgrad.proved.covering import floats_of, heading, intervals_of, objects
from symgrad.proved.enclosure import Enclosure, Flat
from symgrad.proved.interval import Interval, Undefined, flint
from symgrad.support.arguments import checked


class Integral(NamedTuple):
    """An integral, between bounds that are certain."""

    value: Enclosure
    certificate: dict[str, Any]


@checked
def integral(f: Callable[..., Any], box: Any, *, atol: float = 1e-10, pieces: int = 5000, bits: int = 128) -> Integral:
    """Enclose ∫ f(x) dx between two numbers.

    The integral over a piece of width w about c is w f(c) + w³/24 f″(c) + w⁵/1920 f⁗(ξ). Where a condition of the
    program is open, it is between w times bounds of f.

    Args:
        f: a function of one number, with one number as its result.
        box: the pair (lower, upper) of the limits.
        atol: the piece that is least certain is halved until the bounds are as near as this.
        pieces: or until there are so many. The bounds are certain in any case.
        bits: of the ends of intervals.

    Returns:
        An ``Integral`` with the fields ``value`` and ``certificate``.

    Raises:
        NotProved: f is undefined or unbounded in a part that is not halved further.

    >>> lower, upper = sg.prove.integral(lambda x: sg.exp(-x * x), (0.0, 1.0)).value
    >>> lower < 0.746824132812427 < upper, upper - lower < 1e-10
    (True, True)
    """
    if not atol > 0 or pieces < 1:
        raise ArgumentError(f"prove.integral: atol and pieces must be positive. Got {atol} and {pieces}.")
    with flint().ctx.workprec(bits):
        problem = Pieces(Flat(f, box))
        cuts = problem.divided(atol, pieces)
        value = list(problem.total(cuts).floats())
        certificate = {**heading("integral", problem.flat, bits), "value": value, "cuts": cuts}
    return Integral(Enclosure(*value), certificate)


class Pieces:
    """A function of one number on pieces of an interval."""

    def __init__(self, flat: Flat) -> None:
        self.flat = flat
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
        while len(queue) < pieces and -queue[0][0] * len(queue) > atol:
            error, a, b = heappop(queue)
            middle = a + (b - a) / 2
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
                    f"prove.integral: f is undefined or unbounded somewhere between {a} and {b}. Choose other limits."
                ) from error
        return total

    def piece(self, a: float, b: float) -> Interval:
        """Return the integral over a piece."""
        x = intervals_of(np.array([[a, b]]))
        width, middle = Interval.of(b) - Interval.of(a), (Interval.of(a) + Interval.of(b)) / 2
        value, is_open = self.flat.run(0, x)
        plain: Interval = width * value[0]
        if is_open or not middle.is_point:
            return plain
        c = objects([middle])
        try:
            (bend,) = self.flat.run(2, c)[0].flat
            rest, is_open = self.flat.run(4, x)
        except Undefined:
            return plain
        form = width * self.flat.run(0, c)[0][0] + width**3 * bend / 24 + width**5 * rest.flat[0] / 1920
        return plain if is_open else plain.meet(form)

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


def _push(queue: list[tuple[float, float, float]], problem: Pieces, a: float, b: float) -> None:
    try:
        low, high = problem.piece(a, b).floats()
    except Undefined:
        low, high = -np.inf, np.inf
    heappush(queue, (low - high, a, b))
