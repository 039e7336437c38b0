"""What would cut a gradient without a word: numbers, arrays and leaves made of a transform's variables."""

from __future__ import annotations

import copy
import functools
import math
import pickle
import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import DTypeError, GraphError, ValueNeeded

Z = np.array([1.3, 0.7])


def filled(z):
    g = np.zeros(2)
    for i in range(2):
        g[i] = z[i] ** 2
    return sg.tensor(g).sum()


def objects(z):
    a = np.empty(2, dtype=object)
    a[0], a[1] = z[0] ** 2, 3.0
    return sg.tensor(a)


KEPT = {
    "tensor of a list": lambda z: sg.tensor([z[0] ** 2, z[1]]),
    "tensor of tuples": lambda z: sg.tensor(((z[0], 1), (2.0, z[1] ** 2))),
    "tensor of rows": lambda z: sg.tensor([z, [1.0, 2.0], np.ones(2), z * z]),
    "tensor of one": lambda z: sg.tensor(z) ** 2,
    "tensor in another dtype": lambda z: sg.tensor([z[0], 1], dtype=sg.float64),
    "asarray": lambda z: sg.asarray([z[0] ** 3, z[1]]),
    "as_tensor": lambda z: sg.as_tensor([[z[0]], [z[1] ** 2]]),
    "asarray of one": lambda z: sg.asarray(z) ** 2,
    "array of objects": objects,
    "new_tensor": lambda z: z.new_tensor([z[0] * z[1], 1.0]),
    "new_full": lambda z: z.new_full((2, 2), z[0]),
    "full": lambda z: sg.full((3,), z[0] ** 2),
    "full_like": lambda z: sg.full_like(z, z[1]),
    "np.full_like": lambda z: np.full_like(z, z[1]),
    "linspace": lambda z: sg.linspace(z[0], z[1] ** 2, 5) ** 2,
    "list in a function": lambda z: sg.sum([z[0] ** 2, z[1]]),
    "list among arguments": lambda z: sg.where(z > 1, [z[0] ** 2, 1.0], z),
    "list assigned": lambda z: assigned(sg.zeros(2), [z[0] ** 2, z[1]]),
    "np.stack": lambda z: np.stack([z[0] ** 2, z[1]]),
    "np.concatenate": lambda z: np.concatenate([z, z[:1] ** 2]),
    "np.pad": lambda z: np.pad(np.ones(2) * z, 1, constant_values=z[0] ** 2),
    "np.linalg.cond": lambda z: np.linalg.cond(sg.tensor([[z[0], 0.3], [0.2, z[1]]])),
    "unique": lambda z: sg.unique(sg.tensor([z[0], z[1] ** 2, z[0]])) ** 2,
    "unique slices": lambda z: sg.unique(sg.tensor([[z[0], 1.0], [z[1], 2.0]]), dim=1) ** 2,
    "unique_consecutive": lambda z: sg.unique_consecutive(sg.tensor([z[0], z[0], z[1] ** 2])),
    "bincount": lambda z: sg.bincount(sg.tensor([0, 2, 2]), weights=sg.tensor([z[0], z[1] ** 2, 1.0])) ** 2,
    "normal": lambda z: seeded(lambda: sg.normal(z, z**2)),
    "round": lambda z: z * round(z[0]) + round(z[1], 1),
    "counted": lambda z: z * int(z[0] > 0) if z[0] > 0 else -z,
    "printed": lambda z: (str(z), repr(z), f"{z} {z[0]:.3f}", z**2)[-1],
    "no_grad": lambda z: z * without_grad(z),
    "own leaf": lambda z: z * (sg.tensor(3.0, requires_grad=True) ** 2).item(),
}


def assigned(x, value):
    x[:] = value
    return x


def seeded(draw):
    sg.manual_seed(0)
    return draw()


def without_grad(z):
    with sg.no_grad():
        return 0 * float(z[0]) + 2.0


