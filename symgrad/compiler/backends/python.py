"""The backend ``python``: a small program as straight-line Python on floats, with the functions of ``math``.

All names in the source are minted: v0, v1, … and k_ of declared functions. The first call runs the operations one by
one, since Python's compiler takes longer than many such calls; the second asks for the source. Both compute the same
numbers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from symgrad.compiler.backends.backend import Kernel, Unsuitable
from symgrad.compiler.primitives.elements import LOADED
from symgrad.compiler.primitives.infix import FUNCTIONS, SIGNS, infix
from symgrad.compiler.primitives.scalarise import Written, can_be_written, entries_of
from symgrad.core import trees
from symgrad.core.kernels import ARITHMETIC
from symgrad.core.promotion import FLOAT64, is_integer
from symgrad.engine.program import STEP, Program, Value
from symgrad.ops.map import Map
from symgrad.scalars import SCALARS, Scalar
from symgrad.support.lazy import cached_property

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
    functions = _Functions(program, written)
    return Kernel(
        run=_runner(functions, program),
        source=lambda: functions.source,
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
        label = str(strange.op)
        short = label if len(label) < 80 else type(strange.op).__name__
        what = short if strange.kind == STEP else "an argument or constant"
        raise Unsuitable(f"{what} of {strange.dtype} is not written in scalars. Use backend='numpy'.")
    count = sum(entries_of(values[k], values) for k in program.live()) + _stored(program)
    if count > most:
        raise Unsuitable(f"the program has some {count} scalar operations, {most} at most. Use backend='numpy'.")


def _stored(program: Program) -> int:
    """The number of entries of the results, which are written one by one even if they are only moved."""
    return sum(program.values[k].size for k in program.outputs)


def _strange(program: Program) -> Value | None:
    """Return a value that cannot be written entry by entry, None where there is none."""
    values = program.values
    integers = any([v.dtype is not FLOAT64 and is_integer(v.dtype) and not v.weak for v in values])
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
            if name in LOADED:
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
    return f"{_called(name)}({', '.join(args)})"


def _called(name: str) -> str:
    return _CALLED.get(name) or f"k_{name}"


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
class _Functions:
    """The program as functions, each made on first use."""

    def __init__(self, program: Program, written: Written) -> None:
        self._program, self._written = program, written

    @cached_property
    def source(self) -> str:
        """The source of the function."""
        return _source(self._program, self._written)

    @cached_property
    def on_floats(self) -> Callable[..., list[Any]]:
        """The function of Python's numbers."""
        return _function(self._code, _floats(self._used))

    @cached_property
    def on_arrays(self) -> Callable[..., list[Any]]:
        """The function of NumPy's numbers."""
        return _function(self._code, _arrays(self._used), np.float64)

    @cached_property
    def _code(self) -> CodeType:
        return _compiled(self.source)

    @cached_property
    def _names(self) -> set[str]:
        ops = self._written.scalars.ops
        return {ops[k][0] for k in self._written.needed}

    @cached_property
    def _used(self) -> list[Scalar]:
        return [SCALARS[n] for n in self._names if n in SCALARS]

    @property
    def walks(self) -> bool:
        """Whether the operations can run one by one: the source computes nothing that "select" does not choose."""
        return "select" not in self._names

    def walk(self, *args: Any) -> list[Any]:
        """Return what ``on_floats`` does, one operation after the other: nothing need be compiled."""
        known = {n: function_of(n) for n in self._names}
        written, ops = self._written, self._written.scalars.ops
        values: list[Any] = [None] * len(ops)
        for k, n in enumerate(written.uses):
            if not n:
                continue
            op = ops[k]
            if op[0] in LOADED:
                values[k] = self._leaf(op[0], op[1], args)
            elif len(op) == 3:  # as most
                values[k] = known[op[0]](values[op[1]], values[op[2]])
            else:
                values[k] = known[op[0]](*[values[r] for r in op[1:]])
        return [values[int(y)] if y.ndim == 0 else [values[r] for r in y.ravel().tolist()] for y in written.outputs]

    def _leaf(self, name: str, number: Any, args: Sequence[Any]) -> Any:
        if name == "const":
            return number
        argument, place = self._written.slots[number]
        given = args[argument]
        return given[place] if type(given) is list else given


def _compiled(source: str) -> CodeType:
    """Return the code of the function."""
    constants = compile(source, "<symgrad python kernel>", "exec").co_consts
    return next(c for c in constants if isinstance(c, CodeType))


@lru_cache(maxsize=1024)
def function_of(name: str) -> Callable[..., Any]:
    """Return a primitive as a function of Python's numbers."""
    return FUNCTIONS.get(name) or _floats([SCALARS[name]] if name in SCALARS else [])[_called(name)]


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


def _runner(functions: _Functions, program: Program) -> Callable[[Sequence[Any]], list[Any]]:
    finish = [_finish(program.values[k].shape, program.values[k].dtype) for k in program.outputs]
    flat_already = [len(program.values[k].shape) < 2 for k in program.inputs]
    simple = all(flat_already)
    on_floats: Callable[..., list[Any]]

    def first(*args: Any) -> list[Any]:
        nonlocal on_floats
        on_floats = later
        return functions.walk(*args)

    def later(*args: Any) -> list[Any]:
        nonlocal on_floats
        on_floats = functions.on_floats
        return on_floats(*args)

    on_floats = first if functions.walks else later

    def run(args: Sequence[Any]) -> list[Any]:
        if simple:
            flat = [a if type(a) is float else a.tolist() for a in args]
        else:
            flat = [a if type(a) is float else (a if f else a.ravel()).tolist() for a, f in zip(args, flat_already)]
        try:
            result = on_floats(*flat)
        except ARITHMETIC:  # where math raises and NumPy gives nan or inf
            result = _with_numpy(functions.on_arrays, flat)
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
