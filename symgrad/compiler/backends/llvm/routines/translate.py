"""Loops over flat arrays as IR: the few words of Python that ``compiler/loops`` writes, with a type for each name.

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
from typing import Any

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.llvm.code import KNOWN, STORED, TYPES, Code, Used, constant
from symgrad.compiler.loops.kernels import kernels
from symgrad.compiler.loops.programs import LIBRARIES, PYTHON
from symgrad.support.definitions import Found

_FLOAT, _INT, _TRUTH = "f64", "i64", "i1"
_KINDS = {"float": _FLOAT, "int": _INT}
_INTEGER = {ast.Add: "add nsw", ast.Sub: "sub nsw", ast.Mult: "mul nsw", ast.FloorDiv: "sdiv", ast.Mod: "srem",
            ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}  # fmt: skip
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
_SHORT, _LONG = 4, 32  # turns of loops that are unrolled, and of those that may be vectorised: else code is long


class Library:
    """The functions of the library that a routine calls, each for the constants and the kinds of arrays it is given."""

    def __init__(self, prefix: str, used: Used) -> None:
        self.prefix, self.used = prefix, used
        self.texts: list[str] = []
        self._names: dict[Any, str] = {}

    def instance(self, found: Found, constants: Mapping[str, Any], arrays: Mapping[str, str]) -> str:
        """Return the name of a function for these constants, by the names of its parameters."""
        key = (found, tuple((k, repr(v)) for k, v in constants.items()), tuple(arrays.items()))
        if key not in self._names:
            name = self._names[key] = f"{self.prefix}.{found.name}{len(self._names)}"
            node = kernels(found.module).defined[found.name]
            assert isinstance(node, ast.FunctionDef)  # calls name functions
            self.texts.append(_of_library(name, node, found.module, constants, arrays, self))
        return self._names[key]


def function(
    name: str, lines: Sequence[str], arrays: Mapping[str, str], used: Used, after: Sequence[str] = (), more: str = "",
    integers: Sequence[str] = (), own: Mapping[str, int] | None = None,
) -> str:  # fmt: skip
    """Return ``@name(arrays…, integers…)``, which runs the lines, with the functions that it calls.

    Args:
        name: of the function.
        lines: the statements.
        arrays: the kinds of entries, by the names of arrays.
        used: what the code needs of this process.
        after: IR that follows the lines, in place of the return.
        more: a further parameter.
        integers: the names of numbers that the lines are given.
        own: of arrays of doubles that each call has for itself, the numbers of entries.
    """
    own = own or {}
    w = _Writer(library := Library(name, used), "", {}, arrays, dict.fromkeys(integers, _INT))
    w.head += [f"  %a.{a} = alloca [{n} x double], align 64" for a, n in own.items()]
    w.block(ast.parse("\n".join(lines)).body)
    params = ", ".join(
        [*[f"ptr noalias %a.{a}" for a in arrays if a not in own], *[f"i64 %p.{n}" for n in integers],
         *([more] if more else [])]
    )  # fmt: skip
    return "".join(library.texts) + w.function(f"void @{name}({params}) noinline", after or ["  ret void"])


def _of_library(
    name: str,
    node: ast.FunctionDef,
    module: str,
    constants: Mapping[str, Any],
    arrays: Mapping[str, str],
    into: Library,
) -> str:
    kinds = {a.arg: _KINDS.get(ast.unparse(a.annotation), "") if a.annotation else "" for a in node.args.args}
    given = {k: v for k, v in kinds.items() if v and k not in constants}
    returns = _KINDS.get(ast.unparse(node.returns) if node.returns else "", "")
    w = _Writer(into, module, constants, arrays, given)
    w.returns = returns
    w.start(node.body)
    w.block(node.body)
    params = ", ".join(f"ptr noalias %a.{k}" if not v else f"{TYPES[v]} %p.{k}" for k, v in kinds.items()
                       if k not in constants)  # fmt: skip
    return w.function(f"{TYPES[returns] if returns else 'void'} @{name}({params})", w.leave())


class _Writer:
    """The instructions of one function."""

    def __init__(
        self, library: Library, module: str, constants: Mapping[str, Any], arrays: Mapping[str, str],
        given: Mapping[str, str],
    ) -> None:  # fmt: skip
        self.library, self.module, self.constants, self.arrays = library, module, dict(constants), dict(arrays)
        self.code = Code("t", True, library.used)
        self.kinds: dict[str, str] = {}
        self.head: list[str] = []
        self.returns = ""
        self.order = ""  # the flag of the next sum, where it may be taken in any order
        self._ends: list[str] = []  # of the loops around
        self._labels = 0
        for name, kind in given.items():
            self._slot(name, kind)
            self.code.line(f"store {TYPES[kind]} %p.{name}, ptr %v.{name}")

    def start(self, body: Sequence[ast.stmt]) -> None:
        """Make variables of the constants that the function changes."""
        changed = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for name in changed & set(self.constants):
            node = ast.Constant(self.constants.pop(name))
            self._put(name, self.value(node), self.kind(node))

    def function(self, head: str, after: Sequence[str]) -> str:
        """Return the text of the function."""
        lines = [*self.head, *self.code.lines, f"  br label %{_DONE}", f"{_DONE}:", *after]
        text = "\n".join(lines)
        return f"define internal {head} {{\n{text}\n}}\n"

    def leave(self) -> list[str]:
        """Return the lines that end a function of the library."""
        if not self.returns:
            return ["  ret void"]
        t = TYPES[self.returns]
        if "return" not in self.kinds:
            raise Unsuitable("a function of the library returns nothing")
        return [f"  %result = load {t}, ptr %v.return", f"  ret {t} %result"]

    # -------------------------------------------------------------- names and blocks
    def _slot(self, name: str, kind: str) -> None:
        self.kinds[name] = kind
        self.head.append(f"  %v.{name} = alloca {TYPES[kind]}")

    def _label(self) -> str:
        self._labels += 1
        return f"b{self._labels}"

    def _start(self, label: str) -> None:
        self.code.lines.append(f"{label}:")

    def _go(self, label: str) -> None:
        self.code.line(f"br label %{label}")

    def _branch(self, condition: str, yes: str, no: str) -> None:
        self.code.line(f"br i1 {condition}, label %{yes}, label %{no}")

    def _put(self, name: str, value: tuple[str, str], kind: str = "") -> None:
        if name not in self.kinds:
            self._slot(name, kind or _FLOAT)
        kind = self.kinds[name]
        self.code.line(f"store {TYPES[kind]} {self.code.number(value, kind)}, ptr %v.{name}")

    # -------------------------------------------------------------- statements
    def block(self, body: Sequence[ast.stmt]) -> None:
        """Write statements."""
        for node in body:
            self._statement(node)

    def _statement(self, node: Any) -> None:
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Call):
                self.value(node.value)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            self._assign(node)
        elif isinstance(node, ast.AugAssign):
            again = ast.parse(ast.unparse(node.target), mode="eval").body
            self.order = "reassoc " if isinstance(node.target, ast.Name) and isinstance(node.op, ast.Add) else ""
            self._store(node.target, self.value(ast.BinOp(again, node.op, node.value)))
        elif isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.For):
            self._for(node)
        elif isinstance(node, ast.While):
            self._while(node)
        elif isinstance(node, ast.Break):
            self._go(self._ends[-1])
            self._start(self._label())
        elif isinstance(node, ast.Return):
            if node.value is not None:
                self._put("return", self.value(node.value), self.returns)
            self._go(_DONE)
            self._start(self._label())
        else:
            raise Unsuitable(f"there is no machine code for {type(node).__name__}")

    def _assign(self, node: Any) -> None:
        if isinstance(node, ast.AnnAssign):
            assert isinstance(node.target, ast.Name)  # counts are annotated
            self._put(node.target.id, self.value(node.value), _KINDS[ast.unparse(node.annotation)])
        else:
            self._store(node.targets[0], self.value(node.value))

    def _store(self, target: Any, value: tuple[str, str]) -> None:
        if isinstance(target, ast.Name):
            self._put(target.id, value)
            return
        kind, place = self._place(target)
        if kind == _TRUTH:
            text = self.code.set(f"zext i1 {self.code.truth(value)} to i8")
        else:
            text = self.code.number(value, kind)
        self.code.line(f"store {STORED[kind]} {text}, ptr {place}")

    def _if(self, node: ast.If) -> None:
        known = self.fold(node.test)
        if known is not None:
            self.block(node.body if known else node.orelse)
            return
        yes, no, after = self._label(), self._label(), self._label()
        self._branch(self.truth(node.test), yes, no)
        for label, body in ((yes, node.body), (no, node.orelse)):
            self._start(label)
            self.block(body)
            self._go(after)
        self._start(after)

    def _for(self, node: ast.For) -> None:
        assert isinstance(node.target, ast.Name)
        assert isinstance(node.iter, ast.Call)
        args: list[ast.expr] = node.iter.args
        first, last = (ast.Constant(0), args[0]) if len(args) == 1 else args[:2]
        down = len(args) == 3
        name = node.target.id
        stop = self.code.number(self.value(last), _INT)
        self._put(name, self.value(first), _INT)
        self._loop(
            lambda: self.code.set(f"icmp {'sgt' if down else 'slt'} i64 {self._load(name)[0]}, {stop}"),
            node.body,
            lambda: self._put(name, (self.code.set(f"add nsw i64 {self._load(name)[0]}, {-1 if down else 1}"), _INT)),
            self._hint(node, first, last),
        )

    def _while(self, node: ast.While) -> None:
        self._loop(lambda: self.truth(node.test), node.body, lambda: None)

    def _hint(self, node: ast.For, first: Any, last: Any) -> str:
        """How LLVM treats a loop: it unrolls short ones, vectorises inner and long ones, and leaves others alone."""
        start, stop = self.fold(first), self.fold(last)
        inner = not any(isinstance(n, (ast.For, ast.While)) for s in node.body for n in ast.walk(s))
        if stop is None or max(start or 0, stop) <= _SHORT or stop > _LONG or (inner and start is not None):
            return ""
        return self.code.used.kept()

    def _loop(
        self, test: Callable[[], str], body: Sequence[ast.stmt], step: Callable[[], None], hint: str = ""
    ) -> None:  # fmt: skip
        head, inside, after = self._label(), self._label(), self._label()
        self._go(head)
        self._start(head)
        self._branch(test(), inside, after)
        self._start(inside)
        self._ends.append(after)
        self.block(body)
        self._ends.pop()
        step()
        self.code.line(f"br label %{head}{hint}")
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
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise Unsuitable(f"there is no machine code for {type(node).__name__}")
        pair: tuple[str, str] = method(node)
        return pair

    def _load(self, name: str) -> tuple[str, str]:
        kind = self.kinds.get(name)
        if kind is None:
            raise Unsuitable(f"there is no machine code for the name {name}")
        return self.code.set(f"load {TYPES[kind]}, ptr %v.{name}"), kind

    def _Name(self, node: ast.Name) -> tuple[str, str]:
        return self._load(node.id)

    def _BinOp(self, node: ast.BinOp) -> tuple[str, str]:
        order, self.order = self.order, ""
        a, b = self.value(node.left), self.value(node.right)
        kind, words = (_FLOAT, _REAL) if self.kind(node) == _FLOAT else (_INT, _INTEGER)
        if type(node.op) not in words:
            raise Unsuitable(f"there is no machine code for {type(node.op).__name__} of such numbers")
        text = f"{self.code.number(a, kind)}, {self.code.number(b, kind)}"
        order = order if kind == _FLOAT else ""
        return self.code.set(f"{words[type(node.op)]} {order}{TYPES[kind]} {text}"), kind

    def _UnaryOp(self, node: ast.UnaryOp) -> tuple[str, str]:
        if isinstance(node.op, ast.Not):
            return self.code.set(f"xor i1 {self.truth(node.operand)}, true"), _TRUTH
        text, kind = self.value(node.operand)
        if isinstance(node.op, ast.Invert):
            return self.code.set(f"xor i64 {text}, -1"), _INT
        return self.code.set(f"fneg double {text}" if kind == _FLOAT else f"sub nsw i64 0, {text}"), kind

    def _Compare(self, node: ast.Compare) -> tuple[str, str]:
        a, b = (self._compared(x, y) for x, y in _both(node.left, node.comparators[0]))
        how = _COMPARE[type(node.ops[0])]
        if _FLOAT in (a[1], b[1]):
            order = "u" if how == "ne" else "o"
            text = f"{self.code.number(a, _FLOAT)}, {self.code.number(b, _FLOAT)}"
            return self.code.set(f"fcmp {order}{how} double {text}"), _TRUTH
        sign = how if how in ("eq", "ne") else f"s{how}"
        text = f"{self.code.number(a, _INT)}, {self.code.number(b, _INT)}"
        return self.code.set(f"icmp {sign} i64 {text}"), _TRUTH

    def _compared(self, node: Any, other: Any) -> tuple[str, str]:
        """An operand of a comparison; a number beside an integer is one."""
        known = self.fold(node)
        if isinstance(known, float) and known.is_integer() and self.kind(other) == _INT:
            return str(int(known)), _INT
        return self.value(node)

    def _BoolOp(self, node: ast.BoolOp) -> tuple[str, str]:
        """What comes later is looked at only where it decides."""
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
            return self.code.set(f"select i1 {test}, {TYPES[kind]} {a}, {TYPES[kind]} {b}"), kind
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
        text = self.code.set(f"load {STORED[kind]}, ptr {place}")
        return self.code.truth((text, "i8")) if kind == _TRUTH else text, kind

    def _place(self, node: ast.Subscript) -> tuple[str, str]:
        """Return the kind of an array's entries, and where one is."""
        assert isinstance(node.value, ast.Name)
        kind = self.arrays.get(node.value.id)
        if kind is None:
            raise Unsuitable(f"there is no machine code for the table {node.value.id}")
        at = self.code.number(self.value(node.slice), _INT)
        return kind, self.code.set(f"getelementptr {STORED[kind]}, ptr %a.{node.value.id}, i64 {at}")

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
        found = self._found(name)
        return self._primitive(name, node.args) if found.module == PYTHON else self._called(found, node)

    def _found(self, name: str) -> Found:
        module = self.module or next((m for m in (PYTHON, *LIBRARIES) if name in kernels(m).defined), PYTHON)
        found = Found(module, name)
        while found.module != PYTHON and found.name not in kernels(found.module).defined:
            found = kernels(found.module).inside.get(found.name, Found(PYTHON, found.name))
        return found

    def _primitive(self, name: str, args: Sequence[Any]) -> tuple[str, str]:
        xs = [(self.code.number(self.value(a), _FLOAT), _FLOAT) for a in args]
        name = _RENAMED.get(name, name)
        if name == "single":
            return self.code.number((self.code.number(xs[0], "f32"), "f32"), _FLOAT), _FLOAT
        if name == "isfinite":
            rest = self.code.set(f"fsub double {xs[0][0]}, {xs[0][0]}")
            return self.code.set(f"fcmp oeq double {rest}, 0.0"), _TRUTH
        if name not in KNOWN:
            raise Unsuitable(f"there is no machine code for {name}")
        return self.code.apply(name, xs, _FLOAT)

    def _returned(self, node: ast.Call) -> str:
        if isinstance(node.func, ast.Attribute):
            return _TRUTH if node.func.attr == "isfinite" else _FLOAT
        assert isinstance(node.func, ast.Name)
        found = self._found(node.func.id)
        if node.func.id in _KINDS or found.module == PYTHON:
            return _KINDS.get(node.func.id, _FLOAT)
        definition = kernels(found.module).defined[found.name]
        return _KINDS.get(ast.unparse(definition.returns), _FLOAT)  # type: ignore[attr-defined]

    def _called(self, found: Found, node: ast.Call) -> tuple[str, str]:
        definition = kernels(found.module).defined[found.name]
        assert isinstance(definition, ast.FunctionDef)  # what is called
        constants: dict[str, Any] = {}
        arrays: dict[str, str] = {}
        texts: list[str] = []
        for parameter, arg in zip(definition.args.args, node.args, strict=True):
            kind = _KINDS.get(ast.unparse(parameter.annotation), "") if parameter.annotation else ""
            known = self.fold(arg) if kind else None
            if known is not None:
                constants[parameter.arg] = float(known) if kind == _FLOAT else known
            elif kind:
                texts.append(f"{TYPES[kind]} {self.code.number(self.value(arg), kind)}")
            else:
                assert isinstance(arg, ast.Name)
                arrays[parameter.arg] = self.arrays[arg.id]
                texts.append(f"ptr %a.{arg.id}")
        name = self.library.instance(found, constants, arrays)
        returns = _KINDS.get(ast.unparse(definition.returns) if definition.returns else "", "")
        text = f"call {TYPES[returns] if returns else 'void'} @{name}({', '.join(texts)})"
        if returns:
            return self.code.set(text), returns
        self.code.line(text)
        return "", ""


def _both(a: Any, b: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    return (a, b), (b, a)


def _joined(a: str, b: str) -> str:
    """The kind that holds numbers of both."""
    if a == b:
        return a
    return _FLOAT if _FLOAT in (a, b) else _INT


def _is_plain(node: Any) -> bool:
    """Whether an expression may be computed where it is not asked for: it reads no memory and calls nothing."""
    return not any(isinstance(n, (ast.Call, ast.Subscript)) for n in ast.walk(node))
