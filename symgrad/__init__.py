"""symgrad: the gradient's number, its formula and its function from the same few lines.

The public names. PyTorch's where torch has one, JAX's for the function transforms.
"""

import functools as _functools
import importlib as _importlib
import sys as _sys
import typing as _typing

if _sys.argv[:1] == ["-m"] and _sys.orig_argv[-len(_sys.argv)] == "symgrad":  # python -m symgrad
    from symgrad.cli.parser import parse_early as _parse_early

    _parse_early(_sys.argv[1:])

import numpy as _np

from symgrad._version import __version__ as __version__
from symgrad.support.collector import collector_paused as _collector_paused
from symgrad.support.interpreter import check_interpreter as _check_interpreter

with _collector_paused():  # it would walk all of SymPy for what a thousand functions leave behind: nothing
    _check_interpreter()
    from symgrad import functions as _functions

from symgrad.core import device as _device
from symgrad.core import modes as _modes
from symgrad.core.device import *
from symgrad.core.modes import *
from symgrad.core.printing import set_printoptions
from symgrad.core.upcalls import UPCALLS as _UPCALLS
from symgrad.errors import SymgradError
from symgrad.functions import *
from symgrad.ops.nn import windows as _windows
from symgrad.support.arguments import checked as _checked
from symgrad.support.namespace import MissingModules as _MissingModules
from symgrad.support.namespace import missing as _missing
from symgrad.support.namespace import shown as _shown
from symgrad.support.threads import *
from symgrad.tensors import creation as _creation
from symgrad.tensors import queries as _queries
from symgrad.tensors import random as _random
from symgrad.tensors.creation import *
from symgrad.tensors.inplace import statement as _statement
from symgrad.tensors.queries import *
from symgrad.tensors.random import *
from symgrad.tensors.tensor import OF_DTYPE as _OF_DTYPE
from symgrad.tensors.tensor import Tensor

complex128, complex64 = cdouble, cfloat = _np.dtype("complex128"), _np.dtype("complex64")
float64, float32, float16 = _np.dtype("float64"), _np.dtype("float32"), _np.dtype("float16")
int64, int32, int16, int8, uint8 = (_np.dtype(t) for t in ("int64", "int32", "int16", "int8", "uint8"))
double, float, half, long, int, short, bool = float64, float32, float16, int64, int32, int16, _np.dtype("bool")
inf, nan, pi, e, newaxis, finfo, iinfo, Size = _np.inf, _np.nan, _np.pi, _np.e, None, _np.finfo, _np.iinfo, tuple
FloatTensor, DoubleTensor, HalfTensor = (_OF_DTYPE[name] for name in ("FloatTensor", "DoubleTensor", "HalfTensor"))
LongTensor, IntTensor, ShortTensor = (_OF_DTYPE[name] for name in ("LongTensor", "IntTensor", "ShortTensor"))
CharTensor, ByteTensor, BoolTensor = (_OF_DTYPE[name] for name in ("CharTensor", "ByteTensor", "BoolTensor"))

