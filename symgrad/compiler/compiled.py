"""``sg.compile``: one kernel per signature, which is looked up at each call.

A call with arrays returns arrays, a call with tensors returns tensors; a call while another function is traced, or
with tensors without values, runs the function itself, so that it becomes part of what is traced.
"""

from __future__ import annotations

import functools
import math
import os
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from types import MethodType
from typing import Any, Generic, NamedTuple, ParamSpec, TypedDict, Unpack, overload

import numpy as np

from symgrad.compiler.arguments import as_input, given_away, is_array, positions_of
from symgrad.compiler.backends.backend import Kernel, Unsuitable
from symgrad.compiler.backends.choose import build_with, check_backend, check_digits
from symgrad.compiler.background import QUEUE
from symgrad.compiler.cost import cost
from symgrad.compiler.first_call import is_sooner_by_numpy, walked
from symgrad.compiler.module import OptimizedModule
from symgrad.compiler.once import made_once
from symgrad.compiler.operation import Call
from symgrad.compiler.passes.order import program_of_body
from symgrad.compiler.report import outside, time_table
from symgrad.compiler.trace import Graph, Traced, graph, is_result
from symgrad.core import modes, trees
from symgrad.core.device import device as cpu
from symgrad.core.journal import is_fixed, unchanged
from symgrad.core.kernels import canonical
from symgrad.core.pickling import AsFunction, is_found, place_of, portable
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import TensorBase, apply, as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError
from symgrad.nn.modules.module import Module
from symgrad.ops.map import show_shape
from symgrad.support.arguments import checked
from symgrad.support.collector import collector_paused
from symgrad.support.extras import is_installed
from symgrad.support.foreign_draws import watched
from symgrad.support.forks import Lock
from symgrad.support.lazy import cached_property
from symgrad.support.store import seconds_before_storing
from symgrad.transforms.calls import write_back

MOST_SIGNATURES = 256
_NO_KEYWORDS = trees.flatten({}, is_array, [])
_NUMBER = (), np.dtype(np.float64)
_MOST = 2**60  # entries of an array whose bytes a processor can count
_ndarray = np.ndarray

P = ParamSpec("P")


class Stats(NamedTuple):
    """What a compiled signature is made of."""

    backend: str
    operations: int
    kernels: int
    bytes: int
    compile_time: float  # seconds
    cached: bool = False  # the machine code was found on disk


