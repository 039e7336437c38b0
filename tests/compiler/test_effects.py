"""What a traced function does besides returning results: it draws random numbers, and changes tensors."""

import copy
import gc
import pickle
import random
import warnings

import numpy as np
import pytest
import test_random

import symgrad as sg
from symgrad.core import ended

BACKENDS = ("auto", "python", "numpy", "llvm", "c", "mpmath")
X = np.array([0.7, -1.3, 2.1])
BATCH = np.array([[0.7, -1.3], [2.1, 0.4], [-0.6, 1.9]])


def noisy(x):
    return x * sg.rand(3) + sg.randn(3) * 0.3


def values(f, *args, calls=3):
    """What some calls return, and the number that the generator draws after them."""
    sg.manual_seed(11)
    found = [np.asarray(f(*args)).tolist() for _ in range(calls)]
    return found, sg.rand(1).item()


# ------------------------------------------------------------------ random numbers
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_compiled_function_draws_what_the_function_draws(backend):
    eager, after = values(lambda x: noisy(sg.tensor(x)), X)
    compiled, then = values(sg.compile(noisy, backend=backend), X)
    np.testing.assert_allclose(compiled, eager, rtol=1e-15)
    assert then == after
    assert compiled[0] != compiled[1] != compiled[2]


@pytest.mark.parametrize("name", test_random.MAKERS)
def test_every_random_tensor_is_drawn_anew_at_every_call(name):
    make, g = test_random.MAKERS[name], sg.Generator()
    f = sg.compile(lambda x: make(g) + 0 * x)
    g.manual_seed(5)
    compiled = [f(0.0).tolist() for _ in range(2)]
    g.manual_seed(5)
    assert compiled == [make(g).tolist() for _ in range(2)]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: sg.stats.gamma.rvs(2.3, size=2),
        lambda: sg.stats.poisson.rvs(3.1, size=4),
        lambda: sg.stats.categorical.rvs(sg.tensor([0.2, 0.5, 0.3]), size=9),
        lambda: sg.stats.multinomial.rvs(7, sg.tensor([0.2, 0.5, 0.3])),
        lambda: sg.stats.multivariate_normal.rvs(sg.tensor([1.0, 2.0])),
        lambda: sg.nn.init.orthogonal_(sg.zeros(2, 3)),
        lambda: sg.nn.init.trunc_normal_(sg.zeros(3)),
        lambda: sg.randn(2, dtype=sg.complex64),
        lambda: sg.nn.functional.dropout(sg.ones(9, dtype=sg.float32), 0.3),
    ],
)
def test_samples_are_drawn_anew_at_every_call(draw):
    eager, after = values(draw)
    compiled, then = values(sg.compile(draw))
    np.testing.assert_allclose(compiled, eager, rtol=1e-15)
    assert then == after
    assert compiled[0] != compiled[1]


def test_a_seed_among_the_parameters_gives_the_same_numbers_at_every_call():
    f = sg.compile(lambda x: x + sg.stats.norm.rvs(size=2, random_state=4))
    assert f(0.0).tolist() == f(0.0).tolist() == sg.stats.norm.rvs(size=2, random_state=4).tolist()


def test_probabilities_means_and_deviations_may_be_arguments():
    for f in (sg.bernoulli, lambda p: sg.normal(p, 2 * p), lambda p: sg.zeros(2).bernoulli_(p)):
        eager, _ = values(lambda p, f=f: f(sg.tensor(p)), np.array([0.4, 0.7]))
        compiled, _ = values(sg.compile(f), np.array([0.4, 0.7]))
        np.testing.assert_allclose(compiled, eager, rtol=1e-15)


def test_seeding_inside_a_function_seeds_at_every_call():
    def of_default(x):
        sg.manual_seed(4)
        return x + sg.rand(2)

    def of_its_own(x):
        return x + sg.rand(2, generator=sg.Generator().manual_seed(3))

    for f in (of_default, of_its_own):
        g = sg.compile(f)
        assert g(0.0).tolist() == g(0.0).tolist() == f(0.0).tolist()


def test_tracing_leaves_the_generator_where_it_is():
    f = sg.compile(noisy)
    sg.manual_seed(1)
    f.lower(X)
    state = sg.get_rng_state()
    sg.manual_seed(1)
    assert (state == sg.get_rng_state()).all()


@pytest.mark.parametrize("transform", [sg.grad, sg.jacobian, sg.jacfwd, sg.hessian, sg.value_and_grad, sg.vmap])
def test_compiled_derivatives_draw_what_they_draw_without_compiling(transform):
    f = transform(lambda x: (sg.nn.functional.dropout(x, 0.4) ** 3).sum())
    x = BATCH if transform is sg.vmap else X
    eager, after = values(lambda x: _flat(f(x)), x)
    g = sg.compile(f)
    compiled, then = values(lambda x: _flat(g(x)), x)
    np.testing.assert_allclose(compiled, eager, rtol=1e-13)
    assert then == after
    assert compiled[0] != compiled[1]


def _flat(y):
    return np.concatenate([np.ravel(p) for p in (y if isinstance(y, tuple) else (y,))])


def test_the_gradient_of_a_compiled_call_sees_the_numbers_of_that_call():
    def f(x):
        return (sg.nn.functional.dropout(x, 0.5) ** 2).sum()

    found = []
    for g in (f, sg.compile(f)):
        sg.manual_seed(2)
        x = sg.tensor(np.arange(1.0, 9.0), requires_grad=True)
        ys = [g(x), g(x)]
        grads = [sg.autograd.grad(y, x, create_graph=True)[0] for y in ys]
        seconds = [sg.autograd.grad(d.sum(), x)[0].tolist() for d in grads]
        found.append(([y.item() for y in ys], [d.tolist() for d in grads], seconds))
    assert found[0] == found[1]
    assert found[0][1][0] != found[0][1][1]


