"""Positions that are arguments of traced functions: read slice by slice, compiled, and refused where outside."""

import numpy as np
import pytest
from checks import close

import symgrad as sg

F = sg.nn.functional
RNG = np.random.default_rng(5)
X, Z, W = RNG.standard_normal((4, 3)), RNG.standard_normal((4, 5, 3)), np.array([1.0, 2.0, 0.5])
I, J = np.array([0, 2, 1, -1]), np.array([[0, 2], [1, 1], [2, 0], [1, 0]])
K = RNG.integers(0, 3, (4, 5))
IGNORED = np.where(RNG.random((4, 5)) < 0.3, -100, K)
GRID = sg.tensor(RNG.standard_normal((2, 3, 2, 3)))

READ = {
    "x[i]": (lambda x, i: x[i] ** 2, X, I),
    "x[j]": (lambda x, j: x[j] ** 2, X, J),
    "z[:, i]": (lambda z, i: z[:, i] ** 2, Z, I),
    "z[i, j]": (lambda z, i, j: z[i, j] ** 2, Z, I, J),
    "z[j, 1:]": (lambda z, j: z[j, 1:] ** 2, Z, J),
    "z[None, i, :, None]": (lambda z, i: z[None, i, :, None] ** 2, Z, I),
    "positions apart, in a constant": (lambda x, i, j: GRID[:, j, 0, i].sum() * x**2, X, I, J),
    "where the largest is": (lambda x: x[x.argmax()] ** 3, X),
    "in order": (lambda x: x[x.argsort()] * sg.arange(3.0) * x, X),
    "gather": (lambda z, k: sg.gather(z, 1, k.reshape(5, 1)) ** 2, Z, K),
    "take_along_dim": (lambda z, k: sg.take_along_dim(z, k.reshape(5, 1), 1) ** 2, Z, K),
    "take_along_dim of all": (lambda z, k: sg.take_along_dim(z, k) ** 2, Z, K),
    "take": (lambda z, k: sg.take(z, k) ** 2, Z, K),
    "index_select": (lambda z, k: sg.index_select(z, 1, k) ** 2, Z, K),
    "index_select of one": (lambda z, i: sg.index_select(z, 0, abs(i)) ** 2, Z, I),
    "index_add": (lambda z, k: sg.index_add(sg.zeros(7, 3), 0, k, z, alpha=2) ** 2, Z, K),
    "embedding": (lambda x, j: F.embedding(j, x[:, None] * sg.ones(2), padding_idx=1) ** 2, X, J),
    "one_hot": (lambda x, j: F.one_hot(j, 3) * x**2, X, J),
    "nll_loss": (lambda x, i: F.nll_loss(x, abs(i)) ** 2, X, I),
    **{
        f"cross_entropy {reduction} {smoothing} {'weighted' * (w is not None)}": (
            lambda z, k, r=reduction, s=smoothing, w=w: F.cross_entropy(z, k, w, reduction=r, label_smoothing=s),
            Z,
            IGNORED,
        )
        for reduction in ("mean", "sum", "none")
        for smoothing in (0.0, 0.1)
        for w in (None, W)
    },
}
every_reading = pytest.mark.parametrize("name", READ)


def slices(name, transform=lambda f: f):
    """The transform of the total, slice by slice with known positions."""
    f, first, *rest = READ[name]
    at = [[sg.tensor(r[b]) for r in rest] for b in range(4)]
    return np.stack([transform(lambda x, b=b: f(sg.as_tensor(x), *at[b]).sum())(first[b]) for b in range(4)])


@every_reading
@pytest.mark.parametrize("transform", [sg.grad, sg.hessian, sg.jacfwd], ids=lambda t: t.__name__)
def test_positions_may_differ_from_slice_to_slice(name, transform):
    f, *args = READ[name]
    total = lambda *xs: f(*xs).sum()
    close(sg.vmap(total)(*args), slices(name), 1e-12)
    close(sg.vmap(transform(total))(*args), slices(name, transform), 1e-12)


@every_reading
def test_positions_may_be_mapped_while_the_values_are_not(name):
    f, first, *rest = READ[name]
    total = lambda *xs: f(*xs).sum()
    found = sg.vmap(sg.grad(total), in_axes=(None, *[0] * len(rest)), axis_size=4)(first[1], *rest)
    for b in range(4):
        at = [sg.tensor(r[b]) for r in rest]
        close(found[b], sg.grad(lambda x, at=at: total(x, *at))(first[1]), 1e-12)


@every_reading
@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_a_compiled_function_takes_positions(name, backend):
    f, *args = READ[name]
    kernel = sg.compile(sg.value_and_grad(lambda *xs: f(*xs).sum()), backend=backend)
    values, gradients = slices(name), slices(name, sg.grad)
    for b in range(4):
        y, g = kernel(*[a[b] for a in args])
        close(y, values[b], 1e-12)
        close(g, gradients[b], 1e-12)


@every_reading
def test_single_precision_stays(name):
    f, first, *rest = READ[name]
    at = [sg.tensor(r[1]) for r in rest]
    x = first[1].astype(np.float32)
    expected = f(sg.tensor(x), *at)
    assert sg.compile(f)(x, *[k.numpy() for k in at]).dtype == expected.dtype


def test_a_loop_reads_at_its_number():
    x = np.array([2.0, 3.0, 5.0])
    powers = lambda x: sg.fori_loop(0, 3, lambda k, c: c * x[k.long()] + x[2 - k.long()], 1.0)
    close(sg.grad(powers)(x), sg.grad(lambda x: ((x[0] + x[2]) * x[1] + x[1]) * x[2] + x[0])(x), 1e-14)


@pytest.mark.parametrize("run", [sg.vmap, sg.compile], ids=["vmap", "compile"])
def test_a_position_outside_is_found_when_the_function_runs(run):
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        run(lambda x, i: x.sum() * 0 + sg.tensor(W)[i].sum())(X, np.array([0, 1, 7, 2]))


def test_a_class_outside_is_found_when_the_function_runs():
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        sg.vmap(F.cross_entropy)(X, np.array([0, 1, 3, 2]))


def test_writing_at_positions_without_values_is_refused():
    def written(x, i):
        x[i] = 0.0
        return x

    with pytest.raises(sg.errors.ValueNeeded, match="Positions to write to must be known"):
        sg.compile(written)(X[0], np.array([1]))


def test_arrays_that_are_not_mapped_are_tensors_too():
    close(sg.vmap(lambda w, x: w.unsqueeze(0) @ x, in_axes=(None, 0))(W, X), (X @ W)[:, None], 1e-14)
