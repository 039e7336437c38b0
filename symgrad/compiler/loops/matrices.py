"""How linear algebra becomes calls of the library's functions of matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from symgrad.compiler.loops.programs import LoopWriter
from symgrad.compiler.loops.rows import filled_by_row, per_row
from symgrad.compiler.loops.writers import Words
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.views import View
from symgrad.core.promotion import is_floating
from symgrad.ops.linalg.banded import SolveBanded
from symgrad.ops.linalg.determinant import Cofactor, Det, DetSign, LogAbsDet, LogDet
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.orthogonal import QRBasis, QRTriangle
from symgrad.ops.linalg.pseudoinverse import MatrixRank, PseudoInverse
from symgrad.ops.linalg.solving import Cholesky, Inverse, Solve
from symgrad.ops.linalg.spectral import Eigenvalues, Eigenvectors, InverseGaps, SingularValues, SingularVectors
from symgrad.ops.shape import total
from symgrad.ops.signature import read

W = LoopWriter
writes = WORDS = Words()
Views = list[View]
_BY_FACTORS = (Solve, Inverse, LogAbsDet, LogDet, DetSign)
_READERS = WeakKeyDictionary[Elements, Counter[int]]()  # how many of them read the factors of a value


def _start(w: W, x: View, idx: list[str]) -> str:
    return w.position(View(x.memory, x.offset, x.steps[: len(idx)], x.shape[: len(idx)]), idx)


def _lead(op: Any, x: View) -> Any:
    """Return the axes in front of the matrix that the operation's signature names."""
    return x.shape[: len(x.shape) - len(read(op.signature).inputs[0])]


def _places(w: W, views: Views, idx: list[str]) -> list[str]:
    """Return the arrays of views, each with where it begins at these positions of the axes in front."""
    return [t for v in views for t in (v.memory, _start(w, v, idx))]


def _each(w: W, name: str, lead: Any, views: Views, *rest: Any, fails: bool = False, finite: int = 0) -> None:
    """Write a call of the library for each matrix of a batch; ``fails`` where it may find none, the last view.

    The first ``finite`` views, or all but the last where it fails, are left to eager mode where they are not finite.
    """
    w.fails = w.fails or fails
    with w.nest(lead) as idx:
        for v in views[: len(views) - 1 if fails else finite]:
            w.finite(v.memory, _start(w, v, idx), w.size(total(v.shape[len(lead) :])))
        call = w.call(name, *_places(w, views, idx), *rest)
        w.line(f"status = status + {call}" if fails else call)


@writes(Cholesky, Cofactor, MatrixExp)
def _(w: W, op: Any, a: Views, k: int) -> View | None:
    if len(a) > 1:
        return _direction(w, op, a, k) if isinstance(op, MatrixExp) else None
    x, target = w.plain(a[0]), w.array(w.shape(k))
    n = x.shape[-1]
    name = {Cholesky: "cholesky", Cofactor: "cofactor", MatrixExp: "matrix_exp"}[type(op)]
    rooms = {Cholesky: [n], Cofactor: [n * (2 * n + 1), n], MatrixExp: [2 * n * n]}[type(op)]
    work = [w.array((room,)).memory for room in rooms]
    _each(w, name, _lead(op, x), [x, target], w.size(n), *work, fails=isinstance(op, Cholesky))
    return target


def _direction(w: W, op: MatrixExp, a: Views, k: int) -> View | None:
    """Dexp(A)[H] is in the corner of exp [[A, H], [0, A]]."""
    lead, n = w.shape(k)[:-2], a[0].shape[-1]
    if len(a) > 2 or not isinstance(n, int):
        return None
    block, exponential = w.filled(w.array((*lead, 2 * n, 2 * n))), w.array((*lead, 2 * n, 2 * n))
    for x, start in ((a[0], 0), (a[0], 2 * n * n + n), (a[1], n)):
        w.copy(x.to((*lead, n, n)), View(block.memory, start, block.steps, (*lead, n, n)))
    work = w.array((8 * n * n,)).memory
    _each(w, "matrix_exp", lead, [block, exponential], 2 * n, work)
    return View(exponential.memory, n, exponential.steps, (*lead, n, n))


