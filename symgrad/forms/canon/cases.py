"""Case distinctions: what depends on the sign of one expression is decided at once, one value a case.

Booleans are read as symbols that are 1 or 0, so that sums and products of several case distinctions become one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import sympy as sp

from symgrad.scalars import SCALARS

DEGREE = 4  # of polynomials whose roots are looked for
MOST = 4  # signs that are told apart
CLAMP = SCALARS["clamp"].function


class Tie(sp.Equality):
    """The condition that the two sides of a kink meet. It is computed, but not printed."""

    @property
    def negated(self) -> Any:
        """Return the condition that the two sides differ."""
        return sp.Ne(*self.args)


def with_ties(branches: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Mark the equality in {a if x > y; b if x = y; c otherwise} as what stands where two sides meet."""
    cases = list(branches)
    for k in range(1, len(cases) - 1):
        (_, before), (value, c) = cases[k - 1], cases[k]
        sides = before.args if isinstance(before, (sp.Gt, sp.Lt)) else ()
        if isinstance(c, sp.Eq) and set(c.args) == set(sides):
            cases[k] = (value, Tie(*sides, evaluate=False))
    return cases


Relation = tuple[Any, sp.Expr, sp.Expr]  # SymPy's class and both sides
Simplified = Callable[[sp.Expr], sp.Expr]
_TURNED = {sp.Gt: sp.Lt, sp.Ge: sp.Le, sp.Lt: sp.Gt, sp.Le: sp.Ge}
_HEADS = {(1, True): sp.Gt, (1, False): sp.Ge, (-1, True): sp.Lt, (-1, False): sp.Le}


class Case(NamedTuple):
    """A value and the relations that hold for it."""

    value: sp.Expr
    conditions: tuple[Relation, ...]


class SignSymbols:
    """An expression whose sign is requested, with symbols that are 1 where it is positive, 0, negative.

    Attributes:
        leads: the sign that is requested first.
        sides: the relation's sides as they were written, and whether their difference has the other sign.
        at: a name and a number, where the sign is that of name - number or, if the last is True, of number - name.
        unequal: whether it was requested as ≠.
        roots: where the expression is 0, if it is a polynomial in one name whose roots are all known fractions.
    """

    def __init__(self, d: sp.Expr, leads: int, sides: tuple[sp.Expr, sp.Expr, bool]) -> None:
        self.d, self.leads = d, leads
        self.truths = {k: sp.Dummy() for k in (1, 0, -1)}
        self.unequal = False
        self.at = _solved(d)
        self.roots = _roots(d)
        self.sides = sides if self.at is None else self.at
        if self.at is None and length_of(d) < length_of(sides[0]) + length_of(sides[1]):
            self.sides = (d, sp.S.Zero, False)
        if self.at is None and self.sides[1] == 0:
            self.sides = _compared(self.sides)

    def decided(self, e: sp.Expr, sign: int) -> sp.Expr:
        """Return e where the expression has this sign."""
        known = {t: sp.Integer(k == sign) for k, t in self.truths.items()}
        away = {sp.sign(u) ** 2: sp.S.One for u in self._nonzero(sign)}
        return e.xreplace({**known, **away, sp.sign(self.d): sp.Integer(sign), sp.Abs(self.d): sign * self.d})

    def _nonzero(self, sign: int) -> list[sp.Expr]:
        """Return an expression that is not 0 where this one has the sign: u where |u| > c and c is not negative."""
        return [a.args[0] for a in self.d.atoms(sp.Abs) if sign and (a - sign * self.d).is_nonnegative]

    def relation(self, sign: int, strict: bool) -> Relation:
        """Return the relation that says that it has this sign, or at least not the other."""
        left, right, turned = self.sides
        return _HEADS[-sign if turned else sign, strict], left, right

    def tie(self, head: Any = Tie) -> Relation:
        """Return the relation that says that it is 0."""
        return head, *self.sides[:2]

    def at_tie(self, e: sp.Expr) -> sp.Expr:
        """Return e where the expression is 0, as far as that can be solved."""
        return e if self.at is None else e.subs(*self.at[:2])


