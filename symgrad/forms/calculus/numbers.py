"""Forms in which everything is a number: read from the canonical graph, shortened, and compared with what they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.node import AnyNode, Leaf, ancestors, is_node
from symgrad.forms import names
from symgrad.forms.calculus.cases import one_distinction
from symgrad.forms.calculus.decimals import LARGE, long_as_decimals, with_decimals
from symgrad.forms.calculus.display_form import (
    constants_joined,
    powers_below,
    roots_joined,
    signs_as_written,
    whole_powers_apart,
)
from symgrad.forms.calculus.higher_order import derivative
from symgrad.forms.calculus.length import length
from symgrad.forms.calculus.search import polynomials_opened, shortest
from symgrad.forms.canon.numbers import number
from symgrad.forms.canon.terms import CALL, LEAF, NAMED, SUM, Term, TermPool, below
from symgrad.forms.evaluate import evaluate
from symgrad.forms.notations.index import Reading
from symgrad.ops.map import POW, Map

POINTS = 12  # at which a formula is compared with what it was
_POINT = sp.Symbol("·", integer=True)
MANY = 80  # operations of a function that is examined for how it is written


def of_numbers(root: Term) -> bool:
    """Whether everything in a term is a real number, computed by functions that have a formula."""
    return all(t.shape == () and t.kind not in (NAMED, CALL) and not _is_complex(t) for t in below([root]))


def _is_complex(t: Term) -> bool:
    return (t.kind == LEAF and "complex" in t.data[1]) or (t.kind == SUM and any(c.has(sp.I) for c in t.data))


class Short(NamedTuple):
    """A formula and the shortest that was found to be equal, in which names that are positive say so."""

    read: sp.Expr
    short: sp.Expr
    positive: frozenset[str]


def as_people_write(pool: TermPool, root: Term, called: Mapping[Any, str], forward: Sequence[AnyNode]) -> sp.Expr:
    """Return a term of numbers as a person writes it; numbers are written as in the function.

    Rules of calculus are of real numbers: a complex one is written as it is read.
    """
    if any(_is_complex(t) for t in below([root])):
        read = Reading(pool, called).entry(root, ())
        return min(read, sp.factor(sp.together(read)), key=sp.count_ops)
    return finished(short_of(pool, root, called, forward), called, forward)


def short_of(pool: TermPool, root: Term, called: Mapping[Any, str], forward: Sequence[AnyNode]) -> Short:
    """Return a term of numbers in short, with fractions for decimals."""
    formula = Reading(pool, called).entry(root, ())
    positive = {called[t.data[0]] for t in below([root]) if t.kind == LEAF and "positive" in t.data[1]}
    plain = formula.xreplace({f: sp.Rational(str(f)) for f in formula.atoms(sp.Float)})
    marked = {s: sp.Symbol(s.name, positive=True) for s in plain.free_symbols if s.name in positive}
    plain = plain.xreplace(marked)
    try:
        short = _shortened(plain, forward)
    except RecursionError:  # SymPy goes down a formula by calling itself; a deep one stays as it is
        short = plain
    return Short(formula, short, frozenset(positive))


def further(e: Short, by: str, forward: Sequence[AnyNode]) -> Short | None:
    """Return a formula's derivative with respect to a name in short; None if it has kinks or does not depend on it."""
    x = next((s for s in e.short.free_symbols if s.name == by), None)
    read = None if x is None else derivative(e.short, x)
    if read is None:
        return None
    short = _shortened(read, forward)
    return Short(read, short if agrees(read, short, e.positive) else read, e.positive)


def finished(e: Short, called: Mapping[Any, str], forward: Sequence[AnyNode]) -> sp.Expr:
    """Return a short formula with one root for several, and with decimals where the function has some."""
    plain = e.short.xreplace({s: sp.Symbol(s.name, real=True) for s in e.short.free_symbols if s.name in e.positive})
    decimals = has_decimals(forward)
    plain = signs_as_written(plain, lambda: _sums(forward, called))
    formula = powers_below(whole_powers_apart(constants_joined(roots_joined(plain, numbers=not decimals))))
    if decimals:
        formula = with_decimals(
            formula, sorted(_sums(forward, called), key=str), decimals_of(forward), decimal_exponents(forward)
        )
    formula = long_as_decimals(formula)
    return formula if agrees(e.read, formula, e.positive) else e.read


def _sums(forward: Sequence[AnyNode], called: Mapping[Any, str]) -> set[Any]:
    """Return the sums in the function as it is written."""
    f = function(forward, called)
    return set() if f is None else f.atoms(sp.Add)


