"""What a training loop needs beside modules: L-BFGS, learning rates that change, batches, files."""

import io
import json
import os
import zipfile

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
]


def rates(lib, name, options, epochs=12):
    groups = [{"params": [lib.zeros(1, requires_grad=True)], "lr": lr} for lr in (1.0, 0.2)]
    optimizer = lib.optim.SGD(groups, lr=0.5)
    schedule = getattr(lib.optim.lr_scheduler, name)(optimizer, **options)
    found = []
    for k in range(epochs):
        found.append([g["lr"] for g in optimizer.param_groups])
        optimizer.step()
        schedule.step(*([[3.0, 2.0, 2.0, 2.5, 1.9999, 1.9999, 5.0][k % 7]] if "Plateau" in name else []))
    return np.array(found, float)


@pytest.mark.parametrize(("name", "options"), SCHEDULES, ids=[n for n, _ in SCHEDULES])
def test_rates_are_torchs(name, options):
    np.testing.assert_allclose(rates(sg, name, options), rates(of_torch(), name, options), rtol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"factor": 0.5, "patience": 1},
        {"factor": 0.5, "patience": 0, "cooldown": 2, "min_lr": [0.1, 0.15]},
        {"mode": "max", "patience": 1, "threshold": 0.1, "threshold_mode": "abs"},
    ],
    ids=str,
)
def test_rates_on_a_plateau_are_torchs(options):
    ours, theirs = rates(sg, "ReduceLROnPlateau", options), rates(of_torch(), "ReduceLROnPlateau", options)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert ours[-1, 0] < 1


def test_a_schedule_goes_on_from_its_state():
    def fresh():
        optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
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
    with pytest.raises(TypeError, match="not an Optimizer"):
        lr_scheduler.StepLR(3, 1)
    with pytest.raises(ValueError, match="Expected 1 lr_lambdas"):
        lr_scheduler.LambdaLR(optimizer, [abs, abs])
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


def test_batches_refuse_what_makes_no_sense():
    with pytest.raises(ValueError, match="positive integer"):
        data.DataLoader(Squares(), batch_size=0)
    with pytest.raises(ValueError, match="Size mismatch"):
        data.TensorDataset(sg.zeros(3), sg.zeros(4))


# ------------------------------------------------------------------ files
def test_a_file_gives_back_what_was_saved(tmp_path):
    model = sg.nn.Linear(2, 3)
    optimizer = sg.optim.Adam(model.parameters())
    model(sg.ones(1, 2)).sum().backward()
    optimizer.step()
    saved = {
        "model": model.state_dict(), "optimizer": optimizer.state_dict(), "p": model.weight,
        "plain": [True, 2, 1e-300, "ä", None, (np.arange(3, dtype=np.uint8), float("inf"))],
        "half": sg.tensor([1.5], dtype=sg.float16), "empty": sg.zeros(0, 2), "flags": sg.tensor([True, False]),
        "named": sg.tensor(2.0, requires_grad=True, name="x"), 3: {},
    }  # fmt: skip
    sg.save(saved, tmp_path / "all.zip")
    found = sg.load(tmp_path / "all.zip")
    assert list(found) == list(saved)
    assert found["plain"][:5] == saved["plain"][:5]
    assert found["plain"][5][0].dtype == np.uint8
    assert found["plain"][5][1] == float("inf")
    assert isinstance(found["p"], sg.nn.Parameter)
    assert found["named"].name == "x"
    assert found["named"].requires_grad
    assert found["half"].dtype == np.float16
    assert found["empty"].shape == (0, 2)
    other = sg.nn.Linear(2, 3)
    other.load_state_dict(found["model"])
    again = sg.optim.Adam(other.parameters())
    again.load_state_dict(found["optimizer"])
    assert str(again.state_dict()) == str(optimizer.state_dict())
    assert os.listdir(tmp_path) == ["all.zip"]


def test_a_file_may_be_an_open_one():
    file = io.BytesIO()
    sg.save([sg.ones(2)], file)
    file.seek(0)
    assert sg.load(file)[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "thing",
    [sg.nn.Linear(1, 1), len, {"a": [object()]}, np.array([None])],
    ids=["a model", "a function", "an object inside", "an array of objects"],
)
def test_what_cannot_be_saved_is_named_and_leaves_the_old_file(thing, tmp_path):
    path = tmp_path / "old.zip"
    sg.save(1, path)
    with pytest.raises(TypeError, match="save: "):
        sg.save(thing, path)
    assert sg.load(path) == 1
    assert os.listdir(tmp_path) == ["old.zip"]


PLACES = {"no folder": ("none/all.zip", "the folder .*none is not there"), "a folder": (".", ".* is a folder")}


@pytest.mark.parametrize("case", PLACES)
def test_a_place_where_no_file_can_be_is_refused_by_its_name(case, tmp_path):
    name, message = PLACES[case]
    with pytest.raises(ValueError, match=f"save: {message}"):
        sg.save(1, tmp_path / name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("place", [None, 5, b"all.zip"])
def test_what_is_no_path_is_refused(place):
    with pytest.raises(TypeError, match="save: expected a path or an open file, got"):
        sg.save(1, place)
    with pytest.raises(TypeError, match="load: expected a path or an open file, got"):
        sg.load(place)


def test_a_model_is_saved_by_its_state():
    with pytest.raises(TypeError, match=r"Linear.*state_dict\(\)"):
        sg.save(sg.nn.Linear(1, 1), io.BytesIO())


def test_damaged_and_foreign_files_are_refused(tmp_path):
    path = tmp_path / "state.zip"
    sg.save({"w": sg.tensor(np.arange(100.0))}, path)
    whole = path.read_bytes()
    place = whole.index(np.float64(50.0).tobytes() + np.float64(51.0).tobytes())
    for damaged in (whole[:-30], whole[: len(whole) // 2], b"", b"hello", whole[:place] + b"\1" + whole[place + 1 :]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="damaged"):
            sg.load(path)
    for manifest in ({}, [], {"kind": "other", "version": 1}, {"kind": "symgrad", "version": 99, "tree": {}}):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("manifest.json", json.dumps(manifest))
        with pytest.raises(ValueError, match="load: "):
            sg.load(path)
    with pytest.raises(FileNotFoundError):
        sg.load(tmp_path / "none.zip")


def test_a_file_that_holds_pickles_is_not_unpickled(tmp_path):
    path = tmp_path / "evil.zip"
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"kind": "symgrad", "version": 1, "tree": {"array": 0}}))
        archive.writestr("0.npy", buffer.getvalue())
    with pytest.raises(ValueError, match="damaged"):
        sg.load(path)
