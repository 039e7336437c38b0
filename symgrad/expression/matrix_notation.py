"""The value of a formula in the notation of linear algebra, in which closed forms are printed.

``*`` is the product of matrices, ``⊙``, ``⊘`` and ``^⊙`` act entry by entry, and a vector is a column. ``I`` and the
vector ``1``, as in ``X*1`` and ``1ᵀ*X``, have the sizes of what they meet.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_parts
from functools import partial
from typing import Any

from symgrad import functions
from symgrad.engine.record import as_tensor
from symgrad.errors import ParseError, SymgradError
from symgrad.expression.bounds import Bounds
from symgrad.expression.evaluation import BARS, COMPARE, Evaluation, refused
from symgrad.expression.formula import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Formula,
    List,
    Name,
    Tuple,
    Unary,
    replace,
    walk,
)
from symgrad.expression.grammar import Reading
from symgrad.expression.instead import two_ways
from symgrad.expression.matlab import Matlab
from symgrad.expression.matlab_functions import Row, kind_of, plain
from symgrad.expression.paper import shown
from symgrad.expression.tokens import ONES
from symgrad.scalars import BY_FUNCTION
from symgrad.tensors.creation import eye, ones
from symgrad.tensors.tensor import Tensor

REAL, UNIT, OPEN = "a size", "1", "a size that is not known yet"
_AXES = {"column": (REAL, UNIT), "row": (UNIT, REAL), "matrix": (REAL, REAL)}
_OF_SQUARE = {"trace", "tr", "det", "logdet", "inv", "matrix_exp", "expm", "cholesky"}
_BY_ROWS = ("softmax", "log_softmax")


@dataclass(frozen=True)
class Spread:
    """A matrix that is the same along axes whose sizes are not known yet, as x*1ᵀ; its value has the size 1 there."""

    value: Tensor
    axes: tuple[str, str]

    def of(self, value: Tensor) -> Any:
        """Return another matrix with these axes: a number, a row, a column or a matrix where no size is missing."""
        if OPEN in self.axes:
            return Spread(value, self.axes)
        if self.axes == (REAL, REAL):
            return value
        vector = value.reshape(-1) if REAL in self.axes else value[0, 0]
        return Row(vector) if self.axes == (UNIT, REAL) else vector


@dataclass(frozen=True)
class Identity:
    """A number times the identity matrix, whose size is not known yet."""

    scale: Any


def _ones(row: bool) -> Spread:
    return Spread(ones(1, 1), (UNIT, OPEN) if row else (OPEN, UNIT))


def _spread(x: Any) -> Spread:
    """Return a vector or a matrix with its two axes."""
    if isinstance(x, Spread):
        return x
    kind = kind_of(x)
    shape = plain(x)
    return Spread({"column": lambda: shape.unsqueeze(1), "row": lambda: shape.unsqueeze(0)}.get(kind, lambda: shape)(),
                  _AXES[kind])  # fmt: skip


def _is_number(x: Any) -> bool:
    return not isinstance(x, (Spread, Identity)) and kind_of(x) == "number"


def _is_one(node: Formula) -> bool:
    """Whether this is the vector 1, where it stands as a factor behind an array or transposed."""
    one = isinstance(node, Constant) and type(node.value) is int and node.value == 1
    return one or node == Name(ONES)


class Matrix(Matlab):
    """The value of a tree in the meaning of linear algebra."""

    signs: tuple[str, ...] = ("@",)  # of products of matrices

    def value(self, tree: Any) -> Any:
        """Return the value of the whole formula.

        Raises:
            ParseError: if it contains an identity, or a vector of ones, whose size cannot be inferred.
        """
        result = self.of(tree)
        if isinstance(result, (Identity, Spread)):
            one, instead = ("I", "eye(n)") if isinstance(result, Identity) else ("the vector 1", "ones(n)")
            raise refused(self.text, tree, f"the size of {one} is unknown; write {instead}")
        return plain(result)

    def _name(self, node: Name) -> Any:
        if node.id in self.names or node.id not in ("I", ONES):
            return super()._name(node)
        return Identity(1.0) if node.id == "I" else _ones(row=False)

    def _attribute(self, node: Attribute) -> Any:
        if _is_one(node.value):
            return _ones(row=True)
        x = self.of(node.value)
        if isinstance(x, Identity):
            return x
        if isinstance(x, Spread):
            return Spread(x.value.mT, (x.axes[1], x.axes[0]))
        return self._transposed(node, x)

    def _unary(self, node: Unary) -> Any:
        x = self.of(node.operand)
        if isinstance(x, Identity):
            return Identity(-x.scale if node.op == "-" else x.scale)
        if isinstance(x, Spread):
            return Spread(-x.value if node.op == "-" else x.value, x.axes)
        return self._signed(node, x)

    def _compare(self, node: Compare) -> Any:
        a, b = self.of(node.left), self.of(node.right)
        return self.spread(COMPARE[node.op], a, b, node)

    def _binary(self, node: Binary) -> Any:
        steps: list[Binary] = []
        left: Formula = node
        while isinstance(left, Binary):
            steps.append(left)
            left = left.left
        first = steps[-1]
        leads = first.op in self.signs and _is_one(left) and _has_a_row(first.right)  # 1*xᵀ
        value = _ones(row=False) if leads else self.of(left)
        return self._steps(steps[::-1], value, [self._factor(step) for step in reversed(steps)])

    def _factor(self, step: Binary) -> Any:
        arrays = any(getattr(x, "shape", ()) for x in self.names.values())
        is_ones = arrays and step.op in self.signs and _is_one(step.right) and not step.right.brackets
        return _ones(row=False) if is_ones else self.of(step.right)

    def _steps(self, steps: Sequence[Binary], value: Any, others: Sequence[Any]) -> Any:
        """Return what operations in a row make of a value, each with another one."""
        for step, other in zip(steps, others, strict=True):
            value = self._told(step, partial(self._combined, step, value, other))
        return value

    def _combined(self, node: Binary, a: Any, b: Any) -> Any:
        if isinstance(a, Identity) or isinstance(b, Identity):
            return self._with_identity(node, a, b)
        if not (isinstance(a, Spread) or isinstance(b, Spread)):
            crossed = self.text.startswith(("×", "\\times"), (node.mark or (0, 0))[0])
            if crossed and kind_of(a) == kind_of(b) == "column":
                return self._operated(functions.cross, a, b)
            return super()._combined(node, a, b)
        if node.op == "@" and not (_is_number(a) or _is_number(b)):
            return self._spread_product(node, a, b)
        operate = {"@": operator.mul, "mrdivide": operator.truediv, "mpower": operator.pow}.get(node.op)
        if operate is not None and not (_is_number(b) or operate is operator.mul):
            raise refused(self.text, node, "the size of the vector 1 is unknown; write ones(n)")
        return self.spread(operate or _ENTRIES[node.op], a, b, node)

    def spread(self, f: Callable[[Any, Any], Any], a: Any, b: Any, node: Any = None) -> Any:
        """Apply an operation entry by entry; what has open axes takes the sizes of what it meets."""
        if not (isinstance(a, Spread) or isinstance(b, Spread)):
            return super().spread(f, a, b, node)
        if _is_number(a) or _is_number(b):
            pair = a if isinstance(a, Spread) else b
            return Spread(self._operated(f, *(x.value if isinstance(x, Spread) else x for x in (a, b))), pair.axes)
        one, other = _spread(a), _spread(b)
        axes = [_met(m, n) for m, n in zip(one.axes, other.axes, strict=True)]
        if None in axes:
            raise refused(self.text, node, "the sizes differ: a column and a row meet")
        return Spread(one.value, (str(axes[0]), str(axes[1]))).of(self._operated(f, one.value, other.value))

    def _spread_product(self, node: Binary, a: Any, b: Any) -> Any:
        """Return the product of matrices, one of which is the same along an axis: the other is summed along it."""
        one, other = _spread(a), _spread(b)
        inner = (one.axes[1], other.axes[0])
        if inner == (OPEN, OPEN) or (UNIT in inner and inner != (UNIT, UNIT) and OPEN not in inner):
            raise refused(self.text, node, "the size of the vector 1 is unknown; write ones(n)")
        x, y = one.value, other.value
        if inner[0] == OPEN and inner[1] == REAL:
            y = self._operated(lambda t: t.sum(0, keepdim=True), y)
        if inner[1] == OPEN and inner[0] == REAL:
            x = self._operated(lambda t: t.sum(1, keepdim=True), x)
        return Spread(x, (one.axes[0], other.axes[1])).of(self._operated(operator.matmul, x, y))

    def _with_identity(self, node: Binary, a: Any, b: Any) -> Any:
        """Return what an operation makes of the identity and a number or a matrix."""
        one, other = (a, b) if isinstance(a, Identity) else (b, a)
        by = other.scale if isinstance(other, Identity) else other
        scales = (a.scale, b.scale if isinstance(b, Identity) else b) if isinstance(a, Identity) else (a, b.scale)
        if node.op == "@" or (node.op in ("+", "-") and isinstance(other, Identity)):
            f = {"@": operator.mul, "+": operator.add, "-": operator.sub}[node.op]
            if isinstance(other, Identity) or _is_number(other):
                return Identity(f(*scales))
            return self.spread(operator.mul, one.scale, other, node)
        if node.op in ("mrdivide", "/") and one is a and _is_number(b):
            return Identity(one.scale / by)
        if node.op == "mpower" and one is a and isinstance(b, int):
            return Identity(one.scale**b)
        matrix = other.of(other.value) if isinstance(other, Spread) else other
        if node.op in _ENTRIES and kind_of(matrix) == "matrix" and not isinstance(matrix, Spread):
            square = self._operated(lambda t: one.scale * eye(t.shape[0]), matrix)
            return self.spread(_ENTRIES[node.op], *((square, matrix) if one is a else (matrix, square)), node)
        raise refused(self.text, node, "the size of I is unknown; write eye(n)")

    # -------------------------------------------------------------- functions
    def _call(self, node: Call) -> Any:
        name = node.func.id if isinstance(node.func, Name) else ""
        if name in self.names:
            return super()._call(node)
        values = self._arguments(node)
        words = {k.name: plain(self.of(k.value)) for k in node.keywords}
        if any(isinstance(v, Identity) for v in values):
            raise refused(self.text, node, "the size of I is unknown; write eye(n)")
        spread = next((v for v in values if isinstance(v, Spread)), None)
        if spread is not None:
            return self._of_spread(node, name, spread, len(values))
        args = [plain(v) for v in values]
        if node.func == BARS and kind_of(args[0]) == "column":
            return self.called(functions.abs, *args)
        if node.func == BARS:
            return super()._call(node)
        f, first = self._function(node.func)
        args = [*first, *args]
        if name in _BY_ROWS and not words and len(args) == 1 and kind_of(args[0]) == "matrix":
            words = {"dim": 1}
        value = self.called(f, *args, **words)
        rows = [v for v in values if isinstance(v, Row)]
        return Row(value) if rows and getattr(value, "shape", None) == rows[0].value.shape else value

    def _of_spread(self, node: Call, name: str, x: Spread, count: int) -> Any:
        """Return a function of each entry of what is the same along an axis; diag(1) is the identity."""
        if name == "diag" and x.axes == (OPEN, UNIT):
            return Identity(x.value[0, 0])
        f, _ = self._function(node.func)
        if count > 1 or name not in _ENTRYWISE:
            raise refused(self.text, node, "the size of the vector 1 is unknown; write ones(n)")
        return Spread(self.called(f, x.value), x.axes)

    def _list(self, node: List) -> Any:
        rows = [row for row in node.elts if type(row) is Tuple]
        if len(rows) > 1:
            return super()._list(node)
        elements = rows[0].elts if rows else node.elts
        parts = [as_tensor(plain(self.of(e))) for e in elements]
        return self._operated(lambda *ts: functions.stack(ts), *parts)


class Unsigned(Matrix):
    """The value of a formula whose signs do not tell what ``*`` is: here stands what it means to people.

    Where a matrix and a vector are among the factors of a row a*b*c, each ``*`` between arrays is the product of
    matrices, and so it is between matrices alone, but for sum(A*B) outside of a trace. Vectors alone are multiplied
    entry by entry. A number scales what it stands beside.

    Attributes:
        products: the products of matrices.
        doubts: those of them that may be meant entry by entry, as A*B and x*A.
        unclear: products of vectors beside a matrix, as in A*x*y.
        raises: whether an array is raised to a power as in Python.
    """

    signs = ("@", "*")

    def __init__(
        self, text: str, names: Mapping[str, Any], bounds: Bounds | None, exact: bool = True, paper: bool = True
    ) -> None:
        super().__init__(text, names, bounds, exact, paper)
        self.products, self.doubts, self.unclear = list[Binary](), list[Binary](), list[Binary]()
        self.raises, self._linear, self._inside, self._in_square = False, False, 0, 0

    def _steps(self, steps: Sequence[Binary], value: Any, others: Sequence[Any]) -> Any:
        k = 0
        while k < len(steps):
            last = k + 1
            while steps[k].op == "*" and last < len(steps) and steps[last].op == "*" and not steps[last].left.brackets:
                last += 1
            kinds = [_kind(v) for v in (value, *others[k:last])]
            self._linear = steps[k].op == "*" and {*kinds} >= {"column", "matrix"}
            value = super()._steps(steps[k:last], value, others[k:last])
            if self._linear and _kind(value) == "row" and "row" not in kinds:  # x*A
                self.doubts.append(steps[last - 1])
            k = last
        return value

    def _combined(self, node: Binary, a: Any, b: Any) -> Any:
        self.raises |= node.op == "**" and not _is_number(a)
        if node.op != "*":
            return super()._combined(node, a, b)
        kinds = [_kind(a), _kind(b)]
        if kinds == ["column", "column"]:
            self.unclear += [node] * self._linear
            return super()._combined(node, a, b)  # x*y
        if kinds == ["matrix", "matrix"] and not (self._linear or self._in_square):
            if self._inside and a.shape == b.shape:
                return super()._combined(node, a, b)  # sum(A*B)
            self.doubts.append(node)
        if "number" not in kinds:
            self.products.append(node)
        a = Row(a) if kinds == ["column", "matrix"] else a  # x*A*x
        return super()._combined(replace(node, op="@"), a, b)

    def _call(self, node: Call) -> Any:
        square = isinstance(node.func, Name) and node.func.id in _OF_SQUARE
        self._inside, self._in_square = self._inside + 1, self._in_square + square
        value = super()._call(node)
        self._inside, self._in_square = self._inside - 1, self._in_square - square
        return value


def products_in(reading: Reading, names: Mapping[str, Any]) -> list[Binary] | None:
    """Return the products of matrices that people mean by ``*``; None of a formula that is read as NumPy reads it.

    A formula with an @ or methods is a program's. Of others that reading is meant which the shapes allow; where they
    allow both, that of linear algebra.

    Raises:
        ParseError: both are meant by people: ``A*B`` of square matrices, ``(X*w)**2`` with Python's sign for powers.
    """
    tree, text = reading.tree, reading.text
    if not (may_be_linear(reading) and any(len(x.shape) > 1 for x in names.values())):
        return None
    linear = Unsigned(text, names, Bounds())
    try:
        linear.value(tree)
    except SymgradError:
        linear.products.clear()
    if linear.unclear:
        raise _of_two_ways(text, linear.unclear[0])
    if not (linear.products or _is_by_rows(tree)):
        return None
    try:
        Evaluation(text, names, Bounds(), True, True).value(tree)
    except SymgradError:
        return linear.products
    for node in linear.products:
        if _is_one(node.right) or node in linear.doubts or linear.raises or _transposes(tree):
            raise _of_two_ways(text, node)
    return linear.products


def _of_two_ways(text: str, node: Binary) -> ParseError:
    """Return the error about a product that may be one of matrices or of entries."""
    a, b = (shown(part) for part in node.operands)
    ways = (f"sum({a}, 1)", a) if _is_one(node.right) else (f"{a} @ {b}", f"{a} ⊙ {b}")
    return refused(text, node, two_ways(f"{a}*{b}", *ways))


def with_signs(reading: Reading, products: Sequence[Binary]) -> Reading:
    """Return a formula with @ for these products."""
    signs, places = list(reading.text), {node.mark: node for node in products if not node.silent}
    for node in places.values():
        signs[(node.mark or (0, 0))[0]] = "@"
    return with_parts(reading, text="".join(signs), tree=_with_matmul(reading.tree, products))


def _with_matmul(node: Formula, products: Sequence[Binary]) -> Formula:
    new = node.with_operands([_with_matmul(part, products) for part in node.operands]) if node.operands else node
    return replace(new, op="@") if isinstance(new, Binary) and any(node is p for p in products) else new


def _kind(value: Any) -> str:
    return "" if isinstance(value, (Spread, Identity)) else kind_of(value)


def may_be_linear(reading: Reading) -> bool:
    """Whether a formula of people's has products, and no sign of a program's."""
    if not reading.paper or reading.syntax != "python":
        return False
    tree, nodes = reading.tree, list(walk(reading.tree))
    if any(isinstance(n, Binary) and n.op in ("@", "//", "%") and not n.silent for n in nodes):
        return False
    if any(isinstance(n, Call) and isinstance(n.func, Attribute) for n in nodes):
        return False
    return _is_by_rows(tree) or any(isinstance(n, Binary) and n.op == "*" for n in nodes)


def _is_by_rows(tree: Formula) -> bool:
    return any(isinstance(n, Call) and n.name in _BY_ROWS and len(n.args) == 1 and not n.keywords for n in walk(tree))


def _transposes(tree: Formula) -> bool:
    return any(isinstance(n, Attribute) and n.attr in ("T", "mT") for n in walk(tree))


def _met(m: str, n: str) -> str | None:
    """Return the axis that two axes make that meet; None where they do not fit."""
    if m == n:
        return m
    return REAL if {m, n} == {REAL, OPEN} else None


def _has_a_row(node: Formula) -> bool:
    """Whether a product begins with a transposed factor."""
    while isinstance(node, Binary) and node.op == "@" and not node.brackets:
        node = node.left
    return isinstance(node, Attribute)


_ENTRIES = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow}
_ENTRYWISE = {*(d.name for d in BY_FUNCTION.values()), *(d.text for d in BY_FUNCTION.values()), "exp", "abs"}