@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.parametrize("compiled", [False, True])
def test_slices_of_different_randomness_draw_one_after_another(compiled, chunk_size):
    def f(x):
        return sg.nn.functional.dropout(x, 0.4) * sg.randn()

    mapped = sg.vmap(f, randomness="different", chunk_size=chunk_size)
    expected, after = values(lambda x: np.stack([f(sg.tensor(r)).numpy() for r in x]), BATCH)
    found, then = values(sg.compile(mapped) if compiled else mapped, BATCH)
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    assert then == after


# ------------------------------------------------------------------ loops and checkpoints
def _by_hand(x):
    for _ in range(3):
        inner = 0.0
        for _ in range(2):
            inner += sg.rand().item() * sg.randn().item()
        x = 0.5 * x + inner
    return x


def _looped(x):
    def inner(_, c):
        return c + sg.rand() * sg.randn()

    return sg.fori_loop(0, 3, lambda _, c: 0.5 * c + sg.fori_loop(0, 2, inner, 0.0), x)


@pytest.mark.parametrize("compiled", [False, True])
def test_every_step_of_a_loop_draws_anew(compiled):
    expected, after = values(_by_hand, 1.7)
    found, then = values(sg.compile(_looped) if compiled else _looped, 1.7)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert then == after


def test_a_reversed_loop_draws_in_the_order_of_its_steps():
    sg.manual_seed(6)
    _, ys = sg.scan(lambda c, x: (c, x * sg.rand()), 0.0, np.ones(4), reverse=True, checkpoint_every=2)
    sg.manual_seed(6)
    assert ys.tolist() == sg.rand(4).tolist()[::-1]


def test_the_derivative_of_a_loop_sees_the_numbers_of_its_steps():
    def f(x):
        return sg.scan(lambda c, _: (c * sg.rand(), None), x, length=5)[0]

    sg.manual_seed(8)
    slope = sg.grad(f)(2.0)
    sg.manual_seed(8)
    assert slope == pytest.approx(float(np.prod(sg.rand(5))), rel=1e-14)


class _Noisy(sg.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.norm = sg.nn.Linear(2, 3), sg.nn.BatchNorm1d(3)
        self.own, self.numpy = sg.Generator(), np.random.default_rng(3)
        self.register_buffer("shift", sg.zeros(3))

    def forward(self, x):
        factor = np.random.rand() + random.random() + self.numpy.normal()
        self.shift.add_(1.0)
        y = sg.nn.functional.dropout(self.norm(self.layer(x)) * factor, 0.3, generator=self.own)
        return (y + sg.randn(3)) ** 2 + self.shift


def test_a_checkpoint_draws_again_what_it_drew_and_changes_nothing_twice():
    model, x = _Noisy(), sg.tensor(BATCH, requires_grad=True)
    found = []
    for f in (copy.deepcopy(model), copy.deepcopy(model)):
        sg.manual_seed(0), np.random.seed(0), random.seed(0)
        y = (f if not found else sg.checkpoint(f))(x).sum() + f.shift.sum()
        f.shift.mul_(0.0)  # what happens between forward and backward is not seen
        slopes = sg.autograd.grad(y, [x, *f.parameters()])
        ends = [np.random.rand(), random.random(), sg.rand(1).item(), f.numpy.normal(), sg.rand(1, generator=f.own)]
        state = [b.tolist() for b in f.buffers()]
        found.append([y.item(), *[d.tolist() for d in slopes], [float(e) for e in ends], state])
    assert found[0] == found[1]


class _Masked(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        mask = sg.rand(3)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


@sg.custom_vjp
def _masked(x):
    return x * sg.rand(3)


def _forward(x):
    mask = sg.rand(3)
    return x * mask, mask


_masked.defvjp(_forward, lambda mask, g: (g * mask,))


@pytest.mark.parametrize("masked", [_Masked.apply, _masked])
def test_functions_with_a_rule_draw_anew_but_not_again_for_their_derivative(masked):
    def f(x):
        return masked(x).sum()

    value, slope = sg.value_and_grad(f)(np.ones(3))
    assert value == pytest.approx(slope.sum(), rel=1e-14)
    compiled = sg.compile(f)
    assert compiled(X) != compiled(X)
    for g in (sg.compile(sg.value_and_grad(f)), sg.vmap(sg.value_and_grad(f))):
        with pytest.raises(sg.errors.GraphError, match="draws random numbers, and is run again for its derivative"):
            g(X if isinstance(g, type(compiled)) else BATCH[:, :1] + X)


# ------------------------------------------------------------------ what cannot draw
@pytest.mark.parametrize(
    "write",
    [
        lambda f: sg.derive(f, "x", shapes={"x": 3}),
        lambda f: sg.explain(f, "x"),
        lambda f: sg.export(f, (X,), target="c"),
        lambda f: sg.export(f, shapes=[("n",)], target="numpy"),
        lambda f: sg.sparse_jacobian(f)(X),
    ],
)
def test_what_is_written_once_refuses_to_draw(write):
    with pytest.raises(sg.errors.GraphError, match=r"draws random numbers, .* Pass them as an argument"):
        write(lambda x: (x * sg.rand(1)).sum())


def test_a_compiled_function_that_draws_is_not_exported():
    f = sg.compile(noisy)
    f(X)
    with pytest.raises(sg.errors.GraphError, match="export: the function draws random numbers"):
        sg.export(f, target="c")


def test_orders_of_data_are_not_drawn_while_a_function_is_traced():
    loader = sg.utils.data.DataLoader(sg.utils.data.TensorDataset(sg.arange(5)), shuffle=True)
    with pytest.raises(sg.errors.GraphError, match=r"shuffling: .* pass it as an argument"):
        sg.compile(lambda x: x + next(iter(loader))[0])(1.0)


_RANDOM, _STATE = random.Random(0), np.random.RandomState(0)


def _drawn_of_torch():
    return pytest.importorskip("torch").rand(1).item()


class _Holder:
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __call__(self, x):
        return x * self.rng.normal()


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (lambda x: x * np.random.rand(), "numpy.random"),
        (lambda x: x * random.random(), "random"),
        (lambda x: x * _RANDOM.random(), "a random Random"),
        (lambda x: x * _STATE.rand(), "a numpy RandomState"),
        (_Holder(), "a numpy Generator"),
        (lambda x: sg.scan(lambda c, y: (c + y * np.random.rand(), None), x, np.ones(2))[0], "numpy.random"),
    ],
)
def test_numbers_of_other_generators_are_warned_of(f, name):
    np.random.rand()
    with pytest.warns(UserWarning, match=f"draws from {name} while it is traced.* Write sg.rand") as found:
        sg.compile(f)(1.0)
    assert found[0].filename == __file__


