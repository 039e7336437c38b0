"""The tokens of a formula, in any spelling: numbers, names, words and signs, each with its place in the text.

Paper's signs and LaTeX's commands become the signs that they stand for. Where they are not read, they are tokens of the
kind "foreign", which the reader refuses with what to write instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from symgrad.errors import ParseError
from symgrad.expression.function_table import function_table
from symgrad.expression.words import ALIASES, GREEK, RAISED, SPOKEN

MOST_SIGNS = 10_000
MOST_DEEP = 60
_RAISED = "".join(RAISED.values()) + "⁺ᵀᴴ⊤"
_LOWERED = str.maketrans({high: sign for sign, high in RAISED.items()} | {"⁺": "+"})
_ALIKE = str.maketrans(
    {**dict.fromkeys("÷∕⁄", "/"), **dict.fromkeys("−–—‐‑﹣", "-"), **dict.fromkeys("’′ʹʼ", "'"), "ˆ": "^"}
    | {**dict.fromkeys("·⋅×∗•∙\u2062", "*"), **dict.fromkeys("\u200b\u2060\u2061\ufeff", " ")}  # of Word and MathML
    | {chr(c): chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)}
)
_FRACTIONS = "½¼¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_LAYOUT = (
    r"\\[,;:!()\[\] ]|&(?=\s*=)"
    r"|\\(?:quad|qquad|left|right|middle|displaystyle|textstyle|limits|nolimits|[bB]igg?[lrm]?|rm|bf|it|sf)(?![A-Za-z])"
)
_ADJOINED = re.compile(r"(?:\\(?:left|right|middle|[bB]igg?[lrm]?|limits))+")  # no room between what they stand between
_TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<skipped>(?:{_LAYOUT})+)"
    r"|(?P<number>0[xXbBoO]\w+|(?:\d[\d_]*(?:\.(?!\*(?!\*)|/(?!/)|[\^'\\])\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?:[jJ]\b)?)"
    rf"|(?P<name>[^\W\d{_FRACTIONS}{_RAISED}](?:[^\W{_FRACTIONS}{_RAISED}₀-₉]|[\u0300-\u036f])*[₀-₉]*)"
    rf"|(?P<command>\\[A-Za-z]+)|(?P<raised>[{_RAISED}]+)"
    r"|(?P<sign>\*\*|\^⊙|//|<=|>=|==|!=|~=|:=|->|\.\.\.|\.\*|\./|\.\^|\.\\(?!end\b)|\.'|\\\\|\\[|{}]|.)",
    re.DOTALL,
)
_WORD = re.compile(r"'[^']*'|\"[^\"]*\"")
_GROUP = re.compile(r"\s*\{([^{}]*)\}")
_INDEX = re.compile(
    r"\{\s*\\(?:(?:text|math)[a-z]*\s*\{\s*(\w+)\s*\}|(\w+))\s*\}|\\(?:text|math)[a-z]*\s*\{\s*(\w+)\s*\}"
)
_BASE = re.compile("log(?=[₀-₉])")
_OPENED = re.compile(r"\s*\{")
_BELOW = re.compile(r"\s*_(?:\{\s*(\w+)\s*\}|([^\W_]))")
_BASED = re.compile(r"\s*_?\s*(?=\{(?!\s*(?:\d+|[^\W\d]\w*)\s*\}))")  # log, before a base that is not a number or name
_THOUSANDS = re.compile(r"\d{1,3}(_\d{3})+(\D|$)|0[xXbBoO]")  # any other _ behind a digit begins an index, as in x^2_1
_LETTERING = re.compile(r"math(bf|rm|sf|it|bb|cal)|text(bf|rm|it)?|operatorname|boldsymbol|bm|vec")
_HAT = re.compile(
    r"\s*\{(?:\s*\\(?:mathbf|boldsymbol|bm|vec|mathrm)\s*\{)?\s*\\?([ijk])(?:math)?\s*\}?\s*\}"
)  # of i, j, k only
_UNIT_BEHIND = re.compile("(?:[îĵ]|[ijk]\u0302)$")
_HATS = {"i": "î", "j": "ĵ", "k": "k̂"}
_SIGNS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "top": "ᵀ", "intercal": "ᵀ", "le": "<=", "leq": "<=",
    "leqslant": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "lt": "<", "gt": ">", "ne": "!=", "neq": "!=",
    "vert": "|", "lvert": "|", "rvert": "|", "mid": "|", "Vert": "‖", "lVert": "‖", "rVert": "‖", "odot": "⊙",
    "oslash": "⊘", "prime": "'", "partial": "∂", "pm": "±", "int": "∫", "rfloor": ")", "rceil": ")",
    "langle": "⟨", "rangle": "⟩",
}  # fmt: skip
_NAMES = {
    "infty": "inf",
    "lambda": "λ",
    "arctg": "atan",
    "beta": "β",
    "gamma": "γ",
    "overline": "conj",
    "wedge": "and",
    "vee": "or",
}  # capitals are the functions
_LETTERS = {*GREEK, *(f"var{letter}" for letter in GREEK), "ell", "hbar", *_NAMES}
_KNOWN = {*_SIGNS, "frac", "dfrac", "tfrac", "cfrac", "binom", "sqrt", "begin", "end", "cdots", "dots", "sum", "prod"}
_BRACKETS = {"\\|": "‖", "\\{": "(", "\\}": ")", "⌋": ")", "⌉": ")"}
_ROUNDED = {"⌊": "floor", "⌈": "ceil"}
_ASIDE = set("*()[]{},")
_TABLES = {"matrix", "bmatrix", "pmatrix", "smallmatrix"}
ONES = "𝟏"  # the vector of ones
FOREIGN = set("²³⁻ᵀ⊤ᴴ·×⋅÷−–√∛∜‖∥⊙⊘|∞≤≥≠∑′“”!") | {*_RAISED, *_FRACTIONS, *"⌊⌋⌈⌉", "\\|", "\\{", "\\}"}


class Token(NamedTuple):
    """A token.

    Attributes:
        kind: "number", "name", "word", "sign", "foreign" or "end".
        text: what it says; of a paper's sign the sign that it stands for.
        start, end: its place.
        gap: whether there is a space before it.
    """

    kind: str
    text: str
    start: int
    end: int
    gap: bool

    @property
    def ends(self) -> bool:
        """Whether a factor may end with it."""
        return self.kind in ("number", "name", "word") or self.text in (")", "]", "}", "'", ".'", "|")


def tokens(text: str, paper: bool) -> list[Token]:
    """Return the tokens of a formula, and one for its end.

    Raises:
        ParseError: if it is too long, its brackets are nested too deeply, or it contains an invalid character.

    >>> [t.text for t in tokens("x² + 2x", True)]
    ['x', '^', '{', '2', '}', '+', '2', 'x', '']
    """
    _check_size(text)
    function_table: list[Token] = []
    plain = without_dollars(text).translate(_ALIKE) if paper else text
    for token in _tokens(plain, 0, len(text), paper, function_table):
        function_table.append(token)
    end = len(text.rstrip())
    return [*function_table, Token("end", "", end, end, False)]


def signs(text: str) -> int:
    """Return how many names, numbers and signs a formula has; brackets, commas and signs of products do not count.

    >>> signs("2*x**2 + sin(x)/3")
    9
    """
    return sum(match.lastgroup != "space" and match[0] not in _ASIDE for match in _TOKEN.finditer(text))


def opens_parts(listing: Sequence[Token], k: int) -> bool:
    """Whether a token is the where that names a formula's parts, as in x*z where z = x + 1; where(…) is a function."""
    return listing[k].text == "where" and listing[k + 1].text != "("


