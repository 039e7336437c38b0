"""The differential of each kind of expression, and how a factor goes past it: ⟨C, D⟩ with dX in D is ⟨M, dX⟩.

Sums, products and transposes are taken apart here, by a table where one line says it. All else is asked of symgrad: an
operation's differential is the closed form of its directional derivative, and how a factor goes past it that of its
vector-Jacobian product.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import sympy as sp

from symgrad.core.modes import enable_grad
from symgrad.core.node import TRACED, Leaf
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import SymgradError
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.nodes.arrays import ArrayExpr, ArraySymbol, Identity
from symgrad.forms.nodes.elementwise import ArrayPower, ElementPower, Elementwise, Hadamard
from symgrad.forms.nodes.marks import Cases, Diag, Length, LineMean, Mean, Norm2, Quotient, Total, Trace, Truth
from symgrad.forms.nodes.matrices import Call, Cross, Filled, MatrixPower, Plus, Product, Scaled, Transposed, in_front
from symgrad.ops.contract import sum_axes
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.map import MUL, Map
from symgrad.scalars import X, declaration, in_full
from symgrad.teach.matrix.conditions import without_ties
from symgrad.teach.matrix.letters import Letters
from symgrad.teach.matrix.naming import is_curve, sigmoid_inside
from symgrad.teach.matrix.notation import textbook
from symgrad.teach.matrix.symbols import (
    Differential,
    Terms,
    diag,
    is_zero,
    ones,
    paired,
    plus,
    product,
    rebuilt,
    scaled,
    shape_of,
    times,
    traced,
    turned,
)
from symgrad.teach.steps.prime import Prime
from symgrad.teach.steps.unicode_text import unicode_text


class NoWords(Exception):
    """An expression that these rules have no words for."""


class Part(NamedTuple):
    """A part of a differential with one dZ in it.

    Attributes:
        shown: as it is first written.
        whose: the name of Z.
        past: from C to M with ⟨C, shown⟩ = ⟨M, dZ⟩; of a number, C is a number.
    """

    shown: Any
    whose: str
    past: Callable[[Any], Any]


class Rules:
    """Differentials of expressions.

    Args:
        active: the names that change.
        said: takes the rules that are used, as they are quoted.
        letters: those of the laws.
    """

    def __init__(self, active: set[str], said: dict[str, None], letters: Letters) -> None:
        self.active, self.said, self._letters = active, said, letters
        self._divides = False  # whether a quotient of an array by a number is differentiated

    def _say(self, law: str) -> None:
        self.said[self._letters.quote(law)] = None

    def moves(self, e: Any) -> bool:
        """Whether something in it changes."""
        return any(getattr(s, "name", None) in self.active for s in e.free_symbols)

    # ---------------------------------------------------------------- any expression
    def of(self, e: Any) -> list[Part]:
        """Return the parts of de, one for each place of what changes."""
        if not self.moves(e):
            return []
        if isinstance(e, (ArraySymbol, sp.Symbol)):
            d = Differential.of(e.name, shape_of(e))
            return [Part(d, e.name, lambda c: c)]
        if not shape_of(e):
            return self._number(e)
        if isinstance(e, Call):
            return self._call(e)
        if type(e) in LINEAR:
            return self._linear(e)
        method = self._ARRAYS.get(type(e))
        if method is None:
            raise NoWords(type(e).__name__)
        return method(self, e)

    def _within(self, e: Any, show: Callable[[Any], Any], past: Callable[[Any], Any]) -> list[Part]:
        """Return the parts of an expression inside another: shown in it, and first past the other."""
        return [Part(show(p.shown), p.whose, _after(past, p.past)) for p in self.of(e)]

    def _linear(self, e: Any) -> list[Part]:
        """Return the parts by the table, one for each operand that changes."""
        parts = []
        if type(e) in (Norm2, Length):
            self._say(_of_length(e))
        elif sum(map(self.moves, e.args[:-1])) > 1:
            self._divides = type(e) is Scaled and self.moves(_below(e.args[0]))
            self._say("quotient rule" if self._divides else "product rule")
        for k, (show, past) in enumerate(LINEAR[type(e)]):
            if self.moves(e.args[k]):
                parts.extend(self._within(e.args[k], functools.partial(show, e), functools.partial(past, e)))
        return parts

    # ---------------------------------------------------------------- arrays
    def _plus(self, e: Any) -> list[Part]:
        return [p for t in e.args[:-1] for p in (self._spread(t, e) if shape_of(t) != e.shape else self.of(t))]

    def _spread(self, t: Any, e: Any) -> list[Part]:
        raise NoWords(f"{type(t).__name__} in every entry of {type(e).__name__}")

    def _array_power(self, e: Any) -> list[Part]:
        a, p = e.args[:2]
        if shape_of(a) != e.shape or shape_of(p) != e.shape:
            raise NoWords("a power of another shape")
        parts = []
        for k, x in enumerate((a, p)):
            if self.moves(x):
                law = self._letters.quote(_OF_POWERS[k])
                parts.extend(self._by_entries(x, _slope_of(_POWER, (a, p), k), law))
        return parts

    def _transposed(self, e: Any) -> list[Part]:
        (a,) = e.args[:1]
        if len(shape_of(a)) == 1:
            raise NoWords("a row")
        return self._within(a, turned, turned)

    def _product(self, e: Any) -> list[Part]:
        factors = e.args[:-1]
        parts = []
        for k, f in enumerate(factors):
            if self.moves(f):
                parts.extend(self._factor(factors[:k], f, factors[k + 1 :]))
        if sum(map(self.moves, factors)) > 1:
            self._say("product rule")
        return parts

    def _factor(self, before: Sequence[Any], f: Any, behind: Sequence[Any]) -> list[Part]:
        """Return the parts of F₁·df·F₂: ⟨C, F₁·df·F₂⟩ = ⟨F₁ᵀ·C·F₂ᵀ, df⟩."""
        row = isinstance(f, Transposed) and len(shape_of(f.args[0])) == 1
        inner = f.args[0] if row else f

        def show(d: Any) -> Any:
            return product([*before, turned(d) if row else d, *behind])

        def past(c: Any) -> Any:
            number = not shape_of(c)
            middle = [] if number else [c]
            left, right = [turned(b) for b in reversed(before)], [turned(b) for b in reversed(behind)]
            made = _arranged(left, middle, right, shape_of(f if not row else inner), row)
            return scaled(c, made) if number else made

        return self._within(inner, show, past)

    def _hadamard(self, e: Any) -> list[Part]:
        factors = e.args[:-1]
        parts = []
        for k, f in enumerate(factors):
            if self.moves(f):
                before, behind = factors[:k], factors[k + 1 :]
                parts.extend(self._within(f, _among(before, behind), _among((), (*before, *behind))))
        if sum(map(self.moves, factors)) > 1:
            self._say("product rule")
        return parts

    def _element_power(self, e: Any) -> list[Part]:
        a, p = e.args[:2]
        if self.moves(p):
            raise NoWords("a power that changes")
        slope = scaled(p, a if p == 2 else ElementPower.of(a, p - 1))
        return self._by_entries(a, slope, self._law_of_power(p))

    def _by_entries(self, a: Any, slope: Any, law: str) -> list[Part]:
        """Return the parts of f(a), entry by entry, from f′(a), which a law gives."""
        self.said[law] = None
        return self._within(a, lambda d: times(slope, d), lambda c: times(c, slope))

    def _elementwise(self, e: Any) -> list[Part]:
        sigmoid = sigmoid_inside(e)
        if sigmoid is not None:
            less, is_plain = scaled(-1, sigmoid), e.args[1] == sigmoid
            law = "({log} σ({t}))′ = 1 − σ({t})" if is_plain else "({log}(1 − σ({t})))′ = −σ({t})"
            slope_ = plus([ones(e.shape), less]) if is_plain else less
            return self._by_entries(sigmoid.args[1], slope_, self._letters.quote(law))
        args = [a for a in e.args[1:-1]]
        parts = []
        for k, a in enumerate(args):
            if self.moves(a):
                if shape_of(a) != e.shape:
                    raise NoWords("a number in a function of entries")
                parts.extend(self._by_entries(a, slope(e, k), self._law_of(e)))
        return parts

    def _quotient(self, e: Any) -> list[Part]:
        a, b = e.args[:2]
        out = []
        if self.moves(a):
            if shape_of(a) != e.shape:
                raise NoWords("a number over an array")
            out.extend(self._within(a, lambda d: Quotient.of(d, b, e.shape), lambda c: Quotient.of(c, b, e.shape)))
        if self.moves(b):
            if shape_of(b) != e.shape:
                raise NoWords("an array over a number")
            below = ElementPower.of(b, sp.Integer(2))
            slope = scaled(-1, Quotient.of(a, below, e.shape))
            out.extend(self._by_entries(b, slope, self._law_of_power(sp.S.NegativeOne)))
        return out

    def _cases(self, e: Any) -> list[Part]:
        parts = e.args[:-1]
        if len(parts) != 3 or not isinstance(parts[1], Truth):
            raise NoWords("several cases")
        value, holds, other = parts
        out = []
        for v, mask in ((value, holds), (other, _not(holds))):
            if self.moves(v):
                if shape_of(v) != e.shape:
                    raise NoWords("a number in cases")
                out.extend(self._within(v, functools.partial(times, mask), functools.partial(times, mask)))
        self._say("case by case")
        return out

    def _matrix_power(self, e: Any) -> list[Part]:
        a, n = e.args[0], int(e.args[1])
        return self._product_of([a] * n) if n > 0 else self._product_of([Call.of(Inverse(), [a], a.shape)] * -n)

    def _product_of(self, factors: Sequence[Any]) -> list[Part]:
        parts = []
        for k, f in enumerate(factors):
            parts.extend(self._factor(_powers(factors[:k]), f, _powers(factors[k + 1 :])))
        self._say("product rule")
        return parts

    def _call(self, e: Any) -> list[Part]:
        """Ask the operation for its differential."""
        if is_curve(e, self.moves):
            number, still = e.args[1].args[:2]
            change = product([still, e])
            self._say("d exp({t}·{M}) = d{t}·{M}·exp({t}·{M})")
            return self._within(number, lambda d: scaled(d, change), lambda c: paired(c, change))
        out = []
        for k, a in enumerate(e.args[1:-1]):
            if not self.moves(a):
                continue
            if not isinstance(a, (ArraySymbol, sp.Symbol)):
                raise NoWords("an operation of what has no name")
            shown, past = of_operation(e, k)
            self._say(e.op.quoted)
            out.append(Part(shown, a.name, past))
        return out

    # ---------------------------------------------------------------- numbers
    def _number(self, e: Any) -> list[Part]:
        if type(e) in LINEAR:
            return self._linear(e)
        if isinstance(e, Call):
            return [
                Part(paired(p.past(sp.S.One), Differential.of(p.whose, shape_of(p.past(sp.S.One)))), p.whose, p.past)
                for p in self._call(e)
            ]
        if isinstance(e, Product):
            return self._product(e)
        if isinstance(e, Terms):
            return [p for t in e.args[:-1] for p in self.of(t)]
        if isinstance(e, ArrayExpr) and not isinstance(e, Elementwise):
            raise NoWords(type(e).__name__)
        return self._scalar(e)

    def _scalar(self, e: Any) -> list[Part]:
        """Differentiate a function of numbers by each number that changes."""
        if isinstance(e, Elementwise):
            self.said[self._law_of(e)] = None
            return [p for k, a in enumerate(e.args[1:-1]) if self.moves(a) for p in self._by_number(a, slope(e, k))]
        inner = {a: sp.Dummy(real=True) for a in _numbers_in(e) if self.moves(a)}
        opened = e.xreplace(inner)
        back = {d: a for a, d in inner.items()}
        out = []
        if e.is_Mul and sum(map(self.moves, e.args)) > 1:
            self._say("quotient rule" if self.moves(_below(e)) else "product rule")
        self._say_functions(opened, {*back})
        for a, d in inner.items():
            out.extend(self._by_number(a, in_full(sp.diff(opened, d)).xreplace(back)))
        return out

    # ---------------------------------------------------------------- laws of functions
    def _law_of(self, e: Elementwise) -> str:
        """Return φ′(t) = … of a function of one number; of others the name of the rule."""
        name = str(e.args[0])
        if name in _QUOTED and any(map(is_zero, e.args[1:-1])) == (len(e.args) > 3):
            return self._letters.quote(_QUOTED[name])
        if len(e.args) > 3:
            return "chain rule, entry by entry" if shape_of(e) else "chain rule"
        t = sp.Symbol(self._letters["t"], real=True)
        f = Elementwise(e.args[0], t, sp.Tuple())
        return _law(f, slope(f, 0))

    def _law_of_power(self, p: Any) -> str:
        t = sp.Symbol(self._letters["t"], real=True)
        return _law(t**p, p * t ** (p - 1))

    def _say_functions(self, e: Any, moving: set[Any]) -> None:
        """Quote the derivatives of the functions and powers of numbers that change."""
        below = _below(e)
        is_quotient = self._divides or bool((e * below).free_symbols & moving and below.free_symbols & moving)
        for f in sp.preorder_traversal(e):
            inner = f.args[0] if f.args else f
            if not inner.free_symbols & moving:
                continue
            if f.is_Pow and f.exp.is_Rational and not (is_quotient and f.exp == -1):
                self.said[self._law_of_power(f.exp)] = None
            elif f.is_Function and len(f.args) == 1:
                t = sp.Symbol(self._letters["t"], real=True)
                self.said[_law(f.func(t), in_full(sp.diff(f.func(t), t)))] = None

    def _by_number(self, a: Any, slope_: Any) -> list[Part]:
        by = functools.partial(operator.mul, slope_)
        return self._within(a, by, by)

    _ARRAYS: ClassVar[dict[Any, Callable[[Rules, Any], list[Part]]]] = {
        Plus: _plus, Transposed: _transposed, Product: _product, Hadamard: _hadamard,
        ElementPower: _element_power, Elementwise: _elementwise, Quotient: _quotient, Cases: _cases,
        ArrayPower: _array_power, MatrixPower: _matrix_power,
    }  # fmt: skip


# ------------------------------------------------------------------ one line each
Row = tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]
# for each operand of e: its differential from that of the operand, and C past it, ⟨C, e′(d)⟩ = ⟨past(C), d⟩
LINEAR: dict[Any, tuple[Row, ...]] = {
    Scaled: (
        (lambda e, d: scaled(d, e.args[1]), lambda e, c: paired(c, e.args[1])),
        (lambda e, d: scaled(e.args[0], d), lambda e, c: scaled(e.args[0], c)),
    ),
    # ⟨C, s·1⟩ = ⟨C, 1⟩·s
    Filled: ((lambda e, d: scaled(d, ones(e.shape)), lambda e, c: paired(ones(e.shape), c)),),
    LineMean: ((lambda e, d: _line_means(d, int(e.args[1])), lambda e, c: _line_means(c, int(e.args[1]))),),
    Diag: ((lambda e, d: diag(d), lambda e, c: diag(c)),),
    # c·(da × b) = (b × c)·da, c·(a × db) = (c × a)·db
    Cross: (
        (lambda e, d: Cross.of(d, e.args[1]), lambda e, c: Cross.of(e.args[1], c)),
        (lambda e, d: Cross.of(e.args[0], d), lambda e, c: Cross.of(c, e.args[0])),
    ),
    Norm2: ((lambda e, d: paired(scaled(2, e.args[0]), d), lambda e, c: scaled(2 * c, e.args[0])),),
    Length: ((lambda e, d: paired(e.args[0], d) / e, lambda e, c: scaled(c / e, e.args[0])),),
    Trace: ((lambda e, d: traced(d), lambda e, c: scaled(c, _identity(e.args[0]))),),
    Total: ((lambda e, d: _total(d), lambda e, c: scaled(c, ones(shape_of(e.args[0])))),),
    Mean: (
        (lambda e, d: Mean.of(d), lambda e, c: scaled(c / sp.Mul(*shape_of(e.args[0])), ones(shape_of(e.args[0])))),
    ),
}


def _of_length(e: Any) -> str:
    """Return the differential of a length or its square, as it is quoted."""
    if len(shape_of(e.args[0])) == 1:
        return "d‖{u}‖² = 2·{u}ᵀ·d{u}" if isinstance(e, Norm2) else "d‖{u}‖ = {u}ᵀ·d{u}/‖{u}‖"
    return "d‖{M}‖_F² = 2·tr({M}ᵀ·d{M})" if isinstance(e, Norm2) else "d‖{M}‖_F = tr({M}ᵀ·d{M})/‖{M}‖_F"


def _total(a: Any) -> Any:
    front, a = in_front(a)
    return front * Total.of(a)


def _after(outer: Callable[[Any], Any], inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda c: inner(outer(c))


def _arranged(left: list[Any], middle: list[Any], right: list[Any], shape: Any, row: bool) -> Any:
    """Return leftᵀ·C·rightᵀ as an array of this shape; of a row, what belongs to its column."""
    made = [*left, *middle, *right]
    if not made:
        return _identity_of(shape)
    array = product(made)
    if len(shape) == 2 and len(shape_of(array)) != 2:
        raise NoWords("a product of vectors")
    return turned(array) if row else array


def _identity(a: Any) -> Any:
    return _identity_of(shape_of(a))


def _identity_of(shape: Any) -> Any:
    return Identity.of(shape[0]) if shape else sp.S.One


def _among(before: Sequence[Any], behind: Sequence[Any]) -> Callable[[Any], Any]:
    """Return what puts an array among others that it is multiplied by, entry by entry."""
    return lambda d: times_all([*before, d, *behind])


def times_all(factors: Sequence[Any]) -> Any:
    """Return a ⊙ b ⊙ …"""
    return functools.reduce(times, factors)


def _powers(factors: Sequence[Any]) -> list[Any]:
    return [product(factors)] if factors else []


def _not(holds: Any) -> Any:
    opposite: dict[Any, Any] = {sp.Gt: sp.Le, sp.Ge: sp.Lt, sp.Lt: sp.Ge, sp.Le: sp.Gt, sp.Eq: sp.Ne, sp.Ne: sp.Eq}
    if holds.relation not in opposite:
        raise NoWords("another relation")
    left, right = holds.args[1:3]
    return Truth.of(opposite[holds.relation], left, right, holds.shape)


def _below(e: Any) -> Any:
    """Return what stands below the bar of a product of numbers."""
    return sp.Mul(*[1 / f for f in sp.Mul.make_args(e) if f.is_Pow and f.exp.is_Rational and f.exp.is_negative])


def _numbers_in(e: Any) -> list[Any]:
    """Return the largest parts of a formula of numbers that are made of arrays, and the names in it."""
    if isinstance(e, (ArrayExpr, sp.Symbol)):
        return [e]
    return list(dict.fromkeys(n for a in e.args for n in _numbers_in(a)))


# ------------------------------------------------------------------ what symgrad is asked
_TANGENT, _COTANGENT = "\ue000d", "\ue000c"


def _placed(e: Any, names: dict[str, Any]) -> Any:
    """Put expressions in place of stand-ins."""
    there = {s: names[s.name] for s in e.free_symbols if getattr(s, "name", None) in names}
    return rebuilt(e, there)


@lru_cache(maxsize=256)
def _asked(apply: Any, shapes: tuple[Any, ...], k: int) -> tuple[Any, Any]:
    """Return differential and pullback of an operation of stand-ins, by the k-th."""
    with enable_grad():
        args = [handle(Leaf(None, s, TRACED, f"\ue000{i}"), None) for i, s in enumerate(shapes)]
        try:
            y = as_tensor(apply(*args))
        except NotImplementedError as error:  # an operation of the notation alone
            raise NoWords(str(error)) from error
        t = handle(Leaf(None, shapes[k], TRACED, _TANGENT), None)
        c = handle(Leaf(None, y.shape, TRACED, _COTANGENT), None)
        weighed = MUL(y, c) if not y.shape else sum_axes(MUL(y, c), range(len(y.shape)))
        back = derive(weighed, args[k], verify=False)
        try:
            forward = derive(y, args[k], tangent=t, verify=False)
            return _matrix(forward), _matrix(back)
        except (SymgradError, NotImplementedError) as error:
            raise NoWords(str(error)) from error


def _matrix(form: ClosedForm) -> Any:
    if not form.has_matrix:
        raise NoWords("no matrix notation")
    return form._expr


def of_operation(e: Call, k: int) -> tuple[Any, Callable[[Any], Any]]:
    """Return an operation's differential by its k-th argument, and how a factor goes past it."""
    args = e.args[1:-1]
    forward, back = _asked(e.op, tuple(shape_of(a) for a in args), k)
    names = {f"\ue000{i}": a for i, a in enumerate(args)}
    shown = _placed(forward, {**names, _TANGENT: Differential.of(args[k].name, shape_of(args[k]))})
    return without_ties(shown), lambda c: without_ties(_placed(back, {**names, _COTANGENT: c}))


