"""Calls of compiled functions: what goes in and comes out, signatures, looking at them, errors."""

from __future__ import annotations

import collections
import dataclasses
import enum
import gc
import pickle
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import BACKENDS

import symgrad as sg
from symgrad.compiler import compiled
from symgrad.compiler.backends import python
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.core import trees
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ValueNeeded

X = np.arange(6.0).reshape(2, 3) + 1
backends = pytest.mark.parametrize("backend", BACKENDS)


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Layer:
    w: Any
    b: Any = None
    size: int = dataclasses.field(init=False, default=0)


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: Any
    twice: Any = dataclasses.field(init=False, default=None)


class Named(dict):
    """A dict whose entries are attributes."""

    __getattr__ = dict.__getitem__


def same(found, expected):
    """Equal in structure, types, dtypes and values."""
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        found, expected = list(found.values()), list(expected.values())
    if dataclasses.is_dataclass(expected):
        found, expected = list(vars(found).values()), list(vars(expected).values())
    if isinstance(expected, (list, tuple)):
        for y, z in zip(found, expected, strict=True):
            same(y, z)
    elif isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected, strict=True)
    else:
        assert found == expected


def frozen(layer):
    made = Frozen(layer.w * 2)
    object.__setattr__(made, "twice", layer.w * 4)
    return made


STRUCTURES = {
    "dict": (lambda p: {"y": p["a"] * 2, "z": [p["b"], (p["a"] + p["b"],)]}, ({"a": X, "b": 3.0},)),
    "ordered dict": (lambda p: p, (collections.OrderedDict(b=X, a=X + 1),)),
    "dict with attributes": (lambda p: Named(c=p.a + p.b), (Named(a=X, b=X),)),
    "keys of several types": (lambda p: {1: p[1], "1": p["1"], (1,): p[1,]}, ({1: X, "1": 2.0, (1,): 3.0},)),
    "list": (lambda p: [p[1], p[0]], ([X, 2.0],)),
    "named tuple": (lambda p: Pair(p.b, p.a + 1), (Pair(X, 2.0),)),
    "dataclass": (lambda p: Layer(p.b * 2, p.w), (Layer(X, 2.0),)),
    "frozen dataclass with a field of its own": (frozen, (Frozen(X),)),
    "empty containers": (lambda p, q: ({}, [], (), p, q), ((), [])),
    "None, integers, text": (lambda x, n: (x + 1, None, {"k": None, "n": n, "s": "t"}, True), (X, 3)),
    "only None": (lambda x: None, (X,)),
    "numbers": (lambda x, y: (x * y, x - y), (1.5, 2.0)),
    "nothing": (lambda: sg.ones(3), ()),
    "constants": (lambda x: (1.5, np.ones(2), sg.ones(2), np.float32(2)), (X,)),
}


def by_numpy(result):
    """What eager transforms hand out: arrays of tensors, floats of 0-d float64."""
    return trees.unflatten(trees.flatten(result, is_array, found := []), iter([handed_out(y) for y in found]))


def is_array(x):
    return isinstance(x, (sg.Tensor, np.ndarray, np.generic, float))


def handed_out(y):
    y = np.array(y.detach().numpy() if isinstance(y, sg.Tensor) else y)
    return float(y) if y.ndim == 0 and y.dtype == np.float64 else y[()]


@backends
@pytest.mark.parametrize("name", STRUCTURES)
def test_structures_go_in_and_come_out(name, backend):
    f, args = STRUCTURES[name]
    fast = sg.compile(f, backend=backend)
    tensors = trees.unflatten(trees.flatten(args, is_array, found := []), iter([sg.as_tensor(x) for x in found]))
    expected = by_numpy(f(*tensors))
    for _ in range(2):
        same(fast(*args), expected)


