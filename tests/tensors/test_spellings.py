"""NumPy's spelling of methods on tensors, and what errors about arguments call a function."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import symgrad as sg

A = np.array([[1.5, -2.0, 3.25], [4.0, 0.5, -1.0]])
CUBE = np.arange(24.0).reshape(2, 3, 4)
V = np.array([3.0, 1.0, 2.0])
MASK = A > 0

ON_MATRICES = {
    "reshape in columns": lambda x: x.reshape(3, 2, order="F"),
    "reshape of a tuple in columns": lambda x: x.reshape((3, -1), order="F"),
    "reshape in rows": lambda x: x.reshape(3, 2, order="C"),
    "ravel in columns": lambda x: x.ravel(order="F"),
    "ravel by position": lambda x: x.ravel("F"),
    "flatten in columns": lambda x: x.flatten(order="F"),
    "flatten by position": lambda x: x.flatten("F"),
    "flatten": lambda x: x.flatten(),
    "cumsum of all": lambda x: x.cumsum(),
    "cumprod of all": lambda x: x.cumprod(),
    "cumsum": lambda x: x.cumsum(axis=1),
    "transpose": lambda x: x.transpose(),
    "transpose of a tuple": lambda x: x.transpose((1, 0)),
    "transpose of two": lambda x: x.transpose(1, 0),
    "round": lambda x: x.round(1),
    "round by name": lambda x: x.round(decimals=1),
    "var": lambda x: x.var(ddof=1),
    "var along an axis": lambda x: x.var(axis=0, ddof=1),
    "std of a population": lambda x: x.std(1, ddof=0, keepdims=True),
    "sum of some": lambda x: x.sum(where=MASK),
    "sum of more": lambda x: x.sum(axis=1, initial=2.0, keepdims=True),
    "prod of some": lambda x: x.prod(axis=0, where=MASK),
    "mean of some": lambda x: x.mean(axis=0, where=MASK),
    "max over axes": lambda x: x.max(axis=(0, 1)),
    "min of some": lambda x: x.min(axis=0, initial=9.0, where=MASK),
    "any of some": lambda x: x.any(axis=0, where=MASK),
    "argsort": lambda x: x.argsort(axis=0, kind="stable"),
    "clip": lambda x: x.clip(0, 2),
    "dot of a matrix": lambda x: x.dot(x.T),
    "dot of a vector": lambda x: x.dot(V),
    "trace": lambda x: x.trace(1),
    "trace by name": lambda x: x.trace(offset=-1),
    "diagonal": lambda x: x.diagonal(offset=1, axis1=1, axis2=0),
    "repeat": lambda x: x.repeat(2, axis=0),
    "repeat by counts": lambda x: x.repeat([1, 2], axis=0),
    "take": lambda x: x.take([0, 2], axis=1),
    "take of all": lambda x: x.take([0, 5]),
    "take around": lambda x: x.take([0, 7], mode="wrap"),
    "ptp": lambda x: np.ptp(x, axis=0) if isinstance(x, np.ndarray) else x.ptp(axis=0),
    "compress": lambda x: x.compress([True, False], axis=0),
    "astype": lambda x: x.astype(int, copy=False),
    "copy": lambda x: x.copy(order="F"),
    "item": lambda x: x.item(1, 2),
    "item of all": lambda x: x.item(-1),
    "size": lambda x: x.size + 0,
    "flat entry": lambda x: x.flat[2],
    "flat part": lambda x: x.flat[1:4],
    "flat loop": lambda x: sum(e**2 for e in x.flat) + len(x.flat),
    "conjugate": lambda x: x.conjugate(),
    "tobytes": lambda x: x.tobytes(),
}
ON_CUBES = {
    "transpose": lambda x: x.transpose(2, 0, 1),
    "transpose of a tuple": lambda x: x.transpose((2, 0, 1)),
    "trace": lambda x: x.trace(axis1=1, axis2=2),
    "dot": lambda x: x.dot(np.ones(4)),
    "diagonal": lambda x: x.diagonal(axis1=1, axis2=2),
    "mean": lambda x: x.mean(axis=(0, 2), keepdims=True),
    "max": lambda x: x.max(axis=(0, 2)),
}
ON_VECTORS = {
    "compress": lambda x: x.compress([True, False, True]),
    "searchsorted": lambda x: np.sort(x).searchsorted([1.5, 2.0], side="right"),
    "dot": lambda x: x.dot(x),
}
ALL = [(f, x) for table, x in ((ON_MATRICES, A), (ON_CUBES, CUBE), (ON_VECTORS, V)) for f in table.values()]
NAMES = [f"{name} {len(x)}" for table, x in ((ON_MATRICES, A), (ON_CUBES, CUBE), (ON_VECTORS, V)) for name in table]


@pytest.mark.parametrize(("f", "x"), ALL, ids=NAMES)
def test_a_method_means_what_numpys_does(f, x):
    expected, found = f(x), f(sg.tensor(x))
    if isinstance(found, sg.Tensor):
        found = found.numpy()
        assert found.dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-15, strict=np.ndim(expected) > 0)
    else:
        assert found == expected


@pytest.mark.parametrize(
    "name", ["reshape in columns", "cumsum of all", "var", "sum of some", "dot of a matrix", "flat loop"]
)
def test_such_methods_have_gradients(name):
    f, t = ON_MATRICES[name], sg.tensor(A)
    assert sg.testing.crosscheck(lambda x: (f(x) ** 2).sum(), t)


def test_pytorchs_meaning_stays_where_both_can_be_read():
    x = sg.tensor(A)
    assert x.transpose(0, 1).shape == (3, 2)
    assert x.repeat(2, 1).shape == (4, 3)
    assert x.max(0).indices.tolist() == [1, 1, 0]
    assert x.std(0).tolist() == x.std(axis=0).tolist() == A.std(0, ddof=1).tolist()
    assert (x.size(), x.size(0), x.size(dim=-1)) == ((2, 3), 2, 3)


def test_a_symbols_size_is_pytorchs_where_it_has_no_number():
    x = sg.symbol("X", ("n", 3))
    assert x.size(1) == 3
    assert sg.symbol("x", 3).size == 3


def test_flat_and_fill_write():
    x = sg.tensor(A)
    x.flat[1] = 7.0
    x.flat[[3, 5]] = [8.0, 9.0]
    assert x.tolist() == [[1.5, 7.0, 3.25], [8.0, 0.5, 9.0]]
    assert x.fill(2.0) is None
    assert x.tolist() == [[2.0] * 3] * 2


def test_casting_and_order_are_checked():
    x = sg.tensor(A)
    with pytest.raises(TypeError, match="astype: cannot cast float64 to int64 with casting='safe'"):
        x.astype(int, casting="safe")
    with pytest.raises(ValueError, match=r"np\.ravel: order must be one of .* Got 'X'"):
        x.ravel(order="X")
    with pytest.raises(TypeError, match=r"np\.sum: out= is not supported"):
        x.sum(out=np.zeros(()))


# ------------------------------------------------------------------ names in errors
def functions():
    spaces = {"": sg, "linalg.": sg.linalg, "special.": sg.special, "nn.functional.": sg.nn.functional,
              "tree.": sg.tree}  # fmt: skip
    for prefix, space in spaces.items():
        for name in space.__all__:
            if inspect.isfunction(getattr(space, name)):
                yield prefix + name, getattr(space, name)
    for name in dir(sg.Tensor):
        if not name.startswith("_") and inspect.isfunction(getattr(sg.Tensor, name)):
            yield f"Tensor.{name}", getattr(sg.ones(2, 2), name)


PUBLIC = {name for full, _ in functions() for name in (full, full.rpartition(".")[2])} | {
    "real",
    "mT",
    "Tensor.requires_grad_",
}


def test_errors_about_arguments_say_public_names():
    x, wrong = sg.ones(2, 2), {}
    for name, f in functions():
        for args, kwargs in (((x,), {"nonsense": 1}), ((x,) * 20, {}), ((), {})):
            try:
                f(*args, **kwargs)
            except TypeError as error:
                said = re.match(r"([\w.<>]+)\(\) (got|takes|missing)", str(error))
                if said and said.group(1) not in PUBLIC:
                    wrong[name] = str(error)
            except Exception:
                continue
    assert wrong == {}


def vector(x):
    return x


NAMED = {
    "grad": lambda: sg.grad(vector)(V),
    "value_and_grad": lambda: sg.value_and_grad(vector)(V),
    "func.grad_and_value": lambda: sg.func.grad_and_value(vector)(V),
    "grad with aux": lambda: sg.grad(vector, has_aux=True)(1.0),
    "grad of text": lambda: sg.grad(lambda x: "text")(1.0),
    "hvp": lambda: sg.hvp(vector, V, V),
    "vjp": lambda: sg.vjp(lambda x: "text", 1.0),
    "jvp": lambda: sg.jvp(lambda x: "text", (1.0,), (1.0,)),
    "jacobian": lambda: sg.jacobian(lambda x: "text")(1.0),
    "hessian": lambda: sg.hessian(lambda x: "text")(1.0),
    "func.jacrev": lambda: sg.func.jacrev(lambda x: "text")(1.0),
    "func.jacfwd with aux": lambda: sg.func.jacfwd(vector, has_aux=True)(1.0),
    "np.linalg.solve": lambda: np.linalg.solve(sg.zeros(2, 2), sg.ones(2)),
    "np.linalg.inv": lambda: np.linalg.inv(sg.zeros(2, 2)),
    "np.linalg.cholesky": lambda: np.linalg.cholesky(-sg.eye(2)),
    "linalg.solve": lambda: sg.linalg.solve(sg.zeros(2, 2), sg.ones(2)),
}


@pytest.mark.parametrize("name", NAMED)
def test_an_error_says_the_name_that_was_called(name):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - of any kind
        NAMED[name]()
    said = re.match(r"[\w.]+", str(caught.value)).group()
    assert said == name.split()[0].removeprefix("func.")
