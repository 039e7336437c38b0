"""The sum or mean of an elementwise function over all entries, as one operation: what losses are.

Fusing the two saves the array between them and two nodes a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import canonical
from symgrad.core.node import Shape
from symgrad.core.promotion import Kind, accumulated, floating, is_discrete
from symgrad.ops.contract import sum_axes
from symgrad.ops.map import DIV, MUL, Map, clip, emap, substitute
from symgrad.ops.protocol import Op, Plan, shape
from symgrad.ops.shape import padded, total
from symgrad.scalars import G, X, differentiate, scale
from symgrad.support.lazy import cached_property


class MapTotal(Op):
    """Σ f(x0, x1, …) over all entries, divided by their number for a mean. One object per f: ``MapTotal.of``."""

    saves = "x"
    fuses = True

    def __init__(self, map_: Map, mean: bool, name: str) -> None:
        self.map, self.mean, self.name = map_, mean, name  # type: ignore[misc]
        self.plans: dict[Any, Plan] = {}

    @staticmethod
    @lru_cache(maxsize=256)
    def of(map_: Map, mean: bool, name: str) -> MapTotal:
        """Return the operation, built once."""
        return MapTotal(map_, mean, name)

    def __reduce__(self) -> Any:
        return MapTotal.of, (self.map, self.mean, self.name)

    def __repr__(self) -> str:
        return f"MapTotal({self.map.payload}, mean={self.mean})"

    def forward(self, *xs: Any) -> Any:
        """Compute the terms and add them up."""
        terms = self.map.forward(*xs)
        if type(terms) is float:
            return terms
        if self.mean and not terms.size:
            return canonical(np.full((), np.nan, terms.dtype))
        if terms.dtype == np.float16:  # the sum may overflow where the mean does not
            added = np.add.reduce(terms, axis=None, dtype=np.float32)
            return canonical((added / terms.size if self.mean else added).astype(np.float16))
        wide = np.float64 if self.mean and is_discrete(terms.dtype) else None  # as of NumPy's mean: no sum that wraps
        added = np.add.reduce(terms, axis=None, dtype=wide)
        if type(added) is np.float64:
            return float(added) / terms.size if self.mean else float(added)
        return canonical(added / terms.size if self.mean else added)

    def on_symbols(self, *xs: Any) -> Any:
        terms = np.asarray(self.map(*xs), dtype=object)
        added = sp.Add(*terms.flat)
        return np.asarray(added / terms.size if self.mean else added, dtype=object)

    def out_shape(self, *shapes: Shape) -> Shape:
        self.map.out_shape(*shapes)
        return ()

    @property
    def explained(self) -> str:
        """Explain the chain rule, and the sum."""
        kind = "mean" if self.mean else "sum"
        return f"{kind} of a function of each entry: chain rule in every entry{', divided by their number' * self.mean}"

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        terms = self.map.dtype(*kinds)
        return floating(terms) if self.mean else accumulated(terms)

    def operands(self, *kinds: Kind) -> Sequence[np.dtype[Any] | None]:
        return self.map.operands(*kinds)

    @cached_property
    def partials(self) -> tuple[Map | None, ...]:
        """g ∂f/∂xi as a Map of g, x0, x1, …; without the output, which is not kept."""
        arity = self.map.arity
        derivatives = []
        for i in range(arity):
            payload = scale(G, differentiate(self.map.payload, X[i]))
            rename = {G: X[0], **{X[k]: X[k + 1] for k in range(arity)}}
            derivatives.append(None if payload == 0 else Map.of(payload.xreplace(rename), arity + 1, "Map"))
        return tuple(derivatives)

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        rank = max(len(shape(x)) - f for x, f in zip(xs, flags, strict=True))
        terms = self.map(*[padded(x, rank) if f else x for x, f in zip(xs, flags, strict=True)])
        sizes = shape(terms)
        added = sum_axes(terms, range(1, len(sizes)))
        return DIV(added, total(sizes[1:])) if self.mean else added

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """Keep what the active partials mention."""
        used: set[Any] = set().union(*[p.payload.free_symbols for i in active if (p := self.partials[i])])
        return False, tuple(X[k + 1] in used for k in range(count))

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # Every entry gets g (over n for a mean) times its own slope: g broadcasts inside the Map.
        partial = self.partials[i]
        if partial is None:
            return None
        if self.mean:
            n = total(self.map.out_shape(*map(shape, xs)))
            g = DIV(g, n) if n != 0 else g
        used = partial.payload.free_symbols
        return partial(g, *[x if X[k + 1] in used else 0 for k, x in enumerate(xs)])

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Add up the tangents of the terms."""
        sizes = self.map.out_shape(*map(shape, xs))
        tangent = None
        for t, partial in zip(ts, self.partials, strict=True):
            if t is None or partial is None:
                continue
            used = partial.payload.free_symbols
            rows = partial(t, *[x if X[k + 1] in used else 0 for k, x in enumerate(xs)])
            term = sum_axes(_full(rows, sizes), range(len(sizes)))
            tangent = term if tangent is None else emap(X[0] + X[1], tangent, term)
        return DIV(tangent, total(sizes)) if self.mean and tangent is not None else tangent

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Σ of the terms' entries."""
        sizes = self.map.out_shape(*[p.shape for p in ps])
        at = [sp.S.Zero if n == 1 else ps[0].fresh() for n in sizes]
        env = {x: p(clip(at, p.shape)) for x, p in zip(X, ps, strict=False)}
        body = substitute(self.map.formula, env)
        limits = [(k, 0, n - 1) for k, n in zip(at, sizes, strict=True) if n != 1]
        added = ps[0].sum(body, limits) if limits else body
        return added / total(sizes) if self.mean else added


class TotalPlan(Plan):
    """The plan of a MapTotal: the partials' kernels, called straight."""

    __slots__ = ("ways",)
    op: Any

    def __init__(self, op: MapTotal, active: tuple[int, ...], count: int, label: str | None = None) -> None:
        super().__init__(op, active, count, label)
        used = [p.payload.free_symbols if (p := op.partials[i]) else set() for i in active]
        self.ways = [
            (i, op.partials[i], [X[k + 1] in free for k in range(count)]) for i, free in zip(active, used, strict=True)
        ]

    def pull(self, node: Any, g: Any) -> list[Any]:
        """Return the cotangents of the active inputs, numerically."""
        xs, inputs = node.saved[1:], node.inputs
        if self.op.mean:
            g = g / (self._count(inputs) or 1)
        cotangents: list[Any] = []
        for i, partial, used in self.ways:
            if partial is None:
                cotangents.append(None)
                continue
            d = partial.on_array(g, *[x if u else 0 for x, u in zip(xs, used, strict=True)])
            cotangents.append(d if type(d) is np.ndarray and d.ndim else _full(d, inputs[i].shape))
        return cotangents

    def _count(self, inputs: Sequence[Any]) -> int:
        """The number of terms."""
        sizes = {p.shape for p in inputs if hasattr(p, "shape")}
        return prod(sizes.pop() if len(sizes) == 1 else self.op.map.out_shape(*sizes))


MapTotal.plan_kind = TotalPlan


def _full(x: Any, sizes: Shape) -> Any:
    """Broadcast x to the sizes where it is smaller."""
    return x if shape(x) == sizes else MUL(x, np.ones(sizes))
