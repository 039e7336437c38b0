"""Function transforms against formulas, finite differences, and torch.func where torch is installed."""

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad import errors
from symgrad.ops.protocol import Op
from symgrad.testing import finite_differences

A = np.array([[2.0, -1.0, 0.5], [0.3, 1.5, -0.2], [0.1, 0.4, 3.0]])
X = np.array([[1.0, -2.0, 0.5], [0.3, 0.8, -1.2], [-0.7, 0.4, 0.9], [1.1, 0.2, 0.6]])
W = np.array([0.4, -0.3, 0.8])
Y = np.array([1.0, 0.0, 1.0, 0.0])
P = np.array([0.5, -1.2, 0.7, 1.4])

SCALAR = {  # functions of a library and arrays to a scalar, and where
    "sine times exponential": (lambda L, x: L.sin(x) * L.exp(x), [np.array(0.7)]),
    "rosenbrock": (lambda L, x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(), [P]),
    "quadratic form": (lambda L, x, M: x @ M @ x, [W, A]),
    "logistic": (lambda L, X, w, y: L.nn.functional.binary_cross_entropy_with_logits(X @ w, y), [X, W, Y]),
    "log-determinant": (lambda L, M: L.logdet(M @ M.T), [A]),
    "entropy of a softmax": (lambda L, z: -(L.softmax(z, 0) * L.log_softmax(z, 0)).sum(), [P]),
    "norm of a residual": (lambda L, M, x: L.linalg.norm(M @ x - 1), [A, W]),
    "product of a running sum": (lambda L, x: L.prod(L.cumsum(x, 0)), [P]),
}
ARRAY = {  # and to an array
    "square": (lambda L, x: x**2, [W]),
    "product of matrix and vector": (lambda L, M, x: L.tanh(M @ x), [A, W]),
    "inverse": (lambda L, M: L.linalg.inv(M), [A]),
    "outer product": (lambda L, x, y: L.outer(x, L.sin(y)), [W, P]),
    "softmax": (lambda L, x: L.softmax(x, 1), [X]),
    "scalar to vector": (lambda L, t: L.stack([L.cos(t), L.sin(t), t * t]), [np.array(0.3)]),
    "vector to scalar": (lambda L, x: (x * x).sum() * x[0], [W]),
}


def table(functions):
    return pytest.mark.parametrize(("f", "xs"), functions.values(), ids=functions)


def on(f, L):
    return lambda *xs: f(L, *xs)


def every(xs):
    return tuple(range(len(xs)))


def weights(like):
    return np.cos(1.0 + np.arange(np.size(like))).reshape(np.shape(like))


def array(t):
    return t.detach().numpy() if isinstance(t, sg.Tensor) else np.asarray(t)


# ------------------------------------------------------------------ against finite differences


@table(SCALAR)
def test_gradient_agrees_with_finite_differences(f, xs):
    value, gradients = sg.value_and_grad(on(f, sg), every(xs))(*xs)
    close(value, array(on(f, sg)(*map(sg.tensor, xs))), 1e-14)
    for k, g in enumerate(gradients):
        close(g, finite_differences(on(f, sg), xs, k), 1e-7)


@table(SCALAR | ARRAY)
def test_jacobian_has_output_shape_then_input_shape_in_every_mode(f, xs):
    for k, x in enumerate(xs):
        expected = finite_differences(on(f, sg), xs, k)
        for transform in (sg.jacobian, sg.jacrev, sg.jacfwd):
            found = transform(on(f, sg), k)(*xs)
            assert np.shape(found) == np.shape(on(f, sg)(*map(sg.tensor, xs))) + np.shape(x)
            close(found, expected, 1e-7)


@table(ARRAY)
def test_jvp_and_vjp_multiply_with_the_jacobian(f, xs):
    jacobians = sg.jacobian(on(f, sg), every(xs))(*xs)
    y, pull = sg.vjp(on(f, sg), *xs)
    u = weights(y)
    for x, J, g in zip(xs, jacobians, pull(u), strict=True):
        close(g, np.tensordot(u, J, np.ndim(u)), 1e-12)
        assert np.shape(g) == np.shape(x)
    value, tangent = sg.jvp(on(f, sg), xs, [weights(x) for x in xs])
    np.testing.assert_array_equal(value, y)
    close(tangent, sum(np.tensordot(J, weights(x), np.ndim(x)) for x, J in zip(xs, jacobians, strict=True)), 1e-12)


BROADCAST = {  # a number added to a matrix, and then an operation that is linear
    "sum": lambda y: y.sum(),
    "sum over an axis": lambda y: y.sum(0),
    "running sum": lambda y: sg.cumsum(y, 0),
    "transpose": lambda y: y.T,
    "flip": lambda y: sg.flip(y, (0,)),
    "index": lambda y: y[[1, 1, 0], 2],
    "diagonal": lambda y: sg.diagonal(y),
    "reshape": lambda y: y.reshape(-1),
    "matmul": lambda y: y @ sg.tensor(W),
    "nothing": lambda y: y,
}


