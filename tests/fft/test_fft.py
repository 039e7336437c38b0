"""Fourier transforms: values and gradients of PyTorch and NumPy at every length, norm and axis; stft there and back."""

import itertools

import numpy as np
import pytest
import sympy as sp
from exporting import loaded

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from symgrad.ops.signal.fourier import FFT, IRFFT, RFFT

RNG = np.random.default_rng(3)
ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2", "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")
OF_REAL = ("rfft", "ihfft", "rfft2", "ihfft2", "rfftn", "ihfftn")


def numbers(shape, imaginary):
    x = RNG.normal(size=shape)
    return x + 1j * RNG.normal(size=shape) if imaginary else x


def close(found, expected):
    found, expected = (np.asarray(getattr(v, "detach", lambda v=v: v)()) for v in (found, expected))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


def run(m, tensor, name, x, v, args, kwargs):
    """The value, and the gradient of Re Σ v y + Σ |y|² (1 + |y|²)."""
    z = tensor(x, requires_grad=True)
    y = getattr(m.fft, name)(z, *args, **kwargs)
    size = y.abs() ** 2
    loss = (y * tensor(v)).real.sum() if v.dtype.kind == "c" else (y * tensor(v)).sum()
    (loss + (size * (1 + size)).sum()).backward()
    return y.detach(), z.grad


def beside_torch(name, x, *args, **kwargs):
    torch = pytest.importorskip("torch")
    y = getattr(torch.fft, name)(torch.tensor(x), *args, **kwargs)
    v = numbers(tuple(y.shape), y.is_complex())
    for mine, other in zip(run(sg, sg.tensor, name, x, v, args, kwargs),
                           run(torch, torch.tensor, name, x, v, args, kwargs), strict=True):  # fmt: skip
        close(mine, other.resolve_conj())


@pytest.mark.parametrize("name", ONE)
def test_transforms_and_gradients_of_one_axis_are_pytorchs(name):
    for shape, n, norm in itertools.product([(5,), (6,), (2, 3)], [None, 4, 7], [None, "ortho", "forward"]):
        beside_torch(name, numbers(shape, name not in OF_REAL), n, 0, norm)
    if name not in OF_REAL:
        beside_torch(name, numbers((4,), imaginary=False), norm="ortho")


@pytest.mark.parametrize("name", SEVERAL)
def test_transforms_and_gradients_of_several_axes_are_pytorchs(name):
    for options in ({}, {"s": (3, 6)}, {"dim": (0, 1), "norm": "ortho"}, {"s": (5, -1), "dim": (-1, 0)},
                    {"s": (-1, 7), "dim": (2, 1), "norm": "forward"}):  # fmt: skip
        beside_torch(name, numbers((3, 2, 4), name not in OF_REAL), **options)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"])
def test_one_length_for_one_axis_may_be_a_number(name):
    x = numbers((3, 4), name not in OF_REAL)
    for s, axis in ((-1, 0), (5, 1)):
        found = getattr(sg.fft, name)(x, s, axis)
        close(found, getattr(sg.fft, name.removesuffix("n"))(x, None if s < 0 else s, axis))


