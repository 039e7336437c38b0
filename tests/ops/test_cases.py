"""Every row of the table against every witness that needs no other library.

Finite differences, forward mode, the closed form as a function and in index and scalar notation, the complex
step, the adjoint identity, second order, and float32.
"""

import re
from pathlib import Path

import numpy as np
import sympy as sp
from checks import close, every, leaves_of, number, random, weighed

import symgrad as sg
from symgrad.core.node import evaluate
from symgrad.forms.closed import _entries
from symgrad.forms.derive import expression
from symgrad.forms.verify import index_value, matrix_value
from symgrad.support.symbols import plain

from cases import ROWS, SMOOTH

ANALYTIC = [case for case in SMOOTH if case.row.analytic and not case.empty]
WITNESSES = {"reverse mode", "forward mode", "closed form", "index notation", "finite differences"}


# A gradient of which an entry nearly cancels: crosscheck measures it by itself, where rounding is that of the largest.
CANCELLING = {"F.group_norm": 1e-8}


def unanimous(report, inputs, tolerance=1e-9):
    """Whether all witnesses were heard and agree, those without truncation error to 9 digits of every entry."""
    for k in range(inputs):
        names = {w.name for w in report.witnesses if w.input == k and not w.missing}
        assert names - {"matrix notation"} == WITNESSES, report
    exact = [w for w in report.witnesses if w.name != "finite differences"]
    assert all(w.error < tolerance and not w.missing for w in exact), report


@every(SMOOTH)
def test_all_witnesses_of_the_jacobian_agree(case):
    unanimous(sg.testing.crosscheck(number(case), *case.points, rtol=case.row.rtol), len(case.points))


def largest(row):
    """The row's sample with the most entries."""
    return max(row.cases, key=lambda c: sum(x.size for x in c.points))


@every([largest(row) for row in ROWS if not row.discrete])
def test_all_witnesses_of_a_gradient_agree(case):
    """A gradient has matrix notation more often than a Jacobian has, which is that of every sample."""
    report = sg.testing.crosscheck(weighed(case), *case.points, rtol=case.row.rtol)
    unanimous(report, len(case.points), CANCELLING.get(case.row.name, 1e-9))


@every(SMOOTH)
def test_formula_of_the_value_has_the_value(case):
    """The tensor's own expression: an operation's entry need not occur in its derivative."""
    y = number(case)(*leaves_of(case))
    form = expression(y)
    close(form.lambdify()(), y.detach().numpy(), 1e-12)
    close(index_value(form), y.detach().numpy(), 1e-11)
    if form.has_matrix:
        close(matrix_value(form), y.detach().numpy(), 1e-11)


@every(SMOOTH)
def test_forward_and_reverse_mode_are_adjoint(case):
    f, xs = number(case), case.points
    vs = [random(case, f"v{k}", x.shape) for k, x in enumerate(xs)]
    y, pull = sg.vjp(f, *xs)
    u = random(case, "u", np.shape(y))
    value, tangent = sg.jvp(f, xs, vs)
    np.testing.assert_array_equal(value, y)
    assert np.shape(tangent) == np.shape(y)
    forward = np.sum(u * tangent)
    backward = sum(np.sum(g * v) for g, v in zip(pull(u), vs, strict=True))
    close(backward, forward, 1e-11 if case.row.rtol < 1e-5 else 1e-6)


@every([case for case in SMOOTH if not case.empty])
def test_second_order_agrees_with_differences_of_the_gradient(case):
    f, xs = weighed(case), case.points
    which = tuple(range(len(xs)))
    vs = [random(case, f"v{k}", x.shape) for k, x in enumerate(xs)]
    gradient = sg.grad(f, which)

    def slope(*points):  # ⟨∇f, v⟩, whose gradient is H v
        found = gradient(*points)
        return sum((g * v).sum() for g, v in zip(found, vs, strict=True))

    products = sg.grad(slope, which)(*[sg.as_tensor(x) for x in xs])
    forward_over_reverse = sg.hvp(f, tuple(xs), tuple(vs))
    for x, reverse, forward, expected in zip(xs, products, forward_over_reverse, along(gradient, xs, vs), strict=True):
        assert reverse.shape == x.shape
        close(reverse.detach().numpy(), expected, max(1e-6, case.row.rtol))
        close(forward, reverse.detach().numpy(), 1e-9)