def length_of(e: sp.Expr) -> int:
    """Return how many operations e has."""
    return int(e.count_ops())


def _compared(sides: tuple[sp.Expr, sp.Expr, bool]) -> tuple[sp.Expr, sp.Expr, bool]:
    """Return a - b and 0 as a and b, where a difference of numbers is compared with 0."""
    terms = sp.Add.make_args(sides[0])
    less = [t for t in terms if t.could_extract_minus_sign()]
    if not 0 < len(less) < len(terms):
        return sides
    return sp.Add(*[t for t in terms if t not in less]), -sp.Add(*less), sides[2]


def _solved(d: sp.Expr) -> tuple[sp.Expr, sp.Expr, bool] | None:
    """Return x and a number where d has the sign of x less the number; with True, of the number less x."""
    if len(d.free_symbols) != 1:
        return None
    (x,) = d.free_symbols
    bare = sp.Mul(*[f for f in sp.Mul.make_args(sp.factor(d)) if not f.is_positive])
    if not bare.is_polynomial(x) or sp.degree(bare, x) != 1:
        return None
    a, b = bare.as_poly(x).all_coeffs()
    return x, -b / a, bool(a < 0)


def _roots(d: sp.Expr) -> list[sp.Expr] | None:
    """Return the roots of a polynomial in one name where they are fractions; other factors have one sign."""
    if len(d.free_symbols) != 1:
        return None
    (x,) = d.free_symbols
    if not d.is_polynomial(x) or sp.degree(d, x) > DEGREE:
        return None
    roots = []
    for f, _ in sp.factor_list(d, x)[1]:
        if sp.degree(f, x) == 1:
            roots.append(-f.subs(x, 0) / f.coeff(x, 1))
        elif sp.degree(f, x) != 2 or sp.discriminant(f, x) >= 0:
            return None
    return [r for r in roots if r > 0 or not x.is_positive]


class Conditions:
    """The signs that an expression asks for."""

    def __init__(self) -> None:
        self.signs: dict[sp.Expr, SignSymbols] = {}

    def truth(self, head: Any, left: sp.Expr, right: sp.Expr) -> sp.Expr:
        """Return the truth of a relation, in the symbols of its sign; of sides that have cases, in each of them."""
        for sign in self.signs.values():
            if (left - right).has(*sign.truths.values()):
                sides = [(t, sign.decided(left, k), sign.decided(right, k)) for k, t in sign.truths.items()]
                return sp.Add(*[t * self.truth(head, a, b) for t, a, b in sides])
        if left.is_number:
            head, left, right = _TURNED.get(head, head), right, left
        if isinstance(left, sp.exp) and right.is_positive and right.is_number:
            left, right = left.args[0], sp.log(right)  # which grow together
        d = sp.expand(left - right).as_content_primitive()[1]
        turned = bool(d.could_extract_minus_sign())
        d = -d if turned else d
        among = {sp.Gt: (1,), sp.Ge: (1, 0), sp.Lt: (-1,), sp.Le: (-1, 0), sp.Ne: (1, -1)}.get(head, (0,))
        among = tuple(-k for k in among) if turned else among
        if d.is_number:
            return sp.Integer(bool(int(sp.sign(d)) in among))
        leads = 1 if 1 in among else -1
        if d not in self.signs:
            self.signs[d] = SignSymbols(d, leads, (left, right, turned))
        elif head in (sp.Gt, sp.Ge):
            self.signs[d].leads = leads
        self.signs[d].unequal = self.signs[d].unequal or head is sp.Ne
        return sp.Add(*[self.signs[d].truths[k] for k in among])

    def parts(self, e: sp.Expr) -> list[sp.Expr]:
        """Return the summands of a sum of case distinctions that each ask for a sign of their own; else none."""
        groups: dict[SignSymbols | None, sp.Expr] = {}
        for t in sp.Add.make_args(sp.expand(e)):
            asked = [s for s in self.signs.values() if t.has(*s.truths.values())]
            if len(asked) > 1:
                return []
            key = asked[0] if asked else None
            groups[key] = groups.get(key, sp.S.Zero) + t
        return list(groups.values()) if sum(not p.is_number for p in groups.values()) > 1 else []

    def cases(self, e: sp.Expr, simplified: Simplified) -> list[Case]:
        """Return e as cases, the last one without a condition."""
        signs = list(self.signs.values())
        if len(set().union(*[s.d.free_symbols for s in signs])) == 1 and all(s.roots is not None for s in signs):
            return _along(e, signs, simplified)
        return _nested(e, signs, simplified)


