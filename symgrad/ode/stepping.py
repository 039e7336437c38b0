"""Steps of chosen sizes, on arrays: the walk along a solution, what is kept of it, and the way back.

Some steps are tried in one call of a compiled program. Of n steps the states of at most about √n are kept once they are
many; those between are walked again, by the same decisions, when the derivative comes by.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from symgrad import functions as F
from symgrad.compiler import compile as compiled
from symgrad.core.kernels import canonical
from symgrad.engine.program import Program
from symgrad.errors import ArgumentError, NotConverged
from symgrad.implicit import programs
from symgrad.implicit.unknowns import double
from symgrad.ode.tableaus import Explicit, Rosenbrock
from symgrad.support.forks import Lock
from symgrad.support.frozen import frozen
from symgrad.transforms.loops.scanning import scan_until

_EPS = np.finfo(float).eps
_AT_ONCE = ((16, 128), (64, 32), (1000, 4), (np.inf, 1))  # numbers of a state, and how many steps are tried in one call
_KEPT = 2**14  # numbers that are kept before states are thinned out
_RECALLED = 4
_SAFE, _LEAST, _MOST = 0.9, 0.2, 10.0  # Hairer, Nørsett, Wanner I, section II.4
_CALM = math.log(1e-4)  # of the error before, at least
_ADVICE = (
    "If the equation is stiff, use method='rodas4' or 'BDF', and derivative='steps' or 'forward'. Otherwise, check f "
    "at this time, or raise rtol and atol."
)


@frozen
class Control:
    """How steps are chosen.

    Attributes:
        method: the coefficients.
        rtol, atol: the error allowed in a step, relative to the state and absolute.
        most: the number of steps, rejected ones included.
        kept: the most states that are kept; None chooses.
        longest: the length of the longest step.
    """

    method: Explicit | Rosenbrock
    rtol: float
    atol: float
    most: int
    kept: int | None = None
    longest: float = math.inf

    @property
    def numbers(self) -> tuple[Any, ...]:
        """Return the numbers that control the steps, without the method."""
        return self.rtol, self.atol, self.most, self.kept, self.longest


def check_times(who: str, values: Any) -> None:
    """Refuse times that do not go one way."""
    first, last = (float(values[0]), float(values[-1])) if len(values) else (0.0, 0.0)
    steps = np.subtract(values[1:], values[:-1])
    if math.isfinite(first + last) and (steps > 0 if last > first else steps < 0).all():
        return
    if not np.all(np.isfinite(values)):
        raise ArgumentError(f"{who}: t has {values[~np.isfinite(values)][0]} among its times. Expected finite numbers.")
    if not (np.all(steps > 0) or np.all(steps < 0)):
        k = int(np.argmax(steps * np.sign(values[-1] - values[0] or 1.0) <= 0))
        raise ArgumentError(
            f"{who}: t must increase or decrease at every step; t[{k}] = {values[k]:g} is followed by "
            f"{values[k + 1]:g}. Sort the times, and take out those that come twice."
        )


@lru_cache(maxsize=16)
def _checked_times(raw: bytes) -> Any:
    """Return times that go one way; those of every gradient are the same."""
    times = np.frombuffer(raw)
    check_times("odeint", times)
    return times


class Mark(NamedTuple):
    """Where a walk can go on: time, state, the step proposed, log of the last error, the next output, steps tried."""

    t: Any
    y: Any
    h: Any
    error: Any
    output: int
    tried: int


class Stretch(NamedTuple):
    """Some steps in a row: their beginnings and sizes, and the outputs in them.

    Attributes:
        t, y, h: with the steps first, as many as were tried; h is 0 of those that were rejected.
        outputs: the places of the outputs in these steps.
        steps: which of the steps each output is in.
        weights: how much of each piece of its step is in it.
        pieces: end, beginning, and coefficients of the polynomial in between, with the steps first; not kept, since the
            way back does not read them.
    """

    t: Any
    y: Any
    h: Any
    outputs: slice
    steps: Any
    weights: Any
    pieces: Any = None


class SteppedSystem:
    """The steps of one system, for given times and parameters.

    Args:
        step: one step, of a state (c, n).
        base: the right side of the first of the c rows, which alone is controlled.
        control: how.
        ts, thetas: arrays.
    """

    def __init__(self, step: Program, base: Program, control: Control, ts: Any, thetas: Sequence[Any]) -> None:
        self.control, self.thetas = control, tuple(thetas)
        self.ts = _checked_times(np.asarray(ts, np.float64).tobytes())
        self.first_time, self.last = float(self.ts[0]), float(self.ts[-1])
        self.sign = 1.0 if self.last >= self.first_time else -1.0
        self.rising = self.sign * self.ts
        self.step, self.base = step, base
        size = programs.size_of(step.arguments[0])
        self.length = next(k for most, k in _AT_ONCE if size <= most)
        self.marks: list[tuple[Mark, Stretch | None]] = []
        self.stride, self.stretches, self.kept, self.whole = 1, 0, 0, True

    # -------------------------------------------------------------- there
    def forward(self, start: Any) -> Any:
        """Walk from the start to the last time; return the states at all times, (c, m, n)."""
        states = np.empty((start.shape[0], len(self.ts), start.shape[1]))
        states[:, 0] = start
        if len(self.ts) > 1:
            with np.errstate(all="ignore"):
                for mark, stretch in self.walk(self.first(start)):
                    self._put(states, stretch)
                    self._keep(mark, stretch)
        return states

    @staticmethod
    def _put(target: Any, stretch: Stretch) -> None:
        """Write the states at the outputs of a stretch."""
        if len(stretch.steps):
            target[:, stretch.outputs] = np.einsum("op,opcn->con", stretch.weights, stretch.pieces[stretch.steps])

    def walk(self, mark: Mark) -> Iterator[tuple[Mark, Stretch]]:
        """Go on from a mark to the last time; of each stretch where it began, and what was made."""
        run = walking(self.step, self.control.method.order, self.length)
        control = self.control
        while float(mark.t) != self.last:
            *state, ended, count, t, y, h, ok, error, pieces = run(
                mark.t,
                mark.y,
                mark.h,
                mark.error,
                self.last,
                control.longest,
                control.rtol,
                control.atol,
                *self.thetas,
            )
            tried, reached = int(count), float(state[0])
            t, y, h = t[:tried], y[:tried], h[:tried]
            self._check(mark, t, h, error[:tried], y, state, bool(ended))
            sizes = h * ok[:tried]
            until = int(self.rising.searchsorted(self.sign * reached, "right"))
            outputs = slice(mark.output, until)
            after = np.empty(tried)
            after[:-1], after[-1:] = t[1:tried], reached
            at = (self.sign * after).searchsorted(self.rising[outputs])
            times, first = self.ts[outputs], t[at]
            parts = np.where(times == after[at], 1.0, (times - first) / sizes[at])
            yield mark, Stretch(t, y, sizes, outputs, at, _weights(parts, pieces.shape[1] - 2), pieces)
            mark = Mark(state[0], state[1], state[2], state[3], until, mark.tried + tried)

    def first(self, start: Any) -> Mark:
        """Choose the first step by the slope and its change: Hairer, Nørsett, Wanner I, section II.4."""
        thetas, t = self.thetas[: len(self.base.inputs) - 2], self.first_time
        begin = beginning(self.base, self.control.method.order)
        h, finite = begin(start[:1], t, self.last - t, self.control.rtol, self.control.atol, *thetas)
        if not finite:
            raise NotConverged(
                f"odeint: f is not finite at the start, t = {t:g}. Start where it is defined, and check y0 and args."
            )
        return Mark(t, start, max(min(h, self.control.longest), -self.control.longest), _CALM, 1, 0)

    def _check(self, mark: Mark, t: Any, h: Any, error: Any, y: Any, state: Sequence[Any], ended: bool) -> None:
        """Refuse steps that are too small, and too many of them."""
        span = abs(self.last - self.first_time)
        farthest = max(abs(self.first_time), abs(self.last), span)
        sizes = np.abs(h)
        short = sizes <= 16 * _EPS * farthest
        if (
            short.any()
            and (short := (sizes <= 16 * _EPS * np.maximum(np.abs(t), span)) & (sizes < np.abs(self.last - t))).any()
        ):
            k = int(np.argmax(short))
            failed = error[max(k - 1, 0)]
            largest = float(np.max(np.abs(y[k][0]), initial=0.0))
            what = "f is not finite beyond" if not failed < np.inf else "the solution grows without bound, or is stiff"
            raise NotConverged(
                f"odeint: at t = {t[k]:.8g} the step became too small ({abs(h[k]):.2g}): {what}; the largest entry of "
                f"y is {largest:.3g} there. {_ADVICE}"
            )
        most = self.control.most - mark.tried
        if len(t) > most or (len(t) == most and not ended):
            reached = t[most] if len(t) > most else float(state[0])
            raise NotConverged(
                f"odeint: {self.control.most} steps led to t = {reached:.8g} only, of {self.last:g}; the last was "
                f"{abs(h[most - 1]):.2g} long. {_ADVICE} Or allow more by max_steps."
            )

    def _keep(self, mark: Mark, stretch: Stretch) -> None:
        """Keep every state, or once they are many the beginnings of every second, fourth, … stretch."""
        enough = self.control.kept or max(_KEPT // mark.y.size, 2 * self.stride * self.length)
        if self.stretches % self.stride == 0:
            self.marks.append((mark, stretch._replace(pieces=None) if self.whole else None))
            self.kept += len(stretch.t) if self.whole else 1
        self.stretches += 1
        if self.whole and self.kept > enough:
            self.whole, self.kept = False, len(self.marks)
            self.marks = [(m, None) for m, _ in self.marks]
        while self.kept > enough and len(self.marks) > 1:
            del self.marks[1::2]
            self.kept = len(self.marks)
            self.stride *= 2

    # -------------------------------------------------------------- and back
    def backward(self, g: Any, wanted: Sequence[int]) -> tuple[Any, list[Any]]:
        """Pull the cotangents (c, m, n) of the states back; those of the start and of the parameters in ``wanted``."""
        run, length = returning(self.step, tuple(wanted)), self.length
        sums = [np.zeros(np.shape(self.thetas[k])) for k in wanted]
        now: Any = np.zeros_like(g[:, 0])
        degree = self.step.results[1].shape[0]
        for stretch in self._reversed():
            tried = len(stretch.t)
            seeds = np.zeros((length, degree + 2, *now.shape))
            each = np.einsum("op,con->opcn", stretch.weights, g[:, stretch.outputs])
            np.add.at(seeds, tried - 1 - stretch.steps, each)
            made = [*[_turned(x, length) for x in (stretch.y, stretch.t, stretch.h)], seeds]
            now, *sums = run(now, float(tried), *made, self.control.rtol, self.control.atol, *sums, *self.thetas)
        return np.asarray(now) + g[:, 0], sums

    def points(self, states: Any) -> tuple[Any, Any]:
        """Return the times and the states of all steps, and of the end of what ``forward`` found."""
        made = [*self._reversed()][::-1]
        times = np.concatenate([*[s.t for s in made], self.ts[-1:]])
        return times, np.concatenate([*[s.y for s in made], states[None, :, -1]])

    def _reversed(self) -> Iterator[Stretch]:
        """The stretches from the last to the first; those that were not kept are walked again."""
        for k in range(len(self.marks) - 1, -1, -1):
            mark, stretch = self.marks[k]
            if stretch is not None:
                yield stretch
                continue
            many = min(self.stride, self.stretches - k * self.stride)
            with np.errstate(all="ignore"):
                again = [s for _, s in itertools.islice(self.walk(mark), many)]
            yield from reversed(again)


def _weights(parts: Any, degree: int) -> Any:
    """Return how much of a step's end, its beginning and its polynomial is in the state at each part: in this order."""
    weights = np.empty((len(parts), degree + 2))
    power = weights[:, 1] = parts != 1.0
    weights[:, 0] = ~power
    for k in range(2, degree + 2):
        power = weights[:, k] = power * parts
    return weights


