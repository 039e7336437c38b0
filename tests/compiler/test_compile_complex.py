"""Compiled programs of complex numbers: eager mode's values, gradients and dtypes, on every backend."""

from __future__ import annotations

import math
import pickle
import shutil
from functools import cache

import mpmath
import numpy as np
import pytest
from complex_rows import PROGRAMS, Z
from exporting import loaded

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.core import modes
from symgrad.exports import ExportError

BACKENDS = ["numpy", "python", "llvm"]
V, B = np.array([1.0 + 2.0j, -3.0 - 1.0j, 0.5j]), np.array([0.5, 0.2, 1.0])


def agree(found, expected, rtol=1e-12):
    """Equal dtypes and shapes, and entries to a part of the largest."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * max(1.0, np.max(np.abs(expected), initial=0)))


def plain(result):
    """The arrays that tensors hold."""
    parts = result if isinstance(result, tuple) else (result,)
    return [y.detach().numpy() if isinstance(y, sg.Tensor) else y for y in parts]


def both(program):
    """The value, and the gradient of Σ |y + 0.3|²."""
    loss = lambda z: (abs(program(sg, z) + 0.3) ** 2).sum()
    return lambda z: (program(sg, z), sg.grad(loss)(z))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_agree_with_eager_mode(name, backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    f = both(PROGRAMS[name])
    try:
        found = sg.compile(f, backend=backend)(Z)
    except Unsuitable:
        assert backend == "python"
        return
    for y, z in zip(found, plain(f(sg.tensor(Z))), strict=True):
        agree(y, z)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sin", "tanh", "abs", "angle", "sgn", "reciprocal"])
def test_written_functions_have_numpys_values_far_out(name):
    size = 10.0 ** np.arange(-12, 13.0, 4)
    z = (size[:, None] * np.exp(1j * np.linspace(-3.1, 3.1, 9))).ravel()
    z = z[np.abs(z) < 300] if name in ("exp", "sin", "tanh") else z
    f = PROGRAMS[name]
    expected = f(sg, sg.tensor(z)).numpy()
    found = sg.compile(lambda z: f(sg, z), backend="numpy")(z)
    assert np.all(np.abs(found - expected) <= 1e-13 * np.abs(expected) + (1e-300 if name != "tanh" else 1e-13))


def _quotient(z):
    """mpmath's 1/(√(1 - z) √(1 + z)): its parts are not rounded together, so that the side of a cut stays."""
    import mpmath as mp

    return 1 / (mp.sqrt(1 - z) * mp.sqrt(1 + z))


@cache
def _exact(name):
    """The values and slopes at all these points."""
    import mpmath as mp

    with mp.workdps(500):
        side = lambda v: mp.mpf(v) if v else mp.mpf(10) ** -3000 * math.copysign(1, v)
        return [_function(name, mp.mpc(side(z.real), side(z.imag))) for z in FAR]


def _function(name, z):
    import mpmath as mp

    e = mp.exp(-abs(z.real)) * mp.exp(1j * z.imag * (1 if z.real < 0 else -1))
    return {
        "tanh": lambda: (mp.tanh(z), mp.sech(z) ** 2),
        "tan": lambda: (mp.tan(z), mp.sec(z) ** 2),
        "sigmoid": lambda: ((1 if z.real >= 0 else e) / (1 + e), e / (1 + e) ** 2),
        "asin": lambda: (mp.asin(z), _quotient(z)),
        "acos": lambda: (mp.acos(z), -_quotient(z)),
        "acosh": lambda: (mp.log(z + mp.sqrt(z - 1) * mp.sqrt(z + 1)), 1 / (mp.sqrt(z - 1) * mp.sqrt(z + 1))),
        "asinh": lambda: (mp.asinh(z), 1 / (mp.sqrt(1 + 1j * z) * mp.sqrt(1 - 1j * z))),
        "atan": lambda: (mp.atan(z), 1 / ((1 + 1j * z) * (1 - 1j * z))),
        "log1p": lambda: (mp.log(1 + z), 1 / (1 + z)),
    }[name]()


# huge, tiny, and on both sides of every cut, which the sign of a zero says
FAR = [0.0, 1e-9, 0.3, 1 + 1e-9, 2.0, 300.0, 1e200]
FAR = np.array([complex(a, b) for a in FAR + [-v for v in FAR] for b in FAR + [-v for v in FAR]])
FAR = FAR[~(np.abs(np.abs(FAR.real) + np.abs(FAR.imag) - 1) < 1e-299)]  # poles and ends of cuts


