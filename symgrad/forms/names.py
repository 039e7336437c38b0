"""Names in formulas: leaves keep theirs, unnamed ones get a textbook letter, clashes get a prime.

Imports node. Names are only ever printed; symbols are made from them without parsing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np
import sympy as sp

from symgrad.node import CONSTANT, AnyNode, Leaf, ancestors, is_node

_BY_RANK = {0: "cstuvpqr", 1: "abcuvwxyz", 2: "ABCDEFGHKMPQ"}
_SIGNS = ("I", "0", "1", "pi", "π")  # the notation's own: the identity, numbers in every entry, and π
FREE = "ijklmnpqrstuv"
BOUND = "klmnpqrstuvij"


def leaves_in_use_of(roots: Iterable[AnyNode]) -> list[Leaf]:
    """Return the leaves below the roots in the order in which the operations first used them."""
    roots = list(roots)
    found: dict[int, Leaf] = {}
    for node in ancestors(roots):
        for p in (node, *node.inputs) if node in roots else node.inputs:
            if isinstance(p, Leaf):
                found.setdefault(id(p), p)
    return list(found.values())


def is_number(leaf: Leaf) -> bool:
    """Whether a leaf is an unnamed 0-d constant, printed as its number."""
    return leaf.level == CONSTANT and leaf.title is None and leaf.shape == ()


def is_identity(leaf: Leaf) -> bool:
    """Whether a leaf's value is an identity matrix."""
    value = np.asarray(leaf.value)
    square = value.ndim == 2 and value.shape[0] == value.shape[1] > 0
    return square and value.dtype != object and np.array_equal(value, np.eye(len(value)))


def is_known(leaf: Leaf) -> bool:
    """Whether a leaf is printed as what it is: an unnamed constant that is a number or an identity matrix."""
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
    for leaf in leaves:
        if id(leaf) not in names:
            names[id(leaf)] = next(n for n in _minted(len(leaf.shape)) if n not in used)
            used.add(names[id(leaf)])
    return names


def shown(names: dict[int, str], leaves: Iterable[Leaf]) -> dict[int, str]:
    """Return the names as formulas show them: with a prime where one would read as something else of the formula."""
    arrays = {(names[id(leaf)], len(leaf.shape)) for leaf in leaves if leaf.shape}
    used, found = {*_SIGNS, *names.values()}, {}
    for key, name in names.items():
        mine = name
        while mine in _SIGNS or _is_entry(mine, arrays) or (mine != name and mine in used):
            mine += "′"
        found[key] = mine
        used.add(mine)
    return found


def _is_entry(name: str, arrays: Iterable[tuple[str, int]]) -> bool:
    """Whether a name reads as an entry of one of the arrays, as W_01 does of a matrix W."""
    head, _, places = name.rpartition("_")
    return places.isalnum() and (head, len(places)) in arrays


def _minted(rank: int) -> Iterator[str]:
    letters = _BY_RANK.get(rank, "TUVRS")
    for k in count():
        yield from (c + str(k) if k else c for c in letters)


def letters(pool: str, avoid: Iterable[str]) -> Iterator[str]:
    """Yield index letters that nothing else is called, without end."""
    avoid = set(avoid)
    for k in count():
        yield from (name for c in pool if (name := c + str(k) if k else c) not in avoid)


def size_names(nodes: Iterable[Any]) -> set[str]:
    """Return the names of the symbolic sizes in the nodes' shapes, and of those that nodes compute with."""
    sizes = (d for n in nodes if is_node(n) for d in (*n.shape, *n.inputs) if isinstance(d, sp.Expr))
    return {s.name for d in sizes for s in d.free_symbols}


_ESCAPES = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "~": r"\sim ",
    "^": r"\wedge ", "_": r"\_", "′": "'",
}  # fmt: skip


def plain_name(name: str) -> str:
    """Write a user's name in text: in brackets of its own where it would read as something else."""
    letters = name.rstrip("′").replace("_", "")
    return name if letters and all(map(_is_plain, letters)) and not name[0].isdigit() else f"‹{name}›"


def _is_plain(c: str) -> bool:
    """Whether a character is a letter or a digit on the line: ᵀ and ² are neither."""
    return c.isdecimal() or unicodedata.category(c) in ("Lu", "Ll", "Lt", "Lo")


class Naming:
    """What the leaves of one or several formulas are called.

    Attributes:
        shown: the name of each leaf in formulas, by id.
        leaves: the leaves that the formulas are functions of, in the order of their first use.
        args: their names, as they are passed.
        inner: ids of the leaves that the rules brought in.
        sizes: the names of the symbolic sizes.
        taken: what nothing else may be called: the leaves' names and the sizes'.
    """

    def __init__(self, roots: Sequence[AnyNode], forward: Sequence[AnyNode], basis: Leaf | None) -> None:
        own = leaves_in_use_of(forward)
        mine = {id(leaf) for leaf in own}
        below = ancestors(list(roots))
        inside = {id(n) for n in below}
        extra = [n for n in below if isinstance(n, Leaf) and id(n) not in mine and n is not basis]
        self.sizes = size_names(ancestors([*roots, *forward]))
        called = assign([*own, *extra], self.sizes)
        self.shown = shown(called, [*own, *extra])
        self.inner = inside - mine
        used = [leaf for leaf in own if id(leaf) in inside]
        self.leaves = [leaf for leaf in used if not is_known(leaf) and not isinstance(leaf.value, sp.Expr)]
        self.args = tuple(called[id(leaf)] for leaf in self.leaves)
        self.taken = {*self.shown.values(), *self.sizes}


_GREEK = re.compile(r"([ΓΔΘΛΞΠΣΥΦΨΩα-νξπρσ-ω])_?(\d*)")  # those that TeX has


def _greek(letter: str) -> str:
    """Return TeX's name of a Greek letter, such as delta or Delta."""
    *_, size, _, name = unicodedata.name(letter).split()
    name = name.lower().replace("lamda", "lambda")
    return name if size == "SMALL" else name.capitalize()


def latex_name(name: str) -> str:
    """Write a user's name in LaTeX: identifiers as SymPy does (w_1, alpha), anything else as escaped text."""
    greek = _GREEK.fullmatch(name)
    if greek:
        found = f"\\{_greek(greek[1])}"
        return f"{found}_{{{greek[2]}}}" if greek[2] else found
    if name.isascii() and name[0].isalpha() and name.replace("_", "").isalnum() and "__" not in name:
        return str(sp.latex(sp.Symbol(name)))
    plain = "".join(_ESCAPES.get(c, c if c.isprintable() else " ") for c in name)
    short = len(name.rstrip("′")) == 1 and name[0].isprintable() and name[0] not in " ᵀ"  # those take no index
    return plain if short else f"\\mathrm{{{plain}}}"
