"""What is exported: a program with names for its arguments, the structure of its results, and its formulas.

A function is traced as the compiler traces it; a closed form is its own graph; of a compiled function the program of
the last call is taken.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import sympy as sp

from symgrad.compiler import Compiled
from symgrad.compiler.arguments import as_input, is_array
from symgrad.compiler.loops.errors import ExportError
from symgrad.compiler.trace import is_result, trace
from symgrad.core import modes, trees
from symgrad.core.node import TRACED, AnyNode, Leaf, ancestors, is_outside
from symgrad.core.promotion import is_complex, is_floating
from symgrad.core.upcalls import UPCALLS
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.generator import once
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, SymgradError
from symgrad.exports.names import PYTHON, function_name, identifiers
from symgrad.exports.sized import of_nodes, sized_program
from symgrad.ops.resize import resized
from symgrad.support.definitions import read

_FLOAT64, _FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)


@runtime_checkable
class Form(Protocol):
    """What exports read of a closed form: its graph, what its leaves are called, and what it is in LaTeX and SymPy."""

    args: tuple[str, ...]
    _root: AnyNode
    _bases: Sequence[Leaf]
    _leaves: Sequence[Leaf]
    _names: Mapping[int, str]
    _program: Program

    def latex(self, form: str | None = None) -> str:
        """Return LaTeX of one notation."""

    def to_sympy(self) -> Any:
        """Return the formula in SymPy's classes."""


@dataclass
class Request:
    """One export.

    Attributes:
        program: what is computed.
        name: what the function is called in the source.
        params: what its arguments are called, one per array of the program.
        results: the structure around the program's results.
        sizes: what sizes without a number are called.
        forms: the closed form of each result, where it is short enough to be read.
        examples: an array for each argument, where they are known.
    """

    program: Program
    name: str
    params: list[str]
    results: trees.Tree
    sizes: dict[sp.Symbol, str]
    forms: list[Form | None]
    examples: list[Any] | None = None
    given: dict[str, Any] = field(default_factory=dict)

    @property
    def shapes(self) -> list[tuple[Any, ...]]:
        """The shapes of the arguments."""
        return [self.program.values[k].shape for k in self.program.inputs]


def requested(
    fn: Any, args: Any, shapes: Any, name: str | None, formula: int, language: str = PYTHON, single: bool = False
) -> Request:
    """Return the request of ``export``, with names for a language.

    ``formula`` is the number of operations up to which a formula is wanted. With ``single``, arguments of floats are of
    single precision, so that what the function takes from their dtype, such as an epsilon, is too.
    """
    if isinstance(fn, Form):
        return _of_form(fn, args, shapes, name, formula, language, single)
    if isinstance(fn, Compiled) and args is None and shapes is None:
        return _of_compiled(fn, name, formula, language, single)
    if not callable(fn):
        raise ArgumentTypeError(
            f"export: expected a function or a closed form, got {type(fn).__name__}. Pass f itself, or sg.derive(y, x)."
        )
    original = fn.fn if isinstance(fn, Compiled) else fn
    assert callable(original)  # narrows the type: what is compiled was a function
    values, tree, specs = _arguments(original, args, shapes)
    if single:
        specs = [_single_spec(s) for s in specs]
        values = None if values is None else [np.asarray(v, s.dtype) for v, s in zip(values, specs, strict=True)]
    return _traced(original, tree, specs, values, name or str(getattr(fn, "__name__", "")), formula, language)


# ------------------------------------------------------------------ functions
def _arguments(fn: Any, args: Any, shapes: Any) -> tuple[list[Any] | None, trees.Tree, list[Spec]]:
    if (args is None) == (shapes is None):
        raise ArgumentTypeError(
            "export: expected example arguments or shapes=, one of the two. Write sg.export(f, (x, w), target='c') or "
            "sg.export(f, shapes={'x': ('n', 3), 'w': (3,)}, target='c')."
        )
    leaves: list[Any] = []
    if args is None:
        specs = [Spec(s, _FLOAT64) for s in shapes_of(fn, shapes)]
        return None, trees.flatten((tuple(map(_Hole, specs)), {}), lambda x: isinstance(x, _Hole), leaves), specs
    tree = trees.flatten((args if isinstance(args, tuple) else (args,), {}), is_array, leaves)
    trees.check_statics(tree)
    values = [as_input(x._value if isinstance(x, TensorBase) else x) for x in leaves]
    if any(v is None for v in values):
        raise ArgumentTypeError("export: an example argument is a symbol without a value. Give its shape by shapes=.")
    return values, tree, [Spec((), _FLOAT64) if type(v) is float else Spec(v.shape, v.dtype) for v in values]


