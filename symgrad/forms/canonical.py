"""The canonical term of a closed form: its graph lowered, leaves read, a Jacobian's basis taken apart.

Imports canon and names.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import sympy as sp

from symgrad.forms import names
from symgrad.forms.canon import Pool, Term, lowered
from symgrad.forms.canon.jacobian import NotLinear, coefficients
from symgrad.forms.canon.terms import SUM
from symgrad.graph import AnyNode, Leaf
from symgrad.ops.map import exact


class Canonical:
    """The terms of one closed form.

    Attributes:
        pool: where they live.
        root: the derivative's term; for a Jacobian, of the output's and the input's axes.
        basis: the leaf that the root is linear in where the coefficients could not be taken out, else None.
    """

    def __init__(self, root: AnyNode, forward: Sequence[AnyNode], inner: set[int], basis: Leaf | None) -> None:
        self.pool, self._inner = Pool(), inner
        own = lowered(self.pool, forward, self._leaf)
        self.pool.written = {t for t in own.values() if t.kind == SUM}
        found = lowered(self.pool, [*forward, root], self._leaf)
        self.root: Term = found[root]
        self.basis = basis
        if basis is not None:
            leaf = found.get(basis, self._leaf(self.pool, basis))
            with suppress(NotLinear):
                self.root, self.basis = coefficients(self.pool, self.root, leaf), None

    def _leaf(self, pool: Pool, leaf: Leaf) -> Term:
        if isinstance(leaf.value, sp.Expr):
            return pool.constant(leaf.value, leaf.shape)
        if names.is_number(leaf):
            return pool.constant(exact(leaf.value))
        if id(leaf) in self._inner and names.same_everywhere(leaf):
            return pool.constant(exact(np.asarray(leaf.value).flat[0]), leaf.shape)
        if names.is_identity(leaf) and (id(leaf) in self._inner or names.is_known(leaf)):
            return pool.eye(leaf.shape[0])
        return pool.leaf(id(leaf), leaf.shape, leaf.assumptions)
