"""What takes part in the table: each peer prepares a problem, and its ``start`` compiles and gives the call to time.

A peer takes a problem and returns ``start``; ``start()`` returns ``(call, read)``: ``call()`` computes once, and
``read(result)`` gives what it computed as arrays, in the shape of the hand-written NumPy. Imports and the conversion of
inputs come before ``start``, everything that a user waits for at the first call comes in it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import names
import numpy as np
from problems import Problem

Start = Callable[[], tuple[Callable[[], Any], Callable[[Any], Any]]]
SOURCES = Path(__file__).with_name("problems") / "c"


class Missing(Exception):
    """A peer that should take part cannot, and why."""


class LeftOut(Exception):
    """A peer is not meant to take part, and why."""


def itself(result: Any) -> Any:
    """Arrays already."""
    return result


# ------------------------------------------------------------------ by hand
def numpy(problem: Problem) -> Start:
    """Hand-written NumPy: what all others are compared with."""
    call = partial(problem.hand, *problem.inputs())
    return lambda: (call, itself)


def c(problem: Problem) -> Start:
    """Hand-written C, compiled by gcc and called with prebuilt pointers: it fills the same arrays at every call."""
    if not problem.source:
        raise LeftOut("not written in C")
    if shutil.which("gcc") is None:
        raise Missing("there is no gcc")
    given = [np.ascontiguousarray(x) for x in problem.inputs()]
    made = _results_like(problem, given)
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in [*given, *made]]

    def start() -> Any:
        kernel = _compiled(problem).kernel
        kernel.held = given  # a pointer holds nothing
        if problem.kind == "gradient":
            kernel.restype = ctypes.c_double
            return partial(kernel, *pointers), lambda value: (value, made)
        kernel.restype = None
        return partial(kernel, *pointers), lambda _: made[0]

    return start


def _compiled(problem: Problem) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "kernel.so"
        sizes = [f"-D{name}={value}" for name, value in problem.sizes.items()]
        flags = ["-std=gnu11", "-O3", "-march=native", "-shared", "-fPIC", *problem.flags, *sizes]
        subprocess.run(["gcc", *flags, "-o", library, SOURCES / problem.source, "-lm"], check=True)
        return ctypes.CDLL(str(library))


def _results_like(problem: Problem, given: list[Any]) -> list[Any]:
    """Empty arrays for the derivatives."""
    if problem.kind == "gradient":
        return [np.empty_like(x) for x in given[: problem.wrt]]
    shape = given[0].shape
    return [np.empty((*shape[:-1], problem.outputs, shape[-1]))]


# ------------------------------------------------------------------ symgrad
def _derivative(sg: Any, problem: Problem) -> Callable[..., Any]:
    fn = problem.program(names.symgrad())
    if problem.kind == "gradient":
        return sg.value_and_grad(fn, problem.argnums)
    return sg.jacobian(fn) if problem.kind == "jacobian" else sg.vmap(sg.jacobian(fn))


def symgrad(backend: str, problem: Problem) -> Start:
    """symgrad, compiled: llvm, c, python, numpy, or core: what is chosen without llvmlite and without a C compiler."""
    if backend == "core":
        sys.modules["llvmlite"] = None  # type: ignore[assignment]
        os.environ["CC"] = "no compiler"
    import symgrad as sg

    if not hasattr(sg, "compile"):
        raise Missing("this symgrad has no compile")
    given = problem.inputs()

    def start() -> Any:
        made = sg.compile(_derivative(sg, problem), backend="auto" if backend == "core" else backend)
        return partial(made, *given), itself

    return start


def symgrad_eager(problem: Problem) -> Start:
    """The same functions without compile."""
    import symgrad as sg

    given = problem.inputs()
    if problem.kind == "batched":
        given = tuple(sg.tensor(x) for x in given)
    return lambda: (partial(_derivative(sg, problem), *given), np.asarray if problem.kind == "batched" else itself)


# ------------------------------------------------------------------ other libraries
def jax(problem: Problem) -> Start:
    """jax.jit on arrays of its own; the call returns when the first result is there, and with it all others."""
    import jax as j

    j.config.update("jax_enable_x64", True)
    j.config.update("jax_platforms", "cpu")
    j.config.update("jax_cpu_enable_async_dispatch", False)
    fn, given = problem.program(names.jax()), [j.numpy.asarray(x) for x in problem.inputs()]
    gradient = problem.kind == "gradient"
    derivative = j.value_and_grad(fn, problem.argnums) if gradient else j.jacrev(fn)
    made = j.jit(j.vmap(derivative) if problem.kind == "batched" else derivative)

    def call() -> Any:
        result = made(*given)
        (result[0] if gradient else result).block_until_ready()
        return result

    return lambda: (call, _conjugated if gradient else itself)


def _conjugated(result: Any) -> Any:
    """Gradients by complex numbers as PyTorch and symgrad have them: those of JAX and autograd are conjugate."""
    value, slopes = result
    return value, [np.conj(g) for g in slopes] if isinstance(slopes, (tuple, list)) else np.conj(slopes)


def torch(compiled: bool, problem: Problem) -> Start:
    """PyTorch on its tape, eager or by torch.compile; a batch of Jacobians through torch.func."""
    if compiled and shutil.which("g++") is None:
        raise Missing("there is no g++")
    if compiled and problem.compile_only:
        raise LeftOut("torch.compile takes minutes over thousands of operations")
    import torch as t

    t.set_num_threads(int(os.environ.get("BENCHMARK_THREADS", "1")))
    fn, given = problem.program(names.torch()), [t.tensor(x) for x in problem.inputs()]
    made = partial(t.compile, dynamic=False) if compiled else itself
    if problem.kind == "batched":
        return lambda: (partial(made(t.func.vmap(t.func.jacrev(fn))), *given), lambda r: r.numpy())
    if problem.kind == "jacobian":
        whole = t.func.jacrev(fn) if compiled else partial(t.autograd.functional.jacobian, lambda x: fn(x, *given[1:]))
        return lambda: (partial(made(whole), *(given if compiled else given[:1])), lambda r: r.numpy())
    leaves = [x.requires_grad_() for x in given[: problem.wrt]]

    def start() -> Any:
        forward = made(fn)

        def step() -> Any:
            for x in leaves:
                x.grad = None
            value = forward(*given)
            value.backward()
            return value, [x.grad for x in leaves]

        return step, lambda r: (r[0].item(), [g.numpy() for g in r[1]])

    return start


def autograd(problem: Problem) -> Start:
    """HIPS autograd; a batch of Jacobians as gradients of the sums over the batch, one per output."""
    import autograd as ag
    import autograd.numpy as anp

    fn, given = problem.program(names.autograd()), problem.inputs()
    if problem.kind == "gradient":
        return lambda: (partial(ag.value_and_grad(fn, problem.argnums), *given), _conjugated)
    if problem.kind == "jacobian":
        return lambda: (partial(ag.jacobian(fn), *given), itself)
    columns = [x.T.copy() for x in given]
    each = [ag.grad(lambda v, *rest, i=i: anp.sum(fn(v, *rest)[i])) for i in range(problem.outputs)]
    return lambda: (lambda: [g(*columns) for g in each], lambda rows: np.transpose(rows, (2, 0, 1)))


def casadi(compiled: bool, problem: Problem) -> Start:
    """CasADi's SX through the buffer interface, by its virtual machine or compiled as C."""
    if not problem.scalar:
        raise LeftOut("not a scalar program")
    if compiled and shutil.which("gcc") is None:
        raise Missing("there is no gcc")
    if compiled and problem.compile_only:
        raise LeftOut("a C compiler takes minutes over 50,000 operations")
    import casadi as ca

    given, made = [np.ascontiguousarray(x) for x in problem.inputs()], _results_like(problem, problem.inputs())
    value = np.empty(1)
    results = [value, *made] if problem.kind == "gradient" else made

    def start() -> Any:
        buffer, call = _casadi_function(ca, problem, given, compiled).buffer()
        for i, x in enumerate(given):
            buffer.set_arg(i, memoryview(x))
        for i, x in enumerate(results):
            buffer.set_res(i, memoryview(x))
        # CasADi's matrices are stored by columns.
        by_rows = lambda _: made[0].reshape(*made[0].shape[:-2], -1, problem.outputs).swapaxes(-1, -2)
        call.held = buffer, given  # nor does the call hold what it works on
        return call, (lambda _: (value[0], made[0])) if problem.kind == "gradient" else by_rows

    return start


