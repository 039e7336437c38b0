"""gradcheck, gradgradcheck and autograd.functional, with torch's arguments, results and refusals."""

import numpy as np
import pytest

import symgrad as sg


@pytest.fixture(params=["symgrad", "torch"])
def m(request):
    """The library under test: each expectation here is torch's."""
    return pytest.importorskip(request.param)


def parameter(m, *numbers):
    return m.tensor(list(numbers), dtype=m.float64, requires_grad=True)


def scaled_gradient(m, factor):
    """x², whose backward is off by a factor."""

    class Square(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return factor * 2 * ctx.saved_tensors[0] * g

    return Square.apply


# ------------------------------------------------------------------ gradcheck
FUNCTIONS = {
    "entry by entry": lambda x, y: x**3 * y,
    "matrix": lambda x, y: x[:, None] * y,
    "number": lambda x, y: (x * y).sum().exp(),
    "several results": lambda x, y: (x * y, (x / y).sum()),
    "one input only": lambda x, y: x.sin(),
}


@pytest.mark.parametrize("forward", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_right_derivatives_pass(m, name, forward):
    x, y = parameter(m, 0.5, -1.5), parameter(m, 2.0, 3.0)
    f = FUNCTIONS[name]
    assert m.autograd.gradcheck(f, (x, y), check_forward_ad=forward)
    assert m.autograd.gradgradcheck(f, (x, y))
    assert x.grad is None


def test_a_wrong_backward_is_shown_beside_the_differences(m):
    x = parameter(m, 1.0)
    f = scaled_gradient(m, 1.5)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0,\nnumerical:") as e:
        m.autograd.gradcheck(f, x)
    assert "analytical:tensor([[3.]]" in str(e.value)
    assert not m.autograd.gradcheck(f, x, raise_exception=False)
    assert m.autograd.gradcheck(f, x, rtol=0.6)


def test_a_backward_of_random_results_is_found(m):
    rng = np.random.default_rng(0)

    class Noisy(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * (2 + rng.normal() * 1e-9)

    with pytest.raises(RuntimeError, match="Backward is not reentrant"):
        m.autograd.gradcheck(Noisy.apply, parameter(m, 1.0))
    assert m.autograd.gradcheck(Noisy.apply, parameter(m, 1.0), nondet_tol=1e-6)


def test_a_derivative_that_is_cut_off_is_found(m):
    with pytest.raises(RuntimeError, match=r"mismatch|expected to be zero"):
        m.autograd.gradcheck(lambda x: x.detach() * x, parameter(m, 1.0, 2.0))


def test_single_precision_is_warned_of(m):
    x = m.tensor([1.0], dtype=m.float32, requires_grad=True)
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision floating point"):
        m.autograd.gradcheck(lambda x: x * 2, x, eps=1e-2, atol=1e-2)


def test_something_must_require_a_gradient(m):
    with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
        m.autograd.gradcheck(lambda x: x, m.ones(1, dtype=m.float64))


def test_a_wrong_second_derivative_is_found(m):
    class Square(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0].detach() * g

    x = parameter(m, 1.0, 2.0)
    assert m.autograd.gradcheck(Square.apply, x)
    assert not m.autograd.gradgradcheck(Square.apply, x, raise_exception=False)


def test_the_symbolic_reading_is_a_witness():
    class Square(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

        @staticmethod
        def symbolic(x):
            return x**3

    x = parameter(sg, 1.0, 2.0)
    with pytest.raises(sg.SymgradError, match="Jacobian of the symbolic reading mismatch for output 0"):
        sg.autograd.gradcheck(Square.apply, x)
    assert sg.autograd.gradcheck(Square.apply, x, check_symbolic=False)


def test_forward_mode_is_a_witness():
    class Square(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

        @staticmethod
        def jvp(ctx, t):
            return t

    x = parameter(sg, 1.0, 2.0)
    assert sg.autograd.gradcheck(Square.apply, x)
    with pytest.raises(sg.SymgradError, match="Jacobian computed with forward mode mismatch"):
        sg.autograd.gradcheck(Square.apply, x, check_forward_ad=True)


# ------------------------------------------------------------------ autograd.functional
X, Y = (0.5, -1.5), (2.0, 3.0, 4.0)


def one(x):
    return x**3


def number(x):
    return (x**3).sum() * x[0]


def two(x, y):
    return (x * y.sum()).exp(), (y**2).sum()


def number_of_two(x, y):
    return (x**2).sum() * (y**3).sum()


def numbers(found):
    """Nested tuples of tensors as nested lists."""
    return [numbers(f) for f in found] if isinstance(found, (tuple, list)) else (tuple(found.shape), found.tolist())


def tensors(m, *values):
    made = tuple(m.tensor(v, dtype=m.float64) for v in values)
    return made[0] if len(made) == 1 else made


CALLS = {
    "jacobian": lambda m: m.autograd.functional.jacobian(one, tensors(m, X)),
    "jacobian of several": lambda m: m.autograd.functional.jacobian(two, tensors(m, X, Y)),
    "jacobian of a number": lambda m: m.autograd.functional.jacobian(number, tensors(m, X), vectorize=True),
    "jacobian of what is constant": lambda m: m.autograd.functional.jacobian(lambda x: m.ones(2), tensors(m, X)),
    "jacobian forwards": lambda m: m.autograd.functional.jacobian(
        two, tensors(m, X, Y), vectorize=True, strategy="forward-mode"
    ),
    "hessian": lambda m: m.autograd.functional.hessian(number, tensors(m, X)),
    "hessian of several": lambda m: m.autograd.functional.hessian(number_of_two, tensors(m, X, Y)),
    "hessian of something linear": lambda m: m.autograd.functional.hessian(lambda x: x.sum(), tensors(m, X)),
    "hessian, forwards outside": lambda m: m.autograd.functional.hessian(
        number, tensors(m, X), vectorize=True, outer_jacobian_strategy="forward-mode"
    ),
    "vjp": lambda m: m.autograd.functional.vjp(one, tensors(m, X), tensors(m, X)),
    "vjp without v": lambda m: m.autograd.functional.vjp(number, tensors(m, X)),
    "vjp of several": lambda m: m.autograd.functional.vjp(two, tensors(m, X, Y), tensors(m, X, 2.0)),
    "jvp": lambda m: m.autograd.functional.jvp(one, tensors(m, X), tensors(m, X)),
    "jvp of several": lambda m: m.autograd.functional.jvp(two, tensors(m, X, Y), tensors(m, X, Y)),
    "vhp": lambda m: m.autograd.functional.vhp(number, tensors(m, X), tensors(m, X)),
    "vhp of several": lambda m: m.autograd.functional.vhp(number_of_two, tensors(m, X, Y), tensors(m, X, Y)),
    "hvp": lambda m: m.autograd.functional.hvp(number, tensors(m, X), tensors(m, X)),
    "hvp of several": lambda m: m.autograd.functional.hvp(number_of_two, tensors(m, X, Y), tensors(m, X, Y)),
}


def flat(found):
    return [v for f in found for v in flat(f)] if isinstance(found, list) else [found]


@pytest.mark.parametrize("name", CALLS)
def test_functional_gives_what_torch_gives(name):
    torch = pytest.importorskip("torch")
    found, expected = (flat(numbers(CALLS[name](m))) for m in (sg, torch))
    assert [s for s, _ in found] == [s for s, _ in expected]
    for (_, a), (_, b) in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("product", ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"])
def test_results_have_a_graph_if_asked(m, product):
    for record in (False, True):
        x = parameter(m, *X)
        v = () if product in ("jacobian", "hessian") else (m.ones(() if product == "vjp" else 2, dtype=m.float64),)
        found = getattr(m.autograd.functional, product)(number, x, *v, create_graph=record)
        found = found[1] if isinstance(found, tuple) else found
        assert found.requires_grad is record
        if record:
            (g,) = m.autograd.grad(found.sum(), x)
            assert np.all(np.isfinite(g.tolist()))


REFUSED = {
    "no tensor returned": (lambda f, x: f.jacobian(lambda x: 3, x), TypeError, "must be either a Tensor or a tuple of"),
    "no tensor given": (lambda f, x: f.jacobian(one, 3.0), TypeError, "The inputs given to jacobian must be either"),
    "hessian of an array": (lambda f, x: f.hessian(one, x), RuntimeError, "should contain a single element"),
    "hessian of two": (lambda f, x: f.hessian(lambda x: (x, x), x), RuntimeError, "should return a single Tensor"),
    "no v": (lambda f, x: f.vjp(one, x), RuntimeError, "The vector v can only be None if"),
    "v of another size": (lambda f, x: f.vjp(one, x, x[:1]), RuntimeError, "v has invalid size: should be"),
    "v of another length, of two": (
        lambda f, x: f.jvp(lambda x, y: x, (x, x), (x, x, x)),
        RuntimeError,
        "v is a tuple of invalid length: should be 2 but got 3",
    ),
    "v of another length": (
        lambda f, x: f.jvp(one, x, (x, x)),
        RuntimeError,
        "The given v should contain a single Tensor",
    ),
    "strict, constant": (
        lambda f, x: f.jacobian(lambda x: x.detach(), x, strict=True),
        RuntimeError,
        "Output 0 of the user-provided function does not require gradients",
    ),
    "strict, independent": (
        lambda f, x: f.vjp(lambda x, y: x.sum(), (x, x), strict=True),
        RuntimeError,
        "The output of the user-provided function is independent of input 1",
    ),
    "strict, linear": (lambda f, x: f.hessian(lambda x: x.sum(), x, strict=True), RuntimeError, "strict mode"),
    "strategy": (lambda f, x: f.jacobian(one, x, strategy="both"), ValueError, "Expected strategy to be either"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_functional_refuses(m, name):
    call, kind, text = REFUSED[name]
    if name == "strategy" and m is not sg:
        kind = AssertionError
    with pytest.raises(kind, match=text):
        call(m.autograd.functional, tensors(m, X))


# ------------------------------------------------------------------ at the limits
def test_tolerances_are_those_that_are_said(m):
    """A backward that is off by 1.5e-3 of the slope 6, and functions whose differences are off by a known amount."""
    x = parameter(m, 3.0)
    f = scaled_gradient(m, 1.0015)
    check = lambda **words: m.autograd.gradcheck(f, x, raise_exception=False, **words)
    assert [check(), check(rtol=1.6e-3), check(rtol=1.4e-3)] == [False, True, False]
    assert [check(rtol=0.0, atol=9.1e-3), check(rtol=0.0, atol=8.9e-3)] == [True, False]
    assert [check(rtol=1e-3, atol=3.1e-3), check(rtol=1e-3, atol=2.9e-3)] == [True, False]
    cube = lambda eps: m.autograd.gradcheck(lambda x: x**3, x, eps=eps, rtol=0.0, raise_exception=False)
    assert [cube(2e-3), cube(5e-3)] == [True, False]  # eps² beside an atol of 1e-5


def test_runs_of_backward_may_differ_by_the_tolerance(m):
    class Drifting(m.autograd.Function):
        runs = 0

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            Drifting.runs += 1
            return g * (2 + 1e-6 * (Drifting.runs % 2))

    words = {"check_symbolic": False} if m is sg else {"check_undefined_grad": False, "check_batched_grad": False}
    for tolerance, passes in ((2e-6, True), (5e-7, False)):
        x = parameter(m, 1.0)
        assert passes == m.autograd.gradcheck(Drifting.apply, x, nondet_tol=tolerance, raise_exception=False, **words)


@pytest.mark.parametrize("forward", [False, True])
def test_complex_derivatives_pass_and_wrong_ones_do_not(m, forward):
    z = m.tensor([0.7 + 0.4j, -1.1 + 0.9j], dtype=m.complex128, requires_grad=True)
    x = parameter(m, 0.6, -1.3)
    f = lambda z, x: (z * z * x, (z.conj() * x).sum(), z.abs() ** 3)
    assert m.autograd.gradcheck(f, (z, x), check_forward_ad=forward)
    assert m.autograd.gradgradcheck(f, (z, x))

    class Turned(m.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g  # not conj(z)

    assert not m.autograd.gradcheck(Turned.apply, z, raise_exception=False)


def test_inputs_that_do_not_require_grad_stay_as_they_are(m):
    x, y = parameter(m, 0.5, -1.5), m.tensor([2.0, 3.0], dtype=m.float64)
    assert m.autograd.gradcheck(lambda x, n, y: (x * y) ** n, (x, 3, y))
    wrong = scaled_gradient(m, 1.5)
    with pytest.raises(RuntimeError, match="mismatch for output 1 with respect to input"):
        m.autograd.gradcheck(lambda y, n, x: (x * y, wrong(x)), (y, 3, x))


def test_a_result_without_a_graph_whose_differences_move_is_found():
    def detached(x):
        return x * 2, (x * x).detach()

    with pytest.raises(sg.errors.GradcheckError, match="expected to be zero"):
        sg.autograd.gradcheck(detached, parameter(sg, 1.5))


def test_warnings_name_the_line_that_calls():
    single = sg.tensor([1.0], dtype=sg.float32, requires_grad=True)
    leaf = sg.tensor(1.0, requires_grad=True)
    calls = [
        lambda: sg.autograd.gradcheck(lambda x: x * 2, single, atol=1.0), sg.autograd.detect_anomaly,
        lambda: (leaf * 2).backward(create_graph=True), lambda: sg.autograd.backward(leaf * 2, create_graph=True),
    ]  # fmt: skip
    for call in calls:
        with pytest.warns(UserWarning, match="precision|Anomaly|create_graph=True") as said:
            call()
        assert {w.filename for w in said} == {__file__}


def test_functional_takes_functions_that_make_leaves(m):
    x = parameter(m, 0.5, -1.5)
    found = m.autograd.functional.jacobian(lambda x: x.long().double().requires_grad_().clone() * 2 + x, x)
    assert found.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_strictness_asks_every_pair_of_result_and_input(m):
    F, x = m.autograd.functional, parameter(m, 0.5, -1.5)
    both = lambda x, y: (x * y, y.sum())
    with pytest.raises(RuntimeError, match="Output 1 of the user-provided function is independent of input 0"):
        F.jacobian(both, (x, x), strict=True)
    for product in (F.vhp, F.hvp):
        with pytest.raises(RuntimeError, match="strict mode"):
            product(lambda x, y: (x**2).sum() + y.sum(), (x, x), (x, x), strict=True)
        found = product(lambda x, y: (x**2).sum() + (y**3).sum(), (x, x), (x, x), strict=True)[1]
        assert [v.tolist() for v in found] == [[1.0, -3.0], [1.5, 13.5]]
    assert F.vjp(lambda x, y: (x, y * 2), (x, x), (x, x), strict=True)[1][1].tolist() == [1.0, -3.0]
    with pytest.raises(RuntimeError, match="The output of the user-provided function is independent of input 1"):
        F.jvp(lambda x, y: (x, x), (x, x), (x, x), strict=True)
    with pytest.raises(RuntimeError, match="strict mode"):
        F.jvp(lambda x: x.detach() * 1.0, x, x, strict=True)
    assert F.jacobian(lambda x, y: x * y, (x, x), strict=True)[1].tolist() == [[0.5, 0.0], [0.0, -1.5]]
