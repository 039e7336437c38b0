"""Loops on bands of rows: the numbers of whole arrays, the bytes of one thread, and memory for one band only."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad.compiler.backends.llvm import bands, pool

pytest.importorskip("llvmlite")

RNG = np.random.default_rng(3)
X, W = RNG.normal(size=(150, 7)), RNG.normal(size=7)
PROGRAMS = {
    "softmax": lambda x, w: sg.softmax(x * w, 1) ** 2,
    "largest": lambda x, w: sg.amax(x * w, 1) ** 2,
    "norms": lambda x, w: (x * w) / sg.linalg.vector_norm(x, dim=1)[:, None],
    "sums over rows": lambda x, w: (sg.softmax(x * w, 1) - x.mean(0)) ** 2,
    "sorted rows": lambda x, w: sg.sort(sg.exp(x), 1)[0] * w,
    "sums along rows, and across": lambda x, w: sg.cumsum(sg.cumsum(sg.softmax(x * w, 1), 1), 0) ** 2,
    "rows moved": lambda x, w: sg.cat([x[1:], x[:1]]) * sg.softmax(x, 1) * w,
    "rows turned": lambda x, w: sg.softmax(x.flip(0) * w, 1) * x,
    "angles that are large": lambda x, w: sg.softmax(sg.sin(x * 1e9), 1) * sg.softmax(x, 1) * w,
}


@pytest.fixture
def plans(monkeypatch):
    """Put small arrays in bands of a few rows, and keep the steps of each plan."""
    made = []
    monkeypatch.setattr(bands, "_LEAST", 0)
    monkeypatch.setattr(bands, "_BYTES", 1 << 10)
    monkeypatch.setattr(bands._Group, "band", lambda self, uses, real=bands._Group.band: _kept(real(self, uses), made))
    return made


def _kept(band, made):
    if band is not None:
        made.append(band)
    return band


@pytest.mark.parametrize("row", [lambda x: sg.softmax(x, 1), lambda x: sg.linalg.vector_norm(x, dim=1)])
def test_compiling_and_calling_need_memory_for_the_results_alone(row):
    x = RNG.normal(size=(600, 500))
    sg.compile(lambda x: row(x).sum(), backend="llvm")(x[:90])  # which imports the backend
    tracemalloc.start()
    sg.compile(sg.value_and_grad(lambda x: (row(x) ** 2).sum()))(x)
    held, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2 * x.nbytes
    assert held < x.nbytes


def _compiled(name, backend="llvm"):
    return sg.compile(sg.value_and_grad(lambda x, w: PROGRAMS[name](x, w).sum(), (0, 1)), backend=backend)


@pytest.mark.parametrize(("name", "dtype"), [*[(n, "float64") for n in PROGRAMS], ("softmax", "float32")])
def test_bands_of_rows_give_the_numbers_of_whole_arrays(name, dtype, plans):
    inputs = X.astype(dtype), W.astype(dtype)
    value, slopes = _compiled(name)(*inputs)
    expected, others = _compiled(name, "numpy")(*inputs)
    for a, b in zip([value, *slopes], [expected, *others], strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        accuracy = 1e-10 if dtype == "float64" else 1e-4
        np.testing.assert_allclose(a, b, rtol=accuracy, atol=accuracy * np.abs(b).max())
    assert plans


@pytest.mark.skipif(not pool.available(), reason="no threads on this system")
def test_the_bytes_of_bands_do_not_depend_on_the_number_of_threads(plans):
    kernel, before = _compiled("sums over rows"), sg.get_num_threads()
    results = []
    for n in (1, 3):
        sg.set_num_threads(n)
        results.append([np.asarray(y).tobytes() for y in (lambda v, g: (v, *g))(*kernel(X, W))])
    sg.set_num_threads(before)
    assert results[0] == results[1]
    assert plans[0].count > 3


def test_bands_run_one_after_the_other_without_a_pool(plans, monkeypatch):
    monkeypatch.setattr("symgrad.compiler.backends.llvm.build.available", lambda: False)
    close(_compiled("softmax")(X, W)[0], _compiled("softmax", "numpy")(X, W)[0], rtol=1e-12)
    assert plans


def test_what_lies_between_the_loops_of_a_band_has_memory_for_a_few_rows(plans):
    _compiled("softmax")(X, W)
    assert plans[0].own
    assert plans[0].length * plans[0].count >= 150
    large = np.ones((1000, 1000))
    for f in (sg.softmax, sg.cumsum):
        kernel = sg.compile(sg.grad(lambda x, f=f: (f(x, 1) ** 2).sum()), backend="llvm")
        workspace = kernel.lower(large).cost["workspace"]
        assert plans[-1].own
        assert sum(plans[-1].sizes.values()) <= workspace < 6 * large[0].nbytes
