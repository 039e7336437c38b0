"""Values and derivatives of scalar functions to order 3, over the whole axis, against mpmath's."""

from pathlib import Path

import numpy as np
import pytest
from axis import FUNCTIONS, ORDER, UNDERFLOWS, derived, exactly, known, measured, points, table, units
from axis import _derivatives as derivatives
from axis import _rounded as rounded

import symgrad as sg

FEW, RELATIVE = 4.0, 1e-6
SPACING = float(np.finfo(np.float64).eps)
# What stays above 4 units of the last place in the value or the first derivative, and how far.
WIDER = {
    ("digamma", 0): 200,  # beside the zeros for x < 0
    ("logits, 0.25", 1): 15,  # beside the zero log(1/3)
}


def excess(name, order, found):
    """How far each result is off, as a multiple of what is allowed there."""
    at, exact = known(name, order)
    at, exact = (v[np.abs(exact) < np.inf] for v in (at, exact)) if order > 1 else (at, exact)
    found, spots = np.asarray(found)[at], np.array(points(name))[at]
    if order < 2:
        allowed = WIDER.get((name, order), FEW + 0.5) + np.where(np.abs(exact) < UNDERFLOWS, 800.0, 0.0)
        return units(found, exact) / allowed, spots
    further = np.array([table()[name][order + 1][k] or 0.0 for k in at])
    with np.errstate(all="ignore"):  # near a zero, what the argument's own rounding makes of it
        allowed = RELATIVE * np.abs(exact) + 8 * SPACING * np.abs(spots * further) + 1e-300
        off = np.abs(found - exact) / allowed
    return np.where(np.isnan(off), np.where(found == exact, 0.0, np.inf), off), spots


def check(name, order, found):
    off, spots = excess(name, order, found)
    assert off.max(initial=0) <= 1, f"{name}, order {order}: {off.max():.3g} times too far at {spots[off.argmax()]!r}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_to_order_three_hold_over_the_whole_axis(name):
    for order, found in enumerate(derived(name)):
        check(name, order, found)


@pytest.mark.parametrize("backend", ["numpy", "python", "llvm"])
@pytest.mark.parametrize(
    "name", ["tanh", "atan", "atan2, first", "erf", "silu", "mish", "logaddexp", "logits, 1", "celu"]
)
def test_compiled_derivatives_are_as_accurate(name, backend):
    pytest.importorskip("llvmlite") if backend == "llvm" else None
    f = FUNCTIONS[name].ours
    slope = sg.grad(lambda t: f(t).sum())
    x = np.array(points(name))
    with np.errstate(all="ignore"):
        check(name, 1, sg.compile(slope, backend=backend)(x))
        check(name, 2, sg.compile(sg.grad(lambda t: slope(t).sum()), backend=backend)(x))


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "i1", "sinc", "erfcx", "gelu", "hypot"])
def test_forward_mode_is_as_accurate(name):
    f, x = FUNCTIONS[name].ours, np.array(points(name))
    with np.errstate(all="ignore"):
        found = sg.jvp(f, (x,), (np.ones_like(x),))[1]
    check(name, 1, found.numpy() if isinstance(found, sg.Tensor) else found)


def listed():
    """The rows of the page's second table: function, then the errors of value and derivative."""
    page = (Path(__file__).parents[2] / "docs" / "accuracy.md").read_text(encoding="utf-8")
    lines = page.partition("| function | value at hard points |")[2].splitlines()[2:]
    return {
        name: (float(v), float(d)) for name, v, d in (line.strip("| ").split(" | ") for line in lines if "|" in line)
    }


def test_the_page_says_what_is_reached_at_hard_points():
    assert list(listed()) == list(FUNCTIONS)
    for name, written in listed().items():
        for found, bound in zip(measured(name), written, strict=True):
            assert found <= (FEW + 0.5 if bound <= FEW + 0.5 else 1.5 * bound), name


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_references_are_mpmaths(name):
    spots = points(name)
    for order, f in enumerate(derivatives(FUNCTIONS[name].exact)[: ORDER + 1]):
        for k in range(order, len(spots), 11):
            exact, written = exactly(f, spots[k]), table()[name][order][k]
            if exact is not None:
                assert written == rounded(exact), (order, spots[k])


def _backward(f):
    def slope(z):
        x = sg.tensor(z, requires_grad=True)
        f(x).backward()
        return x.grad

    return slope


def _with_graph(f):
    def slope(z):
        x = sg.tensor(z, requires_grad=True)
        return sg.autograd.grad(f(x), x, create_graph=True)[0].detach()

    return slope


def _forward(f):
    return lambda z: [np.asarray(sg.jvp(f, (z,), (t,))[1]) for t in np.eye(len(z))]


WAYS = {
    "backward": _backward,
    "forward": _forward,
    "create_graph": _with_graph,
    "numpy": lambda f: sg.compile(sg.grad(f), backend="numpy"),
    "python": lambda f: sg.compile(sg.grad(f), backend="python"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("row", [[40.0, 0.0, 1.0], [20.0, -3.0, 0.5], [5.0, 4.0, -30.0]])
def test_the_slope_beside_probability_one_keeps_its_digits(name, row, way):
    z = np.array(row)
    p = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    for k in range(3):
        found = WAYS[way](lambda x, k=k: getattr(sg, name)(x, 0)[k])(z)
        exact = np.array([np.delete(p, k).sum() if i == k else -p[i] for i in range(3)])
        np.testing.assert_allclose(np.asarray(found), exact * (p[k] if name == "softmax" else 1.0), rtol=3e-15)


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_the_gradient_of_a_pseudoinverse_is_homogeneous_at_any_scale(scale):
    a = np.random.default_rng(0).normal(size=(4, 3))
    slope = sg.grad(lambda m: (sg.linalg.pinv(m) * m.detach().T).sum())
    np.testing.assert_allclose(np.asarray(slope(a * scale)) * scale, np.asarray(slope(a)), rtol=1e-10)


def test_the_slope_of_exp2_is_finite_where_the_power_overflows():
    at = np.array([1023.5, 1024.0, 1024.25, 1024.5])
    t = sg.tensor(at, requires_grad=True)
    with np.errstate(over="ignore"):
        sg.exp2(t).sum().backward()
    np.testing.assert_allclose(t.grad.numpy(), 2 * np.log(2) * 2.0 ** (at - 1), rtol=1e-15)
