"""What would make a wrong answer of matrices right: a transpose put in or left out, (A + Aᵀ)/2 for A, a factor 2.

A slip of matrices is looked for in the answer rather than in the derivation: whichever way the pupil took, if the
answer becomes right when one place of it is transposed, then that transpose was the slip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from symgrad.expression.formula import Attribute, Binary, Formula, Name
from symgrad.teach.answers.rules import Wrong
from symgrad.teach.answers.trees import (
    add,
    names_in,
    number,
    over,
    parts,
    replaced,
    shown,
    times,
)

_TRANSPOSE = "Check what is transposed, at {}: the shapes must fit, and (A @ B).T = B.T @ A.T."
_SYMMETRIC = "{0} need not be symmetric: it counts both as it stands and transposed."
_TOGETHER = "{} and {} need not be symmetric: the product counts as it stands, and with both of them transposed."
_FACTOR = "Check the factor 2 at {}: a square, or a form such as x @ A @ x, brings one, and nothing else does."
_SIGN = "Check the sign of {}."
MOST_PLACES = 24


def repairs(tree: Formula, matrix: Callable[[Formula], Any]) -> Iterator[Wrong]:
    """Yield what the answer becomes with one place repaired; ``matrix`` gives the value of a part that is one."""
    places = list(parts(tree))[:MOST_PLACES]
    for part in places:
        if isinstance(part, Binary) and part.op in ("+", "-"):
            yield from _of_sum(tree, part)
        if isinstance(part, Binary) and part.op == "@":
            swapped = Binary(part.right, "@", part.left)
            yield Wrong(replaced(tree, part, swapped), "transpose", 26, _TRANSPOSE.format(shown(part)))
        value, more = matrix(part), not _is_leaf(part)  # a name is the best place to show
        if value is not None and not _is_symmetric(value):
            yield Wrong(replaced(tree, part, transposed(part)), "transpose", 20 + more, _TRANSPOSE.format(shown(part)))
            for symmetric in (_sum, _mean):
                repaired = replaced(tree, part, symmetric(part))
                yield Wrong(repaired, "symmetric", 16 + more, _SYMMETRIC.format(shown(part)))
    yield from _by_name(tree, [p for p in places if _is_leaf(p) and matrix(p) is not None])


def _sum(part: Formula) -> Formula:
    return Binary(part, "+", transposed(part))


def _mean(part: Formula) -> Formula:
    return over(_sum(part), number(2))


def transposed(part: Formula) -> Formula:
    """The transpose, of a transpose the matrix itself."""
    if isinstance(part, Attribute) and part.attr in ("T", "mT"):
        return part.value
    return Attribute(part, "mT")


def _of_sum(tree: Formula, part: Binary) -> Iterator[Wrong]:
    """One term of a sum doubled, halved, or with the other sign."""
    minus = part.op == "-"
    for k, term in enumerate((part.left, part.right)):
        for factor in (2, 0.5):
            changed = times(number(2), term) if factor == 2 else over(term, number(2))
            yield Wrong(replaced(tree, term, changed), "factor-2", 52, _FACTOR.format(shown(term)))
        signs = frozenset({1}) if minus else frozenset()
        flipped = add([part.left, part.right], signs ^ {k}) or part
        yield Wrong(replaced(tree, part, flipped), "sign", 62, _SIGN.format(shown(term)))


def _is_symmetric(value: Any) -> bool:
    return value.shape[0] == value.shape[1] and np.allclose(value, value.T)


def _by_name(tree: Formula, matrices: list[Formula]) -> Iterator[Wrong]:
    """A matrix repaired wherever it stands, or two places transposed."""
    for name in sorted(names_in(tree)):
        here = [p for p in matrices if name in names_in(p)]
        if len(here) > 1:
            yield Wrong(_all_repaired(tree, here, transposed), "transpose", 24, _TRANSPOSE.format(name))
            yield Wrong(_all_repaired(tree, here, _mean), "symmetric", 18, _SYMMETRIC.format(name))
    for names in combinations(sorted({name for p in matrices for name in names_in(p)}), 2):
        here = [p for p in matrices if names_in(p) & {*names}]
        both = _all_repaired(tree, here, transposed)
        for counted in (Binary(tree, "+", both), over(Binary(tree, "+", both), number(2))):
            yield Wrong(counted, "symmetric", 19, _TOGETHER.format(*names))
    for pair in combinations(matrices[:8], 2):
        repaired = _all_repaired(tree, list(pair), transposed)
        yield Wrong(repaired, "transpose", 28, _TRANSPOSE.format(shown(pair[0])))


def _is_leaf(part: Formula) -> bool:
    """A name, or its transpose."""
    return isinstance(part, Name) or (isinstance(part, Attribute) and isinstance(part.value, Name))


def _all_repaired(tree: Formula, chosen: list[Formula], repair: Callable[[Formula], Formula]) -> Formula:
    outer = [p for p in chosen if not any(p is not q and any(p is s for s in parts(q)) for q in chosen)]
    for part in outer:
        tree = replaced(tree, part, repair(part))
    return tree
