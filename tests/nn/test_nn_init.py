"""First values of parameters, and gradients held in bounds."""

import math
import re

import numpy as np
import pytest

import symgrad as sg

init, utils = sg.nn.init, sg.nn.utils
GAINS = [
    ("linear", None), ("conv1d", None), ("conv3d", None), ("conv_transpose2d", None), ("sigmoid", None), ("tanh", None),
    ("relu", None), ("leaky_relu", None), ("leaky_relu", 0.3), ("selu", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "param"), GAINS)
def test_a_gain_is_torchs(name, param):
    torch = pytest.importorskip("torch")
    assert init.calculate_gain(name, param) == torch.nn.init.calculate_gain(name, param)


FILLS = {
    "uniform_": lambda lib, x: lib.uniform_(x, -1.0, 3.0),
    "normal_": lambda lib, x: lib.normal_(x, 2.0, 0.5),
    "xavier_uniform_": lambda lib, x: lib.xavier_uniform_(x, gain=2.0),
    "xavier_normal_": lambda lib, x: lib.xavier_normal_(x),
    "kaiming_uniform_": lambda lib, x: lib.kaiming_uniform_(x, a=math.sqrt(5)),
    "kaiming_uniform_ out": lambda lib, x: lib.kaiming_uniform_(x, mode="fan_out", nonlinearity="relu"),
    "kaiming_normal_": lambda lib, x: lib.kaiming_normal_(x, nonlinearity="tanh"),
    "kaiming_normal_ out": lambda lib, x: lib.kaiming_normal_(x, mode="fan_out"),
    "orthogonal_": lambda lib, x: lib.orthogonal_(x, gain=1.5),
    "trunc_normal_": lambda lib, x: lib.trunc_normal_(x, 0.5, 2.0, -1.0, 4.0),
    "trunc_normal_ in the tail": lambda lib, x: lib.trunc_normal_(x, 0.0, 1.0, 1.5, 2.5),
}


@pytest.mark.parametrize("name", FILLS)
def test_random_values_are_distributed_as_torchs(name):
    torch = pytest.importorskip("torch")
    sg.manual_seed(0)
    torch.manual_seed(0)
    x, z = sg.zeros(300, 20, 8, requires_grad=True), torch.zeros(300, 20, 8, dtype=torch.float64)
    assert FILLS[name](init, x) is x
    assert x.is_leaf
    assert x.requires_grad
    ours, theirs = np.sort(x.detach().numpy().ravel()), np.sort(FILLS[name](torch.nn.init, z).numpy().ravel())
    scale = np.ptp(theirs)
    gap = np.abs(ours - theirs)[480:-480]  # quantiles between 1 % and 99 %
    assert gap.max() < 0.02 * scale
    assert abs(np.ptp(ours) - scale) < 0.3 * scale


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (3, 2, 5)])
def test_an_orthogonal_tensor_has_orthonormal_rows_or_columns(shape):
    x = init.orthogonal_(sg.zeros(*shape), generator=sg.Generator())
    m = x.numpy().reshape(shape[0], -1)
    product = m @ m.T if m.shape[0] <= m.shape[1] else m.T @ m
    np.testing.assert_allclose(product, np.eye(min(m.shape)), atol=1e-14)


def test_truncated_normal_numbers_keep_to_a_far_tail():
    with pytest.warns(UserWarning, match="mean is more than 2 std"):
        x = init.trunc_normal_(sg.zeros(500), 0.0, 1.0, 9.0, 10.0, sg.Generator()).numpy()
    assert ((x >= 9.0) & (x <= 10.0)).all()
    assert len(np.unique(x)) == 500
    assert 9.0 < x.mean() < 9.2


def test_given_values_are_filled_in():
    x = sg.rand(2, 3, requires_grad=True)
    assert init.constant_(x, 2.5).tolist() == [[2.5] * 3] * 2
    assert init.ones_(x).tolist() == [[1.0] * 3] * 2
    assert init.zeros_(x).tolist() == [[0.0] * 3] * 2
    assert init.eye_(x).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert x.is_leaf


@pytest.mark.parametrize("name", FILLS)
def test_a_generator_decides_the_values(name):
    function = getattr(init, name.split()[0])
    first, again = (function(sg.zeros(3, 4), generator=sg.Generator().manual_seed(8)).tolist() for _ in range(2))
    assert first == again


