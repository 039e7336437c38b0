"""sg.compile of an nn.Module: its parameters are arguments, and it is a module."""

import numpy as np

import symgrad as sg


def model():
    sg.manual_seed(3)
    return sg.nn.Sequential(sg.nn.Linear(3, 4), sg.nn.BatchNorm1d(4), sg.nn.Tanh(), sg.nn.Linear(4, 1))


def trained(compiled):
    own = model()
    net = sg.compile(own) if compiled else own
    optimizer = sg.optim.Adam(net.parameters(), lr=0.1)
    x, y = sg.tensor(np.cos(np.arange(15.0)).reshape(5, 3)), sg.ones(5, 1)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    net.eval()
    return losses, net(x).detach().numpy(), [b.numpy() for b in own.buffers()]


def test_a_compiled_model_is_trained_as_the_model():
    for ours, expected in zip(trained(True), trained(False), strict=True):
        for a, b in zip(np.atleast_1d(ours) if not isinstance(ours, list) else ours, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


def test_a_compiled_model_is_a_module_with_the_models_parameters():
    own = model()
    net = sg.compile(own)
    assert isinstance(net, sg.nn.Module)
    assert [p is q for p, q in zip(net.parameters(), own.parameters(), strict=True)] == [True] * 6
    assert next(iter(net.state_dict())) == "_orig_mod.0.weight"
    before = net(sg.ones(2, 3)).detach()
    with sg.no_grad():
        own[3].bias.add_(1.0)
    np.testing.assert_allclose((net(sg.ones(2, 3)) - before).detach().numpy(), 1.0)


def test_a_compiled_step_of_training_is_the_step_where_a_gradient_is_constant():
    """The gradient with respect to the last bias is the number of rows, whatever the data are."""

    def stepped(compiled):
        own = model()
        optimizer = sg.optim.SGD(own.parameters(), lr=0.1)

        def step(x):
            loss = own(x).sum()
            loss.backward()
            optimizer.step()
            return loss

        step = sg.compile(step) if compiled else step
        losses = [step(sg.tensor(np.cos(k + np.arange(6.0)).reshape(2, 3))).item() for k in range(2)]
        return [losses, *[p.detach().numpy() for p in own.parameters()], *[b.numpy() for b in own.buffers()]]

    for ours, expected in zip(stepped(True), stepped(False), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-12)