@pytest.mark.filterwarnings("ignore:To copy construct")
@pytest.mark.parametrize("name", KEPT)
def test_building_from_tensors_keeps_the_gradient(name):
    def f(z):
        return (KEPT[name](z) ** 2).sum()

    h, steps = 1e-6, np.eye(2)
    expected = [(f(sg.tensor(Z + h * e)).item() - f(sg.tensor(Z - h * e)).item()) / (2 * h) for e in steps]
    np.testing.assert_allclose(sg.grad(f)(Z), expected, rtol=1e-6, atol=1e-7)
    if name not in ("counted", "own leaf", "no_grad"):
        np.testing.assert_allclose(sg.jvp(f, (Z,), (steps[0],))[1], expected[0], rtol=1e-6, atol=1e-7)


COMPILED = [
    name for name in KEPT if name.split()[0] in ("tensor", "asarray", "as_tensor", "array", "new_tensor", "list")
]


@pytest.mark.filterwarnings("ignore:To copy construct")
@pytest.mark.parametrize("name", COMPILED)
def test_building_from_tensors_is_traced(name):
    f = KEPT[name]
    np.testing.assert_allclose(sg.compile(f)(Z), f(sg.tensor(Z)).numpy(), rtol=1e-14)
    np.testing.assert_allclose(sg.vmap(f)(Z[None])[0], f(sg.tensor(Z)).numpy(), rtol=1e-14)


LOST = {
    "float": (lambda z: float(z[0]) * z[1], "x.detach()"),
    "int": (lambda z: int(z[0]) * z[1], "x.detach()"),
    "complex": (lambda z: complex(z[0]).real * z[1], "x.detach()"),
    "item": (lambda z: z[0].item() * z[1], "x.detach()"),
    "item by position": (lambda z: z.item(0) * z[1], "x.detach()"),
    "tolist": (lambda z: sum(z.tolist()) * z[0], "x.detach()"),
    "math.exp": (lambda z: math.exp(z[0]) * z[1], "sg.exp"),
    "math.fsum": (lambda z: math.fsum([z[0], z[1]]) * z[0], "x.detach()"),
    "format %": (lambda z: ("%f" % z[0], z[0])[1], "x.detach()"),  # noqa: UP031 - a habit, and it calls float
    "filled": (filled, "sg.stack([a, b]) for an array that is filled"),
    "option": (lambda z: np.sum(np.ones(2), initial=z[0]), "sg.asarray(a), initial=x"),
    "filled from one entry": (lambda z: assigned_at(np.zeros(2), 0, z[:1]), "sg.stack"),
    "filled from several": (lambda z: assigned_at(np.zeros(2), slice(None), z), "sg.stack"),
    "np.float64": (lambda z: np.float64(z[0]) * z[1], "sg.stack"),
    "np.array": (lambda z: np.array([z[0], z[1]]).sum(), "sg.stack"),
    "np.array of objects": (lambda z: np.array([z[0], z[1]], dtype=object).sum(), "sg.stack"),
    "np.asarray": (lambda z: np.asarray(z).sum(), "sg.stack"),
    "np.mean of a list": (lambda z: np.mean([z[0], z[1]]), "sg.stack"),
    "np.full": (lambda z: np.full(2, z[0]).sum(), "sg.full"),
    "np.full with a dtype": (lambda z: np.full(2, z[0], dtype=float).sum(), "sg.full"),
    "numpy": (lambda z: z.numpy().sum(), "detach()"),
    "leaf": (lambda z: sg.tensor([z[0], 1.0], requires_grad=True).sum(), "x.detach()"),
    "leaf of one": (lambda z: sg.tensor(z, requires_grad=True).sum(), "x.detach()"),
    "named": (lambda z: sg.tensor(z, name="w").sum(), "x.detach()"),
    "checkpoint": (lambda z: sg.checkpoint(lambda x: (x * float(x[0])).sum())(z), "x.detach()"),
    "vmap": (lambda z: sg.vmap(lambda x: x * float(z[0]))(np.ones(2)).sum(), "x.detach()"),
}


def assigned_at(array, key, value):
    array[key] = value
    return sg.tensor(array).sum()


