"""What a derivation says, line by line, for every notation alike: prose, and formulas as lists of expressions.

The text, LaTeX and HTML of an explanation are three ways to write these lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Leaf
from symgrad.forms.closed import ClosedForm
from symgrad.forms.names import FREE
from symgrad.forms.nodes.arrays import ArrayExpr
from symgrad.forms.nodes.indexed import At
from symgrad.teach.board.line import Equation, Line, Value
from symgrad.teach.steps.adjoint import Adjoint, AdjointAt
from symgrad.teach.steps.brief import LONG, NAMED, SHORT, brief, few
from symgrad.teach.steps.prime import Chain
from symgrad.teach.steps.steps import COMPLEX, GIVEN, NO_PATH, PATHS, START, Derivation, Step
from symgrad.teach.steps.unicode_text import sizes, unicode_text


def lines(derivation: Derivation) -> Iterator[Line]:
    """Yield the lines of a derivation."""
    tape = derivation.tape
    arrays = not tape.numbers
    by = [tape.adjoint(t) for t in derivation.targets]
    yield Line(
        "title", ("Wanted: ", *_listed([Equation((d,)) for d in by]), *_of(derivation), ". ", *_given(derivation))
    )
    forward = [s for s in derivation.steps if s.kind == "forward"]
    for letter in tape.letters:
        yield Line("title", ("Where ", Equation(letter)))
    if forward:
        yield Line("heading", ("Forward",))
        for step in forward:
            yield Line("step", (equation(step.name, [step.operation], step),), step.number, _ledger(step, arrays))
            yield from _array_value(step.value)
    yield Line("heading", ("Backward",))
    yield from _backward([s for s in derivation.steps if s.kind == "backward"], arrays)
    yield Line("heading", ("Result",))
    for name, form in zip(by, derivation.forms, strict=True):
        yield Line("result", (_result(name, form, derivation.value(form._root)),))
        yield from _array_value(derivation.value(form._root))
        if (whole := _where(form)) is not None:
            yield from whole


def _of(derivation: Derivation) -> list[str | Equation]:
    """Say what the output is, where that can be written in a line."""
    whole = brief(ClosedForm(derivation.tape.root, [derivation.tape.root], check=False))
    return [] if whole is None else [" of ", equation(derivation.tape.symbol(derivation.tape.root), [whole])]


def _listed(parts: Sequence[Equation]) -> list[str | Equation]:
    """Return formulas with commas between."""
    out: list[str | Equation] = []
    for p in parts:
        out.extend([", ", p] if out else [p])
    return out


def _given(derivation: Derivation) -> list[str | Equation]:
    """Say what the leaves are: their values where they are known, else the shapes of arrays."""
    tape = derivation.tape
    leaves = [n for n in tape.nodes if isinstance(n, Leaf)]
    told: list[Any] = []
    for leaf in leaves:
        symbol = tape.symbol(leaf)
        if leaf.shape:
            told.append([Equation((symbol,)), f" {sizes(leaf.shape)}"])
        elif tape.known:
            told.append([Equation((symbol, Value(leaf.value)))])
    out: list[str | Equation] = ["At "] if told and tape.known and tape.numbers else ["Given: "] if told else []
    for k, parts in enumerate(told):
        out.extend([", ", *parts] if k else parts)
    return [*out, "."] if told else out


def _ledger(step: Step, arrays: bool) -> str:
    """Return the shapes that go in and the one that comes out."""
    if not arrays:
        return ""
    used = {s.name for s in getattr(step.handed, "free_symbols", ())}
    kept = [(name, shape) for name, shape in step.inputs if isinstance(name, Adjoint) or name.name in used]
    into = ", ".join(f"{unicode_text(name)} {sizes(shape)}" for name, shape in kept)
    return f"{into} → {sizes(step.shape)}" if into else ""


def _backward(steps: Sequence[Step], arrays: bool) -> Iterator[Line]:
    about = None
    for step in steps:
        if step.about is not None and step.about != about:
            yield Line("rule", tuple(_rule(step)))
        about = step.about
        *facts, last = _step(step)
        ledger = _ledger(step, arrays)
        if facts:
            yield Line("step", (*facts[0], ","), step.number)
            yield Line("more", ("so ", *last), None, ledger)
        else:
            yield Line("step", tuple(last), step.number, ledger)
        yield from _array_value(step.value)


def _array_value(value: Any) -> Iterator[Line]:
    """Yield the line of an array's entries."""
    if np.ndim(value):
        yield Line("value", (Value(value),))


def _rule(step: Step) -> list[str | Equation]:
    """Say which operation it is about, and the rule."""
    rule = step.rule
    assert rule is not None  # narrows the type: backward steps have one
    head: list[str | Equation] = [equation(step.about, [step.operation]), " — "]
    if rule.left is None:
        return [*head, rule.name]
    return [*head, f"{rule.name}: ", Equation((rule.left, rule.right))]


