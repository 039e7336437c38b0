"""Elementwise operations. A Map is a SymPy scalar expression, its payload, in x0, x1, …

The derivative of a Map is a Map with payload g·∂payload/∂xi, so one rule serves every function at every
order; where the payload occurs inside its own derivative it is replaced by the output y.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cmp_to_key, lru_cache
from itertools import zip_longest
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanFunction

from symgrad.core.kernels import ARITHMETIC, array_kernel, canonical, float_kernel
from symgrad.core.node import Node, Shape
from symgrad.core.promotion import (
    BOOL,
    FLOAT64,
    Kind,
    is_bool,
    is_differentiable,
    is_float,
    is_floating,
    one_of,
    promoted,
)
from symgrad.errors import ShapeError
from symgrad.ops.conditions import one_if
from symgrad.ops.protocol import Op, Plan, Traced, not_complex, refused
from symgrad.scalars import Atom, G, Undeclared, X, Y, analytic, differentiate, in_full, scale, tidy
from symgrad.support.lazy import cached_property

_MAPS: dict[tuple[Any, int, str], Map] = {}


class Entrywise(Op):
    """An operation on the entries of its inputs, which are broadcast."""

    signature = "()->()"

    def lies(self, x: Any, to: Shape) -> Any:
        return x.offset, x.steps

    def out_shape(self, *shapes: Shape) -> Shape:
        """Broadcast the shapes."""
        return broadcast_shapes(*shapes)


class Map(Entrywise):
    """The elementwise operation with this payload. One object per payload: use ``Map.of``.

    The payload is made when it is first looked at, so that importing symgrad does no SymPy arithmetic.
    """

    first: MapPlan | None = None  # the plans that the fast paths ask for, once they exist
    twin: Op | None = None  # what takes its place for complex numbers, where that is another function
    both: MapPlan | None = None
    fuses = True

    def __init__(self, make: Callable[[], Any], arity: int, name: str, plain: Callable[..., Any] | None = None) -> None:
        self._make, self.arity, self.name = make, arity, name  # type: ignore[misc]
        self._plain = plain  # the kernel, where Python has an operator for it: SymPy's printers need not be loaded
        self._dtypes: dict[Any, np.dtype[Any]] = {}
        self._operands: dict[Any, Sequence[np.dtype[Any] | None]] = {}
        self.plans: dict[Any, MapPlan] = {}

    @cached_property
    def payload(self) -> Any:
        """The SymPy expression in ``X``."""
        return self._make()

    @staticmethod
    def of(payload: Any, arity: int, name: str = "Map") -> Map:
        """Return the operation with this payload, built once."""
        key = (payload, arity, name)
        op = _MAPS.get(key)
        if op is None:
            op = _MAPS.setdefault(key, Map(lambda: payload, arity, name, _operators().get((payload, arity))))
        return op

    def __repr__(self) -> str:
        return f"Map({self.payload})"

    def __reduce__(self) -> Any:
        return Map.of, (self.payload, self.arity, self.name)

    def in_complex(self) -> Op:
        """Return the map of complex numbers: its twin, or the one with the payload written in complex functions."""
        op = self.twin
        if op is None:
            op = self.twin = _analytic(self)
        return op

    @cached_property
    def truth(self) -> bool:
        """Whether the payload is a condition."""
        return isinstance(self.payload, (Relational, BooleanFunction))

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        """That of the kernel's result; double precision where NumPy makes shorter floats of short integers."""
        if self.truth:
            return BOOL
        known = self._dtypes.get(kinds)
        if known is None:
            known = self._dtypes[kinds] = self._asked(kinds)
        return known

    def _asked(self, kinds: Sequence[Kind]) -> np.dtype[Any]:
        """Run the kernel, once, on ones: what NumPy makes of integers follows from its functions alone."""
        common = promoted(*kinds)
        if is_differentiable(common) and all(k in (float, complex, common) for k in kinds):
            return common
        try:
            with np.errstate(all="ignore"):
                common = np.asarray(self.forward(*[one_of(k, (1,)) for k in kinds])).dtype
        except TypeError as error:
            raise refused(self, error) from error
        return FLOAT64 if is_floating(common) and not any(map(is_float, kinds)) else common

    def operands(self, *kinds: Kind) -> Sequence[np.dtype[Any] | None]:
        """The result's dtype, of conditions what the inputs promote to; what is only asked whether it is 0 stays.

        NumPy compares integers of two dtypes exactly, so those stay as well.
        """
        known = self._operands.get(kinds)
        if known is None:
            common = promoted(*kinds) if self.truth else self.dtype(*kinds)
            stays = is_bool(common) or (self.truth and is_floating(common) and not any(map(is_float, kinds)))
            known = [None if stays or k in self.tested else common for k in range(len(kinds))]
            self._operands[kinds] = known
        return known

    @cached_property
    def tested(self) -> frozenset[int]:
        """The inputs that the payload only compares with 0."""
        if not self.payload.has(Relational):
            return frozenset(k for k in range(self.arity) if X[k] not in self.payload.free_symbols)
        questions = {q: sp.Dummy() for x in X[: self.arity] for q in (sp.Ne(x, 0), sp.Eq(x, 0))}
        rest = self.payload.xreplace(questions).free_symbols
        return frozenset(k for k in range(self.arity) if X[k] not in rest)

    @cached_property
    def mentioned(self) -> tuple[int, ...]:
        """The inputs that the payload mentions."""
        used = self.payload.free_symbols
        return tuple(k for k in range(self.arity) if X[k] in used)

    @cached_property
    def on_array(self) -> Callable[..., Any]:
        """The kernel on arrays."""
        return self._plain or array_kernel(self.payload, X[: self.arity])

    @cached_property
    def on_float(self) -> Callable[..., Any]:
        """The kernel on Python floats; may raise what ``math`` raises."""
        return self._plain or float_kernel(self.payload, X[: self.arity])

    def forward(self, *xs: Any) -> Any:
        """Compute the payload elementwise."""
        y = self._of_numbers(xs) if all(map(_is_number, xs)) else self._of_arrays(xs)
        return y if type(y) is np.ndarray else canonical(y)

    def _of_arrays(self, xs: Sequence[Any]) -> Any:
        try:
            return self.on_array(*xs)
        except ARITHMETIC:  # of the numbers among them: Python raises where NumPy gives nan or inf
            dtype = np.result_type(*[x.dtype for x in xs if isinstance(x, (np.ndarray, np.generic))])
            if not is_differentiable(dtype):
                if not any(isinstance(x, float) for x in xs):
                    raise
                dtype = np.dtype(np.float64)  # a float beside integers
            with np.errstate(all="ignore"):
                return self.on_array(*[dtype.type(x) if _is_number(x) else x for x in xs])

    def _of_numbers(self, xs: Sequence[Any]) -> Any:
        """Python's operators make other things of numbers than NumPy does: (-2.0)**0.5 is complex."""
        try:
            return self.on_float(*xs)
        except ARITHMETIC:  # where math raises and NumPy gives nan or inf
            with np.errstate(all="ignore"):
                return self.on_array(*map(np.float64, xs))

    def on_symbols(self, *xs: Any) -> Any:
        """Put the expressions into the payload, entry by entry."""

        def entry(*values: Any) -> Any:
            return substitute(self.formula, {x: exact(v) for x, v in zip(X, values, strict=False)})

        return np.asarray(np.frompyfunc(entry, self.arity, 1)(*xs), dtype=object)

    @cached_property
    def partials(self) -> tuple[Partial | None, ...]:
        """The derivative operations, one per input; None where the derivative is zero."""
        return tuple(Partial.of(self.payload, i) for i in range(self.arity))

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        """Apply the i-th partial."""
        partial = self.partials[i]
        return None if partial is None else partial.apply(g, y, *xs)

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Sum the partials with each tangent in place of the cotangent."""
        terms = [self.vjp(i, t, y, *xs) for i, t in enumerate(ts) if t is not None]
        return sum_terms([t for t in terms if t is not None])

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Substitute the entries into the payload."""
        return substitute(self.formula, {x: p(clip(idx, p.shape)) for x, p in zip(X, ps, strict=False)})

    @cached_property
    def formula(self) -> Any:
        """The payload as formulas show it: without functions that exist for their kernel only."""
        full = in_full(self.payload)
        return tidy(full) if isinstance(full, sp.Expr) else full

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """Keep what the active partials mention."""
        symbols = set().union(*[p.symbols for i in active if (p := self.partials[i])])
        return Y in symbols, tuple(x in symbols for x in X[:count])

    def plan(self, active: tuple[int, ...], count: int, label: str | None = None) -> Any:
        """Return the plan, and remember the ones that the fast paths ask for."""
        plan = super().plan(active, count, label)
        if label is None and active == (0,):
            self.first = plan
        elif label is None and active == (0, 1):
            self.both = plan
        return plan


