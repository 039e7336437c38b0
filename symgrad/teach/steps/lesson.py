"""The steps of a lesson as data: rules with the parts that they name, and what each makes of a formula.

Rules are called as in SymPy's ``manualintegrate``. Text, LaTeX, HTML and records are written from the lines of steps;
another front end may draw the steps themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, ClassVar, dataclass_transform

from symgrad.expression.formula import Formula
from symgrad.expression.printer import handwritten
from symgrad.teach.board.line import Equation, Line
from symgrad.teach.steps.unicode_text import unicode_text

WIDTH = 70  # signs of two formulas that stand in one line


@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True, kw_only=True)
class LessonStep:
    """A step of a lesson. Its parts are formulas: of numbers ``Formula``, of arrays SymPy's.

    Attributes:
        name: what the rule is called in words.
        before: what it is applied to.
        after: what comes out: of a rule the derivative, of a rewriting an equal formula.
        reason: what is said, words and formulas in turn.
        written: the equal formulas that are written, the last of which is ``after``; none where nothing is written.
        left: what they are equal to, as f′(x); None where they go on from the step before.
        where: the names in ``after`` that are explained behind it, each with what it stands for.
        ledger: what stands beside.
        kind: of words alone, the kind of line.
        substeps: the steps for its parts, in their order.
    """

    name: ClassVar[str] = ""
    before: Any
    after: Any
    reason: tuple[Any, ...] = ()
    written: tuple[Any, ...] = ()
    left: Any = None
    where: tuple[tuple[Any, Any], ...] = ()
    ledger: str = ""
    kind: str = "why"
    substeps: tuple[LessonStep, ...] = ()

    def __init_subclass__(cls) -> None:
        if cls.__annotations__:  # one without parts of its own is made as its base is
            dataclass(frozen=True, kw_only=True)(cls)

    @property
    def parts(self) -> dict[str, Any]:
        """What the rule names, as u and v of a product."""
        common = {f.name for f in fields(LessonStep)}
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in common}

    @property
    def title(self) -> str:
        """The name as it stands beside a line."""
        return self.name

    def lines(self) -> Iterator[Line]:
        """Yield the lines that are written: why, the derivatives of parts, and what comes out."""
        if self.reason:
            yield Line("why", self.reason)
        for step in self.substeps:
            yield from step.asides()
        if not self.written:
            return
        on = (Line("then", (Equation((None, e)),), None, self.ledger) for e in self.written)
        *before, last = on if self.left is None else self._equations()
        yield from before
        named = [p for k, d in enumerate(self.where) for p in ("; " if k else " where ", Equation(d))]
        yield last._replace(parts=(*last.parts, *named))

    def _equations(self) -> Iterator[Line]:
        first, *rest = self.written
        if not isinstance(first, Formula):
            yield Line("does", (Equation((self.left, *self.written)),), None, self.ledger)
            return
        room = WIDTH - len(handwritten(self.left)) - len(handwritten(first))
        beside = rest[: bool(rest) and len(handwritten(rest[0])) <= room]
        yield Line("does", (Equation((self.left, first, *beside)),), None, self.ledger)
        yield from (Line("then", (Equation((None, e)),)) for e in rest[len(beside) :])

    def asides(self) -> Iterator[Line]:
        """Yield the lines of a part's derivative, those of its own parts first."""
        for step in self.substeps:
            yield from step.asides()
        if self.written:
            yield Line("side", (Equation((self.left, *self.written)),), None, self.title)

    def data(self) -> dict[str, Any]:
        """Return the step as a record for JSON: the rule, and its formulas as text.

        >>> step = sg.explain("x**2*sin(x)", "x").steps[0]
        >>> step.data()["rule"], step.data()["u"], step.data()["v"], step.data()["after"]
        ('ProductRule', 'x²', 'sin(x)', '2x·sin(x) + x²·cos(x)')
        """
        shown = {
            "before": self.before,
            "after": self.after,
            **({"where": self.where} if self.where else {}),
            **self.parts,
        }
        reason, steps = "".join(map(_text, self.reason)), [step.data() for step in self.substeps]
        record = {"rule": type(self).__name__, "name": self.name, "reason": reason, "substeps": steps}
        return record | {name: _text(part) for name, part in shown.items()}


