"""Formulas in ASCII, for terminals that have no more: ``X.T`` for Xᵀ, ``inv(A)`` for A⁻¹, ``sigma`` for σ.

What acts on entries has a dot in front, ``x.^2`` for x^⊙2, so that no two formulas are written alike.
"""

from __future__ import annotations

import re
import unicodedata

from symgrad.support.columns import columns

_RAISED = dict(zip("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789", strict=True))
_LOW = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_WORDS = {
    "ᵀ": ".T", "⊤": ".T", "·": "*", "×": "x", "−": "-", "–": "-", "—": "--", "…": "...", "′": "'",
    "″": "''", "‴": "'''",
    "∂": "d", "→": "->", "↑": "^", "←": "<-", "↦": "->", "⇒": "=>", "≤": "<=", "≥": ">=", "≠": "!=",
    "≈": "~", "∞": "inf",
    "⊙": ".*", "⊘": "./", "⊗": "kron", "⋅": "*", "‹": "<", "›": ">",
    "⟨": "<", "⟩": ">", "“": '"', "”": '"', "‘": "'", "’": "'",
    "∇": "grad ", "Σ": "Sum", "∑": "Sum", "√": "sqrt", "∈": "in", "␣": "?", "\u00a0": " ", "⌊": "floor(", "⌋": ")",
}  # fmt: skip
_INVERSES = (("⁻¹", "inv", ""), ("⁻ᵀ", "inv", ".T"), ("⁺", "pinv", ""))
_BEFORE = "(*+-/,=·[{<>:⊙⊘⊗|;&~^"  # signs behind which a norm begins
_ORDER = re.compile(r"_(?:(\w+?|∞)(?![^\W⁰¹²³⁴⁵⁶⁷⁸⁹])|\(([^()]*)\))")  # of a norm
_POWER = re.compile(rf"[{''.join(_RAISED)}]+")


def ascii_text(text: str) -> str:
    """Return text in ASCII, as near to the formula language of ``sg.parse`` as the text is.

    >>> ascii_text("2*Xᵀ*(X*w - y)"), ascii_text("-A⁻ᵀ*σ(x)"), ascii_text("‖x‖² + √y")
    ('2*X.T*(X*w - y)', '-inv(A).T*sigma(x)', 'norm(x)**2 + sqrt(y)')
    >>> ascii_text("x^⊙2 ⊙ y ⊘ ‖A‖_F²"), ascii_text("A⁺*x")
    ('x.^2 .* y ./ norm(A, F)**2', 'pinv(A)*x')
    >>> ascii_text("‖x‖_∞")
    'norm(x, inf)'
    """
    if text.isascii():
        return text
    text = text.replace(" × ", " cross ")
    for sign, name, end in _INVERSES:
        while sign in text:
            text = _wrapped(text, text.index(sign), sign, name, end)
    text = re.sub(r"√(\w+)", r"sqrt(\1)", _norms(text.replace("^⊙", ".^")))
    text = _POWER.sub(lambda m: "**" + _exponent("".join(_RAISED[c] for c in m[0])), text)
    return _letters(text)


def _exponent(digits: str) -> str:
    return digits if digits.isdigit() else f"({digits})"


def _wrapped(text: str, at: int, sign: str, name: str, end: str) -> str:
    """Write inv(…) around what stands before a sign."""
    start = _start(text, at)
    return f"{text[:start]}{name}({_bare(text[start:at])}){end}{text[at + len(sign) :]}"


def _bare(text: str) -> str:
    return text[1:-1] if text.startswith("(") and _start(text, len(text)) == 0 and text.endswith(")") else text


def _start(text: str, at: int) -> int:
    """Return where the name, call or bracket before a place begins."""
    k = at
    if k and text[k - 1] in ")]":
        depth = 0
        while k:
            k -= 1
            depth += (text[k] in ")]") - (text[k] in "([")
            if depth == 0:
                break
    while k and ((text[k - 1].isalnum() and text[k - 1] not in _RAISED) or text[k - 1] in "_′."):
        k -= 1
    return k


def _norms(text: str) -> str:
    """Write norm(…) for double bars, of which one opens behind an operator and closes behind anything else."""
    written = ""
    while "‖" in text:
        before, _, text = text.partition("‖")
        written += before
        last = written.rstrip()[-1:]
        if not last or last in _BEFORE or written.endswith("norm("):
            written += "norm("
        else:
            order = _ORDER.match(text)
            written += f", {order[1] or order[2]})" if order else ")"
            text = text[order.end() :] if order else text
    return written + text


def _letter(c: str) -> str:
    """Return a sign in ASCII: its word, a letter without its accents, a Greek letter's name, else its number."""
    if unicodedata.combining(c):
        return ""
    if c in _WORDS:
        return _WORDS[c]
    if c in _LOW:
        return _LOW[c]
    name = unicodedata.name(c, "").split()
    if name[:1] == ["GREEK"] and "LETTER" in name:
        word = name[name.index("LETTER") + 1].lower().replace("lamda", "lambda")
        return word.capitalize() if "CAPITAL" in name else word
    bare = "".join(p for p in unicodedata.normalize("NFKD", c) if p.isascii())
    return bare if bare.isalnum() else c.encode("ascii", "backslashreplace").decode()


def ascii_marked(text: str) -> str:
    r"""Return a message in ASCII; a formula above a mark letter by letter, so that the mark is moved with its sign.

    >>> print(ascii_marked("for the product write 2·x:\n  σ+2x\n     ^"))
    for the product write 2*x:
      sigma+2x
             ^
    """
    lines = text.split("\n")
    out = [ascii_text(line) for line in lines]
    for k, mark in enumerate(lines[1:], start=1):
        if re.fullmatch(" *\\^", mark):
            shown = lines[k - 1]
            before = next((n for n in range(len(shown)) if columns(shown[:n]) >= len(mark) - 1), len(shown))
            out[k - 1] = _letters(shown)
            out[k] = " " * len(_letters(shown[:before])) + "^"
    return "\n".join(out)


def _letters(text: str) -> str:
    return "".join(c if c.isascii() else _letter(c) for c in text)


def ascii_source(text: str) -> str:
    """Return source in ASCII: what its comments say in other letters ends none of them."""
    source = _POWER.sub(lambda m: "^" + "".join(_RAISED[c] for c in m[0]), text.replace("ᵀ", ".T"))
    return "".join(c if c.isascii() else w if (w := _letter(c)).isalnum() else "?" for c in source)
