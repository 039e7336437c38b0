"""``sg.explain`` of ``prod``: a few entries are multiplied out and differentiated by the product rule."""

import numpy as np
import pytest

import symgrad as sg


@pytest.mark.parametrize(
    ("f", "lines"),
    [
        ("prod([x, sin(x), exp(x)])", ["product rule (u·v·w)′", "= exp(x)·(sin(x) + x·cos(x) + x·sin(x))"]),
        ("prod([x**2, prod([x + 1, log(x)])])", ["f(x) = x²·(x + 1)·log(x)", "= x·(x + log(x)·(3x + 2) + 1)"]),
        ("prod([x, x])", ["f(x) = x²", "f′(x) = 2x"]),
        ("prod([x, 0, y])", ["f(x) = 0", "f′(x) = 0"]),
    ],
)  # fmt: skip
def test_products_of_terms_are_written_out(f, lines):
    text = str(sg.explain(f, "x"))
    assert all(line in text for line in lines)


def test_products_of_entries_are_differentiated_entry_by_entry():
    text = str(sg.explain("prod(x**2 + 1)", "x", shapes={"x": 2}))
    assert "f(x₀, x₁) = (x₀² + 1)·(x₁² + 1)" in text
    assert "∂f/∂x₁ = 2x₁·(x₀² + 1)" in text
    text = str(sg.explain(lambda x: x.prod() * x[0], at=[3.0, 2.0]))
    assert "∂f/∂x₁ = x₀²" in text


def test_a_factor_that_is_zero_leaves_the_product_of_the_others():
    e = sg.explain(lambda x: x.prod(), at=[0.0, 2.0, 3.0])
    assert [line.strip() for line in str(e).splitlines() if "= 6" in line] == ["∂f/∂x₀ = 6"]
    np.testing.assert_array_equal(e.form(x=[0.0, 2.0, 3.0]), [6, 0, 0])


@pytest.mark.parametrize("shape", ["n", 20])
def test_products_of_many_entries_say_what_belongs_to_each(shape):
    e = sg.explain("prod(x)", "x", shapes={"x": shape})
    assert "∂f/∂x_i = Π_(j≠i) x_j" in str(e)
    assert e.style == "matrix"
    form = sg.explain("prod(x)*sum(x*y)", "x", shapes={"x": 4, "y": 4}).form  # 8 entries are too many
    assert form.args == ("x", "y")
