"""Systems whose matrices turn out to be triangular, by substitution in blocks: products of matrices do the work.

LAPACK's elimination is substitution for an upper triangle, of which it exchanges no rows. Of a lower triangle it does,
which loses digits of the first unknowns; such a block is solved as the upper triangle that it is from the last row on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

BLOCK = 64  # rows up to which LAPACK's elimination is as fast


def solved(a: Any, b: Any) -> Any:
    """Return x with A x = b, b of columns, for stacks of matrices; LinAlgError where A is singular."""
    if a.size and is_lower(a):
        return _by_lower(a, b)
    if a.shape[-1] > BLOCK and a.size and is_upper(a):
        return _by_upper(a, b)
    return np.linalg.solve(a, b)


def is_lower(a: Any) -> bool:
    """Whether there is nothing above the diagonal."""
    corner = a[0, -1] if a.ndim == 2 else a[..., 0, -1].any()
    return not corner and not np.triu(a, 1).any()


def is_upper(a: Any) -> bool:
    """Whether there is nothing below the diagonal."""
    return not a[..., -1, 0].any() and not np.tril(a, -1).any()


def _by_lower(a: Any, b: Any) -> Any:
    """Solve for the first half of the rows, and take it off the second."""
    n = a.shape[-1]
    if n <= BLOCK:
        return np.linalg.solve(a[..., ::-1, ::-1], b[..., ::-1, :])[..., ::-1, :].copy()
    half = n // 2
    first = _by_lower(a[..., :half, :half], b[..., :half, :])
    rest = b[..., half:, :] - a[..., half:, :half] @ first
    return np.concatenate([first, _by_lower(a[..., half:, half:], rest)], -2)


def _by_upper(a: Any, b: Any) -> Any:
    """Solve for the second half of the rows, and take it off the first."""
    n = a.shape[-1]
    if n <= BLOCK:
        return np.linalg.solve(a, b)
    half = n // 2
    last = _by_upper(a[..., half:, half:], b[..., half:, :])
    rest = b[..., :half, :] - a[..., :half, half:] @ last
    return np.concatenate([_by_upper(a[..., :half, :half], rest), last], -2)
