"""Values, shapes, dtypes and products with a cotangent against torch, on the inputs of differential_samples."""

import zlib

import numpy as np
import pytest
from differential_samples import SAMPLES, Fixed

import symgrad as sg

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install --group peers)")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # both warn of doubtful arguments

# Where symgrad is more accurate, the comparison is as coarse as torch is.
COARSE = {"digamma": 1e-9, "special.psi": 1e-9, "lgamma": 1e-9, "special.gammaln": 1e-9, "special.log_ndtr": 1e-8,
          "nn.functional.softplus": 1e-8, "nn.functional.hardsigmoid": 1e-7}  # fmt: skip


@pytest.fixture(autouse=True)
def double_precision():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def found_in(library, path):
    """The function with this path."""
    for name in path.split("."):
        library = getattr(library, name)
    return library


def tensors_of(x, make, leaves):
    """Arguments with tensors for arrays, which are collected."""
    if isinstance(x, Fixed):
        return make(x.array).detach()
    if isinstance(x, np.ndarray):
        leaves.append(make(x))
        return leaves[-1]
    return [tensors_of(e, make, leaves) for e in x] if isinstance(x, list) else x


def of_torch(x):
    return torch.from_numpy(np.ascontiguousarray(x) if min(x.strides, default=0) < 0 else x).requires_grad_(
        x.dtype.kind == "f"
    )


def of_symgrad(x):
    return sg.tensor(x, requires_grad=x.dtype.kind == "f")


def run(library, path, sample, make):
    """The results of a function, flattened, and the tensors that it was given."""
    leaves = []
    args = [tensors_of(a, make, leaves) for a in sample.args]
    kwargs = {k: tensors_of(a, make, leaves) for k, a in sample.kwargs.items()}
    y = found_in(library, path)(*args, **kwargs)
    return [*y] if isinstance(y, (tuple, list)) else [y], [x for x in leaves if x.requires_grad]


def cotangents(path, ys):
    """A cotangent for each result that has a gradient."""
    rng = np.random.default_rng(zlib.crc32(path.encode()))
    return [rng.uniform(-1, 1, tuple(y.shape)) for y in ys]


def gradients(library, ys, xs, us, make):
    """The products with the cotangents, as arrays, zero where there is none."""
    found = library.autograd.grad(ys, xs, [make(u) for u in us], allow_unused=True)
    return [np.zeros(tuple(x.shape)) if g is None else g.detach().numpy() for g, x in zip(found, xs)]


def agree(found, expected, rtol):
    """Equal, apart from what torch has no number for: the limits of some functions at infinity."""
    known = ~np.isnan(expected)
    np.testing.assert_allclose(found[known], expected[known], rtol, rtol)


def check(path, sample):
    with np.errstate(all="ignore"):
        ys, xs = run(sg, path, sample, of_symgrad)
    expected, ts = run(torch, path, sample, of_torch)
    rtol = COARSE.get(path, 1e-10)
    assert len(ys) == len(expected)
    for y, e in zip(ys, expected, strict=True):
        assert f"torch.{y.dtype}" == str(e.dtype)
        assert y.shape == tuple(e.shape)
        agree(y.detach().numpy(), e.detach().numpy(), rtol)
    which = [k for k, e in enumerate(expected) if e.requires_grad]
    assert all(ys[k].requires_grad for k in which)
    us = cotangents(path, [expected[k] for k in which])
    if not which:
        return
    found = gradients(sg, [ys[k] for k in which], xs, us, sg.tensor)
    wanted = gradients(torch, [expected[k] for k in which], ts, us, torch.tensor)
    for g, w in zip(found, wanted, strict=True):
        assert g.shape == w.shape
        agree(g, w, 10 * rtol)


@pytest.mark.parametrize("path", SAMPLES)
def test_values_and_products_with_a_cotangent_are_those_of_torch(path):
    for sample in SAMPLES[path]:
        try:
            check(path, sample)
        except Exception as error:
            error.add_note(f"{path}({sample})")
            raise
