"""From the few words of Python that loops and their library are written in to C99: numbers are double, counts long."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from symgrad.compiler.loops.kernels import kernels
from symgrad.compiler.loops.programs import PYTHON
from symgrad.compiler.loops.walk import Range, Walk
from symgrad.support.definitions import Found, parsed

_TYPES = {"float": "double ", "int": "long ", "Read": "const double *", "Array": "double *", "None": "void "}
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
        texts: the definitions of the library, each after those that it uses.
    """

    def __init__(self, module: str = "") -> None:
        super().__init__(module)
        self.texts: list[str] = []
        self._written: set[Found] = set()
        self._lines: list[str] = []
        self._indent = ""
        self._known: set[str] = set()  # names that are declared
        self._again: set[str] = set()  # names that get a number more than once

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
        return (repr(node.value) if not isinstance(node.value, bool) else str(int(node.value))), _ATOM

    def _Name(self, node: ast.Name) -> tuple[str, int]:
        return self.function(node.id) if self.module and node.id.isupper() else node.id, _ATOM

    def _Attribute(self, node: ast.Attribute) -> tuple[str, int]:
        return {"inf": "INFINITY", "nan": "NAN"}[node.attr], _ATOM

    def _BinOp(self, node: ast.BinOp) -> tuple[str, int]:
        sign, level = _BINARY[type(node.op)]
        right = level if sign in "+*" and not isinstance(node.right, ast.BinOp) else level + 1
        bits = sign in "&|^"
        return (
            f"{self._at(node.left, 13 if bits else level)} {sign} {self._at(node.right, 14 if bits else right)}",
            level,
        )

    def _UnaryOp(self, node: ast.UnaryOp) -> tuple[str, int]:
        sign = {ast.USub: "-", ast.Not: "!", ast.Invert: "~"}[type(node.op)]
        inner = self._at(node.operand, 14)
        return f"{sign}({inner})" if inner.startswith("-") else f"{sign}{inner}", 14

    def _Compare(self, node: ast.Compare) -> tuple[str, int]:
        sign = _COMPARE[type(node.ops[0])]
        return f"{self._at(node.left, 11)} {sign} {self._at(node.comparators[0], 11)}", 10 if sign[0] in "<>" else 9

    def _BoolOp(self, node: ast.BoolOp) -> tuple[str, int]:
        sign, level = ("&&", 5) if isinstance(node.op, ast.And) else ("||", 4)
        return f" {sign} ".join(self._at(v, 6 if sign == "&&" else 9) for v in node.values), level

    def _IfExp(self, node: ast.IfExp) -> tuple[str, int]:
        return f"{self._at(node.test, 9)} ? {self._at(node.body, 9)} : {self._at(node.orelse, 9)}", 3

    def _Subscript(self, node: ast.Subscript) -> tuple[str, int]:
        return f"{self._at(node.value, _ATOM)}[{self._c(node.slice)}]", _ATOM

    def _Call(self, node: ast.Call) -> tuple[str, int]:
        if isinstance(node.func, ast.Attribute):  # of math
            return f"{node.func.attr}({', '.join(self._c(a) for a in node.args)})", _ATOM
        name = node.func.id  # type: ignore[attr-defined]
        if name in ("int", "float"):
            return f"({'long' if name == 'int' else 'double'}){self._at(node.args[0], 14)}", 14
        if name == "div":
            return f"{self._at(node.args[0], 13)} / {self._at(node.args[1], 14)}", 13
        if name == "single":
            return f"(double)(float){self._at(node.args[0], 14)}", 14
        args = ", ".join(self._c(a) for a in node.args)
        return f"{self.function(name)}({args})", _ATOM

    def function(self, name: str) -> str:
        """Return what a function or a table is called in C: one of its own library, or one of ours."""
        definition = self.definition(name)
        if definition.module == PYTHON:
            return definition.name
        self._need(definition)
        return f"sg_{definition.name}"

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
        text = f"{self._c(target)} = {self._c(value)};"
        if isinstance(target, ast.Name) and target.id not in self._known:
            self._known.add(target.id)
            text = f"{'' if target.id in self._again else 'const '}double {text}"
        self._line(text)

    def change(self, node: ast.AugAssign) -> None:
        """Add to a name or an entry, say."""
        self._line(f"{self._c(node.target)} {_BINARY[type(node.op)][0]}= {self._c(node.value)};")

    def run(self, node: Any) -> None:
        """Evaluate an expression for what it does."""
        self._line(f"{self._c(node)};")

    def give(self, value: Any) -> None:
        """Leave the function."""
        self._line(f"return {self._c(value)};" if value is not None else "return;")

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
        first, last = self._at(over.first, 11), self._at(over.last, 11)
        sign, step = (">", "--") if over.down else ("<", "++")
        self._braced(f"for (long {name} = {first}; {name} {sign} {last}; {name}{step})", node.body)
        self._line("}")

    # -------------------------------------------------------------- the library
    def _need(self, definition: Found) -> None:
        """Write a definition of the library, after those that it uses."""
        if definition in self._written:
            return
        self._written.add(definition)
        node = kernels(definition.module).defined[definition.name]
        inner = Translator(definition.module)
        inner.texts, inner._written = self.texts, self._written
        text = inner.written(node) if isinstance(node, ast.FunctionDef) else inner.constant(definition.name, node)
        guard = f"SYMGRAD_HAS_{definition.name}"
        self.texts.append(f"#ifndef {guard}\n#define {guard}\n{text}\n#endif")

    def constant(self, name: str, node: Any) -> str:
        """Return a number or a table."""
        if isinstance(node.value, ast.Tuple):
            values = [self._c(e) for e in node.value.elts]
            rows = [", ".join(values[k : k + 4]) for k in range(0, len(values), 4)]
            return f"static const double sg_{name}[] = {{\n    " + ",\n    ".join(rows) + "\n};"
        return f"static const double sg_{name} = {self._c(node.value)};"

    def written(self, node: ast.FunctionDef) -> str:
        """Return a function; its names are declared at its head."""
        params = ", ".join(f"{_TYPES[ast.unparse(a.annotation)]}{a.arg}" for a in node.args.args if a.annotation)
        kind = _TYPES[ast.unparse(node.returns)] if node.returns is not None else "void "
        doc = ast.get_docstring(node)
        declared, names = _locals(node)
        self._known = {*names, *[a.arg for a in node.args.args]}
        lines = [*declared, *self._block(node.body)]
        return "\n".join(
            [
                *([f"/* {doc} */"] if doc else []),
                f"static {kind}sg_{node.name}({params})",
                "{",
                *[f"    {t}" for t in lines],
                "}",
            ]
        )


def _locals(node: ast.FunctionDef) -> tuple[list[str], set[str]]:
    """Return the declarations of a function's names, and the names."""
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
        f"{kind} {', '.join(names)};"
        for kind, names in (("long", whole), ("double", numbers), ("double", arrays))
        if names
    ]
    return lines, {*whole, *numbers, *params}


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