class Lowered(NamedTuple):
    """Every stage of one signature as text: ``stages`` by name, of which the last is executed.

    ``program`` is the traced program, ``function`` the compiled function, and ``outside`` lists the steps that leave
    machine code, each with the reason.
    """

    stages: dict[str, str]
    stats: Stats
    program: Program
    function: Compiled[...]
    outside: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The generated source: the last stage."""
        return self.stages["source"]

    def as_text(self, stage: str = "program") -> str:
        """Return a stage as text: "program", "source", or an intermediate stage, which depends on the backend.

        Raises:
            ArgumentError: if the stage does not exist.
        """
        if stage not in self.stages:
            raise ArgumentError(f"as_text: stage={stage!r}. Expected one of {', '.join(map(repr, self.stages))}.")
        return self.stages[stage]

    def cost_analysis(self) -> dict[str, int]:
        """Return the cost of a call.

        Returns:
            A dict. ``operations``: the number of additions, products, exponentials, …, counted per entry; a contraction
            has an addition for each product, and a factorisation of an (n, n) matrix counts as n³. ``bytes``: the
            bytes to read and write, the sum of ``arguments``, ``constants`` and ``results``. ``workspace``: the bytes
            that the kernel works in, on one thread.
        """
        return cost(self.program, self.stats.bytes)

    @property
    def cost(self) -> dict[str, Any]:
        """The result of ``cost_analysis``, and ``outside``: the steps that leave machine code, each with the reason.

        >>> sg.compile(lambda x: x * 2, backend="python").lower(1.0).cost["outside"]
        ("all steps: the backend 'python' makes no machine code",)
        """
        return {**self.cost_analysis(), "outside": self.outside}

    def compile(self) -> Compiled[...]:
        """Return the compiled function, which has the kernel of this signature."""
        function: Compiled[...] = self.function
        return function

    def __str__(self) -> str:
        return "\n\n".join(f"# {name}\n{text}" for name, text in self.stages.items())


class Specialised:
    """The kernel of one signature, built on first use.

    Args:
        traced: the program, or its graph.
        build: makes the kernel.
        first: makes NumPy's kernel for the first call, behind which the other is built; None: the first call waits.
        called: makes of this object a call as an operation.
    """

    def __init__(
        self,
        traced: Traced | Graph,
        build: Callable[[Traced | Graph], Built],
        first: Callable[[Traced | Graph], Kernel] | None,
        called: Callable[[Specialised], Call],
    ) -> None:
        self.results = traced.results
        self.finish = _finish(traced.results)
        self.effects = traced.effects if isinstance(traced, Graph) else None
        self.overwritten = traced.overwritten if isinstance(traced, Graph) else ()
        self._traced, self._build, self._lock = traced, build, Lock()
        self._graph = traced if isinstance(traced, Graph) and not self.effects else None
        self._built: Built | None = None
        self._first, self._called = first, called

    @property
    def program(self) -> Program:
        """The traced program."""
        return self._traced.program

    def build(self) -> Built:
        """Return the kernel, and what belongs to it, and let go of the graph."""
        if self._built is None:
            with collector_paused():
                return self.build_behind()
        return self._built

    def build_behind(self) -> Built:
        """The same in another thread, where the garbage collector is the user's."""
        with self._lock:
            if self._built is None:
                self._built = self._build(self._traced)
                self._traced, self._graph = Traced(self.program, self.results), None
            return self._built

    @property
    def stats(self) -> Stats:
        """The inputs of the kernel's compilation."""
        return self.build().stats

    @cached_property
    def call(self) -> Call:
        """A call of the kernel as an operation."""
        return self._called(self)

    @property
    def kernel(self) -> Kernel:
        """The kernel that runs for this signature."""
        return self.build().kernel

    @property
    def is_new(self) -> bool:
        """Whether NumPy computes the next result."""
        return self._first is not None and self._built is None

    def compute(self, values: Sequence[Any]) -> Sequence[Any]:
        """Run the kernel, or for the first call NumPy's."""
        first, self._first = self._first, None
        if first is None or self._built is not None:
            return self.kernel.run(values)
        ys = first(self._traced).run(values)
        QUEUE.append(self)
        return ys

    def compute_apart(self, values: Sequence[Any]) -> Sequence[Any]:
        """Run the kernel on values that stay what they are: those of tensors."""
        return self.compute(self.apart(values))

    def apart(self, values: Sequence[Any]) -> Sequence[Any]:
        """Return the values, in copies where the kernel overwrites them."""
        reuses = () if self.is_new else self.kernel.reuses
        return [v.copy() if k in reuses else v for k, v in enumerate(values)]

    def run(self, values: Sequence[Any]) -> Sequence[Any]:
        """Run the kernel, draw what it needs, and write back what it changes."""
        if self.effects is None:
            return self.compute(values)
        return self.written(self.compute([*values, *self.effects.arguments()]))

    def report(self, values: Sequence[Any]) -> str:
        """Return where the time of a call goes; what it draws is drawn again by the next call."""
        with unchanged():
            hidden = self.effects.arguments() if self.effects else []

        def copies() -> list[Any]:
            return [x.copy() if isinstance(x, _ndarray) else x for x in [*values, *hidden]]

        return time_table(self.kernel, copies, self.stats.compile_time)

    def written(self, ys: Sequence[Any]) -> Sequence[Any]:
        """Write back the last results, and return the others."""
        count = len(ys) - (self.effects.count if self.effects else 0)
        if self.effects:
            self.effects.write(ys[count:])
        return ys[:count]

    def early(self, values: Sequence[Any]) -> Any:
        """Return the results of the first call before there is a kernel; None of others, or where only it can tell."""
        graph, self._graph = self._graph, None
        return None if graph is None or self._built else walked(graph.leaves, graph.roots, graph.nodes, values)


class Built(NamedTuple):
    """A kernel, and what it is made of."""

    kernel: Kernel
    stats: Stats


