"""Newton's method on boxes: what is left of a box that may have a zero, and whether it has exactly one.

Source: Neumaier, Interval Methods for Systems of Equations, 1990, chapter 5; Krawczyk, 1969.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from symgrad.proved.covering import Box, floats_of, intervals_of, middle_of, point, within
from symgrad.proved.interval import Interval, Undefined, as_ball, flint
from symgrad.proved.inverses import Empty, quotient
from symgrad.proved.slopes import Number
from symgrad.proved.slopes import run as run_slopes
from symgrad.proved.tape import Tape

Run = Callable[[int, Any], tuple[Any, bool]]  # derivatives 0 or 1 of a system, on intervals


class Model(NamedTuple):
    """F(x) in at + S (x - c) on a box, with x - c."""

    c: Any
    at: list[Any]
    slopes: Any
    away: list[Any]


class Step(NamedTuple):
    """What is left of a box, None for nothing; Y S; and how much each argument contributes to the width of F."""

    left: Box | None
    matrix: Any
    importance: Any


class System:
    """A square system F(x) = 0 with its Jacobian, on boxes of floats."""

    def __init__(self, run: Run, tape: Tape | None = None) -> None:
        self.run, self.tape = run, tape

    def solved(self, x: Box) -> tuple[Box | None, bool] | None:
        """Return what F(x) = 0 leaves of a box, None for nothing, and whether a condition is open; None as ``values``.

        The program is followed backward, from its results to its arguments.
        """
        try:
            if self.tape is None:
                value, is_open = self.run(0, intervals_of(x))
                return x if all(y.contains(0) for y in value) else None, is_open
            left, is_open = self.tape.solved(intervals_of(x))
        except Empty:
            return None, False
        except Undefined:
            return None
        return floats_of(left), is_open

    def values(self, x: Box) -> tuple[Any, bool] | None:
        """Return F on a box, and whether a condition is open; None where F is undefined somewhere."""
        try:
            return self.run(0, intervals_of(x))
        except Undefined:
            return None

    def jacobian(self, x: Box) -> Any:
        """Return F's Jacobian on a box as a matrix of balls; None where F is not smooth, or a slope has no bound."""
        numbers = None if self.tape is None else run_slopes(self.tape, intervals_of(x))
        if numbers is not None:
            slopes = _rows(numbers, len(x))
        else:
            try:
                (_, is_open), (slopes, is_bent) = (self.run(more, intervals_of(x)) for more in (0, 1))
            except Undefined:
                return None
            if is_open or is_bent:
                return None
            slopes = flint().arb_mat([[as_ball(y) for y in row] for row in slopes])
        return slopes if all(y.is_finite() for y in slopes.entries()) else None

    def contracted(self, x: Box) -> Step | None:
        """Return what Newton's step leaves of a box, with every zero in it; None where it says nothing.

        The equations at + S (x - c) = 0, and then the same times an approximate inverse, are solved for one argument
        after another: the step of Hansen and Sengupta.
        """
        try:
            model = self._model(x)
        except Empty:
            return Step(None, None, None)
        inverse = None if model is None else _inverse(model.slopes)
        if model is None or inverse is None:
            return None
        c, at, slopes, away = model
        n, matrix = len(x), inverse * slopes
        try:
            _sweep(slopes.tolist(), at, away, [(i, j) for i in range(n) for j in range(n)])
            _sweep(matrix.tolist(), (inverse * _column(at)).entries(), away, [(i, i) for i in range(n)])
        except Empty:
            return Step(None, matrix, None)
        left = floats_of([_interval(d + float(y)) for d, y in zip(away, c, strict=True)])
        left = np.stack([np.maximum(left[:, 0], x[:, 0]), np.minimum(left[:, 1], x[:, 1])], axis=-1)
        return Step(left, matrix, _importance(slopes, x[:, 1] - x[:, 0]))

    def _model(self, x: Box) -> Model | None:
        """F on a box, as at + S (x - c) with the middle c: by slopes of the program, or by bounds of the Jacobian."""
        c = middle_of(x)
        numbers = None
        if self.tape is not None:
            numbers = run_slopes(self.tape, intervals_of(x), [flint().arb(float(y)) for y in c])
        if numbers is None:
            return self._by_derivatives(x)
        if not all(y.value.contains(0) for y in numbers):
            raise Empty
        slopes = _rows(numbers, len(x))
        is_finite = all(y.is_finite() for y in slopes.entries())
        return Model(c, [y.center for y in numbers], slopes, _away(x, c)) if is_finite else None

    def _by_derivatives(self, x: Box) -> Model | None:
        """The same by bounds of the Jacobian."""
        slopes, c = self.jacobian(x), middle_of(x)
        at = None if slopes is None else self.values(point(c))
        return None if at is None else Model(c, [as_ball(y) for y in at[0]], slopes, _away(x, c))

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
        """Return what Krawczyk's operator makes of a box: c - Y F(c) + (I - Y F'(x)) (x - c)."""
        model = self._by_derivatives(x)
        inverse = None if model is None else _inverse(model.slopes)
        if model is None or inverse is None:
            return None
        unit = flint().arb_mat(np.eye(len(x)).tolist())
        change = (unit - inverse * model.slopes) * _column(model.away) - inverse * _column(model.at)
        return [_interval(d + float(y)) for d, y in zip(change.entries(), model.c, strict=True)]

    def polished(self, c: Any) -> Any:
        """Return a point near a zero, by a few of Newton's steps in floats; None where they fail."""
        for _ in range(12):
            value, slopes = self.values(point(c)), self.jacobian(point(c))
            if value is None or slopes is None:
                return None
            try:
                step = np.linalg.solve(_middles(slopes), [float(as_ball(y).mid()) for y in value[0]])
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


