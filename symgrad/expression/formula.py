"""A formula as it stands on paper: order, brackets, decimals and places in the text are kept, nothing is worked out.

Every spelling is read into this tree. Operations carry their meaning: ``*`` and ``/`` act entry by entry, ``@`` is the
product of matrices, ``mpower``, ``mrdivide`` and ``mldivide`` are MATLAB's ``^``, ``/`` and backslash. Lessons write
sums and products of any number of parts, and numbers that are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, TypeVar

Span = tuple[int, int]
F = TypeVar("F", bound="Formula")
_BESIDE = (
    "place", "mark", "brackets", "silent", "shown", "plain", "number", "function", "whole", "latex", "sign",
)  # fmt: skip


class Formula:
    """A part of a formula. Two are equal where they say the same, wherever they stand. Formulas are never changed.

    Attributes:
        fields: the names of what it is made of.
        operands_in: those of them that hold formulas, without indices and names of functions.
        place: the characters of the text that it was read from; None where it was not read.
        mark: the characters that an error about it points at: of an operation its operator.
        brackets: the place of the brackets that it stands in; None without.
        silent: whether it is a product that was written without a sign.
    """

    fields: ClassVar[tuple[str, ...]] = ()
    operands_in: ClassVar[tuple[str, ...]] = ()
    place: Span | None = None
    mark: Span | None = None
    brackets: Span | None = None
    silent = False

    def __init__(self, *values: Any, **beside: Any) -> None:
        for name, value in (*zip(self.fields, values, strict=False), *beside.items()):
            self.__dict__[name] = tuple(value) if isinstance(value, list) else value

    def _key(self) -> tuple[Any, ...]:
        return (type(self), *(getattr(self, name) for name in self.fields))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Formula) and self._hash == other._hash and self._key() == other._key()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._key())

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in (*self.fields, *_BESIDE) if name in self.__dict__}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._key()[1:]))})"

    @property
    def span(self) -> Span:
        """Its place, with the brackets around it."""
        return self.brackets or self.place or (0, 1)

    @property
    def operands(self) -> tuple[Formula, ...]:
        """The parts that are formulas themselves."""
        parts: list[Formula] = []
        for name in self.operands_in:
            value = getattr(self, name)
            parts.extend(value if isinstance(value, tuple) else (value,))
        return tuple(parts)

    @cached_property
    def size(self) -> int:
        """The number of its parts, including itself and all parts below."""
        return 1 + sum(part.size for part in self.operands)

    @cached_property
    def free(self) -> frozenset[str]:
        """The names of its variables."""
        return frozenset().union(*[part.free for part in self.operands])

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        """Return the same kind of formula of other parts, in the order of ``operands``."""
        left, changes = list(new), dict[str, Any]()
        for name in self.operands_in:
            value = getattr(self, name)
            many = len(value) if isinstance(value, tuple) else 1
            changes[name] = tuple(left[:many]) if isinstance(value, tuple) else left[0]
            left = left[many:]
        return replace(self, **changes)


def replace(node: F, **changes: Any) -> F:
    """Return a formula with other parts, at the same place."""
    kept = {name: node.__dict__[name] for name in (*node.fields, *_BESIDE) if name in node.__dict__}
    return type(node)(**(kept | changes))


class Constant(Formula):
    """A number, or a word in quotation marks."""

    fields = ("value",)
    value: Any
    shown = ""  # how it is written, where that is not Python's way

    def _key(self) -> tuple[Any, ...]:
        return (Constant, type(self.value), self.value)  # 1, 1.0 and True are different constants


class Name(Formula):
    """A name, or a constant's letter."""

    fields = ("id",)
    id: str

    @cached_property
    def free(self) -> frozenset[str]:
        return frozenset([self.id])


class Unary(Formula):
    """A sign before its operand: ``-`` or ``+``."""

    fields, operands_in = ("op", "operand"), ("operand",)
    op: str
    operand: Formula


class Binary(Formula):
    """An operation of two."""

    fields, operands_in = ("left", "op", "right"), ("left", "right")
    left: Formula
    op: str
    right: Formula


class Compare(Formula):
    """A comparison of two."""

    fields, operands_in = ("left", "op", "right"), ("left", "right")
    left: Formula
    op: str
    right: Formula