def _check_size(formula: str) -> None:
    if len(formula) > MOST_SIGNS:
        raise ParseError(f"parse: the formula has {len(formula)} characters, more than {MOST_SIGNS}. Name its parts.")
    depth = most = 0
    for sign in formula:
        depth += (sign in "([{") - (sign in ")]}")
        most = max(most, depth)
    if most > MOST_DEEP:
        raise ParseError(f"parse: brackets are nested more than {MOST_DEEP} deep. Name the formula's parts.")
    for sign in formula:
        if sign == "\0" or "\ud800" <= sign <= "\udfff":
            what = "null bytes" if sign == "\0" else "half a character"
            raise ParseError(f"parse: the formula cannot be read: it contains {what}.")


def without_dollars(text: str) -> str:
    """Return a string with blanks for the signs around formulas in LaTeX, which stand in pairs.

    >>> without_dollars("$x$ + $y")
    ' x  + $y'
    """
    pieces = text.split("$")
    paired = len(pieces) - 1 + len(pieces) % 2  # of an odd number the last one stays
    return "$".join([" ".join(pieces[:paired]), *pieces[paired:]])


def without_layout(text: str) -> str:
    r"""Return a string with blanks for what only lays it out, as \left and $, each part at its place.

    >>> without_layout(r"$f\left(x\right)$")
    ' f     (x      ) '
    """
    text = without_dollars(text).translate(_ALIKE)
    text = re.sub(r"\^(?:\{\s*\\prime\s*\}|\\prime\b)", lambda m: "'".ljust(len(m[0])), text)
    text = re.sub(r"\\math(?:rm|it)\s*\{(\w)\}", lambda m: m[1].rjust(len(m[0])), text)
    return re.sub(r"\\[dtc]frac", r" \\frac", re.sub(_LAYOUT, lambda m: " " * len(m[0]), text))


