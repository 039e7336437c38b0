"""Array expressions: SymPy nodes that know their shape and print as a textbook writes matrices.

1-D arrays are columns in print; they stay 1-D in their shape. ``Node.of`` makes a node from its parts, folding what
is trivial; ``Node(*args)`` rebuilds one, as SymPy does to substitute, copy and pickle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import formula as write
from symgrad.expression import printer
from symgrad.forms.nodes import numpycode, sizes
from symgrad.forms.nodes.arrays import ATOM, ArrayExpr, ArraySymbol, Identity, OnesVector, level
from symgrad.forms.nodes.complexes import Conjugated
from symgrad.forms.nodes.formulas import formula, negative, total, with_axes
from symgrad.forms.nodes.numpycode import COLUMN, MATRIX, ROW, UNKNOWN
from symgrad.ops.linalg.solving import Inverse

__all__ = [
    "ArrayExpr", "ArraySymbol", "Call", "Cross", "Filled", "Identity", "Inner", "Kronecker", "MatrixPower",
    "OnesVector", "Operation", "Plus", "Product", "ScalarCall", "Scaled", "Transposed", "entries", "in_front",
    "is_symmetric", "without_brackets",
]  # fmt: skip

_MUL = int(PRECEDENCE["Mul"])


def is_symmetric(a: Any) -> bool:
    """Whether a matrix is its own transpose, as its notation shows."""
    if len(a.shape) != 2:
        return False
    if isinstance(a, ArraySymbol):
        return len(a.args) == 3
    if isinstance(a, Product):
        factors = a.args[:-1]
        return all(f == Transposed.of(g) for f, g in zip(factors, reversed(factors), strict=True))
    if isinstance(a, Call):
        return bool(a.op.symmetric) or (bool(a.op.keeps_symmetry) and all(map(is_symmetric, a.args[1:-1])))
    if isinstance(a, MatrixPower):
        return is_symmetric(a.args[0])
    if isinstance(a, Plus):
        terms = set(a.args[:-1])
        return {Scaled.of(c, _turned(b)) for c, b in map(in_front, terms)} == terms
    return isinstance(a, Identity) or (isinstance(a, Scaled) and is_symmetric(a.args[1])) or a.kept_by_transposing


def _turned(a: Any) -> Any:
    """Return the transpose, of a product the product of the transposes."""
    if isinstance(a, Product):
        return Product.of([Transposed.of(f) for f in reversed(a.args[:-1])], a.shape[::-1])
    return Transposed.of(a)


def in_front(a: Any) -> tuple[Any, Any]:
    """Split an array into its coefficient and the rest."""
    return (a.args[0], a.args[1]) if isinstance(a, Scaled) else (1, a)


class Transposed(ArrayExpr):
    """aᵀ; of a 1-D array the row, which occurs inside products only."""

    precedence = ATOM

    @classmethod
    def of(cls, a: Any) -> Any:
        if isinstance(a, Transposed):
            return a.args[0]
        if is_symmetric(a):
            return a
        if isinstance(a, Call) and a.op.antisymmetric:
            return Scaled.of(-1, a)
        shape = a.shape[::-1] if len(a.shape) == 2 else (1, *a.shape)
        return cls(a, sp.Tuple(*shape))

    def formula(self) -> write.Formula:
        inside = self._adjoint_of()
        return write.Raised(formula(self.args[0]), "ᵀ") if inside is None else write.Raised(formula(inside), "ᴴ")

    def _adjoint_of(self) -> Any:
        """X of (X̄)ᵀ, which is written Xᴴ; None of what is not conjugated."""
        return self.args[0].args[1] if isinstance(self.args[0], Conjugated) else None

    def _numpycode(self, printer: Any) -> str:
        text = f"{printer._print(self.args[0])}.T"
        return text if _kind(self.args[0]) == MATRIX else numpycode.call(printer, "numpy.atleast_2d", text)


class Product(ArrayExpr):
    """The matrix product of factors, columns and rows as Transposed says; ``shape`` is the result's."""

    precedence = PRECEDENCE["Mul"]

    @classmethod
    def of(cls, factors: Any, shape: Any) -> Any:
        flat: list[Any] = []
        for f in factors:
            flat.extend(f.args[:-1] if isinstance(f, Product) else [f])
        flat = raised([f for f in flat if not isinstance(f, Identity)] or flat[:1])
        if len(flat) == 1:
            return flat[0]
        return (Product if shape else Inner)(*flat, sp.Tuple(*shape))

    def formula(self) -> write.Formula:
        return write.Infix(*map(formula, self.args[:-1]), sign="@")

    def _numpycode(self, printer: Any) -> str:
        factors = [
            (printer._print(f.args[0]), ROW) if _kind(f) == ROW else (printer._print(f), _kind(f))
            for f in self.args[:-1]
        ]
        return numpycode.product(printer, factors, len(self.shape))


