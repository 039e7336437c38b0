"""What a training loop needs beside modules: L-BFGS, learning rates that change, and batches."""

import importlib
import json
import pickle
from collections import namedtuple
from itertools import permutations

import numpy as np
import pytest

import symgrad as sg
from symgrad.optim import lr_scheduler
from symgrad.utils import data


def of_torch():
    return pytest.importorskip("torch", reason="compares with torch")


# ------------------------------------------------------------------ L-BFGS
def rosenbrock(x):
    return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()


def descended(lib, options, steps, function=rosenbrock):
    x = lib.tensor(np.array([-1.2, 1.0, 0.5]), requires_grad=True)
    optimizer = lib.optim.LBFGS([x], **options)
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = function(x)
        loss.backward()
        return loss

    for _ in range(steps):
        losses.append(optimizer.step(closure).item())
    return x.detach().numpy(), losses


@pytest.mark.parametrize("options", [{"lr": 0.1}, {"lr": 0.05, "max_iter": 7, "history_size": 3}], ids=str)
def test_lbfgs_without_a_line_search_is_torchs(options):
    torch = of_torch()
    ours, theirs = descended(sg, options, 4), descended(torch, options, 4)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-9)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-9)


@pytest.mark.parametrize("options", [
    {"lr": 0.1, "max_iter": 30, "max_eval": 6},
    {"lr": 0.1, "max_iter": 30, "tolerance_change": 0.05},
    {"lr": 0.1, "max_iter": 30, "tolerance_change": 1e-12, "tolerance_grad": 3.0},
    {"lr": 0.3, "max_iter": 9, "history_size": 2, "tolerance_change": 1e-12},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("scale", [1.0, 1e-4])
def test_lbfgs_ends_where_torchs_does(options, scale):
    torch = of_torch()

    def ran(lib):
        x = lib.tensor(np.array([[-1.2, 1.0], [0.5, 0.8]]), requires_grad=True)
        b = lib.tensor(np.array([0.3]), requires_grad=True)
        optimizer = lib.optim.LBFGS([x, b], **options)

        calls = []

        def closure():
            calls.append(0)
            optimizer.zero_grad()
            loss = scale * (((1 - x) ** 2).sum() + 3 * ((x[0] - b) ** 4).sum() + (x[1] * x[0] - 2 * b).cos().sum())
            loss.backward()
            return loss

        losses = [optimizer.step(closure).item() for _ in range(3)]
        assert lib is torch or optimizer.state[x]["func_evals"] == len(calls)
        return [*losses, *x.detach().numpy().ravel(), b.item()]

    np.testing.assert_allclose(ran(sg), ran(torch), rtol=1e-9)


def test_lbfgs_with_a_line_search_reaches_the_minimum():
    x, losses = descended(sg, {"line_search_fn": "strong_wolfe", "tolerance_change": 1e-15}, 10)
    np.testing.assert_allclose(x, 1.0, rtol=1e-6)
    assert losses == sorted(losses, reverse=True)


def test_lbfgs_with_a_line_search_needs_no_more_evaluations_than_torch():
    torch = of_torch()
    assert evaluations(sg) <= 1.3 * evaluations(torch)


def evaluations(lib):
    calls = []
    options = {"line_search_fn": "strong_wolfe", "max_iter": 100}
    descended(lib, options, 1, lambda x: calls.append(0) or rosenbrock(x))
    return len(calls)


def test_lbfgs_survives_a_region_where_the_loss_is_infinite():
    x = sg.tensor([0.5], requires_grad=True)
    optimizer = sg.optim.LBFGS([x], line_search_fn="strong_wolfe", tolerance_change=1e-15)

    def closure():
        optimizer.zero_grad()
        loss = (x - sg.log(1 - x)).sum() + 1 / x.sum()  # defined between 0 and 1
        loss.backward()
        return loss

    for _ in range(5):
        optimizer.step(closure)
    assert abs(x.grad.item()) < 1e-6


def test_lbfgs_refuses_what_it_cannot_do():
    x = sg.zeros(2, requires_grad=True)
    with pytest.raises(TypeError, match="closure"):
        sg.optim.LBFGS([x]).step()
    with pytest.raises(ValueError, match="strong_wolfe"):
        sg.optim.LBFGS([x], line_search_fn="armijo")
    with pytest.raises(ValueError, match="groups"):
        sg.optim.LBFGS([{"params": [x]}, {"params": [sg.zeros(1, requires_grad=True)]}])


# ------------------------------------------------------------------ learning rates
SCHEDULES = [
    ("StepLR", {"step_size": 3, "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [2, 5, 5], "gamma": 0.3}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("CosineAnnealingLR", {"T_max": 8, "eta_min": 0.01}),
    ("LambdaLR", {"lr_lambda": lambda t: 1 / (1 + t)}),
    ("MultiplicativeLR", {"lr_lambda": lambda t: 0.9 + 0.01 * t}),
    ("LinearLR", {"start_factor": 0.25, "total_iters": 4}),
    ("LinearLR", {"start_factor": 1.0, "end_factor": 0.0, "total_iters": 6}),
    ("ConstantLR", {"factor": 0.5, "total_iters": 4}),
    ("PolynomialLR", {"total_iters": 7, "power": 1.5}),
    ("CosineAnnealingWarmRestarts", {"T_0": 2, "T_mult": 2, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 5}),
    ("OneCycleLR", {"max_lr": [3.0, 0.5], "total_steps": 12, "cycle_momentum": False}),
    (
        "OneCycleLR",
        {"max_lr": 3.0, "epochs": 4, "steps_per_epoch": 5, "three_phase": True, "anneal_strategy": "linear"},
    ),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 3}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 2, "step_size_down": 3, "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 2, "mode": "exp_range", "gamma": 0.9}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 2, "scale_fn": lambda x: 1 / x}),
]


def rates(lib, name, options, epochs=12):
    groups = [{"params": [lib.zeros(1, requires_grad=True)], "lr": lr} for lr in (1.0, 0.2)]
    optimizer = lib.optim.SGD(groups, lr=0.5, momentum=0.3)
    schedule = getattr(lib.optim.lr_scheduler, name)(optimizer, **options)
    found = []
    for k in range(epochs):
        found.append([g[key] for g in optimizer.param_groups for key in ("lr", "momentum")])
        optimizer.step()
        schedule.step(*([[3.0, 2.0, 2.0, 2.5, 1.9999, 1.9999, 5.0][k % 7]] if "Plateau" in name else []))
    return np.array(found, float)


@pytest.mark.parametrize(("name", "options"), SCHEDULES, ids=[n for n, _ in SCHEDULES])
def test_rates_are_torchs(name, options):
    np.testing.assert_allclose(rates(sg, name, options), rates(of_torch(), name, options), rtol=1e-12)


@pytest.mark.parametrize(("name", "options"), SCHEDULES, ids=[n for n, _ in SCHEDULES])
def test_a_schedule_that_begins_at_an_epoch_goes_on_as_torchs(name, options):
    groups = [{"params": [sg.zeros(1, requires_grad=True)], "lr": lr} for lr in (1.0, 0.2)]
    optimizer, kind = sg.optim.SGD(groups, lr=0.5, momentum=0.3), getattr(lr_scheduler, name)
    schedule = kind(optimizer, **options)
    optimizer.step()
    for _ in range(4):
        schedule.step()
    schedule, found = kind(optimizer, **options, last_epoch=4), []
    for _ in range(5):
        found.append(schedule.get_last_lr())
        schedule.step()
    np.testing.assert_allclose(found, rates(of_torch(), name, options)[5:10, ::2], rtol=1e-12)


def sequence(lib, kind):
    """The rates of schedules made of schedules."""
    optimizer = lib.optim.SGD([lib.zeros(1, requires_grad=True)], lr=0.5)
    S = lib.optim.lr_scheduler
    parts = [
        S.LinearLR(optimizer, 0.1, total_iters=3),
        S.ExponentialLR(optimizer, 0.9),
        S.CosineAnnealingLR(optimizer, 5),
    ]
    schedule = S.SequentialLR(optimizer, parts, [3, 6]) if kind == "sequential" else S.ChainedScheduler(parts)
    found = []
    for _ in range(10):
        optimizer.step()
        schedule.step()
        found.append(schedule.get_last_lr()[0])
    return found


@pytest.mark.parametrize("kind", ["sequential", "chained"])
def test_schedules_made_of_schedules_have_torchs_rates(kind):
    np.testing.assert_allclose(sequence(sg, kind), sequence(of_torch(), kind), rtol=1e-12)


def test_a_sequence_of_schedules_goes_on_from_its_state():
    def fresh():
        optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        parts = [lr_scheduler.ConstantLR(optimizer, 0.5, 2), lr_scheduler.ExponentialLR(optimizer, 0.5)]
        return optimizer, lr_scheduler.SequentialLR(optimizer, parts, [3])

    (first, one), (second, two) = fresh(), fresh()
    first.step()
    second.step()
    for _ in range(5):
        one.step()
    second.load_state_dict(first.state_dict())
    two.load_state_dict(json.loads(json.dumps(one.state_dict())))
    one.step()
    two.step()
    assert two.get_last_lr() == one.get_last_lr() == [0.125]
    with pytest.raises(sg.errors.ArgumentError, match="expected the state of a SequentialLR"):
        two.load_state_dict({})


def test_a_sequence_goes_on_while_the_rate_is_the_first_of_a_schedule_that_does_not_run():
    def fresh():
        optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=0.2)
        parts = [
            lr_scheduler.ConstantLR(optimizer, 0.1, 3),
            lr_scheduler.CosineAnnealingLR(optimizer, 8),
            lr_scheduler.StepLR(optimizer, 3, 0.5),
        ]
        return optimizer, lr_scheduler.SequentialLR(optimizer, parts, [3, 11])

    (first, one), (second, two) = fresh(), fresh()
    first.step()
    for _ in range(13):
        one.step()
    second.load_state_dict(first.state_dict())
    two.load_state_dict(one.state_dict())
    assert two.get_last_lr() == one.get_last_lr() == [0.2]
    one.step()
    second.step()
    two.step()
    assert two.get_last_lr() == one.get_last_lr() == [0.1]


def averaged(lib, options, bn=False):
    """The averages of a model that is trained, its rates by SWALR, and statistics of batches computed anew."""
    layers = [lib.nn.Linear(3, 2)] + ([lib.nn.BatchNorm1d(2)] if bn else [])
    model = lib.nn.Sequential(*layers).double()
    start = np.arange(6.0).reshape(2, 3) / 7
    model[0].weight.data = lib.tensor(start)
    model[0].bias.data = lib.tensor([0.5, -0.25], dtype=lib.float64)
    optimizer = lib.optim.SGD(model.parameters(), lr=0.4)
    swa = lib.optim.swa_utils
    mean = swa.AveragedModel(model, **{k: v(swa) for k, v in options.items()})
    cosine, last = lib.optim.lr_scheduler.CosineAnnealingLR(optimizer, 6), swa.SWALR(optimizer, 0.05, 3)
    data, found = lib.tensor(np.cos(np.arange(12.0)).reshape(4, 3)), []
    for k in range(9):
        optimizer.zero_grad()
        ((model(data) - 1) ** 2).sum().backward()
        optimizer.step()
        if k > 2:
            mean.update_parameters(model)
        (last if k > 2 else cosine).step()
        found.append(optimizer.param_groups[0]["lr"])
    if bn:
        swa.update_bn([data[:2], (data[2:], 1)], mean)
    return found, {k: v.detach().numpy().tolist() for k, v in mean.state_dict().items()}


@pytest.mark.parametrize("options", [
    {}, {"multi_avg_fn": lambda swa: swa.get_ema_multi_avg_fn(0.9)},
    {"avg_fn": lambda swa: lambda m, x, n: m + 0.3 * (x - m)},
    {"use_buffers": lambda swa: True, "avg_fn": lambda swa: swa.get_ema_avg_fn(0.5)},
], ids=["mean", "ema", "own", "buffers"])  # fmt: skip
@pytest.mark.parametrize("bn", [False, True])
def test_averages_of_a_model_are_torchs(options, bn):
    (rates, state), (expected, theirs) = averaged(sg, options, bn), averaged(of_torch(), options, bn)
    np.testing.assert_allclose(rates, expected, rtol=1e-12)
    assert state.keys() == theirs.keys()
    for k, v in state.items():
        np.testing.assert_allclose(v, theirs[k], rtol=1e-9, atol=1e-12, err_msg=k)


def test_a_schedule_that_moves_before_its_optimizer_warns():
    optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
    schedule = lr_scheduler.ExponentialLR(optimizer, 0.5)
    with pytest.warns(UserWarning, match=r"`lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        schedule.step()


def test_a_schedule_of_the_users_is_one_method():
    class Halving(lr_scheduler.LRScheduler):
        def get_lr(self):
            return [base * 0.5**self.last_epoch for base in self.base_lrs]

    optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
    schedule = Halving(optimizer)
    optimizer.step()
    schedule.step()
    assert schedule.get_last_lr() == [0.5]


@pytest.mark.parametrize(("name", "options"), [
    ("LinearLR", {"start_factor": 0.0}), ("LinearLR", {"end_factor": 2.0}), ("ConstantLR", {"factor": -1.0}),
    ("CosineAnnealingWarmRestarts", {"T_0": 0}), ("CosineAnnealingWarmRestarts", {"T_0": 2, "T_mult": 0}),
    ("OneCycleLR", {"max_lr": 1.0}), ("OneCycleLR", {"max_lr": [1.0, 2.0, 3.0], "total_steps": 5}),
    ("OneCycleLR", {"max_lr": 1.0, "total_steps": 5, "anneal_strategy": "up"}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "mode": "round"}),
    ("MultiplicativeLR", {"lr_lambda": [abs, abs, abs]}),
    ("SequentialLR", {"schedulers": [], "milestones": []}),
])  # fmt: skip
def test_schedules_refuse_options_that_torch_refuses(name, options):
    for lib in (sg, of_torch()):
        optimizer = lib.optim.SGD([lib.zeros(1, requires_grad=True)], lr=1.0, momentum=0.5)
        with pytest.raises(ValueError):  # noqa: PT011
            getattr(lib.optim.lr_scheduler, name)(optimizer, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"factor": 0.5, "patience": 1},
        {"factor": 0.5, "patience": 0, "threshold": 0.4},
        {"factor": 0.5, "patience": 0, "threshold": 0.4, "threshold_mode": "abs"},
        {"factor": 0.5, "patience": 0, "eps": 0.03},
        {"factor": 0.5, "patience": 0, "cooldown": 2, "min_lr": [0.1, 0.15]},
        {"mode": "max", "patience": 1, "threshold": 0.1, "threshold_mode": "abs"},
    ],
    ids=str,
)
def test_rates_on_a_plateau_are_torchs(options):
    ours, theirs = rates(sg, "ReduceLROnPlateau", options), rates(of_torch(), "ReduceLROnPlateau", options)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert ours[-1, 0] < 1


