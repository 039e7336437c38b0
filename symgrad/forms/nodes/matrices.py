"""Array expressions: SymPy nodes that know their shape and print as a textbook writes matrices.

1-D arrays are columns in print; they stay 1-D in their shape. ``Node.of`` makes a node from its parts, folding what
is trivial; ``Node(*args)`` rebuilds one, as SymPy does to substitute, copy and pickle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import markup
from symgrad.forms.nodes import numpycode, sizes
from symgrad.forms.nodes.arrays import ATOM, ArrayExpr, ArraySymbol, Identity, OnesVector, level
from symgrad.forms.nodes.complexes import Conjugated
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

    def _sympystr(self, printer: Any) -> str:
        inside, sign = self._adjoint_of() or self.args[0], "ᴴ" if self._adjoint_of() else "ᵀ"
        text = self._paren(printer, inside, ATOM)
        return f"{text[:-1]}{sign}" if text.endswith("⁻¹") else f"{text}{sign}"

    def _adjoint_of(self) -> Any:
        """X of (X̄)ᵀ, which is written Xᴴ; None of what is not conjugated."""
        return self.args[0].args[1] if isinstance(self.args[0], Conjugated) else None

    def _latex(self, printer: Any) -> str:
        inside, sign = self._adjoint_of() or self.args[0], "\\mathsf{H}" if self._adjoint_of() else "\\top"
        text = self._paren_latex(printer, inside, ATOM)
        return f"{text[:-4]}{{-{sign}}}" if text.endswith("^{-1}") else f"{text}^{{{sign}}}"

    def _mathml(self, printer: Any) -> str:
        inside, sign = self._adjoint_of() or self.args[0], "H" if self._adjoint_of() else "⊤"
        return markup.power(printer.paren(inside, ATOM), markup.mo(sign))

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

    def _sympystr(self, printer: Any) -> str:
        return "*".join(self._paren(printer, f, PRECEDENCE["Mul"] + 1) for f in self.args[:-1])

    def _latex(self, printer: Any) -> str:
        return " ".join(self._paren_latex(printer, f, PRECEDENCE["Mul"] + 1) for f in self.args[:-1])

    def _mathml(self, printer: Any) -> str:
        return markup.spaced([printer.paren(f, PRECEDENCE["Mul"] + 1) for f in self.args[:-1]], markup.INVISIBLE)

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

    def _sympystr(self, printer: Any) -> str:
        raised = str(self.args[1]).translate(_RAISED)
        return f"{self._paren(printer, self.args[0], ATOM)}{raised}"

    def _latex(self, printer: Any) -> str:
        return f"{self._paren_latex(printer, self.args[0], ATOM)}^{{{self.args[1]}}}"

    def _mathml(self, printer: Any) -> str:
        power = int(self.args[1])
        number = markup.mn(str(abs(power)))
        return markup.power(
            printer.paren(self.args[0], ATOM), number if power > 0 else markup.row(markup.mo("−"), number)
        )

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
    """Return base and exponent of a factor, and whether it is transposed; 0 for what is no square matrix."""
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

    def _sympystr(self, printer: Any) -> str:
        number, inside = self._number()
        if inside is not self:
            return ("-" if number == -1 else f"{number}*") + str(printer._print(inside))
        top, bottom = sizes.fraction(self.args[0])
        bar = self._bar()
        if top != -1 and not top.is_Add and top.could_extract_minus_sign() and (bar is not None or not top.is_number):
            return f"-{printer._print(Scaled.of(-self.args[0], self.args[1]))}"
        if bar is not None:
            return " ⊘ ".join(self._paren(printer, e, _MUL) for e in bar)
        body = self._paren(printer, self.args[1], self.precedence)
        head = "-" if top == -1 else "" if top == 1 else f"{self._coefficient(printer, top)}*"
        text = head + body
        return text if bottom == 1 else f"{text}/{_below(printer, bottom, self.args[1])}"

    def _coefficient(self, printer: Any, top: Any) -> str:
        return (
            str(printer._print(top)) if top.is_number and not top.is_Add else self._paren(printer, top, self.precedence)
        )

    def _latex(self, printer: Any) -> str:
        number, inside = self._number()
        if inside is not self:
            return ("-" if number == -1 else f"{number} ") + str(printer._print(inside))
        bar = self._bar()
        if bar is not None and self.args[0].could_extract_minus_sign():
            return f"-{printer._print(Scaled.of(-self.args[0], self.args[1]))}"
        if bar is not None:
            return r" \oslash ".join(self._paren_latex(printer, e, _MUL) for e in bar)
        body = self._paren_latex(printer, self.args[1], self.precedence)
        if self.args[0] == -1:
            return f"-{body}"
        coefficient = sizes.latex(printer, self.args[0], self.args[1]) or printer._print(self.args[0])
        if self.args[0].is_Add or isinstance(self.args[0], Inner):
            coefficient = f"\\left({coefficient}\\right)"
        return f"{coefficient} {body}"

    def _mathml(self, printer: Any) -> str:
        number, inside = self._number()
        if inside is not self:
            sign = [markup.mo("−")] if number < 0 else []
            size = [] if abs(number) == 1 else [markup.mn(str(abs(number))), markup.INVISIBLE]
            return markup.row(*sign, *size, str(printer._print(inside)))
        coefficient, a = self.args[:2]
        if self._bar() is not None and coefficient.could_extract_minus_sign():
            return markup.row(markup.mo("−"), str(printer._print(Scaled.of(-coefficient, a))))
        if (bar := self._bar()) is not None:
            return markup.spaced([printer.paren(e, _MUL) for e in bar], markup.mo("⊘"))
        body = printer.paren(a, self.precedence)
        if _opens_with_minus(self):
            return markup.row(markup.mo("−"), *self._front(printer, -coefficient), body)
        return markup.row(*self._front(printer, coefficient), body)

    def _front(self, printer: Any, coefficient: Any) -> list[str]:
        """The coefficient in MathML and the sign that times is; none of them for 1."""
        if coefficient == 1:
            return []
        top, bottom = sizes.fraction(coefficient)
        if bottom == 1:
            return [printer.paren(coefficient, PRECEDENCE["Mul"]), markup.INVISIBLE]
        below = sizes.mathml(printer, bottom, self.args[1]) or str(printer._print(bottom))
        return [markup.fraction(str(printer._print(top)), below), markup.INVISIBLE]

    def _numpycode(self, printer: Any) -> str:
        top, bottom = sizes.fraction(self.args[0])
        head = {1: "", -1: "-"}.get(top, f"{printer.parenthesize(top, PRECEDENCE['Mul'], strict=True)}*")
        below = "" if bottom == 1 else f"/{printer.parenthesize(bottom, PRECEDENCE['Pow'], strict=True)}"
        return f"({head}{printer._print(self.args[1])}{below})"


def _below(printer: Any, e: Any, array: Any) -> str:
    text = sizes.text(printer, e, array) or printer._print(e)
    return text if level(e) >= PRECEDENCE["Pow"] else f"({text})"


class Plus(ArrayExpr):
    """The sum of arrays and elementwise added scalars, in the order in which it was written."""

    precedence = PRECEDENCE["Add"]

    @classmethod
    def of(cls, terms: Any, shape: Any) -> Any:
        flat: list[Any] = []
        for t in terms:
            flat.extend(t.args[:-1] if isinstance(t, Plus) else [t])
        return flat[0] if len(flat) == 1 else cls(*flat, sp.Tuple(*shape))

    def _join(self, texts: list[str]) -> str:
        out = texts[0]
        for t in texts[1:]:
            out += f" - {t[1:]}" if t.startswith("-") else f" + {t}"
        return out

    def _sympystr(self, printer: Any) -> str:
        return self._join([self._paren(printer, t, self._level_of(t)) for t in self._terms()])

    def _level_of(self, t: Any) -> int:
        """A number in every entry needs no bracket for its sign."""
        return int(self.precedence) + (0 if isinstance(t, Filled) and not t.args[0].is_Add else 1)

    def _latex(self, printer: Any) -> str:
        return self._join([self._paren_latex(printer, t, self._level_of(t)) for t in self._terms()])

    def _mathml(self, printer: Any) -> str:
        parts = [(_opens_with_minus(t), t) for t in self._terms()]
        return markup.signed([(m, printer.paren(_opposite(t) if m else t, self._level_of(t))) for m, t in parts])

    def _terms(self) -> tuple[Any, ...]:
        """The first positive term leads, as one writes y - x rather than -x + y."""
        terms = list(self.args[:-1])
        lead = next((k for k, t in enumerate(terms) if not _negative(t)), 0)
        return (terms[lead], *terms[:lead], *terms[lead + 1 :])

    def _numpycode(self, printer: Any) -> str:
        terms = self._terms()
        texts = [t[1:-1] if isinstance(a, Scaled) else t for a, t in zip(terms, entries(printer, terms), strict=True)]
        return f"({self._join(texts)})"


def _opens_with_minus(t: Any) -> bool:
    """Whether a term of a sum is written with a minus sign in front."""
    if not isinstance(t, ArrayExpr):
        return bool(t.could_extract_minus_sign())
    front = t.args[0] if isinstance(t, (Scaled, Filled)) else sp.S.One
    return not front.is_Add and bool(front.could_extract_minus_sign())


def _opposite(t: Any) -> Any:
    """Return such a term without the sign."""
    return t.of(-t.args[0], t.args[1] if isinstance(t, Scaled) else t.shape) if isinstance(t, ArrayExpr) else -t


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

    def _sympystr(self, printer: Any) -> str:
        top, bottom = sizes.fraction(self.args[0])
        below = sizes.text(printer, bottom, self) if top.is_Integer else None
        return f"{top}/({below})" if below else str(printer._print(self.args[0]))

    def _latex(self, printer: Any) -> str:
        return sizes.latex(printer, self.args[0], self) or str(printer._print(self.args[0]))

    def _mathml(self, printer: Any) -> str:
        top, bottom = sizes.fraction(self.args[0])
        below = sizes.mathml(printer, bottom, self)
        return markup.fraction(str(printer._print(top)), below) if below else str(printer._print(self.args[0]))

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

    def text(self, printer: Any, arguments: Sequence[str], rank: int) -> str:
        """Write it of its arguments, of which the first has so many axes."""
        return called(self.op.text, self.op, arguments, rank)

    def latex(self, printer: Any, arguments: Sequence[str], rank: int) -> str:
        """Write it in LaTeX."""
        return called(self.op.latex, self.op, arguments, rank)

    def mathml(self, printer: Any, arguments: Sequence[str], atoms: Sequence[bool], rank: int) -> str:
        """Write it in MathML; ``atoms`` says which arguments need no brackets."""
        return called_in_mathml(self.op, arguments, atoms, rank)


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

    def text(self, printer: Any, arguments: Sequence[str], rank: int) -> str:
        """Write it of its limits."""
        low, high = arguments[:2]
        return f"∫({printer._print(self.inside)}, {printer._print(self.x)}, {low}, {high})"

    def latex(self, printer: Any, arguments: Sequence[str], rank: int) -> str:
        """Write it with its sign."""
        low, high = arguments[:2]
        return f"\\int_{{{low}}}^{{{high}}} {printer._print(self.inside)}\\,d{printer._print(self.x)}"

    def mathml(self, printer: Any, arguments: Sequence[str], atoms: Sequence[bool], rank: int) -> str:
        """Write it as the text."""
        shown = [printer._print(self.inside), printer._print(self.x), *arguments[:2]]
        return markup.operation(lambda *texts: f"∫({', '.join(texts)})", shown, (True,) * 4)


def called(write: Callable[..., str], op: Any, arguments: Sequence[str], rank: int) -> str:
    """Write an operation of its arguments, with its axes where they are not all of the first argument's."""
    text, axes = write(*arguments), getattr(op, "axes", None)
    if axes is None or set(axes) == set(range(rank)) or (op.by_rows and axes == (rank - 1,)):
        return text
    word = r"\mathrm{axis}" if r"\right" in text else "axis"
    axis = f"{word}={axes[0] if len(axes) == 1 else axes}"
    if text.endswith(")"):
        end = r"\right)" if text.endswith(r"\right)") else ")"
        return f"{text.removesuffix(end)}, {axis}{end}"
    return text if op.linear else f"({text})_{{{axis}}}"  # what selects entries names its axes


