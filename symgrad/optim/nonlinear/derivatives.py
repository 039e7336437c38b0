"""What solvers call: f, ∇f, g, the entries of g's Jacobian and of the Lagrangian's Hessian, all from one trace.

Patterns are fixed and known before there is a value. The Lagrangian here is σ f + λᵀ g, as solvers have it.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from symgrad import functions as F
from symgrad.compiler.sparse.pattern import patterns
from symgrad.compiler.sparse.products import seeds
from symgrad.compiler.sparse.sets import Sets
from symgrad.compiler.sparse.sweeps import Sweeps, for_hessian, for_jacobian
from symgrad.compiler.tiers import Tiered
from symgrad.core.node import tensor_node
from symgrad.engine.program import Program, recorded
from symgrad.engine.record import as_tensor
from symgrad.implicit import products, programs
from symgrad.ops.shapes.join import Cat
from symgrad.solvers.quadratic import is_polynomial
from symgrad.support.collector import collector_paused
from symgrad.support.extras import required
from symgrad.support.lazy import cached_property
from symgrad.transforms.tracing import Trace, spec_of

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


class Derived(NamedTuple):
    """What is derived of a body (x, *θ) ↦ (f, g) in x.

    Attributes:
        jacobian: where ∂g/∂x can differ from zero.
        hessian: where the lower triangle of ∂²(σ f + λᵀ g)/∂x² can differ from zero.
        kernels: what is computed at once: "values" (x, *θ) ↦ f, g; "slopes" (x, *θ) ↦ ∇f and the entries of ∂g/∂x;
            "hessian" (x, *θ, σ, λ) ↦ those of the Hessian's lower triangle.
    """

    jacobian: Pattern
    hessian: Pattern
    kernels: dict[str, Program]


@collector_paused()
def derived(body: Program) -> Derived:
    """Trace all derivatives at once, in one graph with the body."""
    many, known = len(body.arguments), dict[str, Pattern]()

    def rule(*given: Any) -> dict[str, list[Any]]:
        x, (f, g) = given[0], map(as_tensor, body(*given[:many]))
        gradient, slope = (
            programs.fitted(products.pulled(ys, weights, x), body.arguments[0])
            for ys, weights in (([f], [as_tensor(1.0)]), ([f, g], given[many:]))
        )
        both = recorded([tensor_node(t) for t in given], [tensor_node(t) for t in (g, slope)])
        rows, curved = patterns(both, 0)
        known["jacobian"], entries = _jacobian(rows, x, g)
        known["hessian"], lower = _hessian(curved.symmetric(), x, slope)
        return {"slopes": [gradient, *entries], "hessian": lower}

    with Trace() as trace:
        variables = trace.variables([*body.arguments, *body.results])
        roots = trace.run(rule, variables, "nlp: derivatives are traced once.")
        own = {"slopes": variables[:many], "hessian": variables}
        made = {
            name: programs.closed(*trace.program(own[name], [as_tensor(t) for t in results]))
            for name, results in roots.items() if results
        }  # fmt: skip
    return Derived(known["jacobian"], known["hessian"], {"values": body, **made})


def _jacobian(sets: Sets, x: Any, g: Any) -> tuple[Pattern, list[Any]]:
    """Return the pattern of ∂g/∂x, and its entries where there are some."""
    return Pattern.of(sets), [_entries(g, x, for_jacobian(sets, 1.0, 1.0))] if len(sets.members) else []


def _hessian(sets: Sets, x: Any, slope: Any) -> tuple[Pattern, list[Any]]:
    """Return the pattern of the slope's derivative below the diagonal, and its entries where there are some."""
    lower = sets.owners >= sets.members
    if not lower.any():
        return Pattern.of(sets, lower), []
    sweeps = for_hessian(sets)
    return Pattern.of(sets, lower), [_entries(slope, x, sweeps._replace(take=sweeps.take[lower]))]


def _entries(y: Any, x: Any, sweeps: Sweeps) -> Any:
    """Return the entries of ∂y/∂x, out of products with vectors."""
    parts = []
    for product, colours, like in ((products.pushed_rows, sweeps.columns, x), (products.pulled_rows, sweeps.rows, y)):
        vectors = seeds(colours, spec_of(like))
        if len(vectors):
            parts.append(F.ravel(product(y, x, as_tensor(vectors))))
    return (parts[0] if len(parts) == 1 else Cat(0)(*parts))[sweeps.take]