def slope(e: Elementwise, k: int) -> Any:
    """Return f′(a) of a function of entries, by its k-th argument."""
    function = declaration(str(e.args[0])).function
    args = e.args[1:-1]
    if any(shape_of(a) != e.shape for a in args):
        raise NoWords("numbers in a function of entries")
    return _slope_of(Map.of(function(*X[: len(args)]), len(args)), args, k)


_POWER = Map.of(X[0] ** X[1], 2)
_QUOTED = {"tanh": "tanh′({t}) = 1 − tanh²({t})", "maximum": "(max(0, {t}))′ = [{t} > 0]"}
_OF_POWERS = ("({t}ᵖ)′ = p·{t}ᵖ⁻¹", "({b}ᵗ)′ = {b}ᵗ·{log}({b})")  # by the base, and by the exponent t


def _law(f: Any, slope_: Any) -> str:
    """Return f′ = … as it is quoted."""
    left = unicode_text(textbook(f))
    left = unicode_text(Prime.of(f)) if textbook(f) is f and not left.startswith("|") else f"({left})′"
    return f"{left} = {unicode_text(textbook(slope_))}"


def _slope_of(op: Any, args: Sequence[Any], k: int) -> Any:
    """Return the derivative of an operation on entries by its k-th argument, entry by entry."""
    _, back = _asked(op, tuple(shape_of(a) for a in args), k)
    names: dict[str, Any] = {f"\ue000{i}": a for i, a in enumerate(args)}
    shape = shape_of(args[0])
    return _placed(back, {**names, _COTANGENT: ones(shape) if shape else sp.S.One})


def _line_means(a: Any, axis: int) -> Any:
    front, a = in_front(a)
    return scaled(front, LineMean.of(a, axis))
