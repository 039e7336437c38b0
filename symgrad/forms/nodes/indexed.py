"""The nodes of index notation: SymPy's Indexed, Sum and Mul that print as a textbook writes them.

``x_i`` for x[i], ``Sum_k …`` for Σ_k, products with their sum last. They behave as their SymPy classes do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.printing.precedence import PRECEDENCE

from symgrad.errors import FormError
from symgrad.expression import formula as write
from symgrad.expression.printer import TEXT
from symgrad.forms.canon.cases import Tie
from symgrad.forms.nodes.formulas import Printed, cases, condition, entry, formula, multiplied, over, times
from symgrad.support.symbols import Letter, named


def joined(indices: Sequence[str]) -> str:
    """Write indices together where each is one sign, else with commas."""
    return "".join(indices) if all(len(k) == 1 for k in indices) else ", ".join(indices)


def no_array(name: str) -> FormError:
    """Say that a number cannot take the place of an array in an expression of SymPy's."""
    return FormError(
        f"subs: {name!r} is an array here, and an expression of SymPy's holds no array of numbers. Use "
        f"form.subs({name}=…), or form({name}=…) for the value."
    )


class At(Printed, sp.Indexed):
    """An entry of a named array."""

    precedence = PRECEDENCE["Atom"]

    def _eval_subs(self, old: Any, new: Any) -> Any:
        name = str(self.base.label)
        if isinstance(old, sp.Symbol) and old.name == name and not isinstance(new, (sp.Symbol, sp.IndexedBase)):
            raise no_array(name)
        return super()._eval_subs(old, new)

    def formula(self) -> write.Formula:
        return entry(write.Name(self.base.name), self.indices)


class Place(Printed, sp.Symbol):
    """An entry of a named array where all entries are written out: a symbol, which stands among factors as names do."""

    at: At

    def __new__(cls, name: str, at: At) -> Any:
        made = sp.Symbol.__xnew__(cls, name, real=True)
        made.at = at
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (self.name, self.at), {}

    @classmethod
    def class_key(cls) -> Any:
        """Where it stands among others: where any name does."""
        return sp.Symbol.class_key()

    def formula(self) -> write.Formula:
        return formula(self.at)


class Sigma(Printed, sp.Sum):
    """Σ over indices that run through an axis, kept as written.

    SymPy's Sum folds a Piecewise outwards, also over conditions on its own bound index, which is wrong.
    """

    def __new__(cls, function: Any, *limits: Any, **hints: Any) -> Any:
        made = sp.Expr.__new__(cls, function, *[sp.Tuple(*limit) for limit in limits])
        made.is_commutative = function.is_commutative
        return made

    precedence = PRECEDENCE["Mul"]

    def _eval_subs(self, old: Any, new: Any) -> Any:
        return super()._eval_subs(named(self, old), new)

    def formula(self) -> write.Formula:
        return over("Sum", self, over_axes(self))


class PiProduct(Printed, sp.Product):
    """Π over indices that run through an axis, kept as written, for the same reason."""

    precedence = PRECEDENCE["Mul"]

    def __new__(cls, function: Any, *limits: Any, **hints: Any) -> Any:
        made = sp.Expr.__new__(cls, function, *[sp.Tuple(*limit) for limit in limits])
        made.is_commutative = function.is_commutative
        return made

    def _eval_subs(self, old: Any, new: Any) -> Any:
        return super()._eval_subs(named(self, old), new)

    def formula(self) -> write.Formula:
        return over("Prod", self, over_axes(self))

    def _numpycode(self, printer: Any) -> str:
        loops = [f"for {k} in range({printer._print(lo)}, {printer._print(hi)} + 1)" for k, lo, hi in self.limits]
        return f"{printer._module_format('numpy.prod')}([{printer._print(self.function)} {' '.join(loops)}])"


def over_axes(e: Any) -> bool:
    """Whether each bound index runs through the whole axis of every array that it stands in."""
    return all(_whole_axis(e.function, *limit) for limit in e.limits)


def _whole_axis(body: Any, k: Any, lo: Any, hi: Any) -> bool:
    """Whether an index stands bare in an array, and every array that it stands bare in has just this range."""
    if lo != 0 or any(isinstance(s, Letter) for s in hi.free_symbols):
        return False
    sizes = set()
    for a in body.atoms(sp.Indexed):
        sizes |= {n for i, n in zip(a.indices, a.base.shape or (), strict=False) if i == k}
    named = any(k in getattr(a, "indices", ()) for a in sp.preorder_traversal(body) if not isinstance(a, sp.Indexed))
    return sizes == {hi + 1} or (not sizes and named)


class Branch(ExprCondPair):
    """A value and its condition, kept as written: SymPy would fold a Piecewise out of the condition's sums."""

    def __new__(cls, value: Any, condition: Any) -> Any:
        return sp.Tuple.__new__(cls, sp.sympify(value), sp.sympify(condition))