@pytest.mark.parametrize("f", BROADCAST.values(), ids=BROADCAST)
@pytest.mark.parametrize("x", [0.7, np.array([0.1, 0.2, 0.3]), np.array([[1.0], [2.0], [3.0]])])
def test_forward_mode_counts_a_broadcast_input_once_for_each_entry(f, x):
    close(sg.jacfwd(lambda p: f(p + sg.tensor(A)))(x), sg.jacrev(lambda p: f(p + sg.tensor(A)))(x), 1e-15)


@table(SCALAR)
def test_hessian_agrees_with_differences_of_the_gradient(f, xs):
    hessian = sg.hessian(on(f, sg), every(xs))(*xs)
    for a in every(xs):
        gradient = sg.grad(on(f, sg), a)
        for b in every(xs):
            close(hessian[a][b], finite_differences(gradient, xs, b), 1e-6)


@table(SCALAR)
def test_four_ways_to_a_hessian_vector_product_agree(f, xs):
    x, rest = xs[0], xs[1:]
    v = weights(x)

    def g(p):
        return f(sg, p, *rest)

    expected = np.tensordot(sg.hessian(g)(x), v, np.ndim(v))
    close(sg.hvp(g, x, v), expected, 1e-11)
    close(sg.jvp(sg.grad(g), (x,), (v,))[1], expected, 1e-11)
    close(sg.vjp(sg.grad(g), x)[1](v)[0], expected, 1e-11)
    close(sg.grad(lambda p: (sg.grad(g)(p) * v).sum())(x), expected, 1e-11)


def test_hvp_takes_and_gives_tuples():
    def f(x, M):
        return (M @ x * x).sum()

    vs = (weights(W), weights(A))
    H = sg.hessian(f, (0, 1))(W, A)
    for row, product in zip(H, sg.hvp(f, (W, A), vs), strict=True):
        close(product, sum(np.tensordot(h, v, np.ndim(v)) for h, v in zip(row, vs, strict=True)), 1e-12)


# ------------------------------------------------------------------ against torch.func


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="compares with torch.func")


def same(found, expected):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    close(array(found), expected.detach().numpy(), 1e-9)


@pytest.mark.parametrize("name", ["grad", "grad_and_value", "jacrev", "jacfwd", "hessian"])
@table(SCALAR)
def test_transform_of_a_scalar_function_agrees_with_torch(torch, name, f, xs):
    found = getattr(sg.func, name)(on(f, sg), every(xs))(*xs)
    same(found, getattr(torch.func, name)(on(f, torch), every(xs))(*map(torch.tensor, xs)))


@table(ARRAY)
def test_products_with_the_jacobian_agree_with_torch(torch, f, xs):
    ts = tuple(map(torch.tensor, xs))
    y, pull = sg.vjp(on(f, sg), *xs)
    expected, torch_pull = torch.func.vjp(on(f, torch), *ts)
    same(y, expected)
    same(pull(weights(y)), torch_pull(torch.tensor(weights(y))))
    vs = [weights(x) for x in xs]
    same(sg.jvp(on(f, sg), xs, vs), torch.func.jvp(on(f, torch), ts, tuple(map(torch.tensor, vs))))


BAD = {
    "no such position": lambda L, t: L.func.grad(lambda x: x.sum(), 1)(t),
    "no such negative position": lambda L, t: L.func.grad(lambda x: x.sum(), -2)(t),
    "a position twice": lambda L, t: L.func.grad(lambda x, y: (x * y).sum(), (0, 0))(t, t),
    "a position twice, once from the end": lambda L, t: L.func.grad(lambda x, y: (x * y).sum(), (0, -2))(t, t),
    "no position": lambda L, t: L.func.grad(lambda x: x.sum(), ())(t),
    "a float as position": lambda L, t: L.func.jacrev(lambda x: x.sum(), 1.0)(t),
    "a name as position": lambda L, t: L.func.grad(lambda x: x.sum(), "x")(t),
    "gradient of a vector": lambda L, t: L.func.grad(lambda x: x)(t),
    "auxiliary result missing": lambda L, t: L.func.grad(lambda x: x.sum(), has_aux=True)(t),
    "three results": lambda L, t: L.func.grad(lambda x: (x.sum(), x, x), has_aux=True)(t),
}


@pytest.mark.parametrize("statement", BAD.values(), ids=BAD)
def test_misuse_fails_in_the_words_of_torch(torch, statement):
    with pytest.raises(RuntimeError, match=r"argnum|scalar|aux") as expected:
        statement(torch, torch.ones(3))
    with pytest.raises(errors.SymgradError) as found:
        statement(sg, sg.ones(3))
    words = str(expected.value).replace("grad_and_value(f)", "grad(f)")  # the name that was called
    assert str(found.value).startswith(words)


# ------------------------------------------------------------------ arguments

