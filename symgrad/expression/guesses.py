"""What the names of a formula stand for, where nobody has said it: by the usual letters, so that the shapes fit.

``X`` is a matrix and ``w`` a vector where the formula has products of matrices; in ``x**2*sin(x)`` all is numbers. Each
choice of kinds is tried on the formula's tree, where sizes that meet are one; the first that fits is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

from symgrad.errors import SymgradError
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
    walk,
)
from symgrad.expression.function_table import ALONG
from symgrad.expression.grammar import Reading, read
from symgrad.expression.matrix_notation import may_be_linear
from symgrad.expression.reader import Expression, names_in, sizes_in
from symgrad.tensors.tensor import Tensor

KINDS = ("number", "vector", "matrix")
MOST_TRIED, MOST_PARSED = 600, 6  # choices of kinds, and of those that seem to fit
_SIZES = ("n", "d", "m", "k", "p", "q", "r", "s", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8")
_NUMBERS = {
    "lam", "lambda_", "alpha", "gamma", "delta", "eps", "epsilon", "eta", "rho", "sigma", "tau", "t", "n", "m", "k",
    "N", "λ", "α", "γ", "δ", "ε", "η", "ρ", "σ", "τ",
}  # fmt: skip
_MATRICES = {"Sigma", "Omega", "Lambda", "Theta", "Phi", "Σ", "Ω", "Λ", "Θ", "Φ"}
_ACTIVATIONS = {"tanh", "sigmoid", "relu", "softplus", "gelu", "silu"}
_VECTORS = {"x", "y", "z", "b", "u", "v", "w", "beta", "theta", "β", "θ"}  # behind a matrix, nothing else being said
_WANTED = ("x", "w", "theta", "X", "W", "θ", "t", "q")  # what is differentiated by, where nobody has said it
_TO_NUMBER = {"sum", "mean", "prod", "norm", "amax", "amin", "var", "std", "logsumexp", "max", "min"}
_OF_SQUARE = {"trace", "tr", "det", "logdet"}
_SQUARE = {"inv", "cholesky", "matrix_exp", "matrix_power", "expm", "chol"}
_ALONG = {*ALONG, "normalize", "sort", "flip"}
_PAIRS = {"dot", "inner", "vdot", "outer", "solve"}
_OF_ARRAYS = {
    *(_TO_NUMBER - {"max", "min"}), *_OF_SQUARE, *_SQUARE, *_ALONG, *_PAIRS, "diag", "kron", "einsum", "cross",
    "matmul", "matrix_norm", "vander", "cov", "cdist", "transpose", "numel", "size", "length",
}  # fmt: skip
Shape = tuple[Any, ...]


class Guess(NamedTuple):
    """A meaning of a name: a shape, and the reason.

    Attributes:
        shape: sizes, each a number or a name.
        why: a few words.
    """

    shape: Shape
    why: str

    @property
    def kind(self) -> str:
        """A number, a vector or a matrix."""
        return KINDS[len(self.shape)] if len(self.shape) < len(KINDS) else "array"


def guesses(text: str | Reading, declared: Mapping[str, Any] | None = None, syntax: str = "python") -> dict[str, Guess]:
    """Return what the names of a formula that are not declared may stand for.

    Args:
        text: the formula.
        declared: the shapes of names that are known, or tensors.
        syntax: as of ``sg.parse``.

    Returns:
        A guess for each name that is not declared, in the order of the text; numbers where no sizes fit. Where
        the formula has another fault, the usual kinds that fit, so that reading it tells of the fault.

    Raises:
        ParseError: if the text is not a formula.

    >>> {name: g.shape for name, g in guesses("sum((X @ w - y)**2) + lam*sum(w**2)").items()}
    {'X': ('n', 'd'), 'w': ('d',), 'y': ('n',), 'lam': ()}
    >>> {name: g.shape for name, g in guesses("x**2*sin(x) + A").items()}
    {'x': (), 'A': ()}
    """
    reading = read(text, syntax, _ranks(declared or {})) if isinstance(text, str) else text
    return guessed(reading, declared or {}).names


class Guessed(NamedTuple):
    """The guesses about a formula's names.

    Attributes:
        names: a guess for each name that is not declared.
        expression: the formula of names that stand for this; None where there is none that has a value.
    """

    names: dict[str, Guess]
    expression: Expression | None


def guessed(reading: Reading, declared: Mapping[str, Any]) -> Guessed:
    """Return what the names of a formula that are not declared may stand for, and its value where it has one."""
    known = _known(declared)
    names = names_in(reading, {*known, *sizes_in(declared)})
    if not names:
        return Guessed({}, None)
    if not (_has_arrays(reading.tree, reading.syntax, names) or any(known.values())):
        return Guessed({name: Guess((), "the formula has no sign of arrays") for name in names}, None)
    tried: list[dict[str, Shape]] = []
    for ranks in islice(_choices(names), MOST_TRIED):
        shapes = _fitted(reading, names, ranks, known)
        if shapes is None:
            continue
        tried.append(shapes)
        expression = _valued(reading, {**declared, **shapes})
        if expression is not None or (shapes.lacks_a_dot and not reading.paper):
            return Guessed(_explained(shapes), expression)
        if len(tried) == MOST_PARSED:
            break
    return Guessed(_explained(tried[0]) if tried else {n: Guess((), "nothing else fits") for n in names}, None)


def _known(declared: Mapping[str, Any]) -> dict[str, Shape]:
    return {name: _sizes(s) for name, s in declared.items()}


def _ranks(declared: Mapping[str, Any]) -> dict[str, int]:
    return {name: len(shape) for name, shape in _known(declared).items()}


def _rank_in(order: Sequence[str], name: str) -> int:
    return order.index(name) if name in order else len(order)


def _valued(reading: Reading, shapes: Mapping[str, Any]) -> Expression | None:
    """Return the formula of names of these shapes, if it has a value."""
    order = names_in(reading, (), letters=shapes)
    expression = Expression(reading, {name: shapes[name] for name in sorted(shapes, key=lambda n: _rank_in(order, n))})
    try:
        _ = expression.value
    except SymgradError:
        return None
    return expression


def _explained(shapes: Mapping[str, Shape]) -> dict[str, Guess]:
    return {name: Guess(shape, _why(name, len(shape))) for name, shape in shapes.items()}


def with_products(reading: Reading, declared: Mapping[str, Any] | None = None) -> Reading:
    """Return a formula of people's in symgrad's notation, with @ for each ``*`` that is the product of matrices.

    >>> texts = "norm(X*w - y)**2", "sum(log(1 + exp(-y*(X*w))))", "sum(A*B)"
    >>> [with_products(read(t, "paper")).text for t in texts]
    ['norm(X@w - y)**2', 'sum(log(1 + exp(-y*(X@w))))', 'sum(A*B)']
    """
    guess = guessed(reading, declared or {})
    expression = guess.expression
    if expression is None and not guess.names:
        expression = _valued(reading, declared or {})
    return reading if expression is None else expression.signed


def wanted(names: Iterable[str]) -> str | None:
    """Return by what one usually differentiates: x, w, theta, X, …, else the first name.

    >>> wanted(["X", "w", "y"]), wanted(["a", "b"])
    ('w', 'a')
    """
    candidates = list(names)
    return next((name for name in _WANTED if name in candidates), candidates[0] if candidates else None)


def _sizes(shape: Any) -> Shape:
    if isinstance(shape, Tensor):
        return tuple(n if isinstance(n, int) else str(n) for n in shape.shape)
    return (shape,) if isinstance(shape, (int, str)) else tuple(shape)


def _has_arrays(tree: Formula, syntax: str, names: Sequence[str] = ()) -> bool:
    """Whether a part of the formula has a meaning for arrays only; a name that is called has indices, in MATLAB's.

    A formula of sums and products of names alone, as A*x + b, is of arrays too where a matrix's letter stands before a
    vector's; and so is what a network's activation makes of one.
    """
    if _is_linear(tree) and any(map(_of_letters, walk(tree))):
        return True
    for node in walk(tree):
        if isinstance(node, (Attribute, Subscript)) and not _is_prefix(node):
            return True
        if isinstance(node, Binary) and node.op == ("mldivide" if syntax == "matlab" else "@") and not node.silent:
            return True
        if isinstance(node, Call) and (_is_of_arrays(node) or _called(node) in names):
            return True
    return False


def _is_linear(tree: Formula) -> bool:
    """Whether a formula has nothing but names, numbers, sums, products, quotients by numbers, and activations."""
    return all(isinstance(node, (Name, Unary, Constant)) or _is_linear_part(node) for node in walk(tree))


def _is_linear_part(node: Formula) -> bool:
    if isinstance(node, Call):
        return _called(node) in _ACTIVATIONS
    if not isinstance(node, Binary):
        return False
    by_number = node.op in ("/", "mrdivide") and isinstance(node.right, Constant)
    return by_number or node.op in ("+", "-", "*", "@")


def _of_letters(node: Formula) -> bool:
    """Whether this is a product such as A*x, of names that are usually a matrix and a vector."""
    if not isinstance(node, Binary) or node.op not in ("*", "@"):
        return False
    left = node.left.right if isinstance(node.left, Binary) else node.left
    both = [n.id for n in (left, node.right) if isinstance(n, Name)]
    return len(both) == 2 and [_usual(name)[0] for name in both] == [2, 1] and both[1] in _VECTORS


def _is_prefix(node: Any) -> bool:
    """Whether this is the np.exp of np.exp(x), and not an array's transpose."""
    return isinstance(node, Attribute) and node.attr not in ("T", "mT", "H", "mH")


