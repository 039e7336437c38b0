"""The chain rule along a path or a surface, dz/dt = Σ ∂z/∂x·dx/dt, with the tree of dependencies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symgrad.errors import ArgumentError
from symgrad.expression.arguments import text_of_names
from symgrad.expression.arithmetic import add, mul
from symgrad.expression.formula import Formula, Label, Product
from symgrad.expression.printer import handwritten
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.calculus.simplify import rewritten
from symgrad.teach.places.points import derived
from symgrad.teach.steps.lesson import ChainRuleAlong, LessonStep, Note, PartialRule, distinct
from symgrad.teach.study.several.field import Field, scalar_field
from symgrad.teach.study.solution import Solution, shortest, write


class ChainRule(Solution):
    """The derivative of f(x(t), y(t), …) with respect to t, or to each of several parameters.

    Attributes:
        parameters: the names with respect to which it is differentiated.
        derivatives: the derivative for each parameter, as a SymPy expression of the parameters alone.
        tree: for each variable, the parameters that it depends on.
    """

    def __init__(self, f: Any, wrt: Sequence[str], path: dict[str, Any]) -> None:
        super().__init__(f, list(wrt), path)
        who = "chain_rule"
        if not path:
            raise ArgumentError("chain_rule: got no path. Expected each variable as a formula, as in x='cos(t)'.")
        self._field: Field = scalar_field(who, f, [*path])
        self._path: dict[str, Field] = {n: scalar_field(who, str(e), list(wrt)) for n, e in path.items()}
        self.parameters = list(wrt)
        self.tree = {n: [t for t in wrt if t in _free(p)] for n, p in self._path.items()}
        clash = sorted({*wrt} & {*path})
        if clash or not any(self.tree.values()):
            raise ArgumentError(
                f"chain_rule: got x(t) as {path} with wrt={list(wrt)}. Expected formulas of {', '.join(wrt)}, "
                "and other names for the variables than for the parameters."
            )
        (self._f,) = self._field.components
        self._slopes = {n: shortest(derived(self._f, x)) for n, x in zip(path, self._field.symbols, strict=True)}
        self._rates = {
            t: {n: shortest(derived(p.components[0], p.symbols[k])) for n, p in self._path.items()}
            for k, t in enumerate(wrt)
        }
        inside = {x: self._path[n].components[0] for n, x in zip(path, self._field.symbols, strict=True)}
        self._put_in = inside
        self.derivatives = {t: shortest(self._total(t).subs(inside, simultaneous=True)) for t in wrt}

    def _total(self, t: str) -> Any:
        return sum(self._slopes[n] * rate for n, rate in self._rates[t].items())

    @property
    def formula(self) -> str:
        """The derivative as text; for several parameters, the first one."""
        return handwritten(write(self.derivatives[self.parameters[0]]))

    def _rate(self, name: str, t: str) -> Label:
        many = len(self.parameters) > 1
        return Label(name, (t,), ()) if many else Label(name, (t,), (), sign="d")

    def _steps(self) -> Iterator[LessonStep]:
        f = self._field
        yield f.given()
        for n, p in self._path.items():
            yield Note(kind="given", reason=(Equation((Label(n, 0, tuple(self.parameters)), p.written[0])),))
        arrows = [f"{f.letter} → {n} → {t}" for n, ts in self.tree.items() for t in ts]
        yield Note(reason=("the tree of dependence has the branches ", "; ".join(arrows)))
        for t in self.parameters:
            yield from self._along(t)

    def _along(self, t: str) -> Iterator[LessonStep]:
        f = self._field
        names = [n for n in self.tree if t in self.tree[n]]
        left = self._rate(f.letter, t)
        result = write(self.derivatives[t])
        if not names:
            yield ChainRuleAlong(before=f.written[0], after=result, branches=(), left=left, written=(result,))
            return
        parts: list[LessonStep] = []
        for n in names:
            parts.append(f.partial(n, self._slopes[n]))
            rate = write(self._rates[t][n])
            before = self._path[n].written[0]
            parts.append(PartialRule(before=before, after=rate, by=(t,), left=self._rate(n, t), written=(rate,)))
        branches: list[Formula] = [Product(f.part(n), self._rate(n, t)) for n in names]
        raw = add(*[mul(write(self._slopes[n]), write(self._rates[t][n])) for n in names])
        with_path = write(self._total(t).subs(self._put_in, simultaneous=True))
        steps = rewritten(with_path, result)
        end = with_path if steps else result
        yield ChainRuleAlong(
            before=f.written[0], after=end, branches=tuple(branches), left=left, substeps=tuple(parts),
            reason=("one product for each branch to ", t, ", ", Equation((left, add(*branches))), ":"),
            written=distinct((raw, end)),
        )  # fmt: skip
        yield from steps


def _free(p: Field) -> set[str]:
    return {s.name for s in p.components[0].free_symbols}


@checked
def chain_rule(f: str, wrt: str | Sequence[str] | None = None, **path: str) -> ChainRule:
    """Return the derivative of f along a path x(t), y(t), … by the chain rule, with its tree and steps.

    Args:
        f: a formula as text.
        wrt: the parameter, or a list of parameters, as for ``x="r*cos(θ)"``; by default t, or all names in the path.
        path: for each variable, by name, a formula of the parameters.

    Raises:
        ArgumentError: if no variable depends on a parameter.

    >>> sg.chain_rule("x**2*y", x="cos(t)", y="t").formula
    'cos(t)·(cos(t) − 2t·sin(t))'
    >>> sg.chain_rule("x**2 + y**2", ["r", "θ"], x="r*cos(θ)", y="r*sin(θ)").derivatives
    {'r': 2*r, 'θ': 0}
    """
    if wrt is None:
        names = sorted({n for e in path.values() for n in text_of_names(str(e), {}).names})
        wrt = ["t"] if "t" in names or not names else names
    return ChainRule(f, [wrt] if isinstance(wrt, str) else list(wrt), path)


check_methods(ChainRule)
