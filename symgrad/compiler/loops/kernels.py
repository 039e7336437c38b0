"""Kernels of arrays read as functions of one number: the same text, in the few words of Python that C has.

``select`` and ``np.where`` choose, and what is not chosen is not computed; NumPy's functions become ``math``'s and
those of the library, operators on booleans ``and``, ``or``, ``not``. So each formula stands once, in ``scalars``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from symgrad.support.definitions import Found, Module, parsed, read

KERNELS = tuple(f"symgrad.scalars.{name}" for name in ("numerics", "normal", "gamma", "bessel", "cancelling", "zeta"))
_PYTHON, _NUMBERS, _ROWS = (f"symgrad.compiler.loops.library.{name}" for name in ("python", "common", "rows"))
_KINDS = {"F64": "float", "F64 | float": "float", "float": "float", "int": "int"}
_MATH = ("erf", "erfc")  # kernels that math has
_RENAMED = {
    "abs": "fabs", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "rint": "round_even", "clip": "clamp",
}  # fmt: skip
_TESTS = {"isnan": "{0} != {0}", "isinf": "math.fabs({0}) == math.inf", "isfinite": "{0} - {0} == 0.0"}
_CASTS = {"np.float32": "single", "np.intp": "int"}
_LOGIC: dict[type[Any], Callable[[], Any]] = {ast.BitAnd: ast.And, ast.BitOr: ast.Or}


@lru_cache(maxsize=16)
def kernels(name: str) -> Module:
    """Return what is in a module of the library, or of kernels as functions of one number."""
    raw = read(name)
    if name not in KERNELS:
        return raw
    module = import_module(name)
    defined: dict[str, Any] = {}
    inside = raw.inside | _words()
    for key, node in raw.defined.items():
        if isinstance(node, ast.FunctionDef):
            if _is_kernel(node):
                one = _OneNumber(module, key)
                defined[key] = one.visit(_copy(node))
                inside |= one.called
        elif isinstance(value := getattr(module, key), (int, float, tuple, np.ndarray)):
            defined[key] = _copy_of(key, value)
    return Module(defined, inside, {"math": "import math"})


@lru_cache(maxsize=1)
def _words() -> dict[str, Found]:
    """Where the functions are that C has, or the library."""
    words = {name: Found(where, name) for where in (_PYTHON, _NUMBERS) for name in read(where).defined}
    return words | {"horner": Found(_ROWS, "horner")}


def _copy_of(name: str, value: Any) -> ast.stmt:
    """Return an assignment of a number or a table."""
    table = np.asarray(value).tolist()
    literal: Any = (
        ast.Tuple(list(map(ast.Constant, table)), ast.Load()) if isinstance(table, list) else ast.Constant(value)
    )
    return ast.Assign([ast.Name(name, ast.Store())], literal, lineno=0)


def _is_kernel(node: ast.FunctionDef) -> bool:
    """Whether a function takes arrays of numbers, and integers, and returns such an array."""
    kinds = [ast.unparse(a) if a is not None else "" for a in (node.returns, *[a.annotation for a in node.args.args])]
    return kinds[0] == "F64" and set(kinds) <= set(_KINDS)


def _bare(value: Any) -> Any:
    """The kernel on flat arrays."""
    return getattr(value, "__wrapped__", value)


def _copy(node: ast.stmt) -> Any:
    return parsed(ast.unparse(node)).body[0]


def _expression(text: str) -> Any:
    return parsed(text, mode="eval").body


def _number(node: Any) -> float | None:
    value: Any = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    return None if value is None else float(value)


class _OneNumber(ast.NodeTransformer):
    """A function of arrays as one of their entries."""

    def __init__(self, module: ModuleType, name: str) -> None:
        self.module, self.name = module, name
        self.lengths: dict[str, int] = {}  # of the function's own lists
        self.given: dict[str, Any] = {}  # what stands for a lambda's parameters
        self.whole: set[str] = set()
        self.called: dict[str, Found] = {}  # kernels

    # -------------------------------------------------------------- the function
    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """A function of numbers; whole ones may come as others."""
        node.decorator_list = []
        node.returns = ast.Name("float", ast.Load())
        doc = ast.get_docstring(node)
        body = node.body[1:] if doc is not None else node.body
        head = [ast.Expr(ast.Constant(doc.split("\n")[0]))] if doc is not None else []
        for a in node.args.args:
            kind = _KINDS[ast.unparse(a.annotation)] if a.annotation is not None else ""
            a.annotation = ast.Name(kind, ast.Load())
            if kind == "int":
                self.whole.add(a.arg)
            if kind == "int" and not self.name.startswith("_"):  # programs call it, whose numbers are floats
                body = [*parsed(f"{a.arg}: int = int({a.arg})").body, *body]
        node.body = [*head, *self._statements(body)]
        return ast.fix_missing_locations(node)

    def _statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [statement for s in body for statement in self._statement(s)]

    def _statement(self, node: Any) -> list[ast.stmt]:
        if isinstance(node, ast.AnnAssign):
            return self._assignment([node.target], node.value)
        if isinstance(node, ast.Assign):
            return self._assignment(node.targets, node.value)
        if isinstance(node, ast.If):
            orelse = self._statements(node.orelse)
            return [ast.If(self.visit(node.test), self._statements(node.body), orelse)]
        if isinstance(node, ast.For):
            assert isinstance(node.target, ast.Name)
            self.whole.add(node.target.id)
            return [ast.For(node.target, self.visit(node.iter), self._statements(node.body), [])]
        return [self.visit(node)]

    def _assignment(self, targets: Sequence[Any], value: Any) -> list[ast.stmt]:
        *others, target = targets
        if isinstance(target, ast.Tuple):
            return self._several(target.elts, value)
        if isinstance(value, ast.BinOp) and isinstance(value.left, ast.List):
            self.lengths[target.id] = ast.literal_eval(value.right)
            return [ast.Assign([target], value)]
        if "np.intp" in ast.unparse(value):
            return [ast.AnnAssign(target, ast.Name("int", ast.Load()), self.visit(value), 1)]
        return [ast.Assign([target], self.visit(value)), *[ast.Assign([t], target) for t in others]]

    def _several(self, targets: Sequence[Any], call: Any) -> list[ast.stmt]:
        """Write out a function that returns several numbers, its names with the first of theirs behind."""
        kernel = _bare(getattr(self.module, call.func.id))
        node = _copy(read(kernel.__module__).defined[kernel.__name__])
        arguments = [a.arg for a in node.args.args]
        stored = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        inner = _OneNumber(import_module(kernel.__module__), self.name)
        inner.given = {n: ast.Name(f"{n}_{targets[0].id}", ast.Load()) for n in (*arguments, *stored)}
        given: list[ast.stmt] = [
            ast.Assign([inner.given[a]], self.visit(v)) for a, v in zip(arguments, call.args, strict=True)
        ]
        *steps, result = [s for s in node.body if not isinstance(s, ast.Expr)]
        given += [ast.Assign([inner.given[s.targets[0].id]], inner.visit(s.value)) for s in steps]
        return given + [ast.Assign([t], inner.visit(e)) for t, e in zip(targets, result.value.elts, strict=True)]

    # -------------------------------------------------------------- expressions
    def visit_Name(self, node: ast.Name) -> Any:
        """The value of a parameter, or the name."""
        return self.given.get(node.id, node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """A number: π, ∞."""
        value = getattr(math, node.attr)
        return _expression(f"math.{node.attr}" if not math.isfinite(value) else repr(value))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """Minus and not."""
        op = ast.Not() if isinstance(node.op, ast.Invert) else node.op
        return ast.UnaryOp(op, self.visit(node.operand))

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Arithmetic, where division by 0 and powers are functions; and logic."""
        left, right = self.visit(node.left), self.visit(node.right)
        logic = _LOGIC.get(type(node.op))
        if logic is not None:
            return ast.BoolOp(logic(), [left, right])
        if isinstance(node.op, ast.Div):
            return self._quotient(left, right)
        if isinstance(node.op, ast.Pow):
            return self._call("pow", left, right)
        if isinstance(node.op, ast.Mod) and not self._is_whole(node.left):
            return self._call("fmod", left, right)
        return ast.BinOp(left, node.op, right)

    def _is_whole(self, node: Any) -> bool:
        return isinstance(node, ast.Name) and node.id in self.whole

    def _quotient(self, left: Any, right: Any) -> Any:
        over, under = _number(left), _number(right)
        if under is None:
            return self._call("div", left if over is None else ast.Constant(over), right)
        return ast.Constant(over / under) if over is not None else ast.BinOp(left, ast.Div(), ast.Constant(under))

    def _call(self, name: str, *args: Any) -> Any:
        return ast.Call(ast.Name(name, ast.Load()), list(args), [])

    def visit_Call(self, node: ast.Call) -> Any:
        """A function of NumPy's, a choice, a polynomial, another kernel."""
        f = node.func
        if isinstance(f, ast.Attribute) and not isinstance(f.value, ast.Name):
            return self._method(f, node)
        if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name):
            owner = f.value.id
            if owner == "math":
                return ast.Constant(eval(ast.unparse(node), {"math": math}))
            if owner == "np":
                return self._numpy(f.attr, node.args)
            if f.attr in ("astype", "any"):
                return self._method(f, node)
        return self._own(ast.unparse(f), node.args)

    def _method(self, f: ast.Attribute, node: ast.Call) -> Any:
        x = self.visit(f.value)
        dtype = ast.unparse(node.args[0]) if node.args else ""
        return self._call(_CASTS[dtype], x) if dtype in _CASTS else x

    def _numpy(self, name: str, args: Sequence[Any]) -> Any:
        xs = [self.visit(a) for a in args]
        if name == "where":
            return ast.IfExp(*xs)
        if name == "zeros_like":
            return ast.Constant(0.0)
        if name in _TESTS:
            return _expression(_TESTS[name].format(f"({ast.unparse(xs[0])})"))
        name = _RENAMED.get(name, name)
        return self._call(name, *xs) if name in _words() else ast.Call(_expression(f"math.{name}"), xs, [])

    def _own(self, name: str, args: Sequence[Any]) -> Any:
        if name in ("select", "replaced"):
            return self._choice(name, args)
        if name == "horner" and len(args) == 2:
            table = ast.unparse(args[1])
            size = self.lengths.get(table) or len(getattr(self.module, table))
            args = [*args, ast.Constant(size)]
        return self._applied(_expression(name), [self.visit(a) for a in args])

    def _choice(self, name: str, args: Sequence[Any]) -> Any:
        mask, yes, no, *xs = args
        given = [self.visit(x) for x in xs]
        if name == "replaced":
            kept = self.visit(no)
            return ast.IfExp(self.visit(mask), self._applied(yes, [kept, *given]), kept)
        return ast.IfExp(self.visit(mask), self._applied(yes, given), self._applied(no, given))

    def _applied(self, f: Any, args: Sequence[Any]) -> Any:
        """Return a call of a kernel; a lambda is written out."""
        if isinstance(f, ast.Lambda):
            before, parameters = self.given, [a.arg for a in f.args.args]
            self.given = before | dict(zip(parameters, args, strict=True))
            expression = self.visit(_expression(ast.unparse(f.body)))
            self.given = before
            return expression
        name = ast.unparse(f)
        if name in ("range", "float", "int", "horner"):
            return self._call(name, *args)
        owner, _, last = name.rpartition(".")
        kernel = _bare(getattr(getattr(self.module, owner) if owner else self.module, last))
        if kernel.__name__ in _MATH:
            return ast.Call(_expression(f"math.{kernel.__name__}"), list(args), [])
        self.called[kernel.__name__] = Found(kernel.__module__, kernel.__name__)
        return self._call(kernel.__name__, *args)
