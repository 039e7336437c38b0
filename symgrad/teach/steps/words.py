"""The rule of a step in words, and for elementwise operations as a formula that is derived, not looked up.

Words only name what an operation is. Each formula beside them is ``derive`` of that one operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.modes import enable_grad
from symgrad.core.node import TRACED, Leaf, Node, is_node
from symgrad.engine.record import handle
from symgrad.errors import SymgradError
from symgrad.expression.printer import word
from symgrad.forms.derive import derive, expression
from symgrad.forms.names import is_known
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.elementwise import Elementwise
from symgrad.forms.nodes.indexed import Bracket
from symgrad.forms.nodes.marks import Cases
from symgrad.ops.map import Map
from symgrad.scalars import BY_FUNCTION
from symgrad.teach.steps.prime import Prime
from symgrad.teach.steps.unicode_text import unicode_text

LONG = 100  # signs of a rule beyond which its formula explains nothing


class Rule(NamedTuple):
    """A rule of differentiation: its name, and where it is one of calculus, both sides of its formula."""

    name: str
    left: Any = None
    right: Any = None

    def __str__(self) -> str:
        return (
            self.name if self.left is None else f"{self.name}: {unicode_text(self.left)} = {unicode_text(self.right)}"
        )


def rule(node: Node, active: tuple[int, ...]) -> Rule:
    """Return the rule of a node for the inputs at these positions."""
    if not isinstance(node.op, Map):
        return Rule(_words(node.op))
    given = tuple(_kept(p) for p in node.inputs)
    try:
        return _of_map(node.op, active, given, bool(node.shape), word("log"))
    except TypeError:  # a number that has no hash
        return _elementwise(node.op, active, given, bool(node.shape))


def _kept(p: Any) -> Any:
    """Return what a rule sees of an input: a number that is written in its place, or None."""
    if not is_node(p):
        return p
    return np.asarray(p.value).item() if isinstance(p, Leaf) and is_known(p) and not p.shape else None


# ------------------------------------------------------------------ calculus
def _elementwise(op: Map, active: tuple[int, ...], given: Sequence[Any], entries: bool) -> Rule:
    letters = iter("z" if len(active) == 1 else "abdefg")
    others = iter("ckmpqr")
    args, moving = [], []
    for i, p in enumerate(given):
        if p is not None:
            args.append(p)
            continue
        args.append(handle(Leaf(None, (), TRACED, next(letters if i in active else others)), None))
        moving.extend([args[-1]] if i in active else [])
    try:
        with enable_grad():
            y = op(*args)
        left = expression(y)._expr
        partials = [form._expr for form in derive(y, moving, verify=False)]
    except SymgradError:
        return Rule("chain rule")
    symbols = [sp.Symbol(t._node.title, real=True) for t in moving]
    each = ", entry by entry" if entries else ""
    if len(moving) == 1:
        return Rule(_of_one(left, _symbol(left, symbols[0])) + each, Prime.of(_positive_first(left)), partials[0])
    if isinstance(left, Cases) and {_symbol(left, s) for s in symbols} <= set(left.args):  # linear in what it chooses
        primes = {s: Prime.of(s) for s in map(_symbol, [left] * len(symbols), symbols)}
        return Rule(f"case by case{each}", Prime.of(left), left.xreplace(primes))
    total = sp.together(sp.Add(*[p * Prime.of(s) for p, s in zip(partials, symbols, strict=True)]))
    rule = Rule(_of_several(left) + each, Prime.of(left), _positive_first(total))
    return rule if len(str(rule)) < LONG else Rule(rule.name)


@lru_cache(maxsize=512)
def _of_map(op: Map, active: tuple[int, ...], given: Sequence[Any], entries: bool, logarithm: str) -> Rule:
    """Return the rule of an operation: the same wherever it stands, as long as the logarithm is called so."""
    return _elementwise(op, active, given, entries)


def _symbol(e: Any, like: Any) -> Any:
    return next((s for s in e.free_symbols if s.name == like.name), like)


def _of_one(e: Any, z: Any) -> str:
    """Name the rule for a formula in one variable."""
    if e == z:
        return "a copy"
    if e.is_Add and not (e - z).has(z):
        return "sum rule (a constant has derivative 0)"
    if e.is_Add and not (e + z).has(z):
        return "difference rule (a constant has derivative 0)"
    if not (e / z).has(z):
        return "constant factor rule"
    _, core = e.as_independent(z, as_Add=False)
    if core.is_Pow and core.base == z and not core.exp.has(z) and core.exp != sp.Rational(1, 2):
        return "reciprocal rule" if core.exp == -1 else "power rule"
    if core.is_Pow and core.exp == z:
        return "exponential rule"
    if core.is_Pow and core.exp == sp.Rational(1, 2):
        return "chain rule through the square root"
    if Prime.of(e).names_function:
        return f"chain rule through {_called(e)}"
    return "case by case" if e.has(sp.Piecewise, Cases) else "chain rule"


def _called(e: Any) -> str:
    if isinstance(e, Elementwise):
        return _spoken(str(e.args[0]))
    scalar = BY_FUNCTION.get(type(e))
    return _spoken(scalar.name) if scalar is not None else printers.text(e).split("(")[0]


def _spoken(function: str) -> str:
    """Return the name of a function, the natural logarithm as it is called in formulas."""
    return word(function) if function == "log" else function


def _of_several(e: Any) -> str:
    """Name the rule for a formula in several variables."""
    if e.is_Add:
        return "difference rule" if any(t.could_extract_minus_sign() for t in e.args) else "sum rule"
    if e.is_Mul:
        return "quotient rule" if sp.fraction(e)[1].free_symbols else "product rule"
    if e.is_Pow:
        return "power rule with a variable exponent"
    return "case by case" if e.has(sp.Piecewise, Cases) else "chain rule in several variables"


def _positive_first(e: Any) -> Any:
    """Write b·a′ - a·b′ rather than -a·b′ + b·a′."""
    above, below = sp.fraction(e)
    if not above.is_Add:
        return e
    above = Bracket(*above.args, evaluate=False)
    return above if below == 1 else sp.Mul(above, sp.Pow(below, -1), evaluate=False)


# ------------------------------------------------------------------ whole arrays
def _words(op: Any) -> str:
    """Say what the rule of an operation of whole arrays does."""
    return op.explained or f"the rule of {type(op).__name__.lstrip('_').lower()}"
