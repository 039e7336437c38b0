"""Matrix notation of the linear algebra: X⁻¹, A⁻¹b, det(X), ‖x‖, diag. Imports matrix, nodes and ops."""

from __future__ import annotations

from typing import Any

from symgrad.forms.matrix import NoMatrix, read
from symgrad.forms.nodes import ArrayExpr, Call, Product, ScalarCall, Scaled, Transposed
from symgrad.ops.determinant import Cofactor, Det, LogAbsDet
from symgrad.ops.linalg import Inverse, Solve
from symgrad.ops.matrices import DiagEmbed, Diagonal
from symgrad.ops.norms import Norm


def _array(a: Any) -> Any:
    """Refuse what only waits for broadcasting."""
    if not isinstance(a, ArrayExpr) or a.shape == () or 1 in a.shape:
        raise NoMatrix("argument")
    return a


def _plain(op: Any, a: Any, power: int) -> Any:
    """Take a scalar factor out of a function that is homogeneous of this degree."""
    return (a.args[0] ** power, a.args[1]) if isinstance(a, Scaled) else (1, a)


@read.register
def _(op: Inverse, shape: Any, args: list[Any]) -> Any:
    factor, a = _plain(op, _array(args[0]), -1)
    return Scaled.of(factor, Call.of(op, [a], shape))


@read.register
def _(op: Solve, shape: Any, args: list[Any]) -> Any:
    a, b = map(_array, args)
    inverse = read(Inverse(), a.shape, [a])
    return Product.of([Transposed.of(inverse) if op.transposed else inverse, b], shape)


@read.register
def _(op: Det, shape: Any, args: list[Any]) -> Any:
    return ScalarCall.of(op, [_array(args[0])])


@read.register
def _(op: LogAbsDet, shape: Any, args: list[Any]) -> Any:
    return ScalarCall.of(op, [_array(args[0])])


@read.register
def _(op: Cofactor, shape: Any, args: list[Any]) -> Any:
    if op.order:
        raise NoMatrix("derivative of a cofactor")
    a = _array(args[0])
    return Scaled.of(ScalarCall.of(Det(), [a]), Transposed.of(read(Inverse(), shape, [a])))


@read.register
def _(op: Diagonal, shape: Any, args: list[Any]) -> Any:
    if op.offset:
        raise NoMatrix("off the diagonal")
    return Call.of(op, [_array(args[0])], shape)


@read.register
def _(op: DiagEmbed, shape: Any, args: list[Any]) -> Any:
    if op.offset:
        raise NoMatrix("off the diagonal")
    return Call.of(op, [_array(args[0])], shape)


@read.register
def _(op: Norm, shape: Any, args: list[Any]) -> Any:
    if op.p != 2 or shape != ():
        raise NoMatrix("norm")
    return ScalarCall.of(op, [_array(args[0])])