class AnalyticMap(Map):
    """A Map of complex numbers: stable kernels that know real numbers only are written out in its derivatives, too."""

    @cached_property
    def partials(self) -> tuple[Partial | None, ...]:
        """The derivative operations; one that has no meaning for complex numbers is refused where it is requested."""
        derivatives = [Partial.of(self.payload, i) for i in range(self.arity)]
        return tuple(p if p is None else self._partial(p, i) for i, p in enumerate(derivatives))

    def _partial(self, p: Partial, i: int) -> Partial:
        payload = analytic(p.payload)
        if payload is not None:
            return Partial(payload)
        refused = Partial(G)
        declared = self.payload.declared if isinstance(self.payload, Atom) else None
        refused.missing = _OfReal(self.name) if declared is None else Undeclared(declared.name, declared.letter(i))
        return refused

    def in_complex(self) -> Op:
        """Return the operation itself, which takes complex numbers."""
        return self


class _OfReal:
    """Stands for a derivative that has a meaning for real numbers only."""

    def __init__(self, name: str) -> None:
        self._name = name

    def refusal(self) -> Exception:
        """The reason to give when the operation is requested."""
        return not_complex(self._name)


def _analytic(op: Map) -> Map:
    payload = _of_complex(op, op.payload)
    return AnalyticMap(lambda: payload, op.arity, op.name, op._plain if payload == op.payload else None)


