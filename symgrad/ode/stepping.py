"""Steps of chosen sizes, on arrays: the walk along a solution, what is kept of it, and the way back.

Each step is one call of a compiled program. Of n steps the states of at most about √n are kept once they are many;
those between are walked again, by the same decisions, when the derivative comes by.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler import compile as compiled
from symgrad.core.kernels import canonical
from symgrad.errors import NotConverged
from symgrad.ode.tableaus import Explicit, Rosenbrock
from symgrad.solvers import bodies
from symgrad.support.forks import Lock
from symgrad.support.frozen import frozen
from symgrad.transforms.loops.body import Body

_KEPT = 2**14  # numbers that are kept before states are thinned out
_RECALLED = 4
_SAFE, _LEAST, _MOST = 0.9, 0.2, 10.0  # Hairer, Nørsett, Wanner I, section II.4
_ADVICE = (
    "Take method='rodas4' or 'BDF' where the equation is stiff; look at f there; or ask for less by rtol and atol."
)


@frozen
class Control:
    """How steps are chosen.

    Attributes:
        method: the coefficients.
        rtol, atol: the error allowed in a step, relative to the state and absolute.
        most: the number of steps, rejected ones included.
        kept: the most states that are kept; None chooses.
    """

    method: Explicit | Rosenbrock
    rtol: float
    atol: float
    most: int
    kept: int | None = None


class Mark(NamedTuple):
    """Where a walk can go on: time, state, the step proposed, the last error, the next output, the steps made."""

    t: float
    y: Any
    h: float
    error: float
    output: int
    tried: int


class Made(NamedTuple):
    """A step: where it began, its size, and the outputs in it as numbers with their parts σ of the step."""

    mark: Mark
    h: float
    outputs: list[tuple[int, float]]


class Steps:
    """The steps of one system, for given times and parameters.

    Args:
        step: one step, of a state (c, n).
        base: the right side of the first of the c rows, which alone is controlled.
        control: how.
        ts, thetas: arrays.
    """

    def __init__(self, step: Body, base: Body, control: Control, ts: Any, thetas: Sequence[Any]) -> None:
        self.control, self.ts, self.thetas = control, [float(t) for t in np.ravel(ts)], tuple(thetas)
        self.step, self.base, self._step = step, base, machine(step)
        self.kept: list[Made] = []
        self.stride, self.count = 1, 0

    # -------------------------------------------------------------- there
    def forward(self, start: Any) -> Any:
        """Walk from the start to the last time; return the states at all times, (c, m, n)."""
        found = np.empty((start.shape[0], len(self.ts), start.shape[1]))
        found[:, 0] = start
        if len(self.ts) > 1:
            with np.errstate(all="ignore"):
                for made, end, between in self.walk(self.first(start)):
                    for k, part in made.outputs:
                        found[:, k] = end if part == 1.0 else between_at(made.mark.y, between, part)
                    self._keep(made)
        return found

    def walk(self, mark: Mark) -> Iterator[tuple[Made, Any, Any]]:
        """Go on from a mark; of each step what was made, the state after it, and the polynomial in between."""
        control, ts, thetas, step = self.control, self.ts, self.thetas, self._step
        last, order = ts[-1], self.control.method.order
        sign = 1.0 if last >= ts[0] else -1.0
        t, y, h, before, output, tried = mark
        while output < len(ts):
            rest = last - t
            is_last = abs(h) >= abs(rest) * (1 - 1e-12)
            taken = rest if is_last else h
            end, between, error = step(y, t, taken, control.rtol, control.atol, *thetas)
            error, tried = float(error), tried + 1
            if error <= 1.0:
                after = last if is_last else t + taken
                outputs = []
                while output < len(ts) and (ts[output] - after) * sign <= 0:
                    outputs.append((output, 1.0 if ts[output] == after else (ts[output] - t) / taken))
                    output += 1
                yield Made(mark, taken, outputs), end, between
                size = max(error, 1e-10)
                grow = _SAFE * size ** (-0.7 / order) * before ** (0.4 / order)
                h = taken * min(_MOST, max(_LEAST, grow))
                t, y, before = after, end, max(error, 1e-4)
                mark = Mark(t, y, h, before, output, tried)
            else:
                h = taken * max(_LEAST, _SAFE * error ** (-1 / order)) if error < np.inf else taken * 0.1
            self._check(t, h, error, tried, y)

    def first(self, start: Any) -> Mark:
        """Choose the first step by the slope and its change: Hairer, Nørsett, Wanner I, section II.4."""
        field, t = machine(self.base), self.ts[0]
        thetas, row = self.thetas[: len(self.base.inputs) - 2], start[:1]
        span = self.ts[-1] - t
        scale = self.control.atol + self.control.rtol * np.abs(row)
        slope = np.asarray(field(row, t, *thetas)[0])
        if not (np.all(np.isfinite(row)) and np.all(np.isfinite(slope))):
            raise NotConverged(
                f"odeint: f is not finite at the start, t = {t:g}. Start where it is defined, and check y0 and args."
            )
        with np.errstate(all="ignore"):
            d0, d1 = _rms(row / scale), _rms(slope / scale)
            h = 0.01 * d0 / d1 if d0 > 1e-5 and d1 > 1e-5 else 1e-6
            h = min(h, abs(span))
            there = np.asarray(field(row + np.sign(span) * h * slope, t + np.sign(span) * h, *thetas)[0])
            d2 = _rms((there - slope) / scale) / h
            steep = max(d1, d2)
            other = max(1e-6, h * 1e-3) if steep <= 1e-15 else (0.01 / steep) ** (1 / self.control.method.order)
        h = min(100 * h, other if np.isfinite(other) else h, abs(span))
        return Mark(t, start, float(np.sign(span) * h), 1e-4, 1, 0)

    def _check(self, t: float, h: float, error: float, tried: int, y: Any) -> None:
        if abs(h) <= 16 * np.finfo(float).eps * max(abs(t), abs(self.ts[-1] - self.ts[0])):
            largest = float(np.max(np.abs(y[0]), initial=0.0))
            what = "f is not finite beyond" if not error < np.inf else "the solution grows without bound, or is stiff"
            raise NotConverged(
                f"odeint: at t = {t:.8g} the step became too small ({abs(h):.2g}): {what}; the largest entry of y is "
                f"{largest:.3g} there. {_ADVICE}"
            )
        if tried >= self.control.most and t != self.ts[-1]:
            raise NotConverged(
                f"odeint: {tried} steps led to t = {t:.8g} only, of {self.ts[-1]:g}; the last was {abs(h):.2g} long. "
                f"{_ADVICE} Or allow more by max_steps."
            )

    def _keep(self, made: Made) -> None:
        """Keep every state, or once they are many every second, fourth, … of them."""
        if self.count % self.stride == 0:
            self.kept.append(made)
        self.count += 1
        enough = self.control.kept or max(_KEPT // made.mark.y.size, 2 * self.stride)
        while len(self.kept) > enough:
            del self.kept[1::2]
            self.stride *= 2

    # -------------------------------------------------------------- and back
    def backward(self, g: Any, wanted: Sequence[int]) -> tuple[Any, list[Any]]:
        """Pull the cotangents (c, m, n) of the states back; those of the start and of the parameters in ``wanted``."""
        two = bodies.once(self.step, ("first", 2), self.step.inputs, lambda *xs: self.step(*xs)[:2])
        one = bodies.once(self.step, ("first", 1), self.step.inputs, lambda *xs: self.step(*xs)[:1])
        which = (0, *[5 + k for k in wanted])
        plain, with_between = machine(bodies.pullback(one, which)), machine(bodies.pullback(two, which))
        rtol, atol = self.control.rtol, self.control.atol
        now = np.zeros_like(g[:, 0])
        sums: list[Any] = [np.zeros(np.shape(self.thetas[k])) for k in wanted]
        for made in self._reversed():
            y, direct, between = made.mark.y, None, None
            for k, part in made.outputs:
                if part == 1.0:
                    now = now + g[:, k]
                else:
                    direct = g[:, k] if direct is None else direct + g[:, k]
                    rows = _powers(part, two.results[1].shape[0])[:, None, None] * g[:, k]
                    between = rows if between is None else between + rows
            at = (y, made.mark.t, made.h, rtol, atol, *self.thetas)
            found = plain(*at, now) if between is None else with_between(*at, now, between)
            now = found[0] if direct is None else found[0] + direct
            for i, part in enumerate(found[1:]):
                sums[i] = sums[i] + part
        return now + g[:, 0], sums

    def _reversed(self) -> Iterator[Made]:
        """The steps from the last to the first; those that were not kept are walked again."""
        if self.stride == 1:
            yield from reversed(self.kept)
            return
        for k in range(len(self.kept) - 1, -1, -1):
            many = min(self.stride, self.count - k * self.stride)
            yield from reversed([made for made, *_ in itertools.islice(self.walk(self.kept[k].mark), many)])


def between_at(y: Any, between: Any, part: float) -> Any:
    """Return the state at a part σ of a step."""
    return y + np.tensordot(_powers(part, len(between)), between, 1)


def _powers(part: float, count: int) -> Any:
    return part ** np.arange(1, count + 1)


def _rms(x: Any) -> float:
    return float(np.sqrt(np.mean(np.square(x)))) if x.size else 0.0


def machine(body: Body) -> Any:
    """Return a body as a compiled function of arrays, to a tuple of them."""
    if "machine" not in body.derived:
        body.derived["machine"] = compiled(lambda *xs: tuple(body(*xs)))
    return body.derived["machine"]


# ------------------------------------------------------------------ what was walked last
def steps_of(step: Body, base: Body, control: Control, start: Any, ts: Any, thetas: Sequence[Any]) -> tuple[Steps, Any]:
    """Return the steps from this start, and the states that they found: walked, or remembered from a call before."""
    arrays = [np.asarray(x) for x in (start, ts, *thetas)]
    key = (step, base, control, tuple([(a.shape, a.tobytes()) for a in arrays]))
    with _LOCK.current:
        known = _LAST.pop(key, None)
        if known is not None:
            _LAST[key] = known
    if known is not None:
        return known
    steps = Steps(step, base, control, ts, [canonical(np.array(t)) for t in thetas])
    found = steps.forward(np.array(start, np.float64))
    with _LOCK.current:
        _LAST[key] = steps, found
        while len(_LAST) > _RECALLED:
            del _LAST[next(iter(_LAST))]
    return steps, found


_LAST: dict[Any, tuple[Steps, Any]] = {}
_LOCK = Lock()
