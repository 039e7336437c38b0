"""What a text that is no formula was meant to be: ``2x``, ``sin x``, ``x²``, ``|x|``, ``y = x**2``.

Such texts are on paper what formulas are to Python. Each is refused with what to write, at the sign that is to blame.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Container, Iterator

INSTEAD = {
    "²": "**2", "³": "**3", "⁻": "**(-1)", "ᵀ": ".T", "⊤": ".T", "ᴴ": ".H", "·": "*", "×": "*", "⋅": "*", "÷": "/",
    "−": "-", "–": "-", "√": "sqrt(…)", "‖": "norm(…)", "∥": "norm(…)", "⊙": "*", "⊘": "/", "^": "**",
    "|": "abs(…) or norm(…)", "∞": "inf", "≤": "<=", "≥": ">=", "≠": "!=", "∑": "sum(…)",
    "′": "what was differentiated, and --wrt", "“": "no quotation marks", "”": "no quotation marks",
    "!": "factorials as exp(lgamma(n + 1))",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<number>0[xXbBoO]\w+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[^\W\d]\w*)"
    r"|(?P<word>'[^']*'|\"[^\"]*\")|(?P<open>[(\[])|(?P<close>[)\]])|(?P<space>\s+)|(?P<sign>.)"
)
_IN_MATLAB = {".T": "'", ".H": "'", "**": "^"}
_LATEX = re.compile(
    r"\\(?:[dt]?frac|c?dots?|cdot|times|top|left|right|math[a-z]+|text|operatorname|partial|vec|hat|bar|(?:sqrt|sum|int|prod)[{_])"
    r"|(?:^|(?<=[-+*/^(,;=\[]))\s*\\[A-Za-z]+"
)
_POWERED = re.compile(r"\b([^\W\d]\w*) ?(\^|\*\*) ?(\(?-?\d+\)?) ?(?=\(| [^\W\d]|(?<= )[^\W\d])")
_OF_LEIBNIZ = re.compile(r"^ ?\(?d[^\W\d]? ?/ ?d ?([^\W\d])\b\)? ?(?=[\w(\[])")
_PI = re.compile(r"(?<!\w)π[^\W\d_]\w*")
_COMMA = re.compile(r"(?<=\d),(?=\d)")
_LOGIC = ("and", "or", "not", "if", "else", "True", "False", "None")
_OPERATORS = ("+", "-", "*", "/", "@", "%", ",", "<", ">", "=", ".")


def slip(text: str, functions: Container[str]) -> tuple[int, str] | None:
    """Return the place of the first slip in a text that Python cannot read, and what to write; or None.

    >>> slip("x**2 + 2x", {"sin"})
    (8, 'a sign is missing here; for the product write 2*x')
    >>> slip("sin x", {"sin"})
    (4, 'the argument of a function stands in brackets; write sin(…)')
    """
    if not text:
        return 0, "this is not a formula: it is empty"
    found = [*_foreign(text), *_missing(text, functions), *_equals(text), *_unfinished(text), *_words(text)]
    return min(found, default=None)


def on_paper(text: str, functions: Container[str]) -> tuple[int, str] | None:
    """Return the place of what is common on paper and can be read as something else, and what to write; or None.

    >>> on_paper("sin^2(x)", {"sin"})
    (0, 'a power stands behind the brackets; write sin(…)^2')
    """
    if found := _LATEX.search(text):
        place = text.index("\\", found.start())
        return place, "LaTeX is not read here; write a/b, sqrt(x), sin(x), x'*y"
    if found := _OF_LEIBNIZ.search(text):
        return found.start(), f"write only what is differentiated; by {found[1]} is said beside the formula"
    for place, sign in enumerate(text):
        if sign in INSTEAD and f"a{sign}".isidentifier():  # Python takes it for a letter
            return place, f"{sign} cannot be part of a formula; write {INSTEAD[sign]}"
    if found := _PI.search(text):
        return found.start(), f"{found[0]} is one name; for the product write {found[0][0]}*{found[0][1:]}"
    powers = (m for m in _POWERED.finditer(text) if m[1] in functions)
    if found := next(powers, None):
        if "-" in found[3]:
            own = f"{found[1]}(…){found[2]}{found[3]}"
            return found.start(), f"inverse functions have names, as asin; for one over the function write {own}"
        return found.start(), f"a power stands behind the brackets; write {found[1]}(…){found[2]}{found[3]}"
    return None


def of_a_sign(text: str, place: int) -> str | None:
    """Return what to write for a sign of paper, in MATLAB's notation; None where the sign is no such."""
    if text[place] == "=":
        return next((said for at, said in _equals(text) if at == place), None)
    if text[place] not in INSTEAD:
        return None
    found = INSTEAD[text[place]]
    for python, matlab in _IN_MATLAB.items():
        found = found.replace(python, matlab)
    return f"{text[place]} cannot be part of a formula; write {found}"


