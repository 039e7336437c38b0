"""``sg.grade`` of tangents and extrema: a line is compared by its coefficients, extrema place by place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import sympy as sp

from symgrad.errors import ParseError, SymgradError
from symgrad.expression.grammar import Reading, read
from symgrad.expression.reader import Expression, names_in, parse
from symgrad.forms.implicit_functions import sympy_of
from symgrad.teach.study.approximations import tangent
from symgrad.teach.study.study import study

_NEAR = 1e-9
_KIND = re.compile(r"\b(?:(?:local|global|relative|absolute|a|the)\s+)*(max|min)(?:imum|ima|\.)?(?![\w(])", re.I)
_POINT = re.compile(r"\(\s*([^(),;|]*(?:\([^()]*\)[^(),;|]*)*)[,;|]\s*([^(),;]*(?:\([^()]*\)[^(),;]*)*)\)")
_VALUE = re.compile(r"\bf\s*\(([^()]+)\)\s*=\s*([^,;\n]+)")
_PLACE = re.compile(r"(?:\b[^\W\d]\s*(?:_\w+\s*)?=|\bat\b(?!\s*[^\W\d]\s*(?:_\w+\s*)?=))\s*([^,;\n=]+)")


class Verdict(NamedTuple):
    """The slip of an answer, None where it is right; what to say; and the share that is right."""

    slip: str | None
    hint: str
    credit: float


RIGHT = Verdict(None, "Right.", 1.0)


# ------------------------------------------------------------------ tangents
def tangent_verdict(answer: str, of: str, x: str, at: Any) -> Verdict:
    """Return the verdict on the equation of a tangent: y = 6x − 9, 6x − 9, or 6x − y = 9.

    Raises:
        ParseError: if the answer is not the equation of a line.
    """
    line = tangent(of, **{x: at})
    symbol = sp.Symbol(x, real=True)
    mine = sp.expand(_right_side(answer, x))
    a, (height, slope) = line.at, line.derivatives
    if _is_zero(mine - height - slope * (symbol - a)):
        return RIGHT
    derivative = _expression(of, x).diff(symbol)
    for wrong, slip, hint in (
        (slope, "other", "This is the slope alone. A line through (a, f(a)) is y = f(a) + f'(a)*(x - a)."),
        (height + slope * symbol, "constant", f"The line goes through ({a}, f({a})): write {x} - a beside the slope."),
        (slope * symbol, "constant", f"The line goes through the origin, and not through ({a}, f({a}))."),
        (height + slope * (symbol + a), "sign", f"Check the sign within {x} - a."),
        (height - slope * (symbol - a), "sign", "Check the sign of the slope."),
        (height + derivative * (symbol - a), "other", f"The slope is a number: put {x} = {a} into the derivative."),
        (
            height - (symbol - a) / slope if slope != 0 else sp.zoo,
            "quotient",
            "This is the normal, and not the tangent.",
        ),
    ):
        if _is_zero(mine - wrong):
            return Verdict(slip, hint, 0.0)
    through, parallel = _is_zero(mine.subs(symbol, a) - height), _is_zero(mine.diff(symbol) - slope)
    if through:
        return Verdict("other", f"The line goes through the point of the curve, but its slope is not f'({a}).", 0.5)
    if parallel:
        return Verdict("constant", f"The slope is right, but the line does not go through ({a}, f({a})).", 0.5)
    return Verdict("other", "A tangent is y = f(a) + f'(a)*(x - a): check the slope and the point.", 0.0)


def _right_side(answer: str, x: str) -> Any:
    """Return y as a function of x."""
    sides = re.split(r"(?<![<>=!])=(?!=)", answer)
    if len(sides) > 2 or not all(s.strip() for s in sides):
        raise ParseError(f"grade: expected one equation of a line, such as y = 2*{x} - 1. Got {answer!r}.")
    if len(sides) == 1 or re.fullmatch(r"\s*(?:[ytTL](?:\s*_?\w)?(?:\s*\(\s*\w+\s*\))?)\s*", sides[0]):
        return _expression(sides[-1], x)
    y = sp.Symbol("y", real=True)
    solved = sp.solve(_expression(sides[0], x) - _expression(sides[1], x), y)
    if len(solved) != 1:
        raise ParseError(f"grade: expected the equation of a line in {x} and y. Got {answer!r}.")
    return solved[0]


def _expression(text: str, x: str) -> Any:
    reading: Reading = read(text, "paper", {x: 0, "y": 0}, answer=True)
    unknown = sorted({*names_in(reading, [x, "y"])} - {x, "y"})
    if unknown:
        raise ParseError(
            f"grade: the answer has {', '.join(unknown)}, which the problem does not contain. Its name: {x}."
        )
    return sympy_of(Expression(reading, {x: (), "y": ()}))


def _is_zero(e: Any) -> bool:
    """Whether an expression is 0, by its values."""
    names = sorted(e.free_symbols, key=str)
    if len(names) > 1:
        return False
    if e.has(sp.zoo, sp.nan):
        return False
    points = (sp.Rational(7, 10), sp.Rational(-13, 10), sp.Rational(29, 10)) if names else (0,)
    return all(abs(complex(e.subs(names[0], p) if names else e)) < _NEAR * 100 for p in points)


# ------------------------------------------------------------------ extrema
class Claim(NamedTuple):
    """An extremum as a pupil states it; no height where none is stated."""

    kind: str
    x: float
    y: float | None


def extrema_verdict(answer: str, of: str, x: str) -> Verdict:
    """Return the verdict on local extrema: "maximum at x = -1, minimum (1, -2)".

    Raises:
        ParseError: if the answer does not state an extremum.
    """
    truth = study(of, x).extrema
    if re.fullmatch(r"\s*(?:there\s+are\s+)?(?:none|no(?:\s+local)?\s+extrema|no)\.?\s*", answer, re.I):
        return RIGHT if not truth else Verdict("other", "f has local extrema: find where f' is 0.", 0.0)
    claims = list(_claims(answer))
    if not claims:
        raise ParseError(
            'grade: expected extrema, such as "maximum at x = -1, minimum (1, -2)". Got ' + repr(answer) + "."
        )
    left, problems, done = list(truth), [], 0
    for claim in claims:
        match = next((e for e in left if _near(claim.x, e.x)), None)
        if match is None:
            problems.append(Verdict("other", f"There is no local extremum at {x} = {claim.x:g}.", 0.0))
            continue
        left.remove(match)
        if claim.kind != match.kind:
            said = f"Check the kind of the extremum at {x} = {claim.x:g}: at a maximum f' changes from + to -."
            problems.append(Verdict("sign", said, 0.0))
        elif claim.y is not None and not _near(claim.y, match.y):
            problems.append(
                Verdict("other", f"The place {x} = {claim.x:g} is right; put it into f for the height.", 0.0)
            )
        else:
            done += 1
    if left and not problems:
        problems.append(Verdict("other", f"{len(left)} more to find: look for all zeros of f', and for kinks.", 0.0))
    if not problems:
        return RIGHT
    return problems[0]._replace(credit=done / max(len(truth), len(claims)))


def _near(value: float, place: Any) -> bool:
    """Whether a number is that of a place; one that is not rational may be rounded to three digits."""
    rounded = place.exact is None or not place.exact.is_rational
    far = abs(value - float(place))
    return far <= _NEAR * (1 + abs(value)) or (rounded and far <= 5e-3 * abs(float(place)))


def _claims(answer: str) -> Iterator[Claim]:
    """Yield what is said beside each word for a kind: after it, else before it."""
    words = list(_KIND.finditer(answer))
    ends = [*(w.start() for w in words[1:]), len(answer)]
    starts = [0, *(w.end() for w in words[:-1])]
    for word, end, start in zip(words, ends, starts):
        kind = "maximum" if word[1].lower() == "max" else "minimum"
        behind, before = list(_places(answer[word.end() : end])), list(_places(answer[start : word.start()]))
        follows = not before or bool(re.match(r"\s*(?:at|in|:|=|\()", answer[word.end() :]))
        for x, y in behind if follows and behind else before:
            yield Claim(kind, x, y)


def _places(text: str) -> Iterator[tuple[float, float | None]]:
    for pattern in (_POINT, _VALUE):
        pairs = [(_number(m[1]), _number(m[2])) for m in pattern.finditer(text)]
        known = [(a, b) for a, b in pairs if a is not None]
        if known:
            yield from known
            return
    for match in _PLACE.finditer(text):
        for part in re.split(r"\band\b", match[1]):
            for sign in (part.replace("±", ""), part.replace("±", "-")) if "±" in part else (part,):
                stated = re.split(r" is | with |\s\(", sign)[0]
                value = _number(stated)
                if value is not None:
                    yield value, None


def _number(text: str) -> float | None:
    try:
        return float(parse(text.strip().rstrip("."), {}, syntax="paper").value.numpy())
    except (SymgradError, TypeError, ValueError):
        return None
