"""Matrix notation: reads a graph of arrays of rank 0, 1 and 2 into the nodes of ``nodes``.

Every reading is exact or refused: what has no rule here raises ``NoMatrix``, and the form falls back to index
notation. Imports names, nodes and ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np
import sympy as sp

from symgrad.forms import names
from symgrad.forms.index import check_depth
from symgrad.forms.nodes import (
    ArrayExpr,
    ArraySymbol,
    ElementPower,
    Elementwise,
    Filled,
    Hadamard,
    Identity,
    Norm2,
    OnesVector,
    Plus,
    Product,
    Scaled,
    Total,
    Transposed,
)
from symgrad.graph import AnyNode, Leaf, ancestors, is_node
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import Cast
from symgrad.ops.map import Map, exact, substitute
from symgrad.ops.protocol import Op
from symgrad.ops.shape import Expand, Eye, Reshape, total
from symgrad.ops.total import MapTotal
from symgrad.scalars import BY_FUNCTION, X


class NoMatrix(Exception):
    """There is no matrix notation for this node."""


class Uniform(sp.Expr):
    """One scalar in every entry: what broadcasting a scalar gives. Never printed."""

    def __new__(cls, value: Any, shape: Any) -> Any:
        return sp.Expr.__new__(cls, sp.sympify(value), sp.Tuple(*shape))

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape it was broadcast to."""
        return tuple(self.args[1])


class MatrixReading:
    """One reading of a graph in matrix notation."""

    def __init__(self, root: AnyNode, leaf_names: dict[int, str], inner: set[int]) -> None:
        self.root, self.names, self.inner = root, leaf_names, inner
        check_depth(root)

    def expr(self) -> sp.Expr:
        """Return the root in matrix notation; raises NoMatrix."""
        found: dict[int, Any] = {}
        for node in ancestors([self.root]):
            if len(node.shape) > 2:
                raise NoMatrix(f"{len(node.shape)}-D arrays")
            found[id(node)] = self._read(node, found)
        return _shown(found[id(self.root)])

    def _read(self, node: AnyNode, found: dict[int, Any]) -> Any:
        if isinstance(node, Leaf):
            return self._leaf(node)
        args = [found[id(p)] if is_node(p) else exact(p) for p in node.inputs]
        return read(node.op, node.shape, args)

    def _leaf(self, leaf: Leaf) -> Any:
        if isinstance(leaf.value, sp.Expr):
            return leaf.value
        if names.is_number(leaf):
            return exact(leaf.value)
        if id(leaf) in self.inner and names.same_everywhere(leaf):
            value = exact(np.asarray(leaf.value).flat[0])
            return Uniform(value, leaf.shape) if leaf.shape else value
        name = self.names[id(leaf)]
        return ArraySymbol.of(name, leaf.shape) if leaf.shape else sp.Symbol(name, real=True)


class Row(ArrayExpr):
    """A 1-D array standing as a 1×n matrix, waiting to be broadcast."""

    @classmethod
    def of(cls, a: Any) -> Any:
        """Make a row of a 1-D array."""
        return cls(a, sp.Tuple(1, *a.shape))


class Column(ArrayExpr):
    """A 1-D array standing as an n×1 matrix, waiting to be broadcast."""

    @classmethod
    def of(cls, a: Any) -> Any:
        """Make a column of a 1-D array."""
        return cls(a, sp.Tuple(*a.shape, 1))


def _shown(e: Any) -> sp.Expr:
    """Write out what only waits for broadcasting."""
    if isinstance(e, Uniform):
        ones = [OnesVector.of(n) for n in e.shape]
        return Scaled.of(e.args[0], _outer(*ones) if len(ones) == 2 else ones[0]) if ones else e.args[0]
    if e.has(Row, Column):
        raise NoMatrix("a matrix with one row or column")
    return e


def _outer(a: Any, b: Any) -> Any:
    return Product.of([a, Transposed.of(b)], (*a.shape, *b.shape))


def _broadcast(a: Any, shape: Any) -> Any:
    """Read broadcasting: 1*bᵀ for a row, b*1ᵀ for a column, a Uniform for a scalar."""
    if not isinstance(a, (ArrayExpr, Uniform)) or getattr(a, "shape", None) == ():
        return Uniform(a, shape)
    if isinstance(a, Uniform):
        return Uniform(a.args[0], shape)
    if a.shape == tuple(shape):
        return a
    if isinstance(a, Column) and len(shape) == 2:
        return _outer(a.args[0], OnesVector.of(shape[1]))
    vector = a.args[0] if isinstance(a, Row) else a
    if len(vector.shape) == 1 and len(shape) == 2 and shape[1] == vector.shape[0]:
        return _outer(OnesVector.of(shape[0]), vector)
    raise NoMatrix("broadcast")


