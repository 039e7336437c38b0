"""From recorded numbers to the blackboard, from the blackboard to SymPy, and back.

A graph is read as it was recorded, so a sum stands in the order in which it was added up. What comes from SymPy is put
into the order of a hand: falling powers, what is positive first, brackets behind names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from symgrad.core.node import AnyNode, Leaf, Node, ancestors, is_node
from symgrad.errors import FormError
from symgrad.expression.arithmetic import (
    HALF,
    ONE,
    OTHERWISE,
    add,
    apply,
    base_and_exponent,
    coefficient,
    div,
    factors,
    is_negative,
    mul,
    num,
    power,
)
from symgrad.expression.formula import (
    Both,
    Call,
    Cases,
    Compare,
    Constant,
    Fenced,
    Formula,
    Letter,
    Name,
    Number,
    Otherwise,
    Power,
    Prime,
    Product,
    Quotient,
    Sum,
    Unary,
)
from symgrad.expression.printer import handwritten
from symgrad.forms.names import is_known
from symgrad.ops.map import Map
from symgrad.ops.slicing import Slice
from symgrad.scalars import BY_FUNCTION, X, declaration, in_full

_SIGNS = {sp.Gt: ">", sp.Ge: "≥", sp.Lt: "<", sp.Le: "≤", sp.Ne: "≠", sp.Eq: "="}
_RELATIONS = {sign: relation for relation, sign in _SIGNS.items()}
_BASES = (2, 3, 5, 10)  # to which people take logarithms
SIMPLE = 6  # digits of a decimal that a person wrote


class Unwritable(FormError):
    """An operation that has no place in a calculus of numbers."""


# ------------------------------------------------------------------ numbers
@lru_cache(maxsize=1024)
def number(value: Any) -> Formula:
    """Return a number: decimals as they were written, and π, e, roots and fractions where a program computed them.

    >>> [handwritten(number(v)) for v in (3.0, 0.25, 1 / 3, 2 * math.pi, math.sqrt(2))]
    ['3', '0.25', '1/3', '2π', '√2']
    """
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (bool, int)):
        return num(int(value))
    if not math.isfinite(value):
        raise Unwritable(f"the formula has the constant {value}. Expected finite numbers.")
    if value.is_integer() and abs(value) < 1e15:
        return num(int(value))
    text = repr(value)
    if len(text.lstrip("-0.").replace(".", "")) <= SIMPLE:
        return Number(Fraction(text), True)
    return _recognised(value) or Number(Fraction(text), True)


def _recognised(value: float) -> Formula | None:
    """Return a constant that is exactly the number a program gets for it."""
    fraction = Fraction(value).limit_denominator(200)
    if fraction.numerator / fraction.denominator == value:
        return num(fraction)
    constants = [(Letter("π"), math.pi), (Letter("e"), math.e), *[(apply("log", num(n)), math.log(n)) for n in _BASES]]
    constants.append((apply("log", mul(num(2), Letter("π"))), math.log(2 * math.pi)))
    for sign, constant in constants:
        term = _multiple(value, sign, constant)
        if term is not None:
            return term
    return _root(value)


def _multiple(value: float, sign: Formula, constant: float) -> Formula | None:
    """Return a constant's multiple q·c, or q/c."""
    for times in (value / constant, constant / value, value * constant):
        q = Fraction(times).limit_denominator(24)
        if not q or abs(q) > 100:
            continue
        p, r = q.numerator, q.denominator
        for made, exact in (
            (mul(num(q), sign), p * constant / r),
            (div(num(p), mul(num(r), sign)), p / (r * constant)),
        ):
            if abs(exact - value) <= 4e-16 * abs(value):
                return made
    return None


