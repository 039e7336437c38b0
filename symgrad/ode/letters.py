"""Solutions in formulas: y(T) and the costate λ as letters, and behind ``where`` the equations that they solve.

Formulas are imported with it, and it with the first formula, by ``core/upcalls``: numbers need none of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import sympy as sp

from symgrad import functions as F
from symgrad.core.kernels import canonical
from symgrad.core.node import CONSTANT, TRACED, Leaf, Shape, tensor_node
from symgrad.core.promotion import doubles
from symgrad.engine.program import Program
from symgrad.engine.record import as_tensor, handle, input_of
from symgrad.errors import FormError
from symgrad.expression.arithmetic import put
from symgrad.expression.formula import Formula, Name, Spelled
from symgrad.forms.closed import ClosedForm
from symgrad.forms.nodes.formulas import Printed, formula
from symgrad.implicit import programs
from symgrad.ode.flow import NO_FORMULA
from symgrad.ops.protocol import Op
from symgrad.support.foreign import latex_name
from symgrad.support.frozen import frozen

_NAMES = re.compile(r"[^\W\d]\w*")
_SHORT = 12
_NO_WORD = "it stands in formulas only"


class WrittenName(Printed, sp.Symbol):
    """A name as it is written, such as λ' or ∂L/∂y(2)."""

    def formula(self) -> Formula:
        latex = _greek(str(self.name)).replace("∂", r"\partial ").replace("ₖ⁻", "_k^-").replace("ₖ⁺", "_k^+")
        return Spelled(str(self.name), latex)


@frozen
class Letter(Op):
    """y(t), λ(t), or an integral over λ, as a letter of a formula. The inputs are those of the operation it belongs to.

    Attributes:
        whole: the operation that gives all of them, whose last inputs are θ.
        times: the times where they are constants, which are not inputs then; and their place among the inputs.
        part: which entries of its result, flat, the letter is.
        field: (Y, t, *θ) ↦ Y'.
        title: what the unknown is called.
        when: the time; "" for an integral.
        wrt: None for a state, −1 for a costate, else the number of the θ that an integral belongs to.
        span: all times, of which an integral is from the first to the last.
        shape: of the letter.
        end: the costate at the last time, where that is known; such a one is not called λ.
    """

    whole: Op
    times: programs.FrozenArray | None
    place: int
    part: tuple[int, int]
    field: Program
    title: str
    when: str
    wrt: int | None
    span: tuple[str, ...]
    shape: tuple[int, ...]
    end: Any = None
    name = "Letter"
    saves = ""
    gives = doubles
    looped = _NO_WORD
    not_exportable = _NO_WORD
    dense = _NO_WORD
    explained = "a solution of the differential equation"

    def forward(self, *xs: Any) -> Any:
        start, stop = self.part
        given = list(xs)
        if self.times is not None:
            given.insert(self.place, self.times.value)
        return canonical(np.reshape(np.ravel(self.whole.forward(*given))[start:stop], self.shape))

    def on_symbols(self, *xs: Any) -> Any:
        raise FormError(NO_FORMULA)

    def out_shape(self, *shapes: Shape) -> Shape:
        return self.shape

    def notation(self, write: Any, *args: Any) -> Any:
        names = [*map(write.TEXT.write, args)]
        state, costate, time = self._names(names)
        if self.wrt is None or self.wrt < 0:
            letter = costate if self.wrt == -1 else state
            latex = f"{_in_latex(letter)}\\left({_greek(self.when).strip()}\\right)"
            return write.Spelled(f"{letter}({self.when})", latex)
        limits = [write.Spelled(t, _greek(t).strip()) for t in (self.span[0], self.span[-1])]
        integrand = put(formula(_form(self._along(names)[2]).expr), dict(zip(map(Name, names), args, strict=True)))
        return write.Call(Name("∫"), [integrand, Name(time), *limits])

    def definitions(self, args: Sequence[str]) -> list[tuple[Any, Any]]:
        """Return what the letters solve: of a costate λ' = −(∂f/∂y)ᵀ λ, its end, how it jumps between, and y' = f."""
        slope, costate, _ = [_form(t).expr for t in self._along(args)]
        y, a, t = self._names(args)
        equations = [(WrittenName(f"{y}'"), slope)]
        if self.wrt is not None:
            last = self.span[-1]
            if len(self.span) > 2:
                equations.append((WrittenName(f"{a}({t}ₖ⁻)"), WrittenName(f"{a}({t}ₖ⁺) + ∂L/∂{y}({t}ₖ)")))
            end = WrittenName(f"∂L/∂{y}({last})") if self.end is None else self.end
            equations += [(WrittenName(f"{a}({last})"), end), (WrittenName(f"{a}'"), costate)]
        return equations

    def _names(self, args: Sequence[str]) -> tuple[str, str, str]:
        """Return letters for the state, the costate and the time that no parameter has."""
        thetas = _names_in(self._thetas(args))
        state = next((s for s in (self.title, *"yxzuw") if not _names_in([s]) & thetas), "Y")
        taken = _names_in([*args, state])
        costates = "λμψpΛΨ" if self.end is None else "μψpΛΨ"
        costate, time = (
            next((s for s in some if not _names_in([s]) & taken), some[-1]) for some in (costates, "tsτrΤ")
        )
        return state, costate, time

    def _thetas(self, args: Sequence[str]) -> list[str]:
        return list(args)[len(args) - len(self.field.arguments[2:]) :]

    def _along(self, args: Sequence[str]) -> tuple[Any, Any, Any]:
        """f, −(∂f/∂y)ᵀ λ, and (∂f/∂θ)ᵀ λ, of letters for y, t, λ and of the names of θ."""
        field = self.field
        specs, shape = field.arguments[2:], field.arguments[0].shape

        def leaf(title: str, shape: Shape) -> Any:
            if not shape and not title.isidentifier():
                with suppress(ValueError):
                    return handle(Leaf(float(title), shape, CONSTANT), None)
            return handle(Leaf(None, shape, TRACED, title), None)

        state, adjoint, time = self._names(args)
        y, costate, t = leaf(state, shape), leaf(adjoint, shape), leaf(time, ())
        thetas = [leaf(a, s.shape) for a, s in zip(self._thetas(args), specs, strict=True)]
        which = (0,) if self.wrt is None or self.wrt < 0 else (0, self.wrt + 2)
        pulled = programs.pullback(field, which)(y, t, *thetas, costate)
        return field(y, t, *thetas)[0], -as_tensor(pulled[0]), pulled[-1]


