"""Programs on single numbers: loops over flat arrays, written in a few words of Python that C has too.

Elementwise steps of one shape are one loop, with the reductions that read them; what only looks at entries is a view.
The target ``python`` prints these lines as they are, the target ``c`` in C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import sympy as sp

from symgrad.compiler.loops.errors import power_of_integers, unsupported
from symgrad.compiler.loops.kernels import KERNELS, kernels
from symgrad.compiler.loops.sizes import size_text
from symgrad.compiler.loops.writers import Words
from symgrad.compiler.primitives.clusters import Cluster, clusters
from symgrad.compiler.primitives.decompose import expand
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.infix import SIGNS, infix
from symgrad.compiler.primitives.views import View, view_of, whole
from symgrad.core.promotion import is_bool, is_floating, is_integer
from symgrad.engine.program import Program
from symgrad.ops.shape import total

PYTHON = "symgrad.compiler.loops.library.python"  # whose functions C has
LIBRARIES = (
    *[f"symgrad.compiler.loops.library.{name}" for name in ("common", "rows", "matrices", "factors", "banded")],
    *KERNELS,
)
START = {"sum": "0.0", "max": "-math.inf", "min": "math.inf"}
INFIX = {name: form for name, form in infix(SIGNS).items() if name != "div"}  # by 0 a function divides
MATH = {
    "abs": "math.fabs", "hypot": "math.hypot", "copysign": "math.copysign", "erf": "math.erf", "erfc": "math.erfc",
    "atan": "math.atan", "atan2": "math.atan2", "asinh": "math.asinh", "tanh": "math.tanh",
}  # fmt: skip
RENAMED = {"round": "round_even", "cast_float32": "single", "gamma": "tgamma"}
WIDE = 60

Write = Callable[["LoopWriter", Any, list[View], int], "View | None"]


def range_of(dtype: Any) -> tuple[float, float] | None:
    """Return the lowest integer of a dtype, and how many there are; None where it holds no integers."""
    dtype = np.dtype(dtype)
    if not is_integer(dtype):
        return None
    low = float(np.iinfo(dtype).min)
    return low, float(np.iinfo(dtype).max) + 1.0 - low


def has(name: str) -> bool:
    """Whether loops have a scalar function, in Python's ``math`` or in the library, whose functions C has too."""
    return name in MATH or any(name in kernels(module).defined for module in (PYTHON, *LIBRARIES))


