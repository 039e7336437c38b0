"""In whose notation a formula was typed: symgrad's own, NumPy's, which symgrad reads as well, or MATLAB's."""

from __future__ import annotations

import re

from symgrad.errors import ParseError
from symgrad.expression.reader import tree_of

SPELLINGS = ("symgrad", "numpy", "matlab")
_NUMPY = re.compile(r"\b(?:np|numpy)\s*\.")
_PYTHON = re.compile(r"\*\*|@|\.[A-Za-z]|!=|//")
_TRANSPOSED = re.compile(r"\^ ?(?:T\b|⊤|ᵀ|\{T\}|\{\\top\})(?!\s*\()")
_MATLAB = re.compile(r"\.[*/^\\']|\^|'|\\|~=|[(,] ?[\w+-]* ?: ?[\w+-]* ?[,)]")


def spelling(text: str) -> str:
    """Return "symgrad", "numpy" or "matlab": whose signs a formula has, where it cannot be read without them.

    A text that cannot be read at all is MATLAB's if it has MATLAB's signs and none of Python's: its ^ is no mistake.

    >>> spelling("sum((X @ w - y)**2)"), spelling("np.sum(np.exp(x))"), spelling("x'*A*x + y.^2")
    ('symgrad', 'numpy', 'matlab')
    """
    if _NUMPY.search(text):
        return "numpy"
    if not _MATLAB.search(text) or _reads(text, "python"):
        return "symgrad"
    return "matlab" if not _PYTHON.search(text) or _reads(text, "matlab") else "symgrad"


def syntax_of(text: str) -> str:
    """Return the ``syntax`` with which ``sg.parse`` reads a formula.

    >>> syntax_of("x^2*sin(x)"), syntax_of("x**2")
    ('matlab', 'python')
    """
    return "matlab" if spelling(text) == "matlab" else "python"


def with_transposes(text: str) -> str:
    """Return MATLAB's x' for the x^T of books, sign by sign, where T is not a name elsewhere in the formula.

    >>> with_transposes("x^T*A*x"), with_transposes("T*x^T")
    ("x' *A*x", 'T*x^T')
    """
    found = _TRANSPOSED.sub(lambda m: "'" + " " * (len(m[0]) - 1), text)
    return text if re.search(r"\bT\b", found) else found


def _reads(text: str, syntax: str) -> bool:
    """Whether a text is a formula in this notation, whatever its names stand for."""
    try:
        tree_of(" ".join(text.split()), syntax)
    except ParseError:
        return False
    return True
