"""Every row and every kink of the table against PyTorch, where it is installed."""

import numpy as np
import pytest
from checks import close, every, number, random

import symgrad as sg

from cases import CASES, KINKS, SAME

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install --group peers)")

COMPARABLE = [case for case in CASES if case.row.peer is not None]
DIFFERENTIABLE = [case for case in COMPARABLE if not case.row.discrete]


@pytest.fixture(autouse=True)
def double_precision():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def peer(case):
    """The row on torch tensors."""
    return case.function(torch, torch.as_tensor, None if case.row.peer is SAME else case.row.peer)


def on_both(case):
    """Output and leaves of the row in symgrad and in torch."""
    ours = [sg.tensor(x, requires_grad=True) for x in case.points]
    theirs = [torch.tensor(x, requires_grad=True) for x in case.points]
    return number(case)(*ours), ours, peer(case)(*theirs), theirs


def plain(t):
    """A tensor of either library as an array."""
    return t.detach().numpy(force=True) if isinstance(t, torch.Tensor) else t.detach().numpy()


def dense(gradients, leaves):
    """Gradients as arrays, zero where torch says that there is none."""
    return [np.zeros(tuple(x.shape)) if g is None else plain(g) for g, x in zip(gradients, leaves)]


@every(COMPARABLE)
def test_value_shape_and_dtype_are_those_of_torch(case):
    y, _, expected, _ = on_both(case)
    assert str(expected.dtype) == f"torch.{y.dtype}"
    close(y.detach().numpy(), expected.detach().numpy(), 1e-12)
    if not case.row.discrete:
        assert y.requires_grad == expected.requires_grad


@every(DIFFERENTIABLE)
def test_gradient_is_that_of_torch(case):
    y, xs, expected, ts = on_both(case)
    u = random(case, "u", y.shape)
    y.backward(sg.tensor(u))
    expected.backward(torch.tensor(u))
    for x, g, t in zip(xs, dense([t.grad for t in ts], ts), ts, strict=True):
        assert x.grad is not None or t.grad is None
        close(np.zeros(x.shape) if x.grad is None else x.grad.numpy(), g, case.row.peer_rtol)


@every(DIFFERENTIABLE)
def test_gradient_of_the_gradient_is_that_of_torch(case):
    y, xs, expected, ts = on_both(case)
    u = random(case, "u", y.shape)
    vs = [random(case, f"v{k}", x.shape) for k, x in enumerate(xs)]
    ours = sg.autograd.grad(y, xs, sg.tensor(u), create_graph=True, allow_unused=True)
    theirs = torch.autograd.grad(expected, ts, torch.tensor(u), create_graph=True, allow_unused=True)
    slope = sum((g * sg.tensor(v)).sum() for g, v in zip(ours, vs) if g is not None)
    their_slope = sum((g * torch.tensor(v)).sum() for g, v in zip(theirs, vs) if g is not None)
    found = [np.zeros(x.shape) for x in xs]
    if getattr(slope, "requires_grad", False):
        found = dense(sg.autograd.grad(slope, xs, allow_unused=True), xs)
    wanted = [np.zeros(x.shape) for x in xs]
    if getattr(their_slope, "requires_grad", False):
        try:
            wanted = dense(torch.autograd.grad(their_slope, ts, allow_unused=True), ts)
        except RuntimeError as error:
            if "is not implemented" not in str(error):
                raise
            pytest.skip("torch has no second derivative of this")
    for a, b in zip(found, wanted, strict=True):
        close(a, b, max(1e-9, case.row.peer_rtol))


# What LAPACK and the order of a product make of ∞ is not a matter of rules; torch's logcumsumexp drops nan.
SPREADING = ("linalg.solve", "linalg.qr", "cholesky", "linalg.matrix_power", "einsum ij,jk,kl->il",
             "F.bilinear", "linalg.lu", "lu_solve", "triangular_solve", "linalg.tensorsolve", "corrcoef",
             "logcumsumexp")  # fmt: skip


