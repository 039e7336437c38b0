"""Recurrent networks, attention and transformers: as PyTorch's in value, gradient, state and text."""

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad import nn

X, PLAIN = (5, 3, 4), (5, 4)
H, C = (2, 3, 6), (2, 3, 6)
MASK = np.triu(np.ones((5, 5), bool), 1)
PADDING = np.array([[False] * 5, [False, False, False, True, True], [False, False, True, True, True]])
CAUSAL = {"attn_mask": MASK}
ROWS = {  # name: arguments, options, shapes of inputs, options of the call
    "RNNCell": ((4, 6), {}, [(3, 4), (3, 6)]),
    "RNNCell relu": ((4, 6), {"bias": False, "nonlinearity": "relu"}, [(3, 4)]),
    "LSTMCell": ((4, 6), {}, [(3, 4), ((3, 6), (3, 6))]),
    "LSTMCell of one": ((4, 6), {"bias": False}, [(4,)]),
    "GRUCell": ((4, 6), {}, [(3, 4), (3, 6)]),
    "RNN": ((4, 6), {}, [X]),
    "RNN relu": ((4, 6, 2, "relu"), {"bias": False}, [X, H]),
    "RNN both ways": ((4, 6), {"bidirectional": True, "batch_first": True}, [(3, 5, 4), H]),
    "LSTM": ((4, 6), {}, [X]),
    "LSTM in layers": ((4, 6, 2), {"dropout": 0.3}, [X, (H, C)]),
    "LSTM both ways": ((4, 6, 2), {"bidirectional": True}, [X, ((4, 3, 6), (4, 3, 6))]),
    "LSTM projected": ((4, 6, 2), {"proj_size": 3, "bidirectional": True, "batch_first": True}, [X]),
    "LSTM of one": ((4, 6), {"batch_first": True}, [PLAIN, ((1, 6), (1, 6))]),
    "GRU": ((4, 6), {"bias": False}, [X]),
    "GRU both ways": ((4, 6, 2), {"bidirectional": True, "batch_first": True}, [(3, 5, 4)]),
    "GRU of one": ((4, 6, 2), {}, [PLAIN, (2, 6)]),
    "MultiheadAttention": ((4, 2), {}, [X] * 3),
    "MultiheadAttention of no samples": ((4, 2), {}, [(5, 0, 4)] * 3),
    "MultiheadAttention masked": ((4, 2), {"batch_first": True}, [(3, 5, 4)] * 3,
                                  {"attn_mask": MASK, "key_padding_mask": PADDING, "average_attn_weights": False}),
    "MultiheadAttention of numbers": ((4, 2), {"bias": False}, [X] * 3, {"attn_mask": MASK * -0.5}),
    "MultiheadAttention for each head": ((4, 2), {}, [X] * 3, {"attn_mask": np.repeat(MASK[None], 6, 0)}),
    "MultiheadAttention of other sizes": ((4, 2), {"kdim": 3, "vdim": 2}, [X, (7, 3, 3), (7, 3, 2)]),
    "MultiheadAttention with more keys": ((4, 2), {"add_bias_kv": True, "add_zero_attn": True}, [X] * 3,
                                          {"key_padding_mask": PADDING, "attn_mask": MASK}),
    "MultiheadAttention of one": ((4, 4), {}, [PLAIN] * 3, {"key_padding_mask": PADDING[2], "need_weights": False}),
    "TransformerEncoderLayer": ((4, 2, 8), {"dropout": 0.0}, [X]),
    "TransformerEncoderLayer norm first": ((4, 2, 8), {"dropout": 0.0, "norm_first": True, "activation": "gelu",
        "bias": False, "batch_first": True}, [(3, 5, 4)], {"src_mask": MASK, "src_key_padding_mask": PADDING}),
    "TransformerDecoderLayer": ((4, 2, 8), {"dropout": 0.0}, [X, (7, 3, 4)], {"tgt_mask": MASK}),
    "TransformerDecoderLayer norm first": ((4, 2, 8), {"dropout": 0.0, "norm_first": True}, [X, (7, 3, 4)]),
    "Transformer": ((4, 2, 2, 1, 8), {"dropout": 0.0, "batch_first": True}, [(3, 7, 4), (3, 5, 4)],
                    {"tgt_mask": MASK, "tgt_is_causal": True}),
}  # fmt: skip


def of_torch():
    return pytest.importorskip("torch", reason="compares with torch")


def drawn(shape, seed):
    if shape and isinstance(shape[0], tuple):
        return tuple(drawn(s, seed + 10 * k) for k, s in enumerate(shape))
    return np.random.default_rng(seed).normal(size=shape)


def flat(x):
    return [y for part in x for y in flat(part)] if isinstance(x, (tuple, list)) else [] if x is None else [x]