class MatrixPower(ArrayExpr):
    """A square matrix to a whole power other than 0, 1 and -1: A³, A⁻²."""

    precedence = PRECEDENCE["Pow"]

    @classmethod
    def of(cls, a: Any, power: int) -> Any:
        return cls(a, sp.Integer(power), sp.Tuple(*a.shape))

    def formula(self) -> write.Formula:
        return write.Raised(formula(self.args[0]), str(self.args[1]).translate(_RAISED))

    def _numpycode(self, printer: Any) -> str:
        return numpycode.call(printer, "numpy.linalg.matrix_power", *map(printer._print, self.args[:2]))


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def raised(factors: Sequence[Any]) -> list[Any]:
    """Return the factors of a product with those that stand beside each other as powers: A*A*A is A³."""
    powers: list[Any] = []
    for f in factors:
        base, power, turned = _as_power(f)
        before = _as_power(powers[-1]) if powers and power else (None, 0, False)
        if base == before[0] and turned == before[2] and power * before[1] > 0:
            made = MatrixPower.of(base, power + before[1])
            powers[-1] = Transposed.of(made) if turned else made
        else:
            powers.append(f)
    return powers


def _as_power(f: Any) -> tuple[Any, int, bool]:
    """Return base and exponent of a factor, and whether it is transposed; 0 for what is not a square matrix."""
    turned = isinstance(f, Transposed)
    a = f.args[0] if turned else f
    if len(a.shape) != 2 or a.shape[0] != a.shape[1]:
        return f, 0, False
    if isinstance(a, MatrixPower):
        return a.args[0], int(a.args[1]), turned
    if isinstance(a, Call) and isinstance(a.op, Inverse):
        return a.args[1], -1, turned
    return a, 1, turned


class Inner(Product):
    """A product that is a number, as xᵀ*A*y; in brackets where it is multiplied.

    It binds as a sum does: SymPy's printers take that for the level of all factors once a product has a minus sign.
    """

    precedence = PRECEDENCE["Add"]
    is_commutative = True

    def _numpycode(self, printer: Any) -> str:
        return numpycode.bare(super()._numpycode(printer))

    def formula(self) -> write.Formula:
        return write.Infix(*map(formula, self.args[:-1]), sign="@", number=True)


class AboveTheBar(Inner):
    """A number xᵀ*A*y as a printer sees it above the fraction bar: there it needs no brackets."""

    precedence = PRECEDENCE["Mul"] - 1

    @classmethod
    def class_key(cls) -> Any:
        """Where it stands among other factors: where it would as what it is."""
        return Inner.class_key()


def without_brackets(e: Any) -> Any:
    """Return a product for a printer that multiplies from left to right; what is below the bar stays as it is."""
    if not any(isinstance(f, Inner) for f in e.args):
        return e
    return e.func(*[AboveTheBar(*f.args) if isinstance(f, Inner) else f for f in e.args], evaluate=False)


def _kind(f: Any) -> str:
    """How an array is multiplied: as a row, a column or a matrix, or unknown where a symbol stands for it."""
    if not isinstance(f, ArrayExpr):
        return UNKNOWN
    if isinstance(f, Transposed):
        return {COLUMN: ROW, UNKNOWN: UNKNOWN}.get(_kind(f.args[0]), MATRIX)
    return COLUMN if len(f.shape) == 1 else MATRIX


