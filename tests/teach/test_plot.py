"""Plots: curves with their derivatives and a tangent, broken where no line belongs; level lines with gradients."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, ParseError, ShapeError
from symgrad.teach.plot import _unit

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pytest.importorskip("matplotlib.pyplot")  # which sg.plot imports, but only when it draws


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    matplotlib.pyplot.close("all")


def curve(ax, start):
    """The numbers of the line whose label starts so."""
    (line,) = [line for line in ax.lines if line.get_label().startswith(start)]
    return np.array(line.get_xdata()), np.array(line.get_ydata())


def is_joined(ax, start, x):
    """Whether the line passes over x without a gap."""
    xs, ys = curve(ax, start)
    near = np.searchsorted(xs, x)
    return bool(np.isfinite(ys[near - 3 : near + 3]).all())


def branching(x):
    return x**2 if x > 0 else -x


CUBE = sg.symbol("x", ())


@pytest.mark.parametrize(
    "f", ["x**3", lambda x: x**3, CUBE**3, sg.parse("x**3", {"x": ()}), sg.derive("x**4/4", "x")],
    ids=["text", "function", "tensor", "expression", "form"],
)  # fmt: skip
def test_curves_are_f_and_its_derivatives_with_their_formulas(f):
    ax = sg.plot(f, (-1, 2), order=2, tangent=1.5)
    for start, of in (
        ("f(x) = x³", lambda x: x**3),
        ("f′(x) = 3·x²", lambda x: 3 * x**2),
        ("f″(x) = 6·x", lambda x: 6 * x),
    ):
        xs, ys = curve(ax, start)
        np.testing.assert_allclose(ys, of(xs), atol=1e-9)
    xs, ys = curve(ax, "tangent at 1.5, slope 6.75")
    np.testing.assert_allclose(ys, 1.5**3 + 6.75 * (xs - 1.5))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "f(x)")


def test_form_draws_itself():
    ax = sg.derive("a*x**2", "x").plot((0, 1), a=2.0, order=0)
    np.testing.assert_allclose(curve(ax, "f(x) = 4·x")[1], 4 * curve(ax, "f(x)")[0])
    assert len(ax.get_legend().get_texts()) == 1


def test_function_that_asks_for_numbers_is_drawn_without_a_formula():
    ax = sg.plot(branching, order=1)
    xs, ys = curve(ax, "f(x)")
    np.testing.assert_allclose(ys, np.where(xs > 0, xs**2, -xs), atol=1e-7)


@pytest.mark.parametrize(
    ("f", "at"),
    [
        ("1/x", 0),
        ("1/(x - 0.3)**2", 0.3),
        ("tan(x)", np.pi / 2),
        ("floor(x)", 1),
        ("sign(x + 0.77)", -0.77),
    ],
)
def test_no_line_joins_the_sides_of_a_pole_or_a_jump(f, at):
    assert not is_joined(sg.plot(f, (-2, 2), order=0), "f", at)


@pytest.mark.parametrize(("f", "at"), [("abs(x)", 0), ("relu(x - 0.1)", 0.1), ("x*sqrt(x**2)", None), (branching, 0)])
def test_slope_is_not_joined_at_a_kink_where_the_function_is(f, at):
    ax = sg.plot(f, (-1, 2))
    assert is_joined(ax, "f(x)", at or 0)
    assert is_joined(ax, "f′(x)", at or 0) == (at is None)


@pytest.mark.parametrize("f", ["tanh(1000*x)", "x**3", "exp(-500*x**2)", "sqrt(abs(x))"])
def test_steep_functions_are_joined(f):
    assert is_joined(sg.plot(f, (-1, 1.1), order=0), "f", 0)


@pytest.mark.parametrize(("f", "highest"), [("1/x", 20), ("1/x**2", 100), ("tan(x)", 30), ("log(x)", 3)])
def test_pole_leaves_the_rest_to_be_seen(f, highest):
    assert sg.plot(f, (-3, 3), order=0).get_ylim()[1] < highest


def test_curve_starts_where_the_function_does():
    xs, ys = curve(sg.plot("sqrt(x - 0.123)", (-1, 1)), "f(x)")
    assert xs[np.isfinite(ys)][0] == pytest.approx(0.123, abs=1e-6)


def test_units_stand_at_the_axes_and_follow_the_derivative():
    ax = sg.plot(lambda t: 4.9 * t**2, (0, 2), order=2, units={"t": "s", "f": "m"})
    assert ax.get_xlabel() == "t [s]"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "f(t) = 4.9·t² [m]", "f′(t) = 9.8·t [m/s]", "f″(t) = 9.8 [m/s²]",
    ]  # fmt: skip
    assert _unit("kg m", "m/s", 1) == "(kg m)/(m/s)"


def quivers(ax):
    return [c for c in ax.collections if isinstance(c, matplotlib.quiver.Quiver)]


@pytest.mark.parametrize(
    "plotted",
    [
        lambda: sg.plot("x**2 + 3*x*y", x=(-1, 1), y=(-2, 2)),
        lambda: sg.plot(lambda x, y: x**2 + 3 * x * y, ((-1, 1), (-2, 2))),
        lambda: sg.plot(lambda x: x[0] ** 2 + 3 * x[0] * x[1], ((-1, 1), (-2, 2))),
        lambda: sg.plot(lambda x, a, y: x**2 + a * x * y, {"x": (-1, 1), "y": (-2, 2)}, a=3.0),
    ],
    ids=["text", "function", "vector", "kept"],
)
def test_level_lines_and_arrows_are_those_of_the_function(plotted):
    ax = plotted()
    (arrows,) = quivers(ax)
    x, y = arrows.XY.T
    cosine = (
        (arrows.U * (2 * x + 3 * y) + arrows.V * 3 * x) / np.hypot(arrows.U, arrows.V) / np.hypot(2 * x + 3 * y, 3 * x)
    )
    np.testing.assert_allclose(cosine, 1)
    assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 1), (-2, 2))
    assert len(ax.figure.axes) == 2  # and the colour bar


def test_two_numbers_show_a_path_and_the_gradient_at_a_point():
    path = [(-1.0, 1.0), sg.tensor([0.0, 0.5]), np.array([1.0, 1.0])]
    ax = sg.plot("(1 - x)**2 + 10*(y - x**2)**2", ((-2, 2), (-1, 3)), tangent=(0, 1), path=path)
    np.testing.assert_array_equal(np.transpose(curve(ax, "path")), [[-1, 1], [0, 0.5], [1, 1]])
    assert curve(ax, "gradient (-2, 20) at (0, 1)")
    assert not quivers(sg.plot("x*y", order=0))


def test_leaves_with_values_are_kept_or_give_the_range():
    w = sg.tensor([1.0, 2.0], requires_grad=True, name="w")
    a = sg.tensor([[1.0, 0.0], [1.0, 1.0]])
    ax = sg.plot(((a @ w) ** 2).sum())
    assert (ax.get_xlim(), ax.get_ylim()) == ((-2, 4), (-1, 5))
    n = sg.symbol("x", "n")
    assert sg.plot((n**2).sum(), (-1, 1)).get_ylim() == (-1, 1)


def test_axes_that_are_given_are_drawn_on_and_come_back():
    _, ax = matplotlib.pyplot.subplots()
    assert sg.plot("x", ax=ax) is ax
    assert sg.plot("10*x", ax=ax) is ax
    assert ax.get_ylim()[1] >= 30


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: sg.plot(3), ArgumentTypeError, "a formula as text, a function"),
        (lambda: sg.plot("x", (3, 1)), ArgumentError, "Expected low < high"),
        (lambda: sg.plot("x", (0, np.inf)), ArgumentError, "not bounded"),
        (lambda: sg.plot("x", "a"), ArgumentError, r"Expected \(low, high\)"),
        (lambda: sg.plot("x*y*z"), ArgumentError, r"plot\(f, z=1.0\)"),
        (lambda: sg.plot("a*x", x=(0, 1)), ArgumentError, "a neither range nor value"),
        (lambda: sg.plot("x", y=2), ArgumentError, "has no 'y'. It has: x"),
        (lambda: sg.plot("x", order=9), ArgumentError, "up to 3"),
        (lambda: sg.plot("x*y", order=2), ArgumentError, "of two numbers, x and y"),
        (lambda: sg.plot("log(-x**2 - 1)"), ArgumentError, "no finite value"),
        (lambda: sg.plot("1/x", tangent=0), ArgumentError, "no tangent at 0"),
        (lambda: sg.plot("x", tangent="a"), ArgumentTypeError, "Expected numbers"),
        (lambda: sg.plot("x*y", tangent=1), ShapeError, "Expected a pair"),
        (lambda: sg.plot("x", path=[(1, 2)]), ShapeError, "a list of numbers"),
        (lambda: sg.plot("x", ax=matplotlib.pyplot.figure()), ArgumentTypeError, "ax is a Figure"),
        (lambda: sg.plot("x", units={"z": "m"}), ArgumentError, "units has 'z'"),
        (lambda: sg.plot(lambda x: sg.stack([x, x])), ShapeError, "Expected a number"),
        (lambda: sg.plot(lambda x: "a"), ArgumentTypeError, "got str"),
        (lambda: sg.plot(lambda: 3), ArgumentError, "has no arguments"),
        (lambda: sg.plot("x +"), ParseError, "at character 4"),
        (lambda: sg.plot(sg.symbol("x", 3).sum()), ShapeError, "a vector of two"),
        (lambda: sg.derive("x*y", "x").plot(q=1), ArgumentError, "has no 'q'"),
        (lambda: sg.derive(lambda x: x**2, "x", shapes={"x": 2}).plot(), ShapeError, "Expected a number"),
    ],
)  # fmt: skip
def test_errors_say_what_to_do(call, error, says):
    with pytest.raises(error, match=says):
        call()
