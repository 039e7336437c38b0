"""The solution of an ordinary differential equation within bounds that are certain, by Lohner's method.

A step needs a box W that the solution does not leave. Its Taylor polynomial, with a remainder from W, is evaluated at
the middle of the state, and its derivative on the whole state. The state is c + Q r, where the matrix Q turns with the
flow, so that no step wraps a turned box in a larger one.

Source: Nedialkov, Jackson and Corliss, Validated Solutions of Initial Value Problems, 1999, sections 5 and 6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentError, NotProved, NotYet, ShapeError
from symgrad.proved.covering import Box, floats_of, heading, within
from symgrad.proved.enclosure import Flat
from symgrad.proved.interval import Interval, Undefined, as_ball, flint
from symgrad.proved.series import run
from symgrad.support.arguments import checked

Ball = Any  # flint.arb

_TRIES = 24  # how often a step is shortened until a box is found that the solution does not leave
_DEPENDENT = 100.0  # the condition of directions that are nearly dependent
_MUCH = 4.0  # times its share of ``atol`` that a remainder may be
_SHORTER, _LONGER = 0.7, 1.25  # what a step that fails is multiplied by, and the next after one that does not
_ROOM = 0.05  # by how much that box is larger than what is likely to be needed


class Solution(NamedTuple):
    """The solution of a differential equation, enclosed between guaranteed bounds.

    Attributes:
        value: bounds of y(t1), in the structure of y0.
        times: t0, the ends of the steps, and t1.
        tube: bounds of y(t) for all t from times[k] to times[k + 1].
        certificate: the claims that ``sg.prove.check`` verifies, as numbers, strings and lists.
    """

    value: Any
    times: list[float]
    tube: list[Any]
    certificate: dict[str, Any]


@checked
def ode(
    f: Callable[..., Any], y0: Any, t0: float, t1: float, *, atol: float = 1e-12, order: int = 20, steps: int = 2000,
    bits: int = 128,
) -> Solution:  # fmt: skip
    """Enclose y(t1) for y' = f(y, t), y(t0) = y0, and prove that the solution exists from t0 to t1.

    Args:
        f: a smooth function f(y, t), which returns the derivative in the structure of y.
        y0: a number or an array, which is exact; or a box, (lower, upper), for bounds of all solutions that start in
            it; or a dict of boxes.
        t0, t1: the first and the last time, t0 < t1.
        atol: approximately the width that the Taylor remainders add to the bounds; it determines the steps' lengths.
        order: the order of the Taylor polynomials.
        steps: the maximum number of steps.
        bits: the precision of the intervals' ends.

    Returns:
        A ``Solution`` with the fields ``value``, ``times``, ``tube`` and ``certificate``.

    Raises:
        NotProved: if the solution may cease to exist before t1, or if more steps would be needed.
        NotYet: if f has a kink or a jump, or an operation for which no power series is implemented.
        ShapeError: if f does not return as many numbers as y has.

    >>> sg.prove.ode(lambda y, t: y, 1.0, 0.0, 1.0).value
    Enclosure(lower=2.718281828459045, upper=2.7182818284590455)
    """
    if not (np.isfinite([t0, t1]).all() and t0 < t1):
        raise ArgumentError(f"prove.ode: times must be finite, t0 < t1. Got {t0} and {t1}. Backwards, solve for -t.")
    if not atol > 0 or order < 2 or steps < 1:
        raise ArgumentError(f"prove.ode: atol and steps must be positive, and order at least 2. Got {atol}, {order}.")
    start = y0 if isinstance(y0, (tuple, dict)) else (np.asarray(y0, np.float64),) * 2
    context = flint().ctx
    with context.workprec(bits):
        flow = Flow(Flat(f, [start, (t0, t1)]), order)
        times, tube, value = flow.followed(atol / (t1 - t0), steps)
        claims = {"order": order, "times": times, "tube": [w.tolist() for w in tube], "value": value.tolist()}
        certificate = {**heading("ode", flow.flat, bits), **claims}
    return Solution(flow.structured(value), times, [flow.structured(w) for w in tube], certificate)


class State(NamedTuple):
    """All y = c + Q r, of which r is a vector of balls about 0, and c and Q are exact; ``box`` contains them."""

    c: Any
    Q: Any
    r: Any

    @property
    def box(self) -> list[Ball]:
        """Bounds of y, which contain c."""
        away = self.Q * self.r
        return [(self.c[i, 0] + away[i, 0]).union(self.c[i, 0]) for i in range(self.c.nrows())]


class Flow:
    """A differential equation y' = f(y, t): the arguments of its flat function are y, and t last."""

    def __init__(self, flat: Flat, order: int) -> None:
        self.flat, self.order, self.size = flat, int(order), len(flat.box) - 1
        if flat.count != self.size:
            raise ShapeError(
                f"prove.ode: f returns {flat.count} numbers, but y has {self.size}. Expected equal numbers."
            )
        tapes = flat.tape(0), flat.tape(1)
        if None in tapes:
            raise NotYet("prove.ode: numbers of y choose the steps of f, as in an index. Write f without.")
        self.tapes: Any = tapes

    def structured(self, bounds: Any) -> Any:
        """Return bounds of y, (n, 2), in the structure of y0."""
        return self.flat.structured(np.vstack([bounds, [[0.0, 0.0]]]))[0]

    # -------------------------------------------------------------- series
    def series(self, ys: Sequence[Ball], t: Ball, order: int) -> list[list[Ball]]:
        """Return the Taylor coefficients y_0, …, y_order of the solution through (y, t), one list for each k.

        y_{k+1} = f_k / (k + 1), where f_k is the coefficient of f(y(t), t), which depends on y_0, …, y_k.
        """
        rows = [list(ys)]
        for k in range(order):
            slopes = self._run(0, rows, t)
            rows.append([f[k] / (k + 1) for f in slopes])
        return rows

    def _run(self, more: int, rows: list[list[Ball]], t: Ball) -> list[Any]:
        """Return the series of f, or of its derivatives, where y has these coefficients."""
        try:
            return run(self.tapes[more], [*zip(*rows, strict=True), [t, 1]], len(rows))
        except NotYet as error:
            raise NotYet(f"prove.ode: {error}. Write f with smooth functions, and choose the piece by hand.") from error

    def spread(self, rows: list[list[Ball]], t: float, h: Ball) -> Any:
        """Return the derivative of Σ_{k<p} h^k y_k with respect to y_0, by V' = f_y V, V_0 = I, on series of y."""
        slopes = self._slopes(rows, flint().arb(t))
        terms = [_unit(self.size)]
        for k in range(len(rows) - 1):
            new = slopes[0] * terms[k]
            for i in range(1, k + 1):
                new += slopes[i] * terms[k - i]
            terms.append(new / (k + 1))
        total = terms[-1]
        for v in terms[-2::-1]:
            total = total * h + v
        return total

    def _slopes(self, rows: list[list[Ball]], t: Ball) -> list[Any]:
        """Return the coefficients of f_y along the solution, matrices."""
        n, arb_mat = self.size, flint().arb_mat
        entries = self._run(1, rows, t)
        return [arb_mat([[entries[i * (n + 1) + j][k] for j in range(n)] for i in range(n)]) for k in range(len(rows))]

    # -------------------------------------------------------------- steps
    def start(self) -> State:
        """Return the state at t0."""
        balls = [as_ball(x) for x in self.flat.box[: self.size]]
        c = _column([b.mid() for b in balls])
        return State(c, _unit(self.size), _column(balls) - c)

    def rows(self, state: State, t: float) -> list[list[Ball]] | None:
        """Return the coefficients up to order p of the solutions in a state; None where f is undefined for some."""
        try:
            return self.series(state.box, flint().arb(t), self.order)
        except Undefined:
            return None

    def advanced(
        self, state: State, rows: list[list[Ball]], t: float, after: float, most: float, stated: Box | None = None
    ) -> tuple[Box, State] | None:
        """Return a box that the solution does not leave until a time, the stated one if there is one, and the state.

        Return None where the solution may leave the box, or where the remainder is wider than ``most``.
        """
        try:
            h = flint().arb(after) - flint().arb(t)
            box = _likely(rows, h) if stated is None else stated
            last = self.remainder(box, rows, t, h)
            if last is None or not max(float((y * h**self.order).rad()) for y in last) <= most:
                return None
            return box, self._step(state, rows, last, t, h)
        except Undefined:
            return None

    def remainder(self, box: Box, rows: list[list[Ball]], t: float, h: Ball) -> list[Ball] | None:
        """Return the coefficients of order p on a box that the solution does not leave for h; None where it may.

        While it is in the box, it is in Σ_{k<p} s^k y_k + s^p y_p(box), 0 ≤ s ≤ h; where that lies in the box's
        interior, the solution cannot reach its edge.
        """
        arb = flint().arb
        ends = [(arb(float(low)), arb(float(high))) for low, high in box]
        times, along = arb(t).union(arb(t) + h), arb(0).union(h)
        last = self.series([low.union(high) for low, high in ends], times, self.order)[-1]
        for (low, high), *terms in zip(ends, *rows[: self.order], last, strict=True):
            y = _sum(terms, along)
            if not (y.is_finite() and low < y and y < high):
                return None
        return last

    def _step(self, state: State, rows: list[list[Ball]], last: list[Ball], t: float, h: Ball) -> State:
        """Return the state after a step: the polynomial from the middle, the remainder, and the derivative times r."""
        middle = self.series([row[0] for row in state.c.tolist()], flint().arb(t), self.order - 1)
        ends = _column([_sum(terms, h) for terms in zip(*middle, last, strict=True)])
        across = self.spread(rows[: self.order], t, h) * state.Q
        if not (_is_finite(ends) and _is_finite(across)):
            raise Undefined("the bounds grow without limit")
        c, Q = ends.mid(), _turned(across, state.r)
        inverse = Q.inv()
        return State(c, Q, (inverse * across) * state.r + inverse * (ends - c))

    # -------------------------------------------------------------- search and check
    def followed(self, rate: float, steps: int) -> tuple[list[float], list[Box], Box]:
        """Return times, boxes that the solution does not leave between them, and its bounds at the last time."""
        (t, end), state, share = self.flat.box[-1].floats(), self.start(), 1.0
        times, tube = [t], list[Box]()
        while t < end:
            if len(tube) == steps:
                raise self._ended(t, f"not reached in {steps} steps")
            t, (box, state), share = self._longest(state, t, end, rate, min(_LONGER * share, 1.0))
            times.append(t)
            tube.append(box)
        return times, tube, _widened(_floats(state.box))

    def _longest(self, state: State, t: float, end: float, rate: float, share: float) -> tuple[float, Any, float]:
        """Return the end of a step, the step, and which share of the length its first guess is; shorter ones follow."""
        rows = self.rows(state, t)
        h = 0.0 if rows is None else min(self._length(rows[-1], rate), end - t)
        for _ in range(_TRIES):
            after = end if share == 1.0 and t + h >= end else min(t + share * h, end)
            step = self.advanced(state, rows, t, after, _MUCH * rate * (after - t)) if rows and after > t else None
            if step is not None:
                return after, step, share
            share *= _SHORTER
        raise self._ended(t, "not certain: no box is certain to contain the solution for a time")

    def _length(self, last: list[Ball], rate: float) -> float:
        """Return the length h of a step with |y_p| h^p = rate h."""
        size = max(float(y.abs_upper()) for y in last)
        return float((rate / size) ** (1 / (self.order - 1))) if 0 < size < np.inf else np.inf if not size else 0.0

    @staticmethod
    def _ended(t: float, why: str) -> NotProved:
        return NotProved(
            f"prove.ode: the solution beyond t = {t!r} is {why}. It may end there, or its bounds have become wide: "
            "choose an earlier t1, a smaller box, a smaller atol=, or more steps= or bits=."
        )

    def holds(self, certificate: dict[str, Any]) -> bool:
        """Whether a certificate is right."""
        times, tube = certificate["times"], [np.array(w, np.float64) for w in certificate["tube"]]
        ends = list(self.flat.box[-1].floats())
        if [times[0], times[-1]] != ends or len(times) != len(tube) + 1 or any(a >= b for a, b in pairwise(times)):
            return False
        state = self.start()
        for (t, after), box in zip(pairwise(times), tube, strict=True):
            rows = self.rows(state, t) if box.shape == (self.size, 2) else None
            step = None if rows is None else self.advanced(state, rows, t, after, np.inf, box)
            if step is None:
                return False
            state = step[1]
        return within(_floats(state.box), np.array(certificate["value"], np.float64))


