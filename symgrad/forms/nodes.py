"""Array expressions: SymPy nodes that know their shape and print as a textbook writes matrices.

1-D arrays are columns in print; they stay 1-D in their shape. ``Node.of`` makes a node from its parts, folding what
is trivial; ``Node(*args)`` rebuilds one, as SymPy does to substitute, copy and pickle. Imports names and scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE, precedence
from sympy.printing.pretty.stringpict import prettyForm

from symgrad.forms.names import latex_name, plain_name

_ATOM = PRECEDENCE["Atom"]


class ArrayExpr(sp.Expr):
    """Base of the array nodes. The last argument is the shape."""

    is_commutative = False
    kept_by_transposing = False
    _diff_wrt = False

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes of the axes."""
        return tuple(self.args[-1])

    def _paren(self, printer: Any, e: Any, level: int) -> str:
        text = printer._print(e)
        return f"({text})" if _level(e) < level else text

    def _paren_latex(self, printer: Any, e: Any, level: int) -> str:
        text = printer._print(e)
        return f"\\left({text}\\right)" if _level(e) < level else text

    def _pretty(self, printer: Any) -> Any:
        return prettyForm(str(self))


def _level(e: Any) -> int:
    return int(getattr(e, "precedence", None) or precedence(e))


class ArraySymbol(ArrayExpr):
    """A named array."""

    precedence = _ATOM

    @classmethod
    def of(cls, name: str, shape: Any, symmetric: bool = False) -> Any:
        return cls(Str(str(name)), *[Str("symmetric")] * symmetric, sp.Tuple(*shape))

    @property
    def name(self) -> str:
        """The name."""
        return str(self.args[0])

    @property
    def free_symbols(self) -> set[Any]:
        """Itself, and the symbolic sizes."""
        return {self}.union(*[d.free_symbols for d in self.args[-1]])

    def _sympystr(self, printer: Any) -> str:
        return plain_name(self.name)

    def _latex(self, printer: Any) -> str:
        return latex_name(self.name)


class OnesVector(ArrayExpr):
    """The column of n ones."""

    precedence = _ATOM

    @classmethod
    def of(cls, n: Any) -> Any:
        return cls(sp.Tuple(n))

    def _sympystr(self, printer: Any) -> str:
        return "1"

    def _latex(self, printer: Any) -> str:
        return r"\mathbf{1}"


class Identity(ArrayExpr):
    """The identity matrix."""

    precedence = _ATOM

    @classmethod
    def of(cls, n: Any) -> Any:
        return cls(sp.Tuple(n, n))

    def _sympystr(self, printer: Any) -> str:
        return "I"

    def _latex(self, printer: Any) -> str:
        return "I"


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
        return bool(a.op.keeps_symmetry) and all(map(is_symmetric, a.args[1:-1]))
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

    precedence = _ATOM

    @classmethod
    def of(cls, a: Any) -> Any:
        if isinstance(a, Transposed):
            return a.args[0]
        if is_symmetric(a):
            return a
        shape = a.shape[::-1] if len(a.shape) == 2 else (1, *a.shape)
        return cls(a, sp.Tuple(*shape))

    def _sympystr(self, printer: Any) -> str:
        text = self._paren(printer, self.args[0], _ATOM)
        return f"{text[:-1]}ᵀ" if text.endswith("⁻¹") else f"{text}ᵀ"

    def _latex(self, printer: Any) -> str:
        text = self._paren_latex(printer, self.args[0], _ATOM)
        return f"{text[:-4]}{{-\\top}}" if text.endswith("^{-1}") else f"{text}^{{\\top}}"


class Product(ArrayExpr):
    """The matrix product of factors, columns and rows as Transposed says; ``shape`` is the result's."""

    precedence = PRECEDENCE["Mul"]

    def __new__(cls, *args: Any) -> Any:
        made = super().__new__(cls, *args)
        made.is_commutative = not made.shape  # xᵀ*y is a number
        return made

    @classmethod
    def of(cls, factors: Any, shape: Any) -> Any:
        flat: list[Any] = []
        for f in factors:
            flat.extend(f.args[:-1] if isinstance(f, Product) else [f])
        flat = [f for f in flat if not isinstance(f, Identity)] or flat[:1]
        if len(flat) == 1:
            return flat[0]
        return cls(*flat, sp.Tuple(*shape))

    def _sympystr(self, printer: Any) -> str:
        return "*".join(self._paren(printer, f, self.precedence + 1) for f in self.args[:-1])

    def _latex(self, printer: Any) -> str:
        return " ".join(self._paren_latex(printer, f, self.precedence + 1) for f in self.args[:-1])


