"""``sg.random``: JAX's numbers of a key, eager, mapped and compiled."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError

KEY = sg.random.key(7)
LOGITS = np.array([[0.1, -1.0, 0.3], [2.0, 0.0, 1.0]])
DRAWS = {  # f(library's random, key)
    "fold_in": lambda r, k: r.bits(r.fold_in(k, 5), (3,), np.uint32),
    "bits": lambda r, k: r.bits(k, (3, 2), np.uint64),
    "uniform": lambda r, k: r.uniform(k, (3, 2)),
    "uniform in single precision": lambda r, k: r.uniform(k, (4,), np.float32),
    "normal": lambda r, k: r.normal(k, (4,)),
    "one normal": lambda r, k: r.normal(k),
    "exponential": lambda r, k: r.exponential(k, (4,)),
    "gumbel": lambda r, k: r.gumbel(k, (4,)),
    "bernoulli": lambda r, k: r.bernoulli(k, 0.3, (9,)),
    "randint": lambda r, k: r.randint(k, (9,), -3, 1000),
    "randint in 32 bits": lambda r, k: r.randint(k, (9,), -3, 7, np.int32),
    "permutation": lambda r, k: r.permutation(k, 20),
    "permutation of rows": lambda r, k: r.permutation(k, LOGITS.T),
    "permutation of columns": lambda r, k: r.permutation(k, LOGITS, 1),
    "permutation in two rounds": lambda r, k: r.permutation(k, 3000),
    "choice": lambda r, k: r.choice(k, 10, (3, 2)),
    "choice without replacement": lambda r, k: r.choice(k, 10, (3, 2), replace=False),
    "choice with probabilities": lambda r, k: r.choice(k, 3, (6,), p=np.array([0.1, 0.2, 0.7])),
    "categorical": lambda r, k: r.categorical(k, LOGITS),
    "categorical of columns": lambda r, k: r.categorical(k, LOGITS, 0),
    "categorical of a shape": lambda r, k: r.categorical(k, LOGITS, shape=(5, 2)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_are_jaxs(name):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        expected = np.asarray(DRAWS[name](jax.random, jax.random.key(7)))
    ours = DRAWS[name](sg.random, KEY)
    assert ours.dtype == expected.dtype
    assert ours.shape == expected.shape
    np.testing.assert_allclose(ours, expected, rtol=1e-14 if expected.dtype == float else 1e-6)


def test_numbers_without_jax():
    np.testing.assert_allclose(sg.random.normal(sg.random.key(0), (2,)), [-0.205842139480, -0.784765776447], rtol=1e-11)
    keys = sg.random.split(KEY)
    assert keys.shape == (2, 2)
    assert len({tuple(k.tolist()) for k in (KEY, *keys, *sg.random.split(keys[0]))}) == 5
    assert sg.random.key(2**32 + 1).tolist() == [1, 1]
    assert sg.random.split(KEY, (3, 2)).shape == (3, 2, 2)


def test_keys_are_mapped_scanned_and_compiled():
    keys = sg.random.split(KEY, 3)
    each = sg.stack([sg.random.normal(k, (2,)) for k in keys])
    np.testing.assert_array_equal(sg.vmap(lambda k: sg.random.normal(k, (2,)))(keys), each)
    np.testing.assert_array_equal(sg.lax.scan(lambda c, k: (c, sg.random.normal(k, (2,))), 0.0, keys)[1], each)
    step = sg.jit(lambda k, i: sg.random.normal(sg.random.fold_in(k, i)))
    for i in (1, 2):
        np.testing.assert_allclose(step(KEY, i), sg.random.normal(sg.random.fold_in(KEY, i)), rtol=1e-14)


def test_gradient_with_respect_to_the_scale_of_a_draw():
    gradient = sg.grad(lambda s: (s * sg.random.normal(KEY, (3,))).sum())(sg.tensor(2.0))
    np.testing.assert_allclose(gradient, sg.random.normal(KEY, (3,)).sum())


def test_refusals():
    for key in (7, sg.random.split(KEY), KEY.to(sg.int64)):
        with pytest.raises(ArgumentError, match="Expected one key"):
            sg.random.normal(key, (2,))
    with pytest.raises(TypeError, match=r"seed=1\.5"):
        sg.random.key(1.5)
    with pytest.raises(ArgumentError, match="float32 or float64"):
        sg.random.normal(KEY, (2,), sg.float16)
    with pytest.raises(ArgumentError, match="12 entries of 10"):
        sg.random.choice(KEY, 10, (12,), replace=False)
    with pytest.raises(ArgumentError, match="replace=True"):
        sg.random.choice(KEY, 3, (2,), replace=False, p=np.ones(3) / 3)
