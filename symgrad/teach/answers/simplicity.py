"""Whether a right answer is as short as it could be, and whether rewriting proves it."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import NamedTuple

from symgrad.engine.record import handle
from symgrad.expression.constants import CONSTANTS
from symgrad.expression.formula import Binary, Constant, Formula, Name, Unary
from symgrad.expression.tokens import signs
from symgrad.forms import derive
from symgrad.teach.answers.answer import Answer
from symgrad.teach.answers.problem import Problem
from symgrad.teach.answers.trees import parts, shown, value_of
from symgrad.teach.answers.values import Values
from symgrad.tensors.creation import symbol

_MUCH, _SOME = 0.8, 4  # a form is shorter by a fifth at least, and by some signs
MOST_EXPONENT = 12
MOST_PROVED = 60  # signs of an answer that rewriting is tried on


class Shorter(NamedTuple):
    """A shorter form, if one is known, and what is said about it."""

    text: str | None
    reason: str


def shorter(problem: Problem, read: Answer) -> Shorter | None:
    """Return how a right answer can be made simpler; None where it is simple enough."""
    text = problem.printed
    mine = length(read.text)
    if text is not None and "where" not in text and length(text) <= min(_MUCH * mine, mine - _SOME):
        return Shorter(text, "It can be written shorter.")
    place = None if read.tree is None else _spare(read.tree)
    if place is not None:
        return Shorter(text if text is not None and length(text) < mine else None, f"It can be simplified: {place}.")
    return None


def length(text: str) -> int:
    """The number of signs of a formula; brackets, commas, and the signs within numbers such as -1/2 are not counted."""
    text = re.sub(r"\s*\.m?T\b", "ᵀ", text)
    text = re.sub(r"(?<![\w)])-\s*(?=\d)", "", re.sub(r"(\d+)/\d+", r"\1", text))
    text = text.replace("**", "^")
    return signs(text) + text.count("*")


def proved(problem: Problem, read: Answer) -> bool:
    """Whether rewriting makes 0 of the difference between an answer and the derivative."""
    if read.tree is None or length(read.text) > MOST_PROVED or not all(map(_is_plain, (read.tree, problem.tree))):
        return False
    form = problem.form
    if form is None or form._bases:
        return False
    try:
        mine = Values(read.text, problem.leaves, {}, exact=True).tensor(read.tree)
        unit = symbol("·t", form.shape)
        return str(derive((unit * (mine - handle(form._root, None))).sum(), unit)) == "0"
    except Exception:  # of any kind: values have decided, and a proof is an ornament
        return False


def _is_plain(tree: Formula) -> bool:
    """Whether a formula's numbers are whole or halves, and its exponents small: others cost rewriting too much."""
    for part in parts(tree):
        v = value_of(part)
        if (isinstance(part, Name) and part.id in CONSTANTS) or (isinstance(part, Constant) and v is None):
            return False
        if isinstance(part, Constant) and v is not None and v.denominator > 2:
            return False
        if isinstance(part, Binary) and part.op == "**":
            n = value_of(part.right)
            if n is not None and (abs(n) > MOST_EXPONENT or n.denominator > 2):
                return False
    return True


# ------------------------------------------------------------------ what is left to do
def _spare(tree: Formula) -> str | None:
    """The first place at which a step was left undone."""
    for part in parts(tree):
        place = _undone(part)
        if place is not None:
            return place
    return None


def _undone(part: Formula) -> str | None:
    if isinstance(part, Binary) and part.op in ("*", "/"):
        return _of_product(part)
    if isinstance(part, Binary) and part.op == "**":
        n = value_of(part.right)
        if n in (0, 1) or value_of(part.left) in (0, 1):
            return f"{shown(part)} is {'1' if n == 0 else shown(part.left)}"
    if isinstance(part, Binary) and part.op in ("+", "-"):
        return _of_sum(part)
    if isinstance(part, Unary) and isinstance(part.operand, Unary):
        return f"{shown(part)} has two signs"
    return None


def _of_product(part: Binary) -> str | None:
    above, below = _factors(part)
    for side in (above, below):
        numbers = [value_of(f) for f in side if value_of(f) is not None]
        if len(numbers) > 1 or (len(side) > 1 and any(v in (0, 1) for v in numbers)):
            return f"the numbers in {shown(part)} can be multiplied out"
    up, down = (next((v for f in side if (v := value_of(f)) is not None), Fraction(1)) for side in (above, below))
    if (down == 1 and below and value_of(below[0]) == 1) or _reducible(up, down):
        return f"the numbers in {shown(part)} can be divided"
    bases = [_base(f) for f in (*above, *below) if value_of(f) is None]
    if len(set(bases)) < len(bases):
        return f"equal factors in {shown(part)} can be put together"
    return None


def _reducible(up: Fraction, down: Fraction) -> bool:
    whole = up.denominator == down.denominator == 1
    return whole and abs(down) > 1 and math.gcd(int(up), int(down)) > 1


def _base(f: Formula) -> Formula:
    return f.left if isinstance(f, Binary) and f.op == "**" else f


def _factors(part: Formula) -> tuple[list[Formula], list[Formula]]:
    """The factors of a product, above the bar and below."""
    if not isinstance(part, Binary) or part.op not in ("*", "/") or value_of(part) is not None:
        return [part], []
    (a, b), (c, d) = _factors(part.left), _factors(part.right)
    if part.op == "*":
        return [*a, *c], [*b, *d]
    above = [*a, *d]
    return [f for f in above if value_of(f) != 1 or (len(above) == 1 and not c)], [*b, *c]


def _of_sum(part: Binary) -> str | None:
    terms = _terms(part)
    if sum(value_of(t) is not None for t in terms) > 1:
        return f"the numbers in {shown(part)} can be added"
    if any(value_of(t) == 0 for t in terms):
        return f"a term of {shown(part)} is 0"
    alike = [_without_number(t) for t in terms if value_of(t) is None]
    if len(set(alike)) < len(alike):
        return f"like terms in {shown(part)} can be added"
    return None


def _terms(part: Formula) -> list[Formula]:
    if isinstance(part, Binary) and part.op in ("+", "-"):
        return [*_terms(part.left), *_terms(part.right)]
    return [part]


def _without_number(term: Formula) -> str:
    """A term as text, apart from its factors that are numbers."""
    while isinstance(term, Unary):
        term = term.operand
    sides = [sorted(repr(f) for f in side if value_of(f) is None) for side in _factors(term)]
    return " / ".join(map(" * ".join, sides))