def _root(value: float) -> Formula | None:
    """Return √n, √(q·π) or 1/√(q·π), of either sign."""
    front, square = num(1 if value > 0 else -1), value * value
    for times, below in ((1.0, False), (1 / math.pi, False), (math.pi, True)):
        q = Fraction(square * times).limit_denominator(24)
        exact = math.sqrt(q / times)
        if not 0 < q <= 100 or abs(exact - abs(value)) > 4e-16 * exact:
            continue
        if times == 1:
            inside = q.numerator * q.denominator
            whole = max(k for k in range(1, math.isqrt(inside) + 1) if inside % k**2 == 0)
            made = mul(front, num(Fraction(whole, q.denominator)), Power(num(inside // whole**2), HALF))
            return made if q.denominator <= 4 else None
        if not below:
            return mul(front, Power(mul(num(q), Letter("π")), HALF))
        whole = math.isqrt(q.numerator)
        if q.denominator == 1 and whole**2 == q:
            return mul(front, div(num(whole), Power(Letter("π"), HALF)))
        upside = div(num(q), Letter("π")) if q.denominator == 1 else mul(num(1 / q), Letter("π"))
        return mul(front, Power(upside, HALF) if q.denominator == 1 else div(ONE, Power(upside, HALF)))
    return None


# ------------------------------------------------------------------ from the graph
def read(root: AnyNode, names: Mapping[AnyNode, str], most: int) -> Formula | None:
    """Return the formula of a number; None where it has more than ``most`` signs.

    Args:
        root: the number.
        names: of the leaves.
        most: how many signs are read.

    Raises:
        Unwritable: an operation is not one of numbers.
    """
    terms: dict[AnyNode, Formula] = {}
    for node in ancestors([root]):
        if isinstance(node, Leaf) and node.shape:
            continue  # its entries have names
        terms[node] = formula(node, names, terms)
        if terms[node].size > most:
            return None
    return terms[root]


def formula(node: AnyNode, names: Mapping[AnyNode, str], terms: Mapping[AnyNode, Formula]) -> Formula:
    """Return a leaf's name or number, an entry's name, or what an operation makes of the formulas of its inputs."""
    if isinstance(node, Leaf):
        return leaf(node, names)
    return Name(names[node]) if node in names else applied(node, terms)


def entries(root: AnyNode, names: Mapping[AnyNode, str]) -> dict[AnyNode, str]:
    """Return names for the entries of leaves that are read one by one: q_0 of q[0]."""
    nodes: list[Any] = [n for n in ancestors([root]) if _is_entry(n)]
    return {n: entry_name(names[n.inputs[0]], n.op.items) for n in nodes}


def entry_name(name: str, places: Sequence[int]) -> str:
    """Return what an entry is called."""
    return f"{name}_{''.join(map(str, places))}"


def _is_entry(node: AnyNode) -> bool:
    if isinstance(node, Leaf) or node.shape or not isinstance(node.op, Slice):
        return False
    (a,) = node.inputs
    places = node.op.items
    return isinstance(a, Leaf) and not is_known(a) and all(isinstance(i, int) and 0 <= i < 10 for i in places)


def is_of_numbers(root: AnyNode) -> bool:
    """Whether a graph is of numbers and of entries of arrays, and of operations on one number each."""
    for n in ancestors([root]):
        if isinstance(n, Leaf):
            continue
        if n.shape or not (isinstance(n.op, Map) or _is_entry(n)):
            return False
        if isinstance(n.op, Map) and any(is_node(p) and p.shape for p in n.inputs):
            return False
    return not root.shape


def leaf(node: Leaf, names: Mapping[AnyNode, str]) -> Formula:
    """Return a leaf's name or number."""
    if is_known(node):
        return number(np.asarray(node.value).item())
    if node.shape:
        raise Unwritable("an array")
    return Name(names[node])


def applied(node: Node, terms: Mapping[AnyNode, Formula]) -> Formula:
    """Return what one operation makes of the formulas of its inputs."""
    if not isinstance(node.op, Map) or node.shape:
        raise Unwritable(type(node.op).__name__)
    args = [terms[p] if is_node(p) else number(p) for p in node.inputs]
    slots = dict(zip(X, args, strict=False))
    made = _payload(in_full(node.op.payload), slots)
    return _piled(made) if isinstance(made, Product) else made


def _piled(t: Product) -> Formula:
    """Write x·x as x²."""
    out: list[Formula] = []
    for f in t.args:
        base, e = base_and_exponent(f)
        before = base_and_exponent(out[-1]) if out else None
        if (
            before is not None
            and isinstance(base, Name)
            and before[0] == base
            and isinstance(e, Number)
            and isinstance(before[1], Number)
        ):
            out[-1] = power(base, add(before[1], e))
        else:
            out.append(f)
    return mul(*out)


def _payload(e: Any, slots: Mapping[Any, Formula]) -> Formula:
    """Write an operation's formula with terms for its arguments, in their order."""
    if e in slots:
        return slots[e]
    if isinstance(e, (sp.Add, sp.Mul)):
        parts = [_payload(a, slots) for a in sorted(e.args, key=_first)]
        if isinstance(e, sp.Mul) and all(isinstance(p, (Compare, Both)) for p in parts):
            return Both(*parts)
        parts = [_as_number(p) for p in parts]
        return add(*parts) if isinstance(e, sp.Add) else mul(*parts)
    if isinstance(e, (sp.Max, sp.Min)):
        return apply(called(type(e)), *[_as_number(_payload(a, slots)) for a in sorted(e.args, key=_first)])
    return _converted(e, lambda a: _payload(a, slots))


def _first(e: Any) -> tuple[int, str]:
    places = [X.index(s) for s in e.free_symbols if s in X]
    return (min(places) if places else -1, str(e))


def _converted(e: Any, go: Any) -> Formula:
    if e.is_Number if hasattr(e, "is_Number") else False:
        return num(Fraction(int(e.p), int(e.q))) if e.is_Rational else number(float(e))
    if e is sp.pi or e is sp.E:
        return Letter("π" if e is sp.pi else "e")
    if isinstance(e, sp.Symbol):
        return Name(e.name)
    if isinstance(e, sp.Pow) and e.base is sp.E:
        return apply("exp", _as_number(go(e.exp)))
    if isinstance(e, sp.Pow):
        return _raised(_as_number(go(e.base)), _as_number(go(e.exp)))
    if isinstance(e, sp.Piecewise):
        rows = [part for v, c in e.args for part in (_as_number(go(v)), OTHERWISE if c is sp.true else go(c))]
        return cases(*rows)
    if isinstance(e, Relational):
        return _compared(_SIGNS[type(e)], go(e.lhs), go(e.rhs))
    if isinstance(e, sp.And):
        return Both(*map(go, e.args))
    if isinstance(e, sp.polygamma) and e.args[0] == 0:
        return apply("digamma", _as_number(go(e.args[1])))
    if isinstance(e, (sp.Function, sp.Max, sp.Min)):
        return apply(called(type(e)), *[_as_number(go(a)) for a in e.args])
    raise Unwritable(str(type(e)))


def _raised(base: Formula, e: Formula) -> Formula:
    """Return a power as it stands: (√x)² is not x, which has values where √x has none."""
    if not (isinstance(base, Power) and base.free and isinstance(base.exponent, Number) and isinstance(e, Number)):
        return power(base, e)
    inner, outer = base.exponent.value, e.value
    if inner.denominator % 2 or (inner * outer).denominator % 2 == 0:  # both have values at the same places
        return power(base, e)
    return Power(base, e) if outer > 0 else div(ONE, _raised(base, num(-outer)))


def _as_number(t: Formula) -> Formula:
    """Return a condition as the number that it is: 1 where it holds, else 0."""
    return Cases(ONE, t, num(0), OTHERWISE) if isinstance(t, (Compare, Both)) else t


def _compared(sign: str, a: Formula, b: Formula) -> Formula:
    """Return a condition; that a condition is not 0 is the condition."""
    if isinstance(a, (Compare, Both)) and sign == "≠":
        return a
    return Compare(a, sign, b)


def cases(*rows: Formula) -> Formula:
    """Return a case distinction; where all values are one, that one."""
    return rows[0] if all(v == rows[0] for v in rows[::2]) else Cases(*rows)


# ------------------------------------------------------------------ to SymPy
def to_sympy(t: Formula) -> Any:
    """Return a formula as SymPy has it, of real symbols; decimals are exact."""
    if isinstance(t, (Number, Constant)):
        return sp.Rational(str(t.value))
    if isinstance(t, Unary):
        return -to_sympy(t.operand)
    if isinstance(t, Fenced):  # [condition], which is 1 or 0
        return sp.Piecewise((1, to_sympy(t.inside)), (0, True))
    if isinstance(t, Letter):
        return sp.pi if t.sign == "π" else sp.E
    if isinstance(t, Name):
        return sp.Symbol(t.id, real=True)
    if isinstance(t, Prime):
        return sp.Symbol(handwritten(t), real=True)
    if isinstance(t, Otherwise):
        return sp.true
    if isinstance(t, Quotient):
        return to_sympy(t.numerator) / to_sympy(t.denominator)
    if isinstance(t, Compare):
        return _RELATIONS[t.op](to_sympy(t.left), to_sympy(t.right))
    if isinstance(t, Cases):
        return sp.Piecewise(*[(to_sympy(v), to_sympy(c)) for v, c in t.rows])
    if isinstance(t, Call) and t.name == "digamma":
        return sp.polygamma(0, to_sympy(t.args[0]))
    if isinstance(t, Call) and t.name == "cot":  # which no kernel has
        u = to_sympy(t.args[0])
        return sp.cos(u) / sp.sin(u)
    if isinstance(t, Call):
        return function_of(t.name)(*map(to_sympy, t.args))
    if isinstance(t, Both):
        return (sp.Or if t.sign == "or" else sp.And)(*map(to_sympy, t.args))
    made: Any = {Sum: sp.Add, Product: sp.Mul, Power: sp.Pow}[type(t)]
    return made(*map(to_sympy, t.operands))


def called(function: Any) -> str:
    """Return the name under which a function of SymPy is declared."""
    scalar = BY_FUNCTION.get(function)
    return function.__name__ if scalar is None else scalar.name


@lru_cache(maxsize=256)
def function_of(name: str) -> Any:
    """Return the function of SymPy that is declared under a name."""
    try:
        return declaration(name).function
    except KeyError:
        return getattr(sp, name)


# ------------------------------------------------------------------ from SymPy
class SympyFormatter:
    """Writes SymPy's formulas in the order of a hand.

    Args:
        known: sums that were written already, and products inside functions, which stand again as they did.
        decimal: whether fractions are written as decimals where they end.
    """

    def __init__(self, known: Sequence[Formula] = (), decimal: bool = False) -> None:
        self._decimal = decimal
        self._known: dict[Any, Formula] = {}
        for t in known:
            self._note(t)

    def _note(self, t: Formula) -> None:
        if isinstance(t, Sum):
            e = to_sympy(t)
            if e.is_Add and {*e.args} == {*map(to_sympy, t.args)}:  # else SymPy has put something together
                self._known.setdefault(e, t)
        if isinstance(t, Call):
            for a in t.args:
                if isinstance(a, Product) and all(isinstance(f, (Name, Number)) for f in a.args):
                    self._known.setdefault(to_sympy(a), a)
        for a in t.operands:
            self._note(a)

    def write(self, e: Any) -> Formula:
        """Return the formula."""
        if e in self._known:
            return self._known[e]
        if isinstance(e, sp.Add):
            return self._sum(e)
        if isinstance(e, sp.Mul):
            return self._product(e)
        if isinstance(e, sp.Rational):
            return self._number(e)
        return _converted(e, self.write)

    def _number(self, e: Any) -> Number:
        value = Fraction(int(e.p), int(e.q))
        return Number(value, self._decimal and _ends(value))

    def _sum(self, e: Any) -> Formula:
        parts = sorted((self.write(a) for a in e.args), key=_falling)
        if e.is_number and e.as_coeff_Add()[0] > 0:  # 2 + √3
            parts.sort(key=lambda part: not isinstance(part, Number))
        if is_negative(parts[0]) and not is_long_polynomial(parts):
            parts.sort(key=is_negative)
        return add(*parts)

    def _product(self, e: Any) -> Formula:
        number_, rest = _one_root(*e.as_coeff_Mul())
        above, below = [], []
        for f in sp.Mul.make_args(rest):
            if isinstance(f, sp.Pow) and f.exp.is_Number and f.exp.is_negative and f.base is not sp.E:
                below.append(self.write(sp.Pow(f.base, -f.exp)))
            else:
                above.append(self.write(f))
        n: Any = self._number(number_) if isinstance(number_, sp.Rational) else self.write(number_)
        above.sort(key=_place)
        below.sort(key=_place)
        if not below and not above:
            return n  # type: ignore[no-any-return]
        if isinstance(n, Number) and n.value.denominator != 1 and not n.has_point and not above:
            return Quotient(num(n.value.numerator), mul(num(n.value.denominator), *below))
        top: Formula = mul(n, *above)
        if not below:
            return top
        bottom = mul(*below)
        if isinstance(top, Quotient):
            return Quotient(top.numerator, mul(top.denominator, bottom))
        return Quotient(top, bottom)


def _one_root(c: Any, rest: Any) -> tuple[Any, Any]:
    """Write √2/(2·√π) as 1/√(2π)."""
    roots = [f for f in sp.Mul.make_args(rest) if f.is_Pow and not f.free_symbols and abs(f.exp) == sp.S.Half]
    upper = [f for f in roots if f.exp > 0 and f.base.is_Integer]
    lower = [f for f in roots if f.exp < 0]
    if len(upper) != 1 or len(lower) != 1 or not c.is_Rational:
        return c, rest
    q = c**2 * upper[0].base
    if q.p != 1:
        return c, rest
    root = sp.Pow(q.q * lower[0].base, -sp.S.Half, evaluate=False)
    others = [f for f in sp.Mul.make_args(rest) if f not in (upper[0], lower[0])]
    return sp.Integer(-1 if c < 0 else 1), sp.Mul(*others, root, evaluate=False)


def _ends(value: Fraction) -> bool:
    n = value.denominator
    for p in (2, 5):
        while n % p == 0:
            n //= p
    return n == 1


def _falling(t: Formula) -> tuple[Any, ...]:
    """Return where a term stands in a sum: polynomials by falling powers, then the rest, numbers last."""
    _, rest = coefficient(t)
    degree = sum((_degree(f) for f in factors(rest)), Fraction(0))
    plain = all(isinstance(base_and_exponent(f)[0], Name) for f in factors(rest))
    return (isinstance(t, Number), not plain, -degree if plain else t.size, handwritten(rest))


def is_long_polynomial(parts: Sequence[Formula]) -> bool:
    """Whether terms are of a polynomial that is written by falling powers, with its minus in front: −3x² + 4x + 15."""
    names = frozenset().union(*[t.free for t in parts])
    plain = all(
        isinstance(base_and_exponent(f)[0], Name) for t in parts for f in factors(coefficient(t)[1]) if f != ONE
    )
    return len(parts) > 2 and len(names) == 1 and plain and not any(isinstance(t, Quotient) for t in parts)


def is_falling(parts: Sequence[Formula]) -> bool:
    """Whether terms are a long polynomial's, by falling powers."""
    degrees = [sum((_degree(f) for f in factors(coefficient(t)[1])), Fraction(0)) for t in parts]
    return is_long_polynomial(parts) and all(a > b for a, b in pairwise(degrees))


def _degree(t: Formula) -> Fraction:
    base, e = base_and_exponent(t)
    return e.value if isinstance(base, Name) and isinstance(e, Number) else Fraction(0)


def _place(t: Formula) -> tuple[Any, ...]:
    """Return where a factor stands: constants, names, functions, sums."""
    base, _ = base_and_exponent(t)
    return (
        not isinstance(base, (Letter, Number)),
        not isinstance(base, Name),
        isinstance(base, Sum),
        handwritten(base),
    )
