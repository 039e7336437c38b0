"""``sg.parse``: a formula in Python's notation, read without executing it.

The text goes through Python's own ``ast``; what it may hold is a list (``_KINDS`` and ``listed()``), all else is
refused with its position. So ``sum((X @ w - y)**2)`` is a formula, and ``__import__('os')`` an error.
"""

from __future__ import annotations

import ast
import inspect
import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ParseError
from symgrad.expression.bounds import Bounds
from symgrad.expression.constants import CONSTANTS, IMAGINARY, MEANINGS, NO_NUMBERS, letters_as_names
from symgrad.expression.evaluation import (
    BINARY,
    COMPARE,
    PREFIXES,
    UNARY,
    Evaluation,
    refused,
    refused_at,
    word,
)
from symgrad.expression.listed import listed
from symgrad.expression.matlab import Matlab
from symgrad.expression.matlab_functions import functions_in
from symgrad.expression.matlab_syntax import tree as tree_of_matlab
from symgrad.expression.slips import of_a_comma, on_paper, slip
from symgrad.support.arguments import checked
from symgrad.support.lazy import cached_property
from symgrad.tensors.creation import symbol
from symgrad.tensors.tensor import Tensor

MOST_SIGNS = 10_000
MOST_DEEP = 60
MOST_NODES = 2_000
NEVER_NAMES = ("sin", "cos", "tan", "exp", "log", "ln", "sqrt", "sum")  # while gamma, beta, std often are

_KINDS = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.Name, ast.Call, ast.keyword,
    ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Load, *BINARY, *UNARY, *COMPARE,
)  # fmt: skip


class Expression:
    """A formula that was read: its text, its leaves, and its value as a tensor of symbols.

    It is a function of arrays as well, in the order of ``names``, so that ``sg.grad``, ``sg.compile`` and ``sg.export``
    take it.

    Attributes:
        text: what was read.
        names: the declared names, in their order.
        leaves: a symbol for each.
    """

    def __init__(self, text: str, tree: ast.expr, shapes: Mapping[str, Any], syntax: str = "python") -> None:
        self.evaluation = _SYNTAXES[syntax][1]
        self.text, self.names, self._tree = text, tuple(shapes), tree
        self.leaves = {name: s if isinstance(s, Tensor) else symbol(name, shape=s) for name, s in shapes.items()}
        self.__name__ = "expression"
        each = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(name, each) for name in self.names])

    @cached_property
    def value(self) -> Tensor:
        """The tensor that the formula makes of its symbols; of numbers, as far as ``bounds`` allows."""
        return self._evaluated(self.leaves.values(), Bounds(), exact=True)

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

    def _evaluated(self, arrays: Iterable[Any], bounds: Bounds | None, exact: bool = False) -> Tensor:
        given = dict(zip(self.names, arrays, strict=True))
        found = self.evaluation(self.text, given, bounds, exact).value(self._tree)
        if isinstance(found, tuple):
            if isinstance(self._tree, ast.Tuple) and (comma := of_a_comma(self.text)):
                raise refused_at(self.text, *comma)
            raise refused(self.text, self._tree, f"this has {len(found)} parts; take one, as in (…)[0]")
        try:
            value: Tensor = as_tensor(found)
        except Exception as error:  # such as a list of tensors, a word, an ellipsis
            raise refused(self.text, self._tree, f"the formula's value is a {type(found).__name__}") from error
        return value

    @property
    def constants(self) -> dict[str, str]:
        """What the letters e, E, i and I stand for, where they are no names."""
        used = {node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)} - {*self.names}
        return {letter: meaning for letter, meaning in MEANINGS.items() if letter in used}

    def __repr__(self) -> str:
        constants = f", constants={self.constants}" if self.constants else ""
        return f"parse({self.text!r}, names={self.names}{constants})"


