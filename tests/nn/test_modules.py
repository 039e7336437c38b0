"""``nn.Module`` and its layers: as in torch, where torch is installed; and what a module promises by itself."""

import copy
import pickle

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad import nn

MADE = {  # module: constructor arguments, shape of its input; of several inputs their shapes
    "Linear": ((3, 2), {}, (5, 3)),
    "Linear without bias": ((3, 2), {"bias": False}, (5, 4, 3)),
    "Bilinear": ((2, 3, 4), {}, [(5, 2), (5, 3)]),
    "Conv1d": ((2, 4, 3), {"padding": 1, "stride": 2}, (2, 2, 7)),
    "Conv1d of no batch, in a circle": ((2, 4, 3), {"padding": 2, "padding_mode": "circular"}, (2, 7)),
    "Conv2d": ((2, 4, (3, 2)), {"padding": "same", "groups": 2}, (2, 2, 5, 6)),
    "Conv2d mirrored": ((2, 3, 3), {"padding": "same", "padding_mode": "reflect", "dilation": 2}, (1, 2, 6, 7)),
    "Conv3d": ((2, 4, (3, 2, 1)), {"stride": (1, 2, 1), "padding_mode": "replicate", "padding": 1}, (1, 2, 4, 3, 2)),
    "ConvTranspose1d": ((4, 2, 3), {"stride": 2, "output_padding": 1, "groups": 2}, (2, 4, 5)),
    "ConvTranspose2d": ((2, 3, (3, 2)), {"stride": 2, "padding": (1, 0), "dilation": 2}, (1, 2, 3, 4)),
    "ConvTranspose3d": ((1, 2, 2), {"bias": False}, (1, 1, 2, 3, 2)),
    "LayerNorm": ((4,), {}, (3, 4)),
    "LayerNorm of axes": (((2, 4),), {"elementwise_affine": False}, (3, 2, 4)),
    "RMSNorm": ((4,), {}, (3, 4)),
    "RMSNorm of axes": (((2, 4),), {"eps": 1e-3}, (3, 2, 4)),
    "GroupNorm": ((2, 4), {}, (3, 4, 2)),
    "LocalResponseNorm": ((3,), {"alpha": 0.5, "k": 2.0}, (2, 4, 3)),
    "BatchNorm1d": ((3,), {}, (5, 3)),
    "BatchNorm1d of averages": ((3,), {"momentum": None}, (5, 3, 2)),
    "BatchNorm1d untracked": ((3,), {"track_running_stats": False, "affine": False}, (5, 3)),
    "BatchNorm1d without bias": ((3,), {"bias": False}, (5, 3)),
    "BatchNorm2d": ((2,), {"momentum": 0.3}, (4, 2, 3, 3)),
    "BatchNorm3d": ((2,), {}, (2, 2, 3, 2, 2)),
    "InstanceNorm1d": ((2,), {}, (2, 2, 5)),
    "InstanceNorm1d of no batch": ((2,), {"affine": True}, (2, 5)),
    "InstanceNorm2d": ((2,), {"affine": True, "track_running_stats": True}, (2, 2, 3, 3)),
    "InstanceNorm3d": ((2,), {"bias": False, "affine": True}, (2, 2, 2, 3, 2)),
    "MaxPool1d": ((2,), {}, (1, 2, 6)),
    "MaxPool2d": ((2,), {"stride": 1}, (1, 2, 4, 4)),
    "MaxPool3d": ((2,), {"padding": 1, "dilation": 1, "ceil_mode": True}, (1, 2, 3, 4, 4)),
    "AvgPool1d": ((3,), {"padding": 1}, (1, 2, 6)),
    "AvgPool2d": ((2,), {}, (1, 2, 4, 4)),
    "AvgPool3d": (((1, 2, 2),), {"divisor_override": 3}, (1, 2, 2, 4, 4)),
    "AdaptiveAvgPool1d": ((2,), {}, (1, 2, 5)),
    "AdaptiveAvgPool2d": (((1, 2),), {}, (1, 2, 4, 4)),
    "AdaptiveAvgPool3d": (((1, None, 2),), {}, (1, 2, 4, 3, 3)),
    "AdaptiveMaxPool1d": ((2,), {}, (1, 2, 5)),
    "AdaptiveMaxPool2d": (((2, None),), {}, (1, 2, 4, 4)),
    "AdaptiveMaxPool3d": ((2,), {}, (1, 2, 4, 3, 3)),
    "LPPool1d": ((2, 3), {"stride": 2}, (1, 2, 6)),
    "LPPool2d": ((2, 2), {}, (1, 2, 4, 4)),
    "LPPool3d": ((2, 2), {"ceil_mode": True}, (1, 2, 3, 4, 4)),
    "Flatten": ((), {}, (2, 3, 4)),
    "Unflatten": ((1, (2, -1)), {}, (3, 4)),
    "Unfold": (((2, 3),), {"padding": 1}, (1, 2, 4, 5)),
    "Fold": (((4, 5), 2), {"stride": (2, 1)}, (1, 8, 8)),
    "PixelShuffle": ((2,), {}, (1, 8, 2, 3)),
    "PixelUnshuffle": ((2,), {}, (1, 2, 4, 6)),
    "ChannelShuffle": ((2,), {}, (1, 4, 3)),
    "Upsample": ((), {"scale_factor": 2}, (1, 2, 3)),
    "Upsample of lines": (((3, 5),), {"mode": "bilinear", "align_corners": True}, (1, 2, 4, 4)),
    "Upsample of cubics": ((), {"scale_factor": (1.5, 2), "mode": "bicubic"}, (1, 2, 4, 3)),
    "UpsamplingNearest2d": ((), {"scale_factor": 2}, (1, 2, 2, 3)),
    "UpsamplingBilinear2d": ((5,), {}, (1, 2, 2, 3)),
    "ConstantPad1d": ((2, 3.5), {}, (2, 4)),
    "ConstantPad2d": (((1, 0, 2, 1), 0.5), {}, (1, 3, 4)),
    "ConstantPad3d": ((1, 1), {}, (1, 2, 2, 2)),
    **{f"{name}{d}d": ((p,), {}, (1, 2, *(4,) * d)) for name in ("ZeroPad", "ReflectionPad", "ReplicationPad",
       "CircularPad") for d, p in ((1, (1, 2)), (2, 1), (3, (1, 2, 0, 1, 1, 1)))},
    "CosineSimilarity": ((), {"dim": 0}, [(5, 3), (5, 3)]),
    "PairwiseDistance": ((1.0,), {"keepdim": True}, [(5, 3), (5, 3)]),
    "PReLU": ((3,), {"init": 0.1}, (2, 3, 4)),
    "LeakyReLU": ((0.2,), {"inplace": False}, (7,)),
    "Softmax": ((1,), {}, (3, 4)),
    "Softmax2d": ((), {}, (2, 3, 2, 2)),
    "Softmin": ((), {"dim": 0}, (3, 4)),
    "LogSoftmax": ((), {"dim": 0}, (3, 4)),
    "GELU": ((), {"approximate": "tanh"}, (7,)),
    "ELU": ((0.5,), {}, (7,)),
    "Hardtanh": ((-0.5, 0.25), {}, (7,)),
    "Hardshrink": ((0.3,), {}, (7,)),
    "Softshrink": ((), {}, (7,)),
    "Threshold": ((0.1, 2.0), {}, (7,)),
    "Softplus": ((2.0,), {}, (7,)),
    "GLU": ((1,), {}, (3, 4)),
    "Identity": ((), {}, (7,)),
    **{name: ((), {}, (7,)) for name in (
        "ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Hardsigmoid", "Hardswish", "CELU", "Sigmoid", "Tanh", "LogSigmoid",
        "Softsign", "Tanhshrink",
    )},
}  # fmt: skip
RANDOM = {  # of these the value in use, the state and what is printed; and as in MADE
    "RReLU": ((0.1, 0.3), {}, (7,)),
    "Dropout": ((0.3,), {}, (7,)),
    "Dropout1d": ((), {}, (2, 3, 4)),
    "Dropout2d": ((0.1, True), {}, (2, 3, 4, 1)),
    "Dropout3d": ((), {}, (2, 3, 4, 1, 2)),
    "AlphaDropout": ((), {}, (7,)),
    "FeatureAlphaDropout": ((0.2,), {}, (2, 3, 4)),
}