_TRANSFORMS = (  # what symgrad.func has
    "checkpoint", "custom_jvp", "custom_vjp", "functional_call", "grad", "grad_and_value", "hessian", "hvp",
    "jacfwd", "jacobian", "jacrev", "jet", "jvp", "linearize", "stack_module_state",
    "taylor", "value_and_grad", "vjp", "vmap",
)  # fmt: skip
__all__ = [
    "Size", "e", "finfo", "iinfo", "inf", "nan", "newaxis", "pi",
    "ClosedForm", "SymgradError", "Tensor", "autograd", "bool", "cdouble", "cfloat", "compile",
    "complex128", "complex64", "control", "derive", "distributed", "double",
    "custom_root", "dblquad", "expectation", "fixed_point", "odeint", "odeint_event", "quad", "root", "solve_ivp",
    "solvers", "ShapeDtypeStruct", "associative_scan", "cond", "jit", "lax", "stop_gradient", "switch", "tree",
    "tree_flatten", "tree_leaves", "tree_map", "tree_reduce", "tree_structure", "tree_unflatten", "tree_util",
    "while_loop", "flatten_util",
    "enclose", "export", "exports", "fft", "float", "float16", "float32", "float64", "fori_loop", "from_sympy", "func",
    "get_num_threads", "half", "int", "int16", "int32", "int64", "int8", "linalg", "load", "long", "nn", "optim",
    "parse", "prove", "random", "save", "scan", "set_printoptions", "short", "signal", "sparse_hessian",
    "sparse_hessian_of_lagrangian", "sparse_jacobian", "special",
    "stats", "teach", "testing", "uint8", "utils",
    "chain_rule", "closed_interval", "critical_points", "curl", "directional_derivative", "divergence", "elasticity",
    "error_propagation", "euler_lagrange", "exercises", "explain", "explore", "grade", "graph",
    "jacobian_determinant",
    "lagrange_multipliers", "laplacian", "newton", "normal_equations", "plot", "related_rates", "report",
    "sensitivity", "sheet", "study", "table", "tangent", "tangent_plane", "taylor_polynomial",
]  # fmt: skip
__all__ += _OF_DTYPE
__all__ += _creation.__all__
__all__ += _device.__all__
__all__ += _TRANSFORMS
__all__ += _functions.__all__
__all__ += _modes.__all__
__all__ += _queries.__all__
__all__ += _random.__all__

# Closed forms, loops and the compiler are imported on first use, so that others start sooner.
_LATER = {
    "autograd": "symgrad.autograd",
    "func": "symgrad.func",
    "random": "symgrad.random",
    "ClosedForm": "symgrad.forms",
    "compile": "symgrad.compiler",
    "control": "symgrad.control",
    "custom_root": "symgrad.solvers",
    "dblquad": "symgrad.solvers",
    "expectation": "symgrad.solvers",
    "fixed_point": "symgrad.solvers",
    "odeint": "symgrad.ode",
    "odeint_event": "symgrad.ode",
    "solve_ivp": "symgrad.ode",
    "quad": "symgrad.solvers",
    "root": "symgrad.solvers",
    "solvers": "symgrad.solvers",
    "derive": "symgrad.forms",
    "enclose": "symgrad.proved",
    "prove": "symgrad.prove",
    "distributed": "symgrad.distributed",
    "export": "symgrad.exports",
    "exports": "symgrad.exports",
    "fft": "symgrad.fft",
    "teach": "symgrad.teach",
    **dict.fromkeys(
        [
            "chain_rule",
            "closed_interval",
            "critical_points",
            "curl",
            "directional_derivative",
            "divergence",
            "elasticity",
            "error_propagation",
            "euler_lagrange",
            "exercises",
            "explain",
            "explore",
            "grade",
            "graph",
            "jacobian_determinant",
            "lagrange_multipliers",
            "laplacian",
            "newton",
            "normal_equations",
            "plot",
            "related_rates",
            "report",
            "sensitivity",
            "sheet",
            "study",
            "table",
            "tangent",
            "tangent_plane",
            "taylor_polynomial",
        ],
        "symgrad.teach",
    ),
    "fori_loop": "symgrad.transforms.loops",
    **{
        name: "symgrad.transforms.loops"
        for name in ("associative_scan", "cond", "stop_gradient", "switch", "while_loop")
    },
    "lax": "symgrad.lax",
    "tree": "symgrad.tree",
    "tree_util": "symgrad.tree_util",
    "flatten_util": "symgrad.flatten_util",
    "linalg": "symgrad.linalg",
    "special": "symgrad.special",
    "nn": "symgrad.nn",
    "from_sympy": "symgrad.forms",
    "optim": "symgrad.optim",
    "load": "symgrad.utils.saving",
    "parse": "symgrad.expression.reader",
    "save": "symgrad.utils.saving",
    "scan": "symgrad.transforms.loops",
    "signal": "symgrad.signal",
    "sparse_hessian": "symgrad.compiler.sparse",
    "sparse_hessian_of_lagrangian": "symgrad.compiler.sparse",
    "sparse_jacobian": "symgrad.compiler.sparse",
    "stats": "symgrad.stats",
    "testing": "symgrad.testing",
    "utils": "symgrad.utils",
}