ONES = np.ones(3)
MISUSE = [
    (lambda: sg.grad(lambda x: x.sum(), 1)(ONES), errors.ArgumentError, "only 1 positional"),
    (lambda: sg.grad(lambda x: x.sum(), (0, 0))(ONES), errors.ArgumentError, "must be unique"),
    (lambda: sg.grad(lambda x: x.sum(), None)(ONES), errors.ArgumentTypeError, "must be int"),
    (lambda: sg.grad(lambda x: x.sum())(), errors.ArgumentError, "only 0 positional"),
    (lambda: sg.grad(lambda x: x)(ONES), errors.GraphError, "scalar Tensor, got tensor with 1 dims"),
    (lambda: sg.grad(lambda x: x[:1])(ONES), errors.GraphError, "scalar Tensor, got tensor with 1 dims"),
    (lambda: sg.grad(lambda x: None)(ONES), errors.ArgumentTypeError, "got NoneType"),
    (lambda: sg.jacobian(lambda x: [x, "x"])(ONES), errors.ArgumentTypeError, r"got str at result\[1\]"),
    (lambda: sg.grad(lambda x: [x.sum(), x])(ONES), errors.ArgumentTypeError, "got list"),
    (lambda: sg.grad(ONES), errors.ArgumentTypeError, "grad: expected a function, got ndarray"),
    (lambda: sg.vjp(ONES, ONES), errors.ArgumentTypeError, "vjp: expected a function, got ndarray"),
    (lambda: sg.vjp(lambda x: x, ONES)[1](np.ones(2)), errors.ShapeError, r"shape of torch.Size\(\[2\]\)"),
    (lambda: sg.vjp(lambda x: x, ONES)[1](1.0), errors.ShapeError, r"shape of torch.Size\(\[\]\)"),
    (lambda: sg.jvp(lambda x: x, (ONES,), (np.ones(2),)), errors.ShapeError, r"is of size \[2\]"),
    (lambda: sg.jvp(lambda x: x, (ONES,), (1.0,)), errors.ShapeError, r"is of size \[\]"),
    (lambda: sg.jvp(lambda x: x, (ONES,), ()), errors.ArgumentError, "1 primals and 0 tangents"),
    (lambda: sg.jvp(lambda x: x, ONES, ONES), errors.ArgumentTypeError, "are tuples"),
    (lambda: sg.linearize(lambda x: x, ONES)[1](), errors.ArgumentError, "1 primals and 0 tangents"),
    (lambda: sg.linearize(lambda x: x, ONES)[1](1.0), errors.ShapeError, r"is of size \[\]"),
    (lambda: sg.jacrev(lambda x: x, chunk_size=0), errors.ArgumentError, "should be greater than 0, got 0"),
    (lambda: sg.jacobian(lambda x: 2 * x)(sg.symbol("x", "n")), errors.ShapeError, r"must be numbers. Got shape \[n\]"),
    (lambda: sg.jacfwd(lambda x: x, randomness="some"), errors.ArgumentError, "'error', 'different', or 'same'"),
    (lambda: sg.hvp(lambda x: x.sum(), ONES, np.ones(2)), errors.ShapeError, r"is of size \[2\]"),
    (lambda: sg.grad(lambda x: x**2)(3), errors.DTypeError, "Got int64; pass floats"),
    (lambda: sg.grad(lambda x: x.sum())([1, 2]), errors.DTypeError, "Got int64; pass floats"),
    (lambda: sg.jvp(lambda x: x, (np.arange(3),), (ONES,)), errors.DTypeError, "floating point"),
    (lambda: sg.hessian(lambda x: x.sum())(np.array([True])), errors.DTypeError, "Got bool"),
    (lambda: sg.grad(lambda x: x)(1j), errors.SymgradError, "complex"),
    (lambda: sg.vmap(lambda x, y: x * y)(ONES, np.ones(2)), errors.ShapeError, r"common size, got \[2, 3\]"),
    (lambda: sg.vmap(lambda x: x, in_axes=1)(ONES), errors.ShapeError, r"in_axes 1 for a tensor of shape \[3\]"),
    (lambda: sg.vmap(lambda x: x)(1.0), errors.ShapeError, r"in_axes 0 for a tensor of shape \[\]"),
    (lambda: sg.vmap(lambda x: x, in_axes=None)(ONES), errors.ShapeError, "Map at least one"),
    (lambda: sg.vmap(lambda x: x, in_axes=(0, 0))(ONES), errors.ArgumentError, "2 entries for 1 arguments"),
    (lambda: sg.vmap(lambda x: x, out_axes=1)(ONES), errors.IndexRangeError, "out_axes 1"),
    (lambda: sg.vmap(lambda x: x, out_axes=-2)(ONES), errors.IndexRangeError, "out_axes -2"),
    (lambda: sg.vmap(lambda x: "x")(ONES), errors.ArgumentTypeError, "vmap: .* got str"),
    (lambda: sg.vmap(lambda x: x * sg.rand(2), randomness="error")(ONES), errors.GraphError, "draws random numbers"),
    (lambda: sg.vmap(lambda x: x, chunk_size=-1)(ONES), errors.ArgumentError, "greater than 0, got -1"),
    (lambda: sg.vmap(lambda x: x, out_axes=None)(ONES), errors.ArgumentError, "differs from slice to slice"),
    (lambda: sg.vmap(lambda p: p["w"])({"w": 1.0}), errors.ShapeError, r"shape \[\], argument 0\['w'\]"),
    (lambda: sg.vmap(lambda p: p, in_axes=({"a": 0},))({"w": ONES}), errors.ArgumentTypeError, r"in_axes\[0\]: .*keys"),
    (lambda: sg.vmap(lambda x: x, in_axes="0")(ONES), errors.ArgumentTypeError, "in_axes '0' for argument 0"),
    (lambda: sg.vmap(lambda x: x, out_axes=(0, 0))(ONES), errors.ArgumentTypeError, "tuple for one array"),
    (lambda: sg.vmap(lambda x: x if x > 0 else -x)(ONES), errors.ValueNeeded, r"^vmap: .* sg\.where\(x > 0, a, b\)"),
    (lambda: sg.vmap(lambda x: float(x) * x)(ONES), errors.ValueNeeded, r"^vmap: .* without values"),
    (lambda: sg.jacobian(abs, ONES), errors.ArgumentTypeError, r"takes the point: jacobian\(f\)\(x\)"),
    (lambda: sg.jacfwd(abs, ONES), errors.ArgumentTypeError, r"jacfwd\(f\)\(x\)"),
    (lambda: sg.jacrev(abs, [ONES]), errors.ArgumentTypeError, r"jacrev\(f\)\(x\)"),
    (lambda: sg.hessian(abs, ONES), errors.ArgumentTypeError, r"hessian\(f\)\(x\)"),
    (lambda: sg.grad(abs, ONES), errors.ArgumentTypeError, r"grad\(f\)\(x\)"),
    (lambda: sg.value_and_grad(abs, 2.0), errors.ArgumentTypeError, r"value_and_grad\(f\)\(x\)"),
    (lambda: sg.grad_and_value(abs, ()), errors.ArgumentError, "non-empty"),
    (lambda: sg.func.jacrev(lambda x: ())(ONES), errors.ArgumentError, "jacrev: Expected f to return at least one"),
    (lambda: sg.func.jacfwd(lambda x: {})(ONES), errors.ArgumentError, "jacfwd: Expected f to return at least one"),
    (lambda: sg.func.jacfwd(abs, argnums=0.0)(ONES), RuntimeError, "argnums must be int or Tuple"),
    (lambda: sg.func.jvp(sg.sin, ONES, ONES), RuntimeError, "primals and tangents are tuples"),
    (lambda: sg.func.grad(sg.sum, has_aux=True)(ONES), RuntimeError, "should be a tuple"),
]