@pytest.mark.parametrize(
    ("write", "who"),
    [
        (lambda f: sg.derive(f, "x"), "derive"),
        (lambda f: sg.explain(f, "x"), "explain"),
        (lambda f: sg.export(f, (1.0,), target="c"), "export"),
        (lambda f: sg.export(f, shapes=[("n",)], target="numpy"), "export"),
    ],
)
def test_formulas_and_sources_with_numbers_of_other_generators_are_warned_of(write, who):
    np.random.rand()
    with pytest.warns(UserWarning, match=f"{who}: the function draws from numpy.random while it is traced"):
        write(lambda x: (x * np.random.rand()).sum())


@pytest.mark.parametrize("draw", [np.random.rand, random.random, lambda: _STATE.rand(), _drawn_of_torch])
def test_slices_of_different_randomness_are_warned_of_numbers_of_other_generators(draw):
    draw()
    with pytest.warns(UserWarning, match="vmap: the function draws from .* while it is traced"):
        sg.vmap(lambda x: x * draw(), randomness="different")(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.vmap(lambda x: x * draw())(X)  # the same for all slices


def test_functions_that_draw_nothing_are_not_warned_of():
    np.random.rand()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.compile(noisy)(X)


# ------------------------------------------------------------------ tensors that are kept
class Object:
    kept = None


def keepers():
    """Functions that keep a tensor, and where it is afterwards."""
    cache, log, thing, last, module = {}, [], Object(), None, sg.nn.Linear(3, 1)
    seen = []
    module.register_forward_hook(lambda module, args, y: seen.append(y))

    def into_a_dict(x):
        cache["y"] = x * 2

    def into_a_list(x):
        log.append(x.sum())

    def into_an_attribute(x):
        thing.kept = x

    def into_a_cell(x):
        nonlocal last
        last = sg.sin(x) + 1

    def into_a_global(x):
        globals()["_KEPT"] = x[0]

    def by_a_hook(x):
        module(x)

    return {
        into_a_dict: lambda: cache["y"], into_a_list: lambda: log[-1], into_an_attribute: lambda: thing.kept,
        into_a_cell: lambda: last, into_a_global: lambda: globals()["_KEPT"], by_a_hook: lambda: seen[-1],
    }  # fmt: skip


def kept_by(keep):
    def f(x):
        keep(x)
        return (x * x).sum()

    return f


TRACING = {
    "compile": lambda f: sg.compile(f, backend="numpy")(X),
    "vmap": lambda f: sg.vmap(f)(X[None]),
    "scan": lambda f: sg.scan(lambda c, x: (c + f(x), None), 0.0, X[None]),
    "fori_loop": lambda f: sg.fori_loop(0, 2, lambda i, c: c / f(c), sg.tensor(X)),
    "quad": lambda f: sg.quad(lambda s, x: f(s * x), 0.0, 1.0, X),
    "argmin": lambda f: sg.argmin(f, X),
    "jacobian": lambda f: sg.compile(sg.jacobian(f), backend="numpy").lower((3,)),
    "mapped gradient": lambda f: sg.vmap(sg.grad(f))(X[None]),
}


@pytest.mark.parametrize("which", range(6))
@pytest.mark.parametrize("trace", TRACING)
def test_a_tensor_that_a_traced_function_keeps_cannot_be_used_afterwards(trace, which):
    keep, kept = list(keepers().items())[which]
    TRACING[trace](kept_by(keep))
    with pytest.raises(sg.errors.GraphError, match=r"has kept this tensor in a variable.* Return it from .* instead"):
        kept() + 1
    assert "beyond its trace" in repr(kept())


USES = {
    "an operation": lambda y: sg.sin(y), "a contraction": lambda y: y @ y, "a number": lambda y: y[0].item(),
    "an array": lambda y: np.asarray(y), "its list": lambda y: y.tolist(), "a formula": lambda y: y.expr,
    "a graph": lambda y: sg.graph(y), "a pickle": lambda y: pickle.dumps(y), "a write": lambda y: y.mul_(2),
    "a statement": lambda y: sg.zeros(3).copy_(y), "its result": lambda y: sg.compile(lambda x: y)(X),
    "another trace": lambda y: sg.compile(lambda x: x * y)(X), "a boolean": lambda y: bool(y),
    "a slice": lambda y: sg.vmap(lambda x: y)(X), "a loop": lambda y: sg.scan(lambda c, x: (c, y), 0.0, X),
    "a derivative": lambda y: sg.grad(lambda x: (x * y).sum())(X), "a derived one": lambda y: sg.derive(y.sum(), y),
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_no_use_of_a_tensor_that_was_kept_is_a_formula(use):
    log = []

    def model(x):
        log.append(2 * x)
        return x

    sg.compile(model)(X)
    with pytest.raises(sg.errors.GraphError, match="compile: model has kept this tensor"):
        USES[use](log[0])


def test_a_tensor_kept_by_a_trace_that_failed_cannot_be_used():
    log = []

    def model(x):
        log.append(x)
        return 1 if x.sum() > 0 else 2

    for call in (sg.compile(model), sg.vmap(model), lambda x: sg.scan(lambda c, y: (c, model(y)), 0.0, x)):
        with pytest.raises(sg.errors.ValueNeeded):
            call(X[None])
        with pytest.raises(sg.errors.GraphError, match="has kept this tensor"):
            log[-1] * 2


def test_a_trace_inside_of_another_may_keep_what_does_not_depend_on_its_slices():
    def f(x, inner):
        kept = []
        y = sg.vmap(lambda row: kept.append(inner(x, row)) or row * kept[-1])(x)
        return y + kept[-1]

    expected = [x * 2 * X.sum() + 2 * X.sum() for x in X]
    np.testing.assert_allclose(sg.compile(lambda x: f(x, lambda x, row: 2 * x.sum()))(X), expected, rtol=1e-15)
    with pytest.raises(sg.errors.GraphError, match="vmap: the function has kept this tensor"):
        sg.compile(lambda x: f(x, lambda x, row: row))(X)


def test_nothing_is_looked_up_once_what_was_kept_is_gone():
    gc.collect()
    before, log = set(ended.ENDED), []
    sg.compile(lambda x: log.append(x) or x, backend="numpy")(X)
    assert set(ended.ENDED) - before
    log.clear()
    gc.collect()
    assert set(ended.ENDED) <= before


def test_a_symbol_of_the_users_own_outlives_every_trace():
    s = sg.symbol("s", 3)
    y = s * 2
    log = []
    sg.compile(lambda x: log.append(x) or x)(X)
    assert str(sg.derive((y * s).sum(), s)) == "4*s"


# ------------------------------------------------------------------ states
@pytest.mark.parametrize("backend", [b for b in BACKENDS if b != "python"])  # which has no integers
@pytest.mark.parametrize("momentum", [0.1, None])
def test_running_statistics_of_a_compiled_module_are_those_of_the_module(backend, momentum):
    model = sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.BatchNorm1d(3, momentum=momentum))
    other, p = copy.deepcopy(model), {k: v.detach() for k, v in model.named_parameters()}
    f = sg.compile(lambda p, x: (sg.func.functional_call(model, p, x) ** 3).sum(), backend=backend)
    for x in (BATCH, 2 * BATCH**2):
        expected = (sg.func.functional_call(other, p, sg.tensor(x)) ** 3).sum()
        np.testing.assert_allclose(f({k: v.numpy() for k, v in p.items()}, x), expected, rtol=1e-12)
    for a, b in zip(model.buffers(), other.buffers(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-13)
    assert model[1].num_batches_tracked.item() == 2
    np.testing.assert_allclose(model.eval()(sg.tensor(BATCH)).detach(), other.eval()(sg.tensor(BATCH)).detach())


@pytest.mark.parametrize("wrapped", [sg.grad, lambda f: f])
def test_a_tensor_changed_in_place_is_written_back_at_every_call(wrapped):
    total, count = sg.zeros(3), sg.tensor(0)

    def f(x):
        with sg.no_grad():
            total.mul_(0.5).add_(x)
            total[1] = 7.0
        count.add_(1)
        return (x * total).sum()

    g = sg.compile(wrapped(f))
    found = [np.asarray(g(X)).tolist() for _ in range(2)]
    after = total.tolist(), count.item()
    total.zero_()
    count.zero_()
    assert [np.asarray(wrapped(lambda x: f(sg.as_tensor(x)))(X)).tolist() for _ in range(2)] == found
    assert (total.tolist(), count.item()) == after
    assert count.item() == 2


def test_what_the_user_writes_between_calls_is_read():
    total = sg.zeros(3)
    f = sg.compile(lambda x: total.add_(x).sum())
    f(X)
    total.fill_(10.0)
    assert f(X) == pytest.approx(30 + X.sum())
    total.data = sg.ones(3, dtype=sg.float32)
    f(X)
    assert total.dtype == np.float32
    assert total.tolist() == pytest.approx((1 + X).tolist())


def test_states_are_written_back_where_tensors_come_in_and_gradients_flow():
    model, x = sg.nn.BatchNorm1d(2, affine=False), sg.tensor(BATCH, requires_grad=True)
    other = copy.deepcopy(model)
    f = sg.compile(lambda x: (model(x) ** 3).sum())
    for g in (f, lambda x: (other(x) ** 3).sum()):
        g(x).backward()
    assert model.running_mean.tolist() == pytest.approx(other.running_mean.tolist())
    assert model.running_mean.grad_fn is None
    twice = sg.tensor(BATCH, requires_grad=True)
    (2 * (other(twice) ** 3).sum()).backward()
    np.testing.assert_allclose(x.grad, twice.grad, atol=1e-12)


class _Recurrent(sg.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", sg.zeros(3))
        self.last, self.pair = None, (sg.zeros(3), sg.ones(3))

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x
        self.last = x if self.last is None else 0.5 * self.last + x
        self.pair = self.pair[1] + x, self.pair[0] * 2
        return self.mean.sum() + (self.last * self.pair[0]).sum()


def test_tensors_assigned_to_attributes_of_modules_are_written_back():
    model, other = _Recurrent(), _Recurrent()
    f = sg.compile(lambda x: model(x))
    for x in (X, X**2, 3 * X):
        assert f(x) == pytest.approx(other(sg.tensor(x)).item(), rel=1e-13)
    found = [[t.tolist() for t in (m.mean, m.last, *m.pair)] for m in (model, other)]
    np.testing.assert_allclose(*found, rtol=1e-13)


def test_a_compiled_function_inside_another_keeps_its_states_and_draws():
    total = sg.zeros(3)
    inner = sg.compile(lambda x: total.add_(x * sg.rand(3)) * 1.0)
    outer = sg.compile(lambda x: (inner(x) + inner(np.ones(3))).sum())
    sg.manual_seed(3)
    found = [outer(X), outer(X)], total.tolist()
    total.zero_()
    sg.manual_seed(3)
    expected = [float((inner(X) + inner(np.ones(3))).sum()) for _ in range(2)], total.tolist()
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-13)


_BUFFER, _LEAF = sg.zeros(3), sg.tensor(2.0, requires_grad=True)
_HISTORY = _LEAF * sg.ones(3)


def _counts(x, model=_Recurrent()):  # noqa: B008
    model.steps = getattr(model, "steps", 0) + 1
    return x


def _trains(x, model=_Recurrent().eval()):  # noqa: B008
    model.train()
    return x


_STEP = r"step\(\): the function that calls it is traced once .* Call (backward|it)"
_OPTIMIZER = sg.optim.Adam([_LEAF])
_SCHEDULER = sg.optim.lr_scheduler.StepLR(_OPTIMIZER, 1)


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (
            lambda x: (_OPTIMIZER.step(), x)[1],
            _STEP,
        ),
        (
            lambda x: (_SCHEDULER.step(), x)[1],
            _STEP,
        ),
        (_counts, r"sets .steps of a _Recurrent, which would happen once"),
        (_trains, r"sets .training of a _Recurrent, which would happen once"),
        (lambda x: ((_LEAF * _LEAF).backward(), x)[1], r"adds to the .grad of a tensor that requires grad"),
        (lambda x: (_BUFFER.requires_grad_(), x)[1], r"changes requires_grad"),
        (lambda x: (_HISTORY.add_(x), x)[1], r"is itself a result with a gradient"),
    ],
)
def test_what_no_kernel_can_write_back_is_refused(f, said):
    with pytest.raises(sg.errors.SymgradError, match=said):
        sg.compile(f)(X)
    assert _LEAF.grad is None
    assert not _BUFFER.requires_grad
    assert _HISTORY.tolist() == [2.0, 2.0, 2.0]


