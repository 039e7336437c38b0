"""Newton's method on boxes: what is left of a box that may have a zero, and whether it has exactly one.

Source: Neumaier, Interval Methods for Systems of Equations, 1990, chapter 5; Krawczyk, 1969.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.proved.covering import Box, floats_of, intervals_of, middle_of, point, within
from symgrad.proved.interval import Interval, Undefined, as_ball, flint

Run = Callable[[int, Any], tuple[Any, bool]]  # derivatives 0 or 1 of a system, on intervals


class System:
    """A square system F(x) = 0 with its Jacobian, on boxes of floats."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def values(self, x: Box) -> tuple[Any, bool] | None:
        """Return F on a box, and whether a condition is open; None where F is undefined somewhere."""
        try:
            return self.run(0, intervals_of(x))
        except Undefined:
            return None

    def slopes(self, x: Box) -> Any:
        """Return F's Jacobian on a box, or None where it has none: where F is not smooth, or a slope has no bound."""
        try:
            slopes, is_open = self.run(1, intervals_of(x))
        except Undefined:
            return None
        return None if is_open else slopes

    def contracted(self, x: Box) -> tuple[Box | None, Any] | None:
        """Return what Newton's step leaves of a box, None for nothing, and Y F'(x); None where it says nothing.

        Every zero in the box lies in what is left.
        """
        terms = self._terms(x)
        if terms is None:
            return None
        c, step, matrix, away = terms
        n = len(x)
        bounds, off = x.copy(), flint().arb_mat(matrix)
        for i in range(n):
            off[i, i] = 0
        rest = off * away
        for i in range(n):
            slope = matrix[i, i]
            if slope.contains(0):
                continue
            new = floats_of([_interval(flint().arb(float(c[i])) - (step[i, 0] + rest[i, 0]) / slope)])[0]
            bounds[i] = max(bounds[i, 0], new[0]), min(bounds[i, 1], new[1])
            if bounds[i, 0] > bounds[i, 1]:
                return None, matrix
        return bounds, matrix

    @staticmethod
    def is_nearly_linear(matrix: Any) -> bool:
        """Whether |I - Y F'(x)| < 1, so that a box around x is likely to have exactly one zero."""
        n = matrix.nrows()
        sums = [sum(float((matrix[i, j] - (i == j)).abs_upper()) for j in range(n)) for i in range(n)]
        return max(sums) < 1

    def has_one_zero(self, x: Box) -> bool:
        """Whether F, which is smooth on the box, has exactly one zero in it: Krawczyk's operator maps it inside."""
        image = self._image(x)
        ends = intervals_of(x)
        return image is not None and all(
            bool(y.lower < z.lower and z.upper < y.upper) for y, z in zip(ends, image, strict=True)
        )

    def has_zero(self, x: Box) -> bool:
        """Whether F has a zero in the box: it vanishes at a point, or has exactly one."""
        if (x[:, 0] == x[:, 1]).all():
            value = self.values(x)
            return value is not None and all(y.is_point and y.contains(0) for y in value[0])
        return self.has_one_zero(x)

    def _image(self, x: Box) -> list[Interval] | None:
        """Return what Krawczyk's operator makes of a box."""
        terms = self._terms(x)
        if terms is None:
            return None
        c, step, matrix, away = terms
        arb_mat, n = flint().arb_mat, len(x)
        change = (arb_mat(np.eye(n).tolist()) - matrix) * away - step
        return [_interval(flint().arb(float(c[i])) + change[i, 0]) for i in range(n)]

    def _terms(self, x: Box) -> tuple[Any, ...] | None:
        """c, Y F(c), Y F'(x) and x - c, for the middle c and about the inverse Y of the Jacobian's middle."""
        values, slopes = self.values(x), self.slopes(x)
        if values is None or values[1] or slopes is None or not all(s.is_finite for s in slopes.flat):
            return None
        c = middle_of(x)
        at = self.values(point(c))
        if at is None:
            return None
        try:
            inverse = np.linalg.inv(_middles(slopes))
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(inverse).all():
            return None
        y = flint().arb_mat(inverse.tolist())
        away = intervals_of(x) - intervals_of(point(c))
        return c, y * _matrix(at[0][:, None]), y * _matrix(slopes), _matrix(away[:, None])

    def polished(self, c: Any) -> Any:
        """Return a point near a zero, by a few of Newton's steps in floats; None where they fail."""
        for _ in range(12):
            value, slopes = self.values(point(c)), self.slopes(point(c))
            if value is None or slopes is None:
                return None
            try:
                step = np.linalg.solve(_middles(slopes), _middles(value[0]))
            except np.linalg.LinAlgError:
                return None
            if not np.isfinite(step).all():
                return None
            c, before = c - step, c
            if (np.abs(c - before) <= 4e-16 * np.abs(c)).all():
                break
        return c

    def isolated(self, x: Box) -> tuple[Box, Box] | None:
        """Return a box around x with exactly one zero, and a tiny box with it; None where that is not certain."""
        c = self.polished(middle_of(x))
        if c is None:
            return None
        room = 0.1 * (x[:, 1] - x[:, 0]) + 1e-12 * np.maximum(1e-3, np.abs(c))
        if not within(point(c), np.stack([x[:, 0] - room, x[:, 1] + room], axis=-1)):
            return None
        low, high = np.minimum(x[:, 0], c) - room, np.maximum(x[:, 1], c) + room
        around = np.stack([low, high], axis=-1)
        if not self.has_one_zero(around):
            return None
        for tiny in self._tiny(c):
            if within(tiny, around) and self.has_zero(tiny):
                image = self._image(tiny)
                inner = tiny if image is None else floats_of(image)
                return around, inner if self.has_zero(inner) else tiny
        return None

    def isolates(self, x: Box, pair: Any) -> bool:
        """Whether a box around x has exactly one zero, and a tiny box has it, as ``isolated`` returned them."""
        around, tiny = (np.array(b, np.float64) for b in pair)
        return within(x, around) and within(tiny, around) and self.has_one_zero(around) and self.has_zero(tiny)

    def _tiny(self, c: Any) -> Any:
        """Boxes around a point, the smallest first."""
        for y in (c, np.round(c, 12)):
            yield point(y + 0.0)
        for ulps in 4.0 ** np.arange(0, 12):
            size = ulps * np.maximum(np.spacing(np.abs(c)), 1e-20)
            yield np.stack([c - size, c + size], axis=-1)


def _middles(xs: Any) -> Any:
    flat = [float((x.lower + x.upper).mid()) / 2 for x in xs.flat]
    return np.array(flat, np.float64).reshape(xs.shape)


def _matrix(xs: Any) -> Any:
    """Intervals as a matrix of balls."""
    return flint().arb_mat([[as_ball(x) for x in row] for row in xs])


def _interval(ball: Any) -> Interval:
    return Interval(ball.lower(), ball.upper())
