"""From the recorded graph to the canonical one: what each operation is in sums, products and functions.

An operation without a reading here stays a named operation. To give one a reading, register it with ``lower``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, singledispatch
from typing import Any

import sympy as sp
from sympy.logic.boolalg import Boolean

from symgrad.core.node import AnyNode, Leaf, ancestors, is_node
from symgrad.core.promotion import is_complex as is_kind_complex
from symgrad.forms.canon.cases import with_ties
from symgrad.forms.canon.complexes import ABS, ARG, IM, RE, conj
from symgrad.forms.canon.functions import log_softmax
from symgrad.forms.canon.numbers import number
from symgrad.forms.canon.terms import CALL, EYE, PRODUCT, SUM, Term, TermPool, split, value_of
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import Cast, Detach
from symgrad.ops.elementwise.complexes import Angle, Complex, Conj, Imag, Magnitude, Power, Real, Sign
from symgrad.ops.indexing.select import part
from symgrad.ops.keys import ALL
from symgrad.ops.linalg.determinant import Cofactor, Det
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.matrices import DiagEmbed, Diagonal
from symgrad.ops.linalg.norms import Norm
from symgrad.ops.linalg.roots import MatrixLog, MatrixSqrt
from symgrad.ops.linalg.solving import Inverse, Solve
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.ops.reduction import Reduction
from symgrad.ops.reductions.extremes import Ties
from symgrad.ops.reductions.softmax import LogSoftmax, LogSumExp, Softmax
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.shape import Expand, Eye, Reshape, total
from symgrad.ops.slicing import Slice
from symgrad.scalars import X
from symgrad.support.frozen import replace

LeafReading = Callable[[TermPool, Leaf], Term]


def lowered(
    pool: TermPool,
    roots: Sequence[AnyNode],
    leaf: LeafReading,
    name: Callable[[AnyNode, Term], Term] | None = None,
    known: dict[AnyNode, Term] | None = None,
) -> dict[AnyNode, Term]:
    """Return the term of every node below the roots.

    Args:
        pool: where the terms are made.
        roots: the outputs.
        leaf: how a leaf is read.
        name: what stands for a node's term from there on, such as a name for it.
        known: terms of nodes that were lowered before.
    """
    terms = dict(known or {})
    for node in ancestors(list(roots)):
        if node in terms:
            continue
        if isinstance(node, Leaf):
            terms[node] = leaf(pool, node)
            continue
        args = [terms[p] if is_node(p) else pool.constant(number(p)) for p in node.inputs]
        term = lower(node.op, pool, node.shape, args)
        terms[node] = term if name is None else name(node, term)
    return terms


@singledispatch
def lower(op: Op, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    """Return an operation on terms."""
    return pool.call(op, args, shape)


@lower.register(Detach)
def _(op: Op, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    return args[0]


@lower.register
def _(op: Cast, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    whole = is_kind_complex(op.to) or not pool.imaginary
    return args[0] if whole else pool.function(RE, args, shape)


# ------------------------------------------------------------------ complex numbers
@lower.register
def _(op: Conj, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    return conj(pool, args[0])


PARTS = {Real: RE, Imag: IM, Angle: ARG, Magnitude: ABS}


@lower.register(Real)
@lower.register(Imag)
@lower.register(Angle)
@lower.register(Magnitude)
def _(op: Any, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    return pool.function(PARTS[type(op)], args, shape)


@lower.register
def _(op: Sign, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    return pool.times(args[0], pool.power(pool.function(ABS, args, shape), -1))


@lower.register
def _(op: Complex, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    x, y = (pool.spread(a, shape) for a in args)
    pool.imaginary = True
    return pool.sum([(1, x), (sp.I, y)], shape)


@lower.register
def _(op: Power, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    z, p = (pool.spread(a, shape) for a in args)
    exponent = value_of(p)
    return pool.function(sp.Pow, [z, p], shape) if exponent is None else pool.power(z, exponent)


@lower.register
def _(op: Eye, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    return pool.eye(shape[0]) if shape[0] == shape[1] else pool.call(op, args, shape)


@lower.register
def _(op: Expand, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    return pool.spread(args[0], shape)


@lower.register
def _(op: Reshape, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    # Axes of length one come and go; any other change of shape is a name.
    (a,) = args
    if [n for n in a.shape if n != 1] != [n for n in shape if n != 1]:
        return pool.call(op, args, shape)
    return _with_axes_of_one(pool, a, shape)


@lower.register
def _(op: Slice, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    # x[:, None] reads all there is and adds an axis of length one; so does X[:, 0] of one column, which drops it.
    if _reads_all(op, args[0].shape):
        return _with_axes_of_one(pool, args[0], shape)
    return pool.call(op.in_short(args[0].shape), args, shape)


@lower.register
def _(op: ScatterAdd, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    if not isinstance(op.where, Slice):
        return pool.call(op, args, shape)
    if _reads_all(op.where, shape):
        return _with_axes_of_one(pool, args[0], shape)
    return pool.call(ScatterAdd(op.where.in_short(shape), op.to, op.name), args, shape)


def _reads_all(op: Slice, shape: Any) -> bool:
    """Whether every entry of an array of this shape is read, in its order."""
    read = [item for item in op.items if item is not None]
    ones = [n == 1 for n in shape] + [False] * len(read)
    return all(item == ALL or (one and item in (0, -1)) for item, one in zip(read, ones, strict=False))


def _with_axes_of_one(pool: TermPool, a: Term, shape: Any) -> Term:
    """Return a in a shape that differs from its own in axes of length one."""
    live = [k for k, n in enumerate(a.shape) if n != 1]
    kept = [k for k, n in enumerate(shape) if n != 1]
    sizes: dict[int, Any] = dict(enumerate(shape))
    at = dict(zip(live, kept, strict=True))
    subs = []
    for k in range(len(a.shape)):
        if k not in at:
            sizes[len(sizes)] = 1
        subs.append(at.get(k, len(sizes) - 1))
    return pool.product([(a, tuple(subs))], tuple(range(len(shape))), sizes)


@lower.register
def _(op: Einsum, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    number: dict[str, int] = {}
    for c in (*op.output, *"".join(op.terms)):
        number.setdefault(c, len(number))
    sizes = {number[c]: n for c, n in op.sizes([a.shape for a in args]).items()}
    factors = [(a, tuple(number[c] for c in term)) for a, term in zip(args, op.terms, strict=True)]
    return _picked(pool, pool.product(factors, tuple(number[c] for c in op.output), sizes))


def _picked(pool: TermPool, t: Term) -> Term:
    """Return Σ_k A_ik e_k B_jk, where e is 0 but in one place, as a_i b_j of two columns; of a sum of such e, each."""
    c, core = split(t)
    if core.kind != PRODUCT:
        return t
    subs, out, sizes = core.data
    factors = list(zip(core.args, subs, strict=True))
    for f, (k, *_) in [f for f in factors if _is_unit(f[0])]:
        if k in out or any(s.count(k) > 1 for s in subs):
            continue
        (place,) = f.data.where.items
        rest = [(a, s) if k not in s else _column(pool, a, s, k, place) for a, s in factors if a is not f]
        picked = pool.product([(f.args[0], ()), *rest], out, {letter: n for letter, n in sizes if letter != k})
        return pool.sum([(c, _picked(pool, picked))], t.shape)
    for f, s in factors:
        if f.kind == SUM and len(f.args) > 1 and all(map(_is_unit, f.args)) and s[0] not in out:
            rest = [pair for pair in factors if pair[0] is not f]
            each = [pool.product([(a, s), *rest], out, dict(sizes)) for a in f.args]
            return pool.sum([(c * n, _picked(pool, e)) for n, e in zip(f.data, each, strict=True)], t.shape)
    return t


def _is_unit(t: Term) -> bool:
    """Whether a vector is a number in one place and 0 elsewhere."""
    return (
        t.kind == CALL
        and isinstance(t.data, ScatterAdd)
        and len(t.shape) == 1
        and t.args[0].shape == ()
        and (isinstance(t.data.where, Slice))
    )


def _column(pool: TermPool, a: Term, s: tuple[int, ...], k: int, place: Any) -> tuple[Term, tuple[int, ...]]:
    at = s.index(k)
    op = part(tuple(place if axis == at else ALL for axis in range(len(s))))
    return pool.call(op, [a], (*a.shape[:at], *a.shape[at + 1 :])), (*s[:at], *s[at + 1 :])


@lower.register
def _(op: Map, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    return elementwise(pool, op.formula, shape, args)


@lower.register
def _(op: MapTotal, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    sizes = op.map.out_shape(*[a.shape for a in args])
    terms = elementwise(pool, op.map.formula, sizes, args)
    letters = tuple(range(len(sizes)))
    added = pool.product([(terms, letters)], (), dict(zip(letters, sizes, strict=True)))
    return pool.sum([(1 / sp.sympify(total(sizes)), added)], ()) if op.mean else added


# ------------------------------------------------------------------ elementwise
def elementwise(pool: TermPool, payload: Any, shape: Any, args: Sequence[Term]) -> Term:
    """Return a scalar expression of the arguments' entries, broadcast to the shape."""
    return _PayloadTerms(pool, shape, dict(zip(X, args, strict=False))).read(payload)


