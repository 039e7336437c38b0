"""Enclosures: bounds of a program's values, or of its derivatives, for every number of a box."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from functools import reduce
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.trace import trace_once
from symgrad.core import trees
from symgrad.core.promotion import FLOAT64
from symgrad.engine.program import Program, Spec, recorded
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, NotYet, ShapeError
from symgrad.functions import cat
from symgrad.implicit.programs import shared
from symgrad.ops.convert import Detach
from symgrad.proved.interval import Interval, Undefined, flint
from symgrad.proved.operations import Walk, intervals
from symgrad.proved.tape import Tape
from symgrad.support.arguments import checked
from symgrad.support.foreign_draws import replayed
from symgrad.transforms.jacobians import jacrev
from symgrad.transforms.loops.op import Scan

_BY_ENDS = 3  # results, at most, that monotonicity bounds: each takes two evaluations of all
_BITS = 192  # of the ends of intervals: sums that cancel 40 digits keep a float's


class Enclosure(NamedTuple):
    """Bounds that hold for every number of the box: no value is below ``lower``, none above ``upper``."""

    lower: Any
    upper: Any

    @property
    def width(self) -> Any:
        """The distance of the bounds, rounded up."""
        return np.nextafter(np.subtract(self.upper, self.lower), np.inf)


@checked
def enclose(
    f: Callable[..., Any],
    box: Any,
    *,
    derivative: int = 0,
    order: int = 0,
    pieces: int = 1,
    bits: int = _BITS,
) -> Any:
    """Return guaranteed bounds on {f(x) : x in the box}, or on the gradients or Hessians of f there.

    The program of f is evaluated on intervals whose ends are rounded outward, so each of its values on real numbers
    lies between the bounds. A float of the program or the box stands for itself: 0.1 is the float, not the decimal.
    Where a condition holds only in a part of the box, as in ``where``, ``abs``, ``max`` or ``floor``, both branches
    are used.

    Args:
        f: a function of numbers, arrays and structures of them.
        box: (lower, upper), a tuple of two numbers or of two arrays with the same shape (*s), or an array (*s, 2) of
            such pairs; for several arguments, a list with one of these for each, or structures of them.
        derivative: 0 for values, 1 for first derivatives, 2 for second ones, which have the axes of the result and then
            the axes of the arguments.
        order: 0 evaluates the program; 1 adds the mean-value form f(c) + f'(box)(x - c), and uses the ends of
            arguments in which f is monotone; 2 adds the Taylor form of second order. The result is the intersection
            of these bounds. If a condition holds only in a part of the box, the program is only evaluated.
        pieces: the number of boxes to divide the box into; the result is the hull of their bounds.
        bits: the precision of the intervals' ends, before they are rounded to floats.

    Returns:
        An ``Enclosure`` (lower, upper) for each array of the result, in its structure. A derivative with respect to
        several arrays is a tuple with one for each array; a second derivative is a tuple of such tuples.

    Raises:
        ArgumentError: if an operation is undefined somewhere in the box, or a lower bound is above its upper bound.
        NotYet: if an operation, such as sorting, is not defined on intervals.
        GraphError: if the function draws random numbers.
        MissingExtra: if python-flint is not installed.

    Source: Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009, chapters 5 and 6.

    >>> sg.enclose(lambda x: x * x - 2 * x, (0.0, 3.0))
    Enclosure(lower=-6.0, upper=9.0)
    >>> sg.enclose(lambda x: x * x - 2 * x, (2.0, 3.0), order=1, derivative=1)
    Enclosure(lower=2.0, upper=4.0)
    """
    _checked("derivative", derivative, 0, 2)
    _checked("order", order, 0, 2)
    _checked("pieces", pieces, 1, 1 << 20)
    _checked("bits", bits, 53, 1 << 20)
    with flint().ctx.workprec(bits):
        flat = Flat(f, box, derivative)
        hulls = [flat.enclosed(x, order) for x in divided(flat.box, pieces)]
        return flat.result(reduce(_hull, hulls))


def _checked(name: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ArgumentError(f"enclose: {name} must be an integer from {least} to {most}. Got {value!r}.")


_hull = np.frompyfunc(Interval.hull, 2, 1)
_meet = np.frompyfunc(Interval.meet, 2, 1)


# ------------------------------------------------------------------ boxes
def _is_box(x: Any) -> bool:
    """Whether x has the bounds of one array: a tuple of two that are not boxes, or an array of pairs."""
    if isinstance(x, np.ndarray):
        return True
    return type(x) is tuple and len(x) == 2 and not any(isinstance(end, (tuple, dict)) or _has_boxes(end) for end in x)


def _has_boxes(x: Any) -> bool:
    return isinstance(x, list) and any(isinstance(y, (tuple, dict)) for y in x)


def _ends(x: Any, is_bounded: bool) -> tuple[Any, Any]:
    """The lower and the upper bounds of an array, which are finite if they must be."""
    if isinstance(x, np.ndarray):
        if not x.ndim or x.shape[-1] != 2:
            raise ShapeError(f"enclose: an array of pairs (lower, upper) has 2 as its last size. Got shape {x.shape}.")
        x = x[..., 0], x[..., 1]
    try:
        lower, upper = (np.asarray(end, np.float64) for end in x)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"enclose: bounds must be numbers or arrays of numbers. Got {x!r}.") from error
    if lower.shape != upper.shape:
        raise ShapeError(f"enclose: the bounds have the shapes {lower.shape} and {upper.shape}. Give them one shape.")
    is_allowed = not is_bounded or (np.isfinite(lower).all() and np.isfinite(upper).all())
    if not (is_allowed and (lower <= upper).all()):
        raise ArgumentError(f"enclose: bounds must be finite, the lower one first. Got {lower} and {upper}.")
    return lower, upper


def divided(box: Sequence[Interval], pieces: int) -> list[Any]:
    """Return so many boxes that cover the box, whose widest side is halved again and again."""
    whole = np.array([*box, None], dtype=object)[:-1]
    queue = [(0.0, 0, whole)]
    for count in range(1, pieces if len(box) else 1):
        for k, half in enumerate(halves(heappop(queue)[2])):
            heappush(queue, (-max(_widths(half)), 2 * count + k, half))
    return [piece for _, _, piece in queue]


def halves(box: Any) -> list[Any]:
    """Return the two halves of a box."""
    widths = _widths(box)
    at = int(np.argmax(widths))
    middle = center(box[at]).lower
    left, right = box.copy(), box.copy()
    left[at], right[at] = Interval(box[at].lower, middle), Interval(middle, box[at].upper)
    return [left, right]


def _widths(box: Any) -> list[float]:
    return [float(x.upper - x.lower) for x in box]


def center(x: Interval) -> Interval:
    """Return a number of the interval, about its middle."""
    middle = ((x.lower + x.upper) / 2).mid()
    middle = x.lower if middle < x.lower else x.upper if middle > x.upper else middle
    return Interval(middle, middle)


# ------------------------------------------------------------------ programs
class Flat:
    """A function of a box as programs of one vector, with one vector of results."""

    def __init__(self, f: Callable[..., Any], box: Any, derivative: int = 0, *, is_bounded: bool = True) -> None:
        if not callable(f):
            raise ArgumentTypeError(f"enclose: the first argument must be a function. Got {type(f).__name__}.")
        arguments = [box] if _is_box(box) or isinstance(box, dict) else box
        if not isinstance(arguments, (list, tuple)):
            raise ArgumentTypeError(f"enclose: a box must be (lower, upper), or a list of such pairs. Got {box!r}.")
        leaves: list[Any] = []
        self.tree = trees.flatten(list(arguments), _is_box, leaves)
        bounds = [_ends(x, is_bounded) for x in leaves]
        self.is_plain = all(map(_is_box, arguments))
        self.f, self.derivative = f, derivative
        self.shapes = [lower.shape for lower, _ in bounds]
        self.box = [
            Interval(Interval.of(a).lower, Interval.of(b).upper)
            for lower, upper in bounds
            for a, b in zip(lower.ravel(), upper.ravel(), strict=True)
        ]
        if derivative and not leaves:
            raise ArgumentError("enclose: a derivative needs an argument with bounds. Got a box without any.")
        self.results: Any = None
        self.result_shapes: list[Any] = []
        with warnings.catch_warnings(), replayed(f) as drawn:
            warnings.filterwarnings("ignore", "enclose: the function draws from")
            self._values = shared(self._traced(self._vector, derivative))
        if drawn.names:
            raise GraphError(
                f"enclose: the function draws from {' and '.join(drawn.names)}, and bounds would hold for the numbers "
                "of one call only. Pass the numbers as an argument, with their bounds."
            )

    def program(self, more: int) -> Program:
        """Return the program of the results, or of their first or second derivatives: (m,), (m, n), (m, n, n)."""
        values = self._values
        if not more:
            return values
        derived: Program = values.once(("enclosed", more), lambda: self._traced(_steps_of(values), more))
        return derived

    def _traced(self, fn: Callable[..., Any], more: int) -> Program:
        """Return the program of a function of the vector, or of its derivatives."""
        for _ in range(more):
            fn = jacrev(fn)
        leaves: list[Any] = []
        x = np.zeros(len(self.box))
        tree = trees.flatten(((x,), {}), lambda y: isinstance(y, np.ndarray), leaves)
        graph = trace_once(fn, tree, [Spec(x.shape, FLOAT64)], "enclose")
        return recorded(graph.leaves, graph.roots)

    def _vector(self, v: Any) -> Any:
        parts, start = [], 0
        for shape in self.shapes:
            size = int(np.prod(shape, dtype=int))
            parts.append(v[start : start + size].reshape(shape))
            start += size
        value = self.f(*trees.unflatten(self.tree, iter(parts)))
        leaves: list[Any] = []
        self.results = trees.flatten(value, lambda y: hasattr(y, "shape") or isinstance(y, (int, float)), leaves)
        self.result_shapes = [tuple(getattr(y, "shape", ())) for y in leaves]
        zero = v.sum() * 0  # numbers and arrays of integers become floats beside it
        return cat([(zero + y).reshape(-1) for y in leaves]) if leaves else v[:0]

    def run(self, more: int, x: Any) -> tuple[Any, bool]:
        """Return the intervals of a program's result on a box, and whether it left a condition open."""
        tape = self.tape(more)
        if tape is None:
            walk = Walk()
            (value,) = walk(self.program(more), [x])
            return intervals(value), walk.is_open
        values, is_open = tape.run(x)
        out = np.empty(self.program(more).results[0].shape, dtype=object)
        out.ravel()[:] = values
        return out, is_open

    def tape(self, more: int) -> Tape | None:
        """Return a program as instructions; None where numbers of the box choose its steps, as an index does.

        Constants such as π have the bits of the ends.
        """
        program = self.program(more)
        key = "tape", more > 0, flint().ctx.prec
        tape: Tape | None = program.once(key, lambda: _recorded(program, len(self.box), folds=more > 0))
        return tape

    # -------------------------------------------------------------- forms
    def enclosed(self, x: Any, order: int) -> Any:
        """Return the enclosure of the results on a box: what all forms allow."""
        natural, is_open = self.run(0, x)
        if not order or is_open:
            return natural
        try:
            slopes, is_open = self.run(1, x)
            middle = np.array([*map(center, x), None], dtype=object)[:-1]
            away = x - middle
            value = self.run(0, middle)[0]
            if is_open:
                return natural
            enclosure = self._by_ends(_meet(natural, value + slopes @ away), slopes, x)
            if order == 2:
                bends, is_open = self.run(2, x)
                first = value + self.run(1, middle)[0] @ away
                enclosure = enclosure if is_open else _meet(enclosure, first + _quadratic(bends, away))
        except Undefined:  # a slope without bound, as that of sqrt at 0: the values have bounds all the same
            return natural
        return enclosure

    def _by_ends(self, enclosure: Any, slopes: Any, x: Any) -> Any:
        """Bound a few results by their values where each argument with a slope of one sign is at an end."""
        results, slopes = enclosure.ravel(), slopes.reshape(-1, len(x))
        for k, row in enumerate(slopes if len(results) <= _BY_ENDS else ()):
            signs = [1 if s.lower >= 0 else -1 if s.upper <= 0 else 0 for s in row]
            if any(signs):
                low, high = (self.run(0, _ends_of(x, [side * s for s in signs]))[0].ravel()[k] for side in (-1, 1))
                results[k] = results[k].meet(Interval(low.lower, high.upper))
        return enclosure

    @property
    def count(self) -> int:
        """How many numbers the results are."""
        return sum(int(np.prod(s, dtype=int)) for s in self.result_shapes)

    def derived(self, more: int) -> Flat:
        """Return the true derivatives as a function of the box."""
        other = copy(self)
        other._values = self.program(more)
        return other

    # -------------------------------------------------------------- results
    def structured(self, bounds: Any) -> Any:
        """Return bounds of the arguments, (n, 2), or a point, (n,), in their structure."""
        parts, start = [], 0
        for shape in self.shapes:
            size = int(np.prod(shape, dtype=int))
            ends = [
                b.reshape(shape) if shape else float(b[0])
                for b in np.asarray(bounds)[start : start + size].T.reshape(-1, size)
            ]
            parts.append(Enclosure(*ends) if len(ends) == 2 else ends[0])
            start += size
        arguments = trees.unflatten(self.tree, iter(parts))
        return arguments[0] if len(arguments) == 1 else tuple(arguments)

    def result(self, entries: Any) -> Any:
        """Return the enclosures, in the structure of the results."""
        n = self.derivative
        rows, start = [], 0
        for shape in self.result_shapes:
            size = int(np.prod(shape, dtype=int))
            rows.append(self._by_arguments(entries[start : start + size].reshape((*shape, *[len(self.box)] * n)), n))
            start += size
        return trees.unflatten(self.results, iter(rows))

    def _by_arguments(self, entries: Any, axes: int) -> Any:
        """Split the last axes by arguments."""
        if not axes:
            return _as_floats(entries)
        parts, start, lead = [], 0, entries.ndim - axes
        for shape in self.shapes:
            size = int(np.prod(shape, dtype=int))
            part = np.take(entries, range(start, start + size), axis=lead)
            part = part.reshape((*entries.shape[:lead], *shape, *entries.shape[lead + 1 :]))
            parts.append(self._by_arguments(part, axes - 1))
            start += size
        return parts[0] if len(parts) == 1 else tuple(parts)


