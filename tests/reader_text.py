"""An independent reader of formulas in text: it knows the notation of ``docs/notation.md`` and nothing of the printers.

A formula is split into tokens, parsed by precedence, given sizes, and computed with NumPy. Sizes that the text does not
tell, as those of ``1`` and ``I``, follow from what stands beside them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Unreadable(Exception):
    """The text is not in the notation."""


class Untold(Unreadable):
    """A size that nothing in the text tells, as that of I in blocksum(X, I): see docs/notation.md."""


class Tree(NamedTuple):
    """A part of a formula: what it is, and its parts or parameters."""

    kind: str
    parts: tuple[Any, ...]


def tree(kind: str, *parts: Any) -> Tree:
    """Return a part of a formula."""
    return Tree(kind, parts)


# ------------------------------------------------------------------ tokens
_TOKENS = re.compile(
    r"\s*(\d+\.(?!\.)\d*(?:e[+-]?\d+)?|\d+(?:e[+-]?\d+)?|‹[^›]*›(?:[^\Wᵀ²]|′)*|[^\W\dᵀ²_](?:[^\Wᵀ²]|′)*|⁻¹|⁻ᵀ|\*\*|\^⊙"
    r"|\.\.|>=|<=|_(?=\{)|_[^\Wᵀ²]+|.)"
)


def tokens(text: str) -> list[str]:
    """Split a text into tokens; the last is empty."""
    found, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKENS.match(text, at)
        assert match is not None
        found.append(match[1])
        at = match.end()
    return [*found, ""]


_WHOLE = ("call", "brackets", "⁻¹", "⁻ᵀ", "ᵀ", "⁺")
RELATIONS = {">": ">", "<": "<", "≥": ">=", "≤": "<=", ">=": ">=", "<=": "<=", "=": "=", "≠": "!="}


class Parser:
    """Precedence climbing over tokens.

    From loose to tight: relations; ``+`` and ``-``; ``⊙`` and ``⊘``; ``⊗``; ``*`` and ``/``; a sign; powers; what
    stands behind an atom, as ``ᵀ`` and ``⁻¹``. All but powers go from left to right.
    """

    def __init__(self, text: str) -> None:
        self.tokens, self.at = tokens(text), 0

    @property
    def next(self) -> str:
        """The token that follows."""
        return self.tokens[self.at]

    def take(self, *wanted: str) -> str:
        """Take the next token; it must be one of these, where any are given."""
        token = self.next
        if wanted and token not in wanted:
            raise Unreadable(f"expected {wanted}, got {token!r} before {''.join(self.tokens[self.at :])!r}")
        self.at += 1
        return token

    def whole(self) -> Tree:
        """Read all of it."""
        found = self.relation()
        self.take("")
        return found

    def relation(self) -> Tree:
        """Read a formula, or a condition."""
        left = self.sum()
        if self.next in RELATIONS:
            left = tree("relation", RELATIONS[self.take()], left, self.sum())
        while self.next in ("&", "|"):
            left = tree("logic", self.take(), left, self.relation())
        return left

    def sum(self) -> Tree:
        """Read terms."""
        found = self._left(self.entrywise, "+", "-")
        return found

    def entrywise(self) -> Tree:
        """Read factors of an elementwise product."""
        return self._left(self.kronecker, "⊙", "⊘")

    def kronecker(self) -> Tree:
        """Read factors of a Kronecker product."""
        return self._left(self.product, "⊗")

    def product(self) -> Tree:
        """Read factors of a product; a sign in front is that of all of it."""
        if self.next == "-":
            self.take()
            return tree("negative", self.product())
        return self._left(self.signed, "*", "/")

    def _left(self, operand: Callable[[], Tree], *signs: str) -> Tree:
        found = operand()
        while self.next in signs:
            sign = self.take()
            found = tree(sign, found, operand())
        return found

    def signed(self) -> Tree:
        """Read a sign, and what it belongs to."""
        if self.next == "-":
            self.take()
            return tree("negative", self.signed())
        if self.next == "~":
            self.take()
            return tree("not", self.signed())
        return self.power()

    def power(self) -> Tree:
        """Read a power; the exponent may have a sign."""
        base = self.behind(self.atom())
        while self.next in ("**", "^⊙"):
            kind = self.take()
            base = tree(kind, base, self.exponent(kind))
        return base

    def exponent(self, kind: str) -> Tree:
        """Read an exponent: ``a**b**c`` is ``a**(b**c)``."""
        return self.signed() if kind == "**" else self.behind(self.atom())

    def behind(self, found: Tree) -> Tree:
        """Read what stands behind an atom."""
        while True:
            if self.next in ("ᵀ", "⁻¹", "⁻ᵀ", "⁺", "²"):
                found = tree(self.take(), found)
            elif self.next == "[" and (found.kind in _WHOLE or found.kind == "name"):
                found = tree("part", found, *self.places())
            elif self.next.startswith("_") and found.kind in _WHOLE:
                found = tree("entry", found, *[self.letter(c) for c in self.take()[1:]])
            else:
                return found

    def letter(self, c: str) -> Tree:
        """Return an index of one letter or digit."""
        return tree("number", int(c)) if c.isdigit() else tree("name", c)

    def places(self) -> list[Any]:
        """Read the inside of brackets that select entries."""
        self.take("[")
        found = [self.place()]
        while self.next == ",":
            self.take()
            found.append(self.place())
        self.take("]")
        return found

    def place(self) -> Any:
        """Read one place: a formula, a slice or a list."""
        if self.next == "[":
            return tree("list", *self.places())
        ends: list[Any] = [None]
        while self.next not in (",", "]"):
            if self.next == ":":
                self.take()
                ends.append(None)
            else:
                ends[-1] = self.sum()
        return ends[0] if len(ends) == 1 else tree("slice", *ends, *[None] * (3 - len(ends)))

    def atom(self) -> Tree:
        """Read a number, a name, a call, or something in brackets."""
        token = self.take()
        if token == "(":
            found = self.relation()
            self.take(")")
            return tree("brackets", found)
        if token == "‖":
            return self.norm()
        if token == "[":
            return self.bracket()
        if token[:1].isdigit():
            return tree("number", float(token) if re.search(r"[.e]", token) else int(token))
        if token in ("Sum_", "Prod_") or re.match(r"(Sum|Prod)_\w", token):
            return self.over(token)
        if token == "log" and self.next == "|":
            self.take()
            inside = self.sum()
            self.take("|")
            return tree("call", "log", tree("call", "abs", inside))
        if token and (token[0].isalpha() or token[0] == "‹"):
            return self.call(token) if self.next == "(" else tree("name", token)
        raise Unreadable(f"unexpected {token!r} before {''.join(self.tokens[self.at :])!r}")

    def norm(self) -> Tree:
        """Read ``‖a‖``, ``‖A‖_F`` or ``‖a‖_3``."""
        inside = self.sum()
        self.take("‖")
        order: Any = None
        if self.next == "_" or self.next.startswith("_"):
            order = self.take()[1:]
        return tree("norm", inside, order)

    def bracket(self) -> Tree:
        """Read ``[x > 0]``, ``[x, y]`` or ``[x; y]``."""
        first = self.relation()
        if self.next == "]":
            self.take()
            if first.kind not in ("relation", "logic", "not"):
                raise Unreadable(f"square brackets around {first}")
            return tree("truth", first)
        parts, sign = [first], self.next
        while self.next != "]":
            self.take(sign if sign in (",", ";") else "]")
            parts.append(self.relation())
        self.take()
        return tree("beside" if sign == "," else "above", *parts)

    def over(self, token: str) -> Tree:
        """Read Σ or Π: the product that follows is under it."""
        kind, letters = token.split("_", 1)
        limits: list[Any] = []
        if letters:
            names = [letters] if self.next != "," else self._several(letters)
            singles = [k for name in names for k in (name if len(names) == 1 and not name[1:].isdigit() else [name])]
            limits = [(k, None, None) for k in singles]
        else:
            self.take("{")
            while not limits or self.next == ",":
                if limits:
                    self.take(",")
                name, _ = self.take(), self.take("=")
                low, _ = self.sum(), self.take("..")
                limits.append((name, low, self.sum()))
            self.take("}")
        return tree(kind, self.product(), *limits)

    def _several(self, first: str) -> list[str]:
        found = [first]
        while self.next == ",":
            self.take()
            found.append(self.take())
        return found

    def call(self, name: str) -> Tree:
        """Read the arguments of a function: formulas, lists of places, words, and words with a value."""
        self.take("(")
        given: list[Any] = []
        named: dict[str, Any] = {}
        while self.next != ")":
            if given or named:
                self.take(",")
            if self.next == "(" and name == "Piecewise":
                self.take()
                value = self.relation()
                self.take(",")
                given.append((value, self.relation()))
                self.take(")")
            elif self.next == "[" and name in ("scatter", "put", "reshape") and given:
                given.append(tree("places", *self.places()))
            elif self.tokens[self.at + 1] == "=" and self.next in ("axis", "rtol", "atol"):
                word, _ = self.take(), self.take()
                named[word] = self.sum()
            else:
                given.append(self.relation())
        self.take(")")
        return tree("call", name, *given, *([named] if named else []))


# ------------------------------------------------------------------ functions
def _each(f: Callable[[float], float]) -> Callable[[Any], Any]:
    return np.vectorize(f, otypes=[float])


def softmax(x: Any) -> Any:
    """Rows that sum to 1."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def expm(x: Any) -> Any:
    """The exponential of a small matrix, by its series."""
    found, term = np.eye(len(x)), np.eye(len(x))
    for k in range(1, 60):
        term = term @ x / k
        found = found + term
    return found


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _erfcx(x: float) -> float:
    """exp(x²) erfc(x), of moderate numbers."""
    return math.exp(x * x) * math.erfc(x)