# What torch has at the top, and symgrad in a module: not listed a second time.
_FUNCTIONAL = (
    "adaptive_avg_pool1d", "avg_pool1d", "batch_norm", "bilinear", "celu", "celu_", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "cosine_embedding_loss", "cosine_similarity", "ctc_loss", "dropout",
    "embedding", "group_norm", "hardshrink", "hinge_embedding_loss", "instance_norm", "kl_div", "layer_norm",
    "margin_ranking_loss", "max_pool1d", "max_pool2d", "pairwise_distance", "pixel_shuffle", "poisson_nll_loss",
    "prelu", "relu_", "rms_norm", "rrelu_", "selu", "selu_", "threshold", "threshold_", "triplet_margin_loss",
)  # fmt: skip
_SAME = {
    "jit": ("symgrad.compiler", "jit"),
    **{f"tree_{n}": ("symgrad.tree", n) for n in ("flatten", "leaves", "map", "reduce", "structure", "unflatten")},
    "tree_all": ("symgrad.tree", "all"), "tree_transpose": ("symgrad.tree", "transpose"),
    "ravel_pytree": ("symgrad.flatten_util", "ravel_pytree"), "remat": ("symgrad.func", "checkpoint"),
    "igamma": ("symgrad.special", "gammainc"), "igammac": ("symgrad.special", "gammaincc"),
    **{name: ("symgrad.func", name) for name in _TRANSFORMS},
    **{name: ("symgrad.nn.functional", name) for name in _FUNCTIONAL},
}  # fmt: skip

if _typing.TYPE_CHECKING:
    from symgrad import (
        autograd,
        control,
        distributed,
        exports,
        fft,
        flatten_util,
        func,
        lax,
        linalg,
        nn,
        optim,
        random,
        signal,
        special,
        stats,
        teach,
        testing,
        tree,
        tree_util,
        utils,
    )
    from symgrad.compiler import compile
    from symgrad.compiler.sparse import sparse_hessian, sparse_hessian_of_lagrangian, sparse_jacobian
    from symgrad.exports import export
    from symgrad.expression.reader import parse
    from symgrad.forms.closed import ClosedForm
    from symgrad.forms.derive import derive
    from symgrad.forms.sympy.from_sympy import from_sympy
    from symgrad.func import *
    from symgrad.ode import odeint, odeint_event, solve_ivp
    from symgrad.proved import enclose
    from symgrad.solvers import custom_root, dblquad, expectation, fixed_point, quad, root
    from symgrad.teach.answers.exercises import exercises
    from symgrad.teach.answers.grading import grade
    from symgrad.teach.explanation import explain
    from symgrad.teach.notebook.explore import explore
    from symgrad.teach.pictures.picture import graph
    from symgrad.teach.plot import plot
    from symgrad.teach.report import report
    from symgrad.teach.sheets.sheet import sheet
    from symgrad.teach.study.approximations import tangent, taylor_polynomial
    from symgrad.teach.study.closed_interval import closed_interval
    from symgrad.teach.study.newton import newton
    from symgrad.teach.study.related_rates import related_rates
    from symgrad.teach.study.sensitivity import elasticity, error_propagation, sensitivity
    from symgrad.teach.study.several.chain_rule import chain_rule
    from symgrad.teach.study.several.critical_points import critical_points
    from symgrad.teach.study.several.lagrange_multipliers import lagrange_multipliers
    from symgrad.teach.study.several.normal_equations import normal_equations
    from symgrad.teach.study.several.operators import curl, divergence, jacobian_determinant, laplacian
    from symgrad.teach.study.several.surfaces import directional_derivative, tangent_plane
    from symgrad.teach.study.study import study
    from symgrad.teach.study.variations import euler_lagrange
    from symgrad.teach.table import table
    from symgrad.transforms.loops import associative_scan, cond, fori_loop, scan, stop_gradient, switch, while_loop
    from symgrad.tree import flatten as tree_flatten
    from symgrad.tree import leaves as tree_leaves
    from symgrad.tree import map as tree_map
    from symgrad.tree import reduce as tree_reduce
    from symgrad.tree import structure as tree_structure
    from symgrad.tree import unflatten as tree_unflatten
    from symgrad.utils.saving import load, save


