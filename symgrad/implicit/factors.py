"""Linear systems with an operator: factorised where it is small, by Krylov's methods where it is large.

A factorisation is kept as long as the arrays that it is of, so that a value and all its derivatives share one. One of
a point nearby, Newton's last, serves as well: what it leaves is corrected with exact products.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.engine.program import Program
from symgrad.errors import ArgumentError, LinAlgError, NotConverged
from symgrad.implicit import programs
from symgrad.support.extras import is_installed, required
from symgrad.support.forks import Lock
from symgrad.support.frozen import frozen

METHODS = ("auto", "lu", "cg", "gmres", "lsqr")
LARGE = 2000  # unknowns beyond which a matrix is neither made nor factorised where SciPy is there
_KEPT = 4
_ROUNDS = 8  # of corrections, each of which must take most of the error away
_EXACT = 1e-13
_LOST = 0.01  # of a vector, for √n numbers, that a singular matrix takes away
_AMPLE = 2.0**20  # length of b beside which LSQR's ε is nothing
_SINGULAR = 1e-14  # relative pivots below which a matrix counts as singular


def norm(v: Any) -> float:
    """Return the Euclidean length of all numbers, without overflow on the way."""
    largest = float(np.max(np.abs(v), initial=0.0))
    return largest * float(np.linalg.norm(v / largest)) if 0 < largest < math.inf else largest


def norms(v: Any, slices: int) -> Any:
    """Return the length of each slice, without overflow on the way."""
    rows = np.abs(np.reshape(v, (slices, -1)))
    largest = np.max(rows, 1, initial=0.0)
    safe = np.where((largest > 0) & (largest < np.inf), largest, 1.0)
    return np.where(safe == largest, largest * np.sqrt(np.sum((rows / safe[:, None]) ** 2, 1)), largest)


def _power(size: float) -> float:
    """Return the power of two below a number, by which arrays are divided without rounding."""
    return math.ldexp(1.0, math.frexp(size)[1] - 1)


def lsqr(a: Any, b: Any, tol: float, most: int | None, start: Any = None) -> tuple[Any, int]:
    """Return what SciPy's LSQR finds for A x ≈ b, and why it stopped.

    It adds an absolute ε to ‖A‖‖r‖, so that any x is a solution where that is small: both sides are scaled before.
    """
    unit = _power(norm(b))
    b = b / unit * _AMPLE
    stretch = norm(a.rmatvec(b)) / (norm(b) or 1.0)
    scale = _power(stretch) if 0 < stretch < math.inf else 1.0
    first = None if start is None else start / unit * (_AMPLE * scale)
    sparse = required("lsqr", "scipy", "scipy.sparse.linalg")
    x, why = sparse.lsqr(a * (1 / scale), b, atol=tol, btol=tol, iter_lim=most, x0=first)[:2]
    return x / (_AMPLE * scale) * unit, int(why)


@frozen
class Way:
    """How linear systems are solved.

    Attributes:
        method: "auto", "lu", or one of SciPy's for products: "cg" (symmetric positive definite), "gmres", "lsqr".
        tol: the residual, relative to the right side, that these stop at.
        most: their number of steps, None for SciPy's own.
        slices: how many systems of one size there are side by side, as under ``vmap``.
    """

    method: str = "auto"
    tol: float = 1e-10
    most: int | None = None
    slices: int = 1

    @classmethod
    def of(cls, who: str, method: Any, tol: float = 1e-10) -> Way:
        """Return the way that a user names."""
        if method not in METHODS:
            raise ArgumentError(f"{who}: got solve={method!r}. Expected one of {list(METHODS)}.")
        return cls(method, positive(who, "tol", tol))

    def chosen(self, size: int) -> str:
        """Return the method for the given number of unknowns."""
        if self.method != "auto":
            return self.method
        return "gmres" if size > LARGE * self.slices and is_installed("scipy") else "lu"


def positive(who: str, name: str, value: Any) -> Any:
    """Return a tolerance or the length of a step, which must be positive and finite."""
    if np.ndim(value) or not 0 < value < np.inf:
        raise ArgumentError(f"{who}: got {name}={value!r}. Expected a positive number.")
    return value


def whole(who: str, name: str, value: Any) -> int:
    """Return a number of nodes, intervals or steps, a positive integer."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value <= 0:
        raise ArgumentError(f"{who}: got {name}={value!r}. Expected a positive integer.")
    return int(value)


