"""``custom_vjp`` and ``custom_jvp``: a function with a derivative rule of the user's own, with JAX's meaning.

Each is an ``autograd.Function`` whose arguments and results are structures.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.autograd.batched import map_forward, map_reverse, over_slices
from symgrad.autograd.context import is_tensor
from symgrad.autograd.function import Function
from symgrad.core import modes
from symgrad.core.kernels import canonical
from symgrad.core.node import GRAD, Leaf
from symgrad.core.promotion import is_differentiable
from symgrad.core.trees import Tree, along, count, flatten, unflatten
from symgrad.engine.record import as_tensor, handle
from symgrad.engine.sweep import sweep
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError
from symgrad.support.arguments import check_all
from symgrad.transforms.arguments import check_function, check_results
from symgrad.transforms.calls import has_tensor, is_array, is_result

__all__ = ["custom_jvp", "custom_vjp"]


class Custom:
    """A function with a rule of its own. ``kind`` is the autograd function that carries it out."""

    kind: type[Rules]
    batched: Any = None  # the function of a whole batch, once vmap has made it
    _which = "derivative"

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: int | Sequence[int] = ()) -> None:
        check_function(type(self).__name__, fun)
        numbers = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
        self.fun, self.nondiff = fun, frozenset(numbers)
        self.function: Any = type(getattr(fun, "__name__", "function").strip("<>"), (self.kind,), {"custom": self})
        functools.update_wrapper(self, fun, updated=())

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind, as functions do; the instance is then an argument like any other."""
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Apply the function."""
        args = _by_position(self.fun, args, kwargs)
        if not any(has_tensor(a) for k, a in enumerate(args) if k not in self.nondiff):
            return self.fun(*args)
        self._check_rule()
        arrays: list[Any] = []
        spec = Spec(self, args, arrays)
        outputs = self.function.apply(spec, *arrays)
        return unflatten(spec.results, iter(outputs if isinstance(outputs, tuple) else (outputs,)))

    def _check_rule(self) -> None:
        raise NotImplementedError

    def undefined(self, method: str) -> GraphError:
        """Say that the rule is missing."""
        kind, name = type(self).__name__, self.function.__name__
        return GraphError(f"No {self._which} defined for {kind} function {name} using {method}. Call {name}.{method}.")

    def others(self, args: Sequence[Any]) -> list[Any]:
        """The arguments that are not differentiated by, which rules are given first."""
        return [a for k, a in enumerate(args) if k in self.nondiff]

    def with_others(self, args: Sequence[Any], some: Sequence[Any]) -> list[Any]:
        """Return the arguments with others in the places of those that are differentiated by."""
        rest = iter(some)
        return [a if k in self.nondiff else next(rest) for k, a in enumerate(args)]

    def differentiated(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """The other arguments."""
        return tuple(a for k, a in enumerate(args) if k not in self.nondiff)


class custom_vjp(Custom):
    """Decorate a function to define its reverse-mode rule; then call ``f.defvjp(fwd, bwd)``.

    ``fwd`` takes f's arguments and returns (f(x), residuals); ``bwd(residuals, g)`` returns a tuple with the cotangent
    Jᵀg of each argument, structured like the argument, or None for zero. Arguments and results may be nested
    structures. Forward mode and higher orders follow by differentiating the rule. No gradient flows to tensors that the
    function captures: pass them as arguments.

    Args:
        fun: the function.
        nondiff_argnums: positions of arguments that are not arrays, such as functions; ``bwd`` receives them first.

    >>> @sg.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda _, g: (sg.clamp(g, -1, 1),))
    >>> sg.grad(lambda x: (10 * clipped(x)).sum())(np.zeros(2))
    array([1., 1.])
    """

    _which = "VJP"
    fwd: Callable[..., Any] | None = None
    bwd: Callable[..., Any]

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Set the rule."""
        check_function("defvjp", fwd)
        check_function("defvjp", bwd)
        self.fwd, self.bwd = fwd, bwd

    def map_rule(self, made: Any) -> None:
        """Define this rule, mapped, for the function of a batch."""
        map_reverse(self, made)

    def _check_rule(self) -> None:
        if self.fwd is None:
            raise self.undefined("defvjp")

    def forward(self, args: Sequence[Any]) -> tuple[Any, Any]:
        """Return the value and the residuals."""
        assert self.fwd is not None  # narrows the type; it was checked before
        pair = self.fwd(*args)
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentTypeError(
                f"Custom VJP fwd rule for function {self.function.__name__} must produce a pair (list or tuple of "
                "length two) where the first element represents the primal output and the second element represents "
                f"residuals. Got a {type(pair).__name__}."
            )
        return pair


