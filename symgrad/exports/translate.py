"""From the few words of Python that loops and their library are written in to C99.

Expressions, assignments, loops over ranges, while, if, break and return; numbers are double, counts are long.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from symgrad.compiler.loops.kernels import kernels
from symgrad.compiler.loops.programs import LIBRARIES, PYTHON
from symgrad.support.definitions import Found

_TYPES = {"float": "double ", "int": "long ", "Read": "const double *", "Array": "double *", "None": "void "}
_BINARY: dict[type[Any], tuple[str, int]] = {
    ast.Add: ("+", 12), ast.Sub: ("-", 12), ast.Mult: ("*", 13), ast.Div: ("/", 13), ast.FloorDiv: ("/", 13),
    ast.Mod: ("%", 13), ast.BitAnd: ("&", 8), ast.BitXor: ("^", 7), ast.BitOr: ("|", 6),
}  # fmt: skip
_COMPARE: dict[type[Any], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_ATOM = 20


class Translator:
    """Writes C, and notes which functions and tables of the library it needs.

    Attributes:
        texts: their definitions, each after those that it uses.
    """

    def __init__(self, module: str = "") -> None:
        self.texts: list[str] = []
        self._known: set[Found] = set()
        self._module = module  # whose function is written

    # -------------------------------------------------------------- expressions
    def expression(self, text: str) -> str:
        """Return an expression in C."""
        return self._expr(ast.parse(text, mode="eval").body)[0]

    def _expr(self, node: Any) -> tuple[str, int]:
        """Return the text and how tightly it binds."""
        method = getattr(self, f"_{type(node).__name__}")
        pair: tuple[str, int] = method(node)
        return pair

    def _at(self, node: Any, level: int) -> str:
        text, own = self._expr(node)
        return text if own >= level else f"({text})"

    def _Constant(self, node: ast.Constant) -> tuple[str, int]:
        return (repr(node.value) if not isinstance(node.value, bool) else str(int(node.value))), _ATOM

    def _Name(self, node: ast.Name) -> tuple[str, int]:
        return self.function(node.id) if self._module and node.id.isupper() else node.id, _ATOM

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
        return f"{self._at(node.value, _ATOM)}[{self._expr(node.slice)[0]}]", _ATOM

    def _Call(self, node: ast.Call) -> tuple[str, int]:
        if isinstance(node.func, ast.Attribute):  # of math
            return f"{node.func.attr}({', '.join(self._expr(a)[0] for a in node.args)})", _ATOM
        name = node.func.id  # type: ignore[attr-defined]
        if name in ("int", "float"):
            return f"({'long' if name == 'int' else 'double'}){self._at(node.args[0], 14)}", 14
        if name == "div":
            return f"{self._at(node.args[0], 13)} / {self._at(node.args[1], 14)}", 13
        if name == "single":
            return f"(double)(float){self._at(node.args[0], 14)}", 14
        args = ", ".join(self._expr(a)[0] for a in node.args)
        return f"{self.function(name)}({args})", _ATOM

    def function(self, name: str) -> str:
        """Return what a function or a table is called in C: one of its own library, or one of ours."""
        module = self._module or next((m for m in (PYTHON, *LIBRARIES) if name in kernels(m).defined), "")
        while module not in ("", PYTHON) and name not in kernels(module).defined:
            module, name = kernels(module).inside.get(name, Found("", name))
        if module in ("", PYTHON):
            return name
        self._need(Found(module, name))
        return f"sg_{name}"

    # -------------------------------------------------------------- statements
    def block(self, lines: Sequence[str], known: Sequence[str] = ()) -> list[str]:
        """Return statements in C; a name is declared where it is first given a number."""
        tree = ast.parse("\n".join(lines))
        again = _assigned_again(tree)
        return list(self._statements(tree.body, set(known), again))

    def _statements(self, body: Sequence[Any], known: set[str], again: set[str]) -> Iterator[str]:
        for node in body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue  # a docstring
            yield from self._statement(node, known, again)

    def _statement(self, node: Any, known: set[str], again: set[str]) -> Iterator[str]:
        if isinstance(node, ast.Assign):
            yield from self._assign(node.targets[0], node.value, known, again)
        elif isinstance(node, ast.AnnAssign):
            yield from self._assign(node.target, node.value, known, again)
        elif isinstance(node, ast.AugAssign):
            sign = _BINARY[type(node.op)][0]
            yield f"{self._expr(node.target)[0]} {sign}= {self._expr(node.value)[0]};"
        elif isinstance(node, ast.Return):
            yield f"return {self._expr(node.value)[0]};" if node.value is not None else "return;"
        elif isinstance(node, ast.Expr):
            yield f"{self._expr(node.value)[0]};"
        elif isinstance(node, ast.Break):
            yield "break;"
        else:
            yield from self._compound(node, known, again)

    def _assign(self, target: Any, value: Any, known: set[str], again: set[str]) -> Iterator[str]:
        if isinstance(value, ast.BinOp) and isinstance(value.left, ast.List):
            return  # an array, declared with the function's names
        text = f"{self._expr(target)[0]} = {self._expr(value)[0]};"
        if isinstance(target, ast.Name) and target.id not in known:
            known.add(target.id)
            text = f"{'' if target.id in again else 'const '}double {text}"
        yield text

    def _compound(self, node: Any, known: set[str], again: set[str]) -> Iterator[str]:
        if isinstance(node, ast.For):
            yield f"{self._for(node)} {{"
        else:
            word = "while" if isinstance(node, ast.While) else "if"
            yield f"{word} ({self._expr(node.test)[0]}) {{"
        yield from (f"    {line}" for line in self._statements(node.body, known, again))
        if getattr(node, "orelse", None):
            yield "} else {"
            yield from (f"    {line}" for line in self._statements(node.orelse, known, again))
        yield "}"

    def _for(self, node: ast.For) -> str:
        assert isinstance(node.iter, ast.Call)
        assert isinstance(node.target, ast.Name)
        name = "_unused" if node.target.id == "_" else node.target.id
        args = [self._at(a, 11) for a in node.iter.args]
        if len(args) == 3:
            return f"for (long {name} = {args[0]}; {name} > {args[1]}; {name}--)"
        start, stop = ("0", args[0]) if len(args) == 1 else args
        return f"for (long {name} = {start}; {name} < {stop}; {name}++)"

    # -------------------------------------------------------------- the library
    def _need(self, definition: Found) -> None:
        """Write a definition of the library, after those that it uses."""
        if definition in self._known:
            return
        self._known.add(definition)
        node = kernels(definition.module).defined[definition.name]
        inner = Translator(definition.module)
        inner.texts, inner._known = self.texts, self._known
        text = inner.definition(node) if isinstance(node, ast.FunctionDef) else inner.constant(definition.name, node)
        guard = f"SYMGRAD_HAS_{definition.name}"
        self.texts.append(f"#ifndef {guard}\n#define {guard}\n{text}\n#endif")

    def constant(self, name: str, node: Any) -> str:
        """Return a number or a table."""
        if isinstance(node.value, ast.Tuple):
            values = [self._expr(e)[0] for e in node.value.elts]
            rows = [", ".join(values[k : k + 4]) for k in range(0, len(values), 4)]
            return f"static const double sg_{name}[] = {{\n    " + ",\n    ".join(rows) + "\n};"
        return f"static const double sg_{name} = {self._expr(node.value)[0]};"

    def definition(self, node: ast.FunctionDef) -> str:
        """Return a function; its names are declared at its head."""
        params = ", ".join(f"{_TYPES[ast.unparse(a.annotation)]}{a.arg}" for a in node.args.args if a.annotation)
        kind = _TYPES[ast.unparse(node.returns)] if node.returns is not None else "void "
        doc = ast.get_docstring(node)
        declared, names = _locals(node)
        body = list(self._statements(node.body, {*names, *[a.arg for a in node.args.args]}, set()))
        lines = [*declared, *body]
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
