"""From f to its differential, and from there to the gradient: the lines of one solution, each tried with numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Leaf
from symgrad.errors import SymgradError
from symgrad.forms.names import Mint
from symgrad.forms.nodes.arrays import ArraySymbol, OnesVector
from symgrad.forms.nodes.elementwise import Hadamard
from symgrad.forms.nodes.marks import Diag, Mean, Total, Trace
from symgrad.forms.nodes.matrices import (
    Call,
    Cross,
    Filled,
    Identity,
    Inner,
    Plus,
    Product,
    Scaled,
    Transposed,
    in_front,
    is_symmetric,
)
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.reductions.softmax import Softmax
from symgrad.teach.board.line import Equation
from symgrad.teach.matrix.letters import Letters
from symgrad.teach.matrix.naming import Names
from symgrad.teach.matrix.notation import INDEX, at_index, product_of_others, scaled_entry, textbook
from symgrad.teach.matrix.rules import NoWords, Part, Rules, times_all
from symgrad.teach.matrix.symbols import (
    Differential,
    Terms,
    diag,
    differentials_in,
    is_ones,
    ones,
    paired,
    plus,
    product,
    rebuilt,
    scaled,
    shape_of,
    sized,
    times,
    turned,
)
from symgrad.teach.matrix.trial import Trial
from symgrad.teach.steps.lesson import (
    Abbreviate,
    Collect,
    LessonStep,
    MoveDifferential,
    MultiplyOut,
    NamePart,
    Note,
    Substitute,
    TakeDifferential,
)
from symgrad.teach.steps.unicode_text import unicode_text

LONG = 34  # signs of a factor that gets a name
DERIVATIVES = ("g", "G", "J")  # what derivatives are called
TWICE = 14  # of one that stands in two terms
SEEDS = range(3, 11)
State = list[tuple[str, Any]]  # what changes, with what stands before its differential


class Solution:
    """The lines of differentials of a number.

    Args:
        general: whether matrices with a structure are varied in all entries, as of a general matrix.

    Attributes:
        steps: names of parts, and the differential from rule to rule.
        gradients: for each name that is differentiated by, the gradient in the names of the lines.
        known: what each name stands for.
        letters: those of the laws that are quoted.
        sides: of the differential A·dX·B of a matrix, A and B; else None.
    """

    def __init__(
        self, e: Any, leaves: Mapping[str, Leaf], wanted: Sequence[str], f: str, *, general: bool = False
    ) -> None:
        self._said: dict[str, None] = {}
        self._leaves, self._general = leaves, general
        self._active = {*wanted}
        self._mint = Mint({*leaves, f}, {*_sizes(leaves), *DERIVATIVES})
        self.letters = Letters(self._mint, {*_sizes(leaves), *DERIVATIVES})
        self._rules = Rules(self._active, self._said, self.letters)
        self._names = Names(e, self._mint, self._rules.moves)
        self._active.update(z.name for z, _ in self._names.parts)
        self._wanted, self._f = wanted, f
        self._checks: list[tuple[str, Any]] = []  # "define", "dZ", "df" or "name", and the expression
        marks = {n: set(getattr(leaf, "assumptions", ())) for n, leaf in leaves.items()}
        self._simplex = {n for n, known in marks.items() if {"simplex", "onehot"} & known}
        self.known: dict[str, Any] = {}
        self._symbols: dict[str, Any] = {}
        self.gradients: dict[str, Any] = {}
        self.steps: list[LessonStep] = []
        self._probabilities: dict[Any, Any] = {}
        self._others: dict[Any, Any] = {}
        self._before: Any = None
        self._simplified: dict[str, None] = {}
        self._quoted: set[str] = set()
        self._trial: Trial | None = None
        self.sides: tuple[Any, Any] | None = None
        self._solve()
        self._try()

    def opened(self, e: Any) -> Any:
        """Return an expression without the names of the lines."""
        for name in reversed(self.known):
            e = rebuilt(e, {self._symbols[name]: self.known[name]})
        return e

    # ---------------------------------------------------------------- lines
    def _define(self, symbol: Any, e: Any, d: Any = None, why: str = "") -> None:
        """Say what a name stands for, and its differential; the rule once."""
        self.known[symbol.name], self._symbols[symbol.name] = e, symbol
        entry = scaled_entry(e, INDEX)
        parts: list[Any] = [Equation((symbol, textbook(e)) if entry is None else at_index(symbol, e))]
        self._checks.append(("define", (symbol.name, e)))
        if d is not None:
            parts.append(Equation((Differential.of(symbol.name, shape_of(symbol)), textbook(d))))
            self._checks.append(("differential", (symbol.name, d)))
        shape = sized(shape_of(symbol))
        self.steps.append(NamePart(before=e, after=d, symbol=symbol, reason=tuple(parts), ledger=shape))
        if why and why not in self._quoted:
            self._quoted.add(why)
            self.steps.append(Note(kind="side", reason=(f"by the {why}" if why.endswith("rule") else f"by {why}",)))

    def _df(self, rule: type[Any], terms: Iterable[Any], why: str, **named: Any) -> None:
        """Write df, or what it equals by a rule."""
        given = list(terms)
        d = given[0] if len(given) == 1 and shape_of(given[0]) else Terms.of(given)
        left = Differential.of(self._f, shape_of(d)) if self._before is None else None
        if self._before is not None and _is_said(d, self._before, why):
            return
        before, self._before = self._before if left is None else self._names.top, d
        self._checks.append(("df", d))
        self.steps.append(rule(before=before, after=d, written=(textbook(d),), left=left, ledger=why, **named))

    # ---------------------------------------------------------------- the solution
    def _solve(self) -> None:
        differentials = []
        for z, e in self._names.parts:
            made, why = self._parts(e)
            parts = [Part(rebuilt(p.shown, {e: z}), p.whose, p.past) for p in made]
            differentials.append((z, parts))
            self._define(z, e, plus([p.shown for p in parts]), why)
        if shape_of(self._names.top):
            self._array(differentials)
            return
        parts, why = self._parts(self._names.top)
        self._df(TakeDifferential, [p.shown for p in parts], why)
        state = self._moved([(sp.S.One, p) for p in parts], [])
        for z, own in reversed(differentials):
            if any(name == z.name for name, _ in state):
                state = self._substituted(state, z, own)
        for name in self._wanted:
            mine = [c for n, c in state if n == name]
            if mine:
                self.gradients[name] = collected(mine)

    def _array(self, differentials: Sequence[tuple[Any, list[Part]]]) -> None:
        """Write df of an array, put in what the parts change by, and move dx to the end."""
        parts, why = self._parts(self._names.top)
        d = plus([p.shown for p in parts])
        self._df(TakeDifferential, [d], why)
        for z, own in reversed(differentials):
            change = Differential.of(z.name, shape_of(z))
            if change in differentials_in(d):
                d = rebuilt(d, {change: plus([p.shown for p in own])})
                self._df(Substitute, [d], f"substitute d{z.name}", symbol=z)
        self.sides = sides_of(d)
        if len(self._wanted) == 1 and not shape_of(
            dx := Differential.of(self._wanted[0], self._leaves[self._wanted[0]].shape)
        ):
            j = self.gradients[self._wanted[0]] = rebuilt(d, {dx: sp.S.One})
            self._df(MoveDifferential, [scaled(dx, j)], "")
            return
        moved = [jacobian(t) for t in (d.args[:-1] if isinstance(d, Plus) else (d,))]
        if len(self._wanted) == 1 and None not in moved and len(shape_of(d)) == 1:
            j = collected(moved)
            self.gradients[self._wanted[0]] = j
            reasons = ["{a} ⊙ {b} = diag({a})·{b}"] if d.has(Hadamard) else []
            if any(isinstance(a, Scaled) and differentials_in(a.args[0]) for a in sp.preorder_traversal(d)):
                reasons.append("({a}ᵀ·{b})·{c} = {c}·{a}ᵀ·{b}")
            self._df(MoveDifferential, [product([j, dx])], "; ".join(map(self.letters.quote, reasons)))

    def _parts(self, e: Any) -> tuple[list[Part], str]:
        """Return the parts of a differential, and the rules they follow."""
        self._said.clear()
        parts = self._rules.of(e)
        named = [Part(self._with_probabilities(p.shown), p.whose, p.past) for p in parts]
        return named, "; ".join(filter(None, self._said))

    def _with_probabilities(self, e: Any) -> Any:
        """Give softmax(Z) a name where a rule brings it in."""
        there = {a: self._probability(a) for a in sorted(e.atoms(Call), key=str) if isinstance(a.op, Softmax)}
        e = rebuilt(e, there) if there else e
        others = {a: self._of_others(a) for a in sorted(e.atoms(Hadamard), key=str) if product_of_others(a) is not None}
        return rebuilt(e, others) if others else e

    def _of_others(self, a: Any) -> Any:
        """Give the products of all other entries a name."""
        pair, rest = product_of_others(a)  # type: ignore[misc]
        if pair not in self._others:
            (letter,) = self._mint.names("kcq")
            self._others[pair] = ArraySymbol.of(letter, a.shape)
            self._define(self._others[pair], pair)
        return self._others[pair] if rest is None else times(rest, self._others[pair])

    def _probability(self, a: Any) -> Any:
        known = next((z for z, e in self._names.parts if e == a), None)
        if known is not None:
            return known
        if a not in self._probabilities:
            (letter,) = self._mint.names("PQSUV" if len(shape_of(a)) == 2 else "pqsuv")
            self._probabilities[a] = ArraySymbol.of(letter, shape_of(a))
            self._define(self._probabilities[a], a)
        return self._probabilities[a]

    def _substituted(self, state: State, z: Any, own: Sequence[Part]) -> State:
        """Put dZ into df, and move what stands before it."""
        many = [c for name, c in state if name == z.name]
        at = next(k for k, (name, _) in enumerate(state) if name == z.name)
        c = collected(many) if len(many) == 1 else sign_in_front(collected(many))
        before, behind = state[:at], [pair for pair in state[at:] if pair[0] != z.name]
        if len(many) > 1:
            self._df(Collect, map(_paired, [*before, (z.name, c), *behind]), "collect")
            c = multiplied_out(c)
            self._df(MultiplyOut, map(_paired, [*before, (z.name, c), *behind]), "multiply out")
        if len(unicode_text(c)) > (LONG if len(own) == 1 else TWICE):
            c = self._shorter(c)
            self._df(Abbreviate, map(_paired, [*before, (z.name, c), *behind]), "", symbol=c)
        put = [paired(c, p.shown) for p in own]
        self._df(Substitute, [*map(_paired, before), *put, *map(_paired, behind)], f"substitute d{z.name}", symbol=z)
        return self._moved([(c, p) for p in own], behind, before)

    def _moved(self, given: Sequence[tuple[Any, Part]], behind: State, before: State | None = None) -> State:
        """Move what stands around each differential before it, and say by which rules."""
        self._simplified = {}
        moved = [(p, self._tidied(p.past(c))) for c, p in given]
        laws = [law for (c, p), (_, m) in zip(given, moved, strict=True) for law in _laws(c, p, m)]
        moved = [(p, m) for p, m in moved if not _is_zero(m)] or moved[:1]
        mine = _added([(p.whose, m) for p, m in moved])
        state = [*(before or []), *mine, *behind]
        reasons = [*self._simplified, *dict.fromkeys(map(self.letters.quote, laws))]
        if not reasons and len(mine) < len(moved):
            reasons = ["equal terms"]
        self._df(MoveDifferential, map(_paired, state), "; ".join(filter(None, reasons)))
        return state

    def _shorter(self, c: Any) -> Any:
        """Give a long factor a name."""
        if not shape_of(c):
            return c
        (letter,) = self._mint.names("DEKM" if len(shape_of(c)) == 2 else "kc")
        symbol = ArraySymbol.of(letter, shape_of(c))
        self._define(symbol, c)
        return symbol

    # ---------------------------------------------------------------- what becomes simpler
    def _tidied(self, m: Any) -> Any:
        """Use that rows of probabilities sum to 1, and names that are known."""
        m = self._with_probabilities(m)
        there = {e: self._symbols[n] for n, e in self.known.items()}
        formula = self._summed(self._of_exponentials(without_two_signs(rebuilt(m, there))))
        return self._rows_sum_to_one(formula)

    def _of_exponentials(self, m: Any) -> Any:
        """Write L(M, I) as exp(M)."""
        calls = [a for a in m.atoms(Call) if isinstance(a.op, MatrixExp) and isinstance(a.args[2], Identity)]
        if not calls:
            return m
        self._simplified[self.letters.quote("L({M}, I) = exp({M})")] = None
        return rebuilt(m, {a: Call.of(a.op, [a.args[1]], a.shape) for a in calls})

    def _summed(self, m: Any) -> Any:
        """Use that the entries of a softmax sum to 1, and those of x − mean(x) to 0."""
        parts = {**self.known, **{s.name: e for e, s in self._probabilities.items()}}
        there: dict[Any, Any] = {}
        for name in sorted(n for n in parts if _total_of(parts[n]) is not None):
            z = self._symbols[name]
            one = OnesVector.of(*shape_of(z))
            for a, b in ((one, z), (z, one)):
                there[product([Transposed.of(a), b])] = name, _total_of(parts[name])
        used = [a for a in sp.preorder_traversal(m) if a in there]
        for a in used:
            name, total = there[a]
            self._simplified[f"entries of {name} sum to {total}"] = None
        return rebuilt(m, {a: there[a][1] for a in used}) if used else m

    def _rows_sum_to_one(self, m: Any) -> Any:
        for a in sorted((a for a in sp.preorder_traversal(m) if isinstance(a, Product)), key=str):
            first, *rest = a.args[:-1]
            if len(rest) == 1 and isinstance(rest[0], OnesVector) and getattr(first, "name", "") in self._simplex:
                self._simplified[f"rows of {first.name} sum to 1"] = None
                m = rebuilt(m, {a: ones(shape_of(a))})
        return m

    # ---------------------------------------------------------------- every line is tried
    def _try(self) -> None:
        """Compare each line with a small step; what does not agree is not said.

        Raises:
            NoWords: if a line does not agree, or no numbers were found to check it.
        """
        for seed in SEEDS:
            try:
                self._trial = Trial(self._leaves, {*self._wanted}, seed, general=self._general)
                if self._agrees(self._trial):
                    return
            except (FloatingPointError, ArithmeticError, ValueError, np.linalg.LinAlgError):
                continue  # no numbers there
            except (SymgradError, TypeError, NameError, AttributeError, KeyError) as error:
                raise NoWords(str(error)) from error
        raise NoWords("a line that does not agree")

    def _agrees(self, trial: Trial) -> bool:
        for _, (name, e) in (c for c in self._checks if c[0] == "define"):
            trial.define(name, e)
        for kind, given in self._checks:
            if kind == "differential":
                name, d = given
                wanted = trial.slope(self._symbols[name])
                if not trial.agrees(d, wanted):
                    return False
                trial.values[f"d{name}"] = wanted
        wanted = trial.slope(self._names.top)
        return all(trial.agrees(d, wanted) for kind, d in self._checks if kind == "df")

    def confirms(self, name: str, closed: Any) -> bool:
        """Whether a gradient in the names of the lines has the numbers of a closed form."""
        mine = self.gradients.get(name)
        assert self._trial is not None  # narrows the type: every solution is tried
        if mine is None or shape_of(mine) != shape_of(closed):
            return True
        try:
            return self._trial.equal(mine, closed)
        except KeyError:  # the closed form has letters of its own, as those of an equation's solution
            return False


def _total_of(e: Any) -> Any:
    """Return the sum of a vector's entries where it is known from its formula: 1 of a softmax, 0 of x − mean(x)."""
    if len(shape_of(e)) != 1:
        return None
    if isinstance(e, Call) and isinstance(e.op, Softmax):
        return sp.S.One
    if isinstance(e, Plus) and len(e.args) == 3:
        a, b = e.args[:-1]
        if b == Filled.of(-Mean.of(a), shape_of(a)):
            return sp.S.Zero
    return None


