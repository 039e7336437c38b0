"""What the tests of exports share: each row of the table as a function of its value and gradient, and what it gives."""

from __future__ import annotations

import builtins
import dis
import re
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
from checks import number, weighed
from table import Case, Row

import symgrad as sg
from symgrad.exports import ExportError
from symgrad.transforms.calls import Argnums


def value_and_gradient(case: Case) -> Callable[..., Any]:
    """The row's value and, where it has one, the gradient of Σ u y in all floating-point inputs."""
    f, total = number(case), weighed(case)
    which: Argnums = tuple(range(len(case.points)))
    gradient = sg.grad(total, argnums=which) if which and not case.row.discrete else None

    def of(*xs: Any) -> Any:
        return (f(*xs), *(gradient(*xs) if gradient is not None else ()))

    return of


def loaded(text: str, name: str = "f") -> Any:
    """A function of an exported module, in which every name that any branch reads is defined."""
    names: dict[str, Any] = {"__name__": "exported"}
    code = compile(text, "<exported>", "exec")
    exec(code, names)
    assert globals_read(code) <= {*names, *vars(builtins)}
    return names[name]


def globals_read(code: CodeType) -> set[str]:
    """The global names that code reads, and the functions in it."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    return names.union(*[globals_read(c) for c in code.co_consts if isinstance(c, CodeType)])


def exported(case: Case, target: str, name: str = "f") -> str | None:
    """The source of a row's value and gradient; None where the target says that it has no words for it."""
    points = tuple(np.asarray(x) for x in case.points)
    try:
        return sg.export(value_and_gradient(case), points, target=target, name=name, formula=False)
    except ExportError as error:
        lacking = re.search(r"cannot write the operation (\w+)", str(error))
    if target != "latex" and (lacking is None or target not in documented()[lacking[1]][1]):
        raise AssertionError(f"{target} lacks {lacking and lacking[1]}: give it words, or list it in docs/export.md")
    return None


@lru_cache(maxsize=1)
def documented() -> dict[str, tuple[str, set[str]]]:
    """The table of docs/export.md: for each operation a row that has it, and the targets without words for it."""
    text = (Path(__file__).parents[2] / "docs" / "export.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    return defaultdict(lambda: ("", set()), {op: (row, set(targets.split(", "))) for op, row, targets in found})


def tolerance(row: Row) -> float:
    """How close a source comes: rows that round to float32 on the way say so."""
    return 1e-9 if row.rtol <= 1e-6 else 1e-6


@lru_cache(maxsize=1)
def _eager() -> dict[str, Any]:
    return {}


def eager(case: Case) -> list[Any]:
    """What the function returns of the case's points, without compiling."""
    known = _eager()
    key = str(case)
    if key not in known:
        with np.errstate(all="ignore"):
            found = value_and_gradient(case)(*[sg.as_tensor(x) for x in case.points])
        known[key] = [np.asarray(y.detach().numpy() if isinstance(y, sg.Tensor) else y) for y in found]
    return known[key]


def agree(found: Any, expected: list[Any], rtol: float = 1e-9, dtypes: bool = True) -> None:
    """Assert that results are equal to ``rtol`` of the largest entry, and of the same shapes and kinds."""
    assert len(found) == len(expected)
    for y, want in zip(found, expected, strict=True):
        got = np.asarray(y)
        assert got.shape == want.shape
        assert not dtypes or got.dtype == want.dtype
        finite = want[np.isfinite(want)] if want.dtype.kind == "f" else want
        scale = max(1.0, float(np.max(np.abs(finite.astype(float)), initial=0.0)))
        np.testing.assert_allclose(got.astype(float), want.astype(float), rtol=rtol, atol=rtol * scale)
