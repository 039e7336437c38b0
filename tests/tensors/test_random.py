"""Generators, and the random tensors that they make."""

import copy
import pickle
import re

import numpy as np
import pytest

import symgrad as sg

MAKERS = {
    "rand": lambda g: sg.rand(3, 2, generator=g),
    "randn": lambda g: sg.randn((3, 2), generator=g),
    "randint": lambda g: sg.randint(5, 90, (3, 2), generator=g),
    "randperm": lambda g: sg.randperm(9, generator=g),
    "rand_like": lambda g: sg.rand_like(sg.ones(2, dtype=sg.float32), generator=g),
    "randn_like": lambda g: sg.randn_like(sg.ones(2), generator=g),
    "randint_like": lambda g: sg.randint_like(sg.ones(9, dtype=sg.int64), 70, generator=g),
    "normal": lambda g: sg.normal(sg.zeros(3), 2.0, generator=g),
    "bernoulli": lambda g: sg.bernoulli(sg.full((40,), 0.5), generator=g),
    "multinomial": lambda g: sg.multinomial(sg.ones(9), 5, generator=g),
    "x.multinomial": lambda g: sg.ones(9).multinomial(5, generator=g),
    "x.bernoulli": lambda g: sg.full((9,), 0.5).bernoulli(generator=g),
    "x.bernoulli(p)": lambda g: sg.ones(9).bernoulli(0.5, generator=g),
    "multinomial with replacement": lambda g: sg.multinomial(sg.ones(2, 9), 5, True, generator=g),
    "normal_": lambda g: sg.zeros(3).normal_(generator=g),
    "uniform_": lambda g: sg.zeros(3).uniform_(generator=g),
    "bernoulli_": lambda g: sg.zeros(40).bernoulli_(generator=g),
    "exponential_": lambda g: sg.zeros(3).exponential_(generator=g),
    "poisson": lambda g: sg.poisson(sg.full((9,), 50.0), generator=g),
    "log_normal_": lambda g: sg.zeros(3).log_normal_(generator=g),
    "cauchy_": lambda g: sg.zeros(3).cauchy_(generator=g),
    "geometric_": lambda g: sg.zeros(9).geometric_(0.1, generator=g),
    "random_": lambda g: sg.zeros(3, dtype=sg.int64).random_(generator=g),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_gives_the_same_numbers_again_and_another_seed_others(name):
    make = MAKERS[name]
    first, again, other = (make(sg.Generator().manual_seed(s)).tolist() for s in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("name", MAKERS)
def test_without_a_generator_the_default_one_is_used(name):
    make = MAKERS[name]
    sg.manual_seed(1)
    found = make(None).tolist()
    assert found == make(sg.Generator().manual_seed(1)).tolist()
    before = sg.get_rng_state()
    make(sg.Generator())
    assert (sg.get_rng_state() == before).all()


def test_manual_seed_returns_the_generator():
    assert sg.manual_seed(5) is sg.default_generator
    assert sg.initial_seed() == 5
    g = sg.Generator()
    assert g.manual_seed(-1) is g
    assert g.initial_seed() == 2**64 - 1
    assert sg.Generator().initial_seed() == sg.Generator().initial_seed()


def test_seed_starts_from_a_number_that_the_system_draws():
    g = sg.Generator()
    assert g.seed() == g.initial_seed() != g.seed()
    assert sg.seed() == sg.initial_seed()


def test_a_state_is_gone_on_from():
    g = sg.Generator().manual_seed(4)
    sg.rand(3, generator=g)
    sg.randint(7, size=(3,), generator=g)
    state, other = g.get_state(), sg.Generator()
    assert state.dtype == sg.uint8
    expected = sg.randn(5, generator=g).tolist()
    assert sg.randn(5, generator=other.set_state(state)).tolist() == expected
    assert other.initial_seed() == 4
    sg.set_rng_state(state)
    assert sg.randn(5).tolist() == expected


@pytest.mark.parametrize("way", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))], ids=["deepcopy", "pickle"])
def test_a_copy_of_a_generator_goes_on_by_itself(way):
    g = sg.Generator().manual_seed(4)
    sg.rand(3, generator=g)
    other = way(g)
    assert sg.rand(3, generator=other).tolist() == sg.rand(3, generator=g).tolist()