class Derivatives:
    """The functions of one program (x, *θ) ↦ (f, g), compiled when they are first called.

    Attributes:
        body: the program.
        size, held: how many numbers x and g have.
        calls: for each of "values", "slopes" and "hessian" how often it was computed, and the seconds that it took.
    """

    def __init__(self, body: Program, backend: str) -> None:
        self.body, self.backend = body, backend
        (self.size,), (self.held,) = body.arguments[0].shape, body.results[1].shape
        self.calls: dict[str, tuple[int, float]] = {}
        self._kernels: dict[str, Tiered] = {}
        self._latest: dict[str, tuple[Any, tuple[Any, ...], Any]] = {}  # point, θ and results of the last call

    @cached_property
    def _derived(self) -> Derived:
        return derived(self.body)

    @property
    def jacobian_pattern(self) -> Pattern:
        """Where ∂g/∂x can differ from zero."""
        return self._derived.jacobian

    @property
    def hessian_pattern(self) -> Pattern:
        """Where the lower triangle of ∂²(σ f + λᵀ g)/∂x² can differ from zero."""
        return self._derived.hessian

    @cached_property
    def programs(self) -> dict[str, Program]:
        """(x, *θ) ↦ f, ∇f, g and the entries of ∂g/∂x; (x, *θ, σ, λ) ↦ those of the Hessian's lower triangle."""
        own, names = self._derived.kernels, {"values": ("objective", "constraints"), "slopes": ("gradient", "jacobian")}
        parts = [(n, own[k], place) for k in own for n, place in zip(names.get(k, (k,)), own[k].outputs, strict=False)]
        return {name: program.returning([place]) for name, program, place in parts}

    # -------------------------------------------------------------- numbers
    def objective(self, z: Any, thetas: tuple[Any, ...]) -> float:
        """Return the objective f at a point."""
        return float(self._at("values", z, thetas)[0])

    def gradient(self, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the gradient ∇f at a point."""
        return self._at("slopes", z, thetas)[0].copy()

    def constraints(self, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the constraints g at a point."""
        return self._at("values", z, thetas)[1].copy() if self.held else np.zeros(0)

    def jacobian(self, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the entries of ∂g/∂x."""
        return self._at("slopes", z, thetas)[1] if len(self.jacobian_pattern.rows) else np.zeros(0)

    def hessian(self, z: Any, scale: float, multipliers: Any, thetas: tuple[Any, ...]) -> Any:
        """Return the entries of the lower triangle of the Hessian of σ f + λᵀ g."""
        if not len(self.hessian_pattern.rows):
            return np.zeros(0)
        return self._called("hessian", z, *thetas, float(scale), np.array(multipliers))[0]

    def _at(self, name: str, z: Any, thetas: tuple[Any, ...]) -> Any:
        """Return what is computed at a point, once for all that is asked of it there."""
        latest = self._latest.get(name)
        if latest is None or latest[1] is not thetas or not np.array_equal(latest[0], z):
            latest = self._latest[name] = z, thetas, self._called(name, z, *thetas)
        return latest[2]

    def _called(self, name: str, *args: Any) -> Any:
        if name not in self._kernels:
            self._kernels[name] = Tiered(self._derived.kernels[name], self.backend)
        kernel, start = self._kernels[name], time.perf_counter()
        value = kernel(*args)
        count, spent = self.calls.get(name, (0, 0.0))
        self.calls[name] = count + 1, spent + time.perf_counter() - start
        return value

    # -------------------------------------------------------------- what kind of problem this is
    @cached_property
    def is_linear(self) -> bool:
        """Whether g is linear in x, whatever θ is."""
        return is_polynomial(self.programs["constraints"]) and not self._reads("jacobian")

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether f is quadratic and g linear in x, whatever θ is."""
        return self.is_linear and is_polynomial(self.programs["objective"]) and not self._reads("hessian")

    def _reads(self, name: str) -> bool:
        """Whether the entries of a derivative depend on x."""
        return name in self.programs and programs.is_read(self.programs[name], 0)