# ------------------------------------------------------------------ operations
@singledispatch
def read(op: Op, shape: Any, args: list[Any]) -> Any:
    """Return an operation on arguments already read; raises NoMatrix."""
    raise NoMatrix(op.label)


@read.register
def _(op: Cast, shape: Any, args: list[Any]) -> Any:
    return args[0]


@read.register
def _(op: Eye, shape: Any, args: list[Any]) -> Any:
    if shape[0] != shape[1]:
        raise NoMatrix("rectangular identity")
    return Identity.of(shape[0])


@read.register
def _(op: Expand, shape: Any, args: list[Any]) -> Any:
    return _broadcast(args[0], shape)


@read.register
def _(op: Reshape, shape: Any, args: list[Any]) -> Any:
    (a,) = args
    if not isinstance(a, (ArrayExpr, Uniform)):  # a scalar becomes 1 or 1×1
        return Uniform(a, shape)
    if isinstance(a, Uniform):
        return Uniform(a.args[0], shape) if shape else a.args[0]
    if len(a.shape) == 1 and shape == (a.shape[0], 1):
        return Column.of(a)
    if len(a.shape) == 1 and shape == (1, a.shape[0]):
        return Row.of(a)
    if isinstance(a, (Row, Column)) and len(shape) == 1:
        return a.args[0]
    raise NoMatrix("reshape")


@read.register
def _(op: Map, shape: Any, args: list[Any]) -> Any:
    env = dict(zip(X, args, strict=False))
    return _elementwise(op.formula, env, shape)


@read.register
def _(op: MapTotal, shape: Any, args: list[Any]) -> Any:
    sizes = op.map.out_shape(*[getattr(a, "shape", ()) for a in args])
    terms = _elementwise(op.map.formula, dict(zip(X, args, strict=False)), sizes)
    if isinstance(terms, Uniform):
        added = terms.args[0] * total(sizes)
    else:
        c, a = (terms.args[0], terms.args[1]) if isinstance(terms, Scaled) else (1, terms)
        added = c * _total(a) if sizes else terms
    return added / total(sizes) if op.mean else added


@read.register
def _(op: Einsum, shape: Any, args: list[Any]) -> Any:
    return _contracted(op, shape, args)


# ------------------------------------------------------------------ elementwise
def _elementwise(payload: Any, env: dict[Any, Any], shape: Any) -> Any:
    """Read a payload over arrays: + stays +, · becomes ⊙, functions apply to each entry."""
    if not shape:
        return substitute(payload, env) if not any(isinstance(v, Uniform) for v in env.values()) else _fail("1-sized")
    env = {
        k: v.args[0] if isinstance(v, Uniform) else _broadcast(v, shape) if _is_array(v) else v for k, v in env.items()
    }
    found = _walk(payload, env, shape)
    return found if _is_array(found) else Uniform(found, shape)


def _fail(why: str) -> Any:
    raise NoMatrix(why)


def _is_array(e: Any) -> bool:
    return isinstance(e, ArrayExpr) and e.shape != ()


def _walk(e: Any, env: dict[Any, Any], shape: Any) -> Any:
    if e in env:
        return env[e]
    if not e.args:
        return e
    args = [_walk(a, env, shape) for a in _ordered(e)]
    if not any(map(_is_array, args)):
        return e.func(*args)
    if e.is_Add:
        return _added(args, shape)
    if e.is_Mul:
        scalar = sp.Mul(*[a for a in args if not _is_array(a)])
        return Scaled.of(scalar, _times([a for a in args if _is_array(a)], shape))
    if e.is_Pow and not _is_array(args[1]):
        return ElementPower.of(args[0], args[1])
    if type(e) in BY_FUNCTION:
        return Elementwise.of(type(e), args, shape)
    raise NoMatrix(type(e).__name__)


def _ordered(e: Any) -> Sequence[Any]:
    """Return a payload's terms in the order of its slots, x0 first, as the user wrote them."""
    if not (e.is_Add or e.is_Mul):
        return e.args  # type: ignore[no-any-return]
    return sorted(e.args, key=lambda a: min((str(s) for s in a.free_symbols), default="~"))


def _times(factors: list[Any], shape: Any) -> Any:
    scalar = sp.Integer(1)
    plain = []
    for f in factors:
        if isinstance(f, Scaled):
            scalar, f = scalar * f.args[0], f.args[1]
        plain.append(f)
    return Scaled.of(scalar, Hadamard.of(plain, shape))


def _added(args: list[Any], shape: Any) -> Any:
    terms = [a if _is_array(a) else Filled.of(a, shape) for a in args if a != 0]
    return Plus.of(terms, shape)


