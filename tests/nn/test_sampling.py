"""Images at places of a grid, lazy layers and the adaptive softmax, beside PyTorch."""

from itertools import product

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError, ValueNeeded

RNG = np.random.default_rng(0)
MODES = [(2, *m) for m in product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (True, False))]
MODES += [(3, *m) for m in product(("bilinear", "nearest"), ("zeros", "border", "reflection"), (True, False))]
LAZY = {
    "LazyLinear": ((5,), (2, 3)), "LazyConv1d": ((4, 3), (2, 3, 7)), "LazyConv2d": ((4, 3), (3, 7, 7)),
    "LazyConv3d": ((2, 2), (1, 2, 3, 3, 3)), "LazyConvTranspose1d": ((2, 2), (2, 3, 3)),
    "LazyConvTranspose2d": ((4, 3), (2, 3, 7, 7)), "LazyConvTranspose3d": ((2, 2), (1, 2, 3, 3, 3)),
    "LazyBatchNorm1d": ((), (4, 3)), "LazyBatchNorm2d": ((), (4, 3, 2, 2)), "LazyBatchNorm3d": ((), (2, 2, 2, 2, 2)),
    "LazyInstanceNorm1d": ((), (2, 3, 4)), "LazyInstanceNorm2d": ((), (2, 3, 4, 4)),
    "LazyInstanceNorm3d": ((), (2, 3, 2, 2, 2)),
}  # fmt: skip


@pytest.mark.parametrize(("dims", "mode", "padding", "aligned"), MODES)
def test_samples_and_slopes_are_torchs(dims, mode, padding, aligned):
    torch = pytest.importorskip("torch")
    x, grid = RNG.normal(size=(2, 2, *(3, 4, 5)[-dims:])), RNG.uniform(-1.7, 1.7, (2, *(2, 3, 4)[-dims:], dims))
    found = []
    for lib, F in ((torch, torch.nn.functional), (sg, sg.nn.functional)):
        ts = [lib.tensor(v, requires_grad=True) for v in (x, grid)]
        y = F.grid_sample(*ts, mode, padding, aligned)
        (y * lib.tensor(np.cos(np.arange(y.numel())).reshape(tuple(y.shape)))).sum().backward()
        slopes = [np.zeros(t.shape) if t.grad is None else t.grad.numpy() for t in ts]
        found.append([y.detach().numpy(), *slopes])
    for ours, theirs in zip(found[1], found[0], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)


def test_a_spatial_transformer_compiles():
    theta, x = RNG.normal(size=(2, 2, 3)), RNG.normal(size=(2, 1, 4, 4))
    F = sg.nn.functional
    f = lambda t, x: F.grid_sample(x, F.affine_grid(t, x.shape, False), align_corners=False).square().sum()
    for ours, theirs in zip(sg.compile(sg.grad(f, (0, 1)))(theta, x), sg.grad(f, (0, 1))(theta, x), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_places_that_are_nan_give_nan_in_the_dtype_of_the_image(mode):
    x, grid = np.ones((1, 1, 2, 3), np.float32), np.full((1, 1, 1, 2), np.nan, np.float32)
    sample = lambda x, g: sg.nn.functional.grid_sample(sg.tensor(x), sg.tensor(g), mode)
    for f in (sample, sg.compile(lambda x, g: sg.nn.functional.grid_sample(x, g, mode))):
        y = f(x, grid)
        assert y.dtype == np.float32
        assert np.isnan(np.asarray(y)).all()


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_an_infinite_cotangent_reaches_only_the_pixels_that_are_read(mode):
    x = sg.ones(1, 1, 2, 3, requires_grad=True)
    y = sg.nn.functional.grid_sample(x, sg.tensor([[[[1.3, 0.7]]]]), mode, align_corners=False)
    (slope,) = sg.autograd.grad(y, x, sg.full(y.shape, np.inf))
    assert not np.isnan(slope.numpy()).any()


def test_grids_that_do_not_fit_are_refused():
    F, x = sg.nn.functional, sg.zeros(1, 1, 3, 3)
    with pytest.raises(ShapeError, match="got input"):
        F.grid_sample(x, sg.zeros(1, 2, 2, 3))
    with pytest.raises(ArgumentError, match="mode='linear'"):
        F.grid_sample(x, sg.zeros(1, 2, 2, 2), "linear")
    with pytest.raises(ArgumentError, match="padding_mode='wrap'"):
        F.grid_sample(x, sg.zeros(1, 2, 2, 2), padding_mode="wrap")
    with pytest.raises(ShapeError, match="affine_grid: got theta"):
        F.affine_grid(sg.zeros(1, 3, 3), (1, 1, 2, 2))


@pytest.mark.parametrize("name", LAZY)
def test_a_lazy_layer_becomes_its_layer_at_the_first_call(name):
    torch = pytest.importorskip("torch")
    arguments, shape = LAZY[name]
    ours, theirs = getattr(sg.nn, name)(*arguments), getattr(torch.nn, name)(*arguments)
    assert repr(ours) == repr(theirs)
    with pytest.raises(ValueNeeded, match="no parameters before its first call"):
        list(sg.nn.Sequential(ours).parameters())
    ours.eval()
    assert tuple(ours(sg.ones(shape)).shape) == tuple(theirs(torch.ones(shape)).shape)
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    assert not ours.training


def test_lazy_layers_refuse_what_does_not_fit():
    with pytest.raises(ArgumentTypeError, match="LazyLinear: missing a required argument"):
        sg.nn.LazyLinear()
    with pytest.raises(ShapeError, match="LazyConv2d: got an input of shape"):
        sg.nn.LazyConv2d(3, 2)(sg.ones(4))


def test_what_is_no_module_is_answered_by_how_to_make_one():
    layer = sg.nn.Linear(2, 2)
    for wrong, advice in (
        ([layer], r"Unpack the list"),
        (sg.nn.ReLU, r"Make one of the class: ReLU\(\)"),
        (sg.relu, r"as nn.ReLU"),
    ):
        with pytest.raises(ArgumentTypeError, match=advice):
            sg.nn.Sequential(layer, wrong)
    with pytest.raises(AttributeError, match=r"no attribute 'fit'\. Use a loop of your own"):
        _ = layer.fit


def test_the_adaptive_softmax_is_torchs():
    torch = pytest.importorskip("torch")
    options = (8, 20, [4, 9]), {"div_value": 2.0, "head_bias": True}
    ours, theirs = (lib.nn.AdaptiveLogSoftmaxWithLoss(*options[0], **options[1]) for lib in (sg, torch))
    theirs = theirs.double()
    theirs.load_state_dict({k: torch.tensor(v.numpy()) for k, v in ours.state_dict().items()})
    x, y = RNG.normal(size=(6, 8)), np.array([0, 3, 5, 9, 19, 8])
    a, b = ours(sg.tensor(x), sg.tensor(y)), theirs(torch.tensor(x), torch.tensor(y))
    np.testing.assert_allclose(a.output.detach().numpy(), b.output.detach().numpy(), rtol=1e-12)
    np.testing.assert_allclose(a.loss.item(), b.loss.item(), rtol=1e-12)
    log_prob = ours.log_prob(sg.tensor(x)).detach().numpy()
    np.testing.assert_allclose(log_prob, theirs.log_prob(torch.tensor(x)).detach().numpy(), rtol=1e-12)
    assert ours.predict(sg.tensor(x)).tolist() == theirs.predict(torch.tensor(x)).tolist()
    assert repr(ours) == repr(theirs)
    with pytest.raises(ArgumentError, match="cutoffs should be"):
        sg.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [9, 4])