def _of_complex(op: Map, payload: Any) -> Any:
    """Write the payload in functions that complex numbers have, or refuse it."""
    expression = analytic(payload)
    if expression is None:
        raise not_complex(op.name)
    return expression


class Partial:
    """One partial derivative of a Map: the Map of g, y and the xs that its payload mentions."""

    def __init__(self, payload: sp.Expr) -> None:
        slots = (G, Y, *X)
        free = payload.free_symbols
        self.payload = payload
        self.used = tuple(k for k, s in enumerate(slots) if s in free)
        self.symbols = frozenset(slots[k] for k in self.used)
        self.missing: Undeclared | _OfReal | None = next(iter(payload.atoms(Undeclared)), None)
        rename = {slots[k]: X[n] for n, k in enumerate(self.used)}
        self.op = Map.of(payload.xreplace(rename), len(self.used), "Map")
        self.hands_on = self.op.payload == X[0]  # the cotangent, as a sum does

    @staticmethod
    @lru_cache(maxsize=8192)
    def of(payload: Any, i: int) -> Partial | None:
        """Differentiate the payload in its i-th argument."""
        if not isinstance(payload, sp.Expr):
            return None
        derivative = scale(G, differentiate(payload, X[i]))
        if payload.args and not payload.is_number and len(payload.free_symbols) > 0:
            derivative = derivative.xreplace({payload: Y})
        return None if derivative == 0 else Partial(derivative)

    def apply(self, *g_y_xs: Any) -> Any:
        """Apply to (g, y, x0, …). An argument that is not used may be a Blank."""
        if self.missing is not None:
            self.check()
        g = g_y_xs[0]
        if self.hands_on:
            return g
        used = tuple([g_y_xs[k] for k in self.used])
        return g._apply(self.op, used) if isinstance(g, Traced) else self.op(*used)

    def check(self) -> None:
        """Raise NotDifferentiable where a declaration leaves this derivative out."""
        if self.missing is not None:
            raise self.missing.refusal()