def chained(lib, schedules, changed):
    """The rates where several schedules share an optimiser, and someone sets one between two epochs."""
    groups = [{"params": [lib.zeros(1, requires_grad=True)], "lr": lr} for lr in (1.0, 0.2)]
    optimizer = lib.optim.SGD(groups, lr=0.5)
    all_of_them = [getattr(lib.optim.lr_scheduler, name)(optimizer, **options) for name, options in schedules]
    found = []
    for k in range(18):
        found.append([g["lr"] for g in optimizer.param_groups])
        optimizer.step()
        if k == changed:
            optimizer.param_groups[1]["lr"] = 0.77
        for schedule, (name, _) in zip(all_of_them, schedules, strict=True):
            schedule.step(*([1.0] if "Plateau" in name else []))
    return np.array(found, float)


CHAINED = [*SCHEDULES[:3], ("CosineAnnealingLR", {"T_max": 4, "eta_min": 0.01}), SCHEDULES[4],
           ("ReduceLROnPlateau", {"factor": 0.7, "patience": 2})]  # fmt: skip


@pytest.mark.parametrize("changed", [None, 6])
@pytest.mark.parametrize("schedules", list(permutations(CHAINED, 2)), ids=lambda s: " ".join(name for name, _ in s))
def test_schedules_of_one_optimiser_are_chained_as_torchs(schedules, changed):
    ours, theirs = chained(sg, schedules, changed), chained(of_torch(), schedules, changed)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_the_state_of_one_of_two_schedules_leaves_their_common_rate():
    def fresh():
        optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        return optimizer, lr_scheduler.ExponentialLR(optimizer, 0.5), lr_scheduler.ExponentialLR(optimizer, 0.25)

    first, second = fresh(), fresh()
    first[0].step()
    for schedule in (*first[1:], *first[1:]):
        schedule.step()
    for ours, theirs in zip(second, first, strict=True):
        ours.load_state_dict(theirs.state_dict())
    assert second[1].get_last_lr() == [(0.5 * 0.25) ** 2]


