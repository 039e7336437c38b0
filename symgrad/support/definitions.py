"""What the text of a module defines, and where the names in it come from. Runs nothing."""

from __future__ import annotations

import ast
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple


class Found(NamedTuple):
    """A definition: its module and its name there."""

    module: str
    name: str


class Module(NamedTuple):
    """A module's top-level definitions, its imports from its own package, and its other imports."""

    defined: dict[str, ast.stmt]
    inside: dict[str, Found]  # the name may be "", for the module itself
    outside: dict[str, str]


def parsed(source: str, mode: str = "exec") -> Any:
    """Return ``ast.parse(source)``, again where Python 3.11 raises SystemError because two threads parse at once."""
    for _ in range(100):
        try:
            return ast.parse(source, mode=mode)
        except SystemError:
            continue
    return ast.parse(source, mode=mode)


@lru_cache(maxsize=64)
def read(name: str) -> Module:
    """Return the definitions in a module of this package."""
    spec = find_spec(name)
    assert spec is not None  # our own
    assert spec.origin is not None
    package = name.split(".")[0]
    defined: dict[str, ast.stmt] = {}
    inside: dict[str, Found] = {}
    outside: dict[str, str] = {}
    for node in parsed(Path(spec.origin).read_text(encoding="utf-8")).body:
        for key in names_of(node):
            defined[key] = node
        if isinstance(node, ast.Import):
            for a in node.names:
                key = a.asname or a.name.split(".")[0]  # import a.b binds a
                outside[key] = f"import {a.name}" + (f" as {a.asname}" if a.asname else "")
        if isinstance(node, ast.ImportFrom) and node.module:
            for a in node.names:
                _imported(node.module, a, package, inside, outside)
    return Module(defined, inside, outside)


def _imported(source: str, a: ast.alias, package: str, inside: dict[str, Found], outside: dict[str, str]) -> None:
    key = a.asname or a.name
    if source.split(".")[0] != package:
        outside[key] = f"from {source} import {a.name}" + (f" as {a.asname}" if a.asname else "")
    elif _is_module(source, a.name):
        inside[key] = Found(f"{source}.{a.name}", "")
    else:
        inside[key] = Found(source, a.name)


def _is_module(package: str, name: str) -> bool:
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec is not None else None
    return any((Path(p) / f"{name}.py").is_file() for p in places or ())


def names_of(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    flat = [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return [t.id for t in flat if isinstance(t, ast.Name)]
