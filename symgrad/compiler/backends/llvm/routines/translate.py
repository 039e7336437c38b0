"""Loops over flat arrays as instructions: the few words of Python that ``compiler/loops`` writes, with types of names.

A function of the library is written once for each choice of the numbers that its calls name: sizes are known, so that
LLVM unrolls what is small. A loop variable, a counter and what is annotated so is an integer, all else a double; arrays
have entries of any kind, which are converted where they are read and written. What ``+=`` adds to a name may be added
in any order.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.llvm.code import KNOWN, STORED, TYPES, ZERO, Code, Used
from symgrad.compiler.backends.llvm.instructions import (
    KEPT,
    ROLLED,
    Block,
    Function,
    Parameter,
    Recorder,
    constant,
    pointers,
)
from symgrad.compiler.loops.kernels import kernels
from symgrad.compiler.loops.programs import PYTHON
from symgrad.compiler.loops.walk import Range, Walk
from symgrad.support.definitions import Found, parsed

_FLOAT, _INT, _TRUTH = "f64", "i64", "i1"
_KINDS = {"float": _FLOAT, "int": _INT}
_INTEGER = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "sdiv", ast.Mod: "srem",
            ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}  # fmt: skip
_EXACT = ("nsw",)  # the flag of sums and products of positions, which do not wrap around
_REAL = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
_FOLD: dict[type[Any], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.USub: operator.neg, ast.Not: operator.not_,
}  # fmt: skip
_RENAMED = {"fabs": "abs"}  # math's names of what primitives are called otherwise
_NUMBERS = {"inf": math.inf, "nan": math.nan}
_DONE = "done"  # the block that a function ends with
_LANES = 8  # of the longest vectors
_SHORT, _LONG = 4, 32  # turns of loops that are unrolled, and of those that may be vectorised: else code is long


class Library:
    """The functions of the library that a routine calls, each for the constants and the kinds of arrays it is given."""

    def __init__(self, prefix: str, used: Used) -> None:
        self.prefix, self.used = prefix, used
        self.functions: list[Function] = []
        self._names: dict[Any, str] = {}

    def instance(self, found: Found, constants: Mapping[str, Any], arrays: Mapping[str, str]) -> str:
        """Return the name of a function for these constants, by the names of its parameters."""
        key = (found, tuple((k, repr(v)) for k, v in constants.items()), tuple(arrays.items()))
        if key not in self._names:
            name = self._names[key] = f"{self.prefix}.{found.name}{len(self._names)}"
            node = kernels(found.module).defined[found.name]
            assert isinstance(node, ast.FunctionDef)  # calls name functions
            self.functions.append(_of_library(name, node, found.module, constants, arrays, self))
        return self._names[key]


def functions(
    name: str, lines: Sequence[str], arrays: Mapping[str, str], used: Used, after: Sequence[Block] = (),
    more: Sequence[Parameter] = (), integers: Sequence[str] = (), own: Mapping[str, int] | None = None,
) -> list[Function]:  # fmt: skip
    """Return ``@name(arrays…, integers…)``, which runs the lines, after the functions that it calls.

    Args:
        name: of the function.
        lines: the statements.
        arrays: the kinds of entries, by the names of arrays.
        used: what the code needs of this process.
        after: what follows the lines, in place of the return.
        more: further parameters.
        integers: the names of numbers that the lines are given.
        own: of arrays of doubles that each call has for itself, the numbers of entries.
    """
    own = own or {}
    w = _Writer(library := Library(name, used), "", {}, arrays, dict.fromkeys(integers, _INT))
    for a, n in own.items():
        w.head.room("double", n, align=64, name=f"%a.{a}")
    w.statements(parsed("\n".join(lines)).body)
    params = pointers([f"%a.{a}" for a in arrays if a not in own], alone=True)
    params += [Parameter("i64", f"%p.{n}") for n in integers]
    return [*library.functions, w.function(name, [*params, *more], after, "noinline")]


def _of_library(
    name: str,
    node: ast.FunctionDef,
    module: str,
    constants: Mapping[str, Any],
    arrays: Mapping[str, str],
    into: Library,
) -> Function:
    kinds = {a.arg: _KINDS.get(ast.unparse(a.annotation), "") if a.annotation else "" for a in node.args.args}
    given = {k: v for k, v in kinds.items() if v and k not in constants}
    returns = _KINDS.get(ast.unparse(node.returns) if node.returns else "", "")
    w = _Writer(into, module, constants, arrays, given)
    w.returns = returns
    w.start(node)
    w.statements(node.body)
    params = [
        Parameter(TYPES[v], f"%p.{k}") if v else Parameter("ptr", f"%a.{k}", alone=True)
        for k, v in kinds.items()
        if k not in constants
    ]
    return w.function(name, params, w.end())


class _Writer(Walk[tuple[str, str]]):
    """The instructions of one function; an expression is its result, and of which kind that is."""

    refusal = Unsuitable

    def __init__(
        self, library: Library, module: str, constants: Mapping[str, Any], arrays: Mapping[str, str],
        given: Mapping[str, str],
    ) -> None:  # fmt: skip
        super().__init__(module)
        self.library, self.constants, self.arrays = library, dict(constants), dict(arrays)
        self.code = Code("t", True, library.used)
        self.kinds: dict[str, str] = {}
        self.head = Recorder()  # the memory of names
        self.returns = ""
        self.any_order = False  # whether the next sum may be taken so
        self._ends: list[str] = []  # of the loops around
        self._labels = 0
        for name, kind in given.items():
            self._slot(name, kind)
            self.code.store(TYPES[kind], f"%p.{name}", f"%v.{name}")

    def start(self, definition: ast.FunctionDef) -> None:
        """Make variables of the constants that the function changes."""
        for name in _changed(definition) & set(self.constants):
            node = ast.Constant(self.constants.pop(name))
            self._put(name, self.value(node), self.kind(node))

    def function(
        self, name: str, parameters: Sequence[Parameter], after: Sequence[Block], attributes: str = ""
    ) -> Function:
        """Return the function: the memory of its names, its statements, and what comes after them."""
        self._go(_DONE)
        first, *rest = self.code.blocks
        end, *more = after or self.end()
        blocks = [Block("", [*self.head.lines, *first.instructions]), *rest, Block(_DONE, end.instructions), *more]
        type = TYPES[self.returns] if self.returns else "void"
        return Function(name, tuple(parameters), blocks, attributes, type)

    def end(self) -> list[Block]:
        """Return what ends a function of the library."""
        code = Recorder()
        if self.returns and "return" not in self.kinds:
            raise Unsuitable("a function of the library returns nothing")
        if self.returns:
            code.give(TYPES[self.returns], code.load(TYPES[self.returns], "%v.return", name="%result"))
        else:
            code.give()
        return code.blocks

    # -------------------------------------------------------------- names and blocks
    def _slot(self, name: str, kind: str) -> None:
        self.kinds[name] = kind
        self.head.room(TYPES[kind], name=f"%v.{name}")

    def _label(self) -> str:
        self._labels += 1
        return f"b{self._labels}"

    def _start(self, label: str) -> None:
        self.code.label(label)

    def _go(self, label: str) -> None:
        self.code.go(label)

    def _branch(self, condition: str, yes: str, no: str) -> None:
        self.code.branch(condition, yes, no)

    def _put(self, name: str, value: tuple[str, str], kind: str = "") -> None:
        if name not in self.kinds:
            self._slot(name, kind or _FLOAT)
        kind = self.kinds[name]
        self.code.store(TYPES[kind], self.code.number(value, kind), f"%v.{name}")

    # -------------------------------------------------------------- statements
    def assign(self, target: Any, value: Any, kind: str = "") -> None:
        """Give a name or an entry a value."""
        if kind:
            self._put(target.id, self.value(value), _KINDS[kind])
        else:
            self._store(target, self.value(value))

    def change(self, node: ast.AugAssign) -> None:
        """Add to a name or an entry, say."""
        again = parsed(ast.unparse(node.target), mode="eval").body
        self.any_order = isinstance(node.target, ast.Name) and isinstance(node.op, ast.Add)
        self._store(node.target, self.value(ast.BinOp(again, node.op, node.value)))

    def run(self, node: Any) -> None:
        """Evaluate a call for what it does."""
        if isinstance(node, ast.Call):
            self.value(node)

    def leave(self, node: ast.Break) -> None:
        """Leave the loop around."""
        self._go(self._ends[-1])
        self._start(self._label())

    def give(self, value: Any) -> None:
        """Leave the function."""
        if value is not None:
            self._put("return", self.value(value), self.returns)
        self._go(_DONE)
        self._start(self._label())

    def _store(self, target: Any, value: tuple[str, str]) -> None:
        if isinstance(target, ast.Name):
            self._put(target.id, value)
            return
        kind, place = self._place(target)
        self.code.store(STORED[kind], self.code.stored(value, kind), place)

    def choose(self, node: ast.If) -> None:
        """Go one way or the other; where that is known already, there is no other."""
        known = self.fold(node.test)
        if known is not None:
            self.statements(node.body if known else node.orelse)
            return
        yes, no, after = self._label(), self._label(), self._label()
        self._branch(self.truth(node.test), yes, no)
        for label, body in ((yes, node.body), (no, node.orelse)):
            self._start(label)
            self.statements(body)
            self._go(after)
        self._start(after)

    def count(self, node: ast.For, over: Range) -> None:
        """Repeat for each number of a range."""
        name, first, last, down = over
        stop = self.code.number(self.value(last), _INT)
        self._put(name, self.value(first), _INT)
        self._loop(
            lambda: self.code.compare("sgt" if down else "slt", _INT, self._load(name)[0], stop),
            node.body,
            lambda: self._put(name, (self._integer("add", self._load(name)[0], "-1" if down else "1"), _INT)),
            self._hint(node, first, last),
        )

    def repeat(self, node: ast.While) -> None:
        """Repeat while a condition holds."""
        self._loop(lambda: self.truth(node.test), node.body, lambda: None)

    def _hint(self, node: ast.For, first: Any, last: Any) -> str:
        """How LLVM treats a loop: it unrolls short ones, vectorises inner and long ones, and leaves others alone."""
        start, stop = self.fold(first), self.fold(last)
        if stop is None or max(start or 0, stop) <= _SHORT or stop > _LONG:
            return ""
        outer = any(isinstance(n, (ast.For, ast.While)) for s in node.body for n in ast.walk(s))
        if outer or start is None:
            return KEPT
        turns = abs(stop - start)
        if turns % _LANES or not all(map(_has_any_order, node.body)):
            return ""
        return f"{ROLLED} {next((m for m in (4, 2) if turns % (_LANES * m) == 0), 1)}"

    def _loop(
        self, test: Callable[[], str], body: Sequence[ast.stmt], step: Callable[[], None], hint: str = ""
    ) -> None:  # fmt: skip
        head, inside, after = self._label(), self._label(), self._label()
        self._go(head)
        self._start(head)
        self._branch(test(), inside, after)
        self._start(inside)
        self._ends.append(after)
        self.statements(body)
        self._ends.pop()
        step()
        self.code.go(head, hint)
        self._start(after)

    # -------------------------------------------------------------- expressions
    def fold(self, node: Any) -> Any:
        """Return what an expression of constants is worth; None where it has others."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.constants.get(node.id)
        if isinstance(node, ast.Attribute):
            return _NUMBERS.get(node.attr)
        if isinstance(node, ast.IfExp):
            test = self.fold(node.test)
            return None if test is None else self.fold(node.body if test else node.orelse)
        if isinstance(node, ast.UnaryOp) and type(node.op) in _FOLD:
            parts = [node.operand]
        elif isinstance(node, ast.BinOp) and type(node.op) in _FOLD:
            parts = [node.left, node.right]
        elif isinstance(node, ast.Compare):
            parts = [node.left, node.comparators[0]]
        else:
            return None
        values = [self.fold(p) for p in parts]
        sign: Any = node.ops[0] if isinstance(node, ast.Compare) else node.op
        return None if None in values else _FOLD[type(sign)](*values)

    def truth(self, node: Any) -> str:
        """Return whether an expression holds."""
        return self.code.truth(self.value(node))

    def value(self, node: Any) -> tuple[str, str]:
        """Write an expression, and return its result and kind."""
        known = self.fold(node)
        if known is not None:
            if isinstance(known, float):
                return constant(known, _FLOAT), _FLOAT
            return (str(known).lower(), _TRUTH) if isinstance(known, bool) else (str(known), _INT)
        return self.expression(node)

    def _load(self, name: str) -> tuple[str, str]:
        kind = self.kinds.get(name)
        if kind is None:
            raise Unsuitable(f"there is no machine code for the name {name}")
        return self.code.load(TYPES[kind], f"%v.{name}"), kind

    def _Name(self, node: ast.Name) -> tuple[str, str]:
        return self._load(node.id)

    def _BinOp(self, node: ast.BinOp) -> tuple[str, str]:
        any_order, self.any_order = self.any_order, False
        a, b = self.value(node.left), self.value(node.right)
        kind, words = (_FLOAT, _REAL) if self.kind(node) == _FLOAT else (_INT, _INTEGER)
        if type(node.op) not in words:
            raise Unsuitable(f"there is no machine code for {type(node.op).__name__} of such numbers")
        operands = self.code.number(a, kind), self.code.number(b, kind)
        opcode = words[type(node.op)]
        if kind == _INT:
            return self._integer(opcode, *operands), kind
        return self.code.set(opcode, "double", *operands, flags=("reassoc",) if any_order else ()), kind

    def _integer(self, opcode: str, a: str, b: str) -> str:
        return self.code.set(opcode, "i64", a, b, flags=_EXACT if opcode in ("add", "sub", "mul") else ())

    def _UnaryOp(self, node: ast.UnaryOp) -> tuple[str, str]:
        if isinstance(node.op, ast.Not):
            return self.code.set("xor", "i1", self.truth(node.operand), "true"), _TRUTH
        text, kind = self.value(node.operand)
        if isinstance(node.op, ast.Invert):
            return self._integer("xor", text, "-1"), _INT
        return self.code.set("fneg", "double", text) if kind == _FLOAT else self._integer("sub", "0", text), kind

    def _Compare(self, node: ast.Compare) -> tuple[str, str]:
        a, b = (self._compared(x, y) for x, y in _both(node.left, node.comparators[0]))
        how = _COMPARE[type(node.ops[0])]
        if _FLOAT in (a[1], b[1]):
            kind, how = _FLOAT, f"u{how}" if how == "ne" else f"o{how}"
        else:
            kind, how = _INT, how if how in ("eq", "ne") else f"s{how}"
        return self.code.compare(how, kind, self.code.number(a, kind), self.code.number(b, kind)), _TRUTH

    def _compared(self, node: Any, other: Any) -> tuple[str, str]:
        """An operand of a comparison; a number beside an integer is one."""
        known = self.fold(node)
        if isinstance(known, float) and known.is_integer() and self.kind(other) == _INT:
            return str(int(known)), _INT
        return self.value(node)

    def _BoolOp(self, node: ast.BoolOp) -> tuple[str, str]:
        """Later parts are examined only if they decide."""
        first, *rest = node.values
        if not rest:
            return self.truth(first), _TRUTH
        later: ast.expr = ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]
        arms = (later, ast.Constant(False)) if isinstance(node.op, ast.And) else (ast.Constant(True), later)
        text, kind = self._IfExp(ast.IfExp(first, *arms))
        return self.code.truth((text, kind)), _TRUTH

    def _IfExp(self, node: ast.IfExp) -> tuple[str, str]:
        known = self.fold(node.test)
        if known is not None:
            return self.value(node.body if known else node.orelse)
        kind = _joined(self.kind(node.body), self.kind(node.orelse))
        if _is_plain(node.body) and _is_plain(node.orelse):
            test = self.truth(node.test)
            a, b = (self.code.number(self.value(x), kind) for x in (node.body, node.orelse))
            return self.code.set("select", TYPES[kind], test, a, b), kind
        yes, no, after = self._label(), self._label(), self._label()
        name = f"choice.{after}"
        self._branch(self.truth(node.test), yes, no)
        for label, arm in ((yes, node.body), (no, node.orelse)):
            self._start(label)
            self._put(name, self.value(arm), kind)
            self._go(after)
        self._start(after)
        return self._load(name)

    def _Subscript(self, node: ast.Subscript) -> tuple[str, str]:
        kind, place = self._place(node)
        entry = self.code.read(kind, place), kind
        return (self.code.number(entry, _FLOAT), _FLOAT) if kind[0] == "f" else entry

    def _place(self, node: ast.Subscript) -> tuple[str, str]:
        """Return the kind of an array's entries, and where one is."""
        assert isinstance(node.value, ast.Name)
        kind = self.arrays.get(node.value.id)
        if kind is None:
            raise Unsuitable(f"there is no machine code for the table {node.value.id}")
        at = self.code.number(self.value(node.slice), _INT)
        return kind, self.code.place(STORED[kind], f"%a.{node.value.id}", at)

    def kind(self, node: Any) -> str:
        """Return the kind of an expression's result: an integer where all is integers, a truth, or a double."""
        if isinstance(node, ast.Constant):
            return _TRUTH if isinstance(node.value, bool) else _INT if isinstance(node.value, int) else _FLOAT
        if isinstance(node, ast.Name):
            known = self.constants.get(node.id)
            return self.kinds.get(node.id, _FLOAT) if known is None else self.kind(ast.Constant(known))
        if isinstance(node, ast.BinOp):
            inner = _joined(self.kind(node.left), self.kind(node.right))
            return _FLOAT if isinstance(node.op, ast.Div) or inner == _FLOAT else _INT
        if isinstance(node, ast.IfExp):
            return _joined(self.kind(node.body), self.kind(node.orelse))
        if isinstance(node, (ast.Compare, ast.BoolOp)) or isinstance(getattr(node, "op", None), ast.Not):
            return _TRUTH
        if isinstance(node, ast.UnaryOp):
            return self.kind(node.operand)
        if isinstance(node, ast.Subscript):
            return self._entries(node)
        return self._returned(node) if isinstance(node, ast.Call) else _FLOAT

    def _entries(self, node: ast.Subscript) -> str:
        kind = self.arrays.get(ast.unparse(node.value), _FLOAT)
        return _FLOAT if kind[0] == "f" else _TRUTH if kind == _TRUTH else _INT

    # -------------------------------------------------------------- calls
    def _Call(self, node: ast.Call) -> tuple[str, str]:
        if isinstance(node.func, ast.Attribute):
            return self._primitive(node.func.attr, node.args)
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if name in ("int", "float"):
            return self.code.number(self.value(node.args[0]), _KINDS[name]), _KINDS[name]
        found = self.definition(name)
        return self._primitive(name, node.args) if found.module == PYTHON else self._called(found, node)

    def _primitive(self, name: str, args: Sequence[Any]) -> tuple[str, str]:
        xs = [(self.code.number(self.value(a), _FLOAT), _FLOAT) for a in args]
        name = _RENAMED.get(name, name)
        if name == "single":
            return self.code.number((self.code.number(xs[0], "f32"), "f32"), _FLOAT), _FLOAT
        if name == "isfinite":
            rest = self.code.set("fsub", "double", xs[0][0], xs[0][0])
            return self.code.compare("oeq", _FLOAT, rest, ZERO), _TRUTH
        if name not in KNOWN:
            raise Unsuitable(f"there is no machine code for {name}")
        return self.code.apply(name, xs, _FLOAT)

    def _returned(self, node: ast.Call) -> str:
        if isinstance(node.func, ast.Attribute):
            return _TRUTH if node.func.attr == "isfinite" else _FLOAT
        assert isinstance(node.func, ast.Name)
        found = self.definition(node.func.id)
        if node.func.id in _KINDS or found.module == PYTHON:
            return _KINDS.get(node.func.id, _FLOAT)
        definition = kernels(found.module).defined[found.name]
        return _KINDS.get(ast.unparse(definition.returns), _FLOAT)  # type: ignore[attr-defined]

    def _called(self, found: Found, node: ast.Call) -> tuple[str, str]:
        definition = kernels(found.module).defined[found.name]
        assert isinstance(definition, ast.FunctionDef)  # what is called
        constants: dict[str, Any] = {}
        arrays: dict[str, str] = {}
        given: list[tuple[str, str]] = []
        for parameter, arg in zip(definition.args.args, node.args, strict=True):
            kind = _KINDS.get(ast.unparse(parameter.annotation), "") if parameter.annotation else ""
            known = self.fold(arg) if kind else None
            if known is not None:
                constants[parameter.arg] = float(known) if kind == _FLOAT else known
            elif kind:
                given.append((TYPES[kind], self.code.number(self.value(arg), kind)))
            else:
                assert isinstance(arg, ast.Name)
                arrays[parameter.arg] = self.arrays[arg.id]
                given.append(("ptr", f"%a.{arg.id}"))
        name = self.library.instance(found, constants, arrays)
        returns = _KINDS.get(ast.unparse(definition.returns) if definition.returns else "", "")
        return self.code.call(TYPES[returns] if returns else "void", f"@{name}", *given), returns


@lru_cache(maxsize=512)
def _changed(definition: ast.FunctionDef) -> frozenset[str]:
    """Return the names that a function of the library gives values."""
    names = [n for n in ast.walk(definition) if isinstance(n, ast.Name)]
    return frozenset(n.id for n in names if isinstance(n.ctx, ast.Store))


def _has_any_order(statement: ast.stmt) -> bool:
    """Whether a statement writes an entry, or adds to a name in any order: loops of these become vectors."""
    if isinstance(statement, ast.Assign):
        return isinstance(statement.targets[0], ast.Subscript)
    return isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add)


def _both(a: Any, b: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    return (a, b), (b, a)


def _joined(a: str, b: str) -> str:
    """The kind that holds numbers of both."""
    if a == b:
        return a
    return _FLOAT if _FLOAT in (a, b) else _INT


def _is_plain(node: Any) -> bool:
    """Whether an expression may be computed where it is not requested: it reads no memory and calls nothing."""
    if isinstance(node, (ast.Name, ast.Constant)):  # as most
        return True
    return not any(isinstance(n, (ast.Call, ast.Subscript)) for n in ast.walk(node))
