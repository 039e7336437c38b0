"""The rules with a slip: each is read, and has another number than the right rule."""

import math

import pytest

from symgrad.expression.printer import typed as text
from symgrad.teach.answers import wrong_rules

U, V, DU, DV = 1.7, 2.6, 0.9, -1.3
RIGHT = {
    "QUOTIENT": (DU * V - U * DV) / V**2,
    "CONSTANT_BELOW": DU / V,
    "RECIPROCAL": -U * DV / V**2,
    "RECIPROCAL_OF_NAME": -U * DV / V**2,
    "RECIPROCAL_OF_MORE": -U * DV / V**2,
    "POWER": V * U ** (V - 1) * DU,
    "SQUARE": 2 * U * DU,
    "EXPONENTIAL": U**V * math.log(U) * DV,
    "LOST_FACTOR": U**V * math.log(U) * DV,
    "BOTH_VARY": U**V * (DV * math.log(U) + V * DU / U),
}
NAMES = {"u": U, "v": V, "du": DU, "dv": DV, "m": V - 1, "k": V + 1, "j": V - 2, "log": math.log}


def test_each_table_is_met():
    tables = {name for name, value in vars(wrong_rules).items() if isinstance(value, list) and name.isupper()}
    assert tables == {*RIGHT}


@pytest.mark.parametrize("table", RIGHT)
def test_each_rule_with_a_slip_is_wrong(table):
    for rule in getattr(wrong_rules, table):
        written = text(rule.made({})).replace("^", "**")
        assert abs(eval(written, dict(NAMES)) - RIGHT[table]) > 1e-3, rule
        assert rule.hint.format(u="u", v="v", here="f", log="log")
