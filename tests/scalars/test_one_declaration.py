"""A scalar function is declared once: one call of ``declare``, and all that symgrad does with functions is there.

A copy of the package gets one declaration more, and a program uses all of it: no other file is touched.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "symgrad"
DECLARATION = """

foo = declare(
    "foo",
    lambda x: sp.log(1 + x**2),
    lambda x, y: 2 * x / (1 + x**2),
    numpy=lambda x: np.log1p(x * x),
    public="special",
    words="log(1 + x²).",
)
"""
PROGRAM = """
import copy, pickle, sys
import numpy as np
import symgrad as sg
from symgrad.testing.coverage import functions
from checks import BACKENDS
import stubs

points = np.array([0.5, -2.0, 3.0])
values, slopes = np.log1p(points**2), 2 * points / (1 + points**2)
close = lambda a, b: np.testing.assert_allclose(np.asarray(a, float), b, rtol=1e-12)

# function, method, in place; gradient, forward mode, second order
x = sg.tensor(points, requires_grad=True)
close(sg.special.foo(points), values)
close(x.foo().detach(), values)
close(x.detach().clone().foo_(), values)
y = x.foo()
assert "SpecialFooBackward0" in repr(y.grad_fn)
y.sum().backward()
close(x.grad, slopes)
close(sg.jvp(sg.special.foo, (points,), (np.ones(3),))[1], slopes)
close(np.diag(sg.hessian(lambda x: sg.special.foo(x).sum())(points)), 2 * (1 - points**2) / (1 + points**2) ** 2)
close(sg.vmap(sg.special.foo)(points), values)
assert sg.testing.crosscheck(lambda x: x.foo().sum(), points).ok

# docstring and names
assert sg.special.foo.__doc__.startswith("Return log(1 + x²).\\n\\n    Derivative: 2*x/(x**2 + 1).\\n")
assert sg.Tensor.foo.__doc__ == "See ``symgrad.special.foo``."
assert {"foo"} <= set(dir(sg.special)) & set(dir(sg.Tensor))
assert pickle.loads(pickle.dumps(y.grad_fn.op.payload)) == y.grad_fn.op.payload

# formulas and explanations
s = sg.symbol("x", "n")
form = sg.derive(s.foo().sum(), s)
print(form)
print(s.foo().expr)
close(sg.derive(x.foo().sum(), x).lambdify()(points), slopes)
assert "foo" in str(sg.explain(s.foo().sum(), s))
print(sg.parse("foo(x)", {"x": ()}).value.expr)

# every backend and every target
for backend in BACKENDS:
    close(sg.compile(sg.grad(lambda x: sg.special.foo(x).sum()), backend=backend)(points), slopes)
for target in sg.exports.TARGETS:
    text = sg.export(sg.value_and_grad(lambda x: sg.special.foo(x).sum()), points, target=target)
    assert len(text) > 100, target
    if target in ("python", "numpy"):
        space = {}
        exec(compile(text, target, "exec"), space)
        value, slope = next(f for n, f in space.items() if n in text.rpartition("def ")[2][:40] and callable(f))(points)
        close(value, values.sum())
        close(slope, slopes)

# coverage and stubs
assert functions()["special.foo"] == (".foo",)
texts = {"/".join(path.parts[-2:]): text for path, text in stubs.stubs().items()}
head = "def foo(input: Any, *, out: Any = None) -> Tensor:"
assert head + "\\n    \\"\\"\\"Return log(1 + x²).\\"\\"\\"" in texts["special/__init__.pyi"]
methods = texts["tensors/methods_mixin.pyi"]
assert "def foo(self) -> Tensor:" in methods and "def foo_(self" in methods
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package with one declaration more."""
    folder = tmp_path_factory.mktemp("declared")
    shutil.copytree(SOURCE, folder / "symgrad")
    place = folder / "symgrad" / "scalars" / "special.py"
    text = place.read_text(encoding="utf-8").replace(
        "import sympy as sp\n", "import numpy as np\nimport sympy as sp\n", 1
    )
    place.write_text(text + DECLARATION, encoding="utf-8")
    return folder


def test_one_declaration_gives_all(copied):
    paths = os.pathsep.join(map(str, [copied, TESTS / "rows", TESTS / "tools"]))
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=copied,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines() == ["2*x ⊘ (x^⊙2 + 1)", "foo(x)", "foo(x)"]