class Compiled(AsFunction, Generic[P]):
    """A compiled function; see ``compile``."""

    def __init__(
        self,
        fn: Callable[..., Any] | None,
        backend: str,
        donate: tuple[int, ...] = (),
        *,
        digits: int | None = None,
        cache: bool | None = None,
        tiers: bool = True,
        report: bool = False,
        strict: bool = True,
    ) -> None:
        self.fn, self.backend, self.donate, self.digits, self.strict = fn, backend, donate, digits, strict
        self.cache, self.tiers, self._reports = cache, tiers, report
        self._reported: dict[int, Specialised] = {}
        self._found: dict[Any, Specialised] = {}
        self._flat: dict[Any, Specialised] = {}
        self._restored: dict[Any, Traced] = {}
        self._direct: Any = None
        self._last: Specialised | None = None
        self._returning: dict[tuple[int, ...], Compiled[...]] = {}
        self._writes = True  # whether what it writes to arguments in place reaches the caller's tensors
        self._lock = Lock()  # reentrant: the function may call itself while it is traced
        if fn is not None:
            functools.update_wrapper(self, fn, updated=())

    def __repr__(self) -> str:
        count = len(self._found)
        name = getattr(self.fn, "__name__", "function")
        return f"<compiled {name}, {count} signature{'' if count == 1 else 's'}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind, as functions do: the instance becomes part of the signature."""
        return self if instance is None else MethodType(self, instance)

    # -------------------------------------------------------------- calling
    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Return what the function returns."""
        direct = self._direct
        if direct is not None and not kwargs:
            out = direct(*args)
            if out is not NotImplemented:
                return out
        given = (*args, *kwargs.values()) if kwargs else args
        key = [(a.shape, a.strides, a.dtype) if type(a) is _ndarray else type(a) for a in given]
        entry = self._flat.get((*key, *kwargs) if kwargs else tuple(key))
        if entry is not None:
            ys = entry.kernel.run(given)
            if ys is not NotImplemented:
                self._last = entry
                self._direct = None if kwargs else entry.kernel.direct
                return entry.finish(ys)
        return self._general(args, kwargs, given, key)

    def _general(self, args: Any, kwargs: dict[str, Any], given: Sequence[Any], key: Sequence[Any]) -> Any:
        leaves: list[Any] = []
        tree = trees.flatten((args, kwargs), is_array, leaves)
        if any(isinstance(x, TensorBase) for x in leaves):
            return self._on_tensors(args, kwargs, tree, leaves)
        values = [as_input(x) for x in leaves]
        entry = self._specialised(tree, values)
        if entry.effects and entry.effects.traced():
            args, kwargs = trees.unflatten(tree, iter([handle(None, canonical(v)) for v in values]))
            return self._original()(*args, **kwargs)
        ys = entry.early(values)
        if ys is not None:
            return entry.finish(ys)
        if entry.is_new:
            return entry.finish(entry.run(values))
        if entry.kernel.reuses:
            return entry.finish(entry.run(given_away(values, entry.kernel.reuses)))
        if entry.effects:
            return entry.finish(entry.run(values))
        if len(values) == len(given) and all(v is a for v, a in zip(values, given, strict=True)):
            # The next call of this kind, with arrays as they are, goes straight to the kernel.
            if len(self._flat) >= MOST_SIGNATURES:  # by strides there may be more than in ``_found``
                self._flat.clear()
            self._flat[*key, *kwargs] = entry
            self._direct = None if kwargs else entry.kernel.direct
        return entry.finish(entry.kernel.run(values))

    def _on_tensors(self, args: Any, kwargs: Any, tree: trees.Tree, leaves: Sequence[Any]) -> Any:
        tensors = [x for x in leaves if isinstance(x, TensorBase)]
        if any(t._value is None for t in tensors):
            return self._original()(*args, **kwargs)
        if self.digits is not None:
            raise ArgumentTypeError(
                f"compile: results of {self.digits} digits are numbers of {_LIBRARIES[self.backend]}'s, which no "
                "tensor holds. Pass arrays or floats, or a backend without digits."
            )
        values = [as_input(x._value if isinstance(x, TensorBase) else x) for x in leaves]
        entry = self._specialised(tree, values)
        if entry.effects and entry.effects.traced():
            return self._original()(*args, **kwargs)
        if self._writes and any(isinstance(leaves[k], TensorBase) for k in entry.overwritten):
            return self._written_back(entry.overwritten, args, kwargs, leaves)
        followed = modes.recording() and any(t._node is not None and t._node.level for t in tensors)
        if followed and entry.call.which:
            return self._recorded(entry, leaves, values)
        ys = [handle(None, canonical(y)) for y in entry.run(entry.apart(values))]
        return trees.unflatten(entry.results, iter(ys))

    def _written_back(self, which: tuple[int, ...], args: Any, kwargs: Any, leaves: Sequence[Any]) -> Any:
        """Call the function, and write to tensors among its arguments what it writes to them in place."""
        if which not in self._returning:
            fn = _returning(self._original(), which)
            made: Compiled[...] = Compiled(
                fn, self.backend, self.donate, cache=self.cache, tiers=self.tiers, strict=self.strict
            )
            made._writes = False
            self._returning[which] = made
        result, after = self._returning[which](*args, **kwargs)
        for k, t in zip(which, after, strict=True):
            write_back(leaves[k], t, leaves)
        return result

    def _recorded(self, entry: Specialised, leaves: Sequence[Any], values: Sequence[Any]) -> Any:
        """Return the results as results of one operation; integers and booleans carry no gradient."""
        call, effects = entry.call, entry.effects
        if effects is not None and effects.carries:
            raise GraphError(
                "compile: the function changes a captured tensor, with values that depend on an argument that "
                "requires grad, and no gradient would flow through them. Use x.detach(), or return the new tensor."
            )
        hidden = [] if effects is None else effects.arguments()
        ys: list[Any] = [None] * (trees.count(entry.results) + (effects.count if effects else 0))
        if len(call.which) < len(ys):
            ys = [handle(None, canonical(y)) for y in entry.compute_apart([*values, *hidden])]
        parts = call.parts(apply(call, [as_tensor(x) for x in [*leaves, *hidden]]))
        for k, y in zip(call.which, parts, strict=True):
            ys[k] = y
        if effects is not None:
            count = trees.count(entry.results)
            effects.write([y._value for y in ys[count:]])
            ys = ys[:count]
        return trees.unflatten(entry.results, iter(ys))

    def _original(self) -> Callable[..., Any]:
        if self.fn is None:
            raise GraphError(
                "compile: this function was unpickled without its source, so it serves the signatures it was compiled "
                "for and cannot be traced again. Compile it here, or pickle a function of a module."
            )
        return self.fn

    # -------------------------------------------------------------- signatures
    def _specialised(self, tree: trees.Tree, values: Sequence[Any]) -> Specialised:
        """Return the kernel for a call, which becomes the last one."""
        entry = self._prepared(tree, values)
        if entry is not self._last:  # the short way is for one signature, and does not note that it was called
            self._direct, self._last = None, entry
        if self._reports and id(entry) not in self._reported:
            self._reported[id(entry)] = entry
            print(entry.report(values))
        return entry

    def _prepared(self, tree: trees.Tree, values: Sequence[Any]) -> Specialised:
        key = tree, tuple([_NUMBER if type(v) is float else (v.shape, v.dtype) for v in values])
        try:
            entry = self._found.get(key)
        except TypeError:
            trees.check_statics(tree)
            raise
        fits = entry is not None and (entry.effects is None or entry.effects.traced() or entry.effects.fits())
        return entry if fits else self._added(key, entry)  # type: ignore[return-value]

    def _added(self, key: Any, old: Specialised | None) -> Specialised:
        def look() -> Specialised | None:
            entry = self._found.get(key)
            return None if entry is old else entry

        entry = self._found[key] = made_once(self._lock, look, lambda: self._compile(key))
        if len(self._found) > MOST_SIGNATURES:
            self._found.pop(next(iter(self._found)), None)
            self._flat.clear()
        return entry

    @collector_paused()
    def _compile(self, key: Any) -> Specialised:
        start = time.perf_counter()
        tree, specs = key
        traced = self._restored.get(key) or self._graph(tree, [Spec(*s) for s in specs])
        if self.digits is not None and isinstance(traced, Graph) and traced.effects and traced.effects.states:
            raise GraphError(
                f"compile: the function changes a captured tensor, which cannot hold numbers of {self.digits} digits. "
                "Leave out digits, or return the new tensor."
            )
        spent = time.perf_counter() - start
        entry = Specialised(
            traced,
            lambda of: self._build(of, tree, spent),
            (lambda of: self._quick(of, tree)) if self._in_tiers(traced) else None,
            lambda entry: self._call(entry, tree),
        )
        # What another thread has changed while it traces is an error now, or never.
        if is_fixed() or not (entry.is_new or self._waits()):
            entry.build()
        return entry

    def _graph(self, tree: trees.Tree, specs: Sequence[Spec]) -> Traced | Graph:
        fn = self._original()
        if isinstance(fn, Program):  # which was traced before
            return Traced(program_of_body(fn), trees.ContainerSpec(list, (), (trees.LEAF,) * len(fn.outputs)))
        with watched("compile", fn):
            return graph(fn, tree, specs)

    def _waits(self) -> bool:
        """Whether a first result of numbers may come before the kernel, which others than Python's take longer for."""
        return self.backend == "auto" and not (self.donate or is_installed("llvm"))

    def _in_tiers(self, traced: Traced | Graph) -> bool:
        """Whether NumPy computes the first result, and machine code those that follow."""
        is_asked = self.tiers and os.environ.get("SYMGRAD_TIERS") != "0"
        is_plain = self.backend == "auto" and not self.donate and self.digits is None
        return is_asked and is_plain and is_installed("llvm") and is_sooner_by_numpy(traced.program)

    def _build(self, traced: Traced | Graph, tree: trees.Tree, spent: float) -> Built:
        start, program = time.perf_counter(), traced.program
        program.donated, program.digits = positions_of(self.donate, tree), self.digits
        program.cache_after = seconds_before_storing(self.cache)
        kernel = self._kernel(program, *_interface(traced, tree))
        spent += time.perf_counter() - start
        return Built(
            kernel, Stats(kernel.backend, kernel.operations, kernel.kernels, kernel.bytes, spent, kernel.cached)
        )

    def _quick(self, traced: Traced | Graph, tree: trees.Tree) -> Kernel:
        with collector_paused():
            return build_with("numpy", traced.program, *_interface(traced, tree))

    def _kernel(self, program: Program, tree: trees.Tree, results: trees.Tree) -> Kernel:
        try:
            return build_with(self.backend, program, tree, results)
        except Unsuitable:
            if self.strict:
                raise
            return build_with("auto", program, tree, results)

    def _call(self, entry: Specialised, tree: trees.Tree) -> Call:
        effects = entry.effects

        def run(xs: Sequence[Any]) -> Sequence[Any]:
            return entry.compute_apart([as_input(x) for x in xs])

        def leaves(*xs: Any) -> list[Any]:
            tensors: list[Any] = []
            rest = iter(xs)
            args, kwargs = trees.unflatten(tree, rest)
            with effects.standing(list(rest)) if effects else nullcontext():
                trees.flatten(self._original()(*args, **kwargs), is_result, tensors)
                return tensors + [handle(t._node, t._value) for t in (effects.after() if effects else [])]

        def derived(f: Any) -> Compiled[...]:
            return Compiled(f, self.backend, cache=self.cache, tiers=self.tiers, strict=False)

        return Call(entry.program, run, leaves, derived)

    # -------------------------------------------------------------- looking at it
    @property
    def source(self) -> str:
        """The generated source of the signature that was called last, in any thread; see ``lower`` for others."""
        return self._any().kernel.source()

    @property
    def stats(self) -> Stats:
        """The operations, kernels, bytes and compile time of the signature that was called last."""
        return self._any().stats

    def lower(self, /, *args: Any, **kwargs: Any) -> Lowered:
        """Compile for given arguments without running, and return every stage as text, and the cost of a call.

        Args:
            args: as in a call. A tuple of integers represents a float64 array of this shape, and a symbol an array of
                its shape and dtype.
            kwargs: as in a call.

        >>> lowered = sg.compile(lambda a, x: a @ x).lower((20, 30), (30,))
        >>> lowered.cost_analysis()["operations"]
        1200
        """
        leaves: list[Any] = []
        shaped = tuple([Spec(a, _NUMBER[1]) if _is_shape(a) else a for a in args])
        tree = trees.flatten((shaped, kwargs), lambda x: isinstance(x, Spec) or is_array(x), leaves)
        entry = self._prepared(tree, [_specified(x) for x in leaves])
        self._last = self._last or entry
        stages = {"program": str(entry.program), **{k: v() for k, v in entry.kernel.stages.items()}}
        texts = {**stages, "source": entry.kernel.source()}
        return Lowered(texts, entry.stats, entry.program, self, outside(entry.kernel))

    def report(self, /, *args: Any, **kwargs: Any) -> str:
        """Return a table of the time spent in a call: in each operation outside machine code, and in the code between.

        The kernel runs eight times on these arguments, without writing changes back.

        Args:
            args, kwargs: as in a call.

        >>> f = sg.compile(lambda x: x * 2, backend="python")
        >>> print(f.report(1.0))  # doctest: +ELLIPSIS
        backend python, compiled in ... ms; a call takes ... µs
            share         µs  part
          100.0 % ...  all steps, by the backend 'python'
        """
        leaves: list[Any] = []
        tree = trees.flatten((args, kwargs), is_array, leaves)
        if any(isinstance(x, TensorBase) and x._value is None for x in leaves):
            raise ArgumentTypeError("report: a symbol has no value. Pass arrays, numbers or tensors.")
        values = [as_input(x._value if isinstance(x, TensorBase) else x) for x in leaves]
        return self._prepared(tree, values).report(values)

    def _any(self) -> Specialised:
        if self._last is None:
            raise GraphError("compile: nothing has been compiled yet. Call the function, or use lower(*args).")
        return self._last

    # -------------------------------------------------------------- pickling
    def __reduce__(self) -> Any:
        """By name where a module has it; else the programs, from which the kernels are built again when called."""
        if is_found(self):
            return place_of(self)[1]
        pure = {key: f for key, f in list(self._found.items()) if not (f.effects or f.overwritten)}
        compiled = {key: (f.program, f.results) for key, f in pure.items()}
        fn = self._portable(bool(compiled or self._restored))
        programs = [(key, *traced) for key, traced in {**self._restored, **compiled}.items()]
        return _restore, (fn, self.backend, self.donate, self.digits, self.strict, programs, self.cache, self.tiers)

    def _portable(self, programs: bool) -> Any:
        """Return the function as it is pickled; None where only the programs can be."""
        if self.fn is None:
            return None
        try:
            fn = portable(self.fn, "compile")
            pickle.dumps(fn)
        except Exception:
            if not programs:
                raise
            return None
        return fn