class LoopWriter:
    """The lines of one function.

    Attributes:
        lines: what it does, indented.
        memory: the arrays that it works in: name and number of entries.
        tables: constants: name and values.
        helpers: which functions of the library it calls.
    """

    def __init__(self, sizes: dict[Any, str], target: str, words: Words, arrays: Sequence[str] = ()) -> None:
        self.sizes, self.target, self.words = dict(sizes), target, words
        self._arrays = set(arrays)
        self.factors: dict[Any, list[View]] = {}  # what several operations are of one call
        self.shared: dict[Any, View] = {}  # memory that several operations read
        self.lines: list[str] = []
        self.memory: list[tuple[str, Any]] = []
        self.tables: dict[str, Any] = {}
        self.helpers: dict[str, None] = {}
        self.fails = False
        self._depth = 0
        self._minted = 0
        self._known: dict[Any, str] = {}
        self.e: Elements
        self.views: dict[int, View]

    def run(self, program: Program, inputs: Sequence[View]) -> list[View]:
        """Write a program, and return where its results lie."""
        before = getattr(self, "e", None), getattr(self, "views", None)
        e = self.e = Elements(program, expand, has=has, whole=True)
        self.views = {ref: view for ref, view in zip(e.inputs, inputs, strict=True) if ref >= 0}
        for stage in clusters(e):
            if isinstance(stage, Cluster):
                self._cluster(stage)
            else:
                self.views[stage] = self._operation(stage)
        results = [self.view(r) for r in e.outputs]
        self.e, self.views = before  # type: ignore[assignment]
        return results

    # -------------------------------------------------------------- lines and names
    def start(self, minted: int) -> None:
        """Leave the first names to somebody else."""
        self._minted = minted

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append("    " * self._depth + text)

    def mint(self, letter: str) -> str:
        """Return a new name."""
        self._minted += 1
        return f"{letter}{self._minted}"

    def let(self, text: str) -> str:
        """Write an assignment of a number to a new name."""
        name = self.mint("v")
        self.line(f"{name} = {text}")
        return name

    def whole(self, text: str) -> str:
        """Write an assignment of an integer to a new name."""
        return self.let(text)

    def first(self, k: int, axis: int) -> Any:
        """Return how many entries along an axis, the first ones, are read of a value: all of them."""
        return self.shape(k)[axis]

    def inside(self, text: str, n: Any) -> str:
        """Return a position along an axis of n entries; sources trust it."""
        return f"int({text})"

    def require(self, condition: str) -> None:
        """Have the function fail where a condition does not hold; sources go on."""

    def finite(self, memory: str, at: str, count: str) -> None:
        """Have the function fail where one of so many entries is not finite; sources go on."""

    def array(self, shape: Sequence[Any]) -> View:
        """Return memory for a result."""
        name = self.mint("v")
        self.memory.append((name, total(shape)))
        self._arrays.add(name)
        return whole(name, shape)

    def table(self, value: Any) -> str:
        """Return the name of constants."""
        array = np.asarray(value)
        key = (is_integer(array.dtype), array.tobytes())
        if key not in self._known:
            self._known[key] = self.mint("c")
            self.tables[self._known[key]] = array.ravel()
            self._arrays.add(self._known[key])
        return self._known[key]

    def sharing(self, key: Any, shape: Sequence[Any]) -> tuple[View, bool]:
        """Return memory that several operations read, and whether this is the first of them, which writes it."""
        is_new = key not in self.shared
        if is_new:
            self.shared[key] = self.array(shape)
        return self.shared[key], is_new

    def call(self, name: str, *args: Any) -> str:
        """Return a call of the library's function."""
        self.helpers[name] = None
        return f"{name}({', '.join(map(str, args))})"

    def size(self, n: Any) -> str:
        """Return a size, an offset or a step as text."""
        return str(n) if isinstance(n, int) else size_text(sp.expand(n), self.sizes)

    def factor(self, n: Any) -> str:
        """Return the same to be multiplied, in brackets where it is a sum."""
        text = self.size(n)
        return f"({text})" if " " in text else text

    @contextmanager
    def loop(self, n: Any, backwards: bool = False) -> Iterator[str]:
        """Write the head of a loop; what is written inside is its body."""
        name = self.mint("i")
        self.line(f"for {name} in range({f'{self.size(n)} - 1, -1, -1' if backwards else self.size(n)}):")
        self._depth += 1
        yield name
        self._depth -= 1

    @contextmanager
    def under(self, head: str) -> Iterator[None]:
        """Write a condition, or else; what is written inside is done there."""
        self.line(f"{head}:")
        self._depth += 1
        yield
        self._depth -= 1

    @contextmanager
    def nest(self, shape: Sequence[Any]) -> Iterator[list[str]]:
        """Write loops over a shape."""
        names = []
        for n in shape:
            if n == 1:
                names.append("0")
                continue
            names.append(self.mint("i"))
            self.line(f"for {names[-1]} in range({self.size(n)}):")
            self._depth += 1
        yield names
        self._depth -= sum(n != 1 for n in shape)

    # -------------------------------------------------------------- values
    def shape(self, k: int) -> tuple[Any, ...]:
        """Return the shape of a value."""
        return self.e.shapes[k]

    def view(self, r: int) -> View:
        """Return where a value lies."""
        if r not in self.views:
            name, *rest = self.e.ops[r]
            if name == "array":
                array = self.e.arrays[r]
                data = np.asarray(array, dtype=np.float64)
                self.views[r] = whole(self.table(data), array.shape)
            else:
                self.views[r] = View(self.number(rest[0]) if name == "const" else self.factor(rest[0]), 0, (), ())
        return self.views[r]

    def number(self, value: float) -> str:
        """Return the text of a number."""
        if value != value:
            return "math.nan"
        if value in (float("inf"), float("-inf")):
            return "math.inf" if value > 0 else "(-math.inf)"
        return repr(float(value)) if np.copysign(1, value) > 0 else f"({float(value)!r})"

    def at(self, view: View, idx: Sequence[str]) -> str:
        """Return the text of an entry."""
        if not self.is_memory(view.memory):
            return str(view.memory)
        return f"{view.memory}[{self.position(view, idx)}]"

    def is_memory(self, name: str) -> bool:
        """Whether a view's name is an array's; else it is the text of one number."""
        return name in self._arrays

    def settled(self, view: View) -> View:
        """Return a copy that nothing overwrites."""
        if not view.shape:
            return View(self.let(self.at(view, [])), 0, (), ())
        copy = self.array(view.shape)
        self.copy(view, copy)
        return copy

    def position(self, view: View, idx: Sequence[str]) -> str:
        """Return the text of an entry's place."""
        terms = []
        for i, s in zip(idx, view.steps, strict=True):
            if s == 0 or i == "0":
                continue
            step = self.factor(s)
            terms.append(i if step == "1" else f"{step}*{i}")
        offset = self.size(view.offset)
        return " + ".join([*([offset] if offset != "0" else []), *terms]) or "0"

    def copy(self, source: View, target: View, add: bool = False) -> None:
        """Write or add entries."""
        flat = source.is_plain and target.is_plain and all(isinstance(n, int) for n in target.shape)
        if flat and source.shape == target.shape and len(target.shape) > 1:
            source = View(source.memory, source.offset, (1,), (total(target.shape),))
            target = View(target.memory, target.offset, (1,), source.shape)
        with self.nest(target.shape) as idx:
            self.line(f"{self.at(target, idx)} {'+=' if add else '='} {self.at(source.to(target.shape), idx)}")

    def filled(self, view: View, number: str = "0.0") -> View:
        """Write one number everywhere."""
        with self.loop(total(view.shape)) as i:
            self.line(f"{view.memory}[{i}] = {number}")
        return view

    def plain(self, view: View) -> View:
        """Return the entries one after the other in memory, copied if need be."""
        if view.is_plain and self.is_memory(view.memory):
            return view
        copy = self.array(view.shape)
        self.copy(view, copy)
        return copy

    # -------------------------------------------------------------- loops of elementwise steps
    def _cluster(self, c: Cluster) -> None:
        e = self.e
        loads = {r: self.view(r) for r in c.loads(e)}
        targets = self._targets(c)
        flat = self._flat(c, loads)
        shape = (total(c.shape),) if flat else c.shape
        texts: dict[int, str] = {}
        with self.nest(shape) as idx:
            for r, view in loads.items():
                source = View(view.memory, view.offset, (1,), shape) if flat and view.shape else view.to(c.shape)
                texts[r] = self.at(source if view.shape else view, idx if view.shape else [])
            self._body(c, texts)
            for k in c.stored:
                if c.shape:
                    place = whole(targets[k].memory, shape) if flat else targets[k]
                    self.line(f"{self.at(place, idx)} = {texts[k]}")
                else:
                    self.views[k] = View(texts[k] if texts[k].isidentifier() else self.let(texts[k]), 0, (), ())
            for k in c.reductions:
                self._reduce(k, targets[k], texts, idx, flat)

    def _targets(self, c: Cluster) -> dict[int, View]:
        """Return memory for what the loop leaves behind, with the first numbers of reductions."""
        e, targets = self.e, {}
        for k in c.stored:
            if c.shape:
                targets[k] = self.views[k] = self.array(e.shapes[k])
        for k in c.reductions:
            start = START[e.ops[k][0].kind]
            if e.shapes[k]:
                targets[k] = self.filled(self.array(e.shapes[k]), start)
            else:
                targets[k] = View(self.let(start), 0, (), ())
            self.views[k] = targets[k]
        return targets

    def _flat(self, c: Cluster, loads: dict[int, View]) -> bool:
        """Whether one loop over all entries will do."""
        whole_shape = all(v.shape == c.shape and v.is_plain for v in loads.values() if v.shape)
        return len(c.shape) > 1 and whole_shape and all(not self.e.shapes[k] for k in c.reductions)

    def _body(self, c: Cluster, texts: dict[int, str]) -> None:
        """Write the steps; what is read once stands inside its reader's line."""
        e = self.e
        inside = set(c.body)
        reads = [r for k in [*c.body, *c.reductions] for r in e.refs(k) if r in inside]
        for k in c.body:
            name, *refs = e.ops[k]
            if name == "pow" and is_integer(e.dtypes[k]) and e.value(refs[1]) is None:
                raise power_of_integers()
            text = self.element(name, [texts[r] if r in texts else self.view(r).memory for r in refs])
            once = reads.count(k) == 1 and k not in c.stored and len(text) <= WIDE
            if once or (k in c.stored and c.shape and k not in reads):
                texts[k] = f"({text})" if name in INFIX else text
            else:
                texts[k] = self.mint("t" if c.shape else "v")
                self.line(f"{texts[k]} = {text}")

    def _reduce(self, k: int, target: View, texts: dict[int, str], idx: list[str], flat: bool) -> None:
        op, r = self.e.ops[k]
        value = texts[r] if r in texts else self.view(r).memory
        kept = [] if flat else [i for a, i in enumerate(idx) if a not in op.axes]
        place = self.at(target, kept)
        if op.kind == "sum":
            self.line(f"{place} += {value}")
        else:
            self.line(f"{place} = {self.call('maximum' if op.kind == 'max' else 'minimum', place, value)}")

    def element(self, name: str, args: Sequence[str]) -> str:
        """Return the text of a scalar function."""
        if name in INFIX:
            return INFIX[name].format(*args)
        if name == "select":
            return f"({args[1]} if {args[0]} else {args[2]})"
        if name in MATH:
            return f"{MATH[name]}({', '.join(args)})"
        if name == "cast_bool":
            return f"({args[0]} != 0.0)"
        if name.startswith("cast_int") or name.startswith("cast_uint"):
            return self.whole_number(self.call("trunc", *args), name.removeprefix("cast_"))
        if name.startswith("times_"):
            return self.product(args, name.removeprefix("times_"))
        if name.startswith("cast_float64"):
            return f"float({args[0]})"
        return self.call(RENAMED.get(name, name), *args)

    def product(self, args: Sequence[str], dtype: Any) -> str:
        """Return a product; of integers of 32 bits exactly, as it wraps around."""
        if np.dtype(dtype) not in (np.int32, np.uint32):
            return " * ".join(args)
        first, *rest = args
        for other in rest:
            first = self.call("times", first, other, *map(self.number, range_of(dtype) or ()))
        return first

    def whole_number(self, text: str, dtype: Any) -> str:
        """Return the integer of a dtype that a number wraps around to."""
        ends = range_of(dtype)
        return text if ends is None else self.call("wrapped", text, *map(self.number, ends))

    # -------------------------------------------------------------- operations
    def _operation(self, k: int) -> View:
        e = self.e
        op, *refs = e.ops[k]
        args = [self.view(r) for r in refs]
        if len(args) == 1 and args[0].shape and (view := view_of(op, args[0], e.shapes[k])) is not None:
            return view
        write: Write | None = self.words.of(op)
        args = [self._operand(x) for x in args]
        view = write(self, op, args, k) if write is not None else None
        if view is None:
            raise unsupported(op, self.target)
        return self._in_range(view, e.dtypes[k]) if op.accumulates else view

    def _operand(self, x: View) -> View:
        """Return what operations take: entries in memory, or the text of a number, which may be an entry."""
        if not x.shape:
            return View(self.at(x, []), 0, (), ())
        return x if self.is_memory(x.memory) else self.plain(x)

    def _in_range(self, view: View, dtype: Any) -> View:
        """Wrap sums of integers around, in place; sums of booleans are one."""
        if is_floating(dtype):
            return view
        text = "float({} != 0.0)" if is_bool(dtype) else self.whole_number("{}", dtype)
        if not view.shape:
            return View(self.let(text.format(self.at(view, []))), 0, (), ())
        with self.nest(view.shape) as idx:
            self.line(f"{self.at(view, idx)} = {text.format(self.at(view, idx))}")
        return view