TRANSFORMS = {
    "grad": lambda f: sg.grad(f)(Z),
    "value_and_grad of a tensor": lambda f: sg.value_and_grad(f)(sg.tensor(Z, requires_grad=True)),
    "jacobian": lambda f: sg.jacobian(f)(Z),
    "hessian": lambda f: sg.hessian(f)(Z),
    "vjp": lambda f: sg.vjp(f, Z),
    "jvp": lambda f: sg.jvp(f, (Z,), (Z,)),
    "autograd.functional": lambda f: sg.autograd.functional.jacobian(f, sg.tensor(Z)),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", LOST)
@pytest.mark.filterwarnings("ignore:To copy construct")
def test_a_number_of_a_variable_is_refused_with_what_to_write(name, transform):
    f, advice = LOST[name]
    with pytest.raises((GraphError, TypeError)) as caught:
        TRANSFORMS[transform](f)
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("float", "Compute with x itself"),
        ("math.exp", "sg.exp"),
        ("filled", "sg.stack"),
        ("np.array", "sg.stack"),
        ("np.mean of a list", "sg.stack"),
    ],
)
def test_a_number_of_a_traced_tensor_is_refused_with_what_to_write(name, advice):
    f, _ = LOST[name]
    for call in (sg.compile(f), lambda z: sg.vmap(f)(z[None])):
        with pytest.raises(ValueNeeded) as caught:
            call(Z)
        assert advice in str(caught.value)


def test_minimize_does_not_stop_at_the_start_without_a_word():
    pytest.importorskip("scipy")
    found = sg.optim.minimize(lambda z: ((sg.tensor([z[0] ** 2, z[1]]) - 1) ** 2).sum(), np.array([0.5, 0.5]))
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)
    with pytest.raises(GraphError, match=r"sg\.stack"):
        sg.optim.minimize(filled, Z)


def test_plain_tensors_give_their_numbers_as_in_pytorch():
    x = sg.tensor(2.0, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (float(x), int(x), (x * x).item(), math.exp(x)) == (2.0, 2, 4.0, math.exp(2.0))
        g = np.zeros(1)
        g[0] = x
    assert g[0] == 2.0
    assert sg.grad(lambda z: z * (x * x).item())(1.0) == 4.0


def test_a_number_is_looked_for_among_the_operations_of_the_transform_only():
    x = functools.reduce(lambda a, _: a * 1.0, range(100_000), sg.tensor(2.0, requires_grad=True))
    assert sg.grad(lambda z: z * sum(x.item() for _ in range(1000)))(1.0) == 2000.0


def test_what_is_built_of_tensors_has_the_dtype_of_numpys_promotion():
    single, whole = sg.ones(2, dtype=sg.float32), sg.tensor([1, 2])
    assert sg.tensor([single[0], 1.0]).dtype == sg.float32
    assert sg.tensor([single, whole]).dtype == sg.float64
    assert sg.tensor([whole[0], 3]).dtype == sg.int64
    assert sg.tensor([whole[0], 0.5]).tolist() == [1.0, 0.5]
    assert sg.tensor([whole > 1, [True, False]]).dtype == bool


def test_rows_of_different_shapes_are_refused():
    x = sg.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match=r"expected entries of one shape, got \[2\] and \[\]"):
        sg.tensor([x, x[0]])
    with pytest.raises(TypeError, match="invalid data type 'str'"):
        sg.tensor([x[0], "two"])


def test_a_leaf_of_tensors_that_require_grad_leaves_it_behind_with_a_warning():
    x = sg.tensor(2.0, requires_grad=True)
    with pytest.warns(UserWarning, match="Consider using tensor.detach"):
        y = sg.tensor([x, 1.0], requires_grad=True)
    with pytest.warns(UserWarning, match="To copy construct"):
        w = sg.tensor(x, requires_grad=True)
    assert [y.is_leaf, w.is_leaf, w is x] == [True, True, False]


@pytest.mark.parametrize("way", [copy.deepcopy, pickle.dumps])
def test_copies_that_are_new_leaves_are_refused_of_a_transform_s_variable(way):
    with pytest.raises(GraphError, match="its gradient would be lost"):
        sg.grad(lambda z: (z * way(z)).sum())(np.ones(2))
    way(sg.ones(2, requires_grad=True))


def test_a_shallow_copy_of_a_transform_s_variable_keeps_its_gradient():
    np.testing.assert_array_equal(sg.grad(lambda z: copy.copy(z).sum())(np.ones(2)), [1.0, 1.0])


def form_of_cube():
    x = sg.symbol("x", (2,))
    return sg.derive((x**3).sum(), x).lambdify()