@checked
def parse(text: str, shapes: Mapping[str, Any] | None = None, *, syntax: str = "python") -> Expression:
    """Read a formula such as ``"sum((X @ w - y)**2)"``, without executing anything.

    Numbers, declared names, the constants ``pi``, ``E`` or ``e``, ``inf`` and the imaginary unit ``I`` or ``i`` where
    nothing else is called so, the operators ``+ - * / // % ** @`` and comparisons, brackets, indices, ``.T`` and
    ``.mT``, ``.H`` of complex matrices, and symgrad's functions, called as such (``sum(x)``, ``linalg.inv(A)``) or as
    methods (``x.sum()``).

    Args:
        text: the formula.
        shapes: for each name its shape: numbers and names of sizes, such as ``{"X": ("n", "d"), "w": "d", "a": ()}``;
            or the tensor that it stands for.
        syntax: "python"; or "matlab" for ``x'*A*x``, ``.*``, ``./``, ``.^``, indices from 1, ``norm(x)^2``.

    Returns:
        An ``Expression``, with ``value``, a tensor of symbols, and ``leaves``.

    Raises:
        ParseError: the text holds something else, or is too long or too deep; says where.
        ShapeError: the shapes do not fit.

    >>> f = sg.parse("sum((X @ w - y)**2)", {"X": ("n", "d"), "w": "d", "y": "n"})
    >>> print(sg.derive(f.value, f.leaves["w"]))
    2*Xᵀ*(X*w - y)
    >>> print(sg.derive(sg.parse("x'*A*x", {"x": "n", "A": ("n", "n")}, syntax="matlab"), "x"))
    (A + Aᵀ)*x
    """
    if syntax not in _SYNTAXES:
        raise ArgumentError(f"parse: syntax={syntax!r} is unknown. Expected one of {list(_SYNTAXES)}.")
    if not isinstance(text, str):
        raise ParseError(f"parse: expected a formula as text, got {type(text).__name__}.")
    names = dict(shapes or {})
    for name in names:
        if not (isinstance(name, str) and name.isidentifier()) or name.startswith("__") or keyword.iskeyword(name):
            raise ParseError(f"parse: {name!r} cannot be a name. Expected letters, digits and _, such as 'x1'.")
    as_given, text = text, " ".join(text.split())
    try:
        found = Expression(text, tree_of(text, syntax), names, syntax)
        _ = found.value  # what has no meaning is said here
    except ParseError as error:
        raise at_its_place(error, as_given)  # noqa: B904
    return found


def at_its_place(error: ParseError, as_given: str) -> ParseError:
    """Return an error of a text without spaces that do not matter with its place in the text as it was given."""
    error.place = error.place and _place_in(as_given, error.place)
    return error


def _place_in(as_given: str, place: tuple[int, int]) -> tuple[int, int]:
    """Return a place in a text as it was given, of its place in the text without spaces that do not matter."""
    kept = [k for k, c in enumerate(as_given) if not c.isspace() or (k and not as_given[k - 1].isspace())]
    kept = kept[next((n for n, k in enumerate(kept) if not as_given[k].isspace()), 0) :]
    start, end = place
    last = len(as_given.rstrip())
    first = kept[start] if start < len(kept) else last
    return first, max(first + 1, kept[end - 1] + 1 if 0 < end <= len(kept) else first + 1)


def tree_of(text: str, syntax: str = "python") -> ast.expr:
    """Return the syntax tree of a formula, all of whose nodes are of kinds that formulas may hold.

    Raises:
        ParseError: one is not, or there are too many; says where.
    """
    tree = _tree(text, syntax)
    for node in _walk(text, tree):
        op = getattr(node, "op", None)
        if syntax == "python" and isinstance(op, ast.operator) and not isinstance(op, _KINDS):
            raise refused(text, node, f"{word(op)} cannot be part of a formula")
        if syntax == "python" and not isinstance(node, _KINDS):
            raise refused(text, node, f"{word(node)} cannot be part of a formula")
    return tree


def names_in(text: str, declared: Iterable[str] = (), syntax: str = "python", letters: Iterable[str] = ()) -> list[str]:
    """Return the names in a formula that are neither declared nor constants, and that are not called as functions.

    The letters e and i are names beside other letters, as in ``k*e**2/r``, but for e^x and exp(i*x); so are those that
    ``letters`` has.

    >>> names_in("sum(a*x) + pi*t"), names_in("x'*A*x + b(1)", syntax="matlab")
    (['a', 'x', 't'], ['x', 'A', 'b'])
    """
    if not isinstance(text, str):
        return []
    try:
        tree = _tree(" ".join(text.split()), syntax)
    except ParseError as error:
        raise at_its_place(error, text)  # noqa: B904
    heads = _heads(tree) if syntax == "python" else functions_in(tree)
    constants = {*CONSTANTS, *IMAGINARY} - letters_as_names(tree) - {*letters}
    words = {*constants, *NO_NUMBERS, *NEVER_NAMES, *declared, *heads}
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id not in words]
    return list(dict.fromkeys(n.id for n in sorted(found, key=lambda n: n.col_offset)))


def _heads(tree: ast.AST) -> Iterator[str]:
    """Yield the functions that are called, and the modules that a function is taken from, as np of np.exp."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in PREFIXES:
            yield node.value.id


def _tree(text: str, syntax: str = "python") -> ast.expr:
    if len(text) > MOST_SIGNS:
        raise ParseError(f"parse: the formula has {len(text)} signs, more than {MOST_SIGNS}. Name its parts.")
    if _depth_of_brackets(text) > MOST_DEEP:
        raise ParseError(f"parse: brackets are nested more than {MOST_DEEP} deep. Name the formula's parts.")
    if found := on_paper(text, listed()):
        raise refused_at(text, *found)
    return _SYNTAXES[syntax][0](text)


def _of_python(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        place, reason = slip(text, listed()) or ((error.offset or 1) - 1, f"this is not a formula: {error.msg}")
        raise refused_at(text, place, reason) from None
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


_SYNTAXES: dict[str, tuple[Callable[[str], ast.expr], type[Evaluation]]] = {
    "python": (_of_python, Evaluation), "matlab": (tree_of_matlab, Matlab),
}  # fmt: skip