def polygamma(n: float, x: float) -> float:
    """The n-th derivative of ψ, by its series."""
    if n == 0:
        return digamma(x)
    k = np.arange(2000.0)
    n = int(n)
    tail = math.factorial(n - 1) / (x + 2000) ** n + math.factorial(n) / (2 * (x + 2000) ** (n + 1))
    return float((-1) ** (n + 1) * (math.factorial(n) * np.sum((x + k) ** -(n + 1)) + tail))


def digamma(x: float) -> float:
    """ψ(x) by recurrence and the asymptotic series."""
    found = 0.0
    while x < 12:
        found, x = found - 1 / x, x + 1
    s = 1 / (x * x)
    return found + math.log(x) - 0.5 / x - s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s / 132))))


ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh,
    "sinh": np.sinh, "cosh": np.cosh, "abs": np.abs, "Abs": np.abs, "sign": np.sign, "σ": _sigmoid,
    "sigmoid": _sigmoid, "relu": lambda x: np.maximum(x, 0), "softplus": lambda x: np.logaddexp(x, 0),
    "log1p": np.log1p, "expm1": np.expm1, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "erf": _each(math.erf), "erfc": _each(math.erfc),
    "lgamma": _each(math.lgamma), "digamma": _each(digamma), "floor": np.floor, "square": np.square,
    "Φ": _each(lambda x: math.erfc(-x / math.sqrt(2)) / 2), "atan2": np.arctan2, "remainder": np.mod,
    "logsigmoid": lambda x: -np.logaddexp(-x, 0), "polygamma": np.vectorize(polygamma, otypes=[float]),
    "erfcx": _each(_erfcx), "ndtr": _each(lambda x: math.erfc(-x / math.sqrt(2)) / 2),
    "clamp_min": np.maximum, "clamp_max": np.minimum,
    "clamp": lambda x, a, b: np.minimum(np.maximum(x, a), b),
}  # fmt: skip
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "tr": np.trace, "det": np.linalg.det, "sum": np.sum, "mean": np.mean,
    "logdet": lambda a: np.linalg.slogdet(a)[1],
}  # fmt: skip
DECOMPOSED: dict[str, Callable[[Any], Any]] = {
    "svd_U": lambda a: np.linalg.svd(a, full_matrices=False)[0],
    "svd_V": lambda a: np.linalg.svd(a, full_matrices=False)[2].T,
    "svdvals": lambda a: np.linalg.svd(a, compute_uv=False)[:, None],
    "eigh_V": lambda a: np.linalg.eigh(a)[1], "eigvalsh": lambda a: np.linalg.eigvalsh(a)[:, None],
    "qr_Q": lambda a: np.linalg.qr(a)[0], "qr_R": lambda a: np.linalg.qr(a)[1],
}  # fmt: skip
CONSTANTS = {
    "pi": math.pi,
    "π": math.pi,
    "E": math.e,
    "oo": math.inf,
    "zoo": math.nan,
    "nan": math.nan,
    "True": True,
    "False": False,
}


