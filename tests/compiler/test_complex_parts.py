"""Complex arithmetic written in real and imaginary parts: each part beside mpmath's, where a wrong term shows."""

import cmath

import numpy as np
import pytest
from mpmath import mp

import symgrad as sg
from symgrad.compiler.primitives import pairs

QUADRANTS = [0.3 + 0.7j, -1.2 + 0.4j, -0.6 - 2.1j, 1.9 - 0.8j, 2.6 + 1.4j, -0.05 + 1.7j, 0.9 - 0.02j]
WIDE = [3e-9 - 2e-5j, -4e-7 + 3e-3j, 5e7 - 2e3j, -3e4 + 2e9j, 6e-160 + 2e-155j, -7e150 - 3e157j]
CIRCLE = [(1 + d) * cmath.exp(1j * t) for d in (1e-12, -3e-9, 2e-5, -0.2, 0.3) for t in (0.4, 1.2, 2.0, -0.8, -2.9)]
SUMS = [20 + 3j, -19 + 2.2j, 12.5 - 5j, -31 - 1.1j, 1e-9 + 2j, -2e-5 - 1e-9j]
BACKENDS = ["numpy", "python", "llvm"]


def near(found, expected, rel, least):
    """Whether both parts are right, to a share of each, however small beside the other; or to the least error."""
    found = np.asarray(found)
    for part in ("real", "imag"):
        a, b = getattr(found, part), np.array([float(getattr(e, part)) for e in expected])
        np.testing.assert_array_less(np.abs(a - b), rel * np.abs(b) + least, err_msg=f"{part}: {a} for {b}")