# ------------------------------------------------------------------ balls
def _sum(terms: Sequence[Ball], h: Ball) -> Ball:
    """Return Σ h^k y_k."""
    total = terms[-1]
    for y in terms[-2::-1]:
        total = total * h + y
    return total


def _likely(rows: list[list[Ball]], h: Ball) -> Box:
    """Return a box of floats that the solution with these coefficients is likely not to leave for h."""
    along = flint().arb(0).union(h)
    box = _floats([_sum(terms, along) for terms in zip(*rows, strict=True)])
    room = _ROOM * (box[:, 1] - box[:, 0]) + 4 * np.spacing(np.abs(box).max(axis=1))
    return np.stack([box[:, 0] - room, box[:, 1] + room], axis=-1)


def _floats(balls: Sequence[Ball]) -> Box:
    """Return balls as a box of floats, rounded outward."""
    if not all(b.is_finite() for b in balls):
        raise Undefined("the bounds grow without limit")
    return floats_of([Interval(b.lower(), b.upper()) for b in balls])


def _widened(x: Box) -> Box:
    """Return a box with a little room, which the rounding of Q on another machine may need."""
    room = 1e-9 * (x[:, 1] - x[:, 0])
    return np.stack([x[:, 0] - room, x[:, 1] + room], axis=-1)


def _turned(across: Any, r: Any) -> Any:
    """Return the directions of across · r: its columns, or if they are nearly dependent orthogonal ones, longest first.

    Columns keep a linear flow exact; orthogonal directions keep the remainders' boxes small, up to rounding.
    """
    matrix = np.array([[float(x.mid()) for x in row] for row in across.tolist()])
    lengths = np.linalg.norm(matrix, axis=0)
    if lengths.all() and np.linalg.cond(matrix / lengths) < _DEPENDENT:
        return flint().arb_mat((matrix / lengths).tolist())
    order = np.argsort(-lengths * [float(row[0].abs_upper()) for row in r.tolist()], kind="stable")
    return flint().arb_mat(np.linalg.qr(matrix[:, order])[0].tolist())


def _column(balls: Sequence[Ball]) -> Any:
    return flint().arb_mat([[b] for b in balls])


def _unit(n: int) -> Any:
    return flint().arb_mat(np.eye(n).tolist())


def _is_finite(matrix: Any) -> bool:
    return all(x.is_finite() for row in matrix.tolist() for x in row)
