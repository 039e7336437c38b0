"""What an operation is. One class declares forward, shape, vjp and index form side by side.

The same rule runs on ndarrays (numeric backward), on recorded tensors (higher orders) and on tensors
without a value (formulas): calling an op on anything traced hands over to the tensor, all else computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
import sympy as sp

from symgrad.core.node import Node, Shape, is_node
from symgrad.core.promotion import CONVERTING, Kind, holds, promoted, truths
from symgrad.errors import ArgumentError, DTypeError, NumberRangeError, SymgradError

_ndarray, _OBJECT = np.ndarray, np.dtype(object)
Read = Callable[[Any, Sequence[Any]], sp.Expr]
TensorT = TypeVar("TensorT")  # what the named tuples that some functions return hold: tensors, as users see them


class Traced:
    """Base of Tensor, known to the operations so that they can hand over to it."""

    __slots__ = ()

    def _apply(self, op: Op, args: tuple[Any, ...]) -> Any:
        raise NotImplementedError


class Blank:
    """Stands in for an input when a rule needs only its shape."""

    __slots__ = ("ndim", "shape")

    def __init__(self, shape: Shape) -> None:
        self.shape, self.ndim = shape, len(shape)


class NumericRules:
    """The value of an operation: how it is computed, its shape and its dtype.

    A class defines ``forward(*xs)``, from arrays to an array; ``out_shape(*shapes)``, which raises ShapeError where
    they do not fit; and ``gives``, the rule of ``promotion`` for the result's dtype, or a ``dtype`` of its own.

    Attributes:
        converts: inputs are computed with in the result's dtype, where ``gives`` is a rule that says so.
        signature: the core axes, as ``"(n,n)->(n,n)"``; ``"()->()"`` says entry by entry. Axes in front are loops.
        running: along its ``axis`` or ``axes``, each entry of the result depends on all up to it.
        combine: the ufunc that makes the result of an axis it works along of the results of the axis's parts.
        accumulates: adds up or multiplies entries, which integers of its dtype may not hold.
        decides: looks which numbers the entries are, so that letters have no result.
        analytic: ``forward`` takes complex numbers, and the rule is right for them as it stands: a holomorphic
            function, since sweeps carry cotangents that are not conjugated. Operations that are linear, rearrange or
            index are so anyway.
    """

    gives: ClassVar[Callable[..., np.dtype[Any]]] = promoted
    converts: ClassVar[bool] = True
    signature: Any = None
    running: ClassVar[bool] = False
    combine: Any = None
    accumulates: ClassVar[bool] = False
    decides: ClassVar[bool] = False
    analytic: ClassVar[bool] = False

    def forward(self, *xs: Any) -> Any:
        """Compute the value."""
        raise NotImplementedError

    def on_symbols(self, *xs: Any) -> Any:
        """Compute on object arrays of SymPy expressions; override where ``forward`` cannot."""
        return self.forward(*xs)

    def out_shape(self, *shapes: Any) -> Shape:
        """Return the result's shape."""
        raise NotImplementedError

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        """Return the result's dtype, for inputs of these kinds: eager mode's, which everything else asks for here."""
        return type(self).gives(*kinds)

    def operands(self, *kinds: Kind) -> Sequence[np.dtype[Any] | None]:
        """Return the dtype in which each input is computed with, None where it is taken as it is.

        Converting an input first changes no value. Programs do so, so that backends and exports compute in one dtype.
        """
        if not self.converts or type(self).gives not in CONVERTING:
            return (None,) * len(kinds)
        return (self.dtype(*kinds),) * len(kinds)

    def takes(self, *kinds: Kind) -> Sequence[np.dtype[Any] | None]:
        """Return the dtype that a Python number in place of each input takes; None where it may be any number."""
        return (None,) * len(kinds) if self.truth else self.operands(*kinds)

    @property
    def truth(self) -> bool:
        """Whether the result holds booleans."""
        return type(self).gives is truths