FUNCTIONS = {
    "exp": (sg.exp, mp.exp, QUADRANTS + SUMS, 1e-15),
    "log": (sg.log, mp.log, QUADRANTS + WIDE + CIRCLE, 1e-13),
    "sqrt": (sg.sqrt, mp.sqrt, QUADRANTS + WIDE + CIRCLE, 3e-15),
    "sin": (sg.sin, mp.sin, QUADRANTS + SUMS, 2e-14),
    "cos": (sg.cos, mp.cos, QUADRANTS + SUMS, 2e-14),
    "sinh": (sg.sinh, mp.sinh, QUADRANTS + SUMS, 2e-14),
    "cosh": (sg.cosh, mp.cosh, QUADRANTS + SUMS, 2e-14),
    "tan": (sg.tan, mp.tan, QUADRANTS + SUMS[4:], 2e-14),
    "tanh": (sg.tanh, mp.tanh, QUADRANTS + SUMS[4:], 2e-14),
    "reciprocal": (lambda z: 1 / z, lambda z: 1 / z, QUADRANTS + WIDE, 2e-15),
    "sign": (sg.sgn, lambda z: z / abs(z), QUADRANTS + WIDE + CIRCLE, 2e-15),
    "of (1 + 2j)": (
        lambda z: (z * (0.5 - 2j) + (3 - 1j)) / (z - (0.25 + 4j)) - z.conj(),
        lambda z: (z * (0.5 - 2j) + (3 - 1j)) / (z - (0.25 + 4j)) - mp.conj(z),
        QUADRANTS, 5e-14,
    ),
}  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_right_in_both_parts(name, backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    f, exact, points, rel = FUNCTIONS[name]
    with mp.workdps(60):
        expected = [mp.mpc(exact(mp.mpc(z))) for z in points]
    least = 6e-17 if name == "log" else 5e-324  # beside |z| = 1 the logarithm of the rounded |z| has 1.1e-16
    near(sg.compile(f, backend=backend)(np.array(points)), expected, rel, least)


@pytest.mark.parametrize("backend", BACKENDS)
def test_moduli_and_angles_are_right(backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    points = QUADRANTS + WIDE + CIRCLE
    size, angle = sg.compile(lambda z: (sg.abs(z), sg.angle(z)), backend=backend)(np.array(points))
    with mp.workdps(60):
        np.testing.assert_allclose(size, [float(abs(mp.mpc(z))) for z in points], rtol=1e-15)
        np.testing.assert_allclose(angle, [float(mp.arg(mp.mpc(z))) for z in points], rtol=1e-15)


@pytest.mark.parametrize("backend", BACKENDS)
def test_quotients_are_right_whichever_part_is_larger(backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    above = QUADRANTS + WIDE[:4] + [3e300 - 1e299j]
    below = [0.2 - 3.1j, -4.0 + 0.7j, 2.5j, -1.6 + 0j, 3e5 - 2e-3j, 1e-7 + 5e2j, -2 - 2j]
    both = [(a, b) for a in above for b in below]
    found = sg.compile(lambda a, b: a / b, backend=backend)(*map(np.array, zip(*both, strict=True)))
    with mp.workdps(60):
        expected = [mp.mpc(a) / mp.mpc(b) for a, b in both]
    sizes = np.array([float(abs(e)) for e in expected])
    errors = np.abs(found - np.array([complex(e) for e in expected]))
    np.testing.assert_array_less(errors, 5e-16 * sizes)


def test_real_and_complex_operands_mix_in_every_order():
    x, z = np.array([0.7, -2.3, 1.9]), np.array(QUADRANTS[:3])

    def f(x, z):
        c = sg.complex(x, 0.5 * x)
        return x + z, z + x, x - z, z - x, x * z, z * x, z / x, x / z, -c, c == z, c != c, sg.where(x > 0, x, z), x + 0j

    expected = (
        x + z, z + x, x - z, z - x, x * z, z * x, z / x, x / z, -x - 0.5j * x, np.zeros(3, bool), np.zeros(3, bool),
        np.where(x > 0, x, z), x + 0j,
    )  # fmt: skip
    for y, e in zip(sg.compile(f, backend="numpy")(x, z), expected, strict=True):
        assert (y.dtype, y.shape) == (e.dtype, e.shape)
        np.testing.assert_allclose(y, e, rtol=1e-15)


# ------------------------------------------------------------------ arrays
RNG = np.random.default_rng(4)
A, B = (RNG.normal(size=(3, 4)) + 1j * RNG.normal(size=(3, 4)) for _ in range(2))
R, LONG = RNG.normal(size=(4, 5)), RNG.normal(size=(20, 30)) - 0.5j * RNG.normal(size=(20, 30))
ARRAYS = {
    "complex by complex": (
        lambda a, b: sg.einsum("ij,kj->ik", a, b), lambda a, b: np.einsum("ij,kj->ik", a, b), (A, B),
    ),
    "complex by real": (lambda a, r: a @ r, lambda a, r: a @ r, (A, R)),
    "real by complex": (lambda r, a: r.mT @ a.mT, lambda r, a: r.T @ a.T, (R, A)),
    "three complex": (
        lambda a, b: sg.einsum("ij,ij,ik->jk", a, b, a), lambda a, b: np.einsum("ij,ij,ik->jk", a, b, a), (A, B),
    ),
    "two of three": (
        lambda a, r: sg.einsum("ij,jk,ij->ik", a, r, a), lambda a, r: np.einsum("ij,jk,ij->ik", a, r, a), (A, R),
    ),
    "large": (lambda a: a @ a.mH, lambda a: a @ a.conj().T, (LONG,)),
    "sum of products": (lambda a, b: (a * b + 1j).sum(), lambda a, b: (a * b + 1j).sum(), (A, B)),
    "mean of products": (lambda a, b: (a * b.conj()).mean(), lambda a, b: (a * b.conj()).mean(), (A, B)),
    "mean that broadcasts": (lambda a, b: (a * b[0]).mean(), lambda a, b: (a * b[0]).mean(), (A, B)),
    "mean of real parts": (lambda a: (a.real * 2).mean() + 1j, lambda a: (a.real * 2).mean() + 1j, (A,)),
    "cumulative sums": (lambda a: a.cumsum(1), lambda a: a.cumsum(1), (A,)),
    "read and added": (
        lambda a, k: sg.zeros(5, dtype=sg.complex128).index_add(0, k, a[0]) + a[1][k].sum(),
        lambda a, k: np.array([a[0][k == j].sum() for j in range(5)]) + a[1][k].sum(), (A, np.array([3, 0, 3, 1])),
    ),
    "joined with real": (
        lambda a: sg.cat([a, a.abs() * (1 + 0j), a.mT.reshape(3, 4)]),
        lambda a: np.concatenate([a, np.abs(a), a.T.reshape(3, 4)]), (A,),
    ),
    "constants": (lambda a: a * sg.tensor(B) + sg.tensor(B.real), lambda a: a * B + B.real, (A,)),
    "single precision": (lambda a: a.to(sg.complex64), lambda a: a.astype(np.complex64), (A,)),
    "parts of single precision": (lambda a: a.to(sg.complex64).imag, lambda a: a.astype(np.complex64).imag, (A,)),
    "spectra": (lambda a: sg.fft.fft(a, dim=0) * a, lambda a: np.fft.fft(a, axis=0) * a, (A,)),
    "transposed, cut, repeated": (
        lambda a: a.mT[1:, ::2].expand(2, 3, 2) * 1j, lambda a: np.broadcast_to(a.T[1:, ::2], (2, 3, 2)) * 1j, (A,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", ARRAYS)
def test_operations_on_arrays_are_numpys(name, backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    f, of_numpy, xs = ARRAYS[name]
    found, expected = sg.compile(f, backend=backend)(*xs), np.asarray(of_numpy(*xs))
    assert (np.asarray(found).dtype, np.shape(found)) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_products_are_written_out_only_where_they_are_small():
    def calls(a):
        text = sg.compile(lambda a, b: a @ b, backend="numpy").lower(a, a.T).as_text("pairs")
        return text.count("of pairs"), text.count("Einsum")

    assert calls(A) == (0, 4)
    assert calls(LONG) == (1, 1)


def test_parts_that_are_zero_cost_nothing():
    text = sg.compile(lambda x: (x * (2 + 0j) + (3 + 0j)).real, backend="numpy").lower((3,)).as_text("pairs")
    assert "1j" not in text
    assert text.count("Map") <= 2


def test_views_of_complex_arrays_are_pairs_and_back():
    z = (A.T * (1 - 2j))[::2]
    assert pairs.as_pairs(z).tolist() == np.stack([z.real, z.imag], -1).tolist()
    assert pairs.as_numbers(pairs.as_pairs(z), z.dtype).tolist() == z.tolist()
    assert pairs.as_numbers(pairs.as_pairs(z.astype("c8")), np.dtype("c8")).dtype == np.complex64


# ------------------------------------------------------------------ derivatives
def slopes(f, z, h=1e-3):
    """∂f/∂x and ∂f/∂y by differences of sixth order."""
    weights = ((1, 45), (2, -9), (3, 1))
    return [sum(w * (f(z + k * h * d) - f(z - k * h * d)) for k, w in weights) / (60 * h) for d in (1, 1j)]


OF_ONE = {
    "conj": lambda m, z: m.conj(z),
    "real": lambda m, z: m.real(z) * (1 + 0j), "imag": lambda m, z: m.imag(z) * (1 + 0j),
    "abs": lambda m, z: m.abs(z) * (2 - 1j), "angle": lambda m, z: m.angle(z) * (1 + 3j),
    "sign": lambda m, z: z / m.abs(z) if m is np else m.sgn(z), "power": lambda m, z: z ** (1.3 - 0.4j),
    "exponent": lambda m, z: (0.6 - 1.1j) ** z, "both": lambda m, z: z**z,
    "parts": lambda m, z: m.complex(m.real(z) ** 2, m.real(z) * m.imag(z)) if m is sg
    else m.real(z) ** 2 + 1j * m.real(z) * m.imag(z),
    "logaddexp": lambda m, z: m.logaddexp(z, z * (0.4 + 1j)) if m is sg else np.log(np.exp(z) + np.exp(z * (0.4 + 1j))),
    "polar": lambda m, z: m.polar(m.abs(z), m.real(z) * 2) if m is sg else m.abs(z) * m.exp(2j * m.real(z)),
    "pair": lambda m, z: m.view_as_complex(m.view_as_real(z) * sg.tensor([2.0, -3.0])) if m is sg
    else 2 * m.real(z) - 3j * m.imag(z),
}  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", OF_ONE)
def test_forward_and_reverse_mode_are_the_slopes_in_both_parts(name, compiled):
    f, c, t = OF_ONE[name], 0.7 - 1.9j, -0.4 + 1.3j
    z = np.array([0.8 + 0.5j, -0.6 + 1.1j, 1.2 - 0.7j])
    dx, dy = slopes(lambda z: f(np, z), z)

    def pull(z):
        return sg.vjp(lambda z: f(sg, z) * 1.0, z)[1](np.full(3, c))[0]

    def push(z):
        return sg.jvp(lambda z: f(sg, z) * 1.0, (z,), (np.full(3, t),))[1]

    run = sg.compile if compiled else lambda f: f
    # dL = Re(conj(c) df), and the cotangent of z = x + iy is ∂L/∂x + i ∂L/∂y
    np.testing.assert_allclose(
        run(pull)(z), (np.conj(c) * dx).real + 1j * (np.conj(c) * dy).real, rtol=1e-10, atol=1e-10
    )
    np.testing.assert_allclose(run(push)(z), dx * t.real + dy * t.imag, rtol=1e-10, atol=1e-10)


def test_second_derivatives_of_what_is_not_holomorphic():
    def loss(z):
        return (sg.abs(z) * sg.angle(z) + sg.real(sg.sgn(z) * sg.conj(z) ** 2)).sum()

    def of_parts(x, y):
        return np.hypot(x, y) * np.arctan2(y, x) + ((x + 1j * y) / np.hypot(x, y) * (x - 1j * y) ** 2).real

    z, t = np.array([0.8 + 0.5j]), 0.6 - 0.9j
    found = sg.compile(lambda z: sg.jvp(sg.grad(loss), (z,), (np.full(1, t),))[1])(z)

    def gradient(z):
        a, b = slopes(lambda w: of_parts(w.real, w.imag), z)
        return a + 1j * b

    dx, dy = slopes(gradient, z)
    np.testing.assert_allclose(found, dx * t.real + dy * t.imag, rtol=1e-7)


# ------------------------------------------------------------------ which derivatives there are
def test_derive_tells_what_has_a_derivative():
    z = sg.symbol("z", dtype=complex)
    assert str(sg.derive(z**3 * sg.exp(2 * z), z, order=2)) == str(sg.derive(sg.derive(z**3 * sg.exp(2 * z), z), z))
    for f, by in ((z * z.conj() * z, "conj"), (abs(z) * z, "abs"), (z.real * z, "real"), (z + z.imag * 1j, "imag")):
        with pytest.raises(sg.errors.DTypeError, match=f"no holomorphic function of z, for {by} is between them"):
            sg.derive(f, z)
    with pytest.raises(sg.errors.DTypeError, match="z has a gradient, but its Hessian is not a single matrix"):
        sg.derive(abs(z) ** 4, z, order=2)
    w = sg.symbol("w", dtype=complex)
    assert str(sg.derive(abs(w) * z**2, z)) == str(sg.derive(abs(w) * z * z, z))
