"""The integral as an operation, and Leibniz's rule.

∂/∂θ ∫ₐᵇ f(x, θ) dx = f(b, θ) b' − f(a, θ) a' + ∫ₐᵇ ∂f/∂θ dx: the derivative is an integral of the same kind, of a
derivative of the integrand, so every mode and every order follows.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad import functions as F
from symgrad.core.kernels import canonical
from symgrad.core.node import Shape
from symgrad.core.promotion import Kind
from symgrad.core.streams import Stream, add, times
from symgrad.engine.program import Program, Value
from symgrad.engine.record import as_tensor
from symgrad.errors import FormError, NotConverged, SymgradError
from symgrad.implicit import programs
from symgrad.implicit.discontinuities import Breaks, breaks_of
from symgrad.implicit.peaks import Look, look
from symgrad.ops.indexing.select import getitem
from symgrad.ops.map import ADD, MUL, NEG, Map
from symgrad.ops.protocol import Op
from symgrad.ops.shape import Expand, Reshape
from symgrad.support.extras import required
from symgrad.support.frozen import frozen
from symgrad.transforms.loops.linear import fitted
from symgrad.transforms.loops.series import Place, coefficients, patterns

_ACCEPTED = 1.5e-8  # the error, relative to 1 and to the value, with which rounding may end the search for more digits

# SciPy's words where it stopped for the digits alone. After others the estimate of the error means nothing: of
# ∫₀¹ x^(−3/2) dx, which diverges, it finds −2 with an error of 10⁻¹³, "probably divergent".
_EACH = 16  # entries up to which arrays are integrated entry by entry where all together do not succeed
_STOPPED = ("The maximum number of subdivisions", "The occurrence of roundoff error", "Target precision")


@frozen
class Accuracy:
    """How SciPy integrates.

    Attributes:
        rtol, atol: the error that is requested, relative to the value and absolute.
        limit: the most intervals.
        split: whether the range is a piece between kinks or jumps of the integrand.
        watched: whether to look for peaks that no node sees, where the integral is 0 within ``atol``.
        proof: what is called with the body, the limits, θ and the value, and raises unless the value is certain.
    """

    rtol: float = 1e-10
    atol: float = 1e-12
    limit: int = 200
    split: bool = False
    watched: bool = False
    proof: Any = None

    @property
    def unwatched(self) -> Accuracy:
        """The same for a derivative, which may well be 0."""
        return Accuracy(self.rtol, self.atol, self.limit, self.split)


@frozen
class Integral(Op):
    """∫ₐᵇ f(x, θ) dx, entry by entry of f. The inputs are a, b and θ; the body is (x, *θ) ↦ f.

    A derivative knows where the integrand that it is one of may break: there it is not an integral alone.
    """

    body: Program
    accuracy: Accuracy
    letter: str
    breaks: Breaks | None = None
    name = "Integral"
    saves = "x"
    converts = False
    dense = "an integral depends on all that its integrand looks at"
    not_exportable = "adaptive quadrature in Python; pass order= for a rule with fixed nodes"
    looped = "the intervals are chosen for one integral at a time"
    theorem = True
    explained = "Leibniz's rule: ∂/∂θ ∫ₐᵇ f dx = f(b)·b′ − f(a)·a′ + ∫ₐᵇ ∂f/∂θ dx"

    # -------------------------------------------------------------- the value
    def forward(self, a: Any, b: Any, *thetas: Any) -> Any:
        """Integrate with SciPy, adaptively by Gauss and Kronrod's rules."""
        spec = self.body.results[0]
        a, b = float(a), float(b)
        if math.isnan(a) or math.isnan(b):
            raise NotConverged(f"quad: a limit is nan: [{a}, {b}]. Pass numbers.")
        thetas = tuple(map(canonical, thetas))
        integrate = _numbers if spec.shape == () else _arrays
        f = lambda x: programs.numbers(self.body, float(x), *thetas)
        low, high, sign = (a, b, 1) if a <= b else (b, a, -1)
        with warnings.catch_warnings(action="ignore"):
            if self.breaks is not None and a != b:
                self.breaks.check(a, b, thetas, self.accuracy.split)
            seen = look(self.body, low, high, thetas)
            inner = seen.inner
            if not inner and low == -math.inf and high == math.inf:  # each half by itself: x over 1 + x² has none
                inner = [0.0]
            parts = [integrate(f, p, q, self.accuracy) for p, q in itertools.pairwise([low, *inner, high])]
        total = sign * np.sum(parts, axis=0)
        if self.accuracy.proof is not None:
            self.accuracy.proof(self.body, a, b, thetas, total)
        if self.accuracy.watched:
            self._warn(seen, total)
        return canonical(np.asarray(total, spec.dtype))

    def _warn(self, seen: Look, total: Any) -> None:
        """Warn where the integral may have missed peaks."""
        atol = self.accuracy.atol
        advice = "put points=[c - w, c + w] around it; else ignore this, or integrate over less."
        if seen.inner and seen.waves:
            warnings.warn(
                f"quad: f has narrow peaks, and may have more than were seen. For each, {advice}", stacklevel=3
            )
        elif not seen.inner and seen.size <= atol and np.all(np.abs(total) <= atol):
            warnings.warn(
                f"quad: f is less than {atol:g} at all {seen.places} points at which it was evaluated, and so is its "
                f"integral. If f has a narrow peak, {advice}",
                stacklevel=3,
            )

    def on_symbols(self, a: Any, b: Any, *thetas: Any) -> Any:
        """SymPy's integral of a number."""
        x = sp.Symbol(self.letter, real=True)
        (value,) = self.body(x, *thetas)
        if self.body.results[0].shape != ():
            raise NotImplementedError
        return sp.Integral(value, (x, a, b))

    def out_shape(self, a: Shape, b: Shape, *thetas: Shape) -> Shape:
        return self.body.results[0].shape

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        return self.body.results[0].dtype

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Spelled(self.text(*map(write.TEXT.write, args)), self.latex(*map(write.LATEX.write, args)))

    def text(self, *args: str) -> str:
        x, value = self._integrand(args)
        return f"∫({sp.sstr(value)}, {x}, {args[0]}, {args[1]})"

    def latex(self, *args: str) -> str:
        x, value = self._integrand(args)
        names = {s: s.name for s in value.free_symbols}
        return f"\\int_{{{args[0]}}}^{{{args[1]}}} {sp.latex(value, symbol_names=names)}\\,d{x}"

    def _integrand(self, args: Sequence[str]) -> tuple[sp.Symbol, Any]:
        """Return the variable and f in letters, where the parameters are these texts; of arrays f as one word."""
        if self.breaks is not None and self.breaks.jump and not self.accuracy.split:
            raise FormError(
                f"quad: the integrand has a jump that may move, by {self.breaks.jump}, and Leibniz's rule a term for "
                "it. Split the range there, by points=[c], for a formula."
            )
        words = set(re.findall(r"\w+", " ".join(args)))
        x = sp.Symbol(next(n for n in (self.letter, *"txsuvz", f"{self.letter}_") if n not in words), real=True)
        try:
            if all(s.shape == () for s in (*self.body.arguments, *self.body.results)):
                return x, np.asarray(self.body(x, *map(_letter, args[2:]))[0]).item()
        except (NotImplementedError, SymgradError):  # no formula of numbers
            pass
        return x, self.body.walk([x, *map(_letter, args[2:])], _as_letters, sp.sympify)[0]

    def _of(self, body: Program, wanted: Sequence[int], bends: bool = False) -> Integral:
        """Return the integral of a derivative of the integrand by these of its inputs."""
        return Integral(body, self.accuracy.unwatched, self.letter, breaks_of(self.body, wanted, bends))

    # -------------------------------------------------------------- Leibniz's rule
    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # ā = −⟨ȳ, f(a)⟩,  b̄ = ⟨ȳ, f(b)⟩,  θ̄ = ∫ (∂f/∂θ)ᵀ ȳ dx
        a, b, *thetas = xs
        cotangents: dict[int, Any] = {}
        if 0 in which:
            cotangents[0] = NEG(_edge(self.body, True)(a, *thetas, g)[0])
        if 1 in which:
            cotangents[1] = _edge(self.body, True)(b, *thetas, g)[0]
        wanted = tuple(i - 1 for i in which if i > 1 and self.body.arguments[i - 1].is_float)
        if wanted:
            is_number = self.body.results[0].shape == ()
            together = self._of(_pulled(self.body, wanted, is_number), wanted)(
                a, b, *thetas, *([] if is_number else [g])
            )
            together = MUL(g, together) if is_number else together
            cotangents |= dict(zip([k + 1 for k in wanted], _apart(together, [self.body.arguments[k] for k in wanted])))
        return [cotangents.get(i) for i in which]

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # ẏ = f(b) ḃ − f(a) ȧ + ∫ ∂f/∂θ θ̇ dx
        a, b, *thetas = xs
        parts = []
        if ts[1] is not None:
            parts.append(_edge(self.body, False)(b, *thetas, ts[1])[0])
        if ts[0] is not None:
            parts.append(NEG(_edge(self.body, False)(a, *thetas, ts[0])[0]))
        wanted = tuple(i for i, t in enumerate(ts[1:]) if i > 0 and t is not None and self.body.arguments[i].is_float)
        if wanted:
            moved = self._of(programs.pushforward(self.body, wanted), wanted)
            parts.append(moved(a, b, *thetas, *[ts[i + 1] for i in wanted]))
        total = None
        for part in parts:
            total = part if total is None else ADD(total, part)
        return total

    def series(self, y: Any, xs: Sequence[Any], active: Sequence[int], order: int | None) -> Any:
        # ∫ fₖ dx between the limits at 0, and beside them ∫ f from each of these to where it has moved
        limits = [(i, sign) for i, sign in ((1, 1.0), (0, -1.0)) if i in active]
        wanted = [i - 1 for i in active if i > 1 and self.body.arguments[i - 1].is_float]

        def follow(k: int) -> Any:
            ends, thetas = [u[0] for u in xs[:2]], [u[0] for u in xs[2:]]
            known = tuple((i, j) for i, j in patterns(xs[1:], wanted, k))
            moved = [xs[i + 1][j] for i, j in known]
            parts = (
                [self._of(_coefficient(self.body, known, k), wanted, k > 1)(*ends, *thetas, *moved)] if known else []
            )
            for i, sign in limits:
                steps = tuple(j for j in range(1, k + 1) if xs[i][j] is not None)
                beside = _beside(self.body, known, steps, k)
                along = beside(ends[i], *thetas, *moved, *[xs[i][j] for j in steps])[0]
                parts.append(along if sign > 0 else NEG(along))
            return add(parts)

        return Stream(follow, [y])


