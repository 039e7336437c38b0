"""What a derivative is asked of: tensors, formulas as text, functions, forms; and by what."""

import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ParseError
from symgrad.scalars import SCALARS

x, a = sg.symbol("x", "n"), sg.symbol("a", "n")
t = sg.symbol("t")
CLASSROOM = "1/(3*abs(x)**(2/3)) + tan(x)*abs(a)**(1/3)*sign(a)/cos(x)"
SHAPES = {"X": ("n", "d"), "w": "d", "y": "n"}
FOUND = {
    "a string": (lambda: sg.derive("x**2*sin(x)", "x"), "x*(x*cos(x) + 2*sin(x))"),
    "a string of arrays": (lambda: sg.derive("sum((X @ w - y)**2)", "w", shapes=SHAPES), "2*Xᵀ*(X*w - y)"),
    "its second derivative": (lambda: sg.derive("sum((X @ w - y)**2)", "w", 2, shapes=SHAPES), "2*Xᵀ*X"),
    "a string with two names": (lambda: sg.derive("a*x**2", ["x", "a"]), "d/dx = 2*a*x\nd/da = x**2"),
    "a name that is a constant's": (lambda: sg.derive("e*x**2", "e"), "x**2"),
    "a list of strings": (lambda: sg.derive(["x*y", "x + y"], ["x", "y"]), "d/dx = [y, 1]\nd/dy = [x, 1]"),
    "a tuple of strings": (lambda: sg.derive(("x y**2", "x -y"), "y", 2), "[2*x, 0]"),
    "an expression": (lambda: sg.derive(sg.parse("x**2", {"x": ()}), "x"), "2*x"),
    "a function": (lambda: sg.derive(lambda x: x**2, "x"), "2*x"),
    "a function of two": (lambda: sg.derive(lambda x, k: k * x**2, "k"), "x**2"),
    "a function with a default": (lambda: sg.derive(lambda x, k=3: k * x**2, "x"), "6*x"),
    "a function of arrays": (lambda: sg.derive(lambda u, v: u @ v, "v", shapes={"u": 3, "v": 3}), "u"),
    "a function of another name": (lambda: sg.derive(sg.exp, "z"), "exp(z)"),
    "a tensor by name": (lambda: sg.derive((x @ a) ** 2, "x"), "2*(xᵀ*a)*a"),
    "a tensor by names": (lambda: sg.derive(x @ a, ("x", a)), "d/dx = a\nd/da = x"),
    "a form by name": (lambda: sg.derive(sg.derive(x @ x, "x"), "x"), "2*I"),
    "a string without the name": (lambda: sg.derive("y**2", "x"), "0"),
    "a number before a bracket": (lambda: sg.derive("x(x + 1)", "x"), "2*x + 1"),
    "a string of a number": (lambda: sg.derive("5", "x", order=2), "0"),
    "a string without one of two": (lambda: sg.derive("y**2", ["x", "y"]), "d/dx = 0\nd/dy = 2*y"),
    "a string of other arrays": (lambda: sg.derive("sum(y**2)", "x", shapes={"x": "m", "y": "n"}), "0"),
    "a constant function": (lambda: sg.derive(lambda x: 5, "x"), "0"),
    "a function without its parameter": (lambda: sg.derive(lambda u, v: v**2, "u"), "0"),
    "a part behind detach": (lambda: sg.derive(t * t.detach(), t), "t"),
    "a classroom's function": (lambda: sg.derive("sec(x)*cbrt(a) + cbrt(x)", "x"), CLASSROOM),
    "names that functions have": (lambda: sg.derive("F*t - std*mean", "t"), "F"),
    "the larger of two numbers": (lambda: sg.derive("a*max(x, 2) + min(2, 3)", "x"), "a*[x > 2]"),
    "a symbol that a name stands for": (lambda: sg.derive("x @ v", "v", shapes={"x": x, "v": a}), "x"),
}  # fmt: skip
REFUSED = {
    "a number": (lambda: sg.derive(3, "x"), ArgumentTypeError, "a formula as text or a function, got int"),
    "no such name": (lambda: sg.derive(x @ a, "z"), GraphError, "has no name 'z'.* Its names are: 'x', 'a'"),
    "no such parameter": (lambda: sg.derive(lambda u, v: u * v, "z"), GraphError, "Its names are: 'u', 'v'"),
    "a name of two": (lambda: sg.derive(x @ sg.symbol("x", "n"), "x"), GraphError, "several tensors are called 'x'"),
    "shapes of a tensor": (lambda: sg.derive(x @ a, "x", shapes={"x": 3}), ArgumentError, "A Tensor has its own"),
    "shapes of no parameter": (
        lambda: sg.derive(lambda u: u, "u", shapes={"v": 3}), ArgumentError, r"\['v'\].* It takes \['u'\]",
    ),
    "no result": (lambda: sg.derive(lambda x: None, "x"), ArgumentTypeError, "got NoneType"),
    "no names": (lambda: sg.derive(dict, "x"), ArgumentTypeError, "have no names"),
    "all behind detach": (lambda: sg.derive(t.detach() ** 2, t), GraphError, "made of t only through detach"),
    "all under no_grad": (lambda: sg.derive(sg.no_grad()(lambda t: t**2), "t"), GraphError, "gradient is cut"),
    "explained under no_grad": (lambda: sg.explain(sg.no_grad()(lambda t: t**2)), GraphError, "gradient is cut"),
    "a number's tensor": (lambda: sg.derive(sg.tensor(5.0), t), GraphError, "has no graph"),
    "a larger number than floats": (lambda: sg.derive("1e400*x", "x"), ParseError, "too large"),
    "a smaller number than floats": (lambda: sg.derive("1e-400*x", "x"), ParseError, "too small"),
    "a product out of floats": (lambda: sg.derive("1e200*1e200*x", "x"), ParseError, "too large"),
    "nan": (lambda: sg.derive("nan*x", "x"), ParseError, "nan is not a number"),
    "no function": (lambda: sg.derive("sine(x)", "x"), ParseError, "'sine' is not a function.* Did you mean 'sin'"),
    "a letter that is called": (lambda: sg.derive("f(x + 1)", "x"), ParseError, r"for the product write f\*\(…\)"),
    "an equation in a list": (lambda: sg.derive(["x = y", "x"], "x"), ArgumentError, "'x = y' is an equation"),
    "no formula": (lambda: sg.derive("x**2 +* 3", "x"), ParseError, "this is not a formula"),
}  # fmt: skip


@pytest.mark.parametrize(("found", "text"), FOUND.values(), ids=FOUND)
def test_a_derivative_is_asked_of(found, text):
    assert str(found()) == text


@pytest.mark.parametrize(("asked", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_differentiated_is_said(asked, kind, message):
    with pytest.raises(kind, match=message):
        asked()


@pytest.mark.parametrize("asked", ["5", "y**2", lambda x: 5, lambda x, y: y**2])
def test_what_does_not_contain_the_name_is_explained_as_constant(asked):
    assert str(sg.explain(asked, "x")).endswith("a constant has the derivative 0:\n  f′(x) = 0")


def test_every_function_of_one_number_can_be_called_in_a_text():
    public = [*sg.__all__, *sg.special.__all__]
    for name in {d.name for d in SCALARS.values() if not d.library}.intersection(public):
        places = "1, x" if name == "polygamma" else ", ".join("xyz"[: SCALARS[name].nargs])
        assert sg.parse(f"{name}({places})", dict.fromkeys("xyz", ())).value.shape == ()
