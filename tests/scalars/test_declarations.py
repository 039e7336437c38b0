"""Each declared scalar function: its derivative is the derivative of its meaning, its kernels compute its meaning.

The witness is SymPy's ``diff`` of the textbook expression, evaluated by mpmath in 40 digits.
"""

import math
import re

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgrad as sg
import symgrad.scalars.tails  # and what it imports: they declare functions that distributions use
from symgrad.core.kernels import array_kernel, float_kernel
from symgrad.scalars import SCALARS as DECLARED
from symgrad.scalars import Atom, G, X, Y, differentiate, scale
from symgrad.scalars.declare import declare
from symgrad.scalars.shown import tidy

# SciPy's are in test_scipy_special.py, those of complex numbers in test_compile_complex.py.
SCALARS = {name: s for name, s in DECLARED.items() if not (s.library or name.startswith("complex_"))}
POINTS = 50
# Arguments that run over something else than the declaration's ``core``.
LOW, HIGH = [-2.5, -1.2, 0.1], [0.4, 1.5, 2.8]
WITHIN = ["var_within", *(f"moment_within_{k}" for k in range(1, 5))]
OWN_RANGE = {
    ("polygamma", 0): [1, 2, 3],
    **{("log_within", 1): LOW, ("log_within", 2): HIGH},
    **{(name, k): ends for name in WITHIN for k, ends in enumerate((LOW, HIGH))},
}
ORDERS = {("polygamma", 0)}  # by which nothing is differentiated


@pytest.fixture(autouse=True)
def forty_digits():
    with mpmath.workdps(40):
        yield


def points(scalar):
    """Random points of the core interval, one row per point; away from kinks with probability 1."""
    rng = np.random.default_rng(0)
    columns = [
        rng.choice(OWN_RANGE[scalar.name, k], POINTS).astype(float)
        if (scalar.name, k) in OWN_RANGE
        else rng.uniform(*scalar.core, POINTS)
        for k in range(scalar.nargs)
    ]
    return list(zip(*columns, strict=True))


def spelled_out(e):
    """The expression with every function of symgrad's own replaced by its meaning."""
    while e.atoms(Atom):
        e = e.replace(lambda a: isinstance(a, Atom), lambda a: a.declared.meant(*a.args))
    return e


def value(e, at):
    """A number to 40 digits, from SymPy's classes alone."""
    env = {x: sp.Integer(v) if v == int(v) else sp.Float(v, 50) for x, v in zip(X, at, strict=False)}
    return float(sp.re(spelled_out(e).xreplace(env).doit().evalf(40)))


STEPS = (sp.floor, sp.ceiling, sp.sign)


def slope(scalar, i):
    """∂meaning/∂xi by SymPy."""
    return derivative(spelled_out(scalar.meaning), X[i])


def derivative(e, x):
    """de/dx between the jumps, where steps are constants: SymPy leaves their derivative open."""
    e = spelled_out(e).replace(sp.Mod, lambda a, b: a - b * sp.floor(a / b))
    steps = {s: sp.Dummy(real=True) for s in e.atoms(*STEPS)}
    return sp.diff(e.xreplace(steps), x).xreplace({d: s for s, d in steps.items()})


def partial(scalar, i):
    """The declared partial derivative, with the meaning put for the output."""
    return scalar.partials[i].xreplace({Y: scalar.meaning})


def arguments(name):
    return [(name, i) for i in range(SCALARS[name].nargs) if (name, i) not in ORDERS]


PLAIN = [name for name, scalar in SCALARS.items() if not scalar.ordered]
UNTYPED = {"polygamma", "written"}  # the one is computed in double precision, the other is the number 0 in programs
ARGUMENTS = [pair for name in PLAIN for pair in arguments(name)]


@pytest.mark.parametrize(("name", "i"), ARGUMENTS)
def test_declared_derivative_is_the_derivative_of_the_meaning(name, i):
    scalar = SCALARS[name]
    declared, expected = partial(scalar, i), slope(scalar, i)
    for at in points(scalar):
        assert value(declared, at) == pytest.approx(value(expected, at), rel=1e-13, abs=1e-13), at