def _bracketed(value: Any) -> str:
    text = sp.sstr(value)
    return f"({text})" if isinstance(value, (sp.Add, sp.Mul)) else text


def _letter(text: str) -> Any:
    """Return a number, or a symbol that is printed as this text."""
    try:
        return sp.Integer(text) if text.lstrip("-").isdigit() else sp.Float(text)
    except ValueError:
        return sp.Symbol(text if text.isidentifier() else f"({text})", real=True)


def _as_letters(v: Value, args: Sequence[Any]) -> Any:
    """Return an elementwise operation on expressions; of any other, a letter that is its text."""
    if isinstance(v.op, Map):
        return v.op(*args)
    called = f"{v.op.spelled or v.op.label.lower()}({', '.join(map(sp.sstr, args))})"
    return sp.Symbol(called, real=True)


def _edge(body: Program, summed: bool) -> Program:
    """Return (x, *θ, t) ↦ t·f(x, θ), summed or not: what a limit contributes. It is 0 where the limit is infinite."""

    def rule(x: Any, *rest: Any) -> list[Any]:
        inside = F.isfinite(x)
        y = body(F.where(inside, x, 0.0), *rest[:-1])[0]
        product = F.where(inside, F.mul(y, rest[-1]), 0.0)
        return [F.sum(product) if summed else product]

    last = body.results[0] if summed else body.arguments[0]
    return programs.once(body, ("edge", summed), [*body.arguments, last], rule)


