"""``autograd.Function`` and anomaly mode: torch's behaviour, and what torch has not: formulas and compiled code."""

import gc
import threading
import weakref

import numpy as np
import pytest

import symgrad as sg


@pytest.fixture(params=["symgrad", "torch"])
def m(request):
    """The library under test: each expectation here is torch's."""
    return pytest.importorskip(request.param)


def parameter(m, *numbers):
    return m.tensor(list(numbers), dtype=m.float64, requires_grad=True)


def functions(m):
    """The functions that most tests use, for either library."""

    class Cube(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * g

    class Scaled(m.autograd.Function):  # forward without ctx; an argument that is no tensor; saves an output
        @staticmethod
        def forward(x, power):
            return m.exp(x * power)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.power = inputs[1]
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * ctx.power * y, None

    class Both(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            product, total = x * y, x.sum()
            ctx.save_for_backward(x, y, None)
            return product, total

        @staticmethod
        def backward(ctx, g, h):
            x, y, _ = ctx.saved_tensors
            return g * y + h, g * x

        @staticmethod
        def jvp(ctx, s, t):
            raise NotImplementedError

    return Cube, Scaled, Both


# ------------------------------------------------------------------ first and second order
def test_backward_is_used(m):
    cube, scaled, _ = functions(m)
    x = parameter(m, 1.0, 2.0)
    (cube.apply(x) * scaled.apply(x, 0.5)).sum().backward()
    v = np.array([1.0, 2.0])
    np.testing.assert_allclose(x.grad.tolist(), (3 * v**2 + 0.5 * v**3) * np.exp(v / 2), rtol=1e-14)
    assert cube.apply(x).grad_fn.name() == "CubeBackward"


def test_a_gradient_through_backward_has_gradients_of_every_order(m):
    cube, scaled, _ = functions(m)
    x = parameter(m, 1.0, 2.0)
    y = cube.apply(x)
    found = []
    for _ in range(3):
        (y,) = m.autograd.grad(y.sum(), x, create_graph=True)
        found.append(y.tolist())
    assert found == [[3.0, 12.0], [6.0, 12.0], [6.0, 6.0]]
    (first,) = m.autograd.grad(scaled.apply(x, 2.0).sum(), x, create_graph=True)
    (second,) = m.autograd.grad(first.sum(), x)
    np.testing.assert_allclose(second.tolist(), 4 * np.exp([2.0, 4.0]), rtol=1e-14)  # through the saved output


def test_several_outputs_have_one_backward(m):
    calls = []

    class Both(functions(m)[2]):
        @staticmethod
        def backward(ctx, g, h):
            calls.append((g.tolist(), h.item()))
            return functions(m)[2].backward(ctx, g, h)

    x, y = parameter(m, 1.0, 2.0), parameter(m, 3.0, 4.0)
    product, total = Both.apply(x, y)
    (product * total).sum().backward()
    assert calls == [([3.0, 3.0], 11.0)]
    assert (x.grad.tolist(), y.grad.tolist()) == ([20.0, 23.0], [3.0, 6.0])
    product, total = Both.apply(x, y)
    (total * 2).backward()
    assert calls[1] == ([0.0, 0.0], 2.0)


def test_a_gradient_through_several_outputs_is_differentiated_again(m):
    both = functions(m)[2]
    x = parameter(m, 1.0, 2.0)
    product, total = both.apply(x, x)
    (first,) = m.autograd.grad((product * total).sum(), x, create_graph=True)
    (second,) = m.autograd.grad(first[0], x)
    assert second.tolist() == [10.0, 6.0]


# ------------------------------------------------------------------ ctx
def test_ctx_says_which_gradients_are_needed(m):
    seen = []

    class Mul(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, n, y):
            seen.append(ctx.needs_input_grad)
            return x * y * n

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            return g, None, None

    x = parameter(m, 1.0)
    Mul.apply(x, 3, m.tensor([2.0], dtype=m.float64)).sum().backward()
    assert seen == [(True, False, False)] * 2


def test_outputs_can_be_marked_as_not_differentiable(m):
    class Sort(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            order = m.argsort(x) if hasattr(m, "argsort") else m.tensor(np.argsort(x.detach().numpy()))
            rounded = m.floor(x)
            ctx.mark_non_differentiable(order, rounded)
            ctx.save_for_backward(order)
            return x[order], order, rounded

        @staticmethod
        def backward(ctx, g, none, zero):
            assert zero.tolist() == [0.0, 0.0, 0.0]
            out = m.zeros_like(g)
            out[ctx.saved_tensors[0]] = g
            return out

    x = parameter(m, 3.5, 1.5, 2.5)
    values, order, rounded = Sort.apply(x)
    assert (values.requires_grad, order.requires_grad, rounded.requires_grad) == (True, False, False)
    (values * m.tensor([1.0, 2.0, 3.0], dtype=m.float64)).sum().backward()
    assert x.grad.tolist() == [3.0, 1.0, 2.0]


def test_gradients_of_unused_outputs_are_none_if_asked(m):
    seen = []

    class Pair(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, g, h):
            seen.append(g)
            return h * 2

    x = parameter(m, 1.0)
    Pair.apply(x)[1].backward()
    assert seen == [None]
    assert x.grad.tolist() == [2.0]


def test_gradients_are_summed_over_what_was_broadcast(m):
    class Add(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            return g, g

    x, y = parameter(m, 1.0), parameter(m, 1.0, 2.0, 3.0)
    Add.apply(x, y).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([3.0], [1.0, 1.0, 1.0])


def test_without_recording_the_result_is_a_number(m):
    cube = functions(m)[0]
    x = parameter(m, 2.0)
    with m.no_grad():
        assert not cube.apply(x).requires_grad
    assert not cube.apply(m.tensor([2.0])).requires_grad


@pytest.mark.parametrize("order", [1, 2])
def test_once_differentiable_is_refused_a_second_time(m, order):
    class Sin(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return m.as_tensor(np.sin(x.detach().numpy()))

        @staticmethod
        @(sg.autograd.once_differentiable if m is sg else m.autograd.function.once_differentiable)
        def backward(ctx, g):
            return g * m.as_tensor(np.cos(ctx.saved_tensors[0].detach().numpy()))

    x = parameter(m, 1.0)
    g = m.ones_like(x).requires_grad_()
    (first,) = m.autograd.grad(Sin.apply(x), x, g, create_graph=order == 2)
    assert first.item() == np.cos(1.0)
    if order == 2:
        with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with"):
            first.sum().backward()


def returns(m, value):
    class Wrong(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return value(g)

    return Wrong


WRONG = {
    "too few": (lambda g: g, RuntimeError, r"returned an incorrect number of gradients \(expected 2, got 1\)"),
    "too many": (lambda g: (g, g, g), RuntimeError, r"returned an incorrect number of gradients \(expected 2, got 3\)"),
    "other shape": (
        lambda g: (g, g[:1].expand(3)),
        RuntimeError,
        r"returned an invalid gradient at index 1 - got \[3\]",
    ),
    "no tensor": (lambda g: (g, 1.0), RuntimeError, r"expected Variable or None \(got float\)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_backward_that_returns_something_else_is_refused(m, name):
    value, kind, text = WRONG[name]
    x = parameter(m, 1.0, 2.0)
    y = returns(m, value).apply(x, x).sum()
    with pytest.raises(kind, match=text):
        y.backward()


def test_more_gradients_than_arguments_are_none(m):
    x = parameter(m, 1.0, 2.0)
    returns(m, lambda g: (g, None, None)).apply(x, x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


# ------------------------------------------------------------------ forward mode, transforms
class Cube(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


class NumpySin(sg.autograd.Function):
    """sin(k x) outside symgrad."""

    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        ctx.save_for_backward(x)
        return sg.as_tensor(np.sin(k * x.detach().numpy()))

    @staticmethod
    @sg.autograd.once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * sg.as_tensor(ctx.k * np.cos(ctx.k * x.detach().numpy())), None


class WithTangent(NumpySin):
    @staticmethod
    def jvp(ctx, t, k):
        assert k is None
        (x,) = ctx.saved_tensors
        return t * sg.as_tensor(ctx.k * np.cos(ctx.k * x.detach().numpy()))


class Both(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x.sum()

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h, g * x


class Softsign(Cube):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x / (1 + abs(x))

    @staticmethod
    def backward(ctx, g):
        return g / (1 + abs(ctx.saved_tensors[0])) ** 2

    @staticmethod
    def symbolic(x):
        return x / (1 + abs(x))


V = np.array([1.0, 2.0])
SCALARS = {
    "one output": (lambda x: Cube.apply(x).sum(), lambda x: (x**3).sum()),
    "several outputs": (
        lambda x: (Both.apply(x, sg.sin(x))[0] * Both.apply(x, x)[1]).sum(),
        lambda x: (x * sg.sin(x) * x.sum()).sum(),
    ),
    "nested": (lambda x: Cube.apply(Cube.apply(x) * x).sum(), lambda x: (x**12).sum()),
}


@pytest.mark.parametrize("transform", [sg.grad, sg.jacfwd, sg.hessian], ids=lambda t: t.__name__)
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", SCALARS)
def test_transforms_go_through_a_function(name, compiled, transform):
    custom, plain = SCALARS[name]
    call = sg.compile(transform(custom)) if compiled else transform(custom)
    np.testing.assert_allclose(call(V), transform(plain)(V), rtol=1e-12)


class Mixed(sg.autograd.Function):
    """x²yc and sin x + y³, of real and complex numbers, by ``setup_context``; y may be broadcast."""

    @staticmethod
    def forward(x, c, y):
        return x * x * y * c, sg.sin(x) + y**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.c, y = inputs
        ctx.save_for_backward(x, y)

    @staticmethod
    def backward(ctx, g, h):
        x, y = (t.conj() for t in ctx.saved_tensors)
        c = np.conj(ctx.c)
        return 2 * x * y * c * g + sg.cos(x) * h, None, x * x * c * g + 3 * y**2 * h


class Sparing(Mixed):
    """The same, which is given None for results that are not used, and computes what is asked for."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        Mixed.setup_context(ctx, inputs, output)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, g, h):
        shapes = [t.shape for t in ctx.saved_tensors]
        zero = [sg.zeros(*s) for s in (np.broadcast_shapes(*shapes), np.broadcast_shapes(*shapes))]
        dx, none, dy = Mixed.backward(ctx, *(z if t is None else t for t, z in zip((g, h), zero, strict=True)))
        needs = ctx.needs_input_grad
        assert not needs[1]
        return dx if needs[0] else None, none, dy if needs[2] else None


class Pushed(Mixed):
    """The same with a rule of forward mode."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        Mixed.setup_context(ctx, inputs, output)
        ctx.save_for_forward(inputs[0], inputs[2])

    @staticmethod
    def jvp(ctx, t, none, s):
        assert none is None
        x, y = ctx.saved_tensors
        return 2 * x * y * ctx.c * t + x * x * ctx.c * s, sg.cos(x) * t + 3 * y**2 * s


class Spelled(Mixed):
    """The same, written out in formulas."""

    @staticmethod
    def symbolic(x, c, y):
        return Mixed.forward(x, c, y)


USES = {
    "grad": lambda f, x, y: sg.grad(f, (0, 1))(x, y),
    "one of two": lambda f, x, y: sg.grad(f, 1)(x, y),
    "jacfwd": lambda f, x, y: sg.jacfwd(lambda x, y: sg.stack([f(x, y), f(y[0] * x, y)]), (0, 1))(x, y),
    "hessian": lambda f, x, y: sg.hessian(f, (0, 1))(x, y),
    "hvp": lambda f, x, y: sg.hvp(f, (x, y), (np.cos(x), np.sin(y))),
    "vmap of grad": lambda f, x, y: sg.vmap(sg.grad(f, (0, 1)))(np.stack([x, x + 0.3]), np.stack([y, 2 * y])),
    "compiled": lambda f, x, y: sg.compile(sg.grad(f, (0, 1)))(x, y),
    "compiled hessian": lambda f, x, y: sg.compile(sg.hessian(f))(x, y),
    "checkpointed": lambda f, x, y: sg.grad(sg.checkpoint(f), (0, 1))(x, y),
    "of one slice and all": lambda f, x, y: sg.vmap(lambda x: sg.grad(f, 1)(x, y))(np.stack([x, x + 0.3])),
}


@pytest.mark.parametrize("kind", [Mixed, Sparing, Pushed, Spelled], ids=lambda k: k.__name__)
@pytest.mark.parametrize("use", USES)
def test_functions_of_two_arguments_and_results_have_the_derivatives_of_their_operations(kind, use):
    def number(fn):
        def f(x, y):
            x, y = sg.as_tensor(x), sg.as_tensor(y)
            a, b = fn(x, 1.7, y)
            c, _ = fn(y * x, 0.6, x)
            return (a * b * sg.tensor([0.4, -1.3, 2.2])).sum() + (c**2).sum() + fn(x, -0.8, y)[1].sum()

        return f

    x, y = np.array([0.7, -1.2, 0.4]), np.array([1.3])  # y is broadcast
    found, expected = (USES[use](number(fn), x, y) for fn in (kind.apply, Mixed.forward))
    for a, b in zip(_entries(found), _entries(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)


def _entries(found):
    return [v for f in found for v in _entries(f)] if isinstance(found, tuple) else [np.asarray(found)]


@pytest.mark.parametrize("kind", [Mixed, Pushed], ids=lambda k: k.__name__)
def test_functions_of_complex_numbers_have_the_derivatives_of_their_operations(kind):
    x, y = np.array([0.7 + 0.2j, -1.2j, 0.4 - 0.9j]), np.array([1.3 - 0.6j])
    t, s = np.array([0.3 - 0.1j, 0.8j, 1.1 + 0.0j]), np.array([-0.4 + 0.7j])
    c = 0.9 - 1.4j

    def number(fn):
        return lambda x, y: (sg.stack(list(fn(x, c, y))) * (0.7 - 0.3j)).abs().pow(3).sum()

    for a, b in zip(*(sg.grad(number(fn), (0, 1))(x, y) for fn in (kind.apply, Mixed.forward)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    pushed = [sg.jvp(lambda x, y, fn=fn: fn(x, c, y), (x, y), (t, s))[1] for fn in (kind.apply, Mixed.forward)]
    np.testing.assert_allclose(*pushed, rtol=1e-12)


class Kept(sg.autograd.Function):
    """exp x and x², whose backward uses the first result."""

    @staticmethod
    def forward(ctx, x):
        y = sg.exp(x)
        ctx.save_for_backward(x, y)
        return y, x * x

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h * 2 * x


def test_a_result_that_backward_uses_and_that_is_used_itself_counts_both():
    x = sg.tensor(V, requires_grad=True)
    y, z = Kept.apply(x)
    (g,) = sg.autograd.grad((y * y * z).sum(), x, create_graph=True)
    (second,) = sg.autograd.grad((g * y).sum(), x)
    f = lambda x: (2 * np.exp(2 * x) * (x * x + x)) * np.exp(x)  # whose slope is meant
    np.testing.assert_allclose(second, (f(V + 1e-6) - f(V - 1e-6)) / 2e-6, rtol=1e-8)


def test_jvp_is_used_by_forward_mode():
    _, t = sg.jvp(lambda x: WithTangent.apply(x, 2.0), (V,), (np.array([1.0, 10.0]),))
    np.testing.assert_allclose(t, [2 * np.cos(2.0), 20 * np.cos(4.0)], rtol=1e-14)


def test_forward_mode_without_jvp_needs_a_recorded_backward():
    with pytest.raises(sg.SymgradError, match="once_differentiable"):
        sg.jvp(lambda x: NumpySin.apply(x, 2.0), (V,), (V,))


def test_a_hessian_through_once_differentiable_is_refused_rather_than_zero():
    with pytest.raises(sg.SymgradError, match="once_differentiable"):
        sg.hessian(lambda x: NumpySin.apply(x, 2.0).sum())(V)


def test_vmap_runs_a_function_slice_by_slice():
    found = sg.vmap(lambda x: NumpySin.apply(x, 3.0))(np.ones((2, 3)))
    np.testing.assert_allclose(found.tolist(), np.full((2, 3), np.sin(3.0)))


# ------------------------------------------------------------------ formulas and compiled code
def test_a_function_without_symbolic_is_a_name_in_formulas():
    x = sg.tensor(V, requires_grad=True, name="x")
    assert str(sg.derive(NumpySin.apply(x, 2.0).sum(), x)) == "NumpySin′(1, x)"
    form = sg.derive((NumpySin.apply(x, 2.0) * Cube.apply(x)).sum(), x)
    expected = 2 * np.cos(2 * V) * V**3 + np.sin(2 * V) * 3 * V**2
    np.testing.assert_allclose(form.lambdify()(V), expected, rtol=1e-14)
    assert r"\operatorname{NumpySin}^{\prime}" in form.latex()


def test_outputs_and_arguments_of_a_named_function_are_told_apart():
    x, y = (sg.tensor(V, requires_grad=True, name=n) for n in "xy")
    forms = sg.derive(Both.apply(x, y)[0].sum(), [x, y])
    assert [str(f) for f in forms] == ["Both[0]′0(1, x, y)", "Both[0]′1(1, x, y)"]
    np.testing.assert_allclose(forms[1].lambdify()(V, 2 * V), V)


@pytest.mark.parametrize("named", [True, False], ids=["symbol", "tensor"])
def test_symbolic_takes_a_function_into_formulas(named):
    x = sg.symbol("x", "n") if named else sg.tensor(V, requires_grad=True, name="x")
    plain = x / (1 + abs(x))
    assert str(sg.derive(Softsign.apply(x).sum(), x)) == str(sg.derive(plain.sum(), x))


def test_backward_in_symbolic_mode_and_expr_go_through_a_function():
    x = sg.tensor(V, requires_grad=True, name="x")
    y = Cube.apply(x)
    assert "Cube(x)" in str(y.expr)
    y.sum().backward(mode="symbolic")
    assert str(x.grad_expr) == "Cube′(1, x)"


def test_a_compiled_function_runs_an_opaque_one_as_a_step():
    f = sg.compile(sg.value_and_grad(lambda x, k: (NumpySin.apply(x, 2.0) * k).sum()))
    value, gradient = f(V, V)
    np.testing.assert_allclose(value, (np.sin(2 * V) * V).sum(), rtol=1e-14)
    np.testing.assert_allclose(gradient, 2 * np.cos(2 * V) * V, rtol=1e-14)


def test_crosscheck_blames_a_symbolic_that_is_not_the_function():
    class Cubed(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            return 3 * ctx.saved_tensors[0] ** 2 * g

        @staticmethod
        def symbolic(x):
            return x**2

    report = sg.testing.crosscheck(Cubed.apply, np.array([0.5, 2.0]), raise_exception=False)
    wrong = {"closed form", "index notation", "matrix notation"}
    assert {w.name for w in report.witnesses if not w.agrees} == wrong


def test_a_symbolic_of_another_shape_is_refused():
    class Wrong(Softsign):
        @staticmethod
        def symbolic(x):
            return x.sum()

    x = sg.tensor(V, requires_grad=True)
    with pytest.raises(sg.SymgradError, match=r"symbolic: the result has shape \[\]"):
        sg.derive(Wrong.apply(x).sum(), x)


# ------------------------------------------------------------------ memory, threads
@pytest.mark.parametrize("use", [lambda y: None, lambda y: y.backward()], ids=["dropped", "after backward"])
def test_a_function_leaves_nothing_to_the_garbage_collector(use):
    x = parameter(sg, 1.0, 2.0)
    gc.collect()
    gc.disable()
    try:
        a, b = Both.apply(Cube.apply(x), x)
        nodes = [weakref.ref(t.grad_fn) for t in (a, b)]
        y = (a * b).sum()
        use(y)
        del a, b, y
        assert [n() for n in nodes] == [None, None]
    finally:
        gc.enable()


def test_backward_frees_what_was_saved():
    x = parameter(sg, 1.0, 2.0)
    y = Cube.apply(x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_a_retained_function_is_swept_by_threads_at_once():
    x, found = parameter(sg, 1.0, 2.0), []
    a, b = Both.apply(Cube.apply(x), x)
    y = (a * b).sum()
    expected = tuple(sg.autograd.grad(y, x, retain_graph=True)[0].tolist())

    def work():
        found.extend(tuple(sg.autograd.grad(y, x, retain_graph=True)[0].tolist()) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [expected] * 200


# ------------------------------------------------------------------ anomaly mode
@pytest.fixture
def normal(m):
    yield m
    m.autograd.set_detect_anomaly(False)


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
@pytest.mark.parametrize("create_graph", [False, True])
def test_nan_is_found_and_the_line_shown(normal, create_graph):
    m, x = normal, parameter(normal, 0.0)
    with m.autograd.detect_anomaly():
        y = (x.sqrt() * 0).sum()  # the line
        with (
            pytest.raises(RuntimeError, match=r"Function 'SqrtBackward0' returned nan values in its 0th output\."),
            pytest.warns(
                UserWarning, match=r"(?s)Error detected in SqrtBackward0.*x\.sqrt\(\) \* 0\)\.sum\(\)  # the line"
            ),
        ):
            m.autograd.grad(y, x, create_graph=create_graph)


def test_check_nan_may_be_off(normal):
    x = parameter(normal, 0.0)
    with normal.autograd.set_detect_anomaly(True, check_nan=False):
        (g,) = normal.autograd.grad((x.sqrt() * 0).sum(), x)
    assert np.isnan(g.item())


def test_anomaly_mode_ends_with_its_block_and_by_the_switch(normal):
    m = normal
    with m.autograd.set_detect_anomaly(True):
        assert m.is_anomaly_enabled() if m is not sg else sg.autograd.is_anomaly_enabled()
    x = parameter(m, 0.0)
    assert np.isnan(m.autograd.grad((x.sqrt() * 0).sum(), x)[0].item())
    m.autograd.set_detect_anomaly(True)
    m.autograd.set_detect_anomaly(False)
    assert np.isnan(m.autograd.grad((x.sqrt() * 0).sum(), x)[0].item())


def test_a_rule_that_raises_is_reported_with_its_line(normal):
    class Fails(normal.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise KeyError("in backward")

    x = parameter(normal, 1.0)
    with normal.autograd.set_detect_anomaly(True):
        y = Fails.apply(x).sum()
        with pytest.raises(KeyError, match="in backward"), pytest.warns(UserWarning, match="Error detected in Fails"):
            y.backward()


@pytest.mark.filterwarnings("ignore:Error detected")
def test_the_error_says_where_also_without_the_warning():
    x = parameter(sg, 0.0)
    where = r"It was recorded in .*test_autograd_function\.py, line \d+: y ="
    with sg.autograd.set_detect_anomaly(True):
        y = (x.sqrt() * 0).sum()
        with pytest.raises(sg.SymgradError, match=where):
            y.backward()


@pytest.mark.filterwarnings("ignore:Error detected")
def test_what_was_recorded_before_the_mode_has_no_line():
    x = parameter(sg, 0.0)
    y = (x.sqrt() * 0).sum()
    with (
        sg.autograd.set_detect_anomaly(True),
        pytest.raises(sg.SymgradError, match="No forward pass information available"),
    ):
        y.backward()


def test_setup_context_receives_defaults_of_forward():
    class Power(sg.autograd.Function):
        @staticmethod
        def forward(x, n=3):
            return x**n

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.n = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * ctx.n * x ** (ctx.n - 1), None

    x = sg.tensor(2.0, requires_grad=True)
    assert sg.autograd.grad(Power.apply(x), x)[0] == 12.0
    assert sg.autograd.grad(Power.apply(x, 2), x)[0] == 4.0
    assert sg.vmap(sg.grad(Power.apply))(sg.tensor([1.0, 2.0])).tolist() == [3.0, 12.0]