class _PayloadTerms:
    """One payload on its way into terms."""

    def __init__(self, pool: TermPool, shape: Any, args: dict[Any, Term]) -> None:
        self.pool, self.shape = pool, shape
        self.args = {x: pool.spread(a, shape) for x, a in args.items()}

    def read(self, e: Any) -> Term:
        """Return the term of an expression."""
        pool, shape = self.pool, self.shape
        if e in self.args:
            return self.args[e]
        if not e.free_symbols & set(self.args):
            return pool.constant(sp.Integer(bool(e)) if isinstance(e, Boolean) else e, shape)
        if e.is_Add:
            return pool.sum([self._scaled(a) for a in _in_order(e)], shape)
        if e.is_Mul:
            number, rest = e.as_coeff_Mul()
            factors = _in_order(rest) if rest.is_Mul else [rest]
            return pool.sum([(number, pool.times(*map(self.read, factors)))], shape)
        if e.is_Pow and e.exp.is_number:
            return pool.power(self.read(e.base), e.exp)
        if isinstance(e, sp.Piecewise):
            return self._cases(e)
        if isinstance(e, sp.And):  # of truths as numbers
            return pool.times(*map(self.read, e.args))
        return pool.function(e.func, [self.read(a) for a in e.args], shape)

    def _scaled(self, e: Any) -> tuple[Any, Term]:
        number, rest = e.as_coeff_Mul()
        return number, self.read(rest)

    def _cases(self, e: sp.Piecewise) -> Term:
        """Return Σ value·[condition], each condition without the ones before it, where few branches differ from 0."""
        if only_guards(e):
            return self.read(e.args[1].expr)
        values = [set(sp.Mul.make_args(value)) for value, _ in e.args if value != 0]
        shared = {f for f in set.intersection(*values) if not f.is_number} if values else set()
        rest = [(sp.Mul(*[f for f in sp.Mul.make_args(value) if f not in shared]), c) for value, c in e.args]
        common = sp.Mul(*shared)
        factors = _in_order(common) if common.is_Mul else [common] * bool(shared)  # of one that is a sum, not its terms
        return self.pool.times(*map(self.read, factors), self._branches(rest))

    def _branches(self, branches: Sequence[tuple[Any, Any]]) -> Term:
        *cases, (last, otherwise) = with_ties(branches)
        if last == 0 and otherwise == True and len(cases) == 1:  # noqa: E712  (SymPy's true)
            value, condition = cases[0]
            return self.pool.times(self.read(value), self.read(condition))
        args = [self.read(a) for case in (*cases, (last, otherwise)) for a in case]
        return self.pool.function(sp.Piecewise, args, self.shape)


