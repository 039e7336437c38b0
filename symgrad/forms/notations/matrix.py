"""Matrix notation: the terms of the canonical graph as array expressions.

Every reading is exact or refused: what has no matrix notation raises ``NoMatrix``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from symgrad.forms import names as naming
from symgrad.forms.canon.complexes import is_complex
from symgrad.forms.canon.integrals import integrand
from symgrad.forms.canon.patterns.fourier import is_fourier
from symgrad.forms.canon.patterns.kronecker import BlockDot, BlockSum, Kron
from symgrad.forms.canon.products import content, opened
from symgrad.forms.canon.terms import (
    CALL,
    EYE,
    FUNCTION,
    LEAF,
    NAMED,
    POWER,
    PRODUCT,
    SUM,
    Term,
    TermPool,
)
from symgrad.forms.nodes.arrays import ComplexSymbol
from symgrad.forms.nodes.complexes import WORDS, Part
from symgrad.forms.nodes.elementwise import ArrayPower, ElementPower, Elementwise
from symgrad.forms.nodes.fourier import FourierSymbol
from symgrad.forms.nodes.marks import Cases, Diag, Length, Norm2, Total, Truth
from symgrad.forms.nodes.matrices import (
    ArraySymbol,
    Call,
    Filled,
    Identity,
    Integrand,
    Kronecker,
    OnesVector,
    Plus,
    ScalarCall,
    Scaled,
    Transposed,
)
from symgrad.forms.nodes.tables import Table
from symgrad.forms.notations.letters import LetterGraph, NoMatrix, outer, turned_sum
from symgrad.implicit.integral import Integral
from symgrad.ops.protocol import Op
from symgrad.ops.shapes.join import Stack
from symgrad.scalars import BY_FUNCTION


class MatrixReading:
    """One reading of terms in matrix notation. ``names`` maps the keys of leaves and names to what is printed."""

    def __init__(self, pool: TermPool, names: Mapping[Any, str]) -> None:
        self.pool, self.names = pool, names
        self.found: dict[Term, Any] = {}
        self._transforms: dict[Term, str] = {}  # the letters of Fourier matrices

    def expr(self, root: Term) -> sp.Expr:
        """Return the root in matrix notation; raises NoMatrix."""
        for t in _needed(root, self.found):
            if len(t.shape) > 2:
                raise NoMatrix(f"{len(t.shape)}-D arrays")
            self.found[t] = self._read(t)
        formula = self.found[root]
        return formula if root.kind == SUM and not root.args else written_out(formula)  # 0, rather than 0 times 1

    def _read(self, t: Term) -> Any:
        return _READERS[t.kind](self, t)

    # -------------------------------------------------------------- leaves
    def symbol(self, t: Term) -> Any:
        """Return a named array, or a named number."""
        name = self.names[t.data[0] if t.kind == LEAF else t.data]
        imaginary = is_complex(self.pool, t)
        if not t.shape:
            return sp.Symbol(name) if imaginary else sp.Symbol(name, real=True)
        kind = ComplexSymbol if imaginary else ArraySymbol
        return kind.of(name, t.shape, len(t.shape) == 2 and self.pool.symmetric(t))

    def _eye(self, t: Term) -> Any:
        return Identity.of(t.shape[0])

    # -------------------------------------------------------------- sums
    def _sum(self, t: Term) -> Any:
        number, plain = content(self.pool, t)
        if len(plain.args) == 1 and number == 1:
            return self._alone(plain)
        terms = [self._group(group, t.shape) for group in _by_size(plain)]
        if not t.shape:
            total = sp.Add(*(terms if t in self.pool.written else _in_one_total(terms)))
            return sp.Mul(number, total, evaluate=False) if number != 1 else total
        if not terms:
            return Filled.of(0, t.shape)
        if all(isinstance(e, Filled) for e in terms):
            return Filled.of(number * sp.Add(*[e.args[0] for e in terms]), t.shape)
        if any(isinstance(e, (Identity, Diag)) for t in terms for e in (t, *t.args)):
            terms = [written_out(e) for e in terms]  # I - 1/n would be read as if 1/n stood on the diagonal
        if len(terms) == 2 and isinstance(terms[0], Transposed) and terms[0].args[0] == terms[1]:
            terms.reverse()
        return Scaled.of(number, turned_sum(Plus.of(terms, t.shape)))

    def _group(self, group: list[tuple[Any, Term]], shape: Any) -> Any:
        """Return n·a - n·b as n·(a - b)."""
        if len(group) == 1:
            return self._scaled(*group[0])
        size = _size(group[0][0])
        sign = -1 if all(c.could_extract_minus_sign() for c, _ in group) else 1
        terms = [self._scaled(c / (sign * size), a) for c, a in group]
        if not shape:
            return sp.Mul(*([] if sign == 1 else [sign]), size, sp.Add(*terms), evaluate=False)
        return Scaled.of(sign * size, Plus.of(terms, shape))

    def _alone(self, t: Term) -> Any:
        """Return c·a, -(a - b)·x as (b - a)·x where the user did not write a - b."""
        (c,), (a,) = t.data, t.args
        if a.kind != PRODUCT or not c.could_extract_minus_sign():
            return self._scaled(c, a)
        for k, f in enumerate(a.args):
            if _is_difference(f) and f not in self.pool.written:
                turned = self.pool.make(SUM, f.args, tuple(-n for n in f.data), f.shape)
                self.found.setdefault(turned, self._sum(turned))
                factors = [*a.args[:k], turned, *a.args[k + 1 :]]
                return self._scaled(-c, self.pool.make(PRODUCT, factors, a.data, a.shape))
        return self._scaled(c, a)

    def _scaled(self, c: Any, a: Term) -> Any:
        """Return c·a; a number in every entry is written as the number."""
        if a.kind == PRODUCT:
            return self._graph(a, c)
        formula = self.found[a]
        return Scaled.of(c, formula) if a.shape else c * formula

    # -------------------------------------------------------------- products
    def _product(self, t: Term) -> Any:
        return self._graph(t, sp.Integer(1))

    def _graph(self, t: Term, c: Any) -> Any:
        terms, out, sizes = opened(t)
        factors = [(self._factor(a), s) for a, s in terms]
        if t.shape and not {k for _, s in terms for k in s} & set(out):
            number = LetterGraph(factors, (), {k: n for k, n in sizes.items() if k not in out}, c).read()
            return Filled.of(number, t.shape)
        return LetterGraph(factors, out, sizes, c).read()

    def _factor(self, a: Term) -> Any:
        if len(a.shape) > 2:
            raise NoMatrix(f"{len(a.shape)}-D arrays")
        return written_out(self.found[a])

    # -------------------------------------------------------------- powers and functions
    def _power(self, t: Term) -> Any:
        base = self.found[t.args[0]]
        if t.shape:
            return ElementPower.of(written_out(base), t.data)
        if isinstance(base, Norm2) and (2 * t.data).is_Integer and t.data != -1:
            return Length.of(base.args[0]) ** (2 * t.data)
        return base**t.data

    def _function(self, t: Term) -> Any:
        args = [self.found[a] for a in t.args]
        if t.data is sp.conjugate and is_fourier(t.args[0]) and not t.args[0].data.half:
            return self._transform(t.args[0], adjoint=True)
        if t.data in WORDS:
            return Part.of(t.data, args[0], t.shape)
        if t.data in BY_FUNCTION:
            written = t.shape or BY_FUNCTION[t.data].text != BY_FUNCTION[t.data].name
            return Elementwise.of(t.data, args, t.shape) if written else t.data(*args)
        if t.data is sp.Pow and t.shape:
            base, exponent = args
            return ArrayPower.of(base, exponent, t.shape)
        if t.data is sp.Piecewise:
            (*parts, last, always) = args
            if _number(always) != 1:
                raise NoMatrix("cases")
            return Cases.of([*parts, last], t.shape)
        if isinstance(t.data, type) and issubclass(t.data, sp.core.relational.Relational):
            left, right = args
            return Truth.of(t.data, left, right, t.shape)
        if not t.shape and issubclass(t.data, sp.Expr):
            return t.data(*args)
        raise NoMatrix(t.data.__name__)

    def _transform(self, t: Term, adjoint: bool = False) -> Any:
        """Return the letter of a Fourier matrix; symmetric ones are conjugated as Fᴴ."""
        if t not in self._transforms:
            mint = naming.Mint([*map(str, self.names.values()), *self._transforms.values()])
            (self._transforms[t],) = mint.names("FGEK")
        return FourierSymbol.of(self._transforms[t], t.data.n, t.shape, adjoint)

    def _call(self, t: Term) -> Any:
        if is_fourier(t):
            return self._transform(t)
        named = t.data.spelled or type(t.data).notation is not Op.notation or isinstance(t.data, (BlockDot, BlockSum))
        if not named or any(1 in a.shape for a in t.args):
            raise NoMatrix(t.data.label)
        args = [written_out(self.found[a]) for a in t.args]
        if isinstance(t.data, Stack) and t.data.axis == 0 and (entries := _numbers(args)):
            return Table.of(entries, t.shape)
        if isinstance(t.data, Kron):
            return Kronecker.of(t.data, args, t.shape)
        op = integral(self.pool, self.names, t, self.found) if isinstance(t.data, Integral) else t.data
        return Call.of(op, args, t.shape) if t.shape else ScalarCall.of(op, args)


def _numbers(rows: Sequence[Any]) -> list[Any]:
    """Return the numbers that a stack is made of: they are its arguments, or written out in them; else none."""
    if all(isinstance(r, Table) and len(r.shape) == 1 for r in rows):
        return [e for r in rows for e in r.entries]
    return [] if any(getattr(r, "shape", ()) for r in rows) else list(rows)


def integral(pool: TermPool, names: Mapping[Any, str], t: Term, beside: Iterable[Term] = ()) -> Any:
    """Return an integral with what stands inside of it; one of numbers reads that itself. May raise NoMatrix."""
    if not any(a.shape for a in (t, *t.args)):
        return t.data
    inside, x, held = integrand(pool, t.data, t.args)
    used = [a for a in (*beside, *_needed(t, {})) if a.kind in (LEAF, NAMED)]
    keys = [a.data[0] if a.kind == LEAF else a.data for a in used]
    if not all(key in names for key in keys):
        raise NoMatrix("an integral of units")
    mint = naming.Mint(names[key] for key in keys)
    letter = mint.names("txsuvz")[0] if t.data.letter in mint.used else t.data.letter
    mint.used.add(letter)
    more = {key: mint.names("AB" if rank > 1 else "ab")[0] for key, rank in held.items()}
    body = MatrixReading(pool, {**names, x: letter, **more}).expr(inside)
    return Integrand(t.data, sp.Symbol(letter, real=True), body)


def _size(c: Any) -> Any:
    """Return what is not a number in a coefficient, such as n of -2n."""
    return c.as_coeff_Mul()[1]


def _by_size(t: Term) -> list[list[tuple[Any, Term]]]:
    """Return the terms of a sum with their coefficients, those of one size together where the first stands."""
    groups: dict[Any, list[tuple[Any, Term]]] = {}
    for k, (c, a) in enumerate(zip(t.data, t.args, strict=True)):
        size = _size(c)
        groups.setdefault(size if size.is_Symbol else k, []).append((c, a))  # 1/n would hide means
    return list(groups.values())


def _in_one_total(terms: list[Any]) -> list[Any]:
    """Return sum(a) - 2*sum(b) as sum(a - 2*b), for arrays of one shape."""
    totals: dict[Any, list[Any]] = {}
    rest = []
    for e in terms:
        _, plain = e.as_coeff_Mul()
        if isinstance(plain, Total):
            totals.setdefault(plain.args[0].shape, []).append(e)
        else:
            rest.append(e)
    return [*rest, *[total for shape, alike in totals.items() for total in _one_total(alike, shape)]]


def _one_total(totals: list[Any], shape: Any) -> list[Any]:
    """Write several sums of arrays of one shape as one sum; one is as it is."""
    if len(totals) == 1:
        return totals
    pairs = [e.as_coeff_Mul() for e in totals]
    return [Total.of(Plus.of([Scaled.of(number, e.args[0]) for number, e in pairs], shape))]


def _is_difference(t: Term) -> bool:
    """Whether a sum has terms of both signs."""
    return t.kind == SUM and len({bool(c.could_extract_minus_sign()) for c in t.data}) == 2


_READERS = {
    LEAF: MatrixReading.symbol,
    NAMED: MatrixReading.symbol,
    EYE: MatrixReading._eye,
    SUM: MatrixReading._sum,
    PRODUCT: MatrixReading._product,
    POWER: MatrixReading._power,
    FUNCTION: MatrixReading._function,
    CALL: MatrixReading._call,
}


def _needed(root: Term, readings: Mapping[Term, Any]) -> list[Term]:
    """Return what is to be read, arguments first; behind names nobody looks."""
    seen: dict[int, Term] = {}
    stack = [root]
    while stack:
        t = stack.pop()
        if t.uid in seen or t in readings:
            continue
        seen[t.uid] = t
        if t.kind != NAMED:
            stack.extend(t.args)
    return [seen[k] for k in sorted(seen)]


def written_out(e: Any) -> Any:
    """Write a number in every entry with vectors of ones, where it stands alone or is multiplied."""
    if not isinstance(e, Filled):
        return e
    ones = [OnesVector.of(n) for n in e.shape]
    return Scaled.of(e.args[0], outer(*ones) if len(ones) == 2 else ones[0])


def _number(e: Any) -> Any:
    return e.args[0] if isinstance(e, Filled) else e