def axis_of(a: Any, named: Mapping[str, Any]) -> int:
    """Return the axis that a function of rows runs along: that of a column is its first."""
    return int(named.get("axis", 0 if np.shape(a)[1] == 1 else 1))


def _logsumexp(a: Any, axis: int) -> Any:
    top = a.max(axis, keepdims=True)
    return np.log(np.exp(a - top).sum(axis, keepdims=True)) + top


# Functions of rows that keep the shape: of the entries along one axis, words behind them said.
def _reversed(words: Sequence[str], a: Any) -> Any:
    return a[::-1] if "reverse" in words else a


def _cumprod(v: Any, exclusive: bool) -> Any:
    return np.cumprod([1.0, *v[:-1]] if exclusive else v)


ALONG: dict[str, Callable[..., Any]] = {
    "softmax": lambda v, w: softmax(v),
    "log_softmax": lambda v, w: np.log(softmax(v)),
    "cumsum": lambda v, w: _reversed(w, np.cumsum(_reversed(w, v))),
    "cumprod": lambda v, w: _reversed(w, _cumprod(_reversed(w, v), "exclusive" in w)),
    "flip": lambda v, w: v[::-1],
    "onehot": lambda v, w: v,
}
REDUCED: dict[str, Callable[[Any], Any]] = {
    "max": np.max, "min": np.min, "sum": np.sum, "mean": np.mean, "std": lambda v: np.std(v, ddof=1),
    "var": np.var, "logsumexp": lambda v: _logsumexp(v, 0)[0], "amax": np.max, "amin": np.min, "prod": np.prod,
}  # fmt: skip


# ------------------------------------------------------------------ sizes
class Size:
    """A size that is found out: equal sizes share one number."""

    def __init__(self) -> None:
        self.same: Any = None

    @staticmethod
    def of(x: Any) -> Any:
        """Return the number, or the last of a row of equal sizes."""
        while isinstance(x, Size) and x.same is not None:
            x = x.same
        return x


Shape = tuple[Any, Any] | None  # of a matrix or column; None of a number


def unify(a: Any, b: Any) -> None:
    """Make two sizes equal."""
    a, b = Size.of(a), Size.of(b)
    if a is b:
        return
    if isinstance(a, Size):
        a.same = b
    elif isinstance(b, Size):
        b.same = a
    elif a != b:
        raise Unreadable(f"sizes {a} and {b} are to be equal")


def same(a: Shape, b: Shape) -> Shape:
    """Return the shape of entrywise combined parts: a number goes with everything."""
    if a is None or b is None:
        return b if a is None else a
    unify(a[0], b[0])
    unify(a[1], b[1])
    return a