class DerivativeRules:
    """The derivative of an operation: ``vjp(i, g, y, *xs)``, or ``vjps`` where cotangents are computed together.

    Attributes:
        saves: what the rule looks at beyond shapes: "y", "x" (all inputs) or both; or ``keeps`` tells it per position.
        linear: forward mode applies the operation to the tangents.
        flat: piecewise constant, so that the derivative is 0.
        plans: the differentiation plans by active inputs, where one object serves many nodes.
    """

    saves: ClassVar[str] = "xy"
    linear: ClassVar[bool] = False
    flat: ClassVar[bool] = False
    plan_kind: ClassVar[Any]
    plans: Any = None

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        """Return the cotangent of input i, written in other operations; None where it is zero."""
        if self.flat:
            return None
        if type(self).vjps is DerivativeRules.vjps:
            raise NotImplementedError
        return self.vjps((i,), g, y, *xs)[0]

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        """Return the cotangents of these inputs; override where they are computed together."""
        return [self.vjp(i, g, y, *xs) for i in which]

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """Say whether the rule for the active inputs looks at the value of y, and of each input."""
        return "y" in self.saves, ("x" in self.saves,) * count

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Return the tangent of the output; ``ts[i]`` is None where input i has none.

        Linear operations apply themselves, flat ones have none. NotImplemented sends the caller to the double-vjp
        identity.
        """
        if self.flat:
            return None
        if not self.linear:
            return NotImplemented
        dtype = next((t.dtype for t in ts if hasattr(t, "dtype")), np.float64)
        tangents = [np.zeros(shape(x), dtype) if t is None else t for t, x in zip(ts, xs, strict=True)]
        return self(*tangents)  # type: ignore[operator]  # every operation can be called

    def series(self, y: Any, xs: Sequence[Any], active: Sequence[int], order: int | None) -> Any:
        """Return the series of the result, of those of the inputs, which are of one variable: ``core.streams``.

        Args:
            y: the result's coefficient of order 0.
            xs: the series of the inputs.
            active: those that are not constant.
            order: the highest order that will be requested; None where inputs follow from the result, so that only
                their coefficients up to the order requested can be had.

        Returns:
            A ``Stream``, written in operations; NotImplemented where the rule of forward mode says it fast enough: it
            gives y' of x', once, and its cost then grows with each order where it is written in an operation anew.
        """
        return NotImplemented

    def plan(self, active: tuple[int, ...], count: int, label: str | None = None) -> Any:
        """Return the differentiation plan for these active inputs; made once where ``plans`` is a dict."""
        if self.plans is None:
            return self.plan_kind(self, active, count, label)
        key = active if label is None else (active, label)
        plan = self.plans.get(key)
        if plan is None:
            plan = self.plans[key] = self.plan_kind(self, active, count, label)
        return plan


class FormulaRules:
    """How formulas show an operation: its name, its entry at an index, and SymPy's matrix expression.

    Attributes:
        name: PyTorch's stem of the backward function's name; the class's name by default.
        spelled: the name in formulas; without it and ``notation``, matrix notation has no name for the operation.
        latex_name: the name in LaTeX, where it is not an upright word.
        by_rows: written without its axis where that is the last.
        symmetric: makes a matrix that is its own transpose.
        antisymmetric: makes a matrix whose transpose is its negative.
        keeps_symmetry: makes a symmetric matrix of a symmetric one.
        conjugates: maps conj z to the conjugate of the result, as operations with real constants do.
    """

    name: ClassVar[str] = ""
    spelled: ClassVar[str] = ""
    latex_name: ClassVar[str] = ""
    by_rows: ClassVar[bool] = False
    symmetric: ClassVar[bool] = False
    antisymmetric: ClassVar[bool] = False
    keeps_symmetry: ClassVar[bool] = False
    conjugates: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """PyTorch's stem of the backward function's name."""
        return self.name or type(self).__name__

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Return the entry at ``idx``, where ``ps[k](idx)`` reads input k.

        By default that is an entry of a named function, such as inv(X)[i, j].
        """
        return ps[0].entry(self, ps, idx)

    def notation(self, write: Any, *args: Any) -> Any:
        """Write the named function of its arguments, which are formulas; ``write`` is ``expression.printer``."""
        return write.call(self.spelled or self.label.lower(), *args, latex=self.latex_name)

    def in_matrices(self, *args: Any) -> Any:
        """Return the operation on SymPy's matrix expressions, a vector being a column; None where SymPy has none."""


