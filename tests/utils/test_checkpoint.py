"""checkpoint: the same derivatives from fewer saved values."""

import gc
import importlib

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad import errors
from symgrad.core.node import ancestors

X = np.array([0.4, -1.3, 2.0])
W = sg.tensor([0.5, 1.0, 2.0], requires_grad=True)


def piece(x, k=2.0):
    return {"a": (sg.sin(x) * sg.exp(W) * k).sum() * x, "b": [x * W, 3]}


def loss(f):
    def of(x):
        y = f(x, k=3.0)
        return (y["a"] * y["b"][0]).sum() * y["b"][1]

    return of


USES = {
    "grad": sg.grad,
    "hessian": sg.hessian,
    "forward": sg.jacfwd,
    "forward over forward": lambda f: sg.jacfwd(sg.jacfwd(f)),
    "reverse over forward": lambda f: sg.jacrev(sg.jacfwd(f)),
    "hvp": lambda f: lambda x: sg.hvp(f, x, 2 * x),
    "linearize": lambda f: lambda x: sg.linearize(f, x)[1](2 * x),
    "vmap of grad": lambda f: lambda x: sg.vmap(sg.grad(f))(sg.stack([x, 2 * x])),
    "grad of vmap": lambda f: sg.grad(lambda x: sg.vmap(f)(sg.stack([x, 2 * x])).sum()),
    "third order": lambda f: sg.grad(lambda x: sg.hessian(f)(x).sum()),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_derivatives_are_those_of_the_function(use):
    expected = use(loss(piece))(sg.tensor(X)).detach().numpy()
    close(use(loss(sg.checkpoint(piece)))(sg.tensor(X)).detach().numpy(), expected, 1e-14)


def gradients(f, order):
    x = sg.tensor(X, requires_grad=True)
    y, outside = 2 * x, sg.exp(W)  # the function sees y, and what y and itself are made of
    total = loss(f)(y) + (y * outside).sum() + f(x * outside)["a"].sum()
    found = sg.autograd.grad(total, [x, W], create_graph=order > 1)
    return found if order == 1 else sg.autograd.grad(sum((g**2).sum() for g in found), [x, W])


@pytest.mark.parametrize("order", [1, 2])
def test_gradients_flow_to_what_the_function_uses_from_outside_once(order):
    for found, expected in zip(gradients(sg.checkpoint(piece), order), gradients(piece, order), strict=True):
        close(found.numpy(), expected.numpy(), 1e-14)


def test_tensor_that_is_argument_and_used_from_outside_counts_both():
    x = sg.tensor(X, requires_grad=True)
    y = sg.sin(x)
    sg.checkpoint(lambda p: (p * y * x).sum())(y).backward()
    close(x.grad.numpy(), np.sin(X) ** 2 + 2 * X * np.sin(X) * np.cos(X), 1e-15)


def kept(y):
    """The number of entries that a graph keeps of values other than leaves."""
    gc.collect()
    arrays = {}
    for node in ancestors([y._node]):
        for v in node.saved or ():
            tensors = [t._value for t in v.saved_tensors] if hasattr(v, "saved_tensors") else [v]
            arrays |= {id(t): t for t in tensors if isinstance(t, np.ndarray) and t.size == 1000}
    return len(arrays)


def chain(f, x):
    for _ in range(10):
        x = f(x)
    return x.sum()


def test_graph_keeps_one_value_for_each_piece():
    def f(x):
        return sg.sin(sg.exp(sg.cos(sg.tanh(x) * x) * x))

    x = sg.tensor(np.linspace(0, 1, 1000), requires_grad=True)
    assert kept(chain(sg.checkpoint(f), x)) == 10
    assert kept(chain(f, x)) == 50


def test_function_runs_again_only_when_it_is_differentiated():
    calls = []

    def f(x):
        calls.append(1)
        return x * x

    x = sg.tensor(3.0, requires_grad=True)
    y = sg.checkpoint(f)(x)
    assert len(calls) == 1
    y.backward()
    assert len(calls) == 2
    assert x.grad.item() == 6.0
    with pytest.raises(errors.GraphError, match="second time"):
        y.backward()
    with sg.no_grad():
        assert sg.checkpoint(f)(x).item() == 9.0
    assert len(calls) == 3


def test_random_numbers_are_drawn_again():
    x = sg.tensor(X, requires_grad=True)
    noise = []

    def f(x):
        noise.append(sg.randn(3))
        return (x * noise[-1]).sum()

    y = sg.checkpoint(f)(x)
    sg.randn(2)
    before = sg.randn(1)
    y.backward()
    close(noise[0].numpy(), noise[1].numpy(), 0)
    close(x.grad.numpy(), noise[0].numpy(), 0)
    assert sg.randn(1).item() != before.item()


def test_compiled_and_formal_it_is_the_function():
    f = sg.checkpoint(lambda x: (sg.sin(x) ** 2).sum())
    close(sg.compile(sg.grad(f))(X), np.sin(2 * X), 1e-15)
    x = sg.tensor(X, requires_grad=True, name="x")
    assert str(sg.derive(f(x), x)) == "2*(sin(x) ⊙ cos(x))"
    assert type(sg.checkpoint(lambda x: x * 2)(1.0)) is float


def test_other_tensors_at_the_second_run_are_an_error():
    box = [sg.tensor(2.0, requires_grad=True)]
    y = sg.checkpoint(lambda x: x * box[0])(sg.tensor(3.0, requires_grad=True))
    box[0] = sg.tensor(5.0, requires_grad=True)
    with pytest.raises(errors.GraphError, match="other captured tensors"):
        y.backward()


@pytest.mark.parametrize("name", ["symgrad", "torch"])
def test_torchs_spelling(name):
    m = pytest.importorskip(name)
    checkpoint = pytest.importorskip(f"{name}.utils.checkpoint")
    x = m.tensor([0.5, 1.5], requires_grad=True)
    y = checkpoint.checkpoint(lambda x, k: m.sin(x) * k, x, k=2.0, use_reentrant=False)
    y = checkpoint.checkpoint_sequential([m.exp, m.tanh, m.sin], 2, y, use_reentrant=False)
    y.sum().backward()
    t = np.tanh(e := np.exp(2 * np.sin([0.5, 1.5])))
    close(x.grad.numpy(), np.cos(t) * (1 - t**2) * e * 2 * np.cos([0.5, 1.5]), 1e-5)


@pytest.mark.parametrize(("count", "segments"), [(7, 3), (7, 2), (5, 1), (4, 4), (1, 1)])
def test_a_sequence_computes_again_what_torchs_does(count, segments):
    def calls(m):
        """How often each function ran, and the gradient."""
        ran = [0] * count

        def counted(k):
            def f(x):
                ran[k] += 1
                return m.sin(x * (1.1 + k / 7)) + x / (k + 2)

            return f

        x = m.tensor([0.3, -0.8], dtype=m.float64, requires_grad=True)
        checkpoint = m.utils.checkpoint.checkpoint_sequential
        checkpoint([counted(k) for k in range(count)], segments, x, use_reentrant=False).sum().backward()
        return ran, x.grad.tolist()

    torch = pytest.importorskip("torch")
    importlib.import_module("torch.utils.checkpoint")
    (ran, slope), (expected, wanted) = calls(sg), calls(torch)
    assert ran == expected
    assert slope == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("segments", [0, 3])
def test_a_sequence_has_at_least_one_function_in_each_piece(segments):
    with pytest.raises(errors.ArgumentError, match=f"segments={segments} for 2 functions"):
        sg.utils.checkpoint.checkpoint_sequential([sg.sin, sg.exp], segments, sg.ones(2))


def keeps_in_a_list(kept, x):
    kept.append(x * 2)


def adds_to_a_tensor(kept, x):
    if not kept:
        kept.append(sg.zeros(3))
    kept[0].add_(x * 2)


def keeps_in_a_module(kept, x):
    if not kept:
        kept.append(sg.nn.Module())
    kept[0].h = getattr(kept[0], "h", 0.0) + x * 2


@pytest.mark.parametrize("keep", [keeps_in_a_list, adds_to_a_tensor, keeps_in_a_module])
@pytest.mark.parametrize("calls", [1, 2])
def test_what_a_piece_keeps_has_its_gradient(keep, calls):
    found = []
    for wrap in (lambda f: f, sg.checkpoint):
        kept, x = [], sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
        f = wrap(lambda x, kept=kept: (keep(kept, x), (x**3).sum())[1])
        y = sum(f(x * (k + 1)) for k in range(calls))
        states = [getattr(t, "h", t) for t in kept]
        found.append(sg.autograd.grad(y + sum((s**2).sum() for s in states), x)[0].tolist())
    assert found[0] == found[1]
