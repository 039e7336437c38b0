"""Univariate distributions: a declaration in SymPy's terms, and the methods that are derived from it.

A method is an elementwise operation, created from the declaration on its first call. Only parameters that are passed
become inputs, so formulas contain no ``loc`` of 0 and no ``scale`` of 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import float_kernel
from symgrad.core.node import tensor_value
from symgrad.core.promotion import is_floating
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentTypeError, NotYet
from symgrad.functions import broadcast_to, stack, where
from symgrad.ops.map import Map, broadcast_shapes
from symgrad.ops.protocol import shape as shape_of
from symgrad.scalars import X, differentiate
from symgrad.scalars.densities import WIDEST, checked, filled, finite_end, log_part, standard
from symgrad.stats.frozen import Frozen
from symgrad.stats.sampling import between, drawn_by, least, least_float, sizes, together
from symgrad.support.namespace import missing_from

Expression = Callable[..., Any]
DEFAULTS = {"loc": 0, "scale": 1}
_ENDS: dict[str, tuple[Any, Any]] = {  # what stands below the support and above it
    "cdf": (sp.S.Zero, sp.S.One),
    "sf": (sp.S.One, sp.S.Zero),
    "logcdf": (-sp.oo, sp.S.Zero),
    "logsf": (sp.S.Zero, -sp.oo),
}
_OTHER = {"cdf": "sf", "sf": "cdf"}
_INSTEAD = {  # SciPy's methods that distributions lack, and what to use
    "fit": "sg.stats.fit(lambda p: sg.stats.norm(p[0], p[1]), x0, y=data)", "stats": "mean(…) and var(…)",
    "interval": "ppf((1 - c)/2, …) and ppf((1 + c)/2, …)", "expect": "sg.quad(lambda x: g(x) * pdf(x), a, b)",
    "moment": "mean(…) and var(…), or sg.quad(lambda x: x**k * pdf(x), a, b)",
    **dict.fromkeys(("pdf", "logpdf"), "pmf(k) or logpmf(k): the distribution is of integers"),
    **dict.fromkeys(("pmf", "logpmf"), "pdf(x) or logpdf(x): the distribution has a density"),
}  # fmt: skip
_STEPS = 2  # of Newton's method, from the float that is nearest to a quantile


def positive(*parameters: sp.Expr) -> Any:
    """Return the condition that all hold."""
    return sp.And(*[p > 0 for p in parameters])


def over(x: Any, scale: Any) -> Any:
    """x/scale as one number, which is squared as such."""
    return x if scale == 1 else standard(x, scale)


class Distribution:
    """A family of univariate distributions.

    Args:
        name: SciPy's name.
        words: the first line of its documentation.
        shapes: the names of its parameters other than loc and scale, in SciPy's order.
        density: ``(x, scale, *shapes)`` -> the logarithm of the density at ``loc`` 0, or of the probability for a
            discrete distribution.
        support: ``(*shapes)`` -> the lowest and the highest number at ``loc`` 0 and ``scale`` 1; None if the formulas
            hold for every number and for ±∞.
        inner: ``(*shapes)`` -> a number in the support, if its ends do not imply one.
        open: ``(*shapes)`` -> whether the lowest and the highest number are excluded.
        valid: ``(*shapes)`` -> the condition on the parameters; if it fails, everything is nan.
        whole: the parameters that are integers, with respect to which there is no derivative.
        instead: the same family with another last parameter, such as ``logits`` instead of ``p``.
        rounding: for counts, the difference from SciPy's distribution function to allow for in quantiles, relative to
            the smaller tail.
        others: ``cdf``, ``sf``, ``logcdf``, ``logsf``, ``ppf`` and ``isf`` of ``(z, *shapes)``; ``mean``, ``var`` and
            ``entropy`` of ``(*shapes)``; and ``information``, the Fisher information as ``{(name, name): entry}``; all
            at ``loc`` 0 and ``scale`` 1.
    """

    own: tuple[str, ...] = ("loc", "scale")
    logs = "logpdf"

    def __init__(
        self,
        name: str,
        words: str,
        shapes: str = "",
        *,
        density: Expression,
        support: Expression | None = None,
        inner: Expression | None = None,
        open: Expression | None = None,
        valid: Expression = positive,
        whole: str = "",
        instead: Distribution | None = None,
        rounding: float = 0.0,
        **others: Expression,
    ) -> None:
        self.name, self.shapes, self.whole = name, tuple(shapes.split()), tuple(whole.split())
        self.parameters = (*self.shapes, *self.own)
        self.density, self.bounds, self.inner, self.open, self.valid = density, support, inner, open, valid
        self.declared, self.instead, self.rounding = others, instead, rounding
        self.__module__ = "symgrad.stats"  # where pickle finds it
        swaps: list[str] = []
        other = instead
        while other is not None:
            swaps, other = [*swaps, other.shapes[-1]], other.instead
        swap = f" Instead of {self.shapes[-1]}, you can pass {' or '.join(swaps)} by keyword." if swaps else ""
        self.__doc__ = f"{words}\n\nParameters: {', '.join(self.parameters)}.{swap}"

    def __repr__(self) -> str:
        return f"symgrad.stats.{self.name}"

    def __reduce__(self) -> str:
        return self.name

    def __call__(self, *args: Any, **kwargs: Any) -> Frozen:
        """Return the distribution with these parameters."""
        return Frozen(self, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name not in _INSTEAD:
            raise missing_from(self, name)
        raise AttributeError(f"{self!r} has no method {name!r}. Use {_INSTEAD[name]}.", name=name, obj=self)

    # -------------------------------------------------------------- methods
    def cdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return P(X ≤ x)."""
        return self._at(x, "cdf", args, kwargs)

    def sf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return P(X > x), accurate where it is small."""
        return self._at(x, "sf", args, kwargs)

    def logcdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log P(X ≤ x)."""
        return self._at(x, "logcdf", args, kwargs)

    def logsf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log P(X > x)."""
        return self._at(x, "logsf", args, kwargs)

    def mean(self, *args: Any, **kwargs: Any) -> Any:
        """Return the expected value E X."""
        return self._of_parameters("mean", args, kwargs)

    def var(self, *args: Any, **kwargs: Any) -> Any:
        """Return the variance E (X - E X)²."""
        return self._of_parameters("var", args, kwargs)

    def std(self, *args: Any, **kwargs: Any) -> Any:
        """Return the square root of the variance."""
        return self._of_parameters("std", args, kwargs)

    def entropy(self, *args: Any, **kwargs: Any) -> Any:
        """Return -E log p(X), in nats."""
        return self._of_parameters("entropy", args, kwargs)

    def score(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the derivatives of log p(x) with respect to the parameters, in SciPy's order, along a last axis.

        Parameters that are not passed, that are integers, or that are a ``loc`` of 0 or a ``scale`` of 1 passed as
        numbers, are omitted.
        """
        values = self.named_parameters(args, kwargs)
        entries = [self._apply(("score", p), x, values) for p in self._free(values)]
        return stack(entries, -1)

    def hessian(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the second derivatives of log p(x) with respect to these parameters, along the last two axes."""
        values = self.named_parameters(args, kwargs)
        free = self._free(values)
        return stack([stack([self._apply(("hessian", p, q), x, values) for q in free], -1) for p in free], -2)

    def fisher_information(self, *args: Any, **kwargs: Any) -> Any:
        """Return the Fisher information of one observation, E (score scoreᵀ) = -E hessian, along the last two axes.

        Raises:
            NotYet: if it is not known in closed form for a parameter, or the support depends on one.
        """
        values = self.named_parameters(args, kwargs)
        free = self._free(values)
        entries = [[self.information_entry(p, q, values) for q in free] for p in free]
        return stack([stack(row, -1) for row in entries], -2)

    def information_entry(self, p: str, q: str, values: Mapping[str, Any]) -> Any:
        """Return an entry of the Fisher information, given the names of two parameters."""
        return self._apply(("information", p, q), None, values)

    # -------------------------------------------------------------- calls
    def _family(self, names: Mapping[str, Any]) -> Distribution:
        """The family whose parameters have these names: this one, or one that has another parameter instead."""
        other = self.instead
        while other is not None and other.shapes[-1] not in names:
            other = other.instead
        return self if other is None else other

    def _at(self, x: Any, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return self._apply((what,), as_tensor(x) if x is None else x, self.named_parameters(args, kwargs))

    def _of_parameters(self, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return self._apply((what,), None, self.named_parameters(args, kwargs))

    def named_parameters(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters that are passed, by name, in their order."""
        if (family := self._family(kwargs)) is not self:
            if len(args) >= len(self.shapes) or self.shapes[-1] in kwargs:
                one, other = self.shapes[-1], family.shapes[-1]
                raise ArgumentTypeError(f"{self.name}: got both {one} and {other}. Pass one of them, {other} by name.")
            return family.named_parameters(args, kwargs)
        values = dict(zip(self.parameters, args, strict=False))
        twice = [p for p in kwargs if p in values or p not in self.parameters]
        if len(args) > len(self.parameters) or twice or any(p not in (values | dict(kwargs)) for p in self.shapes):
            shown = ", ".join([*self.shapes, *(f"{p}={DEFAULTS[p]}" for p in self.own)])
            raise ArgumentTypeError(
                f"{self.name}: its parameters are ({shown}). Got {len(args)} by position"
                + (f", and {', '.join(kwargs)} by name." if kwargs else ".")
            )
        values |= kwargs
        given = {p: values[p] for p in self.parameters if p in values}
        return {p: v for p, v in given.items() if p not in DEFAULTS or not _is_default(v, DEFAULTS[p])}

    def _support_of(self) -> tuple[Any, ...]:
        """The ends of the support, of the parameters by their names."""
        assert self.bounds is not None  # narrows the type: who asks has one
        return tuple(sp.sympify(e) for e in self.bounds(*[sp.Symbol(p) for p in self.shapes]))

    def support(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Return the lowest and the highest number of the support; ∓∞ if it is unbounded.

        Raises:
            NotYet: if the value of a parameter is unknown that determines whether an end is finite.
        """
        values = self.named_parameters(args, kwargs)
        low, high = (sp.sympify(e) for e in self._lowest_and_highest())
        return self._end(low, values), self._end(high, values)

    def _lowest_and_highest(self) -> tuple[Any, ...]:
        return (-sp.oo, sp.oo) if self.bounds is None else self._support_of()

    def _end(self, end: Any, values: Mapping[str, Any]) -> Any:
        """loc + scale·end, a number where that is one; ±∞ for what stands for it in formulas."""
        if end.is_infinite:
            return float(end)
        names = [p for p in self.shapes if sp.Symbol(p) in end.free_symbols]
        payload = end.xreplace(dict(zip(map(sp.Symbol, names), X, strict=False)))
        inputs = [values[p] for p in names]
        known = [tensor_value(v) if isinstance(v, TensorBase) else v for v in inputs]
        position: Any = None
        if all(v is not None and not np.ndim(v) for v in known):
            position = float_kernel(payload, X[: len(names)])(*map(float, known))
        elif end.has(sp.Piecewise, finite_end):
            raise NotYet(f"{self.name}: whether the support has an end depends on {', '.join(names)}.")
        if position is not None and abs(position) >= WIDEST:
            return math.copysign(math.inf, position)
        if any(isinstance(v, TensorBase) or np.ndim(v) for v in inputs):
            position = ElementwiseMethod(payload, "Support")(inputs)
        return values.get("loc", 0.0) + values.get("scale", 1.0) * position

    def _free(self, values: Mapping[str, Any]) -> list[str]:
        free = [p for p in values if p not in self.whole]
        if not free:
            raise ArgumentTypeError(
                f"{self.name}: there is no parameter to differentiate with respect to. Pass one, such as scale."
            )
        return free

    def _apply(self, what: tuple[str, ...], x: Any, values: Mapping[str, Any]) -> Any:
        operation, constant = _operations(self._family(values), what, tuple(values))
        inputs = _of_one_dtype(([] if x is None else [x]) + [*values.values()])
        if constant is None:
            return operation(inputs)
        return operation([*inputs, constant(inputs)])


class ElementwiseMethod:
    """An elementwise operation of those of its inputs that its payload mentions, at the shape of all of them."""

    def __init__(self, payload: Any, title: str) -> None:
        mentioned = payload.free_symbols
        self.used = [k for k, x in enumerate(X) if x in mentioned]
        self.payload = payload.xreplace({X[k]: X[n] for n, k in enumerate(self.used)})
        self.op = Map.of(self.payload, len(self.used), title) if self.used else None

    def __call__(self, inputs: Sequence[Any]) -> Any:
        """Apply to all inputs."""
        mentioned = [inputs[k] for k in self.used]
        value = as_tensor(float(self.payload)) if self.op is None else self.op(*_some(mentioned))
        wanted = broadcast_shapes(*map(shape_of, inputs))
        return value if value.shape == wanted else broadcast_to(value, wanted)


class Continuous(Distribution):
    """A family of distributions with a density, which has the methods of SciPy's distributions."""

    def pdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the density p(x); 0 outside the support."""
        return self._at(x, "pdf", args, kwargs)

    def logpdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log p(x); -∞ outside the support, where its derivatives are 0."""
        return self._at(x, "logpdf", args, kwargs)

    def ppf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the number x with P(X ≤ x) = q."""
        return self._at(q, "ppf", args, kwargs) if self._has_quantile() else self._inverse(q, "cdf", args, kwargs)

    def isf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the number x with P(X > x) = q."""
        return self._at(q, "isf", args, kwargs) if self._has_quantile() else self._inverse(q, "sf", args, kwargs)

    def median(self, *args: Any, **kwargs: Any) -> Any:
        """Return the number x with P(X ≤ x) = 1/2."""
        if self._has_quantile():
            return self._of_parameters("median", args, kwargs)
        return self.ppf(0.5, *args, **kwargs)

    def _has_quantile(self) -> bool:
        return "ppf" in self.declared or "cdf" not in self.declared

    def _inverse(self, q: Any, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The x with P(X ≤ x) = q, or P(X > x) = q for ``what`` = "sf": the float is searched for by halving.

        Two steps of Newton's method on it have the derivatives of the quantile up to the second order.
        """
        values = self.named_parameters(args, kwargs)
        p, *parameters = together(q, *values.values())
        at = dict(zip(values, parameters, strict=True))
        low, high = (at.get("loc", 0.0) + at.get("scale", 1.0) * e for e in self._support_at(at, p.shape))
        sign, function = (1.0, self.cdf) if what == "cdf" else (-1.0, self.sf)
        is_inside = (p > 0) & (p < 1) & ~np.isnan(self.cdf(np.zeros(p.shape), **at).numpy())
        x = as_tensor(least_float(lambda x: sign * function(x, **at).numpy() >= sign * p, p.shape))
        for _ in range(_STEPS):
            slope = self.pdf(x, **values)
            step = sign * (function(x, **values) - q) / where(is_inside & (slope.detach() > 0), slope, 1.0)
            x = where(is_inside, x - step, 0.0)
        first, last = (low, high) if what == "cdf" else (high, low)
        is_valid = is_inside | ((p == 0) | (p == 1)) & ~np.isnan(self.cdf(np.zeros(p.shape), **at).numpy())
        ends = np.where(is_valid, np.where(p == 0, first, last), np.nan)
        return where(is_inside, x, ends)

    def _support_at(self, values: Mapping[str, Any], shape: tuple[int, ...]) -> Sequence[Any]:
        """The ends of the support at loc 0 and scale 1; ±∞ without one, and for what stands for ±∞ in formulas."""
        if self.bounds is None:
            return np.full(shape, -np.inf), np.full(shape, np.inf)
        ends = []
        for end in map(sp.sympify, self.bounds(*X[: len(self.shapes)])):
            kernel = np.vectorize(float_kernel(end, X[: len(self.shapes)]), otypes=[float])
            value = kernel(*[values[p] for p in self.shapes]) if end.free_symbols else float(end)
            ends.append(np.broadcast_to(np.where(np.abs(value) < WIDEST, value, np.copysign(np.inf, value)), shape))
        return ends

    def rvs(self, *args: Any, size: Any = None, random_state: Any = None, **kwargs: Any) -> Any:
        """Draw random numbers F⁻¹(u), with derivatives with respect to the parameters.

        ``random_state`` is a seed or a generator; by default, it is the generator that ``manual_seed`` seeds.
        """
        shape = sizes(size, [*self.named_parameters(args, kwargs).values()])
        return self.ppf(drawn_by(random_state, between, shape), *args, **kwargs)


class Discrete(Distribution):
    """A family of distributions of integers, which has the methods of SciPy's distributions."""

    own = ("loc",)
    logs = "logpmf"

    def pmf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """Return P(X = k); 0 if k is not an integer or lies outside the support."""
        return self._at(k, "pmf", args, kwargs)

    def logpmf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log P(X = k); -∞ if the probability is 0, where the derivatives are 0."""
        return self._at(k, "logpmf", args, kwargs)

    def ppf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the smallest k with P(X ≤ k) ≥ q, up to rounding; it has no derivative."""
        return self._quantile(q, "cdf", args, kwargs)

    def isf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the smallest k with P(X > k) ≤ q, up to rounding; it has no derivative."""
        return self._quantile(q, "sf", args, kwargs)

    def median(self, *args: Any, **kwargs: Any) -> Any:
        """Return the smallest k with P(X ≤ k) ≥ 1/2."""
        return self.ppf(0.5, *args, **kwargs)

    def rvs(self, *args: Any, size: Any = None, random_state: Any = None, **kwargs: Any) -> Any:
        """Draw random integers, which have no derivative.

        ``random_state`` is a seed or a generator; by default, it is the generator that ``manual_seed`` seeds.
        """
        shape = sizes(size, [*self.named_parameters(args, kwargs).values()])
        return drawn_by(random_state, self._drawn, shape, args, kwargs)

    def _drawn(self, rng: Any, shape: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return self.ppf(between(rng, shape), *args, **kwargs).numpy()

    def _quantile(self, q: Any, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the least k of the support at which the probability ``what`` has reached q.

        A probability that differs from q by its own rounding has reached it, so that ``ppf(cdf(k))`` is k. It is looked
        for among the integers, whatever ``loc`` is, which is added.
        """
        values = self.named_parameters(args, kwargs)
        q, *parameters = together(q, *values.values())
        given = dict(zip(values, parameters, strict=True))
        loc = given.pop("loc", np.float64(0))
        ends = [np.broadcast_to(given[e.name] if e.is_Symbol else float(e), q.shape) for e in self._support_of()]
        low, high = (np.asarray(e, np.float64) for e in ends)
        known = (q >= 0) & (q <= 1) & np.isfinite(loc) & ~np.isnan(self.cdf(low, **given).numpy())
        slack = self.rounding * np.minimum(q, 1 - q)

        def reached(k: Any) -> Any:
            if what == "sf":
                return ~known | (self.sf(k, **given).numpy() <= q + slack)
            below = self.cdf(k, **given).numpy()
            if self.rounding:
                below = np.maximum(below, 1 - self.sf(k, **given).numpy())
            return ~known | (below >= q - slack)

        quantile = least(reached, low, high)
        first, last = (0, 1) if what == "cdf" else (1, 0)
        quantile = np.where(q == first, low - 1, np.where(q == last, high, quantile))
        return as_tensor(np.where(known, quantile + loc, np.nan))


def _is_default(value: Any, default: int) -> bool:
    return isinstance(value, (int, float)) and value == default


def _of_one_dtype(values: Sequence[Any]) -> list[Any]:
    """All as tensors, a Python number in the floating dtype of the others; without others it stays one."""
    arrays = {k: as_tensor(v) for k, v in enumerate(values) if not isinstance(v, (int, float))}
    floats = [a.dtype for a in arrays.values() if is_floating(a.dtype)]
    if not floats or (dtype := np.result_type(*floats)) == np.float64:
        return [arrays.get(k, v) for k, v in enumerate(values)]
    return [arrays[k] if k in arrays else as_tensor(np.asarray(v, dtype)) for k, v in enumerate(values)]


def _some(values: Sequence[Any]) -> Sequence[Any]:
    """At least one of them as a tensor."""
    return values if any(isinstance(v, TensorBase) for v in values) else [*map(as_tensor, values[:1]), *values[1:]]


# ------------------------------------------------------------------ operations
@lru_cache(maxsize=2048)
def _operations(
    dist: Distribution, what: tuple[str, ...], given: tuple[str, ...]
) -> tuple[ElementwiseMethod, ElementwiseMethod | None]:
    """The operation of a method; and for a log-density, that of its terms without x."""
    return _Parameterised(dist, given).operations(*what)


class _Parameterised:
    """A declaration with these parameters passed: x is the first input of an operation, they are the next."""

    def __init__(self, dist: Distribution, given: tuple[str, ...]) -> None:
        self.dist, self.given = dist, given
        self.slots = dict(zip(given, X[1:], strict=False))
        self.shapes = [self.slots[p] for p in dist.shapes]
        self.loc, self.scale = self.slots.get("loc", sp.S.Zero), self.slots.get("scale", sp.S.One)

    def operations(self, what: str, *names: str) -> tuple[ElementwiseMethod, ElementwiseMethod | None]:
        """The operations, by the name of a method."""
        title = f"{self.dist.name.title().replace('_', '')}{what.title()}"
        if what in ("mean", "var", "std", "entropy", "median", "information"):
            back = {x: X[k] for k, x in enumerate(X[1 : len(self.given) + 1])}
            moment = sp.sympify(self._moment(what, names))
            payload = self._checked(moment)
            if what in ("mean", "median") and self.scale != 1 and self._is_centred(moment):
                payload = checked(payload, sp.Piecewise((1, 1 / self.scale > 0), (-1, True)))  # nan of an infinite one
            if self.loc != 0 and self.loc not in payload.free_symbols:
                payload = checked(payload, sp.Abs(self.loc))  # which may be nan
            return ElementwiseMethod(payload.xreplace(back), title), None
        if what != self.dist.logs:
            return ElementwiseMethod(self._of_x(what, names), title), None
        # terms without x are computed at the size of the parameters, and counted as a textbook does: n ψ(α)
        constant, rest = self._density(self._margin()).as_independent(X[0], as_Add=True)
        if not constant.free_symbols:
            return ElementwiseMethod(self._checked(self._masked(rest + constant)), title), None
        total = self._checked(self._masked(rest + X[len(self.given) + 1]))
        return ElementwiseMethod(total, title), ElementwiseMethod(constant, "Normaliser")

    def _is_centred(self, moment: Any) -> bool:
        """Whether a mean or median is that of loc, whatever the scale is."""
        if self.scale not in moment.free_symbols:
            return True
        return not self.shapes and bool(float_kernel(moment.subs({self.loc: 0, self.scale: 1}), ())() == 0)

    def _of_x(self, what: str, names: tuple[str, ...]) -> Any:
        if what in ("score", "hessian"):
            return self._derivative(names)
        if what in ("pdf", "pmf"):
            return sp.exp(self._checked(self._masked(self._density(self._margin()))))
        if what in ("ppf", "isf"):
            value = self.loc + self.scale * self._entry(what, X[0], *self.shapes)
            return self._checked(checked(value, sp.Min(X[0], 1 - X[0])))
        return self._checked(self._distribution(what))

    def _derivative(self, names: tuple[str, ...]) -> Any:
        """∂ log p/∂names, 0 outside the support."""
        margin, u = self._margin(), X[len(self.given) + 1]  # u = x - loc, which a margin is put around afterwards
        derivative = self.dist.density(u, self.scale, *self.shapes)
        for name in names:
            slope = differentiate(derivative, u if name == "loc" else self.slots[name])
            derivative = -slope if name == "loc" else slope
        derivative = derivative.xreplace({u: self._inside(margin)})
        return self._checked(derivative if margin is None else filled(derivative, margin, 0))

    # -------------------------------------------------------------- the support
    @property
    def z(self) -> Any:
        """(x - loc)/scale, a number at which the standard distribution is asked."""
        return over(X[0] - self.loc, self.scale)

    def _ends(self) -> tuple[Any, Any]:
        return tuple(map(sp.sympify, self.dist.bounds(*self.shapes)))  # type: ignore[misc]

    def _margin(self) -> Any:
        """A number that is at least 0, and finite, where the density is not 0; None where that is everywhere."""
        if self.dist.bounds is None:
            return None
        margin = self._between(self.z, *self._opened())
        if isinstance(self.dist, Discrete):
            return sp.Piecewise((-1, self.z > sp.floor(self.z)), (margin, True))
        return margin

    def _opened(self) -> tuple[Any, Any]:
        return self.dist.open(*self.shapes) if self.dist.open else (False, False)

    def _between(self, z: Any, low_open: Any = False, high_open: Any = False) -> Any:
        """A number that is at least 0, and finite, between the ends."""
        low, high = self._ends()
        above = X[0] - self.loc - self.scale * low  # no quotient, which might overflow or underflow
        sides = [_without(above, low_open)] * (low != -sp.oo) + [_without(high - z, high_open)] * (high != sp.oo)
        return sp.Min(*sides) if sides else sp.Abs(z)

    def _filled(self, y: Any, margin: Any) -> Any:
        """A number of the support in place of those that are outside, where no formula is to be asked."""
        low, high = self._ends()
        if self.dist.inner is not None:
            return filled(y, margin, self.dist.inner(*self.shapes) * self.scale)
        inner = sp.S.Zero if low == -sp.oo else low + 1 if high == sp.oo else (low + high) / 2
        return filled(y, margin, inner * self.scale)

    def _density(self, margin: Any) -> Any:
        return self.dist.density(self._inside(margin), self.scale, *self.shapes)

    def _inside(self, margin: Any) -> Any:
        """The number x - loc, or where that is outside of the support another."""
        y = X[0] - self.loc
        return y if margin is None else self._filled(y, margin)

    def _masked(self, e: Any) -> Any:
        margin = self._margin()
        return e if margin is None else filled(e, margin, -sp.oo)

    def _checked(self, e: Any) -> Any:
        """E where the parameters are valid, else nan."""
        given = [*self.shapes, *[self.scale] * (self.scale != 1)]
        conditions = [self.dist.valid(*self.shapes)] * bool(self.shapes) + [self.scale > 0] * (self.scale != 1)
        # the last parameter's size is at least 0, and has its dtype
        return checked(e, sp.Piecewise((sp.Abs(given[-1]), sp.And(*conditions)), (-1, True))) if given else e

    # -------------------------------------------------------------- distribution functions and moments
    def _distribution(self, what: str) -> Any:
        discrete = isinstance(self.dist, Discrete)
        z = sp.floor(self.z) if discrete else self.z
        if self.dist.bounds is None:
            return self._formula(what, z)
        low, high = self._ends()
        opened = (False, True) if discrete else self._opened()
        below = sp.Min(_without(z - low, opened[0]), 1) if low != -sp.oo else sp.Max(-z, 0)
        above = sp.Min(_without(high - z, opened[1]), 1) if high != sp.oo else sp.Max(z, 0)
        y = X[0] - self.loc
        inside = self._filled(sp.floor(y) if discrete else y, self._between(z, *opened))
        at_low, at_high = _ENDS[what]
        value = self._formula(what, over(inside, self.scale))
        return filled(filled(value, below, at_low), above, at_high)

    def _formula(self, what: str, z: Any) -> Any:
        """As declared, or made of its relatives."""
        declared = self.dist.declared
        if what in declared:
            return declared[what](z, *self.shapes)
        if what.startswith("log"):
            part = what[3:]
            return log_part(self._formula(part, z), self._formula(_OTHER[part], z))
        return self._entry(what, z)

    def _entry(self, what: str, *args: Any) -> Any:
        if what not in self.dist.declared:
            raise NotYet(f"{self.dist.name}: {what} is not available so far; scipy.stats has its values.")
        return self.dist.declared[what](*args)

    def _moment(self, what: str, names: tuple[str, ...]) -> Any:
        if what == "information":
            return self._information(*names)
        if what == "std":
            return sp.sqrt(self._moment("var", ()))
        if what == "median":
            return self.loc + self.scale * self._entry("ppf", sp.Rational(1, 2), *self.shapes)
        moment = sp.sympify(self._entry(what, *self.shapes))
        if what == "mean":
            return self.loc + self.scale * moment
        return self.scale**2 * moment if what == "var" else moment + sp.log(self.scale)

    def _information(self, p: str, q: str) -> Any:
        declared = self.dist.declared.get("information")
        entries = declared(*self.shapes) if declared else {}
        known = {name for pair in entries for name in pair}
        for name in (p, q):
            if name not in known:
                instead = f"Leave {name} out, or take" if name in DEFAULTS else "Take"
                raise NotYet(
                    f"{self.dist.name}: the Fisher information in {name} has no closed form that is known here. "
                    f"{instead} the observed one, -hessian(x, …) of the data, as sg.stats.fit does."
                )
        information = entries.get((p, q), entries.get((q, p), sp.S.Zero))
        return information / self.scale ** ((p in DEFAULTS) + (q in DEFAULTS))


def _without(margin: Any, end: Any) -> Any:
    """The margin, -1 at 0 where the end is outside."""
    if end is False:
        return margin
    return sp.Piecewise((-1, (margin <= 0) & end), (margin, True))
