"""Where an integrand jumps: found in the conditions, kinks and steps of its program, and in its values.

Leibniz's rule has a term for every jump that moves, (f(c−) − f(c+))·c′, which no node of a quadrature sees. So a jump
that moves with what is differentiated is an error, until the range is split there. A kink of f is a jump of ∂f/∂θ.
A pole or a cut jumps without a condition, as atan(1/(x − t)) does: there the third differences of the values tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from symgrad.core.promotion import is_complex, is_floating
from symgrad.engine.program import INPUT, STEP, Program, Value
from symgrad.errors import NotDifferentiable, SymgradError
from symgrad.implicit import programs
from symgrad.ops.contract import Einsum
from symgrad.ops.map import Map
from symgrad.ops.reductions.extremes import First, Ties
from symgrad.scalars import Atom, X
from symgrad.support.frozen import frozen

_JUMP = 1e-7  # what is a jump of f, relative to its largest value
_BEND = 1e-3  # what is a jump of its slope, relative to the slopes
_CELLS = 512  # in which the range is searched
_MARGIN = 1e-6  # of the range at an end at which it is split already
_STANDS_OUT = 4.0  # how many times a third difference is those beside it, where values may jump
_BESIDE = 17  # how many those are
_COLUMNS = 64  # entries of an array that are examined together
_MOVED = 1e-6  # by how much parameters are moved to see whether a jump moves with them
_SMOOTH = (sp.exp, sp.log, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh, sp.atan, sp.asinh, sp.erf, sp.erfc)
_LABELLED = (sp.sign, sp.Abs, sp.Heaviside, sp.Max, sp.Min, sp.floor, sp.ceiling, sp.Mod, sp.Piecewise)
_BOOL, _FLOAT = np.dtype(np.bool_), np.dtype(np.float64)


@frozen
class Breaks:
    """An integrand, and the labels that change where it may break.

    Attributes:
        body: (x, *θ) ↦ f and all labels: booleans of conditions and integers.
        names: the operations that the labels are of.
        bends: whether kinks matter too.
        jump: the operation that has a jump, by its definition alone; a condition may be continuous all the same.
        unlabelled: the inputs with which a pole or a cut may move that no label tells.
    """

    body: Program
    names: tuple[str, ...]
    bends: bool
    jump: str = ""
    unlabelled: tuple[int, ...] = ()

    def check(self, a: float, b: float, thetas: Sequence[Any], split: bool) -> None:
        """Refuse an integrand that breaks inside of the range; ``split`` tells that both ends are such places."""
        points = places(min(a, b), max(a, b), split)
        if not split:
            points = self._beyond(points, thetas)
        jump = self.first(points, lambda x: (x,), thetas)
        if jump is None:
            return
        at, name, kind = jump
        where = "inside of its piece" if split else f"at {at:.6g}"
        raise NotDifferentiable(
            f"quad: a derivative needs {kind} of the integrand as a term: {name} has one {where}, which moves "
            "with the differentiated variable. Split the range there: points=[c], with all such points c as "
            "functions of that variable."
        )

    def _beyond(self, points: Any, thetas: Sequence[Any]) -> Any:
        """Add a point beyond each limit, where f has a value: a jump at a limit moves as well."""
        extended = list(points)
        for end, way in ((points[0], -math.inf), (points[-1], math.inf)):
            beyond = math.nextafter(end, way)
            with suppress(SymgradError):
                programs.numbers(self.body, beyond, *thetas[: len(self.body.arguments) - 1])
                extended.append(beyond)
        return np.unique(extended)

    def first(
        self, points: Any, inputs: Callable[[float], tuple[Any, ...]], thetas: Sequence[Any]
    ) -> tuple[float, str, str] | None:
        """Return where between points the function breaks, the operation that breaks there, and how.

        Args:
            points: increasing numbers.
            inputs: the first inputs of the body at such a number.
            thetas: the others.
        """
        thetas = thetas[: len(self.body.arguments) - len(inputs(float(points[0])))]

        def at(x: float) -> tuple[Any, list[Any]]:
            y, *labels = programs.all_numbers(self.body, *inputs(x), *thetas)
            return np.asarray(y), [np.asarray(v) for v in labels]

        seen = [at(float(x)) for x in points]
        size = max((float(np.max(np.abs(y[np.isfinite(y)]), initial=0.0)) for y, _ in seen), default=0.0)
        for (x, (_, here)), (z, (_, there)) in zip(zip(points, seen), zip(points[1:], seen[1:])):
            for k in _changed(here, there):
                low, high = _bisected(partial(_label, at, k), float(x), float(z))
                low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)  # past a value in between
                step = at(high)[0] - at(low)[0]
                if _exceeds(step, _JUMP * size):
                    return high, self.names[k], "a jump"
                if self.bends and _bent(lambda t: at(t)[0], low, high, float(z - x)):
                    return high, self.names[k], "a kink"
        return self._by_values(points, [y for y, _ in seen], _JUMP * size, thetas) if self.unlabelled else None

    def _by_values(self, points: Any, seen: Sequence[Any], least: float, thetas: Sequence[Any]) -> Any:
        """Return a jump that the values show and that moves with the parameters, as ``first`` does."""
        values = np.reshape(np.stack(seen), (len(points), -1))
        moved = list(thetas)
        for n, k in enumerate(self.unlabelled):
            moved[k - 1] = moved[k - 1] * (1 + _MOVED * (1 + 0.1 * n)) + 0.1 * _MOVED

        def level(x: float, column: int, slope: float, thetas: Sequence[Any]) -> float:
            return float(np.ravel(programs.all_numbers(self.body, x, *thetas)[0])[column]) - slope * x

        for column, k in _standing_out(values, least):
            f = partial(level, column=column, slope=_slope_beside(points, values[:, column], k))
            ends = _narrowed(partial(f, thetas=thetas), float(points[k]), float(points[k + 1]), least)
            if ends is not None:
                low, high, step = ends
                again = f(high, thetas=moved) - f(low, thetas=moved)
                if not abs(again - step) < abs(step) / 2:  # elsewhere now
                    return high, "the integrand", "a jump"
        return None


def _label(at: Callable[[float], tuple[Any, list[Any]]], k: int, x: float) -> Any:
    return at(x)[1][k]


def breaks_of(body: Program, wanted: Iterable[int], bends: bool = False, along: Iterable[int] = (0,)) -> Breaks | None:
    """Return where a function of the inputs ``along`` may break as one of those in ``wanted`` moves; None if never.

    Of several inputs along, a way between few points is known, whose values tell of no pole and no cut.
    """
    key = ("breaks", frozenset(wanted), bends, frozenset(along))
    return body.once(key, lambda: _breaks_of(body, *key[1:]))  # type: ignore[no-any-return]


def _breaks_of(body: Program, wanted: frozenset[int], bends: bool, along: frozenset[int]) -> Breaks | None:
    reads: list[frozenset[int]] = []
    added: list[Value] = []
    outputs: list[int] = []
    names: list[str] = []
    jump, unlabelled = "", frozenset[int]()
    for k, step in enumerate(body.values):
        reads.append(frozenset({step.op} if step.kind == INPUT else ()).union(*[reads[i] for i in step.args]))
        if step.kind != STEP:
            continue
        if along == {0} and 0 in reads[k] and _may_jump(step):
            unlabelled |= reads[k] & wanted
        if isinstance(step.op, Map):
            for label in _labels(step.op.payload):
                slots = [i for i, x in enumerate(X[: len(step.args)]) if x in label.free_symbols]
                among = frozenset().union(*[reads[step.args[i]] for i in slots])
                if along & among and among & wanted:
                    dtype = _BOOL if isinstance(label, Relational) else _FLOAT
                    outputs.append(len(body.values) + len(added))
                    added.append(step._replace(op=Map.of(label, len(step.args)), dtype=dtype))
                    names.append(_name(step.op))
                    jump = jump or (names[-1] if _has_jump(step.op.payload) else "")
        elif _is_label(step) and along & reads[k] and reads[k] & wanted:
            outputs.append(k)
            names.append(step.op.label.lower())
            jump = jump or names[-1]
    if not outputs and not unlabelled:
        return None
    known = Program([*body.values, *added], body.inputs, [body.outputs[0], *outputs])
    return Breaks(known, tuple(names), bends, jump, tuple(sorted(unlabelled)))


def _is_label(step: Value) -> bool:
    """Whether an operation of arrays gives booleans, positions, or shares, which are constant between jumps."""
    return isinstance(step.op, (Ties, First)) or not is_floating(step.dtype)


def _has_jump(payload: Any) -> bool:
    """Whether a payload has more than kinks."""
    full = _written_out(payload)
    full = full.replace(lambda e: isinstance(e, (sp.Abs, sp.Max, sp.Min)), lambda e: sp.Dummy())
    asked = any(not isinstance(r, (sp.Eq, sp.Ne)) for r in full.atoms(Relational))
    return asked or bool(full.has(sp.sign, sp.floor, sp.ceiling, sp.Mod, sp.Heaviside, sp.atan2, sp.arg))


def _may_jump(step: Value) -> bool:
    """Whether an operation may have a pole or a cut, so that what follows may jump where no label changes."""
    if not isinstance(step.op, Map):
        return not (step.op.linear or isinstance(step.op, Einsum) or _is_label(step))
    full = _written_out(step.op.payload)
    if is_complex(step.dtype) or full.has(sp.arg, sp.I):
        return not full.is_polynomial(*X[: len(step.args)])
    kinds = (*_SMOOTH, *_LABELLED)
    powers = [e for p in full.atoms(sp.Pow) if p.base.free_symbols for e in [p.exp] if not e.is_positive]
    return bool(powers) or any(not isinstance(e, kinds) for e in full.atoms(sp.Function))


def _labels(payload: Any) -> list[Any]:
    """Return what changes where a payload has a jump or a kink: conditions, and integers."""
    full = _written_out(payload)
    # a step function tells its own jumps: what it means, as ⌊x + ½⌋ for round, changes some roundings beside them
    expressions: list[Any] = [a for a in payload.atoms(Atom) if not any(a.declared.partials)]
    expressions += [r for r in full.atoms(Relational) if not isinstance(r, (sp.Eq, sp.Ne))]
    for part in full.atoms(sp.sign, sp.Abs, sp.Heaviside):
        expressions.append(sp.Gt(part.args[0], 0))
    for part in full.atoms(sp.Max, sp.Min):
        args = part.args
        expressions += [sp.Gt(p, q) for i, p in enumerate(args) for q in args[:i]]
    expressions += list(full.atoms(sp.floor, sp.ceiling))
    expressions += [sp.floor(m.args[0] / m.args[1]) for m in full.atoms(sp.Mod)]
    return [e for e in dict.fromkeys(expressions) if e.free_symbols]


def _written_out(payload: Any) -> Any:
    """Replace functions by their definitions, as long as these use other functions."""
    for _ in range(5):
        if not payload.has(Atom):
            break
        payload = payload.replace(lambda e: isinstance(e, Atom), lambda e: e.declared.meant(*e.args))
    return payload


def _name(op: Map) -> str:
    """Return what users call the operation."""
    if isinstance(op.payload, Atom):
        return str(op.payload.declared.name)
    names = {sp.sign: "sign", sp.Abs: "abs", sp.floor: "floor", sp.ceiling: "ceil", sp.Max: "maximum",
             sp.Min: "minimum", sp.Mod: "a remainder", sp.atan2: "atan2", sp.arg: "angle"}  # fmt: skip
    return next((name for kind, name in names.items() if op.payload.has(kind)), "a condition")


# ------------------------------------------------------------------ the search
def places(a: float, b: float, split: bool = False) -> Any:
    """Return increasing points of [a, b], dense in the middle where it is infinite."""
    t = np.linspace(0.0, 1.0, _CELLS + 1)
    if split:
        t[0], t[-1] = _MARGIN, 1 - _MARGIN
    if math.isfinite(a) and math.isfinite(b):
        return np.unique(np.clip(a + (b - a) * t, a, b))
    with np.errstate(all="ignore"):
        half = np.concatenate([t[:-1] / (1 - t[:-1]), np.logspace(3, 12, 19)])
    if math.isfinite(a):
        return a + half
    return b - half[::-1] if math.isfinite(b) else np.concatenate([-half[:0:-1], half])


def _changed(here: Sequence[Any], there: Sequence[Any]) -> list[int]:
    return [k for k, (p, q) in enumerate(zip(here, there, strict=True)) if np.any(p != q)]


def _bisected(label: Callable[[float], Any], low: float, high: float) -> tuple[float, float]:
    """Return two neighbouring numbers between which a label changes first."""
    start = label(low)
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return low, high
        if np.any(label(middle) != start):
            high = middle
        else:
            low = middle


def _bent(f: Callable[[float], Any], low: float, high: float, cell: float) -> bool:
    """Whether the slopes of f on the two sides differ."""
    h = 1e-4 * cell
    left, right = (f(low) - f(low - h)) / h, (f(high + h) - f(high)) / h
    size = max(float(np.max(np.abs(v[np.isfinite(v)]), initial=0.0)) for v in (left, right))
    return _exceeds(right - left, _BEND * size)


def _standing_out(values: Any, least: float) -> Iterator[tuple[int, int]]:
    """Return the columns, and between which rows of finite values, where a third difference stands out."""
    for first in range(0, values.shape[1], _COLUMNS):
        some = values[:, first : first + _COLUMNS]
        third = np.abs(np.diff(np.where(np.isfinite(some), some, 0.0), 3, axis=0))
        if len(third) < _BESIDE:
            continue
        padded = np.pad(third, ((_BESIDE // 2, _BESIDE // 2), (0, 0)), mode="reflect")
        usual = np.median(np.lib.stride_tricks.sliding_window_view(padded, _BESIDE, axis=0), axis=-1)
        rows, columns = np.nonzero(third > _STANDS_OUT * usual + least)
        cells = {(int(c) + first, int(r) + k) for r, c in zip(rows, columns, strict=True) for k in range(3)}
        yield from sorted(cells)


def _slope_beside(points: Any, values: Any, k: int) -> float:
    """Return the mean slope of the cells before and behind cell k, without which a small jump is seen better."""
    with np.errstate(all="ignore"):
        slopes = np.diff(values[max(k - 1, 0) : k + 3]) / np.diff(points[max(k - 1, 0) : k + 3])
    beside = np.delete(slopes, min(k, 1))
    return float(np.mean(beside)) if len(beside) and np.all(np.isfinite(beside)) else 0.0


def _narrowed(f: Callable[[float], float], low: float, high: float, least: float) -> tuple[float, float, float] | None:
    """Return two neighbouring numbers and the jump between them, where more than ``least`` is left; None elsewhere."""
    start, end = f(low), f(high)
    while math.isfinite(start) and math.isfinite(end) and abs(end - start) > least:
        tries = [x for x in (low + (high - low) * part for part in (0.5, 0.382)) if low < x < high]
        middle, value = next(((x, y) for x in tries for y in [f(x)] if math.isfinite(y)), (high, end))
        if middle == high:
            return low, high, end - start
        if abs(value - start) > abs(end - value):
            high, end = middle, value
        else:
            low, start = middle, value
    return None


def _exceeds(step: Any, bound: float) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.any(np.abs(step[np.isfinite(step)]) > bound))