class Scaled(ArrayExpr):
    """A scalar coefficient times an array; 2·(a ⊘ b) is written 2*a ⊘ b, and c·(1 ⊘ b) c ⊘ b."""

    @classmethod
    def of(cls, coefficient: Any, a: Any) -> Any:
        coefficient = sp.sympify(coefficient)
        if isinstance(a, Scaled):
            coefficient, a = coefficient * a.args[0], a.args[1]
        if isinstance(a, Cross) and coefficient.could_extract_minus_sign():
            coefficient, a = -coefficient, Cross.of(*a.args[1::-1])
        if coefficient == 1:
            return a
        return cls(coefficient, a, sp.Tuple(*a.shape))

    @property
    def precedence(self) -> int:
        """That of a product of numbers, or of the elementwise quotient as which it is written."""
        return _MUL - (self._bar() is not None)

    def _bar(self) -> tuple[Any, Any] | None:
        """Return c·a and b of c·(a ⊘ b), where c is an integer, or a is 1; for a mere sign it stays in front."""
        c, a = self.args[:2]
        bar = getattr(a, "bar", None)  # in ``sp.cse`` the array may be a symbol
        if bar is None or c == -1 or sizes.fraction(c)[1] != 1 or not (c.is_Integer or bar[0] == 1):
            return None
        above, below = bar
        return (c if above == 1 else Scaled.of(c, above)), below

    def _number(self) -> tuple[Any, Any]:
        """Return an integer that stands in all terms of a coefficient, and the node without it: of 2*a - 2*b, 2."""
        for f in sp.Mul.make_args(self.args[0]):
            number, rest = f.primitive() if f.is_Add else (sp.S.One, f)
            if f.is_Add and all(t.could_extract_minus_sign() for t in f.args):
                number, rest = -number, -rest
            if number != 1 and number.is_Integer:
                return number, Scaled(self.args[0].xreplace({f: rest}), *self.args[1:])
        return sp.S.One, self

    def formula(self) -> write.Formula:
        coefficient, a = self.args[:2]
        top, _ = sizes.fraction(coefficient)
        if not top.is_Add and top.could_extract_minus_sign():
            return negative(formula(Scaled.of(-coefficient, a)))
        if (bar := self._bar()) is not None:
            return write.Infix(*map(formula, bar), sign="⊘")
        n, inside = self._number()
        if inside is not self:
            rest = formula(inside.args[0])
            front = negative(rest) if n == -1 else write.Product(formula(n), rest)
            return write.Scaled(front, formula(a))
        return write.Scaled(sizes.coefficient(coefficient, a), formula(a))

    def _numpycode(self, printer: Any) -> str:
        top, bottom = sizes.fraction(self.args[0])
        head = {1: "", -1: "-"}.get(top, f"{printer.parenthesize(top, PRECEDENCE['Mul'], strict=True)}*")
        below = "" if bottom == 1 else f"/{printer.parenthesize(bottom, PRECEDENCE['Pow'], strict=True)}"
        return f"({head}{printer._print(self.args[1])}{below})"


class Plus(ArrayExpr):
    """The sum of arrays and elementwise added scalars, in the order in which it was written."""

    precedence = PRECEDENCE["Add"]

    @classmethod
    def of(cls, terms: Any, shape: Any) -> Any:
        flat: list[Any] = []
        for t in terms:
            flat.extend(t.args[:-1] if isinstance(t, Plus) else [t])
        return flat[0] if len(flat) == 1 else cls(*flat, sp.Tuple(*shape))

    def formula(self) -> write.Formula:
        return total(self._terms())

    def _terms(self) -> tuple[Any, ...]:
        """The first positive term leads, as one writes y - x rather than -x + y."""
        terms = list(self.args[:-1])
        lead = next((k for k, t in enumerate(terms) if not _negative(t)), 0)
        return (terms[lead], *terms[:lead], *terms[lead + 1 :])

    def _numpycode(self, printer: Any) -> str:
        terms = self._terms()
        texts = [t[1:-1] if isinstance(a, Scaled) else t for a, t in zip(terms, entries(printer, terms), strict=True)]
        out = texts[0]
        for t in texts[1:]:
            out += f" - {t[1:]}" if t.startswith("-") else f" + {t}"
        return f"({out})"


def _negative(t: Any) -> bool:
    return isinstance(t, (Scaled, Filled)) and bool(t.args[0].could_extract_minus_sign())


class Filled(ArrayExpr):
    """A number added to every entry of an array; printed as the number."""

    @classmethod
    def of(cls, value: Any, shape: Any) -> Any:
        return cls(sp.sympify(value), sp.Tuple(*shape))

    @property
    def precedence(self) -> int:
        """As its value's."""
        return level(self.args[0])

    def formula(self) -> write.Formula:
        return sizes.coefficient(self.args[0], self)

    def _numpycode(self, printer: Any) -> str:
        shape = ", ".join(map(printer._print, self.shape))
        return numpycode.call(printer, "numpy.full", f"[{shape}]", printer._print(self.args[0]))