def call(T, module, arrays, options):
    """The results, and the gradients of all inputs and parameters, of a weighted sum of the results."""
    xs = [tuple(T.tensor(a, requires_grad=True) for a in x) if isinstance(x, tuple) else T.tensor(x, requires_grad=True)
          for x in arrays]  # fmt: skip
    same = module_of_attention(module)
    inputs = (xs[0],) * 3 if same and arrays[0].shape == arrays[1].shape else tuple(xs)
    results = flat(module(*inputs, **{k: T.tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}))
    sum((y * T.tensor(drawn(tuple(y.shape), 40 + k))).sum() for k, y in enumerate(results)).backward()
    leaves = [*flat(inputs), *module.parameters()]
    return [y.detach().numpy() for y in results], [np.zeros(0) if p.grad is None else p.grad.numpy() for p in leaves]


def module_of_attention(module):
    return type(module).__name__ == "MultiheadAttention"


@pytest.mark.parametrize("name", ROWS)
def test_module_is_torchs_in_value_gradient_state_and_text(name):
    torch = of_torch()
    args, options, shapes, *rest = ROWS[name]
    kind = name.split()[0]
    ours, theirs = getattr(nn, kind)(*args, **options), getattr(torch.nn, kind)(*args, **options).double()
    assert repr(ours) == repr(theirs)
    assert [(k, v.shape) for k, v in ours.state_dict().items()] == [
        (k, tuple(v.shape)) for k, v in theirs.state_dict().items()
    ]
    rng = np.random.default_rng(3)
    state = {k: rng.normal(size=v.shape) * 0.5 for k, v in ours.state_dict().items()}
    ours.load_state_dict(state)
    theirs.load_state_dict({k: torch.tensor(v.numpy()) for k, v in ours.state_dict().items()})
    if options.get("dropout"):
        ours.eval()
        theirs.eval()
    arrays, call_options = [drawn(s, k) for k, s in enumerate(shapes)], rest[0] if rest else {}
    (ys, gs), (zs, hs) = (call(T, m, arrays, call_options) for T, m in ((sg, ours), (torch, theirs)))
    for y, z in zip(ys + gs, zs + hs, strict=True):
        close(y, z, 1e-11)


def test_every_module_of_sequences_is_compared():
    public = set(sg.nn.modules.recurrent.__all__) | set(sg.nn.modules.attention.__all__)
    parts = {"RNNBase", "TransformerEncoder", "TransformerDecoder"}  # of Transformer and the networks
    assert public - parts == {name.split()[0] for name in ROWS}


PACKED = {"RNN": {}, "LSTM": {"bidirectional": True, "num_layers": 2}, "GRU": {"bidirectional": True}}


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("lengths", [[5, 3, 2], [2, 5, 3]])
def test_a_packed_sequence_goes_no_further_than_its_ends(kind, lengths):
    torch = of_torch()
    ours = getattr(nn, kind)(4, 3, **PACKED[kind])
    theirs = getattr(torch.nn, kind)(4, 3, **PACKED[kind]).double()
    theirs.load_state_dict({k: torch.tensor(v.numpy()) for k, v in ours.state_dict().items()})
    x, found = drawn(X, 0), []
    for T, module in ((sg, ours), (torch, theirs)):
        u = T.tensor(x, requires_grad=True)
        packed = T.nn.utils.rnn.pack_padded_sequence(u, T.tensor(lengths), enforce_sorted=lengths[0] == 5)
        y, last = module(packed)
        filled, counts = T.nn.utils.rnn.pad_packed_sequence(y, total_length=6)
        parts = [packed.data, packed.batch_sizes, filled, counts, *flat(last)]
        (filled * T.tensor(drawn(tuple(filled.shape), 1))).sum().backward()
        found.append([*(p.detach().numpy() for p in parts), u.grad.numpy()])
    for a, b in zip(*found, strict=True):
        close(a, b, 1e-12)


def test_sequences_are_filled_up_and_cut_again():
    torch = of_torch()
    parts = [drawn((n, 2), n) for n in (2, 4, 1)]
    for options in ({}, {"batch_first": True, "padding_value": 7.0}, {"padding_side": "left"}):
        ours, theirs = (T.nn.utils.rnn.pad_sequence([T.tensor(p) for p in parts], **options) for T in (sg, torch))
        close(ours.numpy(), theirs.numpy(), 0)
    rnn = sg.nn.utils.rnn
    packed = rnn.pack_sequence(parts, enforce_sorted=False)
    for back in (rnn.unpack_sequence(packed), rnn.unpad_sequence(rnn.pad_sequence(parts), [2, 4, 1])):
        for a, b in zip(back, parts, strict=True):
            close(a.numpy(), b, 0)


