"""Formulas and answers in MATLAB's notation, written in the reader's: ``2*X'*(X*w - y)`` as ``2*X.T @ (X @ w - y)``.

What a sign means there hangs on whether its sides are numbers, columns, rows or matrices, which the names tell.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from symgrad.errors import ParseError
from symgrad.expression.matlab_functions import RENAMED
from symgrad.expression.matlab_syntax import Left, Raised, Right
from symgrad.expression.matlab_syntax import tree as tree_of_matlab
from symgrad.teach.answers.products import MOST_POWER
from symgrad.teach.answers.trees import call, value_of
from symgrad.teach.answers.values import is_pointwise

_SIGNS = re.compile(r"\.[*/^\\']|\\(?![A-Za-z]{2})")
_TRANSPOSED = re.compile(r"(?<=[\w)\]])'")
_PYTHON = re.compile(r"\*\*|@|\.[A-Za-z]|\\[A-Za-z]{2}|[⁰-⁹²³¹ᵀ⊙⊘]")
_BRACKET_BEFORE = re.compile(r"(?<=\))\s*(?=[\w(])|(?<=[\w)\]]')\s*(?=[\w(])")  # a factor behind ) or a transpose
_NUMBER_BEFORE = re.compile(r"(?<![\w.])(\d+\.?\d*)\s*(?=\(|[^\W\de])")
_KINDS = ("number", "column", "matrix")
_SUMS = ("sum", "mean", "prod", "max", "min")
_NUMBERS = ("trace", "det", "logdet")
_MATRICES = ("inv", "pinv", "expm")


class _Part(NamedTuple):
    """A tree in Python's meaning, and what it stands for."""

    tree: ast.expr
    kind: str


def has_signs_of_matlab(text: str, *, arrays: bool) -> bool:
    """Whether a text has signs that only MATLAB's formulas have, and none of Python's; a dash is one of arrays only."""
    found = _SIGNS.search(text) or (arrays and _TRANSPOSED.search(text))
    return bool(found) and not _PYTHON.search(text)


def with_stars(text: str) -> str:
    """Return a formula with a star for each product that was written without a sign, where nothing else can be meant.

    >>> with_stars("2X'(y.*(X*w))")
    "2*X'*(y.*(X*w))"
    """
    return _NUMBER_BEFORE.sub(r"\1*", _BRACKET_BEFORE.sub("*", text))


def from_matlab(text: str, ranks: Mapping[str, int]) -> str:
    """Return a formula of MATLAB's in the reader's notation.

    Args:
        text: the formula.
        ranks: the number of axes of each name; names that are not there are numbers.

    Raises:
        ParseError: it is no formula, or has something that is not written otherwise.

    >>> from_matlab("norm(X*w - y)^2 + x'*A*x", {"X": 2, "w": 1, "y": 1, "x": 1, "A": 2})
    'norm(X @ w - y) ** 2 + x @ A @ x'
    """
    return ast.unparse(_Translated(ranks).of(tree_of_matlab(text)).tree)


def _refused(what: str) -> ParseError:
    return ParseError(f"grade: {what}. Write it in NumPy's spelling, with @ for products of matrices and .T.")