def only_guards(e: sp.Piecewise) -> bool:
    """Whether 0 stands where x**p·log(x), or p·x**(p - 1), has no value: kernels need that, formulas leave it out."""
    if len(e.args) != 2 or e.args[0].expr != 0 or e.args[1].cond != True:  # noqa: E712  (SymPy's true)
        return False
    value, conditions = e.args[1].expr, sp.And.make_args(e.args[0].cond)
    zeros = [c.lhs for c in conditions if isinstance(c, sp.Eq) and c.rhs == 0]
    return any(value.has(sp.log(b)) or _times_power(value, b) for b in zeros)


def _times_power(value: Any, zero: Any) -> bool:
    """Whether this is a factor of the value, which has a power with it in the exponent."""
    factors = set(sp.Mul.make_args(zero)) <= set(sp.Mul.make_args(value))
    return factors and any(p.exp.free_symbols & zero.free_symbols for p in value.atoms(sp.Pow))


@lru_cache(maxsize=8192)
def _in_order(e: Any) -> list[Any]:
    """Return the parts in the order of the payload's slots, x0 first, as the user wrote them; Φ before x φ."""
    parts = e.args if e.is_Add or e.is_Mul else (e,)
    return sorted(parts, key=lambda a: (min((str(s) for s in a.free_symbols), default="~"), e.is_Add and a.is_Mul))


# ------------------------------------------------------------------ along the last axis
def _on_last(pool: TermPool, axes: Sequence[int], a: Term) -> tuple[Term, tuple[int, ...]] | None:
    """Return a with its one axis moved to the end, and the way back; None for several axes."""
    if len(axes) != 1:
        return None
    rank = len(a.shape)
    order = (*(k for k in range(rank) if k != axes[0]), axes[0])
    moved = pool.product([(a, tuple(range(rank)))], order, dict(enumerate(a.shape)))
    return moved, order


def _moved_back(pool: TermPool, a: Term, order: tuple[int, ...]) -> Term:
    sizes = dict(zip(order, a.shape, strict=True))
    return pool.product([(a, order)], tuple(sorted(order)), sizes)


