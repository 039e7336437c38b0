"""To SymPy and back: forms as SymPy's own matrix expressions, SymPy's expressions as functions of tensors."""

import math

import numpy as np
import pytest
import sympy as sp
from checks import close
from sympy.matrices.expressions.matexpr import MatrixElement

import symgrad as sg
import symgrad.scalars.tails  # and what it imports: they declare functions that distributions use
from symgrad import errors
from symgrad.forms.derive import expression
from symgrad.scalars import SCALARS

n, p, k = sp.symbols("n p k")
x, y, z = sp.symbols("x y z", real=True)
i = sp.Symbol("i", integer=True)
SIZES = {"n": 3, "p": 2, "k": 2}
bce = sg.nn.functional.binary_cross_entropy_with_logits


def explicit(e, values):
    """What a SymPy expression is, by SymPy, at values of its letters by name."""
    sizes = {s: SIZES[s.name] for s in (n, p, k)}
    e = e.replace(sp.DiagonalMatrix, lambda a: sp.HadamardProduct(a, sp.Identity(a.rows)))
    e = e.replace(sp.DiagonalOf, lambda a: sp.HadamardProduct(a, sp.Identity(a.rows)) * sp.OneMatrix(a.rows, 1))
    e = e.xreplace(sizes | {s: entries(values[s.name], s) for s in e.free_symbols - set(sizes)})
    e = e.replace(sp.Trace, lambda a: a.as_explicit().trace()).doit()
    return np.array(e.as_explicit().evalf().tolist() if e.is_Matrix else e.evalf(), dtype=float)


def entries(value, s):
    rows = value if s.is_Matrix and s.shape[1] != 1 else np.reshape(value, (-1, 1))
    return sp.ImmutableMatrix(np.asarray(rows).tolist()) if s.is_Matrix else sp.Float(value)


# ------------------------------------------------------------------ forms: to SymPy, and back
LOSSES = {  # axes of the leaves, and the loss
    "least squares": ({"X": "np", "w": "p", "y": "n"}, lambda X, w, y: ((X @ w - y) ** 2).sum()),
    "ridge": ({"X": "np", "w": "p", "y": "n"}, lambda X, w, y: ((X @ w - y) ** 2).mean() + 0.1 * (w @ w)),
    "logistic": ({"X": "np", "w": "p", "b": "", "y": "n"}, lambda X, w, b, y: bce(X @ w + b, y)),
    "one layer": ({"x": "p", "W": "pk", "b": "k", "y": "k"}, lambda x, W, b, y: bce(x @ W + b, y)),
    "layer of a batch": ({"X": "np", "W": "pk", "b": "k", "Y": "nk"}, lambda X, W, b, Y: bce(X @ W + b, Y)),
    "softmax": (
        {"X": "np", "W": "pk", "b": "k", "Y": "nk"},
        lambda X, W, b, Y: -(Y * sg.log_softmax(X @ W + b, 1)).mean(),
    ),
    "softmax of columns": ({"X": "np", "Y": "np"}, lambda X, Y: (Y * sg.softmax(X, 0)).sum()),
    "logsumexp": ({"x": "n"}, lambda x: sg.logsumexp(x, 0)),
    "logsumexp of rows": ({"X": "np", "y": "n"}, lambda X, y: sg.logsumexp(X, 1) @ y),
    "quadratic form": ({"x": "n", "A": "nn"}, lambda x, A: x @ A @ x),
    "rayleigh": ({"x": "n", "A": "nn"}, lambda x, A: (x @ A @ x) / (x @ x)),
    "logdet": ({"A": "nn"}, sg.logdet),
    "det": ({"A": "nn"}, sg.det),
    "trace": ({"A": "nn", "B": "nn"}, lambda A, B: sg.trace(A @ B @ A)),
    "inverse": ({"A": "nn", "x": "n"}, lambda A, x: x @ sg.inverse(A) @ x),
    "solve": ({"A": "nn", "x": "n"}, lambda A, x: (sg.linalg.solve(A, x) ** 2).sum()),
    "gaussian": (
        {"x": "n", "m": "n", "S": "nn"},
        lambda x, m, S: 0.5 * (x - m) @ sg.inverse(S) @ (x - m) + 0.5 * sg.logdet(S),
    ),
    "factorisation": ({"X": "np", "U": "nk", "V": "kp"}, lambda X, U, V: ((X - U @ V) ** 2).sum()),
    "norm": ({"X": "np", "x": "p", "b": "n"}, lambda X, x, b: sg.norm(X @ x - b)),
    "absolute deviation": ({"X": "np", "w": "p", "y": "n"}, lambda X, w, y: sg.abs(X @ w - y).sum()),
    "hinge": ({"X": "np", "w": "p", "y": "n"}, lambda X, w, y: sg.relu(1 - y * (X @ w)).mean()),
    "huber": ({"x": "n"}, lambda x: sg.where(sg.abs(x) < 0.5, x**2 / 2, 0.5 * (sg.abs(x) - 0.25)).sum()),
    "poisson": ({"X": "np", "w": "p", "y": "n"}, lambda X, w, y: (sg.exp(X @ w) - y * (X @ w)).sum()),
    "student": ({"x": "n", "s": ""}, lambda x, s: sg.log1p((x / s) ** 2).sum()),
    "probit": ({"X": "np", "w": "p"}, lambda X, w: sg.log(1 + sg.erf(X @ w)).sum()),
    "gamma": ({"x": "n"}, lambda x: sg.lgamma(x).sum()),
    "divergence": ({"p": "n", "z": "n"}, lambda p, z: (p * (sg.log(p) - sg.log_softmax(z, 0))).sum()),
    "diagonal": ({"A": "nn", "x": "n"}, lambda A, x: (sg.diagonal(A) * x).sum() + sg.diag(x).sum()),
    "broadcast": ({"X": "np", "b": "p", "A": "np"}, lambda X, b, A: ((X + b) * A).sum()),
    "layer norm": ({"x": "n", "a": "n"}, lambda x, a: (a * (x - x.mean()) / sg.sqrt(sg.var(x) + 0.1)).sum()),
}