def _is_said(d: Any, before: Any, why: str) -> bool:
    """Whether a line says what the one before says, in another order at most if it has no reason."""
    new, old = unicode_text(d), unicode_text(before)
    return new == old or (not why and not d.has(Cross) and sorted(new) == sorted(old))


def _is_zero(m: Any) -> bool:
    return bool((in_front(m)[0] if shape_of(m) else m) == 0)


def _paired(pair: tuple[str, Any]) -> Any:
    name, c = pair
    return paired(c, Differential.of(name, shape_of(c)))


_TURNED, _SCALAR = "tr({M}ᵀ) = tr({M})", "{a}ᵀ·{b} = {b}ᵀ·{a}"
_UNDER_INTEGRAL = "tr({N}·L({M}, {E})) = tr(L({M}, {N})·{E}), by tr({A}·{B}) = tr({B}·{A}) under the integral"
_CYCLIC, _AS_TRACE = "tr({A}·{B}) = tr({B}·{A})", "{a}ᵀ·{M}·{b} = tr({b}·{a}ᵀ·{M})"


def _laws(c: Any, p: Part, m: Any) -> list[str]:
    """Return the laws by which what stands around a differential is moved before it: ⟨c, shown⟩ = ⟨m, dZ⟩."""
    shown, moved = p.shown if c == 1 else paired(c, p.shown), _paired((p.whose, m))
    if unicode_text(shown) == unicode_text(moved):
        return []
    vector = not any(len(shape_of(a)) == 2 for a in differentials_in(p.shown))
    is_product = any(isinstance(f, Inner) for f in sp.Mul.make_args(shown))
    if any(isinstance(a, Transposed) and differentials_in(a) for a in sp.preorder_traversal(p.shown)):
        symmetric = _symmetric_in(shown)
        if vector or is_product:
            return [_SCALAR, *symmetric, *([] if vector else [_AS_TRACE])]
        first, last = map(_traced_in, (shown, moved))
        return [_TURNED, *symmetric, *([] if first is not None and turned(first) == last else [_CYCLIC])]
    if any(isinstance(a.op, MatrixExp) for a in p.shown.atoms(Call) if differentials_in(a)):
        return [_UNDER_INTEGRAL]
    return _laws_of_entries(p.shown, vector) or ([] if vector else [_AS_TRACE if is_product else _CYCLIC])