class Scaled(ArrayExpr):
    """A scalar coefficient times an array."""

    precedence = PRECEDENCE["Mul"]

    @classmethod
    def of(cls, coefficient: Any, a: Any) -> Any:
        coefficient = sp.sympify(coefficient)
        if isinstance(a, Scaled):
            coefficient, a = coefficient * a.args[0], a.args[1]
        if coefficient == 1:
            return a
        return cls(coefficient, a, sp.Tuple(*a.shape))

    def _sympystr(self, printer: Any) -> str:
        top, bottom = sp.fraction(self.args[0])
        body = self._paren(printer, self.args[1], self.precedence)
        if top != -1 and not top.is_number and not top.is_Add and top.could_extract_minus_sign():
            return f"-{printer._print(Scaled.of(-self.args[0], self.args[1]))}"
        head = "-" if top == -1 else "" if top == 1 else f"{self._coefficient(printer, top)}*"
        text = head + body
        return text if bottom == 1 else f"{text}/{_tight(printer, bottom)}"

    def _coefficient(self, printer: Any, top: Any) -> str:
        return (
            str(printer._print(top)) if top.is_number and not top.is_Add else self._paren(printer, top, self.precedence)
        )

    def _latex(self, printer: Any) -> str:
        body = self._paren_latex(printer, self.args[1], self.precedence)
        if self.args[0] == -1:
            return f"-{body}"
        coefficient = printer._print(self.args[0])
        if self.args[0].is_Add:
            coefficient = f"\\left({coefficient}\\right)"
        return f"{coefficient} {body}"


def _tight(printer: Any, e: Any) -> str:
    text = printer._print(e)
    return text if _level(e) >= PRECEDENCE["Pow"] else f"({text})"


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

    def _terms(self) -> tuple[Any, ...]:
        """The first positive term leads, as one writes y - x rather than -x + y."""
        terms = list(self.args[:-1])
        lead = next((k for k, t in enumerate(terms) if not _negative(t)), 0)
        return (terms[lead], *terms[:lead], *terms[lead + 1 :])


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
        return _level(self.args[0])

    def _sympystr(self, printer: Any) -> str:
        return str(printer._print(self.args[0]))

    def _latex(self, printer: Any) -> str:
        return str(printer._print(self.args[0]))


class Operation(sp.Atom):
    """An operation of the graph, as an argument of a node."""

    is_commutative = True
    op: Any

    def __new__(cls, op: Any) -> Any:
        made = super().__new__(cls)
        made.op = op
        return made

    def _hashable_content(self) -> tuple[Any, ...]:
        return (repr(self.op),)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.op,)

    def _sympystr(self, printer: Any) -> str:
        return repr(self.op)

    def _sympyrepr(self, printer: Any) -> str:
        return f"Operation({self.op!r})"


def called(write: Callable[..., str], op: Any, arguments: Sequence[str], rank: int) -> str:
    """Write an operation of its arguments, with its axes where they are not all of the first argument's."""
    text, axes = write(*arguments), getattr(op, "axes", None)
    if axes is None or set(axes) == set(range(rank)) or (op.by_rows and axes == (rank - 1,)):
        return text
    end = r"\right)" if text.endswith(r"\right)") else ")"
    return f"{text.removesuffix(end)}, axis={axes[0] if len(axes) == 1 else axes}{end}"


class Call(ArrayExpr):
    """A named function of whole arrays, such as X⁻¹ or diag(X), printed as its operation says."""

    precedence = _ATOM

    @classmethod
    def of(cls, op: Any, arguments: Any, shape: Any = ()) -> Any:
        """Make the call of an operation; it has a shape."""
        return cls(Operation(op), *arguments, sp.Tuple(*shape))

    @property
    def op(self) -> Any:
        """The operation."""
        return self.args[0].op

    @property
    def _rank(self) -> int:
        return len(getattr(self.args[1], "shape", ()))

    def _sympystr(self, printer: Any) -> str:
        return called(self.op.text, self.op, list(map(printer._print, self.args[1:-1])), self._rank)

    def _latex(self, printer: Any) -> str:
        return called(self.op.latex, self.op, list(map(printer._print, self.args[1:-1])), self._rank)


class ScalarCall(Call):
    """A number made of whole arrays, such as det(X)."""

    is_commutative = True

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = super()._latex(printer)
        return text if exp is None else f"{text}^{{{exp}}}"