def forms(name, named):
    """The loss and its gradients as forms, and values for its leaves."""
    axes, f = LOSSES[name]
    rng = np.random.default_rng(5)
    leaves, values = {}, {}
    for leaf, a in axes.items():
        value = rng.uniform(0.2, 1.0, [SIZES[s] for s in a])
        values[leaf] = value + 3 * np.eye(3) if a == "nn" else value
        leaves[leaf] = sg.symbol(leaf, [s if named else SIZES[s] for s in a])
    loss = f(*leaves.values())
    found = [expression(loss), *sg.derive(loss, list(leaves.values()))]
    return [form for form in found if form.has_matrix], values


@pytest.mark.parametrize("named", [False, True], ids=["numbers", "names"])
@pytest.mark.parametrize("name", LOSSES)
def test_form_goes_to_sympy_and_back(name, named):
    found, values = forms(name, named)
    assert found
    for form in found:
        e = form.to_sympy()
        assert not any(type(a).__module__.startswith("symgrad") for a in sp.preorder_traversal(e) if not a.is_Symbol)
        expected = np.asarray(form.lambdify()(*[values[a] for a in form.args]))
        close(explicit(e, values).reshape(expected.shape), expected, 1e-12)
        letters = {s.name: s for s in e.free_symbols}
        args = [a for a in form.args if a in letters]
        back = sg.from_sympy(e, [letters[a] for a in args])
        close(back(*[values[a] for a in args]).numpy(), expected, 1e-12)


def test_form_is_written_as_a_textbook_has_it_in_sympy():
    X, w, y = sg.symbol("X", ("n", "p")), sg.symbol("w", "p"), sg.symbol("y", "n")
    A, b, c = sp.MatrixSymbol("X", n, p), sp.MatrixSymbol("w", p, 1), sp.MatrixSymbol("y", n, 1)
    assert sg.derive(((X @ w - y) ** 2).sum(), w).to_sympy() == 2 * A.T * (A * b - c)
    assert sg.derive(sg.logdet(X.T @ X), X).to_sympy() == 2 * A * (A.T * A).I
    assert expression(y @ y).to_sympy() == sp.Trace(c.T * c)
    assert expression(sg.sigmoid(y)).to_sympy().function(x) == 1 / (1 + sp.exp(-x))


def test_sympy_differentiates_an_inner_product_in_its_own_terms():
    a, A = sg.symbol("a", "n"), sg.symbol("A", ("n", "n"))
    b, B = sp.MatrixSymbol("a", n, 1), sp.MatrixSymbol("A", n, n)
    assert expression(a @ A @ a).to_sympy().diff(b) == B * b + B.T * b