@pytest.mark.parametrize("backend", ["eager", "numpy", "llvm"])
@pytest.mark.parametrize("name", ["tanh", "tan", "sigmoid", "asin", "acos", "acosh", "asinh", "atan", "log1p"])
def test_values_and_slopes_far_out_and_on_both_sides_of_cuts(name, backend):
    """PyTorch's slopes of asin, acos and acosh have the wrong sign on one side of their cuts, and overflow far out."""
    mp = pytest.importorskip("mpmath")
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    f = lambda z: (getattr(sg, name)(z), sg.grad(lambda z: sg.real(getattr(sg, name)(z)).sum())(z))
    values, slopes = plain(f(sg.tensor(FAR))) if backend == "eager" else sg.compile(f, backend=backend)(FAR)
    for z, wanted, *found in zip(FAR, _exact(name), values, np.conj(slopes), strict=True):
        for y, exact in zip(found, wanted, strict=True):
            assert abs(mp.mpc(y) - exact) <= 1e-12 * abs(exact) + mp.mpf("1e-290"), z


@pytest.mark.parametrize("backend", ["eager", "numpy", "llvm"])
def test_powers_of_a_negative_number_have_a_complex_slope(backend):
    f = sg.grad(lambda z: sg.real((-2.5) ** z + sg.tensor([-1.0, -0.4, -3.0]) ** z).sum())
    found = f(V) if backend == "eager" else sg.compile(f, backend=backend)(V)
    base = np.array([-1.0, -0.4, -3.0], complex)
    slope = np.log(-2.5 + 0j) * (-2.5 + 0j) ** V + np.log(base) * base**V
    np.testing.assert_allclose(np.conj(found), slope, rtol=1e-13)


def test_cuts_and_zeros_are_numpys():
    z = np.array([0j, -4 + 0j, complex(-4, -0.0), 4 + 0j, 1j, complex(0.0, -0.0)])
    for f in (sg.sqrt, sg.log, sg.angle, sg.sgn, sg.abs, sg.exp):
        with np.errstate(all="ignore"):
            expected = f(sg.tensor(z)).numpy()
        np.testing.assert_allclose(sg.compile(f, backend="numpy")(z), expected, rtol=1e-15)


def test_division_neither_overflows_nor_loses_small_numbers():
    a, b = np.array([1e300 + 1e300j, 1e-300 + 2e-300j, 1 + 1j]), np.array([1e300 - 1e300j, 1e-300j, 0.0 + 3j])
    for backend in ("numpy", "llvm") if sg_has_llvm() else ("numpy",):
        agree(sg.compile(lambda a, b: a / b, backend=backend)(a, b), a / b, 1e-15)


