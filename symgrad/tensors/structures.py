"""Structures of square matrices that a symbol can be declared with: one table, which formulas, checks and errors read.

A gradient G with respect to a structured matrix is that of a general matrix. ``project`` gives the part of it along
which such a matrix can change; ``free`` the derivatives with respect to the entries that can be chosen freely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["STRUCTURES", "Structure", "conforming", "structure_of", "with_implied"]


class Structure(NamedTuple):
    """What is known of a kind of matrix.

    Attributes:
        project: G and the matrix A to the orthogonal projection of G onto the tangent space at A.
        free: G to the derivatives with respect to the free entries, where they stand; None where no entry is free.
        make: any square array to an array of this kind.
        implies: what else is assumed.
    """

    project: Callable[[Any, Any], Any]
    free: Callable[[Any], Any] | None
    make: Callable[[Any], Any]
    implies: frozenset[str] = frozenset()


def _diagonal(g: Any) -> Any:
    return np.diag(np.diag(g))


def _symmetric(g: Any, _: Any = None) -> Any:
    return (g + g.T) / 2


def _skew(g: Any, _: Any = None) -> Any:
    return (g - g.T) / 2


def _of_free_entries(g: Any) -> Any:
    # s_ij = s_ji is one number: ∂y/∂s_ij is g_ij + g_ji, on the diagonal g_ii. Petersen and Pedersen 2012, §2.8.2.
    return g + g.T - _diagonal(g)


def _along_rotations(g: Any, q: Any) -> Any:
    # the tangent space at Q is {Q K: K skew}. Edelman, Arias and Smith 1998, §2.2.1.
    return g - q @ _symmetric(q.T @ g)


STRUCTURES = {  # the stronger ones first
    "diagonal": Structure(lambda g, _: _diagonal(g), _diagonal, _diagonal, frozenset({"symmetric", "lower", "upper"})),
    "orthogonal": Structure(_along_rotations, None, lambda x: np.linalg.qr(x)[0]),
    "skew": Structure(_skew, lambda g: g - g.T, _skew),
    "lower": Structure(lambda g, _: np.tril(g), np.tril, np.tril),
    "upper": Structure(lambda g, _: np.triu(g), np.triu, np.triu),
    "positive_definite": Structure(
        _symmetric, _of_free_entries, lambda x: x @ x.T / 4 + np.eye(len(x)), frozenset({"symmetric"})
    ),
    "symmetric": Structure(_symmetric, _of_free_entries, _symmetric),
}


def structure_of(marks: Iterable[str]) -> Structure | None:
    """Return the structure among assumptions: the one that implies the others."""
    known = set(marks)
    return next((structure for name, structure in STRUCTURES.items() if name in known), None)


def with_implied(marks: Iterable[str]) -> frozenset[str]:
    """Return assumptions with what they imply.

    >>> sorted(with_implied(["diagonal"]))
    ['diagonal', 'lower', 'symmetric', 'upper']
    """
    given = frozenset(marks)
    return given.union(*[STRUCTURES[name].implies for name in given & set(STRUCTURES)])


def conforming(x: Any, marks: Iterable[str]) -> Any:
    """Return a square array of numbers changed into one with the structure among assumptions."""
    structure = structure_of(marks)
    return x if structure is None else structure.make(x)