@pytest.mark.parametrize("name", ["max", "sort", "cholesky", "maximum", "cumulated"])
def test_what_sympy_cannot_hold_is_refused_with_a_way_out(name):
    a, b, A = sg.symbol("a", 3), sg.symbol("b", 3), sg.symbol("A", (2, 2))
    refused = {
        "max": sg.amax(a),
        "sort": a[1:],
        "cholesky": sg.cholesky(A @ A.T),
        "maximum": sg.maximum(a, b),
        "cumulated": sg.cumsum(a, 0),
    }
    with pytest.raises(errors.FormError, match=r"to_sympy: .* Use \.index\(\)"):
        expression(refused[name]).to_sympy()


# ------------------------------------------------------------------ SymPy's numbers as functions
NUMBERS = [  # of x, y and z
    x**3 - 2 * x * y + z / 3,
    sp.sqrt(x**2 + y**2) + 1 / z,
    x**y + y**z + 2**x,
    sp.exp(-x * y) * sp.sin(z) + sp.log(x + y) + sp.E**z,
    sp.tan(x) + sp.atan2(y, z) + sp.asin(y / 9) * sp.acos(x / 9) - sp.atan(z),
    sp.sinh(x) / sp.cosh(y) - sp.tanh(z) + sp.asinh(x) * sp.acosh(1 + y) + sp.atanh(x / 9),
    sp.sec(x) + sp.csc(y) * sp.cot(z) + sp.sech(x) - sp.csch(y) + sp.coth(z),
    sp.acot(x) + sp.acoth(1 + y) + sp.asec(1 + z) + sp.acsc(1 + x) + sp.asech(y / 9) + sp.acsch(z),
    sp.Abs(x - y) + sp.sign(x - z) * x + sp.Max(x, y, z, 0.3) - sp.Min(x * y, z),
    sp.Piecewise((x**2, x < y), (y * z, x > 2 * z), (x + z, True)),
    sp.Piecewise((x, (x > y) & ~(z < x)), (y, sp.Or(x < 0, y < z)), (z, True)) * y,
    sp.Heaviside(x - y) * z + sp.sinc(x) + sp.frac(7 * y),
    sp.erf(x) * sp.erfc(y) + sp.loggamma(z) - sp.digamma(x) + sp.polygamma(2, y),
    sp.gamma(x) + sp.factorial(y) * sp.beta(x, z - 2) + sp.gamma(x - 2),
    sp.floor(5 * x) * y + sp.ceiling(3 * z) + sp.Mod(5 * x, y),
    sp.Sum(x**i / i, (i, 1, 5)) + sp.Product(y + i, (i, 1, 3)),
    sp.Add(*[sp.sin(j * x) * y**j / (j + z) for j in range(1, 40)]),
    sp.Piecewise(*[(sp.cos(j * x + y), z < sp.Rational(j, 10)) for j in range(30)], (sp.exp(z), True)),
    sp.Mul(*[1 + j * x * y for j in range(40)]) / 1e40,
]
AT = {x: 0.7, y: 0.9, z: 1.3}


@pytest.mark.parametrize("e", NUMBERS, ids=[str(e)[:50] for e in NUMBERS])
def test_number_and_its_derivatives_are_sympys(e):
    f = sg.from_sympy(e, [x, y, z])
    close(f(*AT.values()).numpy(), float(e.doit().subs(AT).evalf()), 1e-12)
    for which, by in enumerate(AT):
        flat = e.replace(sp.frac, lambda a: a - sp.floor(a)).replace(sp.Mod, lambda a, b: a - b * sp.floor(a / b))
        flat = flat.replace(lambda a: isinstance(a, (sp.floor, sp.ceiling)), lambda a: a.subs(AT))
        expected = flat.doit().diff(by).subs(AT).doit().evalf()
        close(sg.grad(f, which)(*AT.values()), float(expected), 1e-11)


def test_second_derivatives_are_sympys():
    e = sp.exp(x * y) * sp.sin(z) / (1 + x**2)
    f = sg.from_sympy(e, [x, y, z])
    found = sg.hessian(lambda v: f(v[0], v[1], v[2]))(np.array([*AT.values()]))
    close(found, np.array(sp.hessian(e, (x, y, z)).subs(AT), dtype=float), 1e-12)


@pytest.mark.parametrize(
    "name", sorted(name for name, s in SCALARS.items() if not (s.library or name.startswith("complex_")))
)
def test_every_declared_function_is_read(name):
    scalar = SCALARS[name]
    letters = sp.symbols(f"a:{scalar.nargs}", real=True)
    at = [2.0, 1.5, 3.0][: scalar.nargs] if name == "polygamma" else [0.4, 0.3, 0.8, 1.5, 0.6, 0.7][: scalar.nargs]
    at = [1.4] if name == "acosh" else at
    close(sg.from_sympy(scalar.function(*letters), letters)(*at).numpy(), scalar.numpy(*at), 1e-14)


