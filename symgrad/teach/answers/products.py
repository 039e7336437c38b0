"""Formulas with ``*`` for the product of matrices, as books and closed forms write it, read as what they mean."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping

from symgrad.teach.answers.trees import call, children, value_of, with_children

_NUMBERS = ("sum", "trace", "det", "logdet", "norm", "mean", "logsumexp", "dot", "max", "min")
MOST_POWER = 6  # of a matrix, which is written as a product


def with_products_of_matrices(tree: ast.expr, ranks: Mapping[str, int]) -> ast.expr:
    """The tree with ``@`` for ``*`` between arrays, and ``*`` for ``%``; x*yᵀ of vectors is their outer product."""
    new: ast.expr = with_children(tree, [with_products_of_matrices(c, ranks) for c in children(tree)])
    if not isinstance(tree, ast.BinOp) or not isinstance(new, ast.BinOp):
        return new
    if isinstance(tree.op, ast.Mod):
        return ast.BinOp(new.left, ast.Mult(), new.right)
    if isinstance(tree.op, ast.Pow) and value_of(tree.right) == -1 and rank(new.left, ranks) == 2:
        return call("inv", new.left)
    left, right = rank(new.left, ranks), rank(new.right, ranks)
    if isinstance(tree.op, ast.MatMult):  # a product without a sign
        if left == right == 1 and isinstance(tree.right, ast.Attribute) and not isinstance(tree.left, ast.Attribute):
            return call("outer", new.left, new.right)
        return new if left and right else ast.BinOp(new.left, ast.Mult(), new.right)
    if not isinstance(tree.op, ast.Mult) or not left or not right:
        return new
    if left == right == 1 and isinstance(tree.right, ast.Attribute):
        return call("outer", new.left, new.right)
    if isinstance(new.left, ast.BinOp) and isinstance(new.left.op, ast.Mult) and not rank(new.left.left, ranks):
        return ast.BinOp(new.left.left, ast.Mult(), ast.BinOp(new.left.right, ast.MatMult(), new.right))
    return ast.BinOp(new.left, ast.MatMult(), new.right)


def with_powers_of_matrices(tree: ast.expr, ranks: Mapping[str, int]) -> ast.expr:
    """The tree with X @ X for X**2, and inv(X) for X**-1, of matrices."""
    new: ast.expr = with_children(tree, [with_powers_of_matrices(c, ranks) for c in children(tree)])
    if not isinstance(new, ast.BinOp) or not isinstance(new.op, ast.Pow) or rank(new.left, ranks) != 2:
        return new
    n = value_of(new.right)
    if n is None or n.denominator != 1 or not 0 < abs(n) <= MOST_POWER:
        return new
    base = new.left if n > 0 else call("inv", new.left)
    return functools.reduce(lambda a, b: ast.BinOp(a, ast.MatMult(), b), [base] * int(abs(n)))


def with_products_of_numbers(tree: ast.expr, ranks: Mapping[str, int]) -> ast.expr:
    """The tree with ``*`` for ``@`` where one side is a number, as in 4(x @ x)x, which was written without a sign."""
    new: ast.expr = with_children(tree, [with_products_of_numbers(c, ranks) for c in children(tree)])
    if not isinstance(new, ast.BinOp) or not isinstance(new.op, ast.MatMult):
        return new
    return new if rank(new.left, ranks) and rank(new.right, ranks) else ast.BinOp(new.left, ast.Mult(), new.right)


def rank(node: ast.expr, ranks: Mapping[str, int]) -> int:
    """The number of axes of a formula's value, as far as its names tell."""
    if isinstance(node, ast.Name):
        return ranks.get(node.id, 0)
    inner = [rank(c, ranks) for c in children(node)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return max(0, sum(inner) - 2)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in _NUMBERS and len(node.args) == 1:
            return 0
        if node.func.id in ("outer", "diag", "eye"):
            return 2
        if node.func.id in ("ones", "zeros"):
            return max(1, len(node.args))
    if isinstance(node, ast.Subscript):
        return 0
    return max(inner, default=0)
