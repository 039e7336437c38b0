"""The IR around a kernel's body: check the arguments, make the results, run, and return them as Python objects.

For arguments of another kind, shape or layout the function returns NotImplemented.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.backends.llvm import python_api as api
from symgrad.compiler.backends.llvm.code import Used
from symgrad.core import trees

FLOAT64 = np.dtype(np.float64)


class Array(NamedTuple):
    """An argument or a result: 0-d float64 are Python floats."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def is_float(self) -> bool:
        """Whether Python sees a float."""
        return self.shape == () and self.dtype == FLOAT64


def wrapper(
    name: str, inputs: Sequence[Array], outputs: Sequence[Array], tree: trees.Tree, used: Used, *, free: bool
) -> str:
    """Return the IR of the function ``name(self, arguments, count)`` around ``@body(inputs…, outputs…)``.

    Args:
        name: of the function.
        inputs: what the arguments must be.
        outputs: what the body writes.
        tree: how the results are put together; tuples only.
        used: what the code needs of this process.
        free: let other Python threads run meanwhile.
    """
    w = _Wrapper(inputs, outputs, used)
    w.line(f"%right = icmp eq i64 %count, {len(inputs)}")
    w.branch("right", "other")
    sources = [w.argument(k, a) for k, a in enumerate(inputs)]
    targets = [w.result(k, a) for k, a in enumerate(outputs)]
    w.run("body", [f"ptr {p}" for p in [*sources, *targets]], free=free)
    value = w.tree(tree, iter(range(len(outputs))))
    w.line(f"ret ptr {value}")
    w.ends()
    dims = "\n".join(
        f"@{name}.dims{k} = private constant [{len(a.shape)} x i64] [{', '.join(f'i64 {n}' for n in a.shape)}]"
        for k, a in enumerate(outputs)
        if a.shape
    )
    body = "\n".join(w.lines).replace("@DIMS", f"@{name}.dims")
    return f"{dims}\ndefine ptr @{name}(ptr %self, ptr %arguments, i64 %count) {{\nentry:\n{body}\n}}\n"


def entry(name: str, floats: Sequence[bool], body: str, used: Used, *, free: bool) -> str:
    """Return the IR of ``name(self, arguments, count)`` that hands the memory of floats and arrays to ``@body``.

    Nothing is checked: for arguments that the caller made or has checked. ``free`` as for ``wrapper``.
    """
    w = _Wrapper((), (), used)
    sources = []
    for k, is_float in enumerate(floats):
        obj = w.set(f"load ptr, ptr {w.set(f'getelementptr ptr, ptr %arguments, i64 {k}')}")
        place = w.set(f"getelementptr i8, ptr {obj}, i64 {api.HEADER}") if is_float else w.field(obj, api.DATA, "ptr")
        sources.append(f"ptr {place}")
    w.run(body, sources, free=free)
    w.give(None)
    if used.asks:
        w.lines += ["interrupted:", "  ret ptr null"]
    lines = "\n".join(w.lines)
    return f"define ptr @{name}(ptr %self, ptr %arguments, i64 %count) {{\n{lines}\n}}\n"