class LoweringRules:
    """What programs, vmap, sparse derivatives and exports ask of an operation.

    Attributes:
        independent_axes: letters of the signature along which it works entry by entry, as along columns of a
            right-hand side.
        rearranges: ``forward`` only moves entries and fills up with zeros, whatever the entries are.
        indexes: reads or writes parts of arrays, or puts arrays together.
        views: the result's entries can lie where the input's do, at regular steps, as ``view`` says.
        shares: so they do in PyTorch, where what is written to the result goes to the input; ``put`` writes it there.
        fuses: loops over entries compute it together with its neighbours.
        dense: the reason why the result depends on all entries.
        looped: the reason why slices run one by one.
        not_exportable: the reason why exports lack it.
        routine: of what kind the routine of machine code is that small inputs get: "eliminates" rows of a matrix,
            "squares" (other work on square matrices), "rows", or "moves" entries; empty where there is none.
    """

    independent_axes: ClassVar[str] = ""
    rearranges: ClassVar[bool] = False
    indexes: ClassVar[bool] = False
    views: Any = False
    shares: Any = False
    fuses: ClassVar[bool] = False
    dense: ClassVar[str] = ""
    looped: ClassVar[str] = ""
    not_exportable: ClassVar[str] = ""
    routine: ClassVar[str] = ""

    @property
    def adds(self) -> Sequence[Any]:
        """The selections that the inputs are added to, in zeros; empty for what does something else."""
        return ()

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Apply to every slice of a batch at once; ``flags`` says which inputs carry it in front.

        NotImplemented where the signature or the axes say how, or where slices run one by one.
        """
        return NotImplemented

    def origins(self, *numbers: Any) -> Any:
        """Return the number of the entry that each entry of the result is, or a multiple of; 0 where that is zero.

        None where entries are computed from several.
        """
        return self.forward(*numbers) if self.rearranges else None  # type: ignore[attr-defined]

    def reads(self, numbers: Sequence[Any], known: Sequence[Any]) -> Any:
        """Return the numbers of the entries that each entry of the result is computed from, in a further last axis.

        ``known`` has the inputs whose entries are constants, None for others. A number 0 is not an entry. None where
        signature or axes say it.
        """

    def view(self, x: Any, to: Shape) -> Any:
        """Return (offset, steps) of a result of shape ``to`` in the memory of x, which has offset, steps and shape.

        None where it computes, or where x would have to be copied first.
        """

    def lies(self, x: Any, to: Shape) -> Any:
        """Return what ``view`` does, of a result that shares memory in PyTorch; None where PyTorch copies."""
        return self.view(x, to)

    def put(self, x: Any, v: Any) -> Any:
        """Return x with v in place of what this reads of it."""
        raise NotImplementedError

    def decompose(self, *xs: Any) -> Any:
        """Write the operation in smaller ones that compute what ``forward`` does, so that loops can take them in.

        By default it is a step of its own; so it is where this returns NotImplemented, as for sizes that have names.
        """
        raise NotImplementedError


class TeachingWords:
    """The words that lessons use for an operation.

    Attributes:
        explained: the rule in words, for ``sg.explain``.
        theorem: whether the rule is a theorem on answers to problems.
        quoted: the rule's name, or the differential that a book prints, its letters in braces: d det({M}).
    """

    explained: Any = ""
    theorem: ClassVar[bool] = False
    quoted: ClassVar[str] = ""


class Op(NumericRules, DerivativeRules, FormulaRules, LoweringRules, TeachingWords):
    """An array operation: a frozen value, whose fields are its parameters.

    It says once what there is to know of it, and whoever needs that asks: eager mode and backends its numeric rules,
    the sweep its derivative rules, closed forms its formula rules, vmap, programs and exports its lowering rules, and
    lessons its words. A new class defines ``forward``, ``out_shape``, ``gives`` and ``vjp``; all else has a default.
    A field ``axis`` or ``axes`` says that it works along these, and on each row apart.
    """

    def __call__(self, *args: Any) -> Any:
        symbols = False
        for a in args:
            kind = type(a)
            if kind is _ndarray:
                symbols = symbols or a.dtype is _OBJECT
            elif kind is float or kind is int:
                continue
            elif isinstance(a, Traced):
                return a._apply(self, args)
            elif isinstance(a, sp.Basic):
                symbols = True
        return self.on_symbols(*args) if symbols else self.forward(*args)

    def in_complex(self) -> Op:
        """Return the operation that this one is of complex numbers, or refuse them."""
        if self.analytic or self.linear or self.rearranges or self.indexes:
            return self
        raise not_complex(self.label)


class Plan:
    """An operation with the inputs that need a gradient: what to save, and how to pull a cotangent back."""

    __slots__ = ("active", "count", "keep_x", "keep_y", "name", "op", "pull_array", "pull_float")

    def __init__(self, op: Op, active: tuple[int, ...], count: int, label: str | None = None) -> None:
        self.op, self.active, self.count = op, active, count
        self.name = label or op.label
        self.keep_y, self.keep_x = op.keeps(active, count)
        self.pull_float: Any = None  # kernels (g, *saved) -> cotangents, where the plan has them
        self.pull_array: Any = None

    def pack(self, y: Any, xs: Sequence[Any]) -> tuple[Any, ...]:
        """Return what the node saves."""
        return (y if self.keep_y else None, *[x if k else None for x, k in zip(xs, self.keep_x, strict=True)])

    def unpack(self, node: Node) -> tuple[Any, list[Any]]:
        """Return y and xs as the rule expects them: values where saved, shapes elsewhere."""
        y, *xs = node.saved or (None,) * (self.count + 1)  # nothing is saved where nothing is active
        if not self.keep_y:
            y = Blank(node.shape)
        return y, [x if k else Blank(shape(p)) for x, k, p in zip(xs, self.keep_x, node.inputs, strict=True)]

    def pull(self, node: Node, g: Any) -> list[Any]:
        """Return the cotangents of the active inputs, numerically."""
        y, xs = self.unpack(node)
        return self.op.vjps(self.active, g, y, *xs)

    def vjps(self, node: Node, which: Sequence[int], g: Any, y: Any, xs: Sequence[Any]) -> list[Any]:
        """Return the cotangents of these inputs, recorded."""
        return self.op.vjps(which, g, y, *xs)

    def jvp(self, node: Node, ts: Sequence[Any], y: Any, xs: Sequence[Any]) -> Any:
        """Return the tangent of the output, or NotImplemented."""
        return self.op.jvp(ts, y, *xs)


Op.plan_kind = Plan


def shape(x: Any) -> Shape:
    """Return the shape of anything an operation can take."""
    try:
        return x.shape  # type: ignore[no-any-return]
    except AttributeError:
        pass
    return () if is_node(x) or np.isscalar(x) or isinstance(x, sp.Expr) else np.shape(x)


def zeros_like(x: Any) -> Any:
    """Return zeros of x's shape and dtype."""
    return np.zeros(shape(x), dtype=getattr(x, "dtype", np.float64))


