"""What an operation computes, on numbers with error bounds.

Elementwise operations are evaluated from their payload. One that only moves, adds and multiplies entries runs its own
``forward`` on object arrays. What has a formula for every entry runs ``on_symbols`` once, and the formulas are
evaluated. Only factorisations are written out here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any

import numpy as np
import sympy as sp

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.mpmath import matrices
from symgrad.compiler.backends.mpmath.expressions import Evaluator, largest
from symgrad.compiler.backends.mpmath.matrices import floats, numbers
from symgrad.compiler.backends.mpmath.number import Field, Undecided
from symgrad.compiler.primitives.entries import (
    formulas_of_entries,
    is_approximation,
    is_inexact,
    name_of,
    only_moves,
)
from symgrad.compiler.primitives.map_steps import meaning_of
from symgrad.core.promotion import is_bool, is_floating
from symgrad.engine.program import Value
from symgrad.errors import FormError, NotYet
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.logic import Test
from symgrad.ops.linalg.banded import SolveBanded, full_matrix
from symgrad.ops.linalg.determinant import Det, DetSign, LogAbsDet, LogDet
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.lu import Exchange, Pivots
from symgrad.ops.linalg.orthogonal import QRBasis, QRTriangle
from symgrad.ops.linalg.pseudoinverse import MatrixRank, PseudoInverse
from symgrad.ops.linalg.solving import Cholesky, Inverse, Solve
from symgrad.ops.linalg.spectral import Eigenvalues, Eigenvectors, SingularValues, SingularVectors
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.ops.reductions.extremes import Arg
from symgrad.ops.sorting.order import AddAlongAxis, FindsPositions, MedianOfAll, TakeAlongAxis
from symgrad.scalars import X
from symgrad.transforms.loops.op import Scan

Own = Callable[[Field, Any, Sequence[Any]], Any]


def run(field: Field, op: Op, args: Sequence[Any], dtype: Any) -> Any:
    """Return an operation's result: an object array of numbers, or integers and booleans as they are."""
    if not is_floating(dtype) and not any(is_inexact(a) for a in args):
        return np.asarray(op(*args))
    try:
        value = _computed(field, op, args)
    except (FormError, NotYet, TypeError, AttributeError) as error:
        raise unsuitable(field, op, str(error)) from error
    except Unsuitable as error:
        raise unsuitable(field, op, str(error).removeprefix(f"backend {field.backend!r}: ")) from error
    except Undecided:
        field.lost = field.lost or op
        raise
    value = converted(field, value, dtype)
    if field.lost is None and value.dtype == object and any(b.is_unknown for b in value.flat):
        field.lost = op
    return value


def unsuitable(field: Field, op: Op, why: str) -> Unsuitable:
    """The error that names an operation."""
    return Unsuitable(f"backend {field.backend!r}: the operation {name_of(op)} has no meaning there: {why}")


def converted(field: Field, values: Any, dtype: Any) -> Any:
    """Bring a result to numbers, or to integers and booleans."""
    values = np.asarray(values, dtype=object)
    if is_floating(dtype):
        return numbers(field, values)
    out = np.empty(values.shape, dtype)
    for at in np.ndindex(values.shape):
        value = values[at]
        out[at] = bool(value) if is_bool(dtype) else field.number(value).truncated()
    return out


def _computed(field: Field, op: Op, args: Sequence[Any]) -> Any:
    if isinstance(op, Map):
        return _elementwise(field, meaning_of(op), args)
    own = next((_OWN[kind] for kind in type(op).__mro__ if kind in _OWN), None)
    if own is not None:
        return own(field, op, args)
    moves = isinstance(op, (Exchange, TakeAlongAxis, AddAlongAxis)) or only_moves(op)
    if field.is_certain and is_approximation(op):
        raise NotYet("it is computed by a method whose error has no bound.")
    if moves or (type(op).on_symbols is Op.on_symbols and not field.is_certain):
        return op.forward(*args)
    return _by_formulas(field, op, args)