def test_distributions_have_their_moments():
    g, n = sg.Generator(), 40_000
    x = sg.normal(sg.full((n,), 3.0), 2.0, generator=g)
    assert (x.mean().item(), x.std().item()) == pytest.approx((3.0, 2.0), abs=0.05)
    assert sg.zeros(n).normal_(3.0, 2.0, generator=g).mean().item() == pytest.approx(3.0, abs=0.05)
    u = sg.zeros(n).uniform_(-1.0, 3.0, generator=g)
    assert (u.mean().item(), u.min().item(), u.max().item()) == pytest.approx((1.0, -1.0, 3.0), abs=0.05)
    assert sg.zeros(n).exponential_(2.0, generator=g).mean().item() == pytest.approx(0.5, abs=0.02)
    assert sg.bernoulli(sg.full((n,), 0.3), generator=g).mean().item() == pytest.approx(0.3, abs=0.02)
    assert sg.bernoulli(sg.zeros(n), 0.3, generator=g).mean().item() == pytest.approx(0.3, abs=0.02)
    assert sg.zeros(n).geometric_(0.25, generator=g).mean().item() == pytest.approx(4.0, abs=0.2)
    assert sg.zeros(n).log_normal_(0.5, 0.1, generator=g).log().mean().item() == pytest.approx(0.5, abs=0.02)
    assert sg.zeros(n).cauchy_(2.0, 0.5, generator=g).median().item() == pytest.approx(2.0, abs=0.05)
    assert sg.poisson(sg.full((n,), 3.0), generator=g).mean().item() == pytest.approx(3.0, abs=0.1)
    assert sg.zeros(n).bernoulli_(0.3, generator=g).mean().item() == pytest.approx(0.3, abs=0.02)
    weights = sg.tensor([1.0, 0.0, 3.0])
    found = sg.multinomial(weights, n, replacement=True, generator=g)
    np.testing.assert_allclose(np.bincount(found.numpy()) / n, [0.25, 0.0, 0.75], atol=0.02)


def test_drawing_without_replacement_takes_the_likely_first():
    weights, g = sg.tensor([1.0, 0.0, 3.0]).expand(20_000, 3), sg.Generator()
    found = sg.multinomial(weights, 3, generator=g).numpy()
    assert (np.sort(found, 1) == [0, 1, 2]).all()
    assert (found[:, 2] == 1).all()
    assert np.mean(found[:, 0] == 2) == pytest.approx(0.75, abs=0.02)


def test_a_permutation_has_every_number_once():
    found = sg.randperm(50, generator=sg.Generator())
    assert found.dtype == sg.int64
    assert sorted(found.tolist()) == list(range(50)) != found.tolist()


def test_dtypes_and_flags_are_kept():
    assert sg.normal(sg.zeros(2, dtype=sg.float32), 1.0).dtype == sg.float32
    assert sg.normal(0.0, 1.0, (2, 3)).shape == (2, 3)
    assert sg.rand_like(sg.ones(2), requires_grad=True).requires_grad
    assert sg.zeros(2, dtype=sg.float32).normal_().dtype == sg.float32
    assert sg.randint(2, size=(3,), dtype=sg.float64).dtype == sg.float64


def test_filling_in_place_cuts_the_gradient_and_spares_parameters():
    x = sg.ones(3, requires_grad=True)
    y = x * 2
    y.normal_().sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.normal_()
    with sg.no_grad():
        assert x.uniform_() is x
    assert x.is_leaf
    assert x.requires_grad


def test_dropout_leaves_out_a_share_and_keeps_the_mean():
    x = sg.ones(100, 100, dtype=sg.float32, requires_grad=True)
    y = sg.nn.functional.dropout(x, 0.25, generator=sg.Generator().manual_seed(3))
    y.sum().backward()
    assert set(y.detach().ravel().tolist()) == {0.0, float(np.float32(1 / 0.75))}
    assert abs(float((y.detach() == 0).double().mean()) - 0.25) < 0.02
    np.testing.assert_array_equal(x.grad, y.detach())
    assert y.dtype == x.grad.dtype == np.float32