def _is_of_arrays(call: Call) -> bool:
    name = _called(call)
    return name in _OF_ARRAYS or (name in ("max", "min") and len(call.args) == 1) or bool(call.keywords)


def _called(call: Call) -> str:
    return call.func.attr if isinstance(call.func, Attribute) else getattr(call.func, "id", "")


# ------------------------------------------------------------------ kinds
def _choices(names: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Yield numbers of axes for the names, the usual ones first."""
    orders = [_usual(name) for name in names]
    places = sorted(islice(product(range(3), repeat=len(names)), 3**6), key=lambda p: (sum(p), p))
    for chosen in places:
        yield tuple(order[k] for order, k in zip(orders, chosen, strict=True))


def _usual(name: str) -> tuple[int, int, int]:
    """Return the numbers of axes that a name may have, the usual one first."""
    if name in _NUMBERS:
        return 0, 1, 2
    return (2, 1, 0) if name in _MATRICES or re.fullmatch(r"[A-Z]\w?\d*", name) else (1, 0, 2)


def _why(name: str, axes: int) -> str:
    usual = _usual(name)[0] == axes
    return f"{name} is usually a {KINDS[axes]}" if usual else f"a {KINDS[axes]} fits the formula"


# ------------------------------------------------------------------ sizes
class _Clash(Exception):
    """Shapes that do not fit."""


class _Unknown(Exception):
    """The result of an operation for its arguments is unknown here."""


class _Row(tuple[Any, ...]):
    """The shape of a transposed vector."""


class _Sizes:
    """Sizes of axes, where sizes that meet in an operation are equal."""

    def __init__(self) -> None:
        self._above: list[Any] = []

    def new(self, size: Any = None) -> int:
        """Return a size; one that is known is a number or a name."""
        self._above.append(size)
        return len(self._above) - 1

    def root(self, k: int) -> int:
        """Return the size that stands for all those that are equal to this one."""
        while isinstance(self._above[k], _Same):
            k = self._above[k].root
        return k

    def known(self, k: int) -> Any:
        """Return a number or a name, or None."""
        return self._above[self.root(k)]

    def same(self, a: int, b: int, spread: bool = False) -> int:
        """Let two sizes be one; in operations entry by entry, 1 fits all."""
        a, b = self.root(a), self.root(b)
        one, other = self._above[a], self._above[b]
        if a == b:
            return a
        if spread and 1 in (one, other):
            return b if one == 1 else a
        if one is not None and other is not None:
            if one != other:
                raise _Clash
            return a
        kept, gone = (a, b) if one is not None else (b, a)
        self._above[gone] = _Same(kept)
        return kept


class _Same(NamedTuple):
    root: int


class _Fitted(dict[str, Shape]):
    """Shapes that fit each other.

    Attributes:
        lacks_a_dot: whether a number is made of a vector's power, x^2 for x.^2: people mean the vector, and are told.
    """

    lacks_a_dot = False


def _fitted(reading: Reading, names: Sequence[str], ranks: Sequence[int], known: Mapping[str, Shape]) -> _Fitted | None:
    """Return compatible shapes with the given numbers of axes, or None."""
    sizes = _Sizes()
    called: dict[str, int] = {}
    shapes: dict[str, Shape] = {
        name: tuple(called.setdefault(str(n), sizes.new(n)) for n in shape) for name, shape in known.items()
    }
    shapes |= {name: tuple(sizes.new() for _ in range(rank)) for name, rank in zip(names, ranks, strict=True)}
    whole, walk_of = None, _Shapes(shapes, sizes, reading)
    try:
        whole = walk_of.of(reading.tree)
    except _Clash:
        return None
    except _Unknown:
        pass
    free = (s for s in _SIZES if s not in shapes and s not in called)
    letters: dict[int, Any] = {}
    fit = _Fitted({name: tuple(_letter(sizes, k, letters, free) for k in shapes[name]) for name in names})
    fit.lacks_a_dot = whole == () and walk_of.by_entries
    return fit


def _letter(sizes: _Sizes, k: int, letters: dict[int, Any], free: Iterator[str]) -> Any:
    root = sizes.root(k)
    if sizes.known(root) is not None:
        return sizes.known(root)
    if root not in letters:
        letters[root] = next(free, f"n{root}")
    return letters[root]


class _Shapes:
    """The shape of each part of a formula."""

    def __init__(self, names: Mapping[str, Shape], sizes: _Sizes, reading: Reading) -> None:
        self._names, self._sizes, self._matlab = names, sizes, reading.syntax == "matlab"
        self._may_be_linear, self._in_square = may_be_linear(reading), 0
        self.by_entries = False  # whether a vector is raised to a power, for which people forget the dot of .^

    def of(self, node: Any) -> Shape:
        """Return the shape of a part."""
        rule = getattr(self, f"_{type(node).__name__.lower()}", None)
        if rule is None:
            raise _Unknown
        shape: Shape = rule(node)
        return shape

    def _constant(self, node: Constant) -> Shape:
        return ()

    def _name(self, node: Name) -> Shape:
        return self._names.get(node.id, ())

    def _unary(self, node: Unary) -> Shape:
        return self.of(node.operand)

    def _compare(self, node: Compare) -> Shape:
        return self._spread(self.of(node.left), self.of(node.right))

    def _binary(self, node: Binary) -> Shape:
        if self._may_be_linear and node.op == "*":
            return self._chain(node)
        a, b = self.of(node.left), self.of(node.right)
        if node.op == "mpower":
            return self._raised(a, b)
        if node.op == "mldivide" and a:
            return self._product(self._square(a), b)
        if node.op == "mrdivide" and b:
            return self._product(a, self._square(b))
        if node.op != "@":
            return self._spread(a, b)
        if (self._matlab or node.silent) and not (a and b):
            return self._spread(a, b)
        return self._product(a, b)

    def _chain(self, node: Binary) -> Shape:
        """Of factors in a row: products where a matrix meets a vector, or matrices in a trace."""
        nodes = _factors(node)
        shapes = [self.of(nodes[0].left), *(self.of(n.right) for n in nodes)]
        axes = [len(s) for s in shapes if s]
        linear = {1, 2} == set(axes) or (self._in_square > 0 and {2} == set(axes))
        shape = shapes[0]
        for other in shapes[1:]:
            shape = self._product(shape, other) if linear and shape and other else self._spread(shape, other)
        return shape

    def _raised(self, a: Shape, b: Shape) -> Shape:
        if len(a) != 1 or b:
            return self._spread(a, b) if not a else self._square(a)
        self.by_entries = True
        return a

    def _product(self, a: Shape, b: Shape) -> Shape:
        if not a or not b or len(a) > 2 or len(b) > 2:
            raise _Clash
        if self._matlab:
            return self._matlab_product(a, b)
        if isinstance(b, _Row):
            raise _Clash  # x @ x.T is meant as a matrix: of columns that are matrices
        self._sizes.same(a[-1], b[0])
        return (*a[:-1], *b[1:])

    def _matlab_product(self, a: Shape, b: Shape) -> Shape:
        """Return the shape of MATLAB's product of columns, rows and matrices."""
        if len(a) == 1 and not isinstance(a, _Row):
            if not isinstance(b, _Row):
                raise _Clash
            return (a[0], b[0])
        if isinstance(b, _Row):
            raise _Clash
        self._sizes.same(a[-1], b[0])
        shape = (*a[:-1], *b[1:])
        return _Row(shape) if isinstance(a, _Row) and len(b) == 2 else shape

    def _spread(self, a: Shape, b: Shape) -> Shape:
        if isinstance(a, _Row) != isinstance(b, _Row) and a and b:
            raise _Clash  # a row and a column make a matrix, which is seldom meant
        if self._matlab and len(a) != len(b) and a and b:
            raise _Clash
        longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
        front = longer[: len(longer) - len(shorter)]
        rest = [self._sizes.same(m, n, True) for m, n in zip(longer[len(front) :], shorter, strict=True)]
        return type(longer)((*front, *rest))

    def _square(self, a: Shape) -> Shape:
        if len(a) != 2:
            raise _Clash
        self._sizes.same(*a)
        return a

    def _attribute(self, node: Attribute) -> Shape:
        a = self.of(node.value)
        if node.attr not in ("T", "mT", "H", "mH"):
            raise _Unknown
        if len(a) == 1:
            return tuple(a) if isinstance(a, _Row) else _Row(a)
        return a[::-1]

    def _subscript(self, node: Subscript) -> Shape:
        a = self.of(node.value)
        keys = node.key.elts if type(node.key) is Tuple else [node.key]
        if len(keys) > len(a):
            raise _Clash
        kept = self._kept(a, keys)
        return (*kept, *a[len(keys) :])

    def _kept(self, a: Shape, keys: Sequence[Formula]) -> list[Any]:
        """Return the sizes that indices leave: all of an axis for a plain colon."""
        slices = [(m, key) for m, key in zip(a, keys) if isinstance(key, Slice)]
        return [
            m if key.lower is None and key.upper is None and key.step is None else self._sizes.new()
            for m, key in slices
        ]

    def _list(self, node: List) -> Shape:
        shapes = [self.of(e) for e in node.elts]
        return (self._sizes.new(len(shapes)), *(shapes[0] if shapes else ()))

    def _tuple(self, node: Tuple) -> Shape:
        raise _Unknown

    def _call(self, node: Call) -> Shape:
        name = _called(node)
        if self._matlab and name in self._names:
            if len(node.args) != len(self._names[name]):
                raise _Clash
            kept = self._kept(self._names[name], node.args)
            is_row = len(node.args) == 2 and len(kept) == 1 and isinstance(node.args[1], Slice)
            return _Row(kept) if is_row else tuple(kept)
        whole = [node.func.value] if isinstance(node.func, Attribute) and self._is_method(node.func) else []
        self._in_square += name in _OF_SQUARE | _SQUARE
        args = [self.of(a) for a in (*whole, *node.args) if not isinstance(a, (Tuple, List))]
        self._in_square -= name in _OF_SQUARE | _SQUARE
        return self._made(name, args, node, bool(whole))

    def _is_method(self, func: Attribute) -> bool:
        inner: Any = func.value
        while isinstance(inner, Attribute):
            inner = inner.value
        return not isinstance(inner, Name) or inner.id in self._names

    def _of_two(self, name: str, first: Shape, second: Shape) -> Shape:
        if name == "outer":
            return self._outer(first, second)
        if name == "cross":
            return self._crossed(first, second)
        if name == "solve":
            return self._product(self._square(first), second)
        if len(first) != 1 or len(second) != 1:
            raise _Clash
        self._sizes.same(first[0], second[0])
        return ()

    def _made(self, name: str, args: list[Shape], node: Call, method: bool) -> Shape:
        if not args:
            raise _Unknown
        first = args[0]
        if name in _OF_SQUARE:
            return self._square(first)[:0]
        if name in _SQUARE:
            return self._square(first)
        if name in _TO_NUMBER and not (name in ("max", "min") and len(args) > 1 and not method):
            return self._reduced(name, first, node, method)
        if name in _ALONG:
            if not first:
                raise _Clash
            return first
        if len(args) == 2 and name in ("dot", "inner", "vdot", "outer", "cross", "solve"):
            return self._of_two(name, first, args[1])
        if name == "diag":
            return self._diagonal(first)
        if name in _OF_ARRAYS:
            raise _Unknown
        shape = first
        for other in args[1:]:
            shape = self._spread(shape, other)
        return shape

    def _reduced(self, name: str, a: Shape, node: Call, method: bool) -> Shape:
        """Return the shape of a sum: no axes, or all axes but one."""
        if not a:
            raise _Clash
        axes = [k.value for k in node.keywords if k.name in ("dim", "axis")]
        axes += node.args[0 if method else 1 :][:1] if name != "norm" else []
        if self._matlab and len(a) == 2 and not axes and name != "norm":
            return _Row(a[1:])
        if not axes or not isinstance(axes[0], (Constant, Unary)):
            return ()
        return self._without(a, _integer(axes[0]) - self._matlab)

    def _without(self, a: Shape, axis: int) -> Shape:
        if not -len(a) <= axis < len(a):
            raise _Clash
        axis %= len(a)
        return (*a[:axis], *a[axis + 1 :])

    def _crossed(self, a: Shape, b: Shape) -> Shape:
        if len(a) != 1 or len(b) != 1:
            raise _Clash
        return (self._sizes.same(self._sizes.same(a[0], b[0]), self._sizes.new(3)),)

    def _outer(self, a: Shape, b: Shape) -> Shape:
        if len(a) != 1 or len(b) != 1:
            raise _Clash
        return (a[0], b[0])

    def _diagonal(self, a: Shape) -> Shape:
        if not a:
            raise _Clash
        return (a[0], a[0]) if len(a) == 1 else self._square(a)[:1]


def _factors(node: Binary) -> list[Binary]:
    """Return the products of a*b*c from the left; what stands in brackets is one factor."""
    left = node.left
    if isinstance(left, Binary) and left.op == "*" and not left.brackets:
        return [*_factors(left), node]
    return [node]


def _integer(node: Formula) -> int:
    sign = -1 if isinstance(node, Unary) and node.op == "-" else 1
    value = node.operand if isinstance(node, Unary) else node
    if not isinstance(value, Constant) or type(value.value) is not int:
        raise _Unknown
    return sign * value.value
