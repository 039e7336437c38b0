"""Small pieces of syntax trees: what rules build derivatives from, and how a part of a formula is shown to a pupil."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeVar

from symgrad.teach.answers.values import Slope, Tangent

T = TypeVar("T")


def number(v: int | Fraction) -> ast.expr:
    """Return the tree of a number."""
    v = Fraction(v)
    if v < 0:
        return ast.UnaryOp(ast.USub(), number(-v))
    if v.denominator != 1:
        return ast.BinOp(number(v.numerator), ast.Div(), number(v.denominator))
    return ast.Constant(int(v))


def value_of(node: ast.expr) -> Fraction | None:
    """The number that a tree of numbers stands for, or None."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Fraction(repr(node.value))
    if isinstance(node, ast.UnaryOp):
        inner = value_of(node.operand)
        return None if inner is None else -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        a, b = value_of(node.left), value_of(node.right)
        if a is None or b is None or (b == 0 and isinstance(node.op, ast.Div)):
            return None
        return (
            {ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b}.get(type(node.op))
            if not isinstance(node.op, ast.Div)
            else a / b
        )
    return None


def add(parts: Iterable[ast.expr | None], minus: frozenset[int] = frozenset()) -> ast.expr | None:
    """The sum of what is not None; those at the positions ``minus`` are subtracted."""
    found: ast.expr | None = None
    for k, part in enumerate(parts):
        if part is None:
            continue
        if found is None:
            found = negative(part) if k in minus else part
        else:
            found = ast.BinOp(found, ast.Sub() if k in minus else ast.Add(), part)
    return found


def negative(a: ast.expr) -> ast.expr:
    """-a."""
    return ast.UnaryOp(ast.USub(), a)


def times(*factors: ast.expr) -> ast.expr:
    """The product of factors; those that are 1 are left out."""
    found: ast.expr | None = None
    for factor in factors:
        if not (isinstance(factor, ast.Constant) and factor.value == 1):
            found = factor if found is None else ast.BinOp(found, ast.Mult(), factor)
    return factors[0] if found is None else found


def over(a: ast.expr, b: ast.expr) -> ast.expr:
    """a/b."""
    return ast.BinOp(a, ast.Div(), b)


def power(a: ast.expr, b: ast.expr) -> ast.expr:
    """a**b; of the exponent 1, a."""
    if isinstance(b, ast.Constant) and b.value == 1:
        return a
    return ast.BinOp(a, ast.Pow(), b)


def call(name: str, *args: ast.expr) -> ast.expr:
    """name(args)."""
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def children(node: ast.expr) -> list[ast.expr]:
    """The parts of a node that are formulas themselves, without indices and positions."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call):
        method = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*method, *node.args, *[k.value for k in node.keywords]]
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return [node.value]
    if isinstance(node, (ast.List, ast.Tuple)):
        return list(node.elts)
    if isinstance(node, Slope):
        return list(node.args)
    if isinstance(node, Tangent):
        return [*node.points, *node.moves]
    return []


def with_children(node: Any, new: list[ast.expr]) -> Any:
    """The same node with other parts, in the order of ``children``."""
    if isinstance(node, ast.BinOp):
        return ast.BinOp(new[0], node.op, new[1])
    if isinstance(node, ast.UnaryOp):
        return ast.UnaryOp(node.op, new[0])
    if isinstance(node, ast.Compare):
        return ast.Compare(new[0], node.ops, new[1:])
    if isinstance(node, ast.Call):
        method = isinstance(node.func, ast.Attribute)
        func = with_children(node.func, new[:1]) if method else node.func
        args = new[method : method + len(node.args)]
        words = [ast.keyword(k.arg, v) for k, v in zip(node.keywords, new[method + len(node.args) :])]
        return ast.Call(func, args, words)
    if isinstance(node, ast.Attribute):
        return ast.Attribute(new[0], node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(new[0], node.slice, ast.Load())
    if isinstance(node, ast.List):
        return ast.List(new, ast.Load())
    if isinstance(node, ast.Tuple):
        return ast.Tuple(new, ast.Load())
    if isinstance(node, Slope):
        return Slope(node.name, node.path, new)
    if isinstance(node, Tangent):
        return Tangent(node.template, node.names, new[: len(node.points)], new[len(node.points) :])
    return node


def parts(node: ast.expr) -> Iterator[ast.expr]:
    """The node and all below it, outer ones first."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack += reversed(children(here))


