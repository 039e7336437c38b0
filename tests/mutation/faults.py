"""Which faults are planted: one change of one sign, number or word, inside a function of the package.

The changes are Cosmic Ray's. Of each place that can be changed one change is drawn, of the places a sample, with fixed
seeds. A fault replaces code of functions that are already loaded, so what runs only on import, such as a module's
constants, is left out.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

SIGNS = ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "Mul_Add", "Pow_Mul", "Mod_Mul", "FloorDiv_Mul", "MatMul_Mul")
COMPARISONS = ("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Is_IsNot", "IsNot_Is", "In_NotIn")
COMPARISONS += ("NotIn_In", "Lt_Gt", "Gt_Lt")
LEFT_OUT = (  # they need arguments, or change code that runs on import
    "VariableReplacer",
    "VariableInserter",
    "RemoveDecorator",
)

Key = tuple[str, int]  # a function within its file: qualified name and first line


@dataclass(frozen=True)
class Fault:
    """One change: where, which, and the code it gives to the functions it concerns."""

    path: Path
    line: int
    statement: range  # its lines
    operator: str
    before: str
    after: str
    codes: dict[Key, CodeType]

    def __str__(self) -> str:
        return f"{self.path.as_posix()}:{self.line} {self.operator}\n    - {self.before}\n    + {self.after}"


def chosen() -> list[str]:
    """The names of the changes that are made."""
    return [name for name in operator_names() if wanted(name.split("/")[-1])]


def wanted(name: str) -> bool:
    """Whether a change is one that a slip of the hand could make: ``+`` for ``-``, not ``+`` for ``>>``."""
    if name.startswith("ReplaceBinaryOperator_"):
        return name.removeprefix("ReplaceBinaryOperator_") in SIGNS
    if name.startswith("ReplaceComparisonOperator_"):
        return name.removeprefix("ReplaceComparisonOperator_") in COMPARISONS
    return name not in LEFT_OUT


def functions(code: CodeType) -> Iterator[tuple[Key, CodeType]]:
    """All functions within a module's code, at any depth, without the bodies of classes themselves."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & CO_OPTIMIZED and not on_import(inner):
                yield (inner.co_qualname, inner.co_firstlineno), inner
            yield from functions(inner)


def on_import(code: CodeType) -> bool:
    """Whether a function is a loop between brackets that runs while its module is loaded."""
    return code.co_name.endswith(("comp>", "genexpr>")) and "<locals>" not in code.co_qualname


def changed(path: Path, source: str, after: str) -> dict[Key, CodeType]:
    """The functions whose own instructions or constants differ, by their place in the file as it is."""
    old = list(functions(compile(source, str(path), "exec")))
    new = list(functions(compile(after, str(path), "exec")))
    if [key for key, _ in old] != [key for key, _ in new]:
        return {}
    return {key: code for (key, was), (_, code) in zip(old, new, strict=True) if differs(was, code)}


def differs(was: CodeType, code: CodeType) -> bool:
    """Whether two functions do different things; a function within them counts."""
    if was.co_code != code.co_code or was.co_names != code.co_names or len(was.co_consts) != len(code.co_consts):
        return True
    pairs = list(zip(was.co_consts, code.co_consts, strict=True))
    return any(differs(a, b) if isinstance(a, CodeType) else repr(a) != repr(b) for a, b in pairs)


def places(source: str) -> dict[tuple[int, int], list[tuple[str, int]]]:
    """For each place in a file the changes that can be made there: operator and occurrence."""
    tree, found = get_ast(source), {}
    for name in chosen():
        operator, count = get_operator(name)(), 0
        for node in ast_nodes(tree):
            for start, _ in operator.mutation_positions(node):
                found.setdefault(start, []).append((name, count))
                count += 1
    return found


def faults_of(path: Path, rng: random.Random, most: int) -> list[Fault]:
    """At most so many faults of one file, each in another place."""
    source = path.read_text(encoding="utf-8")
    offered = sorted(places(source).items())
    rng.shuffle(offered)
    result: list[Fault] = []
    for (line, _), changes in offered:
        if len(result) == most:
            break
        name, occurrence = rng.choice(changes)
        after = mutate_code(source, get_operator(name)(), occurrence)
        fault = planted(path, line, name, source, after)
        if fault is not None:
            result.append(fault)
    return result


def planted(path: Path, line: int, name: str, source: str, after: str | None) -> Fault | None:
    """The fault, or None where the changed file is no Python or no function is changed."""
    try:
        codes = changed(path, source, after) if after is not None else {}
    except SyntaxError:
        return None
    if not codes:
        return None
    old, new = source.splitlines(), after.splitlines()
    at = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), line - 1)
    return Fault(
        path, at + 1, statement_at(source, at + 1), name.split("/")[-1], old[at].strip(), new[at].strip(), codes
    )


def statement_at(source: str, line: int) -> range:
    """The lines of the innermost statement at a line; of one with a body those before it."""
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):  # outer ones first
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno:
            body = getattr(node, "body", None)
            found = range(node.lineno, max(body[0].lineno, node.lineno + 1) if body else node.end_lineno + 1)
    return found if line in found else range(line, line + 1)


def sample(paths: list[Path], count: int, seed: int) -> list[Fault]:
    """So many faults, spread evenly over the files."""
    rng = random.Random(seed)
    offered = [faults_of(path, rng, max(2, -(-2 * count // len(paths)))) for path in sorted(paths)]
    pool = [fault for faults in offered for fault in faults]
    return sorted(rng.sample(pool, min(count, len(pool))), key=lambda f: (f.path, f.line))
