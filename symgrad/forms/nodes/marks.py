"""More array expressions: ‖a‖, tr A, mean, diag, [x > 0], case distinctions and elementwise quotients."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import markup
from symgrad.forms.canon.cases import Tie
from symgrad.forms.nodes import numpycode
from symgrad.forms.nodes.complexes import holds_complex
from symgrad.forms.nodes.elementwise import ElementPower, Elementwise, Hadamard, divisors
from symgrad.forms.nodes.matrices import ArrayExpr, Filled, Identity, OnesVector, entries

_ATOM = PRECEDENCE["Atom"]


def frobenius(a: Any) -> str:
    """The mark of a matrix's norm that is not the spectral one."""
    return "_F" if len(getattr(a, "shape", ())) == 2 else ""


def _norm_in_mathml(printer: Any, a: Any) -> tuple[str, str]:
    """An array between double bars, and the mark."""
    bar = '<mo stretchy="false">‖</mo>'
    mark = markup.mi("F") if frobenius(a) else markup.row()
    return markup.row(bar, str(printer._print(a)), bar), mark


def bare(a: Any) -> Any:
    """What is written between the bars of a norm: z of |z|, whose squares are added up."""
    return a.args[1] if isinstance(a, Elementwise) and str(a.args[0]) == "abs" and holds_complex(a.args[1]) else a


class Norm2(ArrayExpr):
    """The sum of the squared entries, ‖a‖²: a scalar."""

    precedence = PRECEDENCE["Pow"]
    is_commutative = True

    @classmethod
    def of(cls, a: Any) -> Any:
        return Total.of(ElementPower.of(a, sp.Integer(2))) if holds_complex(a) else cls(a, sp.Tuple())

    def _sympystr(self, printer: Any) -> str:
        return f"‖{printer._print(bare(self.args[0]))}‖{frobenius(self.args[0])}²"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        inside, power = (
            printer._print(bare(self.args[0])),
            2 * sp.Integer(exp) if exp and exp.lstrip("-").isdigit() else 2,
        )
        text = f"\\left\\lVert {inside} \\right\\rVert{frobenius(self.args[0])}^{{{power}}}"
        return text if not exp or power != 2 else f"\\left({text}\\right)^{{{exp}}}"

    def _mathml(self, printer: Any) -> str:
        norm, mark = _norm_in_mathml(printer, bare(self.args[0]))
        return f"<msubsup>{norm}{mark}{markup.mn('2')}</msubsup>"

    def _numpycode(self, printer: Any) -> str:
        return numpycode.call(printer, "numpy.sum", f"{printer._print(self.args[0])}**2")


class Total(ArrayExpr):
    """The sum of all entries: a scalar."""

    precedence = _ATOM
    is_commutative = True

    @classmethod
    def of(cls, a: Any) -> Any:
        return cls(a, sp.Tuple())

    def _sympystr(self, printer: Any) -> str:
        return f"sum({printer._print(self.args[0])})"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = f"^{{{exp}}}" if exp else ""
        return f"\\operatorname{{sum}}{power}\\left({printer._print(self.args[0])}\\right)"

    def _mathml(self, printer: Any) -> str:
        return self._calls_in_mathml(printer, "sum")

    def _numpycode(self, printer: Any) -> str:
        return self._calls(printer, "numpy.sum")


class Number(ArrayExpr):
    """A number made of one array: printed as a function of it."""

    precedence = _ATOM
    is_commutative = True
    is_real = True
    called = ""
    numpy = ""

    @classmethod
    def of(cls, a: Any) -> Any:
        """Make the node."""
        return cls(a, sp.Tuple())

    def _sympystr(self, printer: Any) -> str:
        return f"{self.called}({printer._print(self.args[0])})"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = f"^{{{exp}}}" if exp else ""
        return f"\\operatorname{{{self.called}}}{power}\\left({printer._print(self.args[0])}\\right)"

    def _mathml(self, printer: Any) -> str:
        return self._calls_in_mathml(printer, self.called)

    def _numpycode(self, printer: Any) -> str:
        return self._calls(printer, self.numpy)


