"""In whose notation a formula was typed: symgrad's own, NumPy's, which symgrad reads as well, or MATLAB's."""

from __future__ import annotations

import re

from symgrad.errors import ParseError
from symgrad.expression.evaluation import refused_at
from symgrad.expression.listed import listed
from symgrad.expression.matlab_syntax import chained
from symgrad.expression.reader import tree_of

SPELLINGS = ("symgrad", "numpy", "matlab")
_NUMPY = re.compile(r"\b(?:np|numpy)\s*\.")
_PYTHON = re.compile(r"\*\*|@|\.[A-Za-z]|!=|//")
_TRANSPOSED = re.compile(r"(?:\^|\*\*) ?(?:T\b|⊤|ᵀ|\\top\b|\{T\}|\{\\top\})(?!\s*\()")
_QUADRATIC = re.compile(r"(\b([^\W\d]\w*))( ?(?:\^|\*\*) ?t\b)( ?\* ?[A-Z]\w* ?\* ?\2\b)")  # x^t*A*x
_LAMBDA = re.compile(r"\blambda\b(?!\s*\w+\s*:)")
_DOTS = re.compile("[·⋅×∙]")
_LEFT = re.compile(r"\s*([^\W\d]\w*)\s*(?:\(\s*[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*\s*\))?\s*=(?!=)")
_MATLAB = re.compile(r"\.[*/^\\']|\^|'|\\|~=|[(,] ?[\w+-]* ?: ?[\w+-]* ?[,)]")
_INDEXED = re.compile(r"\b([^\W\d]\w*)\((?:[^()]*\bend\b|\d+ ?(?:, ?\d+ ?)?\))")  # x(end), x(1), A(2, 1)


def spelling(text: str) -> str:
    """Return "symgrad", "numpy" or "matlab": whose signs a formula has, where it cannot be read without them.

    A text that cannot be read at all is MATLAB's if it has MATLAB's signs and none of Python's: its ^ is no mistake.

    >>> spelling("sum((X @ w - y)**2)"), spelling("np.sum(np.exp(x))"), spelling("x'*A*x + y.^2")
    ('symgrad', 'numpy', 'matlab')
    """
    if _NUMPY.search(text):
        return "numpy"
    if not _PYTHON.search(text) and _indexed(text) and _reads(text, "matlab"):
        return "matlab"
    if not _MATLAB.search(text) or _reads(text, "python"):
        return "symgrad"
    return "matlab" if not _PYTHON.search(text) or _reads(text, "matlab") else "symgrad"


def syntax_of(text: str) -> str:
    """Return the ``syntax`` with which ``sg.parse`` reads a formula.

    >>> syntax_of("x^2*sin(x)"), syntax_of("x**2")
    ('matlab', 'python')
    """
    return "matlab" if spelling(text) == "matlab" else "python"


def as_read(text: str) -> str:
    """Return a formula as people type it, in the notation that is read, sign by sign: each stays at its place.

    The left side of ``y = …`` and ``f(x) = …`` is left out, ``lambda`` is λ, a dot is a star, and the
    x^T and xᵀ of books are x'.

    >>> as_read("f(x) = lambda*x^2"), as_read("x^T*A*x"), as_read("T*x^T"), as_read("x^T @ A @ x")
    ('       λ     *x^2', "x' *A*x", 'T*x^T', 'x.T @ A @ x')
    """
    plain = _DOTS.sub("*", _LAMBDA.sub("λ     ", _without_left(text)))
    return _transposed(plain if _PYTHON.search(plain) else re.sub("[ᵀ⊤]", "'", plain))


def refuse_two_ways(text: str, syntax: str) -> None:
    """Refuse a^b^c in MATLAB's notation, which paper reads from the right.

    Raises:
        ParseError: there is such a power; says where.
    """
    place = chained(text) if syntax == "matlab" else None
    if place is not None:
        reason = "two powers without brackets are read in two ways; write a^(b^c) or (a^b)^c"
        raise refused_at(text, place, reason)


def has_pythons_signs(text: str) -> bool:
    """Whether a formula has a sign that Python alone has: **, @, x.T, !=, //."""
    return _PYTHON.search(text) is not None


def _without_left(text: str) -> str:
    found = _LEFT.match(text)
    if found is None or re.search(rf"\b{found[1]}\b", text[found.end() :]):
        return text
    return " " * found.end() + text[found.end() :]


def _transposed(text: str) -> str:
    """Return x' for x^T, or x.T beside Python's signs, where T is not a name elsewhere in the formula."""
    found = _TRANSPOSED.sub(lambda m: " " * len(m[0]), _QUADRATIC.sub(lambda m: m[1] + " " * len(m[3]) + m[4], text))
    if re.search(r"\b[Tt]\b", found):
        return text
    mark = ".T" if _PYTHON.search(found) else "'"
    quadratic = _QUADRATIC.sub(lambda m: m[1] + mark.ljust(len(m[3])) + m[4], text)
    return _TRANSPOSED.sub(lambda m: mark.ljust(len(m[0])), quadratic)


def _indexed(text: str) -> bool:
    """Whether a name that is no function has brackets behind it with places in them, counted as MATLAB does."""
    return any(found[1] not in listed() for found in _INDEXED.finditer(text))


def _reads(text: str, syntax: str) -> bool:
    """Whether a text is a formula in this notation, whatever its names stand for."""
    try:
        tree_of(" ".join(text.split()), syntax)
    except ParseError:
        return False
    return True
