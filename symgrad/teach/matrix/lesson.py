"""``sg.explain`` of arrays: what f is, its differential line by line, and the derivative read off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import AnyNode, Leaf
from symgrad.core.pickling import written
from symgrad.engine.dtypes import is_imaginary
from symgrad.errors import SymgradError
from symgrad.expression.formula import Label
from symgrad.forms.canon.patterns.kronecker import Kron
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.names import Mint
from symgrad.forms.nodes.arrays import ArrayExpr, ArraySymbol
from symgrad.forms.nodes.elementwise import Elementwise, Hadamard
from symgrad.forms.nodes.formulas import formula
from symgrad.forms.nodes.marks import Diag
from symgrad.forms.nodes.matrices import Call, Kronecker, Plus, Product, in_front, is_symmetric
from symgrad.forms.replay import replayed
from symgrad.forms.where import Explained
from symgrad.implicit.expand import spelled
from symgrad.ode.flow import Flow
from symgrad.support.lazy import cached_property
from symgrad.teach.board.line import Equation, Value
from symgrad.teach.matrix.conditions import conditions, without_ties
from symgrad.teach.matrix.laws import multiplied_out, rewritings
from symgrad.teach.matrix.letters import Letters
from symgrad.teach.matrix.naming import as_traces
from symgrad.teach.matrix.notation import INDEX, Textbook, meanings, scaled_entry, textbook
from symgrad.teach.matrix.operations import eigenvalue, operations, rules, theorems
from symgrad.teach.matrix.order import in_order, names_in_order
from symgrad.teach.matrix.rules import NoWords
from symgrad.teach.matrix.solution import Solution
from symgrad.teach.matrix.symbols import Differential, Terms, in_complex_numbers, paired, plus, rebuilt, sized, turned
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lesson import Evaluation, Given, LessonStep, Note, ReadGradient, UseIdentity
from symgrad.teach.steps.lines import WIRTINGER, entry
from symgrad.teach.steps.tape import Tape
from symgrad.teach.steps.unicode_text import unicode_text
from symgrad.tensors.structures import STRUCTURES

FUNCTIONS = "fghFGH"
MOST = 60  # operations of a formula that is differentiated as a whole
LONG = 500  # signs of one
DEEP = 4  # brackets inside each other that are hard to read
PARTS = 12  # names, with more of which the derivative is not written without them


class Lesson:
    """The derivation of an array or a number by arrays.

    Args:
        kinds: what to say of matrices whose structure the formulas do not use.

    Attributes:
        forms: the closed form for each target, as ``sg.derive`` gives it.
        function: the letter of the function.
        gradients: the derivative for each target as it is written last; None where it is not written.
        lesson: what is said, step by step.
    """

    def __init__(
        self, tape: Tape, targets: Sequence[Any], order: int, kinds: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.tape, self.order, self._kinds = tape, order, kinds
        self.targets: tuple[AnyNode, ...] = tuple(t._node for t in targets)
        self._first = self._derived(1)
        self.forms: tuple[ClosedForm, ...] = self._first if order == 1 else self._derived(order)
        self._leaves = {tape.names[n]: n for n in tape.nodes if isinstance(n, Leaf)}
        self.function = next((c for c in FUNCTIONS if c not in self._leaves), "f′")
        self.gradients: list[Any] = []
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
        label = Label(self.function, 0, tuple(names))
        asked = self._formulas({*names})
        whole, solution = self._solved(asked, names, self.function, self._first)
        shown = (label,) if whole is None else (label, textbook(whole))
        shown = self._in_letters(label) if whole is None and self._is_flow else shown
        derivation = tuple(self._read_off(solution, names, self._first, self.function, self.tape.root.shape))
        yield Given(before=label, after=shown[-1], written=tuple(shown[1:]), ledger=self._shapes())
        yield from self._meanings(solution, [*shown[1:], *chain(*map(formulas_in, derivation))])
        yield from (Note(reason=("where ", Equation(letter))) for letter in self.tape.letters)
        yield from theorems(self.tape)
        laws = [] if whole is None else rewritings(whole)
        yield from rules(self.tape, laws[-1][1] if laws else whole, self._letters_of(solution))
        if any(map(self._has_gradient, names)):
            yield Note(reason=(WIRTINGER,))
        for before, after, law in laws:
            says = self._letters_of(solution).quote(law)
            yield UseIdentity(
                before=before, after=after, reason=(f"{says}:",), written=(textbook(after),), left=label, identity=says
            )
        if solution is None and not self._is_flow and eigenvalue(self.tape) is None:
            yield from operations(self.tape, self.targets)
        yield from derivation
        yield from _equations(self._first)
        yield from self._conditions([whole, *map(_closed, self._first)], names)
        if self.order > 1:
            for name, first, last, e in zip(names, self._first, self.forms, [*self.gradients], strict=True):
                yield from self._again(name, first, last, len(names) > 1, e)

    def _shapes(self) -> str:
        """Return the shapes of the names, each with the kind of matrix that it is."""
        leaves = {n: x for n, x in self._leaves.items() if x.shape and (x.title or not self._is_flow)}
        return ", ".join(f"{n} {sized(x.shape)}{self._kinds.get(n) or kind_of(x)}" for n, x in leaves.items())

    def _letters_of(self, solution: Solution | None) -> Letters:
        taken = Mint({*self._leaves, self.function})
        return Letters(taken, self._sizes) if solution is None else solution.letters

    @property
    def _sizes(self) -> set[str]:
        return {s.name for leaf in self._leaves.values() for n in leaf.shape for s in sp.sympify(n).free_symbols}

    def _meanings(self, solution: Solution | None, written: Sequence[Any]) -> Iterator[LessonStep]:
        """Say what the functions and signs of the lesson mean."""
        says = meanings(written, self._letters_of(solution))
        if says:
            yield Note(reason=("where " + "; ".join(says),))

    def _conditions(self, formulas: Sequence[Any], names: Sequence[str]) -> Iterator[LessonStep]:
        """Say where the lesson holds."""
        definite, orthogonal = (
            {n for n, x in self._leaves.items() if mark in x.assumptions}
            for mark in ("positive_definite", "orthogonal")
        )
        orthogonal |= {n for n, kind in self._kinds.items() if kind == " orthogonal"}
        if not self.tape.imaginary and (says := conditions(formulas, {*names}, definite, orthogonal)):
            yield Note(kind="remark", reason=tuple(says))

    # ---------------------------------------------------------------- the formula and its solution
    def _formulas(self, moving: set[str]) -> list[tuple[Any, bool]]:
        """Return the formula as it can be differentiated, and whether in all entries of matrices with a structure.

        A symmetric matrix is varied as a general one, so that the gradient is that of the closed form.
        """
        order = names_in_order(self.tape.root, self.tape.names)

        def read(root: AnyNode) -> Any:
            e = self._formula(ClosedForm(root, [root], check=False))
            return e if e is None else in_order(as_traces(multiplied_out(e, moving)), order)

        marked = {leaf: unmarked(leaf) for leaf in self._leaves.values() if "symmetric" in leaf.assumptions}
        if not marked:
            return [(read(self.tape.root), False)]
        (root,) = replayed([self.tape.root], marked)  # type: ignore[arg-type]
        general = read(root)
        symbols = [(n, x.shape) for n, x in self._leaves.items() if x in marked]
        there = {ArraySymbol.of(n, shape): ArraySymbol.of(n, shape, True) for n, shape in symbols}
        made = [] if general is None else [(rebuilt(general, there), True), (general, True)]
        return [*made, (read(self.tape.root), False)]

    def _solved(
        self, asked: Sequence[tuple[Any, bool]], names: Sequence[str], f: str, forms: Sequence[ClosedForm]
    ) -> tuple[Any, Solution | None]:
        """Return the first formula whose differential leads to the closed forms, with its solution."""
        for e, general in asked:
            if e is None or self.tape.imaginary:
                continue
            try:
                solution = Solution(
                    ([e] + [after for _, after, _ in rewritings(e)])[-1], self._leaves, names, f, general=general
                )
            except (NoWords, SymgradError):
                continue
            if all(solution.confirms(n, _closed(form)) for n, form in zip(names, forms, strict=True)):
                return e, solution
        return next((e for e, _ in asked if e is not None), None), None

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

    def _formula(self, form: ClosedForm) -> Any:
        """Return a formula in matrix notation, None where it has none or is long."""
        return brief(form, LONG) if len(self.tape.nodes) <= MOST and form.has_matrix else None

    def _again(self, name: str, first: ClosedForm, last: ClosedForm, several: bool, shown: Any) -> Iterator[LessonStep]:
        """Go on from the gradient with respect to one variable, as it is shown or closed, to the Hessian."""
        g = self._called("g" if len(first.shape) < 2 else "G", name, several)
        e = self._formula(first)
        is_open = shown is not None and {s.name for s in shown.free_symbols} <= {*self._leaves, *self._sizes}
        if e is not None and is_open and len(unicode_text(shown)) < len(unicode_text(e)):
            e = shown
        yield Note(kind="gap", reason=("",))
        if e is not None:
            e = as_traces(e)
            yield Given(before=Label(g, 0, (name,)), after=e, written=(textbook(e),), ledger=sized(first.shape))
        _, solution = self._solved([(e, False)], [name], g, [last])
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
            letter = ("g" if len(own) < 2 else "G") if not shape else "J" if f == self.function else "H"
            letter = letter if own or not shape else f"{f}′"
            g = self._named(self._called(letter, name, len(names) > 1), form.shape)
            mine = None if solution is None else solution.gradients.get(name)
            in_names = mine is not None and solution is not None and len(solution.known) > PARTS
            sides, real = None if solution is None else solution.sides, not self._has_gradient(name)
            turned_ = [] if shape or mine is None else symmetric_names(mine)
            yield from _definition(g, f, shape, name, own, sides, turned_, in_names=in_names, real=real)
            yield from self._gradient(solution, Differential.of(f, shape), g, mine, form, name, in_names=in_names)
            yield from self._value(form)

    def _gradient(
        self, solution: Solution | None, d: Any, g: Any, mine: Any, form: ClosedForm, name: str, *, in_names: bool
    ) -> Iterator[LessonStep]:
        """Yield the gradient in the names of the lines, and in those of the function."""
        closed, size = _closed(form), sized(form.shape)
        entry_ = None if mine is None or closed is None else scaled_entry(closed, INDEX)
        shown, where = (None, ()) if in_names or entry_ is not None else _shown(form)
        where = tuple(d for d in where if d[0] not in self._letters)
        reason = ""
        if solution is not None and mine is not None and shown is not None:
            opened = solution.opened(mine)
            reason = identity(mine, opened, closed, solution.letters)
            if is_plainer(opened, [shown, *chain(*where)], reason):
                shown, where, reason = opened, (), ""
        rights = [positive_first(e) for e in (mine, shown) if e is not None]
        self.gradients.append(rights[-1] if rights else None)
        distinct = [e for e in rights[:-1] if not _alike(e, rights[-1])] + rights[-1:]
        left, end = entry(g, distinct[-1]) if distinct and form.shape else g, rights[-1] if rights else None
        shown_ = tuple(map(textbook, distinct))
        if reason and len(distinct) == 2:
            yield ReadGradient(before=d, after=distinct[0], written=shown_[:1], left=left, ledger=size)
            yield UseIdentity(
                before=distinct[0], after=end, written=shown_[1:], where=where, ledger=reason, identity=reason
            )
        else:
            yield ReadGradient(before=d, after=end, written=shown_, left=left, where=where, ledger=size)
        if entry_ is not None:
            label = Label(self.function, (f"{name}_{INDEX}",))
            yield ReadGradient(before=d, after=closed, written=(Textbook.of(closed, formula(entry_)),), left=label)

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


def identity(gradient: Any, opened: Any, closed: Any, letters: Letters) -> str:
    """Return what is used between the gradient in the names of the lines and the closed form, where it is not plain."""
    if _sigmoids(opened) != _sigmoids(closed):
        return letters.quote("σ(−{t}) = 1 − σ({t})")
    if closed.has(Diag) and not gradient.has(Diag) and gradient.has(Hadamard):
        return letters.quote("{a}·{b}ᵀ ⊙ {M} = diag({a})·{M}·diag({b})")
    return ""


def kind_of(leaf: Leaf) -> str:
    """Return which kind of matrix a leaf is declared as, behind a space."""
    mark = next((m for m in STRUCTURES if m in leaf.assumptions), "")
    said = {"lower": "lower triangular", "upper": "upper triangular", "positive_definite": "positive definite"}
    return f" {said.get(mark, mark)}" if mark else ""


def unmarked(leaf: Leaf) -> Leaf:
    """Return a leaf without its structure."""
    made = Leaf(leaf.value, leaf.shape, leaf.level, leaf.title)
    made.dtype = leaf.dtype
    return made


def symmetric_names(e: Any) -> list[str]:
    """Return the names of symmetric matrices in a gradient, which are transposed where it is read off."""
    terms = e.args[:-1] if isinstance(e, Plus) else (e,)
    arrays = [a for t in terms for a in sp.preorder_traversal(in_front(t)[1]) if isinstance(a, ArraySymbol)]
    return list(dict.fromkeys(str(a.name) for a in arrays if is_symmetric(a)))


def positive_first(e: Any) -> Any:
    """Write A − B + C as A + C − B."""
    if not isinstance(e, ArrayExpr) or isinstance(e, (ArraySymbol, Call)):
        return e
    e = rebuilt(e, {a: positive_first(a) for a in e.args if isinstance(a, ArrayExpr)})
    if not isinstance(e, Plus):
        return e
    return plus(sorted(e.args[:-1], key=lambda t: bool(sp.sympify(in_front(t)[0]).could_extract_minus_sign())))


def is_plainer(e: Any, other: Sequence[Any], reason: str) -> bool:
    """Whether a formula is better to read than another with its definitions, to which a reason leads."""
    mine, theirs = unicode_text(textbook(e)), "".join(unicode_text(textbook(o)) for o in other)
    if len(mine) == len(theirs):
        return bool(reason) or sorted(mine) == sorted(theirs)
    is_nested = _depth(theirs) >= DEEP and _depth(mine) < _depth(theirs)
    return len(mine) < len(theirs) or (is_nested and 2 * len(mine) < 3 * len(theirs))


def _depth(text: str) -> int:
    """Return how many brackets stand in each other."""
    depths = list(accumulate((c == "(") - (c == ")") for c in text))
    return max(depths, default=0)


def formulas_in(step: LessonStep) -> list[Any]:
    """Return the formulas that a step writes."""
    inside = [e for p in step.reason if isinstance(p, Equation) for e in p.parts]
    return [*step.written, *inside, *chain(*step.where)]


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
    symmetric: Sequence[str],
    *,
    in_names: bool,
    real: bool,
) -> Iterator[LessonStep]:
    """Say what the derivative is read off: df = gᵀ·dx or Re gᴴ·dz, dy = J·dx, vec(dY) = (Bᵀ ⊗ A)·vec(dX)."""
    d, dx = Differential.of(f, shape), Differential.of(name, own)
    gives = " gives, in the names above," if in_names else " gives"
    if symmetric:
        gives = f"{gives.rstrip(',')}, as {', '.join(f'{s}ᵀ = {s}' for s in symmetric)},"
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
    if named is None or not named.definitions or without_ties(_closed(form)) != _closed(form):
        return without_ties(_closed(form)), ()
    return named.bodies[0], tuple((d.name, d.expr) for d in reversed(named.definitions))


def _closed(form: ClosedForm) -> Any:
    try:
        return form._expr
    except SymgradError:
        return None