def test_fourth_derivative_of_a_function_of_six_numbers():
    letters = sp.symbols("a:6", real=True)
    f = sg.from_sympy(sp.exp(sum(j * a for j, a in enumerate(letters, 1)) / 10), letters)
    for _ in range(4):
        f = sg.grad(f)
    close(f(*[0.1] * 6), math.exp(0.21) / 1e4, 1e-15)


def test_branch_that_is_not_taken_leaves_the_gradient_alone():
    f = sg.from_sympy(sp.Piecewise((x * sp.log(x), x > 0), (0, True)), x)
    assert sg.grad(f)(0.0) == 0.0
    assert math.isnan(sg.from_sympy(sp.Piecewise((x, x > 0)), x)(-1.0).item())  # no case applies


def test_relation_gives_truth_values():
    found = sg.from_sympy((x > 0) & (x < y), [x, y])(sg.tensor([-1.0, 1.0, 3.0]), 2.0)
    assert found.tolist() == [False, True, False]


def test_number_of_letters_is_computed_entry_by_entry():
    points = np.linspace(0.1, 1.0, 5)
    f = sg.from_sympy(x * sp.exp(-y), [x, y])
    close(f(points, 2.0).numpy(), sp.lambdify([x, y], x * sp.exp(-y))(points, 2.0), 1e-15)
    close(sg.vmap(sg.grad(f), in_dims=(0, None))(points, 2.0), np.full(5, math.exp(-2)), 1e-15)


def test_whole_numbers_count_as_real_numbers():
    assert sg.from_sympy(1 / x, x)(2).item() == 0.5
    assert sg.from_sympy(x, x)(np.float32(2)).dtype == np.float32


# ------------------------------------------------------------------ SymPy's arrays as functions
POLAR = [x * sp.cos(y), x * sp.sin(y)]
SHAPED = [  # an array of numbers, and the shape of the tensor
    (POLAR, (2,)),
    (sp.Matrix(POLAR), (2,)),
    (sp.Matrix([POLAR]), (2,)),
    (sp.ImmutableMatrix([POLAR, [1, x * y]]), (2, 2)),
    (sp.Array([POLAR, POLAR, [0, y]]), (3, 2)),
    ([[x], [y]], (2, 1)),
    (np.array([[x, 1], [y, x]], dtype=object), (2, 2)),
    (sp.Array([[POLAR], [[y, x]]]), (2, 1, 2)),
    (sp.zeros(2, 3), (2, 3)),
]


@pytest.mark.parametrize(("array", "shape"), SHAPED, ids=str)
def test_array_of_numbers_gives_a_tensor(array, shape):
    f = sg.from_sympy(array, [x, y])
    found = f(0.5, 0.8)
    flat = list(sp.flatten(array.tolist() if hasattr(array, "tolist") else array))
    assert found.shape == shape
    close(found.numpy().ravel(), [float(sp.sympify(e).subs({x: 0.5, y: 0.8})) for e in flat], 1e-15)


def test_jacobian_of_a_matrix_is_sympys():
    f = sg.from_sympy(sp.Matrix(POLAR), [x, y])
    expected = np.array(sp.Matrix(POLAR).jacobian([x, y]).subs({x: 0.5, y: 0.8}), dtype=float)
    close(sg.jacobian(lambda v: f(v[0], v[1]))(np.array([0.5, 0.8])), expected, 1e-15)


def matrices(size):
    A, B = (sp.MatrixSymbol(name, size, size) for name in "AB")
    a, b = (sp.MatrixSymbol(name, size, 1) for name in "ab")
    one = sp.OneMatrix(size, 1)
    return (A, B, a, b), [
        A * a + b,
        2 * A * B - B.T / 3 + sp.Identity(size),
        A.I * a,
        (A * B).inverse(),
        A**3 + A**-2,
        a * b.T,
        a.T * A,
        a.T * b,
        sp.Trace(A * B) * B,
        sp.Trace(a.T * A * b) ** 2,
        sp.Determinant(A) * a,
        sp.log(sp.Determinant(A.T * A)),
        (a.T * A * b)[0, 0] + sp.exp(a[1, 0]) * A[0, 2],
        MatrixElement(a.T * b, 0, 0) / size,
        sp.HadamardProduct(A, B.T) * one,
        sp.HadamardPower(a, 3) + size * one,
        sp.HadamardPower(sp.HadamardPower(A, 2), B),
        (A * a).applyfunc(sp.tanh) + b.applyfunc(sp.Lambda(x, x**2 * sp.exp(-x))),
        sp.HadamardProduct(a.applyfunc(sp.sin), b.applyfunc(sp.sin)),
        a.applyfunc(sp.Lambda(x, 3)),
        sp.DiagMatrix(a) * A,
        sp.DiagonalOf(A) + a,
        sp.DiagonalMatrix(A) * b,
        sp.Adjoint(A) * a + sp.ZeroMatrix(size, 1),
        one.T * A * one,
        sp.Sum(a[i, 0] * A[i, i], (i, 0, size - 1)),
    ]