# ------------------------------------------------------------------ along the line of one number
class _Piece(NamedTuple):
    """A value between two numbers, and whether it holds there too."""

    value: sp.Expr
    low: sp.Expr
    high: sp.Expr
    with_low: bool
    with_high: bool


def _along(e: sp.Expr, signs: Sequence[SignSymbols], simplified: Simplified) -> list[Case]:
    """Return the cases of what depends on where one number lies."""
    (x,) = signs[0].d.free_symbols
    ends = sorted({r for s in signs for r in s.roots or ()})
    places = [sp.S.Zero if x.is_positive else -sp.oo, *ends, sp.oo]
    between = [simplified(_at(e, signs, x, _inside(low, high))) for low, high in pairwise(places)]
    points = [simplified(_at(e, signs, x, t)) for t in ends]
    pieces: list[_Piece] = []
    ties: list[Case] = []
    for k, value in enumerate(between):
        low = places[k]
        to_left = k > 0 and _equal_at(x, low, points[k - 1], between[k - 1])
        to_right = k > 0 and _equal_at(x, low, points[k - 1], value)
        if k > 0 and between[k - 1] == value and to_left:
            pieces[-1] = pieces[-1]._replace(high=places[k + 1])
            continue
        if k > 0 and not to_left and not to_right:
            genuine = between[k - 1] == value
            there = points[k - 1] if genuine else _number_at(points[k - 1], x, low)
            ties.append(Case(there, ((sp.Eq if genuine else Tie, x, low),)))
            if genuine:
                pieces[-1] = pieces[-1]._replace(high=places[k + 1])
                continue
        if pieces:
            pieces[-1] = pieces[-1]._replace(with_high=to_left)
        pieces.append(_Piece(value, low, places[k + 1], to_right, False))
    return _of_pieces(x, pieces, ties, signs)


def _inside(low: sp.Expr, high: sp.Expr) -> sp.Expr:
    """Return a number between two."""
    if low.is_finite and high.is_finite:
        return (low + high) / 2
    return low + 1 if low.is_finite else high - 1 if high.is_finite else sp.S.Zero


def _at(e: sp.Expr, signs: Sequence[SignSymbols], x: sp.Expr, place: sp.Expr) -> sp.Expr:
    for s in signs:
        e = s.decided(e, int(sp.sign(s.d.xreplace({x: place}))))
    return e


def _number_at(e: sp.Expr, x: sp.Expr, place: sp.Expr) -> sp.Expr:
    """Return the fraction that an expression is at a place; itself where it is none."""
    number = e.subs(x, place)
    return number if number.is_Rational else e


def _equal_at(x: sp.Expr, place: sp.Expr, one: sp.Expr, other: sp.Expr) -> bool:
    return bool(one == other or sp.expand((one - other).xreplace({x: place})) == 0)