def _returning(fn: Callable[..., Any], which: Sequence[int]) -> Callable[..., Any]:
    """Return the function that returns these of its arguments, too, as they are after the call."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        leaves: list[Any] = []
        trees.flatten((args, kwargs), is_array, leaves)
        return fn(*args, **kwargs), [leaves[k] for k in which]

    return call


def _is_shape(x: Any) -> bool:
    """Whether x is a tuple of integers; a named tuple is a structure."""
    if type(x) is not tuple or any(type(n) is not int for n in x):
        return False
    if any(n < 0 for n in x) or math.prod(x) > _MOST:
        raise ArgumentError(
            f"lower: {x} is not a shape. Expected sizes of 0 or more, and at most 2**60 entries in all."
        )
    return True


def _specified(x: Any) -> Any:
    """Return what has the shape and dtype of an argument: itself, or a ``Spec`` where there are no numbers."""
    if isinstance(x, Spec):
        return x
    if not isinstance(x, TensorBase) or x._value is not None:
        return as_input(x._value if isinstance(x, TensorBase) else x)
    return _spec_of(x)


def _spec_of(x: Any) -> Spec:
    """Return the shape and dtype of a tensor without numbers."""
    if not all(isinstance(n, int) for n in x.shape):
        raise ArgumentTypeError(f"lower: the symbol of shape {show_shape(x.shape)} has a size without a number.")
    return Spec(tuple(x.shape), x.dtype)


def _interface(traced: Traced | Graph, tree: trees.Tree) -> tuple[trees.Tree, trees.Tree]:
    """Return the structures of a kernel's arguments and results: flat where there are hidden ones."""
    if not (isinstance(traced, Graph) and traced.effects):
        return tree, traced.results
    arguments = trees.ContainerSpec(tuple, (), (_flat(len(traced.program.inputs)), _NO_KEYWORDS))
    return arguments, _flat(len(traced.program.outputs))