EXPRESSIONS = list(zip(*(matrices(size)[1] for size in (3, n)), strict=True))
EXPRESSIONS[0] += (sp.Matrix([[1, x, 0], [0, 2, 1], [1, 0, x]]).subs(x, 2) * matrices(3)[0][2],)


@pytest.mark.parametrize("same", EXPRESSIONS, ids=[str(e[1])[:50] for e in EXPRESSIONS])
def test_matrix_expression_is_what_sympy_computes(same):
    rng = np.random.default_rng(7)
    values = {name: rng.uniform(0.5, 1.5, (3, 3)) + 2 * np.eye(3) for name in "AB"}
    values |= {name: rng.uniform(0.5, 1.5, 3) for name in "ab"}
    for e, size in zip(same, (3, n, 3), strict=False):
        f = sg.from_sympy(e, matrices(size)[0])
        found = f(*values.values())
        close(found.numpy(), explicit(e, values).reshape(found.shape), 1e-11)
        if size is n:
            sg.testing.crosscheck(f, *values.values())


def test_matrix_expression_is_derived_in_closed_form():
    (A, _, a, b), _ = matrices(n)
    f = sg.from_sympy(sp.Trace((A * a - b).T * (A * a - b)), [A, a, b])
    leaves = sg.symbol("A", ("n", "n")), sg.symbol("a", "n"), sg.symbol("b", "n")
    assert str(sg.derive(f(*leaves), leaves[1])) == "2*Aᵀ*(A*a - b)"


def test_column_is_a_vector_and_may_come_as_a_matrix():
    (A, _, a, _), _ = matrices(3)
    f = sg.from_sympy(A * a, [A, a])
    value, v = np.arange(9.0).reshape(3, 3), np.ones(3)
    assert f(value, v).shape == f(value, v[:, None]).shape == (3,)
    assert sg.jacobian(f, 1)(value, v[:, None]).shape == (3, 3, 1)
    assert sg.from_sympy(a.T, a)(v[:, None]).shape == (3,)


def test_sizes_are_read_off_the_arguments():
    X, w = sp.MatrixSymbol("X", n, p), sp.MatrixSymbol("w", p, 1)
    f = sg.from_sympy(sp.OneMatrix(1, n) * X * w / n, [X, w])
    for rows, columns in ((2, 3), (1, 4), (5, 1)):
        close(f(np.ones((rows, columns)), np.ones(columns)).numpy(), columns, 1e-15)


