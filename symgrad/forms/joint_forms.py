"""Several derivatives of one function: gradients with their common intermediates named once, and blocks of Hessians."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, groupby, product
from typing import Any

import sympy as sp

from symgrad.core.node import AnyNode
from symgrad.errors import FormError
from symgrad.forms import names, verify
from symgrad.forms.closed import ClosedForm, packed, unpacked
from symgrad.forms.named_entries import Numbered, Tabled
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.printers import derivative_by, equation, in_html
from symgrad.forms.notations.index import TooDeep
from symgrad.forms.notations.tables import picks
from symgrad.forms.recurrences import recurrences
from symgrad.forms.where import Definition, Named, WhereForm
from symgrad.support.foreign import latex_in_html, latex_name
from symgrad.support.lazy import cached_property
from symgrad.support.symbols import plain

FEW = 8  # formulas of numbers that are shortened one by one
SEVERAL = 600  # signs of all of them
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

    @property
    def flat(self) -> tuple[ClosedForm, ...]:
        """Return all forms."""
        return tuple(self)

    @cached_property
    def _where(self) -> Named | None:
        tables = [form._possible_table for form in self] if self and picks(self[0]._forward) else [None]
        if None not in tables and any(form._table is not None for form in self):
            return Tabled(tables, set().union(*[form._taken for form in self]))
        if not self or any(form._bases for form in self):
            return None
        roots, forward = [form._root for form in self], self[0]._forward
        loops = recurrences(roots, forward, lambda: names.Naming(roots, forward))
        if loops is not None:
            for k, form in enumerate(self):
                if form._verify and verify.can_be_checked(form):
                    verify.check_loops(form, loops, k)
            return loops
        called = names.Naming(roots, forward)
        formulas = self._numbered or WhereForm(roots, forward, called)
        if called.leaves and all(leaf.value is None for leaf in called.leaves):
            return formulas
        for k, form in enumerate(self):
            if form._verify and verify.can_be_checked(form):
                verify.check_where(form, formulas, k)
        return formulas

    @property
    def _numbered(self) -> Numbered | None:
        """The finished formulas of numbers with names for their parts, where they are not long."""
        if len(self) > FEW:
            return None
        try:
            formulas = [form._of_numbers for form in self]
        except TooDeep:
            return None
        joint = None if None in formulas else Numbered([f for f in formulas if f is not None], self[0]._taken)
        return joint if joint is not None and sum(len(printers.text(b)) for b in joint.bodies) <= SEVERAL else None

    @property
    def where(self) -> list[Definition]:
        """The named intermediates of all of them, each after those that it uses; of Jacobians, none."""
        return [Definition(*map(plain, d)) for d in self._definitions]

    @property
    def _definitions(self) -> list[Definition]:
        return self._where.definitions if self._where is not None else []

    @property
    def bodies(self) -> list[sp.Basic]:
        """The formulas with their intermediates named as ``where`` says."""
        return [plain(body) for body in self._bodies]

    @property
    def _bodies(self) -> list[Any]:
        return self._where.bodies if self._where is not None else [form._expr for form in self]

    def _of(self, name: Callable[[str], str], write: Callable[[Any], str]) -> list[str]:
        """What each is the derivative by: a leaf by its name, an intermediate result by its short formula."""
        called = self[0]._names if self else {}
        return [
            name(called[id(t)]) if id(t) in called else self._formula(t, k, write) for k, t in enumerate(self.targets)
        ]

    def _formula(self, target: AnyNode, k: int, write: Callable[[Any], str]) -> str:
        try:
            text = write(ClosedForm(target, self[0]._forward, check=False)._expr)
        except FormError:
            return f"#{k}"
        return f"({text})" if len(text) <= SHORT else f"#{k}"

    def __str__(self) -> str:
        of = self._of(str, printers.text)
        lines = [f"{in_text([name])} = {printers.text(b)}" for name, b in zip(of, self._bodies, strict=True)]
        if not self._definitions:
            return "\n".join(lines)
        return "\n".join([*lines, *(f"{'where' if k == 0 else '     '} {d}" for k, d in enumerate(self._defined()))])

    def _defined(self) -> list[str]:
        return [f"{printers.text(d.name)} = {printers.text(d.expr)}" for d in reversed(self._definitions)]

    def _repr_html_(self) -> str:
        rows = zip(self._of(str, printers.text), self._bodies, strict=True)
        defined = [equation(d.name, d.expr) for d in reversed(self._definitions)]
        said = [f"where {'; '.join(defined)}"] if defined else []
        return in_html(*[derivative_by([by], body, in_text([by])) for by, body in rows], *said)

    def _repr_latex_(self) -> str:
        by = [in_latex([name]) for name in self._of(latex_name, printers.latex)]
        rows: list[tuple[str, Any]] = list(zip(by, self._bodies, strict=True))
        rows += [(printers.latex(d.name), d.expr) for d in reversed(self._definitions)]
        named_e = printers.has_e(e for _, e in rows)
        lines = [f"{name} &= {printers.latex(e, named_e)}" for name, e in rows]
        inside = latex_in_html(r" \\ ".join(lines))
        return f"$\\displaystyle \\begin{{aligned}} {inside} \\end{{aligned}}$"


class JointForms(tuple[Any, ...]):
    """The derivatives of higher order of one function by several tensors: H[i][j] is by the i-th, then by the j-th.

    Each entry is a ``ClosedForms``; of order 3 and more, again ``JointForms``. It prints all, a line each.

    >>> x, y = sg.symbol("x", "n"), sg.symbol("y", "n")
    >>> print(sg.derive((x**2 * y).sum(), [x, y], order=2))
    d²/dx² = 2*diag(y)
    d²/dxdy = 2*diag(x)
    d²/dydx = 2*diag(x)
    d²/dy² = 0
    """

    targets: tuple[AnyNode, ...]

    def __new__(cls, rows: Sequence[Any], targets: Sequence[AnyNode]) -> JointForms:
        """Make the tuple of rows."""
        made = super().__new__(cls, rows)
        made.targets = tuple(targets)
        return made

    def __reduce__(self) -> Any:
        return JointForms, (tuple(self), ()), {"targets": self.targets}

    @property
    def flat(self) -> tuple[ClosedForm, ...]:
        """Return all forms, row by row."""
        return tuple(chain(*[row.flat for row in self]))

    @property
    def where(self) -> list[Definition]:
        """No intermediates: each block names its own."""
        return []

    @property
    def order(self) -> int:
        """How often was differentiated."""
        return 1 + max((row.order if isinstance(row, JointForms) else 1 for row in self), default=1)

    def _by(self, write: Callable[[list[str]], Any], names_of: Callable[[ClosedForms], list[str]]) -> list[Any]:
        """What each block is the derivative by."""
        first: Any = self
        while isinstance(first, JointForms):
            first = first[0]
        return [write(list(by)) for by in product(names_of(first), repeat=self.order)]

    def __str__(self) -> str:
        of = self._by(in_text, lambda forms: forms._of(str, printers.text))
        return "\n".join(f"{by} = {form}" for by, form in zip(of, self.flat, strict=True))

    def _repr_html_(self) -> str:
        by = self._by(list, lambda forms: forms._of(str, printers.text))
        return in_html(*[derivative_by(of, form._expr, in_text(of)) for of, form in zip(by, self.flat, strict=True)])

    def _repr_latex_(self) -> str:
        of = self._by(in_latex, lambda forms: forms._of(latex_name, printers.latex))
        rows = [f"{by} &= {printers.latex(form._expr)}" for by, form in zip(of, self.flat, strict=True)]
        inside = latex_in_html(r" \\ ".join(rows))
        return f"$\\displaystyle \\begin{{aligned}} {inside} \\end{{aligned}}$"


def in_text(by: list[str]) -> str:
    """Return d/dx, d²/dx² or d²/dxdy, for the names to differentiate with respect to, in order."""
    under = "".join(f"d{name}{_raised(len(list(same)))}" for name, same in groupby(by))
    return f"d{_raised(len(by))}/{under}"


def _raised(n: int) -> str:
    return "" if n == 1 else "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(c)] for c in str(n))


def in_latex(by: list[str]) -> str:
    """Return the same in LaTeX."""
    counted = [(name, len(list(same))) for name, same in groupby(by)]
    under = r" \, ".join(rf"\partial {name}" + (f"^{{{n}}}" if n > 1 else "") for name, n in counted)
    above = r"\partial" + (f"^{{{len(by)}}}" if len(by) > 1 else "")
    return rf"\frac{{{above}}}{{{under}}}"


def _restored(graph: Any, kinds: Any) -> ClosedForms:
    return ClosedForms(*unpacked(graph, kinds))