ERRORS = {
    "hidden_size must be greater": lambda: nn.LSTM(3, 0),
    "hidden_size should be of type int": lambda: nn.GRU(3, 2.0),
    "num_layers must be greater": lambda: nn.RNN(3, 2, 0),
    "proj_size argument is only supported for LSTM": lambda: nn.GRU(3, 2, proj_size=1),
    "Unknown nonlinearity 'sin'": lambda: nn.RNN(3, 2, nonlinearity="sin"),
    r"input.size\(-1\) equal to input_size, 3, got \[5, 2, 4\]": lambda: nn.GRU(3, 2)(sg.zeros(5, 2, 4)),
    r"Expected hidden size \(1, 2, 2\), got \[1, 3, 2\]": lambda: nn.GRU(3, 2)(sg.zeros(5, 2, 3), sg.zeros(1, 3, 2)),
    r"Expected hidden to be \(5, 2\)": lambda: nn.RNNCell(3, 2)(sg.zeros(5, 3), sg.zeros(5, 3)),
    "divisible by num_heads": lambda: nn.MultiheadAttention(5, 2),
    "The shape of attn_mask": lambda: nn.MultiheadAttention(4, 2)(*[sg.zeros(5, 1, 4)] * 3, attn_mask=MASK[:2]),
    "activation should be relu/gelu": lambda: nn.TransformerEncoderLayer(4, 2, activation="sin"),
    "equal to d_model, 4": lambda: nn.Transformer(4, 2, 1, 1, 8)(sg.zeros(2, 1, 3), sg.zeros(2, 1, 4)),
    "sorted in decreasing order": lambda: nn.utils.rnn.pack_padded_sequence(sg.zeros(3, 2, 1), [1, 3]),
    "Length of all samples has to be from 1 to 3": lambda: nn.utils.rnn.pack_padded_sequence(sg.zeros(3, 1, 1), [4]),
}


@pytest.mark.parametrize("says", ERRORS)
def test_what_does_not_fit_is_said_clearly(says):
    with pytest.raises(sg.SymgradError, match=says):
        ERRORS[says]()


MODELS = {
    "LSTM": lambda: nn.LSTM(3, 2, bidirectional=True), "GRU": lambda: nn.GRU(3, 2, num_layers=2),
    "transformer": lambda: nn.TransformerEncoderLayer(3, 1, 5, dropout=0.0),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_training_step_of_a_sequence_is_compiled(name):
    sg.manual_seed(0)
    model = MODELS[name]()
    x = drawn((4, 2, 3), 0)

    def loss(p, x):
        y = sg.func.functional_call(model, p, x)
        return ((y[0] if isinstance(y, tuple) else y) ** 2).sum()

    values = {key: p.detach().numpy() for key, p in model.named_parameters()}
    value, slopes = sg.compile(sg.value_and_grad(loss))(values, x)
    expected, gradients = sg.value_and_grad(loss)(values, x)
    close(value, expected, 1e-12)
    for key in values:
        close(slopes[key], gradients[key], 1e-11)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_sequences_is_exported(name):
    sg.manual_seed(0)
    model = MODELS[name]().requires_grad_(False)

    def f(x):
        y = model(x)
        return y[0] if isinstance(y, tuple) else y

    names = {}
    exec(str(sg.export(f, shapes={"x": (4, 2, 3)}, target="numpy")), names)
    x = drawn((4, 2, 3), 0)
    value = names["f"](x)
    close(value[0] if isinstance(value, tuple) else value, f(sg.tensor(x)).numpy(), 1e-13)
    assert "double" in str(sg.export(f, shapes={"x": (4, 2, 3)}, target="c"))


@pytest.mark.parametrize(
    ("mode", "kind"), [("RNN_TANH", nn.RNN), ("RNN_RELU", nn.RNN), ("LSTM", nn.LSTM), ("GRU", nn.GRU)]
)
def test_the_base_of_recurrent_networks_takes_torchs_mode(mode, kind):
    base, x = nn.RNNBase(mode, 3, 4), sg.randn(5, 2, 3)
    named = kind(3, 4, **({"nonlinearity": mode[4:].lower()} if kind is nn.RNN else {}))
    named.load_state_dict(base.state_dict())
    np.testing.assert_array_equal(named(x)[0].detach().numpy(), base(x)[0].detach().numpy())


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_long_sequences_are_compiled_as_one_loop(kind):
    x = np.random.default_rng(0).normal(size=(40, 2, 3))
    model = getattr(sg.nn, kind)(3, 4, num_layers=2, bidirectional=True)
    p = {k: v.detach().numpy() for k, v in model.named_parameters()}
    loss = lambda p, x: sg.func.functional_call(model, p, (x,))[0].square().sum()
    fast = sg.compile(sg.grad(loss))
    for name, slope in sg.grad(loss)(p, x).items():
        np.testing.assert_allclose(fast(p, x)[name], slope, rtol=1e-9, atol=1e-12)
    assert len(fast.lower(p, x).as_text("program").splitlines()) < 300
