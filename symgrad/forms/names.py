"""Names in formulas: leaves keep theirs, unnamed ones get a textbook letter, clashes get a prime.

Names are only ever printed; symbols are made from them without parsing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import CONSTANT, AnyNode, Leaf, ancestors, is_node, is_outside
from symgrad.expression.words import GREEK
from symgrad.ops.resize import sizes_in, told_by

_BY_RANK = {0: "cstuvpqr", 1: "abcuvwxyz", 2: "ABCDFGHKMPQ"}
_SIGNS = ("I", "0", "1", "pi", "π")  # the notation's own: the identity, numbers in every entry, and π
_MEANT = {*_SIGNS, "δ", "e", "E", "d", "∂", "Σ", "Π", "Φ", "φ", "ψ", "ζ", "λ", "T", "J"}  # what no name is made of
_SPARE = {False: "θξωκτρηγβα", True: "ΘΞΩΨΛΓ"}  # where the letters that suit are all the user's
FREE = "ijklmnpqrstuv"
BOUND = "klmnpqrstuvij"


def leaves_in_use_of(roots: Iterable[AnyNode]) -> list[Leaf]:
    """Return the leaves below the roots in the order in which the operations first used them."""
    roots = list(roots)
    leaves: dict[int, Leaf] = {}
    for node in ancestors(roots):
        for p in (node, *node.inputs) if node in roots else node.inputs:
            if isinstance(p, Leaf):
                leaves.setdefault(id(p), p)
    return list(leaves.values())


def is_number(leaf: Leaf) -> bool:
    """Whether a leaf is an unnamed 0-d constant, printed as its number."""
    return leaf.level == CONSTANT and leaf.title is None and leaf.shape == ()


def is_identity(leaf: Leaf) -> bool:
    """Whether a leaf's value is an identity matrix."""
    value = np.asarray(leaf.value)
    square = value.ndim == 2 and value.shape[0] == value.shape[1] > 0
    return square and value.dtype != object and np.array_equal(value, np.eye(len(value)))


def is_known(leaf: Leaf) -> bool:
    """Whether a leaf is printed by its value: an unnamed constant that is a number or an identity matrix."""
    return leaf.level == CONSTANT and leaf.title is None and (leaf.shape == () or is_identity(leaf))


def same_everywhere(leaf: Leaf) -> bool:
    """Whether all entries of a leaf's value are one number."""
    value = np.asarray(leaf.value)
    return value.size > 0 and value.dtype != object and bool(np.all(value == value.flat[0]))


def assign(leaves: Iterable[Leaf], taken: Iterable[str] = ()) -> dict[int, str]:
    """Return a distinct name for each leaf by id: its own, or one minted by rank."""
    leaves = list(leaves)
    used = set(taken)
    names: dict[int, str] = {}
    for leaf in leaves:
        if leaf.title is not None:
            name = leaf.title
            while name in used:
                name += "′"
            names[id(leaf)] = name
            used.add(name)
    mint = Mint(used)
    for leaf in leaves:
        if id(leaf) not in names:
            (names[id(leaf)],) = mint.names(_BY_RANK.get(len(leaf.shape), "UVRSQ"))
    return names


def folded(name: str) -> str:
    """Return what a name is told apart by: w of W1, W_2 and w′, δ of delta and Δ."""
    stem = name.rstrip("′_0123456789").casefold() or name
    return GREEK.get(stem, stem)


class Mint:
    """Mints names for nodes without one: the one place where names are made.

    They differ from those that the user gave, in other letters than small for large, and from the notation's own signs.

    Attributes:
        used: what is called something already.
    """

    def __init__(self, taken: Iterable[str], signs: Iterable[str] = ()) -> None:
        """Start from the names that the user gave, and signs that are in use beside the usual ones."""
        self.used = {*taken}
        self._given = {t.casefold() for t in self.used}
        self._letters = {folded(t) for t in self.used}
        self._signs = {*_MEANT, *signs}

    def names(self, letters: str, many: int = 1) -> list[str]:
        """Return names made of one of these letters, the first that is free: r; or r1, r2, …"""
        spare = _SPARE[letters[0].isupper()]
        free = next((c for c in letters + spare if self.is_free(c)), None)
        numbered = (letters[0] + str(k) for k in count(1))
        if free is not None:
            self.used.add(free)
            numbered = (free + str(k) for k in count(1))
            if many == 1:
                return [free]
        names = list(islice((name for name in numbered if name not in self.used and self._is_new(name)), many))
        self.used.update(names)
        return names

    def is_free(self, letter: str) -> bool:
        """Whether nothing else is called so, nor by the same letter."""
        return letter not in self.used and letter not in self._signs and folded(letter) not in self._letters

    def _is_new(self, name: str) -> bool:
        return name.casefold() not in self._given


