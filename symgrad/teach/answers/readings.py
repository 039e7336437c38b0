"""What else an answer with matrices may be meant to be: its stars as products, ``^T`` and ``'`` as transposes.

An answer is right if one of its readings is: a pupil who writes ``A*b`` for a matrix and a vector means their product.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from symgrad.errors import SymgradError
from symgrad.expression.guesses import with_products
from symgrad.expression.spelling import as_read, has_pythons_signs

_POWER = re.compile(r"(?<=[\w)])(⁻?)([¹²³⁴-⁹]+)(?=\)?ᵀ?)")
_RAISED_TO = re.compile(r"\^\s*[{(]?\s*-?\s*\d|⁻?[¹²³⁴-⁹]")
_RAISED = str.maketrans("'", "ᵀ")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def readings(answer: str, shapes: Mapping[str, Any]) -> Iterator[str]:
    """Yield other texts that an answer may stand for, sign by sign where that can be.

    >>> list(readings("2*X^T*(X*w - y)", {"X": ("n", "d"), "w": "d", "y": "n"}))
    ["2*X' *(X*w - y)", '2*Xᵀ *(X*w - y)']
    >>> list(readings("A*b", {"A": ("n", "n"), "b": "n"}))
    ['A@b']
    """
    found = {answer: None}
    found |= dict.fromkeys(_each(answer, shapes))
    yield from list(found)[1:]


def has_powers(answer: str) -> bool:
    """Whether an answer has powers that a matrix may be raised to: of Python's ``**`` there is no doubt."""
    return "**" not in answer and _RAISED_TO.search(answer) is not None


def _each(answer: str, shapes: Mapping[str, Any]) -> Iterator[str]:
    typed = as_read(answer)
    yield typed
    if not has_pythons_signs(typed):  # beside X.T a star multiplies entries, and the hint says so
        with suppress(SymgradError):  # MATLAB's notation
            yield with_products(typed, shapes)
    yield typed.translate(_RAISED)
    if _POWER.search(answer):  # of matrices: X⁻² is (X⁻¹)²
        yield _POWER.sub(lambda m: f"^{'-' if m[1] else ''}{m[2].translate(_DIGITS)}", answer).replace("ᵀ", "'")
