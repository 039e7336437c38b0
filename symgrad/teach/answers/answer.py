"""What a pupil handed in: text, a SymPy expression or a closed form, each as a function of the problem's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from symgrad.errors import ArgumentTypeError, ParseError, SymgradError
from symgrad.expression.formula import Call, Formula, Name, Tuple, walk
from symgrad.expression.reader import Expression
from symgrad.forms import from_sympy
from symgrad.forms.closed import ClosedForm
from symgrad.teach.answers.implied_sizes import without_size
from symgrad.teach.answers.problem import Problem
from symgrad.teach.answers.products import (
    with_powers_of_matrices,
    with_products_of_matrices,
    with_products_of_numbers,
)
from symgrad.teach.answers.trees import with_bars
from symgrad.teach.answers.values import function_named
from symgrad.tensors.tensor import Tensor

_PRINTED = set("ᵀ⊙⊘")  # signs by which printed formulas are known, whose * is the product of matrices
_SIGNS_OF_PRODUCTS = set("*·⋅×∗")


@dataclass(frozen=True)
class Answer:
    """An answer that was read.

    Attributes:
        text: the text that places and errors are of; of a form, its text.
        tree: of the text; None where the answer is not text.
        function: of the leaves, where there is no tree.
        floats: whether there are no more digits than those of floats.
        constant: whether the text ended with ``+ C``.
        differential: whether the text ended with ``dx``.
    """

    text: str
    tree: Formula | None = None
    function: Callable[[Mapping[str, Any]], Any] | None = None
    floats: bool = False
    constant: bool = False
    differential: bool = False


def read_answer(answer: Any, problem: Problem, bars: str = "abs") -> Answer:
    """Return the answer to a problem, whose bars |x| are the absolute value, or another function.

    Raises:
        ParseError: if the text is not a formula.
        ArgumentTypeError: if the answer has an unsupported type.
    """
    parsed = _read(answer, problem)
    if parsed.tree is None:
        return parsed
    tree = with_bars(parsed.tree, bars)
    return replace(parsed, tree=with_powers_of_matrices(tree, problem.ranks) if problem.has_powers else tree)


def _text_of(answer: Any) -> str:
    """Return an answer as text."""
    if isinstance(answer, Expression):
        return answer.text
    if isinstance(answer, (int, float, Fraction)) and not isinstance(answer, bool):
        return str(answer)
    if isinstance(answer, (list, tuple)):
        return "[" + ", ".join(map(str, answer)) + "]"
    if not isinstance(answer, str):
        raise ArgumentTypeError(
            f"grade: the answer is a {type(answer).__name__}. Expected text such as '2*x*cos(x)', an expression "
            "of SymPy's, or a closed form."
        )
    return answer


def _read(answer: Any, problem: Problem) -> Answer:
    """Return the answer, its powers taken entry by entry.

    Raises:
        ParseError: if the text is not a formula.
        ArgumentTypeError: if the answer has an unsupported type.
    """
    if isinstance(answer, ClosedForm):
        return _of_form(answer, problem)
    if isinstance(answer, (sp.Basic, sp.MatrixBase)):
        return _of_sympy(answer, problem)
    answer = _text_of(answer)
    dashes = problem.way == "python" and "'" in answer
    on_paper = dashes or set(answer) & _PRINTED or not set(answer) & _SIGNS_OF_PRODUCTS
    if problem.has_arrays and "@" not in answer and on_paper:
        spelling = problem.read(answer)
        ranks = {**problem.ranks, **without_size(spelling.tree, problem.known)}
        return Answer(spelling.text, with_products_of_matrices(spelling.tree, ranks), constant=spelling.constant)
    spelling = problem.read(answer)
    tree = spelling.tree
    if problem.has_arrays:
        tree = with_products_of_numbers(tree, {**problem.ranks, **without_size(tree, problem.known)})
    if type(tree) is Tuple and not problem.has_arrays:
        raise ParseError("grade: the answer has a comma. Write decimals with a point, as in 2.5.")
    return Answer(spelling.text, tree, constant=spelling.constant, differential=spelling.differential)


def _of_sympy(answer: Any, problem: Problem) -> Answer:
    if isinstance(answer, sp.Expr) and not getattr(answer, "is_Matrix", False):
        try:
            spelling = problem.read(str(answer))
        except ParseError:  # SymPy has words that formulas have not, such as Piecewise
            pass
        else:
            if not _unknown_functions(spelling.tree):
                return Answer(spelling.text, with_bars(spelling.tree, "abs"))
    letters = sorted(answer.free_symbols, key=str)
    names = [str(s) for s in letters]
    unknown = sorted(set(names) - set(problem.names))
    if unknown:
        return Answer(str(answer), tree=Name(unknown[0]))
    f = from_sympy(answer, letters)
    return Answer(str(answer), function=lambda leaves: f(*[leaves[name] for name in names]))


def _unknown_functions(tree: Formula) -> bool:
    calls = [n.func for n in walk(tree) if isinstance(n, Call)]
    return any(isinstance(f, Name) and function_named(f.id) is None for f in calls)


def _of_form(answer: ClosedForm, problem: Problem) -> Answer:
    """A form of numbers as SymPy's expression, with all digits; of arrays as a function of floats."""
    if not problem.has_arrays:
        try:
            return _of_sympy(answer.expr, problem)
        except SymgradError:  # a function that text has no word for
            return _of_sympy(answer.scalar(), problem)
    missing = sorted(set(answer.args) - {*problem.names, *problem.letters})
    if missing:
        return Answer(str(answer), tree=Name(missing[0]))
    f, names = answer.lambdify(), [a for a in answer.args if a in problem.names]

    def at(leaves: Mapping[str, Any]) -> Any:
        return f(**{name: np.asarray(_plain(leaves[name])) for name in names})

    return Answer(str(answer), function=at, floats=True)


def _plain(x: Any) -> Any:
    return x.detach().numpy() if isinstance(x, Tensor) else x
