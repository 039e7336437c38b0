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
from symgrad.expression import markup
from symgrad.forms.canon.cases import Tie
from symgrad.support.foreign import latex_name, plain_name
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


class At(sp.Indexed):
    """An entry of a named array."""

    precedence = PRECEDENCE["Atom"]

    def _eval_subs(self, old: Any, new: Any) -> Any:
        name = str(self.base.label)
        if isinstance(old, sp.Symbol) and old.name == name and not isinstance(new, (sp.Symbol, sp.IndexedBase)):
            raise no_array(name)
        return super()._eval_subs(old, new)

    def _sympystr(self, printer: Any) -> str:
        places = [printer._print(k) for k in self.indices]
        name, plain = plain_name(str(self.base.label)), all(len(k) == 1 for k in places)
        return f"{name}_{''.join(places)}" if plain else f"{name}[{', '.join(places)}]"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        name = latex_name(str(self.base.label))
        name = f"{{{name}}}" if "_{" in name else name  # TeX refuses a second subscript
        text = f"{name}_{{{joined([printer._print(k) for k in self.indices])}}}"
        return text if exp is None else f"{text}^{{{exp}}}"

    def _mathml(self, printer: Any) -> str:
        return markup.below(markup.name(str(self.base.label)), printer.places(self.indices))


class Place(sp.Symbol):
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

    def _sympystr(self, printer: Any) -> str:
        return str(printer._print(self.at))

    def _latex(self, printer: Any) -> str:
        return str(printer._print(self.at))

    def _mathml(self, printer: Any) -> str:
        return str(printer._print(self.at))


class Sigma(sp.Sum):
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

    def _sympystr(self, printer: Any) -> str:
        return f"Sum_{_over(self, printer)} {_bracketed(printer, self.function)}"


class PiProduct(sp.Product):
    """Π over indices that run through an axis, kept as written, for the same reason."""

    precedence = PRECEDENCE["Mul"]

    def __new__(cls, function: Any, *limits: Any, **hints: Any) -> Any:
        made = sp.Expr.__new__(cls, function, *[sp.Tuple(*limit) for limit in limits])
        made.is_commutative = function.is_commutative
        return made

    def _eval_subs(self, old: Any, new: Any) -> Any:
        return super()._eval_subs(named(self, old), new)

    def _sympystr(self, printer: Any) -> str:
        return f"Prod_{_over(self, printer)} {_bracketed(printer, self.function)}"

    def _numpycode(self, printer: Any) -> str:
        loops = [f"for {k} in range({printer._print(lo)}, {printer._print(hi)} + 1)" for k, lo, hi in self.limits]
        return f"{printer._module_format('numpy.prod')}([{printer._print(self.function)} {' '.join(loops)}])"


def _over(e: Any, printer: Any) -> str:
    """Write the bound indices, with their range where it is not the whole axis of an array that they run through."""
    if all(_whole_axis(e.function, *limit) for limit in e.limits):
        return joined([str(k) for k, *_ in e.limits])
    ranges = [f"{k}={printer._print(lo)}..{printer._print(hi)}" for k, lo, hi in e.limits]
    return "{" + ", ".join(ranges) + "}"


def _whole_axis(body: Any, k: Any, lo: Any, hi: Any) -> bool:
    """Whether an index stands bare in an array, and every array that it stands bare in has just this range."""
    if lo != 0 or any(isinstance(s, Letter) for s in hi.free_symbols):
        return False
    sizes = set()
    for a in body.atoms(sp.Indexed):
        sizes |= {n for i, n in zip(a.indices, a.base.shape or (), strict=False) if i == k}
    named = any(k in getattr(a, "indices", ()) for a in sp.preorder_traversal(body) if not isinstance(a, sp.Indexed))
    return sizes == {hi + 1} or (not sizes and named)


def _bracketed(printer: Any, body: Any) -> str:
    return f"({printer._print(body)})" if body.is_Add else str(printer._print(body))


class Branch(ExprCondPair):
    """A value and its condition, kept as written: SymPy would fold a Piecewise out of the condition's sums."""

    def __new__(cls, value: Any, condition: Any) -> Any:
        return sp.Tuple.__new__(cls, sp.sympify(value), sp.sympify(condition))


