"""Formulas in MATLAB's notation: ``x'*A*x``, ``.*``, ``norm(x)^2``, ``x(1)``. Tokens become a tree as Python's would.

A 1-D array is a column, its transpose a row; ``*`` between arrays is the matrix product, and ``+`` spreads a row and a
column, as in MATLAB.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import sympy as sp

from symgrad import functions, linalg
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError
from symgrad.expression.bounds import Bounds
from symgrad.expression.evaluation import BINARY, COMPARE, Evaluation, listed, refused, refused_at
from symgrad.ops.elementwise.complexes import conj
from symgrad.tensors.creation import ones, zeros
from symgrad.tensors.tensor import Tensor


class Right(ast.operator):
    """``B/A``, which is B A⁻¹."""


class Left(ast.operator):
    """The backslash: A⁻¹ b."""


class Raised(ast.operator):
    """``A^2``, the matrix power."""


_OPERATORS: dict[str, tuple[int, ast.operator]] = {
    "+": (1, ast.Add()), "-": (1, ast.Sub()), "*": (2, ast.MatMult()), ".*": (2, ast.Mult()), "/": (2, Right()),
    "./": (2, ast.Div()), "\\": (2, Left()), "^": (4, Raised()), ".^": (4, ast.Pow()),
}  # fmt: skip
_COMPARED: dict[str, ast.cmpop] = {
    "<": ast.Lt(), "<=": ast.LtE(), ">": ast.Gt(), ">=": ast.GtE(), "==": ast.Eq(), "~=": ast.NotEq(),
}  # fmt: skip
_UNARY, _POSTFIX = 3, 4
MOST_DEEP = 240  # levels of operators within each other
_TOKEN = re.compile(
    r"(?P<number>(?:\d+(?:\.(?![*/^'\\])\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[^\W\d]\w*)"
    r"|(?P<sign>\.\^|\.\*|\./|\.\\|\.'|<=|>=|==|~=|[-+*/\\^<>()\[\],;:'])|(?P<space>\s+)"
)


class Token(NamedTuple):
    """A number, a name, a word in quotes or a sign, and where it stands."""

    kind: str
    text: str
    place: int


def tokens(text: str) -> list[Token]:
    """Return the tokens of a formula, and one for its end."""
    found: list[Token] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        quoted = re.compile(r"'([A-Za-z]\w*)'").match(text, place) if not found or not _ends(found[-1]) else None
        if quoted:
            found.append(Token("word", quoted[1], place))
            place = quoted.end()
            continue
        if match is None:
            raise refused_at(text, place, f"{text[place]!r} is no sign of a formula in MATLAB's notation")
        if match.lastgroup != "space":
            if found and _ends(found[-1]) and match.lastgroup in ("number", "name"):
                before = found[-1].text
                raise refused_at(text, place, f"a sign is missing here; for the product write {before}*{match[0]}")
            found.append(Token(str(match.lastgroup), match[0], place))
        place = match.end()
    while found and found[-1].text == ";":
        found.pop()
    return [*found, Token("end", "", len(text))]


def _ends(t: Token) -> bool:
    """Whether what ends with this token can be transposed."""
    return t.kind in ("number", "name", "word") or t.text in (")", "]", "'", ".'")


def tree(text: str) -> ast.expr:
    """Return the tree of a formula."""
    found: ast.expr = _Parser(text).whole()
    return found


class _Parser:
    """Precedence climbing over the tokens."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.k, self.depth = text, tokens(text), 0, 0

    @property
    def next(self) -> Token:
        return self.tokens[self.k]

    def whole(self) -> Any:
        found = self.compared()
        if self.next.kind != "end":
            if _ends(self.tokens[self.k - 1]) and self.next.text in ("(", "["):
                raise refused_at(self.text, self.next.place, "a sign is missing here; for a product write *")
            raise refused_at(self.text, self.next.place, f"{self.next.text!r} is not expected here")
        return found

    def take(self, text: str) -> bool:
        """Step over a sign if it comes next."""
        if self.next.kind == "sign" and self.next.text == text:
            self.k += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.take(text):
            what = repr(self.next.text) if self.next.text else "the end"
            raise refused_at(self.text, self.next.place, f"expected {text!r}, got {what}")

    def made(self, node: Any, place: int) -> Any:
        node.lineno, node.col_offset = 1, len(self.text[:place].encode())
        return node

    def compared(self) -> Any:
        left = self.ranged()
        token = self.next
        if token.kind == "sign" and token.text in _COMPARED:
            self.k += 1
            return self.made(ast.Compare(left, [_COMPARED[token.text]], [self.ranged()]), token.place)
        return left

    def ranged(self) -> Any:
        """Read an expression, or a : b between indices."""
        first = self.expression(1)
        if self.next.text != ":":
            return first
        place = self.next.place
        self.k += 1
        return self.made(ast.Slice(first, self.expression(1)), place)

    def expression(self, least: int) -> Any:
        self.depth += 1
        if self.depth > MOST_DEEP:
            raise refused_at(self.text, self.next.place, "the formula is nested too deep here; name its parts")
        left = self.unary()
        while self.next.kind == "sign" and (found := _OPERATORS.get(self.next.text)) and found[0] >= least:
            token = self.next
            self.k += 1
            left = self.made(ast.BinOp(left, found[1], self.operand(found[0])), token.place)
        self.depth -= 1
        return left

    def operand(self, level: int) -> Any:
        """Read what stands behind an operator; an exponent may have a sign of its own."""
        if level == _POSTFIX and self.next.text in ("-", "+"):
            token = self.next
            self.k += 1
            return self.signed(token, self.operand(level))
        return self.expression(level + 1)

    def unary(self) -> Any:
        token = self.next
        if token.kind == "sign" and token.text in ("-", "+"):
            self.k += 1
            return self.signed(token, self.expression(_UNARY))
        return self.postfix()

    def signed(self, token: Token, inner: ast.expr) -> Any:
        return self.made(ast.UnaryOp(ast.USub() if token.text == "-" else ast.UAdd(), inner), token.place)

    def postfix(self) -> Any:
        found = self.atom()
        while self.next.text in ("'", ".'") and self.next.kind == "sign":
            sign = "H" if self.next.text == "'" else "T"  # the adjoint, and the transpose
            found = self.made(ast.Attribute(found, sign, ast.Load()), self.next.place)
            self.k += 1
        return found

    def atom(self) -> Any:
        token = self.next
        self.k += 1
        if token.kind == "number":
            value = float(token.text)
            return self.made(ast.Constant(int(token.text) if token.text.isdigit() else value), token.place)
        if token.kind == "word":
            return self.made(ast.Constant(token.text), token.place)
        if token.kind == "name":
            name = self.made(ast.Name(token.text, ast.Load()), token.place)
            return self.made(ast.Call(name, self.arguments(), []), token.place) if self.take("(") else name
        if token.text == "(":
            found = self.compared()
            self.expect(")")
            return found
        if token.text == "[":
            return self.rows(token)
        self.k -= 1
        what = f"{token.text!r}" if token.text else "the end"
        raise refused_at(self.text, token.place, f"expected a number, a name or a bracket, got {what}")

    def arguments(self) -> list[Any]:
        found: list[Any] = []
        while not self.take(")"):
            if found:
                self.expect(",")
            if self.next.text == ":":
                found.append(self.made(ast.Slice(), self.next.place))
                self.k += 1
            else:
                found.append(self.compared())
        return found

    def rows(self, start: Token) -> Any:
        """Read [a, b; c, d]."""
        rows: list[ast.expr] = []
        row: list[ast.expr] = []
        while not self.take("]"):
            if self.take(";"):
                rows.append(self.made(ast.Tuple(row, ast.Load()), start.place))
                row = []
                continue
            if row:
                self.expect(",")
            row.append(self.compared())
        rows.append(self.made(ast.Tuple(row, ast.Load()), start.place))
        return self.made(ast.List(rows, ast.Load()), start.place)


