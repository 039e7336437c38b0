"""Every derivative that one slip makes of a problem: at one place, or at all places where a pupil would repeat it.

A second derivative is two steps, and a slip can be made in either. The first derivative is differentiated both as the
rules leave it and as it is printed, since pupils simplify before they go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from symgrad.expression.formula import Formula
from symgrad.forms import derive
from symgrad.teach.answers.problem import Case, Problem
from symgrad.teach.answers.rules import Derivative, Tree, Wrong
from symgrad.teach.answers.values import Values

SLIPS = (
    "chain", "product", "quotient", "quotient-sign", "quotient-square", "power", "constant", "sign", "trig-sign",
    "factor-2", "transpose", "symmetric", "other",
)  # fmt: skip
MOST_PAIRS = 1200  # of slips that are tried together
_REPEATED = 5  # what a slip at several places weighs more


def slips(case: Case) -> Iterator[Wrong]:
    """Yield the wrong derivatives, as moves in the case's directions."""
    problem = case.problem
    numbers = frozenset(name for name, s in problem.names.items() if not s)
    steps = [Derivative(name, case.direction(k), numbers) for k, name in enumerate(problem.path)]
    right = problem.tree
    starts = [problem.tree]
    once: list[Wrong] = []
    for k, step in enumerate(steps):
        for tree in starts:
            mistakes = list(step.wrong(tree))
            once += mistakes
            for wrong in (*mistakes, *_repeated([step], tree, mistakes)):
                yield replace(wrong, tree=_finished(wrong.tree, steps[k + 1 :]))
        derived = step.right(right)
        if derived is None:
            break
        right = derived
        printed = _printed(problem, k + 1)  # where places are shown better
        starts = [*printed, right] if k == 0 else printed or [right]
    if len(steps) > 1:
        yield from _repeated(steps, problem.tree, once)


def pairs(case: Case) -> Iterator[Wrong]:
    """Yield first derivatives with two slips; the one that says most is told first."""
    problem = case.problem
    if len(problem.path) > 1:
        return
    numbers = frozenset(name for name, s in problem.names.items() if not s)
    step = Derivative(problem.path[0], case.direction(0), numbers)
    for a, b, tree in islice(step.twice(problem.tree), MOST_PAIRS):
        if a.hint != b.hint:
            yield both(a, b, tree)


def both(a: Wrong, b: Wrong, tree: Tree) -> Wrong:
    """Two slips as one, which is called by the one that says most."""
    first, second = sorted((a, b), key=lambda w: w.weight)
    return Wrong(
        tree, first.slip, a.weight + b.weight, f"There are two mistakes here. {first.hint} Also: {second.hint}"
    )


def _finished(tree: Tree, steps: Sequence[Derivative]) -> Tree:
    """The derivatives that are left, without a slip."""
    for step in steps:
        tree = None if tree is None else step.right(tree)
    return tree


def _repeated(steps: Sequence[Derivative], start: Formula, single: Iterable[Wrong]) -> Iterator[Wrong]:
    """Each of the single slips wherever it can be made, in each of the steps."""
    for slip, weight in dict.fromkeys((w.slip, w.weight) for w in single):
        tree: Tree = start
        places, first = 0, None
        for step in steps:
            if tree is not None:
                changed = step.everywhere(tree, slip, weight)
                tree, places, first = changed.tree, places + changed.places, first or changed.first
        if first is not None and places > 1:
            yield replace(first, tree=tree, weight=first.weight + _REPEATED)


def _printed(problem: Problem, order: int) -> list[Formula]:
    """The derivative of a lower order as it is printed, of numbers."""
    if problem.has_arrays or len(set(problem.path)) > 1 or order >= len(problem.path):
        return []
    try:
        f = Values(problem.text, problem.leaves, {}, exact=True).tensor(problem.tree)
        tree = problem.read(str(derive(f, problem.leaves[problem.path[0]], order))).tree
    except Exception:  # of any kind: it has no form, or one that is not a formula
        return []
    return [] if problem.unknown(tree) else [tree]
