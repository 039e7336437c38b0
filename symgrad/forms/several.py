"""Several derivatives of one function, with their common intermediates named once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from symgrad.core.node import AnyNode
from symgrad.errors import FormError
from symgrad.forms import names, verify
from symgrad.forms.closed import ClosedForm, packed, unpacked
from symgrad.forms.nodes import printers
from symgrad.forms.where import Definition, WhereForm
from symgrad.support.foreign import latex_in_html
from symgrad.support.lazy import cached_property

SHORT = 40  # signs of an intermediate result's formula, to call it by that


class ClosedForms(tuple[ClosedForm, ...]):
    """The closed forms of the derivatives of one function by several tensors: a tuple, printed as one."""

    targets: tuple[AnyNode, ...]

    def __new__(cls, forms: Sequence[ClosedForm], targets: Sequence[AnyNode]) -> ClosedForms:
        """Make the tuple."""
        made = super().__new__(cls, forms)
        made.targets = tuple(targets)
        return made

    def __reduce__(self) -> Any:
        return _restored, packed(self, self.targets)

    @cached_property
    def _where(self) -> WhereForm | None:
        if not self or any(form._basis is not None for form in self):
            return None
        roots, forward = [form._root for form in self], self[0]._forward
        called = names.Naming(roots, forward, None)
        found = WhereForm(roots, forward, called)
        if called.leaves and all(leaf.value is None for leaf in called.leaves):
            return found
        for k, form in enumerate(self):
            if form._verify and verify.can_be_checked(form):
                verify.check_where(form, found, k)
        return found

    @property
    def where(self) -> list[Definition]:
        """The named intermediates of all of them, each after those that it uses; of Jacobians, none."""
        return self._where.definitions if self._where is not None else []

    @property
    def bodies(self) -> list[sp.Basic]:
        """The formulas with their intermediates named as ``where`` says."""
        return self._where.bodies if self._where is not None else [form.expr for form in self]

    def _of(self, name: Callable[[str], str], write: Callable[[Any], str]) -> list[str]:
        """What each is the derivative by: a leaf by its name, an intermediate result by its short formula."""
        called = self[0]._names if self else {}
        return [
            name(called[id(t)]) if id(t) in called else self._formula(t, k, write) for k, t in enumerate(self.targets)
        ]

    def _formula(self, target: AnyNode, k: int, write: Callable[[Any], str]) -> str:
        try:
            text = write(ClosedForm(target, self[0]._forward, check=False).expr)
        except FormError:
            return f"#{k}"
        return f"({text})" if len(text) <= SHORT else f"#{k}"

    def __str__(self) -> str:
        of = self._of(str, printers.text)
        lines = [f"d/d{name} = {printers.text(b)}" for name, b in zip(of, self.bodies, strict=True)]
        if not self.where:
            return "\n".join(lines)
        return "\n".join([*lines, *(f"{'where' if k == 0 else '     '} {d}" for k, d in enumerate(self._defined()))])

    def _defined(self) -> list[str]:
        return [f"{printers.text(d.name)} = {printers.text(d.expr)}" for d in reversed(self.where)]

    def _repr_latex_(self) -> str:
        by = [f"\\frac{{\\partial}}{{\\partial {name}}}" for name in self._of(names.latex_name, printers.latex)]
        rows: list[tuple[str, Any]] = list(zip(by, self.bodies, strict=True))
        rows += [(printers.latex(d.name), d.expr) for d in reversed(self.where)]
        lines = [f"{name} &= {printers.latex(e)}" for name, e in rows]
        inside = latex_in_html(r" \\ ".join(lines))
        return f"$\\displaystyle \\begin{{aligned}} {inside} \\end{{aligned}}$"


def _restored(graph: Any, kinds: Any) -> ClosedForms:
    return ClosedForms(*unpacked(graph, kinds))
