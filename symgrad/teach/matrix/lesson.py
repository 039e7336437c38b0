"""``sg.explain`` of arrays: what f is, its differential line by line, and the derivative read off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from symgrad.core.node import AnyNode, Leaf
from symgrad.core.pickling import written
from symgrad.engine.dtypes import is_imaginary
from symgrad.errors import SymgradError
from symgrad.expression.formula import Label
from symgrad.forms.canon.patterns.kronecker import Kron
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.nodes.arrays import ArraySymbol
from symgrad.forms.nodes.elementwise import Elementwise, Hadamard
from symgrad.forms.nodes.marks import Diag, Length
from symgrad.forms.nodes.matrices import Kronecker, Product
from symgrad.forms.where import Explained
from symgrad.implicit.expand import spelled
from symgrad.ode.flow import Flow
from symgrad.support.lazy import cached_property
from symgrad.teach.board.line import Equation, Value
from symgrad.teach.matrix.laws import multiplied_out, without_kronecker
from symgrad.teach.matrix.naming import as_traces
from symgrad.teach.matrix.operations import eigenvalue, operations, rules, theorems
from symgrad.teach.matrix.rules import NoWords
from symgrad.teach.matrix.solution import Solution
from symgrad.teach.matrix.symbols import Differential, Terms, in_complex_numbers, paired, sized, turned
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lesson import Evaluation, Given, LessonStep, Note, ReadGradient, UseIdentity
from symgrad.teach.steps.lines import WIRTINGER, entry
from symgrad.teach.steps.tape import Tape
from symgrad.teach.steps.unicode_text import unicode_text

FUNCTIONS = "fghFGH"
MOST = 60  # operations of a formula that is differentiated as a whole
LONG = 500  # signs of one
PARTS = 12  # names, with more of which the derivative is not written without them


class Lesson:
    """The derivation of an array or a number by arrays.

    Attributes:
        forms: the closed form for each target, as ``sg.derive`` gives it.
        lesson: what is said, step by step.
    """

    def __init__(self, tape: Tape, targets: Sequence[Any], order: int) -> None:
        self.tape, self.order = tape, order
        self.targets: tuple[AnyNode, ...] = tuple(t._node for t in targets)
        self._first = self._derived(1)
        self.forms: tuple[ClosedForm, ...] = self._first if order == 1 else self._derived(order)
        self._leaves = {tape.names[n]: n for n in tape.nodes if isinstance(n, Leaf)}
        self._f = next((c for c in FUNCTIONS if c not in self._leaves), "f′")
        self.lesson: tuple[LessonStep, ...] = tuple(self._steps())

    def packed(self) -> tuple[Any, bool]:
        """Return what it is made from, as it is pickled."""
        return written([self.tape.root, *self.targets]), False

    def _derived(self, order: int) -> tuple[ClosedForm, ...]:
        y = self.tape.handled()
        return tuple(derive(y, self.tape.handled(t), order, verify=False) for t in self.targets)

    # ---------------------------------------------------------------- lines
    def _steps(self) -> Iterator[LessonStep]:
        names = [self.tape.names[t] for t in self.targets]
        whole = self._formula(ClosedForm(self.tape.root, [self.tape.root], check=False))
        whole = whole if whole is None else multiplied_out(whole, {*names})
        label = Label(self._f, 0, tuple(names))
        shown = (label,) if whole is None else (label, as_traces(whole))
        shown = self._in_letters(label) if whole is None and self._is_flow else shown
        leaves = {n: x for n, x in self._leaves.items() if x.shape and (x.title or not self._is_flow)}
        shapes = ", ".join(f"{n} {sized(leaf.shape)}" for n, leaf in leaves.items())
        yield Given(before=label, after=shown[-1], written=tuple(shown[1:]), ledger=shapes)
        yield from (Note(reason=("where ", Equation(letter))) for letter in self.tape.letters)
        yield from theorems(self.tape)
        yield from rules(self.tape, whole)
        if any(map(self._has_gradient, names)):
            yield Note(reason=(WIRTINGER,))
        apart, law = (whole, "") if whole is None else without_kronecker(whole)
        if law:
            yield UseIdentity(
                before=whole, after=apart, reason=(f"{law}:",), written=(apart,), left=label, identity=law
            )
        try:
            solution = self._solution(apart, names, self._f)
        except (NoWords, SymgradError):
            if not self._is_flow and eigenvalue(self.tape) is None:
                yield from operations(self.tape, self.targets)
            solution = None
        yield from self._read_off(solution, names, self._first, self._f, self.tape.root.shape)
        yield from _equations(self._first)
        yield from self._lengths(whole)
        if self.order > 1:
            for name, first, last in zip(names, self._first, self.forms, strict=True):
                yield from self._again(name, first, last, len(names) > 1)

    @cached_property
    def _is_flow(self) -> bool:
        """Whether one solution of a differential equation is inside, of which the adjoint equation tells all."""
        answers = [op for n in self.tape.nodes if (op := getattr(n, "op", None)) is not None and op.theorem]
        return len(answers) == 1 and isinstance(answers[0], Flow)

    def _in_letters(self, label: Label) -> tuple[Any, ...]:
        """Return the function with the solution's letters, as y(2)."""
        (root,) = spelled([self.tape.root], {}, lambda one, other: None)
        e = brief(ClosedForm(root, [root], check=False), LONG)
        return (label,) if e is None else (label, e)

    def _solution(self, e: Any, names: Sequence[str], f: str) -> Solution:
        if e is None or self.tape.imaginary:
            raise NoWords("a long formula" if e is None else "complex numbers")
        return Solution(e, self._leaves, names, f)

    def _formula(self, form: ClosedForm) -> Any:
        """Return a formula in matrix notation, None where it has none or is long."""
        return brief(form, LONG) if len(self.tape.nodes) <= MOST and form.has_matrix else None

    def _lengths(self, whole: Any) -> Iterator[LessonStep]:
        """Say that ‖r‖ has no derivative where r is 0."""
        names = {self.tape.names[t] for t in self.targets}
        for a in sorted(whole.atoms(Length), key=str) if whole is not None else ():
            if names & {str(s) for s in a.free_symbols}:
                yield Note(kind="remark", reason=("This holds where ", Equation((a.args[0],)), " is not 0."))

    def _again(self, name: str, first: ClosedForm, last: ClosedForm, several: bool) -> Iterator[LessonStep]:
        """Go on from the gradient with respect to one variable to the Hessian."""
        g = self._called("g" if len(first.shape) < 2 else "G", name, several)
        e = self._formula(first)
        yield Note(kind="gap", reason=("",))
        if e is not None:
            yield Given(before=Label(g, 0, (name,)), after=e, written=(e,), ledger=sized(first.shape))
        try:
            solution = self._solution(e, [name], g)
        except (NoWords, SymgradError):
            solution = None
        yield from self._read_off(solution, [name], [last], g, first.shape)

    # ---------------------------------------------------------------- the derivative
    @property
    def _letters(self) -> list[Any]:
        """The letters that are explained below the function."""
        return [name for name, _ in self.tape.letters]

    def _read_off(
        self, solution: Solution | None, names: Sequence[str], forms: Sequence[ClosedForm], f: str, shape: Sequence[Any]
    ) -> Iterator[LessonStep]:
        if solution is not None:
            yield from solution.steps
        for name, form in zip(names, forms, strict=True):
            own = self._leaves[name].shape if name in self._leaves else form.shape[len(shape) :]
            letter = ("g" if len(own) < 2 else "G") if not shape else "J" if f == self._f else "H"
            g = self._named(self._called(letter, name, len(names) > 1), form.shape)
            mine = None if solution is None else solution.gradients.get(name)
            in_names = mine is not None and solution is not None and len(solution.known) > PARTS
            sides, real = None if solution is None else solution.sides, not self._has_gradient(name)
            d = Differential.of(f, shape)
            yield from _definition(g, f, shape, name, own, sides, in_names=in_names, real=real)
            shown, where = (None, ()) if in_names else _shown(form)
            rights = [e for e in (mine, shown) if e is not None]
            distinct = [e for e in rights[:-1] if not _alike(e, rights[-1])] + rights[-1:]
            where = tuple(d for d in where if d[0] not in self._letters)
            left = entry(g, distinct[-1]) if distinct and form.shape else g
            reason = identity(solution, distinct[0], _closed(form)) if solution and len(distinct) == 2 else ""
            size, end = sized(form.shape), rights[-1] if rights else None
            if reason:
                yield ReadGradient(before=d, after=distinct[0], written=(distinct[0],), left=left, ledger=size)
                yield UseIdentity(
                    before=distinct[0], after=distinct[1], written=(distinct[1],), where=where, ledger=reason,
                    identity=reason,
                )  # fmt: skip
            else:
                yield ReadGradient(before=d, after=end, written=tuple(distinct), left=left, where=where, ledger=size)
            yield from self._value(form)

    def _has_gradient(self, name: str) -> bool:
        """Whether the derivative with respect to a name is the gradient of a real number by complex ones."""
        complex_ = name in self._leaves and is_imaginary(self._leaves[name])
        return complex_ and not self.tape.root.shape and not is_imaginary(self.tape.root)

    def _called(self, letter: str, name: str, several: bool) -> str:
        label = f"{letter}_{name}" if several else letter
        while label in self._leaves:
            label += "′"
        return label

    def _named(self, name: str, shape: Sequence[Any]) -> Any:
        return ArraySymbol.of(name, shape) if shape else Label(name)

    def _value(self, form: ClosedForm) -> Iterator[LessonStep]:
        (value,) = self.tape.values([form._root]) if self.tape.known and not form._bases else (None,)
        if value is not None:
            yield Evaluation(before=_closed(form), after=Value(np.asarray(value)))