def shown(names: dict[int, str], leaves: Iterable[Leaf]) -> dict[int, str]:
    """Return the names as formulas show them: with a prime where one would read as something else of the formula."""
    arrays = {(names[id(leaf)], len(leaf.shape)) for leaf in leaves if leaf.shape}
    used, labels = {*_SIGNS, *names.values()}, {}
    for key, name in names.items():
        mine = name
        while mine in _SIGNS or _is_entry(mine, arrays) or (mine != name and mine in used):
            mine += "′"
        labels[key] = mine
        used.add(mine)
    return labels


def _is_entry(name: str, arrays: Iterable[tuple[str, int]]) -> bool:
    """Whether a name reads as an entry of one of the arrays, as W_01 does of a matrix W."""
    head, _, places = name.rpartition("_")
    return places.isalnum() and (head, len(places)) in arrays


def letters(pool: str, avoid: Iterable[str]) -> Iterator[str]:
    """Yield index letters that nothing else is called, without end."""
    avoid = set(avoid)
    for k in count():
        yield from (name for c in pool if (name := c + str(k) if k else c) not in avoid)


def size_names(nodes: Iterable[Any]) -> set[str]:
    """Return the names of the symbolic sizes in the nodes' shapes, and of those that nodes compute with."""
    return {s.name for s in sizes_in(n for n in nodes if is_node(n))}


class Naming:
    """What the leaves of one or several formulas are called.

    Attributes:
        shown: the name of each leaf in formulas, by id.
        leaves: the leaves that the formulas are functions of, in the order of their first use; among them those that
            only tell a size.
        names: their names, as they are passed.
        args: the names of those that are not constants from outside, then of the sizes that none of them tells.
        untold: these sizes.
        mine: all leaves of the function, by name, also those that the formulas do not depend on.
        inner: ids of the leaves that the rules brought in.
        sizes: the names of the symbolic sizes.
        taken: what nothing else may be called: the leaves' names and the sizes'.
    """

    def __init__(self, roots: Sequence[AnyNode], forward: Sequence[AnyNode], bases: Sequence[Leaf] = ()) -> None:
        own = leaves_in_use_of(forward)
        mine = {id(leaf) for leaf in own}
        below = ancestors(list(roots))
        inside = {id(n) for n in below}
        extra = [n for n in below if isinstance(n, Leaf) and id(n) not in mine and n not in bases]
        self.sizes = size_names(ancestors([*roots, *forward]))
        called = assign([*own, *extra], self.sizes)
        self.shown = shown(called, [*own, *extra])
        self.inner = inside - mine
        passed = [leaf for leaf in own if not is_known(leaf) and not isinstance(leaf.value, sp.Expr)]
        needed = sizes_in([*below, *bases])
        self.leaves = _telling(passed, [leaf for leaf in passed if id(leaf) in inside], needed)
        self.names = tuple(called[id(leaf)] for leaf in self.leaves)
        untold = needed - told_by([leaf.shape for leaf in self.leaves])
        self.untold = tuple(sorted(untold, key=str))
        free = [n for n, leaf in zip(self.names, self.leaves, strict=True) if not is_outside(leaf)]
        self.args = (*free, *map(str, self.untold))
        self.mine = {called[id(leaf)]: leaf for leaf in passed}
        self.taken = {*self.shown.values(), *self.sizes}


def _telling(passed: Sequence[Leaf], used: Sequence[Leaf], needed: set[Any]) -> list[Leaf]:
    """Return the leaves in use, and of the others those that tell a size which is needed."""
    kept = list(used)
    for leaf in passed:
        told = told_by([k.shape for k in kept])
        if needed <= told:
            break
        if leaf not in kept and told_by([leaf.shape], told) & (needed - told):
            kept.append(leaf)
    return [leaf for leaf in passed if leaf in kept]