class MapPlan(Plan):
    """The plan of a Map: all active partials in one compiled kernel."""

    __slots__ = ("pack_fast", "symbols")

    def __init__(self, op: Map, active: tuple[int, ...], count: int, label: str | None = None) -> None:
        super().__init__(op, active, count, label)
        keep = ["y"] * self.keep_y + [f"x{i}" for i, k in enumerate(self.keep_x) if k]
        names = ", ".join(["y", *[f"x{i}" for i in range(count)]])
        # Assembled from the fixed words above only.
        self.pack_fast = eval(f"lambda {names}: ({', '.join(keep)}{',' if keep else ''})")
        self.symbols = (G, *[Y] * self.keep_y, *[x for x, k in zip(X, self.keep_x, strict=False) if k])
        self.pull_float = self._first_float

    def pack(self, y: Any, xs: Sequence[Any]) -> tuple[Any, ...]:
        """Return what the node saves: only what the kernel takes."""
        return self.pack_fast(y, *xs)  # type: ignore[no-any-return]

    def unpack(self, node: Node) -> tuple[Any, list[Any]]:
        """Return y and xs, None where the rule does not look."""
        values = iter(node.saved)
        y = next(values) if self.keep_y else None
        return y, [next(values) if k else None for k in self.keep_x]

    def _build(self) -> None:
        """Compile the kernels: (g, *saved) to the tuple of cotangents."""
        op: Any = self.op
        partials = [op.partials[i] for i in self.active]
        for p in partials:
            if p is not None:
                p.check()
        payloads = tuple(p.payload for p in partials if p is not None)
        where = [k for k, p in enumerate(partials) if p is None]
        self.pull_array = _with_none(array_kernel(payloads, self.symbols), where)
        self.pull_float = _with_none(float_kernel(payloads, self.symbols), where)

    def _first_float(self, *values: Any) -> Any:
        self._build()
        return self.pull_float(*values)

    def pull(self, node: Node, g: Any) -> Any:
        """Return the cotangents of the active inputs, numerically."""
        if self.pull_array is None:
            self._build()
        if type(g) is float:
            return self.pull_array(np.float64(g), *map(_as_array, node.saved))
        try:
            return self.pull_array(g, *node.saved)
        except ARITHMETIC:  # of the numbers among what was saved
            return self.pull_array(g, *[g.dtype.type(x) if type(x) is float else x for x in node.saved])


Map.plan_kind = MapPlan


def _with_none(kernel: Callable[..., Any], where: Sequence[int]) -> Callable[..., Any]:
    """Insert None, the zero cotangent, at positions with zero derivative."""
    if not where:
        return kernel

    def padded(*values: Any) -> list[Any]:
        results = list(kernel(*values))
        for k in where:
            results.insert(k, None)
        return results

    return padded


def _is_number(x: Any) -> bool:
    return isinstance(x, (float, int))


def _as_array(x: Any) -> Any:
    return np.float64(x) if type(x) is float else x


def emap(payload: Any, *args: Any, name: str = "Map") -> Any:
    """Apply the elementwise operation with this payload in x0, x1, …"""
    return Map.of(payload, len(args), name)(*args)


def sum_terms(terms: Sequence[Any]) -> Any:
    """Add any number of terms; None where there are none."""
    total = None
    for t in terms:
        total = t if total is None else ADD(total, t)
    return total


def broadcast_shapes(*shapes: Shape) -> Shape:
    """Return the common shape, with PyTorch's error where there is none. Sizes may be symbolic."""
    first = shapes[0] if shapes else ()
    if shapes.count(first) == len(shapes):
        return first
    out: list[Any] = []
    for back, sizes in enumerate(zip_longest(*[s[::-1] for s in shapes], fillvalue=1)):
        size: Any = 1
        for n in sizes:
            if n == 1 or n == size:
                continue
            if size != 1:
                axis = max(map(len, shapes)) - 1 - back
                raise ShapeError(
                    f"The size of tensor a ({size}) must match the size of tensor b ({n}) at non-singleton "
                    f"dimension {axis}. Got shapes {' and '.join(map(show_shape, shapes))}; "
                    "reshape or unsqueeze one of them."
                )
            size = n
        out.append(size)
    return tuple(out[::-1])