def _laws_of_entries(shown: Any, vector: bool) -> list[str]:
    """Return the law of means, sums, diagonals and products of entries, where there are such around a differential."""
    means = [a for a in sp.preorder_traversal(shown) if isinstance(a, Mean) and differentials_in(a)]
    if vector and means:
        size = sized(shape_of(means[0].args[0]))
        return [
            f"mean({{a}} ⊙ {{b}}) = {{a}}ᵀ·{{b}}/{size}" if means[0].has(Hadamard) else f"mean({{a}}) = 1ᵀ·{{a}}/{size}"
        ]
    around = {type(a) for a in sp.preorder_traversal(shown) if differentials_in(a)}
    if Total in around:
        return ["sum({a} ⊙ {b}) = {a}ᵀ·{b}" if vector else "sum({A} ⊙ {B}) = tr({A}ᵀ·{B})"]
    if Diag in around:
        return ["tr({M}·diag({a})) = diag({M})ᵀ·{a}" if vector else "{a}ᵀ·diag({M}) = tr(diag({a})·{M})"]
    if Cross in around:
        return ["{c}ᵀ·({a} × {b}) = {b}ᵀ·({c} × {a})"]
    if Hadamard in around:
        return ["{c}ᵀ·({a} ⊙ {b}) = ({c} ⊙ {a})ᵀ·{b}" if vector else "tr({C}ᵀ·({A} ⊙ {B})) = tr(({C} ⊙ {A})ᵀ·{B})"]
    return []


