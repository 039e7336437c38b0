"""A form checks itself: what was emitted is evaluated and compared with the derivative's program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits

from symgrad.core.promotion import is_floating
from symgrad.errors import FormError
from symgrad.forms.evaluate import evaluate
from symgrad.forms.evaluate_matrix import evaluate_matrix
from symgrad.forms.nodes.indexed import Place
from symgrad.forms.nodes.matrices import Scaled
from symgrad.forms.nodes.tables import Table

if TYPE_CHECKING:
    from symgrad.forms.closed import ClosedForm
    from symgrad.forms.recurrences import Recurrences
    from symgrad.forms.where import Named

STEPS = 10**4  # of loops that a check may run
MOST = 10**7  # entries that a check may compute
_DIFFERS = (
    "derive: the formula {formula} does not have the value of the derivative at the leaves' values: got\n{got}\n"
    "expected\n{expected}\nEither a leaf is not what it was marked as (symmetric, onehot, …), or this is a fault of "
    "symgrad's: please report it, and use .lambdify(), which does not go through the formula."
)


def index_value(form: ClosedForm, scale: float = 1.0) -> Any:
    """Evaluate a form's index notation at the values of its leaves, times a scale where they are not integers."""
    return evaluate(form._index(()), form._free(()), form.shape, _arrays(form, scale))


def matrix_value(form: ClosedForm, scale: float = 1.0) -> Any:
    """Evaluate a form's matrix notation at the values of its leaves, times a scale where they are not integers."""
    return evaluate_matrix(form._notation, form.shape, _arrays(form, scale))


def _arrays(form: ClosedForm, scale: float = 1.0) -> dict[str, Any]:
    arrays = {form._names[id(leaf)]: np.asarray(leaf.value) for leaf in form._leaves}
    return {name: v * scale if is_floating(v.dtype) else v for name, v in arrays.items()} if scale != 1.0 else arrays


def can_be_checked(form: ClosedForm) -> bool:
    """Whether all leaves have values, and all sizes are numbers."""
    return not form._called.sizes and all(leaf.value is not None for leaf in form._leaves)


def check(form: ClosedForm, e: Any, matrix: bool) -> None:
    """Raise FormError where an emitted expression differs from the derivative; kinks and poles are left out."""
    if matrix:
        _compare(form, e, lambda: evaluate_matrix(e, form.shape, _arrays(form)))
    elif _work(form, e) <= MOST:
        _compare(form, e, lambda: evaluate(e, form._free(()), form.shape, _arrays(form)))


def check_entries(form: ClosedForm, e: Any) -> None:
    """Raise FormError where an array written out differs from the derivative."""
    _compare(form, e, lambda: entries_value(e, form.shape, _arrays(form)))


def entries_value(e: Any, shape: tuple[int, ...], arrays: dict[str, Any]) -> Any:
    """Evaluate an array written out, or the one entry of a number."""
    if isinstance(e, Scaled):
        return entries_value(e.args[0], (), arrays) * entries_value(e.args[1], shape, arrays)
    parts = e.entries if isinstance(e, Table) else [e]
    places = {s: s.at for a in parts for s in a.free_symbols if isinstance(s, Place)}
    return np.reshape([evaluate(a.xreplace(places), (), (), arrays) for a in parts], shape)


def check_loops(form: ClosedForm, loops: Recurrences, k: int = 0) -> None:
    """Raise FormError where the recurrences of the k-th formula do not give the derivative; long loops are left out."""
    if loops.steps <= STEPS:
        _compare(form, loops.bodies[k], lambda: loops.value(_arrays(form), k))


def check_where(form: ClosedForm, formulas: Named, k: int = 0) -> None:
    """Raise FormError where a body, the k-th, with the definitions differs from the derivative."""
    body = formulas.bodies[k]
    works = [_work(form, body), *[_inside(e) * _count(name) for name, e in formulas.definitions]]
    if not formulas.matrix and max(works) > MOST:
        return
    _compare(form, body, lambda: where_value(formulas, form.shape, _arrays(form), k))


def where_value(formulas: Named, shape: tuple[int, ...], given: dict[str, Any], k: int = 0) -> Any:
    """Evaluate the definitions in their order, then the k-th body, of this shape, at the values of the leaves."""
    arrays = dict(given)

    def compute(e: Any, shape: tuple[int, ...], free: Sequence[Any]) -> Any:
        return evaluate_matrix(e, shape, arrays) if formulas.matrix else evaluate(e, free, shape, arrays)

    for name, e in formulas.definitions:
        indices = getattr(name, "indices", ())
        arrays[_label(name)] = compute(e, tuple(int(n) for n in getattr(name, "shape", ())), indices)
    return compute(formulas.bodies[k], shape, formulas.indices[: len(shape)])


def _label(name: Any) -> str:
    return str(name.base.label) if isinstance(name, sp.Indexed) else str(name.name)


def _count(name: Any) -> int:
    return int(np.prod([int(n) for n in getattr(name, "shape", ())], dtype=float))


def _compare(form: ClosedForm, e: Any, compute: Callable[[], Any]) -> None:
    expected = _in_double(form._program.run([leaf.value for leaf in form._leaves]))
    try:
        got = np.broadcast_to(_in_double(compute()), expected.shape)
    except np.linalg.LinAlgError:  # the formula has A⁻¹ where A is singular
        return
    except KeyError as error:
        raise FormError(
            f"derive: no formula: it would mention {error}, an array that has no name in it. Take numbers, as by "
            "sg.grad or sg.hessian."
        ) from error
    finite = np.isfinite(got) & np.isfinite(expected)
    scale = max(1.0, float(np.max(np.abs(expected), where=finite, initial=0.0)))
    narrow = any(np.asarray(leaf.value).dtype == np.float32 for leaf in form._leaves)
    with np.errstate(invalid="ignore"):
        worst = np.max(np.abs(got - expected), where=finite, initial=0.0)
    if worst > (1e-3 if narrow else 1e-6) * scale:
        raise FormError(_DIFFERS.format(formula=e, got=got, expected=expected))


def _in_double(value: Any) -> Any:
    """The entries in double precision, real or complex."""
    array = np.asarray(value)
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def _work(form: ClosedForm, e: Any) -> int:
    """How many entries an evaluation of index notation makes: the product of all ranges, at its worst."""
    return int(np.prod([int(n) for n in form.shape], dtype=float)) * _inside(e)


def _inside(e: Any) -> int:
    inner = max((_inside(a) for a in e.args), default=1)
    if isinstance(e, ExprWithLimits):
        for _, lo, hi in e.limits:
            n = sp.sympify(hi - lo + 1)
            inner *= int(n) if n.is_Integer else 100
    return inner
