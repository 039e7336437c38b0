"""Functions of a module as text, with all that they need of it: how a source gets its helpers. Runs nothing.

Definitions are found in the syntax trees of modules, without their annotations; names of two modules that clash are
told apart. What is written once for several libraries names them ``xp``: the words of one take its place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from symgrad.support.definitions import Found, Module, names_of, parsed, read


class Library(NamedTuple):
    """A library of arrays: the module that says what differs in it from NumPy, and the prefix of all else."""

    module: str
    prefix: str


SPACE = "symgrad.exports.library.numpy"  # the module that is ``xp`` in what is written once
ARRAYS = "symgrad.exports.library.arrays"  # which is here, unless the library's module has it too


class Embedded:
    """Definitions collected from modules, each after those that it uses; ``xp`` in them is the library."""

    def __init__(
        self, taken: Iterable[str] = (), library: Library | None = None, reader: Callable[[str], Module] = read
    ) -> None:
        self.library, self.read = library or Library(SPACE, "np"), reader
        self.imports: dict[str, None] = {}
        self.texts: list[str] = []
        self.trees: list[ast.stmt] = []
        self._names: dict[Found, str] = {}
        self._taken = set(taken)
        self._done: set[int] = set()

    def add(self, module: str, name: str) -> str:
        """Add a definition, and return what it is called in the text."""
        if module == ARRAYS and name in self.read(self.library.module).defined:
            module = self.library.module
        definition = Found(module, name)
        known = self._names.get(definition)
        if known is not None:
            return known
        where = self.read(module)
        if name not in where.defined:
            return self._elsewhere(where, name)
        called = name if name not in self._taken else f"{module.split('.')[-1]}_{name}"
        while called in self._taken:
            called += "_"
        self._taken.add(called)
        self._names[definition] = called
        self._define(module, where, name)
        return called

    def _define(self, module: str, where: Module, name: str) -> None:
        node = where.defined[name]
        if id(node) in self._done:  # one of several names that an assignment gives
            return
        self._done.add(id(node))
        for other in names_of(node):
            self._names.setdefault(Found(module, other), other)
            self._taken.add(other)
        tree = _Rewriter(self, module, where).visit(parsed(ast.unparse(node)).body[0])
        self.trees.append(ast.fix_missing_locations(tree))
        self.texts.append(ast.unparse(self.trees[-1]))

    def word(self, name: str) -> str:
        """Return what a function is called that the library has, or its module defines in its place."""
        where, last = read(self.library.module), name.split(".")[-1]
        node = where.defined.get(last)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):  # another name for it
            return ast.unparse(node.value)
        if any(last in place for place in (where.defined, where.outside)):
            return self.add(self.library.module, last)
        return f"{self.library.prefix}.{name}"

    def method(self, kind: type, method: str, called: str, fields: Sequence[str]) -> str:
        """Add a method as a function of this name, to whose parameters these fields of the object are added."""
        definition = Found(kind.__module__, f"{kind.__name__}.{method}")
        if definition not in self._names:
            while called in self._taken:
                called += "_"
            self._taken.add(called)
            self._names[definition] = called
            node = _Fields(fields).visit(copied(body_of(kind, method)))
            node.args.args = [*node.args.args[1:], *map(ast.arg, fields)]
            summary = ast.Expr(ast.Constant((kind.__doc__ or "").split("\n")[0]))  # what it is says more
            node.body = [summary, *node.body[ast.get_docstring(node) is not None :]]
            tree = _Rewriter(self, kind.__module__, read(kind.__module__)).visit(node)
            tree.name = called
            self.trees.append(ast.fix_missing_locations(tree))
            self.texts.append(ast.unparse(self.trees[-1]))
        return self._names[definition]

    def _elsewhere(self, where: Module, name: str) -> str:
        if name in where.outside:
            self.imports[where.outside[name]] = None
            return name
        return self.add(*where.inside[name])


def body_of(kind: type, method: str) -> ast.FunctionDef | None:
    """Return the definition of a method in the text of its class; None where it is inherited."""
    node = read(kind.__module__).defined.get(kind.__name__)
    methods = node.body if isinstance(node, ast.ClassDef) else []
    return next((m for m in methods if isinstance(m, ast.FunctionDef) and m.name == method), None)


def computes(kind: type, method: str, fields: Sequence[str]) -> bool:
    """Whether a method is a function of its arguments and these fields: asks for no others, raises, makes no object."""
    node = body_of(kind, method)
    if node is None or any(isinstance(n, (ast.Raise, ast.Try)) for n in ast.walk(node)):
        return False
    asked = [n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self"]
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    made = [n for n in names if _is_class(Found(kind.__module__, n))]
    return len(asked) == names.count("self") and set(asked) <= set(fields) and not made


def _is_class(definition: Found) -> bool:
    """Whether a name is that of a class of this package."""
    where = read(definition.module)
    if definition.name in where.inside:
        target = where.inside[definition.name]
        return target.name != "" and _is_class(target)
    return isinstance(where.defined.get(definition.name), ast.ClassDef)


def copied(node: ast.FunctionDef | None) -> ast.FunctionDef:
    """Return a definition that may be changed."""
    assert node is not None
    definition = parsed(ast.unparse(node)).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition


class _Fields(ast.NodeTransformer):
    """``self.field`` as a parameter."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.fields = fields

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """A field of the object."""
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return ast.Name(node.attr, node.ctx)
        return self.generic_visit(node)


class _Rewriter(ast.NodeTransformer):
    """Drops annotations, and gives names from other places what they are called in the text."""

    def __init__(self, into: Embedded, module: str, where: Module) -> None:
        self.into, self.module, self.where = into, module, where
        self.local: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """A function: without annotations, and under the name that it has in the text."""
        before = self.local
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        given = [a for a in (node.args.vararg, node.args.kwarg) if a is not None]
        assigned = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        inner = {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n is not node}
        self.local = before | {a.arg for a in (*arguments, *given)} | assigned | inner
        for a in (*arguments, *given):
            a.annotation = None
        node.returns = None
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.body = [self.visit(s) for s in node.body]
        self.local = before
        if not before:
            node.name = self.into._names.get(Found(self.module, node.name), node.name)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """A lambda: its parameters are its own."""
        before, self.local = self.local, self.local | {a.arg for a in node.args.args}
        node.body = self.visit(node.body)
        self.local = before
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """An assignment without its annotation."""
        if node.value is None:
            return ast.Pass()
        return ast.Assign(targets=[self.visit(node.target)], value=self.visit(node.value), lineno=0)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """``module.name`` of a module of the package is a name of the text."""
        if isinstance(node.value, ast.Name) and node.value.id not in self.local:
            target = self.where.inside.get(node.value.id)
            if target == Found(SPACE, ""):
                return parsed(self.into.word(node.attr), mode="eval").body
            if target is not None and target.name == "":
                return ast.Name(self.into.add(target.module, node.attr), node.ctx)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        """A name of the module's own."""
        w = self.where
        if node.id not in self.local and any(node.id in place for place in (w.defined, w.outside, w.inside)):
            return ast.Name(self.into.add(self.module, node.id), node.ctx)
        return node
