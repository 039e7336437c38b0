"""Optimisers: torch's trajectories, options, state and messages; clipping of gradients."""

import copy
import pickle
import re
from itertools import pairwise

import numpy as np
import pytest

import symgrad as sg
from symgrad.optim import descents, wolfe

SGD, ADAM, ADAMW = sg.optim.SGD, sg.optim.Adam, sg.optim.AdamW
OPTIMIZERS = [
    (SGD, {"lr": 0.01}),
    (SGD, {"lr": 0.01, "weight_decay": 0.3}),
    (SGD, {"lr": 0.01, "maximize": True, "weight_decay": 0.3}),
    (SGD, {"lr": 0.01, "momentum": 0.9}),
    (SGD, {"lr": 0.01, "momentum": 0.9, "dampening": 0.4, "weight_decay": 0.3}),
    (SGD, {"lr": 0.01, "momentum": 0.9, "nesterov": True}),
    (SGD, {"lr": 0.001, "momentum": 0.9, "nesterov": True, "weight_decay": 0.3, "maximize": True}),
    (ADAM, {}),
    (ADAM, {"lr": 0.1, "betas": (0.5, 0.7), "eps": 1e-3}),
    (ADAM, {"lr": 0.1, "weight_decay": 0.3, "amsgrad": True}),
    (ADAM, {"lr": 0.1, "weight_decay": 0.3, "decoupled_weight_decay": True, "maximize": True}),
    (ADAMW, {"lr": 0.1}),
    (ADAMW, {"lr": 0.1, "amsgrad": True, "weight_decay": 0.3, "maximize": True}),
    (sg.optim.RMSprop, {}),
    (sg.optim.RMSprop, {"alpha": 0.9, "weight_decay": 0.3, "momentum": 0.5, "eps": 1e-3}),
    (sg.optim.RMSprop, {"centered": True, "maximize": True}),
    (sg.optim.Adagrad, {}),
    (sg.optim.Adagrad, {"lr": 0.1, "lr_decay": 0.2, "weight_decay": 0.3, "initial_accumulator_value": 0.5}),
    (sg.optim.Adafactor, {}),
    (sg.optim.Adafactor, {"lr": 0.5, "eps": (1e-3, 1e-2), "d": 2.0, "weight_decay": 0.3, "maximize": True}),
    (sg.optim.Adadelta, {}),
    (sg.optim.Adadelta, {"lr": 0.5, "rho": 0.7, "eps": 1e-3, "weight_decay": 0.3, "maximize": True}),
    (sg.optim.Adamax, {}),
    (sg.optim.Adamax, {"lr": 0.1, "betas": (0.5, 0.7), "weight_decay": 0.3, "maximize": True}),
    (sg.optim.NAdam, {}),
    (sg.optim.NAdam, {"lr": 0.1, "weight_decay": 0.3, "momentum_decay": 0.1}),
    (sg.optim.NAdam, {"lr": 0.1, "weight_decay": 0.3, "decoupled_weight_decay": True, "maximize": True}),
    (sg.optim.RAdam, {}),
    (sg.optim.RAdam, {"lr": 0.1, "betas": (0.5, 0.7), "weight_decay": 0.3}),
    (sg.optim.RAdam, {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.3, "decoupled_weight_decay": True}),
    (sg.optim.ASGD, {}),
    (sg.optim.ASGD, {"lr": 0.01, "lambd": 0.1, "alpha": 0.5, "t0": 5, "weight_decay": 0.3}),
    (sg.optim.Rprop, {}),
    (sg.optim.Rprop, {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (0.05, 0.2), "maximize": True}),
]
START = np.array([[0.3, -1.2, 2.0], [0.0, 0.7, -0.4]]), np.array(0.5)


def ids(value):
    return value.__name__ if isinstance(value, type) else ",".join(f"{k}={v}" for k, v in value.items()) or "default"


def parameters(lib=sg, dtype=None):
    dtype = lib.float64 if dtype is None else dtype
    return [lib.tensor(x, dtype=dtype, requires_grad=True) for x in START]


def loss_of(lib, w, b):
    return ((lib.sin(w) * 3 + b) ** 2).sum() + b * lib.cos(w).prod()


