"""``sg.parse``: a formula in Python's notation, read without executing it.

The text goes through Python's own ``ast``; what it may hold is a list (``_KINDS`` and ``listed()``), all else is
refused with its position. So ``sum((X @ w - y)**2)`` is a formula, and ``__import__('os')`` an error.
"""

from __future__ import annotations

import ast
import functools
import inspect
import keyword
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from symgrad import functions, linalg, special
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ParseError
from symgrad.expression.bounds import MOST_ENTRIES, Bounds
from symgrad.functions import clamp, where
from symgrad.nn import functional
from symgrad.support.lazy import cached_property
from symgrad.tensors.creation import eye, ones, symbol, zeros
from symgrad.tensors.tensor import Tensor

MOST_SIGNS = 10_000
MOST_DEEP = 60
MOST_NODES = 2_000
MOST_EXPONENT = 1_000

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.MatMult: operator.matmul,
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
}
_UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_COMPARE: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf}
_PREFIXES = ("symgrad", "sg", "torch", "np", "numpy", "nn", "F", "functional", "linalg", "special", "math")
_KINDS = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.Name, ast.Call, ast.keyword,
    ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Load, *_BINARY, *_UNARY, *_COMPARE,
)  # fmt: skip


@functools.cache
def listed() -> dict[str, Callable[..., Any]]:
    """Return the functions that a formula may call, by name: those of symgrad that compute."""
    found: dict[str, Any] = {}
    for module in (linalg, special, functional, functions):  # where two have a name, the last one's is meant
        found |= {name: getattr(module, name) for name in module.__all__}
        if module in (linalg, special):
            found |= {f"{module.__name__.split('.')[1]}.{name}": getattr(module, name) for name in module.__all__}
    found |= {"eye": _eye, "ones": ones, "zeros": zeros, "clip": clamp, "where": where}
    found |= {"arcsin": found["asin"], "arccos": found["acos"], "arctan": found["atan"], "ln": found["log"]}
    return found


def _eye(n: int) -> Tensor:
    if n * n > MOST_ENTRIES:
        raise ArgumentError(f"eye({n}) has more than {MOST_ENTRIES} entries")
    return eye(n)


class Expression:
    """A formula that was read: its text, its leaves, and its value as a tensor of symbols.

    It is a function of arrays as well, in the order of ``names``, so that ``sg.grad``, ``sg.compile`` and ``sg.export``
    take it.

    Attributes:
        text: what was read.
        names: the declared names, in their order.
        leaves: a symbol for each.
    """

    def __init__(self, text: str, tree: ast.expr, shapes: Mapping[str, Any]) -> None:
        self.text, self.names, self._tree = text, tuple(shapes), tree
        self.leaves = {name: s if isinstance(s, Tensor) else symbol(name, shape=s) for name, s in shapes.items()}
        self.__name__ = "expression"
        each = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(name, each) for name in self.names])

    @cached_property
    def value(self) -> Tensor:
        """The tensor that the formula makes of its symbols; of numbers, as far as ``bounds`` allows."""
        return self._evaluated(self.leaves.values(), Bounds())

    def __call__(self, *arrays: Any) -> Tensor:
        """Return the formula's value at arrays or tensors."""
        if len(arrays) != len(self.names):
            raise TypeError(f"the formula {self.text!r} takes {', '.join(self.names)}; got {len(arrays)} arguments")
        return self._evaluated(arrays, None)

    def bounded(self, *arrays: Any) -> tuple[Tensor, int]:
        """Return the formula's value at arrays, and about how many additions it took.

        Raises:
            ParseError: it is too large, or takes too long; nothing was computed then.
        """
        bounds = Bounds()
        return self._evaluated(map(as_tensor, arrays), bounds), bounds.spent

    def _evaluated(self, arrays: Iterable[Any], bounds: Bounds | None) -> Tensor:
        given = dict(zip(self.names, arrays, strict=True))
        found = Evaluation(self.text, given, bounds).of(self._tree)
        if isinstance(found, tuple):
            raise refused(self.text, self._tree, f"this has {len(found)} parts; take one, as in (…)[0]")
        try:
            value: Tensor = as_tensor(found)
        except Exception as error:  # such as a list of tensors, a word, an ellipsis
            raise refused(self.text, self._tree, f"the formula's value is a {type(found).__name__}") from error
        return value

    def __repr__(self) -> str:
        return f"parse({self.text!r}, names={self.names})"