class custom_jvp(Custom):
    """Decorate a function to define its forward-mode rule; then call ``f.defjvp(rule)`` or ``f.defjvps(...)``.

    ``rule(primals, tangents)`` returns (f(x), Jt), where Jt is computed by symgrad's operations and is linear in t.
    Reverse mode transposes the rule, and higher orders differentiate it. Arguments and results may be nested
    structures. No gradient flows to tensors that the function captures: pass them as arguments.

    Args:
        fun: the function.
        nondiff_argnums: positions of arguments that are not arrays, such as functions; the rule receives them first.

    >>> @sg.custom_jvp
    ... def log1pexp(x):
    ...     return sg.log(1 + sg.exp(x))
    >>> log1pexp.defjvps(lambda t, y, x: t * (1 - 1 / (1 + sg.exp(x))))
    >>> sg.grad(log1pexp)(0.0)
    0.5
    """

    _which = "JVP"
    rule: Callable[..., Any] | None = None

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the rule and return it, so that the method can be used as a decorator."""
        check_function("defjvp", rule)
        self.rule = rule
        return rule

    def defjvps(self, *rules: Callable[..., Any] | None) -> None:
        """Set one rule ``rule(t, y, *xs)`` per argument, whose results are added; None stands for zero."""
        if self.nondiff:
            raise ArgumentError("Can't use ``defjvps`` with ``nondiff_argnums``. Use defjvp.")

        def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
            y = self(*primals)
            terms = [r(t, y, *primals) for r, t in zip(rules, tangents, strict=True) if r is not None]
            return y, functools.reduce(lambda a, b: a + b, terms) if terms else 0 * y

        self.rule = rule

    def map_rule(self, made: Any) -> None:
        """Define this rule, mapped, for the function of a batch."""
        map_forward(self, made)

    def _check_rule(self) -> None:
        if self.rule is None:
            raise self.undefined("defjvp")

    def push(self, args: Sequence[Any], ts: Sequence[Any], results: Tree) -> list[Any]:
        """Return the tangents of the results, one after the other."""
        assert self.rule is not None  # narrows the type; it was checked before
        tangents = Spec.of(self, args).put(ts)
        pair = self.rule(*self.others(args), self.differentiated(args), self.differentiated(tangents))
        name = self.function.__name__
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentTypeError(
                f"Custom JVP rule for function {name} must produce a pair (list or tuple of length two) representing "
                f"primal and tangent outputs, but got {type(pair).__name__}."
            )
        return [as_tensor(t) for t in along(results, pair[1], f"{name}: the tangent of its rule")]


# ------------------------------------------------------------------ arguments
class Spec:
    """How the arguments of one call are put together from arrays; equal ones are one operation."""

    results: Tree  # the structure of what the function returned, once it has run

    def __init__(self, custom: Custom, args: Sequence[Any], arrays: list[Any]) -> None:
        self.trees: list[Any] = []
        self.nondiff = custom.nondiff
        for k, a in enumerate(args):
            if k in self.nondiff:
                self.trees.append(a)
                continue
            first = len(arrays)
            self.trees.append(flatten(a, is_array, arrays))
            arrays[first:] = [as_tensor(x) for x in arrays[first:]]

    @staticmethod
    def of(custom: Custom, args: Sequence[Any]) -> Spec:
        """Return the structure of some arguments."""
        return Spec(custom, args, [])

    def __hash__(self) -> int:
        return hash(tuple(self.trees))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self.trees == other.trees

    def put(self, arrays: Sequence[Any]) -> list[Any]:
        """Return arguments with these arrays."""
        rest = iter(arrays)
        return [t if k in self.nondiff else unflatten(t, rest) for k, t in enumerate(self.trees)]

    def pulled(self, name: str, cotangents: Any) -> list[Any]:
        """Return the cotangents, one after the other, that a rule gave for the differentiated arguments."""
        trees = [(k, t) for k, t in enumerate(self.trees) if k not in self.nondiff]
        if not isinstance(cotangents, (tuple, list)) or len(cotangents) != len(trees):
            raise ArgumentTypeError(
                f"Custom VJP bwd rule for {name} must produce a tuple with one cotangent per argument ({len(trees)}), "
                f"got {f'{len(cotangents)}' if isinstance(cotangents, (tuple, list)) else type(cotangents).__name__}."
            )
        flat: list[Any] = []
        for (k, tree), d in zip(trees, cotangents, strict=True):
            flat += [None] * count(tree) if d is None else along(tree, d, f"{name}: the cotangent of argument {k}")
        return [None if d is None else as_tensor(d) for d in flat]


def _by_position(fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the arguments by position, with those that are left out."""
    try:
        bound = inspect.signature(fun).bind(*args, **kwargs)
    except ValueError:  # a built-in function has no signature
        return args
    bound.apply_defaults()
    if bound.kwargs:
        raise ArgumentTypeError(
            f"The following keyword arguments could not be resolved to positions: {', '.join(bound.kwargs)}. A "
            "function with a rule of its own takes arguments by position."
        )
    return bound.args


# ------------------------------------------------------------------ carried out
class Rules(Function):
    """The function of (spec, *arrays), returning arrays one after the other."""

    custom: Any

    @classmethod
    def _of_slices(cls) -> Any:
        """The function of a whole batch."""
        return over_slices(cls.custom).function

    @classmethod
    def returned(cls, spec: Spec, y: Any) -> Any:
        """Note the structure of the result; return its arrays, one by itself."""
        ys = cls.listed(spec, y)
        return ys[0] if len(ys) == 1 else tuple(ys)

    @classmethod
    def listed(cls, spec: Spec, y: Any) -> list[Any]:
        """Note the structure of the result; return its arrays."""
        arrays: list[Any] = []
        spec.results = flatten(y, is_result, arrays)
        check_results(spec.results, cls.__name__)
        return [as_tensor(t) for t in arrays]


