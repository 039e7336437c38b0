"""What a pupil should write where an answer is not a formula: one sentence, and a mark under the place.

The reader's own errors are about its notation, which a pupil has never seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from symgrad.errors import ParseError
from symgrad.expression.instead import refused_at

_PAIRS = {")": "(", "]": "[", "}": "{"}
_CLOSED_BY = {opened: closed for closed, opened in _PAIRS.items()}
_SAID = {
    "±": "± stands for two values; write one for each case, as in {1 for x > 0; -1 for x < 0}",
    "!": "a factorial has no derivative; ! has no meaning here",
    "?": "? has no meaning here; write cases as in {1 for x > 0; -1 for x < 0}",
    "∫": "an answer is a derivative, without ∫",
    "≈": "write numbers as they are, such as 1/3; ≈ has no meaning here",
    "%": "write 50/100 for 50%; % has no meaning here",
}
_FINE = set("+-*/^=<>()[]{}.,;:|'\"_@ \t\n\\$&#%") | set("·⋅×∗•∙⊙÷∕⊘−–π∞√∛∜ᵀ½’′″≤≥σ‖⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿˣ∂λ")
_OPERATORS = "+-*/^=·⋅×"
_WORD = re.compile(r"[^\W\d]\w*")


def misread(answer: str, error: ParseError, is_function: Callable[[str], bool]) -> ParseError:
    """Return the error about the answer as it was written; the reader's own where nothing better is known."""
    complaint = next(_complaints(answer, is_function), None)
    return error if complaint is None else refused_at(answer, *complaint)


def _complaints(text: str, is_function: Callable[[str], bool]) -> Iterator[tuple[int, str]]:
    yield from _of_words(text, is_function)
    for k, sign in enumerate(text):
        if sign in _SAID:
            yield k, _SAID[sign]
        elif not sign.isalnum() and sign not in _FINE:
            yield k, f"the sign {sign} has no meaning here" if sign.isprintable() else "a sign that cannot be seen"
    yield from _of_brackets(text)
    yield from _of_places(text)


def _of_words(text: str, is_function: Callable[[str], bool]) -> Iterator[tuple[int, str]]:
    for match in _WORD.finditer(text):
        word, behind = match[0], text[match.end() :].lstrip()
        if word == "or":
            yield match.start(), "give one answer, not two"
        elif is_function(word) and len(word) > 1 and (not behind or behind[0] in "+-*/)]},;="):
            yield match.start(), f"{word} is a function: write its argument, as in {word}(x)"
        elif behind.startswith("(") and len(word) > 1 and not is_function(word):
            yield match.start(), f"{word} is not a function that is known here; write a product as {word}*(…)"


def _of_brackets(text: str) -> Iterator[tuple[int, str]]:
    opened: list[int] = []
    for k, sign in enumerate(text):
        if sign in _CLOSED_BY:
            opened.append(k)
        elif sign in _PAIRS:
            if not opened:
                yield k, f"this bracket closes none: leave it out, or write {_PAIRS[sign]} where it should begin"
                return
            begun = text[opened.pop()]
            if begun != _PAIRS[sign]:
                yield k, f"{begun} is closed by {_CLOSED_BY[begun]}, and not by {sign}"
                return
    if opened:
        k = opened[-1]
        yield k, f"this bracket is never closed: write {_CLOSED_BY[text[k]]} behind what it holds"


def _of_places(text: str) -> Iterator[tuple[int, str]]:
    comma = re.search(r"\d,\d", text)
    if comma:
        yield comma.start() + 1, "write decimals with a point, as in 2.5"
    elif "," in text and "(" not in text and "[" not in text:
        yield text.index(","), "the answer is one formula; here a second one begins"
    stripped = text.rstrip()
    if stripped and stripped[-1] in _OPERATORS:
        yield len(stripped) - 1, f"something is missing behind {stripped[-1]}"
    first = len(text) - len(text.lstrip())
    if stripped and stripped[first] in "*/^·⋅×":
        yield first, f"something is missing before {stripped[first]}"
    twice = re.search(r"([*/^+·⋅×])\s*([/^·⋅×])|[/^]\s*\*|\*\s+\*", text)
    if twice:
        yield twice.end() - 1, f"something is missing before {text[twice.end() - 1]}"
    prime = re.search(r"\w\s*['′’]", text)
    if prime:
        yield prime.end() - 1, "work the derivative out: an answer has no dash ′ in it"