@backends
def test_arguments_may_be_given_by_name(backend):
    @sg.compile(backend=backend)
    def f(x, *, k=2.0, shift=0.0):
        return x * k - shift

    for _ in range(2):
        same(f(X), X * 2)
        same(f(X, k=3.0), X * 3)
        same(f(X, shift=1.0, k=3.0), X * 3 - 1)
        same(f(x=X, shift=X), X * 2 - X)
        same(f(X, shift=3.0), X * 2 - 3)


CALLED_SELF = {
    "compile": sg.compile,
    "lower": lambda f: lambda x, **named: sg.compile(f).lower(x, **named) and f(x, **named),
    "grad": lambda f: lambda x, **named: sg.grad(lambda c, x, **named: c * f(x, **named), argnums=0)(1.0, x, **named),
    "custom_vjp": sg.custom_vjp,
    "checkpoint": sg.checkpoint,
    "sparse_jacobian": lambda f: (
        lambda x, **named: sg.sparse_jacobian(lambda x, self: x * f(x, self).detach())(x, **named).sum() / x.size
    ),
    "module": lambda f: sg.nn.Module.__call__.__get__(type("M", (sg.nn.Module,), {"forward": staticmethod(f)})()),
}


@pytest.mark.parametrize("name", CALLED_SELF)
def test_an_argument_may_be_called_self(name):
    def f(x, self):
        return (x * x * self).sum()

    assert float(CALLED_SELF[name](f)(np.arange(3.0), self=2.5)) == 12.5


def test_compile_decorates_functions_and_methods():
    class Scaled:
        def __init__(self, factor):
            self.factor = factor

        @sg.compile
        def __call__(self, x):
            """Scale."""
            return x * self.factor

    @sg.compile
    def f(x):
        """Twice x."""
        return x * 2

    same([f(X), Scaled(3.0)(X), Scaled(4.0)(X)], [X * 2, X * 3, X * 4])
    assert (f.__name__, f.__doc__, Scaled.__call__.__doc__) == ("f", "Twice x.", "Scale.")


class Sub(np.ndarray):
    """A subclass of arrays."""


KINDS = {
    "a float": 2.5,
    "0-d": np.array(2.5),
    "a NumPy float": np.float64(2.5),
    "a NumPy float32": np.float32(2.5),
    "0-d float32": np.array(2.5, np.float32),
    "float32": X.astype(np.float32),
    "float16": X.astype(np.float16),
    "int64": np.arange(4),
    "int32": np.arange(4, dtype=np.int32),
    "uint8": np.arange(4, dtype=np.uint8),
    "a NumPy integer": np.int64(3),
    "bool": np.array([True, False]),
    "without entries": np.zeros((0, 3)),
    "transposed": X.T,
    "every second": np.repeat(X, 2, 1)[:, ::2],
    "reversed": X[::-1],
    "repeated": np.broadcast_to(X[0], (4, 3)),
    "of other byte order": X.astype(X.dtype.newbyteorder()),
    "int32 of other byte order": np.arange(4, dtype=np.dtype(np.int32).newbyteorder()),
    "unpickled": pickle.loads(pickle.dumps(X)),
    "unaligned": np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(2, 3),
    "of a subclass": X.view(Sub),
}


@backends
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_array_gives_what_tensors_give(kind, backend):
    given = KINDS[kind]
    before = np.array(given)
    fast = sg.compile(lambda x: (x * 2, x + x, sg.where(x > 1, x, x + x)), backend=backend)
    expected = by_numpy(fast.fn(sg.as_tensor(np.asarray(given).copy())))
    fast_enough = np.asarray(given).dtype.kind == "f" and np.asarray(given).dtype.itemsize > 2
    try:
        for _ in range(2):
            same(fast(given), expected)
    except Unsuitable:
        assert not fast_enough
        assert backend != "numpy"
    same(np.array(given), before)


