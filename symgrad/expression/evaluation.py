"""The value of a formula's tree, whose kinds of nodes were checked; and messages about a place in the text."""

from __future__ import annotations

import cmath
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any

from symgrad import functions
from symgrad.core.node import CONSTANT, TRACED, Leaf, ancestors, tensor_node, tensor_value
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ParseError
from symgrad.expression.bounds import Bounds
from symgrad.expression.constants import CONSTANTS, IMAGINARY, NO_NUMBERS
from symgrad.expression.formula import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Formula,
    List,
    Name,
    Slice,
    Subscript,
    Tuple,
    Unary,
    replace,
)
from symgrad.expression.function_table import function_table
from symgrad.expression.instead import INSTEAD, PRIME, product, refused_at
from symgrad.ops.map import POW, Map, exact
from symgrad.scalars import X
from symgrad.support.namespace import near
from symgrad.tensors.creation import filled
from symgrad.tensors.tensor import Tensor

MOST_EXPONENT = 1_000
HALF = 0.5
_SHORT = 200  # numerators and denominators of fractions that are told from their floats

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "@": operator.matmul,
    "**": operator.pow,
    "%": operator.mod,
    "//": operator.floordiv,
    "⊙": operator.mul,
}
UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_OF_CASES = ("where", "max", "min", "maximum", "minimum")  # whose numbers a formula shows
_SIZED = ("eye", "ones", "zeros")  # whose arguments are sizes
_INTEGRALS = ("integral", "Integral", "integrate", "integrate.quad", "quad", "int")
PREFIXES = ("symgrad", "sg", "torch", "np", "numpy", "nn", "F", "functional", "linalg", "special", "fft", "math")


def _is_row(node: Formula) -> bool:
    """Whether this is a transpose."""
    return isinstance(node, Attribute)


BARS = Name("|")  # the function of |x|


def unknown(name: str) -> str:
    """Return the message for calling a name that is not a function."""
    if len(name) == 1:
        return f"{name!r} is not a function that formulas may call; for the product write {name}*(…)"
    if name in _INTEGRALS:
        return f"{name!r} is not a function that formulas may call; write {INSTEAD['∫']}"
    return f"{name!r} is not a function that formulas may call{near(name, function_table())}".rstrip("?")


def refused(text: str, node: Formula, reason: str) -> ParseError:
    """Return the error that shows a part of a formula with a mark under it; of an operation under its operator."""
    start, end = node.mark or node.place or (0, 1)
    return refused_at(text, start, reason, end)


def source(text: str, node: Formula) -> str:
    """Return the characters that a part was read from."""
    return "" if node.place is None else text[slice(*node.place)]


def _in_bars(call: Call, argument: Any) -> Any:
    """Return what stands within bars as the argument of a sum, else None."""
    if call.func == Name("sum") and isinstance(argument, Call) and argument.func == BARS:
        return argument.args[0]
    return None


class Quotient(float):
    """A fraction of integers, which is written as 3/4 and not as 0.75; next to numbers it is its float."""

    __slots__ = ("fraction",)
    fraction: Fraction

    def __new__(cls, value: float, fraction: Fraction) -> Quotient:
        """Return the float that a program computes, with its fraction."""
        quotient = super().__new__(cls, value)
        quotient.fraction = fraction
        return quotient

    def __neg__(self) -> Quotient:
        return Quotient(-float(self), -self.fraction)

    def __pos__(self) -> Quotient:
        return self

    def recorded(self) -> Any:
        """Return the fraction as a tensor that knows how it was made."""
        return _recorded(operator.truediv, self.fraction.as_integer_ratio())


def _beside(v: Any) -> Any:
    """Return a value as it stands next to tensors: fractions are recorded, all else stays as it is."""
    return v.recorded() if isinstance(v, Quotient) else v


def _is_decimal(v: Any) -> bool:
    """Whether a number such as 2.5 is written as a decimal; √x is written as x^0.5 too."""
    return type(v) is float and not v.is_integer() and abs(v) != HALF


def _halved(n: Fraction) -> bool:
    """Whether a fraction is one of quarters, eighths, …, whose float is exact."""
    return n.denominator > 2 and n.denominator & (n.denominator - 1) == 0


