"""Exported sources on a GPU: every row of the table, on PyTorch and JAX, against eager. Skipped without a GPU."""

from __future__ import annotations

import os

import pytest
from exporting import agree, eager, exported, loaded, tolerance

from cases import ROWS

PARTS = [ROWS[k : k + 20] for k in range(0, len(ROWS), 20)]


@pytest.fixture(scope="module")
def torch():
    library = pytest.importorskip("torch")
    if not library.cuda.is_available():
        pytest.skip("no GPU that PyTorch sees")
    return library


@pytest.fixture(scope="module")
def jax():
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    library = pytest.importorskip("jax")
    library.config.update("jax_enable_x64", True)
    if library.default_backend() != "gpu":
        pytest.skip("no GPU that JAX sees")
    return library


@pytest.mark.parametrize("part", PARTS, ids=range(len(PARTS)))
def test_torch_source_agrees_with_eager_on_a_gpu(torch, part):
    for case in [case for row in part for case in row.cases]:
        text = exported(case, "torch")
        if text is not None:
            with torch.device("cuda"):
                results = loaded(text)(*[torch.tensor(x) for x in case.points])
            assert {y.device.type for y in results} == {"cuda"}, case
            agree([y.cpu().numpy() for y in results], eager(case), tolerance(case.row), dtypes=False)


@pytest.mark.parametrize("part", PARTS, ids=range(len(PARTS)))
def test_jax_source_agrees_with_eager_on_a_gpu(jax, part):
    cases = [(row.cases[0], text) for row in part if (text := exported(row.cases[0], "jax"))]
    functions = [loaded(text) for _, text in cases]
    results = jax.jit(lambda points: [f(*xs) for f, xs in zip(functions, points)])([c.points for c, _ in cases])
    for (case, _), ys in zip(cases, results):
        assert {device.platform for y in ys for device in y.devices()} == {"gpu"}, case
        agree(ys, eager(case), tolerance(case.row), dtypes=False)
