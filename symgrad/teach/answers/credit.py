"""Partial credit: which terms of a wrong answer, or which of its factors, are those of the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad.expression.formula import Binary, Formula, Unary
from symgrad.teach.answers.problem import Case, Whole
from symgrad.teach.answers.rules import Derivative
from symgrad.teach.answers.trees import negative, number, over, value_of


def right_parts(case: Case, answer: Formula, agree: Callable[[Any, Any], bool]) -> tuple[list[Formula], float]:
    """Return the parts of an answer that are right, and their share of the derivative, from 0 to less than 1.

    The derivative is a sum as the rules of calculus leave it; where that is one product, its factors are compared.
    """
    derivative = Derivative(case.problem.path[0], None).right(case.problem.tree)
    if derivative is None or len(case.problem.path) > 1 or case.problem.has_arrays:
        return [], 0.0
    for split in (_terms, _factors):
        truth, mine = split(derivative), split(answer)
        if len(truth) + len(mine) > 2:
            parts = _matched(case, truth, mine, agree)
            most = max(len(truth), len(mine))
            if parts:
                return parts, min(len(parts) / most, 1 - 1 / (most + 1))
    return [], 0.0


def _matched(case: Case, truth: list[Formula], mine: list[Formula], agree: Callable[[Any, Any], bool]) -> list[Formula]:
    values = case.of_trees([Whole(t) for t in (*truth, *mine)])
    left, matched = list(values[: len(truth)]), []
    for part, value in zip(mine, values[len(truth) :]):
        for k, other in enumerate(left):
            if value is not None and other is not None and value.shape == other.shape and agree(value, other):
                matched.append(part)
                del left[k]
                break
    return matched


def _terms(t: Formula) -> list[Formula]:
    if isinstance(t, Unary) and t.op == "-":
        return [negative(part) for part in _terms(t.operand)]
    if not isinstance(t, Binary) or t.op not in ("+", "-"):
        return [t]
    right = _terms(t.right)
    return [*_terms(t.left), *(right if t.op == "+" else map(negative, right))]


def _factors(t: Formula) -> list[Formula]:
    """Return the factors of a product and a quotient that are not numbers."""
    if isinstance(t, Unary) and t.op == "-":
        return _factors(t.operand)
    if isinstance(t, Binary) and t.op == "*":
        return [*_factors(t.left), *_factors(t.right)]
    if isinstance(t, Binary) and t.op == "/":
        return [*_factors(t.left), *(over(number(1), f) for f in _factors(t.right))]
    return [] if value_of(t) is not None else [t]