def _flat(count: int) -> trees.Tree:
    return trees.ContainerSpec(tuple, (), (trees.LEAF,) * count)


def _finish(results: trees.Tree) -> Callable[[Sequence[Any]], Any]:
    """Return how the list of results becomes what the function returns."""
    if isinstance(results, trees.ArrayLeaf):
        return lambda ys: ys[0]
    kind = results.kind if isinstance(results, trees.ContainerSpec) else None
    if kind in (tuple, list) and all(isinstance(p, trees.ArrayLeaf) for p in getattr(results, "parts", ())):
        return tuple if kind is tuple else list
    return lambda ys: trees.unflatten(results, iter(ys))


def _restore(
    fn: Any,
    backend: str,
    donate: tuple[int, ...],
    digits: int | None,
    strict: bool,
    programs: Sequence[Any],
    cache: bool | None = None,
    tiers: bool = True,
) -> Compiled[...]:
    made: Compiled[...] = Compiled(fn, backend, donate, digits=digits, cache=cache, tiers=tiers, strict=strict)
    made._restored = {key: Traced(program, results) for key, program, results in programs}
    return made


class TorchCompile(TypedDict, total=False):
    """Options of ``torch.compile``."""

    fullgraph: bool
    dynamic: bool | None
    mode: str | None
    options: dict[str, Any] | None
    disable: bool


