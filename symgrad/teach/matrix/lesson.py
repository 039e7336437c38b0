"""``sg.explain`` of arrays: what f is, its differential line by line, and the derivative read off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import AnyNode, Leaf, is_node
from symgrad.core.pickling import written
from symgrad.engine.dtypes import is_imaginary
from symgrad.errors import SymgradError
from symgrad.expression.formula import Label
from symgrad.forms.canon.patterns.kronecker import Kron
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.nodes.arrays import ArraySymbol
from symgrad.forms.nodes.elementwise import Elementwise, Hadamard
from symgrad.forms.nodes.marks import Diag, Length, Norm2, Trace
from symgrad.forms.nodes.matrices import Call, Kronecker, Product, Transposed, is_symmetric
from symgrad.forms.replay import replayed
from symgrad.forms.where import Explained
from symgrad.implicit.expand import spelled
from symgrad.ode.flow import Flow
from symgrad.ops.linalg.determinant import Det
from symgrad.ops.linalg.spectral import Eigenvalues
from symgrad.support.lazy import cached_property
from symgrad.teach.board.line import Equation, Value
from symgrad.teach.matrix.changes import marks, projected, said, structure
from symgrad.teach.matrix.laws import multiplied_out, of_eigenvalues, without_kronecker
from symgrad.teach.matrix.naming import as_traces, in_typed_order
from symgrad.teach.matrix.operations import eigenvalue, operations, rules, theorems
from symgrad.teach.matrix.rules import NoWords
from symgrad.teach.matrix.solution import SEEDS, Solution
from symgrad.teach.matrix.symbols import Differential, Terms, in_complex_numbers, paired, shape_of, sized, turned
from symgrad.teach.matrix.trial import Trial
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lesson import Evaluation, Given, LessonStep, Note, ReadGradient, UseIdentity
from symgrad.teach.steps.lines import WIRTINGER, entry
from symgrad.teach.steps.tape import Tape
from symgrad.teach.steps.unicode_text import unicode_text
from symgrad.tensors.structures import structure_of

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
        whole = self._formula(ClosedForm(root := self._general_root(), [root], check=False))
        if whole is not None:
            whole = multiplied_out(whole, {*names})
            traces = as_traces(whole)
            whole = in_typed_order(traces, self._typed) if traces.has(Trace) else whole
        label = Label(self._f, 0, tuple(names))
        shown = (label,) if whole is None else (label, as_traces(whole))
        shown = self._in_letters(label) if whole is None and self._is_flow else shown
        leaves = {n: x for n, x in self._leaves.items() if x.shape and (x.title or not self._is_flow)}
        shapes = ", ".join(" ".join([n, sized(leaf.shape), *map(said, marks(leaf))]) for n, leaf in leaves.items())
        yield Given(before=label, after=shown[-1], written=tuple(shown[1:]), ledger=shapes)
        yield from (Note(reason=("where ", Equation(letter))) for letter in self.tape.letters)
        apart, law = (whole, "") if whole is None else without_kronecker(whole)
        of_all, law_of_all = (apart, "") if apart is None else of_eigenvalues(apart)
        yield from theorems(self.tape)
        yield from rules(self.tape, of_all if law_of_all else whole)
        if any(map(self._has_gradient, names)):
            yield Note(reason=(WIRTINGER,))
        for before, after, says in ((whole, apart, law), (apart, of_all, law_of_all)):
            if says:
                reason = (f"{says}:",)
                yield UseIdentity(
                    before=before, after=after, reason=reason, written=(after,), left=label, identity=says
                )
        try:
            solution = self._solution(of_all, names, self._f)
        except (NoWords, SymgradError):
            if not self._is_flow and eigenvalue(self.tape) is None:
                yield from operations(self.tape, self.targets)
            solution = None
        yield from self._read_off(solution, names, self._first, self._f, self.tape.root.shape)
        yield from _equations(self._first)
        yield from self._where(whole)
        for target, name in zip(self.targets, names, strict=True) if self.order == 1 else ():
            yield from self._along_changes(target, "G" if len(names) == 1 else f"G_{name}", solution)
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

    @property
    def _typed(self) -> list[str]:
        """The names of the leaves in the order in which the program uses them, each as often as it does."""
        typed, stack = list[str](), [self.tape.root]
        while stack and len(typed) < MOST:
            node = stack.pop()
            if isinstance(node, Leaf):
                typed.append(self.tape.names.get(node, ""))
            else:
                stack.extend(reversed([p for p in node.inputs if is_node(p)]))
        return typed

    def _general_root(self) -> AnyNode:
        """Return the output as a function of matrices of which nothing is known, where they are differentiated by."""
        leaves = [t for t in self.targets if isinstance(t, Leaf) and self._is_general(t)]
        general: dict[AnyNode, AnyNode] = {t: Leaf(t.value, t.shape, t.level, t.title) for t in leaves}
        return replayed([self.tape.root], general)[0] if general else self.tape.root

    def _is_general(self, target: Leaf) -> bool:
        """Whether a matrix is differentiated by as a general one, although it has a structure."""
        inside = {n.inputs[0] for n in self.tape.nodes if isinstance(getattr(n, "op", None), Eigenvalues)}
        return structure(target) is not None and target not in inside

    def _along_changes(self, target: AnyNode, g: str, solution: Solution | None) -> Iterator[LessonStep]:
        """Say which part of a gradient counts where its matrix has a structure that the gradient has not."""
        form = self._first[self.targets.index(target)]
        if not isinstance(target, Leaf) or structure(target) is None or self.tape.root.shape:
            return
        trial = Trial(self._leaves, set(), SEEDS[0])
        try:
            gradient = trial.number(form._expr)
        except (SymgradError, ArithmeticError, ValueError, TypeError, KeyError, np.linalg.LinAlgError):
            return
        known: Any = structure_of(target.assumptions)
        if not np.allclose(known.project(gradient, trial.values[self.tape.names[target]]), gradient):
            letters = set() if solution is None else set(solution.known)
            yield from projected(self.tape, target, g, letters)

    def _where(self, whole: Any) -> Iterator[LessonStep]:
        """Say where the derivative holds: where norms and denominators are not 0, and matrices have an inverse."""
        names = {self.tape.names[t] for t in self.targets}
        parts = sorted(whole.atoms(Length, Call, sp.Pow), key=str) if whole is not None else []
        for a in (a for a in parts if names & {str(s) for s in a.free_symbols}):
            below = a.base if isinstance(a, sp.Pow) and a.exp.is_number and a.exp.is_negative else None
            if isinstance(a, Call) and isinstance(a.op, Det):
                yield Note(kind="remark", reason=("This holds where ", Equation((a.args[1],)), " has an inverse."))
            zero = a.args[0] if isinstance(a, Length) else below.args[0] if isinstance(below, Norm2) else below
            if zero is not None and not (below is not None and isinstance(below, Length)) and not is_positive(zero):
                yield Note(kind="remark", reason=("This holds where ", Equation((zero,)), " is not 0."))

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
    if symmetric := [s for s in _symmetric_in(closed) if any(s in _names_in(t) for t in gradient.atoms(Transposed))]:
        return ", ".join(f"{s}ᵀ = {s}" for s in symmetric)
    if "dexpm" in unicode_text(gradient) and "dexpm" not in unicode_text(closed):
        return "dexpm(M, I) = expm(M)"
    if closed.has(Diag) and not gradient.has(Diag) and gradient.has(Hadamard):
        return "a·bᵀ ⊙ M = diag(a)·M·diag(b)"
    return ""


def is_positive(e: Any) -> bool:
    """Whether a number is known to be more than 0, as 1 + ‖x‖² is."""
    if shape_of(e):
        return False
    if e.is_Add:
        return all(isinstance(t, Norm2) or is_positive(t) for t in e.args) and any(map(is_positive, e.args))
    return bool(e.is_positive) or (isinstance(e, Elementwise) and str(e.args[0]) == "exp")


def _alike(a: Any, b: Any) -> bool:
    """Whether two formulas differ in the order of their terms at most."""
    return sorted(unicode_text(a)) == sorted(unicode_text(b))


def _symmetric_in(e: Any) -> list[str]:
    """Return the names of the symmetric matrices in an expression."""
    return sorted({str(a) for a in e.atoms(ArraySymbol) if is_symmetric(a)})


def _names_in(e: Any) -> set[str]:
    return {str(a) for a in e.atoms(ArraySymbol)}


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
        yield Note(reason=("in entries:",))


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
