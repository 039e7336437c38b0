"""The three-way proof: the number, the formula and the function of a derivative agree.

``crosscheck`` is what the tests of symgrad itself are made of.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import Parameter
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import mpmath
import numpy as np

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.choose import check_digits
from symgrad.compiler.backends.mpmath.slopes import slopes
from symgrad.compiler.program import from_nodes
from symgrad.compiler.trace import trace
from symgrad.core import trees
from symgrad.core.modes import no_grad
from symgrad.core.node import tensor_node, tensor_value
from symgrad.core.pairs import in_parts
from symgrad.core.promotion import is_floating
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, CrosscheckError, FormError, LinAlgError, SymgradError
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.verify import index_value, matrix_value
from symgrad.func import jacfwd, jacrev
from symgrad.functions import view_as_real
from symgrad.ops.elementwise.complexes import complex_of, holds_complex
from symgrad.ops.value import to_value
from symgrad.support import foreign
from symgrad.support.arguments import check_all
from symgrad.support.progress import long_work
from symgrad.tensors.tensor import Tensor
from symgrad.testing.kinks import bends, central, limits, operation_at, operation_near, value
from symgrad.testing.proofs import certain_digits

__all__ = ["Crosscheck", "Witness", "crosscheck", "finite_differences"]


@dataclass(frozen=True)
class Witness:
    """One way to compute the Jacobian of one input: its name and value, or why the value is missing."""

    input: int
    name: str
    value: Any = None
    missing: str = ""
    error: float = 0.0
    agrees: bool = True
    ulps: float | None = None  # the error in units of the last place of the true gradient
    kink: str = ""  # why the point has no derivative for this witness to testify to

    @property
    def verdict(self) -> str:
        """Whether the witness agrees; or the reason why this is unknown."""
        if self.missing:
            return f"not available: {self.missing}"
        if self.kink and self.agrees:
            return self.kink
        return "agrees" if self.agrees else "DISAGREES"

    @property
    def is_measured(self) -> bool:
        """Whether the measured value's error is meaningful."""
        return not self.missing and not (self.kink and self.agrees)

    def cells(self) -> tuple[str, ...]:
        """Return its row of the table: input, name, error, units of the last place, verdict."""
        error = f"{self.error:.1e}" if self.error else "0"
        ulps = "" if self.ulps is None else f"{self.ulps:.1f}"
        measured = (error, ulps) if self.is_measured else ("", "")
        return str(self.input), self.name, *measured, self.verdict

    def __str__(self) -> str:
        return "  ".join(cell for cell in self.cells() if cell)


