"""Equations on a page: dy/dx where ``x^2 + y^2 = 25`` makes y a function of x. Its jobs are those of formulas."""

from __future__ import annotations

from typing import Any, NamedTuple

from symgrad.errors import ArgumentError, ParseError, SymgradError
from symgrad.expression.arguments import of_letters
from symgrad.expression.cursor import label_of
from symgrad.expression.equations import equations_in, has_equals_sign
from symgrad.expression.reader import names_in
from symgrad.expression.spelling import spelling
from symgrad.expression.tokens import MOST_SIGNS, without_dollars
from symgrad.forms.derive import derive
from symgrad.forms.implicit_functions import Curve, curve, names_in_equations
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.printers import mathml
from symgrad.teach.board.line import Equation
from symgrad.teach.curves import formula_of
from symgrad.teach.explanation import explain
from symgrad.teach.writing.data import elements
from symgrad.web.exercise import check_order
from symgrad.web.lines import lines

Answer = dict[str, Any]


class Implicit(NamedTuple):
    """An equation, or several, and the derivative that is wanted.

    Attributes:
        text: the equations, as typed.
        y, x: the derivative is dy/dx.
        order: how often.
        curve: what the equations say.
    """

    text: str
    y: str
    x: str
    order: int
    curve: Curve


def equation_of(data: Any) -> Implicit | None:
    """Return the exercise of an equation; None where a page sent a formula, or what is neither.

    Raises:
        ArgumentError: it cannot be read, or its names are not numbers without a value.
    """
    text = data.get("formula") if isinstance(data, dict) else None
    if not isinstance(text, str) or len(text) > MOST_SIGNS or not is_equation(text):
        return None
    try:
        names = names_in_equations("derive", text, [c for c in "xy" if c in text])
        x = _by(data.get("wrt"), names)
        y = _dependent(names, x)
        found = curve("derive", text, y, x)
    except ParseError as error:  # its place is one in a side
        raise ArgumentError(_reason(text) or error.reason) from None
    _check_names(data.get("names"), names)
    return Implicit(text, y, x, check_order(data.get("order")), found)


def _reason(text: str) -> str | None:
    """Return why a side cannot be read; None where each can."""
    for side in (side for e in equations_in("derive", text) for side in (e.left, e.right)):
        try:
            of_letters(side)
        except ParseError as error:
            return f"{side!r}: {error.reason}" if side else "a side of the equation is empty"
    return None


def is_equation(text: str) -> bool:
    """Whether a text is an equation, and not a formula behind its name, as in y = x^2.

    >>> [is_equation(t) for t in ("x^2 + y^2 = 25", "y = x^2", "f(x) = x^2", "y = sin(xy)", "x = t^2, y = t^3")]
    [True, False, False, True, True]
    """
    text = without_dollars(text)
    label = label_of(text)
    rest = text if label is None else text[label.end() :]
    try:
        return has_equals_sign(rest) or (label is not None and label[1] in names_in(of_letters(rest)))
    except SymgradError:  # it is read as a formula, which says where the mistake is
        return False


def _by(wrt: Any, names: list[str]) -> str:
    if wrt in names:
        return str(wrt)
    if wrt is not None and wrt != "":
        raise ArgumentError(f"wrt: there is no {str(wrt)[:40]!r} in the equation. Expected one of {', '.join(names)}.")
    return "x" if "x" in names else next((n for n in names if n != "y"), names[0] if names else "x")


def _dependent(names: list[str], x: str) -> str:
    others = [n for n in names if n != x]
    if not others:
        raise ArgumentError(
            "the equation has one name. Expected two, such as x and y, of which one depends on the other."
        )
    return next((n for n in ("y", "x") if n in others), others[0])


def _check_names(said: Any, names: list[str]) -> None:
    for name in names:
        told = said.get(name) if isinstance(said, dict) else None
        if isinstance(told, dict) and (told.get("kind", "number") != "number" or told.get("value")):
            raise ArgumentError(f"a name in an equation has no value: write the value of {name} into the equation.")


# ------------------------------------------------------------------ jobs
def look(e: Implicit) -> Answer:
    """What was typed as mathematics, and what depends on what."""
    shown = [m for sides in e.curve.sides for m in elements(Equation(tuple(map(formula_of, sides))))]
    told = {"kind": "number", "shape": [], "assume": [], "guessed": True, "why": "an equation is of numbers"}
    return {
        "mathml": " ".join(shown), "spelling": spelling(e.text), "formula": e.text, "constants": {},
        "names": dict.fromkeys(e.curve.names, told), "wrt": e.x, "shape": [], "depends": e.y,
    }  # fmt: skip


def derivative(e: Implicit) -> Answer:
    """The derivative, which may have both names in it."""
    form = derive(e.text, e.y, e.x, order=e.order)
    one = {"text": printers.text(form.expr), "latex": printers.latex(form.expr), "mathml": mathml(form.expr)}
    none = {name: {"none": "the derivative of an equation is a number"} for name in ("index", "entries", "where")}
    words = f"{e.y} depends on {e.x}, and the derivative is that at a point of the curve."
    return {**one, "notations": {"matrix": one, **none}, "best": "matrix", "shape": [], "wrt": e.x, "order": e.order,
            "words": [words], "depends": e.y}  # fmt: skip


def steps(e: Implicit) -> Answer:
    """The derivation: both sides are differentiated."""
    explanation = explain(e.text, e.y, e.x, order=e.order, progress=False)
    return {
        "style": None,
        "steps": lines(explanation),
        "result": {"text": str(explanation.form), "mathml": explanation.form.mathml()},
    }