class Dense:
    """A matrix taken apart once: by SciPy's LU; without SciPy it is solved with anew each time."""

    def __init__(self, matrix: Any, who: str) -> None:
        a = np.atleast_2d(np.asarray(matrix, np.float64))
        sizes, ones = np.abs(a), np.ones(len(a))
        columns = ones @ sizes  # of the unknowns, whose units differ
        if not np.all(np.isfinite(columns)):
            raise LinAlgError(f"{who}: the Jacobian has entries that are nan or infinite. Start closer to a solution.")
        if np.any(columns == 0):
            raise LinAlgError(_singular(who, len(a)))
        self.scales = columns
        rows = sizes @ (ones / columns)
        self._solve = self._factorised(np.divide(a, columns, out=sizes), rows, who)

    def solve(self, b: Any, turned: bool) -> Any:
        """Return A⁻¹ b, or A⁻ᵀ b, of a vector."""
        return self._solve(b / self.scales, True) if turned else self._solve(b, False) / self.scales

    @staticmethod
    def _factorised(a: Any, rows: Any, who: str) -> Callable[[Any, bool], Any]:
        if np.any(rows == 0):
            raise LinAlgError(_singular(who, len(a)))
        if len(a) == 1:
            return lambda b, _: b / a[0, 0]
        if is_installed("scipy"):
            linalg = required(who, "scipy", "scipy.linalg")
            # Aᵀ lies as LAPACK wants it, so that nothing is copied; its pivots are chosen among the unknowns.
            factor, pivots, info = required(who, "scipy", "scipy.linalg.lapack").dgetrf(a.T, overwrite_a=True)
            if info > 0 or np.any(np.abs(np.diag(factor)) <= _SINGULAR * rows):
                raise LinAlgError(_singular(who, len(a)))
            return lambda b, turned: linalg.lu_solve((factor, pivots), b, trans=int(not turned), check_finite=False)
        if np.linalg.matrix_rank(a / rows[:, None], tol=_SINGULAR) < len(a):
            raise LinAlgError(_singular(who, len(a)))
        return lambda b, turned: np.linalg.solve(a.T if turned else a, b)


class StackedMatrices:
    """The matrices of systems side by side, shape (slices, n, n)."""

    def __init__(self, matrices: Any, who: str) -> None:
        if not np.all(np.isfinite(matrices)):
            raise LinAlgError(f"{who}: the Jacobian has entries that are nan or infinite. Start closer to a solution.")
        columns = np.sum(np.abs(matrices), 1)
        rows = np.sum(np.abs(matrices) / np.where(columns == 0, 1, columns)[:, None], 2)
        scaled = matrices / np.where(columns == 0, 1, columns)[:, None] / np.where(rows == 0, 1, rows)[:, :, None]
        smallest = np.linalg.svd(scaled, compute_uv=False)[:, -1]
        if np.any(smallest <= _SINGULAR):
            raise LinAlgError(_singular(who, matrices.shape[1]))
        self.matrices = matrices

    def solve(self, b: Any, turned: bool) -> Any:
        """Return A⁻¹ b, or A⁻ᵀ b, of each slice."""
        a = np.swapaxes(self.matrices, 1, 2) if turned else self.matrices
        return np.linalg.solve(a, b.reshape(*a.shape[:2], 1)).ravel()


def _singular(who: str, size: int) -> str:
    return (
        f"{who}: the Jacobian of the conditions is singular at the answer ({size}×{size}): the implicit function "
        "theorem gives no derivative there. Solutions meet or are not isolated: change the parameters, or add a "
        "condition that makes the solution unique."
    )


class Record:
    """The factorisation of a system, kept for further right-hand sides.

    Attributes:
        exact: whether that is of this very point.
        checked: whether the conditions were found to determine the answer there.
    """

    def __init__(self, near: Dense | StackedMatrices | None = None) -> None:
        self.dense, self.exact, self.checked = near, near is None, False