@dataclass(frozen=True)
class Row:
    """The transpose of a 1-D array."""

    value: Tensor


def _plain(x: Any) -> Any:
    return x.value if isinstance(x, Row) else x


def _kind(x: Any) -> str:
    """Return what a value is: a number, a row, a column or a matrix."""
    if isinstance(x, Row):
        return "row"
    return {0: "number", 1: "column", 2: "matrix"}.get(len(getattr(x, "shape", ())), "array")


class Matlab(Evaluation):
    """The value of a tree in MATLAB's meaning."""

    def __init__(self, text: str, names: Mapping[str, Any], bounds: Bounds | None) -> None:
        super().__init__(text, {name: as_tensor(x) for name, x in names.items()}, bounds)

    def value(self, tree: Any) -> Any:
        """Return the value of the whole formula; a row as an array."""
        return _plain(self.of(tree))

    def _attribute(self, node: ast.Attribute) -> Any:
        x = self.of(node.value)
        if isinstance(x, Row):
            return x.value
        kind = _kind(x)
        x = conj(x) if node.attr == "H" else x
        return x if kind == "number" else Row(x) if kind == "column" else self._operated(lambda t: t.mT, as_tensor(x))

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        x = self.of(node.operand)
        found = self._operated(operator.neg if isinstance(node.op, ast.USub) else operator.pos, _plain(x))
        return Row(found) if isinstance(x, Row) else found

    def _compare(self, node: ast.Compare) -> Any:
        a, b = self.of(node.left), self.of(node.comparators[0])
        return self._spread(COMPARE[type(node.ops[0])], a, b)

    def _combined(self, node: ast.BinOp, a: Any, b: Any) -> Any:
        if any(isinstance(v, (slice, str, tuple, list)) for v in (a, b)):
            raise refused(self.text, node, "an operator stands between numbers and arrays only")
        a, b = (as_tensor(v) if isinstance(v, sp.Expr) else v for v in (a, b))
        numbers = _kind(a) == "number" or _kind(b) == "number"
        kind = type(node.op)
        if kind in (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow):
            return self._spread(BINARY[kind], a, b, node)
        if kind is ast.MatMult:
            return self._spread(operator.mul, a, b, node) if numbers else self._product(node, a, b)
        if kind is Right:
            return self._divided(node, a, b)
        if kind is Left:
            return self._solved(node, a, b)
        return self._raised(node, a, b)

    def _spread(self, f: Callable[[Any, Any], Any], a: Any, b: Any, node: Any = None) -> Any:
        """Apply an operation entry by entry; a row and a column make a matrix."""
        kinds = {_kind(a), _kind(b)}
        x, y = _plain(a), _plain(b)
        if node is not None and not isinstance(x, Tensor) and not isinstance(y, Tensor):
            return super()._combined(ast.copy_location(ast.BinOp(node.left, _PYTHON[f], node.right), node), x, y)
        if kinds == {"row", "column"} or kinds == {"column", "matrix"}:
            x, y = (
                t.unsqueeze(1) if _kind(t) == "column" and not isinstance(v, Row) else t for v, t in ((a, x), (b, y))
            )
        found = self._operated(f, x, y)
        return Row(found) if "row" in kinds and kinds <= {"row", "number"} else found

    def _product(self, node: ast.BinOp, a: Any, b: Any) -> Any:
        kinds = (_kind(a), _kind(b))
        x, y = _plain(a), _plain(b)
        if kinds in (("column", "column"), ("row", "row"), ("column", "matrix"), ("matrix", "row")):
            raise refused(
                self.text,
                node,
                f"* between a {kinds[0]} and a {kinds[1]}: the inner sizes differ; for entries write .*, for a scalar "
                "product x'*y",
            )
        if kinds == ("column", "row"):
            return self._operated(functions.outer, x, y)
        found = self._operated(operator.matmul, x, y)
        return Row(found) if kinds == ("row", "matrix") else found

    def _divided(self, node: ast.BinOp, a: Any, b: Any) -> Any:
        if _kind(b) == "number":
            return self._spread(operator.truediv, a, b, node)
        if _kind(b) != "matrix":
            raise refused(self.text, node, "/ by a vector; for entries write ./")
        return self._product(node, a, self._operated(linalg.inv, b))

    def _solved(self, node: ast.BinOp, a: Any, b: Any) -> Any:
        if _kind(a) == "number":
            return self._spread(operator.truediv, b, a, node)
        if _kind(a) != "matrix":
            raise refused(self.text, node, "\\ by a vector; its left side is a square matrix")
        return self._product(node, self._operated(linalg.inv, a), b)

    def _raised(self, node: ast.BinOp, a: Any, b: Any) -> Any:
        if _kind(a) == "number" and _kind(b) == "number":
            return self._spread(operator.pow, a, b, node)
        if _kind(a) != "matrix" or not isinstance(b, int):
            raise refused(self.text, node, "^ of an array is the matrix power, by a whole number; for entries write .^")
        return self._operated(lambda x: linalg.matrix_power(x, b), a)

    # -------------------------------------------------------------- calls and indices
    def _call(self, node: ast.Call) -> Any:
        assert isinstance(node.func, ast.Name)  # what the parser makes
        name = node.func.id
        if name in self.names:
            return self._indexed(node, self.names[name])
        args = [self.of(a) for a in node.args]
        if any(isinstance(a, slice) for a in args):
            raise refused(self.text, node, f"{name!r} is not declared, and : is for indices")
        own = _FUNCTIONS.get(name)
        f = own or listed().get(_RENAMED.get(name, name))
        if f is None:
            raise refused(self.text, node, f"{name!r} is neither a declared name nor a function that formulas may call")
        if own is not None:
            return own(self, *args)
        found = self._called(f, *map(_plain, args))
        rows = [a for a in args if isinstance(a, Row)]
        return Row(found) if rows and getattr(found, "shape", None) == rows[0].value.shape else found

    def _called(self, f: Callable[..., Any], *args: Any, **words: Any) -> Any:
        return f(*args, **words) if self.bounds is None else self.bounds.call(f, args, words)

    def _indexed(self, node: ast.Call, whole: Any) -> Any:
        """x(1), A(2, :), A(:), counted from 1."""
        t = as_tensor(whole)
        keys = node.args
        if len(keys) == 1 and len(t.shape) == 2 and isinstance(keys[0], ast.Slice) and keys[0].lower is None:
            return self._operated(lambda x: x.mT.reshape(-1), t)
        if len(keys) != len(t.shape):
            raise refused(self.text, node, f"{node.func.id} has {len(t.shape)} indices, got {len(keys)}")  # type: ignore[attr-defined]
        places = tuple(self._place(k, t.shape[axis]) for axis, k in enumerate(keys))
        found = self._operated(lambda x: x[places], t)
        return Row(found) if len(places) == 2 and isinstance(places[0], int) and isinstance(places[1], slice) else found

    def _place(self, key: ast.expr, size: Any) -> Any:
        if isinstance(key, ast.Slice):
            return (
                slice(None)
                if key.lower is None
                else slice(self._count(key.lower, size), self._count(key.upper, size) + 1)
            )
        return self._count(key, size)

    def _count(self, node: Any, size: Any) -> int:
        if isinstance(node, ast.Name) and node.id == "end" and "end" not in self.names:
            if not isinstance(size, int):
                raise refused(self.text, node, f"end: the size {size} has no number")
            return size - 1
        found = self.of(node)
        if not isinstance(found, int) or found < 1:
            raise refused(self.text, node, "an index is a whole number, counted from 1")
        return found - 1

    def _list(self, node: ast.List) -> Any:
        rows = [[as_tensor(self.of(e)) for e in row.elts] for row in node.elts]  # type: ignore[attr-defined]
        if any(t.shape != () for row in rows for t in row) or len({len(row) for row in rows}) != 1 or not rows[0]:
            raise refused(self.text, node, "brackets hold numbers here, in rows of one length, as in [1, 2; 3, 4]")
        if len(rows) == 1:
            return Row(self._operated(lambda *ts: functions.stack(ts), *rows[0]))
        if len(rows[0]) == 1:
            return self._operated(lambda *ts: functions.stack(ts), *[row[0] for row in rows])
        made = [self._operated(lambda *ts: functions.stack(ts), *row) for row in rows]
        return self._operated(lambda *ts: functions.stack(ts), *made)