def _of_pieces(x: sp.Expr, pieces: list[_Piece], ties: list[Case], signs: Sequence[SignSymbols]) -> list[Case]:
    """Return pieces from left to right as cases; of two, first the one that was requested."""
    genuine = [t for t in ties if t.conditions[0][0] is not Tie]
    hidden = [t for t in ties if t.conditions[0][0] is Tie]
    *_, last = pieces
    if len(pieces) == len(genuine) == 1 and signs[0].unequal:
        ((value, ((_, left, right),)),) = genuine
        return [Case(last.value, ((sp.Ne, left, right),)), Case(value, ())]
    if len(pieces) == 3 and pieces[0].value == last.value:
        inner = pieces[1]
        low = sp.Ge if inner.with_low and not pieces[0].with_high else sp.Gt
        high = sp.Le if inner.with_high and not last.with_low else sp.Lt
        inside = ((low, x, inner.low), (high, x, inner.high))
        return [*genuine, Case(inner.value, inside), *hidden, Case(last.value, ())]
    asked = next((s for s in signs if s.roots is not None and last.low in s.roots), signs[0])
    from_right = int(sp.sign(asked.d.subs(x, _inside(last.low, last.high)))) == asked.leads
    if len(pieces) == 2 and from_right:
        over = (sp.Ge if last.with_low and not pieces[0].with_high else sp.Gt, x, last.low)
        return [*genuine, Case(last.value, (over,)), *hidden, Case(pieces[0].value, ())]
    cases = [
        Case(p.value, ((sp.Le if p.with_high and not q.with_low else sp.Lt, x, p.high),)) for p, q in pairwise(pieces)
    ]
    return [*genuine, *_with_ties(cases, hidden), Case(last.value, ())]


def _with_ties(cases: list[Case], ties: list[Case]) -> list[Case]:
    """Return cases from left to right with each tie behind what lies left of it."""
    result = []
    for c in cases:
        result.append(c)
        result += [t for t in ties if t.conditions[0][2] == c.conditions[0][2]]
    return result


# ------------------------------------------------------------------ one sign after the other
def _nested(e: sp.Expr, signs: Sequence[SignSymbols], simplified: Simplified) -> list[Case]:
    asked = [s for s in signs if e.has(*s.truths.values())]
    if not asked:
        return [Case(simplified(e), ())]
    first, *rest = asked
    sides = {k: _nested(first.decided(e, k), rest, simplified) for k in (1, 0, -1)}
    return _merged(first, sides)


def _merged(sign: SignSymbols, sides: dict[int, list[Case]]) -> list[Case]:
    """Return the cases of a sign: the leading one, the one where both sides meet, and the other one."""
    leads = sign.leads
    lead, tie, other = sides[leads], sides[0], sides[-leads]
    if len(lead) > 1 and len(other) == 1 and other[0].value != lead[-1].value:
        lead, other, leads = other, lead, -leads
    with_lead, with_other = _same(sign, tie, lead), _same(sign, tie, other)
    if lead == other:
        return lead if with_lead else _apart(sign, tie, lead)
    relation = sign.relation(leads, strict=not with_lead or with_other)
    between = [] if with_lead or with_other else _under(sign.tie(), tie)
    if len(other) == 1 and other[0].value == lead[-1].value:
        lead = lead[:-1]
    return [*_under(relation, lead), *between, *other]


def _apart(sign: SignSymbols, tie: list[Case], lead: list[Case]) -> list[Case]:
    """Return the cases of what differs in one place only: {b if c = 0; a otherwise}, or {a if c ≠ 0; b otherwise}."""
    if sign.unequal and len(tie) == len(lead) == 1:
        return [*_under(sign.tie(sp.Ne), lead), *tie]
    return [*_under(sign.tie(sp.Eq), tie), *lead]


def _same(sign: SignSymbols, tie: list[Case], side: list[Case]) -> bool:
    if len(tie) != len(side):
        return False
    return all(
        a.conditions == b.conditions and sp.expand(sign.at_tie(a.value) - sign.at_tie(b.value)) == 0
        for a, b in zip(tie, side, strict=True)
    )


def _under(relation: Relation, cases: Sequence[Case]) -> list[Case]:
    return [Case(c.value, (relation, *c.conditions)) for c in cases]


# ------------------------------------------------------------------ shorter than cases
def clamped(cases: Sequence[Case]) -> sp.Expr | None:
    """{u if |u| ≤ c; c·sign(u) otherwise} is clamp(u, -c, c) of a positive c."""
    if len(cases) != 2 or len(cases[0].conditions) != 1:
        return None
    (one, ((head, left, c),)), (other, _) = cases
    within, beyond = (one, other) if head in (sp.Lt, sp.Le) else (other, one)
    if not isinstance(left, sp.Abs) or not c.is_positive or head not in _OPPOSITE:
        return None
    u = left.args[0]
    scale = sp.cancel(within / u)
    if scale.free_symbols & u.free_symbols or sp.expand(beyond - scale * c * sp.sign(u)) != 0:
        return None
    return scale * CLAMP(u, -c, c)


