"""Products without a sign, as people write them, where nothing else can be meant: 2x, 3sin(x), (x + 1)(x - 1).

What people read in two ways stays as it is, and is refused with words: 1/2x, e^2x, x(x + 1).
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from symgrad.errors import ParseError

_NUMBER = re.compile(r"(?<![\w.])(?:[1-9]\d*(?:\.\d+)?|0?\.\d+)(?=[^\W\d]|\()(?![eE][-+]?\d|[jJ]\b)")
_BEHIND = re.compile(r"\)(?=\(|[\w])")
_TWO_WAYS = ("/", "\\", "^", "**")  # before a factor


def with_signs(text: str) -> tuple[str, list[int]]:
    """Return a formula with * where a sign is left out, and where in it they were put.

    >>> with_signs("2x + 3sin(x)"), with_signs("1/2x")
    (('2*x + 3*sin(x)', [1, 7]), ('1/2x', []))
    """
    places = sorted({*_behind_numbers(text), *_behind_brackets(text)})
    parts = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    return "*".join(parts), [n + k for k, n in enumerate(accumulate(map(len, parts[:-1])))]


def _behind_numbers(text: str) -> Iterator[int]:
    for found in _NUMBER.finditer(text):
        if not text[: found.start()].rstrip("-+( ").endswith(_TWO_WAYS):
            yield found.end()


def _behind_brackets(text: str) -> Iterator[int]:
    for found in _BEHIND.finditer(text):
        word = re.match(r"\w*", text[found.end() :])
        start = _opened(text, found.start())
        if start is None or (word and keyword.iskeyword(word[0])):
            continue
        before = re.sub(r"[\w.]*$", "", text[:start]).rstrip()  # without the function whose bracket it is
        if not before.endswith(_TWO_WAYS):
            yield found.end()


def _opened(text: str, closed: int) -> int | None:
    """Return where the bracket that ends here begins."""
    depth = 0
    for k in range(closed, -1, -1):
        depth += (text[k] == ")") - (text[k] == "(")
        if depth == 0:
            return k
    return None


def as_typed(error: ParseError, places: Sequence[int]) -> ParseError:
    """Return an error with its place in the text without the signs that were put in."""
    if error.place is not None:
        start, end = (n - sum(p < n for p in places) for n in error.place)
        error.place = start, max(end, start + 1)
    return error
