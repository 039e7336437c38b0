"""In whose notation a formula was typed: symgrad's own, NumPy's, which symgrad reads as well, or MATLAB's."""

from __future__ import annotations

from symgrad.expression.grammar import spelling_of
from symgrad.expression.tokens import tokens

SPELLINGS = ("symgrad", "numpy", "matlab")


def spelling(text: str) -> str:
    """Return "symgrad", "numpy" or "matlab": whose signs a formula has, where it cannot be read without them.

    >>> spelling("sum((X @ w - y)**2)"), spelling("np.sum(np.exp(x))"), spelling("x'*A*x + y.^2")
    ('symgrad', 'numpy', 'matlab')
    """
    return spelling_of(tokens(text, True))