def _single(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of single precision for one of floats."""
    return _FLOAT32 if is_floating(dtype) else np.dtype(np.complex64) if is_complex(dtype) else dtype


def _single_spec(spec: Spec) -> Spec:
    return Spec(spec.shape, _single(spec.dtype))


class _Hole:
    """The place of an argument of which the shape is known."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec


def shapes_of(fn: Any, shapes: Any) -> list[tuple[Any, ...]]:
    """Return a shape for each parameter: numbers, and symbols for sizes with names."""
    if isinstance(shapes, Mapping):
        known = parameters(fn)
        unknown = [k for k in shapes if k not in known]
        missing = [k for k in known[: len(shapes)] if k not in shapes]
        if unknown or missing:
            raise ArgumentError(
                f"export: shapes names {sorted(map(str, shapes))}, but the function's parameters are {known}. Give a "
                "shape to each array, from the first on."
            )
        shapes = [shapes[k] for k in known[: len(shapes)]]
    if not isinstance(shapes, (list, tuple)):
        raise ArgumentTypeError(f"export: shapes must be a list or dict of shapes, got {type(shapes).__name__}.")
    return [tuple(map(_size, s if isinstance(s, (tuple, list)) else (s,))) for s in shapes]


def _size(n: Any) -> Any:
    if isinstance(n, str) and n:
        return sp.Symbol(n, integer=True, positive=True)
    if isinstance(n, bool) or not hasattr(n, "__index__") or n.__index__() < 0:
        raise ArgumentError(f"export: a size must be an integer or a name, got {n!r}. Write shapes=[('n', 3)].")
    return n.__index__()


def parameters(fn: Any) -> list[str]:
    """Return the names of the positional parameters; none where there is no signature."""
    try:
        arguments = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in arguments if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _traced(
    fn: Callable[..., Any], tree: trees.Tree, specs: list[Spec], values: Any, name: str, formula: int, language: str
) -> Request:
    symbols = {n: None for s in specs for n in s.shape if isinstance(n, sp.Symbol)}
    called = _called(tree, parameters(fn), len(specs))
    short, params, sizes = _names(name or "function", called, symbols, language)
    if symbols:
        program, results = sized_program(fn, tree, specs)
    else:
        program, results = trace(fn, tree, specs, "export")
    forms = _formulas(fn, tree, specs, params, sizes, trees.count(results), formula) if formula else []
    return Request(program, short, params, results, sizes, forms, values)


def _called(tree: Any, called: list[str], count: int) -> list[str]:
    """Return what each array is called: its parameter, and its way into the parameter's structure."""
    paths: list[str] = []
    for k, part in enumerate(tree.parts[0].parts):
        _paths(part, called[k] if k < len(called) else f"x_{k}", paths)
    return paths + [f"x_{k}" for k in range(len(paths), count)]


def _paths(tree: trees.Tree, path: str, paths: list[str]) -> None:
    if isinstance(tree, trees.ArrayLeaf):
        paths.append(path)
    elif isinstance(tree, trees.ContainerSpec):
        keys = tree.keys or tuple(range(len(tree.parts)))
        for key, part in zip(keys, tree.parts, strict=True):
            _paths(part, f"{path}_{key}", paths)


def _formulas(
    fn: Callable[..., Any],
    tree: Any,
    specs: Sequence[Spec],
    params: list[str],
    sizes: dict[Any, str],
    count: int,
    longest: int,
) -> list[Form | None]:
    """Return the closed form of each result: of the same function, run on symbols that are called as in the source."""
    renamed = {old: sp.Symbol(new, integer=True, positive=True) for old, new in sizes.items()}
    leaves = [Leaf(None, tuple(renamed.get(n, n) for n in s.shape), TRACED, p) for s, p in zip(specs, params)]
    args, _ = trees.unflatten(tree, iter([handle(leaf, None) for leaf in leaves]))
    outputs: list[Any] = []
    try:
        with modes.enable_grad(), once("export", fn), np.errstate(all="ignore"):
            trees.flatten(fn(*args), is_result, outputs)
    except (SymgradError, TypeError, ValueError):  # what has no formula is exported without
        return [None] * count
    return [_formula(as_tensor(y), longest) for y in outputs]


def _formula(y: Any, longest: int) -> Form | None:
    if y._node is None or y._value is not None or len(ancestors([y._node])) > longest:
        return None
    return UPCALLS["formula"](y._node)  # type: ignore[no-any-return]


# ------------------------------------------------------------------ compiled functions and forms
def _of_compiled(fn: Compiled[...], name: str | None, formula: int, language: str, single: bool) -> Request:
    entry = fn._any()
    (tree, key), _ = next((k, f) for k, f in fn._found.items() if f is entry)
    specs = [Spec(*s) for s in key]
    if entry.effects:
        trace(fn._original(), tree, specs, "export")  # raises
    called = _called(tree, parameters(fn.fn) if fn.fn is not None else [], len(specs))
    short, params, _ = _names(name or getattr(fn.fn, "__name__", "") or "function", called, (), language)
    forms = _formulas(fn.fn, tree, specs, params, {}, trees.count(entry.results), formula) if formula and fn.fn else []
    program = (
        trace(fn._original(), tree, [_single_spec(s) for s in specs], "export").program if single else entry.program
    )
    return Request(program, short, params, entry.results, {}, forms)


def _of_form(
    form: Form, args: Any, shapes: Any, name: str | None, formula: int, language: str, single: bool
) -> Request:
    """Export the formula's own graph, as a function of its leaves."""
    if args is not None or shapes is not None:
        raise ArgumentTypeError(
            f"export: a closed form has its arguments already, {form.args}. For other shapes export the function."
        )
    leaves = _own(form)
    symbols = {n: None for leaf in leaves for n in leaf.shape if isinstance(n, sp.Symbol)}
    short, params, sizes = _names(name or "closed_form", form.args[: len(leaves)], symbols, language)
    if single and symbols:
        raise ExportError(
            "export: dtype='float32' needs the numbers of a closed form's sizes. Got the names "
            f"{sorted(map(str, symbols))}; export the function with shapes= instead."
        )
    program = _rerun(form, symbols, single) if form._bases or single else of_nodes(leaves, form._root)
    examples = [leaf.value for leaf in leaves]
    known = all(v is not None for v in examples)
    shown = _renamed(form, params, sizes) if formula else None
    return Request(program, short, params, trees.LEAF, sizes, [shown], examples if known else None)


def _own(form: Form) -> list[Leaf]:
    """The leaves that are arguments; captured arrays are written into the source."""
    return [leaf for leaf in form._leaves if not is_outside(leaf)]


def _renamed(form: Form, params: Sequence[str], sizes: dict[Any, str]) -> Form:
    """Return the form with leaves and sizes called as in the source."""
    table = {old: sp.Symbol(new, integer=True, positive=True) for old, new in sizes.items()}
    new = {leaf: Leaf(None, resized(leaf.shape, table), TRACED, name) for leaf, name in zip(_own(form), params)}
    new |= {b: Leaf(None, resized(b.shape, table), TRACED) for b in form._bases}
    return UPCALLS["formula"](form._root, [new[b] for b in form._bases], new, table)  # type: ignore[no-any-return]


def _names(
    name: str, called: Iterable[str], symbols: Iterable[Any], language: str
) -> tuple[str, list[str], dict[Any, str]]:
    """Return what the function, its arguments and the sizes are called in a source: all different."""
    short = function_name(name, _helpers(), language)
    params = identifiers(called, [short, *_helpers()], language)
    sizes = identifiers([str(n) for n in symbols], [short, *params, *_helpers()], language)
    return short, params, dict(zip(symbols, sizes, strict=True))


@lru_cache(maxsize=1)
def _helpers() -> tuple[str, ...]:
    """The names of all helpers and of what they import, which arguments must not hide."""
    folder = Path(__file__).parent / "library"
    modules = [read(f"{__package__}.library.{p.stem}") for p in sorted(folder.glob("*.py"))]
    return tuple(dict.fromkeys(name for m in modules for name in (*m.defined, *m.inside, *m.outside)))


def _rerun(form: Form, symbols: Collection[Any], single: bool) -> Program:
    """The form's program, traced again; of a Jacobian the rows, one for each unit vector."""
    if symbols:
        raise ExportError(
            "export: the Jacobian's rows are written one by one, but its sizes "
            f"{sorted(map(str, symbols))} have no numbers. Derive it with numbers for sizes, or export a product with "
            "it: derive(y, x, cotangent=u)."
        )
    specs = [Spec(leaf.shape, _single(dtype_of(leaf)) if single else dtype_of(leaf)) for leaf in _own(form)]

    def rows(*xs: Any) -> Any:
        given = dict(zip(map(id, _own(form)), xs, strict=True))
        return form._program.run([given.get(id(leaf), leaf.value) for leaf in form._leaves])

    tree = trees.ContainerSpec(
        tuple, (), (trees.ContainerSpec(tuple, (), (trees.LEAF,) * len(specs)), trees.ContainerSpec(dict, (), ()))
    )
    return trace(rows, tree, specs, "export").program
