"""Arrays to try a solution with: every line of differentials must give the number that a small step gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Leaf
from symgrad.forms.evaluate_matrix import evaluate_matrix
from symgrad.teach.matrix.symbols import shape_of
from symgrad.tensors.structures import conforming, structure_of

_SIZES = (3, 4, 5, 6, 7)
STEP = 1e-6


class Trial:
    """Values for the leaves, their steps, and what follows from them.

    Args:
        leaves: each leaf with its name.
        active: the names that change.
        general: whether matrices with a structure are varied in all entries.
    """

    def __init__(self, leaves: Mapping[str, Leaf], active: set[str], seed: int, *, general: bool = False) -> None:
        self._draw = np.random.default_rng(seed)
        sizes = {s for leaf in leaves.values() for n in leaf.shape if not isinstance(n, int) for s in n.free_symbols}
        counts = _SIZES if seed % 2 else _SIZES[::-1]  # a matrix that has an inverse may not be wide, or not high
        self._counts = {s: counts[k % len(counts)] for k, s in enumerate(sorted(sizes, key=str))}
        self.sizes = {s.name: n for s, n in self._counts.items()}
        self.values: dict[str, Any] = {name: self._value(leaf) for name, leaf in leaves.items()}
        steps = {name: self._step(leaves[name], self.values[name], general) for name in leaves if name in active}
        self.values.update({f"d{name}": d for name, d in steps.items()})
        self._near = [
            {name: v + h * steps[name] if name in steps else v for name, v in self.values.items()}
            for h in (STEP, -STEP)
        ]

    def shape(self, shape: Sequence[Any]) -> tuple[int, ...]:
        """Return sizes as numbers."""
        return tuple(n if isinstance(n, int) else int(n.subs(self._counts)) for n in shape)

    def _value(self, leaf: Leaf) -> Any:
        if isinstance(leaf.value, sp.Expr):  # a size
            return np.asarray(self.shape([leaf.value])[0], dtype=np.float64)
        if leaf.value is not None and leaf.title is None:
            return np.asarray(leaf.value, dtype=np.float64)
        shape, marks = self.shape(leaf.shape), set(getattr(leaf, "assumptions", ()))
        value = self._draw.uniform(0.3, 1.2, shape) * self._draw.choice([1.0, 1.0, 0.1, 4.0])
        if len(shape) == 2 and shape[0] == shape[1]:
            value = conforming(value + 3 * np.eye(shape[0]), marks)
        if {"simplex", "onehot"} & marks and shape:
            value = value / value.sum(-1, keepdims=True)
        if "onehot" in marks and shape:
            value = np.eye(shape[-1])[self._draw.integers(0, shape[-1], shape[:-1])]
        return value

    def _step(self, leaf: Leaf, value: Any, general: bool) -> Any:
        d = self._draw.standard_normal(self.shape(leaf.shape))
        structure = None if general else structure_of(getattr(leaf, "assumptions", ()))
        return d if structure is None else structure.project(d, value)

    def number(self, e: Any, values: Mapping[str, Any] | None = None) -> Any:
        """Return what an expression stands for."""
        arrays = {**self.sizes, **(self.values if values is None else values)}
        return evaluate_matrix(e, self.shape(shape_of(e)), arrays)

    def define(self, name: str, e: Any) -> None:
        """Give a name to an expression's value, here and a step beside."""
        for values in (self.values, *self._near):
            values[name] = self.number(e, values)
        if not np.all(np.isfinite(self.values[name])):
            raise FloatingPointError(name)

    def slope(self, e: Any) -> Any:
        """Return the change of an expression's value for a step."""
        above, below = (self.number(e, values) for values in self._near)
        return (above - below) / (2 * STEP)

    def equal(self, a: Any, b: Any) -> bool:
        """Whether two expressions have the same numbers."""
        one, other = self.number(a), self.number(b)
        return bool(np.allclose(one, other, rtol=1e-6, atol=1e-8 * (1 + np.max(np.abs(other), initial=0.0))))

    def agrees(self, d: Any, wanted: Any) -> bool:
        """Whether a line of differentials has this value."""
        value = self.number(d)
        if not (np.all(np.isfinite(value)) and np.all(np.isfinite(wanted))):
            return False
        size = 1 + np.max(np.abs(wanted), initial=0.0)
        return bool(np.allclose(value, wanted, rtol=1e-4, atol=1e-4 * size))