def parse(text: str, shapes: Mapping[str, Any] | None = None) -> Expression:
    """Read a formula such as ``"sum((X @ w - y)**2)"``, without executing anything.

    Numbers, declared names, ``pi``, ``e`` and ``inf``, the operators ``+ - * / // % ** @`` and comparisons, brackets,
    indices, ``.T`` and ``.mT``, and symgrad's functions, called as such (``sum(x)``, ``linalg.inv(A)``) or as methods
    (``x.sum()``).

    Args:
        text: the formula.
        shapes: for each name its shape: numbers and names of sizes, such as ``{"X": ("n", "d"), "w": "d", "a": ()}``;
            or the tensor that it stands for.

    Returns:
        An ``Expression``, with ``value``, a tensor of symbols, and ``leaves``.

    Raises:
        ParseError: the text holds something else, or is too long or too deep; says where.
        ShapeError: the shapes do not fit.

    >>> f = sg.parse("sum((X @ w - y)**2)", {"X": ("n", "d"), "w": "d", "y": "n"})
    >>> print(sg.derive(f.value, f.leaves["w"]))
    2*Xᵀ*(X*w - y)
    """
    if not isinstance(text, str):
        raise ParseError(f"parse: expected a formula as text, got {type(text).__name__}.")
    names = dict(shapes or {})
    for name in names:
        if not (isinstance(name, str) and name.isidentifier()) or name.startswith("__") or keyword.iskeyword(name):
            raise ParseError(f"parse: {name!r} cannot be a name. Expected letters, digits and _, such as 'x1'.")
    text = " ".join(text.split())
    found = Expression(text, tree_of(text), names)
    _ = found.value  # what has no meaning is said here
    return found


def tree_of(text: str) -> ast.expr:
    """Return the syntax tree of a formula, all of whose nodes are of kinds that formulas may hold.

    Raises:
        ParseError: one is not, or there are too many; says where.
    """
    tree = _tree(text)
    for node in _walk(text, tree):
        if not isinstance(node, _KINDS):
            raise refused(text, node, f"{_word(node)} cannot be part of a formula")
    return tree


def names_in(text: str, declared: Iterable[str] = ()) -> list[str]:
    """Return the names in a formula that are neither declared, nor functions, nor constants.

    >>> names_in("sum(a*x) + pi")
    ['a', 'x']
    """
    if not isinstance(text, str):
        return []
    words = {*_CONSTANTS, *_PREFIXES, *listed(), *declared}
    tree = _tree(" ".join(text.split()))
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id not in words]
    return list(dict.fromkeys(n.id for n in sorted(found, key=lambda n: n.col_offset)))


def _tree(text: str) -> ast.expr:
    if len(text) > MOST_SIGNS:
        raise ParseError(f"parse: the formula has {len(text)} signs, more than {MOST_SIGNS}. Name its parts.")
    if _depth_of_brackets(text) > MOST_DEEP:
        raise ParseError(f"parse: brackets are nested more than {MOST_DEEP} deep. Name the formula's parts.")
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ParseError(_at(text, (error.offset or 1) - 1, f"this is not a formula: {error.msg}")) from None
    except (RecursionError, MemoryError, ValueError) as error:
        raise ParseError(f"parse: the formula cannot be read: {error or 'it is nested too deep'}.") from None


def _depth_of_brackets(text: str) -> int:
    depth = most = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        most = max(most, depth)
    return most