LOSSES = {  # loss: options, and which of torch's samples it is given
    "MSELoss": ({"reduction": "sum"}, "numbers"),
    "L1Loss": ({}, "numbers"),
    "SmoothL1Loss": ({"beta": 0.5}, "numbers"),
    "HuberLoss": ({"delta": 0.5, "reduction": "none"}, "numbers"),
    "CrossEntropyLoss": ({"label_smoothing": 0.1, "ignore_index": 1}, "classes"),
    "NLLLoss": ({}, "classes"),
    "BCELoss": ({}, "shares"),
    "BCEWithLogitsLoss": ({}, "shares"),
    "KLDivLoss": ({"reduction": "sum", "log_target": True}, "numbers"),
    "PoissonNLLLoss": ({"full": False}, "shares"),
    "HingeEmbeddingLoss": ({"margin": 2.0}, "signs"),
    "SoftMarginLoss": ({}, "signs"),
    "MultiMarginLoss": ({"p": 2, "margin": 0.5}, "classes"),
    "MultiLabelMarginLoss": ({"reduction": "sum"}, "labels"),
    "MultiLabelSoftMarginLoss": ({}, "shares"),
}


def of_torch():
    return pytest.importorskip("torch", reason="compares with torch")


def drawn(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def pair(name, args, kwargs):
    """The module of symgrad and torch's in the same state."""
    torch = of_torch()
    kind = name.split()[0]
    ours, theirs = getattr(nn, kind)(*args, **kwargs), getattr(torch.nn, kind)(*args, **kwargs).double()
    state = theirs.state_dict()
    assert list(ours.state_dict()) == list(state)
    assert [v.shape for v in ours.state_dict().values()] == [tuple(v.shape) for v in state.values()]
    ours.load_state_dict(state)
    return ours, theirs


@pytest.mark.parametrize("name", [*MADE, *RANDOM])
def test_module_is_torchs_in_value_gradient_and_state(name):
    torch = of_torch()
    args, kwargs, shape = {**MADE, **RANDOM}[name]
    ours, theirs = pair(name, args, kwargs)
    assert repr(ours) == repr(theirs)
    shapes = shape if isinstance(shape, list) else [shape]
    arrays = [abs(drawn(s, k)) if name.startswith("LP") else drawn(s, k) for k, s in enumerate(shapes)]
    for training in (True, True, False) if name in MADE else (False,):  # batch normalisation moves its statistics
        ours.train(training)
        theirs.train(training)
        xs = [sg.tensor(a, requires_grad=True) for a in arrays]
        us = [torch.tensor(a, requires_grad=True) for a in arrays]
        y, z = ours(*(x * 1.0 for x in xs)), theirs(*(u * 1.0 for u in us))
        close(y.detach().numpy(), z.detach().numpy(), 1e-12)
        ours.zero_grad()
        theirs.zero_grad()
        weight = drawn(y.shape, 1)
        (y * weight).sum().backward()
        (z * torch.tensor(weight)).sum().backward()
        for x, u in zip(xs, us, strict=True):
            close(x.grad.numpy(), u.grad.numpy(), 1e-7 if name == "Hardsigmoid" else 1e-11)  # torch's 1/6 is a float32
        for (n, p), (m, q) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
            assert n == m
            close(p.grad.numpy(), q.grad.numpy(), 1e-11)
    for (n, b), (m, c) in zip(ours.state_dict().items(), theirs.state_dict().items(), strict=True):
        assert n == m
        close(b.numpy(), c.numpy(), 1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_loss_is_torchs(name):
    torch = of_torch()
    options, kind = LOSSES[name]
    x = 1 / (1 + np.exp(-drawn((4, 3))))
    t = {
        "numbers": drawn((4, 3), 1), "classes": np.array([0, 1, 2, 0]), "shares": (drawn((4, 3), 1) > 0) * 1.0,
        "signs": np.sign(drawn((4, 3), 1)), "labels": np.array([[1, -1, 0], [2, 0, -1], [-1, 0, 0], [0, 1, 2]]),
    }[kind]  # fmt: skip
    a, b = sg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    ours = getattr(nn, name)(**options)(a, sg.tensor(t))
    theirs = getattr(torch.nn, name)(**options)(b, torch.tensor(t))
    close(ours.detach().numpy(), theirs.detach().numpy(), 1e-12)
    ours.sum().backward()
    theirs.sum().backward()
    close(a.grad.numpy(), b.grad.numpy(), 1e-11)


def points(seed):
    return drawn((4, 3), seed)


SEVERAL = {  # loss of several inputs: options, and the inputs
    "GaussianNLLLoss": ({"full": True}, [points(0), points(1), points(2) ** 2 + 0.1]),
    "MarginRankingLoss": ({"margin": 0.2}, [points(0), points(1), np.sign(points(2))]),
    "CosineEmbeddingLoss": ({"margin": 0.1}, [points(0), points(1), np.array([1.0, -1.0, 1.0, -1.0])]),
    "TripletMarginLoss": ({"margin": 0.7, "swap": True}, [points(0), points(1), points(2)]),
    "TripletMarginWithDistanceLoss": ({"margin": 2.0}, [points(0), points(1), points(2)]),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_loss_of_several_inputs_is_torchs(name):
    torch = of_torch()
    options, inputs = SEVERAL[name]
    ours, theirs = getattr(nn, name)(**options), getattr(torch.nn, name)(**options)
    xs = [sg.tensor(x, requires_grad=True) for x in inputs]
    us = [torch.tensor(x, requires_grad=True) for x in inputs]
    y, z = ours(*xs), theirs(*us)
    close(y.item(), z.item(), 1e-12)
    y.backward()
    z.backward()
    for x, u in zip(xs, us, strict=True):
        close(x.grad.numpy(), np.zeros(u.shape) if u.grad is None else u.grad.numpy(), 1e-11)
    assert list(ours.state_dict()) == list(theirs.state_dict())


def test_every_module_is_compared():
    by_themselves = {
        "Module", "ModuleDict", "ModuleList", "Sequential", "Embedding", "EmbeddingBag", "MaxUnpool1d", "MaxUnpool2d",
        "MaxUnpool3d", "CTCLoss", "FractionalMaxPool2d", "FractionalMaxPool3d",
        *nn.modules.adaptive.__all__, *nn.modules.lazy.__all__,
        "ParameterDict", "ParameterList", *nn.modules.recurrent.__all__, *nn.modules.attention.__all__,
    }  # fmt: skip
    modules = {n for n in nn.__all__ if isinstance(getattr(nn, n), type) and issubclass(getattr(nn, n), nn.Module)}
    assert modules - by_themselves == {name.split()[0] for name in (*MADE, *RANDOM, *LOSSES, *SEVERAL)}


def test_parameters_in_a_row_print_as_torchs():
    torch = of_torch()
    ours, theirs = (T.nn.ParameterList([T.ones(3), T.ones(2, 2)]) for T in (sg, torch))
    expected = repr(theirs).replace("torch.float32", "float64").replace("    (", "  (")
    assert repr(ours) == expected
    assert repr(nn.ParameterDict({"a": sg.ones(3)})) == (
        "ParameterDict(\n  (a): Parameter containing: [float64 of size 3]\n)"
    )
    assert repr(nn.ParameterList()) == repr(torch.nn.ParameterList())


@pytest.mark.parametrize("weight", [[0.3], [0.3, 0.5, 0.1]], ids=len)
def test_activations_with_weights_are_methods(weight):
    torch = of_torch()
    x = np.random.default_rng(0).normal(size=(4, 3))
    close(sg.tensor(x).prelu(sg.tensor(weight)), torch.tensor(x).prelu(torch.tensor(weight, dtype=torch.float64)), 0)
    close(sg.tensor(x).prelu(np.array(weight)), torch.tensor(x).prelu(torch.tensor(weight, dtype=torch.float64)), 0)
    close(sg.tensor(x).hardshrink(0.3), torch.tensor(x).hardshrink(0.3), 0)
    assert sg.tensor(x).short().dtype == sg.int16


@pytest.mark.parametrize("d", [2, 3])
def test_fractional_pools_are_torchs(d):
    torch = of_torch()
    x, u = np.random.default_rng(0).normal(size=(2, 3, *(7, 9, 6)[:d])), np.full((2, 3, d), 0.4)
    for options in ({"output_ratio": 0.5}, {"output_size": (3, 4, 1)[:d]}):
        ours = getattr(nn, f"FractionalMaxPool{d}d")(2, **options, return_indices=True, _random_samples=sg.tensor(u))
        theirs = getattr(torch.nn, f"FractionalMaxPool{d}d")(
            2, **options, return_indices=True, _random_samples=torch.tensor(u)
        )
        for got, expected in zip(ours(sg.tensor(x)), theirs(torch.tensor(x)), strict=True):
            np.testing.assert_array_equal(got, expected)
        assert repr(ours) == repr(theirs)
    drawn = getattr(nn, f"FractionalMaxPool{d}d")(2, output_size=2)(sg.tensor(x[0]))
    assert drawn.shape == (3, *(2,) * d)
    with pytest.raises(sg.errors.ArgumentError, match="Pass one of them"):
        getattr(nn.functional, f"fractional_max_pool{d}d")(x, 2)
    with pytest.raises(sg.errors.ArgumentError, match="between 0 and 1"):
        getattr(nn.functional, f"fractional_max_pool{d}d")(x, 2, output_ratio=1.5)
    with pytest.raises(sg.errors.ShapeError, match="Expected less"):
        getattr(nn.functional, f"fractional_max_pool{d}d")(x, 5, output_size=6)


def test_embedding_is_torchs():
    torch = of_torch()
    ours, theirs = pair("Embedding", (5, 3), {"padding_idx": 1})
    i = np.array([[0, 1], [4, 0]])
    y, z = ours(sg.tensor(i)), theirs(torch.tensor(i))
    close(y.detach().numpy(), z.detach().numpy(), 0)
    y.sum().backward()
    z.sum().backward()
    close(ours.weight.grad.numpy(), theirs.weight.grad.numpy(), 0)
    assert nn.Embedding(5, 3, padding_idx=-1).weight[4].tolist() == [0.0, 0.0, 0.0]


BAGS = {
    "EmbeddingBag": ({"mode": "sum", "padding_idx": 2}, [[0, 2, 4], [1, 1, 3]]),
    "EmbeddingBag of means": ({"include_last_offset": True}, [0, 2, 4, 1, 1, 3], [0, 2, 2, 6]),
    "EmbeddingBag of maxima": ({"mode": "max"}, [0, 2, 4, 1, 1, 3], [0, 4]),
    "EmbeddingBag of short rows": ({"max_norm": 0.5, "mode": "sum"}, [0, 2, 4, 1], [0, 3]),
    "Embedding of short rows": ({"max_norm": 0.5, "norm_type": 1.0}, [0, 2, 4, 1]),
}


@pytest.mark.parametrize("name", BAGS)
def test_bags_of_rows_are_torchs(name):
    torch = of_torch()
    options, *indices = BAGS[name]
    ours, theirs = pair(name, (5, 3), options)
    assert repr(ours) == repr(theirs)
    y, z = ours(*map(sg.tensor, indices)), theirs(*map(torch.tensor, indices))
    close(y.detach().numpy(), z.detach().numpy(), 1e-14)
    (y**2).sum().backward()
    (z**2).sum().backward()
    close(ours.weight.grad.numpy(), theirs.weight.grad.numpy(), 1e-13)
    close(ours.weight.detach().numpy(), theirs.weight.detach().numpy(), 1e-14)


def test_a_table_is_made_of_a_matrix():
    table = nn.Embedding.from_pretrained(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert table(sg.tensor([1])).tolist() == [[3.0, 4.0]]
    assert not table.weight.requires_grad
    assert nn.EmbeddingBag.from_pretrained(sg.ones(3, 2), freeze=False, mode="sum").weight.requires_grad
    with pytest.raises(ValueError, match="Gradients are dense in symgrad"):
        nn.Embedding(3, 2, sparse=True)(sg.tensor([0]))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_maxima_go_back_to_their_places(axes):
    torch = of_torch()
    x, kind = drawn((1, 2, *(5,) * axes)), f"MaxUnpool{axes}d"
    results = []
    for T in (sg, torch):
        u = T.tensor(x, requires_grad=True)
        y, at = getattr(T.nn, f"MaxPool{axes}d")(2, return_indices=True)(u)
        undo = getattr(T.nn, kind)(2)
        (undo(y, at, output_size=u.shape) * T.tensor(drawn(x.shape, 1))).sum().backward()
        results.append((repr(undo), undo(y, at, output_size=u.shape).detach().numpy(), u.grad.numpy()))
    assert results[0][0] == results[1][0]
    for ours, theirs in zip(results[0][1:], results[1][1:], strict=True):
        close(ours, theirs, 0)
    with pytest.raises(ValueError, match="invalid output_size"):
        getattr(nn, kind)(2)(sg.zeros(1, 1, *(2,) * axes), sg.zeros(1, 1, *(2,) * axes).long(), output_size=(9,) * axes)


def test_a_transposed_convolution_takes_the_size_of_its_result():
    torch = of_torch()
    ours, theirs = pair("ConvTranspose2d", (1, 1, 3), {"stride": 3})
    x = drawn((1, 1, 2, 2))
    y, z = ours(sg.tensor(x), output_size=(7, 8)), theirs(torch.tensor(x), output_size=(7, 8))
    close(y.detach().numpy(), z.detach().numpy(), 1e-13)
    with pytest.raises(ValueError, match=r"requested an output size of \[5, 9\], but valid sizes range from \[6, 6\]"):
        ours(sg.tensor(x), output_size=(5, 9))


ALIGNED = {  # options, targets, lengths of inputs and targets
    "mean": ({}, [[1, 1, 2], [3, 4, 0], [1, 0, 0]], [7, 6, 5], [3, 2, 1]),
    "sum of labels in a row": ({"reduction": "sum", "blank": 3}, [1, 1, 2, 0, 4, 1], [7, 7, 7], [3, 2, 1]),
    "labels that are too many": ({"zero_infinity": True, "reduction": "none"}, [[1, 1], [3, 4], [1, 0]], [7, 6, 1],
                                 [2, 2, 2]),
    "no labels": ({"reduction": "none"}, [[1, 2], [1, 2], [1, 2]], [7, 6, 5], [0, 2, 1]),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIGNED)
def test_alignments_are_torchs(name):
    torch = of_torch()
    options, *rest = ALIGNED[name]
    x, results = drawn((7, 3, 5)), []
    for T in (sg, torch):
        u = T.tensor(x, requires_grad=True)
        loss = T.nn.CTCLoss(**options)(u.log_softmax(-1), *map(T.tensor, rest))
        loss.sum().backward()
        results.append((loss.detach().numpy(), u.grad.numpy()))
    close(results[0][0], results[1][0], 1e-13)
    close(results[0][1], results[1][1], 1e-12)


def test_an_alignment_of_its_own_is_differentiated_as_it_is():
    x = sg.tensor(drawn((4, 5)))  # no log_softmax: torch's gradient is another one there
    check = sg.testing.crosscheck(lambda x: nn.CTCLoss()(x, sg.tensor([1, 2]), sg.tensor(4), sg.tensor(2)), x.numpy())
    assert check.ok
    with pytest.raises(IndexError, match=r"got target_lengths \[3\]. Expected numbers from 0 to 2"):
        nn.CTCLoss()(x, sg.tensor([1, 2]), 4, 3)
    assert nn.CTCLoss()(x[:1], sg.tensor([1, 2]), 1, 2).item() == np.inf


class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, hidden), nn.Tanh(), nn.Dropout(0.5))
        self.head = nn.Linear(hidden, 2)
        self.scale = nn.Parameter(2.0)
        self.register_buffer("count", sg.tensor(0))
        self.register_buffer("cache", sg.zeros(2), persistent=False)

    def forward(self, x):
        return self.scale * self.head(self.body(x))


def test_names_state_and_printing_are_torchs():
    net = Net()
    assert [n for n, _ in net.named_parameters()] == [
        "scale", "body.0.weight", "body.0.bias", "head.weight", "head.bias",
    ]  # fmt: skip
    assert [n for n, _ in net.named_modules()] == ["", "body", "body.0", "body.1", "body.2", "head"]
    assert list(net.state_dict()) == [
        "scale", "count", "body.0.weight", "body.0.bias", "head.weight", "head.bias",
    ]  # fmt: skip
    assert str(net) == (
        "Net(\n  (body): Sequential(\n    (0): Linear(in_features=3, out_features=4, bias=True)\n    (1): Tanh()\n"
        "    (2): Dropout(p=0.5, inplace=False)\n  )\n  (head): Linear(in_features=4, out_features=2, bias=True)\n)"
    )
    assert net.get_submodule("body.0") is net.body[0]
    assert net.get_parameter("head.bias") is net.head.bias


def test_a_shared_parameter_is_given_once():
    net = Net()
    net.head.weight = nn.Parameter(sg.zeros(2, 4))
    net.again = net.head
    assert sum(p is net.head.weight for p in net.parameters()) == 1


def test_mode_reaches_all_modules():
    net = Net()
    net.eval()
    x = sg.ones(5, 3)
    assert not any(m.training for m in net.modules())
    assert net(x).tolist() == net(x).tolist()
    net.train()
    assert net.body[2].training
    with pytest.raises(ValueError, match="boolean"):
        net.train(1)


def test_state_is_a_snapshot_that_later_steps_leave_alone():
    net = Net()
    state = net.state_dict()
    before = state["scale"].item()
    with sg.no_grad():
        net.scale.mul_(3.0)
    assert state["scale"].item() == before
    assert net.load_state_dict(state) == ([], [])
    assert net.scale.item() == before
    assert str(net.load_state_dict(state)) == "<All keys matched successfully>"


def test_a_state_that_does_not_fit_changes_nothing():
    net, other = Net(), Net(hidden=5)
    before = {k: v.tolist() for k, v in net.state_dict().items()}
    with pytest.raises(RuntimeError, match=r"size mismatch for body.0.weight: .*\[5, 3\].*\[4, 3\]"):
        net.load_state_dict(other.state_dict())
    state = net.state_dict()
    state["scale"] = sg.tensor(7.0)
    state["headd.bias"] = state.pop("head.bias")
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\) in state_dict: 'headd.bias'"):
        net.load_state_dict(state)
    with pytest.raises(TypeError, match="dict-like"):
        net.load_state_dict([1])
    assert {k: v.tolist() for k, v in net.state_dict().items()} == before
    assert net.load_state_dict(state, strict=False) == (["head.bias"], ["headd.bias"])
    assert net.scale.item() == 7.0


def test_complex_or_wordy_values_are_refused_and_change_nothing():
    layer = sg.nn.Linear(2, 1)
    before = {k: v.tolist() for k, v in layer.state_dict().items()}
    for bad in (np.ones(1) * 1j, np.array(["a"]), np.array([None]), [[1.0], []]):
        with pytest.raises(sg.errors.SymgradError, match=r"complex values for bias|'bias' is a (<U1|list|object)"):
            layer.load_state_dict({"weight": np.ones((1, 2)), "bias": bad})
        assert {k: v.tolist() for k, v in layer.state_dict().items()} == before


def test_parameters_keep_being_parameters():
    net = Net()
    for new in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert isinstance(new.scale, nn.Parameter)
        assert new.scale is not net.scale
        assert [p.tolist() for p in new.parameters()] == [p.tolist() for p in net.parameters()]
    net.to(sg.float32)
    assert {p.dtype for p in net.parameters()} == {np.dtype("float32")}
    assert net.count.dtype == np.dtype("int64")
    optimizer = sg.optim.SGD(net.parameters(), lr=0.1)
    net.double()
    net(sg.ones(1, 3)).sum().backward()
    optimizer.step()
    assert isinstance(net.scale, nn.Parameter)
    assert net.scale.dtype == np.dtype("float64")
    assert not isinstance(net.scale * 1, nn.Parameter)


def test_hooks_see_and_replace():
    layer = nn.Linear(2, 2, bias=False)
    x = sg.tensor([[1.0, 2.0]], requires_grad=True)
    seen = []
    handles = [
        layer.register_forward_pre_hook(lambda m, args: (args[0] * 2,)),
        layer.register_forward_hook(lambda m, args, y: y + 1),
        layer.register_full_backward_hook(lambda m, into, out: seen.append((into, out)) or (into[0] * 10,)),
    ]
    y = layer(x)
    W = layer.weight.detach().numpy()
    close(y.detach().numpy(), 2 * x.detach().numpy() @ W.T + 1, 1e-14)
    y.sum().backward()
    (into,), (out,) = seen[0]
    close(out.numpy(), np.ones((1, 2)), 0)
    close(into.numpy(), np.ones((1, 2)) @ W, 1e-14)
    close(x.grad.numpy(), 20 * np.ones((1, 2)) @ W, 1e-13)
    for handle in handles:
        handle.remove()
    close(layer(x).detach().numpy(), x.detach().numpy() @ W.T, 1e-14)


def test_backward_hooks_are_torchs():
    torch = of_torch()
    found = []
    for T in (sg, torch):
        layer = T.nn.Linear(2, 1, dtype=T.float64)
        layer.load_state_dict({"weight": T.tensor([[2.0, 3.0]]), "bias": T.tensor([0.5])})
        seen = []
        layer.register_full_backward_hook(lambda m, into, out, seen=seen: seen.append((into, out)))
        layer(T.tensor([[1.0, 4.0]], dtype=T.float64, requires_grad=True)).sum().backward()
        found.append([[g.tolist() for g in side] for side in seen[0]])
    assert found[0] == found[1]


def test_attributes_are_registered_by_what_they_are():
    net = Net()
    with pytest.raises(TypeError, match=r"cannot assign 'Tensor' as parameter 'scale'"):
        net.scale = sg.zeros(1)
    with pytest.raises(TypeError, match="as child module 'head'"):
        net.head = 3
    net.head = None
    assert "head.weight" not in net.state_dict()
    del net.head
    with pytest.raises(AttributeError, match="Did you mean 'scale'"):
        _ = net.scala
    with pytest.raises(ValueError, match="already exists"):
        net.register_buffer("forward", sg.zeros(1))
    with pytest.raises(ValueError, match="contain"):
        net.add_module("a.b", nn.ReLU())

    class Early(nn.Module):
        def __init__(self):
            self.w = nn.Parameter([1.0])

    with pytest.raises(AttributeError, match=r"super\(\).__init__\(\)"):
        Early()
    with pytest.raises(NotImplementedError, match="forward"):
        nn.Module()(1)


def test_containers():
    row = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert len(row[:2]) == 2
    assert row[-1] is row[2]
    row.append(nn.Sigmoid()).insert(1, nn.Identity())
    assert [type(m).__name__ for m in row] == ["Linear", "Identity", "ReLU", "Linear", "Sigmoid"]
    del row[1]
    assert list(row._modules) == ["0", "1", "2", "3"]
    named = nn.Sequential({"first": nn.Linear(2, 2), "second": nn.Tanh()})
    assert [n for n, _ in named.named_parameters()] == ["first.weight", "first.bias"]
    with pytest.raises(IndexError, match="has 4 modules"):
        row[4]
    both = nn.ModuleDict({"a": nn.Linear(1, 1)})
    both["b"] = nn.ReLU()
    assert list(both) == ["a", "b"]
    assert "a" in both
    assert both.pop("b")
    with pytest.raises(TypeError, match="not a Module"):
        nn.ModuleList([3])


def test_functional_call_makes_a_model_a_function_of_its_parameters():
    net = Net().eval()
    x = sg.tensor(drawn((5, 3)))
    values = {n: p.detach() for n, p in net.named_parameters()}

    def loss(p):
        return (sg.func.functional_call(net, p, x) ** 2).sum()

    before = net.scale
    slopes = sg.grad(loss)(values)
    (net(x) ** 2).sum().backward()
    for n, p in net.named_parameters():
        close(slopes[n].numpy(), p.grad.numpy(), 1e-12)
    assert net.scale is before
    many = sg.vmap(lambda s: sg.func.functional_call(net, {"scale": s}, x).sum())(sg.tensor([1.0, 2.0]))
    close(many[1].item(), 2 * many[0].item(), 1e-12)
    with pytest.raises(ValueError, match=r"Did you mean 'head\.bias'"):
        sg.func.functional_call(net, {"head.bia": 1.0}, x)
    with pytest.raises(ValueError, match="missing"):
        sg.func.functional_call(net, {"scale": 1.0}, x, strict=True)
    with pytest.raises(ValueError, match="two of the dicts"):
        sg.func.functional_call(net, ({"scale": 1.0}, {"scale": 2.0}), x)
    assert net.scale is before


def test_weights_are_drawn_as_torch_draws_them():
    sg.manual_seed(0)
    layer = nn.Linear(400, 300)
    bound = 1 / np.sqrt(400)
    w = layer.weight.detach().numpy()
    assert np.abs(w).max() <= bound
    assert abs(w.std() - bound / np.sqrt(3)) < 0.01 * bound
    first = layer.weight.tolist()
    sg.manual_seed(0)
    assert nn.Linear(400, 300).weight.tolist() == first
    layer.reset_parameters()
    assert layer.weight.tolist() != first


def test_a_parameter_of_integers_or_of_a_symbol_is_refused():
    with pytest.raises(RuntimeError, match="floating point"):
        nn.Parameter([1, 2])
    assert not nn.Parameter([1, 2], requires_grad=False).requires_grad
    with pytest.raises(RuntimeError):
        nn.Parameter(sg.symbol("W", ("n", "n")))


def test_a_model_is_learned():
    sg.manual_seed(1)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X @ [1.0, -2.0, 0.5] > 0).astype(int)
    net = Net(hidden=8)
    loss_of, optimizer = nn.CrossEntropyLoss(), sg.optim.Adam(net.parameters(), lr=0.05)
    loader = sg.utils.data.DataLoader(sg.utils.data.TensorDataset(X, y), batch_size=16, shuffle=True)
    for _ in range(30):
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss_of(net(inputs), labels).backward()
            optimizer.step()
    with sg.no_grad():
        right = (net.eval()(X).argmax(1).numpy() == y).mean()
    assert right > 0.95