# ------------------------------------------------------------------ contraction
def _contracted(op: Einsum, shape: Any, args: list[Any]) -> Any:
    scalar: Any = sp.Integer(1)
    operands: list[Any] = []
    sizes = op.sizes([getattr(a, "shape", ()) for a in args])
    for term, a in zip(op.terms, args, strict=True):
        if isinstance(a, Uniform):
            scalar *= a.args[0]
            operands.extend((c, OnesVector.of(sizes[c])) for c in term)
        elif _is_array(a):
            c, a = (a.args[0], a.args[1]) if isinstance(a, Scaled) else (1, a)
            scalar *= c
            operands.append((term, a))
        else:
            scalar *= a
    scalar, operands = _drop_ones(scalar, operands, op.output, sizes)
    if len(operands) == 1 and not op.output and len(set(operands[0][0])) == len(operands[0][0]):
        return scalar * _total(operands[0][1])
    found = _chain(operands, op.output, shape, sizes)
    return Scaled.of(scalar, found) if _is_array(found) else scalar * found


def _drop_ones(scalar: Any, operands: list[Any], output: str, sizes: dict[str, Any]) -> Any:
    """Σ_c 1 = size; a ones vector on a letter that something else carries and that is kept changes nothing."""
    kept = list(operands)
    for k, (term, a) in enumerate(operands):
        if not isinstance(a, OnesVector):
            continue
        others = [t for j, (t, _) in enumerate(operands) if j != k and (t, operands[j][1]) in kept]
        if any(term in t for t in others):
            kept.remove((term, a))
        elif term not in output:
            scalar = scalar * sizes[term]
            kept.remove((term, a))
    return scalar, kept


def _total(a: Any) -> Any:
    """Σ of all entries: ‖a‖² of squares, aᵀb of products of vectors, else named."""
    if isinstance(a, ElementPower) and a.args[1] == 2:
        return Norm2.of(a.args[0])
    if isinstance(a, Hadamard) and len(a.args) == 3 and len(a.shape) == 1:
        return Product.of([Transposed.of(a.args[0]), a.args[1]], ())
    if isinstance(a, (Row, Column)):
        raise NoMatrix("one-row matrices")
    return Total.of(a)


def _chain(operands: list[Any], output: str, shape: Any, sizes: dict[str, Any]) -> Any:
    """Read a contraction of vectors and matrices as one product from the first output letter to the last."""
    if any(isinstance(a, (Row, Column)) for _, a in operands):
        raise NoMatrix("one-row matrices")
    if not operands:
        return _shown(Uniform(1, shape)) if shape else sp.Integer(1)
    summed = [c for c in dict.fromkeys("".join(t for t, _ in operands)) if c not in output]
    for c in summed:  # Σ_c of a letter found once is a product with ones
        if sum(t.count(c) for t, _ in operands) == 1:
            operands = [*operands, (c, OnesVector.of(sizes[c]))]
    for c in output:
        if not any(c in t for t, _ in operands):
            operands = [*operands, (c, OnesVector.of(sizes[c]))]
    if len(output) == 2:
        return _path(operands, output[0], output[1], shape)
    if len(output) == 1:
        return _path(operands, output, None, shape)
    return _scalar(operands)


def _path(operands: list[Any], start: str, end: str | None, shape: Any) -> Any:
    factors: list[Any] = []
    left, at = list(operands), start
    first = True
    while left:
        pick = _next(left, at)
        if pick is None:
            if end is None or first:
                raise NoMatrix("contraction")
            tail = _path(left, end, None, ())
            return Product.of([*factors, Transposed.of(tail)], shape)
        term, a = pick
        left.remove(pick)
        if len(term) == 1:
            factors.append(a)
            at = ""
            if left:
                if end is None:
                    raise NoMatrix("contraction")
                row = _path(left, end, None, (a.shape[0],))
                return Product.of([*factors, Transposed.of(row)], shape)
        else:
            factors.append(a if term[0] == at else Transposed.of(a))
            at = term[1] if term[0] == at else term[0]
        first = False
    if (end is not None and at != end) or (end is None and at != ""):
        raise NoMatrix("contraction")
    return Product.of(factors, shape)


def _next(left: list[Any], at: str) -> Any:
    """Return the one operand that continues at a letter; a letter met more than twice is no product."""
    found = [p for p in left if at and at in p[0]]
    if len(found) != 1 or (len(found[0][0]) == 2 and found[0][0][0] == found[0][0][1]):
        if found:
            raise NoMatrix("contraction")
        return None
    return found[0]


def _scalar(operands: list[Any]) -> Any:
    """Read a full contraction: ‖a‖², or a bilinear form xᵀAy."""
    vectors = [p for p in operands if len(p[0]) == 1]
    if len(operands) == 2 and operands[0] == operands[1] and len(set(operands[0][0])) == len(operands[0][0]):
        return Norm2.of(operands[0][1])
    if len(vectors) != 2:
        raise NoMatrix("contraction")
    (term, a), *_ = vectors
    rest = [p for k, p in enumerate(operands) if k != operands.index(vectors[0])]
    return Product.of([Transposed.of(a), _path(rest, term, None, a.shape)], ())
