"""What symgrad can do with each operation, read off the classes: how it is differentiated, written and compiled.

``docs/coverage.md`` and the command line print it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from symgrad import functions as _functions
from symgrad import linalg, nn, ops, special
from symgrad.compiler.primitives.decompose import is_written
from symgrad.compiler.primitives.scalarise import write
from symgrad.core.promotion import positions, truths
from symgrad.forms.canon.lower import lower
from symgrad.functions.library import FOUND
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.scalars import SCALARS
from symgrad.support.arguments import check_all
from symgrad.tensors.tensor import Tensor
from symgrad.transforms.batching import is_known

__all__ = ["Readings", "functions", "operations", "readings", "together"]

DERIVATIVE = ("none", "rule")
FORWARD = ("none", "transposed", "rule")
FORMULA = ("name", "entries", "products")
COMPILED = ("step", "written", "fused")
BATCHED = ("loop", "rule")


@dataclass(frozen=True)
class Readings:
    """The readings that an operation has.

    derivative: "rule", written in other operations and so of every order, or "none", of results that are integers or
        booleans.
    forward: "rule", a single sweep; "transposed", by transposing the rule of reverse mode; or "none".
    formula: "products", known to the sums and products of matrix notation; "entries", a formula in index notation;
        "name", a named function there, such as inv(X).
    compiled: "fused", part of a loop with its neighbours; "written", entry by entry in small programs, a NumPy step in
        others; "step", always a NumPy step.
    batched: by vmap, "rule" at once, or "loop" one by one.
    """

    derivative: str
    forward: str
    formula: str
    compiled: str
    batched: str


_FIELDS = {"derivative": DERIVATIVE, "forward": FORWARD, "formula": FORMULA, "compiled": COMPILED, "batched": BATCHED}


def readings(op: type[Op], *, truth: bool = False) -> Readings:
    """Return what there is for a class of operations; ``truth`` says that its results are conditions."""
    smooth = not (op.gives in (positions, truths) or truth)
    forward = "rule" if op.linear or op.flat or op.jvp is not Op.jvp else "transposed"
    known = issubclass(op, Map) or lower.dispatch(op) is not lower.dispatch(object)
    entries = "entries" if op.index is not Op.index else "name"
    fused = op.fuses or is_written(op)
    own = op.rearranges or write.dispatch(op) is not write.dispatch(object)
    return Readings(
        derivative="rule" if smooth else "none",
        forward=forward if smooth else "none",
        formula="products" if known else entries,
        compiled="fused" if fused else "written" if own else "step",
        batched="rule" if is_known(op) else "loop",
    )


def together(readings: Iterable[Readings]) -> Readings:
    """Return what a function has that is made of several operations: of each the least.

    An operation without derivative is not an obstacle to those beside it.
    """
    each = list(readings)
    smooth = [r for r in each if r.derivative != "none"] or each
    least = {}
    for name, scale in _FIELDS.items():
        among = smooth if name in ("derivative", "forward") else each
        least[name] = min((getattr(r, name) for r in among), key=scale.index)
    return Readings(**least)


@cache
def operations() -> dict[str, Readings]:
    """Return the readings of every declared scalar function and of every class of operations, by name.

    >>> import symgrad.testing.coverage
    >>> symgrad.testing.coverage.operations()["Cumsum"].forward
    'rule'
    """
    scalars = {name: readings(Map) for name in sorted(SCALARS) if not SCALARS[name].library}
    return scalars | {c.__name__: readings(c) for c in _classes()}


def _classes() -> list[type[Op]]:
    """Return the classes in symgrad.ops that say what their shape and their value are."""
    classes: set[type[Op]] = set()
    for info in pkgutil.walk_packages(ops.__path__, ops.__name__ + "."):
        module = importlib.import_module(info.name)
        classes |= {c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Op)}
    whole = [c for c in classes if c.forward is not Op.forward and c.out_shape is not Op.out_shape]
    return sorted(whole, key=lambda c: c.__name__)


@cache
def functions() -> dict[str, tuple[str, ...]]:
    """Return the public functions by their path in symgrad, each with the other names that it has.

    A name with a dot in front is a method. Functions of SciPy's have a page of their own; solvers, which take a user's
    function, are operations of their own for each.

    >>> import symgrad.testing.coverage
    >>> symgrad.testing.coverage.functions()["clamp"]
    ('clip', '.clamp', '.clip')
    """
    paths: dict[int, list[str]] = {}
    for prefix, module in _namespaces():
        for name in module.__all__:
            value = getattr(module, name)
            solver = getattr(value, "__module__", "").startswith("symgrad.solvers")
            if callable(value) and not isinstance(value, type) and value not in FOUND.values() and not solver:
                paths.setdefault(id(value), []).append(prefix + name)
    aliases = {}
    for names in paths.values():
        first, *others = dict.fromkeys(names)
        methods = [f".{n}" for n in (p.rpartition(".")[2] for p in dict.fromkeys(names)) if hasattr(Tensor, n)]
        aliases[first] = (*others, *dict.fromkeys(methods))
    return aliases


def _namespaces() -> list[tuple[str, Any]]:
    return [
        ("", _functions), ("nn.functional.", nn.functional), ("linalg.", linalg), ("special.", special),
    ]  # fmt: skip


check_all(globals(), __all__)
