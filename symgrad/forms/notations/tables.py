"""Small arrays written out: a matrix of four entries says more than a sum of four δ_ij.

Entries are simplified one by one; what they share stands in front of them, or has a name behind ``where``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from typing import Any

import sympy as sp

from symgrad.core.node import AnyNode, Node, ancestors
from symgrad.forms.canon.elementwise_subterms import shortest
from symgrad.forms.canon.functions import SIGMOID
from symgrad.forms.canon.lower import only_guards
from symgrad.forms.names import Mint
from symgrad.forms.nodes.matrices import Call, Scaled
from symgrad.forms.nodes.tables import Table
from symgrad.forms.notations.length import length
from symgrad.ops.map import exact
from symgrad.ops.shapes.join import Stack
from symgrad.scalars import tidy
from symgrad.transforms.loops.op import Scan

WIDE, MANY = 4, 16  # entries of a row, and of all, beyond which a table is not a picture
OPENED = 60  # operations of an entry that is multiplied out, and factored again
WORTH = 3  # times as many operations as another notation has signs: beyond, simplifying does not make them shorter
FEW = 80  # operations of all entries that are simplified in any case
TRIED, NAMES = 24, 6  # parts that may have a name, and names
STACKED = 1.2  # times as long as a stack of the same numbers
INDEXED = 3  # times as long as sums over indices and δ_ij, which a reader would have to write out
SAVED = 4  # by how much a name must make the whole shorter

HALF = sp.Rational(1, 2)
_LETTERS = {sp.sin: "s", sp.cos: "c", sp.exp: "e", sp.tan: "t", sp.Pow: "r", sp.Add: "zuq"}
Naming = list[tuple[sp.Symbol, sp.Expr]]


def is_small(shape: Sequence[Any]) -> bool:
    """Whether a table of this shape can be taken in at a glance."""
    known = all(isinstance(n, int) and 0 < n <= WIDE for n in shape)
    return known and len(shape) <= 2 and _product(shape) <= MANY


def picks(nodes: Iterable[AnyNode]) -> bool:
    """Whether a function picks entries of arrays, or puts arrays together, and has no loop."""
    ops = [n.op for n in ancestors(list(nodes)) if isinstance(n, Node)]
    return any(op.indexes for op in ops) and not any(isinstance(op, Scan) for op in ops)


def is_stack(e: Any) -> bool:
    """Whether a formula joins numbers or arrays."""
    return isinstance(e, Table) or (isinstance(e, Call) and isinstance(e.op, Stack))


def allowance(e: Any) -> float:
    """Return how many times as long as a formula its table may be."""
    return STACKED if is_stack(e) else INDEXED if e.has(sp.Sum, sp.KroneckerDelta) else 1


def selects(e: Any) -> bool:
    """Whether entries are picked, or put together, in a formula in matrix notation."""
    return any(isinstance(a, Table) or (isinstance(a, Call) and a.op.indexes) for a in sp.preorder_traversal(e))


def _product(shape: Iterable[int]) -> int:
    return reduce(lambda a, b: a * b, shape, 1)


@lru_cache(maxsize=1024)
def simplified(e: sp.Expr) -> sp.Expr:
    """Return an entry in the shortest of the usual ways to write it, numbers exact and poles without guards."""
    e = _unguarded(e.xreplace({f: exact(float(f)) for f in e.atoms(sp.Float)}))
    e = e.xreplace({s: 1 - s.func(-s.args[0]) for s in e.atoms(SIGMOID) if e.has(s.func(-s.args[0])) and _is_turned(s)})
    ways = [e, tidy(e), shortest(e)]
    if e.count_ops() <= OPENED:
        plain = sp.expand(e)
        short = shortest(plain)
        ways += [plain, short, sp.collect(tidy(short), sorted(short.atoms(sp.Function), key=str))]
        ways += [sp.factor_terms(w) for w in (short, plain, e)]
    return min(ways, key=length)


def _is_turned(s: sp.Expr) -> bool:
    """Whether a sigmoid is that of -z, which is 1 - σ(z)."""
    return bool(s.args[0].could_extract_minus_sign())


def _unguarded(e: sp.Expr) -> sp.Expr:
    """Leave out cases where 0 stands because the value has a pole there, or is 0 itself."""
    return e.replace(lambda p: isinstance(p, sp.Piecewise) and _is_guarded(p), lambda p: p.args[1].expr)


def _is_guarded(e: sp.Piecewise) -> bool:
    if only_guards(e):
        return True
    if len(e.args) != 2 or e.args[0].expr != 0 or e.args[1].cond != True:  # noqa: E712  (SymPy's true)
        return False
    value = e.args[1].expr
    for c in sp.And.make_args(e.args[0].cond):
        gap = c.lhs - c.rhs if isinstance(c, sp.Eq) else sp.S.Zero
        symbols = [s for s in gap.free_symbols if gap.diff(s) in (1, -1)]
        if not symbols:
            return False
        value = value.subs(symbols[0], sp.expand(symbols[0] - gap.diff(symbols[0]) * gap))
    return bool(value == 0 or value.has(sp.nan, sp.zoo, sp.oo))


def table(entries: Sequence[sp.Expr], shape: Sequence[int]) -> Any:
    """Return entries as an array, with the factor that they have in common in front; a number is itself."""
    if not shape:
        return entries[0]
    ways = [Table.of(entries, shape)]
    for factored in (sp.factor_terms, sp.factor):
        common = _common([factored(e) if e.count_ops() <= OPENED else e for e in entries if e != 0])
        if common != 1:
            ways.append(Scaled.of(simplified(common), Table.of([simplified(e / common) for e in entries], shape)))
    return min(ways, key=_length)


def _length(whole: Any) -> int:
    """Return how long an array written out is: what its entries are, which other arrays have too, and its factor."""
    return sum(map(length, _entries(whole)))


def _common(entries: Sequence[sp.Expr]) -> sp.Expr:
    """Return the factors that all of several entries have, to the least of their powers."""
    if len(entries) < 2:
        return sp.S.One
    split = [_factors(e) for e in entries]
    number = reduce(sp.gcd, [n for n, _ in split])
    if all(n.is_negative for n, _ in split):
        number = -number
    shared = set.intersection(*[set(powers) for _, powers in split])
    return sp.Mul(number, *[b ** _least([powers[b] for _, powers in split]) for b in shared])


def _factors(e: sp.Expr) -> tuple[sp.Expr, dict[sp.Expr, sp.Expr]]:
    """Split a product into its number and its factors with their exponents."""
    number, rest = e.as_coeff_Mul()
    powers = {b: x for b, x in rest.as_powers_dict().items() if x.is_Rational and b != 1}
    return (number if number.is_Rational else sp.S.One), powers


def _least(exponents: Sequence[sp.Expr]) -> sp.Expr:
    """Return the exponent nearest to 0, and 0 where they have different signs."""
    return min(exponents, key=abs) if len({x.is_positive for x in exponents}) == 1 else sp.S.Zero


# ------------------------------------------------------------------ names for what is met several times
def with_names(tables: Sequence[Any], taken: Iterable[str]) -> tuple[list[Any], Naming]:
    """Return tables with names for what they share, and what the names stand for, each before those that use it."""
    bodies, defined, mint = list(tables), Naming(), Mint(taken)
    while len(defined) < NAMES:
        best = _best(bodies, defined)
        if best is None:
            break
        part, replaced = best
        name = sp.Symbol(mint.names(_LETTERS.get(part.func, "ab"))[0], real=True)
        bodies, defined = replaced(name)
        defined.append((name, part))
    return bodies, _in_order(defined)


def _best(bodies: list[Any], defined: Naming) -> tuple[sp.Expr, Callable[[sp.Symbol], Any]] | None:
    """Return the part whose name shortens the whole most, and how it is put in; or None."""
    now, probe = _total(bodies, defined), sp.Dummy("name", real=True)
    best: tuple[int, sp.Expr] | None = None
    for part in _parts([*bodies, *[e for _, e in defined]]):
        then = _total(*_replaced(bodies, [*defined, (probe, part)], part, probe))
        if now - then >= SAVED and (best is None or then < best[0]):
            best = (then, part)
    if best is None:
        return None
    part = best[1]
    return part, lambda name: _replaced(bodies, defined, part, name)


def _replaced(bodies: list[Any], defined: Naming, part: sp.Expr, name: sp.Symbol) -> tuple[list[Any], Naming]:
    """Put a name for a part everywhere but in its own definition; powers of a root are powers of its name."""
    new = {part: name}
    if part.is_Pow and part.exp == HALF:
        powers = {p for e in [*bodies, *[e for _, e in defined]] for p in e.atoms(sp.Pow) if p.base == part.base}
        new |= {p: name ** (2 * p.exp) for p in powers if (2 * p.exp).is_Integer}
    keep = {part} if part.is_Pow else set()
    return [e.xreplace(new) for e in bodies], [
        (k, e if e in keep or e == part else e.xreplace(new)) for k, e in defined
    ]


def _total(bodies: Sequence[Any], defined: Naming) -> int:
    return sum(map(_length, bodies)) + sum(2 + length(k) + length(e) for k, e in defined)


def _parts(formulas: Sequence[Any]) -> list[sp.Expr]:
    """Return what stands in several places, and the roots of what has a root, the longest first."""
    uses: Counter[sp.Expr] = Counter()
    stack = [e for whole in formulas for e in _entries(whole)]
    while stack:
        e = stack.pop()
        if not e.args:
            continue
        uses[e] += 1
        if e.is_Pow and e.exp.is_Rational and e.exp.q == 2:
            uses[sp.sqrt(e.base)] += 1
        stack.extend(e.args)
    again = [e for e, n in uses.items() if n > 1 and length(e) > 1 and _can_have_a_name(e)]
    return sorted(again, key=lambda e: (-length(e), str(e)))[:TRIED]


def _can_have_a_name(e: Any) -> bool:
    """Whether a part is a sum, a root, a power or a function; what is below a bar has a name, and not one over it."""
    return isinstance(e, sp.Expr) and not e.is_Mul and not (e.is_Pow and e.exp.is_negative)


def _entries(whole: Any) -> Sequence[Any]:
    """Return the expressions of numbers in a table, its factor in front, or a number."""
    if isinstance(whole, Scaled):
        return [whole.args[0], *_entries(whole.args[1])]
    return whole.entries if isinstance(whole, Table) else [whole]


def _in_order(defined: Naming) -> Naming:
    """Return definitions, each after those that it uses."""
    left, done = list(defined), Naming()
    while left:
        names = {k for k, _ in left}
        ready = [(k, e) for k, e in left if not e.free_symbols & names]
        done += ready
        left = [d for d in left if d not in ready]
    return done