def _coefficient(body: Program, known: tuple[Place, ...], k: int) -> Program:
    """Return (x, *θ, *coefficients) ↦ fₖ, the coefficient of f(x, θ(t)), where those of θ in ``known`` are not zero."""
    inputs = [(i, 0) for i in range(len(body.arguments))]

    def rule(*given: Any) -> list[Any]:
        env = dict(zip([*inputs, *known], given, strict=True))
        return [fitted(coefficients(body, env, k)[0][k], body.results[0])]

    return programs.once(body, ("coefficient", known, k), [body.arguments[i] for i, _ in [*inputs, *known]], rule)


def _beside(body: Program, known: tuple[Place, ...], steps: tuple[int, ...], k: int) -> Program:
    """Return (a, *θ, *coefficients, *steps) ↦ the k-th coefficient of ∫ f(x, θ(t)) dx from a to a + β(t).

    It is ∫ f(a + sβ, θ) β ds over 0 ≤ s ≤ 1, of a polynomial in s of degree k − 1: Gauss' rule is exact. Where a is
    infinite it is 0.
    """
    count = (k + 1) // 2
    nodes, weights = np.polynomial.legendre.leggauss(count)
    over = programs.mapped(body, count, (True, *(False,) * (len(body.arguments) - 1)))
    inputs = [(i, 0) for i in range(len(body.arguments))]

    def rule(*given: Any) -> list[Any]:
        env = dict(zip([*inputs, *known, *[(-1, j) for j in steps]], given, strict=True))
        inside = F.isfinite(env[0, 0])
        at = F.where(inside, env[0, 0], 0.0)
        env |= {(0, j): (nodes + 1) / 2 * env[-1, j] for j in steps} | {(0, 0): Expand((count,))(at)}
        values = coefficients(over, env, k - 1)[0]
        integrand = add([times(env[-1, j], values[k - j]) for j in steps])
        if integrand is None:
            return [programs.zeros(body.results[0])]
        total = F.tensordot(as_tensor(weights / 2), integrand, 1)
        return [fitted(F.where(inside, total, 0.0), body.results[0])]

    specs = [body.arguments[i] for i, _ in [*inputs, *known]] + [body.arguments[0]] * len(steps)
    return programs.once(body, ("beside", known, steps, k), specs, rule)