WRONG_SCHEDULES = {
    "a list": lambda s: [s],
    "of another schedule": lambda s: {k: v for k, v in s.items() if k != "gamma"},
    "another field": lambda s: {**s, "step": 1},
    "a complex gamma": lambda s: {**s, "gamma": 0.5j},
    "text for an epoch": lambda s: {**s, "last_epoch": "3"},
    "an array for an epoch": lambda s: {**s, "last_epoch": np.arange(2)},
    "two rates": lambda s: {**s, "base_lrs": [1.0, 2.0]},
    "complex rates": lambda s: {**s, "base_lrs": [1j]},
    "a number for rates": lambda s: {**s, "base_lrs": 1.0},
    "no epochs": lambda s: {**s, "step_size": 0, "last_epoch": 2},
}


@pytest.mark.parametrize("case", WRONG_SCHEDULES)
def test_what_is_no_state_of_a_schedule_is_refused_and_changes_nothing(case):
    optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
    schedule = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    optimizer.step()
    schedule.step()
    before = dict(vars(schedule)), schedule.get_last_lr()
    with pytest.raises(sg.errors.ArgumentError, match="load_state_dict: "):
        schedule.load_state_dict(WRONG_SCHEDULES[case](schedule.state_dict()))
    assert (vars(schedule), schedule.get_last_lr()) == before