@backends
def test_layout_of_arrays_does_not_matter_after_the_first_call(backend):
    A = np.random.default_rng(0).normal(size=(60, 60))  # a matrix product that no backend writes out
    f, plain = sg.compile(lambda x: x.exp() * 2, backend=backend), lambda x: np.exp(x) * 2
    product = sg.compile(lambda x: x.exp() @ x, backend="numpy" if backend == "python" else backend)
    for x in (A[:3, :4].copy(), A.T[:3, :4], np.asfortranarray(A[:3, :4]), A[::20, ::15]):
        np.testing.assert_allclose(f(x), plain(x), rtol=1e-13)
    for x in (A, A.T, A.astype(A.dtype.newbyteorder()), A[::-1]):
        np.testing.assert_allclose(product(x), np.exp(x) @ x, rtol=1e-10, atol=1e-12)


# ------------------------------------------------------------------ signatures
class Colour(enum.IntEnum):
    RED = 1


@backends
def test_values_that_are_no_arrays_are_part_of_the_signature(backend):
    def f(x, how):
        return x * {"int": 2, "bool": 3, "str": 4, "NoneType": 5, "Colour": 6, "tuple": 7}[type(how).__name__]

    fast = sg.compile(f, backend=backend)
    for _ in range(2):
        for factor, how in enumerate((1, True, "1", None, Colour.RED, ("a", 1)), 2):
            same(fast(X, how), X * factor)
    assert repr(fast) == "<compiled f, 6 signatures>"


def test_keys_are_told_apart_by_type():
    fast = sg.compile(lambda p: [2 * x if k is True else x for k, x in p.items()])
    same([fast({1: X}), fast({True: X}), fast({1: X})], [[X], [2 * X], [X]])


def test_functions_are_traced_once_a_signature():
    traced = []

    @sg.compile
    def f(x):
        traced.append(x.shape)
        return x.sum()

    for _ in range(3):
        for n in (1, 2, 3):
            assert f(np.ones(n)) == n
    f(np.ones(2, np.float32))
    assert traced == [(1,), (2,), (3,), (2,)]


def test_old_signatures_make_room_for_new_ones(monkeypatch):
    monkeypatch.setattr(compiled, "MOST_SIGNATURES", 3)
    f = sg.compile(lambda x: x * 2, backend="python")
    for n in [*range(1, 6), *range(1, 6)]:
        same(f(np.ones(n)), np.full(n, 2.0))
    assert repr(f).endswith("3 signatures>")


def test_what_is_captured_is_frozen_at_the_first_call():
    array, tensor = np.ones(3), sg.ones(3)
    f = sg.compile(lambda x: (x * array + tensor, array))
    before = f(X)
    array[:] = 5.0
    tensor += 1
    same(f(X), before)


@backends
def test_arguments_that_nothing_depends_on_are_allowed(backend):
    f = sg.compile(lambda a, x, b: (x * 2, b.sum() * 0 + 1), backend=backend)
    same(f(np.ones(5), X, 3.0)[0], X * 2)
    g = sg.compile(lambda a, x: sg.ones(2), backend=backend)
    same(g(X, 1.0), np.ones(2))


# ------------------------------------------------------------------ looking at it
def cube(x):
    return (x**3).sum()


@backends
def test_source_stats_and_stages_tell_what_was_compiled(backend):
    f = sg.compile(cube, backend=backend)
    assert repr(f) == "<compiled cube, 0 signatures>"
    with pytest.raises(GraphError, match="nothing has been compiled yet"):
        _ = f.source
    lowered = f.lower(X)
    assert repr(f) == "<compiled cube, 1 signature>"
    assert f.stats == lowered.stats
    assert f.stats.backend == backend
    assert f.stats.operations > 0
    assert f.stats.kernels >= 1
    assert f.stats.compile_time > 0
    assert next(iter(lowered.stages)) == "program"
    assert list(lowered.stages)[-1] == "source"
    assert lowered.stages["source"] == f.source
    assert all(f"# {name}\n" in str(lowered) for name in lowered.stages)
    assert lowered.stages["program"].startswith("%0: float64[2, 3] = input 0")