class Branches(sp.Piecewise):
    """A case distinction, kept as written."""

    def __new__(cls, *branches: Any, **hints: Any) -> Any:
        return sp.Basic.__new__(cls, *[b if isinstance(b, Branch) else Branch(*b) for b in branches])

    @staticmethod
    def of(branches: Sequence[tuple[Any, Any]]) -> Any:
        """Return the case distinction without the branches that are decided."""
        kept = []
        for value, condition in branches:
            if condition == False:  # noqa: E712  (SymPy's false)
                continue
            kept.append((value, condition))
            if condition == True:  # noqa: E712  (SymPy's true)
                break
        return kept[0][0] if kept[0][1] == True else Branches(*kept)  # noqa: E712

    @property
    def shown(self) -> list[Any]:
        """The branches that are printed: not what stands where the two sides of a kink meet."""
        return [b for b in self.args if not any(isinstance(c, Tie) for c in sp.And.make_args(b.args[1]))]

    @property
    def bracket(self) -> Any:
        """The condition of Iverson's bracket, which is 1 where it holds, else 0; None where this is none."""
        (value, condition), *_, (other, _) = self.shown
        return condition if len(self.shown) == 2 and value == 1 and other == 0 else None

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        if self.bracket is not None:
            text = rf"\left[{printer._print(self.bracket)}\right]"
            return text if exp is None else f"{text}^{{{exp}}}"
        text = printer._print_Piecewise(Branches(*self.shown))
        return text if exp is None else f"\\left({text}\\right)^{{{exp}}}"

    def _mathml(self, printer: Any) -> str:
        return str(printer._print_Piecewise(Branches(*self.shown)))

    def _numpycode(self, printer: Any) -> str:
        *cases, (last, always) = self.args
        if always != True:  # noqa: E712  (SymPy's true)
            return str(printer._print_Piecewise(self))
        text = str(printer._print(last))
        for value, condition in reversed(cases):
            where = printer._module_format("numpy.where")
            text = f"{where}({printer._print(condition)}, {printer._print(value)}, {text})"
        return text

    def _sympystr(self, printer: Any) -> str:
        *cases, (other, always) = self.shown
        if self.bracket is not None:
            return f"[{printer._print(self.bracket)}]"
        texts = [f"{printer._print(v)} if {printer._print(c)}" for v, c in cases]
        last = "otherwise" if always == True else f"if {printer._print(always)}"  # noqa: E712  (SymPy's true)
        return f"{{{'; '.join([*texts, f'{printer._print(other)} {last}'])}}}"


class Term(sp.Mul):
    """A product: entries first, then brackets, sums last, where they need no bracket of their own."""

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, bool]]:
        return self.args, {"evaluate": False}  # a copy is written as the original is

    def _sympystr(self, printer: Any) -> str:
        top, bottom = over_and_under(self.args)
        written = [(f, printer.parenthesize(f, PRECEDENCE["Mul"])) for f in top]  # once each: keys need the text too
        written.sort(key=lambda pair: _place(*pair))
        factors, texts = [f for f, _ in written], [t for _, t in written]
        sign = ""
        if factors and factors[0] == -1:
            sign, factors, texts = "-", factors[1:], texts[1:]
        elif factors and factors[0].is_Number:
            texts[0] = printer._print(factors[0])
        if factors and isinstance(factors[-1], sp.Sum) and not bottom:
            texts[-1] = printer._print(factors[-1])
        under = [printer.parenthesize(f, PRECEDENCE["Pow"], strict=True) for f in bottom]
        below = "" if not under else f"/{under[0]}" if len(under) == 1 else f"/({'*'.join(under)})"
        return sign + ("*".join(texts) or "1") + below


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


def _place(f: Any, text: str) -> tuple[int, Any]:
    rank = (
        0
        if f.is_number
        else 4
        if isinstance(f, sp.Sum)
        else 3
        if f.is_Add
        else 1
        if isinstance(f, sp.Indexed) or f.is_Symbol
        else 2
    )
    return rank, f.sort_key() if rank < 3 else text


class Bracket(sp.Add):
    """A sum of terms, one that is not negative in front."""

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, bool]]:
        return self.args, {"evaluate": False}  # a copy is written as the original is

    def _sympystr(self, printer: Any) -> str:
        return _signed(_ordered([(t, printer._print(t)) for t in self.args]))

    def _latex(self, printer: Any) -> str:
        return _signed(_ordered([(t, printer._print(t)) for t in self.args]))

    def _mathml(self, printer: Any) -> str:
        return str(printer.sum(sorted(self.args, key=lambda t: (t.could_extract_minus_sign(), t.is_number))))


def _ordered(written: list[tuple[Any, str]]) -> list[str]:
    """Return the texts of terms, those without a sign and without a sum first."""
    written.sort(key=lambda pair: (pair[0].could_extract_minus_sign(), pair[0].is_number, _kind(pair[0]), pair[1]))
    return [text for _, text in written]


def _kind(t: Any) -> int:
    return 1 if t.has(sp.Sum) and not isinstance(t, sp.Function) else 0


def _signed(texts: list[str]) -> str:
    out = texts[0]
    for t in texts[1:]:
        out += f" - {t[1:].lstrip()}" if t.startswith("-") else f" + {t}"
    return out


def _gathered(factors: Sequence[Any]) -> Sequence[Any]:
    """Return a product's factors with sums that became equal by their letters as one power."""
    exponents: dict[Any, Any] = {}
    for f in factors:
        base, exponent = f.as_base_exp() if f.is_Pow and f.exp.is_Rational else (f, sp.S.One)
        exponents[base] = exponents.get(base, 0) + exponent
    if len(exponents) == len(factors):
        return factors
    return [b if n == 1 else sp.Pow(b, n, evaluate=False) for b, n in exponents.items() if n != 0] or [sp.S.One]


class KroneckerDelta(sp.KroneckerDelta):  # printers of SymPy's go by the name
    """δ_ij: 1 where two indices are equal, else 0."""

    def _sympystr(self, printer: Any) -> str:
        places = [printer._print(k) for k in self.args]
        return f"δ_{''.join(places)}" if all(len(k) == 1 for k in places) else f"δ[{', '.join(places)}]"


def dressed(e: Any, args: Sequence[Any]) -> Any:
    """Rebuild a node of SymPy's from printing nodes."""
    if e.is_Mul and e.is_commutative:
        args = _gathered(args)
        return Term(*args, evaluate=False) if len(args) > 1 else args[0]
    if e.is_Add:
        return Bracket(*args, evaluate=False)
    return KroneckerDelta(*args) if isinstance(e, sp.KroneckerDelta) else e.func(*args)