class Branches(Printed, sp.Piecewise):
    """A case distinction, kept as written."""

    def __new__(cls, *branches: Any, **hints: Any) -> Any:
        return sp.Basic.__new__(cls, *[b if isinstance(b, Branch) else Branch(*b) for b in branches])

    @staticmethod
    def of(branches: Sequence[tuple[Any, Any]]) -> Any:
        """Return the case distinction without the branches that are decided."""
        kept = []
        for value, holds in branches:
            if holds == False:  # noqa: E712  (SymPy's false)
                continue
            kept.append((value, holds))
            if holds == True:  # noqa: E712  (SymPy's true)
                break
        return kept[0][0] if kept[0][1] == True else Branches(*kept)  # noqa: E712

    @property
    def shown(self) -> list[Any]:
        """The branches that are printed; of entries and of a bracket not what stands where two sides of a kink meet."""
        apart = [b for b in self.args if not any(isinstance(c, Tie) for c in sp.And.make_args(b.args[1]))]
        return apart if self.has(sp.Indexed) or _is_bracket(apart) else list(self.args)

    @property
    def bracket(self) -> Any:
        """The condition of Iverson's bracket, which is 1 where it holds, else 0; None where this is none."""
        return self.shown[0].args[1] if _is_bracket(self.shown) else None

    def formula(self) -> write.Formula:
        bracket = None if self.bracket is None else formula(self.bracket)
        return cases([(formula(b.args[0]), condition(b.args[1])) for b in self.shown], bracket)

    def _numpycode(self, printer: Any) -> str:
        *cases, (last, always) = self.args
        if always != True:  # noqa: E712  (SymPy's true)
            return str(printer._print_Piecewise(self))
        text = str(printer._print(last))
        for value, holds in reversed(cases):
            where = printer._module_format("numpy.where")
            text = f"{where}({printer._print(holds)}, {printer._print(value)}, {text})"
        return text


def _is_bracket(branches: Sequence[Any]) -> bool:
    """Whether branches are 1 where a condition holds, else 0."""
    (value, _), *_, (other, _) = branches
    return len(branches) == 2 and bool(value == 1 and other == 0)


class Term(Printed, sp.Mul):
    """A product: entries first, then brackets, sums last, where they need no bracket of their own."""

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, bool]]:
        return self.args, {"evaluate": False}  # a copy is written as the original is

    def formula(self) -> write.Formula:
        top, bottom = over_and_under(self.args)
        above = times([part for _, part in sorted(((f, formula(f)) for f in top), key=_place)])
        return write.Quotient(above, multiplied(bottom)) if bottom else above


def over_and_under(factors: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Split factors into those above and below the fraction bar, without evaluating."""
    top, bottom = [], []
    for f in factors:
        if f.is_Rational and not f.is_Integer:
            top.extend([sp.Integer(f.p)] if f.p != 1 else [])
            bottom.append(sp.Integer(f.q))
        elif f.is_Pow and f.exp.is_Rational and f.exp < 0:
            bottom.append(f.base if f.exp == -1 else sp.Pow(f.base, -f.exp, evaluate=False))
        else:
            top.append(f)
    return top, bottom


def _place(factor: tuple[Any, write.Formula]) -> tuple[int, Any]:
    """Return where a factor stands: numbers first, then names, functions, brackets and sums."""
    f, part = factor
    named = isinstance(f, sp.Indexed) or f.is_Symbol
    rank = 0 if f.is_number else 4 if isinstance(f, sp.Sum) else 3 if f.is_Add else 1 if named else 2
    return rank, f.sort_key() if rank < 3 else TEXT.write(part)


class Bracket(Printed, sp.Add):
    """A sum of terms, one that is not negative in front."""

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, bool]]:
        return self.args, {"evaluate": False}  # a copy is written as the original is

    def formula(self) -> write.Formula:
        return write.Sum(*(part for _, part in sorted(((t, formula(t)) for t in self.args), key=_rank)))


def _rank(term: tuple[Any, write.Formula]) -> tuple[bool, bool, int, str]:
    """Return where a term stands: those without a sign and without a sum first."""
    t, part = term
    summed = t.has(sp.Sum) and not isinstance(t, sp.Function)
    return t.could_extract_minus_sign(), t.is_number, int(summed), TEXT.write(part)


def _gathered(factors: Sequence[Any]) -> Sequence[Any]:
    """Return a product's factors with sums that became equal by their letters as one power."""
    exponents: dict[Any, Any] = {}
    for f in factors:
        base, exponent = f.as_base_exp() if f.is_Pow and f.exp.is_Rational else (f, sp.S.One)
        exponents[base] = exponents.get(base, 0) + exponent
    if len(exponents) == len(factors):
        return factors
    return [b if n == 1 else sp.Pow(b, n, evaluate=False) for b, n in exponents.items() if n != 0] or [sp.S.One]


class KroneckerDelta(Printed, sp.KroneckerDelta):  # printers of SymPy's go by the name
    """δ_ij: 1 where two indices are equal, else 0."""

    def formula(self) -> write.Formula:
        return entry(write.Letter("δ"), self.args)


def dressed(e: Any, args: Sequence[Any]) -> Any:
    """Rebuild a node of SymPy's from printing nodes."""
    if e.is_Mul and e.is_commutative:
        args = _gathered(args)
        return Term(*args, evaluate=False) if len(args) > 1 else args[0]
    if e.is_Add:
        return Bracket(*args, evaluate=False)
    return KroneckerDelta(*args) if isinstance(e, sp.KroneckerDelta) else e.func(*args)