class Trace(Number):
    """The sum of the diagonal."""

    called = "tr"
    numpy = "numpy.trace"


class Mean(Number):
    """The mean of all entries."""

    called = "mean"
    numpy = "numpy.mean"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = f"\\overline{{{printer._print(self.args[0])}}}"
        return f"{text}^{{{exp}}}" if exp else text


class Length(Number):
    """The Euclidean norm of all entries, ‖a‖."""

    is_positive = True
    numpy = "numpy.linalg.norm"

    def _sympystr(self, printer: Any) -> str:
        return f"‖{printer._print(bare(self.args[0]))}‖{frobenius(self.args[0])}"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = f"\\left\\lVert {printer._print(bare(self.args[0]))} \\right\\rVert{frobenius(self.args[0])}"
        return f"{text}^{{{exp}}}" if exp else text

    def _mathml(self, printer: Any) -> str:
        return markup.below(*_norm_in_mathml(printer, bare(self.args[0])))


class Diag(ArrayExpr):
    """The matrix with a vector on its diagonal, or the diagonal of a matrix."""

    precedence = _ATOM
    kept_by_transposing = True

    @classmethod
    def of(cls, a: Any) -> Any:
        """Make the node; of ones, the identity."""
        if isinstance(a, OnesVector):
            return Identity.of(a.shape[0])
        return cls(a, sp.Tuple(*(a.shape * 2 if len(a.shape) == 1 else a.shape[:1])))

    def _sympystr(self, printer: Any) -> str:
        return f"diag({printer._print(self.args[0])})"

    def _latex(self, printer: Any) -> str:
        return f"\\operatorname{{diag}}\\left({printer._print(self.args[0])}\\right)"

    def _mathml(self, printer: Any) -> str:
        return self._calls_in_mathml(printer, "diag")

    def _numpycode(self, printer: Any) -> str:
        return self._calls(printer, "numpy.diag")


class LineMean(ArrayExpr):
    """A matrix with each entry replaced by the mean of its row, or of its column: the axis is that of the mean."""

    precedence = _ATOM

    @classmethod
    def of(cls, a: Any, axis: int) -> Any:
        """Make the node; axis 1 for rows, 0 for columns."""
        return cls(a, sp.Integer(axis), sp.Tuple(*a.shape))

    @property
    def called(self) -> str:
        """The name of the function."""
        return "rowmean" if self.args[1] == 1 else "colmean"

    def _sympystr(self, printer: Any) -> str:
        return f"{self.called}({printer._print(self.args[0])})"

    def _latex(self, printer: Any) -> str:
        return f"\\operatorname{{{self.called}}}\\left({printer._print(self.args[0])}\\right)"

    def _mathml(self, printer: Any) -> str:
        return self._calls_in_mathml(printer, self.called)

    def _numpycode(self, printer: Any) -> str:
        axis = int(self.args[1])
        mean = numpycode.call(printer, "numpy.mean", printer._print(self.args[0]), str(axis))
        ones = numpycode.call(printer, "numpy.ones", printer._print(self.shape[axis]))
        return numpycode.call(printer, "numpy.outer", *((mean, ones) if axis else (ones, mean)))


TIE = "≐"  # an equality that is computed and not printed
_RELATIONS = {">": sp.Gt, "≥": sp.Ge, "<": sp.Lt, "≤": sp.Le, "=": sp.Eq, "≠": sp.Ne, TIE: Tie}
_PYTHON = {"≥": ">=", "≤": "<=", "=": "==", "≠": "!=", TIE: "=="}
_LATEX = {"≥": r"\geq", "≤": r"\leq", "≠": r"\neq"}