def _kept(work_out: Callable[[ast.expr], T]) -> Callable[[ast.expr], T]:
    """Keep what is worked out of a node with the node: trees are built, and never changed."""
    key = f"_{work_out.__name__}"

    @functools.wraps(work_out)
    def found(node: ast.expr) -> T:
        if key not in node.__dict__:
            node.__dict__[key] = work_out(node)
        result: T = node.__dict__[key]
        return result

    return found


@_kept
def names_in(node: ast.expr) -> frozenset[str]:
    """The names that a formula uses, without those of functions."""
    own = {node.id} if isinstance(node, ast.Name) else set()
    return frozenset(own.union(*map(names_in, children(node))))


def replaced(node: ast.expr, target: ast.expr, new: ast.expr) -> ast.expr:
    """The tree with one of its parts, this very object, replaced."""
    if node is target:
        return new
    old = children(node)
    found = [replaced(c, target, new) for c in old]
    return node if all(a is b for a, b in zip(old, found)) else with_children(node, found)


def below_the_bar(node: ast.expr, text: str) -> ast.expr:
    """The text's tree with a/b//c read as a/(b*c), and all other ``//`` as products."""
    new = with_children(node, [below_the_bar(c, text) for c in children(node)])
    if not _is_silent(node):
        return new  # type: ignore[no-any-return]
    if isinstance(new.left, ast.BinOp) and isinstance(new.left.op, ast.Div) and ")" not in _between(node, text):
        return over(new.left.left, times(new.left.right, new.right))
    return times(new.left, new.right)


def in_the_exponent(node: ast.expr, text: str) -> ast.expr:
    """The text's tree with a**b//c and a**b/c read as a**(b*c) and a**(b/c), and all other ``//`` as products."""
    new = with_children(node, [in_the_exponent(c, text) for c in children(node)])
    if not _is_silent(node) and not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return new  # type: ignore[no-any-return]
    raised = None if ")" in _between(node, text) else _last_power(new.left)
    join = times if _is_silent(node) else over
    if raised is None:
        return join(new.left, new.right)
    return replaced(new.left, raised, power(raised.left, join(raised.right, new.right)))


def _is_silent(node: ast.expr) -> bool:
    """Whether it is a product that was written without a sign."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)


def _between(node: Any, text: str) -> str:
    """What stands before the sign of an operation, behind its first part."""
    between = text[node.left.end_col_offset or 0 : node.right.col_offset]
    return between.partition("//" if _is_silent(node) else "/")[0]


def _last_power(node: ast.expr) -> ast.BinOp | None:
    """The power that stands last in a product."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        node = node.right
    if isinstance(node, ast.UnaryOp):
        return _last_power(node.operand)
    return node if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) else None


@_kept
def shown(node: ast.expr) -> str:
    """A part of a formula as a pupil reads it: x^2 for x**2, and sin' for the slope of sin."""
    return re.sub(r" ([*/]) ", r"\1", ast.unparse(_named(node)).replace(" ** ", "^"))


def _named(node: ast.expr) -> ast.expr:
    """The tree with calls for derivatives that no text has."""
    new: ast.expr = with_children(node, [_named(c) for c in children(node)])
    if isinstance(new, Slope):
        return call(new.name + "'" * len(new.path), *new.args)
    if isinstance(new, Tangent):
        return call("d", *new.points)
    return new