@pytest.mark.parametrize(("statement", "kind", "message"), MISUSE)
def test_misuse_says_what_was_received(statement, kind, message):
    with pytest.raises(kind, match=message):
        statement()


@pytest.mark.parametrize("argnums", [0, 1, 2, -1, -3, (0,), (2, 0), (-1, 1), [0, 1]])
def test_argnums_choose_the_gradients_and_their_order(argnums):
    def f(x, y, z):
        return (x * y**2 * z**3).sum()

    x, y, z = np.array([1.0, 2.0]), np.array([3.0, -1.0]), np.array([0.5, 2.0])
    known = [y**2 * z**3, 2 * x * y * z**3, 3 * x * y**2 * z**2]
    found = sg.grad(f, argnums)(x, y, z)
    if isinstance(argnums, int):
        close(found, known[argnums], 1e-14)
        return
    assert isinstance(found, tuple)
    for g, k in zip(found, argnums, strict=True):
        close(g, known[k], 1e-14)


def test_arguments_that_are_not_differentiated_pass_as_they_are():
    seen = []

    def f(x, n, *, flag):
        seen.append((n, flag))
        return x**n

    assert sg.grad(f)(3.0, 2, flag="on") == 6.0
    assert seen == [(2, "on")]


@pytest.mark.parametrize("aux", ["text", {"a": 1}, None, (1, 2)])
def test_auxiliary_result_is_handed_through(aux):
    def f(x):
        return (x**2).sum(), aux

    gradient, found = sg.grad(f, has_aux=True)(W)
    close(gradient, 2 * W, 1e-15)
    assert found is aux
    assert sg.value_and_grad(f, has_aux=True)(W)[0] == (np.sum(W**2), aux)
    assert sg.grad_and_value(f, has_aux=True)(W)[1] == (np.sum(W**2), aux)


# ------------------------------------------------------------------ values in and out


