"""``sg.explain`` of numbers: f(x), its derivative, and where each holds; by each variable, and once more if asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from symgrad.core.node import AnyNode, Leaf, ancestors, is_node
from symgrad.core.pickling import written
from symgrad.errors import FormError, SymgradError
from symgrad.expression.arithmetic import opened
from symgrad.expression.formula import (
    Both,
    Call,
    Cases,
    Compare,
    Fenced,
    Formula,
    Label,
    Letter,
    Name,
    Number,
    Otherwise,
    Power,
    Product,
    Quotient,
    Sum,
    walk,
)
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.nodes.formulas import formula
from symgrad.ops.shapes.join import Stack
from symgrad.support.lazy import cached_property
from symgrad.teach.board.line import Equation, Value
from symgrad.teach.board.reading import SympyFormatter, entries, entry_name, is_of_numbers, number, read
from symgrad.teach.calculus.intermediates import Ladder
from symgrad.teach.calculus.letters import Letters
from symgrad.teach.calculus.remarks import domain, holds_at, once, said
from symgrad.teach.calculus.solution import PUT_IN, Printed, Solution
from symgrad.teach.steps.brief import MANY, brief, few
from symgrad.teach.steps.lesson import ClosedFormStep, Evaluation, Given, LessonStep, Note
from symgrad.teach.steps.tape import Tape

WRITABLE = (Number, Letter, Name, Sum, Product, Quotient, Power, Call, Fenced, Compare, Both, Cases, Otherwise)
PRINTED = 200  # signs of a derivative that the steps end in
MOST = 60  # signs of a formula that is worked out in place
FUNCTIONS = "fghFGH"
DEEP = 4  # functions within each other
FEW = 6  # variables


def nested(t: Formula) -> int:
    """Return how many functions are within each other."""
    inside = max(map(nested, t.operands), default=0)
    return inside + isinstance(t, Call)


def is_calculus(tape: Tape) -> bool:
    """Whether a graph is of numbers, and of operations on one number each."""
    return is_of_numbers(tape.root)


def components(tape: Tape) -> list[AnyNode]:
    """Return the numbers that a vector is stacked of, each a function of numbers; none of what is no such vector."""
    root = tape.root
    if isinstance(root, Leaf) or not isinstance(root.op, Stack) or len(root.shape) != 1:
        return []
    entries = [p for p in root.inputs if is_node(p)]
    numbers = len(entries) == len(root.inputs) and all(not p.shape and is_of_numbers(p) for p in entries)
    return entries if numbers else []


class Components:
    """The derivation of a vector, component by component.

    Attributes:
        forms: the closed form for each target, of the whole vector.
        lesson: what is said, step by step.
    """

    def __init__(self, tape: Tape, targets: Sequence[Any], order: int) -> None:
        self.tape, self.order = tape, order
        self.targets: tuple[AnyNode, ...] = tuple(t._node for t in targets)
        self.forms: tuple[ClosedForm, ...] = tuple(derive(tape.handled(), t, verify=False) for t in targets)
        names = {tape.names[n] for n in tape.nodes if isinstance(n, Leaf)}
        f = next((c for c in FUNCTIONS if c not in names), "f′")
        self.lesson: tuple[LessonStep, ...] = tuple(self._steps(f))

    def packed(self) -> tuple[Any, bool]:
        """Return what it is made from, as it is pickled."""
        return written([self.tape.root, *self.targets]), False

    def _steps(self, f: str) -> Iterator[LessonStep]:
        for k, node in enumerate(components(self.tape)):
            below = {*ancestors([node])}
            moving = [self.tape.handled(t) for t in self.targets if t in below]
            if moving:
                if k:
                    yield Note(kind="gap", reason=("",))
                yield from Lesson(Tape(self.tape.handled(node)), moving, self.order, f"{f}_{k + 1}").lesson


class Lesson:
    """The derivation of a number by numbers.

    Attributes:
        forms: the closed form for each target, as ``sg.derive`` gives it.
        lesson: what is said, step by step.
    """

    def __init__(self, tape: Tape, targets: Sequence[Any], order: int, f: str | None = None) -> None:
        self.tape, self.order = tape, order
        self.forms: tuple[ClosedForm, ...] = tuple(derive(tape.handled(), t, order, verify=False) for t in targets)
        self.targets: tuple[AnyNode, ...] = tuple(t._node for t in targets)
        self._leaves = [n for n in tape.nodes if isinstance(n, Leaf)]
        leaves: dict[AnyNode, str] = {n: tape.names[n] for n in self._leaves}
        self._names = {**{n: name for n, name in leaves.items() if not n.shape}, **entries(tape.root, leaves)}
        taken = set(self._names.values())
        self._f = f or next((c for c in FUNCTIONS if c not in taken), "f′")
        self._taken = {*taken, self._f}
        self._quoted: set[str] = set()
        self._conditions: list[Formula] = []  # of the domain
        self._term = read(tape.root, self._names, MOST)
        if self._term is not None and nested(self._term) > DEEP:
            self._term = None
        self.lesson: tuple[LessonStep, ...] = tuple(self._steps())

    def packed(self) -> tuple[Any, bool]:
        """Return what it is made from, as it is pickled."""
        return written([self.tape.root, *self.targets]), False

    @cached_property
    def _places(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """The names that are differentiated by, with the target and the place in it."""
        used = set(self._names.values())
        positions: dict[str, tuple[int, tuple[int, ...]]] = {}
        for k, t in enumerate(self.targets):
            name = self.tape.names[t]
            if not t.shape:
                positions[name] = k, ()
                continue
            places = sorted({n.op.items for n in self._names if not isinstance(n, Leaf) and n.inputs[0] is t})
            positions |= {entry_name(name, i): (k, i) for i in places if entry_name(name, i) in used}
        return positions

    @property
    def variables(self) -> list[str]:
        """The names that are differentiated by."""
        return list(self._places)

    # ---------------------------------------------------------------- lines
    def _steps(self) -> Iterator[LessonStep]:
        ladder = None
        if self._term is None:
            ladder = Ladder(self.tape.root, self._names, Letters(self._taken))
        yield from self._given(ladder)
        formulas: dict[tuple[str, ...], Formula | None] = {(): self._term}
        for rank in range(1, self.order + 1):
            for by in combinations_with_replacement(self.variables, rank):
                yield from self._by(by, formulas, ladder)

    def _given(self, ladder: Ladder | None) -> Iterator[LessonStep]:
        """Say what f is, where it has a derivative, and what is constant."""
        label = Label(self._f, 0, tuple(self.variables))
        top = self._term if ladder is None else ladder.top
        assert top is not None  # narrows the type: one of the two is there
        if ladder is None:
            self._conditions = once([c for x in self.variables for c in domain(top, x)])
        yield Given(before=label, after=top, written=(top,), ledger=said(self._conditions))
        others = [n for n in self._names.values() if n not in self.variables]
        if others:
            yield Note(reason=(*listed(others), " is a constant" if len(others) == 1 else " are constants"))

    def _by(
        self, by: tuple[str, ...], formulas: dict[tuple[str, ...], Formula | None], ladder: Ladder | None
    ) -> Iterator[LessonStep]:
        d, x, several = self._label(by), by[-1], len(self.variables) > 1
        if several or len(by) > 1:
            yield Note(kind="gap", reason=("",))
        if several and len(by) == 1:
            others = [v for v in self.variables if v != x]
            yield Note(reason=("with respect to ", Equation((Name(x),)), ", with ", *listed(others), " held constant:"))
        form = self._form(by)
        end = None if form is None or len(by) < self.order else as_printed(form)
        f = formulas.get(by[:-1])
        if f is None or f.size > 2 * MOST:
            yield from self._long(by, d, ladder, form, end)
            return
        if len(by) > 1:
            yield Given(before=self._label(by[:-1]), after=f, written=(f,))
        made = Solution(f, x, d, sorted(self._taken), _goal(form), self._value(form, x), self._quoted, end)
        formulas[by] = made.result
        yield from made.steps
        yield from self._number(d, form, self._places[x] if len(by) == 1 else None)

    def _long(
        self, by: tuple[str, ...], d: Label, ladder: Ladder | None, form: ClosedForm | None, end: Printed | None
    ) -> Iterator[LessonStep]:
        if len(by) == 1 and ladder is not None:
            steps = ladder.steps(by[0], d)
            yield from steps
            if end is not None:
                yield end.step(steps[-1].after, PUT_IN)
            yield from self._number(d, form, self._places[by[0]])
            return
        nodes = [self.tape.handled(self.targets[self._places[name][0]]) for name in by]
        if any(self._places[name][1] for name in by):
            return
        derivative: Any = derive(self.tape.handled(), nodes[0], verify=False)
        for node in nodes[1:]:
            derivative = derive(derivative, node, verify=False)
        again, e = ("the same rules once more:",), derivative._expr
        yield ClosedFormStep(before=None, after=e, reason=again, written=(e,), left=d)

    def _label(self, by: tuple[str, ...]) -> Label:
        if len(self.variables) == 1:
            return Label(self._f, len(by), (by[0],) if by else tuple(self.variables))
        return Label(self._f, by) if by else Label(self._f, 0, tuple(self.variables))

    def _form(self, by: tuple[str, ...]) -> ClosedForm | None:
        """Return symgrad's closed form: of first derivatives, and of the last where it is by one variable."""
        if len(set(by)) > 1:
            return None
        k, place = self._places[by[0]]
        if place:
            return None
        if len(by) == self.order:
            return self.forms[k]
        target = self.tape.handled(self.targets[k])
        derivative: ClosedForm = derive(self.tape.handled(), target, len(by), verify=False)
        return derivative

    # ---------------------------------------------------------------- numbers
    def _value(self, form: ClosedForm | None, x: str) -> Callable[[float], float | None]:
        """Return symgrad's derivative as a function of x alone."""

        def at(where: float) -> float | None:
            if form is None or set(form.args) - {x}:
                return None
            try:
                return float(form.lambdify()(**dict.fromkeys(form.args, where)))
            except (SymgradError, TypeError, ValueError):
                return None

        return at

    def _number(self, d: Label, form: ClosedForm | None, where: tuple[int, Any] | None) -> Iterator[LessonStep]:
        """Say the derivative's number where the leaves have values."""
        if form is None and where is not None and self.order == 1:
            form = self.forms[where[0]]
        if not self.tape.known or form is None:
            return
        (value,) = self.tape.values([form._root])
        value = np.asarray(value)[where[1] if where is not None else ()]
        at: list[Any] = ["at "]
        for k, n in enumerate(self._leaves):
            at += [", " if k else "", Equation((Name(self.tape.names[n]), Value(n.value)))]
        yield Note(reason=(*at, ":"))
        point_of = {self.tape.names[n]: n.value for n in self._leaves if not n.shape}
        broken = next((c for c in self._conditions if not holds_at(c, point_of)), None)
        if broken is not None:
            missing = f" does not hold there, so {self._f} has no derivative; symgrad says:"
            yield Note(reason=(Equation((broken,)), missing))
        (point, *_) = [n.value for n in self._leaves if (self.tape.names[n],) == d.of] or [self._leaves[0].value]
        if isinstance(d.by, int) and not np.ndim(point) and np.isfinite(point):
            d = Label(d.name, d.by, (number(float(point)),))
        yield Evaluation(before=form._expr, after=Value(np.asarray(value)[()]), left=d)