def _shortened(e: sp.Expr, forward: Sequence[AnyNode]) -> sp.Expr:
    if e.has(sp.Piecewise):
        return one_distinction(e, shortest)
    names_in = e.free_symbols
    if names_in and e.is_polynomial(*names_in) and is_opened_polynomial(forward):
        opened = sp.expand(e, log=False)
        return opened if len(names_in) == 1 else min(opened, sp.factor_terms(opened), key=length)
    return shortest(polynomials_opened(e))


def agrees(e: sp.Expr, f: sp.Expr, positive: Set[str]) -> bool:
    """Whether f has the value of e at points where e has one."""
    rng = np.random.default_rng(0)
    given = {}
    for s in sorted(e.free_symbols, key=str):
        size = np.exp(rng.uniform(-2, 1.5, POINTS))
        given[str(s)] = size if str(s) in positive else size * rng.choice([-1.0, 1.0, 1.0], POINTS)
    one, other = (np.asarray(evaluate(x, [_POINT], (POINTS,), given), dtype=float) for x in (e, f))
    known = np.isfinite(one)
    return bool(np.allclose(one[known], other[known], rtol=1e-7, atol=1e-9))


# ------------------------------------------------------------------ how the function is written
def has_decimals(forward: Sequence[AnyNode]) -> bool:
    """Whether the function has numbers such as 0.3; where 0.5 is the only one, no other is a fraction."""
    decimals = set(decimals_of(forward))
    fractions = any(
        repr(getattr(node, "op", "")) == "Map(x0/x1)" and not is_node(node.inputs[1])
        for node in ancestors(list(forward))
    )
    return bool(decimals) and not (fractions and decimals <= {sp.Rational(1, 2)})


def decimals_of(forward: Sequence[AnyNode]) -> list[sp.Rational]:
    """Return the numbers of the function such as 0.3 and 6e23, each once."""
    decimals: dict[sp.Rational, None] = {}
    for node in ancestors(list(forward)):
        values = [node.value] if isinstance(node, Leaf) and names.is_number(node) else getattr(node, "inputs", ())
        for v in (float(v) for v in values if isinstance(v, (int, float, np.number, np.ndarray)) and np.isrealobj(v)):
            if (v % 1 or abs(v) >= LARGE) and isinstance(number(v), (sp.Rational, sp.Float)):
                decimals[sp.Rational(str(abs(v)))] = None
    return list(decimals)


def decimal_exponents(forward: Sequence[AnyNode]) -> bool:
    """Whether the function has a power whose exponent is written as a decimal, as x^2.5."""
    powers = [n for n in ancestors(list(forward)) if getattr(n, "op", None) == POW]
    return any(isinstance(n.inputs[1], float) and n.inputs[1] % 1 for n in powers)


def is_opened_polynomial(forward: Sequence[AnyNode]) -> bool:
    """Whether the function is a sum of powers with numbers, as one writes a polynomial."""
    f = function(forward, {})
    return f is not None and all(_is_monomial(t) for t in sp.Add.make_args(f))


def function(forward: Sequence[AnyNode], called: Mapping[Any, str]) -> sp.Expr | None:
    """Return the function that is differentiated, as it is written; None of one that is long, or not of numbers.

    Nor of one that distinguishes cases within cases, over whose conditions SymPy takes exponential time.
    """
    nodes = ancestors(list(forward[:1]))
    if not 0 < len(nodes) <= MANY:
        return None
    made: dict[int, sp.Expr] = {}
    for k, node in enumerate(nodes):
        if isinstance(node, Leaf):
            name = sp.Symbol(called.get(id(node), f"·{k}"), real=True)
            made[id(node)] = number(node.value) if names.is_number(node) else name
        elif isinstance(node.op, Map):
            args = [made[id(p)] if is_node(p) else number(p) for p in node.inputs]
            if node.op.payload.has(sp.Piecewise) and any(a.has(sp.Piecewise) for a in args):
                return None
            made[id(node)] = sp.sympify(np.asarray(node.op.on_symbols(*args)).item())
        else:
            return None
    f = made[id(nodes[-1])]
    formula: sp.Expr = f.xreplace({v: sp.Rational(str(v)) for v in f.atoms(sp.Float)})
    return formula


def _is_monomial(e: sp.Expr) -> bool:
    return all(f.is_number or f.as_base_exp()[0].is_Symbol for f in sp.Mul.make_args(e))
