"""What is random in networks: entries and channels left out, slopes and classes drawn; and results written in place."""

import numpy as np
import pytest

import symgrad as sg

F = sg.nn.functional
CHANNELS = {"dropout1d": (50, 40, 3), "dropout2d": (50, 40, 3, 2), "dropout3d": (50, 40, 3, 2, 1)}


@pytest.mark.parametrize("name", CHANNELS)
def test_channels_are_left_out_as_one(name):
    sg.manual_seed(0)
    y = getattr(F, name)(sg.ones(*CHANNELS[name]), 0.25).numpy().reshape(2000, -1)
    assert set(np.unique(y)) == {0.0, 4 / 3}
    assert (y == y[:, :1]).all()
    assert abs((y[:, 0] == 0).mean() - 0.25) < 0.05


def test_nothing_is_drawn_where_nothing_is_left_out():
    generator = sg.Generator()
    before = generator.get_state().tolist()
    assert F.dropout(sg.ones(3), 0.0, generator=generator).tolist() == [1.0] * 3
    assert generator.get_state().tolist() == before


@pytest.mark.parametrize("name", ["dropout", *CHANNELS, "alpha_dropout", "feature_alpha_dropout"])
def test_without_training_the_argument_itself_is_returned(name):
    x = sg.ones(*CHANNELS.get(name, (2, 3)), dtype=sg.int64)
    assert getattr(F, name)(x, training=False) is x
    assert getattr(F, name)(x, 0.0, training=True) is x


def test_a_sample_without_a_batch_has_its_channels_first():
    assert (lambda y: (y == y[:, :1]).all())(F.dropout1d(sg.ones(40, 3)).numpy())
    with pytest.raises(sg.SymgradError, match=r"dropout3d: Expected 4D or 5D input, but received \[2, 3\]"):
        F.dropout3d(sg.ones(2, 3))


@pytest.mark.parametrize("name", ["alpha_dropout", "feature_alpha_dropout"])
def test_alpha_dropout_keeps_mean_and_variance(name):
    sg.manual_seed(0)
    x = sg.randn(200, 300, requires_grad=True)
    y = getattr(F, name)(x, 0.3, training=True)
    assert abs(y.detach().numpy().mean()) < 0.02
    assert abs(y.detach().numpy().std() - 1) < 0.02
    y.sum().backward()
    values, counts = np.unique(x.grad.numpy(), return_counts=True)
    assert len(values) == 2
    assert abs(counts[0] / counts.sum() - 0.3) < 0.01


def test_slopes_below_zero_are_drawn_in_training():
    sg.manual_seed(0)
    x = sg.tensor([2.0] + [-1.0] * 500, requires_grad=True)
    y = F.rrelu(x, 0.1, 0.4, training=True)
    y.sum().backward()
    slopes = x.grad.numpy()
    assert slopes[0] == 1
    assert 0.1 <= slopes[1:].min() < 0.11 < 0.39 < slopes[1:].max() <= 0.4
    np.testing.assert_array_equal(y.detach().numpy(), x.detach().numpy() * slopes)


def test_gumbel_softmax_draws_classes_with_their_probabilities():
    sg.manual_seed(0)
    z = sg.log(sg.tensor([0.1, 0.6, 0.3]))
    soft = F.gumbel_softmax(z.expand(4000, 3), tau=0.5).numpy()
    np.testing.assert_allclose(soft.sum(1), 1.0)
    np.testing.assert_allclose(np.bincount(soft.argmax(1)) / 4000, [0.1, 0.6, 0.3], atol=0.03)
    z = sg.zeros(5, 3, requires_grad=True)
    hard = F.gumbel_softmax(z, hard=True, dim=0)
    assert sorted(hard.detach().numpy().round(12).sum(0)) == [1.0, 1.0, 1.0]
    (hard * sg.arange(15.0).reshape(5, 3)).sum().backward()
    assert np.abs(z.grad.numpy()).max() > 0
    np.testing.assert_allclose(z.grad.numpy().sum(0), 0, atol=1e-13)


@pytest.mark.parametrize(
    ("call", "values", "slopes"),
    [
        (lambda x: F.relu(x, inplace=True), [0.0, 0.5, 2.0], [0.0, 1.0, 1.0]),
        (lambda x: F.relu(x, True), [0.0, 0.5, 2.0], [0.0, 1.0, 1.0]),
        (lambda x: F.hardtanh(x, -1.0, 1.0, True), [-1.0, 0.5, 1.0], [0.0, 1.0, 0.0]),
        (lambda x: sg.nn.ReLU(inplace=True)(x), [0.0, 0.5, 2.0], [0.0, 1.0, 1.0]),
        (lambda x: F.dropout(x, 0.0, inplace=True), [-2.0, 0.5, 2.0], [1.0, 1.0, 1.0]),
    ],
)
def test_a_result_is_written_in_place_where_asked(call, values, slopes):
    x = sg.tensor([-2.0, 0.5, 2.0], requires_grad=True)
    y = x * 1
    assert call(y) is y
    assert y.tolist() == values
    y.sum().backward()
    assert x.grad.tolist() == slopes
    with pytest.raises(RuntimeError, match="leaf"):
        call(x)


def test_numbers_are_drawn_for_named_sizes_in_training_only():
    x = sg.symbol("x", ("n", 3))
    assert F.dropout(x, 0.5, training=False).shape == x.shape
    with pytest.raises(sg.errors.ValueNeeded, match="without numbers, so no random numbers can be drawn"):
        F.dropout(x, 0.5)