def test_a_schedule_goes_on_from_its_state():
    def fresh():
        optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
        optimizer.step()
        return lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)

    first, second = fresh(), fresh()
    for _ in range(4):
        first.step()
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert second.get_last_lr() == first.get_last_lr()
    first.step()
    second.step()
    assert second.get_last_lr() == first.get_last_lr()


def test_schedules_refuse_what_makes_no_sense():
    optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
    with pytest.raises(TypeError, match="Expected an optimiser"):
        lr_scheduler.StepLR(3, 1)
    with pytest.raises(ValueError, match="Expected 1 lr_lambdas"):
        lr_scheduler.LambdaLR(optimizer, [abs, abs])
    with pytest.raises(ValueError, match=r"T_max: got 0\. Expected a number of epochs above 0"):
        lr_scheduler.CosineAnnealingLR(optimizer, T_max=0)
    plateau = lr_scheduler.ReduceLROnPlateau(optimizer)
    with pytest.raises(ValueError, match="min_lrs of ReduceLROnPlateau is"):
        plateau.load_state_dict({**plateau.state_dict(), "min_lrs": [0.0, 0.0]})
    with pytest.raises(ValueError, match="Factor"):
        lr_scheduler.ReduceLROnPlateau(optimizer, factor=1.5)
    with pytest.raises(ValueError, match="mode"):
        lr_scheduler.ReduceLROnPlateau(optimizer, mode="least")