def _traced_in(e: Any) -> Any:
    """Return M of c·tr(M); None of all else."""
    return next((f.args[0] for f in sp.Mul.make_args(e) if isinstance(f, Trace)), None)


def _symmetric_in(e: Any) -> list[str]:
    """Return Aᵀ = A for each symmetric matrix with a name in a term."""
    names = [str(a) for a in sp.preorder_traversal(e) if isinstance(a, ArraySymbol) and is_symmetric(a)]
    return [f"{name}ᵀ = {name}" for name in dict.fromkeys(names)]


def _added(state: State) -> State:
    """Add terms that are alike but for a number: tr(A·dX) + tr(A·dX) is 2·tr(A·dX)."""
    numbers: dict[Any, Any] = {}
    for name, m in state:
        c, core = in_front(m) if shape_of(m) else (sp.sympify(m), sp.S.One)
        n, rest = sp.sympify(c).as_coeff_Mul()
        numbers[name, rest, core] = numbers.get((name, rest, core), 0) + n
    added = [(name, scaled(n * rest, core)) for (name, rest, core), n in numbers.items() if n != 0]
    return added or state[:1]


def collected(terms: Sequence[Any]) -> Any:
    """Return a sum with like terms added."""
    coefficients: dict[Any, Any] = {}
    for t in (u for s in terms for u in (s.args[:-1] if isinstance(s, Plus) else (s,))):
        n, core = in_front(t) if shape_of(t) else t.as_coeff_Mul()
        coefficients[core] = coefficients.get(core, 0) + n
    kept = [scaled(n, core) for core, n in coefficients.items() if n != 0]
    return plus(kept) if kept else scaled(0, terms[0])


