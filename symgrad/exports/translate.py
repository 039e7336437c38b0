"""From the few words of Python that loops and their library are written in to C99: numbers are real, counts long.

Real numbers are double, or float. In a program of floats, special functions of the library still compute in double,
because their series and tables are made for it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.compiler.loops.errors import ExportError
from symgrad.compiler.loops.kernels import KERNELS, kernels
from symgrad.compiler.loops.programs import PYTHON
from symgrad.compiler.loops.walk import Range, Walk
from symgrad.support.definitions import Found, parsed

DOUBLE, FLOAT = "double", "float"
_TYPES = {"float": "{0} ", "int": "long ", "Read": "const {0} *", "Array": "{0} *", "None": "void "}
_WITHOUT_SUFFIX = ("isfinite", "isnan", "isinf")  # macros that take either type
# Thresholds of the library that are near the limits or the precision of double, and those of float in their place.
THRESHOLDS = {
    1e-14: 5e-6, 1e-16: 6e-8, 1e-280: 1e-30, 1e300: 1e36, 1e100: 1e12, 1e-100: 1e-12,
    2.0**-600: 2.0**-80, 2.0**600: 2.0**80,
}  # fmt: skip
_FAR = {2.0**1000: 2.0**110, 2.0**-960: 2.0**-100}  # of complex numbers, whose squares are in range between them
_LEAST, _MOST = float(np.finfo(np.float32).smallest_subnormal), float(np.finfo(np.float32).max)
_BINARY: dict[type[Any], tuple[str, int]] = {
    ast.Add: ("+", 12), ast.Sub: ("-", 12), ast.Mult: ("*", 13), ast.Div: ("/", 13), ast.FloorDiv: ("/", 13),
    ast.Mod: ("%", 13), ast.BitAnd: ("&", 8), ast.BitXor: ("^", 7), ast.BitOr: ("|", 6),
}  # fmt: skip
_COMPARE: dict[type[Any], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_ATOM = 20


class Translator(Walk[tuple[str, int]]):
    """Writes C, and notes which functions and tables of the library it needs.

    An expression is its text, and how tightly that binds.

    Attributes:
        real: the type of numbers.
        texts: the definitions of the library, each after those that it uses.
    """

    def __init__(self, module: str = "", real: str = DOUBLE) -> None:
        super().__init__(module)
        self.real = real
        self.texts: list[str] = []
        self._written: set[tuple[Found, str]] = set()
        self._lines: list[str] = []
        self._indent = ""
        self._known: set[str] = set()  # names that are declared
        self._again: set[str] = set()  # names that get a number more than once
        self._whole: set[str] = set()  # names of a function of the library that hold whole numbers
        self._returns_real = False

    # -------------------------------------------------------------- expressions
    def text(self, expression: str) -> str:
        """Return an expression in C."""
        return self._c(parsed(expression, mode="eval").body)

    def _c(self, node: Any) -> str:
        return self.expression(node)[0]

    def _at(self, node: Any, level: int) -> str:
        text, own = self.expression(node)
        return text if own >= level else f"({text})"

    def _Constant(self, node: ast.Constant) -> tuple[str, int]:
        value = node.value
        if isinstance(value, float):
            return self.number(THRESHOLDS.get(value, value) if self._is_single and self.module else value), _ATOM
        return (repr(value) if not isinstance(value, bool) else str(int(value))), _ATOM

    @property
    def _is_single(self) -> bool:
        return self.real == FLOAT

    @property
    def _suffix(self) -> str:
        return "f" if self._is_single else ""

    def number(self, x: float) -> str:
        """Return a number of the type of numbers."""
        if x != x:
            return "NAN"
        if abs(x) == float("inf"):
            return "INFINITY" if x > 0 else "-INFINITY"
        if not self._is_single:
            return repr(x)
        with np.errstate(over="ignore", under="ignore"):
            single = np.float32(x)
        if np.isinf(single) or (single == 0.0 and x != 0.0):
            raise ExportError(f"export: the constant {x!r} is not a number of float32. Write it with dtype='float64'.")
        return f"{single!s}f"

    def _Name(self, node: ast.Name) -> tuple[str, int]:
        return self.function(node.id) if self.module and node.id.isupper() else node.id, _ATOM

    def _Attribute(self, node: ast.Attribute) -> tuple[str, int]:
        if self.module and not self._is_single:  # C's macros INFINITY and NAN are floats
            return {"inf": "HUGE_VAL", "nan": 'nan("")'}[node.attr], _ATOM
        return {"inf": "INFINITY", "nan": "NAN"}[node.attr], _ATOM

    def _BinOp(self, node: ast.BinOp) -> tuple[str, int]:
        sign, level = _BINARY[type(node.op)]
        right = level if sign in "+*" and not isinstance(node.right, ast.BinOp) else level + 1
        if sign in "&|^":
            return f"{self._at(node.left, 13)} {sign} {self._at(node.right, 14)}", level
        at = self._real_at if self._is_whole(node.left) != self._is_whole(node.right) else self._at
        return f"{at(node.left, level)} {sign} {at(node.right, right)}", level

    def _is_whole(self, node: Any) -> bool:
        """Whether an expression in a function of the library is a whole number, whose names all have types."""
        match node:
            case ast.Constant(value=value):
                return isinstance(value, int)
            case ast.Name(id=name):
                return name in self._whole
            case ast.UnaryOp(operand=operand):
                return self._is_whole(operand)
            case ast.BinOp(left=left, right=right):
                return self._is_whole(left) and self._is_whole(right)
            case ast.IfExp(body=body, orelse=orelse):
                return self._is_whole(body) and self._is_whole(orelse)
            case ast.Call(func=ast.Name(id="int")):
                return True
        return False

    def _real_at(self, node: Any, level: int) -> str:
        """Return an expression as a real number; compilers warn where a whole one becomes real by itself."""
        if self._is_single and isinstance(node, (ast.Compare, ast.BoolOp)):  # an int in C
            return f"(float)({self._c(node)})"
        is_exact = not any(isinstance(n, (ast.Name, ast.Call)) for n in ast.walk(node))
        if not self.module or is_exact or not self._is_whole(node):
            return self._at(node, level)
        text = f"({self.real}){self._at(node, 14)}"
        return f"({text})" if level > 14 else text

    def _UnaryOp(self, node: ast.UnaryOp) -> tuple[str, int]:
        sign = {ast.USub: "-", ast.Not: "!", ast.Invert: "~"}[type(node.op)]
        inner = self._at(node.operand, 14)
        return f"{sign}({inner})" if inner.startswith("-") else f"{sign}{inner}", 14

    def _Compare(self, node: ast.Compare) -> tuple[str, int]:
        sign, right = _COMPARE[type(node.ops[0])], node.comparators[0]
        if self._is_single and not self.module:
            sign, right = _limit(sign, right)
        return f"{self._at(node.left, 11)} {sign} {self._at(right, 11)}", 10 if sign[0] in "<>" else 9

    def _BoolOp(self, node: ast.BoolOp) -> tuple[str, int]:
        sign, level = ("&&", 5) if isinstance(node.op, ast.And) else ("||", 4)
        return f" {sign} ".join(self._at(v, 6 if sign == "&&" else 9) for v in node.values), level

    def _IfExp(self, node: ast.IfExp) -> tuple[str, int]:
        return f"{self._at(node.test, 9)} ? {self._at(node.body, 9)} : {self._at(node.orelse, 9)}", 3

    def _Subscript(self, node: ast.Subscript) -> tuple[str, int]:
        return f"{self._at(node.value, _ATOM)}[{self._c(node.slice)}]", _ATOM

    def _Call(self, node: ast.Call) -> tuple[str, int]:
        if isinstance(node.func, ast.Attribute):  # of math
            name = node.func.attr + ("" if node.func.attr in _WITHOUT_SUFFIX else self._suffix)
            return f"{name}({', '.join(self._real_at(a, 0) for a in node.args)})", _ATOM
        name = node.func.id  # type: ignore[attr-defined]
        if name in ("int", "float"):
            return f"({'long' if name == 'int' else self.real}){self._at(node.args[0], 14)}", 14
        if name == "div":
            return f"{self._real_at(node.args[0], 13)} / {self._real_at(node.args[1], 14)}", 13
        if name == "single":
            return f"{'' if self._is_single else '(double)'}(float){self._at(node.args[0], 14)}", 14
        if self._is_in_double(name):
            return f"(float){self.function(name)}({', '.join(self._doubles(name, node.args))})", 14
        return f"{self.function(name)}({', '.join(self._arguments(name, node.args))})", _ATOM

    def _arguments(self, name: str, args: Sequence[Any]) -> list[str]:
        """Return arguments as a function takes them."""
        definition = self.definition(name)
        if definition.module == PYTHON:
            return [self._real_at(a, 0) for a in args]
        node: Any = kernels(definition.module).defined[definition.name]
        are_real = [p.annotation is not None and ast.unparse(p.annotation) == "float" for p in node.args.args]
        return [self._real_at(a, 0) if is_real else self._c(a) for a, is_real in zip(args, are_real, strict=True)]

    def _is_in_double(self, name: str) -> bool:
        """Whether a function computes in double, in a program of floats."""
        return self._is_single and self.definition(name).module in KERNELS

    def _doubles(self, name: str, args: Sequence[Any]) -> list[str]:
        """Return arguments as a function in double takes them."""
        definition = self.definition(name)
        node: Any = kernels(definition.module).defined[definition.name]
        types = [_TYPES[ast.unparse(p.annotation)].format(DOUBLE).strip() for p in node.args.args]
        return [f"({kind}){self._at(a, 14)}" for kind, a in zip(types, args, strict=True)]

    def function(self, name: str) -> str:
        """Return what a function or a table is called in C: one of its own library, or one of ours."""
        definition = self.definition(name)
        if definition.module == PYTHON:
            return f"{definition.name}{self._suffix}"
        real = DOUBLE if self._is_in_double(name) else self.real
        self._need(definition, real)
        return f"sg_{definition.name}{'f' if real == FLOAT else ''}"

    # -------------------------------------------------------------- statements
    def block(self, lines: Sequence[str], known: Sequence[str] = ()) -> list[str]:
        """Return statements in C; a name is declared where it is first given a number."""
        tree = parsed("\n".join(lines))
        self._known, self._again = set(known), _assigned_again(tree)
        return self._block(tree.body)

    def _block(self, body: Sequence[ast.stmt]) -> list[str]:
        self._lines = []
        self.statements(body)
        return self._lines

    def _line(self, text: str) -> None:
        self._lines.append(f"{self._indent}{text}")

    def _braced(self, head: str, body: Sequence[ast.stmt]) -> None:
        """Write what stands in braces, up to the last one."""
        self._line(f"{head} {{")
        before = self._indent
        self._indent += "    "
        self.statements(body)
        self._indent = before

    def assign(self, target: Any, value: Any, kind: str = "") -> None:
        """Give a name or an entry a value; the first of a name declares it."""
        if isinstance(value, ast.BinOp) and isinstance(value.left, ast.List):
            return  # an array, declared with the function's names
        is_real = not (isinstance(target, ast.Name) and target.id in self._whole)
        text = f"{self._c(target)} = {self._real_at(value, 0) if is_real else self._c(value)};"
        if isinstance(target, ast.Name) and target.id not in self._known:
            self._known.add(target.id)
            text = f"{'' if target.id in self._again else 'const '}{self.real} {text}"
        self._line(text)

    def change(self, node: ast.AugAssign) -> None:
        """Add to a name or an entry, say."""
        value = self._c(node.value) if self._is_whole(node.target) else self._real_at(node.value, 0)
        self._line(f"{self._c(node.target)} {_BINARY[type(node.op)][0]}= {value};")

    def run(self, node: Any) -> None:
        """Evaluate an expression for what it does."""
        self._line(f"{self._c(node)};")

    def give(self, value: Any) -> None:
        """Leave the function."""
        if value is None:
            self._line("return;")
        else:
            self._line(f"return {self._real_at(value, 0) if self._returns_real else self._c(value)};")

    def leave(self, node: ast.Break) -> None:
        """Leave the loop around."""
        self._line("break;")

    def repeat(self, node: ast.While) -> None:
        """Repeat while a condition holds."""
        self._braced(f"while ({self._c(node.test)})", node.body)
        self._line("}")

    def choose(self, node: ast.If) -> None:
        """Go one way or the other."""
        self._braced(f"if ({self._c(node.test)})", node.body)
        if node.orelse:
            self._braced("} else", node.orelse)
        self._line("}")

    def count(self, node: ast.For, over: Range) -> None:
        """Repeat for each number of a range."""
        name = "_unused" if over.name == "_" else over.name
        self._whole.add(name)
        first, last = self._at(over.first, 11), self._at(over.last, 11)
        sign, step = (">", "--") if over.down else ("<", "++")
        self._braced(f"for (long {name} = {first}; {name} {sign} {last}; {name}{step})", node.body)
        self._line("}")

    # -------------------------------------------------------------- the library
    def _need(self, definition: Found, real: str) -> None:
        """Write a definition of the library, after those that it uses."""
        if (definition, real) in self._written:
            return
        self._written.add((definition, real))
        node = kernels(definition.module).defined[definition.name]
        inner = Translator(definition.module, real)
        inner.texts, inner._written = self.texts, self._written
        text = inner.written(node) if isinstance(node, ast.FunctionDef) else inner.constant(definition.name, node)
        guard = f"SYMGRAD_HAS_{definition.name}{inner._suffix}"
        self.texts.append(f"#ifndef {guard}\n#define {guard}\n{text}\n#endif")

    def constant(self, name: str, node: Any) -> str:
        """Return a number or a table."""
        if isinstance(node.value, ast.Tuple):
            values = [self._c(e) for e in node.value.elts]
            rows = [", ".join(values[k : k + 4]) for k in range(0, len(values), 4)]
            return f"static const {self.real} sg_{name}{self._suffix}[] = {{\n    " + ",\n    ".join(rows) + "\n};"
        return f"static const {self.real} sg_{name}{self._suffix} = {self._c(node.value)};"

    def written(self, node: ast.FunctionDef) -> str:
        """Return a function; its names are declared at its head."""
        types = {word: text.format(self.real) for word, text in _TYPES.items()}
        params = ", ".join(f"{types[ast.unparse(a.annotation)]}{a.arg}" for a in node.args.args if a.annotation)
        kind = types[ast.unparse(node.returns)] if node.returns is not None else "void "
        doc = ast.get_docstring(node)
        declared, names, whole = _locals(node, self.real)
        self._whole = whole | {a.arg for a in node.args.args if a.annotation and ast.unparse(a.annotation) == "int"}
        self._returns_real = kind.strip() == self.real
        self._known = {*names, *[a.arg for a in node.args.args]}
        lines = [*declared, *self._block(node.body)]
        return "\n".join(
            [
                *([f"/* {doc} */"] if doc else []),
                f"static {kind}sg_{node.name}{self._suffix}({params})",
                "{",
                *[f"    {t}" for t in lines],
                "}",
            ]
        )


def _limit(sign: str, node: Any) -> tuple[str, Any]:
    """Return a comparison with a constant as one with a number of float32, of equal result for every number of it."""
    x = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(x, float):
        return sign, node
    x = _FAR.get(x, x)
    if _LEAST <= abs(x) <= _MOST or x == 0.0 or sign in ("==", "!=") or x < 0.0:
        return sign, ast.Constant(x)
    return ("<=" if sign[0] == "<" else ">"), ast.Constant(_MOST if x > 1.0 else 0.0)


def _locals(node: ast.FunctionDef, real: str) -> tuple[list[str], set[str], set[str]]:
    """Return the declarations of a function's names, the names, and those of whole numbers."""
    whole, numbers, arrays = [], [], []
    params = {a.arg for a in node.args.args}
    for n in ast.walk(node):
        if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name):
            whole.append(n.target.id)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name):
            name = n.targets[0].id
            if isinstance(n.value, ast.BinOp) and isinstance(n.value.left, ast.List):
                arrays.append(f"{name}[{ast.unparse(n.value.right)}] = {{0}}")
                params.add(name)
            else:
                numbers.append(name)
    whole = [n for n in dict.fromkeys(whole) if n not in params]
    numbers = [n for n in dict.fromkeys(numbers) if n not in params and n not in whole]
    lines = [
        f"{kind} {', '.join(names)};" for kind, names in (("long", whole), (real, numbers), (real, arrays)) if names
    ]
    return lines, {*whole, *numbers, *params}, {*whole}


def _assigned_again(tree: ast.Module) -> set[str]:
    """Return the names that are given a number more than once."""
    seen: set[str] = set()
    again: set[str] = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
            again.add(n.target.id)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name):
            name = n.targets[0].id
            (again if name in seen else seen).add(name)
    return again