# ------------------------------------------------------------------ batches
def test_every_sample_comes_once_a_pass():
    samples = data.TensorDataset(sg.arange(10), sg.arange(10) * 2.0)
    loader = data.DataLoader(samples, batch_size=3, shuffle=True, generator=sg.Generator())
    first = [x.tolist() for x, _ in loader]
    second = [x.tolist() for x, _ in loader]
    assert sorted(i for batch in first for i in batch) == list(range(10))
    assert first != second
    assert [len(b) for b in first] == [3, 3, 3, 1]
    assert len(loader) == 4
    assert all((y == 2 * x).all() for x, y in loader)
    assert len(list(data.DataLoader(samples, batch_size=3, drop_last=True))) == 3


class Squares(data.Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, i):
        return {"x": float(i), "pair": (np.full(2, i), f"sample {i}")}


def test_samples_of_any_structure_become_batches():
    batch = next(iter(data.DataLoader(Squares(), batch_size=2)))
    assert batch["x"].tolist() == [0.0, 1.0]
    assert batch["pair"][0].tolist() == [[0, 0], [1, 1]]
    assert batch["pair"][1] == ["sample 0", "sample 1"]
    assert next(iter(data.DataLoader(Squares(), batch_size=None)))["x"] == 0.0
    assert [len(b) for b in data.DataLoader(Squares(), 2, collate_fn=list)] == [2, 2, 1]


def test_random_split_takes_lengths_and_shares():
    samples = data.TensorDataset(sg.arange(10))
    a, b = data.random_split(samples, [7, 3])
    assert sorted(a.indices + b.indices) == list(range(10))
    assert [len(p) for p in data.random_split(samples, [0.55, 0.45])] == [6, 4]
    (batch,) = next(iter(data.DataLoader(b, batch_size=3)))
    assert batch.tolist() == list(b.indices)
    with pytest.raises(ValueError, match="Sum of input lengths"):
        data.random_split(samples, [7, 4])