class Truth(ArrayExpr):
    """Iverson's bracket: 1 where a relation holds, else 0."""

    precedence = _ATOM

    @classmethod
    def of(cls, relation: Any, left: Any, right: Any, shape: Any) -> Any:
        """Make the node from SymPy's class of the relation."""
        sign = next(s for s, r in _RELATIONS.items() if r is relation)
        made = cls(Str(sign), left, right, sp.Tuple(*shape))
        return made

    def __new__(cls, *args: Any) -> Any:
        """Make the node; of numbers, it is a number."""
        made = super().__new__(cls, *args)
        made.is_commutative = not made.shape
        return made

    @property
    def is_tie(self) -> bool:
        """Whether it holds where the two sides of a kink meet."""
        return str(self.args[0]) == TIE

    @property
    def relation(self) -> Any:
        """SymPy's class of the relation."""
        return _RELATIONS[str(self.args[0])]

    def _sympystr(self, printer: Any) -> str:
        return f"[{self.bare(printer)}]"

    def bare(self, printer: Any) -> str:
        """Return the relation as text, without brackets."""
        sign, left, right = str(self.args[0]), *map(printer._print, self.args[1:3])
        return f"{left} {sign} {right}"

    def bare_latex(self, printer: Any) -> str:
        """Return the relation in LaTeX, without brackets."""
        sign, left, right = str(self.args[0]), *map(printer._print, self.args[1:3])
        return f"{left} {_LATEX.get(sign, sign)} {right}"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = f"\\left[{self.bare_latex(printer)}\\right]"
        return f"{text}^{{{exp}}}" if exp else text

    def bare_mathml(self, printer: Any) -> str:
        """Return the relation in MathML, without brackets."""
        sign, left, right = str(self.args[0]), *map(printer._print, self.args[1:3])
        return markup.row(left, markup.mo(sign), right)

    def _mathml(self, printer: Any) -> str:
        return markup.fenced(self.bare_mathml(printer), "[", "]")

    def _numpycode(self, printer: Any) -> str:
        return f"(1.0*{self.condition(printer)})"

    def condition(self, printer: Any) -> str:
        """Return NumPy source of the booleans."""
        return f"({f' {_PYTHON.get(str(self.args[0]), str(self.args[0]))} '.join(entries(printer, self.args[1:3]))})"


_AND = r" \wedge "


def _relations(condition: Any) -> list[Any]:
    """Return the relations that a condition is the product of."""
    return list(condition.args[:-1] if isinstance(condition, Hadamard) else sp.Mul.make_args(condition))


_UP, _DOWN = {">": "<", "≥": "≤"}, {"<", "≤"}


def _between(relations: list[Any]) -> tuple[Any, Any] | None:
    """Return x > a as a < x, and x < b, where this is all: it is written a < x < b."""
    if len(relations) != 2 or not all(isinstance(r, Truth) for r in relations):
        return None
    low, high = sorted(relations, key=lambda r: str(r.args[0]) not in _UP)
    if str(low.args[0]) not in _UP or str(high.args[0]) not in _DOWN or low.args[1] != high.args[1]:
        return None
    return Truth(Str(_UP[str(low.args[0])]), low.args[2], low.args[1], low.args[3]), high


def _holding(relations: list[Any], bare: Any, printer: Any, sign: str = " & ") -> str:
    """Write that relations hold."""
    between = _between(relations)
    if between is not None:
        first, last = between
        name = str(printer._print(last.args[1]))
        return str(bare(first, printer)) + str(bare(last, printer)).removeprefix(name)
    return sign.join(bare(r, printer) if isinstance(r, Truth) else str(printer._print(r)) for r in relations)


def _number(e: Any) -> Any:
    """Return the number that an array has everywhere, or the array."""
    return e.args[0] if isinstance(e, Filled) else e