_PYTHON = {BINARY[type(op)]: op for op in (ast.Add(), ast.Sub(), ast.Mult(), ast.Div(), ast.Pow())}
_RENAMED = {"power": "pow", "times": "mul", "gammaln": "lgamma", "Inf": "inf"}


# ------------------------------------------------------------------ functions that are MATLAB's own
def _over(name: str) -> Callable[..., Any]:
    """Return a reduction: of a vector a number, of a matrix a row of its columns, or along an axis counted from 1."""
    f = getattr(functions, name)

    def reduced(of: Matlab, x: Any, *how: Any) -> Any:
        t = as_tensor(_plain(x))
        if how == ("all",) or len(t.shape) < 2:
            return of._called(f, t)
        axis = how[-1] if how else 1
        if axis not in (1, 2):
            raise ArgumentError(f"{name}: got the axis {axis}. Expected 1 for columns, 2 for rows, or 'all'")
        found = of._called(f, t, dim=axis - 1)
        found = found[0] if isinstance(found, tuple) else found
        return Row(found) if axis == 1 else found

    return reduced


def _norm(of: Matlab, x: Any, order: Any = 2) -> Any:
    t = as_tensor(_plain(x))
    if order == "fro":
        return of._called(functions.norm, t)
    if len(t.shape) == 2:
        return of._called(linalg.matrix_norm, t, order)
    return of._called(functions.norm, t, order)


