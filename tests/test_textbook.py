"""Derivatives that a textbook prints, as a textbook prints them: right, and written so."""

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad.forms.evaluate_matrix import evaluate_matrix

SIZES = {"n": 5, "d": 3, "k": 4}
x, a, p = sg.symbol("x", "n"), sg.symbol("a", "n"), sg.symbol("p", "n", positive=True)
X = sg.symbol("X", ("n", "d"))

TABLE = {
    "variance": (x.var(), x, 1, "2*(x - mean(x))/(n - 1)"),
    "Hessian of a variance": (x.var(), x, 2, "2*(I - 1*1ᵀ/n)/(n - 1)"),
    "standard deviation": (x.std(), x, 1, "(x - mean(x))/((n - 1)*std(x))"),
    "variances of columns": (X.var(0).sum(), X, 1, "2*(X - 1*1ᵀ*X/n)/(n - 1)"),
    "third central moment": (
        ((x - x.mean()) ** 3).mean(), x, 1, "3*((x - mean(x))^⊙2 - ‖x - mean(x)‖²/n)/n",
    ),
}  # fmt: skip


def values(form, seed):
    rng = np.random.default_rng(seed)
    drawn = {}
    for leaf, name in zip(form._leaves, form.args, strict=True):
        shape = tuple(SIZES.get(str(n), n) for n in leaf.shape)
        known = set(leaf.assumptions)
        drawn[name] = rng.uniform(0.5, 2.0, shape) if "positive" in known else rng.normal(size=shape)
        if "symmetric" in known:
            drawn[name] = drawn[name] @ drawn[name].T + np.eye(len(drawn[name]))
    return drawn


@pytest.mark.parametrize("y, wrt, order, text", TABLE.values(), ids=TABLE)
def test_derivative_is_printed_as_in_a_textbook(y, wrt, order, text):
    form = sg.derive(y, wrt, order=order)
    assert str(form) == text
    if form.args:  # else the sizes have no values
        given = values(form, 1)
        expected = form.lambdify()(**given)
        close(evaluate_matrix(form.expr, expected.shape, {**given, **SIZES}), expected, 1e-9)
