"""Muon: the trajectory of its definition, PyTorch's as far as bfloat16 goes, and refusals."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError

START = np.random.default_rng(0).normal(size=(3, 5))


def trajectory(W, lib, optimizer, steps=5):
    for _ in range(steps):
        optimizer.zero_grad()
        ((W @ W.T) ** 2).sum().backward()
        optimizer.step()
    return W.detach().numpy()


@pytest.mark.parametrize("options", [{}, {"adjust_lr_fn": "match_rms_adamw"}, {"nesterov": False, "weight_decay": 0.0}])
@pytest.mark.parametrize("start", [START, START.T])
def test_steps_are_pytorchs_up_to_bfloat16(options, start):
    torch = pytest.importorskip("torch")
    ours, theirs = sg.tensor(start, requires_grad=True), torch.tensor(start, requires_grad=True)
    a = trajectory(ours, sg, sg.optim.Muon([ours], lr=0.02, **options))
    b = trajectory(theirs, torch, torch.optim.Muon([theirs], lr=0.02, **options))
    assert np.abs(a - b).max() < 0.05 * np.abs(a - start).max()


def test_the_direction_is_nearly_orthogonal():
    W = sg.tensor(START, requires_grad=True)
    optimizer = sg.optim.Muon([W], lr=1.0, weight_decay=0.0)
    (W * sg.tensor(START)).sum().backward()
    optimizer.step()
    singular = np.linalg.svd(START - W.detach().numpy())[1]
    assert np.all((singular > 0.5) & (singular < 1.3))


def test_it_is_compiled_with_the_step_and_its_state_is_loaded():
    W, V = sg.tensor(START, requires_grad=True), sg.tensor(START, requires_grad=True)
    one, two = sg.optim.Muon([W], lr=0.02), sg.optim.Muon([V], lr=0.02)
    fast = sg.compile(lambda: trajectory_step(V, two))
    for _ in range(3):
        trajectory_step(W, one)
        fast()
    np.testing.assert_allclose(W.detach().numpy(), V.detach().numpy(), rtol=1e-10)
    three = sg.optim.Muon([W], lr=0.02)
    three.load_state_dict(one.state_dict())
    np.testing.assert_allclose(three.state[W]["momentum_buffer"], one.state[W]["momentum_buffer"])


def trajectory_step(W, optimizer):
    optimizer.zero_grad()
    ((W @ W.T) ** 2).sum().backward()
    optimizer.step()


def test_vectors_and_unknown_scales_are_refused():
    with pytest.raises(ArgumentError, match="only supports 2D parameters"):
        sg.optim.Muon([sg.zeros(3, requires_grad=True)])
    with pytest.raises(ArgumentError, match='Use "original"'):
        sg.optim.Muon([sg.tensor(START, requires_grad=True)], adjust_lr_fn="other")
