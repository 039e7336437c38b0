"""Signatures with the types that editors and checkers read: those of the stubs, where a module has one."""

import ast
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sphinx.application import Sphinx

import symgrad

PACKAGE = Path(symgrad.__file__).parent
STUBS = {  # in the order in which a name is looked up
    "symgrad": "functions/__init__.pyi",
    "symgrad.linalg": "linalg/__init__.pyi",
    "symgrad.special": "special/__init__.pyi",
    "symgrad.nn.functional": "nn/functional.pyi",
    "symgrad.Tensor": "tensors/methods_mixin.pyi",
}
# Defaults that Python prints with their kind or their address.
_PRINTED = re.compile(r"<class 'numpy\.(\w+)'>|<function (\w+).*?>|<object object.*?>|Ellipsis")


@cache
def stub(module: str) -> dict[str, tuple[str, str]]:
    """The arguments and the result of each function in a stub, or of each method in a stub's class."""
    tree = ast.parse((PACKAGE / STUBS[module]).read_text(encoding="utf-8"))
    body = next((n.body for n in tree.body if isinstance(n, ast.ClassDef)), tree.body)
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return {name: as_one(overloads) for name, overloads in found.items()}


def as_one(overloads: list[ast.FunctionDef]) -> tuple[str, str]:
    """Arguments of the overload that has most, and whatever one of them returns."""
    most = max(overloads, key=lambda f: len([*f.args.args, *f.args.kwonlyargs]))
    returns = dict.fromkeys(readable(f.returns) for f in overloads if f.returns)
    own = [r for r in returns if r != "Any"] or list(returns)
    if most.args.args and most.args.args[0].arg == "self":
        del most.args.args[0]
    return f"({readable(most.args)})", " | ".join(own)


def readable(node: ast.AST) -> str:
    """A type as a page shows it: without the modules that names come from."""
    return ast.unparse(node).replace("builtins.", "").replace("np.ndarray[Any, Any]", "np.ndarray")


def of_stub(name: str) -> tuple[str, str] | None:
    """The signature of a full name, such as symgrad.exp or symgrad.Tensor.exp; None where no stub has it."""
    module, _, last = name.rpartition(".")
    return stub(module).get(last) if module in STUBS else None


def replace(
    app: Sphinx, what: str, name: str, obj: Any, options: SimpleNamespace, arguments: str, returns: str
) -> tuple[str, str] | None:
    """Show the stub's signature for the one that Python reports, or that without the addresses of objects."""
    found = of_stub(name) if what in ("function", "method") else None
    if found or not arguments:
        return found
    return _PRINTED.sub(lambda m: m[1] or m[2] or "...", arguments), returns


def setup(app: Sphinx) -> None:
    """Listen to autodoc."""
    app.connect("autodoc-process-signature", replace)
