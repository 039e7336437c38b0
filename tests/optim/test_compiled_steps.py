"""Steps of training that are compiled with their optimiser, beside the same steps as they are."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import GraphError, NotYet

F = sg.nn.functional
RNG = np.random.default_rng(0)
DATA = [(sg.tensor(RNG.normal(size=(8, 3))), sg.tensor(RNG.normal(size=(8, 1)))) for _ in range(5)]
OPTIMISERS = [
    ("SGD", {"lr": 0.1}), ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("Adam", {"amsgrad": True}), ("Adam", {"maximize": True, "weight_decay": 0.1}), ("AdamW", {}),
    ("RMSprop", {"momentum": 0.5, "centered": True}), ("Adagrad", {"lr_decay": 0.1}), ("Adadelta", {}),
    ("Adafactor", {}), ("Adamax", {}),
    ("NAdam", {}), ("RAdam", {}), ("Rprop", {}), ("ASGD", {"t0": 2}),
]  # fmt: skip


def network():
    """A small network, always the same."""
    sg.manual_seed(0)
    return sg.nn.Sequential(sg.nn.Linear(3, 4), sg.nn.Tanh(), sg.nn.Linear(4, 1))


def trained(make, compiled, schedule=None):
    """The losses of some steps, and all that they leave behind."""
    model, optimizer, step = make()
    fast = sg.compile(step) if compiled else step
    losses = []
    for x, y in DATA:
        losses.append(fast(x, y).item())
        if schedule is not None:
            schedule = schedule(optimizer) if isinstance(schedule, type) or callable(schedule) else schedule
            schedule.step()
    state = [s[k].numpy() for s in optimizer.state_dict()["state"].values() for k in sorted(s)]
    gradients = [np.zeros(1) if p.grad is None else p.grad.numpy() for p in model.parameters()]
    return [losses, *[p.detach().numpy() for p in model.parameters()], *gradients, *state]


def check(make, schedule=None):
    """Compare the steps as they are with the compiled ones."""
    for a, b in zip(trained(make, False, schedule), trained(make, True, schedule), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)


def usual(name="Adam", clip=False, zero="start", **options):
    """A step as one writes it."""

    def make():
        model = network()
        optimizer = getattr(sg.optim, name)(model.parameters(), **options)

        def step(x, y):
            if zero == "start":
                optimizer.zero_grad()
            loss = F.mse_loss(model(x), y)
            loss.backward()
            if clip:
                sg.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            if zero == "end":
                optimizer.zero_grad()
            return loss

        return model, optimizer, step

    return make


@pytest.mark.parametrize(("name", "options"), OPTIMISERS)
def test_a_compiled_step_of_training_is_the_step(name, options):
    check(usual(name, clip=True, **options))


@pytest.mark.parametrize("zero", ["end", "never"])
def test_gradients_are_written_back_and_accumulate(zero):
    check(usual("SGD", zero=zero, lr=0.01, momentum=0.5))


def accumulated(optimizer, model, x):
    """Gradients of two micro-batches, of which the last bias's are constant."""
    optimizer.zero_grad()
    for part in (x[:4], x[4:]):
        loss = model(part).sum()
        loss.backward()
    return loss


def zeroed(optimizer, model, x):
    optimizer.zero_grad(set_to_none=False)
    loss = (0 * model(x)).sum()
    loss.backward()
    return loss


def mixed(optimizer, model, x):
    """A constant is added to what depends on the data; nothing is dropped before."""
    loss = (model(x) ** 2).sum()
    loss.backward()
    model(x).sum().backward()
    return loss


def partial(optimizer, model, x):
    """A gradient with respect to one parameter alone, and a constant."""
    optimizer.zero_grad()
    loss = model[2].bias.sum()
    loss.backward()
    return loss


@pytest.mark.parametrize("before", [False, True], ids=["", "after a step outside"])
@pytest.mark.parametrize("backward", [accumulated, zeroed, mixed, partial])
@pytest.mark.parametrize(("name", "options"), [OPTIMISERS[1], ("Adam", {}), ("Adagrad", {})])
def test_gradients_that_are_constant_step_as_others(name, options, backward, before):
    def make():
        model = network()
        model[0].weight.requires_grad_(False)
        optimizer = getattr(sg.optim, name)(model.parameters(), **options)

        def step(x, _):
            loss = backward(optimizer, model, x)
            optimizer.step()
            return loss

        if before:
            step(*DATA[0])
        return model, optimizer, step

    check(make)


