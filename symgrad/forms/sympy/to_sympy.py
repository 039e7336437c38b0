"""Matrix notation in SymPy's own classes: MatrixSymbol, MatMul, HadamardProduct, Trace and the like.

A vector is a column, n×1. An inner product is written Trace(aᵀ*b): SymPy takes (aᵀ*b)[0, 0] for a constant when it
differentiates by a. Letters are real numbers. One function per node; what an
operation is there, it says itself (``in_matrices``).
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import sympy as sp
from sympy.core.symbol import Str

from symgrad.errors import FormError
from symgrad.forms.nodes import elementwise, marks
from symgrad.forms.nodes import matrices as nodes
from symgrad.forms.nodes.indexed import Place
from symgrad.forms.nodes.tables import Table
from symgrad.ops.reduction import sum_of
from symgrad.scalars import Atom, declaration

INSTEAD = "Use .index() for its entries, .scalar() to have them written out, or .lambdify() for numbers."


@singledispatch
def to_sympy(e: Any) -> Any:
    """Return a form in SymPy's own classes: an Expr where it is a number, a MatrixExpr where it is an array.

    Raises:
        FormError: if SymPy has no class for a node.
    """
    if isinstance(e, Atom):
        return to_sympy(e.declared.meant(*e.args))
    if isinstance(e, nodes.ArrayExpr) or not isinstance(e, sp.Basic):
        raise missing(e)
    return e.func(*map(to_sympy, e.args)) if e.args else e


def missing(e: Any) -> FormError:
    """Return the error for a node that SymPy cannot hold."""
    return FormError(f"to_sympy: SymPy has no matrix expression for {e}. {INSTEAD}")


def _parts(e: Any) -> list[Any]:
    return [to_sympy(a) for a in e.args[:-1] if not isinstance(a, Str)]


def _size(e: Any) -> tuple[Any, Any]:
    """Return the size of a node's matrix, a column for a vector."""
    return (*e.shape, 1) if len(e.shape) == 1 else tuple(e.shape)


# ------------------------------------------------------------------ leaves
@to_sympy.register
def _symbol(e: nodes.ArraySymbol) -> Any:
    return sp.MatrixSymbol(e.name, *_size(e))


@to_sympy.register
def _ones(e: nodes.OnesVector) -> Any:
    return sp.OneMatrix(*_size(e))


@to_sympy.register
def _identity(e: nodes.Identity) -> Any:
    return sp.Identity(e.shape[0])


@to_sympy.register
def _filled(e: nodes.Filled) -> Any:
    return _times(to_sympy(e.args[0]), sp.OneMatrix(*_size(e)))


@to_sympy.register
def _table(e: Table) -> Any:
    return sp.ImmutableMatrix([[to_sympy(a) for a in row] for row in e.rows])


@to_sympy.register
def _place(e: Place) -> Any:
    shape = e.at.base.shape
    places = (*e.at.indices, 0) if len(shape) == 1 else e.at.indices
    return sp.MatrixSymbol(str(e.at.base.label), *shape, *[1] * (2 - len(shape)))[places]


# ------------------------------------------------------------------ products and sums
@to_sympy.register
def _transposed(e: nodes.Transposed) -> Any:
    return to_sympy(e.args[0]).T


@to_sympy.register
def _product(e: nodes.Product) -> Any:
    product = sp.MatMul(*_parts(e))
    return product if e.shape else sp.Trace(product)


@to_sympy.register
def _matrix_power(e: nodes.MatrixPower) -> Any:
    return sp.MatPow(*_parts(e)).doit()


@to_sympy.register
def _scaled(e: nodes.Scaled) -> Any:
    return _times(*_parts(e))


@to_sympy.register
def _plus(e: nodes.Plus) -> Any:
    terms = [t if getattr(t, "is_Matrix", False) else _times(t, sp.OneMatrix(*_size(e))) for t in _parts(e)]
    return sp.MatAdd(*terms)


def _times(c: Any, a: Any) -> Any:
    return sp.ZeroMatrix(*a.shape) if c == 0 else c * a


@to_sympy.register
def _hadamard(e: elementwise.Hadamard) -> Any:
    return sp.HadamardProduct(*_parts(e))


@to_sympy.register
def _power(e: elementwise.ElementPower) -> Any:
    return sp.HadamardPower(*_parts(e))


@to_sympy.register
def _array_power(e: elementwise.ArrayPower) -> Any:
    base, exponent = _parts(e)
    if not getattr(base, "is_Matrix", False) or not getattr(exponent, "is_Matrix", False):
        raise missing(e)
    return sp.HadamardPower(base, exponent)


