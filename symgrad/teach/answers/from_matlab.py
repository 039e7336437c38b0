"""Formulas and answers in MATLAB's notation, written in the reader's: ``2*X'*(X*w - y)`` as ``2*X.T @ (X @ w - y)``.

What a sign means there hangs on whether its sides are numbers, columns, rows or matrices, which the names tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from symgrad.errors import ParseError
from symgrad.expression.formula import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Formula,
    List,
    Name,
    Subscript,
    Tuple,
    Unary,
    replace,
)
from symgrad.expression.grammar import Reading
from symgrad.expression.instead import PRIME, refused_at
from symgrad.expression.matlab_functions import RENAMED
from symgrad.expression.tokens import tokens
from symgrad.teach.answers.products import MOST_POWER, rank
from symgrad.teach.answers.trees import call, value_of
from symgrad.teach.answers.values import is_pointwise

_PYTHON = ("**", "@", "//", "!=", "ᵀ", "⊙", "⊘")
_RAISED = set("⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ⊤⊙⊘")
_KINDS = ("number", "column", "matrix")
_SUMS = ("sum", "mean", "prod", "max", "min")
_NUMBERS = ("trace", "det", "logdet")
_MATRICES = ("inv", "pinv", "expm")


class _Part(NamedTuple):
    """A tree in Python's meaning, and what it stands for."""

    tree: Formula
    kind: str


def has_signs_of_matlab(text: str, *, arrays: bool) -> bool:
    """Whether a string has signs of MATLAB's formulas alone, and none of Python's; a dash is one of arrays only."""
    listing = tokens(text, True)
    if _RAISED & set(text) or re.search(r"\\[A-Za-z]{2}|\.[A-Za-z]", text) or any(t.text in _PYTHON for t in listing):
        return False
    dashes = any(t.text == "'" and before.ends for before, t in pairwise(listing))
    return (arrays and dashes) or any(t.text in (".*", "./", ".^", ".'", ".\\", "\\") for t in listing)


def in_python(reading: Reading, ranks: Mapping[str, int]) -> Formula:
    """Return the tree of a formula with Python's operators, whatever notation it was read in.

    Raises:
        ParseError: if it contains a construct that cannot be translated.

    >>> from symgrad.expression.printer import typed as text
    >>> from symgrad.expression.grammar import read
    >>> text(in_python(read("norm(X*w - y)^2 + x'*A*x", "matlab"), {"X": 2, "w": 1, "y": 1, "x": 1, "A": 2}))
    'norm(X @ w - y)^2 + x @ A @ x'
    """
    if reading.syntax != "python":
        paper = reading.text if reading.paper else ""
        return _Translated(ranks, paper, reading.syntax == "matlab").of(reading.tree).tree
    return _plain(reading.tree, ranks)


def _plain(node: Formula, ranks: Mapping[str, int]) -> Formula:
    """Return a tree with ``**`` for ^, inv(A) for A^-1, and A.T for A'."""
    new = node.with_operands([_plain(part, ranks) for part in node.operands]) if node.operands else node
    if isinstance(new, Attribute) and new.attr == "H":
        return replace(new, attr="T")
    if not isinstance(new, Binary) or new.op not in ("**", "mpower"):
        return new
    if value_of(new.right) == -1 and rank(new.left, ranks) == 2:
        return placed(call("inv", new.left), new)
    return replace(new, op="**")


def placed(new: Formula, old: Formula) -> Formula:
    """Return a part with the place of the one that it stands for."""
    new.place, new.mark, new.brackets = old.place, old.mark, old.brackets
    return new


def _refused(what: str) -> ParseError:
    return ParseError(f"grade: {what}. Write it in NumPy's spelling, with @ for products of matrices and .T.")


