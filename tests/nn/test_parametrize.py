"""Parameters that are functions of other ones, weights of their own length or norm, buffers, lists of parameters."""

import copy
import pickle

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad import nn

parametrize, parametrizations = nn.utils.parametrize, nn.utils.parametrizations


def of_torch():
    return pytest.importorskip("torch", reason="compares with torch")


def drawn(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


NORMS = {  # what is done to a layer, the layer, its arguments
    "weight_norm": (lambda T, m: T.nn.utils.parametrizations.weight_norm(m), "Linear", (4, 3)),
    "weight_norm of all": (lambda T, m: T.nn.utils.parametrizations.weight_norm(m, dim=None), "Linear", (4, 3)),
    "weight_norm of windows": (lambda T, m: T.nn.utils.parametrizations.weight_norm(m, dim=1), "Conv1d", (4, 3, 2)),
    "spectral_norm": (lambda T, m: T.nn.utils.parametrizations.spectral_norm(m), "Linear", (4, 3)),
    "spectral_norm transposed": (lambda T, m: T.nn.utils.parametrizations.spectral_norm(m, n_power_iterations=2),
                                 "ConvTranspose1d", (4, 3, 2)),
    "spectral_norm of a vector": (lambda T, m: T.nn.utils.parametrizations.spectral_norm(m, "bias"), "Linear", (4, 3)),
    "older weight_norm": (lambda T, m: T.nn.utils.weight_norm(m), "Linear", (4, 3)),
    "older spectral_norm": (lambda T, m: T.nn.utils.spectral_norm(m), "Linear", (4, 3)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's, of the older ones
@pytest.mark.parametrize("name", NORMS)
def test_a_norm_of_weights_is_torchs_through_training(name):
    torch = of_torch()
    change, kind, args = NORMS[name]
    ours, theirs = change(sg, getattr(nn, kind)(*args)), change(torch, getattr(torch.nn, kind)(*args).double())
    assert list(ours.state_dict()) == list(theirs.state_dict())
    assert repr(ours) == repr(theirs)
    theirs.load_state_dict({k: torch.tensor(v.numpy()) for k, v in ours.state_dict().items()})
    x, results = drawn((2, 4) if kind == "Linear" else (2, 4, 5)), []
    for T, module in ((sg, ours), (torch, theirs)):
        optimizer = T.optim.SGD(module.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (module(T.tensor(x)) ** 2).sum().backward()
            optimizer.step()
        y = module.eval()(T.tensor(x))
        results.append([y.detach().numpy(), *(v.numpy() for v in module.state_dict().values())])
    for a, b in zip(*results, strict=True):
        close(a, b, 1e-11)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_norm_of_weights_is_taken_away_again():
    for change, undo in (
        (parametrizations.weight_norm, lambda m: parametrize.remove_parametrizations(m, "weight")),
        (parametrizations.spectral_norm, lambda m: parametrize.remove_parametrizations(m, "weight")),
        (nn.utils.weight_norm, nn.utils.remove_weight_norm),
        (nn.utils.spectral_norm, nn.utils.remove_spectral_norm),
    ):
        layer = change(nn.Linear(3, 2))
        kept = layer.weight.detach().numpy() if change is not parametrizations.spectral_norm else None
        undo(layer.eval())
        assert type(layer) is nn.Linear
        assert sorted(dict(layer.named_parameters())) == ["bias", "weight"]
        if kept is not None:
            close(layer.weight.detach().numpy(), kept, 1e-14)
        with pytest.raises(ValueError, match=r"not found|does not have a parametrization"):
            undo(layer)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).mT

    def right_inverse(self, A):
        return A.triu()


class Double(nn.Module):
    def forward(self, X):
        return 2 * X


def test_parametrizations_are_chained_and_assigned_through():
    layer = nn.Linear(3, 3)
    optimizer = sg.optim.SGD(layer.parameters(), lr=0.1)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    assert parametrize.is_parametrized(layer)
    assert parametrize.is_parametrized(layer, "weight")
    assert not parametrize.is_parametrized(layer, "bias")
    assert type(layer).__name__ == "ParametrizedLinear"
    assert parametrize.type_before_parametrizations(layer) is nn.Linear
    close(layer.weight.detach().numpy(), layer.weight.detach().numpy().T, 0)
    A = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [3.0, 5.0, 6.0]])
    layer.weight = sg.tensor(A)
    close(layer.weight.detach().numpy(), A, 0)
    parametrize.register_parametrization(layer, "weight", Double())
    close(layer.weight.detach().numpy(), 2 * A, 0)
    layer(sg.ones(1, 3)).sum().backward()
    optimizer.step()  # which was made before: the parameter is the same object
    assert not np.allclose(layer.weight.detach().numpy(), 2 * A)
    close(layer.weight.detach().numpy(), layer.weight.detach().numpy().T, 1e-15)
    twin = copy.deepcopy(layer)
    close(twin(sg.ones(1, 3)).detach().numpy(), layer(sg.ones(1, 3)).detach().numpy(), 0)
    with parametrize.cached():
        assert layer.weight is layer.weight
    assert layer.weight is not layer.weight
    with pytest.raises(ValueError, match="only supported through state_dict"):
        pickle.dumps(layer)
    with pytest.raises(ValueError, match="may not change the shape"):
        parametrize.register_parametrization(nn.Linear(3, 2), "weight", Symmetric2())
    with pytest.raises(AttributeError, match="no parameter or buffer with name 'wait'"):
        parametrize.register_parametrization(nn.Linear(3, 2), "wait", Double())


class Symmetric2(nn.Module):
    def forward(self, X):
        return X @ X.mT


def test_a_buffer_is_registered_as_one():
    torch = of_torch()
    for T in (sg, torch):
        module = T.nn.Module()
        module.mean = T.nn.Buffer(T.tensor([1.0, 2.0]))
        module.cache = T.nn.Buffer(T.tensor([0.0]), persistent=False)
        module.mean = T.tensor([3.0, 4.0])
        assert list(module.state_dict()) == ["mean"]
        assert [n for n, _ in module.named_buffers()] == ["mean", "cache"]
        assert module.mean.tolist() == [3.0, 4.0]
        assert not list(module.parameters())
    assert pickle.loads(pickle.dumps(sg.nn.Buffer([1.0]))).tolist() == [1.0]


def test_lists_and_dicts_of_parameters_are_torchs():
    torch = of_torch()
    for T in (sg, torch):
        row = T.nn.ParameterList([T.nn.Parameter(T.ones(2))]).append(T.zeros(3))
        row[0] = T.nn.Parameter(T.ones(4))
        assert [(k, tuple(v.shape)) for k, v in row.state_dict().items()] == [("0", (4,)), ("1", (3,))]
        assert all(isinstance(p, T.nn.Parameter) for p in row)
        assert len(row[1:]) == 1
        named = T.nn.ParameterDict({"a": T.nn.Parameter(T.ones(2))})
        named["b"] = T.nn.Parameter(T.zeros(1))
        del named["a"]
        assert list(named) == list(named.state_dict()) == ["b"]


@pytest.mark.parametrize("shape", [(4, 3, 3), (4, 2, 2, 5), (2, 2, 1, 3, 3)])
def test_dirac_weights_keep_the_input(shape):
    torch = of_torch()
    close(nn.init.dirac_(sg.ones(*shape), 2).numpy(), torch.nn.init.dirac_(torch.ones(*shape), 2).numpy(), 0)
    with pytest.raises(ValueError, match="Only tensors with 3, 4, or 5 dimensions"):
        nn.init.dirac_(sg.ones(2))


def test_sparse_weights_have_zeros_in_each_column():
    w = nn.init.sparse_(sg.ones(10, 40), 0.25, std=2.0, generator=sg.Generator()).numpy()
    assert ((w == 0).sum(0) == 3).all()
    assert 1.5 < w[w != 0].std() < 2.5


@pytest.mark.parametrize("size", [(3, 3), (5, 3), (3, 5)], ids=str)
@pytest.mark.parametrize("orthogonal_map", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("trivial", [True, False])
def test_orthogonal_weights_are_torchs_and_stay_orthogonal(size, orthogonal_map, trivial):
    torch = of_torch()
    ours, theirs = nn.Linear(*size[::-1]), torch.nn.Linear(*size[::-1], dtype=torch.float64)
    parametrizations.orthogonal(ours, "weight", orthogonal_map, use_trivialization=trivial)
    torch.nn.utils.parametrizations.orthogonal(theirs, "weight", orthogonal_map, use_trivialization=trivial)
    ours.load_state_dict(theirs.state_dict())
    x = drawn((4, size[1]))
    for T, layer in ((sg, ours), (torch, theirs)):
        optimizer = T.optim.SGD(layer.parameters(), lr=0.1)
        layer(T.tensor(x)).norm().backward()
        optimizer.step()
    W = ours.weight.detach().numpy()
    close(W, theirs.weight.detach().numpy(), 1e-10)
    tall = W if size[0] >= size[1] else W.T
    close(tall.T @ tall, np.eye(min(size)), 1e-10)
    if trivial or orthogonal_map == "householder":
        Q = np.linalg.qr(drawn((max(size), min(size)), 1))[0]
        ours.weight = sg.tensor(Q if size[0] >= size[1] else Q.T)
        close(ours.weight.detach().numpy(), Q if size[0] >= size[1] else Q.T, 1e-10)
    else:
        with pytest.raises(sg.errors.NotYet, match="use_trivialization=False"):
            ours.weight = sg.tensor(W)


def test_what_cannot_be_orthogonal_is_refused():
    layer = nn.Linear(3, 4)
    with pytest.raises(sg.errors.ArgumentError, match="has to be one of"):
        parametrizations.orthogonal(layer, "weight", "qr")
    with pytest.raises(sg.errors.ShapeError, match="Expected a matrix"):
        parametrizations.orthogonal(layer, "bias")
    parametrizations.orthogonal(layer)
    with pytest.raises(sg.errors.ShapeError, match="Expected a matrix or batch of matrices of shape"):
        layer.weight = sg.ones(5, 5)
