"""Messages for texts that are not formulas, with a remedy: ``2x``, ``sin x``, ``x²``, ``|x|``, programs."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

from symgrad.errors import ParseError
from symgrad.support.columns import columns

INSTEAD = {
    "²": "**2", "³": "**3", "⁻": "**(-1)", "ᵀ": ".T", "⊤": ".T", "ᴴ": ".H", "·": "*", "×": "*", "⋅": "*", "÷": "/",
    "−": "-", "–": "-", "√": "sqrt(…)", "∛": "cbrt(…)", "∜": "(…)**(1/4)", "‖": "norm(…)",
    "∥": "norm(…)", "⊙": "*", "⊘": "/", "^": "** (a power is **)", "|": "abs(…) or norm(…)", "∞": "inf",
    "≤": "<=", "≥": ">=", "≠": "!=", "∑": "sum(…)",
    "∫": 'the function with sg.quad, as in sg.explain(lambda x: sg.quad(lambda t: …, 0, x), "x")',
    "′": "what was differentiated, and --wrt", "“": "no quotation marks", "”": "no quotation marks",
    "!": "factorials as exp(lgamma(n + 1))", "'": ".T", "°": "an angle in radians, as in 30*pi/180",
}  # fmt: skip
PRIME = "′ of a number is a derivative; write what it is"
_IN_MATLAB = {".T": "'", ".H": "'", "**": "^"}
_LOGIC = {"and": "and, or", "or": "and, or", "not": "not", "if": "if … else (use where)", "for": "a comprehension"}
_WORDS = {"else": "if … else (use where)", "in": "in", "is": "is", "await": "await", "yield": "yield"}


def refused_at(text: str, column: int, reason: str, end: int | None = None) -> ParseError:
    """Return the error that says the reason, and shows the line with a mark under the place."""
    column = max(0, min(column, len(text)))
    start = max(0, column - 30)
    shown = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text[start : start + 60]).rstrip()
    room = " " * columns(shown[: column - start].ljust(column - start))
    error = ParseError(f"parse: {reason}, at character {column + 1}:\n  {shown}\n  {room}^")
    error.place, error.reason = (column, max(column + 1, end or 0)), reason
    return error


def of_a_sign(sign: str, matlab: bool) -> str:
    """Return the message for a sign that programs' formulas lack."""
    if sign.startswith("\\"):
        return "LaTeX is not read here; write a/b, sqrt(x), sin(x), x'*y"
    for one in sign:
        if one in INSTEAD:
            instead = INSTEAD[one]
            for python, own in _IN_MATLAB.items() if matlab else ():
                instead = instead.replace(python, own)
            return f"{one} cannot be part of a formula; write {instead}"
    if sign == "∇":
        return "∇ cannot be part of a formula; write the function alone, as x**2 + y**2 for ∇(x² + y²)"
    if matlab:
        return f"{sign!r} is not an operator of formulas in MATLAB's notation"
    kinds = {"{": "a dict", "}": "a dict", ":=": ":="}
    return f"{kinds.get(sign, sign)} cannot be part of a formula"


def of_python(name: str, rest: Sequence[str] = ()) -> str | None:
    """Return the message for a keyword of Python's that cannot be a name, such as lambda; None for other words."""
    if name in ("None", "True", "False") or not keyword.iskeyword(name):
        return None
    if name == "lambda" and ":" in rest:
        return "a lambda cannot be part of a formula"
    if name in _WORDS or (name in _LOGIC and rest):
        return f"{ {**_LOGIC, **_WORDS}[name] } cannot be part of a formula".replace("{ ", "").replace(" }", "")
    other = "lam or λ" if name == "lambda" else f"{name}_"
    return f"{name} is a word of Python's and cannot be a name; call it {other}"


def product(before: str, after: str) -> str:
    """Return the message for a missing sign between two factors."""
    return f"an operator is missing here; for the product write {before}*{after}"


def two_ways(part: str, one: str, other: str) -> str:
    """Return the message for a part that people read in two ways."""
    return f"{part} is read in two ways; write {one} or {other}"