def _whole_word(text: str, kind: str, word: str, end: int, stop: int, paper: bool) -> tuple[str, str, int]:
    """Return a token's kind, its text, with the index of a name, in normal form, and where it ends."""
    if word in ("log", "log_") and paper and (based := _BASED.match(text, end, stop)) and "_" in word + based[0]:
        word, end = "log_", based.end()
    elif kind == "name" and word.endswith("_") and paper and (index := _INDEX.match(text, end, stop)):
        word, end = word + (index[1] or index[2] or index[3]), index.end()
    elif kind == "name" and (group := _GROUP.match(text, end, stop)) and word.endswith("_") and paper:
        word, end = word + group[1].strip(), group.end()
        kind = kind if word.isidentifier() and group[1].strip() else "foreign"
    elif kind == "name" and word.endswith("_") and paper and _OPENED.match(text, end, stop):
        kind = "foreign"
    elif kind == "name" and paper and (below := _BELOW.match(text, end, stop)) and text[end] != "_":
        word, end = f"{word}_{below[1] or below[2]}", below.end()
    if kind == "number" and paper and "_" in word and not _THOUSANDS.match(word):
        kind = "foreign"
    if word == ONES and paper:
        kind = "name"
    if kind == "name" and paper and (unit := _UNIT_BEHIND.search(word)) and unit.start():  # of xî
        word, end = word[: unit.start()], end - len(unit[0])
    if kind == "name" and not word.isascii() and word != ONES:
        word = unicodedata.normalize("NFKC", _BASE.sub("log_", word) if paper else word)
    return kind, word, end


def _tokens(text: str, start: int, stop: int, paper: bool, before: list[Token]) -> Iterator[Token]:
    place, gap = start, False
    while place < stop:
        match = _TOKEN.match(text, place, stop)
        assert match is not None  # any character is a sign
        kind, word, end = str(match.lastgroup), match[0], match.end()
        if kind == "space" or (kind == "skipped" and paper):
            place, gap = end, gap or not _ADJOINED.fullmatch(word)
            continue
        ends = bool(before) and before[-1].ends
        if word in ("'", '"') and not ends and (quoted := _WORD.match(text, place, stop)):
            kind, word, end = "word", quoted[0][1:-1], quoted.end()
        if kind == "command" and ends and not gap and word[1:] not in _KNOWN and (len(word) == 2 or not paper):
            kind, word, end = "sign", "\\", place + 1  # MATLAB's division from the left
        if kind in ("command", "skipped", "raised") or (kind == "sign" and word in FOREIGN):
            if not paper:
                yield Token("foreign", word, place, end, gap)
            elif kind == "command":
                made, end = _of_command(text, word[1:], place, end, gap, paper, before)
                yield from made
            else:
                yield from _of_raised(word, place, gap) if kind == "raised" else _of_paper(word, place, gap)
        else:
            kind, word, end = _whole_word(text, kind, word, end, stop, paper)
            if word == ":=" and paper:
                word, place = "=", place + 1
            yield Token(kind, word, place, end, gap)
        place, gap = end, False