def test_results_of_more_digits_are_not_written_back():
    with pytest.raises(sg.errors.GraphError, match=r"which cannot hold numbers of 30 digits\. Leave out digits"):
        sg.compile(_adds, backend="mpmath", digits=30)(X)


def test_a_gradient_that_would_be_lost_in_a_state_is_refused():
    total = sg.zeros(3)
    f = sg.compile(lambda x: total.add_(x).sum())
    with pytest.raises(sg.errors.GraphError, match=r"no gradient would flow through them\. Use x\.detach"):
        f(sg.tensor(X, requires_grad=True))
    assert total.tolist() == [0.0, 0.0, 0.0]


def _adds(x):
    _BUFFER.add_(x)
    return x


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (lambda: sg.vmap(_adds)(np.ones((2, 3))), "vmap: in-place arithmetic on a captured tensor is not possible"),
        (lambda: sg.compile(sg.vmap(_adds))(np.ones((2, 3))), "vmap: in-place arithmetic"),
        (lambda: sg.vmap(lambda x, b: b.add_(x), in_dims=(0, None))(np.ones((2, 3)), _BUFFER), "vmap: in-place"),
        (lambda: sg.vmap(lambda x: (_adds(x), _BUFFER)[1])(np.ones((2, 3))), "vmap: in-place arithmetic"),
        (lambda: sg.vmap(sg.nn.BatchNorm1d(3))(np.ones((2, 4, 3))), "vmap: in-place arithmetic"),
        (lambda: sg.scan(lambda c, x: (c, _adds(x)), 0.0, np.ones((2, 3))), "scan: in-place arithmetic"),
        (lambda: sg.fori_loop(0, 2, lambda i, c: (_BUFFER.add_(1.0), c)[1], 0.0), "fori_loop: in-place arithmetic"),
        (lambda: sg.export(_adds, (X,), target="c"), "export: the function changes a captured tensor"),
        (lambda: sg.export(_adds, shapes=[("n",)], target="c"), "export: the function changes|shape|symbolic"),
    ],
)
def test_changes_in_place_of_tensors_from_outside_are_refused(run, said):
    with pytest.raises(sg.errors.SymgradError, match=said):
        run()
    assert _BUFFER.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "run",
    [
        lambda f: sg.vmap(f)(np.ones((2, 3))),
        lambda f: sg.scan(lambda c, x: (c, f(x)), 0.0, np.ones((2, 3))),
        lambda f: sg.compile(sg.vmap(f))(np.ones((2, 3))),
    ],
)
def test_attributes_of_modules_do_not_keep_what_has_a_value_per_slice(run):
    model = _Recurrent()
    with pytest.raises(sg.errors.GraphError, match=r"assigning to \.\w+ of a _Recurrent is not possible"):
        run(model)
    assert model.last is None
    assert model.mean.tolist() == [0.0, 0.0, 0.0]


