"""In whose notation a formula was typed: symgrad's own, NumPy's, which symgrad reads as well, or MATLAB's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from symgrad.expression.constants import CONSTANTS
from symgrad.expression.function_table import function_table
from symgrad.expression.tokens import Token, tokens
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
    """Whether a name that is no function has brackets behind it with places in them, counted as MATLAB does."""
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


def with_one_name(listing: Sequence[Token], known: Iterable[str]) -> list[Token]:
    r"""Return tokens in which α, alpha and \alpha are one name, spelled as it is known, else as it stands first.

    A letter that is a function, as σ and φ, is one where it stands before brackets, and nowhere without them.

    >>> [t.text for t in with_one_name(tokens(r"\alpha*x + alpha", True), ["α"])]
    ['α', '*', 'x', '+', 'α', '']
    >>> [t.text for t in with_one_name(tokens(r"\sigma(x)", True), [])]
    ['σ', '(', 'x', ')', '']
    """
    spelled = {in_greek(name): name for name in known}
    names, fixed, functions = list(listing), {*known, *CONSTANTS}, {*function_table(), *ALIASES}
    alone = {in_greek(t.text) for t, after in pairwise(listing) if t.kind == "name" and after.text != "("}
    for k, token in enumerate(names):
        after, before = names[min(k + 1, len(names) - 1)].text, names[k - 1].text if k else ""
        letter = in_greek(token.text.removeprefix("var"))
        argument = after == "=" and before in ("(", ",")  # elu(x, alpha=2)
        if token.kind != "name" or token.text in fixed or argument or before == ".":
            continue
        if after != "(" or token.text not in functions:
            is_function = after == "(" and letter in functions and not (letter in spelled or letter in alone)
            is_function = is_function and not is_indexed(listing, listing[k])
            name = letter if is_function else spelled.setdefault(in_greek(token.text), token.text)
            names[k] = token._replace(text=name)
    return names
