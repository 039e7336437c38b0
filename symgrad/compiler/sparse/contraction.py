"""What the entries of a contraction depend on: its operands' entries, unless a factor is zero."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.sparse.entries import Entries, joined
from symgrad.core.node import Shape
from symgrad.ops.contract import Einsum

_MOST = 20_000_000  # products that are examined one by one


def contraction(op: Einsum, args: Sequence[Entries], to: Shape) -> Entries:
    """Return the entries of the result, which has the shape ``to``."""
    sizes = op.sizes([a.shape for a in args])
    terms = _products(op, args, sizes)
    if terms is None:
        wide = [_summed(op, a, term, sizes, to) for a, term in zip(args, op.terms, strict=True) if a.joint is not None]
        each = np.arange(prod(to))
        return Entries(to, joined(to, [(w, each, each) for w in wide]))
    out, which = _flat(terms, op.output, sizes), [_flat(terms, t, sizes) for t in op.terms]
    zero = np.ones(prod(to), bool)
    zero[out] = False
    sets = joined(to, [(a, out, w) for a, w in zip(args, which, strict=True)])
    return Entries(to, sets, zero.reshape(to) if zero.any() else None, np.zeros(to) if zero.any() else 0.0)


def _summed(op: Einsum, a: Entries, term: str, sizes: dict[str, int], to: Shape) -> Entries:
    """The result's entries as they depend on one operand, the others having no zeros: union, then repeat."""
    letters = "".join(dict.fromkeys(term))
    shared = [c for c in op.output if c in letters]
    gone = [c for c in letters if c not in shared]
    which = np.einsum(f"{term}->{''.join(shared + gone)}", a.places)
    short = tuple(sizes[c] for c in shared)
    first = np.repeat(np.arange(prod(short)), prod(sizes[c] for c in gone))
    union = Entries(short, joined(short, [(a, first, which.ravel())]))
    wide = union.places.reshape([sizes[c] if c in shared else 1 for c in op.output])
    return Entries(to, joined(to, [(union, np.arange(prod(to)), np.broadcast_to(wide, to).ravel())]))


# ------------------------------------------------------------------ operands with zeros
def _products(op: Einsum, args: Sequence[Entries], sizes: dict[str, int]) -> dict[str, Any] | None:
    """Return the indices, by letter, of the products without a factor that is zero.

    None where no operand has zeros, or where there are too many products.
    """
    nonzero = [(~a.zero, t) for a, t in zip(args, op.terms, strict=True) if t and a.zero is not None]
    if not nonzero:
        return None
    counts = [np.count_nonzero(z) * prod(n for c, n in sizes.items() if c not in t) for z, t in nonzero]
    best = int(np.argmin(counts))
    if counts[best] > _MOST:
        return None
    nonzero.insert(0, nonzero.pop(best))
    indices = _coordinates(*nonzero[0])
    for c, n in sizes.items():
        if c not in indices:
            count = len(next(iter(indices.values())))
            indices = {**{d: np.repeat(at, n) for d, at in indices.items()}, c: np.tile(np.arange(n), count)}
    for z, t in nonzero[1:]:
        indices = _kept(indices, z[tuple(indices[c] for c in t)])
    return indices


def _coordinates(nonzero: Any, term: str) -> dict[str, Any]:
    """Return the indices, by letter, of an operand's entries that are not zero; on the diagonal for a letter twice."""
    at = np.nonzero(nonzero)
    indices = dict(zip(term, at, strict=True))
    for c, where in zip(term, at, strict=True):
        if indices[c] is not where:
            return _kept(indices, np.all([indices[d] == w for d, w in zip(term, at, strict=True)], axis=0))
    return indices


def _kept(indices: dict[str, Any], keep: Any) -> dict[str, Any]:
    return {c: at[keep] for c, at in indices.items()}


def _flat(at: dict[str, Any], term: str, sizes: dict[str, int]) -> Any:
    """Return the numbers of an operand's entries."""
    count = len(next(iter(at.values()))) if at else 1
    numbers = np.zeros(count, np.int64)
    for c in term:
        numbers = numbers * sizes[c] + at[c]
    return numbers