def of_a_comma(text: str) -> tuple[int, str] | None:
    """Return the place of a comma within a number, and what to write; or None."""
    found = _COMMA.search(text)
    return found and (found.start(), "a number has a point where others have a comma; write 3.5 for 3,5")


def of_python(name: str) -> str | None:
    """Return what is said of a word of Python's that cannot be a name, such as lambda; or None."""
    if not keyword.iskeyword(name) or name in _LOGIC:
        return None
    other = "lam or λ" if name == "lambda" else f"{name}_"
    return f"{name} is a word of Python's and cannot be a name; call it {other}"


def product(before: str, after: str) -> str:
    """Return what is said where a sign is missing between two factors."""
    return f"a sign is missing here; for the product write {before}*{after}"


def _foreign(text: str) -> Iterator[tuple[int, str]]:
    """Yield signs of paper that formulas write in another way."""
    for place, sign in enumerate(text):
        if sign in INSTEAD:
            yield place, f"{sign} cannot be part of a formula; write {INSTEAD[sign]}"
    if text.count("'") % 2:
        yield text.index("'"), "' cannot be part of a formula; write .T"


def _missing(text: str, functions: Container[str]) -> Iterator[tuple[int, str]]:
    """Yield places between two factors, and behind a function's name without brackets."""
    before: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "space":
            continue
        if before is not None and _adjacent(before, token):
            yield token.start(), _said(before, token, text, functions)
        before = token


def _adjacent(before: re.Match[str], token: re.Match[str]) -> bool:
    if keyword.iskeyword(before[0]) or keyword.iskeyword(token[0]):
        return False
    if token.lastgroup == "open":
        return token[0] == "(" and before.lastgroup in ("number", "close")
    return before.lastgroup in ("number", "name", "close") and token.lastgroup in ("number", "name")


def _said(before: re.Match[str], token: re.Match[str], text: str, functions: Container[str]) -> str:
    if before.lastgroup == "name" and before[0] in functions:
        return f"the argument of a function stands in brackets; write {before[0]}(…)"
    if before.lastgroup == token.lastgroup == "number":
        return f"a sign is missing between {before[0]} and {token[0]}"
    left = "(…)" if before.lastgroup == "close" else re.findall(r"[\w.]+$", text[: before.end()])[0]
    called = token.lastgroup == "name" and text[token.end() :].lstrip().startswith("(")
    return product(left, "(…)" if token.lastgroup == "open" else f"{token[0]}(…)" if called else token[0])


def _equals(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first = outside of brackets."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        alone = sign == "=" and "=" not in text[place + 1 : place + 2] and text[place - 1 : place] not in tuple("=<>!:")
        if alone and depth == 0:
            is_name = re.fullmatch(r"\s*[^\W\d][\w']*\s*(\([\w, ]*\))?\s*", text[:place])
            meant = "only what stands to its right" if is_name else "one side, or one side minus the other"
            yield place, f"= cannot be part of a formula; write {meant}"
            return


def _words(text: str) -> Iterator[tuple[int, str]]:
    """Yield words of Python's that were meant as names."""
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "name" and (said := of_python(token[0])):
            yield token.start(), said


def _unfinished(text: str) -> Iterator[tuple[int, str]]:
    if text.endswith(_OPERATORS):
        yield len(text), "this is not a formula: it ends here, where a number or a name is expected"
