"""dX as a symbol, and products whose shapes follow from their factors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import formula as write
from symgrad.forms.nodes.arrays import ArrayExpr, ArraySymbol, Identity, OnesVector
from symgrad.forms.nodes.complexes import Part
from symgrad.forms.nodes.elementwise import ElementPower, Hadamard
from symgrad.forms.nodes.formulas import formula, multiplied, negative
from symgrad.forms.nodes.marks import Diag, Quotient, Trace
from symgrad.forms.nodes.matrices import Filled, Integrand, Plus, Product, Scaled, Transposed


class Differential(ArraySymbol):
    """dX: a small change of X, shaped like X; of a number, a number."""

    def __new__(cls, *args: Any) -> Any:
        """Make the node; a number commutes."""
        made = super().__new__(cls, *args)
        made.is_commutative = not made.shape
        return made

    @classmethod
    def of(cls, name: str, shape: Any, symmetric: bool = False) -> Any:
        """Make the symbol; a differential is never marked as symmetric."""
        return cls(Str(name), sp.Tuple(*shape))

    @property
    def name(self) -> str:
        """The name that it is evaluated by."""
        return f"d{self.args[0]}"

    @property
    def whose(self) -> str:
        """The name of what changes."""
        return str(self.args[0])

    def formula(self) -> write.Formula:
        return write.Differential(self.whose)


def shape_of(e: Any) -> tuple[Any, ...]:
    """Return the shape; of a number ()."""
    return tuple(getattr(e, "shape", ()))


def sized(shape: Sequence[Any]) -> str:
    """Return a shape as one says it: n×d."""
    return "×".join(map(str, shape)) if shape else "number"


def differentials_in(e: Any) -> list[Differential]:
    """Return the differentials in an expression, each as often as it stands there."""
    if isinstance(e, Differential):
        return [e]
    return [d for a in getattr(e, "args", ()) for d in differentials_in(a)]


# ------------------------------------------------------------------ building
def turned(a: Any) -> Any:
    """Return aᵀ: of a product the transposes in turn, of a sum term by term."""
    if not shape_of(a):
        return a
    if isinstance(a, Product):
        return product([turned(f) for f in reversed(a.args[:-1])])
    if isinstance(a, Scaled):
        return scaled(a.args[0], turned(a.args[1]))
    if isinstance(a, Plus) and all(isinstance(t, (ArraySymbol, Transposed)) for t in a.args[:-1]):
        return plus([turned(t) for t in a.args[:-1]])
    return Transposed.of(a)


def _is_row(f: Any) -> bool:
    return isinstance(f, Transposed) and len(shape_of(f.args[0])) == 1


def product(factors: Sequence[Any]) -> Any:
    """Return the matrix product; numbers in front, identities left out."""
    numbers = [f for f in factors if not shape_of(f)]
    arrays: list[Any] = []
    for f in factors:
        if not shape_of(f):
            continue
        if isinstance(f, Scaled):
            numbers.append(f.args[0])
            f = f.args[1]
        arrays.extend(f.args[:-1] if isinstance(f, Product) else [f])
    arrays = [f for f in arrays if not isinstance(f, Identity)] or arrays[:1]
    c = sp.Mul(*numbers)
    if not arrays:
        return c
    made = arrays[0] if len(arrays) == 1 else Product.of(arrays, _outer_sizes(arrays))
    return scaled(c, made)


def _outer_sizes(arrays: Sequence[Any]) -> tuple[Any, ...]:
    first, last = arrays[0], arrays[-1]
    left = () if _is_row(first) else (shape_of(first)[0],)
    right = () if len(shape_of(last)) == 1 else (shape_of(last)[-1],)
    return (*left, *right)


def is_zero(a: Any) -> bool:
    """Whether this is 0, or an array of zeros."""
    return bool(a == 0) or (isinstance(a, Filled) and bool(a.args[0] == 0))


def scaled(c: Any, a: Any) -> Any:
    """Return c·a, a number times an array or a number."""
    return Scaled.of(c, a) if shape_of(a) else c * a


def plus(terms: Sequence[Any]) -> Any:
    """Return the sum; nothing is zero."""
    if not terms:
        return sp.S.Zero
    return Plus.of(terms, shape_of(terms[0])) if shape_of(terms[0]) else sp.Add(*terms)


def times(a: Any, b: Any) -> Any:
    """Return a ⊙ b; ones are left out."""
    (c, a), (d, b) = _parted(a), _parted(b)
    factors = [f for x in (a, b) if not is_ones(x) for f in (x.args[:-1] if isinstance(x, Hadamard) else (x,))]
    for f in [f for f in factors if isinstance(f, ElementPower) and f.args[1] == -1]:
        if f.args[0] in factors:  # 1/h and h
            factors.remove(f)
            factors.remove(f.args[0])
    return scaled(c * d, Hadamard.of(factors, shape_of(a)) if factors else ones(shape_of(a)))


def _parted(a: Any) -> tuple[Any, Any]:
    return (a.args[0], a.args[1]) if isinstance(a, Scaled) else (sp.S.One, a)


def ones(shape: Sequence[Any]) -> Any:
    """Return 1, or 1·1ᵀ."""
    if len(shape) == 1:
        return OnesVector.of(shape[0])
    if len(shape) == 2:
        return product([OnesVector.of(shape[0]), Transposed.of(OnesVector.of(shape[1]))])
    return Filled.of(1, shape)


def is_ones(a: Any) -> bool:
    """Whether every entry is 1."""
    if isinstance(a, Product):
        first, *others = a.args[:-1]
        return isinstance(first, OnesVector) and others == [Transposed.of(OnesVector.of(a.shape[1]))]
    return isinstance(a, OnesVector) or (isinstance(a, Filled) and a.args[0] == 1)


def paired(c: Any, d: Any) -> Any:
    """Return ⟨c, d⟩ as it is written: tr(cᵀ·d), of vectors cᵀ·d, of numbers c·d."""
    if not shape_of(c):
        return c * d
    front, c = _parted(c)
    if len(shape_of(c)) == 1:
        return front * product([turned(c), d])
    return front * traced(product([turned(c), d]))


def in_complex_numbers(g: Any, d: Any) -> Any:
    """Return Re⟨g, d⟩ as it is written: Re(gᴴ·d), Re(tr(Gᴴ·D))."""
    inner = product([Transposed.of(Part.of(sp.conjugate, g, g.shape)), d])
    return Part.of(sp.re, inner if len(shape_of(d)) == 1 else Trace.of(inner), ())


def traced(a: Any) -> Any:
    """Return tr(a), numbers in front; tr(B·v·uᵀ·C) is uᵀ·C·B·v where nothing in it changes."""
    front, a = _parted(a)
    factors = a.args[:-1] if isinstance(a, Product) and not differentials_in(a) else ()
    k = next((k for k, f in enumerate(factors) if k and _is_row(f) and len(shape_of(product(factors[:k]))) == 1), None)
    return front * (Trace.of(a) if k is None else product([*factors[k:], *factors[:k]]))


def diag(a: Any) -> Any:
    """Return the diagonal matrix of a vector, or the diagonal of a matrix."""
    front, a = _parted(a)
    return scaled(front, Diag.of(a))


def rebuilt(e: Any, there: dict[Any, Any]) -> Any:
    """Put expressions in place of others, and fold what becomes trivial."""
    if e in there:
        return there[e]
    if isinstance(e, Integrand):
        return e.around(rebuilt(e.inside, there))
    if isinstance(e, (ArraySymbol, sp.Symbol)) or not getattr(e, "args", ()):
        return e
    kept = isinstance(e, ArrayExpr)
    parts = [a if kept and k == len(e.args) - 1 else rebuilt(a, there) for k, a in enumerate(e.args)]
    if not kept:
        return e.func(*parts)
    arrays = parts[:-1]
    if isinstance(e, Product):
        return product(arrays)
    if isinstance(e, Scaled):
        return scaled(*arrays)
    if isinstance(e, Plus):
        return plus(arrays)
    if isinstance(e, Hadamard):
        return reduce(times, arrays)
    if isinstance(e, Transposed):
        return turned(arrays[0])
    if isinstance(e, Diag):
        return diag(arrays[0])
    if isinstance(e, Quotient) and (arrays[0] == 1 or is_ones(arrays[0])) and shape_of(arrays[1]) == e.shape:
        return ElementPower.of(arrays[1], sp.Integer(-1))
    return e.func(*parts)


# ------------------------------------------------------------------ lines of differentials
class Terms(ArrayExpr):
    """A sum in the order in which it is written; a number stands before a product of arrays without brackets."""

    precedence = PRECEDENCE["Add"]
    is_commutative = True

    @classmethod
    def of(cls, terms: Sequence[Any]) -> Any:
        """Make the node, of numbers."""
        return cls(*terms, sp.Tuple())

    def formula(self) -> write.Formula:
        return write.Sum(*map(_term, self.args[:-1])) if len(self.args) > 1 else write.number(0)

    def _numpycode(self, printer: Any) -> str:
        return f"({' + '.join(printer.parenthesize(t, PRECEDENCE['Mul']) for t in self.args[:-1]) or 0})"


def _fraction(t: Any) -> tuple[bool, list[Any], list[Any]]:
    """Return the sign of a term, what is above its bar, with the differential last, and what is below."""
    n, rest = t.as_coeff_Mul()
    above: list[Any] = [] if n.is_Rational and abs(n.p) == 1 else [sp.Integer(abs(n.p))] if n.is_Rational else [abs(n)]
    below: list[Any] = [] if not n.is_Rational or n.q == 1 else [sp.Integer(n.q)]
    moving = []
    for f in sp.Mul.make_args(rest):
        if f.is_Pow and f.exp.is_Rational and f.exp.is_negative:
            below.append(sp.Pow(f.base, -f.exp))
        elif differentials_in(f):
            moving.append(f)
        elif f != 1:
            above.append(f)
    return bool(n.is_negative), [*above, *moving] or [sp.S.One], below


def _term(t: Any) -> write.Formula:
    minus, above, below = _fraction(t)
    top = [formula(f) for f in above]
    if isinstance(top[-1], write.Infix):  # a product of arrays needs no brackets where it stands last
        top[-1] = write.Infix(*top[-1].args, sign=top[-1].sign)
    product = write.Product(*top) if len(top) > 1 else top[0]
    whole = write.Quotient(product, multiplied(below)) if below else product
    return negative(whole) if minus else whole
