"""Which products with a Jacobian or Hessian are computed, and where in them each entry is found."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.sparse.colouring import alone, bound, column_colours, count, star_colours
from symgrad.compiler.sparse.sets import Ints, Sets

_TRIED = 4  # ways to share the rows between the modes that are coloured
_SHARES = 24  # ways that are estimated


class Sweeps(NamedTuple):
    """The colours of columns (forward mode) and of rows (reverse mode), -1 for none.

    ``take`` says where each entry is in the products J·s, one for each colour of columns, followed by the products
    Jᵀ·s, one for each colour of rows, all of them in one vector.
    """

    columns: Ints
    rows: Ints
    take: Ints

    @property
    def products(self) -> int:
        """The number of products."""
        return count(self.columns) + count(self.rows)


def for_jacobian(pattern: Sets, forward: float, reverse: float) -> Sweeps:
    """Return the cheapest sweeps found, where a sweep costs ``forward`` or ``reverse``.

    Rows with many entries force many colours on the columns, so the fullest rows, or all, may go to reverse mode.
    """
    lengths = pattern.lengths
    limits = np.flatnonzero(np.bincount(np.append(lengths, 0)))  # np.unique would import numpy.ma
    if len(limits) > _SHARES:
        limits = limits[np.linspace(0, len(limits) - 1, _SHARES).astype(int)]
    estimates = [(forward * limit + reverse * _fullest(pattern, lengths > limit), int(limit)) for limit in limits]
    best, least = None, np.inf
    for estimate, limit in sorted(estimates)[:_TRIED]:
        if estimate >= least:
            break
        sweeps = _shared(pattern, lengths > limit)
        cost = forward * count(sweeps.columns) + reverse * count(sweeps.rows)
        best, least = (sweeps, cost) if cost < least else (best, least)
    assert best is not None
    return best


def _fullest(pattern: Sets, chosen: Any) -> int:
    """The most entries that a column has in the chosen rows."""
    return int(np.bincount(pattern.only(chosen).members, minlength=1).max(initial=0))


def _shared(pattern: Sets, backward: Any) -> Sweeps:
    """Colour the columns, without the rows that go backward, and these rows."""
    columns = column_colours(pattern.only(~backward))
    rows = column_colours(pattern.only(backward).transposed())
    r, c = pattern.owners, pattern.members
    ahead = columns[c] * pattern.size + r
    back = count(columns) * pattern.size + rows[r] * pattern.below + c
    return Sweeps(columns, rows, np.where(backward[r], back, ahead))


def for_hessian(pattern: Sets) -> Sweeps:
    """Return sweeps for a symmetric pattern: an entry may be read from its mirror image, the same for both."""
    colours = star_colours(pattern)
    if bound(pattern) < count(colours):
        colours = min(column_colours(pattern), colours, key=count)
    r, c = pattern.owners, pattern.members
    own, single = colours[c] * pattern.size + r, alone(pattern, colours)
    mirror = np.argsort(c * pattern.size + r, kind="stable")
    above = np.where(single, own, own[mirror])
    take = np.where(r <= c, above, above[mirror])
    return Sweeps(colours, np.full(pattern.size, -1), take)