def along(gradient, xs, vs):
    """d/dε ∇f(x + εv) at 0, by central differences at two steps, extrapolated."""

    def slopes(h):
        up = gradient(*[x + h * v for x, v in zip(xs, vs, strict=True)])
        down = gradient(*[x - h * v for x, v in zip(xs, vs, strict=True)])
        return [(np.asarray(a) - np.asarray(b)) / (2 * h) for a, b in zip(up, down, strict=True)]

    return [(4 * fine - coarse) / 3 for fine, coarse in zip(slopes(5e-4), slopes(1e-3), strict=True)]


@every(ANALYTIC)
def test_complex_step_agrees(case):
    """Im f(x + ih)/h is the derivative to rounding: the forward pass run on complex arrays."""
    leaves = leaves_of(case)
    y = number(case)(*leaves)
    h = 1e-30
    for k, leaf in enumerate(leaves):
        v = random(case, f"v{k}", leaf.shape)
        env = {id(x._node): x.detach().numpy() + (1j * h * v if x is leaf else 0j) for x in leaves}
        with np.errstate(all="ignore"):
            (moved,) = evaluate([y._node], env)
        still = [np.zeros_like(x) for x in case.points]
        _, tangent = sg.jvp(number(case), case.points, [*still[:k], v, *still[k + 1 :]])
        close(np.broadcast_to(np.imag(moved) / h, y.shape), tangent, 1e-11)


def smallest(row):
    """The row's sample with the fewest entries that has any."""
    full = [c for c in row.cases if not c.empty]
    return min(full, key=lambda c: (sum(x.size for x in c.points) < 2, sum(x.size for x in c.points)))


@every([smallest(row) for row in ROWS if not row.discrete and any(not c.empty for c in row.cases)])
def test_scalar_form_has_the_value(case):
    leaves = leaves_of(case)
    y = number(case)(*leaves)
    close(substituted(expression(y)), y.detach().numpy(), 1e-9)
    assert undefined(expression(y)) == set()
    loss = (y * random(case, "u", y.shape)).sum()
    for leaf in leaves:
        form = sg.derive(loss, leaf)
        assert undefined(form) == set()
        close(substituted(form), form.lambdify()(), 1e-9)


PAGES = [Path(__file__).parents[2] / "docs" / page for page in ("notation.md", "named-functions.md")]
DEFINED = set(re.findall(r"\w+", " ".join(re.findall("`[^`\n]+`", "".join(p.read_text("utf-8") for p in PAGES)))))


def undefined(form):
    """The functions and their options in a printed form that the pages on notation do not define."""
    return set(re.findall(r"(?<!\w)(?:[^\W\d_]\w*(?=\()|[^\W\d_]\w+(?==))", str(form))) - DEFINED


def substituted(form):
    """The scalar form's entries at the leaves' values, by SymPy's own arithmetic."""
    env = {}
    for name, leaf in zip(form._called.names, form._leaves, strict=True):
        symbols = np.asarray(_entries(name, leaf.shape), dtype=object)
        env.update(zip(map(plain, symbols.flat), (sp.Float(float(v)) for v in np.ravel(leaf.value)), strict=True))
    entries = form.scalar()
    flat = [entries] if isinstance(entries, sp.Expr) else list(sp.flatten(entries))
    # SymPy's loggamma is complex left of 0; its real part is log |Γ|, which lgamma means there.
    numbers = [(sp.re(e) if e.has(sp.loggamma) else e, env) for e in flat]
    return np.array([float(with_values(*pair).evalf()) for pair in numbers]).reshape(form.shape)


def with_values(e, env):
    """``e.xreplace(env)``; a part that occurs in several places is replaced once."""
    if e.args and e not in env:
        env[e] = e.func(*[with_values(a, env) for a in e.args])
    return env.get(e, e)


OF_ONE_DTYPE = ("to float32 and back", "float_power", "windows")


@every([case for case in SMOOTH if not case.row.name.startswith(OF_ONE_DTYPE)])
def test_single_precision_is_kept(case):
    f = case.function(sg, lambda a: sg.as_tensor(a.astype(np.float32) if a.dtype.kind == "f" else a))
    leaves = [sg.tensor(x.astype(np.float32), requires_grad=True) for x in case.points]
    y = f(*leaves)
    assert y.dtype == np.float32
    u = random(case, "u", y.shape)
    y.backward(sg.tensor(u.astype(np.float32)))
    double = [sg.tensor(x.astype(np.float32).astype(np.float64), requires_grad=True) for x in case.points]
    exact = number(case)(*double)
    exact.backward(sg.tensor(u))
    close(y.detach().numpy(), exact.detach().numpy(), 2e-5)
    for leaf, other in zip(leaves, double, strict=True):
        assert leaf.grad.dtype == np.float32
        assert leaf.grad.shape == leaf.shape
        close(leaf.grad.numpy(), other.grad.numpy(), 1e-4)