class Matrices:
    """The meaning of a formula in matrix notation: sizes first, then numbers."""

    def __init__(self, arrays: Mapping[str, Any], sizes: Mapping[str, int] | None = None) -> None:
        self.arrays = {k: np.asarray(v, dtype=float) for k, v in arrays.items()}
        self.arrays.update({k: np.asarray(float(v)) for k, v in (sizes or {}).items() if k not in self.arrays})
        self.shapes: dict[int, Any] = {}
        self.named: dict[str, Shape] = {}
        self.kept: list[Any] = []

    # -------------------------------------------------------------- reading
    def value(self, text: str, shape: Sequence[int]) -> Any:
        """Return the array of a form of this shape, with names defined behind ``where``."""
        body, _, where = text.partition(" where ")
        definitions = [d.split(" = ", 1) for d in where.split("; ")] if where else []
        return self.defined(body, definitions, shape)

    def defined(self, body: str, definitions: Sequence[Sequence[str]], shape: Sequence[int]) -> Any:
        """Return the array of a formula with names, each defined before those that use it, the last first."""
        return self.evaluated(
            Parser(body).whole(), [(name, Parser(e).whole()) for name, e in reversed(definitions)], shape
        )

    def evaluated(self, body: Tree, definitions: Sequence[tuple[str, Tree]], shape: Sequence[int]) -> Any:
        """Return the array of a parsed formula."""
        for name, e in definitions:
            if name in self.arrays or name in self.named:
                raise Unreadable(f"{name!r} has two meanings")
            self.named[name] = self.shape(e)
        found = self.shape(body)
        if found is not None:
            same(found, tuple(shape) if len(shape) == 2 else (*shape, 1) if len(shape) == 1 else (1, 1))
        with np.errstate(all="ignore"):
            for name, e in definitions:
                self.arrays[name] = self.compute(e)
            result = self.compute(body)
        return np.broadcast_to(result, shape) if found is None else np.reshape(result, shape)

    # -------------------------------------------------------------- sizes
    def shape(self, e: Tree) -> Shape:
        """Return the shape of a part, and remember it."""
        self.kept.append(e)  # identities stay valid
        found = self.shapes[id(e)] = self._shape(e)
        return found

    def known(self, e: Tree) -> tuple[int, int] | None:
        """Return the shape of a part as numbers."""
        shape = self.shapes[id(e)]
        if shape is None:
            return None
        found = tuple(Size.of(n) for n in shape)
        if any(isinstance(n, Size) for n in found):
            raise Untold(f"the size of {e} is not told")
        return found  # type: ignore[return-value]

    def _array(self, e: Tree) -> tuple[Any, Any]:
        """Return the shape of what must be an array; a number is in every entry."""
        found = self.shape(e)
        if found is None:
            found = self.shapes[id(e)] = (Size(), Size())
        return found

    def _shape(self, e: Tree) -> Shape:
        kind, parts = e
        method = getattr(self, f"_shape_{_METHODS.get(kind, kind)}", None)
        if method is None:
            raise Unreadable(f"{kind} in matrix notation")
        return method(*parts)

    def _shape_number(self, value: Any) -> Shape:
        return None

    def _shape_ones(self) -> Shape:
        return (Size(), 1)

    def _shape_name(self, name: str) -> Shape:
        if name in self.arrays:
            a = self.arrays[name]
            return None if a.ndim == 0 else (*a.shape, 1) if a.ndim == 1 else a.shape  # type: ignore[return-value]
        if name in self.named:
            return self.named[name]
        if name == "I":
            n = Size()
            return (n, n)
        if name in CONSTANTS:
            return None
        raise Unreadable(f"nothing is called {name!r}")

    def _shape_brackets(self, inside: Tree) -> Shape:
        return self.shape(inside)

    _shape_negative = _shape_brackets

    def _shape_entrywise(self, a: Tree, b: Tree) -> Shape:
        return same(self.shape(a), self.shape(b))

    def _shape_sum(self, a: Tree, b: Tree) -> Shape:
        return self._shape_entrywise(a, b)

    def _shape_over(self, a: Tree, b: Tree) -> Shape:
        found = self.shape(a)
        if self.shape(b) is not None:
            raise Unreadable("a division by an array")
        return found

    def _shape_times(self, a: Tree, b: Tree) -> Shape:
        left, right = self.shape(a), self.shape(b)
        if left is None or right is None:
            return right if left is None else left
        unify(left[1], right[0])
        inner = Size.of(left[0]) == 1 and Size.of(right[1]) == 1
        return None if inner else (left[0], right[1])

    def _shape_turned(self, a: Tree) -> Shape:
        r, c = self._array(a)
        return (c, r)

    def _shape_inverse(self, a: Tree) -> Shape:
        r, c = self._array(a)
        unify(r, c)
        return (r, c)

    def _shape_square(self, a: Tree) -> Shape:
        if self.shape(a) is not None:
            raise Unreadable("the square of an array")
        return None

    def _shape_power(self, a: Tree, b: Tree) -> Shape:
        if self.shape(a) is not None or self.shape(b) is not None:
            raise Unreadable("a power of arrays; ^⊙ is that of the entries")
        return None

    def _shape_norm(self, a: Tree, order: Any) -> Shape:
        self._array(a)
        return None

    def _shape_truth(self, a: Tree) -> Shape:
        return self.shape(a)

    def _shape_relation(self, sign: str, a: Tree, b: Tree) -> Shape:
        return same(self.shape(a), self.shape(b))

    def _shape_kronecker(self, a: Tree, b: Tree) -> Shape:
        (r, c), (s, d) = self._array(a), self._array(b)
        return Size.of(r) * Size.of(s), Size.of(c) * Size.of(d)

    def _shape_above(self, *parts: Tree) -> Shape:
        shapes = [self._array(p) for p in parts]
        for s in shapes[1:]:
            unify(s[1], shapes[0][1])
        return sum(Size.of(s[0]) for s in shapes), shapes[0][1]

    def _shape_beside(self, *parts: Tree) -> Shape:
        shapes = [self._array(p) for p in parts]
        for s in shapes[1:]:
            unify(s[0], shapes[0][0])
        return shapes[0][0], sum(Size.of(s[1]) for s in shapes)

    def _shape_part(self, a: Tree, *places: Any) -> Shape:
        shape = tuple(Size.of(n) for n in self._array(a))
        probe = self._picked(np.zeros(shape), places)
        return None if probe.ndim == 0 else (*probe.shape, 1) if probe.ndim == 1 else probe.shape

    def _picked(self, a: Any, places: Any) -> Any:
        a = a[:, 0] if a.shape[1] == 1 and len(places) == 1 else a
        return a[tuple(_python(p) for p in places)]

    def _shape_call(self, name: str, *given: Any) -> Shape:
        if name in ELEMENTWISE:
            found: Shape = None
            for a in given:
                found = same(found, self.shape(a))
            return found
        trees = [a for a in given if isinstance(a, Tree) and a != tree("name", "reverse")]
        named = given[-1] if given and isinstance(given[-1], dict) else {}
        if name in ("max", "min") and len(trees) == 2:
            return same(self.shape(trees[0]), self.shape(trees[1]))
        if name == "e^":
            return self.shape(given[0])
        if name == "scatter":
            self._array(trees[0])
            return (Size(), Size() if Size.of(self.shapes[id(trees[0])][1]) != 1 else 1)
        if name == "where":
            condition, a, b = given
            return same(same(self.shape(condition), self.shape(a)), self.shape(b))
        if name == "diag":
            r, c = self._array(trees[0])
            return (r, r) if Size.of(c) == 1 else (r, 1)
        if name in ("tril", "triu", "chol", "expm"):
            return self._array(trees[0])
        if name in ALONG:
            return self._array(trees[0])
        if name in DECOMPOSED:
            shape = tuple(Size.of(n) for n in self._array(trees[0]))
            return np.shape(DECOMPOSED[name](np.eye(*shape)))
        if "axis" in named and name in REDUCED:
            r, c = self._array(trees[0])
            return (c, 1) if named["axis"] == tree("number", 0) else (r, 1)
        if name == "logsumexp":
            r, c = self._array(trees[0])
            return None if Size.of(c) == 1 else (r, 1)
        if name in NUMBERS or name in REDUCED:
            self._array(trees[0])
            return None
        raise Unreadable(f"a function {name!r}")

    # -------------------------------------------------------------- numbers
    def compute(self, e: Tree) -> Any:
        """Return the value of a part: a matrix, or a number."""
        kind, parts = e
        found = getattr(self, f"_value_{_METHODS.get(kind, kind)}")(e, *parts)
        shape = self.known(e)
        return np.asarray(found, dtype=float) if shape is None else np.broadcast_to(found, shape)

    def _value_number(self, e: Tree, value: Any) -> Any:
        return value

    def _value_ones(self, e: Tree) -> Any:
        return 1.0

    def _value_name(self, e: Tree, name: str) -> Any:
        if name in self.arrays:
            return self.arrays[name].reshape(self.known(e) or ())
        return np.eye(self.known(e)[0]) if name == "I" else CONSTANTS[name]  # type: ignore[index]

    def _value_brackets(self, e: Tree, inside: Tree) -> Any:
        return self.compute(inside)

    def _value_negative(self, e: Tree, a: Tree) -> Any:
        return -self.compute(a)

    def _value_sum(self, e: Tree, a: Tree, b: Tree) -> Any:
        return self.compute(a) + self.compute(b) if e.kind == "+" else self.compute(a) - self.compute(b)

    def _value_entrywise(self, e: Tree, a: Tree, b: Tree) -> Any:
        x, y = self.compute(a), self.compute(b)
        return x * y if e.kind == "⊙" else x / y if e.kind == "⊘" else x**y

    def _value_over(self, e: Tree, a: Tree, b: Tree) -> Any:
        return self.compute(a) / self.compute(b)

    def _value_times(self, e: Tree, a: Tree, b: Tree) -> Any:
        x, y = self.compute(a), self.compute(b)
        if x.ndim == 0 or y.ndim == 0:
            return x * y
        return x @ y if self.known(e) is not None else (x @ y)[0, 0]

    def _value_turned(self, e: Tree, a: Tree) -> Any:
        found = self.compute(a).T
        return np.linalg.inv(found) if e.kind == "⁻ᵀ" else found

    def _value_inverse(self, e: Tree, a: Tree) -> Any:
        return np.linalg.inv(self.compute(a))

    def _value_square(self, e: Tree, a: Tree) -> Any:
        return self.compute(a) ** 2

    def _value_power(self, e: Tree, a: Tree, b: Tree) -> Any:
        return self.compute(a) ** self.compute(b)

    def _value_norm(self, e: Tree, a: Tree, order: Any) -> Any:
        x = self.compute(a)
        if order == "F" or (order is None and x.shape[1] == 1):
            return np.sqrt(np.sum(x**2))
        return np.linalg.norm(x, 2) if order is None else np.sum(np.abs(x) ** float(order)) ** (1 / float(order))

    def _value_truth(self, e: Tree, a: Tree) -> Any:
        return 1.0 * self.compute(a)

    def _value_relation(self, e: Tree, sign: str, a: Tree, b: Tree) -> Any:
        return compare(sign, self.compute(a), self.compute(b))

    def _value_kronecker(self, e: Tree, a: Tree, b: Tree) -> Any:
        return np.kron(self.compute(a), self.compute(b))

    def _value_above(self, e: Tree, *parts: Tree) -> Any:
        return np.concatenate([self.compute(p) for p in parts], 0)

    def _value_beside(self, e: Tree, *parts: Tree) -> Any:
        return np.concatenate([self.compute(p) for p in parts], 1)

    def _value_part(self, e: Tree, a: Tree, *places: Any) -> Any:
        found = self._picked(self.compute(a), places)
        return found.reshape(self.known(e) or ())

    def _value_call(self, e: Tree, name: str, *given: Any) -> Any:
        named = given[-1] if given and isinstance(given[-1], dict) else {}
        words = [a.parts[0] for a in given if isinstance(a, Tree) and a.kind == "name" and a.parts[0] in _WORDS]
        trees = [a for a in given if isinstance(a, Tree) and id(a) in self.shapes]
        if name == "scatter":
            found = np.zeros(self.known(e))
            at = tuple(map(_python, given[1].parts))
            np.add.at(found[:, 0] if found.shape[1] == 1 else found, at, np.squeeze(self.compute(given[0])))
            return found
        values = [self.compute(a) for a in trees]
        if name in ELEMENTWISE:
            return ELEMENTWISE[name](*values)
        if name == "e^":
            return np.exp(values[0]) if values[0].ndim == 0 else expm(values[0])
        if name in ("max", "min") and len(values) == 2:
            return (np.maximum if name == "max" else np.minimum)(*values)
        if name == "where":
            return np.where(np.asarray(values[0]) != 0, *values[1:])
        offset = _python(given[1]) if name in ("tril", "triu") and len(given) > 1 else 0
        return self._of_array(name, values[0], words, {k: int(v.parts[0]) for k, v in named.items()}, offset)

    def _of_array(self, name: str, a: Any, words: Sequence[str], named: Mapping[str, Any], offset: int = 0) -> Any:
        if name == "diag":
            return np.diag(a[:, 0]) if a.shape[1] == 1 else np.diag(a)[:, None]
        if name in ("tril", "triu"):
            return (np.tril if name == "tril" else np.triu)(a, offset)
        if name in ("chol", "expm"):
            return np.linalg.cholesky(a) if name == "chol" else expm(a)
        if name in DECOMPOSED:
            return DECOMPOSED[name](a)
        if name in ALONG:
            return np.apply_along_axis(ALONG[name], axis_of(a, named), a, words)
        if name in REDUCED and ("axis" in named or (name == "logsumexp" and a.shape[1] > 1)):
            return np.apply_along_axis(REDUCED[name], named.get("axis", 1), a).reshape(-1, 1)
        return (NUMBERS.get(name) or REDUCED[name])(a if name in NUMBERS else np.ravel(a))


