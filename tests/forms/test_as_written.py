"""What the user wrote stays in formulas of arrays: decimals, and differences such as x - mean(x)."""

import pytest

import symgrad as sg

x, w, y = sg.symbol("x", "n"), sg.symbol("w", "d"), sg.symbol("y", "n")
X, S, a = sg.symbol("X", ("n", "d")), sg.symbol("S", ("n", "n")), sg.symbol("a", "n")


@pytest.mark.parametrize(
    ("f", "by", "text"),
    [
        (0.3 * (x @ x), x, "0.6*x"),
        (((X @ w - y) ** 2).sum() + 0.01 * (w @ w), w, "0.02*w + 2*Xᵀ*(X*w - y)"),
        (sg.exp(-0.2 * x).sum(), x, "-0.2*exp(-0.2*x)"),
        (sg.exp(-0.5 * (x @ x)), x, "-exp(-‖x‖²/2)*x"),
        (((x - 0.9 * y) ** 2).sum(), x, "2*(x - 0.9*y)"),
    ],
    ids=("scale", "ridge", "decay", "halves alone", "difference"),
)
def test_decimals_stay_decimals(f, by, text):
    assert str(sg.derive(f, by)) == text


@pytest.mark.parametrize(
    ("field", "text"),
    [
        (["0.1*x*y", "2.5*x + y"], "[0.1*y, 2.5]"),
        (["1.1*x - 0.4*x*y", "0.1*x*y - 0.4*y"], "[1.1 - 0.4*y, 0.1*y]"),
        (["0.1*x**2", "0.2*x**2"], "x*[0.2, 0.4]"),
        (["x/3", "x/2"], "[2, 3]/6"),
    ],
)
def test_decimals_of_a_vector_field_stay_decimals(field, text):
    assert str(sg.derive(field, "x")) == text


def test_two_cases_with_one_value_are_written_as_one():
    text = "{0 if cos(t) = 0 and sin(t) = 0; 4/(3*cos(2*t) + 5) otherwise}"
    assert str(sg.derive("atan2(sin(t), 2*cos(t))", "t")) == text


def test_index_notation_has_the_same_decimals():
    assert str(sg.derive(0.3 * (x @ S @ x) + sg.exp(-0.2 * x).sum(), x).index("i")) == (
        "0.3*Sum_k x_k*(S_ik + S_ki) - 0.2*exp(-0.2*x_i)"
    )


@pytest.mark.parametrize(
    ("f", "by", "text"),
    [
        (sg.sqrt(((x - x.mean()) ** 2).mean()), x, "r/(sqrt(n)*‖r‖) where r = x - mean(x)"),
        ((x - a) @ sg.linalg.inv(S) @ (x - a) / 2, a, "-(S⁻¹ + S⁻ᵀ)*(x - a)/2"),
    ],
    ids=("standard deviation", "Mahalanobis by the mean"),
)
def test_differences_of_the_user_are_found_again(f, by, text):
    assert str(sg.derive(f, by)) == text


p, k, n = sg.symbol("p", ()), sg.symbol("k", ()), sg.symbol("n", ())


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (k * sg.log(p) + (n - k) * sg.log(1 - p), "(k - n*p)/(p*(1 - p))"),
        (-(k * sg.log(p) + (1 - k) * sg.log(1 - p)), "(p - k)/(p*(1 - p))"),
        (sg.log(p / (1 - p)), "1/(p*(1 - p))"),
        (k / (p - 1) + p, "1 - k/(p - 1)**2"),
    ],
    ids=("binomial", "cross entropy", "logit", "other sign"),
)
def test_differences_of_numbers_have_the_sign_that_was_written(f, text):
    assert str(sg.derive(f, p)) == text


def test_sizes_of_differences_do_not_depend_on_their_sign():
    K, d = sg.symbol("K", ("n", "n"), symmetric=True), x[:, None] - x[None, :]
    assert str(sg.derive((K * (sg.abs(d) - 1) ** 2).sum() / 2, x)) == (
        "2*(K ⊙ (abs(R) - 1) ⊙ sign(R))*1 where R = x*1ᵀ - 1*xᵀ"
    )


@pytest.mark.parametrize(
    ("f", "text"),
    [
        ("1/2*x**4 + 3/4*x", "2*x**3 + 3/4"),
        ("0.5*x**4 + 0.75*x", "2*x**3 + 0.75"),
        ("-3/4*x", "-3/4"),
        ("(1/4 + 1/4)*x", "1/2"),
        ("0.5/2*x", "0.25"),
        ("(3/4)**2*x", "9/16"),
        ("(3/4)^2 x", "9/16"),
        ("2^{-1} x", "1/2"),
        ("0.5^2 x", "0.25"),
        ("sin(1/2*x)", "cos(x/2)/2"),
        ("sin(0.5*x)", "0.5*cos(0.5*x)"),
        ("½*x", "1/2"),
        (r"\frac{3}{4} x", "3/4"),
        ("x**(3/2)", "3*sqrt(x)/2"),
    ],
)
def test_typed_fractions_stay_fractions_and_decimals_decimals(f, text):
    assert str(sg.derive(f, "x")) == text
