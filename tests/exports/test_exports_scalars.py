"""Exported sources for single numbers, in Python and C: every row of the table against eager; and the loader for C."""

from __future__ import annotations

import ast
import ctypes
import math
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from importlib import import_module

import numpy as np
import pytest
from exporting import agree, eager, exported, loaded, tolerance

import symgrad as sg
from symgrad.compiler.loops.kernels import KERNELS, kernels
from symgrad.errors import ArgumentError, LinAlgError, MissingExtra, ShapeError
from symgrad.exports import load_c
from symgrad.exports.embed import Embedded

from cases import ROWS

BATCH = 60  # rows that are compiled at a time
PARTS = [ROWS[k : k + BATCH] for k in range(0, len(ROWS), BATCH)]
CC = shutil.which("gcc") or shutil.which("cc")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler")


# ------------------------------------------------------------------ every row
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_python_source_agrees_with_eager(row):
    for case in row.cases:
        text = exported(case, "python")
        if text is not None:
            found = loaded(text)(*[x.tolist() for x in case.points])
            expected = eager(case)  # lists without entries do not tell all of their sizes
            shaped = [y if e.size else np.empty(e.shape) for y, e in zip(found, expected, strict=True)]
            agree(shaped, expected, tolerance(row), dtypes=False)
            assert all(np.asarray(y).dtype.kind == e.dtype.kind for y, e in zip(found, expected) if e.size)


@needs_cc
@pytest.mark.parametrize("part", PARTS, ids=range(len(PARTS)))
def test_c_source_agrees_with_eager(part, tmp_path):
    cases = [case for row in part for case in row.cases]
    named = [(case, text) for k, case in enumerate(cases) if (text := exported(case, "c", f"f_{k}"))]
    names = [f"f_{k}" for k, case in enumerate(cases) if any(case is c for c, _ in named)]
    library = compiled("\n".join(text for _, text in named), tmp_path)
    for name, (case, _) in zip(names, named, strict=True):
        agree(called(getattr(library, name), case), eager(case), tolerance(case.row), dtypes=False)