_WORDS = ("reverse", "exclusive", "upper")
_METHODS = {
    "+": "sum", "-": "sum", "⊙": "entrywise", "⊘": "entrywise", "^⊙": "entrywise", "*": "times", "/": "over",
    "ᵀ": "turned", "⁻ᵀ": "turned", "⁻¹": "inverse", "²": "square", "**": "power", "⊗": "kronecker",
}  # fmt: skip


def _python(place: Any) -> Any:
    """Return a place as NumPy takes it."""
    if place is None:
        return None
    kind, parts = place
    if kind == "slice":
        return slice(*[None if p is None else _python(p) for p in parts])
    if kind == "list":
        return [_python(p) for p in parts]
    if kind == "negative":
        return -_python(parts[0])
    return int(parts[0])


def compare(sign: str, a: Any, b: Any) -> Any:
    """Return where a relation holds."""
    return {">": np.greater, "<": np.less, ">=": np.greater_equal, "<=": np.less_equal, "=": np.equal}.get(
        sign, np.not_equal
    )(a, b)


def with_ones(e: Any) -> Any:
    """Return a formula in which each 1 that is a factor, or is transposed, is the column of ones."""
    if not isinstance(e, Tree):
        if isinstance(e, tuple):
            return tuple(map(with_ones, e))
        return {k: with_ones(v) for k, v in e.items()} if isinstance(e, dict) else e
    kind, parts = e.kind, tuple(map(with_ones, e.parts))
    if kind == "*":
        parts = tuple(_ones(p) for p in parts)
    if kind == "ᵀ":
        parts = (_ones(parts[0]),)
    return Tree(kind, parts)