def _sweep(rows: list[list[Any]], at: list[Any], away: list[Any], pairs: list[tuple[int, int]]) -> None:
    """Solve equation i for argument j, for each of the pairs, and narrow x - c."""
    for i, j in pairs:
        row = rows[i]
        rest = sum((a * d for k, (a, d) in enumerate(zip(row, away, strict=True)) if k != j), start=at[i])
        if not (rest.contains(0) and row[j].contains(0)):
            away[j] = as_ball(quotient(_interval(-rest), _interval(row[j]), _interval(away[j])))


def _importance(slopes: Any, widths: Any) -> Any:
    """The sum over the equations of each argument's part of the width, weighed by its own width."""
    size = np.array([float(s.abs_upper()) for s in slopes.entries()]).reshape(len(widths), -1) * widths
    total = size.sum(axis=1, keepdims=True)
    return (size / np.where(total > 0, total, 1.0)).sum(axis=0) * np.sqrt(widths)


def _away(x: Box, c: Any) -> list[Any]:
    return [as_ball(y) - float(z) for y, z in zip(intervals_of(x), c, strict=True)]


def _inverse(slopes: Any) -> Any:
    """About the inverse of a matrix of balls; None where it is singular."""
    try:
        inverse = np.linalg.inv(_middles(slopes))
    except np.linalg.LinAlgError:
        return None
    return flint().arb_mat(inverse.tolist()) if np.isfinite(inverse).all() else None


def _column(xs: list[Any]) -> Any:
    return flint().arb_mat([[x] for x in xs])


def _middles(matrix: Any) -> Any:
    """The midpoints of a square matrix of balls, as floats."""
    return np.array([float(y.mid()) for y in matrix.entries()]).reshape(matrix.nrows(), -1)


def _rows(numbers: list[Number], count: int) -> Any:
    """The slopes of numbers as a matrix."""
    return flint().arb_mat([[y.row.get(k, 0) for k in range(count)] for y in numbers])


def _interval(ball: Any) -> Interval:
    return Interval(ball.lower(), ball.upper())
