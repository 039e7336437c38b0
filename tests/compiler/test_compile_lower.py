"""``lower``: what would run and what it costs, from shapes, symbols or arrays, before it runs."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError

N, K = 20, 30


def lowered(f, *args, backend="numpy", **kwargs):
    return sg.compile(f, backend=backend).lower(*args, **kwargs)


# ------------------------------------------------------------------ arguments
GIVEN = {
    "a shape": (N, K),
    "an array": np.ones((N, K)),
    "a tensor": sg.ones(N, K),
    "a symbol": sg.symbol("A", (N, K)),
}


@pytest.mark.parametrize("given", GIVEN)
def test_shapes_symbols_and_arrays_are_the_same_signature(given):
    f = sg.compile(lambda a: (a * 2).sum(0), backend="numpy")
    found = f.lower(GIVEN[given])
    assert repr(f) == "<compiled <lambda>, 1 signature>"
    np.testing.assert_array_equal(f(np.ones((N, K))), np.full(K, 2.0 * N))
    assert repr(f) == "<compiled <lambda>, 1 signature>"
    assert found.source == f.source


def test_an_empty_shape_is_a_float():
    f = sg.compile(lambda x, y: x * y, backend="python")
    f.lower((), ())
    assert f(2.0, 3.0) == 6.0
    assert repr(f) == "<compiled <lambda>, 1 signature>"


def test_nothing_is_run_or_made_for_a_shape():
    n = 10**14  # 800 TB
    assert lowered(lambda x: x.sum(), (n,)).cost_analysis()["arguments"] == 8 * n


def test_symbols_stand_in_structures():
    found = lowered(lambda p: p["w"] * 2, {"w": sg.symbol("x", (3,))})
    assert found.as_text().startswith("%0: float64[3] = input 0")


def test_arguments_by_keyword_and_in_lists_are_what_they_are():
    found = lowered(lambda x, axes: x.sum(axes), (3, 4, 5), axes=(0, 2))
    assert "float64[4]" in found.as_text()
    assert lowered(lambda x, sizes: x.reshape(sizes), (6,), [2, 3]).as_text().count("float64[2, 3]") == 1


def test_a_size_without_a_number_is_refused():
    with pytest.raises(ArgumentTypeError, match="has a size without a number"):
        lowered(lambda x: x, sg.symbol("x", ("n",)))


# ------------------------------------------------------------------ text
@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_every_stage_is_text(backend):
    found = lowered(lambda x: sg.sin(x).sum(), (N,), backend=backend)
    assert found.as_text() == found.stages["program"]
    assert [found.as_text(stage) for stage in found.stages] == list(found.stages.values())
    assert found.as_text("source") == found.source
    with pytest.raises(ArgumentError, match=r"stage='hlo'\. Expected one of 'program', .*'source'"):
        found.as_text("hlo")


def test_compile_gives_the_function_with_its_kernel():
    found = lowered(lambda x: x * 2, (3,))
    f = found.compile()
    assert f(np.ones(3)).tolist() == [2.0] * 3
    assert f.stats is found.stats


# ------------------------------------------------------------------ cost
def weights(w, x, y):
    return ((x @ w - y) ** 2).mean()


CONSTANT = np.arange(50.0)
OPERATIONS = {
    "an operation an entry": (lambda x: sg.sin(x) * x, [(N, K)], 2 * N * K),
    "computed twice": (lambda x: sg.exp(x) + sg.exp(x) * x, [(N,)], 3 * N),
    "a sum": (lambda x: x.sum(), [(N, K)], N * K),
    "what moves": (lambda x: x.T.reshape(-1)[::2], [(N, K)], 0),
    "joined and selected": (lambda x: sg.cat([x, x])[np.array([0, 3])], [(N,)], 0),
    "a product": (lambda a, b: a @ b, [(N, K), (K, 7)], 2 * N * K * 7),
    "an outer product": (lambda a, b: sg.outer(a, b), [(N,), (K,)], N * K),
    "a batch of products": (lambda a, b: a @ b, [(5, N, K), (5, K, 7)], 5 * 2 * N * K * 7),
    "least squares": (sg.grad(weights), [(N,), (K, N), (K,)], 4 * N * K + 2 * K),
    "a factorisation": (sg.linalg.inv, [(4, N, N)], 4 * N**3),
    "solved": (sg.linalg.solve, [(N, N), (N, K)], N * N * K),
    "a rectangle": (sg.linalg.svdvals, [(K, N)], K * N * N),
    "a loop": (lambda x: sg.scan(lambda c, t: (sg.sin(c) * t, c), x[0], x)[0], [(N,)], 2 * N),
    "nothing": (lambda x: x, [(N,)], 0),
    "no entries": (lambda x: sg.sin(x), [(0, K)], 0),
}


@pytest.mark.parametrize("case", OPERATIONS)
def test_operations_are_those_of_the_mathematics(case):
    f, shapes, expected = OPERATIONS[case]
    assert lowered(f, *shapes).cost_analysis()["operations"] == expected


@pytest.mark.parametrize("shape", [(-3,), (2, -1), (10**30,), (2**40, 2**40)])
def test_what_is_no_shape_is_refused(shape):
    with pytest.raises(ArgumentError, match=r"lower: .* is not a shape\. Expected sizes of 0 or more"):
        lowered(lambda x: x.sum(), shape)


def test_the_cost_does_not_depend_on_the_backend():
    costs = [lowered(weights, (N,), (K, N), (K,), backend=b).cost_analysis() for b in ("python", "numpy")]
    assert [{k: v for k, v in cost.items() if k != "workspace"} for cost in costs[:1]] == [
        {k: v for k, v in cost.items() if k != "workspace"} for cost in costs[1:]
    ]


def test_bytes_are_arguments_constants_and_results_each_once():
    x = np.ones((50, 2), np.float32)
    found = lowered(lambda x: (x.sum(1) + CONSTANT, x > 0), x).cost_analysis()
    assert (found["arguments"], found["constants"], found["results"]) == (400, 400, 400 + 100)
    assert found["bytes"] == 1300


# ------------------------------------------------------------------ one form of programs
def test_compiled_functions_closed_forms_and_steps_of_loops_are_programs_of_one_form():
    x = sg.symbol("x", "n")
    form = sg.derive((sg.tanh(x) * x).sum(), x).lambdify().program
    loop = sg.compile(lambda c: sg.fori_loop(0, 3, lambda _, y: sg.sin(y) * y, c)).lower(()).program
    compiled = lowered(lambda a: sg.sin(a) * a, (3,)).program
    body = next(v.op.body for v in loop.values if hasattr(v.op, "body"))
    assert type(form) is type(loop) is type(compiled) is type(body)
    assert repr(compiled).splitlines() == [
        "%0: float64[3] = input 0",
        "%1: float64[3] = Map(sin(x0))(%0)",
        "%2: float64[3] = Map(x0*x1)(%1, %0)",
        "return %2",
    ]
    assert repr(form).splitlines()[0] == "%0: float64[n] = input 0"
    assert "; ".join(body.lines()) in repr(loop)


def test_the_same_function_prints_as_the_same_program_compiled_and_as_a_closed_form():
    def f(x):
        return x**2 * sg.sin(x)

    x = sg.symbol("x")
    form = sg.derive(f(x), x).lambdify().program
    compiled = lowered(sg.grad(f), 1.0).program
    assert type(form) is type(compiled)
    assert repr(form) == repr(compiled)
    assert form.lines() == compiled.lines()
    assert str(form).endswith("return %8")


def test_programs_are_equal_by_what_they_compute():
    one, same, other = (lowered(f, (3,)).program for f in (lambda a: a * 2.0, lambda b: b * 2.0, lambda a: a * 2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other  # of 2.0 and 2 integers become different numbers
    assert repr(pickle.loads(pickle.dumps(one))) == repr(one)


def test_the_program_of_a_closed_form_computes_it():
    A, x = sg.symbol("A", ("n", "n")), sg.symbol("x", "n")
    form = sg.derive((sg.sin(A @ x) * 2).sum(), x)
    a, at = np.random.default_rng(0).normal(size=(3, 3)), np.ones(3)
    assert form.args == ("A", "x")
    (y,) = form.lambdify().program.sized({next(iter(form.lambdify().program.sizes)): 3})(a, at)
    np.testing.assert_allclose(y, form(a, at))