def test_a_constant_gradient_has_the_dtype_of_its_parameter():
    model = network().to(sg.float32)
    optimizer = sg.optim.Adam(model.parameters())
    step = sg.compile(lambda x: [partial(optimizer, model, x), optimizer.step()][0])
    step(sg.ones(2, 3, dtype=sg.float32))
    assert (model[2].bias.grad.dtype, model[2].bias.dtype) == (sg.float32, sg.float32)


def test_gradients_from_outside_that_are_doubled_are_read_at_every_call():
    def make():
        model, optimizer, step = usual("SGD", lr=0.01)()
        step(*DATA[0])

        def doubled(x, y):
            for p in model.parameters():
                p.grad = p.grad * 2
            optimizer.step()
            return F.mse_loss(model(x), y)

        return model, optimizer, doubled

    check(make)


def test_rates_and_momenta_are_read_at_every_step():
    check(usual(), lambda o: sg.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=30))
    traces = []
    _, optimizer, step = usual("SGD", momentum=0.9)()
    fast = sg.compile(lambda x, y: [traces.append(0), step(x, y)][1])
    for k, (x, y) in enumerate(DATA):
        optimizer.param_groups[0]["lr"] = 0.1 / (k + 1)
        fast(x, y)
    assert len(traces) == 2
    optimizer.param_groups[0]["weight_decay"] = 0.5  # part of the trace
    fast(*DATA[0])
    assert len(traces) > 2


def test_two_optimisers_step_in_one_function():
    def make():
        sg.manual_seed(0)
        G, D = sg.nn.Linear(3, 3), sg.nn.Linear(3, 1)
        first, second = sg.optim.Adam(G.parameters()), sg.optim.SGD(D.parameters(), lr=0.1, momentum=0.5)

        def step(x, _):
            second.zero_grad()
            fake = G(x)
            (F.softplus(-D(x)).mean() + F.softplus(D(fake.detach())).mean()).backward()
            second.step()
            first.zero_grad()
            loss = F.softplus(-D(fake)).mean()
            loss.backward()
            first.step()
            return loss

        return sg.nn.ModuleList([G, D]), second, step

    check(make)


def test_several_steps_in_one_function():
    def make():
        model, optimizer, step = usual("Adam", lr=0.1)()
        return model, optimizer, lambda x, y: [step(x, y) for _ in range(3)][-1]

    check(make)


def test_parameters_written_by_hand():
    def make():
        model, optimizer, _ = usual("SGD", lr=0.1)()

        def step(x, y):
            loss = F.mse_loss(model(x), y)
            loss.backward()
            with sg.no_grad():
                for p in model.parameters():
                    p -= 0.1 * p.grad
                    p.grad = None
            return loss

        return model, optimizer, step

    check(make)


def test_a_step_compiled_halfway_is_refused():
    model, optimizer, step = usual("SGD", lr=0.1)()
    x, y = DATA[0]
    with pytest.raises(GraphError, match="Step an optimiser that has the tensor in the same function"):
        sg.compile(lambda x, y: F.mse_loss(model(x), y).backward())(x, y)
    step(x, y)
    with pytest.raises(GraphError, match="a gradient that was computed outside of the compiled function"):
        sg.compile(lambda: optimizer.step())()
    schedule = sg.optim.lr_scheduler.StepLR(optimizer, 2)
    with pytest.raises(GraphError, match="Call it outside of the compiled function"):
        sg.compile(lambda x, y: [step(x, y), schedule.step()][0])(x, y)
    _, _, damped = usual("SGD", lr=0.1, momentum=0.5, dampening=0.5)()
    with pytest.raises(NotYet, match="first step with dampening"):
        sg.compile(damped)(x, y)
    assert all(p.is_leaf and p.requires_grad for p in model.parameters())