def test_tensors_of_its_own_may_be_changed_in_place():
    def f(x):
        found = sg.zeros(3)
        found[0] = x.sum()
        x += 1.0
        return found, x

    assert [y.tolist() for y in sg.vmap(f)(np.ones((2, 2)))] == [[[2.0, 0.0, 0.0]] * 2, [[2.0, 2.0]] * 2]


def test_a_formula_leaves_the_model_as_it_was():
    model = sg.nn.BatchNorm1d(2)
    sg.derive(lambda x: (model(x) ** 2).sum(), "x", shapes={"x": (4, 2)})
    assert [b.tolist() for b in model.buffers()] == [[0.0, 0.0], [1.0, 1.0], 0]


class _Module(sg.nn.Module):
    """A module with an attribute that a function assigns to."""

    def __init__(self, change, **attributes):
        super().__init__()
        self.change = change
        for name, value in attributes.items():
            setattr(self, name, value)

    def forward(self, x):
        self.change(self, x)
        return x.sum()


def _deletes(m, x):
    del m.kept


def _sets(name, value):
    return lambda m, x: setattr(m, name, value(m, x))


def test_a_parameter_that_a_compiled_function_changes_stays_one():
    p = sg.nn.Parameter(sg.tensor([1.5, -2.0, 0.5]))

    def f(x):
        with sg.no_grad():
            p.mul_(0.5).add_(x)
        return x.sum()

    g = sg.compile(f)
    g(X)
    g(X)
    np.testing.assert_allclose(p.detach(), 0.25 * np.array([1.5, -2.0, 0.5]) + 1.5 * X, rtol=1e-15)
    assert (p.requires_grad, p.is_leaf, p.grad_fn) == (True, True, None)


