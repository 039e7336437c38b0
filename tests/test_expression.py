"""``sg.parse``: formulas are read, all else is refused with its position, and nothing is executed."""

import time

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ParseError

READ = [
    ("sum((X @ w - y)**2)", {"X": ("n", "d"), "w": "d", "y": "n"}, "w", "2*Xᵀ*(X*w - y)"),
    ("x**2 * sin(x)", {"x": ()}, "x", "x*(x*cos(x) + 2*sin(x))"),
    ("x.sum()/3", {"x": 3}, "x", "1/3"),
    ("torch.linalg.inv(A).trace()", {"A": ("n", "n")}, "A", "-A⁻ᵀ*A⁻ᵀ"),
    ("sg.trace(A.T @ A)", {"A": ("n", "m")}, "A", "2*A"),
    ("x[1:] @ x[:-1]", {"x": 5}, "x", "scatter(x[1:], [:-1]) + scatter(x[:-1], [1:])"),
    ("np.exp(a) + e + pi", {"a": ()}, "a", "exp(a)"),
    ("einsum('ij,j->', A, x)", {"A": (2, 2), "x": 2}, "A", "1*xᵀ"),
    ("where(x > 0, x, 0).sum()", {"x": 4}, "x", "[x > 0]"),
    ("nn.functional.mse_loss(x, y, reduction='sum')", {"x": 4, "y": 4}, "x", "2*(x - y)"),
    ("  x \n + \t x ", {"x": ()}, "x", "2"),
]


@pytest.mark.parametrize(("text", "shapes", "by", "expected"), READ)
def test_a_formula_is_read(text, shapes, by, expected):
    f = sg.parse(text, shapes)
    assert str(sg.derive(f.value, f.leaves[by])) == expected


REFUSED = [
    ("__import__('os').system('touch /tmp/x')", "'system' is not a function"),
    ("().__class__.__bases__", ".__bases__ is not among the attributes"),
    ("x.__class__", ".__class__ is not"),
    ("x._value", "._value is not"),
    ("x.backward()", "'backward' is not a function"),
    ("open('/etc/passwd')", "'open' is not a function"),
    ("lambda: 1", "a lambda cannot be"),
    ("[a for a in x]", "a comprehension cannot be"),
    ("(y := 1)", ":= cannot be"),
    ("f'{x}'", "an f-string cannot be"),
    ("x if x else 1", "use where"),
    ("{}", "a dict cannot be"),
    ("x and x", "and, or cannot be"),
    ("x < 1 < 2", "two comparisons"),
    ("sum(*x)", "* cannot be"),
    ("sum(**x)", "** cannot be"),
    ("9**9**9", "the exponent 3.8742e+08 is larger than 1000"),
    ("x**1e9", "the exponent 1e+09 is larger than 1000"),
    ("12345678901234567890 * x", "16 digits"),
    ("1j*x", "a constant of type complex"),
    ("b'x'", "a constant of type bytes"),
    ("'a' * 100000", "between numbers and arrays only"),
    ("y + 1", "the name 'y' is not declared (declared: x)"),
    ("eye(100000)", "larger than 10000"),
    ("eye(9999)", "more than 1000000 entries"),
    ("tile(tile(ones(1000), 1000), 1000)", "more than 1000000 entries"),
    ("einsum('i,j,k->ijk', ones(999), ones(999), ones(999))", "more than 1000000 entries"),
    ("ones(1000) * outer(ones(1000), ones(1000))", "more than 1000000 entries"),
    ("1/0", "ZeroDivisionError"),
    ("x @ x", "at sign 1"),
    ("x +", "this is not a formula"),
    ("", "this is not a formula"),
    ("x\0", "null bytes"),
    ("(" * 61 + "x" + ")" * 61, "brackets are nested more than 60 deep"),
    ("-" * 100 + "x", "nested more than 60 deep"),
    ("**".join(["x"] * 100), "nested more than 60 deep"),
    ("+".join(["x"] * 800), "more than 2000 parts"),
    ("+".join(["x"] * 4000), "cannot be read"),
    ("x" * 10_001, "10001 signs"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[t[:20] for t, _ in REFUSED])
def test_what_is_no_formula_is_refused(text, reason):
    start = time.process_time()
    with pytest.raises(ParseError) as caught:
        sg.parse(text, {"x": ()})
    assert reason in str(caught.value)
    assert time.process_time() - start < 2


def test_a_refusal_marks_the_place():
    with pytest.raises(ParseError) as caught:
        sg.parse("sum(θ) + foo(θ)", {"θ": 3})
    assert str(caught.value) == (
        "parse: 'foo' is not a function that formulas may call, at sign 10:\n  sum(θ) + foo(θ)\n           ^"
    )


@pytest.mark.parametrize("name", ["1x", "a b", "__class__", "", "x;y", 3])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(ParseError, match="cannot be a name"):
        sg.parse("1", {name: ()})


def test_a_formula_is_a_function_that_can_be_differentiated_and_compiled():
    f = sg.parse("sum((X @ w - y)**2)", {"X": (4, 3), "w": 3, "y": 4})
    rng = np.random.default_rng(0)
    X, w, y = rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=4)
    gradient = 2 * X.T @ (X @ w - y)
    np.testing.assert_allclose(sg.grad(f, 1)(X, w, y), gradient)
    np.testing.assert_allclose(sg.compile(sg.grad(f, 1))(X, w, y), gradient)
    with pytest.raises(TypeError, match="takes X, w, y; got 1 arguments"):
        f(X)


def test_a_declared_name_hides_a_constant_and_a_function():
    f = sg.parse("e * sum", {"e": (), "sum": ()})
    assert str(sg.derive(f.value, f.leaves["e"])) == "sum"


def test_a_leaf_may_be_given_with_its_marks():
    f = sg.parse("x @ A @ x", {"x": "n", "A": sg.symbol("A", ("n", "n"), symmetric=True)})
    assert str(sg.derive(f.value, f.leaves["x"])) == "2*A*x"
