"""The backend ``python``: a small program as straight-line Python on floats, with the functions of ``math``.

All names in the source are minted: v0, v1, … and k_ of declared functions.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from symgrad.compiler.backends.backend import Kernel, Unsuitable
from symgrad.compiler.primitives.infix import SIGNS, infix
from symgrad.compiler.primitives.scalar import LEAVES
from symgrad.compiler.primitives.scalarise import Written, can_be_written, entries_of
from symgrad.compiler.program import STEP, Program, Value
from symgrad.core import trees
from symgrad.core.kernels import ARITHMETIC
from symgrad.core.promotion import FLOAT64, is_integer
from symgrad.ops.map import Map
from symgrad.scalars import SCALARS, Scalar

MOST = 200_000  # scalar operations
_DEPTH = 12  # of an expression in one line
_INFIX = {**infix(SIGNS), "select": "{1} if {0} else {2}"}
_CALLED = {"sqrt": "sqrt", "pow": "power"}  # the others by the names of their kernels


def build(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Compile the program as one Python function."""
    check(program, MOST)
    return finished(program, Written(program))


def finished(program: Program, written: Written) -> Kernel:
    """Compile a program that is written entry by entry."""
    source = _source(program, written)
    code = _compiled(source)
    used = [SCALARS[n.removeprefix("k_")] for n in code.co_names if n.removeprefix("k_") in SCALARS]
    on_floats, on_arrays = _function(code, _floats(used)), _function(code, _arrays(used), np.float64)
    return Kernel(
        run=_runner(on_floats, on_arrays, program),
        source=source,
        backend="python",
        operations=written.operations(),
        kernels=1,
        stages={"scalars": lambda: listing(written)},
    )


def check(program: Program, most: int) -> None:
    """Raise Unsuitable where the program cannot be written entry by entry, or is too long for it."""
    values = program.values
    strange = _strange(program)
    if strange is not None:
        what = "an argument or constant" if strange.kind != STEP else str(strange.op)
        raise Unsuitable(f"{what} of {strange.dtype} is not written in scalars. Use backend='numpy'.")
    count = sum(entries_of(values[k], values) for k in program.live())
    if count > most:
        raise Unsuitable(f"the program has some {count} scalar operations, {most} at most. Use backend='numpy'.")


def _strange(program: Program) -> Value | None:
    """Return a value that cannot be written entry by entry, None where there is none."""
    values = program.values
    integers = any([is_integer(v.dtype) and not v.weak for v in values])
    for k in program.live():
        v = values[k]
        if type(v.op) is Map and v.dtype is FLOAT64 and not integers:  # as most
            continue
        if not can_be_written(v, [values[a] for a in v.args]):
            return v
    return None


# ------------------------------------------------------------------ source
def _source(program: Program, written: Written) -> str:
    names = [f"x{k}" for k in range(len(program.inputs))]
    lines = [f"def kernel({', '.join(names)}):"]
    writer = _Lines(written)
    own: dict[int, list[str]] = {}  # what is not needed has no slots
    for slot, (k, _) in enumerate(written.slots):
        own.setdefault(k, []).append(f"a{slot}")
    for k, entries in own.items():
        is_number = program.values[program.inputs[k]].shape == ()
        lines.append(f"    {entries[0]} = x{k}" if is_number else f"    {', '.join(entries)}, = x{k}")
    lines += writer.lines
    out = [_result(y, writer) for y in written.outputs]
    lines.append(f"    return [{', '.join(out)}]")
    return "\n".join(lines) + "\n"


def _result(refs: Any, writer: _Lines) -> str:
    if refs.ndim == 0:
        return writer.text[int(refs)]
    return f"[{', '.join(writer.text[r] for r in refs.ravel().tolist())}]"


class _Lines:
    """Assignments for what is used more than once; the rest is written into the expression that uses it."""

    def __init__(self, written: Written) -> None:
        self.lines: list[str] = []
        self.text: dict[int, str] = {}
        ops, uses, text, forms = written.scalars.ops, written.uses, self.text, _INFIX
        depth = [0] * len(ops)
        for k, (name, *refs) in enumerate(ops):
            if not uses[k]:
                continue
            if name in LEAVES:
                text[k] = _number(refs[0]) if name == "const" else f"a{refs[0]}"
                continue
            deep = 1
            for r in refs:
                if depth[r] >= deep:
                    deep = depth[r] + 1
            form, args = forms.get(name), [text[r] for r in refs]
            said = form.format(*args) if form else _call(name, args)
            if uses[k] > 1 or deep > _DEPTH:
                self.lines.append(f"    v{k} = {said}")
                text[k] = f"v{k}"
            else:
                text[k] = f"({said})" if form else said
                depth[k] = deep