def _is_number(v: Any) -> bool:
    """Whether a value is a tensor of one number, so that a decimal in its exponent is kept as it is written."""
    return isinstance(v, Tensor) and v.shape == ()


def _plain(v: Any) -> Any:
    """Return a value as functions take it: fractions as floats, in lists too."""
    return type(v)(map(_plain, v)) if type(v) in (list, tuple) else float(v) if isinstance(v, Quotient) else v


def _fraction(v: float) -> Fraction:
    """Return a number as it is written."""
    return v.fraction if isinstance(v, Quotient) else Fraction(repr(v))


def _recorded(f: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Return f of numbers as a tensor that knows how it was made, so that log(3) prints as such."""
    args = [_beside(a) for a in args]
    leaves = [None if isinstance(a, Tensor) else Leaf(float(a), (), TRACED) for a in args]
    tensor = f(*[a if leaf is None else handle(leaf, leaf.value) for a, leaf in zip(args, leaves, strict=True)])
    for leaf in filter(None, leaves):
        leaf.level = CONSTANT  # from here on a number of the formula, as all others
    return tensor


def _is_told(op: str, a: float, b: float, result: float) -> bool:
    """Whether a float shows which fraction it is: 1.5 shows 3/2, while 1.0010010010010010 does not show 1000/999."""
    if op in ("//", "%") or not (math.isfinite(a) and math.isfinite(b)):
        return True
    fraction = BINARY[op](_fraction(a), _fraction(b))
    if not isinstance(fraction, Fraction) or float(fraction) != result:
        return False
    p, q = fraction.as_integer_ratio()
    shown = exact(result)
    return max(abs(p), q) <= _SHORT or (shown.is_Rational and (shown.p, shown.q) == (p, q))


def _marked(op: str, a: float, b: float, value: float) -> float:
    """Return the value as a fraction, where an operation on integers and fractions makes one."""
    if op not in ("+", "-", "*", "/", "**") or not all(type(v) in (int, Quotient) for v in (a, b)):
        return value
    fraction = BINARY[op](_fraction(a), _fraction(b))
    if not isinstance(fraction, Fraction):
        return value
    return fraction.numerator if fraction.denominator == 1 else Quotient(value, fraction)


class Evaluation:
    """Evaluates a tree whose kinds of nodes were checked.

    Args:
        text: the formula, for errors.
        names: what its names stand for.
        bounds: of the work, where there are some.
        exact: whether constants are recorded as they are written, so that a formula prints log(3) and not its digits.
        paper: whether the formula was read as people write.
    """

    def __init__(
        self, text: str, names: Mapping[str, Any], bounds: Bounds | None, exact: bool = False, paper: bool = False
    ) -> None:
        self.text, self.names, self.bounds, self.exact, self.paper = text, names, bounds, exact, paper
        self.sizes: Mapping[str, Any] = {}  # of the letters that are sizes of arrays

    def value(self, tree: Any) -> Any:
        """Return the value of the whole formula."""
        return self._array(_beside(self.of(tree)))

    def _array(self, v: Any) -> Any:
        """Return a list of numbers or tensors, as people write arrays, as one tensor."""
        if not (isinstance(v, list) and v and self.paper):
            return v
        return self._operated(lambda *ts: functions.stack(ts), *[as_tensor(self._array(_beside(part))) for part in v])

    def _operated(self, f: Callable[..., Any], *args: Any) -> Any:
        return f(*args) if self.bounds is None else self.bounds.operate(f, args)

    def of(self, node: Any) -> Any:
        """Return the value of a node."""
        return self._told(node, partial(getattr(self, f"_{type(node).__name__.lower()}"), node))

    def _told(self, node: Any, compute: Callable[[], Any]) -> Any:
        """Return the value of a node; an error names its place in the text."""
        try:
            return compute()
        except ParseError:
            raise
        except Exception as error:  # of any kind: whatever a function makes of such arguments, the text is refused
            if isinstance(error, ZeroDivisionError):
                raise refused(self.text, node, "ZeroDivisionError: this divides by 0") from error
            first = re.split(r"(?<=\.)\s", str(error))[0]
            said = f"{type(error).__name__}: {first}".rstrip(".: ")
            if re.search("0D|0-dim|must have at least 2 dim", first):
                said = self._shapeless() + said
            raise refused(self.text, node, said) from error

    def _shapeless(self) -> str:
        """Return the hint that names without a shape are numbers; nothing where each has one."""
        numbers = [name for name, v in self.names.items() if getattr(v, "shape", None) == ()]
        if not numbers:
            return ""
        shape, more = '("n", "d")' if numbers[0].isupper() else '("n",)', ", …" if numbers[1:] else ""
        hint = f'pass shapes={{"{numbers[0]}": {shape}{more}}} for arrays'
        return f"without a shape, {' and '.join(numbers)} {'are numbers' if more else 'is a number'}; {hint}. "

    def _constant(self, node: Constant) -> Any:
        v = node.value
        if v is None or v is Ellipsis or isinstance(v, bool):
            return v
        if type(v) is float:
            self._check_size(node, v)
            return v
        if type(v) is int and abs(v) < 2**53:
            return v
        if isinstance(v, str) and len(v) <= 20 and re.fullmatch(r"[A-Za-z_][\w -]*|[a-zA-Z.,>\- ]+", v):
            return v  # a word such as 'sum', or the letters of einsum
        if isinstance(v, complex) and "j" not in self.names:
            self._check_size(node, v.imag)
            return v
        if isinstance(v, complex):
            digits = source(self.text, node) or "j"
            raise refused_at(self.text, (node.place or (0, 1))[1] - 1, product(digits[:-1], digits[-1]))
        kind = "an integer of 16 digits and more" if type(v) is int else f"a constant of type {type(v).__name__}"
        raise refused(self.text, node, f"{kind} cannot be part of a formula")

    def _check_size(self, node: Constant, v: float) -> None:
        """Refuse a number that no float holds, as 1e400, and one that becomes 0, as 1e-400."""
        digits = source(self.text, node).lower().partition("e")[0]
        if math.isinf(v) or (v == 0 and re.search("[1-9]", digits)):
            kind = "large" if v else "small"
            raise refused(self.text, node, f"this number is too {kind}: floats go from 5e-324 to 1.8e308")

    def _name(self, node: Name) -> Any:
        if node.id in self.names:
            return self.names[node.id]
        if node.id in self.sizes:
            n = self.sizes[node.id]
            return n if isinstance(n, int) else filled((), n, None)
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        if node.id in IMAGINARY:
            if node.id == "I" and any(getattr(v, "shape", ()) for v in self.names.values()):
                raise refused(self.text, node, "I is the imaginary unit; write eye(n) for the identity matrix")
            return 1j
        if node.id in NO_NUMBERS:
            raise refused(self.text, node, f"{node.id} is not a number, and has no derivative")
        if node.id in function_table():
            name = self.text[slice(*node.place)] if node.place else node.id
            raise refused(self.text, node, f"{name!r} is a function; write {name}(…)")
        declared = ", ".join(self.names) or "none"
        raise refused(self.text, node, f"the name {node.id!r} is not declared (declared: {declared})")

    def _binary(self, node: Binary) -> Any:
        chain: list[Binary] = []  # a + b + c + …, which leans to the left, without recursion
        left: Formula = node
        while isinstance(left, Binary):
            chain.append(left)
            left = left.left
        tensor = self.of(left)
        for step in reversed(chain):
            right = self.of(step.right)
            tensor = self._told(step, partial(self._combined, step, tensor, right))
        return tensor

    def _combined(self, node: Binary, a: Any, b: Any) -> Any:
        a, b = self._array(a), self._array(b)
        if node.op not in BINARY or (node.silent and node.op == "@"):
            node = self._of_paper(node, a, b)
        if node.op == "**" and isinstance(b, (int, float)) and abs(b) > MOST_EXPONENT:
            raise refused(self.text, node.right, f"the exponent {b:g} is larger than {MOST_EXPONENT}")
        numbers = isinstance(a, (int, float, complex)) and isinstance(b, (int, float, complex))
        if not all(isinstance(v, (Tensor, int, float, complex)) or hasattr(v, "shape") for v in (a, b)):
            raise refused(self.text, node, "an operator stands between numbers and arrays only")
        if node.op == "**" and isinstance(a, float) and a == math.e and not numbers:
            return self._operated(functions.exp, b)
        if not numbers:
            return self._beside_arrays(BINARY[node.op], a, b)
        operate = BINARY[node.op]
        value = operate(float(a) if node.op == "**" and not isinstance(a, complex) else a, b)
        if isinstance(value, complex) and not isinstance(a, complex) and not isinstance(b, complex):
            raise refused(self.text, node, f"{a:g} to the power {b:g} is not a real number")
        if not cmath.isfinite(value) and cmath.isfinite(a) and cmath.isfinite(b):
            raise refused(self.text, node, "the result is too large: floats go to 1.8e308")
        if self.exact and not isinstance(value, complex):
            if not _is_told(node.op, a, b, value):
                return _recorded(operate, (a, b))
            value = _marked(node.op, a, b, value)
        if isinstance(value, int) and abs(value) >= 2**53:
            return float(value)
        if isinstance(value, float) and isinstance(a, int) and isinstance(b, int) and value.is_integer():
            return int(value) if abs(value) < 2**53 else value
        return value

    def _beside_arrays(self, f: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        """Return an operation of arrays, and of fractions, which are written as such but in exponents."""
        if f is not operator.pow:
            return self._operated(f, _beside(a), _beside(b))
        if self.exact and _is_number(a) and isinstance(b, Quotient) and _halved(b.fraction):
            return self._operated(lambda x, _: Map.of(X[0] ** exact(float(b)), 1, "Pow")(x), a, b)
        return self._operated(POW if self.exact and _is_decimal(b) and _is_number(a) else f, _beside(a), b)

    def _of_paper(self, node: Binary, a: Any, b: Any) -> Binary:
        """Return an operation of paper's as one of Python's, where both sides leave no doubt of it."""
        axes = [len(getattr(v, "shape", ())) for v in (a, b)]
        if node.op == "@":
            if self.paper and axes == [1, 1] and (_is_row(node.right) or not _is_row(node.left)):
                raise refused(
                    self.text,
                    node,
                    "a product of two vectors without an operator; write x @ y, or x*y for the elementwise product",
                )
            return node if all(axes) else replace(node, op="*")
        if node.op == "mpower" and (axes[0] < 2 and not axes[1]):
            return replace(node, op="**")
        if node.op == "mpower":
            raise refused(self.text, node, "^ of a matrix; write A @ A for its power, and A**2 for that of its entries")
        raise refused(self.text, node, "\\ is MATLAB's; write solve(A, b)")

    def refuse_a_prime(self, node: Attribute, x: Any) -> None:
        """Refuse x' of a number, by which people mean a derivative."""
        place, _ = node.mark or (0, 0)
        if (
            self.paper
            and self.text.startswith(("'", "’", "′", "\\prime"), place)
            and not getattr(x, "shape", ())
            and not hasattr(x, "value")
        ):
            raise refused(self.text, node, PRIME)

    def _unary(self, node: Unary) -> Any:
        return self._operated(UNARY[node.op], self.of(node.operand))

    def _compare(self, node: Compare) -> Any:
        left, right = as_tensor(_beside(self.of(node.left))), _beside(self.of(node.right))
        return self._operated(COMPARE[node.op], left, right)

    def _attribute(self, node: Attribute) -> Any:
        if node.attr in ("T", "mT", "H", "mH"):
            x = self.of(node.value)
            self.refuse_a_prime(node, x)
            return self._operated(operator.attrgetter(node.attr), as_tensor(x))
        raise refused(self.text, node, f".{node.attr} is not among the attributes of a formula: .T, .mT, .H, .mH")

    def _call(self, node: Call) -> Any:
        if node.func == BARS:
            x = self.of(node.args[0])
            if getattr(x, "shape", ()):
                raise refused(self.text, node, "bars around an array; write norm(…), det(…), or abs(…) of each entry")
            return self.called(functions.abs, x)
        f, first = self._function(node.func)
        args = [*first, *self._arguments(node)]
        if f in [function_table()[name] for name in _OF_CASES] and any(isinstance(a, Tensor) for a in args):
            args = [_beside(a) for a in args]
        words = {k.name: self.of(k.value) for k in node.keywords}
        return self.called(f, *args, **words)

    def _size(self, node: Formula) -> Any:
        """Return an argument that is a size, or a tuple of sizes."""
        if isinstance(node, Tuple):
            return tuple(map(self._size, node.elts))
        return self.sizes[node.id] if isinstance(node, Name) and node.id in self.sizes else self.of(node)

    def _arguments(self, node: Call) -> list[Any]:
        """Return the arguments of a call; around what is summed, bars stand around each entry: sum(|x|) is Σ|xᵢ|."""
        called = node.func.id if isinstance(node.func, Name) else getattr(node.func, "attr", "")
        if called in _SIZED:
            return [self._size(a) for a in node.args]
        inner = [_in_bars(node, a) for a in node.args]
        pairs = zip(node.args, inner, strict=True)
        return [self.of(a) if b is None else self.called(functions.abs, self.of(b)) for a, b in pairs]

    def called(self, f: Callable[..., Any], *args: Any, **words: Any) -> Any:
        """Return f of the arguments, within bounds; of numbers as it is written, where constants are."""
        plain, words = _plain(args), {k: _plain(v) for k, v in words.items()}
        result = f(*plain, **words) if self.bounds is None else self.bounds.call(f, plain, words)
        numbers = bool(args) and not words and all(type(a) in (int, float, Quotient) for a in args)
        if self.exact and numbers and isinstance(result, Tensor) and isinstance(tensor_value(result), float):
            with suppress(Exception):  # of any kind: f takes integers only, or looks at its numbers
                written = _recorded(f, args)
                steps = [n.op for n in ancestors([tensor_node(written)]) if not isinstance(n, Leaf)]
                of_numbers = all(isinstance(op, Map) for op in steps)  # which have a formula in every notation
                if of_numbers and math.isclose(tensor_value(written), tensor_value(result), rel_tol=1e-14):
                    return written
        return result

    def _function(self, node: Formula) -> tuple[Callable[..., Any], list[Any]]:
        """Return a function of the table, and the array it is a method of."""
        path: list[str] = []
        inner = node
        while isinstance(inner, Attribute):
            path.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, Name) and inner.id not in self.names:
            path.insert(0, inner.id)
            while len(path) > 1 and path[0] in PREFIXES and ".".join(path) not in function_table():
                path.pop(0)
            if ".".join(path) in function_table():
                return function_table()[".".join(path)], []
        elif isinstance(node, Attribute) and node.attr in function_table():
            return function_table()[node.attr], [as_tensor(self.of(node.value))]
        if not path:  # such as 2(x + 1), (x + 1)(x - 1), x(x + 1)
            raise self._unsigned(node)
        raise refused(self.text, node, unknown(".".join(path)))

    def _unsigned(self, node: Formula) -> ParseError:
        """Return the error for brackets after a name that is not a function, which mean a product."""
        end = (node.place or (0, 0))[1]
        simple = isinstance(node, (Constant, Name))
        left = (source(self.text, node) if simple else "") or "(…)"
        return refused_at(self.text, self.text.find("(", end), product(left, "(…)"))

    def _subscript(self, node: Subscript) -> Any:
        key, whole = self.of(node.key), self.of(node.value)
        if not isinstance(whole, tuple):
            return self._operated(lambda x: x[key], as_tensor(whole))
        if type(key) is not int or not -len(whole) <= key < len(whole):
            raise refused(self.text, node, f"this has {len(whole)} parts, counted from 0; there is no part {key}")
        return whole[key]

    def _slice(self, node: Slice) -> Any:
        return slice(*[None if part is None else self.of(part) for part in (node.lower, node.upper, node.step)])

    def _tuple(self, node: Tuple) -> Any:
        return tuple(self.of(e) for e in node.elts)

    def _list(self, node: List) -> Any:
        return [self.of(e) for e in node.elts]