def _walk(text: str, tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes, and refuse trees that are too large or too deep. Not recursive."""
    stack, count = [(tree, 1)], 0
    while stack:
        node, depth = stack.pop()
        count += 1
        if depth > MOST_DEEP:
            raise refused(text, node, f"the formula is nested more than {MOST_DEEP} deep here; name its parts")
        if count > MOST_NODES:
            raise refused(text, node, f"the formula has more than {MOST_NODES} parts; name some of them")
        yield node
        left = node.left if isinstance(node, ast.BinOp) else None  # a + b + c leans to the left, and is not deep
        stack += [(child, depth + (child is not left)) for child in ast.iter_child_nodes(node)]


def _word(node: ast.AST) -> str:
    return {
        ast.Lambda: "a lambda", ast.JoinedStr: "an f-string", ast.IfExp: "if … else (use where)", ast.BoolOp: "and, or",
        ast.ListComp: "a comprehension", ast.GeneratorExp: "a comprehension", ast.NamedExpr: ":=", ast.Await: "await",
        ast.BitXor: "^ (a power is **)", ast.Dict: "a dict", ast.Set: "a set", ast.Starred: "*", ast.Yield: "yield",
    }.get(type(node), type(node).__name__)  # fmt: skip


def refused(text: str, node: ast.AST, reason: str) -> ParseError:
    """Return the error that shows a node's place in the text."""
    before = text.encode()[: getattr(node, "col_offset", 0)]  # Python counts bytes
    return ParseError(_at(text, len(before.decode(errors="ignore")), reason))


def _at(text: str, column: int, reason: str) -> str:
    """The reason, and the line with a mark under the place."""
    column = max(0, min(column, len(text)))
    start = max(0, column - 30)
    shown = "".join(c if c.isprintable() else "?" for c in text[start : start + 60])
    return f"parse: {reason}, at sign {column + 1}:\n  {shown}\n  {' ' * (column - start)}^"


class Evaluation:
    """The value of a tree whose kinds of nodes were checked."""

    def __init__(self, text: str, names: Mapping[str, Any], bounds: Bounds | None) -> None:
        self.text, self.names, self.bounds = text, names, bounds

    def _operated(self, f: Callable[..., Any], *args: Any) -> Any:
        return f(*args) if self.bounds is None else self.bounds.operate(f, args)

    def of(self, node: Any) -> Any:
        """Return the value of a node."""
        try:
            return getattr(self, f"_{type(node).__name__.lower()}")(node)
        except ParseError:
            raise
        except Exception as error:  # of any kind: whatever a function makes of such arguments, the text is refused
            first = re.split(r"(?<=\.)\s", str(error))[0]
            raise refused(self.text, node, f"{type(error).__name__}: {first}".rstrip(".: ")) from error

    def _constant(self, node: ast.Constant) -> Any:
        v = node.value
        if v is None or v is Ellipsis or isinstance(v, bool):
            return v
        if type(v) is float or (type(v) is int and abs(v) < 2**53):
            return v
        if isinstance(v, str) and len(v) <= 20 and re.fullmatch(r"[A-Za-z_][\w -]*|[a-zA-Z.,>\- ]+", v):
            return v  # a word such as 'sum', or the letters of einsum
        kind = "an integer of 16 digits and more" if type(v) is int else f"a constant of type {type(v).__name__}"
        raise refused(self.text, node, f"{kind} cannot be part of a formula")

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.names:
            return self.names[node.id]
        if node.id in _CONSTANTS:
            return _CONSTANTS[node.id]
        if node.id in listed():
            raise refused(self.text, node, f"{node.id!r} is a function; write {node.id}(…)")
        declared = ", ".join(self.names) or "none"
        raise refused(self.text, node, f"the name {node.id!r} is not declared (declared: {declared})")

    def _binop(self, node: ast.BinOp) -> Any:
        chain: list[ast.BinOp] = []  # a + b + c + …, which leans to the left, without recursion
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            chain.append(left)
            left = left.left
        found = self.of(left)
        for step in reversed(chain):
            found = self._combined(step, found, self.of(step.right))
        return found

    def _combined(self, node: ast.BinOp, a: Any, b: Any) -> Any:
        if isinstance(node.op, ast.Pow) and isinstance(b, (int, float)) and abs(b) > MOST_EXPONENT:
            raise refused(self.text, node.right, f"the exponent {b:g} is larger than {MOST_EXPONENT}")
        numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
        if not all(isinstance(v, (Tensor, int, float)) or hasattr(v, "shape") for v in (a, b)):
            raise refused(self.text, node, "an operator stands between numbers and arrays only")
        if isinstance(node.op, ast.Pow) and isinstance(a, float) and a == math.e and not numbers:
            return self._operated(functions.exp, b)
        if not numbers:
            return self._operated(_BINARY[type(node.op)], a, b)
        found = _BINARY[type(node.op)](float(a) if isinstance(node.op, ast.Pow) else a, b)
        if isinstance(found, int) and abs(found) >= 2**53:
            return float(found)
        if isinstance(found, float) and isinstance(a, int) and isinstance(b, int) and found.is_integer():
            return int(found) if abs(found) < 2**53 else found
        return found

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        return self._operated(_UNARY[type(node.op)], self.of(node.operand))

    def _compare(self, node: ast.Compare) -> Any:
        if len(node.ops) > 1:
            raise refused(self.text, node, "a < b < c is two comparisons; write (a < b)*(b < c)")
        left, right = as_tensor(self.of(node.left)), self.of(node.comparators[0])
        return self._operated(_COMPARE[type(node.ops[0])], left, right)

    def _attribute(self, node: ast.Attribute) -> Any:
        if node.attr in ("T", "mT"):
            return self._operated(operator.attrgetter(node.attr), as_tensor(self.of(node.value)))
        raise refused(self.text, node, f".{node.attr} is not among the attributes of a formula: .T, .mT")

    def _call(self, node: ast.Call) -> Any:
        f, first = self._function(node.func)
        args = [*first, *[self.of(a) for a in node.args]]
        if any(k.arg is None for k in node.keywords):
            raise refused(self.text, node, "** cannot be part of a call")
        words = {str(k.arg): self.of(k.value) for k in node.keywords}
        return f(*args, **words) if self.bounds is None else self.bounds.call(f, args, words)

    def _function(self, node: ast.expr) -> tuple[Callable[..., Any], list[Any]]:
        """Return a listed function, and the array it is a method of."""
        path: list[str] = []
        inner = node
        while isinstance(inner, ast.Attribute):
            path.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id not in self.names:
            path.insert(0, inner.id)
            while len(path) > 1 and path[0] in _PREFIXES and ".".join(path) not in listed():
                path.pop(0)
            if ".".join(path) in listed():
                return listed()[".".join(path)], []
        elif isinstance(node, ast.Attribute) and node.attr in listed():
            return listed()[node.attr], [as_tensor(self.of(node.value))]
        name = ".".join(path) or _word(node)
        raise refused(self.text, node, f"{name!r} is not a function that formulas may call")

    def _subscript(self, node: ast.Subscript) -> Any:
        key, whole = self.of(node.slice), self.of(node.value)
        if not isinstance(whole, tuple):
            return self._operated(lambda x: x[key], as_tensor(whole))
        if type(key) is not int or not -len(whole) <= key < len(whole):
            raise refused(self.text, node, f"this has {len(whole)} parts, counted from 0; there is no part {key}")
        return whole[key]

    def _slice(self, node: ast.Slice) -> Any:
        return slice(*[None if part is None else self.of(part) for part in (node.lower, node.upper, node.step)])

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.of(e) for e in node.elts)

    def _list(self, node: ast.List) -> Any:
        return [self.of(e) for e in node.elts]