def show_shape(shape: Shape) -> str:
    """Write a shape as PyTorch does, such as [2, 3]."""
    return "[" + ", ".join(map(str, shape)) + "]"


def clip(idx: Sequence[Any], sizes: Shape) -> list[Any]:
    """Read broadcasting backwards: the index into an input of these sizes."""
    aligned = list(idx)[len(idx) - len(sizes) :]
    return [sp.S.Zero if n == 1 else k for k, n in zip(aligned, sizes, strict=True)]


def substitute(payload: Any, env: dict[Any, Any]) -> Any:
    """Put entries for a payload's slots; a condition is 1 or 0 in arithmetic, itself where it asks x ≠ 0."""
    given = {x: v for x, v in env.items() if isinstance(v, Boolean) and not isinstance(v, sp.Symbol)}
    truths = {sp.Ne(x, 0): v for x, v in given.items()} | {sp.Eq(x, 0): sp.Not(v) for x, v in given.items()}
    arithmetic = isinstance(payload, sp.Add | sp.Mul | sp.Pow)
    numbers = {x: one_if(v) for x, v in given.items()} if arithmetic else {}
    return payload.xreplace({**env, **numbers, **truths})


def exact(value: Any) -> sp.Expr:
    """Turn a number into SymPy, an integer-valued or simple float into an exact number."""
    if isinstance(value, sp.Basic):
        return value
    if isinstance(value, (bool, np.bool_)):
        return sp.Integer(bool(value))
    if isinstance(value, (int, np.integer)):
        return sp.Integer(int(value))
    return _exact_float(float(value))


@lru_cache(maxsize=1024)
def _exact_float(value: float) -> sp.Expr:
    if value != value or value in (float("inf"), float("-inf")):
        return {"inf": sp.oo, "-inf": -sp.oo}.get(str(value), sp.nan)
    p, q = value.as_integer_ratio()
    if q <= 4096 and abs(p) < 10**12:
        return sp.Rational(p, q)
    for q in (3, 5, 6, 7, 9, 10, 100, 1000) if abs(value) < 1e12 else ():
        if float(round(value * q)) / q == value:
            return sp.Rational(round(value * q), q)
    return sp.Float(value)


def _sum(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    """a + b of terms that do not combine; SymPy's own addition loads its tensors first, which takes 30 ms."""
    return sp.Add(*sorted((a, b), key=cmp_to_key(sp.Basic.compare)), evaluate=False)


ADD = Map(lambda: _sum(X[0], X[1]), 2, "Add", operator.add)
SUB = Map(lambda: _sum(X[0], -X[1]), 2, "Sub", operator.sub)
MUL = Map(lambda: X[0] * X[1], 2, "Mul", operator.mul)
DIV = Map(lambda: X[0] / X[1], 2, "Div", operator.truediv)
POW = Map(lambda: X[0] ** X[1], 2, "Pow")
NEG = Map(lambda: -X[0], 1, "Neg", operator.neg)
IDENTITY = Map(lambda: X[0], 1, "Clone")
SECOND = Map(lambda: X[1], 2, "Fill")  # what replaced x0


@lru_cache(maxsize=1)
def _operators() -> dict[tuple[Any, int], Callable[..., Any]]:
    """Python's operators by payload: derivatives have these payloads too."""
    return {(m.payload, m.arity): m._plain for m in (ADD, SUB, MUL, DIV, NEG) if m._plain is not None}


@lru_cache(maxsize=256)
def power_map(exponent: Any) -> Map | None:
    """Return the Map x ↦ xᵖ for an exponent simple enough to be part of the payload, else None."""
    twice = 2 * exponent
    if twice != int(twice) or abs(exponent) > 16:
        return None
    return Map.of(X[0] ** sp.Rational(int(twice), 2), 1, "Pow")
