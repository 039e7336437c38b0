"""The slips that an exercise is likely to meet: wrong answers as formulas, with what to say about each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from symgrad.core.node import tensor_node
from symgrad.errors import SymgradError
from symgrad.expression.formula import Formula
from symgrad.expression.grammar import read
from symgrad.expression.printer import LATEX
from symgrad.forms import derive
from symgrad.forms.derive import expression
from symgrad.teach.answers.curves import CurveProblem
from symgrad.teach.answers.formulas import on_paper
from symgrad.teach.answers.problem import Case, Problem
from symgrad.teach.answers.rules import Wrong
from symgrad.teach.answers.slips import slips
from symgrad.teach.answers.trees import shown, value_of
from symgrad.teach.answers.values import Values
from symgrad.tensors.creation import symbol

MOST_SLIPS = 5
_TRIED = 40  # of the slips of a problem, the most telling first
_CLOSE = 1e-9


class Slip(NamedTuple):
    """A wrong answer that pupils can be expected to give.

    Attributes:
        name: the slip, one of ``sg.teach.SLIPS``.
        answer, latex: the answer as text and in LaTeX.
        hint: the hint that ``sg.grade`` gives for it.
    """

    name: str
    answer: str
    latex: str
    hint: str


def expected_slips(problem: Problem) -> list[Slip]:
    """Return wrong answers to a problem with different values, of as many slips as there are."""
    case = problem.cases()[0]
    candidates = sorted(slips(case), key=lambda w: w.weight)[:_TRIED]
    written = list(_written(_one_of_each(case, candidates), problem, case))
    return written if len(written) > 1 else [*written, *_of_the_whole(problem, case)]


def _one_of_each(case: Case, candidates: list[Wrong]) -> list[Wrong]:
    """Return slips whose values differ from the derivative's and from each other's, one of each name first."""
    seen, different = [case.truth], []
    for wrong, values in zip(candidates, case.of_trees([w.tree for w in candidates])):
        if values is None or values.shape != case.truth.shape or not np.isfinite(values).all():
            continue
        if not any(np.allclose(values, other, rtol=_CLOSE, atol=_CLOSE) for other in seen):
            seen.append(values)
            different.append(wrong)
    first = {w.slip: w for w in reversed(different)}
    return [w for w in different if w is first[w.slip]] + [w for w in different if w is not first[w.slip]]


def _written(chosen: Iterable[Wrong], problem: Problem, case: Case) -> Iterator[Slip]:
    count = 0
    for wrong in chosen:
        texts = _texts(wrong, problem, case)
        if texts is not None and count < MOST_SLIPS:
            count += 1
            yield Slip(wrong.slip, *texts, wrong.hint)


def _of_the_whole(problem: Problem, case: Case) -> Iterator[Slip]:
    """Yield the whole answer with a wrong sign, with a factor 2, and, of a matrix, transposed."""
    text, form = problem.printed, problem.form
    if text is None or form is None or not case.truth.any():
        return
    body, where, names = text.partition(" where ")
    latex = rf"\left({form.latex()}\right)"
    yield Slip("sign", f"-({body}){where}{names}", f"-{latex}", "Check the sign of the whole answer.")
    yield Slip("factor-2", f"2*({body}){where}{names}", f"2 {latex}", "There is a factor 2 too many.")
    truth: Any = case.truth
    square = truth.ndim == 3 and truth.shape[1] == truth.shape[2]
    if square and not np.allclose(truth, np.swapaxes(truth, 1, 2)):
        yield Slip(
            "transpose",
            f"({body})ᵀ{where}{names}",
            rf"{latex}^{{\top}}",
            "Check what is transposed: (A @ B).T = B.T @ A.T.",
        )


def _texts(wrong: Wrong, problem: Problem, case: Case) -> tuple[str, str] | None:
    """Return the answer of a slip as text and in LaTeX; None where it has no form of its own."""
    if wrong.tree is None or (number := value_of(wrong.tree)) is not None:
        text = "0" if wrong.tree is None else str(number)
        return text, latex_of(read(text).tree)
    directions = {
        d: symbol(d, shape=problem.names[name]) for k, name in enumerate(problem.path) if (d := case.direction(k))
    }
    try:
        value = Values(problem.text, {**problem.leaves, **directions}, {}, exact=True).tensor(wrong.tree)
        if tensor_node(value) is None:
            text = shown(wrong.tree)
            return None if "'" in text else (text, latex_of(wrong.tree))
        form = derive(value, next(iter(directions.values()))) if directions else expression(value)
        text = str(form)
    except SymgradError:
        return None
    return None if "·" in text or " where " in text else (text, form.latex())


def slips_on_curve(curve: CurveProblem) -> list[Slip]:
    """Return wrong answers for dy/dx on a curve."""
    wrong = {str(e): (name, hint) for name, hint, e in reversed([*curve.slips()]) if not curve.agreement(e).any()}
    written = [Slip(name, text, latex_of(read(text).tree), hint) for text, (name, hint) in wrong.items()]
    return written[::-1][:MOST_SLIPS]


def latex_of(tree: Formula) -> str:
    """Return a formula of numbers in LaTeX."""
    return LATEX.write(on_paper(tree, {}))
