"""The value of a formula's tree, exact where its text is: 1/3 is a third, and π has as many digits as are requested.

A tree is evaluated on tensors, so that it can be differentiated, batched, and compiled to 50 digits. Every number that
is not a float comes of one input, ``one``: the compiler would fold a quotient of constants into a float.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from symgrad import functions as sg
from symgrad.core.node import Node, ancestors
from symgrad.core.promotion import is_floating
from symgrad.engine.record import as_tensor
from symgrad.errors import ParseError, SymgradError
from symgrad.expression.bounds import Bounds
from symgrad.expression.evaluation import BARS, Evaluation, refused
from symgrad.expression.formula import Attribute, Binary, Call, Compare, Constant, Formula, Name, Unary
from symgrad.expression.function_table import function_table
from symgrad.func import jvp, vjp
from symgrad.ops.map import Map
from symgrad.tensors.creation import ones_like, symbol
from symgrad.tensors.tensor import Tensor

MOST_DIGITS = 30  # of a number that is kept as a fraction
_SIZED = ("eye", "ones", "zeros")  # functions of sizes
_ALONG = ("softmax", "log_softmax", "logsumexp", "softmin")  # functions of the last axis, if none is named
ONE = "·one"
_QUOTIENT = Binary(Name("·p"), "/", Name("·q"))


def function_named(name: str) -> Callable[..., Any] | None:
    """Return the function that formulas call by a name."""
    return function_table().get(name)


@functools.cache
def is_pointwise(name: str, count: int) -> bool:
    """Whether a function of so many arguments acts on entries, each by itself."""
    f = function_named(name)
    if f is None:
        return False
    xs = [symbol(f"x{k}", (2,)) for k in range(count)]
    try:
        y = f(*xs)
        return (
            isinstance(y, Tensor)
            and y.shape == (2,)
            and all(isinstance(node.op, Map) for node in ancestors([y._node]) if isinstance(node, Node))
        )
    except Exception:  # of any kind: f has no meaning there
        return False


# ------------------------------------------------------------------ nodes that no text has
class Slope(Formula):
    """The partial derivative of a function of entries, by its arguments in turn: f, or ∂f/∂u, or ∂²f/∂u∂v, ….

    Attributes:
        name: of the function.
        path: the arguments by which it is differentiated, in turn.
        args: its arguments.
    """

    fields, operands_in = ("name", "path", "args"), ("args",)
    name: str
    path: tuple[int, ...]
    args: Sequence[Formula]


class Tangent(Formula):
    """What a node moves by when its children move: the derivative of any function at all, in a direction.

    Attributes:
        template: the node, with names in place of its children.
        names: these names.
        points, moves: the children, and what they move by.
    """

    fields, operands_in = ("template", "names", "points", "moves"), ("points", "moves")
    template: Formula
    names: Sequence[str]
    points: Sequence[Formula]
    moves: Sequence[Formula]


def _exactly(op: str, a: Any, b: Any) -> Any:
    """The exact result of two numbers; None where it is not a fraction of moderate length."""
    if op == "**":
        small = Fraction(b).denominator == 1 and abs(b) <= 100 and (a != 0 or b >= 0)
        return Fraction(a) ** int(b) if small else None
    if op == "/":
        return Fraction(a) / Fraction(b) if b != 0 else None
    plain = {"+": operator.add, "-": operator.sub, "*": operator.mul}.get(op)
    return None if plain is None else plain(a, b)


def _partial(f: Callable[..., Any], k: int) -> Callable[..., Any]:
    def found(*us: Any) -> Any:
        y, back = vjp(lambda u: f(*us[:k], u, *us[k + 1 :]), us[k])
        return back(ones_like(y))[0]

    return found


# ------------------------------------------------------------------ evaluation
class Values(Evaluation):
    """The values of trees over the same names. A part that two trees share is computed once.

    Args:
        text: for errors.
        names: tensors by name, and ``ONE``.
        sizes: integers by name, of sizes such as n.
        bounds: of the work on constants.
        exact: whether constants are recorded as they are written, for a formula that is printed.
    """

    def __init__(
        self,
        text: str,
        names: Mapping[str, Any],
        sizes: Mapping[str, int],
        bounds: Bounds | None = None,
        exact: bool = False,
    ) -> None:
        super().__init__(text, names, bounds, exact)
        self.sizes = sizes
        self._known: dict[int, Any] = {}
        self.failed: Formula | None = None

    def tensor(self, tree: Formula) -> Tensor:
        """Return the value of a whole formula.

        Raises:
            ParseError: if it has none.
        """
        value = self.of(tree)
        if isinstance(value, list):
            value = self._stacked(value)
        if isinstance(value, (int, float, Fraction)):
            value = as_tensor(self._lifted(value))
        if not isinstance(value, Tensor):
            raise refused(self.text, tree, f"this is a {type(value).__name__}, and no number or array")
        return value if is_floating(value.dtype) else value * self.names.get(ONE, 1.0)

    def of(self, node: Any) -> Any:
        """Return the value of a node; a number is an integer, a fraction or a float."""
        value = self._known.get(id(node))
        if value is None:
            try:
                value = self._known[id(node)] = super().of(node)
            except SymgradError:
                self.failed = self.failed or node
                raise
        return value

    # -------------------------------------------------------------- numbers
    def _lifted(self, x: Any) -> Any:
        """A number as a tensor that depends on ``one``; where there is no ``one``, in floats."""
        one = self.names.get(ONE, 1.0)
        if not isinstance(x, Fraction):
            return one * x
        if self.exact:
            return super()._combined(_QUOTIENT, x.numerator, x.denominator)
        return one * float(x.numerator) / float(x.denominator)

    def _number(self, x: Any) -> Any:
        """A number for a place beside a tensor: as a float where that is exact."""
        if isinstance(x, Fraction):
            return float(x) if Fraction(float(x)) == x else self._lifted(x)
        return x

    def _constant(self, node: Constant) -> Any:
        value = super()._constant(node)
        if type(value) is float:
            exact = Fraction(repr(value)) if abs(value) < 1e15 else Fraction(value)
            return exact if len(str(exact)) <= MOST_DIGITS else value
        return value

    def _name(self, node: Name) -> Any:
        if node.id in self.names:
            return self.names[node.id]
        if node.id in self.sizes:
            return self.sizes[node.id]
        if node.id == "pi":
            return 4 * sg.atan(self.names[ONE]) if ONE in self.names else math.pi
        if node.id in ("e", "E"):
            return sg.exp(self.names[ONE]) if ONE in self.names else math.e
        return super()._name(node)

    def _combined(self, node: Binary, a: Any, b: Any) -> Any:
        if isinstance(a, list) or isinstance(b, list):
            a, b = (self._stacked(v) if isinstance(v, list) else v for v in (a, b))
        if node.op == "**" and self._is_e(node.left):
            return self.called(sg.exp, b if isinstance(b, Tensor) else self._lifted(b))
        if isinstance(a, Tensor) or isinstance(b, Tensor):
            return super()._combined(node, self._number(a), self._number(b))
        return self._of_numbers(node, a, b)

    def _is_e(self, node: Formula) -> bool:
        return isinstance(node, Name) and node.id in {"e", "E"} - {*self.names, *self.sizes}

    def _of_numbers(self, node: Binary, a: Any, b: Any) -> Any:
        """Fractions stay fractions; roots and the like are computed with all digits."""
        exact = _exactly(node.op, a, b) if all(type(v) in (int, Fraction) for v in (a, b)) else None
        if exact is not None and len(str(exact)) <= MOST_DIGITS:
            return exact
        if not all(isinstance(v, (int, float, Fraction)) for v in (a, b)):
            return super()._combined(node, a, b)  # raises
        a = self._lifted(a)
        return super()._combined(node, a if self.exact else as_tensor(a), self._number(b))

    def _stacked(self, values: list[Any]) -> Tensor:
        if not values:
            raise ParseError("grade: a list in the answer is empty. Write its entries, as in [2*x, 1].")
        parts = [self._stacked(v) if isinstance(v, list) else v for v in values]
        return sg.stack([v if isinstance(v, Tensor) else self._lifted(v) for v in parts])

    def _unary(self, node: Unary) -> Any:
        return self._operated(lambda u: -u if node.op == "-" else u, self.of(node.operand))

    def _compare(self, node: Compare) -> Any:
        left = self.of(node.left)
        self._known[id(node.left)] = left if isinstance(left, Tensor) else self._lifted(left)
        right = node.right
        self._known[id(right)] = self._number(self.of(right))
        return super()._compare(node)

    def _operated(self, f: Callable[..., Any], *args: Any) -> Any:
        if any(isinstance(a, Tensor) for a in args):
            return super()._operated(f, *args)
        return f(*args)

    # -------------------------------------------------------------- calls
    def _call(self, node: Call) -> Any:
        if node.func == BARS:
            return super()._call(node)
        f, first = self._function(node.func)
        name = node.func.id if isinstance(node.func, Name) else ""
        args = [*first, *self._arguments(node)]
        words = {k.name: self._plain(self.of(k.value)) for k in node.keywords}
        if name == "log" and len(args) == 2:  # of a base
            return self._logarithm(args[0]) / self._logarithm(args[1])
        args = self._converted(name, args)
        if name in _ALONG and len(args) == 1 and not words:
            args.append(-1)
        if name in ("max", "min") and len(args) > 1 and isinstance(args[0], Tensor) and not args[0].shape:
            return functools.reduce(sg.maximum if name == "max" else sg.minimum, args)  # of numbers, not along an axis
        result = self.called(f, *args, **words)
        return result * self.names.get(ONE, 1.0) if name in _SIZED else result  # else 1/n would be folded into a float

    def _logarithm(self, x: Any) -> Tensor:
        logarithm: Tensor = self.called(sg.log, x if isinstance(x, Tensor) else self._lifted(x))
        return logarithm

    def _converted(self, name: str, args: list[Any]) -> list[Any]:
        """Numbers as functions take them: sizes and positions as integers, exact numbers as tensors."""
        args = [self._stacked(a) if isinstance(a, list) and any(isinstance(v, Tensor) for v in a) else a for a in args]
        if name in _SIZED or any(isinstance(a, (Tensor, list, tuple)) for a in args):
            return [self._plain(a) for a in args]
        return [self._lifted(a) if isinstance(a, (int, float, Fraction)) and a is not True else a for a in args]

    def _plain(self, x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)(self._plain(v) for v in x)
        if isinstance(x, Fraction):
            return int(x) if x.denominator == 1 else self._number(x)
        return x

    def _attribute(self, node: Attribute) -> Any:
        inner = self.of(node.value)
        if isinstance(inner, list):
            self._known[id(node.value)] = self._stacked(inner)
        return super()._attribute(node)

    # -------------------------------------------------------------- derivatives
    def _slope(self, node: Slope) -> Any:
        f = function_named(node.name)
        assert f is not None  # narrows the type; the rules make slopes of functions that there are
        for k in node.path:
            f = _partial(f, k)
        return f(*[self._whole(a) for a in node.args])

    def _tangent(self, node: Tangent) -> Any:
        points, moves = [[self._whole(a) for a in part] for part in (node.points, node.moves)]

        def f(*xs: Any) -> Any:
            return Values(self.text, {**self.names, **dict(zip(node.names, xs))}, self.sizes).tensor(node.template)

        moves = [m + 0 * p for m, p in zip(moves, points)]  # a number is a direction of all entries
        return jvp(f, tuple(points), tuple(moves))[1]

    def _whole(self, tree: Formula) -> Tensor:
        value = self.of(tree)
        return (
            self._stacked(value)
            if isinstance(value, list)
            else value
            if isinstance(value, Tensor)
            else self._lifted(value)
        )