def check_numbers(op: Op, values: Sequence[Any], kinds: Sequence[Kind]) -> None:
    """Refuse a number that the dtype it takes does not hold, in all operations as NumPy does in arithmetic."""
    for v, dtype in zip(values, op.takes(*kinds), strict=True):
        if dtype is not None and type(v) in (int, float) and not holds(dtype, v):
            raise failed(
                op, OverflowError(f"Python {'integer' if type(v) is int else 'float'} {v} out of bounds for {dtype}")
            )


def failed(op: Op, error: Exception) -> SymgradError:
    """Return the error for values that NumPy does not take, such as a number that the tensor's dtype does not hold."""
    if isinstance(error, OverflowError):
        return NumberRangeError(
            f"{op.label}: {error}. A Python number takes the tensor's dtype: convert the tensor first, as in "
            "x.to(sg.int64), or pass a float."
        )
    return ArgumentError(f"{op.label}: {error}")


def refused(op: Op, error: Exception) -> DTypeError:
    """What NumPy says of a dtype that a function does not take, such as -x of booleans."""
    return DTypeError(f"{op.label}: {str(error).rstrip('.')}. Convert first, as in x.to(sg.float64).")


def not_complex(name: str) -> DTypeError:
    """Return the error for a function that complex numbers do not have, or that symgrad has of real numbers only."""
    return DTypeError(
        f'"{name.lower()}" not implemented for complex numbers. Take x.real, x.imag or abs(x) first, or compute with '
        "functions that have a meaning there."
    )


def rename(x: Any, label: str) -> Any:
    """Give the node that made x PyTorch's name of the whole function, as MeanBackward0 for a sum and a division.

    What a function has made is not a view, also where nothing but moving entries was to be done.
    """
    if getattr(x, "_origin", None) is not None:
        x._origin = None
    node = getattr(x, "_node", None)
    if isinstance(node, Node):
        node.rule = node.op.plan(node.rule.active, len(node.inputs), label)
    return x
