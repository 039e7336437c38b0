"""Nothing is left out of the table: every public function, declared scalar function and operation has a row.

What a row covers is observed, not claimed: the names it looks up, and the operations in its graph and in the
graph of its gradient, whose rules the second-order tests run.
"""

import importlib
import pkgutil
from functools import cache
from types import ModuleType

import numpy as np
import pytest
from checks import number
from complex_linalg_rows import MATRICES
from complex_rows import PROGRAMS, Z

import symgrad as sg
from symgrad import ops
from symgrad.core.node import Node, ancestors
from symgrad.functions.library import FOUND
from symgrad.ops.linalg import ldl  # elimination of numbers alone: tested in test_ldl.py
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.ops.signal import fourier  # tested in test_fft.py
from symgrad.scalars import BY_FUNCTION, SCALARS

from cases import CASES, KINKS, ROWS

# as methods these take their arguments in another order, or are properties
OF_COMPLEX = [
    "adjoint",
    "angle",
    "conj_physical",
    "resolve_conj",
    "resolve_neg",
    "istft",
    "stft",
]  # in complex_rows.py and test_fft.py, as functions and methods
OTHERWISE = {"where", "polygamma", "real", "imag"}
NAMESPACES = (sg.functions, sg.nn.functional, sg.linalg, sg.special, sg.signal)


class Watch:
    """A module that notes what is looked up in it."""

    def __init__(self, module, seen):
        self._module, self._seen = module, seen

    def __getattr__(self, name):
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return Watch(found, self._seen)
        self._seen.append(found)
        return found


@cache
def looked_up():
    """The functions that rows call, as a list: functions are compared by identity."""
    seen = []
    for case in CASES:
        case.function(Watch(sg, seen), sg.as_tensor)(*map(sg.as_tensor, case.points))
    for program in (PROGRAMS | MATRICES).values():
        program(Watch(sg, seen), sg.tensor(Z))
    return seen


@cache
def operations():
    """The operations in the graphs of all rows, of their gradients, and of these as closed forms."""
    found = []
    for case in CASES:
        leaves = [sg.tensor(x, requires_grad=True) for x in case.points]
        y = traced(case, leaves) if case.row.discrete else number(case)(*leaves)
        roots = [y._node]
        if not case.row.discrete:
            gradients = sg.autograd.grad(y.sum(), leaves, create_graph=True, allow_unused=True)
            roots += [g._node for g in gradients if g is not None]
            roots += [form._root for form in sg.derive(y.sum(), leaves)]
        found += [n.op for n in ancestors([r for r in roots if r is not None]) if isinstance(n, Node)]
    for program in (PROGRAMS | MATRICES).values():
        y = program(sg, sg.tensor(Z, requires_grad=True))
        found += [n.op for n in ancestors([y._node]) if isinstance(n, Node)]
    return found


def traced(case, leaves):
    """A row without gradient, on named inputs so that it is recorded all the same."""
    rest = iter(leaves)
    free = case.free
    args = [next(rest) if k in free else sg.tensor(a, name=f"a{k}") for k, a in enumerate(case.arrays)]
    return case.row.f(sg, *args)


def op_classes():
    """All classes of operations that can be applied, in symgrad.ops."""
    found = set()
    for info in pkgutil.walk_packages(ops.__path__, ops.__name__ + "."):
        module = importlib.import_module(info.name)
        found |= {c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Op)}
    elsewhere = {fourier.__name__, ldl.__name__}
    return sorted((c for c in found if not abstract(c) and c.__module__ not in elsewhere), key=lambda c: c.__name__)


def abstract(cls):
    """Whether a class is a base only: it does not say what its shape or its value is."""
    return any(getattr(cls, m) is getattr(Op, m) for m in ("forward", "out_shape"))


PUBLIC = [
    (module, name)
    for module in NAMESPACES
    for name in module.__all__
    if not isinstance(getattr(module, name), (type, ModuleType))
    and not (module is sg.special and name in FOUND)
    and name not in ("stft", "istft", "cg", "gmres", "lsqr")  # in test_fft.py and test_solvers.py
    and name not in ("ldl_factor", "ldl_solve", "cho_factor", "cho_solve")  # in test_ldl.py and test_scipy_linalg.py
    and not name.endswith("_")  # in test_inplace.py
    and name not in ("gumbel_softmax", "multi_head_attention_forward")  # in test_dropout.py and test_recurrent.py
]


@pytest.mark.parametrize(("module", "name"), PUBLIC, ids=lambda x: getattr(x, "__name__", x))
def test_public_function_has_a_row(module, name):
    function = getattr(module, name)
    assert any(function in (f, getattr(f, "__wrapped__", f)) for f in looked_up()), (
        f"give {module.__name__}.{name} a row in tests/rows/cases.py"
    )


@pytest.mark.parametrize("cls", op_classes(), ids=lambda c: c.__name__)
def test_operation_has_a_row(cls):
    assert any(type(op) is cls for op in operations()), f"give {cls.__name__} a row in tests/rows/cases.py"


# What slopes are made of is met by the functions that it is the slope of: test_axis.py, test_compile_complex.py.
SLOPES = {name for name, scalar in SCALARS.items() if scalar.computed is not None}
SLOPES |= {
    BY_FUNCTION[scalar.analytic].name for scalar in SCALARS.values() if scalar.hidden and scalar.analytic in BY_FUNCTION
}


@pytest.mark.parametrize(
    "name", [name for name, scalar in SCALARS.items() if name not in SLOPES and not scalar.library]
)
def test_declared_scalar_function_has_a_row(name):
    payloads = {op.payload for op in operations() if isinstance(op, Map)}
    used = {BY_FUNCTION[type(f)].name for p in payloads for f in p.atoms(*BY_FUNCTION)}
    assert name in used, f"give {name} a row in tests/rows/cases.py"


class MethodsOf:
    """A module whose functions of a tensor are taken from the tensor's methods, where it has them."""

    def __init__(self, module, used):
        self._module, self._used = module, used

    def __getattr__(self, name):
        found = getattr(self._module, name)
        if name in OTHERWISE or not callable(found) or not hasattr(sg.Tensor, name):
            return found

        def call(x, *args, **kwargs):
            if not isinstance(x, sg.Tensor):
                return found(x, *args, **kwargs)
            self._used.add(name)
            return getattr(x, name)(*args, **kwargs)

        return call


def test_every_method_does_what_the_function_does():
    used = set()
    for case in CASES:
        points = [sg.tensor(x) for x in case.points]
        by_function = case.function(sg, sg.as_tensor)(*points)
        by_method = case.function(MethodsOf(sg, used), sg.as_tensor)(*points)
        np.testing.assert_array_equal(by_method.numpy(), by_function.numpy(), str(case))
    used |= {n for n in OF_COMPLEX if hasattr(sg.Tensor, n)}
    both = {n for n in sg.functions.__all__ if hasattr(sg.Tensor, n)} - OTHERWISE
    assert both <= used, sorted(both - used)


def test_rows_and_kinks_have_names_of_their_own():
    for table in (ROWS, KINKS):
        names = [entry.name for entry in table]
        assert len(set(names)) == len(names), sorted(n for n in names if names.count(n) > 1)