def _ones(e: Any) -> Any:
    one = isinstance(e, Tree) and e.kind == "number" and isinstance(e.parts[0], int) and e.parts[0] == 1
    return tree("ones") if one else e


def matrix_value(text: str, shape: Sequence[int], arrays: Mapping[str, Any], sizes: Any = None) -> Any:
    """Return the value of a formula in matrix notation, with or without names behind ``where``."""
    reading = Matrices(arrays, sizes)
    body, _, where = text.partition(" where ")
    definitions = [d.split(" = ", 1) for d in where.split("; ")] if where else []
    parsed = [(name, with_ones(Parser(e).whole())) for name, e in reversed(definitions)]
    return reading.evaluated(with_ones(Parser(body).whole()), parsed, shape)


# ------------------------------------------------------------------ index notation
class Entries:
    """The meaning of a formula in index notation: every index is an axis."""

    def __init__(self, arrays: Mapping[str, Any], sizes: Mapping[str, int] | None = None) -> None:
        self.arrays = {k: np.asarray(v, dtype=float) for k, v in arrays.items()}
        self.arrays.update({k: np.asarray(float(v)) for k, v in (sizes or {}).items() if k not in self.arrays})

    def array(self, e: Tree, indices: Sequence[str], shape: Sequence[int]) -> Any:
        """Return the array of the entries at these indices."""
        env = {
            k: np.arange(n).reshape([-1 if a == axis else 1 for a in range(len(shape))])
            for axis, (k, n) in enumerate(zip(indices, shape, strict=True))
        }
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(self.value(e, env), dtype=float), tuple(shape))

    def value(self, e: Tree, env: Mapping[str, Any]) -> Any:
        """Return the value of a part, with an axis for each index in use."""
        kind, parts = e
        if kind == "number":
            return parts[0]
        if kind == "name":
            return self._name(parts[0], env)
        if kind in ("Sum", "Prod"):
            return self._over(e, env)
        if kind == "part":
            return self._at(e.parts[0].parts[0], [self.value(p, env) for p in parts[1:]], e.parts[0].kind)
        if kind == "call" and parts[0] == "Piecewise":
            found: Any = np.nan
            for value, condition in reversed(parts[1:]):
                found = np.where(self.value(condition, env), self.value(value, env), found)
            return found
        if kind in ("relation", "logic"):
            a, b = (self.value(p, env) for p in parts[1:])
            if kind == "relation":
                return compare(parts[0], a, b)
            return np.logical_and(a, b) if parts[0] == "&" else np.logical_or(a, b)
        if kind == "entry" or (kind == "part" and e.parts[0].kind != "name"):
            return self._entry(parts[0], parts[1:], env)
        if kind == "call" and (parts[0] in NUMBERS or parts[0] in REDUCED) and len(parts) == 2:
            return self._entry(e, (), env)
        if kind == "call":
            return self._call(parts[0], [self.value(p, env) for p in parts[1:]])
        values = [self.value(p, env) for p in parts]
        return _ENTRY[kind](*values)

    # -------------------------------------------------------------- functions of whole arrays
    def _entry(self, call: Tree, places: Sequence[Tree], env: Mapping[str, Any]) -> Any:
        """Return an entry of a named function, computed anew for each value of the outer indices."""
        at = [self.value(p, env) for p in places]
        outer = list(env)
        given = np.broadcast_arrays(*[np.asarray(v) for v in (*env.values(), *at, 0)])
        found = np.empty(given[0].shape)
        known: dict[Any, Any] = {}
        for k in np.ndindex(found.shape):
            here = {name: int(v[k]) for name, v in zip(outer, given, strict=False)}
            key = tuple(v for name, v in here.items() if name in str(call))
            if key not in known:
                known[key] = self._whole(call, here)
            place = tuple(int(v[k]) for v in given[len(outer) : -1])
            a = known[key]
            found[k] = a[tuple(min(max(p, 0), n - 1) for p, n in zip(place, a.shape, strict=True))]
        return found

    def _whole(self, e: Tree, env: Mapping[str, int]) -> Any:
        """Return a whole array: a name, a named function of whole arrays, or an entry whose free letters are axes."""
        kind, parts = e
        if kind == "brackets":
            return self._whole(parts[0], env)
        if kind == "entries":
            return self.array_of(parts[0], parts[1], env)
        if kind == "name" and self.arrays.get(parts[0], np.zeros(())).ndim:
            return self.arrays[parts[0]]
        if kind in ("⁻¹", "⁻ᵀ", "ᵀ"):
            a = self._whole(parts[0], env)
            return a.T if kind == "ᵀ" else np.linalg.inv(a.T if kind == "⁻ᵀ" else a)
        whole = kind == "call" and (parts[0] in _OF_ARRAYS or parts[0] in NUMBERS or parts[0] in REDUCED)
        if whole:
            a = self._whole(parts[1], env)
            column = a[:, None] if a.ndim == 1 else a
            found = Matrices({})._of_array(parts[0], column, (), {})
            return np.asarray(found) if np.ndim(found) == 0 or parts[0] in DECOMPOSED else np.reshape(found, a.shape)
        return self.array_of(e, self._axes_of(e, env), env)

    def array_of(self, e: Tree, letters: Sequence[str], env: Mapping[str, int]) -> Any:
        """Return the array of an entry with these letters as its axes."""
        sizes = [self._last(e, k) + 1 for k in letters]
        outer = {k: np.asarray(v).reshape((1,) * len(letters)) for k, v in env.items() if k not in letters}
        own = {
            k: np.arange(n).reshape([-1 if a == axis else 1 for a in range(len(letters))])
            for axis, (k, n) in enumerate(zip(letters, sizes, strict=True))
        }
        return np.array(np.broadcast_to(np.asarray(self.value(e, {**outer, **own}), dtype=float), sizes))

    def _axes_of(self, e: Tree, env: Mapping[str, Any]) -> list[str]:
        """Return the letters that nothing binds, in the order in which index letters are given."""
        free = self._free(e) - set(env)
        return sorted(free, key=lambda k: (len(k), _ORDER.find(k[0]), k))

    def _free(self, e: Any) -> set[str]:
        if not isinstance(e, tuple):
            return set()
        if not isinstance(e, Tree):
            return {k for p in e for k in self._free(p)}
        kind, parts = e
        if kind in ("Sum", "Prod"):
            return (self._free(parts[0]) | self._free(parts[1:])) - {k for k, *_ in parts[1:]}
        if kind == "name":
            if parts[0] in self.arrays or parts[0] in CONSTANTS:
                return set()
            head, _, places = str(parts[0]).rpartition("_")
            return {c for c in (places if head else parts[0]) if c.isalpha()}
        if kind in ("entry", "part") and kind == "entry":
            return self._free(parts[1:])  # the letters of the argument are its own
        if kind == "part" and parts[0].kind == "name":
            return self._free(parts[1:])
        if kind == "call" and (parts[0] in NUMBERS or parts[0] in REDUCED):
            return set()
        return {k for p in parts for k in self._free(p)}

    def _call(self, name: str, values: Sequence[Any]) -> Any:
        if name in ("Eq", "Ne"):
            return compare("=" if name == "Eq" else "!=", *values)
        if name in ("max", "min", "Max", "Min", "maximum", "minimum"):
            return (np.maximum if name.lower().startswith("max") else np.minimum)(*values)
        if name == "KroneckerDelta":
            return np.equal(*values) * 1.0
        if name not in ELEMENTWISE:
            raise Unreadable(f"a function {name!r} of entries")
        return ELEMENTWISE[name](*[np.asarray(v, dtype=float) for v in values])

    def _name(self, name: str, env: Mapping[str, Any]) -> Any:
        if name in env:
            return env[name]
        if name in self.arrays:
            if self.arrays[name].ndim:
                raise Unreadable(f"{name} without indices")
            return self.arrays[name]
        head, _, places = name.rpartition("_")
        if head == "δ" or head in self.arrays:
            return self._at(head, [int(c) if c.isdigit() else self._name(c, env) for c in places], "name")
        if name in CONSTANTS:
            return CONSTANTS[name]
        raise Unreadable(f"nothing is called {name!r}")

    def _at(self, head: str, places: Sequence[Any], kind: str) -> Any:
        if kind != "name":
            raise Unreadable("an entry of something without a name")
        if head == "δ":
            return np.equal(*places) * 1.0
        a = self.arrays[head]
        if a.ndim != len(places):
            raise Unreadable(f"{head} with {len(places)} indices")
        found = [np.clip(np.asarray(p).astype(int), 0, n - 1) for p, n in zip(places, a.shape, strict=True)]
        return a[tuple(found)]

    def _over(self, e: Tree, env: Mapping[str, Any]) -> Any:
        body, *limits = e.parts
        inner = {k: np.asarray(v)[..., *[None] * len(limits)] for k, v in env.items()}
        inside: Any = True
        for axis, (k, low, high) in enumerate(limits):
            if k in env or k in self.arrays:
                raise Unreadable(f"the index {k} has two meanings")
            first = 0 if low is None else np.asarray(self.value(low, inner))
            last = self._last(body, k) if high is None else np.asarray(self.value(high, inner))
            at = np.arange(int(np.min(first)), int(np.max(last)) + 1)
            inner[k] = at.reshape([-1 if a == axis else 1 for a in range(len(limits))])
            inside = inside & (inner[k] >= first) & (inner[k] <= last)
        total = np.sum if e.kind == "Sum" else np.prod
        found = np.where(inside, self.value(body, inner), 0.0 if e.kind == "Sum" else 1.0)
        return total(found, axis=tuple(range(-len(limits), 0)))

    def _last(self, body: Any, k: str) -> int:
        """Return the end of the axis of the array that has the index as it is."""
        found = {n for n in self._axes(body, k)}
        if len(found) != 1:
            raise Untold(f"the range of {k} is not told: {found or 'no axis'}")
        return int(found.pop()) - 1

    def _axes(self, e: Any, k: str) -> list[int]:
        if not isinstance(e, tuple):
            return []
        if isinstance(e, Tree) and e.kind in ("Sum", "Prod") and k in {name for name, *_ in e.parts[1:]}:
            return []
        if isinstance(e, Tree) and e.kind == "entry":
            return self._of_entry(e, k)
        if isinstance(e, Tree) and e.kind == "name":
            head, _, places = str(e.parts[0]).rpartition("_")
            if head in self.arrays and e.parts[0] not in self.arrays:
                return [n for c, n in zip(places, self.arrays[head].shape, strict=False) if c == k]
            return []
        if (
            isinstance(e, Tree)
            and e.kind == "part"
            and e.parts[0].kind == "name"
            and e.parts[0].parts[0] in self.arrays
        ):
            shape = self.arrays[e.parts[0].parts[0]].shape
            own = [n for p, n in zip(e.parts[1:], shape, strict=False) if p == tree("name", k)]
            return own + [n for p in e.parts[1:] for n in self._axes(p, k)]
        return [n for p in (e.parts if isinstance(e, Tree) else e) for n in self._axes(p, k)]

    def _of_entry(self, e: Tree, k: str) -> list[int]:
        """Return the size of an axis of a whole array: here all are square, or as long as their argument."""
        call, *places = e.parts
        inside = call
        while isinstance(inside, Tree) and inside.kind in ("⁻¹", "⁻ᵀ", "ᵀ", "brackets", "call"):
            inside = inside.parts[1 if inside.kind == "call" else 0]
        if tree("name", k) not in places:
            return []
        if inside.kind == "name" and inside.parts[0] in self.arrays:
            return [self.arrays[inside.parts[0]].shape[places.index(tree("name", k))]]
        letters = self._axes_of(inside, {})
        return self._axes(inside, letters[min(places.index(tree("name", k)), len(letters) - 1)])