OUTSIDE = {
    "form": (lambda z: sg.tensor(form_of_cube()(z)), "order=2"),
    "form by name": (lambda z: sg.tensor(form_of_cube()(x=z)), "order=2"),
    "form of a list": (lambda z: sg.tensor(form_of_cube()([z[0], 1.0])), "order=2"),
    "form with its own values": (lambda z: sg.tensor(sg.derive((z**3).sum(), z).lambdify()()), "order=2"),
    "sparse jacobian": (lambda z: sg.tensor(sg.sparse_jacobian(lambda x: x**3)(z).toarray()), "sg.jacobian"),
    "start": (lambda z: sg.asarray(sg.optim.minimize(lambda x: ((x - 1) ** 2).sum(), z).x), "x.detach()"),
}


@pytest.mark.parametrize("transform", ["grad", "vjp", "jacobian", "jvp"])
@pytest.mark.parametrize("name", OUTSIDE)
def test_what_records_nothing_refuses_a_transform_s_variable(name, transform):
    pytest.importorskip("scipy")
    f, advice = OUTSIDE[name]
    with pytest.raises(GraphError) as caught:
        TRANSFORMS[transform](lambda z: f(z).sum())
    assert advice in str(caught.value)


def test_a_form_s_function_refuses_a_tensor_that_requires_grad():
    f, x = form_of_cube(), sg.tensor(Z, requires_grad=True)
    with pytest.raises(GraphError, match=r"the argument 'x' requires grad"):
        f(x)
    with sg.no_grad():
        np.testing.assert_allclose(f(x), 3 * Z**2)
    np.testing.assert_allclose(f(x.detach()), 3 * Z**2)