class _Translated:
    def __init__(self, ranks: Mapping[str, int]) -> None:
        self.ranks = ranks

    def of(self, node: Any) -> _Part:
        """Return a node in Python's meaning."""
        if isinstance(node, ast.Constant) and not isinstance(node.value, str):
            return _Part(node, "number")
        if isinstance(node, ast.Name):
            axes = self.ranks.get(node.id, 0)
            return _Part(ast.Name(RENAMED.get(node.id, node.id), ast.Load()), _KINDS[axes])
        if isinstance(node, ast.UnaryOp):
            inner = self.of(node.operand)
            return _Part(ast.UnaryOp(node.op, inner.tree), inner.kind)
        if isinstance(node, ast.Attribute):
            return _transposed(self.of(node.value))
        if isinstance(node, ast.BinOp):
            return self._combined(node.op, self.of(node.left), self.of(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._entry(node) if node.func.id in self.ranks else self._called(node.func.id, node.args)
        raise _refused("this has a part, such as a list or a range, that is not graded in MATLAB's notation")

    def _combined(self, op: ast.operator, a: _Part, b: _Part) -> _Part:
        kinds = {a.kind, b.kind}
        entries = isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow))
        if entries or ("number" in kinds and not _is_inverse(op, b)):
            if len(kinds - {"number"}) > 1:
                raise _refused(f"a {a.kind} and a {b.kind} cannot be taken entry by entry here")
            if isinstance(op, Left):
                a, b = b, a
            if isinstance(op, Raised) and a.kind != "number":
                return _raised(a, b)
            sign = {ast.MatMult: ast.Mult(), Right: ast.Div(), Left: ast.Div(), Raised: ast.Pow()}.get(type(op), op)
            return _Part(ast.BinOp(a.tree, sign, b.tree), next(iter(kinds - {"number"}), "number"))
        if isinstance(op, Right):
            return _product(a, _Part(call("inv", b.tree), "matrix"))
        if isinstance(op, Left):
            return _product(_Part(call("inv", a.tree), "matrix"), b)
        if isinstance(op, ast.MatMult):
            return _product(a, b)
        raise _refused("^ of an array by an array is no formula")

    def _entry(self, node: Any) -> _Part:
        """x(1) and A(2, 1), counted from 1."""
        places = [value_of(a) for a in node.args]
        if len(places) != self.ranks[node.func.id] or any(p is None or p < 1 or p.denominator != 1 for p in places):
            raise _refused(f"{node.func.id}(…) takes whole numbers from 1, one for each axis")
        index: list[ast.expr] = [ast.Constant(int(p) - 1) for p in places if p is not None]
        key = index[0] if len(index) == 1 else ast.Tuple(index, ast.Load())
        return _Part(ast.Subscript(ast.Name(node.func.id, ast.Load()), key, ast.Load()), "number")

    def _called(self, name: str, given: list[Any]) -> _Part:
        name = RENAMED.get(name, name)
        word = given[-1].value if len(given) > 1 and isinstance(given[-1], ast.Constant) else None
        parts = [self.of(a) for a in (given[:-1] if isinstance(word, str) else given)]
        kinds, trees = [p.kind for p in parts], [p.tree for p in parts]
        if name in _SUMS and len(parts) == 1:
            if kinds[0] == "matrix" and word != "all":
                return _Part(call(name, trees[0], ast.Constant(0)), "row")
            return _Part(call(name, *trees), "number")
        if name == "norm" and len(parts) == 1 and (kinds[0] != "matrix" or word == "fro"):
            return _Part(call(name, *trees), "number")
        if (name in _NUMBERS and len(parts) == 1) or (name == "dot" and len(parts) == 2):
            return _Part(call(name, *trees), "number")
        if name in _MATRICES and kinds == ["matrix"]:
            return _Part(call(name, *trees), "matrix")
        if name == "diag" and len(parts) == 1:
            return _Part(call(name, *trees), "column" if kinds[0] == "matrix" else "matrix")
        if word is None and parts and is_pointwise(name, len(parts)) and len({*kinds} - {"number"}) <= 1:
            return _Part(call(name, *trees), next(iter({*kinds} - {"number"}), "number"))
        raise _refused(f"{name}(…) is not graded in MATLAB's notation")


def _is_inverse(op: ast.operator, b: _Part) -> bool:
    """Whether a number is divided by a matrix, as in 1/A, which is no formula."""
    return isinstance(op, Right) and b.kind != "number"


def _transposed(x: _Part) -> _Part:
    if x.kind == "matrix":
        return _Part(ast.Attribute(x.tree, "T", ast.Load()), "matrix")
    return _Part(x.tree, {"column": "row", "row": "column"}.get(x.kind, x.kind))


def _product(a: _Part, b: _Part) -> _Part:
    kinds = (a.kind, b.kind)
    if kinds == ("column", "row"):
        return _Part(call("outer", a.tree, b.tree), "matrix")
    found = {
        ("row", "column"): "number", ("row", "matrix"): "row", ("matrix", "column"): "column",
        ("matrix", "matrix"): "matrix",
    }.get(kinds)  # fmt: skip
    if found is None:
        raise _refused(f"* between a {a.kind} and a {b.kind}: the inner sizes differ")
    return _Part(ast.BinOp(a.tree, ast.MatMult(), b.tree), found)


def _raised(a: _Part, b: _Part) -> _Part:
    """The power of a matrix by a whole number."""
    v = value_of(b.tree)
    if a.kind != "matrix" or v is None or v.denominator != 1 or not 0 < abs(v) <= MOST_POWER:
        raise _refused("^ of an array is the power of a square matrix by a whole number; of entries it is .^")
    base = a if v > 0 else _Part(call("inv", a.tree), "matrix")
    found = base
    for _ in range(int(abs(v)) - 1):
        found = _product(found, base)
    return found