_REFUSED = {
    "dynamic": "each shape has a kernel of its own; leave it out, or write dynamic=False",
    "mode": 'there is one mode; leave it out, and choose a backend such as "llvm"',
    "options": "they are TorchInductor's; leave them out",
}


def _check_torchs(torchs: Mapping[str, Any]) -> None:
    """Refuse options of ``torch.compile`` that would mean something, and options of nobody's."""
    for name, value in torchs.items():
        if name not in TorchCompile.__annotations__:
            raise ArgumentTypeError(
                f"compile() got an unexpected keyword argument {name!r}. Expected compile(fn, backend, donate, "
                "*, digits, cache, tiers, report)."
            )
        if name in _REFUSED and value not in (None, False, "default"):
            raise ArgumentError(f"compile: got {name}={value!r}: {_REFUSED[name]}.")


def jit(
    fun: Any = None, *, static_argnums: Any = None, static_argnames: Any = None, donate_argnums: Any = (),
    backend: str | None = None, keep_unused: bool = False, inline: bool = False, device: Any = None,
) -> Any:  # fmt: skip
    """Return fun compiled, under JAX's name: ``sg.compile(fun)``.

    Args:
        fun: the function. If it is omitted, ``jit`` returns a decorator with these options.
        static_argnums, static_argnames: accepted, without effect: integers, booleans, text, None and functions are
            always static. Use ``functools.partial`` to bind a float on which the function branches.
        donate_argnums: see ``donate`` of ``sg.compile``.
        backend: see ``sg.compile``; "cpu" and None mean "auto".
        keep_unused, inline, device: accepted, without effect; the device is the CPU.

    >>> sg.jit(sg.grad(lambda x: x**3))(2.0)
    12.0
    """
    if device is not None:
        cpu(device)
    chosen = "auto" if backend in (None, "cpu") else backend
    made = functools.partial(compile, backend=chosen, donate=donate_argnums)
    return made if fun is None else made(fun)