def train(optimizer, w, b, steps, lib=sg):
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of(lib, w, b).backward()
        optimizer.step()
    return [p.detach().numpy() for p in (w, b)]


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS, ids=ids)
def test_a_trajectory_is_that_of_torch(kind, options):
    torch = pytest.importorskip("torch")
    theirs, ours = parameters(torch), parameters()
    torch.set_default_dtype(torch.float64)  # in which NAdam and ASGD keep numbers of their state
    try:
        expected = train(getattr(torch.optim, kind.__name__)(theirs, **options), *theirs, 40, torch)
    finally:
        torch.set_default_dtype(torch.float32)
    for a, b in zip(train(kind(ours, **options), *ours, 40), expected, strict=True):
        assert np.isfinite(b).all()
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def names_in(state):
    return {(k, name) for k, values in state.items() for name, v in values.items() if v is not None}


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS, ids=ids)
def test_state_has_the_names_that_torch_gives(kind, options):
    torch = pytest.importorskip("torch")
    theirs, ours = parameters(torch), parameters()
    a, b = kind(ours, **options), getattr(torch.optim, kind.__name__)(theirs, **options)
    train(a, *ours, 3)
    train(b, *theirs, 3, torch)
    found, expected = a.state_dict(), b.state_dict()
    assert names_in(found["state"]) == names_in(expected["state"])
    assert [g["params"] for g in found["param_groups"]] == [g["params"] for g in expected["param_groups"]]
    assert found["param_groups"][0].items() <= expected["param_groups"][0].items()


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS, ids=ids)
def test_training_goes_on_from_a_saved_state_as_if_uninterrupted(kind, options):
    whole, first = parameters(), parameters()
    expected = train(kind(whole, **options), *whole, 12)
    before = kind(first, **options)
    train(before, *first, 5)
    saved = pickle.loads(pickle.dumps(before.state_dict()))
    second = [p.detach().clone().requires_grad_() for p in first]
    after = kind(second, lr=77.0)
    after.load_state_dict(saved)
    for a, b in zip(train(after, *second, 7), expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS[3::4], ids=ids)
def test_parameters_and_state_keep_float32(kind, options):
    ours = parameters(dtype=sg.float32)
    optimizer = kind(ours, **options)
    assert [x.dtype for x in train(optimizer, *ours, 3)] == [np.float32, np.float32]
    kept = [v for s in optimizer.state.values() for n, v in s.items() if n not in ("step", "mu_product", "eta", "mu")]
    assert {v.dtype for v in kept} == {sg.float32}


def test_loading_copies_the_state_and_takes_the_dtype_of_the_parameters():
    ours, single = parameters(), parameters(dtype=sg.float32)
    source, target = SGD(ours, momentum=0.9), SGD(single, momentum=0.9)
    train(source, *ours, 2)
    saved = source.state_dict()
    before = copy.deepcopy(saved["state"][0]["momentum_buffer"])
    target.load_state_dict(saved)
    train(target, *single, 2)
    assert target.state[single[0]]["momentum_buffer"].dtype == sg.float32
    assert (saved["state"][0]["momentum_buffer"] == before).all()


def test_groups_have_their_own_options():
    w, b = parameters()
    optimizer = SGD([{"params": w, "lr": 0.5}, {"params": [b]}], lr=0.25)
    (w.sum() + b).backward()
    optimizer.step()
    np.testing.assert_allclose(w.detach().numpy(), START[0] - 0.5)
    assert b.item() == START[1] - 0.25
    optimizer.param_groups[1]["lr"] = 0.0
    optimizer.step()
    assert b.item() == START[1] - 0.25


def test_a_tensor_of_one_element_is_a_learning_rate():
    w, b = parameters()
    w.sum().backward()
    SGD([w, b], lr=sg.tensor(0.5)).step()
    np.testing.assert_allclose(w.detach().numpy(), START[0] - 0.5)
    with pytest.raises(ValueError, match="Tensor lr must be 1-element"):
        SGD([w], lr=sg.ones(2))


def test_a_parameter_without_gradient_stays():
    w, b = parameters()
    w.sum().backward()
    optimizer = ADAM([w, b])
    optimizer.step()
    assert b.item() == START[1]
    assert list(optimizer.state) == [w]


def test_step_leaves_the_leaf_a_leaf_with_its_gradient():
    w, b = parameters()
    w.name = "w"
    loss_of(sg, w, b).backward()
    gradient = w.grad.numpy()
    SGD([w, b]).step()
    assert w.is_leaf
    assert w.requires_grad
    assert w.name == "w"
    np.testing.assert_array_equal(w.grad.numpy(), gradient)


