"""Small pieces of syntax trees: what rules build derivatives from, and how a part of a formula is shown to a pupil."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from symgrad.core.printing import options
from symgrad.expression.evaluation import BARS
from symgrad.expression.formula import (
    Binary,
    Call,
    Constant,
    Formula,
    Infix,
    Name,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Unary,
    replace,
)
from symgrad.expression.printer import opposite, typed
from symgrad.teach.answers.values import Slope, Tangent

T = TypeVar("T")


def number(v: int | Fraction) -> Formula:
    """Return the tree of a number."""
    v = Fraction(v)
    if v < 0:
        return Unary("-", number(-v))
    if v.denominator != 1:
        return Binary(number(v.numerator), "/", number(v.denominator))
    return Constant(int(v))


def value_of(node: Formula) -> Fraction | None:
    """The number that a tree of numbers stands for, or None."""
    if isinstance(node, Constant) and type(node.value) in (int, float):
        return Fraction(repr(node.value))
    if isinstance(node, Unary):
        inner = value_of(node.operand)
        return None if inner is None else -inner if node.op == "-" else inner
    if isinstance(node, Binary) and node.op in ("+", "-", "*", "/"):
        a, b = value_of(node.left), value_of(node.right)
        if a is None or b is None or (b == 0 and node.op == "/"):
            return None
        return a / b if node.op == "/" else {"+": a + b, "-": a - b, "*": a * b}[node.op]
    return None


def exact(node: Formula) -> Formula:
    """Return a number as lessons have it, and all else as it is."""
    v = value_of(node)
    return node if v is None else Number(v)


def as_binary(t: Formula) -> Formula:
    """Return what lessons write, sums and products of any number of parts, as operations of two."""
    if isinstance(t, Number):
        return number(t.value)
    if isinstance(t, Sum):
        first, *rest = t.args
        total = as_binary(first)
        for p in rest:
            positive = opposite(p)
            total = Binary(total, "+" if positive is None else "-", as_binary(p if positive is None else positive))
        return total
    if isinstance(t, (Product, Infix)):
        sign = t.sign if isinstance(t, Infix) else "*"
        return functools.reduce(lambda a, b: Binary(a, sign, b), map(as_binary, t.args))
    if isinstance(t, (Quotient, Power)):
        a, b = map(as_binary, t.operands)
        return Binary(a, "/" if isinstance(t, Quotient) else "**", b)
    return t.with_operands([as_binary(a) for a in t.operands]) if isinstance(t, Call) else t


def add(parts: Iterable[Formula | None], minus: frozenset[int] = frozenset()) -> Formula | None:
    """The sum of what is not None; those at the positions ``minus`` are subtracted."""
    total: Formula | None = None
    for k, part in enumerate(parts):
        if part is None:
            continue
        if total is None:
            total = negative(part) if k in minus else part
        else:
            total = Binary(total, "-" if k in minus else "+", part)
    return total


def negative(a: Formula) -> Formula:
    """Return minus a formula."""
    return Unary("-", a)


def times(*factors: Formula) -> Formula:
    """The product of factors; those that are 1 are left out."""
    product: Formula | None = None
    for factor in factors:
        if not (isinstance(factor, Constant) and factor.value == 1):
            product = factor if product is None else Binary(product, "*", factor)
    return factors[0] if product is None else product


def over(a: Formula, b: Formula) -> Formula:
    """Return a fraction, a over b."""
    return Binary(a, "/", b)


def power(a: Formula, b: Formula) -> Formula:
    """a**b; of the exponent 1, a."""
    if isinstance(b, Constant) and b.value == 1:
        return a
    return Binary(a, "**", b)


def call(name: str, *args: Formula) -> Formula:
    """Return the call name(args)."""
    return Call(Name(name), list(args), [])


def children(node: Formula) -> list[Formula]:
    """The parts of a node that are formulas themselves, without indices and positions."""
    return list(node.operands)


def with_children(node: Any, new: Sequence[Formula]) -> Any:
    """The same node with other parts, in the order of ``children``."""
    return node.with_operands(new) if new else node


def with_bars(node: Formula, name: str) -> Formula:
    """The tree with its bars |x| read as this function."""
    new: Formula = with_children(node, [with_bars(c, name) for c in children(node)])
    return replace(new, func=Name(name)) if isinstance(new, Call) and new.func == BARS else new


def parts(node: Formula) -> Iterator[Formula]:
    """The node and all below it, outer ones first."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack += reversed(children(here))


def _kept(work_out: Callable[[Formula], T]) -> Callable[[Formula], T]:
    """Keep what is worked out of a node with the node, for each name of the logarithm: trees are never changed."""

    @functools.wraps(work_out)
    def found(node: Formula) -> T:
        key = f"_{work_out.__name__}_{options.logarithm}"
        if key not in node.__dict__:
            node.__dict__[key] = work_out(node)
        result: T = node.__dict__[key]
        return result

    return found


@_kept
def names_in(node: Formula) -> frozenset[str]:
    """The names that a formula uses, without those of functions."""
    own = {node.id} if isinstance(node, Name) else set()
    return frozenset(own.union(*map(names_in, children(node))))


def replaced(node: Formula, target: Formula, new: Formula) -> Formula:
    """The tree with one of its parts, this very object, replaced."""
    if node is target:
        return new
    old = children(node)
    changed = [replaced(c, target, new) for c in old]
    return node if all(a is b for a, b in zip(old, changed)) else with_children(node, changed)


def below_the_bar(node: Formula) -> Formula:
    """The tree with a/b c read as a/(b*c)."""
    new = with_children(node, [below_the_bar(c) for c in children(node)])
    if _is_silent(new) and isinstance(new.left, Binary) and new.left.op == "/" and not new.left.brackets:
        return over(new.left.left, times(new.left.right, new.right))
    return new  # type: ignore[no-any-return]


def in_the_exponent(node: Formula) -> Formula:
    """The tree with a^b c and a^b/c read as a^(b*c) and a^(b/c)."""
    new = with_children(node, [in_the_exponent(c) for c in children(node)])
    if not _is_silent(new) and not (isinstance(new, Binary) and new.op == "/"):
        return new  # type: ignore[no-any-return]
    raised = _last_power(new.left)
    if raised is None:
        return new  # type: ignore[no-any-return]
    join = times if _is_silent(new) else over
    return replaced(new.left, raised, power(raised.left, join(raised.right, new.right)))


def _is_silent(node: Formula) -> bool:
    """Whether it is a product that was written without a sign."""
    return isinstance(node, Binary) and node.silent


def _last_power(node: Formula) -> Binary | None:
    """The power that stands last in a product, and ends it without a bracket."""
    while isinstance(node, Binary) and node.op in ("*", "/") and not node.brackets:
        node = node.right
    if isinstance(node, Unary) and not node.brackets:
        return _last_power(node.operand)
    is_open = isinstance(node, Binary) and node.op == "**" and not node.brackets and not node.right.brackets
    return node if isinstance(node, Binary) and is_open else None


@_kept
def shown(node: Formula) -> str:
    """A part of a formula as a pupil reads it: x^2 for x**2, and sin' for the slope of sin."""
    return typed(_named(node))


def _named(node: Formula) -> Formula:
    """The tree with calls for derivatives that no text has."""
    new: Formula = with_children(node, [_named(c) for c in children(node)])
    if isinstance(new, Slope):
        return call(new.name + "'" * len(new.path), *new.args)
    if isinstance(new, Tangent):
        return call("d", *new.points)
    return new
