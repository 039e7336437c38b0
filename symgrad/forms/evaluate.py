"""The number that an index form stands for: entries, sums and functions on NumPy arrays.

A witness of its own: it reads the printed expression, not the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits

from symgrad.core.kernels import array_kernel
from symgrad.forms.nodes.complexes import WORDS
from symgrad.forms.nodes.entries import Entry
from symgrad.scalars import X
from symgrad.scalars.quotients import stepwise

Env = dict[Any, Any]


def evaluate(e: sp.Expr, free: Sequence[sp.Symbol], shape: Sequence[int], arrays: dict[str, Any]) -> Any:
    """Return the array of the index form's entries.

    Args:
        e: expression of Indexed, Sum, KroneckerDelta, Piecewise and declared functions.
        free: the free indices, one per axis of the result.
        shape: the result's shape.
        arrays: value of each named array and each symbolic size.
    """
    if 0 in shape:
        return np.zeros(tuple(shape))
    env: Env = {}
    for axis, (k, n) in enumerate(zip(free, shape, strict=True)):
        env[k.name] = np.arange(n).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    with np.errstate(all="ignore"):
        return np.broadcast_to(_Evaluation(arrays).value(stepwise(e), env), tuple(shape))


class _Evaluation:
    """One evaluation. Every bound index becomes one more trailing axis."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self.arrays = arrays

    def value(self, e: Any, env: Env) -> Any:
        if e.is_Symbol:
            return env[e.name] if e.name in env else self.arrays[e.name]
        if e.is_number and not e.args:
            return np.nan if e is sp.zoo else 1j if e is sp.I else float(e)
        if isinstance(e, ExprWithLimits):
            return self._over_limits(e, env)
        if isinstance(e, sp.Indexed):
            return self._entry(np.asarray(self.arrays[str(e.base.label)]), e.indices, env)
        if isinstance(e, Entry):
            return self._entry_of(e, env)
        if isinstance(e, sp.KroneckerDelta):
            return np.equal(*[self.value(a, env) for a in e.args]) * 1.0
        if isinstance(e, sp.Piecewise):
            return self._piecewise(e, env)
        return self._function(e, [self.value(a, env) for a in e.args])

    def _over_limits(self, e: Any, env: Env) -> Any:
        """Sum or multiply over bound indices; where a limit depends on another index, a mask cuts."""
        count = len(e.limits)
        inner = {k: np.asarray(v)[(..., *(None,) * count)] for k, v in env.items()}
        inside: Any = True
        for axis, (k, lo, hi) in enumerate(e.limits):
            first, last = np.asarray(self.value(lo, inner)), np.asarray(self.value(hi, inner))
            if not first.size or not last.size:
                return np.zeros(np.broadcast_shapes(first.shape, last.shape)[:-count])
            at = np.arange(int(first.min()), int(last.max()) + 1)
            inner[k.name] = at.reshape([-1 if a == axis else 1 for a in range(count)])
            inside = inside & (inner[k.name] >= first) & (inner[k.name] <= last)
        is_sum = isinstance(e, sp.Sum)
        body = np.where(inside, self.value(e.function, inner), 0.0 if is_sum else 1.0)
        return (np.sum if is_sum else np.prod)(body, axis=tuple(range(-count, 0)))

    def _entry(self, array: Any, indices: Sequence[Any], env: Env) -> Any:
        if not indices:
            return array
        places = [np.asarray(self.value(k, env)).astype(int) for k in indices]
        # A branch that is not taken may point outside.
        return array[tuple(np.clip(p, 0, n - 1) for p, n in zip(places, array.shape, strict=True))]

    def _entry_of(self, e: Any, env: Env) -> Any:
        """Compute the whole array once, or for each value of the outer indices that its arguments mention."""
        parts = list(zip(e.args[1], e.args[3], strict=True))
        outer = {s.name for w, _ in parts for s in w.free_symbols if s.name in env}
        if not outer:
            return self._entry(np.asarray(e.op(*[self._whole(*p, env) for p in parts])), e.indices, env)
        values = dict(zip(outer, np.broadcast_arrays(*[env[k] for k in outer]), strict=True))
        shape = next(iter(values.values())).shape
        wholes = []
        for at in np.ndindex(shape):
            here = {k: v[at] for k, v in values.items()}
            wholes.append(e.op(*[self._whole(*p, here) for p in parts]))
        table = np.stack(wholes).reshape(*shape, *np.shape(wholes[0]))
        places = [np.asarray(self.value(k, env)).astype(int) for k in e.indices]
        sizes = table.shape[len(shape) :]
        inside = [np.clip(p, 0, n - 1) for p, n in zip(places, sizes, strict=True)]
        return table[(*np.indices(shape, sparse=True), *inside)]

    def _whole(self, w: Any, sizes: Any, env: Env) -> Any:
        if not isinstance(w, sp.Lambda):
            return self.value(w, env)
        shape = tuple(int(self.value(n, env)) for n in sizes)
        inner = dict(env)
        for axis, (k, n) in enumerate(zip(w.variables, shape, strict=True)):
            inner[k.name] = np.arange(n).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        return np.array(np.broadcast_to(self.value(w.expr, inner), shape))

    def _piecewise(self, e: sp.Piecewise, env: Env) -> Any:
        *head, (last, _) = e.args
        array = self.value(last, env)
        for value, condition in reversed(head):
            array = np.where(self.condition(condition, env), self.value(value, env), array)
        return array

    def condition(self, c: Any, env: Env) -> Any:
        """Return the truth of a condition, entry by entry."""
        if c in (sp.true, sp.false):
            return bool(c)
        if isinstance(c, (sp.And, sp.Or)):
            parts = [self.condition(a, env) for a in c.args]
            reduce = np.logical_and if isinstance(c, sp.And) else np.logical_or
            truth = parts[0]
            for p in parts[1:]:
                truth = reduce(truth, p)
            return truth
        if isinstance(c, sp.Not):
            return np.logical_not(self.condition(c.args[0], env))
        return self._function(c, [self.value(a, env) for a in c.args])

    def _function(self, e: Any, values: Sequence[Any]) -> Any:
        """Apply one node's own function through its kernel."""
        if e.is_Add or e.is_Mul:
            value = values[0]
            for v in values[1:]:
                value = value + v if e.is_Add else value * v
            return value
        if isinstance(e, (sp.Mod, sp.floor)):
            return np.mod(*values) if isinstance(e, sp.Mod) else np.floor(values[0] + 1e-9)  # k/3 of integers
        if e.func in WORDS:
            return getattr(np, WORDS[e.func].numpy.removeprefix("numpy."))(values[0])
        slots = X[: len(values)]
        return array_kernel(e.func(*slots), slots)(*map(np.asarray, values))