class _Wrapper:
    def __init__(self, inputs: Sequence[Array], outputs: Sequence[Array], used: Used) -> None:
        self.inputs, self.outputs, self.used = inputs, outputs, used
        self.lines: list[str] = []
        self.count = 0
        self.objects: dict[int, str] = {}
        self.numbers: dict[int, str] = {}

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def fresh(self) -> str:
        self.count += 1
        return f"%w{self.count}"

    def function(self, name: str) -> str:
        return self.set(self.used.link(api.functions()[name]))

    def object(self, x: Any) -> str:
        """Return the pointer to an object that is never freed."""
        return self.set(self.used.link(id(x)))

    def give(self, x: Any) -> None:
        """Return such an object to Python."""
        pointer = self.object(x)
        self.line(f"call void {self.function('Py_IncRef')}(ptr {pointer})")
        self.line(f"ret ptr {pointer}")

    def ends(self) -> None:
        """Write what happens to arguments of another kind, after an interruption, and without memory."""
        self.lines.append("other:")
        self.give(NotImplemented)
        if self.used.asks:
            self.lines.append("interrupted:")
            for made in self.objects.values():
                self.line(f"call void {self.function('Py_DecRef')}(ptr {made})")
            self.line("ret ptr null")
        self.lines += ["failed:", "  ret ptr null"]

    def set(self, text: str) -> str:
        name = self.fresh()
        self.line(f"{name} = {text}")
        return name

    def branch(self, condition: str, otherwise: str) -> None:
        """Go on where the condition holds."""
        self.count += 1
        self.line(f"br i1 %{condition.lstrip('%')}, label %on{self.count}, label %{otherwise}")
        self.lines.append(f"on{self.count}:")

    def run(self, body: str, args: Sequence[str], *, free: bool) -> None:
        """Call the body, and go on where that was not interrupted."""
        if free:
            self.line(f"%state = call ptr {self.function('PyEval_SaveThread')}()")
        self.line(f"call void @{body}({', '.join(args)})")
        if free:
            self.line(f"call void {self.function('PyEval_RestoreThread')}(ptr %state)")
        if self.used.asks:
            error = self.set(f"call ptr {self.function('PyErr_Occurred')}()")
            self.branch(self.set(f"icmp eq ptr {error}, null"), "interrupted")

    def field(self, obj: str, offset: int, kind: str) -> str:
        place = self.set(f"getelementptr i8, ptr {obj}, i64 {offset}")
        return self.set(f"load {kind}, ptr {place}")

    def argument(self, k: int, a: Array) -> str:
        """Check an argument and return the pointer to its numbers."""
        place = self.set(f"getelementptr ptr, ptr %arguments, i64 {k}")
        obj = self.set(f"load ptr, ptr {place}")
        self.expect("ptr", self.field(obj, 8, "ptr"), self.object(float if a.is_float else np.ndarray))
        if a.is_float:
            return self.set(f"getelementptr i8, ptr {obj}, i64 {api.HEADER}")
        self.expect("ptr", self.field(obj, api.DESCR, "ptr"), self.object(a.dtype))
        self.expect("i32", self.field(obj, api.NDIM, "i32"), str(len(a.shape)))
        flags = self.set(f"and i32 {self.field(obj, api.FLAGS, 'i32')}, {api.CONTIGUOUS_ALIGNED}")
        self.expect("i32", flags, str(api.CONTIGUOUS_ALIGNED))
        dims = self.field(obj, api.DIMS, "ptr") if a.shape else ""
        for axis, n in enumerate(a.shape):
            self.expect("i64", self.field(dims, 8 * axis, "i64"), str(n))
        return self.field(obj, api.DATA, "ptr")

    def expect(self, kind: str, value: str, wanted: str) -> None:
        same = self.set(f"icmp eq {kind} {value}, {wanted}")
        self.branch(same, "other")

    def result(self, k: int, a: Array) -> str:
        """Return the pointer to the memory of a result."""
        if a.is_float:
            self.numbers[k] = self.set("alloca double")
            return self.numbers[k]
        dims = f"@DIMS{k}" if a.shape else "null"
        made = self.set(
            f"call ptr {self.function('PyArray_New')}(ptr {self.object(np.ndarray)}, i32 {len(a.shape)}, ptr {dims}, "
            f"i32 {api.TYPE_NUMBERS[a.dtype]}, ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        self.objects[k] = made
        self.branch(self.set(f"icmp ne ptr {made}, null"), "failed")
        return self.field(made, api.DATA, "ptr")

    def tree(self, tree: trees.Tree, rest: Any) -> str:
        """Put the results together."""
        if isinstance(tree, trees.ArrayLeaf):
            return self.value(next(rest))
        assert isinstance(tree, trees.ContainerSpec)  # narrows the type; ``only_tuples`` was asked before
        made = self.set(f"call ptr {self.function('PyTuple_New')}(i64 {len(tree.parts)})")
        self.branch(self.set(f"icmp ne ptr {made}, null"), "failed")
        for k, part in enumerate(tree.parts):
            value = self.tree(part, rest)
            self.line(f"call i32 {self.function('PyTuple_SetItem')}(ptr {made}, i64 {k}, ptr {value})")
        return made

    def value(self, k: int) -> str:
        a = self.outputs[k]
        if a.is_float:
            number = self.set(f"load double, ptr {self.numbers[k]}")
            return self.set(f"call ptr {self.function('PyFloat_FromDouble')}(double {number})")
        if a.shape == ():
            return self.set(f"call ptr {self.function('PyArray_Return')}(ptr {self.objects[k]})")
        return self.objects[k]


def only_tuples(tree: trees.Tree) -> bool:
    """Whether results are arrays and tuples of them."""
    if isinstance(tree, trees.ArrayLeaf):
        return True
    return isinstance(tree, trees.ContainerSpec) and tree.kind is tuple and all(map(only_tuples, tree.parts))


def positional(tree: trees.Tree) -> bool:
    """Whether the arguments are arrays by position."""
    assert isinstance(tree, trees.ContainerSpec)  # narrows the type: (args, kwargs)
    args, kwargs = tree.parts
    assert isinstance(args, trees.ContainerSpec)  # narrows the types, here and below
    assert isinstance(kwargs, trees.ContainerSpec)
    return not kwargs.parts and all(isinstance(p, trees.ArrayLeaf) for p in args.parts)
