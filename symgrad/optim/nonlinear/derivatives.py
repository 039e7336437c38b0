"""What solvers call: f, ∇f, g, the entries of g's Jacobian and of the Lagrangian's Hessian, all from one trace.

Patterns are fixed and known before there is a value. The Lagrangian here is σ f + λᵀ g, as solvers have it.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.sparse.pattern import pattern
from symgrad.compiler.sparse.products import seeds
from symgrad.compiler.sparse.sets import Sets, none
from symgrad.compiler.sparse.sweeps import Sweeps, for_hessian, for_jacobian
from symgrad.compiler.tiers import Tiered
from symgrad.engine.program import Program
from symgrad.engine.record import as_tensor
from symgrad.implicit import programs
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import Cat
from symgrad.solvers.quadratic import is_polynomial
from symgrad.support.collector import collector_paused
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
    @collector_paused()
    def _jacobian_sets(self) -> Sets:
        return pattern(self._g, 0) if self.held else none(0, self.size)

    @cached_property
    @collector_paused()
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
    @collector_paused()
    def programs(self) -> dict[str, Program]:
        """(x, *θ) ↦ f, ∇f, g and the entries of ∂g/∂x; (x, *θ, σ, λ) ↦ those of the Hessian's lower triangle."""
        slope = programs.pullback(self._f, (0,))
        own = self.body.arguments
        gradient = programs.once(self._f, "gradient", own, lambda *xs: slope(*xs, as_tensor(1.0)))
        made = {"objective": self._f, "gradient": gradient, "constraints": self._g}
        if self.held and len(self._jacobian_sets.members):
            sweeps = for_jacobian(self._jacobian_sets, 1.0, 1.0)
            made["jacobian"] = _entries(self._g, sweeps)
        if len(self.hessian_pattern.rows):
            sweeps = for_hessian(self._hessian_sets)
            sweeps = sweeps._replace(take=sweeps.take[self._is_lower])
            made["hessian"] = _entries(self._slope, sweeps)
        return made

    def _kernel(self, name: str) -> Tiered:
        if name not in self._kernels:
            self._kernels[name] = Tiered(self.programs[name], self.backend)
        return self._kernels[name]

    # -------------------------------------------------------------- numbers
    def objective(self, z: Any, thetas: tuple[Any, ...]) -> float:
        """Return the objective f at a point."""
        return float(self._called("objective", z, *thetas))

    def gradient(self, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the gradient ∇f at a point."""
        return self._called("gradient", z, *thetas)

    def constraints(self, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the constraints g at a point."""
        return self._called("constraints", z, *thetas) if self.held else np.zeros(0)

    def jacobian(self, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the entries of ∂g/∂x."""
        return self._called("jacobian", z, *thetas) if len(self.jacobian_pattern.rows) else np.zeros(0)

    def hessian(self, z: Any, scale: float, multipliers: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the entries of the lower triangle of the Hessian of σ f + λᵀ g."""
        if not len(self.hessian_pattern.rows):
            return np.zeros(0)
        return self._called("hessian", z, *thetas, float(scale), np.array(multipliers))

    def _called(self, name: str, *args: Any) -> Any:
        kernel, start = self._kernel(name), time.perf_counter()
        value = kernel(*args)
        count, spent = self.calls.get(name, (0, 0.0))
        self.calls[name] = count + 1, spent + time.perf_counter() - start
        return value

    # -------------------------------------------------------------- what kind of problem this is
    @cached_property
    def is_linear(self) -> bool:
        """Whether g is linear in x, whatever θ is."""
        return is_polynomial(self._g) and not self._reads("jacobian")

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether f is quadratic and g linear in x, whatever θ is."""
        return self.is_linear and is_polynomial(self._f) and not self._reads("hessian")

    def _reads(self, name: str) -> bool:
        """Whether the entries of a derivative depend on x."""
        return name in self.programs and programs.is_read(self.programs[name], 0)


def _entries(body: Program, sweeps: Sweeps) -> Program:
    """Return the entries of a body's derivative J in its first argument, out of products J v and Jᵀ u."""
    x, y = body.arguments[0], body.results[0]
    ways = (programs.pushforward, sweeps.columns, x), (programs.pullback, sweeps.rows, y)

    def rule(*xs: Any) -> list[Any]:
        products = []
        for way, colours, spec in ways:
            vectors = seeds(colours, spec)
            if len(vectors):
                flags = *[False] * len(xs), True
                (rows,) = programs.of_slices(way(body, (0,)), len(vectors), flags, (*xs, as_tensor(vectors)))
                products.append(Reshape((rows.size,))(rows))
        return [(products[0] if len(products) == 1 else Cat(0)(*products))[sweeps.take]]

    return programs.traced(body.arguments, rule, "nlp: derivatives are traced once.")