def _casadi_function(ca: Any, problem: Problem, given: list[Any], compiled: bool) -> Any:
    symbols = [ca.SX.sym(f"x{i}", x.shape[-1]) for i, x in enumerate(given)]
    y = problem.program(names.casadi())(*symbols)
    if problem.kind == "gradient":
        results = [y, ca.gradient(y, symbols[0])]
    else:
        results = [ca.densify(ca.jacobian(y, symbols[0]))]
    options = {"jit": True, "compiler": "shell", "jit_options": {"flags": ["-O3 -march=native"]}} if compiled else {}
    before = Path.cwd()
    os.chdir(tempfile.gettempdir())  # the compiler works where it is called, and cleans up after itself
    try:
        made = ca.Function("f", symbols, results, options)
    finally:
        os.chdir(before)
    return made.map(len(given[0])) if problem.kind == "batched" else made


PEERS: dict[str, Callable[[Problem], Start]] = {
    "NumPy": numpy,
    "C": c,
    "CasADi VM": partial(casadi, False),
    "CasADi C": partial(casadi, True),
    "jax.jit": jax,
    "PyTorch": partial(torch, False),
    "torch.compile": partial(torch, True),
    "autograd": autograd,
    **{f"symgrad {name}": partial(symgrad, name) for name in ("llvm", "c", "core", "python", "numpy")},
    "symgrad eager": symgrad_eager,
}