def multiplied_out(m: Any) -> Any:
    """Return (1 − y) ⊙ h − y ⊙ (1 − h) as h − y; what becomes no shorter stays."""
    if not isinstance(m, Plus) or not m.has(Hadamard):
        return m
    terms: dict[tuple[str, ...], tuple[Any, Any]] = {}
    for c, factors in (t for a in m.args[:-1] for t in _opened(a)):
        key = tuple(sorted(map(str, factors)))
        before, _ = terms.get(key, (0, None))
        terms[key] = before + c, times_all(factors) if factors else ones(shape_of(m))
    kept = sorted(
        (scaled(c, e) for c, e in terms.values() if c != 0),
        key=lambda t: bool(sp.sympify(in_front(t)[0]).could_extract_minus_sign()),
    )
    made = plus(kept) if kept else m
    return made if len(unicode_text(made)) < len(unicode_text(m)) else m


def _opened(a: Any) -> list[tuple[Any, list[Any]]]:
    """Return the terms of a product of entries, each with its number and its factors; ones are left out."""
    if isinstance(a, Plus):
        return [t for b in a.args[:-1] for t in _opened(b)]
    if isinstance(a, Scaled):
        return [(a.args[0] * c, factors) for c, factors in _opened(a.args[1])]
    if isinstance(a, Hadamard):
        terms: list[tuple[Any, list[Any]]] = [(sp.S.One, [])]
        for f in a.args[:-1]:
            terms = [(c * d, [*left, *right]) for c, left in terms for d, right in _opened(f)]
        return terms
    return [(sp.S.One, [] if is_ones(a) else [a])]


