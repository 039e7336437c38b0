"""The derivative of a formula, place by place: as it should be, and as it becomes with one slip.

The right derivative of a node is made of the right derivatives of its parts. A wrong one is either a slip at the node,
or the right rule with a wrong derivative of one part: so every slip is made at every place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from typing import Any

from symgrad.expression.formula import (
    Binary,
    Call,
    Constant,
    Formula,
    Infix,
    Name,
    Power,
    Product,
    Quotient,
    Sum,
    Unary,
)
from symgrad.expression.printer import word
from symgrad.teach.answers import wrong_rules
from symgrad.teach.answers.trees import (
    add,
    as_binary,
    call,
    children,
    exact,
    names_in,
    negative,
    number,
    over,
    power,
    shown,
    times,
    value_of,
    with_children,
)
from symgrad.teach.answers.values import Slope, Tangent, is_pointwise
from symgrad.teach.answers.wrong_rules import INNER, WrongRule
from symgrad.teach.calculus.slopes import derivative

Tree = Formula | None  # None is zero
_KINDS: dict[str, Callable[..., Formula]] = {
    "+": Sum, "-": Sum, "*": Product, "⊙": Product, "/": Quotient, "**": Power, "@": partial(Infix, sign="@"),
}  # fmt: skip

TRIG = frozenset({
    "sin", "cos", "tan", "sec", "csc", "cot", "asin", "acos", "atan", "asec", "acsc", "acot",
    "sinh", "cosh", "tanh", "sech", "csch", "coth", "asinh", "acosh", "atanh",
})  # fmt: skip
SQUARES: dict[str, Callable[[Formula, Formula], Formula]] = {
    "tan": lambda f, u: _one_and(f, "-"),
    "tanh": lambda f, u: _one_and(f, "+"),
    "atan": lambda f, u: over(number(1), _one_and(u, "-")),
    "atanh": lambda f, u: over(number(1), _one_and(u, "+")),
    "asin": lambda f, u: over(number(1), call("sqrt", _one_and(u, "+"))),
    "acos": lambda f, u: negative(over(number(1), call("sqrt", _one_and(u, "+")))),
    "asinh": lambda f, u: over(number(1), call("sqrt", _one_and(u, "-"))),
}  # the derivatives of f(u) by u with the wrong sign before the square, as 1/(1 - u²) of atan u
_GROWS = "{} is to be differentiated too: its derivative is a number."
_SIGN = "Check the sign of the derivative of {}."


@dataclass(frozen=True)
class Wrong:
    """A derivative with a slip.

    Of several that explain an answer, the one of least ``weight`` tells most. At one node, slips of the same kind that
    are made in different ways have different weights.
    """

    tree: Tree
    slip: str
    weight: int
    hint: str


@dataclass(frozen=True)
class Repeated:
    """A derivative with the same slip at several places, and the outermost of them."""

    tree: Tree
    places: int
    first: Wrong | None = None


class Derivative:
    """The derivative by one name in the direction of another, and all its wrong versions.

    Args:
        name: by what.
        direction: the name of the direction; None for a number, whose direction is 1.
        symbols: names that a pupil may take for variables: those of other numbers.
    """

    def __init__(self, name: str, direction: str | None, symbols: frozenset[str] = frozenset()) -> None:
        self.name, self.symbols = name, symbols - {name}
        self.unit: Formula = Constant(1) if direction is None else Name(direction)
        self.arrays = direction is not None
        self._right: dict[int, Tree] = {}
        self._kept: list[Formula] = []  # trees are known by their identity, so they must stay

    def varies(self, node: Formula) -> bool:
        """Whether the name occurs in a formula."""
        return self.name in names_in(node)

    # -------------------------------------------------------------- as it should be
    def right(self, node: Formula) -> Tree:
        """Return the derivative."""
        if id(node) not in self._right:
            self._kept.append(node)
            self._right[id(node)] = (
                self._rule(node, [self.right(c) for c in children(node)]) if self.varies(node) else None
            )
        return self._right[id(node)]

    def _rule(self, node: Any, ds: list[Tree]) -> Tree:
        """The derivative of a node, from those of its parts."""
        if isinstance(node, Name):
            return self.unit
        if isinstance(node, Binary) and node.op in _KINDS:
            if all(d is None for d in ds):
                return None
            signed = [ds[0], None if ds[1] is None else negative(ds[1])] if node.op == "-" else ds
            parts = _KINDS[node.op](*map(exact, children(node)))
            return as_binary(derivative(parts, [None if d is None else exact(d) for d in signed]))
        if isinstance(node, Unary):
            return None if ds[0] is None else with_children(node, [ds[0]])
        name = _function_of(node)
        if name == "exp":
            return None if ds[0] is None else times(node, ds[0])
        if name:
            path = node.path if isinstance(node, Slope) else ()
            return add(None if d is None else times(Slope(name, (*path, k), node.args), d) for k, d in enumerate(ds))
        return self._moved(node, ds)

    def _moved(self, node: Formula, ds: list[Tree]) -> Tree:
        """What a node that is none of these moves by."""
        if all(d is None for d in ds):
            return None
        old = children(node)
        at = [k for k, d in enumerate(ds) if d is not None]
        names = [f"·{k}" for k in at]
        template = with_children(node, [Name(f"·{k}") if k in at else c for k, c in enumerate(old)])
        moves = [d for d in ds if d is not None]
        return Tangent(template, names, [old[k] for k in at], moves)

    def _terms(self, node: Binary, a: Tree, b: Tree) -> list[Tree]:
        return [
            None if a is None else Binary(a, node.op, node.right),
            None if b is None else Binary(node.left, node.op, b),
        ]

    # -------------------------------------------------------------- with a slip
    def wrong(self, node: Formula) -> Iterator[Wrong]:
        """Yield the derivatives with one slip, at each place."""
        if not self.varies(node):
            return
        yield from self._slips(node)
        parts = children(node)
        right = [self.right(c) for c in parts]
        for k, part in enumerate(parts):
            for w in self.wrong(part):
                yield Wrong(self._rule(node, [*right[:k], w.tree, *right[k + 1 :]]), w.slip, w.weight, w.hint)

    def twice(self, node: Formula) -> Iterator[tuple[Wrong, Wrong, Tree]]:
        """Yield the derivatives with two slips, at two places or one after the other, with each of the slips."""
        if not self.varies(node):
            return
        parts = children(node)
        right = [self.right(c) for c in parts]

        def put(there: dict[int, Tree]) -> list[Tree]:
            return [there.get(k, d) for k, d in enumerate(right)]

        single = [list(self.wrong(part)) for part in parts]
        for k, part in enumerate(parts):
            for w in single[k]:
                for mine in self._slips(node, put({k: w.tree})):
                    yield mine, w, mine.tree
            for a, b, tree in self.twice(part):
                yield a, b, self._rule(node, put({k: tree}))
        for j, k in combinations(range(len(parts)), 2):
            for a in single[j]:
                for b in single[k]:
                    yield a, b, self._rule(node, put({j: a.tree, k: b.tree}))

    def everywhere(self, node: Formula, slip: str, weight: int) -> Repeated:
        """The derivative with the same slip, made in the same way as its weight tells, wherever it can be."""
        if not self.varies(node):
            return Repeated(None, 0)
        below = [self.everywhere(c, slip, weight) for c in children(node)]
        ds = [r.tree for r in below]
        places = sum(r.places for r in below)
        mine = next((w for w in self._slips(node, ds) if (w.slip, w.weight) == (slip, weight)), None)
        if mine is not None:
            return Repeated(mine.tree, places + 1, mine)
        return Repeated(self._rule(node, ds), places, next((r.first for r in below if r.first), None))

    def _slips(self, node: Formula, ds: list[Tree] | None = None) -> Iterator[Wrong]:
        """Yield the derivatives with a slip at this node, from right derivatives of its parts."""
        ds = [self.right(c) for c in children(node)] if ds is None else ds
        if isinstance(node, Binary):
            make = {
                "+": self._sum_slips, "-": self._sum_slips, "*": self._product_slips,
                "@": self._product_slips, "/": self._quotient_slips, "**": self._power_slips,
            }.get(node.op)  # fmt: skip
            if make is not None:
                yield from make(node, ds)
        elif isinstance(node, Unary):
            if node.op == "-" and ds[0] is not None:
                yield Wrong(ds[0], "sign", 60, _SIGN.format(shown(node)))
        elif _function_of(node):
            yield from self._function_slips(node, ds)
        elif isinstance(node, Call):
            yield from self._general_slips(node, ds)

    # -------------------------------------------------------------- sums
    def _sum_slips(self, node: Binary, ds: list[Tree]) -> Iterator[Wrong]:
        minus = frozenset({1}) if node.op == "-" else frozenset()
        for k, d in enumerate(ds):
            part = (node.left, node.right)[k]
            if d is not None:
                yield Wrong(add(ds, minus ^ {k}), "sign", 60 + k, _SIGN.format(shown(part)))
                if ds[1 - k] is not None:
                    lacking: list[Tree] = [None if j == k else other for j, other in enumerate(ds)]
                    hint = f"The term {shown(part)} has a derivative too, which is missing."
                    yield Wrong(add(lacking, minus), "other", 80 + k, hint)
                if isinstance(part, Name) and not self.arrays:
                    kept: list[Tree] = [part if j == k else other for j, other in enumerate(ds)]
                    yield Wrong(add(kept, minus), "power", 37, _GROWS.format(part.id))
            elif not self.varies(part):
                kept = list(ds)
                hint = f"{shown(part)} does not depend on {self.name}: the derivative of a constant is 0."
                kept[k] = part
                yield Wrong(add(kept, minus), "constant", 76, hint)
                kept[k] = number(1)
                yield Wrong(add(kept, minus), "constant", 77, hint)
                other = next(iter(names_in(part) & self.symbols), None)
                if other is not None:
                    kept[k] = Derivative(other, None).right(part)
                    yield Wrong(add(kept, minus), "constant", 78, hint)

    # -------------------------------------------------------------- products
    def _product_slips(self, node: Binary, ds: list[Tree]) -> Iterator[Wrong]:
        if all(d is not None for d in ds):
            yield from self._of_factors(node)
            yield Wrong(add(self._terms(node, *ds), frozenset({1})), "sign", 61, _SIGN.format(shown(node)))
            yield Wrong(add(self._terms(node, *ds), frozenset({0})), "sign", 62, _SIGN.format(shown(node)))
            return
        k = 0 if ds[0] is not None else 1
        factor, d = (node.right, node.left)[k], ds[k]
        if d is not None and node.op == "*":
            hint = f"The constant factor {shown(factor)} stays as it is in the derivative of {shown(node)}."
            yield Wrong(d, "constant", 70, hint)
            yield Wrong(times(factor, factor, d), "constant", 71, hint)
            name = (node.left, node.right)[k]
            if isinstance(name, Name) and not self.arrays:
                yield Wrong(times(factor, name), "power", 37, _GROWS.format(name.id))
            if names_in(factor) & self.symbols:
                both = add([times(factor, d), (node.left, node.right)[k]])
                yield Wrong(
                    both, "constant", 78, f"{shown(factor)} is a constant here: it has no derivative of its own."
                )

    def _of_factors(self, node: Binary) -> Iterator[Wrong]:
        """Products of several factors, each of which varies: the product of derivatives, or terms that are missing."""
        hint = (
            f"In the product {shown(node)} one factor is differentiated at a time, while the others stay: "
            "(u*v)' = u'*v + u*v'."
        )
        factors, signs = _flattened(node)
        here = [k for k, f in enumerate(factors) if self.varies(f)]

        def product(differentiated: tuple[int, ...]) -> Formula:
            chosen = [self.right(f) if k in differentiated else f for k, f in enumerate(factors)]
            tree = chosen[0] or number(0)
            for sign, f in zip(signs, chosen[1:]):
                tree = Binary(tree, sign, f or number(0))
            return tree

        for count in range(2, min(len(here), 4) + 1):
            for chosen in combinations(here, count):
                rest = [product((k,)) for k in here if k not in chosen]
                yield Wrong(add([product(chosen), *rest]), "product", 18 + 2 * (len(here) - count), hint)
        for count in range(1, len(here)):
            for chosen in combinations(here, count):
                yield Wrong(add(product((k,)) for k in chosen), "product", 55 if self.arrays else 25, hint)
        if len(here) > 2:
            lost = f"In the product {shown(node)} each term keeps all factors: one of them is missing in a term."
            for k, j in permutations(here, 2):
                rest = [product((i,)) for i in here if i != k]
                yield Wrong(add([*rest, times(*self._term_without(factors, k, j))]), "product", 26, lost)
        if all(s == "*" for s in signs):
            yield Wrong(add(self.right(factors[k]) for k in here), "product", 28, hint)

    def _term_without(self, factors: Sequence[Formula], k: int, j: int) -> list[Formula]:
        """Return the factors of the term in which the k-th is differentiated, without the j-th."""
        return [self.right(f) or number(0) if i == k else f for i, f in enumerate(factors) if i != j]

    # -------------------------------------------------------------- quotients
    def _quotient_slips(self, node: Binary, ds: list[Tree]) -> Iterator[Wrong]:
        v = node.right
        if ds[1] is None:
            yield from self._by_table(wrong_rules.CONSTANT_BELOW, node, ds)
        elif ds[0] is not None:
            yield from self._by_table(wrong_rules.QUOTIENT, node, ds)
        else:
            yield from self._by_table(wrong_rules.RECIPROCAL, node, ds)
            is_name = isinstance(v, Name)
            further = wrong_rules.RECIPROCAL_OF_NAME if is_name else wrong_rules.RECIPROCAL_OF_MORE
            yield from self._by_table(further, node, ds)
            yield from self._as_power(node.left, v, ds[1])

    def _by_table(self, table: Iterable[WrongRule], node: Binary, ds: list[Tree], **more: Formula) -> Iterator[Wrong]:
        """Yield the derivatives that the rules of a table make of a node and the derivatives of its parts."""
        letters = {"u": node.left, "v": node.right, "du": ds[0], "dv": ds[1], **more}
        known = {letter: part for letter, part in letters.items() if part is not None}
        said = {"u": shown(node.left), "v": shown(node.right), "here": shown(node)}
        for rule in table:
            yield Wrong(rule.made(known), rule.slip, rule.weight, rule.hint.format(log=word("log"), **said))

    def _as_power(self, u: Formula, v: Formula, b: Tree) -> Iterator[Wrong]:
        """c/v**n as c*v**(-n), with the slips of powers."""
        base, exponent = (v.left, v.right) if isinstance(v, Binary) and v.op == "**" else (v, number(1))
        n = value_of(exponent)
        if n is None or not isinstance(base, Name):
            return
        for w in self._power_slips(Binary(base, "**", number(-n)), [self.unit, None]):
            if w.tree is not None:
                yield Wrong(times(u, w.tree), w.slip, 10, w.hint)

    # -------------------------------------------------------------- powers
    def _power_slips(self, node: Binary, ds: list[Tree]) -> Iterator[Wrong]:
        u, v, n = node.left, node.right, value_of(node.right)
        less = _less(v)
        if ds[1] is not None and ds[0] is not None:
            yield from self._by_table(wrong_rules.BOTH_VARY, node, ds, m=less)
        elif ds[1] is not None:
            yield from self._by_table(wrong_rules.EXPONENTIAL, node, ds, m=less)
            yield from self._chain(node, ds, 1)
            yield from self._by_table(wrong_rules.LOST_FACTOR, node, ds)
        elif ds[0] is not None:
            skipped = [31] if n == -1 else []  # there it is the sign that is lost
            skipped += [] if n != 2 or isinstance(u, Name) else [34]  # (u^2)' = 2u' is a slip of the chain rule
            if self.arrays and n == 2:
                skipped += [30, 31]
                yield from self._by_table(wrong_rules.SQUARE, node, ds)
            table = wrong_rules.without(wrong_rules.POWER, *skipped)
            yield from self._by_table(table, node, ds, m=less, k=_less(v, -1), j=_less(v, 2))
            if n is not None and n < 1 and n.denominator != 1:
                said = f"The exponent of {shown(node)} less 1 is {n - 1}: check it in the derivative."
                yield Wrong(times(v, power(u, number(1 - n)), ds[0]), "power", 35, said)
            yield from self._chain(node, ds, 0)

    # -------------------------------------------------------------- functions
    def _function_slips(self, node: Any, ds: list[Tree]) -> Iterator[Wrong]:
        name, right = _function_of(node), self._rule(node, ds)
        if name in TRIG and right is not None and not isinstance(node, Slope):
            hint = f"Check the sign in the derivative of {name}, at {shown(node)}."
            yield Wrong(negative(right), "trig-sign", 12, hint)
        if name in SQUARES and ds[0] is not None and not isinstance(node, Slope):
            hint = f"Check the sign within the derivative of {name}, before the square, at {shown(node)}."
            yield Wrong(times(SQUARES[name](node, node.args[0]), ds[0]), "sign", 20, hint)
        if name == "exp" and ds[0] is not None:
            u = node.args[0]
            lowered = times(u, call("exp", add([u, number(-1)]) or u))
            hint = f"In {shown(node)} the variable is in the exponent, so the power rule does not apply."
            yield Wrong(lowered, "power", 35, hint)
            yield Wrong(times(lowered, ds[0]), "power", 36, hint)
        if name == "sqrt" and ds[0] is not None:
            u = node.args[0]
            hint = f"The derivative of a root, as of {shown(node)}, has a factor that is lost here."
            yield Wrong(over(ds[0], node), "constant", 50, hint)
            hint = f"A root such as {shown(node)} is a power: its exponent is one less in the derivative, -1/2."
            yield Wrong(times(number(Fraction(1, 2)), node, ds[0]), "power", 38, hint)
        if name == "log" and len(ds) == 1 and ds[0] is not None:
            hint = f"The derivative of {shown(node)} divides by {shown(node.args[0])}, and not by the logarithm itself."
            yield Wrong(over(ds[0], node), "chain", 50, hint)
            yield Wrong(over(self.unit, node), "chain", 54, hint)
        for k in range(len(ds)):
            yield from self._chain(node, ds, k)

    def _chain(self, node: Any, ds: list[Tree], k: int) -> Iterator[Wrong]:
        """The inner derivative of one argument forgotten, in the ways in which pupils forget it."""
        inner = children(node)[k]
        if ds[k] is None or isinstance(inner, Name):
            return
        hint = INNER.format(v=shown(inner))
        alone: list[Tree] = [None] * len(ds)

        def outer(d: Tree) -> Tree:
            alone[k] = d
            return self._rule(node, alone)

        yield Wrong(self._rule(node, [*ds[:k], self.unit, *ds[k + 1 :]]), "chain", 40, hint)
        for skipped in self._below(inner):
            yield Wrong(outer(skipped), "chain", 42, hint)
        if len(ds) == 1 or isinstance(node, Binary):
            yield from self._outer_slips(node, ds[k] or number(0), k)

    def _outer_slips(self, node: Any, d: Formula, k: int) -> Iterator[Wrong]:
        """The outer derivative taken at another place than the inner function, or left out."""
        old = children(node)
        hint = (
            f"The derivative of the outer function of {shown(node)} is taken at {shown(old[k])}, and stands there too."
        )

        def outer(place: Formula) -> Formula:
            moved = with_children(node, [place if j == k else c for j, c in enumerate(old)])
            return self._rule(moved, [self.unit if j == k else None for j in range(len(old))]) or number(0)

        yield Wrong(outer(d), "chain", 46, hint)
        yield Wrong(times(outer(d), d), "chain", 47, hint)
        yield Wrong(times(node, d), "chain", 48, hint)
        inside = with_children(node, [d if j == k else c for j, c in enumerate(old)])
        forgotten = f"In {shown(node)} the outer function has a derivative too."
        yield Wrong(inside, "chain", 51, forgotten)
        yield Wrong(d, "chain", 52, forgotten)
        for k2, part in enumerate(children(old[k]) if _function_of(old[k]) else ()):
            deeper = self.right(part)
            if deeper is not None and not isinstance(part, Name):
                slope = Slope(_function_of(old[k]), (k2,), children(old[k]))
                yield Wrong(times(outer(slope), deeper), "chain", 53, hint)
        added = add([outer(old[k]), d])
        yield Wrong(added, "chain", 49, f"The inner derivative of {shown(node)} is a factor, and not a term.")
        if not self.arrays:
            at_x = outer(Name(self.name))
            yield Wrong(at_x, "chain", 44, hint)
            yield Wrong(times(at_x, d), "chain", 45, hint)

    def _below(self, node: Formula) -> Iterator[Tree]:
        """The derivatives of what is inside a function's argument: the one between is skipped."""
        if not _function_of(node) and not (isinstance(node, Binary) and node.op == "**"):
            return
        for part in children(node):
            if self.varies(part):
                if not isinstance(part, Name):
                    yield self.right(part)
                yield from self._below(part)

    def _general_slips(self, node: Call, ds: list[Tree]) -> Iterator[Wrong]:
        for k, (inner, d) in enumerate(zip(children(node), ds)):
            if d is not None and not isinstance(inner, Name):
                hint = INNER.format(v=shown(inner))
                yield Wrong(self._rule(node, [*ds[:k], self.unit, *ds[k + 1 :]]), "chain", 40, hint)


def _function_of(node: Formula) -> str:
    """The name of a function of entries, of a call without keywords."""
    if isinstance(node, Slope):
        return node.name
    if isinstance(node, Call) and isinstance(node.func, Name) and not node.keywords:
        return node.func.id if is_pointwise(node.func.id, len(node.args)) else ""
    return ""


def _one_and(u: Formula, sign: str) -> Formula:
    return Binary(number(1), sign, power(u, number(2)))


def _less(v: Formula, by: int = 1) -> Formula:
    n = value_of(v)
    return number(n - by) if n is not None else Binary(v, "-", number(by))


def _flattened(node: Formula) -> tuple[list[Formula], list[str]]:
    """The factors of a product that leans to the left, and the signs between them."""
    factors: list[Formula] = []
    signs: list[str] = []
    while isinstance(node, Binary) and node.op in ("*", "@"):
        factors.insert(0, node.right)
        signs.insert(0, node.op)
        node = node.left
    return [node, *factors], signs