def test_attributes_that_the_user_writes_between_calls_are_read():
    model = _Module(lambda m, x: setattr(m, "seen", {k: v + x for k, v in m.seen.items()}), seen={"a": sg.zeros(3)})
    f = sg.compile(lambda x: model(x))
    f(X)
    for seen in ({"b": sg.ones(3)}, {"b": sg.ones(3, dtype=sg.float32)}, {"b": sg.ones(3), "c": sg.zeros(3)}):
        model.seen = dict(seen)
        f(X)
        assert {k: v.dtype for k, v in model.seen.items()} == {k: (v + sg.tensor(X)).dtype for k, v in seen.items()}
        for k, v in seen.items():
            np.testing.assert_allclose(model.seen[k], v.numpy() + X, rtol=1e-6)


def test_an_attribute_that_held_an_array_holds_a_tensor_afterwards():
    model = _Module(_sets("last", lambda m, x: x + m.last), last=np.ones(3))
    f = sg.compile(lambda x: model(x))
    for _ in range(2):
        model.last = np.ones(3)
        f(X)
        assert model.last.tolist() == (X + 1).tolist()
    f(X)
    assert model.last.tolist() == pytest.approx((2 * X + 1).tolist())


def _power_step(m, x):
    m.kept = m.kept * x
    m.kept /= m.kept.norm()


def _fills(m, x):
    m.kept = sg.zeros(3)
    m.kept += x
    m.kept[0] = m.kept[1] * 2


def _takes_and_changes(m, x):
    m.kept = m.shared[0].mul_(2)
    m.kept = m.kept + x
    m.kept[1] = 7.0


@pytest.mark.parametrize("change", [_power_step, _fills, _takes_and_changes])
def test_statements_in_place_on_what_a_function_assigned_are_written_back(change):
    found = []
    for transform in (lambda f: f, sg.compile):
        shared = sg.tensor([1.0, -2.0, 0.5])
        model = _Module(change, kept=sg.ones(3), shared=(shared,))
        f = transform(model.__call__)
        for x in (X + 0.3, X**2 + 0.1, X + 2):
            f(sg.tensor(x))
        found.append((model.kept.tolist(), shared.tolist()))
    for eager, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(compiled, eager, rtol=1e-13)


def test_an_attribute_that_a_compiled_function_adds_is_written():
    model = _Module(_sets("found", lambda m, x: 3 * x))
    f = sg.compile(lambda x: model(x))
    for x in (X, X**2):
        f(x)
        assert model.found.tolist() == pytest.approx((3 * x).tolist())


def test_an_exception_after_a_compiled_call_undoes_what_it_wrote():
    total, model = sg.zeros(3), _Module(_sets("found", lambda m, x: 3 * x), found=sg.ones(3))
    f = sg.compile(lambda x: model(total.add_(x)))
    f(X)
    model.found = sg.ones(3)

    def fails(x):
        f(X)
        raise KeyError("broken")

    with pytest.raises(KeyError):
        sg.grad(fails)(1.0)
    assert (total.tolist(), model.found.tolist()) == (X.tolist(), [1.0, 1.0, 1.0])


def test_draws_inside_two_compiled_functions_are_drawn_anew():
    inner = sg.compile(lambda x: x * sg.rand(3))
    outer = sg.compile(lambda x: inner(x) + inner(2 * X))
    sg.manual_seed(3)
    found = [np.asarray(outer(X)) for _ in range(2)]
    sg.manual_seed(3)
    draws = [sg.rand(3).numpy() for _ in range(4)]
    np.testing.assert_allclose(found, [X * draws[0] + 2 * X * draws[1], X * draws[2] + 2 * X * draws[3]], rtol=1e-15)


def test_garbage_of_a_function_is_no_state():
    total = sg.zeros(3)

    def f(x):
        own = sg.zeros(3)
        ring = [own]
        ring.append(ring)
        own.add_(x)
        total.add_(own)
        return own.sum()

    g = sg.compile(f)
    g(X)
    g(X)
    assert total.tolist() == pytest.approx((2 * X).tolist())


def _other_weight(m, x):
    m.weight = sg.nn.Parameter(sg.ones(3))


def _longer(total):
    total.data = sg.ones(4)
    return total


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_deletes, r"compile: the function deletes \.kept of a _Module, which would happen once"),
        (_other_weight, r"sets \.weight of a _Module"),
        (_sets("kept", lambda m, x: 2.0), r"sets \.kept of a _Module"),
        (_sets("kept", lambda m, x: [2]), r"sets \.kept of a _Module"),
        (_sets("kept", lambda m, x: True), r"sets \.kept of a _Module"),
        (_sets("kept", lambda m, x: None), r"sets \.kept of a _Module"),
    ],
)
def test_attributes_that_no_kernel_can_write_are_refused(change, said):
    model = _Module(change, kept=1, weight=sg.nn.Parameter(sg.zeros(3)))
    with pytest.raises(sg.errors.GraphError, match=said):
        sg.compile(lambda x: model(x))(X)
    assert (model.kept, type(model.kept), model.weight.tolist()) == (1, int, [0.0, 0.0, 0.0])


def test_a_state_keeps_its_shape_and_a_gradient_its_place():
    total, leaf = sg.zeros(3), sg.tensor(2.0, requires_grad=True)
    leaf.grad = sg.tensor(0.5)
    with pytest.raises(sg.errors.GraphError, match=r"of shape \[3\] and dtype float64 to shape \[4\]"):
        sg.compile(lambda x: (_longer(total), x)[1])(X)
    with pytest.raises(sg.errors.GraphError, match=r"\.grad of a tensor that requires grad"):
        sg.compile(lambda x: (setattr(leaf, "grad", None), x)[1])(X)
    assert (total.tolist(), leaf.grad.item()) == ([0.0, 0.0, 0.0], 0.5)


