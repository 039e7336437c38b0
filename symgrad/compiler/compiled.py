"""``sg.compile``: one kernel per signature, found again at each call. Imports trace, the backends and operation.

A call with arrays returns arrays, a call with tensors returns tensors; a call while another function is traced, or
with tensors without values, runs the function itself, so that it becomes part of what is traced.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad import modes
from symgrad.compiler import trees
from symgrad.compiler.backend import Kernel
from symgrad.compiler.choose import build_with
from symgrad.compiler.operation import record_call
from symgrad.compiler.program import Program
from symgrad.compiler.trace import Spec, trace
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError
from symgrad.kernels import canonical
from symgrad.record import Core, handle

MOST_SIGNATURES = 256
_ndarray = np.ndarray


class Stats(NamedTuple):
    """What a compiled signature is made of."""

    backend: str
    operations: int
    kernels: int
    bytes: int
    compile_time: float  # seconds


class Lowered(NamedTuple):
    """Every stage of one signature as text: ``stages`` by name, the last is what runs."""

    stages: dict[str, str]
    stats: Stats

    def __str__(self) -> str:
        return "\n\n".join(f"# {name}\n{text}" for name, text in self.stages.items())


class Specialised(NamedTuple):
    """The kernel of one signature."""

    program: Program
    results: trees.Tree
    kernel: Kernel
    stats: Stats
    finish: Callable[[Sequence[Any]], Any]


class Compiled:
    """A compiled function; see ``compile``."""

    def __init__(self, fn: Callable[..., Any] | None, backend: str, donate: tuple[int, ...]) -> None:
        self.fn, self.backend, self.donate = fn, backend, donate
        self._found: dict[Any, Specialised] = {}
        self._flat: dict[Any, Specialised] = {}
        self._direct: Any = None
        self._last: Specialised | None = None
        self._lock = threading.Lock()
        if fn is not None:
            functools.update_wrapper(self, fn)

    def __repr__(self) -> str:
        return f"<compiled {getattr(self.fn, '__name__', 'function')}, {len(self._found)} signatures>"

    # -------------------------------------------------------------- calling
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function returns."""
        if not kwargs:
            direct = self._direct
            if direct is not None:
                out = direct(*args)
                if out is not NotImplemented:
                    return out
            key = tuple([(a.shape, a.dtype) if type(a) is _ndarray else type(a) for a in args])
            found = self._flat.get(key)
            if found is not None:
                return found.finish(found.kernel.run(args))
        return self._general(args, kwargs)

    def _general(self, args: Any, kwargs: dict[str, Any]) -> Any:
        leaves: list[Any] = []
        tree = trees.flatten((args, kwargs), _is_array, leaves)
        if any(isinstance(x, Core) for x in leaves):
            return self._on_tensors(args, kwargs, tree, leaves)
        values = [_as_input(x) for x in leaves]
        found = self._specialised(tree, values)
        self._remember(args, kwargs, values, found)
        return found.finish(found.kernel.run(values))

    def _remember(self, args: Any, kwargs: Any, values: Sequence[Any], found: Specialised) -> None:
        """Let the next call of this kind, positional arrays as they are, go straight to the kernel."""
        self._last = found
        if kwargs or len(values) != len(args) or any(v is not a for v, a in zip(values, args, strict=True)):
            return
        self._flat[tuple([(a.shape, a.dtype) if type(a) is _ndarray else type(a) for a in args])] = found
        self._direct = found.kernel.direct

    def _on_tensors(self, args: Any, kwargs: Any, tree: trees.Tree, leaves: Sequence[Any]) -> Any:
        tensors = [x for x in leaves if isinstance(x, Core)]
        if any(t._value is None for t in tensors):
            return self._original()(*args, **kwargs)
        values = [_as_input(x._value if isinstance(x, Core) else x) for x in leaves]
        if modes.recording() and any(t._node is not None and t._node.level for t in tensors):
            found = self._specialised(tree, values)
            return record_call(self, tree, found.results, leaves)
        found = self._specialised(tree, values)
        ys = [handle(None, canonical(y)) for y in found.kernel.run(values)]
        return trees.unflatten(found.results, iter(ys))

    def _original(self) -> Callable[..., Any]:
        if self.fn is None:
            raise GraphError(
                "compile: this function was unpickled without its source, so it serves the signatures it was compiled "
                "for and cannot be traced again. Compile it here, or pickle a function of a module."
            )
        return self.fn

    # -------------------------------------------------------------- signatures
    def _specialised(self, tree: trees.Tree, values: Sequence[Any]) -> Specialised:
        specs = tuple([_spec(v) for v in values])
        key = (tree, specs)
        try:
            found = self._found.get(key)
        except TypeError:
            _explain_unhashable(tree)
            raise
        if found is None:
            with self._lock:
                found = self._found.get(key)
                if found is None:
                    found = self._found[key] = self._compile(tree, specs)
                    if len(self._found) > MOST_SIGNATURES:
                        self._found.pop(next(iter(self._found)))
                        self._flat.clear()
        return found

    def _compile(self, tree: trees.Tree, specs: tuple[Spec, ...]) -> Specialised:
        start = time.perf_counter()
        traced = trace(self._original(), tree, specs)
        return self._built(traced.program, tree, traced.results, start)

    def _built(self, program: Program, tree: trees.Tree, results: trees.Tree, start: float) -> Specialised:
        kernel = build_with(self.backend, program, tree, results)
        spent = time.perf_counter() - start
        stats = Stats(kernel.backend, kernel.operations, kernel.kernels, kernel.bytes, spent)
        return Specialised(program, results, kernel, stats, _finish(program, results))

    # -------------------------------------------------------------- looking at it
    @property
    def source(self) -> str:
        """The generated source of the signature called last."""
        return self._any().kernel.source

    @property
    def stats(self) -> Stats:
        """Operations, kernels, bytes and compile time of the signature called last."""
        return self._any().stats

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Compile for these arguments without running, and return every stage as text."""
        leaves: list[Any] = []
        tree = trees.flatten((args, kwargs), _is_array, leaves)
        found = self._specialised(tree, [_as_input(x._value if isinstance(x, Core) else x) for x in leaves])
        stages = {"program": str(found.program), **{k: v() for k, v in found.kernel.stages.items()}}
        return Lowered({**stages, "source": found.kernel.source}, found.stats)

    def _any(self) -> Specialised:
        if self._last is None:
            if not self._found:
                raise GraphError("compile: nothing is compiled yet. Call the function, or use lower(*args).")
            return next(reversed(self._found.values()))
        return self._last

    # -------------------------------------------------------------- pickling
    def __reduce__(self) -> Any:
        """The programs, and the function where a module has it; kernels are built again from the programs."""
        programs = [(tree, specs, f.program, f.results) for (tree, specs), f in self._found.items()]
        return _restored, (_importable(self.fn), self.backend, self.donate, programs)


def _importable(fn: Any) -> Any:
    """Return a function that can be found again by its name, else None."""
    import_name = getattr(fn, "__module__", None), getattr(fn, "__qualname__", "<")
    return fn if import_name[0] and "<" not in import_name[1] and not hasattr(fn, "__wrapped__") else None


def _restored(fn: Any, backend: str, donate: tuple[int, ...], programs: Sequence[Any]) -> Compiled:
    made = Compiled(fn, backend, donate)
    for tree, specs, program, results in programs:
        made._found[tree, specs] = made._built(program, tree, results, time.perf_counter())
    return made


# ------------------------------------------------------------------ arguments and results
def _is_array(x: Any) -> bool:
    return isinstance(x, (_ndarray, float, Core, np.generic))


def _as_input(x: Any) -> Any:
    """Return a float or a contiguous array in native byte order."""
    if type(x) is float:
        return x
    array = np.asarray(x)
    if array.dtype.kind not in "biuf":
        raise ArgumentTypeError(
            f"compile: got an array of {array.dtype}. Expected real numbers or truth values; symgrad has no complex "
            "tensors so far."
        )
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.ndim == 0 and array.dtype == np.float64:
        return float(array)
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _spec(v: Any) -> Spec:
    return Spec((), np.dtype(np.float64)) if type(v) is float else Spec(v.shape, v.dtype)


def _finish(program: Program, results: trees.Tree) -> Callable[[Sequence[Any]], Any]:
    """Return how the list of results becomes what the function returns."""
    if isinstance(results, trees.Leaf):
        return lambda ys: ys[0]
    flat = isinstance(results, trees.Branch) and results.kind is tuple
    if flat and all(isinstance(p, trees.Leaf) for p in results.parts):  # type: ignore[union-attr]
        return tuple
    return lambda ys: trees.unflatten(results, iter(ys))


def _explain_unhashable(tree: trees.Tree) -> None:
    if isinstance(tree, trees.Static):
        trees.check_static(tree.value, "compile")
    for part in getattr(tree, "parts", ()):
        _explain_unhashable(part)


def compile(fn: Any = None, backend: str = "auto", donate: int | Sequence[int] = ()) -> Any:
    """Return fn compiled: the same values, from one kernel per signature of its arguments.

    Args:
        fn: a function of tensors, or a transform of one such as ``sg.value_and_grad(f)``. It is traced once per
            signature, without values: it cannot branch on them. Left out, ``compile`` is a decorator with options.
        backend: "auto", or one of "python" (straight-line code on floats), "numpy" (fused array kernels) and "llvm"
            (machine code, with the extra ``symgrad[llvm]``).
        donate: positions of arguments whose memory results may take over; they must not be used afterwards.

    Returns:
        A function of floats, NumPy arrays and nested dicts, lists, tuples and dataclasses of them, returning the like;
        tensors in, tensors out, with gradients. Whole numbers, truth values, text and None are part of the signature.
        It has ``source``, ``stats`` and ``lower(*args)``, and can be pickled.

    Raises:
        ValueNeeded: fn looks at a value while it is traced.
        ArgumentError: the backend is unknown.

    >>> f = sg.compile(sg.value_and_grad(lambda x: (x**2).sum()))
    >>> f(np.array([1.0, 2.0]))
    (5.0, array([2., 4.]))
    """
    if backend != "auto" and backend not in ("python", "numpy", "llvm"):
        raise ArgumentError(f"compile: backend={backend!r} is unknown. Expected 'auto', 'python', 'numpy' or 'llvm'.")
    numbers = (donate,) if isinstance(donate, int) else tuple(donate)
    if fn is None:
        return lambda f: compile(f, backend, numbers)
    if not callable(fn):
        raise ArgumentTypeError(f"compile: expected a function, got {type(fn).__name__}. Write sg.compile(f)(x).")
    return Compiled(fn, backend, numbers)
