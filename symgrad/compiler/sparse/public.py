"""``sg.sparse_jacobian`` and ``sg.sparse_hessian``: pattern and kernel are created once for each signature."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.compiled import Compiled, compile
from symgrad.compiler.once import made_once
from symgrad.compiler.sparse.arrays import compressed_rows
from symgrad.compiler.sparse.pattern import pattern
from symgrad.compiler.sparse.products import costs, entries_of, is_array
from symgrad.compiler.sparse.sets import Sets, from_pairs
from symgrad.compiler.sparse.structures import Layout, as_vector, is_numbers, total, zeros_of
from symgrad.compiler.sparse.sweeps import Sweeps, for_hessian, for_jacobian
from symgrad.compiler.trace import trace
from symgrad.core import trees
from symgrad.core.pickling import AsFunction, is_found, place_of, portable
from symgrad.core.promotion import is_floating
from symgrad.engine.program import Spec
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, GraphError, ValueNeeded
from symgrad.func import grad
from symgrad.ops.value import to_value
from symgrad.support.arguments import checked, shown
from symgrad.support.extras import needs
from symgrad.support.forks import Lock
from symgrad.support.progress import long_work
from symgrad.transforms.arguments import check_argnums, positions

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Prepared(NamedTuple):
    """The data that are computed once for a signature."""

    kernel: Compiled[...] | None  # computes the entries; None where there are none
    sweeps: Sweeps
    shape: tuple[int, int]
    starts: Any
    columns: Any
    dtype: np.dtype[Any]

    def array(self, entries: Any) -> Any:
        """Return the entries as a sparse array."""
        return compressed_rows(entries, self.columns, self.starts, self.shape)


class Derivative(AsFunction):
    """A function that returns a sparse derivative; see ``sparse_jacobian``."""

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        argnums: int | tuple[int, ...],
        backend: str,
        symmetric: bool,
        progress: bool,
        lower: bool = False,
    ) -> None:
        self.name, self.fn, self.argnums, self.backend, self.symmetric = name, fn, argnums, backend, symmetric
        self.lower = lower
        self._options = argnums, backend, symmetric, progress, lower
        self.progress = progress
        self._found: dict[Any, Prepared] = {}
        self._flat: dict[Layout, Derivative] = {}
        self._last: Prepared | None = None
        self._lock = Lock()
        functools.update_wrapper(self, fn, updated=())

    def __repr__(self) -> str:
        return f"<{self.name} of {getattr(self.fn, '__name__', 'a function')}, {len(self._found)} signatures>"

    def __reduce__(self) -> Any:
        fn = portable(self.fn, self.name)
        return place_of(self)[1] if is_found(self) else (Derivative, (self.name, fn, *self._options))

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Return the derivative at these arguments."""
        entry, entries = self._computed(args, kwargs)
        return entry.array(entries)

    def entries(self, /, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """Return only the stored entries, in the order of the array's ``data``: row by row, and by column in each row.

        Args:
            args, kwargs: as in a call.
            out: an array for the entries, which is returned.

        >>> f = sg.sparse_jacobian(lambda x: x[1:] * x[:-1])
        >>> f.entries(np.array([1.0, 2.0, 3.0]))
        array([2., 1., 3., 2.])
        """
        entries = self._computed(args, kwargs)[1]
        if out is None:
            return entries
        if not isinstance(out, np.ndarray) or out.shape != entries.shape or out.dtype != entries.dtype:
            raise ArgumentError(
                f"{self.name}: out is {shown(out)}. Expected an array of {len(entries)} numbers of {entries.dtype}."
            )
        out[...] = entries
        return out

    def pattern_at(self, /, *args: Any, **kwargs: Any) -> Any:
        """Return the positions at which the derivative can differ from zero, from the shapes of the arguments alone.

        Args:
            args, kwargs: as in a call; a tuple of integers, also inside a structure, represents a float64 array of
                this shape.

        >>> sg.sparse_jacobian(lambda x: x[1:] * x[:-1]).pattern_at((3,)).toarray()
        array([[ True,  True, False],
               [False,  True,  True]])
        """
        arrays = [zeros_of(a, self._check_sizes) for a in args]
        entry, _ = self._entry(arrays, kwargs)
        return entry.array(np.ones(len(entry.columns), bool))

    def _check_sizes(self, shape: tuple[int, ...]) -> None:
        if min(shape, default=0) < 0:
            raise ArgumentError(f"{self.name}: {shape} is not a shape. Expected sizes of 0 or more.")

    def _computed(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Prepared, Any]:
        with long_work(self.name, shown=self.progress):
            entry, at = self._entry(args, kwargs)
            entries = np.zeros(0) if entry.kernel is None else entry.kernel(*at[0], **at[1])
        return entry, np.asarray(entries, entry.dtype)

    def _entry(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Prepared, Arguments]:
        """Return what is made for these arguments, and what its kernel is called with."""
        places = positions(self.argnums, len(args))
        if isinstance(self.argnums, int) and _is_one(args[places[0]]):
            place, tree, values, at = self._read(places[0], args, kwargs)
            self._last = self._prepared(tree, values, place, at)
            return self._last, at
        for k in places:
            self._check_values(args[k])
        layout, vector = Layout.of(places, args, self.name)
        flat = self._flat.get(layout)
        if flat is None:
            of_vector = layout.flat(self.fn, self.name)
            flat = Derivative(self.name, of_vector, 0, self.backend, self.symmetric, self.progress, self.lower)
            flat = self._flat.setdefault(layout, flat)
        others = tuple([a for k, a in enumerate(args) if k not in places])
        self._last, at = flat._entry((vector, others), kwargs)
        return self._last, at

    def entries_by_columns(self, args: tuple[Any, ...]) -> tuple[Callable[..., Any], Any, Any, tuple[int, int]]:
        """Return the entries as a function of tensors, and their places by compressed columns; see ``sg.export``.

        Args:
            args: example arguments, of which one array is differentiated with respect to.

        Returns:
            The function, where each column starts among the entries, the row of each entry, and the shape.
        """
        if not isinstance(self.argnums, int) or not _is_one(args[positions(self.argnums, len(args))[0]]):
            raise ArgumentError(
                f"export: {self.name} is written with respect to one array. Got argnums={self.argnums}, or a "
                "structure; write the function of one vector."
            )
        entry, _ = self._entry(args, {})
        kernel, dtype = entry.kernel, entry.dtype
        rows = np.repeat(np.arange(entry.shape[0]), np.diff(entry.starts))
        order = np.lexsort((rows, entry.columns))
        starts = np.searchsorted(entry.columns[order], np.arange(entry.shape[1] + 1))

        @functools.wraps(self.fn, updated=())
        def entries(*xs: Any) -> Any:
            return np.zeros(0, dtype) if kernel is None else kernel(*xs)[order]

        return entries, starts, rows[order], entry.shape

    # -------------------------------------------------------------- arguments
    def _read(
        self, place: int, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[int, trees.Tree, list[Any], Arguments]:
        """Return the position of x, the structure of the arguments, their arrays, and arguments of arrays."""
        leaves: list[Any] = []
        tree = trees.flatten(
            ([*args[:place], self._point(args[place]), *args[place + 1 :]], kwargs), is_numbers, leaves
        )
        values = [np.asarray(self._value(x)) for x in leaves]
        given, kwargs = trees.unflatten(tree, iter(values))
        return place, tree, values, (tuple(given), kwargs)

    def _check_values(self, x: Any) -> None:
        leaves: list[Any] = []
        trees.flatten(x, is_numbers, leaves)
        for leaf in leaves:
            self._value(leaf)

    def _point(self, x: Any) -> Any:
        point = np.asarray(to_value(self._value(x)))
        if not is_floating(point.dtype):
            raise DTypeError(
                f"{self.name}: only Tensors of floating point dtype can require gradients. Got {point.dtype}; pass "
                "floats, such as 2.0."
            )
        return point

    def _value(self, x: Any) -> Any:
        if not isinstance(x, TensorBase):
            return x
        if x._value is None:
            raise ValueNeeded(
                f"{self.name}: got a tensor without a value. A SciPy array needs numbers: call this outside of "
                "functions that are traced, or use the dense transform inside."
            )
        me: Any = x
        if me._is_followed():
            raise GraphError(
                f"{self.name}: this is a variable of a transform such as sg.grad, or computed from one, and its "
                "gradient would be lost in a SciPy array. Use sg.jacobian or sg.hessian inside, or pass x.detach()."
            )
        return x._value

    # -------------------------------------------------------------- signatures
    def _prepared(self, tree: trees.Tree, values: Sequence[Any], place: int, at: Arguments) -> Prepared:
        specs = tuple([Spec(v.shape, v.dtype) for v in values])
        key = (tree, specs)
        entry = self._found.get(key)
        if entry is None:
            entry = made_once(self._lock, lambda: self._found.get(key), lambda: self._prepare(place, at))
            self._found[key] = entry
        return entry

    def _prepare(self, place: int, at: Arguments) -> Prepared:
        args = at[0]
        leaves: list[Any] = []
        tree = trees.flatten(at, is_array, leaves)
        program = trace(self._result, tree, [Spec(v.shape, v.dtype) for v in leaves], self.name).program
        result = program.values[program.outputs[0]]
        x, y = Spec(args[place].shape, args[place].dtype), Spec(result.shape, result.dtype)
        before: list[Any] = []
        trees.flatten(args[:place], is_array, before)
        sets = pattern(program, len(before))
        sets, sweeps = self._sweeps(sets, place, y, at)
        kernel = compile(entries_of(self._result, place, sweeps, x, y), self.backend) if len(sets.members) else None
        index = np.int32 if max(len(sets.members), sets.below) < 2**31 else np.int64
        starts, columns = sets.starts.astype(index), sets.members.astype(index)
        return Prepared(kernel, sweeps, (sets.size, sets.below), starts, columns, _numbers(y.dtype, x.dtype))

    def _sweeps(self, sets: Sets, place: int, y: Spec, at: Arguments) -> tuple[Sets, Sweeps]:
        if not self.symmetric:
            each = costs(self._result, place, y, *at) if len(sets.members) else (1, 1)
            return sets, for_jacobian(sets, *each)
        sets = sets.symmetric()
        sweeps = for_hessian(sets)
        if not self.lower:
            return sets, sweeps
        below = sets.owners >= sets.members
        rows, columns = sets.owners[below], sets.members[below]
        return from_pairs(sets.size, sets.below, rows, columns), sweeps._replace(take=sweeps.take[below])

    def _result(self, /, *args: Any, **kwargs: Any) -> Any:
        return as_vector(self.fn(*args, **kwargs), self.name)

    # -------------------------------------------------------------- looking at it
    @property
    def pattern(self) -> Any:
        """The positions at which the derivative can differ from zero, as booleans, for the signature called last."""
        entry = self._any()
        return entry.array(np.ones(len(entry.columns), bool))

    @property
    def colours(self) -> int:
        """The number of products with vectors that a call computes, for the signature called last."""
        return self._any().sweeps.products

    def _any(self) -> Prepared:
        if self._last is None:
            raise GraphError(
                f"{self.name}: the pattern depends on the shapes of the arguments. Call the function first."
            )
        return self._last


def _is_one(x: Any) -> bool:
    """Whether an argument is one array, as lists and tuples of numbers are."""
    if isinstance(x, (list, tuple)):
        return all(isinstance(v, (int, float, np.number, list, tuple)) and _is_one(v) for v in x)
    return not isinstance(x, dict) and not trees.is_dataclass(x)


def _numbers(*dtypes: Any) -> np.dtype[Any]:
    """The dtype of the result: that of f, or of x where f has integers. SciPy has no half precision."""
    dtype = next(d for d in dtypes if is_floating(d))
    return np.dtype(np.float32) if dtype.itemsize < 4 else dtype


def _derivative(
    name: str, fn: Any, argnums: int | tuple[int, ...], backend: str, outer: Any, progress: bool, lower: bool = False
) -> Derivative:
    if not callable(fn):
        raise ArgumentTypeError(f"{name}: expected a function, got {type(fn).__name__}. Write sg.{name}(f)(x).")
    check_argnums(name, argnums)
    needs(f"sg.{name}, which returns SciPy's sparse arrays,", "scipy")
    compile(fn, backend)  # which refuses an unknown one
    function = fn if outer is None else outer(fn, argnums)
    return Derivative(name, function, argnums, backend, outer is not None, progress, lower)


@checked
def sparse_jacobian(
    fn: Callable[..., Any], argnums: int | tuple[int, ...] = 0, backend: str = "auto", progress: bool = True
) -> Derivative:
    """Return x ↦ ∂f/∂x as a SciPy ``csr_array``, with as few products J·s or Jᵀ·s as its zeros allow.

    Args:
        fn: function of tensors that returns a tensor, or a structure of tensors. It is traced once per signature,
            without values, as with ``sg.compile``.
        argnums: the position of x, or several. An argument may be a nested dict, list, tuple or dataclass of arrays:
            the columns are then the entries of all arrays, one after the other.
        backend: see ``sg.compile``.
        progress: whether to report the progress of long work, on a terminal or in a notebook.

    Returns:
        A function with fn's arguments. Its result has a row for each entry of f(x) and a column for each entry of x,
        both in C order, so that shapes (2, 3) and (4,) give (6, 4), and a scalar f one row. It stores the entries that
        can differ from zero for some x. ``pattern`` contains their positions, and ``colours`` is the number of products
        in a call, both for the signature called last. ``entries(*args, out=None)`` computes them without SciPy's array,
        and ``pattern_at(*args)`` determines the pattern from the shapes of the arguments alone.

    Raises:
        MissingExtra: if SciPy is not installed.
        DTypeError: if x does not hold floating-point numbers.
        ArgumentError: if the derivative is dense and large.

    >>> f = sg.sparse_jacobian(lambda x: x[1:] * x[:-1])
    >>> f(np.array([1.0, 2.0, 3.0])).toarray()
    array([[2., 1., 0.],
           [0., 3., 2.]])
    >>> f.colours
    2
    >>> sg.sparse_jacobian(lambda a, b: a * b, argnums=(0, 1))(np.ones(2), np.array([3.0, 4.0])).toarray()
    array([[3., 0., 1., 0.],
           [0., 4., 0., 1.]])
    """
    return _derivative("sparse_jacobian", fn, argnums, backend, None, progress)


@checked
def sparse_hessian(
    fn: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    backend: str = "auto",
    progress: bool = True,
    *,
    lower: bool = False,
) -> Derivative:
    """Return x ↦ ∂²f/∂x² of a scalar f as a symmetric SciPy ``csr_array``; see ``sparse_jacobian``.

    With ``lower``, the array contains only the lower triangle. Entries are computed from products of the Hessian with
    vectors; each pair of mirrored entries is read once.

    >>> h = sg.sparse_hessian(lambda x: (x[1:] * x[:-1]).sum())
    >>> h(np.array([1.0, 2.0, 3.0])).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    return _derivative("sparse_hessian", fn, argnums, backend, grad, progress, lower)


class Lagrangian(AsFunction):
    """(x, λ, *args, sigma) ↦ ∂(σ f + λᵀ g)/∂x"""

    def __init__(self, f: Callable[..., Any], g: Callable[..., Any]) -> None:
        self.f, self.g, self.__name__ = f, g, "lagrangian"

    def __call__(self, x: Any, multipliers: Any, *args: Any, sigma: Any = 1.0) -> Any:
        """Return the gradient in x."""

        def lagrangian(x: Any) -> Any:
            return sigma * self.f(x, *args) + total(multipliers, self.g(x, *args), "sparse_hessian_of_lagrangian")

        return grad(lagrangian)(x)


@checked
def sparse_hessian_of_lagrangian(
    f: Callable[..., Any],
    g: Callable[..., Any],
    lower: bool = False,
    backend: str = "auto",
    progress: bool = True,
) -> Derivative:
    """Return (x, λ, *args, sigma=1.0) ↦ ∂²(σ f + λᵀ g)/∂x², as solvers of nonlinear programs require it.

    Args:
        f: f(x, *args), which returns one number.
        g: g(x, *args), which returns a tensor with the shape of λ, or a structure like that of λ. x may be a structure.
        lower: whether to return only the lower triangle, as IPOPT requires.
        backend, progress: see ``sparse_jacobian``.

    Returns:
        A function that returns a SciPy ``csr_array``; see ``sparse_jacobian``.

    >>> h = sg.sparse_hessian_of_lagrangian(lambda x: x[0] * x[1], lambda x: x**2, lower=True)
    >>> h(np.array([1.0, 2.0]), np.array([3.0, 4.0])).toarray()
    array([[6., 0.],
           [1., 8.]])
    """
    for name, fn in (("f", f), ("g", g)):
        if not callable(fn):
            raise ArgumentTypeError(
                f"sparse_hessian_of_lagrangian: {name} must be a function, got {type(fn).__name__}."
            )
    needs("sg.sparse_hessian_of_lagrangian, which returns SciPy's sparse arrays,", "scipy")
    return Derivative("sparse_hessian_of_lagrangian", Lagrangian(f, g), 0, backend, True, progress, lower)
