"""PyTorch's own samples of its functions, on symgrad's functions of the same names: values, dtypes, gradients."""

from __future__ import annotations

import itertools
import random
import sys
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any
from unittest import mock

import numpy as np
import pytest

import symgrad as sg

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install --group peers)")
FLOATS = {"float16": 4e-3, "float32": 4e-6, "float64": 1e-10}  # and how close to PyTorch's, of the largest entry
DTYPES = [*FLOATS, "bool", "uint8", "int8", "int16", "int32", "int64"]

# Functions whose samples are not comparable: random, without values, or with arguments in another order.
OTHERWISE = {
    "arange", "bernoulli", "bool", "double", "einsum", "empty", "empty_like", "empty_strided", "exponential", "float",
    "half", "int", "linspace", "long", "multinomial", "new_empty", "nn.functional.alpha_dropout",
    "nn.functional.dropout", "nn.functional.embedding", "nn.functional.embedding_bag",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "normal", "polygamma", "rand",
    "rand_like", "randint", "randint_like", "randn", "randn_like", "short", "special.polygamma", "to", "uniform",
    "where",
}  # fmt: skip

# What differs on purpose, and why.
DIFFERENT = {
    "all": "booleans, where PyTorch keeps uint8",
    "any": "booleans, where PyTorch keeps uint8",
    "argsort": "ties in order",
    "as_strided partial_views": "places are counted in x itself, of which it is a copy, and not in its storage",
    "clamp": "tensors that are limits promote as in NumPy",
    "cov": "weights in single precision promote as in NumPy",
    "cumulative_trapezoid": "PyTorch's differences of unsigned numbers wrap",
    "histogramdd": "edges that do not ascend, between which PyTorch counts, are an error",
    "index_add": "a negative factor does not fit unsigned numbers",
    "kthvalue": "another one of equal entries",
    "linalg.eigh": "eigenvectors have either sign",
    "linalg.lstsq": "residuals and rank are given for all drivers",
    "linalg.pinv": "samples that call a function of their own",
    "matrix_exp": "no half precision",
    "linalg.matrix_exp": "no half precision",
    "mode": "another one of equal entries",
    "nn.functional.batch_norm": "a vector of samples",
    "nn.functional.poisson_nll_loss": "PyTorch computes integers in single precision",
    "nn.functional.scaled_dot_product_attention": "no dropout",
    "nn.functional.soft_margin_loss": "PyTorch overflows in half precision",
    "nn.functional.softplus": "no threshold",
    "signal.windows.blackman": "rounded from double precision, where PyTorch's ends are -1.5e-8",
    "sort": "ties in order",
    "special.airy_ai": "PyTorch's has eight digits",
    "special.bessel_j0": "PyTorch computes integers in single precision",
    "special.bessel_j1": "PyTorch computes integers in single precision",
    "special.bessel_y0": "PyTorch's has eight digits",
    "special.bessel_y1": "PyTorch's has eight digits",
    "square": "booleans become int8, as in NumPy",
    "tensordot": "sums of short integers are long ones",
    "topk": "another one of equal entries",
    "trapezoid": "PyTorch's differences of unsigned numbers wrap",
    "trapz": "PyTorch's differences of unsigned numbers wrap",
    **{
        f"special.{name}": "the degree is a real number, as in SciPy: PyTorch cuts it off, and has 0 below 0"
        for name in sg.special.__all__
        if "_polynomial_" in name
    },
}


@lru_cache(maxsize=1)
def functions() -> list[tuple[Any, Callable[..., Any]]]:
    """PyTorch's functions with samples, and symgrad's of the same names."""
    sys.modules.setdefault("expecttest", _expecttest())
    from torch.testing._internal import common_utils
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.opinfo import core

    # For every sample PyTorch looks for its own test in the source of all frames, and keeps the stack of every seed:
    # nearly all the time that a run took.
    assert callable(core.extract_test_fn)
    assert callable(common_utils.set_rng_seed)
    core.extract_test_fn = common_utils.extract_test_fn = lambda: None
    common_utils.set_rng_seed = _seed
    left_out = OTHERWISE | DIFFERENT.keys()
    found = [(op, _named(op.name)) for op in op_db if left_out.isdisjoint({op.name, label(op)})]
    return [(op, f) for op, f in found if f is not None]