def _size(of: Matlab, x: Any, axis: Any = None) -> Any:
    shape = as_tensor(_plain(x)).shape
    shape = (1, *shape) if isinstance(x, Row) else (*shape, 1)[: max(2, len(shape))] if shape else (1, 1)
    if axis not in (1, 2):
        raise ArgumentError("size: write size(x, 1) for the rows, size(x, 2) for the columns")
    return shape[axis - 1]


def _numel(of: Matlab, x: Any) -> Any:
    return prod(as_tensor(_plain(x)).shape)


def _length(of: Matlab, x: Any) -> Any:
    t = as_tensor(_plain(x))
    if len(t.shape) > 1:
        raise ArgumentError("length: of a matrix write size(A, 1) or size(A, 2)")
    return _numel(of, x)


def _filled(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return ones or zeros: of n and 1 a column, of 1 and n a row."""

    def filled(of: Matlab, *sizes: Any) -> Any:
        rows, columns = (*sizes, *sizes)[:2]
        if columns == 1:
            return of._called(make, rows)
        return Row(of._called(make, columns)) if rows == 1 else of._called(make, rows, columns)

    return filled


def _spread_by(name: str) -> Callable[..., Any]:
    """Return max or min: of one argument a reduction, of two entry by entry."""
    reduce, each = _over(f"a{name}"), getattr(functions, f"{name}imum")
    return lambda of, x, *more: of._spread(each, x, more[0]) if len(more) == 1 else reduce(of, x)


def _transposed(of: Matlab, x: Any) -> Any:
    kind = _kind(x)
    return x.value if isinstance(x, Row) else Row(x) if kind == "column" else x if kind == "number" else x.mT


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": _over("sum"), "mean": _over("mean"), "prod": _over("prod"), "max": _spread_by("max"),
    "min": _spread_by("min"), "norm": _norm, "size": _size, "numel": _numel, "length": _length,
    "ones": _filled(ones), "zeros": _filled(zeros), "transpose": _transposed,
    "dot": lambda of, x, y: of._called(functions.dot, _plain(x), _plain(y)),
    "cumsum": lambda of, x: _like(x, of._called(functions.cumsum, as_tensor(_plain(x)), 0)),
    "chol": lambda of, A: of._called(linalg.cholesky, A).mT,
    "repmat": lambda of, *_: _unknown("repmat"), "bsxfun": lambda of, *_: _unknown("bsxfun"),
}  # fmt: skip


def functions_in(tree: ast.AST) -> set[str]:
    """Return the words of a tree that are no names of arrays: functions that are called, and the end of an axis."""
    heads = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return {name for name in heads if name in _FUNCTIONS or _RENAMED.get(name, name) in listed()} | {"end"}


def _like(x: Any, found: Any) -> Any:
    return Row(found) if isinstance(x, Row) else found


def _unknown(name: str) -> Any:
    raise ArgumentError(f"{name}: rows, columns and matrices spread by themselves; leave it out")