@dataclass(frozen=True)
class Crosscheck:
    """The report of a cross-check: one row for each input and witness."""

    witnesses: tuple[Witness, ...]
    rtol: float
    forms: tuple[ClosedForm | None, ...] = field(default=())
    proved: int | None = None  # so many digits of reverse mode are certain

    @property
    def ok(self) -> bool:
        """Whether all witnesses that have a value agree."""
        return all(w.agrees for w in self.witnesses)

    @property
    def kinks(self) -> tuple[str, ...]:
        """The kinks that were found, one sentence for each, with the input."""
        return tuple(dict.fromkeys(w.kink for w in self.witnesses if w.kink))

    @property
    def _headline(self) -> str:
        if not self.ok:
            said = "WITNESSES DISAGREE"
        elif self.kinks:
            said = "the point is a kink, where gradients are a convention"
        else:
            said = "all witnesses agree"
        proof = f"; proved to {self.proved} digits at this point" if self.proved and self.ok else ""
        return f"crosscheck: {said} (tolerance {self.rtol:g}){proof}"

    def _rows(self) -> list[tuple[str, ...]]:
        """The table with its head, without columns that are empty."""
        whole = [("input", "found by", "error", "ulp", "verdict"), *(w.cells() for w in self.witnesses)]
        kept = [k for k in range(len(whole[0])) if any(row[k] for row in whole[1:])]
        return [tuple(row[k] for k in kept) for row in whole]

    def __str__(self) -> str:
        rows = self._rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([self._headline, *(f"  {line}" for line in lines)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rows = [[foreign.html(cell) for cell in row] for row in self._rows()]
        top = "".join(f"<th>{cell}</th>" for cell in head)
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        caption = f"<caption>{foreign.html(self._headline)}</caption>"
        return f"<table>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def crosscheck(
    f: Callable[..., Any], *inputs: Any, rtol: float = 1e-6, raise_exception: bool = True, digits: int | None = None,
    progress: bool = True,
) -> Crosscheck:  # fmt: skip
    """Compare all ways to compute ∂f/∂x: reverse mode, forward mode, the closed form, and finite differences.

    Complex inputs and results are compared in real and imaginary parts, along a last axis of two.

    Args:
        f: a function of tensors that returns a tensor of any shape.
        inputs: floating-point arrays, numbers or tensors. At a kink, the report names the operation that has it; near a
            kink, differences use a smaller step.
        rtol: the allowed error, relative to each entry of the derivative. Rounding of the entry's terms, and for
            differences of f, is allowed in addition.
        raise_exception: whether to raise an error if the ways disagree, or only to report it.
        digits: also compute the gradient to this many digits, by differences of the recorded program in mpmath, which
            use no derivative rules; every error is then also given in ulps of that gradient. This is slow, so only 16
            entries of large inputs are computed. With python-flint (extra ``proved``), the report also says how many
            digits of reverse mode are proved: the backend ``arb`` encloses every entry of the gradient in a ball, and
            reverse mode is compared with the whole ball.
        progress: whether to report progress, on a terminal or in a notebook.

    Returns:
        A ``Crosscheck`` with the attributes ``ok``; ``witnesses``, the ways, each with its value and error; and
        ``proved``, the number of proved digits, or None. Its ``str`` is a table.

    Raises:
        CrosscheckError: if the ways disagree; the message names those that differ from the others.
        ArgumentError: if there is no floating-point input.

    >>> print(sg.testing.crosscheck(lambda x: (x**3).sum(), np.array([1.0, 2.0])))
    crosscheck: all witnesses agree (tolerance 1e-06)
      input  found by            error    verdict
      0      reverse mode        0        agrees
      0      forward mode        0        agrees
      0      closed form         0        agrees
      0      index notation      0        agrees
      0      matrix notation     0        agrees
      0      finite differences  ...      agrees
    """
    given = [to_value(x.detach().numpy() if isinstance(x, Tensor) else x) for x in inputs]
    values = [in_parts(v) if holds_complex(v) else v for v in given]
    which = [k for k, v in enumerate(values) if is_floating(np.asarray(v).dtype)]
    if not which:
        raise ArgumentError("crosscheck: no input is floating point. Pass floats, such as np.array([1.0, 2.0]).")
    if digits is not None:
        check_digits("crosscheck", digits)
    _check_same(f, inputs)
    on_tensors = _on_real_tensors(f, given)
    rows: list[Witness] = []
    forms, reasons, proofs = [], [], []
    with long_work("crosscheck", len(which), shown=progress) as work:
        for k in which:
            judged, form, reason = _examined(_Case(on_tensors, values, k, _name_of(f, k)), rtol, digits)
            proofs.append(_proved(on_tensors, values, judged, digits))
            rows.extend(judged)
            forms.append(form)
            reasons += reason
            work.step()
    certain = [proof for proof in proofs if proof is not None]
    proved = min(certain) if len(certain) == len(proofs) else None
    report = Crosscheck(tuple(rows), rtol, tuple(forms), proved)
    if raise_exception and not report.ok:
        raise CrosscheckError("\n".join([str(report), *dict.fromkeys(reasons)]))
    return report


def _on_real_tensors(f: Callable[..., Any], given: Sequence[Any]) -> Callable[..., Any]:
    """Return f as a function of real numbers: complex ones are their two parts, along a last axis."""

    def call(*xs: Any) -> Any:
        y = f(*[_whole(as_tensor(x)) if holds_complex(v) else as_tensor(x) for x, v in zip(xs, given, strict=True)])
        return view_as_real(y) if holds_complex(y) else y

    return call


def _examined(case: _Case, rtol: float, digits: int | None) -> tuple[list[Witness], Any, list[str]]:
    """Return the judged witnesses of one input, its closed form, and the reason why they disagree, if they do."""
    witnesses, form = _testimony(case.f, case.values, case.k)
    with np.errstate(all="ignore"):
        judged = _judged_away_from_kinks(case, witnesses, form, rtol)
    judged = judged if digits is None else _with_truth(case, judged, digits, rtol)
    return judged, form, [] if all(w.agrees for w in judged) else [_reason(case, judged, rtol)]


def _proved(f: Callable[..., Any], values: Sequence[Any], rows: Sequence[Witness], digits: int | None) -> int | None:
    """Return how many digits of reverse mode are certain, where digits are requested and no witness is at a kink."""
    reading = next((w for w in rows if w.name == "reverse mode"), None)
    if digits is None or reading is None or not all(w.agrees and not w.kink for w in rows) or reading.missing:
        return None
    return certain_digits(f, values, reading.input, reading.value, digits)


def _check_same(f: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """Refuse a function that draws random numbers."""
    with no_grad():
        first, *others = [tensor_value(as_tensor(f(*map(as_tensor, inputs)))) for _ in range(_DRAWS)]
    if not all(np.allclose(first, y, rtol=1e-9, atol=0.0, equal_nan=True) for y in others):
        raise ArgumentError(
            "crosscheck: f returned two different results for the same inputs, so it draws random numbers. Seed them "
            "inside of f, as by sg.manual_seed(0)."
        )


def _whole(x: Any) -> Any:
    return complex_of(x[..., 0], x[..., 1])


class _Case(NamedTuple):
    """A function of tensors at a point, the input in question, and what the user calls it."""

    f: Callable[..., Any]
    values: Sequence[Any]
    k: int
    name: str

    def shifted(self, place: tuple[int, ...], by: float) -> Any:
        """The value of f with one entry moved."""
        x = np.array(self.values[self.k], dtype=np.float64)
        x[place] += by
        with no_grad():
            y = self.f(*[as_tensor(x if j == self.k else v) for j, v in enumerate(self.values)])
        return np.asarray(tensor_value(as_tensor(y)))

    def traced(self) -> Program | None:
        """Return the traced program with its detached parts; None if f looks at values."""
        try:
            tree = trees.flatten((tuple(self.values), {}), _is_value, [])
            specs = [Spec(np.shape(v), np.asarray(v).dtype) for v in self.values]
            return trace(self.f, tree, specs, "crosscheck").program
        except SymgradError:
            return None

    def recorded(self) -> Program | None:
        """The program that gradients go through: what was detached, or left symgrad, is constant in it."""
        args = [as_tensor(np.array(v) if np.ndim(v) else v) for v in self.values]
        args[self.k].requires_grad_()
        y = as_tensor(self.f(*args))
        if not y.requires_grad:
            return None
        try:
            return from_nodes([tensor_node(args[self.k])], [tensor_node(y)])
        except SymgradError:
            return None


def _is_value(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic, float))


def _name_of(f: Callable[..., Any], k: int) -> str:
    """Return the parameter's name, as the user wrote it."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return f"input {k}"
    named = k < len(parameters) and parameters[k].kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return parameters[k].name if named else f"input {k}"


_DRAWS = 5  # of a function that may be random, whose sums may come out alike
_NOTATIONS = {"index notation": index_value, "matrix notation": matrix_value}


def _testimony(f: Callable[..., Any], values: Sequence[Any], k: int) -> tuple[list[Witness], ClosedForm | None]:
    rows = [
        _witness(k, "reverse mode", lambda: jacrev(f, k)(*values)),
        _witness(k, "forward mode", lambda: jacfwd(f, k)(*values)),
    ]
    form = None
    try:
        form = _form(f, values, k)
    except SymgradError as error:
        rows.append(Witness(k, "closed form", missing=str(error)))
    if form is not None:
        rows.append(_witness(k, "closed form", form.lambdify()))
        names = [name for name in _NOTATIONS if form.has_matrix or name != "matrix notation"]
        rows.extend([_witness(k, name, partial(_NOTATIONS[name], form)) for name in names])
    rows.append(_witness(k, "finite differences", lambda: finite_differences(f, values, k)))
    return rows, form


def _witness(k: int, name: str, compute: Callable[[], Any]) -> Witness:
    try:
        return Witness(k, name, np.asarray(compute()))
    except (FormError, LinAlgError) as error:  # a formula with A⁻¹ has no value where A is singular
        return Witness(k, name, missing=str(error).split(".")[0])


def _form(f: Callable[..., Any], values: Sequence[Any], k: int) -> ClosedForm | None:
    """The closed form of the Jacobian; None where f does not depend on the input."""
    args = [as_tensor(v) for v in values]
    for j, a in enumerate(args):
        a.name = f"x{j}"
    args[k].requires_grad_()
    y = as_tensor(f(*args))
    if not y.requires_grad:
        return None
    form: ClosedForm = derive(y, args[k], verify=False)
    return form


def finite_differences(f: Callable[..., Any], values: Sequence[Any], k: int) -> Any:
    """Return the Jacobian by central differences at two steps, extrapolated: error O(h⁴)."""
    x = np.asarray(to_value(values[k]), dtype=np.float64)

    def at(shifted: Any) -> Any:
        with no_grad():
            return np.asarray(
                tensor_value(as_tensor(f(*[as_tensor(shifted if j == k else v) for j, v in enumerate(values)])))
            )

    with np.errstate(all="ignore"):  # at the ends of the axis a step leads to ∞
        columns = [_extrapolated(at, x, place) for place in np.ndindex(*x.shape)]
    shape = columns[0].shape if columns else np.shape(at(x))
    return np.stack(columns, -1).reshape((*shape, *x.shape)) if columns else np.zeros((*shape, *x.shape))


def _extrapolated(at: Callable[[Any], Any], x: Any, place: tuple[int, ...]) -> Any:
    """The slope with respect to one entry: (4 s(h/2) - s(h))/3 of central differences s."""
    h = 1e-3 * max(1.0, abs(float(x[place])))
    slopes = []
    for step in (h, h / 2):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        slopes.append((at(up) - at(down)) / (up[place] - down[place]))
    return (4 * slopes[1] - slopes[0]) / 3


# ------------------------------------------------------------------ kinks
_MORE = 64.0  # times the rounding of the first differences, beyond which finer ones tell nothing new
_COARSE = 1e-6  # distances of floats, over which a function may change that has a slope
_FINER = [16.0**-k for k in range(1, 11)]  # steps beside a kink or pole, down to 1e-15


def _judged_away_from_kinks(case: _Case, rows: list[Witness], form: ClosedForm | None, rtol: float) -> list[Witness]:
    """Compare the entries that have a derivative; where another entry is at a kink, all witnesses say so."""
    rows, places = _at_kinks(case, _without_poles(case, rows, form, rtol))
    judged = _judged_without(case, rows, form, places, rtol)
    if not judged[-1].agrees:
        places += _conventions(case, judged, places, rtol)
        judged = _judged_without(case, rows, form, places, rtol)
    said = _kink_at(case, places[0]) if places else ""
    return [
        replace(j, value=w.value if places else j.value, kink="" if w.missing else said)
        for j, w in zip(judged, rows, strict=True)
    ]


def _judged_without(
    case: _Case, rows: list[Witness], form: ClosedForm | None, places: Sequence[tuple[int, ...]], rtol: float
) -> list[Witness]:
    spoilt = _spoilt(rows, places)
    compared = [w if w.missing else replace(w, value=_without(w.value, places, spoilt)) for w in rows]
    judged = _judged(compared, rtol)
    if all(w.agrees for w in judged):
        return judged
    noise = {"finite differences": _noise(case)}
    if not all(w.agrees for w in judged[:-1]):
        noise |= dict.fromkeys([w.name for w in judged[:-1]], _rounding(case))
    for w in judged:
        if form is not None and w.name in _NOTATIONS and not w.agrees:
            noise[w.name] = np.fmax(noise[w.name], _rounding_of_terms(form, w))
    noise = {name: _without(n, places, spoilt) for name, n in noise.items()}
    return _nearer(case, _judged(compared, rtol, noise), places, rtol, noise)


def _conventions(
    case: _Case, rows: list[Witness], places: Sequence[tuple[int, ...]], rtol: float
) -> list[tuple[int, ...]]:
    """Return the entries where rules have a convention for what f has a slope in, as relu(x) - relu(-x) has at 0.

    An operation on the way has a kink there, and the rules are right on both sides of it.
    """
    reading, last = rows[0], rows[-1]
    if last.missing or reading.missing or reading.value.shape != last.value.shape:
        return []
    apart = [
        p
        for p in np.ndindex(*np.shape(case.values[case.k]))
        if p not in places and _distance(reading.value[(..., *p)], last.value[(..., *p)]) > rtol
    ]
    return apart if apart and _bending_near(case) and _right_on_both_sides(case, apart, rtol) else []


def _right_on_both_sides(case: _Case, places: Sequence[tuple[int, ...]], rtol: float) -> bool:
    x = np.asarray(case.values[case.k], dtype=np.float64)
    off = np.random.default_rng(1).normal(size=x.shape) * 1e-2 * np.maximum(1.0, np.abs(x))
    for moved in (x + off, x - off):
        beside = case._replace(values=[moved if j == case.k else v for j, v in enumerate(case.values)])
        read: Any = np.asarray(jacrev(case.f, case.k)(*beside.values))
        for p in places:
            if _distance(read[(..., *p)], _central(beside, p, 1e-2 * _step(x[p]))) > max(rtol, 1e-5):
                return False
    return True


def _without(value: Any, places: Sequence[tuple[int, ...]], spoilt: Any = False) -> Any:
    slopes: Any = np.array(value)
    for p in places:
        slopes[(..., *p)] = 0.0
    return np.where(spoilt, 0.0, slopes) if np.shape(spoilt) == slopes.shape else slopes


def _spoilt(rows: list[Witness], places: Sequence[tuple[int, ...]]) -> Any:
    """Return the entries that an infinite slope at a kink makes nan, being multiplied by 0 there."""
    there = [w.value for w in rows if not w.missing and w.value.shape == rows[-1].value.shape] if places else []
    steep = any(not np.all(np.isfinite(v[(..., *p)])) for v in there for p in places)
    return np.any([np.isnan(v) for v in there], axis=0) if steep else False


def _without_poles(case: _Case, rows: list[Witness], form: ClosedForm | None, rtol: float) -> list[Witness]:
    """Excuse a notation that has no value at this point, as x/‖x‖ has none at 0, and is right beside it."""
    if form is None or not any(w.name.endswith("notation") and w.value is not None for w in rows):
        return rows
    read = next(w for w in rows if w.name == "closed form")
    return [
        Witness(case.k, w.name, missing="the formula has no value at this point")
        if w.name.endswith("notation") and _has_pole(w, read) and _right_beside(case, w.name, rtol)
        else w
        for w in rows
    ]


def _has_pole(notation: Witness, read: Witness) -> bool:
    both = not notation.missing and not read.missing and notation.value.shape == read.value.shape
    return both and bool(np.any(~np.isfinite(notation.value) & np.isfinite(read.value)))


def _right_beside(case: _Case, name: str, rtol: float) -> bool:
    """Whether the values of a notation at a point nearby are those of its closed form."""
    x = np.asarray(case.values[case.k], dtype=np.float64)
    off = x + 1e-2 * np.maximum(1.0, np.abs(x)) * np.sin(1.0 + np.arange(x.size)).reshape(x.shape)
    form = _form(case.f, [off if j == case.k else v for j, v in enumerate(case.values)], case.k)
    if form is None:
        return False
    values = np.asarray(index_value(form) if name == "index notation" else matrix_value(form))
    expected = np.asarray(form.lambdify()())
    return _distance(np.where(np.isfinite(values), values, expected), expected) <= max(rtol, 1e-6)


def _at_kinks(case: _Case, rows: list[Witness]) -> tuple[list[Witness], list[tuple[int, ...]]]:
    """Take differences over smaller steps where a kink is near; return the entries that are at one."""
    *others, last = rows
    if last.missing:
        return rows, []
    x = np.asarray(case.values[case.k], dtype=np.float64)
    differences: Any = np.array(last.value)
    places: list[tuple[int, ...]] = []
    for place in np.ndindex(*x.shape):
        h = _step(x[place])
        if not np.any(bends(partial(case.shifted, place), h)):
            continue
        smaller = _smooth_step(case, place, h)
        if smaller:
            differences[(..., *place)] = _closer(others[0].value, place, differences, _central(case, place, smaller))
        else:
            places.append(place)
    return [*others, replace(last, value=differences)], places


def _closer(reading: Any, place: tuple[int, ...], differences: Any, again: Any) -> Any:
    """Return the differences that are closer to a reading: over a smaller step, roundings weigh more."""
    before = differences[(..., *place)]
    if reading is None or reading.shape != differences.shape:
        return again
    there = reading[(..., *place)]
    return again if _distance(again, there) < _distance(before, there) else before


def _step(x: Any) -> float:
    return 1e-3 * max(1.0, abs(float(x)))


def _smooth_step(case: _Case, place: tuple[int, ...], h: float) -> float:
    """Return a step within which there is no kink; 0 where the point itself is one."""
    at = partial(case.shifted, place)
    for level in range(len(_FINER)):
        if level >= 4 and not _is_seen(at, h / 16):
            break
        h /= 16
        if not np.any(bends(at, h, 1e-4)):
            return h
    return 0.0 if np.any(bends(at, 16 * h, 1e-4, finer=16)) else h


def _is_seen(at: Callable[[float], Any], h: float, part: float = 1e-4) -> bool:
    """Whether a part of what changes over a step stands out from the rounding of the values."""
    here, up, down = at(0.0), at(h), at(-h)
    change = np.maximum(np.abs(up - here), np.abs(here - down))
    moved = change != 0  # an entry of f that does not depend on x says nothing
    return bool(np.any(moved)) and not np.any(moved & (part * change <= np.spacing(np.abs(here))))


def _noise(case: _Case) -> Any:
    """Return how far differences are off by the rounding of f: no smooth function has fourth differences over such
    a step.

    Source: Moré and Wild 2011, Estimating Computational Noise.
    """
    x = np.asarray(case.values[case.k], dtype=np.float64)
    columns = []
    for place in np.ndindex(*x.shape):
        h = _step(x[place])
        values = np.stack([np.asarray(case.shifted(place, 1.618e-4 * h * n), np.float64) for n in range(9)])
        least = 4 * np.spacing(np.abs(values[0])) / h
        columns.append(np.fmax(_spread(values) / h, least))
    return np.stack(columns, -1).reshape((*columns[0].shape, *x.shape)) if columns else 0.0


def _rounding(case: _Case) -> Any:
    """Return how far the entries of a gradient are off by the rounding of terms, which may cancel."""
    x = np.asarray(case.values[case.k], dtype=np.float64)
    floats = [is_floating(np.asarray(v).dtype) for v in case.values]
    points = [[v * (1 + 1e-12 * n) if f else v for v, f in zip(case.values, floats)] for n in range(9)]
    least = np.spacing(np.abs(np.asarray(case.shifted((), 0.0), np.float64)))  # a slope that moves f by less is none
    found = np.expand_dims(least, tuple(range(least.ndim, least.ndim + x.ndim)))
    for transform in (jacrev, jacfwd):
        found = np.fmax(found, _spread(np.stack([np.asarray(transform(case.f, case.k)(*point)) for point in points])))
    return found


def _rounding_of_terms(form: ClosedForm, w: Witness) -> Any:
    """Return how far a notation is off by the rounding of its terms, which may cancel."""
    values = [_witness(w.input, w.name, partial(_NOTATIONS[w.name], form, 1 + 1e-12 * n)) for n in range(1, 10)]
    found = np.zeros(w.value.shape) if any(v.missing for v in values) else _spread(np.stack([v.value for v in values]))
    return np.full(found.shape, np.max(found, initial=0.0))  # its terms are common to all entries


def _spread(values: Any) -> Any:
    """Return sixteen standard deviations of the rounding of nine values that are close to each other."""
    spread = 16 * np.sqrt(np.mean(np.diff(values, 4, 0) ** 2, 0) / 70)
    return np.where(np.isfinite(spread), spread, 0.0)


def _central(case: _Case, place: tuple[int, ...], h: float) -> Any:
    at = partial(case.shifted, place)
    return (4 * central(at, h / 2) - central(at, h)) / 3


def _nearer(
    case: _Case, rows: list[Witness], places: Sequence[tuple[int, ...]], rtol: float, noise: dict[str, Any]
) -> list[Witness]:
    """Repeat differences that disagree: over smaller steps, and to the limit where the slope has a kink.

    Where the slope is 0 they only come ever closer to it; where they change with every step they cannot tell.
    """
    reading, last = rows[0], rows[-1]
    if last.agrees or last.missing or reading.missing or reading.value.shape != last.value.shape:
        return rows
    x = np.asarray(case.values[case.k], dtype=np.float64)
    slope = reading.value
    left = _errors(last.value, slope, noise[last.name]) > rtol
    gaps, again, best = [np.abs(last.value - slope)], last.value, last.value
    told = np.zeros(slope.shape, bool)
    shifts = [partial(case.shifted, p) for p in np.ndindex(*x.shape)]
    for level, finer in enumerate(_FINER):
        steps = [finer * _step(x[p]) for p in np.ndindex(*x.shape)]
        seen = [level < 2 or _is_seen(at, h, rtol / 64) for at, h in zip(shifts, steps)]
        if not any(seen):
            break
        units = [32 * np.spacing(np.abs(at(h))) / h for at, h in zip(shifts, steps)]
        rounding = np.stack(units, -1).reshape(slope.shape)
        least = np.fmin(rounding, _MORE * noise[last.name])
        before, closest = again, gaps[-1]
        for column in zip(*map(limits, shifts, steps), strict=True):
            finer_slopes = _without(np.stack(column, -1).reshape(slope.shape), places)
            again = np.where(np.reshape(seen, x.shape), finer_slopes, before)
            best = np.where(_beyond(again, slope, least) < closest, again, best)
            closest = np.fmin(closest, _beyond(again, slope, least))
            left &= _errors(again, slope, least) > rtol
        gaps.append(closest)
        left &= ~_vanishes(gaps, slope)
        steady = 16 * np.abs(again - before) <= np.fmax(np.abs(again), 16 * rounding)
        told |= np.reshape(seen, x.shape) & steady & (16 * np.abs(again - before) <= np.abs(again - slope))
        if not left.any():
            error = float(np.max(_errors(slope + closest, slope)))
            return [*_judged(rows[:-1], rtol, noise), replace(last, value=best, agrees=True, error=error)]
    coarse = np.broadcast_to(np.spacing(np.abs(x)) > _COARSE, slope.shape)
    if not np.any((told | ~coarse) & left):
        silent = replace(last, agrees=True, missing="f changes within the smallest step of x")
        return [*_judged(rows[:-1], rtol, noise), silent]
    return rows


def _vanishes(gaps: Sequence[Any], slope: Any) -> Any:
    """Whether differences come ever closer to a slope of 0, to which no difference is close."""
    closer = [b <= a / 16 for a, b in pairwise(gaps)]
    return np.all(closer, axis=0) & (slope == 0) if len(closer) > 1 else np.zeros(slope.shape, bool)


def _kink_at(case: _Case, place: tuple[int, ...]) -> str:
    """Say which operation has a kink, and where; over smaller steps one beside the point is not seen."""
    x = np.asarray(case.values[case.k])
    where = case.name + (f"[{', '.join(map(str, place))}]" if place else "")
    program = case.traced()
    h = _step(x[place]) / 16**4
    name = operation_at(program, case.values, case.k, place, h) if program else ""
    if program and name and operation_at(program, case.values, case.k, place, h / 256, 1e-4) != name:
        return f"kink: {name} has one within {h:.0e} of {where} = {float(x[place]):g}, the step of a difference"
    return f"kink: {name or _bending_near(case) or 'f'} has no derivative at {where} = {float(x[place]):g}"


def _bending_near(case: _Case) -> str:
    program = case.traced()
    return operation_near(program, case.values, case.k, 1e-7) if program else ""


# ------------------------------------------------------------------ the true gradient
_MOST_EXACT = 16  # entries of an input of which the gradient is computed to many digits


def _with_truth(case: _Case, rows: list[Witness], digits: int, rtol: float) -> list[Witness]:
    """Add the witness that needs no rule, and measure all others against it."""
    x = np.asarray(case.values[case.k])
    places = list(np.ndindex(*x.shape))
    if len(places) > _MOST_EXACT:
        places = [places[k] for k in np.linspace(0, len(places) - 1, _MOST_EXACT).astype(int)]
    name = f"mpmath, {digits} digits"
    program = case.traced() or case.recorded()
    if program is None:
        return [*rows, Witness(case.k, name, missing="f looks at values")]
    given = case.values if len(program.inputs) > 1 or len(case.values) == 1 else [case.values[case.k]]
    try:
        exact = [slopes(program, given, min(case.k, len(given) - 1), p, digits) for p in places]
    except Unsuitable as error:
        return [*rows, Witness(case.k, name, missing=str(error).removeprefix("backend 'mpmath': "))]
    kinks = [p for p, s in zip(places, exact, strict=True) if s.kinks.any()]
    if kinks:
        said = next((w.kink for w in rows if w.kink), "") or _kink_at(case, kinks[0])
        return [replace(w, kink=w.kink or ("" if w.missing else said)) for w in [*rows, Witness(case.k, name)]]
    truth = np.stack([s.middle for s in exact], -1)
    measured = [w if w.missing else _measured(w, truth, places, x, rtol, 0.0) for w in rows]
    if not all(w.agrees for w in measured):
        noise = np.stack([_rounding(case)[(..., *p)] for p in places], -1)
        measured = [w if w.missing else _measured(w, truth, places, x, rtol, noise) for w in rows]
    return [*measured, Witness(case.k, name, truth, ulps=0.0)]


def _measured(w: Witness, truth: Any, places: Sequence[Any], x: Any, rtol: float, noise: Any) -> Witness:
    """Give a witness's error in ulps of the true gradient; an entry that is 0 is measured by the largest."""
    near = truth.astype(np.float64)
    picked = np.stack([w.value[(..., *p)] for p in places], -1)
    if picked.shape != near.shape or not near.size:
        return w
    scale = np.where(near == 0, np.max(np.abs(near), initial=0.0), np.abs(near))
    unit = np.spacing(np.where(scale == 0, 1.0, scale).astype(x.dtype)).astype(np.float64)
    gap = np.frompyfunc(lambda a, t: abs(float(mpmath.mpf(float(a)) - t)), 2, 1)(picked, truth).astype(np.float64)
    differences = w.name == "finite differences"
    loose = differences or w.name in _NOTATIONS  # which lose more digits than what they are compared to
    error = _distance(picked, near) if loose else float(np.max(_errors(picked, near, noise), initial=0.0))
    slack = 100 * rtol if differences and rtol < 1e-8 else rtol
    return replace(w, ulps=float(np.max(gap / unit)), error=error, agrees=error <= slack)


# ------------------------------------------------------------------ the reason
def _reason(case: _Case, rows: Sequence[Witness], rtol: float) -> str:
    if not all(np.all(np.isfinite(np.asarray(w.value, np.float64))) for w in rows if not w.missing):
        return "f or its derivative is not finite at these inputs. Check it where both are numbers."
    differences = next((w for w in rows if w.name == "finite differences" and not w.missing), None)
    if differences is not None and _is_cut(case, rows, differences, rtol):
        return (
            f"The gradient was cut between {case.name} and the result: by detach, no_grad or item(), or because values "
            "left symgrad on the way, as through numpy() or a tensor built anew. The rules are right for what is left. "
            "Keep to symgrad's functions from the input to the result."
        )
    return "The rule of an operation in f is wrong, or f has a kink or loses digits at these inputs."


def _is_cut(case: _Case, rows: Sequence[Witness], differences: Witness, rtol: float) -> bool:
    """Whether the readings are right for the program that was recorded, and only f itself depends on more."""
    reading = next((w for w in rows if w.name == "reverse mode" and not w.missing), None)
    if reading is None or reading.value.shape != differences.value.shape:
        return False
    program = case.recorded()
    if program is None:
        return not np.any(reading.value)

    def alone(x: Any) -> Any:
        return value(program, [tensor_value(x)])

    with np.errstate(all="ignore"):
        expected = finite_differences(alone, [case.values[case.k]], 0)
    return _distance(reading.value, expected) <= max(rtol, 1e-5) < _distance(differences.value, expected)


def _judged(rows: list[Witness], rtol: float, noise: Mapping[str, Any] = MappingProxyType({})) -> list[Witness]:
    """Measure each witness against the one that the others are closest to.

    The notations do not vote: they are read off the closed form, and would outvote the others with it.
    """
    present = [w for w in rows if not w.missing]
    shapes = {w.value.shape for w in present}
    voters = [w for w in present if not w.name.endswith("notation")]
    best = min(voters, key=lambda w: np.median([_apart(w, v, noise) for v in voters]), default=None)
    judged = []
    for w in rows:
        if w.missing or best is None:
            judged.append(w)
            continue
        error = _apart(w, best, noise)
        slack = 100 * rtol if w.name == "finite differences" and rtol < 1e-8 else rtol
        judged.append(replace(w, error=error, agrees=len(shapes) == 1 and error <= slack))
    return judged


def _apart(w: Witness, v: Witness, noise: Mapping[str, Any]) -> float:
    """Return the largest error of two witnesses, beyond what each may be off by."""
    allowed = noise.get(w.name, 0.0) + noise.get(v.name, 0.0)
    return float(np.max(_errors(w.value, v.value, allowed), initial=0.0))


def _errors(a: Any, b: Any, noise: Any = 0.0) -> Any:
    """Return the difference of each entry, beyond the noise, relative to it; ∞ where one is not finite."""
    if a.shape != b.shape:
        return np.array(np.inf)
    gap = _beyond(a, b, noise)
    with np.errstate(all="ignore"):
        return np.where(gap == 0, 0.0, np.where(np.isfinite(gap), gap / np.abs(b), np.inf))


def _beyond(a: Any, b: Any, noise: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.maximum(np.abs(a - b) - noise, 0.0)


def _distance(a: Any, b: Any) -> float:
    """Return the largest difference relative to the largest entry; ∞ where one is not finite."""
    if a.shape != b.shape:
        return float("inf")
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)
    gap = float(np.max(np.where(np.isfinite(gap), gap, np.inf), initial=0.0))
    scale = float(np.max(np.abs(b), initial=0.0)) if 0 < gap < np.inf else 0.0
    return gap / scale if scale else np.inf if gap else 0.0


check_all(globals(), __all__)
