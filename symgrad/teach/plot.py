"""``sg.plot``: a function of one number with its derivatives, or of two with contours and gradients.

What is plotted becomes a function of the numbers left open, whatever it was: a string, a function, a tensor, a form.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.core.modes import enable_grad
from symgrad.core.node import evaluate, is_outside, size_symbol
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError, SymgradError
from symgrad.expression.arguments import text_of_names
from symgrad.expression.reader import Expression, names_in
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive, expression
from symgrad.func import grad, value_and_grad
from symgrad.functions import stack
from symgrad.ops.map import show_shape
from symgrad.ops.value import to_value
from symgrad.support.arguments import checked
from symgrad.support.extras import needs
from symgrad.teach.calls import parameters
from symgrad.teach.pictures import axes
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.unicode_text import unicode_text
from symgrad.tensors.creation import symbol
from symgrad.tensors.tensor import Tensor

AROUND = 3.0  # what is shown on both sides of 0, or of a leaf's value, where nothing is said
MOST = 4  # derivatives that one picture shows
PROBES = 25  # points where a value is looked for before anything is drawn
NARROW = 32  # signs of a formula in a legend
PRIMES = ("", "′", "″", "‴")
_SHAPES: dict[int, tuple[int, ...]] = {1: (), 2: (2,)}


@checked
def plot(
    f: Tensor | ClosedForm | str | Callable[..., Any],
    over: Any = None,
    *,
    order: int = 1,
    tangent: Any = None,
    path: Any = None,
    units: Mapping[str, str] | None = None,
    ax: Any = None,
    **values: Any,
) -> Any:
    """Draw f, f′ and a tangent for a function of one number, or contours and gradients for two. Needs matplotlib.

    Args:
        f: a formula as text; a function of numbers, or of a vector of two; a tensor with a graph; or a closed form.
        over: the range ``(low, high)``; for two numbers a pair of ranges, or one for both; or a dict of ranges by name.
            By default from -3 to 3, or the same distance around the values of the leaves.
        order: the number of derivatives to draw along with f; for two numbers 1 for the gradient's arrows, 0 for none.
        tangent: the point at which to draw a tangent; for two numbers, the point at which to draw the gradient.
        path: a sequence of points, such as the steps of a descent: numbers, or pairs.
        units: the units of the names and of ``"f"``, as in ``{"t": "s", "f": "m"}``; the units of f′ follow from them.
        ax: the axes of matplotlib; by default those of a new figure.
        values: by name, a tuple ``(low, high)`` for a range, or a value that is held constant.

    Returns:
        The axes of matplotlib. Nothing is shown or saved; call for example ``ax.figure.savefig("f.png")``.

    Raises:
        MissingExtra: if matplotlib is not installed.
        ArgumentError: if no name or more than two names have no value, a range is invalid, or f has no value over it.
        ArgumentTypeError: if f is none of these.
        ShapeError: if f is not a number.

    >>> ax = sg.plot("x**2*sin(x)", (-3, 3), tangent=1.0)
    >>> [line.get_label() for line in ax.lines][1:3]
    ['f(x) = x²·sin(x)', 'f′(x) = x·(x·cos(x) + 2·sin(x))']
    >>> ax = sg.plot("(1 - x)**2 + 10*(y - x**2)**2", x=(-2, 2), y=(-1, 3), tangent=(0, 1))
    """
    needs("plot", "plot")
    if isinstance(order, bool) or not isinstance(order, int) or not 0 <= order < MOST:
        raise ArgumentError(f"plot: got order={order!r}. Expected 0 for f alone, 1 for f and f′, up to {MOST - 1}.")
    subject = _subject(f, *_ranges(over, values))
    canvas = axes.axes("plot", ax)
    drawn = _curves if len(subject.over) == 1 else _contours
    return drawn(subject, order, tangent, path, _checked_units(units or {}, subject), canvas)


class Subject(NamedTuple):
    """A function of the one or two numbers that are left open.

    Attributes:
        letter: what it is called.
        names: what the numbers are called.
        over: their ranges.
        call: its value, of tensors.
        formulas: those of f, f′, … as far as wanted, each None where it has none.
    """

    letter: str
    names: tuple[str, ...]
    over: tuple[tuple[float, float], ...]
    call: Callable[..., Any]
    formulas: Callable[[int], Sequence[ClosedForm | None]]


# ------------------------------------------------------------------ what is plotted
Ranges = list[tuple[float, float]]


def _ranges(over: Any, values: Mapping[str, Any]) -> tuple[Ranges, dict[str, Ranges], dict[str, Any]]:
    """Return the ranges without a name, those by name, and the values that are kept."""
    named = {**over, **values} if isinstance(over, Mapping) else dict(values)
    ranges = {name: _pairs(v) for name, v in named.items() if isinstance(v, tuple)}
    kept = {name: to_value(v) for name, v in named.items() if not isinstance(v, tuple)}
    plain = [] if over is None or isinstance(over, Mapping) else _pairs(over)
    if plain and ranges:
        raise ArgumentError(f"plot: got a range for {sorted(ranges)} and one without a name. Pass every range by name.")
    return plain, ranges, kept


def _pairs(given: Any) -> Ranges:
    """Return a range, or two."""
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape not in ((2,), (2, 2)):
        raise ArgumentError(f"plot: got the range {given!r}. Expected (low, high), or a pair of these for two numbers.")
    pairs = [(float(low), float(high)) for low, high in array.reshape(-1, 2)]
    for low, high in pairs:
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ArgumentError(f"plot: the range ({low:g}, {high:g}) is empty or not bounded. Expected low < high.")
    return pairs


def _subject(f: Any, plain: Ranges, named: dict[str, Ranges], kept: dict[str, Any]) -> Subject:
    if isinstance(f, str):
        shapes = {name: np.shape(v) for name, v in kept.items()}
        shapes |= {name: _SHAPES[len(pairs)] for name, pairs in named.items()}
        f = text_of_names(f, shapes)
        _check_known(names_in(f.reading, letters=shapes), shapes)
    if isinstance(f, Tensor):
        f = expression(f)
    if isinstance(f, ClosedForm):
        return _of_form(f, plain, named, kept)
    if isinstance(f, type) or not callable(f):
        raise ArgumentTypeError(
            f"plot: expected a formula as text, a function, a tensor or a closed form, got {type(f).__name__}."
        )
    return _of_function(f, plain, named, kept)


def _of_function(f: Callable[..., Any], plain: Ranges, named: dict[str, Ranges], kept: dict[str, Any]) -> Subject:
    required = f.names if isinstance(f, Expression) else tuple(parameters("plot", f, None))
    known = (*required, *(n for n in _taken(f) if n not in required))
    _check_known(known, named, kept)
    names = [n for n in known if n in required or n in named or n in kept]
    open_ = [n for n in names if n not in kept]
    ranges = _laid(open_, {}, plain, named)

    def call(given: Mapping[str, Any]) -> Any:
        positional = [n for n in names if n in required]
        arguments = {**kept, **given}
        return f(*[arguments[n] for n in positional], **{n: arguments[n] for n in names if n not in positional})

    def formulas(many: int) -> Sequence[ClosedForm | None]:
        leaves = {n: symbol(n, shape=_SHAPES[len(ranges[n])]) for n in open_}
        try:
            with enable_grad():
                form = expression(as_tensor(call(leaves)))
            return _derivatives(form, leaves[open_[0]], many)
        except SymgradError:  # f asks for numbers, as if x > 0 does
            return [None] * (many + 1)

    return _open(ranges, call, formulas)


def _taken(f: Callable[..., Any]) -> list[str]:
    """Return the names of what a function takes but may be called without."""
    try:
        every = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return []
    if not every:
        raise ArgumentError("plot: the function has no arguments. Expected a function of one or two numbers.")
    return [p.name for p in every if p.default is not p.empty]


def _of_form(form: ClosedForm, plain: Ranges, named: dict[str, Ranges], kept: dict[str, Any]) -> Subject:
    if form.shape != ():
        raise ShapeError(
            f"plot: the formula has shape {show_shape(form.shape)}. Expected a number: plot an entry, or the sum."
        )
    leaves = {name: leaf for name, leaf in form._called.mine.items() if not is_outside(leaf)}
    _check_known([*leaves, *sorted(form._called.sizes)], named, kept)
    free = [n for n in form.args or leaves if n in leaves and n not in kept]
    untold = [n for n in free if leaves[n].value is None]
    open_ = [n for n in leaves if n in named or (n in untold if untold or named else n in free)]
    ranges = _laid(open_, {n: leaves[n].value for n in open_}, plain, named)
    pairs = [n for n in open_ if leaves[n].shape or len(ranges[n]) == 2]
    for name in pairs:
        _check_pair(name, leaves[name].shape)
        ranges[name] = ranges[name] * (2 // len(ranges[name]))
    sizes = {str(n): 2 for name in pairs for n in leaves[name].shape if n == size_symbol(str(n))}
    form = form.subs({**sizes, **kept}) if sizes or kept else form
    left = {name: id(leaf) for name, leaf in form._called.mine.items()}
    leaf = form._called.mine.get(open_[0], leaves[open_[0]])

    def call(given: Mapping[str, Any]) -> Any:
        (value,) = evaluate([form._root], {left[n]: x for n, x in given.items() if n in left})
        return value

    return _open(ranges, call, lambda many: _derivatives(form, handle(leaf, leaf.value), many))


def _check_pair(name: str, shape: Any) -> None:
    if len(shape) != 1 or (isinstance(shape[0], int) and shape[0] != 2):
        raise ShapeError(
            f"plot: {name!r} has shape {show_shape(shape)}. Expected a number, or a vector of two. Give it a value, as "
            f"in plot(f, {name}=…), or plot a function of one of its entries."
        )


def _derivatives(form: ClosedForm, x: Any, many: int) -> Sequence[ClosedForm | None]:
    forms: list[ClosedForm | None] = [form]
    for k in range(1, many + 1):
        try:
            forms.append(derive(form, x, order=k, verify=False))
        except SymgradError:  # f does not depend on x, or has no formula there
            forms.append(None)
    return forms


def _check_known(known: Sequence[str], *given: Mapping[str, Any]) -> None:
    unknown = [name for names in given for name in names if name not in known]
    if unknown:
        raise ArgumentError(f"plot: the function has no {unknown[0]!r}. It has: {', '.join(known) or 'none'}.")


def _laid(open_: Sequence[str], own: Mapping[str, Any], plain: Ranges, named: dict[str, Ranges]) -> dict[str, Ranges]:
    """Return the ranges of what is left open."""
    if not open_:
        raise ArgumentError("plot: every name has a value. Give a range, as in plot(f, x=(-3, 3)).")
    rest = [n for n in open_ if n not in named]
    if (named and rest) or len(open_) > 2:
        told = f"{', '.join(named)} has a range, and {', '.join(rest)} neither range nor value."
        shown = ", ".join(f"{n}=1.0" for n in (rest if named else rest[2:]))
        raise ArgumentError(
            f"plot: {told if named else f'{len(open_)} names have no value: ' + ', '.join(open_) + '.'} Expected one "
            f"or two such names. Give the others a value, as in plot(f, {shown})."
        )
    if sum(map(len, named.values())) > 2 or (len(open_) == 2 and any(len(r) == 2 for r in named.values())):
        raise ArgumentError("plot: got ranges for more than two numbers. Expected one or two.")
    if plain and len(open_) == 2:
        return dict(zip(open_, ([p] for p in (plain * 2)[-2:]), strict=True))
    return {n: named.get(n) or plain or _around(own.get(n)) for n in open_}


def _around(value: Any) -> Ranges:
    """Return the range around 0, or around the value of a leaf."""
    centres = np.atleast_1d(0.0 if value is None else np.asarray(value, np.float64)).ravel()[:2]
    return [(c - max(AROUND, abs(c)), c + max(AROUND, abs(c))) for c in map(float, centres)]


def _open(ranges: Mapping[str, Ranges], call: Callable[..., Any], formulas: Callable[[int], Any]) -> Subject:
    """Return the subject of one or two numbers; a vector is two of them."""
    over = tuple(pair for pairs in ranges.values() for pair in pairs)
    (first, pairs), *rest = ranges.items()
    names = (f"{first}₀", f"{first}₁") if len(pairs) == 2 else (first, *[n for n, _ in rest])
    letter = next(c for c in ("f", "g", "h", "y", "F") if c not in ranges)

    def of_numbers(*xs: Any) -> Any:
        entries = [stack([as_tensor(x) for x in xs])] if len(pairs) == 2 else xs
        y = call(dict(zip(ranges, entries, strict=True)))
        if not isinstance(y, (TensorBase, int, float, np.ndarray, np.generic)):
            raise ArgumentTypeError(f"plot: expected the function to return a number, got {type(y).__name__}.")
        y = as_tensor(y)
        if y.shape != ():
            raise ShapeError(f"plot: f has shape {show_shape(y.shape)}. Expected a number: return f(x).sum().")
        return y

    return Subject(letter, names, over, of_numbers, formulas)


# ------------------------------------------------------------------ numbers
class _Tried:
    """Numbers of a point, nan where there are none; where no point has any, the first failure is the reason."""

    def __init__(self, numbers: Callable[..., Sequence[Any]], many: int) -> None:
        self._numbers, self._many = numbers, many
        self._worked = False
        self._first: Exception | None = None

    def __call__(self, *xs: float) -> list[float]:
        try:
            with np.errstate(all="ignore"):
                values = [float(v) for v in self._numbers(*xs)]
        except ShapeError:
            raise
        except (SymgradError, ArithmeticError, ValueError) as error:
            self._first = self._first or error
            return [math.nan] * self._many
        self._worked = self._worked or math.isfinite(values[0])
        return [v if math.isfinite(v) else math.nan for v in values]

    def check(self, over: Any) -> None:
        """Raise an error where no point had a value."""
        if self._worked:
            return
        if self._first is not None:
            raise self._first
        shown = " × ".join(f"({low:g}, {high:g})" for low, high in over)
        raise ArgumentError(f"plot: f has no finite value over {shown}. Choose another range.")


def _derived(f: Callable[..., Any], many: int) -> Callable[[float], Sequence[Any]]:
    """Return x ↦ f, f′, …, so many derivatives, one at least."""
    pairs = [value_and_grad(f)]
    for _ in range(many - 1):
        f = grad(f)
        pairs.append(value_and_grad(f))

    def numbers(x: float) -> Sequence[Any]:
        rows = [pair(x) for pair in pairs]
        return [*(value for value, _ in rows), rows[-1][1]]

    return numbers


# ------------------------------------------------------------------ pictures
def _curves(subject: Subject, order: int, tangent: Any, path: Any, units: Mapping[str, str], ax: Any) -> Any:
    many = max(order, 1)
    at = _Tried(_derived(subject.call, many), many + 1)
    ((low, high),) = subject.over
    for x in np.linspace(low, high, PROBES):
        at(float(x))
    at.check(subject.over)
    touch = None if tangent is None else _touch(subject, at, _numbers("tangent", tangent, ()))
    return axes.curves(at, (low, high), _words(subject, order, units), touch, _path(path, 1), ax)


def _touch(subject: Subject, at: Callable[[float], Sequence[float]], x: Any) -> axes.Touch:
    value, slope = at(float(x))[:2]
    if not (math.isfinite(value) and math.isfinite(slope)):
        raise ArgumentError(
            f"plot: there is no tangent at {float(x):g}, where {subject.letter} or its slope is not finite."
        )
    return axes.Touch(float(x), value, slope)


def _contours(subject: Subject, order: int, tangent: Any, path: Any, units: Mapping[str, str], ax: Any) -> Any:
    if order > 1:
        raise ArgumentError(
            f"plot: got order={order} of two numbers, {' and '.join(subject.names)}. Expected 1 for the gradient's "
            "arrows, or 0; or give one of them a value."
        )
    value = _Tried(lambda x, y: [subject.call(x, y)], 1)
    slope = _Tried(grad(subject.call, argnums=(0, 1)), 2)
    (x0, x1), (y0, y1) = subject.over
    for x, y in zip(np.linspace(x0, x1, PROBES), np.linspace(y0, y1, PROBES), strict=True):
        value(float(x), float(y))
    value.check(subject.over)
    touch = None if tangent is None else [float(x) for x in _numbers("tangent", tangent, (2,))]
    field = axes.Field(lambda x, y: value(x, y)[0], slope, order > 0)
    return axes.contours(field, subject.over, _words(subject, order, units), touch, _path(path, 2), ax)


def _path(path: Any, many: int) -> Any:
    """Return the points of a path, one number or two in each."""
    if path is None:
        return None
    points = _numbers("path", [to_value(p) for p in path] if isinstance(path, (list, tuple)) else path, None)
    points = points.reshape(-1) if many == 1 and points.shape[1:] == (1,) else points
    if not points.ndim or points.shape[1:] != _SHAPES[many] or not points.size:
        row = "numbers" if many == 1 else "pairs of numbers"
        raise ShapeError(f"plot: path has shape {show_shape(points.shape)}. Expected a list of {row}.")
    return points


def _numbers(what: str, given: Any, shape: Any) -> Any:
    try:
        array = np.asarray(to_value(given), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"plot: got {what}={given!r}. Expected numbers.") from error
    if shape is not None and array.shape != shape:
        expected = "a pair of numbers" if shape else "a number"
        raise ShapeError(f"plot: {what} has shape {show_shape(array.shape)}. Expected {expected}.")
    if not np.isfinite(array).all():
        raise ArgumentError(f"plot: {what} is not finite.")
    return array


# ------------------------------------------------------------------ words
def _checked_units(units: Mapping[str, str], subject: Subject) -> Mapping[str, str]:
    known = [*subject.names, subject.letter]
    unknown = [name for name in units if name not in known]
    if unknown:
        raise ArgumentError(f"plot: units has {unknown[0]!r}. Expected some of: {', '.join(known)}.")
    for name, unit in units.items():
        if not isinstance(unit, str):
            raise ArgumentTypeError(f"plot: the unit of {name} is {unit!r}. Expected text, such as 'm/s'.")
    return units


def _words(subject: Subject, order: int, units: Mapping[str, str]) -> axes.Words:
    """Return the words of the axes, and of each curve: its formula where that is short, and its unit."""
    named = [f"{name}{_bracketed(units.get(name, ''))}" for name in subject.names]
    letter, own = subject.letter, units.get(subject.letter, "")
    if len(subject.names) == 2:
        return axes.Words(named[0], named[1], (_equation(subject, 0, subject.formulas(0)) + _bracketed(own),))
    forms = subject.formulas(order)
    labels = [
        _equation(subject, k, forms) + _bracketed(_unit(own, units.get(subject.names[0], ""), k))
        for k in range(order + 1)
    ]
    return axes.Words(named[0], f"{letter}({subject.names[0]})" + _bracketed("" if order else own), tuple(labels))


def _bracketed(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def _equation(subject: Subject, k: int, forms: Sequence[ClosedForm | None]) -> str:
    left = f"{subject.letter}{PRIMES[k]}({', '.join(subject.names)})"
    form = forms[k]
    formula = None if form is None else brief(form, NARROW)
    return left if formula is None else f"{left} = {unicode_text(formula)}"


def _unit(own: str, by: str, k: int) -> str:
    """Return the unit of a derivative: m/s² of m by s, twice.

    >>> _unit("m", "s", 2), _unit("", "s", 1), _unit("kg m", "", 1), _unit("kg m", "s", 1)
    ('m/s²', '1/s', 'kg m', '(kg m)/s')
    """
    if not k or not by:
        return own
    compound = set(" /·*")
    over = f"({own})" if compound & set(own) else own or "1"
    under = f"({by})" if compound & set(by) else by
    return f"{over}/{under}{('', '²', '³')[k - 1]}"