@pytest.mark.parametrize(
    "lengths",
    [[0.35, 0.35, 0.3], [0.5, 0.25], [0.55, 0.45], [1, 9], [1], [10], [0.1] * 10, [0.26, 0.37, 0.37], [3, 9]],
)
def test_the_sizes_of_a_random_split_are_torchs(lengths):
    def sizes(lib, split):
        samples = split.TensorDataset(lib.arange(10))
        try:
            return [len(p) for p in split.random_split(samples, lengths)]
        except ValueError as error:
            return str(error)[:20]

    assert sizes(sg, data) == sizes(of_torch(), importlib.import_module("torch.utils.data"))


def test_a_part_of_a_part_has_the_samples_of_its_numbers():
    samples = data.TensorDataset(sg.arange(10) * 3)
    part = data.Subset(data.Subset(samples, [7, 2, 9, 4]), [3, 0])
    assert [part[k][0].item() for k in range(2)] == [12, 21]
    assert data.Subset(samples, [7, 2, 9])[[2, 0]][0].tolist() == [27, 21]
    assert data.Subset(samples, np.array([7, 2]))[np.int64(1)][0].item() == 6
    ((batch,),) = data.DataLoader(part, batch_size=2)
    assert batch.tolist() == [12, 21]
    ((word,),) = data.DataLoader(data.Subset(["a", "b", "c"], [2]))
    assert word == "c"


Sample = namedtuple("Sample", "x label")
BATCHES = {
    "tensors": lambda lib: [lib.tensor([1.0, 2.0]), lib.tensor([3.0, 5.0])],
    "numbers": lambda lib: [1, 4],
    "booleans": lambda lib: [True, False],
    "arrays": lambda lib: [np.array([1.5]), np.array([2.5])],
    "named tuples": lambda lib: [Sample(1.0, [2, 3]), Sample(4.0, [5, 6])],
    "lists in dicts": lambda lib: [{"a": [1, 2.5], "b": "x"}, {"a": [3, 4.5], "b": "y"}],
}


@pytest.mark.parametrize("name", BATCHES)
def test_batches_are_torchs(name):
    pytest.importorskip("torch")
    collate = importlib.import_module("torch.utils.data").default_collate

    def plain(x):
        if isinstance(x, dict):
            return {k: plain(v) for k, v in x.items()}
        if isinstance(x, (list, tuple)):
            return type(x).__name__, [plain(v) for v in x]
        return (x.tolist(), str(x.dtype).removeprefix("torch.")) if hasattr(x, "tolist") else x

    ours, theirs = data.default_collate(BATCHES[name](sg)), collate(BATCHES[name](of_torch()))
    assert str(plain(ours)).replace("float64", "float32") == str(plain(theirs)).replace("float64", "float32")


@pytest.mark.parametrize(("size", "drop"), [(3, False), (3, True), (10, True), (11, True), (None, False), (4, False)])
def test_batches_are_as_many_as_torchs(size, drop):
    def batches(lib, module):
        samples = module.TensorDataset(lib.arange(10))
        loader = module.DataLoader(samples, batch_size=size, drop_last=drop)
        return len(loader), [x.tolist() for (x,) in loader]

    assert batches(sg, data) == batches(of_torch(), importlib.import_module("torch.utils.data"))


def test_batches_refuse_what_makes_no_sense():
    with pytest.raises(ValueError, match="positive integer"):
        data.DataLoader(Squares(), batch_size=0)
    with pytest.raises(ValueError, match="Size mismatch"):
        data.TensorDataset(sg.zeros(3), sg.zeros(4))
    with pytest.raises(RuntimeError, match=r"should be of equal size. Got lengths \[2, 3\]"):
        data.default_collate([[1, 2], [3, 4, 5]])


def test_averaged_models_take_the_device_and_are_pickled():
    model = sg.nn.Linear(2, 2)
    for device in ("cpu", sg.device("cpu"), None):
        mean = sg.optim.swa_utils.AveragedModel(model, device=device)
    mean.update_parameters(model)
    again = pickle.loads(pickle.dumps(mean))
    again.update_parameters(model)
    np.testing.assert_allclose(again.module.weight.detach(), model.weight.detach())
    sg.optim.swa_utils.update_bn([np.ones((2, 2))], model, device="cpu")