@backends
def test_stats_are_of_the_signature_called_last(backend):
    f = sg.compile(lambda x: x * 2, backend=backend)
    sources = []
    for n in (2, 3, 2, 3, 2):
        f(np.ones(n))
        sources.append(f.source)
    assert len(set(sources)) == 2
    assert sources[0] == sources[2] == sources[4]


def refused(f, x):
    with pytest.raises(GraphError, match="no matrices"):
        f(x)


def doubled(x):
    if isinstance(x, list):
        return x[0] * 2
    if x.ndim == 2:
        raise GraphError("no matrices")
    return x * 2


OTHER_CALLS = {
    "with tensors": lambda f: f(sg.ones(3)),
    "with a keyword": lambda f: f(x=np.ones(3)),
    "with a list": lambda f: f([1.0, 2.0]),
    "with other strides": lambda f: f(np.ones(6)[::2]),
    "refused": lambda f: refused(f, np.ones((2, 2))),
    "lowered": lambda f: f.lower(np.ones(3)),
}


@backends
@pytest.mark.parametrize("name", OTHER_CALLS)
def test_stats_are_of_the_signature_called_last_whatever_was_called_between(name, backend):
    f = sg.compile(doubled, backend=backend)
    for _ in range(2):
        f(np.ones(2))
    mine = f.source
    OTHER_CALLS[name](f)
    assert (f.source == mine) == (name in ("refused", "lowered"))
    for _ in range(3):
        f(np.ones(2))
        assert f.source == mine


@backends
def test_lower_has_the_source_of_its_own_arguments(backend):
    f = sg.compile(lambda x: x * 2, backend=backend)
    f(np.ones(2))
    mine = f.source
    other = f.lower(np.ones(3)).source
    assert f.source == mine
    f(np.ones(3))
    assert f.source == other


# ------------------------------------------------------------------ errors
class Odd:
    """Neither an array nor a container."""

    __hash__ = None


CYCLE: list[Any] = []
CYCLE.append(CYCLE)
LEARNT = sg.ones(3, requires_grad=True)