def _later(module: str, name: str) -> _typing.Callable[..., _typing.Any]:
    """Return a function of a module that is imported when the function is first called."""

    def call(*args: _typing.Any, **kwargs: _typing.Any) -> _typing.Any:
        return getattr(_importlib.import_module(module), name)(*args, **kwargs)

    return call


# What rooms ask of the rooms above them.
_UPCALLS.update(
    backward_symbolic=_later("symgrad.forms.derive", "symbolic"),
    export=_later("symgrad.exports", "export"),
    expression=_later("symgrad.forms.derive", "expression"),
    formula=_later("symgrad.forms.exported", "formula"),
    numpy_function=_later("symgrad.numpy_api", "call"),
    ode_costates=_later("symgrad.ode.letters", "costates"),
    ode_entries=_later("symgrad.ode.letters", "in_entries"),
    ode_states=_later("symgrad.ode.letters", "states"),
    parse=_later("symgrad.expression.reader", "parse"),
    plot=_later("symgrad.teach.plot", "plot"),
)

_MODULES = {
    "autograd", "control", "distributed", "exports", "fft", "flatten_util", "func", "lax", "linalg", "nn", "optim",
    "prove", "random", "signal", "solvers", "special", "stats", "teach", "testing", "tree", "tree_util", "utils",
}  # fmt: skip


@_checked
def ShapeDtypeStruct(shape: "_windows.Sizes", dtype: _typing.Any = float64) -> _np.ndarray[_typing.Any, _typing.Any]:
    """Return zeros of this shape and dtype that take no memory, for ``sg.compile(f).lower(x)`` and ``sg.graph``.

    >>> sg.compile(lambda x: x.sum()).lower(sg.ShapeDtypeStruct((1000, 1000))).cost_analysis()["operations"]
    1000000
    """
    return _np.broadcast_to(_np.zeros((), dtype), shape)


_solvers_argmin = _later("symgrad.solvers", "argmin")


@_functools.wraps(_functions.argmin)  # type: ignore[no-redef]
def argmin(*args: _typing.Any, **kwargs: _typing.Any) -> _typing.Any:
    if args and callable(args[0]):
        return _solvers_argmin(*args, **kwargs)
    return _functions.argmin(*args, **kwargs)


_normal_line = _later("symgrad.teach", "normal")


@_functools.wraps(_random.normal)  # type: ignore[no-redef]
def normal(*args: _typing.Any, **kwargs: _typing.Any) -> _typing.Any:
    if args and isinstance(args[0], str):  # a formula, whose curve has a normal line
        return _normal_line(*args, **kwargs)
    return _random.normal(*args, **kwargs)


_sys.meta_path.append(_MissingModules)

if not _typing.TYPE_CHECKING:  # checkers would take every name for one that there is

    def __getattr__(name: str) -> _typing.Any:
        if name in _SAME:
            home, own = _SAME[name]
            value = globals()[name] = getattr(_importlib.import_module(home), own)
            return value
        if name.endswith("_") and not name.startswith("_") and hasattr(Tensor, name):
            value = globals()[name] = _statement(getattr(Tensor, name))
            return value
        if name not in _LATER:
            raise _missing("symgrad", name, __all__)
        module = _importlib.import_module(_LATER[name])
        value = globals()[name] = module if name in _MODULES else getattr(module, name)
        return value


def __dir__() -> list[str]:
    return _shown(globals(), [*__all__, "errors"])