class _Translated:
    def __init__(self, ranks: Mapping[str, int], paper: str, columns: bool) -> None:
        self.ranks, self.paper = ranks, paper  # the text, where it is read as people write
        self.columns = columns  # whether a sum goes down the columns of a matrix

    def of(self, node: Any) -> _Part:
        """Return a node in Python's meaning, at its place."""
        found = self._of(node)
        if found.tree.place is None:
            placed(found.tree, node)
        if isinstance(node, Binary) and node.silent and isinstance(found.tree, Binary):
            found.tree.silent = True
        return found

    def _of(self, node: Any) -> _Part:
        if isinstance(node, Constant) and not isinstance(node.value, str):
            return _Part(node, "number")
        if isinstance(node, Name):
            axes = self.ranks.get(node.id, 0)
            return _Part(replace(node, id=RENAMED.get(node.id, node.id)), _KINDS[axes])
        if isinstance(node, Unary):
            inner = self.of(node.operand)
            return _Part(Unary(node.op, inner.tree), inner.kind)
        if isinstance(node, Attribute):
            return self._primed(node, self.of(node.value))
        if isinstance(node, Binary):
            return self._combined(node.op, self.of(node.left), self.of(node.right))
        if isinstance(node, Compare):
            a, b = self.of(node.left), self.of(node.right)
            if {a.kind, b.kind} == {"number"}:
                return _Part(Compare(a.tree, node.op, b.tree), "number")
        if isinstance(node, List):
            rows = [row.elts if isinstance(row, Tuple) else (row,) for row in node.elts]
            entries = [self.of(e) for row in rows for e in row]
            if {e.kind for e in entries} == {"number"} and (len(rows) == 1 or all(len(row) == 1 for row in rows)):
                return _Part(List(tuple(e.tree for e in entries)), "column")
        if isinstance(node, Call) and isinstance(node.func, Name) and not node.keywords:
            return self._entry(node) if node.func.id in self.ranks else self._called(node.func.id, node.args)
        raise _refused("this has a part, such as a list or a range, that is not graded in MATLAB's notation")

    def _combined(self, op: str, a: _Part, b: _Part) -> _Part:
        kinds = {a.kind, b.kind}
        entries = op in ("+", "-", "*", "/", "**")
        if entries or ("number" in kinds and not _is_inverse(op, b)):
            if len(kinds - {"number"}) > 1:
                raise _refused(f"a {a.kind} and a {b.kind} cannot be taken entry by entry here")
            if op == "mldivide":
                a, b = b, a
            if op == "mpower" and a.kind == "matrix":
                return _raised(a, b)
            if op == "mpower" and a.kind != "number" and not self.paper:
                return _raised(a, b)
            sign = {"@": "*", "mrdivide": "/", "mldivide": "/", "mpower": "**"}.get(op, op)
            return _Part(Binary(a.tree, sign, b.tree), next(iter(kinds - {"number"}), "number"))
        if op == "mrdivide":
            return _product(a, _Part(call("inv", b.tree), "matrix"))
        if op == "mldivide":
            return _product(_Part(call("inv", a.tree), "matrix"), b)
        if op == "@":
            return _product(a, b)
        raise _refused("^ of an array by an array is not a formula")

    def _primed(self, node: Attribute, x: _Part) -> _Part:
        """Return a transpose; of a number on paper it would be a derivative."""
        if self.paper and x.kind == "number" and node.attr == "H" and node.mark:
            raise refused_at(self.paper, node.mark[0], PRIME)
        return _transposed(x)

    def _entry(self, node: Any) -> _Part:
        """x(1) and A(2, 1), counted from 1."""
        places = [value_of(a) for a in node.args]
        if len(places) != self.ranks[node.func.id] or any(p is None or p < 1 or p.denominator != 1 for p in places):
            raise _refused(f"{node.func.id}(…) takes integers from 1, one for each axis")
        index: list[Formula] = [Constant(int(p) - 1) for p in places if p is not None]
        key = index[0] if len(index) == 1 else Tuple(index)
        return _Part(Subscript(Name(node.func.id), key), "number")

    def _called(self, name: str, given: Sequence[Any]) -> _Part:
        name = RENAMED.get(name, name)
        last = given[-1].value if len(given) > 1 and isinstance(given[-1], Constant) else None
        word = last if isinstance(last, str) else None
        parts = [self.of(a) for a in (given if word is None else given[:-1])]
        kinds, trees = [p.kind for p in parts], [p.tree for p in parts]
        if word is None and set(kinds) == {"number"} and name not in ("eye", "ones", "zeros"):
            return _Part(call(name, *trees), "number")
        if name in _SUMS and len(parts) == 1:
            if kinds[0] == "matrix" and word != "all" and self.columns:
                return _Part(call(name, trees[0], Constant(0)), "row")
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


def _is_inverse(op: str, b: _Part) -> bool:
    """Whether a number is divided by a matrix, as in 1/A, which is not a formula."""
    return op == "mrdivide" and b.kind != "number"


def _transposed(x: _Part) -> _Part:
    if x.kind == "matrix":
        return _Part(Attribute(x.tree, "T"), "matrix")
    return _Part(x.tree, {"column": "row", "row": "column"}.get(x.kind, x.kind))


def _product(a: _Part, b: _Part) -> _Part:
    kinds = (a.kind, b.kind)
    if kinds == ("column", "row"):
        return _Part(call("outer", a.tree, b.tree), "matrix")
    kind = {
        ("row", "column"): "number", ("row", "matrix"): "row", ("matrix", "column"): "column",
        ("matrix", "matrix"): "matrix",
    }.get(kinds)  # fmt: skip
    if kind is None:
        raise _refused(f"* between a {a.kind} and a {b.kind}: the inner sizes differ")
    return _Part(Binary(a.tree, "@", b.tree), kind)


def _raised(a: _Part, b: _Part) -> _Part:
    """The power of a matrix by an integer."""
    v = value_of(b.tree)
    if a.kind != "matrix" or v is None or v.denominator != 1 or not 0 < abs(v) <= MOST_POWER:
        raise _refused("^ of an array is the power of a square matrix by an integer; for entries, write .^")
    base = a if v > 0 else _Part(call("inv", a.tree), "matrix")
    power = base
    for _ in range(int(abs(v)) - 1):
        power = _product(power, base)
    return power
