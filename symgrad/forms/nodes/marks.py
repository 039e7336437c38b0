"""More array expressions: ‖a‖, tr A, mean, diag, [x > 0], case distinctions and elementwise quotients."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import formula as write
from symgrad.forms.canon.cases import Tie
from symgrad.forms.nodes import numpycode
from symgrad.forms.nodes.complexes import holds_complex
from symgrad.forms.nodes.elementwise import ElementPower, Elementwise, Hadamard, divisors
from symgrad.forms.nodes.formulas import call, cases, formula
from symgrad.forms.nodes.matrices import ArrayExpr, Filled, Identity, OnesVector, entries

_ATOM = PRECEDENCE["Atom"]


def _norm(a: Any) -> write.Formula:
    """Return ‖a‖, with the mark of a matrix's norm that is not the spectral one."""
    return write.Fenced(formula(bare(a)), "‖", "‖", "F" if len(getattr(a, "shape", ())) == 2 else "")


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

    def formula(self) -> write.Formula:
        return write.Raised(_norm(self.args[0]), "²")

    def _numpycode(self, printer: Any) -> str:
        return numpycode.call(printer, "numpy.sum", f"{printer._print(self.args[0])}**2")


class Total(ArrayExpr):
    """The sum of all entries: a scalar."""

    precedence = _ATOM
    is_commutative = True

    @classmethod
    def of(cls, a: Any) -> Any:
        return cls(a, sp.Tuple())

    def formula(self) -> write.Formula:
        return call("sum", self.args[0])

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

    def formula(self) -> write.Formula:
        return call(self.called, self.args[0])

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


class Length(Number):
    """The Euclidean norm of all entries, ‖a‖."""

    is_positive = True
    numpy = "numpy.linalg.norm"

    def formula(self) -> write.Formula:
        return _norm(self.args[0])


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

    def formula(self) -> write.Formula:
        return call("diag", self.args[0])

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

    def formula(self) -> write.Formula:
        return call(self.called, self.args[0])

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
        return str(self.args[0].name) == TIE

    @property
    def relation(self) -> Any:
        """SymPy's class of the relation."""
        return _RELATIONS[str(self.args[0].name)]

    def formula(self) -> write.Formula:
        return write.Fenced(self.compared(), "[", "]")

    def compared(self) -> write.Compare:
        """Return the relation, without brackets."""
        return write.Compare(
            formula(self.args[1]), "=" if self.is_tie else str(self.args[0].name), formula(self.args[2])
        )

    def _numpycode(self, printer: Any) -> str:
        return f"(1.0*{self.condition(printer)})"

    def condition(self, printer: Any) -> str:
        """Return NumPy source of the booleans."""
        return (
            f"({f' {_PYTHON.get(str(self.args[0].name), str(self.args[0]))} '.join(entries(printer, self.args[1:3]))})"
        )


_AND = r" \wedge "


def _relations(condition: Any) -> list[Any]:
    """Return the relations that a condition is the product of."""
    return list(condition.args[:-1] if isinstance(condition, Hadamard) else sp.Mul.make_args(condition))


def _holding(relations: list[Any]) -> write.Formula:
    """Write that relations hold."""
    parts = [r.compared() if isinstance(r, Truth) else formula(r) for r in relations]
    return parts[0] if len(parts) == 1 else write.Both(*parts)


def _number(e: Any) -> Any:
    """Return the number that an array has everywhere, or the array."""
    return e.args[0] if isinstance(e, Filled) else e


def _is_bracket(cases: list[tuple[Any, list[Any]]], last: Any) -> bool:
    """Whether cases are 1 where one condition holds, else 0."""
    return len(cases) == 1 and bool(_number(cases[0][0]) == 1 and _number(last) == 0)


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
        """Return what is printed: values with the relations that hold for them, and the value otherwise.

        Of arrays and of a bracket this is not what stands where two sides of a kink meet.
        """
        *parts, last = self.args[:-1]
        pairs = [(v, _relations(c)) for v, c in zip(parts[::2], parts[1::2], strict=True)]
        apart = [(v, rs) for v, rs in pairs if not any(isinstance(r, Truth) and r.is_tie for r in rs)]
        return (apart if self.shape or _is_bracket(apart, last) else pairs), last

    def _bracket(self) -> list[Any] | None:
        """Return the relations where what is printed is Iverson's bracket: 1 where they hold, else 0."""
        cases, last = self.branches()
        return cases[0][1] if _is_bracket(cases, last) else None

    def formula(self) -> write.Formula:
        bracket = self._bracket()
        rows, last = self.branches()
        pairs = [(formula(v), _holding(rs)) for v, rs in rows]
        return cases([*pairs, (formula(last), write.Otherwise())], None if bracket is None else _holding(bracket))

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

    def formula(self) -> write.Formula:
        return write.Infix(*map(formula, self.args[:2]), sign="⊘")

    def _numpycode(self, printer: Any) -> str:
        return f"({'/'.join(entries(printer, [self.args[0], *divisors(self.args[1])]))})"
