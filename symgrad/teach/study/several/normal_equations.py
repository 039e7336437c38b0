"""Least squares by hand: the sum of squares, its derivatives, the normal equations and their solution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.expression.equations import equation_in
from symgrad.expression.formula import Label, Name, Spelled
from symgrad.expression.printer import handwritten
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.places.points import derived
from symgrad.teach.steps.lesson import Given, LessonStep, Note, PartialRule, SolveSystem
from symgrad.teach.study.approximations import exact_number
from symgrad.teach.study.several.field import scalar_field
from symgrad.teach.study.solution import Solution, equation, listed, write


class NormalEquations(Solution):
    """A model that was fitted by least squares.

    Attributes:
        coefficients: the exact parameters by name.
        matrix, right: the normal equations AᵀA·c = Aᵀy, as SymPy matrices.
        residual: the sum of squared residuals.
        expr: the fitted model.
    """

    def __init__(self, model: str, data: dict[str, Sequence[Any]]) -> None:
        super().__init__(model, data)
        who = "normal_equations"
        sides = equation_in(who, model) if "=" in model else None
        if sides is None or sides.left.strip() not in data:
            raise ArgumentError(f"{who}: got {model!r}. Expected the data's name on the left, as in 'y = a + b*x'.")
        self.y = sides.left.strip()
        columns = {n: [exact_number(who, v) for v in values] for n, values in data.items()}
        sizes = {len(v) for v in columns.values()}
        if len(sizes) != 1 or sizes == {0}:
            raise ArgumentTypeError(f"{who}: the data have {sorted(sizes)} numbers. Expected as many of each name.")
        inputs = [n for n in columns if n != self.y]
        field = scalar_field(who, sides.formulas[1], inputs or [self.y])
        self._model, (e,), self._written = field.others, field.components, field.written[0]
        self._check(who, e)
        self._symbols = [sp.Symbol(n, real=True) for n in self._model]
        rows = [{sp.Symbol(n, real=True): columns[n][k] for n in inputs} for k in range(*sizes)]
        zero = dict.fromkeys(self._symbols, 0)
        self._design = sp.Matrix([[derived(e, s).subs(row) for s in self._symbols] for row in rows])
        self._response = sp.Matrix([v - e.subs(zero).subs(row) for v, row in zip(columns[self.y], rows, strict=True)])
        self.matrix, self.right = self._design.T * self._design, self._design.T * self._response
        if sp.simplify(self.matrix.det()) == 0:
            raise ArgumentError(
                f"{who}: the data do not decide the parameters: det(AᵀA) = 0. Add data, or take one away."
            )
        solved = [sp.radsimp(sp.simplify(c)) for c in self.matrix.LUsolve(self.right)]
        self.coefficients: dict[str, Any] = dict(zip(self._model, solved, strict=True))
        rest = self._response - self._design * sp.Matrix(solved)
        self.residual = sp.simplify((rest.T * rest)[0, 0])
        self.expr = e.subs(dict(zip(self._symbols, solved, strict=True)))

    def _check(self, who: str, e: Any) -> None:
        symbols = [sp.Symbol(n, real=True) for n in self._model]
        linear = all(not {*symbols} & derived(e, s).free_symbols for s in symbols)
        if not symbols or not linear:
            raise ArgumentError(
                f"{who}: the model has the parameters {self._model}. Expected some, and a model that is linear in "
                "them; sg.optim.curve_fit fits others."
            )

    @property
    def formula(self) -> str:
        """The fitted model as text."""
        return f"{self.y} = {handwritten(write(self.expr))}"

    def _steps(self) -> Iterator[LessonStep]:
        names = ", ".join(self._model)
        yield Given(before=Name(self.y), after=self._written, written=(self._written,))
        why = f"minimise the sum of squares S({names}) = Σ (model − {self.y})² over the data; its derivatives are 0:"
        yield Note(reason=(why,))
        c = sp.Matrix(self._symbols)
        half = self.matrix * c - self.right
        for k, n in enumerate(self._model):
            e = write(sp.expand(2 * half[k]))
            yield PartialRule(before=self._written, after=e, by=(n,), left=Label("S", (n,), ()), written=(e, write(0)))
        system = Equation((Spelled("AᵀA·c = Aᵀy", r"A^{\top}A\,c = A^{\top}y"),))
        yield Note(reason=("divided by 2, these are the normal equations ", system, " with"))
        for text, latex, matrix in (("AᵀA", r"A^{\top}A", self.matrix), ("Aᵀy", r"A^{\top}y", list(self.right))):
            yield Note(kind="does", reason=(Equation((Spelled(text, latex), write(matrix))),))
        yield SolveSystem(
            before=write(self.matrix), after=write(list(self.coefficients.values())),
            reason=("solve: ", *listed([(equation(Name(n), v),) for n, v in self.coefficients.items()])),
        )  # fmt: skip
        yield Note(kind="does", reason=(equation(Name(self.y), self.expr),))
        rest = ("the sum of squares that is left is ", equation(self.residual))
        yield Note(kind="remark", reason=(*rest, ". AᵀA is positive definite, so that this is the minimum."))


@checked
def normal_equations(model: str, **data: Sequence[Any]) -> NormalEquations:
    """Return the least-squares fit of a model that is linear in its parameters, by the normal equations, with steps.

    Args:
        model: the name of the data and the model as text, as in ``"y = a + b*x"``.
        data: the numbers for each name, as in ``x=[0, 1, 2], y=[1, 3, 4]``.

    Raises:
        ArgumentError: if the model is not linear in its parameters, or the data do not determine them.

    >>> sg.normal_equations("y = a + b*x", x=[0, 1, 2], y=[1, 3, 4]).formula
    'y = 3x/2 + 7/6'
    """
    return NormalEquations(model, data)


check_methods(NormalEquations)