def _pulled(body: Program, wanted: tuple[int, ...], is_number: bool) -> Program:
    """Return (x, *θ, ȳ) ↦ (∂f/∂θ)ᵀ ȳ for these inputs, as one vector; without ȳ, which is 1, where f is a number."""
    pull = programs.pullback(body, wanted)

    def rule(*given: Any) -> list[Any]:
        parts = pull(*given, as_tensor(1.0)) if is_number else pull(*given)
        return [parts[0] if len(parts) == 1 else F.cat([F.ravel(p) for p in parts], 0)]

    return programs.once(body, ("pulled", wanted), [*body.arguments, *([] if is_number else body.results)], rule)


def _apart(together: Any, specs: Sequence[Any]) -> list[Any]:
    """Undo the joining of ``_pulled``."""
    if len(specs) == 1:
        return [together]
    parts, start = [], 0
    for spec in specs:
        stop = start + programs.size_of(spec)
        parts.append(Reshape(spec.shape)(getitem(together, slice(start, stop))))
        start = stop
    return parts


# ------------------------------------------------------------------ SciPy
def _numbers(f: Callable[[float], Any], a: float, b: float, how: Accuracy) -> float:
    """Integrate one function."""
    integrate = required("quad", "scipy", "scipy.integrate")
    integral, error, _, *said = integrate.quad(
        f, a, b, epsabs=how.atol, epsrel=how.rtol, limit=how.limit, full_output=1
    )
    _check(integral, error, bool(said), " ".join(said[0].split()) if said else "", f, a, b)
    return float(integral)


def _arrays(f: Callable[[float], Any], a: float, b: float, how: Accuracy) -> Any:
    """Integrate all entries of an array together."""
    integrate = required("quad", "scipy", "scipy.integrate")
    integral, error, info = integrate.quad_vec(
        f, a, b, epsabs=how.atol, epsrel=how.rtol, limit=how.limit, norm="max",
        full_output=True,
    )  # fmt: skip
    if not (info.success and np.all(np.isfinite(integral))) and np.size(integral) <= _EACH:
        return _each_entry(f, np.shape(integral), a, b, how)
    _check(integral, error, not info.success, info.message, f, a, b)
    return integral


def _each_entry(f: Callable[[float], Any], shape: Any, a: float, b: float, how: Accuracy) -> Any:
    """Integrate entry by entry: of one number SciPy extrapolates to a singular end, of arrays it does not."""
    parts = [_numbers(lambda x, k=k: float(np.ravel(f(x))[k]), a, b, how) for k in range(math.prod(shape))]  # type: ignore[misc]
    return np.reshape(parts, shape)


def _check(
    integral: Any, error: float, failed: bool, message: str, f: Callable[[float], Any], a: float, b: float
) -> None:
    """Refuse an integral that is not finite, or that misses the requested accuracy."""
    if not np.all(np.isfinite(integral)):
        raise NotConverged(
            f"quad: the integral from {a:g} to {b:g} is not finite: it diverges, or the integrand is not a number "
            f"somewhere (in the middle it is {_shown(f, a, b)}). Check the limits, and where the integrand is defined."
        )
    small = error <= _ACCEPTED * max(1.0, float(np.max(np.abs(integral), initial=0.0)))
    if failed and not (small and message.startswith(_STOPPED)):
        raise NotConverged(
            f"quad: the integral from {a:g} to {b:g} was not found to the requested accuracy: the error is about "
            f"{error:.2g}. SciPy: {message} The integral may diverge. If it does not, split it at its singular points "
            "with points=, allow more intervals with limit=, or raise the tolerances rtol= and atol=."
        )


def _shown(f: Callable[[float], Any], a: float, b: float) -> str:
    middle = (a + b) / 2 if math.isfinite(a) and math.isfinite(b) else next(filter(math.isfinite, (a, b)), 0.0)
    return str(np.asarray(f(middle)).ravel()[:3].tolist())