_ORDER = "klmnpqrstuvij"  # of the letters of axes
_OF_ARRAYS = ("softmax", "log_softmax", "chol", "tril", "triu", "cumsum", "flip", "expm", *DECOMPOSED)
_ENTRY: dict[str, Callable[..., Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "negative": np.negative,
    "**": lambda a, b: np.asarray(a, dtype=float) ** b, "brackets": lambda a: a, "not": np.logical_not,
    "truth": lambda a: 1.0 * np.asarray(a),
}  # fmt: skip


def index_value(text: str, indices: Sequence[str], shape: Sequence[int], arrays: Any, sizes: Any = None) -> Any:
    """Return the array whose entry the text is."""
    return Entries(arrays, sizes).array(Parser(text).whole(), indices, shape)


def scalar_value(text: str, arrays: Mapping[str, Any]) -> float:
    """Return the number of one entry written out: the entries of arrays are names such as ``W_01``."""
    env = {}
    for name, a in arrays.items():
        a = np.asarray(a)
        join = "" if max(a.shape, default=0) <= 10 else "_"
        for at in np.ndindex(*a.shape):
            env[f"{name}_{join.join(map(str, at))}" if at else name] = a[at]
    with np.errstate(all="ignore"):
        return float(Entries({}).value(Parser(text).whole(), env))