def test_step_calls_the_closure_with_gradients_on_and_returns_its_loss():
    w, b = parameters()
    optimizer = SGD([w, b], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = loss_of(sg, w, b)
        loss.backward()
        return loss

    with sg.no_grad():
        first = optimizer.step(closure)
    assert optimizer.step(closure) < first
    assert optimizer.step() is None


def test_zero_grad_drops_gradients_or_sets_them_to_zero():
    w, b = parameters()
    optimizer = SGD([w, b])
    w.sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert w.grad.tolist() == np.zeros((2, 3)).tolist()
    assert b.grad is None
    optimizer.zero_grad()
    assert w.grad is None


def test_an_optimizer_prints_its_options():
    assert repr(SGD(parameters(), lr=0.1)).splitlines()[:4] == [
        "SGD (", "Parameter Group 0", "    dampening: 0", "    differentiable: False"
    ]  # fmt: skip


NAMES = ["Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "LBFGS", "NAdam", "RAdam", "RMSprop",
         "Rprop", "SGD"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_an_optimizer_prints_as_pytorchs(name):
    torch = pytest.importorskip("torch")
    ours, theirs = (getattr(T.optim, name)([T.ones(2, 2, requires_grad=True)]) for T in (sg, torch))
    assert repr(ours) == repr(theirs)
    ours.load_state_dict(theirs.state_dict())
    assert repr(ours) == repr(theirs)


def leaf():
    return sg.ones(2, requires_grad=True)


def two_groups():
    x = leaf()
    return SGD([{"params": [x]}, {"params": [x]}])


def loaded(theirs):
    SGD([leaf(), leaf()]).load_state_dict(SGD(theirs).state_dict())


ERRORS = [
    (lambda: SGD(leaf()), TypeError, "params argument given to the optimizer should be an iterable of Tensors"),
    (lambda: SGD([]), ValueError, "optimizer got an empty parameter list"),
    (lambda: SGD([{"params": {leaf()}}]), TypeError, "optimizer parameters need to be organized in ordered"),
    (lambda: SGD([np.ones(2)]), TypeError, "can only optimize Tensors, but one of the params is numpy.ndarray"),
    (lambda: SGD([2 * leaf()]), ValueError, "can't optimize a non-leaf Tensor"),
    (lambda: SGD([sg.ones(2, dtype=sg.int64)]), TypeError, "parameters must be floating-point tensors"),
    (lambda: SGD([leaf()] * 2), ValueError, "parameter group with duplicate parameters"),
    (two_groups, ValueError, "some parameters appear in more than one parameter group"),
    (lambda: SGD([leaf()]).add_param_group([leaf()]), TypeError, "param_group must be a dict, but got <class 'list'>"),
    (lambda: SGD([leaf()], lr=-1), ValueError, "Invalid learning rate: -1"),
    (lambda: SGD([leaf()], momentum=-1), ValueError, "Invalid momentum value: -1"),
    (lambda: SGD([leaf()], weight_decay=-1), ValueError, "Invalid weight_decay value: -1"),
    (lambda: SGD([leaf()], nesterov=True), ValueError, "Nesterov momentum requires a momentum and zero dampening"),
    (lambda: SGD([{"params": leaf(), "lr": -1}]), ValueError, "Invalid learning rate: -1"),
    (lambda: SGD([leaf()], nesterov=True, momentum=0.9, dampening=0.5), ValueError, "momentum=0.9, dampening=0.5"),
    (lambda: SGD([leaf()], lr=np.nan), ValueError, "Invalid learning rate: nan"),
    (lambda: ADAM([leaf()], weight_decay=-1), ValueError, "Invalid weight_decay value: -1"),
    (lambda: sg.optim.RMSprop([leaf()], alpha=-1), ValueError, "Invalid alpha value: -1"),
    (lambda: sg.optim.RMSprop([leaf()], momentum=-1), ValueError, "Invalid momentum value: -1"),
    (lambda: sg.optim.Adagrad([leaf()], lr_decay=-1), ValueError, "Invalid lr_decay value: -1"),
    (lambda: sg.optim.Adagrad([leaf()], initial_accumulator_value=-1), ValueError, "Invalid initial_accumulator_value"),
    (lambda: ADAM([leaf()], eps=-1), ValueError, "Invalid epsilon value: -1"),
    (lambda: ADAM([leaf()], betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0: 1.0"),
    (lambda: ADAM([leaf()], betas=(0.9, -1.0)), ValueError, "Invalid beta parameter at index 1: -1.0"),
    (lambda: ADAMW([leaf()], weight_decay=-1), ValueError, "Invalid weight_decay value: -1"),
    (lambda: loaded([leaf()]), ValueError, "doesn't match the size of optimizer's group"),
    (lambda: loaded([{"params": leaf()}, {"params": leaf()}]), ValueError, "different number of parameter groups"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=lambda v: v[:50] if isinstance(v, str) else "")
def test_what_cannot_be_optimised_is_refused_with_torchs_words(call, kind, text):
    with pytest.raises(kind, match=re.escape(text)):
        call()


# ------------------------------------------------------------------ states that do not belong
def stepped(optimizer, steps=2):
    """The optimizer after some steps, and all that it and its parameters are."""
    made, params = OPTIMIZERS_THAT_KEEP[optimizer], [sg.tensor([[1.5, -2.0, 0.5]], requires_grad=True)]
    params.append(sg.tensor([0.7], requires_grad=True))
    found = made(params)

    def closure():
        found.zero_grad()
        loss = sum((p**2).sum() for p in params)
        loss.backward()
        return loss

    for _ in range(steps):
        found.step(closure)
    return found


OPTIMIZERS_THAT_KEEP = {
    "SGD": lambda ps: SGD(ps, lr=0.1, momentum=0.9),
    "Adam": lambda ps: ADAM(ps, amsgrad=True),
    "RMSprop": lambda ps: sg.optim.RMSprop(ps, momentum=0.5, centered=True),
    "Adagrad": sg.optim.Adagrad,
    "LBFGS": lambda ps: sg.optim.LBFGS(ps, max_iter=3),
}
HARM = {
    "complex": lambda v: v * 1j,
    "another shape": lambda v: np.concatenate([v, v], 0) if v.ndim else v.reshape(1, 1),
    "booleans": lambda v: v > 0,
    "text": str,
    "objects": lambda v: np.array([{}, None]),
    "nothing like it": lambda v: [[1.0], [2.0, 3.0]],
}


def spoilt(states, harm):
    """States in each of which one array is not what it should be."""
    for k, state in states.items():
        for name, value in state.items():
            arrays = value if isinstance(value, list) else [value]
            for n, v in enumerate(arrays):
                if hasattr(v, "__array__"):
                    bad = HARM[harm](np.asarray(v))
                    new = [*arrays[:n], bad, *arrays[n + 1 :]] if isinstance(value, list) else bad
                    yield {**states, k: {**state, name: new}}


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("name", OPTIMIZERS_THAT_KEEP)
def test_a_state_with_one_wrong_array_is_refused_and_changes_nothing(name, harm):
    optimizer, other = stepped(name), stepped(name, 1)
    saved, before = optimizer.state_dict(), str(other.state_dict())
    cases = list(spoilt(saved["state"], harm))
    assert len(cases) >= 2
    for state in cases:
        with pytest.raises(sg.errors.SymgradError, match=r"load_state_dict: the state .*Expected"):
            other.load_state_dict({"state": state, "param_groups": [{**g, "lr": 9.0} for g in saved["param_groups"]]})
        assert str(other.state_dict()) == before
    other.load_state_dict(saved)
    assert str(other.state_dict()) == str(saved)


WRONG_STATES = {
    "no dict": lambda s: [s],
    "no groups": lambda s: {"state": s["state"]},
    "no states": lambda s: {"param_groups": s["param_groups"]},
    "groups that are none": lambda s: {**s, "param_groups": [1]},
    "a state that is none": lambda s: {**s, "state": {0: 1}},
    "parameters without numbers": lambda s: {**s, "param_groups": [{**s["param_groups"][0], "params": ["a", "b"]}]},
    "a number twice": lambda s: {**s, "param_groups": [{**s["param_groups"][0], "params": [0, 0]}]},
    "a state of nobody": lambda s: {**s, "state": {**s["state"], 7: s["state"][0]}},
    "a state that lacks a part": lambda s: {**s, "state": {0: {"exp_avg": s["state"][0]["exp_avg"]}}},
    "a complex rate": lambda s: {**s, "param_groups": [{**s["param_groups"][0], "lr": 1j}]},
    "a negative rate": lambda s: {**s, "param_groups": [{**s["param_groups"][0], "lr": -1.0}]},
    "text for a rate": lambda s: {**s, "param_groups": [{**s["param_groups"][0], "lr": "0.1"}]},
    "one beta": lambda s: {**s, "param_groups": [{**s["param_groups"][0], "betas": (0.9,)}]},
    "a number for a boolean": lambda s: {**s, "param_groups": [{**s["param_groups"][0], "amsgrad": 2.5}]},
}


@pytest.mark.parametrize("case", WRONG_STATES)
def test_what_is_no_state_of_an_optimizer_is_refused_and_changes_nothing(case):
    optimizer, other = stepped("Adam"), stepped("Adam", 1)
    before = str(other.state_dict())
    with pytest.raises((ValueError, TypeError), match=r"load_state_dict|Invalid learning rate") as caught:
        other.load_state_dict(WRONG_STATES[case](optimizer.state_dict()))
    assert isinstance(caught.value, sg.errors.SymgradError)
    assert str(other.state_dict()) == before


def test_a_state_of_another_optimizer_is_refused():
    for name in ("SGD", "RMSprop", "LBFGS"):
        with pytest.raises(sg.errors.ArgumentError, match=r"exp_avg_sq.*like the one that it was saved of"):
            stepped("Adam").load_state_dict(
                {**stepped("Adam").state_dict(), "state": stepped(name).state_dict()["state"]}
            )


# ------------------------------------------------------------------ minimisers that can stop after any step
def valley(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def waves(x):
    return sg.sin(x * np.array([1.3, 0.7, 2.1])).sum() + 0.3 * (x**2).sum() + 0.4 * x[0] * x[1]


STARTS = {
    "valley": (valley, np.array([-1.2, 1.0, 0.6, 1.7])),
    "waves": (waves, np.array([0.9, -2.3, 1.4])),
    "other waves": (waves, np.array([-1.9, 0.3, 2.8])),
}


def problem_of(f):
    slope, curvature = sg.grad(f), sg.hessian(f)
    both = lambda x: (float(f(sg.tensor(x))), np.array(slope(x)))
    return descents.Problem(both, lambda x, v: np.array(curvature(x)) @ v)


def path(f, start, name, options, steps=12):
    """The states that a method goes through."""
    problem, method = problem_of(f), descents.METHODS[name]
    found = [descents.State(start, *problem.both(start))]
    while len(found) <= steps and not found[-1].message:
        found.append(descents.advanced(problem, found[-1], method, {**method.options, **options}))
    return found


@pytest.mark.parametrize("radius", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("start", ["valley", "other waves"])
def test_a_trust_region_goes_the_way_of_scipys(start, radius):
    optimize = pytest.importorskip("scipy.optimize")
    f, x0 = STARTS[start]
    options = {"initial_trust_radius": radius, "max_trust_radius": 2.0 if radius < 5 else 9.0, "gtol": 1e-9}
    expected: list = []
    optimize.minimize(
        lambda x: float(f(sg.tensor(x))), x0, jac=lambda x: np.array(sg.grad(f)(x)),
        hess=lambda x: np.array(sg.hessian(f)(x)), method="trust-ncg", options={**options, "maxiter": 12},
        callback=lambda x: expected.append(x.copy()),
    )  # fmt: skip
    states = path(f, x0, "trust-ncg", options)[1:]
    assert len(expected) >= 7
    for state, x in zip(states, expected, strict=False):
        np.testing.assert_allclose(state.x, x, atol=1e-11)


@pytest.mark.parametrize("start", STARTS)
def test_a_step_of_l_bfgs_is_that_of_the_dense_formula_and_satisfies_the_wolfe_conditions(start):
    f, x0 = STARTS[start]
    states = path(f, x0, "l-bfgs-b", {"maxcor": 3, "gtol": 1e-7, "ftol": 0.0}, 14)
    pairs, scale = [], 1.0
    for before, after in pairwise(states[:-1]):
        H = scale * np.eye(x0.size)
        for y, s in pairs[-3:]:  # Nocedal and Wright 2006, (6.17)
            V = np.eye(x0.size) - np.outer(y, s) / (y @ s)
            H = V.T @ H @ V + np.outer(s, s) / (y @ s)
        d, s, y = -H @ before.gradient, after.x - before.x, after.gradient - before.gradient
        np.testing.assert_allclose(s / np.linalg.norm(s), d / np.linalg.norm(d), atol=1e-7)
        assert after.value <= before.value + 1e-4 * (before.gradient @ s) + 1e-14
        assert abs(after.gradient @ s) <= 0.9 * abs(before.gradient @ s) + 1e-14
        pairs, scale = [*pairs, (y, s)], (y @ s) / (y @ y)
    assert len(states) > 6


@pytest.mark.parametrize("start", STARTS)
def test_a_step_of_newtons_method_is_along_the_conjugate_gradients(start):
    f, x0 = STARTS[start]
    for before, after in pairwise(path(f, x0, "newton-cg", {"xtol": 1e-10}, 9)[:-1]):
        g, H = before.gradient, np.array(sg.hessian(f)(before.x))
        size, basis = np.linalg.norm(g), np.zeros((x0.size, 0))
        for k in range(x0.size):  # the least model in ever larger Krylov spaces, as long as it curves upwards
            wider = np.linalg.qr(np.column_stack([basis, g if k == 0 else H @ basis[:, -1]]))[0]
            if np.linalg.eigvalsh(wider.T @ H @ wider).min() <= 0:
                break
            basis = wider
            p = -basis @ np.linalg.solve(basis.T @ H @ basis, basis.T @ g)
            if np.linalg.norm(H @ p + g) < min(0.5, size**0.5) * size:
                break
        d = -g if not basis.size else p
        s = after.x - before.x
        np.testing.assert_allclose(s / np.linalg.norm(s), d / np.linalg.norm(d), atol=1e-6)
        assert abs(after.gradient @ s) <= 0.9 * abs(g @ s) + 1e-14


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("l-bfgs-b", {"gtol": 0.7}, "The gradient is within gtol."),
        ("l-bfgs-b", {"ftol": 0.02}, "The loss changes by less than ftol."),
        ("newton-cg", {"xtol": 0.05}, "The step is within xtol."),
        ("trust-ncg", {"gtol": 0.05}, "The gradient is within gtol."),
        ("trust-ncg", {"maxiter": 3}, "The most iterations (maxiter) were taken."),
    ],
)
def test_a_run_ends_at_the_first_step_within_its_tolerance(name, options, said):
    *states, last = path(*STARTS["other waves"], name, options, 40)
    assert last.message == said
    assert last.success == ("maxiter" not in options)
    kind, least = next(iter(options.items()))
    steps = list(pairwise([*states, last]))
    measures = {
        "gtol": [np.abs(s.gradient).max() for s in states],
        "ftol": [(a.value - b.value) / max(abs(a.value), abs(b.value), 1.0) for a, b in steps],
        "xtol": [np.abs(b.x - a.x).mean() for a, b in steps],
        "maxiter": [-s.steps for s in states],
    }[kind]
    within = [m <= (-least if kind == "maxiter" else least) for m in measures]
    assert within == [False] * (len(within) - 1) + [True]
    assert last.steps == len(states) - (kind in ("gtol", "maxiter"))


# ------------------------------------------------------------------ limits, copies, counts
def test_a_tensor_that_keeps_its_gradient_is_a_parameter():
    x = 2 * leaf()
    x.retain_grad()
    assert SGD([x]).param_groups[0]["params"] == [x]


def test_loaded_options_are_copies_and_numbers():
    optimizer, betas = stepped("Adam"), [0.7, 0.8]
    saved = optimizer.state_dict()
    saved["param_groups"][0]["betas"] = betas
    optimizer.load_state_dict(saved)
    betas[0] = 0.1
    assert optimizer.param_groups[0]["betas"] == [0.7, 0.8]
    for rate in (np.array([0.1, 0.2]), True, None):
        saved["param_groups"][0]["lr"] = rate
        with pytest.raises(sg.errors.ArgumentError, match=r"the option lr is .*Expected one like"):
            optimizer.load_state_dict(saved)
    saved["param_groups"][0]["lr"] = np.array([0.25])
    optimizer.load_state_dict(saved)


def test_a_state_may_be_empty_and_fields_of_others_are_copied():
    optimizer, history = stepped("Adam"), [1.0, 2.0]
    saved = optimizer.state_dict()
    other = {**saved["state"][1], "history": history}
    optimizer.load_state_dict({**saved, "state": {0: {}, 1: other}})
    history.append(3.0)
    first, second = optimizer.param_groups[0]["params"]
    assert optimizer.state[first] == {}
    assert optimizer.state[second]["history"] == [1.0, 2.0]


@pytest.mark.parametrize("harm", [{"n_iter": "3"}, {"d": None}, {"t": None}, {"old_stps": []}, {"old_dirs": []}])
def test_a_state_of_lbfgs_that_contradicts_itself_is_refused(harm):
    optimizer = stepped("LBFGS")
    saved = optimizer.state_dict()
    before = str(saved)
    assert saved["state"][0]["old_dirs"]
    with pytest.raises(sg.errors.ArgumentError, match="the state of LBFGS is inconsistent"):
        optimizer.load_state_dict({**saved, "state": {0: {**saved["state"][0], **harm}}})
    assert str(optimizer.state_dict()) == before


@pytest.mark.parametrize("name", descents.METHODS)
def test_states_count_what_was_evaluated(name):
    problem, counts = problem_of(waves), {"both": 0, "product": 0}
    state = descents.State(STARTS["waves"][1], *problem.both(STARTS["waves"][1]))
    both, product = problem._both, problem._product
    problem._both = lambda x: (counts.update(both=counts["both"] + 1), both(x))[1]
    problem._product = lambda x, v: (counts.update(product=counts["product"] + 1), product(x, v))[1]
    method = descents.METHODS[name]
    for _ in range(4):
        state = descents.advanced(problem, state, method, method.options)
    assert (state.steps, state.evaluations, state.products) == (4, 1 + counts["both"], counts["product"])


def test_changes_of_small_losses_are_absolute():
    before = descents.State(np.zeros(1), 0.5, np.ones(1))
    after = descents.State(np.ones(1), 0.49, np.ones(1))
    assert descents._ended_by_change(before, after, 0.011).success
    assert not descents._ended_by_change(before, after, 0.009).message
    large = [descents.State(s.x, s.value * 100, s.gradient) for s in (before, after)]
    assert descents._ended_by_change(*large, 0.021).success
    assert not descents._ended_by_change(*large, 0.019).message


def test_a_step_of_newtons_method_is_measured_by_its_mean():
    f, x0 = STARTS["waves"]
    before, after = path(f, x0, "newton-cg", {"xtol": 1e-10})[1:3]
    sizes = np.abs(after.x - before.x)
    assert sizes.mean() < 0.9 * sizes.max()
    states = path(f, x0, "newton-cg", {"xtol": (sizes.mean() + sizes.max()) / 2})
    assert len(states) <= 3
    assert states[-1].message == "The step is within xtol."


def test_a_trust_region_takes_steps_that_the_model_foretells_and_shrinks_otherwise():
    method, start = descents.METHODS["trust-ncg"], descents.State(np.zeros(1), 0.0, np.ones(1))
    for value, x in ((-0.07, 0.0), (-0.08, -1.0)):  # the model foretells -1/2, and eta is 0.15
        problem = descents.Problem(lambda x, value=value: (value, np.ones(1)), lambda x, v: v)
        after = descents.advanced(problem, start, method, {**method.options, "initial_trust_radius": 5.0})
        assert (after.x.tolist(), after.memory) == ([x], {"radius": 0.25})
    state, worse = start, descents.Problem(lambda x: (1.0, np.ones(1)), lambda x, v: v)
    while not state.message:
        state = descents.advanced(worse, state, method, method.options)
    assert (state.message, state.success) == ("The trust region has shrunk to nothing.", False)
    assert (state.steps, state.x) == (26, 0.0)  # 4^-26 is the first below 2^-52


# ------------------------------------------------------------------ step lengths
LINES = {
    "a parabola": (lambda t: (t - 3.1) ** 2, lambda t: 2 * (t - 3.1)),
    "Moré and Thuente's": (lambda t: -t / (t * t + 2), lambda t: (t * t - 2) / (t * t + 2) ** 2),
    "hardly less at 1": (lambda t: -t + 1.49985 * t**2 - 0.4999 * t**3 + 3 * max(t - 1, 0) ** 4,
                         lambda t: -1 + 2.9997 * t - 1.4997 * t**2 + 12 * max(t - 1, 0) ** 3),
    "an exponential": (lambda t: np.exp(-0.3 * t) + 0.01 * t, lambda t: -0.3 * np.exp(-0.3 * t) + 0.01),
    "a barrier": (lambda t: -3.0 * t - np.log(1 - t) if t < 1 else np.inf,
                  lambda t: -3.0 + 1 / (1 - t) if t < 1 else np.nan),
    "waves": (lambda t: -0.1 * t + np.cos(2 * t) * 0.4 + 0.002 * t * t,
              lambda t: -0.1 - 0.8 * np.sin(2 * t) + 0.004 * t),
}  # fmt: skip


@pytest.mark.parametrize("first", [0.01, 0.7, 1.0, 40.0])
@pytest.mark.parametrize("line", LINES)
def test_step_lengths_satisfy_the_wolfe_conditions(line, first):
    value, slope = LINES[line]
    lengths = []

    def along(t):
        lengths.append(t)
        return value(t), slope(t), ("gradient", t)

    t, found, gradient = wolfe.strong_wolfe(along, first, value(0.0), slope(0.0), None)
    assert (found, gradient) == (value(t), ("gradient", t))
    assert found <= value(0.0) + 1e-4 * t * slope(0.0)
    assert abs(slope(t)) <= 0.9 * abs(slope(0.0))
    assert len(lengths) <= 12


def test_a_line_without_such_a_length_gives_the_least_value_that_was_met():
    lengths = []
    falling = lambda t: (lengths.append(t), (-t, -1.0, t))[1]
    assert wolfe.strong_wolfe(falling, 1.0, 0.0, -1.0, None) == (max(lengths), -max(lengths), max(lengths))
    assert len(lengths) == 25
    lengths.clear()
    jumping = lambda t: (lengths.append(t), (-t if t < 3 else 9.0, -1.0, t))[1]
    t, value, _ = wolfe.strong_wolfe(jumping, 0.01, 0.0, -1.0, None)
    assert (t, value) == (max(s for s in lengths if s < 3), -t)
    assert len(lengths) <= 25


def test_the_cubic_through_two_points_is_least_where_its_derivative_is_0():
    at = lambda t: wolfe._Point(t, 2 * t**3 - 9 * t**2 + 12 * t, 6 * t * t - 18 * t + 12, None)  # least at 2
    for a, b in ((1.2, 2.5), (0.3, 3.0), (2.2, 5.0), (1.1, 1.4)):
        assert wolfe._between(at(a), at(b), 0.0, 9.0) == pytest.approx(2.0)
        assert wolfe._between(at(b), at(a), 0.0, 9.0) == pytest.approx(2.0)
    line = lambda t: wolfe._Point(t, t**3 + t, 3 * t * t + 1, None)  # has no minimum
    assert wolfe._between(line(0.5), line(2.0), 0.5, 2.0) == 1.25


# ------------------------------------------------------------------ steps that are differentiated
@pytest.mark.parametrize("kind", sorted({k for k, _ in OPTIMIZERS}, key=lambda k: k.__name__))
def test_a_step_is_differentiated_with_respect_to_parameter_gradient_and_state(kind):
    def stepped(p, *gradients):
        p = p.clone()
        optimizer = kind([p], differentiable=True)
        for g in gradients:
            p.grad = g
            optimizer.step()
        return p

    tensors = [sg.tensor([0.5, -1.5], requires_grad=True), *(sg.tensor(g, requires_grad=True)
               for g in ([0.3, -0.7], [0.2, 0.4]))]  # fmt: skip
    assert sg.autograd.gradcheck(stepped, tensors)
    plain = sg.tensor([0.5, -1.5], requires_grad=True)
    optimizer = kind([plain])
    for g in tensors[1:]:
        plain.grad = g.detach()
        optimizer.step()
    np.testing.assert_allclose(stepped(*tensors).detach(), plain.detach(), rtol=1e-12)


def test_a_rate_is_learned_through_differentiable_steps():
    lr, x = sg.tensor(0.1, requires_grad=True), sg.tensor([1.0, 2.0], requires_grad=True)
    p = x.clone()
    optimizer = sg.optim.SGD([p], lr=lr, differentiable=True)
    for _ in range(2):
        (p.grad,) = sg.autograd.grad((p**2).sum(), p, create_graph=True)
        optimizer.step()
    (p**2).sum().backward()  # |x|² (1 - 2 lr)⁴
    np.testing.assert_allclose(lr.grad, -8 * 5 * 0.8**3)
    np.testing.assert_allclose(x.grad, 2 * x.detach() * 0.8**4)


def test_a_leaf_is_not_changed_by_a_recorded_step():
    x = sg.ones(2, requires_grad=True)
    x.grad = sg.ones(2)
    with pytest.raises(sg.errors.GraphError, match=r"would change a leaf that requires grad. Pass p.clone\(\)"):
        sg.optim.SGD([x], lr=0.1, differentiable=True).step()


# ------------------------------------------------------------------ torch's options, and hooks
def test_options_of_torchs_that_change_nothing_are_taken_and_others_refused():
    x = sg.ones(2, requires_grad=True)
    for kind in {k for k, _ in OPTIMIZERS}:
        kind([x], foreach=True, capturable=False, differentiable=False, fused=None)
        with pytest.raises(sg.errors.ArgumentError, match="capturable=True: it is for graphs of CUDA"):
            kind([x], capturable=True)
        with pytest.raises(
            sg.errors.ArgumentTypeError, match=f"{kind.__name__}.. got an unexpected .* 'lrr'. Expected"
        ):
            kind([x], lrr=0.1)


def hooked(lib):
    """The calls of an optimiser's hooks, in their order."""
    calls, x = [], lib.ones(2, requires_grad=True)
    optimizer = lib.optim.SGD([x], lr=0.5)
    module = __import__(f"{lib.__name__}.optim.optimizer", fromlist=["x"])
    handles = [
        module.register_optimizer_step_pre_hook(lambda o, args, kwargs: calls.append("before all")),
        module.register_optimizer_step_post_hook(lambda o, args, kwargs: calls.append("after all")),
    ]
    optimizer.register_step_pre_hook(lambda o, args, kwargs: calls.append(("before", len(args), sorted(kwargs))))
    optimizer.register_step_post_hook(lambda o, args, kwargs: calls.append("after"))
    optimizer.register_state_dict_pre_hook(lambda o: calls.append("saving"))
    optimizer.register_state_dict_post_hook(lambda o, s: {**s, "note": 3})
    optimizer.register_state_dict_post_hook(lambda o, s: calls.append(sorted(s)), prepend=True)
    optimizer.register_load_state_dict_pre_hook(lambda o, s: {k: v for k, v in s.items() if k != "note"})
    optimizer.register_load_state_dict_post_hook(lambda o: calls.append("loaded"))
    x.sum().backward()
    optimizer.step()
    for handle in handles:
        handle.remove()
    optimizer.step(closure=lambda: 1.0)
    state = optimizer.state_dict()
    optimizer.load_state_dict(state)
    return calls, state["note"], x.detach().numpy().tolist()


def test_hooks_of_an_optimizer_are_called_as_torchs():
    torch = pytest.importorskip("torch")
    assert hooked(sg) == hooked(torch)


def test_state_dict_numbers_a_repeated_parameter_once():
    optimizer = sg.optim.SGD([sg.ones(2, requires_grad=True), sg.ones(3, requires_grad=True)], lr=0.1)
    optimizer.param_groups.extend(optimizer.param_groups)
    assert [g["params"] for g in optimizer.state_dict()["param_groups"]] == [[0, 1], [0, 1]]