_OPPOSITE = {sp.Gt: (sp.Lt, sp.Le), sp.Lt: (sp.Gt, sp.Ge), sp.Ge: (sp.Lt, sp.Lt), sp.Le: (sp.Gt, sp.Gt)}


def turned(cases: Sequence[Case]) -> list[Case] | None:
    """Return two cases in the other order: {b if x < 0; a otherwise} for {a if x ≥ 0; b otherwise}."""
    first, *ties, other = cases
    if len(first.conditions) != 1 or len(ties) > 1 or any(not _is_tie(c) for c in ties):
        return None
    ((head, left, right),) = first.conditions
    if head not in _OPPOSITE:
        return None
    return [Case(other.value, ((_OPPOSITE[head][not ties], left, right),)), *ties, Case(first.value, ())]


def with_brackets(cases: Sequence[Case], numbers: bool = False) -> tuple[sp.Expr, sp.Expr, list[Case]] | None:
    """Return a, b and cases of 1 and 0, where the cases are a + b·[…]: {u + 1 if c; u otherwise} is u + [c].

    ``numbers`` are cases as they are, unless requested: {0.1 if x < 9; 0.2 otherwise}.
    """
    values = [c.value for c in cases if not _is_tie(c)]
    ties = [c for c in cases if _is_tie(c)]
    if len(values) != 2 or len(ties) > 1:
        return None
    one, other = values
    step = sp.expand(one - other)
    plain = step.is_number or (other == 0 and step.is_polynomial(*step.free_symbols))
    if not plain or (not numbers and one.is_number and other.is_number and one * other != 0):
        return None
    brackets = []
    for c in cases:
        share = sp.cancel((c.value - other) / step)
        if not share.is_number:
            return None
        brackets.append(Case(share, c.conditions))
    return (other, step if other != 0 else one, brackets)


def _is_tie(c: Case) -> bool:
    return any(head is Tie for head, *_ in c.conditions)


# ------------------------------------------------------------------ kinks as truths
def larger(conditions: Conditions, a: sp.Expr, *others: sp.Expr) -> sp.Expr:
    """Return max(a, b) as b + (a - b)·[a > b], and so for more."""
    for b in others:
        a = b + (a - b) * conditions.truth(sp.Gt, a, b)
    return a


def smaller(conditions: Conditions, a: sp.Expr, *others: sp.Expr) -> sp.Expr:
    """Return min(a, b) as that of the larger of -a and -b."""
    return -larger(conditions, -a, *[-b for b in others])


def within(conditions: Conditions, x: sp.Expr, low: sp.Expr, high: sp.Expr) -> sp.Expr:
    """Return clamp(x, low, high)."""
    return smaller(conditions, larger(conditions, x, low), high)


def positive_part(conditions: Conditions, x: sp.Expr) -> sp.Expr:
    """Return max(x, 0)."""
    return larger(conditions, x, sp.S.Zero)


KINKS: dict[Any, Callable[..., sp.Expr]] = {
    sp.Max: larger,
    sp.Min: smaller,
    CLAMP: within,
    SCALARS["relu"].function: positive_part,
    SCALARS["clamp_min"].function: larger,
    SCALARS["clamp_max"].function: smaller,
}


def truth_of(conditions: Conditions, head: Any, parts: Sequence[sp.Expr]) -> sp.Expr:
    """Return the truth of a relation, or of a condition made of truths."""
    if head is sp.And:
        return sp.Mul(*parts)
    if head is sp.Or:
        return 1 - sp.Mul(*[1 - p for p in parts])
    if head is sp.Not:
        return 1 - parts[0]
    return conditions.truth(head, *parts)


def added(parts: Sequence[tuple[sp.Expr, sp.Expr]]) -> sp.Expr:
    """Return values and their truths, in their order, as one sum."""
    total, left = sp.S.Zero, sp.S.One
    for value, truth in parts:
        total, left = total + left * truth * value, left * (1 - truth)
    return total