class LinearSystem:
    """The operator v ↦ L(p) v at one p, ready to be solved with."""

    def __init__(self, operator: Program, way: Way, ps: Sequence[Any], who: str, record: Record) -> None:
        self.operator, self.way, self.ps, self.who, self.record = operator, way, tuple(ps), who, record
        self.size = int(programs.size_of(operator.arguments[0]))

    def solve(self, b: Any, turned: bool = False, start: Any = None) -> Any:
        """Return L⁻¹ b, or L⁻ᵀ b, in the shape of the unknown; products start from ``start``."""
        spec = self.operator.results[0] if turned else self.operator.arguments[0]
        flat = np.ravel(np.asarray(b))
        method = self.way.chosen(self.size)
        solution = self._by_factors(flat, turned) if method == "lu" else self._by_products(method, flat, turned, start)
        return np.asarray(solution, spec.dtype).reshape(spec.shape)

    def apply(self, v: Any, turned: bool = False) -> Any:
        """Return L v, or Lᵀ v, of a vector."""
        operator = programs.transposed(self.operator) if turned else self.operator
        spec = self.operator.results[0] if turned else self.operator.arguments[0]
        return np.ravel(programs.numbers(operator, np.asarray(v, spec.dtype).reshape(spec.shape), *self.ps))

    @property
    def dense(self) -> Dense | StackedMatrices:
        """The factorisation of the dense matrix."""
        if self.record.dense is None and self.way.slices > 1:
            self.record.dense = StackedMatrices(self.matrices(), self.who)
        if self.record.dense is None:
            matrix = programs.numbers(programs.matrix(self.operator), *self.ps)
            self.record.dense = Dense(np.reshape(matrix, (self.size, self.size)), self.who)
        return self.record.dense

    def matrices(self) -> Any:
        """Return the matrices of the slices: a unit vector in all of them gives a column of each."""
        many, spec = self.way.slices, self.operator.arguments[0]
        n = self.size // many
        units = [np.zeros((many, n), spec.dtype) for _ in range(n)]
        for k, unit in enumerate(units):
            unit[:, k] = 1
        return np.stack([self.apply(unit).reshape(many, n) for unit in units], 2).astype(np.float64)

    def check_regular(self) -> None:
        """Refuse a singular operator where nothing is factorised: products find some x of A x = A w, and not w."""
        if self.way.chosen(self.size) == "lu":
            return
        w = np.random.default_rng(0).normal(size=self.size)
        try:
            x = np.ravel(self.solve(self.apply(w)))
        except NotConverged:  # nothing is known: w is rougher than what the solver is for
            return
        if norm(x - w) > _LOST / math.sqrt(self.size) * norm(w):
            raise LinAlgError(_singular(self.who, self.size))

    def _by_factors(self, b: Any, turned: bool) -> Any:
        if not self.record.exact:
            x = self._corrected(b, turned)
            if x is not None:
                return x
            self.record.dense, self.record.exact = None, True
        return self.dense.solve(b, turned)

    def _corrected(self, b: Any, turned: bool) -> Any:
        """Solve with the factors of a point nearby, and correct what they leave; None where that was too far."""
        x, size = self.dense.solve(b, turned), norm(b)
        before = size
        for _ in range(_ROUNDS):
            rest = b - self.apply(x, turned)
            left = norm(rest)
            if left <= _EXACT * size:
                return x
            if not left < before / 4:
                break
            x, before = x + self.dense.solve(rest, turned), left
        return None

    def _stopped(self, method: str, residual: float, tol: float) -> NotConverged:
        """Return the error of a method by products that did not reach its tolerance."""
        own = self.who == method
        instead = "take sg.linalg.solve" if own else "solve with method 'lu'"
        return NotConverged(
            f"{self.who}: {'' if own else method + ' '}stopped with a residual of {residual:.2g} of the right "
            f"side, where {tol:.2g} was requested ({self.size} unknowns). Raise its number of steps, loosen tol, "
            f"or {instead}."
        )

    def _by_products(self, method: str, b: Any, turned: bool, start: Any = None) -> Any:
        sparse = required(f"{self.who}: {method}", "scipy", "scipy.sparse.linalg")
        if not np.any(b):
            return np.zeros(len(b))
        if not np.all(np.isfinite(b)):
            raise LinAlgError(f"{self.who}: the right side has entries that are nan or infinite.")
        unit = _power(float(np.max(np.abs(b))))  # SciPy's methods square
        b = b / unit
        size = norm(b)
        given = sparse.LinearOperator(
            (self.size, self.size), lambda v: self.apply(v, turned), lambda v: self.apply(v, not turned), dtype=b.dtype
        )
        first = None if start is None else np.array(start, b.dtype).ravel() / unit
        most, tol = self.way.most, max(self.way.tol, 16 * float(np.finfo(b.dtype).eps))
        with np.errstate(all="ignore"):
            if method == "lsqr":
                x = lsqr(given, b, tol, most, first)[0]
            elif method == "cg":
                x = sparse.cg(given, b, first, rtol=tol, maxiter=most)[0]
            else:
                x = sparse.gmres(given, b, first, rtol=tol, maxiter=most, restart=min(self.size, 100))[0]
            left = norm(b - self.apply(x, turned))
        if not left <= max(10 * tol, 1e-12) * size:
            raise self._stopped(method, left / size, tol)
        return x * unit


# ------------------------------------------------------------------ kept
class _Kept:
    """One record, and weakly the arrays that it is of."""

    def __init__(self, key: Any, ps: Sequence[Any], record: Record) -> None:
        self.key, self.record = key, record
        self.points = [weakref.ref(p) if isinstance(p, np.ndarray) else p for p in ps]

    def fits(self, key: Any, ps: Sequence[Any]) -> bool:
        return len(ps) == len(self.points) and key == self.key and all(map(_is_same, self.points, ps))

    @property
    def is_alive(self) -> bool:
        return all(p() is not None for p in self.points if isinstance(p, weakref.ref))


def _is_same(kept: Any, p: Any) -> bool:
    return kept() is p if isinstance(kept, weakref.ref) else type(kept) is type(p) and bool(kept == p)


_RECORDS: list[_Kept] = []
_LOCK = Lock()


def keep(operator: Program, way: Way, ps: Sequence[Any], record: Record) -> None:
    """Keep a record for the derivatives, as long as its arrays live and no newer ones push it out."""
    entry = _Kept((operator, way), ps, record)
    with _LOCK:
        others = [k for k in _RECORDS if k.is_alive and not k.fits(entry.key, ps)]
        _RECORDS[:] = [*others[-_KEPT + 1 :], entry]


def system_of(operator: Program, way: Way, ps: Sequence[Any], who: str) -> LinearSystem:
    """Return the system at ps, with the factorisation that is kept of it."""
    with _LOCK:
        record = next((k.record for k in reversed(_RECORDS) if k.fits((operator, way), ps)), None)
    if record is None:
        record = Record()
        keep(operator, way, ps, record)
    return LinearSystem(operator, way, ps, who, record)
