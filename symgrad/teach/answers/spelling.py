"""How a pupil writes a formula: ``f'(x) = 2x sin²x``, ``3x^2 + C``, ``2 Xᵀ(Xw - y)``, in the notation of ``sg.parse``.

Only the spelling changes here. What a formula may hold is the reader's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from symgrad.errors import ParseError
from symgrad.expression.constants import CONSTANTS
from symgrad.expression.reader import MOST_SIGNS
from symgrad.teach.answers.cases import with_where

ALIASES = {
    "tg": "tan", "ctg": "cot", "cotg": "cot", "cotan": "cot", "cosec": "csc", "sen": "sin", "arctg": "atan",
    "arcctg": "acot", "arccot": "acot", "arcsec": "asec", "arccsc": "acsc", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "sh": "sinh", "ch": "cosh", "th": "tanh", "cth": "coth", "arsinh": "asinh", "arcosh": "acosh",
    "artanh": "atanh", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "ln": "log", "lg": "log10",
    "lb": "log2", "log_2": "log2", "log₂": "log2", "log_10": "log10", "log₁₀": "log10",
    "sgn": "sign", "Abs": "abs", "Max": "maximum", "Min": "minimum", "tr": "trace", "absolute": "abs",
}  # fmt: skip
INVERSE = {"sin": "asin", "cos": "acos", "tan": "atan", "sinh": "asinh", "cosh": "acosh", "tanh": "atanh"}
LETTERS = {"lambda": "λ"}  # words that Python keeps for itself
GLUED = (
    "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "sin", "cos", "tan", "cot", "sec", "csc", "tg", "ln", "log",
)  # fmt: skip
_SIGNS = {
    "·": "*", "⋅": "*", "×": "*", "∗": "*", "•": "*", "∙": "*", "⊙": "*", "÷": "/", "∕": "/", "⊘": "/",
    "−": "-", "–": "-", "π": "pi", "∞": "inf", "√": " sqrt ", "ᵀ": ".T ",
    "{": "(", "}": ")", "½": "(1/2)", "’": "'", "′": "'", "″": "''",
    "≤": "<=", "≥": ">=", "σ": "sigmoid",
}  # fmt: skip
_SIGNS |= {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # wide ones
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿˣ", "0123456789+-nx")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|(?P<word>'[^']*'|\"[^\"]*\")"
    r"|(?P<sign>\*\*|//|<=|>=|==|!=|->|.))"
)
_MODULE = re.compile(r"(?<![\w.])(np|numpy|math|sg)\.(?:linalg\.)?(?=[A-Za-z]\w*(?!\w|\s*\.\s*[A-Za-z]))")  # np.sin
_CONSTANT_OF_INTEGRATION = re.compile(r"\s*\+\s*([Cc]|const(ant)?)\s*$")
_FRACTION = re.compile(r"(^|[-+=(])\s*(\d+)\s*/\s*(\d+)\s+(?=[^\W\d])")  # of numbers, with a space behind it
_LABEL = re.compile(r"\s*(\w+'+(\(\w+\))?|d\w*/d\w+)\s*")  # what an answer is called: f'(x), dy/dx
_INVERSE_TRANSPOSED = re.compile(r"\)\s*\*\*\s*(?:-\s*T\b|\(\s*-\s*T\s*\))")
_LETTERING = re.compile(r"\\(?:math(?:bf|rm|sf|it|bb)|text|operatorname|boldsymbol|bm)\s*\{([^{}]*)\}")  # its words
_DIFFERENTIAL = re.compile(r"\bd([^\W\d]\w*)\s*$")  # the dx of dy = 2x dx


@dataclass(frozen=True)
class Spelled:
    """A formula in the reader's notation.

    Attributes:
        text: the formula.
        constant: whether a constant ``+ C`` was taken off.
        differential: whether ``dx`` was taken off.
        marked: the same text with ``//`` for each product that was written without a sign: some people read 1/2x as
            1/(2*x), and write e^2x for e^(2*x). None where there is no such place.
    """

    text: str
    constant: bool = False
    marked: str | None = None
    differential: bool = False


def spelled(
    text: str, shapes: Mapping[str, Any], functions: Callable[[str], bool], *, is_answer: bool = False
) -> Spelled:
    """Return a pupil's formula in the notation of ``sg.parse``.

    Args:
        text: what was written.
        shapes: the declared names; the value is () for a number.
        functions: tells whether a name is a function.
        is_answer: whether a ``+ C`` at the end may be a constant of integration, which is taken off; in a problem it is
            a part of the function.

    Raises:
        ParseError: the text is empty, no text, or too long.
    """
    if not isinstance(text, str):
        raise ParseError(f"grade: expected a formula as text, got {type(text).__name__}.")
    if len(text) > MOST_SIGNS:
        raise ParseError(f"grade: the formula has {len(text)} signs, more than {MOST_SIGNS}.")
    text = _FRACTION.sub(r"\1 (\2/\3)*", _with_parts(without_name(text)))
    text = _plain(with_where(text), shapes)
    text = _last_side(text, names_end=is_answer and not any(map(len, shapes.values()))).strip().rstrip(".;").strip()
    if not text:
        raise ParseError("grade: the formula is empty. Expected one such as '2*x*cos(x)'.")
    found = _CONSTANT_OF_INTEGRATION.search(text) if is_answer else None
    constant = found is not None and found[1] not in shapes and bool(text[: found.start()].strip())
    if found is not None and constant:
        text = text[: found.start()]
    moved = _DIFFERENTIAL.search(text) if is_answer else None
    differential = moved is not None and not shapes.get(moved[1], (1,)) and moved[0].strip() not in shapes
    if moved is not None and differential and text[: moved.start()].strip():
        text = text[: moved.start()].strip().rstrip("*")
    plain = _Writer(text, shapes, functions).text()
    marked = _Writer(text, shapes, functions, product="//").text() if "//" not in plain else plain
    return Spelled(plain, constant, marked if marked != plain else None, differential)


def without_name(text: str) -> str:
    """Return the text without f'(x) = or f'(x): in front."""
    return re.sub(r"^\s*(\w+['’′″]+(\(\w+\))?|d\w*/d\w+)\s*(:|=(?!=))", "", text)


def _with_parts(text: str) -> str:
    """Return the text with its parts put in: z**2 where z = x + 1."""
    body, where, parts = text.partition(" where ")
    found = re.findall(r"\s*([^\W\d]\w*)\s*=\s*((?:[^,=()]|\([^=]*?\))+?)\s*(?:,|$)", parts)
    if not where or not found:
        return text
    for name, part in reversed(found):  # a part may have names of those before it
        body = re.sub(rf"(?<![^\W\d]){name}(?!\w)", lambda _, part=part: f"({part})", body)  # type: ignore[misc]
    return body


def _plain(text: str, shapes: Mapping[str, Any]) -> str:
    """Return the text with signs that the reader knows, and functions without the modules of programs."""
    text = _MODULE.sub(lambda m: m[0] if m[1] in shapes else "", text)
    matrices = {name for name, s in shapes.items() if len(s) == 2}
    text = re.sub(r"(\w+)⁻¹", lambda m: f"inv({m[1]})" if m[1] in matrices else m[0], text)
    text = re.sub(r"(\w+)⁻ᵀ", lambda m: f"inv({m[1]}).T" if m[1] in matrices else m[0], text)
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿˣ]+", lambda m: f"**({m[0].translate(_RAISED)})", text)
    text = re.sub(r"‖([^‖]+)‖", r"norm(\1)", _with_norms(text))
    text = _without_latex(text)
    text = "".join(_SIGNS.get(sign, sign) for sign in text).replace("^", "**")
    text = _transposed(text, shapes, matrices)
    return re.sub(r"\|([^|]+)\|", r"abs(\1)", text)


def _with_norms(text: str) -> str:
    """Return the text with ‖x‖ for ||x||; bars that meet, as in |a||b|, stay."""
    found = re.sub(r"(?<![^\W\d])(?<![)\]|])\|\|([^|]+)\|\|", r"‖\1‖", text)
    return text if "|" in found else found


def _transposed(text: str, shapes: Mapping[str, Any], matrices: set[str]) -> str:
    """Return the text with .T for A^T, A^{T}, A' and (A + B)', and with inv for A^{-1} and A^{-T}, of arrays."""
    if not any(map(len, shapes.values())):
        return text
    inverse = re.compile(r"\b([^\W\d]\w*)(\.T )?\s*\*\*\s*\(?\s*-\s*([1T])(?!\w)\s*\)?")
    if "T" not in shapes:
        text = re.sub(r"\*\*\s*(\(\s*T\s*\)|T(?![a-z]))", ".T ", text)
    text = _with_inverses(inverse.sub(lambda m: _inverse(m) if m[1] in matrices else m[0], text))
    return re.sub(r"(?<=[^\W\d])'(?!')|(?<=\))'(?!')", ".T ", text)


def _inverse(found: re.Match[str]) -> str:
    closing = "" if "(" in found[0] else ")" * found[0].count(")")
    return f"inv({found[1]}){found[2] or ''}{'.T ' if found[3] == 'T' else ''}{closing}"


def _with_inverses(text: str) -> str:
    """Return the text with inv(…).T for (…)^{-T}."""
    for found in reversed(list(_INVERSE_TRANSPOSED.finditer(text))):
        depth, start = 1, found.start()
        while depth and start:
            start -= 1
            depth += (text[start] == ")") - (text[start] == "(")
        text = f"{text[:start]} inv{text[start : found.start() + 1]}.T {text[found.end() :]}"
    return text


def _without_latex(text: str) -> str:
    r"""Return the text with the few words of LaTeX that formulas of pupils have, such as \frac, as plain signs."""
    text = re.sub(r"\$|\\[()\[\]]|\\(left|right|,|;|!|displaystyle)", " ", text)
    text = re.sub(r"\\(cdot|times)(?![a-z])", "*", text)
    text = re.sub(r"\\(?:top|intercal)(?![a-z])", "T", _LETTERING.sub(r" \1 ", text))
    fraction = re.compile(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}")
    braces = re.compile(r"\{([^{}]*)\}(?!\{)")
    while "\\" in text and (fraction.search(text) or braces.search(text)):  # from the inside out
        text = fraction.sub(r"((\1)/(\2))", text) if fraction.search(text) else braces.sub(r"(\1)", text, count=1)
    return re.sub(r"\\([a-zA-Z]+)", r" \1 ", text)


def _last_side(text: str, *, names_end: bool = False) -> str:
    """Return what stands behind the last ``=`` that is outside all brackets: pupils write f'(x) = … = ….

    What stands there may be a name, as in 2x = y', and then it is left out.
    """
    depth, cut, before = 0, 0, 0
    for k, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        alone = sign == "=" and text[k - 1 : k] not in ("<", ">", "=", "!") and text[k + 1 : k + 2] != "="
        if alone and depth == 0:
            before, cut = cut, k + 1
    if names_end and before < cut and _LABEL.fullmatch(text[cut:]):
        return text[before : cut - 1]
    return text[cut:]


@dataclass(frozen=True)
class _Token:
    kind: str  # number, name, function, attribute, sign, word
    text: str

    @property
    def ends(self) -> bool:
        """Whether a product may follow without a sign."""
        return self.kind in ("number", "name", "attribute") or self.text in (")", "]")

    @property
    def begins(self) -> bool:
        return self.kind in ("number", "name", "function") or self.text == "("


class _Writer:
    """Puts in the signs that are understood: products, and brackets of functions."""

    def __init__(
        self, text: str, shapes: Mapping[str, Any], functions: Callable[[str], bool], product: str = "*"
    ) -> None:
        self.shapes, self.functions, self.product = shapes, functions, product
        self.tokens = list(self._tokens(text))
        self._round()

    def _round(self) -> None:
        """Make brackets round behind a function, as in Cos[x], and around parts of a formula of numbers."""
        numbers = not any(map(len, self.shapes.values()))
        for k, token in enumerate(self.tokens):
            behind = k > 0 and self.tokens[k - 1].kind == "function"
            if token.text != "[" or not (behind or numbers):
                continue
            end = _closing(self.tokens, k)
            if self.tokens[end].text == "]" and (behind or not any(t.text == "," for t in self.tokens[k:end])):
                self.tokens[k], self.tokens[end] = _Token("sign", "("), _Token("sign", ")")

    def text(self) -> str:
        """Return the formula, with spaces only where two words would run together."""
        text = " ".join("".join(self._written(0, len(self.tokens))).split())
        return re.sub(r"(?<!\w) | (?!\w)", "", text)

    # -------------------------------------------------------------- tokens
    def _tokens(self, text: str) -> Iterator[_Token]:
        before = ""
        for match in _TOKEN.finditer(text):
            kind = str(match.lastgroup)
            word = match[kind]
            rest = text[match.end() :].lstrip()
            if kind == "name" and before == ".":
                yield _Token("attribute" if word in ("T", "mT") else "method", word)
            elif kind == "name" and rest[:1] == "=" and rest[:2] != "==":
                yield _Token("word", word)  # of an argument such as dim=0
            elif kind == "name":
                yield from self._named(word, rest)
            else:
                yield _Token(kind, word)
            before = word

    def _named(self, word: str, rest: str) -> Iterator[_Token]:
        name = word if word in self.shapes else ALIASES.get(word, word)
        name = LETTERS.get(name, name)
        small = ALIASES.get(word.lower(), word.lower())
        if name not in self.shapes and len(word) > 1 and not self.functions(name) and self.functions(small):
            name = small  # Cos, SIN
        if name in self.shapes or name in CONSTANTS:
            yield _Token("name", name)
        elif self.functions(name) or re.match(r"\.(?!m?T\b)", rest):
            yield _Token("function", name)
        else:
            parts = self._parts(word) if word not in LETTERS else [_Token("name", name)]
            yield from parts if parts else [_Token("name" if not rest.startswith("(") else "unknown", word)]

    def _parts(self, word: str) -> list[_Token]:
        """Return the names that a word is made of, as x and sin in ``xsin(x)``."""
        if not word:
            return []
        for cut in range(len(word), 0, -1):
            head, tail = word[:cut], word[cut:]
            if head in self.shapes or head in CONSTANTS:
                behind = self._parts(tail)
                if not tail or behind:
                    return [_Token("name", head), *behind]
            if head in GLUED and tail and not tail[0].isdigit():  # cosx
                behind = self._parts(tail)
                if behind and behind[0].kind == "name":
                    return [_Token("function", ALIASES.get(head, head)), *behind]
            digits = re.match(r"\d+", tail)
            if digits and self.functions(ALIASES.get(head, head)):  # ln2
                rest = tail[digits.end() :]
                behind = self._parts(rest)
                if not rest or behind:
                    return [_Token("function", ALIASES.get(head, head)), _Token("number", digits[0]), *behind]
            if not tail and self.functions(ALIASES.get(head, head)):
                return [_Token("function", ALIASES.get(head, head))]
        return []

    # -------------------------------------------------------------- writing
    def _written(self, start: int, stop: int) -> list[str]:
        out: list[str] = []
        k = start
        while k < stop:
            token = self.tokens[k]
            if k > start and self.tokens[k - 1].ends and token.begins:
                out.append(self._product(k))
            if token.kind == "function" and self._argument_follows(k, stop):
                piece, k = self._applied(k, stop)
                out += piece
            else:
                out.append(
                    token.text if token.text in "()[]." or token.kind in ("method", "attribute") else f" {token.text} "
                )
                k += 1
            if out[-2:-1] == [" . "] or out[-1] == ".":
                out[-1] = out[-1].strip()
        return out

    def _product(self, k: int) -> str:
        """The sign that stands between two neighbours: @ between arrays, * elsewhere."""
        before, here = self.tokens[k - 1], self.tokens[k]
        if not any(map(len, self.shapes.values())) or before.kind == "number" or here.kind == "number":
            return self.product
        numbers = [t for t in (before, here) if t.kind == "name" and not self.shapes.get(t.text, ())]
        return self.product if numbers else "@"

    def _argument_follows(self, k: int, stop: int) -> bool:
        behind = self.tokens[k + 1] if k + 1 < stop else None
        if behind is None or behind.text == "(":
            return False
        return behind.text == "**" or behind.kind in ("name", "number", "function")

    def _applied(self, k: int, stop: int) -> tuple[list[str], int]:
        """Write ``sin x``, ``sin 2x``, ``sin**2 (x)`` and ``sin**-1 x`` with brackets; return the place behind."""
        name, power, at = self.tokens[k].text, "", k + 1
        if self.tokens[at].text == "**":
            at, power = self._power(at + 1, stop)
        end = self._end_of_argument(at, stop)
        inner = self._written(at, end)
        if power.replace(" ", "") in ("-1", "(-1)") and name in INVERSE:
            name, power = INVERSE[name], ""
        bracketed = self.tokens[at].text == "(" and _closing(self.tokens, at) == end - 1 if at < stop else False
        call = [f" {name}", *(inner if bracketed else ["(", *inner, ")"])]
        return (["(", *call, f")**{power} "] if power else [*call, " "]), end

    def _power(self, at: int, stop: int) -> tuple[int, str]:
        if at < stop and self.tokens[at].text == "(":
            end = _closing(self.tokens, at) + 1
            return end, "".join(t.text for t in self.tokens[at:end])
        sign = self.tokens[at].text if at < stop and self.tokens[at].text == "-" else ""
        at += bool(sign)
        return (at + 1, sign + self.tokens[at].text) if at < stop else (at, sign)

    def _end_of_argument(self, at: int, stop: int) -> int:
        """Return the place behind what a function without brackets takes: factors, with their powers."""
        if at < stop and self.tokens[at].text == "(":
            return _closing(self.tokens, at) + 1
        if at < stop and self.tokens[at].kind == "function":
            return self._end_of_argument(at + 1, stop)
        while at < stop and self.tokens[at].kind in ("number", "name"):
            at += 1
            if at < stop and self.tokens[at].text == "**":
                at, _ = self._power(at + 1, stop)
        return at


def _closing(tokens: list[_Token], at: int) -> int:
    """Return where the bracket at a place is closed; the last place where it is not."""
    depth = 0
    for k in range(at, len(tokens)):
        depth += (tokens[k].text in "([") - (tokens[k].text in ")]")
        if depth == 0:
            return k
    return len(tokens) - 1
