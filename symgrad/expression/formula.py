"""A formula as it stands on paper: order, brackets, decimals and places in the text are kept, nothing is worked out.

Every spelling is read into this tree. Operations carry their meaning: ``*`` and ``/`` act entry by entry, ``@`` is the
product of matrices, ``mpower``, ``mrdivide`` and ``mldivide`` are MATLAB's ``^``, ``/`` and backslash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

Span = tuple[int, int]


@dataclass(unsafe_hash=True)
class Formula:
    """A part of a formula. Two are equal where they say the same, wherever they stand.

    Attributes:
        place: the characters of the text that it was read from; None where it was not read.
        mark: the characters that an error about it points at: of an operation its operator.
        brackets: the place of the brackets that it stands in; None without.
    """

    place: Span | None = field(default=None, compare=False, kw_only=True, repr=False)
    mark: Span | None = field(default=None, compare=False, kw_only=True, repr=False)
    brackets: Span | None = field(default=None, compare=False, kw_only=True, repr=False)

    @property
    def span(self) -> Span:
        """Its place, with the brackets around it."""
        return self.brackets or self.place or (0, 1)

    @property
    def operands(self) -> tuple[Formula, ...]:
        """The parts that are formulas themselves, without indices and names of functions."""
        return ()

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        """Return the same kind of formula of other parts, in the order of ``operands``."""
        return self


@dataclass(unsafe_hash=True)
class Constant(Formula):
    """A number, or a word in quotation marks."""

    value: Any
    kind: str = field(init=False, repr=False)  # 1, 1.0 and True are different constants

    def __post_init__(self) -> None:
        self.kind = type(self.value).__name__


@dataclass(unsafe_hash=True)
class Name(Formula):
    """A name, or a constant's letter."""

    id: str


@dataclass(unsafe_hash=True)
class Unary(Formula):
    """A sign before its operand: ``-`` or ``+``."""

    op: str
    operand: Formula

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.operand,)

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        return replace(self, operand=new[0])


@dataclass(unsafe_hash=True)
class Binary(Formula):
    """An operation of two.

    Attributes:
        silent: whether it is a product that was written without a sign.
    """

    left: Formula
    op: str
    right: Formula
    silent: bool = field(default=False, compare=False, kw_only=True, repr=False)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.left, self.right)

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        return replace(self, left=new[0], right=new[1])


@dataclass(unsafe_hash=True)
class Compare(Formula):
    """A comparison of two."""

    left: Formula
    op: str
    right: Formula

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.left, self.right)

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        return replace(self, left=new[0], right=new[1])


@dataclass(unsafe_hash=True)
class Keyword(Formula):
    """An argument with its name, as ``dim=0``."""

    name: str
    value: Formula


@dataclass(unsafe_hash=True)
class Call(Formula):
    """A function with its arguments; in MATLAB's notation perhaps an array with its indices."""

    func: Formula
    args: Sequence[Formula]
    keywords: Sequence[Keyword] = ()

    def __post_init__(self) -> None:
        self.args, self.keywords = tuple(self.args), tuple(self.keywords)

    @property
    def operands(self) -> tuple[Formula, ...]:
        method = (self.func.value,) if isinstance(self.func, Attribute) else ()
        return (*method, *self.args, *(k.value for k in self.keywords))

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        method = isinstance(self.func, Attribute)
        func = self.func.with_operands(new[:1]) if method else self.func
        args = new[method : method + len(self.args)]
        words = zip(self.keywords, new[method + len(self.args) :], strict=True)
        return replace(self, func=func, args=args, keywords=[replace(k, value=v) for k, v in words])


@dataclass(unsafe_hash=True)
class Attribute(Formula):
    """``x.T``, and the function of ``x.sum()`` or ``np.exp(x)``."""

    value: Formula
    attr: str

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.value,)

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        return replace(self, value=new[0])


@dataclass(unsafe_hash=True)
class Subscript(Formula):
    """``x[0]``."""

    value: Formula
    key: Formula

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.value,)

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        return replace(self, value=new[0])