def called_in_mathml(op: Any, arguments: Sequence[str], atoms: Sequence[bool], rank: int) -> str:
    """Write such a call in MathML, from the text that the operation writes; what is no atom may need brackets."""
    return markup.operation(lambda *texts: called(op.text, op, texts, rank), arguments, atoms)


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

    def _sympystr(self, printer: Any) -> str:
        return str(self.args[0].text(printer, list(map(printer._print, self.args[1:-1])), self._rank))

    def _latex(self, printer: Any) -> str:
        return str(self.args[0].latex(printer, list(map(printer._print, self.args[1:-1])), self._rank))

    def _mathml(self, printer: Any) -> str:
        arguments = self.args[1:-1]
        atoms = [level(a) >= ATOM for a in arguments]
        return str(self.args[0].mathml(printer, list(map(printer._print, arguments)), atoms, self._rank))

    def _numpycode(self, printer: Any) -> str:
        return numpycode.operation(printer, self.op, list(map(printer._print, self.args[1:-1])))


class Kronecker(Call):
    """X ⊗ Y, in brackets beside other products."""

    precedence = PRECEDENCE["Mul"] - 2

    def _sympystr(self, printer: Any) -> str:
        return str(self.op.text(*[self._paren(printer, a, PRECEDENCE["Mul"] + 1) for a in self.args[1:-1]]))

    def _latex(self, printer: Any) -> str:
        return str(self.op.latex(*[self._paren_latex(printer, a, PRECEDENCE["Mul"] + 1) for a in self.args[1:-1]]))

    def _mathml(self, printer: Any) -> str:
        return markup.spaced([printer.paren(a, PRECEDENCE["Mul"] + 1) for a in self.args[1:-1]], markup.mo("⊗"))


