"""The canonical term of a closed form: its graph lowered, leaves read, the bases of its Jacobians taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.modes import complexes
from symgrad.core.node import AnyNode, Leaf, ancestors, is_outside
from symgrad.core.promotion import is_complex
from symgrad.engine.dtypes import dtype_of
from symgrad.forms import names
from symgrad.forms.canon import Term, TermPool, lowered
from symgrad.forms.canon.jacobian import NotLinear, coefficients
from symgrad.forms.canon.lower import LeafReading
from symgrad.forms.canon.numbers import number
from symgrad.forms.canon.terms import SUM

SMALL = 150  # operations of numbers that are shortened at the end rather than on the way


class Canonical:
    """The terms of one closed form.

    Attributes:
        pool: where they live.
        root: the derivative's term; for a Jacobian, of the output's and the input's axes.
        bases: the leaves that the root is linear in of which the coefficients could not be taken out.
    """

    def __init__(self, root: AnyNode, forward: Sequence[AnyNode], leaf: LeafReading, bases: Sequence[Leaf]) -> None:
        self.pool = TermPool(bases)
        self.pool.light = _is_of_numbers([root, *forward])
        own = lowered(self.pool, forward, leaf)
        self.pool.written = {t for t in own.values() if t.kind == SUM}
        terms = lowered(self.pool, [root], leaf, known=own)
        self.root: Term = terms[root]
        self.bases = list(bases)
        with suppress(NotLinear):
            while self.bases:
                unit = terms.get(self.bases[-1], leaf(self.pool, self.bases[-1]))
                self.root = coefficients(self.pool, self.root, unit)
                self.bases.pop()


def _is_of_numbers(roots: Sequence[AnyNode]) -> bool:
    """Whether a graph computes with numbers only, and is small enough for its formula to be shortened as a whole."""
    nodes = ancestors(list(roots))
    return len(nodes) <= SMALL and all(n.shape == () for n in nodes)


def _is_symmetric(value: Any) -> bool:
    """Whether the entries of a matrix say that it is its own transpose."""
    a = np.asarray(value)
    return a.ndim == 2 and a.shape[0] == a.shape[1] > 1 and a.dtype != object and np.array_equal(a, a.T)


def leaf_reading(inner: set[int]) -> LeafReading:
    """Return how leaves become terms: numbers and identities as what they are, all else by name.

    ``inner`` has the ids of leaves that the derivative's rules brought in.
    """

    def read(pool: TermPool, leaf: Leaf) -> Term:
        if isinstance(leaf.value, sp.Expr):
            return pool.constant(leaf.value, leaf.shape)
        if names.is_number(leaf):
            return pool.constant(number(leaf.value))
        if id(leaf) in inner and names.same_everywhere(leaf):
            return pool.constant(number(np.asarray(leaf.value).flat[0]), leaf.shape)
        if names.is_identity(leaf) and (id(leaf) in inner or names.is_known(leaf)):
            return pool.eye(leaf.shape[0])
        kinds = {"complex"} if complexes.met and is_complex(dtype_of(leaf)) else set()
        known = kinds | {"symmetric"} if is_outside(leaf) and _is_symmetric(leaf.value) else kinds
        return pool.leaf(id(leaf), leaf.shape, leaf.assumptions | known)

    return read