@lower.register
def _(op: Softmax, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    pair = _on_last(pool, op.axes, args[0])
    if pair is None:
        return pool.call(op, args, shape)
    a, order = pair
    return _moved_back(pool, pool.call(Softmax((len(shape) - 1,)), [a], a.shape), order)


@lower.register
def _(op: LogSoftmax, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    pair = _on_last(pool, op.axes, args[0])
    if pair is None:
        return pool.call(op, args, shape)
    return _moved_back(pool, log_softmax(pool, pair[0]), pair[1])


@lower.register
def _(op: LogSumExp, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    pair = _on_last(pool, op.axes, args[0])
    if pair is None:
        return pool.call(op, args, shape)
    a, order = pair
    lse = pool.call(LogSumExp((len(order) - 1,), False), [a], a.shape[:-1])
    if not op.keepdim:
        return lse
    letters = {k: n for k, n in enumerate(shape)}
    return pool.product([(lse, order[:-1])], tuple(range(len(shape))), letters)


# ------------------------------------------------------------------ linear algebra
@lower.register
def _(op: Solve, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    a, b = args
    n = a.shape[0]
    if len(a.shape) != 2:
        return pool.call(op, args, shape)
    inverse = pool.call(Inverse(), [a], a.shape)
    at = (1, 0) if op.transposed else (0, 1)
    last = () if op.vector else (2,)
    lead = tuple(range(3, 2 + len(b.shape) - len(last)))  # a batch of right-hand sides
    sizes = {0: n, 1: n} | dict(zip((*lead, 1, *last), b.shape, strict=True))
    return pool.product([(inverse, at), (b, (*lead, 1, *last))], (*lead, 0, *last), sizes)


@lower.register
def _(op: MatrixExp, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    # exp(A + tI) = eᵗ exp(A): a direction that is a multiple of I is a factor.
    a, *hs = args
    number, kept = sp.S.One, []
    for h in hs:
        c, core = split(h)
        if core.kind == EYE:
            number *= c
        else:
            kept.append(h)
    return pool.sum([(number, pool.call(op, [a, *kept], shape))], shape)


@lower.register(MatrixSqrt)
@lower.register(MatrixLog)
def _(op: Any, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    # f(A + tI) has the derivative f'(A) in t: ½ A^(-1/2), or A⁻¹.
    if len(args) != 2 or split(args[1])[1].kind != EYE:
        return pool.call(op, args, shape)
    number, a = split(args[1])[0], args[0]
    if isinstance(op, MatrixLog):
        return pool.sum([(number, pool.call(Inverse(), [a], shape))], shape)
    return pool.sum([(number / 2, pool.call(Inverse(), [pool.call(op, [a], shape)], shape))], shape)


@lower.register
def _(op: Ties, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    # [x = y] / Σ [x = y]
    a, y = args
    marks = pool.function(sp.Eq, [a, pool.spread(y, shape)], shape)
    letters, sizes = tuple(range(len(shape))), dict(enumerate(shape))
    left = tuple(k for k in letters if k not in op.axes)
    count = pool.power(pool.product([(marks, letters)], left, sizes), -1)
    return pool.product([(marks, letters), (count, left)], letters, sizes)


@lower.register
def _(op: Cofactor, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    # det(A) A⁻ᵀ, as one writes it; the operation itself is right for singular matrices too.
    if op.order or len(shape) != 2:
        return pool.call(op, args, shape)
    (a,) = args
    inverse = pool.transposed(pool.call(Inverse(), [a], shape))
    return pool.product([(pool.call(Det(), [a], ()), ()), (inverse, (0, 1))], (0, 1), dict(enumerate(shape)))


@lower.register
def _(op: Diagonal, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    (a,) = args
    if op.offset or len(a.shape) != 2 or a.shape[0] != a.shape[1]:
        return pool.call(op, args, shape)
    return pool.product([(a, (0, 0))], (0,), {0: a.shape[0]})


@lower.register
def _(op: DiagEmbed, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    (a,) = args
    if op.offset or len(a.shape) != 1 or shape[0] != shape[1]:
        return pool.call(op, args, shape)
    return pool.product([(a, (0,)), (pool.eye(shape[0]), (0, 1))], (0, 1), {0: shape[0], 1: shape[0]})


@lower.register
def _(op: Reduction, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    # Kept axes are of length one: the same entries without them, where they are written beside others.
    if not op.keepdim:
        return pool.call(op, args, shape)
    left = tuple(n for k, n in enumerate(shape) if k not in op.axes)
    return _with_axes_of_one(pool, pool.call(replace(op, keepdim=False), args, left), shape)


@lower.register
def _(op: Norm, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    (a,) = args
    if op.p != 2 or shape != ():
        return pool.call(op, args, shape)
    letters = tuple(range(len(a.shape)))
    return pool.power(
        pool.product([(pool.power(a, 2), letters)], (), dict(zip(letters, a.shape, strict=True))), sp.Rational(1, 2)
    )
