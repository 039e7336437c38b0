"""Integers and booleans inside compiled functions: positions, casts, counts, in small programs and in loops."""

import numpy as np
import pytest

import symgrad as sg

FUNCTIONS = {
    "positions times numbers": lambda x: sg.argsort(x) * x,
    "positions as numbers": lambda x: sg.argsort(x).to(sg.float64) * x,
    "sum of positions as numbers": lambda x: sg.argsort(x).double().sum(),
    "positions in single precision": lambda x: sg.argsort(x).float() * 2,
    "positions of 32 bits": lambda x: sg.argsort(x).to(sg.int32).reshape(2, -1).double().exp(),
    "positions reshaped": lambda x: sg.argsort(x).reshape(2, -1) + 1.0,
    "positions expanded": lambda x: sg.argsort(x).expand(2, len(x)) * x,
    "positions against each other": lambda x: sg.argsort(x)[:4, None] + sg.argsort(x)[None, :4],
    "positions divided": lambda x: sg.argsort(x) / 2,
    "positions divided downwards": lambda x: sg.argsort(x) // 2,
    "positions joined": lambda x: sg.cat([sg.argsort(x), sg.argsort(-x)]),
    "positions added up": lambda x: sg.cumsum(sg.argsort(x), 0) / 2,
    "one position": lambda x: sg.argmax(x) * x,
    "one position as a number": lambda x: sg.argmax(x).to(sg.float64),
    "positions in a condition": lambda x: sg.where(sg.argsort(x) > 2, x, 0.0),
    "truths": lambda x: (x > 1) * x,
    "truths as integers": lambda x: (x > 1).to(sg.int64) * x,
    "truths counted": lambda x: (x > 1).sum() * x,
    "numbers cut off": lambda x: x.to(sg.int64) * 0.5,
    "remainders as numbers": lambda x: (x.to(sg.int64) % 2).double(),
    "places in a sorted list": lambda x: sg.searchsorted(sg.sort(x).values, x) * x,
}


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("size", [6, 3000])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_integers_are_as_in_eager_mode(name, size, backend):
    x = np.random.default_rng(0).permutation(size) / 2.0 - 1.0
    expected = FUNCTIONS[name](sg.tensor(x)).numpy()
    found = np.asarray(sg.compile(FUNCTIONS[name], backend=backend)(x))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12)