def _step(step: Step) -> list[list[str | Equation]]:
    """Say what the operation's own derivative and the adjoint are, and then what comes out."""
    closed = [e for e in (brief(step.result, SHORT if _is_array(step) else LONG),) if e is not None]
    if step.about is None:
        handed = [step.handed] if step.handed is not None and len(unicode_text(step.handed)) <= LONG else []
        return [[_WHY[step.rule.name if step.rule else ""], equation(step.name, [*handed, *closed], step)]]
    if _is_array(step) or step.local is None:
        facts: list[list[str | Equation]] = []
        shown = [step.handed] if step.handed is not None else []
    else:
        facts, shown = _by_hand(step)
    return [*facts, _handed(step, [*shown, *closed])]


def _is_array(step: Step) -> bool:
    return bool(step.shape) or isinstance(step.about, ArrayExpr)


WIRTINGER = "by complex z the gradient is ∂/∂Re z + i·∂/∂Im z = 2·∂/∂z̄ (conjugate Wirtinger): its negative descends"
_WHY = {
    START.name: "start with ",
    COMPLEX.name: f"{WIRTINGER}; start with ",
    GIVEN.name: "start with the cotangent: ",
    PATHS.name: "add the paths: ",
    NO_PATH.name: "every rule on the way has derivative 0: ",
}


def _handed(step: Step, equal: Sequence[Any]) -> list[str | Equation]:
    """Say what the input receives: its adjoint, or where there are several paths, the part that comes on this one."""
    path, paths = step.path
    if paths == 1:
        return [equation(step.name, equal, step)]
    target, about = Equation((sp.Symbol(step.name.parts[1]),)), Equation((step.about,))
    return [target, " receives through ", about, f", path {path} of {paths}: ", _equal(equal, step)]


def _by_hand(step: Step) -> tuple[list[list[str | Equation]], list[Any]]:
    """Return the local derivative and the adjoint of numbers, and their product as it is first written."""
    own = Adjoint.of(str(step.about), step.name.parts[1], (), step.alone)
    incoming = step.inputs[-1][0]
    if incoming.parts[0] == incoming.parts[1]:
        return [], [step.local] if step.alone else [own, step.local]
    coming = brief(step.adjoint) if step.adjoint is not None else None
    known = Equation((incoming,) if coming is None else (incoming, coming))
    return [[Equation((own, step.local)), " and ", known]], [Chain(incoming, own)]


# ------------------------------------------------------------------ formulas
def equation(name: Any, rights: Sequence[Any], step: Step | None = None) -> Equation:
    """Return name = … = value; what repeats is written once, and entries are named where one is written."""
    left = entry(name, rights[0]) if rights else name
    return Equation((left, *_equal([e for e in rights if unicode_text(e) != unicode_text(left)], step).parts))


def _equal(rights: Sequence[Any], step: Step | None) -> Equation:
    parts: list[Any] = []
    for e in rights:
        if not parts or unicode_text(parts[-1]) != unicode_text(e):
            parts.append(e)
    told = bool(parts) and getattr(parts[-1], "is_number", False)
    if step is not None and step.value is not None and not np.ndim(step.value) and not told:
        parts.append(Value(step.value))
    return Equation(tuple(parts))


def entry(name: Any, e: Any) -> Any:
    """Return the name of an array, with indices where what it equals is written entry by entry."""
    shape = getattr(name, "shape", ())
    if not shape or isinstance(e, ArrayExpr):
        return name
    letters = {s for s in e.free_symbols if s.name in FREE and s.is_integer and not s.is_positive}
    known = {s.name: s for s in letters}
    more = [c for c in FREE if c not in known][: max(len(shape) - len(known), 0)]
    indices = sorted([*known, *more], key=FREE.index)[: len(shape)]
    places = [known.get(c, sp.Symbol(c, integer=True)) for c in indices]
    return AdjointAt.of(name, places) if isinstance(name, Adjoint) else At(sp.IndexedBase(name.name), *places)


def _result(name: Any, form: ClosedForm, value: Any) -> Equation:
    shown = brief(form)
    known = [] if value is None or np.ndim(value) or getattr(shown, "is_number", False) else [Value(value)]
    if shown is None:
        return Equation((name, *known))
    return Equation((entry(name, shown), shown, *known))


def _where(form: ClosedForm) -> list[Line] | None:
    """Return the lines of a formula too long for one: its body, and the names in it."""
    if brief(form) is not None or not few([form._root, *form._forward], NAMED):
        return None
    body = Line("note", ("the formula, with names for its parts: ", Equation((form.body,))))
    return [body, *(Line("note", ("where ", Equation((d.name, d.expr)))) for d in reversed(form.where))]