def test_integers_in_a_state_carry_no_gradient():
    count = sg.tensor([0, 0, 0])

    def f(x):
        count.add_((x > 0).to(count.dtype))
        return (x**2).sum()

    x = sg.tensor(X, requires_grad=True)
    g = sg.compile(f)
    g(x).backward()
    assert (x.grad.tolist(), count.tolist()) == (pytest.approx((2 * X).tolist()), [1, 0, 1])


@pytest.mark.parametrize("read", [lambda y, x: sg.derive(y, x), lambda y, x: sg.graph(y), lambda y, x: str(y)])
@pytest.mark.parametrize("momentum", [0.1, None])
def test_the_formula_of_a_training_model_on_a_symbol_leaves_its_statistics(read, momentum):
    model, x = sg.nn.BatchNorm1d(2, momentum=momentum), sg.symbol("x", (4, 2))
    expected = sg.derive(lambda x: (model(x) ** 2).sum(), "x", shapes={"x": (4, 2)})
    y = (model(x) ** 2).sum()
    read(y, x)
    sg.grad(lambda z: (model(z) ** 2).sum())(x)
    sg.nn.functional.instance_norm(sg.symbol("z", (2, 2, 3)), model.running_mean, model.running_var)
    assert [b.tolist() for b in model.buffers()] == [[0.0, 0.0], [1.0, 1.0], 0]
    assert str(sg.derive(y, x)) == str(expected)
    model(sg.tensor(np.ones((4, 2))))
    assert model.num_batches_tracked.item() == 1


# ------------------------------------------------------------------ arguments
def doubles(x):
    x.mul_(2)
    return (x**3).sum()


def writes_a_part(x):
    x[..., 0] = x[..., 1] * 3
    return (x**3).sum()


def adds(x):
    x += 1
    return (x**2).sum()


def clears(x):
    y = (x**2).sum()
    x.zero_()
    return y


def writes_to_the_last_view(x):
    x.view(-1)[1:].mul_(3).add_(x[0])
    return sg.sin(x).sum()


WRITERS = [doubles, writes_a_part, adds, clears, writes_to_the_last_view]
CALLS = {
    "checkpoint": sg.checkpoint,
    "compile": lambda f: sg.compile(f, backend="numpy"),
    "vmap": lambda f: lambda x: sg.vmap(f)(x[None])[0],
    "vmap along columns": lambda f: lambda x: sg.vmap(f, in_dims=1)(x[:, None])[0],
    "scan": lambda f: lambda x: sg.scan(lambda c, row: (c, f(row)), 0.0, x[None])[1][0],
    "chunks": lambda f: lambda x: sg.scan(lambda c, row: (c, f(row)), 0.0, x[None], checkpoint_every=1)[1][0],
    "grad": lambda f: lambda x: sg.value_and_grad(f)(x)[0],
    "compiled gradient": lambda f: lambda x: sg.compile(sg.value_and_grad(f), backend="numpy")(x)[0],
    "gradient of a gradient": lambda f: lambda x: sg.grad(lambda x: sg.value_and_grad(f)(x)[0], has_aux=False)(x),
    "vjp": lambda f: lambda x: sg.vjp(f, x)[0],
    "jvp": lambda f: lambda x: sg.jvp(f, (x,), (sg.ones(3),))[0],
}


def written(f, run=lambda f: f):
    """A value, the argument after it, and the slope of both, of a function that writes to its argument."""
    w = sg.tensor(X, requires_grad=True)
    x = w * 1
    y = run(f)(x)
    (g,) = sg.autograd.grad((y + (x * sg.tensor([1.0, 2.0, 3.0])).sum()).sum(), w)
    return y.tolist(), x.tolist(), g.tolist()


@pytest.mark.parametrize("f", WRITERS)
@pytest.mark.parametrize("call", CALLS)
def test_what_is_written_to_an_argument_reaches_the_tensor_that_was_passed(call, f):
    value, after, slope = written(f)
    found = written(f, CALLS[call])
    np.testing.assert_allclose(found[1], after, rtol=1e-15)
    if call != "gradient of a gradient":
        np.testing.assert_allclose(found[0], value, rtol=1e-15)
        np.testing.assert_allclose(found[2], slope, rtol=1e-13)
    if call != "checkpoint":  # which passes arrays on as they are
        x = np.array(X)
        CALLS[call](f)(x)
        assert x.tolist() == X.tolist()
    constant = sg.tensor(X)
    CALLS[call](f)(constant)
    np.testing.assert_allclose(constant.tolist(), after, rtol=1e-15)


@pytest.mark.parametrize("call", [c for c in CALLS if c != "gradient of a gradient"])
def test_a_parameter_that_is_an_argument_is_not_changed_in_place(call):
    w = sg.tensor(X, requires_grad=True)
    with pytest.raises(sg.errors.GraphError, match="a leaf Variable that requires grad is being used in an in-place"):
        CALLS[call](doubles)(w)
    assert w.tolist() == X.tolist()


@pytest.mark.parametrize("call", ["compile", "vmap", "checkpoint", "grad", "jvp"])
def test_a_tensor_that_is_passed_twice_is_not_written_to(call):
    calls = {
        "compile": lambda f, x: sg.compile(f, backend="numpy")(x, x),
        "vmap": lambda f, x: sg.vmap(f)(x, x),
        "checkpoint": lambda f, x: sg.checkpoint(f)(x, x),
        "grad": lambda f, x: sg.grad(f, argnums=(0, 1))(x, x),
        "jvp": lambda f, x: sg.jvp(f, (x, x), (x, x)),
    }
    x = sg.tensor(X)
    with pytest.raises(sg.errors.GraphError, match=r"the same tensor was passed for another argument.* x\.clone\(\)"):
        calls[call](lambda a, b: (a.mul_(2) + b).sum(), x)
    assert x.tolist() == X.tolist()
    calls[call](lambda a, b: (a * 2 + b).sum(), x)


