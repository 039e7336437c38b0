"""The rules of calculus with a slip, as pupils write them: u and v are the parts, du and dv their derivatives."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from symgrad.expression.arithmetic import put
from symgrad.expression.formula import Formula, Name
from symgrad.expression.grammar import read


class WrongRule(NamedTuple):
    """A wrong right side: the slip, its weight, the formula, and what is said of ``{u}``, ``{v}`` and ``{here}``."""

    slip: str
    weight: int
    formula: str
    hint: str

    def made(self, letters: dict[str, Formula]) -> Formula:
        """Return it with formulas in place of its letters."""
        return put(_read(self.formula), {Name(letter): part for letter, part in letters.items()})


@lru_cache(maxsize=128)
def _read(formula: str) -> Formula:
    return read(formula).tree


def rows(slip: str, hint: str, formulas: dict[int, str]) -> list[WrongRule]:
    """Return a rule for each formula, by its weight."""
    return [WrongRule(slip, weight, formula, hint) for weight, formula in formulas.items()]


INNER = "The inner function {v} has a derivative too: multiply by it."
_SQUARE = "The quotient rule divides by the square of the denominator {v}."
_PARTS = "Do not differentiate the numerator and the denominator separately. For {here}: (u/v)' = (u'*v - u*v')/v^2."
_BELOW = "The constant {v} in the denominator is unchanged in the derivative of {here}."
_LOGARITHMS = "take logarithms first, ({log} f)' = f'/f."
_NO_POWER = "In {here} the variable is in the exponent, so the power rule does not apply."
_POWER = "The power rule for {here}: the exponent comes down as a factor, and is one less above."
_LOST = "The derivative of {here} has a factor that is lost here."

QUOTIENT = [  # for (u'·v − u·v′)/v²
    *rows("quotient-square", _SQUARE, {12: "(du*v - u*dv)/v", 13: "du*v - u*dv"}),
    *rows(
        "quotient-sign",
        "Check the sign in the numerator for {here}: (u/v)' = (u'*v - u*v')/v^2, in this order.",
        {10: "(du*v + u*dv)/v**2", 11: "(u*dv - du*v)/v**2"},
    ),
    *rows("quotient", _PARTS, {
        10: "du/dv", 14: "du/v", 15: "-(u*dv/v**2)", 16: "(du*v - u*dv)/dv**2", 17: "du*dv/v**2", 18: "du*dv",
    }),
]  # fmt: skip
CONSTANT_BELOW = rows("constant", _BELOW, {70: "du", 71: "v*du"})  # for u′/v
RECIPROCAL = [  # for −u·v′/v² of a constant u
    *rows("quotient-square", _SQUARE, {12: "-(u*dv)/v", 13: "-(u*dv)"}),
    *rows("sign", "Check the sign of the derivative of {here}.", {60: "u*dv/v**2"}),
]
RECIPROCAL_OF_NAME = rows("quotient", _PARTS, {43: "u/dv"})  # few take 1/x for 1/x′
RECIPROCAL_OF_MORE = [*rows("chain", INNER, {41: "-(u/v**2)"}), *rows("quotient", _PARTS, {16: "u/dv"})]
# m is one less than the exponent v, k one more, j two less
POWER = rows("power", _POWER, {30: "m*u**m*du", 31: "u**m*du", 32: "v*u**v*du", 33: "v*u**k*du", 34: "v*u**j*du"})
SQUARE = [
    *rows("factor-2", "The square {here} brings its exponent down.", {30: "u*du"}),
    *rows("factor-2", "The square {here} brings one factor 2 down.", {31: "4*u*du"}),
]
EXPONENTIAL = rows("power", _NO_POWER, {35: "v*u**m", 36: "v*u**m*dv"})
LOST_FACTOR = rows("constant", _LOST, {50: "u**v*dv"})
BOTH_VARY = [
    *rows("power", f"{_NO_POWER} It stands below too: {_LOGARITHMS}", {35: "v*u**m*du", 36: "v*u**m*dv"}),
    *rows(
        "power",
        f"The rule for exponentials holds for a constant base; in {{here}} the base varies too: {_LOGARITHMS}",
        {38: "u**v*log(u)*dv"},
    ),
]


def without(table: list[WrongRule], *weights: int) -> Iterator[WrongRule]:
    """Yield the rules of a table apart from those of some weights."""
    return (rule for rule in table if rule.weight not in weights)