def entries(printer: Any, arrays: Sequence[Any]) -> list[str]:
    """Return NumPy source of arrays that are combined entry by entry: beside an array, a number stands for itself."""
    beside = any(isinstance(a, ArrayExpr) and a.shape and not isinstance(a, Filled) for a in arrays)
    return [
        printer.parenthesize(a.args[0], ATOM, strict=True) if beside and isinstance(a, Filled) else printer._print(a)
        for a in arrays
    ]


class Operation(sp.Atom):
    """An operation of the graph, as an argument of a node."""

    is_commutative = True
    op: Any

    def __new__(cls, op: Any) -> Any:
        made = super().__new__(cls)
        made.op = op
        return made

    def _hashable_content(self) -> tuple[Any, ...]:
        return (repr(self.op), hash(self.op))  # SymPy remembers: two operations may be written alike

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.op,)

    def _sympystr(self, printer: Any) -> str:
        return repr(self.op)

    def _sympyrepr(self, printer: Any) -> str:
        return f"Operation({self.op!r})"

    def formula_of(self, arguments: Sequence[write.Formula], rank: int) -> write.Formula:
        """Return it of its arguments, of which the first has so many axes, with its axes where they are not all."""
        written, axes = self.op.notation(printer, *arguments), getattr(self.op, "axes", None)
        if axes is None or set(axes) == set(range(rank)) or (self.op.by_rows and axes == (rank - 1,)):
            return written  # type: ignore[no-any-return]
        return with_axes(written, axes, self.op.linear)


class Integrand(Operation):
    """An integral, with what stands inside of it: f of ∫ f dx, of arrays. Its first arguments are the limits."""

    x: Any
    inside: Any

    def __new__(cls, op: Any, x: Any, inside: Any) -> Any:
        made = super().__new__(cls, op)
        made.x, made.inside = x, inside
        return made

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.x, self.inside)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.op, self.x, self.inside)

    def _xreplace(self, rule: Any) -> tuple[Any, bool]:
        inside, changed = self.inside._xreplace(rule)
        return (self.around(inside), True) if changed else (self, False)

    def around(self, inside: Any) -> Integrand:
        """Return the same integral of something else, such as of other names."""
        return Integrand(self.op, self.x, inside)  # type: ignore[no-any-return]

    def formula_of(self, arguments: Sequence[write.Formula], rank: int) -> write.Formula:
        return write.Call(write.Name("∫"), [formula(self.inside), formula(self.x), *arguments[:2]])


class Call(ArrayExpr):
    """A named function of whole arrays, such as X⁻¹ or diag(X), printed as its operation says."""

    precedence = ATOM

    @classmethod
    def of(cls, op: Any, arguments: Any, shape: Any = ()) -> Any:
        """Make the call of an operation; it has a shape."""
        return cls(op if isinstance(op, Operation) else Operation(op), *arguments, sp.Tuple(*shape))

    @property
    def op(self) -> Any:
        """The operation that is called."""
        return self.args[0].op

    @property
    def _rank(self) -> int:
        return len(getattr(self.args[1], "shape", ()))

    def formula(self) -> write.Formula:
        written: write.Formula = self.args[0].formula_of(list(map(formula, self.args[1:-1])), self._rank)
        return written

    def _numpycode(self, printer: Any) -> str:
        return numpycode.operation(printer, self.op, list(map(printer._print, self.args[1:-1])))


class Kronecker(Call):
    """X ⊗ Y, in brackets beside other products."""

    precedence = PRECEDENCE["Mul"] - 2

    def formula(self) -> write.Formula:
        return write.Infix(*map(formula, self.args[1:-1]), sign="⊗")


class Cross(ArrayExpr):
    """a × b, in brackets beside other products."""

    precedence = PRECEDENCE["Mul"] - 2

    @classmethod
    def of(cls, a: Any, b: Any) -> Any:
        """Return the cross product, numbers in front."""
        (c, a), (d, b) = in_front(a), in_front(b)
        return Scaled.of(c * d, cls(a, b, sp.Tuple(*b.shape)))

    def formula(self) -> write.Formula:
        return write.Infix(*map(formula, self.args[:-1]), sign="×")

    def _numpycode(self, printer: Any) -> str:
        return numpycode.call(printer, "numpy.cross", *map(printer._print, self.args[:-1]))


class ScalarCall(Call):
    """A number made of whole arrays, such as det(X)."""

    is_commutative = True