OPERATIONS = {
    "fft": FFT((0,)), "ifft of two": FFT((1, 0), True, "ortho"), "fft, forward": FFT((1,), False, "forward"),
    "rfft": RFFT(1), "rfft doubled": RFFT(0, "ortho", True), "rfft, forward": RFFT(1, "forward"),
    "irfft": IRFFT(1, 5), "irfft of even length": IRFFT(0, 4, "ortho"), "adjoint": IRFFT(1, 5, "forward", False),
    "adjoint of even length": IRFFT(0, 4, "backward", False),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_sums_over_symbols_are_the_transforms(name):
    op = OPERATIONS[name]
    x = RNG.integers(1, 9, (3, 3)) + 1j * RNG.integers(1, 9, (3, 3)) * (not isinstance(op, RFFT))
    exact = np.vectorize(lambda v: sp.Integer(int(v.real)) + sp.I * int(v.imag), otypes=[object])(x)
    found = np.vectorize(lambda e: complex(sp.N(e)))(op.on_symbols(exact))
    np.testing.assert_allclose(found, op.forward(x.real if isinstance(op, RFFT) else x), rtol=1e-12)


@pytest.mark.parametrize("name", [*ONE, *SEVERAL[:4], *SEVERAL[6:10], "fftshift", "ifftshift"])
def test_numpys_functions_take_tensors(name):
    x, f = numbers((3, 4, 5), name not in OF_REAL), getattr(np.fft, name)
    options = {"axis": 1, "n": 3} if name in ONE else {"axes": (0, 2)}
    close(f(sg.tensor(x)), f(x))
    close(f(sg.tensor(x), **options), f(x, **options))
    close(getattr(sg.fft, name)(x, **options), f(x, **options))


def test_frequencies_and_windows_are_those_of_the_others():
    torch = pytest.importorskip("torch")
    for n in (1, 4, 5):
        close(sg.fft.fftfreq(n, 0.1), np.fft.fftfreq(n, 0.1))
        close(sg.fft.rfftfreq(n, 0.1), np.fft.rfftfreq(n, 0.1))
    for name, n, periodic in itertools.product(("hann", "hamming", "blackman", "bartlett", "kaiser"), range(5), (0, 1)):
        expected = getattr(torch, f"{name}_window")(n, bool(periodic), dtype=torch.float64)
        np.testing.assert_allclose(getattr(sg, f"{name}_window")(n, bool(periodic)), expected, atol=1e-8)
    for name, words in (("hamming", {"alpha": 0.7, "beta": 0.2}), ("kaiser", {"beta": 3.5})):
        expected = getattr(torch, f"{name}_window")(6, False, **words, dtype=torch.float64)
        np.testing.assert_allclose(getattr(sg, f"{name}_window")(6, False, **words), expected, atol=1e-8)


def test_precision_is_kept():
    x = sg.tensor(np.ones(4, np.float32), requires_grad=True)
    y = sg.fft.rfft(x)
    y.abs().sum().backward()
    assert (y.dtype, sg.fft.irfft(y).dtype, x.grad.dtype) == (np.complex64, np.float32, np.float32)
    assert sg.fft.fft(sg.tensor([1, 2])).dtype == np.complex128
    for window in (sg.hann_window, sg.kaiser_window):
        assert (window(4).dtype, window(4, dtype=sg.float32).dtype) == (np.float64, np.float32)
        assert window(4, requires_grad=True).requires_grad
        sg.set_default_dtype(sg.float32)
        try:
            assert (window(4).dtype, window(4, dtype=sg.float64).dtype) == (np.float32, np.float64)
        finally:
            sg.set_default_dtype(sg.float64)


# ------------------------------------------------------------------ other readings
def spectrum(x):
    return ((sg.fft.rfft(x).abs() ** 2 - 1.0) ** 2).sum() + sg.fft.irfft(sg.fft.rfft(x) ** 2, 5)[1] ** 2


def test_forward_mode_and_second_order_agree_with_finite_differences():
    x = RNG.normal(size=5)
    report = sg.testing.crosscheck(spectrum, x)
    assert "all witnesses agree" in str(report)
    assert "forward mode" in str(report)
    step, gradient = 1e-6, sg.grad(spectrum)
    columns = [(gradient(x + step * e) - gradient(x - step * e)) / (2 * step) for e in np.eye(5)]
    np.testing.assert_allclose(sg.hessian(spectrum)(x), columns, rtol=1e-6, atol=1e-6)


def test_batches_and_compiled_programs_have_the_same_gradients():
    X = RNG.normal(size=(3, 5))
    rows = np.stack([sg.grad(spectrum)(x) for x in X])
    np.testing.assert_allclose(sg.vmap(sg.grad(spectrum))(X), rows, rtol=1e-9)
    np.testing.assert_allclose(sg.compile(sg.grad(spectrum))(X[0]), rows[0], rtol=1e-9)
    close(sg.vmap(lambda x: sg.fft.fft2(x))(X.reshape(3, 1, 5)), np.fft.fft2(X.reshape(3, 1, 5)))


FORMS = {
    "energy": (lambda x: (sg.fft.fft(x).abs() ** 2).sum(), "10*x"),
    "energy of halves": (lambda x: (sg.fft.rfft(x).abs() ** 2).sum(), "2*Re(Fᴴ*F*x) where F = rfft(eye(5))ᵀ"),
    "phase retrieval": (lambda x: ((sg.fft.fft(x).abs() - 1) ** 2).sum(), None),
    "a filter": (lambda x: (sg.fft.irfft(sg.fft.rfft(x) ** 2, 5) * x).sum(), None),
    "a convolution": (lambda x: (sg.fft.ifft(sg.fft.fft(x) ** 2).real * x).sum(), None),
    "two axes": (lambda x: (sg.fft.fft2(x[:, None] * x).abs() ** 2).sum(), None),
    "an even length": (lambda x: ((sg.fft.rfft(x[:4], norm="ortho") * (1 + 2j)).abs() ** 3).sum(), None),
    "back to an even length": (lambda x: (sg.fft.irfft(x * (1 + 0.5j), 4, norm="forward") ** 3).sum(), None),
    "a real transform": (lambda x: (sg.fft.hfft(x * (1 + 0.5j), 7, norm="ortho") ** 3).sum(), None),
    "its inverse": (lambda x: (sg.fft.ihfft(x[1:] ** 2).real ** 3).sum(), None),
    "an inverse of two axes": (lambda x: (sg.fft.ifft2(x[:, None] * x[:3], norm="forward").real ** 3).sum(), None),
}


@pytest.mark.parametrize("name", FORMS)
def test_closed_forms_have_the_gradients_value(name):
    f, text = FORMS[name]
    x, form = RNG.normal(size=5), sg.derive(f(symbol := sg.symbol("x", (5,))), symbol)
    np.testing.assert_allclose(form(x=x), sg.grad(f)(x), rtol=1e-9, atol=1e-10)
    assert text in (None, str(form))


def test_the_form_of_a_complex_signal_is_pytorchs_gradient():
    z, x = numbers(4, imaginary=True), sg.symbol("z", ("n",), dtype=complex)
    form = sg.derive((sg.fft.fft(x).abs() ** 2).sum(), x)
    np.testing.assert_allclose(form(z=z), 8 * z)


def test_phase_retrieval_descends():
    true = RNG.normal(size=16)
    size = np.abs(np.fft.fft(true, 32))
    loss = lambda x: ((sg.fft.fft(x, 32).abs() - size) ** 2).sum()
    x = true + 0.1 * RNG.normal(size=16)
    first = loss(sg.tensor(x)).item()
    for _ in range(50):
        x = x - 0.01 * sg.grad(loss)(x)
    assert loss(sg.tensor(x)).item() < 0.05 * first


# ------------------------------------------------------------------ short-time transforms
@pytest.mark.parametrize("options", [
    {"n_fft": 8}, {"n_fft": 9, "hop_length": 3, "win_length": 6}, {"n_fft": 8, "center": False, "normalized": True},
    {"n_fft": 8, "onesided": False}, {"n_fft": 6, "hop_length": 2, "normalized": True, "pad_mode": "replicate"},
    {"n_fft": 7, "win_length": 4, "hop_length": 2, "pad_mode": "constant"},
], ids=str)  # fmt: skip
def test_short_time_transforms_and_their_inverse_are_pytorchs(options):
    torch = pytest.importorskip("torch")
    x = RNG.normal(size=(2, 40))
    size = options.get("win_length", options["n_fft"])
    back = {k: v for k, v in options.items() if k != "pad_mode"} | {"length": 30}
    back = back if options.get("center", True) else None
    options = {"pad_mode": "reflect"} | options
    results = []
    for m, tensor in ((torch, torch.tensor), (sg, sg.tensor)):
        window = tensor(0.1 + np.hanning(size))
        t = tensor(x, requires_grad=True)
        z = m.stft(t, window=window, return_complex=True, **options)
        y = m.istft(z * 2, window=window, **back) if back else z
        ((y.abs() ** 3).sum() + (z.abs() ** 2).sum()).backward()
        results.append((z.detach(), y.detach(), t.grad))
    for other, mine in zip(*results, strict=True):
        close(mine, other.resolve_conj())


@pytest.mark.parametrize("length", [None, 17, 33])
def test_complex_signals_and_other_lengths_of_short_time_transforms_are_pytorchs(length):
    torch = pytest.importorskip("torch")
    x, window = numbers(25, imaginary=True), 0.3 + np.hanning(6) * (1 + 0.2j)
    mine, other = (
        m.stft(t(x), 6, hop_length=2, window=t(window), pad_mode="reflect", return_complex=True)
        for m, t in ((sg, sg.tensor), (torch, torch.tensor))
    )
    close(mine, other)
    words = {"hop_length": 2, "length": length, "return_complex": True}
    results = []
    for m, t, z in ((sg, sg.tensor, mine), (torch, torch.tensor, other)):
        inputs = [z.detach().clone().requires_grad_(), t(window, requires_grad=True)]
        y = m.istft(inputs[0], 6, window=inputs[1], **words)
        (y.abs() ** 3).sum().backward()
        results.append([y.detach(), *[v.grad.resolve_conj() if m is torch else v.grad for v in inputs]])
    for ours, theirs in zip(*results, strict=True):
        close(ours, theirs)


def test_methods_and_parts_of_short_time_transforms():
    x = sg.tensor(RNG.normal(size=20))
    z = x.stft(4, return_complex=True)
    close(sg.view_as_real(z), x.stft(4, return_complex=False))
    close(z.istft(4), x)


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: sg.fft.fft([1.0, 2.0], norm="both"), ArgumentError, "Invalid normalization mode"),
    (lambda: sg.fft.fft([1.0, 2.0], 0), ShapeError, r"Invalid number of data points \(0\)"),
    (lambda: sg.fft.fft(1.0), ShapeError, "without axes"),
    (lambda: sg.fft.rfft([1j, 2.0]), DTypeError, "expects a real input tensor"),
    (lambda: sg.fft.irfft([1.0]), ShapeError, r"Invalid number of data points \(0\)"),
    (lambda: sg.fft.fftn(sg.ones(2, 2), (2, 2), (0,)), ArgumentError, "must have the same length"),
    (lambda: sg.fft.rfftn(sg.ones(2, 2), dim=()), ShapeError, "at least one axis"),
    (lambda: sg.stft(sg.ones(8), 4), ArgumentTypeError, "requires the return_complex parameter"),
    (lambda: sg.stft(sg.ones(3), 8, center=False, return_complex=True), ArgumentError, "0 < n_fft <= 3"),
    (lambda: sg.stft(sg.ones(8), 4, window=sg.ones(3), return_complex=True), ShapeError, "equal to win_length=4"),
    (lambda: sg.istft(sg.ones(3, 5), 4), ArgumentTypeError, "complex-valued"),
    (lambda: sg.stft(sg.ones(8), 4, 0, return_complex=True), ArgumentError, "n_fft=4, hop_length=0"),
    (lambda: sg.istft(sg.ones(5, 7) * 1j, 4), ShapeError, r"that is 3 frequencies\. Got 5\."),
    (lambda: sg.istft(sg.ones(3, 7) * 1j, 4, 0), ArgumentError, "Got hop_length=0"),
    (lambda: sg.istft(sg.ones(3, 5) * 1j, 4, window=sg.hann_window(4), center=False), ArgumentError, "overlap add min"),
    (lambda: sg.istft(sg.ones(4, 5) * 1j, 4, window=sg.ones(4) * 1j), ArgumentError, "complex window"),
])  # fmt: skip
def test_refusals_say_why(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_istft_takes_all_frequencies_of_a_real_signal():
    x = RNG.normal(size=40)
    words = {"n_fft": 10, "window": sg.ones(10)}
    both, half = (sg.stft(x, return_complex=True, onesided=h, **words) for h in (False, True))
    close(sg.istft(both, **words), x)
    close(sg.istft(half, **words), x)


SOURCES = {
    "rfft": lambda x: sg.fft.rfft(x).abs(),
    "rfft of even length, ortho": lambda x: sg.fft.rfft(x[..., :4], norm="ortho").abs(),
    "irfft": lambda x: sg.fft.irfft(sg.fft.rfft(x) * (1 + 0.3j), 5),
    "hfft": lambda x: sg.fft.hfft(x + 0.3j * x * x),
    "ihfft": lambda x: sg.fft.ihfft(x).abs(),
    "rfftn": lambda x: sg.fft.rfftn(x[None] * x[:, None]).abs(),
    "fft": lambda x: sg.fft.fft(x * x).abs(),
}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("target", ["numpy", "torch", "jax"])
@pytest.mark.parametrize("name", SOURCES)
def test_sources_of_gradients_count_entries_that_stand_for_two(name, target, order):
    library = pytest.importorskip(target, reason=f"{target} is not installed")

    def loss(x):
        y = SOURCES[name](x)
        return (y * y * sg.cos(sg.arange(float(y.numel())).reshape(y.shape))).sum()

    f = sg.grad(loss) if order == 1 else sg.grad(lambda x: (sg.grad(loss)(x) * np.arange(1.0, 6)).sum())
    x = np.array([0.3, -1.2, 0.7, 1.9, -0.4])
    g = loaded(sg.export(f, (x,), target=target, name="f", formula=False))
    found = np.asarray(g({"torch": getattr(library, "tensor", None)}.get(target, np.asarray)(x)))
    np.testing.assert_allclose(found, f(x), rtol=1e-4 if found.dtype == np.float32 else 1e-9)