SMOOTH = [
    (name, i) for name, i in ARGUMENTS
    if not SCALARS[name].hidden
    and not spelled_out(partial(SCALARS[name], i)).has(sp.Piecewise, sp.sign)
    and not spelled_out(SCALARS[name].meaning).has(sp.Mod, *STEPS)
]  # fmt: skip


@pytest.mark.parametrize(("name", "i"), SMOOTH)
def test_sympy_proves_the_declared_derivative(name, i):
    scalar = SCALARS[name]
    difference = spelled_out(partial(scalar, i)) - slope(scalar, i)
    inside = sp.Symbol("t", positive=True)  # of an interval where all roots and logarithms are real
    at = {
        "atanh": -sp.exp(-inside),
        "asin": sp.sin(inside),
        "acos": sp.sin(inside),
        "acosh": 1 + inside,
        "entr": inside,
    }
    moved = difference.subs(X[i], at.get(name, X[i]))
    assert sp.simplify(sp.expand(moved, power_base=True, force=True).rewrite(sp.exp)) == 0 or sp.simplify(moved) == 0


@pytest.mark.parametrize("name", PLAIN)
def test_kernels_compute_the_meaning(name):
    scalar = SCALARS[name]
    body, args = scalar.function(*X[: scalar.nargs]), X[: scalar.nargs]
    rows = points(scalar)
    expected = [value(scalar.meaning, at) for at in rows]
    arrays = [np.array(column) for column in zip(*rows, strict=True)]
    np.testing.assert_allclose(array_kernel(body, args)(*arrays), expected, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose([float_kernel(body, args)(*at) for at in rows], expected, rtol=1e-14, atol=1e-15)
    if name not in UNTYPED:
        single = array_kernel(body, args)(*[a.astype(np.float32) for a in arrays])
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(("name", "i"), [(name, i) for name, i in ARGUMENTS if name not in UNTYPED])
def test_derivative_kernels_keep_single_precision(name, i):
    scalar = SCALARS[name]
    args = X[: scalar.nargs]
    once = scale(G, differentiate(scalar.function(*args), X[i]))
    twice = scale(G, differentiate(once / G, X[i]))
    arrays = [np.array(column, np.float32) for column in zip(*points(scalar), strict=True)]
    for body in (once, twice):
        if body != 0:
            found = array_kernel(body, (G, *args))(np.ones(POINTS, np.float32), *arrays)
            assert np.asarray(found).dtype == np.float32, body


@pytest.mark.parametrize(("name", "i"), [(name, i) for name, i in ARGUMENTS if name != "polygamma"])
def test_second_derivative_is_that_of_the_meaning(name, i):
    scalar = SCALARS[name]
    args = X[: scalar.nargs]
    twice = differentiate(differentiate(scalar.function(*args), X[i]), X[i])
    expected = derivative(slope(scalar, i), X[i]).replace(sp.DiracDelta, lambda *a: sp.S.Zero)
    rows = points(scalar)
    kernel = array_kernel(twice, args)
    found = np.broadcast_to(kernel(*[np.array(c) for c in zip(*rows, strict=True)]), POINTS)
    wanted = [value(expected, at) for at in rows]
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


# the order of gamma_rest is a sign, and it holds far in the tails alone, where tests of distributions compare it
ORDERED = [name for name, scalar in SCALARS.items() if scalar.ordered and not name.startswith("gamma_rest")]


@pytest.mark.parametrize("name", ORDERED)
@pytest.mark.parametrize("n", [2, 3, 4])
def test_functions_of_an_order_are_their_meaning_and_so_is_their_derivative(name, n):
    scalar = SCALARS[name]
    orders = (sp.Integer(n), sp.Integer(n - 2))[: scalar.ordered]
    args = X[: scalar.nargs - scalar.ordered]
    body, expected = scalar.function(*orders, *args), spelled_out(scalar.meant(*orders, *args))
    rows = [at[: len(args)] for at in points(scalar)]
    wanted = [value(expected, at) for at in rows]
    columns = [np.array(c) for c in zip(*rows, strict=True)]
    np.testing.assert_allclose(array_kernel(body, args)(*columns), wanted, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose([float_kernel(body, args)(*at) for at in rows], wanted, rtol=1e-12, atol=1e-14)
    for x in args:
        slope, exact = differentiate(body, x), derivative(expected, x)
        for at in rows[:10]:
            assert value(slope, at) == pytest.approx(value(exact, at), rel=1e-12), at


def test_functions_that_divide_by_their_argument_have_a_meaning_at_nought():
    at_nought = {name: [SCALARS[name].meant(n, sp.S.Zero) for n in (2, 3, 4)] for name in ("i0_nth", "sinc_nth")}
    assert at_nought["i0_nth"] == [sp.Rational(1, 2), 0, sp.Rational(3, 8)]
    assert at_nought["sinc_nth"] == [-(sp.pi**2) / 3, 0, sp.pi**4 / 5]


def test_a_number_common_to_the_terms_of_a_bracket_is_shown_in_front_of_it():
    a, b = sp.symbols("a b")
    shown = {
        a / 3 - b / 3: "(a - b)/3",
        -a - b: "-(a + b)",
        2 * a * b: "2*a*b",
        (2 * a + 2) * (b - 1): "2*(a + 1)*(b - 1)",
    }
    assert [str(tidy(e)) for e in shown] == list(shown.values())


def test_sympys_own_derivative_is_the_declared_one():
    t = sp.Symbol("t", real=True)
    assert SCALARS["sigmoid"].function(2 * t).diff(t) == 2 * SCALARS["sigmoid_slope"].function(2 * t)


# function, where, its value and derivative there
EXTREMES = [
    ("softplus", 1000.0, 1000.0, 1.0),
    ("softplus", -1000.0, 0.0, 0.0),
    ("softplus", -40.0, math.exp(-40), math.exp(-40)),
    ("sigmoid", 800.0, 1.0, 0.0),
    ("sigmoid", -800.0, 0.0, 0.0),
    ("sigmoid", -700.0, math.exp(-700), math.exp(-700)),
    ("sigmoid", 40.0, 1.0, math.exp(-40)),
    ("logsigmoid", -1000.0, -1000.0, 1.0),
    ("logsigmoid", 1000.0, 0.0, 0.0),
    ("logsigmoid", 40.0, -math.exp(-40), math.exp(-40)),
    ("tanh", 20.0, 1.0, 4 * math.exp(-40)),
    ("tanh", -300.0, -1.0, 4 * math.exp(-600)),
    ("tanh", 1000.0, 1.0, 0.0),
    ("expm1", 1e-20, 1e-20, 1.0),
    ("expm1", -50.0, -1.0, math.exp(-50)),
    ("log1p", 1e-20, 1e-20, 1.0),
    ("exp", -1000.0, 0.0, 0.0),
    ("exp", 1000.0, math.inf, math.inf),
    ("asinh", 1e100, math.log(2) + 100 * math.log(10), 1e-100),
    ("atan", 1e200, math.pi / 2, 0.0),
    ("erf", 10.0, 1.0, 2 / math.sqrt(math.pi) * math.exp(-100)),
    ("erfc", 20.0, float(mpmath.erfc(20)), -2 / math.sqrt(math.pi) * math.exp(-400)),
    ("lgamma", 1e300, 1e300 * (math.log(1e300) - 1), math.log(1e300)),
    ("lgamma", 1e-300, 300 * math.log(10), -1e300),
    ("sqrt", 1e-300, 1e-150, 0.5e150),
    ("rsqrt", 1e300, 1e-150, 0.0),
    ("reciprocal", 1e-150, 1e150, -1e300),
    ("relu", -1e308, 0.0, 0.0),
    ("log", 1e-308, math.log(1e-308), 1e308),
]


@pytest.mark.parametrize(("name", "x", "y", "dy"), EXTREMES)
@pytest.mark.parametrize("shape", [(), (1,), (40,)], ids=str)
def test_value_and_derivative_hold_at_extremes(name, x, y, dy, shape):
    leaf = sg.tensor(np.full(shape, x), requires_grad=True)
    with np.errstate(over="ignore"):  # where the value is infinite, NumPy says so
        result = getattr(sg, name)(leaf)
    result.sum().backward()
    np.testing.assert_allclose(result.detach().numpy(), np.full(shape, y), rtol=1e-13, atol=0)
    np.testing.assert_allclose(leaf.grad.numpy(), np.full(shape, dy), rtol=1e-13, atol=0)


def test_logits_loss_is_exact_where_the_textbook_formula_overflows():
    z = sg.tensor([1000.0, -1000.0, 1000.0, -1000.0], requires_grad=True)
    loss = sg.nn.functional.binary_cross_entropy_with_logits(z, sg.tensor([1.0, 0.0, 0.0, 1.0]), reduction="none")
    loss.sum().backward()
    np.testing.assert_array_equal(loss.detach().numpy(), [0.0, 0.0, 1000.0, 1000.0])
    np.testing.assert_array_equal(z.grad.numpy(), [0.0, 0.0, 1.0, -1.0])


def public(name):
    """The function of this name, wherever it is public."""
    return next(getattr(m, name) for m in (sg, sg.special, sg.nn.functional) if hasattr(m, name))


IN_FORMULAS_ONLY = ("normal_pdf",)  # a function that formulas name, and users write with exp


@pytest.mark.parametrize(
    "name", [n for n, s in SCALARS.items() if s.nargs == 1 and not s.hidden and n not in IN_FORMULAS_ONLY]
)
def test_float_kernel_falls_back_where_math_raises(name):
    """What ``math`` refuses (log 0, exp 1000, sqrt -1) is what NumPy makes of it, in a tensor without axes."""
    for x in (0.0, -2.5, 1000.0, -1000.0, math.inf, -math.inf, math.nan):
        with np.errstate(all="ignore"):
            scalar = public(name)(sg.tensor(x)).numpy()
            vector = public(name)(sg.tensor(np.full(100, x))).numpy()
        np.testing.assert_allclose(np.full(100, scalar), vector, rtol=1e-14, atol=0)


# ------------------------------------------------------------------ derivatives in words
NAMED = {s.text: s.name for s in SCALARS.values() if s.text != s.name} | {"ψ": "digamma", "I₀": "i0", "I₁": "i1"}
CALLED = r"(sinc|sinh|cosh|sin|cos|tan|log|sign|exp)"


def computed(words, x, y):
    """The value of a derivative as a docstring writes it: what comes before a comma, signs of products left out."""
    if words == "1 for x > 0, else 0":
        return float(x > 0)
    text = words.partition(",")[0].replace("|x|", "abs(x)").replace("φ(x)", "(exp(-x²/2)/√(2π))")
    for sign, name in NAMED.items():
        text = text.replace(f"{sign}(", f"_{name}(")
    text = re.sub(r"(\w)ˣ", r"\1^(x)", text).replace("²", "**2").replace("y**2", "(y**2)")
    text = re.sub(rf"\b{CALLED}(\*\*2)? (πx|\w+)", r"(\1(\3)\2)", text)  # sin x, cosh² x
    text = re.sub(r"\((\w+)\((\w+)\)\*\*2\)", r"((\1(\2))**2)", text).replace("πx", "pi*x").replace("π", "(pi)")
    text = re.sub(r"√(\(pi\)|\()", lambda m: "sqrt(pi)" if m[1] != "(" else "sqrt(", text)
    text = re.sub(r"\be\^\(", "exp(", text).replace("^", "**").replace("2x", "2*x").replace("2(", "2*(")
    text = re.sub(r"\) (?=[\w(])|(?<=\w) (?=[(_a-z])|\)(?=\()", lambda m: m[0].strip() + "*", text)
    space = {
        name: getattr(math, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "pi", "e")
    }
    own = {f"_{name}": lambda x, s=s: float(s.numpy(x)) for name, s in SCALARS.items()}
    own["_digamma"] = lambda x: float(SCALARS["polygamma"].numpy(0, x))
    return eval(text, space | own | {"sign": np.sign, "sinc": np.sinc, "abs": abs, "x": x, "y": y})


@pytest.mark.parametrize("scalar", [s for s in SCALARS.values() if s.slope], ids=lambda s: s.name)
def test_the_derivative_that_help_writes_is_the_one_declared(scalar):
    exact = slope(scalar, 0)
    for (x,) in points(scalar)[:3]:
        y = float(scalar.numpy(np.array([x]))[0])
        assert computed(scalar.slope, x, y) == pytest.approx(value(exact, (x,)), rel=1e-9), scalar.slope


def test_a_name_is_declared_once():
    with pytest.raises(ValueError, match="'exp' is already declared"):
        declare("exp", lambda x: sp.exp(x), lambda x, y: y, numpy=np.exp)