def _turned(x: Any, length: int) -> Any:
    """Return the rows from the last to the first, and zeros up to a length."""
    rows = np.zeros((length, *x.shape[1:]))
    rows[: len(x)] = x[::-1]
    return rows


def between_at(pieces: Any, part: float) -> Any:
    """Return the state at a part σ of a step."""
    return np.tensordot(_weights(np.array([part]), len(pieces) - 2)[0], pieces, 1)


# ------------------------------------------------------------------ compiled programs
def machine(body: Program) -> Any:
    """Return a body as a compiled function of arrays, to a tuple of them."""
    return body.once("machine", lambda: compiled(lambda *xs: tuple(body(*xs))))


def _next_length(taken: Any, wish: Any, error: Any, longest: Any) -> Any:
    """Return the next step's length: the last one times the exponential of a wish, within limits."""
    change = F.where(error < np.inf, F.clip(_SAFE * F.exp(wish), _LEAST, _MOST), 0.1)
    return F.maximum(F.minimum(taken * change, longest), -longest)


def walking(step: Program, order: int, length: int) -> Any:
    """Return ``length`` tries of a step as one loop: (*state, tₘ, hmax, rtol, atol, *θ) ↦ the state, and the tries.

    A try whose error is too large leaves time and state and shortens the step; the loop ends at the last time. Beside
    the state it returns whether it ended, and how many tries there were.
    """

    def run(t: Any, y: Any, h: Any, before: Any, last: Any, *given: Any) -> Any:
        longest, rtol, atol, *thetas = given

        def attempt(state: Any, _: Any) -> Any:
            t, y, h, before, ended, tried = state
            rest = last - t
            is_last = F.abs(h) >= F.abs(rest) * (1 - 1e-12)
            taken = (1 - ended) * F.where(is_last, rest, h)
            end, between, error = step(y, t, taken, rtol, atol, *thetas)
            ok = error <= 1.0
            digits = F.log(F.maximum(error, 1e-10))
            wish = F.where(ok, 0.4 * before - 0.7 * digits, -digits) / order
            size = _next_length(taken, wish, error, longest)
            arrived = F.maximum(ended, F.where(ok, F.where(is_last, 1.0, 0.0), 0.0))
            state = (
                F.where(ok, F.where(is_last, last, t + taken), t), F.where(ok, end, y), size,
                F.where(ok, F.maximum(digits, _CALM), before), arrived, tried + (1 - ended),
            )  # fmt: skip
            pieces = F.cat([F.stack([end, y], 0), between], 0)
            return state, (t, y, taken, F.where(ok, 1.0, 0.0), error, pieces)

        state, tries = scan_until(attempt, (t, y, h, before, 0.0, 0.0), None, length, until=4)
        return (*state, *tries)

    return step.once(("walking", order, length), lambda: compiled(run))