def _steps_of(program: Program) -> Callable[[Any], Any]:
    """Return a program as a function with its true derivative: nothing is detached, and no rule is a user's."""
    attached = _attached(program)
    return lambda x: attached.walk([x], lambda v, args: v.op(*args))[0]


def _attached(program: Program) -> Program:
    """Return a program, and the bodies of its loops, with what is detached as it is."""
    places = list(range(len(program.values)))
    new = Program(program.values, program.inputs)
    for k, v in enumerate(program.values):
        places[k] = places[v.args[0]] if isinstance(v.op, Detach) else k
        new.replace(k, v._replace(op=_attached_loop(v.op), args=tuple(places[a] for a in v.args)))
    new.outputs = [places[k] for k in program.outputs]
    return new


def _attached_loop(op: Any) -> Any:
    if not isinstance(op, Scan):
        return op
    return Scan.of(_attached(op.body), op.carries, op.xs, op.length, op.reverse, op.kept, op.until)


def _recorded(program: Program, inputs: int, folds: bool) -> Tape | None:
    tape = Tape(inputs, folds)
    try:
        (value,) = Walk(tape)(program, [np.array([*tape.inputs, None], dtype=object)[:-1]])
    except NotYet:
        return None
    tape.outputs = [tape.cell(y) for y in np.ravel(value)]
    return tape


def _ends_of(x: Any, signs: Sequence[int]) -> Any:
    """The face of a box where arguments are at their upper (1) or lower (-1) ends; those with 0 stay."""
    face = x.copy()
    for i, sign in enumerate(signs):
        end = face[i].upper if sign > 0 else face[i].lower
        face[i] = Interval(end, end) if sign else face[i]
    return face


def _quadratic(bends: Any, away: Any) -> Any:
    """½ dᵀ H d, with the squares of the diagonal as squares."""
    products = np.multiply.outer(away, away)
    for k, d in enumerate(away):
        products[k, k] = d**2
    return (bends * products).sum(axis=(-2, -1)) / 2


def _as_floats(entries: Any) -> Enclosure:
    bounds = np.array([x.floats() for x in entries.flat], np.float64).reshape((*entries.shape, 2))
    return Enclosure(*[b if b.ndim else float(b) for b in (bounds[..., 0], bounds[..., 1])])
