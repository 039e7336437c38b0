"""The target ``sympy``: a module whose function builds the expressions again, one constructor at a time.

Entries are written out; where sizes have names, the matrix notation is. No text is parsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.symbol import Str

from symgrad.compiler.loops.errors import ExportError, unsupported
from symgrad.core.promotion import is_floating
from symgrad.engine.program import CONST, INPUT, STEP
from symgrad.errors import SymgradError
from symgrad.exports.names import identifier, identifiers
from symgrad.exports.request import Request
from symgrad.exports.targets.modules import docstring, structured
from symgrad.exports.targets.target import Source, Target
from symgrad.ops.map import exact
from symgrad.scalars.declare import Atom
from symgrad.support.budget import Budget

WIDE = 60  # characters up to which an expression stands inside its reader's line
LARGE = 4096  # entries
_JOINED: dict[Any, str] = {sp.Add: " + ", sp.Mul: "*"}
_FAILED = (SymgradError, TypeError, ValueError, AttributeError, NotImplementedError, RecursionError, IndexError)


def write(r: Request) -> Source:
    """Return a module with a function without arguments."""
    writer = Writer()
    shapes = [r.program.values[k].shape for k in r.program.outputs]
    named = any(isinstance(n, sp.Expr) for s in (*shapes, *r.shapes) for n in s)
    expressions = _matrices(r) if named else _entries(r)
    results = [writer.result(y, s) for y, s in zip(expressions, shapes, strict=True)]
    lines = docstring(r, f"The expressions of {r.name}; symbols are called as the entries of its arguments.")
    lines += [*writer.lines, f"return {structured(r.results, iter(results))}"]
    inner = "\n".join(f"    {line}" if line else "" for line in lines)
    head = '"""Expressions of a function and its derivatives, written by symgrad."""\n\nimport sympy'
    return Source(f"{head}\n\n\ndef {r.name}():\n{inner}\n")


# ------------------------------------------------------------------ the expressions
def _matrices(r: Request) -> list[Any]:
    """Return the matrix notation of each result."""
    result = []
    for form in [*r.forms, *[None] * (len(r.program.outputs) - len(r.forms))]:
        try:
            if form is None:
                raise ExportError("it has none")
            result.append(form.to_sympy())
        except SymgradError as error:
            raise ExportError(
                f"export: the target 'sympy' writes results with named sizes in matrix notation, and {error}. Give "
                "numbers for the sizes, so that entries are written."
            ) from error
    return result


def _entries(r: Request) -> list[Any]:
    """Run the program on symbols."""
    program, values, env = r.program, r.program.values, {}
    budget = Budget()
    for k, array in zip(program.inputs, _symbols(r), strict=True):
        env[k] = array
    for k in program.live():
        v = values[k]
        if v.size > LARGE:
            raise ExportError(f"export: an array of {v.size} entries is longer than {LARGE}.")
        if v.kind == CONST:
            env[k] = _exact(v.op)
        elif v.kind == STEP and v.op.decides:
            raise unsupported(v.op, "sympy")
        elif v.kind != INPUT:
            try:
                env[k] = v.op(*[env[a] for a in v.args])
                budget.check(env[k])
            except _FAILED as error:
                raise unsupported(v.op, "sympy") from error
    return [np.broadcast_to(np.asarray(env[k], dtype=object), values[k].shape) for k in program.outputs]


def _symbols(r: Request) -> list[Any]:
    """Return the entries of the arguments as symbols."""
    wanted = [f"{p}_{'_'.join(map(str, at))}" if s else p
              for p, s in zip(r.params, r.shapes) for at in np.ndindex(*s)]  # fmt: skip
    if len(wanted) > LARGE:
        raise ExportError(f"export: {len(wanted)} entries of arguments are more than {LARGE}.")
    symbols = iter([sp.Symbol(name, real=True) for name in identifiers(wanted)])
    arrays = []
    for s in r.shapes:
        array = np.empty(s, dtype=object)
        for at in np.ndindex(*s):
            array[at] = next(symbols)
        arrays.append(array if s else array[()])
    return arrays


def _exact(value: Any) -> Any:
    array = np.asarray(value)
    if array.ndim == 0:
        return exact(array[()])
    if not is_floating(array.dtype):
        return array
    result = np.empty(array.shape, dtype=object)
    for at in np.ndindex(*array.shape):
        result[at] = exact(array[at])
    return result


# ------------------------------------------------------------------ the text
class Writer:
    """Lines that build expressions; what is used twice is built once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: dict[Any, str] = {}
        self._names: list[str] = []
        self._minted = 0

    def result(self, y: Any, shape: Sequence[Any]) -> str:
        """Return the text of a result: an expression, or an array of them."""
        if isinstance(y, sp.Basic):
            return self.text(y)
        entries = [self.text(_plain(e)) for e in np.ravel(y)]
        return f"sympy.ImmutableDenseNDimArray([{', '.join(entries)}], {tuple(shape)})" if shape else entries[0]

    def text(self, root: Any) -> str:
        """Return the text of an expression, whose parts are written first."""
        ahead = [root]
        while ahead:
            e = ahead[-1]
            missing = [a for a in self._parts(e) if a not in self._known]
            if e in self._known or not missing:
                ahead.pop()
                if e not in self._known:
                    self._known[e] = self._short(self._written(e))
                continue
            ahead.extend(missing)
        return self._known[root]

    def _short(self, text: str) -> str:
        if len(text) <= WIDE:
            return text
        self._minted += 1
        name = f"v{self._minted}"
        self.lines.append(f"{name} = {text}")
        return name

    def _parts(self, e: Any) -> Sequence[Any]:
        if isinstance(e, Atom):
            return (_meaning(e),)
        if isinstance(e, (sp.Symbol, sp.Number, Str, sp.MatrixSymbol)) or not e.args:
            return e.args[1:] if isinstance(e, sp.MatrixSymbol) else ()
        return e.args  # type: ignore[no-any-return]

    def _written(self, e: Any) -> str:
        if isinstance(e, Atom):
            return self._known[_meaning(e)]
        parts = [self._known[a] for a in self._parts(e)]
        for kind, sign in _JOINED.items():
            if type(e) is kind:
                return f"({sign.join(parts)})"
        if type(e) is sp.Pow:
            return f"({parts[0]}**{parts[1]})"
        return self._leaf(e) or self._call(e, parts)

    def _leaf(self, e: Any) -> str:
        if isinstance(e, sp.MatrixSymbol):
            sizes = ", ".join(self._known[a] for a in e.args[1:])
            return self._symbol(e.name, f"sympy.MatrixSymbol({{}}, {sizes})")
        if isinstance(e, sp.Symbol):
            real = ", real=True" if e.is_real and not e.is_integer else ", integer=True" if e.is_integer else ""
            positive = ", positive=True" if e.is_positive else ""
            return self._symbol(e.name, f"sympy.Symbol({{}}{real}{positive})")
        if isinstance(e, sp.Integer):
            return f"sympy.Integer({int(e)})"
        if isinstance(e, sp.Rational):
            return f"sympy.Rational({e.p}, {e.q})"
        if isinstance(e, sp.Float):
            number = float(e)
            return f"sympy.Float({number!r})" if np.isfinite(number) else f"sympy.Float({str(e)!r})"  # beyond floats
        constants = {sp.oo: "oo", -sp.oo: "-oo", sp.nan: "nan", sp.zoo: "zoo", sp.pi: "pi", sp.E: "E",
                     sp.true: "true", sp.false: "false"}  # fmt: skip
        for value, name in constants.items():
            if e is value or (e == value and type(e) is type(value)):
                return f"-sympy.{name[1:]}" if name.startswith("-") else f"sympy.{name}"
        return ""

    def _symbol(self, name: str, text: str) -> str:
        """Write a symbol, which is called the same in the text and in the expression."""
        self._names.append(identifier(name, self._names))
        self.lines.append(f"{self._names[-1]} = {text.format(repr(self._names[-1]))}")
        return self._names[-1]

    def _call(self, e: Any, parts: Sequence[str]) -> str:
        name = type(e).__name__
        if name == "ExprCondPair":
            return f"({', '.join(parts)})"
        if name == "Tuple":
            return f"sympy.Tuple({', '.join(parts)})"
        place = "sympy" if getattr(sp, name, None) is type(e) else ""
        if not place and getattr(sp.matrices.expressions, name, None) is type(e):
            place = "sympy.matrices.expressions"
        if not place:
            raise unsupported(name, "sympy")
        return f"{place}.{name}({', '.join(parts)})"


def _meaning(e: Atom) -> Any:
    """Return the textbook expression of one of symgrad's own functions."""
    return sp.sympify(e.declared.meant(*e.args))


def _plain(e: Any) -> sp.Basic:
    inner = e[()] if isinstance(e, np.ndarray) else e
    return inner if isinstance(inner, sp.Basic) else sp.sympify(exact(inner))


TARGET = Target(write, ".py")
