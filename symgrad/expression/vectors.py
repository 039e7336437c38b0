"""Vectors as people write them: a list in any brackets, a column, its transpose, and x i + y j, x e_x + y e_y."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from symgrad.expression.formula import (
    Attribute,
    Binary,
    Constant,
    Formula,
    List,
    Name,
    Tuple,
    Unary,
    replace,
    walk,
)

_LETTERS = ("i", "j", "k")
_PRODUCTS = ("*", "@")
_SIGNS = {
    sign: k for signs in (("î", "ĵ", "k̂"), ("e_x", "e_y", "e_z"), ("e_1", "e_2", "e_3")) for k, sign in enumerate(signs)
}


def unit_vectors(known: Container[str]) -> dict[str, int]:
    """Return the unit vectors by name, with their coordinates; what is called so otherwise is none."""
    return {u: k for u, k in ({u: k for k, u in enumerate(_LETTERS)} | _SIGNS).items() if u not in known}


def entries_of(tree: Formula) -> list[Formula] | None:
    """Return the entries of (x, y)ᵀ, [x, y], or a column; None of what is no vector in brackets."""
    if isinstance(tree, Attribute) and tree.attr in ("T", "H"):
        tree = tree.value
    if not isinstance(tree, (Tuple, List)):
        return None
    rows = [row.elts if isinstance(row, (Tuple, List)) else (row,) for row in tree.elts]
    entries = [e for row in rows for e in row]
    return entries if len(rows) == 1 or all(len(row) == 1 for row in rows) else None


def as_vector(
    tree: Formula, known: Container[str], matlab: bool = False, starred: bool = False, least: int = 2
) -> Formula:
    """Return a vector in round brackets, or along unit vectors, as a list; any other formula as it is.

    The letters i, j, k are unit vectors if there are at least so many, and a product with one has no sign, as in
    2x i + y j, or ``starred`` is true.
    """
    entries = entries_of(tree) if not isinstance(tree, List) else None
    if entries is None:
        units = unit_vectors(known)
        parts = along(tree, units)
        names = {n.id for n in walk(tree) if isinstance(n, Name)}
        used = names & {*units}
        if not parts or not (used - {*_LETTERS} or (len(used) >= least and (starred or _is_silent(tree, used)))):
            return tree
        entries = [parts.get(k, Constant(0)) for k in range(max(2 + ("z" in names), *(k + 1 for k in parts)))]
    return replace(List([Tuple([e]) for e in entries] if matlab else entries), place=tree.place, brackets=tree.brackets)


def _is_silent(tree: Formula, units: Container[str]) -> bool:
    """Whether a unit vector is multiplied without a sign."""
    products = (n for n in walk(tree) if isinstance(n, Binary) and n.op in _PRODUCTS and n.silent)
    return any(isinstance(side, Name) and side.id in units for n in products for side in (n.left, n.right))


def along(tree: Formula, units: Mapping[str, int]) -> dict[int, Formula] | None:
    """Return the components of a formula that is linear in unit vectors, by coordinate; None of any other.

    A component that stands in one piece has its place in the text.
    """
    if isinstance(tree, Name) and tree.id in units:
        return {units[tree.id]: Constant(1)}
    if isinstance(tree, Unary):
        parts = along(tree.operand, units)
        return parts and {k: _signed(tree.op, tree, p) for k, p in parts.items()}
    if not isinstance(tree, Binary):
        return None
    left, right = along(tree.left, units), along(tree.right, units)
    if tree.op in ("+", "-"):
        return None if left is None or right is None else _sum(tree, left, right)
    if tree.op in (*_PRODUCTS, "/", "mrdivide") and (left is None) != (right is None):
        if right is None and left is not None and not _has(tree.right, units):
            return {k: _times(tree, p, tree.right) for k, p in left.items()}
        if left is None and right is not None and tree.op in _PRODUCTS and not _has(tree.left, units):
            return {k: _times(tree, tree.left, p) for k, p in right.items()}
    return None


def _has(tree: Formula, units: Container[str]) -> bool:
    return any(isinstance(n, Name) and n.id in units for n in walk(tree))


def _times(tree: Binary, left: Formula, right: Formula) -> Formula:
    """Return a product or quotient whose other factor was a vector; of a unit vector, the factor itself."""
    if left == Constant(1) and left.place is None and tree.op in _PRODUCTS:
        return right
    if right == Constant(1) and right.place is None:
        return left
    return Binary(left, tree.op, right)


def _sum(tree: Binary, left: Mapping[int, Formula], right: Mapping[int, Formula]) -> dict[int, Formula]:
    out = dict(left)
    for k, part in right.items():
        out[k] = Binary(out[k], tree.op, part) if k in out else part if tree.op == "+" else _signed("-", tree, part)
    return out


def _signed(op: str, tree: Formula, part: Formula) -> Formula:
    """Return ±part, with its place if it stands right behind the sign."""
    sign = tree.mark or tree.place
    place = None if part.place is None or sign is None else (sign[0], part.span[1])
    return Unary(op, part, place=place)


def listed(tree: Formula, names: Sequence[str]) -> list[Formula] | None:
    """Return the components of an answer with respect to names: a list, or along unit vectors, e_x and dx.

    Of a matrix they are its rows.
    """
    if (entries := entries_of(tree)) is not None:
        return entries
    if isinstance(tree, List):
        return list(tree.elts)
    units = unit_vectors(names) | {f"{front}{n}": k for k, n in enumerate(names) for front in ("e_", "d")}
    parts = along(tree, units)
    return [parts.get(k, Constant(0)) for k in range(max(len(names), *(k + 1 for k in parts)))] if parts else None
