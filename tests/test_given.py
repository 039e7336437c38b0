"""What a derivative is asked of: tensors, formulas as text, functions, forms; and by what."""

import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ParseError

x, a = sg.symbol("x", "n"), sg.symbol("a", "n")
SHAPES = {"X": ("n", "d"), "w": "d", "y": "n"}
FOUND = {
    "a text": (lambda: sg.derive("x**2*sin(x)", "x"), "x*(x*cos(x) + 2*sin(x))"),
    "a text of arrays": (lambda: sg.derive("sum((X @ w - y)**2)", "w", shapes=SHAPES), "2*Xᵀ*(X*w - y)"),
    "its second derivative": (lambda: sg.derive("sum((X @ w - y)**2)", "w", 2, shapes=SHAPES), "2*Xᵀ*X"),
    "a text with two names": (lambda: sg.derive("a*x**2", ["x", "a"]), "d/dx = 2*a*x\nd/da = x**2"),
    "a name that is a constant's": (lambda: sg.derive("e*x**2", "e"), "x**2"),
    "an expression": (lambda: sg.derive(sg.parse("x**2", {"x": ()}), "x"), "2*x"),
    "a function": (lambda: sg.derive(lambda x: x**2, "x"), "2*x"),
    "a function of two": (lambda: sg.derive(lambda x, k: k * x**2, "k"), "x**2"),
    "a function with a default": (lambda: sg.derive(lambda x, k=3: k * x**2, "x"), "6*x"),
    "a function of arrays": (lambda: sg.derive(lambda u, v: u @ v, "v", shapes={"u": 3, "v": 3}), "u"),
    "a function of another name": (lambda: sg.derive(sg.exp, "z"), "exp(z)"),
    "a tensor by name": (lambda: sg.derive((x @ a) ** 2, "x"), "2*(xᵀ*a)*a"),
    "a tensor by names": (lambda: sg.derive(x @ a, ("x", a)), "d/dx = a\nd/da = x"),
    "a form by name": (lambda: sg.derive(sg.derive(x @ x, "x"), "x"), "2*I"),
    "a symbol that a name stands for": (lambda: sg.derive("x @ v", "v", shapes={"x": x, "v": a}), "x"),
}  # fmt: skip
REFUSED = {
    "a number": (lambda: sg.derive(3, "x"), ArgumentTypeError, "a formula as text or a function, got int"),
    "no such name": (lambda: sg.derive(x @ a, "z"), GraphError, "nothing is called 'z'.* The names are: 'x', 'a'"),
    "no such parameter": (lambda: sg.derive(lambda u, v: u * v, "z"), GraphError, "The names are: 'u', 'v'"),
    "a name of two": (lambda: sg.derive(x @ sg.symbol("x", "n"), "x"), GraphError, "several tensors are called 'x'"),
    "shapes of a tensor": (lambda: sg.derive(x @ a, "x", shapes={"x": 3}), ArgumentError, "A Tensor has its own"),
    "shapes of no parameter": (
        lambda: sg.derive(lambda u: u, "u", shapes={"v": 3}), ArgumentError, r"\['v'\].* It takes \['u'\]",
    ),
    "no result": (lambda: sg.derive(lambda x: None, "x"), ArgumentTypeError, "got NoneType"),
    "no names": (lambda: sg.derive(dict, "x"), ArgumentTypeError, "have no names"),
    "no formula": (lambda: sg.derive("x**2 +* 3", "x"), ParseError, "this is not a formula"),
}  # fmt: skip


@pytest.mark.parametrize(("found", "text"), FOUND.values(), ids=FOUND)
def test_a_derivative_is_asked_of(found, text):
    assert str(found()) == text


@pytest.mark.parametrize(("asked", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_differentiated_is_said(asked, kind, message):
    with pytest.raises(kind, match=message):
        asked()
