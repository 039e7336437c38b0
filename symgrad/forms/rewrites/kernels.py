"""A formula of numbers as a rational function of its kernels: names, roots, exponentials, sines, logarithms.

Each kernel is a symbol, so that SymPy's polynomials see what cancels: x**(n - 1) is xⁿ/x, exp(-x) is 1/exp(x). The
symbol is called by what it stands for, so that equal formulas, however they are written, have equal polynomials.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

TRIGONOMETRIC = (sp.sin, sp.cos)
HYPERBOLIC = (sp.sinh, sp.cosh)


class Kernels:
    """The symbols that stand for the kernels of one expression.

    Args:
        opened: whether the arguments of exponentials are multiplied out, so that common factors show.
    """

    def __init__(self, e: sp.Expr, opened: bool = False) -> None:
        self.opened = opened
        self.back: dict[sp.Symbol, sp.Expr] = {}
        self._symbols: dict[sp.Expr, sp.Symbol] = {}
        self._units: dict[Any, sp.Rational] = {}
        self._find_units(e)
        self.expr = self._read(e)

    def symbol(self, kernel: sp.Expr) -> sp.Symbol:
        """Return the symbol of a kernel; a name is its own."""
        if kernel.is_Symbol:
            self.back.setdefault(kernel, kernel)
            return kernel
        symbol = self._symbols.get(kernel)
        if symbol is None:
            symbol = self._symbols[kernel] = sp.Symbol(f"·{kernel}")
            self.back[symbol] = kernel
        return symbol

    def restored(self, e: sp.Expr) -> sp.Expr:
        """Put the kernels back in place of their symbols."""
        return e.xreplace(self.back)

    def pairs(self, functions: tuple[Any, Any]) -> list[tuple[sp.Symbol, sp.Symbol]]:
        """Return the symbols of f(u) and g(u) for each u that has one of them, such as sin u and cos u."""
        arguments = {k.args[0]: None for k in list(self._symbols) if isinstance(k, functions)}
        f, g = functions
        return [(self.symbol(f(u)), self.symbol(g(u))) for u in arguments]

    def roots_of_sums(self) -> list[tuple[sp.Symbol, int, sp.Expr]]:
        """Return the symbols of roots of sums, those of outer roots first, with which root it is of what in symbols."""
        powers = [(s, k) for k, s in self._symbols.items() if k.is_Pow and k.base.is_Add and k.exp.is_Rational]
        roots = [(s, k.exp.q, k.base) for s, k in powers if k.exp.p == 1]
        return [(s, q, self._read(a)) for s, q, a in sorted(roots, key=lambda root: -root[2].count_ops())]

    @property
    def names(self) -> frozenset[sp.Symbol]:
        """The symbols that are names."""
        return frozenset(s for s, k in self.back.items() if s == k)

    # ---------------------------------------------------------------- powers of one base
    def _powers(self, e: sp.Expr) -> list[tuple[Any, sp.Rational]]:
        """Return e, a power or an exponential, as kernels without their unit, each with its number: b^(c·t)."""
        base, exponent = (sp.E, e.args[0]) if isinstance(e, sp.exp) else (e.base, e.exp)
        if self.opened and base is sp.E:
            exponent = sp.expand(exponent)
        powers = []
        for term in sp.Add.make_args(exponent):
            c, t = term.as_coeff_Mul()
            if not c.is_Rational:
                c, t = sp.S.One, term
            powers.append(((base, t), c))
        return powers

    def _find_units(self, e: sp.Expr) -> None:
        for p in e.atoms(sp.Pow, sp.exp):
            for key, c in self._powers(p):
                unit = self._units.get(key, sp.Integer(0) if key[1] != 1 or key[0] is sp.E else sp.Integer(1))
                self._units[key] = sp.gcd(unit, c)

    def _power(self, e: sp.Expr) -> sp.Expr:
        product = sp.S.One
        for (base, t), c in self._powers(e):
            if base is sp.E and isinstance(t, sp.log) and c.is_Integer:
                product *= self._read(t.args[0]) ** c
                continue
            unit = self._units.get((base, t), sp.S.One)
            kernel = base if t * unit == 1 else sp.exp(unit * t) if base is sp.E else base ** (unit * t)
            product *= (self._read(kernel) if kernel is base else self.symbol(kernel)) ** (c / unit)
        return product

    # ---------------------------------------------------------------- reading
    def _read(self, e: sp.Expr) -> sp.Expr:
        if e.is_Rational:
            return e
        if e.is_Add or e.is_Mul:
            return e.func(*map(self._read, e.args))
        if e.is_Pow and e.exp.is_Integer:
            if e.base in self._roots:
                return self._power(e)
            return self._read(e.base) ** e.exp
        if e.is_Pow or isinstance(e, sp.exp):
            return self._power(e)
        root = self._roots.get(e)
        return self._power(sp.Pow(e, 1, evaluate=False)) if root else self.symbol(e)

    @property
    def _roots(self) -> dict[Any, Any]:
        """Replace names whose roots occur: x is (√x)²."""
        return {b: u for (b, t), u in self._units.items() if t == 1 and u != 1 and not b.is_Add}
