"""Formulas with ``*`` for the product of matrices, as books and closed forms write it, read as what they mean."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from symgrad.expression.formula import Attribute, Binary, Call, Formula, Name, Subscript, replace
from symgrad.teach.answers.trees import call, children, value_of, with_children

_NUMBERS = ("sum", "trace", "det", "logdet", "norm", "mean", "logsumexp", "dot", "max", "min")
MOST_POWER = 6  # of a matrix, which is written as a product


def with_products_of_matrices(tree: Formula, ranks: Mapping[str, int]) -> Formula:
    """The tree with ``@`` for ``*`` between arrays, and ``*`` for ``⊙``; x*yᵀ of vectors is their outer product."""
    new: Formula = with_children(tree, [with_products_of_matrices(c, ranks) for c in children(tree)])
    if not isinstance(tree, Binary) or not isinstance(new, Binary):
        return new
    if tree.op == "⊙":
        return replace(new, op="*")
    if tree.op == "**" and value_of(tree.right) == -1 and rank(new.left, ranks) == 2:
        return call("inv", new.left)
    left, right = rank(new.left, ranks), rank(new.right, ranks)
    if tree.op == "@":  # a product without a sign
        if left == right == 1 and isinstance(tree.right, Attribute) and not isinstance(tree.left, Attribute):
            return call("outer", new.left, new.right)
        return new if left and right else replace(new, op="*")
    if tree.op != "*" or not left or not right:
        return new
    if left == right == 1 and isinstance(tree.right, Attribute):
        return call("outer", new.left, new.right)
    if isinstance(new.left, Binary) and new.left.op == "*" and not rank(new.left.left, ranks):
        return Binary(new.left.left, "*", Binary(new.left.right, "@", new.right))
    return replace(new, op="@")


def with_powers_of_matrices(tree: Formula, ranks: Mapping[str, int]) -> Formula:
    """The tree with X @ X for X**2, and inv(X) for X**-1, of matrices."""
    new: Formula = with_children(tree, [with_powers_of_matrices(c, ranks) for c in children(tree)])
    if not isinstance(new, Binary) or new.op != "**" or rank(new.left, ranks) != 2:
        return new
    n = value_of(new.right)
    if n is None or n.denominator != 1 or not 0 < abs(n) <= MOST_POWER:
        return new
    base = new.left if n > 0 else call("inv", new.left)
    return functools.reduce(lambda a, b: Binary(a, "@", b), [base] * int(abs(n)))


def with_products_of_numbers(tree: Formula, ranks: Mapping[str, int]) -> Formula:
    """The tree with ``*`` for ``@`` where one side is a number, as in 4(x @ x)x, which was written without a sign."""
    new: Formula = with_children(tree, [with_products_of_numbers(c, ranks) for c in children(tree)])
    if not isinstance(new, Binary) or new.op != "@":
        return new
    return new if rank(new.left, ranks) and rank(new.right, ranks) else replace(new, op="*")


def rank(node: Formula, ranks: Mapping[str, int]) -> int:
    """The number of axes of a formula's value, as far as its names tell."""
    if isinstance(node, Name):
        return ranks.get(node.id, 0)
    inner = [rank(c, ranks) for c in children(node)]
    if isinstance(node, Binary) and node.op == "@":
        return max(0, sum(inner) - 2)
    if isinstance(node, Call) and isinstance(node.func, Name):
        if node.func.id in _NUMBERS and len(node.args) == 1:
            return 0
        if node.func.id in ("outer", "diag", "eye"):
            return 2
        if node.func.id in ("ones", "zeros"):
            return max(1, len(node.args))
    if isinstance(node, Subscript):
        return 0
    return max(inner, default=0)