def listed(names: Sequence[str]) -> list[Any]:
    """Return names with commas and "and" between them."""
    out: list[Any] = []
    for k, name in enumerate(names):
        out += ["" if k == 0 else " and " if k == len(names) - 1 else ", ", Equation((Name(name),))]
    return out


def as_printed(form: ClosedForm) -> Printed | None:
    """Return a derivative as ``sg.derive`` prints it; None of one that is long, or has parts that no lesson writes."""
    if not few([form._root, *form._forward], MANY):
        return None
    try:
        shown, named = form._shown
    except FormError:
        return None
    if named is None or not named.definitions:
        whole, names = form._expr, []
    else:
        whole, names = (
            named.bodies[0],
            [(formula(d.name), opened(formula(d.expr))) for d in reversed(named.definitions)],
        )
    printed = Printed(opened(formula(whole)), tuple(names))
    parts = [printed.formula, *[t for _, t in names]]
    known = all(isinstance(p, WRITABLE) for t in parts for p in walk(t))
    known = known and printed.put_in().free.issubset(form.args)  # E is not a name of the form
    return printed if known and len(shown) <= PRINTED and str(printed) == shown else None


def written_form(form: ClosedForm) -> Formula:
    """Return a derivative as ``sg.derive`` prints it, its names put in; else as a hand writes it."""
    printed = as_printed(form)
    return printed.put_in() if printed is not None else SympyFormatter().write(form.expr)


def _goal(form: ClosedForm | None) -> Any:
    return None if form is None else brief(form)