def _of_raised(word: str, place: int, gap: bool) -> Iterator[Token]:
    """Yield ^{-1} for ⁻¹, a transpose's sign for ᵀ, and both for ⁻ᵀ."""
    power = word.rstrip("ᵀᴴ⊤")
    digits = power.translate(_LOWERED) + ("1" if power == "⁻" else "")
    if digits:
        yield Token("sign", "^", place, place, gap)
        yield Token("sign", "{", place, place, False)
        parts = re.findall(r"\d+|[a-z]+|\D", digits)
        for k, sign in enumerate(parts):
            at = place + len("".join(parts[:k]))
            kind = "number" if sign.isdigit() else "name" if sign.isalpha() else "sign"
            yield Token(kind, sign, at, min(at + len(sign), place + len(power)), False)
        yield Token("sign", "}", place + len(power), place + len(power), False)
    for k in range(len(power), len(word)):
        yield Token("sign", "ᵀ", place + k, place + k + 1, gap and not power)


def _of_paper(sign: str, place: int, gap: bool) -> Iterator[Token]:
    if sign in _ROUNDED:
        yield Token("name", _ROUNDED[sign], place, place, gap)
        yield Token("sign", "(", place, place + 1, False)
        return
    words = {"≤": "<=", "≥": ">=", "≠": "!=", "∥": "‖", "∞": "inf", **_BRACKETS, **dict.fromkeys(_FRACTIONS, "½")}
    kind = "name" if sign == "∞" else "sign"
    yield Token(kind, words.get(sign, sign), place, place + len(sign), gap)


def _of_command(
    text: str, word: str, place: int, end: int, gap: bool, paper: bool, before: list[Token]
) -> tuple[list[Token], int]:
    r"""Return what a command of LaTeX stands for, and where it ends: * for \cdot, tr for \operatorname{tr}."""
    if _LETTERING.fullmatch(word):
        group = _GROUP.match(text, end)
        if group is None:
            return [], end
        if group[1].strip() == "1":
            return [Token("name", ONES, place, group.end(), gap)], group.end()
        if "\\_" in group[1] and (name := group[1].strip().replace("\\_", "_")).isidentifier():
            return [Token("name", name, place, group.end(), gap)], group.end()
        inner: list[Token] = []
        for token in _tokens(text, group.start(1), group.end(1), paper, inner):
            inner.append(token)
        below = _BELOW.match(text, group.end()) if len(inner) == 1 and inner[0].kind == "name" else None
        if below is not None:
            name = f"{inner[0].text}_{below[1] or below[2]}"
            return [Token("name", name, place, below.end(), gap)], below.end()
        return inner, group.end()
    if word == "hat" and (unit := _HAT.match(text, end)):
        return [Token("name", _HATS[unit[1]], place, unit.end(), gap)], unit.end()
    if word in ("begin", "end") and (group := _GROUP.match(text, end)):
        brackets = ("\\matrix", "\\end") if group[1].strip() in _TABLES else ("{", "}")
        return [Token("sign", brackets[word == "end"], place, group.end(), gap)], group.end()
    if word in ("lfloor", "lceil"):
        return [Token("name", word[1:], place, end, gap), Token("sign", "(", place, end, False)], end
    if word in _SIGNS:
        return [Token("sign", _SIGNS[word], place, end, gap)], end
    if word in ("frac", "dfrac", "tfrac", "cfrac", "binom", "sqrt"):
        return [Token("sign", "\\frac" if word.endswith("frac") else f"\\{word}", place, end, gap)], end
    if word == "dot" or (
        word.lower() not in _LETTERS and not {word, word.lower()} & {*ALIASES, *SPOKEN, *function_table()}
    ):
        return [Token("foreign", f"\\{word}", place, end, gap)], end
    if word == "log" and (based := _BASED.match(text, end)) and "_" in based[0]:
        word, end = "log_", based.end()
    elif below := _BELOW.match(text, end):
        word, end = f"{word}_{below[1] or below[2]}", below.end()
    return [Token("name", _NAMES.get(word, word), place, end, gap)], end
