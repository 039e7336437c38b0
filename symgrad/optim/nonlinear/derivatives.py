"""What solvers call: f, ∇f, g, the entries of g's Jacobian and of the Lagrangian's Hessian, all from one trace.

Patterns are fixed and known before there is a value. The Lagrangian here is σ f + λᵀ g, as solvers have it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.sparse.pattern import pattern
from symgrad.compiler.sparse.products import costs, entries_of
from symgrad.compiler.sparse.sets import Sets, none
from symgrad.compiler.sparse.sweeps import for_hessian, for_jacobian
from symgrad.compiler.tiers import Tiered
from symgrad.engine.program import Program, Spec
from symgrad.implicit import programs
from symgrad.solvers.quadratic import is_polynomial
from symgrad.support.extras import required
from symgrad.support.lazy import cached_property

FLOAT64 = np.dtype(np.float64)


class Columns(NamedTuple):
    """Entries by compressed columns: their order among those by rows, where each column starts, and the rows."""

    order: Any
    starts: Any
    rows: Any


class Pattern(NamedTuple):
    """Where entries stand: rows and columns, ordered by rows, and the shape of the matrix."""

    rows: Any
    columns: Any
    shape: tuple[int, int]

    @classmethod
    def of(cls, sets: Sets, chosen: Any = slice(None)) -> Pattern:
        """Return the pattern of sets, or of the chosen of their entries."""
        return cls(sets.owners[chosen], sets.members[chosen], (sets.size, sets.below))

    @property
    def by_columns(self) -> Columns:
        """The same by columns."""
        order = np.lexsort((self.rows, self.columns))
        starts = np.searchsorted(self.columns[order], np.arange(self.shape[1] + 1))
        return Columns(order, starts, self.rows[order])

    def matrix(self, entries: Any, symmetric: bool = False) -> Any:
        """Return the entries as a ``csc_array``, with the mirror image of a lower triangle where symmetric."""
        coo_array = required("nlp", "scipy", "scipy.sparse").coo_array
        lower = coo_array((entries, (self.rows, self.columns)), shape=self.shape)
        if symmetric:
            strict = self.rows != self.columns
            mirror = (entries[strict], (self.columns[strict], self.rows[strict]))
            return (lower + coo_array(mirror, shape=self.shape)).tocsc()
        return lower.tocsc()


class Derivatives:
    """The functions of one program (x, *θ) ↦ (f, g), compiled when they are first called.

    Attributes:
        body: the program.
        size, held: how many numbers x and g have.
        calls: for each function how often it was called, and the seconds that it took.
    """

    def __init__(self, body: Program, backend: str) -> None:
        self.body, self.backend = body, backend
        (self.size,), (self.held,) = body.arguments[0].shape, body.results[1].shape
        self._f, self._g = body.returning(body.outputs[:1]), body.returning(body.outputs[1:])
        self.calls: dict[str, tuple[int, float]] = {}
        self._kernels: dict[str, Tiered] = {}

    # -------------------------------------------------------------- patterns
    @cached_property
    def jacobian_pattern(self) -> Pattern:
        """Where ∂g/∂x can differ from zero."""
        return Pattern.of(self._jacobian_sets)

    @cached_property
    def hessian_pattern(self) -> Pattern:
        """Where the lower triangle of ∂²(σ f + λᵀ g)/∂x² can differ from zero."""
        return Pattern.of(self._hessian_sets, self._is_lower)

    @cached_property
    def _jacobian_sets(self) -> Sets:
        return pattern(self._g, 0) if self.held else none(0, self.size)

    @cached_property
    def _hessian_sets(self) -> Sets:
        return pattern(self._slope, 0).symmetric()

    @property
    def _is_lower(self) -> Any:
        return self._hessian_sets.owners >= self._hessian_sets.members

    # -------------------------------------------------------------- programs
    @cached_property
    def _slope(self) -> Program:
        """(x, *θ, σ, λ) ↦ σ ∇f + (∂g/∂x)ᵀ λ"""
        return programs.pullback(self.body, (0,))

    @cached_property
    def jacobian_entries(self) -> Callable[..., Any]:
        """(x, *θ) ↦ the entries of ∂g/∂x"""
        x, y = Spec((self.size,), FLOAT64), Spec((self.held,), FLOAT64)
        at = (np.zeros(self.size), *[s.zeros() for s in self.body.arguments[1:]])

        def held(z: Any, *thetas: Any) -> Any:
            return self._g(z, *thetas)[0]

        sweeps = for_jacobian(self._jacobian_sets, *costs(held, 0, y, at, {}))
        return entries_of(held, 0, sweeps, x, y)

    @cached_property
    def hessian_entries(self) -> Callable[..., Any]:
        """(x, σ, λ, *θ) ↦ the entries of the Hessian's lower triangle"""
        x = Spec((self.size,), FLOAT64)
        sweeps = for_hessian(self._hessian_sets)
        sweeps = sweeps._replace(take=sweeps.take[self._is_lower])
        return entries_of(lambda z, s, v, *thetas: self._slope(z, *thetas, s, v)[0], 0, sweeps, x, x)

    @cached_property
    def programs(self) -> dict[str, Callable[..., Any]]:
        """(x, *θ) ↦ f, ∇f and g"""
        f, g, slope = self._f, self._g, programs.pullback(self._f, (0,))
        return {
            "objective": lambda z, *thetas: f(z, *thetas)[0],
            "gradient": lambda z, *thetas: slope(z, *thetas, 1.0)[0],
            "constraints": lambda z, *thetas: g(z, *thetas)[0],
        }

    def _kernel(self, name: str) -> Tiered:
        if name not in self._kernels:
            entries = {"jacobian": "jacobian_entries", "hessian": "hessian_entries"}.get(name)
            fn = getattr(self, entries) if entries else self.programs[name]
            self._kernels[name] = Tiered(fn, self.backend)
        return self._kernels[name]

    # -------------------------------------------------------------- numbers
    def objective(self, z: Any, thetas: tuple[Any, ...]) -> float:
        """Return f."""
        return float(self._called("objective", z, *thetas))

    def gradient(self, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return ∇f."""
        return self._called("gradient", z, *thetas)

    def constraints(self, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return g."""
        return self._called("constraints", z, *thetas) if self.held else np.zeros(0)

    def jacobian(self, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the entries of ∂g/∂x."""
        return self._called("jacobian", z, *thetas) if len(self.jacobian_pattern.rows) else np.zeros(0)

    def hessian(self, z: Any, scale: float, multipliers: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the entries of the lower triangle of the Hessian of σ f + λᵀ g."""
        if not len(self.hessian_pattern.rows):
            return np.zeros(0)
        return self._called("hessian", z, float(scale), np.array(multipliers), *thetas)

    def _called(self, name: str, *args: Any) -> Any:
        start = time.perf_counter()
        value = self._kernel(name)(*args)
        count, spent = self.calls.get(name, (0, 0.0))
        self.calls[name] = count + 1, spent + time.perf_counter() - start
        return value

    # -------------------------------------------------------------- what kind of problem this is
    @cached_property
    def is_linear(self) -> bool:
        """Whether g is linear in x, whatever θ is."""
        return is_polynomial(self._g) and not _reads(self._g, self._jacobian_sets)

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether f is quadratic and g linear in x, whatever θ is."""
        if not (self.is_linear and is_polynomial(self._f)):
            return False
        slope = programs.pullback(self._f, (0,))
        return not _reads(slope, pattern(slope, 0))


def _reads(body: Program, sets: Sets) -> bool:
    """Whether the derivative of a body in its first argument depends on it: whether a product with J does."""
    return bool(len(sets.members)) and programs.is_read(programs.linearised(body), 1)