LOGITS, CLASSES = np.array([[0.3, -1.2], [0.9, 0.1], [-0.4, 0.8]]), np.array([0, 1, 1])
PROBABLE = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
WEIGHTED = {
    "classes": lambda w: sg.nn.functional.cross_entropy(LOGITS, CLASSES, weight=w),
    "terms": lambda w: (sg.nn.functional.cross_entropy(LOGITS, CLASSES, weight=w, reduction="none") ** 2).sum(),
    "smoothed": lambda w: sg.nn.functional.cross_entropy(LOGITS, CLASSES, weight=w, label_smoothing=0.1),
    "ignored": lambda w: sg.nn.functional.cross_entropy(LOGITS, [0, 1, -100], weight=w),
    "probabilities": lambda w: sg.nn.functional.cross_entropy(LOGITS, PROBABLE, weight=w),
    "nll_loss": lambda w: sg.nn.functional.nll_loss(LOGITS, CLASSES, weight=w),
    "later classes": lambda w: sg.compile(lambda t, v: sg.nn.functional.nll_loss(LOGITS, t, weight=v))(CLASSES, w),
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_losses_are_differentiated_by_the_weights_of_classes(name):
    f, h, w = WEIGHTED[name], 1e-6, np.array([1.5, 2.0])
    expected = [(f(sg.tensor(w + h * e)).item() - f(sg.tensor(w - h * e)).item()) / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(sg.grad(f)(w), expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sg.compile(sg.grad(f))(w), sg.grad(f)(w), rtol=1e-12)
    assert f(w) == pytest.approx(f(sg.tensor(w, requires_grad=True)).item(), rel=1e-14)


def test_the_slope_of_cross_entropy_keeps_its_digits_beside_probability_one():
    for target in (np.array([0]), np.array([[1.0, 0.0]])):
        slope = sg.grad(lambda z, t=target: sg.nn.functional.cross_entropy(z[None], t))
        for run in (slope, sg.compile(slope)):
            np.testing.assert_allclose(run(np.array([40.0, 0.0])), np.exp(-40.0) * np.array([-1, 1]), rtol=1e-14)


def test_options_of_numpy_s_functions_are_refused_with_what_to_write():
    with pytest.raises(GraphError, match=r"np\.sum\(sg\.asarray\(a\), initial=x\)"):
        sg.grad(lambda z: np.sum(np.ones(2), initial=z[0]))(Z)
    with pytest.raises(GraphError, match=r"np\.pad\(sg\.asarray\(a\), \.\.\., constant_values=x\)"):
        sg.grad(lambda z: np.pad(np.ones(2), 1, constant_values=z).sum())(Z)
    np.testing.assert_allclose(sg.grad(lambda z: np.sum(sg.asarray(np.ones(2)), initial=z[0]))(Z), [1.0, 0.0])


def _one(z):
    a = sg.tensor([1, 2, 3])
    a[0] = z[0] ** 2
    return (a * 1.0).sum()


def _some(z):
    a = sg.zeros(3, dtype=sg.int64)
    a[1:] = z * 2.0
    return a.sum() * 1.0


def _filled(z):
    return sg.zeros(3, dtype=sg.int64).fill_(z[0]).sum() * 1.0


def _copied(z):
    return sg.zeros(2, dtype=sg.int64).copy_(z).sum() * 1.0


def _scattered(z):
    return sg.zeros(3, dtype=sg.int64).scatter(0, sg.tensor([0, 1]), z).sum() * 1.0


READINGS = {
    "grad": sg.grad,
    "compiled grad": lambda f: sg.compile(sg.grad(f)),
    "grad of compiled": lambda f: sg.grad(sg.compile(f)),
    "jvp": lambda f: sg.compile(lambda z: sg.jvp(f, (z,), (z,))),
    "vmap": lambda f: sg.vmap(sg.grad(f), in_axes=None, axis_size=2),
    "exported": lambda f: lambda z: sg.export(sg.grad(f), z, target="numpy"),
}


@pytest.mark.parametrize("f", [_one, _some, _filled, _copied, _scattered], ids=lambda f: f.__name__[1:])
def test_what_integers_cut_has_a_value_and_no_gradient_in_every_reading(f):
    z = np.array([1.5, 2.7])
    expected = f(sg.tensor(z)).item()
    for backend in ("numpy", "llvm", "mpmath"):
        assert float(sg.compile(f, backend=backend)(z)) == expected
    assert sg.vmap(f)(z[None]).tolist() == [expected]
    for name, transform in READINGS.items():
        with pytest.raises(DTypeError, match=r"int64 got a value that needs a gradient, .* x\.detach\(\)"):
            print(name, transform(f)(z))


def test_what_is_detached_is_written_into_integers_in_every_reading():
    def f(z):
        a = sg.tensor([1, 2, 3])
        a[0] = (z[0] * 2.0).detach() + 1.0
        a[1] = z[0].to(sg.int64)
        with sg.no_grad():
            a[2] = z[1]
        return (a * z[1]).sum()

    z = np.array([1.5, 2.7])
    assert sg.grad(f)(z).tolist() == [0.0, 7.0]
    for transform in (sg.compile(sg.grad(f)), sg.grad(sg.compile(f)), lambda z: sg.vmap(sg.grad(f))(z[None])[0]):
        assert np.asarray(transform(z)).tolist() == [0.0, 7.0]


@pytest.mark.parametrize("made", ["leaf", "node", "nested", "jacobian", "value_and_grad"])
def test_a_form_does_not_read_the_numbers_that_a_transform_varies(made):
    w = sg.tensor(Z, requires_grad=True, name="w")

    def f(z):
        return sg.tensor(sg.derive((z**2).sum(), z).lambdify()()).sum()

    runs = {
        "leaf": lambda: sg.grad(f)(w),
        "node": lambda: sg.grad(f)(w * 2.0),
        "nested": lambda: sg.grad(lambda z: (sg.grad(f)(z) ** 2).sum())(w),
        "jacobian": lambda: sg.jacobian(f)(w),
        "value_and_grad": lambda: sg.value_and_grad(f)(w),
    }
    with pytest.raises(GraphError, match=r"closed_form: the argument 'w' requires grad, .* pass x\.detach\(\)"):
        runs[made]()


def test_a_form_reads_the_numbers_of_other_leaves_within_a_transform():
    w = sg.tensor(Z, requires_grad=True, name="w")
    form = sg.derive((w**3).sum(), w).lambdify()
    np.testing.assert_allclose(sg.grad(lambda z: (z * form()).sum())(np.ones(2)), 3 * Z**2)
    given = lambda z: z.sum() + float(sg.derive((z**2).sum(), z).lambdify()(z.detach()).sum())
    assert sg.grad(given)(w).tolist() == [1.0, 1.0]