def identity(solution: Solution, gradient: Any, closed: Any) -> str:
    """Return what is used between the gradient in the names of the lines and the closed form, where it is not plain."""
    if _sigmoids(solution.opened(gradient)) != _sigmoids(closed):
        return "σ(−t) = 1 − σ(t)"
    if "dexpm" in unicode_text(gradient) and "dexpm" not in unicode_text(closed):
        return "dexpm(M, I) = expm(M)"
    if closed.has(Diag) and not gradient.has(Diag) and gradient.has(Hadamard):
        return "a·bᵀ ⊙ M = diag(a)·M·diag(b)"
    return ""


def _alike(a: Any, b: Any) -> bool:
    """Whether two formulas differ in the order of their terms at most."""
    return sorted(unicode_text(a)) == sorted(unicode_text(b))


def _sigmoids(e: Any) -> set[str]:
    return {str(a) for a in e.atoms(Elementwise) if str(a.args[0]) == "sigmoid"}


def _definition(
    g: Any,
    f: str,
    shape: Sequence[Any],
    name: str,
    own: Sequence[Any],
    sides: tuple[Any, Any] | None,
    *,
    in_names: bool,
    real: bool,
) -> Iterator[LessonStep]:
    """Say what the derivative is read off: df = gᵀ·dx or Re gᴴ·dz, dy = J·dx, vec(dY) = (Bᵀ ⊗ A)·vec(dX)."""
    d, dx = Differential.of(f, shape), Differential.of(name, own)
    gives = " gives, in the names above," if in_names else " gives"
    if not shape and not real and not own:
        yield Note(reason=(Equation((d,)), " = Re(conj(", Equation((g,)), ")·", Equation((dx,)), f"){gives}"))
    elif not shape and not real:
        yield Note(reason=(Equation((d, in_complex_numbers(g, dx))), gives))
    elif not shape and own:
        yield Note(reason=(Equation((d, Terms.of([paired(g, dx)]))), gives))
    elif len(shape) == 1 and len(own) == 1:
        yield Note(reason=(Equation((d, Product.of([g, dx], shape))), gives))
    elif own:
        if sides is not None:
            a, b = sides
            kron = Equation((Kronecker.of(Kron(), [turned(b), a], (1, 1)),))
            words = ("columns below each other: vec(", Equation((d,)), ") = (", kron, ")·vec(", Equation((dx,)), ")")
            yield Note(reason=words)
        yield Note(reason=("entry by entry:",))


def _equations(forms: Sequence[ClosedForm]) -> Iterator[LessonStep]:
    """Yield the equations that the letters in formulas solve, as λ' = k·λ, each once."""
    bodies = [e for e in map(_closed, forms) if e is not None]
    told = dict.fromkeys(d for e in bodies for d in Explained(e).told)
    yield from (Note(reason=("where ", Equation((d.name, d.expr)))) for d in reversed(told))


def _shown(form: ClosedForm) -> tuple[Any, tuple[tuple[Any, Any], ...]]:
    """Return a form as it is printed, and the names in it with what they stand for."""
    try:
        named = form._shown[1]
    except SymgradError:
        return None, ()
    if named is None or not named.definitions:
        return _closed(form), ()
    return named.bodies[0], tuple((d.name, d.expr) for d in reversed(named.definitions))


def _closed(form: ClosedForm) -> Any:
    try:
        return form._expr
    except SymgradError:
        return None