def test_formulas_of_a_model_have_the_names_of_its_layers():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    X, Y = (sg.tensor(drawn((5, k)), name=name) for name, k in (("X", 3), ("Y", 2)))
    loss = ((model(X) - Y) ** 2).sum()
    form = sg.derive(loss, model)
    assert str(form) == (
        "d/dW1 = Δᵀ*X\nd/db1 = Δᵀ*1\nd/dW2 = 2*Rᵀ*A\nd/db2 = 2*Rᵀ*1\n"
        "where Δ = 2*((1 - A^⊙2) ⊙ R*W2)\n      R = A*W2ᵀ + 1*b2ᵀ - Y\n      A = tanh(X*W1ᵀ + 1*b1ᵀ)"
    )
    loss.backward()
    for part, p in zip(form, model.parameters(), strict=True):
        close(part.lambdify()(*[leaf.value for leaf in part._leaves]), p.grad.numpy(), 1e-12)
    assert model[0].weight.name == "W1"


def test_names_of_a_model_tell_norms_from_layers_and_keep_what_the_user_chose():
    model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4))
    model[0].weight.name = "A"
    form = sg.derive((model(sg.tensor(drawn((5, 3)), name="X")) ** 2).sum(), model)
    assert [line.split(" = ")[0] for line in str(form).splitlines()[:4]] == ["d/dA", "d/db", "d/dγ", "d/dβ"]
    unused = Net()
    with pytest.raises(TypeError, match="its loss, a tensor"):
        sg.derive("x**2", unused)
    with pytest.raises(RuntimeError, match="a parameter of this Net"):
        sg.derive(Net()(sg.ones(2, 3)).sum(), unused)
    only_head = sg.derive(unused.head(sg.ones(2, 4)).sum(), unused)
    assert len(only_head) == 2


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: nn.Linear(-1, 2), "got sizes"),
        (lambda: nn.Linear("a", 2), "integers"),
        (lambda: nn.Conv1d(1, 2, 2.5), "integers"),
        (lambda: nn.Conv1d(1, 2, 0), r"Conv1d: kernel_size must be at least 1\. Got \(0,\)\."),
        (lambda: nn.ConvTranspose2d(1, 2, 2, padding=-1), r"padding must be at least 0\. Got \(-1, -1\)\."),
        (lambda: nn.Conv2d(3, 2, 1, groups=2), "divisible by groups"),
        (lambda: nn.Conv2d(1, 1, 1, padding_mode="mirror"), "padding_mode must be one of"),
        (lambda: nn.ReLU(1, 2), "ReLU: too many"),
        (lambda: nn.MaxPool2d(), "MaxPool2d: missing a required argument: 'kernel_size'"),
        (lambda: nn.MSELoss(size_average=True), "unexpected keyword argument 'size_average'"),
        (lambda: nn.Dropout(1.5), "between 0 and 1"),
        (lambda: nn.Embedding(3, 2, padding_idx=3), "within num_embeddings"),
        (lambda: nn.Embedding(4, 3)(sg.tensor([0, -1])), "embedding: got index -1. Pass indices from 0 to 3"),
        (lambda: nn.BatchNorm2d(3)(sg.ones(4, 3)), "expected 4D input"),
        (lambda: sg.func.functional_call(3, {}), "nn.Module"),
        (lambda: sg.optim.lr_scheduler.StepLR(sg.optim.SGD([sg.ones(1, requires_grad=True)]), 0), "1 or more"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_bad_arguments_are_said_clearly(make, says):
    with pytest.raises(sg.SymgradError, match=says):
        make()


@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_a_training_step_is_compiled(backend):
    sg.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    X, labels = drawn((6, 3)), np.array([0, 1, 1, 0, 1, 0])

    def loss(p, X, labels):
        return nn.functional.cross_entropy(sg.func.functional_call(model, p, X), labels)

    values = {name: p.detach().numpy() for name, p in model.named_parameters()}
    found, slopes = sg.compile(sg.value_and_grad(loss), backend=backend)(values, X, labels)
    expected = nn.CrossEntropyLoss()(model(sg.tensor(X)), labels)
    expected.backward()
    close(found, expected.item(), 1e-12)
    for name, p in model.named_parameters():
        close(slopes[name], p.grad.numpy(), 1e-12)


def test_containers_grow_as_lists_do():
    model = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    longer = model + nn.Sequential(nn.Linear(2, 1))
    assert [name for name, _ in longer.named_parameters()] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert longer[0] is model[0]
    assert len(model) == 2
    assert len(2 * model) == 4
    assert len(list((model * 2).parameters())) == 2
    model *= 2
    model += [nn.ReLU()]
    assert isinstance(model.pop(-1), nn.ReLU)
    assert len(model) == 4
    assert model[sg.tensor(3)] is model[1]
    layers = nn.ModuleList([nn.Tanh()])
    layers += [nn.ReLU()]
    assert type(layers) is nn.ModuleList
    assert [type(m) for m in layers + nn.ModuleList([nn.GELU()])] == [nn.Tanh, nn.ReLU, nn.GELU]
    weights = nn.ParameterList([sg.ones(2)])
    weights += [sg.ones(3)]
    assert [p.shape for p in weights.parameters()] == [(2,), (3,)]
    for count in (0, 1.5):
        with pytest.raises(ValueError, match="at least 1"):
            model * count
    with pytest.raises(TypeError):
        layers + 1


def test_get_buffer_by_dotted_name():
    model = nn.Sequential(nn.BatchNorm1d(2))
    assert model.get_buffer("0.running_mean") is model[0].running_mean
    with pytest.raises(AttributeError, match="has no buffer `running`"):
        model.get_buffer("0.running")


@pytest.mark.parametrize("name", ["ReLU", "HingeEmbeddingLoss", "MaxPool2d", "Flatten"])
def test_a_module_made_of_a_function_documents_no_arguments_that_it_lacks(name):
    text = getattr(nn, name).__doc__
    assert "Args:" not in text
    assert "The inputs and options are those of the function ``" in text