def _elementwise(field: Field, meaning: Any, args: Sequence[Any]) -> Any:
    """Evaluate a payload for each entry; entries with the same arguments are evaluated once."""
    args = [np.asarray(a) for a in args]
    out = np.empty(np.broadcast_shapes(*[a.shape for a in args]), dtype=object)
    spread = [np.broadcast_to(a, out.shape) for a in args]
    for at in np.ndindex(out.shape):
        values = {x: field.number(a[at]) for x, a in zip(X, spread, strict=False)}
        out[at] = Evaluator(field, values)(meaning)
    return out


def _by_formulas(field: Field, op: Op, args: Sequence[Any]) -> Any:
    """Evaluate the entries' formulas; integers and booleans among the arguments stand in them as they are."""
    exact = tuple(None if is_inexact(a) else (a.shape, tuple(a.ravel().tolist())) for a in map(np.asarray, args))
    shapes = tuple(np.shape(a) for a in args)
    symbols, formulas = formulas_of_entries(op, shapes, exact)
    values = [v for a, e in zip(args, exact, strict=True) if e is None for v in np.asarray(a).flat]
    evaluate = Evaluator(field, dict(zip(symbols, values, strict=True)))
    out = np.empty(formulas.shape, dtype=object)
    for at in np.ndindex(formulas.shape):
        out[at] = evaluate(sp.sympify(formulas[at]))
    return out


# ------------------------------------------------------------------ written out
def _each(fn: Callable[..., Any], to: Any, *args: Any) -> Any:
    """Apply fn to each matrix; what it returns has the last axes of ``to``, whose first axes the batch has."""
    args = tuple(np.asarray(a, dtype=object) for a in args)
    lead = np.broadcast_shapes(*[a.shape[:-2] for a in args])
    out = np.empty(to, dtype=object)
    spread = [np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in args]
    for at in np.ndindex(lead):
        out[at] = fn(*[a[at] for a in spread])
    return out


def _cast(field: Field, op: Any, args: Sequence[Any]) -> Any:
    return args[0]


def _test(field: Field, op: Any, args: Sequence[Any]) -> Any:
    tests = {
        "isnan": lambda v: v.is_nan,
        "isinf": lambda v: v.is_infinite,
        "isfinite": lambda v: not (v.is_nan or v.is_infinite),
    }
    return np.frompyfunc(tests[op.kind], 1, 1)(args[0])


def _positions(field: Field, op: Any, args: Sequence[Any]) -> Any:
    """Positions depend on the order of the entries alone: find them for floats in the same order."""
    x, *rest = map(np.asarray, args)
    return op.forward(_in_order(x) if is_inexact(x) else x, *[floats(r) if is_inexact(r) else r for r in rest])


def _chosen(field: Field, op: Any, args: Sequence[Any]) -> Any:
    """Results that are entries: find them for floats in the same order; nan where there is none."""
    x = np.asarray(args[0])
    if not is_inexact(x):
        return op.forward(x)
    codes = _in_order(x)
    entries = dict(zip(codes.ravel().tolist(), x.ravel(), strict=True))
    chosen = np.asarray(op.forward(codes))
    out = np.empty(chosen.shape, dtype=object)
    for at in np.ndindex(chosen.shape):
        out[at] = entries.get(float(chosen[at]), field.number(np.nan))
    return out


def _in_order(x: Any) -> Any:
    """Floats that compare as the numbers of x do: equal where these are, nan where they are nan."""
    flat = x.ravel()
    there = [k for k, v in enumerate(flat) if not v.is_nan]
    there.sort(key=cmp_to_key(lambda i, j: int(flat[i] > flat[j]) - int(flat[i] < flat[j])))
    codes, rank = np.full(flat.shape, np.nan), 0.0
    for n, k in enumerate(there):
        rank += float(n > 0 and bool(flat[there[n - 1]] < flat[k]))
        codes[k] = rank
    return codes.reshape(x.shape)