def _names_in(texts: Sequence[str]) -> set[str]:
    """The names in formulas or in LaTeX, Greek letters as LaTeX calls them."""
    return {latex_name(name).lstrip("\\") for text in texts for name in _NAMES.findall(text)}


def _in_latex(name: str) -> str:
    return latex_name(name)


def _greek(text: str) -> str:
    """Write Greek letters as LaTeX does."""
    return re.sub("[α-ωΑ-Ω]", lambda m: f"{_in_latex(m[0])} ", text)


def _form(t: Any) -> ClosedForm:
    t = as_tensor(t)
    input_of(t)
    return ClosedForm(tensor_node(t), [tensor_node(t)], check=False)


def in_entries(t: Any) -> Any:
    """Return a tensor without a value as an expression, of a small array by its entries."""
    form = _form(t)
    with suppress(FormError):
        return form.entries() if form.shape else form.expr
    return form.expr


def states(flow: Any, start: Any, times: Any, thetas: Sequence[Any]) -> Any:
    """Return the solution at all times, each a letter."""
    whens, value = _times(times)
    n, shape = flow.field.arguments[0].shape[1], flow.plain.arguments[0].shape
    given = [start, *([times] if value is None else []), *thetas]
    rows = [F.reshape(as_tensor(start), (1, 1, n))]
    for k, when in enumerate(whens[1:], 1):
        part = (k * n, (k + 1) * n)
        letter = Letter(flow, value, 1, part, flow.plain, flow.title, when, None, tuple(whens), shape)
        rows.append(F.reshape(as_tensor(letter(*given)), (1, 1, n)))
    return F.cat(rows, 1)


def costates(pull: Any, g: Any, start: Any, times: Any, thetas: Sequence[Any], end: Any = None) -> Any:
    """Return the cotangents of the start and of θ, one after the other, each a letter; λ ends at ``end`` if known."""
    (whens, value), plain = _times(times), pull.flow.plain
    given = [g, start, *([times] if value is None else []), *thetas]
    at, parts = 0, []
    for k in (-1, *pull.wanted):
        spec = plain.arguments[0 if k < 0 else k + 2]
        stop, when = at + programs.size_of(spec), whens[0] if k < 0 else ""
        letter = Letter(pull, value, 2, (at, stop), plain, pull.flow.title, when, k, tuple(whens), spec.shape, end)
        parts.append(F.ravel(as_tensor(letter(*given))))
        at = stop
    return F.cat(parts, 0)


def _shown(times: Any, k: int) -> str:
    """Return a time that is not a constant: its name, or t_k where it has none that is short."""
    text = str(_form(as_tensor(times)[k]))
    return text if len(text) <= _SHORT else f"t_{k}"


def _times(times: Any) -> tuple[list[str], programs.FrozenArray | None]:
    """The times as texts; and as an array, where they are constants."""
    node = getattr(times, "_node", None)
    value = getattr(times, "_value", None)
    if value is None and isinstance(node, Leaf) and node.level == CONSTANT:
        value = node.value
    if value is None:
        return [_shown(times, k) for k in range(times.shape[0])], None
    return [f"{t:.6g}" for t in np.ravel(value)], programs.FrozenArray(np.asarray(value))
