"""Sizes that are names: a program with them is the program with numbers, in value and in derivative."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import symgrad as sg
from symgrad.forms.derive import expression

from cases import ROWS

SIZES = {"n": 3, "d": 4, "k": 2}
NUMBER_OF = {sg.symbol("x", (name,)).shape[0]: sp.Integer(size) for name, size in SIZES.items()}


def concrete(shape: tuple[str, ...], seed: int) -> Any:
    """Numbers between 0.5 and 2.5 in this shape."""
    return np.random.default_rng(seed).uniform(0.5, 2.5, tuple(SIZES.get(n, n) for n in shape))


def check(f: Callable[..., Any], *shapes: tuple[str, ...], smooth: bool = True) -> None:
    """Compare f of symbols with f of numbers: the value, and the gradient of its weighted sum in the first argument."""
    named = [sg.symbol(f"x{i}", s) for i, s in enumerate(shapes)]
    arrays = {f"x{i}": concrete(s, i) for i, s in enumerate(shapes)}
    tensors = [sg.tensor(a, requires_grad=i == 0) for i, a in enumerate(arrays.values())]
    formal, y = f(*named), f(*tensors)
    assert tuple(int(sp.sympify(m).xreplace(NUMBER_OF)) for m in formal.shape) == y.shape
    form = expression(formal)
    np.testing.assert_allclose(form.lambdify()(**{k: arrays[k] for k in form.args}), y.detach().numpy(), rtol=1e-12)
    if smooth:
        (y * y).sum().backward()
        form = sg.derive((formal * formal).sum(), named[0])
        found = form.lambdify()(**{k: arrays[k] for k in form.args})
        np.testing.assert_allclose(found, tensors[0].grad.numpy(), rtol=1e-10)


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "n * x": lambda n, x: n * x,
    "n + x": lambda n, x: n + x,
    "n - x": lambda n, x: n - x,
    "n / x": lambda n, x: n / x,
    "n ** x": lambda n, x: n**x,
    "n % x": lambda n, x: n % x,
    "x * n": lambda n, x: x * n,
    "x + n": lambda n, x: x + n,
    "x - n": lambda n, x: x - n,
    "x / n": lambda n, x: x / n,
    "x ** n": lambda n, x: x**n,
    "x % n": lambda n, x: x % n,
    "(n - 1) * x": lambda n, x: (n - 1) * x,
    "n (n - 1) / 2 x": lambda n, x: n * (n - 1) / 2 * x,
    "sum over n": lambda n, x: x.sum() / n,
    "n * sum": lambda n, x: n * x.sum(),
    "number * n * x": lambda n, x: np.float64(3.0) * n * x,
    "where": lambda n, x: sg.where(x > 1, n, x),
    "maximum": lambda n, x: sg.maximum(x, n - 1.5),
    "clamp": lambda n, x: sg.clamp(x, 1, n / 2),
    "np.add": lambda n, x: np.add(n, x),
    "np.multiply": lambda n, x: np.multiply(x, n),
    "n * constant": lambda n, x: (n * sg.tensor(2.0)) * x,
    "n * vector": lambda n, x: (n * sg.tensor([2.0, 1.0, 4.0])).sum() * x,
    "divmod": lambda n, x: sg.cat(list(divmod(n, x))),
    "in place": lambda n, x: x.clone().mul_(n).add_(n - 1),
}

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "n < x": lambda n, x: n / 2 < x,
    "n <= x": lambda n, x: n / 2 <= x,
    "n > x": lambda n, x: n / 2 > x,
    "n >= x": lambda n, x: n / 2 >= x,
    "n == x": lambda n, x: n == x,
    "n - 1 == x": lambda n, x: n - 1 == x,
    "x != n": lambda n, x: x != n,
    "x < n": lambda n, x: x < n / 2,
    "n // x": lambda n, x: n // x,
    "x // n": lambda n, x: x // n,
}


@pytest.mark.parametrize("f", OPERATORS.values(), ids=OPERATORS)
def test_a_size_stands_on_either_side_of_an_operator(f: Any) -> None:
    check(lambda x: f(x.shape[0], x), ("n",))


@pytest.mark.parametrize("f", COMPARISONS.values(), ids=COMPARISONS)
def test_a_size_is_compared_from_either_side(f: Any) -> None:
    check(lambda x: f(x.shape[0], x), ("n",), smooth=False)


NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "c * t": lambda c, t: c * t,
    "t * c": lambda c, t: t * c,
    "c - t": lambda c, t: c - t,
    "t / c": lambda c, t: t / c,
    "c ** t": lambda c, t: c**t,
    "t ** c": lambda c, t: t**c,
    "t < c": lambda c, t: t < c,
    "t >= c": lambda c, t: t >= c,
    "t == c": lambda c, t: t == c,
    "mul": lambda c, t: sg.mul(c, t),
    "where": lambda c, t: sg.where(t > 1, c, t),
    "in place": lambda c, t: t.clone().mul_(c),
}


@pytest.mark.parametrize("f", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("number", [sp.Integer(2), sp.Rational(1, 2), sp.pi, sp.sqrt(2), sp.Float(1.5)], ids=str)
@pytest.mark.parametrize("t", [[1.0, 2.0, 0.25], 2.0], ids=["vector", "number"])
def test_a_number_of_sympy_is_a_number(number: Any, f: Any, t: Any) -> None:
    plain = int(number) if number.is_Integer else float(number)
    found, expected = f(number, sg.tensor(t)), f(plain, sg.tensor(t))
    assert np.array_equal(np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64))


def test_a_number_of_sympy_passes_the_gradient_on() -> None:
    z = sg.tensor(2.0, requires_grad=True)
    (sp.pi * z + sp.Integer(3) / z).backward()
    assert float(z.grad) == pytest.approx(np.pi - 3 / 4, rel=1e-15)


def test_numbers_of_sympy_keep_integers() -> None:
    assert (sp.Integer(2) * sg.tensor([1, 2])).dtype == sg.int64


def test_complex_numbers_of_sympy_are_refused() -> None:
    with pytest.raises(sg.errors.SymgradError, match="must be real"):
        sp.I * sg.symbol("x", "n")


# ------------------------------------------------------------------ making tensors of named sizes
MADE: dict[str, Callable[[Any, Any], Any]] = {
    "ones": lambda n, x: sg.ones(n) * x,
    "zeros": lambda n, x: sg.zeros(n) + x,
    "ones of two sizes": lambda n, x: sg.ones(n, 2) * x[:, None],
    "ones of a sum": lambda n, x: sg.ones(n + 1).sum() * x,
    "zeros of a shape": lambda n, x: sg.zeros(x.shape) - x,
    "empty": lambda n, x: sg.empty(n) + x,
    "full": lambda n, x: sg.full((n,), 2.5) * x,
    "full of a size": lambda n, x: sg.full((n,), n) * x,
    "full of a tensor": lambda n, x: sg.full((n,), x.sum()) * x,
    "full_like": lambda n, x: sg.full_like(x, 3.0) * x,
    "full_like of a size": lambda n, x: sg.full_like(x, n) * x,
    "ones_like": lambda n, x: sg.ones_like(x) + x,
    "zeros_like": lambda n, x: sg.zeros_like(x) + x,
    "tensor": lambda n, x: sg.tensor(n) * x,
    "tensor of half": lambda n, x: sg.tensor(n / 2) * x,
    "asarray": lambda n, x: x / sg.asarray(n),
    "log": lambda n, x: sg.log(sg.tensor(n)) * x,
    "eye": lambda n, x: sg.eye(n) @ x,
    "eye and numbers": lambda n, x: (sg.eye(n) * 3 + sg.outer(x, x)) @ x,
    "wide eye": lambda n, x: sg.eye(n, 2) * x[:, None],
    "inverse": lambda n, x: sg.inverse(sg.eye(n) + sg.outer(x, x)) @ x,
    "logdet": lambda n, x: sg.logdet(n * sg.eye(n) + sg.outer(x, x)),
    "arange": lambda n, x: sg.arange(n) * x,
    "arange from one": lambda n, x: sg.arange(1, n + 1) * x,
    "arange by two": lambda n, x: sg.arange(0, 2 * n, 2) * x,
    "arange of halves": lambda n, x: sg.arange(0.5, n + 0.5) * x,
    "arange, dtype": lambda n, x: sg.arange(n, dtype=sg.float64) * x,
    "linspace": lambda n, x: sg.linspace(-1, 2, n) * x,
    "dot": lambda n, x: sg.ones(n) @ x,
    "row of ones": lambda n, x: x - sg.ones(1, n) @ x / n,
    "diag": lambda n, x: sg.diag(sg.ones(n)) @ x,
    "tril": lambda n, x: sg.tril(sg.ones(n, n)) @ x,
    "triu": lambda n, x: sg.triu(sg.ones(n, n), 1) @ x,
    "cat": lambda n, x: sg.cat([x, sg.ones(n)]),
    "stack": lambda n, x: sg.stack([x.sum(), sg.tensor(n)]),
    "new_ones": lambda n, x: x.new_ones(n, 2) * x[:, None],
    "new_zeros": lambda n, x: x.new_zeros(n) + x,
    "new_full": lambda n, x: x.new_full((n,), n) + x,
    "centring": lambda n, x: (sg.eye(n) - sg.ones(n, n) / n) @ x,
    "slice to a size": lambda n, x: x[: n - 1] * x[1:n],
    "reshape": lambda n, x: x.reshape(n, 1) * sg.ones(n, 2),
    "expand": lambda n, x: x.expand(2, n) * 2,
    "last entry": lambda n, x: x[n - 1] * x,
}


@pytest.mark.parametrize("f", MADE.values(), ids=MADE)
def test_tensors_are_made_of_named_sizes(f: Any) -> None:
    check(lambda x: f(x.shape[0], x), ("n",))


def test_sizes_are_made_by_name() -> None:
    x = sg.symbol("x", "n")
    made = [sg.ones("n"), sg.zeros("n"), sg.full("n", 1.0), sg.arange("n"), sg.linspace(0, 1, "n"), sg.empty(("n",))]
    assert {m.shape for m in made} == {x.shape}
    assert sg.eye("n", "d").shape == (*x.shape, *sg.symbol("y", "d").shape)
    assert sg.ones("n", "d").shape == sg.ones(("n", "d")).shape == sg.ones(size=("n", "d")).shape
    assert print_of(sg.ones("n") @ x) == "sum(x)"


def print_of(t: Any) -> str:
    """How a computation prints."""
    return str(expression(t))


@pytest.mark.parametrize("dtype", [sg.float32, sg.int64, sg.float64])
def test_what_is_made_of_named_sizes_has_the_dtype_asked_for(dtype: Any) -> None:
    n = sg.symbol("x", "n").shape[0]
    for made in (
        sg.ones(n, dtype=dtype),
        sg.eye(n, dtype=dtype),
        sg.arange(n, dtype=dtype),
        sg.full((n,), 2, dtype=dtype),
    ):
        assert made.dtype == dtype
    assert (sg.arange(n).dtype, sg.full((n,), 2).dtype, sg.ones(n).dtype) == (sg.int64, sg.int64, sg.float64)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda n: sg.ones(n, requires_grad=True), r"sg\.symbol\(name, shape\)"),
        (lambda n: sg.eye(n, name="E"), r"sg\.symbol\(name, shape\)"),
        (lambda n: sg.randn(n), "Expected integers"),
        (lambda n: sg.randperm(n), "Expected integers"),
        (lambda n: sg.ones("n", -1), "negative dimension"),
        (lambda n: sg.ones("n", 1.5), "Expected integers"),
    ],
    ids=["requires_grad", "name", "randn", "randperm", "negative", "fraction"],
)
def test_what_needs_a_number_of_entries_says_so(call: Any, text: str) -> None:
    with pytest.raises(sg.errors.SymgradError, match=text):
        call(sg.symbol("x", "n").shape[0])


# ------------------------------------------------------------------ arguments and sizes of closed forms
X, W, Y = sg.symbol("X", ("n", "d")), sg.symbol("W", ("d", "k")), sg.symbol("Y", ("n", "k"))
x, y = sg.symbol("x", "n"), sg.symbol("y", "n")


def test_a_size_that_only_the_derivative_has_is_read_off_the_function_s_argument() -> None:
    form = sg.derive(x - x.mean(), x)
    expected = np.eye(3) - 1 / 3
    assert form.args == ("x",)
    for found in (form.lambdify()(np.ones(3)), form.lambdify()(x=[1, 2, 3]), form.lambdify()(n=3)):
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_the_hessian_of_least_squares_reads_its_sizes_off_two_matrices() -> None:
    form = sg.derive(((X @ W - Y) ** 2).sum(), W, order=2)
    a = concrete(("n", "d"), 0)
    expected = np.einsum("pi,pl,jm->ijlm", 2 * a, a, np.eye(2))
    assert form.args == ("X", "W")
    for found in (
        form.lambdify()(a, np.zeros((4, 2))),
        form.lambdify()(a, k=2),
        form.lambdify("X", "Y")(a, np.ones((3, 2))),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_size_of_no_argument_is_an_argument_itself() -> None:
    form = sg.derive((sg.ones("m").sum() * x).sum(), x)
    assert form.args == ("x", "m")
    np.testing.assert_array_equal(form.lambdify()(np.ones(2), 5), [5.0, 5.0])
    np.testing.assert_array_equal(form.lambdify()(n=2, m=5), [5.0, 5.0])


def test_sizes_are_solved_from_sums() -> None:
    z = sg.symbol("z", (x.shape[0] - 1,))
    f = sg.derive((z * z).sum() * sg.ones("n").sum(), z).lambdify()
    np.testing.assert_allclose(f([1.0, 2.0]), [6.0, 12.0])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: sg.derive((x * y).sum(), x, cotangent=sg.tensor(1.0)).lambdify()(), "missing the argument 'y'"),
        (
            lambda: sg.derive(((X @ W - Y) ** 2).sum(), W, order=2).lambdify()(np.ones((3, 4))),
            "missing the argument 'W'",
        ),
        (lambda: sg.derive(x - x.mean(), x).lambdify()(np.ones(3), n=4), "size n is 4 in one argument and 3"),
        (lambda: sg.derive(x - x.mean(), x).lambdify()(n=-1), "Expected an integer"),
        (lambda: sg.derive(x - x.mean(), x).lambdify()(q=2), r"expected the arguments \('x',\)"),
        (lambda: sg.derive(x - x.mean(), x).lambdify("q"), "Expected some of"),
        (lambda: sg.derive((x * y).sum(), x).lambdify("y", "y"), "Expected some of"),
        (
            lambda: sg.derive((sg.symbol("z", (x.shape[0] + 2,)) * 2).sum() * x, x).lambdify()(z=np.ones(1)),
            "which no n makes",
        ),
    ],
    ids=["missing", "missing size", "contradiction", "negative", "unknown", "order", "twice", "no such size"],
)
def test_a_size_that_cannot_be_had_is_named(call: Any, text: str) -> None:
    with pytest.raises(sg.errors.SymgradError, match=text):
        call()


def test_arrays_from_outside_are_values_and_not_arguments() -> None:
    a, b = concrete(("n", "d"), 0), concrete(("n",), 1)
    w, c = sg.symbol("w", 4), sg.symbol("A", ())
    form = sg.derive((c * (sg.tensor(a) @ w - sg.tensor(b)) ** 2).sum(), w)
    assert form.args == ("w", "A")
    assert set(form.values) == {"B", "b"}
    np.testing.assert_array_equal(form.values["B"], a)
    expected = 2 * 3 * a.T @ (a @ np.ones(4) - b)
    np.testing.assert_allclose(form.lambdify()(np.ones(4), 3.0), expected, rtol=1e-14)
    np.testing.assert_allclose(form.lambdify(c, w)(3.0, np.ones(4)), expected, rtol=1e-14)
    np.testing.assert_allclose(form.lambdify()(np.ones(4), 3.0, b=0 * b), 6 * a.T @ (a @ np.ones(4)), rtol=1e-14)
    form.values["B"][:] = 0  # a copy
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(form.values))["B"], a)


def test_values_and_arguments_give_the_printed_formula_its_value() -> None:
    a, w = concrete(("n", "d"), 0), sg.tensor(concrete(("d",), 1), requires_grad=True, name="w")
    form = sg.derive(((sg.tensor(a) @ w) ** 2).sum(), w)
    assert (str(form), form.args, list(form.values)) == ("2*Aᵀ*A*w", ("w",), ["A"])
    np.testing.assert_allclose(form.lambdify()(), 2 * form.values["A"].T @ a @ w.detach().numpy(), rtol=1e-14)


def test_the_caller_orders_the_arguments() -> None:
    form = sg.derive((x * y**2).sum(), y)
    np.testing.assert_allclose(form.lambdify("y", "x")([1.0, 2.0], [3.0, 4.0]), [6.0, 16.0])
    np.testing.assert_allclose(sg.derive((x * y).sum(), x).lambdify(x, y)(np.ones(2), [3.0, 4.0]), [3.0, 4.0])


def test_an_exported_form_has_the_arrays_from_outside_in_its_source() -> None:
    w = sg.symbol("w", 2)
    source = sg.export(sg.derive(((sg.tensor([[1.5, 2.0]]) @ w) ** 2).sum(), w), target="numpy")
    space: dict[str, Any] = {}
    exec(source, space)
    np.testing.assert_allclose(space["closed_form"](np.ones(2)), [10.5, 14.0])


# ------------------------------------------------------------------ what needs numbers
IMAGE, ROWS_OF = sg.symbol("image", ("n", 3, "h", "w")), sg.symbol("rows", ("n", 3, "l"))


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("conv2d", lambda: sg.nn.functional.conv2d(IMAGE, sg.ones(4, 3, 2, 2))),
        ("conv1d", lambda: sg.nn.functional.conv1d(ROWS_OF, sg.ones(4, 3, 2))),
        ("max_pool1d", lambda: sg.nn.functional.max_pool1d(ROWS_OF, 2)),
        ("avg_pool2d", lambda: sg.nn.functional.avg_pool2d(IMAGE, 2)),
        ("vander", lambda: sg.vander(x)),
        ("combinations", lambda: sg.combinations(x)),
        ("histc", lambda: sg.histc(x)),
    ],
)
def test_a_function_that_needs_the_number_of_a_named_size_says_so(name: str, call: Any) -> None:
    with pytest.raises(sg.errors.NotYet, match=rf"{name}: it depends on a size that is a name.* Got shapes \["):
        call()


def test_convolutions_take_a_named_number_of_images() -> None:
    kernel = concrete((4, 3, 2, 2), 1)  # type: ignore[arg-type]
    check(lambda z: sg.nn.functional.conv2d(z, sg.tensor(kernel)), ("n", 3, 4, 4))  # type: ignore[arg-type]


ASKS_FOR_A_NUMBER = ("softmax less a detached shift", "unfold", "unfold step, dim")  # range(n), and a method


@pytest.mark.slow
@pytest.mark.parametrize("row", [r for r in ROWS if r.name not in ASKS_FOR_A_NUMBER], ids=lambda row: row.name)
def test_no_error_of_python_s_reaches_the_user_of_named_sizes(row: Any) -> None:
    names: dict[int, str] = {}

    def given(k: int, a: Any) -> Any:
        shape = tuple(names.setdefault(n, f"n{n}") if n > 1 else n for n in a.shape)
        return sg.symbol(f"x{k}", shape) if a.dtype.kind == "f" else sg.tensor(a)

    with contextlib.suppress(sg.errors.SymgradError):
        row.f(sg, *[given(k, a) for k, a in enumerate(row.cases[0].arrays)])


def test_a_check_that_lacks_values_names_the_leaves_that_have_none() -> None:
    w = sg.symbol("w", 2)
    with pytest.raises(sg.errors.FormError, match=r"\['w'\] have none"):
        sg.derive(((sg.tensor([[1.0, 2.0]]) @ w) ** 2).sum(), w, verify=True)


def test_a_product_of_sizes_is_written_in_the_order_of_the_axes():
    for axes, text in ((("n", "k"), "2*X/(n*k)"), (("k", "n"), "2*X/(k*n)")):
        X = sg.symbol("X", axes)
        assert str(sg.derive((X**2).mean(), X)) == text


CUBICS = sg.CubicSpline([0.0, 1.0, 2.0], [1.0, 2.0, 0.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: sg.interp(x, [0.0, 1.0, 2.0], [1.0, 2.0, 0.5]),
        sg.grad(lambda x: (sg.interp(x, [0.0, 1.0, 2.0], [1.0, 2.0, 0.5]) ** 2).sum()),
        lambda x: CUBICS(x),
        sg.grad(lambda x: (CUBICS(x) ** 2).sum()),
        lambda x: sg.outer(x[1:], x[1:]).reshape(-1),
    ],
)
def test_positions_and_reshapes_of_named_sizes_are_exported(f):
    x, names = np.array([0.2, 0.7, 1.9, 0.4, 1.3]), {}
    exec(sg.export(f, shapes={"x": ("n",)}, target="numpy", name="exported"), names)
    np.testing.assert_array_equal(names["exported"](x), f(sg.tensor(x)).numpy())