def _inverse(field: Field, op: Any, args: Sequence[Any]) -> Any:
    return _each(matrices.inverse, np.shape(args[0]), numbers(field, args[0]))


def _solve(field: Field, op: Any, args: Sequence[Any]) -> Any:
    a, b = (numbers(field, x) for x in args)
    a, b = a.mT if op.transposed else a, b[..., None] if op.vector else b
    to = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    solution = _each(lambda m, v: matrices.solved(m, v, "linalg.solve"), to, a, b)
    return solution[..., 0] if op.vector else solution


def _solve_banded(field: Field, op: Any, args: Sequence[Any]) -> Any:
    ab, b = (numbers(field, x) for x in args)
    return _solve(field, op, [full_matrix(ab, op.low, op.up), b])


def _cholesky(field: Field, op: Any, args: Sequence[Any]) -> Any:
    return _each(matrices.cholesky, np.shape(args[0]), numbers(field, args[0]))


def _determinant(meaning: Any) -> Own:
    """What is made of a determinant, given in the slot x0."""

    def found(field: Field, op: Any, args: Sequence[Any]) -> Any:
        x = numbers(field, args[0])
        if not x.shape[-1]:
            return op.forward(np.zeros(x.shape))
        values = _each(matrices.determinant, x.shape[:-2], x)
        return _elementwise(field, meaning, [values])

    return found


def _eigen(part: int) -> Own:
    def found(field: Field, op: Any, args: Sequence[Any]) -> Any:
        x = numbers(field, args[0])
        x = x.mT if op.upper else x
        whole = np.tril(x) + np.tril(x, -1).mT
        return _each(lambda m: _eigen_like(m)[part], op.out_shape(x.shape), whole)

    return found


def _eigen_like(m: Any) -> Any:
    return matrices.eigen(m, Eigenvectors().forward(floats(m)))


def _singular(field: Field, op: Any, args: Sequence[Any]) -> Any:
    x = numbers(field, args[0])
    if getattr(op, "full", False):
        raise Unsuitable("vectors beyond those of singular values are any basis. Pass full_matrices=False.")
    part = 1 if isinstance(op, SingularValues) else 0 if op.left else 2
    return _each(lambda m: _singular_like(m)[part], op.out_shape(x.shape), x)


def _singular_like(m: Any) -> Any:
    near = floats(m)
    left, right = (SingularVectors(side).forward(near) for side in (True, False))
    return matrices.singular(m, left, right)


def _triangular(part: int) -> Own:
    def found(field: Field, op: Any, args: Sequence[Any]) -> Any:
        x = numbers(field, args[0])
        return _each(lambda m: _orthogonal(m)[part], op.out_shape(x.shape), x)

    return found


def _orthogonal(m: Any) -> tuple[Any, Any]:
    """Q and R, from AᵀA = RᵀR; the signs are those that LAPACK chooses."""
    signs = np.where(np.diagonal(QRTriangle().forward(floats(m))) < 0, -1, 1)
    r = signs[:, None] * matrices.cholesky(matrices.product(m.T, m)).T
    return matrices.product(m, matrices.inverse(r)), r


def _pseudoinverse(field: Field, op: Any, args: Sequence[Any]) -> Any:
    x = numbers(field, args[0])
    if op.hermitian:
        x = np.tril(x) + np.tril(x, -1).mT
    return _each(lambda m: _pinv(m, op), op.out_shape(x.shape), x)