def beginning(field: Program, order: int) -> Any:
    """Return (Y, t, span, rtol, atol, *θ) ↦ the first step, and 1 where Y and f are finite there, else 0."""

    def run(y: Any, t: Any, span: Any, rtol: Any, atol: Any, *thetas: Any) -> Any:
        def size(x: Any) -> Any:
            return F.sqrt(F.mean((x / allowed) ** 2))

        allowed, way = atol + rtol * F.abs(y), F.sign(span)
        slope = field(y, t, *thetas)[0]
        d0, d1 = size(y), size(slope)
        h = F.minimum(F.where(F.minimum(d0, d1) <= 1e-5, 1e-6, 0.01 * d0 / d1), F.abs(span))
        there = field(y + way * h * slope, t + way * h, *thetas)[0]
        steep = F.maximum(d1, size(there - slope) / h)
        other = F.where(steep <= 1e-15, F.maximum(h * 1e-3, 1e-6), (0.01 / steep) ** (1 / order))
        other = F.where(F.abs(other) < np.inf, other, h)
        largest = F.maximum(F.amax(F.abs(y)), F.amax(F.abs(slope)))
        return way * F.minimum(F.minimum(100 * h, other), F.abs(span)), F.where(largest < np.inf, 1.0, 0.0)

    return field.once(("beginning", order), lambda: compiled(run))