def test_dropout_of_everything_and_of_nothing():
    assert sg.nn.functional.dropout(sg.ones(3), 1.0).tolist() == [0.0, 0.0, 0.0]
    assert sg.nn.functional.dropout(sg.ones(3), 0.0).tolist() == [1.0, 1.0, 1.0]


ERRORS = [
    (lambda: sg.Generator().manual_seed("a"), TypeError, "manual_seed expected a long, but got str"),
    (lambda: sg.manual_seed(2**65), ValueError, "Overflow when unpacking long long"),
    (lambda: sg.Generator().set_state(sg.zeros(3)), TypeError, "RNG state must be a torch.ByteTensor"),
    (lambda: sg.Generator().set_state(sg.zeros(3, dtype=sg.uint8)), RuntimeError, "input RNG state size to be 3"),
    (lambda: sg.rand(2, generator=3), TypeError, "generator: got int"),
    (lambda: sg.randint(3, 1, (2,)), RuntimeError, "to be less than 'to', but got from=3 >= to=1"),
    (lambda: sg.ones(2).random_(3, 1), RuntimeError, "to be less than 'to', but got from=3 >= to=1"),
    (lambda: sg.randperm(-1), RuntimeError, "Trying to create tensor with negative dimension -1"),
    (lambda: sg.normal(0.0, sg.tensor(-1.0)), RuntimeError, "normal expects std >= 0.0, but found std -1"),
    (lambda: sg.ones(2).normal_(0, -1), RuntimeError, "normal expects std >= 0.0, but found std -1"),
    (lambda: sg.ones(2).uniform_(2, 1), RuntimeError, "a [from, to) range, but found from=2 > to=1"),
    (lambda: sg.ones(2).exponential_(0), RuntimeError, "exponential_ expects lambda > 0.0, but found lambda=0"),
    (lambda: sg.ones(2).cauchy_(0, 0), RuntimeError, "cauchy_ expects sigma > 0.0, but found sigma=0"),
    (lambda: sg.ones(2).geometric_(1.0), RuntimeError, "geometric_ expects p to be in (0, 1), but got p=1.0"),
    (lambda: sg.ones(2).log_normal_(0, -1), RuntimeError, "normal expects std >= 0.0, but found std -1"),
    (lambda: sg.poisson(sg.tensor([-1.0])), RuntimeError, "poisson expects rates of at least 0"),
    (lambda: sg.bernoulli(sg.tensor([2.0])), RuntimeError, "expects p to be in [0, 1], but got p=[2.0]"),
    (lambda: sg.ones(2).bernoulli_(2.0), RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=2.0"),
    (lambda: sg.multinomial(sg.tensor([-1.0, 2.0]), 1), RuntimeError, "contains either `inf`, `nan` or element < 0"),
    (lambda: sg.multinomial(sg.ones(2), 3), RuntimeError, "cannot sample n_sample > prob_dist.size(-1) samples"),
    (lambda: sg.multinomial(sg.ones(2), 0), RuntimeError, "cannot sample n_sample <= 0 samples"),
    (lambda: sg.multinomial(sg.ones(2, 2, 2), 1), RuntimeError, "prob_dist must be 1 or 2 dim"),
    (lambda: sg.multinomial(sg.zeros(2), 1), RuntimeError, "invalid multinomial distribution (sum of"),
    (lambda: sg.nn.functional.dropout(sg.ones(2), 2.0), ValueError, "dropout probability has to be between 0 and 1"),
    (lambda: sg.multinomial(sg.arange(3), 1), RuntimeError, "only supports floating-point dtypes for input, got: Long"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=lambda v: v[:40] if isinstance(v, str) else "")
def test_what_cannot_be_drawn_is_refused_with_torchs_words(call, kind, text):
    with pytest.raises(kind, match=re.escape(text)):
        call()