def sign_in_front(m: Any) -> Any:
    """Write −A − B as −(A + B)."""
    terms = m.args[:-1] if isinstance(m, Plus) else ()
    if terms and all(sp.sympify(in_front(t)[0]).could_extract_minus_sign() for t in terms):
        return scaled(-1, plus([scaled(-1, t) for t in terms]))
    return m


def without_two_signs(m: Any) -> Any:
    """Write −(−A − B) as A + B."""
    if isinstance(m, Scaled) and m.args[0].could_extract_minus_sign() and isinstance(m.args[1], Plus):
        inner = m.args[1].args[:-1]
        if all(isinstance(t, Scaled) and t.args[0].could_extract_minus_sign() for t in inner):
            return scaled(-m.args[0], plus([scaled(-1, t) for t in inner]))
    return m


def jacobian(t: Any) -> Any:
    """Return M with t = M·dx, None where there is none in sight."""
    if isinstance(t, Differential):
        return Identity.of(t.shape[0]) if len(t.shape) == 1 else None
    if isinstance(t, Plus):
        parts = [jacobian(a) for a in t.args[:-1]]
        return None if None in parts else plus(parts)
    if isinstance(t, Filled):
        return _outer(ones(shape_of(t)), row_of(t.args[0]))
    if isinstance(t, Scaled):
        c, a = t.args[:2]
        if differentials_in(c):
            return None if differentials_in(a) else _outer(a, row_of(c))
        m = jacobian(a)
        return None if m is None else scaled(c, m)
    if isinstance(t, Hadamard):
        moving = [f for f in t.args[:-1] if differentials_in(f)]
        still = [f for f in t.args[:-1] if not differentials_in(f)]
        m = jacobian(moving[0]) if len(moving) == 1 else None
        return None if m is None else _each_row(times_all(still), m)
    if isinstance(t, Product):
        *front, last = t.args[:-1]
        m = None if any(map(differentials_in, front)) else jacobian(last)
        return None if m is None else product([*front, m])
    return None