def results(kind):
    """One result of each transform, of a point of this kind."""
    x = kind(W)

    def scalar(p):
        return (p**3).sum()

    return {
        "grad": sg.grad(scalar)(x),
        "value": sg.value_and_grad(scalar)(x)[0],
        "vjp": sg.vjp(sg.sin, x)[1](kind(W))[0],
        "jvp": sg.jvp(sg.sin, (x,), (kind(W),))[1],
        "jacobian": sg.jacobian(sg.sin)(x),
        "jacrev": sg.jacrev(sg.sin)(x),
        "jacfwd": sg.jacfwd(sg.sin)(x),
        "hessian": sg.hessian(scalar)(x),
        "hvp": sg.hvp(scalar, x, kind(W)),
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_in_give_arrays_out_in_their_dtype(dtype):
    for name, y in results(lambda x: x.astype(dtype)).items():
        assert isinstance(y, float if name == "value" and dtype == np.float64 else (np.ndarray, np.generic)), name
        assert np.asarray(y).dtype == dtype, name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tensors_in_give_tensors_out_in_their_dtype(dtype):
    for name, y in results(lambda x: sg.tensor(x.astype(dtype))).items():
        assert isinstance(y, sg.Tensor), name
        assert y.dtype == dtype, name
        assert not y.requires_grad, name


def test_python_floats_in_give_python_floats_out():
    value, gradient = sg.value_and_grad(lambda x: x**3)(2.0)
    assert (value, gradient, sg.hessian(lambda x: x**3)(2.0)) == (8.0, 12.0, 12.0)
    assert {type(value), type(gradient), type(sg.jacobian(sg.exp)(1.0))} == {float}


def test_lists_are_arrays():
    close(sg.grad(lambda x: (x**2).sum())([1.0, 2.0]), [2.0, 4.0], 0)
    close(sg.jvp(sg.square, ([1.0, 2.0],), ([1, 0],))[1], [2.0, 0.0], 0)


@pytest.mark.parametrize("constant", [3.0, 3, np.float64(3), np.array(3.0), sg.tensor(3.0)])
@pytest.mark.parametrize("x", [2.0, np.ones((2, 3)), np.ones(3, np.float32), np.ones((0, 2))])
def test_constant_function_has_zero_gradient_of_the_arguments_shape_and_dtype(constant, x):
    value, gradient = sg.value_and_grad(lambda p: constant)(x)
    assert value == 3
    assert np.shape(gradient) == np.shape(x)
    assert np.asarray(gradient).dtype == np.asarray(x).dtype
    assert not np.any(gradient)


def test_ignored_argument_has_zero_derivatives_in_every_transform():
    small = np.ones((2, 2), np.float32)

    def f(x, z):
        return (z**2).sum()

    for zero in (sg.grad(f)(small, W), sg.jacobian(f)(small, W), sg.vjp(f, small, W)[1](1.0)[0]):
        np.testing.assert_array_equal(zero, np.zeros_like(small), strict=True)
    assert sg.hessian(f, (0, 1))(small, W)[0][1].shape == (2, 2, 3)
    assert sg.jvp(f, (small, W), (small, 0 * W))[1] == 0


def test_jacobian_of_no_entries_is_empty():
    assert sg.jacobian(sg.sin)(np.zeros(0)).shape == (0, 0)
    assert sg.jacrev(lambda x: x[:0])(W).shape == (0, 3)
    assert sg.jacfwd(lambda x: x.sum())(np.zeros((0, 2))).shape == (0, 2)


def test_results_do_not_share_memory_with_arguments():
    x, t = W.copy(), W.copy()
    y, pull = sg.vjp(lambda p: p, x)
    for result in (y, pull(t)[0], *sg.jvp(lambda p: p, (x,), (t,)), sg.value_and_grad(lambda p: p @ t)(x)[1]):
        result += 1
    np.testing.assert_array_equal(x, W)
    np.testing.assert_array_equal(t, W)


def test_pull_back_can_be_called_again():
    _, pull = sg.vjp(sg.exp, W)
    close(pull(ONES)[0], np.exp(W), 1e-15)
    close(pull(2 * ONES)[0], 2 * np.exp(W), 1e-15)


def test_transforms_work_under_no_grad_and_leave_leaves_alone():
    w = sg.tensor(W, requires_grad=True)
    with sg.no_grad():
        close(sg.grad(lambda x: (x**2 * w).sum())(W), 2 * W * W, 1e-15)
        assert not sg.is_grad_enabled()
    assert w.grad is None


def test_gradient_at_a_tensor_that_requires_grad_can_be_differentiated_on():
    x = sg.tensor(W, requires_grad=True)
    sg.grad(lambda p: (p**3).sum())(x).sum().backward()
    close(x.grad.numpy(), 6 * W, 1e-14)


def test_gradient_depends_on_a_tensor_closed_over():
    c = sg.tensor(3.0, requires_grad=True)
    sg.grad(lambda p: (c * p**2).sum())(sg.tensor(W)).sum().backward()
    assert c.grad.item() == pytest.approx(2 * W.sum())


def test_value_and_gradient_drive_scipys_minimiser():
    optimize = pytest.importorskip("scipy.optimize")
    rosenbrock, _ = SCALAR["rosenbrock"]
    found = optimize.minimize(sg.value_and_grad(on(rosenbrock, sg)), np.zeros(4), jac=True, method="BFGS")
    close(found.x, np.ones(4), 1e-4)
    f = on(rosenbrock, sg)
    newton = optimize.minimize(
        sg.value_and_grad(f), np.zeros(4), jac=True, method="Newton-CG", hessp=lambda x, v: sg.hvp(f, x, v)
    )
    close(newton.x, np.ones(4), 1e-4)


# ------------------------------------------------------------------ transforms of transforms


@pytest.mark.parametrize(("order", "expected"), [(1, 32.0), (2, 48.0), (3, 48.0), (4, 24.0), (5, 0.0)])
def test_gradient_of_gradient_goes_to_any_order(order, expected):
    f = sg.grad(lambda x: x**4)
    for _ in range(order - 1):
        f = sg.grad(f)
    assert f(2.0) == expected


def test_forward_mode_nests():
    def slope(f):
        return lambda x: sg.jvp(f, (x,), (1.0,))[1]

    assert slope(slope(slope(lambda x: x**4)))(2.0) == 48.0


PERTURBATIONS = {
    "grad in grad": lambda x: x * sg.grad(lambda y: x + y)(1.0),
    "jvp in grad": lambda x: x * sg.jvp(lambda y: x + y, (1.0,), (1.0,))[1],
    "vjp in grad": lambda x: x * sg.vjp(lambda y: x + y, 1.0)[1](1.0)[0],
    "jacobian in grad": lambda x: x * sg.jacobian(lambda y: x + y)(1.0),
}


@pytest.mark.parametrize("f", PERTURBATIONS.values(), ids=PERTURBATIONS)
def test_perturbations_are_not_confused(f):
    """d/dx [x · d/dy (x + y)] = 1, and not 2."""
    assert sg.grad(f)(1.0) == 1.0
    assert sg.jvp(f, (1.0,), (1.0,))[1] == 1.0
    assert sg.jacobian(f)(1.0) == 1.0


def test_inner_gradient_at_the_outer_variable_counts_both_dependences():
    f = sg.grad(lambda x: sg.grad(lambda y: x * y**2)(x))  # d/dx 2x²
    assert f(3.0) == 12.0


def test_jacobian_of_jacobian_has_the_third_axis_last():
    found = sg.jacobian(sg.jacobian(lambda x: sg.sin(x) * x[0]))(W)
    expected = finite_differences(sg.jacobian(lambda x: sg.sin(x) * x[0]), [W], 0)
    assert found.shape == (3, 3, 3)
    close(found, expected, 1e-8)


CONSTANT = sg.tensor(2.0)
NESTED = {  # f, with another transform inside at a constant, and f'(3)
    "jvp": (lambda x: sg.func.jvp(lambda y: y * y, (CONSTANT,), (x,))[1], 4.0),
    "vjp": (lambda x: sg.func.vjp(lambda y: y * y, CONSTANT)[1](x)[0], 4.0),
    "grad": (lambda x: sg.func.grad(lambda y: y * y * x)(CONSTANT), 4.0),
    "jacrev": (lambda x: sg.func.jacrev(lambda y: y * y * x)(CONSTANT), 4.0),
    "jacfwd": (lambda x: sg.func.jacfwd(lambda y: y * y * x)(CONSTANT), 4.0),
    "hessian": (lambda x: sg.func.hessian(lambda y: y * y * x)(CONSTANT), 2.0),
    "hvp": (lambda x: sg.hvp(lambda y: y * y * y, CONSTANT, x), 12.0),
}


@pytest.mark.parametrize("outer", [sg.func.grad, sg.func.jacrev, sg.func.jacfwd], ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", NESTED)
def test_no_graph_of_an_inner_transform_leaks_out(name, outer):
    f, expected = NESTED[name]
    found = outer(f)(sg.tensor(3.0))
    assert (found.item(), found.requires_grad) == (expected, False)
    w = sg.tensor(3.0, requires_grad=True)
    outer(lambda x: f(x) * w)(w).backward()
    assert w.grad.item() == expected


def test_mixed_second_derivative_does_not_depend_on_the_order():
    def f(x, y):
        return sg.sin(x[0] * y[1]) * (x @ y)

    xy = sg.jacobian(sg.grad(f, 0), 1)(W, A[0])
    yx = sg.jacobian(sg.grad(f, 1), 0)(W, A[0])
    close(xy, yx.T, 1e-12)
    close(sg.jacfwd(sg.grad(f, 0), 1)(W, A[0]), xy, 1e-12)


# ------------------------------------------------------------------ vmap


def partly_recorded(x):
    with sg.no_grad():
        y = sg.exp(x)
    return x * y


by_rule = sg.custom_vjp(lambda x, w: sg.sin(x) * w)
by_rule.defvjp(lambda x, w: (sg.sin(x) * w, (x, w)), lambda r, g: (g * sg.cos(r[0]) * r[1], None))


class Doubled(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


SLICES = {  # of a 2×3 slice
    "elementwise": lambda x: sg.sin(x) * x + 1,
    "elementwise with a smaller outside array": lambda x: x * sg.tensor(W),
    "elementwise with a larger outside array": lambda x: x * sg.tensor(np.ones((4, 2, 3))),
    "detached": lambda x: x.detach() * x + x.data.sum(),
    "under no_grad": partly_recorded,
    "where": lambda x: sg.where(x > 0, x, sg.exp(x)),
    "where on conditions": lambda x: sg.where((x > 0) & (x < 1) | sg.isnan(x), x, -x),
    "remainder": lambda x: x % 0.5 + x // 0.5,
    "bits": lambda x: x.to(np.int64) & (4 * x).to(np.int64),
    "test for nan": lambda x: sg.isnan(x),
    "matmul": lambda x: x @ sg.tensor(A),
    "matmul from the left": lambda x: sg.tensor(X[:, :2]) @ x,
    "gram": lambda x: x @ x.T,
    "trace": lambda x: sg.trace(x @ x.T),
    "outer": lambda x: sg.outer(x[0], x[1]),
    "transpose": lambda x: x.T,
    "sum": lambda x: x.sum(),
    "sum over an axis": lambda x: x.sum(0),
    "mean": lambda x: (x * x).mean(),
    "reshape": lambda x: sg.reshape(x, (3, 2)),
    "expand": lambda x: sg.broadcast_to(x, (2, 2, 3)),
    "flip": lambda x: sg.flip(x, (1,)),
    "cast": lambda x: x.to(np.float32),
    "fused sum": lambda x: (x**2).sum(),
    "fused mean": lambda x: sg.nn.functional.mse_loss(x, sg.tensor(np.ones((2, 3)))),
    "basic index": lambda x: x[1, ::2],
    "negative index": lambda x: x[-1],
    "advanced index": lambda x: x[[0, 1, 1], [2, 0, 0]],
    "gradient of a basic index": lambda x: sg.grad(lambda z: (z[1, ::2] ** 2).sum())(x),
    "gradient of an advanced index": lambda x: sg.grad(lambda z: (z[[0, 1, 1]] ** 2).sum())(x),
    "loop": lambda x: sg.scan(lambda c, r: (c * r + 1, c.sum()), 1.0, x[0])[1],
    "new axis": lambda x: x[:, None, 1:],
    "cat with something from outside": lambda x: sg.cat([x, sg.tensor(A)]),
    "stack with something from outside": lambda x: sg.stack([x, sg.tensor(np.ones((2, 3)))], 1),
    "index of the largest": lambda x: sg.argmax(x, 1),
    "largest along an axis": lambda x: sg.max(x, 1).values,
    "gradient of the largest": lambda x: sg.grad(lambda z: (sg.max(z, 1).values ** 2).sum())(x),
    "gradient of the largest of all": lambda x: sg.grad(lambda z: sg.amax(z) ** 2)(x),
    "log softmax": lambda x: sg.nn.functional.log_softmax(x, 1),
    "cross entropy": lambda x: sg.nn.functional.cross_entropy(x, sg.tensor([0, 2])),
    "matrix with a diagonal": lambda x: sg.diag(x[0]),
    "cat and stack": lambda x: sg.stack([sg.cat([x[0], x[1]]), sg.cat([x[1], x[0]])]),
    "maximum over an axis": lambda x: sg.amax(x, 1),
    "product": lambda x: sg.prod(x),
    "running sum": lambda x: sg.cumsum(x, 1),
    "softmax": lambda x: sg.softmax(x, 1),
    "logsumexp": lambda x: sg.logsumexp(x, 0),
    "variance": lambda x: x.var(),
    "inverse": lambda x: sg.linalg.inv(x @ x.T),
    "solve": lambda x: sg.linalg.solve(x @ x.T, x),
    "logdet": lambda x: sg.logdet(x @ x.T),
    "norm": lambda x: sg.norm(x),
    "diagonal and triangle": lambda x: sg.diagonal(x) + sg.tril(x).sum(1),
    "assignment": lambda x: assigned(x),
    "function with a rule": lambda x: by_rule(x, sg.tensor(W)),
    "autograd function": lambda x: Doubled.apply(x) * x,
    "a constant": lambda x: sg.tensor(W),
    "nothing": lambda x: x,
}
BATCH = np.random.default_rng(5).uniform(0.2, 2.0, (4, 2, 3)) * np.array([1.0, -1.0, 1.0])


def assigned(x):
    y = x * 1.0
    y[0, 1] = x[1, 1] * 2
    return y


def slices(f):
    return pytest.mark.parametrize("f", f.values(), ids=f)


@pytest.mark.parametrize("axis", [0, 1, -1])
@slices(SLICES)
def test_vmap_is_a_loop_over_slices(f, axis):
    expected = np.stack([array(f(sg.tensor(x))) for x in BATCH])
    found = sg.vmap(f, in_axes=axis)(np.moveaxis(BATCH, 0, axis))
    assert found.dtype == expected.dtype
    close(array(found), expected, 1e-12)


@pytest.mark.parametrize("axis", [1, -1])
@slices({k: f for k, f in SLICES.items() if np.ndim(f(sg.tensor(BATCH[0])))})
def test_vmap_puts_the_batch_axis_where_asked(f, axis):
    expected = np.stack([array(f(sg.tensor(x))) for x in BATCH], axis)
    close(array(sg.vmap(f, out_axes=axis)(BATCH)), expected, 1e-12)


@slices({k: f for k, f in SLICES.items() if k not in ("cast", "a constant")})
def test_gradient_through_vmap_is_the_gradient_through_the_loop(f):
    def mapped(x):
        return (sg.vmap(f)(x) ** 2).sum()

    def looped(x):
        return sum((f(x[b]) ** 2).sum() for b in range(4))

    close(sg.grad(mapped)(BATCH), sg.grad(looped)(BATCH), 1e-11)


@slices({k: f for k, f in SLICES.items() if k not in ("cast", "a constant")})
def test_vmap_of_gradient_gives_a_gradient_for_each_slice(f):
    gradient = sg.grad(lambda x: (f(x) ** 2).sum())
    close(array(sg.vmap(gradient)(BATCH)), np.stack([gradient(x) for x in BATCH]), 1e-11)


def test_vmap_maps_some_arguments_and_shares_others():
    def f(x, w, c):
        return x @ w * c

    found = sg.vmap(f, in_axes=(0, None, -1))(X, W, np.stack([Y, Y]))
    close(array(found), np.outer(np.ones(4), 1) * (X @ W)[:, None] * np.stack([Y, Y]).T, 1e-15)


def test_vmap_takes_the_names_that_torch_gives_its_arguments():
    found = sg.func.vmap(lambda r, w: r * w, in_dims=(1, None), out_dims=1)(X, np.arange(len(X)))
    np.testing.assert_array_equal(array(found), X * np.arange(len(X))[:, None])


def test_vmap_gives_tuples_for_tuples():
    found = sg.vmap(lambda x: (x.sum(), x * 2))(X)
    assert isinstance(found, tuple)
    close(array(found[0]), X.sum(1), 1e-15)
    close(array(found[1]), 2 * X, 0)


def test_vmaps_nest_into_an_outer_product_of_axes():
    pairs = sg.vmap(sg.vmap(sg.dot, (None, 0)), (0, None))
    close(array(pairs(X, A)), X @ A.T, 1e-15)
    closed = sg.vmap(lambda x: sg.vmap(lambda a: a @ x)(A))
    close(array(closed(X)), X @ A.T, 1e-15)


def test_inner_vmap_sees_what_the_outer_function_computed():
    found = sg.vmap(lambda a: sg.vmap(lambda b: sg.sin(2 * a).sum() * b)(X[0]))(X)
    close(array(found), np.sin(2 * X).sum(1)[:, None] * X[0], 1e-12)


def test_vmap_does_not_compute_again_what_came_from_outside():
    calls = []

    class Count(Op):
        def forward(self, x):
            calls.append(1)
            return x + 1

        def out_shape(self, s):
            return s

    a = Count()(sg.tensor(X[0], requires_grad=True))
    close(array(sg.vmap(lambda x: x * a)(X).detach()), X * (X[0] + 1), 1e-12)
    assert len(calls) == 1


def test_no_derivative_goes_through_integers():
    for transform in (sg.grad, lambda f: lambda x: sg.jvp(f, (x,), (x * 0 + 1,))[1]):
        g = transform(lambda x: (x.to(sg.int64).to(sg.float64) * x).sum())
        close(array(sg.vmap(g)(np.array([1.5, -2.5]))), np.array([1.0, -2.0]), 0)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: sg.jacobian(lambda x: sg.sin(x) * x[0]),
        lambda f: sg.hessian(f),
        lambda f: lambda x: sg.jvp(f, (x,), (x * 0 + 1,))[1],
        lambda f: lambda x: sg.hvp(f, x, x * 0 + 1),
        lambda f: sg.grad(lambda x: (sg.grad(f)(x) ** 2).sum()),
    ],
    ids=["jacobian", "hessian", "jvp", "hvp", "grad of grad"],
)
def test_vmap_of_a_transform_is_a_loop_over_it(transform):
    g = transform(lambda x: sg.exp(x[0] * x[1]) * (x**2).sum())
    close(array(sg.vmap(g)(X)), np.stack([g(x) for x in X]), 1e-12)


def test_hessian_of_a_vmapped_function_is_block_diagonal():
    H = sg.hessian(lambda x: sg.vmap(lambda r: sg.sin(r[0] * r[1]))(x).sum())(X)
    for b, x in enumerate(X):
        close(H[b, :, b], sg.hessian(lambda r: sg.sin(r[0] * r[1]))(x), 1e-12)
        H[b, :, b] = 0
    assert not H.any()


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_vmap_keeps_the_dtype(dtype):
    assert sg.vmap(lambda x: x)(np.ones((2, 3), dtype)).dtype == dtype


def test_vmap_agrees_with_torch(torch):
    def f(L):
        return lambda x, w: L.softmax(x * w, 0) @ w

    found = sg.vmap(f(sg), (1, None), 0)(X.T, W)
    same(found, torch.func.vmap(f(torch), (1, None), 0)(torch.tensor(X.T), torch.tensor(W)))
    second = sg.vmap(sg.hessian(f(sg)), (0, None), -1)(X, W)
    expected = torch.func.vmap(torch.func.hessian(f(torch)), (0, None), -1)(torch.tensor(X), torch.tensor(W))
    same(second, expected)


@pytest.mark.parametrize("transform", [sg.func.jacrev, sg.func.jacfwd])
@pytest.mark.parametrize("f", [lambda x: x.to(sg.int64), lambda x: x > 1, lambda x: sg.argmax(x, 0)])
def test_derivative_of_integers_and_truth_values_is_zero(f, transform):
    x = np.array([3.0, 1.0, 2.0])
    for point in (x, sg.tensor(x)):
        assert not array(transform(f)(point)).any()
