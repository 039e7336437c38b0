"""A form checks itself: what was emitted is evaluated and compared with the derivative's program.

Imports evaluate and evaluate_matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits

from symgrad.errors import FormError
from symgrad.forms.evaluate import evaluate
from symgrad.forms.evaluate_matrix import evaluate_matrix

if TYPE_CHECKING:
    from symgrad.forms.closed import ClosedForm
    from symgrad.forms.where import WhereForm

MOST = 10**7  # entries that a check may compute
_DIFFERS = (
    "derive: the formula {formula} does not have the value of the derivative at the leaves' values: got\n{got}\n"
    "expected\n{expected}\nEither a leaf is not what it was marked as (symmetric, onehot, …), or this is a fault of "
    "symgrad's: please report it, and use .lambdify(), which does not go through the formula."
)


def index_value(form: ClosedForm) -> Any:
    """Evaluate a form's index notation at the values of its leaves."""
    return evaluate(form.index(), form._free(()), form.shape, _arrays(form))


def matrix_value(form: ClosedForm) -> Any:
    """Evaluate a form's matrix notation at the values of its leaves."""
    return evaluate_matrix(form.expr, form.shape, _arrays(form))


def _arrays(form: ClosedForm) -> dict[str, Any]:
    return {form._names[id(leaf)]: np.asarray(leaf.value) for leaf in form._leaves}


def can_be_checked(form: ClosedForm) -> bool:
    """Whether all leaves have values, and all sizes are numbers."""
    return not form._called.sizes and all(leaf.value is not None for leaf in form._leaves)


def check(form: ClosedForm, e: Any, matrix: bool) -> None:
    """Raise FormError where an emitted expression differs from the derivative; kinks and poles are left out."""
    if matrix:
        _compare(form, e, lambda: evaluate_matrix(e, form.shape, _arrays(form)))
    elif _work(form, e) <= MOST:
        _compare(form, e, lambda: evaluate(e, form._free(()), form.shape, _arrays(form)))


def check_where(form: ClosedForm, found: WhereForm) -> None:
    """Raise FormError where a body with its definitions differs from the derivative."""

    def compute() -> Any:
        arrays = _arrays(form)
        for name, e in found.definitions:
            arrays[name.name] = evaluate_matrix(e, getattr(name, "shape", ()), arrays)
        return evaluate_matrix(found.bodies[0], form.shape, arrays)

    _compare(form, found.bodies[0], compute)


def _compare(form: ClosedForm, e: Any, compute: Callable[[], Any]) -> None:
    expected = np.asarray(form._program.run([leaf.value for leaf in form._leaves]), dtype=np.float64)
    try:
        got = np.broadcast_to(np.asarray(compute(), dtype=np.float64), expected.shape)
    except np.linalg.LinAlgError:  # the formula has A⁻¹ where A is singular
        return
    finite = np.isfinite(got) & np.isfinite(expected)
    scale = max(1.0, float(np.max(np.abs(expected), where=finite, initial=0.0)))
    narrow = any(np.asarray(leaf.value).dtype == np.float32 for leaf in form._leaves)
    with np.errstate(invalid="ignore"):
        worst = np.max(np.abs(got - expected), where=finite, initial=0.0)
    if worst > (1e-3 if narrow else 1e-6) * scale:
        raise FormError(_DIFFERS.format(formula=e, got=got, expected=expected))


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