def sides_of(t: Any) -> tuple[Any, Any] | None:
    """Return A and B of c·A·dX·B, the number in A; None of all else, and of dX itself."""
    c, core = (t.args[0], t.args[1]) if isinstance(t, Scaled) else (sp.S.One, t)
    factors = list(core.args[:-1]) if isinstance(core, Product) else []
    at = [k for k, f in enumerate(factors) if isinstance(f, Differential) and len(shape_of(f)) == 2]
    if len(shape_of(t)) != 2 or len(at) != 1 or len(differentials_in(t)) != 1:
        return None
    before, d, behind = factors[: at[0]], factors[at[0]], factors[at[0] + 1 :]
    left = product(before) if before else Identity.of(d.shape[0])
    right = product(behind) if behind else Identity.of(d.shape[1])
    return scaled(c, left), right


def row_of(e: Any) -> Any:
    """Return a with e = aᵀ·dx, of a number e; None where there is none in sight."""
    if e.is_Mul:
        moving = [f for f in e.args if differentials_in(f)]
        a = row_of(moving[0]) if len(moving) == 1 else None
        return None if a is None else scaled(sp.Mul(*[f for f in e.args if f is not moving[0]]), a)
    if not isinstance(e, (Inner, Product)):
        return None
    *front, last = e.args[:-1]
    if isinstance(last, Differential) and front and not any(map(differentials_in, front)):
        return turned(product(front))
    return None


def _outer(v: Any, a: Any) -> Any:
    return None if a is None or len(shape_of(v)) != 1 or len(shape_of(a)) != 1 else product([v, turned(a)])


def _each_row(v: Any, m: Any) -> Any:
    """Return diag(v)·M; of 1·aᵀ, v·aᵀ."""
    if isinstance(m, Plus):
        return plus([_each_row(v, a) for a in m.args[:-1]])
    if isinstance(m, Scaled):
        return scaled(m.args[0], _each_row(v, m.args[1]))
    if isinstance(m, Product) and isinstance(m.args[0], OnesVector):
        return product([v, *m.args[1:-1]])
    return product([diag(v), m])


def _sizes(leaves: Mapping[str, Leaf]) -> set[str]:
    return {s.name for leaf in leaves.values() for n in leaf.shape if not isinstance(n, int) for s in n.free_symbols}