def test_nothing_is_done_to_a_tensor_without_entries():
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        init.kaiming_uniform_(sg.zeros(0, 3))
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        init.kaiming_normal_(sg.zeros(0, 3))
    assert init.orthogonal_(sg.zeros(0, 3)).shape == (0, 3)


ERRORS = [
    (lambda: init.calculate_gain("step"), ValueError, "Unsupported nonlinearity step"),
    (lambda: init.calculate_gain("leaky_relu", True), ValueError, "negative_slope True not a valid number"),
    (lambda: init.eye_(sg.ones(2)), ValueError, "Only tensors with 2 dimensions are supported"),
    (lambda: init.xavier_normal_(sg.ones(2)), ValueError, "Fan in and fan out can not be computed for tensor"),
    (lambda: init.kaiming_normal_(sg.ones(2, 2), mode="in"), ValueError, "Mode in not supported, please use one of"),
    (lambda: init.kaiming_normal_(sg.ones(2, 2), mode=1), TypeError, "mode: got int"),
    (lambda: init.orthogonal_(sg.ones(2)), ValueError, "Only tensors with 2 or more dimensions are supported"),
    (lambda: utils.vector_to_parameters(sg.ones(3), [sg.ones(2)]), ValueError, "got 3 numbers for 2 entries"),
    (lambda: sg.nn.Perceptron, AttributeError, "module 'symgrad.nn' has no attribute 'Perceptron'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=lambda v: v[:40] if isinstance(v, str) else "")
def test_what_cannot_be_filled_is_refused(call, kind, text):
    with pytest.raises(kind, match=re.escape(text)):
        call()


# ------------------------------------------------------------------ gradients in bounds
def with_gradients(lib):
    x, y = (lib.tensor(v, requires_grad=True) for v in ([[3.0, -4.0], [0.5, 1.0]], 2.0))
    (x**3).sum().backward()
    (y**2).backward()
    return [x, y, lib.tensor([1.0], requires_grad=True)]


@pytest.mark.parametrize("norm_type", [2, 1.0, 3.0, math.inf, "inf"])
@pytest.mark.parametrize("bound", [0.5, 1e3])
def test_clipping_by_norm_is_torchs(norm_type, bound):
    torch = pytest.importorskip("torch")
    torch.set_default_dtype(torch.float64)
    try:
        ours, theirs = with_gradients(sg), with_gradients(torch)
        expected = torch.nn.utils.clip_grad_norm_(theirs, bound, norm_type)
    finally:
        torch.set_default_dtype(torch.float32)
    before = ours[0].grad
    found = utils.clip_grad_norm_((p for p in ours), bound, norm_type)
    assert found.item() == pytest.approx(expected.item(), rel=1e-14)
    assert ours[0].grad is before
    assert ours[2].grad is None
    for p, q in zip(ours[:2], theirs[:2], strict=True):
        np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-14)


def test_clipping_by_value_limits_every_entry():
    x, y, z = with_gradients(sg)
    utils.clip_grad_value_([x, y, z], 5)
    assert x.grad.tolist() == [[5.0, 5.0], [0.75, 3.0]]
    assert y.grad.item() == 4.0
    assert z.grad is None


def test_a_norm_that_is_not_finite_is_an_error_where_asked():
    x = sg.ones(2, requires_grad=True)
    (x / 0).sum().backward()
    with pytest.raises(RuntimeError, match=r"The total norm of order 2\.0 for gradients from `parameters` is non"):
        utils.clip_grad_norm_(x, 1.0, error_if_nonfinite=True)
    assert utils.clip_grad_norm_(x, 1.0).item() == math.inf
    assert utils.clip_grad_norm_([], 1.0).item() == 0.0


def test_parameters_go_into_a_vector_and_back():
    x, y, _ = with_gradients(sg)
    vector = utils.parameters_to_vector([x, y])
    (g,) = sg.autograd.grad((vector**2).sum(), x)
    assert g.tolist() == (2 * x).tolist()
    utils.vector_to_parameters(sg.arange(5, dtype=sg.float64), [x, y])
    assert x.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert y.item() == 4.0
    assert x.is_leaf
