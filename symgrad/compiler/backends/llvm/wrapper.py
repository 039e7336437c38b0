"""The code around a kernel's body: check the arguments, make the results, run, and return them as Python objects.

For arguments of another kind, shape or layout the function returns NotImplemented.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.backends.llvm import python_api as api
from symgrad.compiler.backends.llvm.code import Used
from symgrad.compiler.backends.llvm.instructions import Function, Parameter, Recorder, pointers
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
) -> Function:
    """Return the function ``name(self, arguments, count)`` around ``@body(inputs…, outputs…)``.

    Args:
        name: of the function.
        inputs: what the arguments must be.
        outputs: what the body writes.
        tree: how the results are put together; tuples only.
        used: what the code needs of this process.
        free: let other Python threads run meanwhile.
    """
    w = _Wrapper(name, inputs, outputs, used)
    w.set("icmp", "i64", "%count", str(len(inputs)), flags=("eq",), name="%right")
    w.on("%right", "other")
    sources = [w.argument(k, a) for k, a in enumerate(inputs)]
    targets = [w.result(k, a) for k, a in enumerate(outputs)]
    w.run("body", [*sources, *targets], free=free)
    w.give("ptr", w.tree(tree, iter(range(len(outputs)))))
    w.ends()
    return w.method()


def entry(name: str, floats: Sequence[bool], body: str, used: Used, *, free: bool) -> Function:
    """Return ``name(self, arguments, count)`` that hands the memory of floats and arrays to ``@body``.

    Nothing is checked: for arguments that the caller made or has checked. ``free`` as for ``wrapper``.
    """
    w = _Wrapper(name, (), (), used)
    sources = []
    for k, is_float in enumerate(floats):
        obj = w.load("ptr", w.place("ptr", "%arguments", k))
        sources.append(w.place("i8", obj, api.HEADER) if is_float else w.field(obj, api.DATA, "ptr"))
    w.run(body, sources, free=free)
    w.give_object(None)
    if used.asks:
        w.label("interrupted")
        w.give("ptr", "null")
    return w.method()


class _Wrapper(Recorder):
    def __init__(self, name: str, inputs: Sequence[Array], outputs: Sequence[Array], used: Used) -> None:
        super().__init__("w", "entry")
        self.name, self.inputs, self.outputs, self.used = name, inputs, outputs, used
        self.objects: dict[int, str] = {}
        self.numbers: dict[int, str] = {}

    def method(self) -> Function:
        """Return all as a function that Python can call."""
        params = [*pointers(["%self", "%arguments"]), Parameter("i64", "%count")]
        return self.function(self.name, params, type="ptr", internal=False)

    def python(self, type: str, name: str, *arguments: tuple[str, str], result: str | None = None) -> str:
        """Append the call of a function of Python's or NumPy's."""
        function = self.load("ptr", self.used.link(api.functions()[name]))
        return self.call(type, function, *arguments, name=result)

    def object(self, x: Any) -> str:
        """Return the pointer to an object that is never freed."""
        return self.load("ptr", self.used.link(id(x)))

    def give_object(self, x: Any) -> None:
        """Return such an object to Python."""
        pointer = self.object(x)
        self.python("void", "Py_IncRef", ("ptr", pointer))
        self.give("ptr", pointer)

    def ends(self) -> None:
        """Write what happens to arguments of another kind, after an interruption, and without memory."""
        self.label("other")
        self.give_object(NotImplemented)
        if self.used.asks:
            self.label("interrupted")
            for made in self.objects.values():
                self.python("void", "Py_DecRef", ("ptr", made))
            self.give("ptr", "null")
        self.label("failed")
        self.give("ptr", "null")

    def on(self, condition: str, otherwise: str) -> None:
        """Go on where the condition holds."""
        self.count += 1
        label = f"on{self.count}"
        self.branch(condition, label, otherwise)
        self.label(label)

    def not_null(self, pointer: str) -> None:
        """Go on where there was memory for an object."""
        self.on(self.set("icmp", "ptr", pointer, "null", flags=("ne",)), "failed")

    def run(self, body: str, args: Sequence[str], *, free: bool) -> None:
        """Call the body, and go on where that was not interrupted."""
        if free:
            self.python("ptr", "PyEval_SaveThread", result="%state")
        self.call("void", f"@{body}", *[("ptr", a) for a in args])
        if free:
            self.python("void", "PyEval_RestoreThread", ("ptr", "%state"))
        if self.used.asks:
            error = self.python("ptr", "PyErr_Occurred")
            self.on(self.set("icmp", "ptr", error, "null", flags=("eq",)), "interrupted")

    def field(self, obj: str, offset: int, type: str) -> str:
        return self.load(type, self.place("i8", obj, offset))

    def argument(self, k: int, a: Array) -> str:
        """Check an argument and return the pointer to its numbers."""
        obj = self.load("ptr", self.place("ptr", "%arguments", k))
        self.expect("ptr", self.field(obj, 8, "ptr"), self.object(float if a.is_float else np.ndarray))
        if a.is_float:
            return self.place("i8", obj, api.HEADER)
        self.expect("ptr", self.field(obj, api.DESCR, "ptr"), self.object(a.dtype))
        self.expect("i32", self.field(obj, api.NDIM, "i32"), str(len(a.shape)))
        flags = self.set("and", "i32", self.field(obj, api.FLAGS, "i32"), str(api.CONTIGUOUS_ALIGNED))
        self.expect("i32", flags, str(api.CONTIGUOUS_ALIGNED))
        dims = self.field(obj, api.DIMS, "ptr") if a.shape else ""
        for axis, n in enumerate(a.shape):
            self.expect("i64", self.field(dims, 8 * axis, "i64"), str(n))
        return self.field(obj, api.DATA, "ptr")

    def expect(self, type: str, value: str, wanted: str) -> None:
        self.on(self.set("icmp", type, value, wanted, flags=("eq",)), "other")

    def result(self, k: int, a: Array) -> str:
        """Return the pointer to the memory of a result."""
        if a.is_float:
            self.numbers[k] = self.room("double")
            return self.numbers[k]
        dims = self.used.table(f"{self.name}.dims{k}", a.shape) if a.shape else "null"
        null, zero = ("ptr", "null"), ("i32", "0")
        shape = ("ptr", self.object(np.ndarray)), ("i32", str(len(a.shape))), ("ptr", dims)
        entries = ("i32", str(api.TYPE_NUMBERS[a.dtype])), null, null, zero, zero, null
        self.objects[k] = made = self.python("ptr", "PyArray_New", *shape, *entries)
        self.not_null(made)
        return self.field(made, api.DATA, "ptr")

    def tree(self, tree: trees.Tree, rest: Any) -> str:
        """Put the results together."""
        if isinstance(tree, trees.ArrayLeaf):
            return self.value(next(rest))
        assert isinstance(tree, trees.ContainerSpec)  # narrows the type; ``only_tuples`` was asked before
        made = self.python("ptr", "PyTuple_New", ("i64", str(len(tree.parts))))
        self.not_null(made)
        for k, part in enumerate(tree.parts):
            arguments = ("ptr", made), ("i64", str(k)), ("ptr", self.tree(part, rest))
            self.python("i32", "PyTuple_SetItem", *arguments, result="")
        return made

    def value(self, k: int) -> str:
        a = self.outputs[k]
        if a.is_float:
            return self.python("ptr", "PyFloat_FromDouble", ("double", self.load("double", self.numbers[k])))
        if a.shape == ():
            return self.python("ptr", "PyArray_Return", ("ptr", self.objects[k]))
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
