"""The three-way proof: the number, the formula and the function of a derivative agree.

Imports everything below. ``crosscheck`` is what the tests of symgrad itself are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, CrosscheckError, FormError, LinAlgError, SymgradError
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.verify import index_value, matrix_value
from symgrad.func import jacfwd, jacrev
from symgrad.modes import no_grad
from symgrad.ops.value import to_value
from symgrad.record import as_tensor
from symgrad.tensor import Tensor

__all__ = ["Crosscheck", "Witness", "crosscheck", "finite_differences"]


@dataclass(frozen=True)
class Witness:
    """One way to compute the Jacobian of one input: its name, its value, and why it is missing if it is."""

    input: int
    name: str
    value: Any = None
    missing: str = ""
    error: float = 0.0
    agrees: bool = True


@dataclass(frozen=True)
class Crosscheck:
    """The report: one row per input and witness."""

    witnesses: tuple[Witness, ...]
    rtol: float
    forms: tuple[ClosedForm | None, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether all witnesses that could testify agree."""
        return all(w.agrees for w in self.witnesses)

    def __str__(self) -> str:
        lines = [f"crosscheck: {'all witnesses agree' if self.ok else 'WITNESSES DISAGREE'} (tolerance {self.rtol:g})"]
        for w in self.witnesses:
            state = (
                f"not available: {w.missing}"
                if w.missing
                else f"{'agrees' if w.agrees else 'DISAGREES'}  (error {w.error:.1e})"
            )
            lines.append(f"  input {w.input}  {w.name:<20} {state}")
        return "\n".join(lines)

    __repr__ = __str__


def crosscheck(f: Callable[..., Any], *inputs: Any, rtol: float = 1e-6, raise_exception: bool = True) -> Crosscheck:
    """Compare ∂f/∂x computed in every way symgrad has: reverse mode, forward mode, closed form, and differences.

    Args:
        f: function of tensors returning a tensor of any shape.
        inputs: floating-point arrays, numbers or tensors; away from kinks.
        rtol: allowed error relative to the size of the derivative.
        raise_exception: raise where witnesses disagree, rather than only report it.

    Returns:
        A ``Crosscheck``: ``ok``, ``witnesses`` with each one's value and error, and ``str()`` as a table.

    Raises:
        CrosscheckError: witnesses disagree; the message names the ones that are alone.
        ArgumentError: there is no floating-point input.

    >>> print(sg.testing.crosscheck(lambda x: (x**3).sum(), np.array([1.0, 2.0])))
    crosscheck: all witnesses agree (tolerance 1e-06)
      input 0  reverse mode         agrees  (error 0.0e+00)
      input 0  forward mode         agrees  (error 0.0e+00)
      input 0  closed form          agrees  (error 0.0e+00)
      input 0  index notation       agrees  (error 0.0e+00)
      input 0  matrix notation      agrees  (error 0.0e+00)
      input 0  finite differences   agrees  (error ...)
    """
    values = [to_value(x.detach().numpy() if isinstance(x, Tensor) else x) for x in inputs]
    which = [k for k, v in enumerate(values) if np.asarray(v).dtype.kind == "f"]
    if not which:
        raise ArgumentError("crosscheck: no input is floating point. Pass floats, such as np.array([1.0, 2.0]).")

    def on_tensors(*xs: Any) -> Any:
        return f(*map(as_tensor, xs))

    rows: list[Witness] = []
    forms = []
    for k in which:
        found, form = _testimony(on_tensors, values, k)
        rows.extend(_judged(found, rtol))
        forms.append(form)
    report = Crosscheck(tuple(rows), rtol, tuple(forms))
    if raise_exception and not report.ok:
        raise CrosscheckError(f"{report}\n{_reason(rows)}")
    return report


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
        rows.append(_witness(k, "index notation", lambda: index_value(form)))
        if form.has_matrix:
            rows.append(_witness(k, "matrix notation", lambda: matrix_value(form)))
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
    """The Jacobian by central differences at two steps, extrapolated: error O(h⁴)."""
    x = np.asarray(values[k], dtype=np.float64)

    def at(shifted: Any) -> Any:
        with no_grad():
            return np.asarray(as_tensor(f(*[as_tensor(shifted if j == k else v) for j, v in enumerate(values)]))._value)

    columns = []
    for place in np.ndindex(*x.shape):
        h = 1e-3 * max(1.0, abs(float(x[place])))
        slopes = []
        for step in (h, h / 2):
            up, down = x.copy(), x.copy()
            up[place] += step
            down[place] -= step
            slopes.append((at(up) - at(down)) / (up[place] - down[place]))
        columns.append((4 * slopes[1] - slopes[0]) / 3)
    shape = columns[0].shape if columns else np.shape(at(x))
    return np.stack(columns, -1).reshape((*shape, *x.shape)) if columns else np.zeros((*shape, *x.shape))


def _reason(rows: Sequence[Witness]) -> str:
    if any(w.name == "finite differences" and not np.all(np.isfinite(w.value)) for w in rows):
        return "f is not finite at these inputs. Check it where f and its derivative are numbers."
    return "The rule of an operation in f is wrong, or f has a kink or loses digits at these inputs."


def _judged(rows: list[Witness], rtol: float) -> list[Witness]:
    """Measure each witness against the one that the others are closest to.

    The notations do not vote: they are read off the closed form, and would outvote the others with it.
    """
    present = [w for w in rows if not w.missing]
    shapes = {w.value.shape for w in present}
    voters = [w for w in present if not w.name.endswith("notation")]
    best = min(voters, key=lambda w: np.median([_distance(w.value, v.value) for v in voters]), default=None)
    judged = []
    for w in rows:
        if w.missing or best is None:
            judged.append(w)
            continue
        error = _distance(w.value, best.value)
        slack = 100 * rtol if w.name == "finite differences" and rtol < 1e-8 else rtol
        judged.append(Witness(w.input, w.name, w.value, "", error, len(shapes) == 1 and error <= slack))
    return judged


def _distance(a: Any, b: Any) -> float:
    if a.shape != b.shape:
        return float("inf")
    if a.size == 0:
        return 0.0
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        gap = np.where(same, 0.0, np.abs(a - b))
        scale = max(1.0, float(np.max(np.abs(np.where(np.isfinite(b), b, 0.0)))))
    gap = np.where(np.isnan(gap), np.inf, gap)
    return float(np.max(gap)) / scale
