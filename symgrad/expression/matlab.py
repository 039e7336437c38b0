"""The value of a formula in MATLAB's notation, of its tree.

A 1-D array is a column, its transpose a row; ``*`` between arrays is the matrix product, and ``+`` spreads a row and a
column, as in MATLAB.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from symgrad import functions, linalg
from symgrad.engine.record import as_tensor
from symgrad.expression.bounds import Bounds
from symgrad.expression.evaluation import BINARY, COMPARE, Evaluation, refused, unknown
from symgrad.expression.formula import Attribute, Binary, Call, Compare, Formula, List, Name, Slice, Unary, replace
from symgrad.expression.function_table import function_table
from symgrad.expression.matlab_functions import OWN, RENAMED, Row, acts_along, along, kind_of, plain
from symgrad.ops.elementwise.complexes import conj
from symgrad.tensors.tensor import Tensor


def _indices(name: str, axes: int, got: int) -> str:
    """Return the message for an array with more or fewer indices than axes, or for an indexed number."""
    if axes == 0:
        return unknown(name)
    return f"{name} has {axes} {'index' if axes == 1 else 'indices'}, got {got}"


class Matlab(Evaluation):
    """The value of a tree in MATLAB's meaning."""

    def __init__(
        self, text: str, names: Mapping[str, Any], bounds: Bounds | None, exact: bool = False, paper: bool = False
    ) -> None:
        super().__init__(text, {name: as_tensor(x) for name, x in names.items()}, bounds, exact, paper)

    def value(self, tree: Any) -> Any:
        """Return the value of the whole formula; a row as an array."""
        return plain(self.of(tree))

    def _attribute(self, node: Attribute) -> Any:
        return self._transposed(node, self.of(node.value))

    def _transposed(self, node: Attribute, x: Any) -> Any:
        self.refuse_a_prime(node, x)
        if isinstance(x, Row):
            return x.value
        kind = kind_of(x)
        x = conj(x) if node.attr == "H" else x
        return x if kind == "number" else Row(x) if kind == "column" else self._operated(lambda t: t.mT, as_tensor(x))

    def _unary(self, node: Unary) -> Any:
        return self._signed(node, self.of(node.operand))

    def _signed(self, node: Unary, x: Any) -> Any:
        tensor = self._operated(operator.neg if node.op == "-" else operator.pos, plain(x))
        return Row(tensor) if isinstance(x, Row) else tensor

    def _compare(self, node: Compare) -> Any:
        a, b = self.of(node.left), self.of(node.right)
        return self.spread(COMPARE[node.op], a, b)

    def _combined(self, node: Binary, a: Any, b: Any) -> Any:
        if any(isinstance(v, (slice, str, tuple, list)) for v in (a, b)):
            raise refused(self.text, node, "an operator stands between numbers and arrays only")
        a, b = (as_tensor(v) if isinstance(v, sp.Expr) else v for v in (a, b))
        numbers = kind_of(a) == "number" or kind_of(b) == "number"
        kind = node.op
        if kind in ("+", "-", "*", "/", "**"):
            return self.spread(BINARY[kind], a, b, node)
        if kind == "@":
            return self.spread(operator.mul, a, b, node) if numbers else self._product(node, a, b)
        if kind == "mrdivide":
            return self._divided(node, a, b)
        if kind == "mldivide":
            return self._solved(node, a, b)
        return self._raised(node, a, b)

    def spread(self, f: Callable[[Any, Any], Any], a: Any, b: Any, node: Any = None) -> Any:
        """Apply an operation entry by entry; a row and a column make a matrix."""
        kinds = {kind_of(a), kind_of(b)}
        x, y = plain(a), plain(b)
        constants = not isinstance(x, Tensor) and not isinstance(y, Tensor)
        if (
            f in _PYTHON
            and node is not None
            and (constants or (f is operator.pow and isinstance(x, float) and x == math.e and kinds == {"number"}))
        ):
            return super()._combined(replace(node, op=_PYTHON[f]), x, y)
        if kinds == {"row", "column"} or kinds == {"column", "matrix"}:
            x, y = (
                t.unsqueeze(1) if kind_of(t) == "column" and not isinstance(v, Row) else t for v, t in ((a, x), (b, y))
            )
        value = self._beside_arrays(f, x, y)
        return Row(value) if "row" in kinds and kinds <= {"row", "number"} else value

    def _product(self, node: Binary, a: Any, b: Any) -> Any:
        kinds = (kind_of(a), kind_of(b))
        x, y = plain(a), plain(b)
        if kinds in (("column", "column"), ("row", "row"), ("column", "matrix"), ("matrix", "row")):
            raise refused(
                self.text,
                node,
                f"* between a {kinds[0]} and a {kinds[1]}: the inner sizes differ; for entries write .*, for a scalar "
                "product x'*y",
            )
        if kinds == ("column", "row"):
            return self._operated(functions.outer, x, y)
        product = self._operated(operator.matmul, x, y)
        return Row(product) if kinds == ("row", "matrix") else product

    def _divided(self, node: Binary, a: Any, b: Any) -> Any:
        if kind_of(b) == "number":
            return self.spread(operator.truediv, a, b, node)
        if kind_of(b) != "matrix":
            raise refused(self.text, node, "/ by a vector; for entries write ./")
        return self._product(node, a, self._operated(linalg.inv, b))

    def _solved(self, node: Binary, a: Any, b: Any) -> Any:
        if kind_of(a) == "number":
            return self.spread(operator.truediv, b, a, node)
        if kind_of(a) != "matrix":
            raise refused(self.text, node, "\\ by a vector; its left side is a square matrix")
        return self._product(node, self._operated(linalg.inv, a), b)

    def _raised(self, node: Binary, a: Any, b: Any) -> Any:
        if kind_of(a) == "number" and kind_of(b) == "number":
            return self.spread(operator.pow, a, b, node)
        if self.paper and kind_of(a) in ("row", "column") and kind_of(b) == "number":
            return self.spread(operator.pow, a, b, node)
        if kind_of(a) != "matrix" or not isinstance(b, int):
            raise refused(self.text, node, "^ of an array is the matrix power, by an integer; for entries write .^")
        return self._operated(lambda x: linalg.matrix_power(x, b), a)

    # -------------------------------------------------------------- calls and indices
    def _call(self, node: Call) -> Any:
        assert isinstance(node.func, Name)  # what the parser makes
        name = node.func.id
        if name == "|":
            return super()._call(node)
        if name in self.names:
            return self._indexed(node, self.names[name])
        args = self._arguments(node)
        if any(isinstance(a, slice) for a in args):
            raise refused(self.text, node, f"{name!r} is not declared, and : is for indices")
        own = OWN.get(name)
        f = own or function_table().get(RENAMED.get(name, name))
        if f is None:
            raise refused(self.text, node, unknown(name))
        if own is not None:
            return own(self, *args)
        if acts_along(f, args):
            return along(self, name, f, args)
        value = self.called(f, *map(plain, args))
        rows = [a for a in args if isinstance(a, Row)]
        return Row(value) if rows and getattr(value, "shape", None) == rows[0].value.shape else value

    def _indexed(self, node: Call, whole: Any) -> Any:
        """x(1), A(2, :), A(:), counted from 1."""
        t = as_tensor(whole)
        keys = node.args
        if len(keys) == 1 and len(t.shape) == 2 and isinstance(keys[0], Slice) and keys[0].lower is None:
            return self._operated(lambda x: x.mT.reshape(-1), t)
        if len(keys) != len(t.shape):
            raise refused(self.text, node, _indices(node.func.id, len(t.shape), len(keys)))  # type: ignore[attr-defined]
        places = tuple(self._place(k, t.shape[axis]) for axis, k in enumerate(keys))
        entries = self._operated(lambda x: x[places], t)
        return (
            Row(entries)
            if len(places) == 2 and isinstance(places[0], int) and isinstance(places[1], slice)
            else entries
        )

    def _place(self, key: Formula, size: Any) -> Any:
        if not isinstance(key, Slice):
            return self._count(key)
        if key.lower is None:
            return slice(None)
        first, last = self._count(key.lower), self._count(key.upper)
        beyond = next((k for k in (first, last) if isinstance(size, int) and not -size <= k < size), None)
        if beyond is not None:  # Python would cut the range
            raise refused(self.text, key, f"a place of this range is outside of the {size} that there are")
        return slice(first, None if last == -1 else last + 1)

    def _count(self, node: Any) -> int:
        """Return an index counted from 0; from the end, as -1 for end and -2 for end-1."""
        off = node.right if isinstance(node, Binary) and node.op == "-" else None
        whole = node.left if off is not None else node
        if isinstance(whole, Name) and whole.id == "end" and "end" not in self.names:
            position = 1 if off is None else self.of(off) + 1
            return -self._checked(node, position)
        return self._checked(node, self.of(node)) - 1

    def _checked(self, node: Any, index: Any) -> int:
        if not isinstance(index, int) or index < 1:
            raise refused(self.text, node, "an index is an integer, counted from 1")
        return index

    def _list(self, node: List) -> Any:
        rows = [[as_tensor(self.of(e)) for e in row.elts] for row in node.elts]  # type: ignore[attr-defined]
        if any(t.shape != () for row in rows for t in row) or len({len(row) for row in rows}) != 1 or not rows[0]:
            raise refused(self.text, node, "brackets hold numbers here, in rows of one length, as in [1, 2; 3, 4]")
        if len(rows) == 1:
            return Row(self._operated(lambda *ts: functions.stack(ts), *rows[0]))
        if len(rows[0]) == 1:
            return self._operated(lambda *ts: functions.stack(ts), *[row[0] for row in rows])
        made = [self._operated(lambda *ts: functions.stack(ts), *row) for row in rows]
        return self._operated(lambda *ts: functions.stack(ts), *made)


_PYTHON = {BINARY[op]: op for op in ("+", "-", "*", "/", "**")}