def returning(step: Program, wanted: tuple[int, ...]) -> Any:
    """Return the way back as one loop: (λ, n, steps, rtol, atol, *sums, *θ) ↦ λ and sums.

    The steps come from the last to the first; n of them count.
    """
    two = programs.once(step, ("first", 2), step.arguments, lambda *xs: step(*xs)[:2])
    pull = programs.pullback(two, (0, *[5 + k for k in wanted]))

    def run(*given: Any) -> Any:
        now, count, *made, rtol, atol = given[:8]
        sums, thetas = given[8 : 8 + len(wanted)], given[8 + len(wanted) :]

        def back(carry: Any, one: Any) -> Any:
            ended, left, *before = carry
            y, t, h, seeds = one
            cotangent, *parts = pull(y, t, h, rtol, atol, *thetas, before[0] + seeds[0], seeds[2:])
            after = [cotangent + seeds[1], *[a + double(b) for a, b in zip(before[1:], parts, strict=True)]]
            kept = [F.where(ended > 0, a, b) for a, b in zip(before, after, strict=True)]
            return (F.where(left <= 1.0, 1.0, 0.0), left - 1, *kept), None

        _, _, *pulled = scan_until(back, (0.0, count, now, *sums), tuple(made), made[0].shape[0], until=0)[0]
        return pulled

    return step.once(("returning", wanted), lambda: compiled(run))


# ------------------------------------------------------------------ what was walked last
def steps_of(
    step: Program, base: Program, control: Control, start: Any, ts: Any, thetas: Sequence[Any]
) -> tuple[SteppedSystem, Any]:
    """Return the steps from this start, and the states that they found: walked, or remembered from a call before."""
    arrays = [np.asarray(x) for x in (start, ts, *thetas)]
    key = (step, base, id(control.method), *control.numbers, *[(a.shape, a.tobytes()) for a in arrays])
    with _LOCK:
        known = _LAST.pop(key, None)
        if known is not None:
            _LAST[key] = known
    if known is not None:
        return known
    steps = SteppedSystem(step, base, control, ts, [canonical(np.array(t)) for t in thetas])
    states = steps.forward(np.array(start, np.float64))
    with _LOCK:
        _LAST[key] = steps, states
        while len(_LAST) > _RECALLED:
            del _LAST[next(iter(_LAST))]
    return steps, states


_LAST: dict[Any, tuple[SteppedSystem, Any]] = {}
_LOCK = Lock()