# ------------------------------------------------------------------ by LU factors
def _factors(w: W, k: int, x: View, lead: Any) -> Callable[[list[str]], list[str]]:
    """Return what says where the factors of a matrix of a batch are, once it has them written where they are not yet.

    It is called in loops over ``lead``. Where several operations read the factors, or the loops have more turns than
    there are matrices, there is memory for all of them.
    """
    n, own, ref = x.shape[-1], x.shape[:-2], w.e.refs(k)[0]
    size = n * (n + 1) + 3
    apart = tuple(own) != tuple(lead)
    if apart or _is_read_again(w.e, ref):
        factors, new = w.sharing(("lu", w.e, ref), (*own, size))
    else:
        factors, new = w.array((size,)), True
    matrix, row = (w.plain(x), w.array((n,)).memory) if new else (x, "")

    def written(at: View, idx: list[str]) -> list[str]:
        place = [at.memory, _start(w, at, idx[: len(at.shape) - 1])]
        w.line(w.call("factorise", *_places(w, [matrix], idx), *place, w.size(n), row))
        return place

    if apart and new:
        with w.nest(own) as idx:
            written(factors, idx)
    elif new:
        return lambda idx: written(factors, idx)
    every = factors.to((*lead, size))
    return lambda idx: _places(w, [every], idx)


def _is_read_again(e: Elements, ref: int) -> bool:
    """Whether several operations read the factors of matrices."""
    if e not in _READERS:
        readers = [k for k in e.reachable(e.outputs) if isinstance(e.ops[k][0], _BY_FACTORS)]
        _READERS[e] = Counter(e.refs(k)[0] for k in readers)
    return _READERS[e][ref] > 1


@writes(Inverse)
def _(w: W, op: Inverse, a: Views, k: int) -> View:
    target, w.fails = w.array(w.shape(k)), True
    n, lead = a[0].shape[-1], a[0].shape[:-2]
    factors = _factors(w, k, a[0], lead)
    with w.nest(lead) as idx:
        call = w.call("inverse", *factors(idx), *_places(w, [target], idx), w.size(n))
        w.line(f"status = status + {call}")
    return target


@writes(Solve)
def _(w: W, op: Solve, a: Views, k: int) -> View:
    solution, w.fails = w.array(w.shape(k)), True
    lead = solution.shape[: len(solution.shape) - (1 if op.vector else 2)]
    n, m = a[0].shape[-1], 1 if op.vector else solution.shape[-1]
    right = w.plain(a[1].to(solution.shape))
    factors = _factors(w, k, a[0], lead)
    with w.nest(lead) as idx:
        w.finite(right.memory, _start(w, right, idx), w.size(n * m))
        places = [*factors(idx), *_places(w, [right, solution], idx)]
        w.line(f"status = status + {w.call('solve', *places, w.size(n), w.size(m), int(op.transposed))}")
    return solution


@writes(LogAbsDet, LogDet, DetSign)
def _(w: W, op: Any, a: Views, k: int) -> View:
    n, lead = a[0].shape[-1], a[0].shape[:-2]
    name = {LogAbsDet: "logabsdet", LogDet: "logdet", DetSign: "det_sign"}[type(op)]
    factors = _factors(w, k, a[0], lead)

    def number(idx: list[str]) -> str:
        memory, at = factors(idx)
        w.finite(memory, f"{at} + {w.size(n * (n + 1) + 2)}", "1")
        return w.call(name, memory, at, w.size(n))

    return filled_by_row(w, View(a[0].memory, 0, (0,) * (len(lead) + 1), (*lead, n)), k, number)


@writes(Det)
def _(w: W, op: Det, a: Views, k: int) -> View:
    x, n = w.plain(a[0]), a[0].shape[-1]
    work = [w.array((n * (n + 1),)).memory, w.array((n,)).memory]
    rows = View(x.memory, x.offset, (*x.steps[:-2], 1), (*x.shape[:-2], n * n))

    def number(at: str, by: str, count: str) -> str:
        w.finite(x.memory, at, count)
        return w.call("det", x.memory, at, w.size(n), *work)

    return per_row(w, rows, k, number)


@writes(SolveBanded)
def _(w: W, op: SolveBanded, a: Views, k: int) -> View:
    solution, w.fails = w.array(w.shape(k)), True
    lead = solution.shape[: len(solution.shape) - (1 if op.vector else 2)]
    n, m = a[0].shape[-1], 1 if op.vector else solution.shape[-1]
    key = ("band", w.e, w.e.refs(k)[0], op.low, op.up, op.hermitian)
    factors, is_new = w.sharing(key, (*a[0].shape[:-2], n * (2 * op.low + op.up + 2) + 2))
    if is_new:
        ab = w.plain(a[0])
        with w.nest(ab.shape[:-2]) as idx:
            w.finite(ab.memory, _start(w, ab, idx), w.size(total(ab.shape[-2:])))
            places = _places(w, [ab, factors], idx)
            w.line(w.call("band_factors", *places, w.size(n), op.low, op.up, int(op.hermitian)))
    views = [factors.to((*lead, factors.shape[-1])), w.plain(a[1].to(solution.shape)), solution]
    with w.nest(lead) as idx:
        w.finite(views[1].memory, _start(w, views[1], idx), w.size(n * m))
        sizes = w.size(n), w.size(m), op.low, op.up, int(op.transposed), int(op.hermitian)
        w.line(f"status = status + {w.call('band_solved', *_places(w, views, idx), *sizes)}")
    return solution