def _call(name: str, args: list[str]) -> str:
    return f"{_CALLED.get(name) or f'k_{name}'}({', '.join(args)})"


def _number(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "(-inf)"
    return repr(value) if value >= 0 and math.copysign(1, value) > 0 else f"({value!r})"


def listing(written: Written) -> str:
    """Return the scalar operations as text, one a line."""
    s = written.scalars
    return "\n".join(f"s{k} = {' '.join(map(str, s.ops[k]))}" for k in s.reachable(written.roots()))


# ------------------------------------------------------------------ running
def _compiled(source: str) -> CodeType:
    """Return the code of the function."""
    found = compile(source, "<symgrad python kernel>", "exec").co_consts
    return next(c for c in found if isinstance(c, CodeType))


def _floats(used: Sequence[Scalar]) -> dict[str, Any]:
    return {
        **{f"k_{s.name}": s.float or _on_float(s.numpy) for s in used},
        "sqrt": math.sqrt,
        "power": math.pow,
        "inf": math.inf,
        "nan": math.nan,
        "k_cast_float32": _rounded,
        "k_cast_float64": float,
    }


def _arrays(used: Sequence[Scalar]) -> dict[str, Any]:
    return {
        **{f"k_{s.name}": s.numpy for s in used},
        "inf": np.float64(np.inf),
        "nan": np.float64(np.nan),
        "sqrt": np.sqrt,
        "power": np.power,
        "k_cast_float32": lambda x: np.float64(np.float32(x)),
        "k_cast_float64": np.float64,
    }


def _on_float(kernel: Callable[..., Any]) -> Callable[..., float]:
    quiet = np.errstate(all="ignore")(kernel)  # of nan among the arguments
    return lambda *xs: float(quiet(*xs))


def _rounded(x: float) -> float:
    """The nearest number of single precision; OverflowError where that is infinite."""
    result: float = struct.unpack("f", struct.pack("f", x))[0]
    return result


def _function(code: CodeType, names: dict[str, Any], number: type[float] = float) -> Callable[..., Any]:
    """The kernel with these names, whose literals are numbers of this type: NumPy's divide by zero."""
    own = code.replace(co_consts=tuple([number(c) if type(c) is float else c for c in code.co_consts]))
    return FunctionType(own, {"__builtins__": {}, **names})


def _runner(on_floats: Any, on_arrays: Any, program: Program) -> Callable[[Sequence[Any]], list[Any]]:
    shapes = [program.values[k].shape for k in program.outputs]
    dtypes = [program.values[k].dtype for k in program.outputs]
    finish = [_finish(s, d) for s, d in zip(shapes, dtypes, strict=True)]
    flat_already = [len(program.values[k].shape) < 2 for k in program.inputs]
    simple = all(flat_already)

    def run(args: Sequence[Any]) -> list[Any]:
        if simple:
            flat = [a if type(a) is float else a.tolist() for a in args]
        else:
            flat = [
                a if type(a) is float else a.tolist() if f else a.ravel().tolist() for a, f in zip(args, flat_already)
            ]
        try:
            result = on_floats(*flat)
        except ARITHMETIC:  # where math raises and NumPy gives nan or inf
            result = _with_numpy(on_arrays, flat)
        return [done(y) for y, done in zip(result, finish)]

    return run


def _finish(shape: tuple[int, ...], dtype: Any) -> Callable[[Any], Any]:
    """Return how numbers become a result: a float, or an array of them."""
    if shape == ():
        return float if dtype == np.float64 else lambda y: np.array(y, dtype)[()]
    if len(shape) == 1:
        return lambda y: np.array(y, dtype)
    return lambda y: np.array(y, dtype).reshape(shape)


def _number_of(x: Any) -> Any:
    """A number that NumPy computes with as NumPy does; integers stay what they are until they are cast."""
    return x if type(x) is int else np.float64(x)


def _with_numpy(on_arrays: Any, flat: Sequence[Any]) -> Any:
    wide = [[_number_of(v) for v in a] if type(a) is list else _number_of(a) for a in flat]
    with np.errstate(all="ignore"):
        return on_arrays(*wide)