class _Reverse(Rules):
    """Runs fwd and bwd."""

    @classmethod
    def forward(cls, ctx: Any, spec: Spec, *xs: Any) -> Any:
        """Run fwd, or the function where no derivative is requested."""
        if not any(ctx.needs_input_grad):
            return cls.returned(spec, cls.custom.fun(*spec.put(xs)))
        # On values alone, so that a call of the function itself in fwd does not run fwd again.
        y, residuals = cls.custom.forward(spec.put([handle(None, x._value) for x in xs]))
        kept: list[Any] = []
        ctx.spec, ctx.residuals, ctx.count = spec, flatten(residuals, is_tensor, kept), len(xs)
        ctx.save_for_backward(*xs, *kept)
        return cls.returned(spec, y)

    @classmethod
    def backward(cls, ctx: Any, *gs: Any) -> Any:
        """Run bwd; where it is differentiated itself, on residuals with their history."""
        saved = ctx.saved_tensors
        args = ctx.spec.put(saved[: ctx.count])
        if modes.is_grad_enabled():
            residuals = cls.custom.forward(args)[1]
        else:
            residuals = unflatten(ctx.residuals, iter(saved[ctx.count :]))
        return None, *cls.pulled(ctx.spec, args, residuals, gs)

    @classmethod
    def gradients(cls, spec: Spec, xs: Sequence[Any], seed: Callable[[Any, int], Any]) -> list[Any]:
        """Return the cotangents of tensors without values; ``seed`` makes those of the results."""
        args = spec.put(xs)
        y, residuals = cls.custom.forward(args)
        ys = cls.listed(spec, y)
        return cls.pulled(spec, args, residuals, [seed(t, k) for k, t in enumerate(ys)])

    @classmethod
    def pulled(cls, spec: Spec, args: Sequence[Any], residuals: Any, gs: Sequence[Any]) -> list[Any]:
        """Call the user's ``bwd`` with the residuals and the cotangents."""
        g = unflatten(spec.results, iter(gs))
        return spec.pulled(cls.__name__, cls.custom.bwd(*cls.custom.others(args), residuals, g))


class _Forward(Rules):
    """Runs the forward rule, and for reverse mode transposes it."""

    @classmethod
    def forward(cls, ctx: Any, spec: Spec, *xs: Any) -> Any:
        """Run the function."""
        ctx.spec = spec
        ctx.save_for_backward(*xs)
        return cls.returned(spec, cls.custom.fun(*spec.put(xs)))

    @classmethod
    def jvp(cls, ctx: Any, _: Any, *ts: Any) -> Any:
        """Run the rule."""
        tangents = cls.custom.push(ctx.spec.put(ctx.saved_tensors), ts, ctx.spec.results)
        return tangents[0] if len(tangents) == 1 else tuple(tangents)

    @classmethod
    def backward(cls, ctx: Any, *gs: Any) -> Any:
        """Transpose the rule: t ↦ Jt is linear, and its own vjp is g ↦ Jᵀg."""
        return None, *cls.transposed(ctx.spec, ctx.saved_tensors, gs, modes.is_grad_enabled())

    @classmethod
    def gradients(cls, spec: Spec, xs: Sequence[Any], seed: Callable[[Any, int], Any]) -> list[Any]:
        """Return the cotangents of tensors without values; ``seed`` makes those of the results."""
        ys = cls.listed(spec, cls.custom.fun(*spec.put(xs)))
        return cls.transposed(spec, xs, [seed(t, k) for k, t in enumerate(ys)], True, symbolic=True)

    @classmethod
    def transposed(
        cls, spec: Spec, xs: Sequence[Any], gs: Sequence[Any], recorded: bool, symbolic: bool = False
    ) -> list[Any]:
        """Return the cotangents of xs, None for integers."""
        leaves = [_blank(x) for x in xs]
        with modes.enable_grad():
            blanks = [handle(leaf, None if symbolic else leaf.value) for leaf in leaves]
            tangents = cls.custom.push(spec.put(xs), blanks, spec.results)
        live = [(t._node, g) for t, g in zip(tangents, gs, strict=True) if t._node is not None]
        roots = [n for n, _ in live]
        seeds = [g if recorded else canonical(g._value) for _, g in live]
        ds = sweep(roots, seeds, wrt=leaves, handle=handle if recorded else None, symbolic=symbolic)
        pulled = [ds.get(leaf) for leaf in leaves]
        return [d if d is None or recorded else handle(None, canonical(d)) for d in pulled]


def _blank(x: Any) -> Leaf:
    """Return the place of x's tangent."""
    value = canonical(np.zeros(x.shape, x.dtype if is_differentiable(x.dtype) else np.float64))
    return Leaf(value, x.shape, GRAD)


custom_vjp.kind, custom_jvp.kind = _Reverse, _Forward


check_all(globals(), __all__)