# ------------------------------------------------------------------ errors
square = sp.MatrixSymbol("A", n, n)
column = sp.MatrixSymbol("a", n, 1)
REFUSED = [
    (lambda: sg.from_sympy("x**2", [x]), errors.ArgumentTypeError, "of type str.*text is never parsed"),
    (lambda: sg.from_sympy([x, "y"], [x]), errors.ArgumentTypeError, "got 'y' of type str"),
    (lambda: sg.from_sympy(x, "x"), errors.ArgumentTypeError, "args has 'x' of type str"),
    (lambda: sg.from_sympy(x, [x + 1]), errors.ArgumentTypeError, "Expected SymPy's Symbol or MatrixSymbol"),
    (lambda: sg.from_sympy(x * y, [x]), errors.ArgumentError, r"the expression has y, the arguments are \['x'\]"),
    (lambda: sg.from_sympy(square, [column]), errors.ArgumentError, r"has A \(n × n\)"),
    (lambda: sg.from_sympy(x, [x, y, x]), errors.ArgumentError, "x is twice"),
    (lambda: sg.from_sympy(square, [square, n]), errors.ArgumentError, r"\['n'\] are sizes"),
    (lambda: sg.from_sympy(sp.airyai(x), x), errors.FormError, r"has no airyai, got airyai\(x\)"),
    (lambda: sg.from_sympy(sp.Function("f")(x), x), errors.FormError, "has no f, got"),
    (lambda: sg.from_sympy(sp.Integral(sp.exp(y**3), (y, 0, x)), x), errors.FormError, "has no Integral.*doit"),
    (lambda: sg.from_sympy(sp.I * x, x), errors.FormError, "has no ImaginaryUnit"),
    (lambda: sg.from_sympy(sp.sqrt(-2 - sp.pi) + x, x), errors.FormError, "not a real number"),
    (lambda: sg.from_sympy(sp.asin(2), x), errors.FormError, "not a real number"),
    (lambda: sg.from_sympy(sp.KroneckerProduct(square, square), square), errors.FormError, "has no KroneckerProduct"),
    (lambda: sg.from_sympy(square**x, [square, x]), errors.FormError, "has no MatPow"),
    (lambda: sg.from_sympy(x * y, [x, y])(1.0), errors.ArgumentTypeError, "got 1 arguments, expected 2: x, y"),
    (lambda: sg.from_sympy(x * column, [x, column])(np.ones(2), np.ones(2)), errors.ShapeError, "x must be a number"),
    (lambda: sg.from_sympy(sp.Matrix([x, 1]), x)(np.ones(2)), errors.ShapeError, "x must be a number.*sg.vmap"),
    (lambda: sg.from_sympy(square, square)(np.ones((2, 3))), errors.ShapeError, r"got shape \[2, 3\].*where n = 2"),
    (lambda: sg.from_sympy(square, square)(np.ones(3)), errors.ShapeError, r"A \(n × n\) got shape \[3\]"),
    (
        lambda: sg.from_sympy(square * column, [square, column])(np.ones((2, 2)), np.ones(3)),
        errors.ShapeError,
        r"Expected \[n\], where n = 2",
    ),
    (
        lambda: sg.from_sympy((column.T * column)[0, 0], column)(sg.symbol("a", "n")),
        errors.FormError,
        r"Trace\(a.T\*b\)",
    ),
]


@pytest.mark.parametrize(("statement", "kind", "message"), REFUSED)
def test_misuse_says_what_was_received(statement, kind, message):
    with pytest.raises(kind, match=message):
        statement()


@pytest.mark.parametrize(("at_zero", "text"), [(0, "x*log(x)"), (1, "{1 if x = 0; x*log(x) otherwise}")])
def test_only_a_nought_where_a_logarithm_has_no_value_is_left_out_of_a_formula(at_zero, text):
    f = sg.from_sympy(sp.Piecewise((at_zero, sp.Eq(x, 0)), (x * sp.log(x), True)), x)
    assert str(expression(f(sg.symbol("x")))) == text


def test_a_size_in_an_expression_is_a_real_number():
    v = sp.MatrixSymbol("v", n, 1)
    found = sg.from_sympy(sp.sqrt(n) + n**2, v)(np.ones(3))
    assert found.dtype == np.float64
    close(found, math.sqrt(3) + 9, 1e-15)


def test_only_whole_numbers_are_exponents_of_a_matrix():
    A = sp.MatrixSymbol("A", n, n)
    close(sg.from_sympy(A**3, A)([[1.0, 2.0], [0.0, 1.0]]), [[1.0, 6.0], [0.0, 1.0]], 0)
    with pytest.raises(errors.FormError, match="symgrad has no MatPow"):
        sg.from_sympy(A**n, A)


def test_heaviside_has_three_values():
    f = sg.from_sympy(sp.Heaviside(x, sp.Rational(1, 4)), x)
    close([f(t).item() for t in (-2.0, 0.0, 3.0)], [0.0, 0.25, 1.0], 0)


def test_beta_is_a_quotient_of_factorials():
    close(sg.from_sympy(sp.beta(x, y), (x, y))(2.0, 3.0), 1 / 12, 1e-14)


def test_only_main_diagonals_of_square_matrices_are_sympys():
    A, v = sg.symbol("A", (3, 3)), sg.symbol("v", 3)
    assert str(expression(sg.diagonal(A)).to_sympy()) == "DiagonalOf(A)"
    assert str(expression(sg.diag(v)).to_sympy()) == "DiagMatrix(v)"
    for y in (sg.diagonal(A, 1), sg.diag(v, -1)):
        with pytest.raises(errors.FormError, match="SymPy has no matrix expression for diag"):
            expression(y).to_sympy()
