"""In whose notation a formula was typed: symgrad's own, NumPy's, which symgrad reads as well, or MATLAB's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from symgrad.expression.constants import CONSTANTS
from symgrad.expression.function_table import function_table
from symgrad.expression.tokens import ONES, Token, tokens
from symgrad.expression.words import ALIASES, in_greek

_OPENING = ("(", "[", "{")
SPELLINGS = ("symgrad", "numpy", "matlab")


def spelling(text: str) -> str:
    """Return "symgrad", "numpy" or "matlab", the language whose signs the formula needs to be read.

    >>> spelling("sum((X @ w - y)**2)"), spelling("np.sum(np.exp(x))"), spelling("x'*A*x + y.^2")
    ('symgrad', 'numpy', 'matlab')
    """
    return spelling_of(tokens(text, True))


def spelling_of(listing: Sequence[Token]) -> str:
    """Return "symgrad", "numpy" or "matlab", the language whose signs the formula needs to be read."""
    python = matlab = False
    for before, token, after in zip([None, *listing], listing, [*listing[1:], None], strict=False):
        ends, follows = before is not None and before.ends, after is not None and after.kind == "name"
        if token.kind == "name" and token.text in ("np", "numpy") and after is not None and after.text == ".":
            return "numpy"
        python |= token.text in ("**", "@", "//", "!=", "%") or (token.text == "." and ends and follows)
        python |= token.text == "[" and before is not None and before.kind == "name" and not token.gap
        python |= token.text == "=" and before is not None and before.kind == "name" and _is_argument(listing, token)
        matlab |= token.text in (".*", "./", ".^", ".\\", ".'", "\\", "~=", "^", "ᵀ", "⊙")
        matlab |= (token.text == "'" and ends) or (token.text == ":" and _is_range(listing, token))
        matlab |= token.kind == "name" and is_indexed(listing, token)
    return "matlab" if matlab and not python else "symgrad"


def meaning_of(listing: Sequence[Token]) -> str:
    """Return whose meaning operators have between arrays: "python", "matlab", or "matrix", as in linear algebra.

    >>> [meaning_of(tokens(t, True)) for t in ("X*w", "X'*w", "Xᵀ*w/k**2", "A⁻¹*(x ⊙ y)", "Xᵀ @ w")]
    ['python', 'matlab', 'matrix', 'matrix', 'python']
    """
    own = any(t.text in ("ᵀ", "⊙", "⊘", "^⊙", ONES) or (t.text == "^" and t.start == t.end) for t in listing)
    theirs = any(t.text in (".*", "./", ".^", ".\\", ".'", "\\", "~=", ":") for t in listing if t.kind == "sign")
    if own and not theirs and not has_signs_of_python(listing):
        return "matrix"
    return "matlab" if spelling_of(listing) == "matlab" else "python"


def has_signs_of_python(listing: Sequence[Token]) -> bool:
    """Whether a formula says by its signs that ``*`` acts entry by entry: it has an @, or methods, or NumPy's name."""
    for token, after in pairwise(listing):
        if token.text in ("@", "//", "!=", "%") and token.kind == "sign":
            return True
        if token.text == "." and after.kind == "name" and after.text not in ("T", "mT", "H", "mH"):
            return True
    return False


def _is_argument(listing: Sequence[Token], token: Token) -> bool:
    """Whether a = stands in brackets."""
    depth = 0
    for other in listing[: listing.index(token)]:
        depth += (other.text == "(") - (other.text == ")")
    return depth > 0


def _is_range(listing: Sequence[Token], token: Token) -> bool:
    """Whether a : stands in the round brackets of indices."""
    opened: list[str] = []
    for other in listing[: listing.index(token)]:
        if other.text in _OPENING:
            opened.append(other.text)
        elif other.text in (")", "]", "}") and opened:
            opened.pop()
    return bool(opened) and opened[-1] == "(" and not any(t.text == "?" or t.text == "lambda" for t in listing)


def is_indexed(listing: Sequence[Token], token: Token) -> bool:
    """Whether a name that is not a function has brackets behind it with places in them, counted as MATLAB does."""
    at = listing.index(token) + 1
    if token.text in function_table() or token.text in ALIASES or listing[at].text != "(":
        return False
    inner: list[Token] = []
    for other in listing[at + 1 :]:
        if other.text in (")", "("):
            break
        inner.append(other)
    return any(t.text == "end" and t.kind == "name" for t in inner) or (
        bool(inner) and all((t.kind == "number" and t.text.isdigit()) or t.text == "," for t in inner)
    )


def behind_power(listing: Sequence[Token], k: int) -> Token | None:
    """Return the bracket that opens behind a power at this place, as in σ^{2}(x) and σ^2(x); None where none does."""
    if listing[k].text != "^":
        return None
    depth = 0
    for at in range(k + 1, len(listing) - 1):
        depth += (listing[at].text == "{") - (listing[at].text == "}")
        if depth == 0:
            braced = listing[at].text == "}" or listing[at].kind == "number"
            return listing[at + 1] if braced and listing[at + 1].text == "(" else None
    return None


def _plain(name: str) -> str:
    """Return what all spellings of a name have: x0 of x_0, and a Greek letter of its word."""
    letter = in_greek(name)
    return re.sub(r"^([^\W\d_])_(?=\d+$)", r"\1", letter)


def _standing_alone(listing: Sequence[Token], powered: set[int]) -> set[str]:
    """Return the names that stand somewhere without brackets, and are not functions then."""
    return {
        in_greek(t.text)
        for t, after in pairwise(listing)
        if t.kind == "name" and after.text != "(" and id(t) not in powered
    }


def with_one_name(listing: Sequence[Token], known: Iterable[str]) -> list[Token]:
    r"""Return tokens in which α, alpha and \alpha are one name, spelled as it is known, else as it stands first.

    A letter that is a function, as σ and φ, is one where it stands before brackets, and nowhere without them.

    >>> [t.text for t in with_one_name(tokens(r"\alpha*x + alpha", True), ["α"])]
    ['α', '*', 'x', '+', 'α', '']
    >>> [t.text for t in with_one_name(tokens(r"\sigma(x)", True), [])]
    ['σ', '(', 'x', ')', '']
    """
    spelled = {_plain(name): name for name in known}
    names, fixed, functions = list(listing), {*known, *CONSTANTS}, {*function_table(), *ALIASES}
    openings = {id(t): behind_power(listing, k + 1) for k, t in enumerate(listing) if t.kind == "name"}
    powered = {name for name, opening in openings.items() if opening is not None and not opening.gap}
    alone = _standing_alone(listing, powered)
    for k, token in enumerate(names):
        after, before = names[min(k + 1, len(names) - 1)].text, names[k - 1].text if k else ""
        letter = in_greek(token.text.removeprefix("var"))
        argument = after == "=" and before in ("(", ",")  # elu(x, alpha=2)
        if token.kind != "name" or token.text in fixed or argument or before == ".":
            continue
        called, word = after == "(" or id(listing[k]) in powered, token.text
        if not called or token.text not in functions:
            is_function = called and letter in functions and not (letter in spelled or letter in alone)
            typed = token.end - token.start == len(word)  # and no command of LaTeX, which has no indices
            is_function = is_function and not (typed and is_indexed(listing, listing[k]))
            names[k] = token._replace(text=letter if is_function else spelled.setdefault(_plain(word), word))
    return names
