"""``sg.study``: curve sketching, from the domain to the range, with the reason for each statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import sympy as sp

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.expression.arguments import text_of_names
from symgrad.expression.formula import Formula, Label, Name
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.calculus.lesson import written_form
from symgrad.teach.calculus.slopes import without_ties
from symgrad.teach.places.points import COMPARED, Place, digits
from symgrad.teach.steps.lesson import Finding, Given, LessonStep
from symgrad.teach.study.chart import Asymptote, Chart, Extremum, Gap, Inflection
from symgrad.teach.study.functions import Interval, Subject, nowhere
from symgrad.teach.study.picture import drawn
from symgrad.teach.study.several.critical_points import CriticalPoints
from symgrad.teach.study.solution import Solution, equation, shortest, write

Parts = tuple[Any, ...]
_FUNCTIONS = ("f", "f′", "f″")
_SIGNS = {1: "+", -1: "−", 0: "0"}
_MUST = {"≠": " must not be 0", ">": " must be positive", "≥": " must not be negative"}


@overload
def study(f: str | ClosedForm, wrt: str | None = None) -> Study: ...
@overload
def study(f: str | ClosedForm, wrt: list[str] | tuple[str, ...]) -> CriticalPoints: ...
@checked
def study(f: str | ClosedForm, wrt: str | Sequence[str] | None = None) -> Study | CriticalPoints:
    """Study the curve y = f(x): domain, zeros, monotonicity, convexity and asymptotes.

    For a function of several variables, return its gradient, Hessian and critical points, like ``sg.critical_points``.

    Zeros of f, f′ and f″ are isolated by interval arithmetic, those of polynomials by Sturm's theorem, so that none is
    missing. Between two zeros the sign is constant, and all other results follow from that. Statements that cannot be
    proved are listed in ``doubts``. A periodic function is studied on one period; any other function that oscillates is
    studied for -10 ≤ x ≤ 10.

    Args:
        f: a formula as text, or a closed form.
        wrt: the name of its variable, or a list of several; by default all names.

    Returns:
        A ``Study``: ``print`` it, display it in a notebook, ``plot()`` it, or use its attributes. For several
        variables, ``CriticalPoints``.

    Raises:
        ParseError: if the text is not a formula.
        ArgumentError: if the formula has a function without an interval version, or names without a value.

    >>> curve = sg.study("x**3 - 3*x")
    >>> [str(e) for e in curve.extrema], str(curve.increasing[0])
    (['local maximum at x = −1, y = 2', 'local minimum at x = 1, y = −2'], '(−∞, −1]')
    """
    if isinstance(f, ClosedForm):
        f = str(f)
    if not isinstance(f, str):
        raise ArgumentTypeError(f"study: expected a formula as text, such as 'x**3 - 3*x', got {type(f).__name__}.")
    names = text_of_names(f, {}).names if wrt is None else [wrt] if isinstance(wrt, str) else list(wrt)
    if len(names) > 1:
        return CriticalPoints(f, sorted(names) if wrt is None else names)
    return Study(f, names[0] if names and wrt is not None else None)


class Study(Solution):
    """The result of ``sg.study``.

    Attributes:
        text: the formula.
        doubts: the statements that could not be proved, in words.
    """

    def __init__(self, text: str, wrt: str | None = None) -> None:
        super().__init__(text, wrt)
        self.text = text
        self._subject = Subject("study", text, wrt)
        self._chart = Chart(self._subject)
        if not self._chart.domain:
            raise ArgumentError(nowhere("study", text))
        self.name = self._subject.name
        self.doubts: tuple[str, ...] = tuple(self._chart.doubts)

    def __repr__(self) -> str:
        return f"<Study of {self.text}>"

    # ---------------------------------------------------------------- what was found
    @property
    def domain(self) -> list[Interval]:
        """The intervals on which f is defined."""
        return self._chart.domain

    @property
    def window(self) -> Interval | None:
        """The window that was studied: one period, or -10 to 10; None if it is the whole domain."""
        w = self._subject.window
        return None if w.low == -sp.oo else w

    @property
    def period(self) -> Any:
        """The period as a SymPy expression, or None."""
        return self._subject.period

    @property
    def symmetry(self) -> str | None:
        """The symmetry: "even", "odd", or None."""
        return self._chart.symmetry

    @property
    def zeros(self) -> list[Place]:
        """The zeros of f."""
        return self._chart.zeros

    @property
    def gaps(self) -> list[Gap]:
        """The points at which f is undefined or jumps, with the limits from below and above."""
        return self._chart.gaps

    @property
    def asymptotes(self) -> list[Asymptote]:
        """The asymptotes of the curve."""
        return self._chart.asymptotes

    @property
    def increasing(self) -> list[Interval]:
        """The largest intervals on which f increases strictly."""
        return self._chart.increasing

    @property
    def decreasing(self) -> list[Interval]:
        """The largest intervals on which f decreases strictly."""
        return self._chart.decreasing

    @property
    def constant(self) -> list[Interval]:
        """The largest intervals on which f is constant."""
        return self._chart.constant

    @property
    def extrema(self) -> list[Extremum]:
        """The local extrema."""
        return self._chart.extrema

    @property
    def convex(self) -> list[Interval]:
        """The largest intervals on which f is strictly convex."""
        return self._chart.convex

    @property
    def concave(self) -> list[Interval]:
        """The largest intervals on which f is strictly concave."""
        return self._chart.concave

    @property
    def inflections(self) -> list[Inflection]:
        """The inflection points, with the slopes of their tangents."""
        return self._chart.inflections

    @property
    def range(self) -> list[Interval] | None:
        """The range of f, as intervals; None if it is unknown."""
        return self._chart.range

    def sign_chart(self) -> list[dict[str, str]]:
        """Return the signs of f, f′ and f″ on each interval between their zeros, as records of text.

        >>> sg.study("x**2").sign_chart()[0]
        {'interval': '(−∞, 0)', 'f': '+', 'f′': '−', 'f″': '+'}
        """
        return [
            {"interval": str(c.interval), **{k: _SIGNS[s] for k, s in zip(_FUNCTIONS, c.signs, strict=True)}}
            for c in self._chart.joined
        ]

    def plot(self, over: tuple[float, float] | None = None, *, ax: Any = None) -> Any:
        """Draw the curve with its zeros, extrema, inflection points and asymptotes; needs ``symgrad[plot]``.

        Args:
            over: the range ``(low, high)``; by default a range that contains all marked points.
            ax: the axes of matplotlib; by default those of a new figure.

        Returns:
            The axes of matplotlib.
        """
        return drawn(self._chart, over, ax)

    # ---------------------------------------------------------------- what is said
    def _steps(self) -> Iterator[LessonStep]:
        return _steps(self._chart)


# ------------------------------------------------------------------ the lesson
def _steps(c: Chart) -> Iterator[LessonStep]:
    f = c.subject
    label = Label("f" if f.name != "f" else "g", 0, (f.name,))
    yield Given(before=label, after=f.written, written=(f.written,))
    yield _domain(c)
    yield _symmetry(c)
    if not c.is_doubted(0):
        yield _zeros(c)
    if c.gaps or c.asymptotes:
        yield _asymptotes(c)
    forms = [_derivative(c, n) for n in (1, 2)]
    if not c.is_doubted(1):
        yield _monotone(c, forms[0])
        yield _extrema(c)
    if not c.is_doubted(2):
        yield _bending(c, forms[1])
    yield from _signs(c)
    if c.range is not None:
        yield _finding("Range", [("remark", ("f takes the values in ", *_union(c.range), "."))])
    if c.doubts:
        yield _finding("Not decided", [("remark", (f"{', '.join(c.doubts)}: nothing is said about what needs them.",))])


def _finding(topic: str, statements: Sequence[tuple[str, Parts]], reason: Parts = ()) -> Finding:
    return Finding(topic=topic, statements=tuple(statements), reason=reason)


def _domain(c: Chart) -> Finding:
    f = c.subject
    musts = [("remark", (Equation((write(k.part),)), _MUST[k.sign])) for k in f.conditions if k.case == sp.true]
    parts = c.domain
    everywhere = len(parts) == 1 and parts[0][:2] == f.window[:2]
    if everywhere:
        return _finding("Domain", [*musts, ("remark", ("f is defined for all real numbers.",))])
    if f.period is not None:
        holes = [g.x for g in c.gaps if not f.is_defined(g.x.value)]
        where: Parts = ("f is defined on ", *_union(c.around(parts)), " and where it repeats.")
        if _is_all_but_places(parts, f.window):
            where = ("f is not defined at ", *_listed(f.name, holes, f.period), ".")
        return _finding("Domain", [*musts, ("remark", where)])
    return _finding("Domain", [*musts, ("remark", ("f is defined on ", *_union(parts), "."))])


def _is_all_but_places(parts: Sequence[Interval], window: Interval) -> bool:
    """Whether nothing but single places is left out of a window."""
    ends = [window.low, *(end for i in parts for end in i[:2]), window.high]
    return all(a is b for a, b in zip(ends[::2], ends[1::2], strict=True))


def _symmetry(c: Chart) -> Finding:
    f = c.subject
    x = f.name
    says = {
        "even": f"f(−{x}) = f({x}): f is even, and its curve is symmetric about the vertical axis.",
        "odd": f"f(−{x}) = −f({x}): f is odd, and its curve is symmetric about the origin.",
        None: "f is neither even nor odd.",
    }[c.symmetry]
    statements: list[tuple[str, Parts]] = [("remark", (says,))]
    if f.period is not None:
        period = equation(f.period)
        statements.append(("remark", ("f has the period ", period, ": what follows is about one period, and repeats.")))
    if f.bounded:
        statements.append(("remark", (f"f oscillates without a period: what follows is for −10 ≤ {x} ≤ 10.",)))
    return _finding("Symmetry", statements)


def _zeros(c: Chart) -> Finding:
    f = c.subject
    x = f.name
    if c.flat:
        return _finding("Zeros", [("remark", ("f is 0 on ", *_union(c.flat), "."))])
    if not c.zeros:
        return _finding("Zeros", [("remark", (f"f({x}) = 0 has no solution.",))])
    return _finding("Zeros", [("remark", (f"f({x}) = 0 at ", *_listed(x, c.zeros, f.period), "."))])


def _line(a: Asymptote, x: str) -> Parts:
    """Return the equation of an oblique or horizontal asymptote."""
    assert a.slope is not None  # such a line has both
    line = sp.Symbol(x) * a.slope.exact + (a.height.exact if a.height and a.height.exact is not None else 0)
    right: Parts = (equation(Name("y"), line),)
    if a.height is not None and a.height.exact is None:
        right = (f"y ≈ {digits(a.height.value)}",)
    return right


def _asymptotes(c: Chart) -> Finding:
    x, statements = c.subject.name, list[tuple[str, Parts]]()
    for g in c.gaps:
        sides = [(s, v) for s, v in (("below", g.below), ("above", g.above)) if v is not None and v != "?"]
        words: list[Any] = [f"as {x} approaches ", *g.x.shown]
        for k, (side, v) in enumerate(sides):
            words += [";" if k else "", f" from {side}, f({x}) tends to ", *_end(v)]
        removable = len(sides) == 2 and all(isinstance(v, Place) for _, v in sides) and sides[0][1] == sides[1][1]
        kind = " (a vertical asymptote)" if any(v in (sp.oo, -sp.oo) for _, v in sides) else ""
        kind = " (a hole, which one value would fill)" if removable and not c.subject.is_defined(g.x.value) else kind
        if sides:
            statements.append(("remark", (*words, kind)))
    for a in c.asymptotes:
        if a.kind != "vertical":
            right = _line(a, x)
            ends = " and ".join("−∞" if e == -sp.oo else "∞" for e in a.ends)
            statements.append(
                (
                    "remark",
                    (
                        f"as {x} tends to {ends}, the curve approaches ",
                        *right,
                        f" ({'an' if a.kind == 'oblique' else 'a'} {a.kind} asymptote)",
                    ),
                )
            )
    return _finding("Limits and asymptotes", statements)


def _derivative(c: Chart, n: int) -> tuple[Any, Formula]:
    f = c.subject
    alone = {r: sp.true if isinstance(r, sp.Ne) else sp.false for r in f.expr.atoms(sp.Ne, sp.Eq)}  # a single place
    if alone:
        return Label("f", n, (f.name,)), write(shortest(sp.diff(f.expr.xreplace(alone), f.x, n)))
    form = derive(f.text, f.name, n, verify=False)
    return Label("f", n, (f.name,)), without_ties(written_form(form), f.name)


def _monotone(c: Chart, derivative: tuple[Any, Formula]) -> Finding:
    f = c.subject
    statements: list[tuple[str, Parts]] = [("does", (Equation(derivative),))]
    places = [e for a, b in c.meetings() for e in (a.interval.high,) if c.is_smooth(a, b) and _is_flat(c, a, b)]
    if places:
        statements.append(("remark", (f"f′({f.name}) = 0 at ", *_listed(f.name, places, f.period), ".")))
    for word, parts in (("increases", c.increasing), ("decreases", c.decreasing), ("is constant", c.constant)):
        if parts:
            statements.append(("remark", (f"f {word} on ", *_each(parts), ".")))
    return _finding("Where f rises and falls", statements)


def _is_flat(c: Chart, a: Any, b: Any) -> bool:
    return bool(abs(c.slopes_at(a, b)[0]) < 1e-30)


def _extrema(c: Chart) -> Finding:
    x = c.subject.name
    if not c.extrema:
        return _finding("Extrema", [("remark", ("f has no local extrema.",))])
    statements: list[tuple[str, Parts]] = []
    for e in c.extrema:
        kind = f"{'global' if e.is_global else 'local'} {e.kind}"
        why = ", where the domain ends" if e.at_end else ", where f has a kink" if e.has_kink else ""
        if not (e.at_end or e.has_kink):
            why = ", where f′ goes from + to −" if e.kind == "maximum" else ", where f′ goes from − to +"
        statements.append(
            ("remark", (f"{kind} at {x}", *_repeated(e.x, c.subject.period), f", f({x})", *e.y.parts, why))
        )
    return _finding("Extrema", statements)


def _bending(c: Chart, derivative: tuple[Any, Formula]) -> Finding:
    x = c.subject.name
    statements: list[tuple[str, Parts]] = [("does", (Equation(derivative),))]
    for word, parts in (("convex", c.convex), ("concave", c.concave)):
        if parts:
            statements.append(("remark", (f"f is {word} on ", *_each(parts), ".")))
    for i in c.inflections:
        where = (f"inflection point at {x}", *_repeated(i.x, c.subject.period), f", f({x})", *i.y.parts)
        statements.append(("remark", (*where, ", with the slope ", *i.slope.shown)))
    return _finding("Where f bends", statements)


def _signs(c: Chart) -> Iterator[Finding]:
    """Yield the sign chart, a line for each interval between zeros, without signs that could not be proved."""
    proved = [n for n in range(len(_FUNCTIONS)) if not c.is_doubted(n)]
    statements: list[tuple[str, Parts]] = []
    for cell in c.joined if proved else ():
        facts = ", ".join(f"{_FUNCTIONS[n]} {COMPARED[cell.signs[n]]}" for n in proved)
        statements.append(("remark", ("on ", *_interval(cell.interval), f": {facts}")))
    if statements:
        yield _finding("Sign chart", statements)


# ------------------------------------------------------------------ words
def _end(v: Any) -> Parts:
    return ("∞",) if v == sp.oo else ("−∞",) if v == -sp.oo else v.shown


def _interval(i: Interval) -> Parts:
    if i.low == i.high:
        return ("{", *_end(i.low), "}")
    if (i.low, i.high) == (-sp.oo, sp.oo):
        return ("ℝ",)
    return ("[" if i.has_low else "(", *_end(i.low), ", ", *_end(i.high), "]" if i.has_high else ")")


def _union(parts: Iterable[Interval]) -> Parts:
    out: list[Any] = []
    for k, i in enumerate(parts):
        out += [" ∪ " if k else "", *_interval(i)]
    return tuple(out)


def _each(parts: Sequence[Interval]) -> Parts:
    out: list[Any] = []
    for k, i in enumerate(parts):
        out += ["" if k == 0 else " and on " if k == len(parts) - 1 else ", on ", *_interval(i)]
    return tuple(out)


def _listed(x: str, places: Sequence[Place], period: Any) -> Parts:
    out: list[Any] = []
    for k, p in enumerate(places):
        out += ["" if k == 0 else " and " if k == len(places) - 1 else ", ", x, *_repeated(p, period)]
    return tuple(out)


def _repeated(p: Place, period: Any) -> Parts:
    """Return a place behind its name, with the multiples of a period."""
    if period is None:
        return p.parts
    steps: Parts = (equation(period * sp.Symbol("k")),) if period.is_Rational else ("k·", equation(period))
    return (" = ", *steps) if p.exact == 0 else (*p.parts, " + ", *steps)


check_methods(Study)