def label(op: Any) -> str:
    """A function's name, and that of its variant."""
    return f"{op.name} {op.variant_test_name}".strip()


def _seed(seed: int) -> None:
    """PyTorch's set_rng_seed, of the processor alone."""
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)  # PyTorch's samples draw from it


def _expecttest() -> types.ModuleType:
    """What PyTorch's helpers for tests import, and nothing here uses."""
    module: Any = types.ModuleType("expecttest")
    module.TestCase, module.assert_expected_inline = unittest.TestCase, None
    return module


def _named(name: str) -> Any:
    found: Any = sg
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def samples(op: Any, dtype: str, most: int, grad: bool = False) -> Iterator[Any]:
    """The first samples of a function in a dtype, none where PyTorch does not have the dtype."""
    kind = getattr(torch, dtype)
    if kind not in op.dtypes:
        return
    torch.default_generator.manual_seed(0)
    yield from itertools.islice(op.sample_inputs("cpu", kind, requires_grad=grad), most)


def given(x: Any) -> Any:
    """An argument for symgrad."""
    if isinstance(x, torch.Tensor):
        return sg.tensor(x.detach().numpy().copy(), requires_grad=x.requires_grad)
    if isinstance(x, torch.dtype):
        return np.dtype(str(x).removeprefix("torch."))
    if isinstance(x, torch.nn.PairwiseDistance):
        return sg.nn.PairwiseDistance(x.norm, x.eps, x.keepdim)
    if type(x) in (list, tuple):
        return type(x)(map(given, x))
    return x


def flat(result: Any) -> list[Any]:
    """The tensors of a result."""
    if isinstance(result, (tuple, list)):
        return [y for part in result for y in flat(part)]
    return [result]


def array(x: Any) -> Any:
    """A tensor of either library, or a number, as an array."""
    return np.asarray(x.detach().numpy() if hasattr(x, "detach") else x)


def difference(op: Any, f: Callable[..., Any], sample: Any) -> str:
    """What differs from PyTorch in values, shapes and dtypes, and "" where nothing does."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of what PyTorch means to change
            expected = flat(op.op(sample.input, *sample.args, **sample.kwargs))
    except (RuntimeError, NotImplementedError, IndexError):  # PyTorch does not take its own sample
        return ""
    if any(isinstance(y, torch.Tensor) and y.is_complex() for y in expected):
        return ""
    args = [given(x) for x in (sample.input, *sample.args)]
    try:
        found = flat(f(*args, **{k: given(v) for k, v in sample.kwargs.items() if k != "device"}))
    except Exception as error:  # whatever it is, the sample is not taken
        return f"{type(error).__name__}: {error}"
    if len(found) != len(expected):
        return f"{len(found)} results, {len(expected)} expected"
    apart = "; ".join(filter(None, (_apart(array(y), array(z)) for y, z in zip(found, expected))))
    return "" if apart and _is_drawn(op, sample, expected) else apart


def _is_drawn(op: Any, sample: Any, expected: list[Any]) -> bool:
    """Whether PyTorch itself gives other values when it is called again: those of dropout in training."""
    with mock.patch("torch.manual_seed"):  # by which its samples draw the same numbers every time
        again = flat(op.op(sample.input, *sample.args, **sample.kwargs))
    return any(_apart(array(y), array(z)) for y, z in zip(again, expected, strict=True))


def _apart(y: Any, z: Any) -> str:
    if y.shape != z.shape or y.dtype != z.dtype:
        return f"{y.dtype}{y.shape}, {z.dtype}{z.shape} expected"
    tolerance = FLOATS.get(z.dtype.name, 0.0)
    y, z = y.astype(np.float64), z.astype(np.float64)
    scale = max(1e-3, float(np.max(np.abs(z[np.isfinite(z)]), initial=0.0)))
    if np.allclose(y, z, rtol=tolerance, atol=tolerance * scale, equal_nan=True):
        return ""
    off = ~np.isclose(y, z, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
    return f"{y[off][:3].tolist()}, {z[off][:3].tolist()} expected"