@dataclass(unsafe_hash=True)
class Slice(Formula):
    """``a:b:c`` among indices."""

    lower: Formula | None = None
    upper: Formula | None = None
    step: Formula | None = None


@dataclass(unsafe_hash=True)
class Tuple(Formula):
    """``a, b``."""

    elts: Sequence[Formula]

    def __post_init__(self) -> None:
        self.elts = tuple(self.elts)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return tuple(self.elts)

    def with_operands(self, new: Sequence[Formula]) -> Formula:
        return replace(self, elts=new)


class List(Tuple):
    """``[a, b]``."""


def within(node: Formula) -> Iterator[Formula]:
    """Yield what a part is made of at once, names of functions and indices too."""
    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, Formula):
            yield value
        elif isinstance(value, tuple):
            yield from (v for v in value if isinstance(v, Formula))


def _fields(kind: type[Formula]) -> list[str]:
    if kind not in _FIELDS:
        _FIELDS[kind] = [f.name for f in fields(kind) if f.compare]
    return _FIELDS[kind]


_FIELDS: dict[type[Formula], list[str]] = {}


def walk(node: Formula) -> Iterator[Formula]:
    """Yield a formula and all below it, outer parts first. Not recursive."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack += reversed(list(within(here)))


# ------------------------------------------------------------------ text
_STRENGTH = {
    "+": 2, "-": 2, "*": 3, "⊙": 3, "/": 3, "@": 3, "%": 3, "//": 3, "mrdivide": 3, "mldivide": 3, "**": 5, "mpower": 5,
}  # fmt: skip
_COMPARED, _UNARY, _ATOM = 1, 4, 6
_SIGNS = {"**": "^", "mpower": "^", "*": "*", "/": "/", "mrdivide": "/", "mldivide": "\\"}


def text(node: Formula) -> str:
    """Return a formula as it is typed, in Python's notation with ^ for powers.

    >>> text(Binary(Binary(Constant(2), "*", Name("x")), "**", Unary("-", Constant(1))))
    '(2*x)^(-1)'
    """
    return _written(node)[0]


def _written(node: Formula) -> tuple[str, int]:
    """Return the text, and how strongly it holds together."""
    if isinstance(node, Binary):
        level = _STRENGTH[node.op]
        right_first = level == _STRENGTH["**"]
        left = _held(node.left, level + right_first)
        right = _held(node.right, level + 1)  # a^(b^c), which people read in two ways without brackets
        sign = _SIGNS.get(node.op, f" {node.op} ")
        return f"{left}{sign}{right}", level
    if isinstance(node, Unary):
        return f"{node.op}{_held(node.operand, _UNARY)}", _UNARY
    if isinstance(node, Compare):
        return f"{_held(node.left, 2)} {node.op} {_held(node.right, 2)}", _COMPARED
    if isinstance(node, Call) and node.func == Name("|"):
        return f"|{text(node.args[0])}|", _ATOM
    if isinstance(node, Call):
        words = [f"{k.name}={text(k.value)}" for k in node.keywords]
        return f"{_held(node.func, _ATOM)}({', '.join([*map(text, node.args), *words])})", _ATOM
    if isinstance(node, Attribute):
        return f"{_held(node.value, _ATOM)}.{node.attr}", _ATOM
    if isinstance(node, Subscript):
        key = ", ".join(map(text, node.key.elts)) if type(node.key) is Tuple else text(node.key)
        return f"{_held(node.value, _ATOM)}[{key}]", _ATOM
    if isinstance(node, Slice):
        ends = [text(end) if end is not None else "" for end in (node.lower, node.upper)]
        return ":".join([*ends, *([text(node.step)] if node.step is not None else [])]), 0
    if isinstance(node, Tuple):
        inner = ", ".join(map(text, node.elts))
        return (f"[{inner}]" if isinstance(node, List) else f"({inner})"), _ATOM
    if isinstance(node, Constant):
        return ("..." if node.value is Ellipsis else repr(node.value)), _ATOM
    return str(getattr(node, "id", "")), _ATOM


def _held(node: Formula, least: int) -> str:
    written, strength = _written(node)
    return written if strength >= least else f"({written})"
