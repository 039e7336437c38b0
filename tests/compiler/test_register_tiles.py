"""Sums of products in tiles of vectors, beside NumPy's own and eager mode."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.backends.llvm import arrays, chunks
from symgrad.compiler.backends.llvm.plan import Plan
from symgrad.compiler.backends.llvm.register_tiles import _along
from symgrad.compiler.backends.llvm.steps import Nest, Outside

F = sg.nn.functional
RNG = np.random.default_rng(11)
BACKENDS = ["llvm", "c"]
ROUNDED = {np.float64: 1e-13, np.float32: 2e-5}

# Lengths that vectors divide and do not divide; blocks with a rest; strides, dilation, groups; operands to be copied.
CONVOLUTIONS = {
    "1-D": ("conv1d", (2, 8, 41), (13, 8, 5), {}),
    "1-D, strided": ("conv1d", (2, 8, 41), (6, 8, 5), {"stride": 2, "padding": 2}),
    "1-D, by channels": ("conv1d", (2, 16, 60), (16, 1, 7), {"groups": 16, "padding": 3}),
    "2-D": ("conv2d", (2, 3, 12, 23), (7, 3, 3, 3), {"padding": 1}),
    "2-D, strided": ("conv2d", (2, 4, 13, 12), (10, 4, 3, 5), {"stride": (2, 1)}),
    "2-D, dilated groups": ("conv2d", (1, 8, 12, 19), (8, 4, 3, 3), {"groups": 2, "dilation": 2}),
    "2-D, 1×1": ("conv2d", (2, 8, 9, 9), (16, 8, 1, 1), {}),
    "transposed": ("conv_transpose2d", (1, 6, 9, 9), (6, 5, 3, 3), {"stride": 2}),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", list(ROUNDED), ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", list(CONVOLUTIONS))
def test_convolutions_and_their_gradients_agree_with_eager_mode(name, dtype, backend):
    word, x, w, options = CONVOLUTIONS[name]
    arguments = RNG.normal(size=x).astype(dtype), RNG.normal(size=w).astype(dtype)

    def loss(x, w):
        return (getattr(F, word)(x, w, **options) ** 2).sum()

    value, slopes = sg.compile(sg.value_and_grad(loss, (0, 1)), backend=backend)(*arguments)
    expected, gradients = sg.value_and_grad(loss, (0, 1))(*arguments)
    for got, want in zip([value, *slopes], [expected, *gradients], strict=True):
        assert np.asarray(got).dtype == dtype
        assert np.max(np.abs(np.asarray(got) - np.asarray(want))) <= ROUNDED[dtype] * np.max(np.abs(np.asarray(want)))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sizes", [(16, 16, 16), (13, 17, 19), (5, 40, 33), (64, 64, 64), (3, 200, 9)])
@pytest.mark.parametrize("spec", ["ij,jk->ik", "ji,jk->ik", "ij,kj->ik", "ji,kj->ki", "bij,bjk->bik", "bij,jk->bki"])
def test_products_of_matrices_agree_with_numpy(spec, sizes, backend):
    size = dict(zip("ijkb", (*sizes, 3), strict=True))
    a, b = (RNG.normal(size=[size[c] for c in term]) for term in spec.split("->")[0].split(","))
    got = np.asarray(sg.compile(lambda a, b: sg.einsum(spec, a, b), backend=backend)(a, b))
    np.testing.assert_allclose(got, np.einsum(spec, a, b), rtol=0, atol=1e-13 * size["j"])


def test_what_is_no_number_stays_where_it_is():
    x, w = RNG.normal(size=(1, 4, 16, 16)), RNG.normal(size=(8, 4, 3, 3))
    x[0, 2, 7, 9], w[5, 1, 0, 0] = np.nan, np.inf
    convolved = sg.compile(F.conv2d, backend="llvm")(x, w)
    np.testing.assert_array_equal(np.isfinite(convolved), np.isfinite(np.asarray(F.conv2d(x, w))))


def test_convolutions_and_products_of_middle_size_stay_in_machine_code(monkeypatch):
    plans = []
    monkeypatch.setattr(arrays, "Plan", lambda e: plans.append(Plan(e)) or plans[-1])
    x, w = RNG.normal(size=(2, 8, 16, 16)), RNG.normal(size=(16, 8, 3, 3))
    sg.compile(lambda x, w: F.conv2d(x, w), backend="llvm")(x, w)
    sg.compile(lambda a, b: a @ b, backend="llvm")(RNG.normal(size=(80, 80)), RNG.normal(size=(80, 80)))
    for plan in plans:
        assert not any(isinstance(s, Outside) for s in plan.steps)
        assert any(isinstance(s, Nest) and s.tile is not None for s in plan.steps)


# Chunks of rows, of batches, of the loop that is summed; blocks with a rest, operands to be copied.
SHARED = {
    "a stack": (lambda a: (a @ a).tanh().sum(), [(40, 13, 13)]),
    "a square": (lambda a: (a @ a.mT).tanh().sum(), [(70, 70)]),
    "lengths that nothing divides": (lambda a, b: (a @ b).tanh().sum(), [(71, 37), (37, 83)]),
    "long sums": (lambda a, b: (a.mT @ b).tanh().sum(), [(2000, 12), (2000, 19)]),
    "a batch that is summed": (lambda a, b: sg.einsum("bij,bjk->ik", a, b).tanh().sum(), [(9, 20, 30), (9, 30, 17)]),
    "a convolution": (lambda x, w: F.conv2d(x, w, padding=1).tanh().sum(), [(4, 4, 12, 15), (11, 4, 3, 3)]),
}


@pytest.fixture
def _as_before():
    before = sg.get_num_threads()
    yield
    sg.set_num_threads(before)


@pytest.mark.usefixtures("_as_before")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", list(ROUNDED), ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", list(SHARED))
def test_the_bytes_do_not_depend_on_the_number_of_threads(name, dtype, backend, monkeypatch):
    cut, split = [], chunks._split
    monkeypatch.setattr(chunks, "_LEAST", 1 << 11)
    monkeypatch.setattr(chunks, "_GRAIN", 1 << 9)
    monkeypatch.setattr(chunks, "_split", lambda nest, *rest: cut.append((nest, split(nest, *rest))) or cut[-1][1])
    f, shapes = SHARED[name]
    arguments = [RNG.normal(size=s).astype(dtype) for s in shapes]
    kernel = sg.compile(sg.value_and_grad(f, tuple(range(len(shapes)))), backend=backend)
    results = set()
    for number in (1, 2, 3, 4, 8):
        sg.set_num_threads(number)
        value, slopes = kernel(*arguments)
        results.add(tuple(np.asarray(r).tobytes() for r in (value, *slopes)))
    assert len(results) == 1
    assert any(nest.tile is not None and parts is not None and parts.count > 1 for nest, parts in cut)


@pytest.mark.parametrize("wide", [2, 4, 8, 16])
@pytest.mark.parametrize("alone", [True, False])
def test_vectors_cover_a_loop_and_the_last_shares_a_tile_with_the_one_before(wide, alone):
    for n in range(wide, 9 * wide):
        covered = []
        for start, turns, starts in _along(n, wide, alone, -(-n // wide)):
            places = [start + t * len(starts) * wide + s for t in range(turns) for s in starts]
            covered += places
            assert all(p + wide <= n for p in places)
        assert sorted({p + k for p in covered for k in range(wide)}) == list(range(n))
        if n % wide:
            assert n == wide or len(starts) > 1


@pytest.mark.parametrize("terms", [2, 3, 4, 5, 7, 8, 9, 15, 16, 70])
def test_sums_of_few_products_are_written_out(terms):
    x, v = RNG.normal(size=(301, terms)), RNG.normal(size=terms)
    compiled = sg.compile(lambda x, v: x @ v, backend="llvm")
    np.testing.assert_allclose(compiled(x, v), x @ v, rtol=1e-13, atol=1e-13)
    assert ("!9001, !9002}" in compiled.source) == (terms in (4, 5, 7, 9, 15))  # rows are no vectors