def sg_has_llvm():
    """Whether llvmlite is installed."""
    try:
        import llvmlite  # noqa: F401
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("backend", BACKENDS)
def test_arguments_of_every_kind(backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    fast = sg.compile(lambda z, x: (z * x, abs(z), z.sum()), backend=backend)
    for z, x in [(1 + 2j, 3.0), (V, B), (V[::2], B[::2]), (V.astype("c8"), B.astype("f4")), (np.zeros(0, "c16"), 2.0)]:
        for y, expected in zip(fast(z, x), plain((sg.tensor(z) * x, abs(sg.tensor(z)), sg.tensor(z).sum()))):
            agree(y, expected, 1e-6 if getattr(z, "dtype", None) == np.complex64 else 1e-12)
    assert type(sg.compile(lambda z: z * 2, backend=backend)(1 + 2j)) is np.complex128


def test_tensors_have_eager_gradients_to_second_order():
    loss = lambda z: (abs(z * z) ** 2).sum() + sg.real(sg.exp(z)).sum()
    fast, found = sg.compile(loss), []
    for f in (loss, fast):
        z = sg.tensor(V, requires_grad=True)
        (g,) = sg.autograd.grad(f(z), z, create_graph=True)
        (h,) = sg.autograd.grad(sg.real(g * (1 + 2j)).sum(), z)
        found.append((g.detach().numpy(), h.numpy()))
    for eager, compiled in zip(*found):
        agree(compiled, eager)


def test_several_results_of_tensors_real_and_complex():
    f = lambda z: (z * z, abs(z))
    grads = []
    for g in (f, sg.compile(f)):
        z = sg.tensor(V, requires_grad=True)
        y, size = g(z)
        (sg.imag(y).sum() + size.sum()).backward()
        grads.append(z.grad.numpy())
    agree(grads[1], grads[0])


def test_gradients_are_pytorchs():
    torch = pytest.importorskip("torch")
    z = torch.tensor(V, requires_grad=True)
    ((z.abs() ** 2 - torch.tensor(B)) ** 2).sum().backward()
    value_and_slope = sg.compile(sg.value_and_grad(lambda z, b: ((abs(z) ** 2 - b) ** 2).sum()))
    agree(value_and_slope(V, B)[1], z.grad.numpy())


def test_real_arguments_of_complex_programs_have_real_gradients():
    loss = lambda x: (abs(sg.exp(1j * x) - 0.5) ** 2).sum()
    found = sg.compile(sg.grad(loss))(B)
    agree(found, sg.grad(loss)(B))
    assert found.dtype == np.float64


def test_donated_pickled_and_lowered():
    fast = sg.compile(sg.abs, backend="numpy")
    fast(V)
    agree(pickle.loads(pickle.dumps(fast))(V), np.abs(V))
    donated = V.copy()
    agree(sg.compile(lambda z: z * z, donate=0)(donated), V * V)
    lowered = fast.lower(V)
    assert "complex128[3]" in lowered.as_text("program")
    assert "float64[3, 2]" in lowered.as_text("pairs")


OTHERS = {
    "isnan": (lambda z: sg.isnan(z), (np.array([1.0, np.nan + 1j, 2j]),)),
    "isclose": (lambda z: sg.isclose(z, z + 1e-12j), (V,)),
    "nansum": (lambda z: sg.nansum(z), (np.array([1.0, np.nan + 1j, 2j]),)),
    "matrix_rank": (lambda z: sg.linalg.matrix_rank(z), (np.array([[1.0, 1.0j], [1.0j, 1.0]]),)),
    "read at positions": (lambda z, k: sg.grad(lambda z: (abs(z[k]) ** 2).sum())(z), (V, np.array([0, 2, 2]))),
    "lu of single precision": (lambda z: sg.linalg.lu_factor(z)[0], (Z.astype("c8"),)),
    "inverse": (lambda z: sg.grad(lambda z: abs(sg.linalg.inv(z)).sum())(z), (Z,)),
    "a large product": (lambda z: z @ z.mH, (np.outer(np.arange(40), 1j ** np.arange(30)),)),
    "cases": (lambda z: sg.where(z == 1 + 2j, z.conj(), 2 * z), (V,)),
}


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_written_in_parts_agrees_with_eager_mode(name, backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    f, xs = OTHERS[name]
    agree(sg.compile(f, backend=backend)(*xs), *plain(f(*map(sg.tensor, xs))), 1e-12 if xs[0].dtype == "c16" else 1e-5)


def test_results_that_are_real_or_constant():
    f = lambda z: (sg.tensor(V), z.real + 0j, sg.tensor(B), z[0] * 0)
    for y, expected in zip(sg.compile(f, backend="numpy")(V), plain(f(sg.tensor(V)))):
        agree(y, expected)


def test_digits_of_complex_numbers_are_refused():
    with pytest.raises(Unsuitable, match="complex numbers"):
        sg.compile(sg.abs, backend="mpmath", digits=30)(V)


def test_complex_numbers_that_a_trace_makes_of_real_ones(monkeypatch):
    monkeypatch.setattr(modes.complexes, "met", False)
    f = lambda x: sg.abs(sg.complex(x, 2 * x))
    found = sg.compile(f, backend="numpy")(B)
    agree(found, np.sqrt(5) * B)


# ------------------------------------------------------------------ exported
@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_are_exported_to_numpy(name):
    f = both(PROGRAMS[name])
    found = loaded(sg.export(f, (Z,), target="numpy", name="f"))(Z)
    for y, z in zip(found, plain(f(sg.tensor(Z))), strict=True):
        agree(y, z)


TRANSFORMS = lambda z: (sg.fft.fft(z), sg.fft.ifft2(z, norm="ortho"), sg.fft.irfft(z), sg.fft.rfft(z.real))


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_fourier_transforms_are_exported(target):
    library = np if target == "numpy" else pytest.importorskip(target)
    if target == "jax":
        library.config.update("jax_enable_x64", True)
    found = loaded(sg.export(TRANSFORMS, (Z,), target=target, name="f"))(library.tensor(Z) if target == "torch" else Z)
    for y, z in zip(found, plain(TRANSFORMS(sg.tensor(Z))), strict=True):
        agree(np.asarray(y), z)


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_losses_of_spectra_have_eager_values_and_gradients(backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    for transform, x in ((sg.fft.rfft, B), (sg.fft.fft, V), (sg.fft.fft, B)):
        f = sg.value_and_grad(lambda x, transform=transform: ((abs(transform(x)) ** 2 - 1) ** 2).sum())
        for y, z in zip(sg.compile(f, backend=backend)(x), f(x), strict=True):
            agree(y, z)


@pytest.mark.parametrize("target", ["jax", "torch"])
def test_a_program_is_exported_to_jax_and_pytorch(target):
    library = pytest.importorskip(target)
    if target == "jax":
        library.config.update("jax_enable_x64", True)
    given = (lambda x: library.tensor(x)) if target == "torch" else library.numpy.asarray
    f = lambda z, x: (sg.complex(x, 2 * x) * sg.exp(z).conj(), sg.sgn(z) / (z + 1j), sg.grad(lambda z: abs(z).sum())(z))
    found = loaded(sg.export(f, (V, B), target=target, name="f"))(given(V), given(B))
    for y, z in zip(found, plain(f(sg.tensor(V), sg.tensor(B))), strict=True):
        agree(np.asarray(y), z)


ALONE = {
    "loss": (sg.value_and_grad(lambda z, x: ((abs(z * (1 + 2j)) ** 2 - x) ** 2).sum()), (V, B)),
    "functions": (lambda z: (sg.exp(z) / (z + 1j), sg.sqrt(z).conj(), sg.log(z).sum(), sg.tanh(z[0])), (V,)),
    "a number": (lambda z, x: (z * x, abs(z), x), (1 + 2j, 3.0)),
    "matrices": (lambda z: (z @ z, z.mT.real, z[0]), (Z,)),
    "many": (lambda z: (z * z.conj()).sum(), (np.arange(500) * (1 - 1j),)),
}


@pytest.mark.parametrize("name", ALONE)
def test_programs_are_exported_to_python(name):
    f, xs = ALONE[name]
    found = loaded(sg.export(f, xs, target="python", name="f"))(*[np.asarray(x).tolist() for x in xs])
    expected = plain(f(*map(sg.tensor, xs)))
    for y, z in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-12)
        assert np.asarray(y).dtype == z.dtype


def test_programs_are_exported_to_c(tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    for n, (f, xs) in enumerate(ALONE.values()):
        sg.export(f, xs, target="c", name=f"f{n}", path=tmp_path / f"f{n}.c")
        found = sg.exports.load_c(tmp_path / f"f{n}.c")(*xs)
        expected = plain(f(*map(sg.tensor, xs)))
        for y, z in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
            np.testing.assert_allclose(y, z, rtol=1e-12)
            assert np.asarray(y).dtype == z.dtype


def test_what_is_not_written_in_parts_is_refused_by_its_name():
    with pytest.raises(ExportError, match="operation Cumprod"):
        sg.export(lambda z: sg.cumprod(z, 0), (V,), target="c", name="f")


@pytest.mark.parametrize("target", ["sympy", "latex"])
def test_targets_of_real_numbers_refuse_complex_ones(target):
    with pytest.raises(ExportError, match="real numbers only"):
        sg.export(lambda z: abs(z).sum(), (V,), target=target, name="f")


EXTREMES = [
    1.2e308 + 1e308j,
    1e308 - 1.7e308j,
    -1.7e308 + 1j,
    1e-320 + 2e-320j,
    -3e-315 + 1e-316j,
    2e-323j,
    1.7e308 + 0j,
]


@pytest.mark.parametrize("name", ["sqrt", "rsqrt", "log", "sgn"])
@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_functions_of_complex_numbers_reach_the_ends_of_floats(name, backend):
    meanings = {"sqrt": mpmath.sqrt, "rsqrt": lambda z: 1 / mpmath.sqrt(z), "log": mpmath.log, "sgn": mpmath.sign}
    with mpmath.workdps(40):
        expected = np.array([complex(meanings[name](mpmath.mpc(z))) for z in EXTREMES])
    f = getattr(sg, name)
    np.testing.assert_allclose(f(sg.tensor(np.array(EXTREMES))).numpy(), expected, rtol=1e-14)
    np.testing.assert_allclose(sg.compile(f, backend=backend)(np.array(EXTREMES)), expected, rtol=1e-14)