@writes(Eigenvalues, Eigenvectors)
def _(w: W, op: Any, a: Views, k: int) -> View:
    key = ("eigh", w.e, w.e.refs(k), op.upper)
    if key not in w.factors:
        x, n = w.plain(a[0]), a[0].shape[-1]
        values, vectors = w.array(x.shape[:-1]), w.array(x.shape)
        work = w.array((n * n,)).memory
        _each(w, "eigh", _lead(op, x), [x, values, vectors], int(op.upper), w.size(n), work)
        w.factors[key] = [values, vectors]
    return w.factors[key][isinstance(op, Eigenvectors)]


@writes(InverseGaps)
def _(w: W, op: InverseGaps, a: Views, k: int) -> View:
    target, x = w.array(w.shape(k)), a[0]
    with w.nest(target.shape) as idx:
        i, j = idx[-2:]
        gap = f"{w.at(x, [*idx[:-2], j])} - {w.at(x, [*idx[:-2], i])}"
        w.line(f"{w.at(target, idx)} = (0.0 if {i} == {j} else {w.call('div', '1.0', gap)})")
    return target


def _svd(w: W, x: View, r: Any) -> Views:
    """U (n, k), s (k) and V (m, k), k the smaller of n and m."""
    key = ("svd", w.e, r)
    if key not in w.factors:
        x = w.plain(x)
        (n, m), lead = x.shape[-2:], x.shape[:-2]
        small, large = (n, m) if n <= m else (m, n)
        factors = [w.array((*lead, n, small)), w.array((*lead, small)), w.array((*lead, m, small))]
        work = w.array((large * small + small * small,)).memory
        _each(w, "svd", lead, [x, *factors], w.size(n), w.size(m), work, finite=1)
        w.factors[key] = factors
    return w.factors[key]


writes(SingularValues)(lambda w, op, a, k: _svd(w, a[0], w.e.refs(k))[1] if _numbered(a[0]) else None)


@writes(SingularVectors)
def _(w: W, op: SingularVectors, a: Views, k: int) -> View | None:
    vectors = _svd(w, a[0], w.e.refs(k))[0 if op.left else 2] if _numbered(a[0]) else None
    return vectors if vectors is not None and vectors.shape == w.shape(k) else None  # not the rest of a full basis


def _numbered(x: View) -> bool:
    """Whether the sizes of matrices are numbers, none of them 0."""
    return all(isinstance(n, int) and n > 0 for n in x.shape[-2:])


def _cut(op: Any, x: View, dtype: Any) -> tuple[float, float]:
    """Return the thresholds of what counts as 0, absolute and relative."""
    usual = 0.0 if op.atol else float(max(x.shape[-2:]) * np.finfo(dtype if is_floating(dtype) else np.float64).eps)
    return float(op.atol or 0.0), float(usual if op.rtol is None else op.rtol)


@writes(PseudoInverse, MatrixRank)
def _(w: W, op: Any, a: Views, k: int) -> View | None:
    if not _numbered(a[0]):
        return None
    u, s, v = _svd(w, a[0], w.e.refs(k))
    atol, rtol = _cut(op, a[0], w.e.dtypes[w.e.refs(k)[0]])
    n = w.size(s.shape[-1])
    if isinstance(op, MatrixRank):
        return per_row(w, s, k, lambda at, by, n: w.call("rank", s.memory, at, n, repr(atol), repr(rtol)))
    inverse = w.array(w.shape(k))
    sizes = map(w.size, a[0].shape[-2:])
    _each(w, "pseudo_inverse", _lead(op, a[0]), [u, s, v, inverse], *sizes, n, repr(atol), repr(rtol))
    return inverse


@writes(QRBasis, QRTriangle)
def _(w: W, op: Any, a: Views, k: int) -> View | None:
    if not _numbered(a[0]):
        return None
    key = ("qr", w.e, w.e.refs(k))
    if key not in w.factors:
        x = w.plain(a[0])
        (n, m), lead = x.shape[-2:], x.shape[:-2]
        small = min(n, m)
        q, r = w.array((*lead, n, small)), w.array((*lead, small, m))
        work = w.array((n * m + n,)).memory
        _each(w, "qr", lead, [x, q, r], n, m, small, work)
        w.factors[key] = [q, r]
    return w.factors[key][isinstance(op, QRTriangle)]