def _script(obj: Callable[..., Any], example_inputs: Any = None) -> Any:
    """Return a function or a model compiled, for programs that write ``torch.jit.script`` or ``torch.jit.trace``."""
    return compile(obj)


jit.script = jit.trace = _script  # type: ignore[attr-defined]

_LIBRARIES = {"mpmath": "mpmath", "arb": "python-flint"}  # whose numbers results with digits are


def _check_options(backend: str, digits: int | None, cache: Any) -> None:
    """Raise where an option of ``compile`` has no meaning."""
    check_backend(backend)
    _check_digits(backend, digits)
    if cache is not None and not isinstance(cache, bool):
        raise ArgumentTypeError(
            f"compile: cache must be True or False. Got {type(cache).__name__}. Set the environment variable "
            "SYMGRAD_CACHE_DIR to choose the folder."
        )


def _donated(donate: int | Sequence[int]) -> tuple[int, ...]:
    numbers = (donate,) if isinstance(donate, int) else tuple(donate)
    if not all(isinstance(k, int) and k >= 0 for k in numbers):
        raise ArgumentTypeError(f"compile: donate={donate!r}. Expected positions of arguments, counted from 0.")
    return numbers


@overload
def compile(
    fn: Callable[P, Any],
    backend: str = "auto",
    donate: int | Sequence[int] = (),
    *,
    digits: int | None = None,
    cache: bool | None = None,
    tiers: bool = True,
    report: bool = False,
    **torchs: Unpack[TorchCompile],
) -> Compiled[P]: ...
@overload
def compile(
    fn: None = None,
    backend: str = "auto",
    donate: int | Sequence[int] = (),
    *,
    digits: int | None = None,
    cache: bool | None = None,
    tiers: bool = True,
    report: bool = False,
    **torchs: Unpack[TorchCompile],
) -> Callable[[Callable[P, Any]], Compiled[P]]: ...
@checked
def compile(
    fn: Any = None,
    backend: str = "auto",
    donate: int | Sequence[int] = (),
    *,
    digits: int | None = None,
    cache: bool | None = None,
    tiers: bool = True,
    report: bool = False,
    **torchs: Unpack[TorchCompile],
) -> Any:
    """Return a compiled version of fn, which has one kernel for each signature of its arguments.

    Args:
        fn: a function of tensors, or a transform of one such as ``sg.value_and_grad(f)``; or an ``nn.Module``, for
            which a module with the same parameters is returned. It is traced once per signature, without values: it
            cannot branch on them, and values that it captures are frozen. Random numbers are drawn again in every call,
            and captured tensors that it modifies are written back. Without fn, ``compile`` returns a decorator with
            these options.
        backend: "auto", or one of "python" (straight-line code on floats), "numpy" (fused array kernels), "llvm"
            (machine code, with the extra ``symgrad[llvm]``), "c" (machine code, by this machine's C compiler) and
            "mpmath" (slow, but every result is the float nearest to the exact value) and "arb" (slow, with the extra
            ``symgrad[proved]``: every result is a ball of python-flint's, which certainly contains the exact value).
        donate: positions of arguments whose memory may be reused for results of the same shape and dtype. Such an array
            must not be used afterwards. The memory of tensors is never reused.
        digits: for the backend "mpmath": results are mpmath numbers, or object arrays of them, with this many digits
            instead of floats. For "arb", whose results are always python-flint numbers: the number of digits by which a
            radius is at least smaller than its midpoint, 15 by default.
        cache: whether to store machine code on disk, so that other processes need not compile it again: in
            SYMGRAD_CACHE_DIR, or in the cache folder of the system. By default, code that took more than 0.1 seconds to
            compile is stored, and all code if SYMGRAD_CACHE_DIR is set. With False, or SYMGRAD_CACHE_SIZE=0 in the
            environment, nothing is stored or read.
        tiers: with the backend "auto", whether NumPy may compute the first result of a signature while a thread
            compiles machine code. Later results come from machine code, and may differ from the first by rounding.
            With False, or SYMGRAD_TIERS=0 in the environment, the first call waits for machine code.
        report: whether to print the time spent in each part, at the first call of each signature; see ``report`` of
            the result.
        torchs: options of ``torch.compile``: ``disable=True`` returns fn unchanged, ``fullgraph`` always applies, and
            others raise an error.

    Returns:
        A function of floats, NumPy arrays and nested dicts, lists, tuples and dataclasses of them, which returns such
        values. For tensors, it returns tensors, with gradients. Integers, booleans, text and None are part of the
        signature. It has ``source``, ``stats``, ``lower(*args)`` and ``report(*args)``, and can be pickled.

    Raises:
        ValueNeeded: if fn needs a value while it is traced.
        ArgumentError: if the backend is unknown, or its extra is not installed.
        Unsuitable: if the backend does not support the program; "auto" does.

    >>> f = sg.compile(sg.value_and_grad(lambda x: (x**2).sum()))
    >>> f(np.array([1.0, 2.0]))
    (5.0, array([2., 4.]))
    >>> print(sg.compile(lambda x: sg.log(1 + sg.exp(x)), backend="mpmath")(-50.0))
    1.9287498479639178e-22
    """
    _check_torchs(torchs)
    if torchs.get("disable"):
        return (lambda f: f) if fn is None else fn
    if backend == "inductor":  # PyTorch's
        backend = "auto"
    _check_options(backend, digits, cache)
    digits = 15 if backend == "arb" and digits is None else digits
    numbers = _donated(donate)
    if fn is None:
        return lambda f: compile(f, backend, numbers, digits=digits, cache=cache, tiers=tiers, report=report)
    if not callable(fn):
        raise ArgumentTypeError(f"compile: expected a function, got {type(fn).__name__}. Write sg.compile(f)(x).")
    if isinstance(fn, Module):
        return OptimizedModule(
            fn, lambda f: Compiled(f, backend, (), digits=digits, cache=cache, tiers=tiers, report=report)
        )
    return Compiled(fn, backend, numbers, digits=digits, cache=cache, tiers=tiers, report=report)


def _check_digits(backend: str, digits: Any) -> None:
    if digits is None:
        return
    if backend not in _LIBRARIES:
        raise ArgumentError(
            f"compile: digits={digits!r} with backend={backend!r}. Expected backend='mpmath' or backend='arb' with it."
        )
    check_digits("compile", digits)