class Cases(ArrayExpr):
    """One array where a condition holds, another elsewhere: where(c, a, b)."""

    precedence = _ATOM

    @classmethod
    def of(cls, parts: Any, shape: Any) -> Any:
        """Make the node from value, condition, value, condition, …, value."""
        return cls(*parts, sp.Tuple(*shape))

    def __new__(cls, *args: Any) -> Any:
        """Make the node; of numbers, it is a number."""
        made = super().__new__(cls, *args)
        made.is_commutative = not made.shape
        return made

    def branches(self) -> tuple[list[tuple[Any, list[Any]]], Any]:
        """Return what is printed: values with the relations that hold for them, and the value otherwise."""
        *parts, last = self.args[:-1]
        pairs = [(v, _relations(c)) for v, c in zip(parts[::2], parts[1::2], strict=True)]
        return [(v, rs) for v, rs in pairs if not any(isinstance(r, Truth) and r.is_tie for r in rs)], last

    def _bracket(self) -> list[Any] | None:
        """Return the relations where what is printed is Iverson's bracket: 1 where they hold, else 0."""
        cases, last = self.branches()
        one = len(cases) == 1 and _number(cases[0][0]) == 1 and _number(last) == 0
        return cases[0][1] if one else None

    def _sympystr(self, printer: Any) -> str:
        bracket = self._bracket()
        if bracket is not None:
            return f"[{_holding(bracket, Truth.bare, printer)}]"
        cases, last = self.branches()
        texts = [f"{printer._print(v)} if {_holding(rs, Truth.bare, printer)}" for v, rs in cases]
        return f"{{{'; '.join([*texts, f'{printer._print(last)} otherwise'])}}}"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        bracket = self._bracket()
        if bracket is not None:
            text = f"\\left[{_holding(bracket, Truth.bare_latex, printer, _AND)}\\right]"
            return f"{text}^{{{exp}}}" if exp else text
        cases, last = self.branches()
        rows = [
            f"{printer._print(v)} & \\text{{if }} {_holding(rs, Truth.bare_latex, printer, _AND)}" for v, rs in cases
        ]
        rows.append(f"{printer._print(last)} & \\text{{otherwise}}")
        text = "\\begin{cases} " + r" \\ ".join(rows) + " \\end{cases}"
        return f"\\left({text}\\right)^{{{exp}}}" if exp else text

    def _mathml(self, printer: Any) -> str:
        bracket = self._bracket()
        if bracket is not None:
            return markup.fenced(_holding(bracket, Truth.bare_mathml, printer, markup.mo("∧")), "[", "]")
        cases, last = self.branches()
        rows = [(str(printer._print(v)), _holding(rs, Truth.bare_mathml, printer, markup.mo("∧"))) for v, rs in cases]
        return markup.cases([*rows, (str(printer._print(last)), None)])

    def _numpycode(self, printer: Any) -> str:
        parts = self.args[:-1]
        texts = entries(printer, parts)
        result = texts[-1]
        for k in range(len(parts) - 3, -1, -2):
            condition = parts[k + 1].condition(printer) if isinstance(parts[k + 1], Truth) else texts[k + 1]
            result = numpycode.call(printer, "numpy.where", condition, texts[k], result)
        return result


class Quotient(ArrayExpr):
    """The elementwise quotient a ⊘ b."""

    precedence = Hadamard.precedence

    @classmethod
    def of(cls, a: Any, b: Any, shape: Any) -> Any:
        """Make the node; either side may be a number."""
        return cls(a, b, sp.Tuple(*shape))

    @property
    def bar(self) -> tuple[Any, Any]:
        """The two sides."""
        return self.args[0], self.args[1]

    def _sympystr(self, printer: Any) -> str:
        a, b = (self._paren(printer, x, self.precedence + k) for k, x in enumerate(self.args[:2]))
        return f"{a} ⊘ {b}"

    def _latex(self, printer: Any) -> str:
        a, b = (self._paren_latex(printer, x, self.precedence + k) for k, x in enumerate(self.args[:2]))
        return f"{a} \\oslash {b}"

    def _mathml(self, printer: Any) -> str:
        return markup.spaced(
            [printer.paren(x, self.precedence + k) for k, x in enumerate(self.args[:2])], markup.mo("⊘")
        )

    def _numpycode(self, printer: Any) -> str:
        return f"({'/'.join(entries(printer, [self.args[0], *divisors(self.args[1])]))})"
