"""By which identity two formulas of numbers are equal, as lessons quote it."""

import pytest
import sympy as sp

from symgrad.forms.rewrites.identities import OPENINGS, RULES, everywhere
from symgrad.forms.rewrites.reasons import reason

x = sp.Symbol("x", real=True)
root = sp.sqrt(x + sp.sqrt(x))


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        (x * (x + 1), x**2 + x, ""),
        (1 / (1 + 1 / root), root / (root + 1), ""),
        ((x + sp.sqrt(x)) / root, root, ""),
        (sp.cos(x) ** 2 + sp.sin(x) ** 2, sp.S.One, "sin² + cos² = 1"),
        (2 * sp.sin(x) * sp.cos(x), sp.sin(2 * x), "double angle"),
        (x * sp.sign(x), sp.Abs(x), "x·sign(x) = |x|"),
        (sp.cosh(x) ** 2 - 1, sp.sinh(x) ** 2, "cosh² − sinh² = 1"),
        (1 / (sp.tan(x) * sp.cos(x)), 1 / sp.sin(x), "tan = sin/cos"),
        (sp.log(x**2 * (x + 1)), 2 * sp.log(sp.Abs(x)) + sp.log(sp.Abs(x + 1)), "laws of logarithms"),
        (sp.sqrt(x) * sp.sqrt(1 - x), sp.sqrt(x * (1 - x)), "√a·√b = √(a·b)"),
        (x, sp.sin(x), None),
        (x + 1, x, None),
    ],
)
def test_the_reason_is_the_identity_under_which_both_sides_are_equal(a, b, says):
    assert reason(a, b) == says


@pytest.mark.parametrize("rule", [*OPENINGS, *RULES], ids=lambda rule: rule.says)
def test_every_identity_has_words_and_its_formula(rule):
    assert rule.says
    assert rule.apply.__doc__.endswith(".")
    assert everywhere(x, rule) == x
