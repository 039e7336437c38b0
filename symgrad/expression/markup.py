"""Presentation MathML, element by element: escaped names, numbers, brackets, operations as they write themselves."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise

from symgrad.support.foreign import html, latex_name, named

INVISIBLE = "<mo>&#x2062;</mo>"  # times, so that screen readers know
BEFORE_WORD = '<mo lspace="0.17em" rspace="0">&#x2062;</mo>'  # the same before a function's name
DASH = '<mo lspace="0" rspace="0">′</mo>'  # stands high in every font: as a superscript it would vanish
# patterns are compiled when the first formula is written in MathML
_GREEK = r"\\([A-Za-z]+)"
_NAME = r"(?s:([A-Za-z]+)_?(\d*)|(.)_?(\d*))"


def mi(text: str) -> str:
    """Return an identifier in MathML."""
    return f"<mi>{html(text)}</mi>"


def mn(text: str) -> str:
    """Return a number in MathML."""
    return f"<mn>{html(text)}</mn>"


def mo(text: str, *, fence: bool = False) -> str:
    """An operator; a fence grows with what it holds."""
    return f'<mo stretchy="true" fence="true">{html(text)}</mo>' if fence else f"<mo>{html(text)}</mo>"


def row(*parts: str) -> str:
    """Parts beside each other."""
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def fenced(inside: str, left: str = "(", right: str = ")") -> str:
    """Something between brackets that grow with it."""
    return f"<mrow>{mo(left, fence=True)}{inside}{mo(right, fence=True)}</mrow>"


def power(base: str, above: str) -> str:
    """Return a base with a superscript in MathML."""
    return f"<msup>{base}{above}</msup>"


def below(base: str, index: str) -> str:
    """Return a base with a subscript in MathML."""
    return f"<msub>{base}{index}</msub>"


def fraction(above: str, under: str) -> str:
    """Return a fraction in MathML."""
    return f"<mfrac>{above}{under}</mfrac>"


def listed(parts: Sequence[str]) -> str:
    """Parts with commas between."""
    return row(*[p for k, part in enumerate(parts) for p in ([mo(","), part] if k else [part])]) if parts else row()


def cases(rows: Sequence[tuple[str, str | None]]) -> str:
    """A case distinction of values and conditions; None stands for otherwise."""
    cells = "".join(
        f"<mtr><mtd>{v}</mtd><mtd>{'<mtext>otherwise</mtext>' if c is None else c}</mtd></mtr>" for v, c in rows
    )
    return f"<mrow>{mo('{', fence=True)}<mtable>{cells}</mtable></mrow>"


def math(inside: str, text: str = "") -> str:
    """The whole element; ``text`` is read where MathML is not."""
    said = f' alttext="{html(text)}"' if text else ""
    return f'<math displaystyle="true"{said}>{inside}</math>'


# ------------------------------------------------------------------ names
def name(text: str) -> str:
    """A user's name: one letter in italics, a number behind it below the line, Greek names as letters."""
    dashes = len(text) - len(text.rstrip("′"))
    bare = text[: len(text) - dashes]
    match = re.fullmatch(_NAME, bare)
    if match is None:
        made = f"<mtext>{html(named(bare, ''))}</mtext>" if not bare.replace("_", "").isalnum() else mi(bare)
    else:
        stem, index = (match[1] or match[3]), (match[2] or match[4] or "")
        made = mi(_letter(named(stem, "")))
        made = below(made, mn(index)) if index else made
    return row(made, *[DASH] * dashes)


def _letter(stem: str) -> str:
    """Return the Greek letter that LaTeX would print for a name, else the name."""
    if len(stem) < 2 or not stem.isascii():
        return stem
    greek = re.fullmatch(_GREEK, latex_name(stem))
    if greek is None:
        return stem
    size = "CAPITAL" if greek[1][0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {greek[1].upper().replace('LAMBDA', 'LAMDA')}")
    except KeyError:
        return stem


# ------------------------------------------------------------------ operations that write themselves
_SLOT = "ꙮ"  # a letter that no operation writes; as such it is a word, which needs no brackets
_RAISED = dict(zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ⁺", "−0123456789⊤+", strict=True))
_TOKEN = rf"{_SLOT}(\d+){_SLOT}(?: {_SLOT})?|([{''.join(_RAISED)}]+)|([^\W\d]\w*)|(\d+(?:\.\d+)?)|(\s+)|(.)"
_PAIRS = {"(": ")", "[": "]"}


def operation(write: Callable[..., str], arguments: Sequence[str], whole: Sequence[bool]) -> str:
    """Write an operation of arguments in MathML, from the text that it writes of them.

    Args:
        write: from texts to text.
        arguments: MathML of each argument.
        whole: whether each needs no brackets.
    """
    slots = [f"{_SLOT}{k}{_SLOT}" + ("" if w else f" {_SLOT}") for k, w in enumerate(whole)]
    stack: list[tuple[str, list[str]]] = [("", [])]
    for match in re.finditer(_TOKEN, write(*slots)):
        _place(match, arguments, stack)
    while len(stack) > 1:  # a bracket that was never closed
        opening, inside = stack.pop()
        stack[-1][1].extend([mo(opening), *inside])
    return row(*stack[0][1])


def _place(match: re.Match[str], arguments: Sequence[str], stack: list[tuple[str, list[str]]]) -> None:
    slot, raised, word, digits, space, sign = match.groups()
    parts = stack[-1][1]
    if slot is not None:
        parts.append(arguments[int(slot)])
    elif raised is not None:
        above = row(*[mo(_RAISED[c]) if not _RAISED[c].isdigit() else mn(_RAISED[c]) for c in raised])
        parts.append(power(parts.pop() if parts else row(), above))
    elif word is not None:
        stem, _, index = word.partition("_")
        parts.append(below(mi(stem), mi(index)) if stem and index and len(index) < 3 else mi(word))
    elif digits is not None:
        parts.append(mn(digits))
    elif space is not None:
        return
    elif sign in _PAIRS:
        stack.append((sign, []))
    elif len(stack) > 1 and sign == _PAIRS[stack[-1][0]]:
        opening, inside = stack.pop()
        stack[-1][1].append(fenced(row(*inside), opening, sign))
    else:
        parts.append(INVISIBLE if sign == "*" else mo(sign))


def spaced(parts: Sequence[str], between: str) -> str:
    """Parts with a sign between each two."""
    return row(parts[0], *[p for _, part in pairwise(parts) for p in (between, part)])


def signed(parts: Sequence[tuple[bool, str]]) -> str:
    """A sum: (negative, absolute value) of each term."""
    out = [] if not parts[0][0] else [mo("−")]
    out.append(parts[0][1])
    for negative, part in parts[1:]:
        out.extend([mo("−" if negative else "+"), part])
    return row(*out)