class Keyword(Formula):
    """An argument with its name, as ``dim=0``."""

    fields = ("name", "value")
    name: str
    value: Formula


class Call(Formula):
    """A function with its arguments; in MATLAB's notation perhaps an array with its indices."""

    fields = ("func", "args", "keywords")
    func: Formula
    args: Sequence[Formula]
    keywords: Sequence[Keyword] = ()
    plain = False  # whether exp is written as a function, not as a power of e
    latex = ""  # what LaTeX calls the function

    @property
    def name(self) -> str:
        """The function's name; "" of a method."""
        return self.func.id if isinstance(self.func, Name) else ""

    @property
    def operands(self) -> tuple[Formula, ...]:
        method = (self.func.value,) if isinstance(self.func, Attribute) else ()
        return (*method, *self.args, *(k.value for k in self.keywords))

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        method = isinstance(self.func, Attribute)
        func = self.func.with_operands(new[:1]) if method else self.func
        args, values = new[method : method + len(self.args)], new[method + len(self.args) :]
        words = [replace(k, value=v) for k, v in zip(self.keywords, values, strict=True)]
        return replace(self, func=func, args=tuple(args), keywords=words)


class Attribute(Formula):
    """``x.T``, and the function of ``x.sum()`` or ``np.exp(x)``."""

    fields, operands_in = ("value", "attr"), ("value",)
    value: Formula
    attr: str


class Subscript(Formula):
    """An entry or a part, as ``x[0]``."""

    fields, operands_in = ("value", "key"), ("value",)
    value: Formula
    key: Formula


class Slice(Formula):
    """``a:b:c`` among indices."""

    fields = ("lower", "upper", "step")
    lower: Formula | None = None
    upper: Formula | None = None
    step: Formula | None = None


class Tuple(Formula):
    """Formulas with commas between, as ``a, b``."""

    fields, operands_in = ("elts",), ("elts",)
    elts: Sequence[Formula]


class List(Tuple):
    """Formulas in square brackets, as ``[a, b]``."""


# ------------------------------------------------------------------ as lessons write it
class Number(Formula):
    """An exact number; one that was written as a decimal is written so again."""

    fields = ("value", "decimal")
    value: Fraction
    decimal = False

    @property
    def has_point(self) -> bool:
        """Whether it is written with a point."""
        return self.decimal and self.value.denominator != 1


class Letter(Formula):
    """π or e, where they are constants."""

    fields = ("sign",)
    sign: str


class _OfParts(Formula):
    """An operation on any number of parts, as ``Sum(a, b, c)``."""

    fields: ClassVar[tuple[str, ...]] = ("args",)
    operands_in: ClassVar[tuple[str, ...]] = ("args",)
    args: tuple[Formula, ...]

    def __init__(self, *parts: Formula, **beside: Any) -> None:
        super().__init__(**({"args": parts} | beside))

    @property
    def operands(self) -> tuple[Formula, ...]:
        return self.args


class Sum(_OfParts):
    """a + b + …; a product with a negative number is subtracted."""


class Product(_OfParts):
    """A product of several factors, a·b·…"""


class Quotient(Formula):
    """A fraction, a over b."""

    fields = operands_in = ("numerator", "denominator")
    numerator: Formula
    denominator: Formula


class Power(Formula):
    """aᵇ; to the half, a root."""

    fields = operands_in = ("base", "exponent")
    base: Formula
    exponent: Formula


class Both(_OfParts):
    """Conditions that hold together; with the sign "or", one of which holds."""

    fields = ("args", "sign")
    sign = "and"


class Cases(_OfParts):
    """A value and a condition in turn; the last condition may be ``Otherwise()``."""

    @property
    def rows(self) -> list[tuple[Formula, Formula]]:
        """Values with their conditions."""
        return list(zip(self.args[::2], self.args[1::2], strict=True))


class Otherwise(Formula):
    """The condition of all that is left."""


class Prime(Formula):
    """(a)′: what is still to be differentiated."""

    fields = operands_in = ("operand",)
    operand: Formula
    function = False  # whether the dash stands behind a function's name


class Label(Formula):
    """The left-hand side of an equation: f(x), f′(x), ∂f/∂x.

    Attributes:
        name: of the function.
        by: how many dashes it has, or the variables that it is differentiated with respect to.
        of: the arguments, names or formulas.
    """

    fields = ("name", "by", "of")
    name: str
    by: int | tuple[str, ...] = 0
    of: tuple[Any, ...] = ()
    sign = "∂"