def compiled(text, folder):
    """Return a library; quickly compiled, with every warning an error."""
    (folder / "all.c").write_text(text)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([CC, *flags, "all.c", "-o", "all.so", "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "all.so"))


def called(function, case):
    """Return a C function's results at a case's points."""
    outs = [np.full(y.shape, 7.25) for y in eager(case)]
    points = [np.ascontiguousarray(x, np.float64) if np.ndim(x) else ctypes.c_double(float(x)) for x in case.points]
    pointers = [x if isinstance(x, ctypes.c_double) else x.ctypes.data_as(ctypes.c_void_p) for x in [*points, *outs]]
    assert function(*pointers) == 0
    return outs


# ------------------------------------------------------------------ the loader
def regression(w, X, y):
    """Mean squared error."""
    return ((sg.tanh(X @ w) - y) ** 2).mean()


RNG = np.random.default_rng(7)
POINT = RNG.normal(size=2), RNG.normal(size=(3, 2)), RNG.normal(size=3)


@needs_cc
def test_loaded_function_takes_and_returns_arrays(tmp_path):
    both = sg.value_and_grad(regression)
    text = sg.export(both, POINT, target="c", path=tmp_path / "mine.c")
    assert (tmp_path / "mine.c").read_text() == text
    assert "int regression(const double *w, const double *X, const double *y" in (tmp_path / "mine.h").read_text()
    f = load_c(tmp_path / "mine.c")
    agree([np.asarray(v) for v in f(*POINT)], [np.asarray(v) for v in both(*POINT)])
    agree(
        [np.asarray(v) for v in f(POINT[0], y=POINT[2], X=POINT[1].T.copy().T)], [np.asarray(v) for v in both(*POINT)]
    )


@needs_cc
def test_loading_leaves_no_file_behind(tmp_path, monkeypatch):
    sg.export(regression, POINT, target="c", path=tmp_path / "mine.c")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    f = load_c(tmp_path / "mine.c")
    with pytest.raises(ArgumentError, match="does not compile"):
        load_c(tmp_path / "mine.c", compiler=f"{CC} -Ddouble=none")
    assert list(temporary.iterdir()) == []
    agree([np.asarray(f(*POINT))], [np.asarray(regression(*map(sg.tensor, POINT)).item())])


@needs_cc
def test_header_is_read_by_c_and_cpp(tmp_path):
    sg.export(regression, POINT, target="c", path=tmp_path / "mine.c")
    (tmp_path / "use.c").write_text('#include "mine.h"\n#include "mine.h"\nint main(void) { return 0; }\n')
    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([CC, "-std=c99", *flags, "use.c"], cwd=tmp_path, check=True)
    if shutil.which("g++"):
        subprocess.run(["g++", "-x", "c++", *flags, "use.c"], cwd=tmp_path, check=True)


@needs_cc
@pytest.mark.parametrize("n", [1, 4, 9])
def test_sizes_with_names_are_arguments_in_c(tmp_path, n):
    both = sg.value_and_grad(regression)
    sg.export(both, shapes={"w": ("d",), "X": ("n", "d"), "y": ("n",)}, target="c", path=tmp_path / "mine.c")
    assert "long d, long n, double *out0" in (tmp_path / "mine.h").read_text()
    f = load_c(tmp_path / "mine.c")
    point = RNG.normal(size=3), RNG.normal(size=(n, 3)), RNG.normal(size=n)
    agree([np.asarray(v) for v in f(*point)], [np.asarray(v) for v in both(*point)])


SIZED = {
    "slices": (lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(), [("n",)]),
    "softmax": (lambda X: sg.log_softmax(X, -1)[:, 0].sum(), [("n", 3)]),
    "variance": (lambda X, w: sg.tanh(X @ w).var(), [("n", 2), (2,)]),
    "deviation": (lambda x: x[1:].std(), [("n",)]),
    "largest of columns": (lambda X: sg.max(X[:, 1:] ** 2, 0).values.sum(), [("n", "m")]),
    "determinant": (lambda X: sg.linalg.det(X.T @ X), [("n", "m")]),
    "correction": (lambda x: sg.var(x, correction=0.5), [("n",)]),
    "joined": (lambda x, z: sg.cat([x, z * z]).prod(), [("n",), ("m",)]),
    "solve": (lambda A, b: (sg.linalg.solve(A + 9 * sg.exp(0 * A), b) ** 2).sum(), [("n", "n"), ("n",)]),
}


KEPT = {
    "deviation": lambda x: x / sg.std(x, 0, keepdim=True),
    "variance": lambda x: x * sg.var(x, 0, keepdim=True),
    "norm": lambda x: x - sg.linalg.norm(x, 3, 0, keepdim=True),
    "product": lambda x: sg.sin(x) * sg.prod(x, 0, keepdim=True),
    "largest entry": lambda x: x * sg.gather(x, 0, sg.argmax(x, 0, keepdim=True)),
    "running minimum": lambda x: sg.cummin(x * sg.std(x, 0, keepdim=True), 0).values,
    "constant steps of a loop": lambda x: sg.fori_loop(0, 4, lambda i, y: y * 1.5, x),
}


@pytest.mark.parametrize("target", ["python", pytest.param("c", marks=needs_cc)])
@pytest.mark.parametrize("shape", [(5,), (4, 3)], ids=["vector", "matrix"])
def test_results_with_an_axis_of_length_1_are_used_further(target, shape, tmp_path):
    x = 0.5 + RNG.permutation(np.arange(np.prod(shape)) * 0.3).reshape(shape)
    text = []
    for k, f in enumerate(KEPT.values()):
        gradient = sg.grad(lambda x, f=f: (f(x) * np.cos(x)).sum())
        text.append(sg.export(lambda x, f=f, g=gradient: (f(x), g(x)), (x,), target=target, name=f"f_{k}"))
    library = compiled("\n".join(text), tmp_path) if target == "c" else None
    for k, f in enumerate(KEPT.values()):
        want = [f(x), sg.grad(lambda x, f=f: (f(x) * np.cos(x)).sum())(x)]
        if library is None:
            found = loaded(text[k], f"f_{k}")(x.tolist())
        else:
            found = [np.full(shape, np.nan), np.full(shape, np.nan)]
            pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (x, *found)]
            assert getattr(library, f"f_{k}")(*pointers) == 0
        agree(found, [np.asarray(y) for y in want], dtypes=False)


@pytest.mark.parametrize("target", ["python", pytest.param("c", marks=needs_cc)])
@pytest.mark.parametrize("name", SIZED)
def test_operations_with_named_sizes_run_at_every_size(name, target, tmp_path):
    f, shapes = SIZED[name]
    gradient = sg.grad(f, argnums=tuple(range(len(shapes))))
    text = sg.export(gradient, shapes=shapes, target=target, name="g", path=tmp_path / "g.c")
    g = load_c(tmp_path / "g.c") if target == "c" else loaded(text, "g")
    for numbers in ({"n": 4, "m": 2}, {"n": 3, "m": 5}):
        point = [RNG.normal(size=[numbers.get(n, n) for n in s]) for s in shapes]
        found = g(*point) if target == "c" else g(*[x.tolist() for x in point])
        found = found if isinstance(found, tuple) else (found,)
        agree(found, [np.asarray(v) for v in gradient(*point)], dtypes=False)


@needs_cc
def test_large_programs_take_memory_from_the_heap(tmp_path):
    f = lambda X: sg.linalg.inv(X @ X.T + 1.0).sum()
    X = RNG.normal(size=(40, 40))
    text = sg.export(f, (X,), target="c", name="f", path=tmp_path / "f.c")
    assert "calloc" in text
    assert "free(work)" in text
    agree([np.asarray(load_c(tmp_path / "f.c")(X))], [np.asarray(f(sg.tensor(X)).item())], 1e-6)


@needs_cc
def test_singular_matrices_are_told(tmp_path):
    text = sg.export(lambda A: sg.linalg.inv(A), (np.eye(2),), target="c", name="f", path=tmp_path / "f.c")
    with pytest.raises(LinAlgError, match="singular"):
        load_c(tmp_path / "f.c")(np.ones((2, 2)))
    assert "Returns 0; 1 where a matrix is singular" in text
    g = loaded(sg.export(lambda A: sg.linalg.inv(A), (np.eye(2),), target="python", name="g"), "g")
    with pytest.raises(ZeroDivisionError, match="singular"):
        g([[1.0, 1.0], [1.0, 1.0]])


@needs_cc
def test_loader_takes_the_compiler_that_cc_names(tmp_path, monkeypatch):
    sg.export(regression, POINT, target="c", path=tmp_path / "mine.c")
    monkeypatch.setenv("CC", f"{CC} -Ddouble=none")
    with pytest.raises(ArgumentError, match="does not compile"):
        load_c(tmp_path / "mine.c")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(MissingExtra, match="no C compiler was found"):
        load_c(tmp_path / "mine.c")


@needs_cc
def test_loader_refuses_wrong_arguments(tmp_path):
    sg.export(regression, POINT, target="c", path=tmp_path / "mine.c")
    f = load_c(tmp_path / "mine.c")
    with pytest.raises(ShapeError, match="w has shape"):
        f(np.ones(3), *POINT[1:])
    with pytest.raises(ArgumentError, match="expected the arguments"):
        f(*POINT[:2])
    with pytest.raises(ArgumentError, match="no exported function"):
        load_c(tmp_path / "mine.c", "other")


# ------------------------------------------------------------------ the text
def test_small_programs_are_straight_lines():
    text = sg.export(sg.grad(lambda x: (x**3).sum()), (np.ones(3),), target="c", name="g")
    assert "for (" not in text
    assert "out0[2] = " in text


def test_python_module_imports_math_alone(tmp_path):
    sg.export(sg.value_and_grad(lambda x: sg.special.erfinv(x / 9).sum() + sg.lgamma(x).prod()), (np.ones(3),),
              target="python", name="f", path=tmp_path / "mine.py")  # fmt: skip
    program = "import sys; before = set(sys.modules); import mine; print(sorted(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert set(eval(found.stdout)) <= {"mine", "math", "struct", "_struct", "__future__"}


@pytest.mark.parametrize("x", [0.0, -1.0, 1e308, float("inf"), float("nan")])
def test_python_source_gives_nan_and_infinity_as_numpy_does(x):
    f = lambda x: sg.log(x) / x + sg.exp(x) - sg.sqrt(x) + x**-3 + sg.sinh(x)
    g = loaded(sg.export(f, (1.0,), target="python", name="g"), "g")
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(g(x), f(sg.tensor(x)).item())


# ------------------------------------------------------------------ kernels of arrays, read for one number
OWN = [(m, n) for m in KERNELS for n, node in kernels(m).defined.items() if isinstance(node, ast.FunctionDef)]
PUBLIC = {n: m for m, n in OWN if n[0] != "_" and n not in ("erf", "erfc", "erfc_ratio", "over_sum", "lgamma")}
NUMBERS = {"polygamma": 3, "bessel": 2, "zeta": 2.5, "bce_logits": 0.7, "xlogy": 0.4, "xlog1py": 0.4}
POINTS = [
    0.0,
    -0.0,
    1e-12,
    0.1,
    0.25,
    0.5,
    0.74,
    0.99,
    1.0,
    1.46,
    2.45,
    3.3,
    8.9,
    13.4,
    26.0,
    40.2,
    700.0,
    1e17,
    np.inf,
]
POINTS += [-x for x in POINTS[2:]] + [np.nan]


@pytest.fixture(scope="module")
def numbers():
    embedded = Embedded(["math"], reader=kernels)
    for name, module in PUBLIC.items():
        embedded.add(module, name)
    space = {"math": math, "struct": struct}
    exec("\n".join(embedded.texts), space)
    return space


@pytest.mark.parametrize("name", PUBLIC)
def test_a_kernel_of_arrays_is_the_same_function_of_one_number(name, numbers):
    kernel = getattr(import_module(PUBLIC[name]), name)
    first = [NUMBERS[name]] if name in NUMBERS else []
    with np.errstate(all="ignore"):
        on_arrays = getattr(kernel, "__wrapped__", kernel)
        wide = [f if isinstance(f, int) else np.full(len(POINTS), f) for f in first]
        expected = on_arrays(*wide, np.array(POINTS))
    np.testing.assert_allclose([numbers[name](*first, x) for x in POINTS], expected, rtol=1e-14, atol=0)


def test_names_of_kernels_differ():
    names = [n for m in KERNELS for n in kernels(m).defined]
    assert sorted(n for n, count in Counter(names).items() if count > 1) == []


def test_a_path_that_is_a_folder_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match=r"is a folder\. Pass the name of a file in it"):
        sg.export(lambda x: 2 * x, shapes=[(3,)], target="numpy", path=tmp_path)