@pytest.mark.parametrize("bad", [np.inf, np.nan])
@every([c for c in DIFFERENTIABLE if not c.row.name.startswith(SPREADING)])
def test_a_cotangent_that_is_not_finite_spoils_no_more_entries_than_in_torch(case, bad):
    y, xs, expected, ts = on_both(case)
    u = random(case, "u", y.shape)
    u = np.where(np.arange(u.size).reshape(u.shape) == u.size // 2, bad, u)
    ours = dense(sg.autograd.grad(y, xs, sg.tensor(u), allow_unused=True), xs)
    theirs = dense(torch.autograd.grad(expected, ts, torch.tensor(u), allow_unused=True), ts)
    for found, wanted in zip(ours, theirs, strict=True):
        clean = ~np.isnan(wanted)
        np.testing.assert_allclose(found[clean], wanted[clean], rtol=1e-6, atol=1e-9)


# sinc is smooth at 0 and only happens to be flat there, as cos is: 0·∞ is nan, where torch masks the one point.
# The recurrence of logcumsumexp carries ∞ on to earlier entries, which torch's logarithms of cotangents leave out.
MASKED = [k for k in KINKS if not k.differs and k.name not in ("sinc at 0", "logcumsumexp with large numbers")]


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("kink", MASKED, ids=str)
def test_a_cotangent_that_is_not_finite_stays_out_of_what_is_flat_at_a_kink(kink, bad):
    ours = [sg.tensor(x, requires_grad=True) for x in kink.inputs]
    theirs = [torch.tensor(x, requires_grad=True) for x in kink.inputs]
    with np.errstate(all="ignore"):  # poles are asked for here
        y, expected = kink.f(sg, *ours), kink.f(torch, *theirs)
    for k in range(expected.numel()):
        u = np.where(np.arange(expected.numel()).reshape(y.shape) == k, bad, 1.0)
        found = dense(sg.autograd.grad(y, ours, sg.tensor(u), retain_graph=True, allow_unused=True), ours)
        wanted = torch.autograd.grad(expected, theirs, torch.tensor(u), retain_graph=True, allow_unused=True)
        for g, e in zip(found, dense(wanted, theirs), strict=True):
            np.testing.assert_array_equal(g[~np.isnan(e)], e[~np.isnan(e)])


@pytest.mark.parametrize("kink", KINKS, ids=str)
def test_kink_is_as_in_torch_or_deliberately_not(kink):
    leaves = [torch.tensor(x, requires_grad=True) for x in kink.inputs]
    kink.f(torch, *leaves).sum().backward()
    found = dense([t.grad for t in leaves], leaves)
    same = all(kink.is_close(g, e) for g, e in zip(found, kink.gradients, strict=True))
    assert same == (not kink.differs), f"torch: {[t.grad for t in leaves]}, table: {kink.gradients}"


EDGES = {
    "flip of a number": (lambda L, x: L.flip(x, (0,)), ()),
    "unfold of a number": (lambda L, x: x.unfold(0, 1, 1), ()),
    "median of nothing": (lambda L, x: L.median(x), (0, 3)),
    "nanmedian of nothing": (lambda L, x: L.nanmedian(x), (2, 0)),
    "batch_norm of no channels": (lambda L, x: L.nn.functional.batch_norm(x, None, None, training=True), (2, 0)),
    "matrix norm 1 of no columns": (lambda L, x: L.linalg.matrix_norm(x, 1), (2, 0)),
    "matrix norm 2 of no rows": (lambda L, x: L.linalg.matrix_norm(x, 2, keepdim=True), (3, 0, 2)),
    "matrix norm inf of no rows": (lambda L, x: L.linalg.matrix_norm(x, np.inf), (0, 3)),
    "attention of no features": (lambda L, x: L.nn.functional.scaled_dot_product_attention(x, x, x), (2, 0)),
}


@pytest.mark.parametrize("name", EDGES)
def test_numbers_and_empty_arrays_give_what_torch_gives(name):
    f, sizes = EDGES[name]
    x = np.ones(sizes)
    ours, theirs = sg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    y, z = f(sg, ours), f(torch, theirs)
    close(y.detach().numpy(), plain(z), 0)
    y.sum().backward()
    assert ours.grad.shape == tuple(theirs.shape)


def test_a_window_longer_than_a_number_is_refused():
    with pytest.raises(RuntimeError, match="maximum size for tensor at dimension 0 is 1 but size is 2"):
        sg.tensor(1.0).unfold(0, 2, 1)