def _text(p: Any) -> Any:
    """Return a part of a step as text; of several, a list."""
    if isinstance(p, Equation):
        return " = ".join(map(_text, p.parts))
    if isinstance(p, (tuple, list)):
        return [_text(e) for e in p]
    if p is None or isinstance(p, (str, bool, int)):
        return p
    return handwritten(p) if isinstance(p, Formula) else unicode_text(p)


def distinct(equal: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return equal formulas without those that look as the next does, but for spaces."""
    looks = [handwritten(e).replace(" ", "") for e in equal]
    return (*(a for a, (one, other) in zip(equal, pairwise(looks), strict=False) if one != other), *equal[-1:])


# ------------------------------------------------------------------ what is said besides
class Given(LessonStep):
    """What is differentiated: f(x) = … ``before`` is the label, ``after`` the formula; beside it where it holds."""

    name = "given"

    def lines(self) -> Iterator[Line]:
        yield Line("given", (Equation((self.before, *self.written)),), None, self.ledger)


class Note(LessonStep):
    """Words between steps: of a kink, of names that are held constant."""

    name = "note"
    before: Any = None
    after: Any = None

    def lines(self) -> Iterator[Line]:
        yield Line(self.kind, self.reason, None, self.ledger)


class Evaluation(LessonStep):
    """The number of a derivative at the values of the leaves."""

    name = "value"

    def lines(self) -> Iterator[Line]:
        yield Line("does" if self.left is not None else "then", (Equation((self.left, self.after)),))


class Finding(LessonStep):
    """What is known of a function: under a heading, ``topic``, the reason and the statements, each with its kind."""

    name = "finding"
    topic: str
    statements: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    before: Any = None
    after: Any = None

    def lines(self) -> Iterator[Line]:
        yield Line("heading", (self.topic,))
        if self.reason:
            yield Line("why", self.reason)
        for kind, parts in self.statements:
            yield Line(kind, parts)


# ------------------------------------------------------------------ rules of differentiation
class Rule(LessonStep):
    """A rule of differentiation: ``after`` is the derivative of ``before``."""


class ConstantRule(Rule):
    """c′ = 0."""

    name = "constant rule"


class IdentityRule(Rule):
    """x′ = 1; of a letter that stands for a part, its derivative."""

    name = "identity rule"


class ConstantTimesRule(Rule):
    """(c·u)′ = c·u′."""

    name = "constant factor rule"
    constant: Any
    other: Any

    @property
    def title(self) -> str:
        return self.substeps[0].title if self.substeps else self.name


class SumRule(Rule):
    """(u + v + …)′ = u′ + v′ + …, term by term."""

    name = "term by term"
    terms: tuple[Any, ...]


class PowerRule(Rule):
    """(xⁿ)′ = n·xⁿ⁻¹."""

    name = "power rule"
    base: Any
    exponent: Any


class ProductRule(Rule):
    """(u·v)′ = u′·v + u·v′; with more factors, each in turn."""

    name = "product rule"
    u: Any
    v: Any
    others: tuple[Any, ...] = ()


class QuotientRule(Rule):
    """(u/v)′ = (u′·v − u·v′)/v²."""

    name = "quotient rule"
    u: Any
    v: Any


class ChainRule(Rule):
    """f(g(x))′ = f′(g(x))·g′(x); ``outer`` has the functions from outside in, each of ``·``."""

    name = "chain rule"
    outer: tuple[Any, ...]
    inner: Any

    @property
    def title(self) -> str:
        return f"chain rule, inside {handwritten(self.inner)}"


class PartialsRule(Rule):
    """f(u, v)′ = ∂f/∂u·u′ + ∂f/∂v·v′: the chain rule of a function of several arguments."""

    name = "chain rule"
    arguments: tuple[Any, ...]


class ExponentialRule(Rule):
    """(aˣ)′ = aˣ·log(a)."""

    name = "exponential rule"
    base: Any
    exponent: Any


class LogRule(Rule):
    """log(x)′ = 1/x."""

    name = "logarithm rule"
    argument: Any


class LogLawsRule(Rule):
    """log(u·v)′ = (log(u) + log(v))′: ``apart`` is the sum that the logarithm is by its laws."""

    name = "laws of logarithms"
    apart: Any


class TrigRule(Rule):
    """The derivative of a circular function, as sin(x)′ = cos(x)."""

    name = "trigonometric rule"
    function: str
    argument: Any


class FunctionRule(Rule):
    """The derivative of any other function from its table."""

    name = "derivative of the function"
    function: str
    argument: Any


class PiecewiseRule(Rule):
    """Case by case; ``cases`` is the function as a case distinction."""

    name = "by cases"
    cases: Any


class LogarithmicRule(Rule):
    """f′/f = (log f)′: for powers whose exponents vary, and for products of many powers."""

    name = "through the logarithm"
    logarithm: Any


class SolveForDerivative(Rule):
    """f′ = f·(log f)′."""

    name = "solve for the derivative"


class NamePart(Rule):
    """A part gets a letter, ``before = z``, and beside it stands its differential or derivative, ``after``."""

    name = "name a part"
    symbol: Any
    kind: str = "pair"

    def lines(self) -> Iterator[Line]:
        yield Line(self.kind, self.reason, None, self.ledger)


class ImplicitRule(Rule):
    """F(x, θ) = 0 ⇒ dx/dθ = −(∂F/∂x)⁻¹·∂F/∂θ; ``before`` is F."""

    name = "implicit function theorem"
    x: str
    theta: str
    by_x: Any
    by_theta: Any

    def lines(self) -> Iterator[Line]:
        x, theta = self.x, self.theta
        yield Line("does", (f"d{x}/d{theta} = −(∂F/∂{x})⁻¹·∂F/∂{theta}",))
        yield Line("side", (f"∂F/∂{x} = ", Equation((self.by_x,))))
        yield Line("side", (f"∂F/∂{theta} = ", Equation((self.by_theta,))))
        yield Line("does", (f"d{x}/d{theta} = ", Equation((self.after,))))


class LeibnizRule(Rule):
    """(∫ₐᵇ g dt)′ = g(b)·b′ − g(a)·a′ + ∫ₐᵇ ∂g/∂x dt; without the last part the fundamental theorem of calculus."""

    name = "Leibniz's rule"
    integrand: Any
    lower: Any
    upper: Any


class DifferentiateBothSides(Rule):
    """F = G gives dF/dx = dG/dx; ``before`` and ``after`` are equations."""

    name = "differentiate both sides"

    def lines(self) -> Iterator[Line]:
        if self.reason:
            yield Line("why", self.reason)
        yield Line("does", (self.after,))


class PartialRule(Rule):
    """∂f/∂x: the other variables are held constant; ``by`` has the variables in order, ``near`` the value's digits."""

    name = "partial derivative"
    by: tuple[str, ...]
    near: str = ""

    @property
    def title(self) -> str:
        return ""

    def lines(self) -> Iterator[Line]:
        *before, last = super().lines()
        yield from before
        yield last._replace(parts=(*last.parts, self.near) if self.near else last.parts)


class FieldRule(Rule):
    """What partial derivatives are put together to, as a divergence; ``operator`` says which."""

    name = "derivative of a field"
    operator: str


class ChainRuleAlong(Rule):
    """dz/dt = Σ ∂z/∂x·dx/dt along a path; ``branches`` has the products, one for each branch of the tree."""

    name = "chain rule along a path"
    branches: tuple[Any, ...]


class SolveForSlope(Rule):
    """A·y′ = B gives y′ = B/A; ``equation`` is what is solved, once the terms with y′ stand on its left."""

    name = "solve for the slope"
    equation: Any = None

    def lines(self) -> Iterator[Line]:
        if self.reason:
            yield Line("why", self.reason)
        if self.equation is not None:
            yield Line("does", (self.equation,))
        yield from self._equations()


class TakeDifferential(Rule):
    """The differential of an array or a number, by the rules that the ledger names."""

    name = "differential"


class ReadGradient(Rule):
    """Read the derivative off the differential: df = gᵀ·dx gives g."""

    name = "read off the derivative"


class ProjectGradient(Rule):
    """Take the part of a gradient along which a structured matrix can change, as (G − Gᵀ)/2 of a skew one."""

    name = "project the gradient"


# ------------------------------------------------------------------ rewritings
class Rewriting(LessonStep):
    """A step to an equal formula."""


class WriteAsPowers(Rewriting):
    """Write (c/x)ⁿ as cⁿ/xⁿ, to which the power rule applies."""

    name = "write as powers"


class TakeLogarithmsApart(Rewriting):
    """Write the logarithm of a product, quotient or power as a sum; ``laws`` has both sides of each law used."""

    name = "laws of logarithms"
    laws: tuple[Any, ...]


class FactorOut(Rewriting):
    """Take out what all terms of a sum have."""

    name = "factor out"
    common: Any


class Cancel(Rewriting):
    """Divide numerator and denominator by what both have."""

    name = "cancel"
    common: Any


class ClearFractions(Rewriting):
    """Multiply numerator and denominator so that no fraction is within a fraction."""

    name = "clear the inner fractions"


class CommonDenominator(Rewriting):
    """Add fractions over one denominator."""

    name = "common denominator"


class Expand(Rewriting):
    """Multiply out; ``opened`` is the sum before like terms are added."""

    name = "expand"
    opened: Any


class UseIdentity(Rewriting):
    """Use an identity, as sin² + cos² = 1."""

    name = "use an identity"
    identity: str


class UseEquation(Rewriting):
    """Put in what an equation says."""

    name = "use an equation"
    equation: Any = None


class Substitute(Rewriting):
    """Put the differential of a part, ``symbol``, in."""

    name = "substitute"
    symbol: Any


class Abbreviate(Rewriting):
    """Give a long factor a name."""

    name = "abbreviate"
    symbol: Any


class MoveDifferential(Rewriting):
    """Move what stands around a differential before it, as by tr(A·B) = tr(B·A)."""

    name = "move the differential to the end"


class Collect(Rewriting):
    """Collect the terms with the same differential."""

    name = "collect"


class MultiplyOut(Rewriting):
    """Multiply out products of entries where terms cancel."""

    name = "multiply out"


class Simplify(Rewriting):
    """Write a formula in the shortest way that is known."""

    name = "simplify"


class SolveConditions(Rewriting):
    """Write the conditions of cases as conditions on x."""

    name = "solve the conditions"


class SolveSystem(Rewriting):
    """Solve equations that hold together: ``before`` has them, ``after`` the solutions."""

    name = "solve the system"


class SecondDerivativeTest(Rewriting):
    """Decide by second derivatives: ``before`` is the matrix or its determinant, ``after`` the value that decides."""

    name = "second derivative test"
    verdict: str


class Evaluate(Rewriting):
    """Put numbers in; ``near`` has the digits of a number that is no short decimal."""

    name = "evaluate"
    near: str = ""

    def lines(self) -> Iterator[Line]:
        *before, last = super().lines()
        yield from before
        yield last._replace(parts=(*last.parts, self.near) if self.near else last.parts)


class NewtonStep(Rewriting):
    """x − f(x)/f′(x): the next number of Newton's method."""

    name = "step of Newton's method"


class ClosedFormStep(Rewriting):
    """Write the derivative as ``sg.derive`` prints it."""

    name = "as sg.derive writes it"