def test_arguments_in_structures_and_slices_in_chunks_are_written_to():
    p = {"a": sg.tensor(X), "b": [sg.tensor(X)]}
    sg.grad(lambda p: p["a"].mul_(2).sum() + p["b"][0].sum())(p)
    assert (p["a"].tolist(), p["b"][0].tolist()) == ((2 * X).tolist(), X.tolist())
    sg.compile(lambda p, x: p["b"][0].sub_(x).sum())(p, X)
    assert p["b"][0].tolist() == [0.0, 0.0, 0.0]
    rows = sg.tensor(BATCH)
    sg.vmap(lambda row: row.mul_(row[0]).sum(), chunk_size=2)(rows)
    np.testing.assert_allclose(rows.tolist(), BATCH * BATCH[:, :1], rtol=1e-15)


def test_the_forward_of_a_custom_function_does_not_change_its_arguments():
    class Doubles(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.mul_(2)

    for call in (Doubles.apply, sg.compile(Doubles.apply), sg.vmap(Doubles.apply), sg.grad(Doubles.apply)):
        with pytest.raises(NotImplementedError, match=r"Doubles: forward changes an argument.* work on x\.clone"):
            call(sg.tensor(X))


# ------------------------------------------------------------------ after an exception
class _World:
    """Everything that a function can change."""

    def __init__(self):
        self.tensor, self.leaf = sg.zeros(3), sg.tensor(2.0, requires_grad=True)
        self.model, self.generator = sg.nn.BatchNorm1d(3), sg.Generator()
        self.leaf.grad = sg.tensor(0.5)

    def state(self):
        hooks = self.leaf._node.hooks
        return (
            self.tensor.tolist(), self.leaf.item(), self.leaf.grad.item(), self.leaf.requires_grad, self.leaf.name,
            [b.tolist() for b in self.model.buffers()], self.model.training, sorted(dir(self.model)),
            len(self.model._hooks["behind"]),
            0 if hooks is None else len(hooks.tensor), self.generator.get_state().tolist(),
            sg.get_rng_state().tolist(), sg.is_grad_enabled(), sg.is_inference_mode_enabled(), sg.get_default_dtype(),
        )  # fmt: skip

    def broken(self, x):
        self.tensor.add_(1.0)
        self.model(sg.tensor([[1.0, 2.0, 3.0], [0.5, 0.1, 7.0]]))
        self.model.eval()
        self.model.extra, self.model.child = 3, sg.nn.ReLU()
        self.model.register_forward_hook(lambda *_: None)
        self.leaf.register_hook(lambda g: g)
        (self.leaf * self.leaf).backward()
        self.leaf.data = sg.tensor(5.0)
        self.leaf.name = "p"
        sg.set_grad_enabled(False)
        sg.set_default_dtype(sg.float32)
        self._draw()
        raise KeyError("broken")

    def _draw(self):
        sg.rand(2)
        sg.rand(2, generator=self.generator)
        sg.manual_seed(1)


class _Calls(sg.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x)


_TRACES = {
    "compile": lambda f: sg.compile(f)(X),
    "grad": lambda f: sg.grad(f)(X),
    "vmap": lambda f: sg.vmap(f)(X),
    "jacobian": lambda f: sg.jacobian(f)(X),
    "hessian": lambda f: sg.hessian(f)(X),
    "vjp": lambda f: sg.vjp(f, X),
    "jvp": lambda f: sg.jvp(f, (X,), (X,)),
    "linearize": lambda f: sg.linearize(f, X),
    "hvp": lambda f: sg.hvp(f, X, X),
    "taylor": lambda f: sg.taylor(f, 1.0, 2),
    "scan": lambda f: sg.scan(lambda c, x: (c, f(x)), 0.0, X),
    "fori_loop": lambda f: sg.fori_loop(0, 2, lambda i, c: f(c), 0.0),
    "checkpoint": lambda f: sg.checkpoint(f)(sg.tensor(X, requires_grad=True)),
    "functional_call": lambda f: sg.func.functional_call(_Calls(f), {}, sg.tensor(X)),
    "functional.jacobian": lambda f: sg.autograd.functional.jacobian(f, sg.tensor(X)),
    "root": lambda f: sg.root(f, X),
    "odeint": lambda f: sg.odeint(lambda y, t: f(y), X, np.array([0.0, 1.0])),
}
_WRITTEN = {
    "derive": lambda f: sg.derive(f, "x"),
    "explain": lambda f: sg.explain(f, "x"),
    "graph": lambda f: sg.graph(f),
    "export": lambda f: sg.export(f, (X,), target="c"),
    "export of sizes": lambda f: sg.export(f, shapes={"x": ("n",)}, target="numpy"),
}


@pytest.mark.parametrize("name", [*_TRACES, *_WRITTEN])
def test_after_an_exception_everything_is_as_before(name):
    world = _World()
    if name in _WRITTEN:
        world._draw = lambda: None  # they refuse to draw
    before = world.state()
    with pytest.raises(KeyError, match="broken"):
        (_TRACES | _WRITTEN)[name](lambda x: world.broken(x))
    assert world.state() == before


def test_an_error_about_the_result_undoes_what_was_changed():
    total = sg.zeros(3)
    with pytest.raises(sg.errors.GraphError, match="scalar"):
        sg.grad(lambda x: total.add_(1.0) * x)(X)
    assert total.tolist() == [0.0, 0.0, 0.0]


def test_what_a_transform_that_succeeds_changes_stays_changed():
    total, model = sg.zeros(3), sg.nn.BatchNorm1d(3)

    def f(x):
        total.add_(1.0)
        return (model(sg.tensor(np.outer([1.0, 3.0], X))) * x).sum()

    sg.grad(f)(X)
    assert total.tolist() == [1.0, 1.0, 1.0]
    assert model.num_batches_tracked.item() == 1