class Cross(ArrayExpr):
    """a × b, in brackets beside other products."""

    precedence = PRECEDENCE["Mul"] - 2

    @classmethod
    def of(cls, a: Any, b: Any) -> Any:
        """Return the cross product, numbers in front."""
        (c, a), (d, b) = in_front(a), in_front(b)
        return Scaled.of(c * d, cls(a, b, sp.Tuple(*b.shape)))

    def _sympystr(self, printer: Any) -> str:
        return " × ".join(self._paren(printer, a, PRECEDENCE["Mul"] + 1) for a in self.args[:-1])

    def _latex(self, printer: Any) -> str:
        return r" \times ".join(self._paren_latex(printer, a, PRECEDENCE["Mul"] + 1) for a in self.args[:-1])

    def _mathml(self, printer: Any) -> str:
        return markup.spaced([printer.paren(a, PRECEDENCE["Mul"] + 1) for a in self.args[:-1]], markup.mo("×"))

    def _numpycode(self, printer: Any) -> str:
        return numpycode.call(printer, "numpy.cross", *map(printer._print, self.args[:-1]))


class ScalarCall(Call):
    """A number made of whole arrays, such as det(X)."""

    is_commutative = True

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = super()._latex(printer)
        return text if exp is None else f"{text}^{{{exp}}}"