ERRORS = {
    "branch": (lambda x: x if x.sum() > 0 else -x, (X,), ValueNeeded, "sg.where"),
    "float()": (lambda x: float(x.sum()) * x, (X,), ValueNeeded, "Compute with x itself"),
    "captured parameter": (lambda x: x * LEARNT, (X,), GraphError, "not among its arguments.*detach"),
    "captured symbol": (lambda x: x * sg.symbol("s"), (X,), GraphError, "symbol 's', which has no value"),
    "long complex numbers": (lambda x: x, (np.ones(2, np.clongdouble),), ArgumentTypeError, "complex ones of two such"),
    "objects": (lambda x: x, (np.array([None]),), ArgumentTypeError, "array of object"),
    "text": (lambda x: x, (np.array(["a"]),), ArgumentTypeError, "array of <U1"),
    "long double": (lambda x: x, (np.ones(2, np.clongdouble),), ArgumentTypeError, "at most 64 bits"),
    "set": (lambda x, s: x, (X, {1}), ArgumentTypeError, "got set, which is neither an array nor hashable"),
    "odd object": (lambda x: x, ([Odd()],), ArgumentTypeError, "got Odd"),
    "default dict": (lambda x: x, (collections.defaultdict(list, a=X),), ArgumentTypeError, "a defaultdict cannot be"),
    "cycle": (lambda x: X, (CYCLE,), ArgumentTypeError, "contains itself"),
    "too few arguments": (lambda x, y: x, (X,), TypeError, "missing 1 required positional argument"),
    "too many arguments": (lambda x: x, (X, X), TypeError, "takes 1 positional argument but 2 were given"),
    "function returned": (lambda x: len, (X,), ArgumentTypeError, "returned a builtin_function_or_method"),
    "object returned": (lambda x: Odd(), (X,), ArgumentTypeError, "returned a Odd"),
    "generator returned": (lambda x: (y for y in x), (X,), ArgumentTypeError, "returned a generator"),
    "objects returned": (lambda x: np.array([None]), (X,), ArgumentTypeError, "returned a array of object"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_say_what_to_do(case):
    f, args, error, text = ERRORS[case]
    fast = sg.compile(f)
    for _ in range(2):
        with pytest.raises(error, match=text):
            fast(*args)
    assert repr(fast).endswith("0 signatures>")


OPTIONS = {
    "backend": (
        lambda: sg.compile(cube, backend="fortran"),
        ArgumentError,
        "'fortran' is unknown. Expected one of 'auto'",
    ),
    "backend by position": (lambda: sg.compile(cube, len), ArgumentTypeError, "backend must be a name"),
    "no function": (lambda: sg.compile(X), ArgumentTypeError, "expected a function, got ndarray"),
    "no function, decorated": (
        lambda: sg.compile(backend="numpy")(3),
        ArgumentTypeError,
        "expected a function, got int",
    ),
    "donate": (lambda: sg.compile(cube, donate=("x",)), ArgumentTypeError, "Expected positions of arguments"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options_are_checked_at_once(case):
    make, error, text = OPTIONS[case]
    with pytest.raises(error, match=text):
        make()


def test_without_llvmlite_auto_does_without_and_llvm_says_what_to_install():
    code = """
import sys
sys.modules["llvmlite"] = None
import numpy as np, symgrad as sg
f = sg.compile(lambda x: (x**2).sum())
print(f(np.ones(3)), f.stats.backend, sg.compile(lambda x: x * 2)(np.ones((50, 50))).sum())
try:
    sg.compile(lambda x: x, backend="llvm")(1.0)
except sg.SymgradError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == "3.0 python 5000.0"
    assert "the extra 'llvm'" in second


def test_backends_say_what_they_cannot_take_and_auto_can():
    with pytest.raises(Unsuitable, match=r"of int64 is not written in scalars.*backend='numpy'"):
        sg.compile(lambda x: x * 2, backend="python")(np.arange(3))
    with pytest.raises(Unsuitable, match="200000 at most"):
        sg.compile(lambda x: x @ x, backend="python")(np.ones((80, 80)))
    same(sg.compile(lambda x: x * 2)(np.arange(3)), np.arange(3) * 2)


@pytest.mark.parametrize("on", [True, False])
def test_the_garbage_collector_is_as_it_was_after_a_compilation(on):
    def failing(x):
        raise ValueError("while it is traced")

    was_on = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        sg.compile(lambda x: x + 1)(1.0)
        assert gc.isenabled() == on
        with pytest.raises(ValueError, match="traced"):
            sg.compile(failing)(1.0)
        assert gc.isenabled() == on
    finally:
        (gc.enable if was_on else gc.disable)()


@pytest.mark.parametrize("x", [0.5, -2.0, 0.0, 1e308])
def test_first_call_of_scalars_computes_what_later_ones_do_bit_by_bit(x):
    def smooth(x):
        return sg.tanh(sg.log(x) / x + sg.sqrt(x) ** 1.5) * 3.0 - sg.exp(x) * x

    def chosen(x):
        return sg.where(x > 1, sg.log(x), sg.sqrt(x)) * 3.0

    for f in (smooth, chosen):
        kernel = sg.compile(sg.value_and_grad(f), backend="python")
        first, second, third = [np.array(kernel(x)) for _ in range(3)]
        assert first.tobytes() == second.tobytes() == third.tobytes()


def test_first_call_of_scalars_writes_no_source(monkeypatch):
    kernel = sg.compile(lambda x: sg.sin(x) * x[::-1], backend="python")
    with monkeypatch.context() as patched:
        patched.setattr(python, "_source", None)
        first = kernel(X)
    np.testing.assert_array_equal(kernel(X), first, strict=True)
    assert "k_sin" in kernel.source
