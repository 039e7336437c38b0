"""Matrix notation as presentation MathML."""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.forms.nodes import printers, sizes
from symgrad.forms.nodes.arrays import ArrayExpr, ArraySymbol, level
from symgrad.forms.nodes.elementwise import Elementwise, Hadamard
from symgrad.forms.nodes.markup import (
    DASH,
    INVISIBLE,
    below,
    fenced,
    fraction,
    listed,
    math,
    mi,
    mn,
    mo,
    name,
    power,
    row,
    spaced,
)
from symgrad.forms.nodes.mathml import ATOM, MUL, ScalarMathML, cases
from symgrad.forms.nodes.matrices import Product as ArrayProduct
from symgrad.teach.steps.prime import Prime

_TURNED = mo("⊤")
_PROFILE = '<mo stretchy="false">‖</mo>'


class MathML(ScalarMathML):
    """SymPy's expressions and symgrad's array expressions."""

    # ---------------------------------------------------------------- named arrays
    def _print_ArraySymbol(self, e: Any) -> str:
        return name(e.name)

    def _print_OnesVector(self, e: Any) -> str:
        return '<mn mathvariant="bold">𝟏</mn>'

    def _print_Identity(self, e: Any) -> str:
        return mi("I")

    # ---------------------------------------------------------------- products and sums
    def _print_Transposed(self, e: Any) -> str:
        return power(self.paren(e.args[0], ATOM), _TURNED)

    def _print_Product(self, e: Any) -> str:
        if not isinstance(e, ArrayProduct):
            return super()._print_Product(e)
        return row(*[p for f in e.args[:-1] for p in (INVISIBLE, self.paren(f, MUL + 1))][1:])

    def _print_Scaled(self, e: Any) -> str:
        coefficient, a = e.args[:2]
        body = self.paren(a, e.precedence)
        if coefficient.could_extract_minus_sign() and not coefficient.is_Add:
            coefficient, sign = -coefficient, [mo("−")]
        else:
            sign = []
        if coefficient == 1:
            return row(*sign, body)
        top, bottom = sizes.fraction(coefficient)
        if bottom != 1:
            factors = sizes.in_order(bottom, a)
            under = row(*map(self._print, factors)) if factors else str(self._print(bottom))
            front = fraction(str(self._print(top)), under)
        else:
            front = self.paren(coefficient, MUL)
        return row(*sign, front, INVISIBLE, body)

    def _print_Plus(self, e: Any) -> str:
        parts = []
        for t in e._terms():
            negative = t.could_extract_minus_sign() if not isinstance(t, ArrayExpr) else _is_negative(t)
            parts.append((negative, self.paren(_opposite(t) if negative else t, e._level_of(t))))
        found: list[str] = []
        for negative, text in parts:
            sign = [mo("−")] if negative else [mo("+")] if found else []
            found.extend([*sign, text])
        return row(*found)

    def _print_Filled(self, e: Any) -> str:
        top, bottom = sizes.fraction(e.args[0])
        factors = sizes.in_order(bottom, e)
        if factors:
            return fraction(str(self._print(top)), row(*map(self._print, factors)))
        return str(self._print(e.args[0]))

    # ---------------------------------------------------------------- entry by entry
    def _print_Hadamard(self, e: Any) -> str:
        return spaced([self.paren(f, e.precedence + 1) for f in e.args[:-1]], mo("⊙"))

    def _print_Quotient(self, e: Any) -> str:
        return spaced([self.paren(x, e.precedence + k) for k, x in enumerate(e.args[:2])], mo("⊘"))

    def _print_ElementPower(self, e: Any) -> str:
        a, exponent = e.args[:2]
        if exponent.is_negative:
            return row(mn("1"), mo("⊘"), self.paren(e.under(), Hadamard.precedence + 1))
        if exponent == sp.Rational(1, 2):
            return f"<msqrt>{self._print(a)}</msqrt>"
        return power(self._base(a), row(mo("⊙"), self._print(exponent)))

    def _print_ArrayPower(self, e: Any) -> str:
        return power(self._base(e.args[0]), row(mo("⊙"), self.paren(e.args[1], ATOM)))

    def _base(self, a: Any) -> str:
        """Return what is raised, in brackets unless it is a name."""
        text = str(self._print(a))
        return text if isinstance(a, ArraySymbol) else fenced(text)

    def _print_Elementwise(self, e: Any) -> str:
        order, inside = e._order(), e.args[1:-1]
        if order is not None:
            called = mi("ψ") if order == "0" else power(mi("ψ"), fenced(mn(order)))
            return row(called, fenced(str(self._print(inside[1]))))
        if str(e.args[0]) == "exp" and len(inside) == 1 and not e.shape:
            return self.exponential(str(self._print(inside[0])))
        return row(name(e._declared().text), fenced(listed([self._print(a) for a in inside])))

    # ---------------------------------------------------------------- functions of arrays
    def _print_Call(self, e: Any) -> str:
        arguments = list(e.args[1:-1])
        whole = [level(a) >= ATOM for a in arguments]
        texts = [str(self._print(a)) for a in arguments]
        return self.operation(e.op, texts, whole, len(getattr(e.args[1], "shape", ())))

    def _print_Kronecker(self, e: Any) -> str:
        return spaced([self.paren(a, MUL + 1) for a in e.args[1:-1]], mo("⊗"))

    def _print_Norm2(self, e: Any) -> str:
        return f"<msubsup>{self._norm(e.args[0])}{_frobenius(e.args[0])}{mn('2')}</msubsup>"

    def _print_Length(self, e: Any) -> str:
        return below(self._norm(e.args[0]), _frobenius(e.args[0]))

    def _norm(self, a: Any) -> str:
        return row(_PROFILE, str(self._print(a)), _PROFILE)

    def _print_Total(self, e: Any) -> str:
        return row(mi("sum"), fenced(str(self._print(e.args[0]))))

    def _print_Number(self, e: Any) -> str:  # Trace and Mean, and whatever else is a number made of one array
        return (
            row(mi(e.called), fenced(str(self._print(e.args[0])))) if isinstance(e, ArrayExpr) else self.emptyPrinter(e)
        )

    def _print_Diag(self, e: Any) -> str:
        return row(mi("diag"), fenced(str(self._print(e.args[0]))))

    def _print_Truth(self, e: Any) -> str:
        sign, left, right = str(e.args[0]), *map(self._print, e.args[1:3])
        return fenced(row(left, mo(sign), right), "[", "]")

    def _print_Cases(self, e: Any) -> str:
        texts = [str(self._print(a)) for a in e.args[:-1]]
        return cases([*zip(texts[:-1:2], texts[1::2], strict=True), (texts[-1], None)])

    def _print_ImmutableDenseNDimArray(self, e: Any) -> str:
        return fenced(listed([str(self._print(a)) for a in e]), "[", "]") if e.shape else str(self._print(e[()]))

    # ---------------------------------------------------------------- what explanations add
    def _print_Adjoint(self, e: Any) -> str:
        output, intermediate, sign = e.parts
        d = '<mo rspace="0" lspace="0">∂</mo>' if sign == "∂" else mi("d")
        return fraction(row(d, name(output)), row(d, name(intermediate)))

    def _print_AdjointAt(self, e: Any) -> str:
        adjoint, *indices = e.args
        return below(fenced(str(self._print(adjoint))), self.places(indices))

    def _print_Prime(self, e: Prime) -> str:
        (inside,) = e.args
        if e.names_function and isinstance(inside, Elementwise):
            return row(name(inside._declared().text), DASH, fenced(str(self._print(inside.args[1]))))
        if e.names_function and not hasattr(self, f"_print_{type(inside).__name__}"):
            return row(self._function_name(inside), DASH, fenced(str(self._print(inside.args[0]))))
        text = str(self._print(inside))
        return row(text if inside.is_Symbol else fenced(text), DASH)

    def _print_Chain(self, e: Any) -> str:
        return spaced([self.paren(a, MUL) for a in e.args], mo("·"))


def _is_negative(t: Any) -> bool:
    """Whether an array prints with a minus sign in front."""
    front = t.args[0] if type(t).__name__ in ("Scaled", "Filled") else None
    return front is not None and not front.is_Add and bool(front.could_extract_minus_sign())


def _opposite(t: Any) -> Any:
    if not isinstance(t, ArrayExpr):
        return -t
    return t.of(-t.args[0], t.args[1] if type(t).__name__ == "Scaled" else t.shape)


def _frobenius(a: Any) -> str:
    return mi("F") if len(getattr(a, "shape", ())) == 2 else row()


def inside(e: Any) -> str:
    """Return the MathML of an expression, without the element around it."""
    return str(MathML().doprint(e))


def mathml(e: Any) -> str:
    """Return an expression as a MathML element."""
    return math(inside(e), printers.text(e))


__all__ = ["MathML", "inside", "mathml"]