class Differential(Formula):
    """dX: a small change of X."""

    fields = ("whose",)
    whose: str


# ------------------------------------------------------------------ as closed forms are written
class Infix(_OfParts):
    """Parts with a sign between them: a ⊙ b, a ⊘ b, a ⊗ b, a × b, and ``@``, the product of matrices.

    Attributes:
        sign: the sign.
        number: whether a product of matrices is a number.
    """

    fields = ("args", "sign")
    sign: str
    number = False


class Scaled(Formula):
    """A number times an array; what the number is divided by stands behind the array in text, below it elsewhere."""

    fields = operands_in = ("coefficient", "array")
    coefficient: Formula
    array: Formula


class Raised(Formula):
    """A sign that stands high: Aᵀ, Aᴴ, A⁻¹, A⁺; of matrices also a power, A³."""

    fields, operands_in = ("base", "sign"), ("base",)
    base: Formula
    sign: str


class EntryPower(Formula):
    """Each entry to a power."""

    fields = operands_in = ("base", "exponent")
    base: Formula
    exponent: Formula


class Fenced(Formula):
    """A part between bars or brackets, with a sign below: |x|, ‖x‖, ‖X‖_F, [x > 0]."""

    fields, operands_in = ("inside", "left", "right", "below"), ("inside",)
    inside: Formula
    left: str
    right: str
    below: str = ""


class Entry(Formula):
    """An entry of an array: x_i, X_ij, x[i + 1]; ``function``: of one that a function makes, as inv(X)_ij."""

    fields, operands_in = ("array", "indices"), ("array",)
    array: Formula
    indices: tuple[Formula, ...]
    function = False


class Over(Formula):
    """A sum or a product over indices, each with its first and last value.

    Attributes:
        whole: whether each index runs through a whole axis, so that text needs no ends.
    """

    fields, operands_in = ("sign", "body", "limits"), ("body",)
    sign: str
    body: Formula
    limits: tuple[tuple[Formula, Formula, Formula], ...]
    whole = False


class Rows(Formula):
    """An array by its parts: ``[a, b]``, ``[[a, b], [c, d]]``; ``[a; b]`` of blocks above each other."""

    fields = ("rows", "between", "vector")
    rows: tuple[tuple[Formula, ...], ...]
    between = ""  # of blocks: "; " above each other, ", " side by side
    vector = False


class Along(Formula):
    """What goes along axes that no call names: (X[0])_{axis=1}."""

    fields, operands_in = ("inside", "axis"), ("inside",)
    inside: Formula
    axis: Formula


class Selected(Formula):
    """Entries that brackets select, as written in a program: x[1:], X[:, -1]."""

    fields, operands_in = ("array", "places"), ("array",)
    array: Formula
    places: str


class Verbatim(Formula):
    """An argument as it is written in a program, such as a shape or a slice."""

    fields = ("written",)
    written: str
    latex = ""


class Spelled(Formula):
    """An annotation that only affects how the formula is written."""

    fields = ("text", "latex")
    text: str
    latex: str


def call(function: str, *args: Formula, latex: str = "", **keywords: Formula) -> Call:
    """Return f(a, b, word=c); ``latex``: what LaTeX calls the function."""
    return Call(Name(function), args, [Keyword(k, v) for k, v in keywords.items()], latex=latex)


def number(value: Any) -> Number:
    """Return an exact number."""
    return Number(Fraction(value))


def decimal(value: Any) -> Constant:
    """Return a number as it is read off a float, to six digits."""
    return Constant(float(value), shown=f"{float(value):g}")


def blocks(parts: Sequence[Formula], between: str) -> Rows:
    """Return an array of blocks, ", " side by side or "; " above each other."""
    return Rows((tuple(parts),) if between == ", " else tuple((p,) for p in parts), between)


def within(node: Formula) -> Iterator[Formula]:
    """Yield what a part is made of at once, names of functions and indices too."""
    for name in node.fields:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Formula):
                yield part


def walk(node: Formula) -> Iterator[Formula]:
    """Yield a formula and all below it, outer parts first. Not recursive."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack += reversed(list(within(here)))