def _pinv(m: Any, op: Any) -> Any:
    """(AᵀA)⁻¹Aᵀ or Aᵀ(AAᵀ)⁻¹ of a matrix of full rank, else by the singular values that count."""
    if not m.size:
        return m.T
    rank = _rank(m, op)
    if rank == min(m.shape):
        tall = m.shape[0] >= m.shape[1]
        gram = matrices.product(m.T, m) if tall else matrices.product(m, m.T)
        inverse = matrices.inverse(gram)
        return matrices.product(inverse, m.T) if tall else matrices.product(m.T, inverse)
    u, s, v = _singular_like(m)
    return matrices.product(v[:, :rank] / s[:rank], u[:, :rank].T) if rank else 0 * m.T


def _rank(m: Any, op: Any) -> int:
    """The number of singular values above the threshold."""
    if not m.size:
        return 0
    s = _singular_like(m)[1]
    eps = float(max(m.shape) * np.finfo(np.float64).eps)
    rtol = (0.0 if op.atol else eps) if op.rtol is None else op.rtol
    least = largest(m.flat[0].field.number(op.atol or 0.0), rtol * s[0])
    return sum(bool(v > least) for v in s)


def _matrix_rank(field: Field, op: Any, args: Sequence[Any]) -> Any:
    x = numbers(field, args[0])
    return _each(lambda m: _rank(m, op), x.shape[:-2], x)


def _matrix_exp(field: Field, op: Any, args: Sequence[Any]) -> Any:
    args = [numbers(field, x) for x in args]
    to = op.out_shape(*[x.shape for x in args])
    if not np.prod(to):
        return np.empty(to, dtype=object)
    block = op.enlarged(*args)
    n = to[-1]
    whole = _each(matrices.exponential, block.shape, numbers(field, block))
    return np.broadcast_to(whole[..., :n, whole.shape[-1] - n :], to)


def _pivots(field: Field, op: Any, args: Sequence[Any]) -> Any:
    return op.exchanged(numbers(field, args[0]))


def _scan(field: Field, op: Scan, args: Sequence[Any]) -> Any:
    """Run the loop, step by step."""
    n, m = op.carries, op.carries + op.xs
    carry, rows, constants = list(args[:n]), args[n:m], list(args[m:])
    stacks = [np.empty(p.shape, dtype=object) for p in op.pieces[n:]]
    for t in op.steps():
        if op.ending is not None and all(x != 0 for x in np.ravel(carry[op.ending])):
            break
        xs = [*carry, *[np.asarray(x)[t] for x in rows], *constants]
        outputs = op.body.walk(xs, lambda v, args: _step(field, v, args), np.asarray)
        carry = outputs[:n]
        for stack, y in zip(stacks, outputs[n:], strict=True):
            stack[t] = y if stack.ndim > 1 else np.asarray(y)[()]
    parts = [np.asarray(p, dtype=object).ravel() for p in (*carry, *stacks)]
    return np.concatenate(parts) if parts else np.empty(0, dtype=object)


def _step(field: Field, step: Value, args: Sequence[Any]) -> Any:
    args = [numbers(field, a) if is_floating(np.asarray(a).dtype) else np.asarray(a) for a in args]
    return np.broadcast_to(run(field, step.op, args, step.dtype), step.shape)


_OWN: dict[Any, Own] = {
    Cast: _cast, Test: _test, FindsPositions: _positions, Arg: _positions, MedianOfAll: _chosen, Inverse: _inverse,
    Solve: _solve, SolveBanded: _solve_banded, Cholesky: _cholesky, Det: _determinant(X[0]),
    LogDet: _determinant(sp.log(X[0])), LogAbsDet: _determinant(sp.log(sp.Abs(X[0]))),
    DetSign: _determinant(sp.sign(X[0])), Eigenvalues: _eigen(0), Eigenvectors: _eigen(1),
    SingularValues: _singular, SingularVectors: _singular, QRBasis: _triangular(0), QRTriangle: _triangular(1),
    PseudoInverse: _pseudoinverse, MatrixRank: _matrix_rank, MatrixExp: _matrix_exp, Pivots: _pivots, Scan: _scan,
}  # fmt: skip