@to_sympy.register
def _quotient(e: marks.Quotient) -> Any:
    a, b = _parts(e)
    if not getattr(b, "is_Matrix", False):
        return _times(1 / b, a)
    under = sp.HadamardPower(b, -1)
    return sp.HadamardProduct(a, under) if getattr(a, "is_Matrix", False) else _times(a, under)


# ------------------------------------------------------------------ numbers
@to_sympy.register
def _total(e: marks.Total) -> Any:
    return sum_of(to_sympy(e.args[0]))


@to_sympy.register
def _mean(e: marks.Mean) -> Any:
    a = to_sympy(e.args[0])
    return sum_of(a) / sp.Mul(*a.shape)


@to_sympy.register
def _line_mean(e: marks.LineMean) -> Any:
    a, axis = to_sympy(e.args[0]), int(e.args[1])
    n = e.shape[axis]
    return (a * sp.OneMatrix(n, n) if axis else sp.OneMatrix(n, n) * a) / n


@to_sympy.register
def _square(e: marks.Norm2) -> Any:
    a = to_sympy(e.args[0])
    return sp.Trace(sp.MatMul(a.T, a))


@to_sympy.register
def _length(e: marks.Length) -> Any:
    return sp.sqrt(_square(e))


@to_sympy.register
def _trace(e: marks.Trace) -> Any:
    return sp.Trace(to_sympy(e.args[0]))


@to_sympy.register
def _diag(e: marks.Diag) -> Any:
    a = to_sympy(e.args[0])
    return sp.DiagMatrix(a) if len(e.shape) == 2 else sp.DiagonalOf(a)


# ------------------------------------------------------------------ functions of each entry
@to_sympy.register(elementwise.Elementwise)
@to_sympy.register(marks.Truth)
@to_sympy.register(marks.Cases)
def _of_entries(e: Any) -> Any:
    """Write a function of the entries of one array with applyfunc, of numbers as itself."""
    arrays = {a for a in e.args[:-1] if getattr(a, "shape", ()) and not isinstance(a, nodes.Filled)}
    single = len(arrays) == 1 and not any(isinstance(a, (marks.Truth, marks.Cases)) for a in arrays)
    slots: dict[Any, Any] = {a: _slot() for a in arrays} if single else {}
    entry = _entry(e, slots)
    if not e.shape:
        return entry
    if not slots:
        return _times(entry, sp.OneMatrix(*_size(e)))
    if len(slots) > 1:
        raise missing(e)
    ((array, slot),) = slots.items()
    return to_sympy(array).applyfunc(sp.Lambda(slot, entry))


def _slot() -> Any:
    return sp.Dummy("x", real=True)


def _entry(e: Any, slots: dict[Any, Any]) -> Any:
    """Return an entry as a function of the entries of arrays, each in a slot of its own."""
    if e in slots:
        return slots[e]
    if isinstance(e, elementwise.Elementwise):
        return to_sympy(declaration(str(e.args[0])).function(*[_entry(a, slots) for a in e.args[1:-1]]))
    if isinstance(e, marks.Truth):
        return sp.Piecewise((1, _condition(e, slots)), (0, True))
    if isinstance(e, marks.Cases):
        *parts, last = e.args[:-1]
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return sp.Piecewise(*[(_entry(v, slots), _condition(c, slots)) for v, c in pairs], (_entry(last, slots), True))
    if not getattr(e, "shape", ()):
        return to_sympy(e)
    combine = _BY_ENTRY.get(type(e))
    if combine is not None:
        return combine(*[_entry(a, slots) for a in e.args[:-1]])
    return slots.setdefault(e, _slot())


_BY_ENTRY: dict[Any, Any] = {
    nodes.OnesVector: lambda: sp.S.One,
    nodes.Plus: sp.Add,
    nodes.Scaled: sp.Mul,
    nodes.Filled: lambda value: value,
    elementwise.Hadamard: sp.Mul,
    elementwise.ElementPower: sp.Pow,
    marks.Quotient: lambda a, b: a / b,
}


def _condition(c: Any, slots: dict[Any, Any]) -> Any:
    if isinstance(c, marks.Truth):
        if c.relation is sp.Ne and isinstance(c.args[1], marks.Truth) and c.args[2] == 0:
            return _condition(c.args[1], slots)
        return c.relation(*[_entry(a, slots) for a in c.args[1:3]])
    return sp.Ne(_entry(c, slots), 0)


# ------------------------------------------------------------------ named functions of whole arrays
@to_sympy.register
def _named(e: nodes.Call) -> Any:
    arrays = [to_sympy(a) for a in e.args[1:-1]]
    formula = e.op.in_matrices(*arrays) if all(a.is_Matrix for a in arrays) else None
    if formula is None:
        raise missing(e)
    return formula
